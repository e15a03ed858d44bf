// fall.c: figures 3.2 to 3.14 of [Ch]: a block that falls flat, and one that falls on an edge and clatters to rest, with 4
// and 8 points on its base (and 9 and 16). Expected: closed forms, and the reference numbers of edges.yaml.
#include "ch.h"

#include <string.h>

enum { IMPACTS = 3, SETS = 2 };

static const char *const samples[SETS] = {"base.samples=4", "base.samples=8"};
static const char *const side[SETS] = {"4 points", "8 points"};

static const rh_scene_text central = RH_SCENE_TEXT(ch, central);
static const rh_scene_text tilted = RH_SCENE_TEXT(ch, tilted);
static const rh_scene_text edges = RH_SCENE_TEXT(ch, edges);

#define SPEED 1.9809088823063015 // [m/s] sqrt(2 g h), h = 0.2 m
#define E     0.5

// ---- The course of some impacts, with 4 and with 8 points

typedef struct courses {
  rh_impact_seen seen[SETS][IMPACTS];
  rh_impact_course course[SETS][IMPACTS];
  int first, n;
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

static rh_status follow_impacts(rh_redone *redone, const rh_scene_text *scene,
                                rh_impact_range range)
{
  courses *k = rh_alloc(sizeof *k);
  if (k == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  *k = (courses){.first = range.first, .n = range.count};
  redone->kept = k;
  redone->drop = free_courses;
  for (int s = 0; s < SETS; s++) {
    rh_model *model = NULL;
    RH_TRY(rh_ch_model(scene, &samples[s], 1, false, &model));
    rh_status status = rh_impact_run(model, range, NULL, k->seen[s]);
    rh_model_destroy(model);
    for (int i = 0; i < k->n && status == RH_OK; i++) {
      status = rh_impact_follow(&k->seen[s][i], &k->course[s][i]);
    }
    RH_TRY(status);
  }
  return RH_OK;
}

// Of the first point of the impact: component `k` at the end (or the beginning) of the course
static double end_of(const rh_impact_course *c, int k, bool last)
{
  ptrdiff_t at = last ? (ptrdiff_t)(c->samples - 1) * c->n : 0;
  return c->u[3 * at + k];
}

static double slip_of(const rh_impact_course *c, bool last)
{
  return rh_hypot(end_of(c, 0, last), end_of(c, 1, last));
}

static double least_of(const rh_impact_course *c)
{
  double least = 0;
  for (int i = 0; i < c->samples; i++) {
    least = fmin(least, c->Wn[i]);
  }
  return least;
}

static void draw_all(FILE *to, const rh_redone *redone, bool work)
{
  const courses *k = redone->kept;
  const double strip = work ? 0 : k->n == 1 ? 0.1 : 0.05;
  const double legend[4] = {0, 0, 1, strip};
  const double high = (0.95 - strip) / k->n;
  for (int i = 0; i < k->n; i++) {
    for (int s = 0; s < SETS; s++) {
      char title[2 * RH_NAME_MAX];
      rh_impact_panel panel = {.frame = {0.5 * s, strip + (k->n - 1 - i) * high, 0.5, high},
                               .title = title};
      snprintf(title, sizeof title, "%s, impact %d at %.6f s", side[s], k->first + i,
               k->seen[s][i].t);
      if (work) {
        rh_impact_put_work(to, &panel, &k->course[s][i]);
      } else {
        rh_impact_put_velocities(to, &panel, &k->seen[s][i], &k->course[s][i]);
      }
    }
  }
  if (!work) {
    rh_impact_put_legend(to, legend);
  }
}

void rh_draw_ch_fall_velocities(FILE *to, const rh_redone *redone)
{
  draw_all(to, redone, false);
}

void rh_draw_ch_fall_works(FILE *to, const rh_redone *redone)
{
  draw_all(to, redone, true);
}

// ---- Figs 3.2 to 3.6: flat

rh_status rh_find_ch_central_velocities(rh_redone *redone)
{
  RH_TRY(follow_impacts(redone, &central, (rh_impact_range){1, 1}));
  const courses *k = redone->kept;
  for (int s = 0; s < SETS; s++) {
    const rh_impact_course *c = &k->course[s][0];
    RH_TRY(rh_redone_number(redone, side[s], "normal velocity before", end_of(c, 2, false)));
    RH_TRY(rh_redone_number(redone, side[s], "normal velocity after", end_of(c, 2, true)));
    RH_TRY(rh_redone_number(redone, side[s], "slip speed after", slip_of(c, true)));
  }
  return RH_OK;
}

rh_status rh_find_ch_central_works(rh_redone *redone)
{
  RH_TRY(follow_impacts(redone, &central, (rh_impact_range){1, 1}));
  const courses *k = redone->kept;
  for (int s = 0; s < SETS; s++) {
    const rh_impact_course *c = &k->course[s][0];
    RH_TRY(rh_redone_number(redone, side[s], "normal work after", c->Wn[c->samples - 1]));
    RH_TRY(rh_redone_number(redone, side[s], "normal work of compression", least_of(c)));
    RH_TRY(rh_redone_number(redone, side[s], "normal impulse", c->P[c->samples - 1]));
  }
  return RH_OK;
}

// Outlines in the plane x, z at some times, next to each other
static void put_outlines(FILE *to, const rh_redone *redone, int run, const double *t, int n)
{
  const rh_trial *trial = &redone->trial[run];
  const rh_figure *f = redone->figure;
  const int x = rh_figure_column(f, "fly.x");
  const int z = rh_figure_column(f, "fly.z");
  const int w = rh_figure_column(f, "fly.qw");
  const int y = rh_figure_column(f, "fly.qy");
  fprintf(to, "$outline%d << end\n", run);
  for (int i = 0; i < n; i++) {
    static const double corner[5][2] = {
        {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}, {-0.2, -0.1}, {0.2, -0.1}};
    long frame = 0;
    while (frame + 1 < trial->frames && rh_trial_value(trial, frame, 0) < t[i] - 1e-9) {
      frame++;
    }
    double pitch = 2 * rh_atan2(rh_trial_value(trial, frame, y), rh_trial_value(trial, frame, w));
    for (int k = 0; k < 5; k++) {
      double px = corner[k][0] * rh_cos(pitch) + corner[k][1] * rh_sin(pitch);
      double pz = corner[k][1] * rh_cos(pitch) - corner[k][0] * rh_sin(pitch);
      fprintf(to, "%.6g %.6g\n", 0.55 * i + px + rh_trial_value(trial, frame, x),
              pz + rh_trial_value(trial, frame, z));
    }
    fputc('\n', to);
  }
  fputs("end\n", to);
}

static void put_capture(FILE *to, const rh_redone *redone, const double *t, int n)
{
  for (int run = 0; run < redone->nrun; run++) {
    double high = 0.94 / redone->nrun;
    rh_ch_panel(to, 0, (redone->nrun - 1 - run) * high, 1, high, redone->figure->run[run].label);
    put_outlines(to, redone, run, t, n);
    for (int i = 0; i < n; i++) {
      fprintf(to, "set label '%.3g s' at %.4g,-0.05 center font ',9'\n", t[i], 0.55 * i);
    }
    fprintf(to,
            "set xrange [-0.35:%.4g]\nset yrange [-0.09:0.45]\nset size ratio -1\nunset xtics\nset "
            "ytics 0.2\nset ylabel 'height "
            "[m]'\nset xlabel ''\nunset key\nset border 2\nset arrow from graph 0, first 0 to "
            "graph 1, first 0 nohead lw "
            "1.2 lc rgb '#404040'\nplot $outline%d with filledcurves closed fc rgb '#B8D4E8' fs "
            "solid 0.6 border lc rgb "
            "'#0072B2'\n",
            0.55 * n - 0.2, run);
  }
}

void rh_draw_ch_central_capture(FILE *to, const rh_redone *redone)
{
  static const double t[] = {0, 0.1, 0.16, 0.2019, 0.25, 0.3029, 0.36, 0.4038, 0.4543, 0.8};
  put_capture(to, redone, t, RH_COUNT(t));
}

void rh_draw_ch_tilted_capture(FILE *to, const rh_redone *redone)
{
  static const double t[] = {0, 0.1, 0.1428, 0.162, 0.1816, 0.214, 0.25, 0.2908, 0.3018, 0.6};
  put_capture(to, redone, t, RH_COUNT(t));
}

// ---- Figs 3.8 to 3.14: on an edge

// Velocities before and after, or works, of three impacts, with 4 and with 8 points, against the reference (stated to 1e-6)
static rh_status tilted_numbers(rh_redone *redone, int first, bool work)
{
  static const char *const key[] = {"t", "vn_pre", "vn_post", "vt_pre", "vt_post"};
  static const char *const name[] = {"time", "normal velocity before", "normal velocity after",
                                     "slip before", "slip after"};
  rh_yaml tree = {0};
  rh_ch_case c;
  rh_status status = follow_impacts(redone, &tilted, (rh_impact_range){first, IMPACTS});
  status = status == RH_OK ? rh_ch_open(&edges, "tilted_drop-01", &tree, &c) : status;
  const courses *k = redone->kept;
  for (int s = 0; s < SETS * IMPACTS && status == RH_OK; s++) {
    const rh_impact_course *run = &k->course[s / IMPACTS][s % IMPACTS];
    int at = rh_ch_item(&c, c.expected, "impacts", first - 1 + s % IMPACTS);
    char curve[RH_NAME_MAX];
    snprintf(curve, sizeof curve, "%s, impact %d", side[s / IMPACTS], first + s % IMPACTS);
    double got[5] = {k->seen[s / IMPACTS][s % IMPACTS].t, end_of(run, 2, false),
                     end_of(run, 2, true), slip_of(run, false), slip_of(run, true)};
    for (int i = 0; i < RH_COUNT(key) && !work && status == RH_OK; i++) {
      double want = rh_ch_number(&c, at, key[i]);
      want = i < 3 ? want : fabs(want);
      status = rh_redone_against(redone, curve, name[i], got[i], want, 1e-6 * (1 + fabs(want)));
    }
    if (work && status == RH_OK) {
      double want = rh_ch_number(&c, at, "Wn");
      status = rh_redone_against(redone, curve, "normal work", run->Wn[run->samples - 1], want,
                                 1e-6 * (1 + fabs(want)));
    }
  }
  rh_yaml_free(&tree);
  return status;
}

// Also the far edge, without an impact.
rh_status rh_find_ch_first_velocities(rh_redone *redone)
{
  RH_TRY(tilted_numbers(redone, 1, false));
  const courses *k = redone->kept;
  const rh_impact_course *c = &k->course[0][0];
  for (int i = c->struck; i < c->n; i++) {
    if (strcmp(k->seen[0][0].watched[i - c->struck].text, "c3") == 0) {
      const double *u = c->u + 3 * ((ptrdiff_t)(c->samples - 1) * c->n + i);
      RH_TRY(rh_redone_number(redone, "4 points, impact 1", "far edge, without impact, before",
                              c->u[3 * i + 2]));
      RH_TRY(
          rh_redone_number(redone, "4 points, impact 1", "far edge, without impact, after", u[2]));
    }
  }
  return RH_OK;
}

rh_status rh_find_ch_last_velocities(rh_redone *redone)
{
  return tilted_numbers(redone, 4, false);
}

rh_status rh_find_ch_first_works(rh_redone *redone)
{
  return tilted_numbers(redone, 1, true);
}

rh_status rh_find_ch_last_works(rh_redone *redone)
{
  return tilted_numbers(redone, 4, true);
}
