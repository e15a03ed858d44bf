// Influence coefficients between square cells of an elastic half-space.
#include "problem_patch.h"

#define CELLS_MAX 200

enum { X, Y, H, ESTAR, SHEAR, NU };

static const rh_param input[] = {
    {.name = "X", .unit = "m", .lo = -1e9, .hi = 1e9, .type = RH_LIST, .doc = "centres of cells"},
    {.name = "Y", .unit = "m", .lo = -1e9, .hi = 1e9, .type = RH_LIST, .doc = "centres of cells"},
    {.name = "h", .unit = "m", .lo = 0, .hi = 1e9, .doc = "side of the cells", .open = true},
    RH_PATCH_ESTAR,
    RH_PATCH_G,
    RH_PATCH_NU,
};

static const rh_output output[] = {
    {"normal", "m/N", "n x n", "uniform pressure on a cell (Love)"},
    {"normal_point", "m/N", "n x n", "point force (Boussinesq), Love on the diagonal"},
    {"tangential", "m/N", "n x n", "along x, uniform traction along x, two equal bodies"},
};

static rh_status answer_all(const double *x, const double *y, int n, const double *value,
                            rh_answer *answer)
{
  double *to[RH_COUNT(output)];
  for (int k = 0; k < RH_COUNT(output); k++) {
    to[k] = rh_answer_add(answer, output[k].name, 2, n, n, 1);
    if (to[k] == NULL) {
      return RH_OUT_OF_MEMORY;
    }
  }
  for (int i = 0; i < n * n; i++) {
    double dx = x[i / n] - x[i % n];
    double dy = y[i / n] - y[i % n];
    to[0][i] = rh_influence_normal(dx, dy, value[H], value[ESTAR]);
    to[1][i] = rh_influence_point(dx, dy, value[H], value[ESTAR]);
    to[2][i] = rh_influence_tangential(dx, dy, value[H], value[SHEAR], value[NU]);
  }
  return RH_OK;
}

static rh_status solve_influence(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  int nx = 0;
  int ny = 0;
  bool good = rh_plain_inputs(in, value);
  double *x = rh_list_input(in, X, CELLS_MAX, &nx);
  double *y = rh_list_input(in, Y, CELLS_MAX, &ny);
  good = good && x != NULL && y != NULL;
  if (x != NULL && y != NULL && nx != ny) {
    good =
        rh_input_refuse(in, rh_input_find(in, "Y"), "Y must have %d numbers as X, got %d", nx, ny);
  }
  rh_status status = good ? answer_all(x, y, nx, value, answer) : RH_INPUT_REFUSED;
  rh_free(x);
  rh_free(y);
  return status;
}

const rh_problem rh_problem_influence = {
    .row = {"influence", "[WK] 4.3-4.4",
            "displacements of cells of elastic ground by forces on other cells", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_influence,
};
