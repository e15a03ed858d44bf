// problem_solver.c: see problem_solver.h.
#include "problem_solver.h"

const char *const rh_verdict_name[3] = {"solved", "none", "failed"};

static bool solves_sort(const rh_solver *solver, rh_sort sort)
{
  return sort == RH_SORT_LCP ? solver->lcp != NULL : solver->cone != NULL;
}

const rh_solver *rh_input_solver(const rh_inputs *in, rh_sort sort, const char *usual)
{
  int node = rh_input_find(in, "solver");
  const char *name = node == RH_NONE ? usual : rh_input_text(in, node, "solver");
  const rh_solver *solver = name != NULL ? rh_solver_find(name) : NULL;
  if (name == NULL || (solver != NULL && solves_sort(solver, sort))) {
    return solver;
  }
  const char *names[64];
  int count = 0;
  int known = 0;
  const rh_solver *const *table = rh_solver_table(&count);
  for (int i = 0; i < count && known < RH_COUNT(names); i++) {
    if (solves_sort(table[i], sort)) {
      names[known++] = table[i]->row.name;
    }
  }
  const char *near = rh_nearest_name(name, names, known);
  (void)rh_input_refuse(in, node, "%s '%.60s'%s%s%s",
                        solver != NULL ? "problems of this kind are not solved by"
                                       : "unknown solver",
                        name, RH_DID_YOU_MEAN(near));
  return NULL;
}

// ---- Writing

static rh_json begin_problem(rh_text *text, const char *id, const char *kind)
{
  rh_json json = rh_json_start(text, true);
  rh_json_open_array(&json, NULL);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "id", id);
  rh_json_string(&json, "kind", kind);
  rh_json_open_object(&json, "inputs");
  return json;
}

static bool finish_problem(rh_json *json, rh_text *text, FILE *file)
{
  rh_json_end(json);
  bool good = !text->failed && fwrite(text->data, 1, text->size, file) == text->size;
  rh_text_free(text);
  return good;
}

bool rh_lcp_dump(const rh_lcp *problem, const char *id, FILE *file)
{
  rh_text text = {0};
  rh_json json = begin_problem(&text, id, "lcp");
  rh_json_matrix(&json, "A", problem->A, problem->n, problem->n);
  rh_json_numbers(&json, "b", problem->b, problem->n);
  return finish_problem(&json, &text, file);
}

bool rh_cone_dump(const rh_cone *problem, const char *id, FILE *file)
{
  rh_text text = {0};
  rh_json json = begin_problem(&text, id, "cone");
  rh_json_matrix(&json, "W", problem->W, 3 * problem->n, 3 * problem->n);
  rh_json_numbers(&json, "b", problem->b, 3 * problem->n);
  rh_json_numbers(&json, "mu", problem->mu, problem->n);
  if (problem->slide != NULL) {
    rh_json_matrix(&json, "slide", problem->slide, problem->n, 2);
  }
  return finish_problem(&json, &text, file);
}
