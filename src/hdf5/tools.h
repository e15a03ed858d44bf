// tools.h: makes librouth_tools known to librouth.
#ifndef ROUTH_HDF5_TOOLS_H
#define ROUTH_HDF5_TOOLS_H

void rh_tools_load(void); // the export format hdf5; once, before the first export, from one thread

#endif
