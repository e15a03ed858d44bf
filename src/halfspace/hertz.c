// Closed forms of smooth contact: Hertz for a sphere and for a line, Cattaneo and Mindlin for the tangential load on top.
#include "halfspace.h"

#include <routh/elementary.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

rh_hertz rh_hertz_sphere(double R, double Estar, double delta)
{
  double a = sqrt(R) * sqrt(delta);
  return (rh_hertz){4.0 / 3 * Estar * a * delta, a, 2 * Estar * a / (PI * R)};
}

rh_hertz rh_hertz_line(double R, double Estar, double load)
{
  double a = sqrt(4 * load * R / (PI * Estar));
  return (rh_hertz){load, a, 2 * load / (PI * a)};
}

double rh_mindlin_stick(double share)
{
  return rh_cbrt(1 - share);
}

double rh_mindlin_stick_line(double share)
{
  return sqrt(1 - share);
}

double rh_mindlin_full_slip(const rh_hertz *normal, double mu, double G, double nu)
{
  return 3 * mu * normal->load * (2 - nu) / (8 * G * normal->radius);
}
