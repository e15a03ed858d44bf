// Gauss-Seidel: one contact (or one unknown) after the other is solved with the others fixed. It
// needs little and converges slowly, the more so the more bodies depend on each other; it cannot
// prove that there is no solution. For dense problems an alternative to the other solvers; for
// blocks, each solved exactly, the cheapest way where few sweeps suffice.
#include "complement/cone.h"
#include "complement/contact_local.h"

enum { TOLERANCE, SWEEPS };

enum { BATCH = 10 }; // sweeps between checks of the residual

static const rh_param param[] = {
    RH_PARAM_RELATIVE_RESIDUAL(1e-10, "b; of blocks in m/s"),
    RH_PARAM_STEPS("sweeps", 20000, "maximum number of sweeps"),
};

static size_t solver_room(int n)
{
  (void)n;
  return 1;
}

// NOLINTNEXTLINE(readability-non-const-parameter): as every row has it
static rh_verdict solve_cone(const rh_cone *problem, const double *par, double *space, double *p)
{
  (void)space;
  for (int i = 0; i < 3 * problem->n; i++) {
    p[i] = isfinite(p[i]) ? p[i] : 0;
  }
  for (long done = 0; done <= (long)par[SWEEPS]; done += BATCH) {
    if (rh_cone_residual(problem, p) <= par[TOLERANCE]) {
      return RH_VERDICT_SOLVED;
    }
    (void)rh_cone_sweep(problem, BATCH, p);
  }
  return RH_VERDICT_FAILED;
}

static void sweep_unknowns(const rh_lcp *problem, double *z)
{
  int n = problem->n;
  for (int i = 0; i < n; i++) {
    const double *row = problem->A + (size_t)i * n;
    double w = problem->b[i];
    for (int j = 0; j < n; j++) {
      w += row[j] * z[j];
    }
    if (row[i] > 0) {
      z[i] = fmax(z[i] - w / row[i], 0);
    }
  }
}

// NOLINTNEXTLINE(readability-non-const-parameter): as every row has it
static rh_verdict solve_lcp(const rh_lcp *problem, const double *par, double *space, double *z)
{
  (void)space;
  for (int i = 0; i < problem->n; i++) {
    z[i] = 0;
  }
  for (long done = 0; done <= (long)par[SWEEPS]; done += BATCH) {
    if (rh_lcp_residual(problem, z) <= par[TOLERANCE]) {
      return RH_VERDICT_SOLVED;
    }
    for (int k = 0; k < BATCH; k++) {
      sweep_unknowns(problem, z);
    }
  }
  return RH_VERDICT_FAILED;
}

static rh_verdict solve_qp(const rh_qp *problem, const double *par, double *space, double *z)
{
  const rh_lcp lcp = {.n = problem->n, .A = problem->H, .b = problem->g};
  return solve_lcp(&lcp, par, space, z);
}

// ---- Blocks

static size_t blocks_room(int n, int entries)
{
  (void)entries;
  return (size_t)n * RH_BLOCK_OWN + 1;
}

// The residual is checked after a sweep that found every block within the tolerance, and after the
// last one.
static rh_verdict solve_blocks(const rh_blocks *problem, const double *par, double *space,
                               double *p, rh_blocks_report *report)
{
  rh_block_own *own = (rh_block_own *)space;
  *report = (rh_blocks_report){.row = "gauss-seidel"};
  for (int i = 0; i < problem->n; i++) {
    rh_block_own_make(problem, i, 0, own + i);
  }
  rh_blocks_tidy(problem, p);
  for (report->iterations = 0; report->iterations < (int)par[SWEEPS]; report->iterations++) {
    if (rh_blocks_sweep(problem, own, NULL, p) <= par[TOLERANCE]) {
      report->residual = rh_blocks_residual(problem, p);
      if (report->residual <= par[TOLERANCE]) {
        report->iterations++;
        return RH_VERDICT_SOLVED;
      }
    }
  }
  report->residual = rh_blocks_residual(problem, p);
  return report->residual <= par[TOLERANCE] ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
}

const rh_solver rh_solver_gauss_seidel = {
    .row = {.name = "gauss-seidel",
            .cite = "",
            .doc = "one contact after the other, repeatedly: simple and slow",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = solver_room,
    .lcp = solve_lcp,
    .qp = solve_qp,
    .cone = solve_cone,
    .blocks = solve_blocks,
    .blocks_room = blocks_room,
};
