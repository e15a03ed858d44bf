// state_check.c: numbers of a restart state that are counts, choices or indices: a cast of any other
// value would be undefined, or would lead out of an array.
#include "layout.h"

#include <math.h>

static bool is_count(double x, double end) // 0, 1, ... end - 1
{
  return x >= 0 && x < end && x == floor(x);
}

static bool slots_possible(const rh_model *m, const rh_slot *slot)
{
  for (int k = 0; k < m->nslot; k++) {
    const rh_slot *s = &slot[k];
    if (s->used == 0) {
      continue;
    }
    bool counted = s->mode == floor(s->mode) || s->mode <= RH_CLOSED_STEPPED; // parts of a step
    bool whole =
        s->id == floor(s->id) && fabs(s->id) <= INT32_MAX && counted && fabs(s->mode) <= INT32_MAX;
    if (s->used != 1 || !is_count(s->a, m->nshape) || !is_count(s->b, m->nshape) ||
        !is_count(s->contact, m->ncontact) || !is_count(s->place, INT32_MAX) || !whole) {
      return false;
    }
  }
  return true;
}

bool rh_data_state_possible(const rh_data *d, const double *state)
{
  const rh_model *m = d->model;
  const double *hold = state + (d->hold - d->state);
  for (int i = 0; i < m->nv; i++) {
    if (!is_count(hold[i], RH_HOLD_COUNT)) {
      return false;
    }
  }
  const double *strand = state + (d->dyn.tendon_hold - d->state);
  for (int i = 0; i < m->layout.ntendon; i++) {
    if (!is_count(strand[i], RH_HOLD_COUNT)) {
      return false;
    }
  }
  const double *fired = state + (d->fired - d->state);
  for (int i = 0; i < m->nevent; i++) {
    if (!is_count(fired[i], (double)INT32_MAX + 1)) {
      return false;
    }
  }
  if (d->hand != NULL && !is_count(state[&d->hand->body - d->state], m->nbody)) {
    return false;
  }
  const double *sensor = state + (d->control.sensor - d->state);
  for (int i = 0; i < m->sensors.n; i++) {
    if (m->sensors.of[i].depth > 0 && !is_count(sensor[m->sensors.of[i].memory], 1e15)) {
      return false;
    }
  }
  const rh_slot *slot =
      (const rh_slot *)(const void *)(state + ((const double *)d->slot - d->state));
  return is_count(state[d->used - d->state], (double)m->nslot + 1) && slots_possible(m, slot);
}
