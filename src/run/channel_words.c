// channel_words.c: see channel_words.h.
#include "channel_words.h"

#include <stdio.h>
#include <string.h>

// Word number `n` of a list of words with blanks between them.
void rh_channel_word(const char *list, int n, char *out, size_t size)
{
  const char *at = list;
  while (n > 0 && *at) {
    n -= *at++ == ' ';
  }
  size_t length = strcspn(at, " ");
  snprintf(out, size, "%.*s", (int)length, at);
}

const char *rh_channel_joint_unit(const rh_joint *joint, int j, bool rate)
{
  char unit[8];
  rh_channel_word(joint->unit, j, unit, sizeof unit);
  if (strcmp(unit, "m") == 0) {
    return rate ? "m/s" : "m";
  }
  return rate ? "rad/s" : "rad";
}
