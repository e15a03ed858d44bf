// The hand is at the tool itself, as for a device without inertia and limits; a device's twin shows
// its pose, and the wrench is that of the environment, within the clamps only.
#include "step.h"

#include <string.h>

static void follow_tool(rh_tick *t)
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
            .doc = "the hand holds the tool; the device gives the force of an ideal one"},
    .at_tool = true,
    .follow = follow_tool,
};
