// browser.h: pictures of a page, taken by a headless browser.
#ifndef ROUTH_PLOTS_BROWSER_H
#define ROUTH_PLOTS_BROWSER_H

#include "console/console.h"

// Pictures of a page at given times, by a headless browser. `page` is a file; `take`
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

// A video of the pictures 00000.png, 00001.png, ... of a folder (video.c): first the folder, named after the
// video, which must be new; then the video, at `rate` pictures per second. Without ffmpeg, or where it fails, the pictures
// are kept, and what is to be done with them is reported.
rh_status rh_video_folder(const char *file, rh_text *folder);
rh_status rh_video_make(const char *folder, double rate, const char *file);

#endif
