// Accelerated projected gradient descent (Nesterov 1983; for contact Mazhar, Heyn, Negrut and Tasora 2015) on many contacts.
// With s given, least 1/2 p'Wp + (b + s)'p over p in the cones, boxes and half lines is convex; its
// solution has exact Coulomb friction where s_n = mu |u_t| (de Saxce and Feng 1998). So s is set
// from the velocities whenever the convex problem is solved to a tenth of the residual of exact
// friction, until that is within the tolerance. A step is
//   p+ = P(y - (u(y) + s)/(L d)),  y = p+ + beta (p+ - p),
// d the unit of each block; L grows until (p+ - y)'W(p+ - y) <= L |p+ - y|^2_d and falls a little with each step. beta begins
// again at 0 where the step goes uphill (O'Donoghue and Candes 2015). No matrix is factorised, no
// order matters: an alternative to the other solvers, for problems whose factors exceed the
// capacity.
#include "complement/cone.h"
#include "complement/contact_local.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, STEPS, INNER };

static const rh_param param[] = {
    RH_PARAM_RESIDUAL,
    RH_PARAM_STEPS("steps", 20000, "maximum number of steps"),
    RH_PARAM_STEPS("inner", 200,
                   "maximum number of steps before friction is updated from the velocities"),
};

typedef struct descent {
  const rh_blocks *q;
  double *d;          // (n) units of the blocks
  double *s;          // (n) mu |u_t| of cones, else 0
  double *p, *u;      // (3n) u without s
  double *old, *oldu; // (3n) one step before
  double *y, *uy;     // (3n) point of the gradient
  double L;
  double theta; // of Nesterov's sequence
} descent;

static size_t solver_room(int n)
{
  (void)n;
  return 1;
}

static size_t blocks_room(int n, int entries)
{
  (void)entries;
  return 20 * (size_t)n + 1;
}

static int normal_of(const rh_blocks *q, int i)
{
  return q->kind[i] == RH_BLOCK_CONE ? 3 * i + 2 : 3 * i;
}

// Residual of p in the convex problem [m/s]: its own natural map.
static double convex_residual(const descent *w)
{
  double worst = 0;
  for (int i = 0; i < w->q->n; i++) {
    const double *p = w->p + (ptrdiff_t)3 * i;
    double x[3];
    for (int a = 0; a < 3; a++) {
      double s = 3 * i + a == normal_of(w->q, i) ? w->s[i] : 0;
      x[a] = p[a] - (w->u[3 * i + a] + s) / w->d[i];
    }
    rh_block_project(w->q, i, x);
    double off = fmax(fabs(p[0] - x[0]), fmax(fabs(p[1] - x[1]), fabs(p[2] - x[2])));
    worst = fmax(worst, w->d[i] * off);
  }
  return worst;
}

static double exact_residual(const descent *w)
{
  double worst = 0;
  for (int i = 0; i < w->q->n; i++) {
    const double *p = w->p + (ptrdiff_t)3 * i;
    double now = rh_block_judge(w->q, i, w->d[i], p, w->u + (ptrdiff_t)3 * i);
    worst = now > worst ? now : worst;
  }
  return worst;
}

// p from y with the present L. Returns the curvature along the step: (p - y)'W(p - y) / |p -
// y|^2_d.
static double try_step(descent *w)
{
  double bent = 0;
  double flat = 0;
  for (int i = 0; i < w->q->n; i++) {
    double *p = w->p + (ptrdiff_t)3 * i;
    for (int a = 0; a < 3; a++) {
      double s = 3 * i + a == normal_of(w->q, i) ? w->s[i] : 0;
      p[a] = w->y[3 * i + a] - (w->uy[3 * i + a] + s) / (w->L * w->d[i]);
    }
    rh_block_project(w->q, i, p);
  }
  rh_blocks_velocity(w->q, w->p, w->u);
  for (int i = 0; i < 3 * w->q->n; i++) {
    double step = w->p[i] - w->y[i];
    bent += step * (w->u[i] - w->uy[i]);
    flat += w->d[i / 3] * step * step;
  }
  return flat > 0 ? bent / flat : 0;
}

static void begin_again(descent *w)
{
  size_t bytes = 3 * (size_t)w->q->n * sizeof(double);
  w->theta = 1;
  memcpy(w->y, w->p, bytes);
  memcpy(w->uy, w->u, bytes);
}

static void gradient_step(descent *w)
{
  int n = 3 * w->q->n;
  size_t bytes = (size_t)n * sizeof(double);
  memcpy(w->old, w->p, bytes);
  memcpy(w->oldu, w->u, bytes);
  double bend = try_step(w);
  while (bend > w->L * (1 + 1e-10)) {
    w->L = fmax(2 * w->L, bend);
    bend = try_step(w);
  }
  w->L *= 0.97;
  double uphill = 0;
  for (int i = 0; i < n; i++) {
    double s = i == normal_of(w->q, i / 3) ? w->s[i / 3] : 0;
    uphill += (w->uy[i] + s) * (w->p[i] - w->old[i]);
  }
  if (uphill > 0) {
    begin_again(w);
    return;
  }
  double square = w->theta * w->theta;
  double next = 0.5 * (sqrt(square * square + 4 * square) - square);
  double beta = w->theta * (1 - w->theta) / (square + next);
  w->theta = next;
  for (int i = 0; i < n; i++) {
    w->y[i] = w->p[i] + beta * (w->p[i] - w->old[i]);
    w->uy[i] = w->u[i] + beta * (w->u[i] - w->oldu[i]);
  }
}

static void set_friction(descent *w)
{
  for (int i = 0; i < w->q->n; i++) {
    const double *u = w->u + (ptrdiff_t)3 * i;
    bool cone = w->q->kind[i] == RH_BLOCK_CONE;
    w->s[i] = cone ? w->q->limit[i] * rh_flat_length(u[0], u[1]) : 0;
  }
  begin_again(w);
}

static rh_verdict solve_blocks(const rh_blocks *problem, const double *par, double *space,
                               double *p, rh_blocks_report *report)
{
  size_t n = (size_t)problem->n;
  descent w = {.q = problem, .L = 1, .theta = 1};
  double **const part[] = {&w.p, &w.u, &w.old, &w.oldu, &w.y, &w.uy};
  *report = (rh_blocks_report){.row = "apgd"};
  for (int i = 0; i < RH_COUNT(part); i++) {
    *part[i] = space + (size_t)i * 3 * n;
  }
  w.d = space + 18 * n;
  w.s = w.d + n;
  for (int i = 0; i < problem->n; i++) {
    w.d[i] = rh_block_unit(problem, i);
  }
  rh_blocks_tidy(problem, p);
  memcpy(w.p, p, 3 * n * sizeof(double));
  rh_blocks_velocity(problem, w.p, w.u);
  report->residual = exact_residual(&w);
  double least = report->residual; // of the points kept in p
  set_friction(&w);
  int inner = 0;
  while (report->residual > par[TOLERANCE] && report->iterations < (int)par[STEPS]) {
    gradient_step(&w);
    report->iterations++;
    report->residual = exact_residual(&w);
    if (report->residual < least) {
      least = report->residual;
      memcpy(p, w.p, 3 * n * sizeof(double));
    }
    if (++inner >= (int)par[INNER] || convex_residual(&w) <= 0.1 * report->residual) {
      set_friction(&w);
      inner = 0;
    }
  }
  report->residual = rh_blocks_residual(problem, p);
  return report->residual <= par[TOLERANCE] ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
}

extern const rh_solver rh_solver_apgd;

const rh_solver rh_solver_apgd = {
    .row = {.name = "apgd",
            .cite = "Mazhar et al. 2015",
            .doc = "many contacts: accelerated projected gradient, exact Coulomb by an outer fixed "
                   "point; no factors",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = solver_room,
    .blocks = solve_blocks,
    .blocks_room = blocks_room,
};
