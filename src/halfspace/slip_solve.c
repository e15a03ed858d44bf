// Tangential forces of all cells within circles of friction: least 1/2 q'Tq - q'd, |q_i| <= limit_i.
// T q - d is then minus the slip: zero where a cell sticks, along q where it slips. [WK] eq. 4.5*
// Gradient steps with projection and momentum (Nesterov), begun anew where the momentum points
// uphill (O'Donoghue and Candes 2015): about as many products as conjugate gradients need, and
// circles are no harder than bounds.
#include "tractions.h"

#include <routh/elementary.h>

#include <math.h>
#include <string.h>

#define PRODUCTS_MAX 20000
#define POWER_STEPS  16 // the largest eigenvalue is then known to 1e-4
#define MARGIN       1.02

enum { VECTORS = 6 };

size_t rh_slip_room(int ncell)
{
  return VECTORS * (size_t)ncell;
}

typedef struct slip_work {
  const rh_convolution *c;
  const rh_slip_task *task;
  int n;
  double *const *q;
  double *y[2];    // q and its momentum
  double *g[2];    // T y - d
  double *last[2]; // q before
  double norm;     // of T
  int products;
} slip_work;

static bool is_held(const slip_work *w, int i)
{
  return w->task->limit[i] > 0;
}

static void multiply_tangential(slip_work *w, double *const x[2], double *const y[2])
{
  const double *const in[RH_DIRECTIONS] = {x[0], x[1], NULL};
  double *const out[RH_DIRECTIONS] = {y[0], y[1], NULL};
  rh_convolution_apply(w->c, in, out);
  w->products++;
}

// Largest eigenvalue of T among cells that friction can hold
static double tangential_norm(slip_work *w)
{
  double norm = 0;
  for (int i = 0; i < w->n; i++) {
    w->y[0][i] = is_held(w, i);
    w->y[1][i] = is_held(w, i) ? 0.5 : 0;
  }
  for (int step = 0; step < POWER_STEPS; step++) {
    double before = 0;
    double after = 0;
    multiply_tangential(w, w->y, w->g);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < w->n; i++) {
        w->g[k][i] = is_held(w, i) ? w->g[k][i] : 0;
        before += w->y[k][i] * w->y[k][i];
        after += w->g[k][i] * w->g[k][i];
      }
    }
    norm = before > 0 ? sqrt(after / before) : 0;
    for (int k = 0; k < 2 && norm > 0; k++) {
      for (int i = 0; i < w->n; i++) {
        w->y[k][i] = w->g[k][i] / norm;
      }
    }
  }
  return norm;
}

static void project_force(const slip_work *w, int i, double f[2])
{
  double size = rh_hypot(f[0], f[1]);
  double share = size > w->task->limit[i] ? w->task->limit[i] / size : 1;
  f[0] = is_held(w, i) ? share * f[0] : 0;
  f[1] = is_held(w, i) ? share * f[1] : 0;
}

// One step from y; the largest change of a force, as a displacement
static double step_forces(slip_work *w)
{
  double worst = 0;
  multiply_tangential(w, w->y, w->g);
  for (int i = 0; i < w->n; i++) {
    double f[2];
    for (int k = 0; k < 2; k++) {
      w->last[k][i] = w->q[k][i];
      f[k] = w->y[k][i] - (w->g[k][i] - w->task->drive[k][i]) / w->norm;
    }
    project_force(w, i, f);
    double change = rh_hypot(f[0] - w->y[0][i], f[1] - w->y[1][i]);
    worst = change <= worst ? worst : change; // keeps what is not a number
    w->q[0][i] = f[0];
    w->q[1][i] = f[1];
  }
  return worst * w->norm;
}

// Whether the momentum leads uphill
static bool is_overshooting(const slip_work *w)
{
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < w->n; i++) {
      sum += (w->y[k][i] - w->q[k][i]) * (w->q[k][i] - w->last[k][i]);
    }
  }
  return sum > 0;
}

static void add_momentum(slip_work *w, double share)
{
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < w->n; i++) {
      w->y[k][i] = w->q[k][i] + share * (w->q[k][i] - w->last[k][i]);
    }
  }
}

static void start_slip(slip_work *w, double *room)
{
  double **vector[VECTORS] = {&w->y[0], &w->y[1], &w->g[0], &w->g[1], &w->last[0], &w->last[1]};
  for (int k = 0; k < VECTORS; k++) {
    *vector[k] = room + (size_t)k * (size_t)w->n;
  }
  w->norm = MARGIN * tangential_norm(w);
  for (int i = 0; i < w->n; i++) {
    double f[2] = {w->q[0][i], w->q[1][i]};
    project_force(w, i, f);
    for (int k = 0; k < 2; k++) {
      w->q[k][i] = w->y[k][i] = f[k];
    }
  }
}

rh_patch_result rh_slip_solve(const rh_convolution *c, const rh_slip_task *task, double *room,
                              double *const q[2])
{
  slip_work w = {.c = c, .task = task, .n = c->nx * c->ny, .q = q};
  start_slip(&w, room);
  double most = 0;
  for (int i = 0; i < w.n; i++) {
    most = fmax(most, is_held(&w, i) ? rh_hypot(task->drive[0][i], task->drive[1][i]) : 0);
  }
  double worst = HUGE_VAL;
  double t = 1;
  bool solved = !(w.norm > 0); // no cell has a force
  while (!solved && w.products < PRODUCTS_MAX && !isnan(worst)) {
    worst = step_forces(&w);
    solved = worst <= task->tol * most;
    if (is_overshooting(&w)) {
      t = 1;
    }
    double next = 0.5 * (1 + sqrt(1 + 4 * t * t));
    add_momentum(&w, (t - 1) / next);
    t = next;
  }
  return (rh_patch_result){solved, w.products, w.norm > 0 ? worst : 0};
}
