// old_words.c: keys of scenes that have a new name. The old name is still read, with a note.
// run.stepper named engines and integrators alike: its value decides which of the two keys it is now.
#include "scene_read.h"

#include "model/schema.h"

#include <routh/kind.h>

#include <stdio.h>
#include <string.h>

static const struct {
  const char *section, *old, *now;
} words[] = {
    {"contacts", "strike", "impact_law"},         {"contacts", "strike_e", "impact_e"},
    {"contacts", "strike_speed", "impact_speed"}, {"contacts", "per", "stiffness_per"},
    {"run", "impacts", "multi_impact"},           {"run", "judge", "check_solution"},
    {"run", "bounces", "impacts_per_step"},       {"run", "sweeps", "iterations"},
};

static const char *find_word(const char *section, const char *old)
{
  for (int i = 0; i < RH_COUNT(words); i++) {
    if ((section == NULL || strcmp(words[i].section, section) == 0) &&
        strcmp(words[i].old, old) == 0) {
      return words[i].now;
    }
  }
  return NULL;
}

const char *rh_present_word(const char *word)
{
  const char *now = find_word(NULL, word);
  return now ? now : word;
}

static rh_status rename_key(rh_yaml *tree, int map, int value, const char *now, rh_diag *diag)
{
  int key = tree->node[value].key;
  rh_place place = rh_yaml_place(tree, key);
  const char *old = rh_yaml_text(tree, key);
  if (rh_yaml_find(tree, map, now) != RH_NONE) {
    rh_diag_add(diag, RH_ERROR, place, "%s is the old name of %s, which is given as well", old,
                now);
    return RH_INPUT_REFUSED;
  }
  rh_diag_add(diag, RH_NOTE, place, "%s is called %s since version 0.2", old, now);
  int fresh = rh_yaml_add_text(tree, tree->node[key], now, strlen(now));
  if (fresh == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  tree->node[value].key = fresh;
  return RH_OK;
}

// ---- run.stepper

rh_stepper_words rh_stepper_now(const char *value)
{
  int count;
  const rh_engine *const *engine = rh_engine_table(&count);
  const char *first = NULL; // the first engine with integrators
  for (int i = 0; i < count; i++) {
    if (engine[i]->stepper && strcmp(engine[i]->stepper, value) == 0) {
      return (rh_stepper_words){engine[i]->row.name, NULL};
    }
    first = first == NULL && engine[i]->integrator ? engine[i]->row.name : first;
  }
  return (rh_stepper_words){first, value};
}

static rh_status rename_stepper(rh_yaml *tree, int map, int value, rh_diag *diag)
{
  int key = tree->node[value].key;
  bool scalar = tree->node[value].kind == RH_NODE_SCALAR;
  char was[RH_NAME_MAX]; // texts of the tree move when one is added
  (void)snprintf(was, sizeof was, "%s", scalar ? rh_yaml_text(tree, value) : "");
  rh_stepper_words now = rh_stepper_now(was);
  const char *word = now.integrator ? "integrator" : "engine";
  const char *text = now.integrator ? now.integrator : now.engine;
  if (rh_yaml_find(tree, map, "engine") != RH_NONE ||
      rh_yaml_find(tree, map, "integrator") != RH_NONE) {
    rh_diag_add(diag, RH_ERROR, rh_yaml_place(tree, key),
                "stepper is the old name of engine and integrator, of which one is given as well");
    return RH_INPUT_REFUSED;
  }
  if (scalar) {
    rh_diag_add(diag, RH_NOTE, rh_yaml_place(tree, key),
                "stepper: %s is called %s: %s since version 0.2", was, word, text);
  }
  int fresh = rh_yaml_add_text(tree, tree->node[key], word, strlen(word));
  int named = RH_NONE;
  if (scalar && fresh != RH_NONE) {
    named = rh_yaml_add_text(tree, tree->node[value], text, strlen(text));
  }
  if (fresh == RH_NONE || (scalar && named == RH_NONE)) {
    return RH_OUT_OF_MEMORY;
  }
  if (scalar) {
    rh_node changed = tree->node[named];
    changed.next = tree->node[value].next;
    tree->node[value] = changed;
  }
  tree->node[value].key = fresh;
  return RH_OK;
}

// Texts of the tree move when one is added: the section's name is read again for every key.
static rh_status rename_keys(rh_yaml *tree, int map, int section_key, rh_diag *diag)
{
  rh_status status = RH_OK;
  for (int v = tree->node[map].first; v != RH_NONE && status != RH_OUT_OF_MEMORY;
       v = tree->node[v].next) {
    const char *section = rh_yaml_text(tree, section_key);
    const char *old = rh_yaml_text(tree, tree->node[v].key);
    const char *now = find_word(section, old);
    bool stepper = strcmp(section, "run") == 0 && strcmp(old, "stepper") == 0;
    rh_status renamed = now       ? rename_key(tree, map, v, now, diag)
                        : stepper ? rename_stepper(tree, map, v, diag)
                                  : RH_OK;
    status = renamed == RH_OK ? status : renamed;
  }
  return status;
}

rh_status rh_yaml_rename_old_words(rh_yaml *tree, int root, rh_diag *diag)
{
  rh_status status = RH_OK;
  for (int s = tree->node[root].first; s != RH_NONE && status != RH_OUT_OF_MEMORY;
       s = tree->node[s].next) {
    int key = tree->node[s].key;
    bool list = tree->node[s].kind == RH_NODE_LIST;
    for (int e = list ? tree->node[s].first : s; e != RH_NONE;
         e = list ? tree->node[e].next : RH_NONE) {
      rh_status renamed =
          tree->node[e].kind == RH_NODE_MAP ? rename_keys(tree, e, key, diag) : RH_OK;
      status = renamed == RH_OK ? status : renamed;
    }
  }
  return status;
}
