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

Suite *rh_suite_unit_held_normals(void)
{
  Suite *suite = suite_create("unit_held_normals");
  TCase *tcase = tcase_create("held_normals");
  tcase_add_loop_test(tcase, nothing_moves_along_the_normal, 0, RH_COUNT(scene));
  tcase_add_loop_test(tcase, nor_in_lanes, 0, RH_COUNT(scene));
  suite_add_tcase(suite, tcase);
  return suite;
}
