// See metrics.h. Definitions are those of the reference runs: penetrations of the hand are those of
// the tool's shapes at the hand's pose; a bounce is counted per other shape, when all of it is
// left.
#include "metrics.h"

#include "contacts/simulation.h"

#include <math.h>
#include <string.h>

struct rh_metrics {
  const rh_model *m;
  rh_metrics_opt opt;
  rh_metrics_result r;
  double sum[6];               // [N s, N m s] in the present window
  double spent;                // [s] of it
  double contact, both, apart; // [N^2] sums of squares: of contacts, with the device, difference
  bool *touched;               // shapes that the hand touches (nshape)
  rh_xform tool;               // frame of the tool seen from the hand
};

static int hand_of(const rh_model *m)
{
  return m->haptic.device != RH_NONE ? m->haptic.device : m->haptic.tool;
}

rh_metrics_opt rh_metrics_default(void)
{
  rh_metrics_opt opt = {.near = 5e-4, .turned = 0.01, .left = 1e-5};
  opt.goal_R = rh_mat3_identity();
  return opt;
}

// Frame of the tool seen from the hand: that of the start, unless they are twins (haptic/grip.c)
static rh_status hold_tool(const rh_model *m, rh_xform *tool)
{
  *tool = (rh_xform){rh_mat3_identity(), {0, 0, 0}};
  if (m->haptic.device == RH_NONE || m->haptic.twin) {
    return RH_OK;
  }
  rh_data *d = rh_data_create(m);
  if (!d) {
    return RH_OUT_OF_MEMORY;
  }
  rh_kinematics(d);
  const rh_kin_body *hand = &d->kin[m->haptic.device];
  const rh_kin_body *body = &d->kin[m->haptic.tool];
  rh_mat3 back = rh_mat3_transpose(&hand->R);
  *tool = (rh_xform){rh_mat3_mul(&back, &body->R), rh_rotate(&back, rh_sub(body->p, hand->p))};
  rh_data_destroy(d);
  return RH_OK;
}

void rh_metrics_destroy(rh_metrics *metrics)
{
  rh_free(metrics);
}

rh_status rh_metrics_create(const rh_model *m, const rh_metrics_opt *opt, rh_metrics **metrics)
{
  rh_metrics *x = rh_alloc(sizeof *x + (size_t)m->nshape * sizeof(bool));
  *metrics = x;
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  x->m = m;
  x->opt = *opt;
  x->touched = (bool *)(void *)(x + 1);
  rh_status status = hold_tool(m, &x->tool);
  if (status != RH_OK) {
    rh_metrics_destroy(x);
    *metrics = NULL;
  }
  return status;
}

static rh_geom placed_at(const rh_data *d, int shape, const rh_xform *b)
{
  const rh_model_shape *s = &d->model->shape[shape];
  rh_geom g = {.kind = s->kind, .par = s->par, .mesh = s->mesh};
  g.R = rh_mat3_mul(&b->R, &s->place.R);
  g.p = rh_add(b->p, rh_rotate(&b->R, s->place.p));
  return g;
}

static const double LOOK = 1e-3; // [m] larger gaps are equal

static rh_xform place_of(const rh_data *d, int body)
{
  return (rh_xform){d->kin[body].R, d->kin[body].p};
}

// Greatest depth (< 0: gap) of the tool's shapes against another, with the tool at a place.
static double depth_at(const rh_data *d, int other, const rh_xform *tool)
{
  const rh_model *m = d->model;
  double deepest = -LOOK;
  rh_xform there = place_of(d, m->shape[other].body);
  rh_geom g = placed_at(d, other, &there);
  for (int i = 0; i < m->nshape; i++) {
    rh_touch touch[RH_TOUCH_MAX];
    if (m->shape[i].body != m->haptic.tool || rh_shape_pair_of(m, i, other).rule == RH_NONE) {
      continue;
    }
    rh_geom mine = placed_at(d, i, tool);
    int n = rh_collide_surfaces(&mine, &g, LOOK, touch);
    for (int k = 0; k < n; k++) {
      deepest = fmax(deepest, touch[k].depth);
    }
  }
  return deepest;
}

static void add_depths(rh_metrics *x, const rh_data *d)
{
  const rh_model *m = x->m;
  rh_xform tool = place_of(d, m->haptic.tool);
  rh_xform hand = place_of(d, hand_of(m));
  rh_xform held = {rh_mat3_mul(&hand.R, &x->tool.R), rh_add(hand.p, rh_rotate(&hand.R, x->tool.p))};
  for (int i = 0; i < m->nshape; i++) {
    if (m->shape[i].body == m->haptic.tool || m->shape[i].body == m->haptic.device) {
      continue;
    }
    double depth = depth_at(d, i, &held);
    x->r.pen_hand = fmax(x->r.pen_hand, depth);
    x->r.pen_tool = fmax(x->r.pen_tool, depth_at(d, i, &tool));
    if (depth > 0) {
      x->touched[i] = true;
    } else if (x->touched[i] && depth < -x->opt.left) {
      x->touched[i] = false;
      x->r.bounces++;
    }
  }
}

static void add_place(rh_metrics *x, const rh_data *d)
{
  const rh_kin_body *b = &d->kin[hand_of(x->m)];
  rh_mat3 back = rh_mat3_transpose(&x->opt.goal_R);
  rh_mat3 turn = rh_mat3_mul(&b->R, &back);
  if (rh_norm(rh_sub(b->p, x->opt.goal)) > x->opt.near) {
    x->r.t_pos = *d->t;
  }
  if (rh_norm(rh_quat_log(rh_quat_of_matrix(&turn))) > x->opt.turned) {
    x->r.t_ang = *d->t;
  }
  x->r.t_settle = fmax(x->r.t_pos, x->r.t_ang);
}

static void add_forces(rh_metrics *x, const rh_data *d)
{
  double dt = x->m->run.engine_par[0];
  double window = x->opt.window > dt ? x->opt.window : dt;
  for (int i = 0; i < 6; i++) {
    x->sum[i] += d->haptic->wrench[i] * dt;
  }
  x->spent += dt;
  if (x->spent < window * (1 - 1e-9)) {
    return;
  }
  for (int i = 0; i < 6; i++) {
    x->r.peak[i] = fmax(x->r.peak[i], fabs(x->sum[i]) / window);
    x->sum[i] = 0;
  }
  x->spent = 0;
}

static void add_transparency(rh_metrics *x, const rh_data *d)
{
  for (int i = 0; i < 3; i++) {
    double env = d->haptic->env[i];
    double felt = d->haptic->wrench[i];
    if (d->haptic->state != 0) {
      x->contact += env * env;
      x->both += env * felt;
      x->apart += (felt - env) * (felt - env);
    }
  }
  x->r.felt = x->contact > 0 ? x->both / x->contact : 0;
  x->r.felt_error = x->contact > 0 ? sqrt(x->apart / x->contact) : 0;
}

void rh_metrics_add(rh_metrics *x, rh_data *d)
{
  rh_kinematics(d);
  add_depths(x, d);
  add_place(x, d);
  add_forces(x, d);
  add_transparency(x, d);
  x->r.returned = d->haptic->returned;
  x->r.collisions = d->haptic->collisions;
  x->r.pulled = d->haptic->pulled;
}

rh_metrics_result rh_metrics_read(const rh_metrics *metrics)
{
  return metrics->r;
}

// Bounds of all the tool's shapes in its own axes
static rh_bounds tool_bounds(const rh_data *d)
{
  const rh_model *m = d->model;
  rh_bounds all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (int i = 0; i < m->nshape; i++) {
    const rh_model_shape *s = &m->shape[i];
    if (s->body != m->haptic.tool || !rh_shape_bounded(s->kind)) {
      continue;
    }
    rh_geom g = {.kind = s->kind, .par = s->par, .mesh = s->mesh, .R = s->place.R, .p = s->place.p};
    rh_bounds b = rh_geom_bounds(&g, 0);
    all.lo = rh_v3(fmin(all.lo.x, b.lo.x), fmin(all.lo.y, b.lo.y), fmin(all.lo.z, b.lo.z));
    all.hi = rh_v3(fmax(all.hi.x, b.hi.x), fmax(all.hi.y, b.hi.y), fmax(all.hi.z, b.hi.z));
  }
  return all;
}

double rh_metrics_distance2(const rh_data *d, const rh_data *other)
{
  rh_bounds b = tool_bounds(d);
  const rh_kin_body *x = &d->kin[hand_of(d->model)];
  const rh_kin_body *y = &other->kin[hand_of(other->model)];
  double sum = 0;
  for (int i = 0; i < 8 && b.lo.x <= b.hi.x; i++) {
    rh_vec3 c = {i & 1 ? b.hi.x : b.lo.x, i & 2 ? b.hi.y : b.lo.y, i & 4 ? b.hi.z : b.lo.z};
    rh_vec3 apart = rh_sub(rh_add(x->p, rh_rotate(&x->R, c)), rh_add(y->p, rh_rotate(&y->R, c)));
    sum += rh_dot(apart, apart) / 8;
  }
  return sum;
}
