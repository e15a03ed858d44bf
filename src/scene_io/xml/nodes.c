// nodes.c: the nodes of a robot. Each has its place in the file.
#include "nodes.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME(section, name) #name,
static const char *const section_name[RH_NODE_SECTIONS] = {RH_NODE_SECTION_LIST(NAME)};
#undef NAME

void rh_nodes_angles(const rh_mat3 *R, double rpy[3])
{
  const double *r = R->m;
  double roll = rh_atan2(r[7], r[8]);
  double s = rh_sin(roll);
  double c = rh_cos(roll);
  rpy[0] = roll;
  rpy[1] = rh_atan2(-r[6], s * r[7] + c * r[8]);
  rpy[2] = rh_atan2(s * r[2] - c * r[1], c * r[4] - s * r[5]);
}

void rh_nodes_init(rh_nodes *n, rh_yaml *tree, int root, const char *prefix, rh_diag *diag)
{
  *n = (rh_nodes){.tree = tree, .root = root, .prefix = prefix, .diag = diag};
  for (int i = 0; i < RH_NODE_SECTIONS; i++) {
    n->section[i] = (rh_node_list){RH_NONE, RH_NONE};
  }
}

int rh_nodes_file(const rh_nodes *n, rh_place place)
{
  for (int i = 0; i < RH_TREE_FILES; i++) {
    if (n->tree->file[i] == place.file) {
      return i;
    }
  }
  return 0;
}

static rh_node node_of(const rh_nodes *n, rh_node_kind kind, rh_place place)
{
  return (rh_node){.kind = (uint8_t)kind,
                   .quoted = kind == RH_NODE_SCALAR,
                   .file = (uint8_t)rh_nodes_file(n, place),
                   .line = place.line,
                   .column = place.column,
                   .length = place.length};
}

// A node or RH_NONE, which sets the status.
static int check_node(rh_nodes *n, int node)
{
  if (node == RH_NONE && n->status == RH_OK) {
    n->status = RH_OUT_OF_MEMORY;
  }
  return node;
}

static void append_node(rh_nodes *n, rh_node_list *list, int node)
{
  if (node != RH_NONE && list->node != RH_NONE) {
    rh_yaml_link(n->tree, list->node, node, list->last);
    list->last = node;
  }
}

static int text_node(rh_nodes *n, const char *text, rh_place place, bool word)
{
  rh_node node = node_of(n, RH_NODE_SCALAR, place);
  node.quoted = word;
  return check_node(n, rh_yaml_add_text(n->tree, node, text, strlen(text)));
}

static void put_key(rh_nodes *n, rh_node_list *map, const char *key, int value, rh_place place)
{
  int name = value == RH_NONE ? RH_NONE : text_node(n, key, place, true);
  if (name != RH_NONE) {
    n->tree->node[value].key = name;
    append_node(n, map, value);
  }
}

// The list of a section, created if the scene has none.
static rh_node_list *open_section(rh_nodes *n, rh_node_section section, rh_place place)
{
  rh_node_list *list = &n->section[section];
  if (list->node != RH_NONE) {
    return list;
  }
  int node = rh_yaml_find(n->tree, n->root, section_name[section]);
  if (node == RH_NONE) {
    rh_node_list root = {n->root, n->tree->node[n->root].first};
    while (root.last != RH_NONE && n->tree->node[root.last].next != RH_NONE) {
      root.last = n->tree->node[root.last].next;
    }
    node = check_node(n, rh_yaml_add(n->tree, node_of(n, RH_NODE_LIST, place)));
    put_key(n, &root, section_name[section], node, place);
  }
  if (node == RH_NONE || n->tree->node[node].kind != RH_NODE_LIST) {
    return NULL; // the scene has another type there, which is reported later
  }
  list->node = node;
  list->last = n->tree->node[node].first;
  while (list->last != RH_NONE && n->tree->node[list->last].next != RH_NONE) {
    list->last = n->tree->node[list->last].next;
  }
  return list;
}

rh_node_list rh_nodes_entry(rh_nodes *n, rh_node_section section, rh_place place)
{
  const rh_node_list none = {RH_NONE, RH_NONE};
  if (n->status != RH_OK) {
    return none;
  }
  if (++n->made > RH_NODES_MAX) {
    rh_diag_add(n->diag, RH_ERROR, place,
                "the robot is too big: it may have %d bodies, joints, shapes and other entries",
                RH_NODES_MAX);
    n->status = RH_INPUT_REFUSED;
    return none;
  }
  rh_node_list *list = open_section(n, section, place);
  int node = list ? check_node(n, rh_yaml_add(n->tree, node_of(n, RH_NODE_MAP, place))) : RH_NONE;
  if (node != RH_NONE) {
    append_node(n, list, node);
  }
  return (rh_node_list){node, RH_NONE};
}

rh_node_list rh_nodes_map(rh_nodes *n, const char *section, rh_place place)
{
  rh_node_list root = {n->root, n->tree->node[n->root].first};
  int node = rh_yaml_find(n->tree, n->root, section);
  while (root.last != RH_NONE && n->tree->node[root.last].next != RH_NONE) {
    root.last = n->tree->node[root.last].next;
  }
  if (node == RH_NONE && n->status == RH_OK) {
    node = check_node(n, rh_yaml_add(n->tree, node_of(n, RH_NODE_MAP, place)));
    put_key(n, &root, section, node, place);
  }
  rh_node_list map = {RH_NONE, RH_NONE};
  if (node != RH_NONE && n->tree->node[node].kind == RH_NODE_MAP) {
    map = (rh_node_list){node, n->tree->node[node].first};
  }
  while (map.last != RH_NONE && n->tree->node[map.last].next != RH_NONE) {
    map.last = n->tree->node[map.last].next;
  }
  return map;
}

// An entry that is not of the robot itself and has this name; none: {RH_NONE, RH_NONE}.
rh_node_list rh_nodes_own_entry(rh_nodes *n, rh_node_section section, const rh_robot_word *word)
{
  rh_node_list found = {RH_NONE, RH_NONE};
  char name[2 * RH_NAME_MAX];
  int list = n->status == RH_OK ? rh_yaml_find(n->tree, n->root, section_name[section]) : RH_NONE;
  snprintf(name, sizeof name, "%.63s%s", n->prefix, word->name.text);
  if (list == RH_NONE || n->tree->node[list].kind != RH_NODE_LIST) {
    return found;
  }
  int entry = n->tree->node[list].first;
  for (; entry != RH_NONE && found.node == RH_NONE; entry = n->tree->node[entry].next) {
    const rh_node *at = &n->tree->node[entry];
    bool own = at->kind == RH_NODE_MAP && at->file != rh_nodes_file(n, word->place);
    int key = own ? rh_yaml_find(n->tree, entry, "name") : RH_NONE;
    if (key != RH_NONE && n->tree->node[key].kind == RH_NODE_SCALAR &&
        strcmp(rh_yaml_text(n->tree, key), name) == 0) {
      found.node = entry;
    }
  }
  found.last = found.node == RH_NONE ? RH_NONE : n->tree->node[found.node].first;
  while (found.last != RH_NONE && n->tree->node[found.last].next != RH_NONE) {
    found.last = n->tree->node[found.last].next;
  }
  return found;
}

bool rh_nodes_has_name(const rh_nodes *n, rh_node_section section, const rh_robot_word *word)
{
  char name[2 * RH_NAME_MAX];
  int list = rh_yaml_find(n->tree, n->root, section_name[section]);
  bool good = list != RH_NONE && n->tree->node[list].kind == RH_NODE_LIST;
  snprintf(name, sizeof name, "%.63s%s", n->prefix, word->name.text);
  for (int e = good ? n->tree->node[list].first : RH_NONE; e != RH_NONE;
       e = n->tree->node[e].next) {
    int key = rh_yaml_find(n->tree, e, "name");
    if (key != RH_NONE && n->tree->node[key].kind == RH_NODE_SCALAR &&
        strcmp(rh_yaml_text(n->tree, key), name) == 0) {
      return true;
    }
  }
  return false;
}

void rh_nodes_put_text(rh_nodes *n, rh_node_list *map, const char *key, const char *text,
                       rh_place place)
{
  if (map->node != RH_NONE) {
    put_key(n, map, key, text_node(n, text, place, true), place);
  }
}

void rh_nodes_put_name(rh_nodes *n, rh_node_list *map, const char *key, const rh_robot_word *word)
{
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "%.63s%s", n->prefix, word->name.text);
  rh_nodes_put_text(n, map, key, text, word->place);
}

static int number_node(rh_nodes *n, double value, rh_place place)
{
  char text[RH_NUMBER_MAX];
  rh_number_write(value, text);
  return text_node(n, text, place, false);
}

void rh_nodes_put_number(rh_nodes *n, rh_node_list *map, const char *key, double value,
                         rh_place place)
{
  if (map->node != RH_NONE) {
    put_key(n, map, key, number_node(n, value, place), place);
  }
}

void rh_nodes_put_numbers(rh_nodes *n, rh_node_list *map, const char *key, const double *x,
                          int count, rh_place place)
{
  if (map->node == RH_NONE) {
    return;
  }
  rh_node_list list = {check_node(n, rh_yaml_add(n->tree, node_of(n, RH_NODE_LIST, place))),
                       RH_NONE};
  for (int i = 0; i < count && list.node != RH_NONE && n->status == RH_OK; i++) {
    append_node(n, &list, number_node(n, x[i], place));
  }
  put_key(n, map, key, list.node, place);
}

enum { PIECE = 32768 }; // characters of a text: a scalar may have 64 KiB

void rh_nodes_put_packed(rh_nodes *n, rh_node_list *map, const char *key, const char *text,
                         size_t length, rh_place place)
{
  if (map->node == RH_NONE) {
    return;
  }
  rh_node_list list = {check_node(n, rh_yaml_add(n->tree, node_of(n, RH_NODE_LIST, place))),
                       RH_NONE};
  for (size_t i = 0; i < length && list.node != RH_NONE && n->status == RH_OK; i += PIECE) {
    size_t size = length - i < PIECE ? length - i : PIECE;
    rh_node node = node_of(n, RH_NODE_SCALAR, place);
    append_node(n, &list, check_node(n, rh_yaml_add_text(n->tree, node, text + i, size)));
  }
  put_key(n, map, key, list.node, place);
}

void rh_nodes_put_node(rh_nodes *n, rh_node_list *map, int node)
{
  if (node != RH_NONE && map->node != RH_NONE) {
    n->tree->node[node].next = RH_NONE;
    append_node(n, map, node);
  }
}
