// catalog.c: the tables of the library and of the program in one form, for `routh list` and the
// reference pages.
#include "catalog.h"

#include "complement/complement.h"
#include "console/words.h"
#include "realtime/live.h"
#include "recording/recording.h"
#include "reproduce/figure.h"

#include <math.h>
#include <string.h>

// ---- Sections of a scene

static int sections_count(void)
{
  return RH_SECTION_COUNT;
}

static void sections_get(int index, rh_listed *entry)
{
  const rh_section *section = &rh_sections[index];
  entry->row = (rh_row){.name = section->name, .cite = "", .doc = section->doc};
  entry->field = section->field;
  entry->nfield = section->nfield;
  entry->section = (rh_section_id)index;
}

// ---- Rows of the library

#define ROWS(kind, type, function)                                                                 \
  static int kind##_count(void)                                                                    \
  {                                                                                                \
    int count = 0;                                                                                 \
    (void)function(&count);                                                                        \
    return count;                                                                                  \
  }                                                                                                \
  static const type *kind##_row(int index)                                                         \
  {                                                                                                \
    int count = 0;                                                                                 \
    return function(&count)[index];                                                                \
  }

ROWS(joints, rh_joint, rh_joint_table)
ROWS(loops, rh_loop_kind, rh_loop_kind_table)
ROWS(constraints, rh_constraint_kind, rh_constraint_kind_table)
ROWS(shapes, rh_shape, rh_shape_table)
ROWS(laws, rh_normal_law, rh_normal_law_table)
ROWS(frictions, rh_friction_law, rh_friction_law_table)
ROWS(impacts, rh_impact_law, rh_impact_law_table)
ROWS(controllers, rh_controller, rh_controller_table)
ROWS(sensors, rh_sensor_kind, rh_sensor_kind_table)
ROWS(solvers, rh_solver, rh_solver_table)
ROWS(methods, rh_haptic_method, rh_haptic_method_table)
ROWS(devices, rh_device, rh_device_table)
ROWS(exports, rh_export, rh_export_table)
ROWS(problems, rh_problem, rh_problem_table)

// Rows of which only the head is listed.
#define HEADS(kind)                                                                                \
  static int kind##_count(void)                                                                    \
  {                                                                                                \
    int count = 0;                                                                                 \
    while (rh_kind_row(#kind, count) != NULL) {                                                    \
      count++;                                                                                     \
    }                                                                                              \
    return count;                                                                                  \
  }                                                                                                \
  static void kind##_get(int index, rh_listed *entry)                                              \
  {                                                                                                \
    entry->row = *rh_kind_row(#kind, index);                                                       \
  }

HEADS(formulations)
HEADS(engines)
HEADS(integrators)
HEADS(couplings)
HEADS(hands)
HEADS(pulses)

static void joints_get(int index, rh_listed *entry)
{
  entry->row = joints_row(index)->row;
  snprintf(entry->extra, sizeof entry->extra, "%d", joints_row(index)->nv);
}

static void loops_get(int index, rh_listed *entry)
{
  entry->row = loops_row(index)->row;
  snprintf(entry->extra, sizeof entry->extra, "%d", loops_row(index)->nrow);
}

static void constraints_get(int index, rh_listed *entry)
{
  entry->row = constraints_row(index)->row;
  snprintf(entry->extra, sizeof entry->extra, "%d", constraints_row(index)->nrow);
}

static void shapes_get(int index, rh_listed *entry)
{
  entry->row = shapes_row(index)->row;
}

static void laws_get(int index, rh_listed *entry)
{
  entry->row = laws_row(index)->row;
}

static void frictions_get(int index, rh_listed *entry)
{
  entry->row = frictions_row(index)->row;
}

static void impacts_get(int index, rh_listed *entry)
{
  entry->row = impacts_row(index)->row;
}

static void controllers_get(int index, rh_listed *entry)
{
  entry->row = controllers_row(index)->row;
}

static void sensors_get(int index, rh_listed *entry)
{
  entry->row = sensors_row(index)->row;
}

static void solvers_get(int index, rh_listed *entry)
{
  entry->row = solvers_row(index)->row;
}

static void problems_get(int index, rh_listed *entry)
{
  entry->row = problems_row(index)->row;
  entry->output = problems_row(index)->output;
  entry->noutput = problems_row(index)->noutput;
}

static void methods_get(int index, rh_listed *entry)
{
  entry->row = methods_row(index)->row;
  snprintf(entry->extra, sizeof entry->extra, "%s", methods_row(index)->coupling);
}

static void devices_get(int index, rh_listed *entry)
{
  entry->row = devices_row(index)->row;
}

static void exports_get(int index, rh_listed *entry)
{
  entry->row = exports_row(index)->row;
}

// ---- Events

static const rh_row event_rows[] = {
#define ENTRY(id, word, text) {.name = (word), .cite = "", .doc = (text)},
    RH_EVENT_LIST(ENTRY)
#undef ENTRY
};

static int events_count(void)
{
  return RH_COUNT(event_rows);
}

static void events_get(int index, rh_listed *entry)
{
  entry->row = event_rows[index];
}

// ---- Groups of channels

static const struct {
  rh_row row;
  bool by_default;
} group_rows[] = {

#define ENTRY(id, word, by_default, text)                                                          \
  {{.name = (word), .cite = "", .doc = (text)}, (by_default)},
    RH_CHANNEL_GROUP_LIST(ENTRY)
#undef ENTRY
};

static int groups_count(void)
{
  return RH_COUNT(group_rows);
}

static void groups_get(int index, rh_listed *entry)
{
  entry->row = group_rows[index].row;
  snprintf(entry->extra, sizeof entry->extra, "%s", group_rows[index].by_default ? "yes" : "no");
}

// ---- Papers, then their figures

static int papers_count(void)
{
  return rh_paper_count() + rh_figure_count();
}

static void papers_get(int index, rh_listed *entry)
{
  if (index < rh_paper_count()) {
    entry->row = rh_paper_row(index);
    snprintf(entry->extra, sizeof entry->extra, "%s", entry->row.name);
    return;
  }
  const rh_figure *figure = rh_figure_get(index - rh_paper_count());
  entry->row = (rh_row){.name = figure->name, .cite = "", .doc = figure->title};
  snprintf(entry->extra, sizeof entry->extra, "%s --figure %s", figure->paper, figure->label);
}

// ---- Units. The value in SI comes from the reader of units itself.

static int units_count(void)
{
  return rh_unit_count();
}

static void units_get(int index, rh_listed *entry)
{
  const char *si;
  const char *doc;
  const char *name = rh_unit_name(index, &si, &doc);
  entry->row = (rh_row){.name = name, .cite = "", .doc = doc};
  char one[32];
  char number[RH_NUMBER_MAX];
  char why[RH_WHY_MAX];
  double value = (double)NAN;
  snprintf(one, sizeof one, "1 %s", name);
  if (rh_unit_parse(one, si, &value, why)) {
    rh_number_write(value, number);
    snprintf(entry->extra, sizeof entry->extra, "%s %s", number, si);
  }
}

// ---- The tables

static const rh_listing listings[] = {
#define ENTRY(id, text, further)                                                                   \
  {.name = #id, .doc = (text), .title = (further), .count = id##_count, .get = id##_get},
    RH_LISTINGS(ENTRY)
#undef ENTRY
};

const rh_listing *rh_catalog_get(int index)
{
  return index < RH_COUNT(listings) ? &listings[index] : NULL;
}

int rh_listed_nparam(const rh_listed *entry)
{
  return entry->field != NULL ? entry->nfield : entry->row.nparam;
}

const rh_param *rh_listed_param(const rh_listed *entry, int index)
{
  return entry->field != NULL ? &entry->field[index].param : &entry->row.param[index];
}

// ---- Parameters in words

void rh_param_kind(const rh_param *param, char *buffer, size_t size)
{
  static const char *const word[] = {
      [RH_NUMBER] = "number",      [RH_INTEGER] = "whole number", [RH_FLAG] = "yes or no",
      [RH_TEXT] = "name",          [RH_NUMBERS] = "numbers",      [RH_PATH] = "path",
      [RH_PACKED] = "packed bytes"};
  if (param->type == RH_VECTOR) {
    snprintf(buffer, size, "%d numbers", param->count);
  } else if (param->type == RH_LIST && param->count == 0) {
    snprintf(buffer, size, "numbers");
  } else if (param->type == RH_LIST) {
    snprintf(buffer, size, "%s%d number%s", param->count > 1 ? "1 to " : "", param->count,
             rh_plural(param->count));
  } else {
    snprintf(buffer, size, "%s", param->type == RH_CHOICE ? param->choices : word[param->type]);
  }
}

static void join_numbers(const double *x, int n, char *buffer, size_t size)
{
  rh_text text = {0};
  rh_text_add(&text, n == 1 ? "" : "[");
  for (int i = 0; i < n; i++) {
    rh_text_add(&text, i > 0 ? ", " : "");
    rh_text_add_number(&text, x[i]);
  }
  rh_text_add(&text, n == 1 ? "" : "]");
  snprintf(buffer, size, "%s", text.data != NULL ? text.data : "");
  rh_text_free(&text);
}

static void choice_word(const rh_param *param, int index, char *buffer, size_t size)
{
  char word[RH_NAME_MAX] = "";
  rh_choices_get(param->choices, index, word);
  snprintf(buffer, size, "%s", word);
}

// A field's default as in the def struct, so that there is no second list of defaults.
static void field_default(const rh_schema_field *field, const void *def, char *buffer, size_t size)
{
  const void *at = (const char *)def + field->offset;
  switch (field->param.type) {
  case RH_NUMBER:
    join_numbers(at, 1, buffer, size);
    break;
  case RH_VECTOR:
    join_numbers(at, field->param.count, buffer, size);
    break;
  case RH_LIST: {
    const rh_list *list = at;
    if (list->n > 0) {
      join_numbers(list->x, list->n, buffer, size);
    } else {
      snprintf(buffer, size, "none");
    }
    break;
  }
  case RH_INTEGER:
    snprintf(buffer, size, "%d", *(const int *)at);
    break;
  case RH_FLAG:
    snprintf(buffer, size, "%s", *(const bool *)at ? "yes" : "no");
    break;
  case RH_CHOICE:
    choice_word(&field->param, *(const int *)at, buffer, size);
    break;
  case RH_TEXT: {
    const rh_name *name = at;
    snprintf(buffer, size, "%s", name->text[0] != '\0' ? name->text : "none");
    break;
  }
  case RH_NUMBERS:
  case RH_PATH:
  case RH_PACKED:
    snprintf(buffer, size, "none");
    break;
  }
}

static void row_default(const rh_param *param, char *buffer, size_t size)
{
  double x[RH_PAR_MAX];
  int n = param->type == RH_VECTOR ? param->count : 1;
  for (int i = 0; i < n && i < RH_PAR_MAX; i++) {
    x[i] = param->def;
  }
  if (param->type == RH_FLAG) {
    snprintf(buffer, size, "%s", param->def != 0 ? "yes" : "no");
  } else if (param->type == RH_CHOICE) {
    choice_word(param, (int)param->def, buffer, size);
  } else if (param->type == RH_TEXT || param->type == RH_LIST) {
    snprintf(buffer, size, "none");
  } else {
    join_numbers(x, n, buffer, size);
  }
}

void rh_param_default(const rh_listed *entry, int index, char *buffer, size_t size)
{
  if (entry->field == NULL) {
    row_default(&entry->row.param[index], buffer, size);
    return;
  }
  if (entry->field[index].required) {
    snprintf(buffer, size, "required");
    return;
  }
  void *def = rh_alloc(rh_sections[entry->section].size);
  buffer[0] = '\0';
  if (def != NULL) {
    rh_section_default(entry->section, def);
    field_default(&entry->field[index], def, buffer, size);
  }
  rh_free(def);
}

// 1e9 rather than 1e+09 or 1000000000.
static void range_end(double x, char buffer[RH_NUMBER_MAX])
{
  snprintf(buffer, RH_NUMBER_MAX, "%.6g", x);
  char *plus = strstr(buffer, "e+");
  if (plus != NULL) {
    const char *digits = plus + 2 + strspn(plus + 2, "0");
    memmove(plus + 1, digits, strlen(digits) + 1);
  }
}

void rh_param_range(const rh_param *param, char *buffer, size_t size)
{
  bool number = param->type == RH_NUMBER || param->type == RH_VECTOR || param->type == RH_LIST ||
                param->type == RH_INTEGER || param->type == RH_NUMBERS;
  char lo[RH_NUMBER_MAX];
  char hi[RH_NUMBER_MAX];
  range_end(param->lo, lo);
  range_end(param->hi, hi);
  buffer[0] = '\0';
  if (!number || (isinf(param->lo) && isinf(param->hi)) || param->lo == param->hi) {
    return;
  }
  if (param->lo == -param->hi) {
    snprintf(buffer, size, "-%s .. %s", hi, hi);
  } else if (isinf(param->hi)) {
    snprintf(buffer, size, "%s %s", param->open ? ">" : ">=", lo);
  } else if (isinf(param->lo)) {
    snprintf(buffer, size, "<= %s", hi);
  } else {
    snprintf(buffer, size, "%s%s .. %s", param->open ? "over " : "", lo, hi);
  }
}
