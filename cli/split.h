// split.h: lists of channel names as the command line gives them, "hinge.q,hinge.v".
#ifndef ROUTH_CLI_SPLIT_H
#define ROUTH_CLI_SPLIT_H

#include "cli.h"

typedef struct rh_words {
  char **word;
  int n;
} rh_words;

// Adds the words of a list with commas; NULL adds nothing. Says what is wrong.
rh_status rh_words_split(rh_words *words, const char *list);
void rh_words_free(rh_words *words);
// Refuses a name that is no channel, with the one that may have been meant.
rh_status rh_channel_unknown(const rh_channels *channels, const char *name);
// Says which of the names is no channel of the recording, and which one may have been meant.
rh_status rh_channels_known(const rh_recording *recording, const char *const *name, int n);

#endif
