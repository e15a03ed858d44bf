// GJK: the point of A - B nearest to the origin, from support points alone (E. G. Gilbert, D. W. Johnson, S. S. Keerthi
// 1988). Of the up to four points kept, every subset with the newest in it is tried, and the nearest valid one is taken:
// slower than case distinctions by signs, but slivers do not mislead it. Coordinates are relative
// to the shapes' centres, so no digits are lost far from the world's origin.
#include "geometry/hull/hull.h"
#include "pair.h"

rh_mink rh_mink_support(const rh_geom *a, const rh_geom *b, rh_vec3 direction)
{
  rh_mink m;
  m.a = rh_geom_support(a, direction);
  rh_vec3 to_b = rh_geom_support(b, rh_neg(direction));
  m.w = rh_add(rh_sub(m.a, to_b), rh_sub(a->p, b->p));
  return m;
}

static double size_of(const rh_geom *g)
{
  rh_vec3 corner = {1, 1, 1};
  return g->mesh ? ((const rh_hull *)g->mesh)->radius : rh_norm(g->kind->support(g->par, corner));
}

double rh_mink_size(const rh_geom *a, const rh_geom *b)
{
  return size_of(a) + size_of(b) + rh_geom_rounding(a) + rh_geom_rounding(b);
}

// The best subset so far.
typedef struct choice {
  int member[3];
  double part[3]; // of the newest, then of the members
  int n;          // members without the newest
  rh_vec3 v;
  double vv;
} choice;

static void offer_choice(choice *best, const choice *c)
{
  if (c->vv < best->vv) {
    *best = *c;
  }
}

static void try_edge(const rh_mink *m, int newest, int i, choice *best)
{
  rh_vec3 p = m[newest].w;
  rh_vec3 e = rh_sub(m[i].w, p);
  double ee = rh_dot(e, e);
  double t = -rh_dot(p, e);
  if (!(t > 0 && t < ee)) {
    return;
  }
  t /= ee;
  choice c = {.n = 1, .member = {i}, .part = {1 - t, t}, .v = rh_addscaled(p, t, e)};
  c.vv = rh_dot(c.v, c.v);
  offer_choice(best, &c);
}

// The vertex where the two shorter sides of a triangle meet: across these, the cross product loses least to rounding. The sides are
// given opposite to their vertices, squared.
static int blunt_vertex(const double *side)
{
  int longest = side[1] > side[0] ? 1 : 0;
  return side[2] > side[longest] ? 2 : longest;
}

static void try_triangle(const rh_mink *m, int newest, int i, int j, choice *best)
{
  const rh_vec3 w[3] = {m[newest].w, m[i].w, m[j].w};
  double side[3];
  double far[3];
  for (int k = 0; k < 3; k++) {
    rh_vec3 e = rh_sub(w[(k + 1) % 3], w[(k + 2) % 3]);
    side[k] = rh_dot(e, e);
    far[k] = rh_dot(w[k], w[k]);
  }
  int at = blunt_vertex(side);
  rh_vec3 n = rh_cross(rh_sub(w[(at + 1) % 3], w[at]), rh_sub(w[(at + 2) % 3], w[at]));
  double nn = rh_dot(n, n);
  if (!(nn > 0)) {
    return;
  }
  // Barycentric coordinates of the origin's projection: volumes with n over n.n.
  choice t = {.n = 2, .member = {i, j}};
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    t.part[k] = rh_dot(n, rh_cross(w[(k + 1) % 3], w[(k + 2) % 3])) / nn;
    sum += t.part[k];
  }
  if (!(t.part[0] > 0 && t.part[1] > 0 && t.part[2] > 0)) {
    return;
  }
  for (int k = 0; k < 3; k++) {
    t.part[k] /= sum;
  }
  int close = far[1] < far[0] ? 1 : 0; // its distance from the plane is known best
  close = far[2] < far[close] ? 2 : close;
  t.v = rh_scale(rh_dot(n, w[close]) / nn, n);
  t.vv = rh_dot(t.v, t.v);
  offer_choice(best, &t);
}

// True if the origin is inside the tetrahedron: all four volumes it cuts off have one sign.
static bool origin_inside(const rh_mink *m)
{
  rh_vec3 a = m[0].w;
  rh_vec3 b = m[1].w;
  rh_vec3 c = m[2].w;
  rh_vec3 d = m[3].w;
  double all = rh_dot(rh_sub(b, a), rh_cross(rh_sub(c, a), rh_sub(d, a)));
  double va = rh_dot(b, rh_cross(c, d));
  double vb = -rh_dot(a, rh_cross(c, d));
  double vc = rh_dot(a, rh_cross(b, d));
  double vd = -rh_dot(a, rh_cross(b, c));
  if (all < 0) {
    return va < 0 && vb < 0 && vc < 0 && vd < 0;
  }
  return all > 0 && va > 0 && vb > 0 && vc > 0 && vd > 0;
}

// Reduces the simplex (the newest point last) to the subset nearest to the origin. False: the origin is inside.
static bool reduce_simplex(rh_simplex *s, rh_vec3 *v)
{
  int newest = s->n - 1;
  choice best = {.n = 0, .part = {1}, .v = s->v[newest].w};
  best.vv = rh_dot(best.v, best.v);
  for (int i = 0; i < newest; i++) {
    try_edge(s->v, newest, i, &best);
    for (int j = i + 1; j < newest; j++) {
      try_triangle(s->v, newest, i, j, &best);
    }
  }
  if (s->n == 4 && origin_inside(s->v)) {
    return false;
  }
  rh_simplex kept = {.n = best.n + 1};
  for (int i = 0; i < best.n; i++) {
    kept.v[i] = s->v[best.member[i]];
    kept.part[i] = best.part[i + 1];
  }
  kept.v[best.n] = s->v[newest];
  kept.part[best.n] = best.part[0];
  *s = kept;
  *v = best.v;
  return true;
}

static bool has_point(const rh_simplex *s, rh_vec3 w)
{
  for (int i = 0; i < s->n; i++) {
    if (s->v[i].w.x == w.x && s->v[i].w.y == w.y && s->v[i].w.z == w.z) {
      return true;
    }
  }
  return false;
}

// Near touching, a far point that turns v by an angle e shortens it by e^2 / 2 only, which rounding hides; yet the turned v finds
// points that do shorten it. So a few steps without gain are allowed.
bool rh_gjk(const rh_geom *a, const rh_geom *b, rh_simplex *s, rh_vec3 *nearest)
{
  static const double TOUCHING = 1e-10; // of the size: below, the direction of v is rounding
  static const double CONVERGED = 1e-15;
  static const double SAME =
      1e-12; // of |v|^2, its rounding; then the better bound from below is kept
  static const int ITERATIONS = 200; // a smooth pair takes about 30, a flat one 6
  static const int IDLE = 3;         // a far point on either side, and a near one
  double size = rh_mink_size(a, b);
  rh_vec3 d = rh_sub(a->p, b->p);
  if (rh_dot(d, d) == 0) {
    d = rh_v3(1, 0, 0);
  }
  *s = (rh_simplex){.n = 1, .part = {1}};
  s->v[0] = rh_mink_support(a, b, rh_neg(d));
  rh_vec3 v = s->v[0].w;
  rh_simplex best = *s;
  double least = HUGE_VAL;    // |v|^2 so far
  double highest = -HUGE_VAL; // bound from below, v.w / |v|, of the best
  *nearest = v;
  for (int i = 0, idle = 0; i < ITERATIONS && idle < IDLE; i++) {
    double vv = rh_dot(v, v);
    if (vv <= TOUCHING * size * TOUCHING * size) {
      return false;
    }
    rh_mink m = rh_mink_support(a, b, rh_neg(v));
    double low = rh_dot(v, m.w) / sqrt(vv);
    idle = vv < least ? 0 : idle + 1;
    if (vv < (1 - SAME) * least || (vv < (1 + SAME) * least && low > highest)) {
      highest = low;
      best = *s;
      *nearest = v;
    }
    least = fmin(least, vv);
    if (vv - rh_dot(v, m.w) <= CONVERGED * vv || has_point(s, m.w)) {
      break;
    }
    s->v[s->n++] = m;
    if (!reduce_simplex(s, &v)) {
      return false;
    }
  }
  *s = best;
  return true;
}

bool rh_gjk_apart(const rh_geom *a, const rh_geom *b, double margin, rh_vec3 *n)
{
  static const int ITERATIONS = 30;
  rh_vec3 d = rh_sub(a->p, b->p);
  if (rh_dot(d, d) == 0) {
    return false;
  }
  rh_simplex s = {.n = 1, .part = {1}};
  s.v[0] = rh_mink_support(a, b, rh_neg(d));
  rh_vec3 v = s.v[0].w;
  for (int i = 0; i < ITERATIONS; i++) {
    double length = rh_norm(v);
    if (length <= margin) {
      return false; // points that are closer
    }
    rh_mink m = rh_mink_support(a, b, rh_neg(v));
    if (rh_dot(v, m.w) > margin * length) {
      *n = rh_scale(1 / length, v);
      return true;
    }
    if (has_point(&s, m.w)) {
      return false;
    }
    s.v[s.n++] = m;
    if (!reduce_simplex(&s, &v)) {
      return false;
    }
  }
  return false;
}
