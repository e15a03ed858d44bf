// Impulses and penalties ([CSC]): a group that collides takes impulses, one that rests is pressed
// apart by its contacts' laws; both at once only if the scene requests it (haptic.both).
#include "step.h"

static void resolve_contacts(rh_tick *t)
{
  rh_press_all(t, !t->h->m->haptic.both);
  rh_strike_all(t);
}

extern const rh_haptic_method rh_haptic_method_iapb;

const rh_haptic_method rh_haptic_method_iapb = {
    .row = {.name = "iapb", .cite = "[CSC] IV", .doc = "impulses at collisions, penalties at rest"},
    .coupling = "four-channel",
    .meet = resolve_contacts,
};
