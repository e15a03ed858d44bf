// The table of normal laws, from normals.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_NORMAL_LAW(name) extern const rh_normal_law rh_normal_law_##name;
#include "normals.def"
#undef RH_NORMAL_LAW

static const rh_normal_law *const table[] = {
#define RH_NORMAL_LAW(name) &rh_normal_law_##name,
#include "normals.def"
#undef RH_NORMAL_LAW
};

RH_ROW_TABLE(normal_law)
