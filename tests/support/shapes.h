// shapes.h: shapes of every kind at random places, for the tests of geometry.
#ifndef ROUTH_TEST_SHAPES_H
#define ROUTH_TEST_SHAPES_H

#include "geometry/hull/hull.h"
#include "geometry/pair.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

#define EPS 2.3e-16

typedef struct dice {
  uint64_t x;
} dice;

static inline double roll(dice *d, double lo, double hi)
{
  d->x = d->x * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * ((double)(d->x >> 11) / 9007199254740992.0);
}

static inline rh_vec3 roll_vec(dice *d, double size)
{
  double x = roll(d, -size, size);
  double y = roll(d, -size, size);
  return rh_v3(x, y, roll(d, -size, size));
}

static inline rh_vec3 roll_unit(dice *d)
{
  for (;;) {
    rh_vec3 v = roll_vec(d, 1);
    double length = rh_norm(v);
    if (length > 0.1 && length < 1) {
      return rh_scale(1 / length, v);
    }
  }
}

static inline rh_mat3 roll_turn(dice *d)
{
  return rh_axis_matrix(roll_unit(d), roll(d, 0, 3.14159265358979));
}

typedef struct piece { // a shape with its own parameters
  rh_geom g;
  double par[RH_PAR_MAX];
} piece;

// The parameters are copied before use: a piece may be moved about as a value.
static inline const rh_geom *placed(piece *p)
{
  p->g.par = p->par;
  return &p->g;
}

static inline piece make(const char *kind, double x, double y, double z)
{
  piece p = {.g = {.kind = rh_shape_find(kind), .R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
  ck_assert_ptr_nonnull(p.g.kind);
  rh_row_defaults(&p.g.kind->row, p.par);
  p.par[0] = x;
  p.par[1] = y;
  p.par[2] = z;
  // the three are lengths: the usual samples
  int shape = rh_shape_number(p.g.kind);
  p.par[RH_CYLINDER_SAMPLES] = shape == RH_SHAPE_CYLINDER ? RH_RIM_CORNERS : z;
  p.par[RH_HULL_SAMPLES] = shape == RH_SHAPE_HULL ? RH_HULL_CORNERS : y;
  return p;
}

static inline piece at(piece p, double x, double y, double z)
{
  p.g.p = rh_v3(x, y, z);
  return p;
}

static inline piece turned(piece p, rh_vec3 axis, double angle)
{
  rh_mat3 R = rh_axis_matrix(rh_scale(1 / rh_norm(axis), axis), angle);
  p.g.R = rh_mat3_mul(&R, &p.g.R);
  return p;
}

// One of eight hulls of points about the origin; they stay until the program ends.
static inline const rh_hull *some_hull(dice *d)
{
  static rh_hull *hull[8];
  int which = (int)roll(d, 0, 7.999);
  if (!hull[which]) {
    dice own = {(uint64_t)which + 1};
    rh_vec3 p[24];
    int n = 5 + 2 * which;
    for (int i = 0; i < n; i++) {
      p[i] = rh_scale(0.2, roll_unit(&own));
    }
    ck_assert_int_eq(rh_hull_create(p, n, RH_HULL_TOLERANCE, &hull[which], NULL), RH_OK);
  }
  return hull[which];
}

// Sides or radii of 0.05 to 0.2, anywhere within `room` of the origin; all times `scale`.
static inline piece roll_piece(dice *d, int kind, double room, double scale)
{
  int count;
  const rh_shape *row = rh_shape_table(&count)[kind];
  double s[3];
  for (int i = 0; i < 3; i++) {
    s[i] = scale * roll(d, 0.05, 0.2);
  }
  piece p = make(row->row.name, s[0], s[1], s[2]);
  if (kind == RH_SHAPE_BOX) {
    p.par[0] *= 2;
    p.par[1] *= 2;
    p.par[2] *= 2;
  }
  if (kind == RH_SHAPE_HULL) {
    p.par[RH_HULL_ROUND] = 0;
    p.g.mesh = some_hull(d);
  }
  p.g.R = roll_turn(d);
  p.g.p = roll_vec(d, room * scale);
  return p;
}

static inline piece moved(piece p, const rh_xform *x)
{
  p.g.R = rh_mat3_mul(&x->R, &p.g.R);
  p.g.p = rh_add(x->p, rh_rotate(&x->R, p.g.p));
  return p;
}

static inline double apart(piece *a, piece *b)
{
  rh_vec3 on_a;
  rh_vec3 on_b;
  return rh_distance(placed(a), placed(b), &on_a, &on_b);
}

static inline int meet(piece *a, piece *b, double margin, rh_touch *touch)
{
  int n = rh_collide_surfaces(placed(a), placed(b), margin, touch);
  ck_assert_int_le(n, RH_TOUCH_MAX);
  for (int i = 0; i < n; i++) {
    near_abs(rh_norm(touch[i].normal), 1, 1e-12); // rounding of a normalisation
    ck_assert(touch[i].depth > -margin && touch[i].radius > 0 && touch[i].area >= 0);
    ck_assert(i == 0 || touch[i].id > touch[i - 1].id);
  }
  return n;
}

static inline double deepest(const rh_touch *touch, int n)
{
  double depth = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    depth = fmax(depth, touch[i].depth);
  }
  return depth;
}

static inline double all_area(const rh_touch *touch, int n)
{
  double area = 0;
  for (int i = 0; i < n; i++) {
    area += touch[i].area;
  }
  return area;
}

// The asserts as functions, for the inside of loops.
static inline void near_number(double got, double want, double tol)
{
  near_abs(got, want, tol);
}

static inline void same_int(int got, int want)
{
  ck_assert_int_eq(got, want);
}

static inline void near_vec(rh_vec3 got, rh_vec3 want, double tol)
{
  near_array(&got.x, &want.x, 3, tol, 0);
}

#endif
