// man.c: the man page (roff), made from the rows of the verbs.
#include "cli.h"

#include <string.h>

// Text for roff: hyphens of options stay hyphens, a dot or quote at the start of a line is text.
static void print_roff(FILE *out, const char *text)
{
  if (text[0] == '.' || text[0] == '\'') {
    fputs("\\&", out);
  }
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\\') {
      fputs("\\e", out);
    } else if (*c == '-') {
      fputs("\\-", out);
    } else {
      fputc(*c, out);
    }
  }
}

static void man_option(FILE *out, const rh_option *option)
{
  fputs(".TP\n", out);
  if (option->letter != 0) {
    fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  }
  fputs("\\fB\\-\\-", out);
  print_roff(out, option->name);
  fputs("\\fR", out);
  if (option->value != NULL) {
    fputs(" \\fI", out);
    print_roff(out, option->value);
    fputs("\\fR", out);
  }
  fputc('\n', out);
  print_roff(out, option->doc);
  if (option->choices != NULL) {
    fputs(" (", out);
    print_roff(out, option->choices);
    fputc(')', out);
  }
  if (option->set != NULL && option->set[0] != '\0') {
    fputs("; short for \\fB\\-s ", out);
    print_roff(out, option->set);
    fputs(option->value != NULL ? "=\\fR\\fI" : "=", out);
    print_roff(out, option->value != NULL ? option->value : "true");
    fputs("\\fR", out);
  }
  fputc('\n', out);
}

static void man_verb(FILE *out, const rh_verb *verb)
{
  fprintf(out, ".SH ROUTH %s\n.B routh %s\n[options] ", verb->row.name, verb->row.name);
  print_roff(out, verb->usage);
  fputs("\n.PP\n", out);
  print_roff(out, verb->row.doc);
  fputc('\n', out);
  if (verb->more != NULL) {
    fputs(".PP\n", out);
    print_roff(out, verb->more);
    fputc('\n', out);
  }
  for (int i = 0; i < verb->noption; i++) {
    man_option(out, &verb->option[i]);
  }
  fputs(".PP\n", out);
  for (int i = 0; i < verb->nexample; i++) {
    fputs(".TP\n.B routh ", out);
    print_roff(out, verb->example[i].command);
    fputc('\n', out);
    print_roff(out, verb->example[i].doc);
    fputc('\n', out);
  }
}

void rh_help_man(FILE *out)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  fprintf(out, ".TH ROUTH 1 \"\" \"routh %s\" \"User commands\"\n", RH_VERSION);
  fputs(".SH NAME\nrouth \\- contact and impact dynamics of articulated bodies\n", out);
  fputs(".SH SYNOPSIS\n.B routh\n.I verb\n[options] [file ...]\n.br\n.B routh\n.I verb\n"
        ".B \\-\\-help\n",
        out);
  fputs(".SH DESCRIPTION\nResults go to standard output, everything else to standard error. No "
        "verb changes its input. Output files are written in the same folder under another name, "
        "then renamed.\n",
        out);
  fputs(".SH OPTIONS OF EVERY VERB\n", out);
  for (int i = 0; i < rh_common_noption; i++) {
    man_option(out, &rh_common_option[i]);
  }
  for (int i = 0; i < count; i++) {
    man_verb(out, table[i]);
  }
  fputs(".SH EXIT STATUS\n", out);
  int code = 0;
  char text[256];
  for (int i = 0; rh_exit_code(i, &code, text, sizeof text); i++) {
    fprintf(out, ".TP\n.B %d\n%s\n", code, text);
  }
  fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset and not empty: no colours\n", out);
}
