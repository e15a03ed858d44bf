// hull_samples.c: points within a face of a hull, in addition to its k corners (`samples` n > k): n - k in rings, those of a disc
// (cap_samples.c) drawn to an ellipse about the face's centroid. The corners have the part c of the area, shared as without
// points within, a point within 1 - c over their number. With M and Mc the second moments of the face and of its corners,
//   c Mc + (1 - c) T = M
// gives the second moments T of the rings, so that the face has its stiffness in heave and tilt. c is 1/2 of a point's equal part
// per corner, more where the ellipse would leave the face: it ends at INSIDE of the distance to each side.
// One point within has no moments of its own: the mean of both axes is right (both are, of triangles and parallelograms). Two
// points lie along the longer axis, whose moment is right. A face with more corners than count (hull_pair.h) has the moments only
// approximately; a sliver has no points within.
#include "geometry/hull/hull_pair.h"
#include "geometry/pair.h"

#include <math.h>

static const double INSIDE = 0.95;
static const double SLIVER = 1e-6; // area over the square of the longest side

typedef struct plane_frame { // of a face: its points as two numbers
  rh_vec3 at, x, y;
} plane_frame;

typedef struct moments { // about the origin of a frame; xx, xy, yy
  double area, mean[2], second[3];
} moments;

static void add_point(moments *m, const double p[2], double area)
{
  m->area += area;
  m->mean[0] += area * p[0];
  m->mean[1] += area * p[1];
  m->second[0] += area * p[0] * p[0];
  m->second[1] += area * p[0] * p[1];
  m->second[2] += area * p[1] * p[1];
}

static void flatten_point(const plane_frame *f, rh_vec3 x, double p[2])
{
  rh_vec3 d = rh_sub(x, f->at);
  p[0] = rh_dot(d, f->x);
  p[1] = rh_dot(d, f->y);
}

// Of a polygon: triangles from its first corner, each as its area at the middles of its sides (exact for squares).
static moments polygon_moments(double (*p)[2], int n)
{
  moments m = {0};
  for (int i = 1; i + 1 < n; i++) {
    double area = 0.5 * ((p[i][0] - p[0][0]) * (p[i + 1][1] - p[0][1]) -
                         (p[i + 1][0] - p[0][0]) * (p[i][1] - p[0][1]));
    const double *corner[3] = {p[0], p[i], p[i + 1]};
    for (int k = 0; k < 3; k++) {
      const double *q = corner[(k + 1) % 3];
      const double middle[2] = {0.5 * (corner[k][0] + q[0]), 0.5 * (corner[k][1] + q[1])};
      add_point(&m, middle, area / 3);
    }
  }
  return m;
}

// [m^2] per area
static double moment_along(const moments *m, const double d[2])
{
  return (m->second[0] * d[0] * d[0] + 2 * m->second[1] * d[0] * d[1] +
          m->second[2] * d[1] * d[1]) /
         m->area;
}

// The least part of the corners with which an ellipse of half axes 2 (of its moments) is inside all sides
static double part_inside(double (*p)[2], int n, const moments *face, const moments *corners)
{
  double part = 0;
  for (int i = 0; i < n; i++) {
    const double *q = p[i + 1 < n ? i + 1 : 0];
    double length = rh_hypot(q[0] - p[i][0], q[1] - p[i][1]);
    const double out[2] = {(q[1] - p[i][1]) / length, (p[i][0] - q[0]) / length};
    double half = 0.5 * INSIDE * (out[0] * p[i][0] + out[1] * p[i][1]);
    double more = moment_along(face, out) - half * half;
    if (more > 0) {
      part = fmax(part, more / (moment_along(corners, out) - half * half));
    }
  }
  return part;
}

// Axes of T: M = K K', K^-1 Mc K^-T = V diag(lambda) V', T = K V diag((1 - c lambda) / (1 - c)) V' K'. The greater lambda is first.
static void common_axes(const moments *face, const moments *corners, double KV[2][2],
                        double lambda[2])
{
  double m[3];
  double c[3];
  for (int i = 0; i < 3; i++) {
    m[i] = face->second[i] / face->area;
    c[i] = corners->second[i] / corners->area;
  }
  double k00 = sqrt(m[0]);
  double k10 = m[1] / k00;
  double k11 = sqrt(fmax(m[2] - k10 * k10, 0));
  double b00 = c[0] / m[0];
  double b01 = (c[1] / k00 - b00 * k10) / k11;
  double b11 = (c[2] - 2 * k10 * c[1] / k00 + k10 * k10 * b00) / (k11 * k11);
  double angle = 0.5 * rh_atan2(2 * b01, b00 - b11);
  double off = rh_hypot(0.5 * (b00 - b11), b01);
  lambda[0] = 0.5 * (b00 + b11) + off;
  lambda[1] = 0.5 * (b00 + b11) - off;
  const double v[2][2] = {{rh_cos(angle), rh_sin(angle)}, {-rh_sin(angle), rh_cos(angle)}};
  for (int i = 0; i < 2; i++) {
    KV[i][0] = k00 * v[i][0];
    KV[i][1] = k10 * v[i][0] + k11 * v[i][1];
  }
}

static double squared_length(const double v[2])
{
  return v[0] * v[0] + v[1] * v[1];
}

// The two half axes of the rings, from the part of the corners
static void draw_rings(const plane_frame *f, double KV[2][2], const double lambda[2],
                       rh_face_inner *inner)
{
  double axis[2][2];
  for (int i = 0; i < 2; i++) {
    double size = sqrt(fmax(1 - inner->corners * lambda[i], 0) / (1 - inner->corners));
    axis[i][0] = 2 * size * KV[i][0];
    axis[i][1] = 2 * size * KV[i][1];
  }
  bool longer = squared_length(axis[1]) > squared_length(axis[0]);
  for (int i = 0; i < 2; i++) { // two points lie along the first, at 1/sqrt(2), with the moment 1/2
    double scale = inner->n == 2 ? sqrt(0.5) : 1;
    const double *v = axis[longer ? 1 - i : i];
    inner->axis[i] = rh_add(rh_scale(scale * v[0], f->x), rh_scale(scale * v[1], f->y));
  }
}

// The frame at the centroid of a face, and its corners there; false: a sliver
static bool frame_face(const rh_hull *hull, const rh_hull_face *face, plane_frame *f,
                       double (*p)[2], moments *m)
{
  const int *loop = hull->loop + face->first;
  double longest = 0;
  f->at = hull->vert[loop[0]];
  f->x = rh_any_normal(face->normal);
  f->y = rh_cross(face->normal, f->x);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < face->count; k++) {
      flatten_point(f, hull->vert[loop[k]], p[k]);
      longest = fmax(longest, rh_norm(rh_sub(hull->vert[loop[k]], f->at)));
    }
    *m = polygon_moments(p, face->count);
    if (!(m->area > SLIVER * longest * longest)) {
      return false;
    }
    f->at = rh_addscaled(f->at, pass == 0 ? m->mean[0] / m->area : 0, f->x);
    f->at = rh_addscaled(f->at, pass == 0 ? m->mean[1] / m->area : 0, f->y);
  }
  return true;
}

rh_face_inner rh_hull_inner(const rh_hull *hull, int face, int samples)
{
  const rh_hull_face *of = &hull->face[face];
  rh_face_inner inner = {.corners = 1};
  double p[RH_TOUCH_MAX][2];
  plane_frame f;
  moments m;
  if (samples <= of->count || of->count > RH_TOUCH_MAX || !frame_face(hull, of, &f, p, &m)) {
    return inner;
  }
  moments corners = {0};
  int kept = 0;
  for (int k = 0; k < of->count; k++) {
    double share = rh_hull_corner_share(hull, face, hull->loop[of->first + k]);
    kept += share > 0;
    add_point(&corners, p[k], share);
  }
  double KV[2][2];
  double lambda[2];
  common_axes(&m, &corners, KV, lambda);
  inner.n = samples - kept;
  if (inner.n == 1) {
    inner.corners = 2 / (lambda[0] + lambda[1]);
  } else {
    double equal = fmin(0.5 * kept / samples, 0.5 / lambda[0]);
    inner.corners = fmax(equal, part_inside(p, of->count, &m, &corners));
    inner.corners = fmin(inner.corners, 1 / lambda[0]);
    draw_rings(&f, KV, lambda, &inner);
  }
  inner.centre = f.at;
  inner.weight = (1 - inner.corners) * m.area / inner.n;
  return inner;
}

rh_vec3 rh_hull_inner_point(const rh_face_inner *inner, int i)
{
  double r;
  double angle;
  rh_ring_place(inner->n, i, &r, &angle);
  return rh_addscaled(rh_addscaled(inner->centre, r * rh_cos(angle), inner->axis[0]),
                      r * rh_sin(angle), inner->axis[1]);
}
