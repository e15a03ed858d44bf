// test_flows.h: small flows for the conformance tests of integrators, without the simulator.
#ifndef ROUTH_TEST_TEST_FLOWS_H
#define ROUTH_TEST_TEST_FLOWS_H

#include "event/integrator.h"
#include "world.h"

#include <float.h>

// ---- Small flows. All have y = (position, speed), so that semi-implicit integrators can take them too.

typedef struct flow_user {
  double (*acceleration)(double t, double q, double v);
  double level[4]; // a guard is q - level
  int nlevel;
  double stop_at;  // rate fails from this time on; NaN: never
  int failure;     // what it then returns
  long calls;
  double latest;   // [s] greatest time an evaluation was asked for
  double guarded[2]; // [s] times of the first two looks at the guards
  int looks;
} flow_user;

static inline double pull_pendulum(double t, double q, double v)
{
  (void)t;
  (void)v;
  return -9.81 * sin(q);
}

static inline double pull_none(double t, double q, double v)
{
  (void)t;
  (void)q;
  (void)v;
  return 0;
}

static inline double pull_constant(double t, double q, double v)
{
  (void)t;
  (void)q;
  (void)v;
  return -9.81;
}

static inline double pull_spring(double t, double q, double v)
{
  (void)t;
  (void)v;
  return -q;
}

// Fast decay (1e4 per second) towards slow motion: q follows at speed v -> -q.
static inline double pull_stiff(double t, double q, double v)
{
  (void)t;
  return -1e4 * (v + q);
}

static inline int flow_rate(void *user, double t, const double *y, double *ydot)
{
  flow_user *u = user;
  u->calls++;
  u->latest = fmax(u->latest, t);
  if (t >= u->stop_at) {
    return u->failure;
  }
  ydot[0] = y[1];
  ydot[1] = u->acceleration(t, y[0], y[1]);
  return 0;
}

static inline int flow_kick(void *user, double t, double h, double *y)
{
  flow_user *u = user;
  u->calls++;
  u->latest = fmax(u->latest, t);
  if (t >= u->stop_at) {
    return u->failure;
  }
  y[1] += h * u->acceleration(t, y[0], y[1]);
  y[0] += h * y[1];
  return 0;
}

static inline int flow_guard(void *user, double t, const double *y, double *g)
{
  flow_user *u = user;
  if (u->looks < 2) {
    u->guarded[u->looks++] = t;
  }
  for (int i = 0; i < u->nlevel; i++) {
    g[i] = y[0] - u->level[i];
  }
  return 0;
}

static inline void flow_project(void *user, double *y)
{
  (void)user;
  (void)y;
}

typedef struct setup {
  flow_user user;
  rh_ode flow;
  double y[2], t;
  int direction[4];
  int hit[4];
  const rh_integrator *row;
  void *self;
} setup;

static inline void set_flow(setup *s, const rh_integrator *row, double (*acceleration)(double, double, double), double q, double v)
{
  memset(s, 0, sizeof *s);
  s->row = row;
  s->user.acceleration = acceleration;
  s->user.stop_at = HUGE_VAL;
  s->y[0] = q;
  s->y[1] = v;
  s->flow = (rh_ode){.user = &s->user, .n = 2, .direction = s->direction, .y = s->y, .t = &s->t,
                      .first_step = HUGE_VAL, .rate = flow_rate, .guard = flow_guard, .project = flow_project, .kick = flow_kick};
}

static inline void add_level(setup *s, double level, int direction)
{
  s->user.level[s->user.nlevel] = level;
  s->direction[s->user.nlevel++] = direction;
  s->flow.nguard = s->user.nlevel;
}

static inline void open_with(setup *s, const double *par)
{
  rh_diag *diag = rh_diag_create();
  rh_status status = s->row->open(&s->flow, par, diag, &s->self);
  ck_assert_msg(status == RH_OK, "%s: open: %s", s->row->row.name, rh_status_message(status));
  rh_diag_destroy(diag);
}

static inline void open_flow(setup *s, double accuracy)
{
  rh_run_def run = run_of(s->row->row.name, 1, accuracy);
  open_with(s, run.integrator_par);
}

// Advances, however often the integrator wants to look at the clock.
static inline rh_advance try_advance(setup *s, double until, double limit, rh_status *status)
{
  rh_advance how = RH_ADVANCE_YIELD;
  memset(s->hit, 9, sizeof s->hit);
  *status = RH_OK;
  while (how == RH_ADVANCE_YIELD) {
    how = s->row->advance(s->self, until, limit, s->hit, status);
  }
  return how;
}

static inline rh_advance advance(setup *s, double until)
{
  rh_status status = RH_OK;
  rh_advance how = try_advance(s, until, HUGE_VAL, &status);
  ck_assert_msg(how != RH_ADVANCE_FAILED, "%s: advance: %s", s->row->row.name, rh_status_message(status));
  return how;
}

static inline void reach(setup *s, double until)
{
  rh_advance how = advance(s, until);
  ck_assert_msg(how == RH_ADVANCE_REACHED, "%s: event at %g on the way to %g", s->row->row.name, s->t, until);
  ck_assert_msg(s->t == until, "%s: stopped at %.17g, not at %.17g", s->row->row.name, s->t, until);
}

static inline void close_flow(setup *s)
{
  s->row->close(s->self);
}

static inline bool has(const rh_integrator *row, const char *par)
{
  return rh_row_find(&row->row, par) != RH_NONE;
}

// An accuracy for tests that are not about accuracy.
static inline double usual(const rh_integrator *row)
{
  return has(row, "rtol") ? 1e-10 : 1e-3;
}

#define FOR_EACH_ROW                                       \
  int count = 0;                                           \
  const rh_integrator *const *table = rh_integrator_table(&count); \
  ck_assert_int_lt(_i, count);                             \
  const rh_integrator *row = table[_i]

#endif
