// measured.c: series of a program for verbs that compare a scene with measurements (routh/fit.h: rh_measured): the numbers of arrays,
// which stay where they are during the call.
#include "core.h"

#include <stdlib.h>
#include <string.h>

// The numbers of an array of float64; false: an exception is set.
static bool view_numbers(PyObject *array, Py_buffer *view, Py_ssize_t want)
{
  if (PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    view->obj = NULL;
    return false;
  }
  bool number = view->format != NULL && strcmp(view->format, "d") == 0;
  if (!number || (want >= 0 && view->len != want * (Py_ssize_t)sizeof(double))) {
    core_raise(PyExc_ValueError, "a series is (name, names of channels, times, values): arrays of "
                                 "float64, a row of values for each time");
    return false;
  }
  return true;
}

static bool read_series(PyObject *item, core_series *one, rh_measured *to)
{
  const char *name = NULL;
  PyObject *channels = NULL;
  PyObject *t = NULL;
  PyObject *value = NULL;
  int n = 0;
  if (!PyTuple_Check(item)) {
    core_raise(PyExc_TypeError, "a series is a tuple (name, names of channels, times, values)");
    return false;
  }
  if (!PyArg_ParseTuple(item, "sOOO:series", &name, &channels, &t, &value)) {
    return false;
  }
  one->name = PyTuple_GetItem(item, 0);
  Py_INCREF(one->name);
  one->channel = core_strings(channels, &one->keep, &n);
  if (one->channel == NULL || !view_numbers(t, &one->t, -1)) {
    return false;
  }
  Py_ssize_t rows = one->t.len / (Py_ssize_t)sizeof(double);
  if (rows > INT32_MAX || !view_numbers(value, &one->value, rows * n)) {
    return false;
  }
  *to = (rh_measured){name, (int)rows, n, one->channel, one->t.buf, one->value.buf};
  return true;
}

bool core_measured_read(PyObject *list, core_measured *m)
{
  *m = (core_measured){0};
  Py_ssize_t n = list != Py_None ? PySequence_Size(list) : 0;
  if (n <= 0) {
    return n == 0;
  }
  m->one = calloc((size_t)n, sizeof *m->one);
  m->series = calloc((size_t)n, sizeof *m->series);
  if (m->one == NULL || m->series == NULL) {
    PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    m->n = (int)i + 1;
    bool good = item != NULL && read_series(item, &m->one[i], &m->series[i]);
    Py_XDECREF(item);
    if (!good) {
      return false;
    }
  }
  return true;
}

void core_measured_free(core_measured *m)
{
  for (int i = 0; i < m->n; i++) {
    core_series *one = &m->one[i];
    if (one->t.obj != NULL) {
      PyBuffer_Release(&one->t);
    }
    if (one->value.obj != NULL) {
      PyBuffer_Release(&one->value);
    }
    if (one->channel != NULL) {
      core_strings_free(one->channel, one->keep);
    }
    Py_XDECREF(one->name);
  }
  free(m->one);
  free(m->series);
}
