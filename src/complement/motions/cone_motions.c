// cone_motions.c: all motions of a small contact problem, counted and listed, and the choice of one
// of them. A contact with a tangent along which nothing moves (bodies on planar joints, or of one
// plane) has a line in place of a polygon, which is exact; the polygons of others are inscribed in
// the circles of their cones (polyhedral.c). A polygon has a corner along the acceleration that its
// contact has without contact forces, and one against it, so that a problem in a plane that is part
// of space has the same motions as in the plane.
#include "cone_motions.h"

#include "complement/cone.h"

#include <math.h>
#include <string.h>

static const double INERT = 1e-9;  // of the largest entry of W: a direction without motion
static const double TURNED = 1e-6; // of the largest acceleration: has a direction

enum { ROWS = 3 * RH_EXAMINE_MAX };

// ---- Polygons

bool rh_cone_axis(const rh_cone *q, int i, double axis[2])
{
  size_t rows = 3 * (size_t)q->n;
  const double *W = q->W + 3 * (size_t)i * rows + 3 * (size_t)i;
  const double *b = q->b + 3 * (size_t)i;
  double mean = 0.5 * (W[0] + W[rows + 1]);
  double off = rh_hypot(0.5 * (W[0] - W[rows + 1]), W[1]);
  double angle = 0.5 * rh_atan2(2 * W[1], W[0] - W[rows + 1]);
  double largest = 0;
  double size = 0;
  for (size_t r = 0; r < rows; r++) {
    largest = fmax(largest, q->W[r * (rows + 1)]);
    size = fmax(size, fabs(q->b[r]));
  }
  axis[0] = rh_cos(angle);
  axis[1] = rh_sin(angle);
  double across = -b[0] * axis[1] + b[1] * axis[0];
  if (mean - off <= INERT * largest && fabs(across) <= INERT * (1 + fabs(b[2]))) {
    return true;
  }
  double along = rh_hypot(b[0], b[1]);
  if (along > TURNED * size) {
    axis[0] = b[0] / along;
    axis[1] = b[1] / along;
  }
  return false;
}

bool rh_cone_motions_find(const rh_cone *q, const double *mu_k, rh_motion_limits limits,
                          double *scratch, rh_cone_motions *x)
{
  x->found = (rh_motion_count){RH_NONE, false, false};
  if (q->n < 1 || q->n > RH_EXAMINE_MAX) {
    return false;
  }
  x->n = q->n;
  x->facets = 0;
  for (int i = 0; i < q->n; i++) {
    x->flat[i] = rh_cone_axis(q, i, x->axis + 2 * (size_t)i);
    x->facets = x->flat[i] || q->mu[i] == 0 ? x->facets : limits.facets;
  }
  if (x->facets > 0 && q->n > limits.contacts) {
    return false;
  }
  const rh_polyhedral problem = {.n = q->n,
                                 .facets = limits.facets,
                                 .W = q->W,
                                 .b = q->b,
                                 .mu_s = q->mu,
                                 .mu_k = mu_k,
                                 .slide = q->slide,
                                 .axis = x->axis,
                                 .flat = x->flat,
                                 .tries = RH_MOTIONS_TRIES};
  x->found = rh_polyhedral_find(&problem, scratch, x->motion, RH_MOTIONS_LISTED);
  return x->found.count != RH_NONE;
}

// ---- One of them

static int listed_count(const rh_cone_motions *x)
{
  return x->found.count < RH_MOTIONS_LISTED ? x->found.count : RH_MOTIONS_LISTED;
}

static double rate_difference(const rh_cone_motions *x, int which, const double *u)
{
  double apart = 0;
  for (int r = 0; r < 3 * x->n; r++) {
    apart = fmax(apart, fabs(x->motion[which].a[r] - u[r]));
  }
  return apart;
}

int rh_cone_motions_nearest(const rh_cone_motions *x, const double *u, double *apart)
{
  int best = 0;
  *apart = HUGE_VAL;
  for (int k = 0; k < listed_count(x); k++) {
    double off = rate_difference(x, k, u);
    best = off < *apart ? k : best;
    *apart = fmin(*apart, off);
  }
  return best;
}

static double norm_of_load(const rh_cone_motions *x, int which)
{
  double sum = 0;
  for (int r = 0; r < 3 * x->n; r++) {
    sum += x->motion[which].p[r] * x->motion[which].p[r];
  }
  return sqrt(sum);
}

// Rates of dissipation: of contacts that slip already; of those that begin to, by their accelerations
static void dissipation_of(const rh_cone_motions *x, const double *speed, int which, double D[2])
{
  const rh_contact_motion *m = &x->motion[which];
  D[0] = D[1] = 0;
  for (int i = 0; i < x->n; i++) {
    const double *p = m->p + 3 * (size_t)i;
    const double *a = m->a + 3 * (size_t)i;
    D[0] += rh_hypot(p[0], p[1]) * speed[i];
    D[1] += speed[i] > 0 ? 0 : -(p[0] * a[0] + p[1] * a[1]);
  }
}

static int most_dissipated(const rh_cone_motions *x, const double *speed)
{
  int best = 0;
  double most[2];
  dissipation_of(x, speed, 0, most);
  for (int k = 1; k < listed_count(x); k++) {
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
  double y[ROWS], v[ROWS], f[ROWS];
  double stretch[2 * RH_EXAMINE_MAX];
} springs;

static void spring_forces(const rh_cone *q, double dt, springs *s)
{
  for (int i = 0; i < q->n; i++) {
    const double *v = s->v + 3 * (size_t)i;
    double *f = s->f + 3 * (size_t)i;
    double *stretch = s->stretch + 2 * (size_t)i;
    f[2] = fmax(-s->y[3 * i + 2] - v[2], 0);
    double limit = q->mu[i] * f[2];
    double held[2];
    for (int k = 0; k < 2; k++) {
      stretch[k] += dt * v[k];
      held[k] = -stretch[k] - v[k];
    }
    double size = rh_hypot(held[0], held[1]);
    bool slides = rh_cone_slides(q, i);
    double part = size > limit ? limit / size : 1;
    for (int k = 0; k < 2; k++) {
      f[k] = slides ? -q->slide[2 * i + k] * limit : part * held[k];
      if (!slides && part < 1) {
        stretch[k] = -f[k]; // it slips: the spring keeps what friction allows
      }
    }
  }
}

// Mean accelerations of the second half of the time
static void settle_springs(const rh_cone *q, double size, double *mean)
{
  enum { STEPS = 8000 };

  static const double dt = 0.02; // of the time of a spring
  int rows = 3 * q->n;
  double scale = 0;
  springs s = {{0}, {0}, {0}, {0}};
  memset(mean, 0, (size_t)rows * sizeof *mean);
  for (int r = 0; r < rows; r++) {
    scale = fmax(scale, q->W[r * (rows + 1)]);
  }
  for (int step = 0; step < STEPS; step++) {
    spring_forces(q, dt, &s);
    for (int r = 0; r < rows; r++) {
      double a = q->b[r] / size;
      for (int k = 0; k < rows; k++) {
        a += q->W[r * rows + k] / scale * s.f[k];
      }
      s.v[r] += dt * a;
      mean[r] += step >= STEPS / 2 ? a * size / (STEPS - STEPS / 2) : 0;
    }
    for (int r = 0; r < rows; r++) {
      s.y[r] += dt * s.v[r];
    }
  }
}

// Index of the listed motion that the springs settle at; RH_NONE: at none of them. Springs have round
// cones: a polygon falls short of the circle by 1 - cos(pi / facets).
static int stiff_motion(const rh_cone *q, const rh_cone_motions *x)
{
  double mean[ROWS];
  double size = rh_lcp_size(3 * q->n, q->b);
  double round = x->facets > 0 ? 1 - rh_cos(3.14159265358979323846 / x->facets) : 0;
  int best = RH_NONE;
  double least = (0.02 + round) * size;
  settle_springs(q, size, mean);
  for (int k = 0; k < listed_count(x); k++) {
    double apart = rate_difference(x, k, mean);
    best = apart < least ? k : best;
    least = fmin(apart, least);
  }
  return best;
}

int rh_cone_motions_select(const rh_cone *q, const rh_cone_motions *x, const double *speed,
                           rh_select select)
{
  if (select == RH_SELECT_DISSIPATION) {
    return most_dissipated(x, speed);
  }
  if (select == RH_SELECT_STIFF) {
    return stiff_motion(q, x);
  }
  int best = 0;
  for (int k = 1; k < listed_count(x); k++) {
    best = norm_of_load(x, k) < norm_of_load(x, best) * (1 - 1e-9) ? k : best;
  }
  return best;
}
