// simulation.h: the memory of a simulation, shared by the run and its engines, and the reports of
// events by an engine.
#ifndef ROUTH_CONTACTS_SIMULATION_H
#define ROUTH_CONTACTS_SIMULATION_H

#include "collision/collision.h"

static inline void rh_widen_range(double x, bool first, double *lo, double *hi)
{
  *lo = first || x < *lo ? x : *lo;
  *hi = first || x > *hi ? x : *hi;
}

typedef enum rh_moment_kind { RH_MOMENT_EVENT, RH_MOMENT_FORCE_ON, RH_MOMENT_FORCE_OFF } rh_moment_kind;

typedef struct rh_moment { // something due at a known time
  double t;
  rh_moment_kind kind;
  int index;
} rh_moment;

typedef enum rh_seen { RH_SEEN_NOTHING, RH_SEEN_CONTACTS, RH_SEEN_DYNAMICS } rh_seen; // stages 1 to 5, 1 to 7

// Guards are in this order: lower then upper limit of each limited degree of freedom, dry friction,
// the nearest gap, depth and then stick of each slot, passages of the scene, the program's own.
struct rh_sim {
  const rh_model *model;
  rh_data *data;
  rh_observer observer;
  rh_ode flow;
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
  bool resumed; // from a frame of a batch; the actions after such a frame are still to be done
  bool stop;             // an event of the scene ends the run
  bool refused;          // ... or a verdict did, in a strict run
  bool failed;           // no forces between rigid bodies were found; `reason` states more
  long verdicts[RH_EVENT_COUNT];        // count of each
  rh_event first_verdict[RH_EVENT_COUNT];
  // directions in which rigid contacts shared their load when last reported; < 0: not known
  int undetermined;
  double several_at;     // [s] time of the last report of several answers
  // [m] overlap of separating rigid shapes when the integrator began; added to the nearest gap
  double grace;
  bool begins;           // ... which is examined before the next step
  // [s] no shapes pass through one another before the check at this time (safe_step.c)
  double safe_until;
  double ahead;          // [s] maximum horizon of that check
  double flight;         // [s] half of the minimum time until a contact that left is back
  rh_impact_stats impact;
  rh_solver_stats judged; // steps of a stepper that checks
  rh_step_stats before;  // of former steppers (live_input.c)
  bool full;             // a contact found no slot
  bool single_step;      // contacts are wanted after each step, not only at frames
  double *seen;          // time and y that the stage results hold for (1 + ny)
  int nseen;             // length of that y
  rh_seen level;         // their stages
  long events;
  double last_event;     // [s] for the check of accumulating events
  int piled;
  rh_status observed;    // last answer of an observer
  char reason[384];      // a note and its context
};

// report.c
void rh_sim_keep_answer(rh_sim *sim, rh_status answer); // of an observer: the first that is not RH_OK is kept
rh_event rh_sim_event(const rh_sim *sim, rh_event_kind kind, const char *name, int dof);
void rh_event_name_bodies(const rh_model *model, rh_event *event, int a, int b); // the event is one of bodies a and b
void rh_sim_emit_event(rh_sim *sim, const rh_event *event);
void rh_sim_emit_diagnosis(rh_sim *sim, const rh_event *e); // counted, reported; a strict run ends
void rh_sim_note_impact(rh_sim *sim, double before, double after); // normal velocities, for the run's verdict
void rh_data_wake(rh_data *d, int body);   // wakes all mobiles that sleep with a body; 0: all

// ledger.c (stage 10)
rh_ledger rh_ledger_read(rh_data *d);            // kinematics are recomputed
double rh_ledger_energy(rh_data *d);             // kinetic + potential + springs, kinematics recomputed

double rh_ledger_open(rh_sim *sim);                 // the energy before a change
double rh_ledger_close(rh_sim *sim, double before); // records the change since then and returns it

// A contact did not keep its shapes separate within a step: writes why the run ends. RH_STOPPED
rh_status rh_stop_passed(const rh_model *model, int contact, bool pierced, char *reason, size_t size);

#endif
