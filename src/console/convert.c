// convert.c: see convert.h. Numbers read back to the same bits, and meshes are written out, so that the
// file stands alone. Only values that are no defaults are written.
#include "convert.h"

#include "refusal.h"

#include <string.h>

// A line of comment; a message has one line.
static void add_comment(rh_text *out, const char *text)
{
  rh_text_add(out, "# ");
  for (const char *c = text; *c; c++) {
    rh_text_add_bytes(out, (unsigned char)*c < 0x20 || *c == 0x7f ? " " : c, 1);
  }
  rh_text_add(out, "\n");
}

static void add_messages(rh_text *out, const rh_diag *diag)
{
  static const char *const words[] = {"error", "warning", "note"};
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    rh_text line = {0};
    if (m.place.file != NULL) {
      rh_text_addf(&line, "%s:%d:%d: ", m.place.file, m.place.line, m.place.column);
    }
    rh_text_addf(&line, "%s: %s", words[m.severity], m.text);
    add_comment(out, line.data != NULL ? line.data : "");
    out->failed = out->failed || line.failed;
    rh_text_free(&line);
  }
}

static rh_status make_text(const rh_scene *scene, const rh_diag *diag, const char *path,
                           char **text)
{
  rh_text out = {0};
  char *body = rh_scene_write_brief(scene);
  rh_text_add(&out, "# From ");
  rh_text_add(&out, rh_file_label(path));
  rh_text_add(&out, ", by routh convert\n");
  add_messages(&out, diag);
  rh_text_add(&out, body != NULL ? body : "");
  *text = body != NULL && !out.failed ? rh_text_take(&out) : NULL;
  rh_text_free(&out);
  rh_free(body);
  return *text != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

static rh_status print_json(const char *path, const char *output, const char *scene,
                            const rh_diag *diag)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "file", rh_file_label(path));
  rh_json_string(&json, "output", output);
  if (output == NULL) {
    rh_json_string(&json, "scene", scene);
  }
  rh_json_open_array(&json, "diagnostics");
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    rh_json_message(&json, &message);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status write_result(const rh_request *request, const char *path, const char *output,
                              const rh_diag *diag, const char *scene)
{
  bool printed = output != NULL && strcmp(output, "-") == 0;
  if (!request->json || printed) {
    return rh_file_write(output, scene);
  }
  rh_status status = output != NULL ? rh_file_write(output, scene) : RH_OK;
  return status == RH_OK ? print_json(path, output, scene, diag) : status;
}

rh_status rh_convert_file(const rh_request *request, const char *path, const char *output)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  char *text = NULL;
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (output != NULL && rh_file_same(path, output)) {
    rh_diag_destroy(diag);
    return rh_refuse(RH_WRONG_USAGE, "%s would be written over", path);
  }
  rh_status status = rh_scene_from(request, path, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  status =
      status == RH_OK && rh_memory_failed() ? RH_OUT_OF_MEMORY : status; // a message is missing
  if (status != RH_OK) {
    rh_diag_print(request, diag, "nothing was written");
    if (rh_diag_count(diag, RH_ERROR) == 0) {
      rh_refuse(status, "%s: %s", rh_file_label(path), rh_status_message(status));
    }
  } else {
    status = make_text(scene, diag, path, &text);
    status = status == RH_OK ? write_result(request, path, output, diag, text) : status;
    fflush(stdout);
    rh_diag_print(request, diag, NULL);
  }
  rh_free(text);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return status;
}
