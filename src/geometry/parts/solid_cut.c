// solid_cut.c: see solid_cut.h. Triangles are cut one by one. The edges of the part below that lie in
// the plane bound the section, whatever its form, holes included: it is divided into trapezoids
// between the heights of its corners, where the edges wind around it.
#include "solid_cut.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

void rh_soup_free(rh_soup *soup)
{
  rh_free(soup->tri);
  *soup = (rh_soup){0};
}

bool rh_soup_add(rh_soup *soup, rh_vec3 a, rh_vec3 b, rh_vec3 c)
{
  if (soup->n == soup->capacity) {
    int capacity = soup->capacity > 0 ? 2 * soup->capacity : 64;
    void *tri = capacity <= 2 * RH_SOUP_MAX
                    ? rh_realloc(soup->tri, (size_t)capacity * sizeof *soup->tri)
                    : NULL;
    if (tri == NULL) {
      return false;
    }
    soup->tri = tri;
    soup->capacity = capacity;
  }
  rh_vec3 *t = soup->tri[soup->n++];
  t[0] = a;
  t[1] = b;
  t[2] = c;
  return true;
}

double rh_soup_volume(const rh_soup *soup)
{
  double sum = 0;
  rh_vec3 from = soup->n > 0 ? soup->tri[0][0] : rh_v3(0, 0, 0);
  for (int i = 0; i < soup->n; i++) {
    rh_vec3 a = rh_sub(soup->tri[i][0], from);
    rh_vec3 b = rh_sub(soup->tri[i][1], from);
    rh_vec3 c = rh_sub(soup->tri[i][2], from);
    sum += rh_dot(a, rh_cross(b, c));
  }
  return sum / 6;
}

// ---- Triangles

typedef struct polygon { // of a triangle and a half-space
  rh_vec3 p[5];
  bool on[5]; // in the plane
  int n;
} polygon;

typedef struct edges { // of the section, along its outline
  double (*end)[4];    // x, y of both ends
  int n, capacity;
} edges;

typedef struct cutter {
  rh_cut_plane plane;
  double slack;
  rh_vec3 x, y; // axes in the plane
  edges edge;
} cutter;

static bool add_edge(cutter *c, rh_vec3 a, rh_vec3 b)
{
  edges *e = &c->edge;
  if (e->n == e->capacity) {
    int capacity = e->capacity > 0 ? 2 * e->capacity : 64;
    void *end = rh_realloc(e->end, (size_t)capacity * sizeof *e->end);
    if (end == NULL) {
      return false;
    }
    e->end = end;
    e->capacity = capacity;
  }
  double *to = e->end[e->n++];
  to[0] = rh_dot(c->x, a);
  to[1] = rh_dot(c->y, a);
  to[2] = rh_dot(c->x, b);
  to[3] = rh_dot(c->y, b);
  return true;
}

static void add_corner(polygon *q, rh_vec3 p, bool on)
{
  q->p[q->n] = p;
  q->on[q->n++] = on;
}

// The part of a triangle with side * d <= 0. The point on an edge is computed from its lower end in
// either direction, so that both triangles there have the same.
static void clip_triangle(const rh_vec3 *t, const double *d, int side, polygon *q)
{
  q->n = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (side * d[i] <= 0) {
      add_corner(q, t[i], d[i] == 0);
    }
    if (d[i] * d[j] < 0) {
      int from = d[i] < d[j] ? i : j;
      int to = i + j - from;
      double part = d[from] / (d[from] - d[to]);
      add_corner(q, rh_add(t[from], rh_scale(part, rh_sub(t[to], t[from]))), true);
    }
  }
}

static bool add_polygon(const polygon *q, rh_soup *to)
{
  for (int i = 2; i < q->n; i++) {
    if (!rh_soup_add(to, q->p[0], q->p[i - 1], q->p[i])) {
      return false;
    }
  }
  return true;
}

// Edges in the plane of what is below: the section has them in the other direction.
static bool add_section(cutter *c, const polygon *q)
{
  for (int i = 0; i < q->n && q->n > 2; i++) {
    int j = (i + 1) % q->n;
    if (q->on[i] && q->on[j] && !add_edge(c, q->p[j], q->p[i])) {
      return false;
    }
  }
  return true;
}

static bool cut_triangle(cutter *c, const rh_vec3 *t, rh_soup *below, rh_soup *above)
{
  double d[3];
  for (int i = 0; i < 3; i++) {
    d[i] = rh_dot(c->plane.normal, t[i]) - c->plane.offset;
    d[i] = fabs(d[i]) <= c->slack ? 0 : d[i];
  }
  polygon q;
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) { // it closes the part that it faces away from
    rh_vec3 n = rh_cross(rh_sub(t[1], t[0]), rh_sub(t[2], t[0]));
    bool down = rh_dot(n, c->plane.normal) > 0;
    clip_triangle(t, d, 1, &q);
    return rh_soup_add(down ? below : above, t[0], t[1], t[2]) && (!down || add_section(c, &q));
  }
  bool under = d[0] < 0 || d[1] < 0 || d[2] < 0;
  bool over = d[0] > 0 || d[1] > 0 || d[2] > 0;
  clip_triangle(t, d, 1, &q);
  if (under && !(add_polygon(&q, below) && add_section(c, &q))) {
    return false;
  }
  clip_triangle(t, d, -1, &q);
  return !over || add_polygon(&q, above);
}

// ---- The section

typedef struct sweep {
  const edges *e;
  double *height; // of all ends, ascending
  int nheight;
  int *across,
      *before;   // edges across the present slab, by x; those of the last one (2 per interval)
  double *start; // where the interval before began
  int nbefore;
} sweep;

static bool is_lower(const void *items, int i, int j)
{
  const double *y = items;
  return y[i] < y[j];
}

static double edge_at(const edges *e, int k, double y)
{
  const double *p = e->end[k];
  double part = (y - p[1]) / (p[3] - p[1]);
  return p[0] + part * (p[2] - p[0]);
}

// Heights that differ by more than `slack`, ascending. `all` (2n), `order` (4n): scratch
static void sort_heights(sweep *s, double slack, double *all, int *order)
{
  int n = 2 * s->e->n;
  for (int k = 0; k < n; k++) {
    all[k] = s->e->end[k / 2][k % 2 == 0 ? 1 : 3];
    order[k] = k;
  }
  rh_sort_order(order, n, order + n, is_lower, all);
  s->nheight = 0;
  for (int k = 0; k < n; k++) {
    double y = all[order[k]];
    if (s->nheight == 0 || y > s->height[s->nheight - 1] + slack) {
      s->height[s->nheight++] = y;
    }
  }
}

// Edges across the slab, by their x in its middle
static int find_across(sweep *s, double low, double high)
{
  double middle = 0.5 * (low + high);
  int n = 0;
  for (int k = 0; k < s->e->n; k++) {
    const double *p = s->e->end[k];
    if (!(fmin(p[1], p[3]) < middle && fmax(p[1], p[3]) > middle)) {
      continue;
    }
    double x = edge_at(s->e, k, middle);
    int at = n++;
    for (; at > 0 && edge_at(s->e, s->across[at - 1], middle) > x; at--) {
      s->across[at] = s->across[at - 1];
    }
    s->across[at] = k;
  }
  return n;
}

static rh_vec3 plane_point(const cutter *c, double x, double y)
{
  return rh_add(rh_scale(c->plane.offset, c->plane.normal),
                rh_add(rh_scale(x, c->x), rh_scale(y, c->y)));
}

// The trapezoid between two edges, on both parts; none between edges that cancel each other
static bool add_trapezoid(const cutter *c, const int side[2], const double y[2], rh_soup *below,
                          rh_soup *above)
{
  rh_vec3 p[2][2];
  double width = 0;
  for (int k = 0; k < 4; k++) {
    p[k / 2][k % 2] = plane_point(c, edge_at(&c->edge, side[k % 2], y[k / 2]), y[k / 2]);
    width = k % 2 == 1 ? fmax(width, rh_norm(rh_sub(p[k / 2][1], p[k / 2][0]))) : width;
  }
  if (width <= c->slack) {
    return true;
  }
  return rh_soup_add(below, p[0][0], p[0][1], p[1][1]) &&
         rh_soup_add(below, p[0][0], p[1][1], p[1][0]) &&
         rh_soup_add(above, p[0][0], p[1][1], p[0][1]) &&
         rh_soup_add(above, p[0][0], p[1][0], p[1][1]);
}

static int find_interval(const sweep *s, int a, int b)
{
  for (int k = 0; k < s->nbefore; k++) {
    if (s->before[2 * k] == a && s->before[2 * k + 1] == b) {
      return k;
    }
  }
  return RH_NONE;
}

// Intervals of the slab inside the section, 2 edges each. The outline runs counter-clockwise: an edge
// that goes down has the section on its right.
static int find_intervals(sweep *s, int across, int *to)
{
  int winding = 0;
  int n = 0;
  for (int k = 0; k < across; k++) {
    const double *p = s->e->end[s->across[k]];
    int next = winding + (p[3] < p[1] ? 1 : -1);
    if (winding <= 0 && next > 0) {
      to[2 * n] = s->across[k];
    } else if (winding > 0 && next <= 0) {
      to[2 * n + 1] = s->across[k];
      n++;
    }
    winding = next;
  }
  return n;
}

// An interval between the same edges as in the slab before goes on.
static bool sweep_slab(const cutter *c, sweep *s, int slab, rh_soup *below, rh_soup *above)
{
  bool last = slab + 1 == s->nheight;
  double low = s->height[slab];
  int across = last ? 0 : find_across(s, low, s->height[slab + 1]);
  int *now = s->across + s->e->n;
  double *start = s->start + s->e->n;
  int n = find_intervals(s, across, now);
  for (int k = 0; k < n; k++) {
    int old = find_interval(s, now[2 * k], now[2 * k + 1]);
    start[k] = old == RH_NONE ? low : s->start[old];
    if (old != RH_NONE) {
      s->before[2 * old] = RH_NONE;
    }
  }
  for (int k = 0; k < s->nbefore; k++) {
    const double y[2] = {s->start[k], low};
    if (s->before[2 * k] != RH_NONE && !add_trapezoid(c, s->before + 2 * k, y, below, above)) {
      return false;
    }
  }
  memcpy(s->before, now, 2 * (size_t)n * sizeof *now);
  memcpy(s->start, start, (size_t)n * sizeof *start);
  s->nbefore = n;
  return true;
}

static bool fill_section(const cutter *c, rh_soup *below, rh_soup *above)
{
  size_t n = (size_t)c->edge.n;
  sweep s = {.e = &c->edge};
  s.height = rh_alloc(4 * n * sizeof *s.height);
  s.across = rh_alloc(4 * n * sizeof *s.across); // and the intervals of a slab
  s.before = rh_alloc(2 * n * sizeof *s.before);
  s.start = rh_alloc(2 * n * sizeof *s.start);
  bool good = s.height && s.across && s.before && s.start;
  if (good) {
    sort_heights(&s, 1e-3 * c->slack, s.height + 2 * n, s.across);
  }
  for (int k = 0; k < s.nheight && good; k++) {
    good = sweep_slab(c, &s, k, below, above);
  }
  rh_free(s.height);
  rh_free(s.across);
  rh_free(s.before);
  rh_free(s.start);
  return good;
}

rh_status rh_soup_cut(const rh_soup *soup, rh_cut_plane plane, double slack, rh_soup *below,
                      rh_soup *above)
{
  cutter c = {.plane = plane, .slack = slack};
  bool good = true;
  rh_vec3 n = plane.normal;
  rh_vec3 aside = fabs(n.x) < 0.6 ? rh_v3(1, 0, 0) : rh_v3(0, 1, 0);
  rh_vec3 across = rh_cross(n, aside);
  c.x = rh_scale(1 / rh_norm(across), across);
  c.y = rh_cross(n, c.x);
  *below = *above = (rh_soup){0};
  for (int i = 0; i < soup->n && good; i++) {
    good = cut_triangle(&c, soup->tri[i], below, above);
  }
  good = good && (c.edge.n == 0 || fill_section(&c, below, above));
  rh_free(c.edge.end);
  if (!good) {
    bool many = below->n >= RH_SOUP_MAX || above->n >= RH_SOUP_MAX;
    rh_soup_free(below);
    rh_soup_free(above);
    return many ? RH_OVER_LIMIT : RH_OUT_OF_MEMORY;
  }
  return RH_OK;
}
