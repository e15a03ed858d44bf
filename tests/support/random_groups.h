// random_groups.h: random contact groups as numbers (D, J, velocities), their collision, and the pseudo-inverse of W by a route of its own: singular
// values of J D^-1/2, never of W. For the tests of the collision map; functions are static because each suite is one file.
#ifndef ROUTH_TEST_RANDOM_GROUPS_H
#define ROUTH_TEST_RANDOM_GROUPS_H

#include "impact/collision_map.h"
#include "random.h"
#include "math/dense.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { NV = 40, N = 60 };
#define GROUPS rh_trials(10000)

typedef struct group {
  int nv, n, rank;
  double D[NV * NV], L[NV * NV]; // inertia, its Cholesky factor
  double J[N * NV], X[N * NV];   // X = J D^-1
  double W[N * N], v[NV], u[N], e[N];
  double p[N], after[N], qd[NV];
  double room[N * NV + 3 * NV * NV + 6 * N + 4 * NV];
  rh_collide_out out;
} group;

MAYBE_UNUSED static int pick(uint64_t *seed, int lo, int hi)
{
  int k = lo + (int)((lot(seed) + 1) / 2 * (hi - lo + 1));
  return k < hi ? k : hi;
}

// Multiples of 1/4 in -1.5 .. 1.5: products of two such matrices are exact, and so is their rank.
MAYBE_UNUSED static void quarters(uint64_t *seed, double *x, int n)
{
  for (int i = 0; i < n; i++) {
    x[i] = nearbyint(6 * lot(seed)) / 4;
  }
}

MAYBE_UNUSED static void measure(group *g)
{
  memcpy(g->X, g->J, sizeof(g->X));
  for (int i = 0; i < g->n; i++) {
    rh_cholesky_solve(g->nv, g->L, g->X + (ptrdiff_t)i * g->nv);
  }
  rh_collide_matrix(g->n, g->nv, g->J, g->X, g->W);
  product(g->n, g->nv, 1, g->J, g->v, g->u);
}

MAYBE_UNUSED static void factor_inertia(group *g)
{
  memcpy(g->L, g->D, sizeof(g->L));
  ck_assert(rh_cholesky(g->nv, g->L));
}

// J = A B has at most the rank asked for; rows are turned so that every contact approaches. Masses a thousand to one in every
// third group.
MAYBE_UNUSED static void random_group(uint64_t *seed, group *g)
{
  static double A[N * NV];
  static double B[NV * NV];
  static double G[NV * NV];
  g->nv = pick(seed, 1, NV);
  g->n = pick(seed, 1, N);
  g->rank = pick(seed, 1, g->n < g->nv ? g->n : g->nv);
  quarters(seed, A, g->n * g->rank);
  quarters(seed, B, g->rank * g->nv);
  product(g->n, g->rank, g->nv, A, B, g->J);
  lots(seed, G, g->nv * g->nv);
  gram(g->nv, g->nv, G, g->D);
  double spread = pick(seed, 0, 2) == 0 ? 0.75 : 0;
  for (int i = 0; i < g->nv; i++) {
    g->D[i * g->nv + i] += 1;
    double s = pow(10, spread * lot(seed));
    for (int k = 0; k < g->nv; k++) {
      g->D[i * g->nv + k] *= s;
      g->D[k * g->nv + i] *= s;
    }
  }
  lots(seed, g->v, g->nv);
  product(g->n, g->nv, 1, g->J, g->v, g->u);
  for (int i = 0; i < g->n; i++) {
    for (int k = 0; k < g->nv && g->u[i] > 0; k++) {
      g->J[i * g->nv + k] *= -1;
    }
  }
  factor_inertia(g);
  measure(g);
}

MAYBE_UNUSED static double energy(const group *g, const double *v)
{
  double sum = 0;
  for (int i = 0; i < g->nv; i++) {
    for (int k = 0; k < g->nv; k++) {
      sum += v[i] * g->D[i * g->nv + k] * v[k] / 2;
    }
  }
  return sum;
}

MAYBE_UNUSED static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

MAYBE_UNUSED static void collide(group *g, rh_collide_in how)
{
  how.n = g->n;
  how.nv = g->nv;
  how.W = g->W;
  how.u = how.u != NULL ? how.u : g->u;
  how.e = g->e;
  ck_assert_int_le((int)rh_collide_room(g->n, g->nv), RH_COUNT(g->room));
  ck_assert(rh_collide_map(&how, g->room, g->p, g->after, &g->out));
  for (int i = 0; i < g->nv; i++) {
    g->qd[i] = g->v[i];
    for (int k = 0; k < g->n; k++) {
      g->qd[i] += g->X[k * g->nv + i] * g->p[k];
    }
  }
}

MAYBE_UNUSED static void one_e(group *g, double e)
{
  for (int i = 0; i < g->n; i++) {
    g->e[i] = e;
  }
}

// ---- The pseudo-inverse by another route

typedef struct svd {
  int n, nv, rank;
  double A[NV * N]; // columns of J L^-T; then U s
  double s[NV];     // singular values, zero: no column
  double cond;      // largest over least
} svd;

// One-sided Jacobi: columns are turned in pairs until all are orthogonal.
MAYBE_UNUSED static void turn_columns(svd *f)
{
  bool done = false;
  for (int sweep = 0; sweep < 60 && !done; sweep++) {
    done = true;
    for (int i = 0; i < f->nv; i++) {
      for (int k = i + 1; k < f->nv; k++) {
        double *a = f->A + (ptrdiff_t)i * f->n;
        double *b = f->A + (ptrdiff_t)k * f->n;
        double aa = 0;
        double bb = 0;
        double ab = 0;
        for (int j = 0; j < f->n; j++) {
          aa += a[j] * a[j];
          bb += b[j] * b[j];
          ab += a[j] * b[j];
        }
        if (fabs(ab) <= 1e-15 * sqrt(aa * bb)) {
          continue;
        }
        done = false;
        double theta = (bb - aa) / (2 * ab);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1);
        for (int j = 0; j < f->n; j++) {
          double x = a[j];
          a[j] = c * (x - t * b[j]);
          b[j] = c * (t * x + b[j]);
        }
      }
    }
  }
}

MAYBE_UNUSED static void decompose(const group *g, svd *f)
{
  f->n = g->n;
  f->nv = g->nv;
  f->rank = 0;
  for (int i = 0; i < g->n; i++) { // rows of J L^-T: L y = J_i
    double y[NV];
    for (int k = 0; k < g->nv; k++) {
      y[k] = g->J[i * g->nv + k];
      for (int j = 0; j < k; j++) {
        y[k] -= g->L[k * g->nv + j] * y[j];
      }
      y[k] /= g->L[k * g->nv + k];
      f->A[k * g->n + i] = y[k];
    }
  }
  turn_columns(f);
  double most = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < f->nv; k++) {
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
      sum += f->A[k * f->n + i] * f->A[k * f->n + i];
    }
    f->s[k] = sqrt(sum);
    most = fmax(most, f->s[k]);
  }
  for (int k = 0; k < f->nv; k++) {
    // Rounding leaves some 1e-15 of the largest where there is nothing.
    f->s[k] = f->s[k] > 1e-11 * most ? f->s[k] : 0;
    f->rank += f->s[k] > 0;
    least = f->s[k] > 0 ? fmin(least, f->s[k]) : least;
  }
  f->cond = f->rank > 0 ? most / least : 1;
}

// x = W^+ b = U s^-2 U'b
MAYBE_UNUSED static void pseudo(const svd *f, const double *b, double *x)
{
  memset(x, 0, (size_t)f->n * sizeof(double));
  for (int k = 0; k < f->nv; k++) {
    if (f->s[k] > 0) {
      const double *a = f->A + (ptrdiff_t)k * f->n;
      double along = 0;
      for (int i = 0; i < f->n; i++) {
        along += a[i] * b[i];
      }
      along /= f->s[k] * f->s[k] * f->s[k] * f->s[k];
      for (int i = 0; i < f->n; i++) {
        x[i] += along * a[i];
      }
    }
  }
}

#endif
