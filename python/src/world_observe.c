// world_observe.c: functions of a Python program that a run calls: observers of frames and events,
// guards, controllers; the recorder. An exception ends the run and is raised by it.
#include "core.h"

#include <string.h>
#include <unistd.h>

#define POLL_EVERY 0.02 // [s] of the wall clock between two looks at signals

// ---- With the lock of the interpreter, for the time of a call

// What a function may write: nothing while an event is resolved or a trial is shown; a controller
// all but q and v.
typedef enum may_write { NOTHING, FORCES, ALL, ALL_AND_RESTART } may_write;

enum { PARTS = 4 };

typedef struct part {
  double *x;
  size_t n;
} part;

// What a program may write, in the order of rh_sim_keep_changes, where all views look: the data of
// the simulation may be those of a trial.
static void list_parts(const world_object *w, part list[PARTS])
{
  const rh_data *d = &w->place;
  const rh_model *m = d->model;
  list[0] = (part){d->q, (size_t)m->nq + (size_t)m->nv};
  list[1] = (part){(double *)d->command, RH_COMMAND_SIZE * (size_t)m->nactuator};
  list[2] = (part){d->tau, (size_t)m->nv};
  list[3] = (part){(double *)d->fext, 6 * (size_t)m->nbody};
}

static void keep_parts(world_object *w)
{
  part list[PARTS];
  double *copy = w->copy;
  list_parts(w, list);
  for (int i = 0; i < PARTS; i++) {
    memcpy(copy, list[i].x, list[i].n * sizeof *copy);
    copy += list[i].n;
  }
  w->exposed = 1;
}

static void undo_writes(world_object *w)
{
  part list[PARTS];
  const double *copy = w->copy;
  list_parts(w, list);
  for (int i = 0; i < PARTS; i++) {
    memcpy(list[i].x, copy, list[i].n * sizeof *copy);
    copy += list[i].n;
  }
}

static void check_writes(world_object *w, may_write allowed)
{
  part list[PARTS];
  const double *copy = w->copy;
  bool moved = false;  // q or v
  bool pushed = false; // what acts
  list_parts(w, list);
  for (int i = 0; i < PARTS; i++) {
    bool differs = memcmp(copy, list[i].x, list[i].n * sizeof *copy) != 0;
    moved |= differs && i == 0;
    pushed |= differs && i > 0;
    copy += list[i].n;
  }
  bool refused = true;
  if ((moved && allowed < ALL) || (pushed && allowed < FORCES)) {
    PyErr_SetString(PyExc_RuntimeError,
                    allowed == FORCES
                        ? "a controller cannot write q and v: on_frame and act of a guard can"
                        : "this function cannot write into the world: on_frame, act of a guard and "
                          "functions of World.controller can");
  } else {
    refused = (moved || pushed) && core_world_writes(w, allowed == ALL_AND_RESTART) != 0;
  }
  if (refused) {
    undo_writes(w);
  }
}

static void take_lock(world_object *w)
{
  PyEval_RestoreThread(w->thread);
  w->called = 1;
  keep_parts(w);
}

// A child of a fork within a function of the program goes on only if it has all that the run needs.
static void give_lock(world_object *w, may_write allowed)
{
  if (!PyErr_Occurred()) {
    check_writes(w, allowed);
  }
  if (!PyErr_Occurred()) {
    (void)core_world_process(w);
  }
  if (PyErr_Occurred() && w->failure[0] == NULL) {
    PyErr_Fetch(&w->failure[0], &w->failure[1], &w->failure[2]);
  }
  PyErr_Clear();
  w->called = 0;
  w->thread = PyEval_SaveThread();
}

static rh_status callback_status(const world_object *w)
{
  return w->failure[0] != NULL ? RH_STOPPED : RH_OK;
}

static void call_function(PyObject *function, PyObject *argument)
{
  if (argument != NULL) {
    PyObject *result = PyObject_CallFunctionObjArgs(function, argument, NULL);
    Py_XDECREF(result);
  }
}

// ---- Observers

static rh_status keep_event(world_object *w, const rh_event *event)
{
  if (w->nevent == w->event_limit) {
    w->event_dropped++;
    return RH_OK;
  }
  if (w->nevent == w->event_capacity) {
    long more = w->event_capacity > 0 ? 2 * w->event_capacity : 16;
    rh_event *grown = rh_realloc(w->event, (size_t)more * sizeof *grown);
    if (grown == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    w->event = grown;
    w->event_capacity = more;
  }
  w->event[w->nevent++] = *event;
  return RH_OK;
}

static rh_status observe_event(void *user, const rh_sim *sim, const rh_event *event)
{
  world_object *w = user;
  RH_TRY(keep_event(w, event));
  if (w->recorder != NULL) {
    RH_TRY(rh_recorder_event(w->recorder, sim, event));
  }
  if (w->on_event != NULL && w->failure[0] == NULL) {
    take_lock(w);
    PyObject *tuple = core_event(event);
    call_function(w->on_event, tuple);
    Py_XDECREF(tuple);
    give_lock(w, NOTHING);
  }
  return callback_status(w);
}

static rh_status observe_frame(void *user, const rh_sim *sim, long index)
{
  world_object *w = user;
  w->hash = rh_data_hash(rh_sim_view(sim), w->hash);
  if (w->recorder != NULL) {
    RH_TRY(rh_recorder_frame(w->recorder, sim, index));
  }
  if (w->on_frame != NULL && w->failure[0] == NULL) {
    take_lock(w);
    PyObject *number = PyLong_FromLong(index);
    call_function(w->on_frame, number);
    Py_XDECREF(number);
    give_lock(w, ALL_AND_RESTART);
  }
  return callback_status(w);
}

static rh_status observe_poll(void *user, const rh_sim *sim)
{
  world_object *w = user;
  (void)sim;
  double now = core_clock();
  if (now - w->polled > POLL_EVERY && w->failure[0] == NULL) {
    w->polled = now;
    take_lock(w);
    (void)PyErr_CheckSignals();
    give_lock(w, ALL_AND_RESTART);
  }
  return callback_status(w);
}

// ---- Guards and controllers

// An integrator tries states outside the world's own memory, or times only. While a guard looks, the
// trial is in the place of the state, where all views look.
static void show_trial(world_object *w, const rh_data *data)
{
  size_t bytes = (size_t)w->place.ny * sizeof(double);
  memcpy(w->trial, w->place.y, bytes);
  w->trial[w->place.ny] = *w->place.t;
  memmove(w->place.y, data->q, bytes);
  *w->place.t = *data->t;
}

static void hide_trial(world_object *w, const rh_data *data)
{
  if (data->q != w->place.q) {
    memcpy(w->place.y, w->trial, (size_t)w->place.ny * sizeof(double));
  }
  *w->place.t = w->trial[w->place.ny];
}

static double guard_value(void *user, const rh_data *data)
{
  guard_link *g = user;
  world_object *w = (world_object *)g->world;
  if (w->failure[0] != NULL || w->thread == NULL || g->value == NULL) {
    return g->last;
  }
  take_lock(w);
  show_trial(w, data);
  PyObject *result = PyObject_CallFunctionObjArgs(g->value, NULL);
  double x = result != NULL ? PyFloat_AsDouble(result) : 0;
  Py_XDECREF(result);
  if (!PyErr_Occurred() && x - x != 0) {
    PyErr_SetString(PyExc_ValueError, "the value of a guard is not finite");
  }
  g->last = PyErr_Occurred() ? g->last : x;
  hide_trial(w, data);
  give_lock(w, NOTHING);
  return g->last;
}

static void guard_act(void *user, rh_data *data)
{
  guard_link *g = user;
  world_object *w = (world_object *)g->world;
  (void)data;
  if (w->failure[0] == NULL && w->thread != NULL && g->act != NULL) {
    take_lock(w);
    PyObject *result = PyObject_CallFunctionObjArgs(g->act, NULL);
    Py_XDECREF(result);
    give_lock(w, ALL);
  }
}

void core_read_efforts(PyObject *result, int n, double *effort)
{
  Py_ssize_t given = PySequence_Size(result);
  if (given >= 0 && given != n) {
    core_raise(PyExc_ValueError,
               "a controller returned %zd efforts; one for each actuator is wanted: %d", given, n);
  }
  for (int i = 0; i < n && !PyErr_Occurred(); i++) {
    PyObject *item = PySequence_GetItem(result, i);
    double x = item != NULL ? PyFloat_AsDouble(item) : 0;
    Py_XDECREF(item);
    if (!PyErr_Occurred() && x - x != 0) {
      core_raise(PyExc_ValueError, "effort %d of a controller is not finite", i);
    }
    effort[i] = PyErr_Occurred() ? 0 : x;
  }
}

static void decide_efforts(void *user, rh_data *data, int controller, double *effort)
{
  world_object *w = user;
  if (w->failure[0] != NULL || w->thread == NULL || w->decide == NULL) {
    return;
  }
  take_lock(w);
  PyObject *number = PyLong_FromLong(controller);
  PyObject *result = number != NULL ? PyObject_CallFunctionObjArgs(w->decide, number, NULL) : NULL;
  if (result != NULL && result != Py_None) {
    core_read_efforts(result, data->model->nactuator, effort);
  }
  Py_XDECREF(number);
  Py_XDECREF(result);
  give_lock(w, FORCES);
}

world_object *core_world_of(const rh_data *d)
{
  return d->control.program == decide_efforts ? d->control.program_user : NULL;
}

bool core_world_take(world_object *w)
{
  if (w->failure[0] != NULL || w->thread == NULL) {
    return false;
  }
  take_lock(w);
  return true;
}

void core_world_give(world_object *w)
{
  give_lock(w, NOTHING);
}

void core_world_observe(world_object *w)
{
  rh_observer observer = {
      .user = w, .frame = observe_frame, .event = observe_event, .poll = observe_poll};
  rh_sim_observe(w->sim, &observer);
  rh_sim_control(w->sim, decide_efforts, w);
  w->polled = core_clock();
}

// ---- Methods

static int replace_function(PyObject **place, PyObject *function)
{
  if (function != Py_None && !PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "a function or None is wanted");
    return -1;
  }
  PyObject *old = *place;
  Py_INCREF(function);
  *place = function == Py_None ? NULL : function;
  if (function == Py_None) {
    Py_DECREF(function);
  }
  Py_XDECREF(old);
  return 0;
}

// _observe(on_event, on_frame, decide)
static PyObject *observe_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  PyObject *event = NULL;
  PyObject *frame = NULL;
  PyObject *decide = NULL;
  if (!PyArg_ParseTuple(args, "OOO:_observe", &event, &frame, &decide) || core_world_idle(w) != 0 ||
      replace_function(&w->on_event, event) != 0 || replace_function(&w->on_frame, frame) != 0 ||
      replace_function(&w->decide, decide) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

// _add_guard(name, direction, value, act)
static PyObject *add_guard_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  const char *name = NULL;
  int direction = 0;
  PyObject *value = NULL;
  PyObject *act = NULL;
  if (!PyArg_ParseTuple(args, "siOO:_add_guard", &name, &direction, &value, &act) ||
      core_world_idle(w) != 0) {
    return NULL;
  }
  if (w->nguard == RH_GUARD_MAX) {
    return core_raise(PyExc_ValueError, "a world has %d guards at most", RH_GUARD_MAX);
  }
  if (w->trial == NULL) {
    w->trial = rh_alloc(((size_t)w->place.ny + 1) * sizeof *w->trial);
    if (w->trial == NULL) {
      return PyErr_NoMemory();
    }
  }
  guard_link *g = &w->guard[w->nguard];
  *g = (guard_link){.world = self, .last = 1};
  if (replace_function(&g->value, value) != 0 || replace_function(&g->act, act) != 0) {
    Py_CLEAR(g->value);
    return NULL;
  }
  if (g->value == NULL) {
    Py_CLEAR(g->act);
    return core_raise(PyExc_TypeError, "the value of a guard is a function");
  }
  rh_guard guard = {.name = name,
                    .user = g,
                    .direction = (direction > 0) - (direction < 0),
                    .value = guard_value,
                    .act = g->act != NULL ? guard_act : NULL};
  rh_status status = rh_sim_add_guard(w->sim, &guard);
  if (status != RH_OK) {
    Py_CLEAR(g->value);
    Py_CLEAR(g->act);
    const rh_engine *engine = ((const model_object *)w->model)->model->run.engine;
    return core_raise(PyExc_ValueError,
                      engine->located
                          ? "guards are added before the first run: make a new world, or reset it"
                          : "the engine %s locates no events, and so no guards: take the engine "
                            "event, or look at frames (on_frame)",
                      engine->row.name);
  }
  w->nguard++;
  Py_RETURN_NONE;
}

static PyObject *events_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  long first = 0;
  if (!PyArg_ParseTuple(args, "|l:_events", &first) || core_world_check(w) != 0) {
    return NULL;
  }
  PyObject *list = PyList_New(0);
  for (long i = first > 0 ? first : 0; list != NULL && i < w->nevent; i++) {
    rh_event event = w->event[i]; // a copy: a collection of garbage may move the list
    PyObject *one = core_event(&event);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *clear_events_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  long limit = w->event_limit;
  if (!PyArg_ParseTuple(args, "|l:_clear_events", &limit) || core_world_idle(w) != 0) {
    return NULL;
  }
  w->nevent = 0;
  w->event_dropped = 0;
  w->event_limit = limit > 0 ? limit : 0;
  Py_RETURN_NONE;
}

// ---- Recording

static PyObject *record_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  PyObject *path = NULL;
  if (!PyArg_ParseTuple(args, "O&:_record", PyUnicode_FSConverter, &path)) {
    return NULL;
  }
  if (core_world_idle(w) != 0) {
    Py_DECREF(path);
    return NULL;
  }
  if (w->recorder != NULL || rh_sim_statistics(w->sim).frames > 0) {
    Py_DECREF(path);
    return core_raise(PyExc_ValueError, "a recording begins before the first run, and once");
  }
  const model_object *m = (const model_object *)w->model;
  const char *name = PyUnicode_AsUTF8AndSize(m->name, NULL);
  rh_diag *diag = rh_diag_create();
  rh_status status = RH_WRONG_USAGE;
  if (name != NULL) {
    status =
        rh_recorder_create(PyBytes_AsString(path), m->model, name, m->text, diag, &w->recorder);
  }
  Py_DECREF(path);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  w->process = (long)getpid();
  Py_RETURN_NONE;
}

// _close_recording(status): how the run ended; None without a recorder.
static PyObject *close_recording_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  int failed = 0;
  const char *text = NULL;
  if (!PyArg_ParseTuple(args, "pz:_close_recording", &failed, &text) || core_world_idle(w) != 0) {
    return NULL;
  }
  char why[RH_WHY_MAX] = "";
  rh_recorder *recorder = w->recorder;
  w->recorder = NULL;
  if (w->process != (long)getpid()) { // the file is the parent's
    Py_RETURN_NONE;
  }
  const char *reason = text != NULL ? text : rh_sim_reason(w->sim);
  rh_status ended = failed ? RH_STOPPED : RH_OK;
  rh_status closed = rh_recorder_close_why(recorder, ended, reason[0] != '\0' ? reason : NULL, why);
  if (closed != RH_OK) {
    return core_raise(PyExc_OSError, "%s", why[0] != '\0' ? why : rh_status_message(closed));
  }
  Py_RETURN_NONE;
}

PyMethodDef core_world_observe_methods[] = {
    {"_observe", observe_method, METH_VARARGS, "Functions that a run calls."},
    {"_add_guard", add_guard_method, METH_VARARGS, "A function whose zero is an event."},
    {"_events", events_method, METH_VARARGS, "Events from an index on."},
    {"_clear_events", clear_events_method, METH_VARARGS, "Drops events; how many are kept."},
    {"_record", record_method, METH_VARARGS, "Begins a recording."},
    {"_close_recording", close_recording_method, METH_VARARGS, "Ends the recording."},
    {NULL, NULL, 0, NULL}};
