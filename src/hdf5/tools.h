// tools.h: makes librouth_tools known to librouth.
#ifndef ROUTH_HDF5_TOOLS_H
#define ROUTH_HDF5_TOOLS_H

// All kinds of librouth, and the export format hdf5; once, before the first export and before the
// sections of a scene are listed, from one thread.
void rh_tools_load(void);

#endif
