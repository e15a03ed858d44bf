// view.h: the parts of `routh view`.
#ifndef ROUTH_CLI_VIEW_H
#define ROUTH_CLI_VIEW_H

#include "cli.h"
#include "viewer/viewer.h"

#define RH_VIEW_PATIENCE 0.02 // [s] of running between two checks for requests of pages

// Pictures of a page at given times, by a headless browser (view_shots.c). `page` is a file; `take`
// gets picture i as a PNG. No shell is involved.
typedef struct rh_shots {
  const char *page;
  const char *folder; // of the browser, for its files
  const double *t;    // [s]
  int n;
  int width, height; // [pixel]
  double look[3];    // azimuth, elevation [degree], zoom factor; the last 0: default of the page
  bool no_arrows;    // without forces and impulses
  void *user;
  rh_status (*take)(void *user, int i, const unsigned char *png, size_t bytes);
} rh_shots;

rh_status rh_shots_take(const rh_shots *shots);
// A temporary folder; rh_free it. NULL: it could not be created, which is reported.
char *rh_folder_create(void);
void rh_folder_remove(const char *folder); // with its content

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
// The scene's file, and its text with the values changed in a live run, as JSON (view_scene.c):
// file, before, after; `whole`: the file could not be changed in place, and both have all values in
// force.
rh_status rh_view_scene(const rh_args *args, const rh_replay *play, rh_diag *diag, rh_text *out);

#endif
