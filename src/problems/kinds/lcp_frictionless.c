// Frictionless contact of a mechanism: M qdd = b + G lambda, eta = G' qdd + gdot, lambda >= 0, eta
// >= 0, lambda' eta = 0 ([WK] 2.1-2.6, gdot = (dG/dt)' qdot). Where the columns of G are dependent
// qdd is unique and lambda is not: the one of least norm is given, and the range of each.
#include "complement/complement.h"
#include "math/dense.h"
#include "problems/problem_psi.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 200 };

static const rh_param input[] = {
    RH_INPUT_INERTIA,
    {.name = "G",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "directions of the constraints: nv rows of n numbers, one column per contact"},
    {.name = "b", .unit = "N, N m", .type = RH_LIST, .doc = "all other forces (nv)"},
    {.name = "gdot", .unit = "m/s^2", .type = RH_LIST, .doc = "(dG/dt)' qdot (n); default: 0"},
    RH_INPUT_PSI,
    RH_INPUT_PSIDOT,
};

static const rh_output output[] = {
    {"verdict", "1", "word",
     "solved; none: no motion satisfies the constraints; failed (no other output)"},
    {"qdd", "m/s^2, rad/s^2", "nv", "accelerations; unique"},
    {"G_lambda", "N, N m", "nv", "generalised contact force; unique"},
    {"eta", "m/s^2", "n", "accelerations of the gaps"},
    {"lambda_min_norm", "N", "n", "contact forces of least norm"},
    {"lambda_range", "N", "n x 2", "least and greatest force of each contact; null: without bound"},
    {"free", "1", "", "directions in which the forces are not determined; 0: they are"},
    {"rank_G", "1", "", "independent columns of G"},
    {"objective", "N m/s^2", "", "value of the quadratic programme [WK] 2.6"},
    RH_OUTPUT_PSI,
    {"mu", "N, N m", "rows of Psi", "forces of the rows; 0 of dependent ones (only with Psi)"},
};

typedef struct posed {
  rh_block M, L, G, b, gdot;
  rh_psi psi;
  rh_block columns; // G as given
  rh_block W, g;    // the programme
  rh_block z0, z, range;
  rh_block room;
  int free, rank;
} posed;

static bool read_all(const rh_inputs *in, posed *q)
{
  bool good = rh_input_inertia(in, "M", &q->M, &q->L);
  int nv = good ? q->M.rows : RH_NONE;
  good = rh_input_matrix(in, "G", nv, RH_NONE, CONTACTS, &q->G) && good;
  good = rh_input_list(in, "b", nv, RH_MECHANISM_MAX, &q->b) && good;
  good = good && rh_psi_read(in, nv, "psidot", &q->psi);
  if (rh_input_given(in, "gdot")) {
    int n = good ? q->G.columns : RH_NONE;
    good = rh_input_list(in, "gdot", n, CONTACTS, &q->gdot) && good;
  } else if (good && !rh_block_make(&q->gdot, q->G.columns, 1)) {
    good = rh_input_refuse(in, in->map, "out of memory");
  }
  return good;
}

static size_t room_for(int nv, int n)
{
  size_t solver = rh_solver_active_set.room(n);
  size_t share = rh_lcp_share_room(n);
  size_t rank = (size_t)nv * (size_t)n + (size_t)nv + (size_t)n + rh_lstsq_room(nv, n);
  size_t most = solver > share ? solver : share;
  return most > rank ? most : rank;
}

// From here on the mechanism is that of the motions that Psi allows.
static bool eliminate_rows(posed *q)
{
  if (q->psi.N.x == NULL) {
    return true;
  }
  if (!rh_block_make(&q->columns, q->G.rows, q->G.columns)) {
    return false;
  }
  memcpy(q->columns.x, q->G.x, (size_t)q->G.rows * (size_t)q->G.columns * sizeof(double));
  return rh_psi_reduce(&q->psi, &q->M, &q->L, &q->b) &&
         rh_psi_reduce_columns(&q->psi, &q->G, q->gdot.x);
}

static bool make_all(posed *q)
{
  if (!eliminate_rows(q)) {
    return false;
  }
  int n = q->G.columns;
  int nv = q->M.rows;
  return rh_block_make(&q->W, n, n) && rh_block_make(&q->g, n, 1) && rh_block_make(&q->z0, n, 1) &&
         rh_block_make(&q->z, n, 1) && rh_block_make(&q->range, 3, n) &&
         rh_block_make(&q->room, (int)room_for(nv, n) + 2 * nv, 1);
}

// min 1/2 l'G'M^-1G l + l'(G'M^-1 b + gdot), l >= 0
static rh_verdict solve_programme(posed *q)
{
  int nv = q->M.rows;
  int n = q->G.columns;
  double par[RH_PAR_MAX];
  double *work = q->room.x;
  const rh_solver *solver = &rh_solver_active_set;
  rh_row_defaults(&solver->row, par);
  rh_block_condense(&q->G, &q->L, work, &q->W);
  memcpy(work, q->b.x, (size_t)nv * sizeof(double));
  rh_cholesky_solve(nv, q->L.x, work);
  rh_block_left(&q->G, work, q->g.x);
  for (int i = 0; i < n; i++) {
    q->g.x[i] += q->gdot.x[i];
  }
  const rh_qp qp = {.n = n, .H = q->W.x, .g = q->g.x};
  const rh_lcp lcp = {.n = n, .A = q->W.x, .b = q->g.x};
  rh_verdict verdict = solver->qp(&qp, par, q->room.x, q->z0.x);
  if (verdict == RH_VERDICT_SOLVED) {
    q->free = rh_lcp_share(&lcp, q->z0.x, q->room.x, q->z.x, q->range.x, q->range.x + n);
  }
  double *G = q->room.x;
  memcpy(G, q->G.x, (size_t)nv * (size_t)n * sizeof(double));
  double *rest = G + (size_t)nv * (size_t)n;
  q->rank = rh_lstsq(nv, n, G, q->b.x, 1e-11, rest + n, rest, NULL);
  return verdict;
}

static bool answer_ranges(const posed *q, rh_answer *answer)
{
  int n = q->G.columns;
  rh_text *part = rh_answer_add_part(answer, "lambda_range");
  if (part == NULL) {
    return false;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < n; i++) {
    const double pair[2] = {q->range.x[i], q->range.x[n + i]};
    rh_json_numbers(&json, NULL, pair, 2);
  }
  rh_json_close(&json);
  return !part->failed;
}

// Accelerations and contact forces of the mechanism from those in z, and the forces of the rows
static bool answer_rows(posed *q, const double *z, const double *lambda, double *qdd, double *force,
                        rh_answer *answer)
{
  int nv = q->psi.M.rows;
  double *mu = rh_answer_add(answer, "mu", 1, q->psi.Psi.rows, 1, 1);
  double *f = rh_alloc((size_t)nv * sizeof *f);
  if (mu && f) {
    rh_psi_expand(&q->psi, z, qdd);
    rh_block_right(&q->columns, lambda, force);
    for (int i = 0; i < nv; i++) {
      f[i] = q->psi.b.x[i] + force[i];
    }
    rh_psi_forces(&q->psi, qdd, f, mu);
  }
  rh_free(f);
  return mu && f && rh_answer_number(answer, "rank_Psi", q->psi.rank);
}

static bool answer_all(posed *q, rh_answer *answer)
{
  bool rows = q->psi.N.x != NULL;
  int nz = q->M.rows;
  int nv = rows ? q->psi.M.rows : nz;
  int n = q->G.columns;
  double *qdd = rh_answer_add(answer, "qdd", 1, nv, 1, 1);
  double *force = rh_answer_add(answer, "G_lambda", 1, nv, 1, 1);
  double *eta = rh_answer_add(answer, "eta", 1, n, 1, 1);
  double *lambda = rh_answer_add(answer, "lambda_min_norm", 1, n, 1, 1);
  if (qdd == NULL || force == NULL || eta == NULL || lambda == NULL) {
    return false;
  }
  double *z = q->b.x;
  memcpy(lambda, q->z.x, (size_t)n * sizeof(double));
  rh_block_right(&q->G, lambda, force);
  for (int i = 0; i < nz; i++) {
    z[i] += force[i];
  }
  rh_cholesky_solve(nz, q->L.x, z);
  rh_block_left(&q->G, z, eta);
  memcpy(qdd, z, (size_t)nz * sizeof *qdd);
  double value = 0;
  double *w = q->room.x;
  rh_block_right(&q->W, lambda, w);
  for (int i = 0; i < n; i++) {
    eta[i] += q->gdot.x[i];
    value += lambda[i] * (0.5 * w[i] + q->g.x[i]);
  }
  return answer_ranges(q, answer) && rh_answer_number(answer, "free", q->free) &&
         rh_answer_number(answer, "rank_G", q->rank) &&
         rh_answer_number(answer, "objective", value) &&
         (!rows || answer_rows(q, z, lambda, qdd, force, answer));
}

static rh_status solve_lcp_frictionless(const rh_inputs *in, rh_answer *answer)
{
  static const char *const word[] = {"solved", "none", "failed"};
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  if (read_all(in, &q)) {
    status = make_all(&q) ? RH_OK : RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK) {
    rh_verdict verdict = solve_programme(&q);
    bool good = rh_answer_word(answer, "verdict", word[verdict]);
    good = good && (verdict != RH_VERDICT_SOLVED || answer_all(&q, answer));
    status = good ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.M, &q.L,  &q.G, &q.b,     &q.gdot, &q.W,
                           &q.g, &q.z0, &q.z, &q.range, &q.room};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  rh_block_free(&q.columns);
  rh_psi_free(&q.psi);
  return status;
}

const rh_problem rh_problem_lcp_frictionless = {
    .row = {"lcp_frictionless", "[WK] 2.1-2.6",
            "accelerations of a mechanism on frictionless contacts", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_lcp_frictionless,
};
