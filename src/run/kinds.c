// kinds.c: gives the model the kinds whose rows are in higher folders. Every scene begins here, so that they are known when it is checked.
// Also the rows of every kind by name, for programs that list them.
#include "kinds.h"

#include "complement/complement.h"
#include "haptic/haptic.h"
#include "impact/impact.h"
#include "model/kinds.h"
#include "model/schema.h"

#include <string.h>

static const rh_kinds all_kinds = {
    .engine_table = rh_engine_table,
    .engine_find = rh_engine_find,
    .controller_table = rh_controller_table,
    .controller_find = rh_controller_find,
    .sensor_table = rh_sensor_kind_table,
    .sensor_find = rh_sensor_kind_find,
    .haptic_method_table = rh_haptic_method_table,
    .haptic_method_find = rh_haptic_method_find,
    .haptic_coupling_table = rh_haptic_coupling_table,
    .haptic_coupling_find = rh_haptic_coupling_find,
    .haptic_hand_table = rh_haptic_hand_table,
    .haptic_hand_find = rh_haptic_hand_find,
    .haptic_pulse_table = rh_haptic_pulse_table,
    .haptic_pulse_find = rh_haptic_pulse_find,
};

void rh_kinds_load(void)
{
  rh_kinds_set(&all_kinds);
}

rh_scene *rh_scene_create(void)
{
  rh_kinds_load();
  return rh_scene_new();
}

// ---- Rows of every kind

#define ROW_AT(kind, type, table)                                                                  \
  static const rh_row *kind##_row(int index)                                                       \
  {                                                                                                \
    int count;                                                                                     \
    const type *const *row = table(&count);                                                        \
    return index >= 0 && index < count ? &row[index]->row : NULL;                                  \
  }

ROW_AT(joints, rh_joint, rh_joint_table)
ROW_AT(loops, rh_loop_kind, rh_loop_kind_table)
ROW_AT(constraints, rh_constraint_kind, rh_constraint_kind_table)
ROW_AT(shapes, rh_shape, rh_shape_table)
ROW_AT(laws, rh_normal_law, rh_normal_law_table)
ROW_AT(frictions, rh_friction_law, rh_friction_law_table)
ROW_AT(impacts, rh_impact_law, rh_impact_law_table)
ROW_AT(formulations, rh_formulation, rh_formulation_table)
ROW_AT(engines, rh_engine, rh_engine_table)
ROW_AT(controllers, rh_controller, rh_controller_table)
ROW_AT(sensors, rh_sensor_kind, rh_sensor_kind_table)
ROW_AT(solvers, rh_solver, rh_solver_table)
ROW_AT(methods, rh_haptic_method, rh_haptic_method_table)
ROW_AT(couplings, rh_haptic_coupling, rh_haptic_coupling_table)
ROW_AT(hands, rh_haptic_hand, rh_haptic_hand_table)
ROW_AT(pulses, rh_haptic_pulse, rh_haptic_pulse_table)

static const rh_row *integrators_row(int index)
{
  rh_kinds_load(); // the schema finds them by the engines
  return index >= 0 ? rh_sections[RH_SECTION_RUN].select[RH_RUN_INTEGRATOR].row_at(index) : NULL;
}

static const struct {
  const char *name;
  const rh_row *(*row)(int index);
} kinds[] = {
    {"joints", joints_row},
    {"loops", loops_row},
    {"constraints", constraints_row},
    {"shapes", shapes_row},
    {"laws", laws_row},
    {"frictions", frictions_row},
    {"impacts", impacts_row},
    {"formulations", formulations_row},
    {"engines", engines_row},
    {"integrators", integrators_row},
    {"controllers", controllers_row},
    {"sensors", sensors_row},
    {"solvers", solvers_row},
    {"methods", methods_row},
    {"couplings", couplings_row},
    {"hands", hands_row},
    {"pulses", pulses_row},
};

const char *rh_kind_name(int index)
{
  return index >= 0 && index < RH_COUNT(kinds) ? kinds[index].name : NULL;
}

const rh_row *rh_kind_row(const char *kind, int index)
{
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    if (strcmp(kinds[i].name, kind) == 0) {
      return kinds[i].row(index);
    }
  }
  return NULL;
}

const rh_row *rh_kind_find(const char *kind, const char *name)
{
  const rh_row *row = NULL;
  for (int i = 0; (row = rh_kind_row(kind, i)) != NULL && strcmp(row->name, name) != 0; i++) {
    // until the name fits
  }
  return row;
}
