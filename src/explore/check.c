// check.c: a recording checked without running: every frame's checksum, and the chain of hashes in
// which each frame is the seed of the next. Also the order in which a tree of bodies is printed.
#include "check.h"

#include "console/console.h"

int rh_body_depth(const rh_model *model, int body)
{
  int depth = 0;
  for (int i = model->body[body].parent; i > 0; i = model->body[i].parent) {
    depth++;
  }
  return depth;
}

void rh_tree_order(const rh_model *model, int *order, int *next)
{
  // next[i]: the following body; a child is linked in after the last one of its parent's branch so
  // far.
  int *last = order; // last body of each branch, until the order is written
  for (int i = 0; i < model->nbody; i++) {
    next[i] = RH_NONE;
    last[i] = i;
  }
  for (int i = 1; i < model->nbody; i++) {
    int at = last[model->body[i].parent];
    next[i] = next[at];
    next[at] = i;
    for (int k = model->body[i].parent; k != RH_NONE; k = model->body[k].parent) {
      if (last[k] != at) {
        break;
      }
      last[k] = i;
    }
  }
  int n = 0;
  for (int i = 0; i != RH_NONE; i = next[i]) {
    order[n++] = i; // order[n] is written only after next[] replaced it
  }
}

static rh_status check_frames(rh_recording *recording, const char *path, rh_diag *diag,
                              rh_checked_recording *result)
{
  rh_data *data = rh_data_create(rh_recording_model(recording));
  if (data == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = RH_OK;
  uint64_t seed = 0;
  for (long i = 0; i < result->frames; i++) {
    uint64_t hash = 0;
    rh_status found = rh_recording_frame(recording, i, data->state, &hash, diag);
    if (found == RH_OK && rh_data_hash(data, seed) != hash) {
      rh_place place = {.file = path};
      rh_diag_add(diag, RH_ERROR, place,
                  "frame %ld: its hash does not follow from the frame before", i);
      found = RH_INPUT_REFUSED;
    }
    status = status == RH_OK ? found : status;
    seed = hash;
    result->t = *data->t;
  }
  result->hash = seed;
  rh_data_destroy(data);
  return status;
}

rh_status rh_check_recording(rh_recording *recording, const char *path, rh_diag *diag,
                             rh_checked_recording *result)
{
  *result = (rh_checked_recording){.frames = rh_recording_frames(recording),
                                   .events = rh_recording_events(recording)};
  rh_status status = check_frames(recording, path, diag, result);
  for (long i = 0; i < result->events; i++) {
    rh_event event;
    rh_status found = rh_recording_event(recording, i, &event, diag);
    if (found == RH_OK && rh_event_is_error(event.kind)) {
      rh_diag_add(diag, RH_WARNING, (rh_place){.file = path}, "at t = %.6g s: %s: %s", event.t,
                  rh_event_text(event.kind), event.note);
    }
    status = status == RH_OK ? found : status;
  }
  for (long i = 0; i < rh_recording_inputs(recording); i++) {
    rh_input input;
    rh_status found = rh_recording_input(recording, i, &input, diag);
    status = status == RH_OK ? found : status;
  }
  return status == RH_OK ? rh_recording_verify(recording, diag) : status;
}

// ---- What a scene is

void rh_check_json(rh_json *json, const rh_model *m)
{
  rh_json_integer(json, "dof", m->nv);
  rh_json_number(json, "mass", rh_total_mass(m));
  rh_json_number(json, "until", m->run.until);
  rh_json_string(json, "engine", m->run.engine->row.name);
  if (m->run.integrator) {
    rh_json_string(json, "integrator", m->run.integrator->name);
  }
  // until 1.0, for readers of version 0.1
  rh_json_string(json, "stepper",
                 m->run.integrator ? m->run.integrator->name : m->run.engine->stepper);
  rh_json_open_array(json, "bodies");
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_BODY, i));
    rh_json_string(json, "parent", rh_model_name(m, RH_OBJECT_BODY, b->parent));
    rh_json_string(json, "joint", rh_model_name(m, RH_OBJECT_JOINT, i));
    rh_json_string(json, "kind", b->joint->row.name);
    rh_json_integer(json, "dof", b->nv);
    rh_json_number(json, "mass", b->inertia.mass);
    rh_json_bool(json, "held", m->start.held[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
}
