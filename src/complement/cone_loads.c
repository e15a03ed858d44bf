// cone_loads.c: the forces p of least norm within the cones of friction that keep all contacts at rest:
//   min |p|^2 / 2,  W p + b = 0,  p in K
// With W = G G' (pivoted Cholesky, G of the rank of W) the rows are G' p = c, G c = -b, and p = P(G y), P the
// projection on the cones, where y minimises the convex function |P(G y)|^2 / 2 - c y: Newton's method on
//   G' P(G y) = c
// in as many unknowns as W has rank, which for many contacts of few bodies is far below their rows.
// Left out: contacts that slide along a given direction.
#include "complement/cone.h"
#include "math/dense.h"

#include <string.h>

#define RANK 1e-11 // pivots below this part of the largest follow from the others

enum { STEPS = 40, HALVINGS = 12 };

typedef struct loads {
  const rh_cone *cone;
  int n, rank;                        // rows; columns of G
  double *G;                          // (n x rank), rows next to each other
  double *H;                          // (rank x rank)
  double *c, *y, *step, *left, *next; // (rank)
  double *rest;                       // diagonal of what is left of W, or G y (n)
  double *p;                          // (n)
} loads;

// ---- W = G G'

// In the first place columns next to each other, as they come. False: W p = -b has no answer.
static bool factor_inertia(loads *w, double *columns, int *pivot)
{
  const double *W = w->cone->W;
  size_t n = (size_t)w->n;
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    w->rest[i] = W[i * n + i];
  }
  for (w->rank = 0; w->rank < w->n; w->rank++) {
    size_t k = (size_t)w->rank;
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
      best = w->rest[i] > w->rest[best] ? i : best;
    }
    largest = k == 0 ? w->rest[best] : largest;
    if (!(w->rest[best] > RANK * largest)) {
      break;
    }
    double *g = columns + k * n;
    double root = sqrt(w->rest[best]);
    memcpy(g, W + best * n, n * sizeof *g);
    for (size_t j = 0; j < k; j++) {
      const double *before = columns + j * n;
      double by = before[best];
      for (size_t i = 0; i < n; i++) {
        g[i] -= by * before[i];
      }
    }
    for (size_t i = 0; i < n; i++) {
      g[i] /= root;
      w->rest[i] -= g[i] * g[i];
    }
    w->rest[best] = 0;
    pivot[k] = (int)best;
  }
  return w->rank > 0;
}

// G c = -b at the pivots, where G is a lower triangle
static void solve_demand(loads *w, const double *columns, const int *pivot)
{
  size_t n = (size_t)w->n;
  for (int k = 0; k < w->rank; k++) {
    double sum = -w->cone->b[pivot[k]];
    for (int j = 0; j < k; j++) {
      sum -= columns[(size_t)j * n + (size_t)pivot[k]] * w->c[j];
    }
    w->c[k] = sum / columns[(size_t)k * n + (size_t)pivot[k]];
  }
}

static void place_rows(loads *w, const double *columns)
{
  size_t n = (size_t)w->n;
  size_t rank = (size_t)w->rank;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < rank; k++) {
      w->G[i * rank + k] = columns[k * n + i];
    }
  }
}

// ---- The cones

// Nearest point of the cone of contact k to x, and the derivative D (3 x 3) if it is not null
static void project_force(const rh_cone *cone, int k, const double x[3], double p[3], double *D)
{
  double mu = cone->mu[k];
  double flat = rh_flat_length(x[0], x[1]);
  bool inside = flat <= mu * x[2];
  bool none = !inside && mu * flat <= -x[2];
  double part = 1 / (1 + mu * mu);
  double normal = inside ? x[2] : none ? 0 : part * (x[2] + mu * flat);
  double e[2] = {flat > 0 ? x[0] / flat : 0, flat > 0 ? x[1] / flat : 0};
  double along = flat > 0 ? mu * normal / flat : 0;
  for (int a = 0; a < 2; a++) {
    p[a] = inside ? x[a] : mu * normal * e[a];
  }
  p[2] = normal;
  if (!D) {
    return;
  }
  const double g[3] = {mu * e[0], mu * e[1], 1};
  const double q[3] = {-e[1], e[0], 0};
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      D[3 * a + b] = inside ? a == b : none ? 0 : part * g[a] * g[b] + along * q[a] * q[b];
    }
  }
}

// p = P(G y), and left = G' p - c; |p|^2 / 2 - c y
static double place_loads(loads *w, const double *y)
{
  size_t rank = (size_t)w->rank;
  double value = 0;
  for (size_t k = 0; k < rank; k++) {
    w->left[k] = -w->c[k];
    value -= w->c[k] * y[k];
  }
  for (int i = 0; i < w->n; i++) {
    const double *g = w->G + (size_t)i * rank;
    double sum = 0;
    for (size_t k = 0; k < rank; k++) {
      sum += g[k] * y[k];
    }
    w->rest[i] = sum;
  }
  for (int i = 0; i < w->n; i += 3) {
    project_force(w->cone, i / 3, w->rest + i, w->p + i, NULL);
    for (int a = 0; a < 3; a++) {
      const double *g = w->G + (size_t)(i + a) * rank;
      double p = w->p[i + a];
      value += 0.5 * p * p;
      for (size_t k = 0; k < rank && p != 0; k++) {
        w->left[k] += p * g[k];
      }
    }
  }
  return value;
}

// ---- Newton's method

static double length_of(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum);
}

// H = G' D G, its lower half; `more` of its largest diagonal entry is added to the diagonal.
static void fill_slope(loads *w, double more)
{
  size_t rank = (size_t)w->rank;
  double D[9];
  double p[3];
  double largest = 0;
  memset(w->H, 0, rank * rank * sizeof *w->H);
  for (int i = 0; i < w->n; i += 3) {
    const double *g = w->G + (size_t)i * rank;
    project_force(w->cone, i / 3, w->rest + i, p, D);
    if (D[8] == 0) {
      continue; // no force
    }
    for (size_t r = 0; r < rank; r++) {
      const double x[3] = {g[r], g[rank + r], g[2 * rank + r]};
      double d[3];
      for (int a = 0; a < 3; a++) {
        d[a] = D[3 * a] * x[0] + D[3 * a + 1] * x[1] + D[3 * a + 2] * x[2];
      }
      double *row = w->H + r * rank;
      for (size_t s = 0; s <= r && (d[0] != 0 || d[1] != 0 || d[2] != 0); s++) {
        row[s] += d[0] * g[s] + d[1] * g[rank + s] + d[2] * g[2 * rank + s];
      }
    }
  }
  for (size_t r = 0; r < rank; r++) {
    largest = fmax(largest, w->H[r * (rank + 1)]);
  }
  for (size_t r = 0; r < rank; r++) {
    w->H[r * (rank + 1)] += more * largest;
  }
}

// One step from y, at which `value` and left are known. False: none makes it less.
static bool take_step(loads *w, double *value)
{
  int rank = w->rank;
  double off = length_of(rank, w->left);
  double more = fmax(1e-13, fmin(1e-4, 1e-3 * off / length_of(rank, w->c)));
  for (fill_slope(w, more); !rh_cholesky(rank, w->H); fill_slope(w, more)) {
    more *= 100;
    if (!(more < 1)) {
      return false;
    }
  }
  memcpy(w->step, w->left, (size_t)rank * sizeof *w->step);
  rh_cholesky_solve(rank, w->H, w->step);
  double slope = 0;
  for (int k = 0; k < rank; k++) {
    slope -= w->step[k] * w->left[k];
  }
  double t = 1;
  for (int i = 0; i <= HALVINGS; i++) {
    for (int k = 0; k < rank; k++) {
      w->next[k] = w->y[k] - t * w->step[k];
    }
    double now = place_loads(w, w->next);
    // near the end the values differ by rounding: there what is left of the rows counts
    if (now <= *value + 1e-4 * t * slope || length_of(rank, w->left) < 0.5 * off) {
      memcpy(w->y, w->next, (size_t)rank * sizeof *w->y);
      *value = now;
      return true;
    }
    t *= 0.5;
  }
  return false;
}

size_t rh_cone_loads_room(int n)
{
  size_t rows = 3 * (size_t)n;
  return 2 * rows * rows + 7 * rows;
}

static double worst_row(const rh_cone *problem, const double *p)
{
  double worst = 0;
  for (int k = 0; k < problem->n; k++) {
    double u[3];
    rh_cone_rows(problem, k, p, u);
    worst = fmax(worst, fmax(fabs(u[2]), rh_flat_length(u[0], u[1])));
  }
  return worst;
}

bool rh_cone_loads(const rh_cone *problem, double still, double *room, double *p)
{
  size_t rows = 3 * (size_t)problem->n;
  loads w = {.cone = problem, .n = (int)rows, .p = p};
  double *columns = room + rows * rows; // until H takes its place
  w.G = room;
  w.H = columns;
  w.c = columns + rows * rows;
  w.y = w.c + rows;
  w.step = w.y + rows;
  w.left = w.step + rows;
  w.next = w.left + rows;
  w.rest = w.next + rows;
  int *pivot = (int *)(void *)(w.rest + rows);
  if (!factor_inertia(&w, columns, pivot)) {
    return false;
  }
  solve_demand(&w, columns, pivot);
  place_rows(&w, columns);
  memset(w.y, 0, rows * sizeof *w.y);
  double value = place_loads(&w, w.y);
  double enough = 1e-15 * length_of(w.rank, w.c);
  for (int i = 0; i < STEPS; i++) {
    if (length_of(w.rank, w.left) <= enough || worst_row(problem, p) <= 1e-3 * still) {
      break;
    }
    if (!take_step(&w, &value)) {
      (void)place_loads(&w, w.y); // the forces of y, not of the last try
      break;
    }
  }
  return worst_row(problem, p) <= still;
}
