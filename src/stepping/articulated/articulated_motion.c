// A tree over a step: inertia and forces at the start, the factor, velocities, positions.
//   H^ (v1 - v0) = h (tau - c - K d - (D + h K) v0) + J' p,  H^ = H + h D + h^2 K,  q1 = q0 + h v1
// with c the bias of gravity and velocities, d the extension of springs: springs and dampers act as
// at the end of the step, so that any stiffness is stable. Inertias, forces and axes are about one
// point of the tree: composite inertias are then sums [RBDA ch. 6].
// A tree that nothing presses but limits takes the midpoint rule (articulated_middle.c).
#include "base/wide.h"
#include "stepping/stepping.h"

#include "math/four.h"

#include "multibody/multibody.h"

#include <string.h>

// Springs and dampers: the force, and its part that grows with the velocity at the end. `part` is
// 1, or 1/2 for the midpoint rule, where the coordinates are ahead already.
static void forces_joint(const rh_step_world *w, int body, double h, double part)
{
  const rh_model_body *b = &w->m->body[body];
  const rh_data *d = w->d;
  const rh_step_trees *t = &w->trees;
  double delta[6] = {0};
  bool sprung = false;
  for (int j = 0; j < b->nv; j++) {
    sprung = sprung || w->m->dof[b->vadr + j].spring != 0;
  }
  if (sprung) {
    rh_joint_deflection(d, body, delta);
  }
  for (int j = 0; j < b->nv; j++) {
    const rh_model_dof *f = &w->m->dof[b->vadr + j];
    int z = t->zadr[body] + j;
    double ahead = part == 1 ? f->damper + h * f->spring : f->damper;
    t->soft[z] = h * part * (f->damper + h * part * f->spring);
    t->joint[z] = d->tau[b->vadr + j] - f->spring * delta[j] - ahead * t->v[z];
  }
}

// Of a transmission to several degrees of freedom of the tree; d->load is scratch here.
static void push_by_transmission(const rh_step_world *w, const rh_step_tree *tree, int actuator)
{
  const rh_step_trees *t = &w->trees;
  double *load = w->d->load;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      load[t->dof[z]] = 0;
    }
  }
  (void)rh_transmission_act(w->d, actuator, rh_actuator_effort(w->d, actuator), load);
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      t->effort[z] += load[t->dof[z]];
      t->joint[z] += load[t->dof[z]];
    }
  }
}

static void forces_actuator(const rh_step_world *w, const rh_step_tree *tree, double h, double part)
{
  const rh_model *m = w->m;
  const rh_data *d = w->d;
  const rh_step_trees *t = &w->trees;
  for (int n = tree->act; n < tree->act + tree->nact; n++) {
    int i = t->actuator[n];
    const rh_model_actuator *a = &m->actuator[i];
    const rh_command *c = &d->command[i];
    if (a->via.kind != RH_VIA_DOF) {
      push_by_transmission(w, tree, i);
      continue;
    }
    int body = m->dof[a->dof].body;
    int z = t->zadr[body] + a->dof - m->body[body].vadr;
    double effort = rh_actuator_effort(d, i);
    if (effort > a->lo && effort < a->hi && a->stall == 0) { // gains act at their end values
      double speed = c->rate + c->accel * (*d->t - c->since) - (part == 1 ? t->v[z] : 0);
      effort += h * part * c->kp * speed;
      t->grip[z] += part * (c->kd + h * part * c->kp);
      t->soft[z] += h * part * (c->kd + h * part * c->kp);
    }
    t->effort[z] += effort;
    t->joint[z] += effort;
  }
}

// ---- Inertia

RH_WIDE
static void spread_out(const rh_step_world *w, const rh_step_tree *tree, bool inertia)
{
  const rh_model *m = w->m;
  const rh_data *d = w->d;
  const rh_step_trees *t = &w->trees;
  size_t nz = (size_t)t->nz;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    const rh_kin_body *b = &d->kin[i];
    rh_vec3 r = rh_sub(b->p, tree->origin);
    rh_motion a = {b->c.ang, rh_sub(b->c.lin, m->gravity)};
    rh_force f = b->I.mass > 0 ? rh_body_force(b, a) : (rh_force){{0, 0, 0}, {0, 0, 0}};
    f.ang = rh_sub(f.ang, d->wrench[i].ang);
    f.lin = rh_sub(f.lin, d->wrench[i].lin);
    t->f[i] = rh_force_shift_back(f, r);
    if (inertia) {
      t->Ic[i] = b->I.mass > 0 ? rh_inertia_shift_back(&b->I, r) : (rh_inertia){0};
      for (int j = 0; j < m->body[i].nv; j++) {
        const rh_motion *s = &d->dyn.S[m->body[i].vadr + j];
        double *S = t->S + t->zadr[i] + j;
        rh_vec3 lin = rh_add(s->lin, rh_cross(r, s->ang));
        S[0] = s->ang.x;
        S[nz] = s->ang.y;
        S[2 * nz] = s->ang.z;
        S[3 * nz] = lin.x;
        S[4 * nz] = lin.y;
        S[5 * nz] = lin.z;
      }
    }
  }
}

static rh_motion axis_at(const rh_step_trees *t, int z)
{
  const double *S = t->S + z;
  size_t nz = (size_t)t->nz;
  return (rh_motion){{S[0], S[nz], S[2 * nz]}, {S[3 * nz], S[4 * nz], S[5 * nz]}};
}

// Sums towards the root; the bias comes out as joint forces.
RH_WIDE
static void gather_in(const rh_step_world *w, const rh_step_tree *tree, bool inertia)
{
  const rh_model *m = w->m;
  const rh_step_trees *t = &w->trees;
  for (int k = tree->body + tree->nbody - 1; k >= tree->body; k--) {
    int i = t->member[k];
    int parent = m->body[i].parent;
    for (int j = 0; j < m->body[i].nv; j++) {
      int z = t->zadr[i] + j;
      t->force[z] = -rh_power(axis_at(t, z), t->f[i]);
    }
    if (w->mobile[parent] > w->nfree) {
      t->f[parent] = rh_force_add(t->f[parent], t->f[i]);
    }
    if (inertia && w->mobile[parent] > w->nfree) {
      rh_inertia *to = &t->Ic[parent];
      to->mass += t->Ic[i].mass;
      to->h = rh_add(to->h, t->Ic[i].h);
      to->I = rh_sym3_add(&to->I, &t->Ic[i].I);
    }
  }
}

// Row of H of one degree of freedom, root first: force that moves all its descendants, along the
// axes on the way to it.
RH_WIDE
static void mass_row(rh_step_worker *worker, int body, int z)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  size_t nz = (size_t)t->nz;
  const rh_root_path *way = &t->way[body];
  rh_force F = rh_inertia_mul(&t->Ic[body], axis_at(t, z));
  double *row = t->L + t->row[z];
  int left = rh_four_beyond(t->pos[z]);
  for (int k = 0; left > 0; k++) {
    const rh_step_run *run = &t->run[way->run + k];
    int n = run->n < left ? run->n : left;
    for (int i = 0; i < n; i += 4) {
      const double *S = t->S + run->z + i;
      rh_four x = F.ang.x * *(const rh_four *)S;
      x += F.ang.y * *(const rh_four *)(S + nz);
      x += F.ang.z * *(const rh_four *)(S + 2 * nz);
      x += F.lin.x * *(const rh_four *)(S + 3 * nz);
      x += F.lin.y * *(const rh_four *)(S + 4 * nz);
      x += F.lin.z * *(const rh_four *)(S + 5 * nz);
      *(rh_four *)(row + i) = x;
    }
    if (n < left) {
      rh_four_pad(row, run->on); // not its ancestors
    }
    row += n;
    left -= n;
  }
  row = t->L + t->row[z];
  row[t->pos[z]] += w->m->dof[t->dof[z]].armature;
  worker->rows.stiff = worker->rows.stiff || t->soft[z] > row[t->pos[z]];
  row[t->pos[z]] += t->soft[z];
  rh_four_pad(row, t->pos[z] + 1);
}

// A locked joint: its row and column are those of the identity.
static void lock_joint_rows(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  const double *hold = w->d->hold;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] == RH_NONE) {
      continue;
    }
    bool locked = hold[t->dof[z]] == RH_HOLD_LOCK;
    double *row = t->L + t->row[z];
    for (int k = t->parent[z]; k != RH_NONE; k = t->parent[k]) {
      row[t->pos[k]] = locked || hold[t->dof[k]] == RH_HOLD_LOCK ? 0 : row[t->pos[k]];
    }
    if (locked) {
      row[t->pos[z]] = 1;
      t->v[z] = 0;
    }
  }
}

static void take_v(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->v[z] = t->v0[z] = t->dof[z] == RH_NONE ? 0 : w->d->v[t->dof[z]];
  }
}

void rh_step_tree_give_velocity(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      w->d->v[t->dof[z]] = t->v[z];
    }
  }
}

// Joint forces, and their part that grows with the velocity
RH_WIDE
static void joint_forces(const rh_step_world *w, const rh_step_tree *tree, double h, double part)
{
  const rh_step_trees *t = &w->trees;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    forces_joint(w, t->member[k], h, part);
  }
  for (int z = tree->z; tree->driven && z < tree->z + tree->nz; z++) {
    t->effort[z] = t->grip[z] = 0;
  }
  forces_actuator(w, tree, h, part);
  rh_step_tendon_forces(w, tree);
}

static void sum_forces(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->force[z] += t->joint[z];
    bool locked = tree->held && t->dof[z] != RH_NONE && w->d->hold[t->dof[z]] == RH_HOLD_LOCK;
    t->force[z] = locked ? 0 : t->force[z];
  }
}

void rh_step_tree_bias_again(const rh_step_world *w, const rh_step_tree *tree)
{
  spread_out(w, tree, false);
  gather_in(w, tree, false);
  sum_forces(w, tree);
  rh_step_tree_back(&w->trees, tree->z, tree->nz, w->trees.force);
}

RH_WIDE
void rh_step_tree_make_at(rh_step_worker *worker, rh_step_tree *tree, double h, double part)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  tree->origin = w->d->kin[t->member[tree->body]].p;
  take_v(w, tree);
  rh_step_tree_forces_outside(w, tree);
  spread_out(w, tree, true);
  gather_in(w, tree, true);
  joint_forces(w, tree, h, part);
  sum_forces(w, tree);
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    for (int j = 0; j < w->m->body[i].nv; j++) {
      mass_row(worker, i, t->zadr[i] + j);
    }
  }
  if (tree->held) {
    lock_joint_rows(w, tree);
  }
  rh_step_tree_factor(t, tree);
  rh_step_tree_load(w, tree);
  rh_step_tree_back(t, tree->z, tree->nz, t->force);
}

void rh_step_tree_integrate_velocity(const rh_step_world *w, int i, double h)
{
  const rh_step_trees *t = &w->trees;
  const rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  w->body[i].pressed = tree->stiff;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->z[z] += h * t->force[z];
  }
}

// ---- Positions

void rh_step_tree_advance(const rh_step_world *w, rh_step_tree *tree, double h)
{
  const rh_model *m = w->m;
  rh_data *d = w->d;
  tree->stands = false;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    const rh_model_body *b = &m->body[w->trees.member[k]];
    double *q = d->q + b->qadr;
    const double *v = d->v + b->vadr;
    if (b->joint->advance) {
      double next[RH_LIST_MAX];
      b->joint->advance(q, v, h, next);
      memcpy(q, next, (size_t)b->joint->nq * sizeof *q);
    } else {
      for (int j = 0; j < b->nv; j++) {
        q[j] += h * v[j];
      }
    }
    if (b->joint->unit_length) {
      b->joint->unit_length(q);
    }
  }
}

// d->v := the mean of start and end, with `share` of the end; t->v keeps the end.
static void take_mean(const rh_step_world *w, const rh_step_tree *tree, double share)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      t->v[z] = w->d->v[t->dof[z]];
      w->d->v[t->dof[z]] =
          share == 0.5 ? 0.5 * (t->v0[z] + t->v[z]) : (1 - share) * t->v0[z] + share * t->v[z];
    }
  }
}

// ---- Ledger: work of forces over the step, by the mean velocity

// [W] of external forces by the mean velocity, where they were evaluated
static double outside_power(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  double power = 0;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    t->f[i] = rh_force_shift_back(w->d->wrench[i], rh_sub(w->d->kin[i].p, tree->origin));
  }
  for (int k = tree->body + tree->nbody - 1; k >= tree->body; k--) {
    int i = t->member[k];
    int parent = w->m->body[i].parent;
    for (int z = t->zadr[i]; z < t->zadr[i] + w->m->body[i].nv; z++) {
      power += rh_power(axis_at(t, z), t->f[i]) * 0.5 * (t->v0[z] + t->v[z]);
    }
    if (w->mobile[parent] > w->nfree) {
      t->f[parent] = rh_force_add(t->f[parent], t->f[i]);
    }
  }
  return power;
}

// The same of the hand
static double hand_power(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  int body = (int)w->d->hand->body;
  rh_force pull = rh_force_shift_back(tree->pull, rh_sub(w->d->kin[body].p, tree->origin));
  double power = 0;
  for (int z = t->way[body].tip; z != RH_NONE; z = t->parent[z]) {
    power += rh_power(axis_at(t, z), pull) * 0.5 * (t->v0[z] + t->v[z]);
  }
  return power;
}

RH_WIDE
void rh_step_tree_add_work(rh_step_worker *worker, const rh_step_tree *tree, double h, double part)
{
  const rh_step_world *w = worker->world;
  const rh_model *m = w->m;
  const rh_step_trees *t = &w->trees;
  double damped = 0;
  double driven = 0;
  double outside = 0;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    int k = t->dof[z];
    if (k != RH_NONE) {
      double mean = 0.5 * (t->v0[z] + t->v[z]);
      double change = t->v[z] - t->v0[z];
      damped += m->dof[k].damper * (t->v0[z] + part * change) * mean;
      driven += tree->driven ? (t->effort[z] - t->grip[z] * change) * mean : 0;
      outside += w->d->tau[k] * mean;
      damped += m->tendons.n > 0 ? t->tendons.damp[z] * mean : 0;
    }
  }
  outside += tree->pushed ? outside_power(w, tree) : 0;
  if (rh_step_hand_holds(w, tree)) {
    double hand = hand_power(w, tree);
    worker->result.work[RH_WORK_HAND] += h * hand;
    outside -= hand;
  }
  worker->result.work[RH_WORK_DAMPER] += h * damped;
  worker->result.work[RH_WORK_ACTUATOR] += h * driven;
  worker->result.work[RH_WORK_EXTERNAL] += h * outside;
}

void rh_step_tree_settle(const rh_step_world *w, int i)
{
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_unload(w, tree);
  rh_step_tree_give_velocity(w, tree);
  tree->stands = false;
}

// A tree without contact moves by the mean velocity, exact under a constant force; a pressed one with
// the share of the velocity at the end that its island has: all of it where a gap closes, so that
// none is left; compliant contacts take some share of both.
void rh_step_tree_integrate_position(rh_step_worker *worker, int i, double h, double share)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_step_tree_unload(w, tree);
  rh_step_tree_add_work(worker, tree, h, tree->middle ? 0.5 : 1);
  rh_step_tree_give_velocity(w, tree);
  rh_step_joint_rows_rest(worker);
  if (tree->midway) {
    tree->midway = false;
    rh_step_tree_advance(w, tree, 0.5 * h);
    return;
  }
  bool eased = w->laws.compliant && worker->lean > 0;
  share = !w->body[i].pressed ? 0.5 : eased ? worker->lean : share;
  if (share == 1) {
    rh_step_tree_advance(w, tree, h);
    return;
  }
  take_mean(w, tree, share);
  rh_step_tree_advance(w, tree, h);
  rh_step_tree_give_velocity(w, tree);
}

// Springs, dampers and loops need the velocity at the end: with its forces they are stable.
bool rh_step_tree_glides(const rh_step_world *w, int i)
{
  return w->trees.tree[i - w->nfree - 1].middle && !w->laws.compliant;
}

void rh_step_tree_nudge(const rh_step_world *w, int i, double h)
{
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  size_t bytes = (size_t)tree->nz * sizeof *t->z;
  memcpy(t->z0 + tree->z, t->z + tree->z, bytes);
  memcpy(t->z + tree->z, t->pz + tree->z, bytes);
  rh_step_tree_unload(w, tree);
  memcpy(t->z + tree->z, t->z0 + tree->z, bytes);
  double most = 0;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    most = t->dof[z] != RH_NONE ? fmax(most, fabs(t->v[z])) : most;
  }
  double share = most * h > RH_STEP_NUDGE ? RH_STEP_NUDGE / (most * h) : 1;
  for (int z = tree->z; z < tree->z + tree->nz; z++) { // the velocities are kept
    double v = share * t->v[z];
    if (t->dof[z] != RH_NONE) {
      t->v[z] = w->d->v[t->dof[z]];
      w->d->v[t->dof[z]] = v;
    }
  }
  rh_step_tree_advance(w, tree, h);
  rh_step_tree_give_velocity(w, tree);
}
