// Sleeping: an island whose bodies have all rested for run.sleep seconds is left alone until something disturbs it. A body rests in a step in which
// it is slower than run.sleep_speed and moves by no more than that, and no force acts on it but gravity; with 0, the default, it must have no velocity
// at all (`calm` in step.c sees to it) and stay where it is. What sleeps is not kicked, collided with what sleeps or does not move, given rows or
// moved; its contacts keep the forces they had last.
// It wakes, the whole island at once, in the step in which
//   a shape of an awake mobile comes as near as makes a contact (it may meet the sleeper within the step),   [collide.c]
//   a force from outside acts on one of its bodies, or it was given a velocity,
//   a joint of it is held or released, values of the scene change, somebody writes the state (rh_data_wake).
// How long a body has rested is part of the state (rh_data.rested); one that sleeps has the number of the lowest body of its island in it, < 0. So
// a resumed run goes on as the one it was cut from. What disturbs is looked for in every step anew and depends on nothing else.
// Left out: trees and what loops join never sleep, nor does what touches them.
#include "stepping.h"

// ---- Which mobiles

static double *rested(rh_step_world *w, int mobile)
{
  return &w->d->rested[w->cold[mobile].body];
}

static void note_shapes(rh_step_world *w)
{
  for (int i = 0; i < w->m->nshape; i++) {
    int mobile = w->shape[i].mobile;
    w->nap.still[i] = mobile == 0 || w->nap.asleep[mobile];
  }
}

static void note_place(rh_step_world *w, int i)
{
  w->nap.x[i] = w->cold[i].x;
  w->nap.q[i] = w->cold[i].q;
}

// ---- Their contacts

static bool sleeps(const rh_step_world *w, const rh_step_contact *t)
{
  return w->nap.asleep[w->shape[t->a].mobile] || w->nap.asleep[w->shape[t->b].mobile];
}

// Moves the touches that sleep, or those that do not, out of a list into another one; both stay in order.
// Those without a force are forgotten on the way, as recordings forget them.
static void move_touches(rh_step_world *w, rh_step_contact *from, int *nfrom, rh_step_contact *to,
                         int *nto, bool asleep)
{
  int kept = 0;
  int moved = 0;
  for (int i = 0; i < *nfrom; i++) {
    if (sleeps(w, &from[i]) != asleep) {
      from[kept++] = from[i];
    } else if (rh_dot(from[i].f, from[i].f) > 0) {
      w->again[moved++] = from[i];
    }
  }
  *nfrom = kept;
  int i = *nto - 1;
  int k = moved - 1;
  *nto += moved;
  for (int at = *nto - 1; k >= 0; at--) { // from the end on, so that nothing is written over
    bool mine = i >= 0 && rh_step_contact_order(&to[i], &w->again[k]) > 0;
    to[at] = mine ? to[i--] : w->again[k--];
  }
}

// ---- Falling asleep

static const double FLICKER = 1e-12; // [m] a step: what the drift pass nears its end by, and rounds

// Both by its velocity and by how far its farthest points came in the step; a turn by a small angle changes the quaternion by half of it.
static bool rests(const rh_step_world *w, int i, double h)
{
  const rh_step_velocity *b = &w->hot[i];
  const rh_step_body *c = &w->cold[i];
  rh_quat q = w->nap.q[i];
  const double turn[4] = {c->q.w - q.w, c->q.x - q.x, c->q.y - q.y, c->q.z - q.z};
  rh_vec3 dx = rh_sub(c->x, w->nap.x[i]);
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

// What is left of its velocity goes, and its energy is booked.
static void halt(rh_step_world *w, int i)
{
  rh_step_velocity *b = &w->hot[i];
  const rh_step_body *c = &w->cold[i];
  rh_vec3 v = rh_step_read_vec(b->v);
  rh_vec3 spin = rh_unrotate(&c->R, rh_step_read_vec(b->w));
  w->d->books[1] -= 0.5 * (c->mass * rh_dot(v, v) + rh_dot(spin, rh_sym3_mul(&c->I, spin)));
  for (int k = 0; k < 3; k++) {
    b->v[k] = b->w[k] = 0;
  }
}

// [s] for how long all of an island have rested
static double time_rests(rh_step_world *w, const rh_step_island *s, double h)
{
  double least = HUGE_VAL;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      least = 0;
      continue;
    }
    double *r = rested(w, i);
    *r = rests(w, i, h) ? *r + h : 0;
    least = fmin(least, *r);
    note_place(w, i);
  }
  return s->ntie > 0 ? 0 : least;
}

void rh_step_sleep_end(rh_step_world *w, double h)
{
  bool any = false;
  for (int k = 0; w->nap.on && k < w->nisland; k++) {
    const rh_step_island *s = &w->island[k];
    const int *member = w->member + s->mob;
    double rest = w->nap.asleep[member[0]] ? 0 : time_rests(w, s, h);
    if (rest == 0 || rest < w->par.sleep - 0.5 * h) {
      continue;
    }
    double together = -w->cold[member[0]].body;
    for (int i = 0; i < s->nmob; i++) {
      *rested(w, member[i]) = together;
      w->nap.asleep[member[i]] = true;
      halt(w, member[i]);
    }
    w->nap.n += s->nmob;
    any = true;
  }
  if (any) {
    note_shapes(w);
    move_touches(w, w->touch, &w->ntouch, w->nap.touch, &w->nap.ntouch, true);
  }
}

// ---- Waking

void rh_step_wake(rh_step_world *w, int mobile)
{
  double together = *rested(w, mobile);
  for (int i = 1; i <= w->nfree; i++) {
    if (w->nap.asleep[i] && *rested(w, i) == together) {
      *rested(w, i) = 0;
      w->nap.asleep[i] = false;
      w->nap.n--;
    }
  }
  note_shapes(w);
  move_touches(w, w->nap.touch, &w->nap.ntouch, w->old, &w->nold, false);
}

static bool moves(const rh_step_velocity *b)
{
  return b->v[0] != 0 || b->v[1] != 0 || b->v[2] != 0 || b->w[0] != 0 || b->w[1] != 0 ||
         b->w[2] != 0;
}

bool rh_step_sleep_begin(rh_step_world *w)
{
  for (int i = 1; w->nap.n > 0 && i <= w->nfree; i++) {
    if (w->nap.asleep[i] && (w->cold[i].forced || moves(&w->hot[i]))) {
      rh_step_wake(w, i);
    }
  }
  return w->nap.on && w->nap.n == w->nfree && w->trees.n == 0;
}

// ---- The state

void rh_step_sleep_load(rh_step_world *w)
{
  rh_step_sleep *nap = &w->nap;
  if (!nap->on) {
    return;
  }
  nap->n = nap->ntouch = 0;
  nap->fresh = true;
  for (int i = 1; i <= w->nfree; i++) {
    nap->asleep[i] = *rested(w, i) < 0;
    nap->n += nap->asleep[i];
    note_place(w, i);
  }
  note_shapes(w);
  move_touches(w, w->old, &w->nold, nap->touch, &nap->ntouch, true);
}

// A recording does not say what the springs of compliant contacts hold: their depth does.
void rh_step_sleep_weigh(rh_step_world *w)
{
  rh_step_sleep *nap = &w->nap;
  nap->fresh = false;
  for (int i = 0; w->soft && i < nap->ntouch; i++) {
    rh_step_contact *t = &nap->touch[i];
    if (!w->rule[t->rule].law) {
      continue;
    }
    int n = rh_step_collide_pair(w, t->a, t->b, w->again);
    for (int k = 0; k < n; k++) {
      if (w->again[k].id == t->id) {
        t->phi = w->again[k].phi;
        t->stored = rh_step_compliant_stored(w, &w->again[k]);
      }
    }
  }
}
