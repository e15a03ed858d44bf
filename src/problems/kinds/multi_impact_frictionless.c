// Several frictionless impacts at once: the impulse of compression minimizes 1/2 L'G'M^-1G L +
// L'G'v0, L >= 0; restitution adds e times this impulse (Poisson). [WK] 2.7*. Velocities are
// unique; the impulses have least norm. The rule is that of one instant: three balls in a row leave
// with (-1/3, 2/3, 2/3), not as Newton's cradle.
#include "complement/complement.h"
#include "math/dense.h"
#include "problems/problem_matrix.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 200 };

static const rh_param input[] = {
    RH_INPUT_INERTIA,
    {.name = "G",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "directions of the contacts: nv rows of n numbers, one column per contact"},
    {.name = "v0", .unit = "m/s, rad/s", .type = RH_LIST, .doc = "velocities before (nv)"},
    {.name = "e",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = 1,
     .doc = "coefficient of restitution; required"},
};

static const rh_output output[] = {
    {"Lambda_c", "N s", "n", "impulses of compression, of least norm"},
    {"v_c", "m/s, rad/s", "nv", "velocities at its end"},
    {"Lambda", "N s", "n", "impulses in all: (1 + e) Lambda_c"},
    {"v", "m/s, rad/s", "nv", "velocities after"},
    {"gap_rate", "m/s", "n", "rates of the gaps after: G' v"},
    {"T0", "J", "", "kinetic energy before"},
    {"T1", "J", "", "kinetic energy after"},
    {"ok", "1", "flag", "no gap closes after it"},
};

typedef struct posed {
  rh_block M, L, G, v0;
  double e;
  rh_block W, g, z, room;
} posed;

static bool read_all(const rh_inputs *in, posed *q)
{
  bool good = rh_input_inertia(in, "M", &q->M, &q->L);
  int nv = good ? q->M.rows : RH_NONE;
  good = rh_input_matrix(in, "G", nv, RH_NONE, CONTACTS, &q->G) && good;
  good = rh_input_list(in, "v0", nv, RH_MECHANISM_MAX, &q->v0) && good;
  return rh_input_one(in, &input[3], true, &q->e) && good;
}

static bool make_all(posed *q)
{
  int n = q->G.columns;
  size_t solver = rh_solver_active_set.room(n);
  size_t share = rh_lcp_share_room(n);
  int room = (int)(solver > share ? solver : share) + n + 2 * q->M.rows;
  return rh_block_make(&q->W, n, n) && rh_block_make(&q->g, n, 1) && rh_block_make(&q->z, n, 1) &&
         rh_block_make(&q->room, room, 1);
}

static rh_verdict solve_compression(posed *q)
{
  int n = q->G.columns;
  double par[RH_PAR_MAX];
  const rh_solver *solver = &rh_solver_active_set;
  rh_row_defaults(&solver->row, par);
  rh_block_condense(&q->G, &q->L, q->room.x, &q->W);
  rh_block_left(&q->G, q->v0.x, q->g.x);
  const rh_qp qp = {.n = n, .H = q->W.x, .g = q->g.x};
  const rh_lcp lcp = {.n = n, .A = q->W.x, .b = q->g.x};
  rh_verdict verdict = solver->qp(&qp, par, q->room.x + n, q->room.x);
  if (verdict == RH_VERDICT_SOLVED) {
    (void)rh_lcp_share(&lcp, q->room.x, q->room.x + n, q->z.x, NULL, NULL);
  }
  return verdict;
}

// v = v0 + M^-1 G L; its kinetic energy
static double velocities_after(posed *q, const double *impulse, double *v)
{
  int nv = q->M.rows;
  double *Mv = q->room.x;
  rh_block_right(&q->G, impulse, v);
  rh_cholesky_solve(nv, q->L.x, v);
  double energy = 0;
  for (int i = 0; i < nv; i++) {
    v[i] += q->v0.x[i];
  }
  rh_block_right(&q->M, v, Mv);
  for (int i = 0; i < nv; i++) {
    energy += 0.5 * v[i] * Mv[i];
  }
  return energy;
}

static bool answer_all(posed *q, rh_answer *answer)
{
  int nv = q->M.rows;
  int n = q->G.columns;
  double *Lc = rh_answer_add(answer, "Lambda_c", 1, n, 1, 1);
  double *vc = rh_answer_add(answer, "v_c", 1, nv, 1, 1);
  double *L = rh_answer_add(answer, "Lambda", 1, n, 1, 1);
  double *v = rh_answer_add(answer, "v", 1, nv, 1, 1);
  double *rate = rh_answer_add(answer, "gap_rate", 1, n, 1, 1);
  if (Lc == NULL || vc == NULL || L == NULL || v == NULL || rate == NULL) {
    return false;
  }
  double T0 = velocities_after(q, L, vc); // L is still zero
  double size = 0;
  bool ok = true;
  for (int i = 0; i < n; i++) {
    Lc[i] = q->z.x[i];
    L[i] = (1 + q->e) * Lc[i];
    size = fmax(size, fabs(q->g.x[i]));
  }
  (void)velocities_after(q, Lc, vc);
  double T1 = velocities_after(q, L, v);
  rh_block_left(&q->G, v, rate);
  for (int i = 0; i < n; i++) {
    ok = ok && rate[i] >= -1e-9 * size;
  }
  return rh_answer_number(answer, "T0", T0) && rh_answer_number(answer, "T1", T1) &&
         rh_answer_flag(answer, "ok", ok);
}

static rh_status solve_multi_impact(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  if (read_all(in, &q)) {
    status = make_all(&q) ? RH_OK : RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK && solve_compression(&q) != RH_VERDICT_SOLVED) {
    (void)rh_input_refuse(in, in->map, "the impulses of compression were not found");
    status = RH_STOPPED;
  }
  if (status == RH_OK) {
    status = answer_all(&q, answer) ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.M, &q.L, &q.G, &q.v0, &q.W, &q.g, &q.z, &q.room};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  return status;
}

const rh_problem rh_problem_multi_impact_frictionless = {
    .row = {"multi_impact_frictionless", "[WK] 2.7*", "several frictionless impacts at one instant",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_multi_impact,
};
