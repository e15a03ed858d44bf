// No energy from a wrong answer. Impulses that solve a step only take energy: with v the velocities
// without contacts,
//   E(v+) - E(v) = p u+ - p W p/2,   p u+ <= 0.
// Sweeps that end at their limit before convergence may leave impulses that violate this: light
// bodies between heavy ones. Then all impulses of the contacts are reduced in proportion, s p, to
// the minimum of E(v + s W p), which is at most E(v). Limits, dry friction and loops keep theirs.
// Compliant contacts may return energy, and are not examined.
#include "stepping.h"

#include <string.h>

static const double ROUNDING = 1e-12; // of the energy
static const double WILD = 1e6;       // times the energy: the answer is of no use
static const double MUCH = 1.01; // times the energy: more than a solver's tolerance can give a tree

// Adds `share` of the impulses.
static void push_all(rh_step_worker *worker, const rh_step_island *s, double share)
{
  const rh_step_world *w = worker->world;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    if (c->p[3] > 0) {
      rh_step_push(worker, c, rh_scale(share, rh_step_impulse(w, c, c->p)));
    }
  }
}

void rh_step_energy_limit(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double e[3]; // with all, half, none of the impulses
  for (int i = 0; i < 3; i++) {
    e[i] = rh_step_energy(w, s);
    push_all(worker, s, i < 2 ? -0.5 : 0);
  }
  double curve = 2 * (e[0] + e[2] - 2 * e[1]);
  double slope = e[0] - e[2] - curve;
  double share = 1;
  if (e[0] > e[2] * (1 + ROUNDING)) {
    share = curve > 0 ? fmin(fmax(-0.5 * slope / curve, 0), 1) : 0;
  }
  push_all(worker, s, share);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    for (int i = 0; i < 4; i++) {
      w->row[k].p[i] *= share;
    }
  }
}

static double spin_energy(const rh_step_body *c, rh_vec3 w)
{
  if (c->round) {
    return 0.5 * c->I.xx * rh_dot(w, w);
  }
  rh_vec3 b = rh_unrotate(&c->R, w);
  return 0.5 * rh_dot(b, rh_sym3_mul(&c->I, b));
}

// Has an island of free bodies more energy than its velocities at the end of h without contacts?
// Those turn as fast as at the start (free_body.c). True also if that is not easily known.
static bool may_have_gained(const rh_step_world *w, const rh_step_island *s, double h)
{
  double now = 0;
  double free = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_body *c = &w->body[w->member[k]];
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    if (c->forced) {
      return true;
    }
    rh_vec3 v = rh_addscaled(c->v0, b->im > 0 ? h : 0, c->a);
    now += 0.5 * c->mass * (b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]) +
           spin_energy(c, rh_v3(b->w[0], b->w[1], b->w[2]));
    free += 0.5 * c->mass * rh_dot(v, v) + spin_energy(c, c->w0);
  }
  return now > free * (1 + ROUNDING);
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
  }
  for (int k = 0; k < worker->rows.nline; k++) {
    worker->rows.line[k].p = 0;
  }
}

double rh_step_energy_limit_begin(const rh_step_world *w, const rh_step_island *s)
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

void rh_step_energy_limit_unsolved(rh_step_worker *worker, const rh_step_island *s, double free,
                                   double h)
{
  const rh_step_world *w = worker->world;
  if (free < 0) {
    if (may_have_gained(w, s, h)) {
      rh_step_energy_limit(worker, s);
    }
    return;
  }
  double now = rh_step_energy(w, s);
  if (!(now <= WILD * free)) {
    let_go(worker, s, h);
  } else if (now > MUCH * free) {
    rh_step_energy_limit(worker, s);
  }
}
