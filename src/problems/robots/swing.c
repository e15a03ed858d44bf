// Path of a swinging foot: a cubic ahead, a parabola of it in height.
#include "problems/problem_matrix.h"

#include <routh/robot.h>

enum { TIMES_MAX = 100000 };

enum { DURATION, HEIGHT, FROM, TO, START };

static const rh_param input[] = {
    {.name = "duration",
     .unit = "s",
     .def = 1,
     .lo = 0,
     .hi = 1e6,
     .open = true,
     .doc = "of the swing; required"},
    {.name = "height",
     .unit = "m",
     .def = 0,
     .lo = -1e6,
     .hi = 1e6,
     .doc = "in the middle; default: 0"},
    {.name = "from",
     .unit = "m",
     .def = 0,
     .lo = -1e6,
     .hi = 1e6,
     .doc = "position at its start; default: 0"},
    {.name = "to",
     .unit = "m",
     .def = 0,
     .lo = -1e6,
     .hi = 1e6,
     .doc = "position at its end; required"},
    {.name = "start",
     .unit = "s",
     .def = 0,
     .lo = -1e6,
     .hi = 1e6,
     .doc = "time at which it begins; default: 0"},
    {.name = "times", .unit = "s", .type = RH_LIST, .doc = "times; required"},
};

static const rh_output output[] = {
    {"x", "m", "n", "position at each time"},  {"xd", "m/s", "n", "its velocity"},
    {"xdd", "m/s^2", "n", "and acceleration"}, {"z", "m", "n", "height"},
    {"zd", "m/s", "n", "its velocity"},        {"zdd", "m/s^2", "n", "and acceleration"},
};

static bool answer_ways(const double *par, const rh_block *t, rh_answer *answer)
{
  double *out[6];
  for (int i = 0; i < 6; i++) {
    out[i] = rh_answer_add(answer, output[i].name, 1, t->rows, 1, 1);
    if (out[i] == NULL) {
      return false;
    }
  }
  for (int k = 0; k < t->rows; k++) {
    double since = t->x[k] - par[START];
    rh_way x = rh_cubic(since, par[DURATION], par[FROM], par[TO]);
    rh_way z = rh_swing_arc(since, par[DURATION], par[HEIGHT]);
    const double value[6] = {x.x, x.v, x.a, z.x, z.v, z.a};
    for (int i = 0; i < 6; i++) {
      out[i][k] = value[i];
    }
  }
  return true;
}

static rh_status solve_swing(const rh_inputs *in, rh_answer *answer)
{
  double par[START + 1];
  rh_block t = {0};
  bool good = true;
  for (int i = 0; i <= START; i++) {
    par[i] = input[i].def;
    good = rh_input_one(in, &input[i], i == DURATION || i == TO, &par[i]) && good;
  }
  good = rh_input_list(in, "times", RH_NONE, TIMES_MAX, &t) && good;
  rh_status status = !good                          ? RH_INPUT_REFUSED
                     : answer_ways(par, &t, answer) ? RH_OK
                                                    : RH_OUT_OF_MEMORY;
  rh_block_free(&t);
  return status;
}

const rh_problem rh_problem_swing = {
    .row = {"swing", "[Ch] 4.1-4.5*", "path of a swinging foot", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_swing,
};
