// laws.h: rows of the impact laws that formulations of impacts at several points use by themselves,
// the parameter e of the laws of impact, and the usual ratio of stiffnesses of a law with a tangential
// spring.
#ifndef ROUTH_LAWS_LAWS_H
#define ROUTH_LAWS_LAWS_H

#include <routh/kind.h>

#define RH_ETA2_USUAL (1.7 / 1.4) // [1] k_n / k_t of like elastic spheres, (2 - nu) / (2 (1 - nu)), nu = 0.3

#define RH_PARAM_RESTITUTION(text)                                                                 \
  {                                                                                                \
    .name = "e", .unit = "1", .def = 0.5, .lo = 0, .hi = 1, .doc = "restitution: " text            \
  }

extern const rh_impact_law rh_impact_law_newton, rh_impact_law_poisson, rh_impact_law_stronge;

#endif
