// Centre of mass of a walking robot: the motion of zmp.c through the middles of the soles, standing
// ones where they are, the next ones as planned. Its unstable part is the divergent component xi =
// c + c'/w (the capture point); it is fed back to the zero moment point, which the cone programme
// then keeps within the soles:
//   p = p_d + (1 + k/w) (xi - xi_d),   c'' = w^2 (c - p):   (xi - xi_d)' = -k (xi - xi_d)
// so that c'' = c_d'' + k w (c_d - c) + (k + w) (c_d' - c'). Gravity along sloping ground moves c_d
// by g_t/w^2 against it. If the error of xi exceeds the sole, the next step, and with it all that
// follow, is shifted: a change s of all next places moves xi_d by
//   s (exp(-w r) - exp(-w (r + T)))/(w T),   r until their shift begins, T its duration (from
//   zmp.c),
// and s cancels the excess.
#include "walker.h"

#include <math.h>

#define COM_W 10 // weight of the task

static const double grasp[2] = {0.06,
                                0.03};     // [m] of xi, x and y, corrected by the zero moment point
static const double reach[2] = {0.3, 0.2}; // [m] maximum shift of a step
static const double narrow = 0.16;         // [m] minimum distance of the feet sideways
#define SWIFT 0.05                         // [s] duration of the shift

static void fill_places(const rh_pace *p)
{
  for (int k = 0; k <= p->walk.steps + 1; k++) {
    bool both = k == 0 || k == p->walk.steps + 1;
    int before = k == 0 ? 0 : k - 1;
    // step k - 1 is made on the other foot: the first swings the right one
    rh_vec3 left = rh_feet_sole(p, 0, before);
    rh_vec3 right = rh_feet_sole(p, 1, before);
    rh_vec3 one = (k - 1) % 2 == 0 ? left : right;
    rh_vec3 at = both ? rh_scale(0.5, rh_add(left, right)) : one;
    p->place[2 * k] = at.x;
    p->place[2 * k + 1] = at.y;
  }
}

// At the start it leaves from its present place.
static void plan_com(const rh_pace *p, rh_vec3 slope, rh_way com[2])
{
  double point[2];
  const rh_zmp zmp = {.cycle = p->cycle,
                      .shift = p->cycle - p->walk.duration,
                      .omega = p->omega,
                      .legs = p->walk.steps + 1,
                      .place = p->place};
  rh_zmp_com(&zmp, p->t, com, point);
  double stand = p->c->self->par[RH_WALK_STAND];
  rh_way fade = stand > 0 ? rh_cubic(p->t + stand, stand, 1, 0) : (rh_way){0};
  const double lean[2] = {slope.x / (p->omega * p->omega), slope.y / (p->omega * p->omega)};
  for (int axis = 0; axis < 2; axis++) {
    double off = p->w->com[axis] - p->place[axis] + lean[axis];
    com[axis].x += fade.x * off - lean[axis];
    com[axis].v += fade.v * off;
    com[axis].a += fade.a * off;
  }
}

// x and y turned by an angle
static void turn_pair(double angle, const double from[2], double to[2])
{
  double c = rh_cos(angle);
  double s = rh_sin(angle);
  to[0] = c * from[0] - s * from[1];
  to[1] = s * from[0] + c * from[1];
}

// Sideways the swinging foot stays on its side. `s` is along the axes of the next heading.
static double within_reach(const rh_pace *p, double heading, int axis, double s)
{
  int foot = p->step % 2 == 0 ? 1 : 0;
  double side = foot == 0 ? 1 : -1;
  s = fmin(fmax(s, -reach[axis]), reach[axis]);
  if (axis == 1) {
    rh_vec3 to = rh_feet_planned(p, foot, p->step + 1);
    const double *stands = p->w->foot[1 - foot].stand;
    const double away[2] = {to.x - stands[0], to.y - stands[1]};
    double seen[2];
    turn_pair(-heading, away, seen);
    double apart = side * seen[1];
    s = side * fmax(side * s, narrow - apart);
  }
  return s;
}

static void adjust_step_offset(const rh_pace *p, const double off[2])
{
  double swing = p->walk.duration;
  double shift = p->cycle - swing;
  double left = swing - p->into;
  double w = p->omega;
  if (p->into < 0 || p->step >= p->walk.steps ||
      p->w->foot[p->step % 2 == 0].mode != RH_FOOT_SWINGS) {
    return;
  }
  double gain = rh_exp(-w * left) * (1 - rh_exp(-w * shift)) / (w * shift);
  double part = p->c->self->par[RH_WALK_ADJUST] * fmin(p->c->self->period / SWIFT, 1);
  double heading = rh_walk_place(&p->walk, p->step % 2 == 0 ? 1 : 0, p->step + 1).turn;
  double seen[2];
  double s[2];
  turn_pair(-heading, off, seen);
  turn_pair(-heading, p->w->offset, s);
  for (int axis = 0; axis < 2; axis++) {
    double more = fabs(seen[axis]) - grasp[axis];
    double add = more > 0 ? copysign(more, seen[axis]) / gain : 0;
    s[axis] += part * (within_reach(p, heading, axis, s[axis] + add) - s[axis]);
  }
  turn_pair(heading, s, p->w->offset);
}

rh_task rh_com_task(const rh_data *d, const rh_pace *p)
{
  const double *par = p->c->self->par;
  const rh_task now = {.kind = RH_TASK_COM};
  rh_vec3 c = rh_unrotate(&p->G, rh_neg(rh_task_error(d, &now)));
  rh_vec3 v = rh_unrotate(&p->G, rh_task_velocity(d, &now));
  rh_way com[2];
  fill_places(p);
  plan_com(p, rh_unrotate(&p->G, d->model->gravity), com);
  const double off[2] = {c.x - com[0].x + (v.x - com[0].v) / p->omega,
                         c.y - com[1].x + (v.y - com[1].v) / p->omega};
  adjust_step_offset(p, off);
  double kp = par[RH_WALK_KP];
  double kd = 2 * sqrt(kp);
  double k = par[RH_WALK_CAPTURE];
  double high = p->w->com[2] + rh_feet_ground(d, p);
  rh_vec3 a = rh_v3(com[0].a - k * p->omega * (c.x - com[0].x) - (k + p->omega) * (v.x - com[0].v),
                    com[1].a - k * p->omega * (c.y - com[1].x) - (k + p->omega) * (v.y - com[1].v),
                    kp * (high - c.z) - kd * v.z);
  return (rh_task){.kind = RH_TASK_COM,
                   .p = rh_rotate(&p->G, c),
                   .v = rh_rotate(&p->G, v),
                   .a = rh_rotate(&p->G, a),
                   .weight = COM_W};
}
