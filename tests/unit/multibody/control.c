// unit_control.c: tasks, inverse kinematics with the centre of mass, ZMP motion, torques of a robot on its feet: closed forms, invariants,
// two routes to one answer; then the controllers in the loop: an arm that follows its law, the Atlas that stands and takes steps.
#include "control/control.h"
#include "data/spatial_trees.h"
#include "world.h"

#include <math.h>

enum { NV = 34 };

static rh_scene *atlas(void)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status =
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/atlas-walk.yaml", NULL, 0, diag, &scene);
  say_messages(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return scene;
}

static rh_data *moving(const rh_model *m, uint64_t seed)
{
  rng r = {seed};
  rh_data *d = rh_data_create(m);
  for (int k = 0; k < m->nv; k++) {
    d->v[k] = rng_in(&r, -1, 1);
  }
  rh_kinematics(d);
  return d;
}

// J v is the momentum over the mass; J a + J' v by differences along the motion.
START_TEST(centre_of_mass)
{
  rh_model *m = model_of(atlas());
  rh_data *d = moving(m, 7);
  const rh_task com = {.kind = RH_TASK_COM};
  double J[3 * NV];
  double work[3 * NV];
  double sum[3] = {0};
  rh_task_jacobian(d, &com, work, J);
  for (int i = 0; i < 3 * m->nv; i++) {
    sum[i / m->nv] += J[i] * d->v[i % m->nv];
  }
  rh_vec3 p = rh_scale(1 / rh_total_mass(m), rh_momentum(d).lin);
  rh_vec3 v = rh_task_velocity(d, &com);
  near_array(sum, &p.x, 3, 1e-13, 0); // a hundred sums of numbers of size 1
  near_array(&v.x, &p.x, 3, 1e-13, 0);
  rh_vec3 bias = rh_task_bias(d, &com);
  const double h = 1e-5; // differences: h^2 from the formula, 1e-16 / h from rounding
  rh_coordinates_advance(d, h, d->q);
  rh_kinematics(d);
  rh_vec3 later = rh_task_velocity(d, &com);
  rh_coordinates_advance(d, -2 * h, d->q);
  rh_kinematics(d);
  rh_vec3 slope = rh_scale(0.5 / h, rh_sub(later, rh_task_velocity(d, &com)));
  near_array(&slope.x, &bias.x, 3, 1e-7, 0);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// Three points as in the thesis: the centre of mass and two feet, each foot with its attitude; the base moves too.
START_TEST(ik_of_a_robot)
{
  rh_model *m = model_of(atlas());
  rh_data *d = rh_data_create(m);
  rh_kinematics(d);
  rh_task task[5];
  static const char *const foot[] = {"l_foot", "r_foot"};
  double *room = rh_alloc(rh_ik_scratch(m, 5) * sizeof *room);
  for (int i = 0; i < 2; i++) {
    int body = rh_model_find(m, RH_OBJECT_BODY, foot[i]);
    task[2 * i] = (rh_task){.kind = RH_TASK_POINT, .body = body, .p = d->kin[body].p, .weight = 1};
    task[2 * i + 1] =
        (rh_task){.kind = RH_TASK_TURN, .body = body, .R = d->kin[body].R, .weight = 1};
  }
  rh_vec3 shift = rh_v3(0.02, 0.08, -0.05);
  task[4] = (rh_task){.kind = RH_TASK_COM, .p = rh_add(rh_centre_of_mass(d), shift), .weight = 1};
  rh_ik_answer answer = rh_ik_solve(d, task, 5, &(rh_ik){0.01, 1e-10, 100, NULL}, room);
  ck_assert_msg(answer.solved, "left %g after %d", answer.error, answer.iterations);
  rh_vec3 com = rh_centre_of_mass(d);
  near_array(&com.x, &task[4].p.x, 3, 1e-10, 0); // as asked for
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// c'' = w^2 (c - p) everywhere; x, v, a belong together; it rests in the middle before and behind.
START_TEST(zmp)
{
  static const double place[] = {0, 0, 0, 0.1, 0.2, -0.1, 0.2, 0};
  const rh_zmp z = {.cycle = 1.1, .shift = 0.5, .omega = 3, .legs = 3, .place = place};
  for (int i = 0; i < 200; i++) {
    double t = -2 + 0.0371 * i;
    rh_way c[2];
    rh_way before[2];
    rh_way after[2];
    double p[2];
    double q[2];
    const double h = 1e-6;
    rh_zmp_com(&z, t - h, before, q);
    rh_zmp_com(&z, t + h, after, q);
    rh_zmp_com(&z, t, c, p);
    for (int axis = 0; axis < 2; axis++) {
      near_abs(c[axis].a, 9 * (c[axis].x - p[axis]), 1e-14);
      near_abs((after[axis].x - before[axis].x) / (2 * h), c[axis].v, 1e-9); // rounding over h
      near_abs((after[axis].v - before[axis].v) / (2 * h), c[axis].a, 1e-5); // a has kinks
    }
  }
  rh_way c[2];
  double p[2];
  rh_zmp_com(&z, -14, c, p);
  near_abs(c[1].x, 0, 1e-17);
  rh_zmp_com(&z, 20, c, p);
  near_abs(c[0].x, 0.2, 1e-15);
}

END_TEST

// ---- The cone programme

static const char *const feet[] = {"l_foot", "r_foot"};

static rh_support soles(const rh_model *m, rh_model_point point[8], double mu)
{
  for (int i = 0; i < 8; i++) {
    point[i].body = rh_model_find(m, RH_OBJECT_BODY, feet[i / 4]);
    point[i].at = rh_v3(i % 4 < 2 ? -0.082 : 0.178, i % 2 ? 0.0624 : -0.0624, -0.081119);
  }
  return (rh_support){.n = 8, .point = point, .mu = mu};
}

typedef struct trial { // a programme and what it is asked
  rh_data *d;
  const rh_support *support;
  const rh_balance *want;
} trial;

// The objective of efforts and forces, by forward dynamics: a way of its own.
static double objective(const trial *x, const double *effort, const double *F)
{
  rh_data *d = x->d;
  const rh_model *m = d->model;
  double a[NV];
  double J[3 * NV];
  rh_bias(d, a);
  for (int k = 0; k < m->nv; k++) {
    a[k] = -a[k];
  }
  for (int i = 0; i < m->nactuator; i++) {
    a[m->actuator[i].dof] += effort[i];
  }
  for (int pass = 0; pass < 2; pass++) {
    double sum = 0;
    for (int i = 0; i < x->support->n; i++) {
      const rh_model_point *at = &x->support->point[i];
      rh_point_jacobian(d, at->body, at->at, J);
      rh_vec3 b = rh_addscaled(rh_point_bias(d, at->body, at->at), x->want->settle,
                               rh_point_velocity(d, at->body, at->at));
      double moves[3] = {b.x, b.y, b.z};
      for (int k = 0; k < 3 * m->nv; k++) {
        if (pass == 0) {
          a[k % m->nv] += J[k] * F[3 * i + k / m->nv];
        } else {
          moves[k / m->nv] += J[k] * a[k % m->nv];
        }
      }
      sum += moves[0] * moves[0] + moves[1] * moves[1] + moves[2] * moves[2];
    }
    if (pass == 0) {
      rh_mass_solve(d, a);
      continue;
    }
    sum *= x->want->keep * x->want->keep;
    for (int k = 0; k < m->nv; k++) {
      sum += pow(x->want->care[k] * (a[k] - x->want->want[k]), 2);
    }
    return sum;
  }
  return 0;
}

// Whatever is asked for: forces in their cones, efforts within limits, and nothing near that is allowed comes nearer to it.
START_TEST(programme)
{
  rh_model *m = model_of(atlas());
  rh_data *d = moving(m, 11 + (uint64_t)_i);
  rng r = {(uint64_t)_i};
  rh_model_point point[8];
  rh_support support = soles(m, point, 0.6);
  double want[NV];
  double care[NV];
  double effort[NV];
  double F[24];
  double size = pow(10, _i % 4 - 1); // to 100 rad/s^2: most motors are at their limits then
  for (int k = 0; k < m->nv; k++) {
    want[k] = rng_in(&r, -size, size);
    care[k] = 1;
  }
  const rh_balance balance = {.want = want, .care = care, .keep = 100, .settle = 10};
  double *room = rh_alloc(rh_balance_room(m, 8) * sizeof *room);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  ck_assert(rh_balance_solve(d, &support, &balance, room, effort, F));
  double weight = rh_total_mass(m) * 9.81;
  for (int i = 0; i < m->nactuator; i++) {
    ck_assert(effort[i] >= m->actuator[i].lo && effort[i] <= m->actuator[i].hi);
  }
  for (int i = 0; i < 8; i++) {
    const double *f = F + 3 * i;
    ck_assert(f[2] >= 0 && hypot(f[0], f[1]) <= 0.6 * f[2] + 1e-12 * weight);
  }
  const trial x = {d, &support, &balance};
  double best = objective(&x, effort, F);
  for (int n = 0; n < 20; n++) {
    double other[NV];
    double G[24];
    double step = pow(10, -rng_int(&r, 5));
    for (int i = 0; i < m->nactuator; i++) {
      other[i] = effort[i] + step * rng_in(&r, -10, 10);
      other[i] = fmin(fmax(other[i], m->actuator[i].lo), m->actuator[i].hi);
    }
    for (int i = 0; i < 8; i++) { // along an edge of the pyramid, or shorter
      double more = step * rng_in(&r, 0, 100);
      double less = 1 - step * rng_in(&r, 0, 1);
      int axis = rng_int(&r, 2);
      for (int k = 0; k < 3; k++) {
        G[3 * i + k] = less * F[3 * i + k];
      }
      G[3 * i + 2] += more;
      G[3 * i + axis] += (rng_int(&r, 2) ? 0.6 : -0.6) * more;
    }
    ck_assert_double_ge(objective(&x, other, G), best * (1 - 1e-6)); // the small weight of f
  }
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// Standing still asks for nothing that is out of reach: both forms carry the weight and accelerate nothing.
START_TEST(two_forms)
{
  rh_model *m = model_of(atlas());
  rh_data *d = rh_data_create(m);
  rh_model_point point[8];
  rh_support support = soles(m, point, 0.6);
  double *room = rh_alloc((rh_balance_room(m, 8) + rh_support_scratch(m, 8)) * sizeof *room);
  double want[NV] = {0};
  double care[NV];
  double effort[NV];
  double F[24];
  for (int k = 0; k < m->nv; k++) {
    care[k] = 1;
  }
  const rh_balance balance = {.want = want, .care = care, .keep = 100, .settle = 10};
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  for (int form = 0; form < 2; form++) {
    if (form == 0) {
      ck_assert_int_eq(rh_support_torque(d, &support, want, room, effort, F), 12);
    } else {
      ck_assert(rh_balance_solve(d, &support, &balance, room, effort, F));
    }
    double a[NV];
    double up = 0;
    rh_bias(d, a);
    for (int k = 0; k < m->nv; k++) {
      a[k] = -a[k];
    }
    for (int i = 0; i < m->nactuator; i++) {
      a[m->actuator[i].dof] += effort[i];
    }
    for (int i = 0; i < 8; i++) {
      double J[3 * NV];
      rh_point_jacobian(d, point[i].body, point[i].at, J);
      for (int k = 0; k < 3 * m->nv; k++) {
        a[k % m->nv] += J[k] * F[3 * i + k / m->nv];
      }
      up += F[3 * i + 2];
    }
    rh_mass_solve(d, a);
    near_abs(up, rh_total_mass(m) * 9.81,
             form ? 0.01 : 1e-8); // the weight of f, 1e-6, pulls that much
    for (int k = 0; k < m->nv; k++) {
      near_abs(a[k], 0, form ? 1e-3 : 1e-8); // likewise
    }
  }
  rh_free(room);
  rh_data_destroy(d);
  rh_model_destroy(m);
}

END_TEST

// ---- In the loop

static rh_scene *arm(rh_controller_def law)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def upper = body_of("upper", 3, rh_v3(0.24, 0, 0), rh_v3(0.07, 0.07, 0.07));
  rh_body_def lower = body_of("lower", 2, rh_v3(0.2, 0, 0), rh_v3(0.03, 0.03, 0.03));
  rh_joint_def shoulder = joint_of("revolute", "world", "upper", rh_v3(0, -1, 0));
  rh_joint_def elbow = joint_of("revolute", "upper", "lower", rh_v3(0, -1, 0));
  shoulder.v = list_of(1, 0.7, 0);
  elbow.v = list_of(1, -0.4, 0);
  elbow.at[0] = 0.5;
  elbow.damper = list_of(1, 0.3, 0); // computed torque counts it
  add(scene, &upper, &shoulder);
  add(scene, &lower, &elbow);
  for (int i = 0; i < 2; i++) {
    rh_actuator_def motor = rh_actuator_default();
    motor.name = motor.joint = i ? lower.name : upper.name;
    (void)rh_scene_add_actuator(scene, &motor);
  }
  (void)rh_scene_add_controller(scene, &law);
  return scene;
}

// All joints driven, no contact, all the time: errors decay as e'' + 2 sqrt(kp) e' + kp e = 0, from a velocity v_0 as
// v_0 t exp(-w t).
START_TEST(law_is_linear)
{
  rh_controller_def law = rh_controller_default("computed-torque");
  law.par[0] = 25;
  law.par[2] = _i; // projection, cone
  rh_model *m = model_of(arm(law));
  rh_sim *sim = sim_of(m);
  for (int i = 1; i <= 4; i++) {
    double t = 0.25 * i;
    ck_assert_int_eq(rh_sim_run(sim, t), RH_OK);
    const double want[2] = {0.7 * t * exp(-5 * t), -0.4 * t * exp(-5 * t)};
    near_array(rh_sim_view(sim)->q, want, 2, 1e-7, 0); // the run's tolerance is 1e-9 a step
  }
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-6);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// Efforts held between decisions: the finer the rate the nearer to the law without end, in first order.
START_TEST(decisions)
{
  double off[3];
  for (int i = 0; i < 3; i++) {
    rh_controller_def law = rh_controller_default("computed-torque");
    law.par[0] = 25;
    law.rate = 200 << i;
    rh_model *m = model_of(arm(law));
    rh_sim *sim = sim_of(m);
    ck_assert_int_eq(rh_sim_run(sim, 0.2), RH_OK);
    ck_assert_double_eq(rh_sim_view(sim)->ticks[0], 0.2 * law.rate + 1);
    off[i] = rh_sim_view(sim)->q[0] - 0.14 * exp(-1);
    rh_sim_destroy(sim);
    rh_model_destroy(m);
  }
  near_rel(off[0] / off[1], 2, 0.05);
  near_rel(off[1] / off[2], 2, 0.05);
}

END_TEST

// Between two decisions cvode takes one step of its own (short_interval.c): it is as good as the extrapolation of order eight with as many.
START_TEST(one_step_a_decision)
{
  double q[2][2];
  for (int i = 0; i < 2; i++) {
    rh_controller_def law = rh_controller_default("computed-torque");
    law.par[0] = 25;
    law.rate = 500;
    rh_scene *scene = arm(law);
    set_run(scene, i ? "gbs" : "cvode", 0.2, i ? 2e-3 : 1e-9);
    rh_model *m = model_of(scene);
    rh_sim *sim = sim_of(m);
    ck_assert_int_eq(rh_sim_run(sim, 0.2), RH_OK);
    memcpy(q[i], rh_sim_view(sim)->q, sizeof q[i]);
    ck_assert_int_eq(rh_sim_statistics(sim).step.steps, 100);
    rh_sim_destroy(sim);
    rh_model_destroy(m);
  }
  near_array(q[0], q[1], 2, 1e-8, 0); // a hundred steps of 1e-10 each
}

END_TEST

typedef struct snap {
  double *state;
  long index;
} snap;

static rh_status keep_state(void *user, const rh_sim *sim, long index)
{
  snap *s = user;
  if (index == s->index) {
    const rh_data *d = rh_sim_view(sim);
    memcpy(s->state, d->state, (size_t)d->model->layout.nstate * sizeof(double));
  }
  return RH_OK;
}

// What a controller holds is part of the state: a run that goes on from a frame, here between two decisions, has the same bits.
START_TEST(goes_on)
{
  static const char *const kind[] = {"pd", "computed-torque"};
  rh_controller_def law = rh_controller_default(kind[_i % 2]);
  law.rate = _i < 2 ? 30 : 0;
  rh_scene *scene = arm(law);
  rh_record_def record = rh_record_default();
  record.every = 0.01;
  record.batch = 5;
  rh_scene_set_record(scene, &record);
  rh_model *m = model_of(scene);
  snap s = {rh_alloc((size_t)m->layout.nstate * sizeof(double)), 5};
  rh_sim *whole = sim_of(m);
  rh_sim *rest = sim_of(m);
  rh_sim_observe(whole, &(rh_observer){.user = &s, .frame = keep_state});
  ck_assert_int_eq(rh_sim_run(whole, 0.2), RH_OK);
  rh_sim_resume(rest, s.index, s.state);
  ck_assert_int_eq(rh_sim_run(rest, 0.2), RH_OK);
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(whole), 0), rh_data_hash(rh_sim_view(rest), 0));
  rh_sim_destroy(whole);
  rh_sim_destroy(rest);
  rh_free(s.state);
  rh_model_destroy(m);
}

END_TEST

typedef struct watch {
  double low;  // [m] lowest and
  double over; // [N m] farthest beyond a limit
} watch;

static rh_status look(void *user, const rh_sim *sim, long index)
{
  watch *w = user;
  const rh_data *d = rh_sim_view(sim);
  (void)index;
  w->low = fmin(w->low, rh_centre_of_mass(d).z);
  for (int i = 0; i < d->model->nactuator; i++) {
    const rh_model_actuator *a = &d->model->actuator[i];
    w->over = fmax(w->over, fmax(a->lo - d->control.asked[i], d->control.asked[i] - a->hi));
  }
  return RH_OK;
}

// The Atlas on rigid ground stands where it stood.
START_TEST(atlas_stands)
{
  rh_model *m = model_of(atlas());
  rh_sim *sim = sim_of(m);
  rh_vec3 from = rh_centre_of_mass((rh_kinematics(rh_sim_data(sim)), rh_sim_view(sim)));
  watch w = {HUGE_VAL, -HUGE_VAL};
  rh_sim_observe(sim, &(rh_observer){.user = &w, .frame = look});
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  rh_vec3 to = rh_centre_of_mass(rh_sim_view(sim));
  near_abs(to.z, from.z, 1e-3); // it is about to shift its weight; the height is kept
  ck_assert(w.over <= 0);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// It shifts its weight, puts the right foot forward by half a stride and stands on both.
START_TEST(atlas_steps)
{
  rh_model *m = model_of(atlas());
  rh_sim *sim = sim_of(m);
  int foot = rh_model_find(m, RH_OBJECT_BODY, "r_foot");
  watch w = {HUGE_VAL, -HUGE_VAL};
  rh_sim_observe(sim, &(rh_observer){.user = &w, .frame = look});
  ck_assert_int_eq(rh_sim_run(sim, 2.5), RH_OK);
  const rh_data *d = rh_sim_view(sim);
  rh_kinematics(rh_sim_data(sim));
  rh_data *start = rh_data_create(m);
  rh_kinematics(start);
  near_abs(d->kin[foot].p.x - start->kin[foot].p.x, 0.1, 1e-3); // it lands within a millimetre
  near_abs(d->kin[foot].p.z - start->kin[foot].p.z, 0, 1e-3);
  ck_assert(w.low > rh_centre_of_mass(start).z - 0.01); // and the body keeps its height
  ck_assert(w.over <= 0);
  rh_data_destroy(start);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

Suite *rh_suite_unit_control(void)
{
  Suite *suite = suite_create("unit_control");
  TCase *t = tcase_create("all");
  tcase_add_test(t, centre_of_mass);
  tcase_add_test(t, ik_of_a_robot);
  tcase_add_test(t, zmp);
  tcase_add_loop_test(t, programme, 0, 100);
  tcase_add_test(t, two_forms);
  tcase_add_loop_test(t, law_is_linear, 0, 2);
  tcase_add_test(t, atlas_stands);
  tcase_add_test(t, decisions);
  tcase_add_test(t, one_step_a_decision);
  tcase_add_loop_test(t, goes_on, 0, 4);
  tcase_add_test(t, atlas_steps);
  suite_add_tcase(suite, t);
  return suite;
}
