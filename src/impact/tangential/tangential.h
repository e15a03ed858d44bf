// tangential.h: an impact at one point with a normal spring, a tangential spring and a slider between
// the tangential spring and the other body, in the limit of infinite stiffness with a fixed ratio
// (docs/bistiff.md; Maw, Barber and Fawcett 1976, Stronge 2000). In the plane every phase has a
// closed form; in space the phases of slip are integrated.
#ifndef ROUTH_IMPACT_TANGENTIAL_TANGENTIAL_H
#define ROUTH_IMPACT_TANGENTIAL_TANGENTIAL_H

#include "impact/impact.h"

// Stiffness ratios below are counted as zero: the rigid path, from which the course differs by
// O(sqrt(eta2)); its number of phases grows as eta2^-1/2.
#define RH_ETA2_MIN 1e-8
#define RH_ETA2_MAX 1e8

typedef struct rh_tangential_in {
  int dim;                // 2: rows t, n; 3: rows t1, t2, n
  double W[9];            // [1/kg] (dim x dim) symmetric, positive semidefinite, W_nn > 0
  double u[3];            // [m/s] before; u_n >= 0: no impact
  double mu, e, eta2;     // [1] friction, restitution (work), k_n / k_t
} rh_tangential_in;

typedef struct rh_tangential_phase {
  bool slips;
  int dir;                // of the slip, in the plane: 1, -1; 0: stick, or in space
  double tau0, tau1;      // [1] t sqrt(k_n W_nn)
} rh_tangential_phase;

typedef struct rh_tangential_at { // a place on the course
  double tau;
  double p[3], u[3];      // [N s], [m/s]
  double Wn, Wt;          // [J] work so far of the normal impulse and of the tangential one
} rh_tangential_at;

// Calls along the course; a function that is NULL is not called. `user` is passed on.
typedef struct rh_tangential_watch {
  void (*phase)(void *user, const rh_tangential_phase *phase);
  void (*at)(void *user, const rh_tangential_at *at);
  int samples;            // places per part of a phase, for `at`
  void *user;
} rh_tangential_watch;

typedef struct rh_tangential_out {
  double p[3], u[3];      // [N s], [m/s] after
  double Dn, Dt;          // [J] dissipated by the normal spring and by the slider
  double spring;          // [J] left in the tangential spring: zero, since the slider lets it go
  double tau_c, tau_f;    // end of the last compression (NaN: no impact), end
  double Pc, Wc;          // [N s], [J] normal impulse and its work at the last end of compression
  double Ps;              // [N s] normal impulse where the slip first stops; NaN: never
  int compressions;
  int phases;             // of stick and of slip
} rh_tangential_out;

// `watch` may be NULL. False: the course did not end within its limits; the result is the best so
// far. The inputs must be finite, 0 <= e <= 1, mu >= 0, eta2 in [RH_ETA2_MIN, RH_ETA2_MAX].
bool rh_tangential_impact(const rh_tangential_in *in, const rh_tangential_watch *watch,
                          rh_tangential_out *out);

// Has the impact of this law a tangential spring?
static inline bool rh_tangential_applies(const rh_impact_law *law, double eta2)
{
  return law->tangential_spring && eta2 >= RH_ETA2_MIN;
}

// The impacts of impact.h under such a law. Without an approach (u_n = 0) a jam is the limit of ever
// slower approaches.
bool rh_tangential_point(const rh_point_in *in, const rh_point_want *want, rh_point_out *out);
bool rh_tangential_planar(const rh_planar_in *in, rh_planar_sample *sample, void *user,
                          rh_planar_out *out);

#endif
