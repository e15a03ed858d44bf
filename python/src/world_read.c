// world_read.c: what is derived from the state: poses, contacts, channels, energies, matrices. They
// are computed in a second world, the mirror, so that reading changes no bit of a run.
#include "core.h"

#include <string.h>

// The state of the world in the mirror, nothing derived yet.
static rh_data *copy_world(world_object *w)
{
  if (core_world_check(w) != 0) {
    return NULL;
  }
  const model_object *m = (const model_object *)w->model;
  if (w->mirror == NULL) {
    w->mirror = rh_data_create(m->model);
    if (w->mirror == NULL) {
      return (rh_data *)PyErr_NoMemory();
    }
  }
  const rh_data *d = &w->place;
  memcpy(w->mirror->state, d->state, (size_t)m->model->layout.nstate * sizeof(double));
  memcpy(w->mirror->tau, d->tau, (size_t)m->model->nv * sizeof(double));
  memcpy(w->mirror->fext, d->fext, (size_t)m->model->nbody * sizeof(rh_force));
  return w->mirror;
}

rh_data *core_world_mirror(world_object *w)
{
  rh_data *d = copy_world(w);
  if (d != NULL) {
    rh_channels_read(((const model_object *)w->model)->channels, d, NULL, 0, NULL);
  }
  return d;
}

static PyObject *double_bytes(const double *x, size_t n)
{
  return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(n * sizeof *x));
}

// ---- Bodies: position, attitude (row major), velocity and angular velocity, 18 numbers each

enum { BODY_NUMBERS = 18 };

PyObject *core_bodies(const rh_data *d)
{
  size_t n = (size_t)d->model->nbody * BODY_NUMBERS;
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * sizeof(double)));
  char *to = bytes != NULL ? PyBytes_AsString(bytes) : NULL;
  for (int i = 0; to != NULL && i < d->model->nbody; i++) {
    const rh_kin_body *b = &d->kin[i];
    memcpy(to, &b->p, sizeof b->p);
    memcpy(to + 3 * sizeof(double), b->R.m, sizeof b->R.m);
    memcpy(to + 12 * sizeof(double), &b->v.lin, sizeof b->v.lin);
    memcpy(to + 15 * sizeof(double), &b->v.ang, sizeof b->v.ang);
    to += BODY_NUMBERS * sizeof(double);
  }
  return bytes;
}

static PyObject *bodies_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  const rh_data *d = core_world_mirror((world_object *)self);
  return d != NULL ? core_bodies(d) : NULL;
}

// ---- Contacts: the columns of routh.CONTACT_DTYPE, all doubles

enum { CONTACT_NUMBERS = 33 };

static void write_contact(const rh_data *d, int k, double *x)
{
  const rh_contact *c = &d->contact[k];
  const rh_vec3 *const vector[] = {&c->point, &c->n, &c->t1, &c->t2};
  *x++ = k;
  *x++ = c->rule;
  *x++ = c->a;
  *x++ = c->b;
  *x++ = c->shape[0];
  *x++ = c->shape[1];
  for (int i = 0; i < RH_COUNT(vector); i++) {
    memcpy(x, vector[i], sizeof *vector[i]);
    x += 3;
  }
  rh_vec3 force = rh_scale(c->normal, c->n);
  force = rh_addscaled(force, c->friction[0], c->t1);
  force = rh_addscaled(force, c->friction[1], c->t2);
  memcpy(x, &force, sizeof force);
  x += 3;
  memcpy(x, &c->torque, sizeof c->torque);
  x += 3;
  const double number[] = {c->depth,       c->rate,        c->slip[0], c->slip[1],    c->normal,
                           c->friction[0], c->friction[1], c->stored,  c->recoverable};
  memcpy(x, number, sizeof number);
}

static PyObject *contacts_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  const rh_data *d = core_world_mirror(w);
  if (d == NULL) {
    return NULL;
  }
  size_t count = 0;
  for (int k = 0; k < d->ncontact; k++) {
    count += d->contact[k].on;
  }
  double *all = PyMem_Calloc(count * CONTACT_NUMBERS + 1, sizeof *all);
  if (all == NULL) {
    return PyErr_NoMemory();
  }
  size_t n = 0;
  for (int k = 0; k < d->ncontact; k++) {
    if (d->contact[k].on) {
      write_contact(d, k, all + CONTACT_NUMBERS * n++);
    }
  }
  PyObject *bytes = double_bytes(all, count * CONTACT_NUMBERS);
  PyMem_Free(all);
  return bytes;
}

// ---- Channels and energies

static PyObject *channels_method(PyObject *self, PyObject *names)
{
  world_object *w = (world_object *)self;
  PyObject *list = core_names_list(names);
  rh_data *d = list != NULL ? copy_world(w) : NULL;
  const model_object *m = (const model_object *)w->model;
  int *index = NULL;
  int n = 0;
  PyObject *found = d != NULL ? core_channel_indices(m->channels, list, &index, &n) : NULL;
  Py_XDECREF(list);
  if (found == NULL) {
    return NULL;
  }
  Py_DECREF(found);
  PyObject *bytes = NULL;
  double *value = PyMem_Calloc((size_t)n + 1, sizeof *value);
  if (value != NULL) {
    rh_channels_read(m->channels, d, index, n, value);
    bytes = double_bytes(value, (size_t)n);
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(value);
  PyMem_Free(index);
  return bytes;
}

static PyObject *ledger_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_idle(w) != 0) {
    return NULL;
  }
  rh_ledger ledger = rh_sim_ledger(w->sim);
  PyObject *map = PyDict_New();
#define LEDGER_ENTRY(name, text)                                                                   \
  if (map != NULL) {                                                                               \
    PyObject *x = PyFloat_FromDouble(ledger.name);                                                 \
    if (x == NULL || PyDict_SetItemString(map, #name, x) != 0) {                                   \
      Py_CLEAR(map);                                                                               \
    }                                                                                              \
    Py_XDECREF(x);                                                                                 \
  }
  RH_LEDGER_LIST(LEDGER_ENTRY)
#undef LEDGER_ENTRY
  return map;
}

static PyObject *stats_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_check(w) != 0) {
    return NULL;
  }
  rh_sim_stats s = rh_sim_statistics(w->sim);
  return Py_BuildValue(
      "{s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:l}", "steps",
      s.step.steps, "rejected", s.step.rejected, "evaluations", s.step.evaluations, "restarts",
      s.step.restarts, "frames", s.frames, "events", s.events, "asleep", s.asleep, "impacts",
      s.impact.impacts, "single", s.impact.single, "e_least", s.impact.e_lo, "e_most",
      s.impact.e_hi, "time_least", s.impact.time_lo, "time_most", s.impact.time_hi, "deepest",
      s.impact.deepest, "peak_force", s.impact.peak, "largest_impulse", s.impact.impulse,
      "worst_residue", s.residue.worst, "residue_bound", s.residue.bound, "events_dropped",
      w->event_dropped);
}

static PyObject *verdicts_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_check(w) != 0) {
    return NULL;
  }
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < RH_EVENT_COUNT; i++) {
    rh_event first;
    long count = rh_sim_verdicts(w->sim, (rh_event_kind)i, &first);
    if (count == 0 || !rh_event_is_verdict((rh_event_kind)i)) {
      continue;
    }
    PyObject *event = core_event(&first);
    PyObject *one = event != NULL
                        ? Py_BuildValue("(slO)", rh_event_word((rh_event_kind)i), count, event)
                        : NULL;
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
    Py_XDECREF(event);
  }
  return list;
}

// ---- Forces

static PyObject *apply_force_method(PyObject *self, PyObject *args)
{
  world_object *w = (world_object *)self;
  int body = 0;
  double f[6];
  if (!PyArg_ParseTuple(args, "i(ddd)(ddd):_apply_force", &body, &f[0], &f[1], &f[2], &f[3], &f[4],
                        &f[5]) ||
      core_world_idle(w) != 0) {
    return NULL;
  }
  for (int i = 0; i < 6; i++) {
    if (f[i] - f[i] != 0) {
      return core_raise(PyExc_ValueError, "a force and its point must be finite");
    }
  }
  if (rh_sim_apply_force(w->sim, body, rh_v3(f[0], f[1], f[2]), rh_v3(f[3], f[4], f[5])) != RH_OK) {
    return core_raise(PyExc_ValueError, "body %d does not move, or there is no such one", body);
  }
  if (w->exposed) {
    rh_sim_keep_changes(w->sim, w->copy);
  }
  Py_RETURN_NONE;
}

static PyObject *clear_forces_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_idle(w) != 0) {
    return NULL;
  }
  rh_sim_clear_forces(w->sim);
  if (w->exposed) {
    rh_sim_keep_changes(w->sim, w->copy);
  }
  Py_RETURN_NONE;
}

// ---- Dynamics of the tree: (nv x nv) mass matrix, (nv) bias, (nv) accelerations, (3 x nv) Jacobian

PyObject *core_dynamics(rh_data *d, const char *what)
{
  size_t nv = (size_t)d->model->nv;
  if (strcmp(what, "a") == 0) {
    d->model->run.engine->evaluate(d);
    return double_bytes(d->a, nv);
  }
  bool mass = strcmp(what, "mass") == 0;
  double *x = PyMem_Calloc(mass ? nv * nv + 1 : nv + 1, sizeof *x);
  if (x == NULL) {
    return PyErr_NoMemory();
  }
  rh_kinematics(d);
  if (mass) {
    rh_mass_matrix(d);
    rh_mass_dense(d, x);
  } else {
    rh_bias(d, x);
  }
  PyObject *bytes = double_bytes(x, mass ? nv * nv : nv);
  PyMem_Free(x);
  return bytes;
}

static PyObject *dynamics_method(PyObject *self, PyObject *args)
{
  const char *what = NULL;
  rh_data *d =
      PyArg_ParseTuple(args, "s:_dynamics", &what) ? core_world_mirror((world_object *)self) : NULL;
  return d != NULL ? core_dynamics(d, what) : NULL;
}

PyObject *core_jacobian(const rh_data *d, PyObject *args)
{
  int body = 0;
  double at[3];
  if (!PyArg_ParseTuple(args, "i(ddd):_jacobian", &body, &at[0], &at[1], &at[2])) {
    return NULL;
  }
  if (body < 0 || body >= d->model->nbody) {
    return core_raise(PyExc_IndexError, "there is no body %d", body);
  }
  size_t n = 3 * (size_t)d->model->nv;
  double *J = PyMem_Calloc(n + 1, sizeof *J);
  if (J == NULL) {
    return PyErr_NoMemory();
  }
  rh_point_jacobian(d, body, rh_v3(at[0], at[1], at[2]), J);
  PyObject *bytes = double_bytes(J, n);
  PyMem_Free(J);
  return bytes;
}

static PyObject *jacobian_method(PyObject *self, PyObject *args)
{
  const rh_data *d = core_world_mirror((world_object *)self);
  return d != NULL ? core_jacobian(d, args) : NULL;
}

static PyObject *status_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  world_object *w = (world_object *)self;
  if (core_world_check(w) != 0) {
    return NULL;
  }
  char advice[RH_ADVICE_MAX] = "";
  (void)rh_sim_residue_advice(w->sim, advice);
  return Py_BuildValue("(KsKs)", (unsigned long long)w->hash, rh_sim_reason(w->sim),
                       (unsigned long long)rh_data_hash(&w->place, 0), advice);
}

PyMethodDef core_world_read_methods[] = {
    {"_bodies", bodies_method, METH_NOARGS, "Poses and velocities of all bodies."},
    {"_contacts", contacts_method, METH_NOARGS, "Contact points."},
    {"_channels", channels_method, METH_O, "Values of channels."},
    {"ledger", ledger_method, METH_NOARGS, "The energy ledger now [J], by entry."},
    {"stats", stats_method, METH_NOARGS, "Counts of the run: steps, events, impacts, residue."},
    {"_verdicts", verdicts_method, METH_NOARGS, "(kind, count, first event) of all verdicts."},
    {"_apply_force", apply_force_method, METH_VARARGS, "A force at a point of a body."},
    {"clear_forces", clear_forces_method, METH_NOARGS, "Ends all forces of apply_force and fext."},
    {"_dynamics", dynamics_method, METH_VARARGS, "Mass matrix, bias, accelerations."},
    {"_jacobian", jacobian_method, METH_VARARGS, "Jacobian of a point of a body."},
    {"_status", status_method, METH_NOARGS,
     "(hash of all frames, reason, hash of the state, advice)"},
    {NULL, NULL, 0, NULL}};
