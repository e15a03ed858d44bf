// Stage 2, first half: which shapes are near one another. The broad phase examines bounds that are
// wider than needed, and its result holds as long as every shape stays within those: a step then
// costs no search. The pairs come in the order of their shapes, independent of the past, and a pair
// too many changes nothing; so results never depend on the past.
#include "collision.h"
#include "geometry/bvh.h"

#include <math.h>

rh_geom rh_shape_placed(const rh_data *d, int shape)
{
  const rh_model_shape *s = &d->model->shape[shape];
  const rh_kin_body *b = &d->kin[s->body];
  rh_geom g = {.kind = s->kind, .par = s->par, .mesh = s->mesh};
  g.R = rh_mat3_mul(&b->R, &s->place.R);
  g.p = rh_add(b->p, rh_rotate(&b->R, s->place.p));
  return g;
}

rh_near_pair rh_near_pair_of(const rh_model *m, int a, int b)
{
  bool swap = !rh_shape_bounded(m->shape[a].kind);
  rh_near_pair pair = {swap ? b : a, swap ? a : b, RH_NONE};
  if (rh_shape_bounded(m->shape[pair.a].kind)) { // two unbounded shapes never separate
    pair.contact = rh_model_contact_of_shapes(m, a, b);
  }
  return pair;
}

static bool may_meet(const void *user, int a, int b)
{
  return rh_near_pair_of(user, a, b).contact != RH_NONE;
}

// Written so that NaN lies within nothing.
static bool lies_within(const rh_bounds *in, const rh_bounds *out)
{
  return in->lo.x >= out->lo.x && in->lo.y >= out->lo.y && in->lo.z >= out->lo.z &&
         in->hi.x <= out->hi.x && in->hi.y <= out->hi.y && in->hi.z <= out->hi.z;
}

static bool bounds_overlap(const rh_bounds *a, const rh_bounds *b)
{
  return !(a->lo.x > b->hi.x || b->lo.x > a->hi.x || a->lo.y > b->hi.y || b->lo.y > a->hi.y ||
           a->lo.z > b->hi.z || b->lo.z > a->hi.z);
}

// The search is over bounds grown by as much again as the near distance.
static void find_near_pairs(rh_data *d)
{
  const rh_model *m = d->model;
  rh_bounds *wide = rh_search(d)->box + m->nshape;
  for (int i = 0; i < m->nshape; i++) {
    wide[i] = rh_geom_bounds(&rh_search(d)->geom[i], m->near);
  }
  rh_bvh_result found = rh_bvh_find(rh_search(d)->broad, wide, may_meet, m);
  rh_search(d)->nnear = found.overflow ? RH_NONE : found.count;
  for (int i = 0; i < rh_search(d)->nnear; i++) {
    rh_search(d)->near[i] = rh_near_pair_of(m, found.pair[i].a, found.pair[i].b);
  }
}

// More pairs than the capacity: all are examined, one by one.
static void each_of_all(rh_data *d, rh_pair_visit *visit, void *user)
{
  const rh_model *m = d->model;
  for (int a = 0; a < m->nshape; a++) {
    for (int b = a + 1; b < m->nshape; b++) {
      rh_near_pair pair = rh_near_pair_of(m, a, b);
      if (pair.contact != RH_NONE && bounds_overlap(&rh_search(d)->box[a], &rh_search(d)->box[b])) {
        visit(d, &pair, user);
      }
    }
  }
}

void rh_near_each(rh_data *d, rh_pair_visit *visit, void *user)
{
  const rh_model *m = d->model;
  bool known = rh_search(d)->nnear != RH_NONE;
  for (int i = 0; i < m->nshape; i++) {
    rh_search(d)->geom[i] = rh_shape_placed(d, i);
    rh_search(d)->box[i] = rh_geom_bounds(&rh_search(d)->geom[i], 0.5 * m->near);
    known = known && lies_within(&rh_search(d)->box[i], &rh_search(d)->box[m->nshape + i]);
  }
  if (!known) {
    find_near_pairs(d);
  }
  if (rh_search(d)->nnear == RH_NONE) {
    each_of_all(d, visit, user);
    return;
  }
  for (int i = 0; i < rh_search(d)->nnear; i++) {
    if (bounds_overlap(&rh_search(d)->box[rh_search(d)->near[i].a],
                       &rh_search(d)->box[rh_search(d)->near[i].b])) {
      visit(d, &rh_search(d)->near[i], user);
    }
  }
}
