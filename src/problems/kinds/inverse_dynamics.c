// Inverse dynamics: the generalised forces of given accelerations.
#include "problems/problem.h"

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "a", .unit = "m/s^2, rad/s^2", .type = RH_LIST, .doc = "accelerations; default: none"},
};

static const rh_output output[] = {
    RH_POSED_FIRST,
    {"tau", "N, N m", "nv",
     "generalised forces, by the recursive Newton-Euler algorithm, less `load`"},
    RH_POSED_LAST,
};

static rh_status answer_all(const rh_posed *posed, rh_answer *answer)
{
  int nv = posed->model->nv;
  if (!rh_posed_answer_first(posed, answer)) {
    return RH_OUT_OF_MEMORY;
  }
  double *tau = rh_answer_add(answer, "tau", 1, nv, 1, 1);
  if (tau == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_inverse_dynamics(posed->data, posed->given, tau);
  for (int i = 0; i < nv; i++) {
    tau[i] -= posed->load[i];
  }
  return rh_posed_answer_last(posed, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_inverse_dynamics(const rh_inputs *in, rh_answer *answer)
{
  rh_posed posed = {0};
  rh_status status = rh_posed_open(in, "a", RH_POSED_A, &posed);
  if (status == RH_OK) {
    status = answer_all(&posed, answer);
  }
  rh_posed_close(&posed);
  return status;
}

const rh_problem rh_problem_inverse_dynamics = {
    .row = {"inverse_dynamics", "[RBDA] ch. 5", "generalised forces that given accelerations need",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_inverse_dynamics,
};
