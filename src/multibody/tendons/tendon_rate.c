// tendon_rate.c: what the change of the gradient adds to the second rate of a tendon's length, dJ/dt v: with
// it a held length is a row of forward dynamics. Straight parts have it in closed form; where the path meets a
// surface, the places move along it, and their rates are differences over a short way along the motion.
#include "tendons.h"

#include <math.h>

typedef struct end { // of a straight part
  int body;
  rh_vec3 p, v; // [m], [m/s] of the place, which may move along its body
} end;

// Acceleration along u of a point of a body that the place `e` is at, without accelerations of the joints,
// and what the change du/dt of u adds
static double end_bias(const rh_data *d, const end *e, rh_vec3 u, rh_vec3 du)
{
  const rh_kin_body *k = &d->kin[e->body];
  rh_vec3 r = rh_sub(e->p, k->p);
  rh_vec3 v = rh_add(k->v.lin, rh_cross(k->v.ang, r));
  rh_vec3 a =
      rh_add(k->c.lin, rh_add(rh_cross(k->c.ang, r), rh_cross(k->v.ang, rh_sub(e->v, k->v.lin))));
  return e->body == 0 ? 0 : rh_dot(u, a) + rh_dot(du, v);
}

static double straight_bias(const rh_data *d, const end *from, const end *to)
{
  rh_vec3 way = rh_sub(to->p, from->p);
  rh_vec3 dv = rh_sub(to->v, from->v);
  double size = rh_norm(way);
  if (from->body == to->body || !(size > 0)) {
    return 0;
  }
  rh_vec3 u = rh_scale(1 / size, way);
  rh_vec3 du = rh_scale(1 / size, rh_addscaled(dv, -rh_dot(dv, u), u));
  return end_bias(d, to, u, du) - end_bias(d, from, u, du);
}

static end point_end(const rh_data *d, const rh_model_tendon_part *part)
{
  return (end){part->body, rh_point_position(d, part->body, part->frame.p),
               rh_point_velocity(d, part->body, part->frame.p)};
}

// The path past a surface after the time h, along the present velocities
static bool path_after(const rh_data *d, const rh_model_tendon_part *part, double h,
                       rh_wrap_result *wrap)
{
  const rh_kin_body *b = &d->kin[part[1].body];
  end x = point_end(d, &part[0]);
  end y = point_end(d, &part[2]);
  end o = point_end(d, &part[1]);
  rh_mat3 turn = rh_quat_matrix(rh_quat_exp(rh_scale(h, b->v.ang)));
  rh_mat3 R = rh_mat3_mul(&b->R, &part[1].frame.R);
  rh_wrap_round round = {.sphere = part[1].kind == RH_TENDON_SPHERE,
                         .frame = {rh_mat3_mul(&turn, &R), rh_addscaled(o.p, h, o.v)},
                         .radius = part[1].radius,
                         .has_side = part[1].side_body != RH_NONE};
  if (round.has_side) {
    int body = part[1].side_body;
    round.side = rh_addscaled(rh_point_position(d, body, part[1].side), h,
                              rh_point_velocity(d, body, part[1].side));
  }
  return rh_wrap_path(&round, rh_addscaled(x.p, h, x.v), rh_addscaled(y.p, h, y.v), wrap);
}

static double wrapped_bias(const rh_data *d, const rh_model_tendon_part *part)
{
  static const double WAY = 1e-5; // of the radius: the error is its square, and rounding over it
  end from = point_end(d, &part[0]);
  end to = point_end(d, &part[2]);
  end on[2];
  rh_wrap_result now;
  rh_wrap_result after;
  rh_wrap_result before;
  if (!path_after(d, part, 0, &now)) {
    return straight_bias(d, &from, &to);
  }
  double fast = rh_norm(from.v) + rh_norm(to.v) + rh_norm(point_end(d, &part[1]).v) +
                part[1].radius * rh_norm(d->kin[part[1].body].v.ang);
  double h = fast > 0 ? WAY * part[1].radius / fast : 0;
  bool moves = h > 0 && path_after(d, part, h, &after) && path_after(d, part, -h, &before);
  for (int i = 0; i < 2; i++) {
    rh_vec3 v = moves ? rh_scale(0.5 / h, rh_sub(after.at[i], before.at[i])) : rh_v3(0, 0, 0);
    on[i] = (end){part[1].body, now.at[i], v};
  }
  return straight_bias(d, &from, &on[0]) + straight_bias(d, &on[1], &to);
}

double rh_tendon_bias(const rh_data *d, int index)
{
  const rh_model_tendon *t = &d->model->tendons.of[index];
  const rh_model_tendon_part *part = d->model->tendons.part + t->part;
  double divisor = 1;
  double sum = 0;
  for (int i = 0; i < t->npart && !t->sum; i++) {
    if (part[i].kind == RH_TENDON_PULLEY) {
      divisor = part[i].divisor;
    } else if (part[i].kind == RH_TENDON_POINT && i + 1 < t->npart) {
      if (part[i + 1].kind == RH_TENDON_POINT) {
        end from = point_end(d, &part[i]);
        end to = point_end(d, &part[i + 1]);
        sum += straight_bias(d, &from, &to) / divisor;
      } else if (part[i + 1].kind != RH_TENDON_PULLEY) {
        sum += wrapped_bias(d, &part[i++]) / divisor;
      }
    }
  }
  return sum;
}
