// param.c: parameters of rows: offsets in par[], defaults, ranges as text. An infinite value is
// accepted only if the range itself ends at infinity (one-sided limits, a force that never ceases).
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGE 1e6 // an end of a range beyond this is not printed with the other end

int rh_param_size(const rh_param *param)
{
  bool many = param->type == RH_VECTOR || param->type == RH_LIST;
  bool none = param->type == RH_TEXT || param->type == RH_NUMBERS || param->type == RH_PATH ||
              param->type == RH_PACKED;
  return many ? param->count : none ? 0 : 1;
}

int rh_row_find(const rh_row *row, const char *name)
{
  for (int i = 0; i < row->nparam; i++) {
    if (strcmp(row->param[i].name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

int rh_row_offset(const rh_row *row, int index)
{
  int offset = 0;
  for (int i = 0; i < index; i++) {
    offset += rh_param_size(&row->param[i]);
  }
  return offset;
}

void rh_row_defaults(const rh_row *row, double par[RH_PAR_MAX])
{
  memset(par, 0, RH_PAR_MAX * sizeof(double));
  int offset = 0;
  for (int i = 0; i < row->nparam; i++) {
    int size = rh_param_size(&row->param[i]);
    RH_ASSERT(offset + size <= RH_PAR_MAX);
    for (int j = 0; j < size; j++) {
      par[offset + j] = row->param[i].def;
    }
    offset += size;
  }
}

bool rh_param_check(const rh_param *param, double value, char *why)
{
  char lo[RH_NUMBER_MAX];
  char hi[RH_NUMBER_MAX];
  char got[RH_NUMBER_MAX];
  if (isnan(value) || (isinf(value) && !isinf(value > 0 ? param->hi : param->lo))) {
    snprintf(why, RH_WHY_MAX, "must be finite");
    return false;
  }
  bool whole = param->type == RH_INTEGER || param->type == RH_CHOICE || param->type == RH_FLAG;
  if (whole && value != floor(value)) {
    rh_number_write(value, got);
    snprintf(why, RH_WHY_MAX, "must be a whole number, got %s", got);
    return false;
  }
  bool above = param->open ? value > param->lo : value >= param->lo;
  if (above && value <= param->hi) {
    return true;
  }
  bool bare =
      !param->unit || strcmp(param->unit, "1") == 0 || strncmp(param->unit, "joint", 5) == 0;
  const char *blank = bare ? "" : " ";
  const char *unit = bare ? "" : param->unit;
  rh_number_write(param->lo, lo);
  rh_number_write(param->hi, hi);
  rh_number_write(value, got);
  if (!above && param->hi >= LARGE) {
    snprintf(why, RH_WHY_MAX, "must be %s %s%s%s, got %s", param->open ? ">" : ">=", lo, blank,
             unit, got);
  } else if (above && param->lo <= -LARGE) {
    snprintf(why, RH_WHY_MAX, "must be <= %s%s%s, got %s", hi, blank, unit, got);
  } else {
    snprintf(why, RH_WHY_MAX, "must lie in %s%s, %s]%s%s, got %s", param->open ? "(" : "[", lo, hi,
             blank, unit, got);
  }
  return false;
}

// The power of a unit that is a parameter of the same row, "^n"; NULL: there is none.
static const char *find_named_power(const char *unit)
{
  const char *at = unit ? strchr(unit, '^') : NULL;
  while (at && !(at[1] >= 'a' && at[1] <= 'z')) {
    at = strchr(at + 1, '^');
  }
  return at;
}

bool rh_param_is_late(const rh_param *param)
{
  return find_named_power(param->unit) != NULL;
}

// Writes the factor whose power is named at `at` with its value; 1 is not written, and with 0 the
// factor is removed from the end of `text`.
static void write_power(const rh_row *row, const double *par, const char *at, char *text)
{
  const char name[2] = {at[1], '\0'};
  int index = rh_row_find(row, name);
  double value = index == RH_NONE ? 1 : par[rh_row_offset(row, index)];
  char power[RH_NUMBER_MAX];
  size_t length = strlen(text);
  rh_number_write(value, power);
  if (value == 0) {
    while (length > 0 && text[length - 1] != ' ' && text[length - 1] != '/') {
      length--;
    }
    text[length > 0 ? length - 1 : 0] = '\0';
  } else if (value != 1) {
    snprintf(text + length, RH_UNIT_MAX - length, "^%s", power);
  }
}

const char *rh_param_unit(const rh_row *row, int index, const double *par, char *text)
{
  const char *unit = row->param[index].unit;
  const char *at = find_named_power(unit);
  if (!at) {
    return unit;
  }
  text[0] = '\0';
  while (at) {
    size_t length = strlen(text);
    snprintf(text + length, RH_UNIT_MAX - length, "%.*s", (int)(at - unit), unit);
    write_power(row, par, at, text);
    unit = at + 2;
    at = find_named_power(unit);
  }
  size_t length = strlen(text);
  snprintf(text + length, RH_UNIT_MAX - length, "%s", unit);
  return text;
}

// Copies into `size` zero bytes; a text that is too long ends with '~'.
static void copy_cut(char *to, size_t size, const char *text)
{
  size_t length = text ? strnlen(text, size) : 0;
  memcpy(to, text ? text : "", length < size ? length : size - 1);
  if (length >= size) {
    to[size - 2] = '~';
  }
}

rh_name rh_name_of(const char *text)
{
  rh_name name = {{0}};
  copy_cut(name.text, sizeof name.text, text);
  return name;
}

rh_path rh_path_of(const char *text)
{
  rh_path path = {{0}};
  copy_cut(path.text, sizeof path.text, text);
  return path;
}
