// Steps of trees whose energy does not close are repeated in shorter parts. The parts of a step follow
// from how fast its bodies turn (step.c, articulated_middle.c); a light link that heavy ones pull
// swings much faster than it turns, and what an impact turns was slow before. Both show in the energy:
// what it has, and all that was lost, less what was put in, must be what it was. Only trees that
// turn noticeably are watched: the energy of slow ones is that of the midpoint rule.
#include "stepping/stepping.h"

#include <string.h>

// ---- Energy of a tree [place]

static void add_motion(const rh_step_world *w, const rh_step_tree *tree, rh_step_account *a)
{
  const rh_model *m = w->m;
  double sum = 0;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = w->trees.member[k];
    const rh_kin_body *b = &w->d->kin[i];
    a->mass += b->I.mass;
    sum += rh_power(b->v, rh_inertia_mul(&b->I, b->v));
    for (int j = m->body[i].vadr; j < m->body[i].vadr + m->body[i].nv; j++) {
      sum += m->dof[j].armature * w->d->v[j] * w->d->v[j];
    }
  }
  a->motion += 0.5 * sum;
  a->sum += 0.5 * sum;
}

// Of gravity and of springs
static double rest_of_tree(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_model *m = w->m;
  double sum = 0;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = w->trees.member[k];
    const rh_kin_body *b = &w->d->kin[i];
    double delta[6];
    sum -= rh_dot(m->gravity, rh_addscaled(b->I.h, b->I.mass, b->p));
    rh_joint_deflection(w->d, i, delta);
    for (int j = 0; j < m->body[i].nv; j++) {
      sum += 0.5 * m->dof[m->body[i].vadr + j].spring * delta[j] * delta[j];
    }
  }
  return sum;
}

// ---- Accounts

static void add_mobile(const rh_step_world *w, int i, rh_step_account *a)
{
  if (i > w->nfree) {
    const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
    rh_step_tree_place(w, i);
    add_motion(w, tree, a);
    a->sum += rest_of_tree(w, tree);
    return;
  }
  const rh_step_body *c = &w->body[i];
  double motion =
      rh_step_kinetic(w, i, rh_step_read_vec(w->velocity[i].v), rh_step_read_vec(w->velocity[i].w));
  a->motion += motion;
  a->sum += motion - c->mass * rh_dot(w->m->gravity, c->x) - c->work;
  a->mass += c->mass;
}

static rh_step_account account_of(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  const double *work = worker->result.work;
  rh_step_account a = {0};
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    add_mobile(w, w->member[k], &a);
  }
  a.sum += work[RH_WORK_DAMPER] - work[RH_WORK_ACTUATOR] - work[RH_WORK_EXTERNAL];
  a.sum -= work[RH_WORK_HAND] + worker->result.impact_work + worker->result.drive_work;
  return a;
}

// ---- The start of the step

static void keep_mobile(const rh_step_world *w, int i)
{
  const rh_step_trees *t = &w->trees;
  if (i <= w->nfree) {
    const rh_step_velocity *b = &w->velocity[i];
    const rh_step_body *c = &w->body[i];
    t->start.body[i] = (rh_step_start){
        c->x, c->q, rh_step_read_vec(b->v), rh_step_read_vec(b->w), c->work, c->pressed};
    return;
  }
  const rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_step_tree_copy_coordinates(w, tree, t->start.q, false);
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->start.v[z] = t->dof[z] == RH_NONE ? 0 : w->d->v[t->dof[z]];
  }
}

static void bring_back(const rh_step_world *w, int i)
{
  const rh_step_trees *t = &w->trees;
  if (i <= w->nfree) {
    const rh_step_start *start = &t->start.body[i];
    rh_step_velocity *b = &w->velocity[i];
    rh_step_body *c = &w->body[i];
    c->x = start->x;
    c->q = start->q;
    c->work = start->work;
    c->pressed = start->pressed;
    rh_step_write_vec(start->v, b->v);
    rh_step_write_vec(start->w, b->w);
    rh_step_update_rotation(b, c);
    return;
  }
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_step_tree_copy_coordinates(w, tree, t->start.q, true);
  memcpy(t->v + tree->z, t->start.v + tree->z, (size_t)tree->nz * sizeof *t->v);
  rh_step_tree_give_velocity(w, tree);
  tree->stands = false;
  rh_step_tree_place(w, i);
}

void rh_step_guard_begin(rh_step_worker *worker, const rh_step_island *s, rh_step_guard *g)
{
  const rh_step_world *w = worker->world;
  g->counts = worker->tally;
  g->impact_work = worker->result.impact_work;
  g->drive_work = worker->result.drive_work;
  g->nimpact = worker->result.nimpact;
  memcpy(g->work, worker->result.work, sizeof g->work);
  g->before = account_of(worker, s);
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    keep_mobile(w, w->member[k]);
  }
}

void rh_step_guard_again(rh_step_worker *worker, const rh_step_island *s, const rh_step_guard *g)
{
  const rh_step_world *w = worker->world;
  rh_step_counts now = worker->tally;
  worker->tally = g->counts; // but for the work that it took
  worker->tally.sweeps = now.sweeps;
  worker->tally.newton = now.newton;
  worker->result.impact_work = g->impact_work;
  worker->result.drive_work = g->drive_work;
  worker->result.nimpact = g->nimpact;
  memcpy(worker->result.work, g->work, sizeof g->work);
  if (w->checks.on) {
    worker->result.check = (rh_step_check){0};
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    bring_back(w, w->member[k]);
  }
}

// ---- The watch

bool rh_step_island_watched(const rh_step_world *w, const rh_step_island *s, double h)
{
  bool any = false;
  bool may = s->nloop == 0 && s->nslice == 0 && !w->laws.compliant && w->m->tendons.n == 0 &&
             !w->laws.belt && w->hand.mobile == 0;
  for (int k = s->mob; may && !any && k < s->mob + s->nmob; k++) {
    any = w->member[k] > w->nfree && rh_step_tree_turns(w, w->member[k]) * h > RH_STEP_WATCHED;
  }
  return any;
}

bool rh_step_guard_closes(const rh_step_worker *worker, const rh_step_island *s,
                          const rh_step_guard *g, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_account now = account_of(worker, s);
  double deepest = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    now.sum += w->info[k].slide;
    deepest = fmax(deepest, -w->info[k].phi);
  }
  double motion = fmax(now.motion, g->before.motion);
  // overlap that is lifted out, and gravity in a step whose speed jumps (energy.c)
  bool pressed = s->ncon > 0 || worker->result.impact_work != 0;
  double speed = pressed ? sqrt(2 * motion / now.mass) : 0;
  double slack = w->weight * now.mass * (deepest + h * speed);
  return fabs(now.sum - g->before.sum) <=
         (pressed ? RH_STEP_SHARE : RH_STEP_SHARE_FREE) * motion + slack;
}
