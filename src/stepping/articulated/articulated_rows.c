// Rows of contacts on trees: y = J L^-1 on the way from the root to the body, see articulated.h.
#include "base/wide.h"
#include "stepping/stepping.h"

#include "branch_kernels.h"

// Three rows on a way, see below
FOUR_INLINE void three_rows_back(const rh_step_trees *t, const rh_root_path *way, double *x)
{
  const double *L = t->L;
  const double *iL = t->iL;
  const int *start = t->row;
  const int *place = t->pos;
  const int *parent = t->parent;
  const size_t len = (size_t)way->len;
  for (int z = way->tip; z != RH_NONE; z = parent[z]) {
    const unsigned pos = (unsigned)place[z];
    const double inverse = iL[z];
    double *to = x + pos;
    const double y[3] = {to[0] * inverse, to[len] * inverse, to[2 * len] * inverse};
    rh_four_take_three(x, len, y, L + start[z], (int)((pos + 3) / 4 * 4));
    to[0] = y[0];
    to[len] = y[1];
    to[2 * len] = y[2];
  }
}

// x := L^-T x on a way, root first, for `n` rows of `len` numbers at once. A row of L ends in zeros.
RH_WIDE
void rh_step_rows_back(const rh_step_trees *t, const rh_root_path *way, int n, double *x)
{
  const double *L = t->L;
  const double *iL = t->iL;
  const int *start = t->row;
  const int *place = t->pos;
  const int *parent = t->parent;
  const size_t len = (size_t)way->len;
  for (int z = way->tip; z != RH_NONE; z = parent[z]) {
    const double *row = L + start[z];
    const unsigned pos = (unsigned)place[z];
    const double inverse = iL[z];
    double *to = x;
    for (int k = 0; k < n; k++, to += len) {
      double y = to[pos] * inverse;
      rh_four_take(to, y, row, (int)((pos + 3) / 4 * 4));
      to[pos] = y;
    }
  }
}

RH_WIDE
void rh_step_rows_point(const rh_step_trees *t, const rh_root_path *way, rh_vec3 r, double *J,
                        double *turn)
{
  size_t nz = (size_t)t->nz;
  size_t len = (size_t)way->len;
  int at = 0;
  for (int k = 0; k < way->nrun; k++) {
    const rh_step_run *run = &t->run[way->run + k];
    for (int i = 0; i < run->n; i += 4) {
      const double *S = t->S + run->z + i;
      const rh_four wx = *(const rh_four *)S;
      const rh_four wy = *(const rh_four *)(S + nz);
      const rh_four wz = *(const rh_four *)(S + 2 * nz);
      *(rh_four *)(J + at) = *(const rh_four *)(S + 3 * nz) + (wy * r.z - wz * r.y);
      *(rh_four *)(J + len + at) = *(const rh_four *)(S + 4 * nz) + (wz * r.x - wx * r.z);
      *(rh_four *)(J + 2 * len + at) = *(const rh_four *)(S + 5 * nz) + (wx * r.y - wy * r.x);
      if (turn) {
        *(rh_four *)(turn + at) = wx;
        *(rh_four *)(turn + len + at) = wy;
        *(rh_four *)(turn + 2 * len + at) = wz;
      }
      at += 4;
    }
  }
}

// Joints off the way and locked joints do not move the body.
void rh_step_rows_clip(const rh_step_world *w, const rh_step_tree *tree, const rh_root_path *way,
                       int n, double *J)
{
  const rh_step_trees *t = &w->trees;
  for (int k = 0; k < n; k++) {
    double *row = J + (size_t)k * (size_t)way->len;
    double *at = row;
    for (int r = way->run; r < way->run + way->nrun; r++) {
      rh_four_pad(at, t->run[r].on);
      at += t->run[r].n;
    }
    for (int z = way->tip; tree->held && z != RH_NONE; z = t->parent[z]) {
      row[t->pos[z]] = w->d->hold[t->dof[z]] == RH_HOLD_LOCK ? 0 : row[t->pos[z]];
    }
  }
}

static void rows_of_rotation(const rh_step_trees *t, const rh_root_path *way, double *J)
{
  size_t nz = (size_t)t->nz;
  size_t len = (size_t)way->len;
  size_t at = 0;
  for (int k = 0; k < way->nrun; k++) {
    const rh_step_run *run = &t->run[way->run + k];
    for (int i = 0; i < run->n; i++) {
      for (size_t axis = 0; axis < 3; axis++) {
        J[axis * len + at] = t->S[axis * nz + (size_t)(run->z + i)];
      }
      at++;
    }
  }
}

RH_WIDE
int rh_step_branch_make(rh_step_worker *worker, int body, const rh_vec3 *point, double sign)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  const rh_root_path *way = &t->way[body];
  if (way->tip == RH_NONE) {
    return RH_NONE;
  }
  if (worker->rows.nbranch == t->capacity.branch ||
      worker->rows.nY + 3 * (size_t)way->len > t->capacity.Y) {
    worker->full = true;
    return RH_NONE;
  }
  const rh_step_tree *tree = &t->tree[w->mobile[body] - w->nfree - 1];
  int index = worker->rows.nbranch++;
  double *Y = worker->rows.Y + worker->rows.nY;
  worker->rows.nY += 3 * (size_t)way->len;
  worker->rows.branch[index] =
      (rh_step_branch){t->run + way->run, way->nrun, way->len, Y, w->mobile[body]};
  if (point) {
    rh_step_rows_point(t, way, rh_sub(*point, tree->origin), Y, NULL);
  } else {
    rows_of_rotation(t, way, Y);
  }
  rh_step_rows_clip(w, tree, way, 3, Y);
  if (sign < 0) {
    for (int s = 0; s < 3 * way->len; s++) {
      Y[s] = -Y[s];
    }
  }
  three_rows_back(t, way, Y);
  return index;
}

int rh_step_branch_common(const rh_step_branch *a, const rh_step_branch *b)
{
  int n = 0;
  for (int k = 0; k < a->nrun && k < b->nrun && a->run[k].z == b->run[k].z; k++) {
    n += a->run[k].n < b->run[k].n ? a->run[k].n : b->run[k].n;
  }
  return n;
}

RH_WIDE
static void add_products(rh_sym3 *W, const double *x, int nx, const double *y, int ny, int n)
{
  W->xx += rh_four_dot(x, y, n);
  W->yy += rh_four_dot(x + nx, y + ny, n);
  W->zz += rh_four_dot(x + 2 * (size_t)nx, y + 2 * (size_t)ny, n);
  W->xy += rh_four_dot(x, y + ny, n);
  W->xz += rh_four_dot(x, y + 2 * (size_t)ny, n);
  W->yz += rh_four_dot(x + nx, y + 2 * (size_t)ny, n);
}

RH_WIDE
rh_sym3 rh_step_branch_inertia(const rh_step_worker *worker, int a, int b)
{
  rh_sym3 W = {0, 0, 0, 0, 0, 0};
  const rh_step_branch *A = a == RH_NONE ? NULL : &worker->rows.branch[a];
  const rh_step_branch *B = b == RH_NONE ? NULL : &worker->rows.branch[b];
  if (A) {
    add_products(&W, A->Y, A->len, A->Y, A->len, A->len);
  }
  if (B) {
    add_products(&W, B->Y, B->len, B->Y, B->len, B->len);
  }
  int n = A && B ? rh_step_branch_common(A, B) : 0;
  if (n > 0) {
    add_products(&W, A->Y, A->len, B->Y, B->len, n);
    add_products(&W, B->Y, B->len, A->Y, A->len, n);
  }
  return W;
}

RH_WIDE
void rh_step_branch_rotate(rh_step_worker *worker, int branch, const rh_vec3 to[3])
{
  if (branch == RH_NONE) {
    return;
  }
  rh_step_branch *b = &worker->rows.branch[branch];
  double *Y = b->Y;
  size_t len = (size_t)b->len;
  const rh_vec3 t1 = to[0];
  const rh_vec3 t2 = to[1];
  const rh_vec3 n = to[2];
  for (size_t s = 0; s < len; s += 4) {
    const rh_four x = *(const rh_four *)(Y + s);
    const rh_four y = *(const rh_four *)(Y + len + s);
    const rh_four z = *(const rh_four *)(Y + 2 * len + s);
    *(rh_four *)(Y + s) = t1.x * x + t1.y * y + t1.z * z;
    *(rh_four *)(Y + len + s) = t2.x * x + t2.y * y + t2.z * z;
    *(rh_four *)(Y + 2 * len + s) = n.x * x + n.y * y + n.z * z;
  }
}

RH_WIDE
void rh_step_branch_velocity(const rh_step_branch *b, const double *z, double u[3])
{
  rh_step_add_velocity(b, z, u);
}

RH_WIDE
void rh_step_branch_push(const rh_step_branch *b, double *z, const double p[3])
{
  rh_step_add_push(b, z, p);
}

RH_WIDE
void rh_step_tree_velocity(const rh_step_worker *worker, const rh_step_row_general *c, double u[3])
{
  const rh_step_world *w = worker->world;
  if (c->ba != RH_NONE) {
    rh_step_add_velocity(&worker->rows.branch[c->ba], w->trees.z, u);
  }
  if (c->bb != RH_NONE) {
    rh_step_add_velocity(&worker->rows.branch[c->bb], w->trees.z, u);
  }
}

RH_WIDE
void rh_step_tree_push(rh_step_worker *worker, const rh_step_row_general *c, const double p[3])
{
  const rh_step_world *w = worker->world;
  if (c->ba != RH_NONE) {
    rh_step_add_push(&worker->rows.branch[c->ba], w->trees.z, p);
  }
  if (c->bb != RH_NONE) {
    rh_step_add_push(&worker->rows.branch[c->bb], w->trees.z, p);
  }
}

static const rh_step_branch *branch_at(const rh_step_worker *worker, int index)
{
  return index == RH_NONE ? NULL : &worker->rows.branch[index];
}

bool rh_step_tree_shared(const rh_step_worker *worker, const rh_step_row_general *x,
                         const rh_step_row_general *y)
{
  const rh_step_branch *a[2] = {branch_at(worker, x->ba), branch_at(worker, x->bb)};
  const rh_step_branch *b[2] = {branch_at(worker, y->ba), branch_at(worker, y->bb)};
  bool any = false;
  for (int i = 0; i < 4; i++) {
    any = any || (a[i / 2] && b[i % 2] && a[i / 2]->run[0].z == b[i % 2]->run[0].z);
  }
  return any;
}

RH_WIDE
void rh_step_tree_pair(const rh_step_worker *worker, const rh_step_row_general *x,
                       const rh_step_row_general *y, double *W)
{
  const rh_step_branch *a[2] = {branch_at(worker, x->ba), branch_at(worker, x->bb)};
  const rh_step_branch *b[2] = {branch_at(worker, y->ba), branch_at(worker, y->bb)};
  for (int k = 0; k < 4; k++) {
    const rh_step_branch *A = a[k / 2];
    const rh_step_branch *B = b[k % 2];
    int n = A && B ? rh_step_branch_common(A, B) : 0;
    for (int i = 0; n > 0 && i < 9; i++) {
      W[i] += rh_four_dot(A->Y + (size_t)(i / 3) * (size_t)A->len,
                          B->Y + (size_t)(i % 3) * (size_t)B->len, n);
    }
  }
}

double rh_step_branch_row(const rh_step_branch *b, int row, const double *z)
{
  const double *Y = b->Y + (size_t)row * (size_t)b->len;
  double u = 0;
  for (int k = 0; k < b->nrun; k++) {
    u += rh_four_dot(Y, z + b->run[k].z, b->run[k].n);
    Y += b->run[k].n;
  }
  return u;
}

void rh_step_branch_nudge(const rh_step_branch *b, int row, double *z, double p)
{
  const double *Y = b->Y + (size_t)row * (size_t)b->len;
  for (int k = 0; k < b->nrun; k++) {
    rh_four_add(z + b->run[k].z, p, Y, b->run[k].n);
    Y += b->run[k].n;
  }
}
