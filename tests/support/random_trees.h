// random_trees.h: random trees and room to work on them, for the tests that compare routes to one answer.
#ifndef ROUTH_TEST_RANDOM_TREES_H
#define ROUTH_TEST_RANDOM_TREES_H

#include "world.h"

#include <stdlib.h>

#define TREES 200
#define CHUNKS (RH_TEST_SLOW ? 4 : 20) // starting a process is what costs a sanitizer build
#define EPS 2.2e-16

typedef struct bench { // a tree and room to work
  rh_model *model;
  rh_data *d;
  int nv;
  double *H;       // nv x nv
  double *A, *B;   // nv x nv, scratch
  double *x, *y, *z, *bias, *tau, *v; // nv
  double *q;       // nq
  rng r;
} bench;

static inline double *doubles(size_t n)
{
  double *x = calloc(n + 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static inline bench open_bench(uint64_t seed, const tree_options *o)
{
  bench b = {.r = {seed + 1000}};
  b.model = model_of(random_tree(seed, o));
  b.d = rh_data_create(b.model);
  ck_assert_ptr_nonnull(b.d);
  rh_data_reset(b.d);
  rh_kinematics(b.d);
  b.nv = b.model->nv;
  size_t n = (size_t)b.nv;
  b.H = doubles(n * n);
  b.A = doubles(n * n);
  b.B = doubles(n * n);
  b.x = doubles(n);
  b.y = doubles(n);
  b.z = doubles(n);
  b.bias = doubles(n);
  b.tau = doubles(n);
  b.v = doubles(n);
  b.q = doubles((size_t)b.model->nq);
  for (int i = 0; i < b.nv; i++) {
    b.tau[i] = rng_in(&b.r, -10, 10);
  }
  return b;
}

static inline void close_bench(bench *b)
{
  double *all[] = {b->H, b->A, b->B, b->x, b->y, b->z, b->bias, b->tau, b->v, b->q};
  for (int i = 0; i < RH_COUNT(all); i++) {
    free(all[i]);
  }
  rh_data_destroy(b->d);
  rh_model_destroy(b->model);
}

static inline tree_options size_of_tree(int seed)
{
  return (tree_options){.joints = 1 + seed % 60};
}

// Each loop test takes its share of the trees.
#define FOR_TREES(seed) for (int seed = _i * (TREES / CHUNKS); seed < (_i + 1) * (TREES / CHUNKS); seed++)

static inline double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static inline void within(const char *what, int seed, double error, double allowed)
{
  ck_assert_msg(error <= allowed, "tree %d: %s: error %.3g, allowed %.3g", seed, what, error, allowed);
}

static inline double distance(const double *x, const double *y, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double off = fabs(x[i] - y[i]);
    most = off <= most ? most : off; // NaN comes through
  }
  return most;
}

static inline void mass(bench *b)
{
  rh_mass_matrix(b->d);
  rh_mass_factor(b->d);
  rh_mass_dense(b->d, b->H);
  rh_bias(b->d, b->bias);
}

static inline double fastest_turn(const rh_data *d)
{
  double most = 0;
  for (int i = 1; i < d->model->nbody; i++) {
    most = fmax(most, rh_norm(d->kin[i].v.ang));
  }
  return most;
}

static inline double farthest(const rh_data *d)
{
  double most = 1;
  for (int i = 1; i < d->model->nbody; i++) {
    most = fmax(most, rh_norm(d->kin[i].p));
  }
  return most;
}

#endif
