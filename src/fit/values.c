// values.c: free values: what the search moves in place of a value of the scene. A positive value is searched for by its
// logarithm, unless its bounds are close together; any other in units of its size, or of a tenth of its range.
#include "fit.h"

#include <math.h>
#include <string.h>

#define DECADE 5.0 // ratio of the bounds from which on the logarithm is used

static rh_status refuse_value(const char *text, const char *why)
{
  return rh_refuse(RH_WRONG_USAGE, "fit: --free %s: %s", text, why);
}

static const char *read_bounds(const char *text, rh_fit_value *value)
{
  size_t digits = rh_number_read(text, &value->lo);
  if (digits == 0 || text[digits] != ':') {
    return "PATH=LOW:HIGH was expected, two numbers";
  }
  text += digits + 1;
  digits = rh_number_read(text, &value->hi);
  if (digits == 0 || text[digits] != '\0') {
    return "PATH=LOW:HIGH was expected, two numbers";
  }
  value->bounded = true;
  bool good = isfinite(value->lo) && isfinite(value->hi) && value->lo < value->hi;
  return good ? NULL : "the bounds must be finite, the lower one first";
}

// "A+B": B keeps its ratio to A. The path is left without B.
static const char *split_tie(rh_fit_value *value)
{
  char *plus = strchr(value->path, '+');
  if (plus == NULL) {
    return NULL;
  }
  (void)snprintf(value->tied, sizeof value->tied, "%s", plus + 1);
  *plus = '\0';
  bool good =
      value->tied[0] != '\0' && value->path[0] != '\0' && strpbrk(value->tied, "+[") == NULL;
  return good ? NULL : "two paths of single numbers were expected, PATH+PATH";
}

rh_status rh_fit_read_value(const char *text, rh_fit_value *value)
{
  size_t length = strcspn(text, "=");
  *value = (rh_fit_value){.index = RH_NONE, .lo = -HUGE_VAL, .hi = HUGE_VAL};
  if (length == 0 || length >= sizeof value->path) {
    return refuse_value(text, "a path as after -s was expected, such as floor.mu or cube.com[2]");
  }
  (void)snprintf(value->name, sizeof value->name, "%.*s", (int)length, text);
  memcpy(value->path, text, length);
  value->path[length] = '\0';
  const char *odd = split_tie(value);
  if (odd != NULL) {
    return refuse_value(text, odd);
  }
  char *bracket = strchr(value->path, '[');
  if (bracket != NULL && value->tied[0] != '\0') {
    return refuse_value(text, "two paths of single numbers were expected, PATH+PATH");
  }
  if (bracket != NULL && strcmp(bracket, "[*]") == 0) {
    value->index = RH_FIT_ALL;
    *bracket = '\0';
  } else if (bracket != NULL) {
    double index = -1;
    size_t digits = rh_number_read(bracket + 1, &index);
    if (digits == 0 || strcmp(bracket + 1 + digits, "]") != 0 || index != floor(index) ||
        !(index >= 0 && index < RH_LIST_MAX)) {
      return refuse_value(text, "the number of a component was expected in brackets, from 0");
    }
    value->index = (int)index;
    *bracket = '\0';
  }
  const char *why = text[length] == '=' ? read_bounds(text + length + 1, value) : NULL;
  return why != NULL ? refuse_value(text, why) : RH_OK;
}

double rh_fit_to_search(const rh_fit_value *value, double x)
{
  return value->scale == RH_FIT_LOG ? rh_log(x) : x / value->size;
}

double rh_fit_from_search(const rh_fit_value *value, double w)
{
  return value->scale == RH_FIT_LOG ? rh_exp(w) : w * value->size;
}

rh_status rh_fit_scale_value(rh_fit_value *v)
{
  if (v->factor > 0) {
    return rh_fit_scale_inertia(v);
  }
  size_t length = strlen(v->path);
  bool mass = length > 5 && strcmp(v->path + length - 5, ".mass") == 0;
  if (mass && v->bounded && !(v->lo > 0)) {
    return refuse_value(v->name, "a mass is positive, and so are its bounds");
  }
  if (v->bounded && !(v->start >= v->lo && v->start <= v->hi)) {
    v->start = v->lo > 0 ? sqrt(v->lo * v->hi) : 0.5 * (v->lo + v->hi);
  }
  bool wide = v->bounded && v->lo > 0 && v->hi / v->lo >= DECADE;
  v->scale = wide || (!v->bounded && v->start > 0) ? RH_FIT_LOG : RH_FIT_LINEAR;
  v->size = v->bounded ? 0.1 * (v->hi - v->lo) : fabs(v->start);
  if (!(v->size > 0)) {
    return refuse_value(v->name, "the scene has 0 here: give bounds, PATH=LOW:HIGH");
  }
  return RH_OK;
}
