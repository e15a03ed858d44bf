// Penalties only: every contact, new or old, is pressed apart by its law.
#include "step.h"

static void press_contacts(rh_tick *t)
{
  rh_press_all(t, false);
}

extern const rh_haptic_method rh_haptic_method_pb;

const rh_haptic_method rh_haptic_method_pb = {
    .row = {.name = "pb", .cite = "[CSC] VI", .doc = "penalties only"},
    .coupling = "four-channel",
    .meet = press_contacts,
};
