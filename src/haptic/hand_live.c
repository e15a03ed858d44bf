// A hand from outside (rh_hand_in): without input it does nothing.
#include "step.h"

extern const rh_haptic_hand rh_haptic_hand_live;

const rh_haptic_hand rh_haptic_hand_live = {
    .row = {.name = "live", .cite = "", .doc = "from outside: a device, a mouse, another program"},
};
