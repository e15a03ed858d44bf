// Constraints that only push, e = 0: the velocity nearest to that without contacts, by the inertia,
// with no approach.
#include "step.h"

static void hold_contacts(rh_tick *t)
{
  rh_constrain(t, false);
}

extern const rh_haptic_method rh_haptic_method_ideal_moreau;

const rh_haptic_method rh_haptic_method_ideal_moreau = {
    .row = {.name = "ideal-moreau",
            .cite = "Moreau 1988",
            .doc = "reference: constraints that only push"},
    .coupling = "weld",
    .ideal = true,
    .gap = RH_GAP_CLOSED,
    .hold = hold_contacts,
};
