// moving.c: the coordinate with the largest motion in the frames of a run, for the plot that its
// summary suggests. A metre counts as much as a radian; attitudes of bodies that turn freely
// (quaternions) only where nothing else moves.
#include "moving.h"

#include <stdio.h>
#include <string.h>

rh_status rh_moving_frame(rh_moving *moving, const rh_data *data)
{
  int n = data->model->nq;
  if (moving->n != n || moving->low == NULL) {
    rh_moving_free(moving);
    moving->low = rh_alloc(2 * ((size_t)n + 1) * sizeof(double));
    if (moving->low == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    moving->high = moving->low + n;
    moving->n = n;
    memcpy(moving->low, data->q, (size_t)n * sizeof(double));
    memcpy(moving->high, data->q, (size_t)n * sizeof(double));
  }
  for (int i = 0; i < n; i++) {
    moving->low[i] = data->q[i] < moving->low[i] ? data->q[i] : moving->low[i];
    moving->high[i] = data->q[i] > moving->high[i] ? data->q[i] : moving->high[i];
  }
  return RH_OK;
}

// Word number `n` of a list with blanks between them.
static const char *word_at(const char *list, int n, int *length)
{
  for (; n > 0 && *list != '\0'; list++) {
    n -= *list == ' ';
  }
  *length = (int)strcspn(list, " ");
  return list;
}

// The coordinate with the largest range; false: none moves. Ranges within rounding are no motion.
static bool find_largest(const rh_moving *moving, const rh_model *model, bool attitudes, char *name,
                         size_t size)
{
  double largest = 1e-9; // [m, rad]
  bool found = false;
  for (int i = 1; i < model->nbody; i++) {
    const rh_model_body *body = &model->body[i];
    for (int j = 0; j < body->joint->nq; j++) {
      int length = 0;
      const char *coord = word_at(body->joint->coord, j, &length);
      bool attitude = !body->joint->scalar && coord[0] == 'q';
      double range = moving->high[body->qadr + j] - moving->low[body->qadr + j];
      if (attitude == attitudes && range > largest) {
        largest = range;
        found = true;
        snprintf(name, size, "%s.%.*s", rh_model_name(model, RH_OBJECT_JOINT, i), length, coord);
      }
    }
  }
  return found;
}

bool rh_moving_name(const rh_moving *moving, const rh_model *model, char *name, size_t size)
{
  return moving->low != NULL && moving->n == model->nq &&
         (find_largest(moving, model, false, name, size) ||
          find_largest(moving, model, true, name, size));
}

void rh_moving_free(rh_moving *moving)
{
  rh_free(moving->low);
  *moving = (rh_moving){0};
}
