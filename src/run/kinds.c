// kinds.c: gives the model the kinds whose rows are in higher folders. Every scene begins here, so that they are known when it is checked.
#include "kinds.h"

#include "model/kinds.h"
#include "model/schema.h"

static const rh_kinds all_kinds = {
    .stepper_table = rh_stepper_table,
    .stepper_find = rh_stepper_find,
    .controller_table = rh_controller_table,
    .controller_find = rh_controller_find,
    .haptic_method_table = rh_haptic_method_table,
    .haptic_method_find = rh_haptic_method_find,
    .haptic_coupling_table = rh_haptic_coupling_table,
    .haptic_coupling_find = rh_haptic_coupling_find,
    .haptic_hand_table = rh_haptic_hand_table,
    .haptic_hand_find = rh_haptic_hand_find,
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
