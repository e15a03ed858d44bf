// compare.h: parts of `routh compare`: one scene under several laws, a haptic scene under several
// methods, two recordings of one scene.
#ifndef ROUTH_CLI_COMPARE_H
#define ROUTH_CLI_COMPARE_H

#include "console/words.h"
#include "trial.h"

#define RH_VARIANT_MAX         12 // laws times friction laws
#define RH_COMPARE_CHANNEL_MAX 4  // panels of the picture

typedef struct rh_variant { // the scene under one pair of laws
  const char *law;          // as in --laws, "hunt-crossley:alpha=0.2"; NULL: that of the scene
  const char *friction;     // as in --frictions; NULL: that of the scene
  char label[2 * RH_NAME_MAX];
  rh_trial trial;
  // The first contact that ends:
  double speed, rebound; // [m/s] at touchdown and at separation; NaN: none
  double contact_time;   // [s]
  int touches;
  double dissipated; // [J] by contacts
  double distance;   // [m] maximum distance of a body at the end from that under the first laws
} rh_variant;

typedef struct rh_compare_job {
  const rh_args *args;
  rh_diag *diag;
  rh_scene *scene; // as read
  rh_words laws, frictions, channels;
  rh_variant variant[RH_VARIANT_MAX];
  int nvariant;
  const char *output; // picture; NULL: none
} rh_compare_job;

// ---- compare_laws.c

rh_status rh_compare_laws(rh_compare_job *job);

// ---- compare_print.c

rh_status rh_compare_print(const rh_compare_job *job);
rh_status rh_compare_json(const rh_compare_job *job);
rh_status rh_compare_draw(const rh_compare_job *job);

// ---- compare_haptic.c

rh_status rh_compare_methods(const rh_args *args, rh_diag *diag);

// ---- compare_runs.c

rh_status rh_compare_runs(const rh_args *args, rh_diag *diag);

#endif
