// servo.h: actuators of a compiled scene: limits, and the law of servos.
#ifndef ROUTH_MODEL_SERVO_H
#define ROUTH_MODEL_SERVO_H

#include <routh/model.h>
#include <routh/scene.h>

static inline void rh_fill_range(const rh_list *range, double *lo, double *hi) // none: unlimited
{
  *lo = range->n == 2 ? range->x[0] : -HUGE_VAL;
  *hi = range->n == 2 ? range->x[1] : HUGE_VAL;
}

static inline void rh_fill_servo(rh_model_actuator *act, const rh_actuator_def *def)
{
  act->servo = def->gain.n > 0 || def->bias.n > 0;
  act->gear = def->gear;
  for (int i = 0; i < 3; i++) {
    act->gain[i] = i < def->gain.n ? def->gain.x[i] : 0;
    act->bias[i] = i < def->bias.n ? def->bias.x[i] : 0;
  }
  rh_fill_range(&def->limits, &act->lo, &act->hi);
  rh_fill_range(&def->control_range, &act->control_lo, &act->control_hi);
}

#endif
