// manifold_round.c: the pairs of a time step that have a closed form: spheres and capsules with one another, with a box, a cylinder
// and a plane. Numbers and ids are those of round_pairs.c and plane.c.
#include "pair.h"

// One point; on_plane: it lies on A.
static int put_point(const rh_near *near, bool on_plane, double margin, rh_manifold *out)
{
  out->n = near->gap < margin;
  if (out->n) {
    rh_vec3 x = on_plane ? near->on_a : rh_scale(0.5, rh_add(near->on_a, near->on_b));
    rh_touch_put(&out->at[0], x, near->normal, near->gap, 0);
  }
  return out->n;
}

int rh_points_sphere_sphere(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_vec3 point;
  rh_vec3 normal;
  double gap;
  out->n = rh_spheres_touch(a, b, margin, &point, &normal, &gap);
  if (out->n) {
    rh_touch_put(&out->at[0], point, normal, gap, 0);
  }
  return out->n;
}

int rh_points_sphere_plane(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_vec3 point;
  rh_vec3 normal;
  double gap;
  out->n = rh_sphere_touches_plane(a, b, margin, &point, &normal, &gap);
  if (out->n) {
    rh_touch_put(&out->at[0], point, normal, gap, 0);
  }
  return out->n;
}

int rh_points_sphere_box(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_near near;
  rh_near_sphere_box(a, b, &near);
  return put_point(&near, false, margin, out);
}

int rh_points_sphere_capsule(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_near near;
  rh_near_sphere_capsule(a, b, &near);
  return put_point(&near, false, margin, out);
}

int rh_points_sphere_cylinder(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_near near;
  rh_near_sphere_cylinder(a, b, &near);
  return put_point(&near, false, margin, out);
}

// The ends of it, as on a plane: ids 0 and 1.
int rh_points_capsule_plane(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_vec3 up = rh_mat3_column(&b->R, 2);
  rh_vec3 axis = rh_mat3_column(&a->R, 2);
  double middle = rh_dot(up, rh_sub(a->p, b->p)) - a->par[0];
  double rise = rh_dot(up, axis) * a->par[1] / 2;
  out->n = 0;
  for (int end = 0; end < 2; end++) {
    double gap = end == 0 ? middle - rise : middle + rise;
    if (gap < margin) {
      double t = end == 0 ? -a->par[1] / 2 : a->par[1] / 2;
      rh_vec3 x = rh_addscaled(rh_addscaled(a->p, t, axis), -a->par[0], up);
      rh_touch_put(&out->at[out->n++], x, up, gap, end);
    }
  }
  return out->n;
}

int rh_points_capsule_capsule(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  static const double PARALLEL = 1e-6; // sin^2
  rh_near near;
  rh_near_capsule_capsule(a, b, &near);
  rh_vec3 ua = rh_mat3_column(&a->R, 2);
  rh_vec3 ub = rh_mat3_column(&b->R, 2);
  rh_vec3 cross = rh_cross(ua, ub);
  if (!(near.gap < margin) || rh_dot(cross, cross) > PARALLEL) {
    return put_point(&near, false, margin, out);
  }
  out->n = rh_touch_capsule_capsule(a, b, margin, out->at); // parallel: a line
  return out->n;
}
