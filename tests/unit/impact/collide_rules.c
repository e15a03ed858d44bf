// unit_collide_rules.c: the collision map in closed forms: rank, which contacts take part, the split law; and its variants, contacts that push
// only and friction, against what defines them and against each other.
#include "random_groups.h"

#include <stdlib.h>

// ---- Closed forms

// A gram and a thousand tons side by side, each on two contacts: of W's entries the ratio is 1e12, and its rank is 4 all the same.
// Beside them the first contact twice, and one that nothing can move.
START_TEST(rank)
{
  const double scale[2] = {1e3, 1e-6}; // [1/kg]
  const double part[4] = {2, 1, 1, 2};
  double W[36] = {0};
  double u[6] = {-1, -2, -3, -4, -1, -7};
  double e[6] = {0};
  double p[6];
  double after[6];
  double room[210];
  rh_collide_out out;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      W[6 * i + k] = i / 2 == k / 2 ? scale[i / 2] * part[2 * (i % 2) + k % 2] : 0;
    }
  }
  for (int k = 0; k < 4; k++) { // contact 4 is contact 0 again
    W[24 + k] = W[k];
    W[6 * k + 4] = W[6 * k];
  }
  W[28] = W[0];
  rh_collide_in in = {.n = 6, .W = W, .u = u, .e = e};
  ck_assert_int_le((int)rh_collide_room(6, 0), RH_COUNT(room));
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  ck_assert_int_eq(out.rank, 4);
  ck_assert_int_eq(out.chosen, 6);
  // (2, 1; 1, 2) p = -u: p = (0, 1) and (2/3, 5/3) over the scale; the twins share.
  const double want[6] = {0, 1e-3, 2e6 / 3, 5e6 / 3, 0, 0};
  for (int i = 0; i < 6; i++) {
    near_abs(p[i], want[i], i == 2 || i == 3 ? 1e-8 : 1e-17);
  }
  near_array(after, ((const double[6]){0, 0, 0, 0, 0, -7}), 6, 1e-14, 0);
  near_abs(out.unmet, 7, 0);
  ck_assert_int_eq(out.negative, 0);
}

END_TEST

START_TEST(selection)
{
  // Three contacts that know nothing of each other: approaching, at rest but for rounding, receding.
  const double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const double u[3] = {-1, 1e-12, 0.5};
  const double e[3] = {0.5, 0.5, 0.5};
  const double apart[3] = {1, 1, -1};
  double p[3];
  double after[3];
  double room[100];
  rh_collide_out out;
  rh_collide_in in = {.n = 3, .nv = 3, .W = W, .u = u, .e = e, .closed = 1e-9};
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  near_array(p, ((const double[3]){0.75, 0, 0}), 3, 1e-15, 0);
  near_array(after, ((const double[3]){0.5, 1e-12, 0.5}), 3, 1e-15, 0);
  ck_assert_int_eq(out.chosen, 1);
  in.select = RH_COLLIDE_CLOSED;
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  ck_assert_int_eq(out.chosen, 2);
  near_abs(after[1], -0.5e-12, 1e-27);
  ck_assert_int_eq(out.negative, 0); // -7.5e-13 N s beside 0.75: rounding
  in.select = RH_COLLIDE_ALL;
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  ck_assert_int_eq(out.chosen, 3);
  ck_assert_int_eq(out.negative, 1); // what recedes is pulled back
  near_abs(after[2], -0.25, 1e-15);
  in.select = RH_COLLIDE_STRICT;
  in.approach = apart;
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  ck_assert(p[0] == 0 && p[1] == 0);
  near_abs(p[2], -0.375, 1e-15);
  in.n = 0;
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  ck_assert_int_eq(out.chosen + out.rank + out.negative, 0);
  ck_assert(out.loss == 0);
}

END_TEST

START_TEST(not_finite)
{
  const double W[4] = {1, 0, 0, 1};
  const double broken[4] = {1, NAN, NAN, 1};
  const double e[2] = {0, 0};
  double p[2];
  double after[2];
  double room[60];
  rh_collide_out out;
  rh_collide_in in = {
      .n = 2, .W = W, .u = (const double[2]){-1, NAN}, .e = e, .select = RH_COLLIDE_ALL};
  ck_assert(!rh_collide_map(&in, room, p, after, &out));
  ck_assert(p[0] == 0 && p[1] == 0);
  in.u = (const double[2]){-1, -1};
  in.W = broken;
  ck_assert(!rh_collide_map(&in, room, p, after, &out));
  ck_assert(p[0] == 0 && p[1] == 0 && after[0] == -1);
}

END_TEST

// Two equal bodies, 1 m/s onto rest, e = 1, by the split law: the first comes back, the second stays, and momentum is not kept.
START_TEST(split_law)
{
  const double W[4] = {1, 0, 0, 1}; // rows n'J_a and -n'J_b of bodies of 1 kg
  const double u[2] = {-1, 0};
  const double approach[2] = {-1, -1};
  const double e[2] = {1, 1};
  double p[2];
  double after[2];
  double room[60];
  rh_collide_out out;
  rh_collide_in in = {.n = 2, .nv = 2, .W = W, .u = u, .e = e, .approach = approach};
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  near_array(after, ((const double[2]){1, 0}), 2, 1e-15, 0);
  near_abs(out.loss, 0, 1e-15);
  // The relative law: they exchange their velocities.
  in = (rh_collide_in){.n = 1, .nv = 2, .W = (const double[1]){2}, .u = u, .e = e};
  ck_assert(rh_collide_map(&in, room, p, after, &out));
  near_abs(p[0], 1, 1e-15);
}

END_TEST

// ---- Variants

// Complementarity, no energy gained for any e in 0 .. 1 a contact; where the equalities pull nowhere the two maps agree.
START_TEST(unilateral)
{
  static group g;
  uint64_t seed = 24;
  int same = 0;
  int spared = 0;
  int plastic = 0;
  double *room = malloc(rh_collide_unilateral_room(N) * sizeof(double));
  for (int round = 0; round < GROUPS / 10; round++) {
    double p[N];
    double after[N];
    rh_collide_out out;
    random_group(&seed, &g);
    g.n = pick(&seed, 1, g.n < 12 ? g.n : 12); // the solver is not under test
    for (int i = 0; i < g.n; i++) {
      bool recedes = round % 2 == 1 && lot(&seed) > 0.5;
      for (int k = 0; k < g.nv && recedes; k++) {
        g.J[i * g.nv + k] *= -1;
      }
      g.e[i] = round % 4 == 1 ? 0.5 : (1 + lot(&seed)) / 2;
    }
    measure(&g);
    rh_collide_in in = {
        .n = g.n, .nv = g.nv, .W = g.W, .u = g.u, .e = g.e, .select = RH_COLLIDE_ALL};
    collide(&g, in);
    ck_assert(rh_collide_unilateral(&in, room, p, after, &out));
    double size = fmax(largest(g.u, g.n), 1);
    double before = energy(&g, g.v);
    for (int i = 0; i < g.n; i++) {
      double above = after[i] + out.scale * g.e[i] * g.u[i];
      ck_assert(p[i] >= 0);
      ck_assert(above >= -1e-9 * size);
      ck_assert((out.scale > 0 && out.scale < 1) ||
                p[i] * above <= 1e-9 * size * fmax(largest(p, g.n), 1));
    }
    ck_assert(out.loss >= -1e-10 * before);
    ck_assert(out.scale == 1 ||
              round % 4 ==
                  3); // only a contact that recedes and is held can give energy, and not for one e
    ck_assert_int_eq(out.negative, 0);
    spared += out.scale > 0 && out.scale < 1;
    plastic += out.scale == 0;
    if (g.out.negative == 0 && g.out.scale == 1 && out.scale == 1 && g.out.rank == g.n) {
      near_array(after, g.after, g.n, 1e-9 * size, 0);
      same++;
    }
  }
  ck_assert_int_gt(same, 5);
  ck_assert_int_gt(spared, 0);
  ck_assert_int_gt(plastic, 0);
  free(room);
}

END_TEST

// Without friction a formulation that is Moreau's gives what complementarity of the normals gives; with it the energy it tells
// is that of its impulses.
START_TEST(friction)
{
  const rh_formulation *form = rh_formulation_find("moreau");
  uint64_t seed = 25;
  double par[RH_PAR_MAX];
  double *room = malloc(form->room(3) * sizeof(double));
  double *other = malloc(rh_collide_unilateral_room(3) * sizeof(double));
  rh_row_defaults(&form->row, par);
  for (int round = 0; round < 100; round++) {
    double A[81];
    double W[81];
    double u[9];
    double p[9];
    double after[9];
    double Wn[9];
    double un[3];
    double pn[3];
    double un_after[3];
    double mu[3] = {0, 0, 0};
    double e[3] = {0.5, 0.5, 0.5};
    rh_collide_out out;
    rh_collide_out normal;
    lots(&seed, A, 81);
    gram(9, 9, A, W);
    lots(&seed, u, 9);
    for (int i = 0; i < 9; i++) {
      W[10 * i] += 0.5;
      u[i] = i % 3 == 2 ? -fabs(u[i]) : u[i];
    }
    for (int i = 0; i < 9; i++) {
      Wn[i] = W[9 * (3 * (i / 3) + 2) + 3 * (i % 3) + 2];
    }
    for (int i = 0; i < 3; i++) {
      un[i] = u[3 * i + 2];
    }
    const rh_many_in in = {
        .n = 3, .W = W, .u = u, .mu = mu, .e = e, .law = rh_impact_law_find("newton")};
    const rh_collide_in in_n = {.n = 3, .W = Wn, .u = un, .e = e, .select = RH_COLLIDE_ALL};
    ck_assert(rh_collide_friction(&in, form, par, room, p, after, &out));
    ck_assert(rh_collide_unilateral(&in_n, other, pn, un_after, &normal));
    for (int i = 0; i < 3; i++) {
      near_abs(after[3 * i + 2], un_after[i], 1e-9);
      mu[i] = 0.4;
    }
    near_abs(out.loss, normal.loss, 1e-9);
    ck_assert(rh_collide_friction(&in, form, par, room, p, after, &out));
    double loss = 0;
    for (int i = 0; i < 9; i++) {
      loss -= p[i] * (u[i] + after[i]) / 2;
    }
    near_abs(out.loss, loss, 1e-9);
    ck_assert_int_eq(out.chosen, 3);
    ck_assert_int_eq(out.negative, 0);
  }
  free(room);
  free(other);
}

END_TEST

Suite *rh_suite_unit_collide_rules(void)
{
  Suite *suite = suite_create("unit_collide_rules");
  TCase *tests = tcase_create("map");
  tcase_add_test(tests, rank);
  tcase_add_test(tests, selection);
  tcase_add_test(tests, not_finite);
  tcase_add_test(tests, split_law);
  tcase_add_test(tests, unilateral);
  tcase_add_test(tests, friction);
  suite_add_tcase(suite, tests);
  return suite;
}
