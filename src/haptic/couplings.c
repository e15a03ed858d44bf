// The table of couplings between device and tool, from couplings.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_HAPTIC_COUPLING(name) extern const rh_haptic_coupling rh_haptic_coupling_##name;
#include "couplings.def"
#undef RH_HAPTIC_COUPLING

static const rh_haptic_coupling *const table[] = {
#define RH_HAPTIC_COUPLING(name) &rh_haptic_coupling_##name,
#include "couplings.def"
#undef RH_HAPTIC_COUPLING
};

RH_ROW_TABLE(haptic_coupling)
