// tree_order.c: the model has parents before children, whatever the order of the scene and the size
// of its trees. Names that are too long are cut.
#include "world.h"

// Body number k of the scene weighs k kg, is called bk and hangs on number k / 2.
static void check_place(const rh_model *m, int i)
{
  int number = (int)m->body[i].inertia.mass;
  int below = number / 2;
  char name[16];
  (void)snprintf(name, sizeof name, "b%d", number);
  ck_assert_str_eq(rh_model_name(m, RH_OBJECT_BODY, i), name);
  ck_assert_int_lt(m->body[i].parent, i);
  near_abs(m->body[m->body[i].parent].inertia.mass, below, 0); // the world weighs nothing
}

// Children before parents in the scene: the model has parents first all the same.
START_TEST(order_of_the_scene_does_not_matter)
{
  const int n = 200;
  rh_scene *scene = rh_scene_create();
  for (int i = n; i >= 1; i--) {
    char name[16];
    char parent[16] = "world";
    (void)snprintf(name, sizeof name, "b%d", i);
    if (i > 1) {
      (void)snprintf(parent, sizeof parent, "b%d", i / 2);
    }
    rh_body_def body = body_of(name, i, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
    rh_joint_def joint = joint_of(i % 3 == 0 ? "fixed" : "revolute", parent, name, rh_v3(0, 0, 1));
    (void)rh_scene_add_joint(scene, &joint);
    (void)rh_scene_add_body(scene, &body);
  }
  rh_model *m = model_of(scene);
  ck_assert_int_eq(m->nbody, n + 1);
  ck_assert_int_eq(m->body[0].parent, RH_NONE);
  for (int i = 1; i <= n; i++) {
    check_place(m, i);
  }
  for (int k = 0; k < m->nv; k++) { // the dofs' own tree
    ck_assert_int_lt(m->dof[k].parent, k);
    ck_assert_int_eq(m->body[m->dof[k].body].vadr <= k &&
                         k < m->body[m->dof[k].body].vadr + m->body[m->dof[k].body].nv,
                     1);
  }
  rh_model_destroy(m);
}

END_TEST

// Long chains and wide trees are neither slow nor a matter of the stack.
START_TEST(large_trees_compile)
{
  for (int chain = 0; chain < 2; chain++) {
    rh_scene *scene = rh_scene_create();
    const int n = 3000;
    for (int i = 0; i < n; i++) {
      char name[16];
      char parent[16] = "world";
      (void)snprintf(name, sizeof name, "b%d", i);
      if (chain && i > 0) {
        (void)snprintf(parent, sizeof parent, "b%d", i - 1);
      }
      rh_body_def body = body_of(name, 1, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
      rh_joint_def joint = joint_of("revolute", parent, name, rh_v3(0, 1, 0));
      (void)rh_scene_add_body(scene, &body);
      (void)rh_scene_add_joint(scene, &joint);
    }
    rh_model *m = model_of(scene);
    ck_assert_int_eq(m->layout.nH, chain ? n * (n + 1) / 2 : n);
    rh_model_destroy(m);
  }
}

END_TEST

START_TEST(names_are_cut)
{
  char text[100] = "";
  memset(text, 'x', sizeof text - 1);
  rh_name n = rh_name_of(text);
  ck_assert_int_eq((int)strlen(n.text), RH_NAME_MAX - 1);
  ck_assert(n.text[RH_NAME_MAX - 2] == '~');
  text[62] = '\0'; // the longest that fits with room to spare
  ck_assert_str_eq(rh_name_of(text).text, text);
}

END_TEST

Suite *rh_suite_unit_tree_order(void)
{
  Suite *suite = suite_create("unit_tree_order");
  TCase *order = tcase_create("order");
  tcase_add_test(order, order_of_the_scene_does_not_matter);
  tcase_add_test(order, large_trees_compile);
  tcase_add_test(order, names_are_cut);
  suite_add_tcase(suite, order);
  return suite;
}
