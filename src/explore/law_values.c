// law_values.c: the parameters of a law in force: from its row, from the command line, from a fit;
// printed with their origin. A number is printed with all its digits, so that a fitted one can be
// copied into a scene.
#include "law.h"

#include "console/words.h"

#include <math.h>
#include <string.h>

void rh_law_values_start(rh_law_values *values, const rh_row *row)
{
  values->row = row;
  rh_row_defaults(row, values->par);
  for (int i = 0; i < row->nparam && i < RH_PAR_MAX; i++) {
    values->from[i] = "default";
  }
}

static int word_index(const char *choices, const char *text)
{
  char word[RH_NAME_MAX];
  for (int i = 0; rh_choices_get(choices, i, word) != NULL; i++) {
    if (strcmp(word, text) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// One number or word for a parameter. False, and `why`, if it is invalid or out of range.
static bool read_value(const rh_param *param, const char *text, double *value, char *why)
{
  if (param->type == RH_CHOICE || param->type == RH_FLAG) {
    const char *words = param->type == RH_FLAG ? "no|yes" : param->choices;
    int index = word_index(words, text);
    snprintf(why, RH_WHY_MAX, "is one of %.100s, got '%.80s'", words, text);
    *value = index;
    return index != RH_NONE;
  }
  if (param->type != RH_NUMBER && param->type != RH_INTEGER) {
    snprintf(why, RH_WHY_MAX, "is more than one number and cannot be given here");
    return false;
  }
  bool infinite = strcmp(text, "inf") == 0; // allowed only where the range ends there
  *value = HUGE_VAL;
  return (infinite || rh_unit_parse(text, param->unit, value, why)) &&
         rh_param_check(param, *value, why);
}

bool rh_law_values_give(rh_law_values *values, int index, const char *text, const char *who,
                        rh_diag *diag)
{
  rh_param as = values->row->param[index];
  const rh_param *param = &as;
  char unit[RH_UNIT_MAX];
  char why[RH_WHY_MAX] = "";
  double value = 0;
  as.unit = rh_param_unit(values->row, index, values->par, unit);
  if (!read_value(param, text, &value, why)) {
    rh_place place = {.file = rh_diag_add_source(diag, who, "", 0)};
    rh_diag_add(diag, RH_ERROR, place, "%s.%s %s", values->row->name, param->name, why);
    return false;
  }
  values->par[rh_row_offset(values->row, index)] = value;
  values->from[index] = strcmp(who, "--mu") == 0 ? "--mu" : "-s";
  return true;
}

const char *rh_law_unit(const rh_param *param)
{
  return param->unit == NULL || strcmp(param->unit, "1") == 0 ? "" : param->unit;
}

void rh_law_value_text(const rh_law_values *values, int index, char *buffer, size_t size)
{
  const rh_param *param = &values->row->param[index];
  double x = values->par[rh_row_offset(values->row, index)];
  char text[RH_NAME_MAX > RH_NUMBER_MAX ? RH_NAME_MAX : RH_NUMBER_MAX] = "";
  if (param->type == RH_CHOICE) {
    rh_choices_get(param->choices, (int)x, text);
  } else if (param->type == RH_FLAG) {
    snprintf(text, sizeof text, "%s", x != 0 ? "yes" : "no");
  } else {
    rh_number_write(x, text);
  }
  snprintf(buffer, size, "%s", text);
}

rh_status rh_law_values_print(const rh_law_values *values, bool color)
{
  if (values->row->nparam == 0) {
    return RH_OK;
  }
  static const char *const head[] = {"parameter", "value", "unit", "from", "meaning"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0);
  for (int i = 0; i < values->row->nparam; i++) {
    const rh_param *param = &values->row->param[i];
    char text[RH_NAME_MAX];
    rh_law_value_text(values, i, text, sizeof text);
    rh_table_add(table, "%s", param->name);
    rh_table_add(table, "%s", text);
    rh_table_add(table, "%s", rh_law_unit(param));
    rh_table_add(table, "%s", values->from[i]);
    rh_table_add(table, "%s", param->doc);
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  return status;
}

void rh_law_values_json(rh_json *json, const char *key, const rh_law_values *values)
{
  rh_json_open_array(json, key);
  for (int i = 0; i < values->row->nparam; i++) {
    const rh_param *param = &values->row->param[i];
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", param->name);
    if (param->type == RH_CHOICE || param->type == RH_FLAG) {
      char text[RH_NAME_MAX];
      rh_law_value_text(values, i, text, sizeof text);
      rh_json_string(json, "value", text);
    } else {
      rh_json_number(json, "value", values->par[rh_row_offset(values->row, i)]);
    }
    rh_json_string(json, "unit", param->unit);
    rh_json_string(json, "from", values->from[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
}

// ---- Parameters of a job

static void add_names(const rh_row *row, const char *names[2 * RH_PAR_MAX], int *count)
{
  for (int i = 0; i < row->nparam && *count < 2 * RH_PAR_MAX; i++) {
    names[(*count)++] = row->param[i].name;
  }
}

static void unknown_parameter(const rh_law_job *job, const char *name, const char *who,
                              rh_diag *diag)
{
  const char *names[2 * RH_PAR_MAX];
  int count = 0;
  add_names(&job->law->row, names, &count);
  if (job->friction != NULL) {
    add_names(&job->friction->row, names, &count);
  }
  const char *near = rh_nearest_name(name, names, count);
  rh_text text = {0};
  for (int i = 0; i < count; i++) {
    rh_text_addf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  rh_place place = {.file = rh_diag_add_source(diag, who, "", 0)};
  if (near != NULL) {
    rh_diag_add(diag, RH_ERROR, place, "%s: unknown parameter '%s'; did you mean '%s'?",
                job->law->row.name, name, near);
  } else {
    rh_diag_add(diag, RH_ERROR, place, "%s: unknown parameter '%s'; it has: %s", job->law->row.name,
                name, text.data != NULL ? text.data : "none");
  }
  rh_text_free(&text);
}

void rh_law_set(rh_law_job *job, const char *word, bool late, rh_diag *diag)
{
  static const char *const prefix[] = {"law.", "friction."};
  rh_law_values *values[] = {&job->normal, job->friction != NULL ? &job->tangential : NULL};
  size_t length = strcspn(word, "=");
  char name[RH_NAME_MAX];
  char who[2 * RH_NAME_MAX];
  const char *text = word + length + (word[length] == '=');
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  snprintf(who, sizeof who, "-s %s", word);
  for (int k = 0; k < 2; k++) {
    size_t skip = strlen(prefix[k]);
    bool named = strncmp(name, prefix[k], skip) == 0;
    bool other = strncmp(name, prefix[1 - k], strlen(prefix[1 - k])) == 0;
    int index = values[k] == NULL || other ? RH_NONE
                                           : rh_row_find(values[k]->row, name + (named ? skip : 0));
    if (index != RH_NONE) {
      if (rh_param_is_late(&values[k]->row->param[index]) == late) {
        (void)rh_law_values_give(values[k], index, text, who, diag);
      }
      return;
    }
  }
  if (!late) {
    unknown_parameter(job, name, who, diag);
  }
}

void rh_law_set_mu(rh_law_job *job, const char *mu, rh_diag *diag)
{
  int found = 0;
  for (int i = 0; i < job->friction->row.nparam; i++) {
    const char *name = job->friction->row.param[i].name;
    if (strcmp(name, "mu") == 0 || strncmp(name, "mu_", 3) == 0) {
      (void)rh_law_values_give(&job->tangential, i, mu, "--mu", diag);
      found++;
    }
  }
  if (found == 0) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = "--mu"}, "%s has no coefficient of friction",
                job->friction->row.name);
  }
}

bool rh_law_may_pull(const rh_normal_law *law, const double *par)
{
  int tension = rh_row_find(&law->row, "tension");
  bool cut = tension != RH_NONE && par[rh_row_offset(&law->row, tension)] == 1; // kept|cut
  return law->pulls && !cut;
}

void rh_law_check(const rh_law_job *job, rh_diag *diag)
{
  const char *why = job->law->check != NULL ? job->law->check(job->normal.par) : NULL;
  if (why != NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%s: %s", job->law->row.name, why);
  }
  bool checked = job->friction != NULL && job->friction->check != NULL;
  why = checked ? job->friction->check(job->tangential.par) : NULL;
  if (why != NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%s: %s", job->friction->row.name, why);
  }
}
