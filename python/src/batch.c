// batch.c: many worlds at once. Steps and rollouts run without the interpreter's lock.
#include "core.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// [s] of processor time between two looks at signals. Each piece goes through the memory of all
// worlds once more, some ms for a thousand: a longer piece costs less than one percent.
#define PIECE 1.0

typedef struct event_list { // of one world; written by the thread that moves it
  rh_event *event;
  long n, capacity, limit, dropped;
} event_list;

typedef struct batch_object {
  PyObject_HEAD PyObject *model; // model_object
  PyObject *models;              // dict: world -> its own model
  rh_batch *batch;
  int count; // worlds
  Py_ssize_t exports;
  int busy;
  long process;
  double cost;          // [s] of one step of all worlds, about; 0: not known
  event_list *event;    // of each world, if they are kept; NULL: not
  PyObject *failure[3]; // an exception of a controller
  PyObject **before;    // where those of this thread went before
} batch_object;

static int check_batch(const batch_object *b)
{
  if (b->batch == NULL) {
    PyErr_SetString(PyExc_ValueError, "the batch has no model");
    return -1;
  }
  if (b->busy) {
    PyErr_SetString(PyExc_RuntimeError, "the batch runs in another thread");
    return -1;
  }
  return 0;
}

// After a fork the threads of the parent do not exist: new ones are made.
static int check_threads(batch_object *b)
{
  if (b->process != (long)getpid()) {
    if (rh_batch_set_threads(b->batch, rh_batch_threads(b->batch), true) != RH_OK) {
      PyErr_NoMemory();
      return -1;
    }
    b->process = (long)getpid();
  }
  return 0;
}

static PyObject *make_batch(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  (void)args;
  (void)keywords;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return make(type, 0);
}

static void release_batch(PyObject *self)
{
  batch_object *b = (batch_object *)self;
  int forked = b->batch != NULL && b->process != (long)getpid();
  if (!forked || rh_batch_set_threads(b->batch, 1, true) == RH_OK) {
    rh_batch_destroy(b->batch);
  }
  for (int i = 0; b->event != NULL && i < b->count; i++) {
    rh_free(b->event[i].event);
  }
  rh_free(b->event);
  Py_XDECREF(b->models);
  Py_XDECREF(b->model);
  core_free(self);
}

static PyObject *open_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  PyObject *model = NULL;
  int n = 0;
  int threads = 0;
  if (!PyArg_ParseTuple(args, "O!ii:_open", core.model, &model, &n, &threads)) {
    return NULL;
  }
  if (b->batch != NULL) {
    return core_raise(PyExc_ValueError, "the batch was made already");
  }
  rh_diag *diag = rh_diag_create();
  b->models = b->models != NULL ? b->models : PyDict_New();
  rh_status status = RH_OUT_OF_MEMORY;
  if (b->models != NULL) {
    status = rh_batch_create(((model_object *)model)->model, n, threads, diag, &b->batch);
  }
  if (status == RH_WRONG_USAGE) {
    core_raise(PyExc_ValueError, "%s", rh_diag_get(diag, 0).text);
    rh_diag_destroy(diag);
    return NULL;
  }
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  Py_INCREF(model);
  b->model = model;
  b->count = n;
  b->process = (long)getpid();
  Py_RETURN_NONE;
}

// ---- Views

static PyObject *view_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:view", &name) || check_batch(b) != 0) {
    return NULL;
  }
  const rh_data *d = rh_sim_view(rh_batch_sim(b->batch, 0));
  const rh_model *m = d->model;
  const Py_ssize_t number = (Py_ssize_t)sizeof(double);

  const struct {
    const char *name;
    void *at;
    int n, step; // of the second dimension: count, doubles between two
    int columns; // of the third; 0: none
    int readonly;
  } list[] = {
      {"t", d->t, 1, 1, 0, 1},
      {"q", d->q, m->nq, 1, 0, 0},
      {"v", d->v, m->nv, 1, 0, 0},
      {"tau", d->tau, m->nv, 1, 0, 0},
      {"fext", d->fext, m->nbody, 6, 6, 0},
      {"command", d->command, m->nactuator, RH_COMMAND_SIZE, RH_COMMAND_SIZE, 0},
      {"effort", d->command, m->nactuator, RH_COMMAND_SIZE, 0, 0},
      {"state", d->state, m->layout.nstate, 1, 0, 1},
  };

  for (int i = 0; i < RH_COUNT(list); i++) {
    if (strcmp(list[i].name, name) == 0) {
      view_spec s = {
          .at = list[i].at,
          .ndim = list[i].columns > 0 ? 3 : 2,
          .shape = {rh_batch_count(b->batch), list[i].n, list[i].columns},
          .stride = {(Py_ssize_t)rh_batch_stride(b->batch) * number, list[i].step * number, number},
          .readonly = list[i].readonly};
      return core_view(self, &b->exports, &s);
    }
  }
  return core_raise(PyExc_KeyError, "no view of a batch is called '%s'", name);
}

// ---- Steps

static double processor_time(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// How many steps a piece has, so that signals are looked at every now and then; no bit depends on
// it.
static int piece_of(const batch_object *b, int left)
{
  double n = b->cost > 0 ? PIECE / b->cost : 1;
  return n < 1 ? 1 : n < left ? (int)n : left;
}

static double begin_piece(batch_object *b)
{
  b->before = core_failures_go_to(b->failure);
  return processor_time();
}

// Exceptions of controllers, in this thread and in those of the batch; -1: one is set.
static int take_failures(batch_object *b)
{
  core_failures_go_to(b->before);
  for (int i = 0; core_failures_left() > 0 && i < b->count; i++) {
    core_failure_claim(rh_sim_view(rh_batch_sim(b->batch, i))->model, b->failure);
  }
  if (b->failure[0] == NULL) {
    return 0;
  }
  PyErr_Restore(b->failure[0], b->failure[1], b->failure[2]);
  memset(b->failure, 0, sizeof b->failure);
  return -1;
}

// Ends a piece of steps and looks at signals; -1: an exception is set.
static int end_piece(batch_object *b, int steps, double begun)
{
  if (take_failures(b) != 0) {
    return -1;
  }
  double took = processor_time() - begun;
  b->cost = steps > 0 ? (took > 1e-7 ? took : 1e-7) / steps : b->cost;
  return PyErr_CheckSignals();
}

static PyObject *step_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  int steps = 1;
  if (!PyArg_ParseTuple(args, "|i:step", &steps) || check_batch(b) != 0 || check_threads(b) != 0) {
    return NULL;
  }
  if (steps < 0) {
    return core_raise(PyExc_ValueError, "the number of steps is negative");
  }
  int failed = 0;
  int signals = 0;
  int done = 0;
  Py_INCREF(self);
  b->busy = 1;
  do {
    int piece = steps > 0 ? piece_of(b, steps - done) : 0;
    double begun = begin_piece(b);
    Py_BEGIN_ALLOW_THREADS failed = rh_batch_step(b->batch, piece);
    Py_END_ALLOW_THREADS signals = end_piece(b, piece, begun);
    done += piece;
  } while (signals == 0 && done < steps);
  b->busy = 0;
  Py_DECREF(self);
  return signals != 0 ? NULL : PyLong_FromLong(failed);
}

// A C-contiguous buffer of `n` doubles, or of bytes; None: NULL.
static int take_array(PyObject *object, size_t n, size_t size, int flags, Py_buffer *buffer)
{
  buffer->obj = NULL;
  buffer->buf = NULL;
  if (object == Py_None) {
    return 0;
  }
  if (PyObject_GetBuffer(object, buffer, PyBUF_C_CONTIGUOUS | flags) != 0) {
    return -1;
  }
  if (buffer->len != (Py_ssize_t)(n * size)) {
    core_raise(PyExc_ValueError, "an array has %zd bytes where %zd are wanted", buffer->len,
               (Py_ssize_t)(n * size));
    PyBuffer_Release(buffer);
    buffer->obj = NULL;
    return -1;
  }
  return 0;
}

// _reset(which, start): both may be None
static PyObject *reset_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  PyObject *which = NULL;
  PyObject *start = NULL;
  if (!PyArg_ParseTuple(args, "OO:_reset", &which, &start) || check_batch(b) != 0) {
    return NULL;
  }
  size_t n = (size_t)rh_batch_count(b->batch);
  const rh_model *m = ((model_object *)b->model)->model;
  Py_buffer one;
  Py_buffer two;
  if (take_array(which, n, 1, 0, &one) != 0) {
    return NULL;
  }
  if (take_array(start, n * ((size_t)m->nq + (size_t)m->nv), sizeof(double), 0, &two) != 0) {
    PyBuffer_Release(&one);
    return NULL;
  }
  rh_status status = rh_batch_reset(b->batch, one.buf, two.buf);
  PyBuffer_Release(&one);
  PyBuffer_Release(&two);
  if (status != RH_OK) {
    return core_raise_run(status, NULL);
  }
  Py_RETURN_NONE;
}

static PyObject *run_rollout(batch_object *b, rh_rollout *r, PyObject *names)
{
  const model_object *m = (const model_object *)b->model;
  int *index = NULL;
  if (names != Py_None) {
    PyObject *found = core_channel_indices(m->channels, names, &index, &r->nchannel);
    if (found == NULL) {
      return NULL;
    }
    Py_DECREF(found);
    r->channels = r->nchannel > 0 ? m->channels : NULL;
    r->channel = index;
  }
  int failed = 0;
  int signals = 0;
  rh_rollout part = *r;
  part.whole = r->horizon;
  size_t state = (size_t)m->model->nq + (size_t)m->model->nv;
  Py_INCREF((PyObject *)b);
  b->busy = 1;
  for (int done = 0; signals == 0 && failed != RH_NONE && done < r->horizon; done += part.horizon) {
    int piece = r->steps > 0 ? piece_of(b, INT_MAX) / r->steps : INT_MAX;
    size_t at = (size_t)done;
    part.horizon = piece < 1 ? 1 : piece < r->horizon - done ? piece : r->horizon - done;
    part.control = r->control != NULL ? r->control + at * (size_t)m->model->nactuator : NULL;
    part.state = r->state != NULL ? r->state + at * state : NULL;
    part.value = r->value != NULL ? r->value + at * (size_t)r->nchannel : NULL;
    double begun = begin_piece(b);
    Py_BEGIN_ALLOW_THREADS failed = rh_batch_rollout(b->batch, &part);
    Py_END_ALLOW_THREADS signals = end_piece(b, part.horizon * r->steps, begun);
  }
  b->busy = 0;
  Py_DECREF((PyObject *)b);
  PyMem_Free(index);
  return signals != 0 ? NULL : failed == RH_NONE ? PyErr_NoMemory() : PyLong_FromLong(failed);
}

// The arrays of a rollout: efforts, states, values of the channels.
static PyObject *rollout_arrays(batch_object *b, rh_rollout *r, PyObject *const array[3],
                                PyObject *names)
{
  const rh_model *m = ((model_object *)b->model)->model;
  size_t rows = (size_t)rh_batch_count(b->batch) * (size_t)r->horizon;
  Py_ssize_t given = names != Py_None ? PyList_Size(names) : 0;
  const size_t width[3] = {(size_t)m->nactuator, (size_t)m->nq + (size_t)m->nv, (size_t)given};
  Py_buffer buffer[3] = {{0}};
  PyObject *result = NULL;
  int n = 0;
  while (n < 3 && take_array(array[n], rows * width[n], sizeof(double), n > 0 ? PyBUF_WRITABLE : 0,
                             &buffer[n]) == 0) {
    n++;
  }
  if (n == 3) {
    r->control = buffer[0].buf;
    r->state = buffer[1].buf;
    r->value = buffer[2].buf;
    result = r->value == NULL && given > 0
                 ? core_raise(PyExc_ValueError, "channels need an array for their values")
                 : run_rollout(b, r, names);
  }
  for (int i = 0; i < n; i++) {
    PyBuffer_Release(&buffer[i]);
  }
  return result;
}

// _rollout(horizon, steps, control, state, names, value)
static PyObject *rollout_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  rh_rollout r = {0};
  PyObject *array[3];
  PyObject *names = NULL;
  if (!PyArg_ParseTuple(args, "iiOOOO:_rollout", &r.horizon, &r.steps, &array[0], &array[1], &names,
                        &array[2])) {
    return NULL;
  }
  if (r.horizon < 0 || r.steps < 0) {
    return core_raise(PyExc_ValueError, "horizon and steps are not negative");
  }
  PyObject *list = core_names_list(names);
  PyObject *result = list != NULL && check_batch(b) == 0 && check_threads(b) == 0
                         ? rollout_arrays(b, &r, array, list)
                         : NULL;
  Py_XDECREF(list);
  return result;
}

// ---- Worlds

static PyObject *set_model_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  PyObject *model = NULL;
  int i = 0;
  if (!PyArg_ParseTuple(args, "iO!:_set_model", &i, core.model, &model) || check_batch(b) != 0) {
    return NULL;
  }
  if (i < 0 || i >= rh_batch_count(b->batch)) {
    return core_raise(PyExc_IndexError, "there is no world %d", i);
  }
  PyObject *key = PyLong_FromLong(i);
  rh_diag *diag = rh_diag_create();
  rh_status status = RH_OUT_OF_MEMORY;
  if (key != NULL) {
    status = rh_batch_set_model(b->batch, i, ((model_object *)model)->model, diag);
  }
  int kept = status == RH_OK ? PyDict_SetItem(b->models, key, model) : 0;
  Py_XDECREF(key);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  if (kept != 0) {
    Py_INCREF(model); // the world needs it: it lasts as long as the program
    return NULL;
  }
  Py_RETURN_NONE;
}

// _world(i): (status, reason, hash, next frame)
static PyObject *world_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  int i = 0;
  if (!PyArg_ParseTuple(args, "i:_world", &i) || check_batch(b) != 0) {
    return NULL;
  }
  if (i < 0 || i >= rh_batch_count(b->batch)) {
    return core_raise(PyExc_IndexError, "there is no world %d", i);
  }
  const rh_sim *sim = rh_batch_sim(b->batch, i);
  return Py_BuildValue(
      "(ssKl)", rh_status_name(rh_batch_status(b->batch, i)), rh_batch_reason(b->batch, i),
      (unsigned long long)rh_data_hash(rh_sim_view(sim), 0), rh_sim_statistics(sim).frames);
}

// ---- Events

static rh_status observe_event(void *user, const rh_sim *sim, const rh_event *event)
{
  event_list *list = user;
  (void)sim;
  if (list->n >= list->limit) {
    list->dropped++;
    return RH_OK;
  }
  if (list->n == list->capacity) {
    long more = list->capacity > 0 ? 2 * list->capacity : 8;
    rh_event *grown = rh_realloc(list->event, (size_t)more * sizeof *grown);
    if (grown == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    list->event = grown;
    list->capacity = more;
  }
  list->event[list->n++] = *event;
  return RH_OK;
}

// _keep_events(limit): of each world
static PyObject *keep_events_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  long limit = 0;
  if (!PyArg_ParseTuple(args, "l:_keep_events", &limit) || check_batch(b) != 0) {
    return NULL;
  }
  if (b->event == NULL) {
    b->event = rh_alloc((size_t)b->count * sizeof *b->event);
    if (b->event == NULL) {
      return PyErr_NoMemory();
    }
  }
  for (int i = 0; i < b->count; i++) {
    rh_observer observer = {.user = &b->event[i], .event = observe_event};
    b->event[i].limit = limit > 0 ? limit : 0;
    rh_sim_observe(rh_batch_sim(b->batch, i), &observer);
  }
  Py_RETURN_NONE;
}

// _take_events(): list of (world, Event), which are dropped then
static PyObject *take_events_method(PyObject *self, PyObject *unused)
{
  batch_object *b = (batch_object *)self;
  (void)unused;
  PyObject *all = check_batch(b) == 0 ? PyList_New(0) : NULL;
  for (int i = 0; all != NULL && b->event != NULL && i < b->count; i++) {
    for (long k = 0; all != NULL && k < b->event[i].n; k++) {
      rh_event event = b->event[i].event[k]; // a copy: a collection of garbage may move the list
      PyObject *one = Py_BuildValue("(iN)", i, core_event(&event));
      if (one == NULL || PyList_Append(all, one) != 0) {
        Py_CLEAR(all);
      }
      Py_XDECREF(one);
    }
    b->event[i].n = 0;
  }
  return all;
}

// _failed(which): writes 1 for each world that has failed
static PyObject *failed_method(PyObject *self, PyObject *which)
{
  batch_object *b = (batch_object *)self;
  Py_buffer buffer;
  if (check_batch(b) != 0 ||
      take_array(which, (size_t)rh_batch_count(b->batch), 1, PyBUF_WRITABLE, &buffer) != 0) {
    return NULL;
  }
  for (int i = 0; buffer.buf != NULL && i < rh_batch_count(b->batch); i++) {
    ((unsigned char *)buffer.buf)[i] = rh_batch_status(b->batch, i) != RH_OK;
  }
  PyBuffer_Release(&buffer);
  Py_RETURN_NONE;
}

static PyObject *set_threads_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  int threads = 0;
  if (!PyArg_ParseTuple(args, "i:_set_threads", &threads) || check_batch(b) != 0 ||
      check_threads(b) != 0) {
    return NULL;
  }
  rh_status status = rh_batch_set_threads(b->batch, threads, false);
  if (status != RH_OK) {
    return core_raise(PyExc_ValueError, "threads: %s", rh_status_message(status));
  }
  Py_RETURN_NONE;
}

static PyObject *get_threads(PyObject *self, void *unused)
{
  (void)unused;
  const batch_object *b = (const batch_object *)self;
  return PyLong_FromLong(b->batch != NULL ? rh_batch_threads(b->batch) : 0);
}

static PyObject *set_lanes_method(PyObject *self, PyObject *args)
{
  batch_object *b = (batch_object *)self;
  int widest = 0;
  if (!PyArg_ParseTuple(args, "i:_set_lanes", &widest) || check_batch(b) != 0 ||
      check_threads(b) != 0) {
    return NULL;
  }
  rh_status status = rh_batch_set_lanes(b->batch, widest);
  if (status != RH_OK) {
    return core_raise(PyExc_ValueError, "lanes: %s", rh_status_message(status));
  }
  Py_RETURN_NONE;
}

static PyObject *get_lanes(PyObject *self, void *unused)
{
  (void)unused;
  const batch_object *b = (const batch_object *)self;
  return PyLong_FromLong(b->batch != NULL ? rh_batch_lanes(b->batch) : 0);
}

// (why there are none, steps side by side, steps of worlds alone by causes)
static PyObject *get_lane_counts(PyObject *self, void *unused)
{
  (void)unused;
  const rh_batch *b = ((const batch_object *)self)->batch;
  double n[RH_LANE_CAUSES] = {0};
  for (int c = 0; b != NULL && c < RH_LANE_CAUSES; c++) {
    n[c] = rh_batch_alone_steps(b, (rh_lane_cause)c);
  }
  return Py_BuildValue("(sd(ddddddd))", b != NULL ? rh_batch_lanes_reason(b) : "",
                       b != NULL ? rh_batch_lane_steps(b) : 0.0, n[0], n[1], n[2], n[3], n[4], n[5],
                       n[6]);
}

static PyMethodDef method[] = {
    {"_open", open_method, METH_VARARGS, "n worlds of a model, moved by threads."},
    {"view", view_method, METH_VARARGS,
     "A buffer of the batch's own memory: t, q, v, tau, fext, command, effort, state."},
    {"step", step_method, METH_VARARGS,
     "step(n=1): n steps of every world; returns how many worlds have failed."},
    {"_reset", reset_method, METH_VARARGS, "Worlds begin anew."},
    {"_rollout", rollout_method, METH_VARARGS, "Moves every world over a horizon."},
    {"_set_model", set_model_method, METH_VARARGS, "Other values for one world."},
    {"_set_threads", set_threads_method, METH_VARARGS, "Another number of threads."},
    {"_set_lanes", set_lanes_method, METH_VARARGS, "Other lanes; 0: none."},
    {"_world", world_method, METH_VARARGS, "(status, reason, hash, next frame) of a world."},
    {"_keep_events", keep_events_method, METH_VARARGS, "Keeps so many events of each world."},
    {"_take_events", take_events_method, METH_NOARGS, "(world, Event) of all since the last call."},
    {"_failed", failed_method, METH_O, "Marks the worlds that have failed."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef member[] = {{"threads", get_threads, NULL, "Number of threads.", NULL},
                               {"lanes", get_lanes, NULL,
                                "Worlds stepped side by side in vector registers; 0: one by one.",
                                NULL},
                               {"_lane_counts", get_lane_counts, NULL, NULL, NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slot[] = {
    {Py_tp_new, make_batch}, {Py_tp_dealloc, release_batch},      {Py_tp_methods, method},
    {Py_tp_getset, member},  {Py_tp_doc, "Many worlds at once."}, {0, NULL}};
static PyType_Spec spec = {.name = "routh._core.Batch",
                           .basicsize = sizeof(batch_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           .slots = slot};

int core_add_batch(PyObject *module)
{
  return core_add_type(module, &spec, &core.batch);
}
