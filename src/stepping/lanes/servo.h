// servo.h: what actuators do to their degrees of freedom in lanes: rh_actuator_effort (multibody/loads.c) and
// forces_actuator (articulated_motion.c), their operations in their order. Each world has its own commands.
#ifndef ROUTH_STEPPING_LANES_SERVO_H
#define ROUTH_STEPPING_LANES_SERVO_H

#include "scratch.h"

typedef struct lane_command { // as rh_command
  num effort, kp, kd, target, rate, accel, since, asked;
} lane_command;

LANE_FN lane_command command_of(const num *x, int actuator)
{
  const num *c = x + LANE_COMMAND + LANE_COMMAND_SIZE * actuator;
  lane_command k;
  k.effort = c[0];
  k.kp = c[1];
  k.kd = c[2];
  k.target = c[3];
  k.rate = c[4];
  k.accel = c[5];
  k.since = c[6];
  k.asked = c[7];
  return k;
}

LANE_FN num servo_effort(const lane_actuator *a, num control, num q, num v)
{
  num u = n_lesser(n_greater(control, n_all(a->control_lo)), n_all(a->control_hi));
  num l = n_all(a->gear) * q;
  num w = n_all(a->gear) * v;
  num gain = n_all(a->gain[0]) + n_all(a->gain[1]) * l + n_all(a->gain[2]) * w;
  return n_all(a->gear) *
         (gain * u + n_all(a->bias[0]) + n_all(a->bias[1]) * l + n_all(a->bias[2]) * w);
}

LANE_FN num limit_by_speed(const lane_actuator *a, num effort, num v)
{
  const num zero = n_all(0);
  num share = v / n_all(a->no_load_speed);
  num most = n_greater(n_all(a->stall) * (n_all(1) - share), zero);
  num least = n_lesser(n_all(-a->stall) * (n_all(1) + share), zero);
  return n_lesser(n_greater(effort, least), most);
}

// Of a command at time `now`
LANE_FN num actuator_effort(const lane_actuator *a, const lane_command *c, num q, num v, num now)
{
  const num zero = n_all(0);
  num effort = c->effort;
  if (a->servo) {
    effort = servo_effort(a, c->effort, q, v);
  }
  mask gains = m_not(m_and(n_same(c->kp, zero), n_same(c->kd, zero)));
  num t = now - c->since;
  num rate = c->rate + c->accel * t;
  num target = c->target + (c->rate + n_all(0.5) * c->accel * t) * t;
  num held = effort + c->kp * (target - q);
  held = held + c->kd * (rate - v);
  effort = n_pick(gains, held, effort) + c->asked;
  effort = n_lesser(n_greater(effort, n_all(a->lo)), n_all(a->hi));
  return a->stall > 0 ? limit_by_speed(a, effort, v) : effort;
}

// Adds to s->joint, s->soft: efforts, and gains at their end values. `part`: see find_joint_forces
LANE_FN void add_efforts(const lane_table *t, lane_scratch *s, const num *x, const num *q, double h,
                         double part)
{
  const num zero = n_all(0);
  const num reach = n_all(h * part);
  for (int j = 0; j < t->ndof; j++) {
    s->effort[j] = s->grip[j] = zero;
  }
  for (int i = 0; i < t->nact; i++) {
    const lane_actuator *a = &t->act[i];
    const lane_command c = command_of(x, i);
    num v = s->v[a->dof];
    num effort = actuator_effort(a, &c, q[a->q], v, x[LANE_T]);
    if (a->stall == 0) {
      mask inside = m_and(n_over(effort, n_all(a->lo)), n_over(n_all(a->hi), effort));
      num speed = c.rate + c.accel * (x[LANE_T] - c.since) - (part == 1 ? v : zero);
      num gain = c.kd + reach * c.kp;
      effort = n_pick(inside, effort + reach * c.kp * speed, effort);
      s->grip[a->dof] = n_pick(inside, s->grip[a->dof] + n_all(part) * gain, s->grip[a->dof]);
      s->soft[a->dof] = n_pick(inside, s->soft[a->dof] + reach * gain, s->soft[a->dof]);
    }
    s->effort[a->dof] = s->effort[a->dof] + effort;
    s->joint[a->dof] = s->joint[a->dof] + effort;
  }
}

// [W] of them by the mean velocity of a degree of freedom that changes by `change`
LANE_FN num driven_power(const lane_scratch *s, int j, num change, num mean)
{
  return (s->effort[j] - s->grip[j] * change) * mean;
}

#endif
