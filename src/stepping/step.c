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
  for (int k = s->con; w->laws.turn && k < end; k++) { // torques that go with them
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_start(worker, &w->row[k]);
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
    if (w->laws.impacts) {
      w->body[i].wk = rh_v3(b->w[0], b->w[1], b->w[2]);
    }
  }
}

static void kick_all(rh_step_worker *worker, rh_step_slice *s, const void *step)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    integrate_velocity(w, i, *(const double *)step - (w->laws.impacts ? w->body[i].ahead : 0));
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
    double left = m->h - (w->laws.impacts ? w->body[i].ahead : 0);
    if (w->laws.impacts && w->body[i].strikes) {
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

static bool body_moves(const rh_step_world *w, int i)
{
  const rh_step_velocity *b = &w->velocity[i];
  double slow = STILL * w->par.tolerance;
  double arm = w->body[i].size;
  double v = b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2];
  double spin = b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2];
  return v + arm * arm * spin > slow * slow;
}

// An island that is pressed everywhere and moves by far less than the solver's tolerance rests: its
// velocity is set to zero, and it does not creep.
static void stop_resting_island(const rh_step_world *w, const rh_step_island *s)
{
  const int *member = w->member + s->mob;
  double slow = STILL * w->par.tolerance;
  for (int i = 0; i < s->nmob; i++) {
    const rh_step_body *c = &w->body[member[i]];
    if (member[i] > w->nfree) {
      if (!c->pressed || !rh_step_tree_rests(w, member[i], slow)) {
        return;
      }
      continue;
    }
    if (!c->pressed || body_moves(w, member[i])) {
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

// ---- The middle of a step

enum { FEW = 6 }; // mobiles: an island of fewer is solved at the middle of its step

static const double TURN = 0.5; // [rad] greater turns of a step are not predicted

// Do contacts that last move with their bodies?
static bool contacts_move(const rh_step_worker *worker, const rh_step_island *s,
                          const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  bool few = s->nmob < FEW && s->nloop == 0 && !w->laws.compliant;
  bool any = false;
  for (int k = s->mob; few && k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    rh_vec3 spin = rh_step_read_vec(w->velocity[i].w);
    few = i <= w->nfree && h * h * rh_dot(spin, spin) < TURN * TURN;
  }
  for (int k = s->con; few && k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    bool flat = w->search->geom[t->b].kind == w->shapes.plane && t->mb == 0;
    bool steady = w->row[k].round && flat;                           // a ball on the ground
    few = -0.5 * h * w->info[k].un <= fmax(t->phi, 0) + w->par.slop; // else it is an impact
    any = any ||
          (!steady && rh_dot(t->f, t->f) > 0 && (body_moves(w, t->ma) || body_moves(w, t->mb)));
  }
  return any && few;
}

static rh_vec3 point_velocity(const rh_step_world *w, int i, rh_vec3 point)
{
  const rh_step_velocity *b = &w->velocity[i];
  return i == 0 ? rh_v3(0, 0, 0)
                : rh_add(rh_step_read_vec(b->v),
                         rh_cross(rh_step_read_vec(b->w), rh_sub(point, w->body[i].x)));
}

// Contact t in the list of its pair; a feature that has gone moves along with the bodies.
static rh_found_contact find_midway(const rh_step_world *w, const rh_found_contact *t,
                                    const rh_found_contact *list, int n, double h)
{
  rh_found_contact x = *t;
  for (int i = 0; i < n; i++) {
    if (list[i].id == t->id) {
      x.point = list[i].point;
      x.n = list[i].n;
      return x;
    }
  }
  rh_vec3 u = rh_add(point_velocity(w, t->ma, t->point), point_velocity(w, t->mb, t->point));
  double share = t->ma != 0 && t->mb != 0 ? 0.25 : 0.5;
  x.point = rh_addscaled(t->point, share * h, u);
  return x;
}

bool rh_step_to_middle(rh_step_worker *worker, const rh_step_island *s,
                       const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  rh_found_contact list[RH_MANIFOLD_MAX];
  const rh_found_contact *pair = NULL;
  int n = 0;
  bool smooth = true;
  worker->midway = contacts_move(worker, s, touch, h);
  if (!worker->midway) {
    return false;
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->midway = true;
    c->start.x = c->x;
    c->start.q = c->q;
    c->v0 = rh_step_read_vec(w->velocity[w->member[k]].v);
    c->w0 = rh_step_read_vec(w->velocity[w->member[k]].w);
    rh_step_half_way(&w->velocity[w->member[k]], c, h);
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    if (!pair || pair->a != t->a || pair->b != t->b) {
      rh_step_place(w, t->a);
      rh_step_place(w, t->b);
      n = rh_step_collide_pair(worker, t->a, t->b, list);
      pair = t;
    }
    rh_found_contact x = find_midway(w, t, list, n, h);
    smooth = rh_step_rows_midway(worker, k, &x, h) && smooth;
  }
  return smooth;
}

// Velocities as at the start
static void begin_round(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    rh_step_write_vec(w->body[i].v0, w->velocity[i].v);
    rh_step_write_vec(w->body[i].w0, w->velocity[i].w);
  }
}

static const double GAINED = 1e-4; // of the energy, in a step: the contacts do not move steadily

// Have contacts given the island energy?
static bool island_gains(const rh_step_world *w, const rh_step_island *s, double h)
{
  double gain = -rh_step_island_drive(w, s);
  double energy = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    const rh_step_body *c = &w->body[i];
    rh_vec3 v = rh_step_read_vec(w->velocity[i].v);
    rh_vec3 spin = rh_step_read_vec(w->velocity[i].w);
    double before = rh_step_kinetic(w, i, c->v0, c->w0);
    double after = rh_step_kinetic(w, i, v, spin);
    energy += fmax(before, after);
    gain += after - before - 0.5 * h * c->mass * rh_dot(c->a, rh_add(c->v0, v)) -
            0.5 * h * rh_dot(c->torque, rh_add(c->w0, spin));
  }
  return gain > GAINED * energy;
}

bool rh_step_middle_fits(const rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  bool fits = !island_gains(w, s, h);
  for (int k = s->con; fits && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    double u = rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(worker, c));
    double closing = -0.5 * h * (w->info[k].un + u);
    double gap = c->p[3] == 0 ? fmax(w->info[k].phi, 0) : 0;
    bool lasts = w->info[k].lasts && closing >= -w->par.slop;
    fits = closing <= gap + w->par.slop && (c->p[3] == 0 || lasts);
  }
  return fits;
}

void rh_step_leave_middle(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  begin_round(w, s);
  worker->midway = false;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->midway = false;
    c->x = c->start.x;
    c->q = c->start.q;
    rh_step_update_rotation(&w->velocity[w->member[k]], c);
  }
}

void rh_step_keep_middle(const rh_step_world *w, const rh_step_island *s, rh_found_contact *touch)
{
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_found_contact *t = &touch[w->info[k].touch];
    t->n = rh_step_read_vec(w->row[k].n);
    t->point = w->info[k].point;
  }
}

// The moments of the present impulses on the bodies; in the first round they are not known
static void sum_moments(const rh_step_world *w, const rh_step_island *s, bool known)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    w->body[w->member[k]].press = rh_v3(0, 0, 0);
  }
  for (int k = s->con; known && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    rh_vec3 r[2];
    rh_vec3 P = rh_step_impulse(w, c, c->p);
    rh_step_arms(w, c, r);
    const int body[2] = {c->a, c->b};
    for (int i = 0; i < 2 && c->p[3] > 0; i++) {
      if (body[i] != 0) {
        rh_vec3 *sum = &w->body[body[i]].press;
        rh_vec3 moment = rh_cross(r[i], P);
        moment = rh_step_turns(w, c) ? rh_add(moment, rh_step_turn_torque(w, c)) : moment;
        *sum = rh_addscaled(*sum, i == 0 ? 1 : -1, moment);
      }
    }
  }
}

enum {
  ROUNDS = 3
}; // at the middle of a step: gyroscopic moments and impulses depend on one another

static void solve_midway(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  long unsolved = worker->tally.unsolved;
  for (int k = 0; k < ROUNDS; k++) {
    if (k > 0) {
      begin_round(w, s);
    }
    sum_moments(w, s, k > 0);
    (void)rh_step_for_each_slice(worker, s, kick_all, &h, false);
    (void)rh_step_for_each_slice(worker, s, warm_start, NULL, true);
    rh_step_solve(worker, s);
  }
  if (worker->tally.unsolved > unsolved) {
    rh_step_limit_step(worker, s, -1, h);
  }
}

void rh_step_substep_solve(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  if (worker->midway) {
    solve_midway(worker, s, h);
    return;
  }
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
    bool real =
        w->row[k].p[3] > 0 || w->info[k].un < 0; // else it may be of a feature on the far side
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
  for (int k = s->mob; w->trees.n > 0 && k < s->mob + s->nmob; k++) {
    smooth = smooth && w->member[k] <= w->nfree; // trees move by their velocity at the end
  }
  smooth = smooth || worker->midway;
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
