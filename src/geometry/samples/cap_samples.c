// cap_samples.c: points within the flat ends of a cylinder, in addition to the four on each rim (`samples` n > 4): n - 4 in rings
// of at least three, each ring in the middle of its part of the disc. The rim has the weight c = 2/n, a point within 1 - c over
// their number; the rings are drawn together, so that the second moments are those of the disc,
//   c + (1 - c) M = 1/2,  M the mean square of the rings' radii (radius 1; a lone point is the centre, c = 1/2)
// n = 6 has a ring of two: its second moments are right in the mean of the two axes only.
#include "geometry/pair.h"

#include <math.h>

static const double TURN = 2.39996322972865332; // [rad] from ring to ring: the golden angle

int rh_cap_inner(const rh_geom *a)
{
  int inner = (int)a->par[RH_CYLINDER_SAMPLES] - 4;
  return inner > 0 ? inner : 0;
}

double rh_cap_rim_weight(const rh_geom *a)
{
  int n = rh_cap_inner(a) + 4;
  return n == 4 ? 0.25 : n == 5 ? 0.125 : 0.5 / n;
}

// The ring of point i of n, and those inside of it: as many rings as have points at equal distances.
static int ring_of(int n, int i, int *inside, int *index)
{
  int rings = (int)(sqrt(n / 3.0) + 0.5);
  int left = n;
  int ring = 0;
  rings = rings < 1 ? 1 : rings;
  *inside = 0;
  for (;; ring++) { // shares as 1, 3, 5, ...; the last takes what is left
    int part = (2 * ring + 1) * n / (rings * rings);
    int points = ring == rings - 1 ? left : part < 3 ? 3 : part;
    if (i < *inside + points) {
      *index = i - *inside;
      return points;
    }
    *inside += points;
    left -= points;
  }
}

static double place_square(int n, int i, double *angle)
{
  int inside;
  int index;
  int points = ring_of(n, i, &inside, &index);
  *angle = 2 * 3.14159265358979323846 * index / points + inside * TURN;
  return n == 1 ? 0 : (2.0 * inside + points) / (2.0 * n); // the mean of all is 1/2
}

void rh_ring_place(int n, int i, double *r, double *angle)
{
  *r = sqrt(place_square(n, i, angle));
}

void rh_cap_sample(const rh_geom *a, int id, rh_vec3 *x, double *weight)
{
  int n = rh_cap_inner(a);
  double angle;
  double square = place_square(n, id % n, &angle);
  double c = 4 * rh_cap_rim_weight(a);
  double r = a->par[0] * sqrt(square * 2 * (0.5 - c) / (1 - c));
  *x = rh_v3(r * rh_cos(angle), r * rh_sin(angle), (id < n ? -0.5 : 0.5) * a->par[1]);
  *weight = (1 - c) / n;
}
