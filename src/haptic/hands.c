// The table of hands, from hands.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_HAPTIC_HAND(name) extern const rh_haptic_hand rh_haptic_hand_##name;
#include "hands.def"
#undef RH_HAPTIC_HAND

static const rh_haptic_hand *const table[] = {
#define RH_HAPTIC_HAND(name) &rh_haptic_hand_##name,
#include "hands.def"
#undef RH_HAPTIC_HAND
};

RH_ROW_TABLE(haptic_hand)
