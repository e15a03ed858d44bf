// problem_painleve.h: Painleve's rod, for its three kinds of problem. A rod of half-length l slides on its lower tip; its centre
// is at l (cos theta, sin theta) from there. With friction mu and slip of sign s the tip accelerates with a_n = b + p N,
//   p = 1/m + l^2/I cos(theta) (cos(theta) + s mu sin(theta)),  b = -g + l omega^2 sin(theta)   [WK] 2.4
#ifndef ROUTH_PROBLEMS_PROBLEM_PAINLEVE_H
#define ROUTH_PROBLEMS_PROBLEM_PAINLEVE_H

#include "problem_matrix.h"

typedef struct rh_rod {
  double m, l, I;           // [kg], half-length [m], [kg m^2] about the centre
  double g, slip_sign;
  double theta, mu, omega;
} rh_rod;

typedef enum rh_rod_class { RH_ROD_NONE, RH_ROD_UNIQUE, RH_ROD_MULTIPLE } rh_rod_class;

typedef struct rh_rod_answer {
  double p, b;              // [1/kg], [m/s^2]
  rh_rod_class cls;
  bool separates, slides;   // the consistent motions
  double N;                 // [N] of the sliding one, else 0
} rh_rod_answer;

extern const char *const rh_rod_class_name[3];

rh_rod_answer rh_rod_solve(const rh_rod *rod);
// Reads m, l, I, and g and slip_sign where the kind has them. False: refused.
bool rh_rod_read(const rh_inputs *in, rh_rod *rod);

#define RH_ROD_INPUTS                                                                              \
  {.name = "m", .unit = "kg", .def = 1, .lo = 0, .hi = 1e12, .doc = "mass; required", .open = true}, \
      {.name = "l",                                                                                \
       .unit = "m",                                                                                \
       .def = 1,                                                                                   \
       .lo = 0,                                                                                    \
       .hi = 1e9,                                                                                  \
       .doc = "half the length; required",                                                         \
       .open = true},                                                                              \
  {                                                                                                \
    .name = "I", .unit = "kg m^2", .def = 1, .lo = 0, .hi = 1e24,                                  \
    .doc = "inertia about the centre; default: m l^2 / 3, a thin rod", .open = true                \
  }

#define RH_ROD_SLIDING                                                                             \
  {.name = "g", .unit = "m/s^2", .def = 9.81, .lo = 0, .hi = 1e9, .doc = "gravity; default: 9.81"}, \
  {                                                                                                \
    .name = "slip_sign", .unit = "1", .def = -1, .lo = -1, .hi = 1,                                \
    .doc = "sign of the tip's velocity: -1 is towards where the rod leans from, 1 the other way; default: -1" \
  }

#endif
