// path3_span.c: the spans of the impulse path in space, see path3.c. Lines are in closed form; slip that turns is a Taylor
// series in tau, by recurrence: with s^2 = a^2 + b^2 the coefficients of the speed s follow from those of the slip a, b, and
// those of a, b from s. No function of the C library that may differ from machine to machine is used.
#include "impact/path3.h"

#include <math.h>
#include <string.h>

#define LOOSE                                                                                      \
  1e-10 // greatest error relative to a slip that fades and is small against the first velocities
#define WORK     0.01  // weight of the works' error
#define SINGULAR 1e-14 // a pivot, beside the one before, that is rounding

typedef struct series { // of the slip, its speed and the square of that
  double a[RH_SPAN_ORDER + 1], b[RH_SPAN_ORDER + 1], s[RH_SPAN_ORDER + 1],
      square[RH_SPAN_ORDER + 1];
} series;

// Even and odd powers apart: two chains instead of one that is twice as long. The order is even.
void rh_span_at(const rh_span *s, double x, double y[NY])
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
  } else if (l11 > 0) { // the least impulse that does it
    double square = l11 * l11 + l21 * l21;
    ft[a] = -l31 * l11 / square;
    ft[b] = -l31 * l21 / square;
  }
  rh_span_line(m, still, 0, ft, s);
  s->q[1][CN] = m->Wnn - l31 * l31 - l32 * l32;
  s->q[2][WN] = 0.5 * s->q[1][CN];
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

// The largest term of order k: of the slip, and with less weight of what the works are made of.
static double largest(const series *q, int k)
{
  double slip = fmax(fmax(fabs(q->a[k]), fabs(q->b[k])), fabs(q->s[k]));
  return fmax(slip, WORK * fabs(q->square[k]) / q->s[0]);
}

// Taylor series of the slip a, b and of its speed s, in tau times `rate`.
static void expand(const rh_path3 *m, series *to)
{
  double *a = to->a;
  double *b = to->b;
  double *s = to->s;
  double *square = to->square;
  const double unit = 1 / m->rate;
  const double k1 = m->Wtn[0] * unit;
  const double k2 = m->Wtn[1] * unit;
  const double f11 = m->mu * m->Wtt[0] * unit;
  const double f12 = m->mu * m->Wtt[1] * unit;
  const double f22 = m->mu * m->Wtt[2] * unit;
  a[0] = m->y[U1];
  b[0] = m->y[U2];
  square[0] = a[0] * a[0] + b[0] * b[0];
  s[0] = sqrt(square[0]);
  const double half = 0.5 / s[0];
  for (int k = 1; k <= RH_SPAN_ORDER; k++) {
    const double share = 1.0 / k;
    a[k] = (k1 * s[k - 1] - f11 * a[k - 1] - f12 * b[k - 1]) * share;
    b[k] = (k2 * s[k - 1] - f12 * a[k - 1] - f22 * b[k - 1]) * share;
    double both = a[0] * a[k] + b[0] * b[k];
    double own = 0;
    for (int j = 1; 2 * j < k; j++) {
      both += a[j] * a[k - j] + b[j] * b[k - j];
      own += s[j] * s[k - j];
    }
    both *= 2;
    own *= 2;
    if (k % 2 == 0) {
      both += a[k / 2] * a[k / 2] + b[k / 2] * b[k / 2];
      own += s[k / 2] * s[k / 2];
    }
    square[k] = both;
    s[k] = (both - own) * half;
  }
}

static double horner(const double *q, double x)
{
  double y = q[RH_SPAN_ORDER];
  for (int k = RH_SPAN_ORDER - 1; k >= 0; k--) {
    y = y * x + q[k];
  }
  return y;
}

// How far the series can be trusted: by their last terms, and because terms may be small by chance, by whether the speed
// is still the length of the slip.
static double step_end(const rh_path3 *m, const series *q)
{
  double error = RH_SLIP_ROUNDING * q->s[0];
  if (q->s[1] < 0) {
    error = fmin(fmax(error, 0.1 * RH_SLIP_ROUNDING * m->speed), LOOSE * q->s[0]);
  }
  double last = largest(q, RH_SPAN_ORDER);
  double next = largest(q, RH_SPAN_ORDER - 1);
  double end = last > 0 ? coarse_root(error / last, RH_SPAN_ORDER) : 4;
  if (next > 0) {
    end = fmin(end, coarse_root(error / next, RH_SPAN_ORDER - 1));
  }
  for (int i = 0; i < 20; i++) {
    double a = horner(q->a, end);
    double b = horner(q->b, end);
    if (fabs(sqrt(a * a + b * b) - horner(q->s, end)) <= 20 * error) {
      break;
    }
    end *= 0.7;
  }
  return end;
}

void rh_span_curve(const rh_path3 *m, rh_span *to)
{
  series of;
  double c[RH_SPAN_ORDER + 1];
  const double *s = of.s;
  expand(m, &of);
  const double unit = 1 / m->rate;
  c[0] = m->y[CN];
  memcpy(to->q[0], m->y, sizeof m->y);
  for (int k = 1; k <= RH_SPAN_ORDER; k++) {
    const double share = unit / k;
    double *q = to->q[k];
    double work = 0;
    q[PT1] = -m->mu * of.a[k - 1] * share;
    q[PT2] = -m->mu * of.b[k - 1] * share;
    q[PN] = s[k - 1] * share;
    c[k] = m->Wnn * q[PN] + m->Wtn[0] * q[PT1] + m->Wtn[1] * q[PT2];
    for (int j = 0; j < k; j++) {
      work += s[j] * c[k - 1 - j];
    }
    q[CN] = c[k];
    q[WN] = work * share;
    q[WT] = -m->mu * of.square[k - 1] * share;
    q[U1] = of.a[k];
    q[U2] = of.b[k];
  }
  to->order = RH_SPAN_ORDER;
  to->end = step_end(m, &of);
}
