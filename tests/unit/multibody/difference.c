// unit_difference.c: the random trees of unit_random.c once more: Jacobians, energies and momenta against finite
// differences, and H and bias against sums over Jacobians.
#include "random_trees.h"

// ---- Finite differences: five points, step h. The motion of a body that turns at w has f^(5) of w^4 times the size of
// its first derivative, so with h = 1e-3 / (1 + w) truncation is (w h)^4 / 30 < 1e-13 of it. Rounding gives
// eps |f| / h; positions reach some 30 m, so that is 1e-11 (1 + w).

static const double stencil[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

// Puts the world at q moved along v for h, with velocity v + h a (a may be NULL).
static void go(bench *b, const double *a, double h)
{
  size_t nv = (size_t)b->nv;
  memcpy(b->d->q, b->q, (size_t)b->model->nq * sizeof *b->q);
  memcpy(b->d->v, b->v, nv * sizeof *b->v);
  rh_coordinates_advance(b->d, h, b->d->q);
  for (size_t i = 0; a != NULL && i < nv; i++) {
    b->d->v[i] += h * a[i];
  }
  rh_kinematics(b->d);
}

static void keep_state(bench *b)
{
  memcpy(b->q, b->d->q, (size_t)b->model->nq * sizeof *b->q);
  memcpy(b->v, b->d->v, (size_t)b->nv * sizeof *b->v);
}

START_TEST(jacobian_is_the_rate_of_the_position)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    double *J = doubles(3 * (size_t)b.nv);
    int body = 1 + rng_int(&b.r, b.model->nbody - 1);
    rh_vec3 at = rng_vec3(&b.r, 0.5);
    rh_point_jacobian(b.d, body, at, J);
    // J v is the velocity.
    rh_vec3 v = rh_point_velocity(b.d, body, at);
    double Jv[3] = {0};
    for (int i = 0; i < 3 * b.nv; i++) {
      Jv[i / b.nv] += J[i] * b.d->v[i % b.nv];
    }
    double size = largest(J, 3 * b.nv) + 1;
    within("J v", seed, distance(Jv, &v.x, 3), 1e3 * EPS * size);
    keep_state(&b);
    memset(b.v, 0, (size_t)b.nv * sizeof *b.v);
    const double h = 1e-3;
    for (int k = 0; k < b.nv; k++) {
      b.v[k] = 1; // unit speed: w <= 1
      rh_vec3 dp = {0, 0, 0};
      for (int s = 0; s < 4; s++) {
        go(&b, NULL, stencil[s] * h);
        dp = rh_addscaled(dp, weight[s] / h, rh_point_position(b.d, body, at));
      }
      const double column[3] = {J[k], J[b.nv + k], J[2 * b.nv + k]};
      within("column of J", seed, distance(&dp.x, column, 3),
             1e-12 * size + 10 * EPS * farthest(b.d) / h);
      b.v[k] = 0;
    }
    free(J);
    close_bench(&b);
  }
}

END_TEST

START_TEST(point_bias_is_the_rate_of_J_v)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    keep_state(&b);
    double w = 1 + fastest_turn(b.d);
    double h = 1e-3 / w;
    for (int k = 0; k < 5; k++) {
      go(&b, NULL, 0);
      int body = 1 + rng_int(&b.r, b.model->nbody - 1);
      rh_vec3 at = rng_vec3(&b.r, 0.5);
      rh_vec3 want = rh_point_bias(b.d, body, at);
      rh_vec3 got = {0, 0, 0};
      double speed = 0;
      for (int s = 0; s < 4; s++) {
        go(&b, NULL, stencil[s] * h); // v is constant along the way
        rh_vec3 v = rh_point_velocity(b.d, body, at);
        got = rh_addscaled(got, weight[s] / h, v);
        speed = fmax(speed, rh_norm(v));
      }
      // Velocities are sums over the chain, of size w times its reach.
      speed = fmax(speed, w * farthest(b.d));
      within("Jdot v", seed, distance(&got.x, &want.x, 3),
             1e-12 * w * speed + 20 * EPS * speed / h);
    }
    close_bench(&b);
  }
}

END_TEST

static double energy(const rh_data *d)
{
  return rh_kinetic_energy(d) + rh_potential_energy(d) + rh_spring_energy(d);
}

// d/dt (T + V) = v . tau for whatever acceleration tau gives, springs counted as stored energy.
START_TEST(power_balances)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    keep_state(&b);
    mass(&b);
    rh_mass_mul(b.d, b.v, b.x);
    double T = 0;
    for (int i = 0; i < b.nv; i++) {
      T += 0.5 * b.v[i] * b.x[i];
    }
    double size =
        rh_kinetic_energy(b.d) + rh_spring_energy(b.d) + fabs(rh_potential_energy(b.d)) + 1;
    within("T = v'Hv/2", seed, fabs(T - rh_kinetic_energy(b.d)), 1e3 * EPS * size);
    // tau beyond the springs: load holds -k delta - c v; leave the damper out by adding its power.
    memcpy(b.d->tau, b.tau, (size_t)b.nv * sizeof *b.tau);
    rh_loads(b.d);
    rh_forward_dynamics(b.d);
    memcpy(b.x, b.d->a, (size_t)b.nv * sizeof *b.x);
    double power = 0;
    for (int i = 0; i < b.nv; i++) {
      power += b.v[i] * (b.tau[i] - b.model->dof[i].damper * b.v[i]);
    }
    near_rel(b.d->power[RH_WORK_EXTERNAL] - b.d->power[RH_WORK_DAMPER], power, 1e-12);
    double w =
        1 + fastest_turn(b.d) + sqrt(largest(b.x, b.nv)); // accelerations turn as fast as speeds do
    double h = 1e-3 / w;
    double rate = 0;
    for (int s = 0; s < 4; s++) {
      go(&b, b.x, stencil[s] * h);
      rate += weight[s] / h * energy(b.d);
    }
    within("power", seed, fabs(rate - power), 1e-11 * w * size + 100 * EPS * size / h);
    close_bench(&b);
  }
}

END_TEST

// With one free joint at the root only gravity changes the momentum, whatever the other joints do.
START_TEST(momentum_changes_by_gravity_alone)
{
  FOR_TREES(seed)
  {
    tree_options o = {.joints = 1 + seed % 60, .free_root = true};
    bench b = open_bench((uint64_t)seed, &o);
    keep_state(&b);
    memset(b.tau, 0, 6 * sizeof *b.tau);
    memcpy(b.d->tau, b.tau, (size_t)b.nv * sizeof *b.tau);
    rh_loads(b.d);
    rh_forward_dynamics(b.d);
    memcpy(b.x, b.d->a, (size_t)b.nv * sizeof *b.x);
    double M = rh_total_mass(b.model);
    rh_vec3 weight_force = rh_scale(M, b.model->gravity);
    rh_vec3 moment = rh_cross(rh_centre_of_mass(b.d), weight_force);
    double w = 1 + fastest_turn(b.d) + sqrt(largest(b.x, b.nv));
    double h = 1e-3 / w;
    rh_force rate = {{0, 0, 0}, {0, 0, 0}};
    double reach = farthest(b.d);
    for (int s = 0; s < 4; s++) {
      go(&b, b.x, stencil[s] * h);
      rh_force p = rh_momentum(b.d);
      rate.ang = rh_addscaled(rate.ang, weight[s] / h, p.ang);
      rate.lin = rh_addscaled(rate.lin, weight[s] / h, p.lin);
    }
    // Momenta are of size M w reach (times reach for the angular part).
    double size = M * w * reach;
    double allowed = 1e-11 * w * size + 100 * EPS * size / h;
    within("force", seed, distance(&rate.lin.x, &weight_force.x, 3), allowed);
    within("moment", seed, distance(&rate.ang.x, &moment.x, 3), allowed * reach);
    close_bench(&b);
  }
}

END_TEST

// ---- Kane's route to H and bias: sums over bodies of J' m J and J' m (Jdot v - g), with Jacobians and biases of
// points only. Angular parts come from two points: J(e) - J(0) = w x R e.

typedef struct turning { // angular Jacobian and angular acceleration bias of a body
  double *J;             // 3 x nv
  rh_vec3 alpha;
} turning;

static rh_vec3 vee(const rh_vec3 d[3],
                   const rh_mat3 *R) // w with w x (R e_i) = d_i: 1/2 sum R e_i x d_i
{
  rh_vec3 w = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    rh_vec3 e = {R->m[i], R->m[3 + i], R->m[6 + i]};
    w = rh_addscaled(w, 0.5, rh_cross(e, d[i]));
  }
  return w;
}

static void turning_of(bench *b, int body, turning *t)
{
  size_t nv = (size_t)b->nv;
  double *J[4];
  rh_vec3 acc[4];
  const rh_mat3 *R = &b->d->kin[body].R;
  for (int k = 0; k < 4; k++) {
    J[k] = doubles(3 * nv);
    rh_vec3 at = {k == 1, k == 2, k == 3};
    rh_point_jacobian(b->d, body, at, J[k]);
    acc[k] = rh_point_bias(b->d, body, at);
  }
  for (size_t j = 0; j < nv; j++) {
    rh_vec3 d[3];
    for (int k = 0; k < 3; k++) {
      d[k] = rh_v3(J[k + 1][j] - J[0][j], J[k + 1][nv + j] - J[0][nv + j],
                   J[k + 1][2 * nv + j] - J[0][2 * nv + j]);
    }
    rh_vec3 w = vee(d, R);
    t->J[j] = w.x;
    t->J[nv + j] = w.y;
    t->J[2 * nv + j] = w.z;
  }
  rh_vec3 w = b->d->kin[body].v.ang;
  rh_vec3 d[3];
  for (int k = 0; k < 3; k++) { // acc(e) - acc(0) = alpha x Re + w x (w x Re)
    rh_vec3 e = {R->m[k], R->m[3 + k], R->m[6 + k]};
    d[k] = rh_sub(rh_sub(acc[k + 1], acc[0]), rh_cross(w, rh_cross(w, e)));
  }
  t->alpha = vee(d, R);
  for (int k = 0; k < 4; k++) {
    free(J[k]);
  }
}

// What a body adds to H (in A) and to the bias (in x).
static void add_body(bench *b, int body, double *J, turning *t)
{
  size_t nv = (size_t)b->nv;
  const rh_inertia *I = &b->model->body[body].inertia;
  const rh_mat3 *R = &b->d->kin[body].R;
  rh_vec3 c = rh_scale(1 / I->mass, I->h);
  // About the centre of mass: I_c = I_O - m (c.c 1 - c c')
  double cc = rh_dot(c, c);
  rh_sym3 Ic = {I->I.xx - I->mass * (cc - c.x * c.x), I->I.yy - I->mass * (cc - c.y * c.y),
                I->I.zz - I->mass * (cc - c.z * c.z), I->I.xy + I->mass * c.x * c.y,
                I->I.xz + I->mass * c.x * c.z,        I->I.yz + I->mass * c.y * c.z};
  rh_sym3 Iw = rh_sym3_rotate(R, &Ic);
  rh_point_jacobian(b->d, body, c, J);
  turning_of(b, body, t);
  rh_vec3 w = b->d->kin[body].v.ang;
  rh_vec3 F = rh_scale(I->mass, rh_sub(rh_point_bias(b->d, body, c), b->model->gravity));
  rh_vec3 N = rh_add(rh_sym3_mul(&Iw, t->alpha), rh_cross(w, rh_sym3_mul(&Iw, w)));
  for (size_t i = 0; i < nv; i++) {
    rh_vec3 ji = {J[i], J[nv + i], J[2 * nv + i]};
    rh_vec3 wi = {t->J[i], t->J[nv + i], t->J[2 * nv + i]};
    if (rh_dot(ji, ji) + rh_dot(wi, wi) == 0) {
      continue; // not on this body's path
    }
    rh_vec3 Iwi = rh_sym3_mul(&Iw, wi);
    b->x[i] += rh_dot(ji, F) + rh_dot(wi, N);
    for (size_t j = 0; j < nv; j++) {
      rh_vec3 jj = {J[j], J[nv + j], J[2 * nv + j]};
      rh_vec3 wj = {t->J[j], t->J[nv + j], t->J[2 * nv + j]};
      b->A[i * nv + j] += I->mass * rh_dot(ji, jj) + rh_dot(Iwi, wj);
    }
  }
}

START_TEST(kane_gives_the_same_H_and_bias)
{
  // Two of each ten trees: the route is dense and slow.
  for (int seed = 10 * _i; seed < 10 * _i + 10; seed += 5) {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    double *J = doubles(3 * (size_t)b.nv);
    turning t = {.J = doubles(3 * (size_t)b.nv)};
    for (int i = 1; i < b.model->nbody; i++) {
      add_body(&b, i, J, &t);
    }
    for (int k = 0; k < b.nv; k++) {
      b.A[(size_t)k * (size_t)(b.nv + 1)] += b.model->dof[k].armature;
    }
    // Sums of 60 bodies, each a product of distances up to 30 m that the recursive route never squares.
    double reach = farthest(b.d) * farthest(b.d);
    within("H", seed, distance(b.A, b.H, b.nv * b.nv),
           100 * EPS * (largest(b.H, b.nv * b.nv) + reach));
    within("bias", seed, distance(b.x, b.bias, b.nv),
           1e3 * EPS *
               (largest(b.bias, b.nv) + reach * (1 + fastest_turn(b.d) * fastest_turn(b.d))));
    free(t.J);
    free(J);
    close_bench(&b);
  }
}

END_TEST

Suite *rh_suite_unit_difference(void)
{
  Suite *suite = suite_create("unit_difference");
  TCase *tc = tcase_create("random trees");
  tcase_add_loop_test(tc, jacobian_is_the_rate_of_the_position, 0, CHUNKS);
  tcase_add_loop_test(tc, point_bias_is_the_rate_of_J_v, 0, CHUNKS);
  tcase_add_loop_test(tc, power_balances, 0, CHUNKS);
  tcase_add_loop_test(tc, momentum_changes_by_gravity_alone, 0, CHUNKS);
  tcase_add_loop_test(tc, kane_gives_the_same_H_and_bias, 0, CHUNKS);
  suite_add_tcase(suite, tc);
  return suite;
}
