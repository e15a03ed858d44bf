// proximal.c: friction at many points as a strictly convex problem in z (proximal.h): a semi-smooth Newton method on its gradient
//   g(z) = z - start - sum_i B_i' P_i(a_i - sigma_i u_i(z)),   H = 1 + sum_i sigma_i B_i' DP_i B_i
// P_i the projection on the set of point i, a_i its anchor. g is the gradient of a convex function,
// so that the sign of the slope shows a step that is too long.
// Dependent points are allowed: H is at least the identity. Their impulses stay as near to their
// anchors as possible.
#include "proximal.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { SEARCH = 20 };

// ---- W = B B'

int rh_basis(int N, const double *W, double *B, double *room)
{
  const double RANK = 1e-12; // of the largest diagonal entry
  double *left = room;       // diagonal of W - B B' so far
  double most = 0;
  int r = 0;
  memset(B, 0, (size_t)N * (size_t)N * sizeof(double));
  for (int i = 0; i < N; i++) {
    left[i] = W[(size_t)i * (size_t)N + (size_t)i];
    most = fmax(most, left[i]);
  }
  for (; r < N; r++) {
    int k = 0;
    for (int i = 1; i < N; i++) {
      k = left[i] > left[k] ? i : k;
    }
    if (!(left[k] > RANK * most)) {
      break;
    }
    double pivot = sqrt(left[k]);
    const double *Bk = B + (size_t)k * (size_t)N;
    for (int i = 0; i < N; i++) {
      double *Bi = B + (size_t)i * (size_t)N;
      double sum = W[(size_t)i * (size_t)N + (size_t)k];
      for (int c = 0; c < r; c++) {
        sum -= Bi[c] * Bk[c];
      }
      Bi[r] = i == k ? pivot : sum / pivot;
      left[i] = i == k ? 0 : left[i] - Bi[r] * Bi[r];
    }
  }
  for (int i = 1; i < N; i++) { // close up the rows
    memmove(B + (size_t)i * (size_t)r, B + (size_t)i * (size_t)N, (size_t)r * sizeof(double));
  }
  return r;
}

// ---- Projections: p = P(w), D = DP(w) (3 x 3)

static void project_on_disc(double radius, const double w[3], double p[3], double D[9])
{
  double length = sqrt(w[0] * w[0] + w[1] * w[1]);
  memset(D, 0, 9 * sizeof(double));
  p[2] = 0;
  if (length <= radius) {
    p[0] = w[0];
    p[1] = w[1];
    D[0] = D[4] = 1;
    return;
  }
  double c = w[0] / length;
  double s = w[1] / length;
  double f = radius / length;
  p[0] = radius * c;
  p[1] = radius * s;
  D[0] = f * s * s;
  D[1] = D[3] = -f * c * s;
  D[4] = f * c * c;
}

static void project_on_cone(double mu, const double w[3], double p[3], double D[9])
{
  double length = sqrt(w[0] * w[0] + w[1] * w[1]);
  memset(D, 0, 9 * sizeof(double));
  if (length <= mu * w[2]) {
    memcpy(p, w, 3 * sizeof(double));
    D[0] = D[4] = D[8] = 1;
  } else if (mu * length <= -w[2]) {
    p[0] = p[1] = p[2] = 0;
  } else {
    double t[2] = {w[0] / length, w[1] / length};
    double scale = 1 / (1 + mu * mu);
    double pn = (mu * length + w[2]) * scale;
    double f = mu * pn / length;
    p[0] = mu * pn * t[0];
    p[1] = mu * pn * t[1];
    p[2] = pn;
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        D[3 * i + j] = mu * mu * scale * t[i] * t[j] + f * ((i == j) - t[i] * t[j]);
      }
      D[3 * i + 2] = D[6 + i] = mu * scale * t[i];
    }
    D[8] = scale;
  }
}

// ---- Newton

typedef struct newton {
  const rh_prox *x;
  double *g, *d, *try, *H; // (r), (r), (r), (r x r)
  double *anchor;          // (3n)
  double *across;          // (r)
} newton;

size_t rh_prox_room(int n, int r)
{
  return 4 * (size_t)r + (size_t)r * (size_t)r + 3 * (size_t)n;
}

static void add_point(const newton *w, int i, const double D[9], double *H)
{
  const rh_prox *x = w->x;
  const double *b = x->B + (size_t)(3 * i) * (size_t)x->r;
  const int r = x->r;
  for (int row = 0; row < r; row++) {
    double c[3];
    for (int k = 0; k < 3; k++) {
      c[k] = x->sigma[i] * (D[k] * b[row] + D[3 + k] * b[r + row] + D[6 + k] * b[2 * r + row]);
    }
    for (int col = 0; col <= row; col++) {
      H[row * r + col] += c[0] * b[col] + c[1] * b[r + col] + c[2] * b[2 * r + col];
    }
  }
}

// H += scale b b', below the diagonal
static void add_row(double scale, const double *b, int r, double *H)
{
  for (int row = 0; row < r; row++) {
    double c = scale * b[row];
    double *to = H + (ptrdiff_t)row * r;
    for (int col = 0; col <= row; col++) {
      to[col] += c * b[col];
    }
  }
}

// A disc: friction that slips changes across the slip alone.
static void add_disc(const newton *w, int i, const double D[9], double *H)
{
  const rh_prox *x = w->x;
  const int r = x->r;
  const double *b = x->B + (size_t)(3 * i) * (size_t)r;
  if (D[1] == 0 && D[0] == D[4]) {
    add_row(x->sigma[i] * D[0], b, r, H);
    add_row(x->sigma[i] * D[4], b + r, r, H);
    return;
  }
  double most = D[0] > D[4] ? D[0] : D[4]; // D = v v' over it, v its longer row
  const double *v = D[0] > D[4] ? D : D + 3;
  for (int k = 0; k < r; k++) {
    w->across[k] = v[0] * b[k] + v[1] * b[r + k];
  }
  add_row(x->sigma[i] / most, w->across, r, H);
}

// p, the gradient and H at z
static void evaluate_gradient(const newton *w, const double *z, double *p, double *H)
{
  const rh_prox *x = w->x;
  const int r = x->r;
  memset(H, 0, (size_t)r * (size_t)r * sizeof(double));
  for (int k = 0; k < r; k++) {
    w->g[k] = z[k] - x->start[k];
    H[k * r + k] = 1;
  }
  for (int i = 0; i < x->n; i++) {
    double v[3];
    double D[9];
    double *own = p + (ptrdiff_t)3 * i;
    const double *a = w->anchor + (ptrdiff_t)3 * i;
    const double *b = x->B + (size_t)(3 * i) * (size_t)r;
    if (x->mu == NULL && !(x->radius[i] > 0)) {
      own[0] = own[1] = own[2] = 0;
      continue;
    }
    double u[3] = {x->u0[3 * i], x->u0[3 * i + 1], x->u0[3 * i + 2]};
    if (x->mu != NULL) {
      for (int c = 0; c < r; c++) {
        u[2] += b[2 * r + c] * z[c];
      }
    }
    for (int c = 0; c < r; c++) { // sums that do not wait for each other
      u[0] += b[c] * z[c];
      u[1] += b[r + c] * z[c];
    }
    for (int k = 0; k < 3; k++) {
      v[k] = a[k] - x->sigma[i] * u[k];
    }
    if (x->mu != NULL) {
      project_on_cone(x->mu[i], v, own, D);
      add_point(w, i, D, H);
    } else {
      project_on_disc(x->radius[i], v, own, D);
      add_disc(w, i, D, H);
    }
    for (int c = 0; c < r; c++) {
      w->g[c] -= b[c] * own[0] + b[r + c] * own[1] + b[2 * r + c] * own[2];
    }
  }
}

static double largest_size(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static double slope_along_step(const newton *w)
{
  double sum = 0;
  for (int k = 0; k < w->x->r; k++) {
    sum -= w->g[k] * w->d[k];
  }
  return sum;
}

// One step along -d: to where the slope is less than half, by slopes alone, because values reach
// their rounding long before slopes do. g and H are those of the new z.
static void search_along_step(const newton *w, double *z, double *p)
{
  const int r = w->x->r;
  double first = slope_along_step(w);
  double lo = 0;
  double at_lo = first;
  double hi = 1;
  double at_hi = 0;
  double t = 1;
  for (int i = 0; i < SEARCH; i++) {
    for (int k = 0; k < r; k++) {
      w->try[k] = z[k] - t * w->d[k];
    }
    evaluate_gradient(w, w->try, p, w->H);
    double at = slope_along_step(w);
    if (fabs(at) <= 0.5 * fabs(first) || (at < 0 && (t == 1 || hi - t < 0.2 * t))) {
      break;
    }
    if (at < 0) {
      lo = t;
      at_lo = at;
    } else {
      hi = t;
      at_hi = at;
    }
    double part = at_hi > 0 ? -at_lo / (at_hi - at_lo) : 0.5;
    t = lo + fmin(fmax(part, 0.1), 0.9) * (hi - lo);
  }
  memcpy(z, w->try, (size_t)r * sizeof(double));
}

bool rh_prox_solve(const rh_prox *x, double *z, double *p)
{
  const int r = x->r;
  newton w = {.x = x, .g = x->room};
  w.d = w.g + r;
  w.try = w.d + r;
  w.H = w.try + r;
  w.anchor = w.H + (ptrdiff_t)r * r;
  w.across = w.anchor + (ptrdiff_t)3 * x->n;
  memcpy(w.anchor, p, 3 * (size_t)x->n * sizeof(double));
  double last = HUGE_VAL;
  evaluate_gradient(&w, z, p, w.H);
  for (int step = 0; step <= x->steps; step++) {
    double rest = largest_size(w.g, r);
    for (int k = 0; k < r; k++) {
      if (!isfinite(w.g[k])) {
        return false;
      }
    }
    if (rest <= x->small || (rest <= 1e3 * x->small && rest >= 0.5 * last)) {
      return true;
    }
    last = rest;
    memcpy(w.d, w.g, (size_t)r * sizeof(double));
    if (step == x->steps || !rh_cholesky(r, w.H)) {
      break;
    }
    rh_cholesky_solve(r, w.H, w.d);
    search_along_step(&w, z, p);
  }
  return last <= 1e3 * x->small;
}
