// ref_moreau_points.c: Moreau's rule with friction and restitution on the 4 and on 16 points of one base. The program's
// impulses satisfy the law, written down here once more; and an iteration of our own, one point after the other,
// finds other impulses that satisfy it as well, with another motion after: on 4 points already the rule leaves the
// motion open, so that no number of points can be said to be right.
#include "free_body_impact.h"
#include "impact/impact.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MU = 0.4;
static const double E = 0.5;
static const double SIZE[3] = {0.4, 0.3, 0.2};

static void make_block(striker *b, int side, const double x[6])
{
  double at[STRIKER_ROWS];
  rh_mat3 R = rh_mat3_identity();
  double inertia[3];
  for (int k = 0; k < 3; k++) {
    double y = SIZE[(k + 1) % 3];
    double z = SIZE[(k + 2) % 3];
    inertia[k] = 2.0 / 12 * (y * y + z * z);
  }
  b->n = side * side;
  b->v = rh_v3(x[0], x[1], -1.2 + 0.2 * x[2]);
  b->w = rh_v3(x[3], x[4], x[5]);
  for (int i = 0; i < b->n; i++) {
    at[3 * i] = SIZE[0] * ((double)(i % side) / (side - 1) - 0.5);
    at[3 * i + 1] = SIZE[1] * ((double)(i / side) / (side - 1) - 0.5);
    at[3 * i + 2] = -0.5 * SIZE[2];
  }
  striker_make(b, 2, inertia, &R, at);
}

// How far impulses are from the law: |p_t| <= mu p_n, g = u_n+ + e u_n- >= 0, p_n g = 0, p_t against the slip.
static double excess_of(const striker *b, const double *p)
{
  double worst = 0;
  for (int i = 0; i < b->n; i++) {
    double u[3];
    const double *q = p + (ptrdiff_t)3 * i;
    for (int k = 0; k < 3; k++) {
      u[k] = b->u[3 * i + k];
      for (int j = 0; j < 3 * b->n; j++) {
        u[k] += b->W[(3 * i + k) * 3 * b->n + j] * p[j];
      }
    }
    double gap = u[2] + E * fmin(b->u[3 * i + 2], 0);
    double slip = hypot(u[0], u[1]);
    worst = fmax(worst, hypot(q[0], q[1]) - MU * q[2]);
    worst = fmax(worst, fmax(-gap, fabs(q[2] * gap)));
    worst = fmax(worst, fabs(MU * q[2] * slip + q[0] * u[0] + q[1] * u[1]));
  }
  return worst;
}

// Each point in turn: p = the point of its cone nearest to p - rho (u + (0, 0, e u_n- + mu |u_t|)), until none moves.
static bool iterate_impulses(const striker *b, double *p)
{
  const double rho = 0.2; // below 2 over the largest eigenvalue of a point's block
  double u[STRIKER_ROWS];
  double moved = 1;
  int rows = 3 * b->n;
  for (int i = 0; i < rows; i++) {
    u[i] = b->u[i];
    for (int j = 0; j < rows; j++) {
      u[i] += b->W[i * rows + j] * p[j];
    }
  }
  for (int time = 0; time < 20000 && moved > 1e-13; time++) {
    moved = 0;
    for (int i = 0; i < b->n; i++) {
      double *q = p + (ptrdiff_t)3 * i;
      const double *v = u + (ptrdiff_t)3 * i;
      double gap = v[2] + E * fmin(b->u[3 * i + 2], 0) + MU * hypot(v[0], v[1]);
      double to[3] = {q[0] - rho * v[0], q[1] - rho * v[1], q[2] - rho * gap};
      double t = hypot(to[0], to[1]);
      if (t > MU * to[2]) {
        double n = fmax(0, (to[2] + MU * t) / (1 + MU * MU));
        to[0] *= t > 0 ? MU * n / t : 0;
        to[1] *= t > 0 ? MU * n / t : 0;
        to[2] = n;
      }
      for (int k = 0; k < 3; k++) {
        double step = to[k] - q[k];
        q[k] = to[k];
        moved = fmax(moved, fabs(step));
        for (int j = 0; j < rows; j++) {
          u[j] += b->W[j * rows + 3 * i + k] * step;
        }
      }
    }
  }
  return moved <= 1e-13;
}

static double motion_distance(const striker *b, const double *p, const double *q)
{
  rh_vec3 v[2];
  rh_vec3 w[2];
  striker_after(b, p, &v[0], &w[0]);
  striker_after(b, q, &v[1], &w[1]);
  return fmax(rh_norm(rh_sub(v[0], v[1])), rh_norm(rh_sub(w[0], w[1])));
}

START_TEST(moreau_with_friction_is_not_unique)
{
  const rh_formulation *row = rh_formulation_find("moreau");
  int side = 2 * _i + 2;
  uint64_t state = 2015;
  double apart = 0;
  int found = 0;
  for (int motion = 0; motion < 25; motion++) {
    striker b;
    double x[6];
    double mu[STRIKER_POINTS];
    double e[STRIKER_POINTS];
    double p[STRIKER_ROWS];
    double u[STRIKER_ROWS];
    double own[2][STRIKER_ROWS] = {{0}};
    rh_many_out out;
    for (int k = 0; k < 6; k++) {
      x[k] = within(&state, -1, 1);
    }
    make_block(&b, side, x);
    for (int i = 0; i < b.n; i++) {
      mu[i] = MU;
      e[i] = E;
      own[1][3 * i + 2] = within(&state, 0, 1); // another start
    }
    const rh_many_in in = {
        .n = b.n, .W = b.W, .u = b.u, .mu = mu, .e = e, .law = rh_impact_law_find("newton")};
    double *room = malloc(row->room(b.n) * sizeof *room);
    ck_assert(row->strike(&in, NULL, room, p, u, &out));
    free(room);
    // the tolerance of the program's solvers, relative to impulses of some 3 N s
    ck_assert_double_le(excess_of(&b, p), 1e-7);
    if (iterate_impulses(&b, own[0]) && iterate_impulses(&b, own[1])) {
      ck_assert_double_le(fmax(excess_of(&b, own[0]), excess_of(&b, own[1])), 1e-9);
      apart = fmax(apart, motion_distance(&b, own[0], own[1]));
      found++;
    }
  }
  ck_assert_int_ge(found, 5);
  ck_assert_double_ge(apart, 1e-3); // [m/s], [rad/s] both satisfy the law to 1e-9
}

END_TEST

Suite *rh_suite_ref_moreau_points(void)
{
  Suite *suite = suite_create("ref_moreau_points");
  TCase *tcase = tcase_create("points");
  tcase_add_loop_test(tcase, moreau_with_friction_is_not_unique, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
