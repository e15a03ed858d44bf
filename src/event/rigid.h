// rigid.h: private interface of rigid contact in the loop: which contacts take part (rigid.c), the
// response to forces at them (contact_response.c), the forces (contact_forces.c), the modes after
// an event (contact_modes.c), the impulses (impacts.c).
#ifndef ROUTH_EVENT_RIGID_H
#define ROUTH_EVENT_RIGID_H

#include "complement/complement.h"
#include "model/contact_speed.h"
#include "event.h"

static inline rh_closed rh_slot_mode(const rh_data *d, int slot)
{
  return (rh_closed)(int)d->slot[slot].mode;
}

static inline void rh_slot_set_mode(rh_data *d, int slot, rh_closed mode)
{
  d->slot[slot].mode = mode;
}

// Friction coefficient of a rigid contact that slips as it does now
static inline double rh_slot_sliding(const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  return rh_contact_sliding(&d->model->contact[c->rule], rh_hypot(c->slip[0], c->slip[1]));
}

// ---- rigid.c

// The rigid contacts whose mode is `least` or more, island by island: d->rigid, d->nrigid.
void rh_rigid_gather(rh_data *d, rh_closed least);
void rh_rigid_gather_stepped(rh_data *d); // those that are stepped in time (storm/)
void rh_rigid_gather_all(rh_data *d);     // these and all others
// Contacts that share a moving body, directly or through others, are consecutive: the end of the
// island that begins at `first`.
int rh_rigid_island(const rh_data *d, int first);
// Stage 5 for rigid contacts, at the modes decided at the last event: forces, and accelerations
// under them. [forward_dynamics]
// loads: a sharing beyond a cone is replaced by one within, even where that does not affect the motion
void rh_rigid_forces(rh_data *d, bool loads);

// The forces of the last call without `loads` have such a sharing.
static inline bool rh_rigid_loads_open(const rh_data *d)
{
  return d->model->nrigid > 0 && rh_rigid(d)->searched < 0;
}

// ---- contact_response.c: response to forces
// bodies that the contacts of an island act on, directly or through joints
typedef struct rh_island_bodies {
  int *set;               // those bodies and their ancestors, in order (n)
  int *place;             // of a body among those touched; RH_NONE: not touched, or fixed (nbody)
  int n, touched;
  // velocity of touched body e for a unit push on c: row 6 e + i, column 6 c + k; at the start of
  // the scratch of rh_rigid_system
  double *L;
  double *rest;           // the rest of that scratch
} rh_island_bodies;

// a unit of force between two bodies: moment and force on each, about its origin
typedef struct rh_pushes {
  int place[2];
  double f[2][6];
} rh_pushes;

// its power at velocities v of the touched bodies
static inline double rh_felt(const rh_pushes *p, const double *v)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const double *at = v + 6 * p->place[side];
    const double *f = p->f[side];
    sum += p->place[side] == RH_NONE
               ? 0
               : at[0] * f[0] + at[1] * f[1] + at[2] * f[2] + at[3] * f[3] + at[4] * f[4] +
                     at[5] * f[5];
  }
  return sum;
}

// [forward_dynamics] for the contacts [first, end) of an island
void rh_island_bodies_find(rh_data *d, int first, int end, rh_island_bodies *x);
// of the touched bodies
void rh_island_bodies_velocities(const rh_island_bodies *x, const rh_pushes *push, double *v);
// their part of rh_rigid(d)->W
void rh_island_bodies_block(rh_data *d, const rh_island_bodies *x, int first, int end);
// Contact-space inertia of all gathered contacts: rh_rigid(d)->W. [forward_dynamics]
void rh_rigid_inertia(rh_data *d);
// The part of rh_rigid(d)->W that belongs to contacts [first, end), row by row.
void rh_rigid_block(const rh_data *d, int first, int end, double *W);
// Rows t1, t2, n of the Jacobian of contact i of those gathered: rh_rigid(d)->J. [kinematics]
void rh_rigid_jacobian(rh_data *d, int i);
// [m/s^2] with which a point approaches. [accelerations, c->drift]
double rh_contact_pull(const rh_data *d, const rh_contact *c);
// Accelerations of the contacts by d->a: rh_rigid(d)->b, rows t1, t2, n; normal: of separation.
void rh_rigid_accelerations(rh_data *d);

// ---- contact_forces.c: forces at given modes of the contacts [first, end) of an island: rh_rigid(d)->p,
// d->held; their effect on the bodies is added to d->f. `rest`: for the remaining accelerations, on
// top of rh_rigid(d)->p. True: rounding left much. [accelerations]
bool rh_rows_solve(rh_data *d, int first, int end, bool rest, bool loads);
// ---- rigid_rest.c: structures at rest
// Degrees of freedom of the island that begins with contact `first`; RH_NONE: loops or constraints have a part in it.
int rh_rigid_freedom(const rh_data *d, int first);
// Are all velocities of the island exactly zero, and its contacts closed? [contacts]
bool rh_rigid_still(const rh_data *d, int first, int end);
// Accelerations of islands that cannot move and do not are zero. [rh_rows_solve of all]
void rh_rigid_rest(rh_data *d);
// Velocities of islands that cannot move are zero from now on; true if any was not. [evaluate]
bool rh_rigid_stop(rh_data *d);
// [N] distance of the force of contact i from the limit of its cone
double rh_rigid_margin(const rh_data *d, int i);

// ---- turning/turning.c: rolling and pivoting friction of rigid contacts. A contact that rolls has
// the torque -mu_roll r F_n along its rolling, one that does not whatever torque up to that keeps it
// from rolling: two more rows; the same about the normal, one row.
typedef enum rh_turn_rows { RH_TURN_FREE = 0, RH_TURN_ROLL = 1, RH_TURN_PIVOT = 2 } rh_turn_rows;
static inline bool rh_slot_turns(const rh_data *d, int slot)
{
  return d->turn && rh_contact_turns(&d->model->contact[d->contact[slot].rule]);
}
unsigned rh_turn_held(const rh_data *d, int slot); // a set of rh_turn_rows
// Torque on a for a unit of normal force, of the directions that are not held [contacts]
rh_vec3 rh_turn_moving(const rh_data *d, int slot);
// The torque that holds contact i of those gathered
rh_vec3 rh_turn_holding(const rh_data *d, int i);
// A row of the angular velocity about an axis: its value, and the acceleration that it lacks
double rh_turn_speed(const rh_data *d, const rh_contact *c, rh_vec3 axis);
double rh_turn_demand(const rh_data *d, const rh_contact *c, rh_vec3 axis);
double rh_turn_guard(const rh_data *d, int slot); // falls through zero where a mode ends
bool rh_turn_goes_on(const rh_data *d, int slot); // it keeps its modes by a clear margin
// Contacts that are stepped in time: from now on; their torque on a; the same within its limits by
// the kept normal force; the torque of the next interval h, by the angular accelerations V of a unit
// torque: about axes in the contact plane, about the normal [evaluate]
void rh_turn_take(rh_data *d, int slot);
rh_vec3 rh_turn_stepped(const rh_data *d, int slot);
void rh_turn_limit(rh_data *d, int slot);
void rh_turn_step(rh_data *d, int slot, double h, const double V[2]);
// Modes of all contacts by their angular velocities [contacts]
void rh_turns_begin(rh_data *d);
// Those whose torque is beyond its limit move from now on; true if there is any. [evaluate]
bool rh_turns_release(rh_data *d);
// Released ones that would turn against their direction are held. [evaluate] True: some
bool rh_turns_hold(rh_data *d);

// ---- contact_decision.c: the direction of a slip as it begins, in the place of the friction law's vector
void rh_slide_keep(rh_data *d, int slot, const double slide[2]);

// ---- contact_modes.c: which contacts stick, slide, carry nothing or separate from now on. False:
// no answer; sim->reason states why.
bool rh_rigid_decide(rh_sim *sim);
// Are there forces within the cones that keep the contacts [first, end) as they are? Then rh_rigid(d)->p
// gets them. [their part of rh_rigid(d)->W, accelerations]
bool rh_rigid_holds(rh_data *d, int first, int end);

// Do all rigid contacts keep their modes, by a clear margin? Then there is nothing to decide: their
// modes are an answer to the problem of this instant. This holds at nearly all moments that only
// change an effort. [evaluate]
bool rh_rigid_goes_on(const rh_data *d);
// The problem of this instant, all islands together: to be examined, or solved elsewhere. It is
// valid until the next stage runs. False: no rigid contact is closed.
bool rh_sim_cone(rh_sim *sim, rh_cone *problem);

// ---- impacts.c: removes the integrator's error from speeds that are zero
void rh_rigid_hold(rh_sim *sim);
// [m/s] the fastest approach of touching rigid bodies; 0: none approach
double rh_rigid_approach(rh_sim *sim);
// applies impulses where touching rigid bodies approach; true if there were any
bool rh_rigid_impacts(rh_sim *sim);
// A slide that allows no finite forces ends by an impulse (Kilmister and Reeve). True if one was
// found and ended.
bool rh_rigid_jam(rh_sim *sim, int first, int end);

// ---- diagnosis.c: reports if more than one set of forces fits; `scratch` for the count
void rh_diagnosis_several(rh_sim *sim, const rh_cone *problem, int slot, double *scratch);

#endif
