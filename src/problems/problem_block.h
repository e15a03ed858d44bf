// problem_block.h: impact of a block, free or held by rows Psi, on the ground at several points, under
// one formulation;
// kinds of problem that differ only in that share their inputs and outputs (problem_block.c). The
// block's axes are those of the world, n = z.
#ifndef ROUTH_PROBLEMS_PROBLEM_BLOCK_H
#define ROUTH_PROBLEMS_PROBLEM_BLOCK_H

#include "impact/impact.h"
#include "problem_psi.h"

// `split` (NULL: not needed) gets the initial ratios of the normal impulses, by slip over mu (n);
// free it.
rh_status rh_block_strike(const rh_inputs *in, const char *formulation, rh_block *split, rh_answer *answer);

// clang-format off: tables
// `least`, `greatest`: of e
#define RH_BLOCK_INPUTS(least, greatest)                                                                                   \
  {.name = "mass", .unit = "kg", .def = 1, .lo = 0, .hi = 1e15, .open = true, .doc = "mass; required"},                    \
  {.name = "dims", .unit = "m", .type = RH_LIST, .count = 3, .doc = "edges of the block"},                                 \
  {.name = "points", .unit = "m", .type = RH_TEXT, .doc = "points that touch, from the centre of mass: n lists of 3"},     \
  {.name = "v_com", .unit = "m/s", .type = RH_LIST, .count = 3, .doc = "velocity of the centre of mass before"},           \
  {.name = "omega", .unit = "rad/s", .type = RH_LIST, .count = 3, .doc = "angular velocity before"},                       \
  {.name = "mu", .unit = "1", .type = RH_LIST, .doc = "friction: one number, or n"},                                       \
  {.name = "e", .unit = "1", .def = 0, .lo = (least), .hi = (greatest),                                                    \
   .doc = (least) < 0 ? "coefficient of restitution; < 0: the impact ends in compression; default: 0"                      \
                      : "coefficient of restitution; default: 0"},                                                         \
  {.name = "Psi", .unit = "1, m", .type = RH_TEXT,                                                                         \
   .doc = "nonholonomic constraints Psi (v_com, omega) = 0: rows of 6 numbers, which the impulses keep; default: none"}

#define RH_BLOCK_WEIGHTS(text) {.name = "weights", .unit = "1", .type = RH_TEXT, .doc = (text)}

#define RH_BLOCK_OUTPUTS                                                                                                   \
  {"v_com", "m/s", "3", "velocity of the centre of mass after"},                                                           \
  {"omega", "rad/s", "3", "angular velocity after"},                                                                       \
  {"v_n_min", "m/s", "", "least normal velocity of the points after; < 0: another impact follows"},                        \
  {"kinetic_energy", "J", "", "after"},                                                                                    \
  {"normal_impulses", "N s", "n", "of the points"},                                                                        \
  {"determined", "N s", "n x 3", "the part of the impulses that the velocities determine, rows x y z"},                    \
  {"free", "1", "", "directions in which the impulses are not determined"},                                                \
  {"events", "1", "", "number of impacts in sequence"},                                                                    \
  {"W_n", "J", "events", "work of the normal impulses in each, at most eight"},                                            \
  {"D_n", "J", "", "energy dissipated by the normal impulses"},                                                            \
  {"D_t", "J", "", "energy dissipated by friction"},                                                                       \
  {"energy_created", "1", "flag", "the formulation created energy"},                                                      \
  RH_OUTPUT_PSI
// clang-format on

#endif
