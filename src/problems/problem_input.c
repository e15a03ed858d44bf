// problem_input.c: reads the values of a problem's inputs and reports errors with their places.
#include "problem.h"

#include "scene_io/scene_entry.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int rh_input_find(const rh_inputs *in, const char *name)
{
  return in->map == RH_NONE ? RH_NONE : rh_yaml_find(in->tree, in->map, name);
}

bool rh_input_refuse(const rh_inputs *in, int node, const char *format, ...)
{
  char text[512];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof(text), format, list);
  va_end(list);
  rh_diag_add(in->diag, RH_ERROR, rh_yaml_place(in->tree, node), "%s", text);
  return false;
}

bool rh_input_number(const rh_inputs *in, int node, const char *what, const char *unit, double *x)
{
  const rh_node *n = &in->tree->node[node];
  if (n->kind != RH_NODE_SCALAR) {
    return rh_input_refuse(in, node, "%s must be a number, got %s", what,
                           rh_yaml_what(in->tree, node));
  }
  char why[RH_WHY_MAX];
  if (!rh_unit_parse(rh_yaml_text(in->tree, node), unit, x, why)) {
    return rh_input_refuse(in, node, "%s %s", what, why);
  }
  return true;
}

bool rh_input_vector(const rh_inputs *in, int node, const char *what, const char *unit, double *x,
                     int n)
{
  const rh_node *list = &in->tree->node[node];
  if (list->kind != RH_NODE_LIST) {
    return rh_input_refuse(in, node, "%s must be a list of %d numbers, got %s", what, n,
                           rh_yaml_what(in->tree, node));
  }
  if (list->count != n) {
    return rh_input_refuse(in, node, "%s must have %d number%s, got %d", what, n, n == 1 ? "" : "s",
                           list->count);
  }
  int bad = 0;
  int i = 0;
  for (int child = list->first; child != RH_NONE && bad < RH_COMPLAINTS;
       child = in->tree->node[child].next) {
    char item[RH_NAME_MAX + 16];
    (void)snprintf(item, sizeof(item), "%.63s[%d]", what, i);
    bad += !rh_input_number(in, child, item, unit, &x[i]);
    i++;
  }
  return bad == 0;
}

bool rh_input_value(const rh_inputs *in, const rh_param *param, int node, double *value)
{
  char why[RH_WHY_MAX];
  if (param->type == RH_CHOICE) {
    bool scalar = in->tree->node[node].kind == RH_NODE_SCALAR;
    int index = scalar ? rh_word_index(param->choices, rh_yaml_text(in->tree, node)) : RH_NONE;
    *value = index;
    return index != RH_NONE ||
           rh_input_refuse(in, node, "%s must be one of %s", param->name, param->choices);
  }
  if (!rh_input_number(in, node, param->name, param->unit, value)) {
    return false;
  }
  return rh_param_check(param, *value, why) || rh_input_refuse(in, node, "%s %s", param->name, why);
}

bool rh_input_flag(const rh_inputs *in, int node, const char *what, bool *yes)
{
  static const char *const word[] = {"no", "yes", "false", "true"};
  const char *text =
      in->tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(in->tree, node) : "";
  for (int i = 0; i < RH_COUNT(word); i++) {
    if (strcmp(text, word[i]) == 0) {
      *yes = i % 2 == 1;
      return true;
    }
  }
  return rh_input_refuse(in, node, "%s must be yes or no", what);
}

const char *rh_input_text(const rh_inputs *in, int node, const char *what)
{
  if (in->tree->node[node].kind != RH_NODE_SCALAR || rh_yaml_is_null(in->tree, node) ||
      *rh_yaml_text(in->tree, node) == '\0') {
    (void)rh_input_refuse(
        in, node, "%s must be text, got %s", what,
        in->tree->node[node].kind == RH_NODE_SCALAR ? "nothing" : rh_yaml_what(in->tree, node));
    return NULL;
  }
  return rh_yaml_text(in->tree, node);
}

bool rh_input_keys(const rh_inputs *in, int map, const char *what, const char *const *known,
                   int nknown)
{
  int bad = 0;
  int value = in->tree->node[map].first;
  for (; value != RH_NONE && bad < RH_COMPLAINTS; value = in->tree->node[value].next) {
    int key = in->tree->node[value].key;
    const char *name = rh_yaml_text(in->tree, key);
    bool found = false;
    for (int i = 0; i < nknown; i++) {
      found = found || strcmp(known[i], name) == 0;
    }
    if (!found) {
      const char *near = rh_nearest_name(name, known, nknown);
      bad++;
      (void)rh_input_refuse(in, key, "unknown %s '%.60s'%s%s%s", what, name, RH_DID_YOU_MEAN(near));
    }
  }
  return bad == 0;
}

bool rh_input_object(const rh_inputs *in, int node, const rh_model *model, rh_object object,
                     int *index)
{
  static const char *const word[RH_OBJECT_COUNT] = {"body",  "joint", "point", "actuator",
                                                    "force", "event", "shape"};
  const char *name = rh_input_text(in, node, word[object]);
  if (name == NULL) {
    return false;
  }
  // A joint has the index of the body it carries, so index 0 is the world and no joint.
  int first = object == RH_OBJECT_JOINT;
  *index = rh_model_find(model, object, name);
  if (*index >= first) {
    return true;
  }
  int count = rh_model_count(model, object) - first;
  const char *near = count > 0 ? rh_nearest_name(name, model->name[object] + first, count) : NULL;
  return rh_input_refuse(in, node, "the scene has no %s '%.60s'%s%s%s", word[object], name,
                         RH_DID_YOU_MEAN(near));
}
