// polish.c: the direction of the largest gap of two convex shapes, and the point where they meet, to
// the last digits. GJK and EPA know the depth, whose error is the square of that of the direction: by it alone the
// direction is known to 1e-8 only, and normals and points would jump by as much from one pose to the next.
#include "pair.h"

static rh_vec3 unit_vector(rh_vec3 v)
{
  return rh_scale(1 / rh_norm(v), v);
}

// Newton's direction for the largest gap: its slope along a tangent t is t.w, w the support point of A - B along -n. The
// curvature comes from differences.
rh_vec3 rh_gap_direction(const rh_geom *a, const rh_geom *b, const rh_vec3 *n, double gap)
{
  static const double STEP = 1e-6;   // [rad]
  static const double LONGEST = 0.1; // [rad]
  rh_vec3 t[2] = {rh_any_normal(*n)};
  t[1] = rh_cross(*n, t[0]);
  rh_vec3 w = rh_mink_support(a, b, rh_neg(*n)).w;
  double g[2] = {rh_dot(t[0], w), rh_dot(t[1], w)};
  double H[2][2];
  for (int i = 0; i < 2; i++) {
    rh_vec3 up = rh_mink_support(a, b, rh_neg(rh_addscaled(*n, STEP, t[i]))).w;
    rh_vec3 down = rh_mink_support(a, b, rh_neg(rh_addscaled(*n, -STEP, t[i]))).w;
    rh_vec3 d = rh_scale(0.5 / STEP, rh_sub(up, down));
    H[i][0] = rh_dot(t[0], d);
    H[i][1] = rh_dot(t[1], d);
    H[i][i] -= gap; // n stays of unit length: the sphere's own curvature
  }
  // Along each principal direction of the curvature; where there is none, as round a cylinder's axis, no step is needed.
  double angle = 0.5 * rh_atan2(H[0][1] + H[1][0], H[0][0] - H[1][1]);
  double c[2] = {rh_cos(angle), rh_sin(angle)};
  rh_vec3 next = *n;
  for (int i = 0; i < 2; i++) {
    double x = i == 0 ? c[0] : -c[1];
    double y = i == 0 ? c[1] : c[0];
    double slope = x * g[0] + y * g[1];
    double bend = x * x * H[0][0] + x * y * (H[0][1] + H[1][0]) + y * y * H[1][1];
    double step = bend < 0 ? -slope / bend : 0;
    step = fmin(LONGEST, fmax(-LONGEST, step));
    next = rh_addscaled(rh_addscaled(next, step * x, t[0]), step * y, t[1]);
  }
  return unit_vector(next);
}

// The largest gap is flat at its top: by its value alone the direction is known to 1e-7 only, and
// forces along it jump by as much from step to step. The slope, which is zero there, gives the other
// digits: that along a ridge of gap(n) first, that of smooth surfaces otherwise.
static const double FLAT_ROUNDING = 1e-14; // of the size: a gap that is as large

// The ridge across u, if n is on it but for that error. False: it is not.
static bool follow_ridge(const rh_geom *a, const rh_geom *b, rh_vec3 u, rh_near *near)
{
  static const double STEP = 1e-6; // [rad]
  static const double NEARLY = 1e-4;
  double along = rh_dot(near->normal, u);
  if (fabs(along) > NEARLY) {
    return false;
  }
  rh_vec3 next = unit_vector(rh_addscaled(near->normal, -along, u));
  for (int i = 0; i < 4; i++) {
    rh_vec3 t = rh_cross(u, next);
    rh_vec3 w = rh_mink_support(a, b, rh_neg(next)).w;
    rh_vec3 up = rh_mink_support(a, b, rh_neg(rh_addscaled(next, STEP, t))).w;
    rh_vec3 down = rh_mink_support(a, b, rh_neg(rh_addscaled(next, -STEP, t))).w;
    double bend = 0.5 / STEP * rh_dot(t, rh_sub(up, down)) - rh_dot(next, w);
    double step = bend < 0 ? -rh_dot(t, w) / bend : HUGE_VAL;
    if (!(fabs(step) < NEARLY)) {
      return false;
    }
    next = unit_vector(rh_addscaled(next, step, t));
  }
  double gap = rh_gap_along(a, b, next);
  if (gap < near->gap - FLAT_ROUNDING * rh_mink_size(a, b)) {
    return false;
  }
  near->normal = next;
  near->gap = fmax(gap, near->gap);
  return true;
}

static const double TURN = 1e-4; // [rad] by which an edge may not be across the normal

// Ends, relative to its centre, of the straight line of a shape that is across d to within TURN where the shape is
// farthest along d: an edge, that of a cylinder's side, the core of a capsule. False: there is none.
static bool line_across(const rh_geom *g, rh_vec3 d, rh_vec3 ends[2])
{
  int kind = rh_shape_number(g->kind);
  if (kind != RH_SHAPE_CYLINDER && kind != RH_SHAPE_CAPSULE) {
    return rh_edge_toward(g, d, TURN, ends);
  }
  rh_vec3 u = rh_mat3_column(&g->R, 2);
  double along = rh_dot(d, u);
  if (fabs(along) > TURN) {
    return false;
  }
  rh_vec3 side = rh_geom_support(g, rh_addscaled(d, -along, u));
  side = rh_addscaled(side, -rh_dot(side, u), u);
  ends[0] = rh_addscaled(side, -g->par[1] / 2, u);
  ends[1] = rh_addscaled(side, g->par[1] / 2, u);
  return true;
}

static bool follow_edge(const rh_geom *a, const rh_geom *b, const rh_vec3 ends[2], rh_near *near)
{
  return follow_ridge(a, b, unit_vector(rh_sub(ends[1], ends[0])), near);
}

static bool follow_ridges(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  rh_vec3 ends[2];
  bool found = line_across(a, rh_neg(near->normal), ends) && follow_edge(a, b, ends, near);
  return found || (line_across(b, near->normal, ends) && follow_edge(a, b, ends, near));
}

void rh_near_polish(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  double size = rh_mink_size(a, b);
  bool ridge = follow_ridges(a, b, near);
  for (int i = 0; i < 3 && !ridge; i++) {
    rh_vec3 next = rh_gap_direction(a, b, &near->normal, near->gap);
    rh_vec3 w = rh_mink_support(a, b, rh_neg(near->normal)).w;
    rh_vec3 other = rh_mink_support(a, b, rh_neg(next)).w;
    double gap = rh_dot(next, other);
    double slope = rh_norm(rh_addscaled(w, -rh_dot(w, near->normal), near->normal));
    double less = rh_norm(rh_addscaled(other, -gap, next));
    if (!(less < 0.5 * slope) || gap < near->gap - FLAT_ROUNDING * size) {
      return;
    }
    near->normal = next;
    near->gap = fmax(gap, near->gap);
  }
}

// ---- The point

typedef struct line { // on a shape, relative to A's centre
  rh_vec3 from, along;
} line;

// What a shape has where it is farthest along d: a point (0), a line (1), or a face (2). `origin`: its centre, relative to
// A's.
static int extent_toward(const rh_geom *g, rh_vec3 d, rh_vec3 origin, line *l)
{
  rh_vec3 ends[2];
  rh_face face;
  rh_face_toward(g, d, &face);
  if (face.n >= 3 && rh_dot(face.normal, d) > 1 - 0.5 * TURN * TURN) {
    return 2;
  }
  if (!line_across(g, d, ends)) {
    return 0;
  }
  l->from = rh_add(origin, ends[0]);
  l->along = rh_sub(ends[1], ends[0]);
  return 1;
}

// Where the lines pass each other along n; false: they are parallel.
static bool cross_lines(const line *p, const line *q, rh_vec3 n, rh_vec3 *on_p)
{
  static const double PARALLEL = 1e-12; // sin^2
  rh_vec3 side = rh_cross(n, q->along);
  double across = rh_dot(p->along, side);
  double room = rh_dot(p->along, p->along) * rh_dot(q->along, q->along);
  if (!(across * across > PARALLEL * room)) {
    return false;
  }
  double t = rh_dot(rh_sub(q->from, p->from), side) / across;
  *on_p = rh_addscaled(p->from, fmax(0, fmin(1, t)), p->along);
  return true;
}

void rh_near_place(const rh_geom *a, const rh_geom *b, const rh_near *near, rh_vec3 *on_a)
{
  line of_a;
  line of_b;
  rh_vec3 to_b = rh_sub(b->p, a->p);
  int extent_a = extent_toward(a, rh_neg(near->normal), rh_v3(0, 0, 0), &of_a);
  int extent_b = extent_a == 0 ? 0 : extent_toward(b, near->normal, to_b, &of_b);
  if (extent_a == 0) {
    *on_a = rh_geom_support(a, rh_neg(near->normal));
  } else if (extent_b == 0) {
    rh_vec3 on_b = rh_add(to_b, rh_geom_support(b, near->normal));
    *on_a = rh_addscaled(on_b, near->gap, near->normal);
  } else if (extent_a == 1 && extent_b == 1) {
    (void)cross_lines(&of_a, &of_b, near->normal, on_a);
  }
}
