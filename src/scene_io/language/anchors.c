// anchors.c: see anchors.h. No recursion: a stack of open lists and maps walks what is copied.
#include "anchors.h"

#include <string.h>

// ---- Copies

static rh_status copy_one(rh_yaml *tree, int node, int *left, int *copy)
{
  if (--*left < 0 || tree->count >= RH_NODE_MAX) {
    return RH_INPUT_REFUSED;
  }
  *copy = rh_yaml_add(tree, tree->node[node]); // its links are new, its text is shared
  return *copy == RH_NONE ? RH_OUT_OF_MEMORY : RH_OK;
}

typedef struct open_copy { // a list or map that is being copied
  int next;                // the node to copy next
  int made;                // its copy
  int last;                // last child of the copy
} open_copy;

rh_status rh_yaml_copy(rh_yaml *tree, int node, int levels, int *left, int *copy)
{
  open_copy open[RH_NODE_DEPTH];
  int depth = 0;
  RH_ASSERT(levels <= RH_NODE_DEPTH);
  RH_TRY(copy_one(tree, node, left, copy));
  for (int from = node, to = *copy; from != RH_NONE || depth > 0;) {
    if (from != RH_NONE && tree->node[from].kind != RH_NODE_SCALAR) {
      if (depth >= levels) {
        return RH_INPUT_REFUSED;
      }
      open[depth++] = (open_copy){tree->node[from].first, to, RH_NONE};
    }
    open_copy *top = depth > 0 ? &open[depth - 1] : NULL;
    from = top ? top->next : RH_NONE;
    if (from == RH_NONE) {
      depth -= depth > 0;
      continue;
    }
    top->next = tree->node[from].next;
    RH_TRY(copy_one(tree, from, left, &to));
    tree->node[to].key = tree->node[from].key;
    rh_yaml_link(tree, top->made, to, top->last);
    top->last = to;
  }
  return RH_OK;
}

// ---- Anchors by name

static uint32_t
hash_name(const char *name) // Fowler, Noll, Vo: a file may name anchors millions of times
{
  uint32_t hash = 2166136261u;
  for (; *name; name++) {
    hash = (hash ^ (unsigned char)*name) * 16777619u;
  }
  return hash;
}

static int index_of(const rh_anchors *anchors, const rh_yaml *tree, const char *name)
{
  uint32_t hash = hash_name(name);
  for (int i = 0; i < anchors->count; i++) {
    if (anchors->list[i].hash == hash &&
        strcmp(rh_yaml_text(tree, anchors->list[i].key), name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

bool rh_anchors_add(rh_anchors *anchors, rh_yaml *tree, const char *name, int node)
{
  int at = index_of(anchors, tree, name);
  if (at != RH_NONE) {
    anchors->list[at].node = node;
    return true;
  }
  if (anchors->count == RH_ANCHORS_MAX) {
    return false;
  }
  if (anchors->count == anchors->room) {
    int room = anchors->room > 0 ? 2 * anchors->room : 16;
    rh_anchor *grown = rh_realloc(anchors->list, (size_t)room * sizeof *grown);
    if (!grown) {
      return false;
    }
    anchors->list = grown;
    anchors->room = room;
  }
  int key = rh_yaml_add_text(tree, tree->node[node], name, strlen(name));
  if (key == RH_NONE) {
    return false;
  }
  anchors->list[anchors->count++] = (rh_anchor){hash_name(name), key, node};
  return true;
}

int rh_anchors_find(const rh_anchors *anchors, const rh_yaml *tree, const char *name)
{
  int at = index_of(anchors, tree, name);
  return at == RH_NONE ? RH_NONE : anchors->list[at].node;
}

void rh_anchors_free(rh_anchors *anchors)
{
  rh_free(anchors->list);
  anchors->list = NULL;
  anchors->count = anchors->room = 0;
}

// ---- Merge keys

static int take_merge_key(rh_yaml *tree, int map)
{
  int before = RH_NONE;
  for (int v = tree->node[map].first; v != RH_NONE; before = v, v = tree->node[v].next) {
    const rh_node *key = &tree->node[tree->node[v].key];
    if (!key->quoted && strcmp(tree->text + key->text, "<<") == 0) {
      *(before == RH_NONE ? &tree->node[map].first : &tree->node[before].next) = tree->node[v].next;
      tree->node[map].count--;
      return v;
    }
  }
  return RH_NONE;
}

static void merge_map(rh_yaml *tree, int map, int source)
{
  int last = tree->node[map].first;
  while (last != RH_NONE && tree->node[last].next != RH_NONE) {
    last = tree->node[last].next;
  }
  for (int v = tree->node[source].first; v != RH_NONE;) {
    int next = tree->node[v].next;
    if (rh_yaml_find(tree, map, rh_yaml_text(tree, tree->node[v].key)) == RH_NONE) {
      tree->node[v].next = RH_NONE;
      rh_yaml_link(tree, map, v, last);
      last = v;
    }
    v = next;
  }
}

static bool refuse_merge(const rh_yaml *tree, int node, rh_diag *diag)
{
  rh_diag_add(diag, RH_ERROR, rh_yaml_place(tree, node),
              "'<<' takes a map (<<: *name) or a list of maps, %d keys in all, got %s",
              RH_MERGE_MAX,
              tree->node[node].kind == RH_NODE_MAP ? "more" : rh_yaml_what(tree, node));
  return false;
}

bool rh_yaml_merge(rh_yaml *tree, int map, rh_diag *diag)
{
  int sources = take_merge_key(tree, map);
  bool list = sources != RH_NONE && tree->node[sources].kind == RH_NODE_LIST;
  for (int s = list ? tree->node[sources].first : sources; s != RH_NONE;) {
    int next = list ? tree->node[s].next : RH_NONE;
    if (tree->node[s].kind != RH_NODE_MAP ||
        tree->node[map].count + tree->node[s].count > RH_MERGE_MAX) {
      return refuse_merge(tree, s, diag);
    }
    merge_map(tree, map, s);
    s = next;
  }
  return true;
}
