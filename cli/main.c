// main.c: the routh program: find the verb, parse its options, run it, turn its status into the exit code.
#include "cli.h"

#include "console/refusal.h"
#include "hdf5/tools.h"
#include "reproduce/figure.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define RH_VERB(name) extern const rh_verb rh_verb_##name;
#include "verbs.def"
#undef RH_VERB

static const rh_verb *const table[] = {
#define RH_VERB(name) &rh_verb_##name,
#include "verbs.def"
#undef RH_VERB
};

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

rh_status rh_verb_unknown(const char *word)
{
  if (word[0] == '-') {
    return rh_refuse(RH_WRONG_USAGE, "option '%s' is before the verb; write routh VERB %s ...",
                     word, word);
  }
  const char *names[RH_COUNT(table)];
  for (int i = 0; i < RH_COUNT(table); i++) {
    names[i] = table[i]->row.name;
  }
  const char *near = rh_nearest_name(word, names, RH_COUNT(table));
  if (near != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "unknown verb '%s'; did you mean '%s'?", word, near);
  }
  if (access(word, F_OK) == 0) {
    return rh_refuse(RH_WRONG_USAGE, "'%s' is a file, not a verb; to run it: routh run %s", word,
                     word);
  }
  char list[256] = "";
  for (int i = 0; i < RH_COUNT(table); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  return rh_refuse(RH_WRONG_USAGE, "unknown verb '%s'; there are %s; see 'routh help'", word, list);
}

static rh_status run_verb(const rh_verb *verb, int argc, char **argv)
{
  rh_args args;
  rh_status status = rh_args_parse(verb, argc, argv, &args);
  if (status == RH_OK) {
    if (!args.request.json) {
      rh_refusals_drop();
    }
    if (rh_args_flag(&args, "help")) {
      rh_help_verb(stdout, verb, rh_color_allowed(&args.request, stdout));
    } else if (rh_args_flag(&args, "version")) {
      puts("routh " RH_VERSION);
    } else {
      status = verb->run(&args);
    }
  }
  rh_args_free(&args);
  return status;
}

static rh_status dispatch_verb(int argc, char **argv)
{
  if (argc < 2 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
    rh_help_all(stdout, rh_color_allowed(NULL, stdout));
    return RH_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("routh " RH_VERSION);
    return RH_OK;
  }
  const rh_verb *verb = rh_verb_find(argv[1]);
  return verb == NULL ? rh_verb_unknown(argv[1]) : run_verb(verb, argc - 2, argv + 2);
}

// Is the word there, as far as known before the options are parsed?
static bool asks_json(int argc, char **argv)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--json") == 0) {
      return true;
    }
  }
  return false;
}

// The reader of standard output has closed it: the program ends silently, as others do.
static void end_by_broken_pipe(void)
{
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

int main(int argc, char **argv)
{
  rh_memory_begin();
  rh_tools_load();
  // A closed reader of --progress or of messages must not end a run.
  signal(SIGPIPE, SIG_IGN);
  rh_refusals refusals;
  if (asks_json(argc, argv)) {
    rh_refusals_begin(&refusals, argv[1]);
  }
  rh_status status = rh_refusals_end(dispatch_verb(argc, argv));
  errno = 0;
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (!written && errno == EPIPE) {
    end_by_broken_pipe();
  }
  if (!written && status == RH_OK) {
    status = rh_refuse(RH_OUTPUT_NOT_WRITTEN, "standard output could not be written");
  }
  rh_papers_free();
  status = rh_memory_end(status);
  int signal_number = rh_interrupt_seen();
  return status == RH_INTERRUPTED && signal_number != 0 ? 128 + signal_number
                                                        : rh_status_exit_code(status);
}
