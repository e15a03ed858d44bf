// scene_parts.h: what every program here needs that makes scenes by calls: ends with a reason, parameters by their names, planes.
#ifndef ROUTH_BENCH_SCENE_PARTS_H
#define ROUTH_BENCH_SCENE_PARTS_H

#include <routh/routh.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void print_messages(const rh_diag *diag)
{
  char text[1024];
  for (int i = 0; i < rh_diag_kept(diag) && i < 5; i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
}

static inline void stop_with(const char *what, const rh_diag *diag)
{
  (void)fprintf(stderr, "bench: %s\n", what);
  if (diag != NULL) {
    print_messages(diag);
  }
  exit(1);
}

// Of what rh_scene_add_... returned
static inline void check_added(int index)
{
  if (index == RH_NONE) {
    stop_with("out of memory", NULL);
  }
}

static inline void set_parameter(const rh_row *row, double *par, const char *key, double value)
{
  int k = rh_row_find(row, key);
  if (k == RH_NONE) {
    stop_with(key, NULL);
  }
  par[rh_row_offset(row, k)] = value;
}

// Of the world; its normal is z, tilted about y and then turned about z
static inline void add_fixed_plane(rh_scene *s, const double at[3], double tilt, double turn)
{
  rh_shape_def p = rh_shape_default("plane");
  p.body = rh_name_of("world");
  memcpy(p.at, at, sizeof p.at);
  p.rpy[1] = tilt;
  p.rpy[2] = turn;
  check_added(rh_scene_add_shape(s, &p));
}

#endif
