// The collision map [CSC] (15) to (21): all selected contacts obey u+ = -e u at once, independent
// or not. W of rank r is factored by a Cholesky factorisation with pivots, which reads r of its
// columns, and that factor by Gram and Schmidt: W = L L' = Q R R' Q'. The impulse of least norm,
// W^+ b = Q R^-T R^-1 Q'b, then costs two triangular solves, of the condition of L and not of its
// square. Work: n r^2; no iteration.
// Rank: the remainder of a diagonal entry W_ii after k columns is accurate to about k roundings of
// W_ii, whatever the others are. So a row is compared with its own W_ii: contacts of a gram next to
// those of a ton do not count as dependent.
// Left out: friction and complementarity (map/collision_map_more.c).
#include "collision_map.h"

#include "impact/map/collision_map_part.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define PULLS    1e-10 // of the largest impulse: below that it is rounding
#define ROUNDING 1e-14 // of the terms that the energy is the sum of

bool rh_collide_takes(const rh_collide_in *in, int i)
{
  double u = in->approach != NULL ? in->approach[i] : in->u[i];
  switch (in->select) {
  case RH_COLLIDE_STRICT:
    return u < 0;
  case RH_COLLIDE_CLOSED:
    return u <= in->closed;
  default:
    return true;
  }
}

static int most_rank(int n, int nv)
{
  return nv > 0 && nv < n ? nv : n;
}

size_t rh_collide_room(int n, int nv)
{
  size_t m = (size_t)n;
  size_t r = (size_t)most_rank(n, nv);
  return m * r + 3 * r * r + 6 * m + 4 * r;
}

static rh_collide_work lay_out(const rh_collide_in *in, double *room)
{
  rh_collide_work w = {.most = most_rank(in->n, in->nv)};
  size_t m = (size_t)in->n;
  size_t r = (size_t)w.most;
  w.row = room;
  w.left = w.row + m;
  w.inverse = w.left + m;
  w.u = w.inverse + m;
  w.want = w.u + m;
  w.plastic = w.want + m;
  w.uh = w.plastic + m;
  w.wh = w.uh + r;
  w.x = w.wh + r;
  w.y = w.x + r;
  w.R = w.y + r;
  w.S = w.R + r * r;
  w.T = w.S + r * r;
  w.Q = w.T + r * r;
  return w;
}

// ---- Small vectors. Four sums at a time, always in the same order.

double rh_collide_dot(int n, const double *a, const double *b)
{
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    sum[0] += a[i] * b[i];
    sum[1] += a[i + 1] * b[i + 1];
    sum[2] += a[i + 2] * b[i + 2];
    sum[3] += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) {
    sum[0] += a[i] * b[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void rh_collide_add(int n, double s, const double *a, double *b)
{
  for (int i = 0; i < n; i++) {
    b[i] += s * a[i];
  }
}

void rh_collide_down(const rh_collide_work *w, const double *x, double *xh)
{
  for (int k = 0; k < w->rank; k++) {
    xh[k] = rh_collide_dot(w->m, w->Q + (size_t)k * w->m, x);
  }
}

void rh_collide_up(const rh_collide_work *w, const double *xh, double *x)
{
  memset(x, 0, (size_t)w->m * sizeof(double));
  for (int k = 0; k < w->rank; k++) {
    rh_collide_add(w->m, xh[k], w->Q + (size_t)k * w->m, x);
  }
}

// x := R^-1 x
static void solve_upper(const rh_collide_work *w, double *x)
{
  for (int i = w->rank - 1; i >= 0; i--) {
    const double *r = w->R + (size_t)i * w->rank;
    for (int k = i + 1; k < w->rank; k++) {
      x[i] -= r[k] * x[k];
    }
    x[i] /= r[i];
  }
}

// x := R^-T x
static void solve_lower(const rh_collide_work *w, double *x)
{
  for (int i = 0; i < w->rank; i++) {
    const double *r = w->R + (size_t)i * w->rank;
    x[i] /= r[i];
    for (int k = i + 1; k < w->rank; k++) {
      x[k] -= r[k] * x[i];
    }
  }
}

// x'W^+ x = |R^-1 x^|^2; `scratch` (rank) gets R^-1 x^.
static double size_of(const rh_collide_work *w, const double *xh, double *scratch)
{
  memcpy(scratch, xh, (size_t)w->rank * sizeof(double));
  solve_upper(w, scratch);
  return rh_collide_dot(w->rank, scratch, scratch);
}

// ---- The factors

// Selects the rows and their diagonal of W. False: it is not finite.
static bool choose_rows(const rh_collide_in *in, rh_collide_work *w)
{
  bool good = true;
  for (int i = 0; i < in->n; i++) {
    if (rh_collide_takes(in, i)) {
      double diagonal = in->W[(size_t)i * in->n + i];
      good = good && isfinite(diagonal);
      w->row[w->m] = i;
      w->u[w->m] = in->u[i];
      w->left[w->m] = diagonal;
      w->inverse[w->m] = diagonal > 0 ? 1 / diagonal : 0; // an immovable contact is never a pivot
      w->m++;
    }
  }
  w->most = most_rank(w->m, w->most);
  return good;
}

// Column k of L from row `pivot` of W. The entries of earlier pivot rows are zero.
static void compute_column(const rh_collide_in *in, rh_collide_work *w, int k, int pivot)
{
  const int m = w->m;
  const double *W = in->W + (size_t)w->row[pivot] * in->n;
  double *c = w->Q + (size_t)k * m;
  for (int i = 0; i < m; i++) {
    c[i] = W[(int)w->row[i]];
  }
  for (int j = 0; j < k; j++) {
    const double *l = w->Q + (size_t)j * m;
    rh_collide_add(m, -l[pivot], l, c);
  }
  double root = sqrt(w->left[pivot]);
  double scale = 1 / root;
  for (int i = 0; i < m; i++) {
    c[i] = isinf(w->left[i]) ? 0 : c[i] * scale;
    w->left[i] -= c[i] * c[i];
  }
  c[pivot] = root;
  w->left[pivot] = -HUGE_VAL;
}

// W = L L' with pivots: the row with the largest remaining share comes next.
static void factor_with_pivots(const rh_collide_in *in, rh_collide_work *w)
{
  const double tol = in->rank_tol > 0 ? in->rank_tol : RH_COLLIDE_TOL;
  for (w->rank = 0; w->rank < w->most; w->rank++) {
    int best = 0;
    double share = 0;
    for (int i = 0; i < w->m; i++) {
      double s = w->left[i] * w->inverse[i];
      if (s > share) {
        share = s;
        best = i;
      }
    }
    if (!(share > tol)) {
      break;
    }
    compute_column(in, w, w->rank, best);
  }
}

// L = Q R, each column twice against those before it: orthogonal to rounding.
static void orthogonalise_columns(rh_collide_work *w)
{
  const int m = w->m;
  const int r = w->rank;
  memset(w->R, 0, (size_t)r * r * sizeof(double));
  for (int k = 0; k < r; k++) {
    double *q = w->Q + (size_t)k * m;
    for (int i = 0; i < 2 * k; i++) {
      const double *before = w->Q + (size_t)(i % k) * m;
      double along = rh_collide_dot(m, before, q);
      rh_collide_add(m, -along, before, q);
      w->R[(size_t)(i % k) * r + k] += along;
    }
    double length = sqrt(rh_collide_dot(m, q, q));
    double scale = 1 / length;
    w->R[(size_t)k * r + k] = length;
    for (int i = 0; i < m; i++) {
      q[i] *= scale;
    }
  }
}

// ---- Wanted velocity, and its impulse

// want = s E u and its part in the range of W; s is returned.
static double set_wanted_velocity(const rh_collide_in *in, rh_collide_work *w)
{
  double most = 0;
  double scale = 1;
  rh_collide_down(w, w->u, w->uh);
  if (in->rule == RH_COLLIDE_SQRT) {
    rh_collide_sqrt(w, in->e);
    return scale;
  }
  for (int i = 0; i < w->m; i++) {
    double e = in->e[(int)w->row[i]];
    w->want[i] = e * w->u[i];
    most = fmax(most, fabs(e));
  }
  rh_collide_down(w, w->want, w->wh);
  if (in->rule == RH_COLLIDE_CLAMPED) {
    double before = most * sqrt(size_of(w, w->uh, w->x));
    double after = sqrt(size_of(w, w->wh, w->x));
    scale = after > before ? before / after : 1;
    for (int i = 0; i < w->m; i++) {
      w->want[i] *= scale;
    }
    for (int k = 0; k < w->rank; k++) {
      w->wh[k] *= scale;
    }
  }
  return scale;
}

static bool factor_damped(rh_collide_work *w, double lambda)
{
  const int r = w->rank;
  for (int i = 0; i < r; i++) {
    for (int k = 0; k <= i; k++) {
      double sum = rh_collide_dot(r, w->R + (size_t)i * r, w->R + (size_t)k * r);
      w->S[(size_t)i * r + k] = sum + (i == k ? lambda : 0);
    }
  }
  return rh_cholesky(r, w->S);
}

// p = -W^+ (u + s want) by all rows, W^+ = Q R^-T R^-1 Q'; damped: -Q (R R' + lambda)^-1 Q' (u + s
// want), without the part of u in the null space of W, which has no effect.
static void compute_impulse(const rh_collide_in *in, rh_collide_work *w, double s, double *p)
{
  for (int k = 0; k < w->rank; k++) {
    w->y[k] = -(w->uh[k] + s * w->wh[k]);
  }
  if (in->damping > 0) {
    rh_cholesky_solve(w->rank, w->S, w->y);
  } else {
    solve_upper(w, w->y);
    solve_lower(w, w->y);
  }
  rh_collide_up(w, w->y, w->left);
  memset(p, 0, (size_t)in->n * sizeof(double));
  for (int i = 0; i < w->m; i++) {
    p[(int)w->row[i]] = w->left[i];
  }
}

// ---- Result

void rh_collide_account(const rh_collide_in *in, const double *p, double *u_after,
                        rh_collide_out *out)
{
  double largest = 0;
  double size = 0;  // sum |p| |u|
  double reach = 0; // sum sqrt(W_ii) |p_i|: its square is above sum |p| |W| |p|
  *out = (rh_collide_out){.scale = out->scale};
  memcpy(u_after, in->u, (size_t)in->n * sizeof(double));
  for (int i = 0; i < in->n; i++) {
    if (p[i] != 0) {
      rh_collide_add(in->n, p[i], in->W + (size_t)i * in->n, u_after);
    }
    largest = fmax(largest, fabs(p[i]));
  }
  for (int i = 0; i < in->n; i++) {
    out->chosen += rh_collide_takes(in, i);
    out->negative += p[i] < -PULLS * largest;
    out->loss -= p[i] * (in->u[i] + u_after[i]) / 2;
    out->driven -= in->prescribed != NULL ? p[i] * in->prescribed[i] : 0;
    size += fabs(p[i] * in->u[i]);
    reach += sqrt(fmax(in->W[(size_t)i * in->n + i], 0)) * fabs(p[i]);
  }
  out->gained = out->loss < -ROUNDING * (size + reach * reach);
}

// With d = p - plastic the energy gained at plastic + s d is C + B s + A s^2, A = 1/2 d'Wd >= 0; C <= 0.
double rh_collide_spare(const rh_collide_in *in, const double *plastic, double *p, double *scratch)
{
  double A = 0;
  double B = 0;
  double C = 0;
  memset(scratch, 0, (size_t)in->n * sizeof(double));
  for (int i = 0; i < in->n; i++) {
    rh_collide_add(in->n, p[i] - plastic[i], in->W + (size_t)i * in->n, scratch);
  }
  for (int i = 0; i < in->n; i++) {
    double d = p[i] - plastic[i];
    A += d * scratch[i] / 2;
    B += d * in->u[i] + plastic[i] * scratch[i];
  }
  memcpy(scratch, in->u, (size_t)in->n * sizeof(double));
  for (int i = 0; i < in->n; i++) {
    rh_collide_add(in->n, plastic[i], in->W + (size_t)i * in->n, scratch);
  }
  for (int i = 0; i < in->n; i++) {
    C += plastic[i] * (in->u[i] + scratch[i]) / 2;
  }
  C = fmin(C, 0);
  double root = sqrt(fmax(B * B - 4 * A * C, 0));
  double s = B > 0 ? -2 * C / (B + root) : (root - B) / (2 * A);
  s = s >= 0 && s <= 1 ? s : 0; // no difference: 0/0
  for (int i = 0; i < in->n; i++) {
    p[i] = plastic[i] + s * (p[i] - plastic[i]);
  }
  return s;
}

// [CSC] (24)*: the energy in the directions of the contacts, before less after
static void audit_energy(const rh_collide_in *in, rh_collide_work *w, const double *u_after,
                         rh_collide_out *out)
{
  if (in->damping > 0) { // not the wanted velocity
    for (int i = 0; i < w->m; i++) {
      w->left[i] = u_after[(int)w->row[i]];
    }
    rh_collide_down(w, w->left, w->wh);
  }
  out->rank = w->rank;
  out->loss_24 = (size_of(w, w->uh, w->x) - size_of(w, w->wh, w->x)) / 2;
  for (int i = 0; i < w->m; i++) {
    out->unmet = fmax(out->unmet, fabs(u_after[(int)w->row[i]] + w->want[i]));
  }
}

static bool all_finite(int n, const double *x)
{
  bool good = true;
  for (int i = 0; i < n; i++) {
    good = good && isfinite(x[i]);
  }
  return good;
}

// If rounding of a weak direction, or damping, would gain energy: moves p towards a plastic impact,
// which gains none.
static void reduce_restitution(const rh_collide_in *in, rh_collide_work *w, double *p,
                               double *u_after, rh_collide_out *out)
{
  compute_impulse(in, w, 0, w->plastic);
  double s = rh_collide_spare(in, w->plastic, p, u_after);
  for (int i = 0; i < w->m; i++) {
    w->want[i] *= s;
  }
  for (int k = 0; k < w->rank; k++) {
    w->wh[k] *= s;
  }
  out->scale *= s;
  rh_collide_account(in, p, u_after, out);
}

bool rh_collide_map(const rh_collide_in *in, double *room, double *p, double *u_after,
                    rh_collide_out *out)
{
  rh_collide_work w = lay_out(in, room);
  *out = (rh_collide_out){.scale = 1};
  bool good = choose_rows(in, &w);
  factor_with_pivots(in, &w);
  orthogonalise_columns(&w);
  out->scale = set_wanted_velocity(in, &w);
  // After the root, which uses S.
  good = (in->damping <= 0 || factor_damped(&w, in->damping)) && good;
  compute_impulse(in, &w, 1, p);
  rh_collide_account(in, p, u_after, out);
  if (out->gained && in->rule != RH_COLLIDE_NAIVE) {
    reduce_restitution(in, &w, p, u_after, out);
  }
  audit_energy(in, &w, u_after, out);
  if (good && all_finite(in->n, p) && all_finite(in->n, u_after) && isfinite(out->loss)) {
    return true;
  }
  memset(p, 0, (size_t)in->n * sizeof(double));
  memcpy(u_after, in->u, (size_t)in->n * sizeof(double));
  *out = (rh_collide_out){.scale = 1, .chosen = w.m};
  return false;
}

void rh_collide_matrix(int n, int nv, const double *J, const double *X, double *W)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      double sum = rh_collide_dot(nv, J + (size_t)i * nv, X + (size_t)k * nv);
      W[(size_t)i * n + k] = sum;
      W[(size_t)k * n + i] = sum;
    }
  }
}
