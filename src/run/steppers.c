// The table of steppers, from steppers.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_STEPPER(name) extern const rh_stepper rh_stepper_##name;
#include "steppers.def"
#undef RH_STEPPER

static const rh_stepper *const table[] = {
#define RH_STEPPER(name) &rh_stepper_##name,
#include "steppers.def"
#undef RH_STEPPER
};

RH_ROW_TABLE(stepper)
