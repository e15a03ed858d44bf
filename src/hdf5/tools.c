// tools.c: what librouth_tools adds to the tables of librouth.
#include "tools.h"

#include "recording/recording.h"
#include "run/kinds.h"

extern const rh_export rh_export_hdf5;

void rh_tools_load(void)
{
  rh_kinds_load();
  if (rh_export_find(rh_export_hdf5.row.name) == NULL) {
    (void)rh_export_register(&rh_export_hdf5);
  }
}
