// loop.h: private interface of the sim folder: the loop's memory, and what its files do for run.c.
#ifndef ROUTH_SIM_LOOP_H
#define ROUTH_SIM_LOOP_H

#include "geom/geom.h"

#include <routh/sim.h>

typedef enum rh_moment_kind { RH_MOMENT_EVENT, RH_MOMENT_FORCE_ON, RH_MOMENT_FORCE_OFF } rh_moment_kind;

typedef struct rh_moment { // something due at a known time
  double t;
  rh_moment_kind kind;
  int index;
} rh_moment;

// Guards stand in this order: lower then upper limit of each limited degree of freedom, nearest gap of each pair, depth
// and then stick of each slot, passages of the scene, the program's own.
struct rh_sim {
  const rh_model *model;
  rh_data *data;
  rh_observer observer;
  rh_flow flow;
  void *stepper;         // of model->stepper
  int *limited;          // degrees of freedom with limits (nlimited)
  int nlimited;
  int *passage;          // events of the scene whose trigger is a passage (npassage)
  int npassage;
  rh_guard user[RH_GUARD_MAX];
  char user_name[RH_GUARD_MAX][RH_NAME_MAX];
  int nuser;
  int *direction, *hit;  // (2 nlimited + npair + 2 nslot + npassage + RH_GUARD_MAX)
  rh_moment *queue;      // moments in order of time (nqueue)
  int nqueue, next;
  long frame;            // index of the next frame
  bool started;
  bool stop;             // an event of the scene asked to end the run
  rh_impact_stats impact;
  double *since, *speed; // time and speed of each slot's touchdown (nslot)
  long events;
  double last_event;     // [s] for the watch on piling events
  int piled;
  rh_status observed;    // what an observer answered last
  char reason[256];
};

// rhs.c: y' = f(t, y), the semi-implicit step, the projection (stages 1, 6, 7)
int rh_sim_rate(void *user, double t, const double *y, double *ydot);
int rh_sim_kick(void *user, double t, double h, double *y);
void rh_sim_project(void *user, double *y);
// Makes d->t point to t, and d->q, v, s, work into y (neither is written); and back into the state.
void rh_data_bind(rh_data *d, const double *t, const double *y);
void rh_data_unbind(rh_data *d);

// contacts.c: stages 2 to 5
rh_geom rh_shape_placed(const rh_data *d, int shape); // a shape where it stands [kinematics]
int rh_pair_collide(const rh_data *d, const rh_model_pair *pair, rh_touch *touch);
void rh_slot_release(rh_data *d, int slot);
// tunnel.c: how long the run may go on before shapes that move now could pass through one another; and the pair that is
// pressed in by more than half its thinner shape, where a normal has no meaning any more (RH_NONE: none).
bool rh_tunnels(const rh_model *m); // are there pairs that could pass through one another at all?
double rh_safe_time(const rh_data *d);
int rh_pair_pierced(const rh_data *d);
int rh_pair_on_edge(const rh_data *d); // a pair with laws for an area that has come to an edge, which has none
// Gives a slot to a point of pair p that is deeper than `depth_above`, does not just part, and has none. The slot, RH_NONE
// if there is no such point.
int rh_slot_claim(rh_data *d, int p, double depth_above);

// guard.c: the functions whose zeros are events
int rh_sim_guards(void *user, double t, const double *y, double *g);

// resolve.c: what happens at events (stage 9)
void rh_resolve_hits(rh_sim *sim);               // guards that passed zero: sim->hit
void rh_resolve_moment(rh_sim *sim, const rh_moment *moment);
void rh_resolve_overlaps(rh_sim *sim);           // at the start: contacts that are there already
void rh_resolve_settle(rh_sim *sim);             // catch what rests on its limit, let go what is pulled away
void rh_sim_tell(rh_sim *sim, const rh_event *event);

// ledger.c (stage 10)
rh_ledger rh_ledger_read(rh_data *d);            // kinematics are recomputed
double rh_ledger_energy(rh_data *d);             // kinetic + potential + springs, kinematics recomputed

#endif
