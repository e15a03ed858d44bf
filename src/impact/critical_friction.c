// critical_friction.c: whether a point without slip sticks, and if not, its direction of slip. [Ch]
// 2.24-2.27*
// It sticks while mu >= |Wtt^-1 Wtn|. Otherwise slip begins along the one direction d with (mu Wtt
// + lam) d = Wtn, |d| = 1, lam > 0: |(mu Wtt + lam)^-1 Wtn| falls monotonically from the critical
// coefficient over mu: there is one root.
#include "impact.h"

#include <math.h>

#define SEARCH   200   // steps of Newton's rule; 6 are usual
#define SINGULAR 1e-14 // an eigenvalue below this part of the other is rounding

// Symmetric 2x2: K = Q diag(k) Q', the first column of Q is c, s.
static void eigen_2x2(const double K[3], double k[2], double *c, double *s)
{
  double half = 0.5 * (K[0] - K[2]);
  double radius = sqrt(half * half + K[1] * K[1]);
  // Two forms of the vector: the one without cancellation.
  double x = half >= 0 ? half + radius : -K[1];
  double y = half >= 0 ? K[1] : half - radius;
  double norm = sqrt(x * x + y * y);
  *c = norm > 0 ? x / norm : 1;
  *s = norm > 0 ? y / norm : 0;
  k[0] = 0.5 * (K[0] + K[2]) + radius;
  double det = K[0] * K[2] - K[1] * K[1]; // the product of both
  k[1] = det > SINGULAR * k[0] * k[0] ? det / k[0] : 0;
}

double rh_point_critical(const double W[9], double mu, double direction[2], double *rate)
{
  const double K[3] = {W[0], 0.5 * (W[1] + W[3]), W[4]};
  const double b[2] = {0.5 * (W[2] + W[6]), 0.5 * (W[5] + W[7])};
  double k[2];
  double c;
  double s;
  eigen_2x2(K, k, &c, &s);
  // W is semidefinite: where Wtt is zero, Wtn is zero.
  double b1 = k[0] > 0 ? c * b[0] + s * b[1] : 0;
  double b2 = k[1] > 0 ? c * b[1] - s * b[0] : 0;
  double x1 = b1 != 0 ? b1 / k[0] : 0;
  double x2 = b2 != 0 ? b2 / k[1] : 0;
  double critical = sqrt(x1 * x1 + x2 * x2); // [Ch] 2.26*
  direction[0] = 0;
  direction[1] = 0;
  *rate = 0;
  if (mu >= critical) {
    return critical;
  }
  // |x(lam)| = 1 with x = (mu K + lam)^-1 b: Newton's rule on 1/|x| rises to the root from below. [Ch] 2.27*
  double lam = 0;
  double d1 = 0;
  double d2 = 0;
  for (int i = 0; i < SEARCH; i++) {
    double m1 = mu * k[0] + lam;
    double m2 = mu * k[1] + lam;
    d1 = b1 != 0 ? b1 / m1 : 0;
    d2 = b2 != 0 ? b2 / m2 : 0;
    double square = d1 * d1 + d2 * d2;
    double norm = sqrt(square);
    if (!(square < HUGE_VAL)) { // without friction at lam = 0
      lam = 0.5 * sqrt(b1 * b1 + b2 * b2);
      continue;
    }
    double fall = (d1 != 0 ? d1 * d1 / m1 : 0) + (d2 != 0 ? d2 * d2 / m2 : 0);
    double step = (norm - 1) * square / fall;
    lam += step;
    if (!(fabs(step) > 1e-16 * lam)) {
      break;
    }
  }
  double norm = sqrt(d1 * d1 + d2 * d2);
  direction[0] = (c * d1 - s * d2) / norm;
  direction[1] = (s * d1 + c * d2) / norm;
  *rate = lam;
  return critical;
}
