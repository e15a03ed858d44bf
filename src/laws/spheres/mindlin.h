// mindlin.h: tangential stiffness of two elastic spheres in contact (Mindlin and Deresiewicz 1953),
// the damping of Tsuji, Tanaka and Ishida (1992), and an oblique impact under both.
#ifndef ROUTH_LAWS_SPHERES_MINDLIN_H
#define ROUTH_LAWS_SPHERES_MINDLIN_H

#include <routh/base.h>
#include <routh/elementary.h>

#include <math.h>

typedef enum rh_history { // what happens to the tangential force as the stiffness k_t changes
  RH_HISTORY_SPRING,      // F_t = -k_t xi: it follows the stiffness
  RH_HISTORY_FORCE,       // dF_t/dt = -k_t u_t: it does not
  RH_HISTORY_RESCALE      // it follows the stiffness in unloading (Thornton, Cummins, Cleary 2011)
} rh_history;

// G* [Pa]: 1/G* = sum (2 - nu)/G, G = E / (2 (1 + nu)); an infinite modulus is a rigid body.
static inline double rh_effective_shear(double E1, double nu1, double E2, double nu2)
{
  return 1 / (2 * (2 - nu1) * (1 + nu1) / E1 + 2 * (2 - nu2) * (1 + nu2) / E2);
}

// k_t [N/m] at a depth
static inline double rh_mindlin_stiffness(double shear, double radius, double depth)
{
  return 8 * shear * sqrt(radius * depth);
}

// c / sqrt(m K) of a force K d^1.5 + c d^0.25 d' that rebounds with e at every speed (Antypov and
// Elliott 2011).
static inline double rh_tsuji_damping(double e)
{
  double l = rh_log(e);
  return -sqrt(5.0) * l / rh_hypot(l, 3.14159265358979323846);
}

typedef struct rh_mindlin_in { // spheres, or a sphere on a half-space: no coupling of t and n
  double modulus, shear;       // [Pa] E*, G*
  double radius, mass;         // [m], [kg] R*, m*
  double Wtt;                  // [1/kg] tangential inverse mass of the contact
  double mu, e;                // [1]; e > 0
  double speed, slip;          // [m/s] of approach, > 0; u_t before
  rh_history history;
} rh_mindlin_in;

enum { RH_MINDLIN_MODES = 16 };

typedef struct rh_mindlin_out {
  double slip;                    // [m/s] u_t after
  double pt, pn;                  // [N s] on body 1
  double time, depth, force;      // [s] of contact, [m] and [N] greatest
  int nmode;                      // phases of stick and slip, at most RH_MINDLIN_MODES
  int dir[RH_MINDLIN_MODES];      // 0 stick; 1, -1 slip
  double from[RH_MINDLIN_MODES];  // [s] when it begins
} rh_mindlin_out;

// False: more phases than RH_MINDLIN_MODES.
bool rh_mindlin_impact(const rh_mindlin_in *in, rh_mindlin_out *out) RH_CHECK_RESULT;

#endif
