// Position of a degree of freedom of a joint.
#include "sensors.h"

static void read_position(const rh_data *d, const rh_model_sensor *s, double *value)
{
  value[0] = d->q[d->model->dof[s->dof].coord];
}

extern const rh_sensor_kind rh_sensor_kind_joint_position;

const rh_sensor_kind rh_sensor_kind_joint_position = {
    .row = {.name = "joint_position",
            .cite = "",
            .doc = "coordinate of a joint with one per degree of freedom"},
    .width = 1,
    .part = {"position"},
    .unit = {"joint"},
    .of = RH_SENSOR_OF_JOINT,
    .scalar = true,
    .read = read_position,
};
