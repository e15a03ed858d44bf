// old_words.c: keys of scenes that have a new name. The old name is still read, with a note.
#include "scene_read.h"

#include "model/schema.h"

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

static rh_status rename_keys(rh_yaml *tree, int map, const char *section, rh_diag *diag)
{
  rh_status status = RH_OK;
  for (int v = tree->node[map].first; v != RH_NONE && status != RH_OUT_OF_MEMORY;
       v = tree->node[v].next) {
    const char *now = find_word(section, rh_yaml_text(tree, tree->node[v].key));
    rh_status renamed = now ? rename_key(tree, map, v, now, diag) : RH_OK;
    status = renamed == RH_OK ? status : renamed;
  }
  return status;
}

rh_status rh_yaml_rename_old_words(rh_yaml *tree, int root, rh_diag *diag)
{
  rh_status status = RH_OK;
  for (int s = tree->node[root].first; s != RH_NONE && status != RH_OUT_OF_MEMORY;
       s = tree->node[s].next) {
    const char *section = rh_yaml_text(tree, tree->node[s].key);
    bool list = tree->node[s].kind == RH_NODE_LIST;
    for (int e = list ? tree->node[s].first : s; e != RH_NONE;
         e = list ? tree->node[e].next : RH_NONE) {
      rh_status renamed =
          tree->node[e].kind == RH_NODE_MAP ? rename_keys(tree, e, section, diag) : RH_OK;
      status = renamed == RH_OK ? status : renamed;
    }
  }
  return status;
}
