// replay_zoom.c: examines an event by repeating the run: from the last frame before it at which the
// integrator restarted, with the same inputs, so that the bits are the same. The data of an impact
// exist only while it happens; and a compliant contact is often over before the next frame.
#include "base/json.h"
#include "impact/impact.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

#define LONG    40.0 // frames: a contact that lasts longer,
#define LONGEST 0.1  // [s] and longer than this, needs no zoom

struct rh_viewer_again {
  rh_recording *recording;
  const rh_channels *channels;
  rh_replay *play; // NULL: not begun
  bool somewhere;  // it is between two steps
};

rh_status rh_viewer_again_open(rh_viewer *film, rh_diag *diag, rh_viewer_again **again)
{
  (void)diag;
  rh_viewer_again *a = rh_alloc(sizeof *a);
  if (a == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *a = (rh_viewer_again){.recording = rh_viewer_recording(film),
                         .channels = rh_viewer_channels_of(film)};
  *again = a;
  return RH_OK;
}

void rh_viewer_again_close(rh_viewer_again *again)
{
  if (again == NULL) {
    return;
  }
  rh_replay_destroy(again->play);
  rh_free(again);
}

// ---- Seeking

// The last frame before `t` from which the run continues with the same bits.
static long frame_before(const rh_viewer_again *a, double t)
{
  const rh_model *m = rh_recording_model(a->recording);
  double frames = t / m->run.every;
  long last = rh_recording_frames(a->recording) - 1;
  long index = frames > 0 && frames < (double)last ? (long)frames - 1 : frames > 0 ? last : 0;
  index = index < 0 ? 0 : index;
  return index - index % m->run.batch;
}

// Brings the run to a moment not after `t` with as little work as possible.
static rh_status seek_before(rh_viewer_again *a, double t, rh_diag *diag)
{
  const rh_model *m = rh_recording_model(a->recording);
  long frame = frame_before(a, t);
  double now = a->somewhere ? *rh_sim_view(rh_replay_sim(a->play))->t : (double)INFINITY;
  if (now < t && now >= (double)frame * m->run.every) {
    return RH_OK;
  }
  if (a->play == NULL) {
    RH_TRY(rh_replay_open(a->recording, diag, &a->play));
  }
  a->somewhere = true;
  return rh_replay_seek(a->play, a->recording, frame > 0 ? frame : RH_NONE, diag);
}

// ---- Impacts

typedef struct watch {
  const rh_viewer_again *again;
  rh_diag *diag;
  rh_json json;
  double from, until; // [s] requested impacts
  double done;        // [s] progress of the run
  long event;         // of the recording; those before have passed
  int left;           // remaining capacity for impacts
} watch;

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  watch *w = user;
  bool wanted = event->t >= w->from && event->t <= w->until;
  if (wanted && rh_viewer_impact_put(&w->json, sim, event)) {
    w->left--;
  }
  return w->left > 0 && !w->json.out->failed ? RH_OK : RH_INTERRUPTED;
}

// The first impact of the recording after `t` and within the span; false: there is none.
static bool next_impact(watch *w, double t, double *found)
{
  rh_recording *recording = w->again->recording;
  rh_event event;
  for (; w->event < rh_recording_events(recording); w->event++) {
    if (rh_recording_event(recording, w->event, &event, w->diag) != RH_OK || event.t > w->until) {
      return false;
    }
    if (event.kind == RH_EVENT_IMPACT && event.t >= w->from && event.t > t) {
      *found = event.t;
      return true;
    }
  }
  return false;
}

// Stops after the last impact, or where a frame nearer to the next impact can be used.
static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  watch *w = user;
  double next = 0;
  w->done = *rh_sim_view(sim)->t;
  return next_impact(w, w->done, &next) && frame_before(w->again, next) <= index ? RH_OK
                                                                                 : RH_INTERRUPTED;
}

// Runs over the impacts of the recording, skipping the time between them where possible. The runs
// have the end of the first one, and are interrupted: the end of a run affects its steps, and so
// the last bits.
static rh_status run_over(rh_viewer_again *a, watch *w)
{
  const rh_model *m = rh_recording_model(a->recording);
  double next = 0;
  double until = fmax(m->run.until, (double)(rh_recording_frames(a->recording) - 1) * m->run.every);
  while (w->left > 0 && next_impact(w, w->done, &next)) {
    a->somewhere = false;
    RH_TRY(seek_before(a, next, w->diag));
    rh_sim_observe(rh_replay_sim(a->play),
                   &(rh_observer){.user = w, .frame = on_frame, .event = on_event});
    double before = w->done;
    if (rh_replay_again(a->play, a->recording, NULL, until, w->diag) != RH_INTERRUPTED ||
        !(w->done > before)) {
      break; // it ended here originally as well
    }
  }
  return RH_OK;
}

rh_status rh_viewer_impacts(rh_viewer_again *again, const double span[2], int most, rh_diag *diag,
                            rh_text *out)
{
  watch w = {.again = again,
             .diag = diag,
             .json = rh_json_start(out, false),
             .from = span[0],
             .until = span[1],
             .done = -1,
             .left = most};
  rh_json_open_array(&w.json, NULL);
  if (rh_recording_frames(again->recording) > 0) {
    RH_TRY(run_over(again, &w));
    again->somewhere = false;
  }
  rh_json_end(&w.json);
  return out->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

// ---- Zoom

// A copy of the present state: evaluating a world changes it.
static rh_status look_at(rh_viewer_again *a, rh_diag *diag, rh_data **world)
{
  const rh_sim *sim = rh_replay_sim(a->play);
  RH_TRY(rh_replay_world(a->play, rh_sim_statistics(sim).frames, diag, world));
  memcpy((*world)->state, rh_sim_view(sim)->state,
         (size_t)rh_replay_model(a->play)->layout.nstate * sizeof(double));
  return RH_OK;
}

rh_status rh_viewer_zoom(rh_viewer_again *again, long event, const double span[2], rh_diag *diag,
                         rh_text *out)
{
  const rh_model *m = rh_recording_model(again->recording);
  rh_viewer_block block = {0};
  RH_TRY(seek_before(again, span[0], diag));
  for (int i = 0; i < RH_VIEWER_ZOOM; i++) {
    double t = span[0] + (span[1] - span[0]) * i / (RH_VIEWER_ZOOM - 1);
    rh_data *world = NULL;
    if (rh_replay_again(again->play, again->recording, NULL, t, diag) != RH_OK ||
        look_at(again, diag, &world) != RH_OK) {
      break; // it stopped here originally as well
    }
    rh_viewer_add(&block, again->channels, world);
  }
  const uint32_t first_stride[2] = {(uint32_t)event, 0};
  return rh_viewer_finish(&block, RH_VIEWER_ZOOMED, first_stride, m->nbody - 1, out)
             ? RH_OK
             : RH_OUT_OF_MEMORY;
}

bool rh_viewer_zoom_span(rh_viewer *film, long event, rh_diag *diag, double span[2])
{
  rh_recording *recording = rh_viewer_recording(film);
  const rh_model *m = rh_recording_model(recording);
  rh_event touch;
  rh_event part = {0};
  if (rh_recording_event(recording, event, &touch, diag) != RH_OK || touch.kind != RH_EVENT_TOUCH) {
    return false;
  }
  int contact = rh_model_find(m, RH_OBJECT_CONTACT, touch.name);
  if (contact == RH_NONE || m->contact[contact].impact != NULL) {
    return false;
  }
  double longest = fmax(LONG * m->run.every, LONGEST);
  for (long i = event + 1; i < rh_recording_events(recording); i++) {
    if (rh_recording_event(recording, i, &part, diag) != RH_OK || part.t - touch.t > longest) {
      return false;
    }
    if (part.kind == RH_EVENT_SEPARATE && part.slot == touch.slot) {
      break;
    }
  }
  double time = part.t - touch.t;
  if (part.kind != RH_EVENT_SEPARATE || part.slot != touch.slot || !(time > 0)) {
    return false;
  }
  span[0] = fmax(touch.t - 0.15 * time, 0);
  span[1] = part.t + 0.15 * time;
  return true;
}
