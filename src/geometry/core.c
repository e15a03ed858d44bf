// core.c: cores of rounded boxes and hulls. A box that is round all about is a sphere, one that is
// round about an axis a capsule.
#include "pair.h"

static const double THIN = 1e-9; // of the longest side: a core is no thinner

double rh_geom_core(const rh_geom *g, rh_core *core)
{
  double r = rh_geom_round(g);
  core->g = *g;
  core->thin = RH_NONE;
  if (!(r > 0)) {
    return 0;
  }
  core->g.par = core->par;
  if (g->mesh) {
    core->par[RH_HULL_ROUND] = 0;
    core->par[RH_HULL_SAMPLES] = g->par[RH_HULL_SAMPLES];
    return r;
  }
  double thin = THIN * fmax(g->par[0], fmax(g->par[1], g->par[2]));
  int sides = 0;
  int axis = 0;
  for (int i = 0; i < 3; i++) {
    double side = g->par[i] - 2 * r;
    sides += side > thin;
    axis = side > thin ? i : axis;
    core->thin = side > thin ? core->thin : i;
    core->par[i] = fmax(side, thin);
  }
  core->par[3] = g->par[3];
  core->par[RH_BOX_ROUND] = 0;
  if (sides > 1) {
    return r;
  }
  double length = core->par[axis];
  core->thin = RH_NONE;
  core->par[0] = r;
  core->par[1] = length;
  core->g.kind = &rh_shape_rows[sides ? RH_SHAPE_CAPSULE : RH_SHAPE_SPHERE];
  for (int row = 0; row < 3; row++) { // its z is that axis
    for (int k = 0; k < 3; k++) {
      core->g.R.m[3 * row + k] = g->R.m[3 * row + (axis + 1 + k) % 3];
    }
  }
  return 0;
}

void rh_core_flatten(rh_core *core)
{
  if (core->thin != RH_NONE) {
    core->par[core->thin] = 0;
  }
}
