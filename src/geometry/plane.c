// Pairs with a plane; the plane is always B. Every sample of the other shape is a contact point of its own, with the id of
// the sample; its area is that of its faces as seen from the plane, so that the sum of depth times
// area is the volume below the plane, without a jump when the shape tilts from one face to the
// next.
#include "geometry/hull/hull_pair.h"
#include "pair.h"

typedef struct view { // of the plane from the other shape
  const rh_geom *a;
  rh_vec3 up;     // the plane's normal, world
  rh_vec3 normal; // the same in A's axes
  double height;  // [m] of A's centre above the plane
} view;

static view seen_from(const rh_geom *a, const rh_geom *plane)
{
  view s = {.a = a, .up = rh_mat3_column(&plane->R, 2)};
  s.normal = rh_unrotate(&a->R, s.up);
  s.height = rh_dot(s.up, rh_sub(a->p, plane->p));
  return s;
}

void rh_near_plane(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 up = rh_mat3_column(&b->R, 2);
  rh_vec3 lowest = rh_geom_support(a, rh_neg(up));
  double r = rh_geom_rounding(a);
  near->gap = rh_dot(up, rh_sub(a->p, b->p)) + rh_dot(up, lowest) - r;
  near->normal = up;
  near->on_a = rh_addscaled(rh_add(a->p, lowest), -r, up);
  near->on_b = rh_addscaled(near->on_a, -near->gap, up);
}

static double depth_of(const view *s, rh_vec3 x)
{
  return -(s->height + rh_dot(s->normal, x));
}

// A point of A, in its own axes; a corner by default.
static rh_touch sample_touch(const view *s, rh_vec3 x)
{
  rh_touch t = {.normal = s->up, .radius = HUGE_VAL, .b = {.dim = 2}};
  t.point = rh_add(s->a->p, rh_rotate(&s->a->R, x));
  t.depth = depth_of(s, x);
  return t;
}

// ---- box: the samples of its faces (samples/box_samples.c)

int rh_touch_keep_of(int capacity, rh_touch *touch, int n, const rh_touch *t)
{
  if (n < capacity) {
    touch[n] = *t;
    return n + 1;
  }
  int least = 0;
  for (int i = 1; i < n; i++) {
    if (touch[i].depth < touch[least].depth) {
      least = i;
    }
  }
  if (t->depth > touch[least].depth) {
    for (int i = least; i < n - 1; i++) { // the order of ids is kept
      touch[i] = touch[i + 1];
    }
    touch[n - 1] = *t;
  }
  return n;
}

int rh_touch_keep(rh_touch *touch, int n, const rh_touch *t)
{
  return rh_touch_keep_of(RH_TOUCH_KEPT, touch, n, t);
}

int rh_touch_plane_box(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  view s = seen_from(a, b);
  double below = -0.5 * (fabs(s.normal.x) * a->par[0] + fabs(s.normal.y) * a->par[1] +
                         fabs(s.normal.z) * a->par[2]);
  if (s.height + below >= margin) {
    return 0;
  }
  rh_box_samples l = rh_box_samples_of(a, s.normal);
  int n = 0;
  for (int id = 0; id < l.count; id++) {
    rh_vec3 x;
    double area;
    if (rh_box_sample(&l, id, &x, &area) && depth_of(&s, x) > -margin) {
      rh_touch t = sample_touch(&s, x);
      t.id = id;
      t.area = area;
      n = rh_touch_keep_of(l.capacity, touch, n, &t);
    }
  }
  return n;
}

// ---- capsule: a line contact is its two ends

int rh_touch_plane_capsule(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  view s = seen_from(a, b);
  int n = 0;
  for (int end = 0; end < 2; end++) {
    double z = end == 0 ? -a->par[1] / 2 : a->par[1] / 2;
    rh_touch t = sample_touch(&s, rh_addscaled(rh_v3(0, 0, z), -a->par[0], s.normal));
    if (t.depth > -margin) {
      t.radius = a->par[0];
      t.a = rh_side_sphere(a->par[0]);
      t.id = end;
      touch[n++] = t;
    }
  }
  return n;
}

// ---- cylinder: four points on each rim, the first the deepest of its rim, and those within its ends

int rh_touch_plane_cylinder(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  view s = seen_from(a, b);
  rh_vec3 down = rh_neg(s.normal);
  rh_vec3 e = rh_rim_direction(down);
  double r = a->par[0];
  double curvature = rh_geom_curvature(a, s.up);
  double end = 3.14159265358979323846 * r * r;
  double cap = end * rh_cap_rim_weight(a);
  int inner = rh_cap_inner(a);
  int n = 0;
  for (int id = 0; id < 8; id++) {
    double side = id < 4 ? -1 : 1;
    rh_vec3 turned[4] = {e, {-e.y, e.x, 0}, {-e.x, -e.y, 0}, {e.y, -e.x, 0}};
    rh_vec3 x = rh_scale(r, turned[id % 4]);
    x.z = side * a->par[1] / 2;
    rh_touch t = sample_touch(&s, x);
    if (t.depth > -margin) {
      t.radius = curvature > 0 ? 1 / curvature : HUGE_VAL;
      t.area = cap * fmax(0, side * down.z);
      t.a = id % 4 == 0 ? rh_side_rim(a, e, rh_neg(s.up)) : rh_side_corner();
      t.id = id;
      touch[n++] = t;
    }
  }
  for (int id = 0; id < 2 * inner; id++) {
    rh_vec3 x;
    double weight;
    rh_cap_sample(a, id, &x, &weight);
    rh_touch t = sample_touch(&s, x);
    if (t.depth > -margin) {
      t.area = end * weight * fmax(0, (id < inner ? -1 : 1) * down.z);
      t.id = 8 + id;
      n = rh_touch_keep_of(RH_TOUCH_MAX, touch, n, &t);
    }
  }
  return n;
}

// ---- hull: its corners, and the points within its faces (samples/hull_samples.c)

static bool face_near(const view *s, const rh_hull *hull, int face, double margin)
{
  const rh_hull_face *f = &hull->face[face];
  bool near = false;
  for (int k = 0; k < f->count; k++) {
    near = near || depth_of(s, hull->vert[hull->loop[f->first + k]]) > -margin;
  }
  return near;
}

static int add_inner(const view *s, double margin, int samples, rh_touch *touch, int n)
{
  const rh_hull *hull = s->a->mesh;
  for (int i = 0; i < hull->nface; i++) {
    if (samples <= hull->face[i].count || !face_near(s, hull, i, margin)) {
      continue;
    }
    const rh_face_inner inner = rh_hull_inner(hull, i, samples);
    double seen = fmax(0, -rh_dot(hull->face[i].normal, s->normal));
    for (int k = 0; k < inner.n; k++) {
      rh_touch t = sample_touch(s, rh_hull_inner_point(&inner, k));
      if (t.depth > -margin) {
        t.area = seen * inner.weight;
        t.id = rh_hull_inner_id(hull, i, k);
        n = rh_touch_keep_of(rh_hull_capacity(s->a), touch, n, &t);
      }
    }
  }
  return n;
}

int rh_touch_plane_hull(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  view s = seen_from(a, b);
  const rh_hull *hull = a->mesh;
  const int count = (int)a->par[RH_HULL_SAMPLES];
  if (s.height + rh_dot(s.up, rh_geom_support(a, rh_neg(s.up))) >= margin) {
    return 0;
  }
  rh_vec3 down = rh_neg(s.normal);
  rh_hull_samples samples;
  rh_hull_choose(hull, down, &samples);
  int n = 0;
  for (int id = 0; id < hull->nvert; id++) {
    if (depth_of(&s, hull->vert[id]) > -margin && rh_hull_chosen(&samples, id)) {
      rh_touch t = sample_touch(&s, hull->vert[id]);
      t.id = id;
      n = rh_touch_keep(touch, n, &t);
    }
  }
  for (int i = 0; i < n; i++) {
    touch[i].area = rh_hull_share(hull, touch[i].id, down, count);
  }
  return add_inner(&s, margin, count, touch, n);
}
