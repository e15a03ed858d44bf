// run.h: the whole of `routh sweep`, from the words of its command line.
#ifndef ROUTH_SWEEP_RUN_H
#define ROUTH_SWEEP_RUN_H

#include "report.h"

typedef struct rh_sweep_options { // NULL: not given
  rh_plan_asked plan;
  const char *output, *resume, *workers, *lease, *managers, *one, *exported;
  rh_sweep_picture picture;
} rh_sweep_options;

rh_status rh_sweep_do(const rh_request *request, const rh_sweep_options *asked, rh_diag *diag);

#endif
