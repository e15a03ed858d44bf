// unit_rec.c: recordings: what is read is what was told, bit for bit; a run that was cut short goes on with the same
// bits; a process killed at any moment leaves a recording with every frame that was acknowledged.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

// ---- Round trip

START_TEST(round_trip)
{
  world w = world_open(NULL, 0);
  run *r = run_recorded(&w, rec_at("a.rhr"), 2.0);
  ck_assert_int_eq(r->frames, 201); // every 0.01 s from 0 to 2 s, both ends included
  ck_assert_int_eq(rec_files(), 1); // nothing is left beside it
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  rec_compare(recording, r);
  ck_assert_int_eq(rec_verify(recording), r->frames);
  ck_assert_str_eq(rh_recording_meta(recording, "ended"), "OK");
  ck_assert_str_eq(rh_recording_meta(recording, "reason"), rh_sim_reason(w.sim));
  ck_assert_str_eq(rh_recording_meta(recording, "scene_name"), "rec.yaml");
  ck_assert_str_eq(rh_recording_meta(recording, "scene"), w.text);
  ck_assert_str_eq(rh_recording_meta(recording, "routh"), RH_VERSION);
  ck_assert_ptr_null(rh_recording_meta(recording, "host"));
  ck_assert_int_eq(rh_recording_model(recording)->layout.nstate, w.model->layout.nstate);
  ck_assert_int_eq(rh_recording_resume_index(recording), 200);
  double state[1];
  rh_event event;
  ck_assert_int_eq(rh_recording_frame(recording, 201, state, NULL, NULL), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_recording_frame(recording, -1, state, NULL, NULL), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_recording_event(recording, r->events, &event, NULL), RH_INPUT_REFUSED);
  rh_recording_close(recording);
  run_close(r);
  world_close(&w);
}

END_TEST

START_TEST(events_are_kept)
{
  world w = world_open(NULL, 0);
  run *r = run_recorded(&w, rec_at("a.rhr"), 2.0);
  int seen[RH_EVENT_COUNT] = {0};
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  for (long i = 0; i < rh_recording_events(recording); i++) {
    rh_event event;
    ck_assert_int_eq(rh_recording_event(recording, i, &event, NULL), RH_OK);
    seen[event.kind]++;
  }
  ck_assert_int_ge(seen[RH_EVENT_BOUNCE], 1); // the rod falls from 30 degrees onto its stop
  ck_assert_int_eq(seen[RH_EVENT_RELEASE], 1);
  ck_assert_int_ge(seen[RH_EVENT_SWITCH], 1);
  ck_assert_int_eq(seen[RH_EVENT_FORCE_ON], 1);
  ck_assert_int_eq(seen[RH_EVENT_FORCE_OFF], 1);
  rh_recording_close(recording);
  run_close(r);
  world_close(&w);
}

END_TEST

START_TEST(ledger_is_kept)
{
  world w = world_open(NULL, 0);
  run *r = run_recorded(&w, rec_at("a.rhr"), 1.0);
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  ck_assert_int_eq(sqlite3_open(rec_at("a.rhr"), &db), SQLITE_OK);
  ck_assert_int_eq(
      sqlite3_prepare_v2(
          db,
          "SELECT kinetic, potential, spring, contact, damper, contact_damper, sliding, actuator, "
          "external, event, initial, residue FROM ledger ORDER BY frame",
          -1, &s, NULL),
      SQLITE_OK);
  long frame = 0;
  for (; sqlite3_step(s) == SQLITE_ROW; frame++) {
    const rh_ledger *l = &r->ledger[frame];
    const double want[] = {l->kinetic,  l->potential,      l->spring,  l->contact,
                           l->damper,   l->contact_damper, l->sliding, l->actuator,
                           l->external, l->event,          l->initial, l->residue};
    for (int i = 0; i < RH_COUNT(want); i++) {
      ck_assert_double_eq(sqlite3_column_double(s, i), want[i]); // SQLite keeps doubles as they are
    }
  }
  ck_assert_int_eq(frame, r->frames);
  (void)sqlite3_finalize(s);
  (void)sqlite3_close(db);
  run_close(r);
  world_close(&w);
}

END_TEST

static void compare_tables(sqlite3 *db, const char *table)
{
  char sql[256]; // rows that one file has and the other has not
  (void)snprintf(
      sql, sizeof sql,
      "SELECT (SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM other.%s)) + "
      "(SELECT count(*) FROM (SELECT * FROM other.%s EXCEPT SELECT * FROM main.%s))",
      table, table, table, table);
  sqlite3_stmt *s = NULL;
  ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
  ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
  ck_assert_msg(sqlite3_column_int(s, 0) == 0, "table %s differs", table);
  (void)sqlite3_finalize(s);
}

static void compare_files(const char *a, const char *b)
{
  static const char *const table[] = {"meta", "channels", "frames", "ledger", "events", "inputs"};
  sqlite3 *db = NULL;
  char sql[400];
  ck_assert_int_eq(sqlite3_open(a, &db), SQLITE_OK);
  (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS other", b);
  ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  for (int i = 0; i < RH_COUNT(table); i++) {
    compare_tables(db, table[i]);
  }
  (void)sqlite3_close(db);
}

START_TEST(same_run_same_content)
{
  for (int i = 0; i < 2; i++) {
    world w = world_open(NULL, 0);
    run_close(run_recorded(&w, rec_at(i == 0 ? "a.rhr" : "b.rhr"), 1.0));
    world_close(&w);
  }
  compare_files(rec_at("a.rhr"), rec_at("b.rhr"));
}

END_TEST

START_TEST(reader_beside_writer)
{
  world w = world_open(NULL, 0);
  run *r = run_open(&w, rec_at("a.rhr"));
  rh_recording *empty =
      rec_open(rec_at("a.rhr")); // complete from the first moment on, only without frames
  ck_assert_int_eq(rh_recording_frames(empty), 0);
  ck_assert_int_eq(rh_recording_resume_index(empty), RH_NONE);
  r->stop_at = 45;
  ck_assert_int_eq(rh_sim_run(w.sim, 2.0), RH_INTERRUPTED);
  long committed = rh_recorder_committed(r->recorder);
  ck_assert_int_ge(committed,
                   41); // frames 0..40 are whole batches; half a second may have passed as well
  rh_recording *growing = rec_open(rec_at("a.rhr"));
  ck_assert_int_eq(rec_verify(growing), committed);
  ck_assert_ptr_null(rh_recording_meta(growing, "ended"));
  rh_recorder *second = NULL; // two writers would spoil each other's work
  ck_assert_int_eq(rh_recorder_create(rec_at("a.rhr"), w.model, "", w.text, w.diag, &second),
                   RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(rh_recorder_resume(rec_at("a.rhr"), w.model, 40, w.diag, &second),
                   RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(rh_diag_count(w.diag, RH_ERROR), 2);
  ck_assert_int_eq(rh_recorder_close(r->recorder, RH_INTERRUPTED, "cut"), RH_OK);
  ck_assert_int_eq(rec_verify(growing), committed); // what was there when it was opened
  rh_recording_close(growing);
  rh_recording_close(empty);
  rh_recording *whole = rec_open(rec_at("a.rhr"));
  ck_assert_int_eq(rec_verify(whole), 46);
  ck_assert_str_eq(rh_recording_meta(whole, "ended"), "INTERRUPTED");
  ck_assert_str_eq(rh_recording_meta(whole, "reason"), "cut");
  rh_recording_close(whole);
  run_close(r);
  world_close(&w);
}

END_TEST

START_TEST(old_recording_is_replaced)
{
  world w = world_open(NULL, 0);
  run_close(run_recorded(&w, rec_at("a.rhr"), 1.0));
  rh_recording *viewer = rec_open(rec_at("a.rhr")); // somebody still looks at the old one
  world v = world_open(NULL, 0);
  run *r = run_recorded(&v, rec_at("a.rhr"), 0.5);
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  rec_compare(recording, r);
  ck_assert_int_eq(rec_verify(viewer), 101);
  rh_recording_close(recording);
  rh_recording_close(viewer);
  run_close(r);
  world_close(&v);
  world_close(&w);
}

END_TEST

// ---- Resume

static const char *const steppers[][2] = {
    {"run.integrator=cvode", "run.rtol=1e-8"},
    {"run.integrator=euler", "run.dt=0.0007"}, // steps that do not divide the time between frames
    {"run.integrator=rk4", "run.dt=0.0007"},
};

// Opens what is there, goes on from its last batch, and stops behind frame `stop_at` (< 0: at the end).
static void go_on(const char *path, long stop_at)
{
  rh_recording *recording = rec_open(path);
  const rh_model *model = rh_recording_model(recording); // lives until the recording is closed
  long index = rh_recording_resume_index(recording);
  ck_assert_int_eq(index % BATCH, 0);
  double *state = calloc((size_t)model->layout.nstate, sizeof(double));
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_recording_frame(recording, index, state, NULL, diag), RH_OK);
  run r = {.nstate = model->layout.nstate, .stop_at = stop_at};
  r.state = calloc(FRAMES_MAX * (size_t)model->layout.nstate, sizeof(double));
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, diag, &sim), RH_OK);
  rh_status status = rh_recorder_resume(path, model, index, diag, &r.recorder);
  if (status != RH_OK) {
    rec_say(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_eq(rh_recorder_committed(r.recorder), index + 1);
  rh_observer observer = {.user = &r, .frame = run_frame, .event = run_event};
  rh_sim_observe(sim, &observer);
  rh_sim_resume(sim, index, state);
  rh_recording_count_on(recording, index, sim);
  status = rh_sim_run(sim, 2.0);
  ck_assert_int_eq(status, stop_at < 0 ? RH_OK : RH_INTERRUPTED);
  ck_assert_int_eq(rh_recorder_close(r.recorder, status, rh_sim_reason(sim)), RH_OK);
  rh_sim_destroy(sim);
  rh_diag_destroy(diag);
  free(r.state);
  free(state);
  rh_recording_close(recording);
}

START_TEST(resume_gives_the_same_bits)
{
  const char *const *set = steppers[_i];
  world w = world_open(set, 2);
  run *whole = run_recorded(&w, rec_at("whole.rhr"), 2.0);
  world v = world_open(set, 2);
  run *cut = run_open(&v, rec_at("cut.rhr"));
  cut->stop_at = 57; // behind the events at 0.4 s and 0.5 s, in the middle of a batch
  ck_assert_int_eq(rh_sim_run(v.sim, 2.0), RH_INTERRUPTED);
  ck_assert_int_eq(rh_recorder_close(cut->recorder, RH_INTERRUPTED, "cut"), RH_OK);
  go_on(rec_at("cut.rhr"), 93);
  go_on(rec_at("cut.rhr"), 100); // the last frame of a batch
  go_on(rec_at("cut.rhr"), -1);
  rh_recording *recording = rec_open(rec_at("cut.rhr"));
  rec_compare(recording, whole);
  (void)rec_verify(recording);
  rh_recording_close(recording);
  compare_files(rec_at("whole.rhr"), rec_at("cut.rhr"));
  run_close(cut);
  run_close(whole);
  world_close(&v);
  world_close(&w);
}

END_TEST

START_TEST(resume_refuses_what_does_not_fit)
{
  world w = world_open(NULL, 0);
  run_close(run_recorded(&w, rec_at("a.rhr"), 0.3));
  static const char *const other[] = {
      "rod.mass=2",     "run.rtol=1e-5",      "record.batch=20",       "record.every=0.02",
      "hinge.q=20 deg", "run.integrator=rk4", "world.gravity=[0,0,0]", "flip.effort=-0.6",
      "wind.until=0.8"};
  for (int i = 0; i < RH_COUNT(other); i++) {
    world v = world_open(&other[i], 1);
    rh_recorder *recorder = NULL;
    ck_assert_msg(rh_recorder_resume(rec_at("a.rhr"), v.model, 10, v.diag, &recorder) ==
                      RH_INPUT_REFUSED,
                  "%s", other[i]);
    ck_assert_ptr_null(recorder);
    ck_assert_int_eq(rh_diag_count(v.diag, RH_ERROR), 1);
    world_close(&v);
  }
  rh_recorder *recorder = NULL;
  ck_assert_int_eq(rh_recorder_resume(rec_at("a.rhr"), w.model, 31, w.diag, &recorder),
                   RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_recorder_resume(rec_at("a.rhr"), w.model, -1, w.diag, &recorder),
                   RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_recorder_resume(rec_at("none.rhr"), w.model, 0, w.diag, &recorder),
                   RH_INPUT_REFUSED);
  const char *longer = "run.until=9"; // how long it lasts is not part of what must agree
  world v = world_open(&longer, 1);
  ck_assert_int_eq(rh_recorder_resume(rec_at("a.rhr"), v.model, 30, v.diag, &recorder), RH_OK);
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  ck_assert_int_eq(rec_verify(recording), 31);
  rh_recording_close(recording);
  world_close(&v);
  world_close(&w);
}

END_TEST

// ---- Death at any moment

typedef struct victim {
  run *r;
  int pipe;
} victim;

static rh_status victim_frame(void *user, const rh_sim *sim, long index)
{
  victim *v = user;
  rh_status status = rh_recorder_frame(v->r->recorder, sim, index);
  long committed = rh_recorder_committed(v->r->recorder);
  return write(v->pipe, &committed, sizeof committed) == (ssize_t)sizeof committed ? status
                                                                                   : RH_STOPPED;
}

static rh_status victim_event(void *user, const rh_sim *sim, const rh_event *event)
{
  victim *v = user;
  return rh_recorder_event(v->r->recorder, sim, event);
}

static void victim_main(const char *path, int pipe)
{
  static const char *const set[] = {"run.integrator=euler", "run.dt=0.001", "record.every=0.001"};
  world w = world_open(set, 3);
  run *r = run_open(&w, path);
  long none = 0;
  if (write(pipe, &none, sizeof none) != (ssize_t)sizeof none) {
    _exit(2);
  }
  victim v = {r, pipe};
  rh_observer observer = {.user = &v, .frame = victim_frame, .event = victim_event};
  rh_sim_observe(w.sim, &observer);
  (void)rh_sim_run(w.sim, 1e6);
  _exit(1); // nobody may live that long
}

static bool next_word(int pipe, long *value)
{
  return read(pipe, value, sizeof *value) == (ssize_t)sizeof *value;
}

// Starts a run and kills it: after this many frames, or if `frames` < 0 a while after its birth, most often before it has a
// recorder. Returns how many frames it had acknowledged; < 0: it had not even a recorder.
static long kill_after(const char *path, long frames, uint64_t seed)
{
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    (void)close(ends[0]);
    victim_main(path, ends[1]);
  }
  (void)close(ends[1]);
  long acknowledged = -1;
  for (long i = 0; i <= frames; i++) { // the first is that of the recorder
    ck_assert(next_word(ends[0], &acknowledged));
  }
  if (frames < 0) {
    const struct timespec life = {.tv_nsec = (long)(seed >> 38)}; // 67 ms at most
    nanosleep(&life, NULL);                                       // clock: any length will do
  } else {
    for (volatile long i = (long)(seed >> 47); i > 0; i--) {} // at any place within a batch
  }
  (void)kill(child, SIGKILL);
  int status = 0;
  (void)waitpid(child, &status, 0);
  ck_assert_msg(WIFSIGNALED(status), "the child ended by itself");
  while (next_word(ends[0], &acknowledged)) {}
  (void)close(ends[0]);
  return acknowledged;
}

START_TEST(killed_runs_are_readable)
{
  uint64_t seed = 12345;
  int alive = 0;
  long most = 0;
  for (int i = 0; i < 30; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    long frames = i % 4 == 0 ? -1 : (long)(seed >> 53); // 2047 at most
    // One path for all: each run also replaces what its predecessor left, -wal included.
    long acknowledged = kill_after(rec_at("k.rhr"), frames, seed);
    if (acknowledged < 0 && access(rec_at("k.rhr"), F_OK) != 0) {
      continue; // it died before it had a file
    }
    rh_recording *recording = rec_open(rec_at("k.rhr"));
    long there = rec_verify(recording);
    ck_assert_msg(there >= acknowledged, "%ld frames were acknowledged, %ld are there",
                  acknowledged, there);
    ck_assert_ptr_null(rh_recording_meta(recording, "ended"));
    rh_recording_close(recording);
    alive++;
    most = there > most ? there : most;
  }
  ck_assert_int_ge(alive, 20);
  ck_assert_int_gt(most, BATCH); // else nothing was put to the test
}

END_TEST

START_TEST(killed_run_goes_on)
{
  (void)kill_after(rec_at("k.rhr"), 500, 0);
  rh_recording *recording = rec_open(rec_at("k.rhr"));
  long frames = rh_recording_frames(recording);
  long index = rh_recording_resume_index(recording);
  ck_assert_int_ge(index, 0);
  rh_recorder *recorder = NULL;
  rh_status status =
      rh_recorder_resume(rec_at("k.rhr"), rh_recording_model(recording), index, NULL, &recorder);
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, "closed"), RH_OK);
  rh_recording_close(recording);
  recording = rec_open(rec_at("k.rhr"));
  ck_assert_int_eq(rec_verify(recording), index + 1);
  ck_assert_int_le(index + 1, frames);
  rh_recording_close(recording);
}

END_TEST

// ---- Memory

static long blocks; // taken from the allocator

static void *count_resize(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  blocks++;
  return realloc(block, bytes);
}

static rh_status counted_frame(void *user, const rh_sim *sim, long index)
{
  long before = blocks;
  rh_status status = rh_recorder_frame(user, sim, index);
  ck_assert_int_eq(blocks, before);
  return status;
}

static rh_status counted_event(void *user, const rh_sim *sim, const rh_event *event)
{
  long before = blocks;
  rh_status status = rh_recorder_event(user, sim, event);
  ck_assert_int_eq(blocks, before);
  return status;
}

START_TEST(frames_take_no_memory)
{
  rh_allocator allocator = {count_resize, NULL};
  rh_hook_set_allocator(&allocator);
  world w = world_open(NULL, 0);
  rh_recorder *recorder = NULL;
  ck_assert_int_eq(rh_recorder_create(rec_at("a.rhr"), w.model, "", w.text, w.diag, &recorder),
                   RH_OK);
  ck_assert_int_gt(blocks, 0);
  rh_observer observer = {.user = recorder, .frame = counted_frame, .event = counted_event};
  rh_sim_observe(w.sim, &observer);
  ck_assert_int_eq(rh_sim_run(w.sim, 1.0), RH_OK);
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
  ck_assert_int_eq(rh_recorder_close(NULL, RH_OK, NULL), RH_OK);
  world_close(&w);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_rec(void)
{
  Suite *suite = suite_create("unit_rec");
  TCase *tests = tcase_create("recordings");
  tcase_add_checked_fixture(tests, rec_setup, rec_teardown);
  tcase_add_test(tests, round_trip);
  tcase_add_test(tests, events_are_kept);
  tcase_add_test(tests, ledger_is_kept);
  tcase_add_test(tests, same_run_same_content);
  tcase_add_test(tests, reader_beside_writer);
  tcase_add_test(tests, old_recording_is_replaced);
  tcase_add_loop_test(tests, resume_gives_the_same_bits, 0, RH_COUNT(steppers));
  tcase_add_test(tests, resume_refuses_what_does_not_fit);
  tcase_add_test(tests, killed_runs_are_readable);
  tcase_add_test(tests, killed_run_goes_on);
  tcase_add_test(tests, frames_take_no_memory);
  suite_add_tcase(suite, tests);
  return suite;
}
