// definitions.c: what a program fills in to build a scene: definitions with their default values, and parameters by name.
#include "kinds.h"

#include "model/schema.h"

#include <routh/kind.h>

#include <string.h>

#define DEFAULT(type, name, id)                                                                    \
  type name(void)                                                                                  \
  {                                                                                                \
    rh_kinds_load();                                                                               \
    type def;                                                                                      \
    rh_section_default(id, &def);                                                                  \
    return def;                                                                                    \
  }

DEFAULT(rh_world_def, rh_world_default, RH_SECTION_WORLD)
DEFAULT(rh_body_def, rh_body_default, RH_SECTION_BODIES)
DEFAULT(rh_mesh_def, rh_mesh_default, RH_SECTION_MESHES)
DEFAULT(rh_point_def, rh_point_default, RH_SECTION_POINTS)
DEFAULT(rh_actuator_def, rh_actuator_default, RH_SECTION_ACTUATORS)
DEFAULT(rh_force_def, rh_force_default, RH_SECTION_FORCES)
DEFAULT(rh_event_def, rh_event_default, RH_SECTION_EVENTS)
DEFAULT(rh_haptic_def, rh_haptic_default, RH_SECTION_HAPTIC)
DEFAULT(rh_record_def, rh_record_default, RH_SECTION_RECORD)

// With the parameters of the row that `kind` names; an unknown name is kept, and refused by compile.
#define DEFAULT_OF(type, name, id, selector)                                                       \
  type name(const char *kind)                                                                      \
  {                                                                                                \
    rh_kinds_load();                                                                               \
    type def;                                                                                      \
    rh_section_default(id, &def);                                                                  \
    def.selector = rh_name_of(kind);                                                               \
    const rh_row *row = rh_section_row(&rh_sections[id], 0, &def);                                 \
    if (row) {                                                                                     \
      rh_row_defaults(row, def.par);                                                               \
    }                                                                                              \
    return def;                                                                                    \
  }

DEFAULT_OF(rh_joint_def, rh_joint_default, RH_SECTION_JOINTS, kind)
DEFAULT_OF(rh_loop_def, rh_loop_default, RH_SECTION_LOOPS, kind)
DEFAULT_OF(rh_constraint_def, rh_constraint_default, RH_SECTION_CONSTRAINTS, kind)
DEFAULT_OF(rh_shape_def, rh_shape_default, RH_SECTION_SHAPES, kind)
DEFAULT_OF(rh_controller_def, rh_controller_default, RH_SECTION_CONTROLLERS, kind)

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
SETTER(rh_run_def, run, RH_SECTION_RUN)

rh_status rh_joint_set_vector(rh_joint_def *def, const char *name, const double value[3])
{
  return set_parameter(RH_SECTION_JOINTS, def, name, value, 3);
}

rh_status rh_shape_set_vector(rh_shape_def *def, const char *name, const double value[3])
{
  return set_parameter(RH_SECTION_SHAPES, def, name, value, 3);
}
