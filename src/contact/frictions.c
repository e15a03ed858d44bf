// The table of friction laws, from frictions.def.
#include <routh/kind.h>

#include <string.h>

#define RH_FRICTION_LAW(name) extern const rh_friction_law rh_friction_law_##name;
#include "contact/frictions.def"
#undef RH_FRICTION_LAW

static const rh_friction_law *const table[] = {
#define RH_FRICTION_LAW(name) &rh_friction_law_##name,
#include "contact/frictions.def"
#undef RH_FRICTION_LAW
};

const rh_friction_law *const *rh_friction_law_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_friction_law *rh_friction_law_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
