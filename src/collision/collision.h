// collision.h: which shapes are near, where they touch, and which contact of the last step a point
// continues; none of it uses forces.
#ifndef ROUTH_COLLISION_COLLISION_H
#define ROUTH_COLLISION_COLLISION_H

#include "base/tolerances.h"
#include "geometry/broad.h"
#include "model/layout.h"

#include <routh/sim.h>

#include <math.h>

// shape_pairs.c: stage 2, which shapes are near
typedef void rh_pair_visit(rh_data *d, const rh_shape_pair *pair, void *user);
// Calls `visit` for each pair of shapes nearer than model->near, in the order of their shapes; some
// may be farther. [kinematics]
void rh_near_each(rh_data *d, rh_pair_visit *visit, void *user);

// contact_match.c: stage 3, one rule for all engines: a point continues the contact of the last step
// with the same feature, else the nearest one within `distance` whose normal is alike; the nearest
// first, and of equals the earlier point and the older contact.
typedef struct rh_match_contact { // a contact of the last step
  int id;                         // its feature; RH_NONE: not known
  bool taken;                     // a point continues it
  rh_vec3 point, n;
  int64_t number;                 // lower: older
} rh_match_contact;
typedef struct rh_match_point { // a point of this step
  int id;
  int owner;                    // the result: index of the contact; RH_NONE: it is new
  rh_vec3 point, n;
  int choice;                   // scratch: the nearest contact,
  double far;                   // [m^2] its squared distance
} rh_match_point;
typedef struct rh_match_limits {
  double distance; // [m]
  double cosine;   // least, of the angle between the normals
} rh_match_limits;
typedef struct rh_match { // the points of a pair and its contacts of the last step
  rh_match_point *point;
  rh_match_contact *contact;
  int npoint, ncontact;
} rh_match;
void rh_match_features(const rh_match *m);
void rh_match_nearest(const rh_match *m, rh_match_limits limits);
// For two shapes: a quarter of the thinner one, well below the distance of two points of one face,
// and 25 degrees
rh_match_limits rh_match_limits_of(const rh_model *m, int a, int b);

// Order of slots: by the lower, then the higher shape; free ones last
typedef struct rh_slot_key {
  double lo, hi;
} rh_slot_key;
static inline rh_slot_key rh_slot_key_of(const rh_slot *s)
{
  return s->used != 0 ? (rh_slot_key){fmin(s->a, s->b), fmax(s->a, s->b)}
                      : (rh_slot_key){HUGE_VAL, HUGE_VAL};
}
static inline int rh_slot_keys_compare(rh_slot_key x, rh_slot_key y)
{
  return x.lo != y.lo ? (x.lo < y.lo ? -1 : 1) : x.hi != y.hi ? (x.hi < y.hi ? -1 : 1) : 0;
}

typedef struct rh_slot_seat { // former place of a slot's point, carried along with body b
  rh_vec3 at, n;
} rh_slot_seat;
static inline rh_slot_seat rh_slot_seat_at(const rh_mat3 *R, rh_vec3 p, const rh_slot *s)
{
  rh_vec3 at = rh_v3(s->at[0], s->at[1], s->at[2]);
  rh_vec3 n = rh_v3(s->n[0], s->n[1], s->n[2]);
  return (rh_slot_seat){rh_add(p, rh_rotate(R, at)), rh_rotate(R, n)};
}

typedef struct rh_slot_run { // the slots of a pair
  const int *slot;
  int n;
} rh_slot_run;
void rh_slots_sort(rh_data *d); // brings d->order up to date
// The slots of a pair; pairs are given in order, *next is 0 at first.
rh_slot_run rh_slots_of_pair(const rh_data *d, const rh_shape_pair *pair, int *next);
// The slot of each of the n points of a pair, RH_NONE if it has none
void rh_slots_match(const rh_data *d, const rh_shape_pair *pair, const rh_slot_run *run,
                    const rh_touch *touch, int n, int *owner);
// [contacts] from here on the slots' points are searched at their present places
void rh_slots_follow(rh_data *d);
// The slot that a point gets; RH_NONE: none is free
int rh_slot_claim(rh_data *d, const rh_contact *bare);
// A contact begins in a free slot.
void rh_slot_open(rh_data *d, int slot, const rh_contact *c);
void rh_slot_remember(rh_data *d, int slot, const rh_contact *c); // its present point
void rh_slot_release(rh_data *d, int slot);         // adds its integrals to d->past
rh_vec3 rh_slot_point(const rh_data *d, int slot);  // [kinematics] its point when last examined
int rh_slot_contact(const rh_data *d, int slot);    // the contact; RH_NONE: it is free

// contact_find.c: stages 4 and 5
// A contact from a point of a pair: its place; the same with frame and motion [kinematics]. Forces
// are not set.
void rh_contact_place(const rh_data *d, const rh_shape_pair *pair, const rh_touch *touch,
                      rh_contact *c);
void rh_contact_frame(const rh_data *d, const rh_shape_pair *pair, const rh_touch *touch,
                      rh_contact *c);
// Updates the motion of a contact only, from the present velocities of its bodies. [kinematics]
void rh_contact_velocity(const rh_data *d, rh_contact *c);
// Torque on a of rolling and pivoting friction of a compliant contact for a unit of normal force:
// -mu_roll r w_t / |w_t| - mu_pivot w_n / |w_n|, w of a relative to b, smooth below turn_speed. Flat
// on flat does not roll. [kinematics]
rh_vec3 rh_contact_turning(const rh_data *d, const rh_contact *c);
static inline bool rh_contact_turns(const rh_model_contact *laws)
{
  return laws->mu_roll > 0 || laws->mu_pivot > 0;
}
// Writes c->torque, and adds its loss to the slot's sliding work.
void rh_contact_set_torque(rh_data *d, int slot, rh_contact *c, rh_vec3 torque);
// [m] radius of rolling: 0 where flat meets flat
static inline double rh_contact_roll_radius(const rh_contact *c)
{
  return c->radius < HUGE_VAL ? c->radius : 0;
}
// [m] gap at which a compliant contact that has formed breaks
static inline double rh_contact_hold(const rh_data *d, const rh_contact *c)
{
  const rh_model_contact *laws = &d->model->contact[c->rule];
  return laws->law && laws->law->hold ? laws->law->hold(laws->par, c->radius) : 0;
}
// Adds the forces of a contact to d->wrench.
void rh_contact_push(rh_data *d, const rh_contact *c);
static inline bool rh_contact_rigid(const rh_data *d, int contact)
{
  return d->model->contact[contact].law == NULL;
}
// A compliant contact is rigid during its impact.
static inline bool rh_slot_rigid(const rh_data *d, int slot)
{
  return d->contact[slot].on && (rh_contact_rigid(d, d->contact[slot].rule) ||
                                 d->slot[slot].mode == RH_CLOSED_IN_IMPACT);
}

// safe_step.c: maximum time, up to `horizon`, for which the run may go on before moving shapes
// could pass through one another [evaluate]; and the slot that is pressed in by more than half its
// thinner shape, where a normal has no meaning (RH_NONE: none).
double rh_safe_time(rh_data *d, double horizon);
int rh_slot_pierced(const rh_data *d);
// a slot with laws for an area that has reached an edge, without area
int rh_slot_on_edge(const rh_data *d);

// pair_passing.c: [m] maximum depth of two shapes in one another: half the thinner one; beyond it
// the shortest way out may be on the other side. For a shape without thickness (a rod of [CSC]),
// half the other one.
double rh_pair_deep(const rh_model *m, int a, int b);
// Do two bounded shapes pass through one another, by more than that, on straight paths between two
// ticks? `from` and `to` have the two.
bool rh_pair_passes(const rh_model *m, const int shape[2], const struct rh_geom *const from[2],
                    const struct rh_geom *const to[2]);

#endif
