// parameters.h: parameters that several laws have, and what they mean.
#ifndef ROUTH_LAWS_PARAMETERS_H
#define ROUTH_LAWS_PARAMETERS_H

#include <routh/kind.h>

#include <math.h>

// clang-format off
#define RH_PARAM_STIFFNESS(key, value)                                                             \
  {.name = (key), .unit = "N/m^n", .def = (value), .lo = 0, .hi = 1e18, .doc = "stiffness", .open = true}
#define RH_PARAM_MU                                                                                \
  {.name = "mu", .unit = "1", .def = 0.5, .lo = 0, .hi = 1e6, .doc = "coefficient of friction"}
// mu_s and mu_k, one after the other
#define RH_PARAM_MU_LEVELS(at_rest, in_motion)                                                     \
  {.name = "mu_s", .unit = "1", .def = (at_rest), .lo = 0, .hi = 1e6, .doc = "coefficient of friction at rest"}, \
  {.name = "mu_k", .unit = "1", .def = (in_motion), .lo = 0, .hi = 1e6, .doc = "coefficient of friction in motion"}
#define RH_PARAM_SLIP_SPEED(key, value, text)                                                      \
  {.name = (key), .unit = "m/s", .def = (value), .lo = 0, .hi = 1e12, .doc = text, .open = true}
#define RH_PARAM_SHARPNESS(value, what)                                                            \
  {.name = "sharpness", .unit = "1", .def = (value), .lo = 1, .hi = 1e9,                           \
   .doc = what " lags by 1 / sharpness of the motion; larger ones need shorter steps"}
#define RH_PARAM_TENSION(value, text)                                                              \
  {.name = "tension", .unit = "1", .def = (value), .lo = RH_TENSION_KEPT, .hi = RH_TENSION_CUT,     \
   .doc = text, .type = RH_CHOICE, .choices = "kept|cut"}
// clang-format on

enum { RH_TENSION_KEPT, RH_TENSION_CUT }; // values of `tension`

// A damper that pulls the bodies together no more than the spring pushes them apart
static inline void rh_cut_tension(double tension, rh_normal_out *out)
{
  if (tension == RH_TENSION_CUT) {
    out->damper = fmax(out->damper, -out->spring);
  }
}

// The error in mu_s and mu_k, in words; NULL: none
static inline const char *rh_mu_levels_error(const double mu[2])
{
  return mu[1] > mu[0] ? "mu_k must not be larger than mu_s" : NULL;
}

#endif
