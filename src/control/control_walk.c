// Walking: stand, shift the weight over one foot, swing the other, and so on. The feet go by the plan of gait.c ([Ch] 4.1-4.5*) while they
// swing; in between, both on the ground, the point of zero moment goes from the middle of one sole to that of the other, and the centre
// of mass goes with it (zmp.c), so that the robot balances sideways too. Torques come from the cone programme (balance.c) with the
// tasks: centre of mass, attitude of the trunk, pose of a foot that is not on the ground; postures of the joints are worth little. A foot that
// should stand and does not touch yet is lowered until it does. The first decision remembers where soles, trunk and centre of mass are. Uneven
// ground, turning, and steps that are put elsewhere after a push are left out.
#include "control/control.h"

#include <math.h>
#include <string.h>

enum { STRIDE, STEPS, SWING, SHIFT, HEIGHT, STAND, KP, POSTURE, MU };

// Memory
enum {
  STARTED,
  COM,
  FOOT = COM + 3,
  SOLE = FOOT + 6,
  TURN = SOLE + 4,
  LANDED = TURN + 27,
  NMEMORY = LANDED + 2
};

enum { STEPS_MAX = 400, TASKS = 6, FLAT = 3 }; // FLAT: points on which a foot lies flat

#define SETTLE  50   // [1/s] at which a contact that moves shall come to rest
#define KEEP    100  // weights: of contacts,
#define COM_W   10   // of the centre of mass,
#define FOOT_W  10   // of a foot that swings,
#define FOOT_KP 4    // and its kp beside that of the others,
#define TURN_W  3    // of attitudes,
#define GIVE    0.05 // part of the kp of a foot's attitude that is left when an edge touches
#define CARE    0.2  // of joints,
#define LOOSE   1e-3 // of the base
#define LOWER   2e-3 // [m] by which a foot that shall stand is lowered to find the ground

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
     .hi = STEPS_MAX,
     .doc = "how many; the last brings the feet together",
     .type = RH_INTEGER},
    {.name = "swing",
     .unit = "s",
     .def = 0.6,
     .lo = 0.01,
     .hi = 100,
     .doc = "time a foot is in the air"},
    {.name = "shift",
     .unit = "s",
     .def = 0.6,
     .lo = 0.01,
     .hi = 100,
     .doc = "time for the weight to go from foot to foot"},
    {.name = "height",
     .unit = "m",
     .def = 0.05,
     .lo = 0,
     .hi = 1,
     .doc = "of a swinging foot at its highest"},
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
     .doc = "of the tasks; damped critically"},
    {.name = "posture",
     .unit = "1/s^2",
     .def = 25,
     .lo = 0,
     .hi = 1e6,
     .doc = "kp of the joints' posture"},
    {.name = "mu",
     .unit = "1",
     .def = 0.5,
     .lo = 0,
     .hi = 10,
     .doc = "friction that may be counted on"},
};

static size_t room(const rh_model *m)
{
  return 2 * (size_t)m->nv + 3 * RH_SUPPORT_MAX + 2 * (STEPS_MAX + 2) +
         rh_balance_room(m, RH_SUPPORT_MAX);
}

static int foot_body(const rh_control *c, int foot)
{
  return foot == 0 ? c->self->left : c->self->right;
}

static void keep3(double *to, rh_vec3 x)
{
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
}

static rh_vec3 kept3(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

static int touching(const rh_support *support, int body)
{
  int n = 0;
  for (int i = 0; i < support->n; i++) {
    n += support->point[i].body == body;
  }
  return n;
}

// Middle of the points of a foot that touch, seen from its origin; under the origin if none does.
static void find_sole(const rh_data *d, const rh_support *support, int body, double sole[2])
{
  int n = touching(support, body);
  sole[0] = sole[1] = 0;
  for (int i = 0; i < support->n; i++) {
    if (support->point[i].body == body) {
      rh_vec3 r = rh_rotate(&d->kin[body].R, support->point[i].at);
      sole[0] += r.x / n;
      sole[1] += r.y / n;
    }
  }
}

static void remember(const rh_data *d, const rh_control *c, const rh_support *support)
{
  double *s = c->memory;
  const int body[3] = {c->self->left, c->self->right, c->self->trunk};
  s[STARTED] = s[LANDED] = s[LANDED + 1] = 1;
  const rh_task com = {.kind = RH_TASK_COM};
  keep3(s + COM, rh_neg(rh_task_error(d, &com)));
  for (int i = 0; i < 3; i++) {
    memcpy(s + TURN + (ptrdiff_t)9 * i, d->kin[body[i]].R.m, 9 * sizeof *s);
    if (i < 2) {
      keep3(s + FOOT + (ptrdiff_t)3 * i, d->kin[body[i]].p);
      find_sole(d, support, body[i], s + SOLE + (ptrdiff_t)2 * i);
    }
  }
}

// Where the sole's middle is, x and y, when `before` steps have been made.
static void sole_at(const rh_control *c, const rh_walk *walk, int foot, int before, double at[2])
{
  const double *s = c->memory;
  at[0] = s[FOOT + 3 * foot] + s[SOLE + 2 * foot] + rh_walk_stand(walk, foot, before);
  at[1] = s[FOOT + 3 * foot + 1] + s[SOLE + 2 * foot + 1];
}

static void places(const rh_control *c, const rh_walk *walk, double *place)
{
  double left[2];
  double right[2];
  for (int k = 0; k <= walk->steps + 1; k++) {
    bool both = k == 0 || k == walk->steps + 1;
    int before = k == 0 ? 0 : k - 1;
    sole_at(c, walk, 0, before, left);
    sole_at(c, walk, 1, before, right);
    for (int axis = 0; axis < 2; axis++) {
      // step k - 1 is made on the other foot: the first swings the right one
      double one = (k - 1) % 2 == 0 ? left[axis] : right[axis];
      place[2 * k + axis] = both ? 0.5 * (left[axis] + right[axis]) : one;
    }
  }
}

// The centre of mass; at the start it leaves from where it was.
static rh_task com_task(const rh_data *d, const rh_control *c, const rh_zmp *zmp, double t)
{
  const double *s = c->memory;
  rh_way com[2];
  double point[2];
  rh_zmp_com(zmp, t, com, point);
  double stand = c->self->par[STAND];
  rh_way fade = stand > 0 ? rh_cubic(*d->t, stand, 1, 0) : (rh_way){0};
  for (int axis = 0; axis < 2; axis++) {
    double off = s[COM + axis] - zmp->place[axis];
    com[axis].x += fade.x * off;
    com[axis].v += fade.v * off;
    com[axis].a += fade.a * off;
  }
  return (rh_task){.kind = RH_TASK_COM,
                   .p = rh_v3(com[0].x, com[1].x, s[COM + 2]),
                   .v = rh_v3(com[0].v, com[1].v, 0),
                   .a = rh_v3(com[0].a, com[1].a, 0),
                   .weight = COM_W,
                   .kp = c->self->par[KP]};
}

static rh_task turn_task(const rh_control *c, int which, int body)
{
  rh_task task = {.kind = RH_TASK_TURN, .body = body};
  task.kp = (which == 2 ? 1 : FOOT_KP) * c->self->par[KP];
  task.weight = which == 2 ? TURN_W : FOOT_W;
  memcpy(task.R.m, c->memory + TURN + (ptrdiff_t)9 * which, sizeof task.R.m);
  return task;
}

static rh_task foot_task(const rh_control *c, int foot, const rh_walk_at *at, bool lower)
{
  const rh_way *x = &at->foot[foot][0];
  const rh_way *z = &at->foot[foot][1];
  rh_vec3 from = kept3(c->memory + FOOT + (ptrdiff_t)3 * foot);
  return (rh_task){.kind = RH_TASK_POINT,
                   .body = foot_body(c, foot),
                   .p = rh_add(from, rh_v3(x->x, 0, lower ? -LOWER : z->x)),
                   .v = rh_v3(x->v, 0, z->v),
                   .a = rh_v3(x->a, 0, z->a),
                   .weight = FOOT_W,
                   .kp = FOOT_KP * c->self->par[KP]};
}

// The plan of the feet, with the time of shifts taken out of it.
static void feet_now(const rh_control *c, const rh_walk *walk, double t, rh_walk_at *at)
{
  double cycle = c->self->par[SHIFT] + walk->duration;
  int step = t > 0 ? (int)fmin(floor(t / cycle), walk->steps) : 0;
  double since = t - step * cycle - c->self->par[SHIFT];
  bool swings = t > 0 && step < walk->steps && since > 0;
  rh_walk_plan(walk, step * walk->duration + (swings ? since : 0), at);
  if (!swings) {
    at->swinging = RH_NONE;
    for (int foot = 0; foot < 2; foot++) {
      at->foot[foot][0] = (rh_way){rh_walk_stand(walk, foot, step), 0, 0};
      at->foot[foot][1] = (rh_way){0};
    }
  }
}

// A foot stands if it lies flat on the ground, or if the other swings; else its contacts are not counted on. If neither lies
// flat things stay as they are.
static rh_support find_support(const rh_data *d, const rh_control *c, const rh_walk_at *at,
                               rh_footing *footing, int touch[2])
{
  double mu = c->self->par[MU];
  rh_support support = rh_support_find(d, RH_NONE, mu, footing);
  int without = RH_NONE;
  double *landed = c->memory + LANDED;
  for (int foot = 0; foot < 2; foot++) {
    touch[foot] = touching(&support, foot_body(c, foot));
  }
  for (int foot = 0; foot < 2; foot++) {
    if (at->swinging != RH_NONE) {
      landed[foot] = at->swinging != foot;
    } else if (touch[0] >= FLAT || touch[1] >= FLAT) {
      landed[foot] = touch[foot] >= FLAT;
    }
    without = landed[foot] == 0 ? foot_body(c, foot) : without;
  }
  return without == RH_NONE ? support : rh_support_find(d, without, mu, footing);
}

// An edge or a corner that touches turns the foot; it gives way until it lies flat.
static int choose_tasks(const rh_control *c, const rh_walk_at *at, const int touch[2],
                        rh_task *task)
{
  int n = 0;
  task[n++] = turn_task(c, 2, c->self->trunk);
  for (int foot = 0; foot < 2; foot++) {
    bool swings = at->swinging == foot;
    if (c->memory[LANDED + foot] == 0) {
      task[n++] = foot_task(c, foot, at, !swings);
      task[n] = turn_task(c, foot, foot_body(c, foot));
      task[n].kp *= !swings && touch[foot] > 0 ? GIVE : 1;
      n++;
    }
  }
  return n;
}

// Joints that are driven have a posture; what is not driven goes where it must.
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

static void update(rh_data *d, const rh_control *c, double *effort)
{
  const rh_model *m = d->model;
  const double *par = c->self->par;
  double *a = c->room;
  double *care = a + m->nv;
  double *F = care + m->nv;
  double *place = F + (ptrdiff_t)3 * RH_SUPPORT_MAX;
  double *work = place + (ptrdiff_t)2 * (STEPS_MAX + 2);
  const rh_walk walk = {par[SWING], par[STRIDE], par[HEIGHT], (int)par[STEPS]};
  rh_footing footing;
  rh_support support = rh_support_find(d, RH_NONE, par[MU], &footing);
  if (c->memory[STARTED] == 0) {
    remember(d, c, &support);
  }
  double t = *d->t - par[STAND];
  rh_walk_at at;
  rh_task task[TASKS];
  feet_now(c, &walk, t, &at);
  int touch[2];
  support = find_support(d, c, &at, &footing, touch);
  places(c, &walk, place);
  double ground = 0.5 * (c->memory[FOOT + 2] + c->memory[FOOT + 5]);
  double high = fmax(c->memory[COM + 2] - ground, 0.01);
  const rh_zmp zmp = {.cycle = par[SHIFT] + par[SWING],
                      .shift = par[SHIFT],
                      .omega = sqrt(fmax(rh_norm(m->gravity), 0.1) / high),
                      .legs = walk.steps + 1,
                      .place = place};
  int n = choose_tasks(c, &at, touch, task);
  task[n++] = com_task(d, c, &zmp, t);
  const rh_course course = {.q = m->q0, .kp = par[POSTURE], .kd = 2 * sqrt(par[POSTURE])};
  rh_course_accelerations(d, &course, a);
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
            .doc = "a robot with two feet stands, shifts its weight and walks straight ahead",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nmemory = NMEMORY,
    .walks = true,
    .room = room,
    .update = update,
};
