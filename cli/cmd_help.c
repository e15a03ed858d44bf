// cmd_help.c: `routh help`: the page of a verb, the man page, the completion; with --json the rows of all verbs.
#include "cli.h"

#include <string.h>

static void json_verb(rh_json *json, const rh_verb *verb)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", verb->row.name);
  rh_json_string(json, "doc", verb->row.doc);
  rh_json_string(json, "usage", verb->usage);
  rh_json_open_array(json, "options");
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    char letter[2] = {option->letter, '\0'};
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", option->name);
    rh_json_string(json, "letter", option->letter != 0 ? letter : NULL);
    rh_json_string(json, "value", option->value);
    rh_json_string(json, "choices", option->choices);
    rh_json_string(json, "doc", option->doc);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_open_array(json, "examples");
  for (int i = 0; i < verb->nexample; i++) {
    rh_json_string(json, NULL, verb->example[i].command);
  }
  rh_json_close(json);
  rh_json_close(json);
}

static rh_status print_json(void)
{
  int count = 0;
  const rh_verb *const *table = rh_verb_table(&count);
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_open_array(&json, "verbs");
  for (int i = 0; i < count; i++) {
    json_verb(&json, table[i]);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status help_verb(const rh_args *args)
{
  bool color = rh_color_allowed(&args->request, stdout);
  if (args->request.nfile > 0 && rh_verb_find(args->request.file[0]) == NULL) {
    return rh_verb_unknown(args->request.file[0]);
  }
  static const char *const shells[] = {"bash", "zsh", "fish"};
  const char *shell = NULL;
  for (int i = 0; i < RH_COUNT(shells); i++) {
    shell = rh_args_flag(args, shells[i]) ? shells[i] : shell;
  }
  if (rh_args_flag(args, "man")) {
    rh_help_man(stdout);
  } else if (shell != NULL) {
    return rh_help_completion(stdout, shell) ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  } else if (args->request.json) {
    return print_json();
  } else if (args->request.nfile == 0) {
    rh_help_all(stdout, color);
  } else {
    rh_help_verb(stdout, rh_verb_find(args->request.file[0]), color);
  }
  return RH_OK;
}

static const rh_option option[] = {
    {.name = "man", .doc = "the man page (roff): routh help --man | man -l -"},
    {.name = "bash", .doc = "completion for bash: source <(routh help --bash)"},
    {.name = "zsh", .doc = "completion for zsh: source <(routh help --zsh), after compinit"},
    {.name = "fish", .doc = "completion for fish: routh help --fish | source"},
};

static const rh_example example[] = {
    {"help run", "the page of a verb, as routh run --help"},
    {"help --man | man -l -", "everything on one page"},
};

const rh_verb rh_verb_help = {
    .row = {.name = "help",
            .cite = "",
            .doc = "This page, that of a verb, the man page, shell completion."},
    .group = "Trust",
    .usage = "[VERB]",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .words =
#define RH_VERB(name) #name "|"
#include "verbs.def"
#undef RH_VERB
        "",
    .least = 0,
    .most = 1,
    .run = help_verb,
};
