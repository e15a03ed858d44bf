// ref_spatial_control.c: trajectories of feet, inverse kinematics, computed torque and torques in contact against the spatial
// reference numbers.
#include "control/control.h"
#include "data/spatial_trees.h"

#include "data/spatial_control.h"
#include "world.h"

// All within what the reference states, or a better bar with its reason.

START_TEST(swings)
{
  const swing_case *c = &swing_cases[_i];
  for (int i = 0; i < 6; i++) {
    const double *s = c->sample[i];
    double t = s[0] - c->t_start;
    rh_way x = rh_cubic(t, c->duration, c->x_start, c->x_end);
    rh_way z = rh_swing_arc(t, c->duration, c->z_max);
    const double got[] = {x.x, x.v, x.a, z.x, z.v, z.a};
    near_array(got, s + 1, 6, 1e-12, 1e-12); // as stated
  }
}

END_TEST

START_TEST(walks)
{
  const walk_case *c = &walk_cases[_i];
  const rh_walk walk = {c->duration, c->stride, c->z_max, 0, 0};
  for (int i = 0; i < 7; i++) {
    rh_walk_at at;
    rh_walk_plan(&walk, c->sample[i][0], &at);
    double got[14];
    memcpy(got, at.foot, 12 * sizeof *got);
    got[12] = at.com.x;
    got[13] = at.com.v;
    near_array(got, c->sample[i] + 1, 14, 1e-12, 1e-12); // as stated
  }
}

END_TEST

static rh_model *model_of_links(const tree_link *link, int n, bool floating, bool driven)
{
  rh_scene *scene = rh_scene_create();
  for (int i = 0; i < n; i++) {
    const tree_link *k = &link[i];
    rh_body_def body = body_of(k->name, k->mass, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
    memcpy(body.com, k->com, sizeof body.com);
    memcpy(body.inertia.x, k->inertia, sizeof k->inertia);
    rh_joint_def joint = joint_of(i == 0 && floating ? "free" : "revolute", k->parent, k->name,
                                  rh_v3(k->axis[0], k->axis[1], k->axis[2]));
    joint.name = rh_name_of(k->joint);
    memcpy(joint.at, k->at, sizeof joint.at);
    memcpy(joint.rpy, k->rpy, sizeof joint.rpy);
    add(scene, &body, &joint);
    if (driven && !(i == 0 && floating)) {
      rh_actuator_def motor = rh_actuator_default();
      motor.name = motor.joint = joint.name;
      (void)rh_scene_add_actuator(scene, &motor);
    }
  }
  return model_of(scene);
}

// The foot's frame: where it shall be, and how it shall stand.
static void foot_tasks(const rh_model *m, rh_task task[2])
{
  int foot = rh_model_find(m, RH_OBJECT_BODY, "l_foot");
  task[0] = (rh_task){.kind = RH_TASK_POINT, .body = foot, .weight = 1};
  task[1] = (rh_task){.kind = RH_TASK_TURN, .body = foot, .weight = 1};
}

START_TEST(damped_least_squares)
{
  const ik_case *c = &ik_cases[_i];
  rh_model *m = model_of_links(atlas_leg, 6, false, false);
  rh_data *d = rh_data_create(m);
  double *room = rh_alloc(rh_ik_scratch(m, 2) * sizeof *room);
  rh_task task[2];
  foot_tasks(m, task);
  task[0].p = rh_v3(c->position[0], c->position[1], c->position[2]);
  memcpy(task[1].R.m, c->R, sizeof c->R);
  // Passes one by one: errors and coordinates. 1e-7 is stated; 1e-11 is what two orders of the same few hundred operations
  // leave, as J J' + lam^2 has a condition number of at most 1e4.
  memcpy(d->q, c->start, sizeof c->start);
  for (int i = 0; i < 6; i++) {
    rh_ik_answer answer = rh_ik_solve(d, task, 2, &(rh_ik){c->damping, 0, 0, NULL}, room);
    near_abs(answer.error, c->errors[i], 1e-11);
    answer = rh_ik_solve(d, task, 2, &(rh_ik){c->damping, 0, 1, NULL}, room);
    ck_assert_int_eq(answer.iterations, 1);
    if (i < 2) {
      near_array(d->q, i == 0 ? c->after_1 : c->after_2, 6, 1e-11, 0);
    }
  }
  memcpy(d->q, c->start, sizeof c->start);
  rh_ik_answer answer = rh_ik_solve(d, task, 2, &(rh_ik){c->damping, 1e-10, 100, NULL}, room);
  ck_assert(answer.solved);
  ck_assert_int_eq(answer.iterations, c->iterations);
  near_array(d->q, c->q, 6, 1e-11, 0);
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

START_TEST(velocities_and_accelerations)
{
  const velocity_case *c = &velocity_cases[_i];
  rh_model *m = model_of_links(atlas_leg, 6, false, false);
  rh_data *d = rh_data_create(m);
  double *room = rh_alloc(rh_ik_scratch(m, 2) * sizeof *room);
  rh_task task[2];
  foot_tasks(m, task);
  for (int i = 0; i < 2; i++) {
    task[i].v = rh_v3(c->twist[3 * i], c->twist[3 * i + 1], c->twist[3 * i + 2]);
    task[i].a =
        rh_v3(c->acceleration[3 * i], c->acceleration[3 * i + 1], c->acceleration[3 * i + 2]);
  }
  memcpy(d->q, c->q, sizeof c->q);
  rh_kinematics(d);
  double got[6];
  ck_assert_int_eq(rh_ik_velocity(d, task, 2, room, got), 6);
  near_array(got, c->qd, 6, 1e-6, 1e-6); // as stated: the reference's rates are finite differences
  memcpy(d->v, c->qd, sizeof c->qd);
  rh_kinematics(d);
  rh_vec3 b[2] = {rh_task_bias(d, &task[0]), rh_task_bias(d, &task[1])};
  near_array(&b[0].x, c->bias, 6, 1e-6, 1e-6);
  ck_assert_int_eq(rh_ik_acceleration(d, task, 2, room, got), 6);
  near_array(got, c->qdd, 6, 1e-6, 1e-6);
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// ---- Computed torque of a two-link arm in a vertical plane

static rh_model *arm(void)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def upper = body_of("upper", 3, rh_v3(0.24, 0, 0), rh_v3(0.07, 0.07, 0.07));
  rh_body_def lower = body_of("lower", 2, rh_v3(0.2, 0, 0), rh_v3(0.03, 0.03, 0.03));
  rh_joint_def shoulder = joint_of("revolute", "world", "upper", rh_v3(0, -1, 0));
  rh_joint_def elbow = joint_of("revolute", "upper", "lower", rh_v3(0, -1, 0));
  elbow.at[0] = 0.5;
  add(scene, &upper, &shoulder);
  add(scene, &lower, &elbow);
  return model_of(scene);
}

static void wanted(double t, double q[2], double v[2], double a[2])
{
  q[0] = 0.5 * sin(t);
  v[0] = 0.5 * cos(t);
  a[0] = -0.5 * sin(t);
  q[1] = 0.3 + 0.4 * cos(2 * t);
  v[1] = -0.8 * sin(2 * t);
  a[1] = -1.6 * cos(2 * t);
}

static void torques(rh_data *d, double t, const torque_case *c, double tau[2])
{
  double q[2];
  double v[2];
  double a[2];
  double asked[2];
  wanted(t, q, v, a);
  rh_kinematics(d);
  rh_computed_torque(d, &(rh_trajectory){q, v, a, c->kp, c->kv}, asked, tau);
}

static void rate(rh_data *d, double t, const torque_case *c, const double y[4], double dy[4])
{
  double tau[2];
  memcpy(d->q, y, 2 * sizeof *y);
  memcpy(d->v, y + 2, 2 * sizeof *y);
  torques(d, t, c, tau);
  memcpy(dy, y + 2, 2 * sizeof *y);
  rh_aba(d, tau, dy + 2);
}

// One step of the classical Runge-Kutta method of order 4.
static void step(rh_data *d, double t, double h, const torque_case *c, double y[4])
{
  static const double at[] = {0, 0.5, 0.5, 1};
  static const double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[4] = {0};
  double sum[4] = {0};
  for (int stage = 0; stage < 4; stage++) {
    double trial[4];
    for (int i = 0; i < 4; i++) {
      trial[i] = y[i] + at[stage] * h * k[i];
    }
    rate(d, t + at[stage] * h, c, trial, k);
    for (int i = 0; i < 4; i++) {
      sum[i] += weight[stage] * k[i];
    }
  }
  for (int i = 0; i < 4; i++) {
    y[i] += h * sum[i];
  }
}

// Steps of 1 ms: (kv h)^5 / 120 a step, 1e-10 in all. The reference is stated to 1e-6, asked for here to 1e-9.
START_TEST(computed_torque)
{
  const torque_case *c = &torque_cases[_i];
  rh_model *m = arm();
  rh_data *d = rh_data_create(m);
  double y[4] = {0.3, 0.2, 0, 0.1};
  double tau[2];
  memcpy(d->q, y, 2 * sizeof *y);
  memcpy(d->v, y + 2, 2 * sizeof *y);
  torques(d, 0, c, tau);
  near_array(tau, c->torque_at_0, 2, 1e-12, 1e-12);
  int made = 0;
  for (int i = 0; i < 5; i++) {
    const double *s = c->sample[i];
    for (; made < (int)lround(1000 * s[0]); made++) {
      step(d, 0.001 * made, 0.001, c, y);
    }
    double q[2];
    double v[2];
    double a[2];
    wanted(s[0], q, v, a);
    const double error[2] = {q[0] - y[0], q[1] - y[1]};
    near_array(error, s + 1, 2, 1e-9, 0);
    memcpy(d->q, y, 2 * sizeof *y);
    memcpy(d->v, y + 2, 2 * sizeof *y);
    torques(d, s[0], c, tau);
    near_array(tau, s + 3, 2, 1e-7, 0); // errors times kp and inertia
  }
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// ---- A robot on its feet

static int corners(const rh_model *m, rh_model_point point[8])
{
  static const char *const foot[] = {"l_foot", "r_foot"};
  for (int i = 0; i < 8; i++) {
    point[i].body = rh_model_find(m, RH_OBJECT_BODY, foot[i / 4]);
    point[i].at = rh_v3(i % 4 < 2 ? -0.08 : 0.15, i % 2 ? 0.05 : -0.05, -0.07);
  }
  return 8;
}

START_TEST(torque_in_contact)
{
  const contact_case *c = &contact_cases[_i];
  rh_model *m = model_of_links(humanoid8, 8, true, true);
  rh_data *d = rh_data_create(m);
  rh_model_point point[8];
  rh_support support = {.n = corners(m, point), .point = point};
  double *room = rh_alloc(rh_support_scratch(m, 8) * sizeof *room);
  double a[13] = {0};
  double effort[7];
  double F[24];
  double sum[3] = {0};
  d->q[2] = 0.85;
  memcpy(d->q + 7, c->q, sizeof c->q);
  rh_kinematics(d);
  ck_assert_int_eq(rh_support_torque(d, &support, a, room, effort, F), c->rank);
  near_array(effort, c->tau, 7, 1e-9, 1e-9); // 1e-7 is stated
  for (int i = 0; i < 24; i++) {
    sum[i % 3] += F[i];
  }
  near_array(sum, c->force, 3, 1e-8, 0);
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

Suite *rh_suite_ref_spatial_control(void)
{
  Suite *suite = suite_create("ref_spatial_control");
  TCase *t = tcase_create("all");
  tcase_add_loop_test(t, swings, 0, RH_COUNT(swing_cases));
  tcase_add_loop_test(t, walks, 0, RH_COUNT(walk_cases));
  tcase_add_loop_test(t, damped_least_squares, 0, RH_COUNT(ik_cases));
  tcase_add_loop_test(t, velocities_and_accelerations, 0, RH_COUNT(velocity_cases));
  tcase_add_loop_test(t, computed_torque, 0, RH_COUNT(torque_cases));
  tcase_add_loop_test(t, torque_in_contact, 0, RH_COUNT(contact_cases));
  suite_add_tcase(suite, t);
  return suite;
}
