// min_norm.c: dependent constraints. The effect of the multipliers, A z, is determined; their
// shares are not: z may be any point of { z >= 0, A z = A z0, z_i = 0 where w_i > 0 }. Returns that
// of least norm ([WK] 2.2) and the range of each z_i (two linear programmes each). A z = A z0 is
// first reduced to orthonormal rows, E z = e. The least norm is found as least |E z - e|^2 + delta
// |z|^2, z >= 0, with a small delta: that is the point of least norm for an e that is off by order
// delta, so it has the right zeros; the rest then follows from E z = e itself.
#include "active_set.h"
#include "cone.h"
#include "lp.h"
#include "math/dense.h"

#include <string.h>

#define OPEN_GAP 1e-9  // w_i above this, relative to the largest b, is open
#define RANK     1e-10 // rows with a remainder below this part of the largest are dependent
#define DELTA    1e-9
#define PINNED   1e-9 // a range below this, relative to the largest z0, is a point

typedef struct share {
  int n, m, rank; // unknowns, those that are not open, rows of E
  double *index;  // of the m unknowns (n)
  double *C;      // rows of A (n x m)
  double *E;      // (rank x m)
  double *e;      // (rank)
  double *x;      // (m)
  double *lo;     // (m)
  double *hi;     // (m)
  double *room;
  double size; // largest z0
} share;

size_t rh_lcp_share_room(int n)
{
  size_t N = (size_t)n;
  size_t set = N * N + N + rh_active_set_room(n);
  size_t lp = N + rh_lp_room(n, n);
  size_t square = N + rh_lstsq_room(n, n);
  size_t most = set > lp ? set : lp;
  return 2 * N * N + 5 * N + (most > square ? most : square);
}

// Gram and Schmidt with pivots, each row cleared twice.
static void reduce_rows(share *s)
{
  int m = s->m;
  double first = 0;
  s->rank = 0;
  while (s->rank < m) {
    int best = 0;
    double most = 0;
    for (int i = 0; i < s->n; i++) {
      double sum = 0;
      for (int j = 0; j < m; j++) {
        sum += s->C[(size_t)i * m + j] * s->C[(size_t)i * m + j];
      }
      best = sum > most ? i : best;
      most = fmax(sum, most);
    }
    first = s->rank == 0 ? most : first;
    if (!(most > RANK * RANK * first)) {
      return;
    }
    double *row = s->E + (size_t)s->rank * m;
    for (int j = 0; j < m; j++) {
      row[j] = s->C[(size_t)best * m + j] / sqrt(most);
    }
    s->rank++;
    for (int i = 0; i < 2 * s->n; i++) {
      double *c = s->C + (size_t)(i % s->n) * m;
      double dot = 0;
      for (int j = 0; j < m; j++) {
        dot += row[j] * c[j];
      }
      for (int j = 0; j < m; j++) {
        c[j] -= dot * row[j];
      }
    }
  }
}

// False: no programme was solved, and nothing is known of the ranges.
static bool find_ranges(share *s)
{
  rh_lp lp;
  bool lost = false;
  double *c = s->room;
  if (!rh_lp_open(&lp, s->rank, s->m, s->E, s->e, 1e-8, c + s->m, &lost)) {
    return false;
  }
  memset(c, 0, (size_t)s->m * sizeof(double));
  for (int i = 0; i < s->m; i++) {
    double value = 0;
    c[i] = 1;
    s->lo[i] = rh_lp_least(&lp, c, &value) == RH_LP_BEST ? fmax(value, 0) : 0;
    c[i] = -1;
    s->hi[i] = rh_lp_least(&lp, c, &value) == RH_LP_BEST ? fmax(-value, s->lo[i]) : HUGE_VAL;
    c[i] = 0;
  }
  return true;
}

// E_S x_S = e with the least x_S, for those in S (x > 0), repeatedly without those that become
// negative.
static void solve_exactly(share *s)
{
  int m = s->m;
  double *S = s->room;
  double *y = S + m;
  for (int turn = 0; turn < m; turn++) {
    int count = 0;
    bool good = true;
    for (int j = 0; j < m; j++) {
      if (s->x[j] > 0) {
        S[count++] = j;
      }
    }
    for (int i = 0; i < s->rank; i++) {
      for (int j = 0; j < count; j++) {
        s->C[(size_t)i * count + j] = s->E[(size_t)i * m + (size_t)S[j]];
      }
    }
    (void)rh_lstsq(s->rank, count, s->C, s->e, RANK, y + m, y, NULL);
    for (int j = 0; j < count; j++) {
      bool off = y[j] < -1e-9 * s->size;
      good = good && !off;
      s->x[(int)S[j]] = off ? 0 : fmax(y[j], 0);
    }
    if (good) {
      return;
    }
  }
}

static void least_norm(share *s)
{
  int m = s->m;
  double *H = s->room;
  double *g = H + (size_t)m * (size_t)m;
  for (int i = 0; i < m; i++) {
    g[i] = 0;
    for (int j = 0; j < m; j++) {
      double sum = i == j ? DELTA : 0;
      for (int r = 0; r < s->rank; r++) {
        sum += s->E[(size_t)r * m + i] * s->E[(size_t)r * m + j];
      }
      H[(size_t)i * m + j] = sum;
    }
    for (int r = 0; r < s->rank; r++) {
      g[i] -= s->E[(size_t)r * m + i] * s->e[r];
    }
  }
  const rh_qp qp = {.n = m, .H = H, .g = g};
  (void)rh_active_set(&qp, 1e-13, g + m, s->x);
  solve_exactly(s);
}

// All unknowns that can be positive can be so at once; their freedom is that left by E.
static int count_free(share *s)
{
  int m = s->m;
  int count = 0;
  double *zero = s->room;
  for (int j = 0; j < m; j++) {
    if (s->hi[j] <= PINNED * s->size) {
      continue;
    }
    for (int i = 0; i < s->rank; i++) {
      s->C[(size_t)i * m + count] = s->E[(size_t)i * m + j];
    }
    count++;
  }
  for (int i = 0; i < s->rank; i++) { // close up the rows
    for (int j = 0; j < count; j++) {
      s->C[(size_t)i * count + j] = s->C[(size_t)i * m + j];
    }
    zero[i] = 0;
  }
  return count - rh_lstsq(s->rank, count, s->C, zero, RANK, zero + s->n, s->x, NULL);
}

static void select_unknowns(share *s, const rh_lcp *problem, const double *z0)
{
  int n = problem->n;
  double size = rh_lcp_size(n, problem->b);
  s->m = 0;
  for (int i = 0; i < n; i++) {
    double w = problem->b[i];
    for (int j = 0; j < n; j++) {
      w += problem->A[(size_t)i * n + j] * z0[j];
    }
    s->size = fmax(s->size, z0[i]);
    if (w <= OPEN_GAP * size) {
      s->index[s->m++] = i;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < s->m; j++) {
      s->C[(size_t)i * s->m + j] = problem->A[(size_t)i * n + (size_t)s->index[j]];
    }
  }
}

// Values of the m unknowns to their places among all; the others are zero.
static void put_values(const share *s, const double *from, double *to)
{
  if (to == NULL) {
    return;
  }
  memset(to, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < s->m; j++) {
    to[(int)s->index[j]] = from[j];
  }
}

int rh_lcp_share(const rh_lcp *problem, const double *z0, double *room, double *z, double *lo,
                 double *hi)
{
  int n = problem->n;
  share s = {.n = n};
  s.index = room;
  s.x = s.index + n;
  s.e = s.x + n;
  s.lo = s.e + n;
  s.hi = s.lo + n;
  s.C = s.hi + n;
  s.E = s.C + (size_t)n * (size_t)n;
  s.room = s.E + (size_t)n * (size_t)n;
  select_unknowns(&s, problem, z0);
  reduce_rows(&s);
  for (int j = 0; j < s.m; j++) {
    s.x[j] = fmax(z0[(int)s.index[j]], 0);
    s.lo[j] = s.x[j];
    s.hi[j] = s.x[j];
  }
  int free = 0;
  if (s.rank < s.m) {
    for (int i = 0; i < s.rank; i++) {
      s.e[i] = 0;
      for (int j = 0; j < s.m; j++) {
        s.e[i] += s.E[(size_t)i * s.m + j] * s.x[j];
      }
    }
    free = find_ranges(&s) ? count_free(&s) : s.m - s.rank;
    least_norm(&s);
  }
  put_values(&s, s.x, z);
  if (!(rh_lcp_residual(problem, z) <= fmax(OPEN_GAP, 10 * rh_lcp_residual(problem, z0)))) {
    memcpy(z, z0, (size_t)n * sizeof(double)); // rounding was too large
  }
  put_values(&s, s.lo, lo);
  put_values(&s, s.hi, hi);
  return free;
}
