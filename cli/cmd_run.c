// cmd_run.c: `routh run`: scene to recording, resuming a recording, or repeating a recording with
// its inputs, compared frame by frame. Frames and events go to the recorder at once; Ctrl-C ends
// the run between two steps, closes the recording and prints how to resume.
#include "run.h"

#include "base/outfile.h"
#include "base/text.h"
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
  bool all = rh_args_flag(run->args, "events");
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
  RH_TRY(keep_event(run, event));
  RH_TRY(rh_footfalls_event(&run->feet, sim, event));
  return run->recorder != NULL ? rh_recorder_event(run->recorder, sim, event) : RH_OK;
}

static rh_status on_poll(void *user, const rh_sim *sim)
{
  rh_run *run = user;
  rh_progress_tick(&run->progress, sim);
  rh_footfalls_look(&run->feet, sim);
  if (run->feet.fell > 0 && rh_args_flag(run->args, "stop-at-fall")) {
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
  if (run->feet.trunk == RH_NONE || index % run->model->batch != 0) {
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

static rh_status name_output(rh_run *run, const char *scene)
{
  if (rh_args_flag(run->args, "no-record")) {
    return RH_OK;
  }
  run->output = rh_args_text(run->args, "output");
  if (run->output == NULL) {
    const char *base = scene == NULL ? "default" : strcmp(scene, "-") == 0 ? "scene" : scene;
    run->made = rh_file_beside(base, ".rhr");
    run->output = run->made;
  }
  if (run->output == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (strcmp(run->output, "-") == 0) {
    return rh_refuse(
        RH_WRONG_USAGE,
        "run: a recording cannot go to standard output; name a file, or use --no-record");
  }
  return RH_OK;
}

static rh_status start_recording(rh_run *run)
{
  if (run->output == NULL) {
    return RH_OK;
  }
  rh_status status =
      rh_file_record(run->output, run->model, run->label, run->scene, run->diag, &run->recorder);
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->args, run->diag, status);
}

// ---- Resuming

// Only the end of the run may differ from the recording: all else would make it another run.
static rh_status read_new_end(rh_run *run)
{
  const rh_args *args = run->args;
  for (int i = 0; i < args->nset; i++) {
    static const char name[] = "run.until=";
    char why[RH_WHY_MAX];
    if (strncmp(args->set[i], name, sizeof name - 1) != 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "run: a recording keeps its scene; only --until can be changed, not '%s'",
                       args->set[i]);
    }
    if (!rh_unit_parse(args->set[i] + sizeof name - 1, "s", &run->until, why)) {
      return rh_refuse(RH_WRONG_USAGE, "run: --until: %s", why);
    }
    if (!(run->until >= RH_TIME_MIN && run->until <= 1e9)) {
      return rh_refuse(RH_WRONG_USAGE, "run: --until must lie in [%g, 1e+09] s, got %g",
                       RH_TIME_MIN, run->until);
    }
  }
  return RH_OK;
}

static rh_status judge_resume(const rh_args *args)
{
  if (args->nfile > 0 || rh_args_text(args, "output") != NULL || rh_args_flag(args, "no-record")) {
    return rh_refuse(RH_WRONG_USAGE, "run: --resume continues the recording itself, with the scene "
                                     "inside it; it takes no scene, -o or --no-record");
  }
  return RH_OK;
}

// Model and sim are those of the recording's scene at the frame.
static rh_status restore_frame(rh_run *run, long index)
{
  rh_status status = rh_replay_seek(run->play, run->recording, index, run->diag);
  if (status != RH_OK) {
    return rh_diag_refuse(run->args, run->diag, status);
  }
  run->sim = rh_replay_sim(run->play);
  rh_data *data = rh_sim_data(run->sim);
  double *state = rh_alloc((size_t)run->model->nstate * sizeof *state);
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
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->args, run->diag, status);
}

// A recording that is complete, or longer than requested, is unchanged; one that was cut off before
// its end was written is resumed.
static rh_status judge_complete(rh_run *run, bool asked)
{
  const rh_data *data = rh_sim_view(run->sim);
  long last = rh_recording_frames(run->recording) - 1;
  const char *ended = rh_recording_meta(run->recording, "ended");
  double *state = rh_alloc((size_t)run->model->nstate * sizeof *state);
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
    rh_say(run->args, "routh: %s already ends at t = %.9g s; --until T continues it", run->output,
           t);
  }
  return RH_OK;
}

// Prints the warnings about the scene, and stores their texts.
static rh_status tell_warnings(rh_run *run)
{
  for (int i = 0; i < rh_diag_kept(run->diag); i++) {
    rh_message m = rh_diag_get(run->diag, i);
    if (m.severity == RH_WARNING) {
      rh_text_addf(&run->warned, "%s\n", m.text);
    }
  }
  return rh_diag_warnings(run->args, run->diag);
}

static rh_status open_play(rh_run *run, const char *path)
{
  run->until = -1;
  RH_TRY(read_new_end(run));
  rh_status status = rh_recording_open(path, run->diag, &run->recording);
  if (status == RH_OK) {
    status = rh_replay_open(run->recording, run->diag, &run->play);
  }
  if (status != RH_OK) {
    return rh_diag_refuse(run->args, run->diag, status);
  }
  run->model = rh_replay_model(run->play);
  run->sim = rh_replay_sim(run->play);
  const char *name = rh_recording_meta(run->recording, "scene_name");
  run->label = name != NULL && name[0] != '\0' ? name : path;
  return tell_warnings(run);
}

static rh_status open_recording(rh_run *run)
{
  const char *path = rh_args_text(run->args, "resume");
  RH_TRY(judge_resume(run->args));
  RH_TRY(open_play(run, path));
  bool asked = run->until >= 0;
  run->until = asked ? run->until : run->model->until;
  run->output = path;
  long index = rh_recording_resume_index(run->recording);
  RH_TRY(judge_complete(run, asked));
  if (run->complete) {
    return RH_OK;
  }
  rh_status status = RH_OK;
  if (index != RH_NONE) {
    RH_TRY(restore_frame(run, index));
    status = rh_recorder_resume(path, run->model, index, run->diag, &run->recorder);
  } else {
    const char *scene = rh_recording_meta(run->recording, "scene");
    status = rh_recorder_create(path, run->model, run->label, scene, run->diag, &run->recorder);
  }
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->args, run->diag, status);
}

// A recording repeated from the start to its end. It is unchanged; -o writes the new run elsewhere.
static rh_status open_again(rh_run *run, const char *path)
{
  if (rh_args_flag(run->args, "print-scene")) {
    return rh_refuse(RH_WRONG_USAGE, "run: --print-scene needs a scene, not a recording");
  }
  RH_TRY(open_play(run, path));
  long last = rh_recording_frames(run->recording) - 1;
  run->until = run->until >= 0 ? run->until : (double)last * run->model->every;
  run->again = true;
  run->differs = RH_NONE;
  run->output = rh_args_text(run->args, "output");
  if (run->output == NULL) {
    return RH_OK;
  }
  if (rh_file_same(run->output, path)) {
    return rh_refuse(RH_WRONG_USAGE, "run: -o is the recording itself; name another file");
  }
  const char *scene = rh_recording_meta(run->recording, "scene");
  rh_status status =
      rh_recorder_create(run->output, run->model, run->label, scene, run->diag, &run->recorder);
  return status == RH_OK ? RH_OK : rh_diag_refuse(run->args, run->diag, status);
}

// ---- A scene

static rh_status open_scene(rh_run *run)
{
  const char *path = run->args->nfile > 0 ? run->args->file[0] : NULL;
  run->label = rh_file_label(path);
  if (path != NULL && rh_file_is_recording(path)) {
    return open_again(run, path);
  }
  rh_status status = rh_scene_from(run->args, path, run->diag, &run->scene);
  if (status == RH_OK && rh_args_flag(run->args, "print-scene")) {
    return RH_OK;
  }
  if (status == RH_OK) {
    status = rh_scene_compile(run->scene, run->diag, &run->owned);
  }
  if (status != RH_OK) {
    return rh_diag_refuse(run->args, run->diag, status);
  }
  run->model = run->owned;
  run->until = run->model->until;
  RH_TRY(name_output(run, path));
  status = rh_sim_create(run->model, run->diag, &run->sim);
  if (status != RH_OK) {
    return rh_diag_refuse(run->args, run->diag, status);
  }
  RH_TRY(tell_warnings(run));
  return start_recording(run);
}

// ---- Running

static rh_status tell_end(const rh_run *run)
{
  double t = *rh_sim_view(run->sim)->t;
  const char *reason = rh_sim_reason(run->sim);
  if (run->ended == RH_INTERRUPTED) {
    rh_refuse(RH_INTERRUPTED, "interrupted at t = %.9g s", t);
    if (run->output != NULL) {
      rh_say(run->args, "routh: to continue: routh run --resume %s", run->output);
    }
  } else if (run->ended != RH_OK) {
    if (reason != NULL && reason[0] != '\0') {
      return rh_refuse(run->ended, "stopped %s", reason); // "at t = 1 s: why"
    }
    return rh_refuse(run->ended, "stopped at t = %.9g s: %s", t, rh_status_message(run->ended));
  }
  return run->ended;
}

static bool dumps_to_stdout(const rh_args *args)
{
  const char *path = rh_args_text(args, "dump");
  return path != NULL && strcmp(path, "-") == 0;
}

// The contact problem at the end of the run
static rh_status dump_problem(const rh_run *run)
{
  const char *path = rh_args_text(run->args, "dump");
  rh_cone problem;
  if (path == NULL) {
    return RH_OK;
  }
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

// With the inputs of the recording; a resumed recording has them already.
static rh_status play_again(rh_run *run)
{
  rh_recorder *keep = run->again ? run->recorder : NULL;
  rh_status status = rh_replay_again(run->play, run->recording, keep, run->until, run->diag);
  run->sim = rh_replay_sim(run->play); // another one where values changed
  rh_diag_print(run->args, run->diag, NULL);
  return status;
}

static rh_status tell_same(const rh_run *run)
{
  long frames = rh_recording_frames(run->recording);
  long inputs = rh_recording_inputs(run->recording);
  if (run->differs != RH_NONE) {
    return rh_refuse(RH_OUTSIDE_TOLERANCE, "the run differs from the recording from frame %ld on",
                     run->differs);
  }
  rh_say(run->args, "the same bits in %ld of %ld frames, with %ld input%s", run->same, frames,
         inputs, rh_plural(inputs));
  return RH_OK;
}

static rh_status simulate_scene(rh_run *run)
{
  rh_observer observer = {.user = run, .frame = on_frame, .event = on_event, .poll = on_poll};
  rh_interrupt_catch();
  run->progress = rh_progress_begin(run->args, run->t_begun, run->until);
  rh_footfalls_begin(&run->feet, run->model);
  const char *walked = run->play != NULL && !run->again && run->frames > 0
                           ? rh_recording_meta(run->recording, "footfalls")
                           : NULL;
  if (walked != NULL) {
    RH_TRY(rh_footfalls_read(&run->feet, walked, run->frames - 1));
  }
  rh_sim_observe(run->sim, &observer);
  double begun = rh_wall_clock();
  run->ended = run->play != NULL ? play_again(run) : rh_sim_run(run->sim, run->until);
  bool fallen = run->feet.fell > 0 && rh_args_flag(run->args, "stop-at-fall");
  run->ended = run->ended == RH_STOPPED && fallen ? RH_OK : run->ended; // as requested
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
  rh_status status = RH_OK;
  if (run->args->json) {
    status = rh_run_json(run);
  } else if (!dumps_to_stdout(run->args)) {
    rh_run_summary(run);
  }
  fflush(stdout);
  status = status == RH_OK && run->ended != RH_OUT_OF_MEMORY ? dump_problem(run) : status;
  rh_status ended = tell_end(run);
  if (run->again && status == RH_OK) {
    status = tell_same(run);
  }
  return ended != RH_OK ? ended : status;
}

static rh_status print_scene(const rh_run *run)
{
  rh_diag_print(run->args, run->diag, NULL);
  char *text = rh_scene_write(run->scene, true);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_file_write(rh_args_text(run->args, "output"), text);
  rh_free(text);
  return status;
}

static rh_status run_verb(const rh_args *args)
{
  if (args->json && dumps_to_stdout(args)) {
    return rh_refuse(RH_WRONG_USAGE, "run: --json and --dump cannot both go to standard output");
  }
  rh_run run = {.args = args, .diag = rh_diag_create()};
  if (run.diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_args_text(args, "resume") != NULL ? open_recording(&run) : open_scene(&run);
  if (status == RH_OK && run.sim == NULL) {
    status = print_scene(&run);
  } else if (status == RH_OK && !run.complete) {
    status = simulate_scene(&run);
  }
  (void)rh_recorder_close(run.recorder, RH_STOPPED, "not begun");
  if (run.play == NULL) {
    rh_sim_destroy(run.sim);
  }
  rh_replay_destroy(run.play);
  rh_recording_close(run.recording);
  rh_model_destroy(run.owned);
  rh_scene_destroy(run.scene);
  rh_diag_destroy(run.diag);
  rh_free(run.kept.event);
  rh_text_free(&run.warned);
  rh_footfalls_end(&run.feet);
  rh_moving_free(&run.moving);
  rh_free(run.made);
  return status;
}

static const rh_option option[] = {
    {.name = "until", .value = "T", .set = "run.until", .doc = "end of the run"},
    {.name = "stepper",
     .value = "NAME",
     .from = "steppers",
     .set = "run.stepper",
     .doc = "time integration; routh list steppers"},
    {.name = "tol", .value = "X", .set = "run.rtol", .doc = "relative tolerance"},
    {.name = "dt", .value = "T", .set = "run.dt", .doc = "length of a fixed step"},
    {.name = "every", .value = "T", .set = "record.every", .doc = "time between recorded frames"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("name of the recording; default: that of the scene with .rhr, in this folder"),
    {.name = "no-record", .doc = "write no recording"},
    {.name = "resume", .value = "FILE.rhr", .doc = "continue this recording bit for bit"},
    {.name = "strict",
     .set = "run.strict",
     .doc = "warnings are errors, and verdicts on rigid contact end the run"},
    {.name = "dump",
     .value = "FILE.json",
     .doc = "write the problem of the rigid contacts at the end, for routh solve; - is standard "
            "output (no summary)"},
    {.name = "print-scene", .doc = "print every value in force and its origin; run nothing"},
    {.name = "stop-at-fall", .doc = "end the run when a robot that walks has fallen"},
    {.name = "events", .doc = "print all events, not only the first 10"},
    RH_OPTION_PROGRESS,
};

static const rh_example example[] = {
    {"run scenes/stop.yaml --until 3 -s hinge.bounce=0.2", "three seconds, recorded in stop.rhr"},
    {"run --resume stop.rhr --until 10", "continue, bit for bit"},
    {"run live.rhr", "run again, and compare bit for bit"},
};

const rh_verb rh_verb_run = {
    .row = {.name = "run", .cite = "", .doc = "Run a scene: recording, summary, energy ledger."},
    .group = "Simulate",
    .usage = "[SCENE | RUN.rhr]",
    .more = "Without a scene the built-in one is run; - reads it from standard input. Ctrl-C "
            "closes the recording properly (exit code 130; 143 after TERM, 129 after HUP); it can "
            "be continued. A recording is run again, with the inputs of a live run in it, and the "
            "hash of each frame is compared; -o keeps the new run.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|urdf|rhr",
    .least = 0,
    .most = 1,
    .run = run_verb,
};
