// recording.c: recordings: channels, events, states; resume and repetition of their runs.
#include "core.h"

#include <string.h>
#include <unistd.h>

typedef struct recording_object {
  PyObject_HEAD rh_recording *recording;
  rh_channels *channels;
  long process; // that opened it: SQLite does not outlive a fork
} recording_object;

static rh_recording *live_recording(recording_object *r)
{
  if (r->recording == NULL) {
    return core_raise(PyExc_ValueError, "the recording is closed");
  }
  if (r->process != (long)getpid()) {
    return core_raise(PyExc_RuntimeError, "the recording was opened before a fork: open it again");
  }
  return r->recording;
}

static void close_recording(recording_object *r)
{
  if (r->process == (long)getpid()) {
    rh_channels_destroy(r->channels);
    rh_recording_close(r->recording);
  }
  r->channels = NULL;
  r->recording = NULL;
}

static void release_recording(PyObject *self)
{
  close_recording((recording_object *)self);
  core_free(self);
}

static PyObject *make_recording(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  (void)args;
  (void)keywords;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return make(type, 0);
}

static PyObject *open_method(PyObject *self, PyObject *args)
{
  recording_object *r = (recording_object *)self;
  PyObject *path = NULL;
  if (!PyArg_ParseTuple(args, "O&:_open", PyUnicode_FSConverter, &path)) {
    return NULL;
  }
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  rh_status status = rh_recording_open(PyBytes_AsString(path), diag, &recording);
  Py_DECREF(path);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  rh_channels *channels = rh_channels_create(rh_recording_model(recording));
  if (channels == NULL) {
    rh_recording_close(recording);
    return PyErr_NoMemory();
  }
  close_recording(r);
  r->recording = recording;
  r->channels = channels;
  r->process = (long)getpid();
  Py_RETURN_NONE;
}

static PyObject *close_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  close_recording((recording_object *)self);
  Py_RETURN_NONE;
}

// ---- Texts and counts

static PyObject *meta_method(PyObject *self, PyObject *args)
{
  const char *key = NULL;
  rh_recording *r = NULL;
  if (!PyArg_ParseTuple(args, "s:meta", &key) ||
      (r = live_recording((recording_object *)self)) == NULL) {
    return NULL;
  }
  const char *text = rh_recording_meta(r, key);
  if (text == NULL) {
    Py_RETURN_NONE;
  }
  return core_text(text);
}

static PyObject *counts_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  rh_recording *r = live_recording((recording_object *)self);
  if (r == NULL) {
    return NULL;
  }
  bool ended = false;
  (void)rh_recording_refresh(r, &ended);
  return Py_BuildValue("(lllN)", rh_recording_frames(r), rh_recording_events(r),
                       rh_recording_resume_index(r), PyBool_FromLong(ended));
}

static PyObject *channels_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  const recording_object *r = (const recording_object *)self;
  return live_recording((recording_object *)self) == NULL ? NULL : core_channels(r->channels);
}

// ---- Frames

static int find_channels(const recording_object *r, const char **name, int n, int *index)
{
  for (int i = 0; i < n; i++) {
    index[i] = rh_channel_find(r->channels, name[i]);
    if (index[i] == RH_NONE) {
      core_raise(PyExc_KeyError, "no channel is called '%s'", name[i]);
      return -1;
    }
  }
  return 0;
}

static rh_status read_table(const recording_object *r, const int *index, int n, const long range[2],
                            double *value, rh_diag *diag)
{
  for (long i = range[0]; i < range[1]; i++) {
    rh_data *world = NULL;
    RH_TRY(rh_recording_world(r->recording, i, &world, NULL, diag));
    rh_channels_read(r->channels, world, index, n, value);
    value += n;
  }
  return RH_OK;
}

static PyObject *table_bytes(const recording_object *r, const int *index, int n,
                             const long range[2])
{
  size_t bytes = (size_t)n * (size_t)(range[1] - range[0]) * sizeof(double);
  PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
  if (result == NULL) {
    return NULL;
  }
  rh_diag *diag = rh_diag_create();
  double *value = PyMem_Malloc(bytes + sizeof *value);
  rh_status status = value != NULL ? read_table(r, index, n, range, value, diag) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    memcpy(PyBytes_AsString(result), value, bytes);
    rh_diag_destroy(diag);
  } else {
    Py_CLEAR(result);
    core_raise_diag(status, diag);
  }
  PyMem_Free(value);
  return result;
}

// _table(names, first, end): bytes of (end - first) x n doubles. Numbers and names of the program
// may close the recording while they are read: it is checked after them.
static PyObject *table_method(PyObject *self, PyObject *args)
{
  recording_object *r = (recording_object *)self;
  PyObject *names = NULL;
  PyObject *keep = NULL;
  long range[2] = {0, 0};
  int n = 0;
  if (!PyArg_ParseTuple(args, "Oll:_table", &names, &range[0], &range[1])) {
    return NULL;
  }
  const char **name = core_strings(names, &keep, &n);
  if (name == NULL) {
    return NULL;
  }
  PyObject *result = NULL;
  int *index = NULL;
  if (live_recording(r) == NULL) {
    // raised
  } else if (range[0] < 0 || range[1] > rh_recording_frames(r->recording) || range[0] > range[1]) {
    core_raise(PyExc_IndexError, "there are no such frames");
  } else {
    index = PyMem_Calloc((size_t)n + 1, sizeof *index);
    if (index == NULL) {
      PyErr_NoMemory();
    } else if (find_channels(r, name, n, index) == 0) {
      result = table_bytes(r, index, n, range);
    }
  }
  PyMem_Free(index);
  core_strings_free(name, keep);
  return result;
}

// _frame(index): (state, hash)
static PyObject *frame_method(PyObject *self, PyObject *args)
{
  recording_object *r = (recording_object *)self;
  long index = 0;
  if (!PyArg_ParseTuple(args, "l:_frame", &index) || live_recording(r) == NULL) {
    return NULL;
  }
  if (index < 0 || index >= rh_recording_frames(r->recording)) {
    return core_raise(PyExc_IndexError, "there is no frame %ld", index);
  }
  size_t n = (size_t)rh_recording_model(r->recording)->layout.nstate;
  double *state = PyMem_Malloc(n * sizeof *state);
  rh_diag *diag = rh_diag_create();
  uint64_t hash = 0;
  rh_status status = state != NULL ? rh_recording_frame(r->recording, index, state, &hash, diag)
                                   : RH_OUT_OF_MEMORY;
  PyObject *result = NULL;
  if (status == RH_OK) {
    result = Py_BuildValue("(y#K)", (const char *)state, (Py_ssize_t)(n * sizeof *state),
                           (unsigned long long)hash);
    rh_diag_destroy(diag);
  } else {
    core_raise_diag(status, diag);
  }
  PyMem_Free(state);
  return result;
}

// A collection of garbage between two events may close the recording.
static PyObject *read_event(recording_object *r, long i)
{
  rh_event event;
  if (live_recording(r) == NULL) {
    return NULL;
  }
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_recording_event(r->recording, i, &event, diag);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  return core_event(&event);
}

static PyObject *events_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  recording_object *r = (recording_object *)self;
  if (live_recording(r) == NULL) {
    return NULL;
  }
  long n = rh_recording_events(r->recording);
  PyObject *list = PyList_New(0);
  for (long i = 0; list != NULL && i < n; i++) {
    PyObject *one = read_event(r, i);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *verify_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  recording_object *r = (recording_object *)self;
  if (live_recording(r) == NULL) {
    return NULL;
  }
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_recording_verify(r->recording, diag);
  if (status != RH_OK) {
    return core_raise_diag(status, diag);
  }
  rh_diag_destroy(diag);
  Py_RETURN_NONE;
}

static PyMethodDef method[] = {
    {"_open", open_method, METH_VARARGS, "Opens a file."},
    {"close", close_method, METH_NOARGS, "Closes the file; arrays stay valid."},
    {"meta", meta_method, METH_VARARGS, "A text of the recording by its key, None: absent."},
    {"_counts", counts_method, METH_NOARGS, "(frames, events, frame to resume from, ended)"},
    {"_channels", channels_method, METH_NOARGS, "(name, unit, group) of every channel."},
    {"_table", table_method, METH_VARARGS, "Values of channels over frames."},
    {"_frame", frame_method, METH_VARARGS, "State and hash of a frame."},
    {"_events", events_method, METH_NOARGS, "All events."},
    {"verify", verify_method, METH_NOARGS, "Checks all sums of the file; raises SceneError."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slot[] = {{Py_tp_new, make_recording},
                             {Py_tp_dealloc, release_recording},
                             {Py_tp_methods, method},
                             {Py_tp_doc, "A recording."},
                             {0, NULL}};
static PyType_Spec spec = {.name = "routh._core.Recording",
                           .basicsize = sizeof(recording_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           .slots = slot};

int core_add_recording(PyObject *module)
{
  return core_add_type(module, &spec, &core.recording);
}
