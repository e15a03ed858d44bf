// reference.h: a file of reference numbers as a tree, and comparing with the tolerances that stand in it. Nothing here is under
// test.
#ifndef ROUTH_TEST_REFERENCE_H
#define ROUTH_TEST_REFERENCE_H

#include "scene_io/yaml_doc.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct book {
  rh_yaml tree;
  int list;
  rh_diag *diag;
} book;

static inline book *book_open(const char *path)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  book *b = calloc(1, sizeof *b);
  b->diag = rh_diag_create();
  ck_assert_int_eq(rh_file_read(path, b->diag, &text, &bytes, &name), RH_OK);
  b->tree.file[0] = "reference";
  ck_assert_int_eq(rh_yaml_read(&b->tree, text, bytes, (rh_yaml_start){0}, b->diag, &b->list),
                   RH_OK);
  rh_free(text);
  return b;
}

static inline void book_close(book *b)
{
  rh_yaml_free(&b->tree);
  rh_diag_destroy(b->diag);
  free(b);
}

static inline int part_of(const book *b, int map, const char *key)
{
  int node = rh_yaml_find(&b->tree, map, key);
  ck_assert_msg(node != RH_NONE, "no %s in the reference", key);
  return node;
}

static inline int entry_of(const book *b, const char *id)
{
  int node = b->tree.node[b->list].first;
  while (node != RH_NONE && strcmp(rh_yaml_text(&b->tree, part_of(b, node, "id")), id) != 0) {
    node = b->tree.node[node].next;
  }
  ck_assert_msg(node != RH_NONE, "no entry %s", id);
  return node;
}

static inline double number(const book *b, int node)
{
  ck_assert_int_eq(b->tree.node[node].kind, RH_NODE_SCALAR);
  return strtod(rh_yaml_text(&b->tree, node), NULL);
}

static inline double number_of(const book *b, int map, const char *key, double otherwise)
{
  int node = rh_yaml_find(&b->tree, map, key);
  return node == RH_NONE ? otherwise : number(b, node);
}

// Is `got` within the tolerance of the {value, abs_tol, rel_tol} at `node`?
static inline void meet(const book *b, int node, const char *where, double got)
{
  char why[RH_TEST_WHY_MAX];
  double want = number(b, part_of(b, node, "value"));
  const double tolerance[2] = {number_of(b, node, "abs_tol", 0), number_of(b, node, "rel_tol", 0)};
  ck_assert_msg(tolerance[0] + tolerance[1] > 0, "%s has no tolerance", where);
  if (!rh_test_near(where, &got, &want, 1, tolerance, why)) {
    ck_abort_msg("%s", why);
  }
  mark_point();
}

typedef struct answer {
  const char *key;
  double value;
} answer;

// Every value of a map must be among the answers, and agree.
static inline void meet_all(const book *b, int map, const char *where, const answer *a, int n)
{
  for (int node = b->tree.node[map].first; node != RH_NONE; node = b->tree.node[node].next) {
    const char *key = rh_yaml_text(&b->tree, b->tree.node[node].key);
    char what[160];
    int i = 0;
    if (b->tree.node[node].kind != RH_NODE_MAP ||
        rh_yaml_find(&b->tree, node, "value") == RH_NONE) {
      continue; // lists and tables have functions of their own
    }
    while (i < n && strcmp(a[i].key, key) != 0) {
      i++;
    }
    (void)snprintf(what, sizeof what, "%s %s", where, key);
    ck_assert_msg(i < n, "%s: nothing to compare with", what);
    meet(b, node, what, a[i].value);
  }
}

// A number that must be there.
static inline double given(const book *b, int map, const char *key)
{
  return number(b, part_of(b, map, key));
}

#endif
