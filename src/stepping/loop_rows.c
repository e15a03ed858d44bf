// Loops and constraints on velocities: all rows of one at once, u + bias = 0 by an impulse of either
// sign; u is less the given speed of a row. bias removes the gap
// that the curvature of the path leaves in a step, so that the bodies move along the chord of their
// way; of any other gap it removes a tenth per step, so that nothing jumps. Dependent rows (the
// three of a planar linkage's hinge that its joints keep already) carry nothing. Loops start from
// the force of the last step, which is in the state.
#include "contact_kernels.h"

#include "multibody/multibody.h"

#include "math/four.h"

#include <string.h>

static const double SHARE = 0.1;     // of a gap, per step
static const double FOLLOWS = 1e-10; // a pivot below this part of the greatest

// ---- Where the ends are

static rh_kin_body pose_of(const rh_step_world *w, int body)
{
  int mobile = w->mobile[body];
  if (mobile == 0 || mobile > w->nfree) {
    return w->d->kin[body];
  }
  const rh_step_body *c = &w->body[mobile];
  return (rh_kin_body){.R = c->R, .p = rh_sub(c->x, rh_rotate(&c->R, c->com))};
}

// ---- Rows of one side

// What the rows have of the end `end` (RH_NONE: nothing), of unit length or as a scene gives it
static double end_sign(int end)
{
  return end == RH_NONE ? 0 : end == 0 ? 1 : -1;
}

// Speeds of the joint of `body`, in the first row
static void add_joint_speeds(const rh_step_world *w, const rh_loop_rows *tie, int body, double *Y)
{
  const rh_step_trees *t = &w->trees;
  const rh_model_loop *l = &w->m->loop[tie->loop];
  for (int k = 0; k < l->nterm; k++) {
    if (w->m->dof[l->dof[k]].body == body) {
      Y[t->pos[t->zadr[body] + l->dof[k] - w->m->body[body].vadr]] += tie->tie.coef[k];
    }
  }
}

static void tree_rows(rh_step_worker *worker, rh_loop_rows *tie, int side, int body, int end)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  const rh_root_path *way = &t->way[body];
  const rh_step_tree *tree = &t->tree[w->mobile[body] - w->nfree - 1];
  rh_step_branch *on = &tie->on[side];
  size_t len = (size_t)way->len;
  double *point = worker->rows.scratch;
  double *turn = worker->rows.scratch + 3 * len;
  double sign = end_sign(end);
  *on = (rh_step_branch){t->run + way->run, way->nrun, way->len, on->Y, w->mobile[body]};
  rh_step_rows_point(t, way, rh_sub(tie->tie.at[end == 1], tree->origin), point, turn);
  for (int i = 0; i < tie->n; i++) {
    double *Y = on->Y + (size_t)i * len;
    rh_vec3 p = rh_scale(sign, tie->tie.row[i].push);
    rh_vec3 m = rh_scale(sign, tie->tie.row[i].turn);
    for (size_t s = 0; s < len; s++) {
      Y[s] = p.x * point[s] + p.y * point[len + s] + p.z * point[2 * len + s] + m.x * turn[s] +
             m.y * turn[len + s] + m.z * turn[2 * len + s];
    }
  }
  add_joint_speeds(w, tie, body, on->Y);
  rh_step_rows_clip(w, tree, way, tie->n, on->Y);
  rh_step_rows_back(t, way, tie->n, on->Y);
}

static void free_rows(const rh_step_world *w, rh_loop_rows *tie, int side, int body, int end)
{
  const rh_step_body *c = &w->body[tie->mobile[side]];
  const rh_model_loop *l = &w->m->loop[tie->loop];
  rh_vec3 arm = rh_sub(tie->tie.at[end == 1], c->x);
  double sign = end_sign(end);
  for (int i = 0; i < tie->n; i++) {
    const rh_loop_row *row = &tie->tie.row[i];
    tie->lin[side][i] = rh_scale(sign, row->push);
    tie->ang[side][i] = rh_scale(sign, rh_add(rh_cross(arm, row->push), row->turn));
  }
  for (int k = 0; k < l->nterm; k++) {
    int dof = l->dof[k] - w->m->body[body].vadr;
    if (w->m->dof[l->dof[k]].body == body) {
      rh_vec3 unit = {dof % 3 == 0, dof % 3 == 1, dof % 3 == 2};
      rh_vec3 axis = rh_scale(tie->tie.coef[k], rh_rotate(&c->frame.R, unit));
      rh_vec3 back = rh_neg(rh_rotate(&c->R, c->com)); // the speed is that of the origin
      tie->lin[side][0] = rh_add(tie->lin[side][0], dof < 3 ? axis : rh_v3(0, 0, 0));
      tie->ang[side][0] = rh_add(tie->ang[side][0], dof < 3 ? rh_cross(back, axis) : axis);
    }
  }
}

// The side that is to be made for a body, once: RH_NONE if the body does not move or has one.
static int side_of(const rh_step_world *w, rh_loop_rows *tie, int body, int *known)
{
  int mobile = w->mobile[body];
  for (int i = 0; i < tie->nside; i++) {
    if (known[i] == body) {
      return RH_NONE;
    }
  }
  if (mobile == 0) {
    return RH_NONE;
  }
  known[tie->nside] = body;
  tie->mobile[tie->nside] = mobile > w->nfree ? 0 : mobile;
  tie->on[tie->nside].nrun = 0;
  return tie->nside++;
}

static void make_sides(rh_step_worker *worker, rh_loop_rows *tie)
{
  const rh_step_world *w = worker->world;
  const rh_model_loop *l = &w->m->loop[tie->loop];
  int known[RH_TIE_SIDES];
  tie->nside = 0;
  for (int i = 0; i < 2 + l->nterm; i++) {
    int body = i == 0 ? l->a : i == 1 ? l->b : w->m->dof[l->dof[i - 2]].body;
    int side = side_of(w, tie, body, known);
    if (side != RH_NONE && tie->mobile[side] == 0) {
      tree_rows(worker, tie, side, body, i < 2 ? i : RH_NONE);
    } else if (side != RH_NONE) {
      free_rows(w, tie, side, body, i < 2 ? i : RH_NONE);
    }
  }
}

// ---- W and its factor

static double tree_product(const rh_step_branch *a, int i, const rh_step_branch *b, int j, int n)
{
  return rh_four_dot(a->Y + (size_t)i * (size_t)a->len, b->Y + (size_t)j * (size_t)b->len, n);
}

static double inertia_entry(const rh_step_world *w, const rh_loop_rows *tie, int i, int j)
{
  double sum = 0;
  for (int side = 0; side < tie->nside; side++) {
    const rh_step_velocity *b = &w->velocity[tie->mobile[side]];
    const rh_step_branch *on = &tie->on[side];
    if (tie->mobile[side]) {
      sum += b->im * rh_dot(tie->lin[side][i], tie->lin[side][j]);
      sum += rh_dot(tie->ang[side][i], rh_step_apply_inverse_inertia(b, tie->ang[side][j]));
    }
    sum += on->nrun ? tree_product(on, i, on, j, on->len) : 0;
  }
  for (int x = 0; x < tie->nside; x++) {
    for (int y = x + 1; y < tie->nside; y++) {
      const rh_step_branch *a = &tie->on[x];
      const rh_step_branch *b = &tie->on[y];
      int both = a->nrun && b->nrun ? rh_step_branch_common(a, b) : 0;
      sum += both > 0 ? tree_product(a, i, b, j, both) : 0;
      sum += both > 0 ? tree_product(b, i, a, j, both) : 0;
    }
  }
  return sum;
}

static void factor_loop(const rh_step_world *w, rh_loop_rows *tie)
{
  double most[2] = {0, 0}; // rows of places, of attitudes: their units differ
  int nplace = tie->tie.nplace;
  for (int i = 0; i < tie->n; i++) {
    for (int j = 0; j <= i; j++) {
      tie->D[i][j] = inertia_entry(w, tie, i, j);
    }
    most[i >= nplace] = fmax(most[i >= nplace], tie->D[i][i]);
  }
  for (int i = 0; i < tie->n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = tie->D[i][j];
      for (int k = 0; k < j; k++) {
        sum -= tie->D[i][k] * tie->D[j][k];
      }
      if (j < i) {
        tie->D[i][j] = tie->D[j][j] > 0 ? sum / tie->D[j][j] : 0;
      } else {
        tie->D[i][i] = sum > FOLLOWS * most[i >= nplace] ? sqrt(sum) : 0;
      }
    }
  }
}

static void solve_loop(const rh_loop_rows *tie, double *x)
{
  for (int i = 0; i < tie->n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= tie->D[i][k] * x[k];
    }
    x[i] = tie->D[i][i] > 0 ? x[i] / tie->D[i][i] : 0;
  }
  for (int i = tie->n - 1; i >= 0; i--) {
    for (int k = i + 1; k < tie->n; k++) {
      x[i] -= tie->D[k][i] * x[k];
    }
    x[i] = tie->D[i][i] > 0 ? x[i] / tie->D[i][i] : 0;
  }
}

// ---- Velocities and impulses

void rh_step_loop_velocity(const rh_step_world *w, const rh_loop_rows *tie, double *u)
{
  for (int i = 0; i < tie->n; i++) {
    u[i] = -tie->tie.speed[i];
    for (int side = 0; side < tie->nside; side++) {
      const rh_step_velocity *b = &w->velocity[tie->mobile[side]];
      if (tie->mobile[side]) {
        u[i] += rh_dot(tie->lin[side][i], rh_step_read_vec(b->v)) +
                rh_dot(tie->ang[side][i], rh_step_read_vec(b->w));
      }
      u[i] += tie->on[side].nrun ? rh_step_branch_row(&tie->on[side], i, w->trees.z) : 0;
    }
  }
}

void rh_step_loop_apply(const rh_step_world *w, const rh_loop_rows *tie, const double *p)
{
  for (int side = 0; side < tie->nside; side++) {
    rh_step_velocity *b = &w->velocity[tie->mobile[side]];
    for (int i = 0; i < tie->n; i++) {
      if (tie->mobile[side]) {
        rh_vec3 push = tie->lin[side][i];
        rh_vec3 turn = rh_step_apply_inverse_inertia(b, tie->ang[side][i]);
        b->v[0] += p[i] * b->im * push.x;
        b->v[1] += p[i] * b->im * push.y;
        b->v[2] += p[i] * b->im * push.z;
        b->w[0] += p[i] * turn.x;
        b->w[1] += p[i] * turn.y;
        b->w[2] += p[i] * turn.z;
      }
      if (tie->on[side].nrun) {
        rh_step_branch_nudge(&tie->on[side], i, w->trees.z, p[i]);
      }
    }
  }
}

// ---- A loop in a step

// Impulse of the last step's force along a row
static double last_impulse(const rh_step_world *w, const rh_loop_rows *tie, int i, double h)
{
  const double *f = w->d->loop + (size_t)RH_LOOP_ROWS * (size_t)tie->loop;
  const rh_loop_row *row = &tie->tie.row[i];
  return w->m->loop[tie->loop].constraint ? h * f[i]
                                          : h * (rh_dot(row->push, rh_step_read_vec(f)) +
                                                 rh_dot(row->turn, rh_step_read_vec(f + 3)));
}

static void place_loop(rh_step_worker *worker, rh_loop_rows *tie, int loop)
{
  const rh_step_world *w = worker->world;
  const rh_model_loop *l = &w->m->loop[loop];
  rh_kin_body a = pose_of(w, l->a);
  rh_kin_body b = pose_of(w, l->b);
  rh_tie_stand(w->d, l, &a, &b, &tie->tie);
  tie->loop = loop;
  tie->n = l->nrow;
  make_sides(worker, tie);
  factor_loop(w, tie);
  rh_step_loop_velocity(w, tie, tie->u0);
}

static void make_loop(rh_step_worker *worker, rh_loop_rows *tie, int loop, double h)
{
  const rh_step_world *w = worker->world;
  place_loop(worker, tie, loop);
  for (int i = 0; i < tie->n; i++) {
    double back = tie->tie.row[i].gap / w->par.dt; // in a part of a step a part of it
    double most = 2 * fabs(tie->u0[i]) + SHARE * fabs(back);
    bool carries = tie->D[i][i] > 0;
    tie->bias[i] = fmin(fmax(back, -most), most);
    tie->p[i] = carries ? last_impulse(w, tie, i, h) : 0;
  }
}

void rh_step_loops_make(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  worker->rows.nloop = s->nloop;
  for (int k = 0; k < s->nloop; k++) {
    rh_loop_rows *tie = &worker->rows.loop[k];
    size_t size = (size_t)RH_LOOP_ROWS * (size_t)t->widest;
    for (int side = 0; side < t->sides; side++) {
      tie->on[side].Y = worker->rows.loop_Y + ((size_t)t->sides * (size_t)k + (size_t)side) * size;
    }
    make_loop(worker, tie, t->loop_order[s->loop + k], h);
  }
}

static const double RETURN = 0.3; // of a gap, per step, at the middle (contact_rows.c)

// u at the end is J_m v+ + (J_m - J) v, as of contacts: no chord, and the gap is that of the start.
void rh_step_loops_to_middle(rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.nloop; k++) {
    rh_loop_rows *tie = &worker->rows.loop[k];
    double u[RH_LOOP_ROWS];
    double gap[RH_LOOP_ROWS];
    for (int i = 0; i < tie->n; i++) {
      u[i] = tie->u0[i];
      gap[i] = tie->tie.row[i].gap;
    }
    place_loop(worker, tie, tie->loop);
    for (int i = 0; i < tie->n; i++) {
      tie->bias[i] = RETURN * gap[i] / w->par.dt + tie->u0[i] - u[i];
      tie->p[i] = tie->D[i][i] > 0 ? last_impulse(w, tie, i, h) : 0;
    }
  }
}

void rh_step_loops_warm(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.nloop; k++) {
    rh_step_loop_apply(w, &worker->rows.loop[k], worker->rows.loop[k].p);
  }
}

double rh_step_loops_visit(rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  double change = 0;
  for (int k = 0; k < worker->rows.nloop; k++) {
    rh_loop_rows *tie = &worker->rows.loop[k];
    double x[RH_LOOP_ROWS];
    rh_step_loop_velocity(w, tie, x);
    for (int i = 0; i < tie->n; i++) {
      x[i] = -(x[i] + tie->bias[i]);
      change = fmax(change, tie->D[i][i] > 0 ? fabs(x[i]) : 0);
    }
    solve_loop(tie, x);
    rh_step_loop_apply(w, tie, x);
    for (int i = 0; i < tie->n; i++) {
      tie->p[i] += x[i];
    }
  }
  return change;
}

// For an impact: no time passes, and no gap is removed.
void rh_step_loops_impact(rh_step_worker *worker)
{
  for (int k = 0; k < worker->rows.nloop; k++) {
    memset(worker->rows.loop[k].bias, 0, sizeof worker->rows.loop[k].bias);
    memset(worker->rows.loop[k].p, 0, sizeof worker->rows.loop[k].p);
  }
}

// The world belongs to all islands: it is never written.
static void mark_pressed(const rh_step_world *w, int body)
{
  int mobile = w->mobile[body];
  if (mobile != 0) {
    w->body[mobile].pressed = true;
  }
}

// Forces for the next step and for readers: of a constraint those of its rows
static void keep_forces(const rh_step_world *w, const rh_loop_rows *tie, double h)
{
  double *f = w->d->loop + (size_t)RH_LOOP_ROWS * (size_t)tie->loop;
  rh_vec3 force = {0, 0, 0};
  rh_vec3 torque = {0, 0, 0};
  if (w->m->loop[tie->loop].constraint) {
    for (int i = 0; i < tie->n; i++) {
      f[i] = tie->p[i] / h;
    }
    return;
  }
  for (int i = 0; i < tie->n; i++) {
    force = rh_addscaled(force, tie->p[i] / h, tie->tie.row[i].push);
    torque = rh_addscaled(torque, tie->p[i] / h, tie->tie.row[i].turn);
  }
  memcpy(f, &force, sizeof force);
  memcpy(f + 3, &torque, sizeof torque);
}

// The work of the gap correction is recorded with the impacts, that of a drive with the actuators.
void rh_step_loops_settle(rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.nloop; k++) {
    const rh_loop_rows *tie = &worker->rows.loop[k];
    double u[RH_LOOP_ROWS];
    keep_forces(w, tie, h);
    rh_step_loop_velocity(w, tie, u);
    for (int i = 0; i < tie->n; i++) {
      worker->result.impact_work += 0.5 * tie->p[i] * (tie->u0[i] + u[i]);
      worker->result.drive_work += tie->p[i] * tie->tie.speed[i];
    }
    const rh_model_loop *l = &w->m->loop[tie->loop];
    for (int i = 0; i < 2 + l->nterm; i++) {
      mark_pressed(w, i == 0 ? l->a : i == 1 ? l->b : w->m->dof[l->dof[i - 2]].body);
    }
  }
}
