// multi_contact_part.c: shared by the formulations of impacts at many points: the order of the
// points, the cone solvers in turn, the final plastic impact, and the determined part of the
// impulses.
#include "math/dense.h"
#include "multi_contact.h"
#include "proximal.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-13 // of the largest velocity: no approach

bool rh_many_open(const rh_many_in *in, double *p, double *u_after, rh_many_out *out)
{
  const size_t bytes = 3 * (size_t)in->n * sizeof(double);
  bool approaches = false;
  memset(out, 0, sizeof *out);
  memset(p, 0, bytes);
  memcpy(u_after, in->u, bytes);
  if (in->lost != NULL) {
    memset(in->lost, 0, 2 * (size_t)in->n * sizeof(double));
  }
  if (in->share != NULL) {
    memset(in->share, 0, (size_t)in->n * sizeof(double));
  }
  out->scale = 1;
  for (int i = 0; i < in->n; i++) {
    approaches = approaches || in->u[3 * i + 2] < 0;
  }
  return approaches;
}

bool rh_many_early(const rh_many_in *in)
{
  bool any = false;
  for (int i = 0; i < in->n; i++) {
    any = any || in->e[i] < 0;
  }
  return any;
}

// ---- Order

// Negative: i is before j; by velocity, the point's own block of W, mu, e and weight.
static int compare_points(const rh_many_in *in, int i, int j)
{
  const size_t rows = 3 * (size_t)in->n;
  for (int k = 2; k >= 0; k--) {
    double d = in->u[3 * i + k] - in->u[3 * j + k];
    if (d != 0) {
      return d < 0 ? -1 : 1;
    }
  }
  for (int k = 0; k < 9; k++) {
    size_t row = (size_t)(k / 3);
    size_t column = (size_t)(k % 3);
    double d = in->W[(3 * (size_t)i + row) * rows + 3 * (size_t)i + column] -
               in->W[(3 * (size_t)j + row) * rows + 3 * (size_t)j + column];
    if (d != 0) {
      return d < 0 ? -1 : 1;
    }
  }
  if (in->mu[i] != in->mu[j]) {
    return in->mu[i] < in->mu[j] ? -1 : 1;
  }
  if (in->weight != NULL && in->weight[i] != in->weight[j]) {
    return in->weight[i] < in->weight[j] ? -1 : 1;
  }
  if (in->place != NULL && in->place[i].factor != in->place[j].factor) {
    return in->place[i].factor < in->place[j].factor ? -1 : 1;
  }
  return in->e[i] < in->e[j] ? -1 : in->e[i] > in->e[j];
}

void rh_many_order(const rh_many_in *in, double *order)
{
  for (int i = 0; i < in->n; i++) { // by insertion: there are few
    int k = i;
    for (; k > 0 && compare_points(in, i, (int)order[k - 1]) < 0; k--) {
      order[k] = order[k - 1];
    }
    order[k] = i;
  }
}

void rh_many_arrange(const rh_many_in *in, const double *order, double *W, double *u)
{
  const size_t rows = 3 * (size_t)in->n;
  for (size_t i = 0; i < rows; i++) {
    size_t from = 3 * (size_t)order[i / 3] + i % 3;
    for (size_t j = 0; j < rows; j++) {
      W[i * rows + j] = in->W[from * rows + 3 * (size_t)order[j / 3] + j % 3];
    }
    u[i] = in->u[from];
  }
}

// ---- Cones

static size_t max_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

size_t rh_many_cone_room(int n)
{
  size_t solver = max_size(rh_solver_alart_curnier.room(n), rh_solver_gauss_seidel.room(n));
  return 4 * (size_t)n + solver;
}

static bool attempt_solver(const char *name, const rh_cone *cone, double *room, double *p)
{
  const rh_solver *solver = rh_solver_find(name);
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  return solver->cone(cone, par, room, p) == RH_VERDICT_SOLVED;
}

// Friction grows from none, by parts, each result the start of the next.
static bool grow_friction(const rh_cone *cone, int parts, double *room, double *p)
{
  double *less = room;
  rh_cone part = *cone;
  bool good = false;
  for (int i = 0; i <= parts; i++) {
    part.mu = i < parts ? less : cone->mu;
    for (int k = 0; k < cone->n; k++) {
      less[k] = (double)i / parts * cone->mu[k];
    }
    good = attempt_solver("alart-curnier", &part, room + cone->n, p);
  }
  return good;
}

// If Newton's method fails, friction grows by quarters; then Gauss-Seidel; then from nothing by
// sixteenths. False: p is the best of the first and the last.
bool rh_many_cone(const rh_cone *cone, double *room, double *p)
{
  const size_t bytes = 3 * (size_t)cone->n * sizeof(double);
  double *best = room;
  double *rest = room + 3 * (size_t)cone->n;
  if (attempt_solver("alart-curnier", cone, rest + cone->n, p)) {
    return true;
  }
  double residual = rh_cone_residual(cone, p);
  memcpy(best, p, bytes);
  bool good =
      grow_friction(cone, 4, rest, p) || attempt_solver("gauss-seidel", cone, rest + cone->n, p);
  if (!good) {
    memset(p, 0, bytes);
    good = grow_friction(cone, 16, rest, p) ||
           attempt_solver("alart-curnier", cone, rest + cone->n, p);
  }
  if (!good && residual < rh_cone_residual(cone, p)) {
    memcpy(p, best, bytes);
  }
  return good;
}

static void velocities_after(const rh_many_in *in, const double *p, double *u)
{
  const size_t rows = 3 * (size_t)in->n;
  for (size_t i = 0; i < rows; i++) {
    double sum = in->u[i];
    for (size_t j = 0; j < rows; j++) {
      sum += in->W[i * rows + j] * p[j];
    }
    u[i] = sum;
  }
}

size_t rh_many_plastic_room(int n)
{
  return 3 * (size_t)n + rh_many_cone_room(n);
}

bool rh_many_plastic(const rh_many_in *in, double *room, double *p, double *u_after, bool leave)
{
  const int rows = 3 * in->n;
  double speed = 0;
  double least = 0;
  velocities_after(in, p, u_after);
  for (int i = 0; i < rows; i++) {
    speed = fmax(speed, fabs(in->u[i]));
    least = i % 3 == 2 ? fmin(least, u_after[i]) : least;
  }
  if (leave || least >= -ROUNDING * speed) {
    return true;
  }
  double *more = room;
  memset(more, 0, (size_t)rows * sizeof(double));
  const rh_cone cone = {.n = in->n, .W = in->W, .b = u_after, .mu = in->mu};
  bool good = rh_many_cone(&cone, room + rows, more);
  for (int i = 0; i < rows; i++) {
    p[i] += more[i];
  }
  velocities_after(in, p, u_after);
  return good || least >= -1e-5 * speed; // a very small approach may stay
}

// ---- Losses

void rh_many_add_losses(int n, const double *p, const double *a, const double *b, double *lost)
{
  for (int i = 0; i < 3 * n; i++) {
    lost[2 * (i / 3) + (i % 3 != 2)] -= 0.5 * p[i] * (a[i] + b[i]);
  }
}

// Friction takes the integration error if it is small against friction's losses.
static bool friction_takes(double friction, double open)
{
  return friction > 0 && fabs(open) <= 0.5 * friction;
}

void rh_many_close_losses(const rh_many_in *in, const double *p, const double *u_after,
                          double *lost, rh_many_out *out)
{
  double all = 0;
  double normal = 0;
  double friction = 0;
  double impulse = 0;
  for (int i = 0; i < 3 * in->n; i++) {
    all -= 0.5 * p[i] * (in->u[i] + u_after[i]);
    impulse += i % 3 == 2 ? p[i] : 0;
  }
  for (int i = 0; i < in->n; i++) {
    normal += lost[2 * i];
    friction += lost[2 * i + 1];
  }
  double open = all - normal - friction;
  bool takes = friction_takes(friction, open);
  out->Dn = 0;
  out->Dt = 0;
  for (int i = 0; i < in->n; i++) {
    if (takes) {
      lost[2 * i + 1] *= 1 + open / friction;
    } else if (impulse > 0) {
      lost[2 * i] += open * p[3 * i + 2] / impulse;
    }
    out->Dn += lost[2 * i];
    out->Dt += lost[2 * i + 1];
  }
  if (in->lost != NULL) {
    memcpy(in->lost, lost, 2 * (size_t)in->n * sizeof(double));
  }
}

// ---- Determined impulses

size_t rh_many_free_room(int n)
{
  size_t N = 3 * (size_t)n;
  return 2 * N * N + 2 * N;
}

int rh_many_free(const rh_many_in *in, const double *p, const double *order, double *room)
{
  const size_t rows = 3 * (size_t)in->n;
  double *which = room;
  double *B = which + rows;
  double *W = B + rows * rows;
  int count = 0;
  double most = 0;
  for (int i = 0; i < in->n; i++) {
    most = fmax(most, p[3 * i + 2]);
  }
  for (int i = 0; i < in->n; i++) {
    int k = order != NULL ? (int)order[i] : i;
    for (int axis = in->mu[k] > 0 ? 0 : 2; axis < 3 && p[3 * i + 2] > 1e-9 * most; axis++) {
      which[count++] = 3 * k + axis;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      W[i * count + j] = in->W[(size_t)which[i] * rows + (size_t)which[j]];
    }
  }
  return count == 0 ? 0 : count - rh_basis(count, W, B, W + rows * rows);
}

size_t rh_many_determined_room(int n)
{
  size_t N = 3 * (size_t)n;
  return 2 * N * N + 2 * N;
}

void rh_many_determined(const rh_many_in *in, double *room, const double *p, double *determined)
{
  const int rows = 3 * in->n;
  double *B = room;
  double *G = B + (size_t)rows * (size_t)rows;
  double *x = G + (size_t)rows * (size_t)rows;
  const int r = rh_basis(rows, in->W, B, x);
  for (int i = 0; i < r; i++) { // G = B'B, x = B'p
    x[i] = 0;
    for (int k = 0; k < rows; k++) {
      x[i] += B[k * r + i] * p[k];
    }
    for (int j = 0; j < r; j++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) {
        sum += B[k * r + i] * B[k * r + j];
      }
      G[i * r + j] = sum;
    }
  }
  if (r > 0 && rh_cholesky(r, G)) {
    rh_cholesky_solve(r, G, x);
  }
  for (int k = 0; k < rows; k++) {
    double sum = 0;
    for (int i = 0; i < r; i++) {
      sum += B[k * r + i] * x[i];
    }
    determined[k] = sum;
  }
}

// ---- Pairs of points

// The interaction of two points along the line between them is not determined; it is taken as zero:
//   dp_q (Z - mu_q u_q.d) = dp_r (Z - mu_r u_r.d),  (d, Z) = P_r - P_q [Ch] 2.18*
double rh_pair_factor(const rh_pair *x, bool printed)
{
  double d[2] = {x->P_r[0] - x->P_q[0], x->P_r[1] - x->P_q[1]};
  double Z = (printed ? -1 : 1) * (x->P_r[2] - x->P_q[2]);
  double top = x->mu_r * (rh_cos(x->phi_r) * d[0] + rh_sin(x->phi_r) * d[1]) - Z;
  double below = x->mu_q * (rh_cos(x->phi_q) * d[0] + rh_sin(x->phi_q) * d[1]) - Z;
  return below != 0 ? top / below : (double)NAN;
}
