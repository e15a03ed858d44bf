// unit_solve_bad.c: what the runner of problem files refuses, and where it says so; that one bad problem does not touch
// the others; sizes; and what happens when memory runs out.
#include "solved.h"
#include "test.h"

#include <routh/routh.h>

static void refused_inputs(const char *scene, const char *inputs, const char *error)
{
  solved s = pose("forward_dynamics", scene, inputs);
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_str_eq(error_of(&s, "x"), error);
  done(&s);
}

// ---- Refusals

START_TEST(bad_inputs)
{
  refused_inputs(ROD, "q: [1, 2]",
                 "p.yaml:2:4: q must have 1 number, one per coordinate of the scene, got 2");
  refused_inputs(
      BALL, "v: [1, 2]",
      "p.yaml:2:4: v must have 6 numbers, one per degree of freedom of the scene, got 2");
  refused_inputs(BALL, "v: 3",
                 "p.yaml:2:4: v must be a list of 6 numbers or a map {joint: numbers}");
  refused_inputs(
      BALL, "v: []",
      "p.yaml:2:4: v must have 6 numbers, one per degree of freedom of the scene, got 0");
  refused_inputs(ROD, "q: [.nan]", "p.yaml:2:5: q[0] must be finite");
  refused_inputs(ROD, "q: [nan]", "p.yaml:2:5: q[0] must be finite");
  refused_inputs(ROD, "q: [1e999]",
                 "p.yaml:2:5: q[0] is too large: a number must be below 1.8e308");
  refused_inputs(ROD, "q: [word]", "p.yaml:2:5: q[0] must be a number, got 'word'");
  refused_inputs(ROD, "q: [[1]]", "p.yaml:2:5: q[0] must be a number, got a list");
  refused_inputs(ROD, "q: [3 kg]",
                 "p.yaml:2:5: q[0] unit 'kg' does not fit: it is measured in rad");
  refused_inputs(ROD, "tau: {hnge: 1}",
                 "p.yaml:2:7: the scene has no joint 'hnge'; did you mean 'hinge'?");
  refused_inputs(ROD, "tau: {world: 1}", "p.yaml:2:7: the scene has no joint 'world'");
  refused_inputs(ROD, "tau: {hinge: [1, 2]}",
                 "p.yaml:2:14: hinge: joint 'hinge' (revolute) takes 1 number");
  refused_inputs(BALL, "q: {base: 3}", "p.yaml:2:11: base: joint 'base' (free) takes 7 numbers");
  refused_inputs(ROD, "points: tip",
                 "p.yaml:2:9: points must be a list of at most 1000 names or maps {body, at}");
  refused_inputs(ROD, "points: [top]",
                 "p.yaml:2:10: the scene has no point 'top'; did you mean 'tip'?");
  refused_inputs(ROD, "points: [{at: [0, 0, 0]}]",
                 "p.yaml:2:10: a point needs its body: {body: name, at: [x, y, z]}");
  refused_inputs(ROD, "points: [{body: rod, at: [0, 0]}]",
                 "p.yaml:2:26: at must have 3 numbers, got 2");
  refused_inputs(ROD, "points: [{body: rod, att: 3}]",
                 "p.yaml:2:22: unknown key of a point 'att'; did you mean 'at'?");
  refused_inputs(ROD, "joint_forces: maybe", "p.yaml:2:15: joint_forces must be yes or no");
  refused_inputs(ROD, "a: [1]", "p.yaml:2:1: unknown input 'a'");
  refused_inputs(ROD, "tua: [1]", "p.yaml:2:1: unknown input 'tua'; did you mean 'tau'?");
  refused_inputs(BALL, "q: [1, 2, 3, 0.6, 0.5, 0.5, 0.5]",
                 "p.yaml:2:4: q: the quaternion of joint 'base' must have length 1, its length is "
                 "1.05357; angles are given by rpy of the scene's joint");
  refused_inputs("other.yaml", "q: [1]",
                 "p.yaml:1:51: scene: no files can be read here; write the scene itself");
  refused_inputs("[1]", "q: [1]", "p.yaml:1:51: scene must be text, got a list");
}

END_TEST

START_TEST(bad_scene_has_its_own_place)
{
  solved s = solve("- id: x\n"
                   "  kind: forward_dynamics\n"
                   "  inputs:\n"
                   "    scene:\n"
                   "      bodies:\n"
                   "        - {name: rod, mass: -2, inertia: [1, 1, 1, 0, 0, 0]}\n"
                   "      joints:\n"
                   "        - {child: rod, kind: revolut}\n");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(error_of(&s, "x"), "p.yaml:6:29: rod.mass must be "));
  ck_assert_int_ge(rh_diag_count(s.diag, RH_ERROR), 2); // all errors at once
  done(&s);
}

END_TEST

START_TEST(all_that_is_wrong_at_once)
{
  solved s = pose("forward_dynamics", ROD, "q: [1, 2], v: {x: 3}, tau: [y], points: [z], other: 3");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(s.diag, RH_ERROR), 5);
  done(&s);
}

END_TEST

// One number for all contacts is right whatever is wrong with the number of contacts.
START_TEST(only_what_is_wrong)
{
  solved s = solve("- {id: x, kind: cone, inputs: {W: [[1]], b: [y], mu: 1}}\n");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(s.diag, RH_ERROR), 1);
  ck_assert_ptr_nonnull(strstr(error_of(&s, "x"), "b[0]"));
  done(&s);
}

END_TEST

START_TEST(bad_entries_among_good_ones)
{
  solved s = solve("- {id: good, kind: forward_dynamics, inputs: {scene: " ROD "}}\n"
                   "- {id: b1, kind: foward_dynamics, inputs: {}}\n"
                   "- {id: b2, inputs: {}}\n"
                   "- {id: b3, kind: forward_dynamics}\n"
                   "- {id: b4, kind: forward_dynamics, inputs: [1]}\n"
                   "- {id: b5, kind: forward_dynamics, inputs: {}}\n"
                   "- {kind: forward_dynamics, inputs: {}}\n"
                   "- {id: good, kind: forward_dynamics, inputs: {scene: " ROD "}}\n"
                   "- 12\n"
                   "- {id: '#9', kind: forward_dynamics, inputs: {scene: " ROD "}}\n"
                   "- {id: b6, kind: forward_dynamics, inputs: {scene: " ROD "}, expcted: 3}\n"
                   "- {id: last, kind: forward_dynamics, inputs: {scene: " ROD "}}\n");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_int_eq(s.tree.node[s.root].count, 12);
  near_abs(number(&s, "good", "H"), 1, 1e-15);
  near_abs(number(&s, "last", "H"), 1, 1e-15);
  ck_assert_str_eq(
      error_of(&s, "b1"),
      "p.yaml:2:18: unknown kind of problem 'foward_dynamics'; did you mean 'forward_dynamics'?");
  ck_assert_str_eq(error_of(&s, "b2"), "p.yaml:3:3: 'kind' is missing");
  ck_assert_str_eq(error_of(&s, "b3"), "p.yaml:4:3: 'inputs' is missing");
  ck_assert_str_eq(error_of(&s, "b4"), "p.yaml:5:44: 'inputs' must be a map");
  ck_assert_str_eq(error_of(&s, "b5"), "p.yaml:6:44: input 'scene' is missing: a path or a scene");
  ck_assert_str_eq(error_of(&s, "#7"), "p.yaml:7:3: 'id' is missing");
  ck_assert_str_eq(error_of(&s, "#8"), "p.yaml:8:8: another problem has this id already");
  ck_assert_str_eq(error_of(&s, "#9"), "p.yaml:9:3: a problem must be a map {id, kind, inputs}");
  ck_assert_str_eq(
      error_of(&s, "#10"),
      "p.yaml:10:8: an id must be a text of 1 to 200 bytes that does not begin with '#'");
  ck_assert_str_eq(strstr(error_of(&s, "b6"), "unknown"),
                   "unknown key 'expcted'; did you mean 'expected'?");
  done(&s);
}

END_TEST

START_TEST(refused_as_a_whole)
{
  static const char *const text[] = {"",
                                     "~",
                                     "word",
                                     "{}",
                                     "{problems: 3}",
                                     "[1, 2",
                                     "problems: []\nentries: []\n",
                                     "\xff",
                                     "- {id: a, id: b}",
                                     "- &a {id: a}\n- *b\n"};
  for (int i = 0; i < RH_COUNT(text); i++) {
    solved s = solve(text[i]);
    ck_assert_msg(s.status == RH_INPUT_REFUSED, "'%s' was taken", text[i]);
    ck_assert_msg(s.json == NULL, "'%s' was answered", text[i]);
    ck_assert_msg(rh_diag_count(s.diag, RH_ERROR) > 0, "'%s': nothing was said", text[i]);
    done(&s);
  }
  solved s = solve("[]"); // no problems, no answers
  ck_assert_int_eq(s.status, RH_OK);
  ck_assert_int_eq(s.tree.node[s.root].count, 0);
  done(&s);
}

END_TEST

START_TEST(not_finite_is_an_error)
{
  solved s = pose("forward_dynamics", ROD, "v: [1e300]");
  ck_assert_int_eq(s.status, RH_NOT_FINITE);
  ck_assert_ptr_nonnull(strstr(error_of(&s, "x"), "p.yaml:1:3: the answer is not finite: '"));
  done(&s);
}

END_TEST

// ---- Size

static char *many(int n, const char *entry)
{
  size_t length = strlen(entry) + 16;
  char *text = malloc((size_t)n * length + 1);
  size_t at = 0;
  for (int i = 0; i < n; i++) {
    at += (size_t)snprintf(text + at, length, entry, i);
  }
  return text;
}

START_TEST(every_entry_has_its_error)
{
  // More than a diag keeps: the answer has the text of each all the same.
  char *text = many(2500, "- {id: e%d, kind: what, inputs: {}}\n");
  solved s = solve(text);
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_int_eq(s.tree.node[s.root].count, 2500);
  ck_assert_str_eq(error_of(&s, "e2499"), "p.yaml:2500:21: unknown kind of problem 'what'");
  ck_assert_int_ge(rh_diag_count(s.diag, RH_ERROR), 2500);
  done(&s);
  free(text);
}

END_TEST

START_TEST(too_many)
{
  char *text = many(RH_PROBLEM_MAX + 1, "- %d\n");
  solved s = solve(text);
  ck_assert_int_eq(s.status, RH_OVER_LIMIT);
  ck_assert_ptr_null(s.json);
  done(&s);
  free(text);
  // A list of a hundred thousand numbers for one coordinate
  text = many(100000, "%d,");
  char *whole = malloc(strlen(text) + 1024);
  (void)sprintf(whole, "- {id: x, kind: forward_dynamics, inputs: {scene: " ROD ",\nq: [%s]}}\n",
                text);
  s = solve(whole);
  ck_assert_str_eq(error_of(&s, "x"),
                   "p.yaml:2:4: q must have 1 number, one per coordinate of the scene, got 100000");
  done(&s);
  // and a hundred thousand joints that are not there: a few complaints are enough
  free(text);
  text = many(100000, "j%d: 1,");
  whole = realloc(whole, strlen(text) + 1024);
  (void)sprintf(whole, "- {id: x, kind: forward_dynamics, inputs: {scene: " ROD ",\nq: {%s}}}\n",
                text);
  s = solve(whole);
  ck_assert_str_eq(error_of(&s, "x"), "p.yaml:2:5: the scene has no joint 'j0'");
  ck_assert_int_le(rh_diag_count(s.diag, RH_ERROR), 20);
  done(&s);
  free(text);
  free(whole);
}

END_TEST

START_TEST(every_beginning_of_a_file)
{
  const char *text = "- {id: a, kind: forward_dynamics, inputs: {scene: " ROD
                     ", q: [0.5], points: [tip, {body: rod}]}}\n"
                     "- {id: b, kind: inverse_dynamics, inputs: {scene: " BALL
                     ", q: {base: [0, 0, 0, 1, 0, 0, 0]}}}\n";
  for (size_t bytes = 0; bytes < strlen(text); bytes++) {
    rh_diag *diag = rh_diag_create();
    char *json = NULL;
    rh_status status = rh_solve_text(text, bytes, "p.yaml", NULL, NULL, diag, &json);
    bool whole_entry = json != NULL;
    ck_assert_msg(status == RH_OK ? whole_entry : rh_diag_count(diag, RH_ERROR) > 0,
                  "%zu bytes: %d", bytes, status);
    rh_free(json);
    rh_diag_destroy(diag);
  }
}

END_TEST

// ---- Memory

typedef struct meter {
  long left; // allocations that still succeed; < 0: all
  long live;
} meter;

static void *metered(void *user, void *block, size_t bytes)
{
  meter *m = user;
  if (bytes == 0) {
    m->live -= block != NULL;
    free(block);
    return NULL;
  }
  if (m->left == 0) {
    return NULL;
  }
  m->left -= m->left > 0;
  m->live += block == NULL;
  return realloc(block, bytes);
}

START_TEST(out_of_memory_anywhere)
{
  const char *text =
      "- {id: a, kind: forward_dynamics, inputs: {scene: " ROD ", q: {hinge: 1}, points: [tip]}}\n"
      "- {id: b, kind: nothing, inputs: {}}\n";
  meter m = {-1, 0};
  const rh_allocator allocator = {metered, &m};
  rh_hook_set_allocator(&allocator);
  rh_status status = RH_OUT_OF_MEMORY;
  int n = 0;
  for (; n < 5000; n++) {
    m.left = n;
    char *json = NULL;
    status = rh_solve_text(text, strlen(text), "p.yaml", NULL, NULL, NULL, &json);
    bool enough = m.left > 0;
    m.left = -1;
    rh_free(json);
    ck_assert_msg(m.live == 0, "%ld blocks were lost when allocation %d failed", m.live, n);
    ck_assert_msg(status != RH_OK, "allocation %d: status %d", n,
                  status); // entry b is bad in any case
    if (enough) {
      break;
    }
  }
  ck_assert_int_eq(status, RH_INPUT_REFUSED);
  ck_assert_int_gt(n, 20);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_solve_bad(void)
{
  Suite *suite = suite_create("unit_solve_bad");
  TCase *refuse = tcase_create("refusals");
  tcase_add_test(refuse, bad_inputs);
  tcase_add_test(refuse, bad_scene_has_its_own_place);
  tcase_add_test(refuse, all_that_is_wrong_at_once);
  tcase_add_test(refuse, only_what_is_wrong);
  tcase_add_test(refuse, bad_entries_among_good_ones);
  tcase_add_test(refuse, refused_as_a_whole);
  tcase_add_test(refuse, not_finite_is_an_error);
  suite_add_tcase(suite, refuse);
  TCase *size = tcase_create("size");
  tcase_add_test(size, every_entry_has_its_error);
  tcase_add_test(size, too_many);
  tcase_add_test(size, every_beginning_of_a_file);
  tcase_add_test(size, out_of_memory_anywhere);
  suite_add_tcase(suite, size);
  return suite;
}
