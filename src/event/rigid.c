// Stage 5 for rigid contacts: the forces that keep closed contacts closed. Which contacts stick,
// slide or carry nothing is decided at events (contact_modes.c) and constant in between, so that a
// step has smooth functions. With rows t1, t2, n of the velocity u of body a relative to b at the
// contact:
//   sticks            du/dt = 0                                      forces p_t, p_n
//   slides along s    du_n/dt = 0                                    forces p_n, p_t = -mu_k p_n s
//   du/dt = W p + J a0 + dJ/dt v,  W = J H^-1 J'                      ([WK] 2.4, 2.8, 2.10)
// dJ/dt v includes the contact point's own motion over both surfaces (geometry/rolling.c). Where
// contacts depend on one another (four corners of a box) p is that of least norm: its effect on the
// bodies is unique.
#include "rigid.h"
#include "event/storm/storm.h"

#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

static const double HELD =
    1e-12; // of the normal force: margin of a contact at its cone that others keep from slipping

// ---- Forces at given modes

// Direction of the slip, smooth through zero: the sense is that at the last event, kept in the
// slot. It smoothly replaces the slip's own direction where the slip is nearly zero.
static void slip_direction(const rh_data *d, int slot, double s[2])
{
  const rh_contact *c = &d->contact[slot];
  const double *kept = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_vec3 ref = {kept[0], kept[1], kept[2]};
  double r[2] = {rh_dot(c->t1, ref), rh_dot(c->t2, ref)};
  double sign = c->slip[0] * r[0] + c->slip[1] * r[1] < 0 ? -1 : 1;
  double speed = rh_hypot(c->slip[0], c->slip[1]) / RH_TOL_SLIP;
  double weight = RH_TOL_SLIP / (1 + speed * speed);
  for (int i = 0; i < 2; i++) {
    s[i] = sign * c->slip[i] + weight * r[i];
  }
  double size = rh_hypot(s[0], s[1]);
  for (int i = 0; i < 2; i++) {
    s[i] = size == 0 ? 0 : s[i] / size;
  }
}

// Puts the forces in the place of the laws' forces of compliant contacts, and into the wrenches.
static void give_forces(rh_data *d, int i)
{
  int slot = rh_rigid(d)->slot[i];
  rh_contact *c = &d->contact[slot];
  double *p = rh_rigid(d)->p + 3 * (size_t)i;
  bool slides = rh_slot_mode(d, slot) == RH_CLOSED_SLIDE;
  for (int k = 0; k < 2 && slides; k++) {
    p[k] = -rh_slot_sliding(d, slot) * p[2] * rh_rigid(d)->slide[2 * i + k];
  }
  c->normal = p[2];
  c->friction[0] = p[0];
  c->friction[1] = p[1];
  c->margin = slides                 ? -1
              : rh_rigid(d)->held[i] ? fmax(rh_rigid_margin(d, i), HELD * p[2])
                                     : rh_rigid_margin(d, i);
  double *work = rh_search(d)->slot_rate + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK;
  work[RH_CONTACT_SLIDE] = -(p[0] * c->slip[0] + p[1] * c->slip[1]);
  work[RH_CONTACT_DAMPER] = p[2] * c->rate; // of the drift that is corrected
  if (rh_slot_turns(d, slot)) {
    rh_vec3 moving = rh_scale(p[2], rh_turn_moving(d, slot));
    rh_contact_set_torque(d, slot, c, rh_add(moving, rh_turn_holding(d, i)));
  }
  rh_contact_push(d, c);
}

// Forces, and accelerations under them; `rest`: once more, for the remaining accelerations of the
// contacts. True: they are large.
static bool solve_islands(rh_data *d, bool rest, bool loads)
{
  bool rough = false;
  rh_rigid_accelerations(d);
  memset(d->dyn.f, 0, (size_t)d->model->nbody * sizeof *d->dyn.f);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    rough = rh_rows_solve(d, first, end, rest, loads) || rough;
  }
  rh_wrench_more(d, d->dyn.f);
  return rough;
}

void rh_rigid_forces(rh_data *d, bool loads)
{
  if (d->model->nrigid == 0) {
    return;
  }
  rh_rigid(d)->searched = 0;
  rh_storm_forces(d);
  rh_rigid_gather(d, RH_CLOSED_STICK);
  if (rh_rigid(d)->n == 0) {
    return;
  }
  rh_rigid(d)->undetermined = 0;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    slip_direction(d, rh_rigid(d)->slot[i], rh_rigid(d)->slide + 2 * (size_t)i);
  }
  if (solve_islands(d, false, loads)) {
    (void)solve_islands(d, true, loads);
  }
  rh_rigid_rest(d);
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    give_forces(d, i);
  }
}
