// event.h: private interface of the event engine: the rate of the state, event functions, and
// actions at events.
#ifndef ROUTH_EVENT_EVENT_H
#define ROUTH_EVENT_EVENT_H

#include "contacts/simulation.h"
#include "integrator.h"

// stages 1 to 5, 1 to 7
typedef enum rh_seen {
  RH_SEEN_NOTHING,
  RH_SEEN_CONTACTS,
  RH_SEEN_DYNAMICS, // the motion; a sharing of loads that does not affect it may be left out
  RH_SEEN_LOADS     // the loads of all contacts too
} rh_seen;

typedef struct rh_storm_tree { // events of one tree of bodies
  double level;                // their number, less one for each step in between
  double last;                 // [s] time of the last
  double given;                // [s] when its contacts were last given back
  int again;                   // how often they were taken over again soon after
  long serial;                 // of the last event that was counted
  bool stepped;                // it has contacts that are stepped in time
} rh_storm_tree;

typedef struct rh_storm { // contacts that are stepped in time (storm/)
  double step;            // h [s]
  double part;            // of h, that the intervals have: they begin short
  double end;             // [s] of the interval in which their forces are constant; infinity: none is stepped
  rh_storm_tree *tree;    // by its lowest body (nbody)
  bool over;              // a count is above its limit
  bool in_impact;         // stepped contacts take part in the present impact
  rh_model_run run;       // of the model, with a formulation for many of them
  int impacts;            // impacts of stepped contacts in the present interval
  double gain;            // [m/s^2] largest acceleration at stepped contacts without their forces
  // [m/s] normal speed at which a stepped contact that carries a force ends the interval (nslot)
  double *cut;
  double spent;           // [J] dissipated by stepped contacts up to the beginning of the interval
  double weight;          // of the present event
  long serial;            // its number
  long steps;             // of the integrator, up to the last event
  double loose;           // factor by which the integrator exceeds its tolerance, as last reported
  double yielded;         // [s] when the integrator last ran out of steps
} rh_storm;

// Guards are in this order: lower then upper limit of each limited degree of freedom, dry friction, three of each
// tendon that has limits or dry friction, the nearest gap, depth and then stick of each slot, passages of the scene, the program's own.
typedef struct rh_event_engine {
  rh_sim *sim;
  const rh_integrator *row; // of model->integrator
  void *integrator;
  rh_ode flow;
  int *limited;      // degrees of freedom with limits (nlimited)
  int nlimited;
  int *leaves;       // the limit (rh_hold) that each of them was leaving when the integrator began
  int *dry;          // degrees of freedom with dry friction (ndry)
  int ndry;
  int *slack;        // the limit (rh_hold) that each tendon was leaving when the integrator began (layout.ntendon)
  int *passage;      // events of the scene whose trigger is a passage (npassage)
  int npassage;
  int *direction, *hit; // (2 nlimited + ndry + 3 ntendon + 1 + 2 nslot + npassage + RH_GUARD_MAX)
  // [m] overlap of separating rigid shapes when the integrator began; added to the nearest gap
  double grace;
  bool begins;       // ... which is examined before the next step
  // [s] no shapes pass through one another before the check at this time (safe_step.c)
  double safe_until;
  double ahead;      // [s] maximum horizon of that check
  double flight;     // [s] half of the minimum time until a contact that left is back
  double fixed_step; // [s] of the integrator; 0: it has none, or no contact is compliant
  rh_contact_rates *rates; // with a fixed step: scratch (nslot)
  bool limits_acted;       // a limit acted since the modes of the rigid contacts were decided
  bool full;         // a contact found no slot
  int shared;        // directions in which the loads of the present contacts are free
  bool unknown;      // an island was too large to be examined
  bool depends;          // the motion of an island depends on how its load is shared
  bool searched;         // other motions were searched for, without proof that there is none
  bool uncounted;        // ... of an island in space with more contacts than run.examine
  double *seen;      // time and y that the stage results hold for (1 + ny)
  int nseen;         // length of that y
  rh_seen level;     // their stages
  rh_storm storm;
} rh_event_engine;

static inline rh_event_engine *rh_event_engine_of(const rh_sim *sim)
{
  return sim->engine;
}

// rhs.c: y' = f(t, y), the semi-implicit step, the projection (stages 1, 6, 7)
int rh_sim_rate(void *user, double t, const double *y, double *ydot);
void rh_sim_arc(void *user, double t, const double *y, double *slope, double *bend);
int rh_sim_kick(void *user, double t, double h, double *y);
bool rh_sim_idle(void *user, int i);
bool rh_sim_coordinate(void *user, int i);
void rh_sim_project(void *user, double *y);
// Runs the stages up to `level` for (t, y), which is bound, unless that has just been done.
void rh_sim_evaluate_stages(rh_sim *sim, double t, const double *y, rh_seen level);
// Makes d->t point to t, and d->q, v, s, work into y (neither is written); and back into the state.
void rh_data_bind(rh_data *d, const double *t, const double *y);
void rh_data_unbind(rh_data *d);

// stages 1 to 7 for the state as it is now: accelerations and reactions
void rh_sim_evaluate(rh_data *d);

// contact_events.c: contacts that come and go, at events (stage 9)
rh_event rh_contact_event(const rh_sim *sim, rh_event_kind kind, int slot);
// with its speed: of slip, or of depth
void rh_contact_report(rh_sim *sim, rh_event_kind kind, int slot);
void rh_contact_end(rh_sim *sim, int slot);                     // reported, and its slot is free
void rh_contacts_begin_touching(rh_sim *sim); // [contacts] touching points without a slot get one
// [s] of a first step after which compliant contacts that have just parted are still apart, also in
// the straight line that an integrator of order one draws to its end. [evaluate]
double rh_contacts_shortest_flight(const rh_sim *sim);
// from the gap's guard on; returns the entries after the slots'
const int *rh_touch_hits(rh_sim *sim, const int *hit);

// joint_friction.c: dry friction of joints
double rh_joint_friction_guard(const rh_data *d, int k);
void rh_joint_friction_event(rh_sim *sim, int k);
void rh_joint_friction_settle(rh_sim *sim);  // decides which joints move, in which direction, and which rest

// tendon_stops.c: limits and dry friction of tendons
double *rh_tendon_guards(const rh_sim *sim, double *g);        // three of each; returns what follows
const int *rh_tendon_hits(rh_sim *sim, const int *hit);        // the same of those that passed zero
void rh_tendons_settle_friction(rh_sim *sim);                  // which move, and which rest
bool rh_tendons_settle_one(rh_sim *sim);                       // limits: true if one needed an action
void rh_tendons_find_leaving(rh_sim *sim);
double rh_tendons_shortest_flight(const rh_sim *sim);          // [s] half of the time until one is back

// event_functions.c: the functions whose zeros are events
int rh_sim_guards(void *user, double t, const double *y, double *g);
// [s] of a step that resolves the compliant contacts, by run.unresolved; 0: the run ends
double rh_sim_longest_step(void *user, double t, const double *y);

// event_actions.c: actions at events (stage 9)
void rh_events_resolve(rh_sim *sim);               // guards that passed zero: rh_event_engine.hit
void rh_events_resolve_start(rh_sim *sim);           // at the start: contacts that exist already
// catches joints that rest on a limit, releases those pulled away
void rh_events_settle(rh_sim *sim);

// diagnosis.c: cases that rigid body laws leave open, or that violate energy
void rh_diagnosis_report(rh_sim *sim, rh_event_kind kind, int slot, double number, const char *text);
void rh_diagnosis_gain(rh_sim *sim, int slot, double loss);
void rh_diagnosis_undetermined(rh_sim *sim); // [evaluate]

#endif
