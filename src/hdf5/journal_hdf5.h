// journal_hdf5.h: the cases of a sweep's journal as an HDF5 file.
#ifndef ROUTH_HDF5_JOURNAL_HDF5_H
#define ROUTH_HDF5_JOURNAL_HDF5_H

#include "recording/journal/journal.h"

#include <stdio.h>

// Writes into an empty file that is open for reading and writing; `target` is its name in messages.
rh_status rh_journal_write_hdf5(rh_journal *journal, FILE *file, const char *target, rh_diag *diag);

#endif
