// cli.h: the parts of the routh program. A verb is a row: name, options, examples and one function.
// The parser, the help, the man page and the shell completion are all made from the rows, so that
// they agree.
#ifndef ROUTH_CLI_H
#define ROUTH_CLI_H

#include "console/words.h"

// ---- Options and verbs

#define RH_OPTION_MAX 32 // options of one verb, the common ones included

typedef struct rh_option {
  const char *name;    // "until", written --until
  char letter;         // 'o', written -o; 0: none
  bool many;           // its value is several words, commas between
  bool repeats;        // it may be given several times: one value per line
  const char *value;   // name of its value in the help, "T"; NULL: a flag
  const char *doc;     // one line
  const char *choices; // "auto|none|json"; NULL: any value
  const char *from;    // tables of `routh list` whose names it takes, "laws|impacts", for completion; also channels
                       // (of the recording on the line), figures, settings, plain words; NULL: none
  const char *set;     // scene value it changes, "run.until"; "": a whole NAME=VALUE; NULL: none
} rh_option;

extern const rh_option rh_common_option[]; // known to every verb
extern const int rh_common_noption;

#define RH_OPTION_SET                                                                              \
  {                                                                                                \
    .name = "set", .letter = 's', .value = "NAME=VALUE", .set = "", .from = "settings",            \
    .doc = "change a scene value: -s rod.mass=2kg -s run.until=3"                                  \
  }
#define RH_OPTION_OUTPUT(text)                                                                     \
  {                                                                                                \
    .name = "output", .letter = 'o', .value = "FILE", .doc = (text)                                \
  }
#define RH_OPTION_PROGRESS                                                                         \
  {                                                                                                \
    .name = "progress", .value = "HOW", .choices = "auto|none|json",                               \
    .doc = "progress on standard error"                                                            \
  }

typedef struct rh_args rh_args;

typedef struct rh_example {
  const char *command; // without "routh "
  const char *doc;
} rh_example;

typedef struct rh_verb {
  rh_row row;              // row.param is not used: options are the parameters of a verb
  const char *group;       // its heading in the help
  const char *usage;       // its operands: "[SCENE]"
  const char *more;        // further text of the help; NULL: none
  const rh_option *option; // its own options
  int noption;
  const rh_example *example;
  int nexample;
  const char *ending; // endings of the files it reads, "yaml|yml|json"; NULL: none
  const char *words;  // words it takes as operands, "joints|shapes"; NULL: none
  const char *from;   // the same from tables, as of an option
  int least, most;    // operands
  rh_status (*run)(const rh_args *args);
} rh_verb;

const rh_verb *const *rh_verb_table(int *count);
const rh_verb *rh_verb_find(const char *name);
rh_status rh_verb_unknown(const char *word); // reports it, with a suggestion

// ---- The command line

struct rh_args {
  const rh_verb *verb;
  const char *value[RH_OPTION_MAX]; // the common options, then the verb's own; NULL: not given
  rh_request request;               // overrides, operands, common options
  char **owned;                     // overrides made from options such as --until
  int nowned;
};

// Reports errors on standard error. Free with rh_args_free in any case.
rh_status rh_args_parse(const rh_verb *verb, int argc, char **argv, rh_args *args);
void rh_args_free(rh_args *args);
const char *rh_args_text(const rh_args *args,
                         const char *name); // NULL: not given; the name must be an option
bool rh_args_flag(const rh_args *args, const char *name);
const rh_option *rh_verb_option(const rh_verb *verb, int index); // NULL after the last

// ---- Help (help.c, man.c)

void rh_help_all(FILE *out, bool color);
void rh_help_verb(FILE *out, const rh_verb *verb, bool color);
// Words, broken at 80 columns; further lines begin after `indent` blanks. *column: column of the
// line, at start and end.
void rh_wrap(FILE *out, const char *text, int indent, int *column);
void rh_help_man(FILE *out);
// Completion for a shell: "bash", "zsh" or "fish" (completion.c); false: out of memory.
bool rh_help_completion(FILE *out, const char *shell);
// Exit codes: the i-th distinct one and its meanings; false after the last.
bool rh_exit_code(int index, int *code, char *text, size_t size);

// ---- Names of tables (names.c)

bool rh_listed_has(const char *listing, const char *name);
// Refuses a word that is no name of a table of `routh list`; wrong usage.
rh_status rh_refuse_listed(const char *verb, const char *what, const char *word,
                           const char *listing);

#endif
