// repeat.c: see repeat.h. No recursion: a stack of open lists, maps and repeats. An entry of a list with
// the key `repeat` is taken out; one copy of it after the other takes its place, each with its indexes.
#include "repeat.h"

#include "anchors.h"
#include "base/text.h"
#include "expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOO_BIG                                                                                    \
  "the repeats make the scene too big: they may add 8 million values, some 40 for a body with "    \
  "its joint and shape; scenes made in C or Python have no such limit"

enum { OPEN_MAX = 2 * RH_NODE_DEPTH + 2, ERRORS_MAX = 50 };

enum { TEXT_COST = 16 }; // so many bytes of text count as one value

typedef struct open_node {
  int node;         // a list or a map, or the list that a repeat adds to
  int child;        // to visit next; of a repeat: what follows its copies
  int before;       // child before that; of a repeat: the last copy
  int entry;        // that a repeat copies; RH_NONE: this is no repeat
  int nindex, base; // of a repeat: its indexes are variables from `base` on
  double first[RH_INDEXES_MAX], last[RH_INDEXES_MAX];
  bool begun;
} open_node;

typedef struct expander {
  rh_yaml *tree;
  rh_diag *diag;
  int root;
  int *left;
  rh_scope scope;
  open_node open[OPEN_MAX];
  int depth;
  int refused; // messages
} expander;

static rh_node *node_at(const expander *e, int node)
{
  return &e->tree->node[node];
}

static void refuse_at(expander *e, int node, size_t offset, const char *why)
{
  rh_place place = rh_yaml_place(e->tree, node);
  if (offset > 0) {
    place.column += (int)offset;
    place.length = 1;
  }
  rh_diag_add(e->diag, RH_ERROR, place, "%s", why);
  e->refused++;
}

// ---- Expressions

// The end of an expression that begins at `text`: its brace; NULL: none.
static const char *end_of(const char *text)
{
  return strchr(text, '}');
}

// Adds the value of an expression. False: reported.
static bool add_value(expander *e, rh_text *out, int node, const char *text, size_t start)
{
  rh_wrong wrong;
  char number[RH_NUMBER_MAX];
  double value = 0;
  const char *inside = text + start + 2;
  const char *end = end_of(inside);
  size_t bytes = end ? (size_t)(end - inside) : 0;
  size_t quote = node_at(e, node)->quoted;
  if (!end) {
    refuse_at(e, node, start + quote, "this '${' has no '}'");
    return false;
  }
  size_t blank = strspn(inside, " ");
  size_t length = rh_expression_word(inside + blank);
  bool alone = length > 0 && blank + length + strspn(inside + blank + length, " ") == bytes;
  const rh_variable *v = alone ? rh_scope_find(&e->scope, inside + blank, length) : NULL;
  if (v && v->text != RH_NONE) {
    rh_text_add(out, rh_yaml_text(e->tree, v->text));
    return true;
  }
  if (!rh_expression_read(inside, bytes, &e->scope, &value, &wrong)) {
    refuse_at(e, node, start + 2 + quote + wrong.at, wrong.why);
    return false;
  }
  (void)rh_number_write(value, number);
  rh_text_add(out, number);
  return true;
}

static rh_status put_text(expander *e, int node, const rh_text *out)
{
  if (out->size > RH_SCALAR_MAX || e->tree->count >= RH_NODE_MAX) {
    refuse_at(e, node, 0, "is too long: a value may have 64 KiB");
    return RH_OK;
  }
  *e->left -= (int)(out->size / TEXT_COST);
  if (*e->left < 0) {
    refuse_at(e, node, 0, TOO_BIG);
    return RH_INPUT_REFUSED;
  }
  int fresh = rh_yaml_add_text(e->tree, *node_at(e, node), out->data ? out->data : "", out->size);
  if (out->failed || fresh == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  node_at(e, node)->text = node_at(e, fresh)->text;
  node_at(e, node)->quoted = false;
  return RH_OK;
}

// Expressions of a scalar become their values; $${ is ${ itself.
static rh_status expand_scalar(expander *e, int node)
{
  const char *text = rh_yaml_text(e->tree, node);
  if (!strstr(text, "${")) {
    return RH_OK;
  }
  rh_text out = {0};
  bool good = true;
  for (size_t i = 0; good && text[i];) {
    bool escaped = strncmp(text + i, "$${", 3) == 0;
    if (escaped || strncmp(text + i, "${", 2) != 0) {
      rh_text_add_bytes(&out, escaped ? "${" : text + i, escaped ? 2 : 1);
      i += escaped ? 3 : 1;
      continue;
    }
    good = add_value(e, &out, node, text, i);
    const char *end = end_of(text + i);
    i = end ? (size_t)(end - text) + 1 : strlen(text);
  }
  rh_status status = good ? put_text(e, node, &out) : RH_OK;
  rh_text_free(&out);
  return status;
}

// ---- Parameters

static bool add_variable(expander *e, int key, double value, int text)
{
  const char *name = rh_yaml_text(e->tree, key);
  size_t length = rh_expression_word(name);
  if (length == 0 || name[length] || length >= RH_NAME_MAX) {
    refuse_at(e, key, 0, "must be a word of letters, digits and _ to be used in ${...}");
    return false;
  }
  if (e->scope.count == RH_VARIABLES_MAX) {
    refuse_at(e, key, 0, "too many parameters and indexes have a value here");
    return false;
  }
  e->scope.list[e->scope.count++] = (rh_variable){rh_name_of(name), value, text};
  return true;
}

static rh_status read_parameters(expander *e)
{
  int map = rh_yaml_find(e->tree, e->root, "parameters");
  if (map == RH_NONE) {
    return RH_OK;
  }
  if (node_at(e, map)->kind != RH_NODE_MAP || node_at(e, map)->count > RH_PARAMETERS_MAX) {
    refuse_at(e, map, 0, "parameters must be a map of names and values, 64 at most");
    return RH_OK;
  }
  for (int v = node_at(e, map)->first; v != RH_NONE; v = node_at(e, v)->next) {
    if (node_at(e, v)->kind != RH_NODE_SCALAR || rh_yaml_is_null(e->tree, v)) {
      refuse_at(e, v, 0, "a parameter must be a number or a text");
      continue;
    }
    RH_TRY(expand_scalar(e, v));
    double value = 0;
    const char *text = rh_yaml_text(e->tree, v);
    bool number = rh_number_read(text, &value) == strlen(text) && isfinite(value);
    (void)add_variable(e, node_at(e, v)->key, value, number ? RH_NONE : v);
  }
  return RH_OK;
}

// ---- Repeats

static bool read_count(expander *e, int node, double *count)
{
  const char *text = node_at(e, node)->kind == RH_NODE_SCALAR ? rh_yaml_text(e->tree, node) : "";
  size_t length = rh_number_read(text, count);
  if (length == 0 || text[length] || !(fabs(*count) <= RH_COPIES_MAX) || *count != floor(*count)) {
    refuse_at(e, node, 0, "repeat needs whole numbers up to a million: a count, or [first, last]");
    return false;
  }
  return true;
}

// One index: a count, or its first and last value.
static rh_status read_index(expander *e, int node, double *first, double *last)
{
  bool list = node_at(e, node)->kind == RH_NODE_LIST;
  int from = list ? node_at(e, node)->first : node;
  int to = from == RH_NONE ? from : node_at(e, from)->next;
  int refused = e->refused;
  *first = 0;
  *last = -1;
  if (list && node_at(e, node)->count != 2) {
    refuse_at(e, node, 0, "repeat needs whole numbers up to a million: a count, or [first, last]");
    return RH_OK;
  }
  for (int k = 0; k < 1 + list; k++) {
    int at = k == 0 ? from : to;
    if (node_at(e, at)->kind == RH_NODE_SCALAR) {
      RH_TRY(expand_scalar(e, at));
    }
  }
  if (e->refused > refused) {
    return RH_OK;
  }
  if (!list && read_count(e, from, last)) {
    *last -= 1;
  } else if (list && read_count(e, from, first)) {
    (void)read_count(e, to, last);
  }
  return RH_OK;
}

static rh_status read_indexes(expander *e, int node, open_node *repeat)
{
  bool map = node_at(e, node)->kind == RH_NODE_MAP;
  if (map && (node_at(e, node)->count == 0 || node_at(e, node)->count > RH_INDEXES_MAX)) {
    refuse_at(e, node, 0, "repeat takes 1 to 4 indexes");
    return RH_OK;
  }
  repeat->base = e->scope.count;
  for (int v = map ? node_at(e, node)->first : node; v != RH_NONE;
       v = map ? node_at(e, v)->next : RH_NONE) {
    int k = repeat->nindex;
    RH_TRY(read_index(e, v, &repeat->first[k], &repeat->last[k]));
    int key = node_at(e, v)->key;
    if (!map) { // the index of a plain count is i
      key = rh_yaml_add_text(e->tree, *node_at(e, key), "i", 1);
      if (key == RH_NONE) {
        return RH_OUT_OF_MEMORY;
      }
    }
    if (!add_variable(e, key, 0, RH_NONE)) {
      return RH_OK;
    }
    repeat->nindex++;
  }
  return RH_OK;
}

// Takes a child out of its list or map.
static void take_out(expander *e, int parent, int child, int before)
{
  int next = node_at(e, child)->next;
  *(before == RH_NONE ? &node_at(e, parent)->first : &node_at(e, before)->next) = next;
  node_at(e, parent)->count--;
}

static rh_status open_repeat(expander *e, int entry, int key)
{
  open_node *list = &e->open[e->depth - 1];
  if (e->depth == OPEN_MAX) {
    refuse_at(e, key, 0, "repeats are nested too deep");
    return RH_OK;
  }
  int before = RH_NONE;
  for (int v = node_at(e, entry)->first; v != key; v = node_at(e, v)->next) {
    before = v;
  }
  take_out(e, entry, key, before);
  take_out(e, list->node, entry, list->before);
  open_node repeat = {
      .node = list->node, .child = list->child, .before = list->before, .entry = entry};
  int scope = e->scope.count;
  int refused = e->refused;
  RH_TRY(read_indexes(e, key, &repeat));
  if (e->refused > refused) {
    e->scope.count = scope;
    return RH_OK;
  }
  e->open[e->depth++] = repeat;
  return RH_OK;
}

// The next values of the indexes; the last one is the fastest. False: there are none.
static bool advance_indexes(expander *e, open_node *repeat)
{
  rh_variable *index = &e->scope.list[repeat->base];
  if (!repeat->begun) {
    repeat->begun = true;
    for (int k = 0; k < repeat->nindex; k++) {
      index[k].value = repeat->first[k];
      if (repeat->last[k] < repeat->first[k]) {
        return false;
      }
    }
    return true;
  }
  for (int k = repeat->nindex - 1; k >= 0; k--) {
    if (index[k].value < repeat->last[k]) {
      index[k].value++;
      return true;
    }
    index[k].value = repeat->first[k];
  }
  return false;
}

static rh_status step_repeat(expander *e)
{
  open_node *repeat = &e->open[e->depth - 1];
  if (e->refused >= ERRORS_MAX || !advance_indexes(e, repeat)) {
    e->scope.count = repeat->base;
    e->open[e->depth - 2].before = repeat->before;
    e->depth--;
    return RH_OK;
  }
  int copy = RH_NONE;
  rh_status status = e->depth == OPEN_MAX
                         ? RH_INPUT_REFUSED
                         : rh_yaml_copy(e->tree, repeat->entry, RH_NODE_DEPTH, e->left, &copy);
  if (status == RH_INPUT_REFUSED) {
    refuse_at(e, repeat->entry, 0, TOO_BIG);
  }
  RH_TRY(status);
  int *link = repeat->before == RH_NONE ? &node_at(e, repeat->node)->first
                                        : &node_at(e, repeat->before)->next;
  *link = copy;
  node_at(e, copy)->next = repeat->child;
  node_at(e, repeat->node)->count++;
  repeat->before = copy;
  e->open[e->depth++] = (open_node){
      .node = copy, .child = node_at(e, copy)->first, .before = RH_NONE, .entry = RH_NONE};
  return RH_OK;
}

// ---- The walk

static bool is_apart(const expander *e, int parent, int child) // it is not expanded in its place
{
  const char *key = parent == e->root ? rh_yaml_text(e->tree, node_at(e, child)->key) : "";
  return strcmp(key, "templates") == 0 || strcmp(key, "parameters") == 0;
}

static rh_status step_node(expander *e)
{
  open_node *top = &e->open[e->depth - 1];
  int child = top->child;
  if (child == RH_NONE) {
    e->depth--;
    return RH_OK;
  }
  top->child = node_at(e, child)->next;
  bool list = node_at(e, top->node)->kind == RH_NODE_LIST;
  int repeat = list ? rh_yaml_find(e->tree, child, "repeat") : RH_NONE;
  if (repeat != RH_NONE) {
    return open_repeat(e, child, repeat);
  }
  top->before = child;
  if (is_apart(e, top->node, child)) {
    return RH_OK;
  }
  if (node_at(e, child)->kind == RH_NODE_SCALAR) {
    return expand_scalar(e, child);
  }
  if (e->depth == OPEN_MAX) {
    refuse_at(e, child, 0, "lists and maps are nested too deep");
    return RH_INPUT_REFUSED;
  }
  e->open[e->depth++] = (open_node){
      .node = child, .child = node_at(e, child)->first, .before = RH_NONE, .entry = RH_NONE};
  return RH_OK;
}

rh_status rh_yaml_expand(rh_yaml *tree, int root, int *left, rh_diag *diag)
{
  expander *e = rh_alloc(sizeof *e);
  if (!e) {
    return RH_OUT_OF_MEMORY;
  }
  *e = (expander){.tree = tree, .diag = diag, .root = root, .left = left};
  rh_status status = read_parameters(e);
  if (status == RH_OK && e->refused == 0) {
    e->open[e->depth++] = (open_node){
        .node = root, .child = node_at(e, root)->first, .before = RH_NONE, .entry = RH_NONE};
  }
  while (status == RH_OK && e->depth > 0) {
    status = e->open[e->depth - 1].entry == RH_NONE ? step_node(e) : step_repeat(e);
  }
  status = status == RH_OK && e->refused > 0 ? RH_INPUT_REFUSED : status;
  rh_free(e);
  return status;
}
