// completion_zsh.c: completion for zsh, with the text of each verb and option.
#include "completion.h"

#include <string.h>

static void put_described(rh_script *script, const char *name, const char *doc)
{
  rh_text text = {0};
  rh_text_addf(&text, "%s:%s", name, doc);
  fputc(' ', script->out);
  rh_script_quote(script, text.data != NULL ? text.data : "", false);
  script->failed = script->failed || text.failed;
  rh_text_free(&text);
}

static void zsh_verb(rh_script *script, const rh_verb *verb)
{
  put_described(script, verb->row.name, verb->row.doc);
}

static void zsh_files(rh_script *script, const char *ending)
{
  if (ending[0] != '\0') {
    fprintf(script->out, "_files -g '*.(%s)(-.)'", ending);
  } else {
    fputs("_files", script->out);
  }
}

static void zsh_values(rh_script *script, const rh_values *v)
{
  const char *add = v->many ? "_routh_many" : "_routh_words";
  if (v->kind == RH_VALUES_WORDS) {
    fprintf(script->out, "%s %s", add, rh_values_words(v));
  } else if (v->kind == RH_VALUES_CHANNELS) {
    fprintf(script->out, "%s $(_routh_channels)", add);
  } else if (v->kind == RH_VALUES_FILES) {
    zsh_files(script, v->ending);
  } else {
    fputs(v->kind == RH_VALUES_FOLDERS ? "_files -/" : ":", script->out);
  }
  fputs("; return ;;\n", script->out);
}

static void zsh_option_values(rh_script *script, const rh_verb *verb)
{
  rh_script_option_values(script, verb, zsh_values);
}

static void zsh_options(rh_script *script, const rh_verb *verb)
{
  const rh_option *option = NULL;
  fprintf(script->out, "    %s) list=(", verb->row.name);
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    char name[RH_NAME_MAX + 4];
    snprintf(name, sizeof name, "--%s", option->name);
    put_described(script, name, option->doc);
  }
  fputs(") ;;\n", script->out);
}

static void zsh_operands(rh_script *script, const rh_verb *verb)
{
  rh_values v = rh_values_of_verb(verb);
  fprintf(script->out, "    %s) ", verb->row.name);
  if (v.words.size > 0) {
    fprintf(script->out, "_routh_words %s; ", rh_values_words(&v));
  }
  if (v.kind == RH_VALUES_CHANNELS) {
    fputs("_routh_many $(_routh_channels); ", script->out);
  }
  if (v.ending != NULL) {
    zsh_files(script, v.ending);
  } else {
    fputc(':', script->out);
  }
  fputs(" ;;\n", script->out);
  rh_values_end(script, &v);
}

void rh_script_zsh(rh_script *script)
{
  fputs("#compdef routh\n"
        "# zsh completion of routh; made by: routh help --zsh\n"
        "_routh_channels() {\n"
        "  local word\n"
        "  for word in $words; do\n"
        "    if [[ $word == *.rhr && -r $word ]]; then\n"
        "      routh plot --list --quiet -- $word 2>/dev/null\n"
        "      return\n"
        "    fi\n"
        "  done\n"
        "}\n"
        "_routh_words() {\n"
        "  local -a open\n"
        "  open=(${(M)@:#*=})\n" // NAME= goes on with its value
        "  (( $#open )) && compadd -S '' -a open\n"
        "  compadd -- ${@:#*=}\n"
        "}\n"
        "_routh_many() {\n"
        "  compset -P '*,'\n"
        "  compadd -qS , -- $@\n"
        "}\n"
        "_routh() {\n"
        "  local verb=$words[2] current=$words[CURRENT] before=$words[CURRENT-1]\n"
        "  local -a list\n"
        "  if (( CURRENT == 2 )); then\n"
        "    list=(",
        script->out);
  rh_script_verbs(script, zsh_verb);
  fputs(")\n"
        "    _describe verb list\n"
        "    return\n"
        "  fi\n"
        "  if [[ $current == --*=* ]]; then\n"
        "    before=${current%%=*}\n"
        "    compset -P '*='\n"
        "  fi\n"
        "  case $verb:$before in\n",
        script->out);
  rh_script_verbs(script, zsh_option_values);
  rh_script_kinds(script, "    list:", ") _routh_words ", "; return ;;\n");
  fputs("  esac\n"
        "  if [[ $current == -* ]]; then\n"
        "    case $verb in\n",
        script->out);
  rh_script_verbs(script, zsh_options);
  fputs("    esac\n"
        "    _describe -o option list\n"
        "    return\n"
        "  fi\n"
        "  case $verb in\n",
        script->out);
  rh_script_verbs(script, zsh_operands);
  fputs("  esac\n"
        "}\n"
        "if [[ $funcstack[1] == _routh ]]; then\n" // loaded by its name, else sourced
        "  _routh \"$@\"\n"
        "else\n"
        "  compdef _routh routh\n"
        "fi\n",
        script->out);
}
