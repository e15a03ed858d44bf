// world.c: a world that moves: its life, runs and steps without the interpreter's lock, its state.
// While it runs nobody else may touch it: `busy`. Functions of the program that the run calls may
// read it: `called`.
#include "core.h"

#include <string.h>
#include <unistd.h>

// ---- Who may use it

int core_world_check(world_object *w)
{
  if (w->sim == NULL) {
    PyErr_SetString(PyExc_ValueError, "the world has no model: it was not made, or it is closed");
    return -1;
  }
  if (w->busy && !w->called) {
    PyErr_SetString(PyExc_RuntimeError, "the world runs in another thread");
    return -1;
  }
  return 0;
}

int core_world_idle(world_object *w)
{
  if (core_world_check(w) != 0) {
    return -1;
  }
  if (w->busy) {
    PyErr_SetString(PyExc_RuntimeError, "the world runs: this is for the time between two runs");
    return -1;
  }
  return 0;
}

int core_world_process(const world_object *w)
{
  if (w->process == (long)getpid()) {
    return 0;
  }
  const rh_model *m = ((model_object *)w->model)->model;
  const rh_row *row = &m->run.engine->row;
  int threads = rh_row_find(row, "threads");
  if (w->recorder != NULL ||
      (threads != RH_NONE && m->run.engine_par[rh_row_offset(row, threads)] > 1)) {
    PyErr_SetString(PyExc_RuntimeError, "the world was made before a fork, with threads or a "
                                        "recording: make a new one in this process");
    return -1;
  }
  return 0;
}

// No view may be alive where its memory is given back.
static int check_views(const world_object *w, const char *what)
{
  if (w->exports > 0) {
    core_raise(PyExc_BufferError, "%s: %zd view%s of this world %s alive; delete them first", what,
               w->exports, w->exports > 1 ? "s" : "", w->exports > 1 ? "are" : "is");
    return -1;
  }
  return 0;
}

// ---- Runs

int core_world_writes(world_object *w, bool restart)
{
  if (!w->exposed) {
    return 0;
  }
  rh_diag *diag = rh_diag_create();
  rh_status status = restart ? rh_sim_take_changes(w->sim, w->copy, diag)
                             : rh_sim_check_changes(w->sim, w->copy, diag);
  if (status != RH_OK) {
    core_raise(PyExc_ValueError, "%s",
               rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : rh_status_message(status));
  }
  rh_diag_destroy(diag);
  return status == RH_OK ? 0 : -1;
}

int core_world_begin(world_object *w)
{
  if (core_world_idle(w) != 0 || core_world_process(w) != 0 || core_world_writes(w, true) != 0) {
    return -1;
  }
  Py_INCREF((PyObject *)w);
  w->busy = 1;
  w->thread = PyEval_SaveThread();
  return 0;
}

int core_world_end(world_object *w, rh_status status)
{
  PyEval_RestoreThread(w->thread);
  w->thread = NULL;
  w->busy = 0;
  if (w->exposed) {
    rh_sim_keep_changes(w->sim, w->copy);
  }
  int result = 0;
  if (w->failure[0] != NULL) {
    PyErr_Restore(w->failure[0], w->failure[1], w->failure[2]);
    memset(w->failure, 0, sizeof w->failure);
    result = -1;
    if (PyErr_ExceptionMatches(core.stop_run)) { // as the program asked
      PyErr_Clear();
      result = 0;
    }
  } else if (status != RH_OK) {
    const char *error = w->recorder != NULL ? rh_recorder_error(w->recorder) : "";
    core_raise_run(status, error[0] != '\0' ? error : rh_sim_reason(w->sim));
    result = -1;
  }
  Py_DECREF((PyObject *)w);
  return result;
}

static PyObject *run_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  double until = 0;
  if (!PyArg_ParseTuple(args, "d:_run", &until)) {
    return NULL;
  }
  if (until != until) {
    return core_raise(PyExc_ValueError, "the end of a run is not a number");
  }
  if (core_world_begin(w) != 0) {
    return NULL;
  }
  rh_status status = rh_sim_run(w->sim, until);
  if (core_world_end(w, status) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *step_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  long steps = 1;
  if (!PyArg_ParseTuple(args, "|l:step", &steps)) {
    return NULL;
  }
  if (steps < 0) {
    return core_raise(PyExc_ValueError, "the number of steps is negative");
  }
  if (core_world_begin(w) != 0) {
    return NULL;
  }
  rh_status status = RH_OK;
  for (long i = 0; i < steps && status == RH_OK; i++) {
    status = rh_sim_step(w->sim);
  }
  if (core_world_end(w, status) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *check_energy_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_begin(w) != 0) {
    return NULL;
  }
  rh_status status = rh_sim_check_energy(w->sim);
  if (core_world_end(w, status) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

// ---- Life

static int open_sim(world_object *w, const model_object *m)
{
  rh_diag *diag = rh_diag_create();
  rh_sim *sim = NULL;
  rh_status status = rh_sim_create(m->model, diag, &sim);
  double *copy = status == RH_OK ? rh_alloc(rh_sim_changes_size(m->model) * sizeof *copy) : NULL;
  if (copy == NULL) {
    rh_sim_destroy(sim);
    core_raise_diag(status == RH_OK ? RH_OUT_OF_MEMORY : status, diag);
    return -1;
  }
  rh_diag_destroy(diag);
  rh_sim_destroy(w->sim);
  rh_data_destroy(w->mirror);
  rh_free(w->copy);
  rh_free(w->trial);
  w->trial = NULL; // of the size of the old state
  w->sim = sim;
  w->place = *rh_sim_view(sim);
  w->mirror = NULL;
  w->copy = copy;
  w->exposed = 0;
  w->hash = 0;
  w->nevent = 0;
  w->event_dropped = 0;
  w->process = (long)getpid();
  core_world_observe(w);
  return 0;
}

static int same_guards(world_object *w)
{
  return w->nguard == 0 ? 0
                        : (core_raise(PyExc_ValueError, "a world with guards cannot be reset: make "
                                                        "a new one"),
                           -1);
}

// _open(model): the initial state of a model; also resets the world.
static PyObject *open_method(PyObject *self, PyObject *model)
{
  world_object *w = (world_object *)self;
  if (!PyObject_TypeCheck(model, core.model)) {
    return core_raise(PyExc_TypeError, "a world is made of a model");
  }
  if (w->busy || w->recorder != NULL) {
    return core_raise(PyExc_RuntimeError, "the world runs, or is recorded");
  }
  if (w->sim != NULL && (check_views(w, "reset") != 0 || same_guards(w) != 0)) {
    return NULL;
  }
  if (open_sim(w, (model_object *)model) != 0) {
    return NULL;
  }
  Py_INCREF(model);
  Py_XDECREF(w->model);
  w->model = model;
  Py_RETURN_NONE;
}

// _set_model(model): the run continues with other values.
static PyObject *set_model_method(PyObject *self, PyObject *model)
{
  world_object *w = (world_object *)self;
  if (!PyObject_TypeCheck(model, core.model)) {
    return core_raise(PyExc_TypeError, "a model is wanted");
  }
  if (core_world_idle(w) != 0 || check_views(w, "other values") != 0) {
    return NULL;
  }
  if (w->recorder != NULL) { // it writes states of the model that it began with
    return core_raise(PyExc_ValueError, "a world that is recorded keeps its values");
  }
  if (core_world_writes(w, false) != 0) {
    return NULL;
  }
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_sim_replace_model(&w->sim, ((model_object *)model)->model, diag);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  rh_data_destroy(w->mirror);
  w->place = *rh_sim_view(w->sim);
  w->mirror = NULL;
  w->exposed = 0;
  Py_INCREF(model);
  Py_XDECREF(w->model);
  w->model = model;
  Py_RETURN_NONE;
}

static int visit_members(PyObject *self, visitproc visit, void *arg)
{
  world_object *w = (world_object *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(w->model);
  Py_VISIT(w->on_event);
  Py_VISIT(w->on_frame);
  Py_VISIT(w->decide);
  for (int i = 0; i < w->nguard; i++) {
    Py_VISIT(w->guard[i].value);
    Py_VISIT(w->guard[i].act);
  }
  return 0;
}

// The model stays: the simulation needs it until the end.
static int clear_members(PyObject *self)
{
  world_object *w = (world_object *)self;
  Py_CLEAR(w->on_event);
  Py_CLEAR(w->on_frame);
  Py_CLEAR(w->decide);
  for (int i = 0; i < w->nguard; i++) {
    Py_CLEAR(w->guard[i].value);
    Py_CLEAR(w->guard[i].act);
  }
  return 0;
}

static void release_world(PyObject *self)
{
  world_object *w = (world_object *)self;
  PyObject_GC_UnTrack(self);
  (void)clear_members(self);
  if (w->recorder != NULL && w->process == (long)getpid()) {
    (void)rh_recorder_close(w->recorder, RH_STOPPED, "the world was dropped");
  }
  rh_sim_destroy(w->sim);
  rh_data_destroy(w->mirror);
  rh_free(w->copy);
  rh_free(w->trial);
  rh_free(w->event);
  Py_CLEAR(w->model);
  for (int i = 0; i < 3; i++) {
    Py_CLEAR(w->failure[i]);
  }
  core_free(self);
}

static PyObject *make_world(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  (void)args;
  (void)keywords;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  world_object *w = (world_object *)make(type, 0);
  if (w != NULL) {
    w->event_limit = 100000;
    w->process = (long)getpid();
  }
  return (PyObject *)w;
}

// ---- The state

static int find_view(const world_object *w, const char *name, view_spec *s)
{
  const rh_data *d = &w->place;
  const rh_model *m = d->model;
  const Py_ssize_t number = (Py_ssize_t)sizeof(double);

  const struct {
    const char *name;
    void *at;
    int n, columns; // columns 0: one dimension
    int readonly;
  } list[] = {
      {"q", d->q, m->nq, 0, 0},
      {"v", d->v, m->nv, 0, 0},
      {"tau", d->tau, m->nv, 0, 0},
      {"fext", d->fext, m->nbody, 6, 0},
      {"command", d->command, m->nactuator, RH_COMMAND_SIZE, 0},
      {"state", d->state, m->layout.nstate, 0, 1},
  };

  for (int i = 0; i < RH_COUNT(list); i++) {
    if (strcmp(list[i].name, name) == 0) {
      int columns = list[i].columns > 0 ? list[i].columns : 1;
      *s = (view_spec){.at = list[i].at,
                       .ndim = list[i].columns > 0 ? 2 : 1,
                       .shape = {list[i].n, columns},
                       .stride = {number * columns, number},
                       .readonly = list[i].readonly};
      return 0;
    }
  }
  core_raise(PyExc_KeyError, "no view is called '%s'", name);
  return -1;
}

// From now on the next run compares the state with a copy, to find what was written.
static void expose_state(world_object *w)
{
  if (!w->exposed) {
    rh_sim_keep_changes(w->sim, w->copy);
    w->exposed = 1;
  }
}

static PyObject *view_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  const char *name = NULL;
  view_spec s;
  if (!PyArg_ParseTuple(args, "s:view", &name) || core_world_check(w) != 0 ||
      find_view(w, name, &s) != 0) {
    return NULL;
  }
  expose_state(w);
  return core_view(self, &w->exports, &s);
}

// _save(): (next frame, state, tau and fext) as (int, bytes, bytes)
static PyObject *save_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_check(w) != 0) {
    return NULL;
  }
  const rh_data *d = &w->place;
  const rh_model *m = d->model;
  return Py_BuildValue("(ly#y#y#)", rh_sim_statistics(w->sim).frames, (const char *)d->state,
                       (Py_ssize_t)((size_t)m->layout.nstate * sizeof(double)),
                       (const char *)d->tau, (Py_ssize_t)((size_t)m->nv * sizeof(double)),
                       (const char *)d->fext, (Py_ssize_t)((size_t)m->nbody * sizeof(rh_force)));
}

static int finite_bytes(const char *bytes, Py_ssize_t size)
{
  for (Py_ssize_t i = 0; i + (Py_ssize_t)sizeof(double) <= size; i += (Py_ssize_t)sizeof(double)) {
    double x;
    memcpy(&x, bytes + i, sizeof x);
    if (x - x != 0) {
      return 0;
    }
  }
  return 1;
}

// The state of a world that has not run yet, for another such world: what a program may write. The
// run then begins as any first run does.
static void begin_at(world_object *w, rh_data *d, const double *state)
{
  const rh_model *m = d->model;
  expose_state(w);
  memcpy(d->q, state + (d->q - d->state), (size_t)m->nq * sizeof *d->q);
  memcpy(d->v, state + (d->v - d->state), (size_t)m->nv * sizeof *d->v);
  memcpy(d->command, state + ((double *)d->command - d->state),
         (size_t)m->nactuator * sizeof *d->command);
}

// _restore(frame, state, tau, fext): continues from there; views stay valid.
static PyObject *restore_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  long frame = 0;
  const char *part[3] = {NULL};
  Py_ssize_t size[3] = {0};
  if (!PyArg_ParseTuple(args, "ly#y#y#:_restore", &frame, &part[0], &size[0], &part[1], &size[1],
                        &part[2], &size[2]) ||
      core_world_idle(w) != 0) {
    return NULL;
  }
  rh_data *d = rh_sim_data(w->sim);
  const rh_model *m = d->model;
  if (size[0] != (Py_ssize_t)((size_t)m->layout.nstate * sizeof(double)) ||
      size[1] != (Py_ssize_t)((size_t)m->nv * sizeof(double)) ||
      size[2] != (Py_ssize_t)((size_t)m->nbody * sizeof(rh_force)) || frame < 0) {
    return core_raise(PyExc_ValueError, "the state is of another model: %zd bytes, not %zd",
                      size[0], (Py_ssize_t)((size_t)m->layout.nstate * sizeof(double)));
  }
  double now;
  memcpy(&now, part[0], sizeof now);
  if (!(now >= 0) || now - now != 0 || !finite_bytes(part[1], size[1]) ||
      !finite_bytes(part[2], size[2])) {
    return core_raise(PyExc_ValueError, "the state has numbers that are not finite");
  }
  double *state = rh_alloc((size_t)size[0]);
  if (state == NULL) {
    return PyErr_NoMemory();
  }
  memcpy(state, part[0], (size_t)size[0]);
  if (!rh_data_state_possible(d, state)) {
    rh_free(state);
    return core_raise(PyExc_ValueError, "the state is damaged");
  }
  bool first = frame == 0 && rh_sim_statistics(w->sim).frames == 0;
  if (first) {
    begin_at(w, d, state);
  } else {
    rh_sim_resume(w->sim, frame > 0 ? frame - 1 : RH_NONE, state);
    w->hash = frame > 0 ? w->hash : 0;
  }
  rh_free(state);
  memcpy(d->tau, part[1], (size_t)size[1]);
  memcpy(d->fext, part[2], (size_t)size[2]);
  if (w->exposed && !first) {
    rh_sim_keep_changes(w->sim, w->copy);
  }
  Py_RETURN_NONE;
}

static PyObject *get_t(PyObject *self, void *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  return core_world_check(w) != 0 ? NULL : PyFloat_FromDouble(*w->place.t);
}

static PyObject *get_core_model(PyObject *self, void *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  PyObject *model = w->model != NULL ? w->model : Py_None;
  Py_INCREF(model);
  return model;
}

static PyMethodDef own_method[] = {
    {"_open", open_method, METH_O, "The initial state of a model."},
    {"_set_model", set_model_method, METH_O, "Continues with other values."},
    {"_run", run_method, METH_VARARGS, "Runs to a time."},
    {"step", step_method, METH_VARARGS,
     "step(n=1): n steps of the engine; the engine event goes on by record.every each."},
    {"_check_energy", check_energy_method, METH_NOARGS, "Checks the ledger now."},
    {"view", view_method, METH_VARARGS,
     "A buffer of the world's own memory: q, v, tau, fext, command; state (read-only)."},
    {"_save", save_method, METH_NOARGS, "The restart state."},
    {"_restore", restore_method, METH_VARARGS, "Continues from a restart state."}};

static PyGetSetDef member[] = {{"t", get_t, NULL, "Time [s].", NULL},
                               {"_model", get_core_model, NULL, "The compiled model.", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef method[CORE_METHODS_MAX]; // all lists together; the type keeps it

static PyType_Slot slot[] = {{Py_tp_new, make_world},
                             {Py_tp_dealloc, release_world},
                             {Py_tp_traverse, visit_members},
                             {Py_tp_clear, clear_members},
                             {Py_tp_methods, method},
                             {Py_tp_getset, member},
                             {Py_tp_doc, "A world that moves."},
                             {0, NULL}};
static PyType_Spec spec = {.name = "routh._core.World",
                           .basicsize = sizeof(world_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                           .slots = slot};

int core_add_world(PyObject *module)
{
  int n = 0;
  for (int i = 0; i < RH_COUNT(own_method); i++) {
    method[n++] = own_method[i];
  }
  for (const PyMethodDef *m = core_world_read_methods; m->ml_name != NULL; m++) {
    method[n++] = *m;
  }
  for (const PyMethodDef *m = core_world_observe_methods; m->ml_name != NULL; m++) {
    method[n++] = *m;
  }
  return core_add_type(module, &spec, &core.world);
}
