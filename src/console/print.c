// print.c: output of the program: lines on standard error, the messages of the library, colours
// where allowed.
#include "caller.h"
#include "console.h"
#include "refusal.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MESSAGES_SHOWN 20   // without -v; more would hide the first ones, which matter
#define REFUSAL_MAX    2000 // bytes of one refusal

bool rh_color_allowed(const rh_request *request, FILE *out)
{
  const char *no_color = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if ((request != NULL && (request->no_color || request->json)) ||
      (no_color != NULL && *no_color != '\0')) {
    return false;
  }
  return isatty(fileno(out)) && (term == NULL || strcmp(term, "dumb") != 0);
}

int rh_terminal_width(FILE *out)
{
  struct winsize size = {0};
  if (!isatty(fileno(out))) {
    return 0;
  }
  bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40;
  return known ? size.ws_col : 80;
}

// The only output of foreign texts to the terminal: removes their control codes.
static void print_printable(FILE *out, const char *format, va_list list)
{
  char line[4096];
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(line, sizeof line, format, list);
  char *text = length >= (int)sizeof line ? rh_alloc((size_t)length + 1) : NULL;
  if (text != NULL) {
    vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  rh_text_make_printable(text != NULL ? text : line);
  fputs(text != NULL ? text : line, out);
  rh_free(text);
}

void rh_print(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  print_printable(stdout, format, list);
  va_end(list);
}

void rh_say(const rh_request *request, const char *format, ...)
{
  if ((request != NULL && request->quiet) || rh_caller_get() != NULL) {
    return;
  }
  va_list list;
  va_start(list, format);
  print_printable(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

static bool memory_reported;
static atomic_bool memory_failed; // an allocation of Routh's own has failed

void rh_memory_fail(void)
{
  atomic_store_explicit(&memory_failed, true, memory_order_relaxed);
}

bool rh_memory_failed(void)
{
  return atomic_load_explicit(&memory_failed, memory_order_relaxed);
}

// When memory has run out, that is the reason, whatever else is reported.
rh_status rh_refuse(rh_status status, const char *format, ...)
{
  rh_caller *caller = rh_caller_get();
  if (caller == NULL && status == RH_OUT_OF_MEMORY && memory_reported) {
    return status;
  }
  bool caused = status != RH_OUT_OF_MEMORY && rh_memory_failed();
  char text[REFUSAL_MAX];
  int head = snprintf(text, sizeof text, "%s", caused ? "out of memory: " : "");
  va_list list;
  va_start(list, format);
  vsnprintf(text + head, sizeof text - (size_t)head, format, list);
  va_end(list);
  rh_text_make_printable(text);
  const rh_message message = {.severity = RH_ERROR, .text = text};
  if (caller != NULL) {
    rh_caller_keep(caller, &message);
    return status;
  }
  fprintf(stderr, "routh: %s\n", text);
  rh_refusals_add(&message);
  status = caused ? RH_OUT_OF_MEMORY : status;
  memory_reported = memory_reported || status == RH_OUT_OF_MEMORY;
  return status;
}

rh_status rh_memory_end(rh_status status)
{
  bool out = status == RH_OUT_OF_MEMORY || rh_memory_failed();
  return out ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : status;
}

rh_status rh_text_print(rh_text *text, const char *path)
{
  char *data = rh_text_take(text);
  if (data == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_file_write(path, data);
  rh_free(data);
  return status;
}

rh_json rh_json_result(rh_text *text)
{
  rh_json json = rh_json_start(text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  return json;
}

const char *rh_plural(long n)
{
  return n == 1 ? "" : "s";
}

void rh_format_number(double x, char *buffer, size_t size)
{
  double magnitude = fabs(x);
  bool plain = magnitude == 0 || (magnitude >= 1e-3 && magnitude < 1e6);
  snprintf(buffer, size, plain ? "%.6f" : "%.3e", x);
}

// The word of the severity in colour, the rest plain.
static void print_message(const char *text, rh_severity severity, bool color)
{
  static const char *const word[] = {"error: ", "warning: ", "note: "};
  static const char *const paint[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
  const char *at = color ? strstr(text, word[severity]) : NULL;
  if (at == NULL) {
    fputs(text, stderr);
  } else {
    size_t length = strlen(word[severity]);
    fprintf(stderr, "\033[1m%.*s\033[0m%s%.*s\033[0m%s", (int)(at - text), text, paint[severity],
            (int)length, at, at + length);
  }
  if (text[0] == '\0' || text[strlen(text) - 1] != '\n') {
    fputc('\n', stderr);
  }
}

// A note on a robot's file, which lists elements without influence on the motion. A note right
// after an error belongs to that error.
static bool is_robot_note(const rh_diag *diag, int index)
{
  rh_message message = rh_diag_get(diag, index);
  bool after_error = index > 0 && rh_diag_get(diag, index - 1).severity == RH_ERROR;
  if (message.severity != RH_NOTE || message.place.file == NULL || after_error) {
    return false;
  }
  if (message.source == NULL) {
    return rh_file_has_ending(message.place.file, ".urdf");
  }
  return message.source[strspn(message.source, " \t")] == '<';
}

// Robots have many notes: one line per file.
static void count_robot_notes(const rh_diag *diag)
{
  int kept = rh_diag_kept(diag);
  for (int i = 0; i < kept; i++) {
    const char *file = rh_diag_get(diag, i).place.file;
    bool counted = !is_robot_note(diag, i);
    for (int k = 0; k < i && !counted; k++) {
      counted = is_robot_note(diag, k) && strcmp(rh_diag_get(diag, k).place.file, file) == 0;
    }
    int notes = 0;
    for (int k = i; k < kept && !counted; k++) {
      notes += is_robot_note(diag, k) && strcmp(rh_diag_get(diag, k).place.file, file) == 0;
    }
    if (notes > 0) {
      fprintf(stderr, "routh: %d note%s on %s; -v prints %s\n", notes, rh_plural(notes), file,
              notes == 1 ? "it" : "them");
    }
  }
}

// Prints all down to the severity `least`; without -v notes on robots are only counted, and at most
// 20 messages are printed.
static void print_messages(const rh_request *request, const rh_diag *diag, rh_severity least)
{
  bool color = rh_color_allowed(request, stderr);
  int kept = rh_diag_kept(diag);
  long all = 0;
  long shown = 0;
  for (rh_severity severity = RH_ERROR; severity <= least; severity++) {
    all += rh_diag_count(diag, severity);
  }
  for (int i = 0; i < kept; i++) {
    rh_message message = rh_diag_get(diag, i);
    bool folded = !request->verbose && is_robot_note(diag, i);
    rh_refusals_add(&message);
    all -= folded && least == RH_NOTE;
    if (message.severity > least || folded || (!request->verbose && shown == MESSAGES_SHOWN)) {
      continue;
    }
    char buffer[4096];
    rh_message_format(&message, buffer, sizeof buffer);
    print_message(buffer, message.severity, color);
    memory_reported = memory_reported || strstr(message.text, "out of memory") != NULL;
    shown++;
  }
  if (all > shown) {
    fprintf(stderr, "... and %ld more\n", all - shown);
  }
  if (!request->verbose && least == RH_NOTE) {
    count_robot_notes(diag);
  }
}

// For the caller of a verb; false: there is none.
static bool keep_messages(const rh_diag *diag)
{
  rh_caller *caller = rh_caller_get();
  for (int i = 0; caller != NULL && i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    rh_caller_keep(caller, &message);
  }
  return caller != NULL;
}

void rh_diag_print(const rh_request *request, const rh_diag *diag, const char *outcome)
{
  if (keep_messages(diag)) {
    return;
  }
  print_messages(request, diag, request->quiet ? RH_ERROR : RH_NOTE);
  int errors = rh_diag_count(diag, RH_ERROR);
  if (errors > 0 && outcome != NULL) {
    fprintf(stderr, "routh: %d error%s; %s\n", errors, rh_plural(errors), outcome);
  }
}

rh_status rh_diag_refuse(const rh_request *request, const rh_diag *diag, rh_status status)
{
  rh_diag_print(request, diag, "nothing was run");
  if (rh_diag_count(diag, RH_ERROR) == 0) {
    return rh_refuse(status, "%s; nothing was run", rh_status_message(status));
  }
  return status;
}

rh_status rh_diag_warnings(const rh_request *request, rh_diag *diag)
{
  int warnings = rh_diag_count(diag, RH_WARNING);
  bool strict = warnings > 0 && request->strict;
  if (!keep_messages(diag)) {
    print_messages(request, diag, !request->quiet ? RH_NOTE : strict ? RH_WARNING : RH_ERROR);
  }
  if (strict) {
    return rh_refuse(RH_INPUT_REFUSED, "%d warning%s, and --strict; nothing was run", warnings,
                     rh_plural(warnings));
  }
  rh_diag_clear(diag);
  return RH_OK;
}
