// cone_motions.c: all motions of a small contact problem in a plane, counted and listed, and the
// choice of one of them. The problem of cones is planar where each contact has a tangent along which
// nothing moves (bodies on planar joints, or of one plane). Contacts with the same rows, as the two
// corners of a box that lie one after the other, are one. The combinations of modes are those of
// planar_modes.c, on the contact-space inertia.
#include "cone_motions.h"

#include "complement/cone.h"

#include <math.h>
#include <string.h>

static const double INERT = 1e-9; // of the largest entry of W: a direction without motion
static const double SAME = 1e-9;  // of rows

enum { ROWS = 2 * RH_EXAMINE_MAX, KEPT_ROWS = 2 * RH_MOTIONS_MAX };

typedef struct flat { // rows n, t of all contacts
  int n;
  double A[ROWS][ROWS], a0[ROWS];
  double scale, size; // largest entries
} flat;

// ---- From cones to the plane

// The tangent along which contact i moves; false: it moves along both
static bool moving_tangent(const rh_cone *q, int i, double largest, double *axis)
{
  size_t rows = 3 * (size_t)q->n;
  const double *W = q->W + 3 * (size_t)i * rows + 3 * (size_t)i;
  double mean = 0.5 * (W[0] + W[rows + 1]);
  double off = hypot(0.5 * (W[0] - W[rows + 1]), W[1]);
  double angle = 0.5 * atan2(2 * W[1], W[0] - W[rows + 1]);
  axis[0] = cos(angle);
  axis[1] = sin(angle);
  double across = -q->b[3 * i] * axis[1] + q->b[3 * i + 1] * axis[0];
  return mean - off <= INERT * largest && fabs(across) <= INERT * (1 + fabs(q->b[3 * i + 2]));
}

static double entry_of(const rh_cone *q, const double *axis, int r, int s)
{
  size_t rows = 3 * (size_t)q->n;
  const double ri[3] = {axis[2 * (r / 2)], axis[2 * (r / 2) + 1], 0};
  const double si[3] = {axis[2 * (s / 2)], axis[2 * (s / 2) + 1], 0};
  static const double normal[3] = {0, 0, 1};
  const double *x = r % 2 == 0 ? normal : ri;
  const double *y = s % 2 == 0 ? normal : si;
  double sum = 0;
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      sum += x[i] * q->W[(3 * (size_t)(r / 2) + i) * rows + 3 * (size_t)(s / 2) + k] * y[k];
    }
  }
  return sum;
}

static bool flatten_cones(const rh_cone *q, double *axis, flat *f)
{
  double largest = 0;
  size_t rows = 3 * (size_t)q->n;
  for (size_t r = 0; r < rows; r++) {
    largest = fmax(largest, q->W[r * (rows + 1)]);
  }
  for (int i = 0; i < q->n; i++) {
    if (!moving_tangent(q, i, largest, axis + 2 * (size_t)i)) {
      return false;
    }
  }
  f->n = q->n;
  f->scale = f->size = 0;
  for (int r = 0; r < 2 * q->n; r++) {
    const double *b = q->b + 3 * (size_t)(r / 2);
    f->a0[r] = r % 2 == 0 ? b[2] : axis[2 * (r / 2)] * b[0] + axis[2 * (r / 2) + 1] * b[1];
    f->size = fmax(f->size, fabs(f->a0[r]));
    for (int s = 0; s < 2 * q->n; s++) {
      f->A[r][s] = entry_of(q, axis, r, s);
    }
    f->scale = fmax(f->scale, f->A[r][r]);
  }
  return f->scale > 0 && f->size > 0;
}

// Have contacts i and k the same rows, with the tangent of k times `sign`?
static bool same_rows(const flat *f, int i, int k, double sign)
{
  bool same = fabs(f->a0[2 * i] - f->a0[2 * k]) <= SAME * f->size &&
              fabs(f->a0[2 * i + 1] - sign * f->a0[2 * k + 1]) <= SAME * f->size;
  for (int s = 0; s < 2 * f->n && same; s++) {
    same = fabs(f->A[2 * i][s] - f->A[2 * k][s]) <= SAME * f->scale &&
           fabs(f->A[2 * i + 1][s] - sign * f->A[2 * k + 1][s]) <= SAME * f->scale;
  }
  return same;
}

static int slip_sign(const rh_cone *q, const double *axis, int i)
{
  double along =
      q->slide ? axis[2 * i] * q->slide[2 * i] + axis[2 * i + 1] * q->slide[2 * i + 1] : 0;
  return along > 0 ? 1 : along < 0 ? -1 : 0;
}

// Contacts that differ: x->first and x->of. False: there are too many.
static bool merge_contacts(const rh_cone *q, const double *mu_k, flat *f, rh_cone_motions *x)
{
  x->n = 0;
  for (int k = 0; k < q->n; k++) {
    x->of[k] = RH_NONE;
    for (int j = 0; j < x->n && x->of[k] == RH_NONE; j++) {
      int i = x->first[j];
      bool turned = !same_rows(f, i, k, 1);
      double sign = turned ? -1 : 1;
      bool same = q->mu[i] == q->mu[k] && mu_k[i] == mu_k[k] && same_rows(f, i, k, sign) &&
                  slip_sign(q, x->axis, i) == (int)sign * slip_sign(q, x->axis, k);
      if (same && turned) {
        x->axis[2 * k] = -x->axis[2 * k];
        x->axis[2 * k + 1] = -x->axis[2 * k + 1];
      }
      x->of[k] = same ? j : RH_NONE;
    }
    if (x->of[k] == RH_NONE && x->n == RH_MOTIONS_MAX) {
      return false;
    }
    if (x->of[k] == RH_NONE) {
      x->of[k] = x->n;
      x->first[x->n++] = k;
    }
  }
  return true;
}

// Rows J with J J' = A, A semidefinite: planar_modes.c works with M = 1 then
static void factor_inertia(const rh_cone_motions *x, double *J)
{
  int rows = 2 * x->n;
  double largest = 0;
  for (int i = 0; i < rows; i++) {
    largest = fmax(largest, x->A[i * rows + i]);
  }
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++) {
      double sum = x->A[i * rows + j];
      for (int k = 0; k < j && j <= i; k++) {
        sum -= J[i * rows + k] * J[j * rows + k];
      }
      double pivot = J[j * rows + j];
      J[i * rows + j] = j > i                   ? 0
                        : j < i                 ? (pivot > 0 ? sum / pivot : 0)
                        : sum > 1e-12 * largest ? sqrt(sum)
                                                : 0;
    }
  }
}

static bool list_motions(const rh_cone *q, const double *mu_k, double *room, rh_cone_motions *x)
{
  enum { MOST = RH_MOTIONS_LISTED };

  int n = x->n;
  size_t rows = 2 * (size_t)n;
  double J[KEPT_ROWS * KEPT_ROWS];
  double M[KEPT_ROWS * KEPT_ROWS] = {0};
  double part[2][RH_MOTIONS_MAX * KEPT_ROWS];
  double g[2][RH_MOTIONS_MAX];
  double mu[2][RH_MOTIONS_MAX];
  int slip[RH_MOTIONS_MAX];
  double none[KEPT_ROWS] = {0};
  factor_inertia(x, J);
  for (size_t i = 0; i < rows; i++) {
    M[i * (rows + 1)] = 1;
  }
  for (int i = 0; i < n; i++) {
    for (size_t k = 0; k < 2; k++) {
      memcpy(part[k] + (size_t)i * rows, J + (2 * (size_t)i + k) * rows, rows * sizeof *J);
      g[k][i] = x->a0[2 * (size_t)i + k];
    }
    mu[0][i] = q->mu[x->first[i]];
    mu[1][i] = fmin(mu_k[x->first[i]], mu[0][i]);
    slip[i] = slip_sign(q, x->axis, x->first[i]);
  }
  const rh_modes problem = {.nv = (int)rows,
                            .n = n,
                            .M = M,
                            .b = none,
                            .Jn = part[0],
                            .Jt = part[1],
                            .gn = g[0],
                            .gt = g[1],
                            .mu_s = mu[0],
                            .mu_k = mu[1],
                            .slip = slip};
  x->count = rh_modes_find(&problem, room, x->answer, MOST, &x->continuum);
  return x->count != RH_NONE;
}

size_t rh_cone_motions_room(void)
{
  return rh_modes_room(KEPT_ROWS, RH_MOTIONS_LISTED) + sizeof(flat) / sizeof(double) + 1;
}

bool rh_cone_motions_find(const rh_cone *q, const double *mu_k, double *room, rh_cone_motions *x)
{
  flat *f = (flat *)(void *)room;
  x->count = RH_NONE;
  x->continuum = false;
  if (q->n < 1 || q->n > RH_EXAMINE_MAX || !flatten_cones(q, x->axis, f) ||
      !merge_contacts(q, mu_k, f, x)) {
    return false;
  }
  if (!flatten_cones(q, x->axis, f)) {
    return false;
  }
  int rows = 2 * x->n;
  for (int r = 0; r < rows; r++) {
    int from = 2 * x->first[r / 2] + r % 2;
    x->a0[r] = f->a0[from];
    for (int s = 0; s < rows; s++) {
      x->A[r * rows + s] = f->A[from][2 * x->first[s / 2] + s % 2];
    }
  }
  return list_motions(q, mu_k, room, x);
}

// ---- One of them

void rh_cone_motions_forces(const rh_cone *q, const rh_cone_motions *x, int which, double *p)
{
  int shares[RH_MOTIONS_MAX] = {0};
  int rows = 2 * x->n;
  double size = 0;
  double scale = 0;
  for (int i = 0; i < q->n; i++) {
    shares[x->of[i]]++;
  }
  for (int r = 0; r < rows; r++) {
    size = fmax(size, fabs(x->a0[r]));
    scale = fmax(scale, x->A[r * rows + r]);
  }
  for (int i = 0; i < q->n; i++) {
    const rh_modes_answer *a = &x->answer[which];
    bool carries = a->ln[x->of[i]] * scale > SAME * size; // else it is rounding
    double part = carries ? 1.0 / shares[x->of[i]] : 0;
    for (int k = 0; k < 2; k++) {
      p[3 * i + k] = part * a->lt[x->of[i]] * x->axis[2 * i + k];
    }
    p[3 * i + 2] = part * a->ln[x->of[i]];
  }
}

void rh_cone_motions_rates(const rh_cone_motions *x, int which, double *a)
{
  int rows = 2 * x->n;
  for (int r = 0; r < rows; r++) {
    a[r] = x->a0[r];
    for (int s = 0; s < rows; s++) {
      const rh_modes_answer *f = &x->answer[which];
      a[r] += x->A[r * rows + s] * (s % 2 == 0 ? f->ln : f->lt)[s / 2];
    }
  }
}

static int count_listed(const rh_cone_motions *x)
{
  return x->count < RH_MOTIONS_LISTED ? x->count : RH_MOTIONS_LISTED;
}

int rh_cone_motions_nearest(const rh_cone_motions *x, const double *u, double *apart)
{
  int best = 0;
  *apart = HUGE_VAL;
  for (int k = 0; k < count_listed(x); k++) {
    double a[KEPT_ROWS];
    double off = 0;
    rh_cone_motions_rates(x, k, a);
    for (int i = 0; i < x->n; i++) {
      const double *at = u + 3 * (size_t)x->first[i];
      const double *axis = x->axis + 2 * (size_t)x->first[i];
      off = fmax(off, fabs(a[2 * i] - at[2]));
      off = fmax(off, fabs(a[2 * i + 1] - axis[0] * at[0] - axis[1] * at[1]));
    }
    best = off < *apart ? k : best;
    *apart = fmin(*apart, off);
  }
  return best;
}

static double norm_of_load(const rh_cone_motions *x, int which)
{
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    const rh_modes_answer *a = &x->answer[which];
    sum += a->ln[i] * a->ln[i] + a->lt[i] * a->lt[i];
  }
  return sqrt(sum);
}

// Rates of dissipation: of contacts that slip already; of those that begin to, by their accelerations
static void dissipation_of(const rh_cone_motions *x, const double *speed, int which, double D[2])
{
  double a[KEPT_ROWS];
  D[0] = D[1] = 0;
  rh_cone_motions_rates(x, which, a);
  for (int i = 0; i < x->n; i++) {
    double friction = fabs(x->answer[which].lt[i]);
    D[0] += friction * speed[x->first[i]];
    D[1] += speed[x->first[i]] > 0 ? 0 : friction * fabs(a[2 * i + 1]);
  }
}

static int most_dissipated(const rh_cone_motions *x, const double *speed)
{
  int best = 0;
  double most[2];
  dissipation_of(x, speed, 0, most);
  for (int k = 1; k < count_listed(x); k++) {
    double D[2];
    dissipation_of(x, speed, k, D);
    double same = 1e-9 * (fabs(most[0]) + fabs(D[0]));
    if (D[0] > most[0] + same || (D[0] >= most[0] - same && D[1] > most[1] * (1 + 1e-9))) {
      best = k;
      memcpy(most, D, sizeof most);
    }
  }
  return best;
}

// ---- The limit of stiff springs

// Each contact on springs of equal stiffness along n and t, without load at this instant, damped, in
// their own fast time: y'' = A f + a0, f by the springs and the cones. What their forces settle at.
typedef struct springs {
  double y[KEPT_ROWS], v[KEPT_ROWS], f[KEPT_ROWS];
  double stretch[RH_MOTIONS_MAX];
} springs;

static void spring_forces(const rh_cone_motions *x, const double *mu, const int *slip, double dt,
                          springs *s)
{
  for (int i = 0; i < x->n; i++) {
    double normal = fmax(-s->y[2 * i] - s->v[2 * i], 0);
    double limit = mu[i] * normal;
    s->stretch[i] += dt * s->v[2 * i + 1];
    double held = -s->stretch[i] - s->v[2 * i + 1];
    double along = slip[i] != 0 ? -slip[i] * limit : fmin(fmax(held, -limit), limit);
    if (slip[i] == 0 && along != held) {
      s->stretch[i] = -along; // it slips: the spring keeps what friction allows
    }
    s->f[2 * i] = normal;
    s->f[2 * i + 1] = along;
  }
}

// Index of the listed motion that the springs settle at; RH_NONE: at none of them
static int stiff_motion(const rh_cone *q, const double *mu_k, const rh_cone_motions *x)
{
  enum { STEPS = 8000 };

  static const double dt = 0.02; // of the time of a spring
  int rows = 2 * x->n;
  double mu[RH_MOTIONS_MAX];
  int slip[RH_MOTIONS_MAX];
  double scale = 0;
  double size = 0;
  double mean[KEPT_ROWS] = {0};
  springs s = {{0}, {0}, {0}, {0}};
  for (int i = 0; i < rows; i++) {
    scale = fmax(scale, x->A[i * rows + i]);
    size = fmax(size, fabs(x->a0[i]));
    mu[i / 2] = mu_k[x->first[i / 2]];
    slip[i / 2] = slip_sign(q, x->axis, x->first[i / 2]);
  }
  for (int step = 0; step < STEPS; step++) {
    spring_forces(x, mu, slip, dt, &s);
    for (int r = 0; r < rows; r++) {
      double a = x->a0[r] / size;
      for (int k = 0; k < rows; k++) {
        a += x->A[r * rows + k] / scale * s.f[k];
      }
      s.v[r] += dt * a;
      mean[r] += step >= STEPS / 2 ? a * size / (STEPS - STEPS / 2) : 0;
    }
    for (int r = 0; r < rows; r++) {
      s.y[r] += dt * s.v[r];
    }
  }
  int best = RH_NONE;
  double least = 0.02 * size;
  for (int k = 0; k < count_listed(x); k++) {
    double a[KEPT_ROWS];
    double apart = 0;
    rh_cone_motions_rates(x, k, a);
    for (int r = 0; r < rows; r++) {
      apart = fmax(apart, fabs(a[r] - mean[r]));
    }
    best = apart < least ? k : best;
    least = fmin(apart, least);
  }
  return best;
}

int rh_cone_motions_select(const rh_cone *q, const double *mu_k, const rh_cone_motions *x,
                           const double *speed, rh_select select)
{
  if (select == RH_SELECT_DISSIPATION) {
    return most_dissipated(x, speed);
  }
  if (select == RH_SELECT_STIFF) {
    return stiff_motion(q, mu_k, x);
  }
  int best = 0;
  for (int k = 1; k < count_listed(x); k++) {
    best = norm_of_load(x, k) < norm_of_load(x, best) * (1 - 1e-9) ? k : best;
  }
  return best;
}
