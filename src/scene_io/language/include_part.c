// include_part.c: what the files that read includes share: messages, paths, entries, waiting includes.
#include "include.h"

#include <stdio.h>
#include <string.h>

rh_status rh_include_refuse(const rh_include *in, int node, const char *why)
{
  rh_diag_add(in->diag, RH_ERROR, rh_yaml_place(in->tree, node), "include: %s", why);
  return RH_INPUT_REFUSED;
}

bool rh_include_path(const rh_include *in, const char *file, char path[RH_INCLUDE_PATH_MAX])
{
  int node = in->frame[in->at_frame].folder;
  const char *folder = node == RH_NONE ? "" : rh_yaml_text(in->tree, node);
  bool beside = file[0] != '/' && folder[0];
  int length =
      snprintf(path, RH_INCLUDE_PATH_MAX, "%s%s%s", beside ? folder : "", beside ? "/" : "", file);
  return length < RH_INCLUDE_PATH_MAX;
}

int rh_include_last(const rh_yaml *tree, int list)
{
  int last = tree->node[list].first;
  while (last != RH_NONE && tree->node[last].next != RH_NONE) {
    last = tree->node[last].next;
  }
  return last;
}

// Sets `key` of a map to `value`.
rh_status rh_include_put_value(rh_yaml *tree, int map, const char *key, int value)
{
  rh_node node = tree->node[value];
  int old = rh_yaml_find(tree, map, key);
  if (old != RH_NONE) {
    node.key = tree->node[old].key;
    node.next = tree->node[old].next;
    tree->node[old] = node;
    return RH_OK;
  }
  rh_node name = {.file = node.file, .line = node.line, .column = node.column};
  int last = rh_include_last(tree, map);
  node.key = rh_yaml_add_text(tree, name, key, strlen(key));
  node.next = RH_NONE;
  int made = node.key == RH_NONE ? RH_NONE : rh_yaml_add(tree, node);
  if (made == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  tree->node[made] = node;
  rh_yaml_link(tree, map, made, last);
  return RH_OK;
}

bool rh_include_has_text(const rh_yaml *tree, int map, const char *key, const char *text)
{
  int value = rh_yaml_find(tree, map, key);
  return value != RH_NONE && tree->node[value].kind == RH_NODE_SCALAR &&
         strcmp(rh_yaml_text(tree, value), text) == 0;
}

int rh_include_first(const rh_include *in, int section)
{
  int last = in->before.last[section];
  if (last != RH_NONE) {
    return in->tree->node[last].next;
  }
  int list = rh_yaml_find(in->tree, in->root, rh_sections[section].name);
  bool good = list != RH_NONE && in->tree->node[list].kind == RH_NODE_LIST;
  return good ? in->tree->node[list].first : RH_NONE;
}

static rh_status push_one(rh_include *in, int map, int frame)
{
  if (in->npending == in->pending_room) {
    int room = in->pending_room > 0 ? 2 * in->pending_room : 16;
    rh_pending_include *grown = rh_realloc(in->pending, (size_t)room * sizeof *grown);
    if (!grown) {
      return RH_OUT_OF_MEMORY;
    }
    in->pending = grown;
    in->pending_room = room;
  }
  in->pending[in->npending++] = (rh_pending_include){map, frame};
  return RH_OK;
}

rh_status rh_include_push(rh_include *in, int node, int frame)
{
  if (in->tree->node[node].kind != RH_NODE_LIST) {
    return push_one(in, node, frame);
  }
  int start = in->npending;
  for (int v = in->tree->node[node].first; v != RH_NONE; v = in->tree->node[v].next) {
    RH_TRY(push_one(in, v, frame));
  }
  for (int i = start, k = in->npending - 1; i < k; i++, k--) {
    rh_pending_include swap = in->pending[i];
    in->pending[i] = in->pending[k];
    in->pending[k] = swap;
  }
  return RH_OK;
}
