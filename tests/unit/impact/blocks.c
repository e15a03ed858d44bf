// unit_blocks.c: many contacts block by block: the judge against hand-made violations, closed forms, ranks, sparse factors.
#include "complement/block_ldl.h"
#include "math/dense.h"
#include "solver_harness.h"

// ---- The judge

// One contact with d = 2, u = W p + b chosen through b.
static double judged(rh_block_kind kind, double limit, const double *p, const double *u)
{
  const int start[2] = {0, 1};
  const int col[1] = {0};
  const bool one = rh_block_rows(kind) == 1;
  const double W[9] = {2, 0, 0, 0, one ? 0 : 1, 0, 0, 0, one ? 0 : 2};
  const double b[3] = {u[0] - W[0] * p[0], u[1] - W[4] * p[1], u[2] - W[8] * p[2]};
  const rh_blocks q = {1, &kind, &limit, start, col, W, b};
  ck_assert_ptr_null(rh_blocks_check(&q));
  return rh_blocks_residual(&q, p);
}

typedef struct violation {
  rh_block_kind kind;
  double limit;
  double p[3], u[3];
  double want; // [m/s]
} violation;

static const violation violations[] = {
    // right ones: open, sticking, sliding
    {RH_BLOCK_CONE, 0.5, {0, 0, 0}, {3, 4, 1}, 0},
    {RH_BLOCK_CONE, 0.5, {0.3, 0.4, 1}, {0, 0, 0}, 0},
    {RH_BLOCK_CONE, 0.5, {-0.3, -0.4, 1}, {6, 8, 0}, 0},
    // approach, pull, push while parting (the lesser of u and d p), in that order
    {RH_BLOCK_CONE, 0.5, {0, 0, 0}, {0, 0, -0.25}, 0.25},
    {RH_BLOCK_CONE, 0.5, {0, 0, -1}, {0, 0, 0}, 2},
    {RH_BLOCK_CONE, 0.5, {0, 0, 1}, {0, 0, 0.25}, 0.25},
    {RH_BLOCK_CONE, 0.5, {0, 0, 0.125}, {0, 0, 3}, 0.25},
    // outside the cone by 0.25: d = 2
    {RH_BLOCK_CONE, 0.5, {0.75, 0, 1}, {0, 0, 0}, 0.5},
    // slides within the cone: p_t = 0 would go to -0.5; by u_t/d where that stays in the disc
    {RH_BLOCK_CONE, 0.5, {0, 0, 1}, {8, 0, 0}, 1},
    {RH_BLOCK_CONE, 0.5, {0, 0, 1}, {0.5, 0, 0}, 0.5},
    // friction along the slide: 0.5 should be -0.5
    {RH_BLOCK_CONE, 0.5, {0.5, 0, 1}, {8, 0, 0}, 2},
    {RH_BLOCK_BALL, 0, {5, 5, 5}, {0.3, 0, 0.4}, 0.5},
    {RH_BLOCK_EQUAL, 0, {5, 0, 0}, {-0.3, 0, 0}, 0.3},
    {RH_BLOCK_LOW, 0, {0, 0, 0}, {7, 0, 0}, 0},
    {RH_BLOCK_LOW, 0, {3, 0, 0}, {0, 0, 0}, 0},
    {RH_BLOCK_LOW, 0, {0, 0, 0}, {-0.3, 0, 0}, 0.3},
    {RH_BLOCK_LOW, 0, {-0.25, 0, 0}, {1, 0, 0}, 0.5},
    {RH_BLOCK_BOX, 0.5, {0.25, 0, 0}, {0, 0, 0}, 0},
    {RH_BLOCK_BOX, 0.5, {-0.5, 0, 0}, {9, 0, 0}, 0},
    {RH_BLOCK_BOX, 0.5, {0.5, 0, 0}, {-9, 0, 0}, 0},
    {RH_BLOCK_BOX, 0.5, {0.75, 0, 0}, {0, 0, 0}, 0.5},
    {RH_BLOCK_BOX, 0.5, {0.5, 0, 0}, {9, 0, 0}, 2},
    {RH_BLOCK_BOX, 0.5, {0, 0, 0}, {0.125, 0, 0}, 0.125},
};

START_TEST(judge_of_violations)
{
  const violation *v = &violations[_i];
  near_abs(judged(v->kind, v->limit, v->p, v->u), v->want, 1e-15);
}

END_TEST

START_TEST(judge_of_nonsense)
{
  const rh_block_kind kind = RH_BLOCK_CONE;
  const int start[2] = {0, 1};
  const int col[1] = {0};
  const double mu = 0.5;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double b[3] = {0};
  const rh_blocks q = {1, &kind, &mu, start, col, W, b};
  for (int i = 0; i < 3; i++) {
    double p[3] = {0, 0, 1};
    p[i] = (double)NAN;
    ck_assert(rh_blocks_residual(&q, p) == HUGE_VAL);
    p[i] = HUGE_VAL;
    ck_assert(rh_blocks_residual(&q, p) == HUGE_VAL);
  }
}

END_TEST

START_TEST(shape_is_checked)
{
  rh_block_kind kind[2] = {RH_BLOCK_CONE, RH_BLOCK_LOW};
  double limit[2] = {0.5, 0};
  int start[3] = {0, 1, 2};
  int col[2] = {0, 1};
  double W[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1};
  double b[6] = {0};
  const rh_blocks q = {2, kind, limit, start, col, W, b};
  ck_assert_ptr_null(rh_blocks_check(&q));
  W[9 + 4] = 1;
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
  W[9 + 4] = 0;
  b[4] = 1;
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
  b[4] = (double)NAN;
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
  b[4] = 0;
  limit[0] = -1;
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
  limit[0] = 1;
  col[1] = 0; // no diagonal, and nothing mirrors it
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
  col[1] = 2;
  ck_assert_ptr_nonnull(rh_blocks_check(&q));
}

END_TEST

// ---- Closed forms, by every row

// A point of mass m on the floor: it stops where |v_t| <= mu |v_n|, else loses mu |v_n| along v_t.
START_TEST(sliding_block)
{
  FOR_EACH_ROW;
  uint64_t seed = 3;
  for (int trial = 0; trial < 200; trial++) {
    double m = exp(3 * lot(&seed));
    double mu = 1 + lot(&seed);
    const double v[3] = {lot(&seed), lot(&seed), lot(&seed)};
    const int start[2] = {0, 1};
    const int col[1] = {0};
    const double W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
    const rh_block_kind kind = RH_BLOCK_CONE;
    const rh_blocks q = {1, &kind, &mu, start, col, W, v};
    double p[3] = {0};
    double u[3];
    must(solver, &q, p);
    rh_blocks_velocity(&q, p, u);
    double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    double left = v[2] >= 0 ? 1 : fmax(1 + mu * v[2] / speed, 0);
    const double want[3] = {left * v[0], left * v[1], fmax(v[2], 0)};
    near_array(u, want, 3, 1e-11, 0); // ten times what was asked for
  }
}

END_TEST

// A wedge of mass m between two smooth planes at angles a and b: N_a sin a = N_b sin b, N_a cos a + N_b cos b = m v.
START_TEST(wedge)
{
  FOR_EACH_ROW;
  double a = 0.7;
  double b = 0.4;
  heap *h = calloc(1, sizeof(*h));
  int body = heap_body(h, 0, 0, 0, 3, 1e3); // hard to turn
  const double at[3] = {0};
  const double na[3] = {sin(a), 0, cos(a)};
  const double nb[3] = {-sin(b), 0, cos(b)};
  uint64_t seed = 1;
  heap_touch(h, 0, body, RH_NONE, at, na);
  heap_touch(h, 0, body, RH_NONE, at, nb);
  h->v[body][5] = -1;
  heap_finish(h, &seed, 0);
  double p[6] = {0};
  must(solver, &h->blocks, p);
  near_abs(p[2], 3 * sin(b) / sin(a + b), 1e-10); // W is of size 1/3: some tens of the tolerance
  near_abs(p[5], 3 * sin(a) / sin(a + b), 1e-10);
  free(h);
}

END_TEST

// Points on each other: what lies above is carried, by contacts, held rows or limits alike.
START_TEST(column_of_points)
{
  FOR_EACH_ROW;

  enum { N = 8 };

  const rh_block_kind kinds[3] = {RH_BLOCK_CONE, RH_BLOCK_LOW, RH_BLOCK_EQUAL};
  for (int k = 0; k < 3; k++) {
    heap *h = calloc(1, sizeof(*h));
    uint64_t seed = 1;
    double axes[3][3];
    double up[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double want[3 * N] = {0};
    double p[3 * N] = {0};
    int normal = kinds[k] == RH_BLOCK_CONE ? 2 : 0;
    heap_axes(heap_up, axes);
    for (int i = 0; i < N; i++) {
      const double at[3] = {0, 0, i};
      heap_body(h, 0, 0, i, 1 + i, 1);
      h->v[i][5] = -1;
      heap_add(h, kinds[k], 0.5, (const int[2]){i, i - 1}, at, normal == 2 ? axes : up);
      for (int j = 0; j <= i; j++) {
        want[3 * j + normal] += 1 + i;
      }
    }
    heap_finish(h, &seed, 0);
    must(solver, &h->blocks, p);
    near_array(p, want, 3 * N, 1e-8, 0); // W has condition 1e3, masses of 8: 1e-12 * 8 * 1e3
    free(h);
  }
}

END_TEST

// Two bodies on a ball: they meet at the common velocity. A dry joint takes limit / m, or stops.
START_TEST(balls_and_boxes)
{
  FOR_EACH_ROW;
  heap *h = calloc(1, sizeof(*h));
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  uint64_t seed = 1;
  const double at[3] = {0};
  double p[12] = {0};
  double u[12];
  for (int i = 0; i < 4; i++) {
    heap_body(h, 0, 0, 0, 1 + i, 1);
    h->v[i][5] = 0;
    h->v[i][3] = i < 2 ? i : 1;
  }
  heap_add(h, RH_BLOCK_BALL, 0, (const int[2]){0, 1}, at, axes);
  heap_add(h, RH_BLOCK_BOX, 1.5, (const int[2]){2, RH_NONE}, at, axes);
  heap_add(h, RH_BLOCK_BOX, 5, (const int[2]){3, RH_NONE}, at, axes);
  heap_finish(h, &seed, 0);
  must(solver, &h->blocks, p);
  rh_blocks_velocity(&h->blocks, p, u);
  const double want[9] = {2.0 / 3, 0, 0, -1.5, 0, 0, -4, 0, 0};
  near_array(p, want, 9, 1e-10, 0);
  near_abs(u[3], 0.5, 1e-11);
  near_abs(u[6], 0, 1e-11);
  free(h);
}

END_TEST

// ---- Uniqueness

// A box that rests on one to four points: three rows each, of rank 3, 5, 6, 6.
START_TEST(ranks)
{
  for (int corners = 1; corners <= 4; corners++) {
    heap *h = calloc(1, sizeof(*h));
    uint64_t seed = 1;
    double p[12] = {0};
    int box = heap_body(h, 0, 0, 0.5, 1, 0.7);
    for (int c = 0; c < corners; c++) {
      double angle = 2 * 3.14159265358979 * c / corners;
      const double at[3] = {corners == 1 ? 0 : 0.5 * cos(angle),
                            corners == 1 ? 0 : 0.5 * sin(angle), 0};
      heap_touch(h, 0.5, box, RH_NONE, at, heap_up);
    }
    heap_finish(h, &seed, 0);
    must(row_of(1), &h->blocks, p);
    rh_blocks_rank rank = rank_of(&h->blocks, p);
    ck_assert_int_eq(rank.stick, corners);
    ck_assert_int_eq(rank.rows, 3 * corners);
    ck_assert_int_eq(rank.rank, corners == 1 ? 3 : corners == 2 ? 5 : 6);
    ck_assert_int_eq(rank.impulses_unique, corners == 1);
    ck_assert(rank.velocities_unique);
    free(h);
  }
}

END_TEST

// What slides can only change its size: one row.
START_TEST(rank_of_a_slide)
{
  heap *h = calloc(1, sizeof(*h));
  uint64_t seed = 1;
  double p[3] = {0};
  const double at[3] = {0};
  int point = heap_body(h, 0, 0, 0, 1, 1);
  heap_touch(h, 0.1, point, RH_NONE, at, heap_up);
  h->v[point][3] = 1;
  heap_finish(h, &seed, 0);
  must(row_of(1), &h->blocks, p);
  rh_blocks_rank rank = rank_of(&h->blocks, p);
  ck_assert_int_eq(rank.slip, 1);
  ck_assert_int_eq(rank.rows, 1);
  ck_assert(rank.impulses_unique && rank.velocities_unique);
  free(h);
}

END_TEST

// A ball that lies on one point carries a known load, also where it lies on a box that shares its own among three. With `flat` nothing moves along t2: a third
// of the rows is inert, and belongs to no load that is shared.
START_TEST(shared_loads)
{
  for (int flat = 0; flat < 2; flat++) {
    heap *h = calloc(1, sizeof(*h));
    uint64_t seed = 1;
    double p[12] = {0};
    bool shared[4];
    double *room;
    int box = heap_body(h, 0, 0, 0.5, 1, 0.7);
    int ball = heap_body(h, 0, 0, 1.5, 1, 0.1);
    for (int c = 0; c < 3; c++) {
      const double at[3] = {0.5 * (c - 1), c == 1 ? 0.5 : -0.25, 0};
      heap_touch(h, 0.5, box, RH_NONE, at, heap_up);
    }
    const double top[3] = {0, 0, 1};
    heap_touch(h, 0.5, ball, box, top, heap_up);
    heap_finish(h, &seed, 0);
    must(row_of(1), &h->blocks, p);
    int entries = h->blocks.start[h->blocks.n];
    for (int e = 0; flat && e < 9 * entries; e++) { // rows and columns t2
      h->W[e] = e % 9 / 3 == 1 || e % 3 == 1 ? 0 : h->W[e];
    }
    for (int i = 0; flat && i < h->blocks.n; i++) {
      h->b[3 * i + 1] = p[3 * i + 1] = 0;
    }
    room = calloc(rh_blocks_rank_room(h->blocks.n, entries), sizeof(double));
    rh_blocks_rank rank;
    ck_assert(rh_blocks_unique(&h->blocks, p, room, &rank, shared));
    ck_assert_int_eq(rank.rows, 12);
    ck_assert_int_eq(rank.inert, flat ? 4 : 0);
    ck_assert(shared[0] && shared[1] && shared[2] && !shared[3]);
    free(room);
    free(h);
  }
}

END_TEST

// ---- Factors

// W + d, made lopsided, and the same as a dense matrix. What is skipped is of the unit matrix.
static void make_lopsided(heap *h, const bool *skip, double *A, uint64_t *seed)
{
  const rh_blocks *q = &h->blocks;
  size_t n = 3 * (size_t)q->n;
  for (int i = 0; i < q->n; i++) {
    double d = rh_block_unit(q, i);
    for (int e = 9 * q->start[i]; e < 9 * q->start[i + 1]; e++) {
      int j = q->col[e / 9];
      size_t row = 3 * (size_t)i + (size_t)(e % 9 / 3);
      size_t column = 3 * (size_t)j + (size_t)(e % 3);
      h->W[e] = h->W[e] * (1 + 0.1 * lot(seed)) + (row == column ? d : 0);
      A[row * n + column] = skip[i] || skip[j] ? row == column : h->W[e];
    }
  }
}

// By the sparse factors and by dense ones with pivots; every third block is skipped.
START_TEST(factors)
{
  uint64_t seed = 23;
  heap *h = heap_make((recipe)_i, &seed);
  const rh_blocks *q = &h->blocks;
  int n = 3 * q->n;
  ck_assert_int_gt(n, 0);
  rh_sparse f;
  double *room = malloc(rh_sparse_room(q->n, q->start[q->n]) * sizeof(double));
  double *A = calloc((size_t)n * (size_t)n, sizeof(double));
  double *x = malloc((size_t)n * sizeof(double));
  double *y = malloc((size_t)n * sizeof(double));
  int *pivot = malloc((size_t)n * sizeof(int));
  bool *skip = calloc((size_t)n, sizeof(bool));
  for (int i = 2; i < q->n; i += 3) {
    skip[i] = true;
  }
  make_lopsided(h, skip, A, &seed);
  const rh_sparse_matrix m = {q->start, q->col, h->W, skip, 1e-13};
  lots(&seed, x, n);
  memcpy(y, x, (size_t)n * sizeof(double));
  ck_assert(rh_sparse_analyse(&f, q->n, q->start, q->col, room));
  ck_assert_int_eq(rh_sparse_factor(&f, &m), 0);
  rh_sparse_solve(&f, skip, x);
  ck_assert(rh_lu(n, A, pivot));
  rh_lu_solve(n, A, pivot, y);
  near_array(x, y, n, 1e-9, 1e-9); // numbers of size 1, condition up to 1e5 with masses of 1e4
  free(room);
  free(A);
  free(x);
  free(y);
  free(pivot);
  free(skip);
  free(h);
}

END_TEST

Suite *rh_suite_unit_blocks(void)
{
  Suite *suite = suite_create("unit_blocks");
  TCase *tests = tcase_create("blocks");
  tcase_add_loop_test(tests, judge_of_violations, 0, RH_COUNT(violations));
  tcase_add_test(tests, judge_of_nonsense);
  tcase_add_test(tests, shape_is_checked);
  tcase_add_loop_test(tests, factors, 0, HEAP_RECIPES);
  tcase_add_test(tests, ranks);
  tcase_add_test(tests, rank_of_a_slide);
  tcase_add_test(tests, shared_loads);
  tcase_add_loop_test(tests, sliding_block, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, wedge, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, column_of_points, 0, ROWS_OF_BLOCKS);
  tcase_add_loop_test(tests, balls_and_boxes, 0, ROWS_OF_BLOCKS);
  suite_add_tcase(suite, tests);
  return suite;
}
