// unit_storms.c: scenes in which events accumulate end, within a number of events and steps, with a closed ledger and a
// verdict; what they come to is the closed form where there is one.
#include "event/storm/storm.h"
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct storm {
  const char *file, *set, *until;
  long events, steps; // at most: twice what was measured
  double residue;     // at most, of the largest entry
  int verdict;        // NONE: it ends without
  bool is_long;
} storm;

// EITHER: whether its events accumulate within the time is by the last digits: of ten initial states that differ by 1e-13
// about half of them do.
enum { NONE = -1, EITHER = -2 };

// The residue is what the integrators leave outside of the takeovers: rtol of the scene, or dt of the steps.
static const storm storms[] = {
    {"onepin", "run.multi_impact=simultaneous", "1", 800, 1500, 1e-8, RH_EVENT_TAKEOVER, false},
    {"skittles", "run.multi_impact=simultaneous", "0.5", 2500, 6000, 1e-8, RH_EVENT_TAKEOVER,
     false},
    {"cradle", "record.every=0.01", "4", 700, 4000, 1e-7, EITHER, false},
    {"toss", "record.every=0.01", "0.64", 1000, 4000, 1e-4, NONE, false},
    {"jam", "record.every=0.01", "1", 40, 1000, 1e-7, RH_EVENT_JAM, false},
    {"domino3", "run.multi_impact=simultaneous", "0.45", 3000, 12000, 1e-7, RH_EVENT_TAKEOVER,
     false},
    {"bowling", "run.multi_impact=simultaneous", "0.25", 2000, 8000, 1e-7, RH_EVENT_TAKEOVER,
     false},
    {"funnel", "run.integrator=rk4", "0.8", 3000, 4000, 1e-4, RH_EVENT_TAKEOVER, false},
    {"knock", "record.every=0.01", "0.56", 150, 12000, 1e-5, NONE, false},
    {"rough", "record.every=0.01", "0.36", 250, 25000, 1e-7, NONE, false},
    {"wall", "record.every=0.01", "0.2", 5000, 8000, 1e-8, RH_EVENT_TAKEOVER, false},
    {"limits", "record.every=0.01", "0.74", 5000, 8000, 1e-5, RH_EVENT_TAKEOVER, false},
    {"squeeze", "record.every=0.01", "0.6", 2500, 20000, 1e-4, RH_EVENT_TAKEOVER, true},
    {"bowling", "record.every=0.01", "2", 4000, 30000, 1e-7, RH_EVENT_TAKEOVER, true},
    {"domino3", "record.every=0.01", "1.5", 4000, 40000, 1e-6, RH_EVENT_TAKEOVER, true},
    {"domino", "record.every=0.01", "1.5", 40000, 60000, 1e-6, RH_EVENT_TAKEOVER, true},
};

typedef struct world {
  rh_model *model;
  rh_sim *sim;
} world;

static world open_scene(const char *path, const char *const *set, int nset)
{
  world w = {NULL, NULL};
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_load(path, set, nset, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &w.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(w.model, NULL, &w.sim), RH_OK);
  rh_scene_destroy(scene);
  return w;
}

static void close_scene(world *w)
{
  rh_sim_destroy(w->sim);
  rh_model_destroy(w->model);
}

static double largest_entry(const rh_ledger *l)
{
  double entry[] = {l->initial, l->kinetic, l->potential, l->event, l->sliding, l->contact_damper};
  double maximum = 0;
  for (int i = 0; i < RH_COUNT(entry); i++) {
    maximum = fmax(maximum, fabs(entry[i]));
  }
  return maximum;
}

START_TEST(storms_end)
{
  const storm *x = &storms[_i];
  if (x->is_long && !rh_test_long()) {
    return;
  }
  char path[512];
  (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/tests/data/storms/%s.yaml", x->file);
  world w = open_scene(path, &x->set, 1);
  rh_status status = rh_sim_run(w.sim, strtod(x->until, NULL));
  ck_assert_msg(status == RH_OK, "%s: %s", x->file, rh_sim_reason(w.sim));
  rh_sim_stats stats = rh_sim_statistics(w.sim);
  rh_ledger l = rh_sim_ledger(w.sim);
  ck_assert_msg(stats.events <= x->events, "%s: %ld events", x->file, stats.events);
  ck_assert_msg(stats.step.steps <= x->steps, "%s: %ld steps", x->file, stats.step.steps);
  ck_assert_msg(fabs(l.residue) <= x->residue * largest_entry(&l), "%s: residue %.3g J of %.3g J",
                x->file, l.residue, largest_entry(&l));
  if (x->verdict >= 0) {
    ck_assert_int_gt(rh_sim_verdicts(w.sim, (rh_event_kind)x->verdict, NULL), 0);
  } else if (x->verdict == NONE) { // its forces do not jump: the tolerance is kept
    ck_assert_int_eq(rh_sim_verdicts(w.sim, RH_EVENT_COARSE, NULL), 0);
  }
  // No source of energy: it has not grown beyond the part of a gain that goes unreported.
  ck_assert_msg(l.kinetic + l.potential <= l.initial + 1e-3 * fabs(l.initial) ||
                    rh_sim_verdicts(w.sim, RH_EVENT_GAIN, NULL) > 0,
                "%s: energy %.9g J of %.9g J", x->file, l.kinetic + l.potential, l.initial);
  close_scene(&w);
}

END_TEST

// Five equal pendulums, e = 0: the first gives its momentum to all, which then swing together. Four fifths of the energy
// m g l (1 - cos 30 deg) = 0.0394283 J are lost, at once, and nothing later. Tolerance: that of the run, 1e-8 of 0.28 J,
// and as much again.
START_TEST(a_plastic_cradle_keeps_a_fifth)
{
  static const char *const set[] = {"record.every=0.1"};
  world w = open_scene(ROUTH_SOURCE_DIR "/tests/data/storms/cradle.yaml", set, 1);
  ck_assert_int_eq(rh_sim_run(w.sim, 4), RH_OK);
  rh_ledger l = rh_sim_ledger(w.sim);
  double raised = 0.1 * 9.80665 * 0.3 * (1 - cos(0.52359877559829887));
  const rh_data *d = rh_sim_view(w.sim);
  ck_assert_double_eq_tol(l.event - l.contact_damper, -0.8 * raised, 5e-4 * raised);
  for (int i = 1; i < 5; i++) {
    ck_assert_double_eq_tol(d->q[i], d->q[0], 1e-5); // of the order of g h^2 over the length
  }
  close_scene(&w);
}

END_TEST

// Bounces that become ever smaller: all of them end after sqrt(2 H / g) (1 + e) / (1 - e) = 0.88 s, and the ball rests,
// within g h^2 of the floor.
START_TEST(bounces_end_in_rest)
{
  static const char *const text =
      "bodies: [{name: ball, mass: 1}]\n"
      "joints: [{kind: free, child: ball, q: [0, 0, 0.06, 1, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
      "contacts: [{name: c, body: ball, against: world, law: newton, e: 0.9}]\n"
      "run: {until: 1, rest_speed: 1e-9}\n";
  rh_scene *scene = NULL;
  world w;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "bounces", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &w.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(w.model, NULL, &w.sim), RH_OK);
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_sim_run(w.sim, 1), RH_OK);
  const rh_data *d = rh_sim_view(w.sim);
  ck_assert_double_eq_tol(d->q[2], 0.05, 1e-5);
  ck_assert_double_eq_tol(d->v[2], 0, 1e-9);
  close_scene(&w);
}

END_TEST

// A box slides off a table and lands on another, all symmetric to the plane y = 0: it stays so, over tolerances of 1e-8
// and two parallel edges that pass each other within microseconds. The velocities are v of slider and catcher.
START_TEST(symmetric_corners_leave_together)
{
  static const char *const speed[] = {"joints.0.v.0=1.6", "joints.0.v.0=1.3"};
  static const int across[] = {1, 3, 5}; // y, about x, about z
  for (int k = 0; k < RH_COUNT(speed); k++) {
    world w = open_scene(ROUTH_SOURCE_DIR "/tests/data/storms/ledge.yaml", &speed[k], 1);
    ck_assert_int_eq(rh_sim_run(w.sim, 0.6), RH_OK);
    const rh_data *d = rh_sim_view(w.sim);
    for (int i = 0; i < 6; i++) {
      double v = d->v[6 * (i / 3) + across[i % 3]];
      ck_assert_msg(fabs(v) < 1e-8, "%s: velocity %d of body %d is %.3g", speed[k], across[i % 3],
                    i / 3, v);
    }
    close_scene(&w);
  }
}

END_TEST

// A wall of 72 contacts that nothing has hit yet: its touches are all that happens, the floor carries its weight, no
// contact pulls, and none is beyond its cone. The loads are known to the 1e-11 of the rows.
START_TEST(a_wall_stands)
{
  static const char *const set[] = {"record.every=0.01"};
  world w = open_scene(ROUTH_SOURCE_DIR "/tests/data/storms/wall.yaml", set, 1);
  ck_assert_int_eq(rh_sim_run(w.sim, 0.02), RH_OK);
  const double weight = 12 * 2 * rh_norm(w.sim->model->gravity);
  double carried = 0;
  rh_data *d = w.sim->data;
  rh_sim_evaluate(d);
  ck_assert_int_eq(d->ncontact, 72);
  ck_assert_int_eq(rh_sim_statistics(w.sim).events,
                   73); // and the verdict on the free directions of the load
  ck_assert_int_eq(rh_sim_verdicts(w.sim, RH_EVENT_TAKEOVER, NULL), 0);
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    carried += c->a == 0 || c->b == 0 ? c->normal : 0;
    ck_assert_double_ge(c->normal, 0);
    ck_assert_double_le(hypot(c->friction[0], c->friction[1]), 0.6 * c->normal + 1e-9 * weight);
  }
  ck_assert_double_eq_tol(carried, weight, 1e-9 * weight);
  for (int i = 0; i < 6 * 12; i++) {
    ck_assert_double_eq_tol(d->v[i], 0, 1e-10);
  }
  close_scene(&w);
}

END_TEST

static world open_text(const char *text)
{
  world w;
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "text", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &w.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(w.model, NULL, &w.sim), RH_OK);
  rh_scene_destroy(scene);
  return w;
}

// Steps all rigid contacts from now on, as if their events had accumulated.
static void take_over(rh_sim *sim)
{
  rh_sim_evaluate(sim->data);
  rh_rigid_gather_all(sim->data);
  ck_assert_int_gt(rh_rigid(sim->data)->n, 0);
  rh_storm_take(sim, 0, rh_rigid(sim->data)->n, "test");
  rh_engine_find("event")->restart(sim->engine, RH_RESTART_EVENT);
}

// A ball that rolls and spins about the vertical, all forces stepped: rolling friction mu_roll slows it by
// mu_roll g / 1.4, pivoting friction mu_pivot its spin by 2.5 mu_pivot g / r^2. The torques begin after the first interval,
// h/64 = 1e-5 s: a part of 1e-3 of 10 ms, and twice that for the changes of the normal force.
START_TEST(stepped_contacts_have_torques)
{
  world w = open_text(
      "bodies: [{name: ball, mass: 2}]\n"
      "joints: [{kind: free, child: ball, q: [0, 0, 0.05, 1, 0, 0, 0], v: [1, 0, 0, 0, 20, 8]}]\n"
      "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
      "world: {gravity: [0, 0, -9.81]}\n"
      "contacts: [{name: c, body: ball, against: world, law: newton, e: 0, friction: dry, mu_s: "
      "0.6, "
      "mu_k: 0.6, mu_roll: 0.02, mu_pivot: 1e-3}]\n"
      "run: {until: 1}\n");
  const rh_data *d = rh_sim_view(w.sim);
  ck_assert_int_eq(rh_sim_run(w.sim, 1e-3), RH_OK);
  double v = d->v[0];
  double spin = d->v[5];
  take_over(w.sim);
  ck_assert_int_eq(rh_sim_run(w.sim, 11e-3), RH_OK);
  ck_assert(rh_slot_stepped(d, 0));
  double slowed = 0.02 * 9.81 / 1.4 * 10e-3;
  double stopped = 2.5 * 1e-3 * 9.81 / (0.05 * 0.05) * 10e-3;
  ck_assert_double_eq_tol(v - d->v[0], slowed, 3e-3 * slowed);
  ck_assert_double_eq_tol(spin - d->v[5], stopped, 3e-3 * stopped);
  close_scene(&w);
}

END_TEST

// On a slope of less than mu_roll a ball stays, held by the torque of its steps: slower than g h, and slower by the
// square root of 1 - 0.4 / 1.4 = 0.71 in each, for its torque is found without the friction that holds the ball below:
// 0.39 in 5.6 steps (4 ms), with an oscillation. It moves by g h^2 / 0.4 at most.
START_TEST(stepped_torques_hold)
{
  world w =
      open_text("bodies: [{name: ball, mass: 2}]\n"
                "joints: [{kind: free, child: ball, q: [0, 0, 0.05, 1, 0, 0, 0]}]\n"
                "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
                "world: {gravity: [0.15, 0, -9.81]}\n"
                "contacts: [{name: c, body: ball, against: world, law: newton, e: 0, friction: "
                "dry, mu_s: 0.6, "
                "mu_k: 0.6, mu_roll: 0.02}]\n"
                "run: {until: 1}\n");
  const rh_data *d = rh_sim_view(w.sim);
  ck_assert_int_eq(rh_sim_run(w.sim, 1e-3), RH_OK);
  take_over(w.sim);
  double h = rh_event_engine_of(w.sim)->storm.step;
  ck_assert_int_eq(rh_sim_run(w.sim, 8e-3), RH_OK);
  double v = fabs(d->v[0]);
  ck_assert_int_eq(rh_sim_run(w.sim, 12e-3), RH_OK);
  ck_assert(rh_slot_stepped(d, 0));
  ck_assert_double_lt(v, 0.15 * h);
  ck_assert_double_lt(fabs(d->v[0]), 0.6 * v);
  ck_assert_double_lt(fabs(d->q[0]), 0.15 * h * h / 0.4);
  close_scene(&w);
}

END_TEST

// The verdict's error, g h in speed and g h^2 a step in place, against closed forms, at h and h / 2 (rtol / 16): a ball
// that slides and then rolls at 5/7 of its speed, the same with a spin about the vertical, and one that is pulled by g_x along the
// floor, 5/7 g_x t. What is left falls at least as h: to 0.5, and a fifth of it for the part of a step in which the
// mode changes; below 1e-9 m/s it is that of the integrator.
typedef struct stepped_case {
  const char *start, *gravity;
  int v;        // of the ball
  double after; // its value at the end of 12 ms [m/s]
} stepped_case;

static double stepped_error(const stepped_case *x, double rtol, double *bound)
{
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "bodies: [{name: ball, mass: 2}]\n"
                 "joints: [{kind: free, child: ball, %s}]\n"
                 "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
                 "world: {gravity: %s}\n"
                 "contacts: [{name: c, body: ball, against: world, law: newton, e: 0, friction: "
                 "dry, mu_s: 0.3, mu_k: 0.3}]\n"
                 "run: {until: 1, rtol: %g}\n",
                 x->start, x->gravity, rtol);
  world w = open_text(text);
  const rh_data *d = rh_sim_view(w.sim);
  ck_assert_int_eq(rh_sim_run(w.sim, 1e-6), RH_OK);
  take_over(w.sim);
  ck_assert_int_eq(rh_sim_run(w.sim, 12e-3), RH_OK);
  double h = rh_event_engine_of(w.sim)->storm.step;
  double off = fabs(d->v[x->v] - x->after);
  *bound = 9.81 * h;
  ck_assert_double_le(off, *bound);
  ck_assert_double_le(fabs(d->q[2] - 0.05), 9.81 * h * h);
  close_scene(&w);
  return off;
}

START_TEST(stepped_errors_are_within_their_bound)
{
  static const stepped_case cases[] = {
      {"q: [0, 0, 0.05, 1, 0, 0, 0], v: [0.05, 0, 0, 0, 0, 0]", "[0, 0, -9.81]", 0, 0.25 / 7},
      {"q: [0, 0, 0.05, 1, 0, 0, 0], v: [0, 0.05, 0, 0, 0, 1]", "[0, 0, -9.81]", 1, 0.25 / 7},
      {"q: [0, 0, 0.05, 1, 0, 0, 0]", "[1, 0, -9.81]", 0, 12e-3 / 1.4},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    double bound[2];
    double off = stepped_error(&cases[i], 1e-8, &bound[0]);
    double half = stepped_error(&cases[i], 1e-8 / 16, &bound[1]);
    ck_assert_double_eq_tol(bound[1], 0.5 * bound[0], 1e-12);
    ck_assert_msg(half <= 0.6 * off + 1e-9, "%d: %.3g m/s at h, %.3g at h / 2, stated %.3g", i, off,
                  half, bound[0]);
  }
}

END_TEST

Suite *rh_suite_unit_storms(void)
{
  Suite *suite = suite_create("unit_storms");
  TCase *tcase = tcase_create("storms");
  tcase_add_loop_test(tcase, storms_end, 0, RH_COUNT(storms));
  tcase_add_test(tcase, a_plastic_cradle_keeps_a_fifth);
  tcase_add_test(tcase, bounces_end_in_rest);
  tcase_add_test(tcase, symmetric_corners_leave_together);
  tcase_add_test(tcase, a_wall_stands);
  tcase_add_test(tcase, stepped_contacts_have_torques);
  tcase_add_test(tcase, stepped_torques_hold);
  tcase_add_test(tcase, stepped_errors_are_within_their_bound);
  suite_add_tcase(suite, tcase);
  return suite;
}
