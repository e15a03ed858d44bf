// Stage 5 for rigid contacts: the forces that keep closed contacts closed. Which contacts stick, slide or carry nothing is
// settled at events (decide.c) and stays so in between, so that a step sees smooth functions. With rows t1, t2, n of the
// velocity u of body a relative to b at the contact:
//   sticks            du/dt = 0                                      forces p_t, p_n
//   slides along s    du_n/dt = 0                                    forces p_n, p_t = -mu_k p_n s
//   du/dt = W p + J a0 + dJ/dt v,  W = J H^-1 J'                      ([WK] 2.4, 2.8, 2.10)
// dJ/dt v has the contact point's own motion over both surfaces in it (geom/roll.c). Where contacts depend on one another
// (four corners of a box) p is that of least norm: what it does to the bodies is unique.
// Drift: the rows ask for du/dt = -2 k u - k^2 gap in place of zero, which takes what the integrator's error leaves.
#include "sim/rigid.h"

#include "math/dense.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

static const double DRIFT =
    10; // k [1/s]: slow against every step, fast against the growth of drift

static const double HELD =
    1e-12; // of the normal force: margin of a contact at its cone that others keep from slipping

// ---- Who takes part

static int tree_of(const rh_data *d, int slot, bool of_b)
{
  const rh_contact *c = &d->con[slot];
  return d->model->body[of_b ? c->b : c->a].tree;
}

// Trees that contacts join have the same lowest tree, found by following `joined`.
static int lowest(const int *joined, int tree)
{
  while (joined[tree] != tree) {
    tree = joined[tree];
  }
  return tree;
}

static void join(rh_data *d)
{
  for (int i = 0; i < d->model->nbody; i++) {
    d->joined[i] = i;
  }
  for (int i = 0; i < d->nrigid; i++) {
    int x = lowest(d->joined, tree_of(d, d->rigid[i], false));
    int y = lowest(d->joined, tree_of(d, d->rigid[i], true));
    if (x != 0 && y != 0) { // what does not move joins nothing
      d->joined[x > y ? x : y] = x < y ? x : y;
    }
  }
}

static int island_of(const rh_data *d, int slot)
{
  int x = lowest(d->joined, tree_of(d, slot, false));
  return x ? x : lowest(d->joined, tree_of(d, slot, true));
}

void rh_rigid_gather(rh_data *d, rh_closed least)
{
  d->nrigid = 0;
  for (int k = 0; k < d->ncon && d->nrigid < d->model->nrigid; k++) {
    if (rh_slot_rigid(d, k) && rh_slot_mode(d, k) >= least) {
      d->rigid[d->nrigid++] = k;
    }
  }
  join(d);
  for (int i = 1; i < d->nrigid; i++) { // by insertion: stable, and they are few
    int x = d->rigid[i];
    int j = i;
    for (; j > 0 && island_of(d, d->rigid[j - 1]) > island_of(d, x); j--) {
      d->rigid[j] = d->rigid[j - 1];
    }
    d->rigid[j] = x;
  }
}

int rh_rigid_island(const rh_data *d, int first)
{
  int end = first + 1;
  while (end < d->nrigid && island_of(d, d->rigid[end]) == island_of(d, d->rigid[first])) {
    end++;
  }
  return end;
}

// ---- Jacobians and inertia

static rh_vec3 in_body(const rh_data *d, int body, rh_vec3 point)
{
  return rh_unrotate(&d->kin[body].R, rh_sub(point, d->kin[body].p));
}

// Rows t1, t2, n of the relative velocity's Jacobian
static void contact_jacobian(rh_data *d, int i)
{
  int nv = d->model->nv;
  const rh_contact *c = &d->con[d->rigid[i]];
  double *J = d->Jc + 3 * (size_t)i * nv;
  double *other = d->scratch;
  rh_point_jacobian(d, c->a, in_body(d, c->a, c->point), J);
  rh_point_jacobian(d, c->b, in_body(d, c->b, c->point), other);
  for (int k = 0; k < nv; k++) {
    rh_vec3 u = {J[k] - other[k], J[nv + k] - other[nv + k], J[2 * nv + k] - other[2 * nv + k]};
    J[k] = rh_dot(c->t1, u);
    J[nv + k] = rh_dot(c->t2, u);
    J[2 * nv + k] = rh_dot(c->n, u);
  }
}

static double dot(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

// Bodies that the contacts of an island act on, directly or through joints: what an impulse on one does to another. A body
// has six ways to be pushed, however many contacts it has.
typedef struct bodies {
  int *set;   // those bodies and their ancestors, in order (n)
  int *place; // of a body among those that are touched; RH_NONE: it is not, or never moves (nbody)
  int n, touched;
  double *L; // velocity of touched body e for a unit push on c: row 6 e + i, column 6 c + k
} bodies;

static void mark(const rh_data *d, const bodies *x, int body)
{
  bool moves = d->model->body[body].tree != 0;
  if (moves) {
    x->place[body] = 0;
  }
  for (int i = body; i > 0 && moves && x->set[i] == 0; i = d->model->body[i].parent) {
    x->set[i] = 1;
  }
}

// First marks in `set`, then the list in its place: no entry is written before it is read.
static void list_bodies(rh_data *d, int first, int end, bodies *x)
{
  int nbody = d->model->nbody;
  *x = (bodies){.set = d->reach, .place = d->reach + nbody, .L = d->room};
  for (int i = 0; i < nbody; i++) {
    x->set[i] = 0;
    x->place[i] = RH_NONE;
  }
  for (int i = first; i < end; i++) {
    mark(d, x, d->con[d->rigid[i]].a);
    mark(d, x, d->con[d->rigid[i]].b);
  }
  for (int i = 1; i < nbody; i++) {
    x->place[i] = x->place[i] == RH_NONE ? RH_NONE : x->touched++;
    if (x->set[i]) {
      x->set[x->n++] = i;
    }
  }
}

static double *unit_of(rh_force *f, int k)
{
  double *part[6] = {&f->ang.x, &f->ang.y, &f->ang.z, &f->lin.x, &f->lin.y, &f->lin.z};
  return part[k];
}

static void respond(rh_data *d, const bodies *x)
{
  size_t width = 6 * (size_t)x->touched;
  rh_motion *dv = (rh_motion *)(x->L + width * width);
  for (int c = 0; c < x->n; c++) {
    int from = x->place[x->set[c]];
    for (int k = 0; k < 6 && from != RH_NONE; k++) {
      rh_force push = {{0, 0, 0}, {0, 0, 0}};
      *unit_of(&push, k) = 1;
      rh_wrench_response(d, x->set[c], &push, x->set, x->n, dv);
      for (int e = 0; e < x->n; e++) {
        int to = x->place[x->set[e]];
        const double v[6] = {dv[e].ang.x, dv[e].ang.y, dv[e].ang.z,
                             dv[e].lin.x, dv[e].lin.y, dv[e].lin.z};
        for (int i = 0; i < 6 && to != RH_NONE; i++) {
          x->L[(6 * (size_t)to + (size_t)i) * width + 6 * (size_t)from + (size_t)k] = v[i];
        }
      }
    }
  }
}

typedef struct pushes { // a unit force along a row of a contact, on its two bodies
  int place[2];
  double f[2][6];
} pushes;

static pushes push_of(const rh_data *d, const bodies *x, int row)
{
  const rh_contact *c = &d->con[d->rigid[row / 3]];
  rh_vec3 axis = row % 3 == 0 ? c->t1 : row % 3 == 1 ? c->t2 : c->n;
  pushes p = {{x->place[c->a], x->place[c->b]}, {{0}}};
  for (int side = 0; side < 2; side++) {
    rh_vec3 force = side == 0 ? axis : rh_neg(axis);
    rh_vec3 moment = rh_cross(rh_sub(c->point, d->kin[side == 0 ? c->a : c->b].p), force);
    const double f[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    memcpy(p.f[side], f, sizeof f);
  }
  return p;
}

static double felt(const pushes *p, const double *v)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    sum += p->place[side] == RH_NONE ? 0 : dot(6, v + 6 * (size_t)p->place[side], p->f[side]);
  }
  return sum;
}

// The part of W that belongs to contacts [first, end), column by column
static void fill_block(rh_data *d, const bodies *x, int first, int end)
{
  size_t width = 6 * (size_t)x->touched;
  size_t rows = 3 * (size_t)d->nrigid;
  double *v = x->L + width * width; // velocities of the touched bodies
  pushes *push = (pushes *)(void *)(v + width);
  int n = 3 * (end - first);
  for (int r = 0; r < n; r++) {
    push[r] = push_of(d, x, 3 * first + r);
  }
  for (int s = 0; s < n; s++) {
    for (size_t i = 0; i < width; i++) {
      v[i] = felt(&push[s], x->L + i * width);
    }
    for (int r = s; r < n; r++) {
      size_t at[2] = {3 * (size_t)first + (size_t)r, 3 * (size_t)first + (size_t)s};
      d->Wc[at[0] * rows + at[1]] = d->Wc[at[1] * rows + at[0]] = felt(&push[r], v);
    }
  }
}

void rh_rigid_inertia(rh_data *d)
{
  size_t rows = 3 * (size_t)d->nrigid;
  for (int i = 0; i < d->nrigid; i++) {
    contact_jacobian(d, i);
  }
  memset(d->Wc, 0, rows * rows * sizeof *d->Wc); // islands do not feel one another
  for (int first = 0, end; first < d->nrigid; first = end) {
    bodies x;
    end = rh_rigid_island(d, first);
    list_bodies(d, first, end, &x);
    respond(d, &x);
    fill_block(d, &x, first, end);
  }
}

void rh_rigid_block(const rh_data *d, int first, int end, double *W)
{
  size_t n = 3 * (size_t)(end - first);
  for (size_t r = 0; r < n; r++) {
    memcpy(W + r * n, d->Wc + (3 * first + r) * 3 * d->nrigid + 3 * first, n * sizeof *W);
  }
}

void rh_rigid_accelerations(rh_data *d)
{
  int nv = d->model->nv;
  for (int i = 0; i < d->nrigid; i++) {
    const rh_contact *c = &d->con[d->rigid[i]];
    const double *J = d->Jc + 3 * (size_t)i * nv;
    rh_vec3 moving = rh_sub(rh_point_bias(d, c->a, in_body(d, c->a, c->point)),
                            rh_point_bias(d, c->b, in_body(d, c->b, c->point)));
    moving = rh_add(moving, c->drift);
    d->bc[3 * i] = dot(nv, J, d->a) + rh_dot(c->t1, moving);
    d->bc[3 * i + 1] = dot(nv, J + nv, d->a) + rh_dot(c->t2, moving);
    d->bc[3 * i + 2] = dot(nv, J + 2 * nv, d->a) + rh_dot(c->n, moving);
  }
}

// ---- Forces at given modes

// Direction of the slip, as it goes on smoothly through zero: the sense is that at the last event, kept in the slot. It
// takes the place of the slip's own direction where the slip is hardly any, smoothly.
static void slip_direction(const rh_data *d, int slot, double s[2])
{
  const rh_contact *c = &d->con[slot];
  const double *kept = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_vec3 ref = {kept[0], kept[1], kept[2]};
  double r[2] = {rh_dot(c->t1, ref), rh_dot(c->t2, ref)};
  double sign = c->slip[0] * r[0] + c->slip[1] * r[1] < 0 ? -1 : 1;
  double speed = hypot(c->slip[0], c->slip[1]) / RH_STUCK;
  double weight = RH_STUCK / (1 + speed * speed);
  for (int i = 0; i < 2; i++) {
    s[i] = sign * c->slip[i] + weight * r[i];
  }
  double size = hypot(s[0], s[1]);
  for (int i = 0; i < 2; i++) {
    s[i] = size == 0 ? 0 : s[i] / size;
  }
}

typedef struct island { // rows of the system that is solved: which contact, which of t1, t2, n
  int first, end;
  int nrow;
  int *contact, *axis;
} island;

static void list_rows(const rh_data *d, island *g)
{
  g->nrow = 0;
  for (int i = g->first; i < g->end; i++) {
    bool sticks = rh_slot_mode(d, d->rigid[i]) == RH_CLOSED_STICK;
    for (int axis = sticks ? 0 : 2; axis < 3; axis++) {
      g->contact[g->nrow] = i;
      g->axis[g->nrow++] = axis;
    }
  }
}

// What a unit of force in `column` does to `row`: a slide's normal force brings its friction along.
static double entry(const rh_data *d, const island *g, int row, int column)
{
  size_t rows = 3 * (size_t)d->nrigid;
  int j = g->contact[column];
  const double *W = d->Wc + (size_t)(3 * g->contact[row] + g->axis[row]) * rows + 3 * (size_t)j;
  double w = W[g->axis[column]];
  if (rh_slot_mode(d, d->rigid[j]) == RH_CLOSED_SLIDE) {
    double mu = d->model->contact[d->con[d->rigid[j]].contact].mu_k;
    w -= mu * (d->slide[2 * j] * W[0] + d->slide[2 * j + 1] * W[1]);
  }
  return w;
}

static double drift_of(const rh_contact *c, int axis)
{
  return axis == 2 ? DRIFT * (-2 * c->rate - DRIFT * c->depth) : 2 * DRIFT * c->slip[axis];
}

// Where contacts depend on one another the sharing is a choice: forces of least norm, friction weighed by 1 / sqrt(p_n), so
// that contacts of one body come to their cones together (to the same part of mu p_n, where a face is pushed along).
static void weigh_columns(const rh_data *d, const island *g, double *weight)
{
  for (int s = 0; s < g->nrow; s++) {
    double normal = d->pc[3 * g->contact[s] + 2];
    weight[s] = g->axis[s] == 2 ? 1 : sqrt(fmax(normal, 0));
  }
}

// Forces of the island's rows; the rank. `weight` NULL: all alike.
static int solve_rows(rh_data *d, const island *g, const double *weight, double *A)
{
  size_t n = (size_t)g->nrow;
  double *rhs = A + n * n;
  double *x = rhs + n;
  for (int r = 0; r < g->nrow; r++) {
    int i = g->contact[r];
    for (int s = 0; s < g->nrow; s++) {
      A[r * n + s] = entry(d, g, r, s) * (weight ? weight[s] : 1);
    }
    rhs[r] = -d->bc[3 * i + g->axis[r]] - drift_of(&d->con[d->rigid[i]], g->axis[r]);
  }
  int rank = rh_lstsq(g->nrow, g->nrow, A, rhs, RH_DEPENDENT, x + n, x, NULL);
  for (int r = 0; r < g->nrow; r++) {
    d->pc[3 * g->contact[r] + g->axis[r]] = x[r] * (weight ? weight[r] : 1);
  }
  return rank;
}

static double margin_of(const rh_data *d, int i)
{
  const double *p = d->pc + 3 * (size_t)i;
  return d->model->contact[d->con[d->rigid[i]].contact].mu_s * p[2] - hypot(p[0], p[1]);
}

// A sharing that puts a contact beyond its cone says nothing yet if there is another that does not.
static void share_within_cones(rh_data *d, const island *g)
{
  bool beyond = false;
  for (int i = g->first; i < g->end; i++) {
    beyond = beyond || (rh_slot_mode(d, d->rigid[i]) == RH_CLOSED_STICK && margin_of(d, i) < 0);
  }
  d->held[g->first] = beyond && rh_rigid_holds(d, g->first, g->end);
  for (int i = g->first + 1; i < g->end; i++) {
    d->held[i] = d->held[g->first];
  }
}

// Rows that nothing moves along, as across the plane of a planar joint: their force is none, and is not open.
static int inert_rows(const rh_data *d, const island *g)
{
  size_t rows = 3 * (size_t)d->nrigid;
  double most = 0;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; r < g->nrow; r++) {
      size_t own = 3 * (size_t)g->contact[r] + (size_t)g->axis[r];
      double w = d->Wc[own * rows + own];
      most = pass == 0 ? fmax(most, w) : most;
      n += pass == 1 && w <= RH_DEPENDENT * most;
    }
  }
  return n;
}

static void solve_island(rh_data *d, island *g)
{
  list_rows(d, g);
  double *weight = d->room;
  double *A = d->room + g->nrow;
  memset(d->pc + 3 * g->first, 0, 3 * (size_t)(g->end - g->first) * sizeof *d->pc);
  memset(d->held + g->first, 0, (size_t)(g->end - g->first) * sizeof *d->held);
  int rank = solve_rows(d, g, NULL, A);
  if (rank < g->nrow && g->nrow > g->end - g->first) { // dependent, and some stick
    weigh_columns(d, g, weight);
    (void)solve_rows(d, g, weight, A);
    share_within_cones(d, g);
  }
  d->undetermined += g->nrow - rank - inert_rows(d, g);
}

// Puts the forces where the laws' forces of compliant contacts stand, and into the wrenches.
static void give_forces(rh_data *d, int i)
{
  int slot = d->rigid[i];
  rh_contact *c = &d->con[slot];
  const rh_model_contact *law = &d->model->contact[c->contact];
  double *p = d->pc + 3 * (size_t)i;
  bool slides = rh_slot_mode(d, slot) == RH_CLOSED_SLIDE;
  for (int k = 0; k < 2 && slides; k++) {
    p[k] = -law->mu_k * p[2] * d->slide[2 * i + k];
  }
  c->normal = p[2];
  c->friction[0] = p[0];
  c->friction[1] = p[1];
  c->margin = slides ? -1 : d->held[i] ? fmax(margin_of(d, i), HELD * p[2]) : margin_of(d, i);
  double *work = d->slot_rate + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK;
  work[RH_CONTACT_SLIDE] = -(p[0] * c->slip[0] + p[1] * c->slip[1]);
  work[RH_CONTACT_DAMPER] = p[2] * c->rate; // of the drift that is taken back
  rh_contact_push(d, c);
}

void rh_rigid_forces(rh_data *d)
{
  if (d->model->nrigid == 0) {
    return;
  }
  rh_rigid_gather(d, RH_CLOSED_STICK);
  if (d->nrigid == 0) {
    return;
  }
  rh_rigid_inertia(d);
  rh_rigid_accelerations(d);
  d->undetermined = 0;
  for (int i = 0; i < d->nrigid; i++) {
    slip_direction(d, d->rigid[i], d->slide + 2 * (size_t)i);
  }
  for (int first = 0, end; first < d->nrigid; first = end) {
    end = rh_rigid_island(d, first);
    island g = {first, end, 0, d->rigid_row, d->rigid_row + 3 * d->nrigid};
    solve_island(d, &g);
  }
  for (int i = 0; i < d->nrigid; i++) {
    give_forces(d, i);
  }
  rh_forward_dynamics(d);
}
