// completion.h: completion of a word of the command line, common to the three shells.
#ifndef ROUTH_CLI_COMPLETION_H
#define ROUTH_CLI_COMPLETION_H

#include "cli.h"

typedef enum rh_values_kind {
  RH_VALUES_ANY, // no completion
  RH_VALUES_WORDS,
  RH_VALUES_CHANNELS, // of the first recording on the line
  RH_VALUES_FILES,
  RH_VALUES_FOLDERS,
} rh_values_kind;

typedef struct rh_values { // completion of a value or an operand
  rh_values_kind kind;
  rh_text words;      // with blanks between them
  const char *ending; // of files: "yaml|yml"; "": any
  bool many;          // commas between the words
} rh_values;

typedef struct rh_script { // a completion that is being written
  FILE *out;
  bool failed; // out of memory
} rh_script;

// End each with rh_values_end.
rh_values rh_values_of_option(const rh_option *option);
rh_values rh_values_of_verb(const rh_verb *verb);
void rh_values_end(rh_script *script, rh_values *v);
const char *rh_values_words(const rh_values *v);

// For each option with a value: its names as a pattern of `case`, "run:--output|run:-o", then the part.
typedef void rh_values_part(rh_script *script, const rh_values *values);
void rh_script_option_values(rh_script *script, const rh_verb *verb, rh_values_part *part);
typedef void rh_verb_part(rh_script *script, const rh_verb *verb);
void rh_script_verbs(rh_script *script, rh_verb_part *part);
// `routh list KIND NAME`: before, the kind, between, its names, after; one line each.
void rh_script_kinds(rh_script *script, const char *before, const char *between, const char *after);
// In single quotes: bash and zsh close them around a quote, fish uses a backslash.
void rh_script_quote(rh_script *script, const char *text, bool fish);

void rh_script_bash(rh_script *script);
void rh_script_zsh(rh_script *script);
void rh_script_fish(rh_script *script);

#endif
