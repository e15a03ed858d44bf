// kind_solvers.c: every row of the table of solvers must keep what complement.h promises: it says "solved" only of what the judge
// accepts, "none" only of what has no solution, stays within its room, gives the same bits again; and those made for it solve
// what can be solved, dependent or not. A new row is tested by being in the table.
#include "box_stack_problem.h"
#include "laws.h"
#include "test.h"

enum { N = 30, GUARD = 16 };

#define FOR_EACH_ROW                                                                               \
  int count = 0;                                                                                   \
  const rh_solver *const *table = rh_solver_table(&count);                                         \
  const rh_solver *solver = table[_i];                                                             \
  double par[RH_PAR_MAX];                                                                          \
  uint64_t seed = 900 + (uint64_t)_i;                                                              \
  ck_assert_int_lt(_i, count);                                                                     \
  rh_row_defaults(&solver->row, par);                                                              \
  bool slow = strcmp(solver->row.name, "gauss-seidel") == 0

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  (void)seed;
  (void)slow;
  check_head(&solver->row);
  ck_assert_ptr_eq(rh_solver_find(solver->row.name), solver);
  ck_assert_ptr_null(rh_solver_find("no-such-solver"));
  ck_assert(solver->lcp != NULL || solver->qp != NULL || solver->cone != NULL ||
            solver->blocks != NULL);
  ck_assert_int_eq(solver->blocks != NULL, solver->blocks_room != NULL);
  ck_assert_uint_gt(solver->room(1), 0);
  ck_assert_str_eq(solver->row.param[0].name, "tolerance");
  for (int i = 0; i < _i; i++) {
    ck_assert_str_ne(table[i]->row.name, solver->row.name);
  }
}

END_TEST

// ---- A solver in a room with guards behind it

static double *make_room(const rh_solver *solver, int n)
{
  size_t size = solver->room(n);
  double *room = malloc((size + GUARD) * sizeof(double));
  for (size_t i = 0; i < size + GUARD; i++) {
    room[i] = -7e77; // not zero: nothing may be taken for granted
  }
  return room;
}

static void check_room(const rh_solver *solver, int n, double *room)
{
  size_t size = solver->room(n);
  for (size_t i = size; i < size + GUARD; i++) {
    ck_assert_msg(room[i] == -7e77, "%s wrote behind its room", solver->row.name);
  }
  free(room);
}

static rh_verdict ask_flat(const rh_solver *solver, const double *par, const rh_lcp *lcp, double *z)
{
  const rh_qp qp = {.n = lcp->n, .H = lcp->A, .g = lcp->b};
  double *room = make_room(solver, lcp->n);
  rh_verdict verdict =
      solver->lcp != NULL ? solver->lcp(lcp, par, room, z) : solver->qp(&qp, par, room, z);
  check_room(solver, lcp->n, room);
  if (verdict == RH_VERDICT_SOLVED) {
    ck_assert_double_le(rh_lcp_residual(lcp, z), par[0]);
  }
  return verdict;
}

static rh_verdict ask_cone(const rh_solver *solver, const double *par, const rh_cone *cone,
                           double *p)
{
  double *room = make_room(solver, cone->n);
  rh_verdict verdict = solver->cone(cone, par, room, p);
  check_room(solver, cone->n, room);
  if (verdict == RH_VERDICT_SOLVED) {
    ck_assert_double_le(rh_cone_residual(cone, p), par[0]);
  }
  return verdict;
}

// ---- Positive semidefinite, b in the range: there is an answer, w is unique.

typedef struct dependent {
  int n, rank;
  double B[N * N], A[N * N], b[N];
  rh_lcp lcp;
} dependent;

static void make_dependent(dependent *q, int trial, uint64_t *seed)
{
  double v[N];
  q->n = 1 + trial % N;
  q->rank = trial % 3 == 0 ? q->n : 1 + trial % q->n;
  lots(seed, q->B, q->rank * q->n);
  lots(seed, v, q->rank);
  gram(q->rank, q->n, q->B, q->A);
  product(1, q->rank, q->n, v, q->B, q->b);
  q->lcp = (rh_lcp){.n = q->n, .A = q->A, .b = q->b};
}

// B (z - y) = 0 in exact arithmetic; |B (z - y)|^2 is bounded by the residuals times |z - y|.
static void check_same(const dependent *q, const double *z, const double *y, double tolerance)
{
  double off[N];
  double Boff[N];
  double size = 0;
  double sum = 0;
  for (int i = 0; i < q->n; i++) {
    off[i] = z[i] - y[i];
    size = fmax(size, fabs(off[i]));
  }
  product(q->rank, q->n, 1, q->B, off, Boff);
  for (int r = 0; r < q->rank; r++) {
    sum += Boff[r] * Boff[r];
  }
  ck_assert_double_le(sum, 10 * q->n * tolerance * (size + tolerance));
}

START_TEST(semidefinite)
{
  FOR_EACH_ROW;
  const rh_solver *other = rh_solver_find("lemke");
  double other_par[RH_PAR_MAX];
  rh_row_defaults(&other->row, other_par);
  int missed = 0;
  for (int trial = 0; trial < 150 && (solver->lcp != NULL || solver->qp != NULL); trial++) {
    static dependent q;
    double z[N];
    double y[N];
    make_dependent(&q, trial, &seed);
    rh_verdict verdict = ask_flat(solver, par, &q.lcp, z);
    ck_assert_int_ne(verdict, RH_VERDICT_NONE);
    missed += verdict != RH_VERDICT_SOLVED;
    if (verdict == RH_VERDICT_SOLVED) {
      ck_assert_int_eq(ask_flat(other, other_par, &q.lcp, y), RH_VERDICT_SOLVED);
      check_same(&q, z, y, par[0]);
    }
  }
  ck_assert_int_le(missed, slow ? 10 : 0); // Gauss-Seidel may take for ever
}

END_TEST

// Any matrix, any b: it may fail, but it must not lie. "None" is checked against all cases, by Cramer's rule.
START_TEST(two_unknowns_of_any_kind)
{
  FOR_EACH_ROW;
  int seen[3] = {0};
  (void)slow;
  for (int trial = 0; trial < 2000 && solver->lcp != NULL; trial++) {
    double A[4];
    double b[2];
    double z[2];
    lots(&seed, A, 4);
    lots(&seed, b, 2);
    double det = A[0] * A[3] - A[1] * A[2];
    const double way[4][2] = {
        {0, 0},
        {-b[0] / A[0], 0},
        {0, -b[1] / A[3]},
        {(A[1] * b[1] - A[3] * b[0]) / det, (A[2] * b[0] - A[0] * b[1]) / det}};
    const rh_lcp lcp = {.n = 2, .A = A, .b = b};
    double nearest = HUGE_VAL;
    for (int i = 0; i < 4; i++) {
      nearest = fmin(nearest, rh_lcp_residual(&lcp, way[i]));
    }
    rh_verdict verdict = ask_flat(solver, par, &lcp, z);
    seen[verdict]++;
    if (nearest > 1e-6) { // else it lies on the border
      ck_assert_int_ne(verdict, RH_VERDICT_SOLVED);
    } else if (nearest < 1e-12) {
      ck_assert_int_ne(verdict, RH_VERDICT_NONE);
    }
  }
  if (strcmp(solver->row.name, "lemke") == 0) {
    ck_assert_int_gt(seen[RH_VERDICT_NONE], 200);
    ck_assert_int_gt(seen[RH_VERDICT_SOLVED], 1000);
    ck_assert_int_eq(seen[RH_VERDICT_FAILED], 0);
  }
}

END_TEST

// ---- Stacks of boxes

static const unsigned hows[] = {STEADY,
                                SHIFTED,
                                SHIFTED | TILTED,
                                SHIFTED | TILTED | PUSHED,
                                SHIFTED | PUSHED | SLIDING,
                                SHIFTED | TILTED | PUSHED | SMOOTH};

// Friction takes energy: p_t . u_t <= 0, and with p_n u_n = 0 all of p . u, but for what slides along a given direction.
static void check_power(const rh_cone *cone, const double *p)
{
  for (int k = 0; k < cone->n && cone->slide == NULL; k++) {
    double power = 0;
    double size = 0;
    for (int i = 3 * k; i < 3 * k + 3; i++) {
      double u = cone->b[i];
      for (int j = 0; j < 3 * cone->n; j++) {
        u += cone->W[i * 3 * cone->n + j] * p[j];
      }
      power += p[i] * u;
      size = fmax(size, fabs(p[i]));
    }
    ck_assert_double_le(power, 1e-8 * (1 + size));
  }
}

START_TEST(boxes)
{
  FOR_EACH_ROW;
  int missed = 0;
  int asked = 0;
  int trials = RH_TEST_SLOW ? 3 : 30;
  for (int trial = 0; trial < trials * RH_COUNT(hows) && solver->cone != NULL; trial++) {
    double p[ROWS] = {0};
    double again[ROWS] = {0};
    stack *s = stack_make(1 + trial % 4, hows[trial % RH_COUNT(hows)], &seed);
    rh_verdict verdict = ask_cone(solver, par, &s->cone, p);
    ck_assert_int_ne(verdict, RH_VERDICT_NONE);
    missed += verdict != RH_VERDICT_SOLVED;
    asked++;
    if (verdict == RH_VERDICT_SOLVED) {
      check_power(&s->cone, p);
    }
    // The same bits again, in another room.
    ck_assert_int_eq(ask_cone(solver, par, &s->cone, again), verdict);
    ck_assert(memcmp(p, again, sizeof(p)) == 0);
    free(s);
  }
  ck_assert_int_le(missed, slow ? asked / 2 : 0);
}

END_TEST

static void check_ten(const rh_solver *solver, const double *par, unsigned how, uint64_t *seed)
{
  double p[ROWS] = {0};
  stack *s = stack_make(BOXES, how, seed);
  rh_verdict verdict = ask_cone(solver, par, &s->cone, p);
  ck_assert_msg(verdict == RH_VERDICT_SOLVED, "residual %g", rh_cone_residual(&s->cone, p));
  if (how == STEADY) { // the lowest box carries all
    near_rel(p[2] + p[5] + p[8] + p[11], 10 * BOXES, 1e-9);
  }
  free(s);
}

// Ten boxes, forty contacts, a hundred and twenty rows of rank sixty.
START_TEST(ten_boxes)
{
  FOR_EACH_ROW;
  int trials = slow || solver->cone == NULL ? 0 : RH_TEST_SLOW ? 1 : 4;
  for (int trial = 0; trial < trials * RH_COUNT(hows); trial++) {
    check_ten(solver, par, hows[trial % RH_COUNT(hows)], &seed);
  }
}

END_TEST

// A start that is the answer is the answer; one that is nonsense does no harm.
START_TEST(warm_start)
{
  FOR_EACH_ROW;
  for (int trial = 0; trial < 12 && solver->cone != NULL && !slow; trial++) {
    double p[ROWS] = {0};
    double warm[ROWS];
    stack *s = stack_make(2, SHIFTED | PUSHED, &seed);
    ck_assert_int_eq(ask_cone(solver, par, &s->cone, p), RH_VERDICT_SOLVED);
    memcpy(warm, p, sizeof(p));
    ck_assert_int_eq(ask_cone(solver, par, &s->cone, warm), RH_VERDICT_SOLVED);
    near_array(warm, p, 3 * s->cone.n, 1e-9, 1e-9);
    for (int i = 0; i < 3 * s->cone.n; i++) {
      warm[i] = i % 5 == 0 ? (double)NAN : 1e3 * lot(&seed);
    }
    ck_assert_int_eq(ask_cone(solver, par, &s->cone, warm), RH_VERDICT_SOLVED);
    free(s);
  }
}

END_TEST

Suite *rh_suite_kind_solvers(void)
{
  int count = 0;
  (void)rh_solver_table(&count);
  Suite *suite = suite_create("kind_solvers");
  TCase *tests = tcase_create("solvers");
  tcase_add_loop_test(tests, head_is_complete, 0, count);
  tcase_add_loop_test(tests, semidefinite, 0, count);
  tcase_add_loop_test(tests, two_unknowns_of_any_kind, 0, count);
  tcase_add_loop_test(tests, boxes, 0, count);
  tcase_add_loop_test(tests, ten_boxes, 0, count);
  tcase_add_loop_test(tests, warm_start, 0, count);
  suite_add_tcase(suite, tests);
  return suite;
}
