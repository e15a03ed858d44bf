// channels.h: channels chosen by their groups and by name.
#ifndef ROUTH_EXPLORE_CHANNELS_H
#define ROUTH_EXPLORE_CHANNELS_H

#include "console/words.h"

typedef struct rh_chosen {
  const char **name; // rh_free it
  int n, all;        // number chosen, of all; the time is always included and does not count
} rh_chosen;

// "joints,energy" as one bit each; "all" is every group. Reports errors.
rh_status rh_groups_read(const char *list, unsigned *groups);
unsigned rh_groups_usual(void); // those that are exported by default
// The channels of the groups, in their order, and then further named ones, which must exist. The
// names are those of `channels` and `named`.
rh_status rh_channels_choose(const rh_channels *channels, unsigned groups, const rh_words *named,
                             rh_chosen *chosen);

#endif
