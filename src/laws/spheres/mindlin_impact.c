// An oblique impact of elastic spheres with friction that remembers. The normal motion is known in
// closed form: with d^(1/4) dt = ds and y = 4/5 d^(5/4),
//   m y'' = -5/4 K y - c y',   dy/ds = dd/dt                    (Antypov and Elliott 2011)
// is a damped oscillation that ends where y = 0. The tangential motion
//   u_t' = W_tt F_t,   |F_t| <= mu max(F_n, 0)
// is integrated over it. s = S B(x), dB/dx = 630 x^4 (1 - x)^4, makes all functions of x smooth at
// both ends, so that the classical method of Runge and Kutta with STEPS steps has ten digits.
#include "mindlin.h"

#include "laws/material.h"

enum { STEPS = 4000, HALVINGS = 60 };

enum { SLIP, TWIST, IMPULSE, TIME, COUNT }; // u_t; xi [m] or F_t [N]; p_t; t

typedef struct course {
  const rh_mindlin_in *in;
  double K, c;              // of the normal force
  double decay, turn, span; // of the oscillation in s: exponent, frequency, length
  int dir;                  // 0 stick, else direction of slip
} course;

typedef struct normal_state {
  double depth, rate, force;
  double stiffness; // k_t
  double dsdx;      // ds/dx
  double dtdx;      // dt/dx
} normal_state;

static double blend_ends(double x)
{
  return x * x * x * x * x * (126 + x * (-420 + x * (540 + x * (-315 + x * 70))));
}

static normal_state normal_at(const course *c, double x)
{
  normal_state n = {0};
  double s = c->span * blend_ends(x);
  double left = c->span * blend_ends(1 - x);
  double sine = rh_sin(c->turn * fmin(s, left));
  double cosine = s < left ? rh_cos(c->turn * s) : -rh_cos(c->turn * left);
  double size = c->in->speed * rh_exp(-c->decay * s);
  double y = size / c->turn * sine;
  n.rate = size * (cosine - c->decay / c->turn * sine);
  n.depth = rh_pow(1.25 * fmax(y, 0), 0.8);
  double fourth = sqrt(sqrt(n.depth));
  n.force = fourth * (1.25 * c->K * y + c->c * n.rate);
  n.stiffness = rh_mindlin_stiffness(c->in->shear, c->in->radius, n.depth);
  n.dsdx = c->span * 630 * rh_pow(x * (1 - x), 4);
  n.dtdx = fourth > 0 ? n.dsdx / fourth : 0;
  return n;
}

// dF_n/dt
static double force_rate(const course *c, const normal_state *n)
{
  double root = sqrt(n->depth);
  double fourth = sqrt(root);
  double pull = 0.25 * n->rate * n->rate / (root * fourth) - fourth * n->force / c->in->mass;
  return 1.5 * c->K * root * n->rate + c->c * pull;
}

static double friction_limit(const course *c, const normal_state *n)
{
  return c->in->mu * fmax(n->force, 0);
}

static double friction_force(const course *c, const normal_state *n, const double *y)
{
  if (c->dir != 0) {
    return -c->dir * friction_limit(c, n);
  }
  return c->in->history == RH_HISTORY_SPRING ? -n->stiffness * y[TWIST] : y[TWIST];
}

static void rate_of(const course *c, double x, const double *y, double *dy)
{
  normal_state n = normal_at(c, x);
  double force = friction_force(c, &n, y);
  double rescaled = c->in->history == RH_HISTORY_RESCALE && n.rate < 0 && n.depth > 0
                        ? 0.5 * y[TWIST] * n.rate / n.depth
                        : 0;
  dy[SLIP] = c->in->Wtt * force * n.dtdx;
  dy[IMPULSE] = force * n.dtdx;
  dy[TIME] = n.dtdx;
  dy[TWIST] = c->dir != 0                           ? 0
              : c->in->history == RH_HISTORY_SPRING ? y[SLIP] * n.dtdx
                                                    : (rescaled - n.stiffness * y[SLIP]) * n.dtdx;
}

static void step_course(const course *c, double x, double h, const double *y, double *to)
{
  static const double part[4] = {0, 0.5, 0.5, 1};
  static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[COUNT] = {0};
  double sum[COUNT] = {0};
  for (int i = 0; i < 4; i++) {
    double at[COUNT];
    for (int j = 0; j < COUNT; j++) {
      at[j] = y[j] + part[i] * h * k[j];
    }
    rate_of(c, x + part[i] * h, at, k);
    for (int j = 0; j < COUNT; j++) {
      sum[j] += weight[i] * h * k[j];
    }
  }
  for (int j = 0; j < COUNT; j++) {
    to[j] = y[j] + sum[j];
  }
}

// > 0 while the mode lasts. Slip lasts while the force that sticking would give leaves the limit
// faster than the limit moves.
static double mode_margin(const course *c, double x, const double *y)
{
  normal_state n = normal_at(c, x);
  if (c->dir == 0) {
    return friction_limit(c, &n) - fabs(friction_force(c, &n, y));
  }
  if (n.depth <= 0 || n.force <= 0) {
    return 1;
  }
  double follows =
      c->in->history == RH_HISTORY_SPRING || (c->in->history == RH_HISTORY_RESCALE && n.rate < 0);
  double change = follows ? 0.5 * n.rate / n.depth : 0; // (dk_t/dt) / k_t
  double limit = force_rate(c, &n) - n.force * change;
  return c->dir * n.stiffness * y[SLIP] - c->in->mu * limit;
}

static void change_mode(course *c, double x, double *y)
{
  normal_state n = normal_at(c, x);
  double force = friction_force(c, &n, y);
  if (c->dir == 0) {
    c->dir = force > 0 || (force == 0 && y[SLIP] < 0) ? -1 : 1;
    return;
  }
  c->dir = 0;
  y[TWIST] = c->in->history == RH_HISTORY_SPRING ? -force / n.stiffness : force;
}

// With damping the normal force comes first, and the contact sticks for an instant; without it the
// rates of force and limit at touchdown decide.
static int first_mode(const course *c)
{
  const rh_mindlin_in *in = c->in;
  double part = in->history == RH_HISTORY_SPRING ? 6 : 4;
  bool sticks = fabs(in->slip) * part * in->shear <= in->mu * in->modulus * in->speed;
  return in->slip == 0 || (in->mu > 0 && (c->c > 0 || sticks)) ? 0 : in->slip > 0 ? 1 : -1;
}

static course course_of(const rh_mindlin_in *in)
{
  course c = {.in = in, .K = rh_hertz_stiffness(in->modulus, in->radius)};
  double a = rh_tsuji_damping(in->e);
  double root = sqrt(c.K / in->mass);
  c.c = a * sqrt(in->mass * c.K);
  c.decay = 0.5 * a * root;
  c.turn = sqrt(fmax(1.25 - 0.25 * a * a, 0)) * root;
  c.span = 3.14159265358979323846 / c.turn;
  c.dir = first_mode(&c);
  return c;
}

// The greatest normal force lies before the greatest depth: bisection for the zero of its rate.
static double greatest_force(const course *c, double deepest)
{
  double lo = 0;
  double hi = deepest;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (lo + hi);
    normal_state n = normal_at(c, middle);
    bool rises = n.depth <= 0 || force_rate(c, &n) > 0;
    lo = rises ? middle : lo;
    hi = rises ? hi : middle;
  }
  return normal_at(c, lo).force;
}

static void find_extremes(const course *c, rh_mindlin_out *out)
{
  double lo = 0;
  double hi = 1;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (lo + hi);
    bool falls = normal_at(c, middle).rate > 0;
    lo = falls ? middle : lo;
    hi = falls ? hi : middle;
  }
  out->depth = normal_at(c, lo).depth;
  out->force = greatest_force(c, lo);
}

// The part of a step after which the mode ends
static double mode_end(const course *c, double x, double h, const double *y)
{
  double lo = 0;
  double hi = h;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (lo + hi);
    double to[COUNT];
    step_course(c, x, middle, y, to);
    bool lasts = mode_margin(c, x + middle, to) >= 0;
    lo = lasts ? middle : lo;
    hi = lasts ? hi : middle;
  }
  return hi;
}

static bool begin_phase(const course *c, double time, rh_mindlin_out *out)
{
  if (out->nmode == RH_MINDLIN_MODES) {
    return false;
  }
  out->dir[out->nmode] = c->dir;
  out->from[out->nmode++] = time;
  return true;
}

bool rh_mindlin_impact(const rh_mindlin_in *in, rh_mindlin_out *out)
{
  course c = course_of(in);
  double y[COUNT] = {[SLIP] = in->slip};
  double x = 0;
  *out = (rh_mindlin_out){.pn = (1 + in->e) * in->mass * in->speed};
  find_extremes(&c, out);
  bool good = begin_phase(&c, 0, out);
  for (int i = 0; i < STEPS && good; i++) {
    double end = (double)(i + 1) / STEPS;
    while (x < end && good) {
      double to[COUNT];
      double h = end - x;
      step_course(&c, x, h, y, to);
      bool ends = end < 1 && mode_margin(&c, end, to) < 0;
      if (ends) {
        h = mode_end(&c, x, h, y);
        step_course(&c, x, h, y, to);
      }
      for (int j = 0; j < COUNT; j++) {
        y[j] = to[j];
      }
      x = ends ? x + h : end;
      if (ends) {
        change_mode(&c, x, y);
        good = begin_phase(&c, y[TIME], out);
      }
    }
  }
  out->slip = y[SLIP];
  out->pt = y[IMPULSE];
  out->time = y[TIME];
  return good;
}
