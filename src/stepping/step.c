// An island over a step: velocities, impulses, positions. Without impacts the step is one part; else a
// part ends at each group of impacts (impacts/groups.c). An island of few bodies is solved at the
// middle of a part where its contacts last (step_middle.c); a part in which contacts were missed is
// repeated with them (missed_contacts.c); one of trees whose energy does not close, in shorter parts
// (articulated_guard.c).
#include "contact_kernels.h"

#include <string.h>

// ---- A part of a step: velocities, impulses, positions

enum { AHEAD = 4 }; // contacts whose bodies are prefetched

KERNEL_INLINE void integrate_velocity(const rh_step_world *w, int i, double h)
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
    rh_step_prefetch_member(w, s, k + AHEAD);
    integrate_velocity(w, i, *(const double *)step - (w->laws.impacts ? w->body[i].ahead : 0));
  }
}

// [J] contacts' part of gravity's work
KERNEL_INLINE double integrate_position(rh_step_worker *worker, int i, double h, double share)
{
  const rh_step_world *w = worker->world;
  double work = 0;
  if (i > w->nfree) {
    rh_step_tree_integrate_position(worker, i, h, share);
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

void rh_step_move_free(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  integrate_velocity(w, i, h);
  (void)integrate_position(worker, i, h, 0.5); // nothing presses it
}

// A body that is pressed only by impacts
static void move_free_on(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_velocity *b = &w->velocity[i];
  rh_step_body *c = &w->body[i];
  rh_step_write_vec(rh_step_velocity_after_impact(c, rh_step_read_vec(b->v), h), b->v);
  rh_step_write_vec(rh_step_spin_after_impact(c, rh_step_read_vec(b->w)), b->w);
  rh_step_move_free(worker, i, h);
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
    rh_step_prefetch_member(w, s, k + AHEAD);
    double left = m->h - (w->laws.impacts ? w->body[i].ahead : 0);
    if (w->laws.impacts && w->body[i].strikes) {
      move_free_on(worker, i, left);
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
  bool many = rh_step_is_large(s);
  int end = s->con + s->ncon;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    if (many && k + AHEAD < end) {
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

KERNEL_INLINE bool body_moves(const rh_step_world *w, int i)
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

// At the middle of a step gyroscopic moments and impulses depend on one another: of bodies, of trees,
// whose first round has those of the start. Balls have none.
enum { ROUNDS = 3, TREE_ROUNDS = 2 };

static int rounds_of(const rh_step_world *w, const rh_step_island *s, bool tree)
{
  if (tree) {
    return s->nmob == 1 ? TREE_ROUNDS : ROUNDS;
  }
  bool balls = true;
  for (int k = s->mob; balls && k < s->mob + s->nmob; k++) {
    balls = w->body[w->member[k]].round;
  }
  return balls ? 1 : ROUNDS;
}

static void solve_midway(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  long unsolved = worker->tally.unsolved;
  bool tree = w->trees.n > 0 && rh_step_island_trees(w, s);
  double free = -1;
  int rounds = rounds_of(w, s, tree);
  for (int k = 0; k < rounds; k++) {
    if (k > 0) {
      rh_step_middle_restart(worker, s);
    }
    rh_step_middle_moments(w, s, k > 0);
    (void)rh_step_for_each_slice(worker, s, kick_all, &h, RH_STEP_ANYHOW);
    free = tree ? rh_step_limit_begin(w, s) : -1;
    (void)rh_step_warm_start(worker, s);
    if (tree) {
      rh_step_joint_rows_warm(worker);
      rh_step_loops_warm(worker);
    }
    rh_step_solve(worker, s);
    if (worker->diverged) {
      break;
    }
  }
  if (s->nloop == 0 && (worker->tally.unsolved > unsolved || free >= 0)) {
    rh_step_limit_step(worker, s, free, h);
  }
}

void rh_step_substep_solve(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  if (worker->midway) {
    solve_midway(worker, s, h);
    return;
  }
  (void)rh_step_for_each_slice(worker, s, kick_all, &h, RH_STEP_ANYHOW);
  double free = w->trees.n > 0 ? rh_step_limit_begin(w, s) : -1;
  double gap = rh_step_warm_start(worker, s);
  if (w->m->nloop > 0) {
    rh_step_loops_warm(worker);
  }
  long unsolved = worker->tally.unsolved;
  bool many = s->ncon > RH_STEP_FEW;
  if (!many || !rh_step_hand_down(worker, s, h, gap)) {
    rh_step_solve(worker, s);
  }
  if (!w->laws.compliant && s->nloop == 0 && (worker->tally.unsolved > unsolved || free >= 0)) {
    rh_step_limit_step(worker, s, free, h);
  }
  if (w->laws.compliant) {
    rh_step_compliant_solve(worker, s, h);
  }
}

static void move_part(rh_step_worker *worker, const rh_step_island *s, rh_found_contact *touch,
                      double h)
{
  const rh_step_world *w = worker->world;
  (void)rh_step_for_each_slice(worker, s, mark_slice, touch, RH_STEP_APART);
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
    smooth = smooth && (w->member[k] <= w->nfree || rh_step_tree_glides(w, w->member[k]));
  }
  if (worker->rows.njoint > 0) {
    smooth = smooth && rh_step_limits_glide(worker, h);
  }
  smooth = smooth || worker->midway;
  const motion m = {h, w->laws.compliant && worker->lean > 0 ? worker->lean : smooth ? 0.5 : 1};
  worker->result.impact_work +=
      rh_step_for_each_slice(worker, s, drift_all, &m, RH_STEP_SUMMED).work;
  if (worker->deepest > w->par.slop) {
    rh_step_correct_positions(worker, s, h, worker->deepest);
  }
}

// ---- The step

enum { TRIES = 3 }; // of a part, with more late contacts each time

static const double SHORT = 1e-3; // of a part: too short for progress
static const double TINY = 1e-12; // of a step: nothing is left

typedef struct approach {
  double h;
  bool moments;
} approach;

// [s] of the first one of contacts from .. end - 1
KERNEL_INLINE double first_of(const rh_step_worker *worker, int from, int end, const approach *x)
{
  const rh_step_world *w = worker->world;
  double first = HUGE_VAL;
  for (int k = from; k < end; k++) {
    const rh_step_row_info *side = &w->info[k];
    if (!rh_step_may_have_impact(w, k, x->moments) ||
        (side->phi <= RH_STEP_CLOSED && side->un >= -side->slow)) { // it rests
      continue;
    }
    double t =
        rh_step_closes(side->slow, side->phi, side->un, rh_step_pull(worker, &w->row[k]), x->h);
    first = t < first ? t : first;
  }
  return first;
}

static void look_for_impact(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  s->largest = -first_of(worker, s->con, s->con + s->ncon, user);
}

// [s] of the first one in h; HUGE_VAL: none. [rows]
static double first_impact(rh_step_worker *worker, const rh_step_island *s, double h, bool moments)
{
  const rh_step_world *w = worker->world;
  const approach x = {h, moments};
  double first = w->trees.n > 0 ? rh_step_joint_rows_first(worker, h) : HUGE_VAL;
  double found = s->nslice > 0
                     ? -rh_step_over_slices(worker, s, look_for_impact, &x, RH_STEP_ANYHOW).largest
                     : first_of(worker, s->con, s->con + s->ncon, &x);
  return found < first ? found : first;
}

enum { FEW = 6 }; // mobiles: an island of fewer is solved at the middle of its step

static const double TURN = 0.5; // [rad] greater turns of a step are not predicted

// Do contacts that last move with their bodies?
static bool contacts_move(const rh_step_worker *worker, const rh_step_island *s,
                          const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  bool few = s->nmob < FEW && !w->laws.compliant;
  bool any = false;
  for (int k = s->mob; w->trees.n > 0 && few && k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    few = i > w->nfree ? rh_step_tree_may_middle(w, i, h) : s->nloop == 0;
    any = any || i > w->nfree;
  }
  few = few && (any || s->nloop == 0); // loops of free bodies follow the chord
  for (int k = s->con; few && !any && k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    bool flat = t->mb == 0 && w->search->geom[t->b].kind == w->shapes.plane;
    bool steady = w->row[k].round && flat; // a ball on the ground
    any = !steady && rh_dot(t->f, t->f) > 0 && (body_moves(w, t->ma) || body_moves(w, t->mb));
  }
  few = few && any;
  for (int k = s->con; few && k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    few = -0.5 * h * w->info[k].un <= rh_greater(t->phi, 0) + w->par.slop; // else it is an impact
  }
  for (int k = s->mob; few && k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    rh_vec3 spin = rh_step_read_vec(w->velocity[i].w);
    few = i > w->nfree || h * h * rh_dot(spin, spin) < TURN * TURN;
  }
  return few;
}

enum {
  RETRIED_MAX = 1024
}; // contacts; larger islands have late contacts in every step, and are not repeated

// An island at rest has no late contacts.
static bool may_be_missed(const rh_step_world *w, const rh_step_island *s)
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

// The contacts of a part, with the late ones, and their rows over t
static void make_rows(rh_step_worker *worker, rh_step_progress *x, double t,
                      const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  if (x->whole || late->n > 0) {
    const rh_step_missed *known = late->n > 0 ? late : NULL;
    int n = x->whole ? rh_step_fly_to_impacts(worker, x->s, t, known)
                     : rh_step_collide_island(worker, x->s, t, false, known);
    x->view = rh_step_examine_again(worker, x->s, n);
    x->touch = worker->again;
    if (x->whole) {
      rh_step_copy_forces(w, x->s, x->touch, n, true);
    }
  }
  rh_step_rows(worker, &x->view, x->touch, t);
}

// At the middle of the part where its contacts last, else at its start. `to_impact`: contacts about
// to have an impact do not act, their bodies fly. Returns t, or less: the time until a contact of a
// tree closes, and nothing has moved.
static double solve_part(rh_step_worker *worker, const rh_step_progress *x, double t,
                         bool to_impact, bool middle)
{
  const rh_step_world *w = worker->world;
  if (to_impact) {
    rh_step_release_impacts(worker, &x->view, t, x->left);
  }
  worker->midway = middle && contacts_move(worker, &x->view, x->touch, t);
  bool cut = worker->midway && x->cuts > 0 && rh_step_island_trees(w, x->s);
  if (cut) {
    rh_step_middle_release(w, &x->view);
  }
  if (worker->midway && rh_step_to_middle(worker, &x->view, x->touch, t)) {
    double share = 1;
    rh_step_substep_solve(worker, &x->view, t);
    bool fits = rh_step_middle_fits(worker, &x->view, t, cut ? &share : NULL);
    if (fits && share == 1) {
      return t;
    }
    if (fits && share >= SHORT) {
      rh_step_leave_middle(worker, &x->view);
      return share * t;
    }
  }
  if (worker->midway) {
    rh_step_leave_middle(worker, &x->view);
    rh_step_rows(worker, &x->view, x->touch, t);
    if (to_impact) {
      rh_step_release_impacts(worker, &x->view, t, x->left);
    }
  }
  if (w->trees.n > 0) {
    rh_step_rows_bend(worker, &x->view, x->touch, t);
  }
  rh_step_substep_solve(worker, &x->view, t);
  return t;
}

bool rh_step_moves_held(rh_step_worker *worker, const rh_step_island *s, double h, int finer)
{
  const rh_step_world *w = worker->world;
  int i = w->member[s->mob];
  return s->ncon == 0 && s->nloop == 0 && s->nmob == 1 && i > w->nfree && w->m->tendons.n == 0 &&
         !w->laws.compliant && rh_step_tree_move_held(worker, i, h, finer);
}

// Moves the island over t, or at moments until the first late contact closes. Returns the time.
static double step_part(rh_step_worker *worker, rh_step_progress *x, double t, bool to_impact,
                        bool last)
{
  const rh_step_world *w = worker->world;
  bool edged = may_be_missed(w, x->s) && !(x->moments && w->laws.compliant);
  bool cut = x->moments && !last; // the part ends where a late contact closes
  rh_step_missed late;
  late.n = 0;
  if (x->moments && !to_impact && x->view.ncon == 0 && rh_step_moves_held(worker, x->s, t, 1)) {
    return t;
  }
  if (edged) {
    rh_step_start_keep(worker, x->s);
  }
  for (int k = 0;; k++) {
    if (k > 0 || x->whole || t != x->span) { // else rows are there
      make_rows(worker, x, t, &late);
    }
    x->span = 0;
    worker->midway = false;
    if (x->whole) {
      rh_step_solve_group(worker, &x->view, t);
    } else {
      double part = solve_part(worker, x, t, to_impact, late.n == 0);
      if (part < t) { // again, to where a contact closes
        t = part;
        x->cuts--;
        continue;
      }
    }
    move_part(worker, &x->view, x->touch, t);
    if (x->whole) {
      rh_step_end_flight(w, x->s);
    }
    if (!edged || k + 1 == TRIES || !rh_step_missed_find(w, x->s, t, &late)) {
      break;
    }
    rh_step_start_again(worker, x->s);
    cut = cut && late.first >= SHORT; // else they are contacts from the start on
    t *= cut ? late.first : 1;
    late.n = cut ? 0 : late.n;
  }
  if (worker->midway) {
    rh_step_keep_middle(w, &x->view, x->touch);
  }
  rh_step_copy_forces(w, x->s, x->touch, x->view.ncon, false);
  return t;
}

enum { PARTS = 64 }; // of a step in which a tree spins

enum { CUTS = 4 }; // of a part, to where a contact closes

// A part ended at a moment that was not expected.
static void begin_moments(rh_step_worker *worker, rh_step_progress *x, bool *begun)
{
  if (!*begun) {
    rh_step_impact_records_begin(worker, x->s);
  }
  *begun = x->moments = true;
}

// [s] longest part of a step of h in which no tree turns too far, in `finer` times as many as that needs
static double longest_part(const rh_step_world *w, const rh_step_island *s, double h, int finer)
{
  double part = h;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree && !w->trees.tree[i - w->nfree - 1].stiff) {
      part = fmin(part, rh_step_tree_turn_time(w, i));
    }
  }
  return fmax(part, h / PARTS) / finer;
}

// A ball on the ground by itself, about to have no impact: its step is one part, at the start.
static bool is_lone_ball(const rh_step_world *w, const rh_step_island *s)
{
  const rh_found_contact *t = &w->contacts.now[w->info[s->con].touch];
  return s->ncon == 1 && s->nmob == 1 && s->nloop == 0 && w->row[s->con].round && t->mb == 0 &&
         w->search->geom[t->b].kind == w->shapes.plane && !w->shapes.edged && !w->laws.compliant &&
         !rh_step_may_have_impact(w, s->con, true);
}

void rh_step_island_over(rh_step_worker *worker, const rh_step_island *s, double h, int finer)
{
  const rh_step_world *w = worker->world;
  if (s->ncon == 1 && is_lone_ball(w, s)) {
    worker->midway = false;
    rh_step_substep_solve(worker, s, h);
    move_part(worker, s, w->contacts.now, h);
    return;
  }
  bool bounces = w->laws.impacts && w->par.impacts_per_step >= 1;
  bool turns = bounces && w->trees.n > 0 && s->nloop == 0 && longest_part(w, s, h, finer) < h;
  int most = (int)w->par.impacts_per_step + (turns ? finer * PARTS : 0);
  double t = bounces ? first_impact(worker, s, h, true) : HUGE_VAL;
  rh_step_progress x = {.s = s, .view = *s, .touch = w->contacts.now, .h = h, .left = h, .span = h};
  bool begun = t < HUGE_VAL || turns;
  if (begun) {
    rh_step_impact_records_begin(worker, s);
    x.moments = turns || !rh_step_has_one_group(worker, s);
    t = x.moments ? t : first_impact(worker, s, h, false);
    x.whole = !x.moments && t < HUGE_VAL;
  }
  worker->at = 0;
  for (int k = 0; x.left > TINY * h; k++) {
    bool last = !x.moments || k == most; // the rest in one part
    double longest = turns && !last ? longest_part(w, s, h, finer) : h;
    bool strikes = t <= longest && !last;
    if (t > 0 || last) {
      double part = strikes ? t : rh_lesser(x.left, longest);
      x.cuts = bounces && k < most ? CUTS : 0;
      double done = step_part(worker, &x, part, strikes, last);
      x.left = rh_greater(x.left - done, 0);
      worker->at = h - x.left;
      if (x.cuts < CUTS && x.left > TINY * h && bounces && k < most) { // a contact closed before
        begin_moments(worker, &x, &begun);
        strikes = true;
        last = false;
      }
    }
    if (last || (!strikes && x.left == 0)) {
      return;
    }
    rh_step_impact_now(worker, &x, strikes);
    t = x.left > TINY * h ? first_impact(worker, &x.view, x.left, true) : HUGE_VAL;
  }
  rh_step_copy_forces(w, s, x.touch, x.view.ncon, false);
}
