// hull.c: see hull.h. Makes the triangles (hull_build.c), joins them to faces (hull_face.c), drops
// points that are no corners and does both again, then packs all data into one block with volume
// and inertia.
#include "hull.h"

#include "hull_face.h"

#include <string.h>

#define ROUNDS_MAX      4 // of dropping points; two are enough unless points crowd at the tolerance
#define TOLERANCE_LEAST 1e-12 // below it the rounding of the points dominates
#define SPECK           1e-30 // coordinates below it, relative to the largest one, are zero to rh_orient

typedef struct maker {
  rh_vec3 *p;  // working points, scaled to order 1 (n)
  int *source; // index among the given points (n)
  int n;
  double slack;
  rh_hull_skin skin;
  rh_hull_faces faces;
} maker;

static bool is_fine(rh_vec3 p)
{
  return fabs(p.x) <= RH_HULL_COORD_MAX && fabs(p.y) <= RH_HULL_COORD_MAX &&
         fabs(p.z) <= RH_HULL_COORD_MAX;
}

static double round_off(double x)
{
  return fabs(x) < SPECK ? 0 : x;
}

// Copies the points, scaled by a power of two, which changes no digit.
static rh_status open_maker(maker *m, const rh_vec3 *point, int n, double tolerance)
{
  m->p = rh_alloc((size_t)n * sizeof(rh_vec3));
  m->source = rh_alloc((size_t)n * sizeof(int));
  if (!m->p || !m->source) {
    return RH_OUT_OF_MEMORY;
  }
  double largest = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fmax(fabs(point[i].x), fmax(fabs(point[i].y), fabs(point[i].z))));
  }
  int power = 0;
  (void)frexp(largest, &power);
  rh_vec3 lo = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
  rh_vec3 hi = rh_neg(lo);
  for (int i = 0; i < n; i++) {
    rh_vec3 p = {round_off(ldexp(point[i].x, -power)), round_off(ldexp(point[i].y, -power)),
                 round_off(ldexp(point[i].z, -power))};
    m->p[i] = p;
    m->source[i] = i;
    lo = rh_v3(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
    hi = rh_v3(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
  }
  m->n = n;
  double widest = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
  m->slack = fmax(tolerance, TOLERANCE_LEAST) * widest;
  return RH_OK;
}

static void drop_surface(maker *m)
{
  rh_free(m->skin.tri);
  rh_free(m->faces.first);
  m->skin = (rh_hull_skin){0};
  m->faces = (rh_hull_faces){0};
}

// Keeps the points at which three faces meet. True: all points.
static bool keep_corners(maker *m)
{
  int kept = 0;
  for (int i = 0; i < m->n; i++) {
    if (m->faces.meet[i] >= 3) {
      m->p[kept] = m->p[i];
      m->source[kept++] = m->source[i];
    }
  }
  bool all = kept == m->n;
  m->n = kept;
  return all;
}

// The triangles are rebuilt after points are dropped, so that they are exactly convex:
// rh_hull_support needs that.
static rh_status make_surface(maker *m, const char **why)
{
  double slack = m->slack;
  for (int round = 1;; round++) {
    RH_TRY(rh_hull_build(m->p, m->n, slack, &m->skin, why));
    RH_TRY(rh_hull_join(m->p, m->n, &m->skin, m->slack, &m->faces));
    if (round == ROUNDS_MAX || keep_corners(m)) {
      return RH_OK;
    }
    drop_surface(m);
    slack = 0; // the remaining points stay
  }
}

// ---- Packing

static int count_corners(const maker *m, int *number)
{
  int count = 0;
  memset(number, 0, (size_t)m->n * sizeof(int));
  for (int t = 0; t < m->skin.count; t++) {
    for (int k = 0; k < 3; k++) {
      number[m->skin.tri[t].v[k]] = 1;
    }
  }
  for (int i = 0; i < m->n; i++) {
    number[i] = number[i] ? count++ : RH_NONE;
  }
  return count;
}

typedef struct parts { // the same arrays as in rh_hull, to be filled
  rh_vec3 *vert;
  rh_hull_face *face;
  int *source, *loop, *near_first, *near;
} parts;

static rh_hull *new_hull(const maker *m, int nvert, parts *a)
{
  size_t edges = 3 * (size_t)m->skin.count;
  size_t nface = (size_t)m->faces.nface;
  size_t nloop = (size_t)m->faces.first[nface];
  size_t bytes = sizeof(rh_hull) + (size_t)nvert * sizeof(rh_vec3) + nface * sizeof(rh_hull_face) +
                 (2 * (size_t)nvert + 1 + nloop + edges) * sizeof(int);
  rh_hull *h = rh_alloc(bytes);
  if (h) {
    a->vert = (rh_vec3 *)(void *)(h + 1);
    a->face = (rh_hull_face *)(void *)(a->vert + nvert);
    a->source = (int *)(void *)(a->face + nface);
    a->loop = a->source + nvert;
    a->near_first = a->loop + nloop;
    a->near = a->near_first + nvert + 1;
    h->nvert = nvert;
    h->nface = m->faces.nface;
    h->vert = a->vert;
    h->source = a->source;
    h->face = a->face;
    h->loop = a->loop;
    h->near_first = a->near_first;
    h->near = a->near;
  }
  return h;
}

static void fill_neighbours(const maker *m, const int *number, const parts *a, int nvert)
{
  for (int t = 0; t < m->skin.count; t++) { // every edge runs once each way
    for (int k = 0; k < 3; k++) {
      a->near_first[number[m->skin.tri[t].v[k]] + 1]++;
    }
  }
  for (int i = 0; i < nvert; i++) {
    a->near_first[i + 1] += a->near_first[i];
  }
  for (int t = m->skin.count - 1; t >= 0;
       t--) { // fills each list from its end, so that first is right at the end
    for (int k = 2; k >= 0; k--) {
      const int *v = m->skin.tri[t].v;
      int start = number[v[k]];
      a->near[--a->near_first[start + 1]] = number[v[(k + 1) % 3]];
    }
  }
  // Each first is now that of the vertex before; move them up again.
  for (int i = 0; i < nvert; i++) {
    a->near_first[i] = a->near_first[i + 1];
  }
  a->near_first[nvert] = 3 * m->skin.count;
}

static void fill_faces(const maker *m, const int *number, const parts *a)
{
  for (int i = 0; i < m->faces.nface; i++) {
    rh_hull_face *f = &a->face[i];
    f->first = m->faces.first[i];
    f->count = m->faces.first[i + 1] - f->first;
    for (int k = 0; k < f->count; k++) {
      a->loop[f->first + k] = number[m->faces.loop[f->first + k]];
    }
    // Twice the vector area, about the first corner [Newell]
    rh_vec3 sum = {0, 0, 0};
    rh_vec3 at = a->vert[a->loop[f->first]];
    for (int k = 1; k + 1 < f->count; k++) {
      rh_vec3 u = rh_sub(a->vert[a->loop[f->first + k]], at);
      rh_vec3 v = rh_sub(a->vert[a->loop[f->first + k + 1]], at);
      sum = rh_add(sum, rh_cross(u, v));
    }
    double length = rh_norm(sum);
    f->normal = length > 0 ? rh_scale(1 / length, sum) : rh_v3(0, 0, 1);
    f->offset = -(double)INFINITY;
    for (int k = 0; k < f->count; k++) {
      f->offset = fmax(f->offset, rh_dot(f->normal, a->vert[a->loop[f->first + k]]));
    }
  }
}

// Volume, centre and inertia as sums over tetrahedra with one corner in the mean of the vertices.
static void fill_mass(const maker *m, const int *number, rh_hull *h)
{
  rh_vec3 o = {0, 0, 0};
  for (int i = 0; i < h->nvert; i++) {
    o = rh_addscaled(o, 1.0 / h->nvert, h->vert[i]);
  }
  double volume = 0;
  rh_vec3 first = {0, 0, 0};
  rh_sym3 second = {0};
  for (int t = 0; t < m->skin.count; t++) {
    const int *v = m->skin.tri[t].v;
    rh_vec3 x[4];
    x[3] = rh_v3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
      x[k] = rh_sub(h->vert[number[v[k]]], o);
      x[3] = rh_add(x[3], x[k]);
    }
    double det = rh_dot(x[0], rh_cross(x[1], x[2]));
    volume += det / 6;
    first = rh_addscaled(first, det / 24, x[3]);
    for (int k = 0; k < 4;
         k++) { // integral of x x' = det/120 (aa' + bb' + cc' + ss'), s = a + b + c
      second.xx += det / 120 * x[k].x * x[k].x;
      second.yy += det / 120 * x[k].y * x[k].y;
      second.zz += det / 120 * x[k].z * x[k].z;
      second.xy += det / 120 * x[k].x * x[k].y;
      second.xz += det / 120 * x[k].x * x[k].z;
      second.yz += det / 120 * x[k].y * x[k].z;
    }
  }
  rh_vec3 c = rh_scale(1 / volume, first);
  double xx = second.xx / volume - c.x * c.x;
  double yy = second.yy / volume - c.y * c.y;
  double zz = second.zz / volume - c.z * c.z;
  h->volume = volume;
  h->centre = rh_add(o, c);
  h->inertia = (rh_sym3){yy + zz,
                         xx + zz,
                         xx + yy,
                         c.x * c.y - second.xy / volume,
                         c.x * c.z - second.xz / volume,
                         c.y * c.z - second.yz / volume};
  for (int i = 0; i < h->nvert; i++) {
    h->radius = fmax(h->radius, rh_norm(rh_sub(h->vert[i], h->centre)));
  }
}

static rh_status pack_hull(const maker *m, const rh_vec3 *point, rh_hull **hull)
{
  int *number = rh_alloc((size_t)m->n * sizeof(int));
  if (!number) {
    return RH_OUT_OF_MEMORY;
  }
  parts a;
  int nvert = count_corners(m, number);
  rh_hull *h = new_hull(m, nvert, &a);
  if (h) {
    for (int i = 0; i < m->n; i++) {
      if (number[i] != RH_NONE) {
        a.vert[number[i]] = point[m->source[i]];
        a.source[number[i]] = m->source[i];
      }
    }
    fill_neighbours(m, number, &a, nvert);
    fill_faces(m, number, &a);
    fill_mass(m, number, h);
  }
  rh_free(number);
  *hull = h;
  return h ? RH_OK : RH_OUT_OF_MEMORY;
}

// ---- The interface

static rh_status check_points(const rh_vec3 *point, int n, const char **why)
{
  if (n > RH_HULL_POINTS_MAX) {
    *why = "more than 100000 points";
    return RH_OVER_LIMIT;
  }
  if (n < 4) {
    *why = "fewer than four points";
    return RH_INPUT_REFUSED;
  }
  for (int i = 0; i < n; i++) {
    if (!is_fine(point[i])) {
      *why = "a coordinate is not finite or larger than 1e9 m";
      return RH_INPUT_REFUSED;
    }
  }
  return RH_OK;
}

// Points within the tolerance of a face's plane are left out. Where the whole set is hardly thicker
// than that, such a point may lie far outside the face: so flat a hull is unreliable.
static const double FLAT = 100;

static bool too_flat(const rh_hull *hull, double tolerance)
{
  double thin = HUGE_VAL;
  for (int f = 0; f < hull->nface; f++) {
    double deepest = 0;
    for (int i = 0; i < hull->nvert; i++) {
      deepest = fmax(deepest, hull->face[f].offset - rh_dot(hull->face[f].normal, hull->vert[i]));
    }
    thin = fmin(thin, deepest);
  }
  return !(thin > FLAT * tolerance * hull->radius);
}

// Omitted points stick out by the tolerance, and a few times that where faces were joined. Slivers
// between points of very different distances can lose more: such a hull is unreliable, too.
static const double STICKS = 9;

static bool sticks_out(const rh_hull *hull, const rh_vec3 *point, int n, double tolerance)
{
  double most = STICKS * tolerance * (hull->radius + rh_norm(hull->centre));
  for (int f = 0; f < hull->nface; f++) {
    rh_vec3 up = hull->face[f].normal;
    double top = -HUGE_VAL;
    double beyond = -HUGE_VAL;
    for (int i = 0; i < hull->nvert; i++) {
      top = fmax(top, rh_dot(up, hull->vert[i]));
    }
    for (int i = 0; i < n; i++) {
      beyond = fmax(beyond, rh_dot(up, point[i]));
    }
    if (!(beyond - top <= most)) {
      return true;
    }
  }
  return false;
}

// NULL: the hull is valid
static const char *fault_of(const rh_hull *hull, const rh_vec3 *point, int n, double tolerance)
{
  return too_flat(hull, tolerance) ? "the points are too flat for a hull with volume"
         : sticks_out(hull, point, n, tolerance)
             ? "the points lie too unevenly for a hull at this tolerance"
             : NULL;
}

rh_status rh_hull_create(const rh_vec3 *point, int n, double tolerance, rh_hull **hull,
                         const char **why)
{
  const char *nobody = NULL;
  why = why ? why : &nobody;
  *why = NULL;
  *hull = NULL;
  RH_TRY(check_points(point, n, why));
  maker m = {0};
  rh_status status = open_maker(&m, point, n, tolerance);
  if (status == RH_OK) {
    status = make_surface(&m, why);
  }
  if (status == RH_OK) {
    status = pack_hull(&m, point, hull);
  }
  if (status == RH_OK && (*why = fault_of(*hull, point, n, tolerance)) != NULL) {
    rh_free(*hull);
    *hull = NULL;
    status = RH_INPUT_REFUSED;
  }
  drop_surface(&m);
  rh_free(m.p);
  rh_free(m.source);
  return status;
}

int rh_hull_support(const rh_hull *hull, rh_vec3 direction, int start)
{
  int at = start >= 0 && start < hull->nvert ? start : 0;
  for (int tries = 0; tries < hull->nvert; tries++) { // each step is uphill, so no vertex repeats
    int best = at;
    double most = 0;
    for (int k = hull->near_first[at]; k < hull->near_first[at + 1]; k++) {
      // The difference first: short edges far from the origin would drown in the rounding of two products.
      double rise = rh_dot(direction, rh_sub(hull->vert[hull->near[k]], hull->vert[at]));
      if (rise > most) {
        most = rise;
        best = hull->near[k];
      }
    }
    if (best == at) {
      break;
    }
    at = best;
  }
  return at;
}

int rh_hull_face_along(const rh_hull *hull, rh_vec3 direction)
{
  int best = 0;
  for (int i = 1; i < hull->nface; i++) {
    if (rh_dot(hull->face[i].normal, direction) > rh_dot(hull->face[best].normal, direction)) {
      best = i;
    }
  }
  return best;
}
