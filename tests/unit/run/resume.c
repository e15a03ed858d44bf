// unit_resume.c: every state that a run can write is read back, and a recording that was cut and gone on with has the content of
// one that was left alone, to the last row of every table; so have the counts of its run. Scenes of all sorts, joints of all
// kinds with dry friction, all steppers. tests/kills does the same to the program, from outside.
#include "rec_run.h"

#include <sqlite3.h>

enum { CUT_BATCH = 5, LAST = 22 }; // frames

typedef struct writer {
  rh_recorder *recorder;
  long stop_at; // the run is interrupted at this frame; < 0: never
} writer;

typedef struct counts { // what a run prints at its end
  rh_sim_stats stats;
  long verdicts[RH_EVENT_COUNT];
  rh_event first[RH_EVENT_COUNT];
} counts;

static rh_status write_frame(void *user, const rh_sim *sim, long index)
{
  writer *w = user;
  rh_status status = rh_recorder_frame(w->recorder, sim, index);
  return status == RH_OK && index == w->stop_at ? RH_INTERRUPTED : status;
}

static rh_status write_event(void *user, const rh_sim *sim, const rh_event *event)
{
  return rh_recorder_event(((writer *)user)->recorder, sim, event);
}

static void observe_replay(rh_replay *play, writer *w)
{
  rh_observer observer = {.user = w, .frame = write_frame, .event = write_event};
  rh_sim_observe(rh_replay_sim(play), &observer);
}

static void count(const rh_sim *sim, counts *c)
{
  memset(c, 0, sizeof *c);
  c->stats = rh_sim_statistics(sim);
  for (int kind = RH_EVENT_GAIN; kind < RH_EVENT_STOP; kind++) {
    c->verdicts[kind] = rh_sim_verdicts(sim, (rh_event_kind)kind, &c->first[kind]);
  }
}

static double end_of(const rh_model *m)
{
  return LAST * m->run.every;
}

// Runs a scene up to frame `stop_at`, or to the end, into a new recording.
static rh_status record(const char *text, const char *path, long stop_at, counts *c)
{
  rh_diag *diag = rh_diag_create();
  rh_replay *play = NULL;
  writer w = {.stop_at = stop_at};
  if (rh_replay_create(text, "scene", diag, &play) != RH_OK) {
    rec_say(diag);
    ck_abort_msg("the scene is refused");
  }
  const rh_model *m = rh_replay_model(play);
  ck_assert_int_eq(rh_recorder_create(path, m, "scene", text, diag, &w.recorder), RH_OK);
  observe_replay(play, &w);
  rh_status status = rh_sim_run(rh_replay_sim(play), end_of(m));
  ck_assert_int_eq(rh_recorder_close(w.recorder, status, rh_sim_reason(rh_replay_sim(play))),
                   RH_OK);
  count(rh_replay_sim(play), c);
  rh_replay_destroy(play);
  rh_diag_destroy(diag);
  return status;
}

static rh_status go_on(const char *path, counts *c)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *r = rec_open(path);
  rh_replay *play = NULL;
  writer w = {.stop_at = -1};
  long index = rh_recording_resume_index(r);
  ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
  ck_assert_int_eq(rh_replay_seek(play, r, index, diag), RH_OK);
  ck_assert_int_eq(rh_recorder_resume(path, rh_replay_model(play), index, diag, &w.recorder),
                   RH_OK);
  observe_replay(play, &w);
  rh_status status = rh_replay_again(play, r, NULL, end_of(rh_replay_model(play)), diag);
  ck_assert_int_eq(rh_recorder_close(w.recorder, status, rh_sim_reason(rh_replay_sim(play))),
                   RH_OK);
  count(rh_replay_sim(play), c);
  rh_replay_destroy(play);
  rh_recording_close(r);
  rh_diag_destroy(diag);
  return status;
}

// ---- Comparing

static void compare_table(sqlite3 *db, const char *table, const char *name)
{
  char sql[256]; // rows that one file has and the other has not
  sqlite3_stmt *s = NULL;
  (void)snprintf(
      sql, sizeof sql,
      "SELECT (SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM other.%s)) + "
      "(SELECT count(*) FROM (SELECT * FROM other.%s EXCEPT SELECT * FROM main.%s))",
      table, table, table, table);
  ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
  ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
  ck_assert_msg(sqlite3_column_int(s, 0) == 0, "%s: table %s differs", name, table);
  (void)sqlite3_finalize(s);
}

// All tables there are: one that comes later is compared as well.
static void compare_files(const char *a, const char *b, const char *name)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  char sql[400];
  int tables = 0;
  ck_assert_int_eq(sqlite3_open(a, &db), SQLITE_OK);
  (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS other", b);
  ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  ck_assert_int_eq(
      sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &s, NULL),
      SQLITE_OK);
  for (; sqlite3_step(s) == SQLITE_ROW; tables++) {
    compare_table(db, (const char *)sqlite3_column_text(s, 0), name);
  }
  ck_assert_int_ge(tables, 6);
  (void)sqlite3_finalize(s);
  (void)sqlite3_close(db);
}

static void compare_counts(const counts *a, const counts *b, const char *name)
{
  ck_assert_msg(memcmp(&a->stats, &b->stats, sizeof a->stats) == 0,
                "%s: %ld steps, %ld evaluations, %ld restarts, %ld events, deepest %.17g; then "
                "%ld, %ld, %ld, %ld, %.17g",
                name, a->stats.step.steps, a->stats.step.evaluations, a->stats.step.restarts,
                a->stats.events, a->stats.impact.deepest, b->stats.step.steps,
                b->stats.step.evaluations, b->stats.step.restarts, b->stats.events,
                b->stats.impact.deepest);
  for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
    ck_assert_msg(a->verdicts[kind] == b->verdicts[kind], "%s: verdict %s", name,
                  rh_event_word((rh_event_kind)kind));
    ck_assert(event_same(&a->first[kind], &b->first[kind]));
    ck_assert_str_eq(a->first[kind].note, b->first[kind].note);
  }
}

// Recorded whole, and cut at a frame: all of it is read back, and the two are one.
static void check_scene(const char *text, const char *name, long cut)
{
  static counts whole;
  static counts rest;
  rh_status status = record(text, rec_at("whole.rhr"), -1, &whole);
  rh_recording *r = rec_open(rec_at("whole.rhr"));
  ck_assert_int_gt(rec_verify(r), CUT_BATCH);
  rh_recording_close(r);
  (void)record(text, rec_at("cut.rhr"), cut, &rest);
  rh_status second = go_on(rec_at("cut.rhr"), &rest);
  ck_assert_msg(status == second, "%s: ended with %d, then %d", name, (int)status, (int)second);
  compare_files(rec_at("whole.rhr"), rec_at("cut.rhr"), name);
  compare_counts(&whole, &rest, name);
}

// ---- Scenes

static char *load_scene(const char *path, const char *extra)
{
  const char *const set[] = {"record.batch=5", extra};
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  if (rh_scene_load(path, set, extra != NULL ? 2 : 1, diag, &scene) != RH_OK) {
    rec_say(diag);
    ck_abort_msg("%s is refused", path);
  }
  char *text = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return text;
}

static const struct {
  const char *name, *set;
} scenes[] = {
    {"arm", NULL},
    {"ball", NULL},
    {"ball", "run.integrator=rk4"},
    {"block-central-drop", NULL},
    {"block-handover", NULL},
    {"block-tilted-drop", NULL},
    {"default", "record.every=0.03"},
    {"double-pendulum", "run.integrator=gbs"},
    {"elastic-ground-foot", NULL},
    {"elastic-ground-sphere", NULL},
    {"falling-ladder", NULL},
    {"fixture-321", NULL},
    {"four-bar", NULL},
    {"golf-ball", NULL},
    {"golf-ball-rigid", "record.every=0.04"},
    {"grasp-three-fingers", NULL},
    {"grasp-two-fingers", NULL},
    {"haptic-arm", NULL},
    {"haptic-clutter", NULL},
    {"haptic-linkage", NULL},
    {"haptic-peg-corner", NULL},
    {"haptic-peg-hole", NULL},
    {"heavy-on-light", NULL},
    {"heavy-top", NULL},
    {"motor", NULL},
    {"part-feeder", NULL},
    {"peg-in-hole", NULL},
    {"release", "record.every=0.05"},
    {"rimless-wheel", NULL},
    {"slope", NULL},
    {"slope", "run.engine=stepping"},
    {"spinning-box", NULL},
    {"stack", NULL},
    {"stack", "run.engine=stepping"},
    {"stop", "run.integrator=euler"},
    {"stop", "record.every=0.05"},
    {"terrain", NULL},
};

START_TEST(scenes_are_resumed_whole)
{
  char path[512];
  for (int i = _i; i < RH_COUNT(scenes); i += 4) {
    (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", scenes[i].name);
    char *text = load_scene(path, scenes[i].set);
    check_scene(text, scenes[i].name,
                1 + (7 * i + 3) % LAST); // any frame, also before the first batch ends
    rh_free(text);
  }
}

END_TEST

// Contacts that are stepped in time, before, in and after the interval in which they are
START_TEST(storms_are_resumed_whole)
{
  static const struct {
    const char *name, *set;
  } storm[] = {{"onepin", "run.multi_impact=simultaneous"},
               {"cradle", "record.every=0.05"},
               {"skittles", "record.every=0.02"}};

  char path[512];
  for (int i = 0; i < RH_COUNT(storm); i++) {
    (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/tests/data/storms/%s.yaml", storm[i].name);
    char *text = load_scene(path, storm[i].set);
    for (long cut = 6; cut < LAST; cut += 5) {
      check_scene(text, storm[i].name, cut);
    }
    rh_free(text);
  }
}

END_TEST

// A controller that decides at a rate: what its integrator has learnt of short stretches is forgotten with a batch.
START_TEST(a_walk_is_resumed_whole)
{
  char *text = load_scene(ROUTH_SOURCE_DIR "/scenes/atlas-walk.yaml", "record.every=0.002");
  check_scene(text, "atlas-walk", 12);
  rh_free(text);
}

END_TEST

static const char *const steppers[] = {"cvode", "rk4, dt: 1e-3", "euler, dt: 1e-3", "gbs, dt: 0.01",
                                       "moreau, dt: 1e-3"};

static const struct {
  const char *kind, *friction, *more;
} joints[] = {
    {"revolute", "0.5", ", axis: [0, 1, 0], q: 0.6"},
    {"revolute", "0.2", ", axis: [0, 1, 0], q: 0.6, limits: [-0.1, 0.7], bounce: 0.5"},
    {"prismatic", "0.4", ", axis: [1, 0, 0.1], v: 0.3, limits: [-0.02, 0.02]"},
    {"prismatic", "30", ", axis: [0, 0, 1]"}, // held from the start
    {"universal", "0.3, 0.2", ", axis: [0, 1, 0], axis2: [1, 0, 0], q: [0.5, 0.3]"},
    {"planar", "0.4, 30, 0.1", ", normal: [0, 1, 0], v: [0.2, 0, 1]"},
};

// Dry friction holds, slips and turns round: every value of `hold` comes.
START_TEST(joints_with_dry_friction_are_read_back)
{
  for (int i = 0; i < RH_COUNT(joints); i++) {
    for (int k = 0; k < RH_COUNT(steppers); k++) {
      char text[1024];
      (void)snprintf(
          text, sizeof text,
          "bodies: [{name: rod, mass: 1, com: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.01, 0, 0, "
          "0]}]\n"
          "joints: [{name: j, kind: %s, child: rod, friction: [%s]%s}]\n"
          "run: {until: 3, stepper: %s}\nrecord: {every: 0.1, batch: 5}\n",
          joints[i].kind, joints[i].friction, joints[i].more, steppers[k]);
      check_scene(text, text, 3 + (5 * i + 2 * k) % 18);
    }
  }
}

END_TEST

// Laws with memory, controllers, sleep: what else a state holds.
START_TEST(laws_with_memory_are_read_back)
{
  static const char *const frictions[] = {"azad-featherstone, mu: 0.4, Kt: 2e4, Dt: 20",
                                          "coulomb, mu: 0.4", "none"};
  for (int i = 0; i < RH_COUNT(frictions); i++) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "bodies: [{name: a, mass: 1}, {name: b, mass: 0.3}]\n"
        "joints:\n"
        "  - {kind: free, child: a, q: [0, 0, 0.11, 1, 0, 0, 0], v: [1, 0, 0, 0, 2, 0]}\n"
        "  - {kind: free, child: b, q: [0.3, 0, 0.05, 1, 0, 0, 0]}\n"
        "shapes:\n  - {body: world, kind: plane}\n"
        "  - {body: a, kind: sphere, radius: 0.1}\n"
        "  - {body: b, kind: box, size: [0.1, 0.1, 0.1]}\n"
        "contacts: [{body: all, against: all, law: hunt-crossley, k: 1e5, n: 1.5, alpha: "
        "0.3, friction: %s}]\n"
        "run: {until: 3}\nrecord: {every: 0.02, batch: 5}\n",
        frictions[i]);
    check_scene(text, frictions[i], 8 + i);
  }
}

END_TEST

// Bodies that fall asleep, and are woken by one that comes later.
START_TEST(sleepers_are_read_back)
{
  static const char text[] =
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
      "joints:\n"
      "  - {kind: free, child: a, q: [0, 0, 0.05, 1, 0, 0, 0]}\n"
      "  - {kind: free, child: b, q: [0, 0, 0.6, 1, 0, 0, 0]}\n"
      "shapes:\n  - {body: world, kind: plane}\n"
      "  - {body: a, kind: box, size: [0.1, 0.1, 0.1]}\n"
      "  - {body: b, kind: box, size: [0.1, 0.1, 0.1]}\n"
      "contacts: [{body: all, against: all, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
      "0.5}]\n"
      "run: {until: 3, engine: stepping, dt: 1e-3, sleep: 0.05, sleep_speed: 1e-3}\n"
      "record: {every: 0.03, batch: 5}\n";
  for (long cut = 2; cut < LAST; cut += 6) {
    check_scene(text, "sleepers", cut);
  }
}

END_TEST

// The engine reads its state again at the end of every batch: all that a step leaves to the next one is
// in the state, so the length of batches does not matter. Boxes that tumble over one another change their
// features and lose and find forces in most steps.
START_TEST(batches_do_not_matter)
{
  static const char text[] =
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}, {name: c, mass: 1}, {name: d, mass: 1}, "
      "{name: e, mass: 1}]\n"
      "joints:\n"
      "  - {kind: free, child: a, q: [-0.000, -0.005, 0.100, 0.617691, 0.695017, 0.031808, "
      "-0.366603]}\n"
      "  - {kind: free, child: b, q: [0.034, -0.007, 0.190, -0.574370, -0.807426, 0.112003, "
      "0.074950]}\n"
      "  - {kind: free, child: c, q: [-0.027, 0.045, 0.280, 0.003128, -0.040454, -0.940927, "
      "0.336171]}\n"
      "  - {kind: free, child: d, q: [0.044, -0.012, 0.370, 0.159402, -0.113642, 0.968144, "
      "0.156120]}\n"
      "  - {kind: free, child: e, q: [-0.006, -0.000, 0.460, 0.172586, 0.810270, 0.550771, "
      "0.101629]}\n"
      "shapes:\n  - {body: world, kind: plane}\n"
      "  - {body: a, kind: box, size: [0.08, 0.06, 0.05]}\n"
      "  - {body: b, kind: box, size: [0.08, 0.06, 0.05]}\n"
      "  - {body: c, kind: box, size: [0.08, 0.06, 0.05]}\n"
      "  - {body: d, kind: box, size: [0.08, 0.06, 0.05]}\n"
      "  - {body: e, kind: box, size: [0.08, 0.06, 0.05]}\n"
      "contacts: [{body: all, against: all, %s, friction: dry, mu_s: 0.5, mu_k: 0.4}]\n"
      "run: {until: %g, engine: stepping, dt: 2e-3%s}\n"
      "record: {every: 0.01, batch: %d}\n";

  static const struct {
    const char *law, *sleep;
    double until;
  } kinds[] = {
      {"law: newton, e: 0", "", 0.4},
      {"law: newton, e: 0.3", "", 0.4},
      {"law: newton, e: 0", ", sleep: 0.04, sleep_speed: 0.01", 1.5},
      {"law: kelvin-voigt, k: 2e4, b: 100", ", sleep: 0.04, sleep_speed: 0.02", 1.5},
  };

  static const int batch[] = {1, 7, 1000};
  uint64_t hash[RH_COUNT(batch)];
  for (int i = 0; i < RH_COUNT(batch); i++) {
    char scene[sizeof text + 120];
    rh_diag *diag = rh_diag_create();
    rh_replay *play = NULL;
    (void)snprintf(scene, sizeof scene, text, kinds[_i].law, kinds[_i].until, kinds[_i].sleep,
                   batch[i]);
    ck_assert_int_eq(rh_replay_create(scene, "scene", diag, &play), RH_OK);
    ck_assert_int_eq(rh_sim_run(rh_replay_sim(play), kinds[_i].until), RH_OK);
    hash[i] = rh_data_hash(rh_sim_data(rh_replay_sim(play)), 0);
    rh_replay_destroy(play);
    rh_diag_destroy(diag);
  }
  ck_assert(hash[0] == hash[1] && hash[1] == hash[2]);
}

END_TEST

Suite *rh_suite_unit_resume(void)
{
  Suite *suite = suite_create("unit_resume");
  TCase *tc = tcase_create("resume");
  tcase_add_checked_fixture(tc, rec_setup, rec_teardown);
  tcase_add_loop_test(tc, scenes_are_resumed_whole, 0, 4);
  tcase_add_test(tc, storms_are_resumed_whole);
  tcase_add_test(tc, a_walk_is_resumed_whole);
  tcase_add_test(tc, joints_with_dry_friction_are_read_back);
  tcase_add_test(tc, laws_with_memory_are_read_back);
  tcase_add_test(tc, sleepers_are_read_back);
  tcase_add_loop_test(tc, batches_do_not_matter, 0, 4);
  suite_add_tcase(suite, tc);
  return suite;
}
