// model.c: a compiled scene. It is never written after it is made: worlds and threads share it.
#include "core.h"

#include <string.h>

static model_object *new_model(void)
{
  allocfunc make = (allocfunc)PyType_GetSlot(core.model, Py_tp_alloc);
  return (model_object *)make(core.model, 0);
}

static void release_model(PyObject *self)
{
  model_object *m = (model_object *)self;
  rh_channels_destroy(m->channels);
  rh_model_destroy(m->model);
  rh_free(m->text);
  Py_XDECREF(m->name);
  Py_XDECREF(m->messages);
  core_free(self);
}

static rh_status read_scene(PyObject *source, const char *name, const char **set, int nset,
                            rh_diag *diag, rh_scene **scene)
{
  if (source == Py_None) {
    return rh_scene_load(name, set, nset, diag, scene);
  }
  Py_ssize_t bytes = 0;
  const char *text = PyUnicode_AsUTF8AndSize(source, &bytes);
  return text == NULL ? RH_WRONG_USAGE
                      : rh_scene_parse(text, (size_t)bytes, name, set, nset, diag, scene);
}

static rh_status compile_scene(const rh_scene *scene, rh_diag *diag, model_object *m)
{
  rh_status status = rh_scene_compile(scene, diag, &m->model);
  if (status != RH_OK) {
    return status;
  }
  m->channels = rh_channels_create(m->model);
  m->text = rh_scene_write(scene, false);
  return m->channels != NULL && m->text != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

// compile(source, name, set): a model of a scene's text, or of the file `name` if the source is None.
static PyObject *compile_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *source = NULL;
  const char *name = NULL;
  PyObject *sets = NULL;
  if (!PyArg_ParseTuple(args, "OsO:compile", &source, &name, &sets)) {
    return NULL;
  }
  if (source != Py_None && !PyUnicode_Check(source)) {
    return core_raise(PyExc_TypeError, "the source of a scene is a str or None");
  }
  PyObject *keep = NULL;
  int nset = 0;
  const char **set = core_strings(sets, &keep, &nset);
  if (set == NULL) {
    return NULL;
  }
  model_object *m = new_model();
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = RH_OUT_OF_MEMORY;
  if (m != NULL && diag != NULL) {
    status = read_scene(source, name, set, nset, diag, &scene);
    status = status == RH_OK ? compile_scene(scene, diag, m) : status;
  }
  rh_scene_destroy(scene);
  core_strings_free(set, keep);
  if (status != RH_OK) {
    Py_XDECREF((PyObject *)m);
    if (PyErr_Occurred()) {
      rh_diag_destroy(diag);
      return NULL;
    }
    return core_raise_diag(status, diag);
  }
  m->messages = core_messages(diag);
  m->name = core_text(name);
  rh_diag_destroy(diag);
  if (m->messages == NULL || m->name == NULL) {
    Py_CLEAR(m);
  }
  return (PyObject *)m;
}

// ---- What it holds

static const struct {
  const char *word;
  rh_object object;
} object_word[] = {{"body", RH_OBJECT_BODY},
                   {"joint", RH_OBJECT_JOINT},
                   {"point", RH_OBJECT_POINT},
                   {"actuator", RH_OBJECT_ACTUATOR},
                   {"force", RH_OBJECT_FORCE},
                   {"event", RH_OBJECT_EVENT},
                   {"shape", RH_OBJECT_SHAPE},
                   {"contact", RH_OBJECT_CONTACT},
                   {"controller", RH_OBJECT_CONTROLLER},
                   {"loop", RH_OBJECT_LOOP},
                   {"constraint", RH_OBJECT_CONSTRAINT},
                   {"tendon", RH_OBJECT_TENDON},
                   {"sensor", RH_OBJECT_SENSOR}};

_Static_assert(RH_COUNT(object_word) == RH_OBJECT_COUNT, "every kind of object has a word");

int core_object_kind(const char *word, rh_object *object)
{
  for (int i = 0; i < RH_COUNT(object_word); i++) {
    if (strcmp(object_word[i].word, word) == 0) {
      *object = object_word[i].object;
      return 0;
    }
  }
  core_raise(PyExc_ValueError, "no kind of object is called '%s'", word);
  return -1;
}

PyObject *core_model_names(const rh_model *m, PyObject *args)
{
  const char *word = NULL;
  rh_object object = RH_OBJECT_BODY;
  if (!PyArg_ParseTuple(args, "s:names", &word) || core_object_kind(word, &object) != 0) {
    return NULL;
  }
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < rh_model_count(m, object); i++) {
    PyObject *name = core_text(rh_model_name(m, object, i));
    if (name == NULL || PyList_Append(list, name) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *names_method(PyObject *self, PyObject *args)
{
  return core_model_names(((model_object *)self)->model, args);
}

static PyObject *sizes_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  const rh_model *m = ((model_object *)self)->model;
  int dt = rh_row_find(&m->run.engine->row, "dt");
  double step = m->run.engine->located || dt == RH_NONE
                    ? m->run.every
                    : m->run.engine_par[rh_row_offset(&m->run.engine->row, dt)];
  return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:d,s:i,s:s,s:N}", "nbody", m->nbody,
                       "nq", m->nq, "nv", m->nv, "nactuator", m->nactuator, "nshape", m->nshape,
                       "nslot", m->nslot, "nstate", m->layout.nstate, "until", m->run.until,
                       "every", m->run.every, "step", step, "batch", m->run.batch, "engine",
                       m->run.engine->row.name, "located", PyBool_FromLong(m->run.engine->located));
}

PyObject *core_model_joints(const rh_model *m)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    PyObject *one =
        Py_BuildValue("(iiiii)", b->qadr, b->joint ? b->joint->nq : 0, b->vadr, b->nv, b->parent);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *joints_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  return core_model_joints(((model_object *)self)->model);
}

PyObject *core_channels(const rh_channels *c)
{
  static const char *const group[] = {
#define GROUP_WORD(id, word, by_default, text) word,
      RH_CHANNEL_GROUP_LIST(GROUP_WORD)
#undef GROUP_WORD
          ""};
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < rh_channels_count(c); i++) {
    PyObject *one = Py_BuildValue("(sss)", rh_channel_name(c, i), rh_channel_unit(c, i),
                                  group[rh_channel_group(c, i)]);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *channels_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  return core_channels(((model_object *)self)->channels);
}

// The channels of a sequence of names; None: all. Returns the sequence itself, to keep; NULL.
PyObject *core_names_list(PyObject *names)
{
  if (names == Py_None) {
    Py_INCREF(names);
    return names;
  }
  return PySequence_List(names);
}

static void raise_unknown_channel(const rh_channels *channels, const char *name)
{
  int n = rh_channels_count(channels);
  const char **all = PyMem_Calloc((size_t)n + 1, sizeof *all);
  for (int i = 0; all != NULL && i < n; i++) {
    all[i] = rh_channel_name(channels, i);
  }
  core_raise_name(PyExc_KeyError, "channel", name, all, all != NULL ? n : 0);
  PyMem_Free(all);
}

PyObject *core_channel_indices(const rh_channels *channels, PyObject *names, int **index,
                               int *count)
{
  PyObject *keep = NULL;
  int n = rh_channels_count(channels);
  const char **name = NULL;
  if (names != Py_None) {
    name = core_strings(names, &keep, &n);
    if (name == NULL) {
      return NULL;
    }
  }
  *index = PyMem_Calloc((size_t)n + 1, sizeof **index);
  if (*index == NULL) {
    core_strings_free(name, keep);
    return PyErr_NoMemory();
  }
  for (int i = 0; i < n; i++) {
    (*index)[i] = name != NULL ? rh_channel_find(channels, name[i]) : i;
    if ((*index)[i] == RH_NONE) {
      raise_unknown_channel(channels, name[i]);
      PyMem_Free(*index);
      *index = NULL;
      core_strings_free(name, keep);
      return NULL;
    }
  }
  core_strings_free(name, keep);
  *count = n;
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject *get_text(PyObject *self, void *unused)
{
  (void)unused;
  return core_text(((model_object *)self)->text);
}

static PyObject *get_name(PyObject *self, void *unused)
{
  (void)unused;
  Py_INCREF(((model_object *)self)->name);
  return ((model_object *)self)->name;
}

static PyObject *get_messages(PyObject *self, void *unused)
{
  (void)unused;
  return PySequence_List(((model_object *)self)->messages);
}

static PyObject *same_layout_method(PyObject *self, PyObject *other)
{
  if (!PyObject_TypeCheck(other, core.model)) {
    return core_raise(PyExc_TypeError, "a model is wanted");
  }
  return PyBool_FromLong(
      rh_model_same_layout(((model_object *)self)->model, ((model_object *)other)->model));
}

static PyMethodDef method[] = {
    {"names", names_method, METH_VARARGS, "Names of the objects of a kind: body, joint, ..."},
    {"sizes", sizes_method, METH_NOARGS, "Sizes and settings of the run."},
    {"joints", joints_method, METH_NOARGS, "Addresses of the coordinates of each body's joint."},
    {"channels", channels_method, METH_NOARGS, "(name, unit, group) of every channel."},
    {"same_layout", same_layout_method, METH_O, "Is a state of one a state of the other?"},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef member[] = {
    {"text", get_text, NULL, "The scene with every value in force.", NULL},
    {"name", get_name, NULL, "Name of the scene.", NULL},
    {"messages", get_messages, NULL, "Warnings about the scene.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slot[] = {{Py_tp_dealloc, release_model},
                             {Py_tp_methods, method},
                             {Py_tp_getset, member},
                             {Py_tp_doc, "A compiled scene."},
                             {0, NULL}};
static PyType_Spec spec = {.name = "routh._core.Model",
                           .basicsize = sizeof(model_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slot};

// sections(): (name, whether it is a list) of every section of a scene
static PyObject *sections_function(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  PyObject *all = PyList_New(0);
  bool list = false;
  for (int i = 0; all != NULL && rh_scene_section(i, &list) != NULL; i++) {
    PyObject *one = Py_BuildValue("(sN)", rh_scene_section(i, NULL), PyBool_FromLong(list));
    if (one == NULL || PyList_Append(all, one) != 0) {
      Py_CLEAR(all);
    }
    Py_XDECREF(one);
  }
  return all;
}

static PyMethodDef function[] = {
    {"sections", sections_function, METH_NOARGS, "(name, is a list) of every section of a scene."},
    {"compile", compile_function, METH_VARARGS, "A model of a scene's text, or of a file."},
    {NULL, NULL, 0, NULL}};

int core_add_model(PyObject *module)
{
  return core_add_type(module, &spec, &core.model) != 0 ? -1
                                                        : PyModule_AddFunctions(module, function);
}
