// The table of friction laws, from frictions.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_FRICTION_LAW(name) extern const rh_friction_law rh_friction_law_##name;
#include "frictions.def"
#undef RH_FRICTION_LAW

enum {

#define RH_FRICTION_LAW(name) row_of_##name,
#include "frictions.def"
#undef RH_FRICTION_LAW
  built_in
};

static const rh_friction_law *table[built_in + RH_REGISTERED_MAX] = {
#define RH_FRICTION_LAW(name) &rh_friction_law_##name,
#include "frictions.def"
#undef RH_FRICTION_LAW
};

RH_OPEN_ROW_TABLE(friction_law)
