// Joint-space inertia H by the composite-rigid-body algorithm [RBDA table 6.2], its factor H = L' L that keeps the
// sparsity of the branches [RBDA table 6.3], and computations with them. Row k of H holds the
// entries of degree of freedom k, of its parent, and so on to the root, contiguously; entries
// between branches are zero and not stored.
#include "multibody.h"

#include <string.h>

void rh_mass_matrix(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    d->dyn.Ic[i] = d->kin[i].I;
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    int parent = m->body[i].parent;
    if (parent > 0) {
      rh_inertia moved = rh_inertia_shift_back(&d->dyn.Ic[i], d->kin[i].r);
      rh_inertia *Ip = &d->dyn.Ic[parent];
      Ip->mass += moved.mass;
      Ip->h = rh_add(Ip->h, moved.h);
      Ip->I = rh_sym3_add(&Ip->I, &moved.I);
    }
  }
  for (int k = 0; k < m->nv; k++) {
    int body = m->dof[k].body;
    double *row = d->dyn.H + m->dof[k].row;
    rh_force f = rh_inertia_mul(&d->dyn.Ic[body], d->dyn.S[k]);
    int at = body;
    for (int j = k; j != RH_NONE; j = m->dof[j].parent) {
      while (at != m->dof[j].body) { // carry the force down to the body of degree of freedom j
        f = rh_force_shift_back(f, d->kin[at].r);
        at = m->body[at].parent;
      }
      *row++ = rh_power(d->dyn.S[j], f);
    }
    d->dyn.H[m->dof[k].row] += m->dof[k].armature;
  }
}

void rh_mass_factor(rh_data *d)
{
  const rh_model *m = d->model;
  memcpy(d->dyn.L, d->dyn.H, (size_t)m->layout.nH * sizeof *d->dyn.L);
  for (int k = m->nv - 1; k >= 0; k--) {
    double *Lk = d->dyn.L + m->dof[k].row;
    int depth = m->dof[k].depth;
    Lk[0] = sqrt(Lk[0]);
    for (int n = 1; n < depth; n++) {
      Lk[n] /= Lk[0];
    }
    int i = m->dof[k].parent;
    for (int n = 1; n < depth; n++) { // the rest of row k lines up with row i from its start
      double *Li = d->dyn.L + m->dof[i].row;
      double x = Lk[n];
      for (int s = 0; s < depth - n; s++) {
        Li[s] -= x * Lk[n + s];
      }
      i = m->dof[i].parent;
    }
  }
}

// x := L^-T x
static void solve_transposed(const rh_data *d, double *x)
{
  const rh_model *m = d->model;
  for (int k = m->nv - 1; k >= 0; k--) {
    if (x[k] == 0) {
      continue; // a Jacobian row is zero off its own branch
    }
    const double *Lk = d->dyn.L + m->dof[k].row;
    x[k] /= *Lk++;
    for (int i = m->dof[k].parent; i != RH_NONE; i = m->dof[i].parent) {
      x[i] -= *Lk++ * x[k];
    }
  }
}

void rh_mass_solve(const rh_data *d, double *x)
{
  const rh_model *m = d->model;
  solve_transposed(d, x);
  for (int k = 0; k < m->nv; k++) {
    const double *Lk = d->dyn.L + m->dof[k].row;
    double pivot = *Lk++;
    double sum = x[k];
    for (int i = m->dof[k].parent; i != RH_NONE; i = m->dof[i].parent) {
      sum -= *Lk++ * x[i];
    }
    x[k] = sum / pivot;
  }
}

void rh_mass_mul(const rh_data *d, const double *x, double *y)
{
  const rh_model *m = d->model;
  memset(y, 0, (size_t)m->nv * sizeof *y);
  for (int k = 0; k < m->nv; k++) {
    const double *Hk = d->dyn.H + m->dof[k].row;
    y[k] += *Hk++ * x[k];
    for (int i = m->dof[k].parent; i != RH_NONE; i = m->dof[i].parent) {
      y[k] += *Hk * x[i];
      y[i] += *Hk++ * x[k];
    }
  }
}

void rh_mass_dense(const rh_data *d, double *H)
{
  const rh_model *m = d->model;
  size_t nv = (size_t)m->nv;
  memset(H, 0, nv * nv * sizeof *H);
  for (int k = 0; k < m->nv; k++) {
    const double *Hk = d->dyn.H + m->dof[k].row;
    for (int i = k; i != RH_NONE; i = m->dof[i].parent) {
      H[(size_t)k * nv + (size_t)i] = H[(size_t)i * nv + (size_t)k] = *Hk++;
    }
  }
}

// W = (L^-T J')' (L^-T J'): one sparse triangular solve per row, H^-1 is never formed.
void rh_contact_inertia(const rh_data *d, int n, const rh_model_point *point, double *work,
                        double *W)
{
  size_t nv = (size_t)d->model->nv;
  int rows = 3 * n;
  for (int i = 0; i < n; i++) {
    rh_point_jacobian(d, point[i].body, point[i].at, work + 3 * (size_t)i * nv);
  }
  for (int i = 0; i < rows; i++) {
    solve_transposed(d, work + (size_t)i * nv);
  }
  for (int i = 0; i < rows; i++) {
    const double *x = work + (size_t)i * nv;
    for (int j = 0; j <= i; j++) {
      const double *y = work + (size_t)j * nv;
      double sum = 0;
      for (size_t k = 0; k < nv; k++) {
        sum += x[k] * y[k];
      }
      W[i * rows + j] = W[j * rows + i] = sum;
    }
  }
}
