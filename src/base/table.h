// table.h: the functions every kind has. A file that holds the rows of a kind in `table` (pointers to descriptors that begin with
// their rh_row) ends with RH_ROW_TABLE(noun): rh_noun_table gives them all, rh_noun_find one by its name, or NULL.
// RH_OPEN_ROW_TABLE(noun) also has rh_noun_register, which adds a row: `table` has room for RH_REGISTERED_MAX more than the `built_in`
// first ones.
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

enum { RH_REGISTERED_MAX = 32 };

#define RH_OPEN_ROW_TABLE(noun)                                                                    \
  static int row_count = built_in;                                                                 \
                                                                                                   \
  const rh_##noun *const *rh_##noun##_table(int *count)                                            \
  {                                                                                                \
    *count = row_count;                                                                            \
    return table;                                                                                  \
  }                                                                                                \
                                                                                                   \
  const rh_##noun *rh_##noun##_find(const char *name)                                              \
  {                                                                                                \
    for (int i = 0; i < row_count; i++) {                                                          \
      if (strcmp(table[i]->row.name, name) == 0) {                                                 \
        return table[i];                                                                           \
      }                                                                                            \
    }                                                                                              \
    return NULL;                                                                                   \
  }                                                                                                \
                                                                                                   \
  rh_status rh_##noun##_register(const rh_##noun *row)                                             \
  {                                                                                                \
    if (row == NULL || row->row.name == NULL || row_count == RH_COUNT(table) ||                    \
        rh_##noun##_find(row->row.name) != NULL) {                                                 \
      return RH_INPUT_REFUSED;                                                                     \
    }                                                                                              \
    table[row_count++] = row;                                                                      \
    return RH_OK;                                                                                  \
  }

#endif
