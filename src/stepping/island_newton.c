// Stage 5 where sweeps are slow: an island as one problem of sparse blocks, u = W p + b, for
// Newton's method (complement/newton_blocks.c). W_ij is the effect of an impulse at contact j on
// the velocity at contact i through their common bodies. Heavy bodies on light ones, high stacks
// and long chains of contacts are such islands; for large ones the factors cost more than sweeps,
// and exceed the capacity.
//
// Rows other than contacts (limits, dry friction, loops) as blocks of an island's problem, after
// its contacts: effect of impulses along one row on another through their common bodies and trees.
#include "contact_kernels.h"

#include "math/four.h"

#include "complement/complement.h"
#include "complement/newton_blocks.h"
#include "math/tangents.h"

#include <string.h>

// ---- Rows other than contacts

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
  if (e->loop == RH_NONE) {
    return (rowset){.n = 1, .on = {&worker->rows.joint[e->row].on, NULL}};
  }
  const rh_loop_rows *tie = &worker->rows.loop[e->loop];
  rowset r = {.n = 1, .first = {e->row, e->row}};
  for (int side = 0; side < tie->nside; side++) {
    r.mobile[side] = tie->mobile[side];
    r.lin[side][0] = tie->lin[side][e->row];
    r.ang[side][0] = tie->ang[side][e->row];
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
  for (int k = 0; k < worker->rows.njoint; k++) {
    bool out = worker->rows.joint[k].bias == HUGE_VAL; // it takes no part
    if (worker->rows.joint[k].tendon != RH_NONE) {     // it acts on whole trees
      return RH_NONE;
    }
    if (!out && ncon + n == q->contacts) {
      return RH_NONE;
    }
    if (!out) {
      q->extra[n++] = (rh_step_extra){RH_NONE, k};
    }
  }
  for (int k = 0; k < worker->rows.nloop; k++) {
    if (worker->rows.loop[k].nside > 2) { // a block has two sides
      return RH_NONE;
    }
    for (int i = 0; i < worker->rows.loop[k].n; i++) {
      if (worker->rows.loop[k].D[i][i] > 0 && ncon + n == q->contacts) {
        return RH_NONE;
      }
      if (worker->rows.loop[k].D[i][i] > 0) {
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
  if (e->loop != RH_NONE) {
    double u[RH_LOOP_ROWS];
    const rh_loop_rows *tie = &worker->rows.loop[e->loop];
    rh_step_loop_velocity(w, tie, u);
    q->kind[at] = RH_BLOCK_EQUAL;
    q->limit[at] = 0;
    p[0] = tie->p[e->row];
    b[0] = u[e->row] + tie->bias[e->row];
    return;
  }
  const rh_joint_row *line = &worker->rows.joint[e->row];
  q->kind[at] = line->kind == RH_STEP_LIMIT ? RH_BLOCK_LOW : RH_BLOCK_BOX;
  q->limit[at] = line->u0 == 0 ? line->rest : line->limit;
  p[0] = line->p;
  b[0] = rh_step_branch_row(&line->on, 0, w->trees.z) + line->bias;
}

void rh_step_newton_take(rh_step_worker *worker, const rh_step_extra *e, int at)
{
  const rh_step_world *w = worker->world;
  double p = worker->newton.p[3 * (size_t)at];
  if (e->loop != RH_NONE) {
    rh_loop_rows *tie = &worker->rows.loop[e->loop];
    double dp[RH_LOOP_ROWS] = {0};
    dp[e->row] = p - tie->p[e->row];
    tie->p[e->row] = p;
    rh_step_loop_apply(w, tie, dp);
    return;
  }
  rh_joint_row *line = &worker->rows.joint[e->row];
  rh_step_branch_nudge(&line->on, 0, w->trees.z, p - line->p);
  line->p = p;
}

// ---- The problem

static const double FAR = 1e3;   // [m/s] bias of a contact that is open
static const double FINE = 1e-7; // of the tolerance: Newton's last step is nearly free

enum {
  EACH = 48,  // blocks that are coupled to one, on average
  ROUNDS = 20 // of the proximal method: beyond these, hundreds hardly help
};

static void *carve_piece(char *base, size_t *used, size_t bytes)
{
  size_t at = (*used + 63) / 64 * 64;
  *used = at + bytes;
  return base ? base + at : NULL;
}

// Assigns the arrays; with NULL it only counts. Returns bytes.
static size_t place_arrays(rh_step_newton *q, char *base)
{
  size_t used = 0;
  size_t n = (size_t)q->contacts;
  size_t entries = (size_t)q->entries;
  q->W = carve_piece(base, &used, 9 * entries * sizeof *q->W);
  size_t room = rh_newton_blocks_room(q->contacts, q->entries);
  size_t motions = rh_step_motions_room();
  size_t share = rh_step_least_load_room();
  room = room > motions ? room : motions;
  q->scratch = carve_piece(base, &used, (room > share ? room : share) * sizeof *q->scratch);
  q->limit = carve_piece(base, &used, n * sizeof *q->limit);
  q->b = carve_piece(base, &used, 3 * n * sizeof *q->b);
  q->p = carve_piece(base, &used, 3 * n * sizeof *q->p);
  q->shared = carve_piece(base, &used, n * sizeof *q->shared);
  q->kind = carve_piece(base, &used, n * sizeof *q->kind);
  q->extra = carve_piece(base, &used, n * sizeof *q->extra);
  q->start = carve_piece(base, &used, (n + 1) * sizeof *q->start);
  q->col = carve_piece(base, &used, entries * sizeof *q->col);
  return used;
}

rh_status rh_step_newton_create(rh_step_newton *q, int contacts)
{
  *q = (rh_step_newton){.contacts = contacts,
                        .entries = contacts < EACH ? contacts * contacts : contacts * EACH};
  q->block = rh_realloc(NULL, place_arrays(q, NULL)); // unused pages take no memory
  if (q->block) {
    (void)place_arrays(q, q->block);
  }
  return q->block ? RH_OK : RH_OUT_OF_MEMORY;
}

void rh_step_newton_destroy(rh_step_newton *q)
{
  rh_free(q->block);
}

// Rows t1, t2, n of a contact
void rh_step_newton_frame(const rh_step_world *w, const rh_step_row *c, rh_vec3 f[3])
{
  f[2] = rh_step_read_vec(c->n);
  if (!c->round) {
    f[0] = rh_step_read_vec(w->general[c->any].t1);
    f[1] = rh_step_read_vec(w->general[c->any].t2);
    return;
  }
  rh_tangents_of(f[2], &f[0], &f[1]);
}

// Adds sign times the effect of impulses at j on i through a body that is r_j, r_i away from the
// points.
static void add_body(const rh_step_velocity *b, rh_vec3 ri, rh_vec3 rj, double sign,
                     const rh_vec3 fi[3], const rh_vec3 fj[3], double *W)
{
  const double *J = b->J;
  for (int k = 0; k < 3; k++) {
    rh_vec3 m = rh_cross(rj, fj[k]);
    rh_vec3 spin = {J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
                    J[4] * m.x + J[5] * m.y + J[2] * m.z};
    rh_vec3 u = rh_addscaled(rh_cross(spin, ri), b->im, fj[k]);
    for (int i = 0; i < 3; i++) {
      W[3 * i + k] += sign * rh_dot(fi[i], u);
    }
  }
}

void rh_step_contact_pair(const rh_step_worker *worker, const rh_step_row *x, const rh_step_row *y,
                          double *W)
{
  const rh_step_world *w = worker->world;
  rh_vec3 fx[3];
  rh_vec3 fy[3];
  rh_vec3 rx[2];
  rh_vec3 ry[2];
  rh_step_newton_frame(w, x, fx);
  rh_step_newton_frame(w, y, fy);
  rh_step_arms(w, x, rx);
  rh_step_arms(w, y, ry);
  memset(W, 0, 9 * sizeof *W);
  if (x->a && x->a == y->a) {
    add_body(&w->velocity[x->a], rx[0], ry[0], 1, fx, fy, W);
  }
  if (x->b && x->b == y->b) {
    add_body(&w->velocity[x->b], rx[1], ry[1], 1, fx, fy, W);
  }
  if (x->a && x->a == y->b) {
    add_body(&w->velocity[x->a], rx[0], ry[1], -1, fx, fy, W);
  }
  if (x->b && x->b == y->a) {
    add_body(&w->velocity[x->b], rx[1], ry[0], -1, fx, fy, W);
  }
  if (x->jointed && y->jointed) {
    rh_step_tree_pair(worker, &w->general[x->any], &w->general[y->any], W);
  }
}

bool rh_step_contacts_share(const rh_step_worker *worker, const rh_step_row *x,
                            const rh_step_row *y)
{
  const rh_step_world *w = worker->world;
  return (x->jointed && y->jointed &&
          rh_step_tree_shared(worker, &w->general[x->any], &w->general[y->any])) ||
         (x->a && (x->a == y->a || x->a == y->b)) || (x->b && (x->b == y->a || x->b == y->b));
}

// W of blocks i and j; false: they share no mobile.
static bool block_entry(const rh_step_worker *worker, const rh_step_row *con, int ncon,
                        const int at[2], double *W)
{
  const rh_step_world *w = worker->world;
  if (at[0] >= ncon || at[1] >= ncon) {
    return rh_step_newton_pair(worker, con, ncon, at, W);
  }
  if (!rh_step_contacts_share(worker, &con[at[0]], &con[at[1]])) {
    return false;
  }
  rh_step_contact_pair(worker, &con[at[0]], &con[at[1]], W);
  W[8] += at[0] == at[1] && con[at[0]].soft ? w->general[con[at[0]].any].give : 0;
  return true;
}

// False: more entries than the capacity.
static bool assemble_blocks(rh_step_worker *worker, const rh_step_row *con, int ncon, int n)
{
  rh_step_newton *q = &worker->newton;
  int k = 0;
  for (int i = 0; i < n; i++) {
    q->start[i] = k;
    for (int j = 0; j < n; j++) {
      const int at[2] = {i, j};
      double W[9];
      if (!block_entry(worker, con, ncon, at, W)) {
        continue;
      }
      if (k == q->entries) {
        return false;
      }
      memcpy(q->W + (size_t)9 * (size_t)k, W, sizeof W);
      q->col[k++] = j;
    }
  }
  q->start[n] = k;
  return true;
}

// b = u - W p with the bias
static void fill_problem(rh_step_worker *worker, const rh_step_row *con, int ncon, int n)
{
  const rh_step_world *w = worker->world;
  rh_step_newton *q = &worker->newton;
  for (int i = ncon; i < n; i++) {
    rh_step_newton_fill(worker, &q->extra[i - ncon], i);
  }
  for (int i = 0; i < ncon; i++) {
    const rh_step_row *c = &con[i];
    rh_vec3 f[3];
    rh_step_newton_frame(w, c, f);
    rh_vec3 u = rh_step_velocity_at(worker, c);
    rh_vec3 P = rh_step_impulse(w, c, c->p);
    for (int a = 0; a < 3; a++) {
      q->b[3 * i + a] = rh_dot(f[a], u);
      q->p[3 * i + a] = rh_dot(f[a], P);
    }
    for (int a = 0; a < 2 && !c->round; a++) {
      q->b[3 * i + a] += w->general[c->any].turn[a];
    }
    q->limit[i] = c->mu;
    q->b[3 * i + 2] +=
        (c->bias < FAR ? c->bias : FAR) + (c->soft ? w->general[c->any].give * c->p[3] : 0);
    q->kind[i] = RH_BLOCK_CONE;
  }
  for (int i = 0; i < n; i++) {
    for (int k = q->start[i]; k < q->start[i + 1]; k++) {
      const double *W = q->W + (size_t)9 * (size_t)k;
      const double *p = q->p + (size_t)3 * (size_t)q->col[k];
      for (int a = 0; a < 3; a++) {
        q->b[3 * i + a] -= W[3 * a] * p[0] + W[3 * a + 1] * p[1] + W[3 * a + 2] * p[2];
      }
    }
  }
}

bool rh_step_newton_dense(const rh_blocks *problem, double *W)
{
  size_t rows = 3 * (size_t)problem->n;
  if (problem->n > RH_EXAMINE_MAX) {
    return false;
  }
  memset(W, 0, rows * rows * sizeof *W);
  for (int i = 0; i < problem->n; i++) {
    if (problem->kind[i] != RH_BLOCK_CONE) {
      return false;
    }
    for (int e = problem->start[i]; e < problem->start[i + 1]; e++) {
      for (size_t k = 0; k < 9; k++) {
        W[(3 * (size_t)i + k / 3) * rows + 3 * (size_t)problem->col[e] + k % 3] =
            problem->W[9 * (size_t)e + k];
      }
    }
  }
  return true;
}

void rh_step_newton_take_all(rh_step_worker *worker, const rh_step_island *s, int n)
{
  const rh_step_world *w = worker->world;
  rh_step_row *con = w->row + s->con;
  int ncon = s->ncon;
  for (int i = 0; i < ncon; i++) {
    rh_step_row *c = &con[i];
    const double *p = worker->newton.p + (size_t)3 * (size_t)i;
    rh_vec3 f[3];
    rh_step_newton_frame(w, c, f);
    rh_vec3 old = rh_step_impulse(w, c, c->p);
    rh_vec3 t = rh_addscaled(rh_scale(p[0], f[0]), p[1], f[1]);
    c->p[0] = c->round ? t.x : p[0];
    c->p[1] = c->round ? t.y : p[1];
    c->p[2] = c->round ? t.z : 0;
    c->p[3] = p[2];
    rh_step_push(worker, c, rh_sub(rh_step_impulse(w, c, c->p), old));
  }
  for (int i = ncon; i < n; i++) {
    rh_step_newton_take(worker, &worker->newton.extra[i - ncon], i);
  }
}

// [m/s] effect of rounding: impulses may be those of the whole island, and act on its lightest body
static double rounding_velocity(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double fast = 0;
  double light = 0;
  double mass = 0;
  for (int i = 0; i < s->ncon; i++) {
    for (int a = 0; a < 3; a++) {
      fast = fmax(fast, fabs(worker->newton.b[3 * i + a]));
    }
    const rh_step_row *c = &w->row[s->con + i];
    double own = c->iw > 0 ? 1 / c->iw : 0;
    light = fmax(light, c->soft ? w->general[c->any].w - w->general[c->any].give : own);
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    mass += w->body[w->member[k]].mass;
  }
  return 1e-15 * fast * light * mass;
}

bool rh_step_newton_pose(rh_step_worker *worker, const rh_step_island *s, rh_blocks *problem)
{
  const rh_step_world *w = worker->world;
  rh_step_newton *q = &worker->newton;
  const rh_step_row *con = w->row + s->con;
  int more = s->ncon > q->contacts ? RH_NONE : rh_step_newton_list(worker, s->ncon);
  int n = s->ncon + more;
  if (more == RH_NONE || !assemble_blocks(worker, con, s->ncon, n)) {
    return false;
  }
  fill_problem(worker, con, s->ncon, n);
  *problem = (rh_blocks){n, q->kind, q->limit, q->start, q->col, q->W, q->b};
  return true;
}

double rh_step_solve_newton(rh_step_worker *worker, const rh_step_island *s, double tolerance)
{
  rh_step_newton *q = &worker->newton;
  rh_blocks problem;
  if (!rh_step_newton_pose(worker, s, &problem)) {
    return HUGE_VAL;
  }
  double least = rounding_velocity(worker, s);
  double good = fmax(tolerance, least);
  rh_newton_limits limits = {fmax(FINE * tolerance, least), 50, 20, good, ROUNDS, 1};
  rh_blocks_report report = {0};
  (void)rh_newton_blocks(&problem, &limits, q->scratch, q->p, &report);
  worker->tally.newton++;
  if (!(report.residual <= good)) {
    return HUGE_VAL; // the result of the sweeps is better
  }
  rh_step_newton_take_all(worker, s, problem.n);
  return fmin(report.residual, tolerance); // rounding is no error of the answer
}
