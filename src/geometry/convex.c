// Any two convex shapes: GJK apart, EPA overlapping, both on the cores, the roundings subtracted
// afterwards. The signed distance is the largest gap over all directions n, gap(n) = min over A of
// n.x - max over B of n.x, so a direction that is off by e costs e^2 only; it is improved by Newton
// steps where the shapes are smooth and set to the normal of a flat face.
// Where a flat face meets a face or a line, the contact is the common part of the two.
#include "pair.h"

double rh_gap_along(const rh_geom *a, const rh_geom *b, rh_vec3 n)
{
  return rh_dot(n, rh_mink_support(a, b, rh_neg(n)).w);
}

static const double ALIGNED =
    1e-8; // 1 - cos: 0.14 mrad, wider than the error of GJK and EPA on flat faces

static const double CLOSE = 1e-4;   // of the size: shapes that touch, or nearly
static const double SHALLOW = 1e-2; // of the size: others are as found by GJK and EPA

// ---- improving the direction

static rh_vec3 unit_vector(rh_vec3 v)
{
  return rh_scale(1 / rh_norm(v), v);
}

static bool take_better(const rh_geom *a, const rh_geom *b, rh_vec3 next, rh_vec3 *n, double *gap)
{
  double other = rh_gap_along(a, b, next);
  if (!(other > *gap)) {
    return false;
  }
  *n = next;
  *gap = other;
  return true;
}

// A straight edge or side is exactly across n or not at all, and gap(n) has a ridge there, which
// Newton's steps miss. So the small part of n along a shape's axis is removed, followed by a Newton
// step along the ridge.
static bool ridge_step(const rh_geom *a, const rh_geom *b, rh_vec3 *n, double *gap)
{
  static const double STEP = 1e-6; // [rad]
  static const double LITTLE = 0.05;
  bool better = false;
  for (int i = 0; i < 6; i++) {
    rh_vec3 u = rh_mat3_column(i < 3 ? &a->R : &b->R, i % 3);
    double along = rh_dot(*n, u);
    if (fabs(along) > LITTLE) {
      continue;
    }
    rh_vec3 top = unit_vector(rh_addscaled(*n, -along, u));
    rh_vec3 t = rh_cross(u, top);
    rh_vec3 w = rh_mink_support(a, b, rh_neg(top)).w;
    rh_vec3 up = rh_mink_support(a, b, rh_neg(rh_addscaled(top, STEP, t))).w;
    rh_vec3 down = rh_mink_support(a, b, rh_neg(rh_addscaled(top, -STEP, t))).w;
    double bend = 0.5 / STEP * rh_dot(t, rh_sub(up, down)) - rh_dot(top, w);
    better = take_better(a, b, top, n, gap) || better;
    if (bend < 0) {
      rh_vec3 next = unit_vector(rh_addscaled(top, -rh_dot(t, w) / bend, t));
      better = take_better(a, b, next, n, gap) || better;
    }
  }
  return better;
}

// False: no better direction was found.
static bool newton_step(const rh_geom *a, const rh_geom *b, rh_vec3 *n, double *gap)
{
  return take_better(a, b, rh_gap_direction(a, b, n, *gap), n, gap);
}

// A face across n to within ALIGNED: its normal is the better n, if the gap agrees.
static bool set_upright(const rh_geom *a, const rh_geom *b, rh_near *near, double size)
{
  rh_face face[2];
  rh_face_toward(a, rh_neg(near->normal), &face[0]);
  rh_face_toward(b, near->normal, &face[1]);
  for (int i = 0; i < 2; i++) {
    rh_vec3 n = i == 0 ? rh_neg(face[i].normal) : face[i].normal;
    if (face[i].n >= 3 && rh_dot(n, near->normal) > 1 - ALIGNED) {
      double gap = rh_gap_along(a, b, n);
      if (gap >= near->gap - 1e-12 * size) {
        near->normal = n;
        near->gap = gap;
        return true;
      }
    }
  }
  return false;
}

// GJK may end before the last digit where a side is round: Newton steps, along ridges too, remove
// the rest. False: there was none.
static bool better_apart(const rh_geom *a, const rh_geom *b, rh_near *near, double length)
{
  static const double ROUNDING = 1e-15; // of the size
  bool any = false;
  bool better = length - near->gap > ROUNDING * rh_mink_size(a, b);
  for (int i = 0; i < 4 && better; i++) {
    better = ridge_step(a, b, &near->normal, &near->gap);
    better = newton_step(a, b, &near->normal, &near->gap) || better;
    any = any || better;
  }
  return any;
}

// Apart: A - B from GJK. True: n is a face's. The distance of the points is never too small, the
// gap along the normal never too large. Near zero the normal is not known well enough for the gap:
// an angle e costs e times the size at a corner.
static bool near_apart(const rh_geom *a, const rh_geom *b, rh_near *near, double length)
{
  double size = rh_mink_size(a, b);
  near->gap = rh_gap_along(a, b, near->normal);
  if (length > CLOSE * size && length - near->gap > 1e-13 * size) {
    for (int i = 0; i < 4 && newton_step(a, b, &near->normal, &near->gap); i++) {}
  }
  if (length >= CLOSE * size) {
    return false;
  }
  bool upright = set_upright(a, b, near, size);
  near->gap = upright ? near->gap : length;
  return upright;
}

// Around a cylinder all directions are equal, and EPA may have no capacity left for the caps: the
// shapes' own axes are tried too.
static void try_axes(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  for (int i = 0; i < 6; i++) {
    rh_vec3 u = rh_mat3_column(i < 3 ? &a->R : &b->R, i % 3);
    (void)take_better(a, b, u, &near->normal, &near->gap);
    (void)take_better(a, b, rh_neg(u), &near->normal, &near->gap);
  }
}

static bool near_overlap(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  try_axes(a, b, near);
  if (set_upright(a, b, near, rh_mink_size(a, b))) {
    return true;
  }
  bool better = true;
  for (int i = 0; i < 8 && better; i++) {
    better = ridge_step(a, b, &near->normal, &near->gap);
    better = newton_step(a, b, &near->normal, &near->gap) || better;
  }
  return false;
}

// The point of A - B where GJK ended, as a point of A relative to its centre.
static rh_vec3 point_of(const rh_simplex *s)
{
  rh_vec3 on_a = {0, 0, 0};
  for (int i = 0; i < s->n; i++) {
    on_a = rh_addscaled(on_a, s->part[i], s->v[i].a);
  }
  return on_a;
}

// For small gaps and overlaps GJK and EPA give the depth, but the direction and the points to a few
// digits only. So A is moved away from B along n, by `shift`, which is then subtracted: the
// distance is then the largest gap(m) + shift m.n over all m. With the right n that is at m = n,
// with the same points; otherwise distance - shift is less than the true gap, and m is nearer to
// the right n than n was, by about shift over the radius of curvature.
static void look_from_afar(const rh_geom *a, const rh_geom *b, rh_near *near, rh_vec3 *on_a)
{
  static const double FAR = 0.05; // of the size
  double size = rh_mink_size(a, b);
  double shift = FAR * size - near->gap;
  for (int k = 0; k < 4; k++) {
    rh_geom away = *a;
    rh_simplex s;
    rh_vec3 v;
    away.p = rh_addscaled(a->p, shift, near->normal);
    if (!rh_gjk(&away, b, &s, &v)) {
      return;
    }
    double length = rh_norm(v);
    rh_near far = {.normal = rh_scale(1 / length, v)};
    far.gap = rh_gap_along(&away, b, far.normal);
    length = better_apart(&away, b, &far, length) ? far.gap : length;
    if (!(length - shift >= near->gap - 1e-10 * size)) {
      return;
    }
    double turn = rh_norm(rh_sub(far.normal, near->normal));
    near->normal = far.normal;
    near->gap = length - shift;
    *on_a = point_of(&s);
    if (turn < 1e-7) {
      return;
    }
  }
}

// The point of A, relative to its centre, where n differs from that of the simplex: the support
// point, or that of B where A has a face and B has none.
static rh_vec3 point_for(const rh_geom *a, const rh_geom *b, const rh_near *near)
{
  rh_face face[2];
  rh_face_toward(a, rh_neg(near->normal), &face[0]);
  rh_face_toward(b, near->normal, &face[1]);
  if (face[0].n <= face[1].n) {
    return rh_geom_support(a, rh_neg(near->normal));
  }
  rh_vec3 x = rh_add(rh_sub(b->p, a->p), rh_geom_support(b, near->normal));
  return rh_addscaled(x, near->gap, near->normal);
}

// Shapes of flat faces only
static bool are_sharp(const rh_geom *a, const rh_geom *b)
{
  int i = rh_shape_number(a->kind);
  int j = rh_shape_number(b->kind);
  return (i == RH_SHAPE_BOX || i == RH_SHAPE_HULL) && (j == RH_SHAPE_BOX || j == RH_SHAPE_HULL);
}

void rh_near_convex(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  static const double ANOTHER = 1e-3; // 1 - cos: 45 mrad, more than the steps turn n
  rh_simplex s;
  rh_vec3 v;
  rh_vec3 on_a; // relative to A's centre
  rh_vec3 before;
  rh_vec3 cross;
  bool upright;
  bool crossing = false;
  double size = rh_mink_size(a, b);
  if (rh_gjk(a, b, &s, &v)) {
    before = near->normal = unit_vector(v);
    on_a = point_of(&s);
    upright = near_apart(a, b, near, rh_norm(v));
  } else {
    near->gap = -rh_epa(a, b, &s, &v, &on_a);
    before = near->normal = rh_neg(v);
    upright = near_overlap(a, b, near);
    if (!upright && near->gap < -SHALLOW * size && are_sharp(a, b)) {
      rh_near_polish(a, b, near); // others are examined from afar
    }
    crossing = !upright && rh_edges_cross(a, b, &near->normal, &cross);
  }
  if (crossing) {
    near->gap = rh_gap_along(a, b, near->normal);
    on_a = cross;
  } else if (rh_dot(before, near->normal) < 1 - ANOTHER) {
    on_a = point_for(a, b, near);
  }
  if (!upright && !crossing && near->gap < CLOSE * size && near->gap > -SHALLOW * size) {
    look_from_afar(a, b, near, &on_a);
  }
  double r[2] = {rh_geom_rounding(a), rh_geom_rounding(b)};
  bool meets = near->gap < r[0] + r[1] + CLOSE * size;
  if (!upright && meets && !are_sharp(a, b)) {
    rh_near_polish(a, b, near);
    rh_near_place(a, b, near, &on_a);
  } else if (rh_shape_number(a->kind) == RH_SHAPE_ELLIPSOID ||
             rh_shape_number(b->kind) == RH_SHAPE_ELLIPSOID) {
    rh_near_place(a, b, near, &on_a); // a smooth surface has one point per normal
  }
  rh_vec3 ca = rh_add(a->p, on_a);
  rh_near_grow(near, r, ca, rh_addscaled(ca, -near->gap, near->normal), near->normal, near->gap);
}

// ---- the common part of two faces

static double polygon_area(const rh_face *f)
{
  rh_vec3 sum = {0, 0, 0};
  for (int i = 1; i + 1 < f->n; i++) {
    sum = rh_add(sum, rh_cross(rh_sub(f->v[i], f->v[0]), rh_sub(f->v[i + 1], f->v[0])));
  }
  return 0.5 * rh_norm(sum);
}

// Round caps have eight corners: ratio of the circle to the octagon, in the covered part.
static double fill_factor(const rh_face *f, double covered)
{
  return 1 + (f->fill - 1) * fmin(1, covered / polygon_area(f));
}

typedef struct sheet { // the plane of the reference face
  rh_vec3 o, u, v, n;
} sheet;

static int project_face(const sheet *s, const rh_face *f, rh_corner *p)
{
  for (int i = 0; i < f->n; i++) {
    rh_vec3 x = rh_sub(f->v[i], s->o);
    p[i] =
        (rh_corner){rh_dot(x, s->u), rh_dot(x, s->v), -rh_dot(x, s->n), 0, i, RH_NONE, f->edge[i]};
  }
  return f->n;
}

// Cuts the polygon to the sides of the reference face; a segment has only its ends.
static int cut_to(const sheet *s, const rh_face *ref, rh_corner *p, int n)
{
  static const double SLACK = 1e-6; // of a side
  rh_corner r[RH_FACE_MAX];
  project_face(s, ref, r);
  if (ref->n == 2) {
    n = rh_polygon_cut(p, n, &(rh_cut){-1, 0, 0, SLACK * r[1].u, 0});
    return n ? rh_polygon_cut(p, n, &(rh_cut){1, 0, r[1].u, SLACK * r[1].u, 1}) : 0;
  }
  double turn = r[1].u * r[2].v - r[2].u * r[1].v > 0 ? 1 : -1; // o is corner 0
  for (int i = 0; i < ref->n && n > 0; i++) {
    int j = i + 1 < ref->n ? i + 1 : 0;
    rh_cut c = {.nu = turn * (r[j].v - r[i].v), .nv = -turn * (r[j].u - r[i].u), .side = i};
    double length = sqrt(c.nu * c.nu + c.nv * c.nv);
    c.nu /= length;
    c.nv /= length;
    c.c = c.nu * r[i].u + c.nv * r[i].v;
    c.slack = SLACK * length;
    n = rh_polygon_cut(p, n, &c);
  }
  return n;
}

typedef struct encounter {
  const rh_geom *of_ref, *of_inc;
  const rh_face *ref, *inc;
  double rounding[2]; // [m] of reference and incident
  bool ref_is_a;
} encounter;

// Sides of the two at point p, x on the reference face: the owner of the corner or edge has that,
// the other its surface. An edge that crosses a side of the reference lies in its face as long as
// the contact is flat.
static void put_sides(const encounter *e, const rh_corner *p, rh_vec3 x, rh_touch *t)
{
  rh_vec3 n = e->ref->normal;
  bool ref_owns = p->side != RH_NONE && (e->ref->n == 2 || p->edge >= RH_SIDE);
  rh_vec3 up = rh_addscaled(x, e->rounding[0], n);
  rh_vec3 low = rh_addscaled(x, -p->depth - e->rounding[1], n);
  rh_side ref = ref_owns ? rh_geom_side(e->of_ref, up, n, false) : rh_geom_surface(e->of_ref, n);
  rh_side inc = ref_owns ? rh_geom_surface(e->of_inc, rh_neg(n))
                         : rh_geom_side(e->of_inc, low, rh_neg(n), false);
  if (!ref_owns && inc.dim == 2 && inc.k1 == 0 && inc.k2 == 0) {
    inc = rh_side_corner(); // on a cap's or wide face's polygon: the reference has the normal
  }
  t->a = e->ref_is_a ? ref : inc;
  t->b = e->ref_is_a ? inc : ref;
}

// Contact points of the reference face with the incident one.
static int meet_faces(const encounter *e, double margin, rh_touch *touch)
{
  const rh_face *ref = e->ref;
  const rh_face *inc = e->inc;
  const double *rounding = e->rounding;
  sheet s = {.o = ref->v[0], .n = ref->normal};
  s.u = unit_vector(rh_sub(ref->v[1], ref->v[0]));
  s.v = rh_cross(s.n, s.u);
  rh_corner p[RH_CLIP_MAX];
  int n = cut_to(&s, ref, p, project_face(&s, inc, p));
  rh_polygon_share(p, n);
  double total = 0;
  for (int i = 0; i < n; i++) {
    total += p[i].area;
  }
  double full = total > 0 ? fmax(fill_factor(ref, total), fill_factor(inc, total)) : 0;
  int count = 0;
  for (int i = 0; i < n; i++) {
    double depth = p[i].depth + rounding[0] + rounding[1];
    if (depth > -margin) {
      double up = (rounding[0] - rounding[1] - p[i].depth) / 2; // halfway between the surfaces
      rh_vec3 x = rh_addscaled(rh_addscaled(s.o, p[i].u, s.u), p[i].v, s.v);
      touch[count] = (rh_touch){.point = rh_addscaled(x, up, s.n),
                                .depth = depth,
                                .area = full * p[i].area,
                                .id = rh_corner_id(&p[i], ref, inc, e->ref_is_a)};
      put_sides(e, &p[i], x, &touch[count++]);
    }
  }
  return count;
}

// Two lines parallel within a milliradian, and both across n.
static bool are_parallel(const rh_face *f, const rh_face *g, rh_vec3 n)
{
  rh_vec3 u = unit_vector(rh_sub(f->v[1], f->v[0]));
  rh_vec3 v = unit_vector(rh_sub(g->v[1], g->v[0]));
  rh_vec3 c = rh_cross(u, v);
  return f->n == 2 && g->n == 2 && rh_dot(c, c) < 1e-6 && fabs(rh_dot(u, n)) < 1e-3 &&
         fabs(rh_dot(v, n)) < 1e-3;
}

static bool is_across(const rh_face *f, rh_vec3 n)
{
  return f->n >= 3 && rh_dot(f->normal, n) > 1 - ALIGNED;
}

// The face towards d; where an edge is across d, and no face, that edge: a line beside which a round side may lie.
static void edge_or_face(const rh_geom *g, rh_vec3 d, bool sharp, rh_face *f)
{
  static const double ACROSS = 1e-3; // sine, as for parallel lines
  rh_vec3 ends[2];
  rh_face_toward(g, d, f);
  if (!sharp && f->n >= 3 && !is_across(f, d) && rh_edge_toward(g, d, ACROSS, ends)) {
    rh_vec3 own = rh_unrotate(&g->R, rh_sub(ends[1], ends[0]));
    double size[3] = {own.x, own.y, own.z};
    int k = 0; // ends in the order of their largest coordinate: that of the last step
    for (int i = 1; i < 3; i++) {
      k = fabs(size[i]) > fabs(size[k]) ? i : k;
    }
    f->n = 2;
    for (int i = 0; i < 2; i++) {
      f->v[i] = rh_add(g->p, ends[size[k] > 0 ? i : 1 - i]);
      f->id[i] = 8 * i;
      f->edge[i] = 16;
    }
  }
}

int rh_touch_convex(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  rh_near near;
  rh_near_convex(a, b, &near);
  return near.gap < margin ? rh_touch_near(a, b, &near, margin, touch) : 0;
}

int rh_touch_near(const rh_geom *a, const rh_geom *b, const rh_near *at, double margin,
                  rh_touch *touch)
{
  rh_face fa;
  rh_face fb;
  bool sharp = are_sharp(a, b);
  edge_or_face(a, rh_neg(at->normal), sharp, &fa);
  edge_or_face(b, at->normal, sharp, &fb);
  double r[2] = {rh_geom_rounding(a), rh_geom_rounding(b)};
  int n = 0;
  if (fb.n > 0 && (is_across(&fa, rh_neg(at->normal)) || are_parallel(&fa, &fb, at->normal))) {
    n = meet_faces(&(encounter){a, b, &fa, &fb, {r[0], r[1]}, true}, margin, touch);
  } else if (fa.n > 0 && is_across(&fb, at->normal)) {
    n = meet_faces(&(encounter){b, a, &fb, &fa, {r[1], r[0]}, false}, margin, touch);
  }
  if (n == 0) {
    rh_touch_one(a, b, at, margin, touch);
    touch->id = RH_ID_NEAREST;
    return 1;
  }
  double radius = rh_pair_radius(a, b, at->normal);
  for (int i = 0; i < n; i++) {
    touch[i].normal = at->normal;
    touch[i].radius = radius;
  }
  rh_touch_sort(touch, n);
  return n;
}
