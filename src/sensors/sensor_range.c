// Distance along the sensor's z axis to the nearest shape of another body; -1 where there is none
// within the parameter `max`.
#include "sensors.h"

#include "geometry/rays/ray.h"
#include "model/layout.h"

#include <math.h>

static void read_range(const rh_data *d, const rh_model_sensor *s, double *value)
{
  rh_xform at = rh_sensor_frame(d, s);
  rh_vec3 along = rh_v3(at.R.m[2], at.R.m[5], at.R.m[8]);
  double nearest = s->par[0];
  bool found = false;
  for (int i = 0; i < d->model->nshape; i++) {
    if (d->model->shape[i].body == s->body) {
      continue;
    }
    rh_geom g = rh_shape_placed(d, i);
    double range = rh_ray_cast(&g, at.p, along, nearest);
    found = found || range <= nearest;
    nearest = fmin(nearest, range);
  }
  value[0] = found ? nearest : -1;
}

extern const rh_sensor_kind rh_sensor_kind_range;

static const rh_param param[] = {{.name = "max",
                                  .unit = "m",
                                  .def = 100,
                                  .lo = 0,
                                  .hi = 1e6,
                                  .doc = "greatest distance; -1 is read beyond it"}};

const rh_sensor_kind rh_sensor_kind_range = {
    .row = {"range", "", "distance along the z axis of its frame to the nearest shape", param,
            RH_COUNT(param)},
    .width = 1,
    .part = {"distance"},
    .unit = {"m"},
    .of = RH_SENSOR_OF_BODY,
    .finds = true,
    .read = read_range,
};
