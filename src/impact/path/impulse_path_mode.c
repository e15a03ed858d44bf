// impulse_path_mode.c: modes of the points of a course (impulse_path.c) between changes. A point is
// open or bears; one that bears slips or sticks. Springs change where lam or u_n passes zero, which
// is located within a step. Friction changes
//   slip to stick   where slip has nearly ceased, and friction within the discs holds such points
//   stick to slip   where it does not hold all that stick: then a short step (impulse_path_creep.c)
// Motion does not depend on how points that stick share their friction.
#include "impulse_path.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define NEAR 1.5 // times the slip taken as zero: further candidates for stick

static double vector_length(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum);
}

static bool bears_force(const rh_impulse_path *c, int i)
{
  return c->mode[i] != RH_COURSE_OPEN;
}

static double slip_of(const rh_impulse_path *c, int i)
{
  return sqrt(c->v[3 * i] * c->v[3 * i] + c->v[3 * i + 1] * c->v[3 * i + 1]);
}

// ---- Sticking

// q without its part along Q
static void remove_held_part(const rh_impulse_path *c, double *q)
{
  for (int j = 0; j < c->stick.held; j++) {
    const double *other = c->stick.Q + (size_t)j * (size_t)c->r;
    double along = 0;
    for (int k = 0; k < c->r; k++) {
      along += other[k] * q[k];
    }
    for (int k = 0; k < c->r; k++) {
      q[k] -= along * other[k];
    }
  }
}

// Computes Q of the points that stick; their remaining slip is removed from z.
static void hold_sticking_points(rh_impulse_path *c)
{
  const double RANK =
      1e-4; // of a row of B, which is known to 1e-6 where points depend on each other (proximal.c)
  const int r = c->r;
  c->stick.held = 0;
  c->stick.leans = false;
  for (int i = 0; i < 2 * c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * (i / 2) + i % 2) * (size_t)r;
    double *q = c->stick.Q + (size_t)c->stick.held * (size_t)r;
    double whole = vector_length(b, r);
    if (c->mode[i / 2] != RH_COURSE_STICK || c->stick.held == r) {
      continue;
    }
    memcpy(q, b, (size_t)r * sizeof(double));
    remove_held_part(c, q);
    double left = vector_length(q, r);
    if (!(left > RANK * whole)) {
      continue;
    }
    if (left < 0.7 * whole) { // once more, for the digits that were lost
      remove_held_part(c, q);
      left = vector_length(q, r);
    }
    double slip = c->problem.u0[3 * (i / 2) + i % 2];
    for (int k = 0; k < r; k++) {
      slip += b[k] * c->y[k];
      q[k] /= left;
    }
    for (int k = 0; k < r; k++) { // orthogonal to the earlier ones
      c->y[k] -= slip / left * q[k];
    }
    c->stick.held++;
  }
  for (int i = 0; i < 2 * c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * (i / 2) + i % 2) * (size_t)r;
    double *to = c->stick.BQ + (size_t)i * (size_t)r;
    for (int j = 0; j < c->stick.held && c->mode[i / 2] == RH_COURSE_STICK; j++) {
      const double *q = c->stick.Q + (size_t)j * (size_t)r;
      to[j] = 0;
      for (int k = 0; k < r; k++) {
        to[j] += b[k] * q[k];
      }
    }
  }
}

// Slopes and curvature of sum_i R_i (sqrt(1 + |A_i x|^2) - 1) - pull x, R_i = mu_i lam_i, A_i = B_t,i Q' in units of its largest: into g and H.
// Returns required over available friction: pull x / sum R_i |A_i x|. far: the largest |A_i x|.
static double pose_strain_problem(const rh_impulse_path *c, const double *R, double unit,
                                  const double *x, double *g, double *H, double *far)
{
  const int m = c->stick.held;
  double can = 0;
  double must = 0;
  memset(H, 0, (size_t)m * (size_t)m * sizeof(double));
  for (int k = 0; k < m; k++) {
    g[k] = -c->stick.pull[k] / unit;
    must -= g[k] * x[k];
  }
  for (int i = 0; i < c->n; i++) {
    const double *a = c->stick.BQ + (size_t)(2 * i) * (size_t)c->r;
    const double *b = a + c->r;
    double v[2] = {0};
    if (!(R[i] > 0)) {
      continue;
    }
    for (int k = 0; k < m; k++) {
      v[0] += a[k] * x[k];
      v[1] += b[k] * x[k];
    }
    v[0] /= unit;
    v[1] /= unit;
    double square = v[0] * v[0] + v[1] * v[1];
    double w = 1 / sqrt(1 + square);
    double part = R[i] * w / unit;
    double v_size = sqrt(square);
    can += R[i] * v_size;
    *far = fmax(*far, v_size);
    for (int row = 0; row < m; row++) {
      double along = (v[0] * a[row] + v[1] * b[row]);
      g[row] += part * along;
      for (int col = 0; col <= row; col++) {
        H[row * m + col] +=
            part / unit *
            (a[row] * a[col] + b[row] * b[col] - w * w * along * (v[0] * a[col] + v[1] * b[col]));
      }
    }
  }
  return can > 0 ? must / can : must > 0 ? HUGE_VAL : 0;
}

// Friction R_i^2 A_i x of least sum (|f_i|/R_i)^2 that holds all: the largest |f_i|/R_i, or infinite.
static double first_strain(const rh_impulse_path *c, const double *R)
{
  const int m = c->stick.held;
  double *H = c->scratch.H;
  double *x = H + (ptrdiff_t)m * m;
  double most = 0;
  memset(H, 0, (size_t)m * (size_t)m * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *a = c->stick.BQ + (size_t)(2 * i) * (size_t)c->r;
    const double *b = a + c->r;
    const double part = R[i] * R[i];
    for (int row = 0; row < m && part > 0; row++) {
      double *to = H + (ptrdiff_t)row * m;
      double pa = part * a[row];
      double pb = part * b[row];
      for (int col = 0; col <= row; col++) {
        to[col] += pa * a[col] + pb * b[col];
      }
    }
  }
  memcpy(x, c->stick.pull, (size_t)m * sizeof(double));
  if (!rh_cholesky(m, H)) {
    return HUGE_VAL;
  }
  rh_cholesky_solve(m, H, x);
  for (int i = 0; i < c->n; i++) {
    const double *a = c->stick.BQ + (size_t)(2 * i) * (size_t)c->r;
    const double *b = a + c->r;
    double v[2] = {0};
    for (int k = 0; k < m && R[i] > 0; k++) {
      v[0] += a[k] * x[k];
      v[1] += b[k] * x[k];
    }
    most = fmax(most, R[i] * R[i] * (v[0] * v[0] + v[1] * v[1]));
  }
  return sqrt(most);
}

// Friction of points whose tangents do not depend on one another is unique. Rows of BQ are those of a triangle, as Q is made from
// theirs in turn: BQ' f = pull is solved from the last on. Returns the largest |f_i|/R_i; negative: tangents depend on one another.
static double unique_strain(const rh_impulse_path *c, const double *R)
{
  const int m = c->stick.held;
  double *f = c->scratch.H;
  double most = 0;
  int held = 0;
  for (int i = 0; i < c->n; i++) {
    held += c->mode[i] == RH_COURSE_STICK ? 2 : 0;
  }
  if (held != m) {
    return -1;
  }
  memcpy(f, c->stick.pull, (size_t)m * sizeof(double));
  for (int i = c->n - 1, j = m - 1; i >= 0; i--) {
    if (c->mode[i] != RH_COURSE_STICK) {
      continue;
    }
    for (int k = 1; k >= 0; k--, j--) {
      const double *row = c->stick.BQ + (size_t)(2 * i + k) * (size_t)c->r;
      f[j] /= row[j];
      for (int left = 0; left < j; left++) {
        f[left] -= row[left] * f[j];
      }
    }
    double size = sqrt(f[j + 1] * f[j + 1] + f[j + 2] * f[j + 2]);
    most = fmax(most, R[i] > 0 ? size / R[i] : size > 0 ? HUGE_VAL : 0);
  }
  return most;
}

// Strain of the points that stick: below 1, some friction within the discs holds all; above, none
// does. Friction R_i A_i x/sqrt(1 + |A_i x|^2) is within them for all x, and holds all where the
// slopes of pose_strain_problem() are zero; x is found by Newton's method, and diverges if there is
// none. c->pull is that of y.
double rh_impulse_path_strain(rh_impulse_path *c, const double *y)
{
  enum { TIMES = 30 };

  const int m = c->stick.held;
  double *x = c->stick.lean;
  double *g = c->scratch.start;
  double *R = c->scratch.radius;
  double unit = 0;
  double most = 0;
  double bearing = 0;
  double strain = 0;
  for (int i = 0; i < c->n; i++) {
    bool sticks = c->mode[i] == RH_COURSE_STICK;
    R[i] = sticks ? c->problem.mu[i] * fmax(rh_impulse_path_force(c, i, y[c->r + i]), 0) : 0;
    bearing = fmax(bearing, R[i]);
    unit =
        sticks ? fmax(unit, vector_length(c->stick.BQ + (size_t)(2 * i) * (size_t)c->r, m)) : unit;
  }
  for (int i = 0; i < c->n; i++) { // a point that hardly bears keeps a small radius
    R[i] = c->mode[i] == RH_COURSE_STICK ? fmax(R[i], 1e-6 * bearing) : 0;
  }
  strain = unique_strain(c, R);
  if (strain >= 0) {
    return strain;
  }
  if (!c->stick.leans) { // else x is near from before
    strain = first_strain(c, R);
    if (strain <= 1) {
      return strain;
    }
    memset(x, 0, (size_t)m * sizeof(double));
  }
  for (int k = 0; k < m; k++) {
    most = fmax(most, fabs(c->stick.pull[k]));
  }
  c->stick.leans = false;
  for (int time = 0; time < TIMES; time++) {
    double size = 0;
    double far = 0;
    strain = pose_strain_problem(c, R, unit, x, g, c->scratch.H, &far);
    for (int k = 0; k < m; k++) {
      size = fmax(size, fabs(g[k]));
    }
    if (strain > 1) {
      return strain;
    }
    if (size <= 1e-4 * most / unit) {
      c->stick.leans = far > 0.5;
      return strain;
    }
    if (!rh_cholesky(m, c->scratch.H)) {
      return time == 0 ? HUGE_VAL : strain;
    }
    rh_cholesky_solve(m, c->scratch.H, g);
    size = 0;
    for (int k = 0; k < m; k++) {
      size = fmax(size, fabs(g[k]));
    }
    double part = time == 0 ? 1 : fmin(1, (1 + 2 * far) / size);
    for (int k = 0; k < m; k++) {
      x[k] -= part * g[k];
    }
  }
  return strain;
}

// Marks points that hardly slip as sticking and removes their remaining slip, which may end that of
// others. False: none.
static bool mark_sticking_points(rh_impulse_path *c)
{
  bool any = false;
  bool more = true;
  for (int i = 0; i < c->n; i++) {
    c->mode[i] = bears_force(c, i) ? RH_COURSE_SLIP : RH_COURSE_OPEN;
  }
  while (more) {
    more = false;
    rh_impulse_path_velocities(c, c->y, c->v);
    for (int i = 0; i < c->n; i++) {
      if (c->mode[i] == RH_COURSE_SLIP && c->problem.mu[i] > 0 &&
          slip_of(c, i) <= NEAR * c->still) {
        c->mode[i] = RH_COURSE_STICK;
        more = true;
      }
    }
    if (more) {
      hold_sticking_points(c);
      any = true;
    }
  }
  return any;
}

void rh_impulse_path_select(rh_impulse_path *c)
{
  double *y = c->scratch.try;
  double most = 0;
  c->stick.held = 0;
  c->loose = false;
  if (!mark_sticking_points(c)) {
    return;
  }
  memcpy(y, c->y, (size_t)c->size * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    most = fmax(most, y[c->r + i]);
  }
  for (int i = 0; i < c->n && most == 0; i++) { // springs begin: by their later forces
    double speed = bears_force(c, i) ? fmax(-c->v[3 * i + 2], 0) : 0;
    y[c->r + i] = c->rule->hertz ? speed / c->rate : c->problem.kappa[i] * speed;
  }
  rh_impulse_path_slope(c, y, c->scratch.k, true);
  c->loose = rh_impulse_path_strain(c, y) > 1;
}

// ---- Springs

void rh_impulse_path_first_modes(rh_impulse_path *c)
{
  rh_impulse_path_velocities(c, c->y, c->v);
  for (int i = 0; i < c->n; i++) {
    c->mode[i] = c->problem.split[i] > 0 ? RH_COURSE_SLIP : RH_COURSE_OPEN;
    c->back[i] = 0;
  }
  c->stick.held = 0;
  if (!c->smooth && (c->even || !c->rule->by_slip)) {
    rh_impulse_path_select(c);
  }
}

// Hertz: the gap of open point i closes within the step.
static double gap_closes(rh_impulse_path *c, int i, double h)
{
  static const double one = 1;
  const double closed = RH_COURSE_STILL * c->speed / c->rate;
  const rh_impulse_path_form f = {-closed, &one, c->r + i, 1};
  if (!(c->scratch.next[c->r + i] > closed)) {
    return 1;
  }
  rh_impulse_path_make_dense(c, h);
  return rh_impulse_path_root(c, &f, 1);
}

double rh_impulse_path_change(rh_impulse_path *c, double h)
{
  static const double minus = -1;
  const double still = RH_COURSE_STILL * c->speed;
  double first = 1;
  for (int i = 0; i < c->n && c->rule->springs; i++) {
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)c->r;
    const double row = c->problem.u0[3 * i + 2];
    const double after = c->u[3 * i + 2];
    bool falls = !bears_force(c, i) || c->back[i] > 0; // u_n is watched as it falls, or rises
    if (c->rule->hertz && !bears_force(c, i)) {
      first = fmin(first, gap_closes(c, i, h));
      continue;
    }
    if (bears_force(c, i) && c->scratch.next[c->r + i] < 0 && c->y[c->r + i] > 0) {
      const rh_impulse_path_form f = {0, &minus, c->r + i, 1};
      rh_impulse_path_make_dense(c, h);
      first = fmin(first, rh_impulse_path_root(c, &f, 1));
    }
    if ((!bears_force(c, i) || c->rule->local) && (falls ? after < -still : after > still)) {
      for (int k = 0; k < c->r; k++) {
        c->scratch.start[k] = falls ? -b[k] : b[k];
      }
      rh_impulse_path_make_dense(c, h);
      const rh_impulse_path_form f = {(falls ? -row : row) - still, c->scratch.start, 0, c->r};
      first = fmin(first, rh_impulse_path_root(c, &f, 1));
    }
  }
  return first;
}

static bool update_spring(rh_impulse_path *c, int i)
{
  const double still = 0.99 * RH_COURSE_STILL * c->speed;
  double un = c->v[3 * i + 2];
  double *lam = c->y + c->r + i;
  if (!bears_force(c, i)) {
    bool closes = c->rule->hertz ? *lam > 0.99 * RH_COURSE_STILL * c->speed / c->rate : un < -still;
    c->mode[i] = closes ? RH_COURSE_SLIP : RH_COURSE_OPEN;
    c->again += closes;
    return closes;
  }
  bool was = c->back[i] > 0;
  bool is = c->rule->local && (was ? un > -still : un > still);
  c->back[i] = is;
  c->again += was && !is;
  bool spent = rh_impulse_path_speed_of(c, i, *lam) <= 1e-3 * RH_COURSE_STILL * c->speed ||
               (is && c->problem.e[i] < 1e-7);
  if (un > 0 && spent) {
    *lam = 0;
    c->mode[i] = RH_COURSE_OPEN;
    c->back[i] = 0;
    return true;
  }
  *lam = fmax(*lam, 0);
  return was != is;
}

bool rh_impulse_path_update(rh_impulse_path *c)
{
  bool changed = false;
  bool stops = false;
  bool lost = false;
  bool by_slip = c->rule->by_slip && !c->even;
  for (int i = 0; i < c->n; i++) {
    double was = c->mode[i];
    changed = (c->rule->springs && update_spring(c, i)) || changed;
    lost = lost || (was == RH_COURSE_STICK && c->mode[i] == RH_COURSE_OPEN);
    stops = stops ||
            (c->mode[i] == RH_COURSE_SLIP && c->problem.mu[i] > 0 && slip_of(c, i) <= c->still);
  }
  if (stops && !by_slip) {
    rh_impulse_path_select(c);
    return true;
  }
  if (lost) {
    hold_sticking_points(c);
  }
  return changed;
}
