// The table of normal laws, from normals.def.
#include <routh/kind.h>

#include <string.h>

#define RH_NORMAL_LAW(name) extern const rh_normal_law rh_normal_law_##name;
#include "contact/normals.def"
#undef RH_NORMAL_LAW

static const rh_normal_law *const table[] = {
#define RH_NORMAL_LAW(name) &rh_normal_law_##name,
#include "contact/normals.def"
#undef RH_NORMAL_LAW
};

const rh_normal_law *const *rh_normal_law_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_normal_law *rh_normal_law_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
