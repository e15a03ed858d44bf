// problem_patch.c: inputs and grids of the problems about elastic patches. All grids are solved
// without units, lengths over Hertz's a and displacements over the approach, so that very soft or
// very small bodies do not reach the limits of the range of numbers.
#include "problem_patch.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE 1e-12 // of the approach: forces are then good to ten digits

// ---- Inputs

bool rh_plain_inputs(const rh_inputs *in, double value[RH_PAR_MAX])
{
  const rh_row *row = &in->problem->row;
  bool good = true;
  for (int i = 0; i < row->nparam; i++) {
    const rh_param *param = &row->param[i];
    char why[RH_WHY_MAX];
    int node = rh_input_find(in, param->name);
    value[i] = param->def;
    if (param->type == RH_LIST || param->type == RH_TEXT) {
      continue;
    }
    if (node != RH_NONE) {
      good = rh_input_value(in, param, node, &value[i]) && good;
    } else if (!rh_param_check(param, param->def, why)) {
      good = rh_input_refuse(in, in->map, "input '%s' is missing: %s", param->name, param->doc);
    }
  }
  return good;
}

double *rh_list_input(const rh_inputs *in, int index, int max, int *n)
{
  rh_param one = in->problem->row.param[index];
  int node = rh_input_find(in, one.name);
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "input '%s' is missing: %s", one.name, one.doc);
    return NULL;
  }
  bool list = in->tree->node[node].kind == RH_NODE_LIST;
  *n = list ? in->tree->node[node].count : 0;
  if (*n < 1 || *n > max) {
    (void)rh_input_refuse(in, node, "%s must be a list of 1 to %d numbers", one.name, max);
    return NULL;
  }
  double *x = rh_alloc((size_t)*n * sizeof *x);
  bool good = x != NULL && rh_input_vector(in, node, one.name, one.unit, x, *n);
  one.type = RH_NUMBER;
  for (int i = 0; good && i < *n; i++) {
    char why[RH_WHY_MAX];
    good =
        rh_param_check(&one, x[i], why) || rh_input_refuse(in, node, "%s[%d] %s", one.name, i, why);
  }
  if (!good) {
    rh_free(x);
    x = NULL;
  }
  return x;
}

rh_status rh_patch_failed(const rh_inputs *in)
{
  (void)rh_input_refuse(in, in->map, "the patch problem was not solved to its tolerance");
  return RH_TOLERANCE_NOT_REACHED;
}

// ---- The patch under a sphere

static bool take_room(rh_sphere_patch *s)
{
  int ncell = s->n * s->n;
  size_t cells = (size_t)ncell;
  size_t kernel = rh_patch_kernel_size(s->n, s->n);
  double *block = rh_alloc((4 * cells + kernel + rh_patch_room(ncell)) * sizeof *block);
  if (block == NULL) {
    return false;
  }
  s->f = block;
  s->lo = block + cells;
  s->hi = block + 2 * cells;
  s->drive = block + 3 * cells;
  s->kernel = block + 4 * cells;
  s->room = s->kernel + kernel;
  return true;
}

rh_status rh_sphere_patch_open(const rh_inputs *in, int n, double width, rh_influence influence,
                               rh_sphere_patch *s)
{
  *s = (rh_sphere_patch){.n = n, .h = 2 * width / n};
  if (!take_room(s)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_patch patch = rh_patch_normal(n, 1, 1, influence, s->kernel);
  rh_patch_sphere_gap(n, s->h, 1, s->drive); // over delta, since a^2 = R delta
  for (int i = 0; i < n * n; i++) {
    s->drive[i] = 1 - s->drive[i];
    s->lo[i] = 0;
    s->hi[i] = s->drive[i] > 0 ? HUGE_VAL : 0; // no force where they do not overlap
    s->f[i] = fmax(s->drive[i], 0);
  }
  rh_patch_task task = {s->drive, s->lo, s->hi, TOLERANCE};
  rh_patch_result result = rh_patch_solve(&patch, &task, s->room, s->f);
  for (int i = 0; i < n * n; i++) {
    s->total += s->f[i];
    s->most = fmax(s->most, s->f[i]);
    s->cells += s->f[i] > 0;
  }
  return result.solved ? RH_OK : rh_patch_failed(in);
}

void rh_sphere_patch_close(rh_sphere_patch *s)
{
  rh_free(s->f);
  *s = (rh_sphere_patch){0};
}
