// scene_value.c: the values of a record: numbers with units, vectors, lists, words, names, by the
// type in their row. An infinite number is inf, -inf, .inf or -.inf, and allowed only where its
// range ends at infinity.
#include "scene_entry.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const rh_node *node_at(const rh_reader *r, int node)
{
  return &r->tree->node[node];
}

static bool infinite_word(const char *text, double *value)
{
  bool minus = *text == '-';
  text += minus || *text == '+';
  text += *text == '.';
  *value = minus ? -HUGE_VAL : HUGE_VAL;
  return strcmp(text, "inf") == 0 || strcmp(text, "Inf") == 0 || strcmp(text, "INF") == 0;
}

// One number of a parameter. False, and `why`, if it is invalid or out of range.
static bool read_number(const rh_reader *r, const rh_param *param, int node, double *value,
                        char *why)
{
  if (node_at(r, node)->kind != RH_NODE_SCALAR || rh_yaml_is_null(r->tree, node)) {
    const char *what = param->type == RH_INTEGER ? "whole number" : "number";
    snprintf(why, RH_WHY_MAX, "must be a %s, got %s", what, rh_yaml_what(r->tree, node));
    return false;
  }
  const char *text = rh_yaml_text(r->tree, node);
  if (!infinite_word(text, value) && !rh_unit_parse(text, param->unit, value, why)) {
    return false;
  }
  if (param->type == RH_INTEGER && isfinite(*value) && *value != floor(*value)) {
    snprintf(why, RH_WHY_MAX, "must be a whole number, got %.40s", text);
    return false;
  }
  if (param->type == RH_INTEGER && fabs(*value) > INT_MAX) {
    snprintf(why, RH_WHY_MAX, "must be a smaller whole number, got %.40s", text);
    return false;
  }
  return rh_param_check(param, *value, why);
}

// All numbers of a vector or list. Returns their number, RH_NONE if one was refused.
static int read_numbers(const rh_entry *e, const rh_param *param, int node, double x[RH_LIST_MAX])
{
  char why[RH_WHY_MAX];
  const rh_reader *r = e->r;
  bool list = param->type == RH_LIST;
  if (node_at(r, node)->kind != RH_NODE_LIST) {
    if (list && node_at(r, node)->kind == RH_NODE_SCALAR && read_number(r, param, node, x, why)) {
      return 1;
    }
    if (!list || node_at(r, node)->kind != RH_NODE_SCALAR || rh_yaml_is_null(r->tree, node)) {
      snprintf(why, sizeof why, "must be a list of %s%d numbers, got %s", list ? "up to " : "",
               param->count, rh_yaml_what(r->tree, node));
    }
    rh_entry_refuse(e, node, param->name, why);
    return RH_NONE;
  }
  int count = node_at(r, node)->count;
  if (list ? count > param->count : count != param->count) {
    snprintf(why, sizeof why, "must be a list of %s%d numbers, got %d", list ? "up to " : "",
             param->count, count);
    rh_entry_refuse(e, node, param->name, why);
    return RH_NONE;
  }
  int n = 0;
  bool good = true;
  for (int v = node_at(r, node)->first; v != RH_NONE; v = node_at(r, v)->next, n++) {
    if (!read_number(r, param, v, &x[n], why)) {
      char key[RH_NAME_MAX + 16];
      snprintf(key, sizeof key, "%.63s[%d]", param->name, n);
      rh_entry_refuse(e, v, key, why);
      good = false;
    }
  }
  return good ? n : RH_NONE;
}

// ---- Long lists: the numbers of a list and of its inner lists, in order

typedef struct walk {
  int up[RH_NODE_DEPTH]; // next nodes of the open lists
  int depth;
} walk;

// The next node that is no list, RH_NONE at the end.
static int next_leaf(const rh_reader *r, walk *w)
{
  while (w->depth > 0) {
    int node = w->up[w->depth - 1];
    if (node == RH_NONE) {
      w->depth--;
      continue;
    }
    w->up[w->depth - 1] = node_at(r, node)->next;
    if (node_at(r, node)->kind != RH_NODE_LIST || w->depth == RH_NODE_DEPTH) {
      return node;
    }
    w->up[w->depth++] = node_at(r, node)->first;
  }
  return RH_NONE;
}

static int count_leaves(const rh_reader *r, int list)
{
  walk w = {{node_at(r, list)->first}, 1};
  int count = 0;
  while (next_leaf(r, &w) != RH_NONE) {
    count++;
  }
  return count;
}

static void read_leaves(const rh_entry *e, const rh_param *param, int node, rh_numbers *numbers)
{
  char why[RH_WHY_MAX];
  walk w = {{node_at(e->r, node)->first}, 1};
  double *x = rh_alloc((size_t)numbers->n * sizeof *x);
  int i = 0;
  for (int v = next_leaf(e->r, &w); x && v != RH_NONE; v = next_leaf(e->r, &w), i++) {
    if (!read_number(e->r, param, v, &x[i], why)) {
      char key[RH_NAME_MAX + 16];
      snprintf(key, sizeof key, "%.63s[%d]", param->name, i);
      rh_entry_refuse(e, v, key, why);
    }
  }
  numbers->x = x;
  if (!x) {
    numbers->n = 0;
    e->r->no_memory = true;
  }
}

static void read_long_list(const rh_entry *e, const rh_param *param, int node, rh_numbers *numbers)
{
  char why[RH_WHY_MAX];
  if (node_at(e->r, node)->kind != RH_NODE_LIST) {
    snprintf(why, sizeof why, "must be a list of numbers, got %s", rh_yaml_what(e->r->tree, node));
    rh_entry_refuse(e, node, param->name, why);
    return;
  }
  int n = count_leaves(e->r, node);
  if (n > param->count) {
    snprintf(why, sizeof why, "must be at most %d numbers, got %d", param->count, n);
    rh_entry_refuse(e, node, param->name, why);
  } else if (n > 0) {
    numbers->n = n;
    read_leaves(e, param, node, numbers);
  }
}

// The characters of a text or of a list of texts.
static void read_packed(const rh_entry *e, const rh_param *param, int node, rh_packed *packed)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const rh_reader *r = e->r;
  char why[RH_WHY_MAX];
  bool list = node_at(r, node)->kind == RH_NODE_LIST;
  size_t n = 0;
  for (int v = list ? node_at(r, node)->first : node; v != RH_NONE;
       v = list ? node_at(r, v)->next : RH_NONE) {
    const char *text = node_at(r, v)->kind == RH_NODE_SCALAR ? rh_yaml_text(r->tree, v) : "?";
    size_t length = strspn(text, digits);
    n += length;
    if (text[length] != '\0' || n > (size_t)param->count) {
      snprintf(why, sizeof why, "must be at most %d characters of base64, in one text or a list",
               param->count);
      rh_entry_refuse(e, v, param->name, why);
      return;
    }
  }
  char *x = n > 0 ? rh_alloc(n) : NULL;
  if (n > 0 && !x) {
    e->r->no_memory = true;
    return;
  }
  packed->x = x;
  for (int v = list ? node_at(r, node)->first : node; v != RH_NONE && n > 0;
       v = list ? node_at(r, v)->next : RH_NONE) {
    for (const char *text = rh_yaml_text(r->tree, v); *text; text++) {
      x[packed->n++] = *text;
    }
  }
}

void rh_entry_free_numbers(const rh_entry *e)
{
  for (int i = 0; i < e->section->nfield; i++) {
    rh_value_type type = e->section->field[i].param.type;
    const void *at = (const char *)e->def + e->section->field[i].offset;
    void *mine = NULL; // the scene sees them as const
    if (type == RH_NUMBERS) {
      memcpy(&mine, &((const rh_numbers *)at)->x, sizeof mine);
    } else if (type == RH_PACKED) {
      memcpy(&mine, &((const rh_packed *)at)->x, sizeof mine);
    }
    rh_free(mine);
  }
}

static void read_path(const rh_entry *e, const rh_param *param, int node, rh_path *path)
{
  char why[RH_WHY_MAX];
  const rh_node *n = node_at(e->r, node);
  const char *text = n->kind == RH_NODE_SCALAR ? rh_yaml_text(e->r->tree, node) : NULL;
  if (text && !*text && n->quoted) {
    memset(path, 0, sizeof *path); // "" means none
  } else if (!text || rh_yaml_is_null(e->r->tree, node)) {
    snprintf(why, sizeof why, "must be the name of a file, got %s", rh_yaml_what(e->r->tree, node));
    rh_entry_refuse(e, node, param->name, why);
  } else if (strlen(text) > RH_PATH_MAX - 2) {
    snprintf(why, sizeof why, "must have at most %d characters", RH_PATH_MAX - 2);
    rh_entry_refuse(e, node, param->name, why);
  } else {
    *path = rh_path_of(text);
  }
}

static int read_flag(const rh_entry *e, const rh_param *param, int node)
{
  static const char *const words[] = {"no", "yes", "false", "true"};
  bool scalar = node_at(e->r, node)->kind == RH_NODE_SCALAR;
  for (int i = 0; scalar && i < RH_COUNT(words); i++) {
    if (strcmp(rh_yaml_text(e->r->tree, node), words[i]) == 0) {
      return i % 2;
    }
  }
  rh_entry_refuse(e, node, param->name, "must be yes or no");
  return RH_NONE;
}

// Index of the word among the parameter's choices.
static int read_choice(const rh_entry *e, const rh_param *param, int node)
{
  bool scalar = node_at(e->r, node)->kind == RH_NODE_SCALAR;
  int index = scalar ? rh_word_index(param->choices, rh_yaml_text(e->r->tree, node)) : RH_NONE;
  if (index == RH_NONE) {
    rh_entry_refuse_choice(e, param, node);
  }
  return index;
}

// Length of a name without the number of a part of a mesh, "bowl/2": so are the parts of a divided mesh
// called where a scene is written.
static size_t length_before_part(const char *text)
{
  const char *slash = strchr(text, '/');
  bool part = slash && slash[1] >= '1' && slash[1] <= '9' &&
              slash[1 + strspn(slash + 1, "0123456789")] == '\0';
  return part ? (size_t)(slash - text) : strlen(text);
}

// Names hold letters, digits, '_' and '-', and are no bare number: paths and channels use dots and
// numbers.
static bool good_name(const char *text, char *why)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  size_t length = strlen(text);
  size_t good = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
  if (good < length_before_part(text)) {
    snprintf(why, RH_WHY_MAX, "must be made of letters, digits, '_' and '-', got '%.80s'", text);
  } else if (strcspn(text, letters) == length) {
    snprintf(why, RH_WHY_MAX, "must have a letter in it, got '%.80s'", text);
  } else if (length >= RH_NAME_MAX) {
    snprintf(why, RH_WHY_MAX, "must have at most %d characters, got %zu", RH_NAME_MAX - 1, length);
  } else {
    return true;
  }
  return false;
}

bool rh_entry_read_name(const rh_entry *e, const rh_schema_field *field, int node, rh_name *name)
{
  char why[RH_WHY_MAX];
  const char *text =
      node_at(e->r, node)->kind == RH_NODE_SCALAR ? rh_yaml_text(e->r->tree, node) : NULL;
  if (text && !*text && node_at(e->r, node)->quoted && !field->required) {
    memset(name, 0, sizeof *name); // "" means none
    return true;
  }
  if (!text || !*text || rh_yaml_is_null(e->r->tree, node)) {
    snprintf(why, sizeof why, "must be a name, got %s",
             text && !*text ? "nothing" : rh_yaml_what(e->r->tree, node));
  } else if (good_name(text, why)) {
    *name = rh_name_of(text);
    return true;
  }
  rh_entry_refuse(e, node, field->param.name, why);
  return false;
}

// Stores `n` numbers of a list without touching the padding: equal defs are equal byte for byte.
static void store_list(rh_list *list, const double *x, int n)
{
  list->n = n;
  memset(list->x, 0, sizeof list->x);
  memcpy(list->x, x, (size_t)n * sizeof(double));
}

void rh_entry_read_field(rh_entry *e, int index, int node)
{
  const rh_schema_field *field = &e->section->field[index];
  void *at = (char *)e->def + field->offset;
  double x[RH_LIST_MAX];
  char why[RH_WHY_MAX];
  int n = RH_NONE;
  e->origin.field[index] = rh_entry_place(e->r, node);
  switch (field->param.type) {
  case RH_NUMBER:
  case RH_INTEGER:
    if (!read_number(e->r, &field->param, node, x, why)) {
      rh_entry_refuse(e, node, field->param.name, why);
    } else if (field->param.type == RH_NUMBER) {
      *(double *)at = x[0];
    } else {
      *(int *)at = (int)x[0];
    }
    return;
  case RH_VECTOR:
  case RH_LIST:
    n = read_numbers(e, &field->param, node, x);
    if (n != RH_NONE && field->param.type == RH_VECTOR) {
      memcpy(at, x, (size_t)n * sizeof(double));
    } else if (n != RH_NONE) {
      store_list(at, x, n);
    }
    return;
  case RH_FLAG:
    *(bool *)at = read_flag(e, &field->param, node) == 1;
    return;
  case RH_CHOICE:
    *(int *)at = read_choice(e, &field->param, node);
    return;
  case RH_TEXT:
    (void)rh_entry_read_name(e, field, node, at);
    return;
  case RH_NUMBERS:
    read_long_list(e, &field->param, node, at);
    return;
  case RH_PATH:
    read_path(e, &field->param, node, at);
    return;
  case RH_PACKED:
    read_packed(e, &field->param, node, at);
    return;
  }
}

void rh_entry_read_par(rh_entry *e, int which, int index, int node)
{
  const rh_row *row = e->row[which];
  char unit[RH_UNIT_MAX];
  double *all = rh_section_par(e->section, which, e->def);
  double *par = all + rh_row_offset(row, index);
  rh_param as = row->param[index];
  as.unit = rh_param_unit(row, index, all, unit);
  const rh_param *param = &as;
  double x[RH_LIST_MAX];
  char why[RH_WHY_MAX];
  int n = 1;
  e->origin.par[which][index] = rh_entry_place(e->r, node);
  if (param->type == RH_VECTOR || param->type == RH_LIST) {
    n = read_numbers(e, param, node, x);
  } else if (param->type == RH_FLAG) {
    x[0] = read_flag(e, param, node);
  } else if (param->type == RH_CHOICE) {
    x[0] = read_choice(e, param, node);
  } else if (!read_number(e->r, param, node, x, why)) {
    rh_entry_refuse(e, node, param->name, why);
    n = RH_NONE;
  }
  for (int i = 0; i < n; i++) {
    par[i] = x[i];
  }
}
