// A hand that pushes and twists with the scene's wrench, at the grip.
#include "step.h"

static void add_scene_wrench(rh_tick *t, int body)
{
  rh_hand_grip(t, body, t->h->m->haptic.hand_force);
}

extern const rh_haptic_hand rh_haptic_hand_force;

const rh_haptic_hand rh_haptic_hand_force = {
    .row = {.name = "force", .cite = "[CSC] VI", .doc = "a constant force: push and twist"},
    .wrench = add_scene_wrench,
};
