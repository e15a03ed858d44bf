// One step of a contact with memory: pressures with the tractions given, then tractions with the
// pressures given, in turn until neither changes (Panagiotopoulos 1975). A cell that sticks keeps
// the distance that its two surface points have along the surface: the displacement of the last
// step and the shift of this one. In rolling the surface moves through the patch by whole cells
// (Kalker 1990). [WK] eq. 4.2 to 4.6
#include "tractions.h"

#include <routh/elementary.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 200

enum { OWN = 5, SCRATCH = 8 }; // vectors: p, q, u; those of step_scratch

typedef struct step_scratch {
  double *gap, *limit, *drive[2], *cross, *lo, *hi;
  double *before; // pressures of the last round
  double *rest;
} step_scratch;

static int cell_count(const rh_tractions *t)
{
  return t->patch.nx * t->patch.ny;
}

size_t rh_tractions_size(int nx, int ny)
{
  int ncell = nx * ny;
  size_t press = rh_press_room(ncell);
  size_t slip = rh_slip_room(ncell);
  return (OWN + SCRATCH) * (size_t)ncell + (press > slip ? press : slip) +
         rh_patch_kernel_size(nx, ny) + rh_convolution_size(nx, ny);
}

void rh_tractions_open(rh_tractions *t, int nx, int ny, const rh_elastic_pair *pair, double *memory)
{
  size_t ncell = (size_t)nx * (size_t)ny;
  *t = (rh_tractions){.coupling = RH_COUPLING_FULL};
  memset(memory, 0, rh_tractions_size(nx, ny) * sizeof *memory);
  rh_convolution_open(&t->influence, nx, ny, pair, memory);
  memory += rh_convolution_size(nx, ny);
  double *kernel = memory;
  memory += rh_patch_kernel_size(nx, ny);
  for (int j = 0; j < ny; j++) {
    for (int i = 1 - nx; i < nx; i++) {
      kernel[j * (2 * nx - 1) + i + nx - 1] =
          ny == 1 ? rh_influence_strip(RH_INFLUENCE_NN, i, nx, pair->shear)
                  : rh_influence_cell(RH_INFLUENCE_NN, i, j, pair->shear);
    }
  }
  t->patch = (rh_patch){nx, ny, kernel, &t->influence};
  t->p = memory;
  t->q[0] = memory + ncell;
  t->q[1] = memory + 2 * ncell;
  t->u[0] = memory + 3 * ncell;
  t->u[1] = memory + 4 * ncell;
  t->room = memory + OWN * ncell;
}

static step_scratch scratch_of(const rh_tractions *t)
{
  size_t n = (size_t)cell_count(t);
  double *x = t->room;
  return (step_scratch){x,         x + n,     {x + 2 * n, x + 3 * n}, x + 4 * n, x + 5 * n,
                        x + 6 * n, x + 7 * n, x + SCRATCH * n};
}

// ---- The two halves of a round

// How far the tractions push the surface in
static void lift_surface(const rh_tractions *t, double *lift)
{
  const double *const in[RH_DIRECTIONS] = {t->q[0], t->q[1], NULL};
  double *const out[RH_DIRECTIONS] = {NULL, NULL, lift};
  if (t->coupling == RH_COUPLING_FULL && t->influence.beta != 0) {
    rh_convolution_apply(&t->influence, in, out);
  } else {
    memset(lift, 0, (size_t)cell_count(t) * sizeof *lift);
  }
}

static bool solve_pressures(rh_tractions *t, const step_scratch *s, const rh_traction_move *move,
                            double *approach)
{
  int n = cell_count(t);
  lift_surface(t, s->cross);
  for (int i = 0; i < n; i++) {
    s->gap[i] = t->gap[i] + s->cross[i];
  }
  if (move->by_load && !(move->load > 0)) {
    memset(t->p, 0, (size_t)n * sizeof *t->p);
    *approach = HUGE_VAL;
    for (int i = 0; i < n; i++) {
      *approach = fmin(*approach, s->gap[i]);
    }
    return true;
  }
  if (move->by_load) {
    rh_press_task task = {s->gap, move->load, t->tol, *approach};
    return rh_patch_press(&t->patch, &task, s->rest, t->p, approach).solved;
  }
  *approach = move->approach;
  for (int i = 0; i < n; i++) {
    s->drive[0][i] = move->approach - s->gap[i];
    s->lo[i] = 0;
    s->hi[i] = s->drive[0][i] > 0 ? HUGE_VAL : 0;
  }
  rh_patch_task task = {s->drive[0], s->lo, s->hi, t->tol};
  return rh_patch_solve(&t->patch, &task, s->rest, t->p).solved;
}

// Displacement that the surface point of a cell had in the last step. Beyond the patch it is that of
// its last cell.
static double former_displacement(const rh_tractions *t, int k, int cell, int roll)
{
  int column = cell % t->patch.nx + roll;
  int last = t->patch.nx - 1;
  column = column < 0 ? 0 : column > last ? last : column;
  return t->u[k][cell / t->patch.nx * t->patch.nx + column];
}

static bool solve_tractions(rh_tractions *t, const step_scratch *s, const rh_traction_move *move)
{
  int n = cell_count(t);
  const double *const in[RH_DIRECTIONS] = {NULL, NULL, t->p};
  double *const out[RH_DIRECTIONS] = {s->drive[0], s->drive[1], NULL};
  memset(s->drive[0], 0, 2 * (size_t)n * sizeof *s->drive[0]);
  if (t->coupling != RH_COUPLING_NONE && t->influence.beta != 0) {
    rh_convolution_apply(&t->influence, in, out);
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n; i++) {
      double shift = move->shift[k] ? move->shift[k][i] : 0;
      s->drive[k][i] = former_displacement(t, k, i, move->roll) + shift - s->drive[k][i];
    }
  }
  if (t->mollifier) {
    rh_mollify(t->patch.nx, t->patch.ny, t->mollifier, t->p, s->limit);
  }
  for (int i = 0; i < n; i++) {
    s->limit[i] = t->mu * (t->mollifier ? s->limit[i] : t->p[i]);
  }
  rh_slip_task task = {{s->drive[0], s->drive[1]}, s->limit, t->tol};
  return rh_slip_solve(&t->influence, &task, s->rest, t->q).solved;
}

// ---- The step

// The largest change of a pressure since `before`, which gets the pressures, over the largest of them
static double note_pressures(rh_tractions *t, double *before)
{
  double change = 0;
  for (int i = 0; i < cell_count(t); i++) {
    change = fmax(change, fabs(t->p[i] - before[i]));
    t->largest = fmax(t->largest, t->p[i]);
    before[i] = t->p[i];
  }
  return t->largest > 0 ? change / t->largest : 0;
}

static void update_displacements(rh_tractions *t)
{
  bool coupled = t->coupling != RH_COUPLING_NONE;
  const double *const in[RH_DIRECTIONS] = {t->q[0], t->q[1], coupled ? t->p : NULL};
  double *const out[RH_DIRECTIONS] = {t->u[0], t->u[1], NULL};
  rh_convolution_apply(&t->influence, in, out);
}

static void sum_forces(const rh_tractions *t, const double *limit, rh_traction_result *result)
{
  for (int i = 0; i < cell_count(t); i++) {
    double x = i % t->patch.nx - 0.5 * (t->patch.nx - 1);
    double y = i / t->patch.nx - 0.5 * (t->patch.ny - 1);
    bool touches = t->p[i] > 0;
    result->P += t->p[i];
    result->Q[0] += t->q[0][i];
    result->Q[1] += t->q[1][i];
    result->moment += x * t->q[1][i] - y * t->q[0][i];
    result->cells += touches;
    result->stick += touches && rh_hypot(t->q[0][i], t->q[1][i]) < limit[i] * (1 - 1e-12);
  }
}

rh_traction_result rh_tractions_step(rh_tractions *t, const rh_traction_move *move)
{
  rh_traction_result result = {.solved = true, .approach = t->last.approach};
  step_scratch s = scratch_of(t);
  bool coupled = t->coupling == RH_COUPLING_FULL && t->influence.beta != 0 && t->mu > 0;
  bool same = !coupled && t->last.solved &&
              (move->by_load ? move->load == t->load : move->approach == t->last.approach);
  double change = HUGE_VAL;
  memset(s.before, 0, (size_t)cell_count(t) * sizeof *s.before);
  while (result.solved && result.rounds < ROUNDS_MAX && !(change <= t->tol)) {
    result.solved = same || solve_pressures(t, &s, move, &result.approach);
    change = coupled ? note_pressures(t, s.before) : 0;
    result.solved = result.solved && solve_tractions(t, &s, move);
    result.rounds++;
  }
  result.solved = result.solved && change <= t->tol;
  update_displacements(t);
  sum_forces(t, s.limit, &result);
  t->last = result;
  t->load = move->load;
  return result;
}

// ---- Friction that is not local

void rh_mollifier(int nx, int ny, double rho, double *kernel)
{
  double sum = 0;
  int width = 2 * nx - 1;
  for (int j = 0; j < ny; j++) {
    for (int i = 1 - nx; i < nx; i++) {
      double r2 = (double)i * i + (double)j * j;
      double x = r2 < rho * rho ? rh_exp(rho * rho / (r2 - rho * rho)) : 0;
      x = i == 0 && j == 0 && rho < 1 ? 1 : x;
      kernel[j * width + i + nx - 1] = x;
      sum += j == 0 ? x : 2 * x;
    }
  }
  for (int k = 0; k < width * ny; k++) {
    kernel[k] /= sum;
  }
}

void rh_mollify(int nx, int ny, const double *kernel, const double *in, double *out)
{
  for (int c = 0; c < nx * ny; c++) {
    double sum = 0;
    for (int j = 0; j < ny; j++) {
      int row = abs(j - c / nx);
      for (int i = 0; i < nx; i++) {
        sum += kernel[row * (2 * nx - 1) + i - c % nx + nx - 1] * in[j * nx + i];
      }
    }
    out[c] = sum;
  }
}
