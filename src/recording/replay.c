// replay.c: a running scene with inputs from a user or from a recording.
#include "base/text.h"
#include "private.h"
#include "scene_history.h"

#include <math.h>
#include <string.h>

struct rh_replay {
  rh_editions editions;
  rh_model *model; // that it runs with; NULL: the first one
  long next;       // next input of the recording
  rh_sim *sim;
};

rh_status rh_replay_create(const char *scene, const char *name, rh_diag *diag, rh_replay **play)
{
  rh_replay *p = rh_alloc(sizeof *p);
  *play = NULL;
  if (p == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *p = (rh_replay){0};
  rh_status status = rh_editions_open(&p->editions, scene, name, diag);
  if (status == RH_OK) {
    status = rh_sim_create(p->editions.first, diag, &p->sim);
  }
  if (status != RH_OK) {
    rh_replay_destroy(p);
    return status;
  }
  *play = p;
  return RH_OK;
}

void rh_replay_destroy(rh_replay *play)
{
  if (play != NULL) {
    rh_sim_destroy(play->sim);
    rh_model_destroy(play->model);
    rh_editions_close(&play->editions);
    rh_free(play);
  }
}

rh_sim *rh_replay_sim(const rh_replay *play)
{
  return play->sim;
}

const rh_model *rh_replay_model(const rh_replay *play)
{
  return play->editions.first;
}

rh_status rh_replay_world(rh_replay *play, long index, rh_diag *diag, rh_data **world)
{
  return rh_editions_world(&play->editions, index, diag, world);
}

rh_status rh_replay_scene(const rh_replay *play, rh_diag *diag, rh_scene **scene)
{
  return rh_editions_scene(&play->editions, diag, scene);
}

// The last change of a path gives its value; the first gives it its number.
const char *rh_replay_setting(const rh_replay *play, int index, const char **value)
{
  const rh_editions *e = &play->editions;
  int from = e->n;
  while (from > 0 && e->change[from - 1].kind == RH_INPUT_SET) {
    from--;
  }
  for (int i = from; i < e->n; i++) {
    const char *path = e->change[i].name;
    int before = from;
    while (strcmp(e->change[before].name, path) != 0) {
      before++;
    }
    if (before == i && index-- == 0) {
      for (int k = i; k < e->n; k++) {
        *value = strcmp(e->change[k].name, path) == 0 ? e->change[k].value : *value;
      }
      return path;
    }
  }
  return NULL;
}

// ---- Inputs

static long frame_now(const rh_replay *p) // the last one; -1: none yet
{
  return rh_sim_statistics(p->sim).frames - 1;
}

static rh_status refuse_replay(rh_diag *diag, rh_status status, const char *why)
{
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%s", why);
  return status;
}

// Exactly six numbers, blanks between
static bool read_six(const char *text, double x[6])
{
  for (int i = 0; i < 6; i++) {
    text += strspn(text, " ");
    size_t length = rh_number_read(text, &x[i]);
    if (length == 0 || !(fabs(x[i]) < 1e9)) {
      return false;
    }
    text += length;
  }
  return *text == '\0';
}

static rh_status apply_drag(rh_replay *p, const rh_input *input, rh_diag *diag)
{
  double x[6];
  int body = rh_model_find(rh_replay_model(p), RH_OBJECT_BODY, input->name);
  if (!read_six(input->value, x)) {
    return refuse_replay(diag, RH_INPUT_REFUSED, "a drag has six numbers");
  }
  rh_vec3 grip = rh_v3(x[0], x[1], x[2]);
  if (body == RH_NONE || rh_sim_drag(p->sim, body, grip, rh_v3(x[3], x[4], x[5])) != RH_OK) {
    return refuse_replay(
        diag, RH_INPUT_REFUSED,
        "there is no such body to drag, it does not move, or the scene has no run.hand");
  }
  return RH_OK;
}

// After the last frame, with all changes and this one
static rh_status apply_change(rh_replay *p, const rh_input *input, rh_diag *diag)
{
  const rh_model *made = NULL;
  if (!rh_editions_add(&p->editions, input)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_editions_at(&p->editions, input->frame + 1, diag, &made);
  if (status == RH_OK) {
    status = rh_sim_replace_model(&p->sim, made, diag);
  }
  if (status != RH_OK) {
    rh_editions_drop(&p->editions);
    return status;
  }
  rh_model_destroy(p->model);
  p->model = rh_editions_take(&p->editions); // the present model
  return RH_OK;
}

rh_status rh_replay_input(rh_replay *play, const rh_input *input, rh_diag *diag)
{
  rh_input now = *input;
  now.frame = frame_now(play);
  if (now.frame < 0) {
    return refuse_replay(diag, RH_WRONG_USAGE, "an input acts after a frame: run first");
  }
  switch (input->kind) {
  case RH_INPUT_DRAG:
    return apply_drag(play, input, diag);
  case RH_INPUT_DROP:
    rh_sim_drop(play->sim);
    return RH_OK;
  case RH_INPUT_SET:
    if (strlen(input->name) >= RH_INPUT_PATH_MAX || strlen(input->value) >= RH_INPUT_PATH_MAX ||
        strchr(input->name, '=') != NULL) {
      return refuse_replay(diag, RH_INPUT_REFUSED,
                           "the path or the value is too long, or has a '=' in it");
    }
    return apply_change(play, &now, diag);
  case RH_INPUT_SCENE:
    return apply_change(play, &now, diag);
  default:
    return refuse_replay(diag, RH_INPUT_REFUSED, "no such input");
  }
}

// ---- Replay of a recording

// The changes up to a frame, without running; the inputs of that frame itself follow later.
static rh_status take_changes(rh_replay *p, rh_recording *recording, long index, rh_diag *diag)
{
  for (long i = 0; i < rh_recording_inputs(recording); i++) {
    rh_input input;
    RH_TRY(rh_recording_input(recording, i, &input, diag));
    bool changes = input.kind == RH_INPUT_SET || input.kind == RH_INPUT_SCENE;
    if (input.frame >= index) {
      return RH_OK;
    }
    p->next++;
    if (changes && !rh_editions_add(&p->editions, &input)) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

// A simulation of the model of a frame; the replay has the changes up to it.
static rh_status renew_simulation(rh_replay *p, long index, rh_diag *diag)
{
  const rh_model *made = NULL;
  rh_sim *sim = NULL;
  RH_TRY(rh_editions_at(&p->editions, index, diag, &made));
  RH_TRY(rh_sim_create(made, diag, &sim));
  rh_sim_destroy(p->sim);
  rh_model_destroy(p->model);
  p->sim = sim;
  p->model = made != p->editions.first ? rh_editions_take(&p->editions) : NULL;
  return RH_OK;
}

rh_status rh_replay_seek(rh_replay *play, rh_recording *recording, long index, rh_diag *diag)
{
  play->next = 0;
  while (play->editions.n > 0) {
    rh_editions_drop(&play->editions);
  }
  RH_TRY(take_changes(play, recording, index, diag));
  RH_TRY(renew_simulation(play, index, diag));
  if (index == RH_NONE) {
    return RH_OK;
  }
  double *state = rh_alloc((size_t)rh_replay_model(play)->layout.nstate * sizeof *state);
  if (state == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_recording_frame(recording, index, state, NULL, diag);
  if (status == RH_OK) {
    rh_sim_resume(play->sim, index, state);
    rh_recording_count_on(recording, index, play->sim);
  }
  rh_free(state);
  return status;
}

rh_status rh_replay_open(rh_recording *recording, rh_diag *diag, rh_replay **play)
{
  return rh_replay_create(rh_recording_meta(recording, "scene"), rh_rec_path_of(recording), diag,
                          play);
}

// Applies the inputs that are due; `*at` gets the time of the next one, infinity: none.
static rh_status apply_due_inputs(rh_replay *p, rh_recording *recording, rh_recorder *keep,
                                  double *at, rh_diag *diag)
{
  rh_input input;
  *at = HUGE_VAL;
  while (p->next < rh_recording_inputs(recording)) {
    RH_TRY(rh_recording_input(recording, p->next, &input, diag));
    if (input.frame > frame_now(p)) {
      *at = (double)input.frame * rh_replay_model(p)->run.every;
      return RH_OK;
    }
    RH_TRY(rh_replay_input(p, &input, diag));
    RH_TRY(keep != NULL ? rh_recorder_input(keep, &input) : RH_OK);
    p->next++;
  }
  return RH_OK;
}

rh_status rh_replay_again(rh_replay *play, rh_recording *recording, rh_recorder *keep, double until,
                          rh_diag *diag)
{
  double at = 0;
  for (;;) {
    RH_TRY(apply_due_inputs(play, recording, keep, &at, diag));
    double to = fmin(at, until);
    long before = frame_now(play);
    RH_TRY(rh_sim_run(play->sim, to));
    double t = *rh_sim_view(play->sim)->t;
    if (t < to || at > until || (frame_now(play) == before && before >= 0)) {
      return RH_OK; // an event ended it, or time is reached
    }
  }
}
