// Rolling and pivoting friction of rigid contacts: the modes, decided at events and constant in
// between, and the torques of the directions that move. With w the angular velocity of a relative to
// b, in parts along the contact plane and along the normal:
//   rolls      torque -mu_roll r F_n w_t / |w_t|        held   w_t = 0, |torque| <= mu_roll r F_n
//   pivots     torque -mu_pivot F_n sign(w_n)           held   w_n = 0, |torque| <= mu_pivot F_n
// The rows of held ones are in contact_forces.c. Impacts have no such impulse.
#include "event/rigid.h"
#include "multibody/multibody.h"

#include <math.h>

// Torques beyond their limit by less than this part of it are held. [1]
static const double CLEAR = 1e-9;

typedef struct turning { // of a contact
  rh_vec3 roll;          // [rad/s] in the contact plane
  double pivot;          // [rad/s] about the normal
  double arm[2];         // [m] limits of the torques for a unit of normal force: roll, pivot
} turning;

static turning turning_of(const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  const rh_model_contact *laws = &d->model->contact[c->rule];
  rh_vec3 w = rh_sub(d->kin[c->a].v.ang, d->kin[c->b].v.ang);
  double pivot = rh_dot(c->n, w);
  return (turning){rh_addscaled(w, -pivot, c->n),
                   pivot,
                   {laws->mu_roll * rh_contact_roll_radius(c), laws->mu_pivot}};
}

static rh_vec3 kept_way(const rh_turn *t)
{
  return rh_v3(t->way[0], t->way[1], t->way[2]);
}

// Direction of w, smooth through zero: its own where it is fast, the kept one where it is nearly
// zero; as that of a slip (rigid.c).
static rh_vec3 smooth_way(rh_vec3 w, rh_vec3 kept)
{
  double part = rh_norm(w) / RH_TOL_SLIP;
  double sign = rh_dot(w, kept) < 0 ? -1 : 1;
  rh_vec3 s = rh_addscaled(rh_scale(sign, w), RH_TOL_SLIP / (1 + part * part), kept);
  double size = rh_norm(s);
  return size > 0 ? rh_scale(1 / size, s) : s;
}

double rh_turn_speed(const rh_data *d, const rh_contact *c, rh_vec3 axis)
{
  return rh_dot(axis, rh_sub(d->kin[c->a].v.ang, d->kin[c->b].v.ang));
}

double rh_turn_demand(const rh_data *d, const rh_contact *c, rh_vec3 axis)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? c->a : c->b;
    if (body != 0) {
      rh_vec3 own = rh_add(rh_body_acceleration(d, body).ang, d->kin[body].c.ang);
      sum += (side == 0 ? -1 : 1) * rh_dot(axis, own);
    }
  }
  return sum;
}

unsigned rh_turn_held(const rh_data *d, int slot)
{
  const rh_turn *t = &d->turn[slot];
  return (t->roll != 0 ? RH_TURN_ROLL : RH_TURN_FREE) |
         (t->pivot != 0 ? RH_TURN_PIVOT : RH_TURN_FREE);
}

rh_vec3 rh_turn_moving(const rh_data *d, int slot)
{
  const rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  rh_vec3 n = d->contact[slot].n;
  rh_vec3 sum = rh_v3(0, 0, 0);
  if (t->roll == 0 && x.arm[0] > 0) {
    rh_vec3 kept = kept_way(t);
    kept = rh_addscaled(kept, -rh_dot(kept, n), n);
    sum = rh_scale(-x.arm[0], smooth_way(x.roll, kept));
  }
  if (t->pivot == 0 && x.arm[1] > 0) {
    rh_vec3 way = smooth_way(rh_scale(x.pivot, n), rh_scale(t->sense, n));
    sum = rh_addscaled(sum, -x.arm[1], way);
  }
  return sum;
}

rh_vec3 rh_turn_holding(const rh_data *d, int i)
{
  const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
  const double *m = rh_rigid(d)->torque + 3 * (size_t)i;
  return rh_addscaled(rh_addscaled(rh_scale(m[0], c->t1), m[1], c->t2), m[2], c->n);
}

typedef struct turn_margins { // [N m] of held ones, [rad/s] of moving ones
  double roll, pivot;
} turn_margins;

static turn_margins margins_of(const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  const rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  double along = rh_dot(c->n, c->torque);
  turn_margins g = {1, 1};
  if (t->roll != 0) {
    g.roll = x.arm[0] * c->normal - rh_norm(rh_addscaled(c->torque, -along, c->n));
  } else if (x.arm[0] > 0) {
    g.roll = rh_dot(x.roll, kept_way(t)) - 0.5 * rh_norm(x.roll) + RH_TOL_SEPARATION;
  }
  if (t->pivot != 0) {
    g.pivot = x.arm[1] * c->normal - fabs(along);
  } else if (x.arm[1] > 0) {
    g.pivot = t->sense * x.pivot + RH_TOL_SEPARATION;
  }
  return g;
}

double rh_turn_guard(const rh_data *d, int slot)
{
  turn_margins g = margins_of(d, slot);
  return fmin(g.roll, g.pivot);
}

bool rh_turn_goes_on(const rh_data *d, int slot)
{
  const rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  turn_margins g = margins_of(d, slot);
  double normal = d->contact[slot].normal;
  double roll = t->roll != 0 ? 1e-6 * x.arm[0] * normal : 0.4 * rh_norm(x.roll) + 1e-6;
  double pivot = t->pivot != 0 ? 1e-6 * x.arm[1] * normal : 1e-6;
  return g.roll > (x.arm[0] > 0 ? roll : 0) && g.pivot > (x.arm[1] > 0 ? pivot : 0);
}

static void put_way(rh_turn *t, rh_vec3 w)
{
  double size = rh_norm(w);
  rh_vec3 way = size > 0 ? rh_scale(1 / size, w) : w;
  t->way[0] = way.x;
  t->way[1] = way.y;
  t->way[2] = way.z;
}

static bool is_active(const rh_data *d, int slot)
{
  return rh_slot_rigid(d, slot) && rh_slot_mode(d, slot) > RH_CLOSED_IDLE && rh_slot_turns(d, slot);
}

void rh_turns_begin(rh_data *d)
{
  double slow = fmax(d->model->run.rest_speed, RH_TOL_SLIP);
  for (int k = 0; k < d->ncontact && d->turn; k++) {
    if (!is_active(d, k)) {
      continue;
    }
    turning x = turning_of(d, k);
    rh_turn *t = &d->turn[k];
    t->roll = x.arm[0] > 0 && rh_norm(x.roll) <= slow;
    t->pivot = x.arm[1] > 0 && fabs(x.pivot) <= slow;
    put_way(t, x.roll);
    t->sense = x.pivot < 0 ? -1 : 1;
  }
}

// Motion begins against the torque that would have held it.
static bool release_turn(rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  turn_margins g = margins_of(d, slot);
  double along = rh_dot(c->n, c->torque);
  bool rolls = t->roll != 0 && g.roll < -CLEAR * x.arm[0] * fmax(c->normal, 0);
  bool pivots = t->pivot != 0 && g.pivot < -CLEAR * x.arm[1] * fmax(c->normal, 0);
  if (rolls) {
    t->roll = 0;
    put_way(t, rh_addscaled(rh_neg(c->torque), along, c->n));
  }
  if (pivots) {
    t->pivot = 0;
    t->sense = along > 0 ? -1 : 1;
  }
  return rolls || pivots;
}

bool rh_turns_release(rh_data *d)
{
  bool any = false;
  for (int k = 0; k < d->ncontact && d->turn; k++) {
    any = (is_active(d, k) && release_turn(d, k)) || any;
  }
  return any;
}

// A torque that was beyond its limit while the contact stuck may be within it once that slides: the body
// does not begin to turn, and not the other way round.
static bool hold_turn(rh_data *d, int slot, double slow)
{
  const rh_contact *c = &d->contact[slot];
  rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  bool rolls = t->roll == 0 && x.arm[0] > 0 && rh_norm(x.roll) <= slow;
  bool pivots = t->pivot == 0 && x.arm[1] > 0 && fabs(x.pivot) <= slow;
  bool roll = rolls && rh_turn_demand(d, c, kept_way(t)) > 0;
  bool pivot = pivots && t->sense * rh_turn_demand(d, c, c->n) > 0;
  t->roll = roll ? 1 : t->roll;
  t->pivot = pivot ? 1 : t->pivot;
  return roll || pivot;
}

bool rh_turns_hold(rh_data *d)
{
  double slow = fmax(d->model->run.rest_speed, RH_TOL_SLIP);
  bool any = false;
  for (int k = 0; k < d->ncontact && d->turn; k++) {
    any = (is_active(d, k) && hold_turn(d, k, slow)) || any;
  }
  return any;
}

// ---- Stepped contacts: `way` and `sense` are their torque, in the contact plane and along the normal

void rh_turn_take(rh_data *d, int slot)
{
  if (d->turn) {
    d->turn[slot] = (rh_turn){0};
  }
}

rh_vec3 rh_turn_stepped(const rh_data *d, int slot)
{
  rh_vec3 n = d->contact[slot].n;
  rh_vec3 way = kept_way(&d->turn[slot]);
  return rh_addscaled(way, d->turn[slot].sense - rh_dot(way, n), n);
}

void rh_turn_limit(rh_data *d, int slot)
{
  rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  double size = rh_norm(kept_way(t));
  double roll = x.arm[0] * d->slot[slot].speed;
  double pivot = x.arm[1] * d->slot[slot].speed;
  for (int k = 0; k < 3 && size > roll; k++) {
    t->way[k] *= roll / size;
  }
  t->sense = fmax(-pivot, fmin(pivot, t->sense));
}

void rh_turn_step(rh_data *d, int slot, double h, const double V[2])
{
  rh_turn *t = &d->turn[slot];
  turning x = turning_of(d, slot);
  const rh_contact *c = &d->contact[slot];
  rh_vec3 way = kept_way(t);
  way = rh_addscaled(way, -rh_dot(way, c->n), c->n);
  rh_vec3 then = rh_addscaled(x.roll, -h * rh_turn_demand(d, c, c->t1), c->t1);
  then = rh_addscaled(then, -h * rh_turn_demand(d, c, c->t2), c->t2);
  way = V[0] > 0 ? rh_addscaled(way, -1 / (h * V[0]), then) : way;
  t->way[0] = way.x;
  t->way[1] = way.y;
  t->way[2] = way.z;
  t->sense -= V[1] > 0 ? (x.pivot - h * rh_turn_demand(d, c, c->n)) / (h * V[1]) : 0;
  rh_turn_limit(d, slot);
}
