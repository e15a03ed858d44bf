// ref_haptic_map.c: the collision map against the independent reference numbers of [CSC]: groups of any rank, a peg in a hole, two moving
// bodies, a coefficient for each contact (tests/data/haptic_map.yaml, as problems), damping and a two-link arm (through the C API).
#include "data/haptic_two_link.h"
#include "expected.h"
#include "impact/collision_map.h"
#include "solved.h"

// The reference asks for 1e-8 to 1e-10. Both sides are double precision and the groups well conditioned: 1e-12 leaves room for another
// order of the operations.
#define CHAIN 1e-12

START_TEST(as_problems)
{
  const double tolerance[2] = {CHAIN, CHAIN};
  int entries = 7 + 2 + 3 + 3; // by kind
  ck_assert_int_gt(compare_file("tests/data/haptic_map.yaml", entries, tolerance), 800);
}

END_TEST

START_TEST(damped)
{
  static const struct {
    double e, lam, qd[3], ke1;
  } want[] = {
      {0.0,
       1e-09,
       {-1.000000082740371e-10, 1.2000000992884452e-10, 1.0884353418560977e-08},
       3.2057287738808033e-19},
      {0.0,
       1e-06,
       {-9.999989999953662e-08, 1.1999988001887285e-07, 1.0884156297019665e-05},
       3.2056209694934326e-13},
      {0.0,
       0.001,
       {-9.990009990011595e-05, 0.0001198801198801086, 0.010690423162583618},
       3.100641415902832e-07},
      {0.0, 1.0, {-0.05, 0.06, 0.5686530031986732}, 0.006908415595117176},
      {1.0,
       1e-09,
       {0.09999999979999999, -0.11999999975999998, -0.5999999782312931},
       0.025299999837093873},
      {1.0,
       1e-06,
       {0.0999998000002, -0.11999976000023996, -0.5999782316874059},
       0.025299837096442058},
      {1.0,
       0.001,
       {0.09980019980019977, -0.11976023976023978, -0.5786191536748327},
       0.025139595220088358},
      {1.0, 1.0, {0.0, 0.0, 0.5373060063973463}, 0.0007217443612766627},
  };

  const double D[3] = {2, 2, 0.005};
  const double J[12] = {0, -1, -0.0105, 0, -1, 0.0105, 1, 0, -0.00525, 1, 0, 0.00525};
  const double qd0[3] = {-0.1, 0.12, 0.6};
  double X[12];
  double W[16];
  double u[4] = {0};
  for (int i = 0; i < 12; i++) {
    X[i] = J[i] / D[i % 3];
    u[i / 3] += J[i] * qd0[i % 3];
  }
  rh_collide_matrix(4, 3, J, X, W);
  for (int k = 0; k < RH_COUNT(want); k++) {
    const double e[4] = {want[k].e, want[k].e, want[k].e, want[k].e};
    double p[4];
    double after[4];
    double room[100];
    double ke1 = 0;
    double ke0 = 0;
    rh_collide_out out;
    ck_assert_int_le((int)rh_collide_room(4, 3), RH_COUNT(room));
    const rh_collide_in in = {.n = 4, .nv = 3, .W = W, .u = u, .e = e, .damping = want[k].lam};
    ck_assert(rh_collide_map(&in, room, p, after, &out));
    double qd[3];
    for (int i = 0; i < 3; i++) {
      qd[i] = qd0[i];
      for (int j = 0; j < 4; j++) {
        qd[i] += X[3 * j + i] * p[j];
      }
      ke0 += D[i] * qd0[i] * qd0[i] / 2;
      ke1 += D[i] * qd[i] * qd[i] / 2;
    }
    near_abs(ke0, 0.025300000000000003, 1e-16);
    // The reference solves with (W + lambda) itself, of condition 1e9 at the least lambda: it is good to 1e-16 x 1e9 of what the null
    // space lets through, 1e-10 here. It asks for 1e-7.
    near_array(qd, want[k].qd, 3, want[k].lam < 1e-8 ? 1e-9 : CHAIN, 1e-10);
    near_abs(ke1, want[k].ke1, 1e-10);
    near_abs(out.loss, ke0 - ke1, CHAIN);
    near_abs(out.loss_24, ke0 - ke1, CHAIN);
    ck_assert_int_eq(out.rank, 3);
  }
}

END_TEST

START_TEST(two_link)
{
  const two_link_case *c = &two_link_cases[_i];
  const double D[4] = {2.666666666666667, 0.8333333333333334, 0.8333333333333334,
                       0.3333333333333333};
  const double det = D[0] * D[3] - D[1] * D[2];
  double X[6];
  double W[9];
  double room[100];
  for (int k = 0; k < c->n; k++) {
    X[2 * k] = (D[3] * c->J[k][0] - D[1] * c->J[k][1]) / det;
    X[2 * k + 1] = (D[0] * c->J[k][1] - D[2] * c->J[k][0]) / det;
  }
  rh_collide_matrix(c->n, 2, &c->J[0][0], X, W);
  ck_assert_int_le((int)rh_collide_room(3, 2), RH_COUNT(room));
  for (int i = 0; i < c->nresult; i++) {
    const two_link_result *want = &c->result[i];
    const double e[3] = {want->e, want->e, want->e};
    const rh_collide_in in = {.n = c->n, .nv = 2, .W = W, .u = c->v_n0, .e = e};
    double p[3];
    double after[3];
    double qd[2] = {1, 1};
    rh_collide_out out;
    ck_assert(rh_collide_map(&in, room, p, after, &out));
    for (int k = 0; k < c->n; k++) {
      qd[0] += X[2 * k] * p[k];
      qd[1] += X[2 * k + 1] * p[k];
    }
    near_array(p, want->p, c->n, CHAIN, CHAIN);
    near_array(qd, want->qd, 2, CHAIN, CHAIN);
    near_abs(out.loss, want->loss, CHAIN);
    near_abs(out.loss_24, want->loss, CHAIN);
    ck_assert_int_eq(out.rank, c->rank);
    ck_assert_int_eq(out.negative, 0);
  }
}

END_TEST

// The factor 1/2 of [CSC] (24): without it the paper's own arm would end with less energy than none.
START_TEST(corrected_energy)
{
  const two_link_case *c = &two_link_cases[0];
  const two_link_result *plastic = &c->result[2];
  ck_assert(plastic->e == 0);
  double W = -c->v_n0[0] / plastic->p[0];
  double formula = c->v_n0[0] * c->v_n0[0] / W; // v0'(J D^-1 J')^+ v0
  near_abs(formula / 2, plastic->loss, CHAIN);
  near_abs(7.0 / 3 - formula, -7.0 / 24, CHAIN); // as printed
}

END_TEST

START_TEST(refused)
{
#define GROUP "D: [[1]], J: [[1]], qd0: [-1]"
#define PEG   "m: 1, I: 1, qd0: [0, 0, 0], e: 0"
#define PAIR  "mi: 1, Ii: 1, mj: 1, Ij: 1, ri: [1, 0], rj: [-1, 0], vi: [1, 0, 0], vj: [0, 0, 0]"

  static const struct {
    const char *problem, *words;
  } bad[] = {
      {"kind: collide_friction, inputs: {" GROUP ", e: 0, mu: 0.3}", "three rows per contact"},
      {"kind: collide, inputs: {" GROUP "}", "input 'e' is missing"},
      {"kind: collide, inputs: {" GROUP ", e: 1.5}", "e[0] must lie in [-1, 1], got 1.5"},
      {"kind: collide, inputs: {" GROUP ", e: [0, -2]}", "e[1] must lie in [-1, 1], got -2"},
      {"kind: collide, inputs: {" GROUP ", e: []}", "e must have 1 to 100 entries, got 0"},
      {"kind: collide, inputs: {" GROUP ", e: 0, select: some}",
       "select must be one of strict|closed|all"},
      {"kind: collide, inputs: {" GROUP ", e: 0, select: [all]}", "select must be text"},
      {"kind: collide, inputs: {" GROUP ", e: 0, damping: -1}",
       "damping must be >= 0 1/kg, got -1"},
      {"kind: collide, inputs: {D: [[1, 0], [0, 1]], J: [[1]], qd0: [1, 1], e: 0}",
       "J[0] must have 2 numbers"},
      {"kind: collide, inputs: {D: [[1, 2], [2, 1]], J: [[1, 1]], qd0: [1, 1], e: 0}",
       "D must be positive definite"},
      {"kind: collide, inputs: {D: [[1, 2], [0, 1]], J: [[1, 1]], qd0: [1, 1], e: 0}",
       "D must be symmetric"},
      {"kind: collide, inputs: {D: [[1e-300]], J: [[1e30]], qd0: [-1e30], e: 0}", "not finite"},
      {"kind: collide, inputs: {D: [[1]], J: [[.nan]], qd0: [-1], e: 0}", "J[0][0] must be finite"},
      {"kind: per_contact_e, inputs: {" GROUP ", e: [0, 1]}", "e must have 1 entry, got 2"},
      {"kind: per_contact_e, inputs: {" GROUP ", e: [2]}", "e[0] must lie in [-1, 1], got 2"},
      {"kind: self_coll, inputs: {" PAIR ", e: 0, n: [1, 1]}", "n must have length 1"},
      {"kind: self_coll, inputs: {" PAIR ", e: 0}", "input 'n' is missing"},
      {"kind: self_coll, inputs: {" PAIR ", n: [1, 0]}", "input 'e' is missing"},
      {"kind: self_coll, inputs: {mi: 0, Ii: 1, mj: 1, Ij: 1}", "mi must be > 0 kg"},
      {"kind: peg_hole, inputs: {" PEG "}", "input 'contacts' is missing"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: []}",
       "contacts must be a list of 1 to 200 maps {r, n}"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [3]}", "a contact must be a map {r, n}"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [{r: [0, 0]}]}", "a contact needs 'n'"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [{r: [0, 0], n: [1]}]}",
       "n must have 2 numbers, got 1"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [{r: [0, 0], n: [2, 0]}]}",
       "n must have length 1"},
      {"kind: peg_hole, inputs: {" PEG ", half_width: 1, contacts: [{r: [2, 0], n: [1, 0]}]}",
       "r[0] = 2 lies off the peg"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [{r: [0, 0], n: [1, 0], m: 3}]}",
       "unknown key of a contact 'm'"},
      {"kind: peg_hole, inputs: {" PEG ", contacts: [{r: [0, 0], n: [1, 0]}], sel: none}",
       "sel must name one of strict, closed, all"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    check_refused(bad[i].problem, bad[i].words);
  }
}

END_TEST

// A contact that recedes does nothing where approach is asked for, and is pulled back where it is not.
START_TEST(selected)
{
  solved s = solve(
      "- {id: a, kind: collide, inputs: {D: [[2]], J: [[1]], qd0: [1], e: 0, select: strict}}\n"
      "- {id: b, kind: collide, inputs: {D: [[2]], J: [[1]], qd0: [1], e: 0}}\n"
      "- {id: c, kind: collide, inputs: {D: [[2]], J: [[1]], qd0: [-1], e: 0, damping: 0.5}}\n"
      "- {id: d, kind: peg_hole, inputs: {m: 1, I: 1, pose: [0, 0, 1.5707963267948966], qd0: [0, "
      "-1, 0], e: 0, "
      "contacts: [{r: [0, 1], n: [0, 1]}], sel: all}}\n");
  double x[8];
  ck_assert_int_eq(s.status, RH_OK);
  ck_assert_int_eq(output(&s, "a", "per_e", x, 8), 5); // e, qd, p, ke1, pulls
  near_array(x, ((const double[5]){0, 1, 0, 1, 0}), 5, 1e-15, 0);
  ck_assert_int_eq(output(&s, "b", "per_e", x, 8), 5);
  near_array(x, ((const double[5]){0, 0, -2, 0, 1}), 5, 1e-15, 0);
  ck_assert_int_eq(output(&s, "c", "per_e", x, 8), 5); // p = 1 / (1/2 + 1/2)
  near_array(x, ((const double[5]){0, -0.5, 1, 0.25, 0}), 5, 1e-15, 0);
  // The peg is turned by a right angle: its point (0, 1) is at (-1, 0), W = 1 + 1.
  double v[3];
  ck_assert_int_eq(output(&s, "d", "v_n0", v, 3), 1);
  near_abs(v[0], -1, 1e-15);
  int per = rh_yaml_find(&s.tree, rh_yaml_find(&s.tree, s.root, "d"), "per");
  int first = s.tree.node[per].first;
  ck_assert_int_eq(tree_numbers(&s.tree, rh_yaml_find(&s.tree, first, "qd"), v, 3), 3);
  near_array(v, ((const double[3]){0, -0.5, -0.5}), 3, 1e-15, 0);
  done(&s);
}

END_TEST

Suite *rh_suite_ref_haptic_map(void)
{
  Suite *suite = suite_create("ref_haptic_map");
  TCase *tests = tcase_create("map");
  tcase_add_test(tests, as_problems);
  tcase_add_test(tests, damped);
  tcase_add_loop_test(tests, two_link, 0, RH_COUNT(two_link_cases));
  tcase_add_test(tests, corrected_energy);
  tcase_add_test(tests, refused);
  tcase_add_test(tests, selected);
  suite_add_tcase(suite, tests);
  return suite;
}
