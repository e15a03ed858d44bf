// Box against box: the 15 axes that can separate them (S. Gottschalk 1996), then either the common part of two faces, by
// clipping, or the point where two edges cross. All computations are in A's axes.
#include "pair.h"

typedef struct sat {
  const rh_geom *a, *b;
  double C[3][3]; // B's axes in A's: C[i][j] = a_i . b_j
  double Q[3][3]; // |C|
  double t[3];    // B's centre in A's axes
  double ha[3], hb[3];
  double gap;    // the largest so far
  int axis;      // 0-2 faces of A, 3-5 faces of B, 6 + 3 i + j edges a_i x b_j
  double length; // of the cross product, for edges
} sat;

static void prepare_axes(sat *s, const rh_geom *a, const rh_geom *b)
{
  s->a = a;
  s->b = b;
  rh_vec3 d = rh_unrotate(&a->R, rh_sub(b->p, a->p));
  s->t[0] = d.x;
  s->t[1] = d.y;
  s->t[2] = d.z;
  const double *A = a->R.m;
  const double *B = b->R.m;
  for (int i = 0; i < 3; i++) {
    s->ha[i] = a->par[i] / 2;
    s->hb[i] = b->par[i] / 2;
    for (int j = 0; j < 3; j++) {
      s->C[i][j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
      s->Q[i][j] = fabs(s->C[i][j]);
    }
  }
}

// The sum of the half sides of both: the scale of lengths.
static double size_of(const sat *s)
{
  return s->ha[0] + s->ha[1] + s->ha[2] + s->hb[0] + s->hb[1] + s->hb[2];
}

// Gap along a face's normal
static double face_gap(const sat *s, int axis)
{
  if (axis < 3) {
    const double *Q = s->Q[axis];
    return fabs(s->t[axis]) - s->ha[axis] - (s->hb[0] * Q[0] + s->hb[1] * Q[1] + s->hb[2] * Q[2]);
  }
  int j = axis - 3;
  double t = s->t[0] * s->C[0][j] + s->t[1] * s->C[1][j] + s->t[2] * s->C[2][j];
  return fabs(t) - s->hb[j] -
         (s->ha[0] * s->Q[0][j] + s->ha[1] * s->Q[1][j] + s->ha[2] * s->Q[2][j]);
}

// Of axes that are equal to within `tie` (part of the size) the first is kept.
static void test_faces(sat *s, double tie)
{
  double bias = tie * size_of(s);
  s->gap = -HUGE_VAL;
  s->axis = 0;
  for (int i = 0; i < 6; i++) {
    double gap = face_gap(s, i);
    if (gap > s->gap + bias) {
      s->gap = gap;
      s->axis = i;
    }
  }
}

// The axis a_i x b_j, if it is better than the best so far by more than `bias`.
static void test_edge(sat *s, int i, int j, double bias)
{
  static const double PARALLEL = 1e-12; // sin^2; such edges add nothing to the faces
  int i1 = (i + 1) % 3;
  int i2 = (i + 2) % 3;
  int j1 = (j + 1) % 3;
  int j2 = (j + 2) % 3;
  double ll = 1 - s->C[i][j] * s->C[i][j];
  if (ll < PARALLEL) {
    return;
  }
  double raw = fabs(s->t[i2] * s->C[i1][j] - s->t[i1] * s->C[i2][j]) -
               (s->ha[i1] * s->Q[i2][j] + s->ha[i2] * s->Q[i1][j]) -
               (s->hb[j1] * s->Q[i][j2] + s->hb[j2] * s->Q[i][j1]);
  double least = s->gap + bias;
  if (raw <= 0 && raw * raw >= least * least * ll) { // the usual case, without the root
    return;
  }
  double length = sqrt(ll);
  if (raw > least * length) {
    s->gap = raw / length;
    s->axis = 6 + 3 * i + j;
    s->length = length;
  }
}

// Edges; it ends beyond `margin`.
static void test_edges(sat *s, double margin, double tie)
{
  double bias = tie * size_of(s);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3 && s->gap < margin; j++) {
      test_edge(s, i, j, bias);
    }
  }
}

// The best axis, world, from B into A.
static rh_vec3 normal_of(const sat *s)
{
  rh_vec3 n;
  if (s->axis < 3) {
    n = rh_mat3_column(&s->a->R, s->axis);
  } else if (s->axis < 6) {
    n = rh_mat3_column(&s->b->R, s->axis - 3);
  } else {
    int i = (s->axis - 6) / 3;
    int j = (s->axis - 6) % 3;
    n = rh_cross(rh_mat3_column(&s->a->R, i), rh_mat3_column(&s->b->R, j));
    n = rh_scale(1 / rh_norm(n), n);
  }
  return rh_dot(n, rh_sub(s->a->p, s->b->p)) < 0 ? rh_neg(n) : n;
}

// ---- edge against edge

// The edge of a box along axis k that lies farthest along d (world): its middle, and its number.
static rh_vec3 edge_along(const rh_geom *g, int k, rh_vec3 d, int *number)
{
  rh_vec3 x = rh_unrotate(&g->R, d);
  double c[3] = {x.x, x.y, x.z};
  double at[3] = {0, 0, 0};
  int corner = 0;
  for (int i = 1; i <= 2; i++) {
    int m = (k + i) % 3;
    at[m] = copysign(g->par[m] / 2, c[m]);
    corner |= at[m] > 0 ? 1 << m : 0;
  }
  *number = rh_box_edge(corner, corner | 1 << k);
  return rh_add(g->p, rh_rotate(&g->R, rh_v3(at[0], at[1], at[2])));
}

static int near_edges(const sat *s, rh_near *near)
{
  int i = (s->axis - 6) / 3;
  int j = (s->axis - 6) % 3;
  int ea;
  int eb;
  rh_vec3 ma = edge_along(s->a, i, rh_neg(near->normal), &ea);
  rh_vec3 mb = edge_along(s->b, j, near->normal, &eb);
  rh_vec3 ua = rh_mat3_column(&s->a->R, i);
  rh_vec3 ub = rh_mat3_column(&s->b->R, j);
  rh_vec3 d = rh_sub(mb, ma);
  double c = s->C[i][j];
  double t = (rh_dot(d, ua) - c * rh_dot(d, ub)) / (s->length * s->length);
  t = fmax(-s->ha[i], fmin(s->ha[i], t));
  near->on_a = rh_addscaled(ma, t, ua);
  near->on_b = rh_addscaled(near->on_a, -near->gap, near->normal);
  return rh_id_edges(ea, eb);
}

// ---- face against face

typedef struct side {
  const rh_geom *ref;
  rh_face face; // of the reference
  rh_face inc;  // of the other box
  int k;        // the axis across
  bool up;      // the face points along it
} side;

// The polygon of the other face, in the axes of the reference, cut to its four sides; sides as in
// face.edge.
static int clip_face(const side *s, rh_corner *p)
{
  static const double SLACK = 1e-6; // of the sides
  const rh_geom *g = s->ref;
  int u = (s->k + 1) % 3;
  int v = (s->k + 2) % 3;
  double h[3] = {g->par[0] / 2, g->par[1] / 2, g->par[2] / 2};
  for (int i = 0; i < 4; i++) {
    rh_vec3 local = rh_unrotate(&g->R, rh_sub(s->inc.v[i], g->p));
    double x[3] = {local.x, local.y, local.z};
    double depth = h[s->k] - (s->up ? x[s->k] : -x[s->k]);
    p[i] = (rh_corner){x[u], x[v], depth, 0, i, RH_NONE, s->inc.edge[i]};
  }
  double slack = SLACK * (h[u] + h[v]);
  const rh_cut cut[4] = {{0, -1, h[v], slack, 0},
                         {1, 0, h[u], slack, 1},
                         {0, 1, h[v], slack, 2},
                         {-1, 0, h[u], slack, 3}};
  int n = 4;
  for (int i = 0; i < 4 && n > 0; i++) {
    n = rh_polygon_cut(p, n, &cut[i]);
  }
  rh_polygon_share(p, n);
  return n;
}

// Sides of the boxes at a corner of the clipped face: a corner of one on the face of the other, or
// an edge of the other box, which lies in the reference face as long as the contact is flat.
static void put_sides(const rh_geom *other, const rh_corner *p, bool first, rh_touch *t)
{
  rh_side *ref = first ? &t->a : &t->b;
  rh_side *inc = first ? &t->b : &t->a;
  bool of_ref = p->side != RH_NONE && p->edge >= RH_SIDE;
  ref->dim = of_ref ? 0 : 2;
  inc->dim = of_ref ? 2 : p->side == RH_NONE ? 0 : 1;
  if (inc->dim == 1) {
    inc->e = rh_mat3_column(&other->R, p->edge / 4);
  }
}

static int touch_faces(const sat *s, rh_vec3 normal, double margin, rh_touch *touch)
{
  bool first = s->axis < 3;
  side f = {.ref = first ? s->a : s->b, .k = first ? s->axis : s->axis - 3};
  rh_vec3 out = first ? rh_neg(normal) : normal; // of the reference
  int k = f.k;
  f.up = rh_dot(out, rh_mat3_column(&f.ref->R, k)) > 0;
  rh_box_face(f.ref, out, &f.face);
  rh_box_face(first ? s->b : s->a, rh_neg(out), &f.inc);
  rh_corner p[RH_CLIP_MAX];
  int n = clip_face(&f, p);
  double h = f.ref->par[k] / 2;
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (p[i].depth > -margin) {
      double x[3];
      x[(k + 1) % 3] = p[i].u;
      x[(k + 2) % 3] = p[i].v;
      x[k] = f.up ? h - p[i].depth / 2 : p[i].depth / 2 - h; // halfway between the surfaces
      rh_vec3 local = {x[0], x[1], x[2]};
      touch[count] = (rh_touch){.point = rh_add(f.ref->p, rh_rotate(&f.ref->R, local)),
                                .normal = normal,
                                .depth = p[i].depth,
                                .radius = HUGE_VAL,
                                .area = p[i].area,
                                .id = rh_corner_id(&p[i], &f.face, &f.inc, first)};
      put_sides(first ? s->b : s->a, &p[i], first, &touch[count++]);
    }
  }
  rh_touch_sort(touch, count);
  return count;
}

// Ties of this part of the size do not change the feature.
static const double STEADY = 1e-6;
static const double EXACT = 1e-12;

// Faces that lie on one another, but for this angle, meet in a polygon, also where two of their
// edges give the least depth: its corners are those edges' crossings, and it does not shrink to one
// of them when a lying box rocks.
static const double LYING =
    1 - 5e-5; // cosine of 10 mrad: the normal is that far from the true one at most

static double face_alignment(const sat *s, int axis, rh_vec3 n)
{
  rh_vec3 x = axis < 3 ? rh_mat3_column(&s->a->R, axis) : rh_mat3_column(&s->b->R, axis - 3);
  return fabs(rh_dot(x, n));
}

// Two edges cross: if faces of both lie across the normal, the face of the greater gap is the reference instead.
static void prefer_faces(sat *s)
{
  rh_vec3 n = normal_of(s);
  int best[2] = {0, 3};
  for (int i = 1; i < 6; i++) {
    int *at = &best[i / 3];
    *at = face_alignment(s, i, n) > face_alignment(s, *at, n) ? i : *at;
  }
  if (face_alignment(s, best[0], n) > LYING && face_alignment(s, best[1], n) > LYING) {
    double gap_a = face_gap(s, best[0]);
    double gap_b = face_gap(s, best[1]);
    s->axis = gap_b > gap_a + STEADY * size_of(s) ? best[1] : best[0];
  }
}

// The nearest points of parallel edges that pass each other, as one box slides off another: both ends of their common
// part, so that what is symmetric stays so. Returns the number of points.
static int spread_over_edges(const sat *s, rh_touch *touch)
{
  static const double PARALLEL = 1 - 1e-12; // cosine of 1.4e-6
  static const double ACROSS = 1e-6;
  for (int e = 0; e < 9; e++) {
    int i = e / 3;
    int j = e % 3;
    rh_vec3 u = rh_mat3_column(&s->a->R, i);
    double low = fmax(-s->ha[i], s->t[i] - s->hb[j]);
    double high = fmin(s->ha[i], s->t[i] + s->hb[j]);
    if (s->Q[i][j] > PARALLEL && fabs(rh_dot(u, touch->normal)) < ACROSS &&
        high - low > STEADY * s->ha[i]) {
      double at = rh_dot(u, rh_sub(touch->point, s->a->p));
      touch->a = rh_side_edge(u, 0);
      touch->b = rh_side_edge(rh_mat3_column(&s->b->R, j), 0);
      touch[1] = touch[0];
      touch[0].point = rh_addscaled(touch->point, low - at, u);
      touch[1].point = rh_addscaled(touch[1].point, high - at, u);
      touch[1].id = touch->id + 1;
      return 2;
    }
  }
  return 1;
}

int rh_touch_box_box(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch)
{
  sat s;
  prepare_axes(&s, a, b);
  test_faces(&s, STEADY);
  if (s.gap >= margin) {
    return 0;
  }
  test_edges(&s, margin, STEADY);
  if (s.gap >= margin) {
    return 0;
  }
  if (s.axis >= 6) {
    prefer_faces(&s);
  }
  rh_near near = {.gap = s.gap, .normal = normal_of(&s)};
  if (s.axis < 6) {
    int n = touch_faces(&s, near.normal, margin, touch);
    if (n > 0) {
      return n;
    }
  }
  if (s.gap > 0 ||
      s.axis < 6) { // apart, perhaps corner to corner: the axes do not give the distance
    rh_near_convex(a, b, &near);
    if (!rh_touch_one(a, b, &near, margin, touch)) {
      return 0;
    }
    touch->id = RH_ID_NEAREST;
    return spread_over_edges(&s, touch);
  }
  int id = near_edges(&s, &near);
  rh_touch_one(a, b, &near, margin, touch);
  touch->a = rh_side_edge(rh_mat3_column(&a->R, (s.axis - 6) / 3), 0);
  touch->b = rh_side_edge(rh_mat3_column(&b->R, (s.axis - 6) % 3), 0);
  touch->id = id;
  return 1;
}

void rh_near_box_box(const rh_geom *a, const rh_geom *b, rh_near *near)
{
  sat s;
  prepare_axes(&s, a, b);
  test_faces(&s, EXACT);
  if (s.gap <= 0) {
    test_edges(&s, HUGE_VAL, EXACT);
  }
  if (s.gap > 0) {
    rh_near_convex(a, b, near);
    return;
  }
  near->gap = s.gap;
  near->normal = normal_of(&s);
  if (s.axis >= 6) {
    near_edges(&s, near);
    return;
  }
  bool first = s.axis < 3; // the deepest corner of the other box
  const rh_geom *other = first ? b : a;
  rh_vec3 corner =
      rh_add(other->p, rh_geom_support(other, first ? near->normal : rh_neg(near->normal)));
  near->on_b = first ? corner : rh_addscaled(corner, -s.gap, near->normal);
  near->on_a = first ? rh_addscaled(corner, s.gap, near->normal) : corner;
}
