// ref_haptic.c: planar chains of slender rods against the haptic reference numbers: inertia matrix, bias, inverse
// dynamics, free motion, and impacts of a two-link arm resolved with W. Built through the C API; the same dynamics are
// posed as a problem file too.
#include "answers.h"
#include "data/haptic_two_link.h"
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>

#define LINKS 3

typedef struct chain {
  int n;
  double l[LINKS], m[LINKS];
  double q[LINKS], v[LINKS];
  double g; // along -y
} chain;

// Rods along their x, hinged about z, one behind the other; the first at the origin.
static rh_model *build(const chain *c)
{
  rh_scene *scene = rh_scene_create();
  rh_world_def world = rh_world_default();
  world.gravity[1] = -c->g;
  world.gravity[2] = 0;
  rh_scene_set_world(scene, &world);
  char name[LINKS][16];
  for (int i = 0; i < c->n; i++) {
    (void)snprintf(name[i], sizeof(name[i]), "link%d", i + 1);
    double I = c->m[i] * c->l[i] * c->l[i] / 12;
    rh_body_def body = rh_body_default();
    body.name = rh_name_of(name[i]);
    body.mass = c->m[i];
    body.com[0] = c->l[i] / 2;
    body.inertia = (rh_list){6, {0, I, I}};
    rh_scene_add_body(scene, &body);
    rh_joint_def joint = rh_joint_default("revolute");
    joint.child = rh_name_of(name[i]);
    joint.parent = i > 0 ? rh_name_of(name[i - 1]) : joint.parent;
    joint.at[0] = i > 0 ? c->l[i - 1] : 0;
    joint.par[0] = 0;
    joint.par[1] = 0;
    joint.par[2] = 1;
    joint.q = (rh_list){1, {c->q[i]}};
    joint.v = (rh_list){1, {c->v[i]}};
    rh_scene_add_joint(scene, &joint);
  }
  rh_run_def run = rh_run_default("event", "cvode");
  const rh_row *row = rh_kind_find("integrators", "cvode");
  run.until = 0.5;
  run.integrator_par[rh_row_offset(row, rh_row_find(row, "rtol"))] = 1e-12;
  run.integrator_par[rh_row_offset(row, rh_row_find(row, "atol"))] = 1e-12;
  rh_scene_set_run(scene, &run);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_status status = rh_scene_compile(scene, diag, &model);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

START_TEST(chain_dyn)
{
  const chain c = {3, {0.3, 0.25, 0.2}, {1.2, 0.8, 0.5}, {0.4, -0.9, 1.3}, {1.1, -2.0, 0.7}, 9.81};
  const double qdd[3] = {0.5, 0.25, -1.5};
  const double D[9] = {0.32581997958557424,  0.11704539181726112,  0.023826316934517276,
                       0.1170453918172611,   0.061270804048948,    0.010010402024474004,
                       0.023826316934517276, 0.010010402024474004, 0.006666666666666666};
  const double B[3] = {-0.005041287117784759, -0.047636034896282216, 0.016823969540251085};
  const double G[3] = {7.429075510833242, 2.2787787506673096, 0.3417346409347845};
  const double tau[3] = {7.580466086060783, 2.289967509655184, 0.3629743694484127};
  rh_model *model = build(&c);
  rh_data *d = rh_data_create(model);
  double H[9];
  double bias[3];
  double want[3];
  double got[3];
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_dense(d, H);
  // The reference asks for 1e-10. It is double precision itself: numbers of size 10 and some tens of operations agree
  // to about 1e-15 of the largest, so 1e-14 leaves room for another order of the operations and for nothing else.
  near_array(H, D, 9, 1e-14, 1e-14);
  rh_bias(d, bias);
  for (int i = 0; i < 3; i++) {
    want[i] = B[i] + G[i];
  }
  near_array(bias, want, 3, 1e-14, 1e-14);
  rh_inverse_dynamics(d, qdd, got);
  near_array(got, tau, 3, 1e-14, 1e-14);
  // The bias at rest is gravity alone, which tells B from G.
  for (int i = 0; i < 3; i++) {
    d->v[i] = 0;
  }
  rh_kinematics(d);
  rh_bias(d, bias);
  near_array(bias, G, 3, 1e-14, 1e-14);
  rh_data_destroy(d);
  rh_model_destroy(model);
}

END_TEST

START_TEST(chain_dyn_as_problem)
{
  char why[RH_TEST_WHY_MAX];
  answers *a = answers_open("tests/data/haptic_dynamics.yaml");
  ck_assert_int_eq(answers_count(a), 1);
  ck_assert_msg(answers_agree(a, 0, 1e-14, 1e-14, why), "%s", why); // as above
  answers_close(a);
}

END_TEST

// Free motion for half a second. The reference asks for 1e-6, which a step of 2 ms gives; its numbers are better.
static void free_motion(const chain *c, const double *q, const double *v, double energy)
{
  rh_model *model = build(c);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  rh_data *d = rh_sim_data(sim);
  // Local errors of 1e-12 over some hundred steps; half a second is too short for the chain to amplify them much.
  near_array(d->q, q, 3, 1e-10, 1e-10);
  near_array(d->v, v, 3, 1e-10, 1e-10);
  rh_kinematics(d);
  // The energy is conserved, so it is known better than the path.
  near_abs(rh_kinetic_energy(d) + rh_potential_energy(d), energy, 1e-11);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

START_TEST(chain_free_swing)
{
  const chain c = {3, {0.3, 0.25, 0.2}, {1.2, 0.8, 0.5}, {0.2, 0.3, -0.4}, {0.0, 1.0, -1.0}, 9.81};
  const double q[3] = {-1.7191065304760405, -0.6368568122537894, -1.1677251992224569};
  const double v[3] = {-5.406215930995818, -6.539332073517974, 12.168065742897092};
  free_motion(&c, q, v, 2.2420379412894733);
}

END_TEST

START_TEST(chain_free_without_gravity)
{
  const chain c = {3, {0.1, 0.1, 0.08}, {0.4, 0.3, 0.2}, {0.3, 0.4, -0.2}, {2.0, -1.0, 1.5}, 0.0};
  const double q[3] = {1.4162708469808523, -0.3264702334888572, 0.3528798638839015};
  const double v[3] = {1.7804969354922318, 0.26434133290858036, -2.2342848966896227};
  free_motion(&c, q, v, 0.027827826425067655);
}

END_TEST

// x := A^-1 x for a symmetric 2x2 matrix
static void solve2(const double A[4], double x[2])
{
  double det = A[0] * A[3] - A[1] * A[2];
  double x0 = (A[3] * x[0] - A[1] * x[1]) / det;
  x[1] = (A[0] * x[1] - A[2] * x[0]) / det;
  x[0] = x0;
}

// The impulse p of least norm with W p = b, W = J H^-1 J' (n x n), for an arm of two degrees of freedom.
// `p` comes in as b.
static void impulse(const two_link_case *c, double J[3][2], const double *W, const double *H,
                    double *p)
{
  if (c->n == 1) {
    p[0] /= W[0];
  } else if (c->n == 2) {
    solve2(W, p);
  } else {
    // W has rank 2. p = J y lies in its range, so W p = b gives y = (J'J)^-1 H (J'J)^-1 J'b.
    double JJ[4] = {0};
    double y[2] = {0};
    for (int k = 0; k < c->n; k++) {
      y[0] += J[k][0] * p[k];
      y[1] += J[k][1] * p[k];
      JJ[0] += J[k][0] * J[k][0];
      JJ[1] += J[k][0] * J[k][1];
      JJ[3] += J[k][1] * J[k][1];
    }
    JJ[2] = JJ[1];
    solve2(JJ, y);
    double z[2] = {H[0] * y[0] + H[1] * y[1], H[2] * y[0] + H[3] * y[1]};
    solve2(JJ, z);
    for (int k = 0; k < c->n; k++) {
      p[k] = J[k][0] * z[0] + J[k][1] * z[1];
    }
  }
}

// Restitution e at every contact at once: v_n+ = -e v_n-.
static void check_result(rh_data *d, const two_link_case *c, const two_link_result *want,
                         double J[3][2], const double *W)
{
  double H[4] = {0};
  rh_mass_dense(d, H);
  double p[3] = {0};
  for (int k = 0; k < c->n; k++) {
    p[k] = -(1 + want->e) * c->v_n0[k];
  }
  impulse(c, J, W, H, p);
  double dv[2] = {0};
  for (int k = 0; k < c->n; k++) {
    dv[0] += J[k][0] * p[k];
    dv[1] += J[k][1] * p[k];
  }
  rh_mass_solve(d, dv);
  double v0[2] = {d->v[0], d->v[1]};
  double before = rh_kinetic_energy(d);
  d->v[0] += dv[0];
  d->v[1] += dv[1];
  rh_kinematics(d);
  // The 2x2 systems have condition numbers of at most about 100, met twice with three contacts: rounding stays below
  // 1e-12. The reference asks for 1e-10.
  near_array(p, want->p, c->n, 1e-12, 1e-12);
  near_array(d->v, want->qd, 2, 1e-12, 1e-12);
  near_abs(before - rh_kinetic_energy(d), want->loss, 1e-12);
  d->v[0] = v0[0];
  d->v[1] = v0[1];
  rh_kinematics(d);
}

START_TEST(two_link)
{
  const two_link_case *c = &two_link_cases[_i];
  const chain arm = {2, {1, 1}, {1, 1}, {1.5707963267948966, 0}, {1, 1}, 0};
  const double D[4] = {2.666666666666667, 0.8333333333333334, 0.8333333333333334,
                       0.3333333333333333};
  rh_model *model = build(&arm);
  rh_data *d = rh_data_create(model);
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  double H[4] = {0};
  rh_mass_dense(d, H);
  near_array(H, D, 4, 1e-14, 1e-14); // a handful of operations
  near_abs(rh_kinetic_energy(d), 2.3333333333333335, 1e-14);
  rh_model_point point[3] = {0};
  double J[3][2] = {{0}};
  for (int k = 0; k < c->n; k++) {
    double full[6] = {0};
    point[k] = (rh_model_point){c->link[k], rh_v3(c->r[k], 0, 0)};
    rh_point_jacobian(d, point[k].body, point[k].at, full);
    for (int i = 0; i < 2; i++) {
      J[k][i] = c->normal[k][0] * full[i] + c->normal[k][1] * full[2 + i];
    }
    rh_vec3 v = rh_point_velocity(d, point[k].body, point[k].at);
    near_abs(c->normal[k][0] * v.x + c->normal[k][1] * v.y, c->v_n0[k], 1e-14);
  }
  near_array(&J[0][0], &c->J[0][0], 2 * c->n, 1e-14, 1e-14);
  double work[9 * 2];
  double full[81] = {0};
  rh_contact_inertia(d, c->n, point, work, full);
  double W[9] = {0};
  for (int k = 0; k < c->n; k++) {
    for (int j = 0; j < c->n; j++) {
      double sum = 0;
      for (int s = 0; s < 4; s++) { // n_k' W_kj n_j over x and y
        sum += c->normal[k][s / 2] * full[(3 * k + s / 2) * 3 * c->n + 3 * j + s % 2] *
               c->normal[j][s % 2];
      }
      W[k * c->n + j] = sum;
    }
  }
  for (int i = 0; i < c->nresult; i++) {
    check_result(d, c, &c->result[i], J, W);
  }
  rh_data_destroy(d);
  rh_model_destroy(model);
}

END_TEST

Suite *rh_suite_ref_haptic(void)
{
  Suite *suite = suite_create("ref_haptic");
  TCase *tests = tcase_create("chains");
  tcase_add_test(tests, chain_dyn);
  tcase_add_test(tests, chain_dyn_as_problem);
  tcase_add_test(tests, chain_free_swing);
  tcase_add_test(tests, chain_free_without_gravity);
  tcase_add_loop_test(tests, two_link, 0, RH_COUNT(two_link_cases));
  suite_add_tcase(suite, tests);
  return suite;
}
