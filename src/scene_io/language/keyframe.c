// keyframe.c: the start that `run.keyframe` names. The entries of `keyframes` under that name give joints
// their q and v and actuators their effort; what else is given by overrides comes after, so that they win.
// It is no value of a scene: one that is
// written has the start itself, and reads back as the same.
#include "keyframe.h"
#include "include.h"

#include "base/text.h"

#include <string.h>

static const char *text_at(const rh_yaml *tree, int map, const char *key)
{
  int node = tree->node[map].kind == RH_NODE_MAP ? rh_yaml_find(tree, map, key) : RH_NONE;
  bool scalar = node != RH_NONE && tree->node[node].kind == RH_NODE_SCALAR;
  return scalar ? rh_yaml_text(tree, node) : NULL;
}

static int list_at(const rh_yaml *tree, int root, const char *section)
{
  int node = rh_yaml_find(tree, root, section);
  return node != RH_NONE && tree->node[node].kind == RH_NODE_LIST ? node : RH_NONE;
}

// A joint without a name has that of its child. RH_NONE: there is none; the check of the scene says so.
static int find_entry(const rh_yaml *tree, int list, const char *name, const char *otherwise)
{
  int e = list == RH_NONE ? RH_NONE : tree->node[list].first;
  for (; e != RH_NONE; e = tree->node[e].next) {
    const char *own = text_at(tree, e, "name");
    own = own == NULL && otherwise != NULL ? text_at(tree, e, otherwise) : own;
    if (own != NULL && strcmp(own, name) == 0) {
      return e;
    }
  }
  return RH_NONE;
}

static rh_status put_keys(rh_yaml *tree, int entry, int target, const char *const key[], int n)
{
  for (int i = 0; i < n && target != RH_NONE; i++) {
    int value = rh_yaml_find(tree, entry, key[i]);
    if (value != RH_NONE) {
      RH_TRY(rh_include_put_value(tree, target, key[i], value));
    }
  }
  return RH_OK;
}

static rh_status put_entry(rh_yaml *tree, int root, int entry)
{
  static const char *const motion[] = {"q", "v"};
  static const char *const command[] = {"effort"};
  const char *joint = text_at(tree, entry, "joint");
  const char *actuator = text_at(tree, entry, "actuator");
  if (joint != NULL) {
    int target = find_entry(tree, list_at(tree, root, "joints"), joint, "child");
    RH_TRY(put_keys(tree, entry, target, motion, RH_COUNT(motion)));
  }
  if (actuator != NULL) {
    int target = find_entry(tree, list_at(tree, root, "actuators"), actuator, NULL);
    RH_TRY(put_keys(tree, entry, target, command, RH_COUNT(command)));
  }
  return RH_OK;
}

static rh_status refuse_name(const rh_yaml *tree, int root, int node, rh_diag *diag)
{
  enum { NAMED_MAX = 300 };

  rh_text names = {0};
  int list = list_at(tree, root, "keyframes");
  const char *last = "";
  int e = list == RH_NONE ? RH_NONE : tree->node[list].first;
  for (; e != RH_NONE && names.size < NAMED_MAX; e = tree->node[e].next) {
    const char *own = text_at(tree, e, "keyframe");
    if (own != NULL && strcmp(own, last) != 0) {
      rh_text_addf(&names, "%s%.60s", names.size > 0 ? ", " : "", own);
      last = own;
    }
  }
  bool text = tree->node[node].kind == RH_NODE_SCALAR;
  rh_diag_add(diag, RH_ERROR, rh_yaml_place(tree, node),
              "run.keyframe: there is no keyframe '%.60s'; the scene has %s",
              text ? rh_yaml_text(tree, node) : rh_yaml_what(tree, node),
              names.size == 0 || names.failed ? "none" : names.data);
  rh_status status = names.failed ? RH_OUT_OF_MEMORY : RH_INPUT_REFUSED;
  rh_text_free(&names);
  return status;
}

// Takes the key out of the map.
static void drop_key(rh_yaml *tree, int map, int value)
{
  int *link = &tree->node[map].first;
  while (*link != value) {
    link = &tree->node[*link].next;
  }
  *link = tree->node[value].next;
  tree->node[map].count--;
}

rh_status rh_yaml_keyframe(rh_yaml *tree, int root, rh_diag *diag)
{
  int run = rh_yaml_find(tree, root, "run");
  bool map = run != RH_NONE && tree->node[run].kind == RH_NODE_MAP;
  int key = map ? rh_yaml_find(tree, run, "keyframe") : RH_NONE;
  if (key == RH_NONE) {
    return RH_OK;
  }
  bool scalar = tree->node[key].kind == RH_NODE_SCALAR;
  if (scalar && (rh_yaml_is_null(tree, key) || rh_yaml_text(tree, key)[0] == '\0')) {
    drop_key(tree, run, key);
    return RH_OK;
  }
  int list = scalar ? list_at(tree, root, "keyframes") : RH_NONE;
  bool found = false;
  for (int e = list == RH_NONE ? RH_NONE : tree->node[list].first; e != RH_NONE;
       e = tree->node[e].next) {
    const char *own = text_at(tree, e, "keyframe");
    if (own != NULL &&
        strcmp(own, rh_yaml_text(tree, key)) == 0) { // texts move when some are added
      found = true;
      RH_TRY(put_entry(tree, root, e));
    }
  }
  if (!found) {
    return refuse_name(tree, root, key, diag);
  }
  drop_key(tree, run, key);
  return RH_OK;
}
