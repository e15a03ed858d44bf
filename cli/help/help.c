// help.c: the one screen of `routh` and the one screen of each verb, made from the rows. Examples come first: most
// people copy one and change it.
#include "cli.h"

#include <string.h>

#define SCREEN      80 // columns of a help page
#define COMMAND_MAX 44 // columns of an example; the text of a longer one has a line of its own
#define OPTION_MAX  24 // columns of an option, likewise

static const rh_example first_steps[] = {
    {"run", "the built-in scene"},
    {"run scenes/stop.yaml -s hinge.bounce=0.2", "a scene, one value changed"},
    {"view stop.rhr", "view it; no file: a sandbox"},
    {"list sections", "all fields of a scene"},
};

static const rh_option option_set = RH_OPTION_SET;
static const rh_option option_output = RH_OPTION_OUTPUT("file of the output; - is standard output");

static const char *bold_escape(bool color)
{
  return color ? "\033[1m" : "";
}

static const char *plain_escape(bool color)
{
  return color ? "\033[0m" : "";
}

void rh_wrap(FILE *out, const char *text, int indent, int *column)
{
  while (*text != '\0') {
    size_t word = strcspn(text, " ");
    if (*column > indent && *column + 1 + (int)word > SCREEN) {
      fprintf(out, "\n%*s", indent, "");
      *column = indent;
    } else if (*column > indent) {
      fputc(' ', out);
      (*column)++;
    }
    fprintf(out, "%.*s", (int)word, text);
    *column += (int)word;
    text += word;
    text += strspn(text, " ");
  }
}

bool rh_exit_code(int index, int *code, char *text, size_t size)
{
  static const struct {
    int code;
    const char *text;
  } list[] = {

#define ENTRY(name, number, words) {number, words},
      RH_STATUS_LIST(ENTRY)
#undef ENTRY
  };
  int seen = -1;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < RH_COUNT(list); i++) { // equal codes are adjacent in the list
    seen += i == 0 || list[i].code != list[i - 1].code;
    if (seen == index && used < size) {
      *code = list[i].code;
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", list[i].text);
    }
  }
  return used > 0;
}

static void print_examples(FILE *out, const rh_example *example, int n)
{
  int width = 0;
  for (int i = 0; i < n; i++) {
    int length = (int)strlen(example[i].command);
    width = length > width ? length : width;
  }
  width = width > COMMAND_MAX ? COMMAND_MAX : width;
  for (int i = 0; i < n; i++) {
    int indent = 8 + width + 3;
    int column = indent;
    bool too_long = (int)strlen(example[i].command) > width;
    fprintf(out, "  routh %-*s", too_long ? 0 : width, example[i].command);
    fprintf(out, "%s%*s", too_long ? "\n" : "", too_long ? indent : 3, "");
    rh_wrap(out, example[i].doc, indent, &column);
    fputc('\n', out);
  }
}

static int option_head(const rh_option *option, char *buffer, size_t size)
{
  char letter[8] = "    ";
  if (option->letter != 0) {
    snprintf(letter, sizeof letter, "-%c, ", option->letter);
  }
  return snprintf(buffer, size, "%s--%s%s%s", letter, option->name,
                  option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
}

static void print_option(FILE *out, const rh_option *option, int width)
{
  char head[80];
  bool too_long = option_head(option, head, sizeof head) > width;
  int indent = 2 + width + 2;
  int column = indent;
  fprintf(out, "  %-*s", too_long ? 0 : width, head);
  fprintf(out, "%s%*s", too_long ? "\n" : "", too_long ? indent : 2, "");
  rh_wrap(out, option->doc, indent, &column);
  if (option->choices != NULL) {
    char words[128];
    snprintf(words, sizeof words, "(%s)", option->choices);
    rh_wrap(out, words, indent, &column);
  }
  if (option->set != NULL && option->set[0] != '\0') {
    char words[128];
    snprintf(words, sizeof words, "(-s %s=%s)", option->set,
             option->value != NULL ? option->value : "true");
    rh_wrap(out, words, indent, &column);
  }
  fputc('\n', out);
}

static bool is_everywhere(const rh_option *option)
{
  return strcmp(option->name, "set") == 0 || strcmp(option->name, "output") == 0 ||
         strcmp(option->name, "progress") == 0;
}

// A verb on two lines: its purpose, and as many of its options as fit on one (if more than five);
// its own page has them all.
static void print_verb_summary(FILE *out, const rh_verb *verb, bool color)
{
  static const char more[] = "  ...";
  char head[160];
  int length = snprintf(head, sizeof head, "%-8s %s", verb->row.name, verb->row.doc);
  int usage = (int)strlen(verb->usage);
  int gap = SCREEN - 2 - length - usage;
  bool fits = gap >= 2; // else the operands come before the options
  fprintf(out, "  %s%-8s%s %s%*s%s\n", bold_escape(color), verb->row.name, plain_escape(color),
          verb->row.doc, fits ? gap : 0, "", fits ? verb->usage : "");
  int own = 0;
  for (int i = 0; i < verb->noption; i++) {
    own += !is_everywhere(&verb->option[i]);
  }
  int column = 11;
  if (!fits) {
    column += fprintf(out, "%13s%s", "", verb->usage) - 11;
  }
  for (int i = 0; own > 5 && i < verb->noption; i++) {
    const rh_option *option = &verb->option[i];
    if (is_everywhere(option)) {
      continue;
    }
    int width = 2 + (int)strlen(option->name) + 2;
    width += option->value != NULL ? 1 + (int)strlen(option->value) : 0;
    if (column + width + (int)sizeof more - 1 > SCREEN) {
      fputs(more, out);
      break;
    }
    fprintf(out, "%*s--%s%s%s", column == 11 ? 13 : 2, "", option->name,
            option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    column += width;
  }
  if (column > 11) {
    fputc('\n', out);
  }
}

static void print_verbs(FILE *out, bool color)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  for (int i = 0; i < count; i++) {
    if (i == 0 || strcmp(table[i]->group, table[i - 1]->group) != 0) {
      fprintf(out, "%s%s%s\n", bold_escape(color), table[i]->group, plain_escape(color));
    }
    print_verb_summary(out, table[i], color);
  }
}

static void print_common(FILE *out, int width, bool color)
{
  fprintf(out, "%sEverywhere%s\n", bold_escape(color), plain_escape(color));
  for (int i = 0; i < rh_common_noption; i++) {
    print_option(out, &rh_common_option[i], width);
  }
}

// The common options on as few lines as possible.
static void print_common_short(FILE *out)
{
  int column = 2;
  fputs("  ", out);
  for (int i = 0; i < rh_common_noption; i++) {
    const rh_option *option = &rh_common_option[i];
    char words[64];
    char letter[4] = "";
    if (option->letter != 0) {
      snprintf(letter, sizeof letter, "-%c,", option->letter);
    }
    snprintf(words, sizeof words, "%s--%s", letter, option->name);
    rh_wrap(out, words, 2, &column);
    fputc(' ', out);
    column++;
  }
  fputc('\n', out);
}

// Two on one line where they are short.
static void print_codes(FILE *out)
{
  enum { HALF = 36 };

  int code = 0;
  char text[256];
  bool half = false; // the left half of the line is full
  for (int i = 0; rh_exit_code(i, &code, text, sizeof text); i++) {
    int length = 7 + (int)strlen(text);
    int column = 7;
    if (half && HALF + length > SCREEN) {
      fputc('\n', out);
      half = false;
    }
    fprintf(out, "  %3d  ", code);
    rh_wrap(out, text, 7, &column);
    half = !half && length < HALF;
    if (half) {
      fprintf(out, "%*s", HALF - length, "");
    } else {
      fputc('\n', out);
    }
  }
  if (half) {
    fputc('\n', out);
  }
}

void rh_help_all(FILE *out, bool color)
{
  fprintf(out, "%srouth%s - contact and impact dynamics%*srouth %s\n\n", bold_escape(color),
          plain_escape(color), 34, "", RH_VERSION);
  fputs("Usage:  routh <verb> [options] [file ...]          routh <verb> --help\n", out);
  print_examples(out, first_steps, RH_COUNT(first_steps));
  fputc('\n', out);
  print_verbs(out, color);
  fputc('\n', out);
  fprintf(out, "%sEverywhere%s\n", bold_escape(color), plain_escape(color));
  print_option(out, &option_set, OPTION_MAX);
  print_option(out, &option_output, OPTION_MAX);
  print_common_short(out);
  fprintf(out, "%sExit codes%s\n", bold_escape(color), plain_escape(color));
  print_codes(out);
}

void rh_help_verb(FILE *out, const rh_verb *verb, bool color)
{
  int width = 0;
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    char head[80];
    int length = option_head(option, head, sizeof head);
    width = length > width ? length : width;
  }
  width = width > OPTION_MAX ? OPTION_MAX : width;
  int title = 9 + (int)strlen(verb->row.name);
  fprintf(out, "%srouth %s%s - ", bold_escape(color), verb->row.name, plain_escape(color));
  rh_wrap(out, verb->row.doc, title, &title);
  fputs("\n\n", out);
  fprintf(out, "Usage:  routh %s [options] %s\n\n", verb->row.name, verb->usage);
  print_examples(out, verb->example, verb->nexample);
  if (verb->more != NULL) {
    int column = 0;
    fputc('\n', out);
    rh_wrap(out, verb->more, 0, &column);
    fputc('\n', out);
  }
  if (verb->noption > 0) {
    fprintf(out, "\n%sOptions%s\n", bold_escape(color), plain_escape(color));
  }
  for (int i = 0; i < verb->noption; i++) {
    print_option(out, &verb->option[i], width);
  }
  fputc('\n', out);
  print_common(out, width, color);
}
