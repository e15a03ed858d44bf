// answers.c: numbers of the problems of a figure and of their answers.
#include "figure.h"

#include <stdlib.h>
#include <string.h>

bool rh_node_is(const rh_yaml *tree, int node, rh_node_kind kind)
{
  return node != RH_NONE && tree->node[node].kind == (uint8_t)kind;
}

int rh_node_child(const rh_yaml *tree, int map, const char *key)
{
  return rh_node_is(tree, map, RH_NODE_MAP) ? rh_yaml_find(tree, map, key) : RH_NONE;
}

int rh_node_item(const rh_yaml *tree, int list, int at)
{
  int node = rh_node_is(tree, list, RH_NODE_LIST) ? tree->node[list].first : RH_NONE;
  while (node != RH_NONE && at-- > 0) {
    node = tree->node[node].next;
  }
  return node;
}

const char *rh_node_text(const rh_yaml *tree, int node)
{
  return rh_node_is(tree, node, RH_NODE_SCALAR) ? rh_yaml_text(tree, node) : "";
}

double rh_node_number(const rh_yaml *tree, int node)
{
  double x = (double)NAN;
  const char *text = rh_node_text(tree, node);
  char *end = NULL;
  double value = strtod(text, &end);
  if (end != text && *end == '\0') {
    x = value;
  }
  return x;
}

static int problem_of(const rh_redone *redone, const char *id)
{
  const rh_yaml *tree = &redone->posed;
  int node = tree->node[redone->problems].first;
  while (node != RH_NONE && strcmp(rh_node_text(tree, rh_node_child(tree, node, "id")), id) != 0) {
    node = tree->node[node].next;
  }
  return node;
}

int rh_redone_answer_node(const rh_redone *redone, const char *id, const char *key)
{
  return rh_node_child(&redone->answer, rh_node_child(&redone->answer, redone->answers, id), key);
}

double rh_redone_given(const rh_redone *redone, const char *id, const char *key)
{
  const rh_yaml *tree = &redone->posed;
  return rh_node_number(
      tree, rh_node_child(tree, rh_node_child(tree, problem_of(redone, id), "inputs"), key));
}

double rh_redone_answer(const rh_redone *redone, const char *id, const char *key, int at)
{
  const rh_yaml *tree = &redone->answer;
  int node = rh_redone_answer_node(redone, id, key);
  return rh_node_number(tree,
                        rh_node_is(tree, node, RH_NODE_LIST) ? rh_node_item(tree, node, at) : node);
}

double rh_redone_cell(const rh_redone *redone, const char *id, const char *key, int row, int column)
{
  const rh_yaml *tree = &redone->answer;
  return rh_node_number(
      tree,
      rh_node_item(tree, rh_node_item(tree, rh_redone_answer_node(redone, id, key), row), column));
}

int rh_redone_length(const rh_redone *redone, const char *id, const char *key)
{
  int node = rh_redone_answer_node(redone, id, key);
  return rh_node_is(&redone->answer, node, RH_NODE_LIST) ? redone->answer.node[node].count : 0;
}

double rh_redone_part(const rh_redone *redone, const char *id, const char *key, const char *part)
{
  const rh_yaml *tree = &redone->answer;
  return rh_node_number(tree, rh_node_child(tree, rh_redone_answer_node(redone, id, key), part));
}

double rh_redone_row(const rh_redone *redone, const char *id, const char *key, int at,
                     const char *column)
{
  const rh_yaml *tree = &redone->answer;
  return rh_node_number(
      tree,
      rh_node_child(tree, rh_node_item(tree, rh_redone_answer_node(redone, id, key), at), column));
}
