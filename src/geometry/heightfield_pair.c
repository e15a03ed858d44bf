// heightfield_pair.c: pairs with a heightfield, which is always B: round shapes by their balls, the
// others by samples, as on a plane. Ids number the ball or sample and, in a valley, its places by
// depth, never the place on the ground: so that a contact persists from one facet to the next,
// without a jump in depth.
// Left out: a peak of the ground between the samples of a face.
#include "geometry/hull/hull_pair.h"
#include "heightfield.h"
#include "pair.h"

enum { PLACES = 4 }; // of one ball

typedef struct look {
  const rh_geom *a; // the core of a rounded shape,
  double round;     // [m] and its radius
  const rh_heightfield *field;
  rh_xform pose;
  double margin;
  bool single; // each ball by its distance, not by its places of contact
  rh_touch *touch;
  int n;
} look;

static rh_vec3 in_world(const look *l, rh_vec3 own)
{
  return rh_add(l->a->p, rh_rotate(&l->a->R, own));
}

static int deepest_of(const rh_touch *t, int n)
{
  int best = 0;
  for (int i = 1; i < n; i++) {
    best = t[i].depth > t[best].depth ? i : best;
  }
  return best;
}

// Adds the places where ball `number` of A touches, the deepest first.
static void add_ball(look *l, rh_vec3 centre, double radius, int number)
{
  rh_touch t[RH_TOUCH_MAX];
  rh_heightfield_ball ball = {in_world(l, centre), radius};
  int n = rh_heightfield_touch(l->field, &l->pose, &ball, l->margin, t);
  for (int k = 0; k < n; k++) { // A's surface, as on a plane
    t[k].point = rh_addscaled(t[k].point, -0.5 * t[k].depth, t[k].normal);
  }
  if (!l->single) {
    n = rh_heightfield_share(l->field, &l->pose, &ball, t, n, PLACES);
  }
  for (int place = 0; place < PLACES && n > 0; place++) {
    int k = deepest_of(t, n);
    t[k].id = PLACES * number + place;
    l->n = rh_touch_keep(l->touch, l->n, &t[k]);
    t[k] = t[--n];
  }
}

// A sample of A, in its own axes. False: it is far from the ground.
static bool touch_at(const look *l, rh_vec3 x, int id, rh_touch *t)
{
  rh_touch all[RH_TOUCH_MAX];
  rh_heightfield_ball ball = {in_world(l, x), l->round};
  int n = rh_heightfield_touch(l->field, &l->pose, &ball, l->margin, all);
  if (n == 0) {
    return false;
  }
  *t = all[deepest_of(all, n)];
  t->point = l->round > 0 ? rh_addscaled(ball.centre, -l->round, t->normal) : ball.centre;
  t->id = id;
  return true;
}

// A sample of a box between its corners: on a rounded edge, or on a face, where it is fixed in the
// body.
static void name_sample(const look *l, rh_vec3 x, rh_touch *t)
{
  rh_side core = rh_geom_side(l->a, in_world(l, x), rh_neg(t->normal), false);
  t->a = core.dim == 2 ? rh_side_corner() : rh_side_grow(core, l->round);
  t->radius = core.dim == 2 ? HUGE_VAL : l->round;
}

static void touch_box(look *l)
{
  const rh_box_samples flat = rh_box_samples_of(l->a, rh_v3(0, 0, 1));
  for (int id = 0; id < flat.count; id++) {
    rh_vec3 x;
    double area;
    rh_touch t;
    bool on = rh_box_sample(&flat, id, &x, &area);
    if (on && touch_at(l, x, id, &t)) {
      const rh_box_samples seen = rh_box_samples_of(l->a, rh_unrotate(&l->a->R, t.normal));
      (void)rh_box_sample(&seen, id, &x, &t.area);
      if (l->round > 0) {
        name_sample(l, x, &t);
      }
      l->n = rh_touch_keep_of(flat.capacity, l->touch, l->n, &t);
    }
  }
}

// The ground's normal under a point, world axes.
static rh_vec3 ground_at(const look *l, rh_vec3 point)
{
  rh_vec3 p = rh_unrotate(&l->pose.R, rh_sub(point, l->pose.p));
  rh_vec3 n = {0, 0, 1};
  double z;
  (void)rh_heightfield_height(l->field, p.x, p.y, &z, &n);
  return rh_rotate(&l->pose.R, n);
}

// Normal of the ground where a curved shape is nearest to it.
static rh_vec3 ground_below(const look *l)
{
  rh_vec3 up = ground_at(l, l->a->p);
  return ground_at(l, rh_add(l->a->p, rh_geom_support(l->a, rh_neg(up))));
}

// As on a plane: points within its ends.
static void touch_ends(look *l)
{
  double r = l->a->par[0];
  int inner = rh_cap_inner(l->a);
  for (int id = 0; id < 2 * inner; id++) {
    rh_vec3 x;
    double weight;
    rh_touch t;
    rh_cap_sample(l->a, id, &x, &weight);
    if (touch_at(l, x, 8 + id, &t)) {
      double seen = (id < inner ? 1 : -1) * rh_unrotate(&l->a->R, t.normal).z;
      t.radius = HUGE_VAL;
      t.area = 3.14159265358979323846 * r * r * weight * fmax(0, seen);
      t.a = rh_side_corner();
      l->n = rh_touch_keep_of(RH_TOUCH_MAX, l->touch, l->n, &t);
    }
  }
}

// As on a plane: four points on each rim, the first the deepest of its rim.
static void touch_cylinder(look *l)
{
  rh_vec3 up = ground_below(l);
  rh_vec3 e = rh_rim_direction(rh_unrotate(&l->a->R, rh_neg(up)));
  double r = l->a->par[0];
  double cap = 3.14159265358979323846 * r * r * rh_cap_rim_weight(l->a);
  for (int id = 0; id < 8; id++) {
    double side = id < 4 ? -1 : 1;
    rh_vec3 turned[4] = {e, {-e.y, e.x, 0}, {-e.x, -e.y, 0}, {e.y, -e.x, 0}};
    rh_vec3 x = rh_scale(r, turned[id % 4]);
    x.z = side * l->a->par[1] / 2;
    rh_touch t;
    if (touch_at(l, x, id, &t)) {
      double curvature = rh_geom_curvature(l->a, t.normal);
      t.radius = curvature > 0 ? 1 / curvature : HUGE_VAL;
      t.area = cap * fmax(0, -side * rh_unrotate(&l->a->R, t.normal).z);
      t.a = id % 4 == 0 ? rh_side_rim(l->a, e, rh_neg(t.normal)) : rh_side_corner();
      l->n = rh_touch_keep(l->touch, l->n, &t);
    }
  }
  touch_ends(l);
}

// As on a plane: points within its faces.
static void touch_faces(look *l)
{
  const rh_hull *hull = l->a->mesh;
  const int samples = (int)l->a->par[RH_HULL_SAMPLES];
  for (int i = 0; i < hull->nface; i++) {
    const rh_face_inner inner = rh_hull_inner(hull, i, samples);
    for (int k = 0; k < inner.n; k++) {
      rh_touch t;
      if (touch_at(l, rh_hull_inner_point(&inner, k), rh_hull_inner_id(hull, i, k), &t)) {
        double seen = -rh_dot(hull->face[i].normal, rh_unrotate(&l->a->R, t.normal));
        t.radius = HUGE_VAL;
        t.area = inner.weight * fmax(0, seen);
        t.a = rh_side_corner();
        l->n = rh_touch_keep_of(rh_hull_capacity(l->a), l->touch, l->n, &t);
      }
    }
  }
}

static void touch_hull(look *l)
{
  const rh_hull *hull = l->a->mesh;
  rh_hull_samples samples;
  rh_hull_choose(hull, rh_unrotate(&l->a->R, rh_neg(ground_at(l, l->a->p))), &samples);
  for (int id = 0; id < hull->nvert; id++) {
    rh_touch t;
    if (rh_hull_chosen(&samples, id) && touch_at(l, hull->vert[id], id, &t)) {
      l->n = rh_touch_keep(l->touch, l->n, &t);
    }
  }
  for (int i = 0; i < l->n; i++) {
    rh_touch *t = &l->touch[i];
    t->area = rh_hull_share(hull, t->id, rh_unrotate(&l->a->R, rh_neg(t->normal)),
                            (int)l->a->par[RH_HULL_SAMPLES]);
  }
  touch_faces(l);
}

static void touch_smooth(look *l)
{
  rh_touch t;
  rh_vec3 lowest = rh_geom_support(l->a, rh_neg(ground_below(l)));
  if (touch_at(l, rh_unrotate(&l->a->R, lowest), 0, &t)) {
    double curvature = rh_geom_curvature(l->a, t.normal);
    t.radius = curvature > 0 ? 1 / curvature : HUGE_VAL;
    t.a = rh_geom_surface(l->a, rh_neg(t.normal));
    l->n = rh_touch_keep(l->touch, l->n, &t);
  }
}

static int touch_ground(const rh_geom *a, const rh_geom *b, double margin, bool single,
                        rh_touch *touch)
{
  rh_core core;
  double round = rh_geom_core(a, &core);
  rh_core_flatten(&core);
  a = &core.g;
  look l = {a, round, b->mesh, {b->R, b->p}, margin, single, touch, 0};
  double r = rh_geom_rounding(a);
  switch (rh_shape_number(a->kind)) {
  case RH_SHAPE_SPHERE:
    add_ball(&l, rh_v3(0, 0, 0), r, 0);
    break;
  case RH_SHAPE_CAPSULE:
    add_ball(&l, rh_v3(0, 0, -a->par[1] / 2), r, 0);
    add_ball(&l, rh_v3(0, 0, a->par[1] / 2), r, 1);
    break;
  case RH_SHAPE_BOX:
    touch_box(&l);
    break;
  case RH_SHAPE_CYLINDER:
    touch_cylinder(&l);
    break;
  case RH_SHAPE_HULL:
    touch_hull(&l);
    break;
  default:
    touch_smooth(&l);
    break;
  }
  return l.n;
}

// The search ends after a cell or two: farther it would cover a large part of the ground.
int rh_touch_field(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  const rh_heightfield *field = b->mesh;
  return touch_ground(a, b, fmin(margin, field->dx + field->dy), false, touch);
}

void rh_near_field(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_touch t[RH_TOUCH_MAX];
  int n = touch_ground(a, b, HUGE_VAL, true, t);
  *near = (rh_near){HUGE_VAL, rh_mat3_column(&b->R, 2), a->p, b->p};
  if (n > 0) {
    const rh_touch *d = &t[deepest_of(t, n)];
    *near = (rh_near){-d->depth, d->normal, d->point, rh_addscaled(d->point, d->depth, d->normal)};
  }
}
