// The table of impact laws, from restitutions.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_IMPACT_LAW(name) extern const rh_impact_law rh_impact_law_##name;
#include "restitutions.def"
#undef RH_IMPACT_LAW

enum {

#define RH_IMPACT_LAW(name) row_of_##name,
#include "restitutions.def"
#undef RH_IMPACT_LAW
  built_in
};

static const rh_impact_law *table[built_in + RH_REGISTERED_MAX] = {
#define RH_IMPACT_LAW(name) &rh_impact_law_##name,
#include "restitutions.def"
#undef RH_IMPACT_LAW
};

RH_OPEN_ROW_TABLE(impact_law)
