// completion_fish.c: completion for fish, one line per verb, option and operand.
#include "completion.h"

#include <string.h>

static void fish_verb(rh_script *script, const rh_verb *verb)
{
  fprintf(script->out, "complete -c routh -n __fish_use_subcommand -a %s -d ", verb->row.name);
  rh_script_quote(script, verb->row.doc, true);
  fputc('\n', script->out);
}

static void fish_files(rh_script *script, const char *ending)
{
  char word[RH_NAME_MAX];
  fputs("(__routh_files", script->out);
  for (int i = 0; rh_choices_get(ending, i, word) != NULL; i++) {
    fprintf(script->out, " .%s", word);
  }
  fputc(')', script->out);
}

// The text after -a, in quotes.
static void fish_values(rh_script *script, const rh_values *v)
{
  if (v->kind == RH_VALUES_WORDS && v->many) {
    fprintf(script->out, " -x -a \"(__fish_complete_list , 'string split \\\" \\\" \\\"%s\\\"')\"",
            rh_values_words(v));
  } else if (v->kind == RH_VALUES_WORDS) {
    fprintf(script->out, " -x -a '%s'", rh_values_words(v));
  } else if (v->kind == RH_VALUES_CHANNELS) {
    fputs(v->many ? " -x -a '(__fish_complete_list , __routh_channels)'"
                  : " -x -a '(__routh_channels)'",
          script->out);
  } else if (v->kind == RH_VALUES_FILES && v->ending[0] != '\0') {
    fputs(" -x -a '", script->out);
    fish_files(script, v->ending);
    fputc('\'', script->out);
  } else if (v->kind == RH_VALUES_FILES) {
    fputs(" -r -F", script->out);
  } else {
    fputs(v->kind == RH_VALUES_FOLDERS ? " -x -a '(__fish_complete_directories)'" : " -x",
          script->out);
  }
}

static void fish_options(rh_script *script, const rh_verb *verb)
{
  const rh_option *option = NULL;
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    fprintf(script->out, "complete -c routh -n '__routh_verb %s'", verb->row.name);
    if (option->letter != 0) {
      fprintf(script->out, " -s %c", option->letter);
    }
    fprintf(script->out, " -l %s", option->name);
    if (option->value != NULL) {
      rh_values v = rh_values_of_option(option);
      fish_values(script, &v);
      rh_values_end(script, &v);
    }
    fputs(" -d ", script->out);
    rh_script_quote(script, option->doc, true);
    fputc('\n', script->out);
  }
}

static void fish_operands(rh_script *script, const rh_verb *verb)
{
  rh_values v = rh_values_of_verb(verb);
  const char *condition = strcmp(verb->row.name, "list") == 0 ? "__routh_first" : "__routh_verb";
  if (v.words.size > 0) {
    fprintf(script->out, "complete -c routh -n '%s %s' -a '%s'\n", condition, verb->row.name,
            rh_values_words(&v));
  }
  if (v.kind == RH_VALUES_CHANNELS) {
    fprintf(script->out,
            "complete -c routh -n '__routh_verb %s' -a '(__fish_complete_list , "
            "__routh_channels)'\n",
            verb->row.name);
  }
  if (v.ending != NULL) {
    fprintf(script->out, "complete -c routh -n '__routh_verb %s' -a '", verb->row.name);
    fish_files(script, v.ending);
    fputs("'\n", script->out);
  }
  rh_values_end(script, &v);
}

void rh_script_fish(rh_script *script)
{
  fputs("# fish completion of routh; made by: routh help --fish\n"
        "function __routh_verb\n"
        "  set -l words (commandline -opc)\n"
        "  test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
        "end\n"
        "function __routh_first\n"
        "  __routh_verb $argv[1]; and test (count (commandline -opc)) -eq 2\n"
        "end\n"
        "function __routh_kind\n"
        "  set -l words (commandline -opc)\n"
        "  test (count $words) -eq 3; and test $words[2] = list; and test $words[3] = $argv[1]\n"
        "end\n"
        "function __routh_channels\n"
        "  for word in (commandline -opc)\n"
        "    if string match -q '*.rhr' -- $word; and test -r $word\n"
        "      routh plot --list --quiet -- $word 2>/dev/null\n"
        "      return\n"
        "    end\n"
        "  end\n"
        "end\n"
        "function __routh_files\n"
        "  set -l begun (commandline -ct)\n"
        "  for ending in $argv\n"
        "    for file in $begun*$ending\n"
        "      echo $file\n"
        "    end\n"
        "  end\n"
        "  for folder in $begun*/\n"
        "    echo $folder\n"
        "  end\n"
        "end\n"
        "complete -c routh -f\n"
        "complete -c routh -n __fish_use_subcommand -l help -d 'all verbs'\n"
        "complete -c routh -n __fish_use_subcommand -l version -d 'the version'\n",
        script->out);
  rh_script_verbs(script, fish_verb);
  rh_script_verbs(script, fish_options);
  rh_script_verbs(script, fish_operands);
  rh_script_kinds(script, "complete -c routh -n '__routh_kind ", "' -a '", "'\n");
}
