// Vectors, matrices and a solver for CVODE whose size may change: see cvode_resizable.h.
#include "cvode_resizable.h"

#include <math.h>
#include <string.h>

// ---- Vectors and matrices of changing size. Their contents begin as SUNDIALS' own, so that its
// functions work on them. It does not expect a failed copy: a vector without memory of its own gets
// the spare one, and `failed` is set.

static void destroy_vector(N_Vector v)
{
  rh_vector_content *c = v->content;
  rh_cvode *s = c->owner;
  int kept = 0;
  for (int i = 0; i < s->nvector; i++) {
    if (s->vector[i] != v) {
      s->vector[kept++] = s->vector[i];
    }
  }
  s->nvector = kept;
  rh_free(c->own);
  c->owner = NULL;
  v->content = NULL;
  N_VFreeEmpty(v);
}

static rh_vector_content *free_content(rh_cvode *s)
{
  for (int i = 0; i < RH_VECTORS_MAX; i++) {
    if (!s->content[i].owner) {
      return &s->content[i];
    }
  }
  return NULL;
}

static N_Vector clone_vector(N_Vector like);

// `data` NULL: its own
static N_Vector new_vector(rh_cvode *s, N_Vector like, double *data)
{
  N_Vector v = N_VNewEmpty(s->context);
  rh_vector_content *c = free_content(s);
  if (!v || !c || N_VCopyOps(like, v) != 0) {
    return NULL;
  }
  v->content = c;
  v->ops->nvclone = clone_vector;
  v->ops->nvdestroy = destroy_vector;
  c->own = data ? NULL : rh_alloc((size_t)s->capacity * sizeof(double));
  s->failed = s->failed || (!data && !c->own);
  c->serial.length = s->flow->n;
  c->serial.own_data = false;
  c->serial.data = data ? data : c->own ? c->own : s->spare;
  c->owner = s;
  s->vector[s->nvector++] = v;
  return v;
}

static N_Vector clone_vector(N_Vector like)
{
  return new_vector(((rh_vector_content *)like->content)->owner, like, NULL);
}

static void destroy_matrix(SUNMatrix a)
{
  rh_cvode *s = ((rh_matrix_content *)a->content)->owner;
  s->nmatrix--;
  s->matrix[0] = s->matrix[0] == a ? s->matrix[1] : s->matrix[0];
  a->content = NULL;
  SUNMatFreeEmpty(a);
}

int rh_cvode_dense_room(const rh_cvode *s)
{
  return s->capacity < RH_DENSE_MAX ? s->capacity : RH_DENSE_MAX;
}

static void size_matrix(SUNMatrix a, int n)
{
  rh_matrix_content *c = a->content;
  c->dense.M = c->dense.N = n;
  c->dense.ldata = (sunindextype)n * n;
  for (int j = 0; j < n; j++) {
    c->dense.cols[j] = c->dense.data + (size_t)j * (size_t)n;
  }
}

bool rh_cvode_leaves_out(const rh_cvode *s, int i)
{
  const rh_ode *flow = s->flow;
  return (flow->idle && flow->idle(flow->user, i)) ||
         (!s->jacobian.whole && flow->coordinate && flow->coordinate(flow->user, i));
}

// Columns that are left out are nobody's to read.
static int copy_matrix(SUNMatrix from, SUNMatrix to)
{
  const rh_matrix_content *c = from->content;
  const rh_matrix_content *k = to->content;
  for (int j = 0; j < c->dense.N; j++) {
    if (!rh_cvode_leaves_out(c->owner, j)) {
      memcpy(k->dense.cols[j], c->dense.cols[j], (size_t)c->dense.M * sizeof(double));
    }
  }
  return SUNMAT_SUCCESS;
}

// a := factor a + 1
static int scale_and_add_one(realtype factor, SUNMatrix a)
{
  const rh_matrix_content *c = a->content;
  for (int j = 0; j < c->dense.N; j++) {
    double *column = c->dense.cols[j];
    if (rh_cvode_leaves_out(c->owner, j)) {
      continue;
    }
    for (int i = 0; i < c->dense.M; i++) {
      column[i] *= factor;
    }
    column[j] += 1;
  }
  return SUNMAT_SUCCESS;
}

static SUNMatrix clone_matrix(SUNMatrix like);

static SUNMatrix new_matrix(rh_cvode *s, SUNMatrix like)
{
  SUNMatrix a = s->nmatrix < RH_MATRICES_MAX ? SUNMatNewEmpty(s->context) : NULL;
  if (!a || SUNMatCopyOps(like, a) != 0) {
    return NULL;
  }
  size_t n = (size_t)rh_cvode_dense_room(s);
  rh_matrix_content *c = &s->matrices[s->nmatrix];
  c->dense.data = s->entries + (size_t)s->nmatrix * n * n;
  c->dense.cols = s->columns_at + (size_t)s->nmatrix * n;
  c->owner = s;
  a->content = c;
  a->ops->clone = clone_matrix;
  a->ops->destroy = destroy_matrix;
  a->ops->copy = copy_matrix;
  a->ops->scaleaddi = scale_and_add_one;
  s->matrix[s->nmatrix++] = a;
  size_matrix(a, s->flow->n < rh_cvode_dense_room(s) ? s->flow->n : rh_cvode_dense_room(s));
  return a;
}

static SUNMatrix clone_matrix(SUNMatrix like)
{
  return new_matrix(((rh_matrix_content *)like->content)->owner, like);
}

void rh_cvode_set_size(rh_cvode *s, int n)
{
  for (int i = 0; i < s->nvector; i++) {
    NV_LENGTH_S(s->vector[i]) = n;
  }
  for (int i = 0; i < s->nmatrix && n <= rh_cvode_dense_room(s); i++) {
    size_matrix(s->matrix[i], n);
  }
}

N_Vector rh_cvode_vector(rh_cvode *s)
{
  N_Vector serial = N_VNewEmpty_Serial(0, s->context); // has the functions
  N_Vector y = serial ? new_vector(s, serial, s->arc.on ? NULL : s->flow->y) : NULL;
  if (serial) {
    N_VDestroy(serial);
  }
  return y;
}

SUNMatrix rh_cvode_matrix(rh_cvode *s)
{
  size_t n = (size_t)rh_cvode_dense_room(s);
  s->entries = rh_alloc(RH_MATRICES_MAX * n * n * sizeof(double));
  s->columns_at = rh_alloc(RH_MATRICES_MAX * n * sizeof(double *));
  s->active = rh_alloc(2 * n * sizeof *s->active);
  if (!s->entries || !s->columns_at || !s->active) {
    return NULL;
  }
  SUNMatrix dense = SUNDenseMatrix(1, 1, s->context); // has the functions
  SUNMatrix a = dense ? new_matrix(s, dense) : NULL;
  if (dense) {
    SUNMatDestroy(dense);
  }
  return a;
}

// ---- The solver. A state j that is left out has the column e_j in I - gamma J, so that only the block of the others is
// factored, by elimination with partial pivoting; those left out follow.

static void list_active(rh_cvode *s)
{
  s->nactive = 0;
  for (int i = 0; i < s->flow->n; i++) {
    if (!rh_cvode_leaves_out(s, i)) {
      s->active[s->nactive++] = i;
    }
  }
}

static int pivot_of(const rh_cvode *s, const double *column, int k)
{
  int best = k;
  for (int i = k + 1; i < s->nactive; i++) {
    best = fabs(column[s->active[i]]) > fabs(column[s->active[best]]) ? i : best;
  }
  return best;
}

static void swap_rows(const rh_cvode *s, double **column, int x, int y)
{
  for (int j = 0; x != y && j < s->nactive; j++) {
    double *c = column[s->active[j]];
    double keep = c[s->active[x]];
    c[s->active[x]] = c[s->active[y]];
    c[s->active[y]] = keep;
  }
}

static int factor_active(SUNLinearSolver solver, SUNMatrix a)
{
  (void)solver;
  rh_matrix_content *content = a->content;
  rh_cvode *s = content->owner;
  double **column = content->dense.cols;
  list_active(s);
  const int *at = s->active;
  int n = s->nactive;
  int *pivot = s->active + rh_cvode_dense_room(s);
  for (int k = 0; k < n; k++) {
    double *ck = column[at[k]];
    pivot[k] = pivot_of(s, ck, k);
    swap_rows(s, column, k, pivot[k]);
    if (ck[at[k]] == 0) {
      return 1; // CVODE tries a smaller step
    }
    for (int i = k + 1; i < n; i++) {
      ck[at[i]] /= ck[at[k]];
    }
    for (int j = k + 1; j < n; j++) {
      double *cj = column[at[j]];
      double f = cj[at[k]];
      for (int i = k + 1; f != 0 && i < n; i++) {
        cj[at[i]] -= f * ck[at[i]];
      }
    }
  }
  return 0;
}

static void solve_active(const rh_cvode *s, double **column, double *x)
{
  const int *at = s->active;
  const int *pivot = s->active + rh_cvode_dense_room(s);
  for (int k = 0; k < s->nactive; k++) {
    double keep = x[at[k]];
    x[at[k]] = x[at[pivot[k]]];
    x[at[pivot[k]]] = keep;
  }
  for (int k = 0; k < s->nactive; k++) {
    for (int i = k + 1; i < s->nactive; i++) {
      x[at[i]] -= column[at[k]][at[i]] * x[at[k]];
    }
  }
  for (int k = s->nactive - 1; k >= 0; k--) {
    x[at[k]] /= column[at[k]][at[k]];
    for (int i = 0; i < k; i++) {
      x[at[i]] -= column[at[k]][at[i]] * x[at[k]];
    }
  }
}

static int solve_dense(SUNLinearSolver solver, SUNMatrix a, N_Vector x, N_Vector b,
                       realtype tolerance)
{
  (void)solver;
  (void)tolerance;
  rh_matrix_content *content = a->content;
  rh_cvode *s = content->owner;
  double *to = N_VGetArrayPointer(x);
  N_VScale(1, b, x);
  solve_active(s, content->dense.cols, to);
  for (int j = 0; j < s->nactive; j++) {
    const double *column = content->dense.cols[s->active[j]];
    double known = to[s->active[j]];
    for (int i = 0, k = 0; i < s->flow->n && known != 0; i++) {
      bool active = k < s->nactive && s->active[k] == i;
      k += active;
      to[i] -= active ? 0 : column[i] * known;
    }
  }
  return 0;
}

SUNLinearSolver rh_cvode_solver(rh_cvode *s, SUNMatrix matrix)
{
  SUNLinearSolver solver = SUNLinSol_Dense(s->y, matrix, s->context);
  if (solver) {
    solver->ops->setup = factor_active;
    solver->ops->solve = solve_dense;
  }
  return solver;
}
