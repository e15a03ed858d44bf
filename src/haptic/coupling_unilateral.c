// Unilateral coupler: a spring and a damper between device and tool while the tool touches something, or would where the device is; the
// device feels nothing else. Apart from that the tool is where the device is.
#include "step.h"

static void act(rh_tick *t)
{
  const rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  t->active = t->now->state != (double)RH_STATE_FREE || h->device_overlaps;
  if (t->active) {
    rh_couple(t->d, k->device, k->tool, k->coupler, t->coupling);
  }
}

static void follow(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  if (!t->active) {
    rh_put_twin(t, k->device, k->tool);
  }
}

extern const rh_haptic_coupling rh_haptic_coupling_unilateral;

const rh_haptic_coupling rh_haptic_coupling_unilateral = {
    .row = {.name = "unilateral",
            .cite = "[CSC] VI",
            .doc = "a spring that is there only while the tool touches; else they go together"},
    .needs_device = true,
    .looks = true,
    .act = act,
    .follow = follow,
};
