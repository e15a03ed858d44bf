// The table of haptic methods, from methods.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_HAPTIC_METHOD(name) extern const rh_haptic_method rh_haptic_method_##name;
#include "methods.def"
#undef RH_HAPTIC_METHOD

static const rh_haptic_method *const table[] = {
#define RH_HAPTIC_METHOD(name) &rh_haptic_method_##name,
#include "methods.def"
#undef RH_HAPTIC_METHOD
};

RH_ROW_TABLE(haptic_method)
