// solver_harness.h: the rows that solve blocks, asked in a room of nonsense with guards behind it.
#ifndef ROUTH_TEST_SOLVER_HARNESS_H
#define ROUTH_TEST_SOLVER_HARNESS_H

#include "random_contact_problems.h"
#include "test.h"

enum { GUARD = 16 };

#define EXACT 1e-12 // [m/s] tolerance that is asked for where velocities are of size 0.01 to 1

typedef struct asked {
  rh_verdict verdict;
  rh_blocks_report report;
} asked;

// An allocator that nobody may ask.
MAYBE_UNUSED static void *refuse_memory(void *user, void *block, size_t bytes)
{
  (void)user;
  (void)block;
  ck_abort_msg("a solver asked for %zu bytes", bytes);
  return NULL;
}

// In a room of nonsense with guards behind it. `steps`: its second parameter, 0: as it is.
MAYBE_UNUSED static asked ask_steps(const rh_solver *solver, const rh_blocks *q, double tolerance, int steps,
                       double *p)
{
  double par[RH_PAR_MAX];
  size_t size = solver->blocks_room(q->n, q->start[q->n]);
  double *room = malloc((size + GUARD) * sizeof(double));
  asked a;
  for (size_t i = 0; i < size + GUARD; i++) {
    room[i] = -7e77;
  }
  rh_row_defaults(&solver->row, par);
  par[0] = tolerance;
  par[1] = steps > 0 ? steps : par[1];
  ck_assert_ptr_null(rh_blocks_check(q));
  const rh_allocator none = {.resize = refuse_memory};
  rh_hook_set_allocator(&none);
  a.verdict = solver->blocks(q, par, room, p, &a.report);
  rh_hook_set_allocator(NULL);
  for (size_t i = size; i < size + GUARD; i++) {
    ck_assert_msg(room[i] == -7e77, "%s wrote behind its room", solver->row.name);
  }
  free(room);
  ck_assert_int_ne(a.verdict, RH_VERDICT_NONE);
  ck_assert_ptr_nonnull(a.report.row);
  ck_assert_double_eq(a.report.residual, rh_blocks_residual(q, p));
  ck_assert_int_eq(a.verdict == RH_VERDICT_SOLVED, a.report.residual <= tolerance);
  return a;
}

MAYBE_UNUSED static asked ask(const rh_solver *solver, const rh_blocks *q, double tolerance, double *p)
{
  return ask_steps(solver, q, tolerance, 0, p);
}

MAYBE_UNUSED static const rh_solver *row_of(int index)
{
  static const char *const name[] = {"gauss-seidel", "alart-curnier", "apgd", "auto", "admm"};
  return rh_solver_find(name[index]);
}

enum { ROWS_OF_BLOCKS = 5 };

MAYBE_UNUSED static void must(const rh_solver *solver, const rh_blocks *q, double *p)
{
  asked a = ask(solver, q, EXACT, p);
  ck_assert_msg(a.verdict == RH_VERDICT_SOLVED, "%s: residual %g after %d", solver->row.name,
                a.report.residual, a.report.iterations);
}

MAYBE_UNUSED static rh_blocks_rank rank_of(const rh_blocks *q, const double *p)
{
  rh_blocks_rank rank;
  double *room = malloc(rh_blocks_rank_room(q->n, q->start[q->n]) * sizeof(double));
  ck_assert(rh_blocks_unique(q, p, room, &rank, NULL));
  free(room);
  return rank;
}

#define FOR_EACH_ROW                                                                               \
  const rh_solver *solver = row_of(_i);                                                            \
  ck_assert_ptr_nonnull(solver)

#endif
