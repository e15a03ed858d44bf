// parabola.h: the parabola on which a state starts. An integrator that integrates only the
// difference to it, as Encke did for comets, is exact in free flight whatever its tolerance: a ball
// always bounces to the same height. The difference z = y - arc(t) obeys dz/dt = f(t, arc + z) -
// d(arc)/dt.
#ifndef ROUTH_EVENT_PARABOLA_H
#define ROUTH_EVENT_PARABOLA_H

#include "integrator.h"

typedef struct rh_arc {
  bool on;
  double t;                     // [s] where it begins
  double *base, *slope, *bend;  // arc = base + slope (t - t0) + bend (t - t0)^2 / 2
  double *full;                 // scratch: arc + z
} rh_arc;

static inline double rh_arc_at(const rh_arc *arc, int i, double t)
{
  double tau = t - arc->t;
  return arc->base[i] + (arc->slope[i] + 0.5 * arc->bend[i] * tau) * tau;
}

// The state for a difference z at time t, in arc->full; z itself if there is no arc.
static inline double *rh_arc_full(const rh_arc *arc, int n, double t, double *z)
{
  if (!arc->on) {
    return z;
  }
  for (int i = 0; i < n; i++) {
    arc->full[i] = z[i] + rh_arc_at(arc, i, t);
  }
  return arc->full;
}

// The rate of the difference from that of the state, in place
static inline void rh_arc_rate(const rh_arc *arc, int n, double t, double *rate)
{
  for (int i = 0; i < n && arc->on; i++) {
    rate[i] -= arc->slope[i] + arc->bend[i] * (t - arc->t);
  }
}

// An arc farther than this from its start, in sizes of the state, costs digits: a new one is
// needed.
#define RH_ARC_FAR 1000

static inline bool rh_arc_spent(const rh_arc *arc, int n, double t, const double *y)
{
  for (int i = 0; i < n && arc->on; i++) {
    double size = y[i] < 0 ? 1 - y[i] : 1 + y[i];
    double off = rh_arc_at(arc, i, t) - arc->base[i];
    if (off > RH_ARC_FAR * size || off < -RH_ARC_FAR * size) {
      return true;
    }
  }
  return false;
}

#endif
