// run.c: one run of a scene, of a resumed or of a repeated recording. Frames and events go to the
// recorder at once; a signal ends the run between two steps and closes the recording.
#include "run.h"

#include "event/rigid.h"
#include "problems/problem_solver.h"
#include "recording/recording.h"

#include <errno.h>
#include <string.h>

// ---- Callbacks of the simulation

// A recording stores no minus zero: the output is the same for an event that was read back.
static void drop_minus_zero(rh_event *event)
{
  double *const number[] = {&event->before,   &event->after, &event->impulse, &event->work,
                            &event->friction, &event->Dn,    &event->Dt};
  for (int i = 0; i < RH_COUNT(number); i++) {
    *number[i] += 0.0;
  }
}

static rh_status keep_event(rh_run *run, const rh_event *event)
{
  run->events++;
  bool all = run->all_events;
  if (!all && run->kept.count >= RH_EVENTS_SHOWN) {
    return RH_OK;
  }
  rh_event kept = *event;
  drop_minus_zero(&kept);
  return rh_events_keep(&run->kept, &kept);
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  rh_run *run = user;
  if (rh_rec_has_row(run->model, event)) { // a resumed run lists what its recording has
    RH_TRY(keep_event(run, event));
  }
  RH_TRY(rh_footfalls_event(&run->feet, sim, event));
  return run->recorder != NULL ? rh_recorder_event(run->recorder, sim, event) : RH_OK;
}

static rh_status on_poll(void *user, const rh_sim *sim)
{
  rh_run *run = user;
  rh_progress_tick(&run->progress, sim);
  rh_footfalls_look(&run->feet, sim);
  if (run->feet.fell > 0 && run->stop_at_fall) {
    return RH_STOPPED;
  }
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// A repeated run must give the same bits.
static rh_status compare_hash(rh_run *run, long index)
{
  uint64_t hash = 0;
  rh_data *world = NULL;
  if (index >= rh_recording_frames(run->recording)) {
    return RH_OK; // --until is later
  }
  RH_TRY(rh_recording_world(run->recording, index, &world, &hash, run->diag));
  run->same += hash == run->hash;
  run->differs = hash != run->hash && run->differs == RH_NONE ? index : run->differs;
  return RH_OK;
}

// With the frames from which a walk can resume
static rh_status keep_footfalls(const rh_run *run, long index)
{
  if (run->feet.nfoot == 0 || index % run->model->run.batch != 0) {
    return RH_OK;
  }
  char *text = rh_footfalls_write(&run->feet, index);
  rh_status status =
      text != NULL ? rh_recorder_note(run->recorder, "footfalls", text) : RH_OUT_OF_MEMORY;
  rh_free(text);
  return status;
}

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  rh_run *run = user;
  run->hash = rh_data_hash(rh_sim_view(sim), run->hash);
  run->frames = index + 1;
  RH_TRY(rh_moving_frame(&run->moving, rh_sim_view(sim)));
  if (run->again) {
    RH_TRY(compare_hash(run, index));
  }
  if (run->recorder != NULL) {
    RH_TRY(keep_footfalls(run, index));
    RH_TRY(rh_recorder_frame(run->recorder, sim, index));
  }
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// ---- Opening

rh_status rh_run_record(rh_run *run)
{
  if (run->output == NULL) {
    return RH_OK;
  }
  rh_status status =
      rh_file_record(run->output, run->model, run->label, run->scene, run->diag, &run->recorder);
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->request, run->diag, status);
}

// Prints the warnings about the scene, and stores their texts.
rh_status rh_run_warnings(rh_run *run)
{
  for (int i = 0; i < rh_diag_kept(run->diag); i++) {
    rh_message m = rh_diag_get(run->diag, i);
    if (m.severity == RH_WARNING) {
      rh_text_addf(&run->warned, "%s\n", m.text);
    }
  }
  return rh_diag_warnings(run->request, run->diag);
}

rh_status rh_run_open(rh_run *run, const char *path)
{
  rh_status status = rh_recording_open(path, run->diag, &run->recording);
  if (status == RH_OK) {
    status = rh_replay_open(run->recording, run->diag, &run->play);
  }
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  run->model = rh_replay_model(run->play);
  run->sim = rh_replay_sim(run->play);
  const char *name = rh_recording_meta(run->recording, "scene_name");
  run->label = name != NULL && name[0] != '\0' ? name : path;
  return rh_run_warnings(run);
}

rh_status rh_run_repeat(rh_run *run, const char *output)
{
  run->again = true;
  run->differs = RH_NONE;
  run->output = output;
  if (output == NULL) {
    return RH_OK;
  }
  const char *scene = rh_recording_meta(run->recording, "scene");
  rh_interrupt_catch();
  rh_status status =
      rh_recorder_create(output, run->model, run->label, scene, run->diag, &run->recorder);
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->request, run->diag, status);
}

rh_status rh_run_seek(rh_run *run, long index)
{
  rh_status status = rh_replay_seek(run->play, run->recording, index, run->diag);
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  run->sim = rh_replay_sim(run->play);
  rh_data *data = rh_sim_data(run->sim);
  double *state = rh_alloc((size_t)run->model->layout.nstate * sizeof *state);
  if (state == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  status = rh_recording_frame(run->recording, index, state, &run->hash, run->diag);
  run->t_begun = *data->t;
  run->frames = index + 1;
  rh_free(state);
  long events = rh_recording_events_until(run->recording, index);
  for (long i = 0; status == RH_OK && i < events; i++) {
    rh_event event;
    status = rh_recording_event(run->recording, i, &event, run->diag);
    status = status == RH_OK ? keep_event(run, &event) : status;
  }
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->request, run->diag, status);
}

// A recording that is complete, or longer than requested, is unchanged; one that was cut off before
// its end was written is resumed.
static rh_status check_complete(rh_run *run, bool asked)
{
  const rh_data *data = rh_sim_view(run->sim);
  long last = rh_recording_frames(run->recording) - 1;
  const char *ended = rh_recording_meta(run->recording, "ended");
  double *state = rh_alloc((size_t)run->model->layout.nstate * sizeof *state);
  if (state == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  double t = -1;
  if (last >= 0 && rh_recording_frame(run->recording, last, state, NULL, NULL) == RH_OK) {
    t = state[data->t - data->state];
  }
  rh_free(state);
  bool whole = ended != NULL && strcmp(ended, rh_status_name(RH_OK)) == 0;
  run->complete = (ended != NULL && t >= run->until) || (whole && !asked);
  if (run->complete) {
    rh_say(run->request, "routh: %s already ends at t = %.9g s; --until T continues it",
           run->output, t);
  }
  return RH_OK;
}

rh_status rh_run_resume(rh_run *run, const char *path, bool asked)
{
  run->output = path;
  long index = rh_recording_resume_index(run->recording);
  RH_TRY(check_complete(run, asked));
  if (run->complete) {
    return RH_OK;
  }
  rh_status status = RH_OK;
  rh_interrupt_catch();
  if (index != RH_NONE) {
    RH_TRY(rh_run_seek(run, index));
    status = rh_recorder_resume(path, run->model, index, run->diag, &run->recorder);
  } else {
    const char *scene = rh_recording_meta(run->recording, "scene");
    status = rh_recorder_create(path, run->model, run->label, scene, run->diag, &run->recorder);
  }
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->request, run->diag, status);
}

// ---- Running

// With the inputs of the recording; a resumed recording has them already.
static rh_status play_again(rh_run *run)
{
  rh_recorder *keep = run->again ? run->recorder : NULL;
  rh_status status = rh_replay_again(run->play, run->recording, keep, run->until, run->diag);
  run->sim = rh_replay_sim(run->play); // another one where values changed
  rh_diag_print(run->request, run->diag, NULL);
  return status;
}

rh_status rh_run_simulate(rh_run *run)
{
  rh_observer observer = {.user = run, .frame = on_frame, .event = on_event, .poll = on_poll};
  rh_interrupt_catch();
  run->progress = rh_progress_begin(run->request, run->t_begun, run->until);
  rh_footfalls_begin(&run->feet, run->model);
  const char *walked = run->play != NULL && !run->again && !run->branch.goes && run->frames > 0
                           ? rh_recording_meta(run->recording, "footfalls")
                           : NULL;
  if (walked != NULL) {
    RH_TRY(rh_footfalls_read(&run->feet, walked, run->frames - 1));
  }
  rh_sim_observe(run->sim, &observer);
  double begun = rh_wall_clock();
  bool again = run->play != NULL && !run->branch.goes;
  run->ended = again ? play_again(run) : rh_sim_run(run->sim, run->until);
  bool fallen = run->feet.fell > 0 && run->stop_at_fall;
  run->ended = run->ended == RH_STOPPED && fallen ? RH_OK : run->ended; // as requested
  rh_status checked = run->ended == RH_OK ? rh_sim_check_energy(run->sim) : RH_OK;
  run->ended = checked != RH_OK ? checked : run->ended;
  run->wall = rh_wall_clock() - begun;
  rh_progress_end(&run->progress);
  const char *reason = rh_sim_reason(run->sim);
  char why[RH_WHY_MAX] = "";
  bool said = reason != NULL && reason[0] != '\0';
  rh_status closed = rh_recorder_close_why(run->recorder, run->ended, said ? reason : NULL, why);
  run->recorder = NULL;
  if (closed != RH_OK) {
    run->ended = closed;
    return rh_refuse(closed, "%s: %s", run->output,
                     why[0] != '\0' ? why : rh_status_message(closed));
  }
  return RH_OK;
}

void rh_run_warn_errors(const rh_run *run)
{
  for (int i = 0; i < RH_EVENT_COUNT && run->ended == RH_OK; i++) {
    rh_event_kind kind = (rh_event_kind)i;
    rh_event first;
    char bodies[RH_BODIES_MAX];
    if (!rh_event_is_error(kind) || rh_sim_verdicts(run->sim, kind, &first) == 0) {
      continue;
    }
    rh_event_bodies(run->model, &first, bodies);
    char worst[RH_ADVICE_MAX + 64] = "";
    char advice[RH_ADVICE_MAX];
    if (kind == RH_EVENT_RESIDUE && rh_sim_residue_advice(run->sim, advice)) {
      (void)snprintf(worst, sizeof worst, "; later up to %.2g: take %s",
                     rh_sim_statistics(run->sim).residue.worst, advice);
    }
    rh_diag_add(run->diag, RH_WARNING, RH_NOWHERE, "%s, first at t = %.6g s%s%s: %s%s",
                rh_event_text(kind), first.t, bodies[0] != '\0' ? ", " : "", bodies, first.note,
                worst);
  }
  rh_diag_print(run->request, run->diag, NULL);
  rh_diag_clear(run->diag);
}

// The contact problem at the end of the run
rh_status rh_run_dump(const rh_run *run, const char *path)
{
  rh_cone problem;
  if (run->model->nrigid == 0 || !rh_sim_cone(run->sim, &problem)) {
    return rh_refuse(RH_WRONG_USAGE, "run: --dump: no rigid contact is closed at the end");
  }
  if (strcmp(path, "-") == 0) {
    (void)rh_cone_dump(&problem, "contacts", stdout);
    return RH_OK;
  }
  rh_outfile output;
  if (!rh_outfile_open(&output, path)) {
    return rh_file_refuse(path, output.error);
  }
  errno = 0;
  bool written = rh_cone_dump(&problem, "contacts", output.file);
  int error = errno != 0 ? errno : ENOMEM; // the text itself needs memory
  written = rh_outfile_close(&output, written) && written;
  return written ? RH_OK : rh_file_refuse(path, output.error != 0 ? output.error : error);
}

void rh_run_free(rh_run *run)
{
  (void)rh_recorder_close(run->recorder, RH_STOPPED, "not begun");
  if (run->play == NULL) {
    rh_sim_destroy(run->sim);
  }
  rh_replay_destroy(run->play);
  rh_recording_close(run->recording);
  rh_model_destroy(run->owned);
  rh_scene_destroy(run->scene);
  rh_diag_destroy(run->diag);
  rh_free(run->kept.event);
  rh_text_free(&run->warned);
  rh_footfalls_end(&run->feet);
  rh_moving_free(&run->moving);
  rh_free(run->made);
  rh_free(run->branch.file);
  *run = (rh_run){0};
}
