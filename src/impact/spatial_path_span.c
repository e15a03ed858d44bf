// spatial_path_span.c: the spans of the impulse path in space, see spatial_path.c. Lines are in closed form; slip that turns is a Taylor
// series in tau, by recurrence: with s^2 = a^2 + b^2 the coefficients of the speed s follow from those of the slip a, b, and
// those of a, b from s. No C library function that differs between machines is used.
#include "spatial_path.h"

#include <math.h>
#include <string.h>

#define LOOSE                                                                                      \
  1e-10 // greatest error relative to a slip that fades and is small against the first velocities
#define ERROR    2e-15 // greatest of a span, relative to the slip
#define WORK     0.01  // weight of the works' error
#define SINGULAR 1e-14 // a pivot relative to the one before that is rounding

// Taylor coefficients, in tau times `rate`: of the slip a, b, of its speed s and the normal
// velocity c, of s^2 and of s c. Terms of one sum are adjacent.
typedef struct series {
  double ab[RH_SPAN_ORDER + 1][2];
  double sc[RH_SPAN_ORDER + 1][2];
  double ss[RH_SPAN_ORDER + 1][2]; // s, twice
  double square[RH_SPAN_ORDER + 1], power[RH_SPAN_ORDER + 1];
} series;

static double work_at(const rh_span *s, int i, double r)
{
  double sum = 0;
  for (int k = s->order; k >= 0; k--) {
    sum = sum * r + s->work[k][i - WN];
  }
  return sum;
}

// Even and odd powers separately: two chains instead of one that is twice as long. The order is
// even.
static void series_at(const rh_span *s, double x, double y[NY])
{
  double even[NY];
  double odd[NY] = {0};
  const double xx = x * x;
  memcpy(even, s->q[s->order], sizeof even);
  for (int k = s->order - 2; k >= 0; k -= 2) {
    const double *q = s->q[k];
    for (int i = 0; i < NY; i++) {
      even[i] = even[i] * xx + q[i];
      odd[i] = odd[i] * xx + q[NY + i];
    }
  }
  for (int i = 0; i < NY; i++) {
    y[i] = even[i] + x * odd[i];
  }
}

void rh_span_at(const rh_span *s, double x, double y[NY])
{
  const rh_span_spot at = rh_span_spot_at(s, x);
  series_at(s, at.r, y);
  if (s->beta != 0) {
    y[WN] += at.q * work_at(s, WN, at.r);
    y[WT] += at.q * work_at(s, WT, at.r);
    for (int i = 0; i < NY; i++) {
      y[i] = s->last[i] + at.q * y[i];
    }
  }
}

static double series_one(const rh_span *s, int i, double x)
{
  const double *q = &s->q[s->order][i];
  const double xx = x * x;
  double even = *q;
  double odd = 0;
  for (int k = s->order - 2; k >= 0; k -= 2) {
    q -= (ptrdiff_t)2 * NY;
    even = even * xx + q[0];
    odd = odd * xx + q[NY];
  }
  return even + x * odd;
}

double rh_span_one(const rh_span *s, int i, rh_span_spot at)
{
  double y = series_one(s, i, at.r);
  if (s->beta == 0) {
    return y;
  }
  y += i == WN || i == WT ? at.q * work_at(s, i, at.r) : 0;
  return s->last[i] + at.q * y;
}

void rh_span_line(const rh_path3 *m, const double d[2], double f, const double ft[2], rh_span *s)
{
  double slope = m->Wnn + m->Wtn[0] * ft[0] + m->Wtn[1] * ft[1];
  double slip = sqrt(m->y[U1] * m->y[U1] + m->y[U2] * m->y[U2]);
  double pull = d[0] * ft[0] + d[1] * ft[1]; // -mu; for a point that sticks f and slip are zero
  const double first[NY] = {ft[0], ft[1], 1, slope, m->y[CN], pull * slip, f * d[0], f * d[1]};
  const double second[NY] = {[WN] = 0.5 * slope, [WT] = 0.5 * pull * f};
  memcpy(s->q[0], m->y, sizeof m->y);
  memcpy(s->q[1], first, sizeof first);
  memcpy(s->q[2], second, sizeof second);
  s->order = 2;
  s->beta = 0;
  s->end = f < 0 ? slip / -f : HUGE_VAL;
}

// Friction holds the point, u_n grows by Wnn - Wtn'Wtt^-1 Wtn: by the triangular factor of W, the softer tangential row
// first. A direction in which the point cannot be moved needs no impulse.
void rh_span_stick(const rh_path3 *m, rh_span *s)
{
  const double still[2] = {0, 0};
  const int a = m->Wtt[2] > m->Wtt[0] ? 1 : 0;
  const int b = 1 - a;
  double l11 = sqrt(m->Wtt[2 * a]);
  double l21 = l11 > 0 ? m->Wtt[1] / l11 : 0;
  double rest = m->Wtt[2 * b] - l21 * l21;
  double l22 = rest > SINGULAR * m->Wtt[2 * a] ? sqrt(rest) : 0;
  double l31 = l11 > 0 ? m->Wtn[a] / l11 : 0;
  double l32 = l22 > 0 ? (m->Wtn[b] - l31 * l21) / l22 : 0;
  double ft[2] = {0, 0};
  if (l22 > 0) {
    ft[b] = -l32 / l22;
    ft[a] = -(l31 + l21 * ft[b]) / l11;
  } else if (l11 > 0) { // the least impulse with this effect
    double square = l11 * l11 + l21 * l21;
    ft[a] = -l31 * l11 / square;
    ft[b] = -l31 * l21 / square;
  }
  rh_span_line(m, still, 0, ft, s);
  s->q[1][CN] = m->Wnn - l31 * l31 - l32 * l32;
  s->q[2][WN] = 0.5 * s->q[1][CN];
}

// The larger of two numbers; a NaN is ignored.
static double larger_of(double a, double b)
{
  return a > b ? a : b;
}

// x^(1/n) for x > 0, to a few per cent and to the same bits everywhere.
static double coarse_root(double x, int n)
{
  int exponent;
  double mantissa = frexp(x, &exponent); // in [1/2, 1)
  double power = (exponent - 2 + 2 * mantissa) / n;
  double whole = floor(power);
  return ldexp(1 + (power - whole), (int)whole);
}

// The largest term of order k: of the slip, and with less weight of the rates of the works.
static double largest_term(const series *q, int k)
{
  double slip = larger_of(larger_of(fabs(q->ab[k][0]), fabs(q->ab[k][1])), fabs(q->sc[k][0]));
  return larger_of(slip, WORK * fabs(q->square[k]) / q->sc[0][0]);
}

// Sum of x_j y_-j, j < n, of pairs; two independent sums each.
static void convolve_pairs(const double *x, const double *y, int n, double sum[2])
{
  double even[2] = {0, 0};
  double odd[2] = {0, 0};
  for (int j = 0; j + 1 < n; j += 2) {
    even[0] += x[0] * y[0];
    even[1] += x[1] * y[1];
    odd[0] += x[2] * y[-2];
    odd[1] += x[3] * y[-1];
    x += 4;
    y -= 4;
  }
  if (n > 0 && n % 2 == 1) {
    even[0] += x[0] * y[0];
    even[1] += x[1] * y[1];
  }
  sum[0] = even[0] + odd[0];
  sum[1] = even[1] + odd[1];
}

static void expand_series(const rh_path3 *m, series *q)
{
  const double unit = 1 / m->rate;
  const double k1 = m->Wtn[0] * unit;
  const double k2 = m->Wtn[1] * unit;
  const double k3 = m->Wnn * unit;
  const double f11 = m->mu * m->Wtt[0] * unit;
  const double f12 = m->mu * m->Wtt[1] * unit;
  const double f22 = m->mu * m->Wtt[2] * unit;
  const double a = m->y[U1];
  const double b = m->y[U2];
  const double s = sqrt(a * a + b * b);
  const double half = 0.5 / s;
  q->ab[0][0] = a;
  q->ab[0][1] = b;
  q->sc[0][0] = s;
  q->sc[0][1] = m->y[CN];
  q->square[0] = a * a + b * b;
  q->power[0] = s * m->y[CN];
  for (int k = 1; k <= RH_SPAN_ORDER; k++) {
    const double share = 1.0 / k;
    const double *slip = q->ab[k - 1];
    const double speed = q->sc[k - 1][0];
    q->ab[k][0] = (k1 * speed - f11 * slip[0] - f12 * slip[1]) * share;
    q->ab[k][1] = (k2 * speed - f12 * slip[0] - f22 * slip[1]) * share;
    q->sc[k][1] = (k3 * speed - m->mu * (k1 * slip[0] + k2 * slip[1])) * share;
    double own[2] = {0, 0};
    double both[2] = {0, 0};
    if (k > 2) {
      convolve_pairs(q->ss[2], q->sc[k - 2], k - 3, own);
      convolve_pairs(q->ab[1], q->ab[k - 1], (k - 1) / 2, both);
    }
    if (k > 1) { // the newest last: shorter latency
      own[0] += (k > 2 ? 2 : 1) * q->ss[1][0] * speed;
      own[1] += q->ss[1][0] * q->sc[k - 1][1] + (k > 2 ? speed * q->sc[1][1] : 0);
    }
    q->square[k] = 2 * (both[0] + both[1]);
    if (k % 2 == 0) {
      const double *mid = q->ab[k / 2];
      q->square[k] += mid[0] * mid[0] + mid[1] * mid[1];
    }
    q->square[k] += 2 * (a * q->ab[k][0] + b * q->ab[k][1]);
    q->sc[k][0] = (q->square[k] - own[0]) * half;
    q->ss[k][0] = q->sc[k][0];
    q->ss[k][1] = q->sc[k][0];
    q->power[k] = own[1] + s * q->sc[k][1] + q->sc[k][0] * m->y[CN];
  }
}

// Is speed still the length of slip?
static bool speed_holds(const series *q, double x, double error)
{
  double y[4] = {0, 0, 0, 0};
  for (int k = RH_SPAN_ORDER; k >= 0; k--) {
    y[0] = y[0] * x + q->ab[k][0];
    y[1] = y[1] * x + q->ab[k][1];
    y[2] = y[2] * x + q->sc[k][0];
  }
  return fabs(sqrt(y[0] * y[0] + y[1] * y[1]) - y[2]) <= error;
}

// Length on which the series are accurate: by their last terms, and because terms may be small by
// chance, by checking that the speed is the length of the slip.
static double step_end(const rh_path3 *m, const series *q)
{
  const double slip = q->sc[0][0];
  double error = ERROR * slip;
  if (q->sc[1][0] < 0) {
    error = fmin(larger_of(error, 0.1 * ERROR * m->speed), LOOSE * slip);
  }
  double last = largest_term(q, RH_SPAN_ORDER);
  double next = largest_term(q, RH_SPAN_ORDER - 1);
  double end = last > 0 ? coarse_root(error / last, RH_SPAN_ORDER) : 4;
  if (next > 0) {
    end = fmin(end, coarse_root(error / next, RH_SPAN_ORDER - 1));
  }
  for (int i = 0; i < 20 && !speed_holds(q, end, 20 * error); i++) {
    end *= 0.7;
  }
  return end;
}

void rh_span_curve(const rh_path3 *m, rh_span *to)
{
  series of;
  expand_series(m, &of);
  const double unit = 1 / m->rate;
  memcpy(to->q[0], m->y, sizeof m->y);
  for (int k = 1; k <= RH_SPAN_ORDER; k++) {
    const double share = unit / k;
    const double rub = -m->mu * share;
    double *q = to->q[k];
    q[PT1] = rub * of.ab[k - 1][0];
    q[PT2] = rub * of.ab[k - 1][1];
    q[PN] = share * of.sc[k - 1][0];
    q[CN] = of.sc[k][1];
    q[WN] = share * of.power[k - 1];
    q[WT] = rub * of.square[k - 1];
    q[U1] = of.ab[k][0];
    q[U2] = of.ab[k][1];
  }
  to->order = RH_SPAN_ORDER;
  to->beta = 0;
  to->end = step_end(m, &of);
}
