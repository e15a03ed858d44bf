// Closed forms of contacts with friction: Spence's stick radius, the punch that sticks, rolling of a cylinder (Carter) and of a
// sphere (Vermeulen and Johnson).
#include "profiles.h"

#include <routh/elementary.h>

#include <math.h>

#define HALVING 100

static const double PI = 3.14159265358979323846;

// K(sqrt(1 - k^2)), the complete elliptic integral of the first kind
static double complementary_integral(double k)
{
  double a = 1;
  double g = k;
  for (int i = 0; i < 60 && a - g > 1e-16 * a; i++) {
    double mean = 0.5 * (a + g);
    g = sqrt(a * g);
    a = mean;
  }
  return 0.5 * PI / a;
}

// a / (2 c) ln((a + c) / (a - c)) = (mu / beta) K'(c / a)
double rh_spence_stick(double mu_over_beta)
{
  double low = 0;
  double high = 1;
  if (!(mu_over_beta < HUGE_VAL)) {
    return 1;
  }
  for (int i = 0; i < HALVING; i++) {
    double c = 0.5 * (low + high);
    bool above = c > 0 && rh_atanh(c) / c > mu_over_beta * complementary_integral(c);
    low = above ? low : c;
    high = above ? c : high;
  }
  return mu_over_beta > 0 ? low : 0;
}

double rh_no_slip_stiffness(double beta)
{
  return beta == 0 ? 1 : rh_atanh(beta) / beta;
}

double rh_carter_creep(double share)
{
  return 1 - sqrt(1 - share);
}

double rh_carter_share(double creep)
{
  return creep < 1 ? 1 - (1 - creep) * (1 - creep) : 1;
}

double rh_johnson_share(double creep)
{
  double rest = 1 - creep;
  return creep < 1 ? 1 - rest * rest * rest : 1;
}
