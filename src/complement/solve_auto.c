// The choice among the rows for many contacts, by size and by how it goes. First Gauss-Seidel sweeps, ten at a time: a warm start
// is often the answer already. Ten sweeps say how fast the residual falls; as long as what that promises to be left costs less
// than Newton's method (some 40 sweeps of a small problem, 200 of hundreds of blocks, measured), sweeping goes on; of huge
// problems in any case as long as Newton's method would take. Then, of large
// problems, alternating directions as long as ten steps leave less than a tenth. Else Newton's method, from the start that was
// given (it settles sooner from there than from half-solved points, also measured); if its factors find no room, or it does not
// settle, projected gradients from its best point, and at last sweeps again. The report says which row found the answer.
#include "cone.h"
#include "contact_local.h"
#include "newton_blocks.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, STEPS };

enum { BATCH = 10 };

enum { LARGE = 100, VAST = 600 }; // blocks

static const rh_param param[] = {
    {.name = "tolerance",
     .unit = "m/s",
     .def = 1e-9,
     .lo = 1e-300,
     .hi = 1,
     .doc = "residual that is accepted"},
    {.name = "steps",
     .unit = "1",
     .def = 20000,
     .lo = 1,
     .hi = 1e8,
     .doc = "gradient steps, then sweeps, where Newton's method did not settle"},
};

extern const rh_solver rh_solver_admm;
extern const rh_solver rh_solver_apgd;
extern const rh_solver rh_solver_auto;
extern const rh_solver rh_solver_gauss_seidel;

static size_t room(int n)
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

// How many sweeps cost as much as Newton's method: measured up to 600 blocks, beyond that it grows with the square of their number.
static int worth_of(int n)
{
  double many = fmin(200.0 * n * n / (1.0 * VAST * VAST), 20000);
  return n < 80 ? 40 + 2 * n : n < VAST ? 200 : (int)many;
}

// Sweeps as long as they pay. `p` is left at the last sweep. Returns the residual it found last.
static double sweep(const rh_blocks *problem, double tolerance, double *space, double *p,
                    rh_blocks_report *report)
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
    double left = now; // if it goes on like the second half
    for (int k = 0; k < worth && left > tolerance; k += BATCH / 2) {
      left *= now / half;
    }
    if (left > tolerance && (problem->n < VAST || worth <= BATCH)) {
      return now;
    }
  }
}

// `wanted`: tolerance and steps, as every row has them first.
static rh_verdict then(const rh_solver *row, const double *wanted, const rh_blocks *problem,
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
  const rh_newton_limits limits = {par[TOLERANCE], 40, 100, 0, 0};
  size_t rows = 3 * (size_t)problem->n;
  double *start = space;
  space += rows;
  *report = (rh_blocks_report){.row = "gauss-seidel"};
  rh_blocks_tidy(problem, p);
  memcpy(start, p, rows * sizeof(double));
  if (sweep(problem, par[TOLERANCE], space, p, report) <= par[TOLERANCE]) {
    return RH_VERDICT_SOLVED;
  }
  rh_verdict verdict = RH_VERDICT_FAILED;
  memcpy(p, start, rows * sizeof(double));
  if (problem->n >= LARGE) {
    verdict = then(&rh_solver_admm, par, problem, space, p, report);
    if (verdict == RH_VERDICT_SOLVED) {
      return verdict;
    }
    memcpy(p, start, rows * sizeof(double));
  }
  report->row = "alart-curnier";
  verdict = rh_newton_blocks(problem, &limits, space, p, report);
  if (verdict != RH_VERDICT_SOLVED) {
    verdict = then(&rh_solver_apgd, par, problem, space, p, report);
  }
  if (verdict != RH_VERDICT_SOLVED) {
    verdict = then(&rh_solver_gauss_seidel, par, problem, space, p, report);
  }
  return verdict;
}

const rh_solver rh_solver_auto = {
    .row = {.name = "auto",
            .cite = "",
            .doc =
                "many contacts: sweeps while they pay, then Newton's method, then gradients; says "
                "which",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = room,
    .blocks = solve_blocks,
    .blocks_room = blocks_room,
};
