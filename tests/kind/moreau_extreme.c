// kind_moreau_extreme.c: the engine `stepping` at the ends of what it is asked: sizes from a millimetre to a kilometre, masses a million times apart, 1000 m/s at fine ground,
// spins of many radians a step, bodies all at one place; and Coulomb's law at every frame. Nothing passes through, no energy comes from nowhere.
#include "moreau.h"

#include <stdlib.h>

static const char STONE[] =
    "[[-0.06, -0.04, -0.03], [0.055, -0.045, -0.035], [0.05, 0.045, -0.025], [-0.045, 0.05, "
    "-0.03], "
    "[-0.035, -0.025, 0.04], [0.03, -0.03, 0.045], [0.025, 0.03, 0.035], [0, 0, 0.055]]";

static void put_free(text *t, int i, rh_vec3 x, rh_quat q, rh_vec3 v, rh_vec3 w)
{
  put(t,
      "  - {kind: free, child: b%d, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], v: "
      "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n",
      i, x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z);
}

static void put_bodies(text *t, int n, const double *mass)
{
  put(t, "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {name: b%d, mass: %.17g}\n", i, mass[i]);
  }
}

static const rh_quat UPRIGHT = {1, 0, 0, 0};

typedef struct seen {
  bool begun;
  double first, least, rise; // [J]
  double low, high;          // [m] of the first body
} seen;

static void look_at(void *user, const rh_sim *sim)
{
  seen *s = user;
  double e = energy_of(sim);
  double z = rh_sim_view(sim)->q[2];
  if (!s->begun) {
    *s = (seen){true, e, e, 0, z, -HUGE_VAL};
  }
  s->rise = fmax(s->rise, e - s->least);
  s->least = fmin(s->least, e);
  s->low = fmin(s->low, z);
  s->high =
      *rh_sim_view(sim)->t > 0.5 * rh_sim_view(sim)->model->run.until ? fmax(s->high, z) : s->high;
}

static seen run_text(const text *t)
{
  seen s = {.begun = false};
  rh_model *model = model_from(t->s, NULL, 0);
  finish(watch(model, look_at, &s), model);
  return s;
}

// ---- Sizes

// A ball without loss, in worlds in which all lengths are `size` times as long and times root `size`: heights after twenty bounces are alike. The frame nearest to the top is
// as near in all of them; 1e-6 of the height is what is asked for of a bounce.
static double top_of_bounce(double size)
{
  static text t;
  t.n = 0;
  double unit = sqrt(size);
  const double mass = size * size * size;
  put(&t, DOWN);
  put_bodies(&t, 1, &mass);
  put(&t, "joints:\n");
  put_free(&t, 0, rh_v3(0, 0, 2 * size), UPRIGHT, rh_v3(0, 0, 0), rh_v3(0, 0, 0));
  put(&t,
      "shapes:\n  - " FLOOR "\n  - {body: b0, kind: sphere, radius: %.17g}\ncontacts:\n  - {body: "
      "b0, against: world, law: newton, e: 1, "
      "friction: dry, mu_s: 0.3, mu_k: 0.3}\nrun: {until: %.17g, engine: stepping, dt: "
      "%.17g}\nrecord: {every: %.17g}\n",
      0.5 * size, 10 * unit, 2e-3 * unit, 0.02 * unit);
  seen s = run_text(&t);
  ck_assert_double_le(s.rise, 1e-12 * s.first); // rounding of ten bounces
  return s.high / size;
}

// Five blocks, each a tenth beside the one below: at rest not by a bit of their size in 2500 steps.
static double creep_of_stack(double size)
{
  static text t;
  t.n = 0;
  double unit = sqrt(size);
  double mass[5];
  put(&t, DOWN);
  for (int i = 0; i < 5; i++) {
    mass[i] = 1000 * size * size * size;
  }
  put_bodies(&t, 5, mass);
  put(&t, "joints:\n");
  for (int i = 0; i < 5; i++) {
    put_free(&t, i, rh_v3(0.1 * size * (i % 2), 0, (0.5 + i) * size), UPRIGHT, rh_v3(0, 0, 0),
             rh_v3(0, 0, 0));
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < 5; i++) {
    put(&t, "  - {body: b%d, kind: box, size: [%.17g, %.17g, %.17g]}\n", i, size, size, size);
  }
  put(&t,
      "contacts:\n  - {body: all, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
      "0.5}\nrun: {until: %.17g, engine: "
      "stepping, dt: %.17g}\n",
      5 * unit, 2e-3 * unit);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  double most = 0;
  for (int i = 0; i < model->nq; i++) {
    most = fmax(most, fabs(rh_sim_view(sim)->q[i] - model->start.q0[i]));
  }
  finish(sim, model);
  return most / size;
}

START_TEST(a_millimetre_and_a_kilometre)
{
  const double size[] = {1e-3, 1e-2, 1, 1e3};
  double top = top_of_bounce(1);
  for (int i = 0; i < 4; i++) {
    near_abs(top_of_bounce(size[i]), top, 2e-6);
    near_abs(creep_of_stack(size[i]), 0, 1e-12);
  }
}

END_TEST

// ---- Masses

// Blocks of 1 g and of a ton in turn fall on each other: sweeps do not settle such steps, and what they leave once gave 0.4 of the energy. Steps that are not solved still leave shivers
// of centimetres a second: 1e-4, which is a ton at 3 cm/s.
START_TEST(a_million_to_one_gains_nothing)
{
  const double mass[4] = {1e-3, 1e3, 1e-3, 1e3};
  static text t;
  t.n = 0;
  put(&t, DOWN);
  put_bodies(&t, 4, mass);
  put(&t, "joints:\n");
  for (int i = 0; i < 4; i++) {
    put_free(&t, i, rh_v3(0.01 * i, 0, 0.06 + 0.12 * i), UPRIGHT, rh_v3(0, 0, 0), rh_v3(0, 0, 0));
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < 4; i++) {
    put(&t, "  - {body: b%d, kind: box, size: [0.1, 0.1, 0.1]}\n", i);
  }
  put(&t, "contacts:\n  - {body: all, against: all, law: newton, e: 0.3, friction: dry, mu_s: 0.5, "
          "mu_k: 0.5}\n"
          "run: {until: 0.16, engine: stepping, dt: 0.001}\nrecord: {every: 0.001}\n");
  seen s = run_text(&t);
  ck_assert_double_le(s.rise, 1e-4 * s.first);
}

END_TEST

// ---- Speeds

static const char *const SHAPE[] = {
    "kind: sphere, radius: 0.05", "kind: box, size: [0.1, 0.08, 0.06]",
    "kind: capsule, radius: 0.03, length: 0.1", "kind: cylinder, radius: 0.04, length: 0.1",
    "kind: hull, mesh: stone"};

// 1000 m/s down on ground with cells of 0.1 m that stand out by a millimetre: ten or a hundred cells a step, where points are looked for within two. No body comes to be below the
// ground (what slides half a metre aside in a step is off by a hundredth of that), and none has more energy than before.
START_TEST(fast_bodies_and_fine_ground)
{
  const double e[] = {0, 0.5, 1};
  const double one = 1;
  static text t;
  for (int k = 0; k < 30; k++) {
    rng r = {(uint64_t)k};
    t.n = 0;
    put(&t, "world: {gravity: [0, 0, 0]}\n");
    put_bodies(&t, 1, &one);
    put(&t, "joints:\n");
    rh_vec3 x = {rng_in(&r, -0.3, 0.3), rng_in(&r, -0.3, 0.3), rng_in(&r, 0.5, 3)};
    put_free(&t, 0, x, rng_quat(&r), rh_v3(rng_in(&r, -2, 2), 0, -1000), rng_vec3(&r, 5));
    put(&t,
        "meshes:\n  - {name: stone, vertices: %s}\n  - {name: hill, nx: 41, size: [4, 4], heights: "
        "[",
        STONE);
    for (int i = 0; i < 41 * 41; i++) {
      put(&t, "%s%.5f", i > 0 ? ", " : "", rng_in(&r, 0, 1e-3));
    }
    put(&t,
        "]}\nshapes:\n  - {body: world, kind: heightfield, mesh: hill}\n  - {body: b0, "
        "%s}\ncontacts:\n  - {body: b0, against: world, law: newton, "
        "e: %.17g, friction: dry, mu_s: 0.3, mu_k: 0.3}\nrun: {until: 0.03, engine: stepping, dt: "
        "%.17g}\nrecord: {every: 0.001}\n",
        SHAPE[k % 5], e[k % 3], k % 2 == 0 ? 1e-3 : 1e-2);
    seen s = run_text(&t);
    ck_assert_msg(s.low > 0, "%s is at %g m", SHAPE[k % 5], s.low);
    ck_assert_msg(s.rise <= 1e-9 * s.first, "%s: energy rises by %g of %g J", SHAPE[k % 5], s.rise,
                  s.first); // what is lifted out: micrometres
  }
}

END_TEST

// A block in space that turns by 0.01 to 1000 rad a step, about no axis of its own: where the midpoint rule has its one answer (up to a radian) the energy stays to rounding of 100 steps;
// beyond, it does not rise.
START_TEST(spins_gain_nothing)
{
  const double one = 1;
  static text t;
  for (int k = 0; k <= 20; k++) {
    double spin = 10 * pow(10, 0.25 * k);
    t.n = 0;
    put(&t, "world: {gravity: [0, 0, 0]}\n");
    put_bodies(&t, 1, &one);
    put(&t, "joints:\n");
    put_free(&t, 0, rh_v3(0, 0, 0), UPRIGHT, rh_v3(0, 0, 0),
             rh_scale(spin, rh_v3(0.6, 0.48, 0.64)));
    put(&t, "shapes:\n  - {body: b0, kind: box, size: [0.1, 0.08, 0.03]}\nrun: {until: 0.1, "
            "engine: stepping, dt: 0.001}\nrecord: {every: 0.001}\n");
    seen s = run_text(&t);
    ck_assert_msg(s.rise <= 1e-10 * s.first, "%g rad/s: rises by %g of %g J", spin, s.rise,
                  s.first);
  }
}

END_TEST

// ---- Room

// 120 balls at one place have 7140 pairs, more than there is room for unless run.contacts says so: then they are taken apart, slowly, and none gets a speed.
START_TEST(many_bodies_at_one_place)
{
  enum { N = 120 };

  double mass[N];
  static text t;
  rng r = {5};
  t.n = 0;
  put(&t, "world: {gravity: [0, 0, 0]}\n");
  for (int i = 0; i < N; i++) {
    mass[i] = 1;
  }
  put_bodies(&t, N, mass);
  put(&t, "joints:\n");
  for (int i = 0; i < N; i++) {
    put_free(&t, i, rng_vec3(&r, 0.02), UPRIGHT, rh_v3(0, 0, 0), rh_v3(0, 0, 0));
  }
  put(&t, "shapes:\n");
  for (int i = 0; i < N; i++) {
    put(&t, "  - {body: b%d, kind: sphere, radius: 0.05}\n", i);
  }
  put(&t, "contacts:\n  - {body: all, against: all, law: newton, e: 0.5, friction: dry, mu_s: 0.5, "
          "mu_k: 0.5}\n"
          "run: {until: 0.05, engine: stepping, dt: 0.005, contacts: 8000}\n");
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  near_abs(rh_sim_ledger(sim).kinetic, 0, 0);
  double most = 0;
  for (int i = 0; i < model->nq; i++) {
    most = fmax(most, fabs(rh_sim_view(sim)->q[i] - model->start.q0[i]));
  }
  ck_assert_double_gt(most, 1e-4);
  ck_assert_double_lt(most, 0.1); // half a metre a second for 50 ms, and neighbours that push on
  finish(sim, model);
}

END_TEST

// ---- Parts of a robot that overlap

// Three boxes that fixed joints make one body, the first deep in the third, which is not its child: everything against everything. It falls as a body does, to the rounding of 300 steps.
START_TEST(parts_of_one_body_do_not_meet)
{
  rh_model *model = model_from(
      DOWN
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}, {name: c, mass: 1}, {name: d, mass: 1}]\n"
      "joints:\n  - {kind: free, child: a, q: [0, 0, 2, 1, 0, 0, 0]}\n  - {kind: fixed, parent: a, "
      "child: b, at: [0.15, 0, 0]}\n"
      "  - {kind: fixed, parent: b, child: c, at: [-0.1, 0.02, 0]}\n  - {kind: revolute, parent: "
      "c, child: d, axis: [0, 0, 1], at: [0, 0.5, 0]}\n"
      "shapes:\n  - {body: a, kind: box, size: [0.2, 0.2, 0.2]}\n  - {body: b, kind: box, size: "
      "[0.2, 0.2, 0.2]}\n"
      "  - {body: c, kind: box, size: [0.2, 0.2, 0.2]}\n  - {body: d, kind: box, size: [0.2, 0.2, "
      "0.2]}\n"
      "contacts: [{body: all, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
      "0.5}]\n"
      "run: {until: 0.3, engine: stepping, dt: 0.001}\n",
      NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->q[2], 2 - 0.5 * G * 0.09, 1e-9);
  near_abs(d->v[2], -G * 0.3, 1e-9);
  near_abs(hypot(d->v[0], d->v[1]) + fabs(d->v[6]), 0, 1e-9);
  finish(sim, model);
}

END_TEST

// A four-legged robot of others (with ROUTH_DATA only) whose thighs overlap its trunk by millimetres next to the axes of their joints falls on the ground, everything against everything. It used to gain 1e33 J. Taking
// the overlap out may lift it by some joules, of 229.
START_TEST(a_robot_that_overlaps_itself)
{
  const char *data = getenv("ROUTH_DATA");
  static text t;
  t.n = 0;
  if (!data) {
    return;
  }
  put(&t,
      "include: {urdf: %s/models/anymal_b/anymal.urdf, at: [0, 0, 0.8]}\nshapes:\n  - " FLOOR "\n"
      "contacts: [{body: all, against: all, law: newton, e: 0, friction: dry, mu_s: 0.7, mu_k: "
      "0.7}]\n"
      "run: {until: 1, engine: stepping, dt: 0.005}\nrecord: {every: 0.005}\n",
      data);
  seen s = run_text(&t);
  ck_assert_double_lt(s.rise, 0.05 * s.first);
}

END_TEST

// ---- Coulomb's law, frame by frame

typedef struct coulomb {
  double step, mu;
  int loaded, sliding;
} coulomb;

// The slip is read where bodies are at the end of the step, the force was found where they were at its start: the slip may differ by the turn of a body over the way of a step, 20 rad/s
// times 2 m/s at most; where it is faster than that, friction is along it.
static void look_at_coulomb(void *user, const rh_sim *sim)
{
  coulomb *s = user;
  const rh_data *d = rh_sim_view(sim);
  double blurred = 40 * s->step;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    double friction = hypot(c->friction[0], c->friction[1]);
    double slip = hypot(c->slip[0], c->slip[1]);
    if (!c->on || c->normal == 0) {
      continue;
    }
    s->loaded++;
    ck_assert_double_gt(c->normal, 0);
    ck_assert_double_le(friction, s->mu * c->normal * (1 + 1e-9));
    if (slip > 10 * blurred) {
      double along = -(c->friction[0] * c->slip[0] + c->friction[1] * c->slip[1]) / slip;
      s->sliding++;
      near_abs(along / (s->mu * c->normal), 1, 0.01); // a tenth of a radian off
    }
  }
}

START_TEST(coulombs_law_at_every_frame)
{
  const double mass[3] = {1, 2, 0.5};
  static text t;
  coulomb c = {.step = 1e-4, .mu = 0.4};
  for (uint64_t seed = 1; seed <= 3; seed++) {
    rng r = {seed};
    t.n = 0;
    put(&t, DOWN);
    put_bodies(&t, 3, mass);
    put(&t, "joints:\n");
    for (int i = 0; i < 3; i++) {
      put_free(&t, i, rh_v3(0.05 * i, 0.03 * i, 0.12 + 0.26 * i), rng_quat(&r), rh_v3(0.9, 0.3, 0),
               rh_v3(1, 2, 3));
    }
    put(&t, "shapes:\n  - " FLOOR "\n");
    for (int i = 0; i < 3; i++) {
      put(&t, "  - {body: b%d, kind: box, size: [0.2, 0.15, 0.1]}\n", i);
    }
    put(&t, "contacts:\n  - {body: all, against: all, law: newton, e: 0, friction: dry, mu_s: 0.4, "
            "mu_k: 0.4}\n"
            "run: {until: 0.5, engine: stepping, dt: 1e-4}\nrecord: {every: 1e-3}\n");
    watch_text(look_at_coulomb, &c, t.s);
  }
  ck_assert_int_gt(c.loaded, 1000);
  ck_assert_int_gt(c.sliding, 100);
}

END_TEST

// A top that turns by 0.3 and 1.5 rad a step for three seconds: the step is taken in parts of a tenth of a radian, of which each leaves
// the energy alone to the third order; 1e-4 of it is left after 9000 of them.
START_TEST(a_fast_top_gains_nothing)
{
  const char *dt[] = {"1e-3", "5e-3"};
  for (int i = 0; i < 2; i++) {
    static text t;
    t.n = 0;
    put(&t,
        "world: {gravity: [0, 0, -9.81]}\n"
        "bodies: [{name: top, mass: 0.5, com: [0, 0, 0.1], inertia: [8e-4, 8e-4, 1e-3, 0, 0, 0]}]\n"
        "joints: [{kind: spherical, child: top, q: [0.9659258262890683, 0.25881904510252074, 0, "
        "0], "
        "v: [0, -150, 259.8076211353316]}]\n"
        "run: {until: 3, engine: stepping, dt: %s}\n",
        dt[i]);
    rh_model *model = model_from(t.s, NULL, 0);
    rh_sim *sim = sim_of(model);
    ck_assert_int_eq(rh_sim_run(sim, 3), RH_OK);
    rh_ledger l = rh_sim_ledger(sim);
    near_abs(l.residue, 0, 1e-4 * l.kinetic);
    finish(sim, model);
  }
}

END_TEST

Suite *rh_suite_kind_moreau_extreme(void)
{
  Suite *suite = suite_create("kind_moreau_extreme");
  TCase *tc = tcase_create("extreme");
  tcase_add_test(tc, a_fast_top_gains_nothing);
  tcase_add_test(tc, a_millimetre_and_a_kilometre);
  tcase_add_test(tc, a_million_to_one_gains_nothing);
  tcase_add_test(tc, fast_bodies_and_fine_ground);
  tcase_add_test(tc, spins_gain_nothing);
  tcase_add_test(tc, many_bodies_at_one_place);
  tcase_add_test(tc, parts_of_one_body_do_not_meet);
  tcase_add_test(tc, a_robot_that_overlaps_itself);
  tcase_add_test(tc, coulombs_law_at_every_frame);
  suite_add_tcase(suite, tc);
  return suite;
}
