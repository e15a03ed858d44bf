// scene_changes.c: the scene of a live run with its changed values, next to its file: for the page to
// show the text to be written back. Nothing is written here.
#include "scene_changes.h"

#include "scene_io/scene_read.h"
#include "scene_io/yaml_doc.h"

#include <string.h>

// The text as written by the program, with -s of the command line; `hand`: as in a live run.
static char *write_scene_text(const rh_request *request, const char *text, bool hand)
{
  rh_diag *diag = rh_diag_create();
  const char **set = rh_alloc(((size_t)request->nset + 1) * sizeof *set);
  rh_scene *scene = NULL;
  char *out = NULL;
  if (diag != NULL && set != NULL) {
    for (int i = 0; i < request->nset; i++) {
      set[i] = request->set[i];
    }
    set[request->nset] = hand ? "run.hand=yes" : "run.hand=no";
    if (rh_scene_parse(text, strlen(text), request->file[0], set, request->nset + 1, diag,
                       &scene) == RH_OK) {
      out = rh_scene_write(scene, false);
    }
  }
  rh_scene_destroy(scene);
  rh_free(set);
  rh_diag_destroy(diag);
  return out;
}

static char *text_now(const rh_replay *play, rh_diag *diag)
{
  rh_scene *scene = NULL;
  char *text = rh_replay_scene(play, diag, &scene) == RH_OK ? rh_scene_write(scene, false) : NULL;
  rh_scene_destroy(scene);
  return text;
}

static char *copy_of(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = rh_alloc(size);
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

// The file with each value changed in place; NULL: not all could be.
static char *patch_scene_text(const rh_replay *play, const char *file)
{
  const char *value = NULL;
  char *text = copy_of(file);
  for (int i = 0; text != NULL; i++) {
    const char *path = rh_replay_setting(play, i, &value);
    if (path == NULL) {
      return text;
    }
    char *next = rh_scene_patch(text, path, value);
    rh_free(text);
    text = next;
  }
  return NULL;
}

typedef struct pair {
  char *before, *after;
} pair;

static void put_scene_json(rh_text *out, const rh_request *request, const pair *p, bool whole)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "file", rh_file_label(request->file[0]));
  rh_json_bool(&json, "whole", whole);
  rh_json_string(&json, "before", p->before);
  rh_json_string(&json, "after", p->after);
  rh_json_end(&json);
}

// The result is used only if it gives exactly the running scene; else both texts are complete, with
// every value in force.
rh_status rh_viewer_scene_changes(const rh_request *request, const rh_replay *play, rh_diag *diag,
                                  rh_text *out)
{
  char *file = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  if (strcmp(request->file[0], "-") == 0) {
    return RH_INPUT_REFUSED; // text from standard input is not available
  }
  RH_TRY(rh_file_read(request->file[0], diag, &file, &bytes, &name));
  char *now = text_now(play, diag);
  pair p = {file, patch_scene_text(play, file)};
  char *check = p.after != NULL ? write_scene_text(request, p.after, true) : NULL;
  bool whole = now == NULL || check == NULL || strcmp(check, now) != 0;
  if (whole) {
    const rh_request bare = {.file = request->file};
    rh_free(p.after);
    p.before = write_scene_text(request, file, false);
    p.after = now != NULL ? write_scene_text(&bare, now, false) : NULL;
    rh_free(file);
  }
  rh_status status = p.before != NULL && p.after != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    put_scene_json(out, request, &p, whole);
  }
  rh_free(p.before);
  rh_free(p.after);
  rh_free(check);
  rh_free(now);
  return status;
}
