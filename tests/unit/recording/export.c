// unit_export.c: what is exported is what was recorded: every number read back from CSV and HDF5 has the bits of the
// channel it came from; names, units, hash and events come along; nothing is half written.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#include <hdf5/serial/hdf5.h>
#endif
#include <inttypes.h>
#include <locale.h>
#include <sys/stat.h>

static world w;
static run *r;
static rh_recording *recording;
static rh_channels *channels;
static rh_data *data;
static rh_diag *diag;

static void setup(void)
{
  rec_setup();
  w = world_open(NULL, 0);
  r = run_recorded(&w, rec_at("a.rhr"), 0.6);
  recording = rec_open(rec_at("a.rhr"));
  channels = rh_channels_create(w.model);
  data = rh_data_create(w.model);
  diag = rh_diag_create();
  ck_assert_ptr_nonnull(channels);
  ck_assert_ptr_nonnull(data);
}

static void teardown(void)
{
  rh_diag_destroy(diag);
  rh_data_destroy(data);
  rh_channels_destroy(channels);
  rh_recording_close(recording);
  run_close(r);
  world_close(&w);
  rec_teardown();
}

static rh_status export(const char *format, const char *path, const char *const *channel, int n)
{
  return rh_recording_export(recording, format, path, channel, n, diag);
}

// A channel of a frame, from the state that the run told.
static double value_of(long frame, const char *channel)
{
  int index = rh_channel_find(channels, channel);
  ck_assert_msg(index >= 0, "%s", channel);
  memcpy(data->state, r->state + frame * r->nstate, (size_t)r->nstate * sizeof(double));
  double value;
  rh_channels_read(channels, data, &index, 1, &value);
  return value;
}

static double time_of(long frame)
{
  memcpy(data->state, r->state + frame * r->nstate, (size_t)r->nstate * sizeof(double));
  return *data->t;
}

// ---- CSV

// Reads a line without its end; false at the end of the file.
static bool next_line(FILE *file, char *line, int size)
{
  if (!fgets(line, size, file)) {
    return false;
  }
  line[strcspn(line, "\n")] = '\0';
  return true;
}

#define LINE 65536

// Checks comment lines and header; leaves the file at the first frame and puts the channel names, cut from their units,
// into `name`. Returns how many there are, `t` included.
static int check_head(FILE *file, char name[][RH_NAME_MAX * 2], int max)
{
  static char line[LINE];
  char want[64];
  uint64_t hash = 0;
  ck_assert_int_eq(rh_recording_frame(recording, r->frames - 1, data->state, &hash, NULL), RH_OK);
  (void)snprintf(want, sizeof want, "# hash: %016" PRIx64, hash);
  bool found = false;
  ck_assert(next_line(file, line, LINE));
  ck_assert_str_eq(line, "# routh: " RH_VERSION);
  while (line[0] == '#') {
    found = found || strcmp(line, want) == 0;
    ck_assert(next_line(file, line, LINE));
  }
  ck_assert(found);
  int n = 0;
  for (char *field = strtok(line, ","); field; field = strtok(NULL, ","), n++) {
    ck_assert_int_lt(n, max);
    char *unit = strstr(field, " [");
    ck_assert_ptr_nonnull(unit);
    *unit = '\0';
    (void)snprintf(name[n], RH_NAME_MAX * 2, "%s", field);
    unit += 2;
    unit[strlen(unit) - 1] = '\0';
    if (n > 0) {
      ck_assert_str_eq(unit, rh_channel_unit(channels, rh_channel_find(channels, field)));
    }
  }
  ck_assert_str_eq(name[0], "t");
  return n;
}

// Every number of the file must be that of its channel. Returns how many columns there are.
static int check_csv(const char *path)
{
  static char name[256][RH_NAME_MAX * 2];
  static char line[LINE];
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  int n = check_head(file, name, 256);
  long frame = 0;
  for (; next_line(file, line, LINE); frame++) {
    const char *at = line;
    for (int i = 0; i < n; i++) {
      char *end = NULL;
      double value = strtod(at, &end);
      ck_assert_double_eq(value, i == 0 ? time_of(frame) : value_of(frame, name[i]));
      ck_assert_int_eq(*end, i + 1 < n ? ',' : '\0');
      at = end + 1;
    }
  }
  ck_assert_int_eq(frame, r->frames);
  (void)fclose(file);
  return n;
}

START_TEST(csv_holds_the_channels)
{
  ck_assert_int_eq(export("csv", rec_at("a.csv"), NULL, 0), RH_OK);
  int columns = rh_channels_count(channels) + (rh_channel_find(channels, "t") < 0);
  ck_assert_int_eq(check_csv(rec_at("a.csv")), columns);
  static const char *const some[] = {"hinge.v", "t", "tip.z"};
  ck_assert_int_eq(export("csv", rec_at("a.csv"), some, 3), RH_OK); // over the first one
  ck_assert_int_eq(check_csv(rec_at("a.csv")), 3);                  // t is there once
  ck_assert_int_eq(rec_files(), 2);
}

END_TEST

START_TEST(csv_to_standard_output)
{
  (void)fflush(stdout);
  int keep = dup(STDOUT_FILENO);
  ck_assert_ptr_nonnull(freopen(rec_at("out.csv"), "w", stdout));
  rh_status status = export("csv", "-", NULL, 0);
  (void)fflush(stdout);
  (void)dup2(keep, STDOUT_FILENO);
  ck_assert_int_eq(status, RH_OK);
  (void)check_csv(rec_at("out.csv"));
  ck_assert_int_eq(export("hdf5", "-", NULL, 0), RH_WRONG_USAGE);
}

END_TEST

START_TEST(csv_knows_no_locale)
{
  static const char *const locale[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
  bool set = false;
  for (int i = 0; i < RH_COUNT(locale) && !set; i++) {
    set = setlocale(LC_ALL, locale[i]) !=
          NULL; // where no such locale is installed, nothing can be shown
  }
  ck_assert_int_eq(export("csv", rec_at("a.csv"), NULL, 0), RH_OK);
  (void)setlocale(LC_ALL, "C");
  (void)check_csv(rec_at("a.csv"));
}

END_TEST

START_TEST(csv_into_a_device)
{
  ck_assert_int_eq(export("csv", "/dev/null", NULL, 0), RH_OK);
  struct stat info;
  ck_assert_int_eq(stat("/dev/null", &info), 0);
  ck_assert(S_ISCHR(info.st_mode)); // it was written to, not replaced
  ck_assert_int_eq(export("csv", "/dev/full", NULL, 0), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(export("hdf5", "/dev/null", NULL, 0), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 2);
}

END_TEST

// ---- HDF5

static hid_t open_hdf5(const char *path)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  return file;
}

static void read_text(hid_t object, const char *name, char *text, size_t size)
{
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  ck_assert_int_ge(attribute, 0);
  hid_t type = H5Aget_type(attribute);
  ck_assert_uint_lt(H5Tget_size(type), size);
  memset(text, 0, size);
  ck_assert_int_ge(H5Aread(attribute, type, text), 0);
  (void)H5Tclose(type);
  (void)H5Aclose(attribute);
}

static void check_series(hid_t place, const char *name, const char *unit)
{
  double value[FRAMES_MAX];
  char text[64];
  hid_t set = H5Dopen2(place, name, H5P_DEFAULT);
  ck_assert_int_ge(set, 0);
  hid_t space = H5Dget_space(set);
  ck_assert_int_eq(H5Sget_simple_extent_npoints(space), r->frames);
  ck_assert_int_ge(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), 0);
  read_text(set, "unit", text, sizeof text);
  ck_assert_str_eq(text, unit);
  for (long i = 0; i < r->frames; i++) {
    ck_assert_double_eq(value[i], strcmp(name, "t") == 0 ? time_of(i) : value_of(i, name));
  }
  (void)H5Sclose(space);
  (void)H5Dclose(set);
}

typedef struct row { // as a reader that wants only these columns sees an event
  double t, impulse;
  int dof;
  char name[RH_NAME_MAX];
} row;

static void check_events(hid_t file)
{
  row rows[EVENTS_MAX];
  hid_t text = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(text, RH_NAME_MAX);
  (void)H5Tset_cset(text, H5T_CSET_UTF8);
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(row));
  (void)H5Tinsert(type, "t", HOFFSET(row, t), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "impulse", HOFFSET(row, impulse), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "dof", HOFFSET(row, dof), H5T_NATIVE_INT);
  (void)H5Tinsert(type, "name", HOFFSET(row, name), text);
  hid_t set = H5Dopen2(file, "events", H5P_DEFAULT);
  hid_t space = H5Dget_space(set);
  ck_assert_int_eq(H5Sget_simple_extent_npoints(space), r->events);
  ck_assert_int_gt(r->events, 0);
  ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
  for (long i = 0; i < r->events; i++) {
    ck_assert_double_eq(rows[i].t, r->event[i].t);
    ck_assert_double_eq(rows[i].impulse, r->event[i].impulse);
    ck_assert_int_eq(rows[i].dof, r->event[i].dof);
    ck_assert_str_eq(rows[i].name, r->event[i].name);
  }
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Tclose(type);
  (void)H5Tclose(text);
}

START_TEST(hdf5_holds_channels_and_events)
{
  ck_assert_int_eq(export("hdf5", rec_at("a.h5"), NULL, 0), RH_OK);
  hid_t file = open_hdf5(rec_at("a.h5"));
  hid_t group = H5Gopen2(file, "channels", H5P_DEFAULT);
  check_series(file, "t", "s");
  int count = 0;
  for (int i = 0; i < rh_channels_count(channels); i++) {
    const char *name = rh_channel_name(channels, i);
    if (strcmp(name, "t") != 0) {
      check_series(group, name, rh_channel_unit(channels, i));
      count++;
    }
  }
  H5G_info_t info;
  ck_assert_int_ge(H5Gget_info(group, &info), 0);
  ck_assert_int_eq(info.nlinks, count);
  check_events(file);
  char text[64];
  char want[32];
  uint64_t hash = 0;
  ck_assert_int_eq(rh_recording_frame(recording, r->frames - 1, data->state, &hash, NULL), RH_OK);
  (void)snprintf(want, sizeof want, "%016" PRIx64, hash);
  read_text(file, "hash", text, sizeof text);
  ck_assert_str_eq(text, want);
  read_text(file, "routh", text, sizeof text);
  ck_assert_str_eq(text, RH_VERSION);
  hid_t set = H5Dopen2(file, "scene", H5P_DEFAULT);
  hid_t type = H5Dget_type(set);
  char *scene = calloc(H5Tget_size(type) + 1, 1);
  ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, scene), 0);
  ck_assert_str_eq(scene, w.text);
  free(scene);
  (void)H5Tclose(type);
  (void)H5Dclose(set);
  (void)H5Gclose(group);
  (void)H5Fclose(file);
}

END_TEST

START_TEST(hdf5_of_some_channels)
{
  static const char *const some[] = {"hinge.q", "t", "hinge.q"};
  ck_assert_int_eq(export("hdf5", rec_at("a.h5"), some, 3), RH_OK);
  hid_t file = open_hdf5(rec_at("a.h5"));
  hid_t group = H5Gopen2(file, "channels", H5P_DEFAULT);
  H5G_info_t info;
  ck_assert_int_ge(H5Gget_info(group, &info), 0);
  ck_assert_int_eq(info.nlinks, 1);
  check_series(group, "hinge.q", rh_channel_unit(channels, rh_channel_find(channels, "hinge.q")));
  (void)H5Gclose(group);
  (void)H5Fclose(file);
}

END_TEST

static size_t read_bytes(const char *path, char **bytes)
{
  struct stat info;
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fstat(fileno(file), &info), 0);
  *bytes = calloc((size_t)info.st_size + 1, 1);
  ck_assert_uint_eq(fread(*bytes, 1, (size_t)info.st_size, file), (size_t)info.st_size);
  (void)fclose(file);
  return (size_t)info.st_size;
}

START_TEST(same_recording_same_bytes)
{
  static const char *const format[] = {"csv", "hdf5"};
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(export(format[i], rec_at("a.out"), NULL, 0), RH_OK);
    (void)sleep(1); // clock: HDF5 would keep the time in seconds
    ck_assert_int_eq(export(format[i], rec_at("b.out"), NULL, 0), RH_OK);
    char *a = NULL;
    char *b = NULL;
    size_t size = read_bytes(rec_at("a.out"), &a);
    ck_assert_uint_eq(size, read_bytes(rec_at("b.out"), &b));
    ck_assert_int_eq(memcmp(a, b, size), 0);
    free(a);
    free(b);
  }
}

END_TEST

// ---- Both

START_TEST(empty_recording)
{
  rh_recorder *recorder = NULL;
  ck_assert_int_eq(
      rh_recorder_create(rec_at("e.rhr"), w.model, "two\nlines", w.text, diag, &recorder), RH_OK);
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
  rh_recording *empty = rec_open(rec_at("e.rhr"));
  ck_assert_int_eq(rh_recording_export(empty, "csv", rec_at("e.csv"), NULL, 0, diag), RH_OK);
  ck_assert_int_eq(rh_recording_export(empty, "hdf5", rec_at("e.h5"), NULL, 0, diag), RH_OK);
  char *text = NULL;
  (void)read_bytes(rec_at("e.csv"), &text);
  ck_assert_ptr_nonnull(strstr(text, "# scene: two lines\n"));
  free(text);
  rh_recording_close(empty);
}

END_TEST

START_TEST(wrong_names)
{
  static const char *const wrong[] = {"hinge.w", "hinge.q", "nothing at all"};
  ck_assert_int_eq(export("csv", rec_at("a.csv"), wrong, 3), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 2); // both at once
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "did you mean 'hinge."));
  ck_assert_ptr_null(strstr(rh_diag_get(diag, 1).text, "did you mean"));
  ck_assert_int_eq(export("hdf", rec_at("a.h5"), NULL, 0), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 2).text, "did you mean 'hdf5'?"));
  ck_assert_int_eq(rec_files(), 1);
}

END_TEST

START_TEST(bad_targets)
{
  static const char *const format[] = {"csv", "hdf5"};
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(export(format[i], rec_folder, NULL, 0), RH_OUTPUT_NOT_WRITTEN);
    ck_assert_int_eq(export(format[i], rec_at("none/a.out"), NULL, 0), RH_OUTPUT_NOT_WRITTEN);
    ck_assert_int_eq(export(format[i], "", NULL, 0), RH_OUTPUT_NOT_WRITTEN);
    ck_assert_int_eq(export(format[i], rec_at("a.rhr"), NULL, 0),
                     RH_OUTPUT_NOT_WRITTEN); // the recording itself
  }
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 8);
  ck_assert_int_eq(rec_files(), 1);
  rec_compare(recording, r);
}

END_TEST

Suite *rh_suite_unit_export(void)
{
  Suite *suite = suite_create("unit_export");
  TCase *tests = tcase_create("export");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, csv_holds_the_channels);
  tcase_add_test(tests, csv_to_standard_output);
  tcase_add_test(tests, csv_knows_no_locale);
  tcase_add_test(tests, csv_into_a_device);
  tcase_add_test(tests, hdf5_holds_channels_and_events);
  tcase_add_test(tests, hdf5_of_some_channels);
  tcase_add_test(tests, same_recording_same_bytes);
  tcase_add_test(tests, empty_recording);
  tcase_add_test(tests, wrong_names);
  tcase_add_test(tests, bad_targets);
  suite_add_tcase(suite, tests);
  return suite;
}
