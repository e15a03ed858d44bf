// Sleeping: an island whose bodies have all rested for run.sleep seconds is left alone until it is
// disturbed. A body rests in a step in which it is slower than run.sleep_speed and moves by no more
// than that, and no force acts on it but gravity; with 0, the default, it must have no velocity at
// all (stop_resting_island in step.c) and stay in place. Sleeping mobiles are not moved, get no
// rows, and do not collide with mobiles that sleep or do not move; their contacts keep their last
// forces.
// An island wakes, all at once, in the step in which
//   a shape of an awake mobile comes near enough for a contact (it may meet within the step),
//   [collide.c]
//   an external force acts on one of its bodies, or it was given a velocity,
//   a joint of it is held or released, values of the scene change, the state is written
//   (rh_data_wake).
// The rest time of a body is part of the state (rh_data.rested); for a sleeping one it is the
// number of the lowest body of its island, < 0. So a resumed run goes on as the one it was cut
// from. Disturbances are searched in every step anew and depend on nothing else.
// Left out: trees and mobiles joined by loops never sleep, nor do those that touch them.
#include "stepping.h"

// ---- Which mobiles

static double *rest_time(const rh_step_world *w, int mobile)
{
  return &w->d->rested[w->body[mobile].body];
}

static void note_shapes(const rh_step_world *w)
{
  for (int i = 0; i < w->m->nshape; i++) {
    int mobile = w->shapes.of[i].mobile;
    w->sleep.still[i] = mobile == 0 || w->sleep.asleep[mobile];
  }
}

static void note_place(const rh_step_world *w, int i)
{
  w->sleep.x[i] = w->body[i].x;
  w->sleep.q[i] = w->body[i].q;
}

// ---- Their contacts

bool rh_step_slot_sleeps(const rh_step_world *w, int slot)
{
  const rh_slot *s = &w->d->slot[slot];
  return w->sleep.asleep[w->shapes.of[(int)s->a].mobile] ||
         w->sleep.asleep[w->shapes.of[(int)s->b].mobile];
}

int rh_step_sleeping_slots(const rh_step_world *w, int *slot)
{
  int used = rh_slots_used(w->d);
  int n = 0;
  for (int k = 0; k < used; k++) {
    if (rh_step_slot_sleeps(w, k)) {
      slot[n++] = k;
    }
  }
  return n;
}

static void count_contacts(rh_step_world *w)
{
  w->sleep.ncontact = 0;
  for (int k = 0; k < rh_slots_used(w->d); k++) {
    w->sleep.ncontact += rh_step_slot_sleeps(w, k);
  }
}

// Contacts found in this step that sleep from now on
static void drop_found(rh_step_world *w)
{
  rh_found_contact *now = w->contacts.now;
  int n = 0;
  for (int i = 0; i < w->contacts.n; i++) {
    if (!w->sleep.asleep[now[i].ma] && !w->sleep.asleep[now[i].mb]) {
      now[n++] = now[i];
    }
  }
  w->contacts.n = n;
}

// ---- Falling asleep

static const double FLICKER = 1e-12; // [m] per step: rest of the drift pass, and rounding

// By its velocity and by the travel of its farthest points in the step; a turn by a small angle
// changes the quaternion by half of it.
static bool body_rests(const rh_step_world *w, int i, double h)
{
  const rh_step_velocity *b = &w->velocity[i];
  const rh_step_body *c = &w->body[i];
  rh_quat q = w->sleep.q[i];
  const double turn[4] = {c->q.w - q.w, c->q.x - q.x, c->q.y - q.y, c->q.z - q.z};
  rh_vec3 dx = rh_sub(c->x, w->sleep.x[i]);
  double arm = c->size * c->size;
  double fast = rh_dot(rh_step_read_vec(b->v), rh_step_read_vec(b->v)) +
                arm * rh_dot(rh_step_read_vec(b->w), rh_step_read_vec(b->w));
  double far =
      rh_dot(dx, dx) +
      4 * arm * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  double slow = w->par.sleep_speed;
  double near = fmax(slow * h, FLICKER);
  return fast <= slow * slow && far <= near * near && !c->forced;
}

// Removes the velocity, and records its energy.
static void halt_body(const rh_step_world *w, int i)
{
  rh_step_velocity *b = &w->velocity[i];
  const rh_step_body *c = &w->body[i];
  rh_vec3 v = rh_step_read_vec(b->v);
  rh_vec3 spin = rh_unrotate(&c->R, rh_step_read_vec(b->w));
  w->d->energy_base[1] -= 0.5 * (c->mass * rh_dot(v, v) + rh_dot(spin, rh_sym3_mul(&c->I, spin)));
  for (int k = 0; k < 3; k++) {
    b->v[k] = b->w[k] = 0;
  }
}

// [s] for which all of an island have rested
static double time_rests(const rh_step_world *w, const rh_step_island *s, double h)
{
  double least = HUGE_VAL;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      least = 0;
      continue;
    }
    double *r = rest_time(w, i);
    *r = body_rests(w, i, h) ? *r + h : 0;
    least = fmin(least, *r);
    note_place(w, i);
  }
  return s->nloop > 0 || rh_step_island_driven(w, s) ? 0 : least;
}

void rh_step_sleep_end(rh_step_world *w, double h)
{
  bool any = false;
  for (int k = 0; w->sleep.on && k < w->nisland; k++) {
    const rh_step_island *s = &w->island[k];
    const int *member = w->member + s->mob;
    double rest = w->sleep.asleep[member[0]] ? 0 : time_rests(w, s, h);
    if (rest == 0 || rest < w->par.sleep - 0.5 * h) {
      continue;
    }
    double together = -w->body[member[0]].body;
    for (int i = 0; i < s->nmob; i++) {
      *rest_time(w, member[i]) = together;
      w->sleep.asleep[member[i]] = true;
      halt_body(w, member[i]);
    }
    w->sleep.n += s->nmob;
    any = true;
  }
  if (any) {
    note_shapes(w);
    drop_found(w);
    count_contacts(w);
    w->sleep.fresh = true; // as after a resume: their shapes are where they came to rest
  }
}

// ---- Waking

void rh_step_wake(rh_step_world *w, int mobile)
{
  double together = *rest_time(w, mobile);
  for (int i = 1; i <= w->nfree; i++) {
    if (w->sleep.asleep[i] && *rest_time(w, i) == together) {
      *rest_time(w, i) = 0;
      w->sleep.asleep[i] = false;
      w->sleep.n--;
    }
  }
  note_shapes(w);
  count_contacts(w);
}

static bool body_moves(const rh_step_velocity *b)
{
  return b->v[0] != 0 || b->v[1] != 0 || b->v[2] != 0 || b->w[0] != 0 || b->w[1] != 0 ||
         b->w[2] != 0;
}

bool rh_step_sleep_begin(rh_step_world *w)
{
  for (int i = 1; w->sleep.n > 0 && i <= w->nfree; i++) {
    if (w->sleep.asleep[i] && (w->body[i].forced || body_moves(&w->velocity[i]))) {
      rh_step_wake(w, i);
    }
  }
  return w->sleep.on && w->sleep.n == w->nfree && w->trees.n == 0;
}

// ---- The state

void rh_step_sleep_load(rh_step_world *w)
{
  rh_step_sleep *nap = &w->sleep;
  if (!nap->on) {
    return;
  }
  nap->n = 0;
  nap->fresh = true;
  for (int i = 1; i <= w->nfree; i++) {
    nap->asleep[i] = *rest_time(w, i) < 0;
    nap->n += nap->asleep[i];
    note_place(w, i);
  }
  note_shapes(w);
  count_contacts(w);
}

// The energy of springs of compliant contacts is no part of the state: it follows from their depth.
void rh_step_sleep_weigh(rh_step_world *w)
{
  rh_step_sleep *nap = &w->sleep;
  rh_found_contact *again = w->worker[0].again;
  nap->fresh = false;
  for (int k = 0; w->laws.compliant && k < rh_slots_used(w->d); k++) {
    const rh_slot *s = &w->d->slot[k];
    nap->stored[k] = 0;
    if (!rh_step_slot_sleeps(w, k) || !w->laws.rule[(int)s->contact].law) {
      continue;
    }
    int n = rh_step_collide_pair(&w->worker[0], (int)s->a, (int)s->b, again);
    for (int i = 0; i < n; i++) {
      if (again[i].id == s->id) {
        nap->stored[k] = rh_step_compliant_stored(w, &again[i]);
      }
    }
  }
}
