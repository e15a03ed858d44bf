// core.h: the parts of the extension module routh._core. It uses the public headers of Routh and
// CPython's limited API of 3.11 only. All functions return a new reference, NULL or -1 with an
// exception set, where their comment states nothing else.
#ifndef ROUTH_PYTHON_CORE_H
#define ROUTH_PYTHON_CORE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <routh/routh.h>
#include <routh/batch.h>
#include <routh/fit.h>

// ---- Types, errors and helpers (module.c)

typedef struct core_types {
  PyObject *error, *scene_error, *run_error, *stop_run; // exceptions
  PyTypeObject *message, *event;                        // named tuples
  PyTypeObject *view, *model, *world, *recording, *batch, *moment;
} core_types;

extern core_types core; // set once, when the module is made

void *core_raise(PyObject *type, const char *format, ...); // returns NULL
// "no <what> is called '<name>'", with the nearest of the names there are. NULL.
void *core_raise_name(PyObject *type, const char *what, const char *name, const char *const *all,
                      int n);
// Raises SceneError with all messages of `diag`, MemoryError, or RunError; destroys the diag. NULL.
void *core_raise_diag(rh_status status, rh_diag *diag);
void *core_raise_row(const char *kind, const char *what, const char *name); // the same, of a table
PyObject *core_message(const rh_message *message); // Message
PyObject *core_messages(const rh_diag *diag);      // list of them
// All errors as the command line prints them, one after the other.
PyObject *core_messages_text(const rh_message *message, int n);
void *core_raise_run(rh_status status, const char *reason);
PyObject *core_event(const rh_event *event);
// A type with a heap: its spec; -1 after an error.
int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type);
void core_free(PyObject *self); // end of every tp_dealloc: memory, then the reference to the type
PyObject *core_text(const char *text); // str, bytes that are no UTF-8 replaced
double core_clock(void); // [s] coarse, for how often signals are looked at
// A sequence of strings, as NULL-ended array for the library; `*keep` holds the texts. Free both by
// core_strings_free.
const char **core_strings(PyObject *sequence, PyObject **keep, int *count);
void core_strings_free(const char **list, PyObject *keep);

int core_add_model(PyObject *module);
int core_add_view(PyObject *module);
int core_add_world(PyObject *module);
int core_add_recording(PyObject *module);
int core_add_batch(PyObject *module);
int core_add_moment(PyObject *module);
// Functions of the module
extern PyMethodDef core_law_methods[], core_record_methods[], core_command_methods[],
    core_controller_methods[];
void core_load_tools(void); // once, before all else (command.c)

// ---- Models (model.c): immutable, shared by worlds and threads

typedef struct model_object {
  PyObject_HEAD
  rh_model *model;
  rh_channels *channels;
  char *text;         // the scene with every value in force (rh_scene_write)
  PyObject *name;     // of the scene, in messages
  PyObject *messages; // warnings
} model_object;

int core_object_kind(const char *word, rh_object *object); // "body": 0, else -1
PyObject *core_channels(const rh_channels *channels); // list of (name, unit, group)
// A list of the names, or None. A sequence of the program may run anything when it is read, so that
// this comes before a world, batch or recording is checked.
PyObject *core_names_list(PyObject *names);
PyObject *core_channel_indices(const rh_channels *channels, PyObject *names, int **index,
                               int *count);
PyObject *core_model_names(const rh_model *m, PyObject *args); // (kind of object)
// (q address, number of coordinates, v address, degrees of freedom, parent) of every body's joint
PyObject *core_model_joints(const rh_model *m);

// ---- Views (view.c): memory of a world or a batch as a buffer. The view keeps its owner alive; the
// owner counts its views.

enum { VIEW_DIMENSIONS = 3 };

typedef struct view_spec {
  void *at;
  int ndim;
  Py_ssize_t shape[VIEW_DIMENSIONS], stride[VIEW_DIMENSIONS]; // [byte]
  int readonly;
} view_spec;

PyObject *core_view(PyObject *owner, Py_ssize_t *exports, const view_spec *spec);

// ---- Worlds (world.c, world_read.c, world_observe.c)

typedef struct guard_link {
  PyObject *world; // borrowed: the guard belongs to it
  PyObject *value, *act;
  double last;
} guard_link;

typedef struct world_object {
  PyObject_HEAD
  PyObject *model; // model_object
  rh_sim *sim;
  rh_data place;    // copy of the world's struct: where its state is, also while a run is at a trial
  double *trial;    // the state, while that of a trial is in its place (guards); NULL: never yet
  rh_data *mirror;  // a second world, to compute what is derived from the state
  double *copy;     // what a program may write, after the last run
  Py_ssize_t exports; // views alive
  int exposed;      // a view was made since the world was
  int busy;         // it runs
  int called;       // a function of the program is called by the run
  PyThreadState *thread; // of the run, while the lock of the interpreter is released
  PyObject *on_event, *on_frame;
  PyObject *decide; // function of (index) -> efforts
  guard_link guard[RH_GUARD_MAX];
  int nguard;
  rh_recorder *recorder;
  rh_event *event; // kept ones
  long nevent, event_capacity, event_limit, event_dropped;
  PyObject *failure[3]; // an exception of a function that the run called
  uint64_t hash;        // over all frames, as of `routh run`
  double polled;        // [s] when signals were last looked at
  long process;         // that made it
} world_object;

// Begins and ends a piece of the run without the lock. Begin returns -1 if the world cannot run.
int core_world_begin(world_object *w);
int core_world_end(world_object *w, rh_status status);
int core_world_check(world_object *w); // may it be read or changed? -1: it runs elsewhere
int core_world_idle(world_object *w);  // may it be changed? -1: it runs
// May this process run it? -1: it was made before a fork, with what a fork does not copy.
int core_world_process(const world_object *w);
// What was written through views since `copy` was filled: refused (-1), or taken, with a restart of
// the engine if `restart`, else checked only.
int core_world_writes(world_object *w, bool restart);
rh_data *core_world_mirror(world_object *w); // kinematics, contacts, ledger of the present state
void core_world_observe(world_object *w);    // observers of a new simulation
PyObject *core_bodies(const rh_data *d);     // position, attitude, velocities, 18 numbers each
PyObject *core_dynamics(rh_data *d, const char *what); // "mass", "bias" or "a"; written into d
PyObject *core_jacobian(const rh_data *d, PyObject *args); // (body, (x, y, z)) [kinematics]
extern PyMethodDef core_world_read_methods[], core_world_observe_methods[];

// ---- Controllers that scenes name (controller.c)

// The world whose run this data is; NULL: that of a batch or a verb.
world_object *core_world_of(const rh_data *d);
// Takes the lock for a controller in the run of a world; false: it has failed already. Give returns
// it, and keeps the exception that is set for the end of the run.
bool core_world_take(world_object *w);
void core_world_give(world_object *w);
void core_read_efforts(PyObject *result, int n, double *effort); // of a controller
// Where exceptions of controllers in this thread are put: three references. Returns the place before.
PyObject **core_failures_go_to(PyObject **to);
// Takes the exceptions of other threads in runs of this model (NULL: of all).
void core_failure_claim(const rh_model *model, PyObject *failure[3]);
int core_failures_left(void);

// ---- Measured series of a program (measured.c): the arrays of the caller, held during the call

typedef struct core_series {
  PyObject *name, *keep;
  const char **channel;
  Py_buffer t, value; // obj NULL: not held
} core_series;

typedef struct core_measured {
  core_series *one;
  rh_measured *series;
  int n;
} core_measured;

// A list of (name, channels, times, values), or None. False: an exception is set. Free in any case.
bool core_measured_read(PyObject *list, core_measured *measured);
void core_measured_free(core_measured *measured);

#define CORE_METHODS_MAX 64

#endif
