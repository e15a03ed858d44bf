// trajectories.c: values over time that drive actuators: what is refused, and the rows in the model.
#include "model/check.h"
#include "model/servo.h"

#include <math.h>
#include <string.h>

static const rh_trajectory_def *def_of(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_TRAJECTORIES, i);
}

static void check_values(rh_check *c, int i, const rh_trajectory_def *def)
{
  const rh_numbers *x = &def->values;
  if (x->n == 0 || x->n % 2 != 0) {
    rh_complain(c, RH_SECTION_TRAJECTORIES, i, "values",
                "must be rows of 2 numbers: time and value");
    return;
  }
  for (int k = 2; k < x->n; k += 2) {
    if (!(x->x[k] > x->x[k - 2])) {
      rh_complain(c, RH_SECTION_TRAJECTORIES, i, "values",
                  "must have increasing times: row %d has not, %g s after %g s", k / 2 + 1, x->x[k],
                  x->x[k - 2]);
      return;
    }
  }
  if (def->periodic && x->n < 4) {
    rh_complain(c, RH_SECTION_TRAJECTORIES, i, "periodic", "needs two rows or more");
  }
}

static void check_actuator(rh_check *c, int i, const rh_trajectory_def *def)
{
  int actuator =
      rh_check_reference(c, RH_SECTION_TRAJECTORIES, i, "actuator", RH_SECTION_ACTUATORS);
  if (actuator == RH_NONE) {
    return;
  }
  const rh_actuator_def *a = rh_scene_item(c->scene, RH_SECTION_ACTUATORS, actuator);
  bool follows = a->kp != 0 || a->kd != 0 || a->ki != 0;
  if (!rh_is_servo(a) && (!follows || a->target.n > 0)) {
    rh_complain(c, RH_SECTION_TRAJECTORIES, i, "actuator",
                "must be a servo, or have gains (kp, kd, ki) and no target of its own");
  }
  for (int k = 0; k < i; k++) {
    if (strcmp(def_of(c->scene, k)->actuator.text, def->actuator.text) == 0) {
      rh_complain(c, RH_SECTION_TRAJECTORIES, i, "actuator", "has a trajectory already");
      return;
    }
  }
}

void rh_check_trajectories(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_TRAJECTORIES); i++) {
    const rh_trajectory_def *def = def_of(c->scene, i);
    if (def->file.text[0] != '\0') {
      rh_complain(c, RH_SECTION_TRAJECTORIES, i, "file", "was not read: give the rows as `values`");
      continue;
    }
    check_actuator(c, i, def);
    check_values(c, i, def);
  }
}

int rh_trajectories_count(const rh_scene *scene)
{
  int n = 0;
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_TRAJECTORIES); i++) {
    n += def_of(scene, i)->values.n;
  }
  return n;
}

void rh_trajectories_fill(rh_check *c, rh_model_actuator *actuator, double *track)
{
  int used = 0;
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_TRAJECTORIES); i++) {
    const rh_trajectory_def *def = def_of(c->scene, i);
    rh_model_actuator *a = &actuator[rh_check_find(c, RH_SECTION_ACTUATORS, def->actuator.text)];
    memcpy(track + used, def->values.x, (size_t)def->values.n * sizeof *track);
    a->track.row = track + used;
    a->track.n = def->values.n / 2;
    a->track.periodic = def->periodic;
    a->track.from = def->from;
    used += def->values.n;
  }
}
