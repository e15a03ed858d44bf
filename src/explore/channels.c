// channels.c: channels chosen by their groups and by name.
#include "channels.h"

#include <string.h>

rh_status rh_groups_read(const char *list, unsigned *groups)
{
  static const char *const name[] = {
#define ENTRY(id, word, by_default, text) word,
      RH_CHANNEL_GROUP_LIST(ENTRY)
#undef ENTRY
          "all"};
  rh_words words = {0};
  rh_status status = rh_words_split(&words, list);
  *groups = 0;
  for (int i = 0; status == RH_OK && i < words.n; i++) {
    int k = 0;
    while (k < RH_COUNT(name) && strcmp(name[k], words.word[i]) != 0) {
      k++;
    }
    if (k == RH_COUNT(name)) {
      status = rh_refuse_name("export", "group of channels", words.word[i], name, RH_COUNT(name));
    } else {
      *groups |= k == RH_CHANNEL_GROUP_COUNT ? ~0U : 1U << k;
    }
  }
  rh_words_free(&words);
  return status;
}

unsigned rh_groups_usual(void)
{
  static const bool by_default[] = {
#define ENTRY(id, word, is_default, text) is_default,
      RH_CHANNEL_GROUP_LIST(ENTRY)
#undef ENTRY
  };
  unsigned groups = 0;
  for (int i = 0; i < RH_CHANNEL_GROUP_COUNT; i++) {
    groups |= by_default[i] ? 1U << i : 0;
  }
  return groups;
}

rh_status rh_channels_choose(const rh_channels *channels, unsigned groups, const rh_words *named,
                             rh_chosen *chosen)
{
  chosen->all = rh_channels_count(channels) - 1; // the time is always included
  chosen->name = rh_alloc(((size_t)chosen->all + (size_t)named->n + 1) * sizeof *chosen->name);
  if (chosen->name == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  for (int i = 0; i <= chosen->all; i++) {
    rh_channel_group_id group = rh_channel_group(channels, i);
    if (group != RH_CHANNEL_GROUP_COUNT && (groups >> group & 1U) != 0) {
      chosen->name[chosen->n++] = rh_channel_name(channels, i);
    }
  }
  for (int i = 0; i < named->n; i++) {
    int index = rh_channel_find(channels, named->word[i]);
    rh_channel_group_id group = rh_channel_group(channels, index);
    if (group == RH_CHANNEL_GROUP_COUNT || (groups >> group & 1U) == 0) {
      chosen->name[chosen->n++] = named->word[i];
    }
  }
  return RH_OK;
}
