// A recorded force at the grip: rows of t, fx, fy, fz, tx, ty, tz.
#include "step.h"

static void add_recorded_wrench(rh_tick *t, int body)
{
  double w[RH_TRACE_WRENCH - 1];
  rh_trace_now(t, RH_TRACE_WRENCH, w);
  rh_hand_grip(t, body, w);
}

extern const rh_haptic_hand rh_haptic_hand_trace;

const rh_haptic_hand rh_haptic_hand_trace = {
    .row = {.name = "trace", .cite = "", .doc = "a recorded force: trace_file, or trace"},
    .width = RH_TRACE_WRENCH,
    .needs_trace = true,
    .wrench = add_recorded_wrench,
};
