// Joints with dry friction under the engine event: none is held by more than its stiction, whatever the other joints do.
#include "scene_text.h"

#include <math.h>

enum { LINKS = 6 };

// A chain of links that falls from a bent pose and comes to rest in jerks: joints stick and slip in turn, each of which makes the
// forces of the others jump.
START_TEST(no_joint_is_overloaded)
{
  char text[4096] = "bodies:\n";
  for (int i = 0; i < LINKS; i++) {
    size_t used = strlen(text);
    (void)snprintf(
        text + used, sizeof text - used,
        "  - {name: b%d, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n", i);
  }
  strcat(text, "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    size_t used = strlen(text);
    char parent[16] = "world";
    if (i > 0) {
      (void)snprintf(parent, sizeof parent, "b%d", i - 1);
    }
    (void)snprintf(text + used, sizeof text - used,
                   "  - {kind: revolute, parent: %s, child: b%d, at: [%g, 0, 0], axis: [0, 1, 0], "
                   "q: %g, friction: %g}\n",
                   parent, i, i > 0 ? 0.2 : 0.0, i % 2 ? 0.9 : -0.7, 0.05 * (i + 1));
  }
  rh_scene *scene = parse_good_scene(text, NULL, 0);
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  int held = 0;
  for (int i = 1; i <= 300; i++) {
    ck_assert_int_eq(rh_sim_run(sim, 0.01 * i), RH_OK);
    const rh_data *d = rh_sim_view(sim);
    for (int k = 0; k < model->nv; k++) {
      bool dry = d->hold[k] == RH_HOLD_DRY;
      held += dry;
      // the event is located to the tolerance of the integrator
      ck_assert_msg(!dry || fabs(d->react[k]) <= model->dof[k].stiction * (1 + 1e-6),
                    "t = %g, joint %d: %g of %g", 0.01 * i, k, d->react[k], model->dof[k].stiction);
    }
  }
  ck_assert_int_gt(held, 0);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_unit_held_joints(void)
{
  Suite *suite = suite_create("unit_held_joints");
  TCase *tests = tcase_create("held");
  tcase_add_test(tests, no_joint_is_overloaded);
  suite_add_tcase(suite, tests);
  return suite;
}
