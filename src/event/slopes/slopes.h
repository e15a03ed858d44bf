// slopes.h: how the motion of a world changes with values of its scene and with its start: the sensitivities S = dy/dw of
// its state, integrated along its run. Between events S' = (df/dy) S + df/dw; at an event, whose time moves with w too,
//   S+ = dP/dy S + dP/dw,   P: back or forth to the zero of the event function, the event's action, and back in time
// (docs/fit.md). Both are differences of the world's own functions in worlds that
// differ by a small step of w, so each law, joint and action counts as it is.
// Left out: engines without located events, controllers and sensors (they have steps of their own), contacts stepped in time.
#ifndef ROUTH_EVENT_SLOPES_SLOPES_H
#define ROUTH_EVENT_SLOPES_SLOPES_H

#include <routh/sim.h>

typedef struct rh_slopes rh_slopes;

typedef enum rh_slopes_why { // why slopes do not exist, or are not found
  RH_SLOPES_EXIST,
  RH_SLOPES_SCENE,    // its engine, controllers or sensors
  RH_SLOPES_ORDER,    // the order of events changes with the values
  RH_SLOPES_GRAZING,  // an event function hardly moves as it passes zero: bounces that fade away
  RH_SLOPES_SHARP,    // the motion changes by hundreds of times the values
  RH_SLOPES_NO_EVENT, // an event has no result beside that of the run
  RH_SLOPES_STEPPED,  // contacts are stepped in time
  RH_SLOPES_LONG,     // their integration takes too many steps
  RH_SLOPES_FAILED,   // the run or their integration failed
  RH_SLOPES_REASONS
} rh_slopes_why;

typedef struct rh_slopes_job { // simulations that have begun, and are at their start; they are the caller's
  rh_sim *base;                // the run
  rh_sim *twin;                // the same world
  rh_sim *const *moved;        // (2 n) the same with w[i] more by step[i], and less by it
  const double *step;          // (n)
  int n;
} rh_slopes_job;

// Begins at base's time: slopes there are the differences of the starts. RH_INPUT_REFUSED: not for this scene.
rh_status rh_slopes_open(const rh_slopes_job *job, rh_slopes **slopes);
void rh_slopes_close(rh_slopes *slopes);
// Between runs of base: the states of `twin` and `moved` become those at base's present time, so that any function of
// them has the slope (f(moved[2 i]) - f(moved[2 i + 1])) / (2 step[i]). False: the slopes do not exist from some time
// before on.
bool rh_slopes_at(rh_slopes *slopes);
rh_slopes_why rh_slopes_reason(const rh_slopes *slopes); // so far
const char *rh_slopes_word(rh_slopes_why why);
bool rh_slopes_suit(const rh_model *model); // false: RH_SLOPES_SCENE
long rh_slopes_evaluations(const rh_slopes *slopes); // of the right-hand side

#endif
