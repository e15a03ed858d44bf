// Responses of a body and of others to unit impulses on it: six at a time, passed from the body to
// the root and from there to the requested bodies only. The articulated inertias are those of the
// last forward dynamics (aba.c).
#include "small.h"

#include <string.h>

enum { SIX = 6 };

typedef struct six_motions { // angular and linear velocities, each three numbers and a zero
  double w[SIX][4], a[SIX][4];
} six_motions;

static void six_inward(rh_data *d, int i, lanes n[SIX], lanes f[SIX], double *u)
{
  const rh_model_body *b = &d->model->body[i];
  lanes r = lanes_load3(&d->kin[i].r.x);
  for (int c = 0; c < SIX; c++) {
    double y[NV_MAX];
    for (int j = 0; j < b->nv; j++) {
      int k = b->vadr + j;
      lanes power = lanes_add(lanes_mul(lanes_vec3(d->dyn.S[k].ang), n[c]),
                              lanes_mul(lanes_vec3(d->dyn.S[k].lin), f[c]));
      u[SIX * k + c] = -lanes_sum(power);
      y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : u[SIX * k + c];
    }
    solve_joint(b->nv, *matrix_of(d, i), y);
    for (int j = 0; j < b->nv; j++) {
      n[c] = lanes_add(n[c], lanes_scale(y[j], lanes_load(d->dyn.U[b->vadr + j][0])));
      f[c] = lanes_add(f[c], lanes_scale(y[j], lanes_load(d->dyn.U[b->vadr + j][1])));
    }
    n[c] = lanes_add(n[c], lanes_cross(r, f[c]));
  }
}

static void six_inward_hinge(rh_data *d, int i, lanes n[SIX], lanes f[SIX], double *u)
{
  int k = d->model->body[i].vadr;
  lanes r = lanes_load3(&d->kin[i].r.x);
  lanes s = lanes_load3(&d->dyn.S[k].ang.x);
  lanes un = lanes_load(d->dyn.U[k][0]);
  lanes uf = lanes_load(d->dyn.U[k][1]);
  double inverse = (*matrix_of(d, i))[0][0];
  for (int c = 0; c < SIX; c++) {
    u[SIX * k + c] = -lanes_dot(s, n[c]);
    double y = inverse * u[SIX * k + c];
    n[c] = lanes_add(n[c], lanes_scale(y, un));
    f[c] = lanes_add(f[c], lanes_scale(y, uf));
    n[c] = lanes_add(n[c], lanes_cross(r, f[c]));
  }
}

static void six_outward(const rh_data *d, int i, const double *u, const six_motions *parent,
                        six_motions *to)
{
  const rh_model_body *b = &d->model->body[i];
  lanes r = lanes_load3(&d->kin[i].r.x);
  for (int c = 0; c < SIX; c++) {
    lanes w = lanes_load(parent->w[c]);
    lanes a = lanes_add(lanes_load(parent->a[c]), lanes_cross(w, r));
    double y[NV_MAX];
    for (int j = 0; j < b->nv; j++) {
      int k = b->vadr + j;
      lanes power = lanes_add(lanes_mul(w, lanes_load(d->dyn.U[k][0])),
                              lanes_mul(a, lanes_load(d->dyn.U[k][1])));
      y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : u[SIX * k + c] - lanes_sum(power);
    }
    solve_joint(b->nv, *matrix_of(d, i), y);
    for (int j = 0; j < b->nv; j++) {
      w = lanes_add(w, lanes_scale(y[j], lanes_vec3(d->dyn.S[b->vadr + j].ang)));
      a = lanes_add(a, lanes_scale(y[j], lanes_vec3(d->dyn.S[b->vadr + j].lin)));
    }
    lanes_store(to->w[c], w);
    lanes_store(to->a[c], a);
  }
}

static void six_outward_hinge(const rh_data *d, int i, const double *u, const six_motions *parent,
                              six_motions *to)
{
  int k = d->model->body[i].vadr;
  lanes r = lanes_load3(&d->kin[i].r.x);
  lanes s = lanes_load3(&d->dyn.S[k].ang.x);
  lanes un = lanes_load(d->dyn.U[k][0]);
  lanes uf = lanes_load(d->dyn.U[k][1]);
  double inverse = (*matrix_of(d, i))[0][0];
  for (int c = 0; c < SIX; c++) {
    lanes w = lanes_load(parent->w[c]);
    lanes a = lanes_add(lanes_load(parent->a[c]), lanes_cross(w, r));
    double y = u[SIX * k + c] - lanes_sum(lanes_add(lanes_mul(w, un), lanes_mul(a, uf)));
    lanes_store(to->w[c], lanes_add(w, lanes_scale(inverse * y, s)));
    lanes_store(to->a[c], a);
  }
}

static bool is_hinge(const rh_model_body *b)
{
  return b->nv == 1 && b->joint->turning;
}

static void read_motions(const six_motions *from, double *v)
{
  for (int c = 0; c < SIX; c++) {
    memcpy(v + SIX * c, from->w[c], 3 * sizeof *v);
    memcpy(v + SIX * c + 3, from->a[c], 3 * sizeof *v);
  }
}

size_t rh_wrench_room(const rh_model *m)
{
  return SIX * (size_t)m->nv + sizeof(six_motions) / sizeof(double) * (size_t)m->nbody;
}

void rh_wrench_responses(rh_data *d, int body, const int *set, int n, double *room, double *v)
{
  const rh_model *m = d->model;
  double *u = room;
  six_motions *moved = (six_motions *)(void *)(room + SIX * (size_t)m->nv);
  lanes moment[SIX];
  lanes force[SIX];
  for (int i = 0; i < n; i++) {
    const rh_model_body *b = &m->body[set[i]];
    memset(u + SIX * (size_t)b->vadr, 0, SIX * (size_t)b->nv * sizeof *u);
  }
  for (int c = 0; c < SIX; c++) {
    moment[c] = lanes_of(c == 0 ? -1 : 0, c == 1 ? -1 : 0, c == 2 ? -1 : 0);
    force[c] = lanes_of(c == 3 ? -1 : 0, c == 4 ? -1 : 0, c == 5 ? -1 : 0);
  }
  for (int i = body; i > 0; i = m->body[i].parent) {
    (is_hinge(&m->body[i]) ? six_inward_hinge : six_inward)(d, i, moment, force, u);
  }
  moved[0] = (six_motions){{{0}}, {{0}}};
  for (int i = 0; i < n; i++) {
    const rh_model_body *b = &m->body[set[i]];
    (is_hinge(b) ? six_outward_hinge : six_outward)(d, set[i], u, &moved[b->parent],
                                                    &moved[set[i]]);
    read_motions(&moved[set[i]], v + SIX * SIX * (size_t)i);
  }
  if (d->dyn.rows) {
    rh_constraints_respond(d, body, set, n, v);
  }
}
