// console.h: what a command prints and writes: messages, refusals, tables, files written completely
// or not at all, progress and signals. Results go to standard output, messages to standard error.
// With it come the JSON writer, the growing text and the safe output file of src/base.
#ifndef ROUTH_CONSOLE_CONSOLE_H
#define ROUTH_CONSOLE_CONSOLE_H

#include "base/json.h"
#include "base/outfile.h"
#include "base/text.h"

#include <routh/routh.h>
#include <stdio.h>

typedef struct rh_request { // options and operands common to all verbs
  const char **set;         // overrides of the scene, in the order given
  int nset;
  const char **file; // operands
  int nfile;
  bool json, quiet, verbose, no_color;
  bool strict;          // warnings are errors
  const char *progress; // "auto", "none" or "json"; NULL: auto
} rh_request;

// ---- Printing (print.c, table.c). Results go to standard output, messages to standard error.

bool rh_color_allowed(const rh_request *request, FILE *out); // a terminal, and colour not disabled
int rh_terminal_width(FILE *out);                      // 0: not a terminal
void rh_say(const rh_request *request, const char *format, ...)
    RH_PRINTF(2, 3); // a line on standard error unless --quiet
// On standard output, safe for a terminal with any text; for lines with names or texts from files.
void rh_print(const char *format, ...) RH_PRINTF(1, 2);
// "routh: ..." on standard error; returns the status, so that a function can end with it.
rh_status rh_refuse(rh_status status, const char *format, ...) RH_PRINTF(2, 3);
// A word that is none of the names: a suggestion, and the list of names; wrong usage (names.c).
rh_status rh_refuse_name(const char *verb, const char *what, const char *word,
                         const char *const *names, int n);
// Prints the messages (at most 20 without -v; notes on robots are counted then) and, after errors,
// "routh: 2 errors; <outcome>".
void rh_diag_print(const rh_request *request, const rh_diag *diag, const char *outcome);
// The end of a run that did not begin: its messages, or the status where there are none; returns it.
rh_status rh_diag_refuse(const rh_request *request, const rh_diag *diag, rh_status status);
// Warnings are printed after all input is read; --strict makes them errors.
rh_status rh_diag_warnings(const rh_request *request, rh_diag *diag);
rh_status rh_text_print(rh_text *text,
                        const char *path); // to a file, NULL or "-": standard output; frees it
rh_json rh_json_result(rh_text *text); // of a command: an open object with the version
const char *rh_plural(long n);             // "" for one, "s" for others
void rh_format_number(double x, char *buffer, size_t size); // short, for people

#define RH_TABLE_COLUMNS 13

typedef struct rh_table rh_table;

rh_table *rh_table_create(int columns, unsigned right); // bit i of right: column i is flush right
// With a first row.
rh_table *rh_table_headed(const char *const *head, int columns, unsigned right);
void rh_table_destroy(rh_table *table);
void rh_table_add(rh_table *table, const char *format, ...) RH_PRINTF(2, 3); // the next cell
// First row is the head. Columns are broken into lines at the terminal's width.
rh_status rh_table_print(const rh_table *table, FILE *out, int indent, bool color);
// The same on standard output, at 80 columns without a terminal: for pages that people read.
rh_status rh_table_print_page(const rh_table *table, int indent, bool color);
rh_status rh_table_markdown(const rh_table *table, FILE *out);
void rh_table_html(const rh_table *table, rh_text *to); // <table>...</table>

// ---- Files (file.c)

// A scene from a file, from standard input ("-") or the one built in (NULL), with the overrides of the command line.
rh_status rh_scene_from(const rh_request *request, const char *path, rh_diag *diag, rh_scene **scene);
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
void rh_file_tell(const char *line); // on standard output, at once: others wait for it
rh_status rh_file_refuse(const char *path, int error); // "PATH: No space left on device"

extern const char rh_default_scene[]; // scenes/default.yaml, embedded by cmake/embed.cmake
extern const unsigned long rh_default_scene_size;

// ---- Memory (print.c)

void rh_memory_begin(void); // first line of main: a memory reserve for the libraries (reserve.c)
void rh_memory_fail(void);   // an allocation of Routh's own has failed: the end is out of memory
bool rh_memory_failed(void);
// The status with which the program ends: out of memory, and reported, if an allocation of Routh's own has failed (print.c).
rh_status rh_memory_end(rh_status status);

// ---- Signals, progress, events (progress.c)

void rh_interrupt_catch(void); // SIGINT, SIGTERM and SIGHUP set a flag; the second one kills
int rh_interrupt_seen(void);   // the signal, 0: none

typedef struct rh_progress {
  int mode;              // 0 none, 1 a line on the terminal, 2 JSON lines, 3 the caller's (counted work)
  double begun, last;    // [s] wall clock
  double t_begun, t_end; // [s] simulated
  bool shown;
} rh_progress;

double rh_wall_clock(void); // [s]
rh_progress rh_progress_begin(const rh_request *request, double t_begun, double t_end);
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
