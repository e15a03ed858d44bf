// shapes.h: where shapes of the tree touch planes, in lanes: points of rh_collide (geometry/pair.c: spheres, manifold_box.c,
// manifold_round.c, plane.c), their operations in their order. A pair of a shape and a plane has a lane_pair for each of its
// features: corners of a box, ends of a capsule, points on the rims of a cylinder.
#ifndef ROUTH_STEPPING_LANES_SHAPES_H
#define ROUTH_STEPPING_LANES_SHAPES_H

#include "lines.h"

// A standing cylinder has no lowest point of its rim (rh_rim_direction).
LANE_FN void rim_direction(vec down, num rim[2])
{
  const num standing = n_all(1e-4);
  const num zero = n_all(0);
  num tilt = n_root(down.x * down.x + down.y * down.y);
  num part = tilt / standing;
  num s = n_all(1) - part * part;
  mask stands = n_over(standing, tilt);
  num x = n_pick(stands, down.x + standing * s * s * s, down.x);
  tilt = n_pick(stands, n_root(x * x + down.y * down.y), tilt);
  mask known = n_over(tilt, zero);
  rim[0] = n_pick(known, x / tilt, n_all(1));
  rim[1] = n_pick(known, down.y / tilt, zero);
}

LANE_FN void turn_shape(const lane_pair *x, const lane_kin *b, num *R)
{
  num P[9];
  for (int i = 0; i < 9; i++) {
    P[i] = n_all(x->turn[i]);
    R[i] = b->R[i];
  }
  if (!x->straight) {
    m3_mul(b->R, P, R);
  }
}

LANE_FN vec unrotate(const num m[9], vec a)
{
  return v_of(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
              m[2] * a.x + m[5] * a.y + m[8] * a.z);
}

// Is a sphere within r of the plane, by its bounds (broad.c)?
LANE_FN mask bounds_touch(const lane_pair *x, vec p, num r)
{
  const num at[3] = {p.x, p.y, p.z};
  num low[3];
  for (int i = 0; i < 3; i++) {
    low[i] = n_all(0);
    if (x->n[i] != 0) {
      low[i] = n_all(x->n[i]) * (x->n[i] > 0 ? at[i] - r : at[i] + r);
    }
  }
  return m_not(n_over(low[0] + low[1] + low[2], n_all(x->d)));
}

// The shape of a pair at the present place, in s->pose
LANE_FN void pose_shape(const lane_table *t, lane_scratch *s, int k)
{
  lane_pose *pose = &s->pose;
  const lane_pair *x = &t->pair[k];
  const lane_kin *b = &s->kin[x->body];
  const vec n = v_all(x->n);
  const double h = t->dt;
  pose->reach = n_all(h) * (s->reach[x->body][0] + s->reach[x->body][1] * n_all(x->arm)) +
                n_all(2 * h * h * t->weight);
  pose->reach = pose->reach + n_all(t->skin);
  pose->p = v_add(b->p, v_rotate(b->R, v_all(x->place)));
  pose->height = v_dot(n, v_sub(pose->p, v_all(x->at)));
  if (x->kind == LANE_SPHERE) {
    pose->near = bounds_touch(x, pose->p, n_all(x->radius) + pose->reach);
    return;
  }
  pose->near = m_of(ALL_LANES);
  turn_shape(x, b, pose->R);
  if (x->kind == LANE_CAPSULE) {
    return;
  }
  pose->normal = unrotate(pose->R, n);
  if (x->kind == LANE_BOX) {
    const vec m = pose->normal;
    num most = n_abs(m.x) * n_all(x->side[0]) + n_abs(m.y) * n_all(x->side[1]) +
               n_abs(m.z) * n_all(x->side[2]);
    pose->near = m_not(n_least(pose->height - most, pose->reach));
  } else {
    rim_direction(v_of(-pose->normal.x, -pose->normal.y, -pose->normal.z), pose->rim);
  }
}

LANE_FN vec rim_point(const lane_pair *x, const lane_pose *pose)
{
  const num r = n_all(x->radius);
  const num e = pose->rim[0];
  const num f = pose->rim[1];
  const num z = n_all(x->point[2]);
  switch (x->id & 3) {
  case 0:
    return v_of(r * e, r * f, z);
  case 1:
    return v_of(r * -f, r * e, z);
  case 2:
    return v_of(r * -e, r * -f, z);
  default:
    return v_of(r * f, r * -e, z);
  }
}

// The gap and the place of a feature of that shape; the lanes in which it is within `reach`
LANE_FN mask place_feature(const lane_pair *x, const lane_pose *pose, num reach, num *phi, vec *point)
{
  const vec n = v_all(x->n);
  if (x->kind == LANE_SPHERE) {
    *phi = pose->height - n_all(x->radius);
    *point = v_addscaled(pose->p, n_all(-x->radius), n);
    return m_not(n_over(*phi, reach));
  }
  if (x->kind == LANE_CAPSULE) {
    const vec axis = v_of(pose->R[2], pose->R[5], pose->R[8]);
    num middle = pose->height - n_all(x->radius);
    num rise = v_dot(n, axis) * n_all(x->side[2]) / n_all(2);
    *phi = x->id == 0 ? middle - rise : middle + rise;
    *point = v_addscaled(v_addscaled(pose->p, n_all(x->point[2]), axis), n_all(-x->radius), n);
  } else {
    vec at = v_all(x->point);
    if (x->kind == LANE_CYLINDER) {
      at = rim_point(x, pose);
    }
    *phi = pose->height + v_dot(pose->normal, at);
    *point = v_add(pose->p, v_rotate(pose->R, at));
  }
  return n_over(reach, *phi);
}

#endif
