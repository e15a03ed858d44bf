// Loops: all rows of one at once, u + bias = 0 by an impulse of either sign. bias removes the gap
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

static void tree_rows(rh_step_worker *worker, rh_loop_rows *tie, int side, int body, rh_vec3 at)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  const rh_root_path *way = &t->way[body];
  const rh_step_tree *tree = &t->tree[w->mobile[body] - w->nfree - 1];
  rh_step_branch *on = &tie->on[side];
  size_t len = (size_t)way->len;
  double *point = worker->rows.scratch;
  double *turn = worker->rows.scratch + 3 * len;
  double sign = side == 0 ? 1 : -1;
  *on = (rh_step_branch){t->run + way->run, way->nrun, way->len, on->Y, w->mobile[body]};
  rh_step_rows_point(t, way, rh_sub(at, tree->origin), point, turn);
  for (int i = 0; i < tie->n; i++) {
    double *Y = on->Y + (size_t)i * len;
    rh_vec3 p = rh_scale(sign, tie->row[i].push);
    rh_vec3 m = rh_scale(sign, tie->row[i].turn);
    for (size_t s = 0; s < len; s++) {
      Y[s] = p.x * point[s] + p.y * point[len + s] + p.z * point[2 * len + s] + m.x * turn[s] +
             m.y * turn[len + s] + m.z * turn[2 * len + s];
    }
  }
  rh_step_rows_clip(w, tree, way, tie->n, on->Y);
  rh_step_rows_back(t, way, tie->n, on->Y);
}

static rh_vec3 row_moment(const rh_loop_rows *tie, int side, int row)
{
  return rh_add(rh_cross(tie->arm[side], tie->row[row].push), tie->row[row].turn);
}

static int side_of(rh_step_worker *worker, rh_loop_rows *tie, int side, int body, rh_vec3 at)
{
  const rh_step_world *w = worker->world;
  int mobile = w->mobile[body];
  tie->on[side].nrun = 0;
  if (mobile > w->nfree) {
    tree_rows(worker, tie, side, body, at);
    return 0;
  }
  tie->arm[side] = mobile ? rh_sub(at, w->body[mobile].x) : rh_v3(0, 0, 0);
  return mobile;
}

// ---- W and its factor

static double tree_product(const rh_step_branch *a, int i, const rh_step_branch *b, int j, int n)
{
  return rh_four_dot(a->Y + (size_t)i * (size_t)a->len, b->Y + (size_t)j * (size_t)b->len, n);
}

static double inertia_entry(const rh_step_world *w, const rh_loop_rows *tie, int i, int j, int both)
{
  double sum = 0;
  const int mobile[2] = {tie->a, tie->b};
  for (int side = 0; side < 2; side++) {
    const rh_step_velocity *b = &w->velocity[mobile[side]];
    const rh_step_branch *on = &tie->on[side];
    if (mobile[side]) {
      sum += b->im * rh_dot(tie->row[i].push, tie->row[j].push);
      sum += rh_dot(row_moment(tie, side, i),
                    rh_step_apply_inverse_inertia(b, row_moment(tie, side, j)));
    }
    sum += on->nrun ? tree_product(on, i, on, j, on->len) : 0;
  }
  if (both > 0) {
    sum += tree_product(&tie->on[0], i, &tie->on[1], j, both);
    sum += tree_product(&tie->on[1], i, &tie->on[0], j, both);
  }
  return sum;
}

static void factor_loop(const rh_step_world *w, rh_loop_rows *tie)
{
  int both =
      tie->on[0].nrun && tie->on[1].nrun ? rh_step_branch_common(&tie->on[0], &tie->on[1]) : 0;
  double most[2] = {0, 0}; // rows of places, of attitudes: their units differ
  int nplace = w->m->loop[tie->loop].kind->nplace;
  for (int i = 0; i < tie->n; i++) {
    for (int j = 0; j <= i; j++) {
      tie->D[i][j] = inertia_entry(w, tie, i, j, both);
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
  const int mobile[2] = {tie->a, tie->b};
  for (int i = 0; i < tie->n; i++) {
    u[i] = 0;
    for (int side = 0; side < 2; side++) {
      const rh_step_velocity *b = &w->velocity[mobile[side]];
      if (mobile[side]) {
        double x = rh_dot(tie->row[i].push, rh_step_read_vec(b->v)) +
                   rh_dot(row_moment(tie, side, i), rh_step_read_vec(b->w));
        u[i] += side == 0 ? x : -x;
      }
      u[i] += tie->on[side].nrun ? rh_step_branch_row(&tie->on[side], i, w->trees.z) : 0;
    }
  }
}

void rh_step_loop_apply(const rh_step_world *w, const rh_loop_rows *tie, const double *p)
{
  const int mobile[2] = {tie->a, tie->b};
  for (int side = 0; side < 2; side++) {
    rh_step_velocity *b = &w->velocity[mobile[side]];
    for (int i = 0; i < tie->n; i++) {
      double s = side == 0 ? p[i] : -p[i];
      if (mobile[side]) {
        rh_vec3 turn = rh_step_apply_inverse_inertia(b, row_moment(tie, side, i));
        b->v[0] += s * b->im * tie->row[i].push.x;
        b->v[1] += s * b->im * tie->row[i].push.y;
        b->v[2] += s * b->im * tie->row[i].push.z;
        b->w[0] += s * turn.x;
        b->w[1] += s * turn.y;
        b->w[2] += s * turn.z;
      }
      if (tie->on[side].nrun) {
        rh_step_branch_nudge(&tie->on[side], i, w->trees.z, p[i]);
      }
    }
  }
}

// ---- A loop in a step

static void make_loop(rh_step_worker *worker, rh_loop_rows *tie, int loop, double h)
{
  const rh_step_world *w = worker->world;
  const rh_model_loop *l = &w->m->loop[loop];
  const double *f = w->d->loop + (size_t)RH_LOOP_ROWS * (size_t)loop;
  rh_kin_body a = pose_of(w, l->a);
  rh_kin_body b = pose_of(w, l->b);
  rh_xform end[2];
  rh_loop_ends(l, &a, &b, end);
  tie->loop = loop;
  tie->n = l->kind->nrow;
  l->kind->rows(&end[0], &end[1], l->par, tie->row);
  tie->a = side_of(worker, tie, 0, l->a, end[0].p);
  tie->b = side_of(worker, tie, 1, l->b, end[1].p);
  factor_loop(w, tie);
  rh_step_loop_velocity(w, tie, tie->u0);
  for (int i = 0; i < tie->n; i++) {
    double back = tie->row[i].gap / w->par.dt; // in a part of a step a part of it
    double most = 2 * fabs(tie->u0[i]) + SHARE * fabs(back);
    bool carries = tie->D[i][i] > 0;
    tie->bias[i] = fmin(fmax(back, -most), most);
    tie->p[i] = carries ? h * (rh_dot(tie->row[i].push, rh_step_read_vec(f)) +
                               rh_dot(tie->row[i].turn, rh_step_read_vec(f + 3)))
                        : 0;
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
    tie->on[0].Y = worker->rows.loop_Y + 2 * (size_t)k * size;
    tie->on[1].Y = tie->on[0].Y + size;
    make_loop(worker, tie, t->loop_order[s->loop + k], h);
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

// Forces for the next step and for readers; the work of the gap correction is recorded with the
// impacts.
void rh_step_loops_settle(rh_step_worker *worker, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < worker->rows.nloop; k++) {
    const rh_loop_rows *tie = &worker->rows.loop[k];
    double *f = w->d->loop + (size_t)RH_LOOP_ROWS * (size_t)tie->loop;
    rh_vec3 force = {0, 0, 0};
    rh_vec3 torque = {0, 0, 0};
    double u[RH_LOOP_ROWS];
    rh_step_loop_velocity(w, tie, u);
    for (int i = 0; i < tie->n; i++) {
      force = rh_addscaled(force, tie->p[i] / h, tie->row[i].push);
      torque = rh_addscaled(torque, tie->p[i] / h, tie->row[i].turn);
      worker->result.impact_work += 0.5 * tie->p[i] * (tie->u0[i] + u[i]);
    }
    memcpy(f, &force, sizeof force);
    memcpy(f + 3, &torque, sizeof torque);
    mark_pressed(w, w->m->loop[tie->loop].a);
    mark_pressed(w, w->m->loop[tie->loop].b);
  }
}
