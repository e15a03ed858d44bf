// The hand is at the tool itself, as a device without inertia and limits would have it; a device's twin shows where that is, and the wrench
// is that of the environment, within the clamps only.
#include "step.h"

#include <string.h>

static void follow(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  memcpy(t->wrench, t->env, sizeof t->wrench);
  rh_clamp_wrench(t);
  if (k->device != RH_NONE) {
    rh_put_twin(t, k->tool, k->device);
  }
}

extern const rh_haptic_coupling rh_haptic_coupling_weld;

const rh_haptic_coupling rh_haptic_coupling_weld = {
    .row = {.name = "weld",
            .cite = "",
            .doc = "the hand is at the tool; the device shows what an ideal one would give"},
    .at_tool = true,
    .follow = follow,
};
