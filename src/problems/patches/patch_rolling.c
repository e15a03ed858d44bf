// A round body rolls along x on an elastic one, with creep across and along and with spin, until the
// tractions no longer change: friction in every cell, the surface moving through the patch cell by
// cell (Kalker 1990). A cylinder against Carter (1926), a sphere against the linear answer of small
// creep and its limit (Vermeulen and Johnson 1964).
#include "patch_bodies.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { BODY1, BODY2, SHAPE, RADIUS, LOAD, MU, CREEP_X, CREEP_Y, SPIN, COUPLING, N, LEVELS };

enum { SPHERE, CYLINDER };

#define CREEP_INPUT(word, in_unit, text)                                                           \
  {                                                                                                \
    .name = (word), .unit = (in_unit), .def = 0, .lo = -1e9, .hi = 1e9, .doc = (text)              \
  }

static const rh_param input[] = {
    RH_PATCH_BODY1,
    RH_PATCH_BODY2,
    {.name = "shape",
     .unit = "1",
     .def = SPHERE,
     .lo = SPHERE,
     .hi = CYLINDER,
     .doc = "default: sphere",
     .type = RH_CHOICE,
     .choices = "sphere|cylinder"},
    RH_PATCH_R,
    {.name = "P",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = 1e18,
     .doc = "load [N], of a cylinder [N/m]",
     .open = true},
    RH_PATCH_MU,
    CREEP_INPUT("creep_x", "1", "slip over the rolling speed, along the way; default: 0"),
    CREEP_INPUT("creep_y", "1", "the same across it; default: 0"),
    CREEP_INPUT("spin", "1/m", "angular speed about the normal over the rolling speed; default: 0"),
    {.name = "coupling",
     .unit = "1",
     .def = RH_COUPLING_FULL,
     .lo = RH_COUPLING_NONE,
     .hi = RH_COUPLING_FULL,
     .doc = "of normal and tangential directions; default: full",
     .type = RH_CHOICE,
     .choices = "none|one-way|full"},
    RH_PATCH_N,
    RH_PATCH_LEVELS,
};

static const rh_output output[] = {
    {"a", "m", "", "radius (half-width) of Hertz"},
    {"a_cells", "m", "", "the same of the cells in contact: of a circle (a strip) as large"},
    {"Qx", "N", "", "tangential load along the creep (a cylinder: N/m)"},
    {"Qy", "N", "", "the same across the way"},
    {"M", "N m", "", "moment about the normal; a cylinder: 0"},
    {"Q_over_muP", "1", "", "share of the friction limit"},
    {"stick", "1", "", "share of the cells in contact that friction holds"},
    {"rolled", "m", "", "way after which the tractions stay"},
    {"theory", "1", "",
     "Q_over_muP of Carter, cylinder with creep along the way; sphere: 1 - (1 - Q_lin / (3 mu "
     "P))^3; null: spin, or a cylinder with other creep"},
    {"linear", "N", "",
     "Q of a sphere without a limit of friction, on this grid; null: spin, cylinder"},
    {"rows", "1, m, N, N, N m, 1", "maps",
     "of each grid: n, h, Qx, Qy, M, error of the forces over mu P, against Carter, else the "
     "finest"},
    {"order", "1", "", "power of h with which the error falls, fitted; null: fewer than 3 grids"},
};

enum { R_N, R_H, R_QX, R_QY, R_M, R_ERROR, COLUMNS };

typedef struct roll_job {
  const rh_inputs *in;
  const double *value;
  rh_patch_bodies bodies;
  double a, delta; // [m] of Hertz; delta: a^2 / R
  double *row;
} roll_job;

typedef struct rolled {
  bool solved;
  double Q[2], moment; // [N], [N m]; a cylinder: per metre
  double stick;
  int cells;  // in contact
  double way; // [m]
} rolled;

static double force_unit(const roll_job *job, double h)
{
  return job->bodies.pair.Estar * job->delta * (job->value[SHAPE] == SPHERE ? h : 1);
}

static void open_gap(const roll_job *job, int nx, int ny, double h, double *gap)
{
  for (int i = 0; i < nx * ny; i++) {
    double x = (i % nx - 0.5 * (nx - 1)) * h;
    double y = (i / nx - 0.5 * (ny - 1)) * h;
    gap[i] = 0.5 * (x * x + y * y) / (job->a * job->a);
  }
}

#define ROLLED_ENOUGH                                                                              \
  1e-7 // change of the forces in one cell, over the friction limit or themselves

// What the surfaces slip over one another on the way of one cell, without the elasticity
static void open_shift(const roll_job *job, const rh_tractions *t, double *const shift[2], double h)
{
  const double *value = job->value;
  int nx = t->patch.nx;
  for (int i = 0; i < nx * t->patch.ny; i++) {
    double x = (i % nx - 0.5 * (nx - 1)) * h;
    double y = (i / nx - 0.5 * (t->patch.ny - 1)) * h;
    shift[0][i] = (value[CREEP_X] - value[SPIN] * y) * h / job->delta;
    shift[1][i] = (value[CREEP_Y] + value[SPIN] * (x + 0.5 * h)) * h / job->delta;
  }
}

// Rolls until nothing changes; at most eight widths of the patch
static rolled roll_on(const roll_job *job, rh_tractions *t, double *const shift[2], double h)
{
  int nx = t->patch.nx;
  double force = force_unit(job, h);
  const double *value = job->value;
  rolled r = {.solved = true};
  open_shift(job, t, shift, h);
  rh_traction_move move = {
      .by_load = true, .load = value[LOAD] / force, .shift = {shift[0], shift[1]}, .roll = 1};
  double change = HUGE_VAL;
  for (int s = 0; r.solved && s < 8 * nx && change > ROLLED_ENOUGH; s++) {
    double before[3] = {r.Q[0], r.Q[1], r.moment};
    rh_traction_result result = rh_tractions_step(t, &move);
    r = (rolled){result.solved,
                 {result.Q[0] * force, result.Q[1] * force},
                 result.moment * force * h,
                 result.cells > 0 ? (double)result.stick / result.cells : 0,
                 result.cells,
                 (s + 1) * h};
    double size = fmin(t->mu * value[LOAD], rh_hypot(r.Q[0], r.Q[1]) + fabs(r.moment) / job->a);
    change = rh_hypot(r.Q[0] - before[0], r.Q[1] - before[1]) + fabs(r.moment - before[2]) / job->a;
    change = size > 0 ? change / size : 0;
  }
  return r;
}

// The cells of a patch of some 1.2 a, with the edges of Hertz's contact between cells
static double cell_side(const roll_job *job, int n)
{
  int across = (int)(n / 1.2); // even where n is
  across -= (n - across) % 2;
  return 2 * job->a / (across > 1 ? across : 1);
}

// On n cells along the way
static rh_status roll_grid(const roll_job *job, int n, double mu, rolled *r)
{
  bool sphere = job->value[SHAPE] == SPHERE;
  int ny = sphere ? n : 1;
  double h = cell_side(job, n);
  rh_tractions t;
  size_t cells = (size_t)n * (size_t)ny;
  size_t own = rh_tractions_size(n, ny);
  double *memory = rh_alloc((own + 3 * cells) * sizeof *memory);
  if (memory == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  double *const shift[2] = {memory + own + cells, memory + own + 2 * cells};
  rh_tractions_open(&t, n, ny, &job->bodies.pair, memory);
  open_gap(job, n, ny, h, memory + own);
  t.gap = memory + own;
  t.mu = mu;
  t.coupling = (rh_coupling)job->value[COUPLING];
  t.tol = 1e-9;
  *r = roll_on(job, &t, shift, h);
  rh_free(memory);
  return r->solved ? RH_OK : rh_patch_failed(job->in);
}

static bool is_carter(const roll_job *job)
{
  const double *value = job->value;
  return value[SHAPE] == CYLINDER && value[SPIN] == 0 && value[CREEP_Y] == 0 && value[MU] > 0;
}

static double carter_share(const roll_job *job)
{
  const double *value = job->value;
  return rh_carter_share(fabs(value[CREEP_X]) * value[RADIUS] / (value[MU] * job->a));
}

// Against Carter, else against the finest grid
static double compare_levels(const roll_job *job, int levels)
{
  double h[RH_LEVELS_MAX];
  double error[RH_LEVELS_MAX];
  double limit = job->value[MU] * job->value[LOAD];
  const double *fine = job->row + (size_t)(levels - 1) * COLUMNS;
  double carter = copysign(limit * carter_share(job), job->value[CREEP_X]);
  bool known = is_carter(job);
  for (int k = 0; k < levels; k++) {
    double *row = job->row + (size_t)k * COLUMNS;
    double away = rh_hypot(row[R_QX] - (known ? carter : fine[R_QX]), row[R_QY] - fine[R_QY]);
    h[k] = row[R_H];
    error[k] = row[R_ERROR] = limit > 0 ? away / limit : 0;
  }
  return rh_level_order(known ? levels : levels - 1, h, error);
}

static bool answer_theory(const roll_job *job, const rolled *linear, rh_answer *answer)
{
  const double *value = job->value;
  double limit = value[MU] * value[LOAD];
  double Q = rh_hypot(linear->Q[0], linear->Q[1]);
  bool sphere = value[SHAPE] == SPHERE;
  bool known = sphere ? value[SPIN] == 0 && limit > 0 : is_carter(job);
  double share = sphere ? rh_johnson_share(Q / (3 * limit)) : carter_share(job);
  bool good = known ? rh_answer_number(answer, "theory", share) : rh_answer_null(answer, "theory");
  return (value[SPIN] == 0 && sphere ? rh_answer_number(answer, "linear", Q)
                                     : rh_answer_null(answer, "linear")) &&
         good;
}

static bool answer_numbers(const roll_job *job, const rolled *r, double order, rh_answer *answer)
{
  double limit = job->value[MU] * job->value[LOAD];
  double h = cell_side(job, (int)job->value[N]);
  double a = job->value[SHAPE] == SPHERE ? h * sqrt(r->cells / PI) : 0.5 * h * r->cells;
  const double number[] = {job->a,   a,         r->Q[0],
                           r->Q[1],  r->moment, limit > 0 ? rh_hypot(r->Q[0], r->Q[1]) / limit : 0,
                           r->stick, r->way};
  bool good = true;
  for (int i = 0; i < RH_COUNT(number); i++) {
    good = rh_answer_number(answer, output[i].name, number[i]) && good;
  }
  return (isnan(order) ? rh_answer_null(answer, "order")
                       : rh_answer_number(answer, "order", order)) &&
         good;
}

static rh_status answer_rolling(roll_job *job, rh_answer *answer)
{
  static const char *const column[] = {"n", "h", "Qx", "Qy", "M", "error"};
  int levels = (int)job->value[LEVELS];
  int n = (int)job->value[N];
  rolled r = {.solved = true};
  rolled linear = {.solved = true};
  rh_status status = RH_OK;
  job->row = rh_answer_add_rows(answer, "rows", levels, COLUMNS, column);
  for (int k = 0; job->row != NULL && status == RH_OK && k < levels; k++) {
    int cells = rh_level_cells(n, levels, k);
    status = roll_grid(job, cells, job->value[MU], &r);
    const double number[COLUMNS] = {cells, cell_side(job, cells), r.Q[0], r.Q[1], r.moment, 0};
    for (int c = 0; c < COLUMNS; c++) {
      job->row[k * COLUMNS + c] = number[c];
    }
  }
  if (status == RH_OK && job->value[SPIN] == 0 && job->value[SHAPE] == SPHERE) {
    status = roll_grid(job, n, 1e9, &linear);
  }
  if (status != RH_OK || job->row == NULL) {
    return status == RH_OK ? RH_OUT_OF_MEMORY : status;
  }
  return answer_numbers(job, &r, compare_levels(job, levels), answer) &&
                 answer_theory(job, &linear, answer)
             ? RH_OK
             : RH_OUT_OF_MEMORY;
}

static rh_status solve_patch_rolling(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  roll_job job = {.in = in, .value = value};
  bool good = rh_plain_inputs(in, value);
  good = rh_patch_bodies_open(in, false, &job.bodies) && good;
  if (good) {
    double Estar = job.bodies.pair.Estar;
    bool sphere = value[SHAPE] == SPHERE;
    job.a = sphere ? rh_cbrt(0.75 * value[LOAD] * value[RADIUS] / Estar)
                   : rh_hertz_line(value[RADIUS], Estar, value[LOAD]).radius;
    job.delta = job.a * (job.a / value[RADIUS]);
  }
  rh_status status = good ? answer_rolling(&job, answer) : RH_INPUT_REFUSED;
  rh_patch_bodies_close(&job.bodies);
  return status;
}

const rh_problem rh_problem_patch_rolling = {
    .row = {"patch_rolling", "[WK] 4.5", "a round body rolls with creep and spin on an elastic one",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_rolling,
};
