// haptic.h: one run of the verb `haptic`, from scene to summary.
#ifndef ROUTH_CLI_HAPTIC_H
#define ROUTH_CLI_HAPTIC_H

#include "cli.h"
#include "realtime/live.h"

typedef struct rh_haptic_run {
  const rh_args *args;
  rh_diag *diag;
  rh_scene *scene;
  rh_model *model;
  rh_recorder *recorder; // NULL: none
  rh_live *live;
  rh_live_setup setup;
  const char *label;  // the scene's name
  const char *output; // the recording's name; NULL: none
} rh_haptic_run;

void rh_haptic_line(const rh_live_status *status, char *text, size_t size); // for the terminal
void rh_haptic_summary(const rh_haptic_run *run);
rh_status rh_haptic_json(const rh_haptic_run *run);
char *rh_haptic_note(const rh_haptic_run *run); // JSON for the recording; rh_free it; NULL: out of memory

#endif
