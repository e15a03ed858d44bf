// Nothing tunnels. A check of the shapes bounds the time for which the run may go on until the next
// one: no pair may move, relative to each other, by more than its distance and half its thinner
// shape. So a pair that met in between overlaps at the next check, and the sign of the depth alone
// shows it, whichever way the normal points by then (contact_find.c): the integrator goes back to
// the first touch. Speeds, accelerations and the load passed on by compliant contacts are those of
// the check; checks depend on them, never on frames. A contact that is pressed in deeper than half
// its thinner shape, beyond which the way out is on the other side, ends the run with a reason
// instead of letting the body through. A plane has no other side. Left out: ridges of a
// heightfield, and corners that are cut by less than half the thinner shape.
//
// Only shapes that could meet within the requested time are checked: bounds grown by the maximum
// travel of each.
#include "collision.h"
#include "geometry/broad.h"
#include "multibody/multibody.h"

#include <math.h>

typedef struct
    pace {      // bounds for the points of one shape, or for two shapes relative to each other
  double speed; // [m/s]
  double gain;  // [m/s^2] half of the acceleration that is allowed for
} pace;

// [m/s^2] possible future acceleration of any shape: a hundredth of gravity
static double least_gain(const rh_data *d)
{
  return 0.01 * rh_norm(d->model->gravity);
}

static double arm_of(const rh_model_shape *s)
{
  return s->reach + rh_norm(s->place.p);
}

static pace pace_of_shape(const rh_data *d, const rh_model_shape *s)
{
  const rh_kin_body *k = &d->kin[s->body];
  const rh_motion *acc = &d->dyn.acc[s->body];
  double arm = arm_of(s);
  double speed = rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm;
  double gain = rh_norm(acc->lin) + rh_norm(acc->ang) * arm;
  return (pace){speed + rh_search(d)->push_speed[d->model->body[s->body].tree],
                fmax(gain, least_gain(d))};
}

static pace closing_pace(const rh_data *d, const rh_model_shape *a, const rh_model_shape *b)
{
  const rh_kin_body *ka = &d->kin[a->body];
  const rh_kin_body *kb = &d->kin[b->body];
  const rh_motion *aa = &d->dyn.acc[a->body];
  const rh_motion *ab = &d->dyn.acc[b->body];
  double arm_a = arm_of(a);
  double arm_b = arm_of(b);
  double spin = rh_norm(ka->v.ang) * arm_a + rh_norm(kb->v.ang) * arm_b;
  double twist = rh_norm(aa->ang) * arm_a + rh_norm(ab->ang) * arm_b;
  double shove = rh_search(d)->push_speed[d->model->body[a->body].tree] +
                 rh_search(d)->push_speed[d->model->body[b->body].tree];
  return (pace){rh_norm(rh_sub(ka->v.lin, kb->v.lin)) + spin + shove,
                fmax(rh_norm(rh_sub(aa->lin, ab->lin)) + twist, least_gain(d))};
}

// Minimum time at this pace: twice the present acceleration is allowed for.
static double time_for(double way, pace p)
{
  return way / (p.speed + sqrt(p.gain * way));
}

// Lower bound of the distance of two shapes: that of their bounds
static double box_distance(const rh_bounds *a, const rh_bounds *b)
{
  double x = fmax(a->lo.x - b->hi.x, b->lo.x - a->hi.x);
  double y = fmax(a->lo.y - b->hi.y, b->lo.y - a->hi.y);
  double z = fmax(a->lo.z - b->hi.z, b->lo.z - a->hi.z);
  return rh_hypot(rh_hypot(fmax(x, 0), fmax(y, 0)), fmax(z, 0));
}

static void check_pair(const rh_data *d, int a, int b, double *least)
{
  const rh_model_shape *sa = &d->model->shape[a];
  const rh_model_shape *sb = &d->model->shape[b];
  pace p = closing_pace(d, sa, sb);
  double into = 0.5 * fmin(sa->width, sb->width);
  double far = box_distance(&rh_search(d)->box[a], &rh_search(d)->box[b]);
  if (time_for(far + into, p) < *least) { // only then the distance itself is worth its cost
    rh_vec3 on[2];
    far = fmax(far, rh_distance(&rh_search(d)->geom[a], &rh_search(d)->geom[b], &on[0], &on[1]));
    *least = fmin(*least, time_for(far + into, p));
  }
}

// Shapes that could meet within `horizon`. False: they are too many for the capacity.
static bool check_near(rh_data *d, double horizon, double *least)
{
  const rh_model *m = d->model;
  rh_bounds *swept = rh_search(d)->box + m->nshape;
  for (int i = 0; i < m->nshape; i++) {
    pace p = pace_of_shape(d, &m->shape[i]);
    rh_search(d)->geom[i] = rh_shape_placed(d, i);
    rh_search(d)->box[i] = rh_geom_bounds(&rh_search(d)->geom[i], 0);
    swept[i] = rh_geom_bounds(&rh_search(d)->geom[i], (p.speed + p.gain * horizon) * horizon);
  }
  rh_broad_result found = rh_broad_find(rh_search(d)->sweep, swept, NULL);
  for (int i = 0; i < found.count && !found.overflow; i++) {
    check_pair(d, found.pair[i]->a, found.pair[i]->b, least);
  }
  return !found.overflow;
}

static void check_all(const rh_data *d, double *least)
{
  const rh_model *m = d->model;
  for (int a = 0; a < m->nshape; a++) {
    for (int b = a + 1; b < m->nshape; b++) {
      bool bounded = rh_shape_bounded(m->shape[a].kind) && rh_shape_bounded(m->shape[b].kind);
      if (bounded && rh_shape_pair_of(m, a, b).rule != RH_NONE) {
        check_pair(d, a, b, least);
      }
    }
  }
}

// Accelerations of the bodies, and the speed that compliant contacts may give their trees before
// the next check: that at which they are pressed.
static void take_paces(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nbody; i++) {
    d->dyn.acc[i] = rh_motion_add(rh_body_acceleration(d, i), d->kin[i].c);
    rh_search(d)->push_speed[i] = 0;
  }
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && !rh_slot_rigid(d, k)) {
      int tree[2] = {m->body[c->a].tree, m->body[c->b].tree};
      for (int i = 0; i < 2; i++) {
        rh_search(d)->push_speed[tree[i]] =
            tree[i] == 0 ? 0 : fmax(rh_search(d)->push_speed[tree[i]], fabs(c->rate));
      }
    }
  }
}

enum { SHORTER_MAX = 8 }; // maximum halvings of a horizon before all pairs are checked

double rh_safe_time(rh_data *d, double horizon)
{
  const rh_model *m = d->model;
  double least = horizon;
  take_paces(d);
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    const rh_model_shape *a = &m->shape[c->shape[0]];
    const rh_model_shape *b = &m->shape[c->shape[1]];
    if (c->on && !isinf(b->width)) {
      double way = 0.25 * fmin(a->width, b->width);
      least = fmin(least, time_for(way, closing_pace(d, a, b)));
    }
  }
  for (int i = 0; i < SHORTER_MAX; i++) {
    if (check_near(d, least, &least)) {
      return least;
    }
    least *= 0.5;
  }
  check_all(d, &least);
  return least;
}

int rh_slot_pierced(const rh_data *d)
{
  const rh_model_shape *shape = d->model->shape;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    double half = 0.5 * fmin(shape[c->shape[0]].width, shape[c->shape[1]].width);
    if (c->on && !isinf(shape[c->shape[1]].width) && c->depth > half) {
      return k;
    }
  }
  return RH_NONE;
}

int rh_slot_on_edge(const rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && c->depth > 0 && c->area == 0 && d->model->contact[c->rule].per == 1) {
      return k;
    }
  }
  return RH_NONE;
}
