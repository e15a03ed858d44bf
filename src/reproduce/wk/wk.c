// wk.c: figures of Wang and Kumar [WK] as rows: ch. 2, and rigid bodies against compliant
// ones. The report prints no numbers. Expected here: closed forms, and numbers derived
// independently, in the problem files.
#include "wk.h"
#include "problems/problem_painleve.h"

// clang-format off
#define NUMBER(RUN, NAME, UNIT, MEASURE, ...)                                                      \
  {.run = (RUN), .name = (NAME), .unit = (UNIT), .measure = (MEASURE), __VA_ARGS__}
// clang-format on

// ---- Fig. 2.1: the loop

// Bounces: t_1 = sqrt(2 h / g), then 2 e v / g and a half each time. Friction reduces the slip by
// 7/2 mu g per second, bouncing or not, since the ground carries the weight on average: it rolls
// from v / (7/2 mu g) on, with 5/7 v. Pushed at its centre by F a ball slips if 2/7 F > mu m g. The
// loss at the end of the bounces is rest_speed, 1e-6 m/s.
static const rh_number wk_2_1[] = {
    NUMBER(0, "impact 1", "s", rh_measure_event, .event = "impact", .which = 1,
           .want = 0.10096375546923045, .absolute = 1e-9),
    NUMBER(0, "impact 2", "s", rh_measure_event, .event = "impact", .which = 2,
           .want = 0.2019275109384609, .absolute = 1e-9),
    NUMBER(0, "impact 3", "s", rh_measure_event, .event = "impact", .which = 3,
           .want = 0.2524093886730761, .absolute = 1e-9),
    NUMBER(0, "impact 4", "s", rh_measure_event, .event = "impact", .which = 4,
           .want = 0.2776503275403837, .absolute = 1e-9),
    NUMBER(0, "speed after impact 4", "m/s", rh_measure_event_after, .event = "impact", .which = 4,
           .want = 0.061903402572071914, .absolute = 1e-9),
    NUMBER(0, "rolls from", "s", rh_measure_event, .event = "stick", .which = 1,
           .want = 0.8737439930100479, .absolute = 1e-6),
    NUMBER(0, "speed then", "m/s", rh_measure_at, .what = "ball.vx", .at = 0.95,
           .want = 2.142857142857143, .absolute = 1e-6),
    NUMBER(0, "slips from", "s", rh_measure_event, .event = "slip", .which = 1, .want = 1,
           .absolute = 1e-9),
    NUMBER(0, "rolls from", "s", rh_measure_event, .event = "stick", .which = 2,
           .want = 1.1747487986020098, .absolute = 1e-6),
    NUMBER(0, "speed then", "m/s", rh_measure_at, .what = "ball.vx", .at = 1.25,
           .want = 2.571428571428571, .absolute = 1e-6),
    NUMBER(0, "impact after the lift", "s", rh_measure_event, .event = "impact", .at = 1.2,
           .want = 1.5366025403784438, .absolute = 1e-9),
    NUMBER(0, "speed after it", "m/s", rh_measure_event_after, .event = "impact", .at = 1.2,
           .want = 0.4247854605562672, .absolute = 1e-9),
    NUMBER(0, "height at 2 s", "m", rh_measure_end, .what = "ball.z", .want = 0.1,
           .absolute = 1e-9),
};

const rh_figure rh_figure_wk_2_1 = {
    .paper = "wk",
    .label = "2.1",
    .title = "flow chart of simulation: the events of a thrown ball in their order",
    .note = "the chart is the loop of docs/concepts.md; the report shows no run of it",
    .story = true,
    .scene = RH_SCENE_TEXT(wk, loop),
    .run = {{.label = "thrown ball"}},
    .panel = {{.x = "time",
               .x_unit = "s",
               .y = "height",
               .y_unit = "mm",
               .y_lo = -1,
               .y_hi = 60,
               .key = "off"},
              {.x = "time", .x_unit = "s", .y = "speed", .y_unit = "m/s"}},
    .trace = {{.panel = 0, .run = 0, .x = "t", .y = "ball.z-0.1", .y_scale = 1e3},
              {.panel = 1, .run = 0, .label = "of the centre", .x = "t", .y = "ball.vx"},
              {.panel = 1, .run = 0, .label = "of rolling, r w", .x = "t", .y = "0.1*ball.wy"}},
    .ntrace = 3,
    .expect = wk_2_1,
    .nexpect = RH_COUNT(wk_2_1),
};

// ---- Sec. 2.1.2: dependent constraints

// Forces of the supports of a block, of least norm, and the minimum and maximum of each.
static void draw_supports(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"block_2", "block_4", "block_9"};
  static const char *const title[] = {"two supports: determined", "four supports: two are free",
                                      "nine supports: seven are free"};
  for (int i = 0; i < RH_COUNT(id); i++) {
    const double frame[4] = {i / 3.0, 0, 1 / 3.0, 0.93};
    int n = rh_redone_length(redone, id[i], "lambda_min_norm");
    rh_wk_panel(to, frame, title[i]);
    fprintf(to, "$range << end\n");
    for (int k = 0; k < n; k++) {
      fprintf(to, "%d %.17g %.17g %.17g\n", k + 1,
              rh_redone_answer(redone, id[i], "lambda_min_norm", k),
              rh_redone_cell(redone, id[i], "lambda_range", k, 0),
              rh_redone_cell(redone, id[i], "lambda_range", k, 1));
    }
    fprintf(to,
            "end\nset xrange [0.3:%d.7]\nset yrange [0:27]\nset xtics 1\nset xlabel 'support'\nset "
            "ylabel 'force [N]'\nset key inside top right vertical\n",
            n);
    fputs(
        "plot $range using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '#0072B2' title 'possible', "
        "$range using 1:2 with points pt 7 ps 1.2 lc rgb '#D55E00' title 'least norm'\n",
        to);
  }
}

static rh_status count_free(rh_redone *redone)
{
  static const char *const id[] = {"block_2", "block_4", "block_9", "table_4"};
  static const double free[] = {0, 2, 7, 1}; // contacts minus the rank of G
  for (int i = 0; i < RH_COUNT(id); i++) {
    RH_TRY(rh_redone_number(redone, id[i], "forces that are free",
                            rh_redone_answer(redone, id[i], "free", 0), free[i], 0));
  }
  return RH_OK;
}

const rh_figure rh_figure_wk_s2_1_2 = {
    .paper = "wk",
    .label = "s2.1.2",
    .title = "dependent constraints: the forces are free, what they do is not",
    .note = "the claim that G lambda and the accelerations are unique without friction holds",
    .problems = true,
    .scene = RH_SCENE_TEXT(wk, dependent),
    .more = count_free,
    .program = draw_supports,
    .height = 420,
};

// ---- Sec. 2.1.3: Painleve's rod

static void draw_map(FILE *to, double omega, const double frame[4])
{
  static const char *const color[] = {"#D55E00", "#d8d8d8", "#0072B2"};

  enum { COLUMNS = 60, ROWS = 50 };

  char title[RH_NAME_MAX];
  snprintf(title, sizeof title, "omega = %g rad/s", omega);
  rh_wk_panel(to, frame, title);
  for (int c = 0; c < 3; c++) {
    fprintf(to, "$class%d << end\n", c);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
      rh_rod rod = {.m = 1, .l = 1, .I = 1.0 / 3, .g = 9.81, .slip_sign = -1, .omega = omega};
      rod.theta = (i % COLUMNS + 0.5) * acos(0.0) / COLUMNS;
      int row = i / COLUMNS;
      rod.mu = (row + 0.5) * 3 / ROWS;
      if ((int)rh_rod_solve(&rod).cls == c) {
        fprintf(to, "%.6g %.6g\n", rod.theta * 90 / acos(0.0), rod.mu);
      }
    }
    fputs("0 -1\nend\n", to); // never empty
  }
  fputs("set xrange [0:90]\nset yrange [0:3]\nset xlabel 'angle of the rod [degrees]'\nset ylabel "
        "'mu'\nunset key\nset samples 400\nset label 'one motion' at 12,0.6 front\nset label 'p = "
        "0' at "
        "18,2.6 front\nset label 'mu = 4/3, tan = 2' at 63.4,1.15 center front\n",
        to);
  fputs(
      omega > 0
          ? "set label 'several' at 58,2.4 center front tc rgb 'white'\nset label 'none' at 33,2.7 "
            "center front tc rgb 'white'\n"
          : "set label 'none' at 58,2.4 center front tc rgb 'white'\n",
      to);
  fputs("plot ", to);
  for (int c = 0; c < 3; c++) {
    fprintf(to, "$class%d with points pt 5 ps 0.8 lc rgb '%s', ", c, color[c]);
  }
  fputs(
      "(1 + 3 * cos(x * pi / 180)**2) / (3 * sin(x * pi / 180) * cos(x * pi / 180)) with lines lt "
      "1, "
      "'+' using (63.434948822922):(4.0 / 3) every ::0::0 with points pt 6 ps 1.5 lw 2 lc black\n",
      to);
}

static void draw_painleve(FILE *to, const rh_redone *redone)
{
  (void)redone;
  const double left[4] = {0, 0, 0.5, 0.93};
  const double right[4] = {0.5, 0, 0.5, 0.93};
  draw_map(to, 0, left);
  draw_map(to, 4, right);
}

const rh_figure rh_figure_wk_s2_1_3 = {
    .paper = "wk",
    .label = "s2.1.3",
    .title = "inconsistencies: a rod slides on rough ground (Painleve); no motion, one, several",
    .problems = true,
    .scene = RH_SCENE_TEXT(wk, painleve),
    .program = draw_painleve,
    .height = 520,
};

// ---- Sec. 1.3 (3): rigid against compliant

// Rigid: [WK] eqs. 3.13* to 3.18* with e = 1. Slip stops at P_s = 0.8 with C = -0.2; then dC/dP =
// 1.6, and compression ends at P_c = 0.925. Newton C_f = 1; Poisson 1.6 P_c; Stronge sqrt(2 x 1.6
// W_c), W_c = 0.4925. Compliant: the same except for the rotation of the rod during contact, of
// order 1/sqrt(k).
// clang-format off
#define AFTER(RUN, C) \
  NUMBER(RUN, "speed after", "m/s", rh_measure_event_after, .event = "impact", .want = (C), .absolute = 1e-8)
#define SPRING(RUN, K) \
  NUMBER(RUN, "speed after (Stronge's)", "m/s", rh_measure_rebound, .want = 1.2553883861180173, .absolute = 1 / (K))
// clang-format on

static const rh_number wk_s1_3[] = {
    AFTER(0, 1),    AFTER(1, 1.48),     AFTER(2, 1.2553883861180173),
    SPRING(3, 1e2), SPRING(4, 3.162e2), SPRING(5, 1e3),
    SPRING(6, 1e4),
};

static rh_status find_order(rh_redone *redone)
{
  double want = redone->found[2].want;
  double coarse = fabs(redone->found[5].got - want);
  double fine = fabs(redone->found[6].got - want);
  return rh_redone_number(redone, "springs", "order: difference ~ k to the power", // two decades
                          log10(fine / coarse) / 2, -0.5, 1e-3);
}

const rh_figure rh_figure_wk_s1_3 = {
    .paper = "wk",
    .label = "s1.3",
    .title = "rigid against compliant: the end of a rod strikes the ground, e = 1",
    .note =
        "undamped springs of growing stiffness tend to Stronge's answer, not to Newton's or "
        "Poisson's: e = 1 says nothing is lost along the normal, and only Stronge's e says that",
    .scene = RH_SCENE_TEXT(wk, rigid),
    .run =
        {
            {.label = "newton", .set = {"ground.law=newton"}},
            {.label = "poisson", .set = {"ground.law=poisson"}},
            {.label = "stronge", .set = {"ground.law=stronge"}},
            {.label = "k = 1e4 N/m", .set = {"ground.k=1e4"}, .scene = RH_SCENE_TEXT(wk, soft)},
            {.label = "k = 1e5 N/m", .set = {"ground.k=1e5"}, .scene = RH_SCENE_TEXT(wk, soft)},
            {.label = "k = 1e6 N/m",
             .set = {"ground.k=1e6", "run.until=1e-2"},
             .scene = RH_SCENE_TEXT(wk, soft)},
            {.label = "k = 1e8 N/m",
             .set = {"ground.k=1e8", "run.until=1e-3", "record.every=2e-6"},
             .scene = RH_SCENE_TEXT(wk, soft)},
        },
    .panel = {{.x = "time",
               .x_unit = "ms",
               .x_lo = 0.02,
               .x_hi = 30,
               .log_x = true,
               .y = "normal velocity of the end",
               .y_unit = "m/s",
               .key = "outside right top vertical Left reverse"},
              {.x = "time",
               .x_unit = "ms",
               .x_lo = 0.02,
               .x_hi = 30,
               .log_x = true,
               .y = "tangential velocity",
               .y_unit = "m/s",
               .key = "off"}},
    .trace = {{.panel = 0,
               .run = RH_NONE,
               .x = "t",
               .y = "rod.vz+0.3535533905932738*rod.wy",
               .x_scale = 1e3},
              {.panel = 1,
               .run = RH_NONE,
               .x = "t",
               .y = "rod.vx-0.3535533905932738*rod.wy",
               .x_scale = 1e3}},
    .ntrace = 2,
    .expect = wk_s1_3,
    .nexpect = RH_COUNT(wk_s1_3),
    .more = find_order,
};
