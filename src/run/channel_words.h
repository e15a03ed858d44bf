// channel_words.h: names and units of the channels of joints.
#ifndef ROUTH_RUN_CHANNEL_WORDS_H
#define ROUTH_RUN_CHANNEL_WORDS_H

#include <routh/kind.h>

#include <stdbool.h>
#include <stddef.h>

// Word n of a list of words with spaces between
void rh_channel_word(const char *list, int n, char *out, size_t size);
// Unit of coordinate or degree of freedom j of a joint, or of its rate
const char *rh_channel_joint_unit(const rh_joint *joint, int j, bool rate);

#endif
