// solve.c: figures that are problem files: every problem is solved and compared with its
// expected values in the file. Of an output with many numbers the worst one is reported. A
// difference d is within if |d| <= abs + rel |expected| with the file's tol; an output may have its
// own there, under its name.
#include "figure.h"

#include "problems/problem_runner.h"

#include <stdlib.h>
#include <string.h>

// ---- Comparing

typedef struct comparison {
  const rh_redone *redone;
  double rel, abs;
  rh_found found; // the worst so far
  double worst;   // RH_NONE: nothing yet
  int numbers;
} comparison;

static void keep_worst(comparison *c, const rh_found *one, double off)
{
  c->numbers++;
  if (c->numbers == 1 || off > c->worst) {
    rh_found kept = c->found;
    c->found = *one;
    memcpy(c->found.curve, kept.curve, sizeof kept.curve);
    memcpy(c->found.name, kept.name, sizeof kept.name);
    c->found.unit = kept.unit;
    c->worst = off;
  }
}

static void compare_scalar(comparison *c, int want, int got)
{
  const rh_yaml *posed = &c->redone->posed;
  const rh_yaml *answer = &c->redone->answer;
  rh_found one = {.want = rh_node_number(posed, want), .got = rh_node_number(answer, got)};
  one.allowed = c->abs + c->rel * fabs(one.want);
  if (isfinite(one.want)) {
    double far = fabs(one.got - one.want);
    keep_worst(c, &one, far <= one.allowed ? (far > 0 ? far / one.allowed : 0) : HUGE_VAL);
    return;
  }
  bool nothing = rh_yaml_is_null(posed, want);
  bool missing =
      got == RH_NONE || (rh_node_is(answer, got, RH_NODE_SCALAR) && rh_yaml_is_null(answer, got));
  snprintf(one.want_word, sizeof one.want_word, "%s", nothing ? "none" : rh_node_text(posed, want));
  snprintf(one.got_word, sizeof one.got_word, "%s", missing ? "none" : rh_node_text(answer, got));
  keep_worst(c, &one, strcmp(one.want_word, one.got_word) == 0 ? 0 : HUGE_VAL);
}

// Depth is bounded by that of a tree. NOLINTNEXTLINE(misc-no-recursion)
static void compare_node(comparison *c, int want, int got)
{
  const rh_yaml *posed = &c->redone->posed;
  const rh_yaml *answer = &c->redone->answer;
  if (rh_node_is(posed, want, RH_NODE_SCALAR)) {
    compare_scalar(c, want, got);
    return;
  }
  int at = 0;
  for (int node = posed->node[want].first; node != RH_NONE; node = posed->node[node].next, at++) {
    int other = rh_node_is(posed, want, RH_NODE_LIST)
                    ? rh_node_item(answer, got, at)
                    : rh_node_child(answer, got, rh_yaml_text(posed, posed->node[node].key));
    compare_node(c, node, other);
  }
}

static const char *unit_of(const char *kind, const char *key)
{
  const rh_problem *problem = rh_problem_find(kind);
  for (int i = 0; problem != NULL && i < problem->noutput; i++) {
    if (strcmp(problem->output[i].name, key) == 0) {
      return strcmp(problem->output[i].unit, "1") == 0 ? "" : problem->output[i].unit;
    }
  }
  return "";
}

// One expected output of a problem; `node` is its value in the file.
static rh_status compare_output(rh_redone *redone, int problem, int node)
{
  const rh_yaml *posed = &redone->posed;
  const char *id = rh_node_text(posed, rh_node_child(posed, problem, "id"));
  const char *key = rh_yaml_text(posed, posed->node[node].key);
  int tol = rh_node_child(posed, problem, "tol");
  int own = rh_node_child(posed, tol, key);
  tol = own != RH_NONE ? own : tol;
  comparison c = {.redone = redone,
                  .rel = rh_node_number(posed, rh_node_child(posed, tol, "rel")),
                  .abs = rh_node_number(posed, rh_node_child(posed, tol, "abs"))};
  snprintf(c.found.curve, sizeof c.found.curve, "%s", id);
  snprintf(c.found.name, sizeof c.found.name, "%s", key);
  c.found.unit = unit_of(rh_node_text(posed, rh_node_child(posed, problem, "kind")), key);
  compare_node(&c, node, rh_redone_answer_node(redone, id, key));
  if (c.numbers > 1) {
    snprintf(c.found.name, sizeof c.found.name, "%s, worst of %d", key, c.numbers);
  }
  return c.numbers > 0 ? rh_redone_add(redone, &c.found) : RH_OK;
}

static rh_status compare_problem(rh_redone *redone, int problem)
{
  const rh_yaml *posed = &redone->posed;
  int expected = rh_node_child(posed, problem, "expected");
  int node = rh_node_is(posed, expected, RH_NODE_MAP) ? posed->node[expected].first : RH_NONE;
  rh_status status = RH_OK;
  for (; node != RH_NONE && status == RH_OK; node = posed->node[node].next) {
    status = compare_output(redone, problem, node);
  }
  return status;
}

// ---- Solving

// The answers of the figure itself
static rh_status answer_apart(rh_redone *redone, rh_diag *diag)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, false);
  rh_json_open_object(&json, NULL);
  rh_status status = rh_book_answer(redone, &json);
  rh_json_end(&json);
  if (status == RH_OK) {
    status = text.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                         : rh_yaml_read(&redone->answer, text.data, text.size, (rh_yaml_start){0},
                                        diag, &redone->answers);
  }
  rh_text_free(&text);
  return status;
}

// A scene inside the program, by its path in the source tree
static rh_status open_inside(const char *folder, const char *name, rh_diag *diag, rh_scene **scene,
                             char *why)
{
  char path[RH_NAME_MAX + 256];
  size_t length = strlen(folder);
  while (strncmp(name, "../", 3) == 0 && length > 0) {
    while (length > 0 && folder[length - 1] != '/') {
      length--;
    }
    length -= length > 0;
    name += 3;
  }
  (void)snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", name);
  const rh_scene_text *text = rh_paper_file(path);
  if (text == NULL) {
    (void)snprintf(why, RH_WHY_MAX, " '%.200s' is not in the program", path);
    return RH_INPUT_REFUSED;
  }
  return rh_scene_parse(text->text, *text->bytes, text->path, NULL, 0, diag, scene);
}

static rh_status solve_problems(rh_redone *redone, rh_diag *diag)
{
  const rh_scene_text *from = &redone->figure->scene;
  char *json = NULL;
  redone->posed.file[0] = from->path;
  redone->answer.file[0] = from->path;
  rh_status status = rh_yaml_read(&redone->posed, from->text, *from->bytes, (rh_yaml_start){0},
                                  diag, &redone->problems);
  if (status == RH_OK && redone->figure->problems == RH_PROBLEMS_BOOK) {
    return answer_apart(redone, diag);
  }
  if (status == RH_OK) {
    status = rh_solve_text(from->text, *from->bytes, from->path, NULL, open_inside, diag, &json);
  }
  if (status == RH_OK) {
    status = rh_yaml_read(&redone->answer, json, strlen(json), (rh_yaml_start){0}, diag,
                          &redone->answers);
  }
  rh_free(json);
  return status;
}

rh_status rh_figure_solve(const rh_request *request, rh_redone *redone)
{
  if (request->nset > 0 && redone->figure->run[0].label == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "paper: %s is no scene; -s cannot be used",
                     redone->figure->scene.path);
  }
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = solve_problems(redone, diag);
  rh_diag_print(request, diag, "nothing was compared");
  rh_diag_destroy(diag);
  int node = status == RH_OK ? redone->posed.node[redone->problems].first : RH_NONE;
  for (; node != RH_NONE && status == RH_OK; node = redone->posed.node[node].next) {
    status = compare_problem(redone, node);
  }
  return status;
}
