// options.c: one parser for all verbs, driven by the table of each verb. Options may be anywhere,
// "--" ends them, "-" is an operand, --name=value and -ovalue are allowed; names are never
// abbreviated.
#include "cli.h"

#include <string.h>

#define CHOICES_MAX 16 // words of one option

const rh_option rh_common_option[] = {
    {.name = "json", .doc = "machine output; numbers read back to the same bits"},
    {.name = "quiet", .letter = 'q', .doc = "only errors and the requested output"},
    {.name = "verbose", .letter = 'v', .doc = "print more"},
    {.name = "no-color", .doc = "no colours, as with NO_COLOR set or without a terminal"},
    {.name = "help", .letter = 'h', .doc = "this page"},
    {.name = "version", .doc = "the version"},
};
const int rh_common_noption = RH_COUNT(rh_common_option);

const rh_option *rh_verb_option(const rh_verb *verb, int index)
{
  if (index < rh_common_noption) {
    return &rh_common_option[index];
  }
  index -= rh_common_noption;
  return index < verb->noption ? &verb->option[index] : NULL;
}

static int find_name(const rh_verb *verb, const char *name, size_t length)
{
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

static int find_letter(const rh_verb *verb, char letter)
{
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    if (option->letter == letter) {
      return i;
    }
  }
  return RH_NONE;
}

static rh_status unknown_name(const rh_verb *verb, const char *name, size_t length)
{
  char word[RH_NAME_MAX] = {0};
  memcpy(word, name, length < sizeof word - 1 ? length : sizeof word - 1);
  const char *names[RH_OPTION_MAX];
  int count = 0;
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    names[count++] = option->name;
  }
  const char *near = rh_nearest_name(word, names, count);
  if (near != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "%s: unknown option '--%s'; did you mean '--%s'?",
                     verb->row.name, word, near);
  }
  return rh_refuse(RH_WRONG_USAGE, "%s: unknown option '--%s'; see 'routh %s --help'",
                   verb->row.name, word, verb->row.name);
}

static rh_status check_choice(const rh_args *args, const rh_option *option, const char *value)
{
  char word[CHOICES_MAX][RH_NAME_MAX];
  const char *names[CHOICES_MAX];
  int n = 0;
  for (; n < CHOICES_MAX && rh_choices_get(option->choices, n, word[n]) != NULL; n++) {
    names[n] = word[n];
    if (strcmp(word[n], value) == 0) {
      return RH_OK;
    }
  }
  const char *near = rh_nearest_name(value, names, n);
  return rh_refuse(RH_WRONG_USAGE, "%s: --%s is one of %s, got '%s'%s%s%s", args->verb->row.name,
                   option->name, option->choices, value, RH_DID_YOU_MEAN(near));
}

// Stores an override; an option such as --until becomes "run.until=VALUE", a flag
// "run.strict=true".
static rh_status keep_override(rh_args *args, const rh_option *option, const char *value)
{
  if (option->set[0] == '\0') {
    if (strchr(value, '=') == NULL) {
      return rh_refuse(RH_WRONG_USAGE, "%s: -s needs NAME=VALUE, got '%s'", args->verb->row.name,
                       value);
    }
    args->request.set[args->request.nset++] = value;
    return RH_OK;
  }
  size_t size = strlen(option->set) + 1 + strlen(value) + 1;
  char *text = rh_alloc(size);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(text, size, "%s=%s", option->set, value);
  args->owned[args->nowned++] = text;
  args->request.set[args->request.nset++] = text;
  return RH_OK;
}

// A further value of an option that may be repeated.
static rh_status add_line(rh_args *args, int index, const char *value)
{
  size_t size = strlen(args->value[index]) + strlen(value) + 2;
  char *text = rh_alloc(size);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(text, size, "%s\n%s", args->value[index], value);
  args->owned[args->nowned++] = text;
  args->value[index] = text;
  return RH_OK;
}

static rh_status keep_value(rh_args *args, int index, const char *value)
{
  const rh_option *option = rh_verb_option(args->verb, index);
  bool many = option->value == NULL || (option->set != NULL && option->set[0] == '\0');
  if (args->value[index] != NULL && option->repeats) {
    return add_line(args, index, value);
  }
  if (args->value[index] != NULL && !many) {
    return rh_refuse(RH_WRONG_USAGE, "%s: --%s is given twice", args->verb->row.name, option->name);
  }
  args->value[index] = value;
  if (option->choices != NULL) {
    RH_TRY(check_choice(args, option, value));
  }
  return option->set != NULL ? keep_override(args, option, option->value ? value : "true") : RH_OK;
}

// One "--name", "--name=value"; *used counts further words taken.
static rh_status parse_long(rh_args *args, const char *word, const char *next, int *used)
{
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  int index = find_name(args->verb, name, length);
  if (index == RH_NONE) {
    return unknown_name(args->verb, name, length);
  }
  const rh_option *option = rh_verb_option(args->verb, index);
  if (option->value == NULL) {
    if (value != NULL) {
      return rh_refuse(RH_WRONG_USAGE, "%s: --%s takes no value", args->verb->row.name,
                       option->name);
    }
    return keep_value(args, index, "");
  }
  if (value == NULL) {
    if (next == NULL) {
      return rh_refuse(RH_WRONG_USAGE, "%s: --%s needs a value: --%s %s", args->verb->row.name,
                       option->name, option->name, option->value);
    }
    value = next;
    *used = 1;
  }
  return keep_value(args, index, value);
}

// One "-q", "-qv", "-oFILE", "-o FILE": flags up to the first letter that takes a value, which takes the rest.
static rh_status parse_letters(rh_args *args, const char *word, const char *next, int *used)
{
  const rh_option *option = NULL;
  rh_status status = RH_OK;
  for (const char *c = word + 1; *c != '\0' && status == RH_OK; c++) {
    int index = find_letter(args->verb, *c);
    option = index != RH_NONE ? rh_verb_option(args->verb, index) : NULL;
    if (option == NULL) {
      return rh_refuse(RH_WRONG_USAGE, "%s: unknown option '-%c'; see 'routh %s --help'",
                       args->verb->row.name, *c, args->verb->row.name);
    }
    if (option->value != NULL && c[1] != '\0') {
      return keep_value(args, index, c + 1);
    }
    if (option->value != NULL && next == NULL) {
      return rh_refuse(RH_WRONG_USAGE, "%s: -%c needs a value: -%c %s", args->verb->row.name, *c,
                       *c, option->value);
    }
    *used = option->value != NULL ? 1 : 0;
    status = keep_value(args, index, option->value != NULL ? next : "");
  }
  return status;
}

static rh_status check_operands(const rh_args *args)
{
  const rh_verb *verb = args->verb;
  if (rh_args_flag(args, "help") || rh_args_flag(args, "version")) {
    return RH_OK;
  }
  if (args->request.nfile < verb->least) {
    return rh_refuse(RH_WRONG_USAGE, "%s: an argument is missing; usage: routh %s %s",
                     verb->row.name, verb->row.name, verb->usage);
  }
  if (args->request.nfile > verb->most) {
    return rh_refuse(RH_WRONG_USAGE, "%s: '%s' is one too many; usage: routh %s %s", verb->row.name,
                     args->request.file[verb->most], verb->row.name, verb->usage);
  }
  return RH_OK;
}

// The value of an option that only some verbs have.
static const char *common_value(const rh_args *args, const char *name)
{
  int index = find_name(args->verb, name, strlen(name));
  return index != RH_NONE ? args->value[index] : NULL;
}

rh_status rh_args_parse(const rh_verb *verb, int argc, char **argv, rh_args *args)
{
  *args = (rh_args){.verb = verb};
  size_t bytes = ((size_t)argc + 1) * sizeof(char *);
  args->request.set = rh_alloc(bytes);
  args->request.file = rh_alloc(bytes);
  args->owned = rh_alloc(bytes);
  if (args->request.set == NULL || args->request.file == NULL || args->owned == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  bool options = true;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    const char *next = i + 1 < argc ? argv[i + 1] : NULL;
    int used = 0;
    rh_status status = RH_OK;
    if (!options || word[0] != '-' || word[1] == '\0') {
      args->request.file[args->request.nfile++] = word;
    } else if (strcmp(word, "--") == 0) {
      options = false;
    } else if (word[1] == '-') {
      status = parse_long(args, word, next, &used);
    } else {
      status = parse_letters(args, word, next, &used);
    }
    RH_TRY(status);
    i += used;
  }
  args->request.json = rh_args_flag(args, "json");
  args->request.quiet = rh_args_flag(args, "quiet");
  args->request.verbose = rh_args_flag(args, "verbose");
  args->request.no_color = rh_args_flag(args, "no-color");
  args->request.strict = common_value(args, "strict") != NULL;
  args->request.progress = common_value(args, "progress");
  return check_operands(args);
}

void rh_args_free(rh_args *args)
{
  for (int i = 0; i < args->nowned; i++) {
    rh_free(args->owned[i]);
  }
  rh_free(args->owned);
  rh_free(args->request.set);
  rh_free(args->request.file);
  *args = (rh_args){0};
}

const char *rh_args_text(const rh_args *args, const char *name)
{
  int index = find_name(args->verb, name, strlen(name));
  RH_ASSERT(index != RH_NONE);
  return args->value[index];
}

bool rh_args_flag(const rh_args *args, const char *name)
{
  return rh_args_text(args, name) != NULL;
}
