// Rows other than contacts (limits, dry friction, loops) as blocks of an island's problem, after
// its contacts: effect of impulses along one row on another through their common bodies and trees.
#include "stepping.h"

#include "four.h"

#include <string.h>

typedef struct rowset { // up to three rows by their effect on two sides
  int n;
  int mobile[2];                // free bodies; 0: none
  rh_vec3 lin[2][3], ang[2][3]; // weights of their velocities
  const rh_step_branch *on[2];  // trees; NULL: none
  int first[2];                 // row of the branch
} rowset;

static rowset rows_of_contact(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  rowset r = {.n = 3, .mobile = {c->a, c->b}};
  rh_vec3 f[3];
  rh_vec3 arm[2];
  rh_step_newton_frame(w, c, f);
  rh_step_arms(w, c, arm);
  for (int i = 0; i < 3; i++) {
    r.lin[0][i] = f[i];
    r.ang[0][i] = rh_cross(arm[0], f[i]);
    r.lin[1][i] = rh_neg(f[i]);
    r.ang[1][i] = rh_neg(rh_cross(arm[1], f[i]));
  }
  const rh_step_row_general *x = &w->general[c->any];
  r.on[0] = c->jointed && x->ba != RH_NONE ? &worker->rows.branch[x->ba] : NULL;
  r.on[1] = c->jointed && x->bb != RH_NONE ? &worker->rows.branch[x->bb] : NULL;
  return r;
}

static rowset rows_of_extra(const rh_step_worker *worker, const rh_step_extra *e)
{
  if (e->tie == RH_NONE) {
    return (rowset){.n = 1, .on = {&worker->rows.line[e->row].on, NULL}};
  }
  const rh_loop_rows *tie = &worker->rows.tie[e->tie];
  const rh_loop_row *row = &tie->row[e->row];
  rowset r = {.n = 1, .mobile = {tie->a, tie->b}, .first = {e->row, e->row}};
  for (int side = 0; side < 2; side++) {
    double sign = side == 0 ? 1 : -1;
    r.lin[side][0] = rh_scale(sign, row->push);
    r.ang[side][0] = rh_scale(sign, rh_add(rh_cross(tie->arm[side], row->push), row->turn));
    r.on[side] = tie->on[side].nrun > 0 ? &tie->on[side] : NULL;
  }
  return r;
}

static bool share_sides(const rowset *x, int i, const rowset *y, int j)
{
  const rh_step_branch *a = x->on[i];
  const rh_step_branch *b = y->on[j];
  return (x->mobile[i] && x->mobile[i] == y->mobile[j]) || (a && b && a->run[0].z == b->run[0].z);
}

static void add_sides(const rh_step_world *w, const rowset *x, int i, const rowset *y, int j,
                      double *W)
{
  const rh_step_branch *a = x->on[i];
  const rh_step_branch *b = y->on[j];
  const rh_step_velocity *body = &w->velocity[x->mobile[i]];
  const double *J = body->J;
  int n = a && b ? rh_step_branch_common(a, b) : 0;
  bool same = x->mobile[i] && x->mobile[i] == y->mobile[j];
  for (int r = 0; r < x->n; r++) {
    for (int c = 0; c < y->n; c++) {
      double sum = 0;
      if (same) {
        rh_vec3 m = y->ang[j][c];
        rh_vec3 spin = {J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
                        J[4] * m.x + J[5] * m.y + J[2] * m.z};
        sum = body->im * rh_dot(x->lin[i][r], y->lin[j][c]) + rh_dot(x->ang[i][r], spin);
      }
      if (n > 0) {
        sum += rh_four_dot(a->Y + (size_t)(x->first[i] + r) * (size_t)a->len,
                           b->Y + (size_t)(y->first[j] + c) * (size_t)b->len, n);
      }
      W[3 * r + c] += sum;
    }
  }
}

bool rh_step_newton_pair(const rh_step_worker *worker, const rh_step_row *con, int ncon,
                         const int at[2], double *W)
{
  const rh_step_world *w = worker->world;
  const rh_step_extra *extra = worker->newton.extra;
  rowset x = at[0] < ncon ? rows_of_contact(worker, &con[at[0]])
                          : rows_of_extra(worker, &extra[at[0] - ncon]);
  rowset y = at[1] < ncon ? rows_of_contact(worker, &con[at[1]])
                          : rows_of_extra(worker, &extra[at[1] - ncon]);
  bool any = false;
  memset(W, 0, 9 * sizeof *W);
  for (int k = 0; k < 4; k++) {
    if (share_sides(&x, k / 2, &y, k % 2)) {
      add_sides(w, &x, k / 2, &y, k % 2, W);
      any = true;
    }
  }
  return any;
}

// Lists the rows. RH_NONE: more than the capacity.
int rh_step_newton_list(rh_step_worker *worker, int ncon)
{
  rh_step_newton *q = &worker->newton;
  int n = 0;
  for (int k = 0; k < worker->rows.nline; k++) {
    bool out = worker->rows.line[k].bias == HUGE_VAL; // it takes no part
    if (!out && ncon + n == q->contacts) {
      return RH_NONE;
    }
    if (!out) {
      q->extra[n++] = (rh_step_extra){RH_NONE, k};
    }
  }
  for (int k = 0; k < worker->rows.ntie; k++) {
    for (int i = 0; i < worker->rows.tie[k].n; i++) {
      if (worker->rows.tie[k].D[i][i] > 0 && ncon + n == q->contacts) {
        return RH_NONE;
      }
      if (worker->rows.tie[k].D[i][i] > 0) {
        q->extra[n++] = (rh_step_extra){k, i};
      }
    }
  }
  return n;
}

// Block `at` of the problem: kind, limit, impulse, and velocity with the bias in place of b.
void rh_step_newton_fill(rh_step_worker *worker, const rh_step_extra *e, int at)
{
  const rh_step_world *w = worker->world;
  rh_step_newton *q = &worker->newton;
  double *p = q->p + 3 * (size_t)at;
  double *b = q->b + 3 * (size_t)at;
  p[1] = p[2] = b[1] = b[2] = 0;
  if (e->tie != RH_NONE) {
    double u[RH_LOOP_ROWS];
    const rh_loop_rows *tie = &worker->rows.tie[e->tie];
    rh_step_loop_velocity(w, tie, u);
    q->kind[at] = RH_BLOCK_EQUAL;
    q->limit[at] = 0;
    p[0] = tie->p[e->row];
    b[0] = u[e->row] + tie->bias[e->row];
    return;
  }
  const rh_joint_row *line = &worker->rows.line[e->row];
  q->kind[at] = line->kind == RH_STEP_LIMIT ? RH_BLOCK_LOW : RH_BLOCK_BOX;
  q->limit[at] = line->u0 == 0 ? line->rest : line->limit;
  p[0] = line->p;
  b[0] = rh_step_branch_row(&line->on, 0, w->trees.z) + line->bias;
}

void rh_step_newton_take(rh_step_worker *worker, const rh_step_extra *e, int at)
{
  const rh_step_world *w = worker->world;
  double p = worker->newton.p[3 * (size_t)at];
  if (e->tie != RH_NONE) {
    rh_loop_rows *tie = &worker->rows.tie[e->tie];
    double dp[RH_LOOP_ROWS] = {0};
    dp[e->row] = p - tie->p[e->row];
    tie->p[e->row] = p;
    rh_step_loop_apply(w, tie, dp);
    return;
  }
  rh_joint_row *line = &worker->rows.line[e->row];
  rh_step_branch_nudge(&line->on, 0, w->trees.z, p - line->p);
  line->p = p;
}
