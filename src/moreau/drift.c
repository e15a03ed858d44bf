// Overlap that is there all the same (a first state, curved paths, what the solver left) is taken out by positions alone: pseudo-velocities,
// which are forgotten afterwards, so that no velocity and no energy of motion comes of it. A contact deeper than the slop asks to be moved out
// by a share of what is too much, not faster than a bound; normals only, by Gauss-Seidel, each pseudo-impulse >= 0. Contacts that are not too
// deep take part, so that nothing is pushed into its neighbours; compliant ones do not. Where nothing overlaps nothing is done.
#include "moreau/moreau.h"

#include <string.h>

static const double SHARE = 0.2; // of the overlap, a step
static const double FAST = 0.5;  // [m/s] no faster than this

static const double NEARLY = 0.1; // of the fastest: what is left of the pseudo-velocities will do

enum { SWEEPS = 5 };

// [m/s] pseudo-velocity that a contact asks for, < 0 where it may still close
static double wanted(const rh_mo *w, const rh_mo_side *side, double h)
{
  double deep = -side->phi - w->par.slop;
  return deep > 0 ? fmin(SHARE * deep / h, FAST) : deep / h;
}

static double relative(const rh_mo *w, const rh_mo_con *c)
{
  const double *a = w->pseudo[c->a];
  const double *b = w->pseudo[c->b];
  const double *n = c->n;
  const double *r = c->ra;
  const double *s = c->rb;
  double u = n[0] * (a[0] - b[0]) + n[1] * (a[1] - b[1]) + n[2] * (a[2] - b[2]);
  if (c->round) {
    return u;
  }
  u += n[0] * (a[4] * r[2] - a[5] * r[1]) + n[1] * (a[5] * r[0] - a[3] * r[2]) +
       n[2] * (a[3] * r[1] - a[4] * r[0]);
  u -= n[0] * (b[4] * s[2] - b[5] * s[1]) + n[1] * (b[5] * s[0] - b[3] * s[2]) +
       n[2] * (b[3] * s[1] - b[4] * s[0]);
  u += c->ba != RH_NONE ? rh_mo_branch_row(&w->trees.branch[c->ba], 2, w->trees.pz) : 0;
  u += c->bb != RH_NONE ? rh_mo_branch_row(&w->trees.branch[c->bb], 2, w->trees.pz) : 0;
  return u;
}

static void nudge(double *x, const rh_mo_hot *b, const double *r, const double *n, double p)
{
  const double *J = b->J;
  double m[3] = {r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0]};
  for (int i = 0; i < 3; i++) {
    x[i] += p * b->im * n[i];
  }
  x[3] += p * (J[0] * m[0] + J[3] * m[1] + J[4] * m[2]);
  x[4] += p * (J[3] * m[0] + J[1] * m[1] + J[5] * m[2]);
  x[5] += p * (J[4] * m[0] + J[5] * m[1] + J[2] * m[2]);
}

// How far its pseudo-velocity moved
static double visit(rh_mo *w, rh_mo_con *c, double want)
{
  double next = c->push + (want - relative(w, c)) * c->iw;
  next = next > 0 ? next : 0;
  double p = next - c->push;
  if (p == 0) {
    return 0;
  }
  c->push = next;
  if (c->a) {
    nudge(w->pseudo[c->a], &w->hot[c->a], c->ra, c->n, p);
  }
  if (c->b) {
    nudge(w->pseudo[c->b], &w->hot[c->b], c->rb, c->n, -p);
  }
  if (c->ba != RH_NONE) {
    rh_mo_branch_nudge(&w->trees.branch[c->ba], 2, w->trees.pz, p);
  }
  if (c->bb != RH_NONE) {
    rh_mo_branch_nudge(&w->trees.branch[c->bb], 2, w->trees.pz, p);
  }
  return fabs(p) * c->w;
}

static void move(rh_mo *w, int i, double h)
{
  if (i > w->nfree) {
    rh_mo_tree_nudge(w, i, h);
    return;
  }
  const double *x = w->pseudo[i];
  rh_mo_cold *c = &w->cold[i];
  c->x = rh_addscaled(c->x, h, rh_v3(x[0], x[1], x[2]));
  rh_vec3 turn = rh_scale(h, rh_v3(x[3], x[4], x[5]));
  if (turn.x != 0 || turn.y != 0 || turn.z != 0) {
    c->q = rh_quat_unit(rh_quat_mul(rh_mo_turn_by(turn), c->q));
    rh_mo_turn(&w->hot[i], c);
  }
}

void rh_mo_part(rh_mo *w, const rh_mo_island *s, double h)
{
  int end = s->con + s->ncon;
  double deepest = 0;
  for (int k = s->con; k < end; k++) {
    double deep = -w->side[k].phi;
    w->tally.deepest = fmax(w->tally.deepest, deep);
    deepest = w->side[k].law ? deepest : fmax(deepest, deep);
  }
  if (deepest <= w->par.slop) {
    return;
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    memset(w->pseudo[w->member[k]], 0, sizeof *w->pseudo);
  }
  if (w->trees.nz > 0) {
    memset(w->trees.pz, 0, (size_t)w->trees.nz * sizeof *w->trees.pz);
  }
  double change = HUGE_VAL;
  double slight = NEARLY * SHARE * (deepest - w->par.slop) / h;
  for (int sweep = 0; sweep < SWEEPS && change > slight; sweep++) {
    change = 0;
    for (int k = s->con; k < end; k++) {
      if (w->side[k].law) {
        continue;
      }
      double moved = visit(w, &w->con[k], wanted(w, &w->side[k], h));
      change = moved > change ? moved : change;
    }
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    move(w, w->member[k], h);
  }
}
