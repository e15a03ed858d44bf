// Whether a body, or one of its shapes, is in contact, and by how many points.
#include "sensors.h"

static void read_contact(const rh_data *d, const rh_model_sensor *s, double *value)
{
  value[1] = 0;
  for (int k = 0; k < d->ncontact; k++) {
    value[1] += rh_sensor_feels(s, &d->contact[k]);
  }
  value[0] = value[1] > 0;
}

extern const rh_sensor_kind rh_sensor_kind_contact;

const rh_sensor_kind rh_sensor_kind_contact = {
    .row = {.name = "contact", .cite = "", .doc = "1 in contact, else 0, and the number of points"},
    .width = 2,
    .part = {"on", "count"},
    .unit = {"1", "1"},
    .of = RH_SENSOR_OF_CONTACTS,
    .exact = true,
    .read = read_contact,
};
