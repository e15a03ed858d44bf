// device_block.c: sensors and tendons for the page: where they are, as JSON; and of each frame the points of the
// tendons' paths and the readings of the sensors.
#include "base/json.h"
#include "multibody/multibody.h"
#include "sensors/sensors.h"
#include "viewer.h"

static void put_sensor(rh_json *json, const rh_model *m, int i, int first)
{
  const rh_model_sensor *s = &m->sensors.of[i];
  const double p[3] = {s->place.p.x, s->place.p.y, s->place.p.z};
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_SENSOR, i));
  rh_json_string(json, "kind", s->kind->row.name);
  rh_json_integer(json, "body", s->body);
  rh_json_integer(json, "shape", s->shape);
  rh_json_numbers(json, "at", p, 3);
  rh_json_numbers(json, "turn", s->place.R.m, 9);
  rh_json_integer(json, "first", first);
  rh_json_integer(json, "width", s->kind->width);
  rh_json_close(json);
}

void rh_viewer_devices_put(rh_json *json, const rh_model *model)
{
  const rh_model *m = model;
  int first = 0; // of the numbers of a frame
  rh_json_open_array(json, "tendons");
  for (int i = 0; i < m->tendons.n; i++) {
    int *piece = rh_alloc((size_t)(m->tendons.of[i].npart + 1) * sizeof *piece);
    int n = piece != NULL ? rh_tendon_pieces(m, i, piece) : 0;
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_TENDON, i));
    rh_json_integer(json, "first", first);
    rh_json_open_array(json, "pieces");
    for (int k = 0; k < n; k++) {
      rh_json_integer(json, NULL, piece[k]);
    }
    rh_json_close(json);
    rh_json_close(json);
    first += 3 * rh_tendon_path_size(m, i);
    rh_free(piece);
  }
  rh_json_close(json);
  rh_json_open_array(json, "sensors");
  for (int i = 0; i < m->sensors.n; i++) {
    put_sensor(json, m, i, first);
    first += m->sensors.of[i].kind->width;
  }
  rh_json_close(json);
}

void rh_viewer_add_devices(rh_text *out, const rh_data *data)
{
  const rh_model *m = data->model;
  for (int i = 0; i < m->tendons.n; i++) {
    int n = rh_tendon_path_size(m, i);
    rh_vec3 *point = n > 0 ? rh_alloc((size_t)n * sizeof *point) : NULL;
    out->failed = out->failed || (n > 0 && point == NULL);
    if (point != NULL) {
      rh_tendon_path(data, i, point);
    }
    for (int k = 0; point != NULL && k < n; k++) {
      rh_viewer_put_f32(out, point[k].x);
      rh_viewer_put_f32(out, point[k].y);
      rh_viewer_put_f32(out, point[k].z);
    }
    rh_free(point);
  }
  for (int i = 0; i < m->sensors.n; i++) {
    for (int k = 0; k < m->sensors.of[i].kind->width; k++) {
      rh_viewer_put_f32(out, rh_sensor_value(data, i, k));
    }
  }
}
