// Two elastic bodies of a given profile pressed together, without friction: the patch in cells, the
// closed form where there is one, and how the error falls with the size of the cells. [WK] 4.2, 4.6
#include "patch_bodies.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { BODY1, BODY2, PROFILE, DELTA, LOAD, N, WIDE, LEVELS };

static const rh_param input[] = {
    RH_PATCH_BODY1,
    RH_PATCH_BODY2,
    RH_PATCH_PROFILE,
    {.name = "delta",
     .unit = "m",
     .def = 0,
     .lo = 0,
     .hi = 1e9,
     .doc = "approach of the bodies; this or P"},
    {.name = "P", .unit = "N", .def = 0, .lo = 0, .hi = 1e18, .doc = "load; this or delta"},
    RH_PATCH_N,
    RH_PATCH_WIDE,
    RH_PATCH_LEVELS,
};

static const rh_output output[] = {
    {"Estar", "Pa", "", "combined modulus"},
    {"beta", "1", "", "Dundurs' second constant"},
    {"F", "N", "", "load on the patch"},
    {"delta", "m", "", "approach of the bodies"},
    {"p_max", "Pa", "", "greatest pressure of a cell"},
    {"a", "m", "", "radius of a circle as large as the cells in contact"},
    {"F_theory", "N", "", "load in closed form; null: none"},
    {"delta_theory", "m", "", "approach in closed form; null: none"},
    {"a_theory", "m", "", "radius in closed form; null: none"},
    {"rows", "1, m, N, m, m, Pa, 1", "maps",
     "of each grid: n, side h, F, delta, a, p_max, error of the load (P given: of the approach) "
     "against the closed form, else the finest grid"},
    {"order", "1", "", "power of h with which the error falls, fitted; null: one grid"},
    {"row_pressures", "Pa", "n", "of the cells of row n/2, finest grid"},
};

enum { R_N, R_H, R_F, R_DELTA, R_A, R_PMAX, R_ERROR, COLUMNS };

typedef struct press_job {
  const rh_inputs *in;
  const double *value;
  rh_patch_bodies bodies;
  double half; // [m] half-width of the patch
  int levels;
  double *row;    // (levels x COLUMNS)
  double *middle; // (n)
} press_job;

// Forces over E* h L, lengths over L: the closed form's approach, or what was given
static rh_status solve_level(const press_job *job, int n, double *row, double *middle)
{
  double h = 2 * job->half / n;
  double Estar = job->bodies.pair.Estar;
  double given = job->value[DELTA] > 0 ? job->value[DELTA] : job->value[LOAD] / (Estar * h);
  double unit = job->bodies.round ? job->bodies.contact.approach : given;
  rh_tractions t;
  size_t cells = (size_t)n * (size_t)n;
  double *memory = rh_alloc((rh_tractions_size(n, n) + cells) * sizeof *memory);
  if (memory == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  double *gap = memory + rh_tractions_size(n, n);
  rh_tractions_open(&t, n, n, &job->bodies.pair, memory);
  rh_patch_bodies_gap(&job->bodies, n, h, gap);
  for (size_t i = 0; i < cells; i++) {
    gap[i] = fmin(gap[i] / unit, 1e12); // where a body ends
  }
  t.gap = gap;
  t.tol = 1e-11;
  rh_traction_move move = {.by_load = job->value[LOAD] > 0,
                           .approach = job->value[DELTA] / unit,
                           .load = job->value[LOAD] / (Estar * h * unit)};
  rh_traction_result result = rh_tractions_step(&t, &move);
  double most = 0;
  for (int i = 0; i < n * n; i++) {
    most = fmax(most, t.p[i]);
  }
  for (int i = 0; middle && i < n; i++) {
    middle[i] = t.p[n / 2 * n + i] * Estar * unit / h;
  }
  const double number[COLUMNS] = {n,
                                  h,
                                  result.P * Estar * h * unit,
                                  result.approach * unit,
                                  h * sqrt(result.cells / PI),
                                  most * Estar * unit / h,
                                  0};
  for (int k = 0; k < COLUMNS; k++) {
    row[k] = number[k];
  }
  rh_free(memory);
  return result.solved ? RH_OK : rh_patch_failed(job->in);
}

// Errors against the closed form or the finest grid; their order
static double compare_levels(const press_job *job)
{
  int of = job->value[DELTA] > 0 ? R_F : R_DELTA;
  double h[RH_LEVELS_MAX];
  double error[RH_LEVELS_MAX];
  const rh_round_contact *c = &job->bodies.contact;
  double finest = job->row[(job->levels - 1) * COLUMNS + of];
  double right = job->bodies.round ? (of == R_F ? c->load : c->approach) : finest;
  for (int k = 0; k < job->levels; k++) {
    double *row = job->row + (size_t)k * COLUMNS;
    h[k] = row[R_H];
    error[k] = row[R_ERROR] = row[of] / right - 1;
  }
  return rh_level_order(job->levels, h, error);
}

static bool answer_numbers(const press_job *job, double order, rh_answer *answer)
{
  const double *fine = job->row + (size_t)(job->levels - 1) * COLUMNS;
  const rh_round_contact *c = &job->bodies.contact;
  const double number[] = {job->bodies.pair.Estar,
                           job->bodies.pair.beta,
                           fine[R_F],
                           fine[R_DELTA],
                           fine[R_PMAX],
                           fine[R_A],
                           c->load,
                           c->approach,
                           c->radius};
  bool good = true;
  for (int i = 0; i < RH_COUNT(number); i++) {
    bool exists = i < 6 || job->bodies.round;
    good = (exists ? rh_answer_number(answer, output[i].name, number[i])
                   : rh_answer_null(answer, output[i].name)) &&
           good;
  }
  return (isnan(order) ? rh_answer_null(answer, "order")
                       : rh_answer_number(answer, "order", order)) &&
         good;
}

static bool check_inputs(const rh_inputs *in, press_job *job)
{
  const double *value = job->value;
  const rh_profile *p = &job->bodies.profile;
  if ((value[DELTA] > 0) == (value[LOAD] > 0)) {
    return rh_input_refuse(in, in->map, "either delta or P must be given, and be > 0");
  }
  if (!rh_patch_bodies_place(in, value[DELTA], value[LOAD], &job->bodies)) {
    return false;
  }
  if (value[WIDE] == 0 && !job->bodies.round) {
    return rh_input_refuse(in, in->map, "input 'half_width' is missing: of the patch");
  }
  if (p->kind == RH_PROFILE_GAP && (value[LEVELS] > 1 || p->n != (int)value[N] * (int)value[N])) {
    return rh_input_refuse(in, in->map, "gaps of %d cells need n x n = %d and one level", p->n,
                           p->n);
  }
  job->half = value[WIDE] > 0 ? value[WIDE] : 1.2 * job->bodies.contact.radius;
  return true;
}

static rh_status solve_levels(press_job *job, rh_answer *answer)
{
  static const char *const column[] = {"n", "h", "F", "delta", "a", "p_max", "error"};
  rh_status status = RH_OK;
  job->levels = (int)job->value[LEVELS];
  job->row = rh_answer_add_rows(answer, "rows", job->levels, COLUMNS, column);
  job->middle = rh_answer_add(answer, "row_pressures", 1, (int)job->value[N], 1, 1);
  if (job->row == NULL || job->middle == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int k = 0; status == RH_OK && k < job->levels; k++) {
    status = solve_level(job, rh_level_cells((int)job->value[N], job->levels, k),
                         job->row + (size_t)k * COLUMNS, k == job->levels - 1 ? job->middle : NULL);
  }
  if (status == RH_OK && !answer_numbers(job, compare_levels(job), answer)) {
    status = RH_OUT_OF_MEMORY;
  }
  return status;
}

static rh_status solve_patch_contact(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  press_job job = {.in = in, .value = value};
  bool good = rh_plain_inputs(in, value);
  good = rh_patch_bodies_open(in, true, &job.bodies) && good;
  rh_status status = good && check_inputs(in, &job) ? solve_levels(&job, answer) : RH_INPUT_REFUSED;
  rh_patch_bodies_close(&job.bodies);
  return status;
}

const rh_problem rh_problem_patch_contact = {
    .row = {"patch_contact", "[WK] 4.2-4.7", "two elastic bodies of a given profile, in cells",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_contact,
};
