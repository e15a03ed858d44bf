// kinds.h: kinds whose rows are in higher folders. The model reads their parameters and capabilities; run/kinds.c gives it the
// tables before the first scene is made.
#ifndef ROUTH_MODEL_KINDS_H
#define ROUTH_MODEL_KINDS_H

#include <routh/kind.h>

typedef struct rh_kinds {
  const rh_stepper *const *(*stepper_table)(int *count);
  const rh_stepper *(*stepper_find)(const char *name);
  const rh_controller *const *(*controller_table)(int *count);
  const rh_controller *(*controller_find)(const char *name);
  const rh_haptic_method *const *(*haptic_method_table)(int *count);
  const rh_haptic_method *(*haptic_method_find)(const char *name);
  const rh_haptic_coupling *const *(*haptic_coupling_table)(int *count);
  const rh_haptic_coupling *(*haptic_coupling_find)(const char *name);
  const rh_haptic_hand *const *(*haptic_hand_table)(int *count);
  const rh_haptic_hand *(*haptic_hand_find)(const char *name);
} rh_kinds;

void rh_kinds_set(const rh_kinds *kinds); // which must last
const rh_kinds *rh_kinds_get(void);

#endif
