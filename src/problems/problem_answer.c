// problem_answer.c: outputs of a problem as arrays with a shape, and their JSON.
#include "problem_answer.h"

#include <math.h>

static rh_answer_item *next_item(rh_answer *answer, const char *name, int ndim)
{
  RH_ASSERT(answer->count < RH_ANSWER_MAX);
  rh_answer_item *item = &answer->item[answer->count++];
  *item = (rh_answer_item){.name = name, .ndim = ndim, .size = {1, 1, 1}};
  return item;
}

static size_t count_item_numbers(const rh_answer_item *item)
{
  return (size_t)item->size[0] * (size_t)item->size[1] * (size_t)item->size[2];
}

double *rh_answer_add(rh_answer *answer, const char *name, int ndim, int n0, int n1, int n2)
{
  rh_answer_item *item = next_item(answer, name, ndim);
  item->size[0] = n0;
  item->size[1] = n1;
  item->size[2] = n2;
  size_t n = count_item_numbers(item);
  RH_ASSERT(n <= RH_ANSWER_NUMBERS);
  item->value = rh_alloc((n > 0 ? n : 1) * sizeof(double));
  return item->value;
}

double *rh_answer_add_rows(rh_answer *answer, const char *name, int n, int ncolumn,
                           const char *const *column)
{
  double *value = rh_answer_add(answer, name, 2, n, ncolumn, 1);
  answer->item[answer->count - 1].column = column;
  return value;
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

bool rh_answer_word(rh_answer *answer, const char *name, const char *word)
{
  rh_name *text = rh_answer_add_names(answer, name, 1);
  answer->item[answer->count - 1].ndim = 0;
  if (text != NULL) {
    *text = rh_name_of(word);
  }
  return text != NULL;
}

bool rh_answer_flag(rh_answer *answer, const char *name, bool yes)
{
  bool good = rh_answer_number(answer, name, yes);
  answer->item[answer->count - 1].flag = true;
  return good;
}

bool rh_answer_null(rh_answer *answer, const char *name)
{
  next_item(answer, name, 0)->null = true;
  return true;
}

rh_text *rh_answer_add_part(rh_answer *answer, const char *name)
{
  rh_answer_item *item = next_item(answer, name, 0);
  item->part = rh_alloc(sizeof(*item->part));
  return item->part;
}

const char *rh_answer_not_finite(const rh_answer *answer)
{
  for (int i = 0; i < answer->count; i++) {
    const rh_answer_item *item = &answer->item[i];
    size_t n = item->value != NULL ? count_item_numbers(item) : 0;
    for (size_t k = 0; k < n; k++) {
      if (!isfinite(item->value[k])) {
        return item->name;
      }
    }
  }
  return NULL;
}

bool rh_answer_is_whole(const rh_answer *answer)
{
  for (int i = 0; i < answer->count; i++) {
    const rh_answer_item *item = &answer->item[i];
    bool part = item->part != NULL && item->part->data != NULL;
    if (!item->null && !part && item->value == NULL && item->word == NULL) {
      return false;
    }
  }
  return true;
}

static void write_words(const rh_answer_item *item, rh_json *json)
{
  rh_json_open_array(json, item->name);
  for (int i = 0; i < item->size[0]; i++) {
    rh_json_string(json, NULL, item->word[i].text);
  }
  rh_json_close(json);
}

static void write_rows(const rh_answer_item *item, rh_json *json)
{
  rh_json_open_array(json, item->name);
  for (int i = 0; i < item->size[0]; i++) {
    rh_json_open_object(json, NULL);
    for (int k = 0; k < item->size[1]; k++) {
      rh_json_number(json, item->column[k],
                     item->value[(size_t)i * (size_t)item->size[1] + (size_t)k]);
    }
    rh_json_close(json);
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
    if (item->null) {
      rh_json_null(json, item->name);
    } else if (item->part != NULL) {
      rh_json_raw(json, item->name, item->part->data);
    } else if (item->flag) {
      rh_json_bool(json, item->name, item->value[0] != 0);
    } else if (item->word != NULL && item->ndim == 0) {
      rh_json_string(json, item->name, item->word[0].text);
    } else if (item->word != NULL) {
      write_words(item, json);
    } else if (item->column != NULL) {
      write_rows(item, json);
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
    if (answer->item[i].part != NULL) {
      rh_text_free(answer->item[i].part);
      rh_free(answer->item[i].part);
    }
  }
  *answer = (rh_answer){0};
}
