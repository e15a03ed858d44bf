// Constraints that hold: when a contact strikes, all of its group that do not part stop with it, by equalities; e is not asked.
#include "step.h"

static void hold(rh_tick *t)
{
  rh_constrain(t, true);
}

extern const rh_haptic_method rh_haptic_method_ideal_glue;

const rh_haptic_method rh_haptic_method_ideal_glue = {
    .row = {.name = "ideal-glue",
            .cite = "[CSC] 15",
            .doc = "to compare with: constraints; what is closed stops when one more strikes"},
    .coupling = "weld",
    .ideal = true,
    .gap = RH_GAP_CLOSED,
    .hold = hold,
};
