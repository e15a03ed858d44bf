// Axisymmetric bodies pressed on an elastic half-space. With the gap f(r) and a contact of radius a
//   approach = a int f'(a sin s) ds,   load = 2 E* a^2 int f'(a sin s) sin^2 s ds,   0 <= s <= pi/2
// (Sneddon 1965, integrals over the radius with r = a sin s); for f = C r^m both have Galin's closed
// form, approach = C a^m sqrt(pi) Gamma(m/2 + 1) / Gamma(m/2 + 1/2), load = 2 m / (m + 1) E* a approach.
// The other profiles are summed by the midpoint rule.
#include "profiles.h"

#include <routh/elementary.h>

#include <math.h>

#define POINTS  4096 // kinks of a table and of a rounded edge leave (1/4096)^2
#define HALVING 200

static const double PI = 3.14159265358979323846;

// Index of the piece of the table that holds r
static int table_piece(const rh_profile *p, double r)
{
  int low = 0;
  int high = p->n - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (p->r[middle] <= r) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static double table_slope(const rh_profile *p, int piece)
{
  return (p->height[piece + 1] - p->height[piece]) / (p->r[piece + 1] - p->r[piece]);
}

// R - sqrt(R^2 - r^2), without cancellation
static double cap_height(double R, double r)
{
  return r < R ? r * r / (R + sqrt((R - r) * (R + r))) : HUGE_VAL;
}

double rh_profile_gap(const rh_profile *p, double r)
{
  switch (p->kind) {
  case RH_PROFILE_SPHERE:
    return 0.5 * r * (r / p->R);
  case RH_PROFILE_POWER:
    return p->scale * rh_pow(r, p->exponent);
  case RH_PROFILE_CONE:
    return p->slope * r;
  case RH_PROFILE_FLAT:
    return r <= p->flat ? 0 : p->R > 0 ? 0.5 * (r - p->flat) * ((r - p->flat) / p->R) : HUGE_VAL;
  case RH_PROFILE_SOCKET:
    return r < p->R ? cap_height(p->R, r) - cap_height(p->R_socket, r) : HUGE_VAL;
  case RH_PROFILE_TABLE: {
    int piece = table_piece(p, r);
    return p->height[piece] + table_slope(p, piece) * (r - p->r[piece]);
  }
  default:
    return HUGE_VAL;
  }
}

static double profile_slope(const rh_profile *p, double r)
{
  switch (p->kind) {
  case RH_PROFILE_SPHERE:
    return r / p->R;
  case RH_PROFILE_CONE:
    return p->slope;
  case RH_PROFILE_FLAT:
    return r > p->flat ? (r - p->flat) / p->R : 0;
  case RH_PROFILE_SOCKET:
    return r / sqrt((p->R - r) * (p->R + r)) - r / sqrt((p->R_socket - r) * (p->R_socket + r));
  case RH_PROFILE_TABLE:
    return table_slope(p, table_piece(p, r));
  default:
    return p->scale * p->exponent * rh_pow(r, p->exponent - 1);
  }
}

bool rh_profile_is_convex(const rh_profile *p)
{
  for (int i = 0; p->kind == RH_PROFILE_TABLE && i + 1 < p->n; i++) {
    if (table_slope(p, i) < (i > 0 ? table_slope(p, i - 1) : 0)) {
      return false;
    }
  }
  return p->kind != RH_PROFILE_GAP;
}

// Gamma(x + 1)/Gamma(x + 1/2), x > 0: from x + 16 on, where Stirling's series in v = x + 1/4, sqrt(v) exp of the sum of
// -E_2n/(n 4^(2n + 1) v^2n), has 2e-17 left after these terms [DLMF 5.11.8; E are Euler's numbers], down by
// Gamma(x + 1) = x Gamma(x).
static double gamma_ratio(double x)
{
  static const double term[] = {1.0 / 64, -5.0 / 2048, 61.0 / 49152, -1385.0 / 1048576,
                                50521.0 / 20971520};
  double down = 1;
  for (; x < 16; x++) {
    down *= (x + 0.5) / (x + 1);
  }
  double v = x + 0.25;
  double sum = 0;
  for (int n = 4; n >= 0; n--) {
    sum = (sum + term[n]) / (v * v);
  }
  return down * sqrt(v) * rh_exp(sum);
}

rh_round_contact rh_round_contact_at(const rh_profile *p, double Estar, double radius)
{
  double a = radius;
  if (p->kind == RH_PROFILE_SPHERE) {
    double approach = a * (a / p->R);
    return (rh_round_contact){a, approach, 4.0 / 3 * Estar * a * approach};
  }
  if (p->kind == RH_PROFILE_POWER) {
    double m = p->exponent;
    double approach = p->scale * rh_pow(a, m) * sqrt(PI) * gamma_ratio(0.5 * m);
    return (rh_round_contact){a, approach, 2 * m / (m + 1) * Estar * a * approach};
  }
  double sum = 0;
  double square = 0;
  for (int i = 0; i < POINTS; i++) {
    double s = rh_sin(0.5 * PI * (i + 0.5) / POINTS);
    double slope = profile_slope(p, a * s);
    sum += slope;
    square += slope * s * s;
  }
  double piece = 0.5 * PI / POINTS;
  return (rh_round_contact){a, a * sum * piece, 2 * Estar * a * a * square * piece};
}

bool rh_round_contact_find(const rh_profile *p, double Estar, double approach, double load,
                           rh_round_contact *contact)
{
  if (p->kind == RH_PROFILE_FLAT && p->R == 0) {
    double stiffness = 2 * Estar * p->flat;
    *contact = (rh_round_contact){p->flat, approach > 0 ? approach : load / stiffness,
                                  approach > 0 ? approach * stiffness : load};
    return true;
  }
  bool bounded = p->kind == RH_PROFILE_SOCKET;
  double low = 0;
  double high = bounded ? p->R : 1;
  for (int i = 0; i < HALVING; i++) { // first between powers of two, then between numbers
    double a = bounded ? 0.5 * (low + high) : high;
    *contact = rh_round_contact_at(p, Estar, a);
    bool above = approach > 0 ? contact->approach > approach : contact->load > load;
    if (bounded || above) {
      bounded = true;
      low = above ? low : a;
      high = above ? a : high;
    } else {
      low = high;
      high *= 2;
    }
  }
  double got = approach > 0 ? contact->approach / approach : contact->load / load;
  return fabs(got - 1) < 1e-9;
}
