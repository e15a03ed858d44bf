// Support of a robot: the contact points of its slots, with normals into the robot.
#include "control.h"

#include <math.h>

static rh_vec3 unit_tangent(rh_vec3 n)
{
  rh_vec3 x = fabs(n.x) < 0.7 ? rh_v3(1, 0, 0) : rh_v3(0, 1, 0);
  rh_vec3 t = rh_addscaled(x, -rh_dot(x, n), n);
  return rh_scale(1 / rh_norm(t), t);
}

rh_support rh_support_find(const rh_data *d, int without, double mu, rh_footing *footing)
{
  const rh_model *m = d->model;
  rh_support support = {.point = footing->point, .frame = footing->frame, .mu = mu};
  int used = rh_slots_used(d);
  for (int i = 0; i < used && support.n < RH_SUPPORT_MAX; i++) {
    const rh_slot *s = &d->slot[i];
    if (s->used == 0) {
      continue;
    }
    int a = m->shape[(int)s->a].body;
    int b = m->shape[(int)s->b].body;
    bool first = m->body[a].tree != 0; // a moves
    int body = first ? a : b;
    if (first == (m->body[b].tree != 0) || body == without) {
      continue;
    }
    const rh_kin_body *home = &d->kin[b];
    const rh_kin_body *k = &d->kin[body];
    rh_vec3 at = rh_add(home->p, rh_rotate(&home->R, rh_v3(s->at[0], s->at[1], s->at[2])));
    rh_vec3 n = rh_rotate(&home->R, rh_v3(s->n[0], s->n[1], s->n[2]));
    n = first ? n : rh_neg(n);
    rh_vec3 t1 = unit_tangent(n);
    rh_vec3 t2 = rh_cross(n, t1);
    footing->id[support.n] = (int)s->id;
    footing->point[support.n] = (rh_model_point){body, rh_unrotate(&k->R, rh_sub(at, k->p))};
    footing->frame[support.n++] = (rh_mat3){{t1.x, t1.y, t1.z, t2.x, t2.y, t2.z, n.x, n.y, n.z}};
  }
  return support;
}

rh_mat3 rh_ground_axes(const rh_data *d, int body, const rh_mat3 *frame)
{
  const double *f = frame->m;
  rh_vec3 n = rh_v3(f[6], f[7], f[8]);
  rh_vec3 ahead = rh_rotate(&d->kin[body].R, rh_v3(1, 0, 0));
  rh_vec3 x = rh_addscaled(ahead, -rh_dot(ahead, n), n);
  double size = rh_norm(x);
  x = size > 0 ? rh_scale(1 / size, x) : rh_v3(f[0], f[1], f[2]);
  rh_vec3 y = rh_cross(n, x);
  return (rh_mat3){{x.x, y.x, n.x, x.y, y.y, n.y, x.z, y.z, n.z}};
}

rh_vec3 rh_kept(const double x[3])
{
  return rh_v3(x[0], x[1], x[2]);
}

void rh_keep(double x[3], rh_vec3 v)
{
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
}
