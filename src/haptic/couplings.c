// couplings.c: what is between device and tool: the rows, and their table.
#include "base/table.h"
#include "step.h"

#include <string.h>

// ---- `four-channel`: Four-channel teleoperation ([CSC] fig. 5): the hand's force goes to the tool and the environment's to the device, and
// K (q_d - q_t) + B (v_d - v_t) keeps the two together, along and about.

static const double *gains_of_channels(const rh_model_haptic *h)
{
  return h->four_channel;
}

static void couple_four_channel(rh_tick *t)
{
  rh_haptic_spring_damper(t, gains_of_channels(&t->h->m->haptic), t->coupling);
}

static const rh_haptic_coupling rh_haptic_coupling_four_channel = {
    .row = {.name = "four-channel",
            .cite = "[CSC] fig. 5",
            .doc = "forces of hand and environment go to both sides, a spring keeps them together"},
    .feels = true,
    .act = couple_four_channel,
    .gains = gains_of_channels,
};

// ---- `unilateral`: Unilateral coupler: a spring and a damper between device and tool while the tool touches
// something, or would at the device's pose, or cannot be there; the device gets no other force.
// Otherwise the tool is at the device's pose.

static const double *gains_of_coupler(const rh_model_haptic *h)
{
  return h->coupler;
}

static void couple_in_contact(rh_tick *t)
{
  const rh_haptic *h = t->h;
  t->active = t->now->state != (double)RH_STATE_FREE || h->device_overlaps || h->grip.beyond;
  if (t->active) {
    rh_haptic_spring_damper(t, gains_of_coupler(&h->m->haptic), t->coupling);
  }
}

static void follow_device(rh_tick *t)
{
  if (!t->active) {
    rh_haptic_put_tool(t);
  }
}

static const rh_haptic_coupling rh_haptic_coupling_unilateral = {
    .row =
        {.name = "unilateral",
         .cite = "[CSC] VI",
         .doc =
             "a spring that acts only while the tool touches; else device and tool move together"},
    .needs_device = true,
    .looks = true,
    .act = couple_in_contact,
    .gains = gains_of_coupler,
    .follow = follow_device,
};

// ---- `weld`: The hand is at the tool itself, as for a device without inertia and limits; a device's twin shows
// its pose, and the wrench is that of the environment, within the clamps only.

static void follow_tool(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  memcpy(t->wrench, t->env, sizeof t->wrench);
  rh_haptic_clamp_wrench(t);
  if (k->device != RH_NONE) {
    rh_haptic_put_device(t);
  }
}

static const rh_haptic_coupling rh_haptic_coupling_weld = {
    .row = {.name = "weld",
            .cite = "",
            .doc = "the hand holds the tool; the device gives the force of an ideal one"},
    .at_tool = true,
    .follow = follow_tool,
};

// ---- The table, from couplings.def

static const rh_haptic_coupling *const table[] = {
#define RH_HAPTIC_COUPLING(name) &rh_haptic_coupling_##name,
#include "couplings.def"
#undef RH_HAPTIC_COUPLING
};

RH_ROW_TABLE(haptic_coupling)
