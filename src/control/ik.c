// Inverse kinematics of any set of tasks. Positions by damped least squares, each pass with the
// present error:
//   dx = x_d - x(q)                        [Ch] 4.9*
//   dq = J' (J J' + lam^2 1)^-1 dx         [Ch] 4.10*
// until dx, not dq, is small ([Ch] 4.12*): dq is also small when the iteration is stuck. Velocities
// and accelerations by the pseudo-inverse of any rank ([Ch] 4.13-4.16*): v = J+ x', a = J+ (x'' -
// J' v). No joint limits.
#include <routh/robot.h>

#include "math/dense.h"

#include <math.h>
#include <string.h>

typedef struct system {
  int rows, nv;
  double *J; // (rows x nv), weighted
  double *x; // (rows)
  double *work;
} system;

static size_t larger_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

size_t rh_ik_scratch(const rh_model *m, int ntask)
{
  size_t rows = 3 * (size_t)ntask;
  size_t nv = (size_t)m->nv;
  size_t work = larger_size(3 * nv, larger_size(rows * rows, rh_lstsq_room((int)rows, m->nv)));
  return rows * nv + rows + 2 * nv + work;
}

static system open_system(const rh_data *d, int n, double *room)
{
  system s = {.rows = 3 * n, .nv = d->model->nv, .J = room};
  s.x = s.J + (size_t)s.rows * (size_t)s.nv;
  s.work = s.x + s.rows;
  return s;
}

static void put_weighted_vector(system *s, int i, double weight, rh_vec3 x)
{
  s->x[3 * i] = weight * x.x;
  s->x[3 * i + 1] = weight * x.y;
  s->x[3 * i + 2] = weight * x.z;
}

static void fill_jacobians(const rh_data *d, const rh_task *task, int n, system *s)
{
  for (int i = 0; i < n; i++) {
    double *J = s->J + (size_t)3 * (size_t)i * (size_t)s->nv;
    rh_task_jacobian(d, &task[i], s->work, J);
    for (int k = 0; k < 3 * s->nv; k++) {
      J[k] *= task[i].weight;
    }
  }
}

// dq of the present error; false: J J' is singular and undamped.
static bool solve_damped_step(const system *s, const rh_ik *ik, double *A, double *dq)
{
  for (int k = 0; ik->still && k < s->nv; k++) {
    for (int i = 0; ik->still[k] && i < s->rows; i++) {
      s->J[(size_t)i * s->nv + k] = 0;
    }
  }
  for (int i = 0; i < s->rows; i++) {
    for (int j = 0; j < s->rows; j++) {
      double sum = i == j ? ik->damping * ik->damping : 0;
      for (int k = 0; k < s->nv; k++) {
        sum += s->J[(size_t)i * s->nv + k] * s->J[(size_t)j * s->nv + k];
      }
      A[(size_t)i * s->rows + j] = sum;
    }
  }
  if (!rh_cholesky(s->rows, A)) {
    return false;
  }
  rh_cholesky_solve(s->rows, A, s->x);
  memset(dq, 0, (size_t)s->nv * sizeof *dq);
  for (int i = 0; i < s->rows; i++) {
    for (int k = 0; k < s->nv; k++) {
      dq[k] += s->J[(size_t)i * s->nv + k] * s->x[i];
    }
  }
  return true;
}

static double fill_errors(const rh_data *d, const rh_task *task, int n, system *s)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    put_weighted_vector(s, i, task[i].weight, rh_task_error(d, &task[i]));
  }
  for (int i = 0; i < s->rows; i++) {
    sum += s->x[i] * s->x[i];
  }
  return sqrt(sum);
}

rh_ik_answer rh_ik_solve(rh_data *d, const rh_task *task, int n, const rh_ik *ik, double *room)
{
  system s = open_system(d, n, room);
  size_t bytes = (size_t)s.nv * sizeof(double);
  double *kept = s.work;
  double *dq = kept + s.nv;
  s.work = dq + s.nv;
  rh_ik_answer answer = {0};
  memcpy(kept, d->v, bytes);
  rh_kinematics(d);
  answer.error = fill_errors(d, task, n, &s);
  while (!(answer.error <= ik->tolerance) && answer.iterations < ik->passes) {
    fill_jacobians(d, task, n, &s);
    if (!solve_damped_step(&s, ik, s.work, dq)) {
      break;
    }
    memcpy(d->v, dq, bytes);
    rh_coordinates_advance(d, 1, d->q);
    memcpy(d->v, kept, bytes);
    rh_kinematics(d);
    answer.iterations++;
    answer.error = fill_errors(d, task, n, &s);
  }
  answer.solved = answer.error <= ik->tolerance;
  return answer;
}

#define RANK 1e-10 // relative pivot below which a row adds nothing

int rh_ik_velocity(rh_data *d, const rh_task *task, int n, double *room, double *v)
{
  system s = open_system(d, n, room);
  fill_jacobians(d, task, n, &s);
  for (int i = 0; i < n; i++) {
    put_weighted_vector(&s, i, task[i].weight, task[i].v);
  }
  return rh_lstsq(s.rows, s.nv, s.J, s.x, RANK, s.work, v, NULL);
}

int rh_ik_acceleration(rh_data *d, const rh_task *task, int n, double *room, double *a)
{
  system s = open_system(d, n, room);
  fill_jacobians(d, task, n, &s);
  for (int i = 0; i < n; i++) {
    put_weighted_vector(&s, i, task[i].weight, rh_sub(task[i].a, rh_task_bias(d, &task[i])));
  }
  return rh_lstsq(s.rows, s.nv, s.J, s.x, RANK, s.work, a, NULL);
}
