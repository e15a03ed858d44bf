// compile_actuators.c: the actuators of a checked scene: what they drive, their laws and states.
#include "model/check.h"
#include "model/servo.h"

static int body_place(rh_check *c, const int *place, const char *name)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, name);
  return entry == RH_NONE ? 0 : place[entry];
}

static int joint_place(rh_check *c, const int *place, const char *name) // the body it carries
{
  int entry = rh_check_find(c, RH_SECTION_JOINTS, name);
  const rh_joint_def *joint = rh_scene_item(c->scene, RH_SECTION_JOINTS, entry);
  return body_place(c, place, joint->child.text);
}

// An actuator on bodies counts as one of the joint nearest to them.
static void fill_transmission(rh_check *c, const int *place, const rh_model_body *body,
                              const rh_actuator_def *def, rh_model_actuator *act)
{
  rh_model_transmission *via = &act->via;
  rh_fill_via(via, def);
  act->tendon = rh_check_find(c, RH_SECTION_TENDONS, def->tendon.text);
  if (act->tendon != RH_NONE) {
    act->dof = RH_NONE;
    return;
  }
  if (via->kind != RH_VIA_BODY) {
    via->body = joint_place(c, place, def->joint.text);
    act->dof = body[via->body].vadr + def->dof;
    return;
  }
  via->body = body_place(c, place, def->body.text);
  via->to = body_place(c, place, def->to.text);
  int at = via->body;
  while (at > 0 && body[at].nv == 0) {
    at = body[at].parent;
  }
  act->dof = body[at].vadr;
}

void rh_compile_actuators(rh_check *c, const int *place, const rh_model_body *body, int n,
                          rh_model_actuator *actuator)
{
  int states = 0;
  for (int i = 0; i < n; i++) {
    const rh_actuator_def *def = rh_scene_item(c->scene, RH_SECTION_ACTUATORS, i);
    rh_model_actuator *act = &actuator[i];
    fill_transmission(c, place, body, def, act);
    act->state = def->dynamics == RH_DYNAMICS_NONE ? RH_NONE : states++;
    act->command = (rh_command){def->effort, def->kp,    def->kd, rh_target_of(&def->target),
                                def->rate,   def->accel, 0};
    rh_fill_servo(act, def);
  }
}
