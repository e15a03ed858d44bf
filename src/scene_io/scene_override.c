// scene_override.c: overrides "path=value". They change the tree of nodes before it is read, so
// that the rules for the file apply to them. Their places have the file "-s", their number as line,
// and a column within their text.
#include "base/text.h"
#include "model/schema.h"
#include "scene_read.h"

#include <stdio.h>
#include <string.h>

#define PART_MAX 8 // parts of a path

typedef struct path {
  char part[PART_MAX][RH_NAME_MAX];
  int column[PART_MAX]; // from 0
  int count;
} path;

typedef struct setter {
  rh_yaml *tree;
  rh_diag *diag;
  int root;
  int line;   // index of the override
  bool early; // it changes what is included, or a parameter
  path path;
  int value; // its node
} setter;

static rh_place place_of(const setter *s, int part)
{
  return (rh_place){"-s", s->line + 1, s->path.column[part] + 1, (int)strlen(s->path.part[part])};
}

// ---- Reading an override

static rh_status refuse_text(rh_diag *diag, int line, int column, const char *why)
{
  rh_diag_add(diag, RH_ERROR, (rh_place){"-s", line + 1, column + 1, 0}, "%s", why);
  return RH_INPUT_REFUSED;
}

// Splits the text before '='; `*value` gets the start of the value.
static rh_status read_path(setter *s, const char *text, size_t *value)
{
  size_t end = strcspn(text, "=");
  if (text[end] != '=' || end == 0) {
    return refuse_text(s->diag, s->line, 0,
                       "an override reads path=value, for example rod.mass=2 or run.until=3");
  }
  s->path.count = 0;
  size_t at = 0;
  while (at <= end) {
    size_t length = strcspn(text + at, ".=");
    if (length == 0 || length >= RH_NAME_MAX || s->path.count == PART_MAX) {
      return refuse_text(s->diag, s->line, (int)at,
                         "the path is not section.entry.field, entry.field or section.field");
    }
    memcpy(s->path.part[s->path.count], text + at, length);
    s->path.part[s->path.count][length] = '\0';
    s->path.column[s->path.count++] = (int)at;
    at += length + 1;
  }
  char *last = s->path.part[s->path.count - 1];
  const char *present = rh_present_word(last);
  if (present != last) {
    (void)snprintf(last, RH_NAME_MAX, "%s", present);
  }
  *value = end + 1;
  return RH_OK;
}

// ---- Finding the target of the path

static bool is_map(const rh_yaml *tree, int node)
{
  return node != RH_NONE && tree->node[node].kind == RH_NODE_MAP;
}

static const char *scalar_at(const rh_yaml *tree, int map, const char *key)
{
  int node = is_map(tree, map) ? rh_yaml_find(tree, map, key) : RH_NONE;
  return node != RH_NONE && tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(tree, node)
                                                                    : NULL;
}

// The name of a list entry; a joint without one has the name of its child.
static const char *entry_name(const rh_yaml *tree, int entry, bool implied)
{
  const char *name = scalar_at(tree, entry, "name");
  return name || !implied ? name : scalar_at(tree, entry, "child");
}

static int find_entry(const rh_yaml *tree, int list, const char *name, bool implied)
{
  for (int e = tree->node[list].first; e != RH_NONE; e = tree->node[e].next) {
    const char *own = entry_name(tree, e, implied);
    if (own && strcmp(own, name) == 0) {
      return e;
    }
  }
  return RH_NONE;
}

static int entry_at(const rh_yaml *tree, int list, const char *digits)
{
  long index = 0;
  for (const char *d = digits; *d; d++) {
    if (*d < '0' || *d > '9' || index > RH_NODE_MAX) {
      return RH_NONE;
    }
    index = 10 * index + (*d - '0');
  }
  int e = tree->node[list].first;
  for (; index > 0 && e != RH_NONE; index--) {
    e = tree->node[e].next;
  }
  return e;
}

static int section_list(const rh_yaml *tree, int root, const rh_section *section)
{
  int node = section->list ? rh_yaml_find(tree, root, section->name) : RH_NONE;
  return node != RH_NONE && tree->node[node].kind == RH_NODE_LIST ? node : RH_NONE;
}

static const char *nearer_name(const char *name, const char *best, const char *candidate)
{
  const char *both[] = {best, candidate};
  return rh_nearest_name(name, both, 2);
}

static const char *nearest_entry(const rh_yaml *tree, int list, const char *name, const char *best)
{
  for (int e = tree->node[list].first; e != RH_NONE; e = tree->node[e].next) {
    best = nearer_name(name, best, entry_name(tree, e, true));
  }
  return best;
}

static rh_status refuse_part(const setter *s, int part, const char *what, const char *near)
{
  if (near) {
    rh_diag_add(s->diag, RH_ERROR, place_of(s, part), "%s '%s'; did you mean '%s'?", what,
                s->path.part[part], near);
  } else {
    rh_diag_add(s->diag, RH_ERROR, place_of(s, part), "%s '%s'", what, s->path.part[part]);
  }
  return RH_INPUT_REFUSED;
}

// Has the section this field, or a row of its entries this parameter?
static bool has_field(const rh_section *section, const char *name)
{
  if (rh_section_find_field(section, name) != RH_NONE) {
    return true;
  }
  for (int i = 0; i < section->nselect; i++) {
    const rh_selector *selector = &section->select[i];
    for (int row = 0; selector->row_at(row); row++) {
      if (rh_row_find(selector->row_at(row), name) != RH_NONE) {
        return true;
      }
    }
  }
  return false;
}

// Entries with the first name of the path, by section, RH_NONE: none; with `field`, only where the
// second part of the path is a field. Returns their number.
static int find_named(const setter *s, bool implied, bool field, int entry[RH_SECTION_COUNT])
{
  int count = 0;
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    int list = section_list(s->tree, s->root, &rh_sections[id]);
    bool wanted = list != RH_NONE && (!field || has_field(&rh_sections[id], s->path.part[1]));
    entry[id] = wanted ? find_entry(s->tree, list, s->path.part[0], implied) : RH_NONE;
    count += entry[id] != RH_NONE;
  }
  return count;
}

static rh_status refuse_ambiguous(const setter *s, int count, const int entry[RH_SECTION_COUNT])
{
  rh_text names = {0};
  const char *name = s->path.part[0];
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    if (entry[id] != RH_NONE) {
      count--;
      rh_text_addf(&names, "%s.%s%s", rh_sections[id].name, name,
                   count > 1 ? ", " : (count == 1 ? " or " : ""));
    }
  }
  rh_status status = names.failed ? RH_OUT_OF_MEMORY : RH_INPUT_REFUSED;
  rh_diag_add(s->diag, RH_ERROR, place_of(s, 0), "'%s' is ambiguous; write %s", name,
              names.failed ? "the section too" : names.data);
  rh_text_free(&names);
  return status;
}

// The path begins with no section: it must be the name of one list entry. Of several entries of
// that name the one with the field is meant; if none has it, the first one by its own name reports
// it.
static rh_status find_by_name(const setter *s, int *node)
{
  int entry[RH_SECTION_COUNT];
  int count = find_named(s, true, true, entry);
  if (count > 1) {
    return refuse_ambiguous(s, count, entry);
  }
  if (count == 0 && find_named(s, false, false, entry) == 0) {
    (void)find_named(s, true, false, entry);
  }
  const char *near = NULL;
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    if (entry[id] != RH_NONE) {
      *node = entry[id];
      return RH_OK;
    }
    int list = section_list(s->tree, s->root, &rh_sections[id]);
    near = nearer_name(s->path.part[0], near, rh_sections[id].name);
    near = list != RH_NONE ? nearest_entry(s->tree, list, s->path.part[0], near) : near;
  }
  return refuse_part(s, 0, "no section and no entry of the scene is called", near);
}

// ---- Changing the tree

static void replace_node(rh_yaml *tree, int node, int value)
{
  rh_node fresh = tree->node[value];
  fresh.next = tree->node[node].next;
  fresh.key = tree->node[node].key;
  tree->node[node] = fresh;
}

static rh_status append_key(const setter *s, int map, int part, int value)
{
  rh_place place = place_of(s, part);
  rh_node at = {.file = 1, .line = place.line, .column = place.column, .length = place.length};
  int key = rh_yaml_add_text(s->tree, at, s->path.part[part], strlen(s->path.part[part]));
  if (key == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  int last = s->tree->node[map].first;
  while (last != RH_NONE && s->tree->node[last].next != RH_NONE) {
    last = s->tree->node[last].next;
  }
  s->tree->node[value].key = key;
  rh_yaml_link(s->tree, map, value, last);
  return RH_OK;
}

static rh_status append_map(const setter *s, int part, int *node)
{
  rh_place place = place_of(s, part);
  rh_node map = {.kind = RH_NODE_MAP,
                 .file = 1,
                 .line = place.line,
                 .column = place.column,
                 .length = place.length};
  *node = rh_yaml_add(s->tree, map);
  return *node == RH_NONE ? RH_OUT_OF_MEMORY : append_key(s, s->root, part, *node);
}

static const rh_section *find_section(const char *name)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    if (strcmp(rh_sections[id].name, name) == 0) {
      return &rh_sections[id];
    }
  }
  return NULL;
}

static bool is_early(const char *text)
{
  static const char *const first[] = {"include.", "parameters.", "run.keyframe="};
  bool early = false;
  for (int i = 0; i < RH_COUNT(first); i++) {
    early = early || strncmp(text, first[i], strlen(first[i])) == 0;
  }
  return early;
}

// The node of the first part of the path.
static rh_status find_start(const setter *s, int *node)
{
  if (s->early) {
    *node = rh_yaml_find(s->tree, s->root, s->path.part[0]);
    return *node == RH_NONE ? append_map(s, 0, node) : RH_OK;
  }
  const rh_section *section = find_section(s->path.part[0]);
  if (!section) {
    return find_by_name(s, node);
  }
  *node = rh_yaml_find(s->tree, s->root, section->name);
  if (*node == RH_NONE && !section->list) {
    return append_map(s, 0, node);
  }
  return *node != RH_NONE ? RH_OK : refuse_part(s, 0, "the scene has no section", NULL);
}

// The part of a map or a list that a name means; RH_NONE: there is none.
static int find_child(const rh_yaml *tree, int node, const char *name)
{
  if (tree->node[node].kind == RH_NODE_MAP) {
    return rh_yaml_find(tree, node, name);
  }
  int child = RH_NONE;
  if (tree->node[node].kind == RH_NODE_LIST) {
    child = entry_at(tree, node, name);
    child = child != RH_NONE ? child : find_entry(tree, node, name, false);
    child = child != RH_NONE ? child : find_entry(tree, node, name, true);
  }
  return child;
}

static rh_status step_down(const setter *s, int part, int *node)
{
  rh_yaml *tree = s->tree;
  const char *name = s->path.part[part];
  int child = find_child(tree, *node, name);
  bool map = tree->node[*node].kind == RH_NODE_MAP;
  if (map && child == RH_NONE && part + 1 == s->path.count) {
    return append_key(s, *node, part, s->value);
  }
  if (child == RH_NONE) {
    bool list = tree->node[*node].kind == RH_NODE_LIST;
    return refuse_part(s, part, "there is no entry",
                       list ? nearest_entry(tree, *node, name, NULL) : NULL);
  }
  if (part + 1 == s->path.count) {
    replace_node(tree, child, s->value);
  }
  *node = child;
  return RH_OK;
}

static rh_status set_path(setter *s)
{
  int node = RH_NONE;
  RH_TRY(find_start(s, &node));
  for (int part = 1; part < s->path.count; part++) {
    RH_TRY(step_down(s, part, &node));
  }
  return RH_OK;
}

static void remove_key(rh_yaml *tree, int map, const char *key)
{
  int before = RH_NONE;
  for (int v = tree->node[map].first; v != RH_NONE; v = tree->node[v].next) {
    if (strcmp(rh_yaml_text(tree, tree->node[v].key), key) == 0) {
      *(before == RH_NONE ? &tree->node[map].first : &tree->node[before].next) = tree->node[v].next;
      return;
    }
    before = v;
  }
}

static rh_status set_word(setter *s, const char *key, const char *text)
{
  (void)snprintf(s->path.part[1], RH_NAME_MAX, "%s", key);
  int fresh = rh_yaml_add_text(s->tree, s->tree->node[s->value], text, strlen(text));
  if (fresh == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  s->value = fresh;
  return set_path(s);
}

// run.stepper=moreau, cvode, ...: the old name of engine and integrator (old_words.c).
static rh_status set_stepper(setter *s)
{
  char value[RH_NAME_MAX];
  (void)snprintf(value, sizeof value, "%s", rh_yaml_text(s->tree, s->value));
  rh_stepper_words now = rh_stepper_now(value);
  RH_TRY(set_word(s, "engine", now.engine));
  if (now.integrator) {
    return set_word(s, "integrator", now.integrator);
  }
  int run = rh_yaml_find(s->tree, s->root, "run");
  if (is_map(s->tree, run)) {
    remove_key(s->tree, run, "integrator");
  }
  return RH_OK;
}

static rh_status apply_override(setter *s, const char *text)
{
  if (strcspn(text, "\n\r") != strlen(text)) {
    return refuse_text(s->diag, s->line, 0, "an override must be one line");
  }
  size_t start = 0;
  RH_TRY(read_path(s, text, &start));
  if (s->path.count < 2) {
    return refuse_part(s, 0, "the path lacks a field after", NULL);
  }
  rh_yaml_start from = {1, s->line, (int)start};
  RH_TRY(rh_yaml_read(s->tree, text + start, strlen(text + start), from, s->diag, &s->value));
  bool stepper = s->path.count == 2 && strcmp(s->path.part[0], "run") == 0 &&
                 strcmp(s->path.part[1], "stepper") == 0 &&
                 s->tree->node[s->value].kind == RH_NODE_SCALAR;
  return stepper ? set_stepper(s) : set_path(s);
}

// The overrides as a source, one per line, so that messages can show them.
static rh_status register_source(const char *const *set, int nset, rh_diag *diag)
{
  rh_text all = {0};
  for (int i = 0; i < nset; i++) {
    size_t start = all.size;
    rh_text_add(&all, set[i]);
    for (size_t j = start; j < all.size; j++) {
      if (all.data[j] == '\n') {
        all.data[j] = ' ';
      }
    }
    rh_text_add(&all, "\n");
  }
  if (!all.failed) {
    rh_diag_add_source(diag, "-s", all.data, all.size);
  }
  rh_status status = all.failed ? RH_OUT_OF_MEMORY : RH_OK;
  rh_text_free(&all);
  return status;
}

rh_status rh_yaml_override(rh_yaml *tree, int root, const rh_scene_opt *opt, bool early,
                           rh_diag *diag)
{
  if (opt->nset == 0) {
    return RH_OK;
  }
  tree->file[1] = "-s";
  if (early) {
    RH_TRY(register_source(opt->set, opt->nset, diag));
  }
  rh_status worst = RH_OK;
  for (int i = 0; i < opt->nset; i++) {
    setter s = {.tree = tree, .diag = diag, .root = root, .line = i, .early = early};
    rh_status status = is_early(opt->set[i]) == early ? apply_override(&s, opt->set[i]) : RH_OK;
    worst = worst == RH_OK || status == RH_OUT_OF_MEMORY ? status : worst;
  }
  return worst;
}

rh_status rh_yaml_look_up(rh_yaml *tree, int root, const char *at, rh_diag *diag, int *node)
{
  rh_text text = {0};
  size_t value = 0;
  rh_text_addf(&text, "%s=", at);
  if (text.failed) {
    return RH_OUT_OF_MEMORY;
  }
  tree->file[1] = "-s";
  setter s = {.tree = tree, .diag = diag, .root = root, .early = is_early(at)};
  rh_status status = read_path(&s, text.data, &value);
  rh_text_free(&text);
  if (status == RH_OK) {
    status = find_start(&s, node);
  }
  for (int part = 1; status == RH_OK && part < s.path.count; part++) {
    *node = find_child(tree, *node, s.path.part[part]);
    if (*node == RH_NONE) {
      status = refuse_part(&s, part, "there is no value", NULL);
    }
  }
  return status;
}
