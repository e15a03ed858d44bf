// Overlap that remains (a first state, curved paths, solver errors) is removed by positions alone:
// pseudo-velocities, which are discarded afterwards, so that it adds no velocity and no kinetic
// energy. A contact deeper than the slop is moved out by a share of the excess, not faster than a
// bound; normals only, by Gauss-Seidel, each pseudo-impulse >= 0. Contacts that are not too deep
// take part, so that nothing is pushed into its neighbours; compliant ones do not. Without overlap
// beyond the slop nothing is done; else it is led to a bit less than that, so that curved paths do
// not need the pass in every step.
#include "stepping.h"

#include <string.h>

static const double SHARE = 0.2; // of the overlap, per step
static const double FAST = 0.5;  // [m/s] no faster than this
static const double LEAVE = 0.9; // of the slop: what is left

static const double NEARLY = 0.1; // of the fastest: a sufficient error of the pseudo-velocities

enum { SWEEPS = 5, AHEAD = 4 }; // sweeps; contacts to prefetch

// [m/s] pseudo-velocity wanted by a contact, < 0 where it may still close
static double wanted_velocity(const rh_step_world *w, const rh_step_row_info *side, double h)
{
  double deep = -side->phi - LEAVE * w->par.slop;
  return deep > 0 ? fmin(SHARE * deep / h, FAST) : deep / h;
}

static double relative_velocity(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  const double *a = w->pseudo[c->a];
  const double *b = w->pseudo[c->b];
  const double *n = c->n;
  double u = n[0] * (a[0] - b[0]) + n[1] * (a[1] - b[1]) + n[2] * (a[2] - b[2]);
  if (c->round) {
    return u;
  }
  const rh_step_row_general *any = &w->general[c->any];
  const double *r = any->ra;
  const double *s = any->rb;
  u += n[0] * (a[4] * r[2] - a[5] * r[1]) + n[1] * (a[5] * r[0] - a[3] * r[2]) +
       n[2] * (a[3] * r[1] - a[4] * r[0]);
  u -= n[0] * (b[4] * s[2] - b[5] * s[1]) + n[1] * (b[5] * s[0] - b[3] * s[2]) +
       n[2] * (b[3] * s[1] - b[4] * s[0]);
  u += any->ba != RH_NONE ? rh_step_branch_row(&worker->rows.branch[any->ba], 2, w->trees.pz) : 0;
  u += any->bb != RH_NONE ? rh_step_branch_row(&worker->rows.branch[any->bb], 2, w->trees.pz) : 0;
  return u;
}

// A pseudo-impulse p along n; r: its place seen from the centre of mass, NULL: straight above it.
static void nudge_body(double *x, const rh_step_velocity *b, const double *r, const double *n,
                       double p)
{
  for (int i = 0; i < 3; i++) {
    x[i] += p * b->im * n[i];
  }
  if (r) {
    const double *J = b->J;
    double m[3] = {r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0]};
    x[3] += p * (J[0] * m[0] + J[3] * m[1] + J[4] * m[2]);
    x[4] += p * (J[3] * m[0] + J[1] * m[1] + J[5] * m[2]);
    x[5] += p * (J[4] * m[0] + J[5] * m[1] + J[2] * m[2]);
  }
}

static void nudge_trees(rh_step_worker *worker, const rh_step_row_general *any, double p)
{
  const rh_step_world *w = worker->world;
  if (any->ba != RH_NONE) {
    rh_step_branch_nudge(&worker->rows.branch[any->ba], 2, w->trees.pz, p);
  }
  if (any->bb != RH_NONE) {
    rh_step_branch_nudge(&worker->rows.branch[any->bb], 2, w->trees.pz, p);
  }
}

// Change of its pseudo-velocity
static double visit_contact(rh_step_worker *worker, const rh_step_row *c, rh_step_correction *lift)
{
  const rh_step_world *w = worker->world;
  double next = lift->push + (lift->want - relative_velocity(worker, c)) * c->iw;
  next = next > 0 ? next : 0;
  double p = next - lift->push;
  if (p == 0) {
    return 0;
  }
  const rh_step_row_general *any = &w->general[c->any];
  lift->push = next;
  if (c->a) {
    nudge_body(w->pseudo[c->a], &w->velocity[c->a], c->round ? NULL : any->ra, c->n, p);
  }
  if (c->b) {
    nudge_body(w->pseudo[c->b], &w->velocity[c->b], c->round ? NULL : any->rb, c->n, -p);
  }
  if (c->jointed) {
    nudge_trees(worker, any, p);
  }
  return fabs(p) / c->iw;
}

// Prefetches contacts and bodies of large islands.
static inline void ask_for(const rh_step_world *w, int k, int end)
{
  if (k + AHEAD < end) {
    const rh_step_row *c = &w->row[k];
    __builtin_prefetch(c + AHEAD);
    __builtin_prefetch(w->pseudo[c->a]);
    __builtin_prefetch(w->pseudo[c->b]);
    __builtin_prefetch(&w->velocity[c->a]);
    __builtin_prefetch(&w->velocity[c->b]);
  }
}

static void move_mobile(const rh_step_world *w, int i, double h)
{
  if (i > w->nfree) {
    rh_step_tree_nudge(w, i, h);
    return;
  }
  const double *x = w->pseudo[i];
  rh_step_body *c = &w->body[i];
  c->x = rh_addscaled(c->x, h, rh_v3(x[0], x[1], x[2]));
  rh_vec3 turn = rh_scale(h, rh_v3(x[3], x[4], x[5]));
  if (turn.x != 0 || turn.y != 0 || turn.z != 0) { // the spin turns with it: its energy is constant
    rh_step_velocity *b = &w->velocity[i];
    rh_vec3 spin = rh_unrotate(&c->R, rh_v3(b->w[0], b->w[1], b->w[2]));
    c->q = rh_quat_unit(rh_quat_mul(rh_step_rotate_by(turn), c->q));
    rh_step_update_rotation(b, c);
    spin = rh_rotate(&c->R, spin);
    b->w[0] = spin.x;
    b->w[1] = spin.y;
    b->w[2] = spin.z;
  }
}

// Target velocities
static void set_targets(rh_step_worker *worker, rh_step_slice *s, const void *step)
{
  const rh_step_world *w = worker->world;
  double h = *(const double *)step;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    w->correction[k] =
        (rh_step_correction){w->row[k].soft ? -HUGE_VAL : wanted_velocity(w, &w->info[k], h), 0};
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    memset(w->pseudo[i], 0, sizeof *w->pseudo);
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memset(w->trees.pz + tree->z, 0, (size_t)tree->nz * sizeof *w->trees.pz);
    }
  }
}

static void sweep_slice(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  bool many = rh_step_is_large(s);
  int end = s->con + s->ncon;
  (void)user;
  s->largest = 0;
  for (int k = s->con; k < end; k++) {
    if (many) {
      ask_for(w, k + AHEAD, end);
    }
    double moved = visit_contact(worker, &w->row[k], &w->correction[k]);
    s->largest = moved > s->largest ? moved : s->largest;
  }
}

static void move_all(rh_step_worker *worker, rh_step_slice *s, const void *step)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    move_mobile(w, w->member[k], *(const double *)step);
  }
}

void rh_step_correct_positions(rh_step_worker *worker, const rh_step_island *s, double h,
                               double deepest)
{
  const rh_step_world *w = worker->world;
  (void)rh_step_for_each_slice(worker, s, set_targets, &h, RH_STEP_ANYHOW);
  double change = HUGE_VAL;
  double slight = NEARLY * SHARE * (deepest - LEAVE * w->par.slop) / h;
  for (int k = 0; k < SWEEPS && change > slight; k++) {
    change = rh_step_for_each_slice(worker, s, sweep_slice, NULL, RH_STEP_APART).largest;
  }
  (void)rh_step_for_each_slice(worker, s, move_all, &h, RH_STEP_ANYHOW);
}
