// problem_planar.h: shared by the kinds planar_impact and generalized_impact: the contact as rows
// over the velocities of bodies or of a mechanism, the resulting planar impact, and its answer.
#ifndef ROUTH_PROBLEMS_PROBLEM_PLANAR_H
#define ROUTH_PROBLEMS_PROBLEM_PLANAR_H

#include "impact/tangential/tangential.h"
#include "laws/laws.h"
#include "problem.h"

#define RH_PLANAR_VELOCITIES 200 // of a mechanism

typedef struct rh_planar_posed { // all zero: closed
  const rh_impact_law *law;
  rh_planar_in in;
  int n;           // velocities
  double *v, *Mv;  // [m/s, rad/s] before, and the momenta (n)
  double *Jt, *Jn; // S = Jt v, C = Jn v (n)
  double *Ut, *Un; // M^-1 Jt', M^-1 Jn' (n)
  double T0;       // [J] kinetic energy before
} rh_planar_posed;

// Memory for n velocities, all zero. False: out of memory.
bool rh_planar_open(rh_planar_posed *posed, int n);
void rh_planar_close(rh_planar_posed *posed);
// Reads law, e, mu_s and mu_k; reports all errors.
bool rh_planar_read(const rh_inputs *in, rh_planar_posed *posed);
// One number of a map, by its parameter: range and unit. `required`: its absence is an error.
bool rh_planar_number(const rh_inputs *in, int map, const rh_param *param, bool required,
                      double *x);
// Contact-space inertia, velocities before and T0, from v, Mv, Jt, Jn, Ut, Un. False: refused.
bool rh_planar_prepare(const rh_inputs *in, rh_planar_posed *posed);
rh_status rh_planar_answer(const rh_planar_posed *posed, rh_answer *answer);

// The kinds. Close `posed` in any case.
rh_status rh_planar_pose_bodies(const rh_inputs *in, rh_planar_posed *posed);    // planar_impact
// The bodies and their contact alone (RH_PLANAR_BODIES), before rh_planar_prepare.
rh_status rh_planar_pose_pair(const rh_inputs *in, rh_planar_posed *posed);
rh_status rh_planar_pose_mechanism(const rh_inputs *in, rh_planar_posed *posed); // generalized_impact

// Poses the problem `id` of a file, or the first of these two kinds where id is NULL. `name` (RH_PLANAR_ID_MAX) gets its
// id. Close `posed` in any case.
#define RH_PLANAR_ID_MAX 201
rh_status rh_planar_pose_file(const char *path, const char *id, rh_diag *diag,
                              rh_planar_posed *posed, char *name) RH_CHECK_RESULT;

#define RH_PLANAR_BODIES                                                                           \
  {.name = "body1",                                                                                \
   .unit = "1",                                                                                    \
   .type = RH_TEXT,                                                                                \
   .doc = "map of a body: m, I, centre x, y, velocities vx, vy, w before"},                        \
      {.name = "body2",                                                                            \
       .unit = "1",                                                                                \
       .type = RH_TEXT,                                                                            \
       .doc = "the other body; default, or null: the ground"},                                     \
      {.name = "point", .unit = "m", .type = RH_VECTOR, .count = 2, .doc = "contact point"},       \
  {                                                                                                \
    .name = "normal", .unit = "1", .type = RH_VECTOR, .count = 2,                                  \
    .doc = "from body 2 into body 1; any length; default: [0, 1]"                                  \
  }

#define RH_PLANAR_INPUTS                                                                           \
  {.name = "mu_k",                                                                                 \
   .unit = "1",                                                                                    \
   .def = 0,                                                                                       \
   .lo = 0,                                                                                        \
   .hi = 1e6,                                                                                      \
   .doc = "coefficient of friction in motion; required"},                                          \
      {.name = "mu_s",                                                                             \
       .unit = "1",                                                                                \
       .def = 0,                                                                                   \
       .lo = 0,                                                                                    \
       .hi = 1e6,                                                                                  \
       .doc = "coefficient of friction at rest, at least mu_k; default: mu_k"},                    \
      {.name = "e",                                                                                \
       .unit = "1",                                                                                \
       .def = 0.5,                                                                                 \
       .lo = 0,                                                                                    \
       .hi = 1,                                                                                    \
       .doc = "coefficient of restitution, as the law defines it; required"},                      \
      {.name = "eta2",                                                                             \
       .unit = "1",                                                                                \
       .def = RH_ETA2_USUAL,                                                                       \
       .lo = 0,                                                                                    \
       .hi = RH_ETA2_MAX,                                                                          \
       .doc = "of the law bistiff: normal over tangential stiffness; default: 1.214"},             \
  {                                                                                                \
    .name = "law", .unit = "1", .type = RH_TEXT,                                                   \
    .doc = "impact law: newton, poisson, stronge, bistiff, brach; required"                               \
  }

#define RH_PLANAR_OUTPUTS                                                                          \
  {"case", "1", "word",                                                                            \
   "a to e ([WK] Table 3.1), direct_stick, direct_slide, tangential_c, spring (bistiff), ratio (brach), none"},    \
      {"jam", "1", "flag", "sliding accelerates the approach at first"},                           \
      {"S_0", "m/s", "", "tangential velocity before, of body 1 relative to body 2"},              \
      {"C_0", "m/s", "", "normal velocity before; < 0 approaches"},                                \
      {"S_f", "m/s", "", "tangential velocity after"}, {"C_f", "m/s", "", "normal velocity after"}, \
      {"P_t", "N s", "", "tangential impulse on body 1"},                                          \
      {"P_n", "N s", "", "normal impulse on body 1"},                                              \
      {"P_c", "N s", "", "normal impulse at the end of compression"},                              \
      {"P_s", "N s", "", "normal impulse where slip stops; null if it does not"},                  \
      {"D_n", "J", "", "dissipated by the normal impulse"},                                        \
      {"D_t", "J", "", "dissipated by friction; T1 - T0 = -(D_n + D_t)"},                          \
      {"T0", "J", "", "kinetic energy before"}, {"T1", "J", "", "kinetic energy after"},           \
      {"inv_m1", "1/kg", "", "K_tt of the contact-space inertia"},                                 \
      {"inv_m2", "1/kg", "", "K_nn"}, {"inv_m3", "1/kg", "", "-K_tn"},                             \
      {"v", "m/s, rad/s", "n", "velocities after"},                                                \
      {"energy_created", "1", "flag", "the law created energy: T1 > T0"},                          \
  {                                                                                                \
    "normal_work_positive", "1", "flag", "the normal impulse created energy: D_n < 0"              \
  }

#endif
