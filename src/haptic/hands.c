// hands.c: whose hand holds the device: the rows, and their table.
#include "base/table.h"
#include "step.h"

#include <math.h>

// ---- `force`: A hand that pushes and twists with the scene's wrench, at the grip.

static void add_scene_wrench(rh_tick *t, int body)
{
  rh_haptic_hand_pull(t, body, t->h->m->haptic.hand_force);
}

static const rh_haptic_hand rh_haptic_hand_force = {
    .row = {.name = "force", .cite = "[CSC] VI", .doc = "a constant force: push and twist"},
    .wrench = add_scene_wrench,
};

// ---- `trace`: A recorded force at the grip: rows of t, fx, fy, fz, tx, ty, tz.

static void add_recorded_wrench(rh_tick *t, int body)
{
  double w[RH_TRACE_WRENCH - 1];
  rh_haptic_trace_value(t, RH_TRACE_WRENCH, w);
  rh_haptic_hand_pull(t, body, w);
}

static const rh_haptic_hand rh_haptic_hand_trace = {
    .row = {.name = "trace", .cite = "", .doc = "a recorded force: trace_file, or trace"},
    .width = RH_TRACE_WRENCH,
    .needs_trace = true,
    .wrench = add_recorded_wrench,
};

// ---- `spring`: A hand that is a spring and a damper (haptic.hand_spring) to its target pose, with a force added.

// Target pose of a hand that is a spring: by its trace, or the device's pose at the start.
static void wanted_place(const rh_tick *t, rh_vec3 *p, rh_mat3 *R)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  if (k->ntrace > 0) {
    double x[RH_TRACE_POSE - 1];
    rh_haptic_trace_value(t, RH_TRACE_POSE, x);
    *p = rh_v3(x[0], x[1], x[2]);
    rh_quat q = {x[3], x[4], x[5], x[6]};
    *R = rh_quat_norm(q) > 0 ? rh_quat_matrix(q) : rh_mat3_identity();
    return;
  }
  *p = t->h->home_p;
  *R = t->h->home_R;
}

static void add_spring_wrench(rh_tick *t, int body)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  const rh_kin_body *b = &t->d->kin[body];
  const double *gain = k->hand_spring;
  rh_vec3 p;
  rh_mat3 R;
  wanted_place(t, &p, &R);
  rh_force f = {rh_scale(gain[2], rh_rotation_between(&b->R, &R)),
                rh_scale(gain[0], rh_sub(p, b->p))};
  f.ang = rh_addscaled(f.ang, -gain[3], b->v.ang);
  f.lin = rh_addscaled(f.lin, -gain[1], b->v.lin);
  rh_wrench_add(t->hand, f);
  rh_haptic_hand_pull(t, body, k->hand_force);
}

static const rh_haptic_hand rh_haptic_hand_spring = {
    .row = {.name = "spring",
            .cite = "",
            .doc = "a spring and damper to its target: the poses of a trace, or its start"},
    .width = RH_TRACE_POSE,
    .needs_spring = true,
    .wrench = add_spring_wrench,
};

// ---- `random`: Pushes and twists at random: every `change` seconds another wrench is drawn, each component
// uniform between -1 and 1 of `push` and `twist`, and the force goes from one to the next in straight
// lines, from zero on.

static const rh_param random_param[] = {
    {"seed", "1", 1, 0, 1e9, "of the random numbers", RH_NUMBER, 0, NULL, false},
    {"change", "s", 0.25, 1e-3, 1e6, "time from one wrench to the next", RH_NUMBER, 0, NULL, false},
};

// Number i of the sequence, in [-1, 1): splitmix64
static double drawn_number(double seed, uint64_t i)
{
  uint64_t x = (uint64_t)seed * 0xD1342543DE82EF95u + (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

static void add_random_wrench(rh_tick *t, int body)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  double phase = *t->d->t / k->hand_par[1];
  double part = phase - floor(phase);
  uint64_t row = (uint64_t)floor(phase);
  double w[6];
  for (uint64_t i = 0; i < 6; i++) {
    double from = row > 0 ? drawn_number(k->hand_par[0], 6 * row + i) : 0;
    double to = drawn_number(k->hand_par[0], 6 * (row + 1) + i);
    w[i] = k->hand_force[i] * (from + part * (to - from));
  }
  rh_haptic_hand_pull(t, body, w);
}

static const rh_haptic_hand rh_haptic_hand_random = {
    .row = {"random", "", "pushes and twists at random, up to push and twist", random_param,
            RH_COUNT(random_param)},
    .wrench = add_random_wrench,
};

// ---- `live`: A hand from outside (rh_hand_in): without input it does nothing.

static const rh_haptic_hand rh_haptic_hand_live = {
    .row = {.name = "live", .cite = "", .doc = "from outside: a device, a mouse, another program"},
};

// ---- The table, from hands.def

static const rh_haptic_hand *const table[] = {
#define RH_HAPTIC_HAND(name) &rh_haptic_hand_##name,
#include "hands.def"
#undef RH_HAPTIC_HAND
};

RH_ROW_TABLE(haptic_hand)
