// scene_session.c: a running scene for a page: read again when its file changes, recorded on request.
#include "scene_session.h"

#include <string.h>
#include <sys/stat.h>

static time_t changed_at(const char *path)
{
  struct stat found;
  return stat(path, &found) == 0 ? found.st_mtime : 0;
}

rh_status rh_scene_session_close(rh_scene_session *job)
{
  char why[RH_WHY_MAX] = "";
  rh_status status = job->live != NULL ? rh_viewer_live_close_record(job->live, why) : RH_OK;
  if (status != RH_OK) {
    rh_refuse(status, "%s: %s", job->output, why);
  }
  rh_viewer_close(job->film);
  rh_viewer_live_destroy(job->live);
  job->film = NULL;
  job->live = NULL;
  return status;
}

// With --output the run is recorded; a restart of the run restarts the file.
static rh_status record_run(rh_scene_session *before, const rh_scene_session *made,
                            const char *text, rh_diag *diag)
{
  const char *output = made->output;
  rh_recorder *recorder = NULL;
  if (output == NULL) {
    return RH_OK;
  }
  RH_TRY(rh_scene_session_close(before)); // which closes its recording
  RH_TRY(rh_recorder_create(output, rh_viewer_live_model(made->live),
                            rh_file_label(made->request->file[0]), text, diag, &recorder));
  rh_viewer_live_record(made->live, recorder);
  return RH_OK;
}

// A live run has a hand.
static rh_status scene_with_hand(const rh_request *request, const char *path, rh_diag *diag,
                                 rh_scene **scene)
{
  rh_request more = *request;
  const char **set = rh_alloc(((size_t)request->nset + 1) * sizeof *set);
  if (set == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < request->nset; i++) {
    set[i] = request->set[i];
  }
  set[request->nset] = "run.hand=yes";
  more.set = set;
  more.nset++;
  rh_status status = rh_scene_from(&more, path, diag, scene);
  rh_free(set);
  return status;
}

// Errors have places in its file; the run itself is made from the recorded text.
static rh_status check_scene(const rh_scene *scene, rh_diag *diag, char **text)
{
  rh_model *model = NULL;
  RH_TRY(rh_scene_compile(scene, diag, &model));
  rh_model_destroy(model);
  *text = rh_scene_write(scene, false);
  return *text != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

// Replaces the previous one only after success.
rh_status rh_scene_session_open(rh_scene_session *job, rh_diag *diag)
{
  const char *path = job->request->file[0];
  rh_scene *scene = NULL;
  rh_scene_session made = *job;
  made.live = NULL;
  made.film = NULL;
  made.fault = (rh_text){0};
  job->changed = changed_at(path);
  rh_status status = scene_with_hand(job->request, path, diag, &scene);
  char *text = NULL;
  if (status == RH_OK) {
    status = check_scene(scene, diag, &text);
  }
  if (status == RH_OK) {
    status = rh_viewer_live_create(text, rh_file_label(path), diag, &made.live);
  }
  if (status == RH_OK) {
    rh_viewer_live_patience(made.live, rh_wall_clock, job->patience);
  }
  if (status == RH_OK) {
    status = rh_viewer_open_live(made.live, rh_file_label(path), text, &made.film);
  }
  if (status == RH_OK) {
    status = record_run(job, &made, text, diag);
  }
  rh_scene_destroy(scene);
  rh_free(text);
  if (status != RH_OK) {
    (void)rh_scene_session_close(&made);
    return status;
  }
  (void)rh_scene_session_close(job); // its recording is closed already
  job->film = made.film;
  job->live = made.live;
  job->number++;
  return RH_OK;
}

// The file was changed: the new scene runs, or the page shows its errors and the last valid one
// goes on.
static void open_scene_again(rh_scene_session *job)
{
  rh_diag *diag = rh_diag_create();
  rh_text_free(&job->fault);
  if (diag == NULL || rh_scene_session_open(job, diag) == RH_OK) {
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

bool rh_scene_session_message(rh_scene_session *job, const char *text, size_t bytes)
{
  if (job->live != NULL && bytes == 5 && memcmp(text, "reset", 5) == 0) {
    open_scene_again(job);
    return true;
  }
  return job->live != NULL && rh_viewer_live_say(job->live, text, bytes);
}

// State of the file; in addition to /now/0 of the run.
void rh_scene_session_file(const rh_scene_session *job, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_integer(&json, "number", job->number);
  rh_json_string(&json, "fault", job->fault.size > 0 ? job->fault.data : NULL);
  rh_json_end(&json);
}

void rh_scene_session_go_on(rh_scene_session *job, double seconds, bool look)
{
  rh_viewer_live_go_on(job->live, seconds);
  time_t changed = look ? changed_at(job->request->file[0]) : 0;
  if (changed != 0 && changed != job->changed) {
    open_scene_again(job);
  }
}
