// The table of normal laws, from normals.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_NORMAL_LAW(name) extern const rh_normal_law rh_normal_law_##name;
#include "normals.def"
#undef RH_NORMAL_LAW

enum {

#define RH_NORMAL_LAW(name) row_of_##name,
#include "normals.def"
#undef RH_NORMAL_LAW
  built_in
};

static const rh_normal_law *table[built_in + RH_REGISTERED_MAX] = {
#define RH_NORMAL_LAW(name) &rh_normal_law_##name,
#include "normals.def"
#undef RH_NORMAL_LAW
};

RH_OPEN_ROW_TABLE(normal_law)
