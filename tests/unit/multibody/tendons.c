// unit_tendons.c: the section `tendons`: lengths about spheres and cylinders by elementary geometry,
// gradients against finite differences, springs, pulleys, sums of joints, limits, what is refused.
#include "rigid.h"

#include "solved.h"

#include "multibody/multibody.h"
#include "multibody/tendons/tendons.h"

static const double PI = 3.14159265358979323846;

// ---- Geometry

// Two points on opposite sides at the distance D from the axis: two tangents and an arc.
START_TEST(lengths_are_elementary)
{
  const double D = 2;
  const double r = 0.5;
  rh_wrap_round o = {.sphere = _i == 0, .frame = {rh_rpy_matrix(0, 0, 0), {0, 0, 0}}, .radius = r};
  rh_wrap_result w;
  ck_assert(rh_wrap_path(&o, rh_v3(D, 1e-9, 0), rh_v3(-D, 1e-9, 0), &w));
  double tangent = sqrt(D * D - r * r);
  double whole = 2 * tangent + r * (PI - 2 * acos(r / D));
  double got = w.length + rh_norm(rh_sub(w.at[0], rh_v3(D, 1e-9, 0))) +
               rh_norm(rh_sub(w.at[1], rh_v3(-D, 1e-9, 0)));
  ck_assert_double_eq_tol(got, whole, 1e-8); // the points are 1e-9 m off the axis
  ck_assert(!rh_wrap_path(&o, rh_v3(D, 0.6, 0), rh_v3(-D, 0.6, 0), &w)); // it misses the circle
  o.has_side = true;
  o.side = rh_v3(0, -1, 0);
  ck_assert(
      rh_wrap_path(&o, rh_v3(D, 0.6, 0), rh_v3(-D, 0.6, 0), &w)); // and passes on the other side
  ck_assert_double_lt(w.at[0].y, 0);
}

END_TEST

// A helix: on the unrolled cylinder the path is a straight line.
START_TEST(cylinder_is_unrolled)
{
  const double r = 0.5;
  rh_wrap_round o = {.frame = {rh_rpy_matrix(0, 0, 0), {0, 0, 0}}, .radius = r};
  rh_vec3 x = {1, -0.1, 0};
  rh_vec3 y = {-1, -0.1, 0.7};
  rh_wrap_result w;
  ck_assert(rh_wrap_path(&o, x, y, &w));
  double flat = 2 * sqrt(1.01 - r * r) + r * (2 * (PI / 2 - acos(r / sqrt(1.01)) - atan(0.1)));
  double got = w.length + rh_norm(rh_sub(w.at[0], x)) + rh_norm(rh_sub(w.at[1], y));
  ck_assert_double_eq_tol(got, hypot(flat, 0.7), 1e-12); // rounding
}

END_TEST

// ---- In worlds

#define ARM                                                                                        \
  "bodies: [{name: a, mass: 1, com: [0.2, 0, 0], inertia: [1, 1, 1, 0, 0, 0]},"                    \
  " {name: b, mass: 1, com: [0.2, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}]\n"                          \
  "joints: [{kind: revolute, child: a, axis: [0, 1, 0], q: [0.3]},"                                \
  " {kind: revolute, parent: a, child: b, at: [0.5, 0, 0], axis: [0, 1, 0], q: [0.9]}]\n"

static const char *const path_text[] = {
    // about a sphere on the elbow, with a pulley after it
    ARM "tendons: [{name: t, spring: 30, rest: [0.1], damper: 0.2}]\n"
        "tendon_parts: [{tendon: t, body: world, at: [0.1, 0, 0.2]},"
        " {tendon: t, kind: sphere, body: a, at: [0.5, 0, 0], radius: 0.1},"
        " {tendon: t, body: b, at: [0.4, 0.05, 0.05]}, {tendon: t, kind: pulley, divisor: 2},"
        " {tendon: t, body: a, at: [0.1, 0, 0]}, {tendon: t, body: b, at: [0.3, 0, 0]}]\n",
    // about a cylinder, on a given side
    ARM "tendons: [{name: t, spring: 30, rest: [0.1]}]\n"
        "tendon_parts: [{tendon: t, body: world, at: [0.1, 0, 0.2]},"
        " {tendon: t, kind: cylinder, body: a, at: [0.5, 0, 0], rpy: [1.5707963, 0, 0],"
        " radius: 0.08, side: [0.5, 0, 0.3]},"
        " {tendon: t, body: b, at: [0.4, 0.05, 0.05]}]\n",
    // a sum of coordinates
    ARM "tendons: [{name: t, spring: 30, rest: [0.1, 0.2]}]\n"
        "tendon_parts: [{tendon: t, kind: joint, joint: a, coefficient: 0.5},"
        " {tendon: t, kind: joint, joint: b, coefficient: -0.25}]\n",
};

static rh_model *compile_tendons(const char *text)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene), RH_OK);
  rh_status status = rh_scene_compile(scene, diag, &model);
  ck_assert_msg(status == RH_OK, "%s", rh_diag_kept(diag) ? rh_diag_get(diag, 0).text : "?");
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return model;
}

static double length_at(rh_data *d, int k, double step)
{
  d->q[k] += step;
  rh_kinematics(d);
  double length = rh_tendon_length(d, 0);
  d->q[k] -= step;
  return length;
}

START_TEST(gradients_are_differences)
{
  rh_model *m = compile_tendons(path_text[_i]);
  rh_data *d = rh_data_create(m);
  const double h = 1e-5;
  for (int k = 0; k < m->nv; k++) {
    double want = (length_at(d, k, h) - length_at(d, k, -h)) / (2 * h);
    rh_kinematics(d);
    rh_tendon_update(d, 0);
    ck_assert_int_eq(m->tendons.dof[k], k);
    ck_assert_double_eq_tol(d->dyn.tendon_J[k], want, 1e-9); // h^2, and rounding over h
  }
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

#define MASSES                                                                                     \
  "world: {gravity: [0, 0, -9.81]}\n"                                                              \
  "bodies: [{name: a, mass: 3, inertia: [1, 1, 1, 0, 0, 0]},"                                      \
  " {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                            \
  "joints: [{kind: prismatic, child: a, axis: [0, 0, 1], at: [-0.1, 0, 0], q: [-1]},"              \
  " {kind: prismatic, child: b, axis: [0, 0, 1], at: [0.1, 0, 0], q: [-1]}]\n"

static rh_sim *open_run(const rh_model *m)
{
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(m, NULL, &sim), RH_OK);
  return sim;
}

// Atwood's machine: two masses on a tendon that cannot become longer, over a cylinder. The heavier one
// falls with g (m1 - m2)/(m1 + m2).
START_TEST(two_masses_on_a_limit)
{
  rh_model *m = compile_tendons(
      MASSES
      "tendons: [{name: t, limits: [0, 2.31415926535897932]}]\n"
      "tendon_parts: [{tendon: t, body: a}, {tendon: t, kind: cylinder, body: world,"
      " rpy: [1.5707963267948966, 0, 0], radius: 0.1, side: [0, 0, 1]}, {tendon: t, body: b}]\n"
      "run: {until: 0.2, engine: stepping}\n");
  rh_sim *sim = open_run(m);
  ck_assert_int_eq(rh_sim_run(sim, 0.2), RH_OK);
  const rh_data *d = rh_sim_data(sim);
  double a = 9.81 * 2 / 4;
  ck_assert_double_eq_tol(d->v[0], -a * 0.2, 1e-6); // the solver's tolerance
  ck_assert_double_eq_tol(d->v[1], a * 0.2, 1e-6);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// A spring joins the masses: energy is kept.
START_TEST(springs_keep_energy)
{
  rh_model *m =
      compile_tendons(MASSES "tendons: [{name: t, spring: 500, rest: [2]}]\n"
                             "tendon_parts: [{tendon: t, body: a}, {tendon: t, body: world},"
                             " {tendon: t, body: b}]\n"
                             "run: {until: 0.2, rtol: 1e-10, atol: 1e-12}\n");
  rh_sim *sim = open_run(m);
  ck_assert_int_eq(rh_sim_run(sim, 0.2), RH_OK);
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_double_gt(l.spring, 0);
  ck_assert_double_le(fabs(l.residue), 1e-9 * fabs(l.kinetic + l.spring + fabs(l.potential)));
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

Suite *rh_suite_unit_tendons(void)
{
  Suite *suite = suite_create("unit_tendons");
  TCase *tendons = tcase_create("tendons");
  tcase_add_loop_test(tendons, lengths_are_elementary, 0, 2);
  tcase_add_test(tendons, cylinder_is_unrolled);
  tcase_add_loop_test(tendons, gradients_are_differences, 0, RH_COUNT(path_text));
  tcase_add_test(tendons, two_masses_on_a_limit);
  tcase_add_test(tendons, springs_keep_energy);
  suite_add_tcase(suite, tendons);
  return suite;
}
