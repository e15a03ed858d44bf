// impacts.h: what the tests of planar impacts share: random impacts, some of them on the edges between the cases.
#ifndef ROUTH_TEST_IMPACTS_H
#define ROUTH_TEST_IMPACTS_H

#include "impact/impact.h"
#include "world.h"

#include <math.h>

// Contact-space inertia of any shape, velocities of either sign; now and then something is zero, one, or just at a limit.
static inline rh_planar_in random_impact(rng *r)
{
  rh_planar_in in = {.Ktt = pow(10, rng_in(r, -1, 1)),
                     .Knn = pow(10, rng_in(r, -1, 1)),
                     .S0 = rng_in(r, -3, 3),
                     .C0 = -pow(10, rng_in(r, -1.5, 0.5)),
                     .mu_k = rng_in(r, 0, 1.5),
                     .e = rng_in(r, 0, 1)};
  in.Ktn = rng_in(r, -0.99, 0.99) * sqrt(in.Ktt * in.Knn);
  in.mu_s = in.mu_k;
  switch (rng_int(r, 24)) {
  case 0:
    in.S0 = 0; // direct
    break;
  case 1:
    in.Ktn = 0; // central
    break;
  case 2:
    in.mu_k = in.mu_s = 0;
    break;
  case 3:
    in.e = rng_int(r, 2);
    break;
  case 4:
    in.C0 = 0; // nothing, or tangential
    in.mu_k = in.mu_s = rng_in(r, 0, 10);
    break;
  case 5:
    in.mu_k = in.mu_s = fabs(in.Ktn) / in.Ktt; // sticking just holds
    break;
  case 6:
  case 7:
  case 8:
    in.mu_s = in.mu_k * rng_in(r, 1, 2);
    break;
  case 9:
    in.mu_k = in.mu_s = rng_in(r, 1.5, 20); // jams
    break;
  default:
    break;
  }
  return in;
}

// [J] kinetic energy of the motion in the contact, u' K^-1 u / 2: it changes as the kinetic energy of the bodies does.
static inline double contact_energy(const rh_planar_in *in, double S, double C)
{
  double det = in->Ktt * in->Knn - in->Ktn * in->Ktn;
  return 0.5 * (in->Knn * S * S - 2 * in->Ktn * S * C + in->Ktt * C * C) / det;
}

static inline bool ends_stuck(rh_planar_case kind)
{
  return kind == RH_CASE_C || kind == RH_CASE_D || kind == RH_CASE_DIRECT_STICK ||
         kind == RH_CASE_TANGENTIAL_STICK;
}

#endif
