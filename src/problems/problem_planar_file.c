// problem_planar_file.c: one planar impact from a problem file, to be examined, not answered.
#include "problem_planar.h"

#include <stdio.h>
#include <string.h>

typedef struct kind {
  const rh_problem *problem;
  rh_status (*pose)(const rh_inputs *in, rh_planar_posed *posed);
} kind;

extern const rh_problem rh_problem_planar_impact;
extern const rh_problem rh_problem_generalized_impact;

static const kind kinds[] = {
    {&rh_problem_planar_impact, rh_planar_pose_bodies},
    {&rh_problem_generalized_impact, rh_planar_pose_mechanism},
};

static const char *text_of(const rh_yaml *tree, int entry, const char *key)
{
  int node = tree->node[entry].kind == RH_NODE_MAP ? rh_yaml_find(tree, entry, key) : RH_NONE;
  return node != RH_NONE && tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(tree, node) : "";
}

static const kind *kind_of(const rh_yaml *tree, int entry)
{
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    if (strcmp(text_of(tree, entry, "kind"), kinds[i].problem->row.name) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}

static int find_list(const rh_yaml *tree, int root)
{
  static const char *const key[] = {"problems", "entries", "cases"};
  int list = root;
  if (tree->node[root].kind == RH_NODE_MAP) {
    list = RH_NONE;
    for (int i = 0; i < RH_COUNT(key) && list == RH_NONE; i++) {
      list = rh_yaml_find(tree, root, key[i]);
    }
  }
  return list != RH_NONE && tree->node[list].kind == RH_NODE_LIST ? list : RH_NONE;
}

// The entry with this id, or the first of these kinds; reports why there is none.
static int find_entry(const rh_inputs *in, int list, const char *id)
{
  const char *near = NULL;
  for (int node = in->tree->node[list].first; node != RH_NONE; node = in->tree->node[node].next) {
    const char *name = text_of(in->tree, node, "id");
    bool known = kind_of(in->tree, node) != NULL;
    if (id != NULL && strcmp(name, id) == 0 && !known) {
      (void)rh_input_refuse(in, node, "problem '%.200s' is of kind '%.60s', expected %s or %s", id,
                            text_of(in->tree, node, "kind"), kinds[0].problem->row.name,
                            kinds[1].problem->row.name);
      return RH_NONE;
    }
    if (known && (id == NULL || strcmp(name, id) == 0)) {
      return node;
    }
    near = near == NULL && known && id != NULL ? rh_nearest_name(id, &name, 1) : near;
  }
  if (id == NULL) {
    (void)rh_input_refuse(in, list, "the file has no problem of kind %s or %s",
                          kinds[0].problem->row.name, kinds[1].problem->row.name);
  } else {
    (void)rh_input_refuse(in, list, "no problem has the id '%.200s'%s%s%s", id,
                          RH_DID_YOU_MEAN(near));
  }
  return RH_NONE;
}

static rh_status pose_entry(rh_inputs *in, int entry, rh_planar_posed *posed)
{
  const char *known[RH_PAR_MAX];
  const kind *k = kind_of(in->tree, entry);
  in->problem = k->problem;
  in->map = rh_yaml_find(in->tree, entry, "inputs");
  if (in->map == RH_NONE || in->tree->node[in->map].kind != RH_NODE_MAP) {
    (void)rh_input_refuse(in, in->map == RH_NONE ? entry : in->map, "'inputs' must be a map");
    return RH_INPUT_REFUSED;
  }
  for (int i = 0; i < k->problem->row.nparam; i++) {
    known[i] = k->problem->row.param[i].name;
  }
  bool good = rh_input_keys(in, in->map, "input", known, k->problem->row.nparam);
  RH_TRY(k->pose(in, posed));
  return good ? RH_OK : RH_INPUT_REFUSED;
}

static rh_status pose_tree(rh_inputs *in, int root, const char *id, rh_planar_posed *posed,
                           char *name)
{
  int list = find_list(in->tree, root);
  if (list == RH_NONE) {
    (void)rh_input_refuse(in, root,
                          "a problem file must be a list of {id, kind, inputs}, or a map "
                          "with such a list under 'problems'");
    return RH_INPUT_REFUSED;
  }
  int entry = find_entry(in, list, id);
  if (entry == RH_NONE) {
    return RH_INPUT_REFUSED;
  }
  (void)snprintf(name, RH_PLANAR_ID_MAX, "%s", text_of(in->tree, entry, "id"));
  return pose_entry(in, entry, posed);
}

rh_status rh_planar_pose_file(const char *path, const char *id, rh_diag *diag,
                              rh_planar_posed *posed, char *name)
{
  rh_yaml tree = {0};
  rh_inputs in = {.tree = &tree, .map = RH_NONE, .diag = diag};
  char *text = NULL;
  size_t bytes = 0;
  int root = RH_NONE;
  name[0] = '\0';
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &tree.file[0]));
  rh_status status = rh_yaml_read(&tree, text, bytes, (rh_yaml_start){0}, diag, &root);
  if (status == RH_OK) {
    status = pose_tree(&in, root, id, posed, name);
  }
  rh_yaml_free(&tree);
  rh_free(text);
  return status;
}
