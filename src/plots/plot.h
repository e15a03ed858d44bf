// plot.h: the data of a plot, between the verb (what to draw) and gnuplot (how).
#ifndef ROUTH_PLOTS_PLOT_H
#define ROUTH_PLOTS_PLOT_H

#include "console/console.h"
#include "console/words.h"


#define RH_CURVE_MAX 64  // curves of one plot
#define RH_MARK_MAX  200 // maximum events drawn

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

// Draws into a file, see rh_picture_draw.
rh_status rh_plot_draw(const rh_plot *plot, const char *output);

// ---- Curves from recordings (curves.c)

typedef struct rh_plot_reader {
  const rh_request *request;
  rh_diag *diag;
  int nrun;             // recordings; more than one: their names are in the labels
  rh_words words;       // channels
  const char *against;  // channel of the x axis
  bool no_events;       // events are not marked
  rh_plot plot;         // filled in
  char *unit[2];        // of its axes
} rh_plot_reader;

// Adds the curves of one recording named `run`. Free in any case.
rh_status rh_plot_read(rh_plot_reader *job, rh_recording *recording, const rh_channels *channels,
                       const char *run);
void rh_plot_reader_free(rh_plot_reader *job);

// ---- Pictures of any kind (gnuplot.c)

typedef struct rh_picture {
  int width, height; // [pixel]
  void (*program)(FILE *to,
                  const void *user); // writes the gnuplot commands; colours and grid are set before
  const void *user;
} rh_picture;

// Does the name end in .svg or .png, or is it "-"? If not, reports it.
rh_status rh_picture_check(const char *verb, const char *output);
// Draws into a file, SVG or PNG by its ending ("-": SVG on standard output), temporary first and
// then renamed.
rh_status rh_picture_draw(const rh_picture *picture, const char *output);
// Draws into memory: the complete picture, or a refusal.
rh_status rh_picture_render(const rh_picture *picture, bool png, rh_text *drawn);
void rh_gnuplot_quote(FILE *to, const char *text);
// "set xlabel 'name [unit]'"; `axis` is the word after set.
void rh_gnuplot_axis(FILE *to, const char *axis, const char *name, const char *unit);
// The data block $name; values that are not finite are gaps in the line.
void rh_gnuplot_data(FILE *to, const char *name, const double *x, const double *y, long n);

#endif
