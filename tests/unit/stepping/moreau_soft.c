// unit_moreau_soft.c: compliant contacts under the engine `stepping`: closed forms, the event-driven run, stiffness, rigid contacts beside them,
// books, restarts, threads.
#include "moreau.h"

#include "stepping/stepping.h"

#include <stdlib.h>

#define BALL "{body: b, kind: sphere, radius: 0.1}"

typedef struct fall {     // a ball on a compliant floor
  const char *law;        // with its constants
  double mass, height, v; // [kg], [m] of the gap at the start, [m/s]
  double gravity;
  double until, dt;
  const char *engine; // engine or integrator with its constants; NULL: stepping with dt
  const char *joint;  // NULL: free
} fall;

static rh_model *model_of_fall(const fall *f)
{
  char scene[2048];
  char joint[256];
  char engine[128];
  bool lone = f->joint != NULL;
  snprintf(joint, sizeof joint,
           lone ? "kind: prismatic, child: b, axis: [0, 0, 1], q: %.17g, v: %.17g"
                : "kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [0, 0, %.17g, 0, 0, 0]",
           0.1 + f->height, f->v);
  snprintf(engine, sizeof engine, "engine: stepping, dt: %.17g", f->dt);
  snprintf(scene, sizeof scene,
           "world: {gravity: [0, 0, %.17g]}\nbodies: [{name: b, mass: %.17g}]\njoints: [{%s}]\n"
           "shapes: [" FLOOR ", " BALL "]\n"
           "contacts: [{body: b, against: world, %s, friction: none}]\n"
           "run: {until: %.17g, %s}\nrecord: {every: %.17g}\n",
           -f->gravity, f->mass, joint, f->law, f->until, f->engine ? f->engine : engine, f->dt);
  return model_from(scene, NULL, 0);
}

typedef struct end {
  double z, v; // [m], [m/s] of the ball, upwards, at the end
  rh_ledger books;
  double most; // [J] largest energy, springs included
} end;

static void keep_energy(void *user, const rh_sim *sim)
{
  end *e = user;
  rh_ledger l = rh_sim_ledger(sim);
  e->most = fmax(e->most, l.kinetic + l.potential + l.contact);
}

static end end_of(const fall *f)
{
  end e = {.most = -HUGE_VAL};
  rh_model *model = model_of_fall(f);
  rh_sim *sim = watch(model, keep_energy, &e);
  const rh_data *d = rh_sim_view(sim);
  e.z = (f->joint ? d->q[0] : d->q[2]) - 0.1;
  e.v = f->joint ? d->v[0] : d->v[2];
  e.books = rh_sim_ledger(sim);
  finish(sim, model);
  return e;
}

// ---- Closed forms

// At rest the spring carries the weight: k z = m g, K z^(3/2) = m g, whatever the step. 1e-9 of a metre is asked for; the depth is right to 1e-9 of
// itself but for the slowest motion that counts as one (1e-10 m/s over k h/m).
START_TEST(depth_at_rest)
{
  static const char *const joint[] = {NULL, "prismatic"};
  for (int i = 0; i < 12; i++) {
    double k = 5000;
    double K = 1e6;
    double dt = pow(10, -(i / 2 % 3) - 1.0);
    bool power = i >= 6;
    fall f = {.law = power ? "law: hunt-crossley, n: 1.5, k: 1e6, alpha: 2"
                           : "law: kelvin-voigt, k: 5000, b: 100",
              .mass = 2,
              .height = 1e-3,
              .gravity = G,
              .until = 20,
              .dt = dt,
              .joint = joint[i % 2]};
    end e = end_of(&f);
    double depth = power ? pow(2 * G / K, 2.0 / 3) : 2 * G / k;
    near_abs(e.z, -depth, 1e-9);
    double stored = power ? 0.4 * K * pow(depth, 2.5) : 0.5 * k * depth * depth;
    near_abs(e.books.contact, stored, 1e-9 * 2 * G); // the force over 1e-9 m
  }
}

END_TEST

// m z'' = -k z - b z' about the rest, from the rest less a millimetre: it stays below the floor. Error at the end.
static double swing_error(double dt, const char *joint)
{
  fall f = {.law = "law: kelvin-voigt, k: 5000, b: 20",
            .mass = 2,
            .height = -2 * G / 5000 + 1e-3,
            .gravity = G,
            .until = 0.1,
            .dt = dt,
            .joint = joint};
  end e = end_of(&f);
  double decay = 20 / (2 * 2.0);
  double w = sqrt(5000 / 2.0 - decay * decay);
  double t = 0.1;
  double z = 1e-3 * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
  return e.z + 2 * G / 5000 - z;
}

// The second order, free or on a joint: halving the step makes the error a quarter, to (w h)^2 of it (w h = 0.05 at most).
START_TEST(order_of_a_swing)
{
  double free[3];
  double tree[3];
  for (int i = 0; i < 3; i++) {
    free[i] = swing_error(1e-3 / (1 << i), NULL);
    tree[i] = swing_error(1e-3 / (1 << i), "prismatic");
  }
  ck_assert_double_lt(fabs(free[0]), 1e-5); // of 1e-3 m
  ck_assert_double_lt(fabs(tree[0]), 1e-5);
  for (int i = 0; i < 2; i++) {
    near_abs(free[i] / free[i + 1], 4, 0.02);
    near_abs(tree[i] / tree[i + 1], 4, 0.02);
  }
}

END_TEST

// ---- The law's restitution

static double bounce(const char *law, double dt, const char *engine)
{
  fall f = {
      .law = law, .mass = 1, .height = 0.01, .v = -1, .until = 0.06, .dt = dt, .engine = engine};
  return end_of(&f).v;
}

// Against the event-driven run of the same scene, bounces of 10 to 15 ms: within 1 % at steps of 1 ms, and of the second order: a step of an eighth leaves
// a 64th of the error. Where the law has a kink (touch, cut tension) that comes at any part of a step, which moves the constant by up to a half;
// the first order would leave an eighth.
START_TEST(bounce_is_the_laws)
{
  static const char *const law[] = {
      "law: hunt-crossley, n: 1.5, k: 1e6, alpha: 0.3",
      "law: hunt-crossley, n: 1, k: 1e5, alpha: 0.2, alpha_r: 0.6",
      "law: azad-featherstone, Kn: 1e6, Dn: 1000",
      "law: lankarani-nikravesh, K: 1e6, e: 0.7, v: 1",
      "law: kelvin-voigt, k: 1e5, b: 100, tension: cut",
  };
  for (int i = 0; i < (int)RH_COUNT(law); i++) {
    double e = bounce(law[i], 0.01, "integrator: cvode, rtol: 1e-10, atol: 1e-12");
    double a = bounce(law[i], 1e-3, NULL);
    double b = bounce(law[i], 1.25e-4, NULL);
    double gain = (a - e) / (b - e);
    ck_assert_msg(fabs(a - e) < 0.01 * e, "%s: %g %g", law[i], e, a);
    ck_assert_msg(gain > 40 && gain < 96, "%s: %g, off by %g and %g", law[i], e, a - e, b - e);
  }
}

END_TEST

// What takes nothing gives all back, whatever the step: springs from resolved (hundreds of steps a bounce) to hardly (four). The solver leaves 1e-6
// of its tolerance, 1e-12 m/s, a step.
START_TEST(elastic_bounce_keeps_its_speed)
{
  for (int i = 0; i < 6; i++) {
    double dt = 0.06 / (20 << i);
    near_abs(bounce("law: hertz, K: 1e6", dt, NULL), 1, 1e-9);
    near_abs(bounce("law: kelvin-voigt, k: 1e5, b: 0, tension: cut", dt, NULL), 1, 1e-9);
  }
}

END_TEST

// On a box that stands on rigid ground as on the floor: that contact lasts, and leaves the other its order.
START_TEST(bounce_on_a_box)
{
  static const char *const what =
      "bodies: [{name: box, mass: 2}, {name: b, mass: 1}]\n"
      "joints: [{kind: free, child: box, q: [0, 0, 0.1, 1, 0, 0, 0]}, {kind: free, child: b, q: "
      "[0, 0, "
      "0.31, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: box, kind: box, size: [0.3, 0.3, 0.2]}, " BALL "]\n"
      "contacts: [{body: box, against: world, law: newton, e: 0.2, friction: none}, {body: b, "
      "against: box, law: hunt-crossley, n: 1.5, k: 1e6, alpha: 0.3, friction: none}]\n"
      "run: {until: 0.06, engine: stepping, dt: 1e-3}\nrecord: {every: 1e-3}\n";
  char scene[1024];
  snprintf(scene, sizeof scene, "world: {gravity: [0, 0, -1e-3]}\n%s", what);
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->v[8], 0.768, 0.01 * 0.768); // as above; gravity takes 6e-5 m/s
  near_abs(d->q[2], 0.1, 1e-6);
  finish(sim, model);
}

END_TEST

// ---- Stiff springs

typedef struct losing {
  bool begun;
  double last, first, rise; // [J] energy a frame ago, at first, largest rise between two frames
} losing;

static void look_at_energy(void *user, const rh_sim *sim)
{
  losing *x = user;
  rh_ledger l = rh_sim_ledger(sim);
  double e = l.kinetic + l.potential + l.contact;
  if (x->begun) {
    x->rise = fmax(x->rise, e - x->last);
  } else {
    *x = (losing){true, e, e, 0};
  }
  x->last = e;
}

// Steps that are accepted though they are too long: k h^2/m = 1e4, without damping, dropped and thrown, a ball and a tumbling box with friction: never more energy than in the frame before. The
// solver leaves 1e-6 m/s at contacts that move at 1 m/s: 1e-6 of the energy for the box; a ball alone is solved to rounding.
START_TEST(stiff_springs_lose_energy)
{
  static const char *const law[] = {"kelvin-voigt, k: 1e10, b: 0, tension: cut",
                                    "kelvin-voigt, k: 1e10, b: 1e6, tension: cut", "hertz, K: 1e12",
                                    "hunt-crossley, k: 1e10, alpha: 3"};
  static const char *const shape[] = {BALL, "{body: b, kind: box, size: [0.2, 0.15, 0.1]}"};
  for (int i = 0; i < 8; i++) {
    losing x = {false};
    watch_scene(look_at_energy, &x,
                DOWN "bodies: [{name: b, mass: 1}]\n"
                     "joints: [{kind: free, child: b, q: [0, 0, 0.3, 0.8, 0.6, 0, 0], v: [0.5, 0, "
                     "-1, 1, 2, 0]}]\n"
                     "shapes: [" FLOOR ", %s]\n"
                     "contacts: [{body: b, against: world, law: %s, friction: coulomb, mu: 0.4}]\n"
                     "run: {until: 1, engine: stepping, dt: 1e-3, unresolved: accept}\n"
                     "record: {every: 1e-3}\n",
                shape[i / 4], law[i % 4]);
    ck_assert_msg(x.rise <= (i < 4 ? 1e-9 : 1e-6) * x.first, "%s: rises by %g of %g J", law[i % 4],
                  x.rise, x.first);
  }
}

END_TEST

// Springs that a step does not resolve, where it is taken all the same, without damping: X = k h^2/m from 4 up is forgotten, not rung. A ball that falls on it from 1 mm lies still
// after 60 steps: what bounces off (less than 0.4 of its speed, and less each time) is back after 0.4 of 2 v/g = 29 ms at most, and each
// step in touch leaves 0.62 of a swing or less.
START_TEST(what_is_not_resolved_does_not_ring)
{
  for (int i = 0; i < 6; i++) {
    char law[128];
    snprintf(law, sizeof law, "law: kelvin-voigt, k: %.17g, b: 0, tension: cut", 4e6 * pow(8, i));
    fall f = {.law = law,
              .mass = 1,
              .height = 1e-3,
              .gravity = G,
              .until = 0.2,
              .dt = 1e-3,
              .engine = "engine: stepping, dt: 1e-3, unresolved: accept"};
    end e = end_of(&f);
    near_abs(e.v, 0, 1e-8);
    near_abs(e.z, -G / (4e6 * pow(8, i)), 1e-9);
  }
}

END_TEST

typedef struct made { // by a step's error, of the ledger
  bool begun;
  double first; // [J] energy at the start
  double least; // [J] of the residue so far
  double rise;  // [J] most that it rose above that
} made;

static void look_at_residue(void *user, const rh_sim *sim)
{
  made *x = user;
  rh_ledger l = rh_sim_ledger(sim);
  if (!x->begun) {
    *x = (made){.begun = true, .first = l.kinetic + l.potential, .least = l.residue};
  }
  x->least = fmin(x->least, l.residue);
  x->rise = fmax(x->rise, l.residue - x->least);
}

// Any law, stiffness, damping, mass, step and throw: what the step's error does to the energy it takes, never gives. A spinning ball that slides: each
// step is solved to 1e-12 m/s, and there are up to 3000.
START_TEST(no_energy_is_made)
{
  rng r = {41};
  for (int i = 0; i < 100; i++) {
    char law[160];
    double K = pow(10, rng_in(&r, 3, 8));
    double part = rng_in(&r, 0, 1);
    const char *const format[] = {"kelvin-voigt, k: %.9g, b: %.9g, tension: cut",
                                  "hunt-crossley, n: 1.5, k: %.9g, alpha: %.9g",
                                  "azad-featherstone, Kn: %.9g, Dn: %.9g",
                                  "lankarani-nikravesh, K: %.9g, e: %.9g, v: 1", "hertz, K: %.9g"};
    double damping = i % 5 == 0 ? part * sqrt(K) : i % 5 == 2 ? 3 * part * sqrt(K) : part;
    snprintf(law, sizeof law, format[i % 5], K, damping);
    double dt = 0.3 / floor(pow(10, rng_in(&r, 1.5, 3.5)));
    made x = {false};
    watch_scene(look_at_residue, &x,
                DOWN "bodies: [{name: b, mass: %.9g}]\n"
                     "joints: [{kind: free, child: b, q: [0, 0, 0.15, 1, 0, 0, 0], v: [%.9g, 0, "
                     "%.9g, 0, %.9g, 5]}]\n"
                     "shapes: [" FLOOR ", " BALL "]\n"
                     "contacts: [{body: b, against: world, law: %s, friction: coulomb, mu: %.9g}]\n"
                     "run: {until: 0.3, engine: stepping, dt: %.17g}\nrecord: {every: %.17g}\n",
                pow(10, rng_in(&r, -1, 1)), rng_in(&r, -2, 2), rng_in(&r, -2, 1), rng_in(&r, -9, 9),
                law, rng_in(&r, 0, 1), dt, dt);
    ck_assert_msg(x.rise <= 1e-9 * x.first, "%s at %g s: %g of %g J made", law, dt, x.rise,
                  x.first);
  }
}

END_TEST

// ---- Beside rigid contacts

// A box on rigid ground, a ball on the box's soft top; next to it balls of their own with soft floors, so that there are islands to share out.
static void put_beside(text *t, int threads)
{
  t->n = 0;
  put(t, DOWN "bodies: [{name: box, mass: 2}, {name: ball, mass: 1}");
  for (int i = 0; i < 40; i++) {
    put(t, ", {name: b%d, mass: 1}", i);
  }
  put(t, "]\njoints:\n  - {kind: free, child: box, q: [0, 0, 0.1, 1, 0, 0, 0]}\n"
         "  - {kind: free, child: ball, q: [0.03, 0.01, 0.32, 1, 0, 0, 0]}\n");
  for (int i = 0; i < 40; i++) {
    put(t,
        "  - {kind: free, child: b%d, q: [%d, 1, %.17g, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, 0, 0]}\n",
        i, i, 0.11 + 0.01 * i, 0.05 * i);
  }
  put(t, "shapes:\n  - " FLOOR "\n  - {body: box, kind: box, size: [0.3, 0.3, 0.2]}\n"
         "  - {body: ball, kind: sphere, radius: 0.1}\n");
  for (int i = 0; i < 40; i++) {
    put(t, "  - {body: b%d, kind: sphere, radius: 0.1}\n", i);
  }
  put(t, "contacts:\n"
         "  - {name: ground, body: box, against: world, law: newton, e: 0.2, friction: dry, mu_s: "
         "0.5, mu_k: 0.5}\n"
         "  - {name: pad, body: ball, against: box, law: hunt-crossley, n: 1.5, k: 1e5, alpha: 3, "
         "friction: coulomb, mu: 0.5}\n");
  for (int i = 0; i < 40; i++) {
    put(t, "  - {body: b%d, against: world, law: %s, friction: coulomb, mu: 0.3}\n", i,
        i % 3 == 0   ? "kelvin-voigt, k: 1e4, b: 20, tension: cut"
        : i % 3 == 1 ? "hertz, E: 1e7, nu: 0.3"
                     : "newton, e: 0.5");
  }
  put(t, "run: {until: 2, engine: stepping, dt: 1e-3, threads: %d}\nrecord: {every: 0.1}\n",
      threads);
}

static double force_of(const rh_data *d, const char *contact)
{
  double sum = 0;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && strcmp(rh_model_name(d->model, RH_OBJECT_CONTACT, c->rule), contact) == 0) {
      sum += c->normal;
    }
  }
  return sum;
}

// The pad gives way under the ball's weight, the ground carries both, and not a bit depends on the number of threads.
START_TEST(box_and_ball)
{
  static text t;
  uint64_t hash[2];
  for (int threads = 1; threads <= 2; threads++) {
    put_beside(&t, threads);
    rh_model *model = model_from(t.s, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    const rh_data *d = rh_sim_view(sim);
    hash[threads - 1] = rh_data_hash(d, 0);
    near_abs(d->q[2], 0.1, 1e-6);                                    // slop
    near_abs(d->q[9] - d->q[2] - 0.2, -pow(G / 1e5, 2.0 / 3), 1e-8); // 1e-9, and the box's share
    near_abs(force_of(d, "pad"), G, 1e-6 * G);
    near_abs(force_of(d, "ground"), 3 * G, 1e-6 * G);
    finish(sim, model);
  }
  ck_assert_uint_eq(hash[0], hash[1]);
}

END_TEST

typedef struct kept {
  double *state;
  long index;
} kept;

static rh_status keep_batch(void *user, const rh_sim *sim, long index)
{
  const kept *k = user;
  const rh_data *d = rh_sim_view(sim);
  if (index == k->index) {
    memcpy(k->state, d->state, (size_t)d->model->layout.nstate * sizeof *k->state);
  }
  return RH_OK;
}

START_TEST(resumed_run_has_the_same_bits)
{
  static text t;
  put_beside(&t, 1);
  rh_model *model = model_from(t.s, NULL, 0);
  for (long from = 1; from < 12; from += 5) {
    kept k = {calloc((size_t)model->layout.nstate, sizeof(double)), from};
    rh_observer observer = {.user = &k, .frame = keep_batch};
    rh_sim *a = sim_of(model);
    rh_sim *b = sim_of(model);
    rh_sim_observe(a, &observer);
    ck_assert_int_eq(rh_sim_run(a, 1.5), RH_OK);
    rh_sim_resume(b, from, k.state);
    ck_assert_int_eq(rh_sim_run(b, 1.5), RH_OK);
    ck_assert_uint_eq(rh_data_hash(rh_sim_view(a), 0), rh_data_hash(rh_sim_view(b), 0));
    rh_sim_destroy(b);
    rh_sim_destroy(a);
    free(k.state);
  }
  rh_model_destroy(model);
}

END_TEST

// ---- Friction and books

// A ball thrown along the floor slides and then rolls, as on rigid ground: 5/7 of its speed. It rests at the depth of its weight from the start, so
// that the floor pushes with m g throughout. Both ends of the sliding are within a step: mu g h = 2e-3 of the way's velocity, halved.
START_TEST(ball_begins_to_roll)
{
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN "bodies: [{name: b, mass: 1}]\n"
                "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, "
                "0]}]\nshapes: [" FLOOR ", " BALL "]\n"
                "contacts: [{body: b, against: world, law: hertz, K: 1e8, friction: bristle, "
                "mu_s: 0.2, mu_k: 0.2}]\n"
                "run: {until: 1, engine: stepping, dt: 1e-3}\n",
           0.1 - pow(G / 1e8, 2.0 / 3));
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 0.1), RH_OK);
  near_abs(rh_sim_view(sim)->v[0], 1 - 0.2 * G * 0.1, 1e-6);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  near_abs(rh_sim_view(sim)->v[0] * 7 / 5, 1, 1e-3);
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.sliding, 0.5 * 2 / 7, 1e-3); // of 1 J/2 two sevenths go
  finish(sim, model);
}

END_TEST

static rh_ledger arm(const char *engine)
{
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN "bodies: [{name: u, mass: 1, com: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02, 0, 0, "
                "0]}, {name: l, mass: 1, com: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02, 0, 0, "
                "0]}]\n"
                "joints: [{kind: revolute, child: u, axis: [0, 1, 0], at: [0, 0, 0.5], q: 0.2},\n"
                "  {kind: revolute, parent: u, child: l, axis: [0, 1, 0.3], at: [0.5, 0, 0], q: "
                "0.3}]\n"
                "shapes: [" FLOOR ", {body: l, kind: sphere, radius: 0.05, at: [0.5, 0, 0]}]\n"
                "contacts: [{body: l, against: world, law: hunt-crossley, n: 1.5, k: 1e5, alpha: "
                "0.4, friction: coulomb, mu: 0.5, v_slip: 1e-4}]\n"
                "run: {until: 0.6, %s}\n",
           engine);
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_ledger l = rh_sim_ledger(sim);
  finish(sim, model);
  return l;
}

// An arm of two links, the second askew, falls on a soft floor, slides and bounces: a row in which normal and tangents feel each other, of a tree.
// Against the event-driven run; extrapolated from two steps the error is of the second order, where the first has 5e-3.
START_TEST(arm_on_soft_floor)
{
  rh_ledger want = arm("integrator: cvode");
  rh_ledger a = arm("engine: stepping, dt: 4e-5");
  rh_ledger b = arm("engine: stepping, dt: 2e-5");
  near_abs(2 * b.sliding - a.sliding, want.sliding, 1e-3);
  near_abs(2 * b.potential - a.potential, want.potential, 1e-3);
  near_abs(2 * b.kinetic - a.kinetic, want.kinetic, 1e-3);
  near_abs(2 * b.contact_damper - a.contact_damper, want.contact_damper, 1e-3);
}

END_TEST

// A step that resolves the contact takes nothing: the residue is what the solver leaves, 1e-12 m/s a step. Rows are those of the ledger of the event-driven run, to
// the second order in (bounce of 13 ms, steps of 0.1 ms) 1e-4.
START_TEST(books)
{
  fall f = {.law = "law: hunt-crossley, n: 1.5, k: 1e6, alpha: 0.3",
            .mass = 1,
            .height = 0.01,
            .v = -1,
            .gravity = G,
            .until = 0.06,
            .dt = 1e-4};
  end a = end_of(&f);
  f.engine = "integrator: cvode, rtol: 1e-10, atol: 1e-12";
  end c = end_of(&f);
  near_abs(a.books.residue, 0, 1e-9);
  near_abs(a.books.contact_damper, c.books.contact_damper, 1e-4 * c.books.contact_damper);
  near_abs(a.books.kinetic, c.books.kinetic, 2 * 1e-4 * c.books.kinetic); // a square
  ck_assert_double_eq(a.books.event, 0);
  ck_assert_double_eq(a.books.contact, 0);
}

END_TEST

// ---- What is refused, what is said

static void messages_of(const char *law, rh_status want, const char *word)
{
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN "bodies: [{name: b, mass: 1}]\njoints: [{kind: free, child: b}]\n"
                "shapes: [" FLOOR ", {body: b, %s}]\n"
                "contacts: [{name: c, body: b, against: world, %s}]\n"
                "run: {until: 1, engine: stepping, dt: 1e-3}\n",
           strstr(law, "area") ? "kind: box, size: [1, 1, 1]" : "kind: sphere, radius: 0.1", law);
  rh_scene *parsed = NULL;
  rh_model *model = NULL;
  rh_diag *diag = rh_diag_create();
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_parse(scene, strlen(scene), "s", NULL, 0, diag, &parsed), RH_OK);
  ck_assert_int_eq(rh_scene_compile(parsed, diag, &model), want);
  ck_assert(model == NULL || rh_sim_create(model, diag, &sim) == RH_OK);
  rh_scene_destroy(parsed);
  bool said = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    said = said || strstr(rh_diag_get(diag, i).text, word) != NULL;
  }
  ck_assert_msg(said, "%s", law);
  rh_diag_destroy(diag);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

START_TEST(what_is_said)
{
  messages_of("law: elastic-patch, friction: none", RH_INPUT_REFUSED, "whole faces");
  messages_of("law: kelvin-voigt, k: 1e4, stiffness_per: area, friction: none", RH_INPUT_REFUSED,
              "stiffness_per must be point");
  messages_of("law: kelvin-voigt, k: 1e4, impact_law: newton, impact_e: 0.5, friction: none",
              RH_INPUT_REFUSED, "c.impact_law is not for the engine stepping");
  messages_of("law: kelvin-voigt, k: 1e4, friction: none", RH_OK, "tension");
  messages_of("law: hertz, friction: bristle", RH_OK, "tangential springs");
}

END_TEST

Suite *rh_suite_unit_moreau_soft(void)
{
  Suite *suite = suite_create("unit_moreau_soft");
  TCase *tc = tcase_create("soft");
  tcase_add_test(tc, depth_at_rest);
  tcase_add_test(tc, order_of_a_swing);
  tcase_add_test(tc, bounce_is_the_laws);
  tcase_add_test(tc, elastic_bounce_keeps_its_speed);
  tcase_add_test(tc, bounce_on_a_box);
  tcase_add_test(tc, stiff_springs_lose_energy);
  tcase_add_test(tc, what_is_not_resolved_does_not_ring);
  tcase_add_test(tc, no_energy_is_made);
  tcase_add_test(tc, box_and_ball);
  tcase_add_test(tc, resumed_run_has_the_same_bits);
  tcase_add_test(tc, ball_begins_to_roll);
  tcase_add_test(tc, arm_on_soft_floor);
  tcase_add_test(tc, books);
  tcase_add_test(tc, what_is_said);
  suite_add_tcase(suite, tc);
  return suite;
}
