// impact_place.h: the place of a contact in an impact at several points, for formulations with proportions.
#ifndef ROUTH_CONTACTS_IMPACT_PLACE_H
#define ROUTH_CONTACTS_IMPACT_PLACE_H

#include "impact/impact.h"

#include <routh/data.h>
#include <routh/model.h>

static inline rh_many_place rh_impact_place(const rh_model *m, const rh_contact *c)
{
  return (rh_many_place){
      .at = {c->point.x, c->point.y, c->point.z},
      .axis = {c->t1.x, c->t1.y, c->t1.z, c->t2.x, c->t2.y, c->t2.z, c->n.x, c->n.y, c->n.z},
      .body = {m->body[c->a].tree != 0 ? c->a : RH_NONE, m->body[c->b].tree != 0 ? c->b : RH_NONE},
      .factor = m->contact[c->rule].pair_factor};
}

#endif
