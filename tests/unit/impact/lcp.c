// unit_lcp.c: complementarity problems with closed forms: the judge, blocks on slopes, boxes on four corners, a rod that has no
// motion, shares of dependent supports, modes of a planar problem; problems written and read back.
#include "complement/cone.h"
#include "complement/lp.h"
#include "complement/motions/polyhedral.h"
#include "problems/problem_solver.h"
#include "solved.h"

#include <routh/routh.h>

#define CLOSE 1e-12 // a few hundred operations on numbers of size 1 to 100

static rh_verdict solve_cone(const rh_cone *cone, double *p)
{
  const rh_solver *solver = rh_solver_find("alart-curnier");
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  double *room = malloc(solver->room(cone->n) * sizeof(double));
  rh_verdict verdict = solver->cone(cone, par, room, p);
  free(room);
  return verdict;
}

static rh_verdict ask_lemke(const rh_lcp *lcp, double *z)
{
  const rh_solver *solver = rh_solver_find("lemke");
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  double *room = malloc(solver->room(lcp->n) * sizeof(double));
  rh_verdict verdict = solver->lcp(lcp, par, room, z);
  free(room);
  return verdict;
}

// ---- The judge

START_TEST(judge_of_numbers)
{
  const double A[] = {2, 1, 1, 2};
  const double b[] = {-4, -5};
  const rh_lcp lcp = {.n = 2, .A = A, .b = b};
  near_abs(rh_lcp_residual(&lcp, (const double[]){1, 2}), 0, 0); // w = 0
  near_abs(rh_lcp_residual(&lcp, (const double[]){0, 0}), 1, 0); // w = b
  near_abs(rh_lcp_residual(&lcp, (const double[]){1, 3}), 0.4,
           CLOSE); // w = (1, 2) beside z > 0: the lesser, over 5
  near_abs(rh_lcp_residual(&lcp, (const double[]){-1, 4}), 0.4,
           CLOSE); // z = -1 is -2 in units of w
  ck_assert(isinf(rh_lcp_residual(&lcp, (const double[]){NAN, 0})));
  const double zero[2] = {0};
  const rh_lcp nothing = {.n = 2, .A = A, .b = zero};
  near_abs(rh_lcp_residual(&nothing, zero), 0, 0);
}

END_TEST

// A block of 2 kg, one contact that does not turn it: W = 1/2.
typedef struct block {
  double W[9], b[3], mu, slide[2];
  rh_cone cone;
} block;

static block *lay(block *x, double mu, double ax, double ay, double an)
{
  *x = (block){.W = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, .b = {ax, ay, an}, .mu = mu};
  x->cone = (rh_cone){.n = 1, .W = x->W, .b = x->b, .mu = &x->mu};
  return x;
}

START_TEST(judge_of_a_cone)
{
  block x;
  lay(&x, 0.5, 3, 4, -10);
  near_abs(rh_cone_residual(&x.cone, (const double[]){-6, -8, 20}), 0,
           CLOSE); // on the edge of the cone, at rest
  near_abs(rh_cone_residual(&x.cone, (const double[]){-3, -4, 20}), 0.25,
           CLOSE); // it could hold, and does not: 2.5 of 10
  near_abs(rh_cone_residual(&x.cone, (const double[]){0, 0, 0}), 1, CLOSE);
  lay(&x, 0.25, 3, 4, -10);
  near_abs(rh_cone_residual(&x.cone, (const double[]){-3, -4, 20}), 0,
           CLOSE); // slips against (3, 4)
  ck_assert_double_gt(rh_cone_residual(&x.cone, (const double[]){3, 4, 20}), 0.1);
}

END_TEST

// ---- One block

START_TEST(block_sticks_slips_leaves)
{
  block x;
  double p[3] = {0};
  ck_assert_int_eq(solve_cone(&lay(&x, 0.6, 3, 4, -10)->cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){-6, -8, 20}), 3, 0, CLOSE);
  ck_assert_int_eq(solve_cone(&lay(&x, 0.25, 3, 4, -10)->cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){-3, -4, 20}), 3, 0, CLOSE);
  ck_assert_int_eq(solve_cone(&lay(&x, 0, 3, 4, -10)->cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){0, 0, 20}), 3, CLOSE, CLOSE);
  ck_assert_int_eq(solve_cone(&lay(&x, 0.25, 3, 4, 10)->cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){0, 0, 0}), 3, 0, 0);
  // It slides along -x already: friction goes along x, whatever pushes.
  lay(&x, 0.25, 3, 4, -10);
  x.slide[0] = -1;
  x.cone.slide = x.slide;
  ck_assert_int_eq(solve_cone(&x.cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){5, 0, 20}), 3, CLOSE, CLOSE);
}

END_TEST

// Nothing acts: nothing happens.
START_TEST(nothing)
{
  block x;
  double p[3] = {0};
  ck_assert_int_eq(solve_cone(&lay(&x, 0.5, 0, 0, 0)->cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){0, 0, 0}), 3, 0, 0);
  // The contact has no say at all (W = 0), and no need to.
  memset(x.W, 0, sizeof(x.W));
  x.b[2] = 1;
  ck_assert_int_eq(solve_cone(&x.cone, p), RH_VERDICT_SOLVED);
  near_array(p, ((const double[]){0, 0, 0}), 3, 0, 0);
}

END_TEST

// Painleve's rod (docs/problems-reference.md), as one contact that slides: a_n = b + p N with p < 0 has no answer for b < 0 and two for
// b > 0; with p > 0 one.
static void check_rod(double mu, double bn)
{
  const double c = 0.5;
  const double s = 0.75; // s^2 is 0.5625: a rod that is not quite straight does as well
  // J = [t; n] of (x, y, angle), unit mass, inertia 1/3, half-length 1
  const double Jt[3] = {1, 0, s};
  const double Jn[3] = {0, 1, -c};
  const double turn = 3 * Jt[2] * Jn[2];
  const double W[9] = {1 + 3 * Jt[2] * Jt[2], 0, turn, 0, 1, 0, turn, 0, 1 + 3 * Jn[2] * Jn[2]};
  const double b[3] = {0, 0, bn};
  const double slide[2] = {-1, 0};
  const rh_cone cone = {.n = 1, .W = W, .b = b, .mu = &mu, .slide = slide};
  double N[3] = {0};
  double p = W[8] + mu * W[2];
  rh_verdict verdict = solve_cone(&cone, N);
  ck_assert(mu > 1.5 ? p < 0 : p > 0);
  ck_assert_int_eq(verdict, p < 0 && bn < 0 ? RH_VERDICT_NONE : RH_VERDICT_SOLVED);
  if (p > 0) {
    near_abs(N[2], bn < 0 ? -bn / p : 0, CLOSE);
  }
}

START_TEST(rod)
{
  check_rod(1.8, -9.81);
  check_rod(1.8, 9.9);
  check_rod(1, -9.81);
  check_rod(1, 9.9);
}

END_TEST

// ---- Dependent supports

// A beam of weight 1 on three supports at -1, 0, 1: (a, 1 - 2a, a) for a in 0 .. 1/2; the least is 1/3 each.
START_TEST(three_supports)
{
  const double x[3] = {-1, 0, 1};
  double A[9];
  double b[3];
  double z0[3];
  double z[3];
  double lo[3];
  double hi[3];
  for (int i = 0; i < 3; i++) {
    b[i] = -1;
    for (int j = 0; j < 3; j++) {
      A[3 * i + j] = 1 + 12 * x[i] * x[j];
    }
  }
  const rh_lcp lcp = {.n = 3, .A = A, .b = b};
  double *room = malloc(rh_lcp_share_room(3) * sizeof(double));
  ck_assert_int_eq(ask_lemke(&lcp, z0), RH_VERDICT_SOLVED);
  ck_assert_int_eq(rh_lcp_share(&lcp, z0, room, z, lo, hi), 1);
  near_array(z, ((const double[]){1. / 3, 1. / 3, 1. / 3}), 3, CLOSE, 0);
  near_array(lo, ((const double[]){0, 0, 0}), 3, CLOSE, 0);
  near_array(hi, ((const double[]){0.5, 1, 0.5}), 3, CLOSE, 0);
  // Weight at 0.8: (a, 0.2 - 2a, 0.8 + a), a in 0 .. 0.1; the sum of squares grows with a, so the least has a = 0.
  for (int i = 0; i < 3; i++) {
    b[i] = -1 - 12 * 0.8 * x[i];
  }
  ck_assert_int_eq(ask_lemke(&lcp, z0), RH_VERDICT_SOLVED);
  ck_assert_int_eq(rh_lcp_share(&lcp, z0, room, z, lo, hi), 1);
  near_array(z, ((const double[]){0, 0.2, 0.8}), 3, CLOSE, 0);
  near_array(lo, ((const double[]){0, 0, 0.8}), 3, CLOSE, 0);
  near_array(hi, ((const double[]){0.1, 0.2, 0.9}), 3, CLOSE, 0);
  // At the end: one support carries all, and nothing is free.
  for (int i = 0; i < 3; i++) {
    b[i] = -1 - 12 * x[i];
  }
  ck_assert_int_eq(ask_lemke(&lcp, z0), RH_VERDICT_SOLVED);
  ck_assert_int_eq(rh_lcp_share(&lcp, z0, room, z, lo, hi), 0);
  near_array(z, ((const double[]){0, 0, 1}), 3, CLOSE, 0);
  // Without the middle one they are independent.
  const double two[4] = {13, -11, -11, 13};
  const rh_lcp pair = {.n = 2, .A = two, .b = b};
  b[0] = -1;
  b[1] = -1;
  ck_assert_int_eq(ask_lemke(&pair, z0), RH_VERDICT_SOLVED);
  ck_assert_int_eq(rh_lcp_share(&pair, z0, room, z, NULL, NULL), 0);
  near_array(z, ((const double[]){0.5, 0.5}), 2, CLOSE, 0);
  free(room);
}

END_TEST

// Two walls press on each other without bound.
START_TEST(unbounded_share)
{
  const double A[] = {1, -1, -1, 1};
  const double b[] = {0, 0};
  const double z0[] = {3, 3};
  double z[2];
  double lo[2];
  double hi[2];
  const rh_lcp lcp = {.n = 2, .A = A, .b = b};
  double *room = malloc(rh_lcp_share_room(2) * sizeof(double));
  ck_assert_int_eq(rh_lcp_share(&lcp, z0, room, z, lo, hi), 1);
  near_array(z, ((const double[]){0, 0}), 2, CLOSE, 0);
  near_array(lo, ((const double[]){0, 0}), 2, CLOSE, 0);
  ck_assert(isinf(hi[0]) && isinf(hi[1]));
  free(room);
}

END_TEST

START_TEST(no_solution)
{
  double z[2];
  // z1 >= 0 and -z1 - 1 >= 0
  const double A[] = {0, 0, -1, 0};
  const double b[] = {0, -1};
  ck_assert_int_eq(ask_lemke(&(rh_lcp){.n = 2, .A = A, .b = b}, z), RH_VERDICT_NONE);
  // w1 = -z1 + z2 - 1, w2 = 1: z = (0, 2) has z, w >= 0, but w2 > 0 asks for z2 = 0, and then w1 < 0.
  const double B[] = {-1, 1, 0, 0};
  const double c[] = {-1, 1};
  ck_assert_int_eq(ask_lemke(&(rh_lcp){.n = 2, .A = B, .b = c}, z), RH_VERDICT_NONE);
}

END_TEST

// ---- A linear programme: x + y <= 4, x + 3 y <= 6, greatest 3 x + 5 y is 14 at (3, 1).
START_TEST(programme)
{
  const double E[] = {1, 1, 1, 0, 1, 3, 0, 1};
  const double e[] = {4, 6};
  double room[64];
  double x[4];
  double value = 0;
  bool lost = false;
  rh_lp lp;
  ck_assert_uint_le(rh_lp_room(2, 4), 64);
  ck_assert(rh_lp_open(&lp, 2, 4, E, e, 1e-9, room, &lost));
  ck_assert_int_eq(rh_lp_least(&lp, (const double[]){-3, -5, 0, 0}, &value), RH_LP_BEST);
  rh_lp_point(&lp, x);
  near_abs(value, -14, CLOSE);
  near_array(x, ((const double[]){3, 1, 0, 0}), 4, CLOSE, 0);
  ck_assert_int_eq(rh_lp_least(&lp, (const double[]){1, 1, 0, 0}, &value), RH_LP_BEST);
  near_abs(value, 0, CLOSE);
  // x - y = 1: x grows for ever; x + y = -1: there is no point.
  ck_assert(rh_lp_open(&lp, 1, 2, (const double[]){1, -1}, (const double[]){1}, 1e-9, room, &lost));
  ck_assert_int_eq(rh_lp_least(&lp, (const double[]){-1, 0}, &value), RH_LP_UNBOUNDED);
  ck_assert(
      !rh_lp_open(&lp, 1, 2, (const double[]){1, 1}, (const double[]){-1}, 1e-9, room, &lost));
  ck_assert(!lost);
}

END_TEST

// ---- Modes: a block on a plane, pushed with F: it sticks up to mu m g, both ways.
START_TEST(modes_of_a_block)
{
  const double W[] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  const double mu[1] = {0.5};
  const double axis[] = {1, 0};
  double *scratch = malloc(rh_polyhedral_scratch(1, 8) * sizeof(double));
  const double push[] = {0, 9, -9, 11, -11};
  const rh_mode want[] = {RH_MODE_STICK, RH_MODE_STICK, RH_MODE_STICK, RH_MODE_SLIP_PLUS,
                          RH_MODE_SLIP_MINUS};
  for (int i = 0; i < 2 * RH_COUNT(push); i++) {
    const bool flat = i % 2 == 0; // and in space, with a corner against the push
    const double b[3] = {push[i / 2] / 2, 0, -10};
    const rh_polyhedral problem = {.n = 1,
                                   .facets = 8,
                                   .W = W,
                                   .b = b,
                                   .mu_s = mu,
                                   .mu_k = mu,
                                   .axis = axis,
                                   .flat = &flat,
                                   .tries = 100};
    rh_contact_motion found[2];
    rh_motion_count n = rh_polyhedral_find(&problem, scratch, found, 2);
    ck_assert_int_eq(n.count, 1);
    ck_assert(n.complete && !n.continuum && found[0].determinate);
    ck_assert_int_eq(found[0].mode[0], want[i / 2]);
    near_rel(found[0].p[2], 20, CLOSE);
    near_abs(found[0].p[0], fmax(-10, fmin(10, -push[i / 2])), 1e-11);
    near_abs(found[0].p[1], 0, 1e-11);
  }
  const double huge[3] = {0, 0, HUGE_VAL};
  const bool flat = true;
  const rh_polyhedral bad = {.n = 1,
                             .facets = 8,
                             .W = W,
                             .b = huge,
                             .mu_s = mu,
                             .mu_k = mu,
                             .axis = axis,
                             .flat = &flat,
                             .tries = 100};
  rh_contact_motion found[1];
  ck_assert_int_eq(rh_polyhedral_find(&bad, scratch, found, 1).count, RH_NONE);
  free(scratch);
}

END_TEST

// ---- Written, read and solved again: the same bits.

static char *dump(bool (*write)(const void *, FILE *), const void *problem)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  ck_assert(write(problem, file));
  ck_assert_int_eq(fclose(file), 0);
  return text;
}

static bool write_cone(const void *problem, FILE *file)
{
  return rh_cone_dump(problem, "x", file);
}

static bool write_lcp(const void *problem, FILE *file)
{
  return rh_lcp_dump(problem, "x", file);
}

static void numbers(const solved *s, const char *key, double *x, int n)
{
  int entry = rh_yaml_find(&s->tree, s->root, "x");
  ck_assert_int_eq(tree_numbers(&s->tree, rh_yaml_find(&s->tree, entry, key), x, n), n);
}

START_TEST(dumped)
{
  block x;
  double p[3] = {0};
  double q[3];
  lay(&x, 0.1, 1. / 3, 2. / 3, -9.81);
  x.W[0] = 1. / 7;
  ck_assert_int_eq(solve_cone(&x.cone, p), RH_VERDICT_SOLVED);
  char *text = dump(write_cone, &x.cone);
  solved s = solve(text);
  ck_assert_msg(s.status == RH_OK, "%s", s.json);
  numbers(&s, "p", q, 3);
  ck_assert(memcmp(p, q, sizeof(p)) == 0);
  double residual = 1;
  numbers(&s, "residual", &residual, 1);
  near_abs(residual, rh_cone_residual(&x.cone, p), 0);
  done(&s);
  free(text);
  const double A[] = {2, 1. / 3, 1. / 3, 1};
  const double b[] = {-1. / 7, -2. / 7};
  const rh_lcp lcp = {.n = 2, .A = A, .b = b};
  ck_assert_int_eq(ask_lemke(&lcp, p), RH_VERDICT_SOLVED);
  text = dump(write_lcp, &lcp);
  s = solve(text);
  ck_assert_msg(s.status == RH_OK, "%s", s.json);
  numbers(&s, "z", q, 2);
  ck_assert(memcmp(p, q, 2 * sizeof(double)) == 0);
  done(&s);
  free(text);
}

END_TEST

// A rod of 1 kg and 1 kg m^2 on supports at -1, 2 and 9 m from its centre, in a field of 1 m/s^2, pulled along itself by
// 0.4 N: by least norm the last support would pull; within the cones the others carry 2/3 and 1/3 N, and the second has
// the friction of its cone, 1/6 N. No cones hold 0.6 N.
START_TEST(loads_within_cones)
{
  static const double at[] = {-1, 2, 9};
  static const double right[] = {0.4 - 0.5 / 3, 0, 2.0 / 3, 0.5 / 3, 0, 1.0 / 3, 0, 0, 0};
  const double mu[] = {0.5, 0.5, 0.5};
  const double slide[6] = {0};
  double W[81] = {0};
  double b[9] = {-0.4, 0, -1, -0.4, 0, -1, -0.4, 0, -1};
  double p[9];
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 9; j++) {
      W[9 * i + j] = i % 3 != j % 3 ? 0 : i % 3 < 2 ? 1 : 1 + at[i / 3] * at[j / 3];
    }
  }
  const rh_cone cone = {.n = 3, .W = W, .b = b, .mu = mu, .slide = slide};
  double *room = malloc(rh_cone_loads_room(3) * sizeof *room);
  ck_assert(rh_cone_loads(&cone, 1e-12, room, p));
  for (int i = 0; i < 9; i++) {
    near_abs(p[i], right[i], 100 * CLOSE);
  }
  b[0] = b[3] = b[6] = -0.6;
  ck_assert(!rh_cone_loads(&cone, 1e-12, room, p));
  free(room);
}

END_TEST

Suite *rh_suite_unit_lcp(void)
{
  Suite *suite = suite_create("unit_lcp");
  TCase *tests = tcase_create("lcp");
  tcase_add_test(tests, judge_of_numbers);
  tcase_add_test(tests, judge_of_a_cone);
  tcase_add_test(tests, block_sticks_slips_leaves);
  tcase_add_test(tests, nothing);
  tcase_add_test(tests, rod);
  tcase_add_test(tests, three_supports);
  tcase_add_test(tests, unbounded_share);
  tcase_add_test(tests, no_solution);
  tcase_add_test(tests, programme);
  tcase_add_test(tests, modes_of_a_block);
  tcase_add_test(tests, dumped);
  tcase_add_test(tests, loads_within_cones);
  suite_add_tcase(suite, tests);
  return suite;
}
