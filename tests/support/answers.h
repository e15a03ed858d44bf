// answers.h: a problem file with `expected` values beside what the solver answers, both as trees of nodes. For tests of
// reference numbers; the functions are static because each suite is one file.
#ifndef ROUTH_TEST_ANSWERS_H
#define ROUTH_TEST_ANSWERS_H

#include "scene_io/yaml_doc.h"
#include "problems/problem_runner.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct answers {
  rh_yaml posed;    // the problem file
  rh_yaml answered; // the answer
  int list, map;    // their roots
  rh_diag *diag;
} answers;

#define MAYBE_UNUSED __attribute__((unused))

MAYBE_UNUSED static void read_tree(rh_yaml *tree, const char *text, rh_diag *diag, int *root)
{
  tree->file[0] = "text";
  ck_assert_int_eq(rh_yaml_read(tree, text, strlen(text), (rh_yaml_start){0}, diag, root), RH_OK);
}

// Reads and solves tests/data/... ; `path` is seen from the root of the repository. All must be answered.
MAYBE_UNUSED static answers *answers_open(const char *path)
{
  char full[1024];
  char *text = NULL;
  char *json = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  answers *a = calloc(1, sizeof(*a));
  a->diag = rh_diag_create();
  (void)snprintf(full, sizeof(full), "%s/%s", ROUTH_SOURCE_DIR, path);
  ck_assert_int_eq(rh_file_read(full, a->diag, &text, &bytes, &name), RH_OK);
  read_tree(&a->posed, text, a->diag, &a->list);
  rh_status status = rh_solve_file(full, NULL, a->diag, &json);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(a->diag) > 0 ? rh_diag_get(a->diag, 0).text : "no message");
  read_tree(&a->answered, json, a->diag, &a->map);
  rh_free(text);
  rh_free(json);
  return a;
}

MAYBE_UNUSED static void answers_close(answers *a)
{
  rh_yaml_free(&a->posed);
  rh_yaml_free(&a->answered);
  rh_diag_destroy(a->diag);
  free(a);
}

MAYBE_UNUSED static int answers_count(const answers *a)
{
  return a->posed.node[a->list].count;
}

// Entry `index` of the problem file.
MAYBE_UNUSED static int answers_entry(const answers *a, int index)
{
  int node = a->posed.node[a->list].first;
  while (index-- > 0) {
    node = a->posed.node[node].next;
  }
  return node;
}

MAYBE_UNUSED static const char *answers_id(const answers *a, int index)
{
  return rh_yaml_text(&a->posed, rh_yaml_find(&a->posed, answers_entry(a, index), "id"));
}

// The numbers below a node, lists within lists one behind the other. How many there are; writes at most `max`.
MAYBE_UNUSED static int tree_numbers(const rh_yaml *tree, int node, double *x, int max)
{
  int open[RH_NODE_DEPTH + 1] = {node}; // where to go on, level by level
  int depth = 1;
  int n = 0;
  ck_assert_int_ge(node, 0);
  while (depth > 0) {
    int now = open[depth - 1];
    if (now == RH_NONE) {
      depth--;
      continue;
    }
    open[depth - 1] = depth == 1 ? RH_NONE : tree->node[now].next;
    if (tree->node[now].kind != RH_NODE_SCALAR) {
      open[depth++] = tree->node[now].first;
      continue;
    }
    if (n < max) {
      x[n] = strtod(rh_yaml_text(tree, now), NULL);
    }
    n++;
  }
  return n;
}

// Numbers of an input (posed.inputs), an expected value (posed.expected) or an output (answered).
MAYBE_UNUSED static int answers_posed(const answers *a, int index, const char *part,
                                      const char *key, double *x, int max)
{
  int map = rh_yaml_find(&a->posed, answers_entry(a, index), part);
  return tree_numbers(&a->posed, rh_yaml_find(&a->posed, map, key), x, max);
}

MAYBE_UNUSED static int answers_got(const answers *a, int index, const char *key, double *x,
                                    int max)
{
  int map = rh_yaml_find(&a->answered, a->map, answers_id(a, index));
  ck_assert_int_ge(map, 0);
  return tree_numbers(&a->answered, rh_yaml_find(&a->answered, map, key), x, max);
}

// Is every value of `expected` met within absolute + relative * its size?
MAYBE_UNUSED static bool answers_agree(const answers *a, int index, double absolute,
                                       double relative, char why[RH_TEST_WHY_MAX])
{
  enum { MAX = 4096 };

  static double got[MAX];
  static double want[MAX];
  const double tolerance[2] = {absolute, relative};
  int expected = rh_yaml_find(&a->posed, answers_entry(a, index), "expected");
  int compared = 0;
  ck_assert_int_ge(expected, 0);
  for (int node = a->posed.node[expected].first; node != RH_NONE; node = a->posed.node[node].next) {
    const char *key = rh_yaml_text(&a->posed, a->posed.node[node].key);
    char what[256];
    int n = tree_numbers(&a->posed, node, want, MAX);
    (void)snprintf(what, sizeof(what), "%s %s", answers_id(a, index), key);
    ck_assert_int_le(n, MAX);
    ck_assert_msg(answers_got(a, index, key, got, MAX) == n, "%s: not %d numbers", what, n);
    if (!rh_test_near(what, got, want, n, tolerance, why)) {
      return false;
    }
    compared += n;
  }
  ck_assert_int_gt(compared, 0);
  return true;
}

#endif
