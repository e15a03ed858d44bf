// problem_psi.c: see problem_psi.h.
#include "problem_psi.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-10; // of the length of a row: the rest of it outside the others
static const double CONTRADICTS = 1e-9;

static double dot_of(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Takes the parts along n orthonormal rows out of x, twice for rounding; `part` (may be NULL) gets
// them. The length of the remainder.
static double remove_parts(const double *rows, int n, int nv, double *x, double *part)
{
  for (int k = 0; k < 2 * n; k++) {
    const double *q = rows + (size_t)(k % n) * (size_t)nv;
    double along = dot_of(q, x, nv);
    for (int i = 0; i < nv; i++) {
      x[i] -= along * q[i];
    }
    if (part) {
      part[k % n] += along;
    }
  }
  return sqrt(dot_of(x, x, nv));
}

static void scale_row(double *x, int nv, double s)
{
  for (int i = 0; i < nv; i++) {
    x[i] *= s;
  }
}

// Psi = R Q, and y with Q p = y: forward, as R is lower triangular in the independent rows
static bool factor_rows(const rh_inputs *in, rh_psi *psi, const double *dot)
{
  int nv = psi->Psi.columns;
  double *p = psi->p.x;
  for (int r = 0; r < psi->Psi.rows; r++) {
    const double *given = psi->Psi.x + (size_t)r * (size_t)nv;
    double *q = psi->Q.x + (size_t)psi->rank * (size_t)nv;
    double *part = psi->R.x + (size_t)r * (size_t)psi->R.columns;
    double size = sqrt(dot_of(given, given, nv));
    memcpy(q, given, (size_t)nv * sizeof *q);
    double left = remove_parts(psi->Q.x, psi->rank, nv, q, part);
    double lacks = -(dot ? dot[r] : 0) - dot_of(given, p, nv);
    if (!(left > DEPENDENT * size)) {
      if (!(fabs(lacks) <= CONTRADICTS * (1 + (dot ? fabs(dot[r]) : 0)))) {
        return rh_input_refuse(in, rh_input_find(in, "Psi"),
                               "row %d of Psi depends on the rows before and contradicts them: no "
                               "acceleration satisfies all",
                               r);
      }
      continue;
    }
    scale_row(q, nv, 1 / left);
    part[psi->rank++] = left;
    for (int i = 0; i < nv; i++) {
      p[i] += lacks / left * q[i];
    }
  }
  return true;
}

// Unit vectors less their parts along Q and along the columns so far, those with the largest remainder
// first: the rows of `basis` (nv x nv) after the rank-th
static void complete_basis(rh_psi *psi, double *basis, double *x)
{
  int nv = psi->Psi.columns;
  memcpy(basis, psi->Q.x, (size_t)psi->rank * (size_t)nv * sizeof *basis);
  for (int n = psi->rank; n < nv; n++) {
    int best = 0;
    double most = -1;
    for (int k = 0; k < nv; k++) {
      double sum = 1;
      for (int i = 0; i < n; i++) {
        sum -=
            basis[(size_t)i * (size_t)nv + (size_t)k] * basis[(size_t)i * (size_t)nv + (size_t)k];
      }
      best = sum > most ? k : best;
      most = fmax(most, sum);
    }
    memset(x, 0, (size_t)nv * sizeof *x);
    x[best] = 1;
    double left = remove_parts(basis, n, nv, x, NULL);
    scale_row(x, nv, 1 / left);
    memcpy(basis + (size_t)n * (size_t)nv, x, (size_t)nv * sizeof *x);
    for (int i = 0; i < nv; i++) {
      psi->N.x[(size_t)i * (size_t)psi->N.columns + (size_t)(n - psi->rank)] = x[i];
    }
  }
}

static bool make_basis(const rh_inputs *in, rh_psi *psi)
{
  int nv = psi->Psi.columns;
  rh_block work = {0};
  if (psi->rank == nv) {
    return rh_input_refuse(in, rh_input_find(in, "Psi"), "Psi leaves no motion: its rank is %d",
                           nv);
  }
  bool good = rh_block_make(&psi->N, nv, nv - psi->rank) && rh_block_make(&work, nv + 1, nv);
  if (good) {
    complete_basis(psi, work.x, work.x + (size_t)nv * (size_t)nv);
  }
  rh_block_free(&work);
  return good || rh_input_refuse(in, in->map, "out of memory");
}

bool rh_psi_read(const rh_inputs *in, int nv, const char *psidot, rh_psi *psi)
{
  rh_block dot = {0};
  if (!rh_input_given(in, "Psi")) {
    return true;
  }
  bool good = rh_input_matrix(in, "Psi", RH_NONE, nv, RH_MECHANISM_MAX, &psi->Psi);
  int rows = good ? psi->Psi.rows : RH_NONE;
  if (good && psidot && rh_input_given(in, psidot)) {
    good = rh_input_list(in, psidot, rows, RH_MECHANISM_MAX, &dot);
  }
  if (good && !(rh_block_make(&psi->Q, rows + 1, nv) && rh_block_make(&psi->R, rows, rows) &&
                rh_block_make(&psi->p, nv, 1))) {
    good = rh_input_refuse(in, in->map, "out of memory");
  }
  good = good && factor_rows(in, psi, dot.x) && make_basis(in, psi);
  rh_block_free(&dot);
  return good;
}

void rh_psi_free(rh_psi *psi)
{
  rh_block *const all[] = {&psi->Psi, &psi->N, &psi->p, &psi->Q, &psi->R, &psi->M, &psi->b};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
}

// ---- The mechanism in z

// N' A (A with nv rows), in the place of A
bool rh_psi_reduce_columns(const rh_psi *psi, rh_block *G, double *g)
{
  rh_block small = {0};
  if (psi->N.x == NULL) {
    return true;
  }
  if (!rh_block_make(&small, psi->N.columns, G->columns)) {
    return false;
  }
  for (int j = 0; j < G->columns; j++) {
    for (int i = 0; i < G->rows; i++) {
      double x = G->x[(size_t)i * (size_t)G->columns + (size_t)j];
      for (int k = 0; k < psi->N.columns; k++) {
        small.x[(size_t)k * (size_t)G->columns + (size_t)j] +=
            psi->N.x[(size_t)i * (size_t)psi->N.columns + (size_t)k] * x;
      }
      if (g) {
        g[j] += x * psi->p.x[i];
      }
    }
  }
  rh_block_free(G);
  *G = small;
  return true;
}

static void transpose_into(const rh_block *A, rh_block *B)
{
  for (int i = 0; i < A->rows; i++) {
    for (int k = 0; k < A->columns; k++) {
      B->x[(size_t)k * (size_t)B->columns + (size_t)i] =
          A->x[(size_t)i * (size_t)A->columns + (size_t)k];
    }
  }
}

bool rh_psi_reduce(rh_psi *psi, rh_block *M, rh_block *L, rh_block *b)
{
  if (psi->N.x == NULL) {
    return true;
  }
  int nv = M->rows;
  int n = psi->N.columns;
  rh_block small = {0};
  bool good = rh_block_make(&small, nv, n) && rh_block_make(&psi->M, nv, nv) &&
              rh_block_make(&psi->b, nv, 1);
  if (good) {
    memcpy(psi->M.x, M->x, (size_t)nv * (size_t)nv * sizeof(double));
    memcpy(psi->b.x, b->x, (size_t)nv * sizeof(double));
    double *Mp = small.x;
    rh_block_right(M, psi->p.x, Mp);
    for (int i = 0; i < nv; i++) {
      b->x[i] -= Mp[i];
    }
    good = rh_psi_reduce_columns(psi, b, NULL) && rh_psi_reduce_columns(psi, M, NULL); // N' M
  }
  if (good) {
    transpose_into(M, &small);
    good = rh_psi_reduce_columns(psi, &small, NULL); // N' M N
  }
  if (good) {
    rh_block_free(M);
    *M = small;
    small = (rh_block){0};
    rh_block_free(L);
    good = rh_block_make(L, n, n);
  }
  if (good) {
    memcpy(L->x, M->x, (size_t)n * (size_t)n * sizeof(double));
    (void)rh_cholesky(n, L->x); // N' M N is positive definite as M is
  }
  rh_block_free(&small);
  return good;
}

void rh_psi_expand(const rh_psi *psi, const double *z, double *qdd)
{
  rh_block_right(&psi->N, z, qdd);
  for (int i = 0; i < psi->N.rows; i++) {
    qdd[i] += psi->p.x[i];
  }
}

// Psi' mu = M qdd - f: along Q' R' mu, backwards
void rh_psi_forces(const rh_psi *psi, const double *qdd, const double *f, double *mu)
{
  int nv = psi->M.rows;
  int n = psi->rank;
  memset(mu, 0, (size_t)psi->Psi.rows * sizeof *mu);
  for (int r = psi->Psi.rows - 1; r >= 0; r--) {
    const double *part = psi->R.x + (size_t)r * (size_t)psi->R.columns;
    if (n == 0 || part[n - 1] <= 0 || n > r + 1) {
      continue;
    }
    bool own = true; // row r is the one that made q_n: rows before have no part along it
    for (int k = 0; k < r; k++) {
      own = own && psi->R.x[(size_t)k * (size_t)psi->R.columns + (size_t)(n - 1)] == 0;
    }
    if (!own) {
      continue;
    }
    const double *q = psi->Q.x + (size_t)(n - 1) * (size_t)nv;
    double sum = -dot_of(q, f, nv);
    for (int i = 0; i < nv; i++) {
      sum += q[i] * dot_of(psi->M.x + (size_t)i * (size_t)nv, qdd, nv);
    }
    for (int k = r + 1; k < psi->Psi.rows; k++) {
      sum -= psi->R.x[(size_t)k * (size_t)psi->R.columns + (size_t)(n - 1)] * mu[k];
    }
    mu[r] = sum / part[n - 1];
    n--;
  }
}

void rh_psi_respond(const rh_psi *psi, const rh_block *L, const double *y, double *work, double *x)
{
  rh_block_left(&psi->N, y, work);
  rh_cholesky_solve(psi->N.columns, L->x, work);
  rh_block_right(&psi->N, work, x);
}
