// control.c: [Ch] ch. 4: computed torque; pictures of the paths of the feet and of inverse kinematics.
#include "ch.h"

#include "control/control.h"

#include <string.h>

static const rh_scene_text arm = RH_SCENE_TEXT(ch, arm);

enum { ARM = 2 };

// ---- Computed torque

typedef struct steered {
  rh_data *d;
  double kp, kv;
  double y[2 * ARM]; // q, v
} steered;

static void wanted_motion(double t, double q[ARM], double v[ARM], double a[ARM])
{
  q[0] = 0.5 * rh_sin(t);
  v[0] = 0.5 * rh_cos(t);
  a[0] = -0.5 * rh_sin(t);
  q[1] = 0.3 + 0.4 * rh_cos(2 * t);
  v[1] = -0.8 * rh_sin(2 * t);
  a[1] = -1.6 * rh_cos(2 * t);
}

static void arm_torques(steered *s, double t, const double *y, double tau[ARM])
{
  double q[ARM];
  double v[ARM];
  double a[ARM];
  double asked[ARM];
  wanted_motion(t, q, v, a);
  memcpy(s->d->q, y, ARM * sizeof *y);
  memcpy(s->d->v, y + ARM, ARM * sizeof *y);
  rh_kinematics(s->d);
  rh_computed_torque(s->d, &(rh_trajectory){q, v, a, s->kp, s->kv}, asked, tau);
}

static void arm_rates(steered *s, double t, const double *y, double *dy)
{
  double tau[ARM];
  arm_torques(s, t, y, tau);
  memcpy(dy, y + ARM, ARM * sizeof *y);
  rh_aba(s->d, tau, dy + ARM);
}

// The classical Runge-Kutta method of order 4
static void step_rk4(steered *s, double t, double h)
{
  static const double at[] = {0, 0.5, 0.5, 1};
  static const double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[2 * ARM] = {0};
  double sum[2 * ARM] = {0};
  for (int stage = 0; stage < 4; stage++) {
    double trial[2 * ARM];
    for (int i = 0; i < 2 * ARM; i++) {
      trial[i] = s->y[i] + at[stage] * h * k[i];
    }
    arm_rates(s, t + at[stage] * h, trial, k);
    for (int i = 0; i < 2 * ARM; i++) {
      sum[i] += weight[stage] * k[i];
    }
  }
  for (int i = 0; i < 2 * ARM; i++) {
    s->y[i] += h * sum[i];
  }
}

static rh_status open_arm(const rh_ch_case *c, rh_model **model, steered *s)
{
  *s = (steered){.kp = rh_ch_number(c, c->inputs, "kp"), .kv = rh_ch_number(c, c->inputs, "kv")};
  RH_TRY(rh_ch_model(&arm, NULL, 0, false, model));
  s->d = rh_data_create(*model);
  (void)rh_ch_numbers(c, c->inputs, "q", s->y, ARM);
  (void)rh_ch_numbers(c, c->inputs, "qd", s->y + ARM, ARM);
  return s->d != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

static void errors_of(const steered *s, double t, double error[ARM])
{
  double q[ARM];
  double v[ARM];
  double a[ARM];
  wanted_motion(t, q, v, a);
  error[0] = q[0] - s->y[0];
  error[1] = q[1] - s->y[1];
}

// Steps of 1 ms: (kv h)^5 / 120 each
rh_status rh_ch_torque(const rh_ch_case *c, rh_json *json)
{
  rh_model *model = NULL;
  steered s;
  double tau[ARM];
  double error[ARM];
  rh_status status = open_arm(c, &model, &s);
  if (status == RH_OK) {
    int made = 0;
    arm_torques(&s, 0, s.y, tau);
    rh_json_numbers(json, "torque_at_0", tau, ARM);
    rh_json_open_array(json, "samples");
    for (int i = 0; rh_ch_item(c, c->expected, "samples", i) != RH_NONE; i++) {
      double t = rh_ch_number(c, rh_ch_item(c, c->expected, "samples", i), "t");
      for (; made < (int)lround(1000 * t); made++) {
        step_rk4(&s, 0.001 * made, 0.001);
      }
      errors_of(&s, t, error);
      arm_torques(&s, t, s.y, tau);
      rh_json_open_object(json, NULL);
      rh_json_number(json, "t", t);
      rh_json_numbers(json, "error", error, ARM);
      rh_json_numbers(json, "torque", tau, ARM);
      rh_json_close(json);
    }
    rh_json_close(json);
  }
  rh_data_destroy(s.d);
  rh_model_destroy(model);
  return status;
}

// ---- Pictures

void rh_draw_ch_torque(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"computed_torque-01", "computed_torque-02"};
  static const char *const title[] = {"kp = 25 1/s^2, kv = 2 sqrt(kp)", "kp = 100 1/s^2"};
  for (int i = 0; i < RH_COUNT(id); i++) {
    rh_yaml tree = {0};
    rh_ch_case c;
    rh_model *model = NULL;
    steered s = {0};
    rh_ch_panel(to, 0.5 * i, 0, 0.5, 0.93, title[i]);
    if (rh_ch_open(&redone->figure->scene, id[i], &tree, &c) == RH_OK &&
        open_arm(&c, &model, &s) == RH_OK) {
      fputs("$error << end\n", to);
      for (int k = 0; k <= 1000; k++) {
        double error[ARM];
        errors_of(&s, 0.001 * k, error);
        fprintf(to, "%.4g %.9g %.9g\n", 0.001 * k, error[0], error[1]);
        step_rk4(&s, 0.001 * k, 0.001);
      }
      fputs("end\n$samples << end\n", to);
      for (int k = 0; rh_ch_item(&c, c.expected, "samples", k) != RH_NONE; k++) {
        double error[ARM];
        int at = rh_ch_item(&c, c.expected, "samples", k);
        (void)rh_ch_numbers(&c, at, "error", error, ARM);
        fprintf(to, "%.9g %.9g %.9g\n", rh_ch_number(&c, at, "t"), error[0], error[1]);
      }
      fputs("end\nset xlabel 'time [s]'\nset ylabel 'error [rad]'\nset xzeroaxis lt 1 lw 0.6 lc "
            "rgb '#b0b0b0'\nset key inside "
            "top right vertical\nset offsets 0,0,graph 0.05,graph 0.05\nplot $error using 1:2 with "
            "lines lt 1 title 'shoulder', $error "
            "using 1:3 with lines lt 2 title 'elbow', $samples using 1:2 with points pt 6 lc rgb "
            "'black' title "
            "'reference', $samples using 1:3 with points pt 6 lc rgb 'black' notitle\n",
            to);
    }
    rh_data_destroy(s.d);
    rh_model_destroy(model);
    rh_yaml_free(&tree);
  }
}

// The cubic of eq. 4.1 as printed, which takes t - t_i for t - t_i over the duration
static double printed_cubic(double t, double from, double to)
{
  return from + (to - from) * t * t * (3 - 2 * t);
}

static void put_walk(FILE *to, const rh_ch_case *c)
{
  enum { SAMPLES = 32 };

  const rh_walk walk = {.duration = rh_ch_number(c, c->inputs, "duration"),
                        .stride = rh_ch_number(c, c->inputs, "stride"),
                        .height = rh_ch_number(c, c->inputs, "height")};
  int step = 0;
  fputs("$walk << end\n", to);
  for (int k = 0; k <= 800; k++) {
    double t = 0.005 * k;
    rh_walk_at at;
    rh_walk_plan(&walk, t, &at);
    double began = at.step * walk.duration;
    int f = at.swinging == 0 ? 0 : 1;
    double from = rh_walk_stand(&walk, f, at.step);
    double to_x = rh_walk_stand(&walk, f, at.step + 1);
    if (at.step != step) {
      fputs("\n", to); // printed: a new curve each step
      step = at.step;
    }
    fprintf(to, "%.4g %.9g %.9g %.9g %.9g %.9g %.9g\n", t, at.foot[0][0].x, at.foot[1][0].x,
            at.com.x, at.foot[0][1].x, at.foot[1][1].x, printed_cubic(t - began, from, to_x));
  }
  fputs("end\n$samples << end\n", to);
  double t[SAMPLES];
  double x[2 * SAMPLES];
  double z[2 * SAMPLES];
  double com[SAMPLES];
  int n = rh_ch_numbers(c, c->inputs, "times", t, SAMPLES);
  (void)rh_ch_numbers(c, c->expected, "x", x, 2 * n);
  (void)rh_ch_numbers(c, c->expected, "z", z, 2 * n);
  (void)rh_ch_numbers(c, c->expected, "com_x", com, n);
  for (int k = 0; k < n; k++) {
    fprintf(to, "%.9g %.9g %.9g %.9g %.9g %.9g\n", t[k], x[2 * k], x[2 * k + 1], com[k], z[2 * k],
            z[2 * k + 1]);
  }
  fputs("end\n", to);
}

void rh_draw_ch_steps(FILE *to, const rh_redone *redone)
{
  rh_yaml tree = {0};
  rh_ch_case c;
  if (rh_ch_open(&redone->figure->scene, "walk_plan-01", &tree, &c) == RH_OK) {
    rh_ch_panel(to, 0, 0.42, 1, 0.52, "steps of 0.8 s, stride 0.3 m: along the way");
    put_walk(to, &c);
    fputs("set xlabel ''\nset xrange [0:4]\nset ylabel 'x [m]'\nset key outside below "
          "horizontal\nplot $walk using 1:7 with lines lw 2 dt 3 lc rgb "
          "'#707070' title 'swinging foot, eq. 4.1 as printed', $walk using 1:2 with lines lt 1 "
          "title 'left foot', $walk using 1:3 with lines lt 2 "
          "title 'right foot', $walk using 1:4 with lines lt 3 title 'centre of mass', $samples "
          "using 1:2 with points pt 6 lc rgb 'black' "
          "title 'reference', $samples using 1:3 with points pt 6 lc rgb 'black' notitle, $samples "
          "using 1:4 with points pt 6 lc rgb "
          "'black' notitle\n",
          to);
    rh_ch_panel(to, 0, 0, 1, 0.42, "heights");
    fputs("set xlabel 'time [s]'\nset xrange [0:4]\nset ylabel 'z [m]'\nunset key\nset yrange "
          "[0:0.06]\nplot $walk using 1:5 with lines lt 1, $walk using 1:6 "
          "with lines lt 2, $samples using 1:5 with points pt 6 lc rgb 'black', $samples using 1:6 "
          "with points pt 6 lc rgb 'black'\n",
          to);
  }
  rh_yaml_free(&tree);
}

void rh_draw_ch_ik(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"dls_ik-01", "dls_ik-02", "dls_ik-04", "dls_ik-05"};
  rh_ch_panel(to, 0, 0, 1, 0.93, "foot of Atlas: error (m and rad) after each pass");
  for (int i = 0; i < RH_COUNT(id); i++) {
    rh_yaml tree = {0};
    rh_ch_case c;
    if (rh_ch_open(&redone->figure->scene, id[i], &tree, &c) == RH_OK) {
      double error[6] = {0};
      int got = rh_redone_answer_node(redone, id[i], "error_norms");
      fprintf(to, "$e%d << end\n", i);
      for (int k = 0; rh_node_item(&redone->answer, got, k) != RH_NONE; k++) {
        fprintf(to, "%d %.9g\n", k,
                rh_node_number(&redone->answer, rh_node_item(&redone->answer, got, k)));
      }
      (void)rh_ch_numbers(&c, c.expected, "error_norms", error, 6);
      fprintf(to, "end\n$r%d << end\n", i);
      for (int k = 0; k < 6; k++) {
        fprintf(to, "%d %.9g\n", k, error[k]);
      }
      fprintf(to, "end\nlam%d = %.9g\n", i, rh_ch_number(&c, c.inputs, "damping"));
    }
    rh_yaml_free(&tree);
  }
  fputs("set logscale y\nset yrange [1e-13:1]\nset format y '%.0e'\nset xlabel 'pass'\nset ylabel "
        "'error'\nset key outside below horizontal\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(id); i++) {
    fprintf(to,
            "%s$e%d with lines lt %d title sprintf('%s, lam = %%g', lam%d), $r%d with points pt 6 "
            "lc rgb 'black' %s",
            i > 0 ? ", " : "", i, i + 1, id[i], i, i, i == 0 ? "title 'reference'" : "notitle");
  }
  fputs("\nunset format\n", to);
}

void rh_draw_ch_stand(FILE *to, const rh_redone *redone)
{
  rh_ch_put_differences(to, redone, 0, 1);
}
