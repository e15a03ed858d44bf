// unit_moreau_judge.c: what the engine `stepping` says of its own answers: residuals against those of a chain of balls by hand, directions in which
// impulses are free against known ranks and against the event-driven loop, which contacts they belong to, peak forces and impulses.
#include "moreau.h"

#include <stdlib.h>

#define RUBS   "law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: 0.5"
#define SMOOTH "law: newton, e: 0"

// ---- Worlds

// A plate on n legs, which end in balls, at the corners of a square and in its middle
static void put_table(text *t, int legs, const char *law)
{
  static const double at[][2] = {{-0.4, -0.3}, {0.4, -0.3}, {0.1, 0.3}, {-0.4, 0.3}};
  t->n = 0;
  put(t, DOWN "bodies: [{name: b, mass: 2, inertia: [0.2, 0.2, 0.3, 0, 0, 0]}]\n");
  put(t, "joints: [{kind: free, child: b, q: [0, 0, 0.25, 1, 0, 0, 0]}]\nshapes:\n  - " FLOOR "\n");
  for (int i = 0; i < legs; i++) {
    put(t, "  - {body: b, kind: sphere, radius: 0.05, at: [%g, %g, -0.2]}\n", at[i][0], at[i][1]);
  }
  put(t, "contacts: [{name: floor, body: b, against: all, %s}]\n", law);
}

// n boxes on top of one another, that move at v and turn at w
static void put_stack(text *t, int n, const char *law, double v, double w)
{
  t->n = 0;
  put(t, DOWN "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(t, "joints:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {kind: free, child: b%d, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%g, 0, 0, 0, 0, %g]}\n",
        i, 0.1 + 0.2 * i, v, w);
  }
  put(t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {body: b%d, kind: box, size: [0.4, 0.3, 0.2]}\n", i);
  }
  put(t, "contacts: [{name: floor, body: all, against: all, %s}]\n", law);
}

// A ball between two planes that lean by 45 degrees
static void put_wedge(text *t, const char *law)
{
  t->n = 0;
  put(t, DOWN "bodies: [{name: b, mass: 1}]\n");
  put(t, "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0]}]\n", 0.1 * sqrt(2.0));
  put(t, "shapes:\n  - {body: world, kind: plane, rpy: [0, 45 deg, 0]}\n"
         "  - {body: world, kind: plane, rpy: [0, -45 deg, 0]}\n"
         "  - {body: b, kind: sphere, radius: 0.1}\n");
  put(t, "contacts: [{name: floor, body: b, against: all, %s}]\n", law);
}

// A box that can move in a plane only: rows across it move nothing, and are not free.
static void put_planar(text *t, const char *law)
{
  t->n = 0;
  put(t, DOWN "bodies: [{name: b, mass: 1}]\n");
  put(t, "joints: [{kind: planar, child: b, normal: [0, -1, 0], q: [0, 0.1, 0]}]\n");
  put(t, "shapes: [" FLOOR ", {body: b, kind: box, size: [0.4, 0.3, 0.2]}]\n");
  put(t, "contacts: [{name: floor, body: b, against: all, %s}]\n", law);
}

static void put_run(text *t, const char *engine, const char *more)
{
  put(t, "run: {until: 0.02, %s%s}\nrecord: {every: 0.01}\n", engine, more);
}

// ---- Free directions

static rh_solver_stats judged(const text *world, const char *more)
{
  static text t;
  t = *world;
  put_run(&t, "engine: stepping", more);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_solver_stats s = rh_sim_statistics(sim).solver;
  finish(sim, model);
  return s;
}

// What the event-driven loop says, 0: nothing; and, if it says so, that the motion is as given in words
static int events_report(const text *world, const char *motion)
{
  static text t;
  rh_event first;
  t = *world;
  put_run(&t, "integrator: cvode", "");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  long n = rh_sim_verdicts(sim, RH_EVENT_UNDETERMINED, &first);
  ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_UNDETERMINED, NULL), n);
  ck_assert_msg(n == 0 || strstr(first.note, motion) != NULL, "%s", first.note);
  finish(sim, model);
  return n > 0 ? (int)first.after : 0;
}

static int told_by_events(const text *world)
{
  return events_report(world, "");
}

static void has(const char *what, const text *t, int free, bool several)
{
  rh_solver_stats s = judged(t, "");
  ck_assert_msg(s.judged == 2 && s.unknown == 0 && (int)s.free == free &&
                    s.undetermined == (free > 0 ? 2 : 0) && s.several == (several ? 2 : 0),
                "%s: free in %g directions (%d), undetermined in %ld, several in %ld of %ld", what,
                s.free, free, s.undetermined, s.several, s.judged);
  ck_assert_double_le(s.residual, 1e-6);
}

// Rows less rank. A rigid body has six degrees of freedom; on a plane without friction three of them are felt, by any number of points that are not in
// a line. Without friction: one load of four legs is free, none of three; with it 3n - 6. Two points of a ball in a wedge with friction: only pressing them
// apart is free, without it nothing. Each box of a stack has four points below: 12 - 6, and 4 - 3 without friction.
START_TEST(ranks)
{
  static text t;
  for (int legs = 1; legs <= 4; legs++) {
    if (legs >= 3) {
      put_table(&t, legs, SMOOTH);
      has("table without friction", &t, legs - 3, false);
      ck_assert_int_eq(told_by_events(&t), legs - 3);
      put_table(&t, legs, RUBS);
      has("table", &t, 3 * legs - 6, false);
      ck_assert_int_eq(told_by_events(&t), 3 * legs - 6);
    }
    put_stack(&t, legs, SMOOTH, 0, 0);
    has("stack without friction", &t, legs, false);
    put_stack(&t, legs, RUBS, 0, 0);
    has("stack", &t, 6 * legs, false);
    ck_assert_int_eq(told_by_events(&t), 6 * legs);
  }
  put_wedge(&t, RUBS);
  has("wedge", &t, 1, false);
  ck_assert_int_eq(told_by_events(&t), 1);
  put_wedge(&t, SMOOTH);
  has("wedge without friction", &t, 0, false);
  put_planar(&t, RUBS); // rows along the plane and up: 8 - 3
  has("in a plane", &t, 5, false);
  ck_assert_int_eq(told_by_events(&t), 5);
}

END_TEST

// A house of cards: 24 points of cards that lean on one another in a plane. Nobody has a closed form; the event-driven loop finds its forces by other factors.
START_TEST(house_of_cards)
{
  double free[2];
  for (int i = 0; i < 2; i++) {
    const char *set[] = {"run.until=0.002", "record.every=0.001", "run.engine=stepping"};
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    ck_assert_int_eq(
        rh_scene_load(ROUTH_SOURCE_DIR "/scenes/card-house.yaml", set, 2 + i, diag, &scene), RH_OK);
    rh_diag_destroy(diag);
    rh_model *model = model_of(scene);
    rh_event first;
    rh_sim *sim = watch(model, NULL, NULL);
    ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_UNDETERMINED, &first), 1);
    ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_NOT_UNIQUE, &first), 0);
    (void)rh_sim_verdicts(sim, RH_EVENT_UNDETERMINED, &first);
    free[i] = first.after;
    finish(sim, model);
  }
  ck_assert_double_eq(free[0], free[1]);
}

END_TEST

// A box that slides straight on: four loads that do the same but for their places, one of them free, and it does not matter which. Where it turns as
// well each corner rubs in another direction: the loads can be told apart by it, and each sharing gives another motion.
START_TEST(slides)
{
  static text t;
  put_stack(&t, 1, RUBS, 1, 0);
  has("slides", &t, 1, false);
  ck_assert_int_eq(events_report(&t, "the motion is unique"), 1);
  put_stack(&t, 1, RUBS, 1, 4);
  has("slides and turns", &t, 0, true);
  ck_assert_int_eq(events_report(&t, "the motion depends on how it is shared"), 1);
  put_stack(&t, 1, SMOOTH, 1, 4); // without friction it is as at rest
  has("slides without friction", &t, 1, false);
}

END_TEST

// A tower of 70 boxes has 280 contacts, more than there is room for factors of: that is said, and what counting proves. Each face has twelve impulses, six of
// which can be told apart: 420 directions; a point whose load is at its cone counts for less. The tower stands for a step.
START_TEST(large)
{
  static text t;
  put_stack(&t, 70, RUBS, 0, 0);
  put(&t, "run: {until: 0.001, engine: stepping, dt: 0.001}\nrecord: {every: 0.001}\n");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  const rh_solver_now *now = rh_sim_view(sim)->solver;
  ck_assert_int_eq((int)now->contacts, 280);
  ck_assert_int_eq((int)now->unknown, 1);
  ck_assert_int_gt((int)now->undetermined, 0);
  ck_assert_int_le((int)now->undetermined, 420);
  ck_assert_int_eq((int)now->several, 0);
  finish(sim, model);
}

END_TEST

// A ball in the middle of a table of four legs: how the legs share is free, what they carry together and the ball's own load are not.
START_TEST(which_contacts)
{
  static text t;
  t.n = 0;
  put(&t, DOWN
      "bodies: [{name: b, mass: 2, inertia: [0.2, 0.2, 0.3, 0, 0, 0]}, {name: ball, mass: 1}]\n"
      "joints:\n  - {kind: free, child: b, q: [0, 0, 0.25, 1, 0, 0, 0]}\n"
      "  - {kind: free, child: ball, q: [0.1, 0, 0.4, 1, 0, 0, 0]}\n"
      "shapes:\n  - " FLOOR "\n  - {body: ball, kind: sphere, radius: 0.1}\n"
      "  - {body: b, kind: box, size: [1, 1, 0.1]}\n");
  for (int i = 0; i < 4; i++) {
    put(&t, "  - {body: b, kind: sphere, radius: 0.05, at: [%g, %g, -0.2]}\n", i % 2 ? 0.4 : -0.4,
        i / 2 ? 0.3 : -0.3);
  }
  put(&t, "contacts:\n  - {name: top, body: ball, against: b, " SMOOTH "}\n"
          "  - {name: floor, body: b, against: world, " SMOOTH "}\n");
  put_run(&t, "engine: stepping", "");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_data *d = rh_sim_data(sim);
  rh_channels *c = rh_channels_create(model);
  static const char *const name[] = {"floor.0.shared", "floor.1.shared", "floor.2.shared",
                                     "floor.3.shared", "top.0.shared",   "solver.undetermined"};
  static const double value[] = {1, 1, 1, 1, 0, 1};
  for (int i = 0; i < RH_COUNT(name); i++) {
    int index = rh_channel_find(c, name[i]);
    double x = -1;
    ck_assert_msg(index != RH_NONE, "%s", name[i]);
    rh_channels_read(c, d, &index, 1, &x);
    ck_assert_msg(x == value[i], "%s is %g", name[i], x);
  }
  rh_channels_destroy(c);
  finish(sim, model);
}

END_TEST

// ---- The residual

enum { BALLS = 300 };

// Balls of 1 kg on top of one another that sink (at rest their weight would be handed down), one sweep a step, too many for Newton's method. With z and v before and after the step, and the forces
// that are told, each contact is u + gap/h and p: the largest of |min(u, W p)|, W = 2 (1 at the floor), is the residual. All are computed from
// numbers of about 1: 1e-12.
START_TEST(residual_by_hand)
{
  static text t;
  const double h = 1e-3;
  t.n = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t,
        "  - {kind: free, child: b%d, q: [0, 0, %.17g, 1, 0, 0, 0], v: [0, 0, -0.002, 0, 0, 0]}\n",
        i, 0.1 + 0.2 * i);
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t, "  - {body: b%d, kind: sphere, radius: 0.1}\n", i);
  }
  put(&t, "contacts: [{name: c, body: all, against: all, law: newton, e: 0}]\n");
  put(&t,
      "run: {until: 0.001, engine: stepping, dt: 0.001, iterations: 1}\nrecord: {every: 0.001}\n");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  const rh_data *d = rh_sim_view(sim);
  double p[BALLS] = {0}; // below each ball
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    p[(c->a > c->b ? c->a : c->b) - 1] = h * c->normal;
  }
  double worst = 0;
  for (int i = 0; i < BALLS; i++) {
    double u = d->v[6 * i + 2] - (i > 0 ? d->v[6 * (i - 1) + 2] : 0);
    double w = i > 0 ? 2 : 1;
    worst = fmax(worst, fabs(fmin(u, w * p[i])));
  }
  ck_assert_double_gt(worst, 1e-3); // it is not solved
  near_abs(d->solver->residual, worst, 1e-12);
  rh_solver_stats s = rh_sim_statistics(sim).solver;
  ck_assert(s.judged == 1 && s.over == 1 && s.residual == d->solver->residual);
  finish(sim, model);
}

END_TEST

// To look changes nothing: the same bits whether no step, those of frames or all are judged.
START_TEST(looking_changes_nothing)
{
  static text t;
  static const char *const way[] = {", check_solution: never", "", ", check_solution: steps"};
  static const long steps[] = {0, 2, 20};
  double first[64];
  put_stack(&t, 4, "law: newton, e: 0.3, friction: dry, mu_s: 0.5, mu_k: 0.4", 0.3, 2);
  for (int i = 0; i < RH_COUNT(way); i++) {
    static text s;
    s = t;
    put_run(&s, "engine: stepping", way[i]);
    rh_model *model = model_from(s.s, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    const rh_data *d = rh_sim_view(sim);
    int n = model->nq + model->nv;
    ck_assert_int_le(n, RH_COUNT(first));
    ck_assert_int_eq(rh_sim_statistics(sim).solver.judged, steps[i]);
    if (i == 0) {
      memcpy(first, d->q, (size_t)n * sizeof *first);
    }
    ck_assert_mem_eq(first, d->q, (size_t)n * sizeof *first);
    finish(sim, model);
  }
}

END_TEST

// A strict run ends at the first verdict, with the reason in words.
START_TEST(strict)
{
  static text t;
  put_table(&t, 4, SMOOTH);
  put(&t, "run: {until: 1, engine: stepping, strict: yes}\nrecord: {every: 0.01}\n");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_STOPPED);
  near_abs(*rh_sim_view(sim)->t, 0.01, 1e-12);
  ck_assert_ptr_nonnull(strstr(rh_sim_reason(sim), "free in 1 direction;"));
  finish(sim, model);
}

END_TEST

// ---- Peak forces and impulses

static rh_impact_stats drop(double height, double e)
{
  static text t;
  t.n = 0;
  put(&t,
      DOWN "bodies: [{name: b, mass: 2}]\njoints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, "
           "0, 0]}]\nshapes: [" FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"
           "contacts: [{name: floor, body: b, against: all, law: newton, e: %g}]\n"
           "run: {until: 1, engine: stepping, dt: 1e-3}\n",
      0.1 + height, e);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_impact_stats s = rh_sim_statistics(sim).impact;
  finish(sim, model);
  return s;
}

// A ball at rest presses with its weight, and has no impact. One that falls from 0.5 m strikes with m v (1 + e), v = sqrt(2 g H), where it is located. A plastic
// one may take two steps: what is left of the gap is closed in the first. Then it rests on its weight.
START_TEST(peaks)
{
  double v = sqrt(2 * G * 0.5);
  rh_impact_stats rest = drop(0, 0);
  near_rel(rest.peak, 2 * G, 1e-12);
  ck_assert_double_eq(rest.impulse, 0);
  rh_impact_stats hits = drop(0.5, 0.5);
  near_rel(hits.impulse, 2 * v * 1.5, 1e-9);
  rh_impact_stats lands = drop(0.5, 0);
  ck_assert(lands.impulse > v && lands.impulse < 2 * v + 2 * G * 1e-3);
  near_rel(lands.peak, 2 * G, 1e-9);
}

END_TEST

Suite *rh_suite_unit_moreau_judge(void)
{
  Suite *suite = suite_create("unit_moreau_judge");
  TCase *tc = tcase_create("judge");
  tcase_add_test(tc, ranks);
  tcase_add_test(tc, house_of_cards);
  tcase_add_test(tc, slides);
  tcase_add_test(tc, large);
  tcase_add_test(tc, which_contacts);
  tcase_add_test(tc, residual_by_hand);
  tcase_add_test(tc, looking_changes_nothing);
  tcase_add_test(tc, strict);
  tcase_add_test(tc, peaks);
  suite_add_tcase(suite, tc);
  return suite;
}
