// Stage 9: impacts with restitution, located inside a step. Free bodies approach along parabolas,
// so that the time at which a gap closes is the root of phi + u t + a t^2/2; supported bodies keep
// their velocity. The island moves to the first such time, is examined again, and contacts that
// touch there and approach fast have an impact:
//   newton   u_n+ >= -e u_n-, an impulse in the cone where this holds with equality
//   poisson  p = (1 + e) p_c and any further impulse needed to separate, p_c the impulse that ends
//            the approach
// (both as one cone problem over all touching points). Then the rest of the step follows. An answer
// that would create energy is reduced towards the plastic one as far as needed: e is then less than
// the law's. Slow touches, and those beyond the number located in a step, or the capacity of
// reports (impact_log.c), are plastic.
#include "contact_kernels.h"

#include <string.h>

double rh_step_first_impact(const rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  double first = w->trees.n > 0 ? rh_step_joint_rows_first(worker, h) : HUGE_VAL;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    if (side->e > 0) {
      const rh_step_row *c = &w->row[k];
      first = fmin(first, rh_step_closes(w, side->phi, side->un, rh_step_pull(worker, c), h));
    }
  }
  return first;
}

// ---- The impact

// Before it
static void keep_velocities(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    w->body[i].v0 = rh_step_read_vec(w->velocity[i].v);
    w->body[i].w0 = rh_step_read_vec(w->velocity[i].w);
  }
}

// Reduces the island's view to the contacts that touch.
static void keep_touching_contacts(const rh_step_world *w, rh_step_island *s)
{
  int n = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    if (w->info[k].phi <= RH_STEP_CLOSED && !w->row[k].soft) {
      w->row[s->con + n] = w->row[k];
      w->info[s->con + n] = w->info[k];
      n++;
    }
  }
  s->ncon = n;
}

static void set_bias(rh_step_worker *worker, const rh_step_island *s, bool newton)
{
  const rh_step_world *w = worker->world;
  rh_step_joint_rows_aim(worker, newton);
  double slow = w->slow;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row_info *side = &w->info[k];
    bool strikes = newton && !side->poisson && side->un < -slow;
    w->row[k].bias = strikes ? side->e * side->un : 0;
  }
}

// Poisson's contacts get e times their impulse, all at once.
static void expand_poisson(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double slow = w->slow;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    if (side->poisson && side->un < -slow) {
      double dp[4];
      for (int i = 0; i < 4; i++) {
        dp[i] = side->e * side->p1[i];
      }
      rh_step_push(worker, &w->row[k], rh_step_impulse(w, &w->row[k], dp));
    }
  }
}

static void solve_impact(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  bool poisson = false;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    for (int i = 0; i < 4; i++) {
      w->row[k].p[i] = 0;
    }
    poisson = poisson || w->info[k].poisson;
  }
  double before = rh_step_energy(w, s);
  keep_velocities(w, s);
  set_bias(worker, s, false);
  rh_step_solve_fully(worker, s);
  if (rh_step_energy(w, s) > before * (1 + 1e-9)) { // it was not solved
    rh_step_limit_unsolved(worker, s);
  }
  rh_step_answer_keep(w, s); // the plastic one
  for (int k = s->con; k < s->con + s->ncon; k++) {
    for (int i = 0; w->info[k].poisson && i < 4; i++) {
      w->row[k].p[i] = 0;
    }
  }
  expand_poisson(worker, s);
  set_bias(worker, s, true);
  rh_step_solve_fully(worker, s);
  for (int k = s->con; poisson && k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    double share = !side->poisson ? 0 : side->un < -w->slow ? 1 + side->e : 1;
    for (int i = 0; i < 4; i++) {
      w->row[k].p[i] += share * side->p1[i];
    }
  }
  const rh_step_limit limit = {
      .energy = rh_step_energy_between, .bound = before, .slack = 1e-13 * before};
  worker->tally.limited += rh_step_limit_energy(w, s, &limit);
}

// Impact of all contacts that touch, if one approaches fast. False: none does.
static bool strike_contacts(rh_step_worker *worker, rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double slow = w->slow;
  bool fast = rh_step_joint_rows_fast(worker);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    fast = fast || (side->e > 0 && side->phi <= RH_STEP_CLOSED && side->un < -slow);
  }
  if (!fast || worker->result.nimpact + s->ncon + worker->rows.njoint > worker->impact_capacity) {
    return false;
  }
  keep_touching_contacts(w, s);
  rh_step_loops_impact(worker);
  rh_step_joint_rows_impact(worker);
  solve_impact(worker, s);
  double fastest = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    fastest = fmin(fastest, w->info[k].un);
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    (void)rh_step_ledger_impact(worker, k, fastest, rh_v3(0, 0, 0));
  }
  rh_step_joint_rows_settle(worker);
  rh_step_joint_rows_report(worker);
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    if (w->member[k] > w->nfree) {
      rh_step_tree_settle(w, w->member[k]);
    }
  }
  return true;
}

// On the way to an impact a contact about to have one does not act: its bodies fly.
static void let_fly(rh_step_worker *worker, const rh_step_island *s, double t)
{
  const rh_step_world *w = worker->world;
  rh_step_joint_rows_release(worker, t);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    double a = rh_step_pull(worker, &w->row[k]);
    if (side->e > 0 && side->phi + (side->un + 0.5 * a * t) * t >= -RH_STEP_CLOSED) {
      w->row[k].bias = HUGE_VAL;
    }
  }
}

// The island at its present state
static rh_step_island look_again(rh_step_worker *worker, const rh_step_island *s, double h)
{
  return rh_step_examine_again(worker, s, rh_step_collide_island(worker, s, h, true, NULL));
}

// Steps the island over t, or until the first late contact closes (`fly`: to an impact); returns
// the time.
static double step_island_part(rh_step_worker *worker, const rh_step_island *s,
                               const rh_step_island *view, rh_found_contact *touch, double t,
                               bool fly)
{
  const rh_step_world *w = worker->world;
  static const double SHORT = 1e-3; // of t: too short for progress
  bool edged = !w->laws.compliant && rh_step_may_be_missed(w, s);
  rh_step_missed late;
  late.n = 0;
  if (edged) {
    rh_step_start_keep(worker, s);
  }
  for (int k = 0;; k++) {
    rh_step_rows(worker, view, touch, t);
    if (fly) {
      let_fly(worker, view, t);
    }
    rh_step_substep(worker, view, touch, t);
    if (!edged || k == 1 || !rh_step_missed_find(w, s, t, &late) || late.first < SHORT) {
      return t;
    }
    rh_step_start_again(worker, s);
    t *= late.first;
  }
}

void rh_step_impacts_located(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  double left = h;
  double t = rh_step_first_impact(worker, s, left);
  rh_step_island view = *s;
  rh_found_contact *touch = w->contacts.now;
  worker->at = 0;
  for (int k = 0; k < (int)w->par.impacts_per_step && (t < HUGE_VAL || left > 1e-12 * h); k++) {
    bool strikes = t < HUGE_VAL;
    if (t > 0) {
      left = fmax(left - step_island_part(worker, s, &view, touch, strikes ? t : left, strikes), 0);
      worker->at = h - left;
      rh_step_copy_forces(w, s, touch, view.ncon, false);
    }
    if (!strikes && left == 0) {
      return;
    }
    view = look_again(worker, s, left);
    touch = worker->again;
    rh_step_copy_forces(w, s, touch, view.ncon, true);
    rh_step_rows(worker, &view, touch, left > 0 ? left : h);
    if (strike_contacts(worker, &view)) {
      view = look_again(worker, s, left);
      rh_step_copy_forces(w, s, touch, view.ncon, true);
      rh_step_rows(worker, &view, touch, left > 0 ? left : h);
    }
    t = left > 1e-12 * h ? rh_step_first_impact(worker, &view, left) : HUGE_VAL;
  }
  if (left > 1e-12 * h) {
    rh_step_rows(worker, &view, touch, left);
    rh_step_substep(worker, &view, touch, left);
  }
  rh_step_copy_forces(w, s, touch, view.ncon, false);
}
