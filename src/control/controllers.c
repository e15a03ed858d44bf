// The table of controllers, from controllers.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_CONTROLLER(name) extern const rh_controller rh_controller_##name;
#include "controllers.def"
#undef RH_CONTROLLER

static const rh_controller *const table[] = {
#define RH_CONTROLLER(name) &rh_controller_##name,
#include "controllers.def"
#undef RH_CONTROLLER
};

RH_ROW_TABLE(controller)
