// All motions of a mechanism on frictional contacts in a plane: M qdd = b + Jn ln + Jt lt, every
// consistent combination of separate, stick and slip ([WK] 2.8-2.10*). None: the rigid model has no
// answer (an impact follows); several: it is ambiguous. Jn and Jt have one column per contact, as G
// in [WK].
#include "complement/complement.h"
#include "math/dense.h"
#include "problems/problem_psi.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 }; // maximum answers

enum { MASS, FORCE, JN, JT, GN, GT, MU_S, MU_K, SLIP };

static const rh_param input[] = {
    RH_INPUT_INERTIA,
    {.name = "b", .unit = "N, N m", .type = RH_LIST, .doc = "all other forces (nv)"},
    {.name = "Jn",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "normals: nv rows of n numbers, one column per contact, at most 8"},
    {.name = "Jt", .unit = "1, m", .type = RH_TEXT, .doc = "tangents, as Jn"},
    {.name = "gn", .unit = "m/s^2", .type = RH_LIST, .doc = "(dJn/dt)' qdot (n); default: 0"},
    {.name = "gt", .unit = "m/s^2", .type = RH_LIST, .doc = "(dJt/dt)' qdot (n); default: 0"},
    {.name = "mu_s", .unit = "1", .type = RH_LIST, .doc = "friction at rest: one number, or n"},
    {.name = "mu_k",
     .unit = "1",
     .type = RH_LIST,
     .doc = "friction in motion: one number, or n; default: mu_s"},
    {.name = "slip",
     .unit = "1",
     .type = RH_LIST,
     .doc = "sign of the slip velocity: 0 at rest, -1, 1 (n); default: all at rest"},
    RH_INPUT_PSI,
    RH_INPUT_PSIDOT,
};

static const rh_output output[] = {
    {"cls", "1", "word", "none, unique, multiple"},
    {"n_distinct", "1", "", "number of solutions with different accelerations"},
    {"continuum", "1", "flag", "there are solutions between those that are listed"},
    {"solutions", "1", "maps",
     "modes, qdd, determinate, resultant (generalised contact force), lambda_n and lambda_t; or, "
     "where these are not "
     "determinate, lambda_n_range and lambda_t_range (null: without bound). At most 64"},
    RH_OUTPUT_PSI,
};

typedef struct posed {
  rh_block M, L, b;
  rh_psi psi;
  rh_block full[2];                 // Jn, Jt as given, where M, b and J are those that Psi allows
  rh_block J[2], g[2], mu[2], slip; // Jn, Jt as given; gn, gt; mu_s, mu_k
  rh_block rows;                    // Jn, Jt transposed (2n x nv)
  int sign[RH_MODES_MAX];
  rh_block room;
} posed;

static bool read_or(const rh_inputs *in, int which, int n, double value, rh_block *block)
{
  if (rh_input_given(in, input[which].name)) {
    return rh_input_list(in, input[which].name, n, RH_MODES_MAX, block);
  }
  if (!rh_block_make(block, n, 1)) {
    return rh_input_refuse(in, in->map, "out of memory");
  }
  for (int i = 0; i < n; i++) {
    block->x[i] = value;
  }
  return true;
}

static bool check_values(const rh_inputs *in, posed *q, int n)
{
  bool good = true;
  for (int i = 0; i < n; i++) {
    double s = q->slip.x[i];
    q->sign[i] = s > 0 ? 1 : s < 0 ? -1 : 0;
    if (s != q->sign[i]) {
      good = rh_input_refuse(in, rh_input_find(in, "slip"), "slip[%d] must be -1, 0 or 1", i);
    }
    for (int k = 0; k < 2; k++) {
      if (!(q->mu[k].x[i] >= 0 && q->mu[k].x[i] <= 1e6)) {
        int node = rh_input_find(in, input[MU_S + k].name);
        good = rh_input_refuse(in, node, "%s must be 0 to 1e6", input[MU_S + k].name);
      }
    }
    if (good && q->mu[1].x[i] > q->mu[0].x[i]) {
      good = rh_input_refuse(in, rh_input_find(in, "mu_k"), "mu_k must be at most mu_s");
    }
  }
  return good;
}

static bool read_all(const rh_inputs *in, posed *q)
{
  bool good = rh_input_inertia(in, "M", &q->M, &q->L);
  int nv = good ? q->M.rows : RH_NONE;
  good = rh_input_list(in, "b", nv, RH_MECHANISM_MAX, &q->b) && good;
  good = rh_input_matrix(in, "Jn", nv, RH_NONE, RH_MECHANISM_MAX, &q->J[0]) && good;
  int n = good ? q->J[0].columns : RH_NONE;
  good = rh_input_matrix(in, "Jt", nv, n, RH_MECHANISM_MAX, &q->J[1]) && good;
  if (!good || !rh_psi_read(in, nv, "psidot", &q->psi)) {
    return false;
  }
  if (n > RH_MODES_MAX) {
    return rh_input_refuse(in, rh_input_find(in, "Jn"), "Jn must have 1 to %d columns, got %d",
                           RH_MODES_MAX, n);
  }
  good = read_or(in, GN, n, 0, &q->g[0]);
  good = read_or(in, GT, n, 0, &q->g[1]) && good;
  good = rh_input_list(in, "mu_s", n, RH_MODES_MAX, &q->mu[0]) && good;
  good = read_or(in, MU_K, n, 0, &q->mu[1]) && good;
  good = read_or(in, SLIP, n, 0, &q->slip) && good;
  if (good && !rh_input_given(in, "mu_k")) {
    memcpy(q->mu[1].x, q->mu[0].x, (size_t)n * sizeof(double));
  }
  return good && check_values(in, q, n);
}

// From here on the mechanism is that of the motions that Psi allows.
static bool eliminate_rows(posed *q)
{
  for (int k = 0; k < 2 && q->psi.N.x != NULL; k++) {
    size_t size = (size_t)q->J[k].rows * (size_t)q->J[k].columns * sizeof(double);
    if (!rh_block_make(&q->full[k], q->J[k].rows, q->J[k].columns)) {
      return false;
    }
    memcpy(q->full[k].x, q->J[k].x, size);
    if (!rh_psi_reduce_columns(&q->psi, &q->J[k], q->g[k].x)) {
      return false;
    }
  }
  return rh_psi_reduce(&q->psi, &q->M, &q->L, &q->b);
}

static bool make_all(posed *q)
{
  int all = q->M.rows; // velocities of the mechanism
  if (!eliminate_rows(q)) {
    return false;
  }
  int nv = q->M.rows;
  int n = q->J[0].columns;
  if (!rh_block_make(&q->rows, 2 * n, nv) ||
      !rh_block_make(&q->room, (int)rh_modes_room(nv, MOST) + 3 * all, 1)) {
    return false;
  }
  for (int k = 0; k < 2 * n; k++) {
    for (int i = 0; i < nv; i++) {
      q->rows.x[(size_t)k * nv + i] = q->J[k / n].x[(size_t)i * n + k % n];
    }
  }
  return true;
}

static void write_ranges(rh_json *json, const char *key, const double *lo, const double *hi, int n)
{
  rh_json_open_array(json, key);
  for (int i = 0; i < n; i++) {
    const double pair[2] = {lo[i], hi[i]};
    rh_json_numbers(json, NULL, pair, 2);
  }
  rh_json_close(json);
}

static void write_one(posed *q, const rh_modes_answer *a, rh_json *json)
{
  static const char *const word[] = {"separate", "stick", "slip+", "slip-"};
  int nv = q->M.rows;
  int n = q->J[0].columns;
  bool rows = q->psi.N.x != NULL;
  int all = rows ? q->psi.M.rows : nv;
  double *force = q->room.x;
  double *qdd = force + all;
  double *z = qdd + all;
  rh_json_open_object(json, NULL);
  rh_json_open_array(json, "modes");
  for (int k = 0; k < n; k++) {
    rh_json_string(json, NULL, word[a->mode[k]]);
  }
  rh_json_close(json);
  rh_block_right(&q->J[0], a->ln, force);
  rh_block_right(&q->J[1], a->lt, qdd);
  for (int i = 0; i < nv; i++) {
    force[i] += qdd[i];
    qdd[i] = force[i] + q->b.x[i];
  }
  rh_cholesky_solve(nv, q->L.x, qdd);
  if (rows) {
    memcpy(z, qdd, (size_t)nv * sizeof *z);
    rh_block_right(&q->full[0], a->ln, force);
    rh_block_right(&q->full[1], a->lt, qdd);
    for (int i = 0; i < all; i++) {
      force[i] += qdd[i];
    }
    rh_psi_expand(&q->psi, z, qdd);
  }
  rh_json_numbers(json, "qdd", qdd, all);
  rh_json_bool(json, "determinate", a->determinate);
  rh_json_numbers(json, "resultant", force, all);
  if (a->determinate) {
    rh_json_numbers(json, "lambda_n", a->ln, n);
    rh_json_numbers(json, "lambda_t", a->lt, n);
  } else {
    write_ranges(json, "lambda_n_range", a->ln_lo, a->ln_hi, n);
    write_ranges(json, "lambda_t_range", a->lt_lo, a->lt_hi, n);
  }
  rh_json_close(json);
}

static rh_status answer_all(const rh_inputs *in, posed *q, rh_modes_answer *found,
                            rh_answer *answer)
{
  int n = q->J[0].columns;
  const rh_modes problem = {.nv = q->M.rows,
                            .n = n,
                            .M = q->M.x,
                            .b = q->b.x,
                            .Jn = q->rows.x,
                            .Jt = q->rows.x + (size_t)n * (size_t)q->M.rows,
                            .gn = q->g[0].x,
                            .gt = q->g[1].x,
                            .mu_s = q->mu[0].x,
                            .mu_k = q->mu[1].x,
                            .slip = q->sign};
  bool continuum = false;
  int count = rh_modes_find(&problem, q->room.x, found, MOST, &continuum);
  if (count == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "the numbers are too large or too small");
    return RH_NOT_FINITE;
  }
  const char *word = count == 0 ? "none" : count == 1 && !continuum ? "unique" : "multiple";
  bool good = rh_answer_word(answer, "cls", word) &&
              rh_answer_number(answer, "n_distinct", count) &&
              rh_answer_flag(answer, "continuum", continuum) &&
              (q->psi.N.x == NULL || rh_answer_number(answer, "rank_Psi", q->psi.rank));
  rh_text *part = good ? rh_answer_add_part(answer, "solutions") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < count && i < MOST; i++) {
    write_one(q, &found[i], &json);
  }
  rh_json_close(&json);
  return part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

static rh_status solve_friction_modes(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  rh_modes_answer *found = rh_alloc(MOST * sizeof(*found));
  if (read_all(in, &q)) {
    status = found != NULL && make_all(&q) ? answer_all(in, &q, found, answer) : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.M,    &q.L,     &q.b,     &q.J[0], &q.J[1], &q.g[0],
                           &q.g[1], &q.mu[0], &q.mu[1], &q.slip, &q.rows, &q.room};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  rh_block_free(&q.full[0]);
  rh_block_free(&q.full[1]);
  rh_psi_free(&q.psi);
  rh_free(found);
  return status;
}

const rh_problem rh_problem_friction_modes = {
    .row = {"friction_modes", "[WK] 2.8-2.10*",
            "all motions of a mechanism on frictional contacts in a plane", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_friction_modes,
};
