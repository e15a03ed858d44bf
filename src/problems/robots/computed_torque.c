// Computed torque: the generalised forces that bring a mechanism back to a wanted motion, and how
// the error of each degree of freedom goes: e'' + kd e' + kp e = 0.
#include "problems/problem_matrix.h"

#include <routh/robot.h>

#include <string.h>

enum { TIMES_MAX = 10000 };

#define GAIN_INPUTS                                                                                \
  {.name = "kp",                                                                                   \
   .unit = "1/s^2",                                                                                \
   .def = 100,                                                                                     \
   .lo = 0,                                                                                        \
   .hi = 1e9,                                                                                      \
   .doc = "gain of the error; default: 100"},                                                      \
  {                                                                                                \
    .name = "kd", .unit = "1/s", .def = 20, .lo = 0, .hi = 1e9,                                    \
    .doc = "gain of its rate; default: 2 sqrt(kp), critical damping"                               \
  }

static const rh_param gain[] = {GAIN_INPUTS};

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "wanted_q",
     .unit = "m, rad, 1",
     .type = RH_LIST,
     .doc = "wanted coordinates; default: the scene's"},
    {.name = "wanted_v",
     .unit = "m/s, rad/s",
     .type = RH_LIST,
     .doc = "wanted velocities; default: none"},
    {.name = "wanted_a",
     .unit = "m/s^2, rad/s^2",
     .type = RH_LIST,
     .doc = "wanted accelerations; default: none"},
    GAIN_INPUTS,
    {.name = "times",
     .unit = "s",
     .type = RH_LIST,
     .doc = "times at which the error is given; default: none"},
};

static const rh_output output[] = {
    {"tracking_error", "m, rad", "nv", "wanted less present"},
    {"a", "m/s^2, rad/s^2", "nv", "accelerations of the outer loop"},
    {"tau", "N, N m", "nv", "generalised forces H a + bias"},
    {"error_after", "m, rad", "n x nv",
     "the error at the given times, while the forces act all the time (only with times)"},
};

// The free motion from e0, v0
static double decay_error(double e0, double v0, double kp, double kd, double t)
{
  double s = 0.5 * kd;
  double D = s * s - kp;
  double small = 1e-12 * fmax(s * s, kp);
  if (fabs(D) <= small) {
    return (e0 + (v0 + s * e0) * t) * rh_exp(-s * t);
  }
  double w = sqrt(fabs(D));
  if (D > 0) {
    double fast = 0.5 * (e0 - (v0 + s * e0) / w);
    return fast * rh_exp(-(s + w) * t) + (e0 - fast) * rh_exp((w - s) * t);
  }
  return rh_exp(-s * t) * (e0 * rh_cos(w * t) + (v0 + s * e0) / w * rh_sin(w * t));
}

typedef struct posed {
  rh_posed world;
  double *q, *v, *a;
  double kp, kd;
  rh_block t;
} posed;

static rh_status open_problem(const rh_inputs *in, posed *p)
{
  RH_TRY(rh_posed_open(in, "wanted_a", RH_POSED_A, &p->world));
  const rh_model *m = p->world.model;
  p->q = rh_alloc((size_t)(m->nq + 1) * sizeof(double));
  p->v = rh_alloc((size_t)(m->nv + 1) * sizeof(double));
  if (p->q == NULL || p->v == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  memcpy(p->q, m->start.q0, (size_t)m->nq * sizeof(double));
  bool good = rh_posed_read(in, m, "wanted_q", RH_POSED_Q, p->q);
  good = rh_posed_read(in, m, "wanted_v", RH_POSED_V, p->v) && good;
  p->kp = gain[0].def;
  good = rh_input_one(in, &gain[0], false, &p->kp) && good;
  p->kd = 2 * sqrt(p->kp);
  good = rh_input_one(in, &gain[1], false, &p->kd) && good;
  if (rh_input_given(in, "times")) {
    good = rh_input_list(in, "times", RH_NONE, TIMES_MAX, &p->t) && good;
  }
  for (int i = 0; good && i < p->t.rows; i++) {
    good = p->t.x[i] >= 0 ||
           rh_input_refuse(in, rh_input_find(in, "times"), "times[%d] must be >= 0", i);
  }
  return good ? RH_OK : RH_INPUT_REFUSED;
}

static bool answer_all(posed *p, rh_answer *answer)
{
  rh_data *d = p->world.data;
  int nv = d->model->nv;
  double *error = rh_answer_add(answer, "tracking_error", 1, nv, 1, 1);
  double *a = rh_answer_add(answer, "a", 1, nv, 1, 1);
  double *tau = rh_answer_add(answer, "tau", 1, nv, 1, 1);
  double *after = p->t.rows > 0 ? rh_answer_add(answer, "error_after", 2, p->t.rows, nv, 1) : NULL;
  if (error == NULL || a == NULL || tau == NULL || (p->t.rows > 0 && after == NULL)) {
    return false;
  }
  const rh_trajectory course = {p->q, p->v, p->world.given, p->kp, p->kd};
  rh_trajectory_error(d, &course, error);
  rh_computed_torque(d, &course, a, tau);
  for (int k = 0; k < nv; k++) {
    tau[k] -= p->world.load[k];
  }
  for (int i = 0; i < p->t.rows; i++) {
    for (int k = 0; k < nv; k++) {
      after[i * nv + k] = decay_error(error[k], p->v[k] - d->v[k], p->kp, p->kd, p->t.x[i]);
    }
  }
  return true;
}

static rh_status solve_computed_torque(const rh_inputs *in, rh_answer *answer)
{
  posed p = {0};
  rh_status status = open_problem(in, &p);
  if (status == RH_OK && !answer_all(&p, answer)) {
    status = RH_OUT_OF_MEMORY;
  }
  rh_block_free(&p.t);
  rh_free(p.q);
  rh_free(p.v);
  rh_posed_close(&p.world);
  return status;
}

const rh_problem rh_problem_computed_torque = {
    .row = {"computed_torque", "[Ch] 4.17-4.22*",
            "forces that bring a mechanism to a wanted motion", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_computed_torque,
};
