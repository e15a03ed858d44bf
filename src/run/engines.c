// The table of engines, from engines.def; the first is the usual one.
#include "base/table.h"

#include <routh/kind.h>

#define RH_ENGINE(name) extern const rh_engine rh_engine_##name;
#include "engines.def"
#undef RH_ENGINE

static const rh_engine *const table[] = {
#define RH_ENGINE(name) &rh_engine_##name,
#include "engines.def"
#undef RH_ENGINE
};

RH_ROW_TABLE(engine)
