// unit_rigid_same.c: what must not matter to rigid contact does not: where the scene stands and which way it is turned, the order
// of its bodies, running twice, stopping half way; nor sizes, masses and starts that are odd.
#include "rigid.h"

#include <stdlib.h>

// ---- Frames

// A ball and a block fall on a floor, bounce, slide and come to rest; everything is turned by the angles and moved.
static void play_turned(const rh_mat3 *R, rh_vec3 move, bool swap)
{
  rh_vec3 rpy = rpy_of(R);
  rh_vec3 g = rh_rotate(R, rh_v3(0, 0, -G));
  char ball[400];
  char block[400];
  // The joints' own frames are turned, so initial states are as before.
  (void)snprintf(ball, sizeof ball,
                 "{kind: free, child: ball, at: [%.17g, %.17g, %.17g], rpy: [%.17g, %.17g, %.17g],"
                 " q: [0, 0, 0.5, 1, 0, 0, 0], v: [1, 0.5, 0, 3, -20, 10]}",
                 move.x, move.y, move.z, rpy.x, rpy.y, rpy.z);
  (void)snprintf(block, sizeof block,
                 "{kind: free, child: block, at: [%.17g, %.17g, %.17g], rpy: [%.17g, %.17g, %.17g],"
                 " q: [2, 0, 0.05, 1, 0, 0, 0], v: [-1, 0.3, 0, 0, 0, 2]}",
                 move.x, move.y, move.z, rpy.x, rpy.y, rpy.z);
  play(
      "world: {gravity: [%.17g, %.17g, %.17g]}\n"
      "bodies: [{name: %s, mass: 1}, {name: %s, mass: 1}]\n"
      "joints: [%s, %s]\n"
      "shapes: [{body: world, kind: plane, at: [%.17g, %.17g, %.17g], rpy: [%.17g, %.17g, %.17g]},"
      " {body: ball, kind: sphere, radius: 0.1}, {body: block, kind: box, size: [0.3, 0.2, 0.1]}]\n"
      "contacts: [{name: one, body: %s, against: world, law: poisson, e: 0.4, friction: dry, mu_s: "
      "0.3, mu_k: 0.2},"
      " {name: two, body: %s, against: world, law: poisson, e: 0.4, friction: dry, mu_s: 0.3, "
      "mu_k: 0.2}]\n"
      "run: {until: 1.2, " FINE "}\n",
      g.x, g.y, g.z, swap ? "block" : "ball", swap ? "ball" : "block", swap ? block : ball,
      swap ? ball : block, move.x, move.y, move.z, rpy.x, rpy.y, rpy.z, swap ? "block" : "ball",
      swap ? "ball" : "block");
  no_verdicts();
}

static void keep(double x[26], bool swap)
{
  for (int b = 0; b < 2; b++) {
    int from = swap ? 1 - b : b;
    memcpy(x + (ptrdiff_t)13 * b, told.q + (ptrdiff_t)7 * from, 7 * sizeof *x);
    memcpy(x + (ptrdiff_t)13 * b + 7, told.v + (ptrdiff_t)6 * from, 6 * sizeof *x);
  }
}

enum { BLOWS = 40 };

// When the blows were that are more than rounding: corners that rest may find each other late by nanoseconds.
static int real_blows(double t[BLOWS])
{
  int n = 0;
  for (int i = 0; i < told.n && i < TALE_MAX && n < BLOWS; i++) {
    const rh_event *e = &told.at[i].e;
    if (e->kind == RH_EVENT_IMPACT && e->before < -1e-6) {
      t[n++] = e->t;
    }
  }
  return n;
}

static int same_number(int a, int b)
{
  ck_assert_int_eq(a, b);
  return a;
}

START_TEST(frames)
{
  static tale first;
  double blows[BLOWS];
  double times[BLOWS];
  double want[26];
  double got[26];
  rh_mat3 R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  play_turned(&R, rh_v3(0, 0, 0), false);
  first = told;
  int nblows = real_blows(blows);
  keep(want, false);
  rng r = {(uint64_t)_i + 7};
  R = rh_quat_matrix(rng_quat(&r));
  play_turned(&R, rng_vec3(&r, 3), _i % 2 == 1);
  int ntimes = real_blows(times);
  keep(got, _i % 2 == 1);
  // The turned scene's numbers are rounded anew, by 1e-15; impacts and 1.2 s make 1e-9 of that at the most.
  near_array(got, want, 26, 1e-9, 1e-9);
  count_is(RH_EVENT_STICK, first.count[RH_EVENT_STICK]);
  near_array(times, blows, same_number(ntimes, nblows), LOCATED, 0);
}

END_TEST

// ---- Twice the same bits, and from the middle

static const char busy_scene[] = DOWN
    "bodies: [{name: a, mass: 1}, {name: b, mass: 2}, {name: c, mass: 0.5}]\n"
    "joints: [{kind: free, child: a, q: [0, 0, 0.5, 0.9, 0.1, 0.3, 0.3], v: [0.5, 0, 0, 1, 2, 3]},"
    " {kind: free, child: b, q: [0.1, 0.02, 1, 1, 0, 0, 0], v: [0, 0, -1, 0, 5, 0]},"
    " {kind: free, child: c, q: [-0.5, 0, 0.1, 1, 0, 0, 0], v: [3, 0, 0, 0, 0, 0]}]\n"
    "shapes: [" FLAT_FLOOR
    ", {body: a, kind: box, size: [0.3, 0.2, 0.1]}, {body: b, kind: sphere, radius: 0.1},"
    " {body: c, kind: sphere, radius: 0.1}]\n"
    "contacts: [{body: a, against: all, law: newton, e: 0.3, friction: dry, mu_s: 0.4, mu_k: 0.3},"
    " {body: b, against: world, law: newton, e: 0.5, friction: dry, mu_s: 0.4, mu_k: 0.3},"
    " {body: c, against: all, law: newton, e: 0.5, friction: dry, mu_s: 0.4, mu_k: 0.3}]\n"
    "record: {every: 0.01, batch: 10}\n"
    "run: {until: 1.5}\n";

typedef struct kept {
  double *state;
  long at;
} kept;

static rh_status keep_frame(void *user, const rh_sim *sim, long index)
{
  kept *k = user;
  if (index == k->at) {
    const rh_data *d = rh_sim_view(sim);
    memcpy(k->state, d->state, (size_t)d->model->layout.nstate * sizeof *k->state);
  }
  return RH_OK;
}

static rh_model *busy_model(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  rh_model *model = model_text(format, list);
  va_end(list);
  return model;
}

START_TEST(same_bits)
{
  rh_model *model = busy_model("%s", busy_scene);
  size_t bytes = (size_t)model->layout.nstate * sizeof(double);
  double *state[3];
  double *middle = malloc(bytes);
  for (int i = 0; i < 3; i++) {
    rh_sim *sim = sim_of(model);
    kept k = {middle, 10 * (_i + 1)};
    rh_observer observer = {&k, keep_frame, NULL, NULL};
    state[i] = malloc(bytes);
    if (i < 2) {
      rh_sim_observe(sim, &observer);
    } else {
      rh_sim_resume(sim, k.at, middle);
    }
    run_to(sim, 1.5);
    memcpy(state[i], rh_sim_view(sim)->state, bytes);
    rh_sim_destroy(sim);
  }
  ck_assert_int_eq(memcmp(state[0], state[1], bytes), 0);
  for (int i = 0; i < model->layout.nstate; i++) {
    ck_assert_msg(state[0][i] == state[2][i] || (isnan(state[0][i]) && isnan(state[2][i])),
                  "state %d of %d: %.17g, resumed %.17g", i, model->layout.nstate, state[0][i],
                  state[2][i]);
  }
  for (int i = 0; i < 3; i++) {
    free(state[i]);
  }
  free(middle);
  rh_model_destroy(model);
}

END_TEST

// ---- Odd sizes, masses and starts

// A ball of any size bounces to e^2 of the height it falls from, in units of its size, and comes to rest.
START_TEST(sizes)
{
  static const double size[] = {1e-4, 1e-3, 1, 1e3};
  double r = size[_i];
  double m = 1000 * r * r * r;
  double time = sqrt(2 * r / G);
  play(DOWN
       "bodies: [{name: b, mass: %.17g}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, 0, 0]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: %.17g}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0.5, friction: dry, mu_s: 0.5, mu_k: "
       "0.5}]\n"
       "run: {until: %.17g}\n",
       m, 2 * r, sqrt(r), r, 20 * time);
  const rh_event *e = &nth(RH_EVENT_IMPACT, 0)->e;
  near_abs(e->t, time, LOCATED);
  near_rel(e->before, -G * time, 1e-9);
  near_rel(e->after, G * time / 2, 1e-9);
  near_rel(told.q[2], r, 1e-9);
  near_abs(told.v[2], 0, 1e-9 * G * time);
  near_rel(told.v[4] * r, told.v[0], 1e-7); // rolls
  no_verdicts();
}

END_TEST

// A block of a ton on a ball of a gram, and the other way round, exactly above each other: they stand.
START_TEST(masses)
{
  double lower = _i ? 1e-3 : 1e3;
  double upper = _i ? 1e3 : 1e-3;
  play(DOWN "bodies: [{name: a, mass: %g}, {name: b, mass: %g}]\n"
            "joints: [{kind: free, child: a, q: [0, 0, 0.1, 1, 0, 0, 0]}, {kind: free, child: b, "
            "q: [0, 0, 0.3, 1, 0, 0, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: a, kind: box, size: [0.2, 0.2, 0.2]}, {body: b, kind: "
            "box, size: [0.2, 0.2, 0.2]}]\n"
            "contacts: [{body: a, against: all, law: newton, e: 0.2, friction: dry, mu_s: 0.5, "
            "mu_k: 0.5}]\n"
            "run: {until: 1}\n",
       lower, upper);
  near_abs(told.q[2], 0.1, 1e-9);
  near_abs(told.q[9], 0.3, 1e-9);
  count_is(RH_EVENT_SEPARATE, 0);
  count_is(RH_EVENT_IMPACT, 0);
}

END_TEST

// Two balls stacked exactly stand on each other: the balance is unstable, but nothing disturbs it.
START_TEST(stacked_balls)
{
  play(DOWN "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
            "joints: [{kind: free, child: a, q: [0, 0, 0.1, 1, 0, 0, 0]}, {kind: free, child: b, "
            "q: [0, 0, 0.3, 1, 0, 0, 0]}]\n"
            "shapes: [" FLAT_FLOOR
            ", {body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, radius: 0.1}]\n"
            "contacts: [{body: a, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
            "0.5}]\n"
            "run: {until: 2}\n");
  near_abs(told.q[2], 0.1, 1e-9);
  near_abs(told.q[9], 0.3, 1e-9);
  count_is(RH_EVENT_SEPARATE, 0);
}

END_TEST

// A start in contact with a speed into it is a blow at once; an overlap of 1e-7 m is none, and is let out without a kick.
START_TEST(starts)
{
  static const double deep[] = {0, 1e-7};
  const char *scene = DOWN
      "bodies: [{name: b, mass: 1}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [0, 0, %.17g, 0, 0, 0]}]\n"
      "shapes: [" FLAT_FLOOR ", {body: b, kind: %s}]\n"
      "contacts: [{body: b, against: world, law: newton, e: %g, friction: dry, mu_s: 0.5, mu_k: "
      "0.5}]\n"
      "run: {until: 0.1, " FINE "}\n";
  const char *shape = _i % 2 ? "box, size: [0.2, 0.2, 0.2]" : "sphere, radius: 0.1";
  double z = 0.1 - deep[_i / 2 % 2];
  rh_model *model = busy_model(scene, z, -1.0, shape, 0.5);
  tell(model);
  ck_assert_int_eq(told.status, RH_OK);
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.t, 0, 0);
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.after, 0.5, 1e-12);
  near_abs(told.v[2], 0.5 + -G * told.t * (told.t < 1 / G), 1e-9);
  rh_model_destroy(model);
  model = busy_model(scene, z, 0.0, shape, 0.5);
  tell(model);
  count_is(RH_EVENT_IMPACT, 0);
  near_abs(told.q[2], 0.1, 1.001 * deep[_i / 2 % 2] + 1e-12);
  near_abs(told.v[2], 0, 1e-6); // let out at 10/s
  rh_model_destroy(model);
}

END_TEST

// A box thrown on a floor by every law, from plastic to elastic, on ice and on rubber: it stays above, and the books close.
START_TEST(tumbles)
{
  const char *law = (const char *[]){"newton", "poisson", "stronge"}[_i % 3];
  double e = 0.5 * (_i / 3 % 3);
  double mu = (double[]){0, 0.3, 1}[_i / 9 % 3];
  play(DOWN
       "bodies: [{name: b, mass: 1}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.6, 0.9, 0.1, 0.3, 0.3], v: [1, 0.5, 0, 3, -2, "
       "5]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, kind: box, size: [0.3, 0.2, 0.1]}]\n"
       "contacts: [{body: b, against: world, law: %s, e: %g, friction: dry, mu_s: %g, mu_k: %g}]\n"
       "run: {until: 2, rtol: 1e-11, atol: 1e-13}\n",
       law, e, mu, mu);
  for (int i = 0; i < told.n && i < TALE_MAX; i++) {
    ck_assert_double_gt(told.at[i].q[2], 0.05 - 1e-9); // half its least side
  }
  ck_assert_double_gt(told.q[2], 0.05 - 1e-9);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

Suite *rh_suite_unit_rigid_same(void)
{
  Suite *suite = suite_create("unit_rigid_same");
  TCase *tests = tcase_create("same");
  tcase_add_loop_test(tests, frames, 0, 6);
  tcase_add_loop_test(tests, same_bits, 0, 4);
  tcase_add_loop_test(tests, sizes, 0, 4);
  tcase_add_loop_test(tests, masses, 0, 2);
  tcase_add_test(tests, stacked_balls);
  tcase_add_loop_test(tests, starts, 0, 4);
  tcase_add_loop_test(tests, tumbles, 0, 27);
  suite_add_tcase(suite, tests);
  return suite;
}
