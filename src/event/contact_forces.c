// The forces of an island of rigid contacts at given modes: rows r of contacts that stick (t1, t2,
// n) or slide (n), a force per row.
//   A p = -(J a0 + dJ/dt v) - drift,  A = E L C',   p of least norm     ([WK] 2.4, 2.8, 2.10)
// E maps the velocities of the bodies to the rows, C' the forces to the bodies, L is the response
// of the bodies (contact_response.c). Contacts between the same two bodies are a group: they depend
// on six numbers of those bodies' relative motion, however many they are. So a group of more rows
// than six is turned, E = Q R and C = Q_c R_c (Householder), and only six of its rows remain:
//   R L R_c' z = Q' rhs,   p = Q_c z
// which has the singular values of A, its rank, and |z| = |p|.
// The forces of groups on their bodies, R_c' z, are kept apart from those of points: less rounding.
// Drift: the rows require du/dt = -2 k u - k^2 gap in place of zero, which removes the integrator's
// error.
#include "rigid.h"
#include "six_rows.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DRIFT = 10; // k [1/s]: slow against a step, fast against the growth of drift

// ---- An island

typedef struct group { // contacts between two bodies
  int a, b;
  int first, n;      // its rows, next to each other
  int at, size;      // the rows that remain in the system
  rh_vec3 about;     // [m] moments are taken about this point
  rh_six tau, tau_c; // of the turns of E and C
} group;

typedef struct island {
  rh_data *d;
  rh_island_bodies reach;
  int first, end;
  int nrow, ngroup, size;
  bool slides, weighed;    // some slide; columns have weights
  bool turns;              // some have rolling or pivoting friction
  bool still;              // nothing moves, and no drift is to be removed
  int *contact, *axis;     // of the rows (nrow)
  group *group;            // (ngroup)
  rh_six *E, *C;           // (nrow)
  double *rhs, *p;         // (nrow)
  double *weight;          // (nrow)
  rh_pushes *row, *column; // of the system (size)
  double *A, *b, *z;       // (size^2), (size)
  double *v;               // velocities of the touched bodies
  double *scratch;
} island;

static bool contact_sticks(const rh_data *d, int i)
{
  return rh_slot_mode(d, rh_rigid(d)->slot[i]) == RH_CLOSED_STICK;
}

static group *group_of(island *g, int i)
{
  const rh_contact *c = &g->d->contact[rh_rigid(g->d)->slot[i]];
  for (int k = 0; k < g->ngroup; k++) {
    if (g->group[k].a == c->a && g->group[k].b == c->b) {
      return &g->group[k];
    }
  }
  group *x = &g->group[g->ngroup++];
  int base = g->reach.place[c->a] != RH_NONE ? c->a : c->b;
  *x = (group){.a = c->a, .b = c->b, .about = g->d->kin[base].p};
  return x;
}

// Axes of the rows of a contact: 0 to 2 velocities along t1, t2, n, 3 to 5 angular velocities
static int list_axes(const rh_data *d, int i, int axis[6])
{
  int slot = rh_rigid(d)->slot[i];
  unsigned held = rh_slot_turns(d, slot) ? rh_turn_held(d, slot) : RH_TURN_FREE;
  int n = 0;
  for (int k = contact_sticks(d, i) ? 0 : 2; k < 3; k++) {
    axis[n++] = k;
  }
  for (int k = 3; k < 6; k++) {
    axis[n] = k;
    n += (held & (k < 5 ? RH_TURN_ROLL : RH_TURN_PIVOT)) != 0;
  }
  return n;
}

static rh_vec3 axis_of(const rh_contact *c, int axis)
{
  return axis % 3 == 0 ? c->t1 : axis % 3 == 1 ? c->t2 : c->n;
}

static void list_rows(island *g)
{
  int axes[6];
  for (int i = g->first; i < g->end; i++) {
    group_of(g, i)->n += list_axes(g->d, i, axes);
    g->turns = g->turns || rh_slot_turns(g->d, rh_rigid(g->d)->slot[i]);
    g->slides = g->slides || !contact_sticks(g->d, i);
  }
  for (int k = 0; k < g->ngroup; k++) {
    group *x = &g->group[k];
    x->first = g->nrow;
    x->at = g->size;
    x->size = x->n < RH_SIX ? x->n : RH_SIX;
    g->nrow += x->n;
    g->size += x->size;
    x->n = 0;
  }
  for (int i = g->first; i < g->end; i++) {
    group *x = group_of(g, i);
    int n = list_axes(g->d, i, axes);
    for (int k = 0; k < n; k++) {
      g->contact[x->first + x->n] = i;
      g->axis[x->first + x->n++] = axes[k];
    }
  }
}

// The memory after L: model/layout.c counts it.
static void open_island(rh_data *d, int first, int end, island *g)
{
  size_t n = (size_t)(end - first);
  size_t rows = (size_t)rh_rigid_rows(d->model) * n;
  *g = (island){.d = d, .first = first, .end = end};
  rh_island_bodies_find(d, first, end, &g->reach);
  g->contact = rh_rigid(d)->row;
  g->axis = rh_rigid(d)->row + rh_rigid_rows(d->model) * rh_rigid(d)->n;
  g->group = (group *)(void *)g->reach.rest;
  g->E = (rh_six *)(void *)(g->group + n);
  g->C = g->E + rows;
  g->row = (rh_pushes *)(void *)(g->C + rows);
  g->column = g->row + rows;
  g->rhs = (double *)(void *)(g->column + rows);
  g->p = g->rhs + rows;
  g->weight = g->p + rows;
  g->b = g->weight + rows;
  g->z = g->b + rows;
  g->v = g->z + rows;
  g->A = g->v + RH_SIX * (size_t)g->reach.touched;
  list_rows(g);
  g->scratch = g->A + (size_t)g->size * (size_t)g->size;
}

static double drift_of(const island *g, const rh_contact *c, int axis)
{
  return g->still    ? 0
         : axis == 2 ? DRIFT * (-2 * c->rate - DRIFT * c->depth)
                     : 2 * DRIFT * c->slip[axis];
}

static void wrench_along(const group *x, const rh_contact *c, rh_vec3 way, double e[RH_SIX])
{
  rh_vec3 moment = rh_cross(rh_sub(c->point, x->about), way);
  const double f[RH_SIX] = {moment.x, moment.y, moment.z, way.x, way.y, way.z};
  memcpy(e, f, sizeof f);
}

static void put_moment(rh_vec3 m, double e[RH_SIX])
{
  const double f[RH_SIX] = {m.x, m.y, m.z, 0, 0, 0};
  memcpy(e, f, sizeof f);
}

static void fill_rows(island *g, const group *x)
{
  const rh_data *d = g->d;
  for (int r = x->first; r < x->first + x->n; r++) {
    int i = g->contact[r];
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    rh_vec3 axis = axis_of(c, g->axis[r]);
    if (g->axis[r] < 3) {
      wrench_along(x, c, axis, g->E[r]);
      g->rhs[r] = -rh_rigid(d)->b[3 * i + g->axis[r]] - drift_of(g, c, g->axis[r]);
    } else {
      put_moment(axis, g->E[r]);
      g->rhs[r] = rh_turn_demand(d, c, axis) - 2 * DRIFT * rh_turn_speed(d, c, axis);
    }
  }
}

// Effect of the forces of the rows, each by its weight: a slide's normal force includes its
// friction, and that of a contact with rolling or pivoting friction its torque.
static void fill_columns(island *g, const group *x)
{
  const rh_data *d = g->d;
  for (int r = x->first; r < x->first + x->n; r++) {
    int i = g->contact[r];
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    rh_vec3 way = axis_of(c, g->axis[r]);
    if (g->axis[r] > 2) {
      put_moment(rh_scale(g->weight[r], way), g->C[r]);
      continue;
    }
    if (rh_slot_mode(d, rh_rigid(d)->slot[i]) == RH_CLOSED_SLIDE) {
      double mu = rh_slot_sliding(d, rh_rigid(d)->slot[i]);
      rh_vec3 rub = rh_addscaled(rh_scale(rh_rigid(d)->slide[2 * i], c->t1),
                                 rh_rigid(d)->slide[2 * i + 1], c->t2);
      way = rh_addscaled(way, -mu, rub);
    }
    wrench_along(x, c, rh_scale(g->weight[r], way), g->C[r]);
    if (g->axis[r] == 2 && rh_slot_turns(d, rh_rigid(d)->slot[i])) {
      rh_vec3 torque = rh_scale(g->weight[r], rh_turn_moving(d, rh_rigid(d)->slot[i]));
      g->C[r][0] += torque.x;
      g->C[r][1] += torque.y;
      g->C[r][2] += torque.z;
    }
  }
}

// Effect of a row of six numbers on the two bodies
static rh_pushes pushes_of(const island *g, const group *x, const double e[RH_SIX])
{
  rh_pushes p = {{g->reach.place[x->a], g->reach.place[x->b]}, {{0}}};
  for (int side = 0; side < 2; side++) {
    double way = side == 0 ? 1 : -1;
    rh_vec3 moment = rh_scale(way, rh_v3(e[0], e[1], e[2]));
    rh_vec3 force = rh_scale(way, rh_v3(e[3], e[4], e[5]));
    rh_vec3 from = rh_sub(x->about, g->d->kin[side == 0 ? x->a : x->b].p);
    moment = rh_add(moment, rh_cross(from, force));
    const double f[RH_SIX] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    memcpy(p.f[side], f, sizeof f);
  }
  return p;
}

// The remainder of n turned rows: the upper triangle of the first six
static void left_rows(const island *g, const group *x, const rh_six *E, rh_pushes *to)
{
  for (int i = 0; i < x->size; i++) {
    rh_six e;
    for (int j = 0; j < RH_SIX; j++) {
      e[j] = x->n > RH_SIX && j < i ? 0 : E[x->first + i][j];
    }
    to[x->at + i] = pushes_of(g, x, e);
  }
}

static void turn_group(island *g, group *x)
{
  double *rhs = g->rhs + x->first;
  fill_rows(g, x);
  if (x->n > RH_SIX) {
    rh_six_turn(x->n, g->E + x->first, x->tau);
    for (int k = 0; k < RH_SIX; k++) {
      rh_six_reflect(x->n, (const rh_six *)g->E + x->first, x->tau, k, rhs);
    }
  }
  left_rows(g, x, (const rh_six *)g->E, g->row);
  memcpy(g->b + x->at, rhs, (size_t)x->size * sizeof *g->b);
}

static void turn_columns(island *g, group *x)
{
  if (!g->slides && !g->turns && !g->weighed) { // then they are the rows
    memcpy(g->C + x->first, g->E + x->first, (size_t)x->n * sizeof *g->C);
    memcpy(x->tau_c, x->tau, sizeof x->tau);
    return;
  }
  fill_columns(g, x);
  if (x->n > RH_SIX) {
    rh_six_turn(x->n, g->C + x->first, x->tau_c);
  }
}

// From z the forces of the group's rows: p = weight Q_c (z, 0)
static void turn_back(island *g, const group *x)
{
  double *p = g->p + x->first;
  memset(p, 0, (size_t)x->n * sizeof *p);
  memcpy(p, g->z + x->at, (size_t)x->size * sizeof *p);
  for (int k = RH_SIX - 1; k >= 0 && x->n > RH_SIX; k--) {
    rh_six_reflect(x->n, (const rh_six *)g->C + x->first, x->tau_c, k, p);
  }
  for (int r = 0; r < x->n; r++) {
    p[r] *= g->weight[x->first + r];
  }
}

// Entries of the system, or its lower half
static void fill_system(island *g, bool half)
{
  size_t n = (size_t)g->size;
  for (size_t s = 0; s < n; s++) {
    rh_island_bodies_velocities(&g->reach, &g->column[s], g->v);
    for (size_t r = half ? s : 0; r < n; r++) {
      g->A[r * n + s] = rh_felt(&g->row[r], g->v);
    }
  }
}

// Where all stick the system is symmetric. False: it is not clearly of full rank.
static bool solve_symmetric(island *g)
{
  static const double CLEAR = 1e-8; // of the largest pivot, far above RH_TOL_RANK

  size_t n = (size_t)g->size;
  double maximum = 0;
  double least = HUGE_VAL;
  fill_system(g, true);
  if (!rh_cholesky(g->size, g->A)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    double pivot = g->A[i * n + i] * g->A[i * n + i];
    maximum = fmax(maximum, pivot);
    least = fmin(least, pivot);
  }
  memcpy(g->z, g->b, n * sizeof *g->z);
  rh_cholesky_solve(g->size, g->A, g->z);
  return least > CLEAR * maximum;
}

// Forces by the weights as they are; the rank.
static int solve_system(island *g)
{
  int rank = g->size;
  for (int k = 0; k < g->ngroup; k++) {
    turn_columns(g, &g->group[k]);
    left_rows(g, &g->group[k], (const rh_six *)g->C, g->column);
  }
  if (g->slides || g->turns || g->weighed || !solve_symmetric(g)) {
    fill_system(g, false);
    rank = rh_lstsq(rank, rank, g->A, g->b, RH_TOL_RANK, g->scratch, g->z, NULL);
  }
  for (int k = 0; k < g->ngroup; k++) {
    turn_back(g, &g->group[k]);
  }
  return rank;
}

// ---- Sharing

// Where contacts depend on one another the sharing is a choice: forces of least norm, friction
// weighed by 1 / sqrt(p_n), so that contacts of one body reach their cones together (the same part
// of mu p_n, where a face is pushed along).
static void weigh_columns(island *g)
{
  g->weighed = true;
  for (int r = 0; r < g->nrow; r++) {
    int n = r + 2 - g->axis[r]; // the normal row of a contact is its last
    g->weight[r] = g->axis[r] >= 2 ? 1 : sqrt(fmax(g->p[n], 0));
  }
}

// Solves R_c' z = f in place, R_c the triangle of a turned group. False: it is singular to working precision.
static bool solve_triangle(const rh_six *R, double *f)
{
  double maximum = 0;
  for (int i = 0; i < RH_SIX; i++) {
    maximum = fmax(maximum, fabs(R[i][i]));
  }
  for (int i = 0; i < RH_SIX; i++) {
    for (int j = 0; j < i; j++) {
      f[i] -= R[j][i] * f[j];
    }
    if (!(fabs(R[i][i]) > RH_TOL_RANK * maximum)) {
      return false;
    }
    f[i] /= R[i][i];
  }
  return true;
}

// The system has full rank: the force of each group on its bodies, f, is known, and only shared
// anew. Groups without a choice keep their forces. `f` comes with z = f / R_c of the last weights.
static bool share_in_groups(island *g)
{
  for (int k = 0; k < g->ngroup; k++) {
    const group *x = &g->group[k];
    const rh_six *R = (const rh_six *)g->C + x->first;
    double *z = g->z + x->at;
    for (int j = RH_SIX - 1; j >= 0 && x->n > RH_SIX;
         j--) { // f = R_c' z, from the last on in place
      double sum = 0;
      for (int i = 0; i <= j; i++) {
        sum += R[i][j] * z[i];
      }
      z[j] = sum;
    }
  }
  for (int k = 0; k < g->ngroup; k++) {
    group *x = &g->group[k];
    if (x->n <= RH_SIX) {
      continue;
    }
    turn_columns(g, x);
    if (!solve_triangle((const rh_six *)g->C + x->first, g->z + x->at)) {
      return false;
    }
    turn_back(g, x);
  }
  return true;
}

double rh_rigid_margin(const rh_data *d, int i)
{
  const double *p = rh_rigid(d)->p + 3 * (size_t)i;
  return d->model->contact[d->contact[rh_rigid(d)->slot[i]].rule].mu_s * p[2] -
         rh_hypot(p[0], p[1]);
}

static void put_forces(const island *g)
{
  rh_data *d = g->d;
  for (int r = 0; r < g->nrow; r++) {
    double *to = g->axis[r] < 3 ? rh_rigid(d)->p : rh_rigid(d)->torque;
    to[3 * g->contact[r] + g->axis[r] % 3] += g->p[r];
  }
}

// The forces on the bodies, into d->f
static void push_bodies(const island *g)
{
  for (int k = 0; k < g->ngroup; k++) {
    const group *x = &g->group[k];
    const double *z = g->z + x->at;
    rh_six e = {0};
    for (int i = 0; i < x->size; i++) {
      for (int j = x->n > RH_SIX ? i : 0; j < RH_SIX; j++) {
        e[j] += g->C[x->first + i][j] * z[i];
      }
    }
    rh_force f = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    const int body[2] = {x->a, x->b};
    for (int side = 0; side < 2; side++) {
      rh_force on = rh_force_shift_back(f, rh_sub(x->about, g->d->kin[body[side]].p));
      on = side == 0 ? on : (rh_force){rh_neg(on.ang), rh_neg(on.lin)};
      g->d->dyn.f[body[side]] = rh_force_add(g->d->dyn.f[body[side]], on);
    }
  }
}

// Does rounding of large forces on light bodies exceed this part of the accelerations?
static bool is_rough(const island *g)
{
  static const double PART = 1e-13;

  size_t width = RH_SIX * (size_t)g->reach.touched;
  double force = 0;
  double moved = 0;
  double wanted = 0;
  for (int r = 0; r < g->size; r++) {
    force = fmax(force, fabs(g->z[r]));
    wanted = fmax(wanted, fabs(g->b[r]));
  }
  for (size_t i = 0; i < width; i++) {
    moved = i % RH_SIX < 3 ? moved : fmax(moved, g->reach.L[i * width + i]);
  }
  return DBL_EPSILON * force * moved > PART * wanted;
}

// A sharing that puts a contact beyond its cone is replaced if there is another that does not. That search is long: it may
// be left until the loads are asked for, which the negative number of contacts states.
static void share_within_cones(const island *g, bool now)
{
  rh_data *d = g->d;
  bool beyond = false;
  for (int i = g->first; i < g->end; i++) {
    beyond = beyond || (contact_sticks(d, i) && rh_rigid_margin(d, i) < 0);
  }
  if (beyond && !now) {
    rh_rigid(d)->searched = g->first - g->end;
  } else if (beyond) {
    rh_island_bodies_block(d, &g->reach, g->first, g->end);
    bool held = rh_rigid_holds(d, g->first, g->end);
    for (int i = g->first; i < g->end; i++) {
      rh_rigid(d)->held[i] = held;
    }
  }
}

// The same from the forces of the points
static void push_points(const island *g)
{
  rh_data *d = g->d;
  for (int i = g->first; i < g->end; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    const double *p = rh_rigid(d)->p + 3 * (size_t)i;
    double rub = contact_sticks(d, i) ? 0 : -rh_slot_sliding(d, rh_rigid(d)->slot[i]) * p[2];
    rh_vec3 f = rh_scale(p[2], c->n);
    f = rh_addscaled(f, contact_sticks(d, i) ? p[0] : rub * rh_rigid(d)->slide[2 * i], c->t1);
    f = rh_addscaled(f, contact_sticks(d, i) ? p[1] : rub * rh_rigid(d)->slide[2 * i + 1], c->t2);
    rh_force on_a = {rh_cross(rh_sub(c->point, d->kin[c->a].p), f), f};
    rh_force on_b = {rh_cross(rh_sub(c->point, d->kin[c->b].p), rh_neg(f)), rh_neg(f)};
    if (rh_slot_turns(d, rh_rigid(d)->slot[i])) {
      rh_vec3 torque =
          rh_add(rh_scale(p[2], rh_turn_moving(d, rh_rigid(d)->slot[i])), rh_turn_holding(d, i));
      on_a.ang = rh_add(on_a.ang, torque);
      on_b.ang = rh_sub(on_b.ang, torque);
    }
    d->dyn.f[c->a] = rh_force_add(d->dyn.f[c->a], on_a);
    d->dyn.f[c->b] = rh_force_add(d->dyn.f[c->b], on_b);
  }
}

// Shares the forces on dependent contacts; `full`: the system, solved with equal weights, has full
// rank.
static void share_dependent_forces(island *g, bool full)
{
  weigh_columns(g);
  if (!full || !share_in_groups(g)) {
    (void)solve_system(g);
  }
}

// Forces with equal weights; the rank.
static int solve_rows(island *g)
{
  for (int r = 0; r < g->nrow; r++) {
    g->weight[r] = 1;
  }
  for (int k = 0; k < g->ngroup; k++) {
    turn_group(g, &g->group[k]);
  }
  return solve_system(g);
}

// The same; d->fixed: the rows leave the bodies no motion. Of a structure at rest nothing drifts, so nothing is to be removed.
static int solve_fixed(island *g)
{
  rh_data *d = g->d;
  int freedom = g->slides ? RH_NONE : rh_rigid_freedom(d, g->first);
  g->still = g->nrow >= freedom && freedom > 0 && rh_rigid_still(d, g->first, g->end);
  int rank = solve_rows(g);
  if (g->still && rank != freedom) {
    g->still = false;
    rank = solve_rows(g);
  }
  for (int i = g->first; i < g->end; i++) {
    rh_rigid(d)->fixed[i] = rank == freedom;
  }
  return rank;
}

bool rh_rows_solve(rh_data *d, int first, int end, bool rest, bool loads)
{
  island g;
  open_island(d, first, end, &g);
  int rank = solve_fixed(&g);
  bool open = rank < g.nrow && g.nrow > end - first && !rest; // dependent, and some stick
  bool full =
      rank == g.size; // then the sharing has no effect on the bodies; else it may where some slide
  bool rough = is_rough(&g);
  if (!open || full) {
    push_bodies(&g);
  }
  if (open) {
    share_dependent_forces(&g, full);
  }
  if (!rest) {
    memset(rh_rigid(d)->p + 3 * first, 0, 3 * (size_t)(end - first) * sizeof *rh_rigid(d)->p);
    memset(rh_rigid(d)->held + first, 0, (size_t)(end - first) * sizeof *rh_rigid(d)->held);
    rh_rigid(d)->undetermined += g.nrow - rank;
    for (int i = 3 * first; i < 3 * end && d->turn; i++) {
      rh_rigid(d)->torque[i] = 0;
    }
  }
  put_forces(&g);
  if (open && !g.turns) {
    share_within_cones(&g, loads || !full);
  }
  if (open && !full) {
    push_points(&g);
  }
  return rough;
}
