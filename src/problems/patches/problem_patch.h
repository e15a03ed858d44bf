// problem_patch.h: shared by the kinds of problem on elastic patches: reading plain numbers and
// lists by the row, and the patch under a sphere.
#ifndef ROUTH_PROBLEMS_PATCHES_PROBLEM_PATCH_H
#define ROUTH_PROBLEMS_PATCHES_PROBLEM_PATCH_H

#include "problems/problem.h"
#include "halfspace/halfspace.h"

// Numbers, whole numbers and choices of the row, in its order; lists and texts are skipped. Absent values
// have their default; an input whose default is out of its range is required. Reports all errors.
bool rh_plain_inputs(const rh_inputs *in, double value[RH_PAR_MAX]);
// The list that is input `index` of the row, 1 to `max` numbers in its range; free it with rh_free.
// NULL after an error.
double *rh_list_input(const rh_inputs *in, int index, int max, int *n);

#define RH_PATCH_LIST_MAX 1000

// Inputs of several kinds; each is required.
#define RH_PATCH_R                                                                                 \
  {                                                                                                \
    .name = "R", .unit = "m", .lo = 0, .hi = 1e9, .doc = "relative radius of curvature",           \
    .open = true                                                                                   \
  }
#define RH_PATCH_ESTAR                                                                             \
  {                                                                                                \
    .name = "Estar", .unit = "Pa", .lo = 0, .hi = 1e18,                                            \
    .doc = "E*: 1 / E* is the sum of (1 - nu^2) / E of both bodies", .open = true                  \
  }
#define RH_PATCH_DELTA                                                                             \
  {                                                                                                \
    .name = "delta", .unit = "m", .lo = 0, .hi = 1e9, .doc = "approach of the bodies",             \
    .open = true                                                                                   \
  }
#define RH_PATCH_N                                                                                 \
  {                                                                                                \
    .name = "n", .unit = "1", .lo = 1, .hi = RH_PATCH_MAX, .doc = "cells along a side",            \
    .type = RH_INTEGER                                                                             \
  }
#define RH_PATCH_WIDTH                                                                             \
  {                                                                                                \
    .name = "width_factor", .unit = "1", .def = 1.2, .lo = 0.1, .hi = 100,                         \
    .doc = "half-width of the patch over Hertz's a; default: 1.2"                                  \
  }
#define RH_PATCH_MU                                                                                \
  {                                                                                                \
    .name = "mu", .unit = "1", .def = -1, .lo = 0, .hi = 1e6, .doc = "coefficient of friction"     \
  }
#define RH_PATCH_G                                                                                 \
  {                                                                                                \
    .name = "G", .unit = "Pa", .lo = 0, .hi = 1e18, .doc = "shear modulus of both bodies",         \
    .open = true                                                                                   \
  }
#define RH_PATCH_NU                                                                                \
  {                                                                                                \
    .name = "nu", .unit = "1", .def = -2, .lo = -1, .hi = 0.5,                                     \
    .doc = "Poisson's ratio of both bodies"                                                        \
  }
#define RH_PATCH_SHARES                                                                            \
  {                                                                                                \
    .name = "Q_over_muP", .unit = "1", .lo = 0, .hi = 1, .type = RH_LIST,                          \
    .doc = "tangential loads, relative to the greatest that friction can hold"                     \
  }
#define RH_PATCH_P                                                                                 \
  {                                                                                                \
    .name = "P", .unit = "N/m", .lo = 0, .hi = 1e18, .doc = "load on the line", .open = true       \
  }

// The patch under a sphere: forces f over E* h delta, which depend on grid and influence alone.
typedef struct rh_sphere_patch { // all zero: closed
  int n;
  double h;         // side of a cell over Hertz's a
  double *f;        // (n x n)
  double *lo, *hi, *drive, *kernel, *room;
  double total;     // sum of f
  double most;      // largest f
  int cells;        // with a force
} rh_sphere_patch;

// Opens and solves; reports errors. Close it in any case.
rh_status rh_sphere_patch_open(const rh_inputs *in, int n, double width, rh_influence influence,
                               rh_sphere_patch *s) RH_CHECK_RESULT;
void rh_sphere_patch_close(rh_sphere_patch *s);

// Memory of a patch problem was insufficient or unavailable.
rh_status rh_patch_failed(const rh_inputs *in);

#endif
