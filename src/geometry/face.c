// Faces: the face of a shape towards another, the clipping of one face by another, and the area of
// the common part shared among its corners. Corners keep the ids of the features that make them, so
// that ids outlive small motions.
#include "pair.h"

static const double PI = 3.14159265358979323846;

// ---- the faces of the shapes

// Corner i of a box (bits: x, y, z) has id i; the edge along axis k has 4 k + the two other bits of its corners.
int rh_box_edge(int i, int j)
{
  int bit = i ^ j;
  int low = i & j;
  int k = bit == 1 ? 0 : bit == 2 ? 1 : 2;
  int other = k == 0 ? low >> 1 : k == 1 ? (low & 1) | (low >> 1 & 2) : low & 3;
  return 4 * k + other;
}

void rh_box_face(const rh_geom *g, rh_vec3 direction, rh_face *face)
{
  rh_vec3 x = rh_unrotate(&g->R, direction);
  double d[3] = {x.x, x.y, x.z};
  int k = 0;
  for (int i = 1; i < 3; i++) { // a tie gives the lower axis, whatever the rounding
    k = fabs(d[i]) > fabs(d[k]) * (1 + 1e-9) ? i : k;
  }
  bool up = d[k] >= 0;
  int u = 1 << (k + 1) % 3;
  int v = 1 << (k + 2) % 3;
  int base = up ? 1 << k : 0;
  int corner[4] = {base, base | u, base | u | v, base | v};
  face->n = 4;
  face->fill = 1;
  face->normal = rh_scale(up ? 1 : -1, rh_mat3_column(&g->R, k));
  for (int i = 0; i < 4; i++) {
    int c = corner[i];
    rh_vec3 at = {(c & 1) ? g->par[0] / 2 : -g->par[0] / 2,
                  (c & 2) ? g->par[1] / 2 : -g->par[1] / 2,
                  (c & 4) ? g->par[2] / 2 : -g->par[2] / 2};
    face->v[i] = rh_add(g->p, rh_rotate(&g->R, at));
    face->id[i] = c;
    face->edge[i] = rh_box_edge(c, corner[(i + 1) % 4]);
  }
}

// A segment along the shape's z, from z = -h to h, through `at` of its own axes.
static void segment_face(const rh_geom *g, rh_vec3 at, double h, rh_face *face)
{
  for (int i = 0; i < 2; i++) {
    at.z = i == 0 ? -h : h;
    face->v[i] = rh_add(g->p, rh_rotate(&g->R, at));
    face->id[i] = 8 * i; // as the deepest corner of the cap at that end
    face->edge[i] = 16;
  }
  face->n = 2;
  face->fill = 1;
}

// The cap as eight corners, the first where the rim is deepest; or the line of the round side.
static void cylinder_face(const rh_geom *g, rh_vec3 direction, rh_face *face)
{
  static const double HALF = 0.70710678118654752440;
  rh_vec3 d = rh_unrotate(&g->R, direction);
  rh_vec3 e = rh_rim_direction(d);
  double r = g->par[0];
  double h = g->par[1] / 2;
  if (fabs(d.z) < HALF) {
    segment_face(g, rh_scale(r, e), h, face);
    return;
  }
  int end = d.z > 0;
  rh_vec3 f = {-e.y, e.x, 0};
  rh_vec3 diagonal[2] = {rh_scale(HALF, rh_add(e, f)), rh_scale(HALF, rh_sub(f, e))};
  rh_vec3 half_turn[4] = {e, diagonal[0], f, diagonal[1]};
  face->n = 8;
  face->fill = PI / (2 * sqrt(2)); // circle over the octagon in it
  face->normal = rh_scale(end ? 1 : -1, rh_mat3_column(&g->R, 2));
  for (int i = 0; i < 8; i++) {
    rh_vec3 at = rh_scale(i < 4 ? r : -r, half_turn[i % 4]);
    at.z = end ? h : -h;
    face->v[i] = rh_add(g->p, rh_rotate(&g->R, at));
    face->id[i] = 8 * end + i;
    face->edge[i] = 8 * end + i;
  }
}

void rh_face_toward(const rh_geom *g, rh_vec3 direction, rh_face *face)
{
  face->n = 0;
  face->normal = direction;
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_BOX:
    rh_box_face(g, direction, face);
    break;
  case RH_SHAPE_CAPSULE: // the core's; the rounding is the caller's
    segment_face(g, rh_v3(0, 0, 0), g->par[1] / 2, face);
    break;
  case RH_SHAPE_CYLINDER:
    cylinder_face(g, direction, face);
    break;
  case RH_SHAPE_HULL:
    rh_hull_face_toward(g, direction, face);
    break;
  default:
    break;
  }
}

// ---- clipping (Sutherland and Hodgman)

static rh_corner crossing_corner(const rh_corner *p, const rh_corner *q, double t, int side)
{
  rh_corner c = {.edge = p->leaving, .side = side, .leaving = p->leaving};
  c.u = p->u + t * (q->u - p->u);
  c.v = p->v + t * (q->v - p->v);
  c.depth = p->depth + t * (q->depth - p->depth);
  return c;
}

// The part inside, in order; d: distance of each corner outside (0: on the cut).
static int walk_polygon(const rh_corner *p, const double *d, int n, int side, rh_corner *out)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    int j = i + 1 < n ? i + 1 : 0;
    if (d[i] <= 0) {
      out[count] = p[i];
      out[count].leaving = d[i] == 0 && d[j] > 0 ? side : p[i].leaving;
      count++;
    }
    bool closing = n == 2 && i == 1; // a segment is not closed
    if (d[i] * d[j] < 0 && !closing) {
      out[count] = crossing_corner(&p[i], &p[j], d[i] / (d[i] - d[j]), side);
      out[count].leaving =
          d[i] < 0 ? side : p[i].leaving; // leaving: the boundary goes on along the cut
      count++;
    }
  }
  return count;
}

int rh_polygon_cut(rh_corner *p, int n, const rh_cut *cut)
{
  double d[RH_CLIP_MAX];
  int outside = 0;
  for (int i = 0; i < n; i++) {
    d[i] = cut->nu * p[i].u + cut->nv * p[i].v - cut->c;
    d[i] = d[i] > cut->slack ? d[i] : fmin(d[i], 0);
    outside += d[i] > 0;
  }
  if (outside == 0 || outside == n) {
    return outside ? 0 : n;
  }
  rh_corner out[2 * RH_CLIP_MAX];
  int count = walk_polygon(p, d, n, RH_SIDE + cut->side, out);
  count = count < RH_CLIP_MAX ? count : RH_CLIP_MAX;
  for (int i = 0; i < count; i++) {
    p[i] = out[i];
  }
  return count;
}

// Of an incident corner `edge` is the corner itself and `side` is none.
int rh_corner_id(const rh_corner *c, const rh_face *ref, const rh_face *inc, bool ref_is_a)
{
  int of_ref = ref_is_a ? 0 : RH_ID_CORNER_B;
  int of_inc = ref_is_a ? RH_ID_CORNER_B : 0;
  if (c->side == RH_NONE) {
    return of_inc + inc->id[c->edge];
  }
  int side = c->side - RH_SIDE;
  if (ref->n == 2) { // the ends of a segment: side i is that of corner i
    return of_ref + ref->id[side];
  }
  if (c->edge >= RH_SIDE) { // two sides meet in a corner of the reference
    int other = c->edge - RH_SIDE;
    int low = side < other ? side : other;
    int high = side < other ? other : side;
    return of_ref + ref->id[high == low + 1 ? high : 0];
  }
  return ref_is_a ? rh_id_edges(ref->edge[side], c->edge) : rh_id_edges(c->edge, ref->edge[side]);
}

// Triangles from the mean of the corners: a third of each to either corner, the mean's third
// equally to all. The sum is the area and the centroid stays: a linear pressure has its exact
// force. A rectangle gives four quarters.
void rh_polygon_share(rh_corner *p, int n)
{
  for (int i = 0; i < n; i++) {
    p[i].area = 0;
  }
  if (n < 3) {
    return;
  }
  double u = 0;
  double v = 0;
  for (int i = 0; i < n; i++) {
    u += p[i].u / n;
    v += p[i].v / n;
  }
  double total = 0;
  for (int i = 0; i < n; i++) {
    int j = i + 1 < n ? i + 1 : 0;
    double area = 0.5 * fabs((p[i].u - u) * (p[j].v - v) - (p[j].u - u) * (p[i].v - v));
    p[i].area += area / 3;
    p[j].area += area / 3;
    total += area;
  }
  for (int i = 0; i < n; i++) {
    p[i].area += total / (3 * n);
  }
}
