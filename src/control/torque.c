// Computed torque: an outer loop requests accelerations, the dynamics give the torques. For a
// floating robot in contact this is done by projection. H a + h = S' tau + J' F has more forces
// than equations where contacts are dependent (four points of one foot have rank 6); P = 1 - J+ J
// removes the contact forces:
//   tau = (P S')+ P (H a + h),   F = (J')+ (H a + h - S' tau)            [Ch] 4.21*
// both of least norm. Accelerations must keep the contacts, J a + J' v = 0, or F is approximate.
// Whether the ground can give F is not checked: see balance_qp.c.
#include <routh/kind.h>
#include <routh/robot.h>

#include "math/dense.h"

#include <math.h>
#include <string.h>

void rh_trajectory_error(const rh_data *d, const rh_trajectory *course, double *error)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    const double *q = d->q + b->qadr;
    const double *to = course->q + b->qadr;
    double *at = error + b->vadr;
    if (b->joint->delta) {
      b->joint->delta(q, to, at);
    }
    for (int j = 0; j < b->nv; j++) {
      at[j] = b->joint->delta ? -at[j] : to[j] - q[j];
    }
  }
}

void rh_trajectory_accelerations(const rh_data *d, const rh_trajectory *course, double *a)
{
  rh_trajectory_error(d, course, a);
  for (int k = 0; k < d->model->nv; k++) {
    double rate = (course->v ? course->v[k] : 0) - d->v[k];
    a[k] = (course->a ? course->a[k] : 0) + course->kd * rate + course->kp * a[k];
  }
}

void rh_computed_torque(rh_data *d, const rh_trajectory *course, double *a, double *tau)
{
  rh_trajectory_accelerations(d, course, a);
  rh_inverse_dynamics(d, a, tau);
}

// ---- In contact

#define RANK 1e-9 // relative size below which a row of J is a combination of others

static size_t larger_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

size_t rh_support_scratch(const rh_model *m, int n)
{
  size_t nv = (size_t)m->nv;
  size_t rows = 3 * (size_t)n;
  size_t na = (size_t)m->nactuator;
  size_t solve =
      larger_size(nv, larger_size(rh_lstsq_room(m->nv, m->nactuator), rh_lstsq_room(m->nv, 3 * n)));
  return 2 * rows * nv + larger_size(na, rows) * nv + 2 * nv + solve;
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// x := x minus its part in the span of the r rows of Q
static void remove_span(int n, const double *Q, int r, double *x)
{
  for (int i = 0; i < r; i++) {
    const double *q = Q + (size_t)i * (size_t)n;
    double part = dot(n, q, x);
    for (int k = 0; k < n; k++) {
      x[k] -= part * q[k];
    }
  }
}

// Orthonormal rows Q that span those of J (Gram and Schmidt, twice: as good as reflections);
// returns their number.
static int span_of(int rows, int n, const double *J, double *Q)
{
  int rank = 0;
  for (int i = 0; i < rows; i++) {
    double *q = Q + (size_t)rank * (size_t)n;
    memcpy(q, J + (size_t)i * (size_t)n, (size_t)n * sizeof *q);
    double before = sqrt(dot(n, q, q));
    remove_span(n, Q, rank, q);
    remove_span(n, Q, rank, q);
    double after = sqrt(dot(n, q, q));
    if (after > RANK * before) {
      for (int k = 0; k < n; k++) {
        q[k] /= after;
      }
      rank++;
    }
  }
  return rank;
}

int rh_support_torque(rh_data *d, const rh_support *support, const double *a, double *room,
                      double *effort, double *F)
{
  const rh_model *m = d->model;
  int nv = m->nv;
  int na = m->nactuator;
  int rows = 3 * support->n;
  double *J = room;
  double *Q = J + (size_t)rows * (size_t)nv;
  double *y = Q + (size_t)rows * (size_t)nv;
  double *Py = y + nv;
  double *A = Py + nv; // P S', then J'
  double *work = A + (size_t)(na > rows ? na : rows) * (size_t)nv;
  for (int i = 0; i < support->n; i++) {
    rh_point_jacobian(d, support->point[i].body, support->point[i].at,
                      J + (size_t)3 * (size_t)i * (size_t)nv);
  }
  int rank = span_of(rows, nv, J, Q);
  rh_inverse_dynamics(d, a, y);
  for (int k = 0; k < nv; k++) {
    y[k] -= d->load[k]; // carried by springs and dampers
  }
  memcpy(Py, y, (size_t)nv * sizeof *y);
  remove_span(nv, Q, rank, Py);
  for (int i = 0; i < na; i++) {
    double *column = work; // P e of the dof that the actuator drives
    memset(column, 0, (size_t)nv * sizeof *column);
    column[m->actuator[i].dof] = 1;
    remove_span(nv, Q, rank, column);
    for (int k = 0; k < nv; k++) {
      A[(size_t)k * na + i] = column[k];
    }
  }
  (void)rh_lstsq(nv, na, A, Py, RANK, work, effort, NULL);
  for (int i = 0; i < na; i++) {
    y[m->actuator[i].dof] -= effort[i];
  }
  for (int k = 0; rows > 0 && k < nv; k++) {
    for (int i = 0; i < rows; i++) {
      A[(size_t)k * rows + i] = J[(size_t)i * nv + k];
    }
  }
  if (rows > 0) {
    (void)rh_lstsq(nv, rows, A, y, RANK, work, F, NULL);
  }
  return rank;
}
