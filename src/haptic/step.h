// step.h: private to the haptic folder: the loop's memory, and functions for step.c.
#ifndef ROUTH_HAPTIC_STEP_H
#define ROUTH_HAPTIC_STEP_H

#include "collision/contact_clusters.h"
#include "haptic.h"
#include "impact/collision_map.h"
#include "contacts/simulation.h"

#include <routh/kind.h>

// maximum number of rows of a collision: one per contact, two under the split law, three with
// friction
enum { RH_ROWS_MAX = 512 };

enum { RH_HAPTIC_NV_MAX = 2000 }; // maximum degrees of freedom: matrices of their size are kept

typedef struct rh_row_of { // a row of the collision map
  int contact;             // index in `con`
  int side;                // 0 both bodies, 1 that of a, 2 that of b
  int axis;                // 0 along the normal, 1 and 2 along the tangents t1 and t2
} rh_row_of;

typedef struct rh_frame_motion { // a frame, and the velocity of its origin
  rh_xform at;
  rh_motion v;
} rh_frame_motion;

typedef struct rh_grip { // see grip.c
  bool linked;           // the device is no twin of the tool
  rh_xform held;         // frame of the device seen from the tool
  double radius;         // [m] of gyration of the device: a rotation counts as its arc
  double *J, *X;         // of the grip on the tool: Jacobian, J H^-1 (6 x nv); scratch of others
  double S[36];          // (J H^-1 J')^+
  double *tau, *way;     // scratch (nv)
  double *kept_v, *kept_q; // (nv; nq)
  rh_xform *at_device;   // bodies with the tool at the device (nbody), for couplings that look
  bool beyond;           // the tool's tree cannot reach the device
} rh_grip;

struct rh_haptic {
  const rh_model *m;
  rh_grip grip;
  double dt;
  rh_track *track;
  rh_track_result found; // of the last tick; its lists are the track's
  rh_contact *point;     // points found, before clustering (point_capacity)
  int *id;               // features of the points (point_capacity)
  int npoint, point_capacity;
  rh_haptic_contact *contact; // (m->nslot)
  int ncontact;
  rh_haptic_pair *pair;   // (m->nslot)
  int *group;             // of each tree's lowest body (nbody)
  rh_haptic_state *state;
  int *dof;               // degrees of freedom of a group (nv)
  rh_row_of *row;         // (rows)
  int rows;               // capacity
  double *J, *X;          // rows of a group, and their responses (rows x nv)
  // responses to unit impulses on the degrees of freedom of a group (nv x nv)
  double *unit;
  double *Jg, *Xg;        // the same, of the group's degrees of freedom only
  double *W, *u, *e, *approach, *p, *after; // see impact/collision_map.h (rows x rows; rows)
  double *goal, *shifted; // kept velocities after the collision, and u less these (rows)
  double *scratch;
  double *way;            // velocities that move the coordinates (nv)
  rh_motion *body;        // velocities of the bodies before the forces act (nbody)
  rh_vec3 home_p;         // pose of the hand's body at the start
  rh_mat3 home_R;
  bool full;              // too many contacts in the last tick
  int unresolved;         // collisions without a solution in the last tick
  bool device_overlaps;   // the tool would overlap at the device's pose
  double gain;            // [J] by impulses in this tick
  double power[RH_WORK_COUNT]; // [W] of the world's own forces before they act
};

#define RH_GAP_CLOSED 1e-9 // [m] gap that counts as zero, for constraints

typedef struct rh_tick { // of one tick
  rh_haptic *h;
  rh_data *d;
  const rh_hand_in *in;
  rh_haptic_now *now;
  rh_haptic_slot *slot;  // (nslot)
  double hand[6], env[6], coupling[6], wrench[6];
  double sensed[6];      // the hand's wrench as it goes to the tool
  bool collides;         // the tool's group takes impulses
  bool active;           // the coupler is closed
  bool measured;         // the device's pose is measured
} rh_tick;

// contacts.c: contacts of the world at its poses [kinematics]: h->con; groups and states
void rh_haptic_find_contacts(rh_tick *t, double margin);
void rh_haptic_store_contacts(rh_tick *t); // the slots of the world from the contacts
// grip.c: doubles of memory that it needs; its parts
size_t rh_grip_size(const rh_model *m);
void rh_grip_carve(const rh_model *m, double *memory, rh_grip *g);
// The grip at the start; false: the device is too light to take impulses of restitution e
bool rh_grip_open(rh_haptic *h, rh_data *d, double e);
void rh_grip_prepare(rh_tick *t); // for a tick [kinematics]
rh_frame_motion rh_grip_frame(const rh_tick *t); // the frame of the device on the tool
// A wrench about the grip, about the origin of the tool
rh_force rh_grip_on_tool(const rh_tick *t, const double wrench[6]);
bool rh_grip_moves(const rh_tick *t, int body); // is the body the tool, or of its linkage?
// Adds what the grip feels of a force f on a body
void rh_grip_feel(const rh_tick *t, int body, rh_vec3 point, rh_vec3 f, double wrench[6]);
// Part of an impulse's wrench that gives the device no more energy than the tool [aba]
double rh_grip_passive_share(const rh_tick *t, const double wrench[6]);
// Puts the frame `at` of a body at a place, with its velocity, by the least change of the joints.
// Returns the distance [m] that is left: the place may be out of reach. [changes kinematics]
double rh_grip_place(rh_tick *t, int body, const rh_xform *at, const rh_frame_motion *target);
// S = (J H^-1 J')^+ of a body's origin; changes the scratch of the grip [kinematics]
void rh_grip_inverse_mobility(rh_tick *t, int body, double S[36]);
// Changes the velocities by a wrench on a body's origin over dt [aba]
void rh_grip_kick(rh_tick *t, int body, double dt, const double wrench[6]);
// J H^-1 J' w: acceleration of a body's origin by a wrench [aba]
void rh_grip_response(const rh_tick *t, int body, const double wrench[6], double twist[6]);
// observer.c: the hand's wrench by the motion of the last tick (before rh_grip_prepare)
// [kinematics]; the motion without it (see there); what the tool gets of it
void rh_haptic_observe_hand(rh_tick *t);
void rh_haptic_predict_device(rh_tick *t);
void rh_haptic_sense_hand(rh_tick *t);
// Acceleration of the device seen from the grip, by a wrench between the two: the sum of their
// J H^-1 J'; a measured device yields to nothing. Changes the scratch of the grip. [kinematics]
void rh_grip_relative_mobility(rh_haptic *h, rh_data *d, bool measured, double A[36]);
// hand.c
void rh_haptic_hand_wrench(rh_tick *t);
void rh_haptic_hand_pull(rh_tick *t, int body, const double w[6]);
void rh_haptic_trace_value(const rh_tick *t, int n, double *x);
// twin.c
rh_vec3 rh_rotation_between(const rh_mat3 *from, const rh_mat3 *to);
void rh_haptic_spring_damper(const rh_tick *t, const double gain[4], double wrench[6]);
void rh_haptic_put_tool(rh_tick *t);   // the tool is put at the device
void rh_haptic_put_device(rh_tick *t); // the device is put at the tool
void rh_haptic_put_measured(rh_tick *t); // the device is put where it was measured
// step.c: keeps the device's wrench within the clamps, and fades it
void rh_haptic_clamp_wrench(rh_tick *t);
// collisions.c: applies the impulses of groups that collide (d->v, t->env); keeps closed contacts
// closed [forward_dynamics]
void rh_haptic_apply_collisions(rh_tick *t);
void rh_haptic_hold_contacts(rh_tick *t, bool glue);
size_t rh_haptic_friction_room(const rh_model *m, int rows); // doubles of scratch
// penalty.c: applies the penalties of all contacts, or of those whose group does not collide; adds
// their work, by the mean velocities of the tick, to the ledger
void rh_haptic_apply_penalties(rh_tick *t, bool resting);
void rh_haptic_add_penalty_work(rh_tick *t);
static inline rh_motion rh_mean_motion(const rh_tick *t, int body)
{
  return (rh_motion){rh_scale(0.5, rh_add(t->h->body[body].ang, t->d->kin[body].v.ang)),
                     rh_scale(0.5, rh_add(t->h->body[body].lin, t->d->kin[body].v.lin))};
}

static inline int rh_tree_of(const rh_model *m, int body)
{
  return m->body[body].tree;
}

static inline rh_force rh_force_of(const double w[6])
{
  return (rh_force){{w[3], w[4], w[5]}, {w[0], w[1], w[2]}};
}

static inline void rh_wrench_add(double w[6], rh_force f)
{
  const double x[6] = {f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z};
  for (int i = 0; i < 6; i++) {
    w[i] += x[i];
  }
}

#endif
