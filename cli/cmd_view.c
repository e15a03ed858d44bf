// cmd_view.c: `routh view`: recordings or a running scene to look at: a page served on this machine, or exported as one file that needs nothing
// else.
#include "film/film.h"
#include "view.h"

#include "base/json.h"
#include "serve/serve.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define RUNS_MAX 8 // side by side

extern const char rh_page[]; // web/, built and embedded by cli/page.cmake
extern const char rh_page_end[];

typedef struct view_job {
  const rh_args *args;
  rh_diag *diag;
  rh_film *film[RUNS_MAX];
  int n;
  // A scene that runs
  rh_model *model;
  rh_film_live *live;
  time_t changed; // when its file was
  long number;    // of times that it was read anew
  rh_text fault;  // why the file as it is now cannot be run
} view_job;

// A build without the page has the reason in its place.
static rh_status find_page(rh_film_page *page)
{
  *page = (rh_film_page){rh_page, (size_t)(rh_page_end - rh_page)};
  if (page->size > 0 && page->text[0] == '<') {
    return RH_OK;
  }
  return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: this program was built without its page: %.*s",
                   (int)page->size, page->text);
}

static rh_status read_limits(const rh_args *args, rh_film_limits *limits)
{
  const char *text = rh_args_text(args, "size");
  double size = 40;
  if (text != NULL) {
    size_t read = rh_number_read(text, &size);
    if (read != strlen(text) || !(size >= 1 && size <= 1000)) {
      return rh_refuse(RH_WRONG_USAGE, "view: --size is 1 to 1000 MB, got '%s'", text);
    }
  }
  *limits = (rh_film_limits){.bytes = (long)(size * 1e6), .shallow = rh_args_flag(args, "shallow")};
  return RH_OK;
}

static rh_status open_runs(view_job *job)
{
  if (job->args->nfile > RUNS_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "view: at most %d runs at a time", RUNS_MAX);
  }
  for (int i = 0; i < job->args->nfile; i++) {
    RH_TRY(rh_film_open(job->args->file[i], job->diag, &job->film[i]));
    job->n++;
  }
  return RH_OK;
}

static rh_status tell(const view_job *job, const char *path, long bytes)
{
  if (!job->args->json) {
    rh_say(job->args, "wrote %s (%.1f MB); open it in any browser", path, (double)bytes / 1e6);
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "output", path);
  rh_json_integer(&json, "bytes", bytes);
  rh_json_integer(&json, "runs", job->n);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status write_file(view_job *job, const rh_film_page *page, const char *path, FILE *file)
{
  rh_film_limits limits;
  RH_TRY(read_limits(job->args, &limits));
  RH_TRY(open_runs(job));
  rh_status status = rh_film_write(page, job->film, job->n, &limits, job->diag, file);
  return status == RH_OUTPUT_NOT_WRITTEN ? rh_refuse(status, "%s: %s", path, strerror(errno))
                                         : status;
}

static rh_status export_page(view_job *job, const char *path)
{
  rh_film_page page;
  RH_TRY(find_page(&page));
  if (strcmp(path, "-") == 0) {
    return write_file(job, &page, "standard output", stdout);
  }
  char *temporary = rh_file_temporary(path);
  FILE *file = temporary != NULL ? fopen(temporary, "wb") : NULL;
  if (file == NULL) {
    rh_status status = temporary == NULL
                           ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                           : rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", path, strerror(errno));
    rh_free(temporary);
    return status;
  }
  rh_status status = write_file(job, &page, path, file);
  long bytes = ftell(file);
  if (fclose(file) != 0 && status == RH_OK) {
    status = rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", path, strerror(errno));
  }
  if (status == RH_OK) {
    status = rh_file_keep(temporary, path);
  } else {
    rh_file_drop(temporary);
  }
  rh_free(temporary);
  return status == RH_OK ? tell(job, path, bytes) : status;
}

// ---- Pictures

#define PICTURES_MAX 5000
#define RATE         25.0 // [1/s] pictures of simulated time

static rh_status read_number(const rh_args *args, const char *name, double otherwise,
                             const double range[2], double *x)
{
  const char *text = rh_args_text(args, name);
  *x = otherwise;
  if (text != NULL &&
      (rh_number_read(text, x) != strlen(text) || !(*x >= range[0] && *x <= range[1]))) {
    return rh_refuse(RH_WRONG_USAGE, "view: --%s is %g to %g, got '%s'", name, range[0], range[1],
                     text);
  }
  return RH_OK;
}

typedef struct picture_names {
  const char *file;   // of the one picture; NULL: there are many
  const char *folder; // of them
} picture_names;

static rh_status keep_picture(void *user, int i, const unsigned char *png, size_t bytes)
{
  const picture_names *to = user;
  rh_text name = {0};
  if (to->file != NULL) {
    rh_text_add(&name, to->file);
  } else {
    rh_text_addf(&name, "%s/%05d.png", to->folder, i);
  }
  FILE *file = name.failed ? NULL : fopen(name.data, "wb");
  bool good = file != NULL && fwrite(png, 1, bytes, file) == bytes;
  good = file != NULL && fclose(file) == 0 && good;
  rh_status status = good ? RH_OK
                          : rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", name.failed ? "" : name.data,
                                      strerror(errno));
  rh_text_free(&name);
  return status;
}

static rh_status write_shallow(view_job *job, const char *path)
{
  rh_film_page page;
  const rh_film_limits limits = {.bytes = 40000000, .shallow = true};
  RH_TRY(find_page(&page));
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", path, strerror(errno));
  }
  rh_status status = rh_film_write(&page, job->film, job->n, &limits, job->diag, file);
  return fclose(file) != 0 && status == RH_OK
             ? rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", path, strerror(errno))
             : status;
}

static rh_status take_in(view_job *job, rh_shots *shots)
{
  rh_text page = {0};
  rh_text_addf(&page, "%s/page.html", shots->folder);
  rh_status status =
      page.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : write_shallow(job, page.data);
  shots->page = page.data;
  if (status == RH_OK) {
    status = rh_shots_take(shots);
  }
  rh_text_free(&page);
  return status;
}

// One picture at --at, or one each 1/--rate seconds of the run.
static rh_status choose_times(view_job *job, bool one, double *t, int *n)
{
  double at;
  double rate;
  RH_TRY(read_number(job->args, "at", 0, (const double[2]){0, 1e9}, &at));
  RH_TRY(read_number(job->args, "rate", RATE, (const double[2]){1e-3, 1e6}, &rate));
  RH_TRY(open_runs(job));
  if (one) {
    t[0] = at;
    *n = 1;
    return RH_OK;
  }
  long frames = rh_film_frame_count(job->film[0]);
  double end = (double)(frames - 1) * rh_film_model(job->film[0])->every;
  if (!(end * rate < PICTURES_MAX - 1)) {
    return rh_refuse(RH_OVER_LIMIT, "view: more than %d pictures; ask for a lower --rate",
                     PICTURES_MAX);
  }
  for (*n = 0; *n <= end * rate; (*n)++) {
    t[*n] = *n / rate;
  }
  return RH_OK;
}

static rh_status take_at(view_job *job, picture_names *to, const double *t, int n)
{
  if (to->file == NULL && mkdir(to->folder, 0777) != 0 && errno != EEXIST) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", to->folder, strerror(errno));
  }
  char *folder = rh_folder_create();
  if (folder == NULL) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  rh_shots shots = {.folder = folder,
                    .t = t,
                    .n = n,
                    .width = 1280,
                    .height = 800,
                    .user = to,
                    .take = keep_picture};
  rh_status status = take_in(job, &shots);
  rh_folder_remove(folder);
  rh_free(folder);
  if (status == RH_OK) {
    rh_say(job->args, "wrote %d picture%s", n, rh_plural(n));
  }
  return status;
}

static rh_status take_pictures(view_job *job, picture_names *to)
{
  double *t = rh_alloc(PICTURES_MAX * sizeof *t);
  int n = 0;
  rh_status status = t != NULL ? choose_times(job, to->file != NULL, t, &n)
                               : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  if (status == RH_OK) {
    status = take_at(job, to, t, n);
  }
  rh_free(t);
  return status;
}

// ---- A scene that runs

static time_t changed_at(const char *path)
{
  struct stat found;
  return stat(path, &found) == 0 ? found.st_mtime : 0;
}

static void close_scene(view_job *job)
{
  rh_film_close(job->film[0]);
  rh_film_live_destroy(job->live);
  rh_model_destroy(job->model);
  job->film[0] = NULL;
  job->live = NULL;
  job->model = NULL;
  job->n = 0;
}

// With --output the run is written down; when it begins anew the file does as well.
static rh_status record(view_job *before, const view_job *made, const char *text, rh_diag *diag)
{
  const char *output = rh_args_text(made->args, "output");
  rh_recorder *recorder = NULL;
  if (output == NULL) {
    return RH_OK;
  }
  close_scene(before); // which closes its recording
  RH_TRY(rh_recorder_create(output, made->model, rh_file_label(made->args->file[0]), text, diag,
                            &recorder));
  rh_film_live_record(made->live, recorder);
  return RH_OK;
}

// Takes the place of the one before only if all is well.
static rh_status open_scene(view_job *job, rh_diag *diag)
{
  const char *path = job->args->file[0];
  rh_scene *scene = NULL;
  view_job made = {.args = job->args};
  job->changed = changed_at(path);
  rh_status status = rh_scene_from(job->args, path, diag, &scene);
  char *text = status == RH_OK ? rh_scene_write(scene, false) : NULL;
  if (status == RH_OK) {
    status = text != NULL ? rh_scene_compile(scene, diag, &made.model) : RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK) {
    status = rh_film_live_create(made.model, diag, &made.live);
  }
  if (status == RH_OK) {
    status = rh_film_open_live(made.live, rh_file_label(path), text, &made.film[0]);
  }
  if (status == RH_OK) {
    status = record(job, &made, text, diag);
  }
  rh_scene_destroy(scene);
  rh_free(text);
  if (status != RH_OK) {
    close_scene(&made);
    return status;
  }
  close_scene(job);
  job->film[0] = made.film[0];
  job->live = made.live;
  job->model = made.model;
  job->n = 1;
  job->number++;
  return RH_OK;
}

// The file was changed: the new scene runs, or the page says what is wrong with it and the last good one goes on.
static void open_scene_again(view_job *job)
{
  rh_diag *diag = rh_diag_create();
  rh_text_free(&job->fault);
  if (diag == NULL || open_scene(job, diag) == RH_OK) {
    rh_diag_destroy(diag);
    return;
  }
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    char line[1000];
    rh_message message = rh_diag_get(diag, i);
    rh_message_format(&message, line, sizeof line);
    rh_text_add(&job->fault, line);
  }
  rh_diag_destroy(diag);
}

static bool say(void *user, const char *text, size_t bytes)
{
  view_job *job = user;
  if (job->live != NULL && bytes == 5 && memcmp(text, "reset", 5) == 0) {
    open_scene_again(job);
    return true;
  }
  return job->live != NULL && rh_film_live_say(job->live, text, bytes);
}

// How the file stands; beside what the run itself tells at /now/0.
static void tell_file(const view_job *job, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_integer(&json, "number", job->number);
  rh_json_string(&json, "fault", job->fault.size > 0 ? job->fault.data : NULL);
  rh_json_end(&json);
}

// ---- Serving

static bool get(void *user, const char *path, const char **type, char **body, size_t *bytes)
{
  const view_job *job = user;
  rh_diag *diag = rh_diag_create();
  rh_text text = {0};
  rh_status status = diag != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK && strcmp(path, "/file") == 0) {
    *type = "application/json";
    tell_file(job, &text);
  } else if (status == RH_OK) {
    status = rh_film_answer(job->film, job->n, path, diag, &text, type);
  }
  rh_diag_destroy(diag);
  *bytes = text.size;
  *body = status == RH_OK ? rh_text_take(&text) : NULL;
  rh_text_free(&text);
  return *body != NULL;
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

// Serves until Ctrl-C; a scene runs as the clock does.
static void go_on(view_job *job, rh_serve *serve)
{
  double last = rh_wall_clock();
  double looked = last;
  while (rh_interrupt_seen() == 0) {
    rh_serve_wait(serve, job->live != NULL ? 0.008 : 0.2);
    double now = rh_wall_clock();
    if (job->live != NULL) {
      rh_film_live_go_on(job->live, now - last);
    }
    if (job->live != NULL && now - looked > 0.3) {
      looked = now;
      time_t changed = changed_at(job->args->file[0]);
      if (changed != 0 && changed != job->changed) {
        open_scene_again(job);
      }
    }
    last = now;
  }
}

static rh_status serve_page(view_job *job)
{
  rh_film_page page;
  rh_serve *serve = NULL;
  int port = 0;
  RH_TRY(find_page(&page));
  RH_TRY(read_port(job->args, &port));
  bool scene = !rh_file_is_recording(job->args->file[0]);
  if (scene && job->args->nfile > 1) {
    return rh_refuse(RH_WRONG_USAGE, "view: one scene at a time, or recordings");
  }
  RH_TRY(scene ? open_scene(job, job->diag) : open_runs(job));
  const rh_serve_page served = {"/", "text/html; charset=utf-8", page.text, page.size};
  const rh_serve_setup setup = {.address = rh_args_text(job->args, "listen"),
                                .port = port,
                                .page = &served,
                                .npage = 1,
                                .message_max = RH_FILM_SAY_MAX,
                                .clients_max = 16,
                                .user = job,
                                .message = say,
                                .get = get};
  RH_TRY(rh_serve_open(&setup, job->diag, &serve));
  printf("%s\n", rh_serve_address(serve));
  (void)fflush(stdout);
  rh_say(job->args, "open this address in a browser on this machine; Ctrl-C ends");
  rh_interrupt_catch();
  go_on(job, serve);
  rh_serve_close(serve);
  return RH_OK;
}

static rh_status view_verb(const rh_args *args)
{
  const char *path = rh_args_text(args, "export");
  view_job job = {.args = args, .diag = rh_diag_create()};
  rh_status status = RH_OUT_OF_MEMORY;
  if (job.diag != NULL) {
    picture_names to = {.file = rh_args_text(args, "png"), .folder = rh_args_text(args, "frames")};
    bool pictures = to.file != NULL || to.folder != NULL;
    status = path != NULL ? export_page(&job, path)
             : pictures   ? take_pictures(&job, &to)
                          : serve_page(&job);
    rh_diag_print(args, job.diag,
                  path != NULL || pictures ? "nothing was written" : "nothing is shown");
  } else {
    rh_refuse(status, "out of memory");
  }
  if (job.live != NULL) {
    close_scene(&job);
  }
  rh_text_free(&job.fault);
  for (int i = 0; i < job.n; i++) {
    rh_film_close(job.film[i]);
  }
  rh_diag_destroy(job.diag);
  return status;
}

static const rh_option option[] = {
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("of a scene: FILE.rhr, record the run as well"),
    {.name = "export",
     .value = "PAGE.html",
     .doc = "write one page with all in it; - is standard output"},
    {.name = "size",
     .value = "MB",
     .doc = "of --export: numbers of one run at most; frames are left out evenly; else 40"},
    {.name = "shallow",
     .doc = "of --export: do not look into impacts (which runs the scene again)"},
    {.name = "png",
     .value = "FILE",
     .doc = "one picture without a window, at --at; needs Chromium"},
    {.name = "at", .value = "T", .doc = "of --png: time in s; else 0"},
    {.name = "frames",
     .value = "FOLDER",
     .doc = "pictures of the whole run: 00000.png, ...; needs Chromium"},
    {.name = "rate", .value = "N", .doc = "of --frames: pictures a simulated second; else 25"},
    {.name = "port", .value = "N", .doc = "port to serve on; else any that is free"},
    {.name = "listen",
     .value = "ADDRESS",
     .doc = "numeric address to serve on; else 127.0.0.1: this machine only"},
};

static const rh_example example[] = {
    {"view ball.rhr", "look at it in a browser; prints the address"},
    {"view ball.yaml", "run a scene and look at it; Ctrl-drag a body"},
    {"view soft.rhr hard.rhr --export both.html", "two runs in one file, the second as a ghost"},
};

const rh_verb rh_verb_view = {
    .row = {.name = "view", .cite = "", .doc = "Look at recordings, or at a scene while it runs."},
    .group = "Simulate",
    .usage = "RUN.rhr ... | SCENE",
    .more = "Serves a page on this machine until Ctrl-C, to whoever has the token in the address; "
            "or writes one file that needs "
            "no network. In the page, ? shows the keys.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "rhr|yaml|yml|json",
    .least = 1,
    .most = RUNS_MAX,
    .run = view_verb,
};
