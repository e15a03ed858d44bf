// means.c: means of values with errors and a scatter of their own.
#include "phases.h"

#include "math/least_squares.h"

#include <math.h>

#define TURN                                                                                       \
  0.2 // [1] slip across over slip along after: its direction has changed on the way, and p_t / p_n is less than mu

static double quantile_of(int freedom)
{
  return freedom > 0 ? rh_fit_student(freedom) : 1.959963984540054;
}

// Mean of values with errors and a scatter of their own: the scatter is what the errors leave of the variance (DerSimonian and
// Laird 1986).
void rh_fit_mean(const double *x, const double *deviation, int n, rh_fit_measure *out)
{
  double w = 0;
  double ww = 0;
  double wx = 0;
  double q = 0;
  *out = (rh_fit_measure){.determined = n > 1, .x = (double)NAN};
  for (int i = 0; i < n; i++) {
    double weight = 1 / fmax(deviation[i] * deviation[i], 1e-30);
    w += weight;
    ww += weight * weight;
    wx += weight * x[i];
  }
  for (int i = 0; i < n; i++) {
    double off = x[i] - wx / w;
    q += off * off / fmax(deviation[i] * deviation[i], 1e-30);
  }
  double scatter = n > 1 ? fmax((q - (n - 1)) / (w - ww / w), 0) : 0;
  w = wx = 0;
  for (int i = 0; i < n; i++) {
    double weight = 1 / (fmax(deviation[i] * deviation[i], 1e-30) + scatter);
    w += weight;
    wx += weight * x[i];
  }
  double half = n > 1 ? quantile_of(scatter > 0 ? n - 1 : 0) / sqrt(w) : HUGE_VAL;
  out->x = wx / w;
  out->low = out->x - half;
  out->high = out->x + half;
}

bool rh_fit_slides_straight(const rh_fit_jump *jump)
{
  return jump->kind == RH_FIT_SLIDES && fabs(jump->after[1]) < TURN * jump->after[0];
}
