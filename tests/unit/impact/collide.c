// unit_collide.c: the collision map against what defines it, over 10 000 random groups of up to 40 degrees of freedom and 60 contacts,
// most of them rank deficient: J v+ = -e J v-, energy, the pseudo-inverse by another route, order of the contacts, other coordinates,
// walls that are moved.
#include "random_groups.h"

// ---- Random groups

// What rounding can do to the energies: the terms that cancel in p'u + 1/2 p'Wp, times the operations in each.
static double rounding(const group *g)
{
  double sum = energy(g, g->v) + energy(g, g->qd);
  for (int i = 0; i < g->n; i++) {
    double row = fabs(g->u[i]);
    for (int k = 0; k < g->n; k++) {
      row += fabs(g->W[i * g->n + k] * g->p[k]);
    }
    sum += fabs(g->p[i]) * row;
  }
  return 1e-13 * sum;
}

// Energy never rises, and is accounted for.
static void check_energy(const group *g, int round)
{
  double before = energy(g, g->v);
  double after = energy(g, g->qd);
  ck_assert_msg(after <= before * (1 + 1e-12), "round %d: %g J to %g J", round, before, after);
  near_abs(g->out.loss, before - after, rounding(g));
  ck_assert(!g->out.gained);
}

// Contacts that are independent by less than 1e-6 of what they do (RH_COLLIDE_TOL of W_ii) count as dependent. What is then left of
// the law is at most what that part of J could have had of the energy.
static void check_unresolved(const group *g, double e)
{
  for (int i = 0; i < g->n; i++) {
    double most = 2 * sqrt(RH_COLLIDE_TOL * g->W[i * g->n + i] * 2 * energy(g, g->v));
    near_abs(g->after[i], -e * g->u[i], most);
  }
}

// The law to 1e-10, as the reference asks, where the singular values of J D^-1/2 span less than 1e5: that is the square root of what is
// left of 16 digits of W beyond 1e-6. One group of 10 000 spans more. The impulses to the condition of W, which is what both routes can
// know them to; the worst is 2e-14 of it.
START_TEST(random_groups)
{
  static group g;
  static svd f;
  uint64_t seed = 20;
  int overdetermined = 0;
  int pulls = 0;
  int beyond = 0;
  for (int round = 0; round < GROUPS + beyond; round++) {
    double want[N];
    double b[N];
    double Jv[N];
    random_group(&seed, &g);
    decompose(&g, &f);
    double e = lot(&seed);
    one_e(&g, e);
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL});
    check_energy(&g, round);
    // This one goes through W^+: its rounding grows with the span of the singular values, 1e7 at most in these groups.
    near_abs(g.out.loss_24, energy(&g, g.v) - energy(&g, g.qd), 1e-8 * energy(&g, g.v));
    if (f.cond > 1e5) {
      check_unresolved(&g, e);
      beyond++;
      continue;
    }
    double size = fmax(largest(g.u, g.n), 1);
    product(g.n, g.nv, 1, g.J, g.qd, Jv);
    for (int i = 0; i < g.n; i++) {
      want[i] = -e * g.u[i];
      b[i] = -(1 + e) * g.u[i];
    }
    near_array(Jv, want, g.n, 1e-10 * size, 0);
    near_array(g.after, want, g.n, 1e-10 * size, 0);
    ck_assert_int_eq(g.out.rank, f.rank);
    ck_assert_int_le(g.out.rank, g.rank);
    pseudo(&f, b, want);
    near_array(g.p, want, g.n, 1e-13 * f.cond * f.cond * fmax(largest(want, g.n), 1e-3), 0);
    overdetermined += g.out.rank < g.n;
    pulls += g.out.negative > 0;
  }
  ck_assert_int_le(beyond, GROUPS / 500);
  ck_assert_int_gt(overdetermined, GROUPS / 2);
  ck_assert_int_gt(pulls, GROUPS / 2);
}

END_TEST

// Each contact its own e in -1 .. 1. The clamped rule takes at least what the largest e at every contact would take, and never gives.
START_TEST(energy_per_contact)
{
  static group g;
  uint64_t seed = 21;
  int clamped = 0;
  for (int round = 0; round < GROUPS; round++) {
    random_group(&seed, &g);
    lots(&seed, g.e, g.n);
    double most = largest(g.e, g.n);
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL});
    check_energy(&g, round);
    double loss = g.out.loss + rounding(&g);
    ck_assert(g.out.scale > 0 && g.out.scale <= 1);
    clamped += g.out.scale < 1 - 1e-12;
    one_e(&g, 0);
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL});
    ck_assert_msg(loss >= (1 - most * most) * g.out.loss, "round %d", round);
  }
  ck_assert_int_gt(clamped, GROUPS / 10);
}

END_TEST

// e is 1 or -1: every contact comes back as fast or is let through, and there is nothing to spare. Energy is kept to rounding, whatever
// weak directions make of it.
START_TEST(energy_kept)
{
  static group g;
  uint64_t seed = 27;
  for (int round = 0; round < GROUPS; round++) {
    random_group(&seed, &g);
    for (int i = 0; i < g.n; i++) {
      g.e[i] = lot(&seed) > 0 ? 1 : -1;
    }
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL, .damping = round % 4 == 3 ? 0.1 : 0});
    double gain = energy(&g, g.qd) - energy(&g, g.v);
    ck_assert_msg(gain <= rounding(&g), "round %d: %g J of %g J", round, gain, energy(&g, g.v));
  }
}

END_TEST

// The other rules, and damping; the root costs most, so groups are small. Plain -E u gains energy in many groups, and says so.
START_TEST(energy_by_rule)
{
  static group g;
  uint64_t seed = 26;
  int naive = 0;
  for (int round = 0; round < GROUPS / 4; round++) {
    do {
      random_group(&seed, &g);
    } while (g.nv > 12);
    lots(&seed, g.e, g.n);
    for (int k = 0; k < 5; k++) {
      static const rh_collide_rule rule[5] = {RH_COLLIDE_NAIVE, RH_COLLIDE_SQRT, RH_COLLIDE_NAIVE,
                                              RH_COLLIDE_SQRT, RH_COLLIDE_CLAMPED};
      collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL,
                                  .rule = rule[k],
                                  .damping = k < 2 ? 0 : fabs(lot(&seed))});
      if (rule[k] != RH_COLLIDE_NAIVE) {
        check_energy(&g, round);
        continue;
      }
      double gain = energy(&g, g.qd) - energy(&g, g.v);
      near_abs(g.out.loss, -gain, rounding(&g));
      ck_assert(gain < 1e-9 * energy(&g, g.v) || g.out.gained);
      naive += k == 0 && g.out.gained;
    }
  }
  ck_assert_int_gt(naive, GROUPS / 40);
}

END_TEST

// Contacts in another order, and other coordinates of the same group, qd = T y: the same impulses.
START_TEST(invariance)
{
  static group g;
  static group h;
  static double T[NV * NV];
  static double H[NV * NV];
  static svd f;
  uint64_t seed = 22;
  for (int round = 0; round < GROUPS / 10; round++) {
    random_group(&seed, &g);
    lots(&seed, g.e, g.n);
    decompose(&g, &f);
    double tol = 1e-12 * f.cond * f.cond; // two answers, and how far unequal e are clamped
    if (f.cond > 1e5) {
      continue;
    }
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL});
    double size = fmax(largest(g.p, g.n), 1e-3);
    h = g;
    for (int i = 0; i < g.n; i++) {
      int from = g.n - 1 - i;
      memcpy(h.J + (ptrdiff_t)i * g.nv, g.J + (ptrdiff_t)from * g.nv,
             (size_t)g.nv * sizeof(double));
      h.e[i] = g.e[from];
    }
    measure(&h);
    collide(&h, (rh_collide_in){.select = RH_COLLIDE_ALL});
    for (int i = 0; i < g.n; i++) {
      near_abs(h.p[i], g.p[g.n - 1 - i], tol * size);
    }
    ck_assert_int_eq(h.out.rank, g.out.rank);
    // D = T'D T, J = J T, and the velocities y solve T y = qd; T is unit lower triangular.
    for (int i = 0; i < g.nv; i++) {
      for (int k = 0; k < g.nv; k++) {
        T[i * g.nv + k] = k < i ? 0.5 * lot(&seed) / g.nv : k == i;
      }
    }
    product(g.nv, g.nv, g.nv, g.D, T, H);
    for (int i = 0; i < g.nv; i++) {
      for (int k = 0; k < g.nv; k++) {
        h.D[i * g.nv + k] = 0;
        for (int j = 0; j < g.nv; j++) {
          h.D[i * g.nv + k] += T[j * g.nv + i] * H[j * g.nv + k];
        }
      }
    }
    product(g.n, g.nv, g.nv, g.J, T, h.J);
    for (int i = 0; i < g.nv; i++) {
      h.v[i] = g.v[i];
      for (int k = 0; k < i; k++) {
        h.v[i] -= T[i * g.nv + k] * h.v[k];
      }
    }
    memcpy(h.e, g.e, sizeof(h.e));
    factor_inertia(&h);
    measure(&h);
    collide(&h, (rh_collide_in){.select = RH_COLLIDE_ALL});
    double back[NV];
    product(g.nv, g.nv, 1, T, h.qd, back);
    near_array(h.p, g.p, g.n, tol * size, 0);
    near_array(back, g.qd, g.nv, tol * fmax(largest(g.qd, g.nv), 1), 0);
  }
}

END_TEST

// Walls that are moved: no velocity may do what is asked. What is left over is orthogonal to all that can be done, W (u+ + e u) = 0,
// and the energy is that of the loss and of what the walls put in.
START_TEST(prescribed)
{
  static group g;
  uint64_t seed = 23;
  int unmet = 0;
  for (int round = 0; round < GROUPS / 10; round++) {
    double wall[N];
    double u[N];
    random_group(&seed, &g);
    one_e(&g, 0.5);
    lots(&seed, wall, g.n);
    for (int i = 0; i < g.n; i++) {
      u[i] = g.u[i] + wall[i];
    }
    collide(&g, (rh_collide_in){.select = RH_COLLIDE_ALL, .u = u, .prescribed = wall});
    double left[N];
    double seen[N];
    for (int i = 0; i < g.n; i++) {
      left[i] = g.after[i] + 0.5 * u[i];
    }
    product(g.n, g.n, 1, g.W, left, seen);
    double size = fmax(largest(g.p, g.n), 1) * fmax(largest(g.W, g.n * g.n), 1);
    near_array(seen, (const double[N]){0}, g.n, 1e-12 * size * fmax(largest(g.W, g.n * g.n), 1), 0);
    near_abs(g.out.unmet, largest(left, g.n), 0);
    ck_assert(g.out.loss >= -1e-12 * size);
    near_abs(energy(&g, g.qd) - energy(&g, g.v), g.out.driven - g.out.loss, rounding(&g));
    unmet += g.out.unmet > 1e-6;
  }
  ck_assert_int_gt(unmet, GROUPS / 40);
}

END_TEST

Suite *rh_suite_unit_collide(void)
{
  Suite *suite = suite_create("unit_collide");
  TCase *tests = tcase_create("groups");
  tcase_add_test(tests, random_groups);
  tcase_add_test(tests, energy_per_contact);
  tcase_add_test(tests, energy_kept);
  tcase_add_test(tests, energy_by_rule);
  tcase_add_test(tests, invariance);
  tcase_add_test(tests, prescribed);
  suite_add_tcase(suite, tests);
  return suite;
}
