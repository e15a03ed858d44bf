// export_hdf5.c: HDF5 for Python, MATLAB and Julia.
//   /t                [s] time of each frame
//   /channels/NAME    one dataset per channel, attribute "unit"; a slash in a name is written %2F
//   /events           a table: t, kind, name, dof, slot, x, y, z, before, after, impulse, friction, dn, dt, work, note
//   /scene            scene text; a dataset, because attributes end at 64 KiB
//   attributes of /   routh (version), scene_name, hash (of the last frame), frames
// Times of creation are not stored, so that the same recording gives the same file.
#include "recording/recording.h"

#include "hdf5_file.h"
#include "hdf5_put.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_BYTES (32u << 20) // memory for a block of frames
#define EVENT_BLOCK 256
#define KIND_MAX    16 // letters of an event's kind

typedef struct row { // of the table of events
  double t;
  char kind[KIND_MAX];
  char name[RH_NAME_MAX];
  int dof, slot;
  double x, y, z;
  double before, after, impulse, friction, Dn, Dt, work;
  char note[RH_NOTE_MAX];
} row;

static bool put_scene(hid_t file, const char *text)
{
  text = text ? text : "";
  hid_t type = rh_hdf5_text_type(strlen(text));
  hid_t set = rh_hdf5_create_dataset(file, "scene", type, -1);
  bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  done = H5Dclose(set) >= 0 && done;
  (void)H5Tclose(type);
  return done;
}

static bool put_head(hid_t file, const rh_export_job *job)
{
  char hash[17];
  (void)snprintf(hash, sizeof hash, "%016" PRIx64, job->hash);
  return rh_hdf5_put_text(file, "routh", rh_recording_meta(job->recording, "routh")) &&
         rh_hdf5_put_text(file, "scene_name", rh_recording_meta(job->recording, "scene_name")) &&
         rh_hdf5_put_text(file, "hash", hash) && rh_hdf5_put_integer(file, "frames", job->frames) &&
         put_scene(file, rh_recording_meta(job->recording, "scene"));
}

// ---- Channels

// Opens the dataset of a series of numbers; creates it if needed.
static hid_t open_series(hid_t place, const char *name, const char *unit, long n)
{
  if (H5Lexists(place, name, H5P_DEFAULT) > 0) {
    return H5Dopen2(place, name, H5P_DEFAULT);
  }
  hid_t set = rh_hdf5_create_dataset(place, name, H5T_IEEE_F64LE, n);
  if (set >= 0 && !rh_hdf5_put_text(set, "unit", unit)) {
    (void)H5Dclose(set);
    return H5I_INVALID_HID;
  }
  return set;
}

static hid_t open_group(hid_t file)
{
  if (H5Lexists(file, "channels", H5P_DEFAULT) > 0) {
    return H5Gopen2(file, "channels", H5P_DEFAULT);
  }
  hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  (void)H5Pset_obj_track_times(how, false);
  hid_t group = H5Gcreate2(file, "channels", H5P_DEFAULT, how, H5P_DEFAULT);
  (void)H5Pclose(how);
  return group;
}

typedef struct block { // values of some frames, channel by channel; time is channel 0
  double *value;       // (1 + n, capacity)
  double *one;         // values of one frame (1 + n)
  hsize_t first, n, room;
} block;

static rh_status read_block(const rh_export_job *job, block *b)
{
  for (hsize_t k = 0; k < b->n; k++) {
    RH_TRY(rh_export_read(job, (long)(b->first + k), b->one, b->one + 1));
    for (int i = 0; i <= job->n; i++) {
      b->value[(size_t)i * b->room + k] = b->one[i];
    }
  }
  return RH_OK;
}

static bool put_block(hid_t file, const rh_export_job *job, const block *b)
{
  hid_t group = open_group(file);
  bool done = group >= 0;
  for (int i = 0; done && i <= job->n; i++) {
    char name[4 * RH_NAME_MAX] = "t";
    const char *unit = "s";
    if (i > 0) {
      rh_hdf5_name(rh_channel_name(job->channels, job->channel[i - 1]), name, sizeof name);
      unit = rh_channel_unit(job->channels, job->channel[i - 1]);
    }
    hid_t set = open_series(i > 0 ? group : file, name, unit, job->frames);
    done = set >= 0 && (b->n == 0 || rh_hdf5_put_range(set, H5T_NATIVE_DOUBLE, b->first, b->n,
                                                       b->value + (size_t)i * b->room));
    done = H5Dclose(set) >= 0 && done;
  }
  return H5Gclose(group) >= 0 && done;
}

static rh_status put_frames(hid_t file, const rh_export_job *job, const rh_hdf5_file *to,
                            bool *written)
{
  size_t width = (size_t)job->n + 1;
  hsize_t room = BLOCK_BYTES / (width * sizeof(double));
  hsize_t frames = (hsize_t)job->frames;
  room = room < 1 ? 1 : room;
  room = room > frames ? frames : room;
  block b = {.room = room,
             .value = rh_alloc((width * room + 1) * sizeof(double)),
             .one = rh_alloc(width * sizeof(double))};
  rh_status status = b.value && b.one ? RH_OK : RH_OUT_OF_MEMORY;
  do { // at least once, to create the datasets
    b.n = frames - b.first < room ? frames - b.first : room;
    status = status == RH_OK ? read_block(job, &b) : status;
    *written = status == RH_OK && put_block(file, job, &b);
    b.first += b.n;
  } while (*written && b.first < frames && to->error == 0);
  rh_free(b.value);
  rh_free(b.one);
  return status;
}

// ---- Events

static hid_t row_type(void)
{
  hid_t kind = rh_hdf5_text_type(KIND_MAX);
  hid_t name = rh_hdf5_text_type(RH_NAME_MAX);
  hid_t note = rh_hdf5_text_type(RH_NOTE_MAX);
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(row));
  (void)H5Tinsert(type, "t", HOFFSET(row, t), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "kind", HOFFSET(row, kind), kind);
  (void)H5Tinsert(type, "name", HOFFSET(row, name), name);
  (void)H5Tinsert(type, "dof", HOFFSET(row, dof), H5T_NATIVE_INT);
  (void)H5Tinsert(type, "slot", HOFFSET(row, slot), H5T_NATIVE_INT);
  (void)H5Tinsert(type, "x", HOFFSET(row, x), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "y", HOFFSET(row, y), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "z", HOFFSET(row, z), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "before", HOFFSET(row, before), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "after", HOFFSET(row, after), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "impulse", HOFFSET(row, impulse), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "friction", HOFFSET(row, friction), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "dn", HOFFSET(row, Dn), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "dt", HOFFSET(row, Dt), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "work", HOFFSET(row, work), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "note", HOFFSET(row, note), note);
  (void)H5Tclose(kind);
  (void)H5Tclose(name);
  (void)H5Tclose(note);
  return type;
}

static rh_status read_row(const rh_export_job *job, long index, row *r)
{
  rh_event e;
  RH_TRY(rh_recording_event(job->recording, index, &e, job->diag));
  *r = (row){.t = e.t,
             .dof = e.dof,
             .slot = e.slot,
             .x = e.point[0],
             .y = e.point[1],
             .z = e.point[2],
             .before = e.before,
             .after = e.after,
             .impulse = e.impulse,
             .friction = e.friction,
             .Dn = e.Dn,
             .Dt = e.Dt,
             .work = e.work};
  (void)snprintf(r->kind, sizeof r->kind, "%s", rh_event_word(e.kind));
  (void)snprintf(r->name, sizeof r->name, "%s", e.name);
  (void)snprintf(r->note, sizeof r->note, "%s", e.note);
  return RH_OK;
}

static rh_status put_events(hid_t file, const rh_export_job *job, bool *written)
{
  static const row blank; // for its padding, otherwise undefined
  row rows[EVENT_BLOCK];
  hid_t type = row_type();
  hid_t packed = H5Tcopy(type);
  (void)H5Tpack(packed);
  hid_t set = rh_hdf5_create_dataset(file, "events", packed, job->events);
  rh_status status = RH_OK;
  *written = set >= 0;
  for (long first = 0; first < job->events && status == RH_OK && *written; first += EVENT_BLOCK) {
    long n = job->events - first < EVENT_BLOCK ? job->events - first : EVENT_BLOCK;
    for (long i = 0; i < n && status == RH_OK; i++) {
      rows[i] = blank;
      status = read_row(job, first + i, &rows[i]);
    }
    *written = status == RH_OK && rh_hdf5_put_range(set, type, (hsize_t)first, (hsize_t)n, rows);
  }
  *written = H5Dclose(set) >= 0 && *written;
  (void)H5Tclose(packed);
  (void)H5Tclose(type);
  return status;
}

// ---- The file

static rh_status write_all(hid_t file, const rh_export_job *job, const rh_hdf5_file *to,
                           bool *written)
{
  *written = put_head(file, job);
  rh_status status = *written ? put_frames(file, job, to, written) : RH_OK;
  return status == RH_OK && *written && to->error == 0 ? put_events(file, job, written) : status;
}

// All steps between opening and closing the file. `*written`: HDF5 reported success.
static rh_status write_through(rh_hdf5_file *to, const rh_export_job *job, bool *written)
{
  hid_t how = H5Pcreate(H5P_FILE_CREATE);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // groups with fast access to many members
  bool ready = how >= 0 && access >= 0 && H5Pset_obj_track_times(how, false) >= 0 &&
               H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
               rh_hdf5_file_use(to, access);
  hid_t file = ready ? H5Fcreate("export", H5F_ACC_TRUNC, how, access) : H5I_INVALID_HID;
  *written = file >= 0;
  rh_status status = *written ? write_all(file, job, to, written) : RH_OK;
  *written = (file < 0 || H5Fclose(file) >= 0) && *written;
  (void)H5Pclose(access);
  (void)H5Pclose(how);
  rh_hdf5_file_end(to);
  return status;
}

static rh_status write_hdf5(const rh_export_job *job)
{
  H5E_auto2_t report = NULL;
  void *user = NULL;
  rh_hdf5_file to = {.file = fileno(job->file), .driver = H5I_INVALID_HID};
  bool written = false;
  (void)H5Eget_auto2(H5E_DEFAULT, &report, &user);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // HDF5 would print its errors
  rh_status status = write_through(&to, job, &written);
  (void)H5Eset_auto2(H5E_DEFAULT, report, user);
  if (to.error == ENOMEM) {
    return RH_OUT_OF_MEMORY;
  }
  if (to.error != 0) {
    rh_diag_add(job->diag, RH_ERROR, rh_rec_place(job->target), "could not be written: %s",
                strerror(to.error));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (status == RH_OK && !written) {
    rh_diag_add(job->diag, RH_ERROR, rh_rec_place(job->target), "could not be written by HDF5");
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  return status;
}

const rh_export rh_export_hdf5 = {
    .row = {.name = "hdf5",
            .cite = "",
            .doc = "HDF5: one dataset per channel, a table of events, the scene"},
    .write = write_hdf5,
};
