// Surfaces that move on their bodies: the velocity of the surfaces in the contact plane is added to the
// slip, and the drive works friction times that velocity.
#include "stepping/contact_kernels.h"

// World axes
static rh_vec3 surface_velocity(const rh_step_world *w, int shape)
{
  const rh_model_shape *s = &w->m->shape[shape];
  return rh_rotate(&w->search->geom[shape].R, rh_unrotate(&s->place.R, s->surface));
}

bool rh_step_belt_make(const rh_step_world *w, int k, const rh_found_contact *t)
{
  rh_vec3 v = rh_sub(surface_velocity(w, t->a), surface_velocity(w, t->b));
  v = rh_addscaled(v, -rh_dot(v, t->n), t->n);
  w->laws.belt[k] = (rh_step_belt){.v = v};
  return rh_dot(v, v) > 0;
}

bool rh_step_island_driven(const rh_step_world *w, const rh_step_island *s)
{
  bool any = false;
  for (int k = s->con; w->laws.belt && !any && k < s->con + s->ncon; k++) {
    any = rh_dot(w->laws.belt[w->row[k].any].v, w->laws.belt[w->row[k].any].v) > 0;
  }
  return any;
}

double rh_step_island_drive(const rh_step_world *w, const rh_step_island *s)
{
  double sum = 0;
  for (int k = s->con; w->laws.belt && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    sum += rh_step_belt_drive(w, c, rh_step_impulse(w, c, c->p));
  }
  return sum;
}
