// Gauss-Seidel: one contact (or one unknown) after the other is put right with the others as they are. It needs little and
// converges slowly, the more so the more bodies lean on each other; it cannot tell that there is no solution. Here as a second
// route to the answers of the others.
#include "lcp/cone.h"

enum { TOLERANCE, SWEEPS };

enum { BATCH = 10 }; // sweeps between looks at the residual

static const rh_param param[] = {
    {.name = "tolerance",
     .unit = "1",
     .def = 1e-10,
     .lo = 1e-15,
     .hi = 1e-2,
     .doc = "residual that is accepted, relative to the largest b"},
    {.name = "sweeps", .unit = "1", .def = 20000, .lo = 1, .hi = 1e8, .doc = "sweeps at most"},
};

static size_t room(int n)
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

static void sweep(const rh_lcp *problem, double *z)
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
      sweep(problem, z);
    }
  }
  return RH_VERDICT_FAILED;
}

static rh_verdict solve_qp(const rh_qp *problem, const double *par, double *space, double *z)
{
  const rh_lcp lcp = {.n = problem->n, .A = problem->H, .b = problem->g};
  return solve_lcp(&lcp, par, space, z);
}

extern const rh_solver rh_solver_gauss_seidel;

const rh_solver rh_solver_gauss_seidel = {
    .row = {.name = "gauss-seidel",
            .cite = "",
            .doc = "one after the other, again and again: simple and slow",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = room,
    .lcp = solve_lcp,
    .qp = solve_qp,
    .cone = solve_cone,
};
