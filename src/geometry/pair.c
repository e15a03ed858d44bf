// The table of pairs: which function finds the nearest points, which the contact points with their surfaces
// (rh_collide_surfaces) and which the points alone, fast (rh_collide), of two shapes. A cell without a function for
// surfaces has one point, at the nearest points; one without a function for points goes by manifold.c. Rounded boxes and
// hulls go by the cells of their cores (rounded.c).
#include "pair.h"

typedef struct cell {
  rh_near_fn *near;
  rh_touch_fn *touch;   // NULL: the one point of `near`
  rh_points_fn *points; // NULL: rh_points_other
} cell;

// clang-format off
#define OTHER      {NULL, NULL, NULL} // the mirrored cell
#define CONVEX     {rh_near_convex, rh_touch_convex, NULL}
#define FIELD      {rh_near_field, rh_touch_field, NULL}
#define ONE(f)     {rh_near_##f, NULL, rh_points_##f}
#define MANY(f)    {rh_near_##f, rh_touch_##f, rh_points_##f}
#define FLAT(t, p) {rh_near_plane, t, p}

// The row is B, the column A: a plane and a heightfield are always B.
static const cell table[RH_SHAPES + 1][RH_SHAPES + 1] = {
  [RH_SHAPE_PLANE] = {OTHER, FLAT(NULL, rh_points_sphere_plane), FLAT(rh_touch_plane_box, rh_points_box_plane), FLAT(rh_touch_plane_capsule, rh_points_capsule_plane),
                      FLAT(rh_touch_plane_cylinder, NULL), FLAT(NULL, NULL), FLAT(rh_touch_plane_hull, NULL), OTHER, FLAT(NULL, NULL)},
  //                      plane   sphere               box            capsule                cylinder  ellipsoid hull   heightfield  any other
  [RH_SHAPE_SPHERE] =    {OTHER, ONE(sphere_sphere),   OTHER,         OTHER,                 OTHER,    OTHER,    OTHER,  OTHER,      OTHER},
  [RH_SHAPE_BOX] =       {OTHER, ONE(sphere_box),      MANY(box_box), OTHER,                 OTHER,    OTHER,    OTHER,  OTHER,      OTHER},
  [RH_SHAPE_CAPSULE] =   {OTHER, ONE(sphere_capsule),  CONVEX,        MANY(capsule_capsule), OTHER,    OTHER,    OTHER,  OTHER,      OTHER},
  [RH_SHAPE_CYLINDER] =  {OTHER, ONE(sphere_cylinder), CONVEX,        CONVEX,                CONVEX,   OTHER,    OTHER,  OTHER,      OTHER},
  [RH_SHAPE_ELLIPSOID] = {OTHER, CONVEX,               CONVEX,        CONVEX,                CONVEX,   CONVEX,   OTHER,  OTHER,      OTHER},
  [RH_SHAPE_HULL] =      {OTHER, CONVEX,               CONVEX,        CONVEX,                CONVEX,   CONVEX,   CONVEX, OTHER,      OTHER},
  [RH_SHAPE_FIELD] =     {OTHER, FIELD,                FIELD,         FIELD,                 FIELD,    FIELD,    FIELD,  OTHER,      FIELD},
  [RH_SHAPES] =          {OTHER, CONVEX,               CONVEX,        CONVEX,                CONVEX,   CONVEX,   CONVEX, OTHER,      CONVEX},
};

// clang-format on

// The cell of a pair; `swap`: it has them in the other order. NULL: two unbounded shapes.
static const cell *cell_of(const rh_geom *a, const rh_geom *b, bool *swap)
{
  int i = rh_shape_number(a->kind);
  int j = rh_shape_number(b->kind);
  *swap = false;
  const cell *c = &table[j][i];
  if (!c->near) {
    *swap = true;
    c = &table[i][j];
  }
  return c->near ? c : NULL;
}

static inline __attribute__((always_inline)) bool is_rounded(const rh_geom *a, const rh_geom *b)
{
  return rh_geom_round(a) > 0 || rh_geom_round(b) > 0;
}

int rh_collide_surfaces(const rh_geom *a, const rh_geom *b, double margin,
                        rh_touch touch[RH_TOUCH_MAX])
{
  bool swap;
  const cell *c = cell_of(a, b, &swap);
  if (!c) {
    return 0;
  }
  const rh_geom *first = swap ? b : a;
  const rh_geom *second = swap ? a : b;
  int n;
  if (is_rounded(a, b)) {
    n = rh_touch_rounded(first, second, margin, touch);
  } else if (c->touch) {
    n = c->touch(first, second, margin, touch);
  } else {
    rh_near near;
    c->near(first, second, &near);
    n = rh_touch_one(first, second, &near, margin, touch);
  }
  for (int i = 0; swap && i < n; i++) {
    rh_side first_side = touch[i].a;
    touch[i].normal = rh_neg(touch[i].normal);
    touch[i].a = touch[i].b;
    touch[i].b = first_side;
  }
  return n;
}

// The same in either order, A of the lower number.
static int collide_rounded(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache,
                           rh_manifold *out)
{
  bool swap;
  out->n = 0;
  if (!cell_of(a, b, &swap)) {
    return 0;
  }
  (void)rh_points_rounded(swap ? b : a, swap ? a : b, margin, cache, out);
  if (swap) {
    rh_manifold_swap(out);
  }
  return out->n;
}

int rh_collide(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache,
               rh_manifold *out)
{
  if (is_rounded(a, b)) {
    return collide_rounded(a, b, margin, cache, out);
  }
  int i = rh_shape_number(a->kind);
  int j = rh_shape_number(b->kind);
  if (table[j][i].points) {
    return table[j][i].points(a, b, margin, out);
  }
  if (table[i][j].points) {
    (void)table[i][j].points(b, a, margin, out);
    rh_manifold_swap(out);
    return out->n;
  }
  return rh_points_other(a, b, margin, cache, out);
}

void rh_near_pair(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  bool swap;
  const cell *c = cell_of(a, b, &swap);
  c->near(swap ? b : a, swap ? a : b, near);
  if (swap) {
    rh_vec3 on_a = near->on_b;
    near->on_b = near->on_a;
    near->on_a = on_a;
    near->normal = rh_neg(near->normal);
  }
}

double rh_distance(const rh_geom *a, const rh_geom *b, rh_vec3 *on_a, rh_vec3 *on_b)
{
  bool swap;
  const cell *c = cell_of(a, b, &swap);
  if (!c) { // two unbounded shapes always overlap, except in a degenerate case
    *on_a = a->p;
    *on_b = b->p;
    return -HUGE_VAL;
  }
  rh_near near;
  (is_rounded(a, b) ? rh_near_rounded : c->near)(swap ? b : a, swap ? a : b, &near);
  *on_a = swap ? near.on_b : near.on_a;
  *on_b = swap ? near.on_a : near.on_b;
  return near.gap;
}
