// solved.h: problems posed as text, and what was answered as a tree of nodes; for the tests of the runner.
#ifndef ROUTH_TEST_SOLVED_H
#define ROUTH_TEST_SOLVED_H

#include "answers.h"
#include "test.h"

// A rod on a hinge: H = 1, bias = -10 sin q; see docs/problems.md. It begins in column 1 of its line.
#define ROD                                                                                        \
  "{world: {gravity: [0, 0, -10]}, bodies: [{name: rod, mass: 2, com: [0, 0, -0.5], inertia: "     \
  "[0.5, 0.5, 0.001, 0, 0, "                                                                       \
  "0]}], joints: [{name: hinge, kind: revolute, child: rod, axis: [0, 1, 0]}], points: [{name: "   \
  "tip, body: rod, at: "                                                                           \
  "[0, 0, -1]}]}"

#define BALL                                                                                       \
  "{world: {gravity: [0, 0, 0]}, bodies: [{name: ball, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}], "   \
  "joints: [{name: "                                                                               \
  "base, kind: free, child: ball}]}"

typedef struct solved {
  rh_status status;
  rh_diag *diag;
  char *json; // NULL: refused as a whole
  rh_yaml tree;
  int root;
} solved;

MAYBE_UNUSED static solved solve_only(const char *only, const char *text)
{
  solved s = {.diag = rh_diag_create(), .root = RH_NONE};
  s.status = rh_solve_text(text, strlen(text), "p.yaml", only, NULL, s.diag, &s.json);
  if (s.json != NULL) {
    read_tree(&s.tree, s.json, s.diag, &s.root);
  }
  return s;
}

MAYBE_UNUSED static solved solve(const char *text)
{
  return solve_only(NULL, text);
}

MAYBE_UNUSED static void done(solved *s)
{
  rh_yaml_free(&s->tree);
  rh_diag_destroy(s->diag);
  rh_free(s->json);
}

MAYBE_UNUSED static const char *error_of(const solved *s, const char *id)
{
  int entry = rh_yaml_find(&s->tree, s->root, id);
  ck_assert_msg(entry != RH_NONE, "no answer '%s' in %s", id, s->json);
  int error = rh_yaml_find(&s->tree, entry, "error");
  ck_assert_msg(error != RH_NONE, "'%s' has no error: %s", id, s->json);
  return rh_yaml_text(&s->tree, error);
}

MAYBE_UNUSED static int output(const solved *s, const char *id, const char *key, double *x, int max)
{
  int entry = rh_yaml_find(&s->tree, s->root, id);
  ck_assert_msg(entry != RH_NONE, "no answer '%s' in %s", id,
                s->json != NULL ? s->json : "(nothing)");
  int node = rh_yaml_find(&s->tree, entry, key);
  ck_assert_msg(node != RH_NONE, "'%s' has no '%s': %s", id, key, s->json);
  return tree_numbers(&s->tree, node, x, max);
}

MAYBE_UNUSED static double number(const solved *s, const char *id, const char *key)
{
  double x = 0;
  ck_assert_int_eq(output(s, id, key, &x, 1), 1);
  return x;
}

// One problem in YAML with these inputs; the first input stands in line 2.
MAYBE_UNUSED static solved pose(const char *kind, const char *scene, const char *inputs)
{
  char text[4096];
  (void)snprintf(text, sizeof(text), "- {id: x, kind: %s, inputs: {scene: %s,\n%s}}\n", kind, scene,
                 inputs);
  return solve(text);
}

// "kind: ..., inputs: {...}" is refused in these words.
MAYBE_UNUSED static void check_refused(const char *problem, const char *words)
{
  char text[1024];
  (void)snprintf(text, sizeof(text), "- {id: x, %s}\n", problem);
  solved s = solve(text);
  ck_assert_msg(s.status != RH_OK, "%s was not refused", text);
  ck_assert_msg(strstr(error_of(&s, "x"), words) != NULL, "'%s' gives '%s'", text,
                error_of(&s, "x"));
  done(&s);
}

#endif
