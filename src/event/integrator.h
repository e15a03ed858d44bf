// integrator.h: integrators of the event engine. One integrates dy/dt = f(t, y) up to a time or to
// the first event. A row is a file integrators/integrator_NAME.c and a line of integrators.def.
#ifndef ROUTH_EVENT_INTEGRATOR_H
#define ROUTH_EVENT_INTEGRATOR_H

#include <routh/kind.h>
#include <routh/scene.h>

typedef struct rh_ode { // the problem of an integrator; event/engine.c fills it in
  void *user;
  int n;                     // length of y; may change before a restart
  int capacity;              // maximum of n; 0: n is constant
  int nguard;                // guard functions
  // in which direction a guard must pass zero: 0 either, 1 rising, -1 falling (nguard)
  const int *direction;
  double *y;                 // the state, in place
  double *t;
  double first_step;         // [s] upper bound of the first step after a restart (infinity: none)
  // [s] average of a thousand steps, below which a rate that is not continuous does not let a
  // variable step pass; 0: none
  double least_step;
  double pace;               // [s] restarts come at this rate (0: they do not)
  double share;              // part of the tolerance for an interval of that pace (0: all of it)
  // [s] with t_limit == look_at, shapes that were examined at look_from must be examined again
  // then: see RH_ADVANCE_LOOK
  double look_from, look_at;
  // 0 done, > 0 try a smaller step, < 0 stop
  int (*rate)(void *user, double t, const double *y, double *ydot);
  int (*guard)(void *user, double t, const double *y, double *g);
  // First and second time derivative of y at its start: the parabola of its first motion. NULL: it
  // costs more than it saves.
  void (*arc)(void *user, double t, const double *y, double *slope, double *bend);
  // y[i] changes no rate, its own included (an integral); NULL: none is idle
  bool (*idle)(void *user, int i);
  // y[i] is a coordinate: over a step it acts on the rates less than velocities do; NULL: none is
  bool (*coordinate)(void *user, int i);
  double grain;                           // rounding error of idle states; 0: none
  void (*project)(void *user, double *y); // moves y back to its manifold (unit quaternions)
  // One semi-implicit Euler step of size h in place: velocities first, then coordinates along the
  // new velocities.
  int (*kick)(void *user, double t, double h, double *y);
  // [s] longest step that resolves the motion from the state at its start, for an integrator with
  // fixed steps; <= 0: the run ends. NULL: any does.
  double (*longest)(void *user, double t, const double *y);
  bool anew; // at a restart: no earlier result may be kept, since a run can be resumed from here
} rh_ode;

typedef enum rh_advance { // how an advance ended
  RH_ADVANCE_REACHED,     // t_out was reached
  RH_ADVANCE_EVENT,       // a guard passed zero: y and t are just after it
  RH_ADVANCE_YIELD,       // t_out is not reached yet; a moment to read the clock: call again
  RH_ADVANCE_FAILED,      // see the status
  // the next step would be cut short by flow->look_at: examine the shapes now, and call again
  RH_ADVANCE_LOOK
} rh_advance;

typedef struct rh_integrator {
  rh_row row;
  double order;      // of the error in its fixed step; 0: its steps follow a tolerance
  double per_period; // least number of steps in a period of a vibration; 0: by that tolerance
  double stable;     // largest product of a step and the rate of a damper
  // `flow` must outlive it
  rh_status (*open)(const rh_ode *flow, const double *par, rh_diag *diag, void **self);
  // The caller changed the state (an event, a resume): the history is dropped.
  rh_status (*restart)(void *self);
  // Integrates until y can be given at t_out, never evaluating after t_limit >= t_out. `hit`
  // (nguard) gets -1, 0, 1: which guards passed zero, and in which direction.
  rh_advance (*advance)(void *self, double t_out, double t_limit, int *hit, rh_status *status);
  const char *(*reason)(const void *self); // why the last advance failed, in words
  void (*stats)(const void *self, rh_step_stats *stats);
  // the state whose estimated error bounds the steps, RH_NONE: not known; NULL: the steps are fixed
  int (*worst)(const void *self);
  // by how much the tolerance is exceeded at present, 1: it is met; NULL: there is none
  double (*loose)(const void *self);
  void (*close)(void *self);
} rh_integrator;

const rh_integrator *const *rh_integrator_table(int *count);
const rh_integrator *rh_integrator_find(const char *name);
const rh_row *rh_integrator_row(int index); // NULL after the last

// ---- fixed_step.c: common parts of integrators with steps of one function: the grid of times of a
// fixed step, or the choice of steps by a tolerance; the search for events, the yielding.

// One step of size h from (t, y0) to y1; `work` holds `nwork * n` doubles. 0 done, otherwise as
// rh_ode.rate.
typedef int rh_fixed_step(const rh_ode *flow, double t, double h, const double *y0, double *y1,
                          double *work);

rh_status rh_fixed_open(const rh_ode *flow, double dt, rh_fixed_step *step, int nwork,
                        int evaluations, void **self);

typedef struct rh_step_tolerance {
  double rtol, atol; // of a step
  double longest;    // [s]
} rh_step_tolerance;

// As rh_fixed_open with steps that follow the tolerance: `step` leaves its estimate of the error in
// the first n doubles of its work.
rh_status rh_adaptive_open(const rh_ode *flow, const rh_step_tolerance *tolerance,
                           rh_fixed_step *step, int nwork, int evaluations, void **self);
rh_status rh_fixed_restart(void *self);
rh_advance rh_fixed_advance(void *self, double t_out, double t_limit, int *hit, rh_status *status);
const char *rh_fixed_reason(const void *self);
void rh_fixed_stats(const void *self, rh_step_stats *stats);
void rh_fixed_close(void *self);

// ---- integrator_gbs.c: z1 := midpoint rule from y0 over h in `substeps` parts; k0 is the rate at
// y0; z0, k: work. As rh_fixed_step.
typedef struct rh_midpoint {
  const double *k0;
  double *z0, *z1, *k;
} rh_midpoint;

int rh_midpoint_run(const rh_ode *flow, double t, double h, int substeps, const double *y0,
                    rh_midpoint *m);

// ---- short_interval.c: short intervals in one step, for an integrator that would have to restart
// for each of them.

typedef struct rh_short_interval {
  double rtol, atol; // of an interval
  double longest;    // [s] maximum tried: half of the last failure, growing from there
  double *y, *work;  // (capacity), (8 capacity)
  double *g0, *g1;   // guards (nguard)
  long steps, evaluations;
} rh_short_interval;

size_t rh_short_interval_room(const rh_ode *flow);                         // doubles
void rh_short_interval_open(const rh_ode *flow, double *scratch, rh_short_interval *hop);
// From the flow's time to `end` if that meets the tolerance and no guard passes zero. False:
// nothing has changed.
bool rh_short_interval_to(rh_short_interval *hop, const rh_ode *flow, double end);

#endif
