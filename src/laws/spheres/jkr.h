// jkr.h: adhesion of elastic spheres, Johnson, Kendall and Roberts 1971. With the radius a of contact
//   F = 4 E a^3 / (3 R) - sqrt(8 pi w E a^3),   d = a^2 / R - sqrt(2 pi w a / E).
// d is least at a_min; contact is stable under controlled approach from there on.
#ifndef ROUTH_LAWS_SPHERES_JKR_H
#define ROUTH_LAWS_SPHERES_JKR_H

#include <routh/elementary.h>

#include <math.h>

typedef struct rh_jkr {
  double modulus, radius; // [Pa], [m] E*, R*
  double work;            // w [J/m^2] of adhesion: 2 gamma for like surfaces
} rh_jkr;

#define RH_JKR_PI 3.14159265358979323846

// Radius at which a^3 = part pi w R^2 / E: 1/8 breaks at controlled approach, 9/8 pull-off under a
// dead load, 2 zero approach, 9/2 zero load.
static inline double rh_jkr_mark(const rh_jkr *j, double part)
{
  return rh_cbrt(part * RH_JKR_PI * j->work * j->radius * j->radius / j->modulus);
}

static inline double rh_jkr_force(const rh_jkr *j, double a)
{
  double cube = a * a * a;
  return 4 * j->modulus * cube / (3 * j->radius) -
         sqrt(8 * RH_JKR_PI * j->work * j->modulus * cube);
}

static inline double rh_jkr_depth(const rh_jkr *j, double a)
{
  return a * a / j->radius - sqrt(2 * RH_JKR_PI * j->work * a / j->modulus);
}

// Integral of F dd up to a, from a = 0 [J]
static inline double rh_jkr_energy(const rh_jkr *j, double a)
{
  double square = a * a;
  return 8 * j->modulus * square * square * a / (15 * j->radius * j->radius) -
         4.0 / 3.0 * sqrt(2 * RH_JKR_PI * j->work * j->modulus * a) * square * a / j->radius +
         RH_JKR_PI * j->work * square;
}

// dd/da
static inline double rh_jkr_slope(const rh_jkr *j, double a)
{
  return 2 * a / j->radius - sqrt(0.5 * RH_JKR_PI * j->work / (j->modulus * a));
}

// a >= a_min at a depth >= d_min: Newton's method for x^4 / R - sqrt(2 pi w / E) x = d, a = x^2, from
// above, where the function is convex and rises.
static inline double rh_jkr_contact_radius(const rh_jkr *j, double depth)
{
  double pull = sqrt(2 * RH_JKR_PI * j->work / j->modulus);
  double x = sqrt(rh_jkr_mark(j, 2) + sqrt(j->radius * fmax(depth, 0)));
  double least = sqrt(rh_jkr_mark(j, 0.125));
  for (int i = 0; i < 100; i++) {
    double cube = x * x * x / j->radius;
    double slope = 4 * cube - pull;
    double next = slope > 0 ? x - (cube * x - pull * x - depth) / slope : least;
    next = fmax(next, least);
    if (!(next < x)) {
      break;
    }
    x = next;
  }
  return x * x;
}

#endif
