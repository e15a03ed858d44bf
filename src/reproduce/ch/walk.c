// walk.c: figures 5.2 to 5.5 of [Ch]: the first step of Atlas, with 4 and 8 points
// per foot. It stands for a second, shifts its weight, and swings its right foot from 1.6 to 2.2 s.
// The thesis prints only one work (-4e-5 J, of an impact without its speed).
#include "ch.h"

#include <string.h>

enum { SETS = 2, IMPACTS = 2 };

static const rh_scene_text walk = RH_SCENE_TEXT(ch, walk);
static const char *const side[SETS] = {"4 points a foot", "8 points a foot"};

#define FOUR  "l_foot_sole.samples=4", "r_foot_sole.samples=4"
#define EIGHT "l_foot_sole.samples=8", "r_foot_sole.samples=8"

#define SOME 0.3 // maximum restitution of the curves of impacts; the run's own is 0

// ---- Figs 5.2 and 5.3

static const char *const series[] = {
    "head.px",   "head.py",   "head.pz",   "utorso.px", "utorso.py", "utorso.pz", "pelvis.px",
    "pelvis.py", "pelvis.pz", "l_uleg.px", "l_uleg.py", "l_uleg.pz", "l_lleg.px", "l_lleg.py",
    "l_lleg.pz", "l_foot.px", "l_foot.py", "l_foot.pz", "r_uleg.px", "r_uleg.py", "r_uleg.pz",
    "r_lleg.px", "r_lleg.py", "r_lleg.pz", "r_foot.px", "r_foot.py", "r_foot.pz",
};

enum { PELVIS = 2 };

// Lines of a figure of sticks: head to pelvis, left leg, right leg
static const int line[3][4] = {{0, 1, 2, 2}, {2, 3, 4, 5}, {2, 6, 7, 8}};

// View 0: from the side (x, z); 1: from the front (y, z), each time moved to the right
static void put_sticks(FILE *to, const rh_redone *redone, int run, int view, const double *t, int n)
{
  const rh_trial *trial = &redone->trial[run];
  const rh_figure *f = redone->figure;
  for (int part = 0; part < 3; part++) {
    fprintf(to, "$part%d << end\n", part);
    for (int i = 0; i < n; i++) {
      long frame = 0;
      while (frame + 1 < trial->frames && rh_trial_value(trial, frame, 0) < t[i] - 1e-9) {
        frame++;
      }
      for (int k = 0; k < 4; k++) {
        const char *const *name = series + (ptrdiff_t)3 * line[part][k];
        double x = rh_trial_value(trial, frame, rh_figure_column(f, name[view]));
        double z = rh_trial_value(trial, frame, rh_figure_column(f, name[2]));
        fprintf(to, "%.6g %.6g\n", 0.95 * i + (view == 0 ? x : -x), z);
      }
      fputc('\n', to);
    }
    fputs("end\n", to);
  }
}

void rh_draw_ch_walk_capture(FILE *to, const rh_redone *redone)
{
  static const double t[] = {0, 1, 1.3, 1.6, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6};
  static const char *const view[] = {"from the side", "from the front"};
  for (int i = 0; i < 4; i++) {
    char title[2 * RH_NAME_MAX];
    snprintf(title, sizeof title, "%s, %s", side[i % 2], view[i / 2]);
    rh_ch_panel(to, 0, (3 - i) * 0.235, 1, 0.235, title);
    put_sticks(to, redone, i % 2, i / 2, t, RH_COUNT(t));
    for (int k = 0; k < RH_COUNT(t); k++) {
      fprintf(to, "set label '%.3g s' at %.4g,-0.14 center font ',9'\n", t[k], 0.95 * k);
    }
    fprintf(to,
            "set xrange [-0.4:%.4g]\nset yrange [-0.2:1.75]\nset size ratio -1\nunset xtics\nset "
            "ytics 1\nset xlabel ''\nset ylabel 'z "
            "[m]'\nunset key\nset border 2\nset arrow from graph 0, first 0 to graph 1, first 0 "
            "nohead lw 1 lc rgb '#404040'\nplot $part0 with "
            "lines lw 3 dt solid lc rgb '#404040', $part1 with lines lw 2.5 dt solid lc rgb "
            "'#0072B2', $part2 with lines lw 2.5 dt solid lc rgb "
            "'#D55E00'\n",
            0.95 * RH_COUNT(t) - 0.3);
  }
}

// 4 against 8 points at the end
rh_status rh_find_ch_walks(rh_redone *redone)
{
  for (int k = 0; k < 3; k++) {
    const char *name = series[3 * PELVIS + k];
    int column = rh_figure_column(redone->figure, name);
    double at[SETS];
    for (int s = 0; s < SETS; s++) {
      at[s] = rh_trial_value(&redone->trial[s], redone->trial[s].frames - 1, column);
    }
    RH_TRY(rh_redone_number(redone, "8 points less 4 points", name, at[1] - at[0]));
  }
  return RH_OK;
}

// ---- Figs 5.4 and 5.5

typedef struct courses {
  rh_impact_seen seen[SETS][IMPACTS];
  rh_impact_course course[SETS][IMPACTS];
} courses;

static void free_courses(void *kept)
{
  courses *k = kept;
  for (int s = 0; s < SETS; s++) {
    for (int i = 0; i < IMPACTS; i++) {
      rh_impact_seen_free(&k->seen[s][i]);
      rh_impact_course_free(&k->course[s][i]);
    }
  }
  rh_free(k);
}

static rh_status follow_impacts(rh_redone *redone)
{
  static const char *const set[SETS][3] = {{"run.until=2.5", FOUR}, {"run.until=2.5", EIGHT}};
  courses *k = rh_alloc(sizeof *k);
  if (k == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  *k = (courses){0};
  redone->kept = k;
  redone->drop = free_courses;
  for (int s = 0; s < SETS; s++) {
    rh_model *model = NULL;
    RH_TRY(rh_ch_model(&walk, set[s], 3, false, &model));
    rh_status status = rh_impact_run(model, (rh_impact_range){1, IMPACTS}, NULL, k->seen[s]);
    rh_model_destroy(model);
    for (int i = 0; i < IMPACTS && status == RH_OK; i++) {
      rh_impact_seen *seen = &k->seen[s][i];
      seen->form = rh_formulation_find("winkler-global");
      seen->nwatch = 0;
      for (int p = 0; p < seen->n; p++) {
        seen->e[p] = SOME;
      }
      status = rh_impact_follow(seen, &k->course[s][i]);
    }
    RH_TRY(status);
  }
  return RH_OK;
}

// Of the first event of a course: W_f / W_c
static double share_of(const rh_impact_course *c)
{
  double least = 0;
  int last = 0;
  for (int i = 0; i < c->samples && c->event[i] == 0; i++) {
    least = fmin(least, c->Wn[i]);
    last = i;
  }
  return c->Wn[last] / least;
}

// No point approaches any more, except approaches too small for an event; e^2 of the work is
// returned.
rh_status rh_find_ch_courses(rh_redone *redone)
{
  RH_TRY(follow_impacts(redone));
  const courses *k = redone->kept;
  for (int s = 0; s < SETS * IMPACTS; s++) {
    const rh_impact_course *c = &k->course[s / IMPACTS][s % IMPACTS];
    const double *last = c->u + (ptrdiff_t)3 * (c->samples - 1) * c->n;
    char curve[RH_NAME_MAX];
    double before = 0;
    double after = 0;
    for (int i = 0; i < c->n; i++) {
      before = fmin(before, c->u[3 * i + 2]);
      after = fmin(after, last[3 * i + 2]);
    }
    snprintf(curve, sizeof curve, "%s, impact %d", side[s / IMPACTS], 1 + s % IMPACTS);
    RH_TRY(rh_redone_number(redone, curve, "still approaching, over the first speed",
                            fabs(after / before)));
    RH_TRY(rh_redone_number(redone, curve, "W_f / W_c of its first event, 1 - e^2", share_of(c)));
  }
  return RH_OK;
}

void rh_draw_ch_walk_courses(FILE *to, const rh_redone *redone)
{
  const courses *k = redone->kept;
  const double strip = 0.04;
  const double legend[4] = {0, 0, 1, strip};
  const double high = (0.96 - strip) / (2 * IMPACTS);
  for (int i = 0; i < SETS * IMPACTS; i++) {
    int s = i % SETS;
    int m = i / SETS;
    char title[2 * RH_NAME_MAX];
    rh_impact_panel panel = {.frame = {0.5 * s, strip + (3 - 2 * m) * high, 0.5, high},
                             .title = title};
    snprintf(title, sizeof title, "%s, impact %d at %.6f s", side[s], m + 1, k->seen[s][m].t);
    rh_impact_put_velocities(to, &panel, &k->seen[s][m], &k->course[s][m]);
    panel.frame[1] -= high;
    panel.title = "";
    rh_impact_put_work(to, &panel, &k->course[s][m]);
  }
  rh_impact_put_legend(to, legend);
}
