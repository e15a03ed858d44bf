// Axis-aligned bounds of a placed shape: exact, from its support along the six directions; of a heightfield from its
// rectangle.
#include "geom/field.h"
#include "geom/pair.h"

rh_bounds rh_geom_bounds(const rh_geom *g, double margin)
{
  if (g->kind->mesh == RH_MESH_FIELD) {
    return rh_field_bounds(g->mesh, &(rh_xform){g->R, g->p}, margin);
  }
  if (!rh_shape_bounded(g->kind)) {
    return (rh_bounds){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  }
  double grow = rh_geom_rounding(g) + margin;
  rh_bounds b;
  b.lo.x = g->p.x + rh_geom_support(g, rh_v3(-1, 0, 0)).x - grow;
  b.lo.y = g->p.y + rh_geom_support(g, rh_v3(0, -1, 0)).y - grow;
  b.lo.z = g->p.z + rh_geom_support(g, rh_v3(0, 0, -1)).z - grow;
  b.hi.x = g->p.x + rh_geom_support(g, rh_v3(1, 0, 0)).x + grow;
  b.hi.y = g->p.y + rh_geom_support(g, rh_v3(0, 1, 0)).y + grow;
  b.hi.z = g->p.z + rh_geom_support(g, rh_v3(0, 0, 1)).z + grow;
  return b;
}
