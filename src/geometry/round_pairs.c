// Pairs in closed form of spheres and capsules: a point or a segment against a point, a segment, a
// box or a cylinder, the roundings subtracted afterwards, so that distances are exact. Also shared
// by all cells: curvatures, growing, ordering.
#include "pair.h"

// Below this part of its size a distance is rounding, and its direction arbitrary.
static const double NOTHING = 1e-13;

rh_vec3 rh_any_normal(rh_vec3 d)
{
  double x = fabs(d.x);
  double y = fabs(d.y);
  double z = fabs(d.z);
  rh_vec3 least = x <= y && x <= z ? rh_v3(1, 0, 0) : y <= z ? rh_v3(0, 1, 0) : rh_v3(0, 0, 1);
  rh_vec3 n = rh_cross(d, least);
  double length = rh_norm(n);
  return length > 0 ? rh_scale(1 / length, n) : rh_v3(0, 0, 1);
}

double rh_geom_curvature(const rh_geom *g, rh_vec3 normal)
{
  rh_vec3 n = rh_unrotate(&g->R, normal);
  const double *p = g->par;
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_SPHERE:
  case RH_SHAPE_CAPSULE: // across its axis
    return 1 / p[0];
  case RH_SHAPE_CYLINDER: // the rim, seen along n, is an ellipse; side and cap are its two limits
    return sqrt(n.x * n.x + n.y * n.y) / p[0];
  case RH_SHAPE_ELLIPSOID: // sqrt of Gauss's curvature h^4 / (abc)^2, h the height of the tangent plane
    return (p[0] * n.x * p[0] * n.x + p[1] * n.y * p[1] * n.y + p[2] * n.z * p[2] * n.z) /
           (p[0] * p[1] * p[2]);
  default:
    return 0;
  }
}

double rh_pair_radius(const rh_geom *a, const rh_geom *b, rh_vec3 normal)
{
  double k = rh_geom_curvature(a, normal) + rh_geom_curvature(b, normal);
  return k > 0 ? 1 / k : HUGE_VAL;
}

void rh_near_grow(rh_near *near, const double rounding[2], rh_vec3 ca, rh_vec3 cb, rh_vec3 n,
                  double gap)
{
  near->gap = gap - rounding[0] - rounding[1];
  near->normal = n;
  near->on_a = rh_addscaled(ca, -rounding[0], n);
  near->on_b = rh_addscaled(cb, rounding[1], n);
}

int rh_touch_one(const rh_geom *a, const rh_geom *b, const rh_near *near, double margin,
                 rh_touch *touch)
{
  if (!(near->gap < margin)) {
    return 0;
  }
  bool plane = !rh_shape_bounded(b->kind);
  touch->point = plane ? near->on_a : rh_scale(0.5, rh_add(near->on_a, near->on_b));
  touch->normal = near->normal;
  touch->depth = -near->gap;
  touch->radius = rh_pair_radius(a, b, near->normal);
  touch->area = 0;
  touch->id = 0;
  bool exact = rh_shape_number(a->kind) ==
               RH_SHAPE_SPHERE; // a closed form against all shapes with edges except hulls
  touch->a = rh_geom_side(a, near->on_a, rh_neg(near->normal), exact);
  touch->b = rh_geom_side(b, near->on_b, near->normal, exact);
  return 1;
}

void rh_touch_sort(rh_touch *touch, int n)
{
  for (int i = 1; i < n; i++) {
    if (touch[i].id >= touch[i - 1].id) {
      continue;
    }
    rh_touch t = touch[i];
    int j = i;
    for (; j > 0 && touch[j - 1].id > t.id; j--) {
      touch[j] = touch[j - 1];
    }
    touch[j] = t;
  }
}

// A standing cylinder has no deepest point of its rim, and rounding must not choose one: below a
// tilt of 1e-4 the direction goes over to a fixed one, smoothly but for one tilt. The rim then lies
// 3e-5 r deeper at most than the points.
rh_vec3 rh_rim_direction(rh_vec3 d)
{
  static const double STANDING = 1e-4;
  double tilt = sqrt(d.x * d.x + d.y * d.y);
  if (tilt < STANDING) {
    double s = 1 - (tilt / STANDING) * (tilt / STANDING);
    d.x += STANDING * s * s * s;
    tilt = sqrt(d.x * d.x + d.y * d.y);
  }
  return tilt > 0 ? rh_v3(d.x / tilt, d.y / tilt, 0) : rh_v3(1, 0, 0);
}

// ---- points and segments

// Two core points; `across` is the normal when they coincide.
static void near_points(rh_near *near, const double r[2], rh_vec3 ca, rh_vec3 cb, rh_vec3 across)
{
  rh_vec3 d = rh_sub(ca, cb);
  double length = rh_norm(d);
  bool apart = length > NOTHING * (r[0] + r[1]);
  rh_near_grow(near, r, ca, cb, apart ? rh_scale(1 / length, d) : across, apart ? length : 0);
}

void rh_near_sphere_sphere(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  near_points(near, (double[2]){a->par[0], b->par[0]}, a->p, b->p, rh_v3(0, 0, 1));
}

static double clamp_to(double x, double bound)
{
  return x < -bound ? -bound : x > bound ? bound : x;
}

void rh_near_sphere_capsule(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 axis = rh_mat3_column(&b->R, 2);
  double t = clamp_to(rh_dot(axis, rh_sub(a->p, b->p)), b->par[1] / 2);
  near_points(near, (double[2]){a->par[0], b->par[0]}, a->p, rh_addscaled(b->p, t, axis),
              rh_any_normal(axis));
}

// Places along two segments (centre, unit axis, half length) that are nearest to each other. s = sin^2 of their angle.
static void near_segments(const rh_geom *a, const rh_geom *b, double *ta, double *tb)
{
  rh_vec3 ua = rh_mat3_column(&a->R, 2);
  rh_vec3 ub = rh_mat3_column(&b->R, 2);
  rh_vec3 d = rh_sub(b->p, a->p);
  double ha = a->par[1] / 2;
  double hb = b->par[1] / 2;
  double c = rh_dot(ua, ub);
  rh_vec3 cross = rh_cross(ua, ub);
  double s = rh_dot(cross, cross);
  double da = rh_dot(d, ua);
  double db = rh_dot(d, ub);
  double t = s > 1e-24 ? clamp_to((da - c * db) / s, ha) : clamp_to(da, ha);
  double u = clamp_to(c * t - db, hb);
  *ta = clamp_to(c * u + da, ha); // if u is at its bound, the place along A moves again
  *tb = clamp_to(c * *ta - db, hb);
}

void rh_near_capsule_capsule(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 ua = rh_mat3_column(&a->R, 2);
  rh_vec3 ub = rh_mat3_column(&b->R, 2);
  double ta;
  double tb;
  near_segments(a, b, &ta, &tb);
  rh_vec3 across = rh_cross(ua, ub);
  double length = rh_norm(across);
  across = length > 1e-9 ? rh_scale(1 / length, across) : rh_any_normal(ua);
  near_points(near, (double[2]){a->par[0], b->par[0]}, rh_addscaled(a->p, ta, ua),
              rh_addscaled(b->p, tb, ub), across);
}

// Two parallel capsules (within a milliradian) touch along a line: the two ends of the common part
// represent it. Otherwise one point. Ids: 0 alone; 1 and 2 the lower and upper end along A.
int rh_touch_capsule_capsule(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  static const double PARALLEL = 1e-6; // sin^2
  rh_near near;
  rh_near_capsule_capsule(a, b, &near);
  if (near.gap >= margin) {
    return 0;
  }
  rh_vec3 ua = rh_mat3_column(&a->R, 2);
  rh_vec3 ub = rh_mat3_column(&b->R, 2);
  rh_vec3 cross = rh_cross(ua, ub);
  rh_vec3 d = rh_sub(b->p, a->p);
  double reach = fabs(rh_dot(ua, ub)) * b->par[1] / 2;
  double lo = fmax(-a->par[1] / 2, rh_dot(d, ua) - reach);
  double hi = fmin(a->par[1] / 2, rh_dot(d, ua) + reach);
  if (rh_dot(cross, cross) > PARALLEL || !(hi - lo > 1e-6 * a->par[1])) {
    return rh_touch_one(a, b, &near, margin, touch);
  }
  int n = 0;
  for (int end = 0; end < 2; end++) {
    rh_vec3 ca = rh_addscaled(a->p, end == 0 ? lo : hi, ua);
    double tb = clamp_to(rh_dot(ub, rh_sub(ca, b->p)), b->par[1] / 2);
    rh_near at;
    near_points(&at, (double[2]){a->par[0], b->par[0]}, ca, rh_addscaled(b->p, tb, ub),
                near.normal);
    if (rh_touch_one(a, b, &at, margin, touch + n)) {
      // The end of one on the side of the other.
      bool of_a = fabs(end == 0 ? lo : hi) >= a->par[1] / 2;
      *(of_a ? &touch[n].b : &touch[n].a) = rh_geom_surface(of_a ? b : a, at.normal);
      touch[n++].id = end + 1;
    }
  }
  return n;
}

// ---- a point against a solid

void rh_near_sphere_box(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 x = rh_unrotate(&b->R, rh_sub(a->p, b->p));
  double c[3] = {x.x, x.y, x.z};
  double h[3] = {b->par[0] / 2, b->par[1] / 2, b->par[2] / 2};
  rh_vec3 q = {clamp_to(x.x, h[0]), clamp_to(x.y, h[1]), clamp_to(x.z, h[2])};
  rh_vec3 d = rh_sub(x, q);
  double gap = rh_norm(d);
  rh_vec3 n;
  if (gap > NOTHING * (h[0] + h[1] + h[2])) {
    n = rh_scale(1 / gap, d);
  } else { // the centre is inside: out through the nearest face
    int k = 0;
    for (int i = 1; i < 3; i++) {
      k = h[i] - fabs(c[i]) < h[k] - fabs(c[k]) ? i : k;
    }
    double e[3] = {0, 0, 0};
    double face[3] = {c[0], c[1], c[2]};
    e[k] = copysign(1, c[k]);
    face[k] = copysign(h[k], c[k]);
    n = rh_v3(e[0], e[1], e[2]);
    q = rh_v3(face[0], face[1], face[2]);
    gap = fabs(c[k]) - h[k];
  }
  rh_near_grow(near, (double[2]){a->par[0], 0}, a->p, rh_add(b->p, rh_rotate(&b->R, q)),
               rh_rotate(&b->R, n), gap);
}

void rh_near_sphere_cylinder(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 x = rh_unrotate(&b->R, rh_sub(a->p, b->p));
  double r = b->par[0];
  double h = b->par[1] / 2;
  double rho = sqrt(x.x * x.x + x.y * x.y);
  rh_vec3 e = rho > 0 ? rh_v3(x.x / rho, x.y / rho, 0) : rh_v3(1, 0, 0);
  double side = copysign(1, x.z);
  double du = rho - r;       // [m] outside the round side
  double dz = fabs(x.z) - h; // [m] beyond the cap
  bool cap = du <= 0 &&
             dz > du; // the nearest point lies inside a cap, or on the round side, or on the rim
  rh_vec3 q = rh_v3(r * e.x, r * e.y, x.z);
  rh_vec3 n = e;
  double gap = du;
  if (cap) {
    q = rh_v3(x.x, x.y, side * h);
    n = rh_v3(0, 0, side);
    gap = dz;
  } else if (dz > 0) {
    q.z = side * h;
    gap = sqrt(du * du + dz * dz);
    n = rh_v3(e.x * (du / gap), e.y * (du / gap), side * (dz / gap));
  }
  rh_near_grow(near, (double[2]){a->par[0], 0}, a->p, rh_add(b->p, rh_rotate(&b->R, q)),
               rh_rotate(&b->R, n), gap);
}
