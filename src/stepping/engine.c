// The engine `stepping`: fixed steps, all contacts of a step in one problem (Moreau). The run loop
// requests a time; all steps up to it are done here, and the state is written where others may read it.
// A step: collisions, islands, and each island over the step, with the impacts in it (impacts/groups.c).
#include "stepping.h"

#include "stepping/lanes/lanes.h"

#include <stdio.h>
#include <string.h>

static const rh_param param[] = {
    {.name = "dt", .unit = "s", .def = 1e-3, .lo = RH_TIME_MIN, .hi = 1, .doc = "length of a step"},
    {.name = "tolerance",
     .unit = "m/s",
     .def = 1e-6,
     .lo = 0,
     .hi = 1,
     .doc = "tolerance of the velocities at contacts between sweeps of the solver"},
    {.name = "iterations",
     .unit = "1",
     .def = 16,
     .lo = 1,
     .hi = 1e6,
     .doc = "maximum number of sweeps of the solver over the contacts of an island that is too "
            "large for Newton's method"},
    {.name = "slop",
     .unit = "m",
     .def = 1e-6,
     .lo = 0,
     .hi = 1,
     .doc = "overlap that is not corrected"},
    {.name = "impacts_per_step",
     .unit = "1",
     .def = 8,
     .lo = 0,
     .hi = 1000,
     .doc = "maximum number of impacts located inside one step"},
    {.name = "threads",
     .unit = "1",
     .def = 1,
     .lo = 1,
     .hi = RH_POOL_MAX,
     .doc = "number of threads that share a step; no bit of a run depends on it",
     .type = RH_INTEGER},
    {.name = "check_solution",
     .unit = "1",
     .def = RH_STEP_FRAMES,
     .lo = RH_STEP_NEVER,
     .hi = RH_STEP_STEPS,
     .doc = "steps whose residual and whose uniqueness of the solution are checked",
     .type = RH_CHOICE,
     .choices = "never|frames|steps"},
    {.name = "sleep",
     .unit = "s",
     .def = 0,
     .lo = 0,
     .hi = 1e9,
     .doc = "time of rest after which an island sleeps until something disturbs it; 0: nothing "
            "sleeps"},
    {.name = "sleep_speed",
     .unit = "m/s",
     .def = 0,
     .lo = 0,
     .hi = 1,
     .doc = "maximum speed of a body at rest, for `sleep`; 0: it must not move at all"},
    {.name = "midpoint",
     .unit = "1",
     .def = RH_STEP_USUAL_TREES,
     .lo = RH_STEP_NO_TREES,
     .hi = RH_STEP_ALL_TREES,
     .doc =
         "trees with contacts that are solved at the middle of a step, to order two: none, those "
         "with actuators or up to 8 degrees of freedom, or all",
     .type = RH_CHOICE,
     .choices = "never|usual|all"},
};

// ---- An island over a step

static bool has_rows(const rh_step_world *w, const rh_step_island *s, double h)
{
  bool any = s->ncon > 0 || s->nloop > 0 || s->nmob > 1; // tendons join trees
  for (int k = s->mob; !any && k < s->mob + s->nmob; k++) {
    int tree = w->member[k] - w->nfree - 1;
    any = tree >= 0 && (w->trees.tree[tree].stiff || rh_step_limits_near(w, w->member[k], h));
  }
  return any;
}

// The island's part of the energy ledger; added in the order of islands.
static void put_by(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  rh_step_result *result = &w->result[s - w->island];
  result->impact_work = worker->result.impact_work;
  result->drive_work = worker->result.drive_work;
  result->nimpact = worker->result.nimpact;
  result->pierced = worker->result.pierced;
  if (w->trees.n > 0) {
    memcpy(result->work, worker->result.work, sizeof result->work);
  }
  if (w->checks.on) {
    result->check = worker->result.check;
  }
}

// Where trees turn: in `finer` times as many parts as that needs
static void step_over(rh_step_worker *worker, const rh_step_island *s, double h, int finer)
{
  const rh_step_world *w = worker->world;
  if (!has_rows(w, s, h)) { // it is one mobile by itself
    int i = w->member[s->mob];
    if (i > w->nfree) {
      rh_step_tree_move_free(worker, i, h, finer);
    } else {
      rh_step_move_free(worker, i, h);
    }
    return;
  }
  if (!rh_step_moves_held(worker, s, h, finer)) {
    rh_step_rows(worker, s, w->contacts.now, h);
    rh_step_island_over(worker, s, h, finer);
  }
}

enum { FINER = 4, FINEST = 64 }; // times as many parts, where energy does not close; at most

// Watches the energy of trees.
static void step_guarded(rh_step_worker *worker, const rh_step_island *s, double h)
{
  rh_step_guard guard;
  rh_step_guard_begin(worker, s, &guard);
  for (int finer = 1;; finer *= FINER) {
    step_over(worker, s, h, finer);
    if (finer == FINEST || rh_step_guard_closes(worker, s, &guard, h)) {
      return;
    }
    rh_step_guard_again(worker, s, &guard);
  }
}

static void step_island(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  if (rh_step_asleep(w, w->member[s->mob])) {
    w->result[s - w->island] = (rh_step_result){.pierced.contact = RH_NONE};
    return;
  }
  worker->result.impact_work = worker->result.drive_work = 0;
  if (w->checks.on) {
    worker->result.check = (rh_step_check){0};
  }
  worker->result.nimpact = 0;
  worker->result.pierced.contact = RH_NONE;
  if (w->trees.n > 0) {
    memset(worker->result.work, 0, sizeof worker->result.work);
  }
  if (w->trees.n > 0 && rh_step_island_watched(w, s, h)) {
    step_guarded(worker, s, h);
  } else {
    step_over(worker, s, h, 1);
  }
  put_by(worker, s);
}

// Counts of all workers together; steps and contacts are the world's own.
static void add_counts(rh_step_world *w)
{
  rh_step_counts sum = w->worker[0].tally;
  sum.steps = w->tally.steps;
  sum.contacts = w->tally.contacts;
  w->full = w->full || w->worker[0].full;
  for (int k = 1; k < (int)w->par.threads; k++) {
    const rh_step_counts *t = &w->worker[k].tally;
    sum.sweeps += t->sweeps;
    sum.impacts += t->impacts;
    sum.unsolved += t->unsolved;
    sum.newton += t->newton;
    sum.limited += t->limited;
    sum.residual = fmax(sum.residual, t->residual);
    sum.deepest = fmax(sum.deepest, t->deepest);
    sum.largest_load = fmax(sum.largest_load, t->largest_load);
    sum.largest_impact = fmax(sum.largest_impact, t->largest_impact);
    w->full = w->full || w->worker[k].full;
  }
  w->tally = sum;
}

// ---- All islands

enum { CHUNK = 24 }; // contacts and mobiles of a task

// A tree counts as many free bodies as it has fours of degrees of freedom, and more.
static int size_of_island(const rh_step_world *w, const rh_step_island *s)
{
  int size = s->ncon + s->nmob;
  for (int k = s->mob; w->trees.n > 0 && k < s->mob + s->nmob; k++) {
    int tree = w->member[k] - w->nfree - 1;
    size += tree >= 0 ? 2 * w->trees.tree[tree].nz : 0;
  }
  return size;
}

static int cut_chunks(rh_step_world *w)
{
  int *chunk = w->parts.chunk;
  int n = 0;
  int size = 0;
  chunk[0] = 0;
  for (int i = 0; i < w->nisland; i++) {
    size += w->island[i].nslice > 0 ? 0 : size_of_island(w, &w->island[i]);
    if (size >= CHUNK || i == w->nisland - 1) {
      chunk[++n] = i + 1;
      size = 0;
    }
  }
  return n;
}

static void step_chunk(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = w->parts.chunk[task]; i < w->parts.chunk[task + 1]; i++) {
    if (w->island[i].nslice == 0) {
      step_island(worker, &w->island[i], w->h);
    }
  }
}

static void step_islands(rh_step_world *w)
{
  if (w->pool) {
    rh_step_parallel_for(w, step_chunk, cut_chunks(w));
  }
  for (int i = 0; (!w->pool || w->parts.nslice > 0) && i < w->nisland; i++) {
    if (!w->pool || w->island[i].nslice > 0) { // large ones take all threads, in turn
      step_island(&w->worker[0], &w->island[i], w->h);
    }
  }
  add_counts(w);
}

// ---- The world over a step

static void note_most(rh_step_world *w, double h)
{
  rh_impact_stats *seen = &w->sim->impact;
  seen->deepest = fmax(seen->deepest, w->tally.deepest);
  seen->peak = fmax(seen->peak, w->tally.largest_load / h);
  seen->impulse = fmax(seen->impulse, w->tally.largest_impact);
}

static rh_event unresolved_event(const rh_step_world *w, int contact, double needed)
{
  const rh_found_contact *t = &w->contacts.now[contact];
  rh_event e = rh_unresolved_event(w->sim, t->rule, needed, w->par.dt);
  rh_event_name_bodies(w->m, &e, w->m->shape[t->a].body, w->m->shape[t->b].body);
  e.point[0] = t->point.x;
  e.point[1] = t->point.y;
  e.point[2] = t->point.z;
  return e;
}

// Divides the step where a compliant contact needs it, or acts by run.unresolved. False: the run
// ends.
static bool choose_step(rh_step_world *w)
{
  int contact = RH_NONE;
  double needed = rh_step_resolved(w, w->h, &contact);
  if (needed >= w->par.dt) {
    return true;
  }
  if (w->m->run.unresolved == RH_UNRESOLVED_REFINE) {
    w->h = fmin(needed, w->h);
    return true;
  }
  rh_event e = unresolved_event(w, contact, needed);
  if (w->m->run.unresolved == RH_UNRESOLVED_REFUSE) {
    char bodies[RH_BODIES_MAX];
    rh_event_bodies(w->m, &e, bodies);
    snprintf(w->sim->reason, sizeof w->sim->reason, "at t = %.9g s, contact '%s' (%.80s): %s", e.t,
             e.name, bodies, e.note);
    return false;
  }
  if (w->sim->verdicts[RH_EVENT_UNRESOLVED] == 0) {
    rh_sim_emit_diagnosis(w->sim, &e);
  } else {
    w->sim->verdicts[RH_EVENT_UNRESOLVED]++;
  }
  return true;
}

// A step of `left`, or a part of it, w->h. False: it was refused.
static bool step_world(rh_step_world *w, double left)
{
  w->h = left;
  w->checks.begun = w->tally;
  rh_step_ledger_begin(w);
  rh_step_apply_loads(w);
  if (w->sleep.on && rh_step_sleep_begin(w)) {
    w->tally.steps++;
    w->nisland = 0;
    return true;
  }
  if (w->trees.n > 0) {
    rh_step_trees_place(w);
  }
  rh_step_collide(w);
  if (w->shapes.hurried) {
    rh_step_pass_begin(w);
  }
  if (w->laws.compliant && *w->d->t == 0) {
    rh_step_compliant_begin(w);
  }
  if (w->laws.compliant && !choose_step(w)) {
    return false;
  }
  w->checks.on = w->checks.on && w->h == left;
  rh_step_islands(w);
  rh_step_slices(w);
  step_islands(w);
  if (rh_step_ledger_end(w) > 0) {
    rh_step_impact_records_report(w);
  }
  w->tally.steps++;
  w->tally.contacts += w->contacts.n;
  if (w->tally.deepest > w->checks.begun.deepest ||
      w->tally.largest_load > w->checks.begun.largest_load ||
      w->tally.largest_impact > w->checks.begun.largest_impact) {
    note_most(w, w->h);
  }
  w->contacts.nrow = w->contacts.n;
  rh_step_keep_contacts(w);
  if (w->sleep.on) {
    rh_step_sleep_end(w, w->h);
  }
  return true;
}

// ---- The engine

static rh_status create_engine(rh_sim *sim, rh_diag *diag, void **self)
{
  rh_step_world *w = NULL;
  rh_status status = rh_step_create(sim, sim->model->run.engine_par, diag, &w);
  *self = w;
  return status;
}

static void restart_engine(void *self, rh_restart why)
{
  (void)why;
  ((rh_step_world *)self)->fresh = true;
}

static bool is_finite(const rh_step_velocity *b)
{
  return isfinite(b->v[0] + b->v[1] + b->v[2] + b->w[0] + b->w[1] + b->w[2]);
}

enum { BODIES = 64 }; // per task

static void look_for_infinite(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  bool finite = true;
  for (int k = task * BODIES; k < rh_step_end_of_bodies(w, task, BODIES); k++) {
    int i = rh_step_body_at(w, k);
    finite = finite && (i > w->nfree || is_finite(&w->velocity[i]));
  }
  worker->infinite = worker->infinite || !finite;
}

static bool free_bodies_finite(rh_step_world *w)
{
  bool finite = true;
  for (int k = 0; k < (int)w->par.threads; k++) {
    w->worker[k].infinite = false;
  }
  rh_step_parallel_for(w, look_for_infinite, rh_step_parts_of_bodies(w, BODIES));
  for (int k = 0; k < (int)w->par.threads; k++) {
    finite = finite && !w->worker[k].infinite;
  }
  return finite;
}

static bool velocities_finite(rh_step_world *w)
{
  double sum = 0;
  for (int z = 0; z < w->trees.nz; z++) {
    sum += w->trees.v[z];
  }
  return isfinite(sum) && free_bodies_finite(w);
}

// The first step with an inexact solution is reported, the others are counted.
static void report_unsolved(rh_step_world *w, long before)
{
  rh_sim *sim = w->sim;
  if (w->tally.unsolved == before) {
    return;
  }
  if (sim->verdicts[RH_EVENT_UNSOLVED] == 0) {
    rh_event e = rh_sim_event(sim, RH_EVENT_UNSOLVED, "", RH_NONE);
    e.after = w->tally.residual;
    snprintf(e.note, sizeof e.note,
             "%d sweeps left about %.2g m/s at contacts of a large island; the next steps go on "
             "from there (run.iterations, "
             "run.tolerance)",
             (int)w->par.iterations, w->tally.residual);
    rh_sim_emit_diagnosis(sim, &e);
    before++;
  }
  sim->verdicts[RH_EVENT_UNSOLVED] += w->tally.unsolved - before;
}

// Is a step that ends at t to be checked? Of frames it is the one that they show.
static bool is_checked(const rh_step_world *w, double t)
{
  double shown = (double)w->sim->frame * w->m->run.every - 1e-9 * w->par.dt;
  return w->par.check_solution == RH_STEP_STEPS ||
         (w->par.check_solution == RH_STEP_FRAMES && t >= shown);
}

// A contact that did not keep its shapes separate ends the run.
static rh_status check_passed(rh_step_world *w)
{
  rh_passed_pair pair = {.contact = RH_NONE};
  for (int i = 0; w->laws.compliant && i < w->nisland && pair.contact == RH_NONE; i++) {
    pair = w->result[i].pierced;
  }
  if (pair.contact == RH_NONE && w->shapes.hurried) {
    pair = rh_step_passed(w);
  }
  return pair.contact == RH_NONE ? RH_OK : rh_stop_passed(w->m, &pair, w->reason, sizeof w->reason);
}

// One step of the scene up to time t, in parts where contacts need them
static rh_status step_once(rh_step_world *w, double t, int *work)
{
  double left = w->par.dt;
  rh_status status = RH_OK;
  while (left > 0 && status == RH_OK) {
    w->checks.on = is_checked(w, t);
    if (!step_world(w, left)) {
      return RH_STOPPED;
    }
    *work += 1 + w->contacts.n;
    left -= w->h; // by a power of two: without rounding
    if (w->m->layout.nact > 0) {
      rh_activations_advance(w->d, w->h);
    }
    *w->d->t = t - left;
    if (w->checks.on) {
      rh_step_diagnosis(w);
    }
    status = w->full ? RH_STOPPED : velocities_finite(w) ? check_passed(w) : RH_NOT_FINITE;
  }
  return status;
}

enum { CALL_WORK = 4096 }; // steps, and contacts in them; then the loop reads the clock

static rh_status advance_engine(void *self, double t_out, double limit)
{
  (void)limit; // nothing is located
  rh_step_world *w = self;
  rh_data *d = w->d;
  double dt = w->par.dt;
  double close =
      1e-9 * dt; // times are multiples of dt, frames of record.every: equal but for rounding
  rh_status status = RH_OK;
  long unsolved = w->tally.unsolved;
  long steps = w->tally.steps;
  if (w->fresh) {
    rh_step_load_state(w);
  }
  for (int work = 0;
       work < CALL_WORK && *d->t < t_out - close && status == RH_OK && !w->sim->stop;) {
    if (w->m->sensors.motion) {
      rh_step_store_state(w);
      rh_sensors_note_step(d);
    }
    status = step_once(w, (floor(*d->t / dt + 0.5) + 1) * dt, &work);
  }
  report_unsolved(w, unsolved);
  if (*d->t < t_out && *d->t >= t_out - close) {
    *d->t = t_out;
  }
  if (w->full) {
    snprintf(w->reason, sizeof w->reason,
             "more than %d contact points at a time; raise run.contacts", w->contacts.capacity);
  } else if (status == RH_NOT_FINITE) {
    snprintf(w->reason, sizeof w->reason, "the step is too long for this motion");
  }
  rh_step_store_state(w);
  bool due = w->sim->single_step || *d->t >= (double)w->sim->frame * w->m->run.every;
  if (w->tally.steps > steps && due) {
    rh_step_diagnosis_store(w);
    rh_kinematics(d);
    rh_contacts(d);
  }
  return status;
}

static const char *failure_reason(const void *self)
{
  return ((const rh_step_world *)self)->reason;
}

static void read_stats(const void *self, rh_step_stats *out)
{
  const rh_step_world *w = self;
  *out = (rh_step_stats){.steps = w->tally.steps, .evaluations = w->tally.sweeps};
}

static void destroy_engine(void *self)
{
  rh_step_destroy(self);
}

const rh_engine rh_engine_stepping = {
    .row = {"stepping", "Moreau 1988, Jean 1999",
            "fixed steps, all contacts and impacts of a step in one problem; for many contacts",
            param, RH_COUNT(param)},
    .compliant = true,
    .energy = {.residue = 1e-3, .advice = rh_step_advice},
    .restitution = 1U << RH_E_OF_VELOCITIES | 1U << RH_E_OF_IMPULSES | 1U << RH_E_OF_ENERGIES,
    .tangential_springs = true,
    .impacts_together = true,
    .stops = RH_STOPS_OF_JOINTS | RH_STOPS_OF_TENDONS,
    .friction_states = true,
    .sticks = true,
    .turn_friction = true,
    .belts = true,
    .impact_friction = true,
    .checks_solution = true,
    .keeps_contacts = true,
    .stepper = "moreau",
    .create = create_engine,
    .restart = restart_engine,
    .advance = advance_engine,
    .evaluate = rh_evaluate_motion,
    .reason = failure_reason,
    .stats = read_stats,
    .destroy = destroy_engine,
    .lanes = &rh_step_lanes,
};
