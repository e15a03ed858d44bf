// unit_moreau_sweeps.c: what a sweep is made of: a visit of a contact between free bodies, and jumps of sweeps that are slow.
#include "moreau.h"

#include "complement/blocks.h"
#include "stepping/stepping.h"

// ---- A visit

typedef struct pair { // two bodies and their contact
  rh_step_velocity hot[3];
  rh_step_row_general x;
  rh_step_row c;
  rh_vec3 f[3]; // t1, t2, n
  double W[9];
} pair;

static void make_body(rng *r, rh_step_velocity *b)
{
  rh_vec3 m[3] = {rng_vec3(r, 1), rng_vec3(r, 1), rng_vec3(r, 1)};
  b->im = exp(rng_in(r, -2, 2));
  double s = 5 * b->im;
  b->J[0] = s * (0.2 + rh_dot(m[0], m[0]));
  b->J[1] = s * (0.2 + rh_dot(m[1], m[1]));
  b->J[2] = s * (0.2 + rh_dot(m[2], m[2]));
  b->J[3] = s * rh_dot(m[0], m[1]);
  b->J[4] = s * rh_dot(m[0], m[2]);
  b->J[5] = s * rh_dot(m[1], m[2]);
  rh_step_write_vec(rng_vec3(r, 1), b->v);
  rh_step_write_vec(rng_vec3(r, 1), b->w);
}

static rh_vec3 apply_J(const rh_step_velocity *b, rh_vec3 m)
{
  const double *J = b->J;
  return rh_v3(J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
               J[4] * m.x + J[5] * m.y + J[2] * m.z);
}

// The change of the velocity at the contact by an impulse y there
static rh_vec3 answer(const pair *p, rh_vec3 y)
{
  const rh_step_velocity *a = &p->hot[p->c.a];
  const rh_step_velocity *b = &p->hot[p->c.b];
  rh_vec3 ra = rh_step_read_vec(p->x.ra);
  rh_vec3 rb = rh_step_read_vec(p->x.rb);
  rh_vec3 x = rh_scale(a->im + b->im, y);
  x = rh_add(x, rh_cross(apply_J(a, rh_cross(ra, y)), ra));
  return rh_add(x, rh_cross(apply_J(b, rh_cross(rb, y)), rb));
}

static void velocity_in_frame(const pair *p, double u[3])
{
  const rh_step_velocity *a = &p->hot[p->c.a];
  const rh_step_velocity *b = &p->hot[p->c.b];
  rh_vec3 x =
      rh_add(rh_step_read_vec(a->v), rh_cross(rh_step_read_vec(a->w), rh_step_read_vec(p->x.ra)));
  rh_vec3 y =
      rh_add(rh_step_read_vec(b->v), rh_cross(rh_step_read_vec(b->w), rh_step_read_vec(p->x.rb)));
  for (int i = 0; i < 3; i++) {
    u[i] = rh_dot(p->f[i], rh_sub(x, y));
  }
}

static void make_pair(rng *r, pair *p, bool ground)
{
  *p = (pair){.c = {.a = 1, .b = ground ? 0 : 2, .mu = rng_in(r, 0, 1.2)}};
  make_body(r, &p->hot[1]);
  make_body(r, &p->hot[2]);
  rh_step_write_vec(rng_vec3(r, 1), p->x.ra);
  rh_step_write_vec(rng_vec3(r, 1), p->x.rb);
  const rh_step_world w = {.velocity = p->hot, .general = &p->x};
  rh_step_frame_free(&w, &p->c, rng_unit(r));
  p->f[0] = rh_step_read_vec(p->x.t1);
  p->f[1] = rh_step_read_vec(p->x.t2);
  p->f[2] = rh_step_read_vec(p->c.n);
  for (int i = 0; i < 9; i++) {
    p->W[i] = rh_dot(p->f[i / 3], answer(p, p->f[i % 3]));
  }
}

// Visits the contact; the residual of Coulomb's law, and what the bodies' velocities are off from W times the impulse, both [m/s].
static double visit_pair(pair *p)
{
  const rh_block_kind kind = RH_BLOCK_CONE;
  const int start[2] = {0, 1};
  const int col = 0;
  double u[3];
  double b[3];
  double off = 0;
  velocity_in_frame(p, u);
  for (int i = 0; i < 3; i++) {
    b[i] = u[i] -
           (p->W[3 * i] * p->c.p[0] + p->W[3 * i + 1] * p->c.p[1] + p->W[3 * i + 2] * p->c.p[3]);
  }
  (void)rh_step_visit_free(p->hot, &p->c, &p->x);
  const double now[3] = {p->c.p[0], p->c.p[1], p->c.p[3]};
  velocity_in_frame(p, u);
  for (int i = 0; i < 3; i++) {
    double x = b[i] + p->W[3 * i] * now[0] + p->W[3 * i + 1] * now[1] + p->W[3 * i + 2] * now[2];
    off = fmax(off, fabs(u[i] - x));
  }
  rh_blocks problem = {1, &kind, &p->c.mu, start, &col, p->W, b};
  return fmax(off, rh_blocks_residual(&problem, now));
}

// Random bodies at a random contact, visited, disturbed by a little, as by their other contacts, and visited again: open, sticking and sliding, and
// slips that go on. 1e-11: velocities are up to 10, W as uneven as 1e3.
START_TEST(visit_of_free_bodies)
{
  rng r = {11};
  int slides = 0;
  int sticks = 0;
  for (int i = 0; i < 5000; i++) {
    pair p;
    make_pair(&r, &p, i % 2 == 0);
    for (int k = 0; k < 4; k++) {
      ck_assert_double_lt(visit_pair(&p), 1e-11);
      rh_step_write_vec(rh_addscaled(rh_step_read_vec(p.hot[1].v), 1e-4, rng_vec3(&r, 1)),
                        p.hot[1].v);
      double t = sqrt(p.c.p[0] * p.c.p[0] + p.c.p[1] * p.c.p[1]);
      slides += p.c.p[3] > 0 && t > 0.999999 * p.c.mu * p.c.p[3];
      sticks += p.c.p[3] > 0 && t < 0.999999 * p.c.mu * p.c.p[3];
    }
  }
  ck_assert_int_gt(slides, 1000);
  ck_assert_int_gt(sticks, 1000);
}

END_TEST

// The world does not move, and has no place for a velocity.
START_TEST(ground_is_not_moved)
{
  rng r = {3};
  for (int i = 0; i < 100; i++) {
    pair p;
    make_pair(&r, &p, true);
    (void)visit_pair(&p);
    for (int k = 0; k < 3; k++) {
      ck_assert(p.hot[0].v[k] == 0 && p.hot[0].w[k] == 0);
    }
  }
}

END_TEST

// ---- Slow sweeps

#define DRAG 150.0 // [N]

// A slab of 10 kg slides on its four corners under 25 balls of 1 kg that roll on it (SimBenchmark's scene "rolling"): every load of its corners is one
// of many, and sweeps lead it from one to another slowly.
static rh_model *slab_model(void)
{
  text t = {0};
  put(&t, DOWN "bodies: [{name: slab, mass: 10}");
  for (int i = 0; i < 25; i++) {
    put(&t, ", {name: b%d, mass: 1}", i);
  }
  put(&t, "]\njoints: [{kind: free, child: slab, q: [0, 0, 0.5, 1, 0, 0, 0]}");
  for (int i = 0; i < 25; i++) {
    put(&t, ", {kind: free, child: b%d, q: [%d, %d, 1.5, 1, 0, 0, 0]}", i, 2 * (i / 5) - 4,
        2 * (i % 5) - 4);
  }
  put(&t, "]\nshapes: [" FLOOR ", {body: slab, kind: box, size: [20, 20, 1]}");
  for (int i = 0; i < 25; i++) {
    put(&t, ", {body: b%d, kind: sphere, radius: 0.5}", i);
  }
  put(&t, "]\ncontacts:\n  - {body: slab, against: world, law: newton, e: 0, friction: dry, mu_s: "
          "0.4, mu_k: 0.4}\n");
  for (int i = 0; i < 25; i++) {
    put(&t,
        "  - {body: b%d, against: slab, law: newton, e: 0, friction: dry, mu_s: 0.8, mu_k: 0.8}\n",
        i);
  }
  put(&t, "forces: [{name: drag, body: slab, force: [%.17g, %.17g, 0]}]\n", 0.5 * DRAG,
      sqrt(0.75) * DRAG);
  put(&t,
      "run: {until: 4, engine: stepping, dt: 1e-3, check_solution: steps}\nrecord: {every: 0.5}\n");
  return model_from(t.s, NULL, 0);
}

// Exact: the slab is held by 0.4 of the weight of all, and the balls, which roll, by f on each: they have f/m, their points on the slab 7/2 f/m. The
// velocities after 4 s to 1e-5, what the tolerance of 1e-6 m/s leaves in each of some steps. Sweeps alone take 9.5 a step, with jumps 6.5.
START_TEST(slow_sweeps_jump)
{
  rh_model *model = slab_model();
  rh_sim *sim = watch(model, NULL, NULL);
  const rh_data *d = rh_sim_view(sim);
  double held = 0.4 * 35 * G;
  double ball = (DRAG - held) / 10 / (3.5 + 2.5);
  double slab = (DRAG - held - 25 * ball) / 10;
  const double to[2] = {0.5, sqrt(0.75)};
  for (int i = 0; i < 2; i++) {
    near_rel(d->v[i], 4 * slab * to[i], 1e-5);
    near_rel(d->v[6 + i], 4 * ball * to[i], 1e-5);
  }
  rh_step_stats s = rh_sim_statistics(sim).step;
  ck_assert_int_ge(s.steps, 4000);
  ck_assert_int_lt(s.evaluations, 8 * s.steps);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_moreau_sweeps(void)
{
  Suite *suite = suite_create("unit_moreau_sweeps");
  TCase *tc = tcase_create("sweeps");
  tcase_add_test(tc, visit_of_free_bodies);
  tcase_add_test(tc, ground_is_not_moved);
  tcase_add_test(tc, slow_sweeps_jump);
  suite_add_tcase(suite, tc);
  return suite;
}
