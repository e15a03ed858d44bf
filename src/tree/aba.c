// Stage 7: forward dynamics by the articulated-body algorithm [RBDA table 7.1], linear in the number of bodies, in world
// axes about each body's origin, so that passing an inertia on to the parent is a mere shift. A held degree of
// freedom is one whose axis carries the inertia through unreduced: it keeps a = 0 and shows the force that holds it.
#include "tree/tree.h"

#include <string.h>

enum { NV_MAX = 6 };

// The pieces of the inner loop are small and must not be calls.
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

// ---- Articulated inertia

INLINE rh_force artic_mul(const rh_artic *I, rh_motion a)
{
  rh_force f;
  f.ang = rh_add(rh_sym3_mul(&I->A, a.ang), rh_rotate(&I->B, a.lin));
  f.lin = rh_add(rh_unrotate(&I->B, a.ang), rh_sym3_mul(&I->C, a.lin));
  return f;
}

// I (axis, 0): half the work for an axis that is a pure rotation
INLINE rh_force artic_mul_turn(const rh_artic *I, rh_vec3 axis)
{
  rh_force f = {rh_sym3_mul(&I->A, axis), rh_unrotate(&I->B, axis)};
  return f;
}

INLINE void artic_start(rh_artic *r, const rh_inertia *I)
{
  r->A = I->I;
  r->B = (rh_mat3){{0, -I->h.z, I->h.y, I->h.z, 0, -I->h.x, -I->h.y, I->h.x, 0}};
  r->C = (rh_sym3){I->mass, I->mass, I->mass, 0, 0, 0};
}

// I - s U U'
INLINE rh_artic artic_reduced(const rh_artic *I, double s, rh_force U)
{
  rh_vec3 a = rh_scale(s, U.ang);
  rh_vec3 c = rh_scale(s, U.lin);
  const double *B = I->B.m;
  rh_artic r;
  r.A = (rh_sym3){I->A.xx - a.x * U.ang.x, I->A.yy - a.y * U.ang.y, I->A.zz - a.z * U.ang.z,
                  I->A.xy - a.x * U.ang.y, I->A.xz - a.x * U.ang.z, I->A.yz - a.y * U.ang.z};
  r.B = (rh_mat3){{B[0] - a.x * U.lin.x, B[1] - a.x * U.lin.y, B[2] - a.x * U.lin.z,
                   B[3] - a.y * U.lin.x, B[4] - a.y * U.lin.y, B[5] - a.y * U.lin.z,
                   B[6] - a.z * U.lin.x, B[7] - a.z * U.lin.y, B[8] - a.z * U.lin.z}};
  r.C = (rh_sym3){I->C.xx - c.x * U.lin.x, I->C.yy - c.y * U.lin.y, I->C.zz - c.z * U.lin.z,
                  I->C.xy - c.x * U.lin.y, I->C.xz - c.x * U.lin.z, I->C.yz - c.y * U.lin.z};
  return r;
}

// Adds I, given about O + r, to P about O: with X = [1 0; -r* 1], P += X' I X, that is
// B' = B + r* C, A' = A - B r* - (B' r*)', C' = C; row i of B r* is b_i x r.
INLINE void artic_add_shifted(rh_artic *P, const rh_artic *I, rh_vec3 r)
{
  const double *b = I->B.m;
  const rh_sym3 *C = &I->C;
  rh_vec3 c0 = rh_cross(r, rh_v3(C->xx, C->xy, C->xz)); // columns of r* C
  rh_vec3 c1 = rh_cross(r, rh_v3(C->xy, C->yy, C->yz));
  rh_vec3 c2 = rh_cross(r, rh_v3(C->xz, C->yz, C->zz));
  rh_vec3 b0 = {b[0], b[1], b[2]};
  rh_vec3 b1 = {b[3], b[4], b[5]};
  rh_vec3 b2 = {b[6], b[7], b[8]};
  rh_vec3 n0 = {b0.x + c0.x, b0.y + c1.x, b0.z + c2.x}; // rows of B'
  rh_vec3 n1 = {b1.x + c0.y, b1.y + c1.y, b1.z + c2.y};
  rh_vec3 n2 = {b2.x + c0.z, b2.y + c1.z, b2.z + c2.z};
  rh_vec3 d0 = rh_cross(b0, r);
  rh_vec3 d1 = rh_cross(b1, r);
  rh_vec3 e0 = rh_cross(n0, r);
  rh_vec3 e1 = rh_cross(n1, r);
  rh_vec3 e2 = rh_cross(n2, r);
  double d2z = b2.x * r.y - b2.y * r.x;
  rh_sym3 A = {I->A.xx - (d0.x + e0.x), I->A.yy - (d1.y + e1.y), I->A.zz - (d2z + e2.z),
               I->A.xy - (d0.y + e1.x), I->A.xz - (d0.z + e2.x), I->A.yz - (d1.z + e2.y)};
  rh_mat3 B = {{n0.x, n0.y, n0.z, n1.x, n1.y, n1.z, n2.x, n2.y, n2.z}};
  P->A = rh_sym3_add(&P->A, &A);
  for (int i = 0; i < 9; i++) {
    P->B.m[i] += B.m[i];
  }
  P->C = rh_sym3_add(&P->C, C);
}

// ---- The small system D = S' IA S of a joint with several degrees of freedom, as a Cholesky factor in place.
// Rows and columns of held degrees of freedom are those of the identity.

static void factor_joint(int n, double D[NV_MAX][NV_MAX])
{
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = D[i][j];
      for (int k = 0; k < j; k++) {
        sum -= D[i][k] * D[j][k];
      }
      D[i][j] = i == j ? sqrt(sum) : sum / D[j][j];
    }
  }
}

static void solve_joint(int n, double D[NV_MAX][NV_MAX], double *x)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= D[i][k] * x[k];
    }
    x[i] /= D[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] -= D[k][i] * x[k];
    }
    x[i] /= D[i][i];
  }
}

typedef double joint_matrix[NV_MAX][NV_MAX];

static joint_matrix *matrix_of(const rh_data *d, int body)
{
  return (joint_matrix *)(d->D + 36 * (size_t)body);
}

static void factor_body(rh_data *d, int i)
{
  const rh_model_body *b = &d->model->body[i];
  double(*D)[NV_MAX] = *matrix_of(d, i);
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    d->U[k] = artic_mul(&d->aba[i].IA, d->S[k]);
    bool held = d->hold[k] != RH_HOLD_NONE;
    for (int l = 0; l <= j; l++) {
      bool out = held || d->hold[b->vadr + l] != RH_HOLD_NONE;
      D[j][l] = out ? 0 : rh_power(d->S[b->vadr + l], d->U[k]);
    }
    D[j][j] = held ? 1 : D[j][j] + d->model->dof[k].armature;
  }
  factor_joint(b->nv, D);
}

// IA := IA - U D^-1 U' and p := p + U D^-1 u, column by column of W = L^-1 U': U D^-1 U' = W' W.
static void reduce_body(rh_data *d, int i, rh_artic *IA)
{
  const rh_model_body *b = &d->model->body[i];
  double(*D)[NV_MAX] = *matrix_of(d, i);
  rh_force w[NV_MAX];
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    if (d->hold[k] != RH_HOLD_NONE) {
      w[j] = (rh_force){{0, 0, 0}, {0, 0, 0}};
      continue;
    }
    w[j] = d->U[k];
    for (int l = 0; l < j; l++) {
      w[j].ang = rh_addscaled(w[j].ang, -D[j][l], w[l].ang);
      w[j].lin = rh_addscaled(w[j].lin, -D[j][l], w[l].lin);
    }
    w[j].ang = rh_scale(1 / D[j][j], w[j].ang);
    w[j].lin = rh_scale(1 / D[j][j], w[j].lin);
    *IA = artic_reduced(IA, 1, w[j]);
  }
}

// ---- Pass from the tips to the root

INLINE rh_force add_scaled_force(rh_force f, double s, rh_force g)
{
  rh_force r = {rh_addscaled(f.ang, s, g.ang), rh_addscaled(f.lin, s, g.lin)};
  return r;
}

INLINE void force_pass_on(rh_aba_body *parent, rh_force f, rh_vec3 r)
{
  parent->pA = rh_force_add(parent->pA, rh_force_shift_back(f, r));
}

// p + IA c + U g with g such that the joint's own share is taken out: what the parent feels beyond its inertia.
INLINE void inward_single(rh_data *d, int i, double tau, bool turning)
{
  const rh_model_body *b = &d->model->body[i];
  const rh_aba_body *x = &d->aba[i];
  const rh_kin_body *kin = &d->kin[i];
  int k = b->vadr;
  rh_motion S = d->S[k];
  rh_force U = turning ? artic_mul_turn(&x->IA, S.ang) : artic_mul(&x->IA, S);
  double u = tau - (turning ? rh_dot(S.ang, x->pA.ang) : rh_power(S, x->pA));
  double inertia = (turning ? rh_dot(S.ang, U.ang) : rh_power(S, U)) + d->model->dof[k].armature;
  double Dinv = d->hold[k] != RH_HOLD_NONE ? 0 : 1 / inertia;
  d->U[k] = U;
  d->u[k] = u;
  d->D[36 * (size_t)i] = Dinv;
  if (b->parent > 0) {
    rh_aba_body *parent = &d->aba[b->parent];
    rh_force pA = rh_force_add(x->pA, artic_mul(&x->IA, kin->c));
    force_pass_on(parent, add_scaled_force(pA, Dinv * (u - rh_power(kin->c, U)), U), kin->r);
    rh_artic IA = artic_reduced(&x->IA, Dinv, U);
    artic_add_shifted(&parent->IA, &IA, kin->r);
  }
}

static void inward_several(rh_data *d, int i, const double *tau)
{
  const rh_model_body *b = &d->model->body[i];
  rh_aba_body *x = &d->aba[i];
  double y[NV_MAX];
  factor_body(d, i);
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    d->u[k] = tau[k] - rh_power(d->S[k], x->pA);
    y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->u[k];
  }
  if (b->parent > 0) {
    rh_artic IA = x->IA;
    reduce_body(d, i, &IA);
    rh_force pA = rh_force_add(x->pA, artic_mul(&IA, d->kin[i].c));
    solve_joint(b->nv, *matrix_of(d, i), y);
    for (int j = 0; j < b->nv; j++) {
      if (d->hold[b->vadr + j] == RH_HOLD_NONE) {
        pA = add_scaled_force(pA, y[j], d->U[b->vadr + j]);
      }
    }
    force_pass_on(&d->aba[b->parent], pA, d->kin[i].r);
    artic_add_shifted(&d->aba[b->parent].IA, &IA, d->kin[i].r);
  }
}

// ---- Pass from the root to the tips

// Joint accelerations of body i whose own acceleration without them is `a`; returns it with them.
INLINE rh_motion outward(rh_data *d, int i, rh_motion a, double *qdd)
{
  const rh_model_body *b = &d->model->body[i];
  if (b->nv == 1) {
    int k = b->vadr;
    qdd[k] = d->D[36 * (size_t)i] * (d->u[k] - rh_power(a, d->U[k]));
    return rh_motion_addscaled(a, qdd[k], d->S[k]);
  }
  double y[NV_MAX] = {0};
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->u[k] - rh_power(a, d->U[k]);
  }
  solve_joint(b->nv, *matrix_of(d, i), y);
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    qdd[k] = y[j];
    a = rh_motion_addscaled(a, qdd[k], d->S[k]);
  }
  return a;
}

static void articulate(rh_data *d, const double *tau, const rh_force *wrench, double *a)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    const rh_kin_body *k = &d->kin[i];
    artic_start(&d->aba[i].IA, &k->I);
    d->aba[i].pA = rh_spin_force(&k->I, k->v.ang);
    if (wrench) {
      d->aba[i].pA = add_scaled_force(d->aba[i].pA, -1, wrench[i]);
    }
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    if (m->body[i].nv == 1 && m->body[i].joint->turning) {
      inward_single(d, i, tau[m->body[i].vadr], true);
    } else if (m->body[i].nv == 1) {
      inward_single(d, i, tau[m->body[i].vadr], false);
    } else {
      inward_several(d, i, tau);
    }
  }
  d->aba[0].a = (rh_motion){{0, 0, 0}, rh_neg(m->gravity)};
  for (int i = 1; i < m->nbody; i++) {
    rh_motion at = rh_motion_add(rh_motion_shift(d->aba[m->body[i].parent].a, d->kin[i].r), d->kin[i].c);
    d->aba[i].a = outward(d, i, at, a);
  }
}

void rh_aba(rh_data *d, const double *tau, double *a)
{
  articulate(d, tau, NULL, a);
}

// What holds the held: S'(IA a + pA) = tau + react.
static void read_reactions(rh_data *d)
{
  const rh_model *m = d->model;
  for (int k = 0; k < m->nv; k++) {
    d->react[k] = d->hold[k] == RH_HOLD_NONE ? 0 : rh_power(d->aba[m->dof[k].body].a, d->U[k]) - d->u[k];
  }
}

void rh_forward_dynamics(rh_data *d)
{
  articulate(d, d->load, d->wrench, d->a);
  read_reactions(d);
}

// The articulated inertias of the last forward dynamics serve again: only forces and velocities are passed along.
void rh_impulse_response(rh_data *d, const double *p, double *dv)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    d->aba[i].pA = (rh_force){{0, 0, 0}, {0, 0, 0}};
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    const rh_model_body *b = &m->body[i];
    rh_force f = d->aba[i].pA;
    double y[NV_MAX];
    for (int j = 0; j < b->nv; j++) {
      int k = b->vadr + j;
      d->u[k] = p[k] - rh_power(d->S[k], f);
      y[j] = d->hold[k] != RH_HOLD_NONE ? 0 : d->u[k];
    }
    if (b->nv == 1) {
      y[0] *= d->D[36 * (size_t)i];
    } else {
      solve_joint(b->nv, *matrix_of(d, i), y);
    }
    if (b->parent > 0) {
      for (int j = 0; j < b->nv; j++) {
        f = add_scaled_force(f, y[j], d->U[b->vadr + j]);
      }
      force_pass_on(&d->aba[b->parent], f, d->kin[i].r);
    }
  }
  d->aba[0].a = (rh_motion){{0, 0, 0}, {0, 0, 0}};
  for (int i = 1; i < m->nbody; i++) {
    d->aba[i].a = outward(d, i, rh_motion_shift(d->aba[m->body[i].parent].a, d->kin[i].r), dv);
  }
  read_reactions(d);
}
