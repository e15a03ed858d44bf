// free_body_impact.h: a free rigid body that strikes the ground with some of its points: contact-space inertia, velocities before,
// and what impulses do to it. For tests of impacts; the functions are static because each suite is one file.
#ifndef ROUTH_TEST_FREE_BODY_IMPACT_H
#define ROUTH_TEST_FREE_BODY_IMPACT_H

#include <routh/math.h>

#include <stddef.h>
#include <stdint.h>

enum { STRIKER_POINTS = 16, STRIKER_ROWS = 3 * STRIKER_POINTS };

typedef struct striker {
  double mass;
  rh_mat3 inverse; // of the inertia, world axes
  rh_vec3 v, w;
  int n;
  rh_vec3 arm[STRIKER_POINTS]; // from the centre of mass, world axes
  double W[STRIKER_ROWS * STRIKER_ROWS], u[STRIKER_ROWS];
} striker;

#define MAYBE_UNUSED __attribute__((unused))

MAYBE_UNUSED static rh_vec3 vector_of(const double x[3])
{
  return rh_v3(x[0], x[1], x[2]);
}

// `inertia`: principal moments; `point`: in the body's axes, three numbers each.
MAYBE_UNUSED static void striker_make(striker *b, double mass, const double inertia[3],
                                      const rh_mat3 *R, const double *point)
{
  rh_mat3 D = {{1 / inertia[0], 0, 0, 0, 1 / inertia[1], 0, 0, 0, 1 / inertia[2]}};
  rh_mat3 T = rh_mat3_transpose(R);
  rh_mat3 RD = rh_mat3_mul(R, &D);
  int rows = 3 * b->n;
  b->mass = mass;
  b->inverse = rh_mat3_mul(&RD, &T);
  for (int i = 0; i < b->n; i++) {
    b->arm[i] = rh_rotate(R, vector_of(point + (ptrdiff_t)3 * i));
    rh_vec3 u = rh_add(b->v, rh_cross(b->w, b->arm[i]));
    b->u[3 * i] = u.x;
    b->u[3 * i + 1] = u.y;
    b->u[3 * i + 2] = u.z;
  }
  for (int j = 0; j < rows; j++) { // a unit impulse on each row in turn
    rh_vec3 p = rh_v3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    rh_vec3 spin = rh_rotate(&b->inverse, rh_cross(b->arm[j / 3], p));
    for (int i = 0; i < b->n; i++) {
      rh_vec3 du = rh_addscaled(rh_cross(spin, b->arm[i]), 1 / mass, p);
      b->W[(3 * i) * rows + j] = du.x;
      b->W[(3 * i + 1) * rows + j] = du.y;
      b->W[(3 * i + 2) * rows + j] = du.z;
    }
  }
}

MAYBE_UNUSED static void striker_after(const striker *b, const double *p, rh_vec3 *v, rh_vec3 *w)
{
  *v = b->v;
  *w = b->w;
  for (int i = 0; i < b->n; i++) {
    rh_vec3 at = vector_of(p + (ptrdiff_t)3 * i);
    *v = rh_addscaled(*v, 1 / b->mass, at);
    *w = rh_add(*w, rh_rotate(&b->inverse, rh_cross(b->arm[i], at)));
  }
}

// ---- Numbers by chance, the same in every run

MAYBE_UNUSED static double chance(uint64_t *state) // in [0, 1)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

MAYBE_UNUSED static double within(uint64_t *state, double lo, double hi)
{
  return lo + (hi - lo) * chance(state);
}

#endif
