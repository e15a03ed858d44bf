// box_samples.c: the points that represent the faces of a box on a plane or heightfield, and the area of each.
//   4, 8, 9, 16   a lattice of m x m points on each face, shared along the edges; 8: without the centres
//   others        the four corners, and n - 4 points within the face: rows along its longer way, as many as its
//                 proportions ask for, mirrored about both middles
// The weights of the points add up to the face. Those of others: the corners have c/4 each, a point within its cell's
// part of 1 - c; places within are stretched, so that both second moments are those of the face,
//   c + (1 - c) S = 1/3,  S the mean of those of the cells' middles about both axes (half sides 1)
// and the face has its stiffness in heave and tilt (as 9 and 16 have). n = 6 and 7 have one row: its own way only.
#include "geometry/pair.h"

#include <math.h>

#define INSIDE 0.95 // of half a side: farther out is next to the edge

// ---- Lattices

static bool is_end(const rh_box_samples *l, int i)
{
  return i == 0 || i == l->m - 1;
}

// Weight of the point (i, j) of a face. A hollow face shares the weight of its centre, 4/9, among the four middles.
static double lattice_weight(const rh_box_samples *l, int i, int j)
{
  double w = l->w[i] * l->w[j];
  if (l->hollow && is_end(l, i) != is_end(l, j)) {
    w += 1.0 / 9;
  }
  return w;
}

// Area of the face at the end i of axis k, as seen from the plane
static double face_area(const rh_box_samples *l, int k, bool low)
{
  double seen = low ? -l->share[k] : l->share[k];
  return l->thin[k] ? fabs(seen) : fmax(0, seen);
}

// Area of the point at[3]: from each of its faces that points to the plane.
static double lattice_area(const rh_box_samples *l, const int at[3])
{
  double area = 0;
  for (int k = 0; k < 3; k++) {
    int i = at[k];
    if (is_end(l, i)) {
      double weight =
          l->inner > 0 ? l->corner[k] : lattice_weight(l, at[(k + 1) % 3], at[(k + 2) % 3]);
      area += face_area(l, k, i == 0) * weight;
    }
  }
  return area;
}

static bool lattice_point(const rh_box_samples *l, int id, int at[3], rh_vec3 *x)
{
  double step = 1.0 / (l->m - 1);
  at[0] = id % l->m;
  at[1] = id / l->m % l->m;
  at[2] = id / (l->m * l->m);
  int ends = is_end(l, at[0]) + is_end(l, at[1]) + is_end(l, at[2]);
  *x = rh_v3(l->size[0] * (at[0] * step - 0.5), l->size[1] * (at[1] * step - 0.5),
             l->size[2] * (at[2] * step - 0.5));
  for (int k = 0; k < 3; k++) {
    if (l->thin[k] && at[k] > 0) {
      return false;
    }
  }
  return ends > (l->hollow ? 1 : 0); // the others lie inside
}

// ---- Points within a face

// Rows of n points on a face whose sides across and along the rows are as `ratio`: an odd number if n is odd.
static int count_rows(int n, double ratio)
{
  int least = n < 4 ? 1 : 2 + n % 2;
  int greatest = n < 4 ? 1 : n - 2;
  double want = fmin(fmax(sqrt(n * ratio), least), greatest);
  int rows = (int)(want + 0.5);
  if (n % 2 == 1 && rows % 2 == 0) {
    rows += want < rows ? -1 : 1;
  }
  return rows < least ? least : rows > greatest ? greatest : rows;
}

// Points of row j: those that are left over go to the middle, and in pairs to the outer rows.
static int points_of_row(int n, int rows, int j)
{
  int left = n % rows;
  int middle = rows % 2 == 1 ? left % 2 : 0;
  int pairs = (left - middle) / 2;
  int from_end = j < rows - 1 - j ? j : rows - 1 - j;
  return n / rows + (from_end < pairs) + (middle > 0 && j == rows / 2);
}

// Middle of cell i of n between -1 and 1
static double cell_middle(int i, int n)
{
  return (2.0 * i + 1) / n - 1;
}

// Second moments of the cells' middles along and across the rows, of half sides 1
static void cell_moments(int n, int rows, double S[2])
{
  S[0] = S[1] = 0;
  for (int j = 0; j < rows; j++) {
    int points = points_of_row(n, rows, j);
    double y = cell_middle(j, rows);
    S[0] += (1 - 1.0 / ((double)points * points)) / (3 * rows);
    S[1] += y * y / rows;
  }
}

// Stretch of `inner` points in rows. False: a point would be outside, or next to the edge.
static bool stretch_rows(rh_box_samples *l, int k, int rows)
{
  double S[2];
  cell_moments(l->inner, rows, S);
  double mean = 0.5 * (S[0] + S[1]);
  int longest = points_of_row(l->inner, rows, 0);
  int middle = points_of_row(l->inner, rows, rows / 2);
  longest = middle > longest ? middle : longest;
  l->rows[k] = rows;
  l->corner[k] = (1.0 / 3 - mean) / (1 - mean) / 4;
  l->stretch[k][0] = S[0] > 0 ? sqrt(mean / S[0]) : 1;
  l->stretch[k][1] = S[1] > 0 ? sqrt(mean / S[1]) : 1;
  return l->stretch[k][0] * (1 - 1.0 / longest) < INSIDE &&
         l->stretch[k][1] * (1 - 1.0 / rows) < INSIDE;
}

// The face across axis k. Many short rows on a long face become fewer until all points are within it.
static void spread_face(rh_box_samples *l, int k)
{
  int along = (k + 1) % 3;
  int across = (k + 2) % 3;
  if (l->inner < 4 && l->size[across] > l->size[along]) { // one row, along the longer side
    along = (k + 2) % 3;
    across = (k + 1) % 3;
  }
  double ratio = l->size[along] > 0 ? l->size[across] / l->size[along] : 1;
  int rows = count_rows(l->inner, ratio);
  l->along[k] = along;
  while (!stretch_rows(l, k, rows) && rows > 3) {
    rows -= 2;
  }
}

static bool inner_point(const rh_box_samples *l, int id, rh_vec3 *x, double *area)
{
  int face = id / l->inner;
  int i = id % l->inner;
  int k = face / 2;
  bool low = face % 2 == 0;
  int along = l->along[k];
  int across = 3 - k - along;
  int row = 0;
  int points = points_of_row(l->inner, l->rows[k], 0);
  while (i >= points) {
    i -= points;
    points = points_of_row(l->inner, l->rows[k], ++row);
  }
  double at[3] = {0};
  at[k] = low ? -0.5 : 0.5;
  at[along] = 0.5 * l->stretch[k][0] * cell_middle(i, points);
  at[across] = 0.5 * l->stretch[k][1] * cell_middle(row, l->rows[k]);
  *x = rh_v3(l->size[0] * at[0], l->size[1] * at[1], l->size[2] * at[2]);
  *area = face_area(l, k, low) * (1 - 4 * l->corner[k]) / (l->rows[k] * points);
  return !(l->thin[k] && !low) && !l->thin[along] && !l->thin[across];
}

// ---- All

rh_box_samples rh_box_samples_of(const rh_geom *a, rh_vec3 normal)
{
  const double *size = a->par;
  int samples = (int)size[3];
  rh_box_samples l = {.size = size, .m = 2, .w = {0.5, 0.5}};
  if (samples == 16) {
    l.m = 4;
    l.w[0] = l.w[3] = 0.125; // Simpson's 3/8 rule
    l.w[1] = l.w[2] = 0.375;
  } else if (samples == 8 || samples == 9) {
    l.m = 3;
    l.w[0] = l.w[2] = 1.0 / 6; // Simpson's rule
    l.w[1] = 4.0 / 6;
    l.hollow = samples == 8;
  } else {
    l.inner = samples - 4;
  }
  l.share[0] = -normal.x * size[1] * size[2];
  l.share[1] = -normal.y * size[0] * size[2];
  l.share[2] = -normal.z * size[0] * size[1];
  for (int k = 0; k < 3; k++) {
    l.thin[k] = size[k] == 0;
  }
  for (int k = 0; k < 3 && l.inner > 0; k++) {
    spread_face(&l, k);
  }
  l.count = l.m * l.m * l.m + 6 * l.inner;
  l.capacity = samples > RH_TOUCH_KEPT ? samples : RH_TOUCH_KEPT;
  return l;
}

bool rh_box_sample(const rh_box_samples *l, int id, rh_vec3 *x, double *area)
{
  int nodes = l->m * l->m * l->m;
  int at[3];
  if (id >= nodes) {
    return inner_point(l, id - nodes, x, area);
  }
  bool on = lattice_point(l, id, at, x);
  *area = on ? lattice_area(l, at) : 0;
  return on;
}
