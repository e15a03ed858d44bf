// names.c: refuses a name that is in no table of `routh list`.
#include "list.h"

#define NAMES_MAX 41 // one more than is printed

rh_status rh_refuse_listed(const char *verb, const char *what, const char *word,
                           const char *listing)
{
  const char *names[NAMES_MAX];
  const rh_listing *list = rh_listing_find(listing);
  RH_ASSERT(list != NULL);
  int n = 0;
  for (; n < list->count() && n < NAMES_MAX; n++) {
    rh_listed entry = {0};
    list->get(n, &entry);
    names[n] = entry.row.name;
  }
  return rh_refuse_name(verb, what, word, names, n);
}
