// sandbox_run.c: a running sandbox. Each edit of its bodies makes a new scene, a new model and a
// new run, which takes over the time and the state of the remaining bodies
// (src/run/transfer_state.c).
#include "base/json.h"
#include "sandbox.h"

#include <routh/routh.h>

#include <math.h>
#include <string.h>

enum { FULL = 13 }; // numbers of a thing's state: q and v

typedef struct stage { // a running scene and its viewer
  rh_viewer_live *live;
  rh_viewer *film;
} stage;

struct rh_sandbox {
  rh_sandbox_world world;
  stage on, was; // the run, and the previous one: pages may request its remaining frames
  long number;   // of the run; another one has other bodies
  rh_text why;   // reason of the last refusal
  long refusals;
};

static void close_stage(stage *s)
{
  rh_viewer_close(s->film);
  rh_viewer_live_destroy(s->live);
  *s = (stage){0};
}

static rh_status open_stage(const rh_sandbox_world *world, rh_diag *diag, stage *s)
{
  rh_text text = {0};
  *s = (stage){0};
  rh_sandbox_write(world, NULL, 0, &text);
  rh_status status =
      text.failed ? RH_OUT_OF_MEMORY
                  : rh_viewer_live_create(text.data, RH_SANDBOX_NAME ".yaml", diag, &s->live);
  if (status == RH_OK) {
    status = rh_viewer_open_live(s->live, RH_SANDBOX_NAME, text.data, &s->film);
  }
  rh_text_free(&text);
  if (status != RH_OK) {
    close_stage(s);
  }
  return status;
}

rh_status rh_sandbox_create(rh_viewer_clock *clock, double patience, rh_diag *diag,
                            rh_sandbox **sandbox)
{
  rh_sandbox *s = rh_alloc(sizeof *s);
  *sandbox = NULL;
  if (s == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_sandbox_begin(&s->world);
  rh_status status = open_stage(&s->world, diag, &s->on);
  if (status != RH_OK) {
    rh_sandbox_destroy(s);
    return status;
  }
  rh_viewer_live_patience(s->on.live, clock, patience);
  *sandbox = s;
  return RH_OK;
}

void rh_sandbox_destroy(rh_sandbox *s)
{
  if (s != NULL) {
    close_stage(&s->on);
    close_stage(&s->was);
    rh_text_free(&s->why);
    rh_free(s);
  }
}

void rh_sandbox_go_on(rh_sandbox *s, double seconds)
{
  rh_viewer_live_go_on(s->on.live, seconds);
}

rh_viewer *rh_sandbox_film(const rh_sandbox *s)
{
  return s->on.film;
}

const rh_sandbox_world *rh_sandbox_things(const rh_sandbox *s)
{
  return &s->world;
}

// ---- Edits

// Poses and velocities of the things in the last frame; the initial ones if there is none. Returns
// its time.
static double read_now(const rh_sandbox *s, double now[RH_SANDBOX_MAX * FULL])
{
  rh_data *d = NULL;
  rh_status status =
      rh_viewer_live_world(s->on.live, rh_viewer_live_frames(s->on.live) - 1, NULL, &d);
  for (int i = 0; i < s->world.n; i++) {
    const rh_sandbox_thing *thing = &s->world.thing[i];
    int body = status == RH_OK ? rh_model_find(d->model, RH_OBJECT_BODY, thing->name) : RH_NONE;
    const double *q = body != RH_NONE ? d->q + d->model->body[body].qadr : thing->q;
    const double *v = body != RH_NONE ? d->v + d->model->body[body].vadr : thing->v;
    memcpy(now + (size_t)i * FULL, q, 7 * sizeof *now);
    memcpy(now + (size_t)i * FULL + 7, v, 6 * sizeof *now);
  }
  return status == RH_OK ? *d->t : 0;
}

static void say_why(rh_sandbox *s, const rh_diag *diag)
{
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    if (message.severity == RH_ERROR) {
      rh_text_addf(&s->why, "%s%s", s->why.size > 0 ? "\n" : "", message.text);
    }
  }
  if (s->why.size == 0) {
    rh_text_add(&s->why, "out of memory");
  }
}

// The same bodies with another law or other values: the run continues, and so does its film. False:
// it has stopped.
static bool change_values(rh_sandbox *s, const rh_sandbox_world *wanted)
{
  rh_text text = {0};
  rh_sandbox_write(wanted, NULL, 0, &text);
  const rh_input input = {.kind = RH_INPUT_SCENE, .name = "", .value = text.data};
  rh_status status = text.failed ? RH_OUT_OF_MEMORY : rh_viewer_live_input(s->on.live, &input);
  if (status == RH_OK) {
    s->world = *wanted;
  } else if (status != RH_STOPPED) {
    rh_text_add(&s->why, rh_viewer_live_refused(s->on.live));
    s->refusals++;
  }
  rh_text_free(&text);
  return status != RH_STOPPED;
}

static void change_bodies(rh_sandbox *s, const rh_sandbox_world *wanted, bool anew)
{
  rh_diag *diag = rh_diag_create();
  stage made = {0};
  if (diag == NULL || open_stage(wanted, diag, &made) != RH_OK) {
    say_why(s, diag);
    s->refusals++;
  } else {
    rh_viewer_live_carry(made.live, s->on.live, anew);
    close_stage(&s->was);
    s->was = s->on;
    s->on = made;
    s->world = *wanted;
    rh_viewer_set_number(s->on.film, ++s->number);
  }
  rh_diag_destroy(diag);
}

static bool edit_world(rh_sandbox *s, const char *line)
{
  double now[RH_SANDBOX_MAX * FULL];
  rh_sandbox_world wanted = s->world;
  rh_text why = {0};
  (void)read_now(s, now);
  rh_sandbox_edit what = rh_sandbox_read(&wanted, line, now, &why);
  if (what != RH_SANDBOX_MALFORMED) {
    rh_text_free(&s->why);
  }
  if (what == RH_SANDBOX_REFUSED) {
    rh_text_add(&s->why, why.failed ? "out of memory" : why.data);
    s->refusals++;
  } else if (what != RH_SANDBOX_MALFORMED &&
             (what != RH_SANDBOX_VALUES || !change_values(s, &wanted))) {
    change_bodies(s, &wanted, what == RH_SANDBOX_ANEW);
  }
  rh_text_free(&why);
  return what != RH_SANDBOX_MALFORMED;
}

bool rh_sandbox_say(rh_sandbox *s, const char *text, size_t bytes)
{
  char line[RH_VIEWER_SAY_MAX + 1];
  if (bytes > RH_VIEWER_SAY_MAX || memchr(text, '\0', bytes) != NULL) {
    return false;
  }
  memcpy(line, text, bytes);
  line[bytes] = '\0';
  bool values = strncmp(line, "set ", 4) == 0; // a run would accept these too, without the scene
  return edit_world(s, line) || (!values && rh_viewer_live_say(s->on.live, text, bytes));
}

// ---- Answers

// The run of a path "/word/NUMBER/..."; NULL: expired, or not in the path. `*rest` gets the rest.
static rh_viewer *named_film(const rh_sandbox *s, const char *path, const char **rest)
{
  char number[32];
  stage of[] = {s->on, s->was};
  *rest = path + strspn(path, "0123456789");
  for (int i = 0; i < RH_COUNT(of); i++) {
    int length = snprintf(number, sizeof number, "%ld", s->number - i);
    if (length == (int)(*rest - path) && memcmp(number, path, (size_t)length) == 0) {
      return of[i].film;
    }
  }
  return NULL;
}

rh_status rh_sandbox_answer(const rh_sandbox *s, const char *path, rh_diag *diag, rh_text *out,
                            const char **type)
{
  size_t word = path[0] == '/' ? 1 + strcspn(path + 1, "/") : 0;
  const char *rest = path + word;
  rh_viewer *film = s->on.film;
  rh_text right = {0};
  rh_text_add_bytes(&right, path, word);
  if (rest[0] == '/') {
    film = named_film(s, rest + 1, &rest);
    rh_text_add(&right, "/0");
  }
  rh_text_add(&right, rest);
  rh_status status = right.failed ? RH_OUT_OF_MEMORY : RH_OK;
  if (status == RH_OK && film == NULL && rest > path + word + 1) {
    *type = "application/octet-stream"; // of an expired run: empty
    rh_text_add(out, "");
  } else if (status == RH_OK) {
    status = rh_viewer_answer(&film, film != NULL, right.data, diag, out, type);
  }
  rh_text_free(&right);
  return status;
}

static void put_laws(const rh_sandbox_world *w, rh_json *json)
{
  rh_json_open_array(json, "laws");
  for (int i = 0; i < w->nlaw; i++) {
    const rh_sandbox_law *law = &w->law[i];
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", law->row->name);
    rh_json_string(json, "doc", law->row->doc);
    rh_json_bool(json, "rigid", law->normal == NULL);
    rh_json_close(json);
  }
  rh_json_close(json);
}

void rh_sandbox_put(const rh_sandbox *s, rh_json *json)
{
  const rh_sandbox_world *w = &s->world;
  rh_json_integer(json, "number", s->number);
  rh_json_string(json, "refused", s->why.size > 0 ? s->why.data : NULL);
  rh_json_integer(json, "refusals", s->refusals);
  rh_json_integer(json, "bodies", w->n);
  rh_json_integer(json, "most", RH_SANDBOX_MAX);
  rh_json_string(json, "law", w->law[w->chosen].row->name);
  rh_json_number(json, "e", w->e);
  rh_json_number(json, "mu", w->mu);
  rh_json_number(json, "g", w->g);
  put_laws(w, json);
}

bool rh_sandbox_scene(const rh_sandbox *s, rh_text *out)
{
  double now[RH_SANDBOX_MAX * FULL];
  double t = read_now(s, now);
  rh_sandbox_write(&s->world, now, t, out);
  return !out->failed;
}
