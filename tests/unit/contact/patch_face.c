// unit_patch_face.c: a face of few points on elastic ground: the conditions of the patch problem, every set of points tried one by
// one, order and frame of the points, flat punches, and the books of the law made of it.
#include "halfspace/halfspace.h"
#include "laws.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double LOVE = 3.5254943480781717; // 4 ln(1 + sqrt 2)

// ---- A face of few points

typedef struct points {
  int n;
  double at[2 * RH_PATCH_POINTS_MAX], area[RH_PATCH_POINTS_MAX], depth[RH_PATCH_POINTS_MAX];
} points;

static points random_points(rng *r, int n)
{
  points p = {.n = n};
  double close = pow(10, rng_in(r, -3, 0)); // from well apart to all but one
  for (int i = 0; i < n; i++) {
    p.at[2 * i] = close * rng_in(r, -0.1, 0.1);
    p.at[2 * i + 1] = close * rng_in(r, -0.1, 0.1);
    p.area[i] = pow(10, rng_in(r, -6, -1));
    p.depth[i] = rng_in(r, -2e-4, 1e-3);
  }
  return p;
}

static void face_forces(const points *p, double Estar, double *f)
{
  double C[RH_PATCH_POINTS_MAX * RH_PATCH_POINTS_MAX];
  rh_face_influence(p->n, p->at, p->area, Estar, C);
  ck_assert(rh_face_solve(p->n, C, p->depth, f));
}

START_TEST(one_point_alone)
{
  points p = {.n = 1, .area = {0.04}, .depth = {1e-3}};
  double f = 0;
  face_forces(&p, 1e6, &f);
  near_rel(f, PI * 1e6 * 0.2 / LOVE * 1e-3, 1e-14); // Love's diagonal
  p.depth[0] = -1e-3;
  face_forces(&p, 1e6, &f);
  near_abs(f, 0, 0);
  p.area[0] = 0; // a point without an area sinks in without a force
  p.depth[0] = 1e-3;
  face_forces(&p, 1e6, &f);
  near_abs(f, 0, 0);
}

END_TEST

// Forces push, nobody sinks in farther than he is pushed, and only who presses is pushed: for any cluster of points.
START_TEST(face_meets_its_conditions)
{
  rng r = {77};
  for (int k = 0; k < 2000; k++) {
    points p = random_points(&r, 1 + rng_int(&r, RH_PATCH_POINTS_MAX));
    double C[RH_PATCH_POINTS_MAX * RH_PATCH_POINTS_MAX];
    double f[RH_PATCH_POINTS_MAX];
    double size = 0;
    rh_face_influence(p.n, p.at, p.area, 1e7, C);
    ck_assert(rh_face_solve(p.n, C, p.depth, f));
    for (int i = 0; i < p.n; i++) {
      size = fmax(size, fabs(p.depth[i]));
    }
    for (int i = 0; i < p.n; i++) {
      double gap = -p.depth[i];
      for (int j = 0; j < p.n; j++) {
        gap += C[i * p.n + j] * f[j];
      }
      // Points all but one: C is nearly singular, and forces of either sign and any size would do. What they do is still right.
      ck_assert(f[i] >= 0 && gap > -1e-10 * size);
      ck_assert_msg(f[i] == 0 || gap < 1e-10 * size, "point %d of %d: %g N, %g m", i, p.n, f[i],
                    gap);
    }
  }
}

END_TEST

// Another route: all sets of points that may press, one by one; the right one has forces > 0 inside and gaps >= 0 outside.
static bool press_set(int n, const double *C, const double *depth, unsigned set, double *f)
{
  double A[RH_PATCH_POINTS_MAX][RH_PATCH_POINTS_MAX + 1];
  for (int i = 0; i < n; i++) {
    bool in = set >> i & 1;
    for (int j = 0; j < n; j++) {
      bool both = in && (set >> j & 1);
      A[i][j] = both ? C[i * n + j] : i == j ? 1 : 0;
    }
    A[i][n] = in ? depth[i] : 0;
  }
  for (int i = 0; i < n;
       i++) { // Gauss and Jordan; the diagonal of a positive definite matrix is pivot enough
    for (int k = 0; k < n; k++) {
      double factor = k == i ? 0 : A[k][i] / A[i][i];
      for (int j = i; j <= n && factor != 0; j++) {
        A[k][j] -= factor * A[i][j];
      }
    }
  }
  bool good = true;
  for (int i = 0; i < n; i++) {
    f[i] = A[i][n] / A[i][i];
    good = good && (!(set >> i & 1) || f[i] > 0);
  }
  for (int i = 0; i < n && good; i++) {
    double gap = -depth[i];
    for (int j = 0; j < n; j++) {
      gap += C[i * n + j] * f[j];
    }
    good = (set >> i & 1) || gap >= 0;
  }
  return good;
}

START_TEST(face_against_all_sets)
{
  enum { N = 9 };

  rng r = {78};
  for (int k = 0; k < 100; k++) {
    points p = {.n = N};
    double C[N * N];
    double f[RH_PATCH_POINTS_MAX];
    double want[N];
    int found = 0;
    for (int i = 0; i < N; i++) {
      p.at[2 * i] = i % 3 * 0.1 + rng_in(&r, -0.03, 0.03);
      p.at[2 * i + 1] = i / 3 * 0.1 + rng_in(&r, -0.03, 0.03);
      p.area[i] = rng_in(&r, 0.2, 2) * 0.01;
      p.depth[i] = rng_in(&r, -2e-4, 1e-3);
    }
    rh_face_influence(N, p.at, p.area, 1e7, C);
    ck_assert(rh_face_solve(N, C, p.depth, f));
    for (unsigned set = 0; set < 1u << N; set++) {
      double one[N];
      if (press_set(N, C, p.depth, set, one)) {
        memcpy(want, one, sizeof(want));
        found++;
      }
    }
    ck_assert_int_eq(found, 1);
    near_array(f, want, N, 1e-9, 1e-11); // of some 100 N
  }
}

END_TEST

// The order of the points and the axes of the plane do not matter.
START_TEST(face_in_any_order_and_frame)
{
  rng r = {79};
  for (int k = 0; k < 200; k++) {
    points p = random_points(&r, RH_PATCH_POINTS_MAX);
    points q = p;
    double f[RH_PATCH_POINTS_MAX];
    double g[RH_PATCH_POINTS_MAX];
    double turn = rng_in(&r, 0, 6);
    for (int i = 0; i < p.n; i++) {
      p.at[2 * i] = (i % 4) * 0.1; // a lattice, so that forces have all their digits
      p.at[2 * i + 1] = (i / 4) * 0.1;
      p.area[i] = 0.01 * rng_in(&r, 0.5, 1);
    }
    for (int i = 0; i < p.n; i++) {
      int to = (5 * i + 3) % RH_PATCH_POINTS_MAX;
      q.at[2 * to] = cos(turn) * p.at[2 * i] - sin(turn) * p.at[2 * i + 1] + 3;
      q.at[2 * to + 1] = sin(turn) * p.at[2 * i] + cos(turn) * p.at[2 * i + 1] - 2;
      q.area[to] = p.area[i];
      q.depth[to] = p.depth[i];
    }
    face_forces(&p, 1e7, f);
    face_forces(&q, 1e7, g);
    for (int i = 0; i < p.n; i++) {
      near_number_("force", g[(5 * i + 3) % RH_PATCH_POINTS_MAX], f[i], 1e-10, 1e-10);
    }
  }
}

END_TEST

// Flat punches. Few points and the grid's solver are two routes to one answer; and the stiffness of a square,
// 1.15 E* sqrt(A) (Love's cells at 8, 12, 24 a side: 1.106, 1.121, 1.136), is met to 6 % by 16 points of either sort.
START_TEST(flat_punch)
{
  static const double weight[] = {0.125, 0.375, 0.375, 0.125};
  double kernel[4 * 7];
  double C[16 * 16];
  double room[16 * 10];
  double drive[16];
  double lo[16] = {0};
  double hi[16];
  double f[16];
  double g[16] = {0};
  points cells = {.n = 16};
  points box = {.n = 16};
  for (int i = 0; i < 16; i++) {
    cells.at[2 * i] = 0.25 * (i % 4);
    cells.at[2 * i + 1] = 0.25 * (i / 4);
    cells.area[i] = 1.0 / 16;
    cells.depth[i] = drive[i] = 1e-3 * (1 + 0.3 * (i % 4)); // tilted
    hi[i] = HUGE_VAL;
    box.at[2 * i] = (i % 4) / 3.0; // as a box is sampled
    box.at[2 * i + 1] = (i / 4) / 3.0;
    box.area[i] = weight[i % 4] * weight[i / 4];
    box.depth[i] = 1e-3;
  }
  rh_face_influence(16, cells.at, cells.area, 1e6, C);
  for (int j = 0; j < 4; j++) {
    for (int i = -3; i < 4; i++) {
      kernel[7 * j + i + 3] = C[4 * j + abs(i)];
    }
  }
  rh_patch patch = {4, 4, kernel, NULL};
  rh_patch_task task = {drive, lo, hi, 1e-14};
  ck_assert(rh_patch_solve(&patch, &task, room, g).solved);
  face_forces(&cells, 1e6, f);
  near_array(f, g, 16, 1e-9, 1e-11);
  double sum[2] = {0, 0};
  for (int i = 0; i < 16; i++) {
    cells.depth[i] = 1e-3;
  }
  for (int k = 0; k < 2; k++) {
    face_forces(k == 0 ? &cells : &box, 1e6, f);
    for (int i = 0; i < 16; i++) {
      sum[k] += f[i];
      ck_assert(f[i] > 0); // flat on flat, all press
    }
    near_rel(sum[k] / (1e6 * 1e-3), 1.15, 0.06);
  }
}

END_TEST

// ---- The law

static const rh_normal_law *law_of(double par[RH_PAR_MAX])
{
  const rh_normal_law *law = rh_normal_law_find("elastic-patch");
  ck_assert_ptr_nonnull(law);
  rh_row_defaults(&law->row, par);
  return law;
}

typedef struct facing { // a face at a moment
  points p;
  double rate[RH_PATCH_POINTS_MAX];
  double par[RH_PAR_MAX];
  rh_normal_out out[RH_PATCH_POINTS_MAX];
} facing;

static double stored_at(facing *x, double t)
{
  const rh_normal_law *law = rh_normal_law_find("elastic-patch");
  rh_normal_in in[RH_PATCH_POINTS_MAX];
  double sum = 0;
  for (int i = 0; i < x->p.n; i++) {
    in[i] = (rh_normal_in){x->p.depth[i] + t * x->rate[i], x->rate[i], HUGE_VAL, x->par, NULL};
  }
  law->face(in, x->p.n, x->p.at, x->p.area, x->out);
  for (int i = 0; i < x->p.n; i++) {
    sum += x->out[i].stored;
  }
  return sum;
}

// What is stored is 1/2 f'Cf; the springs' power is its rate; the dampers only take, and never make the ground pull.
START_TEST(face_of_the_law_keeps_its_books)
{
  rng r = {80};
  int pressing = 0;
  for (int k = 0; k < 300; k++) {
    facing x = {.p = random_points(&r, 4 + rng_int(&r, 13))};
    const rh_normal_law *law = law_of(x.par);
    double C[RH_PATCH_POINTS_MAX * RH_PATCH_POINTS_MAX];
    double power = 0;
    double half = 0;
    for (int i = 0; i < x.p.n; i++) {
      x.p.at[2 * i] = (i % 4) * 0.1;
      x.p.at[2 * i + 1] = (i / 4) * 0.1;
      x.rate[i] = rng_in(&r, -5, 5);
    }
    const double h = 1e-9; // [s]
    double slope = (stored_at(&x, h) - stored_at(&x, -h)) / (2 * h);
    double stored = stored_at(&x, 0);
    rh_face_influence(x.p.n, x.p.at, x.p.area, *par_at(&law->row, x.par, "E") / (1 - 0.09), C);
    for (int i = 0; i < x.p.n; i++) {
      for (int j = 0; j < x.p.n; j++) {
        half += 0.5 * x.out[i].spring * C[i * x.p.n + j] * x.out[j].spring;
      }
      power += x.out[i].spring * x.rate[i];
      ck_assert(x.out[i].spring >= 0 && x.out[i].spring + x.out[i].damper >= 0);
      ck_assert(x.out[i].damper * x.rate[i] >= 0);
      pressing += x.out[i].spring > 0;
    }
    near_rel(half, stored, 1e-10);
    // Differences lose seven of sixteen digits; where a point comes or goes within h the slope bends by 1e-5 of its size.
    near_number_("power", slope, power, 1e-4 * (1 + fabs(power)), 0);
  }
  ck_assert_int_gt(pressing, 300);
}

END_TEST

// A box that rolls over its edge: no force jumps when points come and go.
START_TEST(face_tilts_smoothly)
{
  facing x = {.p = {.n = 16}};
  (void)law_of(x.par);
  double before[16];
  const double step = 1e-5;
  for (int k = 0; k <= 4000; k++) {
    double angle = (k - 2000) * step * 0.5;
    for (int i = 0; i < 16; i++) {
      x.p.at[2 * i] = (i % 4) * 0.1;
      x.p.at[2 * i + 1] = (i / 4) * 0.1;
      x.p.area[i] = 0.01;
      x.p.depth[i] = 1e-3 + angle * (x.p.at[2 * i] - 0.15);
    }
    (void)stored_at(&x, 0);
    for (int i = 0; i < 16; i++) {
      // |df| <= |C^-1| |dz|: the stiffest way of 16 points of 0.1 m is 3 E* h
      ck_assert(k == 0 || fabs(x.out[i].spring - before[i]) < 3.3e7 * 0.1 * 0.15 * step);
      before[i] = x.out[i].spring;
    }
  }
}

END_TEST

Suite *rh_suite_unit_patch_face(void)
{
  Suite *suite = suite_create("unit_patch_face");
  TCase *face = tcase_create("face");
  tcase_add_test(face, one_point_alone);
  tcase_add_test(face, face_meets_its_conditions);
  tcase_add_test(face, face_against_all_sets);
  tcase_add_test(face, face_in_any_order_and_frame);
  tcase_add_test(face, flat_punch);
  tcase_add_test(face, face_of_the_law_keeps_its_books);
  tcase_add_test(face, face_tilts_smoothly);
  suite_add_tcase(suite, face);
  return suite;
}
