// unit_broad.c: the broad phase against looking at every pair: boxes spread out, crowded, moving, infinite, not numbers;
// filters, overflow, and a cost that grows little faster than the number of boxes.
#include "geometry/broad.h"

#include "memory.h"
#include "world.h"

typedef struct crowd {
  int n;
  rh_bounds *box;
} crowd;

static crowd crowd_of(int n)
{
  crowd c = {n, calloc((size_t)n + 1, sizeof(rh_bounds))};
  ck_assert_ptr_nonnull(c.box);
  return c;
}

static rh_bounds box_at(rh_vec3 at, rh_vec3 half)
{
  return (rh_bounds){rh_sub(at, half), rh_add(at, half)};
}

// Written on its own, not as in broad.c. A side that is not a number overlaps.
static bool meet(const rh_bounds *a, const rh_bounds *b)
{
  const double *al = &a->lo.x;
  const double *ah = &a->hi.x;
  const double *bl = &b->lo.x;
  const double *bh = &b->hi.x;
  for (int k = 0; k < 3; k++) {
    if (ah[k] < bl[k] || bh[k] < al[k]) {
      return false;
    }
  }
  return true;
}

static bool odd_sum(const void *user, rh_shape_pair *pair)
{
  return pair->a < pair->b && (pair->a + pair->b) % *(const int *)user == 1;
}

// The pairs in order, one by one.
static void check_all(rh_broad *broad, const crowd *c, const int *modulus)
{
  rh_broad_filter *filter = modulus ? odd_sum : NULL;
  rh_broad_result r = rh_broad_find(broad, c->box, NULL);
  ck_assert(!r.overflow);
  ck_assert_int_ge(r.found, r.count);
  int at = 0;
  int right = 0;
  for (int k = 0; k < c->n * c->n; k++) {
    int a = k / c->n;
    int b = k % c->n;
    if (a < b && meet(&c->box[a], &c->box[b]) &&
        (!filter || filter(modulus, &(rh_shape_pair){.a = a, .b = b}))) {
      right += at < r.count && r.pair[at]->a == a && r.pair[at]->b == b;
      at++;
    }
  }
  ck_assert_int_eq(at, r.count);
  ck_assert_int_eq(right, at);
}

static rh_status open_broad(int n, int capacity, const int *modulus, rh_broad **broad)
{
  rh_broad_opt opt = {
      .n = n, .pairs = capacity, .filter = modulus ? odd_sum : NULL, .user = modulus};
  return rh_broad_create(&opt, broad);
}

static rh_broad *broad_of(int n, int capacity, const int *modulus)
{
  rh_broad *broad = NULL;
  ck_assert_int_eq(open_broad(n, capacity, modulus, &broad), RH_OK);
  return broad;
}

static void scatter(crowd *c, rng *r, bool clustered)
{
  for (int i = 0; i < c->n; i++) {
    rh_vec3 at = rng_vec3(r, 1);
    if (clustered) { // four heaps, and a few long ones across
      at = rh_addscaled(rh_v3(i % 4, 3 * (i % 3), 0), 0.1, at);
    }
    double size = clustered && i % 20 == 0 ? 2 : 0.06;
    rh_vec3 half = {rng_in(r, 0, size), rng_in(r, 0, 0.06), rng_in(r, 0, 0.06)};
    c->box[i] = box_at(at, half);
  }
}

START_TEST(every_pair_is_found)
{
  rng r = {1};
  const int sizes[] = {0, 1, 2, 3, 17, 100, 400};
  const int modulus = 3;
  for (int k = 0; k < RH_COUNT(sizes); k++) {
    for (int clustered = 0; clustered < 2; clustered++) {
      crowd c = crowd_of(sizes[k]);
      rh_broad *all = broad_of(c.n, c.n * c.n, NULL);
      rh_broad *some = broad_of(c.n, c.n * c.n, &modulus);
      for (int round = 0; round < 5; round++) {
        scatter(&c, &r, clustered != 0);
        check_all(all, &c, NULL);
        check_all(some, &c, &modulus);
      }
      rh_broad_destroy(all);
      rh_broad_destroy(some);
      free(c.box);
    }
  }
}

END_TEST

// The tree is kept while the boxes wander off; the answer must not show it.
START_TEST(moving)
{
  rng r = {2};
  crowd c = crowd_of(200);
  rh_broad *broad = broad_of(c.n, c.n * c.n, NULL);
  rh_vec3 *v = calloc((size_t)c.n, sizeof *v);
  scatter(&c, &r, false);
  for (int i = 0; i < c.n; i++) {
    v[i] = rng_vec3(&r, 0.02);
  }
  for (int step = 0; step < 100; step++) {
    for (int i = 0; i < c.n; i++) {
      c.box[i].lo = rh_add(c.box[i].lo, v[i]);
      c.box[i].hi = rh_add(c.box[i].hi, v[i]);
      v[i] = step % 25 == 24 ? rh_neg(v[i]) : v[i];
    }
    check_all(broad, &c, NULL);
  }
  free(v);
  rh_broad_destroy(broad);
  free(c.box);
}

END_TEST

START_TEST(planes_and_worse)
{
  rng r = {3};
  crowd c = crowd_of(120);
  rh_broad *broad = broad_of(c.n, c.n * c.n, NULL);
  const rh_vec3 all = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
  for (int round = 0; round < 20; round++) {
    scatter(&c, &r, round % 2 == 1);
    c.box[7] = (rh_bounds){rh_neg(all), all};
    c.box[40] = (rh_bounds){rh_neg(all), {(double)INFINITY, (double)INFINITY, 0}}; // a floor
    if (round % 3 == 0) {
      c.box[rng_int(&r, c.n)].lo.y = (double)NAN;
      c.box[rng_int(&r, c.n)].hi = rh_v3((double)NAN, (double)NAN, (double)NAN);
    }
    if (round % 4 == 0) { // a huge one, whose sides overflow when they are added
      c.box[5] = (rh_bounds){{-1e308, -1e308, -1e308}, {1e308, 1e308, 1e308}};
    }
    check_all(broad, &c, NULL);
  }
  for (int i = 0; i < c.n; i++) { // nothing but planes
    c.box[i] = (rh_bounds){rh_neg(all), all};
  }
  check_all(broad, &c, NULL);
  for (int i = 0; i < c.n; i++) { // all at one place, without size
    c.box[i] = box_at(rh_v3(1, 2, 3), rh_v3(0, 0, 0));
  }
  check_all(broad, &c, NULL);
  rh_broad_destroy(broad);
  free(c.box);
}

END_TEST

START_TEST(overflow_is_told)
{
  crowd c = crowd_of(30);
  for (int i = 0; i < c.n; i++) {
    c.box[i] = box_at(rh_v3(0, 0, 0.01 * i), rh_v3(1, 1, 1));
  }
  for (int capacity = 0; capacity <= 436; capacity += 109) { // there are 435
    rh_broad *broad = broad_of(c.n, capacity, NULL);
    rh_broad_result r = rh_broad_find(broad, c.box, NULL);
    ck_assert_int_eq(r.found, 435);
    ck_assert_int_eq(r.count, capacity < 435 ? 0 : 435);
    ck_assert(r.overflow == (capacity < 435));
    for (int i = 1; i < r.count; i++) {
      ck_assert(r.pair[i - 1]->a < r.pair[i]->a ||
                (r.pair[i - 1]->a == r.pair[i]->a && r.pair[i - 1]->b < r.pair[i]->b));
    }
    rh_broad_destroy(broad);
  }
  rh_broad *none = NULL;
  ck_assert_int_eq(open_broad(RH_BROAD_SHAPES_MAX + 1, 1, NULL, &none), RH_OVER_LIMIT);
  ck_assert_int_eq(open_broad(1, RH_BROAD_PAIRS_MAX + 1, NULL, &none), RH_OVER_LIMIT);
  ck_assert_ptr_null(none);
  free(c.box);
}

END_TEST

// Boxes in a cube at a density that stays, each overlapping about one other: n grows 16 times. A cost of n log n grows
// 16 * log(16000) / log(1000) = 22 times, one of n^(5/3), which sorting along one axis has, 101 times.
static int64_t cost_of(int n, int kind)
{
  rng r = {9};
  crowd c = crowd_of(n);
  rh_broad *broad = broad_of(n, 20 * n, NULL);
  double side = cbrt(n);
  for (int i = 0; i < n; i++) {
    rh_vec3 at = rng_vec3(&r, side / 2);
    if (kind == 1) { // a flat heap
      at = rh_v3(rng_in(&r, 0, sqrt(n)), rng_in(&r, 0, sqrt(n)), rng_in(&r, 0, 1));
    } else if (kind == 2) { // heaps of eight, far from each other and all along one line
      at = rh_add(rh_v3(20.0 * (i >> 3), 0, 0), rng_vec3(&r, 1));
    }
    c.box[i] = box_at(at, rh_v3(0.25, 0.25, 0.25));
  }
  (void)rh_broad_find(broad, c.box, NULL);
  for (int i = 0; i < n; i++) { // again with a tree that is a little old
    rh_vec3 d = rng_vec3(&r, 0.1);
    c.box[i].lo = rh_add(c.box[i].lo, d);
    c.box[i].hi = rh_add(c.box[i].hi, d);
  }
  rh_broad_result result = rh_broad_find(broad, c.box, NULL);
  ck_assert(!result.overflow);
  ck_assert_int_gt(result.found, n / 10);
  rh_broad_destroy(broad);
  free(c.box);
  return result.tests;
}

START_TEST(cost_grows_slowly)
{
  for (int kind = 0; kind < 3; kind++) {
    int64_t small = cost_of(1000, kind);
    int64_t large = cost_of(16000, kind);
    ck_assert_msg(large < 24 * small, "kind %d: %lld tests, then %lld", kind, (long long)small,
                  (long long)large);
    ck_assert_msg(large < (int64_t)16000 * 60, "kind %d: %lld tests", kind, (long long)large);
  }
}

END_TEST

START_TEST(nothing_is_allocated)
{
  rng r = {4};
  crowd c = crowd_of(300);
  rh_broad *broad = NULL;
  memory_watch(1);
  ck_assert_int_eq(open_broad(c.n, 10000, NULL, &broad), RH_OUT_OF_MEMORY);
  ck_assert_ptr_null(broad);
  memory_watch(0);
  ck_assert_int_eq(open_broad(c.n, 10000, NULL, &broad), RH_OK);
  memory_watch(0);
  for (int round = 0; round < 10; round++) {
    scatter(&c, &r, round % 2 == 0);
    (void)rh_broad_find(broad, c.box, NULL);
  }
  ck_assert_int_eq(the_memory.calls, 0);
  rh_broad_destroy(broad);
  ck_assert_int_eq(the_memory.out, 0);
  rh_hook_set_allocator(NULL);
  free(c.box);
}

END_TEST

Suite *rh_suite_unit_broad(void)
{
  Suite *suite = suite_create("unit_broad");
  TCase *tcase = tcase_create("broad");
  tcase_add_test(tcase, every_pair_is_found);
  tcase_add_test(tcase, moving);
  tcase_add_test(tcase, planes_and_worse);
  tcase_add_test(tcase, overflow_is_told);
  tcase_add_test(tcase, cost_grows_slowly);
  tcase_add_test(tcase, nothing_is_allocated);
  suite_add_tcase(suite, tcase);
  return suite;
}
