// page.h: pictures of the page of a fit: axes with round numbers, series with their residuals, profiles. SVG within the page; each has a
// title and a description for those who do not see it.
#ifndef ROUTH_FIT_PAGE_PAGE_H
#define ROUTH_FIT_PAGE_PAGE_H

#include "fit/fit_belief.h"

typedef struct rh_fit_chart { // a picture and its axes
  int width, height;          // of the area of the curves; labels are around it
  double x0, x1, y0, y1;      // numbers at its edges
  const char *x_label, *y_label;
  int id;                     // unique in the page
} rh_fit_chart;

// The picture begins: `title` and `text` say what it shows. All that is drawn until the end is cut at the edges.
void rh_fit_chart_begin(rh_text *to, const rh_fit_chart *chart, const char *title, const char *text);
void rh_fit_chart_end(rh_text *to);
double rh_fit_chart_x(const rh_fit_chart *chart, double x); // in the picture
double rh_fit_chart_y(const rh_fit_chart *chart, double y);
// Edges with a margin, for curves between them.
void rh_fit_chart_widen(double *lo, double *hi);

// The sum of squares over each value that has a profile.
void rh_fit_put_profiles(rh_text *to, const rh_fit_answer *answer, double factor);
// Measured and simulated series of a trial, and below them their difference, which contacts are shaded.
void rh_fit_put_series(rh_text *to, const rh_fit_work *work, int trial, int channel);
// Bars of the residuals of each phase over the noise.
void rh_fit_put_phases(rh_text *to, const rh_fit_score *score);

#endif
