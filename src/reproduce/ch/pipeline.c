// pipeline.c: [Ch] ch. 4 in order, on Atlas and by the functions of <routh/robot.h>: a third into its
// first step the gait has the right foot in the air; inverse kinematics finds posture, velocities
// and accelerations; inverse dynamics finds torques and forces under the left foot; computed torque
// adds gains; the right foot comes down, and the impact and its sequence follow. Each stage takes
// what the one before has found.
#include "ch.h"

#include <routh/robot.h>

#include <string.h>

enum { TASKS = 6, SOLE = 4, POINTS = 2 * SOLE };

#define INTO 0.2  // [s] into the step
#define DOWN 0.05 // [m/s] of the foot that comes down

static const rh_walk walk = {.duration = 0.6, .stride = 0.2, .height = 0.05};

typedef struct pipeline {
  rh_model *model;
  rh_data *d;
  double *scratch, *v, *a, *tau, *work;
  rh_task task[TASKS]; // centre of mass, trunk, left foot, right foot
  rh_vec3 home;        // [m] of the right foot
  rh_walk_at plan;
} pipeline;

static rh_status open_pipeline(pipeline *s)
{
  RH_TRY(rh_ch_model(&rh_ch_atlas_scene, NULL, 0, false, &s->model));
  const rh_model *m = s->model;
  size_t nv = (size_t)m->nv;
  size_t most = rh_ik_scratch(m, TASKS);
  most = rh_support_scratch(m, SOLE) > most ? rh_support_scratch(m, SOLE) : most;
  most = rh_impact_points_scratch(m, POINTS) > most ? rh_impact_points_scratch(m, POINTS) : most;
  s->d = rh_data_create(m);
  s->scratch = rh_alloc((most + 10 * nv) * sizeof(double));
  if (s->d == NULL || s->scratch == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  s->v = s->scratch + most;
  s->a = s->v + nv;
  s->tau = s->a + nv;
  s->work = s->tau + nv;
  rh_kinematics(s->d);
  return RH_OK;
}

static void close_pipeline(pipeline *s)
{
  rh_free(s->scratch);
  rh_data_destroy(s->d);
  rh_model_destroy(s->model);
}

// ---- 1: gait

static rh_status plan_feet(pipeline *s, rh_redone *redone)
{
  rh_walk_plan(&walk, INTO, &s->plan);
  const rh_way *x = &s->plan.foot[1][0];
  const rh_way *z = &s->plan.foot[1][1];
  RH_TRY(rh_redone_number(redone, "1 gait", "right foot, x [m]", x->x));
  RH_TRY(rh_redone_number(redone, "1 gait", "its velocity [m/s]", x->v));
  RH_TRY(rh_redone_number(redone, "1 gait", "its acceleration [m/s^2]", x->a));
  RH_TRY(rh_redone_number(redone, "1 gait", "its height [m]", z->x));
  return rh_redone_number(redone, "1 gait", "centre of mass, acceleration [m/s^2]", s->plan.com.a);
}

// ---- 2: inverse kinematics

static rh_task body_turn(const rh_data *d, int body)
{
  return (rh_task){.kind = RH_TASK_TURN, .body = body, .weight = 1, .R = d->kin[body].R};
}

static void pose_tasks(pipeline *s)
{
  const rh_data *d = s->d;
  int left = rh_model_find(s->model, RH_OBJECT_BODY, "l_foot");
  int right = rh_model_find(s->model, RH_OBJECT_BODY, "r_foot");
  const rh_way *x = &s->plan.foot[1][0];
  const rh_way *z = &s->plan.foot[1][1];
  rh_vec3 com = rh_centre_of_mass(d);
  rh_vec3 sole = rh_point_position(d, left, rh_v3(0.048, 0, -0.081)); // its middle
  s->home = d->kin[right].p;
  s->task[0] = (rh_task){.kind = RH_TASK_COM,
                         .weight = 1,
                         .p = rh_v3(com.x + s->plan.com.x, sole.y, com.z),
                         .v = rh_v3(s->plan.com.v, 0, 0),
                         .a = rh_v3(s->plan.com.a, 0, 0)};
  s->task[1] = body_turn(d, rh_model_find(s->model, RH_OBJECT_BODY, "utorso"));
  s->task[2] = (rh_task){.kind = RH_TASK_POINT, .body = left, .weight = 1, .p = d->kin[left].p};
  s->task[3] = body_turn(d, left);
  s->task[4] = (rh_task){.kind = RH_TASK_POINT,
                         .body = right,
                         .weight = 1,
                         .p = rh_add(s->home, rh_v3(x->x, 0, z->x)),
                         .v = rh_v3(x->v, 0, z->v),
                         .a = rh_v3(x->a, 0, z->a)};
  s->task[5] = body_turn(d, right);
}

static rh_status find_posture(pipeline *s, rh_redone *redone)
{
  static const char curve[] = "2 inverse kinematics";
  rh_data *d = s->d;
  pose_tasks(s);
  rh_ik_answer ik = rh_ik_solve(d, s->task, TASKS, &(rh_ik){0.01, 1e-11, 200, NULL}, s->scratch);
  rh_vec3 foot = rh_sub(d->kin[s->task[4].body].p, s->home);
  int rank = rh_ik_velocity(d, s->task, TASKS, s->scratch, s->v);
  memcpy(d->v, s->v, (size_t)s->model->nv * sizeof(double));
  rh_kinematics(d);
  (void)rh_ik_acceleration(d, s->task, TASKS, s->scratch, s->a);
  double off = 0;
  for (int i = 0; i < TASKS; i++) {
    off = fmax(off, rh_norm(rh_sub(rh_task_velocity(d, &s->task[i]), s->task[i].v)));
  }
  RH_TRY(rh_redone_claim(redone, curve, "the posture is found", ik.solved));
  RH_TRY(rh_redone_number(redone, curve, "right foot, x [m]", foot.x));
  RH_TRY(rh_redone_number(redone, curve, "right foot, z [m]", foot.z));
  RH_TRY(rh_redone_number(redone, curve, "rank of the tasks", rank));
  return rh_redone_number(redone, curve, "velocities off the plan [m/s]", off);
}

// ---- 3 and 4: torques

// Largest part of H a + h - S'tau - J'F
static double motion_residue(pipeline *s, const rh_support *support, const double *a,
                             const double *F)
{
  const rh_model *m = s->model;
  double *left = s->work;
  double *J = left + m->nv;
  double most = 0;
  rh_inverse_dynamics(s->d, a, left);
  for (int i = 0; i < m->nactuator; i++) {
    left[m->actuator[i].dof] -= s->tau[i];
  }
  for (int i = 0; i < support->n; i++) {
    rh_point_jacobian(s->d, support->point[i].body, support->point[i].at, J);
    for (int k = 0; k < 3 * m->nv; k++) {
      left[k % m->nv] -= J[k] * F[3 * i + k / m->nv];
    }
  }
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, fabs(left[k]));
  }
  return most;
}

static rh_status find_torques(pipeline *s, rh_redone *redone)
{
  static const char curve[] = "3 inverse dynamics with contact";
  const rh_support support = {.n = SOLE, .point = s->model->point}; // the left sole
  double F[3 * SOLE];
  double sum[3] = {0};
  rh_mass_matrix(s->d);
  int rank = rh_support_torque(s->d, &support, s->a, s->scratch, s->tau, F);
  for (int i = 0; i < 3 * SOLE; i++) {
    sum[i % 3] += F[i];
  }
  RH_TRY(rh_redone_number(redone, curve, "rank of J_c", rank));
  RH_TRY(rh_redone_number(redone, curve, "force of the ground, x [N]", sum[0]));
  RH_TRY(rh_redone_number(redone, curve, "force of the ground, z [N]", sum[2]));
  return rh_redone_number(redone, curve, "residue of the equations of motion [N, N m]",
                          motion_residue(s, &support, s->a, F));
}

// An elbow is 0.1 rad off; nothing else is.
static rh_status correct_error(pipeline *s, rh_redone *redone)
{
  static const char curve[] = "4 computed torque";
  const rh_model *m = s->model;
  rh_data *d = s->d;
  const rh_model_body *elbow = &m->body[rh_model_find(m, RH_OBJECT_JOINT, "l_arm_ely")];
  double *wanted = s->work;
  double *asked = wanted + m->nq;
  double other = 0;
  memcpy(wanted, d->q, (size_t)m->nq * sizeof(double));
  d->q[elbow->qadr] -= 0.1;
  rh_trajectory_accelerations(d, &(rh_trajectory){wanted, s->v, s->a, 100, 20}, asked);
  d->q[elbow->qadr] += 0.1;
  for (int k = 0; k < m->nv; k++) {
    other = k == elbow->vadr ? other : fmax(other, fabs(asked[k] - s->a[k]));
  }
  RH_TRY(rh_redone_number(redone, curve, "asked for by 0.1 rad of error, kp = 100 [rad/s^2]",
                          asked[elbow->vadr] - s->a[elbow->vadr]));
  return rh_redone_number(redone, curve, "asked for without an error [rad/s^2]", other);
}

// ---- 5 and 6: impact

typedef struct touchdown {
  double mu[POINTS], e[POINTS];
  double u[3 * POINTS], p[3 * POINTS];
  rh_impact_sequence out;
  double lost;    // [J]
  double off;     // [N s] momentum that the impulses do not explain
  double fastest; // [m/s] of a point of the right sole after
  double least;   // [m/s] normal velocity of a point after
} touchdown;

static rh_status solve_touchdown(pipeline *s, double e, const char *form, touchdown *t)
{
  rh_data *d = s->d;
  size_t bytes = (size_t)s->model->nv * sizeof(double);
  for (int i = 0; i < POINTS; i++) {
    t->mu[i] = 0.8;
    t->e[i] = e;
  }
  memcpy(d->v, s->v, bytes);
  rh_kinematics(d);
  double before = rh_kinetic_energy(d);
  rh_vec3 p0 = rh_momentum(d).lin;
  t->out = (rh_impact_sequence){.p = t->p, .u = t->u, .v = s->work};
  const rh_impact_points in = {
      .n = POINTS, .point = s->model->point, .mu = t->mu, .e = t->e, .formulation = form};
  RH_TRY(rh_impact_points_solve(d, &in, s->scratch, &t->out));
  memcpy(d->v, s->work, bytes);
  rh_kinematics(d);
  t->lost = before - rh_kinetic_energy(d);
  rh_vec3 gain = rh_sub(rh_momentum(d).lin, p0);
  t->fastest = 0;
  t->least = HUGE_VAL;
  for (int i = 0; i < POINTS; i++) {
    const double *p = t->p + (ptrdiff_t)3 * i;
    gain = rh_sub(gain, rh_v3(p[0], p[1], p[2]));
    t->least = fmin(t->least, t->u[3 * i + 2]);
    for (int k = 0; k < 3 && i >= SOLE; k++) {
      t->fastest = fmax(t->fastest, fabs(t->u[3 * i + k]));
    }
  }
  t->off = rh_norm(gain);
  return RH_OK;
}

// The posture of the start, both soles on the ground; the right foot moves down.
static void bring_foot_down(pipeline *s)
{
  memcpy(s->d->q, s->model->start.q0, (size_t)s->model->nq * sizeof(double));
  rh_kinematics(s->d);
  for (int i = 0; i < TASKS; i++) {
    s->task[i].v = rh_v3(0, 0, i == 4 ? -DOWN : 0);
  }
  (void)rh_ik_velocity(s->d, s->task, TASKS, s->scratch, s->v);
  rh_mass_matrix(s->d);
  rh_mass_factor(s->d);
}

static rh_status land_foot(pipeline *s, rh_redone *redone)
{
  static const char plastic[] = "5 impact, e = 0";
  static const char elastic[] = "6 its sequence, e = 0.3";
  touchdown t;
  bring_foot_down(s);
  RH_TRY(solve_touchdown(s, 0, "coulomb", &t));
  RH_TRY(rh_redone_number(redone, plastic, "right sole, fastest point after [m/s]", t.fastest));
  RH_TRY(rh_redone_number(redone, plastic, "momentum not explained [N s]", t.off));
  RH_TRY(rh_redone_number(redone, plastic, "energy lost less D_n + D_t [J]",
                          t.lost - t.out.Dn - t.out.Dt));
  RH_TRY(solve_touchdown(s, 0.3, "winkler-global", &t));
  RH_TRY(rh_redone_claim(redone, elastic, "no point approaches in the end",
                         t.least > -1e-6 * DOWN && t.out.impacts > 0));
  RH_TRY(rh_redone_number(redone, elastic, "momentum not explained [N s]", t.off));
  return rh_redone_number(redone, elastic, "energy lost less D_n + D_t [J]",
                          t.lost - t.out.Dn - t.out.Dt);
}

rh_status rh_find_ch_pipeline(rh_redone *redone)
{
  pipeline s = {0};
  rh_status status = open_pipeline(&s);
  rh_status (*const stage[])(pipeline *, rh_redone *) = {plan_feet, find_posture, find_torques,
                                                         correct_error, land_foot};
  for (int i = 0; i < RH_COUNT(stage) && status == RH_OK; i++) {
    status = stage[i](&s, redone);
  }
  close_pipeline(&s);
  return status;
}
