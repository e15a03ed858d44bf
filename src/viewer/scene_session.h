// scene_session.h: a running scene for a page: read again when its file changes, recorded if asked.
#ifndef ROUTH_VIEWER_SCENE_SESSION_H
#define ROUTH_VIEWER_SCENE_SESSION_H

#include "console/console.h"
#include "viewer.h"

#include <time.h>

typedef struct rh_scene_session { // request, output and patience are given
  const rh_request *request;      // file[0] is the scene
  const char *output;             // the recording; NULL: none
  double patience;                // [s] of running between two checks for requests of pages
  rh_viewer *film;                // NULL: not open
  rh_viewer_live *live;
  time_t changed; // modification time of its file
  long number;    // of times that it was read
  rh_text fault;  // error of the present file; rh_text_free it
} rh_scene_session;

// Reads the scene and runs it; replaces the previous run only after success.
rh_status rh_scene_session_open(rh_scene_session *job, rh_diag *diag);
rh_status rh_scene_session_close(rh_scene_session *job); // also its recording
// A message of a page: input for the run, or "reset". False: not understood, or no scene.
bool rh_scene_session_message(rh_scene_session *job, const char *text, size_t bytes);
// Runs for `seconds`; `look`: reads the file again if it was changed. If it has errors, the page shows
// them and the last valid scene goes on.
void rh_scene_session_go_on(rh_scene_session *job, double seconds, bool look);
// State of the file as JSON; in addition to /now/0 of the run.
void rh_scene_session_file(const rh_scene_session *job, rh_text *out);

#endif
