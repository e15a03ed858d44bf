// Nothing tunnels: between two looks shapes move by less than half of what they would have to pass through, so their
// overlap is seen; and a contact that is pressed in deeper than half its thinner shape, beyond which the way out is on the
// other side, ends the run with a reason instead of letting the body through. A plane has no other side.
#include "sim/loop.h"

#include <math.h>

// Upper bound of the speed at which two shapes approach
static double closing_speed(const rh_data *d, const rh_model_shape *a, const rh_model_shape *b)
{
  const rh_kin_body *ka = &d->kin[a->body];
  const rh_kin_body *kb = &d->kin[b->body];
  double spin = rh_norm(ka->v.ang) * (a->reach + rh_norm(a->place.p)) +
                rh_norm(kb->v.ang) * (b->reach + rh_norm(b->place.p));
  return rh_norm(rh_sub(ka->v.lin, kb->v.lin)) + spin;
}

static bool touches(const rh_data *d, const rh_model_pair *pair)
{
  for (int k = pair->slot; k < pair->slot + pair->nslot; k++) {
    if (d->touch[k] != 0) {
      return true;
    }
  }
  return false;
}

bool rh_tunnels(const rh_model *m)
{
  for (int p = 0; p < m->npair; p++) {
    if (!isinf(m->shape[m->pair[p].b].width)) {
      return true;
    }
  }
  return false;
}

double rh_safe_time(const rh_data *d)
{
  const rh_model *m = d->model;
  double g = rh_norm(m->gravity);
  double least = HUGE_VAL;
  for (int p = 0; p < m->npair; p++) {
    const rh_model_shape *a = &m->shape[m->pair[p].a];
    const rh_model_shape *b = &m->shape[m->pair[p].b];
    if (isinf(b->width)) {
      continue;
    }
    bool on = touches(d, &m->pair[p]);
    double way =
        on ? 0.25 * fmin(a->width, b->width) : fmax(d->gap[p], 0) + 0.5 * (a->width + b->width);
    // from this speed, and gaining g, it takes at least so long
    least = fmin(least, way / (closing_speed(d, a, b) + sqrt(g * way)));
  }
  return least;
}

int rh_pair_pierced(const rh_data *d)
{
  const rh_model *m = d->model;
  for (int p = 0; p < m->npair; p++) {
    const rh_model_pair *pair = &m->pair[p];
    double half = 0.5 * fmin(m->shape[pair->a].width, m->shape[pair->b].width);
    for (int k = pair->slot; k < pair->slot + pair->nslot; k++) {
      if (!isinf(m->shape[pair->b].width) && d->con[k].on && d->con[k].depth > half) {
        return p;
      }
    }
  }
  return RH_NONE;
}

int rh_pair_on_edge(const rh_data *d)
{
  const rh_model *m = d->model;
  for (int p = 0; p < m->npair; p++) {
    const rh_model_pair *pair = &m->pair[p];
    for (int k = pair->slot; k < pair->slot + pair->nslot; k++) {
      bool bare = d->con[k].on && d->con[k].depth > 0 && d->con[k].area == 0;
      if (m->contact[pair->contact].per == 1 && bare) {
        return p;
      }
    }
  }
  return RH_NONE;
}
