// Actuators: what they drive, the law of servos, states, limits.
#include "model/check.h"
#include "model/kinds.h"
#include "model/servo.h"

#include <string.h>

static void check_servo(rh_check *c, int i, const rh_actuator_def *a, const rh_joint *joint)
{
  const rh_list *range = &a->control_range;
  if (range->n != 0 && (range->n != 2 || !(range->x[0] <= range->x[1]))) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "control_range",
                "must be two numbers, the least control first");
  }
  if (!rh_is_servo(a) && (a->gear != 1 || range->n != 0)) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, a->gear != 1 ? "gear" : "control_range",
                "is for a servo, which has gain or bias");
  }
  if (rh_is_servo(a) && joint && !joint->scalar && a->axis.n == 0) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "gain",
                "and bias need a joint with scalar coordinates");
  }
}

// The joint that an actuator drives; NULL: it pulls at a tendon, acts on a body, or refers to nothing
static const rh_joint *driven_joint(rh_check *c, int i, const rh_actuator_def *a)
{
  bool tendon = a->tendon.text[0] != 0;
  bool joint = a->joint.text[0] != 0;
  bool body = a->body.text[0] != 0;
  if (tendon + joint + body != 1) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, NULL, "needs one of joint, tendon and body");
    return NULL;
  }
  if (joint) {
    return rh_check_joint(c, RH_SECTION_ACTUATORS, i, "joint", a->dof);
  }
  if (tendon) {
    (void)rh_check_reference(c, RH_SECTION_ACTUATORS, i, "tendon", RH_SECTION_TENDONS);
  }
  if (tendon && rh_scene_count(c->scene, RH_SECTION_CONTROLLERS) > 0) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "tendon",
                "is not for a scene with controllers: these drive joints only");
  }
  return NULL;
}

// The joint that carries a body; RH_NONE: none.
static int carrier_of(const rh_check *c, const char *body)
{
  int found = RH_NONE;
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_JOINTS) && found == RH_NONE; i++) {
    const rh_joint_def *j = rh_scene_item(c->scene, RH_SECTION_JOINTS, i);
    found = strcmp(j->child.text, body) == 0 ? i : RH_NONE;
  }
  return found;
}

static bool body_moves(const rh_check *c, const char *body)
{
  int left = rh_scene_count(c->scene, RH_SECTION_JOINTS); // a ring is refused elsewhere
  for (int at = carrier_of(c, body); at != RH_NONE && left > 0; left--) {
    const rh_joint_def *j = rh_scene_item(c->scene, RH_SECTION_JOINTS, at);
    const rh_joint *kind = rh_joint_find(j->kind.text);
    if (!kind || kind->nv > 0) {
      return true;
    }
    at = carrier_of(c, j->parent.text);
  }
  return false;
}

// An actuator on a body.
static void check_action_on_body(rh_check *c, int i, const rh_actuator_def *a)
{
  const rh_run_def *run = rh_scene_item(c->scene, RH_SECTION_RUN, 0);
  const rh_engine *engine = rh_engine_of(run);
  int at = rh_check_reference(c, RH_SECTION_ACTUATORS, i, "body", RH_SECTION_BODIES);
  if (at != RH_NONE && !body_moves(c, a->body.text)) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "body", "must be a body that moves");
  }
  if (a->axis.n != 6) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "axis", "must be six numbers: force, torque");
  }
  if (a->to.text[0]) {
    (void)rh_check_reference(c, RH_SECTION_ACTUATORS, i, "to", RH_SECTION_BODIES);
  }
  if (a->to.text[0] && engine && !engine->located) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "to", "needs the engine event");
  }
}

static void check_transmission(rh_check *c, int i, const rh_actuator_def *a, const rh_joint *joint)
{
  bool several = a->axis.n > 0 || a->body.text[0];
  if (a->body.text[0]) {
    check_action_on_body(c, i, a);
  } else if (joint && a->axis.n > 0 && (joint->scalar || a->axis.n != joint->nv)) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "axis",
                "is for a ball joint (3 numbers) and a free joint (6 numbers)");
  }
  if (a->tendon.text[0] && a->axis.n > 0) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "axis", "is not for a tendon");
  }
  if (a->to.text[0] && !a->body.text[0]) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "to", "is for an actuator on a body");
  }
  if (several && (a->kp != 0 || a->kd != 0 || a->ki != 0 || a->stall != 0)) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, a->stall != 0 ? "stall" : "kp",
                "is for an actuator of one degree of freedom");
  }
}

static void check_dynamics(rh_check *c, int i, const rh_actuator_def *a, const rh_joint *joint)
{
  const rh_list *range = &a->state_range;
  bool integral = a->dynamics == RH_DYNAMICS_INTEGRAL;
  if (range->n != 0 && (range->n != 2 || !(range->x[0] <= range->x[1]))) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "state_range",
                "must be two numbers, the least state first");
  }
  if (a->dynamics != RH_DYNAMICS_NONE && !integral && !rh_is_servo(a)) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "dynamics", "needs a servo, which has gain or bias");
  }
  if (integral && joint && !joint->scalar) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "dynamics",
                "integral needs a joint with scalar coordinates");
  }
  if ((a->ki != 0) != integral) {
    rh_complain(c, RH_SECTION_ACTUATORS, i, "ki", "and dynamics: integral belong together");
  }
}

void rh_check_actuators(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_ACTUATORS); i++) {
    const rh_actuator_def *a = rh_scene_item(c->scene, RH_SECTION_ACTUATORS, i);
    const rh_joint *joint = driven_joint(c, i, a);
    check_transmission(c, i, a, joint);
    check_dynamics(c, i, a, joint);
    if (joint && !joint->scalar && (a->kp != 0 || a->kd != 0)) {
      rh_complain(c, RH_SECTION_ACTUATORS, i, "kp", "and kd need a joint with scalar coordinates");
    }
    check_servo(c, i, a, joint);
    if (a->limits.n != 0 && (a->limits.n != 2 || !(a->limits.x[0] <= a->limits.x[1]))) {
      rh_complain(c, RH_SECTION_ACTUATORS, i, "limits",
                  "must be two numbers, the least effort first");
    } else if (!rh_is_servo(a) && rh_outside_limits(a->effort, &a->limits)) {
      rh_complain(c, RH_SECTION_ACTUATORS, i, "effort", "must lie within the limits, got %g",
                  a->effort);
    }
  }
}
