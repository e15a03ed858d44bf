// table.h: the two functions every kind has. A file that holds the rows of a kind in `table` (pointers to descriptors that
// begin with their rh_row) ends with RH_ROW_TABLE(noun): rh_noun_table gives them all, rh_noun_find one by its name, or NULL.
#ifndef ROUTH_BASE_TABLE_H
#define ROUTH_BASE_TABLE_H

#include <routh/base.h>

#include <string.h>

#define RH_ROW_TABLE(noun)                                                                         \
  const rh_##noun *const *rh_##noun##_table(int *count)                                            \
  {                                                                                                \
    *count = RH_COUNT(table);                                                                      \
    return table;                                                                                  \
  }                                                                                                \
                                                                                                   \
  const rh_##noun *rh_##noun##_find(const char *name)                                              \
  {                                                                                                \
    for (int i = 0; i < RH_COUNT(table); i++) {                                                    \
      if (strcmp(table[i]->row.name, name) == 0) {                                                 \
        return table[i];                                                                           \
      }                                                                                            \
    }                                                                                              \
    return NULL;                                                                                   \
  }

#endif
