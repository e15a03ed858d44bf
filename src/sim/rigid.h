// rigid.h: private interface of rigid contact in the loop: which contacts take part (rigid.c), how they go on after an
// event (decide.c), what impulses they give (strike.c).
#ifndef ROUTH_SIM_RIGID_H
#define ROUTH_SIM_RIGID_H

#include "lcp/lcp.h"
#include "sim/loop.h"

// A slip slower than this is none: it is what rounding and the integrator leave of a slip that has ended. [m/s]
#define RH_STUCK 1e-9

// Rows whose pivots are below this part of the largest follow from the others.
#define RH_DEPENDENT 1e-11

// A rigid contact that carries nothing may open or close by this before it is looked at again: beyond what rounding and the
// integrator leave of a gap that is zero. [m]
#define RH_RIGID_SLACK 1e-10

static inline bool rh_slot_rigid(const rh_data *d, int slot)
{
  return d->con[slot].on && rh_contact_rigid(d, &d->con[slot]);
}

static inline rh_closed rh_slot_mode(const rh_data *d, int slot)
{
  return (rh_closed)(int)d->slot[slot].mode;
}

static inline void rh_slot_set_mode(rh_data *d, int slot, rh_closed mode)
{
  d->slot[slot].mode = mode;
}

// ---- rigid.c

// The rigid contacts whose mode is `least` or more, island by island: d->rigid, d->nrigid.
void rh_rigid_gather(rh_data *d, rh_closed least);
// Contacts that share a moving body, directly or through others, follow one another: the end of the island that begins
// at `first`.
int rh_rigid_island(const rh_data *d, int first);
// Jacobians and contact-space inertia of those gathered: d->Jc, d->Wc. [forward_dynamics]
void rh_rigid_inertia(rh_data *d);
// The part of d->Wc that belongs to contacts [first, end), row by row.
void rh_rigid_block(const rh_data *d, int first, int end, double *W);
// Accelerations of the contacts as d->a stands: d->bc, rows t1, t2, n; normal: how fast they part.
void rh_rigid_accelerations(rh_data *d);
// Stage 5 for rigid contacts, at the modes settled at the last event: forces, and accelerations under them.
// [forward_dynamics]
void rh_rigid_forces(rh_data *d);

// ---- decide.c: which contacts stick, slide, carry nothing or part from now on. False: no answer; sim->reason says why.
bool rh_rigid_decide(rh_sim *sim);
// Are there forces within the cones that keep the contacts [first, end) as they are? Then d->pc gets them. [inertia,
// accelerations]
bool rh_rigid_holds(rh_data *d, int first, int end);

// Do all rigid contacts go on as they are, by a clear margin? Then there is nothing to decide: what they do is an answer to the
// problem of this instant. So it is at most moments that only change an effort. [evaluate]
bool rh_rigid_goes_on(const rh_data *d);
// The problem of this instant, all islands together: to be looked at, or solved elsewhere. It holds until the next stage
// runs. False: no rigid contact is closed.
bool rh_sim_cone(rh_sim *sim, rh_cone *problem);

// ---- strike.c: what the integrator's error left of speeds that are zero is taken out
void rh_rigid_hold(rh_sim *sim);
// impulses where rigid bodies approach that touch. True if there were any.
bool rh_rigid_strike(rh_sim *sim);
// A slide that allows no finite forces ends by an impulse (Kilmister and Reeve). True if one was found and ended.
bool rh_rigid_jam(rh_sim *sim, int first, int end);

// ---- verdict.c: tells if more than one set of forces fits; `room` for the count
void rh_verdict_several(rh_sim *sim, const rh_cone *problem, int slot, double *room);

#endif
