// Tasks: a point, the attitude of a body, the centre of mass; error, velocity, Jacobian and its
// rate. The error of an attitude is the rotation vector from the present to the wanted one, in
// world axes ([Ch] 4.9*). The centre of mass is that of all moving bodies: c = sum m_i c_i / M, and
// so are its Jacobian and bias.
#include <routh/robot.h>

#include <string.h>

static rh_vec3 com_at(const rh_model_body *b)
{
  return rh_scale(1 / b->inertia.mass, b->inertia.h);
}

static bool has_moving_mass(const rh_model *m, int body)
{
  return m->body[body].tree != 0 && m->body[body].inertia.mass > 0;
}

// Mass-weighted mean of a quantity of each body's centre of mass.
static rh_vec3 mass_weighted_mean(rh_data *d, rh_vec3 (*of)(rh_data *d, int body, rh_vec3 at))
{
  const rh_model *m = d->model;
  double mass = 0;
  rh_vec3 sum = {0};
  for (int i = 1; i < m->nbody; i++) {
    if (has_moving_mass(m, i)) {
      mass += m->body[i].inertia.mass;
      sum = rh_addscaled(sum, m->body[i].inertia.mass, of(d, i, com_at(&m->body[i])));
    }
  }
  return rh_scale(mass > 0 ? 1 / mass : 0, sum);
}

static rh_vec3 position_of(rh_data *d, int body, rh_vec3 at)
{
  return rh_point_position(d, body, at);
}

static rh_vec3 velocity_of(rh_data *d, int body, rh_vec3 at)
{
  return rh_point_velocity(d, body, at);
}

rh_vec3 rh_task_error(const rh_data *d, const rh_task *task)
{
  if (task->kind == RH_TASK_TURN) {
    rh_mat3 back = rh_mat3_transpose(&d->kin[task->body].R);
    rh_mat3 turn = rh_mat3_mul(&task->R, &back);
    return rh_quat_log(rh_quat_of_matrix(&turn));
  }
  rh_vec3 now = task->kind == RH_TASK_COM ? mass_weighted_mean((rh_data *)d, position_of)
                                          : rh_point_position(d, task->body, task->at);
  return rh_sub(task->p, now);
}

rh_vec3 rh_task_velocity(const rh_data *d, const rh_task *task)
{
  if (task->kind == RH_TASK_TURN) {
    return d->kin[task->body].v.ang;
  }
  return task->kind == RH_TASK_COM ? mass_weighted_mean((rh_data *)d, velocity_of)
                                   : rh_point_velocity(d, task->body, task->at);
}

rh_vec3 rh_task_bias(rh_data *d, const rh_task *task)
{
  if (task->kind == RH_TASK_TURN) {
    return d->kin[task->body].c.ang;
  }
  return task->kind == RH_TASK_COM ? mass_weighted_mean(d, rh_point_bias)
                                   : rh_point_bias(d, task->body, task->at);
}

static void turn_jacobian(const rh_data *d, int body, double *J)
{
  const rh_model *m = d->model;
  int nv = m->nv;
  memset(J, 0, 3 * (size_t)nv * sizeof *J);
  for (int i = body; i > 0; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      J[k] = d->dyn.S[k].ang.x;
      J[nv + k] = d->dyn.S[k].ang.y;
      J[2 * nv + k] = d->dyn.S[k].ang.z;
    }
  }
}

static void com_jacobian(const rh_data *d, double *work, double *J)
{
  const rh_model *m = d->model;
  int n = 3 * m->nv;
  double mass = 0;
  memset(J, 0, (size_t)n * sizeof *J);
  for (int i = 1; i < m->nbody; i++) {
    if (has_moving_mass(m, i)) {
      rh_point_jacobian(d, i, com_at(&m->body[i]), work);
      mass += m->body[i].inertia.mass;
      for (int k = 0; k < n; k++) {
        J[k] += m->body[i].inertia.mass * work[k];
      }
    }
  }
  for (int k = 0; k < n; k++) {
    J[k] *= mass > 0 ? 1 / mass : 0;
  }
}

void rh_task_jacobian(const rh_data *d, const rh_task *task, double *work, double *J)
{
  if (task->kind == RH_TASK_TURN) {
    turn_jacobian(d, task->body, J);
  } else if (task->kind == RH_TASK_COM) {
    com_jacobian(d, work, J);
  } else {
    rh_point_jacobian(d, task->body, task->at, J);
  }
}
