// Pressing with a given load: the load grows with the approach, in straight pieces and ever more
// steeply, so that Newton's rule converges in a few steps, from above after the first. The slope is
// the load on the cells in contact that moves each of them by one: C w = 1. A half-plane can only
// be solved this way: it has no datum for the approach.
#include "halfspace.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 100

enum { VECTORS = 4 };

size_t rh_press_room(int ncell)
{
  return rh_patch_room(ncell) + VECTORS * (size_t)ncell;
}

typedef struct press {
  const rh_patch *patch;
  const rh_press_task *task;
  int n;
  double *drive, *lo, *hi, *unit, *room;
  int products;
} press;

static double sum_of(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
  }
  return sum;
}

// Forces at an approach
static rh_patch_result at_approach(press *p, double delta, double *f)
{
  for (int i = 0; i < p->n; i++) {
    p->drive[i] = delta - p->task->gap[i];
    p->lo[i] = 0;
    p->hi[i] = p->drive[i] > 0 ? HUGE_VAL : 0; // no force without overlap, since C > 0
  }
  rh_patch_task task = {p->drive, p->lo, p->hi, p->task->tol};
  rh_patch_result result = rh_patch_solve(p->patch, &task, p->room, f);
  result.products += p->products;
  p->products = result.products;
  return result;
}

// [N/m] derivative of the load by the approach
static double load_stiffness(press *p, const double *f)
{
  for (int i = 0; i < p->n; i++) {
    bool touches = f[i] > 0;
    p->drive[i] = 1;
    p->lo[i] = touches ? -HUGE_VAL : 0;
    p->hi[i] = touches ? HUGE_VAL : 0;
    p->unit[i] = 0;
  }
  rh_patch_task task = {p->drive, p->lo, p->hi, p->task->tol};
  rh_patch_result result = rh_patch_solve(p->patch, &task, p->room, p->unit);
  p->products += result.products;
  return sum_of(p->n, p->unit);
}

rh_patch_result rh_patch_press(const rh_patch *patch, const rh_press_task *task, double *room,
                               double *f, double *delta)
{
  press p = {.patch = patch, .task = task, .n = patch->nx * patch->ny};
  rh_patch_result result = {false, 0, HUGE_VAL};
  double **vector[VECTORS] = {&p.drive, &p.lo, &p.hi, &p.unit};
  for (int k = 0; k < VECTORS; k++) {
    *vector[k] = room + (size_t)k * (size_t)p.n;
  }
  p.room = room + VECTORS * (size_t)p.n;
  double least = HUGE_VAL;
  for (int i = 0; i < p.n; i++) {
    least = fmin(least, task->gap[i]);
  }
  // The whole load on the lowest cell alone goes deeper than the same load spread.
  bool known = task->start > least;
  *delta = known ? task->start : least + task->load * patch->kernel[patch->nx - 1];
  for (int i = 0; i < p.n && !known; i++) {
    f[i] = 0;
  }
  for (int step = 0; step < STEPS_MAX; step++) {
    result = at_approach(&p, *delta, f);
    double rest = sum_of(p.n, f) - task->load;
    if (!result.solved || fabs(rest) <= task->tol * task->load) {
      return result;
    }
    *delta -= rest / load_stiffness(&p, f);
  }
  result.solved = false;
  return result;
}

void rh_patch_sphere_gap(int n, double h, double R, double *gap)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double x = (i - 0.5 * (n - 1)) * h;
      double y = (j - 0.5 * (n - 1)) * h;
      gap[j * n + i] = (x * x + y * y) / (2 * R);
    }
  }
}
