// Rows of rolling and pivoting friction: a contact that presses with p_n carries a torque as well. With w
// the angular velocity of a relative to b, in parts along the contact plane and along the normal,
//   rolling    |tau_t| <= mu_roll r p_n,   and where w_t is not 0: tau_t = -mu_roll r p_n w_t/|w_t|
//   pivoting   |tau_n| <= mu_pivot p_n,    and where w_n is not 0: tau_n = -mu_pivot p_n sign(w_n)
// with r [m] the radius of curvature of the pair. A contact's torque is found in the sweep after its own
// rows, while all others keep theirs. Impacts have no such impulse, as in the engine event.
#include "stepping/contact_kernels.h"

#include "geometry/pair.h"
#include "math/tangents.h"

#include <string.h>

static rh_step_turn *turn_of(const rh_step_world *w, const rh_step_row *c)
{
  return &w->laws.turn[c->any];
}

// ---- Rows

// [rad/s] of a relative to b along t1, t2, n
static void turn_speed(const rh_step_worker *worker, const rh_step_row *c, double u[3])
{
  const rh_step_world *w = worker->world;
  const rh_step_turn *x = turn_of(w, c);
  rh_vec3 spin =
      rh_sub(rh_step_read_vec(w->velocity[c->a].w), rh_step_read_vec(w->velocity[c->b].w));
  for (int i = 0; i < 3; i++) {
    u[i] = rh_dot(x->axis[i], spin);
  }
  const int branch[2] = {x->ba, x->bb};
  for (int i = 0; i < 2; i++) {
    if (branch[i] != RH_NONE) {
      rh_step_branch_velocity(&worker->rows.branch[branch[i]], w->trees.z, u);
    }
  }
}

static void add_torque(rh_step_worker *worker, const rh_step_row *c, const double p[3])
{
  const rh_step_world *w = worker->world;
  const rh_step_turn *x = turn_of(w, c);
  rh_vec3 sum = rh_v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    sum = rh_addscaled(sum, p[i], x->axis[i]);
  }
  const int body[2] = {c->a, c->b};
  const int branch[2] = {x->ba, x->bb};
  for (int i = 0; i < 2; i++) {
    if (body[i] != 0) {
      rh_step_velocity *b = &w->velocity[body[i]];
      rh_vec3 add = rh_step_apply_inverse_inertia(b, sum);
      rh_step_write_vec(rh_addscaled(rh_step_read_vec(b->w), i == 0 ? 1 : -1, add), b->w);
    }
    if (branch[i] != RH_NONE) {
      rh_step_branch_push(&worker->rows.branch[branch[i]], w->trees.z, p);
    }
  }
}

// The rows' own inertia [1/(kg m^2)] in t1, t2, n
static void fill_inertia(const rh_step_worker *worker, const rh_step_row *c, rh_step_turn *x)
{
  const rh_step_world *w = worker->world;
  rh_sym3 tree = rh_step_branch_inertia(worker, x->ba, x->bb); // in t1, t2, n
  double A[3][3];
  for (int i = 0; i < 3; i++) {
    rh_vec3 y = rh_add(rh_step_apply_inverse_inertia(&w->velocity[c->a], x->axis[i]),
                       rh_step_apply_inverse_inertia(&w->velocity[c->b], x->axis[i]));
    for (int k = 0; k < 3; k++) {
      A[i][k] = rh_dot(x->axis[k], y);
    }
  }
  double xx = A[0][0] + tree.xx;
  double yy = A[1][1] + tree.yy;
  double xy = A[0][1] + tree.xy;
  double zz = A[2][2] + tree.zz;
  double det = xx * yy - xy * xy;
  double largest = 0.5 * (xx + yy) + rh_hypot(0.5 * (xx - yy), xy);
  bool moves = det > 1e-12 * largest * largest; // else in one direction at most
  x->stick[0] = moves ? yy / det : largest > 0 ? 1 / largest : 0;
  x->stick[1] = moves ? xx / det : largest > 0 ? 1 / largest : 0;
  x->stick[2] = moves ? -xy / det : 0;
  x->roll = largest > 0 ? 1 / largest : 0;
  x->pivot = zz > 1e-12 * largest ? 1 / zz : 0;
}

static void turn_branches(rh_step_worker *worker, const rh_found_contact *t, rh_step_turn *x)
{
  const rh_step_world *w = worker->world;
  const rh_model_shape *shape = w->m->shape;
  if (t->ma > w->nfree) {
    x->ba = rh_step_branch_make(worker, shape[t->a].body, NULL, 1);
  }
  if (t->mb > w->nfree) {
    x->bb = rh_step_branch_make(worker, shape[t->b].body, NULL, -1);
  }
  const rh_vec3 to[3] = {x->axis[0], x->axis[1], x->axis[2]};
  rh_step_branch_rotate(worker, x->ba, to);
  rh_step_branch_rotate(worker, x->bb, to);
}

static void fill_rows(rh_step_worker *worker, const rh_step_row *c, const rh_found_contact *t)
{
  rh_step_turn *x = turn_of(worker->world, c);
  x->ba = x->bb = RH_NONE;
  x->axis[2] = rh_step_read_vec(c->n);
  rh_tangents_of(x->axis[2], &x->axis[0], &x->axis[1]);
  if (c->jointed) {
    turn_branches(worker, t, x);
  }
  fill_inertia(worker, c, x);
  memset(x->p, 0, sizeof x->p);
  turn_speed(worker, c, x->before);
}

void rh_step_turn_make(rh_step_worker *worker, int k, const rh_found_contact *t)
{
  const rh_step_world *w = worker->world;
  const rh_step_row *c = &w->row[k];
  const rh_model_contact *laws = &w->m->contact[t->rule];
  rh_step_turn *x = turn_of(w, c);
  double radius = rh_pair_radius(&w->search->geom[t->a], &w->search->geom[t->b], t->n);
  bool fast = !c->soft && w->info[k].un < -rh_step_slow(w, t); // an impact
  x->limit[0] = fast || radius == HUGE_VAL ? 0 : laws->mu_roll * radius;
  x->limit[1] = fast ? 0 : laws->mu_pivot;
  x->length = fmax(w->body[t->ma].size, w->body[t->mb].size);
  memset(x->p, 0, sizeof x->p);
  memset(x->kept, 0, sizeof x->kept);
  if (x->limit[0] > 0 || x->limit[1] > 0) {
    fill_rows(worker, c, t);
  }
}

void rh_step_turn_midway(rh_step_worker *worker, int k, const rh_found_contact *t)
{
  const rh_step_world *w = worker->world;
  if (rh_step_turns(w, &w->row[k])) {
    fill_rows(worker, &w->row[k], t);
  }
}

bool rh_step_island_turns(const rh_step_world *w, const rh_step_island *s)
{
  bool any = false;
  for (int k = s->con; !any && k < s->con + s->ncon; k++) {
    any = rh_step_turns(w, &w->row[k]);
  }
  return any;
}

void rh_step_turns_release(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->con; w->laws.turn && k < s->con + s->ncon; k++) {
    rh_step_turn *x = turn_of(w, &w->row[k]);
    x->limit[0] = x->limit[1] = 0;
    memset(x->p, 0, sizeof x->p);
    memset(x->kept, 0, sizeof x->kept);
  }
}

// ---- The solution

// The torque in the plane that stops rolling, or the limit. p - r w, made shorter, is the torque itself
// where it no longer changes; with equal inertias it is so at once.
static void find_roll(const rh_step_turn *x, const double u[3], double limit, double p[3])
{
  p[0] = x->p[0] - (x->stick[0] * u[0] + x->stick[2] * u[1]);
  p[1] = x->p[1] - (x->stick[2] * u[0] + x->stick[1] * u[1]);
  if (rh_hypot(p[0], p[1]) <= limit) {
    return;
  }
  p[0] = x->p[0] - x->roll * u[0];
  p[1] = x->p[1] - x->roll * u[1];
  double size = rh_hypot(p[0], p[1]);
  if (size > limit) {
    p[0] *= limit / size;
    p[1] *= limit / size;
  }
}

double rh_step_turn_visit(rh_step_worker *worker, const rh_step_row *c)
{
  rh_step_turn *x = turn_of(worker->world, c);
  double u[3];
  double p[3];
  turn_speed(worker, c, u);
  find_roll(x, u, x->limit[0] * c->p[3], p);
  double most = x->limit[1] * c->p[3];
  p[2] = fmin(fmax(x->p[2] - x->pivot * u[2], -most), most);
  double d[3] = {p[0] - x->p[0], p[1] - x->p[1], p[2] - x->p[2]};
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
    return 0;
  }
  add_torque(worker, c, d);
  memcpy(x->p, p, sizeof x->p);
  double roll = x->roll > 0 ? rh_hypot(d[0], d[1]) / x->roll : 0;
  double pivot = x->pivot > 0 ? fabs(d[2]) / x->pivot : 0;
  return x->length * fmax(roll, pivot);
}

void rh_step_turn_start(rh_step_worker *worker, const rh_step_row *c)
{
  add_torque(worker, c, turn_of(worker->world, c)->p);
  (void)rh_step_turn_visit(worker, c);
}

rh_vec3 rh_step_turn_torque(const rh_step_world *w, const rh_step_row *c)
{
  const rh_step_turn *x = turn_of(w, c);
  rh_vec3 sum = rh_scale(x->p[0], x->axis[0]);
  return rh_addscaled(rh_addscaled(sum, x->p[1], x->axis[1]), x->p[2], x->axis[2]);
}

double rh_step_turn_loss(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_turn *x = turn_of(worker->world, c);
  double u[3];
  double sum = 0;
  turn_speed(worker, c, u);
  for (int i = 0; i < 3; i++) {
    sum -= 0.5 * x->p[i] * (x->before[i] + u[i]);
  }
  return sum;
}

// ---- Two answers

void rh_step_turn_keep(rh_step_turn *x)
{
  memcpy(x->kept, x->p, sizeof x->kept);
}

void rh_step_turn_mix(rh_step_turn *x, double share)
{
  for (int i = 0; i < 3; i++) {
    x->p[i] = (1 - share) * x->kept[i] + share * x->p[i];
  }
}

void rh_step_turn_drop(rh_step_worker *worker, const rh_step_row *c, bool stop)
{
  rh_step_turn *x = turn_of(worker->world, c);
  const double back[3] = {-x->p[0], -x->p[1], -x->p[2]};
  if (stop && (back[0] != 0 || back[1] != 0 || back[2] != 0)) {
    add_torque(worker, c, back);
  }
  memset(x->p, 0, sizeof x->p);
}
