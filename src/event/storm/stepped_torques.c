// stepped_torques.c: rolling and pivoting friction of contacts that are stepped in time. In an interval h the torque of
// a contact is constant: that of the last interval, and what would stop its turning by the end of this one,
//   torque - (w + h w') / (h V),   at most mu_roll r f_n in the contact plane, mu_pivot f_n along the normal,
// w' the angular acceleration under the torque of the last interval, V that of the bodies for a unit torque, without
// the forces of contacts: these lessen it to (1 - q) V, 0 <= q < 1, and what is left of w falls by the factor sqrt(q) a
// step. f_n is that of the last interval, then that of the present one where it is less.
#include "storm.h"

#include <math.h>

// [1/(kg m^2)] relative angular velocity about an axis for a unit torque about it
static double turn_response(const rh_island_bodies *x, const rh_contact *c, rh_vec3 axis)
{
  rh_pushes p = {{x->place[c->a], x->place[c->b]}, {{0}}};
  const double e[3] = {axis.x, axis.y, axis.z};
  for (int k = 0; k < 3; k++) {
    p.f[0][k] = e[k];
    p.f[1][k] = -e[k];
  }
  rh_island_bodies_velocities(x, &p, x->rest);
  return rh_felt(&p, x->rest);
}

bool rh_storm_turn(rh_data *d, double h)
{
  bool any = false;
  rh_rigid_gather_stepped(d);
  for (int first = 0, end; first < rh_rigid(d)->n && d->turn; first = end) {
    end = rh_rigid_island(d, first);
    rh_island_bodies x;
    rh_island_bodies_find(d, first, end, &x);
    for (int i = first; i < end; i++) {
      int slot = rh_rigid(d)->slot[i];
      const rh_contact *c = &d->contact[slot];
      if (rh_slot_turns(d, slot)) {
        double roll = fmax(turn_response(&x, c, c->t1), turn_response(&x, c, c->t2));
        rh_turn_step(d, slot, h, (double[2]){roll, turn_response(&x, c, c->n)});
        any = true;
      }
    }
  }
  return any;
}
