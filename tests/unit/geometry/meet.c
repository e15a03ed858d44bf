// unit_meet.c: contact points of time steps: closed forms of boxes that stand, lie and cross; every pair of shapes against rh_collide_surfaces
// and against the distance by GJK and EPA; the same from either side; names that last; nothing lost by thinning; sizes from
// a micrometre to ten kilometres.
#include "geometry/geometry.h"

#include "shapes.h"

// Sizes are some tenths of a metre and sums have some ten terms.
static const double ROUND = 1e-14;

static int points(piece *a, piece *b, double margin, rh_manifold *m)
{
  int n = rh_collide(placed(a), placed(b), margin, NULL, m);
  ck_assert_int_eq(n, m->n);
  ck_assert(n >= 0 &&
            n <= (rh_pair_sampled(placed(a), placed(b)) ? RH_TOUCH_MAX : RH_MANIFOLD_MAX));
  for (int i = 0; i < n; i++) {
    near_abs(rh_norm(m->at[i].normal), 1, 1e-12); // rounding of a normalisation
    ck_assert((-m->at[i].depth) < margin && m->at[i].id >= 0);
    ck_assert(i == 0 || m->at[i].id > m->at[i - 1].id);
  }
  return n;
}

static double least(const rh_manifold *m)
{
  double gap = HUGE_VAL;
  for (int i = 0; i < m->n; i++) {
    gap = fmin(gap, (-m->at[i].depth));
  }
  return gap;
}

// The area of the hull of the points, seen along z.
static double area_of(const rh_manifold *m)
{
  double area =
      0; // half the sum over the sides of the hull: pairs that have all others on one side
  for (int i = 0; i < m->n; i++) {
    for (int j = 0; j < m->n; j++) {
      rh_vec3 p = m->at[i].point;
      rh_vec3 s = rh_sub(m->at[j].point, p);
      bool side = i != j;
      for (int k = 0; k < m->n; k++) {
        rh_vec3 x = rh_sub(m->at[k].point, p);
        side = side && (k == i || k == j || s.x * x.y - s.y * x.x > 0);
      }
      area += side ? 0.5 * (p.x * (p.y + s.y) - p.y * (p.x + s.x)) : 0;
    }
  }
  return area;
}

// ---- closed forms

START_TEST(box_on_box)
{
  piece a = at(make("box", 0.2, 0.2, 0.2), 0, 0, 0.1999);
  piece b = make("box", 0.2, 0.2, 0.2);
  rh_manifold m;
  ck_assert_int_eq(points(&a, &b, 0.01, &m), 4); // one over the other: the corners of A
  for (int i = 0; i < 4; i++) {
    near_number((-m.at[i].depth), -1e-4, ROUND);
    near_vec(m.at[i].normal, rh_v3(0, 0, 1), 0);
    near_number(fabs(m.at[i].point.x), 0.1, ROUND);
    near_number(fabs(m.at[i].point.y), 0.1, ROUND);
    near_number(m.at[i].point.z, 0.1 - 0.5e-4, ROUND);
  }
  a.g.p = rh_v3(0.003, -0.004,
                0.2001); // beside: a corner of each and two crossings; apart, but within the margin
  ck_assert_int_eq(points(&a, &b, 1e-5, &m), 0);
  ck_assert_int_eq(points(&a, &b, 0.01, &m), 4);
  near_abs(area_of(&m), 0.197 * 0.196, ROUND);
  near_abs(least(&m), 1e-4, ROUND);
  a.g.p = rh_v3(0.05, 0, 0.2); // along one side: edges that coincide give no points twice
  ck_assert_int_eq(points(&a, &b, 0.01, &m), 4);
  near_abs(area_of(&m), 0.15 * 0.2, 2e-7); // to the slack of coinciding sides
  a = turned(at(a, 0, 0, 0.2), rh_v3(0, 0, 1), 0.78539816339744830962);
  ck_assert_int_eq(points(&a, &b, 0.01, &m), 8); // the octagon
  near_abs(area_of(&m), 8 * 0.01 * (sqrt(2) - 1), 1e-13);
}

END_TEST

START_TEST(box_edges)
{
  double q = 0.78539816339744830962;
  piece a = turned(make("box", 0.2, 0.2, 0.2), rh_v3(1, 0, 0), q);
  piece b = turned(make("box", 0.2, 0.2, 0.2), rh_v3(0, 1, 0), q);
  double h = 0.1 * sqrt(2);
  rh_manifold m;
  for (int k = 0; k < 3; k++) { // the edge of A along x over that of B along y: overlap, touch, gap
    double gap = 0.01 * (k - 1);
    a.g.p = rh_v3(0.02, -0.03, 2 * h + gap);
    ck_assert_int_eq(points(&a, &b, 0.02, &m), 1);
    near_number((-m.at[0].depth), gap, ROUND);
    near_vec(m.at[0].normal, rh_v3(0, 0, 1), ROUND);
    near_vec(m.at[0].point, rh_v3(0, -0.03 + 0.03, h + gap / 2), 0.11);
    near_number(m.at[0].point.z, h + gap / 2, ROUND);
  }
  a.g.p = rh_v3(0.11, 0, 2 * h + 0.05); // past the end of the edge: a corner over an edge, by GJK
  ck_assert_int_eq(points(&a, &b, 0.06, &m), 1);
  near_abs((-m.at[0].depth), hypot(0.01, 0.05), 1e-12);
}

END_TEST

START_TEST(on_a_plane)
{
  piece p = make("plane", 0, 0, 0);
  rh_manifold m;
  piece s = at(make("sphere", 0.3, 0, 0), 0.1, 0.2, 0.31);
  ck_assert_int_eq(points(&s, &p, 0.005, &m), 0);
  ck_assert_int_eq(points(&s, &p, 0.02, &m), 1);
  near_abs((-m.at[0].depth), 0.01, ROUND);
  near_vec(m.at[0].point, rh_v3(0.1, 0.2, 0.01), ROUND);
  ck_assert_int_eq(points(&p, &s, 0.02, &m),
                   1); // the other way round the normal points into the plane
  near_vec(m.at[0].normal, rh_v3(0, 0, -1), 0);
  piece b = at(make("box", 0.4, 0.6, 0.2), 1, 2, 0.099);
  b.par[RH_BOX_SAMPLES] = 16; // of the face below
  ck_assert_int_eq(points(&b, &p, 0.05, &m), 16);
  near_abs(least(&m), -0.001, ROUND);
  b.par[RH_BOX_SAMPLES] = 4;
  ck_assert_int_eq(points(&b, &p, 0.05, &m), 4);
  near_abs(area_of(&m), 0.24, ROUND);
  near_abs(least(&m), -0.001, ROUND);
  b = turned(b, rh_v3(0, 1, 0), 0.01);
  ck_assert_int_eq(points(&b, &p, 0.001, &m), 2);
  ck_assert_int_eq(points(&b, &p, 1, &m), 8);
  b.par[RH_BOX_SAMPLES] = 16; // all of them: rh_pair_sampled
  ck_assert_int_eq(rh_collide(placed(&b), placed(&p), 0.02, NULL, &m), 16);
  piece c =
      turned(at(make("capsule", 0.1, 0.5, 0), 0, 0, 0.1), rh_v3(0, 1, 0), 1.57079632679489661923);
  ck_assert_int_eq(points(&c, &p, 0.01, &m), 2);
  near_abs(rh_norm(rh_sub(m.at[1].point, m.at[0].point)), 0.5, ROUND);
  ck_assert_int_eq(points(&p, &p, 1, &m), 0);
}

END_TEST

// ---- every pair

static bool has(const rh_touch *touch, int n, const rh_touch *p, double tol)
{
  for (int i = 0; i < n; i++) {
    // Edges that cross apart have a name here, not there.
    if (touch[i].id == p->id || (touch[i].id == RH_ID_NEAREST && (-p->depth) > 0)) {
      return fabs(touch[i].depth + (-p->depth)) < tol &&
             rh_norm(rh_sub(touch[i].point, p->point)) < tol &&
             rh_norm(rh_sub(touch[i].normal, p->normal)) < tol;
    }
  }
  return false;
}

static const rh_shape *shape(int kind)
{
  int count;
  return rh_shape_table(&count)[kind];
}

// rh_collide_surfaces finds the same points. A box on a plane shows all its corners there too (four samples a face); where there are more than eight
// some of them stay.
START_TEST(as_rh_collide)
{
  dice d = {41};
  int seen = 0;
  for (int k = 0; k < rh_trials(40000); k++) {
    int kind[2] = {(int)roll(&d, 0, RH_SHAPE_FIELD - 0.001),
                   (int)roll(&d, 0, RH_SHAPE_FIELD - 0.001)};
    if (k % 2) {
      kind[0] = kind[1] = RH_SHAPE_BOX;
    }
    piece a = roll_piece(&d, kind[0], 0.2, 1);
    piece b = roll_piece(&d, kind[1], 0.2, 1);
    double margin = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.01 : 0.1;
    rh_touch touch[RH_TOUCH_MAX];
    rh_manifold m;
    int n = meet(&a, &b, margin, touch);
    points(&a, &b, margin, &m);
    if (m.n == 1 && m.at[0].id == RH_ID_NEAREST && touch[0].id != RH_ID_NEAREST) {
      near_number((-m.at[0].depth), apart(&a, &b),
                  1e-12); // apart, and the nearest points lie beside the faces
      continue;
    }
    int right = 0;
    for (int i = 0; i < m.n; i++) {
      right +=
          has(touch, n, &m.at[i],
              1e-11); // the same closed forms in another order; points of steep edges cost digits
    }
    if (right != m.n || m.n != (n < RH_MANIFOLD_MAX ? n : RH_MANIFOLD_MAX)) {
      ck_abort_msg("pair %d, %s and %s: %d of %d points are among %d", k, shape(kind[0])->row.name,
                   shape(kind[1])->row.name, right, m.n, n);
    }
    seen += m.n > 0;
  }
  ck_assert_int_gt(seen, rh_trials(10000));
}

END_TEST

// The least gap is the distance by GJK, or the depth by EPA to its accuracy. Faces within 10 mrad of each other meet as faces: their
// normal is that far off, and what that costs.
START_TEST(gaps_are_distances)
{
  dice d = {43};
  for (int k = 0; k < rh_trials(10000); k++) {
    piece a = roll_piece(&d, RH_SHAPE_BOX, 0.3, 1);
    piece b = roll_piece(&d, RH_SHAPE_BOX, 0.3, 1);
    rh_manifold m;
    rh_near near;
    points(&a, &b, 0.05, &m);
    rh_near_convex(placed(&a), placed(&b), &near);
    same_int(m.n > 0, near.gap < 0.05);
    if (m.n > 0) {
      near_number(least(&m), near.gap, near.gap > 0 ? 1e-6 : 1e-5);
    }
  }
}

END_TEST

// From the other side: the same points, the normals turned round.
START_TEST(either_side)
{
  dice d = {47};
  for (int k = 0; k < rh_trials(20000); k++) {
    int kind[2] = {(int)roll(&d, 0, RH_SHAPE_FIELD - 0.001),
                   (int)roll(&d, 0, RH_SHAPE_FIELD - 0.001)};
    piece a = roll_piece(&d, kind[0], 0.2, 1);
    piece b = roll_piece(&d, kind[1], 0.2, 1);
    rh_manifold m;
    rh_manifold w;
    int n = points(&a, &b, 0.02, &m);
    points(&b, &a, 0.02, &w);
    if (kind[0] == kind[1] &&
        kind[0] >= RH_SHAPE_CYLINDER) { // GJK and EPA: the point of a deep overlap may be another
      near_number(n ? least(&w) : 0, n ? least(&m) : 0, 1e-9);
      continue;
    }
    int right = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        right += rh_norm(rh_sub(m.at[i].point, w.at[j].point)) <
                     1e-7 && // round shapes: the root of rounding
                 rh_norm(rh_add(m.at[i].normal, w.at[j].normal)) < 1e-7;
      }
    }
    if (right < n) {
      ck_abort_msg("pair %d, %s and %s: %d of %d points", k, shape(kind[0])->row.name,
                   shape(kind[1])->row.name, right, n);
    }
  }
}

END_TEST

// ---- hulls

// The same box as the hull of its corners.
static piece hull_of(const piece *box, rh_hull **hull)
{
  rh_vec3 corner[8];
  for (int i = 0; i < 8; i++) {
    corner[i] = rh_v3(i & 1 ? box->par[0] / 2 : -box->par[0] / 2,
                      i & 2 ? box->par[1] / 2 : -box->par[1] / 2,
                      i & 4 ? box->par[2] / 2 : -box->par[2] / 2);
  }
  ck_assert_int_eq(rh_hull_create(corner, 8, RH_HULL_TOLERANCE, hull, NULL), RH_OK);
  piece p = make("hull", 0, 0, 0);
  p.g.R = box->g.R;
  p.g.p = box->g.p;
  p.g.mesh = *hull;
  return p;
}

// Two routes to one answer: faces of hulls, found by GJK or EPA, and those of boxes. Names are the corners' numbers in
// both, so that those of corners agree too.
static void hulls_as_boxes(piece *a, piece *b, double tol, int *same)
{
  rh_hull *hull[2];
  piece ha = hull_of(a, &hull[0]);
  piece hb = hull_of(b, &hull[1]);
  rh_manifold m;
  rh_manifold w[3];
  points(a, b, 0.02, &m);
  points(&ha, &hb, 0.02, &w[0]);
  points(a, &hb, 0.02, &w[1]);
  points(&ha, b, 0.02, &w[2]);
  for (int k = 0; k < 3; k++) {
    same_int(w[k].n > 0, m.n > 0);
    // Axes that are as good as each other to within 1e-6 of the half sides, six of 0.2 at most.
    near_number(m.n ? least(&w[k]) : 0, m.n ? least(&m) : 0, 1.2e-6);
    int right = 0;
    for (int i = 0; i < m.n; i++) {
      for (int j = 0; j < w[k].n; j++) {
        right += rh_norm(rh_sub(m.at[i].point, w[k].at[j].point)) < tol;
      }
    }
    *same += right == m.n && w[k].n == m.n;
  }
  rh_free(hull[0]);
  rh_free(hull[1]);
}

START_TEST(hulls_meet_as_boxes_do)
{
  dice d = {73};
  int same = 0;
  for (int k = 0; k < 1500; k++) {
    piece a = roll_piece(&d, RH_SHAPE_BOX, 0.2, 1);
    piece b = roll_piece(&d, RH_SHAPE_BOX, 0.2, 1);
    hulls_as_boxes(&a, &b, 1e-8, &same);
  }
  ck_assert_int_ge(
      same, 4455); // of 4500: where two axes are nearly as good as each other the choice is free
  same = 0;
  for (int k = 0; k < 300; k++) { // standing on one another, a little tilted
    piece b = roll_piece(&d, RH_SHAPE_BOX, 0, 1);
    piece a = make("box", roll(&d, 0.1, 0.4), roll(&d, 0.1, 0.4), roll(&d, 0.1, 0.4));
    rh_xform pose = {b.g.R, rh_v3(0, 0, 0)};
    b.g.R = rh_mat3_identity();
    a = turned(turned(a, rh_v3(0, 0, 1), roll(&d, 0, 3)), roll_unit(&d), 1e-3);
    a.g.p = rh_v3(roll(&d, -0.02, 0.02), roll(&d, -0.02, 0.02), (a.par[2] + b.par[2]) / 2);
    a = moved(a, &pose);
    b = moved(b, &pose);
    hulls_as_boxes(&a, &b, 1e-6,
                   &same); // either face may be the reference: the tilt squared, of 0.4 m
  }
  ck_assert_int_eq(same, 900);
}

END_TEST

// ---- names

// How many points there are; they keep their names while `a` trembles by `tremble` [m, rad].
static int trembling_points(dice *d, piece *a, piece *b, double tremble, int steps)
{
  rh_manifold first;
  int n = points(a, b, 1e-3, &first);
  for (int step = 0; step < steps; step++) {
    piece now = turned(*a, roll_unit(d), tremble);
    now.g.p = rh_add(a->g.p, roll_vec(d, tremble));
    rh_manifold m;
    same_int(points(&now, b, 1e-3, &m), n);
    for (int i = 0; i < n; i++) {
      same_int(m.at[i].id, first.at[i].id);
    }
  }
  return n;
}

// A box that stands on another and trembles by less than it overlaps keeps the names of its points, wherever it stands.
START_TEST(names_last)
{
  dice d = {53};
  for (int k = 0; k < 300; k++) {
    piece b = roll_piece(&d, RH_SHAPE_BOX, 0, 1);
    piece a = make("box", 0.1 + b.par[0], roll(&d, 0.1, 0.4), roll(&d, 0.1, 0.3));
    a = turned(a, rh_v3(0, 0, 1), roll(&d, 0, 3));
    a.g.p = rh_v3(roll(&d, -0.02, 0.02), roll(&d, -0.02, 0.02), (a.par[2] + b.par[2]) / 2);
    rh_xform pose = {b.g.R, rh_v3(0, 0, 0)};
    b.g.R = rh_mat3_identity();
    piece a0 = moved(a, &pose);
    piece b0 = moved(b, &pose);
    ck_assert_int_ge(trembling_points(&d, &a0, &b0, 1e-9, 30), 4);
  }
}

END_TEST

// The same of boxes that lie exactly one over the other, where every feature coincides with one of the other box.
START_TEST(names_last_where_all_coincides)
{
  dice d = {59};
  piece b = make("box", 0.2, 0.3, 0.1);
  piece a = at(make("box", 0.2, 0.3, 0.1), 0, 0, 0.1);
  for (int turn = 0; turn < 20; turn++) {
    rh_xform pose = {roll_turn(&d), roll_vec(&d, 3)};
    piece a0 = moved(a, &pose);
    piece b0 = moved(b, &pose);
    same_int(trembling_points(&d, &a0, &b0, 1e-8, 50), 4);
  }
}

END_TEST

// ---- thinning

START_TEST(thinning_keeps_the_hull)
{
  dice d = {61};
  for (int k = 0; k < 2000; k++) {
    piece b = make("box", roll(&d, 0.1, 0.4), roll(&d, 0.1, 0.4), 0.2);
    piece a = turned(make("box", roll(&d, 0.1, 0.4), roll(&d, 0.1, 0.4), 0.2), rh_v3(0, 0, 1),
                     roll(&d, 0, 3));
    a.g.p = rh_v3(roll(&d, -0.05, 0.05), roll(&d, -0.05, 0.05), 0.2);
    a = turned(a, rh_v3(1, 0, 0), 1e-4);
    rh_manifold all;
    int n = points(&a, &b, 0.01, &all);
    rh_manifold m = all;
    rh_manifold_thin(&m, 4);
    same_int(m.n, n < 4 ? n : 4);
    near_number(least(&m), least(&all), 0);
    // Of an octagon four corners may leave out 1 - 1/sqrt(2) of the area; the choice one after the other is not always the best four.
    ck_assert(n < 4 || area_of(&m) > 0.6 * area_of(&all));
    rh_manifold_thin(&m, 1);
    same_int(m.n, n > 0);
    near_number(least(&m), least(&all), 0);
  }
}

END_TEST

// ---- what was kept from last time

START_TEST(the_cache_does_not_show)
{
  dice d = {67};
  int apart_twice = 0;
  for (int k = 0; k < 300; k++) {
    piece a = roll_piece(&d, (int)roll(&d, RH_SHAPE_BOX, RH_SHAPE_FIELD - 0.001), 0.3, 1);
    piece b = roll_piece(&d, (int)roll(&d, RH_SHAPE_CYLINDER, RH_SHAPE_FIELD - 0.001), 0.3, 1);
    rh_vec3 way = roll_vec(&d, 0.02);
    rh_pair_cache cache = {{0, 0, 0}};
    for (int step = 0; step < 40; step++) {
      rh_manifold m;
      rh_manifold w;
      int n = points(&a, &b, 0.01, &m);
      apart_twice += rh_norm(cache.axis) > 0 && n == 0;
      same_int(rh_collide(placed(&a), placed(&b), 0.01, &cache, &w), n);
      for (int i = 0; i < n; i++) {
        near_vec(w.at[i].point, m.at[i].point, 0);
        near_vec(w.at[i].normal, m.at[i].normal, 0);
        near_number((-w.at[i].depth), (-m.at[i].depth), 0);
        same_int(w.at[i].id, m.at[i].id);
      }
      a = turned(a, way, 0.05);
      a.g.p = rh_add(a.g.p, way);
    }
  }
  ck_assert_int_gt(apart_twice, 1000);
}

END_TEST

// ---- any sizes

// [m] the largest gap over the fifteen axes, the long way
static double largest_gap(const rh_geom *a, const rh_geom *b)
{
  double most = -HUGE_VAL;
  for (int i = 0; i < 15; i++) {
    rh_vec3 u = i < 6 ? rh_mat3_column(i < 3 ? &a->R : &b->R, i % 3)
                      : rh_cross(rh_mat3_column(&a->R, (i - 6) / 3), rh_mat3_column(&b->R, i % 3));
    double length = rh_norm(u);
    if (length < 1e-5) {
      continue;
    }
    double gap = fabs(rh_dot(u, rh_sub(a->p, b->p)));
    for (int k = 0; k < 3; k++) {
      gap -= fabs(rh_dot(u, rh_mat3_column(&a->R, k))) * a->par[k] / 2;
      gap -= fabs(rh_dot(u, rh_mat3_column(&b->R, k))) * b->par[k] / 2;
    }
    most = fmax(most, gap / length);
  }
  return most;
}

// Boxes from a micrometre to ten kilometres, thin as paper, far from the origin, aligned or nearly: no point that is not a number, none
// farther from the boxes than half its gap, no overlap missed.
START_TEST(any_size)
{
  dice d = {71};
  for (int k = 0; k < rh_trials(30000); k++) {
    piece p[2];
    double size = 0;
    for (int i = 0; i < 2; i++) {
      double s[3];
      for (int j = 0; j < 3; j++) {
        s[j] = pow(10, k % 2 ? roll(&d, -6, 4) : roll(&d, -2, 0));
        size = fmax(size, s[j]);
      }
      p[i] = make("box", s[0], s[1], s[2]);
      double turn = pow(10, roll(&d, -17, 0.5));
      p[i] = turned(p[i], roll_unit(&d), k % 5 ? turn : 0);
    }
    p[1].g.p = roll_vec(&d, 0.6 * size);
    rh_vec3 far = roll_vec(&d, k % 3 ? 0 : 1000 * size);
    for (int i = 0; i < 2; i++) {
      p[i].g.p = rh_add(p[i].g.p, far);
    }
    rh_manifold m;
    double margin = roll(&d, 0, 0.1) * size;
    int n = points(&p[0], &p[1], margin, &m);
    double overlap = largest_gap(placed(&p[0]), placed(&p[1]));
    double tol = 1e-9 * size + (k % 3 ? 0 : 1e-12 * 1000 * size);
    ck_assert(n > 0 || overlap >= -tol); // those that overlap are never missed
    for (int i = 0; i < n; i++) {
      const rh_touch *x = &m.at[i];
      ck_assert(isfinite((-x->depth)) && isfinite(x->point.x + x->point.y + x->point.z));
      for (int j = 0; j < 2; j++) {
        rh_vec3 own = rh_unrotate(&p[j].g.R, rh_sub(x->point, p[j].g.p));
        double out = fmax(fabs(own.x) - p[j].par[0] / 2,
                          fmax(fabs(own.y) - p[j].par[1] / 2, fabs(own.z) - p[j].par[2] / 2));
        ck_assert_msg(out <= fabs((-x->depth)) / 2 + tol + 2e-6 * size,
                      "pair %d: %g beyond, gap %g", k, out, (-x->depth));
      }
    }
  }
}

END_TEST

// Every pair of shapes, of sizes from micrometres to hundreds of metres, one up to a thousand times the other: points are numbers and
// lie where the shapes are. The gap of convex shapes is their distance, also where the one is tiny.
START_TEST(any_size_of_any_shape)
{
  dice d = {79};
  for (int k = 0; k < rh_trials(6000); k++) {
    int kind[2] = {(int)roll(&d, 0, RH_SHAPE_FIELD - 0.001),
                   (int)roll(&d, 1, RH_SHAPE_FIELD - 0.001)};
    double scale = pow(10, roll(&d, -5, 3));
    double ratio = pow(10, roll(&d, -3, 0));
    piece b = roll_piece(&d, kind[0], 0, scale);
    piece a = roll_piece(&d, kind[1], 0, kind[1] == RH_SHAPE_HULL ? 1 : ratio * scale);
    if (kind[1] == RH_SHAPE_HULL || kind[0] == RH_SHAPE_HULL) { // hulls come in one size
      scale = 1;
      b = roll_piece(&d, kind[0], 0, 1);
      a = roll_piece(&d, kind[1], 0, kind[1] == RH_SHAPE_HULL ? 1 : ratio);
    }
    a.g.p = roll_vec(&d, 0.25 * scale);
    rh_manifold m;
    double margin = roll(&d, 0, 0.05) * scale;
    int n = points(&a, &b, margin, &m);
    for (int i = 0; i < n; i++) {
      rh_vec3 x = m.at[i].point;
      ck_assert_msg(isfinite(x.x + x.y + x.z + (-m.at[i].depth)) && rh_norm(x) < 2 * scale,
                    "pair %d, %s and %s", k, shape(kind[1])->row.name, shape(kind[0])->row.name);
    }
    double distance = apart(&a, &b);
    if ((distance < 0.999 * margin) != (n > 0) && fabs(distance - margin) > 1e-3 * scale) {
      ck_abort_msg("pair %d, %s and %s: %d points, distance %g, margin %g", k,
                   shape(kind[1])->row.name, shape(kind[0])->row.name, n, distance, margin);
    }
  }
}

END_TEST

Suite *rh_suite_unit_meet(void)
{
  Suite *suite = suite_create("unit_meet");
  TCase *tcase = tcase_create("meet");
  tcase_add_test(tcase, box_on_box);
  tcase_add_test(tcase, box_edges);
  tcase_add_test(tcase, on_a_plane);
  tcase_add_test(tcase, as_rh_collide);
  tcase_add_test(tcase, gaps_are_distances);
  tcase_add_test(tcase, either_side);
  tcase_add_test(tcase, hulls_meet_as_boxes_do);
  tcase_add_test(tcase, names_last);
  tcase_add_test(tcase, names_last_where_all_coincides);
  tcase_add_test(tcase, thinning_keeps_the_hull);
  tcase_add_test(tcase, the_cache_does_not_show);
  tcase_add_test(tcase, any_size);
  tcase_add_test(tcase, any_size_of_any_shape);
  suite_add_tcase(suite, tcase);
  return suite;
}
