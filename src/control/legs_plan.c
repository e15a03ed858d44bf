// The plan of a robot with any number of legs: the gait (gait_legs.c) in the robot's own places. A
// swinging foot goes from where it stood to its next place, by a cubic and a parabola ([Ch] 4.1*,
// 4.5*); one that has not touched when its swing is over goes on down. The zero moment
// point is at the mean of the standing feet, weighted by their shares of the weight ([Ch] 4.4*): it
// stays between the feet. The centre of mass follows it as a pendulum does.
#include "legs.h"

#include <math.h>
#include <string.h>

#define DOWN 0.05 // [m/s] lowering speed of a foot that did not touch
#define DEEP 0.02 // [m] at most

static const char *const gait_name[] = {"walk", "trot", "pace", "bound", "tripod"};

// ---- The start

// Mean of the centres of the shapes of a foot that touch, body axes; the number of its points
static int find_foot_centre(const rh_data *d, int body, rh_vec3 *at)
{
  const rh_model *m = d->model;
  rh_vec3 sum = {0};
  int n = 0;
  for (int i = 0; i < rh_slots_used(d); i++) {
    const rh_slot *s = &d->slot[i];
    for (int side = 0; side < 2 && s->used != 0; side++) {
      const rh_model_shape *shape = &m->shape[(int)(side == 0 ? s->a : s->b)];
      if (shape->body == body) {
        sum = rh_add(sum, shape->place.p);
        n++;
      }
    }
  }
  *at = n > 0 ? rh_scale(1.0 / n, sum) : sum;
  return n;
}

void rh_legs_begin(const rh_data *d, const rh_control *c, const rh_footing *footing)
{
  rh_legs *w = (rh_legs *)c->memory;
  rh_mat3 G = rh_ground_axes(d, c->self->trunk, &footing->frame[0]);
  memcpy(w->G, G.m, sizeof w->G);
  const rh_task com = {.kind = RH_TASK_COM};
  rh_keep(w->com, rh_unrotate(&G, rh_neg(rh_task_error(d, &com))));
  memcpy(w->trunk, d->kin[c->self->trunk].R.m, sizeof w->trunk);
  for (int i = 0; i < c->self->nfoot; i++) {
    int body = c->self->foot[i];
    rh_leg *leg = &w->leg[i];
    rh_vec3 at;
    leg->flat = find_foot_centre(d, body, &at) >= 3;
    rh_vec3 home = rh_unrotate(&G, rh_point_position(d, body, at));
    rh_keep(leg->at, at);
    rh_keep(leg->home, home);
    rh_keep(leg->stand, home);
    memcpy(leg->turn, d->kin[body].R.m, sizeof leg->turn);
  }
  w->since = *d->t;
  w->started = 1;
}

// ---- The plan now

bool rh_legs_known(const double *par, int feet)
{
  double phase[RH_LEGS_MAX];
  double duty;
  return rh_gait_phases(gait_name[(int)par[RH_LEGS_GAIT]], feet, phase, &duty);
}

static rh_gait gait_of(const rh_control *c)
{
  const double *par = c->self->par;
  rh_gait g = {.legs = c->self->nfoot,
               .cycle = par[RH_LEGS_CYCLE],
               .duty = 0.75,
               .stride = par[RH_LEGS_STRIDE],
               .turn = par[RH_LEGS_TURN],
               .height = par[RH_LEGS_HEIGHT],
               .cycles = (int)par[RH_LEGS_CYCLES]};
  // false: the phases are given
  (void)rh_gait_phases(gait_name[(int)par[RH_LEGS_GAIT]], g.legs, g.phase, &g.duty);
  for (int i = 0; i < g.legs; i++) {
    double phase = c->self->phase[i];
    g.phase[i] = isnan(phase) ? g.phase[i] : phase;
  }
  g.duty = par[RH_LEGS_DUTY] > 0 ? par[RH_LEGS_DUTY] : g.duty;
  return g;
}

static rh_vec3 middle_of_homes(const rh_legs_now *now)
{
  rh_vec3 sum = {0};
  for (int i = 0; i < now->gait.legs; i++) {
    sum = rh_add(sum, rh_kept(now->w->leg[i].home));
  }
  return rh_scale(1.0 / now->gait.legs, sum);
}

rh_vec3 rh_legs_moved(const rh_legs_now *now, rh_foothold to, rh_vec3 from)
{
  rh_vec3 middle = middle_of_homes(now);
  rh_vec3 arm = rh_sub(from, middle);
  double c = rh_cos(to.turn);
  double s = rh_sin(to.turn);
  return rh_v3(middle.x + to.x + c * arm.x - s * arm.y, middle.y + to.y + s * arm.x + c * arm.y,
               from.z);
}

rh_mat3 rh_legs_turned(const rh_legs_now *now, double heading)
{
  rh_vec3 n = rh_rotate(&now->G, rh_v3(0, 0, 1));
  return rh_quat_matrix(rh_quat_exp(rh_scale(heading, n)));
}

// The centre of a foot now, ground axes
static rh_vec3 foot_place(const rh_data *d, const rh_legs_now *now, int i)
{
  return rh_unrotate(&now->G,
                     rh_point_position(d, now->c->self->foot[i], rh_kept(now->w->leg[i].at)));
}

static void follow_plan(const rh_data *d, const rh_legs_now *now, int i)
{
  rh_leg *leg = &now->w->leg[i];
  const rh_leg_at *at = &now->at.leg[i];
  double swing = (1 - now->gait.duty) * now->gait.cycle;
  rh_vec3 place = foot_place(d, now, i);
  if (leg->mode == RH_LEG_STANDS && at->swings && at->into < 0.5 * swing) {
    leg->mode = RH_LEG_SWINGS;
    rh_keep(leg->from, place);
  } else if (leg->mode == RH_LEG_SWINGS && !at->swings) {
    leg->mode = RH_LEG_LANDS;
  }
  bool late = leg->mode == RH_LEG_LANDS || at->into > 0.5 * swing;
  if (leg->mode != RH_LEG_STANDS && late && now->touch[i]) {
    leg->mode = RH_LEG_STANDS;
    rh_keep(leg->stand, place);
  }
}

rh_legs_now rh_legs_plan(const rh_data *d, const rh_control *c, const bool touch[RH_FEET_MAX])
{
  rh_legs *w = (rh_legs *)c->memory;
  rh_legs_now now = {.c = c, .w = w, .gait = gait_of(c)};
  memcpy(now.G.m, w->G, sizeof w->G);
  memcpy(now.touch, touch, sizeof now.touch);
  now.t = *d->t - w->since - c->self->par[RH_LEGS_STAND] - rh_gait_ease(&now.gait);
  rh_gait_plan(&now.gait, now.t, &now.at);
  for (int i = 0; i < now.gait.legs; i++) {
    follow_plan(d, &now, i);
  }
  return now;
}

// ---- Tasks

// The zero moment point at a time: the mean of the standing feet, weighted by their shares
static void planned_zmp(const rh_legs_now *now, double t, double p[2])
{
  rh_gait_at at;
  double share = 0;
  p[0] = 0;
  p[1] = 0;
  rh_gait_plan(&now->gait, t, &at);
  for (int i = 0; i < now->gait.legs; i++) {
    rh_vec3 x = rh_legs_moved(now, at.leg[i].from, rh_kept(now->w->leg[i].home));
    p[0] += at.leg[i].load * x.x;
    p[1] += at.leg[i].load * x.y;
    share += at.leg[i].load;
  }
  double stand = now->c->self->par[RH_LEGS_STAND];
  double start = -rh_gait_ease(&now->gait);
  double fade = stand > 0 ? rh_cubic(t - start + stand, stand, 1, 0).x : 0;
  rh_vec3 middle = middle_of_homes(now);
  p[0] = p[0] / share + fade * (now->w->com[0] - middle.x);
  p[1] = p[1] / share + fade * (now->w->com[1] - middle.y);
}

// Nodes and weights of Gauss and Legendre, on 0 to 1
enum { NODES = 8 };

static const double node[NODES] = {0.019855071751231884, 0.10166676129318664, 0.2372337950418355,
                                   0.4082826787521751,   0.5917173212478249,  0.7627662049581645,
                                   0.8983332387068134,   0.9801449282487681};
static const double node_weight[NODES] = {
    0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.1813418916891810,
    0.1813418916891810,  0.15685332293894363, 0.11119051722668724, 0.05061426814518813};

// w times the integral of exp(-w u) p(t + side u) over u > 0, in y = 1 - exp(-w u), in two halves
static void weighted_future(const rh_legs_now *now, double side, double omega, double sum[2])
{
  sum[0] = 0;
  sum[1] = 0;
  for (int k = 0; k < 2 * NODES; k++) {
    double p[2];
    double y = 0.5 * (k / NODES + node[k % NODES]);
    planned_zmp(now, now->t - side * rh_log1p(-y) / omega, p);
    sum[0] += 0.5 * node_weight[k % NODES] * p[0];
    sum[1] += 0.5 * node_weight[k % NODES] * p[1];
  }
}

// c'' = w^2 (c - p): its bounded motion is c = (w/2) times the integral of exp(-w |s - t|) p(s)
// (zmp.c)
static rh_task com_task(const rh_legs_now *now, double pull)
{
  double high = fmax(now->w->com[2] - now->w->leg[0].home[2], 0.01);
  double omega = sqrt(pull / high);
  double after[2];
  double before[2];
  double p[2];
  rh_way c[2];
  weighted_future(now, 1, omega, after);
  weighted_future(now, -1, omega, before);
  planned_zmp(now, now->t, p);
  for (int axis = 0; axis < 2; axis++) {
    c[axis].x = 0.5 * (after[axis] + before[axis]);
    c[axis].v = 0.5 * omega * (after[axis] - before[axis]);
    c[axis].a = omega * omega * (c[axis].x - p[axis]);
  }
  return (rh_task){.kind = RH_TASK_COM,
                   .weight = 1,
                   .p = rh_rotate(&now->G, rh_v3(c[0].x, c[1].x, now->w->com[2])),
                   .v = rh_rotate(&now->G, rh_v3(c[0].v, c[1].v, 0)),
                   .a = rh_rotate(&now->G, rh_v3(c[0].a, c[1].a, 0))};
}

static rh_task turn_task(const rh_legs_now *now, int body, const double start[9], rh_way heading)
{
  rh_task task = {.kind = RH_TASK_TURN, .body = body, .weight = 1};
  rh_vec3 n = rh_rotate(&now->G, rh_v3(0, 0, 1));
  rh_mat3 turn = rh_legs_turned(now, heading.x);
  memcpy(task.R.m, start, sizeof task.R.m);
  task.R = rh_mat3_mul(&turn, &task.R);
  task.v = rh_scale(heading.v, n);
  task.a = rh_scale(heading.a, n);
  return task;
}

// A standing foot is wanted where it is: a ball rolls under its leg, and the ground decides.
static rh_task foot_task(const rh_data *d, const rh_legs_now *now, int i)
{
  const rh_leg *leg = &now->w->leg[i];
  const rh_leg_at *at = &now->at.leg[i];
  double swing = (1 - now->gait.duty) * now->gait.cycle;
  rh_vec3 p = foot_place(d, now, i);
  rh_vec3 v = {0};
  rh_vec3 a = {0};
  if (leg->mode != RH_LEG_STANDS) {
    bool over = leg->mode == RH_LEG_LANDS;
    rh_vec3 from = rh_kept(leg->from);
    rh_vec3 way = rh_sub(rh_legs_moved(now, at->to, rh_kept(leg->home)), from);
    rh_way k = over ? (rh_way){1, 0, 0} : rh_cubic(at->into, swing, 0, 1);
    rh_way hop = rh_swing_arc(at->into, swing, now->gait.height);
    hop = over ? (rh_way){-fmin(DOWN * at->into, DEEP), 0, 0} : hop;
    rh_vec3 z = rh_v3(0, 0, 1);
    p = rh_addscaled(rh_addscaled(from, k.x, way), hop.x, z);
    v = rh_addscaled(rh_scale(k.v, way), hop.v, z);
    a = rh_addscaled(rh_scale(k.a, way), hop.a, z);
  }
  return (rh_task){.kind = RH_TASK_POINT,
                   .body = now->c->self->foot[i],
                   .at = rh_kept(leg->at),
                   .weight = 1,
                   .p = rh_rotate(&now->G, p),
                   .v = rh_rotate(&now->G, v),
                   .a = rh_rotate(&now->G, a)};
}

int rh_legs_tasks(const rh_data *d, const rh_legs_now *now, rh_task *task)
{
  double swing = (1 - now->gait.duty) * now->gait.cycle;
  int n = 0;
  double pull = fmax(-rh_unrotate(&now->G, d->model->gravity).z, 0.1);
  task[n++] = com_task(now, pull);
  task[n++] = turn_task(now, now->c->self->trunk, now->w->trunk, now->at.body[2]);
  for (int i = 0; i < now->gait.legs; i++) {
    const rh_leg_at *at = &now->at.leg[i];
    rh_way heading = rh_cubic(at->into, swing, at->from.turn, at->to.turn);
    heading = at->swings ? heading : (rh_way){at->to.turn, 0, 0};
    task[n++] = foot_task(d, now, i);
    if (now->w->leg[i].flat != 0) {
      task[n++] = turn_task(now, now->c->self->foot[i], now->w->leg[i].turn, heading);
    }
  }
  return n;
}
