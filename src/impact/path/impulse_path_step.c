// impulse_path_step.c: one step of the course of an impact (impulse_path.c) while every point keeps
// its mode (impulse_path_mode.c):
//   lam_i' = -k_i u_n,i             k_i = kappa_i, kappa_i/e_i^2 if released and local; or given
//   x_i'   = -u_n,i, /e_i^2 if released; lam_i = kappa_i x_i^(3/2)      in place of it: Hertz
//   z'     = (1 - QQ') g            g = sum_i B_n,i' lam_i - mu_i lam_i B_t,i' u_t/|u_t| over the points that slip
// Q: orthonormal rows that span the tangents of the points that stick: their friction need not be
// known.
// By the method of Dormand and Prince, order 5(4), with its continuous output of order 4.
#include "impulse_path.h"

#include <math.h>
#include <string.h>

static inline double row_times(const double *b, const double *z, int r, double sum)
{
  for (int k = 0; k < r; k++) {
    sum += b[k] * z[k];
  }
  return sum;
}

// The three rows of a point at once: sums that do not wait for each other.
static inline void rows_times(const double *b, const double *z, int r, const double start[3],
                              double sum[3])
{
  double s0 = start[0];
  double s1 = start[1];
  double s2 = start[2];
  for (int k = 0; k < r; k++) {
    s0 += b[k] * z[k];
    s1 += b[r + k] * z[k];
    s2 += b[2 * r + k] * z[k];
  }
  sum[0] = s0;
  sum[1] = s1;
  sum[2] = s2;
}

void rh_impulse_path_velocities(const rh_impulse_path *c, const double *y, double *u)
{
  for (int i = 0; i < 3 * c->n && c->r == 6; i += 3) { // one foot: a compile-time constant
    rows_times(c->problem.B + (size_t)i * 6, y, 6, c->problem.u0 + i, u + i);
  }
  for (int i = 0; i < 3 * c->n && c->r != 6; i += 3) {
    rows_times(c->problem.B + (size_t)i * (size_t)c->r, y, c->r, c->problem.u0 + i, u + i);
  }
}

// Direction of slip of point i at velocities u; s: its speed.
static inline void slip_direction(rh_impulse_path *c, int i, const double u[2], double s,
                                  bool first, double d[2])
{
  double *way = c->way + (ptrdiff_t)2 * i;
  double *ahead = c->ahead + (ptrdiff_t)2 * i;
  const double over = s > 0 ? 1 / s : 0;
  ahead[0] = d[0] = u[0] * over;
  ahead[1] = d[1] = u[1] * over;
  if (first) {
    way[0] = d[0];
    way[1] = d[1];
  } else {
    c->turned = c->turned || way[0] * d[0] + way[1] * d[1] < 0;
  }
}

// Rates of the normal impulses by pair factors (pair_factors.c), and friction against the slip
static void slope_by_factors(rh_impulse_path *c, const double *y, double *k, bool first)
{
  const int n = c->n;
  const int r = c->r;
  double *own = k + c->moved + n; // works of the points
  double *work = own + (ptrdiff_t)2 * n;
  rh_impulse_path_velocities(c, y, c->u);
  memset(k, 0, (size_t)c->size * sizeof(double));
  c->pairs.lost = !rh_impulse_path_shares(c, c->u, k + c->moved) || c->pairs.lost;
  for (int i = 0; i < n; i++) {
    const double *u = c->u + (ptrdiff_t)3 * i;
    const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
    double lam = k[c->moved + i];
    double part = c->pairs.part[i];
    double d[2];
    if (c->pairs.form[i] != RH_SHARE_SLIP && c->problem.mu[i] > 0 && lam > 0) {
      slip_direction(c, i, u, sqrt(u[0] * u[0] + u[1] * u[1]), first, d);
    }
    own[i] = lam * u[2];
    own[n + i] = -part * (u[0] * u[0] + u[1] * u[1]);
    work[0] += own[i];
    work[1] += own[n + i];
    for (int j = 0; j < r; j++) {
      k[j] += lam * b[2 * r + j] - part * (u[0] * b[j] + u[1] * b[r + j]);
    }
  }
}

// Of rank r; the usual ones are compile-time constants.
static inline void slope_of(rh_impulse_path *c, const double *y, double *k, bool first, const int r)
{
  const int n = c->n;
  double *own = k + c->moved + n; // works of the points
  double *work = own + (ptrdiff_t)2 * n;
  memset(k, 0, (size_t)c->size * sizeof(double));
  for (int i = 0; i < n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
    double u[3] = {0};
    double d[2];
    if (c->mode[i] == RH_COURSE_OPEN && !c->rule->hertz) {
      continue;
    }
    const bool slips = c->mode[i] == RH_COURSE_SLIP && c->problem.mu[i] != 0;
    if (slips) {
      rows_times(b, y, r, c->problem.u0 + (ptrdiff_t)3 * i, u);
    } else {
      u[2] = row_times(b + 2 * (ptrdiff_t)r, y, r, c->problem.u0[3 * i + 2]);
    }
    const double un = u[2];
    k[r + i] = c->rule->springs ? -rh_impulse_path_gain(c, i) * un / rh_impulse_path_soft(c, i) : 0;
    if (c->mode[i] == RH_COURSE_OPEN) { // its gap
      continue;
    }
    const double lam = rh_impulse_path_force(c, i, y[r + i]);
    k[c->moved + i] = lam;
    own[i] = lam * un;
    work[0] += own[i];
    if (!slips) {
      for (int j = 0; j < r; j++) {
        k[j] += lam * b[2 * r + j];
      }
      continue;
    }
    slip_direction(c, i, u, sqrt(u[0] * u[0] + u[1] * u[1]), first, d);
    d[0] *= c->problem.mu[i] * lam;
    d[1] *= c->problem.mu[i] * lam;
    own[n + i] = -(d[0] * u[0] + d[1] * u[1]);
    work[1] += own[n + i];
    for (int j = 0; j < r; j++) {
      k[j] += lam * b[2 * r + j] - (d[0] * b[j] + d[1] * b[r + j]);
    }
  }
  memcpy(c->g, k, (size_t)r * sizeof(double));
  for (int q = 0; q < c->stick.held; q++) {
    const double *row = c->stick.Q + (size_t)q * (size_t)r;
    c->stick.pull[q] = row_times(row, c->g, r, 0);
    for (int j = 0; j < r; j++) {
      k[j] -= c->stick.pull[q] * row[j];
    }
  }
}

void rh_impulse_path_slope(rh_impulse_path *c, const double *y, double *k, bool first)
{
  if (c->rule->by_slip && !c->even) {
    slope_by_factors(c, y, k, first);
  } else if (c->r == 6) {
    slope_of(c, y, k, first, 6);
  } else if (c->r == 9) {
    slope_of(c, y, k, first, 9);
  } else if (c->r == 12) {
    slope_of(c, y, k, first, 12);
  } else {
    slope_of(c, y, k, first, c->r);
  }
}

// ---- The method

static const double A[6][6] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double E[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double D[7] = {-12715105075.0 / 11282082432,  0,
                            87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                            701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                            69997945.0 / 29380423};

// to = y + h sum_j a_j k_j over `count` entries
static void combine_stages(const rh_impulse_path *c, const double *a, int stages, double h,
                           int count, double *to)
{
  memset(to, 0, (size_t)count * sizeof(double));
  for (int s = 0; s < stages; s++) {
    const double *k = c->scratch.k + (size_t)s * (size_t)c->size;
    const double part = a[s];
    for (int i = 0; i < count && part != 0; i++) {
      to[i] += part * k[i];
    }
  }
  for (int i = 0; i < count; i++) {
    to[i] = c->y[i] + h * to[i];
  }
}

static double error_of(const rh_impulse_path *c, double h)
{
  double square = 0;
  double worst = 0;
  for (int i = 0; i < c->moved; i++) {
    double sum = 0;
    for (int s = 0; s < RH_COURSE_STAGES; s++) {
      sum += E[s] * c->scratch.k[(size_t)s * (size_t)c->size + (size_t)i];
    }
    if (i < c->r) {
      square += sum * sum;
      continue;
    }
    worst = fmax(worst, rh_impulse_path_speed_of(c, i - c->r, fabs(sum)));
  }
  double error = h * sqrt(square) * c->stiff;
  error = error == error ? fmax(error, h * worst) : error; // fmax would lose a NaN
  return error / (c->tolerance * c->speed);
}

double rh_impulse_path_step(rh_impulse_path *c, double h)
{
  const size_t size = (size_t)c->size;
  c->turned = c->stiffly = c->thick = false;
  for (int s = 1; s < RH_COURSE_STAGES; s++) {
    bool last = s == RH_COURSE_STAGES - 1;
    double *to = last ? c->scratch.next : c->scratch.try;
    combine_stages(c, A[s - 1], s, h, last ? c->size : c->moved, to);
    rh_impulse_path_slope(c, to, c->scratch.k + (size_t)s * size, false);
    if (c->turned) {
      return HUGE_VAL;
    }
  }
  return error_of(c, h);
}

void rh_impulse_path_make_dense(rh_impulse_path *c, double h)
{
  const size_t size = (size_t)c->size;
  double *to = c->dense;
  if (c->thick) {
    return;
  }
  c->thick = true;
  c->degree = 4;
  for (size_t i = 0; i < size; i++) {
    const double *k = c->scratch.k + i;
    double change = c->scratch.next[i] - c->y[i];
    double bend = h * k[0] - change;
    double sum = 0;
    for (int s = 0; s < RH_COURSE_STAGES && !c->stiffly; s++) {
      sum += D[s] * k[(size_t)s * size];
    }
    double twist = change - h * k[6 * size] - bend;
    // y + x (change + (1 - x) (bend + x (twist + (1 - x) h sum)))
    to[i] = c->y[i];
    to[size + i] = change + bend;
    to[2 * size + i] = twist - bend + h * sum;
    to[3 * size + i] = -twist - 2 * h * sum;
    to[4 * size + i] = h * sum;
  }
}

static double evaluate_polynomial(double x, const double v[RH_COURSE_DENSE], int degree)
{
  double sum = v[degree];
  for (int k = degree - 1; k >= 0; k--) {
    sum = v[k] + x * sum;
  }
  return sum;
}

void rh_impulse_path_within(const rh_impulse_path *c, double part, double *y)
{
  const size_t size = (size_t)c->size;
  memcpy(y, c->dense + (size_t)c->degree * size, size * sizeof(double));
  for (int k = c->degree - 1; k >= 0; k--) {
    const double *d = c->dense + (size_t)k * size;
    for (size_t i = 0; i < size; i++) {
      y[i] = d[i] + part * y[i];
    }
  }
}

double rh_impulse_path_root(const rh_impulse_path *c, const rh_impulse_path_form *f, double most)
{
  double v[RH_COURSE_DENSE] = {0};
  for (int k = 0; k <= c->degree; k++) {
    v[k] = row_times(f->b, c->dense + (size_t)k * (size_t)c->size + f->from, f->count,
                     k == 0 ? f->a : 0);
  }
  rh_impulse_path_bracket b = {
      .hi = most, .at_lo = v[0], .at_hi = evaluate_polynomial(most, v, c->degree)};
  double part = most;
  if (!(b.at_lo < 0 && b.at_hi > 0)) {
    return b.at_lo >= 0 && b.at_hi > 0 ? 0 : most;
  }
  for (int i = 1; i < 60 && b.hi - b.lo > 1e-14; i++) {
    part = rh_impulse_path_guess(&b, i);
    double at = evaluate_polynomial(part, v, c->degree);
    if (fabs(at) <= 1e-14 * (v[0] < 0 ? fabs(v[0]) + fabs(v[1]) : 1)) {
      break;
    }
    rh_impulse_path_narrow(&b, part, at);
  }
  return part;
}

// Friction jumps where a point ceases to slip or turns about, so that steps end before it: the time
// until then, by present slip and acceleration. nearly: almost there.
double rh_impulse_path_longest(const rh_impulse_path *c, bool *nearly)
{
  const double *a = c->scratch.k;
  const int r = c->r;
  double longest = HUGE_VAL;
  if (c->rule->by_slip && !c->even) {
    return rh_impulse_path_factors_end(c);
  }
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
    const double *u = c->v + (ptrdiff_t)3 * i;
    if (c->problem.mu[i] == 0 || c->mode[i] != RH_COURSE_SLIP) {
      continue;
    }
    double slower = -(u[0] * row_times(b, a, r, 0) + u[1] * row_times(b + r, a, r, 0));
    double square = u[0] * u[0] + u[1] * u[1];
    if (slower > 0 && square < longest * slower) {
      longest = square / slower;
      *nearly = square <= 100 * c->still * c->still;
    }
  }
  return longest;
}
