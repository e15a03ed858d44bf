// ref_moreau_rest.c: what stands still under the engine `stepping`: stacks, a heavy block on a light one, blocks on slopes, a house of
// cards; and the weight that the ground feels. 60 s each, as asked for; less in a sanitizer build.
#include "moreau.h"

enum { REST_MAX = 16 };

typedef struct rest {
  int bodies;
  double q[7 * REST_MAX]; // at the start
  double drift, sag, rise,
      fast;           // [m] sideways, down, up: most so far; [m/s] fastest in the last half
  double weight;      // [N] of all; 0: not looked at
  double least, most; // [N] what the ground carried in the last half
  double side;        // [N] sideways force there, most
} rest;

static double minute(void)
{
  return RH_TEST_SLOW ? 6 : 60;
}

static void look_at_rest(void *user, const rh_sim *sim)
{
  rest *r = user;
  const rh_data *d = rh_sim_view(sim);
  int n = 7 * r->bodies;
  if (*d->t == 0) {
    memcpy(r->q, d->q, (size_t)n * sizeof *r->q);
    return;
  }
  for (int i = 0; i < r->bodies; i++) {
    const double *q = d->q + 7 * i;
    const double *v = d->v + 6 * i;
    const double *q0 = r->q + 7 * i;
    r->drift = fmax(r->drift, hypot(q[0] - q0[0], q[1] - q0[1]));
    r->sag = fmax(r->sag, q0[2] - q[2]);
    r->rise = fmax(r->rise, q[2] - q0[2]);
    if (*d->t > d->model->run.until / 2) {
      r->fast = fmax(r->fast, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
  }
  if (r->weight > 0 && *d->t > d->model->run.until / 2) {
    rh_vec3 f = carried(d);
    r->least = r->least > 0 ? fmin(r->least, f.z) : f.z;
    r->most = fmax(r->most, f.z);
    r->side = fmax(r->side, hypot(f.x, f.y));
  }
}

// 1e-9 m is what the stack is asked for; rigid contact has no reason to give way either.
static void stands(const rest *r)
{
  ck_assert_double_lt(r->drift, 1e-9);
  ck_assert_double_lt(r->sag, 1e-9);
  ck_assert_double_lt(r->rise, 1e-9);
  ck_assert_double_lt(r->fast, 1e-9);
}

static rest stack(double dt)
{
  rest r = {.bodies = 10, .weight = 10 * G};
  static text t;
  t.n = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < 10; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < 10; i++) {
    put(&t, "  - {kind: free, child: b%d, q: [%.17g, %.17g, %.17g, 1, 0, 0, 0]}\n", i,
        0.002 * sin(i), 0.002 * cos(2 * i), 0.1 + 0.2 * i);
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < 10; i++) {
    put(&t, "  - {body: b%d, kind: box, size: [0.2, 0.2, 0.2]}\n", i);
  }
  put(&t, "contacts:\n");
  for (int i = 0; i < 10; i++) {
    put(&t,
        "  - {body: b%d, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: 0.5}\n",
        i);
  }
  put(&t, "run: {until: %.17g, engine: stepping, dt: %.17g}\nrecord: {every: 0.1}\n", minute(), dt);
  watch_text(look_at_rest, &r, t.s);
  return r;
}

START_TEST(stack_of_ten)
{
  const double dt[] = {1e-3, 4e-3};
  for (int i = 0; i < 2; i++) {
    rest r = stack(dt[i]);
    stands(&r);
    near_rel(r.least, r.weight, 1e-9); // asked for
    near_rel(r.most, r.weight, 1e-9);
    ck_assert_double_lt(r.side, 1e-9 * r.weight);
  }
}

END_TEST

static rest pair_of(double below, double above, double dt)
{
  rest r = {.bodies = 2, .weight = (below + above) * G};
  watch_scene(look_at_rest, &r,
              DOWN
              "bodies: [{name: low, mass: %.17g}, {name: high, mass: %.17g}]\n"
              "joints: [{kind: free, child: low, q: [0, 0, 0.1, 1, 0, 0, 0]}, {kind: free, child: "
              "high, q: [0, 0, 0.3, 1, 0, 0, 0]}]\n"
              "shapes: [" FLOOR ", {body: low, kind: box, size: [0.2, 0.2, 0.2]}, {body: high, "
              "kind: box, size: [0.2, 0.2, 0.2]}]\n"
              "contacts: [{body: low, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, "
              "mu_k: 0.5}]\n"
              "run: {until: %.17g, engine: stepping, dt: %.17g}\nrecord: {every: 0.1}\n",
              below, above, minute(), dt);
  return r;
}

START_TEST(heavy_on_light)
{
  const double dt[] = {1e-3, 4e-3};
  for (int i = 0; i < 4; i++) {
    rest r = i < 2 ? pair_of(1, 1e4, dt[i % 2]) : pair_of(1e4, 1, dt[i % 2]);
    stands(&r);
    near_rel(r.least, r.weight, 1e-9);
    near_rel(r.most, r.weight, 1e-9);
  }
}

END_TEST

// ---- On a slope

static rest on_slope(const char *shape, double height, double slope, double heading)
{
  rest r = {.bodies = 1};
  double a = atan(slope);
  watch_scene(
      look_at_rest, &r,
      "world: {gravity: [%.17g, %.17g, %.17g]}\nbodies: [{name: b, mass: 3}]\n"
      "joints: [{kind: free, child: b, q: [0.3, 0.2, %.17g, 1, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: b, %s}]\n"
      "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
      "0.5}]\n"
      "run: {until: %.17g, engine: stepping, dt: 0.001}\nrecord: {every: 0.1}\n",
      G * sin(a) * cos(heading), G * sin(a) * sin(heading), -G * cos(a), height, shape, minute());
  return r;
}

// Inside its cone nothing creeps: 1e-12 m in a minute, whichever way the slope falls and however near the limit it is.
START_TEST(block_in_its_cone)
{
  const double slope[] = {0.1, 0.4, 0.499};
  for (int i = 0; i < 6; i++) {
    rest r = on_slope("kind: box, size: [0.4, 0.4, 0.1]", 0.05, slope[i % 3], i < 3 ? 0 : 0.7);
    ck_assert_double_lt(r.drift, 1e-12);
    ck_assert_double_lt(r.sag, 1e-12);
    ck_assert_double_lt(r.rise, 1e-12);
  }
}

END_TEST

// ---- A house of cards

typedef struct house {
  double q[45], most;
} house;

static void look_at_house(void *user, const rh_sim *sim)
{
  house *h = user;
  const rh_data *d = rh_sim_view(sim);
  ck_assert_int_eq(d->model->nq, 45);
  if (*d->t == 0) {
    memcpy(h->q, d->q, sizeof h->q);
  }
  for (int i = 0; i < 45; i++) {
    h->most = fmax(h->most, fabs(d->q[i] - h->q[i]));
  }
}

// scenes/card-house.yaml: fifteen cards stand if mu > 0.39985, by a linear programme. A micrometre, or microradian, in 10 s: a
// thousandth of a card's thickness.
START_TEST(house_of_cards)
{
  static const char *const set[] = {"run.engine=stepping", "run.dt=0.001", "record.every=0.1"};
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status =
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/card-house.yaml", set, 3, diag, &scene);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  house h = {.most = 0};
  finish(watch(model, look_at_house, &h), model);
  ck_assert_double_lt(h.most, 1e-6);
}

END_TEST

Suite *rh_suite_ref_moreau_rest(void)
{
  Suite *suite = suite_create("ref_moreau_rest");
  TCase *tc = tcase_create("rest");
  tcase_add_test(tc, stack_of_ten);
  tcase_add_test(tc, heavy_on_light);
  tcase_add_test(tc, block_in_its_cone);
  tcase_add_test(tc, house_of_cards);
  suite_add_tcase(suite, tc);
  return suite;
}
