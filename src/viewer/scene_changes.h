// scene_changes.h: the file of a live scene, with the values changed in the run.
#ifndef ROUTH_VIEWER_SCENE_CHANGES_H
#define ROUTH_VIEWER_SCENE_CHANGES_H

#include "console/console.h"

// The scene's file request->file[0], and its text with the values changed in a live run, as JSON:
// file, before, after; `whole`: the file could not be changed in place, and both have all values in
// force.
rh_status rh_viewer_scene_changes(const rh_request *request, const rh_replay *play, rh_diag *diag,
                                  rh_text *out);

#endif
