// profiles.h: axisymmetric bodies on an elastic half-space: gap between the undeformed surfaces, and
// load and approach in closed form (Galin, Sneddon); closed forms of contacts with friction.
#ifndef ROUTH_HALFSPACE_PROFILES_H
#define ROUTH_HALFSPACE_PROFILES_H

#include "tractions.h"

#include <routh/base.h>

typedef enum rh_profile_kind {
  RH_PROFILE_SPHERE, // r^2 / (2 R)
  RH_PROFILE_POWER,  // scale r^exponent
  RH_PROFILE_CONE,   // slope r
  RH_PROFILE_FLAT,   // 0 up to the radius `flat`; beyond it (r - flat)^2 / (2 R), or nothing if R = 0
  RH_PROFILE_SOCKET, // ball of radius R in a spherical socket of radius R_socket > R
  RH_PROFILE_TABLE,  // straight between the heights of a table, and on beyond its end
  RH_PROFILE_GAP     // given cell by cell: not axisymmetric
} rh_profile_kind;

typedef struct rh_profile {
  rh_profile_kind kind;
  double R, R_socket;      // [m]
  double scale, exponent;  // [m^(1 - exponent)], > 0
  double slope, flat;      // [1], [m]
  int n;                   // of the table, >= 2; of the gaps
  double *r, *height;      // [m] (n), r ascending from 0; gaps: height alone
} rh_profile;

// [m] at the distance r [m]; infinite where the body ends
double rh_profile_gap(const rh_profile *profile, double r);
// The gap never falls with r: contact areas are circles, and the closed form holds.
bool rh_profile_is_convex(const rh_profile *profile);

typedef struct rh_round_contact {
  double radius, approach, load; // [m], [m], [N]
} rh_round_contact;

// Contact of a given radius. (Sneddon 1965; power laws: Galin 1946) R = 0 of a flat body: of a given approach.
rh_round_contact rh_round_contact_at(const rh_profile *profile, double Estar, double radius);
// The same of a given approach, or load where approach is 0. False: the body is not so large.
bool rh_round_contact_find(const rh_profile *profile, double Estar, double approach, double load,
                           rh_round_contact *contact) RH_CHECK_RESULT;

// ---- Friction in closed form (friction_forms.c)

// c / a of the part that sticks under a growing normal load, with the tractions' effect on the
// pressures neglected; of any power law. (Spence 1975) mu / |beta|: 0 none sticks, infinite all.
double rh_spence_stick(double mu_over_beta);
// Load of a flat round punch that sticks all over, over that of one without friction (Mossakovskii 1954).
double rh_no_slip_stiffness(double beta);
// Creep of a rolling cylinder over mu a / R, at a tangential load over the friction limit, and the other way round (Carter 1926).
double rh_carter_creep(double share);
double rh_carter_share(double creep);
// Tangential load of a rolling sphere over the friction limit (Vermeulen and Johnson 1964): `creep` is the linear answer over
// three times the limit.
double rh_johnson_share(double creep);

#endif
