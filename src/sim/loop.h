// loop.h: private interface of the sim folder: the loop's memory, and what its files do for run.c.
#ifndef ROUTH_SIM_LOOP_H
#define ROUTH_SIM_LOOP_H

#include "model/layout.h"

#include <routh/sim.h>

typedef enum rh_moment_kind { RH_MOMENT_EVENT, RH_MOMENT_FORCE_ON, RH_MOMENT_FORCE_OFF } rh_moment_kind;

typedef struct rh_moment { // something due at a known time
  double t;
  rh_moment_kind kind;
  int index;
} rh_moment;

typedef enum rh_seen { RH_SEEN_NOTHING, RH_SEEN_CONTACTS, RH_SEEN_DYNAMICS } rh_seen; // stages 1 to 5, 1 to 7

// Guards stand in this order: lower then upper limit of each limited degree of freedom, dry friction, the nearest gap, depth and then stick
// of each slot, passages of the scene, the program's own.
struct rh_sim {
  const rh_model *model;
  rh_data *data;
  rh_observer observer;
  rh_flow flow;
  void *stepper;         // of model->stepper
  int *limited;          // degrees of freedom with limits (nlimited)
  int nlimited;
  double slight;         // [N, N m] forces of limits below this are rounding
  int *dry;              // degrees of freedom with dry friction (ndry)
  int ndry;
  int *passage;          // events of the scene whose trigger is a passage (npassage)
  int npassage;
  rh_guard user[RH_GUARD_MAX];
  char user_name[RH_GUARD_MAX][RH_NAME_MAX];
  int nuser;
  int *direction, *hit;  // (2 nlimited + ndry + 1 + 2 nslot + npassage + RH_GUARD_MAX)
  rh_moment *queue;      // moments in order of time (nqueue)
  int nqueue, next;
  long frame;            // index of the next frame
  bool started;
  bool resumed;          // from a frame of a batch; what follows such a frame is still to be done
  bool stop;             // an event of the scene asked to end the run
  bool refused;          // ... or a verdict did, in a strict run
  bool failed;           // no forces between rigid bodies were found; `reason` says more
  long verdicts[RH_EVENT_COUNT];        // how often each was given
  rh_event first_verdict[RH_EVENT_COUNT];
  int undetermined;      // directions in which rigid contacts shared their load when last told; < 0: not known
  double several_at;     // [s] when several answers were told of last
  double grace;          // [m] what rigid shapes that part overlapped by when the integrator began; added to the nearest gap
  bool begins;           // ... which is looked at before the next step
  double safe_until;     // [s] no shapes pass through one another before they are looked at then (tunnel.c)
  double ahead;          // [s] how far that look goes, at most
  double flight;         // [s] half of what it takes what left a rigid contact to be back, at least
  rh_impact_stats impact;
  rh_solver_stats judged; // steps of a stepper that judges
  rh_step_stats before;  // of steppers that have been given up (input.c)
  bool full;             // a contact found no slot
  double *seen;          // time and y that the stage results hold for (1 + ny)
  int nseen;             // length of that y
  rh_seen level;         // how far they go
  long events;
  double last_event;     // [s] for the watch on piling events
  int piled;
  rh_status observed;    // what an observer answered last
  char reason[384];      // a note and what stands around it
};

#define RH_SLIGHT 1e-11 // part of the weight, and of gravity, that rounding may leave

// rhs.c: y' = f(t, y), the semi-implicit step, the projection (stages 1, 6, 7)
int rh_sim_rate(void *user, double t, const double *y, double *ydot);
void rh_sim_arc(void *user, double t, const double *y, double *slope, double *bend);
int rh_sim_kick(void *user, double t, double h, double *y);
bool rh_sim_idle(void *user, int i);
void rh_sim_project(void *user, double *y);
// Runs the stages up to `level` for (t, y), which is bound, unless that has just been done.
void rh_sim_look(rh_sim *sim, double t, const double *y, rh_seen level);
// Makes d->t point to t, and d->q, v, s, work into y (neither is written); and back into the state.
void rh_data_bind(rh_data *d, const double *t, const double *y);
void rh_data_unbind(rh_data *d);

void rh_sim_evaluate(rh_data *d); // stages 1 to 7 for the state as it is now: accelerations and reactions

void rh_sim_go_on(rh_sim *sim, long next); // from the state as it is; frame `next` is told next
void rh_sim_settle_resumed(rh_sim *sim);   // does what follows the frame that a run was resumed from
void rh_data_wake(rh_data *d, int body);   // what sleeps together with a body sleeps no longer; 0: nothing does

// near.c: stage 2, which shapes are near
typedef void rh_pair_visit(rh_data *d, const rh_near_pair *pair, void *user);
rh_geom rh_shape_placed(const rh_data *d, int shape); // a shape where it stands [kinematics]
rh_near_pair rh_near_pair_of(const rh_model *m, int a, int b); // contact RH_NONE: these shapes never meet
// Calls `visit` for each pair of shapes nearer than model->near, in the order of their shapes; some may be farther. [kinematics]
void rh_near_each(rh_data *d, rh_pair_visit *visit, void *user);

// slots.c: stage 3
typedef struct rh_slot_run { // the slots of a pair
  const int *slot;
  int n;
} rh_slot_run;
void rh_slots_sort(rh_data *d); // brings d->order up to date
rh_slot_run rh_slots_of_pair(const rh_data *d, const rh_near_pair *pair, int *next); // pairs in order, *next 0 at first
// The slot of each of the n points of a pair, RH_NONE if it has none
void rh_slots_match(const rh_data *d, const rh_near_pair *pair, const rh_slot_run *run, const rh_touch *touch, int n,
                    int *owner);
void rh_slots_follow(rh_data *d); // [contacts] from here on the slots' points are looked for where they are now
int rh_slot_claim(rh_data *d, const rh_bare *bare); // gives a point a slot; RH_NONE: none is free
void rh_slot_open(rh_data *d, int slot, const rh_contact *c);     // a contact begins in a slot that is free
void rh_slot_remember(rh_data *d, int slot, const rh_contact *c); // where its point is now
void rh_slot_release(rh_data *d, int slot);         // its integrals go to d->past
rh_vec3 rh_slot_point(const rh_data *d, int slot);  // [kinematics] where its point was when last looked at
int rh_slot_contact(const rh_data *d, int slot);    // whose laws hold; RH_NONE: it is free

// contacts.c: stages 4 and 5
void rh_contact_frame(const rh_data *d, const rh_near_pair *pair, const rh_touch *touch, rh_contact *c);
void rh_contact_push(rh_data *d, const rh_contact *c); // adds the forces of a contact to the wrenches
static inline bool rh_contact_rigid(const rh_data *d, int contact)
{
  return d->model->contact[contact].law == NULL;
}
// A compliant contact is rigid while it is struck.
static inline bool rh_slot_rigid(const rh_data *d, int slot)
{
  return d->con[slot].on && (rh_contact_rigid(d, d->con[slot].contact) || d->slot[slot].mode == RH_CLOSED_STRUCK);
}
#define RH_SHALLOW 1e-12 // [m] a contact is lost this much later than it was found; rounding of depths is below it
#define RH_HARDLY  1e-12 // [m/s] rigid bodies that part or slip more slowly than this do so by rounding
#define RH_CLOSED  1e-9  // [m] where a gap closed to, but for rounding and the accuracy of event times

// tunnel.c: how long the run may go on, at most `horizon`, before shapes that move now could pass through one another [evaluate]; and
// the slot that is pressed in by more than half its thinner shape, where a normal has no meaning any more (RH_NONE: none).
double rh_safe_time(rh_data *d, double horizon);
int rh_slot_pierced(const rh_data *d);
int rh_slot_on_edge(const rh_data *d); // a slot with laws for an area that has come to an edge, which has none

// pass.c: [m] how deep two shapes may be in one another: half the thinner one; beyond it the way out may be on the other side. Of a shape that
// has no thickness to speak of (a rod of [CSC]), half the other one.
double rh_pair_deep(const rh_model *m, int a, int b);
// Do two bounded shapes go through one another, by more than that, on the straight way between two ticks?
// `from` and `to` have all shapes of the model.
bool rh_pair_passes(const rh_model *m, int a, int b, const struct rh_geom *from, const struct rh_geom *to);

// touch.c: contacts that come and go, at events (stage 9)
rh_event rh_contact_event(const rh_sim *sim, rh_event_kind kind, int slot);
void rh_contact_tell(rh_sim *sim, rh_event_kind kind, int slot); // its speed with it: of slip, or of depth
void rh_contact_part(rh_sim *sim, int slot);                     // told, and its slot is free
void rh_sim_note_impact(rh_sim *sim, double before, double after); // normal velocities, for the run's verdict
void rh_touch_settle(rh_sim *sim); // [contacts] what touches without a slot gets one
const int *rh_touch_hits(rh_sim *sim, const int *hit); // from the gap's guard on; returns what is behind the slots'

// dry.c: dry friction of joints
double rh_dry_guard(const rh_data *d, int k);
void rh_dry_hit(rh_sim *sim, int k);
void rh_dry_release(rh_sim *sim); // before an impulse
void rh_dry_settle(rh_sim *sim);  // which move, and which way; which rest

// guard.c: the functions whose zeros are events
int rh_sim_guards(void *user, double t, const double *y, double *g);

// resolve.c: what happens at events (stage 9)
void rh_resolve_hits(rh_sim *sim);               // guards that passed zero: sim->hit
void rh_resolve_moment(rh_sim *sim, const rh_moment *moment);
void rh_resolve_overlaps(rh_sim *sim);           // at the start: contacts that are there already
void rh_resolve_settle(rh_sim *sim);             // catch what rests on its limit, let go what is pulled away
bool rh_limits_release(rh_sim *sim);             // lets go of a limit that would have to pull; false: none would
double rh_books_open(rh_sim *sim);               // the energy before a change,
double rh_books_close(rh_sim *sim, double before); // and what the change comes to, which is booked
rh_event rh_sim_event(const rh_sim *sim, rh_event_kind kind, const char *name, int dof);
void rh_event_name_bodies(const rh_model *model, rh_event *event, int a, int b); // the event is one of bodies a and b
void rh_sim_tell(rh_sim *sim, const rh_event *event);

// verdict.c: what the laws of rigid bodies leave open, or do against energy
void rh_verdict_give(rh_sim *sim, const rh_event *e); // counted, told; a strict run ends
void rh_verdict_tell(rh_sim *sim, rh_event_kind kind, int slot, double number, const char *text);
void rh_verdict_gain(rh_sim *sim, int slot, double loss);
void rh_verdict_undetermined(rh_sim *sim); // [evaluate]

// ledger.c (stage 10)
rh_ledger rh_ledger_read(rh_data *d);            // kinematics are recomputed
double rh_ledger_energy(rh_data *d);             // kinetic + potential + springs, kinematics recomputed

#endif
