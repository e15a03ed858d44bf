// unit_moreau_loop.c: loops, dry friction and limits of joints under the engine stepping, against closed forms and exact kinematics.
#include "world.h"

#include <stdlib.h>

static rh_sim *open_scene(const char *text, double dt, rh_model **model)
{
  char set[64];
  const char *all[2] = {set, "run.engine=stepping"};
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(set, sizeof set, "run.dt=%.17g", dt);
  rh_status status = rh_scene_parse(text, strlen(text), "s", all, 2, diag, &scene);
  say_messages(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  *model = model_of(scene);
  return sim_of(*model);
}

static void go_on(rh_sim *sim, double until)
{
  rh_status status = rh_sim_run(sim, until);
  ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(sim));
}

static double read_channel(rh_sim *sim, const rh_model *m, const char *name)
{
  rh_channels *c = rh_channels_create(m);
  int index = rh_channel_find(c, name);
  double value;
  ck_assert_msg(index != RH_NONE, "no channel %s", name);
  rh_channels_read(c, rh_sim_data(sim), &index, 1, &value);
  rh_channels_destroy(c);
  return value;
}

// ---- A pendulum: a bob on a rod without mass

// A bob with no inertia to speak of about its centre, which the rod does not turn anyway.
#define BOB                                                                                        \
  "bodies: [{name: bob, mass: 2, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}]\n"                         \
  "joints: [{kind: free, child: bob, q: [0.6, 0, -0.8, 1, 0, 0, 0]}]\n"                            \
  "loops: [{name: rod, kind: distance, body: bob, to_at: [0, 0, 0]}]\n"                            \
  "record: {every: 100}\n"

static double mean_of(double a, double b) // arithmetic-geometric
{
  for (int i = 0; i < 10; i++) {
    double x = 0.5 * (a + b);
    b = sqrt(a * b);
    a = x;
  }
  return a;
}

// Time of the n-th passage below, by the straight line through the steps before and after.
static double passage(const char *text, double dt, int n)
{
  rh_model *m;
  rh_sim *sim = open_scene(text, dt, &m);
  double last = rh_sim_view(sim)->q[0];
  double t = 0;
  for (int k = 0; n > 0; k++) {
    go_on(sim, (k + 1) * dt);
    double x = rh_sim_view(sim)->q[0];
    if ((x < 0) != (last < 0)) {
      n--;
      t = dt * (k + last / (last - x));
    }
    last = x;
  }
  finish(sim, m);
  return t;
}

// Period by Gauss: T = 2 pi sqrt(l/g) / agm(1, cos(amplitude/2)).
START_TEST(period_of_a_rod)
{
  double half = 0.5 * atan2(0.6, 0.8);
  double want = 2 * acos(-1.0) / sqrt(9.81) / mean_of(1, cos(half));
  double coarse = passage(BOB, 4e-3, 9) - passage(BOB, 4e-3, 1);
  double fine = passage(BOB, 2e-3, 9) - passage(BOB, 2e-3, 1);
  // Four periods. The error is of order two: it is c h^2, c = T (w/2)^2/6, about 0.4 s a s^2 for small swings.
  near_abs(coarse, 4 * want, 4 * 0.8 * 4e-3 * 4e-3 * 10);
  near_abs(fine, 4 * want, 4 * 0.8 * 2e-3 * 2e-3 * 10);
}

END_TEST

START_TEST(a_rod_pulls_as_it_must)
{
  rh_model *m;
  rh_sim *sim = open_scene(BOB, 1e-3, &m);
  double most = 0;
  double energy[2] = {0, 0};
  for (int k = 1; k <= 600; k++) {
    go_on(sim, 0.1 * k);
    const rh_data *d = rh_sim_view(sim);
    rh_vec3 r = rh_v3(d->q[0], d->q[1], d->q[2]);
    double speed = d->v[0] * d->v[0] + d->v[1] * d->v[1] + d->v[2] * d->v[2];
    double e = 2 * (0.5 * speed + 9.81 * r.z);
    energy[0] = k == 1 ? e : fmin(energy[0], e);
    energy[1] = k == 1 ? e : fmax(energy[1], e);
    most = fmax(most, fabs(rh_norm(r) - 1));
    double pull = 2 * (speed - 9.81 * r.z); // centripetal, and the weight along the rod
    rh_vec3 f = {read_channel(sim, m, "rod.fx"), 0, read_channel(sim, m, "rod.fz")};
    near_abs(-rh_dot(f, r), pull, 0.03 * pull + 0.1); // forces are means of a step: of order one
  }
  ck_assert_double_lt(most, 4e-6); // the bend of the way in a step: h^2 v^2/(2 l) = 2e-6, twice
  // The velocity is that of the middle of the step before: the energy read swings by h m g v/2 = 0.02 J, and does not drift.
  ck_assert_double_lt(energy[1] - energy[0], 0.05);
  near_abs(energy[1], -2 * 9.81 * 0.8, 0.03);
  finish(sim, m);
}

END_TEST

// ---- Four bars: crank 0.4, coupler 1, rocker 0.8, ground 1.1; all turn about y

#define FOUR_BAR                                                                                   \
  "world: {gravity: [0, 0, 0]}\n"                                                                  \
  "bodies: [{name: crank, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]},"       \
  " {name: coupler, mass: 2, com: [0.5, 0, 0], inertia: [0.02, 0.2, 0.2, 0, 0, 0]},"               \
  " {name: rocker, mass: 1.5, com: [0.4, 0, 0], inertia: [0.02, 0.1, 0.1, 0, 0, 0]}]\n"            \
  "joints: [{kind: revolute, child: crank, axis: [0, -1, 0], v: [6]},"                             \
  " {kind: revolute, parent: crank, child: coupler, at: [0.4, 0, 0], axis: [0, -1, 0], q: "        \
  "[%.17g]},"                                                                                      \
  " {kind: revolute, child: rocker, at: [1.1, 0, 0], axis: [0, -1, 0], q: [%.17g]}]\n"             \
  "loops: [{name: pin, kind: %s, body: rocker, to: coupler, at: [0.8, 0, 0], to_at: [1, 0, 0]}]\n" \
  "record: {every: 100}\n"

typedef struct angles {
  double coupler, rocker; // of coupler and rocker against the ground
} angles;

// The pin is where a circle about the crank's end meets one about the rocker's bearing, above the line between them.
static angles four_bar(double crank)
{
  double x = 0.4 * cos(crank);
  double z = 0.4 * sin(crank);
  double dx = 1.1 - x;
  double dz = -z;
  double d = hypot(dx, dz);
  double along = (1 - 0.64 + d * d) / (2 * d);
  double up = sqrt(1 - along * along);
  double px = x + (along * dx - up * dz) / d;
  double pz = z + (along * dz + up * dx) / d;
  return (angles){atan2(pz - z, px - x), atan2(pz, px - 1.1)};
}

static double turned(double a, double b) // the angle between, without whole turns
{
  return fabs(remainder(a - b, 2 * acos(-1.0)));
}

static void check_four_bar(const char *kind, double dt, double allowed)
{
  char text[2048];
  rh_model *m;
  angles at = four_bar(0);
  (void)snprintf(text, sizeof text, FOUR_BAR, at.coupler, at.rocker, kind);
  rh_sim *sim = open_scene(text, dt, &m);
  double most = 0;
  double first = 0;
  double low = HUGE_VAL;
  double high = 0;
  for (int k = 1; k <= 300; k++) {
    go_on(sim, 0.02 * k);
    const double *q = rh_sim_view(sim)->q;
    angles want = four_bar(q[0]);
    most = fmax(most, turned(q[0] + q[1], want.coupler));
    most = fmax(most, turned(q[2], want.rocker));
    double e = rh_sim_ledger(sim).kinetic;
    first = k == 1 ? e : first;
    low = fmin(low, e);
    high = fmax(high, e);
  }
  ck_assert_msg(most <= allowed, "%s: angles differ by %g", kind, most);
  // No force but the pin's: the energy swings by what a step is, and stays.
  ck_assert_msg(high - low < 20 * dt * first, "%s: energy from %g to %g", kind, low, high);
  ck_assert_double_gt(rh_sim_view(sim)->q[0], 6.3); // it went round
  finish(sim, m);
}

// Angles of coupler and rocker by those of the crank; the gap that the bend leaves, w^2 l h^2/2 at w = 6 rad/s and more in the
// corners, over links of 1 m.
START_TEST(four_bar_linkage)
{
  check_four_bar("ball", 1e-3, 1e-4);
  check_four_bar("ball", 2.5e-4, 1e-4 / 16);
  check_four_bar("hinge, axis: [0, 1, 0]", 1e-3,
                 1e-4); // three rows more, which the joints keep already
}

END_TEST

// ---- A load of a ton on a chain of links of 1 kg: sweeps would take thousands, and Newton's method a few steps

START_TEST(a_ton_on_a_chain)
{
  enum { LINKS = 6 };

  char text[4096];
  int used = snprintf(
      text, sizeof text,
      "record: {every: 100}\nbodies: [{name: load, mass: 1000, inertia: [10, 10, 10, 0, 0, 0]}");
  for (int i = 0; i < LINKS; i++) {
    used += snprintf(text + used, sizeof text - (size_t)used,
                     ", {name: c%d, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}", i);
  }
  used +=
      snprintf(text + used, sizeof text - (size_t)used,
               "]\njoints: [{kind: free, child: load, q: [0, 0, %g, 1, 0, 0, 0]}", -0.2 * LINKS);
  for (int i = 0; i < LINKS; i++) {
    used += snprintf(text + used, sizeof text - (size_t)used,
                     ", {kind: free, child: c%d, q: [0, 0, %g, 1, 0, 0, 0]}", i, -0.1 - 0.2 * i);
  }
  used += snprintf(text + used, sizeof text - (size_t)used,
                   "]\nloops: [{name: top, kind: ball, body: c0, at: [0, 0, 0.1]}, {name: low, "
                   "kind: ball, body: load, to: c%d}",
                   LINKS - 1);
  for (int i = 1; i < LINKS; i++) {
    used += snprintf(text + used, sizeof text - (size_t)used,
                     ", {name: l%d, kind: ball, body: c%d, to: c%d, at: [0, 0, 0.1]}", i, i, i - 1);
  }
  (void)snprintf(text + used, sizeof text - (size_t)used, "]\n");
  rh_model *m;
  rh_sim *sim = open_scene(text, 2e-3, &m);
  go_on(sim, 0.5);
  near_rel(read_channel(sim, m, "top.fz"), (1000 + LINKS) * 9.81, 1e-6); // it hangs
  near_rel(read_channel(sim, m, "low.fz"), 1000 * 9.81, 1e-6);
  near_abs(read_channel(sim, m, "low.gap"), 0, 1e-9);
  near_abs(read_channel(sim, m, "load.z"), -0.2 * LINKS,
           1e-8); // velocities within 1e-6 m/s of a tolerance, and no drift
  finish(sim, m);
}

END_TEST

// ---- Two bodies that are welded are one

#define HALVES                                                                                     \
  "bodies: [{name: a, mass: 2, com: [0.3, 0, 0], inertia: [1, 1.5, 2, 0, 0, 0]},"                  \
  " {name: b, mass: 1, inertia: [0.5, 0.3, 0.4, 0, 0, 0]}]\n"

// b flies with a: its velocity is that of the place at which it is welded.
static const char welded[] = HALVES
    "joints: [{name: i, kind: free, child: a, v: [1, 0, 5, 1, 2, 0.5]},"
    " {name: j, kind: free, child: b, q: [0, 1, 0.5, 1, 0, 0, 0], v: [1.5, -0.5, 6, 1, 2, 0.5]}]\n"
    "loops: [{name: weld, kind: weld, body: a, to: b}]\nrecord: {every: 100}\n";
static const char whole[] =
    HALVES "joints: [{name: i, kind: free, child: a, v: [1, 0, 5, 1, 2, 0.5]},"
           " {name: j, kind: fixed, parent: a, child: b, at: [0, 1, 0.5]}]\nrecord: {every: 100}\n";

static double weld_error(double dt)
{
  rh_model *m[2];
  rh_sim *x = open_scene(welded, dt, &m[0]);
  rh_sim *y = open_scene(whole, 1e-4, &m[1]); // of order two: its error does not count
  rh_force before = rh_momentum((rh_kinematics(rh_sim_data(x)), rh_sim_data(x)));
  go_on(x, 1);
  go_on(y, 1);
  rh_data *d = rh_sim_data(x);
  rh_kinematics(d);
  rh_force after = rh_momentum(d);
  near_abs(after.lin.x - before.lin.x, 0, 1e-12);
  near_abs(after.lin.y - before.lin.y, 0, 1e-12);
  near_abs(after.lin.z - before.lin.z, -3 * 9.81, 1e-11);
  near_abs(read_channel(x, m[0], "weld.gap"), 0,
           10 * dt * dt); // w^2 r h^2, w = 2.3 rad/s, r = 1.1 m
  near_abs(read_channel(x, m[0], "weld.turn"), 0, 10 * dt * dt);
  double off = 0;
  for (int k = 0; k < 7; k++) {
    off = fmax(off, fabs(rh_sim_view(x)->q[k] - rh_sim_view(y)->q[k]));
  }
  finish(x, m[0]);
  finish(y, m[1]);
  return off;
}

START_TEST(welded_halves_are_one_body)
{
  double coarse = weld_error(4e-3);
  double fine = weld_error(1e-3);
  ck_assert_msg(coarse / fine > 3, "errors %g, %g", coarse, fine); // order one: 4
  ck_assert_double_lt(fine, 0.01);
}

END_TEST

// ---- Dry friction and limits

START_TEST(dry_friction_stops_where_coulomb_says)
{
  static const char text[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: a, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{kind: prismatic, child: a, axis: [1, 0, 0], v: [1.5], friction: 3, stiction: 5}]\n"
      "forces: [{name: pull, body: a, force: [4.9, 0, 0], from: 2}, {name: more, body: a, force: "
      "[0.2, 0, 0], from: 4}]\n"
      "record: {every: 100}\n";
  rh_model *m;
  rh_sim *sim = open_scene(text, 1e-2, &m);
  double way = 2 * 1.5 * 1.5 / (2 * 3);
  go_on(sim, 2);
  near_abs(rh_sim_view(sim)->q[0], way, 1e-4); // the step in which it stops is not cut: g h^2/8
  double stopped = rh_sim_view(sim)->q[0];
  ck_assert(rh_sim_view(sim)->v[0] == 0);
  go_on(sim, 4); // below the stiction: not by a bit
  ck_assert(rh_sim_view(sim)->q[0] == stopped && rh_sim_view(sim)->v[0] == 0);
  go_on(sim, 5); // above: it goes with what friction leaves, 5.1 - 3
  near_abs(rh_sim_view(sim)->v[0], 2.1 / 2, 1e-9);
  near_abs(rh_sim_view(sim)->q[0] - stopped, 0.5 * 2.1 / 2, 1e-9);
  finish(sim, m);
}

END_TEST

// A mass falls on its lower limit: heights e^2n, exact but for what the last step rounds off.
START_TEST(heights_of_bounces)
{
  static const char text[] =
      "bodies: [{name: a, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{kind: prismatic, child: a, axis: [0, 0, 1], q: [1], limits: [0, 3], bounce: %s}]\n"
      "record: {every: 100}\n";
  static const double step[] = {1e-2, 1e-3};
  char scene[400];
  for (int k = 0; k < 4; k++) {
    double e = k < 2 ? 0.5 : 1;
    (void)snprintf(scene, sizeof scene, text, k < 2 ? "0.5" : "1");
    rh_model *m;
    rh_sim *sim = open_scene(scene, step[k % 2], &m);
    double fall = sqrt(2 / 9.81);
    double t = fall;
    for (int n = 1; n < 4; n++) { // at the apex of each flight all is potential
      double height = pow(e, 2 * n);
      double flight = 2 * fall * pow(e, n);
      double apex = floor((t + 0.5 * flight) / step[k % 2]) * step[k % 2];
      go_on(sim, apex);
      const rh_data *d = rh_sim_view(sim);
      near_abs(d->q[0] + d->v[0] * d->v[0] / (2 * 9.81), height, 1e-9);
      t += flight;
    }
    finish(sim, m);
  }
}

END_TEST

// A mass without restitution stays on its limit, and one that is pulled away leaves it.
START_TEST(a_limit_carries)
{
  static const char text[] =
      "bodies: [{name: a, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{name: j, kind: prismatic, child: a, axis: [0, 0, 1], q: [1], limits: [0, 3]}]\n"
      "actuators: [{name: m, joint: j}]\n"
      "events: [{name: lift, time: 2, actuator: m, effort: 30}]\nrecord: {every: 100}\n";
  rh_model *m;
  rh_sim *sim = open_scene(text, 1e-2, &m);
  go_on(sim, 2);
  near_abs(rh_sim_view(sim)->q[0], 0, 1e-12);
  near_abs(rh_sim_view(sim)->v[0], 0, 1e-12);
  go_on(sim, 2.5);
  near_abs(rh_sim_view(sim)->q[0], 0.5 * (15 - 9.81) * 0.25, 1e-9);
  finish(sim, m);
}

END_TEST

Suite *rh_suite_unit_moreau_loop(void)
{
  Suite *suite = suite_create("unit_moreau_loop");
  TCase *tcase = tcase_create("loop");
  tcase_add_test(tcase, period_of_a_rod);
  tcase_add_test(tcase, a_rod_pulls_as_it_must);
  tcase_add_test(tcase, four_bar_linkage);
  tcase_add_test(tcase, a_ton_on_a_chain);
  tcase_add_test(tcase, welded_halves_are_one_body);
  tcase_add_test(tcase, dry_friction_stops_where_coulomb_says);
  tcase_add_test(tcase, heights_of_bounces);
  tcase_add_test(tcase, a_limit_carries);
  suite_add_tcase(suite, tcase);
  return suite;
}
