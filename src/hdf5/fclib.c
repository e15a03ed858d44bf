// fclib.c: reads friction problems in FCLIB's layout. Groups and datasets:
//   fclib_local/W/{m,n,nz,p,i,x}   nz = -1: compressed columns, -2: compressed rows, >= 0: triplets (rows i, columns p)
//   fclib_local/vectors/{q,mu}
//   solution/{r,u}                 optional
// The file is untrusted: sizes are bounded before allocation, indices are checked. Problems with
// equalities (fclib_local/V, R) are refused.
#include "fclib.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

#define NUMBER_MAX  16     // bytes of a number
#define CHUNK_MAX   0x1p24 // bytes of a chunk
#define INFLATES_TO 1032.0 // maximum factor of its bytes (deflate)

typedef struct source { // an open file
  hid_t file;
  const char *path;
  rh_diag *diag;
  int m;              // rows
  long nz;            // scalar entries
  int *row, *column;  // (nz)
  double *x;          // (nz)
  int *order, *first; // entries by block column
} source;

static bool refuse_file(const source *s, const char *name, const char *what)
{
  rh_diag_add(s->diag, RH_ERROR, (rh_place){.file = s->path}, "%s: %s", name, what);
  return false;
}

// Bound of a chunk's size before HDF5 allocates it
static bool chunks_are_small(hid_t how, hid_t space, size_t size)
{
  static const H5Z_filter_t known[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE,
                                       H5Z_FILTER_FLETCHER32};
  hsize_t edge[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_ndims(space);
  double bytes = (double)size;
  if (rank < 1 || rank > H5S_MAX_RANK || H5Pget_chunk(how, rank, edge) != rank) {
    return false;
  }
  for (int i = 0; i < rank; i++) {
    bytes *= (double)edge[i];
  }
  bool good = bytes <= CHUNK_MAX;
  for (int i = 0; i < H5Pget_nfilters(how); i++) {
    unsigned flags = 0;
    size_t values = 0;
    H5Z_filter_t filter = H5Pget_filter2(how, (unsigned)i, &flags, &values, NULL, 0, NULL, NULL);
    bool is_known = false;
    for (int k = 0; k < RH_COUNT(known); k++) {
      is_known = is_known || filter == known[k];
    }
    good = good && is_known;
  }
  return good;
}

// Before allocation: a file cannot hold more numbers than its bytes, or their inflated size, allow.
// HDF5 trusts a damaged file, and reads other files that it names.
static bool storage_is_possible(const source *s, hid_t set, hid_t space, long n)
{
  hsize_t bytes = 0;
  hid_t type = H5Dget_type(set);
  hid_t how = H5Dget_create_plist(set);
  H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  size_t size = type < 0 ? 0 : H5Tget_size(type);
  bool good = how >= 0 && (class == H5T_INTEGER || class == H5T_FLOAT) && size > 0 &&
              size <= NUMBER_MAX && H5Fget_filesize(s->file, &bytes) >= 0;
  double needed = (double)n * (double)size;
  switch (good ? H5Pget_layout(how) : H5D_LAYOUT_ERROR) {
  case H5D_COMPACT:
  case H5D_CONTIGUOUS:
    good = H5Pget_external_count(how) == 0 && needed <= (double)bytes;
    break;
  case H5D_CHUNKED:
    good = needed <= INFLATES_TO * (double)bytes && chunks_are_small(how, space, size);
    break;
  default:
    good = false;
  }
  (void)H5Pclose(how);
  (void)H5Tclose(type);
  return good;
}

// All of a dataset as `type`; NULL: absent, wrong count of numbers, or out of memory.
static void *read_all(const source *s, const char *name, hid_t type, long least, long most,
                      long *count)
{
  hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
  if (set < 0) {
    (void)refuse_file(s, name, "is missing");
    return NULL;
  }
  hid_t space = H5Dget_space(set);
  long n = space < 0 ? -1 : (long)H5Sget_simple_extent_npoints(space);
  void *x = NULL;
  if (n < least || n > most) {
    (void)refuse_file(s, name, "has the wrong number of values");
  } else if (!storage_is_possible(s, set, space, n)) {
    (void)refuse_file(s, name, "has a size or a type that this file cannot hold");
  } else if ((x = rh_alloc(((size_t)n + 1) * H5Tget_size(type))) == NULL) {
    (void)refuse_file(s, name, "out of memory");
  } else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) {
    (void)refuse_file(s, name, "cannot be read");
    rh_free(x);
    x = NULL;
  }
  *count = n;
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  return x;
}

static double *read_numbers(const source *s, const char *name, long count)
{
  long n = 0;
  double *x = read_all(s, name, H5T_NATIVE_DOUBLE, count, count, &n);
  for (long i = 0; x != NULL && i < n; i++) {
    if (!isfinite(x[i])) {
      (void)refuse_file(s, name, "is not finite");
      rh_free(x);
      return NULL;
    }
  }
  return x;
}

static bool read_integer(const source *s, const char *name, int *value)
{
  long n = 0;
  int *x = read_all(s, name, H5T_NATIVE_INT, 1, 1, &n);
  if (x != NULL) {
    *value = x[0];
    rh_free(x);
  }
  return x != NULL;
}

// ---- The matrix as (row, column, x)

// Does p (m + 1) hold the start of each column (or row)?
static bool is_packed(const source *s, const int *p)
{
  bool good = p[0] == 0 && p[s->m] == s->nz;
  for (int j = 0; j < s->m && good; j++) {
    good = p[j] <= p[j + 1] && p[j + 1] <= s->nz;
  }
  return good;
}

// From such p, the column (or row) of each entry. NULL: out of memory.
static int *unpack_starts(const source *s, const int *p)
{
  int *of = rh_alloc(((size_t)s->nz + 1) * sizeof(int));
  for (int j = 0; of != NULL && j < s->m; j++) {
    for (int e = p[j]; e < p[j + 1]; e++) {
      of[e] = j;
    }
  }
  return of;
}

static bool in_range(const source *s, const int *index)
{
  for (long e = 0; e < s->nz; e++) {
    if (index[e] < 0 || index[e] >= s->m) {
      return false;
    }
  }
  return true;
}

static bool read_matrix(source *s)
{
  int columns = 0;
  int form = 0;
  long n = 0;
  const long most = (long)64 * 3 * RH_FCLIB_MOST;
  if (!read_integer(s, "fclib_local/W/m", &s->m) || !read_integer(s, "fclib_local/W/n", &columns) ||
      !read_integer(s, "fclib_local/W/nz", &form)) {
    return false;
  }
  if (s->m != columns || s->m < 0 || s->m % 3 != 0 || s->m > 3 * RH_FCLIB_MOST || form < -2) {
    return refuse_file(s, "fclib_local/W", "must be square with three rows per contact");
  }
  int *i = read_all(s, "fclib_local/W/i", H5T_NATIVE_INT, 0, most, &n);
  s->nz = form >= 0 ? form : form == -1 ? n : -1;
  int *p = i == NULL ? NULL : read_all(s, "fclib_local/W/p", H5T_NATIVE_INT, 1, most, &n);
  if (p != NULL && form == -2) { // rows begin at p, i holds the columns
    s->nz = n == s->m + 1 ? p[s->m] : -1;
  }
  bool sized = p != NULL && s->nz >= 0 && s->nz <= most && (form >= 0 ? n >= s->nz : n == s->m + 1);
  bool read = p != NULL;
  sized = sized && (form >= 0 || is_packed(s, p));
  if (sized && form < 0) {
    int *of = unpack_starts(s, p);
    rh_free(p);
    p = of;
    if (of == NULL) {
      rh_free(i);
      return refuse_file(s, "fclib_local/W", "out of memory");
    }
  }
  s->x = sized ? read_numbers(s, "fclib_local/W/x", s->nz) : NULL;
  s->row = form == -2 ? p : i;
  s->column = form == -2 ? i : p;
  if (read && !(sized && in_range(s, i) && in_range(s, p))) {
    return refuse_file(s, "fclib_local/W", "its indices are not those of a matrix");
  }
  return s->x != NULL;
}

// Zeros for entries whose mirrored entry is absent: the pattern of W becomes symmetric.
static bool mirror_entries(source *s)
{
  size_t n = (size_t)s->nz;
  int *row = rh_realloc(s->row, (2 * n + 1) * sizeof(int));
  s->row = row != NULL ? row : s->row;
  int *column = rh_realloc(s->column, (2 * n + 1) * sizeof(int));
  s->column = column != NULL ? column : s->column;
  double *x = rh_realloc(s->x, (2 * n + 1) * sizeof(double));
  s->x = x != NULL ? x : s->x;
  if (row == NULL || column == NULL || x == NULL) {
    return refuse_file(s, "fclib_local/W", "out of memory");
  }
  memcpy(row + n, column, n * sizeof(int));
  memcpy(column + n, row, n * sizeof(int));
  memset(x + n, 0, n * sizeof(double));
  s->nz *= 2;
  return true;
}

// ---- Blocks

static int ours(int row) // their order is n, t1, t2; ours t1, t2, n
{
  return row / 3 * 3 + (row % 3 + 2) % 3;
}

// Entries in the order of their block columns.
static bool sort_columns(source *s, int n)
{
  s->order = rh_alloc(((size_t)s->nz + 1) * sizeof(int));
  s->first = rh_alloc(((size_t)n + 2) * sizeof(int));
  if (s->order == NULL || s->first == NULL) {
    return false;
  }
  for (long e = 0; e < s->nz; e++) {
    s->first[s->column[e] / 3 + 2]++;
  }
  for (int j = 0; j < n; j++) {
    s->first[j + 2] += s->first[j + 1];
  }
  for (long e = 0; e < s->nz; e++) {
    s->order[s->first[s->column[e] / 3 + 1]++] = (int)e;
  }
  return true;
}

// Entry e of block column j, or its diagonal (e < 0). A block is new where its row has not seen the
// column: `seen` (n) has the last column + 1 of each row, `at` (n) its number of blocks. Counts in
// `start` while `file->col` is NULL, else fills.
static void put_entry(const source *s, rh_fclib *file, int e, int j, int *at)
{
  int *seen = at + s->m / 3;
  int i = e < 0 ? j : s->row[e] / 3;
  bool fill = file->col != NULL;
  if (seen[i] != j + 1) {
    seen[i] = j + 1;
    at[i] += 1;
    if (fill) {
      file->col[at[i] - 1] = j;
    } else {
      file->start[i + 1]++;
    }
  }
  if (fill && e >= 0) {
    int to = 3 * (ours(s->row[e]) % 3) + ours(s->column[e]) % 3;
    file->W[9 * (size_t)(at[i] - 1) + (size_t)to] += s->x[e];
  }
}

// All entries by block columns, diagonals first, so that the columns of a row ascend.
static void walk_entries(const source *s, rh_fclib *file, int n, int *at)
{
  memset(at + n, 0, (size_t)n * sizeof(int));
  for (int j = 0; j < n; j++) {
    put_entry(s, file, -1, j, at);
    for (int k = s->first[j]; k < s->first[j + 1]; k++) {
      put_entry(s, file, s->order[k], j, at);
    }
  }
}

static bool make_blocks(source *s, rh_fclib *file, int n)
{
  int *at = rh_alloc(2 * (size_t)(n + 1) * sizeof(int));
  file->start = rh_alloc(((size_t)n + 1) * sizeof(int));
  bool good = at != NULL && file->start != NULL && sort_columns(s, n);
  if (good) {
    walk_entries(s, file, n, at);
    for (int i = 0; i < n; i++) {
      file->start[i + 1] += file->start[i];
    }
    memcpy(at, file->start, (size_t)n * sizeof(int));
    file->col = rh_alloc(((size_t)file->start[n] + 1) * sizeof(int));
    file->W = rh_alloc(((size_t)file->start[n] + 1) * 9 * sizeof(double));
    good = file->col != NULL && file->W != NULL;
  }
  if (good) {
    walk_entries(s, file, n, at);
  }
  rh_free(at);
  return good;
}

static void move_normals_last(double *x, int n)
{
  for (int k = 0; x != NULL && k < n; k++) {
    double normal = x[3 * k];
    x[3 * k] = x[3 * k + 1];
    x[3 * k + 1] = x[3 * k + 2];
    x[3 * k + 2] = normal;
  }
}

static bool read_rest(source *s, rh_fclib *file)
{
  int n = s->m / 3;
  file->b = read_numbers(s, "fclib_local/vectors/q", s->m);
  file->mu = read_numbers(s, "fclib_local/vectors/mu", n);
  if (file->b == NULL || file->mu == NULL) {
    return false;
  }
  if (H5Lexists(s->file, "solution", H5P_DEFAULT) > 0) {
    file->p = read_numbers(s, "solution/r", s->m);
    file->u = file->p == NULL ? NULL : read_numbers(s, "solution/u", s->m);
    if (file->u == NULL) {
      return false;
    }
  }
  move_normals_last(file->b, n);
  move_normals_last(file->p, n);
  move_normals_last(file->u, n);
  file->kind = rh_alloc(((size_t)n + 1) * sizeof(rh_block_kind));
  if (file->kind == NULL || !make_blocks(s, file, n)) {
    return refuse_file(s, "fclib_local", "out of memory");
  }
  for (int i = 0; i < n; i++) {
    file->kind[i] = RH_BLOCK_CONE;
  }
  file->blocks = (rh_blocks){.n = n,
                             .kind = file->kind,
                             .limit = file->mu,
                             .start = file->start,
                             .col = file->col,
                             .W = file->W,
                             .b = file->b};
  const char *wrong = rh_blocks_check(&file->blocks);
  return wrong == NULL || refuse_file(s, "fclib_local", wrong);
}

rh_status rh_fclib_read(const char *path, rh_diag *diag, rh_fclib *file)
{
  source s = {.path = path, .diag = diag};
  *file = (rh_fclib){0};
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  s.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (s.file < 0) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = path}, "is no HDF5 file that can be read");
    return RH_INPUT_REFUSED;
  }
  bool good =
      H5Lexists(s.file, "fclib_local", H5P_DEFAULT) > 0 ||
      refuse_file(&s, "fclib_local", "is missing: the file has no local problem in FCLIB's layout");
  if (good && H5Lexists(s.file, "fclib_local/V", H5P_DEFAULT) > 0) {
    good = refuse_file(&s, "fclib_local/V", "problems with equalities are not read");
  }
  good = good && read_matrix(&s) && mirror_entries(&s) && read_rest(&s, file);
  void *const held[] = {s.row, s.column, s.x, s.order, s.first};
  for (int i = 0; i < RH_COUNT(held); i++) {
    rh_free(held[i]);
  }
  (void)H5Fclose(s.file);
  if (!good) {
    rh_fclib_free(file);
  }
  return good ? RH_OK : RH_INPUT_REFUSED;
}

void rh_fclib_free(rh_fclib *file)
{
  void *const held[] = {file->kind, file->mu, file->start, file->col,
                        file->W,    file->b,  file->p,     file->u};
  for (int i = 0; i < RH_COUNT(held); i++) {
    rh_free(held[i]);
  }
  *file = (rh_fclib){0};
}

// ---- FCLIB's measure of error

static double squared_distance(double mu, const double *p, const double *u)
{
  double slip = sqrt(u[0] * u[0] + u[1] * u[1]);
  const double y[3] = {p[0] - u[0], p[1] - u[1], p[2] - u[2] - mu * slip};
  double flat = sqrt(y[0] * y[0] + y[1] * y[1]);
  double to[3] = {y[0], y[1], y[2]};
  if (mu * flat <= -y[2]) {
    to[0] = to[1] = to[2] = 0;
  } else if (flat > mu * y[2]) {
    to[2] = (mu * flat + y[2]) / (1 + mu * mu);
    to[0] = mu * to[2] * y[0] / flat;
    to[1] = mu * to[2] * y[1] / flat;
  }
  return (p[0] - to[0]) * (p[0] - to[0]) + (p[1] - to[1]) * (p[1] - to[1]) +
         (p[2] - to[2]) * (p[2] - to[2]);
}

double rh_fclib_error(const rh_blocks *problem, const double *p)
{
  double sum = 0;
  double size = 0;
  for (int i = 0; i < problem->n; i++) {
    double u[3];
    const double *b = problem->b + (ptrdiff_t)3 * i;
    rh_block_rows_of(problem, i, p, u);
    sum += squared_distance(problem->limit[i], p + (ptrdiff_t)3 * i, u);
    size += b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  }
  return size > 0 ? sqrt(sum / size) : sqrt(sum);
}
