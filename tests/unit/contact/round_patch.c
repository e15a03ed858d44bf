// unit_round_patch.c: friction in the cells of a round contact: stiffness, limits, spin torque, rolling, coupling, power; and the law in
// the loop.
#include "halfspace/round_patch.h"
#include "halfspace/profiles.h"
#include "laws.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

enum { CELLS = RH_ROUND_CELLS, STATES = 2 * CELLS };

static const double A = 5e-4;
static const double G = 0.4e9;

typedef struct rig {
  rh_round_motion in;
  double w[STATES];
  double at[CELLS][2]; // places of the cells [m]
} rig;

// Two equal bodies, G = 0.4 GPa, nu = 0.25; cells in the order of rows
static rig rig_of(double mu)
{
  rig r = {.in = {.pair = rh_elastic_pair_of((double[]){1e9, 1e9}, (double[]){0.25, 0.25}),
                  .mu = mu,
                  .normal = 10,
                  .a = A}};
  double h = A * sqrt(PI / CELLS);
  int n = 0;
  for (int j = -7; j < 8; j += 2) {
    for (int i = -7; i < 8; i += 2) {
      if (i * i + j * j < 64) {
        r.at[n][0] = 0.5 * i * h;
        r.at[n++][1] = 0.5 * j * h;
      }
    }
  }
  ck_assert_int_eq(n, CELLS);
  return r;
}

static rh_round_forces forces_of(rig *r)
{
  rh_round_forces f;
  r->in.w = r->w;
  ck_assert(rh_round_friction(&r->in, &f));
  return f;
}

// By the midpoint rule
static rh_round_forces go_on(rig *r, double time, int steps)
{
  double dt = time / steps;
  for (int s = 0; s < steps; s++) {
    double from[STATES];
    memcpy(from, r->w, sizeof from);
    rh_round_forces f = forces_of(r);
    for (int i = 0; i < STATES; i++) {
      r->w[i] = from[i] + 0.5 * dt * f.rate[i];
    }
    f = forces_of(r);
    for (int i = 0; i < STATES; i++) {
      r->w[i] = from[i] + dt * f.rate[i];
    }
  }
  return forces_of(r);
}

// 8 G* a of a shift (Mindlin), 8/3 G a^3 of a turn of two equal bodies. Cells at the rim are a quarter of a wide, and the traction grows
// without bound there: 4 %, of a turn, where the rim counts most, 10 %.
START_TEST(stiffness)
{
  rig r = rig_of(1e6);
  for (int i = 0; i < CELLS; i++) {
    r.w[2 * i] = 1e-7;
  }
  double Gstar = G / (2 * 1.75);
  near_rel(forces_of(&r).force[0], -8 * Gstar * A * 1e-7, 0.04);
  near_abs(forces_of(&r).force[1], 0, 1e-12);
  near_abs(forces_of(&r).torque, 0, 1e-15);
  for (int i = 0; i < CELLS; i++) {
    r.w[2 * i] = -1e-4 * r.at[i][1];
    r.w[2 * i + 1] = 1e-4 * r.at[i][0];
  }
  near_rel(forces_of(&r).torque, -8.0 / 3 * G * A * A * A * 1e-4, 0.1);
}

END_TEST

// Far beyond the limit all cells slip: mu N against the shift, 3 pi/16 mu N a against the spin; the same in all with nonlocal friction.
START_TEST(limits)
{
  for (int k = 0; k < 2; k++) {
    rig r = rig_of(0.3);
    r.in.rho = k * 2e-4;
    r.in.slip[0] = -1;
    r.in.relax = 1e5;
    rh_round_forces f = go_on(&r, 1e-3, 400);
    near_rel(f.force[0], 0.3 * 10, 1e-9);
    ck_assert(f.margin < 0);
    near_rel(f.p_slide, 3, 1e-3);
  }
  rig r = rig_of(0.3);
  r.in.spin = 2;
  r.in.relax = 1e3;
  near_rel(go_on(&r, 0.1, 400).torque, -3 * PI / 16 * 0.3 * 10 * A, 0.015);
}

END_TEST

// Shifted halfway to full slip: Q = mu N (1 - (1/2)^1.5)
START_TEST(partial_slip)
{
  rig r = rig_of(0.3);
  double full = 3 * 0.3 * 10 * 1.75 / (8 * G * A);
  r.in.slip[1] = 1e-3;
  r.in.relax = 5e4; // cells above the limit lag by 2e-8 m, 0.2 % of the shift of full slip
  rh_round_forces f = go_on(&r, 0.5 * full / 1e-3, 800);
  near_rel(f.force[1], -3 * (1 - pow(0.5, 1.5)), 0.02);
  ck_assert(f.margin > 0); // the middle sticks
}

END_TEST

// Kalker's coefficient of creep along the way, 4.12 at nu = 0.25: differences against the flow are of first order in h / a = 0.25.
START_TEST(rolling)
{
  rig r = rig_of(0.3);
  r.in.roll[0] = 1;
  r.in.slip[0] = 1e-4;
  r.in.relax = 1e2;
  rh_round_forces f = go_on(&r, 8 * A, 400);
  near_rel(f.force[0], -4.12 * G * A * A * 1e-4, 0.05);
  near_rel(f.p_lost, -f.force[0] * 1e-4, 0.01); // all leaves with the surface
}

END_TEST

START_TEST(power_is_shared_out)
{
  rng g = {9};
  for (int k = 0; k < 20; k++) {
    rig r = rig_of(0.3);
    for (int i = 0; i < STATES; i++) {
      r.w[i] = rng_in(&g, -1e-6, 1e-6);
    }
    r.in.pair.beta = rng_in(&g, -0.4, 0.4);
    r.in.slip[0] = rng_in(&g, -1, 1);
    r.in.slip[1] = rng_in(&g, -1, 1);
    r.in.spin = rng_in(&g, -9, 9);
    r.in.roll[0] = rng_in(&g, -1, 1);
    r.in.growth = rng_in(&g, -1, 1);
    r.in.relax = 1e4;
    rh_round_forces f = forces_of(&r);
    double power = -f.force[0] * r.in.slip[0] - f.force[1] * r.in.slip[1] - f.torque * r.in.spin;
    near_abs(f.p_spring + f.p_lost + f.p_slide, power, 1e-12 * (1 + fabs(f.p_lost)));
    ck_assert(f.p_slide >= 0 && f.stored >= 0);
    ck_assert(hypot(f.force[0], f.force[1]) <= 3 * (1 + 1e-12));
  }
}

END_TEST

// Turned by a right angle, all turns with it.
START_TEST(frame_does_not_matter)
{
  rng g = {4};
  rig r = rig_of(0.3);
  rig t = rig_of(0.3);
  r.in.pair.beta = t.in.pair.beta = 0.2;
  for (int i = 0; i < STATES; i++) {
    r.w[i] = rng_in(&g, -1e-6, 1e-6);
  }
  for (int i = 0; i < CELLS; i++) {
    for (int j = 0; j < CELLS; j++) {
      bool image = fabs(t.at[j][0] + r.at[i][1]) + fabs(t.at[j][1] - r.at[i][0]) < 1e-9;
      t.w[2 * j] = image ? -r.w[2 * i + 1] : t.w[2 * j];
      t.w[2 * j + 1] = image ? r.w[2 * i] : t.w[2 * j + 1];
    }
  }
  r.in.roll[0] = t.in.roll[1] = 1;
  r.in.spin = t.in.spin = 3;
  rh_round_forces f = forces_of(&r);
  rh_round_forces q = forces_of(&t);
  near_rel(q.force[0], -f.force[1], 1e-9);
  near_rel(q.force[1], f.force[0], 1e-9);
  near_rel(q.torque, f.torque, 1e-9);
  near_rel(q.p_lost, f.p_lost, 1e-9);
}

END_TEST

// A growing normal load alone: between unlike bodies the surface is drawn inwards and held by friction, in the middle at all
// loads; the part that sticks is Spence's to a cell. Equal bodies have no tractions.
START_TEST(coupling)
{
  for (int k = 0; k < 2; k++) {
    rig r = rig_of(0.1);
    r.in.pair.beta = k * 0.2;
    int steps = 600;
    double dt = 1.0 / steps;
    for (int s = 0; s < steps; s++) { // a = A t, N = 10 t^3
      double t = 0.1 + 0.9 * s * dt;
      r.in.a = A * t;
      r.in.growth = A;
      r.in.normal = 10 * t * t * t;
      r.in.relax = 100 / t;
      (void)go_on(&r, 0.9 * dt, 1);
    }
    rh_round_forces f = forces_of(&r);
    near_abs(hypot(f.force[0], f.force[1]), 0, 1e-9);
    ck_assert(k == 0 ? f.stored < 1e-20 : f.stored > 1e-12);
    ck_assert(f.margin > 0);
  }
}

END_TEST

Suite *rh_suite_unit_round_patch(void)
{
  Suite *suite = suite_create("unit_round_patch");
  TCase *tests = tcase_create("cells");
  tcase_add_test(tests, stiffness);
  tcase_add_test(tests, limits);
  tcase_add_test(tests, partial_slip);
  tcase_add_test(tests, rolling);
  tcase_add_test(tests, power_is_shared_out);
  tcase_add_test(tests, frame_does_not_matter);
  tcase_add_test(tests, coupling);
  suite_add_tcase(suite, tests);
  return suite;
}
