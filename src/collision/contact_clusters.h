// contact_clusters.h: contacts over time: close points of a pair become one contact, and a contact
// of the last step keeps its slot and its number ([CSC] section III). Stage 3 of a step.
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

typedef struct rh_track_slot {
  bool used;
  bool born;      // it is new in the last update
  int members;    // points it is made of
  int64_t number; // of this contact; never given twice
  // shapes; point, n: mean by depth; depth, radius: of the deepest; area: sum; id: least
  rh_contact contact;
} rh_track_slot;

typedef struct rh_track_result { // valid until the next update
  int count;
  const int *slot; // contacts of this step, in the order of their first points (count)
  const int *owner; // of each given point: place in `slot`, RH_NONE: over capacity (points)
  int nborn, nlost;
  const int *born; // slots that were taken in this step (nborn)
  // slots whose contact has gone; a slot may be in both lists: first lost, then born (nlost)
  const int *lost;
  int dropped;     // points or contacts over capacity; 0: none
} rh_track_result;

typedef struct rh_track rh_track;

// All memory is allocated here; the caller frees it by rh_track_destroy. RH_WRONG_USAGE: a distance
// is negative or not finite; RH_OVER_LIMIT: more than RH_TRACK_MAX.
rh_status rh_track_create(const rh_track_opt *opt, rh_track **track) RH_CHECK_RESULT;
void rh_track_destroy(rh_track *track); // NULL is allowed
void rh_track_clear(rh_track *track);   // as after create

// One step, from the points found: shapes, id, point, n, depth, radius, area; shapes are always
// named in the same order; id RH_NONE: no feature is known, the distance alone decides. A point
// belongs to an old contact of the same pair if the feature is the same, else if it is within
// d_coh; the nearest first, and of equals the earlier point and the older contact. RH_OVER_LIMIT:
// result->dropped is not 0; earlier contacts keep their slots, the last ones get none.
rh_status rh_track_update(rh_track *track, const rh_contact *point, int n,
                          rh_track_result *result) RH_CHECK_RESULT;

const rh_track_slot *rh_track_slots(const rh_track *track); // (opt.slots)

// The state that the next update depends on, as rh_track_size numbers for a restart.
// RH_TRACK_NUMBERS of each slot, after one for all.
int rh_track_size(const rh_track *track);
void rh_track_save(const rh_track *track, double *state);
// False: the numbers are invalid; the track is then clear.
bool rh_track_load(rh_track *track, const double *state) RH_CHECK_RESULT;

#endif
