// The square-root rule for contacts of different e: u+ = -W^1/2 E W^-1/2 u with the symmetric root. In y = W^-1/2 u the energy is
// 1/2 |y|^2 and y+ = -E y, so that none is gained for |e| <= 1; it couples the contacts. W^1/2 = Q
// U s U'Q' from R = U s V', by one-sided Jacobi rotations of the rows of R: those become
// orthogonal, s their lengths. It iterates, SWEEPS times at most.
#include "impact/map/collision_map_part.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 30 };

// Makes two rows orthogonal; rotates those of U' alike. True: they were.
static bool rotate_rows(int r, double *a, double *b, double *ua, double *ub)
{
  double aa = rh_collide_dot(r, a, a);
  double bb = rh_collide_dot(r, b, b);
  double ab = rh_collide_dot(r, a, b);
  if (fabs(ab) <= DBL_EPSILON * sqrt(aa) * sqrt(bb)) {
    return true;
  }
  double theta = (bb - aa) / (2 * ab);
  double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1);
  double s = c * t;
  for (int i = 0; i < r; i++) {
    double x = a[i];
    double y = ua[i];
    a[i] = c * x - s * b[i];
    b[i] = s * x + c * b[i];
    ua[i] = c * y - s * ub[i];
    ub[i] = s * y + c * ub[i];
  }
  return false;
}

// S := s V', T := U'
static void decompose_factor(rh_collide_work *w)
{
  const int r = w->rank;
  memcpy(w->S, w->R, (size_t)r * r * sizeof(double));
  memset(w->T, 0, (size_t)r * r * sizeof(double));
  for (int i = 0; i < r; i++) {
    w->T[(size_t)i * r + i] = 1;
  }
  bool done = false;
  for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
    done = true;
    for (int i = 0; i < r; i++) {
      for (int k = i + 1; k < r; k++) {
        size_t a = (size_t)i * r;
        size_t b = (size_t)k * r;
        done = rotate_rows(r, w->S + a, w->S + b, w->T + a, w->T + b) && done;
      }
    }
  }
}

// x := U s^power U' x, power 1 or -1
static void apply_root(const rh_collide_work *w, bool inverse, double *x, double *scratch)
{
  const int r = w->rank;
  for (int i = 0; i < r; i++) {
    const double *row = w->S + (size_t)i * r;
    double s = sqrt(rh_collide_dot(r, row, row));
    double along = rh_collide_dot(r, w->T + (size_t)i * r, x);
    scratch[i] = inverse ? along / s : along * s;
  }
  memset(x, 0, (size_t)r * sizeof(double));
  for (int i = 0; i < r; i++) {
    rh_collide_add(r, scratch[i], w->T + (size_t)i * r, x);
  }
}

void rh_collide_sqrt(rh_collide_work *w, const double *E)
{
  decompose_factor(w);
  memcpy(w->x, w->uh, (size_t)w->rank * sizeof(double));
  apply_root(w, true, w->x, w->y);
  rh_collide_up(w, w->x, w->want);
  for (int i = 0; i < w->m; i++) {
    w->want[i] *= E[(int)w->row[i]];
  }
  rh_collide_down(w, w->want, w->wh);
  apply_root(w, false, w->wh, w->y);
  rh_collide_up(w, w->wh, w->want);
}
