// convex_parts.c: approximate convex decomposition, after the idea of V-HACD (Mamou 2016) but on the
// surface itself in place of voxels: the part with the deepest hollow is cut by a plane, again and
// again, until no hollow is deeper than asked or there are enough parts. Planes that are tried: those
// halfway between faces that meet in a hollow and those of the largest faces there, which cut a
// polyhedron exactly, and planes across axes and diagonals. The best leaves least volume between the parts and their hulls; parts that are convex
// together are joined at the end. Everything is in a fixed order: the same
// surface gives the same parts. Surfaces that cut themselves are not detected.
#include "convex_parts.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/hull/hull.h"
#include "solid_cut.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  FACES = 12, // planes of each sort
  CREASES = 16,
  ALONG = 5,
  ACROSS = 13,
  PLANES = FACES + CREASES + 3 * ALONG + 2 * ACROSS
};

static const double SLACK = 1e-9;   // of the longest side: on a plane
static const double HULL = 1e-7;    // likewise, of a hull
static const double NOTHING = 1e-9; // of the volume of the body: no part
static const double BALANCE = 1e-3; // of the difference of two volumes, against what hulls fill
static const double CONVEX = 1e-6;  // of the volume of two pieces, that their hull has more

typedef struct piece {
  rh_soup soup;
  rh_hull *hull;
  double volume;
  double depth;    // [m] of its deepest hollow
  rh_vec3 deepest; // where that is
  bool final;      // there is no cut
} piece;

typedef struct candidate {
  rh_cut_plane plane;
  double weight;  // the larger the better
  rh_vec3 middle; // of its crease
} candidate;

typedef struct division {
  piece piece[RH_PARTS_MAX];
  int n;
  candidate
      *crease; // between faces of the body that meet in a hollow: the planes halfway (ncrease)
  int ncrease;
  double size, volume; // [m], [m^3] of the body
} division;

// ---- The surface

static rh_vec3 surface_point(const rh_surface *s, int tri, int k)
{
  const double *p = s->vert + 3 * (size_t)s->face[3 * tri + k];
  return rh_v3(p[0], p[1], p[2]);
}

typedef struct directed_edge {
  int from, to, tri;
} directed_edge;

static bool edge_before(const void *items, int i, int j)
{
  const directed_edge *e = items;
  int a[2] = {e[i].from < e[i].to ? e[i].from : e[i].to, e[i].from < e[i].to ? e[i].to : e[i].from};
  int b[2] = {e[j].from < e[j].to ? e[j].from : e[j].to, e[j].from < e[j].to ? e[j].to : e[j].from};
  return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

// An edge with as many faces one way as the other, everywhere
static rh_status check_edges(const directed_edge *e, const int *order, int n, char *why)
{
  for (int first = 0, end; first < n; first = end) {
    const directed_edge *a = &e[order[first]];
    int balance = 0;
    for (end = first; end < n && !edge_before(e, order[first], order[end]); end++) {
      balance += e[order[end]].from == a->from ? 1 : -1;
    }
    if (balance != 0) {
      (void)snprintf(
          why, RH_PARTS_WHY,
          "are no closed surface: the edge from vertex %d to %d has %d face%s, and not as "
          "many each way",
          a->from, a->to, end - first, end - first == 1 ? "" : "s");
      return RH_INPUT_REFUSED;
    }
  }
  return RH_OK;
}

static rh_vec3 face_normal(const rh_surface *s, int tri)
{
  rh_vec3 a = surface_point(s, tri, 0);
  rh_vec3 n = rh_cross(rh_sub(surface_point(s, tri, 1), a), rh_sub(surface_point(s, tri, 2), a));
  double size = rh_norm(n);
  return size > 0 ? rh_scale(1 / size, n) : n;
}

// The plane between two faces that meet in a hollow; false: they do not
static bool find_crease(const rh_surface *s, const directed_edge *a, const directed_edge *b,
                        candidate *to)
{
  const double *p = s->vert + 3 * (size_t)a->from;
  const double *q = s->vert + 3 * (size_t)a->to;
  rh_vec3 along = rh_v3(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
  rh_vec3 n[2] = {face_normal(s, a->tri), face_normal(s, b->tri)};
  rh_vec3 apart = rh_sub(n[0], n[1]);
  double size = rh_norm(apart);
  if (!(size > 1e-6) || rh_dot(rh_cross(n[0], n[1]), along) >= 0) {
    return false;
  }
  to->middle = rh_v3(0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
  to->plane.normal = rh_scale(1 / size, apart);
  to->plane.offset = rh_dot(to->plane.normal, to->middle);
  to->weight = size * rh_norm(along);
  return true;
}

static void collect_creases(const rh_surface *s, const directed_edge *e, const int *order, int n,
                            division *d)
{
  for (int k = 0; k + 1 < n; k++) {
    const directed_edge *a = &e[order[k]];
    const directed_edge *b = &e[order[k + 1]];
    bool pair = a->from == b->to && a->to == b->from;
    d->ncrease += pair && find_crease(s, a, b, &d->crease[d->ncrease]);
  }
}

// Refuses a surface that is not closed, and finds its creases.
static rh_status read_edges(const rh_surface *s, division *d, char *why)
{
  size_t n = 3 * (size_t)s->ntri;
  directed_edge *e = rh_alloc(n * sizeof *e);
  int *order = rh_alloc(2 * n * sizeof *order);
  d->crease = rh_alloc(n * sizeof *d->crease);
  rh_status status = e && order && d->crease ? RH_OK : RH_OUT_OF_MEMORY;
  for (size_t k = 0; k < n && status == RH_OK; k++) {
    size_t next = k % 3 == 2 ? k - 2 : k + 1;
    e[k] = (directed_edge){(int)s->face[k], (int)s->face[next], (int)(k / 3)};
    order[k] = (int)k;
  }
  if (status == RH_OK) {
    rh_sort_order(order, (int)n, order + n, edge_before, e);
    status = check_edges(e, order, (int)n, why);
  }
  if (status == RH_OK) {
    collect_creases(s, e, order, (int)n, d);
  }
  rh_free(e);
  rh_free(order);
  return status;
}

static rh_status check_numbers(const rh_surface *s, char *why)
{
  if (s->ntri < 4 || s->ntri > RH_PARTS_TRIANGLES) {
    (void)snprintf(why, RH_PARTS_WHY, "must be 4 to %d triangles to be divided into parts, got %d",
                   RH_PARTS_TRIANGLES, s->ntri);
    return s->ntri < 4 ? RH_INPUT_REFUSED : RH_OVER_LIMIT;
  }
  for (int k = 0; k < 3 * s->ntri; k++) {
    if (!(s->face[k] >= 0 && s->face[k] < s->nvert && s->face[k] == floor(s->face[k]))) {
      (void)snprintf(why, RH_PARTS_WHY, "must be numbers of vertices, 0 to %d: triangle %d",
                     s->nvert - 1, k / 3);
      return RH_INPUT_REFUSED;
    }
  }
  return RH_OK;
}

// ---- Pieces

static void free_piece(piece *p)
{
  rh_soup_free(&p->soup);
  rh_free(p->hull);
  *p = (piece){0};
}

// The hull of its vertices; without volume: NULL
static rh_status make_hull(const rh_soup *soup, rh_hull **hull)
{
  const char *why = NULL;
  *hull = NULL;
  rh_vec3 *point = rh_alloc(3 * (size_t)(soup->n > 0 ? soup->n : 1) * sizeof *point);
  if (point == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < 3 * soup->n; i++) {
    point[i] = soup->tri[i / 3][i % 3];
  }
  rh_status status = rh_hull_create(point, 3 * soup->n, HULL, hull, &why);
  rh_free(point);
  return status == RH_INPUT_REFUSED ? RH_OK : status;
}

static double depth_of(const rh_hull *hull, rh_vec3 p)
{
  double least = HUGE_VAL;
  for (int k = 0; k < hull->nface; k++) {
    least = fmin(least, hull->face[k].offset - rh_dot(hull->face[k].normal, p));
  }
  return least;
}

// Corners, middles of edges and middles of the triangles
static void find_depth(piece *p)
{
  p->depth = 0;
  for (int i = 0; i < p->soup.n; i++) {
    const rh_vec3 *t = p->soup.tri[i];
    for (int k = 0; k < 7; k++) {
      rh_vec3 at = k < 3   ? t[k]
                   : k < 6 ? rh_scale(0.5, rh_add(t[k - 3], t[(k - 2) % 3]))
                           : rh_scale(1.0 / 3, rh_add(t[0], rh_add(t[1], t[2])));
      double depth = depth_of(p->hull, at);
      if (depth > p->depth) {
        p->depth = depth;
        p->deepest = at;
      }
    }
  }
}

static rh_status make_piece(rh_soup soup, piece *p)
{
  *p = (piece){.soup = soup};
  p->volume = rh_soup_volume(&soup);
  RH_TRY(make_hull(&p->soup, &p->hull));
  if (p->hull) {
    find_depth(p);
  }
  return RH_OK;
}

static double filled_volume(const piece *p)
{
  return p->hull ? fmax(p->hull->volume - p->volume, 0) : 0;
}

// ---- Planes

static bool same_plane(rh_cut_plane a, rh_cut_plane b, double size)
{
  double side = rh_dot(a.normal, b.normal) < 0 ? -1 : 1;
  return side * rh_dot(a.normal, b.normal) > 1 - 1e-9 &&
         fabs(a.offset - side * b.offset) < 1e-6 * size;
}

// Adds a plane to n, or its weight to that of the same plane; the number of them
static int add_plane(const division *d, const candidate *c, candidate *to, int n)
{
  for (int i = 0; i < n; i++) {
    if (same_plane(to[i].plane, c->plane, d->size)) {
      to[i].weight += c->weight;
      return n;
    }
  }
  to[n] = *c;
  return n + 1;
}

// The `most` with the largest weights first; of equals the first
static int take_heaviest(candidate *to, int n, int most)
{
  for (int k = 0; k < n && k < most; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = to[i].weight > to[best].weight * (1 + 1e-9) ? i : best;
    }
    candidate c = to[best];
    memmove(to + k + 1, to + k, (size_t)(best - k) * sizeof *to);
    to[k] = c;
  }
  return n < most ? n : most;
}

// The planes halfway between faces that meet in a hollow
static int crease_planes(const division *d, const piece *p, candidate *to)
{
  int n = 0;
  for (int i = 0; i < d->ncrease; i++) {
    if (depth_of(p->hull, d->crease[i].middle) > 1e-6 * d->size) {
      n = add_plane(d, &d->crease[i], to, n);
    }
  }
  return take_heaviest(to, n, CREASES);
}

// The planes of the largest faces in hollows: those whose middle is not on the hull
static int hollow_planes(const division *d, const piece *p, candidate *to)
{
  int n = 0;
  for (int i = 0; i < p->soup.n; i++) {
    const rh_vec3 *t = p->soup.tri[i];
    rh_vec3 across = rh_cross(rh_sub(t[1], t[0]), rh_sub(t[2], t[0]));
    double area = 0.5 * rh_norm(across);
    rh_vec3 middle = rh_scale(1.0 / 3, rh_add(t[0], rh_add(t[1], t[2])));
    if (!(area > 1e-9 * d->size * d->size) || depth_of(p->hull, middle) < 1e-6 * d->size) {
      continue;
    }
    rh_vec3 normal = rh_scale(0.5 / area, across);
    candidate c = {.plane = {normal, rh_dot(normal, t[0])}, .weight = area};
    n = add_plane(d, &c, to, n);
  }
  return take_heaviest(to, n, FACES);
}

// Across the axes in equal distances; and across axes and diagonals, through the deepest point and
// through the centre
static int fixed_planes(const piece *p, candidate *to)
{
  static const double way[ACROSS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, -1, 0},
                                        {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}, {1, 1, 1},
                                        {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
  int n = 0;
  for (int k = 0; k < ACROSS; k++) {
    rh_vec3 along = rh_v3(way[k][0], way[k][1], way[k][2]);
    rh_vec3 normal = rh_scale(1 / rh_norm(along), along);
    double lo = HUGE_VAL;
    double hi = -HUGE_VAL;
    for (int i = 0; i < p->hull->nvert; i++) {
      lo = fmin(lo, rh_dot(normal, p->hull->vert[i]));
      hi = fmax(hi, rh_dot(normal, p->hull->vert[i]));
    }
    to[n++].plane = (rh_cut_plane){normal, rh_dot(normal, p->deepest)};
    to[n++].plane = (rh_cut_plane){normal, rh_dot(normal, p->hull->centre)};
    for (int i = 1; i <= ALONG && k < 3; i++) {
      to[n++].plane = (rh_cut_plane){normal, lo + (hi - lo) * i / (ALONG + 1)};
    }
  }
  return n;
}

// ---- Cuts

// Both sides; `*cost`: what their hulls fill, HUGE_VAL where it is no cut
static rh_status try_plane(const division *d, const piece *p, rh_cut_plane plane, piece side[2],
                           double *cost)
{
  rh_soup half[2];
  *cost = HUGE_VAL;
  side[0] = side[1] = (piece){0};
  RH_TRY(rh_soup_cut(&p->soup, plane, SLACK * d->size, &half[0], &half[1]));
  rh_status status = RH_OK;
  for (int k = 0; k < 2; k++) {
    side[k] = (piece){.soup = half[k], .volume = rh_soup_volume(&half[k])};
  }
  if (side[0].volume > NOTHING * d->volume && side[1].volume > NOTHING * d->volume) {
    status = make_hull(&side[0].soup, &side[0].hull);
    status = status == RH_OK ? make_hull(&side[1].soup, &side[1].hull) : status;
  }
  if (status == RH_OK && side[0].hull && side[1].hull) {
    *cost = filled_volume(&side[0]) + filled_volume(&side[1]) +
            BALANCE * fabs(side[0].volume - side[1].volume);
  }
  return status;
}

static rh_status best_cut(const division *d, const piece *p, piece best[2], double *least)
{
  candidate *plane = rh_alloc((size_t)(p->soup.n + d->ncrease + PLANES) * sizeof *plane);
  rh_status status = plane ? RH_OK : RH_OUT_OF_MEMORY;
  int n = plane ? crease_planes(d, p, plane) : 0;
  n += plane ? hollow_planes(d, p, plane + n) : 0;
  n += plane ? fixed_planes(p, plane + n) : 0;
  *least = HUGE_VAL;
  for (int k = 0; k < n && status == RH_OK; k++) {
    piece side[2];
    double cost;
    status = try_plane(d, p, plane[k].plane, side, &cost);
    bool better = status == RH_OK && cost < *least * (1 - 1e-9);
    for (int i = 0; i < 2; i++) {
      free_piece(better ? &best[i] : &side[i]);
      best[i] = better ? side[i] : best[i];
    }
    *least = better ? cost : *least;
  }
  rh_free(plane);
  return status;
}

// Cuts piece i. The first cuts of a ring fill as much as before: only no cut at all ends it.
static rh_status cut_piece(division *d, int i)
{
  piece side[2];
  side[0] = side[1] = (piece){0};
  double least;
  rh_status status = best_cut(d, &d->piece[i], side, &least);
  if (status != RH_OK || least == HUGE_VAL) {
    free_piece(&side[0]);
    free_piece(&side[1]);
    d->piece[i].final = true;
    return status;
  }
  for (int k = 0; k < 2; k++) {
    find_depth(&side[k]);
  }
  free_piece(&d->piece[i]);
  d->piece[i] = side[0];
  d->piece[d->n++] = side[1];
  return RH_OK;
}

static rh_status divide_body(division *d, int most, double allowed)
{
  while (d->n < most) {
    int worst = RH_NONE;
    for (int i = 0; i < d->n; i++) {
      const piece *p = &d->piece[i];
      if (!p->final && p->depth > allowed &&
          (worst == RH_NONE || p->depth > d->piece[worst].depth * (1 + 1e-9))) {
        worst = i;
      }
    }
    if (worst == RH_NONE) {
      return RH_OK;
    }
    RH_TRY(cut_piece(d, worst));
  }
  return RH_OK;
}

// ---- Parts that are one

// Are pieces i and k together convex? Then k goes into i.
static rh_status join_pieces(division *d, int i, int k, bool *joined)
{
  piece *a = &d->piece[i];
  piece *b = &d->piece[k];
  rh_soup both = {0};
  rh_hull *hull = NULL;
  bool good = true;
  for (int t = 0; t < a->soup.n + b->soup.n && good; t++) {
    const rh_vec3 *x = t < a->soup.n ? a->soup.tri[t] : b->soup.tri[t - a->soup.n];
    good = rh_soup_add(&both, x[0], x[1], x[2]);
  }
  rh_status status = good ? make_hull(&both, &hull) : RH_OUT_OF_MEMORY;
  double volume = a->volume + b->volume;
  *joined = status == RH_OK && hull && hull->volume - volume <= CONVEX * volume;
  if (!*joined) {
    rh_soup_free(&both);
    rh_free(hull);
    return status;
  }
  piece whole = {.soup = both, .hull = hull, .volume = volume, .final = true};
  whole.depth = fmax(a->depth, b->depth);
  free_piece(a);
  free_piece(b);
  *a = whole;
  *b = d->piece[--d->n];
  return RH_OK;
}

static rh_status join_all(division *d)
{
  for (int i = 0; i < d->n; i++) {
    for (int k = i + 1; k < d->n; k++) {
      bool joined = false;
      RH_TRY(join_pieces(d, i, k, &joined));
      k = joined ? i : k; // from the beginning
    }
  }
  return RH_OK;
}

// ---- All of it

static rh_status start_division(const rh_surface *s, division *d, char *why)
{
  rh_soup soup = {0};
  rh_vec3 lo = surface_point(s, 0, 0);
  rh_vec3 hi = lo;
  for (int i = 0; i < s->ntri; i++) {
    rh_vec3 p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = surface_point(s, i, k);
      lo = rh_v3(fmin(lo.x, p[k].x), fmin(lo.y, p[k].y), fmin(lo.z, p[k].z));
      hi = rh_v3(fmax(hi.x, p[k].x), fmax(hi.y, p[k].y), fmax(hi.z, p[k].z));
    }
    if (!rh_soup_add(&soup, p[0], p[1], p[2])) {
      rh_soup_free(&soup);
      return RH_OUT_OF_MEMORY;
    }
  }
  d->size = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
  rh_status status = make_piece(soup, &d->piece[0]);
  d->n = 1;
  d->volume = d->piece[0].volume;
  if (status == RH_OK && !(d->volume > 1e-9 * d->size * d->size * d->size && d->piece[0].hull)) {
    (void)snprintf(why, RH_PARTS_WHY, "%s",
                   d->volume < 0
                       ? "are inside out: corners must be counter-clockwise seen from outside"
                       : "have no volume inside");
    return RH_INPUT_REFUSED;
  }
  return status;
}

static rh_status take_parts(division *d, rh_parts *parts)
{
  for (int i = 0; i < d->n; i++) {
    const rh_hull *hull = d->piece[i].hull;
    rh_part *p = &parts->part[i];
    p->vert = rh_alloc(3 * (size_t)hull->nvert * sizeof *p->vert);
    if (p->vert == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    parts->n = i + 1;
    p->nvert = hull->nvert;
    p->volume = d->piece[i].volume;
    for (int k = 0; k < hull->nvert; k++) {
      p->vert[3 * k] = hull->vert[k].x;
      p->vert[3 * k + 1] = hull->vert[k].y;
      p->vert[3 * k + 2] = hull->vert[k].z;
    }
    parts->depth = fmax(parts->depth, d->piece[i].depth);
  }
  parts->volume = d->volume;
  return RH_OK;
}

void rh_parts_free(rh_parts *parts)
{
  for (int i = 0; i < parts->n; i++) {
    rh_free(parts->part[i].vert);
  }
  *parts = (rh_parts){0};
}

rh_status rh_parts_make(const rh_surface *surface, int most, double concavity, rh_parts *parts,
                        char *why)
{
  *parts = (rh_parts){0};
  (void)snprintf(why, RH_PARTS_WHY, "have too many triangles on the way");
  RH_TRY(check_numbers(surface, why));
  division *d = rh_alloc(sizeof *d);
  if (d == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = read_edges(surface, d, why);
  status = status == RH_OK ? start_division(surface, d, why) : status;
  if (status == RH_OK) {
    status = divide_body(d, most < RH_PARTS_MAX ? most : RH_PARTS_MAX, concavity * d->size);
  }
  status = status == RH_OK ? join_all(d) : status;
  if (status == RH_OK) {
    status = take_parts(d, parts);
  }
  for (int i = 0; i < d->n; i++) {
    free_piece(&d->piece[i]);
  }
  rh_free(d->crease);
  rh_free(d);
  if (status != RH_OK) {
    rh_parts_free(parts);
  }
  return status;
}
