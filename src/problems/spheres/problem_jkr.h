// problem_jkr.h: inputs that the kinds of adhesive spheres share.
#ifndef ROUTH_PROBLEMS_SPHERES_PROBLEM_JKR_H
#define ROUTH_PROBLEMS_SPHERES_PROBLEM_JKR_H

#include "laws/spheres/jkr.h"
#include "problems/problem_matrix.h"

#define RH_JKR_INPUTS                                                                              \
  {.name = "R",                                                                                    \
   .unit = "m",                                                                                    \
   .lo = 0,                                                                                        \
   .hi = 1e12,                                                                                     \
   .doc = "radius, 1 / (1/R1 + 1/R2); required",                                                   \
   .open = true},                                                                                  \
      {.name = "Estar",                                                                            \
       .unit = "Pa",                                                                               \
       .lo = 0,                                                                                    \
       .hi = 1e18,                                                                                 \
       .doc = "modulus of the pair, 1/E* = sum (1 - nu^2)/E; required",                            \
       .open = true},                                                                              \
  {                                                                                                \
    .name = "w", .unit = "J/m^2", .lo = 0, .hi = 1e12, .doc = "work of adhesion; required",        \
    .open = true                                                                                   \
  }

// Reads the first three inputs of a kind: RH_JKR_INPUTS. Reports all errors.
static inline bool rh_jkr_read(const rh_inputs *in, const rh_param *input, rh_jkr *j)
{
  bool good = rh_input_one(in, &input[0], true, &j->radius);
  good = rh_input_one(in, &input[1], true, &j->modulus) && good;
  return rh_input_one(in, &input[2], true, &j->work) && good;
}

#endif
