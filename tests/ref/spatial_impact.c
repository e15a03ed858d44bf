// ref_spatial_impact.c: impacts in space at one point and at many, by formulation: the independent reference numbers
// (tests/data/spatial_impact.yaml), each posed as a problem and compared value by value within the tolerance that stands beside it. Then
// what is the same in every sound formulation, the counterexample of the rocking block, pair factors, Atlas on springs, and bad inputs.
#include "data/many.h"
#include "data/struck.h"
#include "expected.h"
#include "free_body_impact.h"
#include "impact/impact.h"
#include "solved.h"

#include <routh/routh.h>

enum { NV = 34, POINTS = 16, ROWS = 3 * POINTS };

START_TEST(all_entries)
{
  int entries = 18 + 6 + 4 + 4 + 13 + 10 + 10 + 4; // by kind
  ck_assert_int_gt(compare_file("tests/data/spatial_impact.yaml", entries, NULL), 900);
}

END_TEST

// ---- Blocks under every row

typedef struct asked {
  double p[ROWS], u[ROWS], lost[2 * POINTS];
  rh_vec3 v, w;
  rh_many_out out;
} asked;

static void ask(const char *form, const striker *b, double mu, double e, asked *a)
{
  const rh_formulation *row = rh_formulation_find(form);
  double mus[POINTS];
  double es[POINTS];
  double par[RH_PAR_MAX];
  for (int i = 0; i < POINTS; i++) {
    mus[i] = mu;
    es[i] = e;
  }
  const rh_many_in in = {.n = b->n,
                         .W = b->W,
                         .u = b->u,
                         .mu = mus,
                         .e = es,
                         .law = rh_impact_law_find("stronge"),
                         .lost = a->lost};
  double *room = malloc(row->room(b->n) * sizeof(double));
  rh_row_defaults(&row->row, par);
  ck_assert_msg(row->strike(&in, par, room, a->p, a->u, &a->out), "%s", form);
  striker_after(b, a->p, &a->v, &a->w);
  free(room);
}

// Works of the points add up to W_n, and friction never gives any.
static void check_works(const asked *a, int n, double Wn, double small)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum -= a->lost[2 * i];
    ck_assert(a->lost[2 * i + 1] >= 0);
  }
  near_abs(sum, Wn, small * (1 + fabs(Wn)));
}

static void block(striker *b, double mass, const double *d, double pitch, const double *point)
{
  const double inertia[3] = {mass / 12 * (d[1] * d[1] + d[2] * d[2]),
                             mass / 12 * (d[0] * d[0] + d[2] * d[2]),
                             mass / 12 * (d[0] * d[0] + d[1] * d[1])};
  rh_mat3 R = rh_rpy_matrix(0, pitch, 0);
  striker_make(b, mass, inertia, &R, point);
}

static bool follows(const char *form) // the course of the impact, not only its ends
{
  return strcmp(form, "winkler") == 0 || strcmp(form, "winkler-global") == 0 ||
         strcmp(form, "fixed-split") == 0 || strcmp(form, "thesis") == 0;
}

// A central drop and a rocking block with pivot at rest: the same in every formulation, plastic ones where e = 0. The rocking block
// on springs and by splits is not: compliance lets the pivot sink (its reference says so, rocking_split).
START_TEST(same_in_all)
{
  static striker b;
  static asked a;
  int count;
  const rh_formulation *const *table = rh_formulation_table(&count);
  const rh_formulation *row = table[_i];
  for (int i = 0; i < RH_COUNT(block_table); i++) {
    const block_case *c = &block_table[i];
    bool central = strncmp(c->id, "block_central", 13) == 0;
    bool rocking = strncmp(c->id, "rocking", 7) == 0 && !follows(row->row.name);
    if (!(central || rocking) || (row->plastic && c->e > 0)) {
      continue;
    }
    b.n = c->n;
    b.v = vector_of(c->v);
    b.w = vector_of(c->w);
    block(&b, c->mass, c->dims, c->pitch, c->point[0]);
    ask(row->row.name, &b, c->mu, c->e, &a);
    near_array(&a.v.x, c->v_after, 3, 1e-6, 1e-6); // stated
    near_array(&a.w.x, c->w_after, 3, 1e-6, 1e-6);
    if (central) {
      near_abs(a.out.Dn, 1.69 * (1 - c->e * c->e), 1e-6 * (1 + 1.69));
    }
  }
}

END_TEST

// An edge that is symmetric about the centre of mass: the planar path, in every rule that follows the course.
START_TEST(edges)
{
  static const char *const form[] = {"winkler", "winkler-global", "fixed-split", "thesis"};
  static striker b;
  static asked a;
  for (int i = 0; i < RH_COUNT(edge_table); i++) {
    const struck_case *c = &edge_table[i];
    b.n = c->n;
    b.v = vector_of(c->v);
    b.w = vector_of(c->w);
    block(&b, c->mass, c->dims, c->pitch, c->point[0]);
    for (int k = 0; k < RH_COUNT(form); k++) {
      double sum[3] = {0};
      ask(form[k], &b, c->mu, c->e, &a);
      near_array(&a.v.x, c->v_after, 3, 1e-6, 1e-6); // stated
      near_array(&a.w.x, c->w_after, 3, 1e-6, 1e-6);
      for (int j = 0; j < 3 * c->n; j++) {
        sum[j % 3] += a.p[j];
      }
      near_array(sum, c->impulse, 3, 1e-6, 1e-6);
      near_abs(-a.out.Dn, c->Wn, 1e-6 * (1 + fabs(c->Wn)));
      check_works(&a, c->n, c->Wn, 1e-6); // stated
    }
  }
}

END_TEST

// The split depends on the point set: 4 points keep 0.850 of the rate, 8 keep 0.897.
START_TEST(splits)
{
  static striker b;
  static asked a;
  for (int i = 0; i < RH_COUNT(split_table); i++) {
    const struck_case *c = &split_table[i];
    b.n = c->n;
    b.v = vector_of(c->v);
    b.w = vector_of(c->w);
    block(&b, c->mass, c->dims, 0, c->point[0]);
    ask("fixed-split", &b, c->mu, c->e, &a);
    near_abs(a.w.y, c->w_after[1], 1e-3 * (1 + c->w_after[1])); // stated
    ask("coulomb", &b, c->mu, c->e, &a);
    near_abs(a.w.y, 0.85, 1e-8);
  }
}

END_TEST

START_TEST(pairs)
{
  for (int i = 0; i < RH_COUNT(pair_table); i++) {
    const pair_case *c = &pair_table[i];
    rh_pair both = {.mu_q = c->mu_q, .mu_r = c->mu_r, .phi_q = c->phi_q, .phi_r = c->phi_r};
    memcpy(both.P_q, c->P_q, sizeof both.P_q);
    memcpy(both.P_r, c->P_r, sizeof both.P_r);
    double printed = rh_pair_factor(&both, true);
    double corrected = rh_pair_factor(&both, false);
    ck_assert_int_eq(isnan(corrected), c->degenerate);
    if (!c->degenerate) {
      near_abs(printed, c->printed, 1e-12);
      near_abs(corrected, c->corrected, 1e-12);
    }
  }
}

END_TEST

// ---- Atlas on springs

static int soles(const rh_model *model, const atlas_spring *c, rh_model_point *point)
{
  static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  int n = 0;
  for (int f = 0; f < c->feet; f++) {
    const rh_model_point *corner = model->point + (ptrdiff_t)4 * f;
    for (int i = 0; i < 4; i++) {
      point[n++] = corner[i];
    }
    for (int i = 0; i < 4 && c->points == 8; i++) {
      point[n] = corner[edge[i][0]];
      point[n].at = rh_scale(0.5, rh_add(corner[edge[i][0]].at, corner[edge[i][1]].at));
      n++;
    }
  }
  return n;
}

static void push(const rh_data *d, const rh_model_point *point, int n, const double *p, double *v)
{
  double J[3 * NV];
  double x[NV];
  memcpy(v, d->v, NV * sizeof(double));
  for (int i = 0; i < n; i++) {
    rh_point_jacobian(d, point[i].body, point[i].at, J);
    for (int k = 0; k < NV; k++) {
      x[k] = J[k] * p[3 * i] + J[NV + k] * p[3 * i + 1] + J[2 * NV + k] * p[3 * i + 2];
    }
    rh_mass_solve(d, x);
    for (int k = 0; k < NV; k++) {
      v[k] += x[k];
    }
  }
}

START_TEST(atlas)
{
  static striker b;
  static asked a;
  static double work[ROWS * NV];
  rh_model_point point[POINTS];
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_load(ROUTH_SOURCE_DIR "/models/atlas.yaml", NULL, 0, NULL, &scene),
                   RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  rh_data *d = rh_data_create(model);
  d->v[2] = -0.3;
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  for (int i = 0; i < RH_COUNT(atlas_springs); i++) {
    const atlas_spring *c = &atlas_springs[i];
    double v[NV];
    b.mass = 1; // not asked for
    b.n = soles(model, c, point);
    rh_contact_inertia(d, b.n, point, work, b.W);
    for (int k = 0; k < b.n; k++) {
      rh_vec3 u = rh_point_velocity(d, point[k].body, point[k].at);
      memcpy(b.u + (ptrdiff_t)3 * k, &u, sizeof u);
    }
    ask("winkler-global", &b, 0.8, 0.3, &a);
    push(d, point, b.n, a.p, v);
    near_array(v, c->base, 6, 1e-3, 1e-3); // stated
    near_abs(0.5 * 147.67384 * 0.09 - a.out.Dn - a.out.Dt, c->kinetic, 1e-3 * (1 + c->kinetic));
    ck_assert_int_eq(a.out.impacts, c->events);
    near_array(a.out.Wn, c->Wn, c->events, 1e-3, 1e-3);
    check_works(&a, b.n, c->Wn[0] + (c->events > 1 ? c->Wn[1] : 0), 1e-3);
    ck_assert_int_eq(a.out.free, 3 * b.n - 6 * c->feet);
  }
  rh_data_destroy(d);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

#define BLOCK                                                                                      \
  "mass: 2, dims: [0.4, 0.3, 0.2], points: [[0.2, 0.15, -0.1]], v_com: [0, 0, -1], omega: [0, 0, " \
  "0]"

START_TEST(refused)
{
  static const struct {
    const char *problem, *words;
  } bad[] = {
      {"kind: ccp, inputs: {" BLOCK ", mu: 0.1, e: 0.5}", "e must"},
      {"kind: moreau, inputs: {" BLOCK "}", "input 'mu' is missing"},
      {"kind: moreau, inputs: {" BLOCK ", mu: -1}", "mu[0] must be 0 to 1e6"},
      {"kind: moreau, inputs: {" BLOCK ", mu: 0, weights: equal}", "weights"},
      {"kind: winkler_local, inputs: {" BLOCK ", mu: 0, weights: heavy}",
       "weights must be 'equal' or a list"},
      {"kind: winkler_local, inputs: {" BLOCK ", mu: 0, weights: [0]}", "weights[0] must be > 0"},
      {"kind: winkler_local, inputs: {" BLOCK ", mu: 0, weights: [1, 2]}", "weights must have 1"},
      {"kind: fixed_split, inputs: {" BLOCK ", mu: 0, e: 2}", "e must lie in [-1, 1]"},
      {"kind: moreau, inputs: {" BLOCK ", mu: 0, e: 2}", "e must lie in [0, 1]"},
      {"kind: winkler_local, inputs: {" BLOCK ", mu: 0, e: -0.5}", "is not defined by 'winkler'"},
      {"kind: ccp, inputs: {" BLOCK ", mu: 0, e: -0.5}", "is not defined by 'cone'"},
      {"kind: thesis_literal, inputs: {mass: 0, dims: [1, 1, 1], points: [[0, 0, 0]], v_com: [0, "
       "0, "
       "0], omega: [0, 0, 0], mu: 0}",
       "mass must be > 0"},
      {"kind: winkler_global, inputs: {mass: 1, dims: [1, 0, 1], points: [[0, 0, 0]], v_com: [0, "
       "0, "
       "0], omega: [0, 0, 0], mu: 0}",
       "dims[1] must be > 0"},
      {"kind: impact1, inputs: {K: [[1, 0, 0], [0, 1, 0], [0, 0, 0]], v: [0, 0, -1], mu: 0, e: 0}",
       "K must be symmetric"},
      {"kind: impact1, inputs: {K: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], v: [0, 0, -1], mu: 0, e: 0, "
       "law: hertz}",
       "law must be one of"},
      {"kind: impact1, inputs: {K: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], v: [0, 0, -1], mu: 0}",
       "input 'e' is missing"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    char text[1024];
    (void)snprintf(text, sizeof text, "- {id: x, %s}\n", bad[i].problem);
    solved s = solve(text);
    ck_assert_msg(strstr(error_of(&s, "x"), bad[i].words) != NULL, "%s: %s", bad[i].words,
                  error_of(&s, "x"));
    done(&s);
  }
}

END_TEST

Suite *rh_suite_ref_spatial_impact(void)
{
  int count = 0;
  (void)rh_formulation_table(&count);
  Suite *suite = suite_create("ref_spatial_impact");
  TCase *tests = tcase_create("reference");
  tcase_add_test(tests, all_entries);
  tcase_add_loop_test(tests, same_in_all, 0, count);
  tcase_add_test(tests, edges);
  tcase_add_test(tests, splits);
  tcase_add_test(tests, pairs);
  tcase_add_test(tests, atlas);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
