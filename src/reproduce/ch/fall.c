// fall.c: figures 3.2 to 3.14 of [Ch] as rows: a block that falls flat, and one that falls on an edge and clatters to rest, with 4
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
  return hypot(end_of(c, 0, last), end_of(c, 1, last));
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

static void draw_velocities(FILE *to, const rh_redone *redone)
{
  draw_all(to, redone, false);
}

static void draw_works(FILE *to, const rh_redone *redone)
{
  draw_all(to, redone, true);
}

// ---- Figs 3.2 to 3.6: flat

static rh_status central_velocities(rh_redone *redone)
{
  RH_TRY(follow_impacts(redone, &central, (rh_impact_range){1, 1}));
  const courses *k = redone->kept;
  for (int s = 0; s < SETS; s++) {
    const rh_impact_course *c = &k->course[s][0];
    RH_TRY(rh_redone_number(redone, side[s], "normal velocity before", end_of(c, 2, false), -SPEED,
                            1e-9));
    RH_TRY(rh_redone_number(redone, side[s], "normal velocity after", end_of(c, 2, true), E * SPEED,
                            1e-8));
    RH_TRY(rh_redone_number(redone, side[s], "slip speed after", slip_of(c, true), 0, 1e-8));
  }
  return RH_OK;
}

static rh_status central_works(rh_redone *redone)
{
  RH_TRY(follow_impacts(redone, &central, (rh_impact_range){1, 1}));
  const courses *k = redone->kept;
  for (int s = 0; s < SETS; s++) {
    const rh_impact_course *c = &k->course[s][0];
    RH_TRY(rh_redone_number(redone, side[s], "normal work after", c->Wn[c->samples - 1],
                            -(1 - E * E) * SPEED * SPEED, 1e-7));
    RH_TRY(rh_redone_number(redone, side[s], "normal work of compression", least_of(c),
                            -SPEED * SPEED, 1e-7));
    RH_TRY(rh_redone_number(redone, side[s], "normal impulse", c->P[c->samples - 1],
                            2 * (1 + E) * SPEED, 1e-7));
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
    double pitch = 2 * atan2(rh_trial_value(trial, frame, y), rh_trial_value(trial, frame, w));
    for (int k = 0; k < 5; k++) {
      double px = corner[k][0] * cos(pitch) + corner[k][1] * sin(pitch);
      double pz = corner[k][1] * cos(pitch) - corner[k][0] * sin(pitch);
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

static void capture_central(FILE *to, const rh_redone *redone)
{
  static const double t[] = {0, 0.1, 0.16, 0.2019, 0.25, 0.3029, 0.36, 0.4038, 0.4543, 0.8};
  put_capture(to, redone, t, RH_COUNT(t));
}

static void capture_tilted(FILE *to, const rh_redone *redone)
{
  static const double t[] = {0, 0.1, 0.1428, 0.162, 0.1816, 0.214, 0.25, 0.2908, 0.3018, 0.6};
  put_capture(to, redone, t, RH_COUNT(t));
}

// clang-format off
#define NUMBER(RUN, NAME, UNIT, MEASURE, ...)                                                      \
  {.run = (RUN), .name = (NAME), .unit = (UNIT), .measure = (MEASURE), __VA_ARGS__}
// `EACH`: contacts of one impact, each with its own event
#define BOUNCES(RUN, EACH)                                                                         \
  NUMBER(RUN, "impact 1", "s", rh_measure_event, .event = "impact", .which = 1,                    \
         .want = 0.2019275109384609, .absolute = 1e-9),                                            \
  NUMBER(RUN, "impact 2", "s", rh_measure_event, .event = "impact", .which = 1 + (EACH),           \
         .want = 0.4038550218769218, .absolute = 1e-8),                                            \
  NUMBER(RUN, "impact 3", "s", rh_measure_event, .event = "impact", .which = 1 + 2 * (EACH),       \
         .want = 0.5048187773461522, .absolute = 1e-8),                                            \
  NUMBER(RUN, "speed after impact 3", "m/s", rh_measure_event_after, .event = "impact",            \
         .which = 1 + 2 * (EACH), .want = 0.24761361028828768, .absolute = 1e-8),                  \
  NUMBER(RUN, "height of the centre at the end", "m", rh_measure_end, .what = "fly.z", .want = 0.1, .absolute = 1e-9)
// Half way between impacts 1 and 2 the height of a point is e^2 h. Read between frames: g (0.5
// ms)^2 / 8.
#define APEX(POINT)                                                                                \
  NUMBER(0, POINT " at its apex", "m", rh_measure_at, .what = POINT ".z", .at = 0.30289126640769135, .want = 0.05, .absolute = 4e-7)
// clang-format on

static const rh_number ch_3_2[] = {BOUNCES(0, 4), BOUNCES(1, 8), BOUNCES(2, 9), BOUNCES(3, 16)};

#define FOUR                                                                                       \
  {                                                                                                \
    {.label = "4 points"}, {.label = "8 points", .set = {"base.samples=8"}},                       \
        {.label = "9 points", .set = {"base.samples=9"}},                                          \
    {                                                                                              \
      .label = "16 points", .set = { "base.samples=16" }                                           \
    }                                                                                              \
  }

static const char *const pose[] = {"fly.x", "fly.z", "fly.qw", "fly.qy"}; // for the outlines

const rh_figure rh_figure_ch_3_2 = {
    .paper = "ch",
    .label = "3.2",
    .title = "motion of a block that falls flat, 4, 8, 9, 16 points (with fig. 3.1)",
    .note = "the thesis gives no sizes: 2 kg, 0.4 x 0.3 x 0.2 m, from 0.2 m, e = 0.5, mu = 0.4",
    .scene = RH_SCENE_TEXT(ch, central),
    .run = FOUR,
    .series = pose,
    .nseries = RH_COUNT(pose),
    .program = capture_central,
    .height = 600,
    .expect = ch_3_2,
    .nexpect = RH_COUNT(ch_3_2),
};

static const rh_number ch_3_3[] = {BOUNCES(0, 4), APEX("c1"), APEX("c2"), APEX("c3"), APEX("c4")};
static const rh_number ch_3_4[] = {BOUNCES(0, 8), APEX("c1"), APEX("c2"), APEX("c3"), APEX("c4"),
                                   APEX("m1"),    APEX("m2"), APEX("m3"), APEX("m4")};

// clang-format off
#define HEIGHT(POINT) {.run = 0, .label = POINT, .x = "t", .y = POINT ".z", .y_scale = 1e3}
#define HEIGHTS(TOP) {{.x = "time", .x_unit = "s", .y = "height of the points", .y_unit = "mm", .y_lo = -5, .y_hi = (TOP)}}
// clang-format on

const rh_figure rh_figure_ch_3_3 = {
    .paper = "ch",
    .label = "3.3",
    .title = "heights of the 4 points of a block that falls flat",
    .scene = RH_SCENE_TEXT(ch, central),
    .run = {{.label = "4 points"}},
    .panel = HEIGHTS(210),
    .trace = {HEIGHT("c1"), HEIGHT("c2"), HEIGHT("c3"), HEIGHT("c4")},
    .ntrace = 4,
    .expect = ch_3_3,
    .nexpect = RH_COUNT(ch_3_3),
};

const rh_figure rh_figure_ch_3_4 = {
    .paper = "ch",
    .label = "3.4",
    .title = "heights of the 8 points of a block that falls flat",
    .note = "the corners do what they do in fig. 3.3: here the claim of independence holds",
    .scene = RH_SCENE_TEXT(ch, central),
    .run = {{.label = "8 points", .set = {"base.samples=8"}}},
    .panel = HEIGHTS(210),
    .trace = {HEIGHT("c1"), HEIGHT("c2"), HEIGHT("c3"), HEIGHT("c4"), HEIGHT("m1"), HEIGHT("m2"),
              HEIGHT("m3"), HEIGHT("m4")},
    .ntrace = 8,
    .expect = ch_3_4,
    .nexpect = RH_COUNT(ch_3_4),
};

const rh_figure rh_figure_ch_3_5 = {
    .paper = "ch",
    .label = "3.5",
    .title = "velocities during the impact of a block that falls flat, 4 against 8 points",
    .problems = true,
    .answer = rh_ch_answer,
    .more = central_velocities,
    .scene = RH_SCENE_TEXT(ch, flat),
    .program = draw_velocities,
    .height = 420,
};

const rh_figure rh_figure_ch_3_6 = {
    .paper = "ch",
    .label = "3.6",
    .title = "normal work during the impact of a block that falls flat, 4 against 8 points",
    .fixed = true,
    .scene = RH_SCENE_TEXT(ch, central),
    .more = central_works,
    .program = draw_works,
    .height = 380,
};

// ---- Figs 3.8 to 3.14: on an edge

// clang-format off
#define RESTS(RUN)                                                                                 \
  NUMBER(RUN, "impact 1", "s", rh_measure_event, .event = "impact", .which = 1,                    \
         .want = 0.14278431229270644, .absolute = 1e-9),                                           \
  NUMBER(RUN, "height of the centre at the end", "m", rh_measure_end, .what = "fly.z", .want = 0.1, .absolute = 1e-8), \
  NUMBER(RUN, "attitude at the end, sine of half the pitch", "", rh_measure_end, .what = "fly.qy", .want = 0, .absolute = 1e-8)
#define EDGE(EACH, I, T, POST)                                                                \
  NUMBER(0, "impact " #I, "s", rh_measure_event, .event = "impact", .which = 1 + (EACH) * ((I) - 1), .want = (T), .absolute = 1e-6), \
  NUMBER(0, "speed after it", "m/s", rh_measure_event_after, .event = "impact", .which = 1 + (EACH) * ((I) - 1), .want = (POST), \
         .absolute = 1e-6)
#define CLATTER(EACH)                                                                              \
  EDGE(EACH, 1, 0.14278431229270644, 0.7003570517957252),                     \
  EDGE(EACH, 2, 0.18158749539939456, 0.99239880410658),                       \
  EDGE(EACH, 3, 0.2142019565819677, 0.37422600011951984),                     \
  EDGE(EACH, 4, 0.2908203896282943, 0.18713484749619366),                     \
  EDGE(EACH, 5, 0.3018173345183486, 0.41406467991701884),                     \
  EDGE(EACH, 6, 0.3055854715384865, 0.18043552328773382),                     \
  EDGE(EACH, 7, 0.3394036058133022, 0.0967069902377118),                      \
  EDGE(EACH, 8, 0.34123012840022326, 0.12969421646149512)
// clang-format on

static const rh_number ch_3_8[] = {RESTS(0), RESTS(1), RESTS(2), RESTS(3)};

const rh_figure rh_figure_ch_3_8 = {
    .paper = "ch",
    .label = "3.8",
    .title = "motion of a block that falls on an edge, 4, 8, 9, 16 points (with fig. 3.7)",
    .note = "the thesis gives no sizes: 2 kg, 0.4 x 0.3 x 0.2 m, pitch 0.2 rad, from 0.1 m, e = "
            "0.5, mu = 0.4",
    .scene = RH_SCENE_TEXT(ch, tilted),
    .run = FOUR,
    .series = pose,
    .nseries = RH_COUNT(pose),
    .program = capture_tilted,
    .height = 600,
    .expect = ch_3_8,
    .nexpect = RH_COUNT(ch_3_8),
};

static const rh_number ch_3_9[] = {CLATTER(2)};
static const rh_number ch_3_10[] = {CLATTER(3)};

const rh_figure rh_figure_ch_3_9 = {
    .paper = "ch",
    .label = "3.9",
    .title = "heights of the 4 points of a block that falls on an edge",
    .claim = "'contact is a succession of impacts': infinitely many in a finite time. Impacts "
             "whose rebound is below rest_speed end in "
             "resting contact, which then carries the block",
    .problems = true,
    .answer = rh_ch_answer,
    .scene = RH_SCENE_TEXT(ch, edges),
    .run = {{.label = "4 points", .scene = RH_SCENE_TEXT(ch, tilted)}},
    .panel = HEIGHTS(190),
    .trace = {HEIGHT("c1"), HEIGHT("c2"), HEIGHT("c3"), HEIGHT("c4")},
    .ntrace = 4,
    .expect = ch_3_9,
    .nexpect = RH_COUNT(ch_3_9),
};

const rh_figure rh_figure_ch_3_10 = {
    .paper = "ch",
    .label = "3.10",
    .title = "heights of the 8 points of a block that falls on an edge",
    .note = "the same as with 4 points while an edge strikes alone, which is symmetric about the "
            "centre of mass",
    .scene = RH_SCENE_TEXT(ch, tilted),
    .run = {{.label = "8 points", .set = {"base.samples=8"}}},
    .panel = HEIGHTS(190),
    .trace = {HEIGHT("c1"), HEIGHT("c2"), HEIGHT("c3"), HEIGHT("c4"), HEIGHT("m1"), HEIGHT("m2"),
              HEIGHT("m3"), HEIGHT("m4")},
    .ntrace = 8,
    .expect = ch_3_10,
    .nexpect = RH_COUNT(ch_3_10),
};

// Velocities before and after, or works, of three impacts, with 4 and with 8 points, against the reference (stated to 1e-6)
static rh_status tilted_numbers(rh_redone *redone, int first, bool work)
{
  static const char *const key[] = {"t", "vn_pre", "vn_post", "vt_pre", "vt_post"};
  static const char *const name[] = {"time", "normal velocity before", "and after", "slip before",
                                     "and after"};
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
      status = rh_redone_number(redone, curve, name[i], got[i], want, 1e-6 * (1 + fabs(want)));
    }
    if (work && status == RH_OK) {
      double want = rh_ch_number(&c, at, "Wn");
      status = rh_redone_number(redone, curve, "normal work", run->Wn[run->samples - 1], want,
                                1e-6 * (1 + fabs(want)));
    }
  }
  rh_yaml_free(&tree);
  return status;
}

// The far edge, without an impact: v_z after is that of the reference's state, v_z - w r_x.
static rh_status first_velocities(rh_redone *redone)
{
  RH_TRY(tilted_numbers(redone, 1, false));
  const courses *k = redone->kept;
  const rh_impact_course *c = &k->course[0][0];
  for (int i = c->struck; i < c->n; i++) {
    if (strcmp(k->seen[0][0].watched[i - c->struck].text, "c3") == 0) {
      const double *u = c->u + 3 * ((ptrdiff_t)(c->samples - 1) * c->n + i);
      double arm = -0.2 * cos(0.2) - 0.1 * sin(0.2);
      RH_TRY(rh_redone_number(redone, "4 points, impact 1", "far edge, not struck, before",
                              c->u[3 * i + 2], -1.4007141035914503, 2e-6));
      RH_TRY(rh_redone_number(redone, "4 points, impact 1", "far edge, not struck, after", u[2],
                              -0.47893009199709513 + 6.694926839432485 * arm, 3e-6));
    }
  }
  return RH_OK;
}

static rh_status last_velocities(rh_redone *redone)
{
  return tilted_numbers(redone, 4, false);
}

static rh_status first_works(rh_redone *redone)
{
  return tilted_numbers(redone, 1, true);
}

static rh_status last_works(rh_redone *redone)
{
  return tilted_numbers(redone, 4, true);
}

const rh_figure rh_figure_ch_3_11 = {
    .paper = "ch",
    .label = "3.11",
    .title = "velocities during the first three impacts of a block on an edge, 4 against 8 points",
    .claim = "'the other points continue to have the same normal velocity through the impact'. Not "
             "on a rigid body: the far edge goes from "
             "-1.4007 to -1.9242 m/s in the first impact; unchanged it would be at the centre of "
             "percussion only (h^2 = 2 a^2 for half "
             "sizes, no friction)",
    .fixed = true,
    .scene = RH_SCENE_TEXT(ch, tilted),
    .more = first_velocities,
    .program = draw_velocities,
    .height = 940,
};

const rh_figure rh_figure_ch_3_12 = {
    .paper = "ch",
    .label = "3.12",
    .title = "velocities during impacts 4 to 6 of a block on an edge, 4 against 8 points",
    .note = "more impacts follow, ever smaller; the thesis shows six",
    .fixed = true,
    .scene = RH_SCENE_TEXT(ch, tilted),
    .more = last_velocities,
    .program = draw_velocities,
    .height = 940,
};

const rh_figure rh_figure_ch_3_13 = {
    .paper = "ch",
    .label = "3.13",
    .title = "normal work during the first three impacts of a block on an edge, 4 against 8 points",
    .fixed = true,
    .scene = RH_SCENE_TEXT(ch, tilted),
    .more = first_works,
    .program = draw_works,
    .height = 860,
};

const rh_figure rh_figure_ch_3_14 = {
    .paper = "ch",
    .label = "3.14",
    .title = "normal work during impacts 4 to 6 of a block on an edge, 4 against 8 points",
    .fixed = true,
    .scene = RH_SCENE_TEXT(ch, tilted),
    .more = last_works,
    .program = draw_works,
    .height = 860,
};

// ---- Sec. 2.3

// At rest on springs: m g / (4 k) below. Run 1: impacts as on rigid ground before that.
#define SUNK (0.1 - 2 * 9.81 / 4e5)

static const rh_number ch_s2_3[] = {
    NUMBER(0, "height at the end", "m", rh_measure_end, .what = "fly.z", .want = 0.1,
           .absolute = 1e-9),
    NUMBER(1, "impact 1", "s", rh_measure_event, .event = "impact", .which = 1,
           .want = 0.2019275109384609, .absolute = 1e-8),
    NUMBER(1, "impact 3", "s", rh_measure_event, .event = "impact", .which = 9,
           .want = 0.5048187773461522, .absolute = 1e-7),
    NUMBER(1, "speed after it", "m/s", rh_measure_event_after, .event = "impact", .which = 9,
           .want = 0.24761361028828768, .absolute = 1e-7),
    NUMBER(1, "height at the end", "m", rh_measure_end, .what = "fly.z", .want = SUNK,
           .absolute = 1e-8),
    NUMBER(2, "height at the end", "m", rh_measure_end, .what = "fly.z", .want = SUNK,
           .absolute = 1e-8),
};

const rh_figure rh_figure_ch_s2_3 = {
    .paper = "ch",
    .label = "s2.3",
    .title = "contact as a sequence of diminishing impacts, and what follows it",
    .claim = "'contacts are successive impacts with diminishing energy loss; the recursion ends "
             "when the loss is close to zero': there are "
             "infinitely many in the time sqrt(2h/g) (1+e)/(1-e); a threshold ends them, and a "
             "contact solver must follow. eq. 2.3 "
             "is written for epsilon to infinity",
    .problems = true,
    .answer = rh_ch_answer,
    .scene = RH_SCENE_TEXT(ch, rest),
    .run = {{.label = "rigid: impacts, then rest", .scene = RH_SCENE_TEXT(ch, central)},
            {.label = "impacts, handed over to springs",
             .set = {"ground.impact_law=stronge", "ground.impact_e=0.5", "ground.impact_speed=0.05",
                     "run.multi_impact=moreau"},
             .scene = RH_SCENE_TEXT(ch, soft)},
            {.label = "springs alone, dampers for e = 0.5", .scene = RH_SCENE_TEXT(ch, soft)}},
    .panel = {{.x = "time",
               .x_unit = "s",
               .y = "height of the base",
               .y_unit = "mm",
               .key = "inside top right vertical"},
              {.x = "time",
               .x_unit = "s",
               .x_lo = 0.5,
               .x_hi = 0.75,
               .y = "height of the base",
               .y_unit = "mm",
               .y_lo = -0.3,
               .y_hi = 1,
               .key = "off"}},
    .trace = {{.panel = 0, .run = RH_NONE, .x = "t", .y = "fly.z-0.1", .y_scale = 1e3},
              {.panel = 1, .run = RH_NONE, .x = "t", .y = "fly.z-0.1", .y_scale = 1e3}},
    .ntrace = 2,
    .expect = ch_s2_3,
    .nexpect = RH_COUNT(ch_s2_3),
};
