// free_impact.h: one body, one contact: a mass meets the ground under a normal law and leaves it again, integrated to about
// twelve digits. The body moves along the normal only. Never allocates. Compare [MO] sec. 4 and
// [AF] sec. 2.
#ifndef ROUTH_LAWS_FREE_IMPACT_H
#define ROUTH_LAWS_FREE_IMPACT_H

#include <routh/kind.h>

typedef struct rh_impact1_in {
  const rh_normal_law *law;
  const double *par; // of the law's row, checked
  double mass;       // [kg] > 0
  double speed;      // [m/s] into the ground; > 0, unless it starts in the ground
  double gravity;    // [m/s^2] into the ground, >= 0
  double radius;     // [m] of curvature of the contact; infinity: flat on flat
  double depth;      // [m] at the start, 0: at touchdown
} rh_impact1_in;

typedef struct rh_impact1_out {
  bool leaves;                   // false: it comes to rest in the ground; e and rebound_speed are then zero
  double e;                      // rebound_speed / |speed|
  double rebound_speed;          // [m/s] out of the ground, where the surface was (z = 0)
  double max_penetration;        // [m]
  double time_of_max_penetration; // [s] after touchdown
  double peak_force;             // [N]
  double time_of_peak_force;     // [s]
  double penetration_at_peak;    // [m]
  double contact_time;           // [s] until the force is zero for good, at z = 0 if the law pulls; infinity: stays
  double penetration_left;       // [m] at that moment
  double time_of_return;         // [s] until z = 0; infinity: stays
  double energy_loss;            // [J] taken by the damper, and in the spring at contact_time
  long evaluations;              // of the law
} rh_impact1_out;

typedef struct rh_impact1_point { // a moment of the impact
  double t, z, rate, force;       // [s], [m], [m/s], [N]
} rh_impact1_point;

// RH_NOT_FINITE: the law has no finite force there. RH_TOLERANCE_NOT_REACHED: damped too strongly,
// too slow relative to gravity, or the energy balance does not close to 1e-9; `out` is then
// unreliable.
rh_status rh_impact1(const rh_impact1_in *in, rh_impact1_out *out) RH_CHECK_RESULT;

// The impact at `n` moments that do not fall (t[i] <= t[i + 1]). After the return to z = 0: z = 0,
// force zero.
rh_status rh_impact1_at(const rh_impact1_in *in, int n, const double *t,
                        rh_impact1_point *point) RH_CHECK_RESULT;

#endif
