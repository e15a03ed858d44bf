// rec_run.h: what the tests of recordings share: a scene with events of every sort, a run that is recorded and kept in
// memory at once, a folder of its own for every test. Nothing here is under test.
#ifndef ROUTH_TEST_REC_RUN_H
#define ROUTH_TEST_REC_RUN_H

#include "test.h"

#include <dirent.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH      10
#define FRAMES_MAX 512
#define EVENTS_MAX 512

// A pendulum with a stop, a motor that switches at an angle, a body that is let go, a wind that blows for a while.
static const char *const rec_scene =
    "world: {gravity: [0, 0, -9.81]}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833, 0, 0, 0]}\n"
    "  - {name: bob, mass: 0.2}\n"
    "joints:\n"
    "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], at: [0, 0, 1], q: 30 deg, "
    "damper: 0.05,\n"
    "     limits: [-0.5, 1.2], bounce: 0.6}\n"
    "  - {name: slide, kind: prismatic, parent: rod, child: bob, axis: [1, 0, 0], at: [1, 0, 0], "
    "held: true,\n"
    "     spring: 40, limits: [-0.3, 0.3]}\n"
    "shapes:\n"
    "  - {body: bob, kind: sphere, radius: 0.05}\n"
    "points:\n"
    "  - {name: tip, body: rod, at: [1, 0, 0]}\n"
    "actuators:\n"
    "  - {name: motor, joint: hinge, effort: 0.5, limits: [-2, 2]}\n"
    "forces:\n"
    "  - {name: wind, body: rod, at: [1, 0, 0], force: [0.1, 0, 0], from: 0.4, until: 0.9}\n"
    "events:\n"
    "  - {name: flip, joint: hinge, position: 0.8, direction: rising, actuator: motor, effort: "
    "-0.5}\n"
    "  - {name: drop, time: 0.5, release: slide}\n"
    "run: {until: 2, integrator: cvode}\n"
    "record: {every: 0.01, batch: 10}\n";

static char rec_folder[128];

static inline void rec_setup(void)
{
  (void)snprintf(rec_folder, sizeof rec_folder, "/tmp/routh-rec-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(rec_folder));
}

static inline void rec_teardown(void)
{
  DIR *folder = opendir(rec_folder);
  for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", rec_folder, e->d_name);
    (void)unlink(path);
  }
  if (folder) {
    (void)closedir(folder);
  }
  (void)rmdir(rec_folder);
}

// A path in the folder of the test; valid until the fourth call after it.
static inline const char *rec_at(const char *name)
{
  static char path[4][256];
  static int next;
  char *text = path[next++ % 4];
  (void)snprintf(text, sizeof path[0], "%s/%s", rec_folder, name);
  return text;
}

static inline int rec_files(void) // how many files are in the folder
{
  int count = 0;
  DIR *folder = opendir(rec_folder);
  for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
    count += e->d_name[0] != '.';
  }
  (void)closedir(folder);
  return count;
}

static inline void rec_say(const rh_diag *diag)
{
  char text[1024];
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
}

typedef struct world { // a scene, ready to run
  rh_diag *diag;
  rh_model *model;
  char *text; // every value in force
  rh_sim *sim;
} world;

static inline world world_open(const char *const *set, int nset)
{
  world w = {.diag = rh_diag_create()};
  rh_scene *scene = NULL;
  rh_status status =
      rh_scene_parse(rec_scene, strlen(rec_scene), "rec.yaml", set, nset, w.diag, &scene);
  if (status == RH_OK) {
    w.text = rh_scene_write(scene, false);
    status = rh_scene_compile(scene, w.diag, &w.model);
  }
  rh_scene_destroy(scene);
  if (status == RH_OK) {
    status = rh_sim_create(w.model, w.diag, &w.sim);
  }
  if (status != RH_OK) {
    rec_say(w.diag);
  }
  ck_assert_int_eq(status, RH_OK);
  return w;
}

static inline void world_close(world *w)
{
  rh_sim_destroy(w->sim);
  rh_model_destroy(w->model);
  rh_free(w->text);
  rh_diag_destroy(w->diag);
}

typedef struct run { // what a run told, kept beside what was recorded
  rh_recorder *recorder;
  int nstate;
  long frames, events;
  long stop_at;  // the run is interrupted behind this frame; < 0: never
  double *state; // (FRAMES_MAX, nstate)
  rh_ledger ledger[FRAMES_MAX];
  rh_event event[EVENTS_MAX];
} run;

static inline rh_status run_frame(void *user, const rh_sim *sim, long index)
{
  run *r = user;
  if (index < FRAMES_MAX) {
    memcpy(r->state + (size_t)index * (size_t)r->nstate, rh_sim_view(sim)->state,
           (size_t)r->nstate * sizeof(double));
    r->ledger[index] = rh_sim_ledger(sim);
  }
  r->frames = index + 1;
  rh_status status = r->recorder ? rh_recorder_frame(r->recorder, sim, index) : RH_OK;
  return status == RH_OK && index == r->stop_at ? RH_INTERRUPTED : status;
}

static inline rh_status run_event(void *user, const rh_sim *sim, const rh_event *event)
{
  run *r = user;
  if (r->events < EVENTS_MAX) {
    r->event[r->events] = *event;
  }
  r->events++;
  return r->recorder ? rh_recorder_event(r->recorder, sim, event) : RH_OK;
}

static inline run *run_open(world *w, const char *path)
{
  run *r = calloc(1, sizeof *r);
  ck_assert_ptr_nonnull(r);
  r->nstate = w->model->layout.nstate;
  r->state = calloc(FRAMES_MAX * (size_t)r->nstate, sizeof(double));
  r->stop_at = -1;
  if (path) {
    rh_status status =
        rh_recorder_create(path, w->model, "rec.yaml", w->text, w->diag, &r->recorder);
    if (status != RH_OK) {
      rec_say(w->diag);
    }
    ck_assert_int_eq(status, RH_OK);
  }
  rh_observer observer = {.user = r, .frame = run_frame, .event = run_event};
  rh_sim_observe(w->sim, &observer);
  return r;
}

static inline void run_close(run *r)
{
  free(r->state);
  free(r);
}

// Runs the scene to `until`, records it, and closes the recording.
static inline run *run_recorded(world *w, const char *path, double until)
{
  run *r = run_open(w, path);
  rh_status status = rh_sim_run(w->sim, until);
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_eq(rh_recorder_close(r->recorder, status, rh_sim_reason(w->sim)), RH_OK);
  r->recorder = NULL;
  return r;
}

static inline rh_recording *rec_open(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  rh_status status = rh_recording_open(path, diag, &recording);
  if (status != RH_OK) {
    rec_say(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return recording;
}

// Reads every frame and event; the hashes must be the chain that the states give. Returns the frames.
static inline long rec_verify(rh_recording *recording)
{
  rh_data *data = rh_data_create(rh_recording_model(recording));
  rh_diag *diag = rh_diag_create();
  uint64_t chain = 0;
  for (long i = 0; i < rh_recording_frames(recording); i++) {
    uint64_t hash = 0;
    rh_status status = rh_recording_frame(recording, i, data->state, &hash, diag);
    if (status != RH_OK) {
      rec_say(diag);
    }
    ck_assert_int_eq(status, RH_OK);
    chain = rh_data_hash(data, chain);
    ck_assert_uint_eq(hash, chain);
  }
  for (long i = 0; i < rh_recording_events(recording); i++) {
    rh_event event;
    ck_assert_int_eq(rh_recording_event(recording, i, &event, diag), RH_OK);
  }
  rh_diag_destroy(diag);
  rh_data_destroy(data);
  return rh_recording_frames(recording);
}

static inline bool event_same(const rh_event *a, const rh_event *b)
{
  return a->t == b->t && a->kind == b->kind && strcmp(a->name, b->name) == 0 && a->dof == b->dof &&
         a->before == b->before && a->after == b->after && a->impulse == b->impulse &&
         a->work == b->work;
}

// The recording must hold exactly what the run told.
static inline void rec_compare(rh_recording *recording, const run *r)
{
  double *state = calloc((size_t)r->nstate, sizeof(double));
  size_t bytes = (size_t)r->nstate * sizeof(double);
  ck_assert_int_eq(rh_recording_frames(recording), r->frames);
  ck_assert_int_eq(rh_recording_events(recording), r->events);
  for (long i = 0; i < r->frames; i++) {
    ck_assert_int_eq(rh_recording_frame(recording, i, state, NULL, NULL), RH_OK);
    ck_assert_msg(memcmp(state, r->state + i * r->nstate, bytes) == 0, "frame %ld differs", i);
  }
  for (long i = 0; i < r->events; i++) {
    rh_event event;
    ck_assert_int_eq(rh_recording_event(recording, i, &event, NULL), RH_OK);
    ck_assert_msg(event_same(&event, &r->event[i]), "event %ld differs", i);
  }
  free(state);
}

#endif
