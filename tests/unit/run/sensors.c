// Sensors against closed forms, in the engines event and stepping: weight, turntable, free fall, a
// hanging and a swinging mass, distances; noise, delay and rate.
#include "test.h"

#include "geometry/rays/ray.h"

#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.80665;

typedef struct trial {
  rh_scene *scene;
  rh_model *model;
  rh_sim *sim;
  rh_channels *channels;
} trial;

static trial begin_trial(const char *text, const char *engine)
{
  trial t = {0};
  char set[64];
  const char *const sets[] = {set};
  snprintf(set, sizeof set, "run.engine=%s", engine);
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "test", sets, 1, NULL, &t.scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(t.scene, NULL, &t.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(t.model, NULL, &t.sim), RH_OK);
  t.channels = rh_channels_create(t.model);
  ck_assert_ptr_nonnull(t.channels);
  return t;
}

static void end_trial(trial *t)
{
  rh_channels_destroy(t->channels);
  rh_sim_destroy(t->sim);
  rh_model_destroy(t->model);
  rh_scene_destroy(t->scene);
}

static double value_of(trial *t, const char *name)
{
  double value;
  int index = rh_channel_find(t->channels, name);
  ck_assert_msg(index != RH_NONE, "no channel %s", name);
  rh_channels_read(t->channels, rh_sim_data(t->sim), &index, 1, &value);
  return value;
}

static void expect_value(trial *t, const char *name, double expected, double tolerance)
{
  double value = value_of(t, name);
  ck_assert_msg(fabs(value - expected) <= tolerance, "%s: %.12g, expected %.12g", name, value,
                expected);
}

static const char *const engine_name[] = {"event", "stepping"};

// A box lies on the ground and one falls beside it.
static const char lying[] =
    "world: {gravity: [0, 0, -9.80665]}\n"
    "bodies: [{name: box, mass: 2}, {name: ball, mass: 1}]\n"
    "joints: [{kind: free, child: box, q: [0, 0, 0.5, 1, 0, 0, 0]},\n"
    "  {kind: free, child: ball, q: [5, 0, 40, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {name: cube, body: box, kind: box, size: [1, 1, 1]},\n"
    "  {body: ball, kind: sphere, radius: 0.5}]\n"
    "contacts: [{body: box, against: world, law: newton, e: 0, friction: coulomb, mu: 0.5}]\n"
    "sensors:\n"
    "  - {name: imu, kind: imu, body: box, at: [0.2, 0.1, 0.3]}\n"
    "  - {name: fall, kind: imu, body: ball, at: [0.1, 0, 0]}\n"
    "  - {name: touch, kind: touch, body: box}\n"
    "  - {name: shape, kind: touch, shape: cube}\n"
    "  - {name: contact, kind: contact, body: box}\n"
    "  - {name: other, kind: contact, body: ball}\n"
    "  - {name: down, kind: range, body: box, at: [2, 0, 1.5], rpy: [3.141592653589793, 0, 0]}\n"
    "  - {name: up, kind: range, body: box, at: [5, 0, 0]}\n"
    "  - {name: away, kind: range, body: box, at: [0, 0, 3]}\n"
    "run: {until: 1}\n";

START_TEST(weight_at_rest)
{
  trial t = begin_trial(lying, engine_name[_i]);
  ck_assert_int_eq(rh_sim_run(t.sim, 0.5), RH_OK);
  // Time stepping iterates its contact forces; the event engine solves them.
  double loose = _i == 0 ? 1e-9 : 1e-4;
  expect_value(&t, "imu.az", G, loose);
  expect_value(&t, "imu.ax", 0, loose);
  expect_value(&t, "imu.wz", 0, 1e-9);
  expect_value(&t, "fall.ax", 0, 1e-9);
  expect_value(&t, "fall.az", 0, 1e-9);
  expect_value(&t, "touch.force", 2 * G, 2 * loose);
  expect_value(&t, "shape.force", 2 * G, 2 * loose);
  expect_value(&t, "contact.on", 1, 0);
  expect_value(&t, "contact.count", 4, 0);
  expect_value(&t, "other.on", 0, 0);
  // The sensor is 2 m above the plane; the ball's centre is on the ray of `up`.
  expect_value(&t, "down.distance", 2, 1e-6);
  expect_value(&t, "up.distance", value_of(&t, "ball.pz") - 0.5 - 0.5, 1e-6);
  expect_value(&t, "away.distance", -1, 0);
  end_trial(&t);
}

END_TEST

// A turntable at a constant rate w: r w^2 towards the axis. A pendulum at the angle q from the vertical
// with the rate v: its rod pulls with m (l v^2 + g cos q).
static const char turning[] =
    "world: {gravity: [0, 0, -9.80665]}\n"
    "bodies: [{name: table, mass: 1, inertia: [1, 1, 1, 0, 0, 0]},\n"
    "  {name: bob, mass: 3, com: [0, 0, -0.7], inertia: [0, 0, 0, 0, 0, 0]}]\n"
    "joints: [{name: axle, kind: revolute, axis: [0, 0, 1], child: table, v: [4]},\n"
    "  {name: pivot, kind: revolute, axis: [0, 1, 0], child: bob, q: [1]}]\n"
    "sensors:\n"
    "  - {name: rim, kind: imu, body: table, at: [0.3, 0, 0]}\n"
    "  - {name: rod, kind: force_torque, joint: pivot}\n"
    "  - {name: angle, kind: joint_position, joint: pivot}\n"
    "  - {name: speed, kind: joint_velocity, joint: pivot}\n"
    "  - {name: late, kind: joint_position, joint: axle, rate: 100, delay: 0.05}\n"
    "  - {name: held, kind: joint_position, joint: axle, rate: 4}\n"
    "run: {until: 1}\n";

START_TEST(turntable_and_pendulum)
{
  trial t = begin_trial(turning, engine_name[_i]);
  ck_assert_int_eq(rh_sim_run(t.sim, 0.6), RH_OK);
  // Mean values over a step of 1 ms or less are half a step old.
  double loose = _i == 0 ? 1e-9 : 0.2;
  expect_value(&t, "rim.ax", -0.3 * 16, 1e-6);
  expect_value(&t, "rim.ay", 0, 1e-6);
  expect_value(&t, "rim.az", G, 1e-9);
  expect_value(&t, "rim.wz", 4, 1e-9);
  double q = value_of(&t, "pivot.q");
  double v = value_of(&t, "pivot.v");
  expect_value(&t, "rod.fz", 3 * (0.7 * v * v + G * cos(q)), loose);
  expect_value(&t, "rod.ty", 0, loose);
  expect_value(&t, "angle.position", q, 0);
  expect_value(&t, "speed.velocity", v, 0);
  // The axle turns by 4 rad/s: the delay is exact, the held sample is that of t = 0.5 s.
  expect_value(&t, "late.position", 4 * 0.55, 1e-6);
  expect_value(&t, "held.position", 4 * 0.5, 4 * 2e-3 * _i + 1e-6);
  end_trial(&t);
}

END_TEST

static const char noisy[] =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
    "joints: [{name: j, kind: revolute, axis: [0, 0, 1], child: a}]\n"
    "sensors: [{name: s, kind: joint_position, joint: j, rate: 100, delay: 0.03, noise: [0.25]}]\n"
    "run: {until: 100}\n"
    "record: {every: 0.01, batch: 50}\n";

// Mean and deviation within four of their own standard errors; a state that is copied goes on with
// the same bits.
START_TEST(noise_of_samples)
{
  enum { N = 4000 };

  trial t = begin_trial(noisy, "event");
  double sum = 0;
  double square = 0;
  ck_assert_int_eq(rh_sim_run(t.sim, 0.025), RH_OK);
  ck_assert_double_eq(value_of(&t, "s.position"), 0); // nothing has arrived
  for (int i = 0; i < N; i++) {
    ck_assert_int_eq(rh_sim_run(t.sim, i * 0.01 + 0.035), RH_OK);
    double x = value_of(&t, "s.position");
    sum += x;
    square += x * x;
  }
  ck_assert_double_le(fabs(sum / N), 4 * 0.25 / sqrt(N));
  ck_assert_double_le(fabs(sqrt(square / N) - 0.25), 4 * 0.25 / sqrt(2.0 * N));
  trial again = begin_trial(noisy, "event");
  rh_sim_resume(again.sim, 3900, rh_sim_data(t.sim)->state);
  ck_assert_int_eq(rh_sim_run(t.sim, 41), RH_OK);
  ck_assert_int_eq(rh_sim_run(again.sim, 41), RH_OK);
  ck_assert_double_eq(value_of(&t, "s.position"), value_of(&again, "s.position"));
  end_trial(&again);
  end_trial(&t);
}

END_TEST

// A sensor with samples and one without read the same at the times of samples, also where no frame is;
// and sensors move nothing: the motion is that of the scene without them.
static const char sliding[] =
    "world: {gravity: [0, 0, -9.80665]}\n"
    "bodies: [{name: cart, mass: 1, inertia: [1, 1, 1, 0, 0, 0]},\n"
    "  {name: load, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}, {name: box, mass: 2}]\n"
    "joints: [{name: rail, kind: prismatic, axis: [1, 0, 0], child: cart, v: [0.5]},\n"
    "  {kind: free, child: load, q: [0.3, 0, 0, 1, 0, 0, 0], v: [0.5, 0, 0, 0, 0, 0]},\n"
    "  {kind: free, child: box, q: [0, 3, 0.5, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
    "loops: [{name: tie, kind: weld, body: cart, to: load, at: [0.3, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {name: cube, body: box, kind: box, size: [1, 1, 1]}]\n"
    "contacts: [{body: box, against: world, law: newton, e: 0, friction: coulomb, mu: 0.3}]\n"
    "run: {until: 1}\n"
    "record: {every: 0.5}\n";

static const char watching[] =
    "sensors:\n"
    "  - {name: rail0, kind: force_torque, joint: rail}\n"
    "  - {name: rail1, kind: force_torque, joint: rail, rate: 1000}\n"
    "  - {name: imu0, kind: imu, body: box}\n"
    "  - {name: imu1, kind: imu, body: box, rate: 1000}\n"
    "  - {name: touch0, kind: touch, body: box}\n"
    "  - {name: touch1, kind: touch, body: box, rate: 1000}\n"
    "  - {name: speed0, kind: joint_velocity, joint: rail}\n"
    "  - {name: speed1, kind: joint_velocity, joint: rail, rate: 1000}\n";

static void expect_same(trial *t, const char *owner, const char *part)
{
  char one[64];
  char other[64];
  snprintf(one, sizeof one, "%s0.%s", owner, part);
  snprintf(other, sizeof other, "%s1.%s", owner, part);
  expect_value(t, other, value_of(t, one), 1e-9); // rounding of forces of some 10 N
}

START_TEST(samples_of_motion)
{
  char text[4096];
  snprintf(text, sizeof text, "%s%s", sliding, watching);
  trial t = begin_trial(text, engine_name[_i]);
  trial bare = begin_trial(sliding, engine_name[_i]);
  // Time stepping iterates the forces of loops and contacts; the event engine solves them.
  double loose = _i == 0 ? 1e-8 : 1e-3;
  for (int k = 1; k <= 3; k++) {
    ck_assert_int_eq(rh_sim_run(t.sim, 0.07 * k), RH_OK);
    ck_assert_int_eq(rh_sim_run(bare.sim, 0.07 * k), RH_OK);
    expect_same(&t, "rail", "fx");
    expect_same(&t, "rail", "fz");
    expect_same(&t, "rail", "ty");
    expect_same(&t, "imu", "ax");
    expect_same(&t, "imu", "az");
    expect_same(&t, "touch", "force");
    expect_same(&t, "speed", "velocity");
    // The rail carries cart and load; the box slides and is braked by friction.
    expect_value(&t, "rail0.fx", 0, loose);
    expect_value(&t, "rail0.fz", 3 * G, 3 * loose);
    expect_value(&t, "rail0.ty", -0.3 * 2 * G, loose);
    expect_value(&t, "imu0.ax", -0.3 * G, loose);
    expect_value(&t, "touch0.force", 2 * G, 2 * loose);
  }
  ck_assert_int_eq(rh_sim_run(t.sim, 0.5), RH_OK);
  ck_assert_int_eq(rh_sim_run(bare.sim, 0.5), RH_OK);
  const rh_data *a = rh_sim_data(t.sim);
  const rh_data *b = rh_sim_data(bare.sim);
  for (int k = 0; k < t.model->nq; k++) {
    // Samples are output times of the integrator of the event engine, as frames are: rounding.
    ck_assert_double_le(fabs(a->q[k] - b->q[k]), _i == 0 ? 1e-12 : 0);
  }
  end_trial(&bare);
  end_trial(&t);
}

END_TEST

// ---- Rays against closed forms

static double next_number(unsigned *state) // -1 to 1
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

// First t > 0 at which |from + t along| = 1; infinite: none
static double unit_ball(rh_vec3 from, rh_vec3 along)
{
  double a = rh_dot(along, along);
  double b = rh_dot(from, along);
  double root = b * b - a * (rh_dot(from, from) - 1);
  return root < 0 || b > 0 ? HUGE_VAL : (-b - sqrt(root)) / a;
}

static double box_by_slabs(const double *size, rh_vec3 from, rh_vec3 along)
{
  const double o[3] = {from.x, from.y, from.z};
  const double e[3] = {along.x, along.y, along.z};
  double lo = 0;
  double hi = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    double a = (-size[i] / 2 - o[i]) / e[i];
    double b = (size[i] / 2 - o[i]) / e[i];
    lo = fmax(lo, fmin(a, b));
    hi = fmin(hi, fmax(a, b));
  }
  return lo <= hi ? lo : HUGE_VAL;
}

// Directions towards the shape and past it; those that pass within 1e-5 of its size may go either way.
START_TEST(rays)
{
  static const double ball[RH_PAR_MAX] = {1};
  static const double box[RH_PAR_MAX] = {1, 2, 0.5};
  static const double egg[RH_PAR_MAX] = {0.5, 1, 2};
  unsigned state = 1;
  int hits = 0;
  for (int i = 0; i < 3000; i++) {
    rh_vec3 from = rh_v3(3 + next_number(&state), 3 + next_number(&state), 3 + next_number(&state));
    rh_vec3 to = rh_v3(next_number(&state), next_number(&state), 2 * next_number(&state));
    rh_vec3 along = rh_scale(1 / rh_norm(rh_sub(to, from)), rh_sub(to, from));
    const double *par = i % 3 == 0 ? ball : i % 3 == 1 ? box : egg;
    const char *kind = i % 3 == 0 ? "sphere" : i % 3 == 1 ? "box" : "ellipsoid";
    rh_geom g = {.kind = rh_shape_find(kind), .par = par};
    g.R.m[0] = g.R.m[4] = g.R.m[8] = 1;
    rh_vec3 small = rh_v3(from.x / egg[0], from.y / egg[1], from.z / egg[2]);
    rh_vec3 turned = rh_v3(along.x / egg[0], along.y / egg[1], along.z / egg[2]);
    double right = i % 3 == 0   ? unit_ball(from, along)
                   : i % 3 == 1 ? box_by_slabs(box, from, along)
                                : unit_ball(small, turned);
    double found = rh_ray_cast(&g, from, along, 100);
    if (isfinite(right) && isfinite(found)) {
      // A ray that grazes meets a surface at a place of the root of the rounding.
      ck_assert_msg(fabs(found - right) < 1e-6, "%s: %.12g, expected %.12g", kind, found, right);
      hits++;
    } else {
      ck_assert_msg(isfinite(right) == isfinite(found), "%s: ray %d, %g, expected %g", kind, i,
                    found, right);
    }
  }
  ck_assert_int_gt(hits, 500);
}

END_TEST

START_TEST(engine_haptic)
{
  static const char *const kind[] = {"touch, body: tool", "force_torque, joint: j",
                                     "imu, body: tool", "range, body: tool, rate: 100"};
  char text[1024];
  rh_scene *scene;
  rh_model *model = NULL;
  snprintf(text, sizeof text,
           "bodies: [{name: tool, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
           "joints: [{name: j, kind: free, child: tool}]\n"
           "haptic: {tool: tool}\nrun: {engine: haptic}\nsensors: [{name: s, kind: %s}]\n",
           kind[_i]);
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "test", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), _i < 2 ? RH_INPUT_REFUSED : RH_OK);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(bad_sensors)
{
  static const char *const bad[] = {"{name: s, kind: imu, joint: j}",
                                    "{name: s, kind: joint_position, body: a}",
                                    "{name: s, kind: contact, body: a, rate: 10, noise: [1]}",
                                    "{name: s, kind: imu, body: a, noise: [1]}",
                                    "{name: s, kind: imu, body: a, delay: 1}",
                                    "{name: s, kind: imu, body: a, delay: 100, rate: 1000}",
                                    "{name: s, kind: touch, shape: none}"};
  char text[512];
  rh_scene *scene;
  rh_model *model = NULL;
  snprintf(text, sizeof text,
           "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
           "joints: [{name: j, kind: revolute, child: a}]\nsensors: [%s]\n",
           bad[_i]);
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "test", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_INPUT_REFUSED);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_unit_sensors(void)
{
  Suite *s = suite_create("unit_sensors");
  TCase *c = tcase_create("sensors");
  tcase_add_loop_test(c, weight_at_rest, 0, 2);
  tcase_add_loop_test(c, turntable_and_pendulum, 0, 2);
  tcase_add_test(c, noise_of_samples);
  tcase_add_loop_test(c, samples_of_motion, 0, 2);
  tcase_add_test(c, rays);
  tcase_add_loop_test(c, engine_haptic, 0, 4);
  tcase_add_loop_test(c, bad_sensors, 0, 7);
  suite_add_tcase(s, c);
  return s;
}
