// unit_course.c: the course of an impact at many points, as it is told step by step: it begins with what was before and ends with the
// answer, which telling does not change; its works are those of the energy; and one point goes the way of its path.
#include "free_body_impact.h"
#include "impact/impact.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char *const form[] = {"winkler", "winkler-global", "fixed-split", "thesis"};

enum { POINTS = STRIKER_POINTS, ROWS = STRIKER_ROWS, SAMPLES = 20000 };

typedef struct told {
  int n, rows;
  double P[SAMPLES], Wn[SAMPLES], Wt[SAMPLES], u[SAMPLES][ROWS];
  int event[SAMPLES];
} told;

static void keep(void *user, const rh_many_at *at)
{
  told *t = user;
  ck_assert_int_lt(t->n, SAMPLES);
  t->P[t->n] = at->P;
  t->Wn[t->n] = at->Wn;
  t->Wt[t->n] = at->Wt;
  t->event[t->n] = at->event;
  memcpy(t->u[t->n], at->u, (size_t)t->rows * sizeof(double));
  t->n++;
}

typedef struct asked {
  double p[ROWS], u[ROWS];
  rh_many_out out;
} asked;

static void ask(const char *name, const striker *b, double mu, double e, const rh_many_trace *trace,
                asked *a)
{
  const rh_formulation *row = rh_formulation_find(name);
  double mus[POINTS];
  double es[POINTS];
  double par[RH_PAR_MAX] = {1e-9};
  for (int i = 0; i < b->n; i++) {
    mus[i] = mu;
    es[i] = e;
  }
  const rh_many_in in = {.n = b->n,
                         .W = b->W,
                         .u = b->u,
                         .mu = mus,
                         .e = es,
                         .law = rh_impact_law_find("stronge"),
                         .trace = trace};
  double *room = malloc(row->room(b->n) * sizeof(double));
  ck_assert(row->strike(&in, par, room, a->p, a->u, &a->out));
  free(room);
}

static void block(striker *b, uint64_t *state)
{
  static const double point[12] = {0.2,  0.15,  -0.1, 0.2,  -0.15, -0.1,
                                   -0.2, -0.15, -0.1, -0.2, 0.15,  -0.1};
  const double inertia[3] = {2.0 / 12 * 0.13, 2.0 / 12 * 0.2, 2.0 / 12 * 0.25};
  rh_mat3 R = rh_mat3_identity();
  b->v = rh_v3(within(state, -1, 1), within(state, -1, 1), within(state, -2, -1));
  b->w = rh_v3(within(state, -1, 1), within(state, -1, 1), within(state, -1, 1));
  striker_make(b, 2, inertia, &R, point);
}

START_TEST(told_as_it_goes)
{
  static striker b;
  static told t;
  static asked plain;
  static asked traced;
  uint64_t state = 7;
  for (int i = 0; i < 10; i++) {
    const rh_many_trace trace = {keep, &t};
    b.n = 4;
    block(&b, &state);
    t.n = 0;
    t.rows = 12;
    ask(form[_i], &b, 0.3, 0.6, NULL, &plain);
    ask(form[_i], &b, 0.3, 0.6, &trace, &traced);
    ck_assert_int_eq(memcmp(plain.p, traced.p, 12 * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(plain.u, traced.u, 12 * sizeof(double)), 0);
    ck_assert_int_gt(t.n, 2);
    ck_assert(t.P[0] == 0 && t.Wn[0] == 0 && t.event[0] == 0);
    near_array(t.u[0], b.u, 12, 1e-13, 0); // rounding of a change of basis
    // What still approaches slower than 1e-6 of the first speed is stopped behind the course.
    near_array(t.u[t.n - 1], traced.u, 12, 1e-5, 0);
    near_abs(t.Wn[t.n - 1], -traced.out.Dn, 1e-12);
    // Friction's own work along the course, against the balance; 1e-5 for what is stopped behind it, as above.
    near_abs(t.Wt[t.n - 1], -traced.out.Dt, 1e-5);
    ck_assert_int_eq(t.event[t.n - 1], traced.out.impacts - 1);
    for (int k = 1; k < t.n; k++) {
      ck_assert(t.P[k] >= t.P[k - 1] - 1e-12);
      ck_assert(t.Wt[k] <= t.Wt[k - 1] + 1e-9); // a step's error
      ck_assert(t.event[k] == t.event[k - 1] || t.event[k] == t.event[k - 1] + 1);
    }
  }
}

END_TEST

// A corner alone: both rules of springs and both splits are the path of Keller and Stronge. 1e-6: the steps' error, 1e-9 each.
START_TEST(one_point_goes_its_path)
{
  static striker b;
  static told t;
  static asked a;
  static rh_point_at at[SAMPLES];
  static const double point[3] = {0.2, -0.15, -0.1};
  const double inertia[3] = {2.0 / 12 * 0.13, 2.0 / 12 * 0.2, 2.0 / 12 * 0.25};
  const rh_many_trace trace = {keep, &t};
  rh_mat3 R = rh_rpy_matrix(0.3, 0.2, 0.5);
  b.n = 1;
  b.v = rh_v3(0.8, -0.5, -1);
  b.w = rh_v3(0.5, 1, -1);
  striker_make(&b, 2, inertia, &R, point);
  t.n = 0;
  t.rows = 3;
  ask(form[_i], &b, 0.3, 0.6, &trace, &a);
  rh_point_in in = {.mu_s = 0.3, .mu_k = 0.3, .e = 0.6};
  rh_point_out out;
  memcpy(in.W, b.W, sizeof in.W);
  memcpy(in.u, b.u, sizeof in.u);
  const rh_point_want want = {t.n, t.P, at};
  ck_assert(rh_point_trace(rh_impact_law_find("stronge"), &in, &want, &out));
  near_array(a.u, out.u, 3, 1e-6, 0);
  for (int k = 0; k < t.n; k++) {
    near_array(t.u[k], at[k].u, 3, 1e-6, 0);
    near_abs(t.Wn[k], at[k].Wn, 1e-6);
  }
}

END_TEST

Suite *rh_suite_unit_course(void)
{
  Suite *suite = suite_create("unit_course");
  TCase *tests = tcase_create("course");
  tcase_add_loop_test(tests, told_as_it_goes, 0, RH_COUNT(form));
  tcase_add_loop_test(tests, one_point_goes_its_path, 0, RH_COUNT(form));
  suite_add_tcase(suite, tests);
  return suite;
}
