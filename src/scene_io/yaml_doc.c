// yaml_doc.c: see yaml_doc.h. libyaml gives events; a stack of open lists and maps turns them into nodes, without recursion.
#include "yaml_doc.h"

#include "scene_io/language/anchors.h"

#include <string.h>
#include <yaml.h>

// ---- The tree

void rh_yaml_free(rh_yaml *tree)
{
  rh_free(tree->node);
  rh_free(tree->text);
  for (int i = 0; i < RH_TREE_FILES; i++) {
    rh_free(tree->kept[i]);
  }
  *tree = (rh_yaml){0};
}

int rh_yaml_add(rh_yaml *tree, rh_node node)
{
  if (tree->count >= RH_NODE_MAX) {
    return RH_NONE;
  }
  if (tree->count == tree->room) {
    int room = tree->room > 0 ? 2 * tree->room : 256;
    rh_node *grown = rh_realloc(tree->node, (size_t)room * sizeof(rh_node));
    if (!grown) {
      return RH_NONE;
    }
    tree->node = grown;
    tree->room = room;
  }
  node.first = RH_NONE;
  node.next = RH_NONE;
  node.key = RH_NONE;
  node.count = 0;
  tree->node[tree->count] = node;
  return tree->count++;
}

int rh_yaml_add_text(rh_yaml *tree, rh_node node, const char *text, size_t bytes)
{
  if (bytes > RH_SCALAR_MAX || tree->used > UINT32_MAX / 2) {
    return RH_NONE;
  }
  if (tree->used + bytes + 1 > tree->text_room) {
    size_t room = 2 * (tree->used + bytes) + 1024;
    char *grown = rh_realloc(tree->text, room);
    if (!grown) {
      return RH_NONE;
    }
    tree->text = grown;
    tree->text_room = room;
  }
  node.kind = RH_NODE_SCALAR;
  node.text = (uint32_t)tree->used;
  int index = rh_yaml_add(tree, node);
  if (index != RH_NONE) {
    memcpy(tree->text + tree->used, text, bytes);
    tree->text[tree->used + bytes] = '\0';
    tree->used += bytes + 1;
  }
  return index;
}

int rh_yaml_add_file(rh_yaml *tree, const char *name)
{
  for (int i = 2; i < RH_TREE_FILES; i++) {
    if (tree->kept[i] && strcmp(tree->kept[i], name) == 0) {
      return i;
    }
    if (!tree->kept[i]) {
      size_t bytes = strlen(name) + 1;
      tree->kept[i] = rh_alloc(bytes);
      if (!tree->kept[i]) {
        return RH_NONE;
      }
      memcpy(tree->kept[i], name, bytes);
      tree->file[i] = tree->kept[i];
      return i;
    }
  }
  return RH_NONE;
}

void rh_yaml_link(rh_yaml *tree, int parent, int child, int after)
{
  if (after == RH_NONE) {
    tree->node[parent].first = child;
  } else {
    tree->node[after].next = child;
  }
  tree->node[parent].count++;
}

const char *rh_yaml_text(const rh_yaml *tree, int node)
{
  return tree->text + tree->node[node].text;
}

rh_place rh_yaml_place(const rh_yaml *tree, int node)
{
  const rh_node *n = &tree->node[node];
  return (rh_place){tree->file[n->file], n->line, n->column, n->length};
}

int rh_yaml_find(const rh_yaml *tree, int map, const char *key)
{
  if (tree->node[map].kind != RH_NODE_MAP) {
    return RH_NONE;
  }
  int value = tree->node[map].first;
  while (value != RH_NONE && strcmp(rh_yaml_text(tree, tree->node[value].key), key) != 0) {
    value = tree->node[value].next;
  }
  return value;
}

bool rh_yaml_is_null(const rh_yaml *tree, int node)
{
  if (tree->node[node].kind != RH_NODE_SCALAR || tree->node[node].quoted) {
    return false;
  }
  const char *text = rh_yaml_text(tree, node);
  return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

const char *rh_yaml_what(const rh_yaml *tree, int node)
{
  switch ((rh_node_kind)tree->node[node].kind) {
  case RH_NODE_LIST:
    return "a list";
  case RH_NODE_MAP:
    return "a map";
  case RH_NODE_SCALAR:
    break;
  }
  return rh_yaml_is_null(tree, node) ? "nothing" : "text";
}

// ---- Duplicate keys: sorted by our own merge sort: a hostile file must not cost quadratic time.

static int compare_keys(const rh_yaml *tree, int a, int b)
{
  int order = strcmp(rh_yaml_text(tree, a), rh_yaml_text(tree, b));
  return order != 0 ? order : a - b;
}

static void merge_sorted_halves(const rh_yaml *tree, const int *from, int *to, int middle, int end)
{
  int left = 0;
  int right = middle;
  for (int i = 0; i < end; i++) {
    bool take_left =
        left < middle && (right >= end || compare_keys(tree, from[left], from[right]) < 0);
    to[i] = take_left ? from[left++] : from[right++];
  }
}

// Sorts `count` key nodes; the result lies in one of the two halves of `keys` (2 * count).
static int *sort_keys(const rh_yaml *tree, int *keys, int count)
{
  int *from = keys;
  int *to = keys + count;
  for (int width = 1; width < count; width *= 2) {
    for (int start = 0; start < count; start += 2 * width) {
      int end = count - start < 2 * width ? count - start : 2 * width;
      merge_sorted_halves(tree, from + start, to + start, width < end ? width : end, end);
    }
    int *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

static rh_status check_keys(const rh_yaml *tree, int map, rh_diag *diag, bool *refused)
{
  enum { SMALL = 64 };

  int small[2 * SMALL];
  int count = tree->node[map].count;
  int *keys = count <= SMALL ? small : rh_alloc(2 * (size_t)count * sizeof(int));
  if (!keys) {
    return RH_OUT_OF_MEMORY;
  }
  int n = 0;
  for (int v = tree->node[map].first; v != RH_NONE; v = tree->node[v].next) {
    keys[n++] = tree->node[v].key;
  }
  const int *sorted = sort_keys(tree, keys, n);
  for (int i = 1; i < n; i++) {
    if (strcmp(rh_yaml_text(tree, sorted[i - 1]), rh_yaml_text(tree, sorted[i])) == 0) {
      rh_place first = rh_yaml_place(tree, sorted[i - 1]);
      rh_diag_add(diag, RH_ERROR, rh_yaml_place(tree, sorted[i]),
                  "key '%.60s' appears twice; the first is at %d:%d", rh_yaml_text(tree, sorted[i]),
                  first.line, first.column);
      *refused = true;
    }
  }
  if (keys != small) {
    rh_free(keys);
  }
  return RH_OK;
}

// ---- From events to nodes

typedef struct reader {
  rh_yaml *tree;
  rh_diag *diag;
  rh_yaml_start start;
  int depth;
  int open[RH_NODE_DEPTH]; // lists and maps that are not closed yet
  int last[RH_NODE_DEPTH]; // the last child of each
  int key[RH_NODE_DEPTH];  // the key that waits for its value
  int root;
  rh_anchors anchors;
  bool refused; // an error was reported; reading goes on
} reader;

static rh_node place_node(const reader *r, const yaml_mark_t *from, const yaml_mark_t *to)
{
  rh_node node = {.file = (uint8_t)r->start.file};
  yaml_mark_t end = {0, 0, 0};
  if (r->start.file == 1 &&
      from->line > 0) { // an override is one line; libyaml places the end of its text after it
    from = to = &end;
  }
  node.line = (int)from->line + r->start.line + 1;
  node.column = (int)from->column + (from->line == 0 ? r->start.column : 0) + 1;
  node.length = to->line == from->line ? (int)(to->column - from->column) : 0;
  return node;
}

static void refuse_at(reader *r, const rh_node *node, const char *why)
{
  rh_place place = {r->tree->file[node->file], node->line, node->column, node->length};
  rh_diag_add(r->diag, RH_ERROR, place, "%s", why);
  r->refused = true;
}

static bool core_tag(const yaml_char_t *tag)
{
  static const char prefix[] = "tag:yaml.org,2002:";
  static const char *const core[] = {"str", "int", "float", "bool", "seq", "map"};
  if (strncmp((const char *)tag, prefix, sizeof prefix - 1) != 0) {
    return false;
  }
  for (int i = 0; i < RH_COUNT(core); i++) {
    if (strcmp((const char *)tag + sizeof prefix - 1, core[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void check_tag(reader *r, const rh_node *node, const yaml_char_t *tag)
{
  if (tag && !core_tag(tag)) {
    refuse_at(r, node, "tags ('!name') are not used here");
  }
}

// Adds a new node to the innermost open list or map; in a map, scalars are keys and values by
// turns.
static rh_status attach_node(reader *r, int index)
{
  if (index == RH_NONE) {
    bool full = r->tree->count >= RH_NODE_MAX;
    if (full) {
      refuse_at(r, &r->tree->node[r->tree->count - 1],
                "the file has too many values (64 million are allowed)");
    }
    return full ? RH_INPUT_REFUSED : RH_OUT_OF_MEMORY;
  }
  if (r->depth == 0) {
    r->root = index;
    return RH_OK;
  }
  int level = r->depth - 1;
  int parent = r->open[level];
  if (r->tree->node[parent].kind == RH_NODE_MAP) {
    if (r->key[level] == RH_NONE) {
      if (r->tree->node[index].kind != RH_NODE_SCALAR) {
        refuse_at(r, &r->tree->node[index], "a key must be a plain word");
        return RH_INPUT_REFUSED;
      }
      r->key[level] = index;
      return RH_OK;
    }
    r->tree->node[index].key = r->key[level];
    r->key[level] = RH_NONE;
  }
  rh_yaml_link(r->tree, parent, index, r->last[level]);
  r->last[level] = index;
  return RH_OK;
}

static rh_status keep_anchor(reader *r, const yaml_char_t *anchor, int node)
{
  if (anchor && node != RH_NONE &&
      !rh_anchors_add(&r->anchors, r->tree, (const char *)anchor, node)) {
    if (r->anchors.count < RH_ANCHORS_MAX) {
      return RH_OUT_OF_MEMORY;
    }
    refuse_at(r, &r->tree->node[node], "too many anchors ('&name'): a file may have 256");
    return RH_INPUT_REFUSED;
  }
  return RH_OK;
}

static rh_status add_scalar(reader *r, const yaml_event_t *event)
{
  rh_node node = place_node(r, &event->start_mark, &event->end_mark);
  const char *text = (const char *)event->data.scalar.value;
  size_t bytes = event->data.scalar.length;
  node.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  check_tag(r, &node, event->data.scalar.tag);
  if (bytes > RH_SCALAR_MAX || memchr(text, '\0', bytes)) {
    refuse_at(r, &node,
              bytes > RH_SCALAR_MAX ? "is too long: a value may have 64 KiB" : "holds a zero byte");
    text = "?";
    bytes = 1;
  }
  int index = rh_yaml_add_text(r->tree, node, text, bytes);
  RH_TRY(keep_anchor(r, event->data.scalar.anchor, index));
  return attach_node(r, index);
}

static bool is_open(const reader *r, int node)
{
  for (int i = 0; i < r->depth; i++) {
    if (r->open[i] == node) {
      return true;
    }
  }
  return false;
}

// An alias is a copy of what its anchor marks. An anchor that is still open would hold itself.
static rh_status add_alias(reader *r, const yaml_event_t *event)
{
  const char *name = (const char *)event->data.alias.anchor;
  rh_node node = place_node(r, &event->start_mark, &event->end_mark);
  int source = rh_anchors_find(&r->anchors, r->tree, name);
  bool good = source != RH_NONE && !is_open(r, source);
  if (!good) {
    refuse_at(r, &node,
              source == RH_NONE ? "there is no anchor ('&name') of this name before this alias"
                                : "the alias is within what its anchor marks");
    return attach_node(r, rh_yaml_add_text(r->tree, node, "?", 1));
  }
  int copy = RH_NONE;
  rh_status status =
      rh_yaml_copy(r->tree, source, RH_NODE_DEPTH - r->depth, &r->anchors.left, &copy);
  if (status == RH_INPUT_REFUSED) {
    refuse_at(r, &node,
              "the aliases make the file too big: they may add a million values, in 32 levels");
  }
  RH_TRY(status);
  return attach_node(r, copy);
}

static rh_status open_level(reader *r, const yaml_event_t *event, rh_node_kind kind)
{
  rh_node node = place_node(r, &event->start_mark, &event->end_mark);
  node.kind = (uint8_t)kind;
  bool list = kind == RH_NODE_LIST;
  check_tag(r, &node, list ? event->data.sequence_start.tag : event->data.mapping_start.tag);
  if (r->depth >= RH_NODE_DEPTH) {
    refuse_at(r, &node, "lists and maps are nested too deep (32 levels are allowed)");
    return RH_INPUT_REFUSED;
  }
  int index = rh_yaml_add(r->tree, node);
  RH_TRY(attach_node(r, index));
  RH_TRY(keep_anchor(r, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
                     index));
  r->open[r->depth] = index;
  r->last[r->depth] = RH_NONE;
  r->key[r->depth] = RH_NONE;
  r->depth++;
  return RH_OK;
}

static rh_status close_level(reader *r)
{
  r->depth--;
  int index = r->open[r->depth];
  if (r->tree->node[index].kind != RH_NODE_MAP) {
    return RH_OK;
  }
  RH_TRY(check_keys(r->tree, index, r->diag, &r->refused));
  r->refused = !rh_yaml_merge(r->tree, index, r->diag) || r->refused;
  return RH_OK;
}

static rh_status take_event(reader *r, const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return add_scalar(r, event);
  case YAML_ALIAS_EVENT:
    return add_alias(r, event);
  case YAML_SEQUENCE_START_EVENT:
    return open_level(r, event, RH_NODE_LIST);
  case YAML_MAPPING_START_EVENT:
    return open_level(r, event, RH_NODE_MAP);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    return close_level(r);
  case YAML_DOCUMENT_START_EVENT:
    if (r->root != RH_NONE) {
      rh_node node = place_node(r, &event->start_mark, &event->end_mark);
      refuse_at(r, &node, "a second document begins here; a file holds one");
      return RH_INPUT_REFUSED;
    }
    return RH_OK;
  default:
    return RH_OK;
  }
}

// For bytes that are not UTF-8 libyaml gives no line, only its offset.
static yaml_mark_t mark_of_offset(const char *text, size_t bytes, size_t offset)
{
  yaml_mark_t mark = {0, 0, 0};
  for (size_t i = 0; i < offset && i < bytes; i++) {
    bool newline = text[i] == '\n';
    mark.line += newline;
    mark.column = newline ? 0 : mark.column + ((text[i] & 0xc0) != 0x80);
  }
  return mark;
}

// An expression without quotes in braces or brackets: its own brace ends the plain text before it.
static bool after_expression(const char *text, size_t bytes, size_t offset)
{
  for (size_t i = offset < bytes ? offset : bytes; i > 0 && text[i - 1] != '\n'; i--) {
    if (text[i - 1] == '$' && i < bytes && text[i] == '{') {
      return true;
    }
  }
  return false;
}

static rh_status refuse_syntax(reader *r, const yaml_parser_t *parser, const char *text,
                               size_t bytes)
{
  if (parser->error == YAML_MEMORY_ERROR) {
    return RH_OUT_OF_MEMORY;
  }
  bool bad_bytes = parser->error == YAML_READER_ERROR;
  yaml_mark_t mark =
      bad_bytes ? mark_of_offset(text, bytes, parser->problem_offset) : parser->problem_mark;
  rh_node node = place_node(r, &mark, &mark);
  rh_place place = {r->tree->file[node.file], node.line, node.column, 0};
  const char *problem = parser->problem ? parser->problem : "not YAML";
  if (bad_bytes) {
    rh_diag_add(r->diag, RH_ERROR, place, "not a text in UTF-8: %s", problem);
  } else if (after_expression(text, bytes, mark.index)) {
    rh_diag_add(r->diag, RH_ERROR, place,
                "%s; an expression within braces or brackets is written in quotes: \"${...}\"",
                problem);
  } else if (parser->context && r->start.file != 1) {
    rh_diag_add(r->diag, RH_ERROR, place, "%s (%s that starts at line %zu)", problem,
                parser->context, parser->context_mark.line + (size_t)r->start.line + 1);
  } else {
    rh_diag_add(r->diag, RH_ERROR, place, "%s", problem);
  }
  return RH_INPUT_REFUSED;
}

static rh_status read_events(reader *r, yaml_parser_t *parser, const char *text, size_t bytes)
{
  yaml_event_type_t type = YAML_NO_EVENT;
  while (type != YAML_STREAM_END_EVENT) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event)) {
      return refuse_syntax(r, parser, text, bytes);
    }
    type = event.type;
    rh_status status = take_event(r, &event);
    yaml_event_delete(&event);
    RH_TRY(status);
  }
  return RH_OK;
}

rh_status rh_yaml_read(rh_yaml *tree, const char *text, size_t bytes, rh_yaml_start start,
                       rh_diag *diag, int *root)
{
  reader r = {.tree = tree,
              .diag = diag,
              .start = start,
              .root = RH_NONE,
              .anchors = {.left = RH_COPIES_MAX}};
  *root = RH_NONE;
  rh_node top = {.file = (uint8_t)start.file, .line = start.line + 1, .column = start.column + 1};
  if (bytes > RH_TEXT_MAX) {
    refuse_at(&r, &top, "is too big: a scene may have 512 MiB");
    return RH_INPUT_REFUSED;
  }
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    return RH_OUT_OF_MEMORY;
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
  rh_status status = read_events(&r, &parser, text, bytes);
  yaml_parser_delete(&parser);
  rh_anchors_free(&r.anchors);
  RH_TRY(status);
  if (r.root == RH_NONE || rh_yaml_is_null(tree, r.root)) {
    refuse_at(&r, &top, start.file == 1 ? "a value is missing after '='" : "the file is empty");
    r.root = RH_NONE;
  }
  *root = r.root;
  return r.refused ? RH_INPUT_REFUSED : RH_OK;
}
