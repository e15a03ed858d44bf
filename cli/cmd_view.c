// cmd_view.c: `routh view`: views recordings or a running scene: a page served on this machine, or
// exported as one self-contained file.
#include "console/refusal.h"
#include "view.h"
#include "viewer/viewer.h"

#include "viewer/scene_changes.h"
#include "viewer/scene_session.h"
#include "viewer/server.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define RUNS_MAX 8 // side by side

extern const char rh_page[]; // web/, built and embedded by cli/page.cmake
extern const char rh_page_end[];

typedef struct view_job {
  const rh_args *args;
  rh_diag *diag;
  rh_viewer *film[RUNS_MAX];
  int n;
  rh_scene_session scene; // a running one
} view_job;

// A build without the page has the reason instead.
rh_status rh_view_bare_page(rh_viewer_page *page)
{
  *page = (rh_viewer_page){rh_page, (size_t)(rh_page_end - rh_page)};
  if (page->size > 0 && page->text[0] == '<') {
    return RH_OK;
  }
  return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: this program was built without its page: %.*s",
                   (int)page->size, page->text);
}

static rh_status read_limits(const rh_args *args, rh_viewer_limits *limits)
{
  const char *text = rh_args_text(args, "size");
  double size = 40;
  if (text != NULL) {
    size_t read = rh_number_read(text, &size);
    if (read != strlen(text) || !(size >= 1 && size <= 1000)) {
      return rh_refuse(RH_WRONG_USAGE, "view: --size is 1 to 1000 MB, got '%s'", text);
    }
  }
  *limits =
      (rh_viewer_limits){.bytes = (long)(size * 1e6), .shallow = rh_args_flag(args, "shallow")};
  return RH_OK;
}

static rh_status open_runs(view_job *job)
{
  if (job->args->request.nfile > RUNS_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "view: the maximum is %d runs at a time", RUNS_MAX);
  }
  for (int i = 0; i < job->args->request.nfile; i++) {
    RH_TRY(rh_viewer_open(job->args->request.file[i], job->diag, &job->film[i]));
    job->n++;
  }
  return RH_OK;
}

static rh_status report_page(const view_job *job, const char *path, long bytes)
{
  if (!job->args->request.json) {
    rh_say(&job->args->request, "wrote %s (%.1f MB); open it in any browser", path,
           (double)bytes / 1e6);
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "output", path);
  rh_json_integer(&json, "bytes", bytes);
  rh_json_integer(&json, "runs", job->n);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status write_file(view_job *job, const rh_viewer_page *page, const char *path, FILE *file)
{
  rh_viewer_limits limits;
  RH_TRY(read_limits(job->args, &limits));
  RH_TRY(open_runs(job));
  rh_status status = rh_viewer_write(page, job->film, job->n, &limits, job->diag, file);
  return status == RH_OUTPUT_NOT_WRITTEN ? rh_refuse(status, "%s: %s", path, strerror(errno))
                                         : status;
}

static rh_status export_page(view_job *job, const char *path)
{
  rh_viewer_page page;
  RH_TRY(rh_view_bare_page(&page));
  if (strcmp(path, "-") == 0) {
    rh_status status = write_file(job, &page, "standard output", stdout);
    rh_refusals_take_stdout();
    return status;
  }
  rh_outfile output;
  if (!rh_outfile_open(&output, path)) {
    return rh_file_refuse(path, output.error);
  }
  rh_status status = write_file(job, &page, path, output.file);
  long bytes = ftell(output.file);
  if (!rh_outfile_close(&output, status == RH_OK) && status == RH_OK) {
    status = rh_file_refuse(path, output.error);
  }
  return status == RH_OK ? report_page(job, path, bytes) : status;
}

// ---- Serving

// The page with the data of its first picture, to save requests; without them if the run is
// unreadable.
rh_status rh_view_page(rh_viewer *const *film, int n, rh_diag *diag, rh_text *out)
{
  char *made = NULL;
  size_t bytes = 0;
  rh_viewer_page page;
  RH_TRY(rh_view_bare_page(&page));
  FILE *file = open_memstream(&made, &bytes);
  if (file == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_viewer_write_start(&page, film, n, diag, file);
  bool good = fclose(file) == 0 && status == RH_OK;
  rh_text_add_bytes(out, good ? made : page.text, good ? bytes : page.size);
  free(made); // the C library's, not ours
  return RH_OK;
}

static bool get_path(void *user, const char *path, const char **type, char **body, size_t *bytes)
{
  const view_job *job = user;
  rh_diag *diag = rh_diag_create();
  rh_text text = {0};
  rh_status status = diag != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK && strcmp(path, "/") == 0) {
    *type = "text/html; charset=utf-8";
    status = rh_view_page(job->film, job->n, diag, &text);
  } else if (status == RH_OK && strcmp(path, "/file") == 0) {
    *type = "application/json";
    rh_scene_session_file(&job->scene, &text);
  } else if (status == RH_OK && strcmp(path, "/scene") == 0 && job->scene.live != NULL) {
    *type = "application/json";
    status = rh_viewer_scene_changes(&job->args->request, rh_viewer_live_play(job->scene.live),
                                     diag, &text);
  } else if (status == RH_OK) {
    status = rh_viewer_answer(job->film, job->n, path, diag, &text, type);
  }
  rh_diag_destroy(diag);
  *bytes = text.size;
  *body = status == RH_OK ? rh_text_take(&text) : NULL;
  rh_text_free(&text);
  return *body != NULL;
}

// The run of a scene is another one after it was read again, or none.
static void follow_scene(view_job *job)
{
  if (job->scene.request != NULL) {
    job->film[0] = job->scene.film;
    job->n = job->scene.film != NULL ? 1 : 0;
  }
}

static bool take_message(void *user, const char *text, size_t bytes)
{
  view_job *job = user;
  bool taken = rh_scene_session_message(&job->scene, text, bytes);
  follow_scene(job);
  return taken;
}

static rh_status read_port(const rh_args *args, int *port)
{
  const char *text = rh_args_text(args, "port");
  double value = 0;
  if (text != NULL &&
      (rh_number_read(text, &value) != strlen(text) || !(value >= 0 && value <= 65535))) {
    return rh_refuse(RH_WRONG_USAGE, "view: --port is 0 to 65535, got '%s'", text);
  }
  *port = (int)value;
  return RH_OK;
}

// Serves until Ctrl-C; a scene runs in real time.
static void go_on(view_job *job, rh_serve *serve)
{
  double last = rh_wall_clock();
  double looked = last;
  while (rh_interrupt_seen() == 0) {
    rh_serve_wait(serve, job->scene.live != NULL ? 0.008 : 0.2);
    double now = rh_wall_clock();
    if (job->scene.live != NULL) {
      bool look = now - looked > 0.3;
      looked = look ? now : looked;
      rh_scene_session_go_on(&job->scene, now - last, look);
      follow_scene(job);
    }
    last = now;
  }
}

static rh_status open_scene(view_job *job)
{
  job->scene.request = &job->args->request;
  job->scene.output = rh_args_text(job->args, "output");
  job->scene.patience = RH_VIEW_PATIENCE;
  rh_status status = rh_scene_session_open(&job->scene, job->diag);
  follow_scene(job);
  return status;
}

static rh_status serve_page(view_job *job)
{
  rh_viewer_page page;
  rh_serve *serve = NULL;
  int port = 0;
  const char *output = rh_args_text(job->args, "output");
  if (output != NULL && strcmp(output, "-") == 0 && job->args->request.nfile > 0) {
    return rh_refuse(RH_WRONG_USAGE, "view: a recording cannot go to standard output; name a file");
  }
  RH_TRY(rh_view_bare_page(&page));
  RH_TRY(read_port(job->args, &port));
  if (job->args->request.nfile == 0) {
    return rh_view_sandbox(job->args, port, job->diag);
  }
  bool scene = !rh_file_is_recording(job->args->request.file[0]);
  if (scene && job->args->request.nfile > 1) {
    return rh_refuse(RH_WRONG_USAGE, "view: one scene at a time, or recordings");
  }
  RH_TRY(scene ? open_scene(job) : open_runs(job));
  const rh_serve_setup setup = {.address = rh_args_text(job->args, "listen"),
                                .port = port,
                                .message_max = RH_VIEWER_SAY_MAX,
                                .clients_max = 16,
                                .user = job,
                                .message = take_message,
                                .get = get_path};
  RH_TRY(rh_serve_open(&setup, job->diag, &serve));
  rh_file_tell(rh_serve_address(serve));
  rh_say(&job->args->request, "open this address in a browser on this machine; Ctrl-C ends");
  rh_interrupt_catch();
  go_on(job, serve);
  rh_serve_close(serve);
  return rh_interrupt_seen() == SIGINT ? RH_OK : RH_INTERRUPTED;
}

static rh_status take_pictures(view_job *job)
{
  RH_TRY(open_runs(job));
  return rh_view_pictures(
      &(rh_view_runs){.args = job->args, .diag = job->diag, .film = job->film, .n = job->n});
}

static rh_status view_verb(const rh_args *args)
{
  const char *path = rh_args_text(args, "export");
  view_job job = {.args = args, .diag = rh_diag_create()};
  rh_status status = RH_OUT_OF_MEMORY;
  if (job.diag != NULL) {
    bool pictures = rh_args_text(args, "png") != NULL || rh_args_text(args, "frames") != NULL ||
                    rh_args_text(args, "video") != NULL;
    bool nothing = args->request.nfile == 0 && (path != NULL || pictures);
    status = nothing        ? rh_refuse(RH_WRONG_USAGE, "view: no recording is given; name a file")
             : path != NULL ? export_page(&job, path)
             : pictures     ? take_pictures(&job)
                            : serve_page(&job);
    rh_diag_print(&args->request, job.diag,
                  path != NULL || pictures ? "nothing was written" : "nothing is shown");
  } else {
    rh_refuse(status, "out of memory");
  }
  if (job.scene.live != NULL) {
    rh_status closed = rh_scene_session_close(&job.scene);
    status = closed != RH_OK ? closed : status;
    job.n = 0;
  }
  rh_text_free(&job.scene.fault);
  for (int i = 0; i < job.n; i++) {
    rh_viewer_close(job.film[i]);
  }
  rh_diag_destroy(job.diag);
  return status;
}

static const rh_option option[] = {
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("of a scene: FILE.rhr, record the run as well; of a sandbox: FILE.yaml, the "
                     "scene at the end"),
    {.name = "export",
     .value = "PAGE.html",
     .doc = "write one complete page; - is standard output"},
    {.name = "size",
     .value = "MB",
     .doc = "of --export: maximum data of one run; frames are omitted evenly; default: 40"},
    {.name = "shallow",
     .doc = "of --export: omit the views into impacts (which run the scene again)"},
    {.name = "png",
     .value = "FILE",
     .doc = "one picture without a window, at --at; - is standard output; needs Chromium"},
    {.name = "at", .value = "T", .doc = "of --png: time in s; default: 0"},
    {.name = "frames", .value = "FOLDER", .doc = "pictures of the whole run; needs Chromium"},
    {.name = "video",
     .value = "FILE.mp4",
     .doc = "video of the whole run; needs Chromium and ffmpeg, else its pictures are kept"},
    {.name = "rate", .value = "N", .doc = "of both: pictures per simulated second; default: 25"},
    {.name = "speed", .value = "X", .doc = "of --video: times the speed of the clock; default: 1"},
    {.name = "pixels", .value = "WxH", .doc = "of pictures; default: 1280x800"},
    {.name = "look",
     .value = "A,E,N",
     .doc = "of pictures: azimuth and elevation of the camera in degrees, and a factor "
            "by which it is nearer"},
    {.name = "no-arrows", .doc = "of pictures: omit the arrows of forces and impulses"},
    {.name = "port", .value = "N", .doc = "port of the server; default: any free one"},
    {.name = "listen",
     .value = "ADDRESS",
     .doc = "numeric address of the server; default: 127.0.0.1, this machine only"},
};

static const rh_example example[] = {
    {"view", "a sandbox: drop shapes, change e and the law"},
    {"view ball.rhr", "view it in a browser; prints the address"},
    {"view ball.yaml", "run a scene and view it; Ctrl-drag a body"},
    {"view soft.rhr hard.rhr --export both.html", "two runs in one file, the second as a ghost"},
};

const rh_verb rh_verb_view = {
    .row = {.name = "view", .cite = "", .doc = "View recordings, a scene that runs, or a sandbox."},
    .group = "Simulate",
    .usage = "[RUN.rhr ... | SCENE]",
    .more = "Serves a page on this machine until Ctrl-C, to clients with the token in the address; "
            "or writes one file that needs no network. Without a file it opens a sandbox: a ground "
            "on which a scene is put together while it runs. In the page, ? shows the keys.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "rhr|yaml|yml|json",
    .least = 0,
    .most = RUNS_MAX,
    .run = view_verb,
};
