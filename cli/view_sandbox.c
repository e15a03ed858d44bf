// view_sandbox.c: `routh view` without a file: a sandbox (src/viewer/sandbox.h) served to a page.
#include "view.h"

#include "viewer/sandbox.h"
#include "viewer/server.h"

#include <signal.h>
#include <string.h>

static bool take_message(void *user, const char *text, size_t bytes)
{
  return rh_sandbox_say(user, text, bytes);
}

// Its state: /file as for a scene (`number`: which run), /sandbox with the data of the page's
// tools.
static void report_sandbox(const rh_sandbox *sandbox, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_bool(&json, "sandbox", true);
  rh_json_string(&json, "fault", NULL);
  rh_sandbox_put(sandbox, &json);
  rh_json_end(&json);
}

static bool get_path(void *user, const char *path, const char **type, char **body, size_t *bytes)
{
  const rh_sandbox *sandbox = user;
  rh_diag *diag = rh_diag_create();
  rh_text text = {0};
  bool done = diag != NULL;
  rh_viewer *film = rh_sandbox_film(sandbox);
  *type = "application/json";
  if (done && strcmp(path, "/") == 0) {
    *type = "text/html; charset=utf-8";
    done = rh_view_page(&film, 1, diag, &text) == RH_OK;
  } else if (done && strcmp(path, "/file") == 0) {
    report_sandbox(sandbox, &text);
  } else if (done && strcmp(path, "/save") == 0) {
    *type = "text/plain; charset=utf-8";
    done = rh_sandbox_scene(sandbox, &text);
  } else if (done) {
    done = rh_sandbox_answer(sandbox, path, diag, &text, type) == RH_OK;
  }
  rh_diag_destroy(diag);
  *bytes = text.size;
  *body = done ? rh_text_take(&text) : NULL;
  rh_text_free(&text);
  return *body != NULL;
}

static void go_on(rh_sandbox *sandbox, rh_serve *serve)
{
  double last = rh_wall_clock();
  while (rh_interrupt_seen() == 0) {
    rh_serve_wait(serve, 0.008);
    double now = rh_wall_clock();
    rh_sandbox_go_on(sandbox, now - last);
    last = now;
  }
}

// With --output the final scene is written.
static rh_status write_final_scene(const rh_sandbox *sandbox, const rh_args *args)
{
  const char *path = rh_args_text(args, "output");
  rh_text text = {0};
  if (path == NULL) {
    return RH_OK;
  }
  rh_status status = rh_sandbox_scene(sandbox, &text)
                         ? rh_file_write(path, text.data)
                         : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  rh_text_free(&text);
  if (status == RH_OK) {
    rh_say(&args->request, "wrote %s; try: routh run %s", path, path);
  }
  return status;
}

static rh_status serve_it(const rh_args *args, const rh_serve_setup *setup, rh_diag *diag)
{
  rh_serve *serve = NULL;
  RH_TRY(rh_serve_open(setup, diag, &serve));
  rh_file_tell(rh_serve_address(serve));
  rh_say(&args->request, "a sandbox: open this address in a browser on this machine; Ctrl-C ends");
  rh_interrupt_catch();
  go_on(setup->user, serve);
  rh_serve_close(serve);
  rh_status status = write_final_scene(setup->user, args);
  return status == RH_OK && rh_interrupt_seen() != SIGINT ? RH_INTERRUPTED : status;
}

rh_status rh_view_sandbox(const rh_args *args, int port, rh_diag *diag)
{
  rh_sandbox *sandbox = NULL;
  if (args->request.nset > 0) {
    return rh_refuse(RH_WRONG_USAGE, "view: -s changes a scene, and none is given");
  }
  const char *output = rh_args_text(args, "output");
  if (output != NULL && rh_file_has_ending(output, ".rhr")) {
    return rh_refuse(RH_WRONG_USAGE, "view: a sandbox is written as a scene, FILE.yaml, got '%s'",
                     output);
  }
  RH_TRY(rh_sandbox_create(rh_wall_clock, RH_VIEW_PATIENCE, diag, &sandbox));
  const rh_serve_setup setup = {.address = rh_args_text(args, "listen"),
                                .port = port,
                                .message_max = RH_VIEWER_SAY_MAX,
                                .clients_max = 16,
                                .user = sandbox,
                                .message = take_message,
                                .get = get_path};
  rh_status status = serve_it(args, &setup, diag);
  rh_sandbox_destroy(sandbox);
  return status;
}
