// names.c: the tables of `routh list`: those of the catalog, then the verbs. Refuses a name that is
// in no table.
#include "tables.h"

#include <string.h>

#define NAMES_MAX 41 // one more than is printed

static int count_verbs(void)
{
  int count = 0;
  (void)rh_verb_table(&count);
  return count;
}

static void get_verb(int index, rh_listed *entry)
{
  int count = 0;
  entry->row = rh_verb_table(&count)[index]->row;
}

static const rh_listing verbs = {
    .name = "verbs", .doc = "verbs of routh", .count = count_verbs, .get = get_verb};

const rh_listing *rh_listing_get(int index)
{
  const rh_listing *listing = rh_catalog_get(index);
  bool after = listing == NULL && (index == 0 || rh_catalog_get(index - 1) != NULL);
  return after ? &verbs : listing;
}

const rh_listing *rh_listing_find(const char *name)
{
  const rh_listing *listing;
  for (int i = 0; (listing = rh_listing_get(i)) != NULL; i++) {
    if (strcmp(listing->name, name) == 0) {
      return listing;
    }
  }
  return NULL;
}

bool rh_listed_has(const char *listing, const char *name)
{
  const rh_listing *list = rh_listing_find(listing);
  RH_ASSERT(list != NULL);
  bool found = false;
  for (int i = 0; i < list->count() && !found; i++) {
    rh_listed entry = {0};
    list->get(i, &entry);
    found = strcmp(entry.row.name, name) == 0;
  }
  return found;
}

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
