// limits.c: limits of the device ([CSC] section VI): forces cut or scaled, impulses
// spread over ticks, a device lighter than its tool, a weak one, a peg with the inertia of a
// uniform one.
#include "csc.h"

#include <string.h>

static const char *const rules[] = {"paper", "carry"};

// ---- limits

static void answer_planar(rh_json *json, const char *key, const double F[6])
{
  const double planar[3] = {F[0], F[1], F[5]};
  rh_json_numbers(json, key, planar, 3);
}

rh_status rh_csc_limits_case(const rh_ch_case *c, rh_json *json)
{
  enum { MOST = 8 };

  double F[3 * MOST];
  double given[3];
  double e = rh_ch_number(c, c->inputs, "e");
  (void)rh_ch_numbers(c, c->inputs, "limit", given, 3);
  const double limit[6] = {given[0], given[1], HUGE_VAL, HUGE_VAL, HUGE_VAL, given[2]};
  int n = rh_ch_numbers(c, c->inputs, "F_env", F, 3 * MOST) / 3;
  rh_json_open_array(json, "rows");
  for (int i = 0; i < n; i++) {
    const double full[6] = {F[3 * i], F[3 * i + 1], 0, 0, 0, F[3 * i + 2]};
    rh_limited cut = rh_haptic_limit(RH_LIMITS_SATURATE, limit, e, full);
    rh_limited scaled = rh_haptic_limit(RH_LIMITS_SCALE, limit, e, full);
    rh_limited spread = rh_haptic_limit(RH_LIMITS_SPREAD, limit, e, full);
    rh_json_open_object(json, NULL);
    rh_json_open_object(json, "saturate");
    answer_planar(json, "tool", cut.tool);
    answer_planar(json, "device", cut.device);
    rh_json_close(json);
    rh_json_open_object(json, "scale");
    rh_json_number(json, "alpha", scaled.alpha);
    answer_planar(json, "tool", scaled.tool);
    answer_planar(json, "device", scaled.device);
    rh_json_number(json, "e_eff", scaled.e_eff);
    rh_json_close(json);
    rh_json_string(json, "spread_next_state", spread.scaled ? "colliding" : "resting");
    rh_json_close(json);
  }
  rh_json_close(json);
  return RH_OK;
}

// ---- An impulse spread over ticks

enum { TRACE = 32 };

typedef struct spread_run {
  double v[TRACE]; // [m/s] of the tool after each colliding tick
  int n;
} spread_run;

static rh_status run_spread(double e, int rule, spread_run *run)
{
  rh_csc_world w;
  char text[RH_NAME_MAX];
  const char *const set[] = {text, rule == 0 ? "haptic.carry=no" : "haptic.carry=yes",
                             "haptic.limits=spread"};
  snprintf(text, sizeof text, "haptic.e=%.17g", e);
  *run = (spread_run){.n = 0};
  RH_TRY(rh_csc_open(&rh_csc_wall, set, RH_COUNT(set), NULL, &w));
  for (int k = 0; k < TRACE; k++) {
    rh_haptic_out out;
    rh_haptic_tick(w.h, w.d, NULL, &out);
    if (out.state != RH_STATE_COLLIDING) {
      break;
    }
    run->v[run->n++] = w.d->v[0];
  }
  rh_csc_close(&w);
  return RH_OK;
}

rh_status rh_csc_spread_case(const rh_ch_case *c, rh_json *json)
{
  double e[3];
  double v0 = rh_ch_number(c, c->inputs, "v0");
  int n = rh_ch_numbers(c, c->inputs, "e", e, 3);
  rh_json_open_array(json, "results");
  for (int i = 0; i < 2 * n; i++) {
    spread_run run;
    RH_TRY(run_spread(e[i / 2], i % 2, &run));
    double last = run.n > 0 ? run.v[run.n - 1] : v0;
    rh_json_open_object(json, NULL);
    rh_json_number(json, "e", e[i / 2]);
    rh_json_string(json, "rule", rules[i % 2]);
    rh_json_integer(json, "steps", run.n);
    rh_json_number(json, "v_final", last);
    rh_json_number(json, "e_effective", -last / v0);
    rh_json_number(json, "ke_ratio", last * last / (v0 * v0));
    rh_json_numbers(json, "trace", run.v, run.n);
    rh_json_close(json);
  }
  rh_json_close(json);
  return RH_OK;
}

// ---- A device of another mass

static rh_status device_speed(double ratio, double e, double *v)
{
  rh_csc_world w;
  rh_haptic_out out;
  char text[3][2 * RH_NAME_MAX];
  const char *const set[] = {text[0], text[1], text[2]};
  snprintf(text[0], sizeof *text, "device.mass=%.17g", 2 * ratio);
  snprintf(text[1], sizeof *text, "device.inertia=[%.17g,%.17g,%.17g,0,0,0]", 0.01 * ratio,
           0.01 * ratio, 0.01 * ratio);
  snprintf(text[2], sizeof *text, "haptic.e=%.17g", e);
  RH_TRY(rh_csc_open(&rh_csc_wall, set, 3, NULL, &w));
  rh_haptic_tick(w.h, w.d, NULL, &out);
  *v = w.d->v[w.m->body[w.m->haptic.device].vadr];
  rh_csc_close(&w);
  return RH_OK;
}

rh_status rh_csc_ratio(const rh_ch_case *c, rh_json *json)
{
  double e[3];
  double ratio[5];
  double v0 = rh_ch_number(c, c->inputs, "v0");
  int n = rh_ch_numbers(c, c->inputs, "e", e, 3);
  int m = rh_ch_numbers(c, c->inputs, "device_over_tool_mass", ratio, 5);
  rh_json_open_array(json, "results");
  for (int i = 0; i < n * m; i++) {
    double v = 0;
    RH_TRY(device_speed(ratio[i % m], e[i / m], &v));
    rh_json_open_object(json, NULL);
    rh_json_number(json, "e", e[i / m]);
    rh_json_number(json, "ratio", ratio[i % m]);
    rh_json_number(json, "v", v);
    rh_json_number(json, "ke_ratio", v * v / (v0 * v0));
    rh_json_close(json);
  }
  rh_json_close(json);
  return RH_OK;
}

// ---- A weak device, e = -1, a uniform peg

enum { WEAK, WEAK_BOTH, NONE, NONE_BOTH, PENALTY, UNIFORM };

#define UNIFORM_INERTIA "inertia=[9.1875e-05,9.1875e-05,9.1875e-05,0,0,0]" // m/12 (l1^2 + l2^2)

rh_status rh_find_csc_limits(rh_redone *redone)
{
  rh_csc_ask ask[] = {rh_csc_asked("1 N, exclusive", "iapb", "spread"),
                      rh_csc_asked("1 N, penalties in collisions too", "iapb", "spread"),
                      rh_csc_asked("e = -1, exclusive", "iapb", "none"),
                      rh_csc_asked("e = -1, penalties in collisions too", "iapb", "none"),
                      rh_csc_asked("PB", "pb", "none"),
                      rh_csc_asked("uniform peg", "cb-uc", "none")};
  double rms = 0;
  ask[WEAK].set[0] = ask[WEAK_BOTH].set[0] = "haptic.limit=[1,1]";
  ask[WEAK_BOTH].set[1] = ask[NONE_BOTH].set[0] = "haptic.both=yes";
  ask[NONE].e = ask[NONE_BOTH].e = -1;
  ask[UNIFORM].set[0] = "tool." UNIFORM_INERTIA;
  ask[UNIFORM].set[1] = "device." UNIFORM_INERTIA;
  RH_TRY(rh_csc_keep(redone, ask, RH_COUNT(ask)));
  const rh_csc_run *run = ((const rh_csc_set *)redone->kept)->run;
  RH_TRY(rh_redone_number(redone, ask[WEAK].label, "penetration of the tool [mm]",
                          1e3 * run[WEAK].r.pen_tool));
  RH_TRY(rh_redone_number(redone, ask[WEAK_BOTH].label, "penetration of the tool [mm]",
                          1e3 * run[WEAK_BOTH].r.pen_tool));
  RH_TRY(rh_csc_rms(&run[NONE_BOTH], &run[PENALTY], &rms));
  RH_TRY(rh_redone_number(redone, ask[NONE_BOTH].label, "rms to PB [mm]", 1e3 * rms));
  RH_TRY(rh_csc_rms(&run[NONE], &run[PENALTY], &rms));
  RH_TRY(
      rh_redone_claim(redone, ask[NONE].label, "is penalty-based (within 1 um rms)", rms < 1e-6));
  RH_TRY(rh_redone_number(redone, ask[UNIFORM].label, "B dt / I of the coupler, stable below 2",
                          0.125 / RH_CSC_RATE / 9.1875e-05));
  return rh_redone_claim(redone, ask[UNIFORM].label, "the coupler gives no energy to the hand",
                         run[UNIFORM].r.returned <= 0);
}

// ---- Its picture

static void draw_spread(FILE *to)
{
  static const double e[] = {0, 0.5, 1};
  static const char *const color[] = {"#000000", "#0072B2", "#D55E00"};
  rh_ch_panel(to, 0, 0, 0.34, 0.93, "spread: 2 kg, 15 N");
  for (int i = 0; i < 2 * RH_COUNT(e); i++) {
    spread_run run = {.n = 0};
    (void)run_spread(e[i / 2], i % 2, &run);
    fprintf(to, "$s%d << end\n0 -0.1\n", i);
    for (int k = 0; k < run.n; k++) {
      fprintf(to, "%d %.9g\n", k + 1, run.v[k]);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'tick'\nset ylabel 'speed away from the wall [m/s]'\nset yrange "
        "[-0.11:0.19]\nset xrange [0:15]\nset key inside top left vertical Left reverse samplen "
        "1.5 font ',10'\nset "
        "xzeroaxis lt 1 lw 0.6 dt solid lc rgb '#808080'\nplot ",
        to);
  for (int i = 2 * RH_COUNT(e) - 1; i >= 0; i--) { // the longest first: they share one path
    if (i != 1) {                                  // e = 0: both are the same
      bool kept = i % 2 > 0;
      fprintf(to, "%s$s%d with linespoints lw 1.2 dt %s lc rgb '%s' pt %d ps %s title 'e = %g%s'",
              i < 2 * RH_COUNT(e) - 1 ? ", " : "", i, kept ? "solid" : "2", color[i / 2],
              kept ? 7 : 6,
              kept     ? "0.6"
              : i == 2 ? "1.7"
                       : "1.1",
              e[i / 2],
              i == 0 ? ""
              : kept ? ", kept"
                     : ", evaluated anew");
    }
  }
  fputc('\n', to);
}

static void draw_ratio(FILE *to)
{
  static const double e[] = {0, 0.5, 1};
  rh_ch_panel(to, 0.34, 0, 0.32, 0.93, "a lighter or heavier device");
  for (int i = 0; i < RH_COUNT(e); i++) {
    fprintf(to, "$m%d << end\n", i);
    for (int k = 0; k <= 36; k++) {
      double ratio = 0.2 + 0.05 * k;
      double v = 0;
      (void)device_speed(ratio, e[i], &v);
      fprintf(to, "%.9g %.9g\n", ratio, v * v / 0.01);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'mass of the device / of the tool'\nset ylabel 'its energy after / "
        "before'\nset yrange [0:4]\nset xrange [0.2:2]\nset xtics 0.5,0.5\nset key inside top "
        "right vertical\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(e); i++) {
    fprintf(to, "$m%d with lines lt %d title 'e = %g', ", i, i + 1, e[i]);
  }
  fputs("1 with lines lw 1.2 dt 2 lc rgb '#606060' title 'passive below'\n", to);
}

// [mm] depth of a corner of the peg
static double depth_of(const double at[3])
{
  double deepest = 0;
  for (int i = 0; i < 4; i++) {
    double x = i % 2 == 0 ? 0.0105 : -0.0105;
    double y = i / 2 == 0 ? 0.00525 : -0.00525;
    deepest = fmax(deepest, -(at[0] + rh_cos(at[2]) * x - rh_sin(at[2]) * y));
    deepest = fmax(deepest, at[1] + rh_sin(at[2]) * x + rh_cos(at[2]) * y);
  }
  return 1e3 * deepest;
}

static void draw_weak(FILE *to, const rh_csc_set *set)
{
  static const int shown[] = {WEAK, WEAK_BOTH, PENALTY};
  rh_ch_panel(to, 0.66, 0, 0.34, 0.93, "a device of 1 N");
  for (int i = 0; i < RH_COUNT(shown); i++) {
    const rh_csc_run *run = &set->run[shown[i]];
    fprintf(to, "$d%d << end\n", i);
    for (int k = 0; k < run->n; k += 4) {
      fprintf(to, "%.9g %.9g\n", (k + 1.0) / RH_CSC_RATE, depth_of(run->tool[k]));
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'time [s]'\nset ylabel 'depth of the tool [mm]'\nset xrange [0:6]\nset yrange "
        "[0:28]\nset "
        "key inside top right vertical samplen 1.5 font ',10'\nplot $d0 with lines lt 1 title "
        "'impulse or penalty', $d1 "
        "with lines lt 2 title 'impulse and penalty', $d2 with lines lt 3 title 'penalty only, no "
        "limit'\n",
        to);
}

void rh_draw_csc_limits(FILE *to, const rh_redone *redone)
{
  draw_spread(to);
  draw_ratio(to);
  draw_weak(to, redone->kept);
  fputs("set key samplen 4 font ',11'\n", to);
}
