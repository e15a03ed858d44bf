// unit_broad_steps.c: the broad phase of time steps against looking at every pair: many random motions, slow, fast, jumps, planes
// that turn, boxes without bounds; the same answer whatever came before; the place each pair had; room that runs out; cost.
#include "geometry/broad.h"

#include "memory.h"
#include "shapes.h"

#define N_MAX 400

typedef struct herd {
  int n, nplane;
  int plane[4];
  rh_half half[4];
  rh_vec3 at[N_MAX], speed[N_MAX], size[N_MAX];
  rh_bounds box[N_MAX];
} herd;

static bool is_plane(const herd *h, int i)
{
  for (int k = 0; k < h->nplane; k++) {
    if (h->plane[k] == i) {
      return true;
    }
  }
  return false;
}

static void set_boxes(herd *h)
{
  for (int i = 0; i < h->n; i++) {
    h->box[i] = (rh_bounds){rh_sub(h->at[i], h->size[i]), rh_add(h->at[i], h->size[i])};
  }
}

// Boxes of sides 0.02 to 0.2, a few of them ten times as large; planes among them.
static void roll_herd(herd *h, dice *d, int n, int nplane, double room)
{
  h->n = n;
  h->nplane = nplane;
  for (int k = 0; k < nplane; k++) {
    h->plane[k] = 3 + 7 * k;
    h->half[k] = (rh_half){roll_unit(d), -roll(d, 0.2, 0.8) * room};
  }
  for (int i = 0; i < n; i++) {
    h->at[i] = roll_vec(d, room);
    h->speed[i] = roll_vec(d, 1);
    double s = roll(d, 0, 1) < 0.03 ? 1 : 0.1;
    h->size[i] = rh_v3(s * roll(d, 0.1, 1), s * roll(d, 0.1, 1), s * roll(d, 0.1, 1));
  }
  set_boxes(h);
}

static void drift(herd *h, double dt)
{
  for (int i = 0; i < h->n; i++) {
    h->at[i] = rh_addscaled(h->at[i], dt, h->speed[i]);
  }
  set_boxes(h);
}

static rh_broad *open_herd(const herd *h, int pairs, rh_broad_filter *filter)
{
  rh_broad *b;
  rh_broad_opt opt = {h->n, h->nplane, h->plane, pairs, filter, h, NULL};
  ck_assert_int_eq(rh_broad_create(&opt, &b), RH_OK);
  return b;
}

// Written on its own: the box as its eight corners against a plane.
static bool corner_inside(const rh_half *p, const rh_bounds *b)
{
  for (int k = 0; k < 8; k++) {
    rh_vec3 x = {k & 1 ? b->hi.x : b->lo.x, k & 2 ? b->hi.y : b->lo.y, k & 4 ? b->hi.z : b->lo.z};
    if (rh_dot(p->n, x) <= p->d) {
      return true;
    }
  }
  return false;
}

static bool meet_truly(const herd *h, int a, int b)
{
  for (int k = 0; k < h->nplane; k++) {
    if (h->plane[k] == a || h->plane[k] == b) {
      int other = h->plane[k] == a ? b : a;
      return !is_plane(h, other) && corner_inside(&h->half[k], &h->box[other]);
    }
  }
  const double *al = &h->box[a].lo.x;
  const double *ah = &h->box[a].hi.x;
  const double *bl = &h->box[b].lo.x;
  const double *bh = &h->box[b].hi.x;
  for (int k = 0; k < 3; k++) {
    if (ah[k] < bl[k] || bh[k] < al[k]) {
      return false;
    }
  }
  return true;
}

// Some of them are exchanged, as a plane is where it comes first.
static bool is_odd_pair(const void *user, rh_shape_pair *pair)
{
  (void)user;
  int a = pair->a;
  int b = pair->b;
  if ((a + b) % 5 == 0) {
    pair->a = b;
    pair->b = a;
  }
  pair->rule = a;
  return (a ^ b) % 3 != 0;
}

typedef struct memory_of { // marks of the answer before in the caches of its pairs; 0: not in it
  int mark[N_MAX][N_MAX];
  int last;
} memory_of;

static bool same_pair(const rh_shape_pair *x, const rh_shape_pair *y)
{
  return x->a == y->a && x->b == y->b && x->rule == y->rule;
}

static void check_answer(const herd *h, const rh_broad_result *r, rh_broad_filter *filter,
                         memory_of *m)
{
  static int now[N_MAX][N_MAX];
  int at = 0;
  int wrong = 0;
  memset(now, 0, sizeof now);
  ck_assert(!r->overflow);
  for (int a = 0; a < h->n; a++) {
    for (int b = a + 1; b < h->n; b++) {
      rh_shape_pair pair = {.a = a, .b = b};
      if (meet_truly(h, a, b) && (!filter || filter(h, &pair))) {
        ck_assert_int_lt(at, r->count);
        rh_vec3 *axis = &r->pair[at]->cache.axis; // stays while the pair is near
        wrong += !same_pair(r->pair[at], &pair) || (m->mark[a][b] && axis->x != m->mark[a][b]);
        axis->x = now[a][b] = ++m->last;
        at++;
      }
    }
  }
  ck_assert_int_eq(wrong, 0);
  ck_assert_int_eq(at, r->count);
  memcpy(m->mark, now, sizeof now);
}

static void run(int n, int nplane, double dt, rh_broad_filter *filter, uint64_t seed)
{
  static herd h;
  static memory_of m;
  dice d = {seed};
  memset(&m, 0, sizeof m);
  roll_herd(&h, &d, n, nplane, 0.5);
  rh_broad *b = open_herd(&h, n * n, filter);
  for (int step = 0; step < 60; step++) {
    rh_broad_result r = rh_broad_find(b, h.box, h.half);
    check_answer(&h, &r, filter, &m);
    drift(&h, dt);
    if (step % 10 == 9) { // some jump, and go elsewhere; a plane turns
      for (int i = 0; i < n; i += 9) {
        h.at[i] = roll_vec(&d, 0.5);
        h.speed[i] = roll_vec(&d, 1);
      }
      set_boxes(&h);
    }
    if (step % 20 == 13 && nplane > 0) {
      h.half[step % nplane].n = roll_unit(&d);
    }
  }
  rh_broad_destroy(b);
}

START_TEST(random_motions)
{
  run(0, 0, 0.01, NULL, 1);
  run(1, 0, 0.01, NULL, 1);
  run(2, 0, 0.01, NULL, 2);
  run(60, 2, 1e-4, NULL, 3);
  run(150, 0, 1e-3, NULL, 4);
  run(150, 3, 1e-3, is_odd_pair, 5);
  run(150, 3, 1e-2, NULL, 6);
  run(150, 4, 0.2, is_odd_pair, 7);
  run(300, 1, 3e-3, NULL, 8);
}

END_TEST

// Whatever came before, the pairs are those of a fresh start.
START_TEST(the_past_does_not_show)
{
  static herd h;
  dice d = {11};
  roll_herd(&h, &d, 200, 2, 0.5);
  rh_broad *b = open_herd(&h, 40000, NULL);
  for (int step = 0; step < 100; step++) {
    rh_broad *fresh = open_herd(&h, 40000, NULL);
    rh_broad_result r = rh_broad_find(b, h.box, h.half);
    rh_broad_result s = rh_broad_find(fresh, h.box, h.half);
    ck_assert_int_eq(r.count, s.count);
    for (int i = 0; i < r.count; i++) {
      same_int(r.pair[i]->a, s.pair[i]->a);
      same_int(r.pair[i]->b, s.pair[i]->b);
      r.pair[i]->cache.axis.x = 1;
    }
    rh_broad_destroy(fresh);
    drift(&h, step % 7 == 0 ? 0.05 : 1e-3);
  }
  rh_broad_forget(b);
  rh_broad_result r = rh_broad_find(b, h.box, h.half);
  ck_assert(r.count > 0 && r.pair[0]->cache.axis.x == 0);
  rh_broad_destroy(b);
}

END_TEST

// What stands still is not looked for again, and what moves little is not for a while.
START_TEST(only_what_moves_costs)
{
  static herd h;
  dice d = {5};
  roll_herd(&h, &d, 300, 1, 0.5);
  rh_broad *b = open_herd(&h, 90000, NULL);
  ck_assert_int_eq(rh_broad_find(b, h.box, h.half).moved, 300);
  ck_assert_int_eq(rh_broad_find(b, h.box, h.half).moved, 0);
  h.box[17].lo.x -= 1;
  ck_assert_int_eq(rh_broad_find(b, h.box, h.half).moved, 1);
  rh_broad_destroy(b);
}

END_TEST

START_TEST(without_bounds)
{
  static herd h;
  static memory_of m;
  dice d = {23};
  memset(&m, 0, sizeof m);
  roll_herd(&h, &d, 100, 1, 0.5);
  rh_broad *b = open_herd(&h, 10000, NULL);
  for (int step = 0; step < 20; step++) {
    h.box[20] = (rh_bounds){{-HUGE_VAL, -0.1, -HUGE_VAL}, {HUGE_VAL, 0.1 + 0.01 * step, 0}};
    if (step > 5 && step < 12) {
      h.box[31].lo.x = -HUGE_VAL;
      h.box[40].hi.z = HUGE_VAL;
    }
    rh_broad_result r = rh_broad_find(b, h.box, h.half);
    check_answer(&h, &r, NULL, &m);
    drift(&h, 1e-2);
  }
  // A side that is not a number overlaps everything along it; nothing is lost, nothing hangs.
  h.box[50] = (rh_bounds){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
  rh_broad_result r = rh_broad_find(b, h.box, h.half);
  int with = 0;
  for (int i = 0; i < r.count; i++) {
    with += r.pair[i]->a == 50 || r.pair[i]->b == 50;
  }
  ck_assert_int_eq(with, 99);
  rh_broad_destroy(b);
}

END_TEST

START_TEST(room_runs_out)
{
  static herd h;
  static memory_of m;
  dice d = {29};
  memset(&m, 0, sizeof m);
  roll_herd(&h, &d, 120, 1, 2);
  rh_broad *b = open_herd(&h, 4, NULL);
  int grown = 0;
  for (int step = 0; step < 40; step++) {
    rh_broad_result r = rh_broad_find(b, h.box, h.half);
    while (r.overflow) { // all boxes are drawn again then: there may be a few pairs more
      ck_assert_int_eq(r.count, 0);
      ck_assert_int_eq(rh_broad_grow(b, (int)(r.found + r.found / 8)), RH_OK);
      r = rh_broad_find(b, h.box, h.half);
      grown++;
    }
    check_answer(&h, &r, NULL, &m);
    for (int i = 0; i < h.n; i++) { // they crowd together
      h.at[i] = rh_scale(0.95, h.at[i]);
    }
    set_boxes(&h);
  }
  ck_assert_int_gt(grown, 2);
  ck_assert_int_eq(rh_broad_grow(b, RH_BROAD_PAIRS_MAX + 1), RH_OVER_LIMIT);
  rh_broad_destroy(b);
  ck_assert_int_eq(rh_broad_create(&(rh_broad_opt){.n = RH_BROAD_SHAPES_MAX + 1}, &b),
                   RH_OVER_LIMIT);
  rh_broad_destroy(NULL);
}

END_TEST

START_TEST(nothing_is_allocated)
{
  static herd h;
  dice d = {31};
  roll_herd(&h, &d, 200, 2, 0.5);
  rh_broad *b;
  rh_broad_opt opt = {h.n, h.nplane, h.plane, 40000, NULL, NULL, NULL};
  for (int fail = 1; fail <= 2; fail++) {
    memory_watch(fail);
    ck_assert_int_eq(rh_broad_create(&opt, &b), RH_OUT_OF_MEMORY);
    ck_assert_ptr_null(b);
  }
  memory_watch(0);
  b = open_herd(&h, 40000, NULL);
  memory_watch(1);
  ck_assert_int_eq(rh_broad_grow(b, 50000), RH_OUT_OF_MEMORY);
  memory_watch(0);
  for (int step = 0; step < 50; step++) {
    (void)rh_broad_find(b, h.box, h.half);
    drift(&h, 1e-2);
  }
  ck_assert_int_eq(the_memory.calls, 0);
  rh_broad_destroy(b);
  ck_assert_int_eq(the_memory.out, 0);
  rh_hook_set_allocator(NULL);
}

END_TEST

// A heap of n boxes that shakes: comparisons of the tenth step after the start, and of a hundred steps together.
static int64_t cost_of(int n, int64_t *many)
{
  rh_vec3 *at = calloc((size_t)n, sizeof *at);
  rh_bounds *box = calloc((size_t)n, sizeof *box);
  ck_assert(at && box);
  dice d = {77};
  double side = cbrt(n) / 2;
  for (int i = 0; i < n; i++) {
    at[i] = roll_vec(&d, side);
  }
  rh_broad *b;
  ck_assert_int_eq(rh_broad_create(&(rh_broad_opt){.n = n, .pairs = 30 * n}, &b), RH_OK);
  int64_t one = 0;
  *many = 0;
  for (int step = 0; step < 100; step++) {
    for (int i = 0; i < n; i++) {
      at[i] = rh_add(at[i], roll_vec(&d, 0.01));
      rh_vec3 half = {0.5, 0.5, 0.5};
      box[i] = (rh_bounds){rh_sub(at[i], half), rh_add(at[i], half)};
    }
    rh_broad_result r = rh_broad_find(b, box, NULL);
    ck_assert(!r.overflow);
    *many += r.tests;
    one = step == 0 ? r.tests : one;
  }
  rh_broad_destroy(b);
  free(at);
  free(box);
  return one;
}

// 16 times the boxes: 16 times the work and the logarithm, which adds a third at most.
START_TEST(cost_grows_slowly)
{
  int64_t many[2];
  int64_t one[2];
  one[0] = cost_of(500, &many[0]);
  one[1] = cost_of(8000, &many[1]);
  ck_assert_msg(one[1] < 24 * one[0], "%lld, then %lld", (long long)one[0], (long long)one[1]);
  ck_assert_msg(many[1] < 24 * many[0], "%lld, then %lld", (long long)many[0], (long long)many[1]);
}

END_TEST

// By one thread and by three, side by side: boxes that drift, some that jump, and a plane; every third is still, at last.
START_TEST(threads_change_nothing)
{
  enum { N = 3000, STEPS = 12 };

  static rh_vec3 at[N];
  static rh_bounds box[N];
  static bool still[N];
  dice d = {5};
  int plane = 7;
  rh_half half = {{0, 0, 1}, -5};
  rh_pool *pool = rh_pool_create(3);
  rh_broad_opt opt = {N, 1, &plane, 60 * N, NULL, NULL, NULL};
  rh_broad *b[2];
  ck_assert_int_eq(rh_broad_create(&opt, &b[0]), RH_OK);
  opt.pool = pool;
  ck_assert_int_eq(rh_broad_create(&opt, &b[1]), RH_OK);
  for (int i = 0; i < N; i++) {
    at[i] = roll_vec(&d, 7);
    still[i] = i % 3 == 0;
  }
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < N; i++) {
      bool jumps = i % 100 == step || (step == 4 && i % 2 == 0); // then the whole tree is searched
      at[i] = jumps ? roll_vec(&d, 7) : rh_add(at[i], roll_vec(&d, 0.02));
      rh_vec3 reach = {0.5, 0.5, 0.5};
      box[i] = (rh_bounds){rh_sub(at[i], reach), rh_add(at[i], reach)};
    }
    if (step == STEPS / 2) {
      rh_broad_still(b[0], still);
      rh_broad_still(b[1], still);
    }
    rh_broad_result one = rh_broad_find(b[0], box, &half);
    rh_broad_result other = rh_broad_find(b[1], box, &half);
    ck_assert_int_gt(one.count, 1024); // more than one thread's part
    ck_assert_int_eq(one.count, other.count);
    ck_assert_int_eq(one.moved, other.moved);
    for (int i = 0; i < one.count; i++) {
      const rh_shape_pair *p = one.pair[i];
      ck_assert(p->a == other.pair[i]->a && p->b == other.pair[i]->b);
      ck_assert(step < STEPS / 2 || !still[p->a] || !still[p->b]);
    }
  }
  rh_broad_destroy(b[0]);
  rh_broad_destroy(b[1]);
  rh_pool_destroy(pool);
}

END_TEST

Suite *rh_suite_unit_broad_steps(void)
{
  Suite *suite = suite_create("unit_broad_steps");
  TCase *tcase = tcase_create("steps");
  tcase_add_test(tcase, random_motions);
  tcase_add_test(tcase, the_past_does_not_show);
  tcase_add_test(tcase, only_what_moves_costs);
  tcase_add_test(tcase, without_bounds);
  tcase_add_test(tcase, room_runs_out);
  tcase_add_test(tcase, nothing_is_allocated);
  tcase_add_test(tcase, cost_grows_slowly);
  tcase_add_test(tcase, threads_change_nothing);
  suite_add_tcase(suite, tcase);
  return suite;
}
