// hull_build.c: quickhull (Barber, Dobkin and Huhdanpaa 1996) with triangles only. Visibility of a
// triangle from a point is decided by the exact sign of rh_orient, so the visible part is one piece
// with one simple rim, even for coplanar, collinear or double points, and no triangle is
// degenerate. Only the decision to add a point has a tolerance.
#include "hull_build.h"

#include "exact_orient.h"
#include "hull.h"

#include <string.h>

#define TINY 1e-300 // an area that underflowed; keeps 0 / area at 0

enum { UNUSED, ALIVE, SEEN };

typedef struct cell { // a working triangle
  rh_hull_tri t;
  double area;  // twice its area
  int outside;  // first of the points above it still to be added; RH_NONE
  int farthest; // of those
  double far;   // its height
  int state;
} cell;

typedef struct builder {
  const rh_vec3 *p;
  int n;
  double slack;
  cell *cell;
  int room, top; // capacity of cells; cells ever used
  int alive, limit;
  int *spare; // stack of free cells (room)
  int nspare;
  int *seen; // cells that the new point sees (room)
  int nseen;
  int *fresh; // cells made for the new point (room)
  int nfresh;
  int *next; // the next point outside the same cell (n)
  int *from; // the fresh cell whose rim edge starts at a point (n)
} builder;

static double height_above(const builder *b, const cell *c, int point)
{
  const int *v = c->t.v;
  return rh_orient(b->p[v[0]], b->p[v[1]], b->p[v[2]], b->p[point]) / c->area;
}

static int new_cell(builder *b, int v0, int v1, int v2)
{
  int index = b->nspare > 0 ? b->spare[--b->nspare] : b->top++;
  RH_ASSERT(index < b->room);
  cell *c = &b->cell[index];
  *c = (cell){.t = {{v0, v1, v2}, {RH_NONE, RH_NONE, RH_NONE}},
              .outside = RH_NONE,
              .farthest = RH_NONE,
              .state = ALIVE};
  double area = rh_norm(rh_cross(rh_sub(b->p[v1], b->p[v0]), rh_sub(b->p[v2], b->p[v0])));
  c->area = area > TINY ? area : TINY;
  b->alive++;
  return index;
}

// Puts a point on the list of the first of the cells that it sticks out of; it is dropped if there
// is none.
static void hand_over(builder *b, const int *cells, int count, int point)
{
  for (int i = 0; i < count; i++) {
    cell *c = &b->cell[cells[i]];
    double h = height_above(b, c, point);
    if (h > b->slack) {
      b->next[point] = c->outside;
      c->outside = point;
      if (h > c->far) {
        c->far = h;
        c->farthest = point;
      }
      return;
    }
  }
}

// ---- The first four points

static int farther_point(int best, double *most, int candidate, double distance)
{
  if (distance > *most) {
    *most = distance;
    return candidate;
  }
  return best;
}

static double coordinate_along(rh_vec3 p, int axis)
{
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static double widest_pair(const builder *b, int four[4])
{
  double most = -1;
  for (int axis = 0; axis < 3; axis++) {
    int lo = 0;
    int hi = 0;
    for (int i = 1; i < b->n; i++) {
      lo = coordinate_along(b->p[i], axis) < coordinate_along(b->p[lo], axis) ? i : lo;
      hi = coordinate_along(b->p[i], axis) > coordinate_along(b->p[hi], axis) ? i : hi;
    }
    double width = coordinate_along(b->p[hi], axis) - coordinate_along(b->p[lo], axis);
    if (width > most) {
      most = width;
      four[0] = lo;
      four[1] = hi;
    }
  }
  return most;
}

static const char *first_four(const builder *b, double flat, int four[4])
{
  if (b->n == 0 || widest_pair(b, four) <= 0) {
    return "all points are the same";
  }
  const rh_vec3 *p = b->p;
  rh_vec3 axis = rh_sub(p[four[1]], p[four[0]]);
  double most = -1;
  for (int i = 0; i < b->n; i++) {
    double away = rh_norm(rh_cross(axis, rh_sub(p[i], p[four[0]]))) / rh_norm(axis);
    four[2] = farther_point(four[2], &most, i, away);
  }
  if (most <= flat) {
    return "all points lie on one line";
  }
  double area = rh_norm(rh_cross(axis, rh_sub(p[four[2]], p[four[0]])));
  most = -1;
  for (int i = 0; i < b->n; i++) {
    double away = fabs(rh_orient(p[four[0]], p[four[1]], p[four[2]], p[i])) / area;
    four[3] = farther_point(four[3], &most, i, away);
  }
  return most <= flat ? "all points lie in one plane" : NULL;
}

static void first_cells(builder *b, const int four[4])
{
  // Each face as seen from outside when the fourth point lies below the first three.
  static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int to[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  const rh_vec3 *p = b->p;
  bool above = rh_orient(p[four[0]], p[four[1]], p[four[2]], p[four[3]]) > 0;
  int order[4] = {four[0], above ? four[2] : four[1], above ? four[1] : four[2], four[3]};
  int cells[4];
  for (int i = 0; i < 4; i++) {
    cells[i] = new_cell(b, order[face[i][0]], order[face[i][1]], order[face[i][2]]);
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      b->cell[cells[i]].t.to[k] = cells[to[i][k]];
    }
  }
  for (int i = 0; i < b->n; i++) {
    hand_over(b, cells, 4, i);
  }
}

// ---- One more point

// Marks all cells that the point sees, from one of them on. Returns the length of their rim.
static int mark_seen_cells(builder *b, int point, int first)
{
  int rim = 0;
  b->nseen = 0;
  b->seen[b->nseen++] = first;
  b->cell[first].state = SEEN;
  for (int i = 0; i < b->nseen; i++) {
    const cell *c = &b->cell[b->seen[i]];
    for (int k = 0; k < 3; k++) {
      int other = c->t.to[k];
      if (b->cell[other].state == ALIVE && height_above(b, &b->cell[other], point) > 0) {
        b->cell[other].state = SEEN;
        b->seen[b->nseen++] = other;
      }
    }
  }
  for (int i = 0; i < b->nseen; i++) {
    for (int k = 0; k < 3; k++) {
      rim += b->cell[b->cell[b->seen[i]].t.to[k]].state == ALIVE;
    }
  }
  return rim;
}

static void close_edge(builder *b, int point, int inner, int k)
{
  const rh_hull_tri *old = &b->cell[inner].t;
  int start = old->v[k];
  int end = old->v[(k + 1) % 3];
  int outer = old->to[k];
  int made = new_cell(b, start, end, point);
  rh_hull_tri *across = &b->cell[outer].t;
  b->cell[made].t.to[0] = outer;
  for (int j = 0; j < 3; j++) {
    if (across->v[j] == end) { // the same edge, reversed
      across->to[j] = made;
    }
  }
  b->from[start] = made;
  b->fresh[b->nfresh++] = made;
}

static void add_cone(builder *b, int point)
{
  b->nfresh = 0;
  for (int i = 0; i < b->nseen; i++) {
    for (int k = 0; k < 3; k++) {
      if (b->cell[b->cell[b->seen[i]].t.to[k]].state == ALIVE) {
        close_edge(b, point, b->seen[i], k);
      }
    }
  }
  for (int i = 0; i < b->nfresh; i++) {
    rh_hull_tri *t = &b->cell[b->fresh[i]].t;
    int after = b->from[t->v[1]];
    t->to[1] = after;
    b->cell[after].t.to[2] = b->fresh[i];
  }
}

static void drop_seen(builder *b, int point)
{
  for (int i = 0; i < b->nseen; i++) {
    cell *c = &b->cell[b->seen[i]];
    for (int q = c->outside; q != RH_NONE;) {
      int after = b->next[q];
      if (q != point) {
        hand_over(b, b->fresh, b->nfresh, q);
      }
      q = after;
    }
    c->state = UNUSED;
    b->spare[b->nspare++] = b->seen[i];
    b->alive--;
  }
}

static bool grow_hull(builder *b)
{
  int at = 0;
  for (int idle = 0; idle <= b->top; idle++, at = at + 1 < b->top ? at + 1 : 0) {
    const cell *c = &b->cell[at];
    if (c->state != ALIVE || c->outside == RH_NONE) {
      continue;
    }
    int point = c->farthest;
    int rim = mark_seen_cells(b, point, at);
    if (b->alive - b->nseen + rim > b->limit) {
      return false;
    }
    add_cone(b, point);
    drop_seen(b, point);
    idle = 0;
  }
  return true;
}

// ---- All together

static rh_status open_builder(builder *b)
{
  int verts = b->n < RH_HULL_VERTS_MAX ? b->n : RH_HULL_VERTS_MAX;
  b->limit = 2 * verts - 4;
  b->room = 2 * b->limit + 8; // the cone is built before the covered cells are freed
  size_t ints = 3 * (size_t)b->room + 2 * (size_t)b->n;
  b->cell = rh_alloc((size_t)b->room * sizeof(cell));
  b->spare = rh_alloc(ints * sizeof(int));
  if (!b->cell || !b->spare) {
    return RH_OUT_OF_MEMORY;
  }
  b->seen = b->spare + b->room;
  b->fresh = b->seen + b->room;
  b->next = b->fresh + b->room;
  b->from = b->next + b->n;
  return RH_OK;
}

// Copies the remaining cells without gaps; `seen` becomes the table of their new numbers.
static rh_status take_skin(builder *b, rh_hull_skin *skin)
{
  skin->tri = rh_alloc((size_t)b->alive * sizeof(rh_hull_tri));
  if (!skin->tri) {
    return RH_OUT_OF_MEMORY;
  }
  skin->count = 0;
  for (int i = 0; i < b->top; i++) {
    if (b->cell[i].state == ALIVE) {
      b->seen[i] = skin->count;
      skin->tri[skin->count++] = b->cell[i].t;
    }
  }
  for (int i = 0; i < skin->count; i++) {
    for (int k = 0; k < 3; k++) {
      skin->tri[i].to[k] = b->seen[skin->tri[i].to[k]];
    }
  }
  return RH_OK;
}

static rh_status build_skin(builder *b, rh_hull_skin *skin, const char **why)
{
  int four[4] = {0};
  *why = first_four(b, b->slack, four);
  if (*why) {
    return RH_INPUT_REFUSED;
  }
  RH_TRY(open_builder(b));
  first_cells(b, four);
  if (!grow_hull(b)) {
    *why = "the hull has more than 4096 vertices";
    return RH_OVER_LIMIT;
  }
  return take_skin(b, skin);
}

rh_status rh_hull_build(const rh_vec3 *point, int n, double slack, rh_hull_skin *skin,
                        const char **why)
{
  builder b = {.p = point, .n = n, .slack = slack};
  rh_status status = build_skin(&b, skin, why);
  rh_free(b.cell);
  rh_free(b.spare);
  return status;
}
