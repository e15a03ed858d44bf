// The patch problem: least 1/2 f'Cf - f'd with bounds on every force, by conjugate gradients on the
// cells that are free, with projection where a step would leave the bounds, and release of cells
// whose gradient points inwards (modified proportioning with reduced gradient projection). The
// energy falls in every step, so no set of free cells repeats. C is never formed: it depends on the
// offset of two cells only, and a product is one pass over rows of the kernel. [WK] eq. 4.6-4.7*
// A patch with `fast` has fast transforms instead (convolution.c), which pay from some 30 cells per
// side on.
#include "tractions.h"

#include <math.h>
#include <string.h>

#define PRODUCTS_MAX 3000 // ten times the need of the largest grid

enum { VECTORS = 5 };

size_t rh_patch_room(int ncell)
{
  return VECTORS * (size_t)ncell;
}

// ---- C times a vector

typedef struct span { // columns of each row that count: first <= i < last
  int first[RH_PATCH_MAX], last[RH_PATCH_MAX];
} span;

static void span_of(const rh_patch *patch, const double *x, span *s)
{
  for (int j = 0; j < patch->ny; j++) {
    const double *row = x + (size_t)j * (size_t)patch->nx;
    int first = 0;
    int last = patch->nx;
    while (first < last && row[first] == 0) {
      first++;
    }
    while (last > first && row[last - 1] == 0) {
      last--;
    }
    s->first[j] = first;
    s->last[j] = last;
  }
}

// The sum of two rows at the same distance into z; beyond the grid there is none, and in the middle there is one.
static void add_rows(const rh_patch *patch, const double *x, int up, int down, double *z)
{
  bool above = up >= 0;
  bool below = down < patch->ny && down != up;
  const double *a = above ? x + (size_t)up * (size_t)patch->nx : NULL;
  const double *b = below ? x + (size_t)down * (size_t)patch->nx : NULL;
  if (!above || !below) {
    memcpy(z, above ? a : b, (size_t)patch->nx * sizeof *z);
    return;
  }
  for (int i = 0; i < patch->nx; i++) {
    z[i] = a[i] + b[i];
  }
}

// sum[i] += z[s] kernel[i - s] for first <= s < last, from <= i < to. Four sources at a time keep the sums in registers.
static void add_toeplitz_product(const double *restrict kernel, const double *restrict z,
                                 const int source[2], const int to[2], double *restrict sum)
{
  int s = source[0];
  for (; s + 4 <= source[1]; s += 4) {
    const double *k = kernel - s;
    double a = z[s];
    double b = z[s + 1];
    double c = z[s + 2];
    double d = z[s + 3];
    for (int i = to[0]; i < to[1]; i++) {
      sum[i] += (a * k[i] + b * k[i - 1]) + (c * k[i - 2] + d * k[i - 3]);
    }
  }
  for (; s < source[1]; s++) {
    const double *k = kernel - s;
    for (int i = to[0]; i < to[1]; i++) {
      sum[i] += z[s] * k[i];
    }
  }
}

// One row of C x, in the columns `to`.
static void product_row(const rh_patch *patch, const span *has, const double *x, int j,
                        const int to[2], double *sum)
{
  double z[RH_PATCH_MAX];
  int width = 2 * patch->nx - 1;
  memset(sum, 0, (size_t)patch->nx * sizeof *sum);
  for (int d = 0; d < patch->ny; d++) {
    int up = j - d >= 0 ? j - d : -1;
    int down = j + d < patch->ny ? j + d : patch->ny;
    int source[2] = {patch->nx, 0};
    for (int side = 0; side < 2; side++) {
      int row = side == 0 ? up : down;
      if (row >= 0 && row < patch->ny && has->first[row] < has->last[row]) {
        source[0] = has->first[row] < source[0] ? has->first[row] : source[0];
        source[1] = has->last[row] > source[1] ? has->last[row] : source[1];
      }
    }
    if (source[0] < source[1]) {
      add_rows(patch, x, up, down, z);
      add_toeplitz_product(patch->kernel + (size_t)d * (size_t)width + patch->nx - 1, z, source, to,
                           sum);
    }
  }
}

// ---- The problem

typedef struct work {
  const rh_patch *patch;
  const rh_patch_task *task;
  int n;
  double *f;
  double *g; // C f - d
  double *p; // direction of the step, downwards
  double *Cp;
  double *other, *other_g; // another f and its gradient
  span need;               // cells that may have a force
  double step;             // [N/m] a gradient step that never climbs: 1 / |C|
  int products;
} work;

// y := C x, only in cells that may have a force.
static void multiply_influence(work *w, const double *x, double *y)
{
  span has;
  if (w->patch->fast) {
    const double *const in[RH_DIRECTIONS] = {NULL, NULL, x};
    double *const out[RH_DIRECTIONS] = {NULL, NULL, y};
    rh_convolution_apply(w->patch->fast, in, out);
    w->products++;
    return;
  }
  span_of(w->patch, x, &has);
  for (int j = 0; j < w->patch->ny; j++) {
    int to[2] = {w->need.first[j], w->need.last[j]};
    if (to[0] < to[1]) {
      product_row(w->patch, &has, x, j, to, y + (size_t)j * (size_t)w->patch->nx);
    }
  }
  w->products++;
}

static double dot_product(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static bool is_fixed(const work *w, int i)
{
  return !(w->task->lo[i] < w->task->hi[i]);
}

static double clamp_force(const work *w, int i, double x)
{
  return fmin(fmax(x, w->task->lo[i]), w->task->hi[i]);
}

static bool is_free(const work *w, int i)
{
  return w->f[i] > w->task->lo[i] && w->f[i] < w->task->hi[i];
}

// The gradient of a free cell; zero for the others
static double free_slope(const work *w, int i)
{
  return is_free(w, i) ? w->g[i] : 0;
}

// The gradient of a cell at a bound if it points inwards; zero for the others
static double bound_slope(const work *w, int i)
{
  if (is_fixed(w, i) || is_free(w, i)) {
    return 0;
  }
  return w->f[i] <= w->task->lo[i] ? fmin(w->g[i], 0) : fmax(w->g[i], 0);
}

static void energy_gradient(work *w, const double *f, double *g)
{
  multiply_influence(w, f, g);
  for (int i = 0; i < w->n; i++) {
    g[i] = is_fixed(w, i) ? 0 : g[i] - w->task->drive[i];
  }
}

static void restart_direction(work *w)
{
  for (int i = 0; i < w->n; i++) {
    w->p[i] = free_slope(w, i);
  }
}

static double patch_energy(const work *w, const double *f, const double *g)
{
  return 0.5 * (dot_product(w->n, f, g) - dot_product(w->n, f, w->task->drive));
}

// Bound on a in f - a p
static double room_along(const work *w)
{
  double most = HUGE_VAL;
  for (int i = 0; i < w->n; i++) {
    double way = w->p[i] > 0   ? w->f[i] - w->task->lo[i]
                 : w->p[i] < 0 ? w->f[i] - w->task->hi[i]
                               : 0;
    if (w->p[i] != 0) {
      most = fmin(most, way / w->p[i]);
    }
  }
  return most;
}

static void advance_forces(work *w, double a)
{
  for (int i = 0; i < w->n; i++) {
    w->f[i] = clamp_force(w, i, w->f[i] - a * w->p[i]); // the clamp takes rounding only
    w->g[i] = is_fixed(w, i) ? 0 : w->g[i] - a * w->Cp[i];
  }
}

// A step of conjugate gradients that would leave the bounds: to its end and back to the bounds if that is downhill, else to
// the bound that is met first and a short way along the gradient, always downhill.
static void step_beyond_bounds(work *w, double a, double most)
{
  for (int i = 0; i < w->n; i++) {
    w->other[i] = clamp_force(w, i, w->f[i] - a * w->p[i]);
  }
  energy_gradient(w, w->other, w->other_g);
  if (patch_energy(w, w->other, w->other_g) < patch_energy(w, w->f, w->g)) {
    memcpy(w->f, w->other, (size_t)w->n * sizeof *w->f);
    memcpy(w->g, w->other_g, (size_t)w->n * sizeof *w->g);
  } else {
    advance_forces(w, most);
    for (int i = 0; i < w->n; i++) {
      w->f[i] = clamp_force(w, i, w->f[i] - w->step * free_slope(w, i));
    }
    energy_gradient(w, w->f, w->g);
  }
  restart_direction(w);
}

// A step along p, at most to the bounds; the next direction is conjugate to it.
static void follow_direction(work *w)
{
  multiply_influence(w, w->p, w->Cp);
  double curve = dot_product(w->n, w->p, w->Cp);
  double a = dot_product(w->n, w->g, w->p) / curve;
  double most = room_along(w);
  if (!(a <= most)) {
    step_beyond_bounds(w, a, most);
    return;
  }
  advance_forces(w, a);
  double back = 0;
  for (int i = 0; i < w->n; i++) {
    back += free_slope(w, i) * w->Cp[i];
  }
  back /= curve;
  for (int i = 0; i < w->n; i++) {
    w->p[i] = is_free(w, i) ? w->g[i] - back * w->p[i] : 0;
  }
}

// Cells leave their bounds together, as far as the energy falls.
static void release_cells(work *w)
{
  for (int i = 0; i < w->n; i++) {
    w->p[i] = bound_slope(w, i);
  }
  multiply_influence(w, w->p, w->Cp);
  advance_forces(
      w, fmin(dot_product(w->n, w->g, w->p) / dot_product(w->n, w->p, w->Cp), room_along(w)));
  restart_direction(w);
}

typedef struct state {
  double worst;      // [m] separation of any cell that should have none
  bool proportional; // the free cells can gain more energy than those at their bounds
} state;

static state optimality_state(const work *w)
{
  double free = 0;
  double bound = 0;
  state s = {0, false};
  for (int i = 0; i < w->n; i++) {
    double g = free_slope(w, i);
    double b = bound_slope(w, i);
    // A free cell that is pulled to a bound close by has little to gain.
    double way = g > 0 ? w->f[i] - w->task->lo[i] : w->task->hi[i] - w->f[i];
    free += fabs(g) * fmin(fabs(g), way / w->step);
    bound += b * b;
    s.worst = fmax(s.worst, fabs(g) + fabs(b));
    s.worst = isnan(w->g[i]) ? HUGE_VAL : s.worst; // fmin, fmax and the bounds would hide it
  }
  s.proportional = bound <= free;
  return s;
}

static void start_work(work *w, const rh_patch *patch, const rh_patch_task *task, double *room)
{
  double sum = 0;
  int width = 2 * patch->nx - 1;
  for (int k = 0; k < width * patch->ny; k++) {
    sum += k < width ? fabs(patch->kernel[k]) : 2 * fabs(patch->kernel[k]);
  }
  *w = (work){.patch = patch, .task = task, .n = patch->nx * patch->ny, .step = 1 / sum};
  double **vector[VECTORS] = {&w->g, &w->p, &w->Cp, &w->other, &w->other_g};
  for (int k = 0; k < VECTORS; k++) {
    *vector[k] = room + (size_t)k * (size_t)w->n;
  }
  for (int i = 0; i < w->n; i++) {
    w->g[i] = is_fixed(w, i) ? 0 : 1;
  }
  span_of(patch, w->g, &w->need);
  memset(room, 0, VECTORS * (size_t)w->n * sizeof *room);
}

rh_patch_result rh_patch_solve(const rh_patch *patch, const rh_patch_task *task, double *room,
                               double *f)
{
  work w;
  start_work(&w, patch, task, room);
  w.f = f;
  double most = 0;
  for (int i = 0; i < w.n; i++) {
    f[i] = clamp_force(&w, i, f[i]);
    most = fmax(most, is_fixed(&w, i) ? 0 : fabs(task->drive[i]));
  }
  energy_gradient(&w, f, w.g);
  restart_direction(&w);
  bool fresh = true; // the gradient is C f - d itself, not updated by steps
  state s = optimality_state(&w);
  while (isfinite(s.worst) && w.products < PRODUCTS_MAX &&
         !(fresh && s.worst <= task->tol * most)) {
    if (s.worst <= task->tol * most) {
      energy_gradient(&w, f, w.g);
      restart_direction(&w);
      fresh = true;
    } else {
      fresh = false;
      if (s.proportional) {
        follow_direction(&w);
      } else {
        release_cells(&w);
      }
    }
    s = optimality_state(&w);
  }
  return (rh_patch_result){isfinite(s.worst) && s.worst <= task->tol * most, w.products, s.worst};
}
