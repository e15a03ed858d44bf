// sensors.h: private interface of the folder: readings of a world's sensors. A sensor without a rate
// is a function of the present state; one with a rate has its samples in the restart state.
#ifndef ROUTH_SENSORS_SENSORS_H
#define ROUTH_SENSORS_SENSORS_H

#include <routh/data.h>
#include <routh/kind.h>

// Accelerations d->a of the motion, or of the last step, and all forces on bodies but weight in
// d->control.felt. [evaluate of the engine]
void rh_sensors_prepare(rh_data *d);
// Value `part` of a sensor: of the present state [prepare], or of the newest sample that has arrived.
double rh_sensor_value(const rh_data *d, int index, int part);
double rh_sensors_next(const rh_data *d); // [s] time of the next sample; infinite: none
// Takes the samples that are due at *d->t. `view` is a second world of the model, whose stages are
// computed, so that those of `d` stay as they are.
void rh_sensors_sample(rh_data *d, rh_data *view);

// Normal deviate of a sample, a function of these four numbers only (noise.c).
typedef struct rh_noise_key {
  int seed, sensor;
  double sample;
  int part;
} rh_noise_key;
double rh_sensor_noise(const rh_noise_key *key);

static inline rh_xform rh_sensor_frame(const rh_data *d, const rh_model_sensor *s) // world axes
{
  const rh_kin_body *b = &d->kin[s->body];
  return (rh_xform){rh_mat3_mul(&b->R, &s->place.R), rh_add(b->p, rh_rotate(&b->R, s->place.p))};
}

// Acceleration of a body, angular and of its origin [prepare]
rh_motion rh_sensor_acceleration(const rh_data *d, int body);

static inline void rh_sensor_put(rh_vec3 a, double *value)
{
  value[0] = a.x;
  value[1] = a.y;
  value[2] = a.z;
}

// Does a contact belong to the body or shape of a sensor?
static inline bool rh_sensor_feels(const rh_model_sensor *s, const rh_contact *c)
{
  bool of_shape = c->shape[0] == s->shape || c->shape[1] == s->shape;
  return c->on && (s->shape != RH_NONE ? of_shape : c->a == s->body || c->b == s->body);
}

#endif
