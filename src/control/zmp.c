// A centre of mass that keeps the zero moment point p at its wanted place. At constant height the
// cart on a table gives
//   c'' = w^2 (c - p), w^2 = g / z                          (linear inverted pendulum)
// and for a p of straight pieces the one bounded motion is, with the slope of p jumping by dm_j at
// t_j,
//   c = p + sum_j dm_j / (2 w) exp(-w |t - t_j|):
// the Green's function of 1 - (d/dt)^2 / w^2 is (w/2) exp(-w |t|). It begins before p does. Not
// modelled: swinging legs and a turning trunk.
#include "control.h"

#include <math.h>

#define FAR 40 // exp(-40) is negligible

static double zmp_slope(const rh_zmp *zmp, int leg, int axis)
{
  return (zmp->place[2 * (leg + 1) + axis] - zmp->place[2 * leg + axis]) / zmp->shift;
}

static void add_kink(double w, double since, double jump, rh_way *c)
{
  if (w * fabs(since) < FAR) {
    double r = jump / (2 * w) * rh_exp(-w * fabs(since));
    c->x += r;
    c->v -= since > 0 ? w * r : -w * r;
    c->a += w * w * r;
  }
}

void rh_zmp_com(const rh_zmp *zmp, double t, rh_way com[2], double point[2])
{
  for (int axis = 0; axis < 2; axis++) {
    double p = zmp->place[axis];
    double rate = 0;
    rh_way c = {0};
    for (int leg = 0; leg < zmp->legs; leg++) {
      double since = t - leg * zmp->cycle;
      double m = zmp_slope(zmp, leg, axis);
      p += m * fmin(fmax(since, 0), zmp->shift);
      rate += since > 0 && since < zmp->shift ? m : 0;
      add_kink(zmp->omega, since, m, &c);
      add_kink(zmp->omega, since - zmp->shift, -m, &c);
    }
    point[axis] = p;
    com[axis] = (rh_way){p + c.x, rate + c.v, c.a};
  }
}
