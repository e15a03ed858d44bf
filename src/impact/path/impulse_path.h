// impulse_path.h: the course of an impact at many points, in a time of its own (impulse_path.c, impulse_path_ends.c, impulse_path_mode.c, impulse_path_step.c, impulse_path_linear.c, impulse_path_stiff.c, impulse_path_creep.c, pair_factors.c).
#ifndef ROUTH_IMPACT_IMPULSE_PATH_H
#define ROUTH_IMPACT_IMPULSE_PATH_H

#include "impact/proximal.h"

#include <math.h>

typedef struct rh_impulse_path_rule {
  bool springs; // normal impulse rates lam_i are those of springs; else in given proportions
  bool local;   // springs: each point gives back e_i^2 of its own work; else all together
  // springs, local: forces kappa_i x_i^(3/2) of compressions x_i, which the state has in place of
  // lam_i; an open point has a gap, x_i < 0
  bool hertz;
  bool by_slip; // no springs: proportions s_i/mu_i, s_i the slip; else all equal
} rh_impulse_path_rule;

size_t rh_impulse_path_room(int n);
bool rh_impulse_path_run(const rh_many_in *in, const rh_impulse_path_rule *rule, double tolerance, double *room,
                   double *p, double *u_after, rh_many_out *out);

// Parameters of the rows that follow a course
#define RH_COURSE_PARAM                                                                            \
  {                                                                                                \
    .name = "impact_tolerance", .unit = "1", .def = 1e-6, .lo = 1e-12, .hi = 1e-2,                 \
    .doc = "error of one step along the impact, relative to the velocities"                        \
  }

// ---- Shared by its files

enum { RH_COURSE_STAGES = 7, RH_COURSE_DENSE = 9 };

// Mode of a point, kept until the next change
enum rh_impulse_path_mode {
  RH_COURSE_OPEN, // no force
  RH_COURSE_SLIP,
  RH_COURSE_STICK
};

typedef struct rh_impulse_path_problem { // the impact, its points in the order of this solver
  double *order;     // index in the input of point i (n)
  double *W, *u0, *mu, *e;
  double *kappa;     // stiffness (n)
  double *split;     // shares of the points, without springs (n)
  double *B, *sigma; // see proximal.h
} rh_impulse_path_problem;

typedef struct rh_impulse_path_stick { // directions of z that sticking points hold
  int held;     // their number
  double *Q;    // (held x r)
  double *BQ;   // B_t in them (2n x held)
  double *pull; // g in them (held)
  double *lean; // the last solution of the strain problem (held)
  bool leans;   // `lean` is known
} rh_impulse_path_stick;

// How the points of a body share its normal impulse, for one event (pair_factors.c)
enum rh_impulse_path_sharing {
  RH_SHARE_GIVEN, // as the scene states, or a single point
  RH_SHARE_SLIP,  // as s/mu: coplanar points
  RH_SHARE_PAIR   // by the factors of pairs
};

typedef struct rh_impulse_path_pairs {
  const rh_many_place *place; // in the order of the input; NULL: coplanar points of one body
  double *group;   // body of point i, or RH_NONE - 1 for those that take no part (n)
  double *side;    // 1: the impulse is on that body, -1: on the other (n)
  double *form;    // of its group (n)
  double *total;   // share of its group (n)
  double *part;    // friction over slip, mu lam/s (n)
  bool several;    // groups, or another form than slip
  bool given;      // the scene gives all proportions
  bool lost;       // a factor would be negative
  bool ended;      // it was: factors ended within an event
  double *share;   // rh_many_in.share; NULL: not wanted
} rh_impulse_path_pairs;

typedef struct rh_impulse_path_scratch {
  double *next, *try; // the state after a step; another one
  double *begun;      // the state at the start of an event
  double *k;          // slopes of a step (STAGES x size); the first is that of y
  double *H;          // of a check (r x r), and (r)
  double *none;       // zeros (3n)
  double *across;     // derivatives of z' by lam, one row per point (n x r)
  double *swap;       // r integers
  double *start, *rate_z, *radius, *p; // of a disc problem: (r), (r), (n), (3n)
  double *crept;      // friction of the creep step before, as a part of mu lam h (2n)
  double *lost;       // losses of the points (2n), in the order of the input
  double *traced;     // impulses and velocities in the order of the input (6n)
  double *solver;     // of the solvers
} rh_impulse_path_scratch;

typedef struct rh_impulse_path {
  const rh_impulse_path_rule *rule;
  double tolerance;
  int n, r, size; // points, rank, length of a state
  int moved;      // length of z and lam in the state; they do not depend on the rest
  rh_impulse_path_problem problem;
  rh_impulse_path_stick stick;
  rh_impulse_path_pairs pairs;
  rh_impulse_path_scratch scratch;
  double *y;      // the state: z (r), lam (n), p_n (n), works of the points W_n,i (n) and
                  // W_t,i (n), their sums W_n, W_t
  double *dense;  // the state within a step: coefficients of powers of the part of it (DENSE x size)
  int degree;     // of them
  double *mode;   // rh_impulse_path_mode (n)
  double *back;   // local springs: the point is released (n)
  double *way;    // directions of slip at the start of the step (2n)
  double *ahead;  // those of the last slope (2n)
  double *g;      // z' but for friction of the points that stick (r)
  double *u, *v;  // velocities of a state (3n), of y
  const rh_many_trace *trace;
  double past;    // [J] work of the events before
  int event;      // index of this one
  double speed;   // [m/s] the largest: the scale of velocities
  double still;   // [m/s] slower is no slip
  double stiff;   // [1/kg^0.5] of z over impulses
  double rate;    // [1/s] of the springs
  double time;    // the scale of time in this event
  bool repeated;  // e < 0: other events follow
  bool smooth;    // there is no friction
  bool even;      // slip has ceased in this event: all equal from now on
  bool turned;    // a slip reversed within the step
  bool thick;     // `dense` is known
  bool stiffly;   // the last step was an implicit one
  bool loose;     // some points marked as sticking slip
  double crept_h; // length of the creep step before; 0: there is none
  double creep;   // length that its error allows, 0: not known
  int again;      // points pressed in again, counted
} rh_impulse_path;

#define RH_COURSE_SLOW  1e-6 // of the first speed: no event
#define RH_COURSE_STILL 1e-9 // of it: at rest

// Normal force of point i at x, its entry of the state.
static inline double rh_impulse_path_force(const rh_impulse_path *c, int i, double x)
{
  return !c->rule->hertz ? x : x > 0 ? c->problem.kappa[i] * x * sqrt(x) : 0;
}

// Its derivative by x.
static inline double rh_impulse_path_force_slope(const rh_impulse_path *c, int i, double x)
{
  return !c->rule->hertz ? 1 : x > 0 ? 1.5 * c->problem.kappa[i] * sqrt(x) : 0;
}

// x' = -gain u_n, and released springs are stiffer: x' over `soft`.
static inline double rh_impulse_path_soft(const rh_impulse_path *c, int i)
{
  return c->back[i] > 0 ? c->problem.e[i] * c->problem.e[i] : 1;
}

static inline double rh_impulse_path_gain(const rh_impulse_path *c, int i)
{
  return c->rule->hertz ? 1 : c->problem.kappa[i];
}

// [m/s] x in units of velocity, for scales.
static inline double rh_impulse_path_speed_of(const rh_impulse_path *c, int i, double x)
{
  double d = c->problem.W[(3 * (size_t)i + 2) * (3 * (size_t)c->n + 1)];
  return c->rule->hertz ? x * c->rate : x * d / c->rate;
}

// impulse_path_ends.c

void rh_impulse_path_open(rh_impulse_path *c, const rh_many_in *in, double *room);
void rh_impulse_path_gather(rh_impulse_path *c, const double *y); // impulses of a state: c->p
bool rh_impulse_path_settle(rh_impulse_path *c, const rh_many_in *in, double *p, double *u_after,
                      rh_many_out *out);

// impulse_path_step.c

void rh_impulse_path_velocities(const rh_impulse_path *c, const double *y, double *u);
// y' = k. `first`: the step begins here.
void rh_impulse_path_slope(rh_impulse_path *c, const double *y, double *k, bool first);
// The state after h, in c->next, from c->y and the first slope; returns the error relative to the
// tolerance. NaN: no solution.
double rh_impulse_path_step(rh_impulse_path *c, double h);
// The same, implicit in the slip of points that hardly slip: their friction turns with small
// velocities (impulse_path_stiff.c).
double rh_impulse_path_step_stiff(rh_impulse_path *c, double h);
bool rh_impulse_path_is_stiff(const rh_impulse_path *c, double h,
                        double most); // do points turn faster than `most` of the step?
// The same where all is linear, as long as possible up to `most`: returns its length
// (impulse_path_linear.c).
double rh_impulse_path_step_linear(rh_impulse_path *c, double most);
bool rh_impulse_path_is_linear(const rh_impulse_path *c);
// A step with loose points (impulse_path_creep.c). Sets `dense`, too. Returns the error relative to the
// tolerance, 0: not known.
double rh_impulse_path_step_creep(rh_impulse_path *c, double h);
void rh_impulse_path_make_dense(rh_impulse_path *c, double h); // if it is not yet
void rh_impulse_path_within(const rh_impulse_path *c, double part, double *y);

// The first part of the step, up to `most`, where a linear form of the state, a + b y[from ...] of `count` entries, rises to zero.
typedef struct rh_impulse_path_form {
  double a;
  const double *b;
  int from, count;
} rh_impulse_path_form;

double rh_impulse_path_root(const rh_impulse_path *c, const rh_impulse_path_form *f, double most);
double rh_impulse_path_longest(const rh_impulse_path *c, bool *nearly); // step before a point may stop

// A zero between two values, the first negative, by false position: the end that stays twice counts half, and every eighth guess
// is the middle.
typedef struct rh_impulse_path_bracket {
  double lo, hi, at_lo, at_hi;
  int side; // the end that moved last: 1 hi, -1 lo
} rh_impulse_path_bracket;

static inline double rh_impulse_path_guess(const rh_impulse_path_bracket *b, int i)
{
  double x = (b->lo * b->at_hi - b->hi * b->at_lo) / (b->at_hi - b->at_lo);
  return i % 8 == 0 || !(x > b->lo && x < b->hi) ? 0.5 * (b->lo + b->hi) : x;
}

static inline void rh_impulse_path_narrow(rh_impulse_path_bracket *b, double x, double at)
{
  bool up = at > 0;
  b->hi = up ? x : b->hi;
  b->lo = up ? b->lo : x;
  b->at_lo = up ? b->at_lo * (b->side > 0 ? 0.5 : 1) : at;
  b->at_hi = up ? at : b->at_hi * (b->side < 0 ? 0.5 : 1);
  b->side = up ? 1 : -1;
}

// pair_factors.c

// Shares of the points that take part, from `split` > 0, and their groups; an event begins.
void rh_impulse_path_share_out(rh_impulse_path *c);
// Rates lam of the normal impulses, of one in all, by the velocities u; pairs.part: their friction over slip. False:
// a pair has no positive factor; equal within a body.
bool rh_impulse_path_shares(rh_impulse_path *c, const double *u, double *lam);
// Slip that the factors need has ceased, at c->v.
bool rh_impulse_path_unfactored(const rh_impulse_path *c);
// Time until it does, by the first slope.
double rh_impulse_path_factors_end(const rh_impulse_path *c);

// impulse_path_mode.c

void rh_impulse_path_first_modes(rh_impulse_path *c); // an event begins
double rh_impulse_path_change(
    rh_impulse_path *c,
    double h); // part of the step at which a spring changes its mode; c->u: after it
bool rh_impulse_path_update(
    rh_impulse_path *c); // updates modes at c->y, c->v; true: one changed
double rh_impulse_path_strain(
    rh_impulse_path *c,
    const double *y); // of the points that stick; > 1: some do not. After the slope at y
void rh_impulse_path_select(rh_impulse_path *c); // which points stick

#endif
