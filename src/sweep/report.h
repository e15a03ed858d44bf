// report.h: what a sweep prints, and its results as files for other programs.
#ifndef ROUTH_SWEEP_REPORT_H
#define ROUTH_SWEEP_REPORT_H

#include "sweep.h"

// The results of the journal at `path`: how many cases there are, and the range of each outcome.
// `run` NULL: nothing was run now.
rh_status rh_sweep_report(const rh_request *request, const char *path, const rh_sweep_run *run, rh_diag *diag);
// One case by itself, repeated here; `path` is not needed.
rh_status rh_sweep_show_case(const rh_request *request, const rh_plan *plan, int64_t index);
typedef struct rh_sweep_picture { // NULL: not given
  const char *output; // FILE.svg or FILE.png
  const char *over;   // one or two columns
  const char *of;     // outcomes
} rh_sweep_picture;

// A curve or a map of the journal at `path`.
rh_status rh_sweep_draw(const char *path, const rh_sweep_picture *asked, rh_diag *diag);
// FILE.csv or FILE.h5.
rh_status rh_sweep_export_check(const char *output); // its ending
rh_status rh_sweep_export(const char *path, const char *output, rh_diag *diag);

#endif
