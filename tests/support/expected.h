// expected.h: what a problem file expects beside what was answered, value by value, words and nulls too. Functions are static because
// each suite is one file.
#ifndef ROUTH_TEST_EXPECTED_H
#define ROUTH_TEST_EXPECTED_H

#include "answers.h"

// Walks what is expected beside what was answered. Lists must be as long; of a map every expected key must be there.
typedef struct pair {
  int want, got;
} pair;

MAYBE_UNUSED static double number_at(const rh_yaml *tree, int map, const char *key)
{
  return strtod(rh_yaml_text(tree, rh_yaml_find(tree, map, key)), NULL);
}

MAYBE_UNUSED static void compare_leaf(const answers *a, pair at, const char *id, const double tolerance[2])
{
  const char *want = rh_yaml_text(&a->posed, at.want);
  const char *got = rh_yaml_text(&a->answered, at.got);
  char *end = NULL;
  double x = strtod(want, &end);
  if (end == want || *end != '\0') {
    ck_assert_msg(strcmp(want, got) == 0, "%s: wanted %s, got %s", id, want, got);
    return;
  }
  double y = strtod(got, &end);
  ck_assert_msg(end != got && *end == '\0', "%s: wanted %s, got %s", id, want, got);
  char why[RH_TEST_WHY_MAX];
  ck_assert_msg(rh_test_near(id, &y, &x, 1, tolerance, why), "%s", why);
}

MAYBE_UNUSED static int compare(const answers *a, int want, int got, const char *id, const double tolerance[2])
{
  enum { DEEP = 4096 };

  static pair open[DEEP];
  int count = 1;
  int leaves = 0;
  open[0] = (pair){want, got};
  while (count > 0) {
    pair at = open[--count];
    const rh_node *w = &a->posed.node[at.want];
    const rh_node *g = &a->answered.node[at.got];
    ck_assert_msg(w->kind == g->kind, "%s: line %d is of another kind", id, w->line + 1);
    if (w->kind == RH_NODE_SCALAR) {
      compare_leaf(a, at, id, tolerance);
      leaves++;
      continue;
    }
    ck_assert_msg(w->kind == RH_NODE_MAP || w->count == g->count, "%s: %d entries wanted, %d got",
                  id, w->count, g->count);
    int beside = g->first;
    for (int node = w->first; node != RH_NONE; node = a->posed.node[node].next) {
      int other = beside;
      if (w->kind == RH_NODE_MAP) {
        const char *key = rh_yaml_text(&a->posed, a->posed.node[node].key);
        other = rh_yaml_find(&a->answered, at.got, key);
        ck_assert_msg(other != RH_NONE, "%s: '%s' is not answered", id, key);
      } else {
        beside = a->answered.node[beside].next;
      }
      ck_assert_int_lt(count, DEEP);
      open[count++] = (pair){node, other};
    }
  }
  return leaves;
}

// All `entries` of a file within `tolerance` (absolute, relative), or, where that is NULL, within what stands beside each. Returns how
// many values there were.
MAYBE_UNUSED static int compare_file(const char *path, int entries, const double *tolerance)
{
  answers *a = answers_open(path);
  ck_assert_int_eq(answers_count(a), entries);
  int leaves = 0;
  for (int i = 0; i < entries; i++) {
    int entry = answers_entry(a, i);
    int tol = rh_yaml_find(&a->posed, entry, "tol");
    double own[2] = {0};
    for (int k = 0; k < 2; k++) {
      own[k] = tolerance ? tolerance[k] : number_at(&a->posed, tol, k == 0 ? "abs" : "rel");
    }
    int got = rh_yaml_find(&a->answered, a->map, answers_id(a, i));
    ck_assert_int_ge(got, 0);
    leaves += compare(a, rh_yaml_find(&a->posed, entry, "expected"), got, answers_id(a, i), own);
  }
  answers_close(a);
  return leaves;
}

#endif
