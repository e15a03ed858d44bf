// Inertial measurement unit: acceleration of a point less gravity, and angular velocity, both in the
// sensor's axes. At rest it reads g upward.
#include "sensors.h"

static void read_imu(const rh_data *d, const rh_model_sensor *s, double *value)
{
  rh_xform at = rh_sensor_frame(d, s);
  rh_motion a = rh_sensor_acceleration(d, s->body);
  rh_vec3 w = d->kin[s->body].v.ang;
  rh_vec3 arm = rh_sub(at.p, d->kin[s->body].p);
  rh_vec3 spin = rh_add(rh_cross(a.ang, arm), rh_cross(w, rh_cross(w, arm)));
  rh_vec3 felt = rh_sub(rh_add(a.lin, spin), d->model->gravity);
  rh_sensor_put(rh_unrotate(&at.R, felt), value);
  rh_sensor_put(rh_unrotate(&at.R, w), value + 3);
}

extern const rh_sensor_kind rh_sensor_kind_imu;

const rh_sensor_kind rh_sensor_kind_imu = {
    .row = {.name = "imu",
            .cite = "",
            .doc = "acceleration of a point of a body less gravity, and angular velocity"},
    .width = 6,
    .part = {"ax", "ay", "az", "wx", "wy", "wz"},
    .unit = {"m/s^2", "m/s^2", "m/s^2", "rad/s", "rad/s", "rad/s"},
    .of = RH_SENSOR_OF_BODY,
    .motion = true,
    .read = read_imu,
};
