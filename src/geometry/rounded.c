// rounded.c: boxes and hulls with rounded edges and corners (`round`): a core grown by a radius, the
// sum of the core and a ball. Their contacts are those of the cores, which do not overlap as long as
// the overlap is less than the radius: each point is moved along the normal by the radius, and a
// corner of a core becomes a part of a sphere, an edge a part of a cylinder.
#include "geometry/hull/hull.h"
#include "pair.h"

typedef struct pair { // two shapes as cores
  rh_core a, b;
  double r[2];
} pair;

static void take_cores(const rh_geom *a, const rh_geom *b, pair *p)
{
  p->r[0] = rh_geom_core(a, &p->a);
  p->r[1] = rh_geom_core(b, &p->b);
}

// Points of the cores become those of the shapes; those that are farther apart than `margin` are
// left out. On a plane they lie on A, otherwise halfway between the two.
static int grow_points(const pair *p, double margin, rh_touch *touch, int n)
{
  bool plane = !rh_shape_bounded(p->b.g.kind);
  double up = plane ? -p->r[0] : (p->r[1] - p->r[0]) / 2;
  int count = 0;
  for (int i = 0; i < n; i++) {
    double depth = touch[i].depth + p->r[0] + p->r[1];
    if (depth > -margin) {
      touch[count] = touch[i];
      touch[count].depth = depth;
      touch[count].point = rh_addscaled(touch[i].point, up, touch[i].normal);
      count++;
    }
  }
  return count;
}

// [1/m] of a side of a grown core: that of the radius at its edges and corners, across an edge.
static double side_curvature(const rh_geom *core, double r, const rh_side *side, rh_vec3 normal)
{
  return r > 0 ? fmax(side->k1, side->k2) : rh_geom_curvature(core, normal);
}

static void grow_sides(const pair *p, rh_touch *touch, int n)
{
  for (int i = 0; i < n; i++) {
    rh_touch *t = &touch[i];
    t->a = rh_side_grow(t->a, p->r[0]);
    t->b = rh_side_grow(t->b, p->r[1]);
    double k = side_curvature(&p->a.g, p->r[0], &t->a, t->normal) +
               side_curvature(&p->b.g, p->r[1], &t->b, t->normal);
    if (!(k > 0) && p->r[0] > 0 &&
        p->r[1] > 0) {                // deep: the search has found a point of two faces,
      k = 1 / fmax(p->r[0], p->r[1]); // but an edge or corner of one core is there
    }
    t->radius = k > 0 ? 1 / k : HUGE_VAL;
  }
}

// Samples of a core on a plane: of a box corners, points of edges, and points of faces, of a hull
// corners and points of faces.
static void name_samples(const rh_geom *core, rh_touch *touch, int n)
{
  const rh_hull *hull = rh_shape_number(core->kind) == RH_SHAPE_HULL ? core->mesh : NULL;
  for (int i = 0; i < n && hull; i++) {
    touch[i].a = touch[i].id < hull->nvert ? touch[i].a : rh_side_flat();
  }
  for (int i = 0; i < n && rh_shape_number(core->kind) == RH_SHAPE_BOX; i++) {
    touch[i].a = rh_geom_side(core, touch[i].point, rh_neg(touch[i].normal), false);
  }
}

// The points of two cores, from their nearest points. Faces may miss those: a cap is clipped as an
// octagon, a wide face as some of its corners; then the nearest points are one more.
static int meet_cores(const rh_geom *a, const rh_geom *b, double margin, const rh_near *near,
                      rh_touch *touch)
{
  static const double MISSED = 1e-5; // of the size: more than the slack of the clipping
  rh_near laid = *near;
  rh_lay_faces(a, b, &laid);
  int n = rh_touch_near(a, b, &laid, margin, touch);
  double deepest = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    deepest = fmax(deepest, touch[i].depth);
  }
  rh_touch t;
  if (deepest < -near->gap - MISSED * rh_mink_size(a, b) && rh_touch_one(a, b, near, margin, &t)) {
    t.id = RH_ID_NEAREST;
    n = rh_touch_keep(touch, n, &t);
  }
  return n;
}

int rh_touch_rounded(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  if (b->kind->mesh == RH_MESH_FIELD) {
    return rh_touch_field(a, b, margin, touch);
  }
  pair p;
  take_cores(a, b, &p);
  const rh_geom *core[2] = {&p.a.g, &p.b.g};
  double far = margin + p.r[0] + p.r[1];
  if (p.r[0] == 0 && p.r[1] == 0) { // spheres and capsules
    return rh_collide_surfaces(core[0], core[1], margin, touch);
  }
  int n;
  if (rh_shape_bounded(b->kind)) {
    rh_near near;
    rh_near_pair(core[0], core[1], &near);
    n = near.gap < far ? meet_cores(core[0], core[1], far, &near, touch) : 0;
  } else {
    rh_core_flatten(&p.a);
    n = rh_collide_surfaces(core[0], core[1], far, touch);
    name_samples(core[0], touch, n);
  }
  grow_sides(&p, touch, n);
  return grow_points(&p, margin, touch, n);
}

int rh_points_rounded(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache,
                      rh_manifold *out)
{
  if (b->kind->mesh == RH_MESH_FIELD) {
    return rh_points_other(a, b, margin, cache, out);
  }
  pair p;
  take_cores(a, b, &p);
  const rh_geom *core[2] = {&p.a.g, &p.b.g};
  double far = margin + p.r[0] + p.r[1];
  if ((p.r[0] == 0 && p.r[1] == 0) || !rh_shape_bounded(b->kind)) {
    rh_core_flatten(&p.a);
    (void)rh_collide(core[0], core[1], far, cache, out);
  } else if (rh_pair_apart(core[0], core[1], far, cache)) {
    out->n = 0;
  } else {
    rh_near near;
    rh_near_pair(core[0], core[1], &near);
    out->n = near.gap < far ? meet_cores(core[0], core[1], far, &near, out->at) : 0;
  }
  out->n = grow_points(&p, margin, out->at, out->n);
  if (!rh_pair_sampled(a, b)) {
    rh_manifold_thin(out, RH_MANIFOLD_MAX);
  }
  return out->n;
}

void rh_near_rounded(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  if (b->kind->mesh == RH_MESH_FIELD) {
    rh_near_field(a, b, near);
    return;
  }
  pair p;
  take_cores(a, b, &p);
  rh_near core;
  rh_near_pair(&p.a.g, &p.b.g, &core);
  rh_near_grow(near, p.r, core.on_a, core.on_b, core.normal, core.gap);
}
