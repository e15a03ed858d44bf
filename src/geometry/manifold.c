// manifold.c: points of rh_collide for pairs without a closed form, and selection of the points where
// there are too many.
#include "pair.h"

// ---- fewer points

// Distance of p from the first point of `base`, or the area that p adds to it.
static double added_area(const rh_touch *p, const rh_touch *const *base, int n)
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
static void wind_base(const rh_touch **base)
{
  rh_vec3 u = rh_sub(base[1]->point, base[0]->point);
  rh_vec3 v = rh_sub(base[2]->point, base[0]->point);
  if (rh_dot(rh_cross(u, v), base[0]->normal) < 0) {
    const rh_touch *keep = base[1];
    base[1] = base[2];
    base[2] = keep;
  }
}

// Puts p between the two ends of the side that it lies farthest outside of.
static void insert_point(const rh_touch **base, int n, const rh_touch *p)
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

static const rh_touch *deepest_point(const rh_touch *p, int n)
{
  const rh_touch *best = p;
  for (int i = 1; i < n; i++) {
    best = p[i].depth > best->depth ? &p[i] : best;
  }
  return best;
}

// Marks the points that stay.
static void choose_points(const rh_touch *p, int n, int most, bool *stays)
{
  const rh_touch *base[RH_TOUCH_MAX];
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

void rh_manifold_thin(rh_manifold *m, int most)
{
  RH_ASSERT(most >= 1 && most <= RH_MANIFOLD_MAX);
  bool stays[RH_TOUCH_MAX] = {false};
  if (m->n <= most) {
    return;
  }
  choose_points(m->at, m->n, most, stays);
  int count = 0;
  for (int i = 0; i < m->n; i++) {
    if (stays[i]) {
      m->at[count++] = m->at[i];
    }
  }
  m->n = count;
}

// ---- samples

bool rh_geom_sampled(const rh_geom *g)
{
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_BOX:
    return g->par[RH_BOX_SAMPLES] > RH_BOX_CORNERS;
  case RH_SHAPE_CYLINDER:
    return g->par[RH_CYLINDER_SAMPLES] > RH_RIM_CORNERS;
  case RH_SHAPE_HULL:
    return g->par[RH_HULL_SAMPLES] > RH_HULL_CORNERS;
  default:
    return false;
  }
}

bool rh_pair_sampled(const rh_geom *a, const rh_geom *b)
{
  return rh_shape_bounded(a->kind) != rh_shape_bounded(b->kind) &&
         rh_geom_sampled(rh_shape_bounded(a->kind) ? a : b);
}

// ---- pairs

// True if the gap exceeds `margin` along the last separating axis or one that is soon found. No
// axis shows more than the true gap.
bool rh_pair_apart(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache)
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
void rh_lay_faces(const rh_geom *a, const rh_geom *b, rh_near *near)
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

static int meet_convex(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache,
                       rh_manifold *out)
{
  out->n = 0;
  if (rh_pair_apart(a, b, margin, cache)) {
    return 0;
  }
  rh_near near;
  rh_near_convex(a, b, &near);
  if (!(near.gap < margin)) {
    return 0;
  }
  rh_lay_faces(a, b, &near);
  out->n = rh_touch_near(a, b, &near, margin, out->at);
  rh_manifold_thin(out, RH_MANIFOLD_MAX);
  return out->n;
}

void rh_manifold_swap(rh_manifold *m)
{
  for (int i = 0; i < m->n; i++) {
    m->at[i].normal = rh_neg(m->at[i].normal);
  }
}

int rh_points_other(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache,
                    rh_manifold *out)
{
  if (!rh_shape_bounded(a->kind) || !rh_shape_bounded(b->kind)) {
    out->n = rh_collide_surfaces(a, b, margin, out->at);
    if (!rh_pair_sampled(a, b)) {
      rh_manifold_thin(out, RH_MANIFOLD_MAX);
    }
    return out->n;
  }
  // A of the lower number, as rh_collide_surfaces: the same numbers in either order.
  if (rh_shape_number(a->kind) > rh_shape_number(b->kind)) {
    (void)meet_convex(b, a, margin, cache, out);
    rh_manifold_swap(out);
    return out->n;
  }
  return meet_convex(a, b, margin, cache, out);
}
