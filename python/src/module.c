// module.c: the module routh._core: exceptions, named tuples, tables of rows, helpers of the types.
#include "core.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

core_types core;

// ---- Helpers

void *core_raise(PyObject *type, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  PyObject *text = PyUnicode_FromFormatV(format, args);
  va_end(args);
  if (text != NULL) {
    PyErr_SetObject(type, text);
    Py_DECREF(text);
  }
  return NULL;
}

PyObject *core_text(const char *text)
{
  text = text != NULL ? text : "";
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

double core_clock(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void core_free(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type == NULL ? -1 : PyModule_AddType(module, *type);
}

const char **core_strings(PyObject *sequence, PyObject **keep, int *count)
{
  *keep = PySequence_List(sequence);
  Py_ssize_t n = *keep != NULL ? PyList_Size(*keep) : 0;
  if (n >= INT_MAX) {
    Py_CLEAR(*keep);
    return core_raise(PyExc_OverflowError, "a list has too many texts");
  }
  const char **list = *keep != NULL ? PyMem_Calloc((size_t)n + 1, sizeof *list) : NULL;
  if (list == NULL) {
    Py_CLEAR(*keep);
    return PyErr_Occurred() ? NULL : (const char **)PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    Py_ssize_t size = 0;
    list[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(*keep, i), &size);
    if (list[i] != NULL && strlen(list[i]) != (size_t)size) {
      PyErr_SetString(PyExc_ValueError, "a text must not hold zero bytes");
    }
    if (PyErr_Occurred()) {
      core_strings_free(list, *keep);
      *keep = NULL;
      return NULL;
    }
  }
  *count = (int)n;
  return list;
}

void core_strings_free(const char **list, PyObject *keep)
{
  PyMem_Free((void *)list);
  Py_XDECREF(keep);
}

// ---- Messages and errors

PyObject *core_message(const rh_message *m)
{
  static const char *const severity[] = {"error", "warning", "note"};
  PyObject *t = PyStructSequence_New(core.message);
  if (t == NULL) {
    return NULL;
  }
  PyStructSequence_SetItem(t, 0, core_text(severity[m->severity]));
  PyStructSequence_SetItem(t, 1, core_text(m->place.file));
  PyStructSequence_SetItem(t, 2, PyLong_FromLong(m->place.line));
  PyStructSequence_SetItem(t, 3, PyLong_FromLong(m->place.column));
  PyStructSequence_SetItem(t, 4, core_text(m->text));
  PyStructSequence_SetItem(t, 5, core_text(m->source));
  if (PyErr_Occurred()) {
    Py_CLEAR(t);
  }
  return t;
}

PyObject *core_messages(const rh_diag *diag)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    PyObject *t = core_message(&m);
    if (t == NULL || PyList_Append(list, t) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(t);
  }
  return list;
}

PyObject *core_messages_text(const rh_message *message, int n)
{
  PyObject *text = core_text("");
  char line[2048];
  bool first = true;
  for (int i = 0; text != NULL && i < n; i++) {
    if (message[i].severity == RH_ERROR) {
      line[0] = '\n';
      (void)rh_message_format(&message[i], line + !first, sizeof line - 1);
      first = false;
      PyObject *more = core_text(line);
      PyObject *both = more != NULL ? PyUnicode_Concat(text, more) : NULL;
      Py_XDECREF(more);
      Py_DECREF(text);
      text = both;
    }
  }
  return text;
}

static PyObject *errors_text(const rh_diag *diag)
{
  int n = rh_diag_kept(diag);
  rh_message *list = PyMem_Calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) {
    return PyErr_NoMemory();
  }
  for (int i = 0; i < n; i++) {
    list[i] = rh_diag_get(diag, i);
  }
  PyObject *text = core_messages_text(list, n);
  PyMem_Free(list);
  return text;
}

static void raise_scene_error(const rh_diag *diag, rh_status status)
{
  PyObject *messages = core_messages(diag);
  PyObject *text = messages != NULL ? errors_text(diag) : NULL;
  if (text != NULL && PyUnicode_GetLength(text) == 0) {
    Py_DECREF(text);
    text = core_text(rh_status_message(status));
  }
  PyObject *error =
      text != NULL ? PyObject_CallFunctionObjArgs(core.scene_error, text, NULL) : NULL;
  if (error != NULL && PyObject_SetAttrString(error, "messages", messages) == 0) {
    PyErr_SetObject(core.scene_error, error);
  }
  Py_XDECREF(error);
  Py_XDECREF(text);
  Py_XDECREF(messages);
}

void *core_raise_diag(rh_status status, rh_diag *diag)
{
  if (status == RH_OUT_OF_MEMORY) {
    PyErr_NoMemory();
  } else {
    raise_scene_error(diag, status);
  }
  rh_diag_destroy(diag);
  return NULL;
}

void *core_raise_run(rh_status status, const char *reason)
{
  if (status == RH_OUT_OF_MEMORY) {
    return PyErr_NoMemory();
  }
  PyObject *text =
      core_text(reason != NULL && reason[0] != '\0' ? reason : rh_status_message(status));
  PyObject *name = core_text(rh_status_name(status));
  PyObject *error = text != NULL ? PyObject_CallFunctionObjArgs(core.run_error, text, NULL) : NULL;
  if (error != NULL && name != NULL && PyObject_SetAttrString(error, "status", name) == 0) {
    PyErr_SetObject(core.run_error, error);
  }
  Py_XDECREF(error);
  Py_XDECREF(name);
  Py_XDECREF(text);
  return NULL;
}

// ---- Events

PyObject *core_event(const rh_event *e)
{
  PyObject *t = PyStructSequence_New(core.event);
  if (t == NULL) {
    return NULL;
  }
  const double number[] = {e->before, e->after, e->impulse, e->friction, e->Dn, e->Dt, e->work};
  PyStructSequence_SetItem(t, 0, PyFloat_FromDouble(e->t));
  PyStructSequence_SetItem(t, 1, core_text(rh_event_word(e->kind)));
  PyStructSequence_SetItem(t, 2, core_text(e->name));
  PyStructSequence_SetItem(t, 3, PyLong_FromLong(e->dof));
  PyStructSequence_SetItem(t, 4, PyLong_FromLong(e->slot));
  PyStructSequence_SetItem(t, 5, Py_BuildValue("(ddd)", e->point[0], e->point[1], e->point[2]));
  for (int i = 0; i < RH_COUNT(number); i++) {
    PyStructSequence_SetItem(t, 6 + i, PyFloat_FromDouble(number[i] + 0.0)); // no minus zero
  }
  PyStructSequence_SetItem(t, 13, core_text(e->note));
  PyStructSequence_SetItem(t, 14, Py_BuildValue("(ii)", e->body[0], e->body[1]));
  if (PyErr_Occurred()) {
    Py_CLEAR(t);
  }
  return t;
}

static PyStructSequence_Field message_field[] = {{"severity", "'error', 'warning' or 'note'"},
                                                 {"file", "name of the file, '' if there is none"},
                                                 {"line", "from 1; 0: unknown"},
                                                 {"column", "from 1; 0: unknown"},
                                                 {"text", "what is wrong, and what was expected"},
                                                 {"source", "the line of the file"},
                                                 {NULL, NULL}};
static PyStructSequence_Desc message_desc = {
    "routh.Message", "A message about a scene or a file, with its place.", message_field, 6};

static PyStructSequence_Field event_field[] = {
    {"t", "time [s]"},
    {"kind", "word of routh.EVENT_KINDS: 'touch', 'impact', ..."},
    {"name", "joint, contact, actuator, force, event or guard"},
    {"dof", "degree of freedom, -1: none"},
    {"slot", "slot of a contact point, -1: none"},
    {"point", "where that point is [m], world axes"},
    {"before", "velocity before (contacts: of approach, or slip)"},
    {"after", "velocity after"},
    {"impulse", "generalised impulse [N s, N m s]; of an impact: along the normal"},
    {"friction", "of an impact: impulse in the contact plane [N s]"},
    {"Dn", "of an impact: dissipated along the normal [J]"},
    {"Dt", "of an impact: dissipated by friction [J]"},
    {"work", "change of the energy [J]"},
    {"note", "of a verdict: the reason in words"},
    {"bodies", "indices of the bodies that meet, -1: not known"},
    {NULL, NULL}};
static PyStructSequence_Desc event_desc = {"routh.Event", "An event of a run.", event_field, 15};

// ---- Tables

void *core_raise_name(PyObject *type, const char *what, const char *name, const char *const *all,
                      int n)
{
  const char *near = rh_nearest_name(name, all, n);
  return core_raise(type, "no %s is called '%s'%s%s%s", what, name,
                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
}

void *core_raise_row(const char *kind, const char *what, const char *name)
{
  const char *all[128];
  int n = 0;
  for (; n < RH_COUNT(all) && rh_kind_row(kind, n) != NULL; n++) {
    all[n] = rh_kind_row(kind, n)->name;
  }
  return core_raise_name(PyExc_ValueError, what, name, all, n);
}

static PyObject *kinds_function(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && rh_kind_name(i) != NULL; i++) {
    PyObject *name = core_text(rh_kind_name(i));
    if (name == NULL || PyList_Append(list, name) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *row_parameters(const rh_row *row)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < row->nparam; i++) {
    const rh_param *p = &row->param[i];
    PyObject *one = Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:s}", "name", p->name, "unit",
                                  p->unit ? p->unit : "1", "default", p->def, "least", p->lo,
                                  "greatest", p->hi, "doc", p->doc ? p->doc : "");
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *rows_function(PyObject *self, PyObject *args)
{
  (void)self;
  const char *kind = NULL;
  if (!PyArg_ParseTuple(args, "s:rows", &kind)) {
    return NULL;
  }
  const char *all[64];
  int n = 0;
  bool known = false;
  for (; n < RH_COUNT(all) && rh_kind_name(n) != NULL; n++) {
    all[n] = rh_kind_name(n);
    known = known || strcmp(all[n], kind) == 0;
  }
  if (!known) {
    return core_raise_name(PyExc_ValueError, "kind of rows", kind, all, n);
  }
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && rh_kind_row(kind, i) != NULL; i++) {
    const rh_row *row = rh_kind_row(kind, i);
    PyObject *one =
        Py_BuildValue("{s:s,s:s,s:s,s:N}", "name", row->name, "doc", row->doc ? row->doc : "",
                      "cite", row->cite ? row->cite : "", "parameters", row_parameters(row));
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *event_kinds_function(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  PyObject *map = PyDict_New();
  for (int i = 0; map != NULL && i < RH_EVENT_COUNT; i++) {
    PyObject *text = core_text(rh_event_text((rh_event_kind)i));
    if (text == NULL || PyDict_SetItemString(map, rh_event_word((rh_event_kind)i), text) != 0) {
      Py_CLEAR(map);
    }
    Py_XDECREF(text);
  }
  return map;
}

static PyMethodDef module_methods[CORE_METHODS_MAX] = {
    {"kinds", kinds_function, METH_NOARGS,
     "Names of the kinds of rows: laws, impacts, joints, ..."},
    {"rows", rows_function, METH_VARARGS, "Rows of a kind: name, doc, cite, parameters."},
    {"event_kinds", event_kinds_function, METH_NOARGS, "Words of the events, with their meaning."},
    {NULL, NULL, 0, NULL}};

static PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = "routh._core",
                                 .m_doc = "The library of Routh, as the package routh uses it.",
                                 .m_size = -1, .m_methods = module_methods};

static int add_exception(PyObject *module, const char *name, const char *doc, PyObject *base,
                         PyObject **type)
{
  char full[64] = "routh.";
  (void)strncat(full, name, sizeof full - 8);
  *type = PyErr_NewExceptionWithDoc(full, doc, base, NULL);
  return *type == NULL ? -1 : PyModule_AddObjectRef(module, name, *type);
}

static int add_errors(PyObject *module)
{
  if (add_exception(module, "Error", "Base of the exceptions of Routh.", NULL, &core.error) != 0) {
    return -1;
  }
  PyObject *both = PyTuple_Pack(2, core.error, PyExc_ValueError);
  int bad = both == NULL ||
            add_exception(module, "SceneError",
                          "What was given is wrong: a scene, a file, an option; `messages` has all "
                          "messages with their places.",
                          both, &core.scene_error) != 0 ||
            add_exception(module, "RunError", "A run stopped; `status` is the name of the status.",
                          core.error, &core.run_error) != 0 ||
            add_exception(module, "StopRun",
                          "Raised by a function that a run calls, it ends the run quietly.",
                          core.error, &core.stop_run) != 0;
  Py_XDECREF(both);
  return bad ? -1 : 0;
}

static int add_tuples(PyObject *module)
{
  core.message = PyStructSequence_NewType(&message_desc);
  core.event = PyStructSequence_NewType(&event_desc);
  return core.message == NULL || core.event == NULL ||
                 PyModule_AddObjectRef(module, "Message", (PyObject *)core.message) != 0 ||
                 PyModule_AddObjectRef(module, "Event", (PyObject *)core.event) != 0
             ? -1
             : 0;
}

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
  core_load_tools();
  PyObject *module = PyModule_Create(&module_def);
  if (module == NULL) {
    return NULL;
  }
  if (add_errors(module) != 0 || add_tuples(module) != 0 || core_add_view(module) != 0 ||
      core_add_model(module) != 0 || core_add_world(module) != 0 ||
      core_add_recording(module) != 0 || core_add_batch(module) != 0 ||
      core_add_moment(module) != 0 || PyModule_AddFunctions(module, core_law_methods) != 0 ||
      PyModule_AddFunctions(module, core_record_methods) != 0 ||
      PyModule_AddFunctions(module, core_command_methods) != 0 ||
      PyModule_AddFunctions(module, core_controller_methods) != 0 ||
      PyModule_AddStringConstant(module, "version", rh_version()) != 0 ||
      PyModule_AddIntConstant(module, "BATCH_MAX", RH_BATCH_MAX) != 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
