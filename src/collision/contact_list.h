// contact_list.h: contacts as found in a step, in the order of their shapes and features. The memory that
// a contact keeps from step to step is in the array of the world (rh_data.slot, rh_data.s).
#ifndef ROUTH_COLLISION_CONTACT_LIST_H
#define ROUTH_COLLISION_CONTACT_LIST_H

#include "base/pool.h"

#include "collision.h"

// `f` and `since` are read from the array when it is found, and written to it at the end of the step.
typedef struct rh_found_contact {
  _Alignas(64) int a; // shapes; an unbounded one is b
  int b;
  int id;             // feature
  int rule;           // contact of the model
  int ma, mb;         // mobiles
  int home;           // in a list found again: a contact of the same pair in the step's own list
  bool shared;        // its load is not determined, as far as that was checked
  unsigned char points; // of its pair, as found, if it is the first of them; else 0
  rh_vec3 f;          // [N] force on a, mean over the (last) step
  double since;       // [s] when it began to carry a force
  double phi;         // [m] gap; < 0: overlap
  rh_vec3 point, n;   // [m] world, n from b into a
  double stored;      // [J] compliant: in its spring at the end of the step
} rh_found_contact;

// The points of a pair, in the order of their features
static inline void rh_found_put(const rh_manifold *m, rh_found_contact *list)
{
  for (int i = 0; i < m->n; i++) {
    int k = i;
    while (k > 0 && list[k - 1].id > m->at[i].id) {
      list[k] = list[k - 1];
      k--;
    }
    list[k].id = m->at[i].id;
    list[k].point = m->at[i].point;
    list[k].n = m->at[i].normal;
    list[k].phi = -m->at[i].depth;
  }
}

// Where a body is
typedef void rh_pose_of(const void *user, int body, rh_xform *pose);
typedef struct rh_poses {
  rh_pose_of *of;
  const void *user;
} rh_poses;

// For engines that find all contacts of a step anew. The slots are in the order of their shapes and
// features, without gaps; rh_slots_pack brings them into it, and drops those that are no contacts of
// the model.
void rh_slots_pack(rh_data *d);
void rh_slots_end(rh_data *d, int n); // clears the slots from n on
// A contact that was there in the last step keeps its memory. `now` is in order and
// begins with a pair.
void rh_found_recall(const rh_data *d, rh_poses poses, rh_found_contact *now, int n);

static inline void rh_slot_write(rh_vec3 x, double *to)
{
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
}

// Slots that stay as they are at the end of a step, those of bodies that sleep, and scratch
typedef struct rh_slots_stay {
  int *slot;      // ascending (n); then where they are. Without them: scratch (capacity of contacts)
  int n;
  int *seat;      // scratch (likewise)
  rh_pool *pool;  // threads that write slots, where none stays
  double *number; // of each slot: moves along with it (nslot)
  double *place;  // scratch (ncontact)
} rh_slots_stay;
// The n contacts that carried a force, `now` in order, into the slots; false: these do not suffice.
bool rh_found_keep(rh_data *d, rh_poses poses, const rh_found_contact *now, int n,
                   const rh_slots_stay *stay);

#endif
