// recorded_inputs.h: what the tests of inputs share: a scene that runs and is given inputs.
#ifndef ROUTH_TEST_RECORDED_INPUTS_H
#define ROUTH_TEST_RECORDED_INPUTS_H

#include "rec_run.h"

#include <math.h>

#define G 9.81

static rh_diag *diag;
static rh_replay *play;

static inline void setup(void)
{
  rec_setup();
  diag = rh_diag_create();
  play = NULL;
}

static inline void teardown(void)
{
  rh_replay_destroy(play);
  rh_diag_destroy(diag);
  rec_teardown();
}

static inline void open_play(const char *scene)
{
  rh_status status = rh_replay_create(scene, "inputs.yaml", diag, &play);
  rec_say(diag);
  ck_assert_int_eq(status, RH_OK);
}

static inline rh_status give(rh_input_kind kind, const char *name, const char *value)
{
  rh_diag_clear(diag);
  return rh_replay_input(play, &(rh_input){.kind = kind, .name = name, .value = value}, diag);
}

static inline const rh_data *now(void)
{
  return rh_sim_view(rh_replay_sim(play));
}

static inline void run_to(double t)
{
  ck_assert_int_eq(rh_sim_run(rh_replay_sim(play), t), RH_OK);
  near_abs(*now()->t, t, 1e-12);
}

static inline rh_ledger ledger(void)
{
  return rh_sim_ledger(rh_replay_sim(play));
}

#endif
