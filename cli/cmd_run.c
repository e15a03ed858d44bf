// cmd_run.c: `routh run`: scene to recording, resuming a recording, or repeating a recording with
// its inputs, compared frame by frame. Ctrl-C ends the run between two steps, closes the recording
// and prints how to resume.
#include "results.h"

#include <string.h>

// ---- Opening

// The name by -o, else one made from `scene`
static rh_status name_output(const rh_args *args, rh_run *run, const char *scene)
{
  if (rh_args_flag(args, "no-record")) {
    return RH_OK;
  }
  run->output = rh_args_text(args, "output");
  if (run->output == NULL) {
    run->made = rh_run_name(scene);
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

// Only the end of the run may differ from the recording: all else would make it another run.
static rh_status read_new_end(const rh_args *args, rh_run *run)
{
  for (int i = 0; i < args->request.nset; i++) {
    static const char name[] = "run.until=";
    char why[RH_WHY_MAX];
    if (strncmp(args->request.set[i], name, sizeof name - 1) != 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "run: a recording keeps its scene; only --until can be changed, not '%s'",
                       args->request.set[i]);
    }
    if (!rh_unit_parse(args->request.set[i] + sizeof name - 1, "s", &run->until, why)) {
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
  if (args->request.nfile > 0 || rh_args_text(args, "output") != NULL ||
      rh_args_flag(args, "no-record")) {
    return rh_refuse(RH_WRONG_USAGE, "run: --resume continues the recording itself, with the scene "
                                     "inside it; it takes no scene, -o or --no-record");
  }
  return RH_OK;
}

static rh_status open_recording(const rh_args *args, rh_run *run)
{
  const char *path = rh_args_text(args, "resume");
  run->until = -1;
  RH_TRY(judge_resume(args));
  RH_TRY(read_new_end(args, run));
  RH_TRY(rh_run_open(run, path));
  bool asked = run->until >= 0;
  run->until = asked ? run->until : run->model->run.until;
  return rh_run_resume(run, path, asked);
}

// A recording repeated from the start to its end. It is unchanged; -o writes the new run elsewhere.
static rh_status open_again(const rh_args *args, rh_run *run, const char *path)
{
  const char *output = rh_args_text(args, "output");
  if (rh_args_flag(args, "print-scene")) {
    return rh_refuse(RH_WRONG_USAGE, "run: --print-scene needs a scene, not a recording");
  }
  run->until = -1;
  RH_TRY(read_new_end(args, run));
  RH_TRY(rh_run_open(run, path));
  long last = rh_recording_frames(run->recording) - 1;
  run->until = run->until >= 0 ? run->until : (double)last * run->model->run.every;
  if (output != NULL && rh_file_same(output, path)) {
    return rh_refuse(RH_WRONG_USAGE, "run: -o is the recording itself; name another file");
  }
  return rh_run_repeat(run, output);
}

// A run that leaves a recorded one at a frame
static rh_status open_branch(const rh_args *args, rh_run *run, const char *from)
{
  if (rh_args_flag(args, "print-scene")) {
    return rh_refuse(RH_WRONG_USAGE, "run: --from RECORDING alone goes on in the recorded scene; "
                                     "--print-scene needs a scene");
  }
  RH_TRY(name_output(args, run, from));
  return rh_run_branch(run, from, run->output);
}

// ---- A scene

static rh_status open_scene(const rh_args *args, rh_run *run)
{
  const char *path = run->request->nfile > 0 ? run->request->file[0] : NULL;
  run->label = rh_file_label(path);
  if (path != NULL && rh_file_is_recording(path)) {
    return open_again(args, run, path);
  }
  const char *from = rh_args_text(args, "from");
  rh_status status = from != NULL ? rh_run_scene_from(run, path, from)
                                  : rh_scene_from(run->request, path, run->diag, &run->scene);
  if (status == RH_OK && rh_args_flag(args, "print-scene")) {
    return RH_OK;
  }
  if (status == RH_OK) {
    status = rh_scene_compile(run->scene, run->diag, &run->owned);
  }
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  run->model = run->owned;
  run->until = run->model->run.until;
  RH_TRY(name_output(args, run, path));
  status = rh_sim_create(run->model, run->diag, &run->sim);
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  RH_TRY(rh_run_warnings(run));
  return rh_run_record(run);
}

// ---- Running

static rh_status tell_end(const rh_run *run)
{
  double t = *rh_sim_view(run->sim)->t;
  const char *reason = rh_sim_reason(run->sim);
  if (run->ended == RH_INTERRUPTED) {
    rh_refuse(RH_INTERRUPTED, "interrupted at t = %.9g s", t);
    if (run->output != NULL) {
      rh_say(run->request, "routh: to continue: routh run --resume %s", run->output);
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

static rh_status tell_same(const rh_run *run)
{
  long frames = rh_recording_frames(run->recording);
  long inputs = rh_recording_inputs(run->recording);
  if (run->differs != RH_NONE) {
    return rh_refuse(RH_OUTSIDE_TOLERANCE, "the run differs from the recording from frame %ld on",
                     run->differs);
  }
  rh_say(run->request, "the same bits in %ld of %ld frames, with %ld input%s", run->same, frames,
         inputs, rh_plural(inputs));
  return RH_OK;
}

static rh_status simulate_scene(const rh_args *args, rh_run *run)
{
  const char *dump = rh_args_text(args, "dump");
  RH_TRY(rh_run_simulate(run));
  rh_status status = RH_OK;
  if (args->request.json) {
    status = rh_run_json(run);
  } else if (!dumps_to_stdout(args)) {
    rh_run_summary(run);
  }
  fflush(stdout);
  if (status == RH_OK && run->ended != RH_OUT_OF_MEMORY && dump != NULL) {
    status = rh_run_dump(run, dump);
  }
  rh_run_warn_errors(run);
  rh_status ended = tell_end(run);
  if (run->again && status == RH_OK) {
    status = tell_same(run);
  }
  return ended != RH_OK ? ended : status;
}

static rh_status print_scene(const rh_args *args, const rh_run *run)
{
  rh_diag_print(run->request, run->diag, NULL);
  char *text = rh_scene_write(run->scene, true);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_file_write(rh_args_text(args, "output"), text);
  rh_free(text);
  return status;
}

static rh_status run_verb(const rh_args *args)
{
  if (args->request.json && dumps_to_stdout(args)) {
    return rh_refuse(RH_WRONG_USAGE, "run: --json and --dump cannot both go to standard output");
  }
  rh_run run = {.request = &args->request,
                .diag = rh_diag_create(),
                .all_events = rh_args_flag(args, "events"),
                .stop_at_fall = rh_args_flag(args, "stop-at-fall")};
  if (run.diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  const char *from = rh_args_text(args, "from");
  bool branch = from != NULL && args->request.nfile == 0 && rh_run_is_branch(from);
  rh_status status = rh_args_text(args, "resume") != NULL ? open_recording(args, &run)
                     : branch                             ? open_branch(args, &run, from)
                                                          : open_scene(args, &run);
  if (status == RH_OK && run.sim == NULL) {
    status = print_scene(args, &run);
  } else if (status == RH_OK && !run.complete) {
    status = simulate_scene(args, &run);
  }
  rh_run_free(&run);
  return status;
}

static const rh_option option[] = {
    {.name = "until", .value = "T", .set = "run.until", .doc = "end of the run"},
    {.name = "engine",
     .value = "NAME",
     .from = "engines",
     .set = "run.engine",
     .doc = "how contacts become motion; routh list engines"},
    {.name = "integrator",
     .value = "NAME",
     .from = "integrators",
     .set = "run.integrator",
     .doc = "of the engine event; routh list integrators"},
    {.name = "stepper",
     .value = "NAME",
     .set = "run.stepper",
     .doc = "old name of --engine (moreau, haptic) and --integrator"},
    {.name = "tol", .value = "X", .set = "run.rtol", .doc = "relative tolerance"},
    {.name = "dt", .value = "T", .set = "run.dt", .doc = "length of a fixed step"},
    {.name = "every", .value = "T", .set = "record.every", .doc = "time between recorded frames"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("name of the recording; default: that of the scene with .rhr, in this folder"),
    {.name = "no-record", .doc = "write no recording"},
    {.name = "from",
     .value = "WHERE",
     .doc = "start at a keyframe of the scene, or from a recorded run: FILE.rhr@T"},
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
    .ending = "yaml|yml|json|urdf|xml|sdf|rhr",
    .least = 0,
    .most = 1,
    .run = run_verb,
};
