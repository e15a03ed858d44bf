// Stage 9 for islands of many free bodies: all impacts of a step in one pass, at the cost of a step
// without restitution. A flying body (nothing touches it) about to have an impact moves by itself
// to that place: the root of a parabola, as in impact_located.c. Then the whole island is solved
// once over the rest of the step, each body over its own part h_i; a contact with an impact has
//   u_n+ >= -e u_n- + n.(a_a h_a - a_b h_b),  a h of flying bodies: gravity's part after the impact
// in place of u_n + gap/h >= 0, and bodies that only impacts have pressed fly on along their
// parabola, so that a body with one impact per step moves exactly. All other fast closures (pressed
// bodies, second impacts of a step) have their impact in place: a gap that is not passed remains,
// |u_n| h at most. An impact that would be over before the step is is plastic. An answer in which
// the island would gain energy, kinetic and potential, is reduced towards the plastic one.
// Left out: the order of impacts within the step where they act on one another; trees, loops,
// compliant contacts and Poisson's law (impact_located.c).
#include "contact_kernels.h"

enum {
  MANY = 6
}; // mobiles; impacts of smaller islands are located one by one, in their order (impact_located.c)

bool rh_step_use_batch_impacts(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  bool crowd = s->nmob >= MANY && s->nloop == 0 && s->ncon <= worker->impact_capacity;
  for (int k = s->mob; crowd && k < s->mob + s->nmob; k++) {
    crowd = w->member[k] <= w->nfree;
  }
  for (int k = s->con; crowd && k < s->con + s->ncon; k++) {
    crowd = !w->row[k].soft && !w->info[k].poisson;
  }
  return crowd;
}

// ---- Places of impacts

static rh_vec3 velocity_at(const rh_step_world *w, int i, rh_vec3 point)
{
  const rh_step_velocity *b = &w->velocity[i];
  return rh_add(rh_step_read_vec(b->v),
                rh_cross(rh_step_read_vec(b->w), rh_sub(point, w->body[i].x)));
}

static bool is_flying(const rh_step_world *w, int i)
{
  return i != 0 && w->body[i].flies;
}

// [s] of the step at which the gap of a touch closes; HUGE_VAL: not in the step, or slowly
static double closing_time(const rh_step_world *w, const rh_found_contact *t, double h)
{
  const rh_step_body *a = &w->body[t->ma];
  const rh_step_body *b = &w->body[t->mb];
  double now = fmax(a->ahead, b->ahead);
  rh_vec3 u = {0, 0, 0};
  double pull = 0;
  if (w->m->contact[t->rule].e == 0 || !(is_flying(w, t->ma) || is_flying(w, t->mb))) {
    return HUGE_VAL;
  }
  if (t->ma != 0) {
    u = velocity_at(w, t->ma, t->point);
    pull = a->flies ? rh_dot(t->n, a->a) : 0;
  }
  if (t->mb != 0) {
    u = rh_sub(u, velocity_at(w, t->mb, t->point));
    pull -= b->flies ? rh_dot(t->n, b->a) : 0;
  }
  return now + rh_step_closes(w, t->phi, rh_dot(t->n, u), pull, h - now);
}

// Is time t the next one of body i? Bodies that do not fly wait for the others.
static bool next_of(const rh_step_world *w, int i, double t)
{
  const rh_step_body *c = &w->body[i];
  return !is_flying(w, i) || (c->next == t && !c->stays);
}

// When the next gap of each flying body closes; two flying bodies must have the same impact. False:
// nothing moves any farther.
static bool find_times(rh_step_worker *worker, const rh_step_island *s, int n, double h)
{
  const rh_step_world *w = worker->world;
  bool any = false;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->next = HUGE_VAL;
    c->strikes = false;
  }
  for (int k = 0; k < n; k++) {
    const rh_found_contact *x = &worker->again[k];
    double t = closing_time(w, x, h);
    if (is_flying(w, x->ma)) {
      w->body[x->ma].next = fmin(w->body[x->ma].next, t);
    }
    if (is_flying(w, x->mb)) {
      w->body[x->mb].next = fmin(w->body[x->mb].next, t);
    }
  }
  for (int k = 0; k < n; k++) {
    const rh_found_contact *x = &worker->again[k];
    double t = closing_time(w, x, h);
    const int body[2] = {x->ma, x->mb};
    bool meant = t < HUGE_VAL && next_of(w, x->ma, t) && next_of(w, x->mb, t);
    for (int i = 0; meant && i < 2; i++) {
      if (is_flying(w, body[i]) && t > w->body[body[i]].ahead) {
        w->body[body[i]].strikes = any = true;
      }
    }
  }
  return any;
}

static void go_there(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    if (c->strikes) {
      rh_step_move_free(worker, w->member[k], c->next - c->ahead);
      c->ahead = c->next;
    }
    c->strikes = false;
  }
}

// Corrects the gap to a body that is less far ahead than the other to equal times.
static void level_gap(const rh_step_world *w, rh_found_contact *t)
{
  const rh_step_body *a = &w->body[t->ma];
  const rh_step_body *b = &w->body[t->mb];
  if (t->ma != 0 && a->ahead < b->ahead) {
    t->phi += (b->ahead - a->ahead) * rh_dot(t->n, velocity_at(w, t->ma, t->point));
  }
  if (t->mb != 0 && b->ahead < a->ahead) {
    t->phi -= (a->ahead - b->ahead) * rh_dot(t->n, velocity_at(w, t->mb, t->point));
  }
}

static int collide_again(rh_step_worker *worker, const rh_step_island *s, double h,
                         const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  int n = rh_step_collide_island(worker, s, h, false, late);
  for (int k = 0; k < n; k++) {
    level_gap(w, &worker->again[k]);
  }
  return n;
}

static void begin_flight(const rh_step_world *w, const rh_step_island *s,
                         const rh_step_missed *late)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->flies = !c->pressed;
    c->ahead = 0;
    c->stays = false;
  }
  for (int k = 0; late && k < late->n; k++) { // late points are those of bodies at the start
    const rh_found_contact *t = &late->at[k];
    if (t->ma != 0) {
      w->body[t->ma].stays = true;
    }
    if (t->mb != 0) {
      w->body[t->mb].stays = true;
    }
  }
}

// Flying bodies move to their impacts, in rounds: features turn, and an apparent obstacle may be
// passed. Returns the touches then.
static int locate_impacts(rh_step_worker *worker, const rh_step_island *s, double h,
                          const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  begin_flight(w, s, late);
  int n = collide_again(worker, s, h, late);
  for (int k = 0; k < (int)w->par.impacts_per_step && find_times(worker, s, n, h); k++) {
    go_there(worker, s);
    n = collide_again(worker, s, h, late);
  }
  return n;
}

// ---- Impacts there

// [s] time of the contact in the step
static double time_of(const rh_step_world *w, const rh_step_row *c)
{
  return fmax(w->body[c->a].ahead, w->body[c->b].ahead);
}

// [m/s] velocity gained in free flight until the end of the step, seen from b
static rh_vec3 flight_gain(const rh_step_world *w, const rh_step_row *c, double h)
{
  const rh_step_body *a = &w->body[c->a];
  const rh_step_body *b = &w->body[c->b];
  rh_vec3 x = {0, 0, 0};
  if (c->a && a->flies) {
    x = rh_scale(h - a->ahead, a->a);
  }
  return c->b && b->flies ? rh_addscaled(x, b->ahead - h, b->a) : x;
}

static void aim_impacts(rh_step_worker *worker, const rh_step_island *view, double h)
{
  const rh_step_world *w = worker->world;
  double slow = w->slow;
  int room = worker->impact_capacity - worker->result.nimpact; // further ones are plastic
  for (int k = view->con; k < view->con + view->ncon; k++) {
    rh_step_row *c = &w->row[k];
    rh_step_row_info *side = &w->info[k];
    double left = fmax(h - time_of(w, c), 1e-9 * h);
    c->bias *= h / left;
    if (!(side->e > 0 && side->un < -slow && room > 0)) {
      continue;
    }
    double a = rh_step_pull(worker, c);
    double up = -side->e * side->un;
    double end = fmax(side->phi, 0) + (up + 0.5 * a * left) * left;
    if (end >= 0 && rh_step_closes(w, side->phi, side->un, a, left) < HUGE_VAL) {
      side->has_impact = true;
      room--;
      side->aim = c->bias;
      c->bias = -up - rh_dot(rh_step_read_vec(c->n), flight_gain(w, c, h));
    }
  }
}

static void set_strikes(const rh_step_world *w, int i, bool strikes)
{
  if (i != 0) { // the world belongs to all islands
    w->body[i].strikes = strikes && w->body[i].flies;
    w->body[i].pressed = true;
  }
}

// Bodies pressed only by impacts fly on (`strikes`); other pressed bodies move along their velocity
// at the end. `both`: by either of two answers.
static void sort_out(const rh_step_world *w, const rh_step_island *view, bool both)
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

// ---- Energy

// [J] gained over h by a body with these end velocities: kinetic, less the work of external forces
// along its way
static double gain_of(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin, double h)
{
  const rh_step_body *c = &w->body[i];
  double left = h - c->ahead;
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

// Of the island; v between the kept answer (share 0) and the present one (1)
static double energy_gain(const rh_step_world *w, const rh_step_island *s, double share, double h)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    const rh_step_body *c = &w->body[i];
    if (!c->pressed) {
      continue;
    }
    rh_vec3 v = rh_addscaled(rh_scale(1 - share, c->v1), share, rh_step_read_vec(w->velocity[i].v));
    rh_vec3 spin =
        rh_addscaled(rh_scale(1 - share, c->w1), share, rh_step_read_vec(w->velocity[i].w));
    sum += gain_of(w, i, v, spin, h);
  }
  return sum;
}

static double kinetic_energy(const rh_step_world *w, const rh_step_island *s)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    sum += w->body[i].pressed ? rh_step_kinetic(w, i, w->body[i].v0, w->body[i].w0) : 0;
  }
  return sum;
}

// Keeps the plastic answer as the safe one.
static void find_plastic(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  rh_step_answer_keep(w, view);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    w->row[k].bias = w->info[k].has_impact ? w->info[k].aim : w->row[k].bias;
  }
  rh_step_solve(worker, view);
  rh_step_answer_swap(w, view);
}

static void limit_energy(rh_step_worker *worker, const rh_step_island *view, double h)
{
  const rh_step_world *w = worker->world;
  sort_out(w, view, false);
  if (energy_gain(w, view, 1, h) <= 1e-13 * kinetic_energy(w, view)) {
    return;
  }
  find_plastic(worker, view);
  sort_out(w, view, true);
  const rh_step_limit limit = {.energy = energy_gain, .h = h};
  worker->tally.limited += rh_step_limit_energy(w, view, &limit);
}

// ---- The step

static void record_impacts(rh_step_worker *worker, const rh_step_island *view, double h)
{
  const rh_step_world *w = worker->world;
  double fastest = 0;
  for (int k = view->con; k < view->con + view->ncon; k++) {
    fastest = w->info[k].has_impact ? fmin(fastest, w->info[k].un) : fastest;
  }
  for (int k = view->con; k < view->con + view->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    if (w->info[k].has_impact && c->p[3] > 0) {
      const rh_step_body *a = &w->body[c->a];
      const rh_step_body *b = &w->body[c->b];
      rh_vec3 since = a->strikes ? rh_scale(h - a->ahead, a->a) : rh_v3(0, 0, 0);
      since = b->strikes ? rh_addscaled(since, b->ahead - h, b->a) : since;
      worker->at = time_of(w, c);
      rh_impact_record *note = rh_step_ledger_impact(worker, k, fastest, since);
      if (note) { // including bodies pressed otherwise
        note->after = rh_dot(rh_step_read_vec(c->n),
                             rh_sub(rh_step_velocity_at(worker, c), flight_gain(w, c, h)));
      }
    }
  }
}

void rh_step_impact_batch(rh_step_worker *worker, const rh_step_island *s, double h,
                          const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  rh_step_island view = rh_step_examine_again(worker, s, locate_impacts(worker, s, h, late));
  rh_step_copy_forces(w, s, worker->again, view.ncon, true);
  rh_step_rows(worker, &view, worker->again, h);
  aim_impacts(worker, &view, h);
  rh_step_substep_solve(worker, &view, h);
  limit_energy(worker, &view, h);
  record_impacts(worker, &view, h);
  rh_step_substep_move(worker, &view, worker->again, h);
  rh_step_copy_forces(w, s, worker->again, view.ncon, false);
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->ahead = 0;
    c->strikes = false;
  }
}
