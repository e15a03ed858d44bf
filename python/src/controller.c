// controller.c: kinds of controllers whose decisions a function of a Python program makes. A kind is
// a row of the library's table, as those in C are: a scene names it, and it works in worlds, batches
// and verbs alike, in any thread. Its function sees the world through a moment, which is dead after
// the call.
#include "core.h"

#include <string.h>

// ---- Exceptions: they are raised by what runs the simulation

static _Thread_local PyObject **place; // of this thread's run: type, value, traceback; NULL: none

PyObject **core_failures_go_to(PyObject **to)
{
  PyObject **before = place;
  place = to;
  return before;
}

// Those of threads that have no run of their own: the workers of a batch, the loop of a haptic run.
enum { LEFT_MAX = 64 };

static struct {
  const rh_model *model;
  PyObject *failure[3];
} left[LEFT_MAX]; // with the lock of the interpreter only

static int nleft;

static void leave_failure(const rh_model *model)
{
  for (int i = 0; i < nleft; i++) {
    if (left[i].model == model) {
      return; // the first one counts
    }
  }
  if (nleft < LEFT_MAX) {
    left[nleft].model = model;
    PyErr_Fetch(&left[nleft].failure[0], &left[nleft].failure[1], &left[nleft].failure[2]);
    nleft++;
  }
}

void core_failure_claim(const rh_model *model, PyObject *failure[3])
{
  int kept = 0;
  for (int i = 0; i < nleft; i++) {
    if (model != NULL && left[i].model != model) {
      left[kept++] = left[i];
    } else if (failure[0] == NULL) {
      memcpy(failure, left[i].failure, sizeof left[i].failure);
    } else {
      for (int k = 0; k < 3; k++) {
        Py_XDECREF(left[i].failure[k]);
      }
    }
  }
  nleft = kept;
}

int core_failures_left(void)
{
  return nleft;
}

// ---- Moments

typedef struct moment_object {
  PyObject_HEAD rh_data *d; // NULL: the call is over
  const rh_control *control;
  rh_data *mirror;       // for what is derived; NULL: not yet
  rh_channels *channels; // NULL: not yet
} moment_object;

static rh_data *live_data(PyObject *self)
{
  rh_data *d = ((moment_object *)self)->d;
  if (d == NULL) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this moment is over: it lasts as long as the call of the controller");
  }
  return d;
}

static PyObject *double_bytes(const double *x, size_t n)
{
  return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(n * sizeof *x));
}

// _array(name): a copy
static PyObject *array_method(PyObject *self, PyObject *args)
{
  const moment_object *o = (moment_object *)self;
  const rh_data *d = live_data(self);
  const char *name = NULL;
  if (d == NULL || !PyArg_ParseTuple(args, "s:_array", &name)) {
    return NULL;
  }
  const rh_model *m = d->model;
  const rh_controller *kind = o->control->self->kind;

  const struct {
    const char *name;
    const double *at;
    int n;
  } list[] = {{"t", d->t, 1},
              {"q", d->q, m->nq},
              {"v", d->v, m->nv},
              {"command", (const double *)d->command, RH_COMMAND_SIZE * m->nactuator},
              {"memory", o->control->memory, kind->nmemory},
              {"parameters", o->control->self->par, kind->row.nparam}};

  for (int i = 0; i < RH_COUNT(list); i++) {
    if (strcmp(list[i].name, name) == 0) {
      return double_bytes(list[i].at, (size_t)list[i].n);
    }
  }
  return core_raise(PyExc_KeyError, "a moment has no array '%s'", name);
}

// _keep(bytes): the memory of the controller
static PyObject *keep_method(PyObject *self, PyObject *args)
{
  const moment_object *o = (moment_object *)self;
  const char *bytes = NULL;
  Py_ssize_t size = 0;
  if (live_data(self) == NULL || !PyArg_ParseTuple(args, "y#:_keep", &bytes, &size)) {
    return NULL;
  }
  int n = o->control->self->kind->nmemory;
  double x = 0;
  if (size != (Py_ssize_t)((size_t)n * sizeof x)) {
    return core_raise(PyExc_ValueError, "the memory of this controller is %d numbers", n);
  }
  for (int i = 0; i < n; i++) {
    memcpy(&x, bytes + (size_t)i * sizeof x, sizeof x);
    if (x - x != 0) {
      return core_raise(PyExc_ValueError, "number %d of a controller's memory is not finite", i);
    }
  }
  memcpy(o->control->memory, bytes, (size_t)size);
  Py_RETURN_NONE;
}

static PyObject *names_method(PyObject *self, PyObject *args)
{
  const rh_data *d = live_data(self);
  return d != NULL ? core_model_names(d->model, args) : NULL;
}

static PyObject *joints_method(PyObject *self, PyObject *unused)
{
  const rh_data *d = live_data(self);
  (void)unused;
  return d != NULL ? core_model_joints(d->model) : NULL;
}

static PyObject *bodies_method(PyObject *self, PyObject *unused)
{
  const rh_data *d = live_data(self);
  (void)unused;
  return d != NULL ? core_bodies(d) : NULL;
}

// The world in a second one, where what is derived is computed. False: an exception is set.
static bool make_mirror(moment_object *o)
{
  const rh_model *m = o->d->model;
  if (o->channels == NULL) {
    o->channels = rh_channels_create(m);
  }
  if (o->channels != NULL && o->mirror == NULL) {
    o->mirror = rh_data_create(m);
  }
  if (o->mirror == NULL) {
    PyErr_NoMemory();
    return false;
  }
  memcpy(o->mirror->state, o->d->state, (size_t)m->layout.nstate * sizeof(double));
  memcpy(o->mirror->tau, o->d->tau, (size_t)m->nv * sizeof(double));
  memcpy(o->mirror->fext, o->d->fext, (size_t)m->nbody * sizeof(rh_force));
  return true;
}

static PyObject *channel_list_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  moment_object *o = (moment_object *)self;
  return live_data(self) != NULL && make_mirror(o) ? core_channels(o->channels) : NULL;
}

static PyObject *channels_method(PyObject *self, PyObject *names)
{
  moment_object *o = (moment_object *)self;
  PyObject *list = core_names_list(names); // which may run anything
  int *index = NULL;
  int n = 0;
  PyObject *found = NULL;
  if (list != NULL && live_data(self) != NULL && make_mirror(o)) {
    found = core_channel_indices(o->channels, list, &index, &n);
  }
  Py_XDECREF(list);
  if (found == NULL) {
    return NULL;
  }
  Py_DECREF(found);
  PyObject *bytes = NULL;
  double *value = PyMem_Calloc((size_t)n + 1, sizeof *value);
  if (value != NULL) {
    rh_channels_read(o->channels, o->mirror, index, n, value);
    bytes = double_bytes(value, (size_t)n);
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(value);
  PyMem_Free(index);
  return bytes;
}

static PyObject *dynamics_method(PyObject *self, PyObject *args)
{
  moment_object *o = (moment_object *)self;
  const char *what = NULL;
  if (live_data(self) == NULL || !PyArg_ParseTuple(args, "s:_dynamics", &what) || !make_mirror(o)) {
    return NULL;
  }
  rh_channels_read(o->channels, o->mirror, NULL, 0, NULL);
  return core_dynamics(o->mirror, what);
}

static PyObject *jacobian_method(PyObject *self, PyObject *args)
{
  const rh_data *d = live_data(self);
  return d != NULL ? core_jacobian(d, args) : NULL;
}

static void end_moment(moment_object *o)
{
  rh_channels_destroy(o->channels);
  rh_data_destroy(o->mirror);
  o->d = NULL;
  o->channels = NULL;
  o->mirror = NULL;
}

static void release_moment(PyObject *self)
{
  end_moment((moment_object *)self);
  core_free(self);
}

static PyMethodDef moment_method[] = {
    {"_array", array_method, METH_VARARGS, "A copy of an array: q, v, memory, ..."},
    {"_keep", keep_method, METH_VARARGS, "Writes the memory of the controller."},
    {"_names", names_method, METH_VARARGS, "Names of the objects of a kind."},
    {"_joints", joints_method, METH_NOARGS, "Addresses of the coordinates of each body's joint."},
    {"_bodies", bodies_method, METH_NOARGS, "Pose and velocity of every body."},
    {"_channel_list", channel_list_method, METH_NOARGS, "(name, unit, group) of every channel."},
    {"_channels", channels_method, METH_O, "Values of channels now."},
    {"_dynamics", dynamics_method, METH_VARARGS, "Mass matrix, bias, accelerations."},
    {"_jacobian", jacobian_method, METH_VARARGS, "Jacobian of a point of a body."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot moment_slot[] = {{Py_tp_dealloc, release_moment},
                                    {Py_tp_methods, moment_method},
                                    {Py_tp_doc, "A world as a controller sees it."},
                                    {0, NULL}};
static PyType_Spec moment_spec = {.name = "routh._core.Moment",
                                  .basicsize = sizeof(moment_object),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = moment_slot};

// ---- Kinds

typedef struct python_kind { // in the table of the library until the process ends
  rh_controller row;         // first: what the library has of it
  rh_param param[RH_PAR_MAX];
  PyObject *function;
  PyObject *text[2 + 2 * RH_PAR_MAX]; // that own the words of the row
} python_kind;

static python_kind *kinds[64];
static int nkind;

static void call_function(const python_kind *k, rh_data *d, const rh_control *c, double *effort)
{
  allocfunc make = (allocfunc)PyType_GetSlot(core.moment, Py_tp_alloc);
  moment_object *o = (moment_object *)make(core.moment, 0);
  if (o == NULL) {
    return;
  }
  o->d = d;
  o->control = c;
  PyObject *function = k->function;
  Py_INCREF(function); // it may be replaced within the call
  PyObject *result = PyObject_CallFunctionObjArgs(function, (PyObject *)o, NULL);
  Py_DECREF(function);
  end_moment(o);
  Py_DECREF((PyObject *)o);
  if (result != NULL && result != Py_None) {
    core_read_efforts(result, d->model->nactuator, effort);
  }
  Py_XDECREF(result);
}

// A run without a place to put an exception, or one whose exception is kept already, decides zero.
static void decide_efforts(rh_data *d, const rh_control *c, double *effort)
{
  const python_kind *k = (const python_kind *)(const void *)c->self->kind;
  size_t size = (size_t)d->model->nactuator * sizeof *effort;
  memset(effort, 0, size);
  if (!Py_IsInitialized()) {
    return;
  }
  world_object *w = core_world_of(d);
  if (w != NULL) {
    if (core_world_take(w)) {
      call_function(k, d, c, effort);
      core_world_give(w);
    }
    return;
  }
  PyGILState_STATE lock = PyGILState_Ensure();
  if (place == NULL || place[0] == NULL) {
    call_function(k, d, c, effort);
    if (PyErr_Occurred()) {
      memset(effort, 0, size);
      if (place != NULL) {
        PyErr_Fetch(&place[0], &place[1], &place[2]);
      } else {
        leave_failure(d->model);
      }
      PyErr_Clear();
    }
  }
  PyGILState_Release(lock);
}

static const char *keep_text(python_kind *k, int at, PyObject *text)
{
  Py_INCREF(text);
  k->text[at] = text;
  return PyUnicode_AsUTF8AndSize(text, NULL);
}

static void free_kind(python_kind *k)
{
  for (int i = 0; i < RH_COUNT(k->text); i++) {
    Py_XDECREF(k->text[i]);
  }
  Py_XDECREF(k->function);
  rh_free(k);
}

// (name, unit, default, least, most) of each parameter
static int read_params(python_kind *k, PyObject *list)
{
  Py_ssize_t n = PyList_Size(list);
  if (n > RH_PAR_MAX) {
    core_raise(PyExc_ValueError, "a controller has %d parameters at most", RH_PAR_MAX);
    return -1;
  }
  for (int i = 0; i < n; i++) {
    PyObject *name = NULL;
    PyObject *unit = NULL;
    rh_param *p = &k->param[i];
    PyObject *item = PyList_GetItem(list, i);
    if (!PyTuple_Check(item)) {
      PyErr_SetString(PyExc_TypeError, "a parameter is a tuple");
      return -1;
    }
    if (!PyArg_ParseTuple(item, "UUddd", &name, &unit, &p->def, &p->lo, &p->hi)) {
      return -1;
    }
    p->name = keep_text(k, 2 + 2 * i, name);
    p->unit = keep_text(k, 3 + 2 * i, unit);
    p->doc = "of a Python program";
    p->type = RH_NUMBER;
    if (p->name == NULL || p->unit == NULL) {
      return -1;
    }
  }
  k->row.row.param = k->param;
  k->row.row.nparam = (int)n;
  return 0;
}

static bool same_kind(const python_kind *a, const python_kind *b)
{
  bool same = a->row.nmemory == b->row.nmemory && a->row.row.nparam == b->row.row.nparam;
  for (int i = 0; same && i < a->row.row.nparam; i++) {
    const rh_param *p = &a->param[i];
    const rh_param *s = &b->param[i];
    same = strcmp(p->name, s->name) == 0 && strcmp(p->unit, s->unit) == 0 && p->def == s->def &&
           p->lo == s->lo && p->hi == s->hi;
  }
  return same;
}

// A second function of the same name and parameters takes the place of the first. NULL: done.
static PyObject *add_kind(python_kind *k)
{
  const char *name = k->row.row.name;
  for (int i = 0; i < nkind; i++) {
    if (strcmp(kinds[i]->row.row.name, name) != 0) {
      continue;
    }
    if (!same_kind(k, kinds[i])) {
      return core_raise(PyExc_ValueError,
                        "a controller '%s' with other parameters or another memory is there, and "
                        "models may have it: choose another name",
                        name);
    }
    PyObject *old = kinds[i]->function;
    kinds[i]->function = k->function;
    k->function = old;
    free_kind(k);
    Py_RETURN_NONE;
  }
  if (nkind == RH_COUNT(kinds) || rh_controller_register(&k->row) != RH_OK) {
    return core_raise(PyExc_ValueError,
                      rh_controller_find(name) != NULL ? "a controller '%s' is part of Routh"
                                                       : "too many controllers before '%s'",
                      name);
  }
  kinds[nkind++] = k;
  Py_RETURN_NONE;
}

// add_controller(name, doc, parameters, memory, function)
static PyObject *add_controller_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *name = NULL;
  PyObject *doc = NULL;
  PyObject *list = NULL;
  PyObject *function = NULL;
  int memory = 0;
  if (!PyArg_ParseTuple(args, "UUO!iO:add_controller", &name, &doc, &PyList_Type, &list, &memory,
                        &function)) {
    return NULL;
  }
  if (!PyCallable_Check(function) || memory < 1 || memory > 10000) {
    return core_raise(PyExc_ValueError, "a function and 1 to 10000 numbers of memory are wanted");
  }
  python_kind *k = rh_alloc(sizeof *k);
  if (k == NULL) {
    return PyErr_NoMemory();
  }
  k->row = (rh_controller){.row = {.cite = ""}, .nmemory = memory, .update = decide_efforts};
  k->row.row.name = keep_text(k, 0, name);
  k->row.row.doc = keep_text(k, 1, doc);
  Py_INCREF(function);
  k->function = function;
  PyObject *done = NULL;
  if (k->row.row.name != NULL && k->row.row.doc != NULL && read_params(k, list) == 0) {
    done = add_kind(k);
  }
  if (done == NULL) {
    free_kind(k);
  }
  return done;
}

PyMethodDef core_controller_methods[] = {{"add_controller", add_controller_function, METH_VARARGS,
                                          "A kind of controller whose decisions a function makes."},
                                         {NULL, NULL, 0, NULL}};

int core_add_moment(PyObject *module)
{
  return core_add_type(module, &moment_spec, &core.moment);
}
