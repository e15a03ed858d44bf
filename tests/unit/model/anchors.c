// unit_anchors.c: anchors, aliases and merge keys of YAML.
#include "scene_text.h"

#include "scene_io/language/anchors.h"
#include "scene_io/yaml_doc.h"

START_TEST(aliases_are_what_they_name)
{
  static const char with[] = "templates:\n"
                             "  ball: &ball {mass: 0.2, inertia: &i [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n"
                             "bodies:\n"
                             "  - {<<: *ball, name: a}\n"
                             "  - {name: b, mass: 0.4, <<: *ball}\n"
                             "  - {name: c, mass: 1, inertia: *i}\n"
                             "joints:\n"
                             "  - &j {kind: free, child: a, q: [0, 0, 1, 1, 0, 0, 0]}\n"
                             "  - {<<: [{child: b, v: [0, 0, 0, 1, 0, 0]}, *j]}\n"
                             "  - {<<: *j, child: c}\n"
                             "run: {until: 0.1}\n";
  static const char without[] =
      "bodies:\n"
      "  - {name: a, mass: 0.2, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n"
      "  - {name: b, mass: 0.4, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n"
      "  - {name: c, mass: 1, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n"
      "joints:\n"
      "  - {kind: free, child: a, q: [0, 0, 1, 1, 0, 0, 0]}\n"
      "  - {kind: free, child: b, q: [0, 0, 1, 1, 0, 0, 0], v: [0, 0, 0, 1, 0, 0]}\n"
      "  - {kind: free, child: c, q: [0, 0, 1, 1, 0, 0, 0]}\n"
      "run: {until: 0.1}\n";
  check_same_scene(with, without, NULL, 0);
}

END_TEST

// An override changes one copy alone; a later anchor of a name replaces the earlier one.
START_TEST(copies_are_apart)
{
  static const char text[] =
      "bodies: [{name: a, mass: &m 1}, {name: b, mass: *m}, {name: c, mass: &m 3}, "
      "{name: d, mass: *m}]\n";
  static const double mass[] = {1, 7, 3, 3};
  const char *const set[] = {"b.mass=7"};
  rh_scene *scene = parse_good_scene(text, set, 1);
  for (int i = 0; i < RH_COUNT(mass); i++) {
    const rh_body_def *body = rh_scene_item(scene, RH_SECTION_BODIES, i);
    ck_assert_double_eq(body->mass, mass[i]);
  }
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(wrong_aliases_are_refused)
{
  static const refusal cases[] = {
      {"run:\n  until: *x", NULL, 2, 10,
       "there is no anchor ('&name') of this name before this alias"},
      {"run: {until: *x}\nrecord: {every: &x 1}", NULL, 1, 14, "there is no anchor"},
      {"bodies: &a\n  - {name: b}\n  - *a", NULL, 3, 5,
       "the alias is within what its anchor marks"},
      {"run: &r {<<: *r}", NULL, 1, 14, "the alias is within what its anchor marks"},
      {"run: {until: &a [1, {b: *a}]}", NULL, 1, 25, "the alias is within what its anchor marks"},
      {"run: {<<: 3}", NULL, 1, 11,
       "'<<' takes a map (<<: *name) or a list of maps, 128 keys in all, got text"},
      {"run: {<<: [{until: 1}, 4]}", NULL, 1, 24, "'<<' takes a map"},
      {"run: {<<: {until: 1}, <<: {until: 2}}", NULL, 1, 23, "key '<<' appears twice"},
      {"run: {<<: &m {untill: 1}}", NULL, 1, 15,
       "run: unknown key 'untill'; did you mean 'until'?"},
      {"run: &a {until: 1}\nrecord: {*a : 2}", NULL, 1, 6, "a key must be a plain word"},
      {"run: {until: 1}", "run.until=*x", 1, 11, "there is no anchor"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

// Ten aliases of ten aliases of ...: 10^9 values in 400 bytes. The tree stays within its limit.
START_TEST(nested_aliases_are_bounded)
{
  char text[1024] = "templates:\n  - &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  size_t used = strlen(text);
  for (int i = 1; i < 9; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "  - &a%d [", i);
    for (int k = 0; k < 10; k++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s*a%d", k ? ", " : "", i - 1);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]\n");
  }
  rh_yaml tree = {.file = {"bomb.yaml"}};
  int root = RH_NONE;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_yaml_read(&tree, text, used, (rh_yaml_start){0}, diag, &root),
                   RH_INPUT_REFUSED);
  rh_message m = rh_diag_get(diag, 0);
  ck_assert_msg(strstr(m.text, "the aliases make the file too big"), "%s", m.text);
  ck_assert_int_ge(m.place.line, 7); // 10 + 100 + ... + 10^5 values fit, 10^6 more do not
  ck_assert_int_le(tree.count, RH_COPIES_MAX + 200);
  rh_yaml_free(&tree);
  rh_diag_destroy(diag);
}

END_TEST

// An alias within lists may not make the tree deeper than a text may be.
START_TEST(depth_is_bounded)
{
  char text[256] = "templates: [&a ";
  for (int i = 0; i < 20; i++) {
    strcat(text, "[");
  }
  for (int i = 0; i < 20; i++) {
    strcat(text, "]");
  }
  strcat(text, ", [[[[[[[[[[[*a]]]]]]]]]]]]\n");
  check_refusal(&(refusal){text, NULL, 1, 69, "the aliases make the file too big"});
}

END_TEST

START_TEST(anchors_are_bounded)
{
  rh_yaml tree = {.file = {"many.yaml"}};
  rh_diag *diag = rh_diag_create();
  char text[8192] = "[";
  size_t used = 1;
  int root = RH_NONE;
  for (int i = 0; i <= RH_ANCHORS_MAX; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "&a%d 1, ", i);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "2]");
  ck_assert_int_eq(rh_yaml_read(&tree, text, used, (rh_yaml_start){0}, diag, &root),
                   RH_INPUT_REFUSED);
  ck_assert_str_eq(rh_diag_get(diag, 0).text, "too many anchors ('&name'): a file may have 256");
  rh_yaml_free(&tree);
  rh_diag_destroy(diag);
}

END_TEST

Suite *rh_suite_unit_anchors(void)
{
  Suite *suite = suite_create("unit_anchors");
  TCase *tcase = tcase_create("anchors");
  tcase_add_test(tcase, aliases_are_what_they_name);
  tcase_add_test(tcase, copies_are_apart);
  tcase_add_test(tcase, wrong_aliases_are_refused);
  tcase_add_test(tcase, nested_aliases_are_bounded);
  tcase_add_test(tcase, depth_is_bounded);
  tcase_add_test(tcase, anchors_are_bounded);
  suite_add_tcase(suite, tcase);
  return suite;
}
