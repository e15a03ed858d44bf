// kind_blocks.c: every row that solves many contacts: what must not change an answer (order, units, another room), and hundreds of
// problems by lot: whatever is called solved the judge accepts, and two rows agree in the velocities where these are unique.
#include "solver_harness.h"

#include <stdio.h>

// Every row of the table that has `blocks` is among those asked.
START_TEST(all_rows)
{
  int count = 0;
  int found = 0;
  const rh_solver *const *table = rh_solver_table(&count);
  for (int i = 0; i < count; i++) {
    found += table[i]->blocks != NULL;
  }
  ck_assert_int_eq(found, ROWS_OF_BLOCKS);
}

END_TEST

// ---- What must not change an answer

static void velocities(const rh_blocks *q, const double *p, double *u)
{
  rh_blocks_velocity(q, p, u);
}

static double greatest_difference(const double *x, const double *y, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i] - y[i]));
  }
  return most;
}

// Bodies and blocks of a convex problem in another order: the same velocities.
START_TEST(order_of_blocks)
{
  FOR_EACH_ROW;
  uint64_t seed = 5;
  heap *h = heap_make(HEAP_SMOOTH, &seed);
  heap *g = calloc(1, sizeof(*g));
  int n = h->blocks.n;
  static double p[3 * HEAP_BLOCKS];
  static double u[3 * HEAP_BLOCKS];
  static double q[3 * HEAP_BLOCKS];
  static double w[3 * HEAP_BLOCKS];
  memcpy(g, h, sizeof(*g));
  memset(g->b, 0, sizeof(g->b));
  for (int i = 0; i < n; i++) { // 7 i mod n is an order of its own where 7 does not divide n
    int from = n % 7 ? 7 * i % n : n - 1 - i;
    g->made[i] = h->made[from];
    g->kind[i] = h->kind[from];
    g->limit[i] = h->limit[from];
  }
  heap_finish(g, &seed, 0);
  for (int i = 0; i < n; i++) {
    int from = n % 7 ? 7 * i % n : n - 1 - i;
    memcpy(g->b + (ptrdiff_t)3 * i, h->b + (ptrdiff_t)3 * from, 3 * sizeof(double));
  }
  memset(p, 0, sizeof(p));
  memset(q, 0, sizeof(q));
  bool solved = ask(solver, &h->blocks, EXACT, p).verdict == RH_VERDICT_SOLVED &&
                ask(solver, &g->blocks, EXACT, q).verdict == RH_VERDICT_SOLVED;
  ck_assert(solved || _i == 0 || _i == 2); // the others may take longer than they are given
  velocities(&h->blocks, p, u);
  velocities(&g->blocks, q, w);
  for (int i = 0; i < n && solved; i++) {
    int from = n % 7 ? 7 * i % n : n - 1 - i;
    near_array(w + (ptrdiff_t)3 * i, u + (ptrdiff_t)3 * from, 3, 1e-9, 0); // see agreement
  }
  free(h);
  free(g);
}

END_TEST

// Masses k times as great: impulses k times as great, the same velocities. Speeds c times as great: impulses too. Powers of two
// leave every digit as it is.
START_TEST(units)
{
  FOR_EACH_ROW;
  for (int how = 0; how < HEAP_RECIPES; how++) {
    uint64_t seed = 11;
    heap *h = heap_make((recipe)how, &seed);
    int n = h->blocks.n;
    static double p[3 * HEAP_BLOCKS];
    static double q[3 * HEAP_BLOCKS];
    memset(p, 0, sizeof(p));
    memset(q, 0, sizeof(q));
    (void)ask(solver, &h->blocks, 1e-6, p);
    for (int e = 0; e < 9 * h->start[n]; e++) {
      h->W[e] *= 0x1p-10;
    }
    for (int i = 0; i < 3 * n; i++) {
      h->b[i] *= 0x1p4;
    }
    for (int i = 0; i < n; i++) {
      h->limit[i] *= h->kind[i] == RH_BLOCK_BOX ? 0x1p14 : 1;
    }
    (void)ask(solver, &h->blocks, 0x1p4 * 1e-6, q);
    for (int i = 0; i < 3 * n; i++) {
      ck_assert_msg(q[i] == 0x1p14 * p[i], "%s: recipe %d, row %d", solver->row.name, how, i);
    }
    free(h);
  }
}

END_TEST

// The same bits again, in another room; and from an answer one stays there.
START_TEST(again)
{
  FOR_EACH_ROW;
  for (int how = 0; how < HEAP_RECIPES; how++) {
    uint64_t seed = 17;
    heap *h = heap_make((recipe)how, &seed);
    size_t bytes = 3 * (size_t)h->blocks.n * sizeof(double);
    static double p[3 * HEAP_BLOCKS];
    static double q[3 * HEAP_BLOCKS];
    memset(p, 0, bytes);
    memset(q, 0, bytes);
    asked first = ask(solver, &h->blocks, 1e-8, p);
    asked second = ask(solver, &h->blocks, 1e-8, q);
    ck_assert(memcmp(p, q, bytes) == 0);
    ck_assert_int_eq(first.report.iterations, second.report.iterations);
    if (first.verdict == RH_VERDICT_SOLVED) {
      ck_assert_int_eq(ask(solver, &h->blocks, 1e-8, q).verdict, RH_VERDICT_SOLVED);
    }
    for (int i = 0; i < 3 * h->blocks.n; i++) { // nonsense to start from does no harm
      q[i] = i % 7 == 0 ? (double)NAN : i % 5 == 0 ? 1e6 * lot(&seed) : lot(&seed);
    }
    (void)ask(solver, &h->blocks, 1e-8, q);
    free(h);
  }
}

END_TEST

// ---- By lot

typedef struct tally {
  int asked, solved;
  int compared, differ; // of those whose velocities are unique near both answers
} tally;

// Friction takes energy, and nothing else gives any: p.u of a block is never more than what its residual leaves.
static void check_power(const rh_blocks *q, const double *p, const double *u)
{
  for (int i = 0; i < q->n; i++) {
    double power = 0;
    double size = 0;
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      power += p[k] * u[k];
      size += fabs(p[k]) + fabs(u[k]) / rh_block_unit(q, i);
    }
    ck_assert_double_le(power, 10 * EXACT * size);
  }
}

static void by_lot(const rh_solver *solver, recipe how, int trials, tally *t)
{
  const rh_solver *other = row_of(3);
  uint64_t seed = 1000 + (uint64_t)how;
  static double p[3 * HEAP_BLOCKS];
  static double q[3 * HEAP_BLOCKS];
  static double u[3 * HEAP_BLOCKS];
  static double w[3 * HEAP_BLOCKS];
  for (int trial = 0; trial < trials; trial++) {
    heap *h = heap_make(how, &seed);
    memset(p, 0, sizeof(p));
    memset(q, 0, sizeof(q));
    int steps = solver != row_of(1) && solver != other ? 3000 : 0; // they may take for ever
    bool solved = ask_steps(solver, &h->blocks, EXACT, steps, p).verdict == RH_VERDICT_SOLVED;
    t->asked++;
    t->solved += solved;
    velocities(&h->blocks, p, u);
    if (solved) {
      check_power(&h->blocks, p, u);
    }
    if (solved && solver != other &&
        ask(other, &h->blocks, EXACT, q).verdict == RH_VERDICT_SOLVED) {
      velocities(&h->blocks, q, w);
      double off = greatest_difference(u, w, 3 * h->blocks.n);
      bool unique =
          rank_of(&h->blocks, p).velocities_unique && rank_of(&h->blocks, q).velocities_unique;
      t->compared += unique;
      t->differ += unique && off > 1e-7;
    }
    free(h);
  }
}

// All recipes by each row; Newton's method and the choice solve all. Where there is no friction the velocities are unique and two rows agree: |u - w|^2 in the metric
// of the masses is at most (residuals) * |p - q|, so 1e-12 * 1 kg m/s gives 1e-6 at the worst, 1e-7 as these masses are.
START_TEST(problems_by_lot)
{
  FOR_EACH_ROW;
  int trials = rh_test_long() ? 12 : RH_TEST_SLOW ? 2 : 4;
  for (int how = 0; how < HEAP_RECIPES; how++) {
    tally t = {0};
    by_lot(solver, (recipe)how, trials, &t);
    if (getenv("ROUTH_SHOW") != NULL) {
      printf("%-14s recipe %d: solved %d of %d, other velocities %d of %d\n", solver->row.name, how,
             t.solved, t.asked, t.differ, t.compared);
    }
    if (how != HEAP_ROUGH &&
        how != HEAP_JAMMED) { // much friction: several answers, each unique near itself
      ck_assert_int_eq(t.differ, 0);
    }
    ck_assert(how != HEAP_SMOOTH || _i == 3 || t.compared == t.solved);
    if (_i == 1 || _i == 3) {
      ck_assert_int_eq(t.solved, t.asked);
    }
  }
}

END_TEST

Suite *rh_suite_kind_blocks(void)
{
  Suite *suite = suite_create("kind_blocks");
  TCase *tests = tcase_create("blocks");
  tcase_add_test(tests, all_rows);
  tcase_add_loop_test(tests, order_of_blocks, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, units, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, again, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, problems_by_lot, 0, ROWS_OF_BLOCKS);
  suite_add_tcase(suite, tests);
  return suite;
}
