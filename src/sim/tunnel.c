// Nothing tunnels: between two looks shapes move by less than half of what they would have to pass through, so their
// overlap is seen; and a contact that is pressed in deeper than half its thinner shape, beyond which the way out is on the
// other side, ends the run with a reason instead of letting the body through. A plane has no other side.
//
// Only shapes that could meet within the time that is asked for are looked at: bounds grown by the way each can go.
#include "geom/bvh.h"
#include "sim/loop.h"

#include <math.h>

// Upper bound of the speed of a shape's points
static double speed_of(const rh_data *d, const rh_model_shape *s)
{
  const rh_kin_body *k = &d->kin[s->body];
  return rh_norm(k->v.lin) + rh_norm(k->v.ang) * (s->reach + rh_norm(s->place.p));
}

// Upper bound of the speed at which two shapes approach
static double closing_speed(const rh_data *d, const rh_model_shape *a, const rh_model_shape *b)
{
  const rh_kin_body *ka = &d->kin[a->body];
  const rh_kin_body *kb = &d->kin[b->body];
  double spin = rh_norm(ka->v.ang) * (a->reach + rh_norm(a->place.p)) +
                rh_norm(kb->v.ang) * (b->reach + rh_norm(b->place.p));
  return rh_norm(rh_sub(ka->v.lin, kb->v.lin)) + spin;
}

// Lower bound of the distance of two shapes: that of their bounds
static double distance(const rh_bounds *a, const rh_bounds *b)
{
  double x = fmax(a->lo.x - b->hi.x, b->lo.x - a->hi.x);
  double y = fmax(a->lo.y - b->hi.y, b->lo.y - a->hi.y);
  double z = fmax(a->lo.z - b->hi.z, b->lo.z - a->hi.z);
  return hypot(hypot(fmax(x, 0), fmax(y, 0)), fmax(z, 0));
}

// From this speed, and gaining g, it takes at least so long.
static double time_for(const rh_data *d, double way, double speed)
{
  return way / (speed + sqrt(rh_norm(d->model->gravity) * way));
}

static bool thin_pair(const void *user, int a, int b)
{
  const rh_model *m = user;
  bool bounded = rh_shape_bounded(m->shape[a].kind) && rh_shape_bounded(m->shape[b].kind);
  return bounded && rh_near_pair_of(m, a, b).contact != RH_NONE;
}

static double pair_time(const rh_data *d, int a, int b)
{
  const rh_model_shape *sa = &d->model->shape[a];
  const rh_model_shape *sb = &d->model->shape[b];
  double way = distance(&d->box[a], &d->box[b]) + 0.5 * (sa->width + sb->width);
  return time_for(d, way, closing_speed(d, sa, sb));
}

// Shapes that could meet within `horizon`. False: they are too many for the room there is.
static bool look(rh_data *d, double horizon, double *least)
{
  const rh_model *m = d->model;
  rh_bounds *swept = d->box + m->nshape;
  double fall = 0.5 * rh_norm(m->gravity) * horizon * horizon;
  for (int i = 0; i < m->nshape; i++) {
    d->geom[i] = rh_shape_placed(d, i);
    d->box[i] = rh_geom_bounds(&d->geom[i], 0);
    swept[i] = rh_geom_bounds(&d->geom[i], speed_of(d, &m->shape[i]) * horizon + fall);
  }
  d->nnear = RH_NONE; // its room is used here
  rh_bvh_result found = rh_bvh_find(d->broad, swept, thin_pair, m);
  for (int i = 0; i < found.count && !found.overflow; i++) {
    *least = fmin(*least, pair_time(d, found.pair[i].a, found.pair[i].b));
  }
  return !found.overflow;
}

static void look_at_all(const rh_data *d, double *least)
{
  const rh_model *m = d->model;
  for (int a = 0; a < m->nshape; a++) {
    for (int b = a + 1; b < m->nshape; b++) {
      if (thin_pair(m, a, b)) {
        *least = fmin(*least, pair_time(d, a, b));
      }
    }
  }
}

enum { SHORTER_MAX = 8 }; // so often a horizon is halved before all pairs are looked at

double rh_safe_time(rh_data *d, double horizon)
{
  const rh_model *m = d->model;
  double least = horizon;
  for (int k = 0; k < d->ncon; k++) {
    const rh_contact *c = &d->con[k];
    const rh_model_shape *a = &m->shape[c->shape[0]];
    const rh_model_shape *b = &m->shape[c->shape[1]];
    if (c->on && !isinf(b->width)) {
      double way = 0.25 * fmin(a->width, b->width);
      least = fmin(least, time_for(d, way, closing_speed(d, a, b)));
    }
  }
  for (int i = 0; i < SHORTER_MAX; i++) {
    if (look(d, least, &least)) {
      return least;
    }
    least *= 0.5;
  }
  look_at_all(d, &least);
  return least;
}

int rh_slot_pierced(const rh_data *d)
{
  const rh_model_shape *shape = d->model->shape;
  for (int k = 0; k < d->ncon; k++) {
    const rh_contact *c = &d->con[k];
    double half = 0.5 * fmin(shape[c->shape[0]].width, shape[c->shape[1]].width);
    if (c->on && !isinf(shape[c->shape[1]].width) && c->depth > half) {
      return k;
    }
  }
  return RH_NONE;
}

int rh_slot_on_edge(const rh_data *d)
{
  for (int k = 0; k < d->ncon; k++) {
    const rh_contact *c = &d->con[k];
    if (c->on && c->depth > 0 && c->area == 0 && d->model->contact[c->contact].per == 1) {
      return k;
    }
  }
  return RH_NONE;
}
