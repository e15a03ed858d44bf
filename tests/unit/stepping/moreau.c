// unit_moreau.c: parts of the time-stepping engine by themselves: the law of one contact, spins, frames and centres of mass, books, restarts,
// memory.
#include "moreau.h"

#include "complement/blocks.h"
#include "stepping/stepping.h"

#include <stdlib.h>

// ---- One contact

// Random contacts, open, sticking and sliding, strongly coupled ones among them: the judge of the solvers finds nothing. 1e-12 of the velocities:
// the root is found to rounding, and W is as uneven as 1e4.
START_TEST(law_of_one_contact)
{
  rng r = {7};
  int slides = 0;
  for (int i = 0; i < 20000; i++) {
    rh_step_row_general x = {.w = exp(rng_in(&r, -3, 3))};
    rh_step_row c = {.mu = rng_in(&r, 0, 1.5)};
    c.iw = 1 / x.w;
    for (int k = 0; k < 2; k++) {
      x.l[k] = x.w * exp(rng_in(&r, -4, 4));
      x.il[k] = 1 / x.l[k];
      x.c[k] = x.w * rng_in(&r, -2, 2);
    }
    rh_vec3 q = rng_vec3(&r, 1);
    const double u[3] = {q.x, q.y, q.z};
    double p[4];
    rh_step_local(&c, &x, u, p);
    const double W[9] = {x.l[0] + x.c[0] * x.c[0] * c.iw,
                         x.c[0] * x.c[1] * c.iw,
                         x.c[0],
                         x.c[0] * x.c[1] * c.iw,
                         x.l[1] + x.c[1] * x.c[1] * c.iw,
                         x.c[1],
                         x.c[0],
                         x.c[1],
                         x.w};
    const rh_block_kind kind = RH_BLOCK_CONE;
    const int start[2] = {0, 1};
    const int col = 0;
    rh_blocks problem = {1, &kind, &c.mu, start, &col, W, u};
    const double answer[3] = {p[0], p[1], p[3]};
    ck_assert_double_lt(rh_blocks_residual(&problem, answer), 1e-12);
    double t = sqrt(p[0] * p[0] + p[1] * p[1]);
    slides += p[3] > 0 && t > 0.999999 * c.mu * p[3];
  }
  ck_assert_int_gt(slides, 1000);
}

END_TEST

// ---- Free bodies

typedef struct spin {
  double energy, momentum; // at the start
  double de, dm;           // relative change, most
} spin;

static void look_at_spin(void *user, const rh_sim *sim)
{
  spin *s = user;
  rh_data d = *rh_sim_view(sim);
  rh_kinematics(&d);
  double e = rh_kinetic_energy(&d);
  double m = rh_norm(rh_momentum(&d).ang);
  if (s->energy == 0) {
    s->energy = e;
    s->momentum = m;
  }
  s->de = fmax(s->de, fabs(e / s->energy - 1));
  s->dm = fmax(s->dm, fabs(m / s->momentum - 1));
}

// A box that tumbles about its middle axis: the midpoint rule keeps energy and the length of the angular momentum. 1e-12: rounding of 1000 steps.
START_TEST(tumbling_keeps_energy)
{
  spin s = {0};
  watch_scene(look_at_spin, &s,
              "world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 1, inertia: [0.0108, 0.0083, "
              "0.0042, 0, 0, 0]}]\n"
              "joints: [{kind: free, child: b, v: [0, 0, 0, 0.01, 5, 0.01]}]\n"
              "run: {until: 10, engine: stepping, dt: 0.01}\nrecord: {every: 0.1}\n");
  ck_assert_double_lt(s.de, 1e-12);
  ck_assert_double_lt(s.dm, 1e-12);
}

END_TEST

typedef struct last {
  double x[6]; // of the body's mark: place, velocity
} last;

static void keep_last(void *user, const rh_sim *sim)
{
  last *l = user;
  rh_data *d = rh_data_create(rh_sim_view(sim)->model);
  memcpy(d->state, rh_sim_view(sim)->state, (size_t)d->model->layout.nstate * sizeof *d->state);
  rh_kinematics(d);
  rh_vec3 p = rh_point_position(d, d->model->point[0].body, d->model->point[0].at);
  rh_vec3 v = rh_point_velocity(d, d->model->point[0].body, d->model->point[0].at);
  const double x[6] = {p.x, p.y, p.z, v.x, v.y, v.z};
  memcpy(l->x, x, sizeof x);
  rh_data_destroy(d);
}

static last thrown(const char *com, const char *at, const char *joint, const char *mark)
{
  last l;
  watch_scene(keep_last, &l,
              DOWN "bodies: [{name: b, mass: 2, com: %s, inertia: [0.02, 0.03, 0.04, 0, 0, 0]}]\n"
                   "joints: [{kind: free, child: b, %s}]\n"
                   "shapes: [" FLOOR ", {body: b, kind: box, size: [0.3, 0.2, 0.1], at: %s}]\n"
                   "points: [{name: m, body: b, at: %s}]\n"
                   "contacts: [{body: b, against: world, law: newton, e: 0.3, friction: dry, mu_s: "
                   "0.4, mu_k: 0.4}]\n"
                   "run: {until: 1, engine: stepping, dt: 0.001}\nrecord: {every: 0.1}\n",
              com, joint, at, mark);
  return l;
}

// The same block thrown on the floor, its origin elsewhere and its joint in another frame: the same motion. It tumbles and bounces, which
// lets rounding grow: 1e-7.
START_TEST(origin_and_frame_do_not_matter)
{
  last a = thrown("[0, 0, 0]", "[0, 0, 0]", "q: [0, 0, 0.5, 1, 0, 0, 0], v: [1, 0.5, 0, 1, 2, 3]",
                  "[0, 0, 0]");
  // v of the origin, which is at -(0.1, 0.2, 0.3) from the centre: v - w x (0.1, 0.2, 0.3)
  last b = thrown("[0.1, 0.2, 0.3]", "[0.1, 0.2, 0.3]",
                  "q: [-0.1, -0.2, 0.2, 1, 0, 0, 0], v: [1, 0.5, 0, 1, 2, 3]", "[0.1, 0.2, 0.3]");
  last c = thrown("[0, 0, 0]", "[0, 0, 0]",
                  "at: [0.4, 0, 0], rpy: [0, 0, 1.5707963267948966], q: [0, 0.4, 0.5, "
                  "0.70710678118654752, 0, 0, "
                  "-0.70710678118654752], v: [0.5, -1, 0, 2, -1, 3]",
                  "[0, 0, 0]");
  for (int i = 0; i < 6; i++) {
    near_abs(b.x[i], a.x[i], 1e-7);
    near_abs(c.x[i], a.x[i], 1e-7);
  }
}

END_TEST

// ---- Friction and impacts in closed form

static double rolling_speed(double until)
{
  rh_model *model = model_from(
      DOWN "bodies: [{name: b, mass: 1}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, 0.1, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"
           "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.2, "
           "mu_k: 0.2}]\n"
           "run: {until: 1, engine: stepping, dt: 0.001}\nrecord: {every: 0.1}\n",
      NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, until), RH_OK);
  double v = rh_sim_view(sim)->v[0];
  if (until == 1) {
    double t = 2.0 / 7 / (0.2 * G); // it slides for so long, and so far
    double way = t - 0.5 * 0.2 * G * t * t + 5.0 / 7 * (1 - t);
    near_abs(rh_sim_view(sim)->q[0], way,
             1e-6); // a step's error of the time at which it begins to roll, squared
  }
  finish(sim, model);
  return v;
}

START_TEST(ball_begins_to_roll)
{
  near_abs(rolling_speed(0.1), 1 - 0.2 * G * 0.1, 1e-9);
  near_abs(rolling_speed(1), 5.0 / 7, 1e-9);
}

END_TEST

// Two balls head on: momentum is kept and the speeds are those of the law, Newton's and Poisson's alike.
START_TEST(two_balls)
{
  static const char *const law[] = {"newton", "poisson"};
  for (int i = 0; i < 2; i++) {
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        "world: {gravity: [0, 0, 0]}\nbodies: [{name: a, mass: 1}, {name: b, mass: 3}]\n"
        "joints: [{kind: free, child: a, q: [-1, 0, 0, 1, 0, 0, 0], v: [2, 0, 0, 0, 0, 0]},\n"
        "  {kind: free, child: b, q: [0.3, 0, 0, 1, 0, 0, 0], v: [-1, 0, 0, 0, 0, 0]}]\n"
        "shapes: [{body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, radius: 0.1}]\n"
        "contacts: [{body: a, against: b, law: %s, e: 0.6, friction: none}]\n"
        "run: {until: 1, engine: stepping, dt: 0.01}\nrecord: {every: 0.1}\n",
        law[i]);
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    const double *v = rh_sim_view(sim)->v;
    double p = (1 + 0.6) * 0.75 * 3; // (1 + e) reduced mass, approach speed
    near_abs(v[0], 2 - p, 1e-12);
    near_abs(v[6], -1 + p / 3, 1e-12);
    ck_assert_int_eq(rh_sim_statistics(sim).impact.impacts, 1);
    finish(sim, model);
  }
}

END_TEST

// ---- Books, restarts, memory

static const char *const heap = DOWN
    "bodies: [{name: a, mass: 1}, {name: b, mass: 2}, {name: c, mass: 0.5}, {name: d, mass: 1}]\n"
    "joints: [{kind: free, child: a, q: [0, 0, 0.3, 1, 0, 0, 0], v: [0.3, 0, 0, 0, 1, 2]},\n"
    "  {kind: free, child: b, q: [0.05, 0.02, 0.7, 0.9, 0.3, 0.3, 0.1]},\n"
    "  {kind: free, child: c, q: [0, 0.05, 1.1, 1, 0, 0, 0], v: [0, 0, -2, 3, 0, 0]},\n"
    "  {kind: free, child: d, q: [1, 0, 0.1, 1, 0, 0, 0], v: [-1, 0, 0, 0, 0, 0]}]\n"
    "shapes: [" FLOOR
    ", {body: a, kind: box, size: [0.3, 0.3, 0.2]}, {body: b, kind: box, size: [0.2, 0.3, 0.2]},\n"
    "  {body: c, kind: sphere, radius: 0.1}, {body: d, kind: sphere, radius: 0.1}]\n"
    "contacts: [{body: a, against: all, law: newton, e: 0.2, friction: dry, mu_s: 0.5, mu_k: "
    "0.4},\n"
    "  {body: b, against: all, law: poisson, e: 0.5, friction: dry, mu_s: 0.3, mu_k: 0.3},\n"
    "  {body: c, against: all, law: newton, e: 0.8, friction: dry, mu_s: 0.5, mu_k: 0.5},\n"
    "  {body: d, against: all, law: newton, e: 0, friction: dry, mu_s: 0.1, mu_k: 0.1}]\n"
    "forces: [{name: f, body: d, force: [0, 0.5, 0], from: 0.2, until: 0.6}]\n"
    "run: {until: 1.5, engine: stepping, dt: 0.001}\nrecord: {every: 0.05, batch: 5}\n";

static void look_at_residue(void *user, const rh_sim *sim)
{
  double *worst = user;
  rh_ledger l = rh_sim_ledger(sim);
  *worst = fmax(*worst, fabs(l.residue));
}

// All but what overlaps are lifted by: a few micrometres, 1e-4 J of 30.
START_TEST(books_close)
{
  double worst = 0;
  rh_model *model = model_from(heap, NULL, 0);
  rh_sim *sim = watch(model, look_at_residue, &worst);
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_double_lt(worst, 1e-4);
  ck_assert_double_gt(l.sliding, 0.1);
  ck_assert_double_lt(l.event, -1);
  ck_assert_double_gt(l.external, 0.001);
  finish(sim, model);
}

END_TEST

typedef struct kept {
  double *state;
  long index;
} kept;

static rh_status keep_batch(void *user, const rh_sim *sim, long index)
{
  kept *k = user;
  const rh_data *d = rh_sim_view(sim);
  if (index == k->index) {
    memcpy(k->state, d->state, (size_t)d->model->layout.nstate * sizeof *k->state);
  }
  return RH_OK;
}

// A run that goes on from the end of a batch ends with the bits of one that was never cut.
START_TEST(resumed_run_has_the_same_bits)
{
  rh_model *model = model_from(heap, NULL, 0);
  kept k = {calloc((size_t)model->layout.nstate, sizeof(double)), 10};
  rh_observer observer = {.user = &k, .frame = keep_batch};
  rh_sim *a = sim_of(model);
  rh_sim *b = sim_of(model);
  rh_sim_observe(a, &observer);
  ck_assert_int_eq(rh_sim_run(a, 1.5), RH_OK);
  rh_sim_resume(b, 10, k.state);
  ck_assert_int_eq(rh_sim_run(b, 1.5), RH_OK);
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(a), 0), rh_data_hash(rh_sim_view(b), 0));
  rh_sim_destroy(b);
  finish(a, model);
  free(k.state);
}

END_TEST

typedef struct counter {
  long calls;
} counter;

static void *counted(void *user, void *block, size_t bytes)
{
  ((counter *)user)->calls++;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

START_TEST(a_run_allocates_nothing)
{
  counter c = {0};
  rh_allocator a = {counted, &c};
  rh_model *model = model_from(heap, NULL, 0);
  rh_hook_set_allocator(&a);
  rh_sim *sim = sim_of(model);
  long made = c.calls;
  ck_assert_int_gt(made, 0);
  ck_assert_int_eq(rh_sim_run(sim, 1.5), RH_OK);
  ck_assert_int_eq(c.calls, made);
  rh_sim_destroy(sim);
  rh_hook_set_allocator(NULL);
  rh_model_destroy(model);
}

END_TEST

// More contacts than there is room for: the run stops and says so.
START_TEST(too_many_contacts)
{
  static const char *const set[] = {"run.contacts=1"};
  rh_model *model = model_from(heap, set, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1.5), RH_STOPPED);
  ck_assert_msg(strstr(rh_sim_reason(sim), "run.contacts") != NULL, "%s", rh_sim_reason(sim));
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_moreau(void)
{
  Suite *suite = suite_create("unit_moreau");
  TCase *tc = tcase_create("moreau");
  tcase_add_test(tc, law_of_one_contact);
  tcase_add_test(tc, tumbling_keeps_energy);
  tcase_add_test(tc, origin_and_frame_do_not_matter);
  tcase_add_test(tc, ball_begins_to_roll);
  tcase_add_test(tc, two_balls);
  tcase_add_test(tc, books_close);
  tcase_add_test(tc, resumed_run_has_the_same_bits);
  tcase_add_test(tc, a_run_allocates_nothing);
  tcase_add_test(tc, too_many_contacts);
  suite_add_tcase(suite, tc);
  return suite;
}
