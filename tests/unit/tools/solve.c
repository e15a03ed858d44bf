// unit_solve.c: the runner of problem files: what it answers, its table of kinds, and the examples of its manual. The
// dynamics behind the answers have their own tests; here closed forms of one joint suffice.
#include "solved.h"
#include "test.h"

#include <routh/routh.h>

// ---- Answers

START_TEST(rod_in_closed_form)
{
  solved s = pose("forward_dynamics", ROD, "q: 30 deg, v: [3], tau: {hinge: 4 N m}, points: [tip]");
  ck_assert_int_eq(s.status, RH_OK);
  // sin 30 deg is 1/2 to the last bit or two
  near_abs(number(&s, "x", "H"), 1, 1e-15);
  near_abs(number(&s, "x", "bias"), 5, 1e-14);
  near_abs(number(&s, "x", "a"), -1, 1e-14);
  near_abs(number(&s, "x", "kinetic_energy"), 4.5, 1e-14);
  near_abs(number(&s, "x", "potential_energy"), -10 * sqrt(0.75), 1e-14);
  double x[9];
  const double J[3] = {-sqrt(0.75), 0, 0.5};
  const double Jdot_v[3] = {4.5, 0, 9 * sqrt(0.75)}; // v^2 towards the hinge
  ck_assert_int_eq(output(&s, "x", "J", x, 9), 3);
  near_array(x, J, 3, 1e-15, 0);
  ck_assert_int_eq(output(&s, "x", "Jdot_v", x, 9), 3);
  near_array(x, Jdot_v, 3, 1e-14, 0);
  ck_assert_int_eq(output(&s, "x", "W", x, 9), 9);
  for (int i = 0; i < 9; i++) {
    near_abs(x[i], J[i / 3] * J[i % 3], 1e-15);
  }
  done(&s);
}

END_TEST

START_TEST(inverse_undoes_forward)
{
  solved s = pose("inverse_dynamics", ROD, "q: [0.7], v: {hinge: 2}, a: [1.25]");
  ck_assert_int_eq(s.status, RH_OK);
  near_abs(number(&s, "x", "tau"), 1.25 + 10 * sin(0.7),
           1e-14); // a few roundings of numbers of size 10
  done(&s);
}

END_TEST

START_TEST(order_and_digits)
{
  // The ids stand in the order of the file, and numbers read back to the same bits.
  const char *text = "- {id: zebra, kind: forward_dynamics, inputs: {scene: " ROD ", q: [0.1]}}\n"
                     "- {id: 7, kind: inverse_dynamics, inputs: {scene: " ROD ", q: [0.1]}}\n"
                     "- {id: 'a \"b\"\\c', kind: forward_dynamics, inputs: {scene: " ROD
                     "}, note: n, tol: 1, expected: {a: 0}}\n";
  solved s = solve(text);
  ck_assert_int_eq(s.status, RH_OK);
  static const char *const id[] = {"zebra", "7", "a \"b\"\\c"};
  int node = s.tree.node[s.root].first;
  for (int i = 0; i < 3; i++) {
    ck_assert_str_eq(rh_yaml_text(&s.tree, s.tree.node[node].key), id[i]);
    node = s.tree.node[node].next;
  }
  ck_assert_int_eq(node, RH_NONE);
  ck_assert(number(&s, "zebra", "a") == -number(&s, "zebra", "bias"));
  ck_assert(number(&s, "7", "tau") == number(&s, "7", "bias"));
  done(&s);
}

END_TEST

START_TEST(json_and_keys_of_the_file)
{
  solved s = solve(
      "{\"note\": \"x\", \"problems\": [{\"id\": \"a\", \"kind\": \"forward_dynamics\",\n"
      "  \"inputs\": {\"scene\": {\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, "
      "1, 0, 0, 0]}],\n"
      "  \"joints\": [{\"kind\": \"free\", \"child\": \"b\"}]}, \"v\": [1, 2, 3, 0, 0, 0]}}]}");
  ck_assert_int_eq(s.status, RH_OK);
  near_abs(number(&s, "a", "kinetic_energy"), 7, 0); // (1 + 4 + 9) / 2 exactly
  done(&s);
  // An unknown key beside the problems is said, and they are answered all the same.
  s = solve("cases: [{id: a, kind: forward_dynamics, inputs: {scene: " BALL "}}]\nproblms: 3\n");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_str_eq(rh_diag_get(s.diag, 0).text, "unknown key 'problms'; did you mean 'problems'?");
  near_abs(number(&s, "a", "kinetic_energy"), 0, 0);
  done(&s);
}

END_TEST

START_TEST(only_one)
{
  const char *text = "- {id: first, kind: nonsense, inputs: {}}\n"
                     "- {id: second, kind: forward_dynamics, inputs: {scene: " ROD "}}\n";
  solved s = solve_only("second", text);
  ck_assert_int_eq(s.status, RH_OK); // the other one is not looked at
  ck_assert_int_eq(s.tree.node[s.root].count, 1);
  near_abs(number(&s, "second", "H"), 1, 1e-15);
  done(&s);
  s = solve_only("secnd", text);
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_ptr_null(s.json);
  ck_assert_str_eq(rh_diag_get(s.diag, 0).text,
                   "no problem has the id 'secnd'; did you mean 'second'?");
  done(&s);
}

END_TEST

START_TEST(joint_forces_when_asked)
{
  const char *scene = "{world: {gravity: [0, 0, 0]}, bodies: [{name: b, mass: 2, inertia: [1, 1, "
                      "1, 0, 0, 0]}], joints: "
                      "[{name: rail, kind: prismatic, child: b, axis: [1, 0, 0], spring: 10, "
                      "damper: 3}], actuators: "
                      "[{name: motor, joint: rail, effort: 4}]}";
  solved s = pose("forward_dynamics", scene, "q: 0.2, v: 1, tau: 9");
  near_abs(number(&s, "x", "a"), 4.5, 1e-15);
  done(&s);
  s = pose("forward_dynamics", scene, "q: 0.2, v: 1, tau: 9, joint_forces: yes");
  near_abs(number(&s, "x", "load"), -1, 1e-15); // -10 * 0.2 - 3 + 4
  near_abs(number(&s, "x", "a"), 4, 1e-15);
  done(&s);
  s = pose("inverse_dynamics", scene, "q: 0.2, v: 1, a: 4, joint_forces: true");
  near_abs(number(&s, "x", "tau"), 9, 1e-14);
  done(&s);
}

END_TEST

START_TEST(held_joint)
{
  const char *scene = "{world: {gravity: [0, 0, -10]}, bodies: [{name: b, mass: 2, inertia: [1, 1, "
                      "1, 0, 0, 0]}], joints: "
                      "[{name: rail, kind: prismatic, child: b, axis: [0, 0, 1], held: yes}]}";
  solved s = pose("forward_dynamics", scene, "tau: 9");
  ck_assert_int_eq(s.status, RH_OK);
  near_abs(number(&s, "x", "a"), 0, 0);
  near_abs(number(&s, "x", "bias"), 20, 1e-14);
  done(&s);
}

END_TEST

START_TEST(quaternions)
{
  // Off by less than 1e-6: taken, and brought to unit length; a ball is the same in every attitude.
  solved s = pose("forward_dynamics", BALL,
                  "q: [1, 2, 3, 0.5000002, 0.5, 0.5, 0.5], v: [0, 0, 0, 0, 0, 3]");
  ck_assert_int_eq(s.status, RH_OK);
  near_abs(number(&s, "x", "kinetic_energy"), 4.5, 1e-14);
  done(&s);
  s = pose("forward_dynamics", BALL, "q: {base: [1, 2, 3, 0, 0, 0, 0]}");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  done(&s);
}

END_TEST

// ---- Files

START_TEST(files_beside_the_problem_file)
{
  char *json = NULL;
  rh_diag *diag = rh_diag_create();
  const char *name = ROUTH_SOURCE_DIR "/tests/data/none.yaml";
  const char *text =
      "- {id: a, kind: forward_dynamics, inputs: {scene: ../../scenes/trees/chain4.yaml}}\n"
      "- {id: b, kind: forward_dynamics, inputs: {scene: missing.yaml}}\n"
      "- {id: c, kind: forward_dynamics, inputs: {scene: '-'}}\n"
      "- {id: d, kind: forward_dynamics, inputs: {scene: .}}\n"
      "- {id: e, kind: forward_dynamics, inputs: {scene: /dev/zero}}\n";
  ck_assert_int_eq(rh_solve_text(text, strlen(text), name, NULL, rh_scene_files, diag, &json),
                   RH_INPUT_REFUSED);
  solved s = {.json = json};
  read_tree(&s.tree, json, diag, &s.root);
  near_abs(number(&s, "a", "kinetic_energy"), 0, 0);
  ck_assert_ptr_nonnull(strstr(error_of(&s, "b"), "none.yaml:2:51: scene '"));
  ck_assert_ptr_nonnull(strstr(error_of(&s, "b"), "missing.yaml' cannot be read: No such file"));
  ck_assert_ptr_nonnull(
      strstr(error_of(&s, "c"), "none.yaml:3:51: scene: no files can be read here"));
  ck_assert_ptr_nonnull(strstr(error_of(&s, "d"), "folder"));
  ck_assert_ptr_nonnull(strstr(error_of(&s, "e"), "not a regular file"));
  s.diag = diag;
  done(&s);
  diag = rh_diag_create();
  ck_assert_int_eq(rh_solve_file(ROUTH_SOURCE_DIR "/tests/data/none.yaml", NULL, diag, &json),
                   RH_INPUT_REFUSED);
  ck_assert_ptr_null(json);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  rh_diag_destroy(diag);
}

END_TEST

// ---- The table and the manual

START_TEST(rows_are_documented)
{
  int count = 0;
  const rh_problem *const *table = rh_problem_table(&count);
  ck_assert_int_ge(count, 2);
  for (int i = 0; i < count; i++) {
    const rh_problem *p = table[i];
    ck_assert_ptr_eq(rh_problem_find(p->row.name), p);
    ck_assert(p->row.doc != NULL && p->row.cite != NULL && p->row.nparam > 0 && p->noutput > 0);
    for (int k = 0; k < p->row.nparam; k++) {
      ck_assert(p->row.param[k].name != NULL && p->row.param[k].unit != NULL &&
                p->row.param[k].doc != NULL);
    }
    for (int k = 0; k < p->noutput; k++) {
      ck_assert(p->output[k].name != NULL && p->output[k].unit != NULL && p->output[k].doc != NULL);
    }
  }
  ck_assert_ptr_null(rh_problem_find("none"));
}

END_TEST

// What a problem answers is what its row says it answers.
START_TEST(outputs_are_those_of_the_row)
{
  static const char *const kind[] = {"forward_dynamics", "inverse_dynamics"};
  for (int i = 0; i < RH_COUNT(kind); i++) {
    solved s = pose(kind[i], ROD, "points: [tip], joint_forces: yes");
    const rh_problem *p = rh_problem_find(kind[i]);
    int node = s.tree.node[rh_yaml_find(&s.tree, s.root, "x")].first;
    for (int k = 0; k < p->noutput; k++) {
      ck_assert_int_ne(node, RH_NONE);
      ck_assert_str_eq(rh_yaml_text(&s.tree, s.tree.node[node].key), p->output[k].name);
      node = s.tree.node[node].next;
    }
    ck_assert_int_eq(node, RH_NONE);
    done(&s);
  }
}

END_TEST

// The text of the next block that begins with ```language, NULL if there is none. Moves `*at` behind it.
static char *next_block(const char **at, const char *language)
{
  char fence[32];
  (void)snprintf(fence, sizeof(fence), "\n```%s\n", language);
  const char *start = strstr(*at, fence);
  if (start == NULL) {
    return NULL;
  }
  start += strlen(fence);
  const char *end = strstr(start, "\n```");
  ck_assert_ptr_nonnull(end);
  *at = end;
  size_t bytes = (size_t)(end - start) + 1;
  char *text = calloc(bytes + 1, 1);
  memcpy(text, start, bytes);
  return text;
}

// A value that the manual shows is answered: to 1e-14, which is what cos(90 deg) leaves of zero.
static void check_value(const solved *s, const char *id, const rh_yaml *shown, int value)
{
  double want[64];
  double got[64];
  int n = tree_numbers(shown, value, want, 64);
  ck_assert_int_eq(output(s, id, rh_yaml_text(shown, shown->node[value].key), got, 64), n);
  near_array(got, want, n, 1e-14, 0);
}

static void check_shown(const solved *s, const char *json)
{
  rh_yaml shown = {0};
  int root = RH_NONE;
  read_tree(&shown, json, NULL, &root);
  for (int entry = shown.node[root].first; entry != RH_NONE; entry = shown.node[entry].next) {
    const char *id = rh_yaml_text(&shown, shown.node[entry].key);
    for (int value = shown.node[entry].first; value != RH_NONE; value = shown.node[value].next) {
      check_value(s, id, &shown, value);
    }
  }
  rh_yaml_free(&shown);
}

START_TEST(examples_of_the_manual)
{
  char *manual = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  const char *path = ROUTH_SOURCE_DIR "/docs/problems-reference.md";
  ck_assert_int_eq(rh_file_read(path, NULL, &manual, &bytes, &name), RH_OK);
  const char *at = manual;
  int blocks = 0;
  for (char *text = next_block(&at, "yaml"); text != NULL; text = next_block(&at, "yaml")) {
    solved s = {.diag = rh_diag_create()};
    s.status = rh_solve_text(text, strlen(text), path, NULL, rh_scene_files, s.diag, &s.json);
    ck_assert_msg(s.status == RH_OK, "%s",
                  rh_diag_kept(s.diag) > 0 ? rh_diag_get(s.diag, 0).text : text);
    read_tree(&s.tree, s.json, s.diag, &s.root);
    const char *behind = at;
    const char *yaml = strstr(behind, "\n```yaml\n");
    char *json = next_block(&behind, "json");
    if (json != NULL && (yaml == NULL || behind < yaml)) {
      check_shown(&s, json);
    }
    free(json);
    free(text);
    done(&s);
    blocks++;
  }
  ck_assert_int_ge(blocks, 11);
  rh_free(manual);
}

END_TEST

Suite *rh_suite_unit_solve(void)
{
  Suite *suite = suite_create("unit_solve");
  TCase *answer = tcase_create("answers");
  tcase_add_test(answer, rod_in_closed_form);
  tcase_add_test(answer, inverse_undoes_forward);
  tcase_add_test(answer, order_and_digits);
  tcase_add_test(answer, json_and_keys_of_the_file);
  tcase_add_test(answer, only_one);
  tcase_add_test(answer, joint_forces_when_asked);
  tcase_add_test(answer, held_joint);
  tcase_add_test(answer, quaternions);
  suite_add_tcase(suite, answer);
  TCase *file = tcase_create("files");
  tcase_add_test(file, files_beside_the_problem_file);
  tcase_add_test(file, rows_are_documented);
  tcase_add_test(file, outputs_are_those_of_the_row);
  tcase_add_test(file, examples_of_the_manual);
  suite_add_tcase(suite, file);
  return suite;
}
