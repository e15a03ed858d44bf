// unit_random.c: two hundred random trees of up to 60 joints of every kind. Every quantity is reached by two routes: ABA
// against CRBA and RNEA, sparse against dense, held against free, everything against the same scene turned and moved.
// Finite differences and Jacobians are in unit_difference.c.
#include "multibody/multibody.h"
#include "random_trees.h"

START_TEST(aba_is_the_inverse_of_H)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    rh_aba(b.d, b.tau, b.x);
    for (int i = 0; i < b.nv; i++) {
      b.y[i] = b.tau[i] - b.bias[i];
    }
    rh_mass_solve(b.d, b.y);
    // What the project promises. Two backward stable routes differ by about eps times the condition of H, which in
    // these trees stays below some 1e4.
    within("ABA against H^-1", seed, distance(b.x, b.y, b.nv), 1e-11 * largest(b.y, b.nv));
    // The residual does not depend on the condition: H a + bias - tau is rounding of its largest terms.
    rh_inverse_dynamics(b.d, b.x, b.z);
    double size = largest(b.H, b.nv * b.nv) * largest(b.x, b.nv) + largest(b.bias, b.nv);
    within("RNEA(ABA)", seed, distance(b.z, b.tau, b.nv), 1e3 * EPS * size);
    rh_mass_mul(b.d, b.x, b.z);
    for (int i = 0; i < b.nv; i++) {
      b.z[i] += b.bias[i];
    }
    within("H a + bias", seed, distance(b.z, b.tau, b.nv), 1e3 * EPS * size);
    close_bench(&b);
  }
}

END_TEST

START_TEST(crba_is_rnea_by_columns)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    // RNEA with a unit acceleration, less the bias: rounding of the bias remains.
    double allowed = 1e3 * EPS * (largest(b.H, b.nv * b.nv) + largest(b.bias, b.nv));
    for (int i = 0; i < b.nv; i++) {
      memset(b.x, 0, (size_t)b.nv * sizeof *b.x);
      b.x[i] = 1;
      rh_inverse_dynamics(b.d, b.x, b.y);
      for (int j = 0; j < b.nv; j++) {
        b.y[j] -= b.bias[j];
      }
      within("column of H", seed, distance(b.y, b.H + (size_t)i * (size_t)b.nv, b.nv), allowed);
    }
    close_bench(&b);
  }
}

END_TEST

// Adds to A what row k of L, on the path from k to the root, gives to L' L. Returns the length of the row.
static int add_row(const bench *b, int k)
{
  size_t nv = (size_t)b->nv;
  const rh_model_dof *dof = b->model->dof;
  const double *L = b->d->dyn.L + dof[k].row;
  int depth = 0;
  for (int i = k; i != RH_NONE; i = dof[i].parent, depth++) {
    int s = 0;
    for (int j = i; j != RH_NONE; j = dof[j].parent, s++) {
      b->A[(size_t)i * nv + (size_t)j] += L[depth] * L[depth + s];
      b->A[(size_t)j * nv + (size_t)i] = b->A[(size_t)i * nv + (size_t)j];
    }
  }
  return depth;
}

START_TEST(factor_gives_H_back)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    int stored = 0;
    for (int k = 0; k < b.nv; k++) {
      double pivot = b.d->dyn.L[b.model->dof[k].row];
      ck_assert_msg(pivot > 0 && isfinite(pivot), "tree %d: pivot %d of H is %g", seed, k, pivot);
      int length = add_row(&b, k);
      ck_assert_int_eq(length, b.model->dof[k].depth);
      stored += length;
    }
    ck_assert_int_eq(stored, b.model->layout.nH);
    // Cholesky is backward stable: |L'L - H| <= n eps max H, with room for the length of the rows.
    within("L'L", seed, distance(b.A, b.H, b.nv * b.nv),
           1e2 * EPS * (1 + b.nv) * largest(b.H, b.nv * b.nv));
    close_bench(&b);
  }
}

END_TEST

START_TEST(sparse_agrees_with_dense)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    size_t nv = (size_t)b.nv;
    rh_mass_mul(b.d, b.tau, b.x);
    for (size_t i = 0; i < nv; i++) {
      b.y[i] = 0;
      for (size_t j = 0; j < nv; j++) {
        ck_assert(b.H[i * nv + j] == b.H[j * nv + i]);
        b.y[i] += b.H[i * nv + j] * b.tau[j];
      }
    }
    double size = largest(b.H, b.nv * b.nv) * (1 + largest(b.tau, b.nv)) * (1 + b.nv);
    within("rh_mass_mul", seed, distance(b.x, b.y, b.nv), 10 * EPS * size);
    memcpy(b.z, b.tau, nv * sizeof *b.z);
    rh_mass_solve(b.d, b.z);
    rh_mass_mul(b.d, b.z, b.x);
    size = largest(b.H, b.nv * b.nv) * largest(b.z, b.nv) * (1 + b.nv);
    within("rh_mass_solve", seed, distance(b.x, b.tau, b.nv),
           10 * EPS * size); // residual of a stable solve
    close_bench(&b);
  }
}

END_TEST

// ---- W, impulses, held joints, change of frame

enum { POINTS = 4 };

// J H^-1 J' by one solve a row.
static void contact_inertia_by_rows(bench *b, const double *J, double *W)
{
  size_t nv = (size_t)b->nv;
  const size_t rows = 3 * POINTS;
  for (size_t i = 0; i < rows; i++) {
    memcpy(b->x, J + i * nv, nv * sizeof *b->x);
    rh_mass_solve(b->d, b->x);
    for (size_t j = 0; j < rows; j++) {
      W[i * rows + j] = 0;
      for (size_t k = 0; k < nv; k++) {
        W[i * rows + j] += J[j * nv + k] * b->x[k];
      }
    }
  }
}

START_TEST(contact_inertia_is_J_Hinv_J)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    size_t nv = (size_t)b.nv;
    rh_model_point point[POINTS];
    double *J = doubles(3 * POINTS * nv);
    double *work = doubles(3 * POINTS * nv);
    double W[9 * POINTS * POINTS];
    double want[9 * POINTS * POINTS];
    for (int k = 0; k < POINTS; k++) { // one of them on the world, which gives zeros
      int body = k == 3 ? 0 : 1 + rng_int(&b.r, b.model->nbody - 1);
      point[k] = (rh_model_point){body, rng_vec3(&b.r, 0.5)};
      rh_point_jacobian(b.d, point[k].body, point[k].at, J + 3 * (size_t)k * nv);
    }
    contact_inertia_by_rows(&b, J, want);
    rh_contact_inertia(b.d, POINTS, point, work, W);
    // Both routes go through the same factor; eps times the condition of H, as above.
    within("W", seed, distance(W, want, 9 * POINTS * POINTS),
           1e-11 * (largest(want, 9 * POINTS * POINTS) + 1e-3));
    free(work);
    free(J);
    close_bench(&b);
  }
}

END_TEST

// Free system: dv = H^-1 p. Nothing else: neither gravity nor velocity plays a part.
START_TEST(impulses)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    rh_aba(b.d, b.tau, b.x);
    rh_impulse_response(b.d, b.tau, b.y);
    memcpy(b.z, b.tau, (size_t)b.nv * sizeof *b.z);
    rh_mass_solve(b.d, b.z);
    within("dv", seed, distance(b.y, b.z, b.nv), 1e-11 * largest(b.z, b.nv));
    rh_impulse_response(b.d, b.tau, b.tau); // in place
    within("dv in place", seed, distance(b.tau, b.y, b.nv), 0);
    close_bench(&b);
  }
}

END_TEST

// A unit force at a body's origin gives the origin of another J_e H^-1 J_c': by six pushes at a time, and by columns.
static void check_pushes(bench *b, int seed, int from)
{
  int nbody = b->d->model->nbody;
  size_t nv = (size_t)b->nv;
  int *set = malloc((size_t)nbody * sizeof *set);
  double *room = malloc((rh_wrench_room(b->d->model) + 36 * (size_t)nbody + 6 * nv) * sizeof *room);
  double *v = room + rh_wrench_room(b->d->model);
  double *J = v + 36 * (size_t)nbody;
  for (int i = 1; i < nbody; i++) {
    set[i - 1] = i;
  }
  rh_aba(b->d, b->tau, b->x);
  rh_wrench_responses(b->d, from, set, nbody - 1, room, v);
  rh_point_jacobian(b->d, from, rh_v3(0, 0, 0), J);
  for (int c = 0; c < 3; c++) {
    memcpy(b->z, J + (size_t)c * nv, nv * sizeof *b->z);
    rh_mass_solve(b->d, b->z);
    for (int e = 1; e < nbody; e++) {
      double *Je = J + 3 * nv;
      rh_point_jacobian(b->d, e, rh_v3(0, 0, 0), Je);
      for (int i = 0; i < 3; i++) {
        double want = 0;
        double size = 1e-3;
        for (size_t k = 0; k < nv; k++) {
          want += Je[(size_t)i * nv + k] * b->z[k];
          size += fabs(Je[(size_t)i * nv + k] * b->z[k]);
        }
        within("push", seed, fabs(v[36 * (e - 1) + 6 * (3 + c) + 3 + i] - want), 1e-10 * size);
      }
    }
  }
  free(room);
  free(set);
}

START_TEST(pushes)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    check_pushes(&b, seed, b.d->model->nbody - 1);
    check_pushes(&b, seed, 1);
    close_bench(&b);
  }
}

END_TEST

static void check_held_response(bench *b, int seed)
{
  // p + reaction with dv = 0 at held ones: H dv - p must vanish where nothing is held.
  double *dv = b->A;
  rh_impulse_response(b->d, b->tau, dv);
  rh_mass_mul(b->d, dv, b->z);
  double size = largest(b->H, b->nv * b->nv) * (largest(dv, b->nv) + 1) + largest(b->tau, b->nv);
  for (int i = 0; i < b->nv; i++) {
    if (b->d->hold[i] != RH_HOLD_NONE) {
      ck_assert_msg(dv[i] == 0, "tree %d: impulse moves the held degree of freedom %d", seed, i);
    } else {
      within("impulse on a held tree", seed, fabs(b->z[i] - b->tau[i]), 1e4 * EPS * size);
    }
  }
}

// A held degree of freedom keeps a = 0, and its reaction, put in as a joint force, keeps it there without the hold.
START_TEST(held_joints)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench b = open_bench((uint64_t)seed, &o);
    for (int i = 0; i < b.nv; i++) {
      b.d->hold[i] = rng_int(&b.r, 3) == 0 ? RH_HOLD_LOCK : RH_HOLD_NONE;
    }
    memcpy(b.d->tau, b.tau, (size_t)b.nv * sizeof *b.tau);
    rh_loads(b.d);
    rh_forward_dynamics(b.d);
    memcpy(b.x, b.d->a, (size_t)b.nv * sizeof *b.x);
    for (int i = 0; i < b.nv; i++) {
      bool held = b.d->hold[i] != RH_HOLD_NONE;
      ck_assert_msg(!held || b.x[i] == 0, "tree %d: held degree of freedom %d has a = %g", seed, i,
                    b.x[i]);
      ck_assert_msg(held || b.d->react[i] == 0, "tree %d: reaction of %d, which is free", seed, i);
      b.y[i] = b.d->load[i] + b.d->react[i];
    }
    mass(&b);
    check_held_response(&b, seed);
    memset(b.d->hold, 0, (size_t)b.nv * sizeof *b.d->hold);
    rh_aba(b.d, b.y, b.z);
    within("a with the reaction as load", seed, distance(b.z, b.x, b.nv),
           1e-10 * (1 + largest(b.x, b.nv)));
    rh_inverse_dynamics(b.d, b.x, b.z); // and by inverse dynamics
    within("load + reaction", seed, distance(b.z, b.y, b.nv),
           1e4 * EPS * (largest(b.y, b.nv) + largest(b.H, b.nv * b.nv) * largest(b.x, b.nv)));
    close_bench(&b);
  }
}

END_TEST

// Forces from outside enter as J' f.
START_TEST(outside_forces)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    o.bare = true;
    bench b = open_bench((uint64_t)seed, &o);
    mass(&b);
    double *J = doubles(3 * (size_t)b.nv);
    int body = 1 + rng_int(&b.r, b.model->nbody - 1);
    rh_vec3 at = rng_vec3(&b.r, 0.5);
    rh_vec3 F = rng_vec3(&b.r, 20);
    rh_vec3 arm = rh_rotate(&b.d->kin[body].R, at);
    b.d->fext[body] = (rh_force){rh_cross(arm, F), F};
    rh_loads(b.d);
    rh_forward_dynamics(b.d);
    rh_point_jacobian(b.d, body, at, J);
    for (int i = 0; i < b.nv; i++) {
      b.x[i] = J[i] * F.x + J[b.nv + i] * F.y + J[2 * b.nv + i] * F.z;
    }
    rh_aba(b.d, b.x, b.y);
    within("a", seed, distance(b.d->a, b.y, b.nv), 1e-11 * (1 + largest(b.y, b.nv)));
    free(J);
    close_bench(&b);
  }
}

END_TEST

// The whole scene turned and moved, gravity too: joint accelerations, H and bias do not know.
START_TEST(frame_does_not_matter)
{
  FOR_TREES(seed)
  {
    rng r = {(uint64_t)seed + 5000};
    rh_mat3 turn = rh_quat_matrix(rng_quat(&r));
    rh_vec3 move = rng_vec3(&r, 3);
    tree_options o = size_of_tree(seed);
    bench a = open_bench((uint64_t)seed, &o);
    o.turn = &turn;
    o.move = &move;
    bench b = open_bench((uint64_t)seed, &o);
    ck_assert_int_eq(a.nv, b.nv);
    mass(&a);
    mass(&b);
    double size = largest(a.H, a.nv * a.nv);
    within("H", seed, distance(b.H, a.H, a.nv * a.nv), 1e3 * EPS * size);
    within("bias", seed, distance(b.bias, a.bias, a.nv),
           1e4 * EPS * (largest(a.bias, a.nv) + size));
    rh_aba(a.d, a.tau, a.x);
    rh_aba(b.d, a.tau, b.x);
    within("a", seed, distance(b.x, a.x, a.nv), 1e-11 * largest(a.x, a.nv));
    near_rel(rh_kinetic_energy(b.d), rh_kinetic_energy(a.d), 1e4 * EPS);
    rh_vec3 p = rh_add(rh_rotate(&turn, rh_momentum(a.d).lin), rh_v3(0, 0, 0));
    rh_vec3 q = rh_momentum(b.d).lin;
    within("momentum", seed, distance(&q.x, &p.x, 3), 1e4 * EPS * (1 + rh_norm(p)) * farthest(b.d));
    close_bench(&a);
    close_bench(&b);
  }
}

END_TEST

// The same call twice gives the same bits; a data block made from scratch too.
START_TEST(same_bits)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    bench a = open_bench((uint64_t)seed, &o);
    bench b = open_bench((uint64_t)seed, &o);
    rh_aba(a.d, a.tau, a.x);
    rh_aba(b.d, a.tau, b.x);
    rh_aba(b.d, a.tau, b.y);
    ck_assert_int_eq(memcmp(a.x, b.x, (size_t)a.nv * sizeof *a.x), 0);
    ck_assert_int_eq(memcmp(a.x, b.y, (size_t)a.nv * sizeof *a.x), 0);
    ck_assert_uint_eq(rh_data_hash(a.d, 1), rh_data_hash(b.d, 1));
    if (a.nv > 0) {
      a.d->v[0] += 1e-15 + fabs(a.d->v[0]) * 4e-16;
      ck_assert_uint_ne(rh_data_hash(a.d, 1), rh_data_hash(b.d, 1));
    }
    close_bench(&a);
    close_bench(&b);
  }
}

END_TEST

Suite *rh_suite_unit_random(void)
{
  Suite *suite = suite_create("unit_random");
  TCase *tc = tcase_create("random trees");
  tcase_add_loop_test(tc, aba_is_the_inverse_of_H, 0, CHUNKS);
  tcase_add_loop_test(tc, crba_is_rnea_by_columns, 0, CHUNKS);
  tcase_add_loop_test(tc, factor_gives_H_back, 0, CHUNKS);
  tcase_add_loop_test(tc, sparse_agrees_with_dense, 0, CHUNKS);
  tcase_add_loop_test(tc, contact_inertia_is_J_Hinv_J, 0, CHUNKS);
  tcase_add_loop_test(tc, impulses, 0, CHUNKS);
  tcase_add_loop_test(tc, pushes, 0, CHUNKS);
  tcase_add_loop_test(tc, held_joints, 0, CHUNKS);
  tcase_add_loop_test(tc, outside_forces, 0, CHUNKS);
  tcase_add_loop_test(tc, frame_does_not_matter, 0, CHUNKS);
  tcase_add_loop_test(tc, same_bits, 0, CHUNKS);
  suite_add_tcase(suite, tc);
  return suite;
}
