// problem_runner.h: problem files. A file poses a list of {id, kind, inputs}; the answer is one JSON object {id: {outputs}}.
// The kinds are rows of a table, problems.def; docs/problems.md is the manual.
#ifndef ROUTH_PROBLEMS_PROBLEM_RUNNER_H
#define ROUTH_PROBLEMS_PROBLEM_RUNNER_H

#include <routh/scene.h>

#define RH_PROBLEM_MAX 100000 // entries of one file

typedef struct rh_output { // output of a kind of problem
  const char *name;
  const char *unit;
  const char *shape; // "", "nv", "nv x nv", "n x 3 x nv"
  const char *doc;
} rh_output;

struct rh_inputs;
struct rh_answer;

typedef struct rh_problem {
  rh_row row; // its parameters are the inputs
  const rh_output *output;
  int noutput;
  // Reads the inputs, fills the answer. Errors of the inputs go to the diag of `in`, with their
  // places.
  rh_status (*solve)(const struct rh_inputs *in, struct rh_answer *answer);
} rh_problem;

const rh_problem *const *rh_problem_table(int *count);
const rh_problem *rh_problem_find(const char *name);

// Answers all problems of a file, or the one whose id is `only` (NULL: all). `*json` is the answer,
// to be freed with rh_free; it stays NULL when the whole file was refused. An invalid entry gets
// {"error": "file:line:column: what"} and the rest are still answered; the status is then
// RH_INPUT_REFUSED, or that of the first entry that failed.
rh_status rh_solve_file(const char *path, const char *only, rh_diag *diag,
                        char **json) RH_CHECK_RESULT;

// Opens a scene that a problem names by its path, seen from `folder`. RH_INPUT_REFUSED with `why`
// (RH_WHY_MAX bytes, empty: `diag` has the reason): there is none.
typedef rh_status rh_scene_source(const char *folder, const char *name, rh_diag *diag,
                                  rh_scene **scene, char *why);
rh_scene_source rh_scene_files; // those of the file system

// The same for a text. `name` is its file name in messages; scenes named by path are relative to
// it. `source` NULL: no files, every scene must be in the text.
rh_status rh_solve_text(const char *text, size_t bytes, const char *name, const char *only,
                        rh_scene_source *source, rh_diag *diag, char **json) RH_CHECK_RESULT;

#endif
