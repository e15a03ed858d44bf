// count_solutions.c: number of solutions of a small complementarity problem. Each of the 2^n cases
// "z_i = 0 or w_i = 0" is a system of equations; its solution counts if it is nowhere negative.
// Those with the same w are one: z may be shared in many ways where rows depend on one another.
// Singular cases are left out, since their w occurs in a regular one of fewer rows.
// And forces without effect in cones of friction, by linear programmes: each cone is a pyramid of 8
// edges within it.
#include "complement.h"

#include "cone.h"
#include "lp.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Parts of the largest b that count as zero.
static const double ZERO = 1e-9;

size_t rh_lcp_count_room(int n)
{
  return (size_t)n * (size_t)n + 2 * (size_t)n + (size_t)n * RH_COUNT_MOST;
}

static double largest_b(const rh_lcp *problem)
{
  double most = 0;
  for (int i = 0; i < problem->n; i++) {
    most = fmax(most, fabs(problem->b[i]));
  }
  return most;
}

// Solves the case in which bit i means w_i = 0. False: singular, or z is negative somewhere.
static bool solve_case(const rh_lcp *problem, unsigned mask, double *room, double *z)
{
  int index[RH_COUNT_MAX];
  int pivot[RH_COUNT_MAX];
  int m = 0;
  double *A = room;
  double *x = room + (size_t)problem->n * (size_t)problem->n;
  for (int i = 0; i < problem->n; i++) {
    if (mask >> (unsigned)i & 1U) {
      index[m++] = i;
    }
  }
  for (int r = 0; r < m; r++) {
    for (int s = 0; s < m; s++) {
      A[r * m + s] = problem->A[(size_t)index[r] * problem->n + index[s]];
    }
    x[r] = -problem->b[index[r]];
  }
  memset(z, 0, (size_t)problem->n * sizeof *z);
  if (m > 0 && !rh_lu(m, A, pivot)) {
    return false;
  }
  rh_lu_solve(m, A, pivot, x);
  for (int r = 0; r < m; r++) {
    z[index[r]] = x[r];
    if (!(x[r] >= 0)) {
      return false;
    }
  }
  return true;
}

static bool open_rows(const rh_lcp *problem, const double *z, double zero, double *w)
{
  for (int i = 0; i < problem->n; i++) {
    w[i] = problem->b[i];
    for (int j = 0; j < problem->n; j++) {
      w[i] += problem->A[(size_t)i * problem->n + j] * z[j];
    }
    if (w[i] < -zero) {
      return false;
    }
  }
  return true;
}

static bool is_known(const double *w, const double *found, int count, int n, double zero)
{
  for (int k = 0; k < count; k++) {
    double off = 0;
    for (int i = 0; i < n; i++) {
      off = fmax(off, fabs(w[i] - found[(size_t)k * n + i]));
    }
    if (off <= zero) {
      return true;
    }
  }
  return false;
}

int rh_lcp_count(const rh_lcp *problem, double *room)
{
  int n = problem->n;
  double zero = ZERO * largest_b(problem);
  double *z = room + (size_t)n * (size_t)n + (size_t)n;
  double *found = z + n;
  int count = 0;
  if (n > RH_COUNT_MAX) {
    return RH_NONE;
  }
  for (unsigned mask = 0; mask < 1U << (unsigned)n && count < RH_COUNT_MOST; mask++) {
    double *w = found + (size_t)count * n;
    if (solve_case(problem, mask, room, z) && open_rows(problem, z, zero, w) &&
        !is_known(w, found, count, n, zero)) {
      count++;
    }
  }
  return count;
}

// ---- Forces without effect

enum { EDGES = 8 };

static const double NO_EFFECT = 1e-9; // of accelerations under a unit of normal force
static const double DEPENDENT = 1e-9; // of columns of W

typedef struct span { // forces as sums of columns with factors >= 0, and how much they may change
  const rh_cone *problem;
  int n;          // columns
  double *column; // (3 each) of contact `of`
  int *of;
  double *E; // the programme: W column = 0, and a sum that is 1
  double *e, *cost, *x, *rest;
} span;

static int most_columns(int n)
{
  return EDGES * n;
}

size_t rh_cone_free_room(int n)
{
  size_t rows = 3 * (size_t)n;
  size_t columns = (size_t)most_columns(n);
  size_t programme = (rows + 1) * (columns + 2) + 7 * columns;
  size_t rank = rows * rows + 3 * rows + rh_lstsq_room((int)rows, (int)rows);
  size_t lp = rh_lp_room((int)rows + 1, (int)columns);
  return programme + (rank > lp ? rank : lp) + rows;
}

static void open_span(span *s, const rh_cone *problem, double *room)
{
  size_t columns = (size_t)most_columns(problem->n);
  size_t rows = 3 * (size_t)problem->n + 1;
  *s = (span){.problem = problem, .column = room};
  s->of = (int *)(void *)(room + 3 * columns);
  s->cost = room + 4 * columns;
  s->x = s->cost + columns;
  s->E = s->x + columns;
  s->e = s->E + rows * columns;
  s->rest = s->e + rows;
}

static void add_column(span *s, int contact, double t1, double t2, double n)
{
  double *to = s->column + (ptrdiff_t)3 * s->n;
  to[0] = t1;
  to[1] = t2;
  to[2] = n;
  s->of[s->n++] = contact;
}

// Edges of the cone of contact i; along (t1, t2) only if that is not zero.
static void add_cone(span *s, int i, double t1, double t2)
{
  double mu = s->problem->mu[i];
  if (mu == 0 || t1 != 0 || t2 != 0) {
    add_column(s, i, -mu * t1, -mu * t2, 1);
    return;
  }
  for (int k = 0; k < EDGES; k++) {
    static const double c[] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                               -1, -0.70710678118654752, 0, 0.70710678118654752};
    add_column(s, i, mu * c[k], mu * c[(k + 6) % EDGES], 1);
  }
}

static void add_free(span *s, int i)
{
  for (int axis = 0; axis < 3; axis++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      add_column(s, i, axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
    }
  }
}

static double largest_diagonal(const rh_cone *problem)
{
  size_t rows = 3 * (size_t)problem->n;
  double most = 0;
  for (size_t i = 0; i < rows; i++) {
    most = fmax(most, problem->W[i * (rows + 1)]);
  }
  return most;
}

// A point of the programme with s->cost as the sum that is 1. False: there is none, or not found.
static bool open_programme(span *s, rh_lp *lp)
{
  const rh_cone *q = s->problem;
  const int rows = 3 * q->n;
  const double unit = largest_diagonal(q);
  bool lost = false;
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < s->n; c++) {
      const double *w = q->W + (size_t)r * (size_t)rows + (size_t)(3 * s->of[c]);
      const double *x = s->column + (ptrdiff_t)3 * c;
      s->E[(size_t)r * (size_t)s->n + (size_t)c] = (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) / unit;
    }
    s->e[r] = 0;
  }
  memcpy(s->E + (size_t)rows * (size_t)s->n, s->cost, (size_t)s->n * sizeof *s->E);
  s->e[rows] = 1;
  return s->n > 0 && unit > 0 &&
         rh_lp_open(lp, rows + 1, s->n, s->E, s->e, NO_EFFECT, s->rest, &lost);
}

bool rh_cone_wedge(const rh_cone *problem, double *room, double *f)
{
  span s;
  rh_lp lp;
  bool rubs = false;
  open_span(&s, problem, room);
  for (int i = 0; i < problem->n; i++) {
    bool slides = rh_cone_slides(problem, i);
    rubs = rubs || (problem->mu[i] > 0 && !slides);
    add_cone(&s, i, slides ? problem->slide[2 * i] : 0, slides ? problem->slide[2 * i + 1] : 0);
  }
  for (int c = 0; c < s.n; c++) {
    s.cost[c] = 1;
  }
  if (!rubs || problem->n < 2 || !open_programme(&s, &lp)) {
    return false;
  }
  rh_lp_point(&lp, s.x);
  memset(f, 0, 3 * (size_t)problem->n * sizeof *f);
  for (int c = 0; c < s.n; c++) {
    for (int a = 0; a < 3; a++) {
      f[3 * s.of[c] + a] += s.x[c] * s.column[3 * c + a];
    }
  }
  return true;
}

typedef struct freedom { // how the force of a contact of a solution can change
  int axes;              // 3; 1 along its ray; 0 not at all
  bool idle;             // it carries nothing
  double ray[3];         // with the friction of a slide
} freedom;

static freedom read_freedom(const rh_cone *q, int i, const double *u, double still)
{
  double speed = rh_flat_length(u[0], u[1]);
  bool slides = rh_cone_slides(q, i);
  freedom f = {.axes = u[2] > still ? 0 : 3, .ray = {0, 0, 1}};
  if (q->mu[i] == 0 || slides || speed > still) {
    f.axes = f.axes == 0 ? 0 : 1;
    f.ray[0] = -q->mu[i] * (slides ? q->slide[2 * i] : speed > still ? u[0] / speed : 0);
    f.ray[1] = -q->mu[i] * (slides ? q->slide[2 * i + 1] : speed > still ? u[1] / speed : 0);
  }
  return f;
}

// Columns of the forces that can change, without those along which nothing moves; less their rank.
static int count_free(span *s, const freedom *f)
{
  const rh_cone *q = s->problem;
  const size_t rows = 3 * (size_t)q->n;
  const double unit = largest_diagonal(q);
  double *A = s->rest;
  double *none = A + rows * rows;
  double *x = none + rows;
  int count = 0;
  for (int i = 0; i < q->n; i++) {
    for (int axis = f[i].axes == 3 ? 0 : 2; axis < 3 && f[i].axes > 0; axis++) {
      const double own[3] = {axis == 0, axis == 1, axis == 2};
      const double *way = f[i].axes == 1 ? f[i].ray : own;
      double size = 0;
      for (size_t r = 0; r < rows; r++) {
        const double *w = q->W + r * rows + (size_t)(3 * i);
        double at = w[0] * way[0] + w[1] * way[1] + w[2] * way[2];
        A[r * rows + (size_t)count] = at;
        size = fmax(size, fabs(at));
      }
      count += size > 1e-11 * unit;
    }
  }
  for (size_t r = 1; r < rows; r++) { // close up the rows
    memmove(A + r * (size_t)count, A + r * rows, (size_t)count * sizeof *A);
  }
  memset(none, 0, rows * sizeof *none);
  return count == 0 ? 0 : count - rh_lstsq((int)rows, count, A, none, DEPENDENT, x + rows, x, NULL);
}

// An idle contact that cannot carry does not count.
static void drop_idle_contacts(span *s, freedom *f)
{
  rh_lp lp;
  bool any = false;
  for (int c = 0; c < s->n; c++) {
    s->cost[c] = f[s->of[c]].idle ? 1 : 0;
    any = any || f[s->of[c]].idle;
  }
  bool shared = any && open_programme(s, &lp);
  for (int i = 0; i < s->problem->n; i++) {
    double value = 0;
    if (!f[i].idle || f[i].axes == 0) {
      continue;
    }
    for (int c = 0; c < s->n; c++) {
      s->cost[c] = s->of[c] == i ? -1 : 0;
    }
    bool carries = shared && rh_lp_least(&lp, s->cost, &value) == RH_LP_BEST && value < -NO_EFFECT;
    f[i].axes = carries ? f[i].axes : 0;
  }
}

int rh_cone_free(const rh_cone *problem, const double *p, const double *u, double still,
                 double *room)
{
  freedom f[RH_EXAMINE_MAX];
  span s;
  double most = 0;
  open_span(&s, problem, room);
  for (int i = 0; i < problem->n; i++) {
    most = fmax(most, p[3 * i + 2]);
  }
  for (int i = 0; i < problem->n; i++) {
    f[i] = read_freedom(problem, i, u + (ptrdiff_t)3 * i, still);
    f[i].idle = !(p[3 * i + 2] > 1e-9 * most);
    const double *ray = f[i].ray;
    if (f[i].axes == 3 && f[i].idle) {
      add_cone(&s, i, 0, 0);
    } else if (f[i].axes == 3) {
      add_free(&s, i);
    } else if (f[i].axes == 1) {
      add_column(&s, i, ray[0], ray[1], 1);
      if (!f[i].idle) {
        add_column(&s, i, -ray[0], -ray[1], -1);
      }
    }
  }
  drop_idle_contacts(&s, f);
  return count_free(&s, f);
}

size_t rh_cone_moving_room(int n)
{
  return (size_t)n * (size_t)n + 3 * (size_t)n + rh_lcp_share_room(n);
}

int rh_cone_moving(const rh_cone *problem, const double *p, int free, double *room)
{
  const int n = problem->n;
  double *A = room;
  double *b = A + (size_t)n * (size_t)n;
  double *z0 = b + n;
  double *z = z0 + n;
  if (!rh_cone_is_lcp(problem)) {
    return 0;
  }
  const rh_lcp normals = rh_cone_normals(problem, A, b);
  const double unit = largest_diagonal(problem);
  int inert = 0; // nothing moves along the normal: its force is zero
  for (int i = 0; i < n; i++) {
    z0[i] = p[3 * i + 2];
    inert += A[(size_t)i * ((size_t)n + 1)] <= 1e-11 * unit;
  }
  int open = rh_lcp_share(&normals, z0, z + n, z, NULL, NULL);
  return inert == 0 && open > free ? open - free : 0;
}
