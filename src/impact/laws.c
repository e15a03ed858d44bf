// The table of impact laws, from laws.def.
#include <routh/kind.h>

#include <string.h>

#define RH_IMPACT_LAW(name) extern const rh_impact_law rh_impact_law_##name;
#include "impact/laws.def"
#undef RH_IMPACT_LAW

static const rh_impact_law *const table[] = {
#define RH_IMPACT_LAW(name) &rh_impact_law_##name,
#include "impact/laws.def"
#undef RH_IMPACT_LAW
};

const rh_impact_law *const *rh_impact_law_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_impact_law *rh_impact_law_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
