// unit_held_normals: contacts whose normal the joints of a body hold: a turntable on the floor, a top on its pole, a roller on its
// axle, a slider on its rail. No impulse there moves anything, so there is none, nor friction, and the motion is that
// without contact: by both engines, laws with and without restitution, and batches in lanes, whose rows are their own.
#include "moreau.h"

#define TURNING(axis, at) "{kind: revolute, child: b, at: " at ", axis: " axis ", v: [3]}"

static const struct {
  const char *joint, *shape;
  double v;
} scene[] = {
    {TURNING("[0, 0, 1]", "[0, 0, 0.05]"), "kind: cylinder, radius: 0.3, length: 0.1", 3},
    {TURNING("[0, 0, 1]", "[0, 0, 0.1]"), "kind: sphere, radius: 0.1", 3},
    {TURNING("[1, 0, 0]", "[0, 0, 0.05]"),
     "kind: capsule, radius: 0.05, length: 0.4, rpy: [0, 1.5707963267948966, 0]", 3},
    {"{kind: prismatic, child: b, at: [0, 0, 0.1], axis: [1, 0, 0], v: [0.7]}",
     "kind: box, size: [0.4, 0.3, 0.2]", 0.7},
};

static const char *const law[] = {"newton, e: 0", "newton, e: 0.5", "stronge, e: 0.5"};
static const char *const engine[] = {"event", "stepping"};

static rh_model *make_scene(int i, const char *of, const char *by)
{
  static text t;
  t.n = 0;
  put(&t,
      DOWN "bodies: [{name: b, mass: 1, inertia: [0.02, 0.03, 0.04, 0, 0, 0]}]\n"
           "joints: [%s]\n"
           "shapes: [" FLOOR ", {body: b, %s}]\n"
           "contacts: [{body: b, against: world, law: %s, friction: dry, mu_s: 0.5, mu_k: 0.4}]\n"
           "run: {until: 0.5, engine: %s}\n",
      scene[i].joint, scene[i].shape, of, by);
  return model_from(t.s, NULL, 0);
}

// Coordinates: the tolerance of the integrator is 1e-8.
static void check_motion(const rh_sim *sim, int i)
{
  near_abs(rh_sim_view(sim)->v[0], scene[i].v, 1e-12);
  near_abs(rh_sim_view(sim)->q[0], *rh_sim_view(sim)->t * scene[i].v, 1e-10);
  near_abs(rh_sim_ledger(sim).sliding, 0, 1e-15);
}

START_TEST(nothing_moves_along_the_normal)
{
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < RH_COUNT(law); i++) {
      rh_model *model = make_scene(_i, law[i], engine[k]);
      rh_sim *sim = watch(model, NULL, NULL);
      check_motion(sim, _i);
      finish(sim, model);
    }
  }
}

END_TEST

START_TEST(nor_in_lanes)
{
  rh_batch *batch = NULL;
  rh_diag *diag = rh_diag_create();
  rh_model *model = make_scene(_i, law[0], engine[1]);
  ck_assert_int_eq(rh_batch_create(model, 9, 1, diag, &batch), RH_OK);
  ck_assert_int_eq(rh_batch_step(batch, 100), 0);
  ck_assert(rh_batch_lanes(batch) == 0 || rh_batch_lane_steps(batch) > 800);
  for (int i = 0; i < 9; i++) {
    check_motion(rh_batch_sim(batch, i), _i);
  }
  rh_batch_destroy(batch);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
}

END_TEST

// An arm on one hinge meets the floor with two feet, which move along the normal only as they slide. With a and H the place of a foot
// from the hinge, friction up to mu >= a / H holds the compressed feet: they stay, whatever e. Else normal work gives back
// e^2 = 1 of what it took, slowed down by friction both ways: w+ = w sqrt((a - mu H)/(a + mu H)).
START_TEST(arm_that_jams)
{
  static const double mu[] = {0.5, 0.2};
  static text t;
  for (int k = 0; k < 2; k++) {
    for (int i = 1; i < RH_COUNT(law); i++) {
      t.n = 0;
      put(&t,
          "world: {gravity: [0, 0, 0]}\n"
          "bodies: [{name: b, mass: 1, inertia: [0.05, 0.05, 0.05, 0, 0, 0]}]\n"
          "joints: [{kind: revolute, child: b, at: [0, 0, 0.3], axis: [0, 1, 0], v: [1]}]\n"
          "shapes: [" FLOOR
          ", {body: b, kind: sphere, at: [0.1, 0.1, -0.2784], radius: 0.02}, {body: "
          "b, kind: sphere, at: [0.1, -0.1, -0.2784], radius: 0.02}]\n"
          "contacts: [{body: b, against: world, law: %.*s, e: 1, friction: dry, mu_s: %g, mu_k: "
          "%g}]\n"
          "run: {until: 0.1, engine: %s}\n",
          (int)strcspn(law[i], ","), law[i], mu[_i], mu[_i], engine[k]);
      rh_model *model = model_from(t.s, NULL, 0);
      rh_sim *sim = watch(model, NULL, NULL);
      double q = 0.0163739261; // where the feet touch: 0.1 sin q + 0.2784 cos q = 0.28
      double a = 0.1 * cos(q) - 0.2784 * sin(q);
      double square = (a - mu[_i] * 0.3) / (a + mu[_i] * 0.3);
      near_abs(rh_sim_view(sim)->v[0], square > 0 ? -sqrt(square) : 0, 1e-5); // of the path 1e-6
      finish(sim, model);
    }
  }
}

END_TEST

Suite *rh_suite_unit_held_normals(void)
{
  Suite *suite = suite_create("unit_held_normals");
  TCase *tcase = tcase_create("held_normals");
  tcase_add_loop_test(tcase, nothing_moves_along_the_normal, 0, RH_COUNT(scene));
  tcase_add_loop_test(tcase, nor_in_lanes, 0, RH_COUNT(scene));
  tcase_add_loop_test(tcase, arm_that_jams, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
