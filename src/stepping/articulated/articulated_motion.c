// A tree over a step: inertia and forces at the start, the factor, velocities, positions.
//   H^ (v1 - v0) = h (tau - c - K d - (D + h K) v0) + J' p,  H^ = H + h D + h^2 K,  q1 = q0 + h v1
// with c the bias of gravity and velocities, d the extension of springs: springs and dampers act as
// at the end of the step, so that any stiffness is stable. Inertias, forces and axes are about one
// point of the tree: composite inertias are then sums [RBDA ch. 6].
//
// A tree without contact, whose springs are not too stiff to oscillate within steps, takes the step
// by the midpoint rule instead, which is of order two: forces at q0 + h v0/2, springs and dampers
// at the mean of start and end, and the bias once more at the mean velocity.
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
  int left = (t->pos[z] + 4) / 4 * 4;
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
    for (int i = run->on; i < n; i++) { // not its ancestors
      row[i] = 0;
    }
    row += n;
    left -= n;
  }
  row = t->L + t->row[z];
  row[t->pos[z]] += w->m->dof[t->dof[z]].armature;
  worker->rows.stiff = worker->rows.stiff || t->soft[z] > row[t->pos[z]];
  row[t->pos[z]] += t->soft[z];
  for (int i = t->pos[z] + 1; i < (t->pos[z] + 4) / 4 * 4; i++) {
    row[i] = 0;
  }
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

static void give_v(const rh_step_world *w, const rh_step_tree *tree)
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

static void make_tree(rh_step_worker *worker, rh_step_tree *tree, double h, double part)
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

static void advance_coordinates(const rh_step_world *w, rh_step_tree *tree, double h)
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

RH_WIDE
static void add_tree_work(rh_step_worker *worker, const rh_step_tree *tree, double h, double part)
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
  for (int k = tree->body; tree->pushed && k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    outside += rh_power(w->d->kin[i].v, w->d->wrench[i]);
  }
  if (rh_step_hand_holds(w, tree)) {
    double hand = rh_power(w->d->kin[(int)w->d->hand->body].v, tree->pull);
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
  give_v(w, tree);
  tree->stands = false;
}

// A tree without contact moves by the mean velocity, exact under a constant force; a pressed one by
// that at the end, so that closing a gap leaves none; compliant contacts take some share of both.
void rh_step_tree_integrate_position(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_step_tree_unload(w, tree);
  add_tree_work(worker, tree, h, tree->middle ? 0.5 : 1);
  give_v(w, tree);
  rh_step_joint_rows_rest(worker);
  bool eased = w->laws.compliant && worker->lean > 0;
  double share = !w->body[i].pressed ? 0.5 : eased ? worker->lean : 1;
  if (share == 1) {
    advance_coordinates(w, tree, h);
    return;
  }
  take_mean(w, tree, share);
  advance_coordinates(w, tree, h);
  give_v(w, tree);
}

// [rad, m] maximum motion of a joint per step to remove overlap: near the axis of a joint a contact
// hardly moves
static const double NUDGE = 0.05;

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
  double share = most * h > NUDGE ? NUDGE / (most * h) : 1;
  for (int z = tree->z; z < tree->z + tree->nz; z++) { // the velocities are kept
    double v = share * t->v[z];
    if (t->dof[z] != RH_NONE) {
      t->v[z] = w->d->v[t->dof[z]];
      w->d->v[t->dof[z]] = v;
    }
  }
  advance_coordinates(w, tree, h);
  give_v(w, tree);
}

// Dry friction of a tree alone. It starts from its present impulses.
static void solve_dry_friction(rh_step_worker *worker, bool first)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  for (int k = 0; !first && k < worker->rows.njoint; k++) {
    rh_step_branch_nudge(&worker->rows.joint[k].on, 0, t->z, worker->rows.joint[k].p);
  }
  for (int k = 0; worker->rows.njoint > 0 && k < (int)w->par.iterations; k++) {
    worker->tally.sweeps++;
    if (rh_step_joint_rows_visit(worker) <= 1e-3 * w->par.tolerance) {
      break;
    }
  }
}

// Velocities at the end of h, t->v, with the forces at the middle, where the coordinates are; `alone`:
// with the dry friction of the tree
static void velocity_by_middle(rh_step_worker *worker, int i, double h, bool alone)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_data *d = w->d;
  rh_kinematics_of(d, t->member + tree->body, tree->nbody);
  rh_step_tendons_update(w, i);
  make_tree(worker, tree, h, 0.5);
  if (alone) {
    worker->rows.njoint = 0;
    rh_step_dry_make(worker, i, h);
    rh_step_tendon_dry_make(worker, i, h);
  }
  rh_step_tree_integrate_velocity(w, i, h);
  if (alone) {
    solve_dry_friction(worker, true);
  }
  rh_step_tree_unload(w, tree);
  for (int z = tree->z; z < tree->z + tree->nz; z++) { // the bias again, at the mean velocity
    t->v[z] = 0.5 * (t->v0[z] + t->v[z]);
  }
  give_v(w, tree);
  rh_kinematics_of(d, t->member + tree->body, tree->nbody);
  spread_out(w, tree, false);
  gather_in(w, tree, false);
  sum_forces(w, tree);
  rh_step_tree_back(t, tree->z, tree->nz, t->force);
  memcpy(t->v + tree->z, t->v0 + tree->z, (size_t)tree->nz * sizeof *t->v);
  rh_step_tree_load(w, tree);
  rh_step_tree_integrate_velocity(w, i, h);
  if (alone) {
    solve_dry_friction(worker, false);
    rh_step_joint_rows_settle(worker);
  }
  rh_step_tree_unload(w, tree);
}

static void move_tree_free(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  advance_coordinates(w, tree, 0.5 * h);
  velocity_by_middle(worker, i, h, true);
  add_tree_work(worker, tree, h, 0.5);
  give_v(w, tree);
  rh_step_joint_rows_rest(worker);
  advance_coordinates(w, tree, 0.5 * h);
}

static double fastest_spin(const rh_step_world *w, const rh_step_tree *tree)
{
  double spin = 0;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    spin = fmax(spin, rh_norm(w->d->kin[w->trees.member[k]].v.ang));
  }
  return spin;
}

// Copies the coordinates of a tree to t->q0, or back.
static void keep_coordinates(const rh_step_world *w, const rh_step_tree *tree, bool back)
{
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    const rh_model_body *b = &w->m->body[w->trees.member[k]];
    double *q = w->d->q + b->qadr;
    double *kept = w->trees.q0 + b->qadr;
    memcpy(back ? q : kept, back ? kept : q, (size_t)b->joint->nq * sizeof *q);
  }
}

// A tree with rows that turns: inertia and rows are of the start of h, and the velocities without
// rows those of the midpoint rule, so that no spin gains energy.
static void make_tree_ahead(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  size_t bytes = (size_t)tree->nz * sizeof *t->v;
  keep_coordinates(w, tree, false);
  advance_coordinates(w, tree, 0.5 * h);
  velocity_by_middle(worker, i, h, false);
  memcpy(t->z0 + tree->z, t->v + tree->z, bytes);
  memcpy(t->v + tree->z, t->v0 + tree->z, bytes);
  give_v(w, tree);
  keep_coordinates(w, tree, true);
  rh_step_tree_place(w, i);
  make_tree(worker, tree, h, 0.5);
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->v[z] = (t->z0[z] - t->v0[z]) / h;
  }
  memcpy(t->z0 + tree->z, t->z + tree->z, bytes);
  rh_step_tree_load(w, tree);
  memcpy(t->force + tree->z, t->z + tree->z, bytes);
  memcpy(t->z + tree->z, t->z0 + tree->z, bytes);
  memcpy(t->v + tree->z, t->v0 + tree->z, bytes);
}

static const double TURN =
    0.1; // [rad] of a body: midpoint rule, bias taken twice, fails in energy at several times this
static const double SLIGHT = 1e-3; // [rad/s] of a body: slower trees have the bias of the start

// Springs, dampers and actuators act as at the end of the step.
static bool has_joint_forces(const rh_step_world *w, const rh_step_tree *tree)
{
  bool any = tree->nact > 0;
  for (int z = tree->z; !any && z < tree->z + tree->nz; z++) {
    const rh_model_dof *f = w->trees.dof[z] == RH_NONE ? NULL : &w->m->dof[w->trees.dof[z]];
    any = f && (f->spring != 0 || f->damper != 0);
  }
  return any;
}

RH_WIDE
void rh_step_tree_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_place(w, i);
  bool joined = w->m->nloop > 0 || w->m->tendons.n > 0; // loops follow the chord; tendons pull
  tree->middle = !joined && fastest_spin(w, tree) > SLIGHT && !has_joint_forces(w, tree);
  if (tree->middle) {
    make_tree_ahead(worker, i, h);
  } else {
    make_tree(worker, tree, h, 1);
  }
}

double rh_step_tree_turn_time(const rh_step_world *w, int i)
{
  double spin = fastest_spin(w, &w->trees.tree[i - w->nfree - 1]);
  return spin > 0 ? TURN / spin : HUGE_VAL;
}

// Fast spinning bodies take the step in parts.
void rh_step_tree_move_free(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  double spin = fastest_spin(w, &w->trees.tree[i - w->nfree - 1]);
  int parts = spin * h > TURN ? (int)fmin(ceil(spin * h / TURN), 1000) : 1;
  for (int k = 0; k < parts; k++) {
    if (k > 0) {
      rh_step_tree_place(w, i);
    }
    move_tree_free(worker, i, h / parts);
  }
}
