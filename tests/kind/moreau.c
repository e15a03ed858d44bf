// kind_moreau.c: what must hold under the engine `stepping` whatever the scene: momentum, no energy gained, nothing passes through, no
// direction is special, no bit depends on the number of threads.
#include "moreau.h"

// ---- Random scenes: spheres, boxes and capsules that fall on one another, or fly through each other's way

typedef struct lot {
  int n, side;    // bodies; of a layer of them
  double gravity; // [m/s^2]
  bool smooth;    // spheres only
  double e;       // restitution; < 0: of each body its own
  double mu;      // likewise
  double until, dt;
  int threads; // 0: not said
} lot;

static void put_shape(text *t, rng *r, int i, bool smooth)
{
  int kind = smooth ? 0 : rng_int(r, 3);
  if (kind == 0) {
    put(t, "  - {body: b%d, kind: sphere, radius: %.17g}\n", i, rng_in(r, 0.05, 0.12));
  } else if (kind == 1) {
    put(t, "  - {body: b%d, kind: box, size: [%.17g, %.17g, %.17g]}\n", i, rng_in(r, 0.1, 0.25),
        rng_in(r, 0.1, 0.25), rng_in(r, 0.1, 0.25));
  } else {
    put(t, "  - {body: b%d, kind: capsule, radius: %.17g, length: %.17g}\n", i,
        rng_in(r, 0.04, 0.08), rng_in(r, 0.05, 0.2));
  }
}

// Bodies at the places of a grid, wide enough apart not to overlap, each with a random attitude and speed; in space they
// fly towards the middle.
static void put_joint(text *t, rng *r, const lot *l, int i)
{
  double wide = l->gravity > 0 ? 0.47 : 0.6; // a box is 0.43 from corner to corner
  int n = l->side;
  rh_vec3 x = rh_v3(wide * (i % n), wide * (i / n % n), 0.3 + wide * (i / (n * n)));
  x = rh_add(x, rng_vec3(r, 0.02));
  rh_vec3 v = rng_vec3(r, 0.5);
  if (l->gravity == 0) {
    v = rh_add(v, rh_scale(-2, rh_sub(x, rh_v3(0.3, 0.3, 0.6))));
  }
  rh_vec3 w = rng_vec3(r, 3);
  rh_quat q = rng_quat(r);
  put(t,
      "  - {kind: free, child: b%d, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], v: "
      "[%.17g, "
      "%.17g, %.17g, %.17g, %.17g, %.17g]}\n",
      i, x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z);
}

static rh_model *model_of_lot(uint64_t seed, const lot *l)
{
  static text t;
  rng r = {seed};
  t.n = 0;
  put(&t, "world: {gravity: [0, 0, %.17g]}\nbodies:\n", -l->gravity);
  for (int i = 0; i < l->n; i++) {
    put(&t, "  - {name: b%d, mass: %.17g}\n", i, exp(rng_in(&r, log(0.3), log(3))));
  }
  put(&t, "joints:\n");
  for (int i = 0; i < l->n; i++) {
    put_joint(&t, &r, l, i);
  }
  put(&t, "shapes:\n");
  if (l->gravity > 0) {
    put(&t, "  - " FLOOR "\n");
  }
  for (int i = 0; i < l->n; i++) {
    put_shape(&t, &r, i, l->smooth);
  }
  put(&t, "contacts:\n");
  for (int i = 0; i < l->n; i++) {
    double e = l->e < 0 ? rng_in(&r, 0, 1) : l->e;
    double mu = l->mu < 0 ? rng_in(&r, 0, 1) : l->mu;
    put(&t,
        "  - {body: b%d, against: all, law: %s, e: %.17g, friction: dry, mu_s: %.17g, mu_k: "
        "%.17g}\n",
        i, i % 2 == 0 ? "newton" : "poisson", e, mu, mu);
  }
  put(&t, "run: {until: %.17g, engine: stepping, dt: %.17g", l->until, l->dt);
  if (l->threads > 0) {
    put(&t, ", threads: %d", l->threads);
  }
  put(&t, "}\nrecord: {every: %.17g}\n", 10 * l->dt);
  return model_from(t.s, NULL, 0);
}

// ---- Momentum

typedef struct moving {
  bool begun;
  rh_force first;
  double linear, angular; // [kg m/s], [kg m^2/s] largest change
  double speed;           // [kg m/s] sum of the bodies' at the start
} moving;

static void look_at_momentum(void *user, const rh_sim *sim)
{
  moving *m = user;
  rh_data *d = rh_sim_data((rh_sim *)sim);
  rh_kinematics(d);
  rh_force p = rh_momentum(d);
  if (!m->begun) {
    m->begun = true;
    m->first = p;
    for (int i = 1; i < d->model->nbody; i++) {
      m->speed += d->model->body[i].inertia.mass * rh_norm(d->kin[i].v.lin);
    }
  }
  m->linear = fmax(m->linear, rh_norm(rh_sub(p.lin, m->first.lin)));
  m->angular = fmax(m->angular, rh_norm(rh_sub(p.ang, m->first.ang)));
}

// In space collisions and friction change neither momentum. Impulses are equal and opposite to rounding. They act at one
// point of the two; what else changes the angular part is overlap that is taken out by moving bodies: it falls with dt
// (2e-6, 1e-6, 6e-7 of the speeds at 1, 0.5, 0.25 ms).
START_TEST(momentum)
{
  for (uint64_t seed = 1; seed <= 10; seed++) {
    lot l = {.n = 12, .side = 2, .smooth = seed <= 5, .e = -1, .mu = -1, .until = 1, .dt = 2.5e-4};
    rh_model *model = model_of_lot(seed, &l);
    moving m = {.begun = false};
    rh_sim *sim = watch(model, look_at_momentum, &m);
    ck_assert_int_gt(rh_sim_statistics(sim).impact.impacts, 3); // they do meet
    ck_assert_double_lt(m.linear, 1e-12 * m.speed);
    ck_assert_double_lt(m.angular, 1e-6 * m.speed);
    finish(sim, model);
  }
}

END_TEST

// ---- Energy

typedef struct falling {
  bool begun;
  double first, least; // [J]
  double gain, rise;   // [J] over the start, over the least so far without the residue
  double residue;      // [J] largest: the error of curved paths at this step
} falling;

static void look_at_energy(void *user, const rh_sim *sim)
{
  falling *f = user;
  double e = energy_of(sim);
  double residue = rh_sim_ledger(sim).residue;
  if (!f->begun) {
    *f = (falling){true, e, e, 0, 0, 0};
  }
  f->gain = fmax(f->gain, e - f->first);
  f->rise = fmax(f->rise, e - residue - f->least);
  f->least = fmin(f->least, e - residue);
  f->residue = fmax(f->residue, fabs(residue));
}

// Fifty scenes of bodies with restitutions and frictions of every kind, Newton's and Poisson's laws: the energy never
// rises. Bodies that are moved apart where they overlap are lifted: a rise of 1e-6 of the start is let pass. Bodies that
// roll or tip have the error of the step, which the ledger reports and run.residue (1e-3) bounds.
START_TEST(no_energy_from_nowhere)
{
  for (uint64_t seed = 1; seed <= (RH_TEST_SLOW ? 10 : 50); seed++) {
    lot l = {.n = 8,
             .side = 2,
             .gravity = G,
             .e = -1,
             .mu = -1,
             .until = 1.5,
             .dt = seed % 2 ? 5e-4 : 2e-3};
    rh_model *model = model_of_lot(seed, &l);
    falling f = {.begun = false};
    finish(watch(model, look_at_energy, &f), model);
    ck_assert_double_le(f.gain, 1e-9 * f.first);
    ck_assert_msg(f.rise <= 1e-6 * f.first, "seed %d: rises by %g of %g J", (int)seed, f.rise,
                  f.first);
    ck_assert_double_le(f.residue, 1e-3 * f.first);
  }
}

END_TEST

typedef struct heap {
  falling fall;
  double weight; // [N] sum over the frames of the last second
  int n;
} heap;

static void look_at_pile(void *user, const rh_sim *sim)
{
  heap *h = user;
  look_at_energy(&h->fall, sim);
  if (*rh_sim_view(sim)->t > 3) {
    h->weight += carried(rh_sim_view(sim)).z;
    h->n++;
  }
}

// scenes/pile.yaml: forty-eight bodies fall into a bin. The energy falls, they come to rest, and the bin carries their weight. Bodies that are struck
// within a step may overlap what they were not looked at with, by a part of what they then move, 6 mm at most, and are lifted out: 1e-4 of the energy.
START_TEST(pile)
{
  const char *set[] = {"run.until=1.5"};
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/pile.yaml", set, RH_TEST_SLOW, diag, &scene), RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  heap h = {.n = 0};
  rh_sim *sim = watch(model, look_at_pile, &h);
  falling f = h.fall;
  ck_assert_double_le(f.gain, 1e-12 * f.first); // rounding
  ck_assert_double_lt(f.rise, 1e-4 * f.first);
  ck_assert_double_lt(rh_sim_statistics(sim).impact.deepest, 2e-3); // 3 m/s 2 ms is 6 mm
  if (!RH_TEST_SLOW) {
    ck_assert_double_lt(rh_sim_ledger(sim).kinetic, 0.05);    // one or two may still roll,
    near_rel(h.weight / h.n, G * rh_total_mass(model), 0.01); // and fall a little in the mean
  }
  finish(sim, model);
}

END_TEST

// ---- Nothing passes through

static void keep_lowest(void *user, const rh_sim *sim)
{
  double *low = user;
  *low = fmin(*low, rh_sim_view(sim)->q[2]);
}

// 100 m/s at a plate of 1 mm: a metre a step, a thousand times the plate. In the middle, near the rim, slanting.
START_TEST(bullet_and_plate)
{
  const double e[] = {0, 0.5, 1};
  const double x[] = {0, 0.45, -0.3};
  const double slant[] = {0, 0, 30};
  for (int i = 0; i < 9; i++) {
    double low = 1;
    watch_scene(
        keep_lowest, &low,
        "world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 0.1}]\n"
        "joints: [{kind: free, child: b, q: [%.17g, 0.01, %.17g, 1, 0, 0, 0], v: [%.17g, 0, -100, "
        "0, "
        "0, 0]}]\n"
        "shapes: [{body: world, kind: box, size: [1, 1, 0.001]}, {body: b, kind: sphere, radius: "
        "0.01}]\n"
        "contacts: [{body: b, against: world, law: newton, e: %.17g, friction: dry, mu_s: 0.3, "
        "mu_k: "
        "0.3}]\n"
        "run: {until: 0.1, engine: stepping, dt: 0.01}\nrecord: {every: 0.01}\n",
        x[i / 3] - 0.01 * slant[i / 3], 1.7 + 0.1 * i, slant[i / 3], e[i % 3]);
    ck_assert_double_gt(low,
                        0.0105 - 1e-3); // above the plate, pressed in by no more than it is thick
  }
}

END_TEST

// Two of them head on, both at 100 m/s, no wall behind: they must not change sides.
START_TEST(bullets_meet)
{
  for (int i = 0; i < 5; i++) {
    rh_model *model;
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        "world: {gravity: [0, 0, 0]}\nbodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
        "joints: [{kind: free, child: a, q: [%.17g, 0, 0, 1, 0, 0, 0], v: [100, 0, 0, 0, 0, 0]},\n"
        "  {kind: free, child: b, q: [2, 0, 0, 1, 0, 0, 0], v: [-100, 0, 0, 0, 0, 0]}]\n"
        "shapes: [{body: a, kind: sphere, radius: 0.01}, {body: b, kind: sphere, radius: 0.01}]\n"
        "contacts: [{body: a, against: b, law: newton, e: %.17g, friction: none}]\n"
        "run: {until: 0.1, engine: stepping, dt: 0.01}\n",
        -2 - 0.13 * i, 0.25 * i);
    model = model_from(scene, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    const rh_data *d = rh_sim_view(sim);
    ck_assert_double_lt(d->q[0], d->q[7]);
    near_abs(d->v[6] - d->v[0], 200 * 0.25 * i, 1e-9); // e times 200 m/s
    finish(sim, model);
  }
}

END_TEST

// ---- No direction is special

static void state_of(const rh_mat3 *R, double *q, double *v)
{
  rh_vec3 g = rh_rotate(R, rh_v3(0, 0, -G));
  rh_vec3 x = rh_rotate(R, rh_v3(0.1, 0.2, 0.31));
  rh_vec3 u = rh_rotate(R, rh_v3(1, 0.5, -0.5));
  rh_vec3 w = rh_rotate(R, rh_v3(2, 1, -1));
  rh_quat start = rh_quat_of_matrix(R);
  rh_vec3 rpy = rpy_of(R);
  char scene[2048];
  snprintf(scene, sizeof scene,
           "world: {gravity: [%.17g, %.17g, %.17g]}\nbodies: [{name: b, mass: 1}]\n"
           "joints: [{kind: free, child: b, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], "
           "v: [%.17g, "
           "%.17g, %.17g, %.17g, %.17g, %.17g]}]\n"
           "shapes: [{body: world, kind: plane, rpy: [%.17g, %.17g, %.17g]}, {body: b, kind: box, "
           "size: [0.3, "
           "0.2, 0.1]}]\n"
           "contacts: [{body: b, against: world, law: newton, e: 0.4, friction: dry, mu_s: 0.4, "
           "mu_k: 0.4}]\n"
           "run: {until: 0.6, engine: stepping, dt: 0.001}\n",
           g.x, g.y, g.z, x.x, x.y, x.z, start.w, start.x, start.y, start.z, u.x, u.y, u.z, w.x,
           w.y, w.z, rpy.x, rpy.y, rpy.z);
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  memcpy(q, rh_sim_view(sim)->q, 7 * sizeof *q);
  memcpy(v, rh_sim_view(sim)->v, 6 * sizeof *v);
  finish(sim, model);
}

// A brick is thrown on a floor, strikes with its corners, bounces and slides. The same in a world turned as a whole gives
// the same, turned. Impacts multiply rounding by a few tens each: 1e-9 after half a dozen.
START_TEST(turned_world)
{
  rng r = {7};
  rh_mat3 I = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double q0[7];
  double v0[6];
  state_of(&I, q0, v0);
  for (int k = 0; k < 5; k++) {
    rh_mat3 R = rh_quat_matrix(rng_quat(&r));
    double q[7];
    double v[6];
    state_of(&R, q, v);
    for (int i = 0; i < 3; i++) {
      double want[3];
      set3(want, rh_rotate(&R, i == 0   ? rh_v3(q0[0], q0[1], q0[2])
                               : i == 1 ? rh_v3(v0[0], v0[1], v0[2])
                                        : rh_v3(v0[3], v0[4], v0[5])));
      near_array(i == 0 ? q : v + 3 * (i - 1), want, 3, 1e-9, 0);
    }
  }
}

END_TEST

// ---- Threads

static uint64_t hash_of(uint64_t seed, int threads)
{
  lot l = {.n = 40,
           .side = 4,
           .gravity = G,
           .e = 0.3,
           .mu = 0.5,
           .until = RH_TEST_SLOW ? 0.3 : 1,
           .dt = 2e-3,
           .threads = threads};
  rh_model *model = model_of_lot(seed, &l);
  rh_sim *sim = watch(model, NULL, NULL);
  uint64_t hash = rh_data_hash(rh_sim_view(sim), 0);
  finish(sim, model);
  return hash;
}

START_TEST(threads_change_no_bit)
{
  for (uint64_t seed = 1; seed <= 3; seed++) {
    uint64_t one = hash_of(seed, 1);
    ck_assert_uint_eq(one, hash_of(seed, 2));
    ck_assert_uint_eq(one, hash_of(seed, 3));
  }
}

END_TEST

Suite *rh_suite_kind_moreau(void)
{
  Suite *suite = suite_create("kind_moreau");
  TCase *tc = tcase_create("moreau");
  tcase_add_test(tc, momentum);
  tcase_add_test(tc, no_energy_from_nowhere);
  tcase_add_test(tc, pile);
  tcase_add_test(tc, bullet_and_plate);
  tcase_add_test(tc, bullets_meet);
  tcase_add_test(tc, turned_world);
  tcase_add_test(tc, threads_change_no_bit);
  suite_add_tcase(suite, tc);
  return suite;
}
