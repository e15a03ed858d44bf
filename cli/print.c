// print.c: what the program says: lines on standard error, the messages of the library, colours where they are welcome.
#include "cli.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MESSAGES_SHOWN 20 // more hide the first ones, which are the ones to mend

bool rh_color_allowed(const rh_args *args, FILE *out)
{
  const char *no_color = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if ((args != NULL && (args->no_color || args->json)) || (no_color != NULL && *no_color != '\0')) {
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

void rh_say(const rh_args *args, const char *format, ...)
{
  if (args != NULL && args->quiet) {
    return;
  }
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

rh_status rh_refuse(rh_status status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  fputs("routh: ", stderr);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  return status;
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

// The word of the severity in colour, the rest as it is.
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

void rh_diag_print(const rh_args *args, const rh_diag *diag, const char *outcome)
{
  bool color = rh_color_allowed(args, stderr);
  int kept = rh_diag_kept(diag);
  long all = 0;
  int shown = 0;
  for (rh_severity severity = RH_ERROR; severity <= RH_NOTE; severity++) {
    all += args->quiet && severity != RH_ERROR ? 0 : rh_diag_count(diag, severity);
  }
  for (int i = 0; i < kept && shown < MESSAGES_SHOWN; i++) {
    rh_message message = rh_diag_get(diag, i);
    if (args->quiet && message.severity != RH_ERROR) {
      continue;
    }
    char buffer[4096];
    rh_message_format(&message, buffer, sizeof buffer);
    print_message(buffer, message.severity, color);
    shown++;
  }
  if (all > shown) {
    fprintf(stderr, "... and %ld more\n", all - shown);
  }
  int errors = rh_diag_count(diag, RH_ERROR);
  if (errors > 0 && outcome != NULL) {
    fprintf(stderr, "routh: %d error%s; %s\n", errors, rh_plural(errors), outcome);
  }
}

rh_status rh_diag_refuse(const rh_args *args, const rh_diag *diag, rh_status status)
{
  rh_diag_print(args, diag, "nothing was run");
  if (rh_diag_count(diag, RH_ERROR) == 0) {
    return rh_refuse(status, "%s; nothing was run", rh_status_message(status));
  }
  return status;
}

rh_status rh_diag_warnings(const rh_args *args, rh_diag *diag)
{
  rh_diag_print(args, diag, NULL);
  int warnings = rh_diag_count(diag, RH_WARNING);
  if (warnings > 0 && rh_args_flag(args, "strict")) {
    return rh_refuse(RH_INPUT_REFUSED, "%d warning%s, and --strict; nothing was run", warnings,
                     rh_plural(warnings));
  }
  rh_diag_clear(diag);
  return RH_OK;
}
