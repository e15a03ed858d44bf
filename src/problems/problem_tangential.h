// problem_tangential.h: shared by the kinds tangential_impact and tangential_impact3: an impact with a
// tangential spring (impact/tangential), from its inputs to its answer.
#ifndef ROUTH_PROBLEMS_PROBLEM_TANGENTIAL_H
#define ROUTH_PROBLEMS_PROBLEM_TANGENTIAL_H

#include "impact/tangential/tangential.h"
#include "problem.h"

// Reads mu, e and eta2; reports all errors.
bool rh_tangential_read(const rh_inputs *in, rh_tangential_in *posed);
// Reads W and u0 of posed->dim rows.
bool rh_tangential_read_point(const rh_inputs *in, rh_tangential_in *posed);
// Solves and answers; `out` gets the result.
rh_status rh_tangential_answer(const rh_inputs *in, const rh_tangential_in *posed,
                               rh_tangential_out *out, rh_answer *answer);

#define RH_TANGENTIAL_INPUTS                                                                       \
  {.name = "mu",                                                                                   \
   .unit = "1",                                                                                    \
   .def = 0,                                                                                       \
   .lo = 0,                                                                                        \
   .hi = 1e6,                                                                                      \
   .doc = "coefficient of friction of the slider; required"},                                      \
      {.name = "e",                                                                                \
       .unit = "1",                                                                                \
       .def = 0.5,                                                                                 \
       .lo = 0,                                                                                    \
       .hi = 1,                                                                                    \
       .doc = "restitution: e^2 of the normal work is given back; required"},                      \
  {                                                                                                \
    .name = "eta2", .unit = "1", .def = 1, .lo = RH_ETA2_MIN, .hi = RH_ETA2_MAX,                   \
    .doc = "normal over tangential stiffness; required"                                            \
  }

#define RH_TANGENTIAL_OUTPUTS(rows, mode)                                                          \
  {"u", "m/s", rows, "velocity of the contact after"}, {"p", "N s", rows, "impulse on body 1"},    \
      {"D_n", "J", "", "dissipated along the normal: (1 - e^2) of the work taken in"},             \
      {"D_t", "J", "", "dissipated by the slider; T0 - T1 = D_n + D_t"},                           \
      {"E_spring", "J", "", "left in the tangential spring at separation: 0"},                     \
      {"tau_c", "1", "", "end of the last compression, t sqrt(k_n W_nn); null: no impact"},        \
      {"tau_f", "1", "", "end of the impact"},                                                     \
  {                                                                                                \
    "modes", "1", "list", mode                                                                     \
  }

#endif
