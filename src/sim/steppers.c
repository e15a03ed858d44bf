// The table of steppers, from steppers.def.
#include <routh/kind.h>

#include <string.h>

#define RH_STEPPER(name) extern const rh_stepper rh_stepper_##name;
#include "sim/steppers.def"
#undef RH_STEPPER

static const rh_stepper *const table[] = {
#define RH_STEPPER(name) &rh_stepper_##name,
#include "sim/steppers.def"
#undef RH_STEPPER
};

const rh_stepper *const *rh_stepper_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_stepper *rh_stepper_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
