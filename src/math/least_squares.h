// least_squares.h: parameters that fit measurements: least sum of squares by Levenberg and Marquardt's
// method, with intervals, and with the parameters that the measurements do not determine. Derivatives
// are differences. Nothing is allocated.
#ifndef ROUTH_MATH_LEAST_SQUARES_H
#define ROUTH_MATH_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

#define RH_FIT_MAX 12 // parameters

typedef struct rh_fit_in {
  int m, n; // residuals, parameters: m > n, n <= RH_FIT_MAX
  // r (m): model less measurement, each over its standard deviation, or in one unit where that is not
  // known. False: x cannot be evaluated.
  bool (*residual)(void *user, const double *x, double *r);
  void *user;
  const double *lo, *hi; // bounds of the parameters (n)
  double *room;          // rh_fit_room doubles
} rh_fit_in;

typedef struct rh_fit_out {
  double x[RH_FIT_MAX];          // in: the start
  double half[RH_FIT_MAX];       // half of the 95 % interval of each, by the linear model; infinity: none
  bool determined[RH_FIT_MAX];   // false: another value fits as well, or it is at a bound
  double rms;                    // of the residuals
  double condition;              // largest over least curvature of the sum, in units of x
  int rank, steps;
  bool converged;
} rh_fit_out;

size_t rh_fit_room(int m, int n); // doubles
// Parameters should be scaled so that a change by one is a large one (logarithms of positive
// numbers). False: the start cannot be evaluated.
bool rh_fit_run(const rh_fit_in *in, rh_fit_out *out);
// Eigenvectors (columns of V) of the symmetric A (n x n) by Jacobi's rotations; A has the eigenvalues on its diagonal then.
void rh_symmetric_axes(int n, double *A, double *V);
// The quantile of Student's distribution that contains 95 %, for `freedom` >= 1.
double rh_fit_student(int freedom);

#endif
