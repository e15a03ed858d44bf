// servo.h: actuators and drag of a compiled scene: limits, transmission, and the law of servos.
#ifndef ROUTH_MODEL_SERVO_H
#define ROUTH_MODEL_SERVO_H

#include <routh/model.h>
#include <routh/scene.h>

static inline void rh_fill_range(const rh_list *range, double *lo, double *hi) // none: unlimited
{
  *lo = range->n == 2 ? range->x[0] : -HUGE_VAL;
  *hi = range->n == 2 ? range->x[1] : HUGE_VAL;
}

static inline void rh_fill_drag(const rh_body_def *def, rh_model_drag *drag)
{
  for (int i = 0; i < 3; i++) {
    drag->side[i] = def->drag.n == 3 ? def->drag.x[i] : 0;
  }
  drag->R = rh_rpy_matrix(def->drag_rpy[0], def->drag_rpy[1], def->drag_rpy[2]);
}

static inline rh_xform rh_fill_end(const double *at, const double *rpy)
{
  return (rh_xform){rh_rpy_matrix(rpy[0], rpy[1], rpy[2]), {at[0], at[1], at[2]}};
}

static inline void rh_fill_via(rh_model_transmission *via, const rh_actuator_def *def)
{
  via->kind = def->body.text[0] ? RH_VIA_BODY : def->axis.n > 0 ? RH_VIA_JOINT : RH_VIA_DOF;
  via->carried = def->axes == 1;
  via->end = rh_fill_end(def->at, def->rpy);
  via->to_end = rh_fill_end(def->to_at, def->to_rpy);
  for (int i = 0; i < 6; i++) {
    via->axis[i] = i < def->axis.n ? def->axis.x[i] : 0;
  }
}

static inline double rh_target_of(const rh_list *target)
{
  return target->n == 1 ? target->x[0] : (double)NAN;
}

static inline bool rh_is_servo(const rh_actuator_def *def)
{
  return def->gain.n > 0 || def->bias.n > 0;
}

static inline bool rh_outside_limits(double x, const rh_list *limits)
{
  return limits->n == 2 && (x < limits->x[0] || x > limits->x[1]);
}

static inline void rh_fill_servo(rh_model_actuator *act, const rh_actuator_def *def)
{
  act->servo = rh_is_servo(def);
  act->gear = def->gear;
  for (int i = 0; i < 3; i++) {
    act->gain[i] = i < def->gain.n ? def->gain.x[i] : 0;
    act->bias[i] = i < def->bias.n ? def->bias.x[i] : 0;
  }
  act->dynamics = def->dynamics;
  act->time_constant = def->time_constant;
  act->ki = def->ki;
  act->stall = def->stall;
  act->no_load_speed = def->no_load_speed;
  rh_fill_range(&def->state_range, &act->state_lo, &act->state_hi);
  rh_fill_range(&def->limits, &act->lo, &act->hi);
  rh_fill_range(&def->control_range, &act->control_lo, &act->control_hi);
}

#endif
