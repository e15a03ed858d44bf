// solve_answer.c: outputs of a problem as arrays with a shape, and their JSON.
#include "io/solve_answer.h"

#include <math.h>

static rh_answer_item *next_item(rh_answer *answer, const char *name, int ndim)
{
  RH_ASSERT(answer->count < RH_ANSWER_MAX);
  rh_answer_item *item = &answer->item[answer->count++];
  *item = (rh_answer_item){.name = name, .ndim = ndim, .size = {1, 1, 1}};
  return item;
}

static size_t length(const rh_answer_item *item)
{
  return (size_t)item->size[0] * (size_t)item->size[1] * (size_t)item->size[2];
}

double *rh_answer_add(rh_answer *answer, const char *name, int ndim, int n0, int n1, int n2)
{
  rh_answer_item *item = next_item(answer, name, ndim);
  item->size[0] = n0;
  item->size[1] = n1;
  item->size[2] = n2;
  size_t n = length(item);
  RH_ASSERT(n <= RH_ANSWER_NUMBERS);
  item->value = rh_alloc((n > 0 ? n : 1) * sizeof(double));
  return item->value;
}

rh_name *rh_answer_add_names(rh_answer *answer, const char *name, int n)
{
  rh_answer_item *item = next_item(answer, name, 1);
  item->size[0] = n;
  item->word = rh_alloc((size_t)(n > 0 ? n : 1) * sizeof(rh_name));
  return item->word;
}

bool rh_answer_number(rh_answer *answer, const char *name, double value)
{
  double *x = rh_answer_add(answer, name, 0, 1, 1, 1);
  if (x != NULL) {
    *x = value;
  }
  return x != NULL;
}

const char *rh_answer_not_finite(const rh_answer *answer)
{
  for (int i = 0; i < answer->count; i++) {
    const rh_answer_item *item = &answer->item[i];
    size_t n = item->value != NULL ? length(item) : 0;
    for (size_t k = 0; k < n; k++) {
      if (!isfinite(item->value[k])) {
        return item->name;
      }
    }
  }
  return NULL;
}

static void write_words(const rh_answer_item *item, rh_json *json)
{
  rh_json_open_array(json, item->name);
  for (int i = 0; i < item->size[0]; i++) {
    rh_json_string(json, NULL, item->word[i].text);
  }
  rh_json_close(json);
}

static void write_matrices(const rh_answer_item *item, rh_json *json)
{
  size_t stride = (size_t)item->size[1] * (size_t)item->size[2];
  rh_json_open_array(json, item->name);
  for (int i = 0; i < item->size[0]; i++) {
    rh_json_matrix(json, NULL, item->value + (size_t)i * stride, item->size[1], item->size[2]);
  }
  rh_json_close(json);
}

void rh_answer_write(const rh_answer *answer, rh_json *json)
{
  for (int i = 0; i < answer->count; i++) {
    const rh_answer_item *item = &answer->item[i];
    if (item->word != NULL) {
      write_words(item, json);
    } else if (item->ndim == 0) {
      rh_json_number(json, item->name, item->value[0]);
    } else if (item->ndim == 1) {
      rh_json_numbers(json, item->name, item->value, item->size[0]);
    } else if (item->ndim == 2) {
      rh_json_matrix(json, item->name, item->value, item->size[0], item->size[1]);
    } else {
      write_matrices(item, json);
    }
  }
}

void rh_answer_clear(rh_answer *answer)
{
  for (int i = 0; i < answer->count; i++) {
    rh_free(answer->item[i].value);
    rh_free(answer->item[i].word);
  }
  *answer = (rh_answer){0};
}
