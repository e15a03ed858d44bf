// problem_runner.c: reads a problem file, passes each entry to its kind, and writes the answers in
// the order of the file. An invalid entry does not prevent the answers of the others.
#include "problem.h"

#include "base/table.h"
#include "console/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 200, DIAG_ROOM = 900, FALLBACK_MAX = 16, ERROR_MAX = 1500 };

#define TEXT_MAX ((size_t)512 << 20) // bytes of the whole answer

// ---- The table

#define RH_PROBLEM(name) extern const rh_problem rh_problem_##name;
#include "problems.def"
#undef RH_PROBLEM

static const rh_problem *const table[] = {
#define RH_PROBLEM(name) &rh_problem_##name,
#include "problems.def"
#undef RH_PROBLEM
};

RH_ROW_TABLE(problem)

// ---- One entry

typedef struct solver {
  rh_yaml tree;
  rh_diag *diag; // of the caller; may be our own
  rh_diag *
      spare; // takes the messages when that one is nearly full, so that every entry has its own error
  const char *only; // NULL: all
  char folder[4096];
  rh_scene_source *source;
  rh_text text;
  rh_json json;
  rh_status status;
} solver;

typedef struct entry {
  int node;
  int number;     // from 1
  const char *id; // NULL: none, or an invalid one
  bool again;     // another entry has this id already
} entry;

static bool refuse_node(solver *s, rh_diag *diag, int node, const char *text)
{
  rh_diag_add(diag, RH_ERROR, rh_yaml_place(&s->tree, node), "%s", text);
  return false;
}

static const rh_problem *find_kind(const rh_inputs *in, int entry_node)
{
  int node = rh_yaml_find(in->tree, entry_node, "kind");
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, entry_node, "'kind' is missing");
    return NULL;
  }
  const char *name = rh_input_text(in, node, "kind");
  const rh_problem *problem = name != NULL ? rh_problem_find(name) : NULL;
  if (name != NULL && problem == NULL) {
    const char *names[RH_COUNT(table)];
    for (int i = 0; i < RH_COUNT(table); i++) {
      names[i] = table[i]->row.name;
    }
    const char *near = rh_nearest_name(name, names, RH_COUNT(table));
    (void)rh_input_refuse(in, node, "unknown kind of problem '%.60s'%s%s%s", name,
                          RH_DID_YOU_MEAN(near));
  }
  return problem;
}

// Finds the inputs; `*known_only`: all of them are known.
static bool find_inputs(rh_inputs *in, int entry_node, bool *known_only)
{
  const char *known[RH_PAR_MAX];
  const rh_row *row = &in->problem->row;
  int node = rh_yaml_find(in->tree, entry_node, "inputs");
  if (node == RH_NONE || in->tree->node[node].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, node == RH_NONE ? entry_node : node, "'inputs' %s",
                           node == RH_NONE ? "is missing" : "must be a map");
  }
  RH_ASSERT(row->nparam <= RH_PAR_MAX);
  for (int i = 0; i < row->nparam; i++) {
    known[i] = row->param[i].name;
  }
  in->map = node;
  *known_only = rh_input_keys(in, node, "input", known, row->nparam);
  return true;
}

static rh_status solve_entry(solver *s, const entry *e, rh_diag *diag, rh_answer *answer)
{
  static const char *const known[] = {"id", "kind", "inputs", "expected", "tol", "note"};
  rh_inputs in = {.tree = &s->tree,
                  .map = RH_NONE,
                  .folder = s->source ? s->folder : NULL,
                  .source = s->source,
                  .diag = diag};
  int id = rh_yaml_find(&s->tree, e->node, "id");
  if (s->tree.node[e->node].kind != RH_NODE_MAP) {
    (void)refuse_node(s, diag, e->node, "a problem must be a map {id, kind, inputs}");
    return RH_INPUT_REFUSED;
  }
  if (e->id == NULL || e->again) {
    (void)refuse_node(s, diag, id != RH_NONE ? id : e->node,
                      id == RH_NONE ? "'id' is missing"
                      : e->again
                          ? "another problem has this id already"
                          : "an id must be a text of 1 to 200 bytes that does not begin with '#'");
    return RH_INPUT_REFUSED;
  }
  bool good = rh_input_keys(&in, e->node, "key", known, RH_COUNT(known));
  bool known_only = true;
  in.problem = find_kind(&in, e->node);
  if (in.problem == NULL || !find_inputs(&in, e->node, &known_only)) {
    return RH_INPUT_REFUSED;
  }
  // Solved even if it is refused already: all errors are reported at once.
  rh_status status = in.problem->solve(&in, answer);
  if (status == RH_OK && !rh_answer_is_whole(answer)) {
    status = RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK && (!good || !known_only)) {
    status = RH_INPUT_REFUSED;
  }
  const char *name = status == RH_OK ? rh_answer_not_finite(answer) : NULL;
  if (name != NULL) {
    (void)rh_input_refuse(&in, e->node, "the answer is not finite: '%s'", name);
    status = RH_NOT_FINITE;
  }
  return status;
}

// "file:line:column: what" of the first error since `first`
static void write_error(solver *s, const entry *e, const rh_diag *diag, int first, rh_status status)
{
  char text[ERROR_MAX];
  rh_message message = {.place = rh_yaml_place(&s->tree, e->node),
                        .text = rh_status_message(status)};
  for (int i = first; i < rh_diag_kept(diag); i++) {
    if (rh_diag_get(diag, i).severity == RH_ERROR) {
      message = rh_diag_get(diag, i);
      break;
    }
  }
  const char *file = message.place.file != NULL ? message.place.file : s->tree.file[0];
  if (message.place.line > 0) {
    (void)snprintf(text, sizeof(text), "%s:%d:%d: %s", file, message.place.line,
                   message.place.column, message.text);
  } else {
    (void)snprintf(text, sizeof(text), "%s: %s", file, message.text);
  }
  rh_json_string(&s->json, "error", text);
}

static void answer_entry(solver *s, const entry *e)
{
  rh_answer answer = {0};
  bool full = rh_diag_kept(s->diag) >= DIAG_ROOM;
  if (full) {
    rh_diag_clear(s->spare);
    rh_diag_add(s->diag, RH_ERROR, rh_yaml_place(&s->tree, e->node), "messages are no longer kept");
  }
  rh_diag *diag = full ? s->spare : s->diag;
  int first = rh_diag_kept(diag);
  rh_status status = RH_OVER_LIMIT;
  if (s->text.size > TEXT_MAX) {
    (void)refuse_node(s, diag, e->node, "the answers before this one are too long already");
  } else {
    status = solve_entry(s, e, diag, &answer);
  }
  char fallback[FALLBACK_MAX];
  (void)snprintf(fallback, sizeof(fallback), "#%d", e->number);
  rh_json_open_object(&s->json, e->id != NULL && !e->again ? e->id : fallback);
  if (status == RH_OK) {
    rh_answer_write(&answer, &s->json);
  } else {
    write_error(s, e, diag, first, status);
  }
  rh_json_close(&s->json);
  if (s->status == RH_OK) {
    s->status = status;
  }
  rh_answer_clear(&answer);
}

// ---- All entries

static int compare_entries(const void *left, const void *right)
{
  const entry *const *a = left;
  const entry *const *b = right;
  int order = strcmp((*a)->id, (*b)->id);
  return order != 0 ? order : (*a)->number - (*b)->number;
}

static const char *read_id(const solver *s, int node)
{
  int id = rh_yaml_find(&s->tree, node, "id");
  if (id == RH_NONE || s->tree.node[id].kind != RH_NODE_SCALAR || rh_yaml_is_null(&s->tree, id)) {
    return NULL;
  }
  const char *text = rh_yaml_text(&s->tree, id);
  size_t length = strlen(text);
  return length > 0 && length <= ID_MAX && text[0] != '#' ? text : NULL;
}

static void mark_again(entry *list, entry **sorted, int count)
{
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (list[i].id != NULL) {
      sorted[n++] = &list[i];
    }
  }
  if (n > 0) {
    qsort(sorted, (size_t)n, sizeof(*sorted), compare_entries);
  }
  for (int i = 1; i < n; i++) {
    sorted[i]->again = strcmp(sorted[i - 1]->id, sorted[i]->id) == 0;
  }
}

static bool answer_only(solver *s, const entry *list, const entry *const *sorted, int count)
{
  bool found = false;
  for (int i = 0; i < count; i++) {
    if (list[i].id != NULL && strcmp(list[i].id, s->only) == 0) {
      answer_entry(s, &list[i]);
      found = true;
    }
  }
  if (found) {
    return true;
  }
  const char *near = NULL;
  for (int i = 0; i < count && near == NULL && sorted[i] != NULL; i++) {
    near = rh_nearest_name(s->only, &sorted[i]->id, 1);
  }
  rh_diag_add(s->diag, RH_ERROR, (rh_place){.file = s->tree.file[0]},
              "no problem has the id '%.200s'%s%s%s", s->only, RH_DID_YOU_MEAN(near));
  return false;
}

static rh_status answer_list(solver *s, int list_node)
{
  int count = s->tree.node[list_node].count;
  if (count > RH_PROBLEM_MAX) {
    (void)refuse_node(s, s->diag, list_node, "too many problems: a file may have 100000");
    return RH_OVER_LIMIT;
  }
  entry *list = rh_alloc((size_t)(count + 1) * sizeof(entry));
  entry **sorted = rh_alloc((size_t)(count + 1) * sizeof(entry *));
  rh_status status = list != NULL && sorted != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    int i = 0;
    for (int node = s->tree.node[list_node].first; node != RH_NONE;
         node = s->tree.node[node].next) {
      list[i] = (entry){.node = node, .number = i + 1, .id = read_id(s, node)};
      i++;
    }
    mark_again(list, sorted, count);
    rh_json_open_object(&s->json, NULL);
    for (i = 0; i < count && s->only == NULL && status == RH_OK; i++) {
      status = rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
      if (status == RH_OK) {
        answer_entry(s, &list[i]);
      }
    }
    if (s->only != NULL && !answer_only(s, list, (const entry *const *)sorted, count)) {
      status = RH_INPUT_REFUSED;
    }
    rh_json_end(&s->json);
  }
  rh_free(list);
  rh_free(sorted);
  return status;
}

// The list of problems: the file itself, or one key of it.
static int find_list(solver *s, int root)
{
  static const char *const key[] = {"problems", "entries", "cases"};
  static const char *const known[] = {"problems", "entries", "cases",      "note",
                                      "meta",     "units",   "conventions"};
  rh_inputs in = {.tree = &s->tree, .map = root, .diag = s->diag};
  int list = s->tree.node[root].kind == RH_NODE_LIST ? root : RH_NONE;
  if (s->tree.node[root].kind == RH_NODE_MAP) {
    for (int i = 0; i < RH_COUNT(key); i++) {
      int node = rh_yaml_find(&s->tree, root, key[i]);
      if (node != RH_NONE && list != RH_NONE) {
        (void)refuse_node(s, s->diag, node, "the file has a list of problems already");
        return RH_NONE;
      }
      list = node != RH_NONE ? node : list;
    }
    if (list != RH_NONE && !rh_input_keys(&in, root, "key", known, RH_COUNT(known))) {
      s->status = RH_INPUT_REFUSED; // reported, but the problems can be answered
    }
  }
  if (list == RH_NONE || s->tree.node[list].kind != RH_NODE_LIST) {
    bool scene = list == RH_NONE && s->tree.node[root].kind == RH_NODE_MAP &&
                 rh_yaml_find(&s->tree, root, "bodies") != RH_NONE;
    (void)refuse_node(
        s, s->diag, list == RH_NONE ? root : list,
        scene ? "this is a scene, which `routh run` reads; a problem file is a list of "
                "{id, kind, inputs}"
              : "a problem file must be a list of {id, kind, inputs}, or a map with such "
                "a list under 'problems'");
    return RH_NONE;
  }
  return list;
}

static rh_status solve_tree(solver *s, const char *text, size_t bytes)
{
  int root = RH_NONE;
  RH_TRY(rh_yaml_read(&s->tree, text, bytes, (rh_yaml_start){0}, s->diag, &root));
  int list = find_list(s, root);
  if (list == RH_NONE) {
    return RH_INPUT_REFUSED;
  }
  s->json = rh_json_start(&s->text, true);
  return answer_list(s, list);
}

static bool set_folder(solver *s, const char *name)
{
  const char *slash = strrchr(name, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - name);
  if (length >= sizeof(s->folder)) {
    return false;
  }
  memcpy(s->folder, name, length);
  if (slash == name) { // a file in the root folder
    memcpy(s->folder, "/.", 3);
  }
  return true;
}

// One parameter above the limit: each is a plain choice of the caller.
// NOLINTNEXTLINE(readability-function-size)
rh_status rh_solve_text(const char *text, size_t bytes, const char *name, const char *only,
                        rh_scene_source *source, rh_diag *diag, char **json)
{
  *json = NULL;
  solver *s = rh_alloc(sizeof(*s));
  rh_diag *own = diag == NULL ? rh_diag_create() : NULL;
  rh_status status = RH_OUT_OF_MEMORY;
  if (s != NULL && (diag != NULL || own != NULL)) {
    s->diag = diag != NULL ? diag : own;
    s->spare = rh_diag_create();
    s->only = only;
    s->source = source && set_folder(s, name) ? source : NULL;
    s->tree.file[0] = rh_diag_add_source(s->diag, name, text, bytes);
    status =
        s->spare != NULL && s->tree.file[0] != NULL ? solve_tree(s, text, bytes) : RH_OUT_OF_MEMORY;
    if (status == RH_OK) {
      *json = rh_text_take(&s->text);
      status = *json != NULL ? s->status : RH_OUT_OF_MEMORY;
    }
    rh_text_free(&s->text);
    rh_yaml_free(&s->tree);
    rh_diag_destroy(s->spare);
  }
  rh_diag_destroy(own);
  rh_free(s);
  return status;
}

rh_status rh_solve_file(const char *path, const char *only, rh_diag *diag, char **json)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  *json = NULL;
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &name));
  rh_status status = rh_solve_text(text, bytes, name, only, rh_scene_files, diag, json);
  rh_free(text);
  return status;
}
