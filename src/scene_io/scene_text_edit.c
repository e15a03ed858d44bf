// scene_text_edit.c: changes one value in the text of a scene and keeps the rest: comments, order,
// blanks. A present value is replaced; an absent one is added after another of the same entry, in
// braces or on its own line, as that entry is written. Only paths by number (contacts.0.e,
// world.gravity) and values of one line are supported: the caller must check that the result has
// the wanted meaning, and use rh_scene_write otherwise.
#include "base/text.h"
#include "scene_read.h"

#include <string.h>

typedef struct patcher {
  rh_yaml tree;
  const char *text;
  size_t bytes;
} patcher;

// Offset of a character; columns count characters, not bytes.
static size_t offset_of(const patcher *p, int line, int column)
{
  size_t at = 0;
  while (line > 1 && at < p->bytes) {
    line -= p->text[at++] == '\n';
  }
  for (; column > 1 && at < p->bytes; column--) {
    at++;
    while (at < p->bytes && ((unsigned char)p->text[at] & 0xc0) == 0x80) {
      at++;
    }
  }
  return at;
}

static size_t start_of(const patcher *p, int node)
{
  return offset_of(p, p->tree.node[node].line, p->tree.node[node].column);
}

static size_t end_of(const patcher *p, int node)
{
  const rh_node *n = &p->tree.node[node];
  return offset_of(p, n->line, n->column + n->length);
}

static bool is_short(const patcher *p, int node) // a scalar on one line
{
  return p->tree.node[node].kind == RH_NODE_SCALAR && p->tree.node[node].length > 0;
}

// Child by key, or by number.
static int child_of(const rh_yaml *tree, int node, const char *name)
{
  if (tree->node[node].kind == RH_NODE_MAP) {
    return rh_yaml_find(tree, node, name);
  }
  double index = 0;
  size_t read = rh_number_read(name, &index);
  if (tree->node[node].kind != RH_NODE_LIST || read != strlen(name) || !(index >= 0)) {
    return RH_NONE;
  }
  int child = tree->node[node].first;
  for (; child != RH_NONE && index >= 1; index--) {
    child = tree->node[child].next;
  }
  return child;
}

// The map that has the last part of the path as a key, RH_NONE: not found.
static int map_of(const patcher *p, int root, const char *path, char key[RH_NAME_MAX])
{
  int node = root;
  while (node != RH_NONE) {
    size_t length = strcspn(path, ".");
    if (length == 0 || length >= RH_NAME_MAX) {
      return RH_NONE;
    }
    memcpy(key, path, length);
    key[length] = '\0';
    if (path[length] == '\0') {
      return p->tree.node[node].kind == RH_NODE_MAP ? node : RH_NONE;
    }
    node = child_of(&p->tree, node, key);
    path += length + 1;
  }
  return RH_NONE;
}

// `from` to `to` of the text becomes before, key, colon, value; all but the value may be empty.
static char *splice_text(const patcher *p, size_t from, size_t to, const char *const part[4])
{
  rh_text out = {0};
  rh_text_add_bytes(&out, p->text, from);
  for (int i = 0; i < 4; i++) {
    rh_text_add(&out, part[i]);
  }
  rh_text_add_bytes(&out, p->text + to, p->bytes - to);
  char *text = out.failed ? NULL : rh_text_take(&out);
  rh_text_free(&out);
  return text;
}

static char *put_beside(const patcher *p, int map, const char *key, const char *value)
{
  int last = RH_NONE;
  for (int c = p->tree.node[map].first; c != RH_NONE; c = p->tree.node[c].next) {
    last = is_short(p, c) ? c : last;
  }
  if (last == RH_NONE) {
    return NULL;
  }
  size_t at = end_of(p, last);
  if (p->text[start_of(p, map)] == '{') {
    return splice_text(p, at, at, (const char *const[]){", ", key, ": ", value});
  }
  rh_text before = {0};
  at += strcspn(p->text + at, "\r\n");
  rh_text_add(&before, "\n");
  for (int i = 1; i < p->tree.node[p->tree.node[last].key].column; i++) {
    rh_text_add(&before, " ");
  }
  char *text = before.failed
                   ? NULL
                   : splice_text(p, at, at, (const char *const[]){before.data, key, ": ", value});
  rh_text_free(&before);
  return text;
}

static char *patch_value(const patcher *p, int root, const char *path, const char *value)
{
  char key[RH_NAME_MAX];
  int map = root != RH_NONE ? map_of(p, root, path, key) : RH_NONE;
  if (map == RH_NONE) {
    return NULL;
  }
  int old = rh_yaml_find(&p->tree, map, key);
  if (old == RH_NONE) {
    return put_beside(p, map, key, value);
  }
  return is_short(p, old) ? splice_text(p, start_of(p, old), end_of(p, old),
                                        (const char *const[]){"", "", "", value})
                          : NULL;
}

char *rh_scene_patch(const char *text, const char *path, const char *value)
{
  patcher p = {.tree = {.file = {"scene", "-s"}}, .text = text, .bytes = strlen(text)};
  rh_diag *diag = rh_diag_create();
  int root = RH_NONE;
  char *patched = NULL;
  if (diag != NULL &&
      rh_yaml_read(&p.tree, text, p.bytes, (rh_yaml_start){0}, diag, &root) == RH_OK) {
    patched = patch_value(&p, root, path, value);
  }
  rh_yaml_free(&p.tree);
  rh_diag_destroy(diag);
  return patched;
}
