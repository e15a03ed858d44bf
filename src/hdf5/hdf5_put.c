// hdf5_put.c: texts, numbers and datasets of an HDF5 file, without times of creation.
#include "hdf5_put.h"

#include <stdint.h>
#include <string.h>

hid_t rh_hdf5_text_type(size_t bytes)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(type, bytes > 0 ? bytes : 1);
  (void)H5Tset_cset(type, H5T_CSET_UTF8);
  (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

bool rh_hdf5_put_text(hid_t object, const char *name, const char *text)
{
  text = text ? text : "";
  hid_t type = rh_hdf5_text_type(strlen(text));
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  done = H5Aclose(attribute) >= 0 && done;
  (void)H5Sclose(space);
  (void)H5Tclose(type);
  return done;
}

bool rh_hdf5_put_integer(hid_t object, const char *name, long value)
{
  int64_t number = value;
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &number) >= 0;
  done = H5Aclose(attribute) >= 0 && done;
  (void)H5Sclose(space);
  return done;
}

// A dataset of `n` elements, or of one (n < 0), without a time of creation.
hid_t rh_hdf5_create_dataset(hid_t place, const char *name, hid_t type, long n)
{
  hsize_t size = n < 0 ? 1 : (hsize_t)n;
  hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  (void)H5Pset_obj_track_times(how, false);
  hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  (void)H5Pclose(how);
  (void)H5Sclose(space);
  return set;
}

// Writes `n` elements from `first` on.
bool rh_hdf5_put_range(hid_t set, hid_t type, hsize_t first, hsize_t n, const void *values)
{
  hid_t memory = H5Screate_simple(1, &n, NULL);
  hid_t space = H5Dget_space(set);
  bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL) >= 0 &&
              H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) >= 0;
  (void)H5Sclose(space);
  (void)H5Sclose(memory);
  return done;
}

void rh_hdf5_name(const char *channel, char *name, size_t size)
{
  size_t used = 0;
  for (const char *c = channel; *c && used + 4 < size; c++) {
    if (*c == '/') {
      memcpy(name + used, "%2F", 3);
      used += 3;
    } else {
      name[used++] = *c;
    }
  }
  name[used] = '\0';
}
