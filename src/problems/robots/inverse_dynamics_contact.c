// Inverse dynamics of a robot in contact: the efforts of its actuators and the forces of the ground.
#include "problems/problem.h"

#include <routh/robot.h>

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "a",
     .unit = "m/s^2, rad/s^2",
     .type = RH_LIST,
     .doc = "accelerations, which keep the points; default: none"},
    {.name = "driven",
     .unit = "1",
     .type = RH_FLAG,
     .doc =
         "every joint of one degree of freedom has an actuator; default: no, those of the scene"},
};

static const rh_output output[] = {
    {"actuators", "1", "names", "joints of the actuators"},
    {"effort", "N, N m", "actuators", "efforts of the actuators, of least norm"},
    {"force", "N", "n x 3", "forces of the ground on the points, of least norm, rows x y z"},
    {"total_force", "N", "3", "their sum"},
    {"rank", "1", "", "independent rows of J; 3n less it: forces that are not determined"},
    {"residue", "N, N m", "", "largest part of H a + bias - S'effort - J'force"},
};

static rh_status answer_all(const rh_posed *posed, rh_answer *answer)
{
  const rh_model *m = posed->model;
  rh_data *d = posed->data;
  int n = posed->npoint;
  rh_name *name = rh_answer_add_names(answer, "actuators", m->nactuator);
  double *effort = rh_answer_add(answer, "effort", 1, m->nactuator, 1, 1);
  double *force = rh_answer_add(answer, "force", 2, n, 3, 1);
  double *total = rh_answer_add(answer, "total_force", 1, 3, 1, 1);
  double *scratch = rh_alloc((rh_support_scratch(m, n) + 4 * (size_t)m->nv + 1) * sizeof(double));
  if (name == NULL || effort == NULL || force == NULL || total == NULL || scratch == NULL) {
    rh_free(scratch);
    return RH_OUT_OF_MEMORY;
  }
  double *left = scratch + rh_support_scratch(m, n);
  double *J = left + m->nv;
  const rh_support support = {.n = n, .point = posed->point};
  int rank = rh_support_torque(d, &support, posed->given, scratch, effort, force);
  rh_inverse_dynamics(d, posed->given, left);
  for (int k = 0; k < m->nv; k++) {
    left[k] -= d->load[k];
  }
  for (int i = 0; i < m->nactuator; i++) {
    name[i] = rh_name_of(rh_model_name(m, RH_OBJECT_JOINT, m->dof[m->actuator[i].dof].body));
    left[m->actuator[i].dof] -= effort[i];
  }
  double residue = 0;
  for (int i = 0; i < n; i++) {
    rh_point_jacobian(d, posed->point[i].body, posed->point[i].at, J);
    for (int r = 0; r < 3; r++) {
      total[r] += force[3 * i + r];
      for (int k = 0; k < m->nv; k++) {
        left[k] -= J[r * m->nv + k] * force[3 * i + r];
      }
    }
  }
  for (int k = 0; k < m->nv; k++) {
    residue = fmax(residue, fabs(left[k]));
  }
  rh_free(scratch);
  return rh_answer_number(answer, "rank", rank) && rh_answer_number(answer, "residue", residue)
             ? RH_OK
             : RH_OUT_OF_MEMORY;
}

static bool drives_joints(const rh_inputs *in, const rh_model *m)
{
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator[i].tendon != RH_NONE) {
      (void)rh_input_refuse(in, in->map, "actuators must drive joints: one pulls at a tendon");
      return false;
    }
  }
  return true;
}

static rh_status solve_inverse_dynamics_contact(const rh_inputs *in, rh_answer *answer)
{
  rh_posed posed = {0};
  rh_status status = rh_posed_open(in, "a", RH_POSED_A, &posed);
  if (status == RH_OK) {
    status = drives_joints(in, posed.model) ? answer_all(&posed, answer) : RH_INPUT_REFUSED;
  }
  rh_posed_close(&posed);
  return status;
}

const rh_problem rh_problem_inverse_dynamics_contact = {
    .row = {"inverse_dynamics_contact", "[Ch] 4.21*",
            "efforts and forces of the ground of a robot that stands on points", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_inverse_dynamics_contact,
};
