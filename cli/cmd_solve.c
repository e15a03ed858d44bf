// cmd_solve.c: `routh solve`: answers the problems of a file, one JSON object on standard output.
#include "cli.h"

#include "hdf5/fclib.h"
#include "problems/problem_runner.h"

#include <string.h>

static rh_status answer_file(const rh_args *args, const char *path, rh_diag *diag, char **json)
{
  const char *only = rh_args_text(args, "only");
  const char *solver = rh_args_text(args, "solver");
  const char *tolerance = rh_args_text(args, "tolerance");
  if (rh_file_has_ending(path, ".hdf5") || rh_file_has_ending(path, ".h5")) {
    return rh_solve_fclib(path, solver, tolerance, diag, json);
  }
  if (solver != NULL || tolerance != NULL) {
    return rh_refuse(RH_WRONG_USAGE,
                     "--solver and --tolerance are for .hdf5 files; a problem names its "
                     "own solver");
  }
  if (strcmp(path, "-") != 0) {
    return rh_solve_file(path, only, diag, json);
  }
  char *text = NULL;
  size_t bytes = 0;
  RH_TRY(rh_stdin_read(&text, &bytes));
  rh_status status =
      rh_solve_text(text, bytes, rh_file_label(path), only, rh_scene_files, diag, json);
  rh_free(text);
  return status;
}

static rh_status solve_verb(const rh_args *args)
{
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  char *json = NULL;
  rh_status status = answer_file(args, args->request.file[0], diag, &json);
  if (json != NULL) {
    rh_status written = rh_file_write(rh_args_text(args, "output"), json);
    status = status == RH_OK ? written : status;
    const char *output = rh_args_text(args, "output");
    size_t length = strlen(json);
    bool streamed = output == NULL || strcmp(output, "-") == 0;
    if (length > 0 && json[length - 1] != '\n' && streamed) {
      putchar('\n');
    }
    fflush(stdout);
  }
  rh_diag_print(&args->request, diag,
                json != NULL ? "the rest was answered" : "nothing was answered");
  if (status != RH_OK && status != RH_WRONG_USAGE && rh_diag_count(diag, RH_ERROR) == 0) {
    rh_refuse(status, "%s: %s", rh_file_label(args->request.file[0]), rh_status_message(status));
  }
  rh_diag_destroy(diag);
  rh_free(json);
  return status;
}

static const rh_option option[] = {
    {.name = "only", .value = "ID", .doc = "answer this problem only"},
    {.name = "solver",
     .value = "NAME",
     .from = "solvers",
     .doc = "solver of a .hdf5 file; default: auto"},
    {.name = "tolerance",
     .value = "SPEED",
     .doc = "residual that is accepted of a .hdf5 file [m/s]; default: 1e-13 of the largest b"},
    RH_OPTION_OUTPUT("file of the answer; - is standard output"),
};

static const rh_example example[] = {
    {"solve problems.json", "answer all of them"},
    {"solve problems.json --only arm -o arm.json", "one of them, into a file"},
    {"solve KaplasTower.hdf5 --solver gauss-seidel",
     "a friction problem in FCLIB's layout, by sweeps"},
};

const rh_verb rh_verb_solve = {
    .row = {.name = "solve", .cite = "", .doc = "Answer the problems of a file: one JSON object."},
    .group = "Data",
    .usage = "FILE",
    .more = "A file is a list of {id, kind, inputs}, JSON or YAML; - reads it from standard input. "
            "'routh list problems' lists the kinds. The answer is always JSON; an invalid entry "
            "gets {\"error\": ...} and the others are still answered (exit code 3). A file that "
            "ends in .hdf5 or .h5 holds one friction problem in FCLIB's layout; the exit code is 4 "
            "if it was not solved.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|hdf5|h5",
    .least = 1,
    .most = 1,
    .run = solve_verb,
};
