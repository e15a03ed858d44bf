// words.h: lists of channel names from the command line, "hinge.q,hinge.v".
#ifndef ROUTH_CONSOLE_WORDS_H
#define ROUTH_CONSOLE_WORDS_H

#include "console.h"

typedef struct rh_words {
  char **word;
  int n;
} rh_words;

// Adds the words of a list with commas; NULL adds nothing. Reports errors.
rh_status rh_words_split(rh_words *words, const char *list);
rh_status rh_words_add(rh_words *words, const char *from, size_t length);
void rh_words_free(rh_words *words);
// Word `index` of "auto|none|json"; `word` has RH_NAME_MAX bytes. NULL after the last.
const char *rh_choices_get(const char *choices, int index, char *word);
// Refuses a name that is no channel, with a suggestion.
rh_status rh_channel_unknown(const rh_channels *channels, const char *name);
// Reports the names that are no channel of the recording, with suggestions.
rh_status rh_channels_known(const rh_recording *recording, const char *const *name, int n);

#endif
