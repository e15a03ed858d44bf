// spatial_path_tail.c: the last stretch of slip, until it stops or for ever, as one span, see
// spatial_path.c. The direction of slip tends to one that does not turn; let d be that, t =
// tan(psi/2) with psi the angle from d to the slip, and k, A, B, C the parts of Wtn and Wtt along
// and across d (k_across = mu B). Then, with D = 1 + t^2, the path is rational in t:
//   s'/s = f/(D t h),  dp_n = D y dt,  dp_t = -mu (1 - t^2, 2t) y dt,  y = s/(t h)
//   h = -lam + 3 mu B t + (mu C - k - mu A) t^2 - mu B t^3,    lam = k - mu A + mu C
//   f = k - mu A - 2 mu B t + (2 mu A - 4 mu C) t^2 + 6 mu B t^3 - (k + mu A) t^4
// so that y = t^(beta-1) e(t), beta = (mu A - k)/lam, and e a power series with a recurrence of five terms (Frobenius). Impulses and
// velocities are t^beta times a series, works t^(2 beta) besides, and at t = 0, where slip stops,
// only their constants remain. Slip that grows has beta < 0.
// The series hold nearer to d than to any other direction that does not turn; until then
// rh_span_curve is used.
#include "spatial_path.h"

#include <math.h>
#include <string.h>

#define NEAR   0.5   // greatest |t|
#define ERROR  2e-15 // greatest of the span, relative to the slip
#define LOOSE  1e-10 // greatest where the slip is small against the first velocities
#define CANCEL 8     // greatest term over the sum
#define LONG                                                                                       \
  20 // greatest impulse of the span over the impact's: values near its beginning are differences
#define LEAST                                                                                      \
  0.02 // distance of beta from 0, and of 2 beta from a division by zero: 50 times the rounding

typedef struct tail {
  double d[2];  // limit of slip
  double t0, T; // t now, and its square; series are in t/t0
  double beta;
  double h[4], Dh[6], N[5]; // e' D h = e N
} tail;

rh_span_spot rh_span_spot_at(const rh_span *s, double x)
{
  if (s->beta == 0) {
    return (rh_span_spot){.r = x, .q = 1};
  }
  double q = s->beta > 0 ? 1 - x : 1 + x;
  return (rh_span_spot){.r = q > 0 ? rh_pow(q, 1 / s->beta) : 0, .q = q};
}

// ---- Limit of slip

// Newton's rule on the rate of turning, from the slip's direction. False: it is too far.
static bool find_final_direction(const rh_path3 *m, double slip, tail *to)
{
  double *d = to->d;
  d[0] = m->y[U1] / slip;
  d[1] = m->y[U2] / slip;
  for (int i = 0; i < 10; i++) {
    const double ft[2] = {-m->mu * d[0], -m->mu * d[1]};
    double r1 = m->Wtn[0] + m->Wtt[0] * ft[0] + m->Wtt[1] * ft[1];
    double r2 = m->Wtn[1] + m->Wtt[1] * ft[0] + m->Wtt[2] * ft[1];
    double f = d[0] * r1 + d[1] * r2;
    double across =
        m->mu * (d[1] * d[1] * m->Wtt[0] - 2 * d[0] * d[1] * m->Wtt[1] + d[0] * d[0] * m->Wtt[2]);
    double g = d[0] * r2 - d[1] * r1;
    double lam = f + across;
    if (!(lam > 0) || fabs(g) > 2 * lam) {
      return false;
    }
    double turn = fmin(fmax(g / lam, -0.7), 0.7);
    double c = d[0] - turn * d[1];
    double s = d[1] + turn * d[0];
    double norm = sqrt(c * c + s * s);
    d[0] = c / norm;
    d[1] = s / norm;
    if (fabs(turn) <= 1e-9) { // the next would be rounding
      return true;
    }
  }
  return false;
}

// Slip that grows has beta < 0, and terms that could be logarithms.
static bool is_regular(double beta)
{
  double twice = 2 * beta;
  return beta >= LEAST || (beta <= -LEAST && fabs(twice - floor(twice + 0.5)) >= 2 * LEAST);
}

// The coefficients. False: it is too far.
static bool set_coefficients(const rh_path3 *m, double slip, tail *to)
{
  const double *d = to->d;
  const double k = d[0] * m->Wtn[0] + d[1] * m->Wtn[1];
  const double m1 = m->mu * (m->Wtt[0] * d[0] + m->Wtt[1] * d[1]);
  const double m2 = m->mu * (m->Wtt[1] * d[0] + m->Wtt[2] * d[1]);
  const double A = d[0] * m1 + d[1] * m2;
  const double B = d[0] * m2 - d[1] * m1;
  const double C = m->mu * (m->Wtt[0] + m->Wtt[2]) - A;
  const double along = d[0] * m->y[U1] + d[1] * m->y[U2];
  const double t = (d[0] * m->y[U2] - d[1] * m->y[U1]) / (slip + along);
  if (!(along > 0) || !(fabs(t) <= NEAR) || t == 0) {
    return false;
  }
  const double tt = t * t;
  const double h[6] = {A - k - C, 3 * B * t, (C - k - A) * tt, -B * tt * t, 0, 0};
  const double f[6] = {k - A,          -2 * B * t,         (2 * A - 4 * C) * tt,
                       6 * B * tt * t, -(k + A) * tt * tt, 0};
  to->t0 = t;
  to->T = tt;
  to->beta = f[0] / h[0];
  memcpy(to->h, h, sizeof to->h);
  for (int j = 0; j < 6; j++) {
    double two = j >= 2 ? tt * h[j - 2] : 0;
    to->Dh[j] = h[j] + two;
    if (j > 0) {
      to->N[j - 1] = f[j] - to->beta * to->Dh[j] - j * h[j] - (j - 2) * two;
    }
  }
  return is_regular(to->beta);
}

// ---- The series

// e' D h = times e N, e_0 = 1; five entries before `e` become zero. Returns the sum.
static double expand_recurrence(const tail *w, double times, double *e)
{
  double N[5];
  double Dh[5];
  double sum = 1;
  memset(e - 5, 0, 5 * sizeof(double));
  e[0] = 1;
  for (int j = 0; j < 5; j++) {
    N[j] = times * w->N[j] / w->Dh[0];
    Dh[j] = w->Dh[j + 1] / w->Dh[0];
  }
  for (int k = 0; k < RH_SPAN_ORDER; k++) {
    double share = 1.0 / (k + 1);
    double next = 0;
    for (int j = 4; j >= 0; j--) { // the newest last: shorter latency
      next += (N[j] - Dh[j] * (k - j)) * share * e[k - j];
    }
    e[k + 1] = next;
    sum += next;
  }
  return sum;
}

// True if the last terms are small, and the sum is no small difference of large terms.
static bool series_settled(const double *e, double sum, double error)
{
  double most = 0;
  for (int k = 0; k <= RH_SPAN_ORDER; k++) {
    most = fabs(e[k]) > most ? fabs(e[k]) : most;
  }
  double last = fabs(e[RH_SPAN_ORDER]) + fabs(e[RH_SPAN_ORDER - 1]) + fabs(e[RH_SPAN_ORDER - 2]);
  return last <= error * fabs(sum) && most <= CANCEL * fabs(sum);
}

// Rows that are t^beta times a series; De: of dp_n.
static void fill_impulse_rows(const rh_path3 *m, const tail *w, double scale, const double *e,
                              double *De, rh_span *to)
{
  const double *d = w->d;
  for (int k = 0; k <= RH_SPAN_ORDER; k++) {
    double *q = to->q[k];
    double share = scale / (w->beta + k);
    double two = w->T * e[k - 2];
    double along = -m->mu * share * (e[k] - two);
    double across = -m->mu * share * 2 * w->t0 * e[k - 1];
    De[k] = scale * (e[k] + two);
    q[PT1] = d[0] * along - d[1] * across;
    q[PT2] = d[1] * along + d[0] * across;
    q[PN] = share * (e[k] + two);
    q[CN] = m->Wnn * q[PN] + m->Wtn[0] * q[PT1] + m->Wtn[1] * q[PT2];
    q[U1] = m->Wtn[0] * q[PN] + m->Wtt[0] * q[PT1] + m->Wtt[1] * q[PT2];
    q[U2] = m->Wtn[1] * q[PN] + m->Wtt[1] * q[PT1] + m->Wtt[2] * q[PT2];
    q[WT] = 0;
  }
}

// Works: t^(2 beta) times a series, and u_n at the stop times p_n. `v` is e^2.
static void fill_work_rows(const rh_path3 *m, const tail *w, double scale, const double *v,
                           const double *De, rh_span *to)
{
  for (int k = 0; k <= RH_SPAN_ORDER; k++) {
    double share = 1 / (2 * w->beta + k);
    double pull = 0;
    double push[2] = {0, 0};
    for (int j = 0; j < 6 && j <= k; j++) {
      pull += w->Dh[j] * v[k - j];
    }
    for (int j = 0; j < k; j += 2) {
      push[0] += to->q[j][CN] * De[k - j];
      push[1] += to->q[j + 1][CN] * De[k - j - 1];
    }
    push[0] += k % 2 == 0 ? to->q[k][CN] * De[0] : 0;
    to->work[k][0] = (push[0] + push[1]) * share;
    to->work[k][1] = -m->mu * scale * scale * pull * share;
    to->q[k][WN] = to->last[CN] * to->q[k][PN];
  }
}

static void sum_rows(const rh_path3 *m, rh_span *to, int from, int before)
{
  for (int i = from; i < before; i++) {
    double sum = 0;
    for (int k = RH_SPAN_ORDER; k >= 0; k--) {
      sum += to->q[k][i];
    }
    to->last[i] = m->y[i] - sum;
  }
}

bool rh_span_tail(const rh_path3 *m, double slip, rh_span *to)
{
  tail w;
  double roomy[2][RH_SPAN_ORDER + 6];
  double De[RH_SPAN_ORDER + 1];
  double *e = roomy[0] + 5;
  double *v = roomy[1] + 5;
  if (!find_final_direction(m, slip, &w) || !set_coefficients(m, slip, &w)) {
    return false;
  }
  double error = fmin(fmax(ERROR, 0.1 * ERROR * m->speed / slip), LOOSE);
  double sum = expand_recurrence(&w, 1, e);
  if (!series_settled(e, sum, error) ||
      !series_settled(v, expand_recurrence(&w, 2, v), 100 * error)) {
    return false;
  }
  double scale = slip / (sum * (w.h[0] + w.h[1] + w.h[2] + w.h[3]));
  to->order = RH_SPAN_ORDER;
  to->end = w.beta > 0 ? 1 : HUGE_VAL;
  to->beta = w.beta;
  memcpy(to->way, w.d, sizeof w.d);
  fill_impulse_rows(m, &w, scale, e, De, to);
  sum_rows(m, to, PT1, WN);
  if (fabs(to->last[PN] - m->y[PN]) * m->Wnn > LONG * fmax(fabs(m->in->u[2]), fabs(m->y[CN]))) {
    return false;
  }
  fill_work_rows(m, &w, scale, v, De, to);
  sum_rows(m, to, WN, U1);
  for (int k = 0; k <= RH_SPAN_ORDER; k++) {
    to->last[WN] -= to->work[k][0];
    to->last[WT] -= to->work[k][1];
  }
  to->last[U1] = 0; // to rounding
  to->last[U2] = 0;
  return true;
}
