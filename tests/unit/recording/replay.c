// unit_replay.c: inputs in a recording, and the run done again with them: the same bits from the start and from wherever a run can
// go on; frames looked at with the laws of their time; recordings of the format before; damage.
#include "recorded_inputs.h"

#include "viewer/viewer.h"

#include <sqlite3.h>

static const char thrown[] =
    "bodies: [{name: ball, mass: 2}, {name: box, mass: 1}]\n"
    "joints:\n"
    "  - {kind: free, child: ball, q: [0, 0, 0.5, 1, 0, 0, 0], v: [0.5, 0, 0, 0, 3, 0]}\n"
    "  - {kind: free, child: box, q: [0.6, 0, 0.2, 1, 0, 0, 0]}\n"
    "shapes:\n"
    "  - {body: world, kind: plane}\n"
    "  - {body: ball, kind: sphere, radius: 0.1}\n"
    "  - {body: box, kind: box, size: [0.2, 0.2, 0.2]}\n"
    "contacts:\n"
    "  - {name: ground, body: ball, against: world, law: azad-featherstone, friction: "
    "azad-featherstone, mu: 0.3}\n"
    "  - {name: under, body: box, against: world, law: newton, e: 0.2, friction: dry, mu_s: 0.5, "
    "mu_k: 0.4}\n"
    "run: {until: 1, hand: true}\nrecord: {every: 0.01, batch: 10}\n";

static const rh_input story[] = {
    {0, RH_INPUT_SET, "under.e", "0.7"},
    {7, RH_INPUT_DRAG, "box", "0.05 0 0 0.7 0.1 0.5"},
    {8, RH_INPUT_DRAG, "box", "0.05 0 0 0.7 0.13 0.52"},
    {20, RH_INPUT_SET, "ground.mu", "0.05"},
    {20, RH_INPUT_SET, "ground.Kn", "2e5"},
    {33, RH_INPUT_DRAG, "box", "0.05 0 0 0.6 -0.13 0.52"},
    {47, RH_INPUT_DROP, "", ""},
    {52, RH_INPUT_SET, "ground.Kn", "3e6"},
    {100, RH_INPUT_SET, "ground.Kn", "1e6"},
};

typedef struct listener {
  rh_recorder *recorder;
  uint64_t hash[FRAMES_MAX];
  long frames, events;
} listener;

static rh_status hear_frame(void *user, const rh_sim *sim, long index)
{
  listener *l = user;
  ck_assert_int_lt(index, FRAMES_MAX);
  l->hash[index] = rh_data_hash(rh_sim_view(sim), 0);
  l->frames = index + 1;
  return l->recorder != NULL ? rh_recorder_frame(l->recorder, sim, index) : RH_OK;
}

static rh_status hear_event(void *user, const rh_sim *sim, const rh_event *event)
{
  listener *l = user;
  l->events++;
  return l->recorder != NULL ? rh_recorder_event(l->recorder, sim, event) : RH_OK;
}

static void listen_to(listener *l)
{
  rh_sim_observe(rh_replay_sim(play),
                 &(rh_observer){.user = l, .frame = hear_frame, .event = hear_event});
}

// The run as a live one is made: frame by frame, up to frame `last`, with the story.
static void tell_story(listener *l, long last)
{
  int next = 0;
  listen_to(l);
  for (long frame = 0; frame <= last; frame++) {
    run_to((double)frame * 0.01);
    for (; next < RH_COUNT(story) && story[next].frame == frame; next++) {
      rh_status status = rh_replay_input(play, &story[next], diag);
      rec_say(diag);
      ck_assert_int_eq(status, RH_OK);
      if (l->recorder != NULL) {
        ck_assert_int_eq(rh_recorder_input(l->recorder, &story[next]), RH_OK);
      }
    }
  }
}

static void record_story(const char *path, listener *l, long last)
{
  open_play(thrown);
  ck_assert_int_eq(
      rh_recorder_create(path, rh_replay_model(play), "thrown", thrown, diag, &l->recorder), RH_OK);
  tell_story(l, last);
  ck_assert_int_eq(rh_recorder_close(l->recorder, RH_INTERRUPTED, NULL), RH_OK);
  rh_replay_destroy(play);
  play = NULL;
}

static rh_recording *open_record(const char *path)
{
  rh_recording *recording = NULL;
  rh_status status = rh_recording_open(path, diag, &recording);
  rec_say(diag);
  ck_assert_int_eq(status, RH_OK);
  return recording;
}

START_TEST(inputs_are_kept_as_they_were)
{
  static listener l;
  record_story(rec_at("a.rhr"), &l, 110);
  rh_recording *r = open_record(rec_at("a.rhr"));
  ck_assert_int_eq(rh_recording_inputs(r), RH_COUNT(story));
  for (int i = 0; i < RH_COUNT(story); i++) {
    rh_input input;
    ck_assert_int_eq(rh_recording_input(r, i, &input, diag), RH_OK);
    ck_assert_int_eq(input.frame, story[i].frame);
    ck_assert_int_eq(input.kind, story[i].kind);
    ck_assert_str_eq(input.name, story[i].name);
    ck_assert_str_eq(input.value, story[i].value);
  }
  rh_input none;
  ck_assert_int_eq(rh_recording_input(r, RH_COUNT(story), &none, NULL), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_recording_input(r, -1, &none, NULL), RH_INPUT_REFUSED);
  rh_recording_close(r);
}

END_TEST

static void same_frames(const listener *a, const listener *b)
{
  ck_assert_int_eq(a->frames, b->frames);
  for (long i = 0; i < a->frames; i++) {
    ck_assert_msg(a->hash[i] == b->hash[i], "frame %ld", i);
  }
}

// From the start; and from every frame that a run can go on from.
START_TEST(a_recorded_run_is_done_again_bit_for_bit)
{
  static listener first;
  static listener again;
  record_story(rec_at("a.rhr"), &first, 110);
  rh_recording *r = open_record(rec_at("a.rhr"));
  ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
  listen_to(&again);
  ck_assert_int_eq(rh_replay_again(play, r, NULL, 1.1, diag), RH_OK);
  same_frames(&first, &again);
  ck_assert_int_eq(first.events, again.events);
  for (long from = 0; from <= 110; from += 10) {
    memset(again.hash, 0, sizeof again.hash);
    ck_assert_int_eq(rh_replay_seek(play, r, from, diag), RH_OK);
    listen_to(&again);
    memcpy(again.hash, first.hash, (size_t)(from + 1) * sizeof again.hash[0]);
    ck_assert_int_eq(rh_replay_again(play, r, NULL, 1.1, diag), RH_OK);
    same_frames(&first, &again);
  }
  rh_recording_close(r);
}

END_TEST

// Without the inputs it is another run: the test above could tell.
START_TEST(inputs_matter)
{
  static listener with;
  static listener without;
  open_play(thrown);
  tell_story(&with, 60);
  rh_replay_destroy(play);
  open_play(thrown);
  listen_to(&without);
  run_to(0.6);
  ck_assert(with.hash[0] == without.hash[0]);
  ck_assert(with.hash[60] != without.hash[60]);
}

END_TEST

// Each frame of a recording is looked at with the laws that made it.
START_TEST(frames_are_seen_with_the_laws_of_their_time)
{
  static listener l;
  record_story(rec_at("a.rhr"), &l, 110);
  rh_recording *r = open_record(rec_at("a.rhr"));

  const struct {
    long frame;
    double mu, k;
  } want[] = {{20, 0.3, 0},    {21, 0.05, 2e5}, {52, 0.05, 2e5},
              {53, 0.05, 3e6}, {0, 0.3, 0},     {110, 0.05, 1e6}};

  for (int i = 0; i < RH_COUNT(want); i++) {
    rh_data *seen = NULL;
    ck_assert_int_eq(rh_recording_world(r, want[i].frame, &seen, NULL, diag), RH_OK);
    near_abs(*seen->t, 0.01 * (double)want[i].frame, 1e-12);
    const rh_model_contact *c = &seen->model->contact[0];
    const rh_row *law = &c->law->row;
    near_abs(
        c->friction_par[rh_row_offset(&c->friction->row, rh_row_find(&c->friction->row, "mu"))],
        want[i].mu, 0);
    double k = c->par[rh_row_offset(law, rh_row_find(law, "Kn"))];
    ck_assert(want[i].k == 0 || k == want[i].k);
  }
  rh_recording_close(r);
}

END_TEST

// A run that was cut goes on with the inputs that were recorded, to the same bits; its inputs stay as they are.
START_TEST(a_cut_run_goes_on_with_its_inputs)
{
  static listener first;
  static listener rest;
  record_story(rec_at("a.rhr"), &first, 57);
  rh_recording *r = open_record(rec_at("a.rhr"));
  ck_assert_int_eq(rh_recording_resume_index(r), 50);
  ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
  ck_assert_int_eq(rh_replay_seek(play, r, 50, diag), RH_OK);
  ck_assert_int_eq(
      rh_recorder_resume(rec_at("a.rhr"), rh_replay_model(play), 50, diag, &rest.recorder), RH_OK);
  listen_to(&rest);
  ck_assert_int_eq(rh_replay_again(play, r, NULL, 57 * 0.01, diag), RH_OK);
  ck_assert_int_eq(rh_recorder_close(rest.recorder, RH_OK, NULL), RH_OK);
  memcpy(rest.hash, first.hash, 51 * sizeof rest.hash[0]);
  same_frames(&first, &rest);
  rh_recording_close(r);
  r = open_record(rec_at("a.rhr"));
  ck_assert_int_eq(rh_recording_inputs(r), 8);
  ck_assert_int_eq(rh_recording_frames(r), 58);
  rh_recording_close(r);
}

END_TEST

// Scenes of all sorts: smooth, rigid, driven, by ticks. A body is pulled, gravity turns, the body is let go; then once more.
static void pull_and_again(const char *name)
{
  static listener first;
  static listener again;
  char path[512];
  char at[32];
  rh_scene *scene = NULL;
  const char *const set[] = {"run.hand=yes"};
  (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", name);
  ck_assert_int_eq(rh_scene_load(path, set, 1, diag, &scene), RH_OK);
  char *text = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  open_play(text);
  const rh_model *m = rh_replay_model(play);
  int body = 1;
  while (body < m->nbody && m->body[body].tree == 0) {
    body++;
  }
  const rh_input input[] = {
      {2, RH_INPUT_DRAG, rh_model_name(m, RH_OBJECT_BODY, body), "0.01 0 0 0.05 0.1 0.4"},
      {4, RH_INPUT_SET, "world.gravity", "[0.5, 0, -8]"},
      {7, RH_INPUT_DRAG, rh_model_name(m, RH_OBJECT_BODY, body), "0.01 0 0 0.1 0 0.5"},
      {9, RH_INPUT_DROP, "", ""},
  };
  first = again = (listener){0};
  ck_assert_int_eq(rh_recorder_create(rec_at("s.rhr"), m, name, text, diag, &first.recorder),
                   RH_OK);
  listen_to(&first);
  rh_status status = RH_OK;
  int next = 0;
  for (long frame = 0; frame <= 14 && status == RH_OK; frame++) {
    status = rh_sim_run(rh_replay_sim(play), (double)frame * m->run.every);
    for (; status == RH_OK && next < RH_COUNT(input) && input[next].frame == frame; next++) {
      ck_assert_int_eq(rh_replay_input(play, &input[next], diag), RH_OK);
      ck_assert_int_eq(rh_recorder_input(first.recorder, &input[next]), RH_OK);
    }
  }
  double t = *now()->t;
  (void)snprintf(at, sizeof at, "%g", t);
  ck_assert_int_eq(rh_recorder_close(first.recorder, status, NULL), RH_OK);
  rh_replay_destroy(play);
  rh_free(text);
  rh_recording *r = open_record(rec_at("s.rhr"));
  ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
  listen_to(&again);
  double until = (double)(first.frames - 1) * rh_replay_model(play)->run.every;
  rh_status second = rh_replay_again(play, r, NULL, status == RH_OK ? until : HUGE_VAL, diag);
  ck_assert_msg(second == status && first.frames == again.frames,
                "%s: %ld frames to %s s, then %ld", name, first.frames, at, again.frames);
  same_frames(&first, &again);
  rh_recording_close(r);
  rh_replay_destroy(play);
  play = NULL;
}

START_TEST(scenes_of_all_sorts_are_done_again)
{
  static const char *const name[] = {"ball",        "block-tilted-drop", "card-house",
                                     "stop",        "rimless-wheel",     "motor",
                                     "heavy-top",   "haptic-peg-corner", "double-pendulum",
                                     "part-feeder", "terrain",           "elastic-ground-foot"};
  for (int i = 0; i < RH_COUNT(name); i++) {
    pull_and_again(name[i]);
  }
}

END_TEST

// Impacts behind inputs are found again where they were told, with the values of their time (e = 0.7 since frame 0).
START_TEST(impacts_behind_inputs_are_looked_into)
{
  static listener l;
  rh_viewer *film = NULL;
  int found = 0;
  record_story(rec_at("a.rhr"), &l, 110);
  ck_assert_int_eq(rh_viewer_open(rec_at("a.rhr"), diag, &film), RH_OK);
  for (long i = 0; i < rh_viewer_event_count(film); i++) {
    rh_event event;
    rh_text text = {0};
    const char *type = NULL;
    char path[40];
    char t[40];
    ck_assert_int_eq(rh_viewer_event(film, i, diag, &event), RH_OK);
    if (event.kind != RH_EVENT_IMPACT || event.t < 0.47) {
      continue;
    }
    (void)snprintf(path, sizeof path, "/impacts/0/%ld", i);
    (void)snprintf(t, sizeof t, "{\"t\":%.17g", event.t);
    ck_assert_int_eq(rh_viewer_answer(&film, 1, path, diag, &text, &type), RH_OK);
    t[18] = '\0'; // digits enough to know it; the answer may have fewer than 17
    ck_assert_msg(strstr(text.data, t) != NULL && strstr(text.data, "\"e\":0.7,") != NULL,
                  "%s: %.300s", t, text.data);
    rh_text_free(&text);
    found++;
  }
  ck_assert_int_ge(found, 1);
  rh_viewer_close(film);
}

END_TEST

static void change_file(const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  char *why = NULL;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s", why);
  ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

// A recording as format 2 had it: no inputs, no hand in the ledger. It is read, done again, and gone on with.
START_TEST(recordings_of_the_old_format_still_open)
{
  static listener first;
  static listener rest;
  const char *const path = rec_at("old.rhr");
  const char *at = strstr(thrown, ", hand: true");
  char scene[sizeof thrown];
  (void)snprintf(scene, sizeof scene, "%.*s%s", (int)(at - thrown), thrown, at + 12);
  open_play(scene);
  ck_assert_int_eq(
      rh_recorder_create(path, rh_replay_model(play), "thrown", scene, diag, &first.recorder),
      RH_OK);
  listen_to(&first);
  run_to(0.5);
  ck_assert_int_eq(rh_recorder_close(first.recorder, RH_OK, NULL), RH_OK);
  change_file(path,
              "DROP TABLE inputs; CREATE TABLE kept AS SELECT * FROM ledger; DROP TABLE ledger;"
              "CREATE TABLE ledger(frame INTEGER PRIMARY KEY, kinetic REAL, potential REAL, "
              "spring REAL, contact REAL, damper REAL, contact_damper REAL, sliding REAL, "
              "actuator REAL, external REAL, event REAL, initial REAL, residue REAL);"
              "INSERT INTO ledger SELECT frame, kinetic, potential, spring, contact, damper, "
              "contact_damper, sliding, actuator, external, event, initial, residue FROM kept;"
              "DROP TABLE kept; UPDATE meta SET value = '2' WHERE key = 'format';"
              "PRAGMA user_version = 2");
  rh_recording *r = open_record(path);
  ck_assert_int_eq(rh_recording_inputs(r), 0);
  rh_replay_destroy(play);
  ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
  ck_assert_int_eq(rh_replay_seek(play, r, 40, diag), RH_OK);
  ck_assert_int_eq(rh_recorder_resume(path, rh_replay_model(play), 40, diag, &rest.recorder),
                   RH_OK);
  listen_to(&rest);
  ck_assert_int_eq(rh_replay_again(play, r, NULL, 0.5, diag), RH_OK);
  ck_assert_int_eq(rh_recorder_input(rest.recorder, &story[0]), RH_WRONG_USAGE);
  ck_assert_int_eq(rh_recorder_close(rest.recorder, RH_OK, NULL), RH_OK);
  memcpy(rest.hash, first.hash, 41 * sizeof rest.hash[0]);
  same_frames(&first, &rest);
  rh_recording_close(r);
  r = open_record(path);
  ck_assert_int_eq(rh_recording_frames(r), 51);
  rh_recording_close(r);
}

END_TEST

START_TEST(damaged_inputs_are_refused)
{
  static listener l;
  static const char *const harm[] = {
      "UPDATE inputs SET kind = 'push' WHERE id = 3",
      "UPDATE inputs SET frame = -1 WHERE id = 0",
      "UPDATE inputs SET frame = 'x' WHERE id = 0",
      "UPDATE inputs SET frame = 2 WHERE id = 5",
      "DELETE FROM inputs WHERE id = 4",
  };
  for (int i = 0; i < RH_COUNT(harm); i++) {
    rh_recording *r = NULL;
    record_story(rec_at("a.rhr"), &l, 60);
    change_file(rec_at("a.rhr"), harm[i]);
    ck_assert_msg(rh_recording_open(rec_at("a.rhr"), NULL, &r) == RH_INPUT_REFUSED, "%s", harm[i]);
  }
  // What can be read but does not go: the run that is done again says so and ends there.
  static const char *const wrong[] = {
      "UPDATE inputs SET value = 'x' WHERE id = 3",
      "UPDATE inputs SET name = 'nobody' WHERE id = 1",
      "UPDATE inputs SET value = '1 2 3 4 5 1e300' WHERE id = 1",
      "UPDATE inputs SET kind = 'scene', value = 'bodies: []' WHERE id = 3",
  };
  for (int i = 0; i < RH_COUNT(wrong); i++) {
    record_story(rec_at("a.rhr"), &l, 60);
    change_file(rec_at("a.rhr"), wrong[i]);
    rh_recording *r = open_record(rec_at("a.rhr"));
    ck_assert_int_eq(rh_replay_open(r, diag, &play), RH_OK);
    ck_assert_msg(rh_replay_again(play, r, NULL, 0.6, diag) == RH_INPUT_REFUSED, "%s", wrong[i]);
    rh_replay_destroy(play);
    play = NULL;
    rh_diag_clear(diag);
    rh_recording_close(r);
  }
}

END_TEST

// The hand's force as a channel, against the state.
START_TEST(a_drag_has_channels)
{
  static listener l;
  record_story(rec_at("a.rhr"), &l, 60);
  rh_recording *r = open_record(rec_at("a.rhr"));
  rh_channels *channels = rh_channels_create(rh_recording_model(r));
  const char *const name[] = {"drag.x", "drag.y", "drag.z", "drag.target_z", "energy.hand"};
  int index[RH_COUNT(name)];
  for (int i = 0; i < RH_COUNT(name); i++) {
    index[i] = rh_channel_find(channels, name[i]);
    ck_assert_int_ge(index[i], 0);
  }
  double before = 0;
  for (long frame = 0; frame <= 60; frame++) {
    double value[RH_COUNT(name)];
    rh_data *seen = NULL;
    ck_assert_int_eq(rh_recording_world(r, frame, &seen, NULL, diag), RH_OK);
    rh_channels_read(channels, seen, index, RH_COUNT(name), value);
    bool held = frame > 7 && frame <= 47; // a frame shows what was before its own inputs
    ck_assert_msg((value[0] != 0 && value[1] != 0) == held, "frame %ld", frame);
    if (held) {
      rh_vec3 x = rh_point_position(seen, 2, rh_v3(0.05, 0, 0));
      rh_vec3 v = rh_point_velocity(seen, 2, rh_v3(0.05, 0, 0));
      near_abs(value[2], 144 * (value[3] - x.z) - 24 * v.z + 9.81, 1e-9); // m = 1 kg, w = 12 / s
    }
    ck_assert(frame < 48 || frame > 52 || value[4] == before); // let go: nothing is put in
    before = value[4];
  }
  rh_channels_destroy(channels);
  rh_recording_close(r);
}

END_TEST

Suite *rh_suite_unit_replay(void)
{
  Suite *suite = suite_create("unit_replay");
  TCase *tc = tcase_create("replay");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, inputs_are_kept_as_they_were);
  tcase_add_test(tc, a_recorded_run_is_done_again_bit_for_bit);
  tcase_add_test(tc, inputs_matter);
  tcase_add_test(tc, frames_are_seen_with_the_laws_of_their_time);
  tcase_add_test(tc, a_cut_run_goes_on_with_its_inputs);
  tcase_add_test(tc, a_drag_has_channels);
  tcase_add_test(tc, impacts_behind_inputs_are_looked_into);
  tcase_add_test(tc, recordings_of_the_old_format_still_open);
  tcase_add_test(tc, damaged_inputs_are_refused);
  suite_add_tcase(suite, tc);
  TCase *scenes = tcase_create("scenes");
  tcase_add_checked_fixture(scenes, setup, teardown);
  tcase_add_test(scenes, scenes_of_all_sorts_are_done_again);
  suite_add_tcase(suite, scenes);
  return suite;
}
