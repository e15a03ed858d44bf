// live.c: a scene that runs while it is viewed. Frames are kept in memory, so that the user can go
// back during the run. Actions of the page are inputs (routh/sim.h): a hand that pulls at a body, a
// changed value. They act at once: between two calls the run is at a frame (or is brought to one);
// a recording, if any, stores them.
#include "base/json.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

#define ROOM_MAX   (512l << 20) // [byte] of states
#define EVENTS_MAX 20000
#define IMPACTS    (4 << 20) // [byte] of impact data
#define FRAMES_MAX 400       // per call
#define LATE_MAX   0.2       // [s] maximum delay to catch up
#define PACE_TIME  0.7       // [s] over which the pace is averaged
#define SPEED_MIN  1e-4
#define SPEED_MAX  100.0

struct rh_viewer_live {
  rh_replay *play;
  const rh_model *model; // at the start: layout and names
  double *state;         // (room, nstate)
  long first;            // number of the first frame in memory, as the simulation counts them
  long frames, room;
  rh_event *event;
  long events, event_room;
  rh_recorder *recorder;  // NULL: not recorded
  rh_text impacts;        // JSON objects, each after a comma
  rh_text marks;          // start of each of them (size_t)
  double speed;           // simulated time over clock time
  double owed;            // [s] delay
  double pace;            // recent simulated time over clock time
  rh_viewer_clock *clock; // NULL: no time limit per call
  double patience;        // [s] time limit on this clock
  double deadline;        // of the call
  bool running, over;
  bool midway; // between two frames: out of time
  rh_status ended;
  rh_diag *diag;   // of the last input
  long inputs;     // that acted
  long changes;    // of them those that changed values
  rh_text refused; // reason of the last refused value
};

rh_status rh_viewer_live_create(const char *scene, const char *name, rh_diag *diag,
                                rh_viewer_live **live)
{
  rh_viewer_live *l = rh_alloc(sizeof *l);
  if (l == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *l = (rh_viewer_live){.speed = 1, .pace = 1, .running = true, .diag = rh_diag_create()};
  rh_status status =
      l->diag != NULL ? rh_replay_create(scene, name, diag, &l->play) : RH_OUT_OF_MEMORY;
  if (status != RH_OK) {
    rh_viewer_live_destroy(l);
    return status;
  }
  l->model = rh_replay_model(l->play);
  *live = l;
  return RH_OK;
}

void rh_viewer_live_record(rh_viewer_live *live, rh_recorder *recorder)
{
  live->recorder = recorder;
}

rh_status rh_viewer_live_close_record(rh_viewer_live *live, char *why)
{
  rh_recorder *recorder = live->recorder;
  live->recorder = NULL;
  return rh_recorder_close_why(recorder, live->over ? live->ended : RH_INTERRUPTED, NULL, why);
}

void rh_viewer_live_destroy(rh_viewer_live *live)
{
  if (live != NULL) {
    (void)rh_viewer_live_close_record(live, NULL);
    rh_replay_destroy(live->play);
    rh_diag_destroy(live->diag);
    rh_free(live->state);
    rh_free(live->event);
    rh_text_free(&live->impacts);
    rh_text_free(&live->marks);
    rh_text_free(&live->refused);
    rh_free(live);
  }
}

// ---- Frames in memory

static rh_status on_frame(void *user, const rh_sim *sim, long number)
{
  rh_viewer_live *l = user;
  long index = number - l->first;
  size_t bytes = (size_t)l->model->layout.nstate * sizeof(double);
  if (index >= l->room) {
    long room = l->room > 0 ? 2 * l->room : 256;
    double *more =
        room <= ROOM_MAX / (long)bytes ? rh_realloc(l->state, (size_t)room * bytes) : NULL;
    if (more == NULL) {
      return RH_OVER_LIMIT;
    }
    l->state = more;
    l->room = room;
  }
  memcpy(l->state + (size_t)index * (size_t)l->model->layout.nstate, rh_sim_view(sim)->state,
         bytes);
  l->frames = index + 1;
  return l->recorder != NULL ? rh_recorder_frame(l->recorder, sim, number) : RH_OK;
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  rh_viewer_live *l = user;
  if (l->events == l->event_room && l->event_room < EVENTS_MAX) {
    long room = l->event_room > 0 ? 2 * l->event_room : 64;
    rh_event *more = rh_realloc(l->event, (size_t)room * sizeof *more);
    if (more == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    l->event = more;
    l->event_room = room;
  }
  if (l->events < l->event_room) {
    l->event[l->events++] = *event;
  }
  if (l->impacts.size < IMPACTS) {
    rh_text one = {0};
    rh_json json = rh_json_start(&one, false);
    if (rh_viewer_impact_put(&json, sim, event)) {
      size_t at = l->impacts.size;
      rh_text_add_bytes(&l->marks, (const char *)&at, sizeof at);
      rh_text_add(&l->impacts, ",");
      rh_text_add_bytes(&l->impacts, one.data, one.size);
    }
    rh_text_free(&one);
  }
  return l->recorder != NULL ? rh_recorder_event(l->recorder, sim, event) : RH_OK;
}

long rh_viewer_live_frames(const rh_viewer_live *live)
{
  return live->frames;
}

long rh_viewer_live_events(const rh_viewer_live *live)
{
  return live->events;
}

rh_status rh_viewer_live_world(rh_viewer_live *live, long index, rh_diag *diag, rh_data **world)
{
  if (index < 0 || index >= live->frames) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "there is no frame %ld", index);
    return RH_INPUT_REFUSED;
  }
  RH_TRY(rh_replay_world(live->play, live->first + index, diag, world));
  memcpy((*world)->state, live->state + index * live->model->layout.nstate,
         (size_t)live->model->layout.nstate * sizeof(double));
  return RH_OK;
}

const rh_event *rh_viewer_live_event(const rh_viewer_live *live, long index)
{
  return index >= 0 && index < live->events ? &live->event[index] : NULL;
}

void rh_viewer_live_impacts(const rh_viewer_live *live, long first, rh_text *out)
{
  size_t at = 0;
  rh_text_add(out, "[");
  if (first >= 0 && (size_t)first < live->marks.size / sizeof at) {
    memcpy(&at, live->marks.data + (size_t)first * sizeof at, sizeof at);
    rh_text_add_bytes(out, live->impacts.data + at + 1, live->impacts.size - at - 1);
  }
  rh_text_add(out, "]");
}

const rh_model *rh_viewer_live_model(const rh_viewer_live *live)
{
  return live->model;
}

void rh_viewer_live_now(const rh_viewer_live *l, rh_json *json)
{
  rh_json_integer(json, "frames", l->frames);
  rh_json_integer(json, "event_count", l->events);
  rh_json_number(json, "end",
                 (double)(l->first + (l->frames > 0 ? l->frames - 1 : 0)) * l->model->run.every);
  rh_json_number(json, "speed", l->speed);
  rh_json_number(json, "pace", l->pace);
  rh_json_integer(json, "inputs", l->inputs);
  rh_json_integer(json, "changes", l->changes);
  rh_json_string(json, "refused", l->refused.size > 0 ? l->refused.data : NULL);
  rh_json_bool(json, "running", l->running && !l->over);
  rh_json_string(json, "ended", l->over ? rh_status_name(l->ended) : NULL);
  rh_json_string(json, "reason", l->over ? rh_sim_reason(rh_replay_sim(l->play)) : NULL);
}

// ---- Running

static rh_status on_poll(void *user, const rh_sim *sim)
{
  rh_viewer_live *l = user;
  (void)sim;
  l->midway = l->clock != NULL && l->clock() > l->deadline;
  return l->midway ? RH_INTERRUPTED : RH_OK;
}

// To the next frame, no further. With `patient` it may be interrupted.
static void run_on(rh_viewer_live *l, bool patient)
{
  const rh_observer observer = {
      .user = l, .frame = on_frame, .event = on_event, .poll = patient ? on_poll : NULL};
  rh_sim *sim = rh_replay_sim(l->play);
  double t = (double)(l->first + l->frames) * l->model->run.every;
  l->midway = false;
  rh_sim_observe(sim, &observer);
  rh_status status = rh_sim_run(sim, t);
  bool there = !(*rh_sim_view(sim)->t < t);
  l->midway = l->midway && !there;
  l->over = !l->midway && (!there || (status != RH_OK && status != RH_INTERRUPTED));
  l->ended = status;
}

void rh_viewer_live_patience(rh_viewer_live *l, rh_viewer_clock *clock, double seconds)
{
  l->clock = clock;
  l->patience = seconds;
}

void rh_viewer_live_go_on(rh_viewer_live *l, double seconds)
{
  double made = 0;
  if (l->frames == 0 && !l->running) { // even then there is a frame to show
    run_on(l, false);
  }
  if (!l->running || l->over) {
    return;
  }
  double most = l->clock != NULL ? fmax(l->speed * LATE_MAX, l->model->run.every)
                                 : FRAMES_MAX * l->model->run.every;
  l->owed = fmin(l->owed + l->speed * seconds, most);
  l->deadline = l->clock != NULL ? l->clock() + l->patience : 0;
  bool late = false;
  while (l->owed > 0 && !l->over && !late) {
    run_on(l, l->clock != NULL);
    late = l->ended == RH_INTERRUPTED;
    made += l->midway ? 0 : l->model->run.every;
    l->owed -= l->midway ? 0 : l->model->run.every;
  }
  if (seconds > 0) {
    double share = 1 - rh_exp(-seconds / PACE_TIME);
    l->pace += share * (made / seconds - l->pace);
  }
}

void rh_viewer_live_carry(rh_viewer_live *l, const rh_viewer_live *from, bool anew)
{
  rh_sim *sim = rh_replay_sim(from->play);
  l->speed = from->speed;
  l->running = from->running;
  l->pace = from->pace;
  l->clock = from->clock;
  l->patience = from->patience;
  if (from->frames == 0 || anew) { // it has not begun
    return;
  }
  l->first = from->first + from->frames - 1;
  if (from->over || from->midway) { // it is after its last frame, perhaps with NaN
    rh_sim_resume(sim, l->first, from->state + (from->frames - 1) * from->model->layout.nstate);
  }
  rh_sim_transfer(rh_replay_sim(l->play), sim);
  (void)on_frame(l, rh_replay_sim(l->play), l->first);
}

// ---- Inputs

static void keep_reason(rh_viewer_live *l)
{
  for (int i = 0; i < rh_diag_kept(l->diag); i++) {
    char line[1000];
    rh_message message = rh_diag_get(l->diag, i);
    rh_message_format(&message, line, sizeof line);
    rh_text_add(&l->refused, i > 0 ? "\n" : "");
    rh_text_add(&l->refused, line);
  }
}

rh_status rh_viewer_live_input(rh_viewer_live *l, const rh_input *input)
{
  if (l->frames == 0 || l->midway) {
    run_on(l, false);
  }
  rh_diag_clear(l->diag);
  rh_status status = l->over ? RH_STOPPED : rh_replay_input(l->play, input, l->diag);
  rh_text_free(&l->refused);
  if (l->over) {
    rh_text_add(&l->refused, "the run has ended");
  } else if (status != RH_OK) {
    keep_reason(l);
  } else {
    l->inputs++;
    l->changes += input->kind == RH_INPUT_SET || input->kind == RH_INPUT_SCENE;
    status = l->recorder != NULL ? rh_recorder_input(l->recorder, input) : RH_OK;
  }
  return status;
}

const char *rh_viewer_live_refused(const rh_viewer_live *live)
{
  return live->refused.size > 0 ? live->refused.data : "out of memory";
}

rh_replay *rh_viewer_live_play(const rh_viewer_live *live)
{
  return live->play;
}

// ---- Messages of a page

static bool read_numbers(const char *text, double *x, int n) // exactly n, blanks between
{
  for (int i = 0; i < n; i++) {
    text += strspn(text, " ");
    size_t length = rh_number_read(text, &x[i]);
    if (length == 0 || !(fabs(x[i]) < 1e9)) {
      return false;
    }
    text += length;
  }
  return *text == '\0';
}

static bool drag_body(rh_viewer_live *l, const char *text)
{
  double x[7];
  rh_text value = {0};
  if (!read_numbers(text, x, 7) || x[0] != floor(x[0]) || !(x[0] >= 1 && x[0] < l->model->nbody) ||
      l->model->body[(int)x[0]].tree == 0) {
    return false;
  }
  for (int i = 1; i < 7; i++) {
    rh_text_add(&value, i > 1 ? " " : "");
    rh_text_add_number(&value, x[i]);
  }
  if (!value.failed) {
    (void)rh_viewer_live_input(
        l, &(rh_input){.kind = RH_INPUT_DRAG,
                       .name = rh_model_name(l->model, RH_OBJECT_BODY, (int)x[0]),
                       .value = value.data});
  }
  rh_text_free(&value);
  return true;
}

// "PATH VALUE". A page may change contacts and gravity; an invalid value is no error of the page.
static bool set_value(rh_viewer_live *l, char *text)
{
  static const char *const open[] = {"contacts.", "world.gravity "};
  size_t path = strcspn(text, " ");
  bool allowed =
      strncmp(text, open[0], strlen(open[0])) == 0 || strncmp(text, open[1], strlen(open[1])) == 0;
  if (!allowed || path >= RH_INPUT_PATH_MAX || text[path] != ' ' || text[path + 1] == '\0' ||
      strcspn(text, "=\n\r") != strlen(text)) {
    return false;
  }
  text[path] = '\0';
  (void)rh_viewer_live_input(
      l, &(rh_input){.kind = RH_INPUT_SET, .name = text, .value = text + path + 1});
  return true;
}

static bool set_speed(rh_viewer_live *l, const char *text)
{
  double speed;
  if (!read_numbers(text, &speed, 1) || !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    return false;
  }
  l->speed = speed;
  return true;
}

bool rh_viewer_live_say(rh_viewer_live *l, const char *text, size_t bytes)
{
  char line[RH_VIEWER_SAY_MAX + 1];
  if (bytes > RH_VIEWER_SAY_MAX || memchr(text, '\0', bytes) != NULL) {
    return false;
  }
  memcpy(line, text, bytes);
  line[bytes] = '\0';
  if (strcmp(line, "pause") == 0 || strcmp(line, "run") == 0) {
    l->running = line[0] == 'r';
    l->owed = 0;
    return true;
  }
  if (strcmp(line, "drop") == 0) {
    (void)rh_viewer_live_input(l, &(rh_input){.kind = RH_INPUT_DROP, .name = "", .value = ""});
    return true;
  }
  if (strncmp(line, "drag ", 5) == 0) {
    return drag_body(l, line + 5);
  }
  if (strncmp(line, "set ", 4) == 0) {
    return set_value(l, line + 4);
  }
  return strncmp(line, "speed ", 6) == 0 && set_speed(l, line + 6);
}
