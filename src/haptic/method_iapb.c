// Impulses and penalties ([CSC]): a group that collides takes impulses, one that rests is pressed apart by its contacts' laws; both at
// once only where the scene says so (haptic.both).
#include "step.h"

static void meet(rh_tick *t)
{
  rh_press_all(t, !t->h->m->haptic.both);
  rh_strike_all(t);
}

extern const rh_haptic_method rh_haptic_method_iapb;

const rh_haptic_method rh_haptic_method_iapb = {
    .row = {.name = "iapb", .cite = "[CSC] IV", .doc = "impulses at collisions, penalties at rest"},
    .coupling = "four-channel",
    .meet = meet,
};
