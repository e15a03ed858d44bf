// law.c: contact and friction laws by themselves, over arrays.
#include "core.h"

#include <stdio.h>

static int read_parameter(const rh_row *row, PyObject *key, PyObject *value, double par[RH_PAR_MAX])
{
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  double x = name != NULL ? PyFloat_AsDouble(value) : 0;
  char why[RH_WHY_MAX];
  if (PyErr_Occurred()) {
    return -1;
  }
  int index = rh_row_find(row, name);
  if (index == RH_NONE) {
    char list[400] = "none";
    for (size_t i = 0, used = 0; i < (size_t)row->nparam && used < sizeof list - RH_NAME_MAX; i++) {
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                               row->param[i].name);
    }
    core_raise(PyExc_TypeError, "%s has no parameter '%s'; it has %s", row->name, name, list);
    return -1;
  }
  if (!rh_param_check(&row->param[index], x, why)) {
    core_raise(PyExc_ValueError, "%s of %s %s", name, row->name, why);
    return -1;
  }
  par[rh_row_offset(row, index)] = x;
  return 0;
}

// Parameters of a row: defaults, then the given ones; each is checked against its range. They are
// read from a copy: a number of the program may change the dict while it is read.
static int read_parameters(const rh_row *row, PyObject *given, double par[RH_PAR_MAX])
{
  PyObject *copy = PyDict_Copy(given);
  PyObject *key = NULL;
  PyObject *value = NULL;
  Py_ssize_t at = 0;
  int result = copy != NULL ? 0 : -1;
  rh_row_defaults(row, par);
  while (result == 0 && PyDict_Next(copy, &at, &key, &value)) {
    result = read_parameter(row, key, value, par);
  }
  Py_XDECREF(copy);
  return result;
}

// A contiguous buffer of doubles.
static int read_buffer(PyObject *object, Py_buffer *buffer, int flags, Py_ssize_t n)
{
  if (PyObject_GetBuffer(object, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags) != 0) {
    return -1;
  }
  if (buffer->itemsize != (Py_ssize_t)sizeof(double) || buffer->format == NULL ||
      buffer->format[0] != 'd' || (n >= 0 && buffer->len != n * (Py_ssize_t)sizeof(double))) {
    PyBuffer_Release(buffer);
    PyErr_SetString(PyExc_ValueError, "an array of doubles of the same size is wanted");
    return -1;
  }
  return 0;
}

static void evaluate_normal(const rh_normal_law *law, const double *par, double radius,
                            const Py_buffer *b)
{
  const double *depth = b[0].buf;
  const double *rate = b[1].buf;
  double *out = b[2].buf; // spring, damper, stored
  for (Py_ssize_t i = 0; i < b[0].len / (Py_ssize_t)sizeof(double); i++) {
    rh_normal_in in = {.depth = depth[i], .rate = rate[i], .radius = radius, .par = par};
    rh_normal_out force = {0};
    double gap = law->hold != NULL ? law->hold(par, radius) : 0;
    if (depth[i] > 0 || (gap > 0 && depth[i] >= -gap)) {
      law->force(&in, &force);
    }
    out[3 * i] = force.spring;
    out[3 * i + 1] = force.damper;
    out[3 * i + 2] = force.stored;
  }
}

// normal_force(name, parameters, radius, depth, rate, out)
static PyObject *normal_function(PyObject *self, PyObject *args)
{
  (void)self;
  const char *name = NULL;
  PyObject *given = NULL;
  double radius = 0;
  PyObject *array[3];
  if (!PyArg_ParseTuple(args, "sO!dOOO:normal_force", &name, &PyDict_Type, &given, &radius,
                        &array[0], &array[1], &array[2])) {
    return NULL;
  }
  const rh_normal_law *law = rh_normal_law_find(name);
  if (law == NULL) {
    return core_raise_row("laws", "contact law", name);
  }
  double par[RH_PAR_MAX];
  if (read_parameters(&law->row, given, par) != 0) {
    return NULL;
  }
  const char *why = law->check != NULL ? law->check(par) : NULL;
  if (why != NULL) {
    return core_raise(PyExc_ValueError, "%s: %s", name, why);
  }
  Py_buffer b[3];
  int n = 0;
  while (n < 3 && read_buffer(array[n], &b[n], n == 2 ? PyBUF_WRITABLE : 0,
                              n == 0   ? -1
                              : n == 1 ? b[0].len / (Py_ssize_t)sizeof(double)
                                       : 3 * b[0].len / (Py_ssize_t)sizeof(double)) == 0) {
    n++;
  }
  if (n == 3) {
    Py_BEGIN_ALLOW_THREADS evaluate_normal(law, par, radius, b);
    Py_END_ALLOW_THREADS
  }
  int all = n == 3;
  while (n > 0) {
    PyBuffer_Release(&b[--n]);
  }
  if (!all) {
    return NULL;
  }
  Py_RETURN_NONE;
}

// friction_force(name, parameters, (depth, rate, normal, slip1, slip2, s1, s2), radius): the force,
// rates of the states, stored energy, powers and margin of one state of a friction law.
static PyObject *friction_function(PyObject *self, PyObject *args)
{
  (void)self;
  const char *name = NULL;
  PyObject *given = NULL;
  double x[8];
  if (!PyArg_ParseTuple(args, "sO!(ddddddd)d:friction_force", &name, &PyDict_Type, &given, &x[0],
                        &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7])) {
    return NULL;
  }
  const rh_friction_law *law = rh_friction_law_find(name);
  if (law == NULL) {
    return core_raise_row("frictions", "friction law", name);
  }
  if (law->force == NULL) {
    return core_raise(PyExc_ValueError, "no friction law '%s' gives a force as a function of slip",
                      name);
  }
  double par[RH_PAR_MAX];
  if (read_parameters(&law->row, given, par) != 0) {
    return NULL;
  }
  const char *why = law->check != NULL ? law->check(par) : NULL;
  if (why != NULL) {
    return core_raise(PyExc_ValueError, "%s: %s", name, why);
  }
  rh_friction_in in = {.depth = x[0],
                       .rate = x[1],
                       .normal = x[2],
                       .slip = {x[3], x[4]},
                       .par = par,
                       .s = &x[5],
                       .radius = x[7]};
  rh_friction_out out = {0};
  law->force(&in, &out);
  return Py_BuildValue("{s:(dd),s:(dd),s:d,s:d,s:d,s:d,s:d}", "force", out.force[0], out.force[1],
                       "ds", out.ds[0], out.ds[1], "stored", out.stored, "p_spring", out.p_spring,
                       "p_damper", out.p_damper, "p_slide", out.p_slide, "margin", out.margin);
}

PyMethodDef core_law_methods[] = {
    {"normal_force", normal_function, METH_VARARGS, "The force of a contact law over arrays."},
    {"friction_force", friction_function, METH_VARARGS, "The force of a friction law."},
    {NULL, NULL, 0, NULL}};
