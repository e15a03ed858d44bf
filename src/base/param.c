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
  bool none = param->type == RH_TEXT || param->type == RH_NUMBERS || param->type == RH_PATH;
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

bool rh_param_is_late(const rh_param *param)
{
  return param->unit && strstr(param->unit, "^n") != NULL;
}

const char *rh_param_unit(const rh_row *row, int index, const double *par, char *text)
{
  const char *unit = row->param[index].unit;
  int n = rh_row_find(row, "n");
  if (!rh_param_is_late(&row->param[index]) || n == RH_NONE) {
    return unit;
  }
  const char *at = strstr(unit, "^n");
  char power[RH_NUMBER_MAX];
  double value = par[rh_row_offset(row, n)];
  rh_number_write(value, power);
  snprintf(text, RH_UNIT_MAX, "%.*s%s%s%s", (int)(at - unit), unit, value == 1 ? "" : "^",
           value == 1 ? "" : power, at + 2);
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
