// view.c: the memory of a world or a batch as a buffer: numpy.asarray of a view copies nothing.
#include "core.h"

typedef struct view_object {
  PyObject_HEAD PyObject *owner;
  Py_ssize_t *exports; // of the owner
  view_spec spec;
  Py_ssize_t total; // [byte]
} view_object;

PyObject *core_view(PyObject *owner, Py_ssize_t *exports, const view_spec *spec)
{
  view_object *v = PyObject_New(view_object, core.view);
  if (v == NULL) {
    return NULL;
  }
  Py_INCREF(owner);
  v->owner = owner;
  v->exports = exports;
  v->spec = *spec;
  v->total = (Py_ssize_t)sizeof(double);
  for (int i = 0; i < spec->ndim; i++) {
    v->total *= spec->shape[i];
  }
  (*exports)++;
  return (PyObject *)v;
}

static void release_view(PyObject *self)
{
  view_object *v = (view_object *)self;
  (*v->exports)--;
  Py_DECREF(v->owner);
  core_free(self);
}

static int is_contiguous(const view_spec *s)
{
  Py_ssize_t step = (Py_ssize_t)sizeof(double);
  for (int i = s->ndim - 1; i >= 0; i--) {
    if (s->shape[i] > 1 && s->stride[i] != step) {
      return 0;
    }
    step *= s->shape[i];
  }
  return 1;
}

static int fill_buffer(PyObject *self, Py_buffer *buffer, int flags)
{
  view_object *v = (view_object *)self;
  buffer->obj = NULL;
  if (v->spec.readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "this view is read-only");
    return -1;
  }
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !is_contiguous(&v->spec)) {
    PyErr_SetString(PyExc_BufferError, "this view has strides");
    return -1;
  }
  Py_INCREF(self);
  *buffer =
      (Py_buffer){.buf = v->spec.at,
                  .obj = self,
                  .len = v->total,
                  .itemsize = (Py_ssize_t)sizeof(double),
                  .readonly = v->spec.readonly,
                  .ndim = v->spec.ndim,
                  .format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? "d" : NULL,
                  .shape = (flags & PyBUF_ND) == PyBUF_ND ? v->spec.shape : NULL,
                  .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? v->spec.stride : NULL};
  return 0;
}

static PyType_Slot slot[] = {{Py_tp_dealloc, release_view},
                             {Py_bf_getbuffer, fill_buffer},
                             {Py_tp_doc, "Memory of a world or a batch, as a buffer of doubles."},
                             {0, NULL}};
static PyType_Spec spec = {.name = "routh._core.View",
                           .basicsize = sizeof(view_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slot};

int core_add_view(PyObject *module)
{
  return core_add_type(module, &spec, &core.view);
}
