// journal_hdf5.c: a sweep for Python, MATLAB and Julia.
//   /case             index of each case
//   /status, /reason  texts
//   /columns/NAME     one dataset per varied value and outcome; a slash in a name is written %2F
//   /scene            scene text
//   attributes of /   routh, scene_name, vary, out, design, seed, cases, sum
#include "journal_hdf5.h"

#include "hdf5_file.h"
#include "hdf5_put.h"
#include "recording/recording.h"

#include <errno.h>
#include <string.h>

#define BLOCK 4096 // rows in memory

typedef struct set { // one dataset and its part in memory
  hid_t set, type;
  double *number; // (BLOCK) NULL: texts
  char **text;    // (BLOCK)
  int64_t *index; // (BLOCK) the cases
} set;

typedef struct writer {
  const rh_journal *journal;
  const rh_hdf5_file *to;
  set *set; // case, status, reason, then the columns (nset)
  int nset;
  hsize_t first, n; // rows before the block, and in it
  long rows;
} writer;

static void count_case(void *user, int64_t index)
{
  (void)index;
  ++*(long *)user;
}

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = rh_alloc(size);
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

static void clear_texts(writer *w)
{
  for (int i = 0; i < w->nset; i++) {
    for (hsize_t k = 0; w->set[i].text != NULL && k < BLOCK; k++) {
      rh_free(w->set[i].text[k]);
      w->set[i].text[k] = NULL;
    }
  }
}

static rh_status flush_block(writer *w)
{
  bool done = w->to->error == 0;
  for (int i = 0; done && w->n > 0 && i < w->nset; i++) {
    set *s = &w->set[i];
    const void *values = s->index != NULL    ? (const void *)s->index
                         : s->number != NULL ? (const void *)s->number
                                             : (const void *)s->text;
    done = rh_hdf5_put_range(s->set, s->type, w->first, w->n, values);
  }
  clear_texts(w);
  w->first += w->n;
  w->n = 0;
  return done ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}

static rh_status put_row(void *user, const rh_journal_row *row)
{
  writer *w = user;
  bool done = w->first + w->n < (hsize_t)w->rows;
  for (int i = 0; done && i < w->nset; i++) {
    set *s = &w->set[i];
    const char *text = i == 1 ? row->status : i == 2 ? row->reason : i > 2 ? row->text[i - 3] : "";
    if (s->index != NULL) {
      s->index[w->n] = row->index;
    } else if (s->number != NULL) {
      s->number[w->n] = row->number[i - 3];
    } else {
      s->text[w->n] = copy_text(text);
      done = s->text[w->n] != NULL;
    }
  }
  if (!done) {
    return RH_OUT_OF_MEMORY;
  }
  w->n++;
  return w->n == BLOCK ? flush_block(w) : RH_OK;
}

static bool open_set(writer *w, hid_t place, const char *name, bool text)
{
  set *s = &w->set[w->nset++];
  char own[1024];
  rh_hdf5_name(name, own, sizeof own);
  bool index = w->nset == 1;
  s->type = text ? H5Tcopy(H5T_C_S1) : H5Tcopy(index ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
  if (text) {
    (void)H5Tset_size(s->type, H5T_VARIABLE);
    (void)H5Tset_cset(s->type, H5T_CSET_UTF8);
    s->text = rh_alloc(BLOCK * sizeof *s->text);
  } else if (index) {
    s->index = rh_alloc(BLOCK * sizeof *s->index);
  } else {
    s->number = rh_alloc(BLOCK * sizeof *s->number);
  }
  hid_t stored = text ? s->type : index ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  s->set = rh_hdf5_create_dataset(place, own, stored, w->rows);
  return s->set >= 0 && (s->text != NULL || s->index != NULL || s->number != NULL);
}

static bool put_head(hid_t file, const rh_journal *journal)
{
  static const char *const key[] = {"routh", "scene_name", "design", "seed",
                                    "cases", "sum",        "out",    "vary"};
  bool done = true;
  for (int i = 0; done && i < RH_COUNT(key); i++) {
    done = rh_hdf5_put_text(file, key[i], rh_journal_meta(journal, key[i]));
  }
  const char *text = rh_journal_meta(journal, "scene");
  text = text != NULL ? text : "";
  hid_t type = rh_hdf5_text_type(strlen(text));
  hid_t scene = rh_hdf5_create_dataset(file, "scene", type, -1);
  done = done && scene >= 0 && H5Dwrite(scene, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  done = H5Dclose(scene) >= 0 && done;
  (void)H5Tclose(type);
  return done;
}

static rh_status write_rows(hid_t file, writer *w, rh_journal *journal, rh_diag *diag)
{
  hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  (void)H5Pset_obj_track_times(how, false);
  hid_t group = H5Gcreate2(file, "columns", H5P_DEFAULT, how, H5P_DEFAULT);
  (void)H5Pclose(how);
  bool done = group >= 0 && open_set(w, file, "case", false) && open_set(w, file, "status", true) &&
              open_set(w, file, "reason", true);
  for (int i = 0; done && i < rh_journal_columns(journal); i++) {
    rh_journal_column column = rh_journal_column_at(journal, i);
    done = open_set(w, group, column.name, column.text);
  }
  rh_status status = done ? rh_journal_read(journal, put_row, w, diag) : RH_OUTPUT_NOT_WRITTEN;
  status = status == RH_OK ? flush_block(w) : status;
  clear_texts(w);
  for (int i = 0; i < w->nset; i++) {
    (void)H5Dclose(w->set[i].set);
    (void)H5Tclose(w->set[i].type);
    rh_free(w->set[i].index);
    rh_free(w->set[i].number);
    rh_free(w->set[i].text);
  }
  (void)H5Gclose(group);
  return status;
}

static rh_status write_file(rh_hdf5_file *to, writer *w, rh_journal *journal, rh_diag *diag)
{
  hid_t how = H5Pcreate(H5P_FILE_CREATE);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  bool ready = how >= 0 && access >= 0 && H5Pset_obj_track_times(how, false) >= 0 &&
               H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
               rh_hdf5_file_use(to, access);
  hid_t file = ready ? H5Fcreate("export", H5F_ACC_TRUNC, how, access) : H5I_INVALID_HID;
  rh_status status = file >= 0 && put_head(file, journal) ? write_rows(file, w, journal, diag)
                                                          : RH_OUTPUT_NOT_WRITTEN;
  if (file >= 0 && H5Fclose(file) < 0 && status == RH_OK) {
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  (void)H5Pclose(access);
  (void)H5Pclose(how);
  rh_hdf5_file_end(to);
  return status;
}

rh_status rh_journal_write_hdf5(rh_journal *journal, FILE *file, const char *target, rh_diag *diag)
{
  H5E_auto2_t report = NULL;
  void *user = NULL;
  rh_hdf5_file to = {.file = fileno(file), .driver = H5I_INVALID_HID};
  writer w = {.journal = journal, .to = &to};
  RH_TRY(rh_journal_indices(journal, count_case, &w.rows, diag));
  w.set = rh_alloc(((size_t)rh_journal_columns(journal) + 3) * sizeof *w.set);
  if (w.set == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  (void)H5Eget_auto2(H5E_DEFAULT, &report, &user);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // HDF5 would print its errors
  rh_status status = write_file(&to, &w, journal, diag);
  (void)H5Eset_auto2(H5E_DEFAULT, report, user);
  rh_free(w.set);
  if (to.error == ENOMEM) {
    return RH_OUT_OF_MEMORY;
  }
  if (status == RH_OUTPUT_NOT_WRITTEN || (status == RH_OK && to.error != 0)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "%s",
                to.error != 0 ? strerror(to.error) : "HDF5 could not write it");
    return RH_OUTPUT_NOT_WRITTEN;
  }
  return status;
}
