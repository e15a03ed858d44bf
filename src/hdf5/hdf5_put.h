// hdf5_put.h: texts, numbers and datasets of an HDF5 file, without times of creation, so that equal
// contents give equal files.
#ifndef ROUTH_HDF5_HDF5_PUT_H
#define ROUTH_HDF5_HDF5_PUT_H

#include <hdf5.h>
#include <stdbool.h>

hid_t rh_hdf5_text_type(size_t bytes); // of fixed length
bool rh_hdf5_put_text(hid_t object, const char *name, const char *text); // attributes
bool rh_hdf5_put_integer(hid_t object, const char *name, long value);
// A dataset of `n` elements, or of one (n < 0).
hid_t rh_hdf5_create_dataset(hid_t place, const char *name, hid_t type, long n);
// Writes `n` elements from `first` on.
bool rh_hdf5_put_range(hid_t set, hid_t type, hsize_t first, hsize_t n, const void *values);
// The name of a dataset: a slash is written %2F.
void rh_hdf5_name(const char *channel, char *name, size_t size);

#endif
