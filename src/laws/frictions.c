// The table of friction laws, from frictions.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_FRICTION_LAW(name) extern const rh_friction_law rh_friction_law_##name;
#include "frictions.def"
#undef RH_FRICTION_LAW

static const rh_friction_law *const table[] = {
#define RH_FRICTION_LAW(name) &rh_friction_law_##name,
#include "frictions.def"
#undef RH_FRICTION_LAW
};

RH_ROW_TABLE(friction_law)
