// Unilateral coupler: a spring and a damper between device and tool while the tool touches
// something, or would at the device's pose; the device gets no other force. Otherwise the tool is
// at the device's pose.
#include "step.h"

static void couple_bodies(rh_tick *t)
{
  const rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  t->active = t->now->state != (double)RH_STATE_FREE || h->device_overlaps;
  if (t->active) {
    rh_couple(t->d, k->device, k->tool, k->coupler, t->coupling);
  }
}

static void follow_device(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  if (!t->active) {
    rh_put_twin(t, k->device, k->tool);
  }
}

extern const rh_haptic_coupling rh_haptic_coupling_unilateral;

const rh_haptic_coupling rh_haptic_coupling_unilateral = {
    .row =
        {.name = "unilateral",
         .cite = "[CSC] VI",
         .doc =
             "a spring that acts only while the tool touches; else device and tool move together"},
    .needs_device = true,
    .looks = true,
    .act = couple_bodies,
    .follow = follow_device,
};
