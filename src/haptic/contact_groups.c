// Contact groups and the states of bodies ([CSC] section III). Moving bodies that chains of
// contacts join are one group; fixed bodies join nothing; a linkage is one node. A group collides
// if one of its contacts is new and approaches, rests if its contacts all are old or separate, and
// is free without contacts. Every transition may happen in a tick, colliding to colliding among
// them.
#include "haptic.h"

#include "base/union_find.h"

int rh_haptic_groups(int nnode, const rh_haptic_pair *pair, int n, int *group,
                     rh_haptic_state *state)
{
  int count = 0;
  rh_join_none(group, nnode);
  for (int i = 0; i < n; i++) {
    if (pair[i].a != 0 && pair[i].b != 0) {
      rh_join(group, pair[i].a, pair[i].b);
    }
  }
  for (int i = 0; i < nnode; i++) {
    group[i] = rh_join_lowest(group, i); // lower ones are done: no chain is cut
    state[i] = RH_STATE_FREE;
  }
  for (int i = 0; i < n; i++) {
    rh_haptic_state *s = &state[group[pair[i].a != 0 ? pair[i].a : pair[i].b]];
    count += *s == RH_STATE_FREE;
    *s = pair[i].strikes || *s == RH_STATE_COLLIDING ? RH_STATE_COLLIDING : RH_STATE_RESTING;
  }
  for (int i = 0; i < nnode; i++) {
    state[i] = state[group[i]];
  }
  return count;
}
