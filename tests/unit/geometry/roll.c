// unit_roll.c: second-order kinematics of contact points: rh_touch_roll against closed forms, and for every ordered pair of
// shapes against differences of rh_collide_surfaces along a motion of both bodies.
#include "geometry/heightfield.h"
#include "shapes.h"

typedef struct flight { // a body that moves freely about the origin of its shape: v and w stay
  rh_vec3 v, w;
} flight;

static piece after(const piece *p, const flight *f, double t)
{
  piece q = *p;
  double rate = rh_norm(f->w);
  if (rate > 0) {
    q = turned(q, f->w, rate * t);
  }
  q.g.p = rh_addscaled(p->g.p, t, f->v);
  return q;
}

static rh_vec3 velocity(const piece *p, const flight *f, rh_vec3 x)
{
  return rh_add(f->v, rh_cross(f->w, rh_sub(x, p->g.p)));
}

static rh_vec3 acceleration(const piece *p, const flight *f, rh_vec3 x)
{
  return rh_cross(f->w, rh_cross(f->w, rh_sub(x, p->g.p)));
}

typedef struct rates {   // of one contact point, at depth 0
  double depth1, depth2; // [m/s], [m/s^2]
  rh_vec3 normal;        // [1/s]
  rh_vec3 point;         // [m/s]
} rates;

typedef struct scene {
  piece a, b;
  flight fa, fb;
} scene;

// A plane's or heightfield's contact points lie on the other shape, all others halfway.
static bool is_ground(const piece *p)
{
  int k = rh_shape_number(p->g.kind);
  return k == RH_SHAPE_PLANE || k == RH_SHAPE_FIELD;
}

static rates rates_of(const scene *s, const rh_touch *t, rh_roll *roll)
{
  rh_vec3 va = velocity(&s->a, &s->fa, t->point);
  rh_vec3 vb = velocity(&s->b, &s->fb, t->point);
  rh_vec3 u = rh_sub(va, vb);
  rh_vec3 n = t->normal;
  double un = rh_dot(n, u);
  ck_assert(rh_touch_roll(t, s->fa.w, s->fb.w, rh_addscaled(u, -un, n), roll));
  rh_vec3 du = rh_sub(acceleration(&s->a, &s->fa, t->point), acceleration(&s->b, &s->fb, t->point));
  du = rh_add(du, rh_sub(rh_cross(s->fa.w, roll->ca), rh_cross(s->fb.w, roll->cb)));
  rh_vec3 xa = rh_add(va, roll->ca);
  rh_vec3 xb = rh_add(vb, roll->cb);
  rates r = {-un, -rh_dot(roll->ndot, u) - rh_dot(n, du), roll->ndot, {0, 0, 0}};
  r.point = is_ground(&s->b) ? xa : is_ground(&s->a) ? xb : rh_scale(0.5, rh_add(xa, xb));
  return r;
}

// ---- closed forms

// The sides a collider gave for a touching pair, and how its point moves. Both shapes stand where they touch.
static rates rolling(scene *s, rh_touch *t, rh_roll *roll)
{
  rh_touch all[RH_TOUCH_MAX];
  int n = meet(&s->a, &s->b, 1e-6, all);
  ck_assert_int_ge(n, 1);
  *t = all[0];
  return rates_of(s, t, roll);
}

// Rolling without slip, and any spin: the depth stays 0, the contact stays below the centre. What is left is rounding.
START_TEST(sphere_rolls_on_plane)
{
  double r = 0.3;
  double w = 2;
  scene s = {at(make("sphere", r, 0, 0), 0, 0, r),
             make("plane", 0, 0, 0),
             {{r * w, 0, 0}, {0, w, 7}},
             {{0, 0, 0}, {0, 0, 0}}};
  rh_touch t;
  rh_roll roll;
  rates x = rolling(&s, &t, &roll);
  near_abs(x.depth1, 0, 1e-15);
  near_abs(x.depth2, 0, 1e-14);
  near_vec(x.normal, rh_v3(0, 0, 0), 1e-15);
  near_vec(roll.ca, rh_v3(r * w, 0, 0), 1e-15);
  near_vec(roll.cb, rh_v3(r * w, 0, 0), 1e-15);
}

END_TEST

// The gap is |x| - ra - rb, whatever the spins: its second derivative is (v^2 - (n.v)^2) / |x|, n turns with v_t / |x|.
START_TEST(sphere_meets_sphere)
{
  dice d = {3};
  for (int k = 0; k < 100; k++) {
    double ra = roll(&d, 0.1, 2);
    double rb = roll(&d, 0.1, 2);
    rh_vec3 n = roll_unit(&d);
    scene s = {.a = make("sphere", ra, 0, 0), .b = make("sphere", rb, 0, 0)};
    s.a.g.p = rh_scale(ra + rb, n);
    s.fa = (flight){roll_vec(&d, 1), roll_vec(&d, 5)};
    s.fb = (flight){roll_vec(&d, 1), roll_vec(&d, 5)};
    rh_touch t;
    rh_roll roll;
    rates x = rolling(&s, &t, &roll);
    rh_vec3 v = rh_sub(s.fa.v, s.fb.v);
    double vn = rh_dot(v, n);
    near_number(x.depth1, -vn, 1e-13);
    near_number(x.depth2, -(rh_dot(v, v) - vn * vn) / (ra + rb), 1e-11);
    near_vec(x.normal, rh_scale(1 / (ra + rb), rh_addscaled(v, -vn, n)), 1e-12);
  }
}

END_TEST

// A box on one corner, as a rod on its end: the corner goes round the centre, which moves along the ground.
START_TEST(corner_on_plane)
{
  double half = 0.5;
  double angle = 0.4;
  scene s = {turned(make("box", 0.2, 0.3, 1), rh_v3(1, 2, 0), angle),
             make("plane", 0, 0, 0),
             {{0.3, 0, 0}, {0, 3, 0}},
             {{0, 0, 0}, {0, 0, 0}}};
  s.a.g.p.z = -rh_geom_support(placed(&s.a), rh_v3(0, 0, -1)).z;
  rh_touch t;
  rh_roll roll;
  rates x = rolling(&s, &t, &roll);
  rh_vec3 corner = rh_sub(t.point, s.a.g.p);
  ck_assert(corner.z < -half * cos(angle)); // the lowest
  ck_assert_int_eq(t.a.dim, 0);
  near_abs(x.depth1, 3 * corner.x, 1e-14); // v = w x r: z rate is -3 x
  near_abs(x.depth2, 9 * corner.z, 1e-13); // the corner turns about the centre: z'' = -9 z
  near_vec(roll.ca, rh_v3(0, 0, 0), 0);
}

END_TEST

// A thin coin that leans at a fixed angle, turns about the vertical with W and rolls with `spin` about its axis: the height of
// its centre stays, and so does the depth 0. The contact runs around the rim with r spin.
START_TEST(coin_rolls_in_a_circle)
{
  double r = 0.2;
  double lean = 0.5; // between the axis and the horizontal
  double W = 1.3;
  double spin = 4;
  scene s = {turned(make("cylinder", r, 1e-3, 0), rh_v3(0, 1, 0), 1.5707963267948966 - lean),
             make("plane", 0, 0, 0),
             {{0, 0, 0}, {0, 0, 0}},
             {{0, 0, 0}, {0, 0, 0}}};
  rh_vec3 axis = rh_mat3_column(&s.a.g.R, 2);
  s.fa.w = rh_addscaled(rh_v3(0, 0, W), spin, axis);
  rh_vec3 low = rh_geom_support(placed(&s.a), rh_v3(0, 0, -1));
  s.a.g.p.z = -low.z;
  rh_vec3 v = rh_neg(rh_cross(s.fa.w, low)); // no slip
  s.fa.v = v;
  rh_touch t;
  rh_roll roll;
  rates x = rolling(&s, &t, &roll);
  ck_assert_int_eq(t.a.dim, 1);
  near_abs(t.a.k1, cos(lean) / r, 1e-14);
  near_abs(x.depth1, 0, 1e-15);
  near_vec(roll.cb, roll.ca, 1e-15);
  near_abs(rh_norm(roll.ca), r * spin, 1e-14);
  // In that motion w turns with W. Here it stays, so what the lowest point has from alpha = W x w is lacking.
  rh_vec3 alpha = rh_cross(rh_v3(0, 0, W), s.fa.w);
  near_abs(x.depth2, rh_cross(alpha, low).z, 1e-14);
}

END_TEST

// ---- differences

static const rh_heightfield *some_field(void)
{
  static rh_heightfield *field;
  if (!field) {
    enum { SIDE = 7 };

    dice d = {5};
    double h[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
      h[i] = roll(&d, -0.1, 0.1);
    }
    ck_assert_int_eq(rh_heightfield_create(SIDE, SIDE, (double[2]){2, 2}, h, &field, NULL), RH_OK);
  }
  return field;
}

static piece some_piece(dice *d, int kind)
{
  piece p = roll_piece(d, kind, kind == RH_SHAPE_FIELD || kind == RH_SHAPE_PLANE ? 0 : 0.2, 1);
  if (kind == RH_SHAPE_FIELD) {
    p.g.mesh = some_field();
    p.g.R = rh_mat3_identity();
  }
  return p;
}

static int deepest_at(const rh_touch *t, int n)
{
  int best = 0;
  for (int i = 1; i < n; i++) {
    best = t[i].depth > t[best].depth ? i : best;
  }
  return best;
}

// Moves A along the normal until the deepest point has depth 0. False: they do not come together.
static bool bring_together(scene *s, rh_touch *t)
{
  if (is_ground(&s->a) || is_ground(&s->b)) { // above the ground
    piece *up = is_ground(&s->a) ? &s->b : &s->a;
    const piece *ground = is_ground(&s->a) ? &s->a : &s->b;
    rh_vec3 z = rh_mat3_column(&ground->g.R, 2);
    up->g.p = rh_addscaled(up->g.p, 0.1 - rh_dot(z, rh_sub(up->g.p, ground->g.p)), z);
  }
  for (int k = 0; k < 50; k++) {
    rh_touch all[RH_TOUCH_MAX];
    int n = meet(&s->a, &s->b, 0.3, all);
    if (n == 0) {
      return false;
    }
    *t = all[deepest_at(all, n)];
    if (fabs(t->depth) < 1e-12) {
      return true;
    }
    s->a.g.p = rh_addscaled(s->a.g.p, t->depth, t->normal);
  }
  return false;
}

// Is it the same place? An edge or a straight side then also has the direction it had, turned with its body.
static bool same_side(const rh_side *x, const rh_side *y)
{
  return x->dim == y->dim && fabs(x->k1 - y->k1) < 0.2 * fmax(x->k1, x->k2) + 1e-12 &&
         (x->dim != 1 || fabs(rh_dot(x->e, y->e)) > 0.99);
}

static bool find(const scene *s, double time, const rh_touch *like, rh_touch *t)
{
  scene m = *s;
  m.a = after(&s->a, &s->fa, time);
  m.b = after(&s->b, &s->fb, time);
  rh_touch all[RH_TOUCH_MAX];
  int n = meet(&m.a, &m.b, 0.1, all);
  int which = RH_NONE;
  for (int i = 0; i < n; i++) {
    which = all[i].id == like->id ? i : which;
  }
  which = which == RH_NONE && n == 1 ? 0 : which;
  if (which == RH_NONE || !same_side(&like->a, &all[which].a) ||
      !same_side(&like->b, &all[which].b)) {
    return false;
  }
  *t = all[which];
  return rh_dot(t->normal, like->normal) > 0.9;
}

enum { REACH = 3 }; // central differences of order 6

static const double first_rule[REACH] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
static const double second_rule[REACH] = {3.0 / 2, -3.0 / 20, 1.0 / 90};

static const double middle_rule[REACH] = {3.0 / 4, -3.0 / 10, 1.0 / 20};

typedef struct differences {
  rates rates;
  rh_vec3 normal, point; // at depth 0, as the neighbours have it
} differences;

static bool difference(const scene *s, const rh_touch *mid, double h, differences *r)
{
  *r = (differences){.normal = {0, 0, 0}};
  for (int k = 1; k <= REACH; k++) {
    rh_touch up;
    rh_touch down;
    if (!find(s, k * h, mid, &up) || !find(s, -k * h, mid, &down)) {
      return false;
    }
    double c = first_rule[k - 1] / h;
    double m = middle_rule[k - 1];
    rates *x = &r->rates;
    x->depth1 += c * (up.depth - down.depth);
    x->depth2 += second_rule[k - 1] / (h * h) * (up.depth + down.depth - 2 * mid->depth);
    x->normal = rh_addscaled(x->normal, c, rh_sub(up.normal, down.normal));
    x->point = rh_addscaled(x->point, c, rh_sub(up.point, down.point));
    r->normal = rh_addscaled(r->normal, m, rh_add(up.normal, down.normal));
    r->point = rh_addscaled(r->point, m, rh_add(up.point, down.point));
  }
  return true;
}

// What the collider itself leaves open, so that a difference tells nothing about the formulas: where it draws a round cap
// as an octagon, and an edge crosses a side of that; and the point of a curved shape over a heightfield that was chosen by
// another facet than the one it then meets (it is not the lowest along the normal).
static bool is_drawn(scene *s, const rh_touch *t)
{
  int i = rh_shape_number(s->a.g.kind);
  int j = rh_shape_number(s->b.g.kind);
  if ((i == RH_SHAPE_CYLINDER || j == RH_SHAPE_CYLINDER) && t->id >= RH_ID_EDGES &&
      t->id != RH_ID_NEAREST) {
    return true;
  }
  if (i != RH_SHAPE_FIELD && j != RH_SHAPE_FIELD) {
    return false;
  }
  piece *p = i == RH_SHAPE_FIELD ? &s->b : &s->a;
  rh_vec3 down = i == RH_SHAPE_FIELD ? t->normal : rh_neg(t->normal);
  double low = rh_dot(down, rh_geom_support(placed(p), down)) + rh_geom_rounding(&p->g);
  int k = rh_shape_number(p->g.kind);
  return (k == RH_SHAPE_CYLINDER || k == RH_SHAPE_ELLIPSOID) &&
         low - rh_dot(down, rh_sub(t->point, p->g.p)) > 1e-9;
}

typedef struct bar { // largest difference allowed
  double depth1, depth2, normal, point;
} bar;

static bool is_within(const rates *x, const rates *y, double part, const bar *b)
{
  return fabs(x->depth1 - y->depth1) < part * b->depth1 &&
         fabs(x->depth2 - y->depth2) < part * b->depth2 &&
         rh_norm(rh_sub(x->normal, y->normal)) < part * b->normal &&
         rh_norm(rh_sub(x->point, y->point)) < part * b->point;
}

// Curved shapes that GJK and EPA search for; all others are in closed form, or have edges to go by.
static bool is_searched(int i, int j)
{
  int low = i < j ? i : j;
  int high = i < j ? j : i;
  bool grounds = low == RH_SHAPE_PLANE || high == RH_SHAPE_FIELD;
  bool curved = low == RH_SHAPE_ELLIPSOID || high == RH_SHAPE_ELLIPSOID ||
                ((low == RH_SHAPE_CYLINDER || high == RH_SHAPE_CYLINDER) && low != RH_SHAPE_SPHERE);
  return !grounds && curved;
}

typedef struct tally {
  int sides[3][3]; // trials by the dimensions of the sides
  int drawn;       // left out, see is_drawn
  int changed;     // left out: no smooth stretch
  int blurred;     // left out: the collider has the point or normal at depth 0 worse than beside it
  int tested;
} tally;

static void one_trial(dice *d, int i, int j, tally *n)
{
  scene s = {.a = some_piece(d, i), .b = some_piece(d, j)};
  s.fa = (flight){roll_vec(d, 0.3), roll_vec(d, 2)};
  s.fb = (flight){roll_vec(d, 0.3), roll_vec(d, 2)};
  rh_touch t;
  if (!bring_together(&s, &t)) {
    return;
  }
  if (is_drawn(&s, &t)) {
    n->drawn++;
    return;
  }
  // Rates are some 10/s at most (0.5 m/s over a radius of 0.05 m): order 6 leaves (10 h)^6 = 1e-12 of them. The depth is
  // rounded at 1e-16 and divided by h^2: 1e-10. A search has depths to 1e-11, directions to 1e-6 and points to 1e-7,
  // which over h, twice, are the other bars.
  static const double H = 1e-3;
  static const bar closed = {1e-8, 1e-7, 1e-7, 1e-6};
  static const bar searched = {1e-5, 1e-3, 1e-2, 1e-3};
  const bar *b = is_searched(i, j) ? &searched : &closed;
  differences want;
  differences other;
  if (!difference(&s, &t, H, &want) || !difference(&s, &t, 0.7 * H, &other) ||
      !is_within(&want.rates, &other.rates, 0.5, b)) { // another facet, edge or end within the step
    n->changed++;
    return;
  }
  if (rh_norm(rh_sub(want.normal, t.normal)) > 1e-5 ||
      rh_norm(rh_sub(want.point, t.point)) > 1e-6) {
    n->blurred++; // at depth 0 GJK has less to go by than a step away
    return;
  }
  rh_roll roll;
  rates got = rates_of(&s, &t, &roll);
  n->tested++;
  n->sides[t.a.dim][t.b.dim]++;
  ck_assert_msg(is_within(&got, &want.rates, 1, b),
                "%d %d, sides %d %d, id %x: depth %g %g off, normal %g, point %g", i, j, t.a.dim,
                t.b.dim, (unsigned)t.id, got.depth1 - want.rates.depth1,
                got.depth2 - want.rates.depth2, rh_norm(rh_sub(got.normal, want.rates.normal)),
                rh_norm(rh_sub(got.point, want.rates.point)));
}

// Most trials must count: four in five where the collider has closed forms, more than half of the others.
START_TEST(every_pair)
{
  enum { TRIALS = 200 };

  tally all = {.drawn = 0};
  for (int k = 1; k < RH_SHAPES * RH_SHAPES; k++) {
    int i = k / RH_SHAPES;
    int j = k % RH_SHAPES;
    bool grounds = (i == RH_SHAPE_PLANE || i == RH_SHAPE_FIELD) &&
                   (j == RH_SHAPE_PLANE || j == RH_SHAPE_FIELD);
    dice d = {(uint64_t)k + 1};
    tally n = {.drawn = 0};
    for (int trial = 0; trial < TRIALS && !grounds; trial++) {
      one_trial(&d, i, j, &n);
    }
    for (int q = 0; q < 9; q++) {
      all.sides[q / 3][q % 3] += n.sides[q / 3][q % 3];
    }
    bool enough = n.tested >= (n.drawn ? 0.5 : 0.8) * TRIALS && n.blurred <= 0.02 * TRIALS;
    ck_assert_msg(grounds || enough, "%d %d: %d tested, %d drawn, %d changed, %d blurred", i, j,
                  n.tested, n.drawn, n.changed, n.blurred);
  }
  int each[] = {all.sides[0][2], all.sides[2][0], all.sides[1][1],
                all.sides[1][2], all.sides[2][1], all.sides[2][2]};
  for (int q = 0; q < RH_COUNT(each); q++) { // the others are singular and no random pose has them
    ck_assert_int_ge(each[q], 300);
  }
}

END_TEST

static double curvature_of(const rh_side *s)
{
  return s->k1 * s->k2 > 0 ? sqrt(s->k1 * s->k2) : fmax(s->k1, s->k2);
}

// The radius is that of the sides where both are smooth: 1 / (sum of their curvatures), of an ellipsoid the geometric mean.
START_TEST(radius_agrees)
{
  dice d = {41};
  int both = 0;
  for (int k = 1; k < RH_SHAPE_FIELD * RH_SHAPE_FIELD; k++) {
    for (int trial = 0; trial < 50; trial++) {
      scene s = {.a = some_piece(&d, k / RH_SHAPE_FIELD), .b = some_piece(&d, k % RH_SHAPE_FIELD)};
      rh_touch t;
      if (bring_together(&s, &t) && !is_drawn(&s, &t) && t.a.dim == 2 && t.b.dim == 2) {
        // A normal that is off by 1e-4 from a cylinder's side, by GJK, changes a part of 1e-8 of the radius.
        double k_sum = curvature_of(&t.a) + curvature_of(&t.b);
        near_number(1 / t.radius, k_sum, 1e-7 * k_sum);
        both++;
      }
    }
  }
  ck_assert_int_ge(both, 500);
}

END_TEST

// ---- flat contacts: sides that leave the point open

typedef struct
    glide { // of A in the frame of B, which turns with wb about its centre: along d, with the spin s about n
  rh_vec3 wb, d; // and the roll w about A's axis e, which lies in the face and turns with s
  rh_vec3 e;
  double s, w;
} glide;

static void stays_flat(piece a, piece b, const glide *g, int least)
{
  rh_touch t[RH_TOUCH_MAX];
  int n = meet(&a, &b, 1e-6, t);
  ck_assert_int_ge(n, least);
  for (int i = 0; i < n; i++) {
    rh_vec3 wrel = rh_addscaled(rh_scale(g->s, t[i].normal), g->w, g->e);
    rh_vec3 wa = rh_add(g->wb, wrel);
    rh_vec3 alpha = rh_addscaled(rh_cross(g->wb, wrel), g->s * g->w, rh_cross(t[i].normal, g->e));
    rh_vec3 p = rh_sub(a.g.p, b.g.p);
    rh_vec3 va = rh_add(rh_cross(g->wb, p), g->d);
    rh_vec3 aa = rh_add(rh_cross(g->wb, rh_cross(g->wb, p)), rh_scale(2, rh_cross(g->wb, g->d)));
    rh_vec3 ra = rh_sub(t[i].point, a.g.p);
    rh_vec3 rb = rh_sub(t[i].point, b.g.p);
    rh_vec3 u = rh_sub(rh_add(va, rh_cross(wa, ra)), rh_cross(g->wb, rb));
    near_number(rh_dot(t[i].normal, u), 0, 1e-13); // the motion asked for
    rh_roll roll;
    ck_assert(rh_touch_roll(&t[i], wa, g->wb, u, &roll));
    rh_vec3 du = rh_add(aa, rh_add(rh_cross(alpha, ra), rh_cross(wa, rh_cross(wa, ra))));
    du = rh_sub(du, rh_cross(g->wb, rh_cross(g->wb, rb)));
    du = rh_add(du, rh_sub(rh_cross(wa, roll.ca), rh_cross(g->wb, roll.cb)));
    near_number(rh_dot(roll.ndot, u) + rh_dot(t[i].normal, du), 0, 1e-11);
    near_vec(roll.ndot, rh_cross(g->wb, t[i].normal), 1e-11);
    near_vec(rh_sub(roll.cb, roll.ca), u, 1e-12);
  }
}

// Bodies that slide, spin and roll on a box (or plane) that turns: gap and normal stay, at every point of the flat contact. In
// either order. What is left is rounding of terms of 100 m/s^2.
START_TEST(flat_contact_stays)
{
  static const double QUARTER = 1.5707963267948966;
  dice d = {43};
  for (int trial = 0; trial < 50; trial++) {
    double r = roll(&d, 0.05, 0.2);
    double l = roll(&d, 0.3, 0.6);
    double turn = roll(&d, -1, 1);
    piece base = make("box", 2, 2, 1);
    piece narrow = make("box", 2, 0.2, 1); // lines reach over it
    piece ground = make("plane", 0, 0, 0);
    rh_vec3 up = {0, 0, 1};
    rh_vec3 e = {cos(turn), sin(turn), 0};
    rh_vec3 d2 = {roll(&d, -1, 1), roll(&d, -1, 1), 0};
    glide flat = {roll_vec(&d, 3), d2, e, roll(&d, -5, 5), 0};
    glide round = flat;
    round.w = roll(&d, -5, 5);
    piece brick = turned(at(make("box", l, r, 2 * r), 0.1, 0, 0.5 + r), up, turn);
    piece can = turned(at(make("cylinder", r, l, 0), 0.1, 0.2, 0.5 + l / 2), up, turn);
    piece log = turned(make("cylinder", r, l, 0), rh_v3(0, 1, 0), QUARTER);
    log = at(turned(log, up, turn), 0, 0, 0.5 + r);
    piece pill = turned(make("capsule", r, l, 0), rh_v3(0, 1, 0), QUARTER);
    pill = at(turned(pill, up, turn), 0, 0, 0.5 + r);
    stays_flat(brick, base, &flat, 4);
    stays_flat(brick, narrow, &flat, 1);
    stays_flat(can, base, &flat, 4);
    stays_flat(log, base, &round, 2);
    stays_flat(log, narrow, &round, 2);
    stays_flat(pill, base, &round, 2);
    stays_flat(pill, narrow, &round, 2);
    piece *all[] = {&brick, &can, &log, &pill};
    for (int k = 0; k < RH_COUNT(all); k++) {
      all[k]->g.p.z -= 0.5;
      stays_flat(*all[k], ground, k < 2 ? &flat : &round, 2);
    }
  }
}

END_TEST

// Sides that leave the point open, given as such: the one of the lower dimension keeps its point, n is the other's.
START_TEST(open_points)
{
  rh_side corner = {.dim = 0};
  rh_side edge = {.dim = 1, .e = {1, 0, 0}};
  rh_side face = {.dim = 2};

  const struct {
    rh_side a, b;
    bool a_keeps;
  } pair[] = {{corner, corner, true}, {corner, edge, true}, {edge, corner, false},
              {edge, edge, true},     {edge, face, true},   {face, edge, false},
              {face, face, true},     {corner, face, true}, {face, corner, false}};

  rh_vec3 wa = {1, 2, 3};
  rh_vec3 wb = {-2, 0.5, 1};
  rh_vec3 slip = {0.3, -0.7, 0};
  rh_vec3 none = {0, 0, 0};
  for (int k = 0; k < RH_COUNT(pair); k++) {
    rh_touch t = {.normal = {0, 0, 1}, .a = pair[k].a, .b = pair[k].b};
    rh_roll roll;
    ck_assert(rh_touch_roll(&t, wa, wb, slip, &roll));
    near_vec(roll.ndot, rh_cross(pair[k].a_keeps ? wb : wa, t.normal), 1e-15);
    near_vec(roll.ca, pair[k].a_keeps ? none : rh_neg(slip), 1e-15);
    near_vec(roll.cb, pair[k].a_keeps ? slip : none, 1e-15);
    ck_assert(!rh_touch_roll(&t, wa, wb, rh_v3(HUGE_VAL, 0, 0), &roll));
  }
}

END_TEST

Suite *rh_suite_unit_roll(void)
{
  Suite *s = suite_create("unit_roll");
  TCase *c = tcase_create("roll");
  tcase_add_test(c, sphere_rolls_on_plane);
  tcase_add_test(c, sphere_meets_sphere);
  tcase_add_test(c, corner_on_plane);
  tcase_add_test(c, coin_rolls_in_a_circle);
  tcase_add_test(c, every_pair);
  tcase_add_test(c, radius_agrees);
  tcase_add_test(c, flat_contact_stays);
  tcase_add_test(c, open_points);
  suite_add_tcase(s, c);
  return s;
}
