// Contact with friction by a semi-smooth Newton method (Alart and Curnier 1991). Each contact is
// open, sticks, slips, or goes along a given direction, by y = p - u / d, d its largest diagonal
// entry:
//   open    y_n <= 0:          p = 0
//   stick   |y_t| <= mu y_n:   u = 0
//   slip    else:              u_n = 0, p_t = mu p_n y_t / |y_t|
// These equations, linearised, are solved for the change of p of least norm, so that dependent
// contacts (a box on four corners) are allowed. If that fails, Gauss-Seidel sweeps give a better
// guess; then the proximal method: W + alpha d in place of W, b - alpha d p in place of b,
// repeatedly with a smaller alpha.
// A problem in which no contact chooses its direction goes to Lemke's method.
#include "complement/cone.h"
#include "complement/lemke.h"
#include "complement/newton_blocks.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, STEPS, SWEEPS };

enum { OPEN, ALONG, STICK, SLIP }; // states of a contact

enum { ROUNDS = 3, PROXIMAL = 100, HALVINGS = 4, PATIENCE = 15 };

#define RANK_TOLERANCE 1e-11 // of the linearised equations; W is known to about 1e-15

static const rh_param param[] = {
    RH_PARAM_RELATIVE_RESIDUAL(1e-11, "b; of blocks in m/s"),
    {.name = "steps",
     .unit = "1",
     .def = 40,
     .lo = 1,
     .hi = 1000,
     .doc = "maximum number of Newton steps"},
    {.name = "sweeps",
     .unit = "1",
     .def = 100,
     .lo = 1,
     .hi = 1e6,
     .doc = "Gauss-Seidel sweeps where Newton did not converge; four times as many each time"},
};

typedef struct newton {
  const rh_cone *cone;
  double tolerance;
  int steps;
  double *p;              // present point (3n)
  double *u;              // W p + b (3n)
  double *next;           // trial (3n)
  double *best;           // (3n)
  double *state;          // (n)
  double *first;          // column of the first unknown of a contact that is not open (n)
  double *M;              // linearised equations (3n x 3n)
  double *rhs;            // (3n)
  double *dx;             // (3n)
  double *room;           // of rh_lstsq
  double residual, least; // at p and at best
} newton;

static size_t solver_room(int n)
{
  size_t N = 3 * (size_t)n;
  size_t newton_room = 2 * N * N + 8 * N + 2 * (size_t)n + rh_lstsq_room((int)N, (int)N);
  size_t lcp_room = (size_t)n * (size_t)n + 2 * (size_t)n + rh_lemke_room(n);
  return newton_room > lcp_room ? newton_room : lcp_room;
}

static double evaluate_residual(const newton *w, const double *p, double *u)
{
  double size = rh_lcp_size(3 * w->cone->n, w->cone->b);
  double worst = 0;
  for (int k = 0; k < w->cone->n; k++) {
    rh_cone_rows(w->cone, k, p, u + (ptrdiff_t)3 * k);
    double now = rh_cone_judge(w->cone, k, p + (ptrdiff_t)3 * k, u + (ptrdiff_t)3 * k) / size;
    worst = now > worst ? now : worst;
  }
  return worst;
}

static bool goes_along(const rh_cone *cone, int k)
{
  return cone->mu[k] == 0 || rh_cone_slides(cone, k);
}

// p_t over p_n of a contact that goes along
static double tangent_share(const rh_cone *cone, int k, int axis)
{
  return rh_cone_slides(cone, k) ? -cone->mu[k] * cone->slide[2 * k + axis] : 0;
}

// ---- One Newton step

static int classify_contacts(newton *w)
{
  const rh_cone *c = w->cone;
  int columns = 0;
  for (int k = 0; k < c->n; k++) {
    const double *p = w->p + (ptrdiff_t)3 * k;
    const double *u = w->u + (ptrdiff_t)3 * k;
    double d = rh_cone_unit(c, k);
    double yn = p[2] - u[2] / d;
    double yt = rh_flat_length(p[0] - u[0] / d, p[1] - u[1] / d);
    w->first[k] = columns;
    if (yn <= 0) {
      w->state[k] = OPEN;
    } else if (goes_along(c, k)) {
      w->state[k] = ALONG;
      columns += 1;
    } else {
      w->state[k] = yt <= c->mu[k] * yn ? STICK : SLIP;
      columns += 3;
    }
  }
  return columns;
}

// row += scale * row i of W, in the unknowns
static void add_row(const newton *w, int i, double scale, double *row)
{
  const rh_cone *c = w->cone;
  const double *W = c->W + (size_t)i * 3 * c->n;
  for (int k = 0; k < c->n; k++) {
    double *to = row + (int)w->first[k];
    if (w->state[k] == ALONG) {
      double along_t = W[3 * k] * tangent_share(c, k, 0) + W[3 * k + 1] * tangent_share(c, k, 1);
      to[0] += scale * (W[3 * k + 2] + along_t);
    } else if (w->state[k] != OPEN) {
      to[0] += scale * W[3 * k];
      to[1] += scale * W[3 * k + 1];
      to[2] += scale * W[3 * k + 2];
    }
  }
}

// d (dp_t - mu e dp_n - f Q (dp_t - du_t / d)) = -d (p_t - mu p_n e), e = y_t/|y_t|, Q = 1 - e e', f = mu y_n/|y_t|.
// `opened`: change of u_t because contacts open.
static void slip_rows(newton *w, int k, int columns, const double *opened)
{
  const double *p = w->p + (ptrdiff_t)3 * k;
  const double *u = w->u + (ptrdiff_t)3 * k;
  double mu = w->cone->mu[k];
  double d = rh_cone_unit(w->cone, k);
  const double y[2] = {p[0] - u[0] / d, p[1] - u[1] / d};
  double length = rh_flat_length(y[0], y[1]);
  const double e[2] = {y[0] / length, y[1] / length};
  double f = mu * (p[2] - u[2] / d) / length;
  for (int a = 0; a < 2; a++) {
    int i = (int)w->first[k] + a;
    double *row = w->M + (size_t)i * columns;
    w->rhs[i] = -d * (p[a] - mu * fmax(p[2], 0) * e[a]);
    for (int b = 0; b < 2; b++) {
      double Q = (a == b) - e[a] * e[b];
      add_row(w, 3 * k + b, f * Q, row);
      row[(int)w->first[k] + b] += d * ((a == b) - f * Q);
      w->rhs[i] -= f * Q * opened[b];
    }
    row[(int)w->first[k] + 2] -= d * mu * e[a];
  }
}

// w->next is p with the open contacts at zero, `u` its velocities.
static void assemble_system(newton *w, int columns, const double *u)
{
  memset(w->M, 0, (size_t)columns * (size_t)columns * sizeof(double));
  for (int k = 0; k < w->cone->n; k++) {
    int at = (int)w->first[k];
    const double *uk = u + (ptrdiff_t)3 * k;
    const double opened[2] = {uk[0] - w->u[3 * k], uk[1] - w->u[3 * k + 1]};
    if (w->state[k] == OPEN) {
      continue;
    }
    if (w->state[k] == SLIP) {
      slip_rows(w, k, columns, opened);
    }
    int from = w->state[k] == STICK ? 0 : 2;
    int skip = w->state[k] == ALONG ? 2 : 0;
    for (int a = from; a < 3; a++) {
      add_row(w, 3 * k + a, 1, w->M + (size_t)(at + a - skip) * columns);
      w->rhs[at + a - skip] = -uk[a];
    }
  }
}

// to = from + t dx
static void move_along_step(const newton *w, const double *from, double t, double *to)
{
  for (int k = 0; k < w->cone->n; k++) {
    const double *dx = w->dx + (int)w->first[k];
    for (int a = 0; a < 3; a++) {
      to[3 * k + a] = from[3 * k + a];
      if (w->state[k] == STICK || w->state[k] == SLIP) {
        to[3 * k + a] += t * dx[a];
      } else if (w->state[k] == ALONG) {
        to[3 * k + a] += t * (a == 2 ? dx[0] : dx[0] * tangent_share(w->cone, k, a));
      }
    }
  }
}

static void newton_step(newton *w)
{
  int n = 3 * w->cone->n;
  size_t bytes = (size_t)n * sizeof(double);
  int columns = classify_contacts(w);
  double *u = w->dx; // until dx is computed
  for (int i = 0; i < n; i++) {
    w->next[i] = w->state[i / 3] == OPEN ? 0 : w->p[i];
  }
  (void)evaluate_residual(w, w->next, u);
  assemble_system(w, columns, u);
  (void)rh_lstsq(columns, columns, w->M, w->rhs, RANK_TOLERANCE, w->room, w->dx, NULL);
  // The whole step, unless it is much worse and a shorter one is not.
  double best = HUGE_VAL;
  double t = 1;
  double *try = w->rhs;
  for (int i = 0; i <= HALVINGS; i++) {
    move_along_step(w, w->next, t, try);
    double now = evaluate_residual(w, try, w->M);
    if (now < best) {
      best = now;
      memcpy(w->p, try, bytes);
      memcpy(w->u, w->M, bytes);
    }
    if (best < 2 * w->residual) {
      break;
    }
    t *= 0.5;
  }
  w->residual = best;
}

// From p, until it is solved or stops improving.
static bool iterate_newton(newton *w)
{
  size_t bytes = 3 * (size_t)w->cone->n * sizeof(double);
  w->residual = evaluate_residual(w, w->p, w->u);
  double start = w->residual;
  double seen = HUGE_VAL; // least of this attempt
  int waited = 0;
  for (int i = 0;; i++) {
    bool better = w->residual < 0.5 * seen;
    seen = fmin(seen, w->residual);
    waited = better ? 0 : waited + 1;
    if (w->residual < w->least) {
      w->least = w->residual;
      memcpy(w->best, w->p, bytes);
    }
    if (w->least <= 1e-2 * w->tolerance || (w->least <= w->tolerance && !better) ||
        waited > PATIENCE || i >= w->steps || !(w->residual < 1e8 * (1 + start))) {
      return w->least <= w->tolerance;
    }
    newton_step(w);
  }
}

// ---- Ways to a better guess

// Moves the start into the cone, and on the line of contacts that go along.
static void tidy_start(const rh_cone *cone, double *p)
{
  for (int k = 0; k < cone->n; k++) {
    double *own = p + (ptrdiff_t)3 * k;
    bool good = isfinite(own[0]) && isfinite(own[1]) && isfinite(own[2]) && own[2] > 0;
    own[2] = good ? own[2] : 0;
    double radius = cone->mu[k] * own[2];
    double length = good ? rh_flat_length(own[0], own[1]) : 0;
    double shrink = length > radius ? radius / length : 1;
    for (int a = 0; a < 2; a++) {
      own[a] = !good                 ? 0
               : goes_along(cone, k) ? own[2] * tangent_share(cone, k, a)
                                     : shrink * own[a];
    }
  }
}

// The same problem with alpha d (p - centre) added to u.
static rh_cone proximal_problem(const rh_cone *cone, double alpha, const double *centre, double *W,
                                double *b)
{
  int n = 3 * cone->n;
  rh_cone near = *cone;
  memcpy(W, cone->W, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    double extra = alpha * rh_cone_unit(cone, i / 3);
    W[(size_t)i * n + i] += extra;
    b[i] = cone->b[i] - extra * centre[i];
  }
  near.W = W;
  near.b = b;
  return near;
}

static bool go_near(newton *w, int sweeps, double *centre, double *W, double *b)
{
  const rh_cone *cone = w->cone;
  size_t bytes = 3 * (size_t)cone->n * sizeof(double);
  double alpha = 0.1;
  double least = w->least;
  double *answer = w->next + (ptrdiff_t)3 * cone->n; // kept after the trial
  memcpy(answer, w->best, bytes);
  memcpy(centre, w->best, bytes);
  for (int i = 0; i < PROXIMAL && least > w->tolerance; i++) {
    rh_cone near = proximal_problem(cone, alpha, centre, W, b);
    w->cone = &near;
    w->least = HUGE_VAL;
    memcpy(w->p, centre, bytes);
    bool found = iterate_newton(w);
    if (!found) {
      memcpy(w->p, w->best, bytes);
      (void)rh_cone_sweep(&near, sweeps, w->p);
      found = iterate_newton(w);
    }
    w->cone = cone;
    memcpy(centre, w->best, bytes);
    double now = evaluate_residual(w, centre, w->u);
    if (now < least) {
      least = now;
      memcpy(answer, centre, bytes);
    }
    alpha = found ? fmax(0.3 * alpha, 1e-10) : fmin(4 * alpha, 10);
  }
  w->least = least;
  memcpy(w->best, answer, bytes);
  return least <= w->tolerance;
}

// In the normals alone. FAILED: nothing is known, and p is unchanged.
static rh_verdict solve_normals(const rh_cone *problem, double tolerance, double *space, double *p)
{
  size_t n = (size_t)problem->n;
  double *b = space + n * n;
  double *z = b + n;
  rh_lcp lcp = rh_cone_normals(problem, space, b);
  rh_verdict verdict = rh_lemke(&lcp, 0.1 * tolerance, z + n, z);
  double residual = rh_lcp_residual(&lcp, z);
  if (verdict == RH_VERDICT_NONE || residual <= tolerance) {
    double *old = z + n;
    memcpy(old, p, 3 * n * sizeof(double));
    rh_cone_spread(problem, z, p);
    if (verdict == RH_VERDICT_NONE || rh_cone_residual(problem, p) <= tolerance) {
      return verdict == RH_VERDICT_NONE ? verdict : RH_VERDICT_SOLVED;
    }
    memcpy(p, old, 3 * n * sizeof(double));
  }
  return RH_VERDICT_FAILED;
}

static rh_verdict solve_cone(const rh_cone *problem, const double *par, double *space, double *p)
{
  size_t n = (size_t)problem->n;
  size_t N = 3 * n;
  size_t bytes = N * sizeof(double);
  newton w = {.cone = problem, .tolerance = par[TOLERANCE], .steps = (int)par[STEPS], .p = p};
  int sweeps = (int)par[SWEEPS];
  w.u = space;
  w.next = w.u + N; // and as much after it for go_near
  w.best = w.next + 2 * N;
  w.rhs = w.best + N;
  w.dx = w.rhs + N;
  w.state = w.dx + N;
  w.first = w.state + n;
  w.M = w.first + n;
  double *W = w.M + N * N;
  double *b = W + N * N;
  double *centre = b + N;
  w.room = centre + N;
  w.least = HUGE_VAL;
  tidy_start(problem, p);
  if (rh_cone_is_lcp(problem) && rh_cone_residual(problem, p) > w.tolerance) {
    rh_verdict verdict = solve_normals(problem, w.tolerance, space, p);
    if (verdict != RH_VERDICT_FAILED) {
      return verdict;
    }
  }
  bool found = iterate_newton(&w);
  for (int i = 0; i < ROUNDS && !found; i++) {
    memcpy(p, w.best, bytes);
    (void)rh_cone_sweep(problem, sweeps, p);
    found = iterate_newton(&w);
    sweeps *= 4;
  }
  found = found || go_near(&w, (int)par[SWEEPS], centre, W, b);
  memcpy(p, w.best, bytes);
  return found ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
}

static rh_verdict solve_blocks(const rh_blocks *problem, const double *par, double *space,
                               double *p, rh_blocks_report *report)
{
  const rh_newton_limits limits = {par[TOLERANCE], (int)par[STEPS], (int)par[SWEEPS], 0, 0, 0};
  *report = (rh_blocks_report){.row = "alart-curnier"};
  return rh_newton_blocks(problem, &limits, space, p, report);
}

const rh_solver rh_solver_alart_curnier = {
    .row = {.name = "alart-curnier",
            .cite = "Alart and Curnier 1991",
            .doc =
                "contact with friction: semi-smooth Newton, then Gauss-Seidel and proximal steps",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = solver_room,
    .cone = solve_cone,
    .blocks = solve_blocks,
    .blocks_room = rh_newton_blocks_room,
};
