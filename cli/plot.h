// plot.h: what a plot is made of, between the verb (what to draw) and gnuplot (how).
#ifndef ROUTH_CLI_PLOT_H
#define ROUTH_CLI_PLOT_H

#include "cli.h"
#include "split.h"

#define RH_CURVE_MAX 64  // curves of one plot
#define RH_MARK_MAX  200 // events drawn; more would only be grey

typedef struct rh_curve {
  char *label;
  int axis;  // 0 left, 1 right
  double *x; // (n), owned by the run of the curve
  double *y; // (n)
  long n;
} rh_curve;

typedef struct rh_mark { // an event
  double t;
  rh_event_kind kind;
} rh_mark;

typedef struct rh_plot {
  const char *title;
  const char *x_name, *x_unit;
  const char *unit[2]; // of the left and the right axis; NULL: no such axis
  rh_curve curve[RH_CURVE_MAX];
  int ncurve;
  rh_mark mark[RH_MARK_MAX];
  int nmark;
} rh_plot;

// Draws into `path` (svg or png by its ending, `path` NULL: SVG on standard output).
rh_status rh_plot_draw(const rh_plot *plot, const char *path, bool png);

#endif
