// posture.c: coordinates of joints at the start that an include gives. A joint that is coupled to another
// one (mimic) follows where the include gives only the other.
#include "include.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSES = 8 }; // joints that follow a follower that follows ...

// A joint without a name has that of its child.
static bool is_joint(const rh_yaml *tree, int joint, const char *name)
{
  bool named = rh_yaml_find(tree, joint, "name") != RH_NONE;
  return rh_include_has_text(tree, joint, named ? "name" : "child", name);
}

static int find_joint(const rh_include *in, const char *name)
{
  int joint = rh_include_first(in, RH_SECTION_JOINTS);
  while (joint != RH_NONE && !is_joint(in->tree, joint, name)) {
    joint = in->tree->node[joint].next;
  }
  return joint;
}

// ---- Joints that follow

// A number of an entry, `otherwise` where it has none; infinite: it is no plain number.
static double number_of(const rh_yaml *tree, int map, const char *key, double otherwise)
{
  int node = rh_yaml_find(tree, map, key);
  double x = 0;
  if (node == RH_NONE) {
    return otherwise;
  }
  if (tree->node[node].kind == RH_NODE_LIST && tree->node[node].count == 1) {
    node = tree->node[node].first;
  }
  const char *text = tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(tree, node) : "";
  size_t length = rh_number_read(text, &x);
  return length > 0 && !text[length] ? x : HUGE_VAL; // not finite: the joint does not follow
}

static int named_joint(const rh_include *in, int entry, const char *key, const char **name)
{
  int node = rh_yaml_find(in->tree, entry, key);
  bool good = node != RH_NONE && in->tree->node[node].kind == RH_NODE_SCALAR;
  *name = good ? rh_yaml_text(in->tree, node) : "";
  return good ? find_joint(in, *name) : RH_NONE;
}

static bool is_given(const rh_include *in, const char *name, size_t prefix)
{
  return strlen(name) > prefix && rh_yaml_find(in->tree, in->q, name + prefix) != RH_NONE;
}

static rh_status put_number(rh_include *in, int joint, double q, int like)
{
  char text[RH_NUMBER_MAX];
  rh_node node = in->tree->node[like];
  rh_number_write(q, text);
  node.quoted = false;
  int value = rh_yaml_add_text(in->tree, node, text, strlen(text));
  return value == RH_NONE ? RH_OUT_OF_MEMORY : rh_include_put_value(in->tree, joint, "q", value);
}

// One coupling, q1 - at1 = c0 + c1 s + .., s = q2 - at2. `*changed`: the joint was not there.
static rh_status follow_joint(rh_include *in, int entry, size_t prefix, bool *changed)
{
  static const char *const powers[] = {"c0", "c1", "c2", "c3", "c4"};
  const char *name = NULL;
  const char *other = NULL;
  int joint = named_joint(in, entry, "joint", &name);
  int leader = named_joint(in, entry, "joint2", &other);
  if (joint == RH_NONE || leader == RH_NONE || is_given(in, name, prefix)) {
    return RH_OK;
  }
  const rh_yaml *tree = in->tree;
  double s = number_of(tree, leader, "q", 0) - number_of(tree, entry, "at2", 0);
  double q = number_of(tree, entry, "at1", 0);
  double power = 1;
  for (int i = 0; i < RH_COUNT(powers); i++) {
    q += power * number_of(tree, entry, powers[i], i == 1);
    power *= s;
  }
  if (!isfinite(q) || q == number_of(tree, joint, "q", 0)) {
    return RH_OK;
  }
  *changed = true;
  return put_number(in, joint, q, rh_yaml_find(tree, entry, "joint"));
}

static rh_status follow_joints(rh_include *in, size_t prefix)
{
  bool changed = true;
  for (int pass = 0; changed && pass < PASSES; pass++) {
    changed = false;
    for (int e = rh_include_first(in, RH_SECTION_CONSTRAINTS); e != RH_NONE;
         e = in->tree->node[e].next) {
      if (rh_include_has_text(in->tree, e, "kind", "coupling")) {
        RH_TRY(follow_joint(in, e, prefix, &changed));
      }
    }
  }
  return RH_OK;
}

// ---- Joints that are given

rh_status rh_include_put_posture(rh_include *in, const char *prefix)
{
  rh_yaml *tree = in->tree;
  if (in->q == RH_NONE) {
    return RH_OK;
  }
  if (tree->node[in->q].kind != RH_NODE_MAP) {
    return rh_include_refuse(in, in->q, "q must be a map of joints, {knee: 0.4}");
  }
  for (int v = tree->node[in->q].first; v != RH_NONE; v = tree->node[v].next) {
    char name[2 * RH_NAME_MAX];
    char why[RH_WHY_MAX];
    snprintf(name, sizeof name, "%s%.*s", prefix, RH_NAME_MAX - 1,
             rh_yaml_text(tree, tree->node[v].key));
    int joint = find_joint(in, name);
    if (joint == RH_NONE) {
      snprintf(why, sizeof why, "the robot has no joint '%.60s'", name);
      return rh_include_refuse(in, tree->node[v].key, why);
    }
    RH_TRY(rh_include_put_value(tree, joint, "q", v));
  }
  return follow_joints(in, strlen(prefix));
}
