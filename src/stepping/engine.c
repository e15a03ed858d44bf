// The engine `stepping`: fixed steps, all contacts of a step in one problem (Moreau). The run loop
// requests a time; all steps up to it are done here, and the state is written where others may read it.
#include "stepping.h"

#include <stdio.h>

static const rh_param param[] = {
    {.name = "dt", .unit = "s", .def = 1e-3, .lo = RH_TIME_MIN, .hi = 1, .doc = "length of a step"},
    {.name = "tolerance",
     .unit = "m/s",
     .def = 1e-6,
     .lo = 0,
     .hi = 1,
     .doc = "of the velocities at contacts, between sweeps of the solver"},
    {.name = "iterations",
     .unit = "1",
     .def = 16,
     .lo = 1,
     .hi = 1e6,
     .doc = "of the solver over the contacts of an island that is too large for Newton's method, "
            "at most"},
    {.name = "slop",
     .unit = "m",
     .def = 1e-6,
     .lo = 0,
     .hi = 1,
     .doc = "overlap that is left alone"},
    {.name = "impacts_per_step",
     .unit = "1",
     .def = 8,
     .lo = 0,
     .hi = 1000,
     .doc = "impacts located inside one step, at most"},
    {.name = "threads",
     .unit = "1",
     .def = 1,
     .lo = 1,
     .hi = RH_POOL_MAX,
     .doc = "that share out a step; no bit of a run depends on how many",
     .type = RH_INTEGER},
    {.name = "check_solution",
     .unit = "1",
     .def = RH_STEP_FRAMES,
     .lo = RH_STEP_NEVER,
     .hi = RH_STEP_STEPS,
     .doc = "which steps are asked for their residual, and whether their answer is the only one",
     .type = RH_CHOICE,
     .choices = "never|frames|steps"},
    {.name = "sleep",
     .unit = "s",
     .def = 0,
     .lo = 0,
     .hi = 1e9,
     .doc = "an island that has rested for so long sleeps until something disturbs it; 0: nothing "
            "sleeps"},
    {.name = "sleep_speed",
     .unit = "m/s",
     .def = 0,
     .lo = 0,
     .hi = 1,
     .doc =
         "a body no faster than this rests, as far as sleeping goes; 0: it must not move at all"},
};

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

static bool velocities_finite(const rh_step_world *w)
{
  double sum = 0;
  for (int i = 1; i <= w->nfree; i++) {
    const rh_step_velocity *b = &w->velocity[i];
    sum += b->v[0] + b->v[1] + b->v[2] + b->w[0] + b->w[1] + b->w[2];
  }
  for (int z = 0; z < w->trees.nz; z++) {
    sum += w->trees.v[z];
  }
  return isfinite(sum);
}

// The first step with an inexact solution is reported, the others are counted.
static void tell_unsolved(rh_step_world *w, long before)
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
             (int)w->par.sweeps, w->tally.residual);
    rh_sim_emit_diagnosis(sim, &e);
    before++;
  }
  sim->verdicts[RH_EVENT_UNSOLVED] += w->tally.unsolved - before;
}

// Is a step that ends at t to be checked? Of frames it is the one that they show.
static bool is_judged(const rh_step_world *w, double t)
{
  double shown = (double)w->sim->frame * w->m->run.every - 1e-9 * w->par.dt;
  return w->par.judge == RH_STEP_STEPS || (w->par.judge == RH_STEP_FRAMES && t >= shown);
}

// A contact that did not keep its shapes separate ends the run.
static rh_status check_passed(rh_step_world *w)
{
  int pierced = RH_NONE;
  for (int i = 0; w->laws.compliant && i < w->nisland && pierced == RH_NONE; i++) {
    pierced = w->island[i].result.pierced;
  }
  int passed = pierced == RH_NONE ? rh_step_passed(w) : pierced;
  if (passed == RH_NONE) {
    return RH_OK;
  }
  return rh_stop_passed(w->m, passed, w->m->contact[passed].law != NULL, w->reason,
                        sizeof w->reason);
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
    double t = (floor(*d->t / dt + 0.5) + 1) * dt;
    w->checks.on = is_judged(w, t);
    rh_step_advance(w);
    work += 1 + w->contacts.nlast;
    *d->t = t;
    if (w->checks.on) {
      rh_step_diagnosis(w);
    }
    status = w->full ? RH_STOPPED : velocities_finite(w) ? check_passed(w) : RH_NOT_FINITE;
  }
  tell_unsolved(w, unsolved);
  if (*d->t < t_out && *d->t >= t_out - close) {
    *d->t = t_out;
  }
  if (w->full) {
    snprintf(w->reason, sizeof w->reason,
             "more than %d contact points at a time; run.contacts says how many there may be",
             w->contacts.capacity);
  } else if (status == RH_NOT_FINITE) {
    snprintf(w->reason, sizeof w->reason, "the step is too long for this motion");
  }
  rh_step_store_state(w);
  bool due = w->sim->single_step || *d->t >= (double)w->sim->frame * w->m->run.every;
  if (w->tally.steps > steps && due) {
    rh_step_store_slots(w);
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
    .loops = true,
    .compliant = true,
    .restitution = 1U << RH_E_OF_VELOCITIES | 1U << RH_E_OF_IMPULSES,
    .joint_stops = true,
    .friction_states = true,
    .sticks = true,
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
};
