// names.h: names of a scene sorted for look-up, with duplicates found.
#ifndef ROUTH_MODEL_NAMES_H
#define ROUTH_MODEL_NAMES_H

#include "schema.h"

typedef struct rh_name_index { // entries of one section in the order of their names
  const char **name;           // by entry (count)
  int *order;                  // entries sorted by name, equal names by entry (count)
  int count;
} rh_name_index;

bool rh_name_index_build(rh_name_index *index, const rh_scene *scene, rh_section_id id); // false: out of memory
void rh_name_index_free(rh_name_index *index);
int rh_name_index_find(const rh_name_index *index, const char *name); // entry or RH_NONE
// Sorts 0..count-1 by name; the first half of `order` (2 count) gets the result. The sort is
// stable.
void rh_sort_names(const char *const *name, int count, int *order);
int rh_find_sorted(const char *const *name, const int *order, int count, const char *wanted);

#endif
