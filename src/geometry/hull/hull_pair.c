// hull_pair.c: see hull_pair.h. Faces with more corners than the capacity are represented by some
// of them, evenly spread, and the missing area is given to those.
#include "hull_pair.h"

#include "geometry/pair.h"

#include <string.h>

// Is corner k of `count` one of `most` kept?
static bool is_kept(int k, int count, int most)
{
  return count <= most || k == 0 || k * most / count != (k - 1) * most / count;
}

void rh_hull_choose(const rh_hull *hull, rh_vec3 down, rh_hull_samples *samples)
{
  static const double STANDS =
      0.7071; // within 45 degrees of the face; beyond that its other faces count
  memset(samples, 0, sizeof *samples);
  for (int i = 0; i < hull->nface; i++) {
    const rh_hull_face *f = &hull->face[i];
    if (f->count <= RH_TOUCH_KEPT || rh_dot(f->normal, down) < STANDS) {
      continue;
    }
    for (int k = 0; k < f->count; k++) {
      int v = hull->loop[f->first + k];
      if (!is_kept(k, f->count, RH_TOUCH_KEPT)) {
        samples->left_out[v / 64] |= UINT64_C(1) << v % 64;
      }
    }
  }
}

// [m^2] of a polygon
static double area_of(const rh_vec3 *p, int n)
{
  rh_vec3 sum = {0, 0, 0};
  for (int i = 1; i + 1 < n; i++) {
    sum = rh_add(sum, rh_cross(rh_sub(p[i], p[0]), rh_sub(p[i + 1], p[0])));
  }
  return 0.5 * rh_norm(sum);
}

static double face_area(const rh_hull *hull, const rh_hull_face *f)
{
  rh_vec3 sum = {0, 0, 0};
  rh_vec3 at = hull->vert[hull->loop[f->first]];
  for (int k = 1; k + 1 < f->count; k++) {
    rh_vec3 u = rh_sub(hull->vert[hull->loop[f->first + k]], at);
    rh_vec3 v = rh_sub(hull->vert[hull->loop[f->first + k + 1]], at);
    sum = rh_add(sum, rh_cross(u, v));
  }
  return 0.5 * rh_norm(sum);
}

// The corners that represent a face, at most `most`. Returns their number.
static int corners_of(const rh_hull *hull, const rh_hull_face *f, int most, int *corner)
{
  int n = 0;
  for (int k = 0; k < f->count; k++) {
    if (is_kept(k, f->count, most)) {
      corner[n++] = hull->loop[f->first + k];
    }
  }
  return n;
}

// As rh_polygon_share, for one corner: a third of its triangles to the mean, and its part of the
// mean's thirds.
static double share_of(const rh_vec3 *p, int n, int which)
{
  rh_vec3 mean = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    mean = rh_addscaled(mean, 1.0 / n, p[i]);
  }
  double total = 0;
  double beside = 0;
  for (int i = 0; i < n; i++) {
    int j = i + 1 < n ? i + 1 : 0;
    double area = 0.5 * rh_norm(rh_cross(rh_sub(p[i], mean), rh_sub(p[j], mean)));
    total += area;
    beside += i == which || j == which ? area : 0;
  }
  return beside / 3 + total / (3 * n);
}

// `scale` times the share of a corner in a face
static double scaled_share(const rh_hull *hull, int face, int vertex, double scale)
{
  const rh_hull_face *f = &hull->face[face];
  int corner[RH_TOUCH_MAX];
  rh_vec3 p[RH_TOUCH_MAX];
  int which = RH_NONE;
  int n = corners_of(hull, f, RH_TOUCH_KEPT, corner);
  for (int k = 0; k < n; k++) {
    which = corner[k] == vertex ? k : which;
  }
  if (which == RH_NONE) {
    return 0;
  }
  for (int k = 0; k < n; k++) {
    p[k] = hull->vert[corner[k]];
  }
  double fill = n < f->count ? face_area(hull, f) / area_of(p, n) : 1;
  return scale * fill * share_of(p, n, which);
}

double rh_hull_corner_share(const rh_hull *hull, int face, int vertex)
{
  return scaled_share(hull, face, vertex, 1);
}

double rh_hull_share(const rh_hull *hull, int vertex, rh_vec3 down, int samples)
{
  double share = 0;
  for (int i = 0; i < hull->nface; i++) {
    double seen = rh_dot(hull->face[i].normal, down);
    double part = seen > 0 ? scaled_share(hull, i, vertex, seen) : 0;
    if (part > 0 && samples > hull->face[i].count) {
      part *= rh_hull_inner(hull, i, samples).corners;
    }
    share += part;
  }
  return share;
}

// A number for the edge between two vertices, the same from either face; below 0x4000, as required
// for ids of contacts.
static int edge_number(const rh_hull *hull, int i, int j)
{
  int low = i < j ? i : j;
  int high = i < j ? j : i;
  int at = hull->near_first[low];
  for (int k = at; k < hull->near_first[low + 1]; k++) {
    at = hull->near[k] == high ? k : at;
  }
  return at % 0x4000;
}

void rh_hull_face_toward(const rh_geom *g, rh_vec3 direction, rh_face *face)
{
  const rh_hull *hull = g->mesh;
  const rh_hull_face *f = &hull->face[rh_hull_face_along(hull, rh_unrotate(&g->R, direction))];
  face->n = corners_of(hull, f, RH_FACE_MAX, face->id);
  face->normal = rh_rotate(&g->R, f->normal);
  for (int i = 0; i < face->n; i++) {
    face->v[i] = rh_add(g->p, rh_rotate(&g->R, hull->vert[face->id[i]]));
    face->edge[i] = edge_number(hull, face->id[i], face->id[i + 1 < face->n ? i + 1 : 0]);
  }
  face->fill = face->n < f->count ? face_area(hull, f) / area_of(face->v, face->n) : 1;
}
