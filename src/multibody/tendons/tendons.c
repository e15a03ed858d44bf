// Tendons: length L(q) and gradient J = dL/dq of a path through points of bodies, or of a sum of joint
// coordinates, and the forces along it: spring, damper. A force f that would lengthen the tendon is the
// generalised force J' f.
//   f = -k (L - rest) - c J v,  the spring without force where L is between two rest lengths
// The part of the path on a surface moves with its body: only the straight parts have a gradient, and
// the places where they touch count as fixed, as the path is tangent there.
#include "tendons.h"

#include <math.h>
#include <string.h>

typedef struct place { // a point of the path
  int body;
  rh_vec3 p; // [m] world
} place;

typedef struct path { // what is summed up along it
  const rh_data *d;
  const rh_model_tendon *tendon;
  double divisor;
  double length;
  double *J; // (ndof) NULL: only the length is wanted
} path;

// The velocity of a point along u, as a row over the tendon's degrees of freedom
static void add_point_row(const path *s, const place *at, rh_vec3 u)
{
  const rh_data *d = s->d;
  const rh_model *m = d->model;
  const int *dof = m->tendons.dof + s->tendon->dof;
  int i = s->tendon->ndof - 1;
  rh_vec3 r = rh_sub(at->p, d->kin[at->body].p); // from the origin of the present body to the point
  for (int b = at->body; b > 0; b = m->body[b].parent) {
    for (int k = m->body[b].vadr + m->body[b].nv - 1; k >= m->body[b].vadr; k--) {
      while (dof[i] > k) {
        i--;
      }
      s->J[i] += rh_dot(u, rh_add(d->dyn.S[k].lin, rh_cross(d->dyn.S[k].ang, r)));
    }
    r = rh_add(r, d->kin[b].r);
  }
}

static void add_straight(path *s, const place *from, const place *to)
{
  rh_vec3 way = rh_sub(to->p, from->p);
  double size = rh_norm(way);
  s->length += size / s->divisor;
  if (s->J && from->body != to->body && size > 0) {
    rh_vec3 u = rh_scale(1 / (size * s->divisor), way);
    add_point_row(s, to, u);
    add_point_row(s, from, rh_neg(u));
  }
}

rh_vec3 rh_tendon_point(const rh_data *d, const rh_model_tendon_part *part)
{
  return rh_point_position(d, part->body, part->frame.p);
}

static place point_of(const rh_data *d, const rh_model_tendon_part *part)
{
  return (place){part->body, rh_tendon_point(d, part)};
}

rh_wrap_round rh_tendon_round(const rh_data *d, const rh_model_tendon_part *part)
{
  const rh_kin_body *b = &d->kin[part->body];
  rh_wrap_round o = {.sphere = part->kind == RH_TENDON_SPHERE,
                     .frame = {rh_mat3_mul(&b->R, &part->frame.R),
                               rh_point_position(d, part->body, part->frame.p)},
                     .radius = part->radius,
                     .has_side = part->side_body != RH_NONE};
  if (o.has_side) {
    o.side = rh_point_position(d, part->side_body, part->side);
  }
  return o;
}

// From a point to the next one, past what is between them
static void add_wrapped(path *s, const rh_model_tendon_part *part)
{
  place from = point_of(s->d, part);
  place to = point_of(s->d, part + 2);
  rh_wrap_round o = rh_tendon_round(s->d, part + 1);
  rh_wrap_result wrap;
  if (!rh_wrap_path(&o, from.p, to.p, &wrap)) {
    add_straight(s, &from, &to);
    return;
  }
  place on[2] = {{part[1].body, wrap.at[0]}, {part[1].body, wrap.at[1]}};
  add_straight(s, &from, &on[0]);
  s->length += wrap.length / s->divisor;
  add_straight(s, &on[1], &to);
}

// By the checks of the scene a path begins and ends with points, as do its parts between pulleys, and
// what it is wrapped about is between two points.
static void follow_path(path *s)
{
  const rh_model_tendon *t = s->tendon;
  const rh_model_tendon_part *part = s->d->model->tendons.part + t->part;
  for (int i = 0; i < t->npart; i++) {
    if (part[i].kind == RH_TENDON_JOINT) {
      s->length += part[i].coef * s->d->q[s->d->model->dof[part[i].dof].coord];
    } else if (part[i].kind == RH_TENDON_PULLEY) {
      s->divisor = part[i].divisor;
    } else if (part[i].kind == RH_TENDON_POINT && i + 1 < t->npart) {
      if (part[i + 1].kind == RH_TENDON_POINT) {
        place from = point_of(s->d, &part[i]);
        place to = point_of(s->d, &part[i + 1]);
        add_straight(s, &from, &to);
      } else if (part[i + 1].kind != RH_TENDON_PULLEY) {
        add_wrapped(s, &part[i++]);
      }
    }
  }
}

static void fill_sum(const rh_model *m, const rh_model_tendon *t, double *J)
{
  const int *dof = m->tendons.dof + t->dof;
  const rh_model_tendon_part *part = m->tendons.part + t->part;
  for (int k = 0; k < t->npart; k++) {
    int i = 0;
    while (dof[i] != part[k].dof) {
      i++;
    }
    J[i] += part[k].coef;
  }
}

void rh_tendon_update(rh_data *d, int index)
{
  const rh_model *m = d->model;
  const rh_model_tendon *t = &m->tendons.of[index];
  rh_tendon_now *now = &d->dyn.tendon[index];
  double *J = d->dyn.tendon_J + t->dof;
  memset(J, 0, (size_t)t->ndof * sizeof *J);
  path s = {d, t, 1, 0, J};
  follow_path(&s);
  if (t->sum) {
    fill_sum(m, t, J);
  }
  now->length = s.length;
  now->speed = 0;
  for (int i = 0; i < t->ndof; i++) {
    now->speed += J[i] * d->v[m->tendons.dof[t->dof + i]];
  }
}

double rh_tendon_length(const rh_data *d, int index)
{
  path s = {d, &d->model->tendons.of[index], 1, 0, NULL};
  follow_path(&s);
  return s.length;
}

// ---- Forces

// [m] beyond the range of rest lengths
static double stretch_of(const rh_model_tendon *t, double length)
{
  return length > t->rest[1] ? length - t->rest[1] : length < t->rest[0] ? length - t->rest[0] : 0;
}

double rh_tendon_spring(const rh_data *d, int index)
{
  const rh_model_tendon *t = &d->model->tendons.of[index];
  return -t->spring * stretch_of(t, d->dyn.tendon[index].length);
}

double rh_tendon_force(const rh_data *d, int index)
{
  return rh_tendon_spring(d, index) -
         d->model->tendons.of[index].damper * d->dyn.tendon[index].speed;
}

void rh_tendon_push(rh_data *d, int index, double force, double *load)
{
  const rh_model_tendon *t = &d->model->tendons.of[index];
  for (int i = 0; i < t->ndof; i++) {
    load[d->model->tendons.dof[t->dof + i]] += force * d->dyn.tendon_J[t->dof + i];
  }
}

void rh_tendon_loads(rh_data *d)
{
  for (int i = 0; i < d->model->tendons.n; i++) {
    const rh_model_tendon *t = &d->model->tendons.of[i];
    rh_tendon_update(d, i);
    double speed = d->dyn.tendon[i].speed;
    if (t->spring != 0 || t->damper != 0) {
      rh_tendon_push(d, i, rh_tendon_force(d, i), d->load);
      d->power[RH_WORK_DAMPER] += t->damper * speed * speed;
    }
    double way = t->stop != RH_NONE ? d->dyn.tendon_dry[t->stop] : 0;
    if (way != 0) {
      rh_tendon_push(d, i, -t->friction * way, d->load);
      d->power[RH_WORK_DAMPER] += t->friction * way * speed;
    }
  }
}

double rh_tendon_energy(const rh_data *d)
{
  double sum = 0;
  for (int i = 0; i < d->model->tendons.n; i++) {
    const rh_model_tendon *t = &d->model->tendons.of[i];
    if (t->spring != 0) {
      double x = stretch_of(t, rh_tendon_length(d, i));
      sum += 0.5 * t->spring * x * x;
    }
  }
  return sum;
}
