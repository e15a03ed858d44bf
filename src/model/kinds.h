// kinds.h: kinds whose rows are in higher folders. The model reads their parameters and
// capabilities; run/kinds.c gives it the tables before the first scene is made.
#ifndef ROUTH_MODEL_KINDS_H
#define ROUTH_MODEL_KINDS_H

#include <routh/kind.h>
#include <routh/scene.h>

// ---- Rows of the section haptic (src/haptic): what a tool does in contact, what is between tool
// and device, whose hand it is. Rows work on one tick of the loop (src/haptic/step.h); they
// allocate nothing and depend only on the state of the world.

struct rh_tick;

typedef struct rh_haptic_method {
  rh_row row;
  const char *coupling; // usual row of the couplings, if a scene names none
  bool ideal;           // reference of comparisons: `routh compare` gives it finer steps
  double gap;           // [m] shapes no farther apart than this are in contact
  // Contacts before the motion of a tick: penalties on them, impulses, the tool's share in t->env.
  // Contacts, groups and their states are the present ones. NULL: nothing.
  void (*meet)(struct rh_tick *t);
  // Contacts after it, when forces have changed the velocities: impulses that keep contacts from
  // closing, and the displacement that separates them. The wrench of the environment is known only
  // then. NULL: nothing.
  void (*hold)(struct rh_tick *t);
} rh_haptic_method;

typedef struct rh_haptic_coupling {
  rh_row row;
  // the device gets the wrench of the environment on the tool, besides the coupling's; of a method
  // that holds at the end of the tick
  bool feels;
  bool at_tool;      // the hand is at the tool itself; a device only shows its place
  bool needs_device; // of no use without a device
  bool looks;        // it evaluates whether the tool would overlap at the place of the device
  // Its wrench on the tool, t->coupling, and whether it is closed, t->active. Called if there is a
  // device. NULL: none.
  void (*act)(struct rh_tick *t);
  // Its stiffness and damping along, then about: what a tick must resolve. NULL: no spring.
  const double *(*gains)(const rh_model_haptic *h);
  // at the end of a tick: which of the two follows the other, wrench of an ideal device; NULL:
  // nothing
  void (*follow)(struct rh_tick *t);
} rh_haptic_coupling;

typedef struct rh_haptic_hand {
  rh_row row;
  int width;         // numbers in a row of its trace, the time first; 0: it has none
  bool needs_trace;  // of no use without a trace
  bool needs_spring; // haptic.hand_spring must be given
  // adds its wrench on the body that it holds to t->hand; NULL: external input
  void (*wrench)(struct rh_tick *t, int body);
} rh_haptic_hand;

typedef struct rh_pulse_in { // a collision, for the time course of its impulse at the device
  const double *par;
  double mass;  // [kg] impulse over the change of the normal velocity
  double speed; // [m/s] of approach
} rh_pulse_in;

typedef struct rh_haptic_pulse {
  rh_row row;
  double (*duration)(const rh_pulse_in *in); // [s]
  // part of the impulse given up to the time t <= T, in any unit: only ratios count
  double (*part)(const rh_pulse_in *in, double t, double T);
} rh_haptic_pulse;

// Rows of a model's section haptic; NULL: it has none.
static inline const rh_haptic_method *rh_haptic_method_of(const rh_model_haptic *h)
{
  return (const rh_haptic_method *)(const void *)h->method_row;
}

static inline const rh_haptic_coupling *rh_haptic_coupling_of(const rh_model_haptic *h)
{
  return (const rh_haptic_coupling *)(const void *)h->coupling_row;
}

static inline const rh_haptic_hand *rh_haptic_hand_of(const rh_model_haptic *h)
{
  return (const rh_haptic_hand *)(const void *)h->hand_row;
}

// ---- The tables

typedef struct rh_kinds {
  const rh_engine *const *(*engine_table)(int *count); // the first is the usual one
  const rh_engine *(*engine_find)(const char *name);
  const rh_controller *const *(*controller_table)(int *count);
  const rh_controller *(*controller_find)(const char *name);
  const rh_sensor_kind *const *(*sensor_table)(int *count);
  const rh_sensor_kind *(*sensor_find)(const char *name);
  const rh_haptic_method *const *(*haptic_method_table)(int *count);
  const rh_haptic_method *(*haptic_method_find)(const char *name);
  const rh_haptic_coupling *const *(*haptic_coupling_table)(int *count);
  const rh_haptic_coupling *(*haptic_coupling_find)(const char *name);
  const rh_haptic_hand *const *(*haptic_hand_table)(int *count);
  const rh_haptic_hand *(*haptic_hand_find)(const char *name);
  const rh_haptic_pulse *const *(*haptic_pulse_table)(int *count);
  const rh_haptic_pulse *(*haptic_pulse_find)(const char *name);
} rh_kinds;

void rh_kinds_set(const rh_kinds *kinds); // which must last
const rh_kinds *rh_kinds_get(void);

// The engine of a section run; NULL: its name is unknown.
const rh_engine *rh_engine_of(const rh_run_def *run);
// Its integrator; NULL: the engine has none, or the name is unknown.
const rh_row *rh_integrator_of(const rh_run_def *run);

#endif
