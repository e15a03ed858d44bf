// Constraints that hold: at a contact's impact all of its group that do not separate stop with it,
// by equalities; e is unused.
#include "step.h"

static void glue_contacts(rh_tick *t)
{
  rh_constrain(t, true);
}

extern const rh_haptic_method rh_haptic_method_ideal_glue;

const rh_haptic_method rh_haptic_method_ideal_glue = {
    .row = {.name = "ideal-glue",
            .cite = "[CSC] 15",
            .doc = "reference: constraints; closed contacts stop when another one collides"},
    .coupling = "weld",
    .ideal = true,
    .gap = RH_GAP_CLOSED,
    .hold = glue_contacts,
};
