// spatial_path.c: impact at one point in space, the impulse path of Keller and Stronge with friction. While the point slips
// friction opposes the slip, dp_t = -mu u_t/s dp_n with s = |u_t|, and the direction of slip turns. With tau as the
// variable, dp_n = s dtau, the path is regular where slip ends: all rates are homogeneous of degree one in the slip,
//     u_t' = Wtn s - mu Wtt u_t,   p_n' = s,   p_t' = -mu u_t,   u_n' = Wnn s - mu Wtn.u_t,
// and the work of the normal impulse and of friction is Wn' = s u_n, Wt' = -mu s^2. [Ch]
// 2.21-2.23*, 2.28-2.31*
// In tau slip ends only after an infinite time. But near a direction that does not turn the path is
// straight in p_n, and the part across it decays in any case (across an invariant direction d the
// slip obeys y' = -mu d2'Wtt d2 y with d2 across d), so the last stretch to s = 0 is in closed
// form. At s = 0 the point sticks if mu_s reaches the critical coefficient |Wtt^-1 Wtn|; otherwise
// it slips on along the one direction d for which (mu Wtt + lam) d = Wtn, |d| = 1, lam > 0, and no
// longer turns. [Ch] 2.24-2.27*
// Once the slip is near the direction it will keep, the rest of it is one series
// (spatial_path_tail.c).
// Curved stretches before are integrated by Taylor series, whose polynomials give every quantity
// anywhere in the step, so that events are found to rounding. Between events u_n is monotone: steps
// are cut where its slope changes sign.
// Left out: torsional friction, compliance in the tangent plane (the point either sticks or slips).
#include "spatial_path.h"
#include "impact/ratio/impulse_ratio.h"
#include "impact/tangential/tangential.h"

#include <math.h>
#include <string.h>

#define TURNING 2e-15 // an angle, or a velocity relative to the first ones, below this is zero
#define STEPS   1000  // spans of a path; 40 would be many
#define DOUBLED 1100  // times an endless span is doubled: from the least number to the greatest
#define SEARCH  200   // steps of a search for a root
#define GAIN    1e-12 // energy gained, relative to the works, that is more than rounding
#define TIED    1e-10 // of W_nn: a point that sticks does not move along the normal either

typedef enum target { FIND_TURN, FIND_OVER, FIND_IMPULSE, FIND_SIDE, FIND_SLOPE } target;

// ---- Along a span

static double end_margin(const rh_path3 *m, const double y[NY])
{
  rh_impact_at here = {
      .P = y[PN], .C = y[CN], .W = y[WN], .C0 = m->in->u[2], .Pc = m->Pc, .Wc = m->Wc};
  return m->law->over(&here, m->e);
}

static double span_value(const rh_path3 *m, const rh_span *s, target what, double x)
{
  const rh_span_spot at = rh_span_spot_at(s, x);
  double y[NY];
  switch (what) {
  case FIND_TURN:
    return rh_span_one(s, CN, at);
  case FIND_OVER:
    y[PN] = rh_span_one(s, PN, at);
    y[CN] = rh_span_one(s, CN, at);
    y[WN] = rh_span_one(s, WN, at);
    return end_margin(m, y);
  case FIND_IMPULSE:
    return rh_span_one(s, PN, at) - m->want[m->done];
  case FIND_SIDE:
    return m->Wtn[0] * rh_span_one(s, U2, at) - m->Wtn[1] * rh_span_one(s, U1, at);
  default: // FIND_SLOPE
    y[U1] = rh_span_one(s, U1, at);
    y[U2] = rh_span_one(s, U2, at);
    return m->Wnn * sqrt(y[U1] * y[U1] + y[U2] * y[U2]) -
           m->mu * (m->Wtn[0] * y[U1] + m->Wtn[1] * y[U2]);
  }
}

// Zero of the curve through the last three places, as a part of the way from a to b; 1/2 where it
// is unreliable. (Chandrupatla)
static double part_of_way(double a, double fa, double b, double fb, double c, double fc)
{
  double x = (a - b) / (c - b);
  double f = (fa - fb) / (fc - fb);
  if (!(f * f < x && (1 - f) * (1 - f) < 1 - x)) {
    return 0.5;
  }
  return fa / (fb - fa) * (fc / (fb - fc)) +
         (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
}

// Where a value that has opposite signs at lo and hi is zero, to rounding.
static double find_root(const rh_path3 *m, const rh_span *s, target what, double lo, double hi)
{
  double a = hi;
  double b = lo;
  double fa = span_value(m, s, what, hi);
  double fb = span_value(m, s, what, lo);
  const double rounding = 1.2e-16 * fmin(fabs(fa), fabs(fb));
  if (fb == 0 || (fb > 0) == (fa > 0)) { // the second: both are rounding
    return fabs(fb) <= fabs(fa) ? lo : hi;
  }
  double part = fa / (fa - fb);
  for (int i = 0; i < SEARCH; i++) {
    double x = a + part * (b - a);
    double f = span_value(m, s, what, x);
    double c = a; // the dropped place
    double fc = fa;
    if ((f > 0) != (fa > 0)) {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = f;
    double best = fabs(fa) <= fabs(fb) ? a : b;
    double small = 2.2e-16 * fabs(best) / fabs(b - a);
    if (fabs(fa) <= rounding || !(small < 0.5)) {
      return fabs(fa) <= rounding ? a : best;
    }
    part = fmin(fmax(part_of_way(a, fa, b, fb, c, fc), small), 1 - small);
  }
  return a;
}

static void take_sample(rh_path3 *m, const double y[NY])
{
  rh_point_at *to = &m->sample[m->done++];
  memcpy(to->p, y, 3 * sizeof(double));
  to->u[0] = y[U1];
  to->u[1] = y[U2];
  to->u[2] = y[CN];
  to->Wn = y[WN];
  to->Wt = y[WT];
}

// Moves the state to `to` at x and takes the samples requested on the way.
static void move_to(rh_path3 *m, const rh_span *s, double from, double x, const double to[NY])
{
  double y[NY];
  memcpy(m->y, to, sizeof m->y);
  while (m->done < m->nwant && m->want[m->done] <= m->y[PN]) {
    rh_span_at(s, find_root(m, s, FIND_IMPULSE, from, x), y);
    take_sample(m, y);
  }
}

static void note_event(rh_path3 *m, rh_point_turn kind, const double d[2])
{
  if (m->log != NULL && m->log->n < RH_POINT_TURNS) {
    int i = m->log->n++;
    m->log->at[i].kind = kind;
    m->log->at[i].pn = m->y[PN];
    m->log->at[i].phi = d != NULL ? rh_atan2(d[1], d[0]) : 0;
    m->log->at[i].compressing = m->compressing;
  }
}

static void switch_phase(rh_path3 *m, bool compressing)
{
  note_event(m, compressing ? RH_TURN_SHIFT : RH_TURN_COMPRESSED, NULL);
  m->y[CN] = 0;
  m->compressing = compressing;
  if (compressing) {
    m->shifts++;
  } else if (!m->early) {
    m->Pc = m->y[PN];
    m->Wc = m->y[WN];
  }
  m->ended = m->early || (!compressing && end_margin(m, m->y) >= 0);
}

// From lo to hi u_n is monotone, so that it is zero once at most, and so is the end function of the
// impact. True: the rest may have further events; *lo has moved.
static bool pass_first_event(rh_path3 *m, const rh_span *s, double *lo, double hi)
{
  double y[NY];
  double from = *lo;
  rh_span_at(s, hi, y);
  bool turns = m->compressing ? y[CN] >= 0 : y[CN] < 0;
  double stop = turns ? find_root(m, s, FIND_TURN, from, hi) : hi;
  if (turns) {
    rh_span_at(s, stop, y);
    y[CN] = 0;
  }
  if (m->early) {
    double sign = span_value(m, s, FIND_OVER, from);
    m->ended = !(sign * end_margin(m, y) > 0);
  } else if (!m->compressing) {
    m->ended = end_margin(m, y) >= 0;
  }
  if (m->ended) {
    stop = find_root(m, s, FIND_OVER, from, stop);
    rh_span_at(s, stop, y);
  }
  move_to(m, s, from, stop, y);
  if (m->ended) {
    return false;
  }
  *lo = stop;
  if (turns) {
    switch_phase(m, !m->compressing);
  }
  return turns && !m->ended && stop < hi;
}

static void walk_monotone(rh_path3 *m, const rh_span *s, double lo, double hi)
{
  for (int i = 0; i < 4 && pass_first_event(m, s, &lo, hi); i++) {}
}

// Between lo and hi the slope of u_n changes sign once at most.
static void walk_half(rh_path3 *m, const rh_span *s, double lo, double hi)
{
  double at_lo = span_value(m, s, FIND_SLOPE, lo);
  double at_hi = span_value(m, s, FIND_SLOPE, hi);
  double mid = hi;
  if ((at_lo > 0) != (at_hi > 0)) {
    mid = find_root(m, s, FIND_SLOPE, lo, hi);
    walk_monotone(m, s, lo, mid);
  }
  if (!m->ended && (mid < hi || (at_lo > 0) == (at_hi > 0))) {
    walk_monotone(m, s, mid < hi ? mid : lo, hi);
  }
}

// The slope of u_n is Wnn - mu Wtn.d, largest and smallest where d is along Wtn: between those it changes sign once.
static void walk_curve(rh_path3 *m, const rh_span *s, double lo, double hi)
{
  double pull = m->mu * sqrt(m->Wtn[0] * m->Wtn[0] + m->Wtn[1] * m->Wtn[1]);
  if (pull <= m->Wnn) {
    walk_monotone(m, s, lo, hi);
    return;
  }
  if ((span_value(m, s, FIND_SIDE, lo) > 0) != (span_value(m, s, FIND_SIDE, hi) > 0)) {
    double mid = find_root(m, s, FIND_SIDE, lo, hi);
    if (mid > lo) {
      walk_half(m, s, lo, mid);
    }
    lo = mid;
  }
  if (!m->ended && lo < hi) {
    walk_half(m, s, lo, hi);
  }
}

// Ends the slip along d.
static void stop_slip(rh_path3 *m, const double d[2])
{
  note_event(m, RH_TURN_STOP, d);
  m->y[U1] = 0;
  m->y[U2] = 0;
}

static void walk_line(rh_path3 *m, const rh_span *s)
{
  if (s->end < HUGE_VAL) {
    walk_monotone(m, s, 0, s->end);
    if (!m->ended) {
      stop_slip(m, m->way);
    }
    return;
  }
  double lo = 0;
  double hi = fmax(fabs(m->y[CN]) / fabs(s->q[1][CN]), m->y[PN]);
  for (int i = 0; i < DOUBLED && !m->ended && hi < HUGE_VAL; i++) {
    walk_monotone(m, s, lo, hi);
    lo = hi;
    hi *= 2;
  }
}

// Slip that turns: a part of it, or all the rest.
static void walk_slip(rh_path3 *m, const rh_span *s)
{
  double lo = 0;
  double hi = 1;
  if (s->end < HUGE_VAL) {
    walk_curve(m, s, 0, s->end);
    if (s->beta > 0 && !m->ended) {
      stop_slip(m, s->way);
    }
    return;
  }
  for (int i = 0; i < DOUBLED && !m->ended && hi < HUGE_VAL; i++) {
    walk_curve(m, s, lo, hi);
    lo = hi;
    hi *= 2;
  }
}

// ---- The path

// The tip of an arm on one hinge moves along the normal only as it slides: where friction holds it the impact is over, whatever e,
// and what the tip's compression has stored is lost.
static bool is_jammed(const rh_path3 *m, const rh_span *s)
{
  return m->stuck && fabs(s->q[1][CN]) <= TIED * m->Wnn && fabs(m->y[CN]) <= TIED * m->speed;
}

// From rest in the tangent plane: the point sticks, or slip begins. False: u_n does not grow, which
// is rounding of a singular W.
static bool begin_line(rh_path3 *m, rh_span *s)
{
  double d[2];
  double rate;
  double critical = rh_point_critical(m->in->W, m->mu, d, &rate);
  m->y[U1] = 0;
  m->y[U2] = 0;
  m->stuck = m->mu_s >= critical;
  if (m->stuck) {
    rh_span_stick(m, s);
  } else {
    const double ft[2] = {-m->mu * d[0], -m->mu * d[1]};
    rh_span_line(m, d, rate, ft, s);
    note_event(m, RH_TURN_SLIP, d);
  }
  return s->q[1][CN] > 0;
}

// Slip at speed s along d: the line it follows, or false where it turns.
static bool slip_line(const rh_path3 *m, double slip, rh_span *s)
{
  const double d[2] = {m->y[U1] / slip, m->y[U2] / slip};
  const double ft[2] = {-m->mu * d[0], -m->mu * d[1]};
  double r1 = m->Wtn[0] + m->Wtt[0] * ft[0] + m->Wtt[1] * ft[1];
  double r2 = m->Wtn[1] + m->Wtt[1] * ft[0] + m->Wtt[2] * ft[1];
  double f = d[0] * r1 + d[1] * r2;
  double g = fabs(d[0] * r2 - d[1] * r1);
  double settle =
      m->mu * (d[1] * d[1] * m->Wtt[0] - 2 * d[0] * d[1] * m->Wtt[1] + d[0] * d[0] * m->Wtt[2]);
  double noise =
      f < 0 ? fmax(TURNING, TURNING * 0.1 * m->speed / slip) : TURNING; // as left by step_end
  bool straight = g <= noise * m->rate;
  bool fading = f < 0 && g * m->rate * slip <= TURNING * settle * settle * m->speed;
  if (straight || fading) {
    rh_span_line(m, d, f, ft, s);
  }
  return straight || fading;
}

static bool follow_path(rh_path3 *m)
{
  rh_span s;
  for (int i = 0; i < STEPS && !m->ended; i++) {
    double slip = sqrt(m->y[U1] * m->y[U1] + m->y[U2] * m->y[U2]);
    m->way[0] = m->y[U1];
    m->way[1] = m->y[U2];
    if (m->mu == 0 && slip > 0) { // no rate depends on the slip, which grows by Wtn
      const double none[2] = {0, 0};
      rh_span_line(m, m->Wtn, 1, none, &s);
      walk_line(m, &s);
    } else if (slip <= RH_SLIP_ROUNDING * m->speed) {
      bool grows = begin_line(m, &s);
      if (is_jammed(m, &s)) {
        m->y[CN] = 0;
        return true;
      }
      if (!grows) {
        return false;
      }
      walk_line(m, &s);
    } else if (slip_line(m, slip, &s)) {
      walk_line(m, &s);
    } else {
      if (!rh_span_tail(m, slip, &s)) {
        rh_span_curve(m, &s);
      }
      walk_slip(m, &s);
    }
    if (!isfinite(m->y[PN])) {
      return false;
    }
  }
  return m->ended;
}

static void open_path(rh_path3 *m, const rh_impact_law *law, const rh_point_in *in)
{
  const double *W = in->W;
  memset(m, 0, sizeof *m);
  m->law = law;
  m->in = in;
  m->e = in->e;
  m->Wtt[0] = W[0];
  m->Wtt[1] = 0.5 * (W[1] + W[3]);
  m->Wtt[2] = W[4];
  m->Wtn[0] = 0.5 * (W[2] + W[6]);
  m->Wtn[1] = 0.5 * (W[5] + W[7]);
  m->Wnn = W[8];
  m->mu = in->mu_k;
  m->mu_s = fmax(in->mu_s, in->mu_k);
  m->rate = sqrt(m->Wtn[0] * m->Wtn[0] + m->Wtn[1] * m->Wtn[1]) + m->mu * (m->Wtt[0] + m->Wtt[2]);
  m->speed = sqrt(in->u[0] * in->u[0] + in->u[1] * in->u[1] + in->u[2] * in->u[2]);
  m->y[CN] = in->u[2];
  m->y[U1] = in->u[0];
  m->y[U2] = in->u[1];
  m->compressing = true;
}

// True if an impact begins. Without an approach only if the point slips and friction makes it
// approach ([WK] ch. 3: a tangential impact).
static bool impact_begins(const rh_path3 *m)
{
  const double *u = m->in->u;
  double slip = sqrt(u[0] * u[0] + u[1] * u[1]);
  if (u[2] < 0) {
    return true;
  }
  return u[2] == 0 && slip > 0 && m->Wnn - m->mu * (m->Wtn[0] * u[0] + m->Wtn[1] * u[1]) / slip < 0;
}

static void fill_result(const rh_path3 *m, rh_point_out *out)
{
  double moved = 0;
  memcpy(out->p, m->y, 3 * sizeof(double));
  out->u[0] = m->y[U1]; // not u + W p: the path is more accurate where W is nearly singular
  out->u[1] = m->y[U2];
  out->u[2] = m->y[CN];
  for (int i = 0; i < 3; i++) {
    moved += fabs(out->p[i]) * (fabs(m->in->u[i]) + fabs(out->u[i]));
  }
  out->Pc = m->Pc;
  out->Wc = m->Wc;
  out->Dn = -m->y[WN];
  out->Dt = -m->y[WT];
  out->e = m->in->u[2] != 0 ? -out->u[2] / m->in->u[2] : (double)NAN;
  out->stuck = m->stuck;
  out->shifts = m->shifts;
  out->gained = out->Dn + out->Dt < -GAIN * moved;
}

// With e < 0 the impact ends in compression, where the law's condition is first met; the whole
// compression must be known before. [Ch] 2.33*
static bool follow_early(rh_path3 *m, const rh_impact_law *law, const rh_point_in *in)
{
  rh_path3 whole;
  open_path(&whole, law, in);
  whole.e = 0;
  if (!follow_path(&whole)) {
    return false;
  }
  m->early = true;
  m->Pc = whole.Pc;
  m->Wc = whole.Wc;
  m->ended = end_margin(m, m->y) == 0;
  return follow_path(m);
}

static bool input_is_valid(const rh_point_in *in)
{
  double sum = in->mu_s + in->mu_k + in->e;
  for (int i = 0; i < 9; i++) {
    sum += in->W[i];
  }
  for (int i = 0; i < 3; i++) {
    sum += in->u[i];
  }
  return isfinite(sum) && in->mu_k >= 0 && in->W[0] >= 0 && in->W[4] >= 0 && in->W[8] > 0;
}

static bool trace_path(const rh_impact_law *law, const rh_point_in *in, const rh_point_want *want,
                       rh_point_log *log, rh_point_out *out)
{
  rh_path3 m;
  bool good = input_is_valid(in);
  if (good && rh_tangential_applies(law, in->eta2)) {
    return rh_tangential_point(in, want, out);
  }
  if (good && rh_ratio_applies(law, in->u[2])) {
    rh_ratio_point(in, want, out);
    return true;
  }
  open_path(&m, law, in);
  m.log = log;
  if (want != NULL) {
    m.nwant = want->n;
    m.want = want->pn;
    m.sample = want->at;
  }
  if (good && impact_begins(&m)) {
    good = in->e < 0 ? follow_early(&m, law, in) : follow_path(&m);
  }
  while (m.done < m.nwant) {
    take_sample(&m, m.y);
  }
  fill_result(&m, out);
  return good;
}

bool rh_point_trace(const rh_impact_law *law, const rh_point_in *in, const rh_point_want *want,
                    rh_point_out *out)
{
  return trace_path(law, in, want, NULL, out);
}

bool rh_point_follow(const rh_impact_law *law, const rh_point_in *in, rh_point_out *out,
                     rh_point_log *log)
{
  log->n = 0;
  return trace_path(law, in, NULL, log, out);
}

bool rh_point_impact(const rh_impact_law *law, const rh_point_in *in, rh_point_out *out)
{
  return trace_path(law, in, NULL, NULL, out);
}
