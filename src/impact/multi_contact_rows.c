// The table of formulations of impacts at many points, from multi_contact.def.
#include "base/table.h"
#include "impact.h"

#define RH_FORMULATION(name) extern const rh_formulation rh_formulation_##name;
#include "multi_contact.def"
#undef RH_FORMULATION

static const rh_formulation *const table[] = {
#define RH_FORMULATION(name) &rh_formulation_##name,
#include "multi_contact.def"
#undef RH_FORMULATION
};

RH_ROW_TABLE(formulation)
