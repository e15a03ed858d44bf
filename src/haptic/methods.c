// methods.c: what contacts do in a tick: the rows, and their table.
#include "base/table.h"
#include "step.h"

// ---- `iapb`: Impulses and penalties ([CSC]): a group that collides takes impulses, one that rests is pressed
// apart by its contacts' laws; both at once only if the scene requests it (haptic.both).

static void resolve_contacts(rh_tick *t)
{
  rh_haptic_apply_penalties(t, !t->h->m->haptic.both);
  rh_haptic_apply_collisions(t);
}

static const rh_haptic_method rh_haptic_method_iapb = {
    .row = {.name = "iapb", .cite = "[CSC] IV", .doc = "impulses at collisions, penalties at rest"},
    .coupling = "four-channel",
    .meet = resolve_contacts,
};

// ---- `pb`: Penalties only: every contact, new or old, is pressed apart by its law.

static void press_contacts(rh_tick *t)
{
  rh_haptic_apply_penalties(t, false);
}

static const rh_haptic_method rh_haptic_method_pb = {
    .row = {.name = "pb", .cite = "[CSC] VI", .doc = "penalties only"},
    .coupling = "four-channel",
    .meet = press_contacts,
};

// ---- `cb-uc`: Constraints that only push keep the tool out; the device feels them through a coupler that acts in contact only.

static void hold_contacts(rh_tick *t)
{
  rh_haptic_hold_contacts(t, false);
}

static const rh_haptic_method rh_haptic_method_cb_uc = {
    .row = {.name = "cb-uc",
            .cite = "[CSC] VI",
            .doc = "constraints keep the tool out; a unilateral coupler links it to the device"},
    .coupling = "unilateral",
    .gap = RH_GAP_CLOSED,
    .hold = hold_contacts,
};

// ---- `ideal-glue`: Constraints that hold: at a contact's impact all of its group that do not separate stop with it,
// by equalities; e is unused.

static void glue_contacts(rh_tick *t)
{
  rh_haptic_hold_contacts(t, true);
}

static const rh_haptic_method rh_haptic_method_ideal_glue = {
    .row = {.name = "ideal-glue",
            .cite = "[CSC] 15",
            .doc = "reference: constraints; closed contacts stop when another one collides"},
    .coupling = "weld",
    .ideal = true,
    .gap = RH_GAP_CLOSED,
    .hold = glue_contacts,
};

// ---- `ideal-moreau`: Constraints that only push, e = 0: the velocity nearest to that without contacts, by the inertia,
// with no approach.

static const rh_haptic_method rh_haptic_method_ideal_moreau = {
    .row = {.name = "ideal-moreau",
            .cite = "Moreau 1988",
            .doc = "reference: constraints that only push"},
    .coupling = "weld",
    .ideal = true,
    .gap = RH_GAP_CLOSED,
    .hold = hold_contacts,
};

// ---- The table, from methods.def

static const rh_haptic_method *const table[] = {
#define RH_HAPTIC_METHOD(name) &rh_haptic_method_##name,
#include "methods.def"
#undef RH_HAPTIC_METHOD
};

RH_ROW_TABLE(haptic_method)
