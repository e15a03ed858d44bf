// unit_moreau_laws.c: what time steps make of a contact's numbers: which approaches are impacts, and
// static and kinetic friction.
#include "moreau.h"

// ---- Impacts

typedef struct hits {
  int n;
  double slowest; // [m/s]
} hits;

static rh_status count_hit(void *user, const rh_sim *sim, const rh_event *event)
{
  hits *h = user;
  (void)sim;
  if (event->kind == RH_EVENT_IMPACT) {
    h->slowest = h->n == 0 ? fabs(event->before) : fmin(h->slowest, fabs(event->before));
    h->n++;
  }
  return RH_OK;
}

static hits hits_of(const char *scene, rh_model **model, rh_sim **sim)
{
  hits h = {0};
  *model = model_from(scene, NULL, 0);
  *sim = sim_of(*model);
  rh_observer observer = {.user = &h, .event = count_hit};
  rh_sim_observe(*sim, &observer);
  ck_assert_int_eq(rh_sim_run(*sim, (*model)->run.until), RH_OK);
  rh_sim_observe(*sim, NULL);
  return h;
}

// A ball bounces until its approach is that of a step of free fall, g dt, and lies then: no impact is
// slower. The last one leaves a height that a step closes, (e u)^2/(2 g) below some g dt^2: u < 3 g dt.
START_TEST(last_bounce)
{
  static const double step[] = {1e-4, 1e-3, 5e-3};
  char scene[1024];
  rh_model *model;
  rh_sim *sim;
  double dt = step[_i];
  snprintf(scene, sizeof scene,
           DOWN "bodies: [{name: b, mass: 1}]\n"
                "joints: [{kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0]}]\n"
                "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"
                "contacts: [{body: b, against: world, law: newton, e: 0.5, friction: none}]\n"
                "run: {until: 1, engine: stepping, dt: %.17g}\n",
           dt);
  hits h = hits_of(scene, &model, &sim);
  ck_assert_double_ge(h.slowest, G * dt * (1 - 1e-12));
  ck_assert_double_le(h.slowest, 3 * G * dt);
  near_abs(rh_sim_view(sim)->v[2], 0, 1e-12);
  finish(sim, model);
}

END_TEST

// Across gravity there is no fall in a step: two balls on the ground that meet at 2 mm/s, far below
// g dt, part with e.
START_TEST(slow_across)
{
  rh_model *model;
  rh_sim *sim;
  hits h = hits_of(
      DOWN
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
      "joints: [{kind: free, child: a, q: [0, 0, 0.1, 1, 0, 0, 0], v: [0.002, 0, 0, 0, 0, 0]},\n"
      "  {kind: free, child: b, q: [0.2005, 0, 0.1, 1, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, "
      "radius: 0.1}]\n"
      "contacts: [{body: a, against: world, law: newton, e: 0.5, friction: none},\n"
      "  {body: b, against: world, law: newton, e: 0.5, friction: none},\n"
      "  {body: a, against: b, law: newton, e: 0.8, friction: none}]\n"
      "run: {until: 1, engine: stepping, dt: 1e-3, rest_speed: 0}\n",
      &model, &sim);
  ck_assert_int_eq(h.n, 1);
  near_abs(rh_sim_view(sim)->v[0], 0.5 * (1 - 0.8) * 0.002, 1e-12);
  near_abs(rh_sim_view(sim)->v[6], 0.5 * (1 + 0.8) * 0.002, 1e-12);
  finish(sim, model);
}

END_TEST

// ---- Static and kinetic friction

static const char *const bodies[] = {"kind: box, size: [0.2, 0.2, 0.1]",
                                     "kind: cylinder, radius: 0.1, length: 0.1",
                                     "kind: box, size: [0.4, 0.05, 0.1]"};

// A body of 2 kg, mu_s = 0.5, mu_k = 0.3, pushed by `push` of its weight
static rh_sim *pushed_body(int i, double push, double dt, rh_model **model)
{
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN "bodies: [{name: b, mass: 2}]\n"
                "joints: [{kind: free, child: b, q: [0, 0, 0.05, 1, 0, 0, 0]}]\n"
                "shapes: [" FLOOR ", {body: b, %s}]\n"
                "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "
                "mu_k: 0.3}]\n"
                "forces: [{name: f, body: b, force: [%.17g, 0, 0], at: [0, 0, -0.04]}]\n"
                "run: {until: 0.5, engine: stepping, dt: %.17g}\n",
           bodies[i], push * 2 * G, dt);
  *model = model_from(scene, NULL, 0);
  return watch(*model, NULL, NULL);
}

// Below mu_s it holds, to rounding; above it slides with mu_k, but for the step in which it begins
// and that to which its velocity counts as rest: (mu_s - mu_k) g 2 dt.
START_TEST(holds_until_static)
{
  static const double step[] = {1e-4, 1e-3, 4e-3};
  double dt = step[_i % 3];
  rh_model *model;
  rh_sim *sim = pushed_body(_i / 3, 0.499, dt, &model);
  near_abs(rh_sim_view(sim)->v[0], 0, 1e-12);
  near_abs(rh_sim_view(sim)->q[0], 0, 1e-9);
  finish(sim, model);
  sim = pushed_body(_i / 3, 0.51, dt, &model);
  near_abs(rh_sim_view(sim)->v[0], (0.51 - 0.3) * G * 0.5, 0.2 * G * 2 * dt);
  finish(sim, model);
}

END_TEST

// A body thrown along the ground slides with mu_k to its end, and then holds what mu_s can.
START_TEST(slides_to_rest)
{
  rh_model *model = model_from(
      DOWN
      "bodies: [{name: b, mass: 2}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, 0.05, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: b, kind: box, size: [0.4, 0.4, 0.1]}]\n"
      "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.6, mu_k: "
      "0.3}]\n"
      "forces: [{name: f, body: b, force: [9.81, 0, 0], at: [0, 0, -0.05], from: 0.5}]\n"
      "run: {until: 1, engine: stepping, dt: 1e-3}\n",
      NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  near_abs(rh_sim_view(sim)->q[0], 1 / (2 * 0.3 * G), 1e-3); // dt v
  near_abs(rh_sim_view(sim)->v[0], 0, 1e-12);
  finish(sim, model);
}

END_TEST

// ---- Bodies that are hit fast

// [m] Three thin plates (or balls) in a row, 3 cm apart, the last before a wall at 0.1 m; a ball at
// 1000 m/s hits the first: a metre per step.
static void look_behind_wall(void *user, const rh_sim *sim)
{
  double *farthest = user;
  for (int i = 0; i < 4; i++) {
    *farthest = fmax(*farthest, rh_sim_view(sim)->q[7 * i]);
  }
}

START_TEST(nothing_is_passed)
{
  static const char *const target[] = {"kind: box, size: [0.001, 0.1, 0.1]",
                                       "kind: sphere, radius: 0.01"};
  static const double bounce[] = {0, 0.5, 1};
  static const double mass[] = {0.01, 0.1, 1};
  double farthest = 0;
  const char *shape = target[_i % 2];
  watch_scene(
      look_behind_wall, &farthest,
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: s, mass: 0.1}, {name: a, mass: %g}, {name: b, mass: 0.1}, {name: c, mass: "
      "0.02}]\n"
      "joints: [{kind: free, child: s, q: [-0.3, 0, 0, 1, 0, 0, 0], v: [1000, 0, 0, 0, 0, 0]},\n"
      "  {kind: free, child: a, q: [0, 0, 0, 1, 0, 0, 0]}, {kind: free, child: b, q: [0.03, 0, 0, "
      "1, 0, 0, 0]},\n"
      "  {kind: free, child: c, q: [0.06, 0, 0, 1, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: box, size: [0.002, 4, 4], at: [0.1, 0, 0]},\n"
      "  {body: s, kind: sphere, radius: 0.02}, {body: a, %s}, {body: b, %s}, {body: c, %s}]\n"
      "contacts: [{body: all, against: all, law: newton, e: %g, friction: none}]\n"
      "run: {until: 0.01, engine: stepping}\nrecord: {every: 1e-3}\n",
      mass[_i / 6], shape, shape, shape, bounce[_i / 2 % 3]);
  ck_assert_double_le(farthest, 0.099);
  ck_assert_double_ge(farthest, 0.05); // they have come there
}

END_TEST

// ---- Grasps

// scenes/grasp-two-fingers.yaml by time steps: the block comes along with the hand, without slip and
// without a turn about the line between the fingers. With too little friction it stays behind.
START_TEST(two_fingers_hold)
{
  static const char *const step[] = {"run.dt=2e-3", "run.dt=1e-3", "run.dt=2.5e-4", "run.dt=1e-3"};
  const char *set[] = {"run.engine=stepping", step[_i],        "right.mu_s=0.2",
                       "right.mu_k=0.2",      "left.mu_s=0.2", "left.mu_k=0.2"};
  bool holds = _i < 3;
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_load(ROUTH_SOURCE_DIR "/scenes/grasp-two-fingers.yaml", set,
                                 holds ? 2 : 6, diag, &scene),
                   RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  rh_sim *sim = watch(model, NULL, NULL);
  const double *q = rh_sim_view(sim)->q; // hand, fingers, block
  if (holds) {
    near_abs(q[0], 0.25, 1e-3);
    near_abs(q[5] - q[0], 0.05, 1e-5);
    near_abs(2 * q[7], 0, 1e-3); // [rad] about the line between the fingers
  } else {
    ck_assert_double_lt(q[5] - q[0], 0);
  }
  finish(sim, model);
}

END_TEST

// ---- Dominoes

enum { DOMINOES = 12 };

// A row of dominoes falls, the last as the first: chains of contacts that slide and lean on one
// another, which sweeps do not solve. Every step is solved; the sweeps of the first solver, and the
// residue, have the size that they have in piles.
START_TEST(dominoes_fall)
{
  static text t;
  t.n = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < DOMINOES; i++) {
    put(&t, "  - {name: d%d, mass: 10 g}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < DOMINOES; i++) {
    put(&t,
        "  - {kind: free, child: d%d, q: [%.17g, 0, 0.025, 1, 0, 0, 0], v: [%g, 0, 0, 0, %g, 0]}\n",
        i, 0.02 * i, i == 0 ? 0.125 : 0, i == 0 ? 5.0 : 0);
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < DOMINOES; i++) {
    put(&t, "  - {body: d%d, kind: box, size: [0.0075, 0.025, 0.05]}\n", i);
  }
  put(&t,
      "contacts:\n"
      "  - {body: world, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: 0.5}\n"
      "  - {body: all, against: all, law: newton, e: 0.1, friction: dry, mu_s: 0.2, mu_k: 0.2}\n"
      "run: {until: 1, engine: stepping}\n");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  for (int i = 0; i < DOMINOES; i++) {
    const double *q = rh_sim_view(sim)->q + (size_t)7 * (size_t)i;
    double up = 1 - 2 * (q[4] * q[4] + q[5] * q[5]); // its axis along the world's
    ck_assert_msg(up < 0.5, "domino %d stands: %g", i, up);
  }
  ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_UNSOLVED, NULL), 0);
  ck_assert_double_lt(fabs(rh_sim_ledger(sim).residue), 1e-2 * rh_sim_ledger(sim).initial);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_moreau_laws(void)
{
  Suite *s = suite_create("unit_moreau_laws");
  TCase *t = tcase_create("laws");
  tcase_add_loop_test(t, last_bounce, 0, 3);
  tcase_add_test(t, slow_across);
  tcase_add_loop_test(t, holds_until_static, 0, 9);
  tcase_add_test(t, slides_to_rest);
  tcase_add_loop_test(t, nothing_is_passed, 0, 18);
  tcase_add_loop_test(t, two_fingers_hold, 0, 4);
  tcase_add_test(t, dominoes_fall);
  suite_add_tcase(s, t);
  return s;
}
