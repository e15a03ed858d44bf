// check_keyframes.c: named starts of a scene. An entry has the coordinates and velocities of one joint, or
// the effort of one actuator, under the name of its keyframe. `run.keyframe` of a file chooses one, which the reader
// has put into the joints and actuators by then (scene_io/language/keyframe.c); a program sets q and v itself.
#include "model/check.h"

#include <math.h>
#include <string.h>

static const rh_keyframe_def *def_of(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_KEYFRAMES, i);
}

static void check_length(rh_check *c, int i, const char *key, int n, int full)
{
  if (n != 0 && n != full) {
    rh_complain(c, RH_SECTION_KEYFRAMES, i, key, "takes %d number%s for this joint, got %d", full,
                full == 1 ? "" : "s", n);
  }
}

static void check_joint(rh_check *c, int i, const rh_keyframe_def *def)
{
  int at = rh_check_reference(c, RH_SECTION_KEYFRAMES, i, "joint", RH_SECTION_JOINTS);
  if (at == RH_NONE) {
    return;
  }
  const rh_joint_def *of = rh_scene_item(c->scene, RH_SECTION_JOINTS, at);
  const rh_joint *kind = rh_joint_find(of->kind.text);
  if (!kind) {
    return; // reported with the joint
  }
  check_length(c, i, "q", def->q.n, kind->nq);
  check_length(c, i, "v", def->v.n, kind->nv);
  if (def->q.n == kind->nq && kind->unit_length) {
    const double *x = def->q.x + kind->nq - 4;
    double length = rh_quat_norm((rh_quat){x[0], x[1], x[2], x[3]});
    if (!(fabs(length - 1) <= RH_QUAT_NEARLY)) {
      rh_complain(c, RH_SECTION_KEYFRAMES, i, "q",
                  "must hold a quaternion of unit length (qw qx qy qz), its length is %.6g",
                  length);
    }
  }
}

// One joint, or one actuator, once in a keyframe
static void check_entry(rh_check *c, int i, const rh_keyframe_def *def)
{
  bool joint = def->joint.text[0] != '\0';
  bool actuator = def->actuator.text[0] != '\0';
  if (joint == actuator) {
    rh_complain(c, RH_SECTION_KEYFRAMES, i, NULL, "must have a joint or an actuator");
    return;
  }
  if (joint) {
    check_joint(c, i, def);
  } else {
    (void)rh_check_reference(c, RH_SECTION_KEYFRAMES, i, "actuator", RH_SECTION_ACTUATORS);
  }
  if (joint && def->effort != 0) {
    rh_complain(c, RH_SECTION_KEYFRAMES, i, "effort", "is that of an actuator");
  }
  if (actuator && (def->q.n > 0 || def->v.n > 0)) {
    rh_complain(c, RH_SECTION_KEYFRAMES, i, def->q.n > 0 ? "q" : "v", "is that of a joint");
  }
}

void rh_check_keyframes(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_KEYFRAMES); i++) {
    check_entry(c, i, def_of(c->scene, i));
  }
}
