// Rows of single degrees of freedom: limits, which push one way, and dry friction, which holds up
// to its maximum:
//   limit  0 <= p  _|_  u + max(gap, 0)/h >= 0,  u the speed away from the limit; a limit with
//          restitution, or of a tree that a bouncing contact touches, is an impact, located inside the
//          step as those of contacts (impacts/groups.c): u >= -e u0
//   dry    |p| <= h F, and where u is not 0: p = -h F u/|u|; a joint at rest is held by up to h F_s
// Both are in the same sweeps as contacts. They start from zero in each step.
#include "stepping.h"

#include "math/four.h"

#include <string.h>

// [m, rad] of the gap of a limit, < 0: beyond it; `side` is 1 for the lower one, -1 for the upper
static double gap_of(const rh_step_world *w, int dof, double side)
{
  const rh_model_dof *f = &w->m->dof[dof];
  double q = w->d->q[f->coord];
  return side > 0 ? q - f->lower : f->upper - q;
}

// A limit takes part if it may be reached in h: by the present velocity, and twice the change by
// forces.
static bool near_limit(const rh_step_world *w, int dof, double side, double h)
{
  const rh_model_dof *f = &w->m->dof[dof];
  double bound = side > 0 ? f->lower : f->upper;
  if (f->coord == RH_NONE || !isfinite(bound)) {
    return false;
  }
  double v = w->d->v[dof] * side;
  double room = h * fabs(v) + fmax(0.01 * (f->upper - f->lower), 1e-3);
  return gap_of(w, dof, side) <= (isfinite(room) ? room : h * fabs(v) + 0.1);
}

bool rh_step_limits_near(const rh_step_world *w, int i, double h)
{
  const rh_step_trees *t = &w->trees;
  const rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  for (int z = tree->z; tree->nlimit > 0 && z < tree->z + tree->nz; z++) {
    int k = t->dof[z];
    if (k == RH_NONE || w->d->hold[k] == RH_HOLD_LOCK) {
      continue;
    }
    if (near_limit(w, k, 1, h) || near_limit(w, k, -1, h)) {
      return true;
    }
  }
  return rh_step_tendons_near(w, i, h);
}

// The row of a degree of freedom by the present factor
static void fill_line(const rh_step_world *w, rh_joint_row *line)
{
  const rh_step_trees *t = &w->trees;
  rh_root_path to = t->way[w->m->dof[line->dof].body];
  double *Y = line->on.Y;
  to.tip = line->z;
  memset(Y, 0, (size_t)to.len * sizeof *Y);
  Y[t->pos[line->z]] = line->sign;
  rh_step_rows_back(t, &to, 1, Y);
  line->w = rh_four_dot(Y, Y, to.len);
  line->iw = 1 / line->w;
}

static rh_joint_row *add_line(rh_step_worker *worker, int z, double sign)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  int k = t->dof[z];
  const rh_root_path *way = &t->way[w->m->dof[k].body];
  rh_joint_row *line = &worker->rows.joint[worker->rows.njoint];
  double *Y = worker->rows.joint_Y + (size_t)worker->rows.njoint * (size_t)t->widest;
  worker->rows.njoint++;
  *line =
      (rh_joint_row){.on = {.run = t->run + way->run, .nrun = way->nrun, .len = way->len, .Y = Y},
                     .z = z,
                     .sign = sign,
                     .dof = k,
                     .tendon = RH_NONE,
                     .mobile = w->mobile[w->m->dof[k].body]};
  fill_line(w, line);
  line->u0 = sign * t->v0[z];
  return line;
}

void rh_step_joint_rows_again(rh_step_worker *worker)
{
  for (int k = 0; k < worker->rows.njoint; k++) {
    fill_line(worker->world, &worker->rows.joint[k]);
  }
}

void rh_step_joint_rows_warm(rh_step_worker *worker)
{
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (line->p != 0) {
      rh_step_branch_nudge(&line->on, 0, worker->world->trees.z, line->p);
    }
  }
}

static void add_limit(rh_step_worker *worker, int z, double side, double h)
{
  const rh_step_world *w = worker->world;
  int k = w->trees.dof[z];
  double gap = gap_of(w, k, side);
  rh_joint_row *line = add_line(worker, z, side);
  line->kind = RH_STEP_LIMIT;
  line->gap = gap;
  line->e = w->m->dof[k].bounce;
  line->bias = fmax(gap, 0) / h;
}

// ---- Limits that last: a joint rests on them from the start of a step to its end

static bool limit_lasts(const rh_step_world *w, int z, double side)
{
  int k = w->trees.dof[z];
  return k != RH_NONE && w->m->dof[k].coord != RH_NONE && w->d->hold[k] != RH_HOLD_LOCK &&
         fabs(gap_of(w, k, side)) <= RH_STEP_HELD && fabs(w->trees.v0[z]) <= w->par.tolerance;
}

bool rh_step_limits_may_last(const rh_step_world *w, int i, double h)
{
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  double least = -RH_STEP_HELD - h * w->par.tolerance;
  bool may = true;
  for (int z = tree->z; tree->nlimit > 0 && may && z < tree->z + tree->nz; z++) {
    int k = w->trees.dof[z];
    may = k == RH_NONE || w->m->dof[k].coord == RH_NONE ||
          (gap_of(w, k, 1) + h * fmin(w->d->v[k], 0) >= least &&
           gap_of(w, k, -1) - h * fmax(w->d->v[k], 0) >= least);
  }
  return may;
}

void rh_step_limits_hold(rh_step_worker *worker, int i, double h)
{
  const rh_step_tree *tree = &worker->world->trees.tree[i - worker->world->nfree - 1];
  for (int z = tree->z; tree->nlimit > 0 && z < tree->z + tree->nz; z++) {
    for (double side = -1; side < 2; side += 2) {
      if (limit_lasts(worker->world, z, side)) {
        add_limit(worker, z, side, h);
        worker->rows.joint[worker->rows.njoint - 1].bias = 0; // it keeps the gap
      }
    }
  }
}

bool rh_step_limits_kept(rh_step_worker *worker, int i)
{
  const rh_step_world *w = worker->world;
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  bool kept = true;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    double u = rh_step_branch_row(&line->on, 0, w->trees.z);
    kept = kept && (line->kind != RH_STEP_LIMIT || fabs(fmin(u, line->p)) <= w->par.tolerance);
  }
  for (int z = tree->z; tree->nlimit > 0 && kept && z < tree->z + tree->nz; z++) {
    int k = w->trees.dof[z];
    kept = k == RH_NONE || w->m->dof[k].coord == RH_NONE ||
           (gap_of(w, k, 1) >= -RH_STEP_HELD && gap_of(w, k, -1) >= -RH_STEP_HELD);
  }
  return kept;
}

void rh_step_limits_rest(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (line->kind == RH_STEP_LIMIT && line->p > 0 &&
        fabs(w->d->v[line->dof]) <= w->par.tolerance) {
      w->d->v[line->dof] = 0;
    }
  }
}

// ---- Rows of a step

static void add_dry(rh_step_worker *worker, int z, double h)
{
  const rh_step_world *w = worker->world;
  int k = w->trees.dof[z];
  rh_joint_row *line = add_line(worker, z, 1);
  line->kind = RH_STEP_DRY;
  line->limit = h * w->m->dof[k].friction;
  line->rest = h * w->m->dof[k].stiction;
}

void rh_step_dry_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  const rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  for (int z = tree->z; tree->ndry > 0 && z < tree->z + tree->nz; z++) {
    int k = t->dof[z];
    if (k != RH_NONE && w->d->hold[k] != RH_HOLD_LOCK && w->m->dof[k].stiction > 0) {
      add_dry(worker, z, h);
    }
  }
}

void rh_step_joint_rows_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  const rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_step_dry_make(worker, i, h);
  for (int z = tree->z; tree->nlimit > 0 && z < tree->z + tree->nz; z++) {
    int k = t->dof[z];
    if (k == RH_NONE || w->d->hold[k] == RH_HOLD_LOCK) {
      continue;
    }
    if (near_limit(w, k, 1, h)) {
      add_limit(worker, z, 1, h);
    }
    if (near_limit(w, k, -1, h)) {
      add_limit(worker, z, -1, h);
    }
  }
}

static double visit_row(const rh_step_world *w, rh_joint_row *line)
{
  double *z = w->trees.z;
  double next = line->p - (rh_step_branch_row(&line->on, 0, z) + line->bias) * line->iw;
  if (line->kind == RH_STEP_LIMIT) {
    next = fmax(next, 0);
  } else if (fabs(next) > (line->u0 == 0 ? line->rest : line->limit)) {
    next = next > 0 ? line->limit : -line->limit;
  }
  double p = next - line->p;
  line->p = next;
  if (p != 0) {
    rh_step_branch_nudge(&line->on, 0, z, p);
  }
  return fabs(p) * line->w;
}

double rh_step_joint_rows_visit(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  double change = 0;
  for (int k = 0; k < worker->rows.njoint; k++) {
    change = fmax(change, visit_row(w, &worker->rows.joint[k]));
  }
  return change;
}

// ---- Impacts at limits

// Is the moment in which it is reached an impact of its own?
static bool has_impact(const rh_joint_row *line)
{
  return line->kind == RH_STEP_LIMIT && (line->e > 0 || line->shakes);
}

// The impulse of a limit comes first, and what it makes approach has its impact then, as a body that lies
// on a board which hits its stop. Without restitution at contacts one problem of the step has all of it.
void rh_step_joint_rows_shake(rh_step_worker *worker, const rh_step_island *s,
                              const rh_found_contact *touch)
{
  const rh_step_world *w = worker->world;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    if (w->info[k].e == 0 || t->phi > RH_STEP_LASTING * w->par.slop) {
      continue;
    }
    for (int i = 0; i < worker->rows.njoint; i++) {
      rh_joint_row *line = &worker->rows.joint[i];
      bool near = line->mobile == t->ma || line->mobile == t->mb;
      line->shakes = line->shakes || (near && line->tendon == RH_NONE);
    }
  }
}

// Acceleration of the gap by forces
static double gap_acceleration(const rh_step_world *w, const rh_joint_row *line)
{
  return w->body[line->mobile].pressed ? 0 : rh_step_branch_row(&line->on, 0, w->trees.force);
}

double rh_step_joint_rows_first(const rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  double first = HUGE_VAL;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (has_impact(line)) {
      first =
          fmin(first, rh_step_closes(w->slow, line->gap, line->u0, gap_acceleration(w, line), h));
    }
  }
  return first;
}

void rh_step_joint_rows_release(rh_step_worker *worker, double t)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    rh_joint_row *line = &worker->rows.joint[k];
    double gap = line->gap + (line->u0 + 0.5 * gap_acceleration(w, line) * t) * t;
    if (has_impact(line) && gap >= -RH_STEP_CLOSED) {
      line->bias = HUGE_VAL;
    }
  }
}

static bool strikes_fast(const rh_step_world *w, const rh_joint_row *line)
{
  return has_impact(line) && line->gap <= RH_STEP_CLOSED && line->u0 < -w->slow;
}

bool rh_step_joint_rows_fast(const rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  bool any = false;
  for (int k = 0; k < worker->rows.njoint; k++) {
    any = any || strikes_fast(w, &worker->rows.joint[k]);
  }
  return any;
}

bool rh_step_joint_rows_first_alone(const rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  bool any = false;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    any = any || (line->shakes && strikes_fast(w, line));
  }
  return any;
}

// Limits that are not reached, and friction, which has no time, do nothing.
void rh_step_joint_rows_impact(rh_step_worker *worker)
{
  for (int k = 0; k < worker->rows.njoint; k++) {
    rh_joint_row *line = &worker->rows.joint[k];
    line->p = line->limit = line->rest = 0;
  }
}

void rh_step_joint_rows_aim(rh_step_worker *worker, bool newton)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    rh_joint_row *line = &worker->rows.joint[k];
    bool leaves = line->shakes && line->u0 > w->slow; // it may come back: another impact
    bool open = line->kind == RH_STEP_LIMIT && (line->gap > RH_STEP_CLOSED || leaves);
    line->bias = open ? HUGE_VAL : newton && strikes_fast(w, line) ? line->e * line->u0 : 0;
  }
}

int rh_step_joint_rows_closed(const rh_step_worker *worker)
{
  int n = 0;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    n += line->kind == RH_STEP_LIMIT && line->gap <= RH_STEP_CLOSED;
  }
  return n;
}

void rh_step_joint_rows_report(rh_step_worker *worker, bool alone)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (line->p > 0 && strikes_fast(w, line)) {
      const rh_model_dof *f = &w->m->dof[line->dof];
      double side = w->d->q[f->coord] - f->lower < f->upper - w->d->q[f->coord] ? 1 : -1;
      double u = rh_step_branch_row(&line->on, 0, w->trees.z);
      rh_impact_record *e = rh_step_impact_record_add(worker, RH_NONE, line->dof);
      e->alone = alone;
      e->before = side * line->u0;
      e->after = side * u;
      e->impulse = side * line->p;
      e->work = 0.5 * line->p * (line->u0 + u);
    }
  }
}

// Work: of dry friction it is dissipated, of limits it belongs to the impacts at stops. A joint
// stopped by friction is at rest, without solver rounding.
void rh_step_joint_rows_settle(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    double work = 0.5 * line->p * (line->u0 + rh_step_branch_row(&line->on, 0, w->trees.z));
    if (line->kind == RH_STEP_DRY) {
      worker->result.work[RH_WORK_DAMPER] -= work;
    } else {
      worker->result.impact_work += work;
      w->body[line->mobile].pressed = w->body[line->mobile].pressed || line->p > 0;
      if (line->tendon != RH_NONE && line->p > 0) {
        rh_step_tendon_mark_pressed(w, line->tendon);
      }
    }
  }
}

bool rh_step_limits_glide(const rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  bool glide = true;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    double closing = -0.5 * h * (line->u0 + rh_step_branch_row(&line->on, 0, w->trees.z));
    double room = line->p == 0 && line->gap > 0 ? line->gap : 0;
    glide = glide && (line->kind != RH_STEP_LIMIT || (closing <= room + RH_STEP_HELD &&
                                                      (line->p == 0 || closing >= -RH_STEP_HELD)));
  }
  return glide;
}

bool rh_step_limits_last(const rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  bool last = worker->rows.njoint == 0 || rh_step_limits_glide(worker, h);
  for (int k = 0; last && k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    last = line->kind != RH_STEP_LIMIT || line->p == 0 ||
           (fabs(line->gap) <= RH_STEP_HELD && fabs(line->u0) <= w->par.tolerance);
  }
  return last;
}

// After the velocities are known: joints held by friction have none.
void rh_step_joint_rows_rest(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (line->tendon == RH_NONE && line->kind == RH_STEP_DRY && fabs(line->p) < line->limit &&
        fabs(w->d->v[line->dof]) <= w->par.tolerance) {
      w->d->v[line->dof] = 0;
    }
  }
}
