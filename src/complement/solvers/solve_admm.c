// Alternating directions (Boyd, Parikh, Chu, Peleato and Eckstein 2011) on many contacts: p
// satisfies the equations of motion, z is p projected on the cones, boxes and half lines, y sums
// their differences:
//   (W + rho d) p = rho d (z - y) - b - s,   z = P(p + y),   y = y + p - z,
// d the unit of each block. s_n = mu |u_t| from the velocities of z, set anew at every step, makes friction exact (de Saxce and
// Feng 1998). W + rho d is factorised once, and again where rho has to change: p and z differ much more, or much less,
// than z moves. A step costs far less than one of Newton's method, and towers with many contacts that stick need few.
#include "complement/block_ldl.h"
#include "complement/cone.h"
#include "complement/contact_local.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, STEPS, RHO, WORTH };

enum { PERIOD = 10, CHANGES = 10 }; // steps between checks of rho; factors at most

static const rh_param param[] = {
    RH_PARAM_RESIDUAL,
    RH_PARAM_STEPS("steps", 5000, "maximum number of steps"),
    {.name = "rho", .unit = "1", .def = 0.01, .lo = 1e-8, .hi = 1e8, .doc = "initial rho"},
    {.name = "worth",
     .unit = "1",
     .def = 1,
     .lo = 1e-8,
     .hi = 1,
     .doc = "the solver stops where ten steps leave more than this part of the residual"},
};

typedef struct split {
  const rh_blocks *q;
  double *d;             // (n)
  double *p, *z, *y, *u; // (3n) u of z
  double *M;             // (entries x 9)
  bool *skip;            // (n) all false
  rh_sparse f;
  double rho;
  double apart, moved; // [m/s] |p - z| and |z - z_old|, the largest, times d
} split;

static size_t solver_room(int n)
{
  (void)n;
  return 1;
}

static size_t blocks_room(int n, int entries)
{
  return 14 * (size_t)n + 9 * (size_t)entries + rh_sparse_room(n, entries) + 1;
}

static void factor_system(split *w, rh_blocks_report *report)
{
  const rh_blocks *q = w->q;
  const rh_sparse_matrix m = {q->start, q->col, w->M, w->skip, 1e-13};
  memcpy(w->M, q->W, 9 * (size_t)q->start[q->n] * sizeof(double));
  for (int i = 0; i < q->n; i++) {
    for (int e = q->start[i]; e < q->start[i + 1]; e++) {
      for (int a = 0; a < 3 && q->col[e] == i; a++) {
        w->M[9 * (size_t)e + 4 * (size_t)a] += w->rho * w->d[i];
      }
    }
  }
  (void)rh_sparse_factor(&w->f, &m);
  report->factors++;
}

static void admm_step(split *w)
{
  const rh_blocks *q = w->q;
  for (int i = 0; i < q->n; i++) {
    const double *u = w->u + (ptrdiff_t)3 * i;
    for (int a = 3 * i; a < 3 * i + 3; a++) {
      w->p[a] = w->rho * w->d[i] * (w->z[a] - w->y[a]) - q->b[a];
    }
    if (q->kind[i] == RH_BLOCK_CONE) {
      w->p[3 * i + 2] -= q->limit[i] * rh_flat_length(u[0], u[1]);
    }
  }
  rh_sparse_solve(&w->f, w->skip, w->p);
  w->apart = w->moved = 0;
  for (int i = 0; i < q->n; i++) {
    double *z = w->z + (ptrdiff_t)3 * i;
    double *y = w->y + (ptrdiff_t)3 * i;
    const double *p = w->p + (ptrdiff_t)3 * i;
    double x[3] = {y[0] + p[0], y[1] + p[1], y[2] + p[2]};
    rh_block_project(q, i, x);
    for (int a = 0; a < 3; a++) {
      y[a] += p[a] - x[a];
      w->moved = fmax(w->moved, w->d[i] * fabs(z[a] - x[a]));
      w->apart = fmax(w->apart, w->d[i] * fabs(p[a] - x[a]));
      z[a] = x[a];
    }
  }
  rh_blocks_velocity(q, w->z, w->u);
}

static double worst_residual(const split *w)
{
  double worst = 0;
  for (int i = 0; i < w->q->n; i++) {
    double now = rh_block_judge(w->q, i, w->d[i], w->z + (ptrdiff_t)3 * i, w->u + (ptrdiff_t)3 * i);
    worst = now > worst ? now : worst;
  }
  return worst;
}

static bool open_room(split *w, double *space)
{
  size_t n = (size_t)w->q->n;
  double **const part[] = {&w->p, &w->z, &w->y, &w->u};
  for (int i = 0; i < RH_COUNT(part); i++) {
    *part[i] = space;
    space += 3 * n;
  }
  w->d = space;
  w->skip = (bool *)(w->d + n);
  w->M = w->d + 2 * n;
  memset(w->skip, 0, n * sizeof(bool));
  return rh_sparse_analyse(&w->f, w->q->n, w->q->start, w->q->col,
                           w->M + 9 * (size_t)w->q->start[w->q->n]);
}

// Starts from p. y holds the velocities of p, unless p is zero.
static void begin_from(split *w, const double *p)
{
  const rh_blocks *q = w->q;
  bool warm = false;
  for (int i = 0; i < 3 * q->n; i++) {
    warm = warm || p[i] != 0;
    w->z[i] = p[i];
    w->d[i / 3] = rh_block_unit(q, i / 3);
  }
  rh_blocks_velocity(q, w->z, w->u);
  for (int i = 0; i < q->n; i++) {
    const double *u = w->u + (ptrdiff_t)3 * i;
    bool cone = q->kind[i] == RH_BLOCK_CONE;
    double s = cone ? q->limit[i] * rh_flat_length(u[0], u[1]) : 0;
    for (int a = 0; a < 3; a++) {
      double v = u[a] + (cone && a == 2 ? s : 0);
      w->y[3 * i + a] = warm ? -v / (w->rho * w->d[i]) : 0;
    }
  }
}

static void set_rho(split *w, rh_blocks_report *report)
{
  double other = w->rho * w->moved;
  if ((w->apart <= 5 * other && other <= 5 * w->apart) || report->factors >= CHANGES) {
    return;
  }
  double by = fmin(fmax(sqrt(w->apart / other), 0.1), 10);
  w->rho *= by;
  for (int i = 0; i < 3 * w->q->n; i++) {
    w->y[i] /= by;
  }
  factor_system(w, report);
}

static rh_verdict solve_blocks(const rh_blocks *problem, const double *par, double *space,
                               double *p, rh_blocks_report *report)
{
  size_t bytes = 3 * (size_t)problem->n * sizeof(double);
  split w = {.q = problem, .rho = par[RHO]};
  *report = (rh_blocks_report){.row = "admm"};
  rh_blocks_tidy(problem, p);
  report->residual = rh_blocks_residual(problem, p);
  if (report->residual <= par[TOLERANCE] || !open_room(&w, space)) {
    return report->residual <= par[TOLERANCE] ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
  }
  begin_from(&w, p);
  factor_system(&w, report);
  double least = report->residual; // of the point kept in p
  double before = least;           // a period ago
  while (least > par[TOLERANCE] && report->iterations < (int)par[STEPS]) {
    admm_step(&w);
    report->iterations++;
    double now = worst_residual(&w);
    if (now < least) {
      least = now;
      memcpy(p, w.z, bytes);
    }
    if (report->iterations % PERIOD == 0) {
      if (least > before * par[WORTH]) {
        break;
      }
      before = least;
      set_rho(&w, report);
    }
  }
  report->residual = rh_blocks_residual(problem, p);
  return report->residual <= par[TOLERANCE] ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
}

extern const rh_solver rh_solver_admm;

const rh_solver rh_solver_admm = {
    .row = {.name = "admm",
            .cite = "Boyd et al. 2011",
            .doc = "many contacts: alternating directions, one factor for many steps",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = solver_room,
    .blocks = solve_blocks,
    .blocks_room = blocks_room,
};
