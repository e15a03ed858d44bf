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

// ---- The table of verbs: those that need no terminal and no server

#define VERBS(X)      X(run) X(check) X(law) X(impact) X(compare) X(plot) X(export) X(solve) X(list)
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
  double polled; // [s] when signals were last looked at
  bool failed;   // an exception is set
} call;

static bool check_signals(void *user)
{
  call *c = user;
  double now = core_clock();
  if (!c->failed && now - c->polled > 0.02) {
    c->polled = now;
    PyEval_RestoreThread(c->thread);
    c->failed = PyErr_CheckSignals() != 0;
    c->thread = PyEval_SaveThread();
  }
  return c->failed;
}

static void begin_call(call *c)
{
  c->caller.stop = check_signals;
  c->caller.user = c;
  c->polled = core_clock();
  rh_caller_set(&c->caller);
  c->thread = PyEval_SaveThread();
}

static void end_call(call *c)
{
  PyEval_RestoreThread(c->thread);
  rh_caller_set(NULL);
  c->failed = c->failed || PyErr_CheckSignals() != 0;
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

// command(words, name, text): (status, output, messages, errors as the command line prints them).
// A file of this name has this text; both may be None.
static PyObject *command_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *words = NULL;
  call c = {0};
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "Ozz#:command", &words, &c.caller.name, &c.caller.text, &bytes)) {
    return NULL;
  }
  c.caller.bytes = (size_t)bytes;
  c.caller.name = c.caller.text != NULL ? c.caller.name : NULL;
  PyObject *keep = NULL;
  int count = 0;
  const char **word = core_strings(words, &keep, &count);
  if (word == NULL) {
    return NULL;
  }
  const rh_verb *verb = count > 0 ? rh_verb_find(word[0]) : NULL;
  PyObject *result = NULL;
  if (verb == NULL) {
    core_raise(PyExc_ValueError, "no verb '%s' can be called", count > 0 ? word[0] : "");
  } else {
    begin_call(&c);
    rh_status status = run_words(verb, count - 1, (char **)word + 1);
    end_call(&c);
    if (!c.failed) {
      result = status == RH_OUT_OF_MEMORY ? PyErr_NoMemory() : call_result(&c, status);
    }
  }
  core_strings_free(word, keep);
  rh_caller_free(&c.caller);
  return result;
}

// ---- The viewer's page

extern const char rh_page[]; // of librouth_verbs
extern const char rh_page_end[];

static rh_status write_page(const char *path, const rh_viewer_limits *limits, rh_diag *diag,
                            FILE *out)
{
  const rh_viewer_page page = {rh_page, (size_t)(rh_page_end - rh_page)};
  rh_viewer *film = NULL;
  RH_TRY(rh_viewer_open(path, diag, &film));
  rh_status status = rh_viewer_write(&page, &film, 1, limits, diag, out);
  rh_viewer_close(film);
  return status;
}

// page(path, megabytes, shallow): the page, bytes
static PyObject *page_function(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject *path = NULL;
  double size = 0;
  int shallow = 0;
  if (!PyArg_ParseTuple(args, "O&dp:page", PyUnicode_FSConverter, &path, &size, &shallow)) {
    return NULL;
  }
  char *text = NULL;
  size_t bytes = 0;
  bool sized = size >= 1 && size <= 1000;
  bool built = rh_page[0] == '<'; // else the reason why it was not
  FILE *out = sized && built ? open_memstream(&text, &bytes) : NULL;
  if (out == NULL) {
    Py_DECREF(path);
    return !sized ? core_raise(PyExc_ValueError, "the size of a page is 1 to 1000 MB")
           : !built
               ? core_raise(core.run_error, "the package was built without its page: %s", rh_page)
               : PyErr_NoMemory();
  }
  rh_viewer_limits limits = {.bytes = (long)(size * 1e6), .shallow = shallow != 0};
  rh_diag *diag = rh_diag_create();
  call c = {0};
  begin_call(&c);
  rh_status status = write_page(PyBytes_AsString(path), &limits, diag, out);
  bool whole = fclose(out) == 0;
  end_call(&c);
  rh_caller_free(&c.caller);
  Py_DECREF(path);
  PyObject *result = NULL;
  if (c.failed || (status == RH_OK && whole)) {
    result = c.failed ? NULL : PyBytes_FromStringAndSize(text, (Py_ssize_t)bytes);
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
    {"page", page_function, METH_VARARGS, "The viewer's page of a recording."},
    {NULL, NULL, 0, NULL}};

void core_load_tools(void)
{
  rh_tools_load();
}
