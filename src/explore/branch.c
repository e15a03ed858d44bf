// branch.c: runs that go on from a frame of a recording, or start at a keyframe. In the recorded scene the
// run goes on in time, and the new recording has the frames before it too: what changes is an input at that
// frame, so that the whole can be run again with the same bits. Another scene starts, at its own time 0, with
// the coordinates, velocities and held joints that it shares with the recorded one; contacts, controllers,
// sensors and states of actuators begin anew there.
#include "run.h"

#include <math.h>
#include <string.h>

// ---- Where

// The recording and the time of "FILE.rhr@T", without @T `*t` is infinite; NULL: out of memory. A file whose
// whole name is that is taken first.
static char *split_where(const char *where, double *t)
{
  const char *at = strrchr(where, '@');
  size_t length = strlen(where);
  *t = HUGE_VAL;
  if (at != NULL && rh_unit_parse(at + 1, "s", t, NULL)) {
    length = (size_t)(at - where);
  }
  char *file = rh_alloc(length + 1);
  if (file != NULL) {
    memcpy(file, where, length);
    file[length] = '\0';
  }
  return file;
}

bool rh_run_is_branch(const char *where)
{
  double t = 0;
  char *file = split_where(where, &t);
  bool is = file != NULL && rh_file_is_recording(file);
  rh_free(file);
  return is;
}

char *rh_run_name(const char *from)
{
  double t = 0;
  if (from == NULL || strcmp(from, "-") == 0 || !rh_run_is_branch(from)) {
    return rh_file_beside(from == NULL             ? "default"
                          : strcmp(from, "-") == 0 ? "scene"
                                                   : from,
                          ".rhr");
  }
  char *file = split_where(from, &t);
  char *name = file != NULL ? rh_file_beside(file, "-branch.rhr") : NULL;
  rh_free(file);
  return name;
}

// The last frame at or before the time; frames of an engine with steps of its own are a little late.
static rh_status find_frame(rh_run *run, double t)
{
  rh_branch *b = &run->branch;
  double every = rh_recording_model(run->recording)->run.every;
  long last = rh_recording_frames(run->recording) - 1;
  if (last < 0) {
    return rh_refuse(RH_INPUT_REFUSED, "%s: has no frame", b->file);
  }
  if (t < 0 || (isfinite(t) && t > (double)(last + 1) * every)) {
    return rh_refuse(RH_WRONG_USAGE, "run: --from: %s has frames from t = 0 to %.9g s, none at %g",
                     b->file, (double)last * every, t);
  }
  b->frame = isfinite(t) ? (long)floor(t / every * (1 + 1e-12) + 1e-9) : last;
  b->frame = b->frame < last ? b->frame : last;
  return RH_OK;
}

static rh_status open_source(rh_run *run, const char *where)
{
  double t = 0;
  run->branch.file = split_where(where, &t);
  if (run->branch.file == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_recording_open(run->branch.file, run->diag, &run->recording);
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  return find_frame(run, t);
}

void rh_run_json_from(const rh_run *run, rh_json *json)
{
  if (run->branch.file == NULL) {
    return;
  }
  rh_json_open_object(json, "from");
  rh_json_string(json, "recording", run->branch.file);
  rh_json_integer(json, "frame", run->branch.frame);
  rh_json_number(json, "t", run->branch.t);
  rh_json_bool(json, "goes_on", run->branch.goes);
  rh_json_close(json);
}

// ---- The recorded scene

// What a run that goes on cannot take: where joints are, and which are held.
static const char *changed_start(const rh_model *was, const rh_model *is)
{
  for (int i = 1; i < was->nbody; i++) {
    const rh_model_body *b = &was->body[i];
    size_t nq = (size_t)b->joint->nq * sizeof(double);
    size_t nv = (size_t)b->nv * sizeof(double);
    if (memcmp(was->start.q0 + b->qadr, is->start.q0 + b->qadr, nq) != 0 ||
        memcmp(was->start.v0 + b->vadr, is->start.v0 + b->vadr, nv) != 0 ||
        was->start.held[i] != is->start.held[i]) {
      return rh_model_name(was, RH_OBJECT_JOINT, i);
    }
  }
  return NULL;
}

static rh_status compare_start(const rh_run *run, const rh_model *is)
{
  rh_data *world = NULL;
  RH_TRY(rh_recording_world(run->recording, run->branch.frame, &world, NULL, run->diag));
  const char *joint =
      rh_model_same_layout(world->model, is) ? changed_start(world->model, is) : NULL;
  return joint == NULL
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE,
                         "run: --from: joint '%s' is where it is at the frame; q, v and held "
                         "can be changed only with a scene: routh run SCENE --from ...",
                         joint);
}

// The scene at the frame with the overrides, compiled for its checks, and its text; rh_free it.
static rh_status change_scene(rh_run *run, char **text)
{
  const rh_request *q = run->request;
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  RH_TRY(rh_replay_scene(run->play, run->diag, &scene));
  char *old = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  if (old == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  scene = NULL;
  rh_status status = rh_scene_parse(old, strlen(old), run->branch.file, (const char *const *)q->set,
                                    q->nset, run->diag, &scene);
  rh_free(old);
  status = status == RH_OK ? rh_scene_compile(scene, run->diag, &model) : status;
  if (status == RH_OK) {
    run->until = model->run.until;
    status = compare_start(run, model);
  }
  *text = status == RH_OK ? rh_scene_write(scene, false) : NULL;
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status == RH_OK && *text == NULL ? RH_OUT_OF_MEMORY : status;
}

static rh_status begin_branch(rh_run *run, const char *text)
{
  const rh_input input = {
      .frame = run->branch.frame, .kind = RH_INPUT_SCENE, .name = "", .value = text};
  rh_status status = rh_replay_input(run->play, &input, run->diag);
  run->sim = rh_replay_sim(run->play);
  if (status == RH_OK && run->output != NULL) {
    rh_interrupt_catch();
    status = rh_recorder_branch(run->output, run->recording, run->branch.frame, run->diag,
                                &run->recorder);
  }
  return status == RH_OK && run->recorder != NULL ? rh_recorder_input(run->recorder, &input)
                                                  : status;
}

rh_status rh_run_branch(rh_run *run, const char *where, const char *output)
{
  RH_TRY(open_source(run, where));
  const char *file = run->branch.file;
  run->branch.goes = true;
  run->output = output;
  if (output != NULL && rh_file_same(output, file)) {
    return rh_refuse(RH_WRONG_USAGE, "run: -o is the recording itself; name another file");
  }
  rh_status status = rh_replay_open(run->recording, run->diag, &run->play);
  if (status != RH_OK) {
    return rh_diag_refuse(run->request, run->diag, status);
  }
  run->model = rh_replay_model(run->play);
  run->sim = rh_replay_sim(run->play);
  const char *name = rh_recording_meta(run->recording, "scene_name");
  run->label = name != NULL && name[0] != '\0' ? name : file;
  RH_TRY(rh_run_warnings(run));
  RH_TRY(rh_run_seek(run, run->branch.frame));
  run->branch.t = *rh_sim_view(run->sim)->t;
  char *text = NULL;
  status = change_scene(run, &text);
  if (status == RH_OK && !(run->until > run->branch.t)) {
    status =
        rh_refuse(RH_WRONG_USAGE, "run: the frame is at t = %.9g s; --until T with a later end",
                  run->branch.t);
  } else if (status == RH_OK) {
    status = begin_branch(run, text);
  }
  rh_free(text);
  return status == RH_OK || status == RH_WRONG_USAGE
             ? status
             : rh_diag_refuse(run->request, run->diag, status);
}

// ---- Another scene

typedef struct start_words { // overrides, "joints.NAME.q=[...]", before those of the request
  char **text;
  const char **set;
  int n, room, joints;
} start_words;

static bool add_word(start_words *w, const char *word)
{
  size_t size = strlen(word) + 1;
  char *copy = w->n < w->room ? rh_alloc(size) : NULL;
  if (copy != NULL) {
    memcpy(copy, word, size);
    w->text[w->n] = copy;
    w->set[w->n++] = copy;
  }
  return copy != NULL;
}

// Numbers of a joint; a scalar one stays within the limits that it now has, which rounding may leave.
static bool add_numbers(start_words *w, const char *joint, const char *key, const double *x, int n)
{
  rh_text text = {0};
  rh_text_addf(&text, "joints.%s.%s=[", joint, key);
  for (int i = 0; i < n; i++) {
    char number[RH_NUMBER_MAX];
    rh_number_write(x[i] + 0.0, number);
    rh_text_addf(&text, "%s%s", i > 0 ? ", " : "", number);
  }
  rh_text_add(&text, "]");
  bool done = !text.failed && add_word(w, text.data);
  rh_text_free(&text);
  return done;
}

static bool add_joint(start_words *w, const rh_data *from, int i, const rh_model *m, int k)
{
  const rh_model_body *was = &from->model->body[i];
  const rh_model_body *is = &m->body[k];
  const char *name = rh_model_name(m, RH_OBJECT_JOINT, k);
  double q[8];
  RH_ASSERT(was->joint->nq <= RH_COUNT(q));
  memcpy(q, from->q + was->qadr, (size_t)was->joint->nq * sizeof *q);
  for (int j = 0; j < was->nv && was->joint->scalar; j++) {
    const rh_model_dof *dof = &m->dof[is->vadr + j];
    q[j] = fmin(fmax(q[j], dof->lower), dof->upper);
  }
  bool held = was->nv > 0 && from->hold[was->vadr] == RH_HOLD_LOCK;
  char word[2 * RH_NAME_MAX + 32];
  (void)snprintf(word, sizeof word, "joints.%s.held=%s", name, held ? "yes" : "no");
  w->joints++;
  return add_numbers(w, name, "q", q, was->joint->nq) &&
         add_numbers(w, name, "v", from->v + was->vadr, was->nv) &&
         (held == m->start.held[k] || add_word(w, word));
}

static bool collect_start(start_words *w, const rh_data *from, const rh_model *m)
{
  for (int k = 1; k < m->nbody; k++) {
    const char *name = rh_model_name(m, RH_OBJECT_JOINT, k);
    int i = name != NULL ? rh_model_find(from->model, RH_OBJECT_JOINT, name) : RH_NONE;
    bool same = i != RH_NONE && from->model->body[i].joint == m->body[k].joint && m->body[k].nv > 0;
    if (same && !add_joint(w, from, i, m, k)) {
      return false;
    }
  }
  return true;
}

static void free_words(start_words *w)
{
  for (int i = 0; i < w->n; i++) {
    rh_free(w->text[i]);
  }
  rh_free(w->text);
  rh_free((void *)w->set);
}

// The scene as it is, to know its joints, then with their start.
static rh_status read_posed(rh_run *run, const char *path, const rh_data *from)
{
  rh_model *model = NULL;
  rh_scene *scene = NULL;
  rh_request posed = *run->request;
  rh_status status = rh_scene_from(&posed, path, run->diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, run->diag, &model) : status;
  rh_scene_destroy(scene);
  if (status != RH_OK) {
    return status;
  }
  start_words w = {.room = 3 * model->nbody};
  int room = w.room + posed.nset + 1;
  w.text = rh_alloc((size_t)(w.room + 1) * sizeof *w.text);
  w.set = rh_alloc((size_t)room * sizeof *w.set);
  if (w.text == NULL || w.set == NULL || !collect_start(&w, from, model)) {
    status = RH_OUT_OF_MEMORY;
  } else {
    memcpy((void *)(w.set + w.n), posed.set, (size_t)posed.nset * sizeof *w.set); // these win
    posed.set = w.set;
    posed.nset += w.n;
    rh_diag_clear(run->diag);
    status = rh_scene_from(&posed, path, run->diag, &run->scene);
    rh_say(run->request, "routh: %d of %d joints start as in %s at t = %.9g s", w.joints,
           model->nbody - 1, run->branch.file, run->branch.t);
  }
  free_words(&w);
  rh_model_destroy(model);
  return status;
}

static rh_status read_keyframe(rh_run *run, const char *path, const char *name)
{
  rh_request posed = *run->request;
  char word[RH_NAME_MAX + 32];
  const char **set = rh_alloc((size_t)(posed.nset + 1) * sizeof *set);
  if (set == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  (void)snprintf(word, sizeof word, "run.keyframe=%.64s", name);
  set[0] = word;
  memcpy((void *)(set + 1), posed.set, (size_t)posed.nset * sizeof *set);
  posed.set = set;
  posed.nset++;
  rh_status status = rh_scene_from(&posed, path, run->diag, &run->scene);
  rh_free((void *)set);
  return status;
}

rh_status rh_run_scene_from(rh_run *run, const char *path, const char *where)
{
  if (!rh_run_is_branch(where)) {
    return read_keyframe(run, path, where);
  }
  if (path != NULL && strcmp(path, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE, "run: --from needs a scene in a file, not standard input");
  }
  RH_TRY(open_source(run, where));
  rh_data *world = NULL;
  rh_status status = rh_recording_world(run->recording, run->branch.frame, &world, NULL, run->diag);
  if (status != RH_OK) {
    return status;
  }
  run->branch.t = *world->t;
  return read_posed(run, path, world);
}
