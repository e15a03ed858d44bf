// law_slip.c: a single friction law: a point moves slowly to and fro under a constant normal force,
// the weight of the mass. The law's states are integrated by the stiff integrator; the normal law
// gives the depth, for friction laws that grow with it.
#include "law.h"

#include "event/integrator.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81
#define SPEED   0.01  // [m/s] maximum speed: slow, but above the regularisation of friction
#define DECADES 8     // tries with less speed, a tenth each
#define NEAR    1e-12 // [m] slip before this counts as immediate
#define REACH   8.0   // amplitude of the motion, in displacements at which slip begins
#define DIRECT  1e-3  // [m] amplitude for laws without states, which slip at once
#define TURNS   1.25  // from rest, then once to and fro

static const double TWO_PI = 6.28318530717958647692;

typedef struct rub {
  const rh_law_job *job;
  const rh_law_slip *slip;
  rh_ode flow;
  double t;
  double s[RH_FRICTION_STATES];
  double omega; // [rad/s] of the motion; 0: steady forward motion
  const rh_integrator *row;
  void *integrator;
} rub;

static double speed_at(const rub *r, double t)
{
  return r->slip->speed * (r->omega > 0 ? rh_cos(r->omega * t) : 1);
}

static void evaluate_friction(const rub *r, double t, const double *s, rh_friction_out *out)
{
  rh_friction_in in = {.depth = r->slip->depth,
                       .normal = r->slip->normal,
                       .slip = {speed_at(r, t), 0},
                       .par = r->job->tangential.par,
                       .s = s,
                       .radius = r->job->radius};
  memset(out, 0, sizeof *out);
  r->job->friction->force(&in, out);
}

static int bristle_rates(void *user, double t, const double *y, double *ydot)
{
  const rub *r = user;
  rh_friction_out out;
  evaluate_friction(r, t, y, &out);
  for (int i = 0; i < r->flow.n; i++) {
    ydot[i] = out.ds[i];
    if (!isfinite(ydot[i])) {
      return 1;
    }
  }
  return 0;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is rh_ode's
static void keep_state(void *user, double *y)
{
  (void)user;
  (void)y;
}

static rh_status rub_open(rub *r, const rh_law_job *job, const rh_law_slip *slip, double omega)
{
  double par[RH_PAR_MAX];
  *r = (rub){.job = job, .slip = slip, .omega = omega, .row = rh_integrator_find("cvode")};
  r->flow = (rh_ode){.user = r,
                     .n = job->friction->nstate,
                     .y = r->s,
                     .t = &r->t,
                     .first_step = HUGE_VAL,
                     .rate = bristle_rates,
                     .project = keep_state};
  if (r->flow.n == 0) {
    return RH_OK;
  }
  const rh_row *row = &r->row->row;
  rh_row_defaults(row, par);
  par[rh_row_offset(row, rh_row_find(row, "method"))] = 1; // bdf
  par[rh_row_offset(row, rh_row_find(row, "atol"))] = 1e-14;
  if (omega > 0) { // sliding is steady; a long step would miss the turn
    par[rh_row_offset(row, rh_row_find(row, "max_step"))] = TWO_PI / omega / RH_LAW_SLIP;
  }
  rh_status status = r->row->open(&r->flow, par, NULL, &r->integrator);
  return status == RH_OK ? RH_OK : rh_refuse(status, "law: %s", rh_status_message(status));
}

static void rub_close(rub *r)
{
  if (r->integrator != NULL) {
    r->row->close(r->integrator);
  }
}

static rh_status rub_to(rub *r, double t, rh_friction_out *out)
{
  rh_advance how = r->flow.n > 0 ? RH_ADVANCE_YIELD : RH_ADVANCE_REACHED;
  rh_status status = RH_OK;
  int hit[1];
  while (how == RH_ADVANCE_YIELD) {
    how = r->row->advance(r->integrator, t, HUGE_VAL, hit, &status);
  }
  if (how == RH_ADVANCE_FAILED) {
    return rh_refuse(status, "law: %s: %s", r->job->friction->row.name, rh_status_message(status));
  }
  evaluate_friction(r, t, r->s, out);
  return isfinite(out->force[0]) ? RH_OK
                                 : rh_refuse(RH_NOT_FINITE, "law: the friction of %s is not finite",
                                             r->job->friction->row.name);
}

// The depth at which the normal law carries the weight at rest.
static bool find_depth(const rh_law_job *job, double normal, double *depth)
{
  double lo = 0;
  double hi = 1e-12;
  for (int i = 0; i < 400; i++) {
    double middle = lo > 0 ? 0.5 * (lo + hi) : hi;
    rh_normal_in in = {.depth = middle, .radius = job->radius, .par = job->normal.par};
    rh_normal_out out = {0};
    job->law->force(&in, &out);
    bool below = out.spring + out.damper < normal;
    if (lo == 0 && below && hi < 1e6) {
      hi *= 2; // still searching for an upper bound
    } else if (lo == 0) {
      lo = 0.5 * hi;
    } else if (below) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  *depth = hi;
  return hi < 1e6;
}

// Steady motion from rest until it slips: its distance.
static rh_status push_until_slip(const rh_law_job *job, rh_law_slip *slip)
{
  rub r;
  rh_friction_out out = {0};
  rh_status status = rub_open(&r, job, slip, 0);
  slip->breakaway = (double)NAN;
  double x = NEAR;
  while (status == RH_OK && isnan(slip->breakaway) && x < 1) {
    status = rub_to(&r, x / slip->speed, &out);
    if (status == RH_OK && out.margin < 0) {
      slip->breakaway = x;
    }
    x *= 1.02;
  }
  rub_close(&r);
  return status;
}

// Dampers hold back a fast motion before the springs do: slower, until the start of slip no longer
// changes.
static rh_status find_breakaway(const rh_law_job *job, rh_law_slip *slip)
{
  slip->breakaway = (double)NAN;
  slip->amplitude = DIRECT;
  if (job->friction->nstate == 0) {
    return RH_OK;
  }
  double before = 0;
  bool settled = false;
  for (int i = 0; i < DECADES && !settled; i++) {
    slip->speed = SPEED * rh_pow(10, -i);
    RH_TRY(push_until_slip(job, slip));
    settled = isnan(slip->breakaway) || slip->breakaway < 1.1 * before;
    before = slip->breakaway > NEAR ? slip->breakaway : 0;
  }
  slip->amplitude = isfinite(slip->breakaway) ? REACH * slip->breakaway : DIRECT;
  return RH_OK;
}

rh_status rh_law_rub(const rh_law_job *job, rh_law_slip *slip)
{
  rub r;
  *slip = (rh_law_slip){.normal = job->mass * GRAVITY, .speed = SPEED};
  if (!find_depth(job, slip->normal, &slip->depth)) {
    return rh_refuse(RH_INPUT_REFUSED, "law: %s cannot carry %g N at any depth", job->law->row.name,
                     slip->normal);
  }
  RH_TRY(find_breakaway(job, slip));
  double omega = slip->speed / slip->amplitude;
  rh_status status = rub_open(&r, job, slip, omega);
  for (int i = 0; status == RH_OK && i < RH_LAW_SLIP; i++) {
    double t = TURNS * TWO_PI / omega * (double)i / (double)(RH_LAW_SLIP - 1);
    rh_friction_out out = {0};
    if (i == 0) {
      evaluate_friction(&r, 0, r.s, &out);
    } else {
      status = rub_to(&r, t, &out);
    }
    slip->x[i] = slip->amplitude * rh_sin(omega * t);
    slip->f[i] = -out.force[0];
    slip->peak = fmax(slip->peak, fabs(slip->f[i]));
    if (i > (RH_LAW_SLIP - 1) / 5) { // the last full turn, by the trapezoid rule
      slip->lost += 0.5 * (slip->f[i] + slip->f[i - 1]) * (slip->x[i] - slip->x[i - 1]);
    }
  }
  rub_close(&r);
  return status;
}
