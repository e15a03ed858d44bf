// Response of an island's bodies, and through them of its contacts, to forces at its rigid
// contacts. A body has six directions of force, for any number of contacts: L is the response of
// one body to a unit force on another, W = J H^-1 J' follows from it.
#include "rigid.h"

#include "multibody/multibody.h"

#include <string.h>

// ---- Bodies

static void mark_ancestors(const rh_data *d, const rh_island_bodies *x, int body)
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
static void list_bodies(rh_data *d, int first, int end, rh_island_bodies *x)
{
  int nbody = d->model->nbody;
  *x = (rh_island_bodies){
      .set = rh_rigid(d)->reach, .place = rh_rigid(d)->reach + nbody, .L = rh_rigid(d)->scratch};
  for (int i = 0; i < nbody; i++) {
    x->set[i] = 0;
    x->place[i] = RH_NONE;
  }
  for (int i = first; i < end; i++) {
    mark_ancestors(d, x, d->contact[rh_rigid(d)->slot[i]].a);
    mark_ancestors(d, x, d->contact[rh_rigid(d)->slot[i]].b);
  }
  for (int i = 1; i < nbody; i++) {
    x->place[i] = x->place[i] == RH_NONE ? RH_NONE : x->touched++;
    if (x->set[i]) {
      x->set[x->n++] = i;
    }
  }
  x->rest = x->L + 36 * (size_t)x->touched * (size_t)x->touched;
}

void rh_island_bodies_find(rh_data *d, int first, int end, rh_island_bodies *x)
{
  list_bodies(d, first, end, x);
  size_t width = 6 * (size_t)x->touched;
  double *v = x->rest;
  double *scratch = v + 36 * (size_t)x->n;
  for (int c = 0; c < x->n; c++) {
    int from = x->place[x->set[c]];
    if (from == RH_NONE) {
      continue;
    }
    rh_wrench_responses(d, x->set[c], x->set, x->n, scratch, v);
    for (int e = 0; e < x->n; e++) {
      int to = x->place[x->set[e]];
      for (int i = 0; i < 36 && to != RH_NONE; i++) { // its columns, one after the other
        size_t row = 6 * (size_t)to + (size_t)(i % 6);
        x->L[row * width + 6 * (size_t)from + (size_t)(i / 6)] = v[36 * (size_t)e + (size_t)i];
      }
    }
  }
}

void rh_island_bodies_velocities(const rh_island_bodies *x, const rh_pushes *push, double *v)
{
  size_t width = 6 * (size_t)x->touched;
  for (size_t i = 0; i < width; i++) {
    v[i] = rh_felt(push, x->L + i * width);
  }
}

// ---- Contacts

static rh_pushes push_of(const rh_data *d, const rh_island_bodies *x, int row)
{
  const rh_contact *c = &d->contact[rh_rigid(d)->slot[row / 3]];
  rh_vec3 axis = row % 3 == 0 ? c->t1 : row % 3 == 1 ? c->t2 : c->n;
  rh_pushes p = {{x->place[c->a], x->place[c->b]}, {{0}}};
  for (int side = 0; side < 2; side++) {
    rh_vec3 force = side == 0 ? axis : rh_neg(axis);
    rh_vec3 moment = rh_cross(rh_sub(c->point, d->kin[side == 0 ? c->a : c->b].p), force);
    const double f[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    memcpy(p.f[side], f, sizeof f);
  }
  return p;
}

void rh_island_bodies_block(rh_data *d, const rh_island_bodies *x, int first, int end)
{
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  double *v = x->rest; // velocities of the touched bodies
  rh_pushes *push = (rh_pushes *)(void *)(v + 6 * (size_t)x->touched);
  int n = 3 * (end - first);
  for (int r = 0; r < n; r++) {
    push[r] = push_of(d, x, 3 * first + r);
  }
  for (int s = 0; s < n; s++) {
    rh_island_bodies_velocities(x, &push[s], v);
    for (int r = s; r < n; r++) {
      size_t at[2] = {3 * (size_t)first + (size_t)r, 3 * (size_t)first + (size_t)s};
      rh_rigid(d)->W[at[0] * rows + at[1]] = rh_rigid(d)->W[at[1] * rows + at[0]] =
          rh_felt(&push[r], v);
    }
  }
}

void rh_rigid_inertia(rh_data *d)
{
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  memset(rh_rigid(d)->W, 0, rows * rows * sizeof *rh_rigid(d)->W); // islands are not coupled
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    rh_island_bodies x;
    end = rh_rigid_island(d, first);
    rh_island_bodies_find(d, first, end, &x);
    rh_island_bodies_block(d, &x, first, end);
  }
}

void rh_rigid_block(const rh_data *d, int first, int end, double *W)
{
  size_t n = 3 * (size_t)(end - first);
  for (size_t r = 0; r < n; r++) {
    memcpy(W + r * n, rh_rigid(d)->W + (3 * first + r) * 3 * rh_rigid(d)->n + 3 * first,
           n * sizeof *W);
  }
}

static rh_vec3 in_body(const rh_data *d, int body, rh_vec3 point)
{
  return rh_unrotate(&d->kin[body].R, rh_sub(point, d->kin[body].p));
}

void rh_rigid_jacobian(rh_data *d, int i)
{
  int nv = d->model->nv;
  const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
  double *J = rh_rigid(d)->J;
  double *other = d->dyn.scratch;
  rh_point_jacobian(d, c->a, in_body(d, c->a, c->point), J);
  rh_point_jacobian(d, c->b, in_body(d, c->b, c->point), other);
  for (int k = 0; k < nv; k++) {
    rh_vec3 u = {J[k] - other[k], J[nv + k] - other[nv + k], J[2 * nv + k] - other[2 * nv + k]};
    J[k] = rh_dot(c->t1, u);
    J[nv + k] = rh_dot(c->t2, u);
    J[2 * nv + k] = rh_dot(c->n, u);
  }
}

// ---- Accelerations

typedef struct moving { // a body and its acceleration, which its contacts share
  int body;
  rh_motion acc;
} moving;

static rh_vec3 point_acceleration(const rh_data *d, int body, rh_vec3 point, moving *last)
{
  const rh_kin_body *k = &d->kin[body];
  if (body == 0) {
    return (rh_vec3){0, 0, 0};
  }
  if (body != last->body) {
    *last = (moving){body, rh_motion_add(rh_body_acceleration(d, body), k->c)};
  }
  rh_vec3 r = rh_sub(point, k->p);
  rh_vec3 turning = rh_add(rh_cross(last->acc.ang, r), rh_cross(k->v.ang, rh_cross(k->v.ang, r)));
  return rh_add(last->acc.lin, turning);
}

double rh_contact_pull(const rh_data *d, const rh_contact *c)
{
  moving a = {RH_NONE, {{0, 0, 0}, {0, 0, 0}}};
  moving b = a;
  rh_vec3 u =
      rh_sub(point_acceleration(d, c->a, c->point, &a), point_acceleration(d, c->b, c->point, &b));
  return -rh_dot(c->n, rh_add(u, c->drift));
}

void rh_rigid_accelerations(rh_data *d)
{
  moving a = {RH_NONE, {{0, 0, 0}, {0, 0, 0}}};
  moving b = a;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    rh_vec3 u = rh_sub(point_acceleration(d, c->a, c->point, &a),
                       point_acceleration(d, c->b, c->point, &b));
    u = rh_add(u, c->drift);
    rh_rigid(d)->b[3 * i] = rh_dot(c->t1, u);
    rh_rigid(d)->b[3 * i + 1] = rh_dot(c->t2, u);
    rh_rigid(d)->b[3 * i + 2] = rh_dot(c->n, u);
  }
}
