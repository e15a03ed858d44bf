// cli.h: the parts of the routh program. A verb is a row: name, options, examples and one function.
// The parser, the help, the man page and the shell completion are all made from the rows, so that
// they agree.
#ifndef ROUTH_CLI_H
#define ROUTH_CLI_H

#include <routh/routh.h>
#include <stdio.h>

// ---- Options and verbs

#define RH_OPTION_MAX 32 // options of one verb, the common ones included

typedef struct rh_option {
  const char *name;    // "until", written --until
  char letter;         // 'o', written -o; 0: none
  bool many;           // its value is several words, commas between
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
  const char **set;                 // overrides, in the order given
  int nset;
  const char **file; // operands
  int nfile;
  char **owned; // overrides made from options such as --until
  int nowned;
  bool json, quiet, verbose, no_color;
};

// Reports errors on standard error. Free with rh_args_free in any case.
rh_status rh_args_parse(const rh_verb *verb, int argc, char **argv, rh_args *args);
void rh_args_free(rh_args *args);
const char *rh_args_text(const rh_args *args,
                         const char *name); // NULL: not given; the name must be an option
bool rh_args_flag(const rh_args *args, const char *name);
const rh_option *rh_verb_option(const rh_verb *verb, int index); // NULL after the last
const char *rh_choices_get(const char *choices, int index,
                           char *word); // word: RH_NAME_MAX; NULL after the last

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

// ---- Printing (print.c, table.c). Results go to standard output, messages to standard error.

bool rh_color_allowed(const rh_args *args, FILE *out); // a terminal, and colour not disabled
int rh_terminal_width(FILE *out);                      // 0: not a terminal
void rh_say(const rh_args *args, const char *format, ...)
    RH_PRINTF(2, 3); // a line on standard error unless --quiet
// On standard output, safe for a terminal with any text; for lines with names or texts from files.
void rh_print(const char *format, ...) RH_PRINTF(1, 2);
// "routh: ..." on standard error; returns the status, so that a function can end with it.
rh_status rh_refuse(rh_status status, const char *format, ...) RH_PRINTF(2, 3);
// A word that is none of the names: a suggestion, and the list of names; wrong usage (names.c).
rh_status rh_refuse_name(const char *verb, const char *what, const char *word,
                         const char *const *names, int n);
// The same with the names of a table of `routh list`.
rh_status rh_refuse_listed(const char *verb, const char *what, const char *word,
                           const char *listing);
// Prints the messages (at most 20 without -v; notes on robots are counted then) and, after errors,
// "routh: 2 errors; <outcome>".
void rh_diag_print(const rh_args *args, const rh_diag *diag, const char *outcome);
// The end of a run that did not begin: its messages, or the status where there are none; returns it.
rh_status rh_diag_refuse(const rh_args *args, const rh_diag *diag, rh_status status);
// Warnings are printed after all input is read; --strict makes them errors. The verb has an option
// strict.
rh_status rh_diag_warnings(const rh_args *args, rh_diag *diag);
struct rh_text;
rh_status rh_text_print(struct rh_text *text,
                        const char *path); // to a file, NULL or "-": standard output; frees it
const char *rh_plural(long n);             // "" for one, "s" for others
void rh_format_number(double x, char *buffer, size_t size); // short, for people

#define RH_TABLE_COLUMNS 12

typedef struct rh_table rh_table;

rh_table *rh_table_create(int columns, unsigned right); // bit i of right: column i is flush right
void rh_table_destroy(rh_table *table);
void rh_table_add(rh_table *table, const char *format, ...) RH_PRINTF(2, 3); // the next cell
// First row is the head. Columns are broken into lines at the terminal's width.
rh_status rh_table_print(const rh_table *table, FILE *out, int indent, bool color);
// The same on standard output, at 80 columns without a terminal: for pages that people read.
rh_status rh_table_print_page(const rh_table *table, int indent, bool color);
rh_status rh_table_markdown(const rh_table *table, FILE *out);
void rh_table_html(const rh_table *table, struct rh_text *to); // <table>...</table>

// ---- Files (file.c)

// A scene from a file, from standard input ("-") or the one built in (NULL), with the overrides of the command line.
rh_status rh_scene_from(const rh_args *args, const char *path, rh_diag *diag, rh_scene **scene);
const char *rh_file_label(const char *path);         // its name in messages and recordings
// Begins the recording of a run; its scene is written into it with every value in force.
rh_status rh_file_record(const char *path, const rh_model *model, const char *label, const rh_scene *scene, rh_diag *diag,
                         rh_recorder **recorder);
rh_status rh_stdin_read(char **text, size_t *bytes); // rh_free it
bool rh_file_is_recording(const char *path);
bool rh_file_same(const char *a, const char *b); // two names of one existing file
// "dir/ball.yaml", ".rhr" -> "ball.rhr"; rh_free it.
char *rh_file_beside(const char *path, const char *ending);
bool rh_file_has_ending(const char *path, const char *ending);
// Writes a file ("-" or NULL: standard output), to a temporary name first and then renamed: it is
// complete, or the older one stays.
rh_status rh_file_write(const char *path, const char *text);
rh_status rh_file_write_bytes(const char *path, const void *bytes, size_t count);
rh_status rh_file_refuse(const char *path, int error); // "PATH: No space left on device"

extern const char rh_default_scene[]; // scenes/default.yaml, embedded by cmake/embed.cmake
extern const unsigned long rh_default_scene_size;

// ---- Memory (reserve.c)

void rh_memory_begin(void); // first line of main: a memory reserve for the libraries
bool rh_memory_failed(void); // an allocation of Routh's own has failed
// The status with which the program ends: out of memory, and reported, if an allocation of Routh's own has failed (print.c).
rh_status rh_memory_end(rh_status status);

// ---- Signals, progress, events (progress.c)

void rh_interrupt_catch(void); // SIGINT, SIGTERM and SIGHUP set a flag; the second one kills
int rh_interrupt_seen(void);   // the signal, 0: none

typedef struct rh_progress {
  int mode;              // 0 none, 1 a line on the terminal, 2 JSON lines
  double begun, last;    // [s] wall clock
  double t_begun, t_end; // [s] simulated
  bool shown;
} rh_progress;

double rh_wall_clock(void); // [s]
rh_progress rh_progress_begin(const rh_args *args, double t_begun, double t_end);
void rh_progress_tick(rh_progress *progress, const rh_sim *sim);
// The same for counted work: `done` of `of` are complete, `what` is next.
void rh_progress_count(rh_progress *progress, int done, int of, const char *what);
void rh_progress_end(rh_progress *progress);

typedef struct rh_events { // stored events; all zero: none
  rh_event *event;         // rh_free it
  long count, room;
} rh_events;

rh_status rh_events_keep(rh_events *events, const rh_event *event);

#endif
