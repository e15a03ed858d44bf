// material.h: stiffness from the constants of two materials. [AF] eq. 9-10
#ifndef ROUTH_LAWS_MATERIAL_H
#define ROUTH_LAWS_MATERIAL_H

#include <routh/kind.h>

#include <math.h>

// E* [Pa]; an infinite modulus is a rigid body.
static inline double rh_effective_modulus(double E1, double nu1, double E2, double nu2)
{
  return 1 / ((1 - nu1 * nu1) / E1 + (1 - nu2 * nu2) / E2); // [AF] eq. 9
}

// Kn [N/m^1.5]; infinite where the contact is flat: Hertz' law does not apply there.
static inline double rh_hertz_stiffness(double modulus, double radius)
{
  return 4.0 / 3.0 * modulus * sqrt(radius); // [AF] eq. 10
}

// The same of a law with RH_MATERIAL_PARAMS, whose values are `material`: E = 0: the stiffness given
static inline double rh_hertz_stiffness_of(double given, const double material[4], double radius)
{
  const double *x = material;
  return x[0] > 0 ? rh_hertz_stiffness(rh_effective_modulus(x[0], x[1], x[2], x[3]), radius)
                  : given;
}

// True if the law has no force for flat on flat: stiffness from material constants.
static inline bool rh_normal_law_wants_radius(const rh_normal_law *law, const double *par)
{
  const rh_normal_in flat = {.depth = 1, .rate = 0, .radius = HUGE_VAL, .par = par};
  const rh_normal_in curved = {.depth = 1, .rate = 0, .radius = 1, .par = par};
  rh_normal_out f;
  rh_normal_out g;
  law->force(&flat, &f);
  law->force(&curved, &g);
  return !isfinite(f.spring) && isfinite(g.spring);
}

#define RH_HERTZ_STIFFNESS_PARAM(word)                                                             \
  {                                                                                                \
    .name = (word), .unit = "N/m^1.5", .def = 8.5e6, .lo = 0, .hi = 1e18,                          \
    .doc = "stiffness, unless E is given", .open = true                                            \
  }

#define RH_MATERIAL_PARAMS                                                                         \
  {.name = "E",                                                                                    \
   .unit = "Pa",                                                                                   \
   .def = 0,                                                                                       \
   .lo = 0,                                                                                        \
   .hi = 1e18,                                                                                     \
   .doc = "modulus of elasticity; > 0: the stiffness is that of the materials"},                   \
      {.name = "nu", .unit = "1", .def = 0.3, .lo = -1, .hi = 0.5, .doc = "Poisson's ratio"},      \
      {.name = "E2",                                                                               \
       .unit = "Pa",                                                                               \
       .def = HUGE_VAL,                                                                            \
       .lo = 0,                                                                                    \
       .hi = HUGE_VAL,                                                                             \
       .doc = "modulus of the other body; infinite: rigid",                                        \
       .open = true},                                                                              \
  {                                                                                                \
    .name = "nu2", .unit = "1", .def = 0.3, .lo = -1, .hi = 0.5,                                   \
    .doc = "Poisson's ratio of the other body"                                                     \
  }

#endif
