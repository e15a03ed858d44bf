// Force and torque that a joint transmits from the parent to the body that it carries, at a point of
// that body and in the sensor's axes: what gives all bodies beyond the joint their motion, less
// gravity, contacts, loops and external forces on them (Newton's and Euler's laws). Actuators, springs
// and tendons count as parts of the joints that they act on.
#include "sensors.h"

#include "multibody/multibody.h"

static bool is_carried(const rh_model *m, int body, int by)
{
  while (body > by) {
    body = m->body[body].parent;
  }
  return body == by;
}

static void read_wrench(const rh_data *d, const rh_model_sensor *s, double *value)
{
  const rh_model *m = d->model;
  rh_xform at = rh_sensor_frame(d, s);
  rh_force sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = s->body; i < m->nbody; i++) {
    if (!is_carried(m, i, s->body)) {
      continue;
    }
    rh_motion a = rh_sensor_acceleration(d, i);
    a.lin = rh_sub(a.lin, m->gravity);
    rh_force f = rh_body_force(&d->kin[i], a);
    f.lin = rh_sub(f.lin, d->control.felt[i].lin);
    f.ang = rh_sub(f.ang, d->control.felt[i].ang);
    f.ang = rh_add(f.ang, rh_cross(rh_sub(d->kin[i].p, at.p), f.lin));
    sum = rh_force_add(sum, f);
  }
  rh_sensor_put(rh_unrotate(&at.R, sum.lin), value);
  rh_sensor_put(rh_unrotate(&at.R, sum.ang), value + 3);
}

extern const rh_sensor_kind rh_sensor_kind_force_torque;

const rh_sensor_kind rh_sensor_kind_force_torque = {
    .row = {.name = "force_torque",
            .cite = "",
            .doc = "force and torque of a joint on the body that it carries"},
    .width = 6,
    .part = {"fx", "fy", "fz", "tx", "ty", "tz"},
    .unit = {"N", "N", "N", "N m", "N m", "N m"},
    .of = RH_SENSOR_OF_JOINT,
    .motion = true,
    .forces = true,
    .read = read_wrench,
};
