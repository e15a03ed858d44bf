// haptic.h: the haptic loop ([CSC]): one tick of a world that a hand feels. Contacts, groups,
// states; impulses where a group collides, penalties where it rests; the device's part of them;
// motion of hand, device and tool until the next tick. Stages 1 to 10 of a step in one function
// without allocation, lock or input.
// Wrenches are force, then torque, in world axes about the origin of the body; poses x y z qw qx qy
// qz; twists linear, then angular.
#ifndef ROUTH_HAPTIC_HAPTIC_H
#define ROUTH_HAPTIC_HAPTIC_H

#include "model/kinds.h"

#include <routh/scene.h>
#include <routh/sim.h>

typedef struct rh_haptic rh_haptic;

typedef enum rh_haptic_state {
  RH_STATE_FREE,
  RH_STATE_COLLIDING,
  RH_STATE_RESTING
} rh_haptic_state;

// External input of hand or device at this tick. With a pose the device is at it (a real one was
// measured): its twin in the world is put there; without, the twin moves under the hand's wrench.
typedef struct rh_hand_in {
  double t;     // [s]
  bool live;    // false: the scene's hand model is used
  double pose[7], twist[6], wrench[6];
  bool has_pose, has_wrench;
  double fade;  // share of its wrench withheld from the device (0: none), for any hand
} rh_hand_in;

typedef struct rh_haptic_out {
  double wrench[6];        // to the device, after limits and clamps
  double env[6], coupling[6]; // of the environment and of the coupling on the tool
  double hand[6];          // of the hand
  int ncontact, ngroup;    // groups with contacts
  int state;               // rh_haptic_state of the tool's group
  double e_eff;            // effective restitution of its collision
  double loss;             // [J] taken by collisions in this tick
  double hand_work;        // [J] work done by the hand
  double given;            // [J] energy that the world had at the start and could have given by now
  double returned;         // [J] maximum so far of the hand's gain beyond that and its own work
  int negative;            // impulses that pulled
} rh_haptic_out;

// All memory is allocated here; the caller frees it by rh_haptic_destroy. The model must have the
// section haptic and outlive it. A device too light to be passive gives a warning in `diag`.
rh_status rh_haptic_create(const rh_model *m, rh_diag *diag, rh_haptic **h) RH_CHECK_RESULT;
void rh_haptic_destroy(rh_haptic *h); // NULL is allowed
double rh_haptic_dt(const rh_haptic *h); // [s] length of a tick: run.dt
// One tick from d's state to the next. `in` NULL: the scene's hand model. The result depends on
// d->state and `in` only.
void rh_haptic_tick(rh_haptic *h, rh_data *d, const rh_hand_in *in, rh_haptic_out *out);

// coupling_check.c: [s] ticks shorter than that keep the coupling of device and tool stable, for
// small motions at the poses of d; infinite: the present tick does, or the coupling is no spring.
// `measured`: the device does not yield. Between ticks. [changes kinematics]
double rh_haptic_longest_tick(rh_haptic *h, rh_data *d, bool measured);

// ---- A run by the engine haptic with an external hand (src/realtime)

typedef struct rh_haptic_link {
  const rh_hand_in *in; // of the next tick; NULL: the scene's hand model
  rh_haptic_out out;    // of the last tick
  rh_haptic *h;
} rh_haptic_link;

rh_haptic_link *rh_haptic_link_of(rh_sim *sim); // NULL: another engine

// ---- Rows: methods, couplings, hands (model/kinds.h)

const rh_haptic_method *const *rh_haptic_method_table(int *count);
const rh_haptic_method *rh_haptic_method_find(const char *name);
const rh_haptic_coupling *const *rh_haptic_coupling_table(int *count);
const rh_haptic_coupling *rh_haptic_coupling_find(const char *name);
const rh_haptic_hand *const *rh_haptic_hand_table(int *count);
const rh_haptic_hand *rh_haptic_hand_find(const char *name);
const rh_haptic_pulse *const *rh_haptic_pulse_table(int *count);
const rh_haptic_pulse *rh_haptic_pulse_find(const char *name);
// Shares of an impulse in its first ticks, at most RH_PULSE_MAX; T: its duration [s]. Returns their
// number.
int rh_haptic_pulse_shares(const rh_haptic_pulse *row, const rh_pulse_in *in, double T, double dt,
                           double share[RH_PULSE_MAX]);

// ---- Contacts of the last tick

typedef struct rh_haptic_contact {
  rh_contact contact;  // con.on: its penalty acted, with con.normal and con.friction
  int slot;        // the same as long as the contact lasts
  bool fresh;      // new in this tick
  int group;       // lowest body of its group's lowest tree
  bool struck;     // it took part in a collision
  double before, after; // [m/s] velocity of separation before and after the impulses
  double p;        // [N s] impulse along con.n, after limits
  double work;     // [J] its work
  double spring;   // [N] elastic part of the penalty
  double felt[6];  // [N, N m] what the hand feels of its impulses, over the tick
} rh_haptic_contact;

const rh_haptic_contact *rh_haptic_contacts(const rh_haptic *h, int *count);
// [J] change of energy by impulses in the last tick, over all groups (< 0: taken).
double rh_haptic_gain(const rh_haptic *h);

// ---- Parts, for tests and other programs

typedef struct rh_haptic_pair { // a contact between two nodes; node 0 does not move
  int a, b;
  bool strikes; // it is new, and its bodies approach
} rh_haptic_pair;

// Groups of nodes joined by contacts, and their states ([CSC] section III): free without contact,
// colliding if one of the group's contacts strikes, resting else. group[i]: lowest node of the
// group. Both (nnode); returns the number of groups with contacts.
int rh_haptic_groups(int nnode, const rh_haptic_pair *pair, int n, int *group,
                     rh_haptic_state *state);

typedef struct rh_limited {
  double tool[6], device[6]; // share of each in the environment's wrench
  double alpha;              // factor of the impulses of the collision
  double e_eff;              // alpha (1 + e) - 1
  bool scaled;               // alpha < 1
} rh_limited;

// The environment's wrench F at a collision of restitution e, within the device's limits ([CSC]
// section VI).
rh_limited rh_haptic_limit(rh_haptic_limits mode, const double limit[6], double e,
                           const double F[6]);

// Is a device of inertia D (n x n) passive where its tool of inertia T takes impulses of
// restitution e: D >= (1 + e)/2 T?
bool rh_haptic_passive(int n, const double *device, const double *tool, double e);

#endif
