// problem_matrix.c: see problem_matrix.h.
#include "problem_matrix.h"

#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 1e30
#define UNEQUAL 1e-9 // of sqrt(M_ii M_jj): M_ij and M_ji may differ by rounding in the file

bool rh_block_make(rh_block *block, int rows, int columns)
{
  size_t n = (size_t)rows * (size_t)columns;
  *block =
      (rh_block){.rows = rows, .columns = columns, .x = rh_alloc((n > 0 ? n : 1) * sizeof(double))};
  return block->x != NULL;
}

void rh_block_free(rh_block *block)
{
  rh_free(block->x);
  *block = (rh_block){0};
}

static int find_required_input(const rh_inputs *in, const char *name)
{
  int node = rh_input_find(in, name);
  if (node == RH_NONE) {
    const rh_row *row = &in->problem->row;
    (void)rh_input_refuse(in, in->map, "input '%s' is missing: %s", name,
                          row->param[rh_row_find(row, name)].doc);
  }
  return node;
}

bool rh_input_given(const rh_inputs *in, const char *name)
{
  return rh_input_find(in, name) != RH_NONE;
}

// Squares of products of three are still finite.
static bool sound_all(const rh_inputs *in, int node, const char *what, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= LARGEST)) {
      return rh_input_refuse(in, node, "%s[%d] must lie in [-1e30, 1e30], got %g", what, i, x[i]);
    }
  }
  return true;
}

// Is it a list of `want` (RH_NONE: of 1 to `most`)?
static bool check_list(const rh_inputs *in, int node, const char *what, int want, int most)
{
  const rh_node *list = &in->tree->node[node];
  if (list->kind != RH_NODE_LIST) {
    return rh_input_refuse(in, node, "%s must be a list, got %s", what,
                           rh_yaml_what(in->tree, node));
  }
  if (want != RH_NONE && list->count != want) {
    return rh_input_refuse(in, node, "%s must have %d entr%s, got %d", what, want,
                           want == 1 ? "y" : "ies", list->count);
  }
  if (list->count < 1 || list->count > most) {
    return rh_input_refuse(in, node, "%s must have 1 to %d entries, got %d", what, most,
                           list->count);
  }
  return true;
}

// NOLINTNEXTLINE(readability-function-size): each is a plain part of the input
bool rh_input_matrix(const rh_inputs *in, const char *name, int rows, int columns, int most,
                     rh_block *block)
{
  int node = find_required_input(in, name);
  if (node == RH_NONE || !check_list(in, node, name, rows, most)) {
    return false;
  }
  const rh_node *list = &in->tree->node[node];
  int row = list->first;
  if (columns == RH_NONE) {
    if (!check_list(in, row, name, RH_NONE, most)) {
      return false;
    }
    columns = in->tree->node[row].count;
  }
  if (!rh_block_make(block, list->count, columns)) {
    return rh_input_refuse(in, node, "out of memory");
  }
  int bad = 0;
  for (int i = 0; row != RH_NONE && bad < RH_COMPLAINTS; row = in->tree->node[row].next, i++) {
    char what[RH_NAME_MAX];
    double *to = block->x + (size_t)i * (size_t)columns;
    (void)snprintf(what, sizeof(what), "%.32s[%d]", name, i);
    bad += !(rh_input_vector(in, row, what, "1", to, columns) &&
             sound_all(in, row, what, to, columns));
  }
  return bad == 0;
}

bool rh_input_list(const rh_inputs *in, const char *name, int n, int most, rh_block *block)
{
  int node = find_required_input(in, name);
  if (node == RH_NONE) {
    return false;
  }
  bool alone = n != RH_NONE && in->tree->node[node].kind == RH_NODE_SCALAR;
  if (!alone && !check_list(in, node, name, n, most)) {
    return false;
  }
  if (!rh_block_make(block, alone ? n : in->tree->node[node].count, 1)) {
    return rh_input_refuse(in, node, "out of memory");
  }
  if (!alone) {
    return rh_input_vector(in, node, name, "1", block->x, block->rows) &&
           sound_all(in, node, name, block->x, block->rows);
  }
  bool good = rh_input_number(in, node, name, "1", &block->x[0]);
  for (int i = 1; i < n; i++) {
    block->x[i] = block->x[0];
  }
  return good && sound_all(in, node, name, block->x, 1);
}

bool rh_input_one(const rh_inputs *in, const rh_param *param, bool required, double *x)
{
  int node = required ? find_required_input(in, param->name) : rh_input_find(in, param->name);
  if (node == RH_NONE) {
    return !required;
  }
  if (!required && rh_yaml_is_null(in->tree, node)) {
    return true;
  }
  return rh_input_value(in, param, node, x);
}

bool rh_input_inertia(const rh_inputs *in, const char *name, rh_block *M, rh_block *L)
{
  int node = rh_input_find(in, name);
  int n = node != RH_NONE ? in->tree->node[node].count : 0;
  if (!rh_input_matrix(in, name, RH_NONE, n, RH_MECHANISM_MAX, M)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      double a = M->x[i * n + k];
      double b = M->x[k * n + i];
      double size = sqrt(fabs(M->x[i * n + i])) * sqrt(fabs(M->x[k * n + k]));
      if (!(fabs(a - b) <= UNEQUAL * size)) {
        return rh_input_refuse(in, node, "%s must be symmetric: %s[%d][%d] = %g, %s[%d][%d] = %g",
                               name, name, i, k, a, name, k, i, b);
      }
    }
  }
  if (!rh_block_make(L, n, n)) {
    return rh_input_refuse(in, node, "out of memory");
  }
  memcpy(L->x, M->x, (size_t)n * (size_t)n * sizeof(double));
  return rh_cholesky(n, L->x) || rh_input_refuse(in, node, "%s must be positive definite", name);
}

void rh_block_left(const rh_block *A, const double *x, double *y)
{
  for (int j = 0; j < A->columns; j++) {
    y[j] = 0;
  }
  for (int i = 0; i < A->rows; i++) {
    for (int j = 0; j < A->columns; j++) {
      y[j] += A->x[(size_t)i * (size_t)A->columns + j] * x[i];
    }
  }
}

void rh_block_right(const rh_block *A, const double *x, double *y)
{
  for (int i = 0; i < A->rows; i++) {
    y[i] = 0;
    for (int j = 0; j < A->columns; j++) {
      y[i] += A->x[(size_t)i * (size_t)A->columns + j] * x[j];
    }
  }
}

void rh_block_condense(const rh_block *G, const rh_block *L, double *work, rh_block *W)
{
  int n = G->columns;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < G->rows; i++) {
      work[i] = G->x[(size_t)i * n + k];
    }
    rh_cholesky_solve(G->rows, L->x, work);
    rh_block_left(G, work, W->x + (size_t)k * n);
  }
}
