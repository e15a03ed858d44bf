// scene_errors.c: messages about a refused record, with suggestions of names.
#include "base/text.h"
#include "scene_entry.h"

#include <stdio.h>
#include <string.h>

rh_place rh_entry_place(const rh_reader *r, int node)
{
  rh_place place = rh_yaml_place(r->tree, node);
  place.file = r->file[r->tree->node[node].file];
  return place;
}

#define LABEL_MAX 160
#define KEY_MAX   128  // keys considered for "did you mean"
#define ENOUGH    1000 // messages after which none is kept

// "rod" or "shapes[2]": name of an entry in messages.
static void write_label(const rh_entry *e, char label[LABEL_MAX])
{
  int name = e->section->list ? rh_yaml_find(e->r->tree, e->node, "name") : RH_NONE;
  bool named = name != RH_NONE && e->r->tree->node[name].kind == RH_NODE_SCALAR &&
               *rh_yaml_text(e->r->tree, name);
  if (named) {
    snprintf(label, LABEL_MAX, "%.64s", rh_yaml_text(e->r->tree, name));
  } else if (e->section->list) {
    snprintf(label, LABEL_MAX, "%s[%d]", e->section->name, e->index);
  } else {
    snprintf(label, LABEL_MAX, "%s", e->section->name);
  }
}

void rh_entry_refuse(const rh_entry *e, int node, const char *key, const char *why)
{
  char label[LABEL_MAX];
  write_label(e, label);
  bool sentence = strncmp(why, "must ", 5) == 0 || strncmp(why, "is ", 3) == 0;
  rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, node), "%s.%s%s %s", label, key,
              sentence ? "" : ":", why);
  e->r->refused = true;
}

void rh_entry_refuse_row(const rh_entry *e, int which, int node, const char *name)
{
  const rh_selector *selector = &e->section->select[which];
  char label[LABEL_MAX];
  const char *names[KEY_MAX];
  rh_text list = {0};
  int count = 0;
  for (const rh_row *row = selector->row_at(0); row && count < KEY_MAX;
       row = selector->row_at(count)) {
    rh_text_addf(&list, "%s%s", count > 0 ? ", " : "", row->name);
    names[count++] = row->name;
  }
  const char *near = rh_nearest_name(name, names, count);
  write_label(e, label);
  rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, node),
              "%s.%s: no %s is called '%.60s'; %s%s%sthere are %s", label,
              e->section->field[selector->field].param.name, selector->kind, name,
              near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
              list.failed ? "others" : list.data);
  rh_text_free(&list);
  e->r->refused = true;
}

// ---- Unknown keys

typedef struct guess { // possible keys, and their meanings
  const char *word[KEY_MAX];
  const char *means[KEY_MAX];
  int count;
} guess;

static void add_guess(guess *g, const char *word, const char *means)
{
  if (g->count < KEY_MAX) {
    g->word[g->count] = word;
    g->means[g->count++] = means;
  }
}

// Names of the keys of a scene in other programs.
static const char *const synonym[][2] = {
    {"weight", "mass"},      {"centre", "com"},     {"center", "com"},
    {"type", "kind"},        {"joint", "kind"},     {"pos", "at"},
    {"position", "at"},      {"origin", "at"},      {"xyz", "at"},
    {"stiffness", "spring"}, {"damping", "damper"}, {"restitution", "bounce"},
    {"range", "limits"},     {"torque", "effort"},  {"command", "effort"},
    {"angle", "position"},   {"value", "position"}, {"solver", "engine"},
    {"duration", "until"},   {"length", "until"},   {"end", "until"},
    {"step", "every"},       {"dt", "every"},       {"start", "from"},
    {"lock", "held"},        {"locked", "held"},    {"angles", "rpy"},
    {"inertial", "inertia"},
};

static void add_synonyms(guess *g, const char *meant)
{
  for (int i = 0; i < RH_COUNT(synonym); i++) {
    if (strcmp(synonym[i][1], meant) == 0) {
      add_guess(g, synonym[i][0], meant);
    }
  }
}

static bool any_row_has(const rh_selector *selector, const char *key)
{
  for (int i = 0; selector->row_at(i); i++) {
    if (rh_row_find(selector->row_at(i), key) != RH_NONE) {
      return true;
    }
  }
  return false;
}

static void list_keys(const guess *g, rh_text *list)
{
  for (int i = 0; i < g->count; i++) {
    if (g->word[i] == g->means[i]) {
      rh_text_addf(list, "%s%s", list->size > 0 ? ", " : "", g->word[i]);
    }
  }
}

// Was a row misnamed that this key may belong to? Then the key may be right.
static bool may_belong_to_a_row(const rh_entry *e, const char *key)
{
  for (int i = 0; i < e->section->nselect; i++) {
    const rh_selector *selector = &e->section->select[i];
    if (!e->row[i] && rh_selector_applies(selector, e->def) && any_row_has(selector, key)) {
      return true;
    }
  }
  return false;
}

// An override selected another row than the file: values of the old row are unused, but no error.
// The overridden selector, RH_NONE if none.
static int row_left_behind(const rh_entry *e, int key_node)
{
  const rh_section *section = e->section;
  const rh_yaml *tree = e->r->tree;
  for (int i = section->nselect - 1; i >= 0; i--) {
    const rh_selector *selector = &section->select[i];
    int by = rh_selector_applies(selector, e->def) ? i : selector->by; // the row that rules it out
    const rh_schema_field *field = &section->field[section->select[by].field];
    int chosen = rh_yaml_find(tree, e->node, field->param.name);
    if (e->row[by] && chosen != RH_NONE && tree->node[chosen].file == 1 &&
        tree->node[key_node].file != 1 && any_row_has(selector, rh_yaml_text(tree, key_node))) {
      return by;
    }
  }
  return RH_NONE;
}

void rh_entry_refuse_key(const rh_entry *e, int key_node)
{
  const char *key = rh_yaml_text(e->r->tree, key_node);
  const rh_section *section = e->section;
  if (may_belong_to_a_row(e, key)) {
    return;
  }
  int left = row_left_behind(e, key_node);
  if (left != RH_NONE) {
    rh_diag_add(e->r->diag, RH_WARNING, rh_entry_place(e->r, key_node),
                "%s is not used: -s chose %s, which has no such parameter", key,
                e->row[left]->name);
    return;
  }
  e->r->refused = true;
  if (rh_diag_count(e->r->diag, RH_ERROR) > ENOUGH) {
    rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, key_node), "unknown key");
    return;
  }
  guess g = {.count = 0};
  for (int i = 0; i < section->nfield; i++) {
    add_guess(&g, section->field[i].param.name, section->field[i].param.name);
  }
  for (int k = 0; k < section->nselect; k++) {
    for (int i = 0; e->row[k] && i < e->row[k]->nparam; i++) {
      add_guess(&g, e->row[k]->param[i].name, e->row[k]->param[i].name);
    }
  }
  int own = g.count;
  for (int i = 0; i < section->nfield; i++) {
    add_synonyms(&g, section->field[i].param.name);
  }
  const char *word = rh_nearest_name(key, g.word, g.count);
  char label[LABEL_MAX];
  rh_text list = {0};
  write_label(e, label);
  if (word) {
    int i = 0;
    while (g.word[i] != word) {
      i++;
    }
    rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, key_node),
                "%s: unknown key '%.60s'; did you mean '%s'?", label, key, g.means[i]);
    return;
  }
  const rh_row *row = e->row[0];
  for (int k = 1; k < section->nselect; k++) { // an integrator states more than its engine
    row = section->select[k].usual && e->row[k] ? e->row[k] : row;
  }
  g.count = own;
  list_keys(&g, &list);
  rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, key_node),
              "%s: unknown key '%.60s'; a %s%s%s takes %s", label, key, row ? row->name : "",
              row ? " " : "", section->item, list.failed ? "others" : list.data);
  rh_text_free(&list);
}

// ---- Choices

int rh_word_index(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (int i = 0; *words; i++) {
    size_t n = strcspn(words, "|");
    if (n == length && memcmp(words, word, n) == 0) {
      return i;
    }
    words += n + (words[n] == '|');
  }
  return RH_NONE;
}

// The words of "one|two|three" one by one; `room` holds them.
static void cut_words(guess *g, const char *words, char *room, size_t size)
{
  snprintf(room, size, "%s", words);
  for (char *word = room; word; word = strchr(word, '|')) {
    word += word > room; // past the bar
    add_guess(g, word, NULL);
  }
  for (char *bar = strchr(room, '|'); bar; bar = strchr(bar + 1, '|')) {
    *bar = 0;
  }
}

void rh_entry_refuse_choice(const rh_entry *e, const rh_param *param, int node)
{
  guess g = {.count = 0};
  char room[RH_WHY_MAX];
  cut_words(&g, param->choices, room, sizeof room);
  bool scalar = e->r->tree->node[node].kind == RH_NODE_SCALAR && !rh_yaml_is_null(e->r->tree, node);
  const char *text = scalar ? rh_yaml_text(e->r->tree, node) : NULL;
  const char *near = text ? rh_nearest_name(text, g.word, g.count) : NULL;
  rh_text list = {0};
  for (int i = 0; i < g.count; i++) {
    rh_text_addf(&list, "%s%s", i == 0 ? "" : i + 1 == g.count ? " or " : ", ", g.word[i]);
  }
  char why[RH_WHY_MAX];
  snprintf(why, sizeof why, "must be %.120s, got %s%.40s%s%s%.30s%s",
           list.failed ? "another word" : list.data, text ? "'" : "",
           text ? text : rh_yaml_what(e->r->tree, node), text ? "'" : "", RH_DID_YOU_MEAN(near));
  rh_text_free(&list);
  rh_entry_refuse(e, node, param->name, why);
}
