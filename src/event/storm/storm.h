// storm.h: islands of rigid contacts in which events accumulate (a Zeno point, modes that alternate,
// slips so slow that the integrator hardly moves on) are stepped in time: the same contact problem,
// solved for a velocity at the end of an interval, with forces that are constant in it.
// docs/rigid.md has the equations.
#ifndef ROUTH_EVENT_STORM_STORM_H
#define ROUTH_EVENT_STORM_STORM_H

#include "event/rigid.h"

// ---- watch.c: where events accumulate
rh_status rh_storm_open(rh_event_engine *engine);
void rh_storm_close(rh_event_engine *engine);
// A run may be resumed from here: nothing that is not part of the state may count.
void rh_storm_forget(rh_event_engine *engine);
void rh_storm_begin_event(rh_event_engine *engine); // what is counted from here on is one event
void rh_storm_count(rh_sim *sim, int slot);         // an event of the contact of this slot
void rh_storm_count_limit(rh_sim *sim, int k); // an event of the limit of degree of freedom k
// an impact of its island to which no impulses fit exactly: such a search costs as many events
void rh_storm_count_unsolved(rh_sim *sim, int slot);
bool rh_storm_over(const rh_sim *sim, int tree);    // too many, for the time in which they came
// An evaluation searched for forces within the cones of many contacts: that counts by its cost. [evaluate]
void rh_storm_count_searches(rh_sim *sim);
// reports that the integrator cannot meet its tolerance, once for each factor
void rh_storm_watch_tolerance(rh_event_engine *engine);
// the integrator has used up its steps without an event; true: a tree was found whose contacts to step
bool rh_storm_labours(rh_event_engine *engine);
bool rh_storm_stuck(rh_event_engine *engine); // the same where its steps have become too short

#define RH_STORM_FIRST 0.015625 // part of a step that the first interval has

// [s] of an interval, where the tree of degree of freedom k has contacts that are stepped: a flight from its limit
// that is shorter is none. 0: it has none.
double rh_storm_interval(const rh_sim *sim, int k);

// ---- takeover.c: which contacts are stepped
static inline bool rh_slot_stepped(const rh_data *d, int slot)
{
  return d->slot[slot].mode <= RH_CLOSED_STEPPED;
}

// Takes over the islands where events accumulate, with all contacts that have joined islands that
// are stepped; gives back those that have settled. [evaluate]
void rh_storm_settle(rh_sim *sim);
// Steps the contacts [first, end) of an island from now on; `why` in words
void rh_storm_take(rh_sim *sim, int first, int end, const char *why);

// [m/s] that stepped contacts may gain in a step: slower approaches are no impacts
double rh_storm_speed(const rh_sim *sim);
// Where a stepped contact touches and approaches faster, those of its island that touch take part in
// an impact by the laws; true if there is any. Then they are stepped again.
bool rh_storm_open_impacts(rh_sim *sim);
void rh_storm_close_impacts(rh_sim *sim);
// The formulation of an impact at n contacts: the run's own; where many stepped contacts take part
// a fast one, since such impacts come in great number
const rh_model_run *rh_storm_impact_run(const rh_sim *sim, int n);

// ---- stepped_forces.c: the forces of the contacts that are stepped, until engine->storm.end
void rh_storm_step(rh_sim *sim);

// ---- stepped_push.c
#define RH_STORM_EDGE 1e-6 // part of the cone that counts as its edge
void rh_storm_forces(rh_data *d); // their effect, stage 5 [forward_dynamics]
double *rh_storm_force(const rh_data *d, int slot); // friction of a stepped contact, world axes (3)
void rh_storm_force_rows(const rh_data *d, int slot, double p[3]); // its whole force: rows t1, t2, n
// ---- stepped_torques.c: torques of rolling and pivoting friction for an interval h; true if there are any
bool rh_storm_turn(rh_data *d, double h);
// ---- stepped_solve.c: impulses p (3 n) of a problem in velocities, from the p given; its residual [m/s]
double rh_storm_solve(const rh_cone *problem, double tolerance, double *scratch, double *p);

// mode of a stepped contact by its force: idle, stick or slide
rh_closed rh_storm_mode(const rh_data *d, int slot);

#endif
