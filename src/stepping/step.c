// A part of a step of an island: velocities, impulses, positions.
#include "contact_kernels.h"

#include <string.h>

// ---- A part of a step: velocities, impulses, positions

enum { AHEAD = 4 }; // contacts whose bodies are prefetched

// The impulses of the last step, in full
static void warm_start(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  int end = s->con + s->ncon;
  (void)user;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    rh_step_prefetch_bodies(w, k + AHEAD, end);
    if (c->p[3] > 0) {
      rh_step_push(worker, c, rh_step_impulse(w, c, c->p));
    }
  }
}

static void integrate_velocity(const rh_step_world *w, int i, double h)
{
  if (i > w->nfree) {
    rh_step_tree_integrate_velocity(w, i, h);
  } else {
    rh_step_velocity *b = &w->velocity[i];
    rh_step_integrate_velocity(b, &w->body[i], h);
    if (w->laws.restitution) {
      w->body[i].wk = rh_v3(b->w[0], b->w[1], b->w[2]);
    }
  }
}

static void kick_all(rh_step_worker *worker, rh_step_slice *s, const void *step)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    integrate_velocity(w, i, *(const double *)step - (w->laws.restitution ? w->body[i].ahead : 0));
  }
}

// [J] contacts' part of gravity's work
static double integrate_position(rh_step_worker *worker, int i, double h, double share)
{
  const rh_step_world *w = worker->world;
  double work = 0;
  if (i > w->nfree) {
    rh_step_tree_integrate_position(worker, i, h);
    return 0;
  }
  rh_step_body *c = &w->body[i];
  const rh_step_velocity *b = &w->velocity[i];
  share = c->pressed || c->near ? share : 0.5;
  if (c->forced) {
    rh_step_ledger_force(w, i, h);
  }
  if (share > 0.5 && c->pressed && !c->eased) { // see energy.c
    rh_vec3 short_of =
        rh_scale((share - 0.5) * h * c->mass, rh_sub(rh_v3(b->v[0], b->v[1], b->v[2]), c->v0));
    work = -rh_dot(w->m->gravity, short_of);
  }
  rh_step_integrate_position(&w->velocity[i], c, h, share);
  return work;
}

typedef struct motion {
  double h;
  double share; // of the velocities at the end
} motion;

static void drift_all(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  const motion *m = user;
  s->work = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    double left = m->h - (w->laws.restitution ? w->body[i].ahead : 0);
    if (w->laws.restitution && w->body[i].strikes) {
      rh_step_move_free_on(worker, i, left);
    } else {
      s->work += integrate_position(worker, i, left, m->share);
    }
  }
}

// The world, mobile 0, is not moved, and belongs to all islands: it is never written.
static void mark_pressed(const rh_step_world *w, int mobile, bool soft)
{
  rh_step_body *c = &w->body[mobile];
  if (mobile != 0) {
    c->eased = soft && (c->eased || !c->pressed);
    c->pressed = true;
  }
}

static void mark_slice(rh_step_worker *worker, rh_step_slice *s, const void *touches)
{
  const rh_step_world *w = worker->world;
  const rh_found_contact *touch = touches;
  int end = s->con + s->ncon;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    if (k + AHEAD < end) {
      __builtin_prefetch(&w->body[c[AHEAD].a]);
      __builtin_prefetch(&w->body[c[AHEAD].b]);
    }
    if (c->p[3] == 0) {
      continue;
    }
    const rh_found_contact *t = c->jointed ? &touch[w->info[k].touch] : NULL;
    mark_pressed(w, t ? t->ma : c->a, c->soft);
    mark_pressed(w, t ? t->mb : c->b, c->soft);
  }
}

static const double STILL = 1e-4; // of the tolerance

// An island that is pressed everywhere and moves by far less than the solver's tolerance rests: its
// velocity is set to zero, and it does not creep.
static void stop_resting_island(const rh_step_world *w, const rh_step_island *s)
{
  const int *member = w->member + s->mob;
  double slow = STILL * w->par.tolerance;
  for (int i = 0; i < s->nmob; i++) {
    const rh_step_velocity *b = &w->velocity[member[i]];
    const rh_step_body *c = &w->body[member[i]];
    if (member[i] > w->nfree) {
      if (!c->pressed || !rh_step_tree_rests(w, member[i], slow)) {
        return;
      }
      continue;
    }
    double arm = c->size;
    double v = b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2];
    double spin = b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2];
    if (!c->pressed || v + arm * arm * spin > slow * slow) {
      return;
    }
  }
  for (int i = 0; i < s->nmob; i++) {
    rh_step_velocity *b = &w->velocity[member[i]];
    if (member[i] > w->nfree) {
      rh_step_tree_stop(w, member[i]);
      continue;
    }
    for (int k = 0; k < 3; k++) {
      b->v[k] = b->w[k] = 0;
    }
  }
}

void rh_step_move_free(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  integrate_velocity(w, i, h);
  (void)integrate_position(worker, i, h, 0.5); // nothing presses it
}

void rh_step_move_free_on(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_velocity *b = &w->velocity[i];
  rh_step_body *c = &w->body[i];
  rh_step_write_vec(rh_step_velocity_after_impact(c, rh_step_read_vec(b->v), h), b->v);
  rh_step_write_vec(rh_step_spin_after_impact(c, rh_step_read_vec(b->w)), b->w);
  rh_step_move_free(worker, i, h);
}

void rh_step_substep_solve(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  (void)rh_step_for_each_slice(worker, s, kick_all, &h, false);
  double free = w->trees.n > 0 ? rh_step_limit_begin(w, s) : -1;
  (void)rh_step_for_each_slice(worker, s, warm_start, NULL, true);
  if (w->m->nloop > 0) {
    rh_step_loops_warm(worker);
  }
  long unsolved = worker->tally.unsolved;
  rh_step_solve(worker, s);
  if (!w->laws.compliant && s->nloop == 0 && (worker->tally.unsolved > unsolved || free >= 0)) {
    rh_step_limit_step(worker, s, free, h);
  }
  if (w->laws.compliant) {
    rh_step_compliant_solve(worker, s, h);
  }
}

// [m] the deepest overlap of rigid contacts; the tally gets the deepest of all that press or close.
static double deepest_overlap(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double deepest = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    double deep = -w->info[k].phi;
    bool real = w->row[k].p[3] > 0 || w->info[k].un < 0; // else it may be one of a feature behind
    worker->tally.deepest = real ? fmax(worker->tally.deepest, deep) : worker->tally.deepest;
    deepest = w->row[k].soft ? deepest : fmax(deepest, deep);
  }
  return deepest;
}

void rh_step_substep_move(rh_step_worker *worker, const rh_step_island *s, rh_found_contact *touch,
                          double h)
{
  const rh_step_world *w = worker->world;
  (void)rh_step_for_each_slice(worker, s, mark_slice, touch, true);
  if (s->nloop == 0) {
    stop_resting_island(w, s);
  }
  if (w->checks.on) {
    rh_step_check_solution(worker, s, touch);
  }
  bool smooth =
      rh_step_ledger_contacts(worker, s, touch, h) && s->nloop == 0; // loops follow the chord
  if (w->trees.n > 0) {
    rh_step_joint_rows_settle(worker);
  }
  if (w->m->nloop > 0) {
    rh_step_loops_settle(worker, h);
  }
  const motion m = {h, w->laws.compliant && worker->lean > 0 ? worker->lean : smooth ? 0.5 : 1};
  worker->result.impact_work += rh_step_for_each_slice(worker, s, drift_all, &m, false).work;
  double deepest = deepest_overlap(worker, s);
  if (deepest > w->par.slop) {
    rh_step_correct_positions(worker, s, h, deepest);
  }
}

void rh_step_substep(rh_step_worker *worker, const rh_step_island *s, rh_found_contact *touch,
                     double h)
{
  rh_step_substep_solve(worker, s, h);
  rh_step_substep_move(worker, s, touch, h);
}

enum {
  RETRIED_MAX = 1024
}; // contacts; larger islands have late contacts in every step, and are not repeated

// An island at rest has no late contacts.
bool rh_step_may_be_missed(const rh_step_world *w, const rh_step_island *s)
{
  bool free = w->shapes.edged && s->ncon > 0 && s->ncon <= RETRIED_MAX && s->nloop == 0;
  bool moves = false;
  for (int k = s->mob; free && k < s->mob + s->nmob; k++) {
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    free = w->member[k] <= w->nfree;
    moves = moves || b->v[0] != 0 || b->v[1] != 0 || b->v[2] != 0 || b->w[0] != 0 || b->w[1] != 0 ||
            b->w[2] != 0;
  }
  return free && moves;
}
