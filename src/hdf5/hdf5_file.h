// hdf5_file.h: a file driver that never reports a failure to HDF5.
#ifndef ROUTH_HDF5_HDF5_FILE_H
#define ROUTH_HDF5_HDF5_FILE_H

#include <hdf5.h>

typedef struct rh_hdf5_file {
  int file;  // open for reading and writing, empty
  int error; // errno of the first failure, 0: none; valid when HDF5 has closed the file
  hid_t driver;
} rh_hdf5_file;

// Makes `access` (properties of file access) write to `to`, owned by the caller. False: HDF5
// failed.
bool rh_hdf5_file_use(rh_hdf5_file *to, hid_t access);
void rh_hdf5_file_end(rh_hdf5_file *to); // when HDF5 has closed the file

#endif
