// repeat.c: the run of a recording once more, to compare it bit for bit, or continued in its file.
#include "core.h"

#include <string.h>

typedef struct repeat {
  rh_recording *recording;
  rh_replay *play;
  rh_recorder *recorder; // that gets the new frames; NULL: none
  rh_diag *diag;
  PyThreadState *thread;
  bool compare;
  long same, differs; // frames with the recorded hash; the first without, RH_NONE
  uint64_t hash;
  long frames;
  double polled;
  PyObject *failure[3]; // an exception of a signal or a controller
} repeat;

static rh_status observe_frame(void *user, const rh_sim *sim, long index)
{
  repeat *r = user;
  uint64_t hash = 0;
  rh_data *world = NULL;
  r->hash = rh_data_hash(rh_sim_view(sim), r->hash);
  r->frames = index + 1;
  if (r->compare && index < rh_recording_frames(r->recording)) {
    RH_TRY(rh_recording_world(r->recording, index, &world, &hash, r->diag));
    r->same += hash == r->hash;
    r->differs = hash != r->hash && r->differs == RH_NONE ? index : r->differs;
  }
  return r->recorder != NULL ? rh_recorder_frame(r->recorder, sim, index) : RH_OK;
}

static rh_status observe_event(void *user, const rh_sim *sim, const rh_event *event)
{
  repeat *r = user;
  return r->recorder != NULL ? rh_recorder_event(r->recorder, sim, event) : RH_OK;
}

static rh_status observe_poll(void *user, const rh_sim *sim)
{
  repeat *r = user;
  (void)sim;
  double now = core_clock();
  if (now - r->polled > 0.02 && r->failure[0] == NULL) {
    r->polled = now;
    PyEval_RestoreThread(r->thread);
    if (PyErr_CheckSignals() != 0) {
      PyErr_Fetch(&r->failure[0], &r->failure[1], &r->failure[2]);
    }
    r->thread = PyEval_SaveThread();
  }
  return r->failure[0] != NULL ? RH_INTERRUPTED : RH_OK;
}

static rh_status seek_end(repeat *r, const char *path)
{
  long index = rh_recording_resume_index(r->recording);
  const rh_model *model = rh_replay_model(r->play);
  if (index == RH_NONE) {
    const char *scene = rh_recording_meta(r->recording, "scene");
    const char *name = rh_recording_meta(r->recording, "scene_name");
    return rh_recorder_create(path, model, name, scene, r->diag, &r->recorder);
  }
  RH_TRY(rh_replay_seek(r->play, r->recording, index, r->diag));
  double *state = rh_alloc((size_t)model->layout.nstate * sizeof *state);
  if (state == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_recording_frame(r->recording, index, state, &r->hash, r->diag);
  rh_free(state);
  r->frames = index + 1;
  return status == RH_OK ? rh_recorder_resume(path, model, index, r->diag, &r->recorder) : status;
}

static rh_status run_again(repeat *r, double until)
{
  rh_observer observer = {
      .user = r, .frame = observe_frame, .event = observe_event, .poll = observe_poll};
  rh_sim_observe(rh_replay_sim(r->play), &observer);
  r->polled = core_clock();
  PyObject **before = core_failures_go_to(r->failure);
  r->thread = PyEval_SaveThread();
  rh_status status = rh_replay_again(r->play, r->recording, NULL, until, r->diag);
  if (status == RH_OK) {
    status = rh_sim_check_energy(rh_replay_sim(r->play));
  }
  PyEval_RestoreThread(r->thread);
  core_failures_go_to(before);
  return status;
}

static PyObject *finish(repeat *r, rh_status status, const char *reason)
{
  char why[RH_WHY_MAX] = "";
  char kept[RH_WHY_MAX] = "";
  (void)strncat(kept, reason, sizeof kept - 1); // the simulation that owns it ends
  rh_status closed = RH_OK;
  if (r->recorder != NULL) {
    closed = rh_recorder_close_why(r->recorder, status, kept[0] != '\0' ? kept : NULL, why);
  }
  double t = r->play != NULL ? *rh_sim_view(rh_replay_sim(r->play))->t : 0;
  rh_replay_destroy(r->play);
  rh_recording_close(r->recording);
  if (r->failure[0] != NULL) {
    rh_diag_destroy(r->diag);
    PyErr_Restore(r->failure[0], r->failure[1], r->failure[2]);
    return NULL;
  }
  if (rh_diag_count(r->diag, RH_ERROR) > 0) {
    return core_raise_diag(status != RH_OK ? status : RH_INPUT_REFUSED, r->diag);
  }
  rh_diag_destroy(r->diag);
  if (status != RH_OK || closed != RH_OK) {
    return core_raise_run(status != RH_OK ? status : closed, why[0] != '\0' ? why : kept);
  }
  return Py_BuildValue("{s:l,s:l,s:l,s:K,s:d}", "frames", r->frames, "same", r->same, "differs",
                       r->differs, "hash", (unsigned long long)r->hash, "t", t);
}

// repeat(path, until, resume): the run of a recording again, or continued in its file.
static PyObject *repeat_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *path = NULL;
  double until = 0;
  int resume = 0;
  if (!PyArg_ParseTuple(args, "O&dp:repeat", PyUnicode_FSConverter, &path, &until, &resume)) {
    return NULL;
  }
  repeat r = {.diag = rh_diag_create(), .compare = !resume, .differs = RH_NONE};
  const char *name = PyBytes_AsString(path);
  rh_status status = rh_recording_open(name, r.diag, &r.recording);
  status = status == RH_OK ? rh_replay_open(r.recording, r.diag, &r.play) : status;
  if (status == RH_OK && !(until >= 0)) {
    until = rh_replay_model(r.play)->run.until;
  }
  status = status == RH_OK && resume ? seek_end(&r, name) : status;
  Py_DECREF(path);
  status = status == RH_OK ? run_again(&r, until) : status;
  const char *reason = r.play != NULL ? rh_sim_reason(rh_replay_sim(r.play)) : "";
  return finish(&r, status, reason);
}

PyMethodDef core_record_methods[] = {
    {"repeat", repeat_function, METH_VARARGS, "The run of a recording again, or continued."},
    {NULL, NULL, 0, NULL}};
