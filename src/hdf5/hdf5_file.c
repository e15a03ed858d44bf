// hdf5_file.c: HDF5 does not survive a failing disk: a file that cannot be flushed stays open in
// the library, which crashes at the end of the process when it tries again (1.10). So HDF5 uses
// this driver, which reads and writes itself, keeps the first error for the caller and reports
// success. HDF5 must not read unwritten data: its metadata stays in memory until the file is
// closed; it is small.
#define _XOPEN_SOURCE 700 // pread, pwrite

#include "recording/recording.h"

#include "hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct open_file {
  H5FD_t head; // HDF5's own, first
  rh_hdf5_file *to;
  haddr_t allocated, end; // bytes
} open_file;

static H5FD_t *open_driver(const char *name, unsigned flags, hid_t access, haddr_t most)
{
  rh_hdf5_file *const *to = H5Pget_driver_info(access);
  open_file *f = to != NULL ? rh_alloc(sizeof *f) : NULL;
  (void)name;
  (void)flags;
  (void)most;
  if (f != NULL) {
    f->to = *to;
  } else if (to != NULL) {
    (*to)->error = ENOMEM;
  }
  return (H5FD_t *)f;
}

static herr_t close_driver(H5FD_t *file)
{
  rh_free(file);
  return 0;
}

static int compare_files(const H5FD_t *a, const H5FD_t *b)
{
  const rh_hdf5_file *x = ((const open_file *)a)->to;
  const rh_hdf5_file *y = ((const open_file *)b)->to;
  return x == y ? 0 : x < y ? -1 : 1;
}

static herr_t tell_features(const H5FD_t *file, unsigned long *flags)
{
  (void)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t get_allocated(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const open_file *)file)->allocated;
}

static herr_t set_allocated(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
  (void)type;
  ((open_file *)file)->allocated = end;
  return 0;
}

static haddr_t get_end(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const open_file *)file)->end;
}

static void note_error(open_file *f, int error)
{
  f->to->error = f->to->error != 0 ? f->to->error : error != 0 ? error : EIO;
}

static herr_t read_bytes(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t size,
                         void *bytes)
{
  open_file *f = (open_file *)file;
  unsigned char *to = bytes;
  (void)type;
  (void)how;
  while (size > 0) {
    ssize_t n = pread(f->to->file, to, size, (off_t)at);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      note_error(f, errno);
    }
    if (n <= 0) {
      memset(to, 0, size); // zeros after the end
      return 0;
    }
    to += n;
    at += (haddr_t)n;
    size -= (size_t)n;
  }
  return 0;
}

static herr_t write_bytes(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t size,
                          const void *bytes)
{
  open_file *f = (open_file *)file;
  const unsigned char *from = bytes;
  (void)type;
  (void)how;
  f->end = at + size > f->end ? at + size : f->end;
  while (size > 0 && f->to->error == 0) {
    ssize_t n = pwrite(f->to->file, from, size, (off_t)at);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      note_error(f, n < 0 ? errno : ENOSPC);
      break;
    }
    from += n;
    at += (haddr_t)n;
    size -= (size_t)n;
  }
  return 0;
}

static herr_t set_length(H5FD_t *file, hid_t how, hbool_t closing)
{
  open_file *f = (open_file *)file;
  (void)how;
  (void)closing;
  if (f->end != f->allocated && f->to->error == 0 &&
      ftruncate(f->to->file, (off_t)f->allocated) != 0) {
    note_error(f, errno);
  }
  f->end = f->allocated;
  return 0;
}

static const H5FD_class_t class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)520,
#endif
    .name = "routh",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(rh_hdf5_file *),
    .open = open_driver,
    .close = close_driver,
    .cmp = compare_files,
    .query = tell_features,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_end,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = set_length,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

static bool keep_metadata(hid_t access)
{
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(access, &cache) < 0) {
    return false;
  }
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config(access, &cache) >= 0;
}

bool rh_hdf5_file_use(rh_hdf5_file *to, hid_t access)
{
  to->driver = H5FDregister(&class);
  return to->driver >= 0 && H5Pset_driver(access, to->driver, &to) >= 0 && keep_metadata(access);
}

void rh_hdf5_file_end(rh_hdf5_file *to)
{
  if (to->driver >= 0) {
    (void)H5FDunregister(to->driver);
  }
}
