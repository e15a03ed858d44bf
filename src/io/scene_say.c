// scene_say.c: what is said about a record that is refused, with the names it could have meant.
#include "base/text.h"
#include "io/scene_entry.h"

#include <routh/kind.h>

#include <stdio.h>
#include <string.h>

#define LABEL_MAX 160
#define KEY_MAX   128  // keys considered for "did you mean"
#define ENOUGH    1000 // messages after which none is kept, so that no care is needed

// "rod" or "shapes[2]": how messages call an entry.
static void write_label(const rh_entry *e, char label[LABEL_MAX])
{
  int name = e->section->list ? rh_tree_find(e->r->tree, e->node, "name") : RH_NONE;
  bool named = name != RH_NONE && e->r->tree->node[name].kind == RH_NODE_SCALAR &&
               *rh_tree_text(e->r->tree, name);
  if (named) {
    snprintf(label, LABEL_MAX, "%.64s", rh_tree_text(e->r->tree, name));
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

// ---- Rows by number, for the list of names in a message.

static const rh_row *row_at(const rh_section *section, int index)
{
  int count = 0;
  const rh_joint *const *joint = rh_joint_table(&count);
  if (strcmp(section->kind, "joint") == 0) {
    return index < count ? &joint[index]->row : NULL;
  }
  const rh_shape *const *shape = rh_shape_table(&count);
  if (strcmp(section->kind, "shape") == 0) {
    return index < count ? &shape[index]->row : NULL;
  }
  const rh_stepper *const *stepper = rh_stepper_table(&count);
  return index < count ? &stepper[index]->row : NULL;
}

void rh_entry_refuse_row(const rh_entry *e, int node, const char *name)
{
  char label[LABEL_MAX];
  const char *names[KEY_MAX];
  rh_text list = {0};
  int count = 0;
  for (const rh_row *row = row_at(e->section, 0); row && count < KEY_MAX;
       row = row_at(e->section, count)) {
    rh_text_addf(&list, "%s%s", count > 0 ? ", " : "", row->name);
    names[count++] = row->name;
  }
  const char *near = rh_nearest_name(name, names, count);
  write_label(e, label);
  rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, node),
              "%s.%s: no %s is called '%.60s'; %s%s%sthere are %s", label,
              e->section->field[e->section->selector].param.name, e->section->kind, name,
              near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
              list.failed ? "others" : list.data);
  rh_text_free(&list);
  e->r->refused = true;
}

// ---- Unknown keys

typedef struct guess { // keys one could have meant, and what each stands for
  const char *word[KEY_MAX];
  const char *means[KEY_MAX];
  int count;
  char room[1024]; // further names, cut apart
  size_t used;
} guess;

static void add_guess(guess *g, const char *word, const char *means)
{
  if (g->count < KEY_MAX) {
    g->word[g->count] = word;
    g->means[g->count++] = means;
  }
}

static void add_further(guess *g, const char *near, const char *means)
{
  while (near && *near) {
    size_t length = strcspn(near, "|");
    if (g->used + length + 1 > sizeof g->room) {
      return;
    }
    memcpy(g->room + g->used, near, length);
    g->room[g->used + length] = '\0';
    add_guess(g, g->room + g->used, means);
    g->used += length + 1;
    near += length + (near[length] == '|');
  }
}

static bool any_row_has(const rh_section *section, const char *key)
{
  const rh_row *row = row_at(section, 0);
  for (int i = 1; row; i++) {
    if (rh_row_find(row, key) != RH_NONE) {
      return true;
    }
    row = row_at(section, i);
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

// An override chose another row than the file: what the file says for the old one has no use, but is no mistake.
static bool belongs_to_the_row_left(const rh_entry *e, int key_node)
{
  const rh_section *section = e->section;
  const rh_tree *tree = e->r->tree;
  if (section->selector == RH_NONE || !e->row) {
    return false;
  }
  int chosen = rh_tree_find(tree, e->node, section->field[section->selector].param.name);
  return chosen != RH_NONE && tree->node[chosen].file == 1 && tree->node[key_node].file == 0 &&
         any_row_has(section, rh_tree_text(tree, key_node));
}

void rh_entry_refuse_key(const rh_entry *e, int key_node)
{
  const char *key = rh_tree_text(e->r->tree, key_node);
  const rh_section *section = e->section;
  if (section->selector != RH_NONE && !e->row && any_row_has(section, key)) {
    return; // which row it is was not said rightly; then this key may well be right
  }
  if (belongs_to_the_row_left(e, key_node)) {
    rh_diag_add(e->r->diag, RH_WARNING, rh_entry_place(e->r, key_node), "%s is not used: -s chose %s, which has no such parameter",
                key, e->row->name);
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
  for (int i = 0; e->row && i < e->row->nparam; i++) {
    add_guess(&g, e->row->param[i].name, e->row->param[i].name);
  }
  int own = g.count;
  for (int i = 0; i < section->nfield; i++) {
    add_further(&g, section->field[i].near, section->field[i].param.name);
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
  g.count = own;
  list_keys(&g, &list);
  rh_diag_add(e->r->diag, RH_ERROR, rh_entry_place(e->r, key_node),
              "%s: unknown key '%.60s'; a %s%s%s takes %s", label, key, e->row ? e->row->name : "",
              e->row ? " " : "", section->item, list.failed ? "others" : list.data);
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

void rh_entry_refuse_choice(const rh_entry *e, const rh_param *param, int node)
{
  guess g = {.count = 0};
  add_further(&g, param->choices, NULL);
  bool scalar = e->r->tree->node[node].kind == RH_NODE_SCALAR && !rh_tree_is_null(e->r->tree, node);
  const char *text = scalar ? rh_tree_text(e->r->tree, node) : NULL;
  const char *near = text ? rh_nearest_name(text, g.word, g.count) : NULL;
  rh_text list = {0};
  for (int i = 0; i < g.count; i++) {
    rh_text_addf(&list, "%s%s", i == 0 ? "" : i + 1 == g.count ? " or " : ", ", g.word[i]);
  }
  char why[RH_WHY_MAX];
  snprintf(why, sizeof why, "must be %.120s, got %s%.40s%s%s%.30s%s",
           list.failed ? "another word" : list.data, text ? "'" : "",
           text ? text : rh_tree_what(e->r->tree, node), text ? "'" : "",
           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  rh_text_free(&list);
  rh_entry_refuse(e, node, param->name, why);
}
