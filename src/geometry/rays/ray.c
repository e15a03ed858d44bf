// Rays. A plane is met by its equation. A bounded shape is met by its distance: the plane at the
// nearest point, across the line to it, has the whole shape on its far side, so the ray may go on to
// that plane. Faces take one such step, curved surfaces come nearer as by Newton's method. The ground
// of a heightfield is straight along the ray between the lines where its triangles meet.
#include "ray.h"

#include "geometry/heightfield.h"
#include "geometry/pair.h"

#include <math.h>

enum { STEPS_MAX = 100 };

static double meet_plane(const rh_geom *g, rh_vec3 from, rh_vec3 along)
{
  rh_vec3 up = rh_v3(g->R.m[2], g->R.m[5], g->R.m[8]);
  double height = rh_dot(up, rh_sub(from, g->p));
  double sink = -rh_dot(up, along);
  return height <= 0 ? 0 : sink > 0 ? height / sink : HUGE_VAL;
}

static double meet_bounded(const rh_geom *g, rh_vec3 from, rh_vec3 along, double max)
{
  static const double CLOSE = 1e-12; // [1] of the distances in the problem: rounding
  static const double NONE[RH_PAR_MAX] = {0};
  rh_geom tip = {.kind = &rh_shape_rows[RH_SHAPE_SPHERE], .par = NONE};
  tip.R.m[0] = tip.R.m[4] = tip.R.m[8] = 1;
  double scale = 1 + rh_norm(rh_sub(from, g->p));
  double t = 0;
  for (int i = 0; i < STEPS_MAX && t <= max; i++) {
    rh_vec3 on_tip;
    rh_vec3 on_shape;
    tip.p = rh_addscaled(from, t, along);
    double gap = rh_distance(&tip, g, &on_tip, &on_shape);
    if (gap <= CLOSE * scale) {
      return t;
    }
    rh_vec3 out = rh_sub(tip.p, on_shape);
    double approach = -rh_dot(out, along) / rh_norm(out);
    if (!(approach > 0)) {
      return HUGE_VAL;
    }
    t += gap / approach;
  }
  return t;
}

// Next t after `t` at which a + b t is a whole number; infinite: never
static double next_whole(double a, double b, double t)
{
  if (b == 0) {
    return HUGE_VAL;
  }
  double at = a + b * t;
  double whole = b > 0 ? floor(at) + 1 : ceil(at) - 1;
  double next = (whole - a) / b;
  return next > t ? next : (whole + (b > 0 ? 1 : -1) - a) / b; // a line that rounding has passed
}

// Part of the ray over the rectangle: between *lo and *hi. One axis
static void clip_ray(double from, double along, double half, double *lo, double *hi)
{
  if (along == 0) {
    *hi = fabs(from) > half ? -HUGE_VAL : *hi;
    return;
  }
  double a = (-half - from) / along;
  double b = (half - from) / along;
  *lo = fmax(*lo, fmin(a, b));
  *hi = fmin(*hi, fmax(a, b));
}

// [m] above the ground, a little outside the rectangle as on its edge
static double height_above(const rh_heightfield *f, rh_vec3 p)
{
  double ground = 0;
  double x = fmin(fmax(p.x, f->x0), -f->x0);
  double y = fmin(fmax(p.y, f->y0), -f->y0);
  (void)rh_heightfield_height(f, x, y, &ground, NULL);
  return p.z - ground;
}

static double meet_field(const rh_geom *g, rh_vec3 from, rh_vec3 along, double max)
{
  const rh_heightfield *f = g->mesh;
  rh_vec3 o = rh_unrotate(&g->R, rh_sub(from, g->p));
  rh_vec3 e = rh_unrotate(&g->R, along);
  double lo = 0;
  double hi = max;
  clip_ray(o.x, e.x, -f->x0, &lo, &hi);
  clip_ray(o.y, e.y, -f->y0, &lo, &hi);
  if (!(lo <= hi)) {
    return HUGE_VAL;
  }
  double u[2] = {(o.x - f->x0) / f->dx, e.x / f->dx};
  double v[2] = {(o.y - f->y0) / f->dy, e.y / f->dy};
  double above = height_above(f, rh_addscaled(o, lo, e));
  while (above > 0 && lo < hi) {
    double next = fmin(next_whole(u[0], u[1], lo), next_whole(v[0], v[1], lo));
    next = fmin(fmin(next, next_whole(u[0] - v[0], u[1] - v[1], lo)), hi);
    double then = height_above(f, rh_addscaled(o, next, e));
    if (then <= 0) {
      return lo + (next - lo) * above / (above - then);
    }
    above = then;
    lo = next;
  }
  return above <= 0 ? lo : HUGE_VAL;
}

double rh_ray_cast(const rh_geom *g, rh_vec3 from, rh_vec3 along, double max)
{
  double t = rh_shape_bounded(g->kind)        ? meet_bounded(g, from, along, max)
             : g->kind->mesh == RH_MESH_FIELD ? meet_field(g, from, along, max)
                                              : meet_plane(g, from, along);
  return t <= max ? t : HUGE_VAL;
}
