// The choice among the solvers for many contacts, by size and convergence. First Gauss-Seidel
// sweeps, ten at a time: a warm start is often the solution already. Ten sweeps show how fast the
// residual falls; as long as the remaining sweeps cost less than Newton's method (some 40 sweeps of
// a small problem, 200 of hundreds of blocks, measured), sweeping continues; of huge problems in
// any case for the time of Newton's method. Then, of large problems, alternating directions as long
// as ten steps leave less than a tenth. Else Newton's method, from the start that was given (it
// converges sooner from there than from half-solved points, also measured); if its factors exceed
// the capacity, or it does not converge, projected gradients from its best point, and finally
// sweeps. The report names the solver that found the solution.
#include "complement/cone.h"
#include "complement/contact_local.h"
#include "complement/newton_blocks.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, STEPS };

enum { BATCH = 10 };

enum { LARGE = 100, VAST = 600 }; // blocks

static const rh_param param[] = {
    RH_PARAM_RESIDUAL,
    RH_PARAM_STEPS("steps", 20000,
                   "gradient steps, then sweeps, where Newton's method did not converge"),
};

extern const rh_solver rh_solver_admm;
extern const rh_solver rh_solver_apgd;
extern const rh_solver rh_solver_auto;
extern const rh_solver rh_solver_gauss_seidel;

static size_t solver_room(int n)
{
  (void)n;
  return 1;
}

static size_t blocks_room(int n, int entries)
{
  size_t own = (size_t)n * RH_BLOCK_OWN + 1;
  size_t most = rh_newton_blocks_room(n, entries);
  size_t other[2] = {rh_solver_apgd.blocks_room(n, entries),
                     rh_solver_admm.blocks_room(n, entries)};
  most = most > other[0] ? most : other[0];
  most = most > other[1] ? most : other[1];
  return 3 * (size_t)n + (most > own ? most : own);
}

// Number of sweeps that cost as much as Newton's method: measured up to 600 blocks, beyond that it
// grows with the square of their number.
static int worth_of(int n)
{
  double many = fmin(200.0 * n * n / (1.0 * VAST * VAST), 20000);
  return n < 80 ? 40 + 2 * n : n < VAST ? 200 : (int)many;
}

// Sweeps while they are cheaper. `p` is that of the last sweep. Returns the last residual.
static double sweep_while_cheap(const rh_blocks *problem, double tolerance, double *space,
                                double *p, rh_blocks_report *report)
{
  rh_block_own *own = (rh_block_own *)space;
  int worth = worth_of(problem->n);
  for (int i = 0; i < problem->n; i++) {
    rh_block_own_make(problem, i, 0, own + i);
  }
  for (;; worth -= BATCH) {
    double half = 0;
    double now = 0;
    for (int k = 0; k < BATCH; k++) {
      report->iterations++;
      half = k == BATCH / 2 ? now : half;
      now = rh_blocks_sweep(problem, own, NULL, p);
      if (now <= tolerance && (report->residual = rh_blocks_residual(problem, p)) <= tolerance) {
        return report->residual;
      }
    }
    double left = now; // extrapolated from the second half
    for (int k = 0; k < worth && left > tolerance; k += BATCH / 2) {
      left *= now / half;
    }
    if (left > tolerance && (problem->n < VAST || worth <= BATCH)) {
      return now;
    }
  }
}

// `wanted`: tolerance and steps, the first two of every solver.
static rh_verdict run_solver(const rh_solver *row, const double *wanted, const rh_blocks *problem,
                             double *space, double *p, rh_blocks_report *report)
{
  double par[RH_PAR_MAX];
  rh_blocks_report own = {0};
  rh_row_defaults(&row->row, par);
  par[TOLERANCE] = wanted[TOLERANCE];
  par[STEPS] = wanted[STEPS];
  if (row == &rh_solver_admm) {
    par[3] = 0.1; // `worth`
  }
  rh_verdict verdict = row->blocks(problem, par, space, p, &own);
  report->row = own.row;
  report->residual = own.residual;
  report->iterations += own.iterations;
  report->factors += own.factors;
  return verdict;
}

static rh_verdict solve_blocks(const rh_blocks *problem, const double *par, double *space,
                               double *p, rh_blocks_report *report)
{
  const rh_newton_limits limits = {par[TOLERANCE], 40, 100, 0, 0, 0};
  size_t rows = 3 * (size_t)problem->n;
  double *start = space;
  space += rows;
  *report = (rh_blocks_report){.row = "gauss-seidel"};
  rh_blocks_tidy(problem, p);
  memcpy(start, p, rows * sizeof(double));
  if (sweep_while_cheap(problem, par[TOLERANCE], space, p, report) <= par[TOLERANCE]) {
    return RH_VERDICT_SOLVED;
  }
  rh_verdict verdict = RH_VERDICT_FAILED;
  memcpy(p, start, rows * sizeof(double));
  if (problem->n >= LARGE) {
    verdict = run_solver(&rh_solver_admm, par, problem, space, p, report);
    if (verdict == RH_VERDICT_SOLVED) {
      return verdict;
    }
    memcpy(p, start, rows * sizeof(double));
  }
  report->row = "alart-curnier";
  verdict = rh_newton_blocks(problem, &limits, space, p, report);
  if (verdict != RH_VERDICT_SOLVED) {
    verdict = run_solver(&rh_solver_apgd, par, problem, space, p, report);
  }
  if (verdict != RH_VERDICT_SOLVED) {
    verdict = run_solver(&rh_solver_gauss_seidel, par, problem, space, p, report);
  }
  return verdict;
}

const rh_solver rh_solver_auto = {
    .row = {.name = "auto",
            .cite = "",
            .doc = "many contacts: sweeps while they converge, then Newton's method, then "
                   "gradients; reports which",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = solver_room,
    .blocks = solve_blocks,
    .blocks_room = blocks_room,
};
