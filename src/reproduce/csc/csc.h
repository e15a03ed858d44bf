// csc.h: shared by the figures of [CSC]: worlds with a haptic loop, whole runs of the peg in
// the corner with their metrics.
#ifndef ROUTH_REPRODUCE_CSC_CSC_H
#define ROUTH_REPRODUCE_CSC_CSC_H

#include "haptic/haptic.h"
#include "haptic/metrics.h"
#include "reproduce/ch/ch.h"

enum {
  RH_CSC_RATE = 512,
  RH_CSC_SUB = 16,
  RH_CSC_RUNS = 8
}; // ticks per second; steps of an ideal per tick; runs of a figure

// ---- Worlds (csc/run.c)

typedef struct rh_csc_world {
  rh_model *m;
  rh_data *d;
  rh_haptic *h;
} rh_csc_world;

// A scene inside the program with overrides, then those of the user (request; NULL: none). Reports
// errors.
rh_status rh_csc_open(const rh_scene_text *from, const char *const *set, int nset,
                      const rh_request *request, rh_csc_world *w);
void rh_csc_close(rh_csc_world *w);

// ---- Runs of the peg

extern const rh_scene_text rh_csc_arm, rh_csc_wall, rh_csc_linkage_scene;

typedef struct rh_csc_ask {
  const char *label, *method, *limits, *select; // select NULL: strict
  double q0[3];
  double until;
  double e, mu, v_threshold; // v_threshold 0: the scene's
  int sub;                   // steps per tick
  const char *set[3];        // further overrides; NULL: none
} rh_csc_ask;

typedef struct rh_csc_run { // values after each of n ticks
  rh_csc_ask ask;
  int n;
  double (*hand)[3], (*tool)[3]; // x, y, angle
  double (*wrench)[3];           // [N, N m] x, y, torque on the device, over the tick
  double (*hit)[5]; // (nhit) tick, contacts, x, y, torque of the environment on the tool
  int nhit;
  rh_metrics_result r;
  double rms[2]; // [m] to the ideal by eq. 15, to the unilateral one; set by the figure
} rh_csc_run;

// The start of the figures, 6 s; ideals with RH_CSC_SUB steps per tick.
rh_csc_ask rh_csc_asked(const char *label, const char *method, const char *limits);
rh_status rh_csc_go(const rh_csc_ask *ask, const rh_request *request, rh_csc_run *run);
void rh_csc_run_free(rh_csc_run *run);
// [m] of the hand's corners between two runs, over their ticks
rh_status rh_csc_rms(const rh_csc_run *a, const rh_csc_run *b, double *rms);

typedef struct rh_csc_set { // stored runs of a figure
  rh_csc_run run[RH_CSC_RUNS];
  int n;
  rh_yaml page; // owner of their labels; all zero: none
} rh_csc_set;

// Runs `n` asks into redone->kept.
rh_status rh_csc_keep(rh_redone *redone, const rh_csc_ask *ask, int n);

// Kinds of the books
rh_ch_answer_fn rh_csc_peg_case;                                      // csc/run.c
rh_ch_answer_fn rh_csc_two_link;                                      // csc/arm.c
rh_ch_answer_fn rh_csc_limits_case, rh_csc_spread_case, rh_csc_ratio; // csc/limits.c
rh_ch_answer_fn rh_csc_linkage;                                       // csc/linkage.c

#endif
