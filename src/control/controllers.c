// The table of controllers, from controllers.def.
#include "base/table.h"

#include <routh/kind.h>

#define RH_CONTROLLER(name) extern const rh_controller rh_controller_##name;
#include "controllers.def"
#undef RH_CONTROLLER

enum {

#define RH_CONTROLLER(name) row_of_##name,
#include "controllers.def"
#undef RH_CONTROLLER
  built_in
};

static const rh_controller *table[built_in + RH_REGISTERED_MAX] = {
#define RH_CONTROLLER(name) &rh_controller_##name,
#include "controllers.def"
#undef RH_CONTROLLER
};

RH_OPEN_ROW_TABLE(controller)
