// EPA: the expanding polytope inside A - B, from the simplex of GJK to the face nearest to the origin that cannot be pushed
// out any further (G. van den Bergen 2001). All arrays are fixed, on the stack. The result is
// always a valid separation: the depth is that of a support plane, never of a face inside.
#include "pair.h"

enum { VERTICES = 192, FACES = 2 * VERTICES };

typedef struct face {
  int v[3];
  int to[3]; // the face across the edge from v[i] to the next
  rh_vec3 n; // outward unit
  bool seen; // the new point is in front of it
} face;

typedef struct polytope {
  const rh_geom *a, *b;
  double size; // [m]
  rh_mink v[VERTICES];
  int nv;
  face f[FACES];
  double d[FACES];  // [m] of the faces' planes from the origin; infinity: no area, or dead
  bool dead[FACES]; // its place is free
  int nf;           // places in use, including dead ones
  int first_dead;   // search start
  int stack[FACES];
  int fan[VERTICES]; // the new face that starts at this vertex of the horizon
} polytope;

static void set_face(polytope *p, int at, int i, int j, int k)
{
  face *f = &p->f[at];
  static const double NO_AREA = 1e-15; // of the size squared
  rh_vec3 a = p->v[i].w;
  rh_vec3 n = rh_cross(rh_sub(p->v[j].w, a), rh_sub(p->v[k].w, a));
  double length = rh_norm(n);
  bool wide = length > NO_AREA * p->size * p->size;
  f->v[0] = i;
  f->v[1] = j;
  f->v[2] = k;
  f->n = wide ? rh_scale(1 / length, n) : rh_v3(0, 0, 0);
  // A face without area closes the surface but is never the nearest, and no point is in front of
  // it.
  p->d[at] = wide ? rh_dot(f->n, a) : HUGE_VAL;
  p->dead[at] = false;
  f->seen = false;
}

// ---- the first tetrahedron

static const double FLAT = 1e-6; // of the size: smaller is no extent

// Adds the farthest of the supports along d and -d if it lies off the others: `reach` is its
// distance along d.
static bool add_along(polytope *p, rh_vec3 d)
{
  double best = FLAT * p->size;
  bool found = false;
  for (int sign = -1; sign <= 1; sign += 2) {
    rh_mink m = rh_mink_support(p->a, p->b, rh_scale(sign, d));
    double reach = fabs(rh_dot(d, rh_sub(m.w, p->v[0].w)));
    if (reach > best) {
      best = reach;
      p->v[p->nv] = m;
      found = true;
    }
  }
  p->nv += found;
  return found;
}

static bool add_somewhere(polytope *p, const rh_vec3 *d, int n)
{
  for (int i = 0; i < n; i++) {
    if (add_along(p, d[i])) {
      return true;
    }
  }
  return false;
}

// The simplex of GJK may be a point, an edge, a triangle or a sliver; it is extended to a
// tetrahedron with a volume. False: A - B is flat, and `n` is across it.
static bool first_tetrahedron(polytope *p, const rh_simplex *s, rh_vec3 *n)
{
  p->v[0] = s->v[0];
  p->nv = 1;
  const rh_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 1; i < s->n && p->nv == 1; i++) {
    if (rh_norm(rh_sub(s->v[i].w, s->v[0].w)) > FLAT * p->size) {
      p->v[p->nv++] = s->v[i];
    }
  }
  *n = axes[2];
  if (p->nv == 1 && !add_somewhere(p, axes, 3)) {
    return false;
  }
  rh_vec3 e = rh_sub(p->v[1].w, p->v[0].w);
  rh_vec3 d[2] = {rh_any_normal(e)};
  d[1] = rh_cross(e, d[0]);
  d[1] = rh_scale(1 / rh_norm(d[1]), d[1]);
  for (int i = 1; i < s->n && p->nv == 2;
       i++) { // a third point of the simplex keeps the origin near the faces
    rh_vec3 c = rh_cross(e, rh_sub(s->v[i].w, p->v[0].w));
    if (rh_norm(c) > FLAT * p->size * rh_norm(e)) {
      p->v[p->nv++] = s->v[i];
    }
  }
  *n = d[0];
  if (p->nv == 2 && !add_somewhere(p, d, 2)) {
    return false;
  }
  rh_vec3 c = rh_cross(e, rh_sub(p->v[2].w, p->v[0].w));
  *n = rh_scale(1 / rh_norm(c), c);
  for (int i = 1; i < s->n && p->nv == 3; i++) {
    if (fabs(rh_dot(*n, rh_sub(s->v[i].w, p->v[0].w))) > FLAT * p->size) {
      p->v[p->nv++] = s->v[i];
    }
  }
  return p->nv == 4 || add_along(p, *n);
}

static void close_tetrahedron(polytope *p)
{
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  static const int across[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
  rh_vec3 a = p->v[0].w;
  rh_vec3 n = rh_cross(rh_sub(p->v[1].w, a), rh_sub(p->v[2].w, a));
  if (rh_dot(n, rh_sub(p->v[3].w, a)) > 0) { // turned inside out
    rh_mink m = p->v[1];
    p->v[1] = p->v[2];
    p->v[2] = m;
  }
  for (int i = 0; i < 4; i++) {
    set_face(p, i, corner[i][0], corner[i][1], corner[i][2]);
    for (int e = 0; e < 3; e++) {
      p->f[i].to[e] = across[i][e];
    }
  }
  p->nf = 4;
}

// ---- growing it

static int free_place(polytope *p)
{
  for (; p->first_dead < p->nf; p->first_dead++) {
    if (p->dead[p->first_dead]) {
      return p->first_dead;
    }
  }
  return p->nf < FACES ? p->nf++ : RH_NONE;
}

// The faces that the point is in front of, from `start` outwards, so that they are connected. Faces
// in one plane with it, as on a cap, are left. Returns their number; they are on the stack.
static int mark_seen(polytope *p, rh_vec3 w, int start)
{
  static const double IN_PLANE = 1e-14; // of the size
  int n = 0;
  p->stack[n++] = start;
  p->f[start].seen = true;
  for (int i = 0; i < n; i++) {
    for (int e = 0; e < 3; e++) {
      int k = p->f[p->stack[i]].to[e];
      face *f = &p->f[k];
      if (!f->seen && p->d[k] < HUGE_VAL && rh_dot(f->n, w) - p->d[k] > IN_PLANE * p->size) {
        f->seen = true;
        p->stack[n++] = k;
      }
    }
  }
  return n;
}

// A new face from the edge i-j of the horizon to the newest vertex; `beyond` is the face that stays.
static int fan_out(polytope *p, int i, int j, int beyond)
{
  int k = free_place(p);
  if (k == RH_NONE || p->fan[i] != RH_NONE) { // no capacity, or a horizon that meets itself
    return RH_NONE;
  }
  face *f = &p->f[k];
  set_face(p, k, i, j, p->nv - 1);
  f->to[0] = beyond;
  face *g = &p->f[beyond];
  for (int e = 0; e < 3; e++) {
    if (g->v[e] == j && g->v[(e + 1) % 3] == i) {
      g->to[e] = k;
    }
  }
  p->fan[i] = k;
  return k;
}

// New faces from every edge between a seen face and one that stays. Returns their number; one
// starts at `start`. RH_NONE: it failed.
static int fan_horizon(polytope *p, int seen, int *start)
{
  int edges = 0;
  p->first_dead = 0; // the seen faces are not among them yet: they are still needed
  for (int i = 0; i < 3 * seen; i++) {
    const face *f = &p->f[p->stack[i / 3]];
    int e = i % 3;
    if (!p->f[f->to[e]].seen) {
      *start = f->v[e];
      if (fan_out(p, f->v[e], f->v[(e + 1) % 3], f->to[e]) == RH_NONE) {
        return RH_NONE;
      }
      edges++;
    }
  }
  return edges;
}

// Joins the new faces to each other round the horizon, which must be one ring.
static bool close_ring(polytope *p, int start, int edges)
{
  int at = start;
  for (int i = 0; i < edges; i++) {
    int k = p->fan[at];
    at = p->f[k].v[1];
    int next = p->fan[at];
    if (next == RH_NONE || (at == start) != (i == edges - 1)) {
      return false;
    }
    p->f[k].to[1] = next;
    p->f[next].to[2] = k;
  }
  return edges > 0;
}

// Removes the faces that see the new point and closes the hole with new ones. False: no capacity,
// or rounding has made a hole that cannot be closed; the polytope is then invalid.
static bool grow_polytope(polytope *p, const rh_mink *m, int nearest)
{
  if (p->nv == VERTICES) {
    return false;
  }
  p->v[p->nv++] = *m;
  for (int i = 0; i < p->nv; i++) {
    p->fan[i] = RH_NONE;
  }
  int seen = mark_seen(p, m->w, nearest);
  int start = 0;
  int edges = fan_horizon(p, seen, &start);
  for (int i = 0; i < seen; i++) {
    p->dead[p->stack[i]] = true;
    p->d[p->stack[i]] = HUGE_VAL;
  }
  return edges != RH_NONE && close_ring(p, start, edges);
}

static int nearest_face(const polytope *p)
{
  double least = HUGE_VAL;
  int best = RH_NONE;
  for (int i = 0; i < p->nf; i++) {
    best = p->d[i] < least ? i : best;
    least = p->d[i] < least ? p->d[i] : least;
  }
  return best;
}

// The point of A that belongs to the origin's projection onto a face.
static rh_vec3 witness_point(const polytope *p, int k)
{
  const face *f = &p->f[k];
  const rh_mink *m[3] = {&p->v[f->v[0]], &p->v[f->v[1]], &p->v[f->v[2]]};
  rh_vec3 o = rh_scale(p->d[k], f->n);
  rh_vec3 r[3];
  for (int i = 0; i < 3; i++) {
    r[i] = rh_sub(m[i]->w, o);
  }
  rh_vec3 at = {0, 0, 0};
  double sum = 0;
  double part[3];
  for (int i = 0; i < 3; i++) {
    part[i] = fmax(0, rh_dot(f->n, rh_cross(r[(i + 1) % 3], r[(i + 2) % 3])));
    sum += part[i];
  }
  for (int i = 0; i < 3; i++) {
    at = rh_addscaled(at, sum > 0 ? part[i] / sum : 1.0 / 3, m[i]->a);
  }
  return at;
}

static bool is_known(const polytope *p, rh_vec3 w)
{
  for (int i = 0; i < p->nv; i++) {
    if (p->v[i].w.x == w.x && p->v[i].w.y == w.y && p->v[i].w.z == w.z) {
      return true;
    }
  }
  return false;
}

double rh_epa(const rh_geom *a, const rh_geom *b, rh_simplex *s, rh_vec3 *n, rh_vec3 *on_a)
{
  static const double CONVERGED = 1e-14; // of the size
  static const double SHALLOW =
      1e-2; // of the size: a smaller overlap is examined again, from afar (convex.c):
  static const double NEARLY = 1e-6; // then this accuracy is enough at first
  polytope p;
  p.a = a;
  p.b = b;
  p.size = rh_mink_size(a, b);
  p.nf = 0;
  if (!first_tetrahedron(&p, s, n)) {
    rh_mink m = rh_mink_support(a, b, *n); // flat: out across it, no depth but rounding
    *on_a = m.a;
    return rh_dot(m.w, *n);
  }
  close_tetrahedron(&p);
  double depth = HUGE_VAL;
  for (;;) {
    int i = nearest_face(&p);
    if (i == RH_NONE) { // no face has an area
      return depth;
    }
    const face *f = &p.f[i];
    rh_mink m = rh_mink_support(a, b, f->n);
    double reach = rh_dot(m.w, f->n);
    if (reach < depth) {
      depth = reach;
      *n = f->n;
      *on_a = witness_point(&p, i);
    }
    double enough = depth < SHALLOW * p.size ? NEARLY : CONVERGED;
    if (reach - p.d[i] <= enough * p.size || is_known(&p, m.w) || !grow_polytope(&p, &m, i)) {
      return depth;
    }
  }
}
