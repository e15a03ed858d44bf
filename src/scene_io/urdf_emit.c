// urdf_emit.c: the nodes of a robot. Each has its place in the file.
#include "base/text.h"
#include "urdf_part.h"

#include <stdio.h>
#include <string.h>

static const char *const section_name[RH_URDF_SECTIONS] = {"bodies", "joints", "shapes", "meshes",
                                                           "actuators"};

static rh_node node_of(const rh_urdf *u, rh_node_kind kind, rh_place place)
{
  return (rh_node){.kind = (uint8_t)kind,
                   .quoted = kind == RH_NODE_SCALAR,
                   .file = (uint8_t)u->text->file,
                   .line = place.line,
                   .column = place.column,
                   .length = place.length};
}

// A node or RH_NONE, which sets the status.
static int check_node(rh_urdf *u, int node)
{
  if (node == RH_NONE && u->status == RH_OK) {
    u->status = RH_OUT_OF_MEMORY;
  }
  return node;
}

static void append_node(rh_urdf *u, rh_urdf_list *list, int node)
{
  if (node != RH_NONE && list->node != RH_NONE) {
    rh_yaml_link(u->tree, list->node, node, list->last);
    list->last = node;
  }
}

static int text_node(rh_urdf *u, const char *text, rh_place place, bool word)
{
  rh_node node = node_of(u, RH_NODE_SCALAR, place);
  node.quoted = word;
  return check_node(u, rh_yaml_add_text(u->tree, node, text, strlen(text)));
}

static void put_key(rh_urdf *u, rh_urdf_list *map, const char *key, int value, rh_place place)
{
  int name = value == RH_NONE ? RH_NONE : text_node(u, key, place, true);
  if (name != RH_NONE) {
    u->tree->node[value].key = name;
    append_node(u, map, value);
  }
}

// The list of a section, created if the scene has none.
static rh_urdf_list *open_section(rh_urdf *u, rh_urdf_section section, rh_place place)
{
  rh_urdf_list *list = &u->section[section];
  if (list->node != RH_NONE) {
    return list;
  }
  int node = rh_yaml_find(u->tree, u->root, section_name[section]);
  if (node == RH_NONE) {
    rh_urdf_list root = {u->root, u->tree->node[u->root].first};
    while (root.last != RH_NONE && u->tree->node[root.last].next != RH_NONE) {
      root.last = u->tree->node[root.last].next;
    }
    node = check_node(u, rh_yaml_add(u->tree, node_of(u, RH_NODE_LIST, place)));
    put_key(u, &root, section_name[section], node, place);
  }
  if (node == RH_NONE || u->tree->node[node].kind != RH_NODE_LIST) {
    return NULL; // the scene has another type there, which is reported later
  }
  list->node = node;
  list->last = u->tree->node[node].first;
  while (list->last != RH_NONE && u->tree->node[list->last].next != RH_NONE) {
    list->last = u->tree->node[list->last].next;
  }
  return list;
}

rh_urdf_list rh_urdf_entry(rh_urdf *u, rh_urdf_section section, rh_place place)
{
  const rh_urdf_list none = {RH_NONE, RH_NONE};
  if (u->status != RH_OK) {
    return none;
  }
  if (++u->made > RH_URDF_MAX) {
    rh_urdf_refuse(u, place, "the robot is too big: it may have %d links, joints and shapes",
                   RH_URDF_MAX);
    u->status = RH_INPUT_REFUSED;
    return none;
  }
  rh_urdf_list *list = open_section(u, section, place);
  int node = list ? check_node(u, rh_yaml_add(u->tree, node_of(u, RH_NODE_MAP, place))) : RH_NONE;
  if (node != RH_NONE) {
    append_node(u, list, node);
  }
  return (rh_urdf_list){node, RH_NONE};
}

// An entry of the scene's own text that has this name; none: {RH_NONE, RH_NONE}.
rh_urdf_list rh_urdf_own_entry(rh_urdf *u, rh_urdf_section section, const rh_urdf_word *word)
{
  rh_urdf_list found = {RH_NONE, RH_NONE};
  char name[2 * RH_NAME_MAX];
  int list = u->status == RH_OK ? rh_yaml_find(u->tree, u->root, section_name[section]) : RH_NONE;
  snprintf(name, sizeof name, "%.63s%s", u->opt->prefix, word->name.text);
  if (list == RH_NONE || u->tree->node[list].kind != RH_NODE_LIST) {
    return found;
  }
  int entry = u->tree->node[list].first;
  for (; entry != RH_NONE && found.node == RH_NONE; entry = u->tree->node[entry].next) {
    const rh_node *n = &u->tree->node[entry];
    bool own = n->kind == RH_NODE_MAP && n->file == u->tree->node[u->root].file;
    int key = own ? rh_yaml_find(u->tree, entry, "name") : RH_NONE;
    if (key != RH_NONE && u->tree->node[key].kind == RH_NODE_SCALAR &&
        strcmp(rh_yaml_text(u->tree, key), name) == 0) {
      found.node = entry;
    }
  }
  found.last = found.node == RH_NONE ? RH_NONE : u->tree->node[found.node].first;
  while (found.last != RH_NONE && u->tree->node[found.last].next != RH_NONE) {
    found.last = u->tree->node[found.last].next;
  }
  return found;
}

void rh_urdf_put_text(rh_urdf *u, rh_urdf_list *map, const char *key, const char *text,
                      rh_place place)
{
  if (map->node != RH_NONE) {
    put_key(u, map, key, text_node(u, text, place, true), place);
  }
}

bool rh_urdf_is_world(const rh_urdf_word *link)
{
  return strcmp(link->name.text, "world") == 0;
}

void rh_urdf_put_name(rh_urdf *u, rh_urdf_list *map, const char *key, const rh_urdf_word *word)
{
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "%.63s%s", u->opt->prefix, word->name.text);
  rh_urdf_put_text(u, map, key, text, word->place);
}

static int number_node(rh_urdf *u, double value, rh_place place)
{
  char text[RH_NUMBER_MAX];
  rh_number_write(value, text);
  return text_node(u, text, place, false);
}

void rh_urdf_put_number(rh_urdf *u, rh_urdf_list *map, const char *key, double value,
                        rh_place place)
{
  if (map->node != RH_NONE) {
    put_key(u, map, key, number_node(u, value, place), place);
  }
}

void rh_urdf_put_numbers(rh_urdf *u, rh_urdf_list *map, const char *key, const double *x, int n,
                         rh_place place)
{
  if (map->node == RH_NONE) {
    return;
  }
  rh_urdf_list list = {check_node(u, rh_yaml_add(u->tree, node_of(u, RH_NODE_LIST, place))),
                       RH_NONE};
  for (int i = 0; i < n && list.node != RH_NONE && u->status == RH_OK; i++) {
    append_node(u, &list, number_node(u, x[i], place));
  }
  put_key(u, map, key, list.node, place);
}

void rh_urdf_put_vec(rh_urdf *u, rh_urdf_list *map, const char *key, const rh_urdf_vec *vec)
{
  if (vec->n > 0) {
    rh_urdf_put_numbers(u, map, key, vec->x, vec->n, vec->place);
  }
}

void rh_urdf_put_node(rh_urdf *u, rh_urdf_list *map, int node)
{
  if (node != RH_NONE && map->node != RH_NONE) {
    u->tree->node[node].next = RH_NONE;
    append_node(u, map, node);
  }
}

bool rh_urdf_keep_word(rh_urdf *u, rh_urdf_word **list, int *count, int *room,
                       const rh_urdf_word *word)
{
  if (*count == *room) {
    int more = *room > 0 ? 2 * *room : 64;
    rh_urdf_word *grown = rh_realloc(*list, (size_t)more * sizeof *grown);
    if (!grown) {
      u->status = RH_OUT_OF_MEMORY;
      return false;
    }
    *list = grown;
    *room = more;
  }
  (*list)[(*count)++] = *word;
  return true;
}
