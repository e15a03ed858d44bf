// sobol.h: direction numbers of Sobol' sequences.
#ifndef ROUTH_SWEEP_SOBOL_H
#define ROUTH_SWEEP_SOBOL_H

#include "sweep.h"

#define RH_SOBOL_BITS 52

struct rh_sobol {
  uint64_t direction[RH_AXES_MAX][RH_SOBOL_BITS]; // direction k has its leading digit at bit 51 - k
};

// The first `n` dimensions; those of a smaller n are the same. NULL: out of memory.
rh_sobol *rh_sobol_create(int n);
// Coordinate of point `index`, as a whole number below 2^52.
uint64_t rh_sobol_point(const rh_sobol *sobol, int dimension, uint64_t index);
// Quality of the first 2^m points in the plane of two dimensions: every box of area 2^(t-m) of
// halved sides has 2^t of them.
int rh_sobol_quality(const rh_sobol *sobol, int i, int k, int m);

#endif
