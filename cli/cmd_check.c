// cmd_check.c: `routh check`: read and compile without running. Scenes: the tree, the counts, all warnings. Recordings:
// every frame's checksum, and the chain of hashes in which each frame is the seed of the next.
#include "cli.h"

#include "console/refusal.h"
#include "explore/check.h"

#include <inttypes.h>
#include <string.h>

#define TREE_SHOWN 40 // bodies, without --verbose

typedef struct check_job {
  const rh_args *args;
  const char *path;
  rh_diag *diag;
  rh_json *json; // NULL: text
} check_job;

// ---- Scenes

static void tree_line(rh_table *table, const rh_model *model, int body)
{
  const rh_model_body *b = &model->body[body];
  int depth = rh_body_depth(model, body);
  rh_table_add(table, "%*s%s", depth > 20 ? 40 : 2 * depth, "",
               rh_model_name(model, RH_OBJECT_BODY, body));
  rh_table_add(table, "%s", rh_model_name(model, RH_OBJECT_JOINT, body));
  rh_table_add(table, "%s%s", b->joint->row.name, model->start.held[body] ? " (held)" : "");
  rh_table_add(table, "%d", b->nv);
  rh_table_add(table, "%.6g", b->inertia.mass);
}

static rh_status print_tree(const rh_args *args, const rh_model *model)
{
  static const char *const head[] = {"body", "joint", "kind", "dof", "mass [kg]"};
  int *order = rh_alloc((size_t)model->nbody * sizeof *order);
  int *next = rh_alloc((size_t)model->nbody * sizeof *next);
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x18);
  if (order == NULL || next == NULL || table == NULL) {
    rh_free(order);
    rh_free(next);
    rh_table_destroy(table);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_tree_order(model, order, next);
  int shown =
      args->request.verbose || model->nbody <= TREE_SHOWN + 1 ? model->nbody : TREE_SHOWN + 1;
  for (int i = 1; i < shown; i++) {
    tree_line(table, model, order[i]);
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(&args->request, stdout));
  if (shown < model->nbody) {
    printf("  ... and %d more; --verbose prints all\n", model->nbody - shown);
  }
  rh_table_destroy(table);
  rh_free(order);
  rh_free(next);
  return status;
}

static rh_status print_model(const check_job *job, const rh_model *m)
{
  int bodies = m->nbody - 1;
  if (job->args->request.quiet) {
    return RH_OK;
  }
  rh_print("%s   %d bod%s, %d degree%s of freedom, %.6g kg\n", rh_file_label(job->path), bodies,
           bodies == 1 ? "y" : "ies", m->nv, rh_plural(m->nv), rh_total_mass(m));
  if (bodies > 0) {
    RH_TRY(print_tree(job->args, m));
  }
  rh_print("  %d shape%s, %d point%s, %d actuator%s, %d force%s, %d event%s\n", m->nshape,
           rh_plural(m->nshape), m->npoint, rh_plural(m->npoint), m->nactuator,
           rh_plural(m->nactuator), m->nforce, rh_plural(m->nforce), m->nevent,
           rh_plural(m->nevent));
  rh_print("  runs to %.6g s by the engine %s%s%s, a frame every %.6g s\n", m->run.until,
           m->run.engine->row.name, m->run.integrator ? " with " : "",
           m->run.integrator ? m->run.integrator->name : "", m->run.every);
  return RH_OK;
}

static rh_status print_scene(const check_job *job, const rh_scene *scene)
{
  char *text = rh_scene_write(scene, true);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_file_write(rh_args_text(job->args, "output"), text);
  rh_free(text);
  return status;
}

static rh_status check_scene(const check_job *job)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  bool whole = rh_args_flag(job->args, "print-scene");
  rh_status status = rh_scene_from(&job->args->request, job->path, job->diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, job->diag, &model);
  }
  if (status == RH_OK && whole) {
    status = print_scene(job, scene);
  } else if (status == RH_OK && job->json != NULL) {
    rh_check_json(job->json, model);
  } else if (status == RH_OK) {
    status = print_model(job, model);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status;
}

// ---- Recordings

static void tell_recording(const check_job *job, rh_recording *recording,
                           const rh_checked_recording *result)
{
  const char *name = rh_recording_meta(recording, "scene_name");
  const char *ended = rh_recording_meta(recording, "ended");
  const char *reason = rh_recording_meta(recording, "reason");
  bool said = reason != NULL && reason[0] != '\0';
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, result->hash);
  if (job->json != NULL) {
    rh_json_string(job->json, "scene", name);
    rh_json_integer(job->json, "frames", result->frames);
    rh_json_integer(job->json, "events", result->events);
    rh_json_number(job->json, "t", result->t);
    rh_json_string(job->json, "hash", hash);
    rh_json_string(job->json, "ended", ended);
    rh_json_string(job->json, "reason", reason);
    return;
  }
  if (job->args->request.quiet) {
    return;
  }
  rh_print("%s   %ld frame%s to t = %.9g s, %ld event%s, hash %s\n", job->path, result->frames,
           rh_plural(result->frames), result->t, result->events, rh_plural(result->events), hash);
  rh_print("  scene %s; %s%s%s\n", name != NULL ? name : "unknown", ended != NULL ? "ended: " : "",
           ended != NULL ? (said ? reason : ended) : "not closed: the run was cut off",
           ended == NULL ? "; every frame above is complete" : "");
}

static rh_status check_recording(const check_job *job)
{
  rh_recording *recording = NULL;
  rh_checked_recording result;
  RH_TRY(rh_recording_open(job->path, job->diag, &recording));
  rh_status status = rh_check_recording(recording, job->path, job->diag, &result);
  if (status == RH_OK) {
    tell_recording(job, recording, &result);
  }
  rh_recording_close(recording);
  return status;
}

// ---- The verb

static void json_messages(rh_json *json, const rh_diag *diag)
{
  rh_json_open_array(json, "diagnostics");
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    rh_json_message(json, &message);
  }
  rh_json_close(json);
}

static rh_status check_file(const rh_args *args, const char *path, rh_json *json)
{
  check_job job = {.args = args, .path = path, .diag = rh_diag_create(), .json = json};
  if (job.diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (json != NULL) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "file", rh_file_label(path));
  }
  rh_status status =
      path != NULL && rh_file_is_recording(path) ? check_recording(&job) : check_scene(&job);
  if (status == RH_OK && rh_args_flag(args, "strict") && rh_diag_count(job.diag, RH_WARNING) > 0) {
    status = RH_INPUT_REFUSED;
  }
  if (json != NULL) {
    rh_json_string(json, "status", rh_status_name(status));
    json_messages(json, job.diag);
    rh_json_close(json);
  }
  fflush(stdout);
  rh_diag_print(&args->request, job.diag, NULL);
  int errors = rh_diag_count(job.diag, RH_ERROR);
  int warnings = rh_diag_count(job.diag, RH_WARNING);
  if (errors + warnings > 0) {
    if (args->request.quiet && status == RH_OK) {
      rh_diag_destroy(job.diag);
      return status;
    }
    rh_say(NULL, "routh: %s: %d error%s, %d warning%s", rh_file_label(path), errors,
           rh_plural(errors), warnings, rh_plural(warnings));
  } else if (status != RH_OK) {
    rh_refuse(status, "%s: %s", rh_file_label(path), rh_status_message(status));
  }
  rh_diag_destroy(job.diag);
  return status;
}

static rh_status check_verb(const rh_args *args)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  bool as_json = args->request.json && !rh_args_flag(args, "print-scene");
  rh_status status = RH_OK;
  if (as_json) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "routh", RH_VERSION);
    rh_json_open_array(&json, "files");
  }
  for (int i = 0; i < args->request.nfile || (i == 0 && args->request.nfile == 0); i++) {
    const char *path = args->request.nfile > 0 ? args->request.file[i] : NULL;
    rh_status found = check_file(args, path, as_json ? &json : NULL);
    status = status == RH_OK ? found : status;
  }
  if (as_json) {
    rh_json_end(&json);
    rh_status written = rh_text_print(&text, rh_args_text(args, "output"));
    status = status == RH_OK ? written : status;
  }
  return status;
}

static const rh_option option[] = {
    {.name = "print-scene", .doc = "print every value in force and its origin"},
    {.name = "strict", .doc = "warnings are errors"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("file of --print-scene and --json; - is standard output"),
};

static const rh_example example[] = {
    {"check scenes/stop.yaml --print-scene", "every value in force, and its origin"},
    {"check models/atlas.urdf", "a robot: its tree, and the elements that are not used"},
    {"check stop.rhr", "check its sums and hashes"},
};

const rh_verb rh_verb_check = {
    .row = {.name = "check",
            .cite = "",
            .doc = "Check scenes, robots and recordings without a run."},
    .group = "Trust",
    .usage = "[FILE ...]",
    .more = "Without a file the built-in scene is checked; - reads a scene from standard input.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|rhr|urdf|xml|sdf",
    .least = 0,
    .most = 1000000,
    .run = check_verb,
};
