// cmd_haptic.c: `routh haptic`: a scene in real time, with a device, the mouse or a simulated hand.
// The real-time loop is in src/realtime; here are the options, the status line and the signals.
#include "haptic.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DECAY     0.010 // [s] of the force, after a missed deadline
#define RECOVER   0.100 // [s]
#define TIMEOUT   0.250 // [s] of silence
#define DRY_TICKS 1000

// ---- Options

// A number with a unit, > 0; unchanged if not given.
static rh_status read_number(const rh_args *args, const char *name, const char *unit, double *value)
{
  const char *text = rh_args_text(args, name);
  char why[RH_WHY_MAX] = "";
  double x = 0;
  if (text == NULL) {
    return RH_OK;
  }
  if (!rh_unit_parse(text, unit, &x, why)) {
    return rh_refuse(RH_WRONG_USAGE, "haptic: --%s: %s", name, why);
  }
  if (!(x > 0) || !(x <= 1e9)) {
    return rh_refuse(RH_WRONG_USAGE, "haptic: --%s must be > 0 %s, got %s", name, unit, text);
  }
  *value = x;
  return RH_OK;
}

static rh_status read_device(rh_haptic_run *run)
{
  const rh_args *args = run->args;
  const char *name = rh_args_text(args, "device");
  rh_live_setup *s = &run->setup;
  s->device = rh_device_find(name != NULL ? name : "sim");
  if (s->device == NULL) {
    return rh_refuse_listed("haptic", "device", name, "devices");
  }
  s->how.file = rh_args_text(args, "trace");
  s->how.listen = rh_args_text(args, "listen");
  s->show = rh_args_text(args, "show-udp");
  if (s->device->needs_file != (s->how.file != NULL)) {
    return rh_refuse(RH_WRONG_USAGE,
                     s->device->needs_file ? "haptic: --device %s needs --trace FILE"
                                           : "haptic: --device %s reads no --trace",
                     s->device->row.name);
  }
  if (s->how.listen != NULL && s->device->read == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "haptic: --device %s does not --listen", s->device->row.name);
  }
  return RH_OK;
}

static rh_status read_options(rh_haptic_run *run)
{
  rh_live_setup *s = &run->setup;
  s->decay = DECAY;
  s->recover = RECOVER;
  s->how.timeout = TIMEOUT;
  s->dry = rh_args_flag(run->args, "dry-run") ? DRY_TICKS : 0;
  RH_TRY(read_number(run->args, "deadline", "s", &s->deadline));
  RH_TRY(read_number(run->args, "decay", "s", &s->decay));
  RH_TRY(read_number(run->args, "timeout", "s", &s->how.timeout));
  run->output = rh_args_text(run->args, "output");
  if (run->output != NULL && strcmp(run->output, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE, "haptic: a recording cannot go to standard output");
  }
  return read_device(run);
}

// ---- The scene

static rh_status open_scene(rh_haptic_run *run)
{
  rh_live_setup *s = &run->setup;
  const char *path = run->args->request.file[0];
  run->label = rh_file_label(path);
  rh_status status = rh_scene_from(&run->args->request, path, run->diag, &run->scene);
  if (status != RH_OK) {
    return rh_diag_refuse(&run->args->request, run->diag, status);
  }
  if (!rh_live_has_tool(run->scene)) {
    return rh_refuse(RH_INPUT_REFUSED, "haptic: %s has no section haptic, which names the tool",
                     run->label);
  }
  double rate = 0;
  double clamp[2];
  rh_live_clamps(run->scene, clamp);
  RH_TRY(read_number(run->args, "rate", "Hz", &rate));
  RH_TRY(rh_live_set_rate(run->scene, rate));
  RH_TRY(read_number(run->args, "max-force", "N", &clamp[0]));
  RH_TRY(read_number(run->args, "max-torque", "N m", &clamp[1]));
  rh_live_set_clamps(run->scene, clamp);
  if (s->device->scene != NULL) {
    status = s->device->scene(&s->how, run->scene, run->diag);
  }
  if (status == RH_OK) {
    status = rh_scene_compile(run->scene, run->diag, &run->model);
  }
  if (status != RH_OK) {
    return rh_diag_refuse(&run->args->request, run->diag, status);
  }
  bool endless = s->device->read != NULL && rh_args_text(run->args, "until") == NULL;
  s->until = endless ? HUGE_VAL : run->model->run.until;
  s->model = s->how.model = run->model;
  int dt = rh_row_find(&run->model->run.engine->row, "dt");
  s->how.rate = dt != RH_NONE ? 1 / run->model->run.engine_par[dt] : 0;
  return RH_OK;
}

static rh_status start_recording(rh_haptic_run *run)
{
  if (run->output == NULL || run->setup.dry > 0) {
    return RH_OK;
  }
  rh_status status =
      rh_file_record(run->output, run->model, run->label, run->scene, run->diag, &run->recorder);
  run->setup.recorder = run->recorder;
  return status == RH_OK ? RH_OK : rh_diag_refuse(&run->args->request, run->diag, status);
}

// ---- Running

static void show_line(const rh_live_status *status)
{
  char line[200];
  rh_haptic_line(status, line, sizeof line);
  int width = rh_terminal_width(stderr); // a line that wraps cannot be overwritten
  fprintf(stderr, "\r\033[K%.*s", width > 1 ? width - 1 : 0, line);
  fflush(stderr);
}

static void watch_session(rh_haptic_run *run)
{
  const struct timespec nap = {.tv_nsec = 20000000};
  rh_live_status status = {0};
  bool terminal = !run->args->request.quiet && isatty(STDERR_FILENO);
  long shown = 0;
  while (rh_live_running(run->live, &status)) {
    if (rh_interrupt_seen() != 0) {
      break;
    }
    if (terminal && status.ticks != shown) {
      shown = status.ticks;
      show_line(&status);
    }
    (void)nanosleep(&nap, NULL);
  }
  if (shown > 0) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
  rh_live_stop(run->live);
}

// Closes the recording with the report of the run.
static rh_status close_recording(rh_haptic_run *run, rh_status ended)
{
  if (run->recorder == NULL) {
    return ended;
  }
  char why[RH_WHY_MAX];
  char *note = rh_haptic_note(run);
  rh_status noted =
      note != NULL ? rh_recorder_note(run->recorder, "haptic", note) : RH_OUT_OF_MEMORY;
  rh_free(note);
  rh_status closed = rh_recorder_close_why(run->recorder, ended, NULL, why);
  run->recorder = NULL;
  closed = closed != RH_OK ? closed : noted;
  if (closed != RH_OK) {
    return rh_refuse(closed, "%s: %s", run->output,
                     why[0] != '\0' ? why : rh_status_message(closed));
  }
  return ended;
}

static rh_status tell_end(const rh_haptic_run *run, rh_status ended)
{
  const rh_rt_loop *loop = rh_live_loop(run->live);
  const char *reason = rh_sim_reason(rh_live_sim(run->live));
  if (ended == RH_INTERRUPTED) {
    return rh_refuse(ended, "interrupted at t = %.9g s", loop->t);
  }
  if (ended != RH_OK && ended != RH_OUTPUT_NOT_WRITTEN) {
    return rh_refuse(ended, "stopped %s", reason[0] != '\0' ? reason : rh_status_message(ended));
  }
  if (ended == RH_OK && loop->account.missed > 0 && rh_args_flag(run->args, "strict")) {
    return rh_refuse(RH_OUTSIDE_TOLERANCE, "%ld deadline%s missed, and --strict",
                     loop->account.missed, rh_plural(loop->account.missed));
  }
  return ended;
}

static rh_status run_session(rh_haptic_run *run)
{
  rh_status status = rh_live_open(&run->setup, run->diag, &run->live);
  if (status != RH_OK) {
    return rh_diag_refuse(&run->args->request, run->diag, status);
  }
  RH_TRY(rh_diag_warnings(&run->args->request, run->diag));
  char said[256];
  rh_live_say(run->live, said, sizeof said);
  if (said[0] != '\0') {
    rh_say(&run->args->request, "routh: %s", said);
    fflush(stderr);
  }
  rh_interrupt_catch();
  status = rh_live_start(run->live);
  if (status != RH_OK) {
    return rh_refuse(status, "the loop's thread could not be started");
  }
  watch_session(run);
  rh_live_finish(run->live);
  rh_status ended = close_recording(run, rh_live_results(run->live).ended);
  if (run->args->request.json) {
    status = rh_haptic_json(run);
  } else if (!run->args->request.quiet) {
    rh_haptic_summary(run);
  }
  fflush(stdout);
  ended = tell_end(run, ended);
  return ended != RH_OK ? ended : status;
}

static rh_status haptic_verb(const rh_args *args)
{
  rh_haptic_run run = {.args = args, .diag = rh_diag_create()};
  if (run.diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = read_options(&run);
  if (status == RH_OK) {
    status = open_scene(&run);
  }
  if (status == RH_OK) {
    status = start_recording(&run);
  }
  if (status == RH_OK) {
    status = run_session(&run);
  }
  rh_live_close(run.live);
  (void)rh_recorder_close(run.recorder, RH_STOPPED, "not begun");
  rh_model_destroy(run.model);
  rh_scene_destroy(run.scene);
  rh_diag_destroy(run.diag);
  return status;
}

static const rh_option option[] = {
    {.name = "device",
     .value = "NAME",
     .from = "devices",
     .doc = "sim (default), trace, udp, browser: routh list devices"},
    {.name = "rate", .value = "HZ", .doc = "ticks per second; default: those of run.dt"},
    {.name = "until", .value = "T", .set = "run.until", .doc = "end of the run"},
    {.name = "max-force", .value = "N", .doc = "maximum force sent to the device"},
    {.name = "max-torque", .value = "N", .doc = "maximum torque [N m]"},
    {.name = "trace", .value = "FILE.csv", .doc = "recorded hand, for --device trace"},
    {.name = "listen",
     .value = "ADDRESS[:PORT]",
     .doc = "address on which udp and browser listen; default: this machine only"},
    {.name = "show-udp",
     .value = "ADDRESS:PORT",
     .doc = "send poses and contacts there, 30 times per second"},
    {.name = "deadline",
     .value = "T",
     .doc = "a tick that ends later than this is missed; default: one period"},
    {.name = "decay", .value = "T", .doc = "decay of the force after that; default: 10 ms"},
    {.name = "timeout",
     .value = "T",
     .doc = "silence after which a device counts as absent; default: 250 ms"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("name of the recording; default: none"),
    {.name = "dry-run", .doc = "1000 ticks without pauses: no device, no force, no recording"},
    {.name = "strict", .doc = "warnings are errors, and a missed deadline gives exit code 1"},
};

static const rh_example example[] = {
    {"haptic scenes/haptic-peg-corner.yaml --device browser", "push the peg with the mouse"},
    {"haptic scenes/haptic-clutter.yaml --until 60 -o a.rhr", "the scene's own hand, recorded"},
};

const rh_verb rh_verb_haptic = {
    .row = {.name = "haptic",
            .cite = "[CSC]",
            .doc = "Run a scene in real time: a device, the mouse or a simulated hand."},
    .group = "Simulate",
    .usage = "SCENE",
    .more =
        "The scene has a section haptic and run.engine haptic. With udp and browser the loop runs "
        "until Ctrl-C unless --until is given. A missed deadline takes the force down to "
        "zero; it "
        "comes back when all is well. docs/haptic-loop.md describes the datagrams.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json",
    .least = 1,
    .most = 1,
    .run = haptic_verb,
};
