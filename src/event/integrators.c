// The table of integrators, from integrators.def.
#include "base/table.h"
#include "integrator.h"

#define RH_INTEGRATOR(name) extern const rh_integrator rh_integrator_##name;
#include "integrators.def"
#undef RH_INTEGRATOR

static const rh_integrator *const table[] = {
#define RH_INTEGRATOR(name) &rh_integrator_##name,
#include "integrators.def"
#undef RH_INTEGRATOR
};

RH_ROW_TABLE(integrator)

const rh_row *rh_integrator_row(int index)
{
  return index < RH_COUNT(table) ? &table[index]->row : NULL;
}
