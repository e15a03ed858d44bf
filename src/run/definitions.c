// definitions.c: what a program fills in to build a scene: definitions with their default values, and parameters by name.
#include "kinds.h"

#include "model/schema.h"

#include <routh/kind.h>

#include <string.h>

#define DEFAULT_PLAIN(name, id)                                                                    \
  rh_##name##_def rh_##name##_default(void)                                                        \
  {                                                                                                \
    rh_kinds_load();                                                                               \
    rh_##name##_def def;                                                                           \
    rh_section_default(id, &def);                                                                  \
    return def;                                                                                    \
  }

// With the parameters of the row of that name; an unknown name is kept, and refused by compile.
#define DEFAULT_KIND(name, id)                                                                     \
  rh_##name##_def rh_##name##_default(const char *row_name)                                        \
  {                                                                                                \
    rh_kinds_load();                                                                               \
    rh_##name##_def def;                                                                           \
    rh_section_default(id, &def);                                                                  \
    def.kind = rh_name_of(row_name);                                                               \
    const rh_row *row = rh_section_row(&rh_sections[id], 0, &def);                                 \
    if (row) {                                                                                     \
      rh_row_defaults(row, def.par);                                                               \
    }                                                                                              \
    return def;                                                                                    \
  }

#define DEFAULT_OTHER(name, id)

#define RH_SECTION(id, way, name, defaults) DEFAULT_##defaults(name, RH_SECTION_##id)
#include "model/sections.def"
#undef RH_SECTION

rh_run_def rh_run_default(const char *engine, const char *integrator)
{
  rh_kinds_load();
  const rh_section *section = &rh_sections[RH_SECTION_RUN];
  const rh_engine *row = rh_engine_find(engine);
  rh_run_def def;
  rh_section_default(RH_SECTION_RUN, &def);
  def.engine = rh_name_of(engine);
  const char *usual = row && row->integrator ? row->integrator : "";
  def.integrator = rh_name_of(integrator ? integrator : usual);
  for (int which = RH_RUN_ENGINE; which <= RH_RUN_INTEGRATOR; which++) {
    const rh_row *chosen = rh_section_row(section, which, &def);
    memset(rh_section_par(section, which, &def), 0, RH_PAR_MAX * sizeof(double));
    if (chosen) {
      rh_row_defaults(chosen, rh_section_par(section, which, &def));
    }
  }
  return def;
}

rh_contact_def rh_contact_default(const char *law, const char *friction)
{
  rh_kinds_load();
  rh_contact_def def;
  rh_section_default(RH_SECTION_CONTACTS, &def);
  def.law = rh_name_of(law);
  def.friction = rh_name_of(friction);
  const rh_row *row = rh_section_row(&rh_sections[RH_SECTION_CONTACTS], 0, &def);
  if (row) {
    rh_row_defaults(row, def.par);
  }
  row = rh_section_row(&rh_sections[RH_SECTION_CONTACTS], 1, &def);
  if (row) {
    rh_row_defaults(row, def.friction_par);
  }
  return def;
}

// ---- Parameters of rows, by name

// The parameter `name` of one of the rows that `def` has chosen gets its n values. Refused: no row has it, or a value is out of range.
static rh_status set_parameter(rh_section_id id, void *def, const char *name, const double *value,
                               int n)
{
  rh_kinds_load();
  const rh_section *section = &rh_sections[id];
  for (int which = 0; which < section->nselect; which++) {
    const rh_row *row = rh_section_row(section, which, def);
    int index = row ? rh_row_find(row, name) : RH_NONE;
    if (index == RH_NONE || rh_param_size(&row->param[index]) != n) {
      continue;
    }
    char why[RH_WHY_MAX];
    for (int i = 0; i < n; i++) {
      if (!rh_param_check(&row->param[index], value[i], why)) {
        return RH_INPUT_REFUSED;
      }
    }
    double *par = rh_section_par(section, which, def) + rh_row_offset(row, index);
    for (int i = 0; i < n; i++) {
      par[i] = value[i];
    }
    return RH_OK;
  }
  return RH_INPUT_REFUSED;
}

#define SETTER(type, noun, id)                                                                     \
  rh_status rh_##noun##_set(type *def, const char *name, double value)                             \
  {                                                                                                \
    return set_parameter(id, def, name, &value, 1);                                                \
  }

SETTER(rh_joint_def, joint, RH_SECTION_JOINTS)
SETTER(rh_loop_def, loop, RH_SECTION_LOOPS)
SETTER(rh_constraint_def, constraint, RH_SECTION_CONSTRAINTS)
SETTER(rh_shape_def, shape, RH_SECTION_SHAPES)
SETTER(rh_contact_def, contact, RH_SECTION_CONTACTS)
SETTER(rh_controller_def, controller, RH_SECTION_CONTROLLERS)
SETTER(rh_sensor_def, sensor, RH_SECTION_SENSORS)
SETTER(rh_run_def, run, RH_SECTION_RUN)

rh_status rh_joint_set_vector(rh_joint_def *def, const char *name, const double value[3])
{
  return set_parameter(RH_SECTION_JOINTS, def, name, value, 3);
}

rh_status rh_shape_set_vector(rh_shape_def *def, const char *name, const double value[3])
{
  return set_parameter(RH_SECTION_SHAPES, def, name, value, 3);
}
