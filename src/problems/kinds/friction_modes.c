// All motions of a mechanism on frictional contacts: M qdd = b + Jn ln + Jt lt, every consistent
// combination of separate, stick and slip ([WK] 2.8-2.10*). None: the rigid model has no answer (an
// impact follows); several: it is ambiguous. Jn and Jt have one column per contact, as G in [WK]; with
// second tangents Jt2 the contacts are in space, and their cones polyhedra.
#include "complement/motions/cone_motions.h"
#include "math/dense.h"
#include "problems/problem_psi.h"

#include <math.h>
#include <string.h>

enum { CAPACITY = 64, TRIES = 200000 }; // answers; linear programmes

enum { MASS, FORCE, JN, JT, JT2, GN, GT, GT2, MU_S, MU_K, SLIP, FACETS };

static const rh_param input[] = {
    RH_INPUT_INERTIA,
    {.name = "b", .unit = "N, N m", .type = RH_LIST, .doc = "all other forces (nv)"},
    {.name = "Jn",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "normals: nv rows of n numbers, one column per contact, at most 12"},
    {.name = "Jt", .unit = "1, m", .type = RH_TEXT, .doc = "tangents, as Jn"},
    {.name = "Jt2",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "second tangents, as Jn: contacts in space; default: contacts in a plane"},
    {.name = "gn", .unit = "m/s^2", .type = RH_LIST, .doc = "(dJn/dt)' qdot (n); default: 0"},
    {.name = "gt", .unit = "m/s^2", .type = RH_LIST, .doc = "(dJt/dt)' qdot (n); default: 0"},
    {.name = "gt2", .unit = "m/s^2", .type = RH_LIST, .doc = "(dJt2/dt)' qdot (n); default: 0"},
    {.name = "mu_s", .unit = "1", .type = RH_LIST, .doc = "friction at rest: one number, or n"},
    {.name = "mu_k",
     .unit = "1",
     .type = RH_LIST,
     .doc = "friction in motion: one number, or n; default: mu_s"},
    {.name = "slip",
     .unit = "1",
     .type = RH_LIST,
     .doc = "sign of the slip velocity: 0 at rest, -1, 1 (n); in space its direction along Jt and "
            "Jt2, 0, 0 "
            "at rest (2n); default: all at rest"},
    {.name = "facets",
     .unit = "1",
     .def = 8,
     .lo = RH_FACETS_MIN,
     .hi = RH_FACETS_MAX,
     .type = RH_INTEGER,
     .doc = "in space: facets of the cone of friction, inscribed; a multiple of 4"},
    RH_INPUT_PSI,
    RH_INPUT_PSIDOT,
};

static const rh_output output[] = {
    {"cls", "1", "word", "none, unique, multiple"},
    {"n_distinct", "1", "", "number of solutions with different accelerations"},
    {"continuum", "1", "flag", "there are solutions between those that are listed"},
    {"complete", "1", "flag", "all combinations were examined; else there may be more"},
    {"solutions", "1", "maps",
     "modes, qdd, determinate, resultant (generalised contact force), lambda_n and lambda_t; or, "
     "where these are not "
     "determinate, lambda_n_range and lambda_t_range (null: without bound); in space lambda_t2 "
     "too. At "
     "most 64"},
    RH_OUTPUT_PSI,
};

enum { T1, T2, N, PARTS }; // rows of a contact

typedef struct posed {
  rh_block M, L, b;
  rh_psi psi;
  bool space;
  int facets;
  rh_block J[PARTS], g[PARTS]; // Jt, Jt2, Jn; gt, gt2, gn
  rh_block full[PARTS];        // J as given, where M, b and J are those that Psi allows
  rh_block mu[2], slip;        // mu_s, mu_k
  rh_block W, a0;              // (3n x 3n), (3n): u = W p + a0
  rh_block scratch;
} posed;

static const struct {
  int J, g;
} names[PARTS] = {{JT, GT}, {JT2, GT2}, {JN, GN}};

static bool read_or(const rh_inputs *in, int which, int n, double value, rh_block *block)
{
  if (rh_input_given(in, input[which].name)) {
    return rh_input_list(in, input[which].name, n, RH_EXAMINE_MAX, block);
  }
  if (!rh_block_make(block, n, 1)) {
    return rh_input_refuse(in, in->map, "out of memory");
  }
  for (int i = 0; i < n; i++) {
    block->x[i] = value;
  }
  return true;
}

// Signs, or directions of length 1
static bool check_slip(const rh_inputs *in, posed *q, int n)
{
  int node = rh_input_find(in, "slip");
  for (int i = 0; i < n; i++) {
    double *s = q->slip.x + 2 * (size_t)i;
    double size = rh_hypot(s[0], s[1]);
    if (!q->space && s[0] != 0 && fabs(s[0]) != 1) {
      return rh_input_refuse(in, node, "slip[%d] must be -1, 0 or 1", i);
    }
    s[0] /= size > 0 ? size : 1;
    s[1] /= size > 0 ? size : 1;
  }
  return true;
}

static bool check_values(const rh_inputs *in, posed *q, int n)
{
  bool good = check_slip(in, q, n);
  for (int i = 0; i < n; i++) {
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
  if (q->facets % 4 != 0) {
    good = rh_input_refuse(in, rh_input_find(in, "facets"), "facets must be a multiple of 4");
  }
  return good;
}

// In a plane the second of each pair is 0.
static bool read_slip(const rh_inputs *in, posed *q, int n)
{
  rh_block given = {0};
  bool good = read_or(in, SLIP, q->space ? 2 * n : n, 0, &given);
  good = good && rh_block_make(&q->slip, 2 * n, 1);
  for (int i = 0; good && i < 2 * n; i++) {
    q->slip.x[i] = q->space ? given.x[i] : i % 2 == 0 ? given.x[i / 2] : 0;
  }
  rh_block_free(&given);
  return good;
}

static bool read_directions(const rh_inputs *in, posed *q, int nv)
{
  bool good = rh_input_matrix(in, "Jn", nv, RH_NONE, RH_MECHANISM_MAX, &q->J[N]);
  int n = good ? q->J[N].columns : RH_NONE;
  good = rh_input_matrix(in, "Jt", nv, n, RH_MECHANISM_MAX, &q->J[T1]) && good;
  q->space = rh_input_given(in, "Jt2");
  if (q->space) {
    good = rh_input_matrix(in, "Jt2", nv, n, RH_MECHANISM_MAX, &q->J[T2]) && good;
  } else if (good && !rh_block_make(&q->J[T2], nv, n)) {
    return rh_input_refuse(in, in->map, "out of memory");
  } else if (good) {
    memset(q->J[T2].x, 0, (size_t)nv * (size_t)n * sizeof(double));
  }
  return good;
}

static bool read_all(const rh_inputs *in, posed *q)
{
  double facets = input[FACETS].def;
  bool good = rh_input_inertia(in, "M", &q->M, &q->L);
  int nv = good ? q->M.rows : RH_NONE;
  good = rh_input_list(in, "b", nv, RH_MECHANISM_MAX, &q->b) && good;
  good = good && read_directions(in, q, nv);
  if (!good || !rh_psi_read(in, nv, "psidot", &q->psi)) {
    return false;
  }
  int n = q->J[N].columns;
  if (n > RH_EXAMINE_MAX) {
    return rh_input_refuse(in, rh_input_find(in, "Jn"), "Jn must have 1 to %d columns, got %d",
                           RH_EXAMINE_MAX, n);
  }
  for (int k = 0; k < PARTS; k++) {
    good = read_or(in, names[k].g, n, 0, &q->g[k]) && good;
  }
  good = rh_input_list(in, "mu_s", n, RH_EXAMINE_MAX, &q->mu[0]) && good;
  good = read_or(in, MU_K, n, 0, &q->mu[1]) && good;
  good = read_slip(in, q, n) && good;
  if (rh_input_given(in, "facets")) {
    good = rh_input_value(in, &input[FACETS], rh_input_find(in, "facets"), &facets) && good;
  }
  q->facets = (int)facets;
  if (good && !rh_input_given(in, "mu_k")) {
    memcpy(q->mu[1].x, q->mu[0].x, (size_t)n * sizeof(double));
  }
  return good && check_values(in, q, n);
}

// From here on the mechanism is that of the motions that Psi allows.
static bool eliminate_rows(posed *q)
{
  for (int k = 0; k < PARTS && q->psi.N.x != NULL; k++) {
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

// W = J' M^-1 J, a0 = J' M^-1 b + g, rows t1, t2, n of each contact
static void condense_to_contacts(posed *q)
{
  int nv = q->M.rows;
  int n = q->J[N].columns;
  double *x = q->scratch.x;
  for (int r = 0; r < 3 * n; r++) {
    for (int i = 0; i < nv; i++) {
      x[i] = q->J[r % 3].x[(size_t)i * n + r / 3];
    }
    rh_cholesky_solve(nv, q->L.x, x);
    q->a0.x[r] = q->g[r % 3].x[r / 3];
    for (int i = 0; i < nv; i++) {
      q->a0.x[r] += x[i] * q->b.x[i];
    }
    for (int s = 0; s < 3 * n; s++) {
      double sum = 0;
      for (int i = 0; i < nv; i++) {
        sum += x[i] * q->J[s % 3].x[(size_t)i * n + s / 3];
      }
      q->W.x[(size_t)r * 3 * n + s] = sum;
    }
  }
}

static bool make_all(posed *q)
{
  int all = q->M.rows; // velocities of the mechanism
  int n = q->J[N].columns;
  if (!eliminate_rows(q) || !rh_block_make(&q->W, 3 * n, 3 * n) ||
      !rh_block_make(&q->a0, 3 * n, 1) ||
      !rh_block_make(&q->scratch, (int)rh_polyhedral_scratch(n, q->facets) + 4 * all, 1)) {
    return false;
  }
  condense_to_contacts(q);
  return true;
}

// Entry `row` of each contact
static void take_rows(const double *from, int row, int n, double *to)
{
  for (int i = 0; i < n; i++) {
    to[i] = from[3 * i + row];
  }
}

static void write_forces(const posed *q, const rh_contact_motion *a, rh_json *json)
{
  static const char *const name[2][PARTS] = {
      {"lambda_t", "lambda_t2", "lambda_n"},
      {"lambda_t_range", "lambda_t2_range", "lambda_n_range"}};
  static const int order[PARTS] = {N, T1, T2};
  int n = q->J[N].columns;
  double x[2][RH_EXAMINE_MAX];
  for (int k = 0; k < (q->space ? 3 : 2); k++) {
    const char *key = name[!a->determinate][order[k]];
    if (a->determinate) {
      take_rows(a->p, order[k], n, x[0]);
      rh_json_numbers(json, key, x[0], n);
      continue;
    }
    take_rows(a->lo, order[k], n, x[0]);
    take_rows(a->hi, order[k], n, x[1]);
    rh_json_open_array(json, key);
    for (int i = 0; i < n; i++) {
      const double pair[2] = {x[0][i], x[1][i]};
      rh_json_numbers(json, NULL, pair, 2);
    }
    rh_json_close(json);
  }
}

// Generalised force of the contacts through directions J
static void contact_resultant(const rh_block *J, const rh_contact_motion *a, double *work,
                              double *force)
{
  double x[RH_EXAMINE_MAX];
  memset(force, 0, (size_t)J[N].rows * sizeof *force);
  for (int k = 0; k < PARTS; k++) {
    take_rows(a->p, k, J[N].columns, x);
    rh_block_right(&J[k], x, work);
    for (int i = 0; i < J[N].rows; i++) {
      force[i] += work[i];
    }
  }
}

static void write_one(posed *q, const rh_contact_motion *a, rh_json *json)
{
  static const char *const word[] = {"separate", "stick", "slip+", "slip-"};
  int nv = q->M.rows;
  int n = q->J[N].columns;
  bool rows = q->psi.N.x != NULL;
  int all = rows ? q->psi.M.rows : nv;
  double *force = q->scratch.x;
  double *qdd = force + all;
  double *z = qdd + all;
  rh_json_open_object(json, NULL);
  rh_json_open_array(json, "modes");
  for (int k = 0; k < n; k++) {
    bool slips = q->space && a->mode[k] >= RH_MODE_SLIP_PLUS;
    rh_json_string(json, NULL, slips ? "slip" : word[a->mode[k]]);
  }
  rh_json_close(json);
  contact_resultant(q->J, a, z, force);
  for (int i = 0; i < nv; i++) {
    qdd[i] = force[i] + q->b.x[i];
  }
  rh_cholesky_solve(nv, q->L.x, qdd);
  if (rows) {
    memcpy(z, qdd, (size_t)nv * sizeof *z);
    contact_resultant(q->full, a, qdd, force);
    rh_psi_expand(&q->psi, z, qdd);
  }
  rh_json_numbers(json, "qdd", qdd, all);
  rh_json_bool(json, "determinate", a->determinate);
  rh_json_numbers(json, "resultant", force, all);
  write_forces(q, a, json);
  rh_json_close(json);
}

static rh_motion_count find_motions(posed *q, rh_contact_motion *list)
{
  int n = q->J[N].columns;
  const rh_cone cone = {n, q->W.x, q->a0.x, q->mu[0].x, NULL};
  double axis[2 * RH_EXAMINE_MAX];
  bool flat[RH_EXAMINE_MAX];
  for (int i = 0; i < n; i++) {
    axis[2 * i] = 1;
    axis[2 * i + 1] = 0;
    flat[i] = !q->space || rh_cone_axis(&cone, i, axis + 2 * (size_t)i);
  }
  const rh_polyhedral problem = {.n = n,
                                 .facets = q->facets,
                                 .W = q->W.x,
                                 .b = q->a0.x,
                                 .mu_s = q->mu[0].x,
                                 .mu_k = q->mu[1].x,
                                 .slide = q->slip.x,
                                 .axis = axis,
                                 .flat = flat,
                                 .tries = TRIES};
  return rh_polyhedral_find(&problem, q->scratch.x, list, CAPACITY);
}

static rh_status answer_all(const rh_inputs *in, posed *q, rh_contact_motion *list,
                            rh_answer *answer)
{
  rh_motion_count found = find_motions(q, list);
  if (found.count == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "the numbers are too large or too small");
    return RH_NOT_FINITE;
  }
  const char *word = found.count == 0                       ? "none"
                     : found.count == 1 && !found.continuum ? "unique"
                                                            : "multiple";
  bool good = rh_answer_word(answer, "cls", word) &&
              rh_answer_number(answer, "n_distinct", found.count) &&
              rh_answer_flag(answer, "continuum", found.continuum) &&
              rh_answer_flag(answer, "complete", found.complete) &&
              (q->psi.N.x == NULL || rh_answer_number(answer, "rank_Psi", q->psi.rank));
  rh_text *part = good ? rh_answer_add_part(answer, "solutions") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < found.count && i < CAPACITY; i++) {
    write_one(q, &list[i], &json);
  }
  rh_json_close(&json);
  return part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

static rh_status solve_friction_modes(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  rh_contact_motion *list = rh_alloc(CAPACITY * sizeof(*list));
  if (read_all(in, &q)) {
    status = list != NULL && make_all(&q) ? answer_all(in, &q, list, answer) : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.M, &q.L, &q.b, &q.mu[0], &q.mu[1], &q.slip, &q.W, &q.a0, &q.scratch};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  for (int k = 0; k < PARTS; k++) {
    rh_block_free(&q.J[k]);
    rh_block_free(&q.g[k]);
    rh_block_free(&q.full[k]);
  }
  rh_psi_free(&q.psi);
  rh_free(list);
  return status;
}

const rh_problem rh_problem_friction_modes = {
    .row = {"friction_modes", "[WK] 2.8-2.10*",
            "all motions of a mechanism on frictional contacts, in a plane or in space", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_friction_modes,
};
