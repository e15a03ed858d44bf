// Stage 7: forward dynamics by the articulated-body algorithm [RBDA table 7.1], linear in the number of bodies, in world
// axes about each body's origin, so that an inertia is passed to the parent by a shift.
// Accelerations are relative to those without joint accelerations (kinematics.c): velocities and
// gravity then enter by the bias forces alone. The axis of a held degree of freedom passes the
// inertia on unreduced: a = 0, and its holding force is known.
#include "small.h"

#include <string.h>

typedef struct artic { // articulated inertia [A B'; B C] and bias force, by columns
  lanes A[3], B[3], C[3];
  lanes n, f;
} artic;

LANES_INLINE artic artic_load(const rh_aba_body *x)
{
  artic I;
  for (int j = 0; j < 3; j++) {
    I.A[j] = lanes_load(x->A[j]);
    I.B[j] = lanes_load(x->B[j]);
    I.C[j] = lanes_load(x->C[j]);
  }
  I.n = lanes_load(x->n);
  I.f = lanes_load(x->f);
  return I;
}

LANES_INLINE void accumulate_lanes(double *to, lanes x)
{
  lanes_store(to, lanes_add(lanes_load(to), x));
}

LANES_INLINE void artic_add(rh_aba_body *P, const artic *I)
{
  for (int j = 0; j < 3; j++) {
    accumulate_lanes(P->A[j], I->A[j]);
    accumulate_lanes(P->B[j], I->B[j]);
    accumulate_lanes(P->C[j], I->C[j]);
  }
  accumulate_lanes(P->n, I->n);
  accumulate_lanes(P->f, I->f);
}

// I, given about O + r, now about O. With X = [1 0; -r* 1], I' = X' I X [RBDA eq. 2.66], that is
// C' = C, B' = B - C r*, A' = A + Y + Y' with Y = r* (B + B') / 2.
LANES_INLINE void artic_shift(artic *I, const double *r)
{
  lanes half = lanes_scale(0.5, lanes_load3(r));
  lanes r1 = lanes_yzx(half);
  lanes r2 = lanes_zxy(half);
  lanes B[3];
  lanes Y[3];
  B[0] = lanes_sub(I->B[0], lanes_sub(lanes_scale(r[2], I->C[1]), lanes_scale(r[1], I->C[2])));
  B[1] = lanes_sub(I->B[1], lanes_sub(lanes_scale(r[0], I->C[2]), lanes_scale(r[2], I->C[0])));
  B[2] = lanes_sub(I->B[2], lanes_sub(lanes_scale(r[1], I->C[0]), lanes_scale(r[0], I->C[1])));
  for (int j = 0; j < 3; j++) {
    lanes sum = lanes_add(I->B[j], B[j]);
    Y[j] = lanes_sub(lanes_mul(r1, lanes_zxy(sum)), lanes_mul(r2, lanes_yzx(sum)));
    I->A[j] = lanes_add(I->A[j], Y[j]);
    I->B[j] = B[j];
  }
  lanes_transpose(Y);
  for (int j = 0; j < 3; j++) {
    I->A[j] = lanes_add(I->A[j], Y[j]);
  }
  I->n = lanes_add(I->n, lanes_cross(lanes_load3(r), I->f));
}

// I := I - s U U'
LANES_INLINE void artic_reduce(artic *I, double s, lanes n, lanes f)
{
  lanes a = lanes_scale(s, n);
  lanes c = lanes_scale(s, f);
  I->A[0] = lanes_sub(I->A[0], lanes_scale(lanes_x(a), n));
  I->A[1] = lanes_sub(I->A[1], lanes_scale(lanes_y(a), n));
  I->A[2] = lanes_sub(I->A[2], lanes_scale(lanes_z(a), n));
  I->B[0] = lanes_sub(I->B[0], lanes_scale(lanes_x(a), f));
  I->B[1] = lanes_sub(I->B[1], lanes_scale(lanes_y(a), f));
  I->B[2] = lanes_sub(I->B[2], lanes_scale(lanes_z(a), f));
  I->C[0] = lanes_sub(I->C[0], lanes_scale(lanes_x(c), f));
  I->C[1] = lanes_sub(I->C[1], lanes_scale(lanes_y(c), f));
  I->C[2] = lanes_sub(I->C[2], lanes_scale(lanes_z(c), f));
}

// ---- The small system S' IA S of a joint with several degrees of freedom, as L D L' in place: below the diagonal L, on
// it the inverse of D. Rows and columns of held degrees of freedom are those of the identity.

LANES_INLINE void factor_joint(int n, double D[NV_MAX][NV_MAX])
{
  for (int j = 0; j < n; j++) {
    double pivot = D[j][j];
    for (int k = 0; k < j; k++) { // row j holds L times D so far
      double l = D[j][k] * D[k][k];
      pivot -= l * D[j][k];
      D[j][k] = l;
    }
    D[j][j] = 1 / pivot;
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) {
        D[i][j] -= D[i][k] * D[j][k];
      }
    }
  }
}

// ---- Pass from the tips to the root

LANES_INLINE void pass_on(rh_data *d, int i, artic *I)
{
  const rh_model_body *b = &d->model->body[i];
  if (b->shifted) {
    artic_shift(I, &d->kin[i].r.x);
  }
  artic_add(&d->dyn.aba[b->parent], I);
}

// A joint with one axis of rotation, which has no linear part
static void inward_hinge(rh_data *d, int i, const double *tau)
{
  const rh_model_body *b = &d->model->body[i];
  int k = b->vadr;
  artic I = artic_load(&d->dyn.aba[i]);
  const double *at = &d->dyn.S[k].ang.x;
  lanes s = lanes_load3(at);
  lanes n = lanes_columns(I.A, at[0], at[1], at[2]);
  lanes f = lanes_columns(I.B, at[0], at[1], at[2]);
  double u = tau[k] - lanes_dot(s, I.n);
  double D = lanes_dot(s, n) + d->model->dof[k].armature;
  double inverse = d->hold[k] != RH_HOLD_NONE ? 0 : 1 / D;
  lanes_store(d->dyn.U[k][0], n);
  lanes_store(d->dyn.U[k][1], f);
  d->dyn.u[k] = u;
  (*matrix_of(d, i))[0][0] = inverse;
  if (b->parent > 0) {
    artic_reduce(&I, inverse, n, f);
    I.n = lanes_add(I.n, lanes_scale(inverse * u, n));
    I.f = lanes_add(I.f, lanes_scale(inverse * u, f));
    pass_on(d, i, &I);
  }
}

// U = IA S, and the lower half of S' IA S
LANES_INLINE void axes_known(rh_data *d, int i, int size, const artic *I, double D[NV_MAX][NV_MAX])
{
  int v = d->model->body[i].vadr;
  for (int j = 0; j < size; j++) {
    rh_vec3 w = d->dyn.S[v + j].ang;
    rh_vec3 u = d->dyn.S[v + j].lin;
    lanes n = lanes_zero();
    lanes f = lanes_zero();
    if (w.x != 0 || w.y != 0 || w.z != 0) { // most axes either turn or travel
      n = lanes_columns(I->A, w.x, w.y, w.z);
      f = lanes_columns(I->B, w.x, w.y, w.z);
    }
    if (u.x != 0 || u.y != 0 || u.z != 0) {
      lanes t[3] = {lanes_mul(I->B[0], lanes_vec3(u)), lanes_mul(I->B[1], lanes_vec3(u)),
                    lanes_mul(I->B[2], lanes_vec3(u))};
      lanes_transpose(t); // B' u
      n = lanes_add(n, lanes_add(lanes_add(t[0], t[1]), t[2]));
      f = lanes_add(f, lanes_columns(I->C, u.x, u.y, u.z));
    }
    lanes_store(d->dyn.U[v + j][0], n);
    lanes_store(d->dyn.U[v + j][1], f);
    bool held = d->hold[v + j] != RH_HOLD_NONE;
    for (int l = 0; l <= j; l++) {
      lanes power = lanes_add(lanes_mul(lanes_vec3(d->dyn.S[v + l].ang), n),
                              lanes_mul(lanes_vec3(d->dyn.S[v + l].lin), f));
      D[j][l] = held || d->hold[v + l] != RH_HOLD_NONE ? 0 : lanes_sum(power);
    }
    D[j][j] = held ? 1 : D[j][j] + d->model->dof[v + j].armature;
  }
}

// IA := IA - U (L D L')^-1 U', column by column of W = U L'^-1; bias := bias + U y
LANES_INLINE void reduce_known(const rh_data *d, int i, int size, const double *y, artic *I)
{
  double(*D)[NV_MAX] = *matrix_of(d, i);
  int v = d->model->body[i].vadr;
  lanes n[NV_MAX];
  lanes f[NV_MAX];
  for (int j = 0; j < size; j++) {
    bool held = d->hold[v + j] != RH_HOLD_NONE;
    lanes un = held ? lanes_zero() : lanes_load(d->dyn.U[v + j][0]);
    lanes uf = held ? lanes_zero() : lanes_load(d->dyn.U[v + j][1]);
    I->n = lanes_add(I->n, lanes_scale(y[j], un));
    I->f = lanes_add(I->f, lanes_scale(y[j], uf));
    for (int l = 0; l < j; l++) {
      un = lanes_sub(un, lanes_scale(D[j][l], n[l]));
      uf = lanes_sub(uf, lanes_scale(D[j][l], f[l]));
    }
    artic_reduce(I, D[j][j], un, uf);
    n[j] = un;
    f[j] = uf;
  }
}

LANES_INLINE void inward_known(rh_data *d, int i, int size, const double *tau)
{
  const rh_model_body *b = &d->model->body[i];
  double(*D)[NV_MAX] = *matrix_of(d, i);
  double y[NV_MAX];
  artic I = artic_load(&d->dyn.aba[i]);
  axes_known(d, i, size, &I, D);
  factor_joint(size, D);
  for (int j = 0; j < size; j++) {
    int k = b->vadr + j;
    lanes power = lanes_add(lanes_mul(lanes_vec3(d->dyn.S[k].ang), I.n),
                            lanes_mul(lanes_vec3(d->dyn.S[k].lin), I.f));
    d->dyn.u[k] = tau[k] - lanes_sum(power);
    y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->dyn.u[k];
  }
  if (b->parent > 0) {
    solve_known(size, D, y);
    reduce_known(d, i, size, y, &I);
    pass_on(d, i, &I);
  }
}

#define INWARD(size)                                                                               \
  static void inward_##size(rh_data *d, int i, const double *tau)                                  \
  {                                                                                                \
    inward_known(d, i, size, tau);                                                                 \
  }
FOR_EACH_SIZE(INWARD)
#undef INWARD

static void pass_inward(rh_data *d, int i, const double *tau)
{
#define ENTRY(size) inward_##size,
  static void (*const by_size[])(rh_data *, int, const double *) = {FOR_EACH_SIZE(ENTRY)};
#undef ENTRY
  const rh_model_body *b = &d->model->body[i];
  if (b->nv == 1 && b->joint->turning) {
    inward_hinge(d, i, tau);
  } else {
    by_size[b->nv](d, i, tau);
  }
}

// ---- Pass from the root to the tips

static void pass_outward(rh_data *d, int i, double *qdd)
{
  const rh_model_body *b = &d->model->body[i];
  const rh_aba_body *parent = &d->dyn.aba[b->parent];
  int v = b->vadr;
  lanes w = lanes_load(parent->w);
  lanes a = lanes_load(parent->a);
  double y[NV_MAX];
  if (b->shifted) {
    a = lanes_add(a, lanes_cross(w, lanes_load3(&d->kin[i].r.x)));
  }
  for (int j = 0; j < b->nv; j++) {
    int k = v + j;
    lanes power = lanes_add(lanes_mul(w, lanes_load(d->dyn.U[k][0])),
                            lanes_mul(a, lanes_load(d->dyn.U[k][1])));
    y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->dyn.u[k] - lanes_sum(power);
  }
  if (b->nv == 1) {
    y[0] *= (*matrix_of(d, i))[0][0];
  } else {
    solve_joint(b->nv, *matrix_of(d, i), y);
  }
  for (int j = 0; j < b->nv; j++) {
    qdd[v + j] = y[j];
    w = lanes_add(w, lanes_scale(y[j], lanes_vec3(d->dyn.S[v + j].ang)));
    a = lanes_add(a, lanes_scale(y[j], lanes_vec3(d->dyn.S[v + j].lin)));
  }
  lanes_store(d->dyn.aba[i].w, w);
  lanes_store(d->dyn.aba[i].a, a);
}

// ---- Forward dynamics

// Inertia and bias force of body i alone: the force that gives it the acceleration c - gravity, see rh_body_force.
LANES_INLINE void begin_body(rh_data *d, int i, lanes gravity)
{
  const rh_kin_body *k = &d->kin[i];
  const rh_inertia *I = &k->I;
  const rh_sym3 *J = &I->I;
  rh_aba_body *x = &d->dyn.aba[i];
  lanes A[3] = {lanes_of(J->xx, J->xy, J->xz), lanes_of(J->xy, J->yy, J->yz),
                lanes_of(J->xz, J->yz, J->zz)};
  lanes h = lanes_load3(&I->h.x);
  lanes w = lanes_load3(&k->v.ang.x);
  lanes a = lanes_sub(lanes_load3(&k->c.lin.x), gravity);
  lanes turning =
      lanes_add(lanes_cross(lanes_load3(&k->c.ang.x), h), lanes_cross(w, lanes_cross(w, h)));
  lanes L = lanes_columns(A, k->v.ang.x, k->v.ang.y, k->v.ang.z);
  lanes n = lanes_columns(A, k->c.ang.x, k->c.ang.y, k->c.ang.z);
  for (int j = 0; j < 3; j++) {
    lanes_store(x->A[j], A[j]);
  }
  lanes_store(x->B[0], lanes_of(0, -I->h.z, I->h.y)); // -h*
  lanes_store(x->B[1], lanes_of(I->h.z, 0, -I->h.x));
  lanes_store(x->B[2], lanes_of(-I->h.y, I->h.x, 0));
  lanes_store(x->C[0], lanes_of(I->mass, 0, 0));
  lanes_store(x->C[1], lanes_of(0, I->mass, 0));
  lanes_store(x->C[2], lanes_of(0, 0, I->mass));
  lanes_store(x->n, lanes_add(n, lanes_add(lanes_cross(w, L), lanes_cross(h, a))));
  lanes_store(x->f, lanes_add(lanes_scale(I->mass, a), turning));
}

static void run_articulated_passes(rh_data *d, const double *tau, const rh_force *wrench, double *a)
{
  const rh_model *m = d->model;
  lanes gravity = lanes_vec3(m->gravity);
  for (int i = 1; i < m->nbody; i++) {
    rh_aba_body *x = &d->dyn.aba[i];
    if (m->body[i].inertia.mass > 0) {
      begin_body(d, i, gravity);
    } else {
      memset(x, 0, sizeof *x);
    }
    if (wrench) {
      lanes_store(x->n, lanes_sub(lanes_load(x->n), lanes_vec3(wrench[i].ang)));
      lanes_store(x->f, lanes_sub(lanes_load(x->f), lanes_vec3(wrench[i].lin)));
    }
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    pass_inward(d, i, tau);
  }
  memset(&d->dyn.aba[0], 0, sizeof d->dyn.aba[0]);
  for (int i = 1; i < m->nbody; i++) {
    pass_outward(d, i, a);
  }
}

void rh_aba(rh_data *d, const double *tau, double *a)
{
  run_articulated_passes(d, tau, NULL, a);
}

// Holding force: S'(IA a + pA) = tau + react, for the accelerations just found.
static double hold_reaction(const rh_data *d, int k)
{
  const rh_aba_body *x = &d->dyn.aba[d->model->dof[k].body];
  lanes power = lanes_add(lanes_mul(lanes_load(x->w), lanes_load(d->dyn.U[k][0])),
                          lanes_mul(lanes_load(x->a), lanes_load(d->dyn.U[k][1])));
  return lanes_sum(power) - d->dyn.u[k];
}

static void read_reactions(rh_data *d)
{
  for (int k = 0; k < d->model->nv; k++) {
    d->react[k] = d->hold[k] == RH_HOLD_NONE ? 0 : hold_reaction(d, k);
  }
}

void rh_forward_dynamics(rh_data *d)
{
  run_articulated_passes(d, d->load, d->wrench, d->a);
  read_reactions(d);
  if (d->dyn.rows) {
    rh_constraints_act(d);
  }
}

// ---- Impulses: the articulated inertias of the last forward dynamics are used again, only forces
// and velocities are passed.

static void impulse_inward(rh_data *d, int i, const double *p)
{
  const rh_model_body *b = &d->model->body[i];
  lanes n = lanes_load(d->dyn.aba[i].n);
  lanes f = lanes_load(d->dyn.aba[i].f);
  double y[NV_MAX];
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    lanes power = lanes_add(lanes_mul(lanes_vec3(d->dyn.S[k].ang), n),
                            lanes_mul(lanes_vec3(d->dyn.S[k].lin), f));
    d->dyn.u[k] = p[k] - lanes_sum(power);
    y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->dyn.u[k];
  }
  solve_joint(b->nv, *matrix_of(d, i), y);
  for (int j = 0; j < b->nv; j++) {
    n = lanes_add(n, lanes_scale(y[j], lanes_load(d->dyn.U[b->vadr + j][0])));
    f = lanes_add(f, lanes_scale(y[j], lanes_load(d->dyn.U[b->vadr + j][1])));
  }
  n = lanes_add(n, lanes_cross(lanes_load3(&d->kin[i].r.x), f));
  accumulate_lanes(d->dyn.aba[b->parent].n, n);
  accumulate_lanes(d->dyn.aba[b->parent].f, f);
}

void rh_impulse_response_free(rh_data *d, const double *p, double *dv)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nbody; i++) {
    lanes_store(d->dyn.aba[i].n, lanes_zero());
    lanes_store(d->dyn.aba[i].f, lanes_zero());
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    impulse_inward(d, i, p);
  }
  lanes_store(d->dyn.aba[0].w, lanes_zero());
  lanes_store(d->dyn.aba[0].a, lanes_zero());
  for (int i = 1; i < m->nbody; i++) {
    pass_outward(d, i, dv);
  }
}

void rh_impulse_response(rh_data *d, const double *p, double *dv)
{
  if (d->dyn.rows) {
    double *with = d->dyn.rows->g;
    rh_constraints_impulses(d, p, with);
    p = with;
  }
  rh_impulse_response_free(d, p, dv);
  read_reactions(d);
}

void rh_forces_more(rh_data *d, const rh_force *wrench, const double *p)
{
  const rh_model *m = d->model;
  double *none = d->dyn.scratch; // no impulses of joints
  double *more = d->dyn.scratch + m->nv;
  memset(none, 0, (size_t)m->nv * sizeof *none);
  for (int i = 1; i < m->nbody; i++) {
    rh_force f = wrench ? wrench[i] : (rh_force){{0, 0, 0}, {0, 0, 0}};
    lanes_store(d->dyn.aba[i].n, lanes_scale(-1, lanes_vec3(f.ang)));
    lanes_store(d->dyn.aba[i].f, lanes_scale(-1, lanes_vec3(f.lin)));
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    const double *n = d->dyn.aba[i].n;
    const double *f = d->dyn.aba[i].f;
    if (!p && n[0] == 0 && n[1] == 0 && n[2] == 0 && f[0] == 0 && f[1] == 0 && f[2] == 0) {
      memset(d->dyn.u + m->body[i].vadr, 0, (size_t)m->body[i].nv * sizeof *d->dyn.u);
    } else {
      impulse_inward(d, i, p ? p : none);
    }
  }
  lanes_store(d->dyn.aba[0].w, lanes_zero());
  lanes_store(d->dyn.aba[0].a, lanes_zero());
  for (int i = 1; i < m->nbody; i++) {
    pass_outward(d, i, more);
  }
  for (int k = 0; k < m->nv; k++) {
    d->a[k] += more[k];
    d->react[k] += d->hold[k] == RH_HOLD_NONE ? 0 : hold_reaction(d, k);
  }
}

// Adds further impulses on bodies
void rh_wrench_more(rh_data *d, const rh_force *wrench)
{
  rh_forces_more(d, wrench, NULL);
  if (d->dyn.rows) {
    rh_constraints_add_forces(d);
  }
}
