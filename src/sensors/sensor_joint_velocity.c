// Velocity of a degree of freedom of a joint.
#include "sensors.h"

static void read_velocity(const rh_data *d, const rh_model_sensor *s, double *value)
{
  value[0] = d->v[s->dof];
}

extern const rh_sensor_kind rh_sensor_kind_joint_velocity;

const rh_sensor_kind rh_sensor_kind_joint_velocity = {
    .row = {.name = "joint_velocity",
            .cite = "",
            .doc = "velocity of a degree of freedom of a joint"},
    .width = 1,
    .part = {"velocity"},
    .unit = {"joint/s"},
    .of = RH_SENSOR_OF_JOINT,
    .scalar = false,
    .read = read_velocity,
};
