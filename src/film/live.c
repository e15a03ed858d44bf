// live.c: a scene that runs while it is looked at. Frames are kept in memory, so that one can go back while it goes on; a body
// can be dragged: a spring and a damper from a point of it to where the hand is, held over each frame, are a force from
// outside, and stand in the energy account as such.
//   f = k (target - x) - c v,  k = m w^2, c = 2 m w        critically damped, m: what hangs on the body
#include "base/json.h"
#include "film/film.h"

#include <math.h>
#include <string.h>

#define ROOM_MAX   (512l << 20) // [byte] of states
#define EVENTS_MAX 20000
#define IMPACTS    (4 << 20) // [byte] of what impacts were made of
#define PULL       12.0      // w [rad/s]
#define FRAMES_MAX 400       // at one call
#define SPEED_MIN  1e-4
#define SPEED_MAX  100.0

struct rh_film_live {
  const rh_model *model;
  rh_sim *sim;
  double *state; // (room, nstate)
  long frames, room;
  rh_event *event;
  long events, event_room;
  rh_recorder *recorder; // writes it down as well; NULL: nothing does
  rh_text impacts;       // JSON objects, commas between
  double speed;          // of the simulated time against the clock
  double owed;           // [s] that it is behind
  bool running, over;
  rh_status ended;
  int body;       // that is dragged; RH_NONE
  rh_vec3 grip;   // [m] in the body
  rh_vec3 target; // [m] in the world
};

rh_status rh_film_live_create(const rh_model *model, rh_diag *diag, rh_film_live **live)
{
  rh_film_live *l = rh_alloc(sizeof *l);
  if (l == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *l = (rh_film_live){.model = model, .speed = 1, .running = true, .body = RH_NONE};
  rh_status status = rh_sim_create(model, diag, &l->sim);
  if (status != RH_OK) {
    rh_film_live_destroy(l);
    return status;
  }
  *live = l;
  return RH_OK;
}

void rh_film_live_record(rh_film_live *live, rh_recorder *recorder)
{
  live->recorder = recorder;
}

void rh_film_live_destroy(rh_film_live *live)
{
  if (live != NULL) {
    if (live->recorder != NULL) {
      (void)rh_recorder_close(live->recorder, live->over ? live->ended : RH_INTERRUPTED, NULL);
    }
    rh_sim_destroy(live->sim);
    rh_free(live->state);
    rh_free(live->event);
    rh_text_free(&live->impacts);
    rh_free(live);
  }
}

// ---- What is kept

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  rh_film_live *l = user;
  size_t bytes = (size_t)l->model->nstate * sizeof(double);
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
  memcpy(l->state + (size_t)index * (size_t)l->model->nstate, rh_sim_view(sim)->state, bytes);
  l->frames = index + 1;
  return l->recorder != NULL ? rh_recorder_frame(l->recorder, sim, index) : RH_OK;
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  rh_film_live *l = user;
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
    if (rh_film_impact_put(&json, sim, event)) {
      rh_text_add(&l->impacts, l->impacts.size > 0 ? "," : "");
      rh_text_add_bytes(&l->impacts, one.data, one.size);
    }
    rh_text_free(&one);
  }
  return l->recorder != NULL ? rh_recorder_event(l->recorder, sim, event) : RH_OK;
}

long rh_film_live_frames(const rh_film_live *live)
{
  return live->frames;
}

long rh_film_live_events(const rh_film_live *live)
{
  return live->events;
}

const double *rh_film_live_state(const rh_film_live *live, long index)
{
  return index >= 0 && index < live->frames ? live->state + index * live->model->nstate : NULL;
}

const rh_event *rh_film_live_event(const rh_film_live *live, long index)
{
  return index >= 0 && index < live->events ? &live->event[index] : NULL;
}

void rh_film_live_impacts(const rh_film_live *live, rh_text *out)
{
  rh_text_add(out, "[");
  rh_text_add_bytes(out, live->impacts.data != NULL ? live->impacts.data : "", live->impacts.size);
  rh_text_add(out, "]");
}

const rh_model *rh_film_live_model(const rh_film_live *live)
{
  return live->model;
}

void rh_film_live_now(const rh_film_live *l, rh_json *json)
{
  rh_json_integer(json, "frames", l->frames);
  rh_json_integer(json, "event_count", l->events);
  rh_json_number(json, "end", l->frames > 0 ? *rh_sim_view(l->sim)->t : 0);
  rh_json_bool(json, "running", l->running && !l->over);
  rh_json_string(json, "ended", l->over ? rh_status_name(l->ended) : NULL);
  rh_json_string(json, "reason", l->over ? rh_sim_reason(l->sim) : NULL);
}

// ---- Running

static double carried_mass(const rh_model *m, int body) // the body and all that hangs on it
{
  double mass = 0;
  for (int i = 1; i < m->nbody; i++) {
    for (int k = i; k > 0; k = m->body[k].parent) {
      mass += k == body ? m->body[i].inertia.mass : 0;
    }
  }
  return mass;
}

static void pull(rh_film_live *l)
{
  rh_data *d = rh_sim_data(l->sim);
  memset(d->fext, 0, (size_t)l->model->nbody * sizeof *d->fext);
  if (l->body != RH_NONE) {
    double m = carried_mass(l->model, l->body);
    rh_kinematics(d);
    rh_vec3 x = rh_point_position(d, l->body, l->grip);
    rh_vec3 v = rh_point_velocity(d, l->body, l->grip);
    rh_vec3 f = rh_scale(m * PULL * PULL, rh_sub(l->target, x));
    f = rh_addscaled(f, -2 * m * PULL, v);
    f = rh_addscaled(f, -m, l->model->gravity); // the hand carries its weight
    d->fext[l->body] = (rh_force){.ang = rh_cross(rh_sub(x, d->kin[l->body].p), f), .lin = f};
  }
  rh_sim_touch(l->sim);
}

void rh_film_live_go_on(rh_film_live *l, double seconds)
{
  const rh_observer observer = {.user = l, .frame = on_frame, .event = on_event};
  if (!l->running || l->over) {
    return;
  }
  rh_sim_observe(l->sim, &observer);
  l->owed = fmin(l->owed + l->speed * seconds, FRAMES_MAX * l->model->every);
  while (l->owed > 0 && !l->over) {
    if (l->body != RH_NONE) {
      pull(l);
    }
    double next = (double)l->frames * l->model->every;
    rh_status status = rh_sim_run(l->sim, next);
    l->owed -= l->model->every;
    l->over = status != RH_OK || *rh_sim_view(l->sim)->t < next;
    l->ended = status;
  }
}

// ---- What a page says

static bool numbers(const char *text, double *x, int n) // exactly so many, blanks between
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

static bool start_drag(rh_film_live *l, const char *text)
{
  double x[7];
  if (!numbers(text, x, 7) || x[0] != floor(x[0]) || !(x[0] >= 1 && x[0] < l->model->nbody) ||
      l->model->body[(int)x[0]].tree == 0) {
    return false;
  }
  l->body = (int)x[0];
  l->grip = rh_v3(x[1], x[2], x[3]);
  l->target = rh_v3(x[4], x[5], x[6]);
  return true;
}

static bool set_speed(rh_film_live *l, const char *text)
{
  double speed;
  if (!numbers(text, &speed, 1) || !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    return false;
  }
  l->speed = speed;
  return true;
}

bool rh_film_live_say(rh_film_live *l, const char *text, size_t bytes)
{
  char line[RH_FILM_SAY_MAX + 1];
  if (bytes > RH_FILM_SAY_MAX || memchr(text, '\0', bytes) != NULL) {
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
    l->body = RH_NONE;
    pull(l);
    return true;
  }
  if (strncmp(line, "drag ", 5) == 0) {
    return start_drag(l, line + 5);
  }
  return strncmp(line, "speed ", 6) == 0 && set_speed(l, line + 6);
}
