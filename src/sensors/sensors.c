// The table of sensors, from sensors.def; their readings, samples and delays.
#include "sensors.h"

#include "base/table.h"
#include "multibody/multibody.h"

#include <math.h>

#define RH_SENSOR_KIND(name) extern const rh_sensor_kind rh_sensor_kind_##name;
#include "sensors.def"
#undef RH_SENSOR_KIND

static const rh_sensor_kind *const table[] = {
#define RH_SENSOR_KIND(name) &rh_sensor_kind_##name,
#include "sensors.def"
#undef RH_SENSOR_KIND
};

RH_ROW_TABLE(sensor_kind)

// ---- Motion and forces

// Under an engine with steps of its own: the mean over the last step, with impulses. Before the first
// step the accelerations stay those of the forces that the state has.
static void take_step_mean(rh_data *d)
{
  const double *before = d->control.sensor;
  double h = *d->t - before[0];
  for (int k = 0; h > 0 && k < d->model->nv; k++) {
    d->a[k] = (d->v[k] - before[1 + k]) / h;
  }
}

static void add_force(rh_data *d, int body, rh_force w)
{
  d->control.felt[body] = rh_force_add(d->control.felt[body], w);
}

// A force and a torque on body a, acting at `at`, and their opposites on b
static void add_pair(rh_data *d, const int body[2], rh_vec3 at, rh_force f)
{
  for (int side = 0; side < 2; side++) {
    rh_force w = side == 0 ? f : (rh_force){rh_neg(f.ang), rh_neg(f.lin)};
    rh_vec3 arm = rh_sub(at, d->kin[body[side]].p);
    w.ang = rh_add(w.ang, rh_cross(arm, w.lin));
    add_force(d, body[side], w);
  }
}

static void add_contact_forces(rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on) {
      rh_force f = {c->torque, rh_scale(c->normal, c->n)};
      f.lin = rh_addscaled(f.lin, c->friction[0], c->t1);
      f.lin = rh_addscaled(f.lin, c->friction[1], c->t2);
      add_pair(d, (int[2]){c->a, c->b}, c->point, f);
    }
  }
}

static void add_loop_forces(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nloop - m->layout.nconstraint; i++) {
    const rh_model_loop *l = &m->loop[i];
    rh_xform end[2];
    double f[6];
    for (int k = 0; k < 6; k++) { // as a step found it
      f[k] = d->loop[RH_LOOP_ROWS * i + k];
    }
    if (m->layout.nlooprow > 0) {
      rh_loop_force(d, i, f);
    }
    rh_loop_ends(l, &d->kin[l->a], &d->kin[l->b], end);
    rh_force w = {rh_v3(f[3], f[4], f[5]), rh_v3(f[0], f[1], f[2])};
    add_pair(d, (int[2]){l->a, l->b}, end[0].p, w);
  }
}

void rh_sensors_prepare(rh_data *d)
{
  const rh_model *m = d->model;
  if (!m->sensors.motion) {
    return;
  }
  rh_force hand;
  rh_outside_wrenches(d, d->control.felt);
  int held = rh_hand_wrench(d, &hand);
  if (held != RH_NONE) {
    add_force(d, held, hand);
  }
  for (int i = 1; i < m->nbody; i++) {
    if (m->body[i].gravcomp != 0) {
      add_force(d, i, rh_carried_weight(d, i));
    }
    if (rh_medium_acts(m, i)) {
      add_force(d, i, rh_medium_force(d, i));
    }
  }
  add_contact_forces(d);
  add_loop_forces(d);
  if (!m->run.engine->located) {
    take_step_mean(d);
  }
}

rh_motion rh_sensor_acceleration(const rh_data *d, int body)
{
  rh_motion a = rh_body_acceleration(d, body);
  a.ang = rh_add(a.ang, d->kin[body].c.ang);
  a.lin = rh_add(a.lin, d->kin[body].c.lin);
  return a;
}

// ---- Samples: their number so far, then the last `depth` of them, sample k in place k modulo depth

static double *sample_place(double *memory, const rh_model_sensor *s, double sample)
{
  return memory + 1 + (size_t)fmod(sample, s->depth) * (size_t)s->kind->width;
}

// The newest sample of a time not after t; a time that is later only by rounding counts.
static double sample_before(const rh_model_sensor *s, double t)
{
  return floor(t / s->period + 1e-9);
}

// The newest sample that has arrived at this time; < 0: none yet.
static double arrived_sample(const rh_model_sensor *s, double t, double count)
{
  double newest = sample_before(s, t - s->delay);
  return fmax(fmin(newest, count - 1), count > s->depth ? count - s->depth : -1);
}

double rh_sensor_value(const rh_data *d, int index, int part)
{
  const rh_model_sensor *s = &d->model->sensors.of[index];
  double value[RH_SENSOR_WIDTH];
  if (s->depth == 0) {
    s->kind->read(d, s, value);
    return value[part];
  }
  double *memory = d->control.sensor + s->memory;
  double sample = arrived_sample(s, *d->t, memory[0]);
  return sample < 0 ? 0 : sample_place(memory, s, sample)[part];
}

double rh_sensors_next(const rh_data *d)
{
  double next = HUGE_VAL;
  for (int i = 0; i < d->model->sensors.n; i++) {
    const rh_model_sensor *s = &d->model->sensors.of[i];
    next = s->depth > 0 ? fmin(next, d->control.sensor[s->memory] * s->period) : next;
  }
  return next;
}

static void copy_world(rh_data *view, const rh_data *d)
{
  const rh_model *m = d->model;
  memcpy(view->state, d->state, (size_t)m->layout.nstate * sizeof *d->state);
  memcpy(view->tau, d->tau, (size_t)m->nv * sizeof *d->tau);
  memcpy(view->fext, d->fext, (size_t)m->nbody * sizeof *d->fext);
  view->control.program = d->control.program;
  view->control.program_user = d->control.program_user;
}

// A negative reading of a kind that may find nothing gets no noise.
static void keep_sample(rh_data *d, int index, double sample, const double *value)
{
  const rh_model_sensor *s = &d->model->sensors.of[index];
  double *out = sample_place(d->control.sensor + s->memory, s, sample);
  for (int i = 0; i < s->kind->width; i++) {
    rh_noise_key key = {d->model->sensors.seed, index, sample, i};
    double noise = s->noise[i >= 3];
    bool nothing = s->kind->finds && value[i] < 0;
    out[i] = noise > 0 && !nothing ? value[i] + noise * rh_sensor_noise(&key) : value[i];
    out[i] = s->kind->finds && !nothing ? fmax(out[i], 0) : out[i];
  }
}

void rh_sensors_sample(rh_data *d, rh_data *view)
{
  const rh_model *m = d->model;
  double value[RH_SENSOR_WIDTH];
  bool ready = false;
  for (int i = 0; i < m->sensors.n; i++) {
    const rh_model_sensor *s = &m->sensors.of[i];
    double *count = d->control.sensor + s->memory;
    if (s->depth == 0 || *count > sample_before(s, *d->t)) {
      continue;
    }
    if (!ready) {
      copy_world(view, d);
      m->run.engine->evaluate(view);
      rh_sensors_prepare(view);
      ready = true;
    }
    s->kind->read(view, s, value);
    *count = fmax(*count, sample_before(s, *d->t) - s->depth); // those before are not needed
    while (*count <= sample_before(s, *d->t)) {
      keep_sample(d, i, *count, value);
      *count += 1;
    }
  }
}
