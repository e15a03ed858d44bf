// hull_face.c: see hull_face.h. A face grows from its largest triangle over all neighbours whose corners lie in that
// triangle's plane; its rim is walked once around, and corners at which only two faces meet are
// removed.
#include "hull_face.h"

#include <string.h>

typedef struct joiner {
  const rh_vec3 *p;
  int n;
  const rh_hull_tri *tri;
  int ntri;
  double slack;
  double *area; // twice the area of a triangle (ntri)
  int *group;   // face a triangle belongs to (ntri)
  int *queue;   // (ntri)
  int *stamp;   // last face that passed a point (n)
  rh_hull_faces *out;
  int used; // of out->loop
} joiner;

static rh_vec3 normal_of(const joiner *j, int t)
{
  const int *v = j->tri[t].v;
  return rh_cross(rh_sub(j->p[v[1]], j->p[v[0]]), rh_sub(j->p[v[2]], j->p[v[0]]));
}

static int largest_triangle(const joiner *j)
{
  int best = RH_NONE;
  for (int t = 0; t < j->ntri; t++) {
    if (j->group[t] == RH_NONE && (best == RH_NONE || j->area[t] > j->area[best])) {
      best = t;
    }
  }
  return best;
}

static bool in_plane(const joiner *j, int t, rh_vec3 normal, rh_vec3 at)
{
  for (int k = 0; k < 3; k++) {
    if (fabs(rh_dot(normal, rh_sub(j->p[j->tri[t].v[k]], at))) > j->slack) {
      return false;
    }
  }
  return true;
}

// Assigns all triangles in the plane of `seed` that are connected with it to `face`; they are in
// `queue`.
static int flood_face(joiner *j, int seed, int face)
{
  int count = 0;
  rh_vec3 normal = normal_of(j, seed);
  double length = rh_norm(normal);
  rh_vec3 unit = length > 0 ? rh_scale(1 / length, normal) : normal;
  rh_vec3 at = j->p[j->tri[seed].v[0]];
  j->queue[count++] = seed;
  j->group[seed] = face;
  for (int i = 0; i < count && length > 0; i++) {
    for (int k = 0; k < 3; k++) {
      int other = j->tri[j->queue[i]].to[k];
      if (j->group[other] == RH_NONE && in_plane(j, other, unit, at)) {
        j->group[other] = face;
        j->queue[count++] = other;
      }
    }
  }
  return count;
}

static bool on_rim(const joiner *j, int t, int k)
{
  return j->group[j->tri[t].to[k]] != j->group[t];
}

// The edge of the rim that follows the edge (t, k) of the rim: turns about their common point inside the face.
static void next_rim(const joiner *j, int *t, int *k)
{
  int corner = j->tri[*t].v[(*k + 1) % 3];
  *k = (*k + 1) % 3;
  while (!on_rim(j, *t, *k)) {
    *t = j->tri[*t].to[*k];
    const int *v = j->tri[*t].v;
    *k = v[0] == corner ? 0 : v[1] == corner ? 1 : 2;
  }
}

// Walks the rim of the face whose triangles are in `queue`. False: it is no simple polygon.
static bool walk_rim(joiner *j, int count, int face)
{
  int t = RH_NONE;
  int k = 0;
  int edges = 0;
  for (int i = 0; i < count; i++) {
    for (int e = 0; e < 3; e++) {
      if (on_rim(j, j->queue[i], e)) {
        edges++;
        t = t == RH_NONE ? j->queue[i] : t;
        k = t == j->queue[i] ? e : k;
      }
    }
  }
  for (int i = 0; i < edges; i++) {
    int point = j->tri[t].v[k];
    if (j->stamp[point] == face) {
      return false; // passed twice: a pinch, or the rim is in pieces
    }
    j->stamp[point] = face;
    j->out->loop[j->used + i] = point;
    next_rim(j, &t, &k);
  }
  j->used += edges;
  return edges >= 3;
}

static void close_face(joiner *j)
{
  j->out->nface++;
  j->out->first[j->out->nface] = j->used;
}

static void join_triangles(joiner *j)
{
  for (int seed = largest_triangle(j); seed != RH_NONE; seed = largest_triangle(j)) {
    int count = flood_face(j, seed, j->out->nface);
    if (walk_rim(j, count, j->out->nface)) {
      close_face(j);
      continue;
    }
    for (int i = 0; i < count; i++) { // as they are
      int t = j->queue[i];
      j->group[t] = j->out->nface;
      memcpy(j->out->loop + j->used, j->tri[t].v, sizeof j->tri[t].v);
      j->used += 3;
      close_face(j);
    }
  }
}

static void count_meetings(rh_hull_faces *f, int n)
{
  memset(f->meet, 0, (size_t)n * sizeof(int));
  for (int i = 0; i < f->first[f->nface]; i++) {
    f->meet[f->loop[i]]++;
  }
}

// Copies the true corners of loop[start..end-1] to loop[used...]. Returns their number.
static int copy_corners(rh_hull_faces *f, int start, int end, int used)
{
  int first = used;
  for (int k = start; k < end; k++) {
    if (f->meet[f->loop[k]] >= 3) {
      f->loop[used++] = f->loop[k];
    }
  }
  return used - first;
}

// Removes points where two faces meet from the loops, and faces with two points left, until nothing
// changes.
static void drop_false_corners(rh_hull_faces *f, int n)
{
  int before = -1;
  while (f->first[f->nface] != before) {
    before = f->first[f->nface];
    count_meetings(f, n);
    int used = 0;
    int kept = 0;
    int start = 0;
    for (int i = 0; i < f->nface; i++) {
      int end = f->first[i + 1];
      int corners = copy_corners(f, start, end, used);
      start = end;
      if (corners >= 3) {
        used += corners;
        f->first[++kept] = used;
      }
    }
    f->nface = kept;
  }
}

// True if the result is a closed surface. Euler: corners - edges + faces = 2.
static bool is_closed(const rh_hull_faces *f, int n)
{
  int corners = 0;
  for (int i = 0; i < n; i++) {
    corners += f->meet[i] > 0;
  }
  return 2 * (corners + f->nface - 2) == f->first[f->nface];
}

static void keep_triangles(const joiner *j)
{
  rh_hull_faces *f = j->out;
  f->nface = j->ntri;
  for (int t = 0; t < j->ntri; t++) {
    memcpy(f->loop + 3 * (size_t)t, j->tri[t].v, sizeof j->tri[t].v);
    f->first[t + 1] = 3 * (t + 1);
  }
  count_meetings(f, j->n);
}

rh_status rh_hull_join(const rh_vec3 *point, int n, const rh_hull_skin *skin, double slack,
                       rh_hull_faces *faces)
{
  size_t count = (size_t)skin->count;
  joiner j = {.p = point, .n = n, .tri = skin->tri, .ntri = skin->count, .slack = slack};
  *faces = (rh_hull_faces){0};
  faces->first = rh_alloc((4 * count + 1 + (size_t)n) * sizeof(int));
  j.area = rh_alloc(count * sizeof(double));
  j.group = rh_alloc((2 * count + (size_t)n) * sizeof(int));
  bool room = faces->first && j.area && j.group;
  if (room) {
    faces->loop = faces->first + count + 1;
    faces->meet = faces->loop + 3 * count;
    j.queue = j.group + count;
    j.stamp = j.queue + count;
    j.out = faces;
    for (int t = 0; t < j.ntri; t++) {
      j.area[t] = rh_norm(normal_of(&j, t));
      j.group[t] = RH_NONE;
    }
    for (int i = 0; i < n; i++) {
      j.stamp[i] = RH_NONE;
    }
    join_triangles(&j);
    drop_false_corners(faces, n);
    if (!is_closed(faces, n)) {
      keep_triangles(&j);
    }
  } else {
    rh_free(faces->first);
    *faces = (rh_hull_faces){0};
  }
  rh_free(j.area);
  rh_free(j.group);
  return room ? RH_OK : RH_OUT_OF_MEMORY;
}
