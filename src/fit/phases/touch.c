// touch.c: where a body touches what does not move, in a given pose.
#include "phases.h"

#include "geometry/geometry.h"
#include "model/layout.h"

#include <math.h>
#include <string.h>

void rh_fit_pose(rh_data *d, int body, rh_vec3 p, rh_quat q)
{
  double *at = d->q + d->model->body[body].qadr;
  at[0] = p.x;
  at[1] = p.y;
  at[2] = p.z;
  at[3] = q.w;
  at[4] = q.x;
  at[5] = q.y;
  at[6] = q.z;
  rh_kinematics(d);
}

// The shape of the body is side A of the touch, or (`turned`) side B.
static void note_touch(const rh_touch *at, bool turned, int rule, double margin,
                       rh_fit_touch *touch)
{
  double gap = -at->depth;
  if (gap < touch->gap) {
    touch->next = touch->gap;
    touch->gap = gap;
    touch->rule = rule;
    touch->point = at->point;
    touch->n = turned ? rh_neg(at->normal) : at->normal;
  } else {
    touch->next = fmin(touch->next, gap);
  }
  if (gap < margin) {
    touch->centre = rh_add(touch->centre, at->point);
    touch->n_near++;
  }
}

bool rh_fit_find_touch(const rh_data *d, int body, double margin, rh_fit_touch *touch)
{
  const rh_model *m = d->model;
  *touch = (rh_fit_touch){.rule = RH_NONE, .gap = HUGE_VAL, .next = HUGE_VAL};
  for (int i = 0; i < m->nshape; i++) {
    for (int k = 0; k < m->nshape && m->shape[i].body == body; k++) {
      int other = m->shape[k].body;
      if (other == body || m->body[other].tree != 0) {
        continue;
      }
      rh_shape_pair pair = rh_shape_pair_of(m, i, k);
      if (pair.rule == RH_NONE) {
        continue;
      }
      rh_geom a = rh_shape_placed(d, pair.a);
      rh_geom b = rh_shape_placed(d, pair.b);
      rh_manifold found;
      int n = rh_collide(&a, &b, fmax(10 * margin, 1), NULL, &found);
      for (int c = 0; c < n; c++) {
        note_touch(&found.at[c], pair.a != i, pair.rule, margin, touch);
      }
    }
  }
  if (touch->n_near > 0) {
    touch->centre = rh_scale(1.0 / touch->n_near, touch->centre);
  }
  return touch->rule != RH_NONE;
}
