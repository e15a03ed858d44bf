// Sum of the normal forces of all contacts of a body, or of one of its shapes.
#include "sensors.h"

static void read_touch(const rh_data *d, const rh_model_sensor *s, double *value)
{
  value[0] = 0;
  for (int k = 0; k < d->ncontact; k++) {
    value[0] += rh_sensor_feels(s, &d->contact[k]) ? d->contact[k].normal : 0;
  }
}

extern const rh_sensor_kind rh_sensor_kind_touch;

const rh_sensor_kind rh_sensor_kind_touch = {
    .row = {.name = "touch", .cite = "", .doc = "sum of the normal forces on a body or a shape"},
    .width = 1,
    .part = {"force"},
    .unit = {"N"},
    .of = RH_SENSOR_OF_CONTACTS,
    .forces = true,
    .read = read_touch,
};
