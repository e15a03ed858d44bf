// man.c: the man page (roff) and the bash completion, made from the rows of the verbs.
#include "cli.h"

#include <string.h>

// Text for roff: hyphens of options stay hyphens, a dot or quote at the start of a line is text.
static void roff(FILE *out, const char *text)
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
  roff(out, option->name);
  fputs("\\fR", out);
  if (option->value != NULL) {
    fputs(" \\fI", out);
    roff(out, option->value);
    fputs("\\fR", out);
  }
  fputc('\n', out);
  roff(out, option->doc);
  if (option->choices != NULL) {
    fputs(" (", out);
    roff(out, option->choices);
    fputc(')', out);
  }
  if (option->set != NULL && option->set[0] != '\0') {
    fputs("; short for \\fB\\-s ", out);
    roff(out, option->set);
    fputs(option->value != NULL ? "=\\fR\\fI" : "=", out);
    roff(out, option->value != NULL ? option->value : "true");
    fputs("\\fR", out);
  }
  fputc('\n', out);
}

static void man_verb(FILE *out, const rh_verb *verb)
{
  fprintf(out, ".SH ROUTH %s\n.B routh %s\n[options] ", verb->row.name, verb->row.name);
  roff(out, verb->usage);
  fputs("\n.PP\n", out);
  roff(out, verb->row.doc);
  fputc('\n', out);
  if (verb->more != NULL) {
    fputs(".PP\n", out);
    roff(out, verb->more);
    fputc('\n', out);
  }
  for (int i = 0; i < verb->noption; i++) {
    man_option(out, &verb->option[i]);
  }
  fputs(".PP\n", out);
  for (int i = 0; i < verb->nexample; i++) {
    fputs(".TP\n.B routh ", out);
    roff(out, verb->example[i].command);
    fputc('\n', out);
    roff(out, verb->example[i].doc);
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
  fputs(
      ".SH DESCRIPTION\nResults go to standard output, everything else to standard error. No verb "
      "changes its input. Output files are written beside their place and renamed.\n",
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

// ---- bash

static void bash_words(FILE *out, const char *choices)
{
  for (const char *c = choices; *c != '\0'; c++) {
    fputc(*c == '|' ? ' ' : *c, out);
  }
}

// What completes the value of an option: its words, else file names.
static void bash_values(FILE *out, const rh_verb *verb)
{
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    if (option->value == NULL) {
      continue;
    }
    fprintf(out, "    %s:--%s", verb->row.name, option->name);
    if (option->letter != 0) {
      fprintf(out, "|%s:-%c", verb->row.name, option->letter);
    }
    fputs(") ", out);
    if (option->choices != NULL) {
      fputs("words='", out);
      bash_words(out, option->choices);
      fputs("' ;;\n", out);
    } else if (strcmp(option->value, "CHANNEL") == 0 || strcmp(option->value, "A,B") == 0) {
      fputs("words=$(_routh_channels) ;;\n", out);
    } else if (strncmp(option->value, "FILE", 4) == 0) {
      fputs("files='.*' ;;\n", out);
    } else {
      fputs("return ;;\n", out);
    }
  }
}

static void bash_operands(FILE *out, const rh_verb *verb)
{
  fprintf(out, "    %s) words='", verb->row.name);
  if (verb->words != NULL) {
    bash_words(out, verb->words);
  }
  fprintf(out, "' files='%s'", verb->ending != NULL ? verb->ending : "");
  if (strcmp(verb->row.name, "plot") == 0) {
    fputs(" words=\"$words $(_routh_channels)\"", out);
  }
  fputs(" ;;\n", out);
}

static void bash_options(FILE *out, const rh_verb *verb)
{
  const rh_option *option = NULL;
  fprintf(out, "    %s) words='", verb->row.name);
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    fprintf(out, "%s--%s", i == 0 ? "" : " ", option->name);
  }
  fputs("' ;;\n", out);
}

typedef void bash_part(FILE *out, const rh_verb *verb);

static void bash_case(FILE *out, const char *subject, bash_part *part)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  fprintf(out, "  case %s in\n", subject);
  for (int i = 0; i < count; i++) {
    part(out, table[i]);
  }
  fputs("  esac\n", out);
}

void rh_help_bash(FILE *out)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  fputs("# bash completion of routh; made by: routh help --bash\n"
        "_routh_channels() {\n"
        "  local word\n"
        "  for word in \"${COMP_WORDS[@]}\"; do\n"
        "    if [[ $word == *.rhr && -r $word ]]; then\n"
        "      routh plot --list --quiet -- \"$word\" 2>/dev/null\n"
        "      return\n"
        "    fi\n"
        "  done\n"
        "}\n"
        "_routh() {\n"
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local verb=${COMP_WORDS[1]} words='' files='' extra=\n"
        "  COMPREPLY=()\n"
        "  if (( COMP_CWORD == 1 )); then\n"
        "    COMPREPLY=($(compgen -W '",
        out);
  for (int i = 0; i < count; i++) {
    fprintf(out, "%s ", table[i]->row.name);
  }
  fputs("--help --version' -- \"$current\"))\n"
        "    return\n"
        "  fi\n",
        out);
  bash_case(out, "$verb", bash_operands);
  fputs("  if [[ $current == -* ]]; then\n"
        "    files=''\n",
        out);
  bash_case(out, "$verb", bash_options);
  fputs("  else\n"
        "    extra=$words:$files words='' files=''\n",
        out);
  bash_case(out, "$verb:$before", bash_values);
  fputs("    if [[ -z $words && -z $files ]]; then\n"
        "      words=${extra%%:*} files=${extra#*:}\n"
        "    fi\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "  if [[ -n $files ]]; then\n"
        "    local name\n"
        "    while IFS= read -r name; do\n"
        "      if [[ -d $name || $files == '.*' || $name =~ \\.($files)$ ]]; then\n"
        "        COMPREPLY+=(\"$name\")\n"
        "      fi\n"
        "    done < <(compgen -f -- \"$current\")\n"
        "    compopt -o filenames\n"
        "  fi\n"
        "}\n"
        "complete -F _routh routh\n",
        out);
}
