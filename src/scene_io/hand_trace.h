// hand_trace.h: a recorded hand: a CSV file of times and forces, or of times and poses.
#ifndef ROUTH_SCENE_IO_HAND_TRACE_H
#define ROUTH_SCENE_IO_HAND_TRACE_H

#include <routh/base.h>

typedef struct rh_hand_trace {
  double *row; // (rows x width); rh_free it
  int rows;
  int width;   // 7: t and force, torque [N, N m]; 8: t and the wanted pose x y z qw qx qy qz [m]
} rh_hand_trace;

// Head: t, then some of fx fy fz tx ty tz, or some of x y z qw qx qy qz. Blank lines and lines that
// begin with # are skipped. Errors are reported with file:line:column.
rh_status rh_hand_trace_read(const char *path, rh_diag *diag, rh_hand_trace *trace) RH_CHECK_RESULT;
rh_status rh_hand_trace_parse(const char *text, size_t bytes, const char *name, rh_diag *diag,
                              rh_hand_trace *trace) RH_CHECK_RESULT;

#endif
