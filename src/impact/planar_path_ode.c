// planar_path_ode.c: a planar impact by integrating along the normal impulse, dP_t = -j mu dP_n
// while it slides: for checks of planar_path.c and for curves. It uses neither pieces nor formulas
// of the cases: a Runge-Kutta step of order four, and where a step passes the end of slip, the end
// of compression or the end of the impact, the step that just reaches it.
#include "impact/ratio/impulse_ratio.h"
#include "impact/tangential/tangential.h"

#include <math.h>

#define STEPS  4000 // at most; each is longer than the last
#define GROWTH 1.08
#define FIRST  64  // the first step, and that after an event, is the impulse so far over this
#define HALVES 200 // of a bracket, until its ends are neighbours

typedef struct place {
  double Pn, Pt, Wn, Wt; // impulses and their works
} place;

typedef struct ode {
  const rh_impact_law *law;
  const rh_planar_in *in;
  int slip;    // direction of sliding: 1, -1; 0 sticks
  bool rested; // slip was zero before: a later slip keeps its direction
  bool compressed;
  rh_impact_at at;
} ode;

static double slip_of(const rh_planar_in *in, const place *x)
{
  return in->S0 + in->Ktt * x->Pt + in->Ktn * x->Pn; // [WK] eq. 3.2a
}

static double speed_of(const rh_planar_in *in, const place *x)
{
  return in->C0 + in->Ktn * x->Pt + in->Knn * x->Pn; // [WK] eq. 3.2b
}

// ---- Steps

static place impulse_rates(const ode *o, const place *x)
{
  double t = o->slip != 0 ? -o->slip * o->in->mu_k : -o->in->Ktn / o->in->Ktt; // [WK] eq. 3.2c
  return (place){1, t, speed_of(o->in, x), t * slip_of(o->in, x)};             // [WK] eq. 3.6
}

static place advance_place(const place *x, const place *f, double h)
{
  return (place){x->Pn + h * f->Pn, x->Pt + h * f->Pt, x->Wn + h * f->Wn, x->Wt + h * f->Wt};
}

static place runge_kutta_step(const ode *o, const place *x, double h)
{
  place k1 = impulse_rates(o, x);
  place y = advance_place(x, &k1, h / 2);
  place k2 = impulse_rates(o, &y);
  y = advance_place(x, &k2, h / 2);
  place k3 = impulse_rates(o, &y);
  y = advance_place(x, &k3, h);
  place k4 = impulse_rates(o, &y);
  y = advance_place(x, &k1, h / 6);
  y = advance_place(&y, &k2, h / 3);
  y = advance_place(&y, &k3, h / 3);
  return advance_place(&y, &k4, h / 6);
}

// ---- Events: each is negative before and positive after.

typedef double event(const ode *o, const place *x);

static double slip_ends(const ode *o, const place *x)
{
  return o->rested ? -1 : -o->slip * slip_of(o->in, x);
}

static double compression_ends(const ode *o, const place *x)
{
  return o->compressed ? -1 : speed_of(o->in, x);
}

static double impact_ends(const ode *o, const place *x)
{
  rh_impact_at at = o->at;
  if (!o->compressed) {
    return -1;
  }
  at.P = x->Pn;
  at.C = speed_of(o->in, x);
  at.W = x->Wn;
  return o->law->over(&at, o->in->e);
}

static event *const events[] = {slip_ends, compression_ends, impact_ends};

enum { SLIP, COMPRESSION, IMPACT, EVENTS };

// The length of a step from x that just reaches the event, which a step of length h passes: false position, halved
// where that creeps; the result is the nearer side.
static double locate_event(const ode *o, const place *x, double h, event *g)
{
  double lo = 0;
  double hi = h;
  place y = runge_kutta_step(o, x, h);
  double g_lo = g(o, x);
  double g_hi = g(o, &y);
  for (int i = 0; i < HALVES && g_lo < 0; i++) {
    double mid = i % 3 == 2 ? 0.5 * (lo + hi) : lo - g_lo * (hi - lo) / (g_hi - g_lo);
    if (!(mid > lo && mid < hi)) {
      break;
    }
    y = runge_kutta_step(o, x, mid);
    double g_mid = g(o, &y);
    bool behind = g_mid >= 0;
    *(behind ? &hi : &lo) = mid;
    *(behind ? &g_hi : &g_lo) = g_mid;
    if (g_mid == 0) {
      break;
    }
  }
  return -g_lo < g_hi ? lo : hi;
}

// ---- The way

// From S = 0.
static void leave_rest(ode *o)
{
  const rh_planar_in *in = o->in;
  bool holds = fmax(in->mu_s, in->mu_k) * in->Ktt >= fabs(in->Ktn);
  o->slip = holds ? 0 : in->Ktn > 0 ? 1 : -1;
  o->rested = true;
}

static void report_place(const ode *o, const place *x, rh_planar_sample *sample, void *user)
{
  if (sample != NULL) {
    double S = o->slip != 0 ? slip_of(o->in, x) : 0;
    sample(user, x->Pn, x->Pt, S, speed_of(o->in, x), x->Wn, x->Wt);
  }
}

// Works of the size of rounding have no sign: T0 of the motion along n and t is their scale.
static void fill_result(const ode *o, const place *x, rh_planar_out *out)
{
  const rh_planar_in *in = o->in;
  double least = 1e-12 * (in->C0 * in->C0 / in->Knn + in->S0 * in->S0 / in->Ktt);
  out->Sf = o->slip != 0 ? slip_of(in, x) : 0;
  out->Cf = speed_of(in, x);
  out->Pt = x->Pt;
  out->Pn = x->Pn;
  out->Pc = o->at.Pc;
  out->Dn = -x->Wn;
  out->Dt = -x->Wt;
  out->gained = out->Dn + out->Dt < -least;
  out->normal_gained = out->Dn < -least;
}

static rh_planar_case case_of(const ode *o, const rh_planar_in *in, bool stopped, bool early)
{
  if (in->S0 == 0) {
    return o->slip == 0 ? RH_CASE_DIRECT_STICK : RH_CASE_DIRECT_SLIDE;
  }
  if (!stopped) {
    return RH_CASE_E;
  }
  if (in->C0 == 0) {
    return o->slip == 0 ? RH_CASE_TANGENTIAL_STICK : RH_CASE_TANGENTIAL_REVERSE;
  }
  if (early) {
    return o->slip == 0 ? RH_CASE_C : RH_CASE_A;
  }
  return o->slip == 0 ? RH_CASE_D : RH_CASE_B;
}

static void mark_corner(const place *x, rh_planar_out *out)
{
  if (out->ncorner < RH_COUNT(out->corner)) {
    out->corner[out->ncorner][0] = x->Pt;
    out->corner[out->ncorner][1] = x->Pn;
    out->ncorner++;
  }
}

// Takes a step of length h at most; returns the event it ends at, EVENTS if at none.
static int advance_to_event(const ode *o, place *x, double h)
{
  int which = EVENTS;
  place y = runge_kutta_step(o, x, h);
  for (int i = 0; i < EVENTS; i++) {
    if (events[i](o, &y) > 0) {
      double shorter = locate_event(o, x, h, events[i]);
      if (which == EVENTS || shorter < h) {
        which = i;
        h = shorter;
        y = runge_kutta_step(o, x, h);
      }
    }
  }
  *x = y;
  return which;
}

bool rh_planar_ode(const rh_impact_law *law, const rh_planar_in *in, rh_planar_sample *sample,
                   void *user, rh_planar_out *out)
{
  ode o = {.law = law, .in = in, .slip = (in->S0 > 0) - (in->S0 < 0), .at = {.C0 = in->C0}};
  place x = {0};
  if (rh_tangential_applies(law, in->eta2)) {
    return rh_tangential_planar(in, sample, user, out);
  }
  if (rh_ratio_applies(law, in->C0)) {
    rh_ratio_planar(in, sample, user, out);
    return true;
  }
  *out = (rh_planar_out){.kind = RH_CASE_NONE, .Ps = (double)NAN};
  double jamming = in->Knn - o.slip * in->mu_k * in->Ktn; // initial rate of C
  mark_corner(&x, out);
  report_place(&o, &x, sample, user);
  if (in->C0 > 0 || (in->C0 == 0 && !(o.slip != 0 && jamming < 0))) {
    fill_result(&o, &x, out);
    out->Sf = in->S0;
    return true;
  }
  out->jam = o.slip != 0 && jamming < 0;
  if (o.slip == 0) {
    leave_rest(&o);
    out->Ps = 0;
  }
  bool early = false;
  double least = (in->C0 != 0 ? -in->C0 / in->Knn : fabs(in->S0) / in->Ktt) / FIRST;
  double h = least;
  for (int i = 0; i < STEPS; i++) {
    int which = o.compressed && impact_ends(&o, &x) >= 0 ? IMPACT : advance_to_event(&o, &x, h);
    h = which == EVENTS ? h * GROWTH : fmax(least, x.Pn / FIRST);
    if (which == SLIP) {
      out->Ps = x.Pn;
      early = !o.compressed;
      leave_rest(&o);
    } else if (which == COMPRESSION) {
      o.compressed = true;
      o.at.Pc = x.Pn;
      o.at.Wc = x.Wn;
    }
    if (which != EVENTS) {
      mark_corner(&x, out);
    }
    report_place(&o, &x, sample, user);
    if (which == IMPACT) {
      out->kind = case_of(&o, in, !isnan(out->Ps), early);
      fill_result(&o, &x, out);
      return true;
    }
  }
  fill_result(&o, &x, out);
  return false;
}
