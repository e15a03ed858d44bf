// Stage 2 for shapes that fly over several cells of a heightfield in a step. Points farther than a
// cell or two are not searched (geometry/heightfield_pair.c), so the shape is examined at places
// along its way, a cell or two apart: the first place with a point that the rest of the way would
// pass supplies its points, seen from the present place: the distance between is added to the gap.
// The shape moves along its velocity, without turning; a way that is long by spin is not followed.
#include "stepping.h"

#include "geometry/heightfield.h"

static rh_vec3 velocity_of(const rh_step_world *w, int shape, rh_vec3 point)
{
  int mobile = w->shapes.of[shape].mobile;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return rh_add(k->v.lin, rh_cross(k->v.ang, rh_sub(point, k->p)));
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  rh_vec3 arm = rh_sub(point, w->body[mobile].x);
  return rh_add(rh_v3(b->v[0], b->v[1], b->v[2]), rh_cross(rh_v3(b->w[0], b->w[1], b->w[2]), arm));
}

// Clips the way x + s d, 0 <= s <= end, to the part between lo and hi along one axis.
static void clip_segment(double x, double d, double lo, double hi, double s[2])
{
  if (d == 0) {
    s[1] = x < lo || x > hi ? -1 : s[1];
    return;
  }
  double in = ((d > 0 ? lo : hi) - x) / d;
  double out = ((d > 0 ? hi : lo) - x) / d;
  s[0] = fmax(s[0], in);
  s[1] = fmin(s[1], out);
}

// Does the way pass a point?
static bool passes_point(const rh_manifold *m, rh_vec3 way)
{
  for (int i = 0; i < m->n; i++) {
    if (rh_dot(m->at[i].normal, way) - m->at[i].depth < 0) {
      return true;
    }
  }
  return false;
}

int rh_step_sweep_heightfield(const rh_step_world *w, const rh_shape_pair *pair, double margin,
                              rh_manifold *m)
{
  const rh_geom *b = &w->search->geom[pair->b];
  const rh_heightfield *f = b->mesh;
  rh_geom a = w->search->geom[pair->a];
  double cell = 0.5 * (f->dx + f->dy);
  rh_vec3 v = rh_sub(velocity_of(w, pair->a, a.p), velocity_of(w, pair->b, a.p));
  double speed = rh_norm(v);
  if (margin <= 2 * cell || speed == 0 || passes_point(m, rh_scale(margin / speed, v))) {
    return m->n;
  }
  rh_vec3 way = rh_scale(margin / speed, v);
  // in the field's frame, the part on which it can touch: the rest is skipped
  rh_vec3 x = rh_unrotate(&b->R, rh_sub(a.p, b->p));
  rh_vec3 d = rh_unrotate(&b->R, way);
  double size = w->m->shape[pair->a].reach + 2 * cell;
  double s[2] = {0, 1};
  clip_segment(x.x, d.x, f->x0 - size, -f->x0 + size, s);
  clip_segment(x.y, d.y, f->y0 - size, -f->y0 + size, s);
  clip_segment(x.z, d.z, f->lo - size, f->hi + size, s);
  double step = cell / margin;
  rh_vec3 start = a.p;
  for (int k = 0; s[0] + (k - 1) * step < s[1]; k++) {
    double at = fmin(s[0] + k * step, s[1]);
    rh_vec3 gone = rh_scale(at, way);
    rh_manifold there;
    a.p = rh_add(start, gone);
    (void)rh_collide(&a, b, 2 * cell, NULL, &there);
    if (passes_point(&there, rh_scale(1 - at, way))) {
      for (int i = 0; i < there.n; i++) {
        there.at[i].point = rh_sub(there.at[i].point, gone);
        there.at[i].depth += rh_dot(there.at[i].normal, gone);
      }
      *m = there;
      break;
    }
  }
  return m->n;
}
