// completion.c: completion for bash, zsh and fish, made from the rows of the verbs: verbs, options,
// and the values of options from a table or the line itself. The completion of a value is found
// once, for all three shells.
#include "completion.h"
#include "reproduce/figure.h"
#include "tables.h"

#include <string.h>

// ---- From the rows

static void add_choices(rh_text *words, const char *choices)
{
  char word[RH_NAME_MAX];
  for (int i = 0; choices != NULL && rh_choices_get(choices, i, word) != NULL; i++) {
    rh_text_addf(words, "%s%s", words->size > 0 ? " " : "", word);
  }
}

// Words that a shell would split are skipped (some units).
static void add_table(rh_text *words, const char *name)
{
  const rh_listing *listing = rh_listing_find(name);
  for (int i = 0; listing != NULL && i < listing->count(); i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    if (strpbrk(entry.row.name, " \t\"'`$\\()<>|&;*?[]#~=%") == NULL) {
      rh_text_addf(words, "%s%s", words->size > 0 ? " " : "", entry.row.name);
    }
  }
}

static void add_figures(rh_text *words)
{
  for (int i = 0; i < rh_figure_count(); i++) {
    const rh_figure *figure = rh_figure_get(i);
    rh_text_addf(words, "%s%s", words->size > 0 ? " " : "", figure->label);
  }
}

// Values of the single sections of a scene: run.until= and so on.
static void add_settings(rh_text *words)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    const rh_section *section = &rh_sections[id];
    for (int i = 0; !section->list && i < section->nfield; i++) {
      rh_text_addf(words, "%s%s.%s=", words->size > 0 ? " " : "", section->name,
                   section->field[i].param.name);
    }
  }
}

static void add_from(rh_values *v, const char *from)
{
  char name[RH_NAME_MAX];
  for (int i = 0; from != NULL && rh_choices_get(from, i, name) != NULL; i++) {
    if (strcmp(name, "channels") == 0) {
      v->kind = RH_VALUES_CHANNELS;
    } else if (strcmp(name, "figures") == 0) {
      add_figures(&v->words);
    } else if (strcmp(name, "settings") == 0) {
      add_settings(&v->words);
    } else if (rh_listing_find(name) != NULL) {
      add_table(&v->words, name);
    } else {
      add_choices(&v->words, name);
    }
  }
}

rh_values rh_values_of_option(const rh_option *option)
{
  rh_values v = {.many = option->many, .ending = ""};
  add_choices(&v.words, option->choices);
  add_from(&v, option->from);
  if (v.kind == RH_VALUES_ANY && v.words.size > 0) {
    v.kind = RH_VALUES_WORDS;
  } else if (v.kind == RH_VALUES_ANY && strncmp(option->value, "FILE", 4) == 0) {
    const char *dot = strchr(option->value, '.');
    v.kind = RH_VALUES_FILES;
    v.ending = dot != NULL ? dot + 1 : "";
  } else if (v.kind == RH_VALUES_ANY && strncmp(option->value, "PAGE", 4) == 0) {
    v.kind = RH_VALUES_FILES;
    v.ending = "html";
  } else if (v.kind == RH_VALUES_ANY && strpbrk(option->value, "|") != NULL) { // a folder or a file
    v.kind = RH_VALUES_FILES;
  } else if (v.kind == RH_VALUES_ANY && strcmp(option->value, "FOLDER") == 0) {
    v.kind = RH_VALUES_FOLDERS;
  }
  return v;
}

rh_values rh_values_of_verb(const rh_verb *verb)
{
  rh_values v = {.ending = verb->ending};
  add_choices(&v.words, verb->words);
  add_from(&v, verb->from);
  v.kind = v.kind == RH_VALUES_ANY ? RH_VALUES_WORDS : v.kind;
  v.many = v.kind == RH_VALUES_CHANNELS;
  return v;
}

void rh_values_end(rh_script *script, rh_values *v)
{
  script->failed = script->failed || v->words.failed;
  rh_text_free(&v->words);
}

const char *rh_values_words(const rh_values *v)
{
  return v->words.data != NULL ? v->words.data : "";
}

void rh_script_quote(rh_script *script, const char *text, bool fish)
{
  fputc('\'', script->out);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\'') {
      fputs(fish ? "\\'" : "'\\''", script->out);
    } else if (*c == '\\' && fish) {
      fputs("\\\\", script->out);
    } else {
      fputc(*c, script->out);
    }
  }
  fputc('\'', script->out);
}

void rh_script_verbs(rh_script *script, rh_verb_part *part)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  for (int i = 0; i < count; i++) {
    part(script, table[i]);
  }
}

void rh_script_option_values(rh_script *script, const rh_verb *verb, rh_values_part *part)
{
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    if (option->value == NULL) {
      continue;
    }
    fprintf(script->out, "    %s:--%s", verb->row.name, option->name);
    if (option->letter != 0) {
      fprintf(script->out, "|%s:-%c", verb->row.name, option->letter);
    }
    fputs(") ", script->out);
    rh_values v = rh_values_of_option(option);
    part(script, &v);
    rh_values_end(script, &v);
  }
}

void rh_script_kinds(rh_script *script, const char *before, const char *between, const char *after)
{
  const rh_listing *listing = NULL;
  for (int i = 0; (listing = rh_listing_get(i)) != NULL; i++) {
    rh_text words = {0};
    add_table(&words, listing->name);
    fprintf(script->out, "%s%s%s%s%s", before, listing->name, between,
            words.data != NULL ? words.data : "", after);
    script->failed = script->failed || words.failed;
    rh_text_free(&words);
  }
}

bool rh_help_completion(FILE *out, const char *shell)
{
  rh_script script = {.out = out};
  if (strcmp(shell, "bash") == 0) {
    rh_script_bash(&script);
  } else if (strcmp(shell, "zsh") == 0) {
    rh_script_zsh(&script);
  } else {
    rh_script_fish(&script);
  }
  return !script.failed;
}
