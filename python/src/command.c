// command.c: the verbs of the command line inside the interpreter: what `routh VERB --json` prints is
// returned, messages are kept, the interpreter's lock is released, and signals are looked at. Also
// the viewer's page of a recording.
#include "core.h"

#include "cli.h"
#include "console/caller.h"
#include "hdf5/tools.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

// ---- The table of verbs: all but the help

#define VERBS(X)                                                                                   \
  X(run)                                                                                           \
  X(view)                                                                                          \
  X(plot)                                                                                          \
  X(compare)                                                                                       \
  X(sweep) X(fit) X(haptic) X(law) X(impact) X(export) X(solve) X(paper) X(check) X(convert) X(list)
#define DECLARE(name) extern const rh_verb rh_verb_##name;
VERBS(DECLARE)
#define ENTRY(name) &rh_verb_##name,
static const rh_verb *const table[] = {VERBS(ENTRY)};

const rh_verb *const *rh_verb_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_verb *rh_verb_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}

// ---- Signals

typedef struct call {
  rh_caller caller;
  PyThreadState *thread;
  double polled;        // [s] when signals were last looked at
  bool ended;           // by `poll`
  size_t shown;         // bytes of the output that `poll` has seen
  PyObject *progress;   // function of (done, of, what is next); NULL: none
  PyObject *poll;       // function of the output so far: true ends the verb; NULL: none
  PyObject *failure[3]; // an exception of a function that the verb called, or of a signal
  PyObject **before;    // where exceptions went before, of a verb within another
  rh_caller *outer;     // that verb's
  bool threads;         // it has a loop in another thread
} call;

// The exception that is set is the end of the verb.
static void keep_failure(call *c)
{
  if (PyErr_Occurred() && c->failure[0] == NULL) {
    PyErr_Fetch(&c->failure[0], &c->failure[1], &c->failure[2]);
  }
  PyErr_Clear();
}

static void ask_poll(call *c)
{
  const rh_text *out = &c->caller.out;
  const char *text = out->data != NULL ? out->data : "";
  PyObject *answer = PyObject_CallFunction(c->poll, "y#", text, (Py_ssize_t)out->size);
  c->shown = out->size;
  c->ended = answer != NULL && PyObject_IsTrue(answer) == 1;
  Py_XDECREF(answer);
}

static bool check_signals(void *user)
{
  call *c = user;
  double now = core_clock();
  bool due = now - c->polled > 0.02 || (c->poll != NULL && c->shown != c->caller.out.size);
  if (c->failure[0] == NULL && !c->ended && due) {
    c->polled = now;
    PyEval_RestoreThread(c->thread);
    if (PyErr_CheckSignals() == 0 && c->poll != NULL) {
      ask_poll(c);
    }
    keep_failure(c);
    c->thread = PyEval_SaveThread();
  }
  return c->failure[0] != NULL || c->ended || (c->threads && core_failures_left() > 0);
}

// Counted work: its exceptions end the verb.
static bool tell_progress(void *user, int done, int of, const char *next)
{
  call *c = user;
  if (c->failure[0] != NULL) {
    return false;
  }
  PyEval_RestoreThread(c->thread);
  Py_XDECREF(PyObject_CallFunction(c->progress, "iis", done, of, next));
  if (!PyErr_Occurred()) {
    (void)PyErr_CheckSignals();
  }
  keep_failure(c);
  c->thread = PyEval_SaveThread();
  return c->failure[0] == NULL;
}

static void begin_call(call *c)
{
  c->caller.progress = c->progress != NULL ? tell_progress : NULL;
  c->caller.stop = check_signals;
  c->caller.user = c;
  c->polled = core_clock();
  c->before = core_failures_go_to(c->failure);
  c->outer = rh_caller_get();
  rh_caller_set(&c->caller);
  c->thread = PyEval_SaveThread();
}

// False: an exception is set.
static bool end_call(call *c)
{
  PyEval_RestoreThread(c->thread);
  rh_caller_set(c->outer);
  core_failures_go_to(c->before);
  if (c->threads) {
    core_failure_claim(NULL, c->failure);
  }
  if (c->failure[0] != NULL) {
    PyErr_Restore(c->failure[0], c->failure[1], c->failure[2]);
    return false;
  }
  return PyErr_CheckSignals() == 0;
}

// ---- Verbs

static rh_status run_words(const rh_verb *verb, int count, char **word)
{
  rh_args args;
  rh_status status = rh_args_parse(verb, count, word, &args);
  if (status == RH_OK) {
    status = verb->run(&args);
  }
  rh_args_free(&args);
  return status;
}

static PyObject *call_result(const call *c, rh_status status)
{
  const rh_caller *caller = &c->caller;
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < caller->nmessage; i++) {
    PyObject *one = core_message(&caller->message[i]);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  PyObject *text = list != NULL ? core_messages_text(caller->message, caller->nmessage) : NULL;
  if (text == NULL) {
    Py_XDECREF(list);
    return NULL;
  }
  return Py_BuildValue("(sy#NN)", rh_status_name(status),
                       caller->out.data != NULL ? caller->out.data : "",
                       (Py_ssize_t)caller->out.size, list, text);
}

// command(words, name, text, poll, series, progress): (status, output, messages, errors as the command
// line prints them). A file of this name has this text; both may be None. poll(output so far) is called now and
// then, and at once when there is more output; what is true ends the verb, as Ctrl-C would. `series`: data called @0, @1, ...
// (measured.c); progress(done, of, what is next) is called before each piece of counted work.
static PyObject *command_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *words = NULL;
  call c = {0};
  Py_ssize_t bytes = 0;
  PyObject *poll = Py_None;
  PyObject *series = Py_None;
  PyObject *progress = Py_None;
  core_measured measured;
  if (!PyArg_ParseTuple(args, "Ozz#|OOO:command", &words, &c.caller.name, &c.caller.text, &bytes,
                        &poll, &series, &progress)) {
    return NULL;
  }
  c.poll = poll != Py_None ? poll : NULL;
  c.progress = progress != Py_None ? progress : NULL;
  c.caller.bytes = (size_t)bytes;
  c.caller.name = c.caller.text != NULL ? c.caller.name : NULL;
  PyObject *keep = NULL;
  int count = 0;
  const char **word = core_strings(words, &keep, &count);
  if (word == NULL) {
    return NULL;
  }
  if (!core_measured_read(series, &measured)) {
    core_measured_free(&measured);
    core_strings_free(word, keep);
    return NULL;
  }
  c.caller.measured = measured.series;
  c.caller.nmeasured = measured.n;
  const rh_verb *verb = count > 0 ? rh_verb_find(word[0]) : NULL;
  PyObject *result = NULL;
  if (verb == NULL) {
    core_raise(PyExc_ValueError, "no verb '%s' can be called", count > 0 ? word[0] : "");
  } else {
    c.threads = strcmp(verb->row.name, "haptic") == 0;
    begin_call(&c);
    rh_status status = run_words(verb, count - 1, (char **)word + 1);
    if (end_call(&c)) {
      result = status == RH_OUT_OF_MEMORY ? PyErr_NoMemory() : call_result(&c, status);
    }
  }
  core_strings_free(word, keep);
  core_measured_free(&measured);
  rh_caller_free(&c.caller);
  return result;
}

// ---- The viewer's page

extern const char rh_page[]; // of librouth_verbs
extern const char rh_page_end[];

enum { PAGE_RUNS = 8 }; // side by side

typedef struct page_runs {
  PyObject *path[PAGE_RUNS];
  int n;
} page_runs;

static rh_status write_page(const page_runs *runs, const rh_viewer_limits *limits, rh_diag *diag,
                            FILE *out)
{
  const rh_viewer_page page = {rh_page, (size_t)(rh_page_end - rh_page)};
  rh_viewer *film[PAGE_RUNS] = {0};
  rh_status status = RH_OK;
  for (int i = 0; i < runs->n && status == RH_OK; i++) {
    status = rh_viewer_open(PyBytes_AsString(runs->path[i]), diag, &film[i]);
  }
  if (status == RH_OK) {
    status = rh_viewer_write(&page, film, runs->n, limits, diag, out);
  }
  for (int i = 0; i < runs->n; i++) {
    rh_viewer_close(film[i]);
  }
  return status;
}

static void free_runs(page_runs *runs)
{
  for (int i = 0; i < runs->n; i++) {
    Py_DECREF(runs->path[i]);
  }
}

// A list of paths.
static int read_runs(PyObject *list, page_runs *runs)
{
  Py_ssize_t n = PySequence_Size(list);
  if (n < 1 || n > PAGE_RUNS) {
    if (!PyErr_Occurred()) {
      core_raise(PyExc_ValueError, "a page has 1 to %d recordings, got %zd", PAGE_RUNS, n);
    }
    return -1;
  }
  *runs = (page_runs){0};
  for (int i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    bool read = item != NULL && PyUnicode_FSConverter(item, &runs->path[i]) != 0;
    Py_XDECREF(item);
    if (!read) {
      free_runs(runs);
      return -1;
    }
    runs->n++;
  }
  return 0;
}

// page(paths, megabytes, shallow): the page, bytes
static PyObject *page_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *paths = NULL;
  page_runs runs;
  double size = 0;
  int shallow = 0;
  if (!PyArg_ParseTuple(args, "Odp:page", &paths, &size, &shallow) ||
      read_runs(paths, &runs) != 0) {
    return NULL;
  }
  char *text = NULL;
  size_t bytes = 0;
  bool sized = size >= 1 && size <= 1000;
  bool built = rh_page[0] == '<'; // else the reason why it was not
  FILE *out = sized && built ? open_memstream(&text, &bytes) : NULL;
  if (out == NULL) {
    free_runs(&runs);
    return !sized ? core_raise(PyExc_ValueError, "the size of a page is 1 to 1000 MB")
           : !built
               ? core_raise(core.run_error, "the package was built without its page: %s", rh_page)
               : PyErr_NoMemory();
  }
  rh_viewer_limits limits = {.bytes = (long)(size * 1e6), .shallow = shallow != 0};
  rh_diag *diag = rh_diag_create();
  call c = {0};
  begin_call(&c);
  rh_status status = write_page(&runs, &limits, diag, out);
  bool whole = fclose(out) == 0;
  bool good = end_call(&c);
  rh_caller_free(&c.caller);
  free_runs(&runs);
  PyObject *result = NULL;
  if (!good || (status == RH_OK && whole)) {
    result = good ? PyBytes_FromStringAndSize(text, (Py_ssize_t)bytes) : NULL;
    rh_diag_destroy(diag);
  } else {
    core_raise_diag(status != RH_OK ? status : RH_OUT_OF_MEMORY, diag);
  }
  free(text); // the C library's, not ours
  return result;
}

PyMethodDef core_command_methods[] = {
    {"command", command_function, METH_VARARGS,
     "A verb of the command line: (status, output, messages, errors as text)."},
    {"page", page_function, METH_VARARGS, "The viewer's page of recordings."},
    {NULL, NULL, 0, NULL}};

void core_load_tools(void)
{
  rh_tools_load();
}
