// For engines that go by ticks and locate nothing between them: did two shapes go through one
// another from one tick to the next? The way between the two poses is straight, with a constant
// turn; along it their distance bounds the advance until its next evaluation (conservative
// advancement). Pairs that were deep already at the start are left to the contacts. Left out: turns
// by more than half a revolution in a tick, which are taken the short way round.
#include "collision.h"
#include "geometry/geometry.h"

#include <math.h>

typedef struct ride { // the way of a shape
  const rh_geom *from;
  rh_vec3 move; // [m]
  rh_vec3 turn; // [rad]
} ride;

static ride ride_between(const rh_geom *from, const rh_geom *to)
{
  rh_mat3 back = rh_mat3_transpose(&from->R);
  rh_mat3 turned = rh_mat3_mul(&to->R, &back);
  return (ride){from, rh_sub(to->p, from->p), rh_quat_log(rh_quat_of_matrix(&turned))};
}

static rh_geom place_on_ride(const ride *r, double s)
{
  rh_geom g = *r->from;
  if (rh_dot(r->turn, r->turn) > 0) {
    rh_mat3 turned = rh_quat_matrix(rh_quat_exp(rh_scale(s, r->turn)));
    g.R = rh_mat3_mul(&turned, &r->from->R);
  }
  g.p = rh_addscaled(r->from->p, s, r->move);
  return g;
}

static double distance_on_rides(const ride r[2], double s)
{
  rh_vec3 on[2];
  rh_geom a = place_on_ride(&r[0], s);
  rh_geom b = place_on_ride(&r[1], s);
  return rh_distance(&a, &b, &on[0], &on[1]);
}

double rh_pair_deep(const rh_model *m, int a, int b)
{
  static const double LINE = 1e-6; // of the other: a thinner shape represents a line or a surface
  double thin = fmin(m->shape[a].width, m->shape[b].width);
  double thick = fmax(m->shape[a].width, m->shape[b].width);
  return 0.5 * (thin < LINE * thick && !isinf(thick) ? thick : thin);
}

bool rh_pair_passes(const rh_model *m, const int shape[2], const rh_geom *const from[2],
                    const rh_geom *const to[2])
{
  static const double ON = 0.1; // of the depth that counts: minimum advance per evaluation
  const rh_model_shape *sa = &m->shape[shape[0]];
  const rh_model_shape *sb = &m->shape[shape[1]];
  double deep = rh_pair_deep(m, shape[0], shape[1]);
  if (!rh_shape_bounded(sa->kind) || !rh_shape_bounded(sb->kind)) {
    return false;
  }
  const ride r[2] = {ride_between(from[0], to[0]), ride_between(from[1], to[1])};
  double way = rh_norm(rh_sub(r[0].move, r[1].move)) + rh_norm(r[0].turn) * sa->reach +
               rh_norm(r[1].turn) * sb->reach;
  if (!(way > 0.5 * deep)) {
    return false;
  }
  double far = distance_on_rides(r, 0);
  bool shallow = far > -deep;
  for (double s = 0; shallow && s < 1 && far > -deep;) {
    s = fmin(s + (far + (1 + ON) * deep) / way, 1);
    far = distance_on_rides(r, s);
  }
  return shallow && far <= -deep;
}
