// A planar impact of any mechanism: inertia M, rows Jt and Jn of the contact, velocities before.
// [WK] ch. 3 with K = J M^-1 J'. M includes the joints of the mechanism; other contacts are
// ignored.
#include "math/dense.h"
#include "problems/problem_planar.h"
#include "problems/problem_psi.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const rh_param input[] = {
    {.name = "M",
     .unit = "kg, kg m, kg m^2",
     .type = RH_TEXT,
     .doc = "inertia, a list of n rows of n numbers: symmetric, positive definite"},
    {.name = "Jt", .unit = "1, m", .type = RH_LIST, .doc = "tangential velocity S = Jt v"},
    {.name = "Jn", .unit = "1, m", .type = RH_LIST, .doc = "normal velocity C = Jn v"},
    {.name = "v0", .unit = "m/s, rad/s", .type = RH_LIST, .doc = "velocities before"},
    {.name = "pendulum",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "origin of M and J, for the reader; ignored"},
    RH_INPUT_PSI,
    RH_PLANAR_INPUTS,
};

enum { MASS, JT, JN, V0 };

static const rh_output output[] = {RH_PLANAR_OUTPUTS};

#define UNEQUAL 1e-9 // of sqrt(M_ii M_jj): M_ij and M_ji may differ by rounding in the file

static int length_of(const rh_inputs *in, int which)
{
  int node = rh_input_find(in, input[which].name);
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "'%s' is missing: %s", input[which].name, input[which].doc);
    return 0;
  }
  const rh_node *list = &in->tree->node[node];
  bool good = list->kind == RH_NODE_LIST && list->count >= 1 && list->count <= RH_PLANAR_VELOCITIES;
  if (!good) {
    (void)rh_input_refuse(in, node, "%s must be a list of 1 to %d", input[which].name,
                          RH_PLANAR_VELOCITIES);
  }
  return good ? list->count : 0;
}

static bool finite_all(const rh_inputs *in, int node, const char *what, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return rh_input_refuse(in, node, "%s[%d] must be finite", what, i);
    }
  }
  return true;
}

static bool read_list(const rh_inputs *in, int which, double *x, int n)
{
  int node = rh_input_find(in, input[which].name);
  const char *name = input[which].name;
  return node != RH_NONE && rh_input_vector(in, node, name, "1", x, n) &&
         finite_all(in, node, name, x, n);
}

static bool read_mass(const rh_inputs *in, double *M, int n)
{
  int node = rh_input_find(in, input[MASS].name);
  int i = 0;
  for (int row = in->tree->node[node].first; row != RH_NONE; row = in->tree->node[row].next) {
    char what[RH_NAME_MAX];
    (void)snprintf(what, sizeof(what), "M[%d]", i);
    double *to = M + (size_t)i * (size_t)n;
    if (!rh_input_vector(in, row, what, "1", to, n) || !finite_all(in, row, what, to, n)) {
      return false;
    }
    i++;
  }
  for (i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      double a = M[i * n + k];
      double b = M[k * n + i];
      if (!(fabs(a - b) <= UNEQUAL * sqrt(fabs(M[i * n + i])) * sqrt(fabs(M[k * n + k])))) {
        return rh_input_refuse(in, node, "M must be symmetric: M[%d][%d] = %g, M[%d][%d] = %g", i,
                               k, a, k, i, b);
      }
    }
  }
  return true;
}

// M = L L' in place, below the diagonal. A pivot within the rounding of its row counts as zero.
// `diagonal` is scratch (n).
static bool factor_mass(double *M, int n, double *diagonal)
{
  for (int i = 0; i < n; i++) {
    diagonal[i] = M[i * n + i];
  }
  bool good = rh_cholesky(n, M);
  for (int i = 0; i < n && good; i++) {
    good = M[i * n + i] * M[i * n + i] > n * DBL_EPSILON * diagonal[i];
  }
  return good;
}

static void solve_into(const double *L, int n, const double *b, double *x)
{
  memcpy(x, b, (size_t)n * sizeof *x);
  rh_cholesky_solve(n, L, x);
}

// Responses to impulses at the contact with the rows Psi v = 0: they hold before and after.
static bool respond_with_rows(const rh_inputs *in, rh_planar_posed *posed, rh_psi *psi, rh_block *M)
{
  int n = posed->n;
  rh_block L = {0};
  rh_block none = {0};
  rh_block work = {0};
  bool good = true;
  for (int r = 0; r < psi->Psi.rows && good; r++) {
    double u = 0;
    double size = 0;
    for (int i = 0; i < n; i++) {
      u += psi->Psi.x[r * n + i] * posed->v[i];
      size += fabs(psi->Psi.x[r * n + i] * posed->v[i]);
    }
    good = fabs(u) <= UNEQUAL * size ||
           rh_input_refuse(in, rh_input_find(in, "Psi"),
                           "row %d of Psi does not hold before: it is %g, not 0", r, u);
  }
  if (good) {
    good = rh_block_make(&none, n, 1) && rh_block_make(&work, n, 1) &&
           rh_psi_reduce(psi, M, &L, &none);
    good = good || rh_input_refuse(in, in->map, "out of memory");
  }
  if (good) {
    rh_psi_respond(psi, &L, posed->Jt, work.x, posed->Ut);
    rh_psi_respond(psi, &L, posed->Jn, work.x, posed->Un);
  }
  rh_block_free(&L);
  rh_block_free(&none);
  rh_block_free(&work);
  return good;
}

// The same without rows, or with those of the input
static bool respond_to_impulses(const rh_inputs *in, rh_planar_posed *posed, const double *M,
                                const double *L)
{
  int n = posed->n;
  rh_psi psi = {0};
  rh_block mass = {0};
  bool good = rh_psi_read(in, n, NULL, &psi);
  if (good && psi.N.x == NULL) {
    solve_into(L, n, posed->Jt, posed->Ut);
    solve_into(L, n, posed->Jn, posed->Un);
  } else if (good) {
    good = rh_block_make(&mass, n, n) || rh_input_refuse(in, in->map, "out of memory");
    if (good) {
      memcpy(mass.x, M, (size_t)n * (size_t)n * sizeof *M);
      good = respond_with_rows(in, posed, &psi, &mass);
    }
  }
  rh_block_free(&mass);
  rh_psi_free(&psi);
  return good;
}

static rh_status pose_mechanism(const rh_inputs *in, rh_planar_posed *posed, double *M)
{
  int n = posed->n;
  bool good = read_mass(in, M, n);
  good = read_list(in, JT, posed->Jt, n) && good;
  good = read_list(in, JN, posed->Jn, n) && good;
  good = read_list(in, V0, posed->v, n) && good;
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      posed->Mv[i] += M[(i > k ? i : k) * n + (i > k ? k : i)] * posed->v[k];
    }
  }
  double *given = M + (size_t)n * (size_t)n;
  memcpy(given, M, (size_t)n * (size_t)n * sizeof *M);
  if (!factor_mass(M, n, posed->Ut)) { // Ut is filled in later
    (void)rh_input_refuse(in, rh_input_find(in, input[MASS].name), "M must be positive definite");
    return RH_INPUT_REFUSED;
  }
  bool good_rows = respond_to_impulses(in, posed, given, M);
  return good_rows && rh_planar_prepare(in, posed) ? RH_OK : RH_INPUT_REFUSED;
}

rh_status rh_planar_pose_mechanism(const rh_inputs *in, rh_planar_posed *posed)
{
  int n = length_of(in, MASS);
  bool good = n > 0;
  for (int i = JT; i <= V0; i++) {
    int length = length_of(in, i);
    good = good && length > 0;
    if (good && length != n) {
      good = rh_input_refuse(in, rh_input_find(in, input[i].name),
                             "%s must have %d number%s as M has rows, got %d", input[i].name, n,
                             n == 1 ? "" : "s", length);
    }
  }
  good = rh_planar_read(in, posed) && good;
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  double *M = rh_alloc(2 * (size_t)n * (size_t)n * sizeof(double)); // its factor, and as given
  rh_status status =
      M != NULL && rh_planar_open(posed, n) ? pose_mechanism(in, posed, M) : RH_OUT_OF_MEMORY;
  rh_free(M);
  return status;
}

static rh_status solve_generalized_impact(const rh_inputs *in, rh_answer *answer)
{
  rh_planar_posed posed = {0};
  rh_status status = rh_planar_pose_mechanism(in, &posed);
  if (status == RH_OK) {
    status = rh_planar_answer(&posed, answer);
  }
  rh_planar_close(&posed);
  return status;
}

const rh_problem rh_problem_generalized_impact = {
    .row = {"generalized_impact", "[WK] ch. 3",
            "a mechanism meets the ground at one point, in a plane", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_generalized_impact,
};
