// Stage 2, first half: which shapes are near one another. The broad phase (geometry/broad.c) gives
// the pairs whose bounds overlap, in the order of their shapes, independent of the past.
#include "collision.h"
#include "geometry/broad.h"

#include <math.h>

static bool bounds_overlap(const rh_bounds *a, const rh_bounds *b)
{
  return !(a->lo.x > b->hi.x || b->lo.x > a->hi.x || a->lo.y > b->hi.y || b->lo.y > a->hi.y ||
           a->lo.z > b->hi.z || b->lo.z > a->hi.z);
}

// More pairs than the capacity: all are examined, one by one.
static void each_of_all(rh_data *d, rh_pair_visit *visit, void *user)
{
  const rh_model *m = d->model;
  for (int a = 0; a < m->nshape; a++) {
    for (int b = a + 1; b < m->nshape; b++) {
      rh_shape_pair pair = rh_shape_pair_of(m, a, b);
      if (pair.rule != RH_NONE && bounds_overlap(&rh_search(d)->box[a], &rh_search(d)->box[b])) {
        visit(d, &pair, user);
      }
    }
  }
}

void rh_near_each(rh_data *d, rh_pair_visit *visit, void *user)
{
  const rh_model *m = d->model;
  rh_contact_search *s = rh_search(d);
  for (int i = 0; i < m->nshape; i++) {
    s->geom[i] = rh_shape_placed(d, i);
    s->box[i] = rh_geom_bounds(&s->geom[i], 0.5 * m->near);
  }
  rh_broad_result found = rh_broad_find(s->broad, s->box, NULL);
  if (found.overflow) {
    each_of_all(d, visit, user);
    return;
  }
  for (int i = 0; i < found.count; i++) {
    visit(d, found.pair[i], user);
  }
}
