// course.c: the whole course of an impact with a tangential spring: parts of stick and of slip until
// the bodies separate. Adjoining parts that differ only in the normal stiffness are one phase.
#include "course.h"

#include <math.h>
#include <string.h>

enum { PARTS = 2000000 }; // maximum

#define SHORTEST 1e-10 // [tau] a stick that ends at the limit sooner: it has not left the limit
#define EVEN                                                                                       \
  1e-13 // of the largest term: couplings out of the plane of incidence that count as none
#define PLASTIC 1e-9 // a smaller restitution counts as zero: the result is reached linearly
#define SMALL   1e-6 // a smaller one counts as this where the normal force rises again in restitution

static void sample_here(const rh_course *c)
{
  if (c->watch != NULL && c->watch->at != NULL) {
    rh_course_sample(c, c->tau, c->f, c->p);
  }
}

// ---- Phases

static void report_phase(const rh_course *c, const rh_tangential_phase *phase)
{
  if (c->watch != NULL && c->watch->phase != NULL) {
    c->watch->phase(c->watch->user, phase);
  }
}

// Slip begins: along the pull of the spring, or along the velocity where there is none yet.
static void point_slip(rh_course *c)
{
  bool loaded = rh_course_dot(c->f, c->f, c->n) > 0;
  const double *from = loaded ? c->f : c->u;
  double sign = loaded ? -1 : 1;
  double size = c->dim == 2 ? fabs(from[0]) : rh_hypot(from[0], from[1]);
  c->way[0] = size > 0 ? sign * from[0] / size : 1;
  c->way[1] = size > 0 && c->dim == 3 ? sign * from[1] / size : 0;
  c->f[c->n] = fmax(c->f[c->n], 0);
  for (int i = 0; i < c->n; i++) {
    c->f[i] = -c->mu * c->f[c->n] * c->way[i];
  }
}

// u_n = 0. False: the impact is over, since restitution takes no time.
static bool turn_normal(rh_course *c, rh_tangential_out *out)
{
  double slope = rh_course_dot(c->W + (size_t)(c->n * c->dim), c->f, c->dim);
  c->u[c->n] = 0;
  if (c->compressing) {
    c->taken += 0.5 * c->f[c->n] * c->f[c->n] - c->begun;
    out->compressions++;
    out->tau_c = c->tau;
    out->Pc = c->unit_p * c->p[c->n];
    out->Wc = c->unit_u * c->unit_p * c->Wn;
  }
  if (c->compressing && c->e < PLASTIC) {
    return false;
  }
  bool again = slope < 0;
  if (again && !c->compressing) {
    c->begun = 0.5 * c->f[c->n] * c->f[c->n];
  } else if (again) { // it only touched zero: this compression goes on
    c->begun = 0.5 * c->f[c->n] * c->f[c->n];
    out->compressions--;
  }
  c->compressing = again;
  c->kappa = again ? 1 : 1 / (c->e * c->e);
  return true;
}

static bool starts_sticking(const rh_course *c)
{
  double slip = c->dim == 2 ? fabs(c->u[0]) : rh_hypot(c->u[0], c->u[1]);
  return slip < c->mu * c->eta2;
}

static rh_course_end follow_part(rh_course *c, const rh_tangential_phase *phase, bool holds)
{
  if (!phase->slips) {
    return rh_course_stick(c, c->tau == phase->tau0);
  }
  return c->dim == 2 ? rh_course_slip_line(c, holds) : rh_course_slip_turn(c, holds);
}

static bool follow_course(rh_course *c, rh_tangential_out *out)
{
  bool slips = !starts_sticking(c);
  bool holds = true;
  bool good = true;
  bool going = true;
  rh_tangential_phase phase = {.slips = slips};
  if (slips) {
    point_slip(c);
  }
  sample_here(c);
  for (int i = 0; going; i++) {
    double before = c->tau;
    rh_course_end end = i < PARTS ? follow_part(c, &phase, holds) : RH_COURSE_LOST;
    phase.dir = slips && c->dim == 2 ? (c->way[0] > 0 ? 1 : -1) : 0;
    phase.tau1 = c->tau;
    sample_here(c);
    if (end == RH_COURSE_TURN) {
      going = turn_normal(c, out);
      holds = true;
      continue;
    }
    going = end == RH_COURSE_LIMIT || end == RH_COURSE_HOLD;
    good = end != RH_COURSE_LOST;
    if (going) {
      holds = slips || c->tau - before > SHORTEST;
      out->phases += c->tau > phase.tau0;
      if (c->tau > phase.tau0) {
        report_phase(c, &phase);
      }
      out->Ps = slips && isnan(out->Ps) ? c->unit_p * c->p[c->n] : out->Ps;
      slips = !slips;
      phase = (rh_tangential_phase){.slips = slips, .tau0 = c->tau};
      if (slips) {
        point_slip(c);
      }
    }
  }
  out->phases++;
  report_phase(c, &phase);
  return good && isfinite(c->tau);
}

// ---- Scaling

static void open_course(rh_course *c, const rh_tangential_in *in)
{
  int n = in->dim;
  double Wnn = in->W[n * n - 1];
  memset(c, 0, sizeof *c);
  c->dim = n;
  c->n = n - 1;
  c->mu = in->mu;
  c->e = in->e;
  c->eta2 = in->eta2;
  c->unit_u = -in->u[n - 1];
  c->unit_p = c->unit_u / Wnn;
  for (int i = 0; i < n; i++) {
    c->u0[i] = c->u[i] = in->u[i] / c->unit_u;
    for (int k = 0; k < n; k++) {
      c->W[i * n + k] = 0.5 * (in->W[i * n + k] + in->W[k * n + i]) / Wnn;
    }
  }
  c->kappa = 1;
  c->compressing = true;
}

static bool run_course(rh_course *c, rh_tangential_out *out)
{
  double unit = c->unit_u * c->unit_p;
  bool good = follow_course(c, out);
  double total = 0;
  for (int i = 0; i < c->dim; i++) {
    out->p[i] = c->unit_p * c->p[i];
    out->u[i] = c->unit_u * c->u[i];
    total -= 0.5 * c->p[i] * (c->u0[i] + c->u[i]);
  }
  out->Dn = unit * (1 - c->e * c->e) * c->taken;
  out->Dt = unit * total - out->Dn; // of the slider, and with e = 0 of the spring that it lets go
  out->tau_f = c->tau;
  return good;
}

// ---- An impact in space whose course stays in the plane of incidence

typedef struct turned { // axes a = (cos, sin), b = (-sin, cos)
  double cos, sin;
} turned;

// Are slip, coupling and inertia along one tangential direction? `flat` gets the planar impact.
static bool lies_in_plane(const rh_tangential_in *in, turned *axes, rh_tangential_in *flat)
{
  const double *W = in->W;
  double slip = rh_hypot(in->u[0], in->u[1]);
  double pull = rh_hypot(W[2], W[5]);
  const double by_slip[2] = {in->u[0], in->u[1]};
  const double by_pull[2] = {W[2], W[5]};
  const double *along = slip > 0 ? by_slip : by_pull;
  double size = slip > 0 ? slip : pull;
  double c = size > 0 ? along[0] / size : 1;
  double s = size > 0 ? along[1] / size : 0;
  double cross = c * s * (W[4] - W[0]) + (c * c - s * s) * W[1];
  double side = c * W[5] - s * W[2];
  *axes = (turned){c, s};
  *flat = (rh_tangential_in){.dim = 2,
                             .W = {c * c * W[0] + 2 * c * s * W[1] + s * s * W[4],
                                   c * W[2] + s * W[5], c * W[2] + s * W[5], W[8]},
                             .u = {slip, in->u[2]},
                             .mu = in->mu,
                             .e = in->e,
                             .eta2 = in->eta2};
  return fabs(cross) <= EVEN * (W[0] + W[4]) && fabs(side) <= EVEN * (W[0] + W[4] + W[8]);
}

typedef struct flat_watch {
  const rh_tangential_watch *to;
  turned axes;
} flat_watch;

static void turn_back(const turned *axes, double x[3])
{
  double along = x[0];
  x[2] = x[1];
  x[0] = axes->cos * along;
  x[1] = axes->sin * along;
}

static void report_flat_phase(void *user, const rh_tangential_phase *phase)
{
  const flat_watch *w = user;
  rh_tangential_phase turned_phase = *phase;
  turned_phase.dir = 0;
  if (w->to->phase != NULL) {
    w->to->phase(w->to->user, &turned_phase);
  }
}

static void report_flat_place(void *user, const rh_tangential_at *at)
{
  const flat_watch *w = user;
  rh_tangential_at there = *at;
  turn_back(&w->axes, there.p);
  turn_back(&w->axes, there.u);
  if (w->to->at != NULL) {
    w->to->at(w->to->user, &there);
  }
}

static bool follow_impact(const rh_tangential_in *in, const rh_tangential_watch *watch,
                          rh_tangential_out *out)
{
  rh_course c;
  rh_tangential_in flat;
  flat_watch turning = {.to = watch};
  const rh_tangential_watch flat_calls = {report_flat_phase, report_flat_place,
                                          watch != NULL ? watch->samples : 0, &turning};
  *out = (rh_tangential_out){.tau_c = (double)NAN, .Ps = (double)NAN};
  memcpy(out->u, in->u, sizeof out->u);
  bool planar = in->dim == 3 && lies_in_plane(in, &turning.axes, &flat);
  open_course(&c, planar ? &flat : in);
  c.watch = planar && watch != NULL ? &flat_calls : watch;
  bool good = run_course(&c, out);
  if (planar) {
    turn_back(&turning.axes, out->p);
    turn_back(&turning.axes, out->u);
  }
  return good;
}

bool rh_tangential_impact(const rh_tangential_in *in, const rh_tangential_watch *watch,
                          rh_tangential_out *out)
{
  rh_tangential_in stiffer = *in;
  *out = (rh_tangential_out){.tau_c = (double)NAN, .Ps = (double)NAN};
  memcpy(out->u, in->u, sizeof out->u);
  if (!(in->u[in->dim - 1] < 0)) {
    return true;
  }
  // In a jam a spring that is 1/e^2 times stiffer is pressed in again and again, by parts of rounding.
  if (in->e >= PLASTIC && in->e < SMALL) {
    stiffer.e = SMALL;
    bool good = follow_impact(&stiffer, NULL, out);
    if (good && out->compressions > 1) {
      return follow_impact(&stiffer, watch, out);
    }
  }
  return follow_impact(in, watch, out);
}
