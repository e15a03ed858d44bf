// tools.c: what librouth_tools adds to the tables of librouth, and the folder of plug-ins that the environment names.
#include "tools.h"

#include "recording/recording.h"
#include "run/kinds.h"

#include <routh/plugin.h>

#include <stdlib.h>

extern const rh_export rh_export_hdf5;

void rh_tools_load(void)
{
  rh_kinds_load();
  rh_hook_set_plugins(getenv("ROUTH_PLUGINS"));
  if (rh_export_find(rh_export_hdf5.row.name) == NULL) {
    (void)rh_export_register(&rh_export_hdf5);
  }
}
