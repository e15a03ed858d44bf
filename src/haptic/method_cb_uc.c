// Constraints that only push keep the tool out; the device feels them through a coupler that acts in contact only.
#include "step.h"

static void hold_contacts(rh_tick *t)
{
  rh_constrain(t, false);
}

extern const rh_haptic_method rh_haptic_method_cb_uc;

const rh_haptic_method rh_haptic_method_cb_uc = {
    .row = {.name = "cb-uc",
            .cite = "[CSC] VI",
            .doc = "constraints keep the tool out; a unilateral coupler links it to the device"},
    .coupling = "unilateral",
    .gap = RH_GAP_CLOSED,
    .hold = hold_contacts,
};
