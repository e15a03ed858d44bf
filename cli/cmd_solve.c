// cmd_solve.c: `routh solve`: answers the problems of a file, one JSON object on standard output.
#include "cli.h"

#include "io/solve.h"

#include <string.h>

static rh_status answer(const rh_args *args, const char *path, rh_diag *diag, char **json)
{
  const char *only = rh_args_text(args, "only");
  if (strcmp(path, "-") != 0) {
    return rh_solve_file(path, only, diag, json);
  }
  char *text = NULL;
  size_t bytes = 0;
  RH_TRY(rh_stdin_read(&text, &bytes));
  rh_status status = rh_solve_text(text, bytes, rh_file_label(path), only, true, diag, json);
  rh_free(text);
  return status;
}

static rh_status solve(const rh_args *args)
{
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  char *json = NULL;
  rh_status status = answer(args, args->file[0], diag, &json);
  if (json != NULL) {
    rh_status written = rh_file_write(rh_args_text(args, "output"), json);
    status = status == RH_OK ? written : status;
    size_t length = strlen(json);
    if (length > 0 && json[length - 1] != '\n' && rh_args_text(args, "output") == NULL) {
      putchar('\n');
    }
    fflush(stdout);
  }
  rh_diag_print(args, diag, json != NULL ? "the rest was answered" : "nothing was answered");
  if (status != RH_OK && rh_diag_count(diag, RH_ERROR) == 0) {
    rh_refuse(status, "%s: %s", rh_file_label(args->file[0]), rh_status_message(status));
  }
  rh_diag_destroy(diag);
  rh_free(json);
  return status;
}

static const rh_option option[] = {
    {.name = "only", .value = "ID", .doc = "answer this problem only"},
    RH_OPTION_OUTPUT("where the answer goes; - is standard output"),
};

static const rh_example example[] = {
    {"solve problems.json", "answer all of them"},
    {"solve problems.json --only arm -o arm.json", "one of them, into a file"},
};

const rh_verb rh_verb_solve = {
    .row = {.name = "solve", .cite = "", .doc = "Answer the problems of a file: one JSON object."},
    .group = "Data",
    .usage = "FILE",
    .more = "A file is a list of {id, kind, inputs}, JSON or YAML; - reads it from standard input. "
            "'routh list problems' shows the kinds. The answer is always JSON; a bad entry gets "
            "{\"error\": ...} and the rest are still answered (exit code 3).",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json",
    .least = 1,
    .most = 1,
    .run = solve,
};
