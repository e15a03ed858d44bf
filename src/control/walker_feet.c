// Feet of a walking robot. Each stands, swings or lands, by the plan, not by the present contacts:
//   stands  its touching points carry the robot; the others are lowered
//   swings  to its next place: x and y as [Ch] 4.1*, z as [Ch] 4.5* above a straight line between
//           the two heights. Its contacts are ignored
//   lands   the plan is over, or it touches in the second half of its swing: touching points are
//           kept, the others go down at a constant speed, so that a sole that touches with an edge
//           turns about it and lies flat; then it stands where it is
// Points of a sole are added as they touch. A standing foot has a minimum load on every point, so
// that none leaves the ground too early.
#include "walker.h"

#include <math.h>
#include <string.h>

#define AHEAD   0.9  // fraction of a swing with forward motion; then it only goes down
#define DOWN    0.05 // [m/s] lowering speed of a foot
#define DOWN_KD 100  // [1/s] gain of that speed
#define DOWN_W  10   // weights: of all lowered points together,
#define FOOT_W  10   // of a swinging foot;
#define FOOT_KP 4    // its kp relative to the other tasks

int rh_pace_foot(const rh_control *c, int foot)
{
  return foot == 0 ? c->self->left : c->self->right;
}

// ---- Touching points

static void learn_sole_point(rh_walker_foot *foot, int id, rh_vec3 at)
{
  int n = (int)foot->points;
  for (int i = 0; i < n; i++) {
    if (foot->point[i][0] == id) {
      return;
    }
  }
  if (n < RH_SOLE_MAX) {
    foot->point[n][0] = id;
    rh_keep(foot->point[n] + 1, at);
    foot->points = n + 1;
  }
}

void rh_feet_meet(rh_walker *w, const rh_control *c, const rh_support *support,
                  const rh_footing *footing, int touch[2])
{
  for (int foot = 0; foot < 2; foot++) {
    touch[foot] = 0;
    for (int i = 0; i < support->n; i++) {
      if (support->point[i].body == rh_pace_foot(c, foot)) {
        touch[foot]++;
        learn_sole_point(&w->foot[foot], footing->id[i], support->point[i].at);
      }
    }
  }
}

static bool lies_flat(const rh_walker_foot *foot, int touch)
{
  return touch >= 3 && 2 * touch > (int)foot->points;
}

static rh_vec3 foot_origin(const rh_data *d, const rh_pace *p, int foot)
{
  return rh_unrotate(&p->G, d->kin[rh_pace_foot(p->c, foot)].p);
}

void rh_feet_decide(const rh_data *d, const rh_pace *p, const int touch[2])
{
  for (int foot = 0; foot < 2; foot++) {
    rh_walker_foot *f = &p->w->foot[foot];
    bool its = p->into >= 0 && (p->step % 2 == 0) == (foot == 1);
    bool half = p->into > 0.5 * p->walk.duration;
    bool late = p->into > AHEAD * p->walk.duration;
    bool low = late && rh_swing_arc(p->into, p->walk.duration, p->walk.height).v > -DOWN;
    if (f->mode == RH_FOOT_STANDS && its && !half) {
      f->mode = RH_FOOT_SWINGS;
      rh_keep(f->from, foot_origin(d, p, foot));
    } else if (f->mode == RH_FOOT_SWINGS && (!its || low || (half && touch[foot] > 0))) {
      f->mode = RH_FOOT_LANDS;
    }
    if (f->mode == RH_FOOT_LANDS && lies_flat(f, touch[foot])) {
      f->mode = RH_FOOT_STANDS;
      rh_keep(f->stand, foot_origin(d, p, foot));
    }
  }
}

void rh_feet_support(const rh_data *d, const rh_pace *p, rh_support *support, rh_footing *footing)
{
  double weight = rh_total_mass(d->model) * rh_norm(d->model->gravity);
  int n = 0;
  for (int i = 0; i < support->n; i++) {
    int foot = support->point[i].body == rh_pace_foot(p->c, 0) ? 0 : 1;
    const rh_walker_foot *f = &p->w->foot[foot];
    if (support->point[i].body == rh_pace_foot(p->c, foot) && f->mode == RH_FOOT_SWINGS) {
      continue;
    }
    footing->point[n] = footing->point[i];
    footing->frame[n] = footing->frame[i];
    footing->id[n] = footing->id[i];
    double least = p->c->self->par[RH_WALK_LEAST] * weight / fmax(f->points, 1);
    footing->least[n++] = least;
  }
  support->n = n;
  support->least = footing->least;
}

// ---- Positions

// What a turn by `angle` about the ground's normal adds to `arm`: nothing without a turn
static rh_vec3 turn_gain(double angle, rh_vec3 arm)
{
  double c = rh_cos(angle) - 1;
  double s = rh_sin(angle);
  return rh_v3(c * arm.x - s * arm.y, s * arm.x + c * arm.y, 0);
}

static rh_vec3 middle_of_feet(const rh_walker *w)
{
  const rh_walker_foot *f = w->foot;
  rh_vec3 sum = rh_add(rh_kept(f[0].home), rh_kept(f[1].home));
  return rh_scale(0.5, rh_add(sum, rh_add(rh_kept(f[0].sole), rh_kept(f[1].sole))));
}

static rh_vec3 shifted_foot_position(const rh_pace *p, int foot, int before, const double shift[2])
{
  rh_vec3 home = rh_kept(p->w->foot[foot].home);
  rh_foothold place = rh_walk_place(&p->walk, foot, before);
  rh_vec3 turned = turn_gain(place.turn, rh_sub(home, middle_of_feet(p->w)));
  return rh_add(rh_add(home, rh_v3(place.x + shift[0], place.y + shift[1], 0)), turned);
}

rh_vec3 rh_feet_planned(const rh_pace *p, int foot, int before)
{
  static const double none[2] = {0, 0};
  return shifted_foot_position(p, foot, before, none);
}

// The offset shifts the next steps.
static rh_vec3 planned_foot_position(const rh_pace *p, int foot, int before)
{
  return shifted_foot_position(p, foot, before, p->w->offset);
}

rh_way rh_feet_heading(const rh_pace *p, int foot)
{
  double from = rh_walk_place(&p->walk, foot, p->step).turn;
  bool its = p->into >= 0 && (p->step % 2 == 0) == (foot == 1);
  double to = its ? rh_walk_place(&p->walk, foot, p->step + 1).turn : from;
  return its ? rh_cubic(p->into, AHEAD * p->walk.duration, from, to) : (rh_way){from, 0, 0};
}

void rh_pace_turn(const rh_pace *p, rh_way heading, rh_task *task)
{
  rh_vec3 n = rh_rotate(&p->G, rh_v3(0, 0, 1));
  task->v = rh_scale(heading.v, n);
  task->a = rh_scale(heading.a, n);
  if (heading.x != 0) {
    rh_quat q = rh_quat_exp(rh_scale(heading.x, n));
    rh_mat3 turn = rh_quat_matrix(q);
    task->R = rh_mat3_mul(&turn, &task->R);
  }
}

// Steps of that foot among the first `before`
static int count_foot_steps(int foot, int before)
{
  return foot == 1 ? (before + 1) / 2 : before / 2;
}

rh_vec3 rh_feet_sole(const rh_pace *p, int foot, int before)
{
  const rh_walker_foot *f = &p->w->foot[foot];
  bool there = f->mode == RH_FOOT_STANDS &&
               count_foot_steps(foot, before) <= count_foot_steps(foot, p->step);
  rh_vec3 at = there ? rh_kept(f->stand) : planned_foot_position(p, foot, before);
  double turn = rh_walk_place(&p->walk, foot, there ? p->step : before).turn;
  rh_vec3 sole = rh_kept(f->sole);
  return rh_add(at, rh_add(sole, turn_gain(turn, sole)));
}

double rh_feet_ground(const rh_data *d, const rh_pace *p)
{
  double sum = 0;
  int n = 0;
  for (int foot = 0; foot < 2; foot++) {
    if (p->w->foot[foot].mode == RH_FOOT_STANDS) {
      sum += foot_origin(d, p, foot).z - p->w->foot[foot].home[2];
      n++;
    }
  }
  return n > 0 ? sum / n : 0;
}

// ---- Tasks

static rh_task swing_task(const rh_data *d, const rh_pace *p, int foot)
{
  const rh_walker_foot *f = &p->w->foot[foot];
  rh_vec3 from = rh_kept(f->from);
  rh_vec3 to = planned_foot_position(p, foot, p->step + 1);
  to.z += rh_feet_ground(d, p);
  rh_way k = rh_cubic(p->into, AHEAD * p->walk.duration, 0, 1);
  rh_way hop = rh_swing_arc(p->into, p->walk.duration, p->walk.height);
  rh_vec3 way = rh_sub(to, from);
  rh_vec3 z = rh_v3(0, 0, 1);
  rh_vec3 at = rh_addscaled(rh_addscaled(from, k.x, way), hop.x, z);
  rh_vec3 v = rh_addscaled(rh_scale(k.v, way), hop.v, z);
  rh_vec3 a = rh_addscaled(rh_scale(k.a, way), hop.a, z);
  return (rh_task){.kind = RH_TASK_POINT,
                   .body = rh_pace_foot(p->c, foot),
                   .p = rh_rotate(&p->G, at),
                   .v = rh_rotate(&p->G, v),
                   .a = rh_rotate(&p->G, a),
                   .weight = FOOT_W,
                   .kp = FOOT_KP * p->c->self->par[RH_WALK_KP]};
}

static rh_task swing_turn(const rh_pace *p, int foot)
{
  rh_task task = {.kind = RH_TASK_TURN, .body = rh_pace_foot(p->c, foot)};
  task.kp = FOOT_KP * p->c->self->par[RH_WALK_KP];
  task.weight = FOOT_W;
  memcpy(task.R.m, p->w->foot[foot].turn, sizeof task.R.m);
  rh_pace_turn(p, rh_feet_heading(p, foot), &task);
  return task;
}

static bool point_touches(const rh_support *support, const rh_footing *footing, int body, int id)
{
  for (int i = 0; i < support->n; i++) {
    if (support->point[i].body == body && footing->id[i] == id) {
      return true;
    }
  }
  return false;
}

// Lowers the points that do not touch.
static int lower_free_points(const rh_pace *p, const rh_support *support, const rh_footing *footing,
                             int foot, rh_task *task)
{
  const rh_walker_foot *f = &p->w->foot[foot];
  int body = rh_pace_foot(p->c, foot);
  int n = 0;
  for (int i = 0; i < (int)f->points; i++) {
    if (!point_touches(support, footing, body, (int)f->point[i][0])) {
      task[n++] = (rh_task){.kind = RH_TASK_POINT,
                            .body = body,
                            .at = rh_kept(f->point[i] + 1),
                            .v = rh_rotate(&p->G, rh_v3(0, 0, -DOWN)),
                            .weight = DOWN_W / sqrt(f->points),
                            .kd = DOWN_KD};
    }
  }
  return n;
}

int rh_feet_tasks(const rh_data *d, const rh_pace *p, const rh_support *support,
                  const rh_footing *footing, rh_task *task)
{
  int n = 0;
  for (int foot = 0; foot < 2; foot++) {
    if (p->w->foot[foot].mode == RH_FOOT_SWINGS) {
      task[n++] = swing_task(d, p, foot);
      task[n++] = swing_turn(p, foot);
    } else {
      n += lower_free_points(p, support, footing, foot, task + n);
    }
  }
  return n;
}
