// A face of a few points on an elastic half-space. Each point spreads its force over its area; its
// influence on another is Boussinesq's 1 / (pi E* r), rounded off so that at r = 0 it is Love's
// value for a square of that area:
//   C_ij = 1 / (pi E* sqrt(r^2 + (s_i^2 + s_j^2) / 2)),   s = sqrt(area) / (4 ln(1 + sqrt 2)).
// That is the mean, over all t > 0, of exp(-t r^2) exp(-t s_i^2 / 2) exp(-t s_j^2 / 2), so C is positive definite however close
// the points lie; and depends on distances only: turning a face about its normal keeps its energy.
// The set of pressing points is a complementarity problem, solved by block principal pivoting; it
// ends for every positive definite C.
#include "halfspace.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double LOVE = 3.52549434807817180; // 4 ln(1 + sqrt 2)

void rh_face_influence(int n, const double *at, const double *area, double Estar, double *C)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double x = at[2 * i] - at[2 * j];
      double y = at[2 * i + 1] - at[2 * j + 1];
      double spread = 0.5 * (area[i] + area[j]) / (LOVE * LOVE);
      C[i * n + j] = C[j * n + i] = 1 / (PI * Estar * sqrt(x * x + y * y + spread));
    }
  }
}

// ---- Pressing points

typedef struct few {
  int n;
  const double *C, *depth;
  bool in[RH_PATCH_POINTS_MAX];    // presses
  double f[RH_PATCH_POINTS_MAX];   // forces of the pressing points, zero for the others
  double gap[RH_PATCH_POINTS_MAX]; // C f - depth of the other points, zero for the pressing ones
} few;

// L L' = C of the pressing points, then the forces. False: not positive definite.
static bool solve_pressing_points(few *p)
{
  double L[RH_PATCH_POINTS_MAX][RH_PATCH_POINTS_MAX];
  double x[RH_PATCH_POINTS_MAX];
  int at[RH_PATCH_POINTS_MAX];
  int m = 0;
  for (int i = 0; i < p->n; i++) {
    if (p->in[i]) {
      at[m++] = i;
    }
  }
  for (int i = 0; i < m; i++) {
    x[i] = p->depth[at[i]];
    for (int j = 0; j <= i; j++) {
      double sum = p->C[at[i] * p->n + at[j]];
      for (int k = 0; k < j; k++) {
        sum -= L[i][k] * L[j][k];
      }
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
      x[i] -= j < i ? L[i][j] * x[j] : 0;
    }
    if (!(L[i][i] > 0)) {
      return false;
    }
    x[i] /= L[i][i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) {
      x[i] -= L[k][i] * x[k];
    }
    x[i] /= L[i][i];
  }
  memset(p->f, 0, sizeof p->f);
  for (int i = 0; i < m; i++) {
    p->f[at[i]] = x[i];
  }
  return true;
}

// Points that pull, or that have sunk in without a force; `last` gets the last of them.
static int count_wrong(few *p, bool wrong[RH_PATCH_POINTS_MAX], int *last)
{
  int count = 0;
  for (int i = 0; i < p->n; i++) {
    double sum = 0;
    for (int j = 0; j < p->n && !p->in[i]; j++) {
      sum += p->C[i * p->n + j] * p->f[j];
    }
    p->gap[i] = p->in[i] ? 0 : sum - p->depth[i];
    wrong[i] = p->f[i] < 0 || p->gap[i] < 0;
    if (wrong[i]) {
      count++;
      *last = i;
    }
  }
  return count;
}

#define PATIENCE   3 // rounds of changing all wrong points that may pass without fewer wrong points
#define ROUNDS_MAX 400 // only rounding can prevent the end; the rest is then of its size

bool rh_face_solve(int n, const double *C, const double *depth, double *f)
{
  few p = {.n = n, .C = C, .depth = depth};
  bool wrong[RH_PATCH_POINTS_MAX];
  int least = n + 1;
  int patience = PATIENCE;
  for (int i = 0; i < n; i++) {
    p.in[i] = depth[i] > 0;
    f[i] = 0;
  }
  for (int round = 0; round < ROUNDS_MAX; round++) {
    int last = 0;
    if (!solve_pressing_points(&p)) {
      return false;
    }
    int count = count_wrong(&p, wrong, &last);
    if (count == 0) {
      break;
    }
    if (count < least) {
      least = count;
      patience = PATIENCE;
    } else {
      patience--;
    }
    for (int i = 0; i < n; i++) { // all, or only the last one until there are fewer than before
      bool change = wrong[i] && (patience > 0 || i == last);
      p.in[i] = p.in[i] != change;
    }
  }
  for (int i = 0; i < n; i++) {
    f[i] = fmax(p.f[i], 0);
  }
  return true;
}
