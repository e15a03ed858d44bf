// completion_bash.c: completion for bash, one function over the words of the line.
#include "completion.h"

#include <string.h>

static void bash_values(rh_script *script, const rh_values *v)
{
  if (v->kind == RH_VALUES_WORDS) {
    fprintf(script->out, "words='%s'", rh_values_words(v));
  } else if (v->kind == RH_VALUES_CHANNELS) {
    fputs("words=$(_routh_channels)", script->out);
  } else if (v->kind == RH_VALUES_FILES) {
    fprintf(script->out, "files='%s'", v->ending[0] != '\0' ? v->ending : ".*");
  } else {
    fputs(v->kind == RH_VALUES_FOLDERS ? "files='/'" : "return", script->out);
  }
  fputs(v->many ? " many=1 ;;\n" : " ;;\n", script->out);
}

static void bash_option_values(rh_script *script, const rh_verb *verb)
{
  rh_script_option_values(script, verb, bash_values);
}

static void bash_operands(rh_script *script, const rh_verb *verb)
{
  rh_values v = rh_values_of_verb(verb);
  fprintf(script->out, "    %s) words='%s' files='%s'", verb->row.name, rh_values_words(&v),
          v.ending != NULL ? v.ending : "");
  fputs(v.kind == RH_VALUES_CHANNELS ? " many=1 words=\"$words $(_routh_channels)\" ;;\n" : " ;;\n",
        script->out);
  rh_values_end(script, &v);
}

static void bash_options(rh_script *script, const rh_verb *verb)
{
  const rh_option *option = NULL;
  fprintf(script->out, "    %s) words='", verb->row.name);
  for (int i = 0; (option = rh_verb_option(verb, i)) != NULL; i++) {
    fprintf(script->out, "%s--%s", i == 0 ? "" : " ", option->name);
  }
  fputs("' ;;\n", script->out);
}

static void verb_name(rh_script *script, const rh_verb *verb)
{
  fprintf(script->out, "%s ", verb->row.name);
}

void rh_script_bash(rh_script *script)
{
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
        "  local verb=${COMP_WORDS[1]} words='' files='' many='' head='' extra name\n"
        "  if [[ $current == '=' ]]; then\n" // --name=value is three words
        "    current=''\n"
        "  elif [[ $before == '=' ]]; then\n"
        "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  fi\n"
        "  COMPREPLY=()\n"
        "  if (( COMP_CWORD == 1 )); then\n"
        "    COMPREPLY=($(compgen -W '",
        script->out);
  rh_script_verbs(script, verb_name);
  fputs("--help --version' -- \"$current\"))\n"
        "    return\n"
        "  fi\n"
        "  case $verb in\n",
        script->out);
  rh_script_verbs(script, bash_operands);
  fputs("  esac\n"
        "  if [[ $current == -* ]]; then\n"
        "    files='' many=''\n"
        "    case $verb in\n",
        script->out);
  rh_script_verbs(script, bash_options);
  fputs("    esac\n"
        "  else\n"
        "    extra=$many:$files:$words words='' files='' many=''\n"
        "    case $verb:$before in\n",
        script->out);
  rh_script_verbs(script, bash_option_values);
  rh_script_kinds(script, "    list:", ") words='", "' ;;\n");
  fputs("    esac\n"
        "    if [[ -z $words && -z $files ]]; then\n"
        "      many=${extra%%:*} extra=${extra#*:}\n"
        "      files=${extra%%:*} words=${extra#*:}\n"
        "    fi\n"
        "  fi\n"
        "  if [[ -n $many && $current == *,* ]]; then\n"
        "    head=${current%,*},\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${current#\"$head\"}\"))\n"
        "  if [[ -n $many || ${COMPREPLY[0]} == *= ]]; then\n"
        "    compopt -o nospace\n"
        "  fi\n"
        "  if [[ -n $files ]]; then\n"
        "    while IFS= read -r name; do\n"
        "      if [[ -d $name || $files == '.*' || $name =~ \\.($files)$ ]]; then\n"
        "        COMPREPLY+=(\"$name\")\n"
        "      fi\n"
        "    done < <(compgen -f -- \"$current\")\n"
        "    compopt -o filenames\n"
        "  fi\n"
        "}\n"
        "complete -F _routh routh\n",
        script->out);
}
