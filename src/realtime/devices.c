// The table of devices, from devices.def.
#include "base/table.h"
#include "live.h"

#define RH_DEVICE(name) extern const rh_device rh_device_##name;
#include "devices.def"
#undef RH_DEVICE

static const rh_device *const table[] = {
#define RH_DEVICE(name) &rh_device_##name,
#include "devices.def"
#undef RH_DEVICE
};

RH_ROW_TABLE(device)
