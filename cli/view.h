// view.h: the parts of `routh view`.
#ifndef ROUTH_CLI_VIEW_H
#define ROUTH_CLI_VIEW_H

#include "base/text.h"
#include "cli.h"
#include "viewer/viewer.h"

#define RH_VIEW_PATIENCE 0.02 // [s] of running between two looks at what pages ask for

// Pictures of a page at given times, by a browser that nobody sees (view_shots.c). `page` is a file; picture i is handed to
// `take` as a PNG. No shell is involved.
typedef struct rh_shots {
  const char *page;
  const char *folder; // of the browser, for what it wants to keep
  const double *t;    // [s]
  int n;
  int width, height; // [pixel]
  double look[3];    // azimuth, elevation [degree], how many times nearer; the last 0: as the page likes
  bool no_arrows;    // forces and impulses are left out
  void *user;
  rh_status (*take)(void *user, int i, const unsigned char *png, size_t bytes);
} rh_shots;

rh_status rh_shots_take(const rh_shots *shots);
// A folder of our own in the usual place; rh_free it. NULL: it could not be made, which has been said.
char *rh_folder_create(void);
void rh_folder_remove(const char *folder); // and all in it

typedef struct rh_view_runs { // that are looked at
  const rh_args *args;
  rh_diag *diag;
  rh_viewer *const *film;
  int n;
} rh_view_runs;

// One picture (--png) or many (--frames) of recordings (view_pictures.c).
rh_status rh_view_pictures(const rh_view_runs *runs);

// The page that the program carries, without runs; refused, with the reason, where it was built without one (cmd_view.c).
rh_status rh_view_bare_page(rh_viewer_page *page);
// The page for these runs, as it is served (cmd_view.c).
rh_status rh_view_page(rh_viewer *const *film, int n, rh_diag *diag, rh_text *out);
// Serves a sandbox until Ctrl-C (view_sandbox.c).
rh_status rh_view_sandbox(const rh_args *args, int port, rh_diag *diag);
// The scene's file, and what it would say with the values that were changed in a live run, as JSON (view_scene.c): file, before,
// after; `whole`: the file could not be changed in place, and both are all values in force.
rh_status rh_view_scene(const rh_args *args, const rh_replay *play, rh_diag *diag, rh_text *out);

#endif
