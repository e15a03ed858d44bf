// substep.c: an island over a part of a step: velocities, impulses, positions.
#include "compliant.h"
#include "contact_kernels.h"

#include <string.h>

enum { AHEAD = 4 }; // contacts whose bodies are prefetched

// The impulses of the last step, in full
static void warm_start(rh_step_world *w, rh_step_slice *s, const void *user)
{
  int end = s->con + s->ncon;
  (void)user;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->con[k];
    rh_step_prefetch_bodies(w, k + AHEAD, end);
    if (c->p[3] > 0) {
      rh_step_push(w, c, rh_step_impulse(w, c, c->p));
    }
  }
}

static void integrate_velocity(rh_step_world *w, int i, double h)
{
  if (i > w->nfree) {
    rh_step_tree_integrate_velocity(w, i, h);
  } else {
    rh_step_velocity *b = &w->hot[i];
    rh_step_integrate_velocity(b, &w->cold[i], h);
    if (w->lively) {
      w->cold[i].wk = rh_v3(b->w[0], b->w[1], b->w[2]);
    }
  }
}

static void kick_all(rh_step_world *w, rh_step_slice *s, const void *step)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    integrate_velocity(w, i, *(const double *)step - (w->lively ? w->cold[i].ahead : 0));
  }
}

// [J] contacts' part of gravity's work
static double integrate_position(rh_step_world *w, int i, double h, double share)
{
  double work = 0;
  if (i > w->nfree) {
    rh_step_tree_integrate_position(w, i, h);
    return 0;
  }
  rh_step_body *c = &w->cold[i];
  const rh_step_velocity *b = &w->hot[i];
  share = c->pressed || c->near ? share : 0.5;
  if (c->forced) {
    rh_step_ledger_force(w, i, h);
  }
  if (share > 0.5 && c->pressed && !c->eased) { // see energy.c
    rh_vec3 short_of =
        rh_scale((share - 0.5) * h * c->mass, rh_sub(rh_v3(b->v[0], b->v[1], b->v[2]), c->v0));
    work = -rh_dot(w->m->gravity, short_of);
  }
  rh_step_integrate_position(&w->hot[i], c, h, share);
  return work;
}

typedef struct motion {
  double h;
  double share; // of the velocities at the end
} motion;

static void drift_all(rh_step_world *w, rh_step_slice *s, const void *user)
{
  const motion *m = user;
  s->work = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    double left = m->h - (w->lively ? w->cold[i].ahead : 0);
    if (w->lively && w->cold[i].strikes) {
      rh_step_move_free_on(w, i, left);
    } else {
      s->work += integrate_position(w, i, left, m->share);
    }
  }
}

// The world, mobile 0, is not moved, and belongs to all islands: it is never written.
static void mark_pressed(rh_step_world *w, int mobile, bool soft)
{
  rh_step_body *c = &w->cold[mobile];
  if (mobile != 0) {
    c->eased = soft && (c->eased || !c->pressed);
    c->pressed = true;
  }
}

static void mark_slice(rh_step_world *w, rh_step_slice *s, const void *touches)
{
  const rh_step_contact *touch = touches;
  int end = s->con + s->ncon;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->con[k];
    if (k + AHEAD < end) {
      __builtin_prefetch(&w->cold[c[AHEAD].a]);
      __builtin_prefetch(&w->cold[c[AHEAD].b]);
    }
    if (c->p[3] == 0) {
      continue;
    }
    const rh_step_contact *t = c->jointed ? &touch[w->side[k].touch] : NULL;
    mark_pressed(w, t ? t->ma : c->a, c->soft);
    mark_pressed(w, t ? t->mb : c->b, c->soft);
  }
}

static const double STILL = 1e-4; // of the tolerance

// An island that is pressed everywhere and moves by far less than the solver's tolerance rests: its
// velocity is set to zero, and it does not creep.
static void stop_resting_island(rh_step_world *w, const rh_step_island *s)
{
  const int *member = w->member + s->mob;
  double slow = STILL * w->par.tolerance;
  for (int i = 0; i < s->nmob; i++) {
    const rh_step_velocity *b = &w->hot[member[i]];
    const rh_step_body *c = &w->cold[member[i]];
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
    rh_step_velocity *b = &w->hot[member[i]];
    if (member[i] > w->nfree) {
      rh_step_tree_stop(w, member[i]);
      continue;
    }
    for (int k = 0; k < 3; k++) {
      b->v[k] = b->w[k] = 0;
    }
  }
}

void rh_step_move_free(rh_step_world *w, int i, double h)
{
  integrate_velocity(w, i, h);
  (void)integrate_position(w, i, h, 0.5); // nothing presses it
}

void rh_step_move_free_on(rh_step_world *w, int i, double h)
{
  rh_step_velocity *b = &w->hot[i];
  rh_step_body *c = &w->cold[i];
  rh_step_write_vec(rh_step_velocity_after_impact(c, rh_step_read_vec(b->v), h), b->v);
  rh_step_write_vec(rh_step_spin_after_impact(c, rh_step_read_vec(b->w)), b->w);
  rh_step_move_free(w, i, h);
}

void rh_step_substep_solve(rh_step_world *w, const rh_step_island *s, double h)
{
  (void)rh_step_for_each_slice(w, s, kick_all, &h, false);
  double free = w->trees.n > 0 ? rh_step_energy_limit_begin(w, s) : -1;
  (void)rh_step_for_each_slice(w, s, warm_start, NULL, true);
  rh_step_loops_warm(w);
  long unsolved = w->tally.unsolved;
  rh_step_solve(w, s);
  if (!w->soft && s->ntie == 0 && (w->tally.unsolved > unsolved || free >= 0)) {
    rh_step_energy_limit_unsolved(w, s, free, h);
  }
  if (w->soft) {
    rh_step_compliant_solve(w, s, h);
  }
}

void rh_step_substep_move(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch,
                          double h)
{
  (void)rh_step_for_each_slice(w, s, mark_slice, touch, true);
  if (s->ntie == 0) {
    stop_resting_island(w, s);
  }
  if (w->judging) {
    rh_step_check_solution(w, s, touch);
  }
  bool smooth = rh_step_ledger_contacts(w, s, touch, h) && s->ntie == 0; // loops follow the chord
  rh_step_joint_rows_settle(w);
  rh_step_loops_settle(w, h);
  const motion m = {h, w->soft && w->lean > 0 ? w->lean : smooth ? 0.5 : 1};
  w->struck += rh_step_for_each_slice(w, s, drift_all, &m, false).work;
  rh_step_correct_positions(w, s, h);
}

void rh_step_substep(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h)
{
  rh_step_substep_solve(w, s, h);
  rh_step_substep_move(w, s, touch, h);
}
