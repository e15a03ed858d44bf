// clutch.h: a spring and a damper in parallel, in series with a clutch that yields at the edge of
// the friction cone: shared by friction laws with a memory. [AF] eq. 19-33, sec. 3.
#ifndef ROUTH_LAWS_CLUTCH_H
#define ROUTH_LAWS_CLUTCH_H

#include <routh/kind.h>

#include <math.h>

typedef struct rh_clutch {
  double k;       // [N/m] stiffness now
  double a;       // [N s/m] damping now
  double k_per_a; // [1/s] their ratio, which stays finite where both vanish
  double limit;   // [N] force at which it yields
  double viscous; // [N s/m] drag on its sliding
} rh_clutch;

// Fills in all of `out`; its ds[0..1] is the rate at which the spring deforms. `u`: deformation of the spring [m].
static inline void rh_clutch_force(const rh_clutch *c, const double *u, const double *slip,
                                   rh_friction_out *out)
{
  // f_stick = -a q, with q finite where a = 0. [AF] eq. 22, 31*
  double q[2] = {c->k_per_a * u[0] + slip[0], c->k_per_a * u[1] + slip[1]};
  double size = rh_hypot(q[0], q[1]);
  double stick = c->a * size;
  // Eqs 27, 30 and 31 are linear in the force: F = f_stick (a limit + Cv |f_stick|) / ((a + Cv) |f_stick|). [AF] eq. 27*
  double share = 1; // of f_stick
  if (stick > c->limit) {
    share = (c->limit / size + c->viscous) / (c->a + c->viscous);
  }
  double w[2];
  double clutch[2];
  for (int i = 0; i < 2; i++) {
    out->force[i] = -share * c->a * q[i]; // [AF] eq. 26
    clutch[i] = (1 - share) * q[i];       // [AF] eq. 30
    w[i] = slip[i] - clutch[i];           // [AF] eq. 31*
    out->ds[i] = w[i];
  }
  out->stored = 0.5 * c->k * (u[0] * u[0] + u[1] * u[1]);
  out->p_spring = c->k * (u[0] * w[0] + u[1] * w[1]);                            // [AF] eq. 33
  out->p_damper = c->a * (w[0] * w[0] + w[1] * w[1]);                            // [AF] eq. 28
  out->p_slide = -(out->force[0] * clutch[0] + out->force[1] * clutch[1]);       // [AF] eq. 29*
  out->margin = c->limit - stick;
}

#endif
