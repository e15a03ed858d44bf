// rows.c: the journal of a sweep: what it says of the plan, and the row of a case.
#include "sweep.h"

#include "recording/journal/journal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX (RH_AXES_MAX + RH_OUTCOMES_MAX)

// ---- The plan as texts

enum { TEXTS = 9 };

static const char *const text_key[TEXTS] = {"scene_name", "scene",  "scene_sum", "set", "vary",
                                            "out",        "design", "cases",     "seed"};

static void join_words(rh_text *text, char *const *word, int n, char between)
{
  for (int i = 0; i < n; i++) {
    if (i > 0) {
      rh_text_add_bytes(text, &between, 1);
    }
    rh_text_add(text, word[i]);
  }
  rh_text_add(text, "");
}

typedef struct plan_texts {
  rh_text set, vary, out;
  char cases[32], seed[32], sum[32];
} plan_texts;

static bool write_texts(const rh_plan *plan, plan_texts *t)
{
  char *spec[RH_AXES_MAX];
  for (int i = 0; i < plan->naxis; i++) {
    spec[i] = plan->axis[i].spec;
  }
  join_words(&t->set, plan->set.word, plan->set.n, '\n');
  join_words(&t->vary, spec, plan->naxis, '\n');
  join_words(&t->out, plan->out.words.word, plan->out.n, ',');
  (void)snprintf(t->cases, sizeof t->cases, "%" PRId64, plan->cases);
  (void)snprintf(t->seed, sizeof t->seed, "%" PRIu64, plan->seed);
  (void)snprintf(t->sum, sizeof t->sum, "%016" PRIx64, plan->scene_sum);
  return !t->set.failed && !t->vary.failed && !t->out.failed;
}

// In the order of text_key.
static void list_texts(const rh_plan *plan, const plan_texts *t, const char *value[TEXTS])
{
  const char *const all[TEXTS] = {plan->scene_name,
                                  plan->scene_text,
                                  t->sum,
                                  t->set.data,
                                  t->vary.data,
                                  t->out.data,
                                  rh_design_word(plan->design),
                                  t->cases,
                                  t->seed};
  memcpy(value, all, sizeof all);
}

static void free_texts(plan_texts *t)
{
  rh_text_free(&t->set);
  rh_text_free(&t->vary);
  rh_text_free(&t->out);
}

// SQLite's names do not see the difference of A and a.
static bool same_name(const char *a, const char *b)
{
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    int x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a;
    int y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;
    if (x != y) {
      return false;
    }
  }
  return *a == *b;
}

static rh_status name_columns(const rh_plan *plan, rh_journal_column *column, int *n)
{
  static const char *const fixed[] = {"case", "status", "reason"};
  for (int i = 0; i < plan->naxis; i++) {
    column[(*n)++] = (rh_journal_column){plan->axis[i].path, !plan->axis[i].numbers};
  }
  for (int i = 0; i < plan->out.n; i++) {
    column[(*n)++] = (rh_journal_column){plan->out.outcome[i].name, false};
  }
  for (int i = 0; i < *n; i++) {
    bool taken = false;
    for (int k = 0; k < RH_COUNT(fixed); k++) {
      taken = taken || same_name(column[i].name, fixed[k]);
    }
    for (int k = 0; k < i; k++) {
      taken = taken || same_name(column[i].name, column[k].name);
    }
    if (taken) {
      return rh_refuse(RH_WRONG_USAGE, "sweep: two columns of the journal would be called '%s'",
                       column[i].name);
    }
  }
  return RH_OK;
}

rh_status rh_plan_journal(const rh_plan *plan, const char *path, rh_diag *diag,
                          rh_journal **journal)
{
  rh_journal_column column[COLUMNS_MAX];
  plan_texts t = {0};
  int n = 0;
  *journal = NULL;
  RH_TRY(name_columns(plan, column, &n));
  rh_status status = RH_OUT_OF_MEMORY;
  if (write_texts(plan, &t)) {
    const char *key[TEXTS + 1];
    const char *value[TEXTS + 1];
    memcpy(key, text_key, sizeof text_key);
    list_texts(plan, &t, value);
    key[TEXTS] = "routh";
    value[TEXTS] = RH_VERSION;
    rh_journal_form form = {key, value, TEXTS + 1, column, n};
    status = rh_journal_create(path, &form, diag, journal);
  } else {
    rh_refuse(status, "out of memory");
  }
  free_texts(&t);
  return status;
}

// ---- The plan of a journal

// The lines of a text as words.
static rh_status split_lines(const char *text, rh_words *lines)
{
  size_t count = *text != '\0';
  for (const char *c = text; *c != '\0'; c++) {
    count += *c == '\n';
  }
  lines->word = rh_alloc((count + 1) * sizeof *lines->word);
  for (size_t i = 0; lines->word != NULL && i < count; i++) {
    size_t length = strcspn(text, "\n");
    char *line = rh_alloc(length + 1);
    if (line == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    memcpy(line, text, length);
    lines->word[lines->n++] = line;
    text += length + (text[length] == '\n');
  }
  return lines->word != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status read_plan(const char *const value[TEXTS], rh_diag *diag, rh_plan *plan)
{
  rh_words set = {0};
  rh_status status = split_lines(value[3], &set);
  if (status == RH_OK) {
    bool grid = strcmp(value[6], rh_design_word(RH_GRID)) == 0;
    rh_plan_scene scene = {value[0], value[1], strlen(value[1]), (const char *const *)set.word,
                           set.n};
    rh_plan_asked asked = {value[4], value[5], value[6], grid ? NULL : value[7], value[8]};
    status = rh_plan_read(&scene, &asked, diag, plan);
  } else {
    rh_refuse(status, "out of memory");
  }
  rh_words_free(&set);
  RH_TRY(status);
  if (plan->scene_sum != strtoull(value[2], NULL, 16)) {
    return rh_refuse(
        RH_INPUT_REFUSED,
        "sweep: the scene is not the one the sweep began with: a file that it includes, a mesh, or "
        "the version of routh, is another one");
  }
  return RH_OK;
}

// Rows are written with as many values as the plan has.
static rh_status check_columns(const rh_journal *journal, const rh_plan *plan)
{
  rh_journal_column column[COLUMNS_MAX];
  int n = 0;
  RH_TRY(name_columns(plan, column, &n));
  bool same = rh_journal_columns(journal) == n;
  for (int i = 0; same && i < n; i++) {
    rh_journal_column there = rh_journal_column_at(journal, i);
    same = strcmp(there.name, column[i].name) == 0 && there.text == column[i].text;
  }
  return same ? RH_OK
              : rh_refuse(RH_INPUT_REFUSED,
                          "sweep: the journal is damaged: its columns are not those of its plan");
}

rh_status rh_plan_again(const rh_journal *journal, rh_diag *diag, rh_plan *plan)
{
  const char *value[TEXTS];
  *plan = (rh_plan){0};
  for (int i = 0; i < TEXTS; i++) {
    value[i] = rh_journal_meta(journal, text_key[i]);
    if (value[i] == NULL) {
      return rh_refuse(RH_INPUT_REFUSED, "sweep: the journal is damaged: it lacks '%s'",
                       text_key[i]);
    }
  }
  RH_TRY(read_plan(value, diag, plan));
  return check_columns(journal, plan);
}

bool rh_plan_pack(const rh_plan *plan, rh_text *packed)
{
  plan_texts t = {0};
  if (write_texts(plan, &t)) {
    const char *value[TEXTS];
    list_texts(plan, &t, value);
    for (int i = 0; i < TEXTS; i++) {
      rh_text_add_bytes(packed, value[i], strlen(value[i]) + 1);
    }
  } else {
    packed->failed = true;
  }
  free_texts(&t);
  return !packed->failed;
}

rh_status rh_plan_unpack(const char *packed, size_t bytes, rh_plan *plan)
{
  const char *value[TEXTS];
  const char *end = packed + bytes;
  *plan = (rh_plan){0};
  for (int i = 0; i < TEXTS; i++) {
    const char *zero = packed < end ? memchr(packed, '\0', (size_t)(end - packed)) : NULL;
    if (zero == NULL) {
      return rh_refuse(RH_INPUT_REFUSED, "sweep: the plan came damaged");
    }
    value[i] = packed;
    packed = zero + 1;
  }
  rh_diag *diag = rh_diag_create();
  rh_status status = diag != NULL ? read_plan(value, diag, plan) : RH_OUT_OF_MEMORY;
  rh_diag_destroy(diag);
  return status;
}

// ---- Rows

bool rh_plan_keep(const rh_plan *plan, const rh_case *result, rh_journal *journal)
{
  double number[COLUMNS_MAX];
  const char *text[COLUMNS_MAX];
  rh_plan_values(plan, result->index, number);
  for (int i = 0; i < plan->naxis; i++) {
    const rh_axis *axis = &plan->axis[i];
    text[i] = axis->numbers ? "" : axis->words.word[(long)number[i]];
  }
  for (int i = 0; i < plan->out.n; i++) {
    text[plan->naxis + i] = "";
    number[plan->naxis + i] = result->value[i];
  }
  rh_journal_row row = {result->index, rh_status_name(result->status), result->reason, number,
                        text};
  return rh_journal_add(journal, &row);
}
