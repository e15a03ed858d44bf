// slopes_private.h: what the files of this folder share.
#ifndef ROUTH_EVENT_SLOPES_SLOPES_PRIVATE_H
#define ROUTH_EVENT_SLOPES_SLOPES_PRIVATE_H

#include "event/storm/storm.h"
#include "slopes.h"

extern const rh_integrator rh_integrator_cvode; // a row of integrators.def

struct rh_slopes {
  rh_slopes_job job;
  rh_sim **moved;     // (2 n)
  double *step;       // (n)
  rh_watch watch;     // of base
  rh_ode flow;        // y, then S of each value: (1 + n) times `length`
  const rh_integrator *row;
  void *integrator;
  int length;         // of y in the present piece
  int capacity;       // of y
  double t;           // [s] of `y`
  double *y;          // ((1 + n) capacity)
  double *side[2];    // (capacity) a moved state and its rate
  double *work[6];    // (capacity)
  double *whole[3];   // ((1 + n) capacity)
  double *guard[3];   // (nguard) at the event, before it, in a moved world
  double spread;      // [s] of the present event
  bool fresh;         // a piece has begun
  bool compliant;     // of the piece: it has compliant contacts
  double atol;        // of y
  bool precise;       // rates are differenced to both sides
  long evaluations, most; // of the rate; how many are worth while
  rh_slopes_why why;
};

// worlds.c
static inline rh_sim *rh_slopes_world(const rh_slopes *s, int i) // 0: twin; then moved
{
  return i == 0 ? s->job.twin : s->moved[i - 1];
}
bool rh_slopes_fail(rh_slopes *s, rh_slopes_why why); // false; the first reason is kept
// Modes, contacts and what holds the joints are the same.
bool rh_slopes_same(const rh_data *a, const rh_data *b);
// State y of world i at time t; what is not integrated stays its own.
void rh_slopes_put(rh_slopes *s, int i, double t, const double *y);
// y (length) of world i
void rh_slopes_moved(const rh_slopes *s, int i, double *y);
// The slopes from the states of the worlds, `late` after the base
bool rh_slopes_take(rh_slopes *s, double late);
// A piece begins: all worlds are at base's time.
void rh_slopes_piece(rh_slopes *s);

// pieces.c
rh_status rh_slopes_open_flow(rh_slopes *s);
bool rh_slopes_advance(rh_slopes *s, double t);
void rh_slopes_prepare(rh_slopes *s); // for the modes of the present piece
int rh_slopes_rate(void *slopes, double t, const double *y, double *ydot); // of y and S

// jumps.c
// The worlds have the event of the base, and are `spread` [s] after it then.
bool rh_slopes_cross(rh_slopes *s, rh_break why, double *spread);

bool rh_slopes_back(rh_slopes *s, double dt); // y and S back in time, by a step of the size of a delay

#endif
