// Axis-aligned bounds of a placed shape: exact, from its support along the six directions; of a sphere, a box and a capsule the
// same numbers in closed form; of a heightfield from its rectangle.
#include "heightfield.h"
#include "pair.h"

static rh_bounds bounds_about(rh_vec3 p, rh_vec3 reach, double grow)
{
  rh_bounds b;
  b.lo = rh_v3(p.x - reach.x - grow, p.y - reach.y - grow, p.z - reach.z - grow);
  b.hi = rh_v3(p.x + reach.x + grow, p.y + reach.y + grow, p.z + reach.z + grow);
  return b;
}

static rh_vec3 box_reach(const rh_geom *g)
{
  const double *m = g->R.m;
  double r = g->par[RH_BOX_ROUND];
  double x = g->par[0] / 2 - r;
  double y = g->par[1] / 2 - r;
  double z = g->par[2] / 2 - r;
  return rh_v3(fabs(m[0]) * x + fabs(m[1]) * y + fabs(m[2]) * z,
               fabs(m[3]) * x + fabs(m[4]) * y + fabs(m[5]) * z,
               fabs(m[6]) * x + fabs(m[7]) * y + fabs(m[8]) * z);
}

static rh_vec3 capsule_reach(const rh_geom *g)
{
  double half = g->par[1] / 2;
  return rh_v3(fabs(g->R.m[2]) * half, fabs(g->R.m[5]) * half, fabs(g->R.m[8]) * half);
}

rh_bounds rh_geom_bounds(const rh_geom *g, double margin)
{
  if (g->kind->mesh == RH_MESH_FIELD) {
    return rh_heightfield_bounds(g->mesh, &(rh_xform){g->R, g->p}, margin);
  }
  if (!rh_shape_bounded(g->kind)) {
    return (rh_bounds){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  }
  double grow = rh_geom_rounding(g) + margin;
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_SPHERE:
    return bounds_about(g->p, rh_v3(0, 0, 0), grow);
  case RH_SHAPE_BOX:
    return bounds_about(g->p, box_reach(g), grow);
  case RH_SHAPE_CAPSULE:
    return bounds_about(g->p, capsule_reach(g), grow);
  default:
    break;
  }
  rh_bounds b;
  b.lo.x = g->p.x + rh_geom_support(g, rh_v3(-1, 0, 0)).x - grow;
  b.lo.y = g->p.y + rh_geom_support(g, rh_v3(0, -1, 0)).y - grow;
  b.lo.z = g->p.z + rh_geom_support(g, rh_v3(0, 0, -1)).z - grow;
  b.hi.x = g->p.x + rh_geom_support(g, rh_v3(1, 0, 0)).x + grow;
  b.hi.y = g->p.y + rh_geom_support(g, rh_v3(0, 1, 0)).y + grow;
  b.hi.z = g->p.z + rh_geom_support(g, rh_v3(0, 0, 1)).z + grow;
  return b;
}
