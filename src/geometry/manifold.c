// manifold.c: see manifold.h. Dispatch of the pairs, and selection of the points where there are
// too many.
#include "manifold.h"

#include "manifold_pair.h"

// ---- fewer points

// Distance of p from the first point of `base`, or the area that p adds to it.
static double added_area(const rh_meet_point *p, const rh_meet_point *const *base, int n)
{
  rh_vec3 d = rh_sub(p->point, base[0]->point);
  if (n == 1) {
    return rh_dot(d, d);
  }
  // The area that p adds outside the sides of `base`: the largest triangle over a side.
  double most = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    rh_vec3 side = rh_sub(base[i + 1 < n ? i + 1 : 0]->point, base[i]->point);
    rh_vec3 over = rh_cross(rh_sub(p->point, base[i]->point), side);
    double area = n == 2 ? rh_norm(over) : rh_dot(over, p->normal);
    most = fmax(most, area);
  }
  return most;
}

// Counter-clockwise about the normal, so that added_area() has a sign.
static void wind_base(const rh_meet_point **base)
{
  rh_vec3 u = rh_sub(base[1]->point, base[0]->point);
  rh_vec3 v = rh_sub(base[2]->point, base[0]->point);
  if (rh_dot(rh_cross(u, v), base[0]->normal) < 0) {
    const rh_meet_point *keep = base[1];
    base[1] = base[2];
    base[2] = keep;
  }
}

// Puts p between the two ends of the side that it lies farthest outside of.
static void insert_point(const rh_meet_point **base, int n, const rh_meet_point *p)
{
  int at = 0;
  double most = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    rh_vec3 side = rh_sub(base[i + 1 < n ? i + 1 : 0]->point, base[i]->point);
    double area = rh_dot(rh_cross(rh_sub(p->point, base[i]->point), side), p->normal);
    if (area > most) {
      most = area;
      at = i + 1;
    }
  }
  for (int i = n; i > at; i--) {
    base[i] = base[i - 1];
  }
  base[at] = p;
}

static const rh_meet_point *deepest_point(const rh_meet_point *p, int n)
{
  const rh_meet_point *best = p;
  for (int i = 1; i < n; i++) {
    best = p[i].gap < best->gap ? &p[i] : best;
  }
  return best;
}

// Marks the points that stay.
static void choose_points(const rh_meet_point *p, int n, int most, bool *stays)
{
  const rh_meet_point *base[RH_TOUCH_MAX];
  base[0] = deepest_point(p, n);
  stays[base[0] - p] = true;
  for (int k = 1; k < most; k++) {
    int best = RH_NONE;
    double far = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
      double s = stays[i] ? -HUGE_VAL : added_area(&p[i], base, k);
      if (s > far) {
        far = s;
        best = i;
      }
    }
    if (best == RH_NONE) {
      return;
    }
    stays[best] = true;
    if (k < 3) {
      base[k] = &p[best];
    } else {
      insert_point(base, k, &p[best]);
    }
    if (k == 2) {
      wind_base(base);
    }
  }
}

// Of n points at most `most` into `out`, in the order they had.
static int thin_points(const rh_meet_point *p, int n, int most, rh_meet_point *out)
{
  bool stays[RH_TOUCH_MAX] = {false};
  if (n > most) {
    choose_points(p, n, most, stays);
  }
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (n <= most || stays[i]) {
      out[count++] = p[i];
    }
  }
  return count;
}

void rh_manifold_thin(rh_manifold *m, int most)
{
  RH_ASSERT(most >= 1 && most <= RH_MEET_MAX);
  rh_meet_point all[RH_MEET_MAX];
  if (m->n > most) {
    for (int i = 0; i < m->n; i++) {
      all[i] = m->at[i];
    }
    m->n = thin_points(all, m->n, most, m->at);
  }
}

// ---- the matrix

// clang-format off
// The row is B, the column A, as in pair.c. Convex pairs without a function go by their nearest
// points; all others by rh_collide.
static rh_meet_fn *const matrix[RH_SHAPES][RH_SHAPES] = {
  [RH_SHAPE_PLANE] =    {[RH_SHAPE_SPHERE] = rh_meet_sphere_plane, [RH_SHAPE_BOX] = rh_meet_box_plane, [RH_SHAPE_CAPSULE] = rh_meet_capsule_plane},
  [RH_SHAPE_SPHERE] =   {[RH_SHAPE_SPHERE] = rh_meet_sphere_sphere},
  [RH_SHAPE_BOX] =      {[RH_SHAPE_SPHERE] = rh_meet_sphere_box, [RH_SHAPE_BOX] = rh_meet_box_box},
  [RH_SHAPE_CAPSULE] =  {[RH_SHAPE_SPHERE] = rh_meet_sphere_capsule, [RH_SHAPE_CAPSULE] = rh_meet_capsule_capsule},
  [RH_SHAPE_CYLINDER] = {[RH_SHAPE_SPHERE] = rh_meet_sphere_cylinder},
};

// clang-format on

static int take_touches(const rh_touch *touch, int n, rh_manifold *out)
{
  rh_meet_point all[RH_TOUCH_MAX];
  for (int i = 0; i < n; i++) {
    all[i] = (rh_meet_point){touch[i].point, touch[i].normal, -touch[i].depth, touch[i].id};
  }
  out->n = thin_points(all, n, RH_MEET_MAX, out->at);
  return out->n;
}

// True if the gap exceeds `margin` along the last separating axis or one that is soon found. No
// axis shows more than the true gap.
static bool are_apart(const rh_geom *a, const rh_geom *b, double margin, rh_meet_cache *cache)
{
  static const double ROUNDING = 1e-12; // of the size: error of the nearest points
  double far = margin + rh_geom_rounding(a) + rh_geom_rounding(b) + ROUNDING * rh_mink_size(a, b);
  rh_vec3 n;
  if (cache && rh_dot(cache->axis, cache->axis) > 0 &&
      rh_gap_along(a, b, rh_rotate(&a->R, cache->axis)) > far) {
    return true;
  }
  if (!rh_gjk_apart(a, b, far, &n)) {
    return false;
  }
  if (cache) {
    cache->axis = rh_unrotate(&a->R, n);
  }
  return true;
}

// Faces that lie on one another but for 10 mrad meet as faces, as those of boxes do
// (manifold_box.c), also where edges have the least depth: the normal is then that of the face with
// the greater gap.
static void lay_faces(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  static const double LYING = 1 - 5e-5;
  static const double ALIGNED = 1e-8; // as in convex.c: nothing to do
  static const double STEADY = 1e-6;  // of the size: a tie
  rh_face fa;
  rh_face fb;
  rh_face_toward(a, rh_neg(near->normal), &fa);
  rh_face_toward(b, near->normal, &fb);
  double ca = fa.n >= 3 ? -rh_dot(fa.normal, near->normal) : 0;
  double cb = fb.n >= 3 ? rh_dot(fb.normal, near->normal) : 0;
  if (!(ca > LYING && cb > LYING) || ca > 1 - ALIGNED || cb > 1 - ALIGNED) {
    return;
  }
  double gap[2] = {rh_gap_along(a, b, rh_neg(fa.normal)), rh_gap_along(a, b, fb.normal)};
  bool second = gap[1] > gap[0] + STEADY * rh_mink_size(a, b);
  near->normal = second ? fb.normal : rh_neg(fa.normal);
  near->gap = gap[second];
}

static int meet_convex(const rh_geom *a, const rh_geom *b, double margin, rh_meet_cache *cache,
                       rh_manifold *out)
{
  out->n = 0;
  if (are_apart(a, b, margin, cache)) {
    return 0;
  }
  rh_near near;
  rh_touch touch[RH_TOUCH_MAX];
  rh_near_convex(a, b, &near);
  if (!(near.gap < margin)) {
    return 0;
  }
  lay_faces(a, b, &near);
  return take_touches(touch, rh_touch_near(a, b, &near, margin, touch), out);
}

static void swap_shapes(rh_manifold *m)
{
  for (int i = 0; i < m->n; i++) {
    m->at[i].normal = rh_neg(m->at[i].normal);
  }
}

// The pairs without a closed form. Separate: it has a large stack frame.
static __attribute__((noinline)) int meet_other(const rh_geom *a, const rh_geom *b, double margin,
                                                rh_meet_cache *cache, rh_manifold *out)
{
  rh_touch touch[RH_TOUCH_MAX];
  if (!rh_shape_bounded(a->kind) || !rh_shape_bounded(b->kind)) {
    return take_touches(touch, rh_collide(a, b, margin, touch), out);
  }
  // A of the lower number, as rh_collide: the same numbers in either order.
  if (rh_shape_number(a->kind) > rh_shape_number(b->kind)) {
    meet_convex(b, a, margin, cache, out);
    swap_shapes(out);
    return out->n;
  }
  return meet_convex(a, b, margin, cache, out);
}

int rh_geom_meet(const rh_geom *a, const rh_geom *b, double margin, rh_meet_cache *cache,
                 rh_manifold *out)
{
  int i = rh_shape_number(a->kind);
  int j = rh_shape_number(b->kind);
  if (i < RH_SHAPES && j < RH_SHAPES) {
    if (matrix[j][i]) {
      return matrix[j][i](a, b, margin, out);
    }
    if (matrix[i][j]) {
      matrix[i][j](b, a, margin, out);
      swap_shapes(out);
      return out->n;
    }
  }
  return meet_other(a, b, margin, cache, out);
}
