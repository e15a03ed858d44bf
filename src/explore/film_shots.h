// film_shots.h: pictures of recordings by a headless browser.
#ifndef ROUTH_EXPLORE_FILM_SHOTS_H
#define ROUTH_EXPLORE_FILM_SHOTS_H

#include "plots/browser.h"
#include "viewer/viewer.h"

typedef struct rh_film_shots {
  const char *file;   // of the one picture, "-": standard output; NULL: many
  const char *folder; // of them, created if needed
  const char *video;  // NULL: none; else they become a video and go
  double rate;        // [1/s] of the video
  rh_viewer *const *film;
  int n;
  const rh_viewer_page *page;
} rh_film_shots;

// Takes the pictures of `shots`, whose times, size and look are given.
rh_status rh_film_shoot(const rh_film_shots *to, rh_shots *shots, rh_diag *diag);

// Options: "960x600"; "-60,20,1.5" (azimuth, elevation [degree], nearer). NULL: `shots` keeps what it has.
rh_status rh_film_read_size(const char *text, rh_shots *shots);
rh_status rh_film_read_look(const char *text, double look[3]);

#endif
