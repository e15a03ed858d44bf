// view.h: the parts of `routh view`.
#ifndef ROUTH_CLI_VIEW_H
#define ROUTH_CLI_VIEW_H

#include "cli.h"
#include "explore/film_shots.h"
#include "viewer/viewer.h"

#define RH_VIEW_PATIENCE 0.02 // [s] of running between two checks for requests of pages

typedef struct rh_view_runs { // viewed runs
  const rh_args *args;
  rh_diag *diag;
  rh_viewer *const *film;
  int n;
} rh_view_runs;

// One picture (--png) or many (--frames) of recordings (view_pictures.c).
rh_status rh_view_pictures(const rh_view_runs *runs);

// The embedded page, without runs; refused, with the reason, if it was built without one
// (cmd_view.c).
rh_status rh_view_bare_page(rh_viewer_page *page);
// The page for these runs, as it is served (cmd_view.c).
rh_status rh_view_page(rh_viewer *const *film, int n, rh_diag *diag, rh_text *out);
// Serves a sandbox until Ctrl-C (view_sandbox.c).
rh_status rh_view_sandbox(const rh_args *args, int port, rh_diag *diag);

#endif
