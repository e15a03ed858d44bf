// The matrix of pairs: which function finds the nearest points and which the contact points of two shapes. Stage 2 of a
// step calls rh_collide. A cell without contact points of its own has one, at the nearest points; an empty cell is GJK's.
#include "pair.h"

typedef struct cell {
  rh_near_fn *near;
  rh_touch_fn *touch; // NULL: the one point of `near`
} cell;

// clang-format off
#define CONVEX    {rh_near_convex, rh_touch_convex}
#define ONE(f)    {rh_near_##f, NULL}
#define MANY(f)   {rh_near_##f, rh_touch_##f}
#define FLAT(f)   {rh_near_plane, f}
#define OTHER     {NULL, NULL} // the mirrored cell

// The row is B, the column A: a plane and a heightfield are always B.
static const cell matrix[RH_SHAPES + 1][RH_SHAPES + 1] = {
  //              plane   sphere               box                       capsule                       cylinder                       ellipsoid    hull  heightfield  any other
  [RH_SHAPE_PLANE] =     {OTHER, FLAT(NULL),          FLAT(rh_touch_plane_box), FLAT(rh_touch_plane_capsule), FLAT(rh_touch_plane_cylinder), FLAT(NULL), FLAT(rh_touch_plane_hull), OTHER, FLAT(NULL)},
  [RH_SHAPE_SPHERE] =    {OTHER, ONE(sphere_sphere),  OTHER,                    OTHER,                        OTHER,                         OTHER,      OTHER,  OTHER, OTHER},
  [RH_SHAPE_BOX] =       {OTHER, ONE(sphere_box),     MANY(box_box),            OTHER,                        OTHER,                         OTHER,      OTHER,  OTHER, OTHER},
  [RH_SHAPE_CAPSULE] =   {OTHER, ONE(sphere_capsule), CONVEX,                   MANY(capsule_capsule),        OTHER,                         OTHER,      OTHER,  OTHER, OTHER},
  [RH_SHAPE_CYLINDER] =  {OTHER, ONE(sphere_cylinder),CONVEX,                   CONVEX,                       CONVEX,                        OTHER,      OTHER,  OTHER, OTHER},
  [RH_SHAPE_ELLIPSOID] = {OTHER, CONVEX,              CONVEX,                   CONVEX,                       CONVEX,                        CONVEX,     OTHER,  OTHER, OTHER},
  [RH_SHAPE_HULL] =      {OTHER, CONVEX,              CONVEX,                   CONVEX,                       CONVEX,                        CONVEX,     CONVEX, OTHER, OTHER},
  [RH_SHAPE_FIELD] =     {OTHER, MANY(field),         MANY(field),              MANY(field),                  MANY(field),                   MANY(field), MANY(field), OTHER, MANY(field)},
  [RH_SHAPES] =          {OTHER, CONVEX,              CONVEX,                   CONVEX,                       CONVEX,                        CONVEX,     CONVEX, OTHER, CONVEX},
};

// clang-format on

// The cell of a pair; `swap`: it has them in the other order. NULL: two unbounded shapes.
static const cell *cell_of(const rh_geom *a, const rh_geom *b, bool *swap)
{
  int i = rh_shape_number(a->kind);
  int j = rh_shape_number(b->kind);
  *swap = false;
  const cell *c = &matrix[j][i];
  if (!c->near) {
    *swap = true;
    c = &matrix[i][j];
  }
  return c->near ? c : NULL;
}

int rh_collide(const rh_geom *a, const rh_geom *b, double margin, rh_touch touch[RH_TOUCH_MAX])
{
  bool swap;
  const cell *c = cell_of(a, b, &swap);
  if (!c) {
    return 0;
  }
  const rh_geom *first = swap ? b : a;
  const rh_geom *second = swap ? a : b;
  int n;
  if (c->touch) {
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
  c->near(swap ? b : a, swap ? a : b, &near);
  *on_a = swap ? near.on_b : near.on_a;
  *on_b = swap ? near.on_a : near.on_b;
  return near.gap;
}
