// The table of impact laws, from restitutions.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_IMPACT_LAW(name) extern const rh_impact_law rh_impact_law_##name;
#include "restitutions.def"
#undef RH_IMPACT_LAW

static const rh_impact_law *const table[] = {
#define RH_IMPACT_LAW(name) &rh_impact_law_##name,
#include "restitutions.def"
#undef RH_IMPACT_LAW
};

RH_ROW_TABLE(impact_law)
