// Four-channel teleoperation ([CSC] fig. 5): the hand's force goes to the tool and the environment's to the device, and
// K (q_d - q_t) + B (v_d - v_t) keeps the two together, along and about.
#include "step.h"

static void couple_bodies(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  rh_couple(t->d, k->device, k->tool, k->four_channel, t->coupling);
}

extern const rh_haptic_coupling rh_haptic_coupling_four_channel;

const rh_haptic_coupling rh_haptic_coupling_four_channel = {
    .row = {.name = "four-channel",
            .cite = "[CSC] fig. 5",
            .doc = "forces of hand and environment go to both sides, a spring keeps them together"},
    .feels = true,
    .act = couple_bodies,
};
