// words.c: lists of channel names.
#include "words.h"

#include <string.h>

rh_status rh_words_add(rh_words *words, const char *from, size_t length)
{
  char **larger = rh_realloc(words->word, ((size_t)words->n + 1) * sizeof *larger);
  if (larger == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  words->word = larger;
  char *copy = rh_alloc(length + 1);
  if (copy == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  memcpy(copy, from, length);
  words->word[words->n++] = copy;
  return RH_OK;
}

rh_status rh_words_split(rh_words *words, const char *list)
{
  if (list == NULL) {
    return RH_OK;
  }
  const char *from = list;
  for (bool more = true; more;) {
    size_t length = strcspn(from, ",");
    if (length == 0) {
      return rh_refuse(RH_WRONG_USAGE, "'%s' has an empty name between its commas", list);
    }
    RH_TRY(rh_words_add(words, from, length));
    more = from[length] == ',';
    from += length + 1;
  }
  return RH_OK;
}

void rh_words_free(rh_words *words)
{
  for (int i = 0; i < words->n; i++) {
    rh_free(words->word[i]);
  }
  rh_free(words->word);
  *words = (rh_words){0};
}

static const char *nearest_channel(const rh_channels *channels, const char *name)
{
  int count = rh_channels_count(channels);
  const char **names = rh_alloc((size_t)count * sizeof *names);
  if (names == NULL) {
    return NULL;
  }
  for (int i = 0; i < count; i++) {
    names[i] = rh_channel_name(channels, i);
  }
  const char *near = rh_nearest_name(name, names, count);
  rh_free(names);
  return near;
}

rh_status rh_channel_unknown(const rh_channels *channels, const char *name)
{
  const char *near = nearest_channel(channels, name);
  if (near != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "there is no channel '%s'; did you mean '%s'?", name, near);
  }
  return rh_refuse(RH_WRONG_USAGE,
                   "there is no channel '%s'; 'routh plot --list RUN.rhr' shows them", name);
}

rh_status rh_channels_known(const rh_recording *recording, const char *const *name, int n)
{
  rh_channels *channels = rh_channels_create(rh_recording_model(recording));
  if (channels == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = RH_OK;
  for (int i = 0; i < n; i++) {
    if (rh_channel_find(channels, name[i]) != RH_NONE) {
      continue;
    }
    status = rh_channel_unknown(channels, name[i]);
  }
  rh_channels_destroy(channels);
  return status;
}

const char *rh_choices_get(const char *choices, int index, char *word)
{
  for (const char *from = choices; from != NULL && *from != '\0';) {
    size_t length = strcspn(from, "|");
    if (index-- == 0 && length < RH_NAME_MAX) {
      memcpy(word, from, length);
      word[length] = '\0';
      return word;
    }
    from += length + (from[length] == '|' ? 1 : 0);
  }
  return NULL;
}
