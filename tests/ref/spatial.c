// ref_spatial.c: free-floating trees and the 34-coordinate Atlas against the spatial reference numbers: H, bias,
// accelerations, contact-space inertia, rates of Jacobians, energy, centre of mass. Every case is posed as a problem
// file with a YAML scene; the two small trees are built through the C API as well and must give the same numbers.
#include "answers.h"
#include "data/spatial_trees.h"
#include "test.h"

#include <routh/routh.h>

enum { NV = 34, NH = NV * NV, POINTS = 10, ROWS = 3 * POINTS, SOLE = 24 };

// What agreement is honest: the reference is double precision by another route and order of operations. H, bias, W
// come from some hundred operations on numbers of their own size. Accelerations solve with H, whose condition number
// is up to 1e5 (a wrist beside a trunk), so that a rounding of 1e-16 may show as 1e-12 beside the largest (5e3). The
// reference itself is stated to 1e-8 (Atlas 1e-7); 1e-10 is what is required; all values here meet 1e-12 + 1e-12 size.
static const double tol = 1e-12;

START_TEST(trees_as_problems)
{
  char why[RH_TEST_WHY_MAX];
  answers *a = answers_open("tests/data/spatial_dynamics.yaml");
  ck_assert_int_eq(answers_count(a), 6);
  for (int i = 0; i < answers_count(a); i++) {
    ck_assert_msg(answers_agree(a, i, tol, tol, why), "%s", why);
  }
  answers_close(a);
}

END_TEST

// ---- The same through the C API

static rh_model *build(const tree_link *link, int n)
{
  rh_scene *scene = rh_scene_create();
  rh_world_def world = rh_world_default();
  world.gravity[2] = -9.81;
  rh_scene_set_world(scene, &world);
  for (int i = 0; i < n; i++) {
    const tree_link *k = &link[i];
    rh_body_def body = rh_body_default();
    body.name = rh_name_of(k->name);
    body.mass = k->mass;
    memcpy(body.com, k->com, sizeof(body.com));
    body.inertia.n = 6;
    memcpy(body.inertia.x, k->inertia, sizeof(k->inertia));
    rh_scene_add_body(scene, &body);
    rh_joint_def joint = rh_joint_default(i == 0 ? "free" : "revolute");
    joint.name = rh_name_of(k->joint);
    joint.parent = rh_name_of(k->parent);
    joint.child = rh_name_of(k->name);
    memcpy(joint.at, k->at, sizeof(joint.at));
    memcpy(joint.rpy, k->rpy, sizeof(joint.rpy));
    if (i > 0) {
      memcpy(joint.par, k->axis, sizeof(k->axis));
    }
    rh_scene_add_joint(scene, &joint);
  }
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_status status = rh_scene_compile(scene, diag, &model);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

// W = J H^-1 J' the long way, from Jacobians and one solve a row.
static void contact_inertia_by_rows(const rh_data *d, const rh_model_point *point, double W[81])
{
  int nv = d->model->nv;
  double J[9 * NV];
  for (int k = 0; k < 3; k++) {
    rh_point_jacobian(d, point[k].body, point[k].at, J + (ptrdiff_t)3 * k * nv);
  }
  for (int i = 0; i < 9; i++) {
    double x[NV];
    memcpy(x, J + (ptrdiff_t)i * nv, (size_t)nv * sizeof(double));
    rh_mass_solve(d, x);
    for (int j = 0; j < 9; j++) {
      W[9 * j + i] = 0;
      for (int k = 0; k < nv; k++) {
        W[9 * j + i] += J[j * nv + k] * x[k];
      }
    }
  }
}

static void check_points(const answers *a, int i, rh_data *d, const rh_model_point *point)
{
  double want[81];
  double W[81];
  double work[9 * NV];
  double bias[3][3];
  ck_assert_int_eq(answers_posed(a, i, "expected", "W", want, 81), 81);
  rh_contact_inertia(d, 3, point, work, W);
  near_array(W, want, 81, tol, tol);
  contact_inertia_by_rows(d, point, W);
  near_array(W, want, 81, tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "Jdot_v", want, 81), 9);
  for (int k = 0; k < 3; k++) {
    rh_vec3 b = rh_point_bias(d, point[k].body, point[k].at);
    double J[3 * NV];
    double rate[3] = {0};
    rh_vec3 v = rh_point_velocity(d, point[k].body, point[k].at);
    const double velocity[3] = {v.x, v.y, v.z};
    bias[k][0] = b.x;
    bias[k][1] = b.y;
    bias[k][2] = b.z;
    rh_point_jacobian(d, point[k].body, point[k].at, J);
    for (int n = 0; n < 3 * d->model->nv; n++) {
      rate[n / d->model->nv] += J[n] * d->v[n % d->model->nv];
    }
    near_array(rate, velocity, 3, tol, tol);
  }
  near_array(&bias[0][0], want, 9, tol, tol);
}

static void check_tree(const answers *a, int i, rh_data *d)
{
  int nv = d->model->nv;
  const int nH = nv * nv;
  double want[NH];
  double got[NH];
  double tau[NV];
  ck_assert_int_eq(answers_posed(a, i, "inputs", "q", d->q, d->model->nq), d->model->nq);
  ck_assert_int_eq(answers_posed(a, i, "inputs", "v", d->v, nv), nv);
  ck_assert_int_eq(answers_posed(a, i, "inputs", "tau", tau, nv), nv);
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  rh_mass_dense(d, got);
  ck_assert_int_eq(answers_posed(a, i, "expected", "H", want, NH), nH);
  near_array(got, want, nH, tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "bias", want, NV), nv);
  rh_bias(d, got);
  near_array(got, want, nv, tol, tol);
  // a by the articulated bodies, and by H a = tau - bias
  double a_aba[NV];
  double a_crba[NV];
  for (int k = 0; k < nv; k++) {
    a_crba[k] = tau[k] - got[k];
  }
  ck_assert_int_eq(answers_posed(a, i, "expected", "a", want, NV), nv);
  rh_aba(d, tau, a_aba);
  near_array(a_aba, want, nv, tol, tol);
  rh_mass_solve(d, a_crba);
  near_array(a_crba, want, nv, tol, tol);
  // and back: the recursive Newton-Euler algorithm asks for the forces that were given. Products of accelerations (up
  // to 700) with H (up to 54) cancel to forces of size 10: 4e4 * 1e-16, a few times.
  rh_inverse_dynamics(d, want, got);
  near_array(got, tau, nv, 1e-11, 0);
  ck_assert_int_eq(answers_posed(a, i, "expected", "kinetic_energy", want, 1), 1);
  near_number_("kinetic energy", rh_kinetic_energy(d), want[0], tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "com", want, 3), 3);
  rh_vec3 com = rh_centre_of_mass(d);
  const double centre[3] = {com.x, com.y, com.z};
  near_array(centre, want, 3, tol, tol);
}

START_TEST(trees_through_the_builder)
{
  answers *a = answers_open("tests/data/spatial_dynamics.yaml");
  for (int i = 0; i < answers_count(a); i++) {
    double q[16];
    bool chain = answers_posed(a, i, "inputs", "q", q, 16) == 10;
    rh_model *model =
        chain ? build(chain4, RH_COUNT(chain4)) : build(humanoid8, RH_COUNT(humanoid8));
    rh_data *d = rh_data_create(model);
    int tip = rh_model_find(model, RH_OBJECT_BODY, chain ? "b3" : "r_foot");
    int base = rh_model_find(model, RH_OBJECT_BODY, chain ? "b0" : "pelvis");
    const rh_model_point point[3] = {
        {tip, {0.1, 0.04, -0.06}}, {tip, {-0.08, 0.04, -0.06}}, {base, {0, 0, 0.1}}};
    check_tree(a, i, d);
    check_points(a, i, d, point);
    rh_data_destroy(d);
    rh_model_destroy(model);
  }
  answers_close(a);
}

END_TEST

// ---- Atlas

typedef struct atlas_answer {
  double H[NH], W[ROWS * ROWS], position[ROWS];
} atlas_answer;

static void check_atlas(const answers *a, int i)
{
  static atlas_answer got;
  double want[NV];
  double x[NV];
  static const char *const same[][2] = {
      {"nudot", "a"}, {"bias", "bias"}, {"com", "com"}, {"kinetic_energy", "kinetic_energy"}};
  for (int k = 0; k < RH_COUNT(same); k++) {
    int n = answers_posed(a, i, "expected", same[k][0], want, NV);
    ck_assert_int_eq(answers_got(a, i, same[k][1], x, NV), n);
    near_array(x, want, n, tol, tol);
  }
  ck_assert_int_eq(answers_got(a, i, "H", got.H, NH), NH);
  ck_assert_int_eq(answers_posed(a, i, "expected", "M_diagonal", want, NV), NV);
  double trace = 0;
  for (int k = 0; k < NV; k++) {
    x[k] = got.H[k * NV + k];
    trace += x[k];
  }
  near_array(x, want, NV, tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "M_trace", want, 1), 1);
  near_array(&trace, want, 1, tol, tol);
  // The base is free, so the first three diagonal entries of H are the mass.
  ck_assert_int_eq(answers_posed(a, i, "expected", "total_mass", want, 1), 1);
  near_array(x, want, 1, tol, tol);
  const int n = RH_COUNT(got.W);
  ck_assert_int_eq(answers_got(a, i, "W", got.W, n), n);
  double first[9];
  double sole = 0;
  for (int k = 0; k < 9; k++) {
    first[k] = got.W[(k / 3) * ROWS + k % 3];
  }
  for (int k = 0; k < SOLE; k++) {
    sole += got.W[k * ROWS + k];
  }
  ck_assert_int_eq(answers_posed(a, i, "expected", "K_left_first_corner", want, 9), 9);
  near_array(first, want, 9, tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "K_trace", want, 1), 1);
  near_array(&sole, want, 1, tol, tol);
  ck_assert_int_eq(answers_got(a, i, "position", got.position, ROWS), ROWS);
  ck_assert_int_eq(answers_posed(a, i, "expected", "l_foot_position", want, 3), 3);
  near_array(got.position + SOLE, want, 3, tol, tol);
  ck_assert_int_eq(answers_posed(a, i, "expected", "r_hand_position", want, 3), 3);
  near_array(got.position + SOLE + 3, want, 3, tol, tol);
}

START_TEST(atlas_as_problems)
{
  answers *a = answers_open("tests/data/atlas_dynamics.yaml");
  ck_assert_int_eq(answers_count(a), 2);
  for (int i = 0; i < 2; i++) {
    check_atlas(a, i);
  }
  answers_close(a);
}

END_TEST

// The model file: mass, counts, the order of the coordinates, soles on the ground, every joint within its limits.
START_TEST(atlas_model)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_load(ROUTH_SOURCE_DIR "/models/atlas.yaml", NULL, 0, NULL, &scene),
                   RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(model->nbody, 30);
  ck_assert_int_eq(model->nv, NV);
  ck_assert_int_eq(model->nactuator, 28);
  near_abs(rh_total_mass(model), 147.67384, 1e-12); // the sum of 29 masses of three to five digits
  rh_data *d = rh_data_create(model);
  rh_kinematics(d);
  for (int i = 0; i < SOLE / 3; i++) {
    rh_vec3 x = rh_point_position(d, model->point[i].body, model->point[i].at);
    near_abs(x.z, 0, 1e-14); // the height of the base is given to 16 digits
  }
  for (int k = 6; k < NV; k++) {
    double q = d->q[model->dof[k].coord];
    ck_assert_msg(model->dof[k].lower <= q && q <= model->dof[k].upper, "degree of freedom %d", k);
    ck_assert(model->actuator[k - 6].dof == k && model->actuator[k - 6].hi > 0);
  }
  rh_data_destroy(d);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_ref_spatial(void)
{
  Suite *suite = suite_create("ref_spatial");
  TCase *tests = tcase_create("dynamics");
  tcase_add_test(tests, trees_as_problems);
  tcase_add_test(tests, trees_through_the_builder);
  tcase_add_test(tests, atlas_as_problems);
  tcase_add_test(tests, atlas_model);
  suite_add_tcase(suite, tests);
  return suite;
}
