// Forward dynamics: the accelerations caused by given generalised forces, and their terms.
#include "problems/problem.h"

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "tau", .unit = "N, N m", .type = RH_LIST, .doc = "generalised forces; default: none"},
};

static const rh_output output[] = {
    RH_POSED_FIRST,
    {"a", "m/s^2, rad/s^2", "nv",
     "accelerations, by the articulated-body algorithm; zero where a joint is held"},
    RH_POSED_LAST,
};

static rh_status answer_all(const rh_posed *posed, rh_answer *answer)
{
  int nv = posed->model->nv;
  if (!rh_posed_answer_first(posed, answer)) {
    return RH_OUT_OF_MEMORY;
  }
  double *a = rh_answer_add(answer, "a", 1, nv, 1, 1);
  if (a == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < nv; i++) {
    posed->given[i] += posed->load[i];
  }
  rh_aba(posed->data, posed->given, a);
  return rh_posed_answer_last(posed, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_forward_dynamics(const rh_inputs *in, rh_answer *answer)
{
  rh_posed posed = {0};
  rh_status status = rh_posed_open(in, "tau", RH_POSED_TAU, &posed);
  if (status == RH_OK) {
    status = answer_all(&posed, answer);
  }
  rh_posed_close(&posed);
  return status;
}

const rh_problem rh_problem_forward_dynamics = {
    .row = {"forward_dynamics", "[RBDA] ch. 6-7", "accelerations of a scene under given forces",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_forward_dynamics,
};
