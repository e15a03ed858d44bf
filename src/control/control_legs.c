// Walking with any number of legs, stage by stage as [Ch] ch. 4: the gait gives places of the feet,
// of the centre of mass and of the trunk (legs_plan.c); inverse kinematics by damped least squares
// gives coordinates, velocities and accelerations (ik.c); the outer loop of computed torque adds
// kp e + kd e' (torque.c); the cone programme gives torques within their limits and forces that the
// ground can give (balance_qp.c). The impacts of the feet are the engine's. The walk begins when all
// feet touch the ground; until then the posture is held. A fall: the trunk is tilted by more than 60
// degrees, or the centre of mass is at half its height. Not modelled: uneven ground; balance by stepping.
#include "legs.h"

#include <math.h>
#include <string.h>

#define SETTLE 50   // [1/s] rate at which a moving contact comes to rest
#define KEEP   100  // weight of contacts relative to accelerations
#define TILTED 0.5  // cosine of the trunk's tilt at a fall
#define SUNK   0.5  // part of the height of the centre of mass over the feet, at the start
#define PASSES 20   // of inverse kinematics
#define NEAR   1e-8 // its error [m, rad] at which it ends

static const rh_param param[] = {
    {.name = "gait",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = 4,
     .doc =
         "order of the legs: one after the other (2, 4, 6 legs), diagonal pairs, left and right, "
         "front and back (4), every second leg (6)",
     .type = RH_CHOICE,
     .choices = "walk|trot|pace|bound|tripod"},
    {.name = "stride", .unit = "m", .def = 0.1, .lo = -2, .hi = 2, .doc = "way of a cycle"},
    {.name = "turn",
     .unit = "rad",
     .def = 0,
     .lo = -2,
     .hi = 2,
     .doc = "change of heading per cycle, to the left"},
    {.name = "cycles",
     .unit = "1",
     .def = 4,
     .lo = 0,
     .hi = 1000,
     .doc = "number of strides; then the feet stand as at the start. 0: it stands",
     .type = RH_INTEGER},
    {.name = "cycle", .unit = "s", .def = 2, .lo = 0.05, .hi = 100, .doc = "time of a cycle"},
    {.name = "duty",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = 0.98,
     .doc = "part of a cycle for which a leg stands; 0: that of the gait"},
    {.name = "height",
     .unit = "m",
     .def = 0.03,
     .lo = 0,
     .hi = 1,
     .doc = "maximum height of a swinging foot"},
    {.name = "stand", .unit = "s", .def = 0.5, .lo = 0, .hi = 1e6, .doc = "time before it begins"},
    {.name = "kp",
     .unit = "1/s^2",
     .def = 400,
     .lo = 0,
     .hi = 1e6,
     .doc = "desired acceleration per unit of error; damped critically"},
    {.name = "damping",
     .unit = "1",
     .def = 0.01,
     .lo = 0,
     .hi = 10,
     .doc = "lam of inverse kinematics"},
    {.name = "mu",
     .unit = "1",
     .def = 0.5,
     .lo = 0,
     .hi = 10,
     .doc = "assumed coefficient of friction"},
    {.name = "least",
     .unit = "1",
     .def = 0.01,
     .lo = 0,
     .hi = 0.1,
     .doc = "minimum part of the weight that a point of a standing foot carries"},
};

static size_t larger_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

// q kept; v kept; q, v, a wanted; accelerations; weights; forces
static size_t count_scratch(const rh_model *m)
{
  size_t own = 2 * (size_t)m->nq + 5 * (size_t)m->nv + 3 * RH_SUPPORT_MAX;
  return own + larger_size(rh_ik_scratch(m, RH_LEGS_TASKS), rh_balance_room(m, RH_SUPPORT_MAX));
}

typedef struct wanted { // carved from the scratch
  double *kept_q, *kept_v;
  double *q, *v, *a;
  double *loop, *care, *F, *work;
} wanted;

static wanted carve_scratch(const rh_model *m, double *room)
{
  wanted x = {.kept_q = room};
  x.q = x.kept_q + m->nq;
  x.kept_v = x.q + m->nq;
  x.v = x.kept_v + m->nv;
  x.a = x.v + m->nv;
  x.loop = x.a + m->nv;
  x.care = x.loop + m->nv;
  x.F = x.care + m->nv;
  x.work = x.F + (ptrdiff_t)3 * RH_SUPPORT_MAX;
  return x;
}

// ---- Inverse kinematics

// The posture of the start, carried along by the plan of the body
static void start_posture(const rh_legs_now *now, const rh_model *m, double *q)
{
  memcpy(q, m->start.q0, (size_t)m->nq * sizeof *q);
  const rh_way *body = now->at.body;
  rh_mat3 turn = rh_legs_turned(now, body[2].x);
  rh_quat turned = rh_quat_of_matrix(&turn);
  for (int i = 1; i < m->nbody; i++) {
    double *base = q + m->body[i].qadr;
    if (m->body[i].parent == 0 && m->body[i].joint->free) {
      rh_vec3 at = rh_unrotate(&now->G, rh_kept(base));
      at = rh_legs_moved(now, (rh_foothold){body[0].x, body[1].x, body[2].x}, at);
      rh_keep(base, rh_rotate(&now->G, at));
      rh_quat to = rh_quat_mul(turned, (rh_quat){base[3], base[4], base[5], base[6]});
      const double part[4] = {to.w, to.x, to.y, to.z};
      memcpy(base + 3, part, sizeof part);
    }
  }
}

// q, v and a of the tasks; the state is as before.
static void find_motion(rh_data *d, const rh_legs_now *now, const wanted *x)
{
  const rh_model *m = d->model;
  rh_task task[RH_LEGS_TASKS];
  int n = rh_legs_tasks(d, now, task);
  const rh_ik ik = {now->c->self->par[RH_LEGS_DAMPING], NEAR, PASSES, NULL};
  memcpy(x->kept_q, d->q, (size_t)m->nq * sizeof(double));
  memcpy(x->kept_v, d->v, (size_t)m->nv * sizeof(double));
  start_posture(now, m, d->q);
  (void)rh_ik_solve(d, task, n, &ik, x->work);
  memcpy(x->q, d->q, (size_t)m->nq * sizeof(double));
  (void)rh_ik_velocity(d, task, n, x->work, x->v);
  memcpy(d->v, x->v, (size_t)m->nv * sizeof(double));
  rh_kinematics(d);
  (void)rh_ik_acceleration(d, task, n, x->work, x->a);
  memcpy(d->q, x->kept_q, (size_t)m->nq * sizeof(double));
  memcpy(d->v, x->kept_v, (size_t)m->nv * sizeof(double));
  rh_kinematics(d);
}

// ---- Contacts

static int foot_of_body(const rh_control *c, int body)
{
  for (int i = 0; i < c->self->nfoot; i++) {
    if (c->self->foot[i] == body) {
      return i;
    }
  }
  return RH_NONE;
}

// Returns whether all feet touch.
static bool feel_feet(const rh_control *c, const rh_support *support, bool touch[RH_FEET_MAX])
{
  int n = 0;
  memset(touch, 0, RH_FEET_MAX * sizeof *touch);
  for (int i = 0; i < support->n; i++) {
    int foot = foot_of_body(c, support->point[i].body);
    n += foot != RH_NONE && !touch[foot];
    touch[foot != RH_NONE ? foot : 0] |= foot != RH_NONE;
  }
  return n == c->self->nfoot;
}

// Without the points of feet that swing; with the minimum loads of the others
static void choose_support(const rh_data *d, const rh_legs_now *now, rh_support *support,
                           rh_footing *footing)
{
  double weight = rh_total_mass(d->model) * rh_norm(d->model->gravity);
  int n = 0;
  for (int i = 0; i < support->n; i++) {
    int foot = foot_of_body(now->c, footing->point[i].body);
    if (foot != RH_NONE && now->w->leg[foot].mode == RH_LEG_SWINGS) {
      continue;
    }
    footing->point[n] = footing->point[i];
    footing->frame[n] = footing->frame[i];
    footing->id[n] = footing->id[i];
    // none for a foot that is about to leave the ground
    bool bears = foot != RH_NONE && now->at.leg[foot].load > 0.1;
    footing->least[n++] = bears ? now->c->self->par[RH_LEGS_LEAST] * weight : 0;
  }
  support->n = n;
  support->least = footing->least;
}

static void see_fall(const rh_data *d, const rh_legs_now *now)
{
  rh_legs *w = now->w;
  rh_mat3 was;
  memcpy(was.m, w->trunk, sizeof was.m);
  rh_vec3 n = rh_rotate(&now->G, rh_v3(0, 0, 1));
  rh_vec3 up = rh_rotate(&d->kin[now->c->self->trunk].R, rh_unrotate(&was, n));
  double feet = 0;
  for (int i = 0; i < now->gait.legs; i++) {
    feet += w->leg[i].home[2] / now->gait.legs;
  }
  double high = rh_unrotate(&now->G, rh_centre_of_mass(d)).z - feet;
  if (w->fell == 0 && (rh_dot(up, n) < TILTED || high < SUNK * (w->com[2] - feet))) {
    w->fell = *d->t;
  }
}

static void update_legs(rh_data *d, const rh_control *c, double *effort)
{
  const rh_model *m = d->model;
  const double *par = c->self->par;
  rh_legs *w = (rh_legs *)c->memory;
  const wanted x = carve_scratch(m, c->room);
  bool touch[RH_FEET_MAX];
  rh_footing footing;
  rh_support support = rh_support_find(d, RH_NONE, par[RH_LEGS_MU], &footing);
  if (feel_feet(c, &support, touch) && w->started == 0) {
    rh_legs_begin(d, c, &footing);
  }
  rh_trajectory course = {.q = m->start.q0, .kp = par[RH_LEGS_KP], .kd = 2 * sqrt(par[RH_LEGS_KP])};
  if (w->started != 0) {
    const rh_legs_now now = rh_legs_plan(d, c, touch);
    choose_support(d, &now, &support, &footing);
    see_fall(d, &now);
    find_motion(d, &now, &x);
    course.q = x.q;
    course.v = x.v;
    course.a = x.a;
  }
  rh_trajectory_accelerations(d, &course, x.loop);
  for (int k = 0; k < m->nv; k++) {
    x.care[k] = 1;
  }
  rh_mass_matrix(d);
  const rh_balance want = {.want = x.loop, .care = x.care, .keep = KEEP, .settle = SETTLE};
  (void)rh_balance_solve(d, &support, &want, x.work, effort, x.F);
}

static const char *check_gait(const double *par, int feet)
{
  return rh_legs_known(par, feet) ? NULL
                                  : "has a gait that is not known for its number of feet: walk has "
                                    "2, 4 or 6, trot, pace "
                                    "and bound 4, tripod 6; others need phases";
}

extern const rh_controller rh_controller_legs;

const rh_controller rh_controller_legs = {
    .row = {.name = "legs",
            .cite = "[Ch] 4.1-4.22*",
            .doc =
                "a robot with two to six feet walks by a table of phases, turns and stops: gait, "
                "inverse kinematics, computed torque",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nmemory = RH_LEGS_SIZE,
    .legs = true,
    .check = check_gait,
    .room = count_scratch,
    .update = update_legs,
};
