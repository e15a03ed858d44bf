// Stage 9: the impacts of an island in a step (step.c). They are taken in
// groups, in the order of time. A group: the island moves to its time, the impact is solved at all
// its contacts, the rest of the step follows. Free bodies approach along parabolas, so that the time
// at which a gap closes is the root of phi + u t + a t^2/2; supported bodies keep their velocity.
//   A small island, one with trees, loops, compliant contacts or Poisson's law, and every one where
//   impacts follow paths one by one, has a group per moment: all contacts that touch then, in no time
//   (span 0), with e = 0 too (impacts/law.c).
//   An island of many free bodies has one group per step, with the step itself (span: all of it), at
//   the cost of a step without restitution: each flying body moves by itself to the place of its
//   first impact (impacts/flight.c), then the island is solved once, each body over its own rest h_i.
//   All other fast closures (pressed bodies, second impacts of a step) have their impact in place: a
//   gap that is not passed remains, |u_n| h at most. An impact that would be over before the step is
//   is plastic.
// A contact of a group has
//   newton   u_n+ >= -e u_n- + n.(a_a h_a - a_b h_b),  a h of flying bodies: gravity's part after the
//            impact, 0 at a moment
//   poisson  p = (1 + e) p_c and any further impulse needed to separate, p_c the impulse that ends
//            the approach; only where impacts/law.c has no law: e acts on the friction, too
// in place of u_n + gap/h >= 0. Bodies that only impacts have pressed fly on along their parabola. An
// answer in which the island would gain energy, kinetic and potential, is reduced towards the plastic
// one: e is then less than the law's. Slow touches, and those beyond the number of groups of a step,
// or the capacity of reports (impacts/log.c), are plastic.
#include "stepping/contact_kernels.h"

#include <string.h>

enum { MANY = 6 }; // mobiles: an island of so many has one group per step

// ---- Moments of impacts

// On the way to an impact at t a contact about to have one does not act: its bodies fly. Those that
// rest act, and those of trees that will not bounce may not pass. [rows]
void rh_step_release_impacts(rh_step_worker *worker, const rh_step_island *s, double t, double left)
{
  const rh_step_world *w = worker->world;
  rh_step_joint_rows_release(worker, t);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    double a = rh_step_pull(worker, &w->row[k]);
    if (rh_step_may_have_impact(w, k, true) &&
        side->phi + (side->un + 0.5 * a * t) * t >= -RH_STEP_CLOSED &&
        rh_step_closes(side->slow, side->phi, side->un, a, left) < HUGE_VAL) {
      bool stays =
          side->e == 0 && w->row[k].jointed; // a point of a tree may speed up by more than a
      w->row[k].bias = stays ? fmax(side->phi, 0) / t : HUGE_VAL;
    }
  }
}

// ---- Contacts of a group

// [rows]
bool rh_step_has_one_group(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  bool many =
      s->nmob >= MANY && s->nloop == 0 && !w->laws.paths && s->ncon <= worker->impact_capacity;
  for (int k = s->mob; w->trees.n > 0 && many && k < s->mob + s->nmob; k++) {
    many = w->member[k] <= w->nfree;
  }
  bool mixed = w->laws.mixed || w->laws.compliant; // else a large island need not be read
  for (int k = s->con; mixed && many && k < s->con + s->ncon; k++) {
    many = !w->row[k].soft && !w->info[k].poisson;
  }
  return many;
}

// Contacts at the present state, and their rows over the rest of the step
static void look_again(rh_step_worker *worker, rh_step_progress *x)
{
  const rh_step_world *w = worker->world;
  int n = rh_step_collide_island(worker, x->s, x->left, true, NULL);
  x->view = rh_step_examine_again(worker, x->s, n);
  x->touch = worker->again;
  rh_step_copy_forces(w, x->s, x->touch, n, true);
  x->span = x->left > 0 ? x->left : x->h;
  rh_step_rows(worker, &x->view, x->touch, x->span);
}

// Is there an impact at this moment?
static bool approaches_fast(const rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  bool fast = rh_step_joint_rows_fast(worker);
  for (int k = view->con; !fast && k < view->con + view->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    fast = rh_step_may_have_impact(w, k, true) && side->phi <= RH_STEP_CLOSED &&
           side->un < -side->slow;
  }
  int most = worker->result.nimpact + view->ncon + worker->rows.njoint;
  return fast && most <= worker->impact_capacity;
}

// Of an impact are the contacts that touch, and those that last: slow, with the gap of a step's error.
static void keep_touching_contacts(const rh_step_world *w, rh_step_progress *x)
{
  rh_step_island *view = &x->view;
  int n = 0;
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_found_contact *t = &x->touch[w->info[k].touch];
    bool lasts =
        t->phi <= RH_STEP_LASTING * w->par.slop && fabs(w->info[k].un) <= rh_step_slow(w, t);
    if ((t->phi <= RH_STEP_CLOSED || lasts) && !w->row[k].soft) {
      w->row[view->con + n] = w->row[k];
      w->info[view->con + n] = w->info[k];
      n++;
    }
  }
  view->ncon = n;
}

// [s] time of the contact in the step
static double time_of(const rh_step_world *w, const rh_step_row *c)
{
  return fmax(w->body[c->a].ahead, w->body[c->b].ahead);
}

// [m/s] velocity gained in free flight until the end of the span, seen from b
static rh_vec3 flight_gain(const rh_step_world *w, const rh_step_row *c, double span)
{
  const rh_step_body *a = &w->body[c->a];
  const rh_step_body *b = &w->body[c->b];
  rh_vec3 x = {0, 0, 0};
  if (c->a && a->flies) {
    x = rh_scale(span - a->ahead, a->a);
  }
  return c->b && b->flies ? rh_addscaled(x, b->ahead - span, b->a) : x;
}

static void aim_group(rh_step_worker *worker, const rh_step_island *view, double span)
{
  const rh_step_world *w = worker->world;
  int room = worker->impact_capacity - worker->result.nimpact; // further ones are plastic
  rh_step_joint_rows_aim(worker, span == 0);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    rh_step_row *c = &w->row[k];
    rh_step_row_info *side = &w->info[k];
    double left = fmax(span - time_of(w, c), 1e-9 * span);
    c->bias *= span > 0 ? span / left : 0; // at a moment it touches
    side->aim = c->bias;
    side->has_impact = span == 0;
    if (!(side->e > 0 && side->un < -side->slow && room > 0) || side->poisson) {
      continue;
    }
    double a = rh_step_pull(worker, c);
    double up = -side->e * side->un;
    double end = fmax(side->phi, 0) + (up + 0.5 * a * left) * left;
    if (end >= 0 && rh_step_closes(side->slow, side->phi, side->un, a, left) < HUGE_VAL) {
      side->has_impact = true;
      room--;
      c->bias = -up - rh_dot(rh_step_read_vec(c->n), flight_gain(w, c, span));
    }
  }
}

// ---- The limit on energy

static void set_strikes(const rh_step_world *w, int i, bool strikes)
{
  if (i != 0) { // the world belongs to all islands
    w->body[i].strikes = strikes && w->body[i].flies;
    w->body[i].pressed = true;
  }
}

// Bodies pressed only by impacts fly on (`strikes`); other pressed bodies move along their velocity
// at the end. `both`: by either of two answers.
static void sort_bodies(const rh_step_world *w, const rh_step_island *view, bool both)
{
  for (int k = view->mob; k < view->mob + view->nmob; k++) {
    w->body[w->member[k]].pressed = false;
    w->body[w->member[k]].strikes = false;
  }
  for (int pass = 0; pass < 2; pass++) { // impacts first
    for (int k = view->con; k < view->con + view->ncon; k++) {
      const rh_step_row *c = &w->row[k];
      const rh_step_row_info *side = &w->info[k];
      const int body[2] = {c->a, c->b};
      bool pushes = c->p[3] > 0 || (both && side->p1[3] > 0);
      for (int i = 0; pushes && side->has_impact == (pass == 0) && i < 2; i++) {
        set_strikes(w, body[i], pass == 0);
      }
    }
  }
}

// [J] gained over the span by a body with these end velocities: kinetic, less the work of external
// forces along its way
static double gain_of(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin, double span)
{
  const rh_step_body *c = &w->body[i];
  double left = span - c->ahead;
  double before = rh_step_kinetic(w, i, c->v0, c->w0);
  if (c->strikes) {
    return rh_step_kinetic(w, i, rh_step_velocity_after_impact(c, v, left),
                           rh_step_spin_after_impact(c, spin)) -
           before;
  }
  double pull = c->mass * left * rh_dot(c->a, v);
  double turning = 0.5 * left * rh_dot(c->torque, rh_add(c->w0, spin));
  return rh_step_kinetic(w, i, v, spin) - before - pull - turning;
}

// Of the island; v between the kept answer (share 0) and the present one (1). Of trees the energy.
static double energy_gain(const rh_step_world *w, const rh_step_island *s, double share,
                          double span)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    const rh_step_body *c = &w->body[i];
    if (i > w->nfree) {
      sum += rh_step_tree_energy_between(w, i, share);
    } else if (c->pressed || span == 0) {
      const rh_step_velocity *b = &w->velocity[i];
      rh_vec3 v = rh_addscaled(rh_scale(1 - share, c->v1), share, rh_step_read_vec(b->v));
      rh_vec3 spin = rh_addscaled(rh_scale(1 - share, c->w1), share, rh_step_read_vec(b->w));
      sum += gain_of(w, i, v, spin, span);
    }
  }
  return sum;
}

// [J] of the bodies that impacts may move, at the start
static double energy_before(const rh_step_world *w, const rh_step_island *s, double span)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    bool counts = i <= w->nfree && (w->body[i].pressed || span == 0);
    sum += counts ? rh_step_kinetic(w, i, w->body[i].v0, w->body[i].w0) : 0;
  }
  return sum;
}

static void solve_rows(rh_step_worker *worker, const rh_step_island *view, double span)
{
  if (span > 0) {
    rh_step_solve(worker, view);
  } else {
    (void)rh_step_solve_fully(worker, view);
  }
}

static void aim_plastic(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  rh_step_joint_rows_aim(worker, false);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    w->row[k].bias = w->info[k].has_impact ? w->info[k].aim : w->row[k].bias;
  }
}

// Keeps the plastic answer as the safe one.
static void find_plastic(rh_step_worker *worker, const rh_step_island *view, double span)
{
  const rh_step_world *w = worker->world;
  rh_step_answer_keep(w, view);
  aim_plastic(worker, view);
  solve_rows(worker, view, span);
  rh_step_answer_swap(w, view);
}

// A step with its impacts. With restitution some have no solution that is found: then they are
// plastic.
static void solve_whole(rh_step_worker *worker, const rh_step_island *view, double span)
{
  rh_step_counts before = worker->tally;
  rh_step_substep_solve(worker, view, span);
  if (worker->tally.unsolved > before.unsolved) {
    worker->tally.unsolved = before.unsolved;
    worker->tally.residual = before.residual;
    aim_plastic(worker, view);
    rh_step_solve(worker, view);
  }
}

// For the verdict: what the impulses gave, without drives, if it is more than the error of the solver
static void keep_gain(rh_step_worker *worker, const rh_step_island *view, double span, double trees,
                      double before)
{
  const rh_step_world *w = worker->world;
  double drive = rh_step_island_drive(w, view);
  double gain = energy_gain(w, view, 1, span) - trees - drive;
  double error = 0;
  for (int k = view->con; k < view->con + view->ncon; k++) {
    error += w->row[k].p[3] * w->par.tolerance;
  }
  worker->gained = fmax(gain - error, 0);
  worker->moved = before + fabs(drive);
}

// trees [J]: energy of the island's trees before
static void limit_energy(rh_step_worker *worker, const rh_step_island *view, double span,
                         double trees)
{
  const rh_step_world *w = worker->world;
  if (span > 0) {
    sort_bodies(w, view, false);
  }
  double before = energy_before(w, view, span) + trees;
  if (rh_step_island_driven(w, view)) { // drives give energy
    keep_gain(worker, view, span, trees, before);
    return;
  }
  const rh_step_limit limit = {
      .energy = energy_gain, .h = span, .bound = trees, .slack = 1e-13 * before};
  double gain = energy_gain(w, view, 1, span) - limit.bound;
  if (gain <= limit.slack) {
    return;
  }
  find_plastic(worker, view, span);
  rh_step_leave_path(w, view, gain > rh_step_path_error(w) * before);
  if (span > 0) {
    sort_bodies(w, view, true);
  }
  worker->tally.limited += rh_step_limit_energy(w, view, &limit);
  if (span == 0 && energy_gain(w, view, 1, 0) > trees + 1e-9 * before) { // it was not solved
    rh_step_limit_unsolved(worker, view);
  }
  keep_gain(worker, view, span, trees, before);
}

// ---- The solution of a group

// Velocities before, and no impulses. [J] energy of trees
static double begin_moment(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  double trees = 0;
  rh_step_loops_impact(worker);
  rh_step_joint_rows_impact(worker);
  rh_step_turns_release(w, view);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    memset(w->row[k].p, 0, sizeof w->row[k].p);
  }
  for (int k = view->mob; k < view->mob + view->nmob; k++) {
    int i = w->member[k];
    w->body[i].v0 = rh_step_read_vec(w->velocity[i].v);
    w->body[i].w0 = w->body[i].wk = rh_step_read_vec(w->velocity[i].w);
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memcpy(w->trees.z1 + tree->z, w->trees.z + tree->z, (size_t)tree->nz * sizeof(double));
      trees += rh_step_tree_energy(w, i, w->trees.z);
    }
  }
  return trees;
}

// Back to where begin_moment left off; the answer that was kept is lost.
static void begin_again(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  for (int k = view->mob; k < view->mob + view->nmob; k++) {
    int i = w->member[k];
    rh_step_write_vec(w->body[i].v0, w->velocity[i].v);
    rh_step_write_vec(w->body[i].w0, w->velocity[i].w);
    if (i > w->nfree) {
      const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
      memcpy(w->trees.z + tree->z, w->trees.z1 + tree->z, (size_t)tree->nz * sizeof(double));
    }
  }
  (void)begin_moment(worker, view);
}

// Where restitution has no solution that is found, as of a ball that would have to leave a wedge, the impact is
// plastic, from the beginning: what the solver stopped at may have any size.
static void solve_moment(rh_step_worker *worker, const rh_step_island *view, bool poisson)
{
  const double tolerance = worker->world->par.tolerance;
  double left = rh_step_solve_fully(worker, view);
  if (left > tolerance && !poisson) {
    begin_again(worker, view);
    aim_plastic(worker, view);
    left = rh_step_solve_fully(worker, view);
  }
  if (left > tolerance) {
    worker->tally.unsolved++;
    worker->tally.residual = rh_greater(worker->tally.residual, left);
  }
  if (left == HUGE_VAL) {
    begin_again(worker, view);
    rh_step_sweep_smooth(worker, view);
  }
}

static bool bounces_by_impulse(const rh_step_row_info *side)
{
  return side->poisson && side->un < -side->slow;
}

// Poisson's contacts: the impulses that end the approach, into p1, and e times them at once. False:
// there are none.
static bool expand_poisson(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  bool any = false;
  for (int k = view->con; k < view->con + view->ncon; k++) {
    any = any || w->info[k].poisson;
    w->row[k].bias = 0;
  }
  if (!any) {
    return false;
  }
  rh_step_joint_rows_aim(worker, false);
  (void)rh_step_solve_fully(worker, view);
  rh_step_answer_keep(w, view);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    double dp[4];
    for (int i = 0; i < 4; i++) {
      dp[i] = side->e * side->p1[i];
      w->row[k].p[i] = side->poisson ? 0 : w->row[k].p[i];
    }
    if (bounces_by_impulse(side)) {
      rh_step_push(worker, &w->row[k], rh_step_impulse(w, &w->row[k], dp));
    }
  }
  return true;
}

static void add_poisson(const rh_step_world *w, const rh_step_island *view)
{
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    double share = !side->poisson ? 0 : bounces_by_impulse(side) ? 1 + side->e : 1;
    for (int i = 0; i < 4; i++) {
      w->row[k].p[i] += share * side->p1[i];
    }
  }
}

// One contact, or one limit, is all that touches.
static bool touches_once(const rh_step_worker *worker, const rh_step_island *view)
{
  return view->ncon + rh_step_joint_rows_closed(worker) == 1 && view->nloop == 0;
}

// Number of contacts that press each body
static void count_presses(const rh_step_world *w, const rh_step_island *view)
{
  for (int k = view->mob; k < view->mob + view->nmob; k++) {
    w->body[w->member[k]].presses = 0;
  }
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    const int body[2] = {c->a, c->b};
    for (int i = 0; c->p[3] > 0 && i < 2; i++) {
      if (body[i] != 0) { // the world belongs to all islands
        w->body[body[i]].presses++;
      }
    }
  }
}

static bool presses_once(const rh_step_world *w, int body)
{
  return body == 0 || w->body[body].presses == 1;
}

static void record_impacts(rh_step_worker *worker, const rh_step_island *view, double span)
{
  const rh_step_world *w = worker->world;
  double fastest = 0;
  bool alone = span == 0 && touches_once(worker, view);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    fastest = w->info[k].has_impact ? fmin(fastest, w->info[k].un) : fastest;
  }
  if (fastest < 0) {
    count_presses(w, view);
  }
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    if (w->info[k].has_impact && c->p[3] > 0) {
      const rh_step_body *a = &w->body[c->a];
      const rh_step_body *b = &w->body[c->b];
      rh_vec3 since = a->strikes ? rh_scale(span - a->ahead, a->a) : rh_v3(0, 0, 0);
      since = b->strikes ? rh_addscaled(since, b->ahead - span, b->a) : since;
      worker->at = span > 0 ? time_of(w, c) : worker->at;
      rh_impact_record *note = rh_step_ledger_impact(worker, k, fastest, since);
      if (note) { // including bodies pressed otherwise
        note->alone = alone;
        note->single = alone || (!c->jointed && presses_once(w, c->a) && presses_once(w, c->b));
        note->pathless = rh_step_left_path(w, &w->info[k], note->single);
        note->after = rh_dot(rh_step_read_vec(c->n),
                             rh_sub(rh_step_velocity_at(worker, c), flight_gain(w, c, span)));
      }
    }
  }
}

// The impacts of a group, together with a step over the span [s]; 0: at a moment. [rows]
void rh_step_solve_group(rh_step_worker *worker, const rh_step_island *view, double span)
{
  const rh_step_world *w = worker->world;
  double trees = span > 0 ? 0 : begin_moment(worker, view);
  worker->gained = 0;
  bool by_law = span == 0 && rh_step_impact_by_law(worker, view);
  if (span == 0 && !by_law) {
    rh_step_impact_friction(w, view);
  }
  bool poisson = span == 0 && !by_law && expand_poisson(worker, view);
  aim_group(worker, view, span);
  if (span > 0) {
    solve_whole(worker, view, span);
  } else if (!by_law) {
    solve_moment(worker, view, poisson);
  }
  if (poisson) {
    add_poisson(w, view);
  }
  limit_energy(worker, view, span, trees);
  record_impacts(worker, view, span);
}

// The rows of an impact; those of trees without the inertia of their springs and dampers
static void look_now(rh_step_worker *worker, rh_step_progress *x)
{
  worker->moment = true;
  look_again(worker, x);
  worker->moment = false;
}

void rh_step_impact_now(rh_step_worker *worker, rh_step_progress *x, bool strikes)
{
  const rh_step_world *w = worker->world;
  rh_step_island *view = &x->view;
  bool trees = w->trees.n > 0;
  if (trees && strikes) {
    look_now(worker, x);
  } else {
    look_again(worker, x);
  }
  if (!approaches_fast(worker, view)) {
    if (trees && strikes) {
      look_again(worker, x);
    }
    return;
  }
  if (trees && !strikes) {
    look_now(worker, x);
  }
  keep_touching_contacts(w, x);
  if (trees && rh_step_joint_rows_first_alone(worker)) {
    view->ncon = 0; // contacts follow
  }
  rh_step_solve_group(worker, view, 0);
  rh_step_joint_rows_settle(worker);
  rh_step_joint_rows_report(worker, touches_once(worker, view));
  for (int k = view->mob; k < view->mob + view->nmob; k++) {
    if (w->member[k] > w->nfree) {
      rh_step_tree_settle(w, w->member[k]);
    }
  }
  look_again(worker, x);
}
