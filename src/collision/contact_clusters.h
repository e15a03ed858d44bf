// contact_clusters.h: contacts over time: close points of a pair become one contact, and a contact
// of the last step keeps its slot and its number ([CSC] section III). Stage 3 of a step. Contacts and
// their memory are those of the world (rh_data.slot); clusters are made of a step's points only.
#ifndef ROUTH_COLLISION_CONTACT_CLUSTERS_H
#define ROUTH_COLLISION_CONTACT_CLUSTERS_H

#include <routh/data.h>

#define RH_TRACK_MAX (1 << 20) // slots, and points of one step

typedef struct rh_track_opt {
  double d_cluster;   // [m] points of a pair closer than this are one contact; 0: never
  double cos_cluster; // minimum cosine of the angle between their normals
  // [m] a contact that moved no further than this in a step is the same; > largest speed * step
  double d_coh;
  int slots;          // maximum number of contacts at a time
  int points;         // maximum number of points in a step before clustering
} rh_track_opt;

rh_track_opt rh_track_default(void); // 0.5 mm, 0.9, 1 mm, 256, 1024

// The contacts of the last step, by slots
typedef struct rh_track_array {
  const rh_slot *slot;     // used, a, b, id are read
  rh_track_memory *memory; // written by an update
  double *next;            // number of the next contact, likewise
} rh_track_array;

typedef struct rh_track_result { // valid until the next update
  int count;
  // contacts of this step, in the order of their first points (count): their slots,
  const int *slot;
  // the contact: shapes; point, n: mean by depth; depth, radius: of the deepest; area: sum; id: least,
  const rh_contact *contact;
  const int *members; // the number of its points,
  const bool *fresh;  // whether it is new
  const int *owner; // of each given point: place in `slot`, RH_NONE: over capacity (points)
  int nborn, nlost;
  const int *born; // slots that were taken in this step (nborn)
  // slots whose contact has gone; a slot may be in both lists: first lost, then born (nlost)
  const int *lost;
  const bool *kept; // slots whose contact goes on (slots)
  int dropped;     // points or contacts over capacity; 0: none
} rh_track_result;

typedef struct rh_track rh_track;

// All memory is allocated here; the caller frees it by rh_track_destroy. RH_WRONG_USAGE: a distance
// is negative or not finite; RH_OVER_LIMIT: more than RH_TRACK_MAX.
rh_status rh_track_create(const rh_track_opt *opt, rh_track **track) RH_CHECK_RESULT;
void rh_track_destroy(rh_track *track); // NULL is allowed

// One step, from the points found: shapes, id, point, n, depth, radius, area; shapes are always
// named in the same order; id RH_NONE: no feature is known, the distance alone decides. A point
// belongs to an old contact of the same pair if the feature is the same, else if it is within
// d_coh; the nearest first, and of equals the earlier point and the older contact. RH_OVER_LIMIT:
// result->dropped is not 0; earlier contacts keep their slots, the last ones get none. The caller then
// clears all slots that are not kept, and writes those of the contacts. Slots with invalid numbers (of
// a damaged state) are free.
rh_status rh_track_update(rh_track *track, const rh_track_array *array, const rh_contact *point,
                          int n, rh_track_result *result) RH_CHECK_RESULT;

#endif
