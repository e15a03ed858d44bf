// The limit on energy. An answer of an island that has more energy than it may is drawn back towards a
// safe one, which is kept: velocities and impulses go linearly from the safe answer (share 0) to the
// present one (share 1), the energy is a parabola over the share, and the largest share within the
// bound is taken, or the one with the least energy.
//   impacts (impacts/groups.c): the answer with restitution, the plastic one is safe,
//     and the bound is the energy before: e is then less than the law's
//   unsolved steps: with v the velocities without contacts, E(v+) - E(v) = p u+ - p W p/2, p u+ <= 0 for
//     impulses that solve a step. Sweeps that end at their limit before convergence may violate this:
//     light bodies between heavy ones. The safe answer is none of the contacts' impulses. Limits, dry
//     friction and loops keep theirs. Compliant contacts may return energy, and are not examined.
#include "contact_kernels.h"

#include <string.h>

static const double ROUNDING = 1e-12; // of the energy
static const double WILD = 1e6;       // times the energy: the answer is of no use
static const double MUCH = 1.01; // times the energy: more than a solver's tolerance can give a tree

double rh_step_energy(const rh_step_world *w, const rh_step_island *s)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    sum += i > w->nfree ? rh_step_tree_energy(w, i, w->trees.z)
                        : rh_step_kinetic(w, i, rh_step_read_vec(w->velocity[i].v),
                                          rh_step_read_vec(w->velocity[i].w));
  }
  return sum;
}

// ---- Two answers

void rh_step_answer_keep(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    w->body[i].v1 = rh_step_read_vec(w->velocity[i].v);
    w->body[i].w1 = rh_step_read_vec(w->velocity[i].w);
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memcpy(w->trees.z1 + tree->z, w->trees.z + tree->z, (size_t)tree->nz * sizeof(double));
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    memcpy(w->info[k].p1, w->row[k].p, sizeof w->row[k].p);
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_keep(&w->laws.turn[w->row[k].any]);
    }
  }
}

static void swap_numbers(double *x, double *y, int n)
{
  for (int i = 0; i < n; i++) {
    double keep = x[i];
    x[i] = y[i];
    y[i] = keep;
  }
}

void rh_step_answer_swap(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    swap_numbers(w->velocity[i].v, &w->body[i].v1.x, 3);
    swap_numbers(w->velocity[i].w, &w->body[i].w1.x, 3);
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      swap_numbers(w->trees.z + tree->z, w->trees.z1 + tree->z, tree->nz);
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    swap_numbers(w->row[k].p, w->info[k].p1, 4);
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn *x = &w->laws.turn[w->row[k].any];
      swap_numbers(x->p, x->kept, 3);
    }
  }
}

static rh_vec3 velocity_between(rh_vec3 kept, const double *now, double share)
{
  return rh_addscaled(rh_scale(1 - share, kept), share, rh_step_read_vec(now));
}

static void mix_answers(const rh_step_world *w, const rh_step_island *s, double share)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    rh_step_velocity *b = &w->velocity[i];
    rh_step_write_vec(velocity_between(w->body[i].v1, b->v, share), b->v);
    rh_step_write_vec(velocity_between(w->body[i].w1, b->w, share), b->w);
    const rh_step_tree *tree = i > w->nfree ? &w->trees.tree[i - w->nfree - 1] : NULL;
    for (int z = tree ? tree->z : 0; tree && z < tree->z + tree->nz; z++) {
      w->trees.z[z] = (1 - share) * w->trees.z1[z] + share * w->trees.z[z];
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    for (int i = 0; i < 4; i++) {
      w->row[k].p[i] = (1 - share) * w->info[k].p1[i] + share * w->row[k].p[i];
    }
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_mix(&w->laws.turn[w->row[k].any], share);
    }
  }
}

double rh_step_tree_energy_between(const rh_step_world *w, int i, double share)
{
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  double *mixed = w->trees.z0; // scratch
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    mixed[z] = (1 - share) * w->trees.z1[z] + share * w->trees.z[z];
  }
  return rh_step_tree_energy(w, i, mixed);
}

double rh_step_energy_between(const rh_step_world *w, const rh_step_island *s, double share,
                              double h)
{
  double sum = 0;
  (void)h;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      sum += rh_step_tree_energy_between(w, i, share);
      continue;
    }
    sum += rh_step_kinetic(w, i, velocity_between(w->body[i].v1, w->velocity[i].v, share),
                           velocity_between(w->body[i].w1, w->velocity[i].w, share));
  }
  return sum;
}

// ---- The limit

// E(share) is a parabola through the energies at 0, 1/2 and 1.
static double limited_share(const double e[3], const rh_step_limit *limit)
{
  double curve = 2 * (e[0] + e[2] - 2 * e[1]);
  double slope = e[2] - e[0] - curve;
  double share = 0;
  if (curve > 0 && limit->least) {
    share = -0.5 * slope / curve;
  } else if (curve > 0) {
    double off = fmin(e[0] - limit->bound, 0); // curve s^2 + slope s + off = 0
    share = (-slope + sqrt(fmax(slope * slope - 4 * curve * off, 0))) / (2 * curve);
  }
  return fmin(fmax(share, 0), 1);
}

bool rh_step_limit_energy(const rh_step_world *w, const rh_step_island *s,
                          const rh_step_limit *limit)
{
  double e[3];
  e[2] = limit->energy(w, s, 1, limit->h);
  if (e[2] <= limit->bound + limit->slack) {
    return false;
  }
  e[0] = limit->energy(w, s, 0, limit->h);
  e[1] = limit->energy(w, s, 0.5, limit->h);
  mix_answers(w, s, limited_share(e, limit));
  return true;
}

// ---- Answers that are not solved

void rh_step_limit_unsolved(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  rh_step_answer_keep(w, s);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row *c = &w->row[k];
    if (c->p[3] > 0) {
      rh_step_push(worker, c, rh_scale(-1, rh_step_impulse(w, c, c->p)));
    }
    memset(c->p, 0, sizeof c->p);
    if (rh_step_turns(w, c)) {
      rh_step_turn_drop(worker, c, true);
    }
  }
  rh_step_answer_swap(w, s);
  double none = rh_step_energy_between(w, s, 0, 0);
  const rh_step_limit limit = {
      .energy = rh_step_energy_between, .bound = none, .slack = ROUNDING * none, .least = true};
  (void)rh_step_limit_energy(w, s, &limit);
}

static double spin_energy(const rh_step_body *c, rh_vec3 w)
{
  if (c->round) {
    return 0.5 * c->I.xx * rh_dot(w, w);
  }
  rh_vec3 b = rh_unrotate(&c->R, w);
  return 0.5 * rh_dot(b, rh_sym3_mul(&c->I, b));
}

// [J] of the free bodies of a slice now, and at the end of h without contacts; `smooth`: no load drives them
static void compare_energies(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  double h = *(const double *)user;
  double now = 0;
  double free = 0;
  s->smooth = true;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_body *c = &w->body[w->member[k]];
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    rh_step_prefetch_member(w, s, k + 4);
    s->smooth = s->smooth && !c->forced;
    rh_vec3 v = rh_addscaled(c->v0, b->im > 0 ? h : 0, c->a);
    now += 0.5 * c->mass * (b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]) +
           spin_energy(c, rh_v3(b->w[0], b->w[1], b->w[2]));
    free += 0.5 * c->mass * rh_dot(v, v) + spin_energy(c, c->w0);
  }
  s->work = now;
  s->other = free;
}

// Has an island of free bodies more energy than its velocities at the end of h without contacts?
// Those turn as fast as at the start (free_body.c). True also if that is not easily known.
static bool may_have_gained(rh_step_worker *worker, const rh_step_island *s, double h)
{
  rh_step_slice e = rh_step_for_each_slice(worker, s, compare_energies, &h, RH_STEP_SUMMED);
  return !e.smooth || e.work > e.other * (1 + ROUNDING);
}

// An island with trees without contacts, limits and dry friction: after a divergence of the sweeps
// differences would have no digits left.
static void let_go(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memcpy(w->trees.z + tree->z, w->trees.z1 + tree->z, (size_t)tree->nz * sizeof(double));
      continue;
    }
    const rh_step_body *c = &w->body[i];
    rh_step_velocity *b = &w->velocity[i];
    const double start[6] = {c->v0.x, c->v0.y, c->v0.z, c->w0.x, c->w0.y, c->w0.z};
    memcpy(b->v, start, sizeof b->v);
    memcpy(b->w, start + 3, sizeof b->w);
    rh_step_integrate_velocity(b, &w->body[i], h);
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    memset(w->row[k].p, 0, sizeof w->row[k].p);
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_drop(worker, &w->row[k], false);
    }
  }
  for (int k = 0; k < worker->rows.njoint; k++) {
    worker->rows.joint[k].p = 0;
  }
}

double rh_step_limit_begin(const rh_step_world *w, const rh_step_island *s)
{
  bool jointed = false;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memcpy(w->trees.z1 + tree->z, w->trees.z + tree->z, (size_t)tree->nz * sizeof(double));
      jointed = true;
    }
  }
  return jointed ? rh_step_energy(w, s) : -1;
}

void rh_step_limit_step(rh_step_worker *worker, const rh_step_island *s, double free, double h)
{
  const rh_step_world *w = worker->world;
  if (worker->diverged) {
    let_go(worker, s, h);
    rh_step_sweep_smooth(worker, s);
    worker->diverged = false;
  }
  if (rh_step_island_driven(w, s)) { // drives give energy
    return;
  }
  if (free < 0) {
    if (may_have_gained(worker, s, h)) {
      rh_step_limit_unsolved(worker, s);
    }
    return;
  }
  double now = rh_step_energy(w, s);
  if (!(now <= WILD * free)) {
    let_go(worker, s, h);
  } else if (now > MUCH * free) {
    rh_step_limit_unsolved(worker, s);
  }
}
