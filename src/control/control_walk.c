// Walking: stand, shift the weight over one foot, swing the other, repeat. Swinging feet follow the
// plan of gait.c ([Ch] 4.1-4.5*, walker_feet.c); in between, both on the ground, the zero moment
// point moves from the middle of one sole to that of the other, and the centre of mass follows it
// (zmp.c, walker_com.c), so the robot balances sideways too. Torques come from the cone programme
// (balance_qp.c) with the tasks: centre of mass, attitude of the trunk, foot off the ground; joint
// postures have a small weight. With `turn` each step
// leads to another heading (gait.c), and the trunk keeps the mean of the feet. The walk begins when both feet touch the ground: soles, trunk,
// centre of mass and the ground's normal are stored then; until then the posture is held. Ahead is
// the trunk's direction. A fall: the trunk is tilted by more than 60 degrees, or the centre of mass
// is at half its height. Not modelled: uneven ground.
#include "walker.h"

#include <math.h>
#include <string.h>

enum { TASKS = 4 + RH_SUPPORT_MAX };

#define SETTLE 50   // [1/s] rate at which a moving contact comes to rest
#define KEEP   100  // weights: of contacts,
#define TURN_W 3    // of the trunk's attitude,
#define CARE   0.2  // of joints,
#define LOOSE  1e-3 // of the base
#define TILTED 0.5  // cosine of the trunk's tilt at a fall
#define SUNK   0.5  // fraction of its height at a fall

static const rh_param param[] = {
    {.name = "stride",
     .unit = "m",
     .def = 0.2,
     .lo = -2,
     .hi = 2,
     .doc = "length of a step of one foot"},
    {.name = "steps",
     .unit = "1",
     .def = 10,
     .lo = 0,
     .hi = RH_STEPS_MAX,
     .doc = "number of steps; the last brings the feet together",
     .type = RH_INTEGER},
    {.name = "swing",
     .unit = "s",
     .def = 0.6,
     .lo = 0.01,
     .hi = 100,
     .doc = "time for which a foot is in the air"},
    {.name = "shift",
     .unit = "s",
     .def = 0.6,
     .lo = 0.01,
     .hi = 100,
     .doc = "time to shift the weight from foot to foot"},
    {.name = "height",
     .unit = "m",
     .def = 0.05,
     .lo = 0,
     .hi = 1,
     .doc = "maximum height of a swinging foot"},
    {.name = "stand",
     .unit = "s",
     .def = 1,
     .lo = 0,
     .hi = 1e6,
     .doc = "time before the first shift"},
    {.name = "kp",
     .unit = "1/s^2",
     .def = 100,
     .lo = 0,
     .hi = 1e6,
     .doc = "gain of the tasks; damped critically"},
    {.name = "capture",
     .unit = "1/s",
     .def = 6,
     .lo = 0,
     .hi = 1e3,
     .doc = "rate at which the capture point is brought back"},
    {.name = "adjust",
     .unit = "1",
     .def = 1,
     .lo = 0,
     .hi = 1,
     .doc = "part of the displacement of a step that is applied where the capture point is too far "
            "off"},
    {.name = "posture",
     .unit = "1/s^2",
     .def = 25,
     .lo = 0,
     .hi = 1e6,
     .doc = "gain kp of the posture of the joints"},
    {.name = "mu",
     .unit = "1",
     .def = 0.5,
     .lo = 0,
     .hi = 10,
     .doc = "assumed coefficient of friction"},
    {.name = "least",
     .unit = "1",
     .def = 0.03,
     .lo = 0,
     .hi = 0.3,
     .doc = "minimum part of the weight that a standing foot carries"},
    {.name = "turn",
     .unit = "rad",
     .def = 0,
     .lo = -0.8,
     .hi = 0.8,
     .doc = "change of heading per step, to the left; stride 0: it turns on the spot"},
};

static size_t count_scratch(const rh_model *m)
{
  return 2 * (size_t)m->nv + 3 * RH_SUPPORT_MAX + 2 * (RH_STEPS_MAX + 2) +
         rh_balance_room(m, RH_SUPPORT_MAX);
}

// ---- The start

static void store_start_pose(const rh_data *d, const rh_control *c, const rh_footing *footing)
{
  rh_walker *w = (rh_walker *)c->memory;
  rh_mat3 G = rh_ground_axes(d, c->self->trunk, &footing->frame[0]);
  memcpy(w->G, G.m, sizeof w->G);
  const rh_task com = {.kind = RH_TASK_COM};
  rh_keep(w->com, rh_unrotate(&G, rh_neg(rh_task_error(d, &com))));
  memcpy(w->trunk, d->kin[c->self->trunk].R.m, sizeof w->trunk);
  for (int foot = 0; foot < 2; foot++) {
    rh_walker_foot *f = &w->foot[foot];
    const rh_kin_body *k = &d->kin[rh_pace_foot(c, foot)];
    rh_vec3 sum = {0};
    for (int i = 0; i < (int)f->points; i++) {
      sum = rh_add(sum, rh_rotate(&k->R, rh_kept(f->point[i] + 1)));
    }
    rh_keep(f->sole, rh_unrotate(&G, rh_scale(1 / f->points, sum)));
    rh_keep(f->home, rh_unrotate(&G, k->p));
    rh_keep(f->stand, rh_unrotate(&G, k->p));
    memcpy(f->turn, k->R.m, sizeof f->turn);
  }
  w->since = *d->t;
  w->started = 1;
}

// ---- A decision

static rh_pace pace_now(const rh_data *d, const rh_control *c, double *place)
{
  const double *par = c->self->par;
  rh_walker *w = (rh_walker *)c->memory;
  rh_pace p = {.c = c, .w = w, .place = place, .into = -1};
  memcpy(p.G.m, w->G, sizeof w->G);
  p.walk = (rh_walk){par[RH_WALK_SWING], par[RH_WALK_STRIDE], par[RH_WALK_HEIGHT],
                     (int)par[RH_WALK_STEPS], par[RH_WALK_TURN]};
  p.t = *d->t - w->since - par[RH_WALK_STAND];
  p.cycle = par[RH_WALK_SHIFT] + par[RH_WALK_SWING];
  p.step = p.t > 0 ? (int)fmin(floor(p.t / p.cycle), p.walk.steps) : 0;
  double into = p.t - p.step * p.cycle - par[RH_WALK_SHIFT];
  p.into = p.t > 0 && p.step < p.walk.steps ? into : -1;
  double ground =
      0.5 * (w->foot[0].home[2] + w->foot[0].sole[2] + w->foot[1].home[2] + w->foot[1].sole[2]);
  double pull = fmax(-rh_unrotate(&p.G, d->model->gravity).z, 0.1);
  p.omega = sqrt(pull / fmax(w->com[2] - ground, 0.01));
  return p;
}

static rh_task trunk_task(const rh_pace *p)
{
  rh_task task = {.kind = RH_TASK_TURN, .body = p->c->self->trunk};
  task.kp = p->c->self->par[RH_WALK_KP];
  task.weight = TURN_W;
  memcpy(task.R.m, p->w->trunk, sizeof task.R.m);
  rh_way left = rh_feet_heading(p, 0);
  rh_way right = rh_feet_heading(p, 1);
  rh_pace_turn(
      p, (rh_way){0.5 * (left.x + right.x), 0.5 * (left.v + right.v), 0.5 * (left.a + right.a)},
      &task);
  return task;
}

static void see_fall(const rh_data *d, const rh_pace *p, const rh_task *com)
{
  rh_walker *w = p->w;
  rh_mat3 was;
  memcpy(was.m, w->trunk, sizeof was.m);
  rh_vec3 n = rh_rotate(&p->G, rh_v3(0, 0, 1));
  rh_vec3 up = rh_rotate(&d->kin[p->c->self->trunk].R, rh_unrotate(&was, n));
  double ground = w->foot[0].home[2] + w->foot[0].sole[2];
  double high = rh_unrotate(&p->G, com->p).z - ground;
  if (w->fell == 0 && (rh_dot(up, n) < TILTED || high < SUNK * (w->com[2] - ground))) {
    w->fell = *d->t;
  }
}

// Driven joints have a posture; the others are free.
static void weigh_joints(const rh_model *m, double *a, double *care)
{
  for (int k = 0; k < m->nv; k++) {
    care[k] = LOOSE;
  }
  for (int i = 0; i < m->nactuator; i++) {
    care[m->actuator[i].dof] = CARE;
  }
  for (int k = 0; k < m->nv; k++) {
    a[k] = care[k] == LOOSE ? 0 : a[k];
  }
}

static void update_walk(rh_data *d, const rh_control *c, double *effort)
{
  const rh_model *m = d->model;
  const double *par = c->self->par;
  rh_walker *w = (rh_walker *)c->memory;
  double *a = c->room;
  double *care = a + m->nv;
  double *F = care + m->nv;
  double *place = F + (ptrdiff_t)3 * RH_SUPPORT_MAX;
  double *work = place + (ptrdiff_t)2 * (RH_STEPS_MAX + 2);
  rh_footing footing;
  rh_support support = rh_support_find(d, RH_NONE, par[RH_WALK_MU], &footing);
  int touch[2];
  rh_feet_meet(w, c, &support, &footing, touch);
  if (w->started == 0 && touch[0] >= 3 && touch[1] >= 3) {
    store_start_pose(d, c, &footing);
  }
  rh_task task[TASKS];
  int n = 0;
  if (w->started != 0) {
    const rh_pace p = pace_now(d, c, place);
    rh_feet_decide(d, &p, touch);
    rh_feet_support(d, &p, &support, &footing);
    n = rh_feet_tasks(d, &p, &support, &footing, task);
    task[n++] = trunk_task(&p);
    task[n++] = rh_com_task(d, &p);
    see_fall(d, &p, &task[n - 1]);
  }
  const rh_trajectory course = {
      .q = m->start.q0, .kp = par[RH_WALK_POSTURE], .kd = 2 * sqrt(par[RH_WALK_POSTURE])};
  rh_trajectory_accelerations(d, &course, a);
  weigh_joints(m, a, care);
  rh_mass_matrix(d);
  const rh_balance want = {
      .task = task, .ntask = n, .want = a, .care = care, .keep = KEEP, .settle = SETTLE};
  (void)rh_balance_solve(d, &support, &want, work, effort, F);
}

extern const rh_controller rh_controller_walk;

const rh_controller rh_controller_walk = {
    .row = {.name = "walk",
            .cite = "[Ch] 4.1-4.22*",
            .doc = "a robot with two feet stands, shifts its weight, walks straight or in a "
                   "circle, and stops",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nmemory = RH_WALKER_SIZE,
    .walks = true,
    .room = count_scratch,
    .update = update_walk,
};
