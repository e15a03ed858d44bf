// One world by the operations of lanes, on every processor: for tests of the others.
#define LANES 1
#include "step.h"

static int step_group(const lane_table *t, double *state, void *scratch, lane_help *help, int lanes,
                      bool *stands)
{
  lane_scratch *s = scratch;
  s->help = help;
  return step_lanes(t, (num *)(void *)state, s, lanes, stands);
}

const lane_kernel rh_lanes_1 = {LANES, sizeof(lane_scratch), step_group};
