// stepped_solve.c: impulses of one island and one step, as blocks: sweeps from the forces of the
// step before, then Newton's method. The tolerance is a part of the step's own error.
#include "complement/newton_blocks.h"
#include "storm.h"

#include <string.h>

enum { SWEEPS = 100, SWEEPS_MORE = 300 }; // at first, and where Newton's method fails

static const double NEARLY = 10; // times the tolerance that sweeps may leave
static const double WILD = 1e8;  // times it: sweeps that diverge, in a jam

typedef struct solve_space { // arrays of a problem of n blocks, `entries` at most n^2
  rh_block_kind *kind;       // (n)
  int *start, *col;          // (n + 1), (entries)
  double *W;                 // (9 entries)
  double *start_at;          // the impulses at the start (3 n)
  double *scratch;
} solve_space;

static solve_space share_scratch(int n, double *scratch)
{
  size_t N = (size_t)n;
  solve_space x = {.W = scratch};
  x.start_at = x.W + 9 * N * N;
  x.kind = (rh_block_kind *)(void *)(x.start_at + 3 * N);
  x.start = (int *)(void *)(x.start_at + 4 * N);
  x.col = (int *)(void *)(x.start_at + 6 * N);
  x.scratch = x.start_at + 6 * N + N * N;
  return x;
}

// The 3x3 entries of a dense matrix that are not zero
static int fill_entries(const rh_cone *q, solve_space *x)
{
  size_t rows = 3 * (size_t)q->n;
  int entries = 0;
  for (int i = 0; i < q->n; i++) {
    x->kind[i] = RH_BLOCK_CONE;
    x->start[i] = entries;
    for (int j = 0; j < q->n; j++) {
      double *entry = x->W + 9 * (size_t)entries;
      bool any = i == j;
      for (size_t k = 0; k < 9; k++) {
        entry[k] = q->W[(3 * (size_t)i + k / 3) * rows + 3 * (size_t)j + k % 3];
        any = any || entry[k] != 0;
      }
      x->col[entries] = j;
      entries += any;
    }
  }
  x->start[q->n] = entries;
  return entries;
}

double rh_storm_solve(const rh_cone *q, double tolerance, double *scratch, double *p)
{
  solve_space x = share_scratch(q->n, scratch);
  size_t bytes = 3 * (size_t)q->n * sizeof *p;
  (void)fill_entries(q, &x);
  const rh_blocks problem = {q->n, x.kind, q->mu, x.start, x.col, x.W, q->b};
  const rh_newton_limits limits = {tolerance, 30, 20, 100 * tolerance, 4, 0};
  rh_blocks_report report = {0};
  double par[RH_PAR_MAX];
  rh_row_defaults(&rh_solver_gauss_seidel.row, par);
  par[0] = tolerance;
  par[1] = SWEEPS;
  (void)rh_solver_gauss_seidel.blocks(&problem, par, x.scratch, p, &report);
  if (report.residual <= NEARLY * tolerance) {
    return report
        .residual; // Newton's method may leave for another solution, where there are several
  }
  double swept = report.residual;
  memcpy(x.start_at, p, bytes);
  (void)rh_newton_blocks(&problem, &limits, x.scratch, p, &report);
  if (report.residual <= 100 * tolerance) {
    return report.residual;
  }
  if (!(report.residual < swept)) {
    memcpy(p, x.start_at, bytes);
  }
  par[1] = SWEEPS_MORE;
  (void)rh_solver_gauss_seidel.blocks(&problem, par, x.scratch, p, &report);
  if (!(report.residual <= WILD * tolerance)) { // without friction, from none
    memset(p, 0, bytes);
    memset(x.start_at, 0, (size_t)q->n * sizeof *p);
    const rh_blocks smooth = {q->n, x.kind, x.start_at, x.start, x.col, x.W, q->b};
    par[1] = SWEEPS;
    (void)rh_solver_gauss_seidel.blocks(&smooth, par, x.scratch, p, &report);
  }
  return report.residual;
}
