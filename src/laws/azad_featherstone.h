// azad_featherstone.h: parameters and clutch of the two friction laws of that name. [AF] eq. 19-33.
#ifndef ROUTH_LAWS_AZAD_FEATHERSTONE_H
#define ROUTH_LAWS_AZAD_FEATHERSTONE_H

#include "clutch.h"

enum { RH_AF_KT, RH_AF_DT, RH_AF_MU, RH_AF_CV, RH_AF_VISCOUS };

#define RH_AF_AS_PRINTED 0 // values of `viscous`
#define RH_AF_GATED      1

#define RH_AF_FRICTION_PARAMS                                                                      \
  {.name = "Kt",                                                                                   \
   .unit = "N/m^1.5",                                                                              \
   .def = 12.75e6,                                                                                 \
   .lo = 0,                                                                                        \
   .hi = 1e18,                                                                                     \
   .doc = "tangential stiffness; 3/2 Kn for alike materials"},                                     \
      {.name = "Dt",                                                                               \
       .unit = "N s/m^1.5",                                                                        \
       .def = 3.1e3,                                                                               \
       .lo = 0,                                                                                    \
       .hi = 1e18,                                                                                 \
       .doc = "tangential damping; Dn for alike materials",                                        \
       .open = true},                                                                              \
      {.name = "mu",                                                                               \
       .unit = "1",                                                                                \
       .def = 0.2,                                                                                 \
       .lo = 0,                                                                                    \
       .hi = 1e6,                                                                                  \
       .doc = "coefficient of friction"},                                                          \
      {.name = "Cv",                                                                               \
       .unit = "N s/m",                                                                            \
       .def = 0,                                                                                   \
       .lo = 0,                                                                                    \
       .hi = 1e18,                                                                                 \
       .doc = "viscous friction of the sliding clutch"},                                           \
  {                                                                                                \
    .name = "viscous", .unit = "1", .def = RH_AF_AS_PRINTED, .lo = RH_AF_AS_PRINTED,               \
    .hi = RH_AF_GATED,                                                                             \
    .doc = "where the normal force is zero: as_printed keeps viscous friction, gated drops it",    \
    .type = RH_CHOICE, .choices = "as_printed|gated"                                               \
  }

static inline rh_clutch rh_azad_featherstone_clutch(const rh_friction_in *in)
{
  const double *p = in->par;
  double root = sqrt(in->depth);
  bool off = p[RH_AF_VISCOUS] == RH_AF_GATED && !(in->normal > 0);
  rh_clutch c;
  c.k = p[RH_AF_KT] * root; // [AF] eq. 22
  c.a = p[RH_AF_DT] * root; // [AF] eq. 22
  c.k_per_a = p[RH_AF_KT] / p[RH_AF_DT];
  c.limit = p[RH_AF_MU] * in->normal;
  c.viscous = off ? 0 : p[RH_AF_CV];
  return c;
}

#endif
