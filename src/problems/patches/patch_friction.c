// Two elastic bodies pressed, shifted and turned along a path, with friction in every cell and its
// history; pressures and tractions act on one another. [WK] 4.2-4.6. Without coupling and across
// the shift it is Cattaneo's and Mindlin's contact, under a normal load alone Spence's.
#include "patch_bodies.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum {
  BODY1,
  BODY2,
  PROFILE,
  DELTA,
  LOAD,
  SHIFT_X,
  SHIFT_Y,
  TURN,
  MU,
  COUPLING,
  RHO,
  N,
  WIDE,
  STEPS,
  LEVELS
};

#define PATH_MAX_POINTS 200

#define PATH_LIST(word, in_unit, least, text)                                                      \
  {                                                                                                \
    .name = (word), .unit = (in_unit), .lo = (least), .hi = 1e18, .type = RH_LIST, .doc = (text)   \
  }

static const rh_param input[] = {
    RH_PATCH_BODY1,
    RH_PATCH_BODY2,
    RH_PATCH_PROFILE,
    PATH_LIST("delta", "m", 0, "approach at each point of the path; this or P"),
    PATH_LIST("P", "N", 0, "load at each point of the path; this or delta"),
    PATH_LIST("shift_x", "m", -1e18, "shift of the upper body along x; default: none"),
    PATH_LIST("shift_y", "m", -1e18, "along y; default: none"),
    PATH_LIST("turn", "rad", -1e18, "angle by which it is turned about the normal; default: none"),
    RH_PATCH_MU,
    {.name = "coupling",
     .unit = "1",
     .def = RH_COUPLING_FULL,
     .lo = RH_COUPLING_NONE,
     .hi = RH_COUPLING_FULL,
     .doc = "of normal and tangential directions; one-way: pressures move the surface along, "
            "tractions do not lift it; default: full",
     .type = RH_CHOICE,
     .choices = "none|one-way|full"},
    {.name = "rho",
     .unit = "m",
     .def = 0,
     .lo = 0,
     .hi = 1e9,
     .doc = "radius over which friction averages the pressure (Oden and Pires); default: 0"},
    RH_PATCH_N,
    RH_PATCH_WIDE,
    {.name = "steps",
     .unit = "1",
     .def = 8,
     .lo = 1,
     .hi = 1000,
     .doc = "to each point of the path; default: 8",
     .type = RH_INTEGER},
    RH_PATCH_LEVELS,
};

static const rh_output output[] = {
    {"Estar", "Pa", "", "combined modulus"},
    {"beta", "1", "", "Dundurs' second constant"},
    {"rows", "N, m, N, N, N m, m, 1, 1", "maps",
     "at each point of the path: P, delta, Qx, Qy, moment M, radius a of a circle as large as the "
     "cells in contact, c_over_a of those that stick, c_over_a of Cattaneo and Mindlin under these "
     "loads"},
    {"c_over_a_spence", "1", "",
     "part that sticks under a growing normal load alone, tractions not lifting the surface"},
    {"levels", "1, m, N, N, N, N m, 1", "maps",
     "of each grid at the end of the path: n, h, P, Qx, Qy, M, error of the forces over P of the "
     "finest"},
    {"order", "1", "", "power of h with which the error falls, fitted; null: fewer than 3 grids"},
    {"row_p", "Pa", "n", "pressures of the cells of row n/2 at the end, finest grid"},
    {"row_qx", "Pa", "n", "tractions along x"},
    {"row_qy", "Pa", "n", "tractions along y"},
};

enum { R_P, R_DELTA, R_QX, R_QY, R_M, R_A, R_C, R_CM, COLUMNS };

enum { L_N, L_H, L_P, L_QX, L_QY, L_M, L_ERROR, LEVEL_COLUMNS };

typedef struct path_job {
  const rh_inputs *in;
  const double *value;
  rh_patch_bodies bodies;
  double *path[5]; // delta, P, shift_x, shift_y, turn (npoint each); NULL: not given
  int npoint;
  double half; // [m]
  double unit; // [m] of displacements
  double *row, *level, *middle[3];
} path_job;

enum { P_DELTA, P_LOAD, P_X, P_Y, P_TURN, PATHS };

// Of the path's part from point k - 1 to k, `share` of it
static double path_value(const path_job *job, int which, int k, double share)
{
  const double *x = job->path[which];
  if (x == NULL) {
    return 0;
  }
  double from = k > 0 ? x[k - 1] : 0;
  return share == 1 ? x[k] : from + share * (x[k] - from);
}

typedef struct grid_memory {
  double *block, *gap, *shift[2], *mollifier;
} grid_memory;

static bool open_grid(const path_job *job, int n, rh_tractions *t, grid_memory *m)
{
  double h = 2 * job->half / n;
  size_t cells = (size_t)n * (size_t)n;
  size_t own = rh_tractions_size(n, n);
  *m = (grid_memory){.block =
                         rh_alloc((own + 3 * cells + rh_patch_kernel_size(n, n)) * sizeof(double))};
  if (m->block == NULL) {
    return false;
  }
  m->gap = m->block + own;
  m->shift[0] = m->gap + cells;
  m->shift[1] = m->gap + 2 * cells;
  m->mollifier = m->gap + 3 * cells;
  rh_tractions_open(t, n, n, &job->bodies.pair, m->block);
  rh_patch_bodies_gap(&job->bodies, n, h, m->gap);
  for (size_t i = 0; i < cells; i++) {
    m->gap[i] = fmin(m->gap[i] / job->unit, 1e12); // where a body ends
  }
  t->gap = m->gap;
  t->mu = job->value[MU];
  t->coupling = (rh_coupling)job->value[COUPLING];
  t->tol = 1e-9;
  if (job->value[RHO] > 0) {
    rh_mollifier(n, n, job->value[RHO] / h, m->mollifier);
    t->mollifier = m->mollifier;
  }
  return true;
}

// Step `s` of `steps` to point k
static rh_traction_result step_path(const path_job *job, int n, rh_tractions *t, grid_memory *m,
                                    const int at[2])
{
  int steps = (int)job->value[STEPS];
  double h = 2 * job->half / n;
  double from = (double)(at[1] - 1) / steps;
  double to = (double)at[1] / steps;
  double move[PATHS];
  for (int k = P_X; k < PATHS; k++) {
    move[k] = path_value(job, k, at[0], to) - path_value(job, k, at[0], from);
  }
  for (int i = 0; i < n * n; i++) {
    double x = (i % n - 0.5 * (n - 1)) * h;
    double y = (i / n - 0.5 * (n - 1)) * h;
    m->shift[0][i] = (move[P_X] - move[P_TURN] * y) / job->unit;
    m->shift[1][i] = (move[P_Y] + move[P_TURN] * x) / job->unit;
  }
  double force = job->bodies.pair.Estar * h * job->unit;
  rh_traction_move next = {.by_load = job->path[P_LOAD] != NULL,
                           .approach = path_value(job, P_DELTA, at[0], to) / job->unit,
                           .load = path_value(job, P_LOAD, at[0], to) / force,
                           .shift = {m->shift[0], m->shift[1]}};
  return rh_tractions_step(t, &next);
}

static void note_row(const path_job *job, double h, const rh_traction_result *result, double *row)
{
  double force = job->bodies.pair.Estar * h * job->unit;
  double Q = rh_hypot(result->Q[0], result->Q[1]);
  double limit = job->value[MU] * result->P;
  const double number[COLUMNS] = {result->P * force,
                                  result->approach * job->unit,
                                  result->Q[0] * force,
                                  result->Q[1] * force,
                                  result->moment * force * h,
                                  h * sqrt(result->cells / PI),
                                  result->cells > 0 ? sqrt((double)result->stick / result->cells)
                                                    : 0,
                                  limit > Q ? rh_mindlin_stick(Q / limit) : 0};
  for (int k = 0; k < COLUMNS; k++) {
    row[k] = number[k];
  }
}

// The whole path on a grid of n x n; `row` gets every point, `level` the end
static rh_status run_path(const path_job *job, int n, bool finest, double *level)
{
  rh_tractions t;
  grid_memory m;
  double h = 2 * job->half / n;
  double last[COLUMNS] = {0};
  bool solved = true;
  if (!open_grid(job, n, &t, &m)) {
    return RH_OUT_OF_MEMORY;
  }
  for (int k = 0; solved && k < job->npoint; k++) {
    rh_traction_result result = {.solved = true};
    for (int s = 1; result.solved && s <= (int)job->value[STEPS]; s++) {
      result = step_path(job, n, &t, &m, (int[]){k, s});
    }
    solved = result.solved;
    note_row(job, h, &result, last);
    for (int c = 0; finest && c < COLUMNS; c++) {
      job->row[k * COLUMNS + c] = last[c];
    }
  }
  const double number[LEVEL_COLUMNS] = {n, h, last[R_P], last[R_QX], last[R_QY], last[R_M], 0};
  for (int c = 0; c < LEVEL_COLUMNS; c++) {
    level[c] = number[c];
  }
  double pressure = job->bodies.pair.Estar * job->unit / h;
  for (int i = 0; finest && i < n; i++) {
    job->middle[0][i] = t.p[n / 2 * n + i] * pressure;
    job->middle[1][i] = t.q[0][n / 2 * n + i] * pressure;
    job->middle[2][i] = t.q[1][n / 2 * n + i] * pressure;
  }
  rh_free(m.block);
  return solved ? RH_OK : rh_patch_failed(job->in);
}

static double compare_levels(const path_job *job, int levels)
{
  double h[RH_LEVELS_MAX];
  double error[RH_LEVELS_MAX];
  const double *fine = job->level + (size_t)(levels - 1) * LEVEL_COLUMNS;
  for (int k = 0; k < levels; k++) {
    double *level = job->level + (size_t)k * LEVEL_COLUMNS;
    double sum = 0;
    for (int c = L_P; c <= L_QY; c++) {
      sum += (level[c] - fine[c]) * (level[c] - fine[c]);
    }
    h[k] = level[L_H];
    error[k] = level[L_ERROR] = fine[L_P] > 0 ? sqrt(sum) / fine[L_P] : 0;
  }
  return rh_level_order(levels - 1, h, error);
}

// ---- Inputs

static bool read_path(const rh_inputs *in, path_job *job)
{
  static const int index[PATHS] = {DELTA, LOAD, SHIFT_X, SHIFT_Y, TURN};
  bool good = true;
  for (int k = 0; k < PATHS; k++) {
    int n = 0;
    int node = rh_input_find(in, input[index[k]].name);
    if (node == RH_NONE) {
      continue;
    }
    job->path[k] = rh_list_input(in, index[k], PATH_MAX_POINTS, &n);
    good = good && job->path[k] != NULL;
    if (job->path[k] != NULL && job->npoint > 0 && n != job->npoint) {
      good = rh_input_refuse(in, node, "%s must have %d numbers as the other lists, got %d",
                             input[index[k]].name, job->npoint, n);
    }
    job->npoint = n;
  }
  if (good && (job->path[P_DELTA] != NULL) == (job->path[P_LOAD] != NULL)) {
    good = rh_input_refuse(in, in->map, "either delta or P must be given, a list");
  }
  return good;
}

static double largest_of(const double *x, int n)
{
  double most = 0;
  for (int i = 0; x && i < n; i++) {
    most = fmax(most, x[i]);
  }
  return most;
}

static bool check_inputs(const rh_inputs *in, path_job *job)
{
  const rh_profile *p = &job->bodies.profile;
  const double *value = job->value;
  int n = (int)value[N];
  double delta = largest_of(job->path[P_DELTA], job->npoint);
  double load = largest_of(job->path[P_LOAD], job->npoint);
  if (!(delta > 0) && !(load > 0)) {
    return rh_input_refuse(in, in->map, "the bodies are not pressed together anywhere on the path");
  }
  if (!rh_patch_bodies_place(in, delta, load, &job->bodies)) {
    return false;
  }
  if (value[WIDE] == 0 && !job->bodies.round) {
    return rh_input_refuse(in, in->map, "input 'half_width' is missing: of the patch");
  }
  if (p->kind == RH_PROFILE_GAP && (value[LEVELS] > 1 || p->n != n * n)) {
    return rh_input_refuse(in, in->map, "gaps of %d cells need n x n = %d and one level", p->n,
                           p->n);
  }
  job->half = value[WIDE] > 0 ? value[WIDE] : 1.2 * job->bodies.contact.radius;
  job->unit = job->bodies.round ? job->bodies.contact.approach
              : delta > 0       ? delta
                                : load * n / (job->bodies.pair.Estar * 2 * job->half);
  return true;
}

// ---- Answer

static bool open_answer(path_job *job, rh_answer *answer)
{
  static const char *const column[] = {"P", "delta", "Qx",       "Qy",
                                       "M", "a",     "c_over_a", "c_over_a_mindlin"};
  static const char *const level[] = {"n", "h", "P", "Qx", "Qy", "M", "error"};
  static const char *const middle[] = {"row_p", "row_qx", "row_qy"};
  const rh_elastic_pair *pair = &job->bodies.pair;
  bool good = rh_answer_number(answer, "Estar", pair->Estar);
  good = rh_answer_number(answer, "beta", pair->beta) && good;
  job->row = rh_answer_add_rows(answer, "rows", job->npoint, COLUMNS, column);
  double ratio = pair->beta == 0 ? HUGE_VAL : job->value[MU] / fabs(pair->beta);
  good = rh_answer_number(answer, "c_over_a_spence", rh_spence_stick(ratio)) && good;
  job->level = rh_answer_add_rows(answer, "levels", (int)job->value[LEVELS], LEVEL_COLUMNS, level);
  for (int k = 0; k < 3; k++) {
    job->middle[k] = rh_answer_add(answer, middle[k], 1, (int)job->value[N], 1, 1);
    good = good && job->middle[k] != NULL;
  }
  return good && job->row != NULL && job->level != NULL;
}

static rh_status answer_path(path_job *job, rh_answer *answer)
{
  int levels = (int)job->value[LEVELS];
  rh_status status = open_answer(job, answer) ? RH_OK : RH_OUT_OF_MEMORY;
  for (int k = 0; status == RH_OK && k < levels; k++) {
    status = run_path(job, rh_level_cells((int)job->value[N], levels, k), k == levels - 1,
                      job->level + (size_t)k * LEVEL_COLUMNS);
  }
  if (status != RH_OK) {
    return status;
  }
  double order = compare_levels(job, levels);
  bool good =
      isnan(order) ? rh_answer_null(answer, "order") : rh_answer_number(answer, "order", order);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_patch_friction(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  path_job job = {.in = in, .value = value};
  bool good = rh_plain_inputs(in, value);
  good = rh_patch_bodies_open(in, true, &job.bodies) && good;
  good = read_path(in, &job) && good;
  rh_status status = good && check_inputs(in, &job) ? answer_path(&job, answer) : RH_INPUT_REFUSED;
  for (int k = 0; k < PATHS; k++) {
    rh_free(job.path[k]);
  }
  rh_patch_bodies_close(&job.bodies);
  return status;
}

const rh_problem rh_problem_patch_friction = {
    .row = {"patch_friction", "[WK] 4.2-4.6",
            "elastic bodies pressed, shifted and turned, with friction in every cell", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_friction,
};
