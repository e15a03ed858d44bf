// polyhedral.c: all motions of contacts with friction in polyhedral cones, in the plane and in space
// ([WK] 2.8-2.10*, with the largest dissipation over a polygon in place of the circle). The polygon
// of a contact has its corners mu ln d_k on the circle. A contact
//   separates   ln = 0, an >= 0
//   sticks      an = 0, at = 0, lt within the polygon of mu_s
//   slips at a corner   an = 0, lt = mu_k ln d_k, -at between the normals of the two sides there
//   slips on a side     an = 0, lt on that side, -at along its normal
// A contact that slides already separates or keeps its direction of force. Each combination is a
// linear programme in the forces; combinations are searched depth first, first which contacts
// separate, then how the others move, and a branch ends where the programme of what is chosen so far
// has no point. Each acceleration belongs to one combination only: where -at lies on the edge of what
// a combination allows, another with more freedom of forces has it, so that one in which an or -at
// cannot be inside is left out. Solutions are distinguished by their accelerations, not by their
// forces: for undetermined ones the ranges are given, and the point of least norm. A combination in
// which the accelerations are not determined is a continuum; of it that point counts.
// Forces and accelerations are scaled to size 1. Conditions hold to 1e-9.
#include "motion_programme.h"

#include "complement/active_set.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define POSSIBLE 1e-9
#define STRICT   1e-11 // an acceleration that can be larger is not zero
#define SAME     1e-7  // accelerations that differ by less are the same
#define MOVED    1e-4  // an acceleration that can change by more is not determined
#define LARGE    1e3
#define DELTA    1e-5

// ---- What is possible

static bool count_try(rh_motion_search *s)
{
  s->complete = s->complete && s->tries > 0;
  return s->tries-- > 0;
}

// Largest c'x, c zero but for column j
static double largest_column(rh_motion_search *s, int j)
{
  double value = 0;
  double *c = s->now.x; // not in use yet
  memset(c, 0, (size_t)s->now.n * sizeof *c);
  c[j] = -1;
  return rh_lp_least(&s->lp, c, &value) == RH_LP_BEST ? -value : HUGE_VAL;
}

// Marks the columns that are not zero at the present point.
static void mark_columns(const rh_motion_search *s, bool *inside)
{
  const rh_lp *lp = &s->lp;
  for (int r = 0; r < lp->m; r++) {
    int column = (int)lp->basis[r];
    double value = lp->T[(size_t)r * (size_t)(lp->n + 1) + (size_t)lp->n];
    if (column < lp->n && value > STRICT) {
      inside[column] = true;
    }
  }
}

// Can every contact be inside what its state allows? If each can, all can at once: the points of a
// programme are convex.
static bool stays_inside(rh_motion_search *s)
{
  bool inside[RH_MOTION_COLUMNS] = {false};
  mark_columns(s, inside);
  for (int i = s->q->n - 1; i >= 0; i--) {
    for (int k = 0; k < 2; k++) {
      int column = s->now.strict[i][k];
      if (column == RH_NONE || inside[column]) {
        continue;
      }
      if (!(largest_column(s, column) > STRICT)) {
        return false;
      }
      mark_columns(s, inside);
    }
  }
  return true;
}

// Has the present combination a point, with all contacts inside what their states allow?
static bool open_programme(rh_motion_search *s)
{
  rh_motion_programme *x = &s->now;
  bool lost = false;
  if (!count_try(s)) {
    return false;
  }
  rh_motion_programme_set(s);
  if (!rh_lp_open(&s->lp, x->m, x->n, x->E, x->e, POSSIBLE, s->scratch, &lost)) {
    s->complete = s->complete && !lost;
    return false;
  }
  return stays_inside(s);
}

// Least and greatest value of c'x + constant; an infinity where there is none.
static void value_range(rh_lp *lp, double *c, double range[2])
{
  double value = 0;
  range[0] = rh_lp_least(lp, c, &value) == RH_LP_BEST ? value : -HUGE_VAL;
  for (int j = 0; j < lp->n; j++) {
    c[j] = -c[j];
  }
  range[1] = rh_lp_least(lp, c, &value) == RH_LP_BEST ? fmax(-value, range[0]) : HUGE_VAL;
}

// How far v = -at of contact i can go in this programme: on a line along each end of it; else across
// each normal N_k of a side, anticlockwise (N_k x v).
static void find_reach(rh_motion_search *s, int i)
{
  const rh_polyhedral *q = s->q;
  int corners = rh_motion_corners(q, i);
  double *c = s->now.x;
  double *second = s->now.x + s->now.n;
  rh_motion_row(s, 3 * i, c);
  rh_motion_row(s, 3 * i + 1, second);
  for (int k = 0; k < corners; k++) {
    double d[2];
    double value = 0;
    rh_motion_direction(q, i, q->flat[i] ? k : k + 0.5, d);
    const double w[2] = {q->flat[i] ? -d[0] : d[1], q->flat[i] ? -d[1] : -d[0]};
    double *cost = second + s->now.n;
    for (int j = 0; j < s->now.n; j++) {
      cost[j] = -w[0] * c[j] - w[1] * second[j];
    }
    double most = rh_lp_least(&s->lp, cost, &value) == RH_LP_BEST ? -value : HUGE_VAL;
    s->reach[i][k] = most + w[0] * s->a0[3 * i] + w[1] * s->a0[3 * i + 1];
  }
}

// Is a choice of contact i out of its reach? Corners 1 to n, then the sides between them.
static bool is_beyond_reach(const rh_motion_search *s, int i, int choice)
{
  int n = rh_motion_corners(s->q, i);
  int k = (choice - 1) % n;
  const double *reach = s->reach[i];
  if (s->q->flat[i]) {
    return reach[k] <= STRICT;
  }
  if (choice <= n) { // between N_(k-1) and N_k
    return reach[(k + n - 1) % n] <= STRICT || reach[(k + n / 2) % n] <= STRICT;
  }
  return reach[k] < -STRICT || reach[(k + n / 2) % n] < -STRICT ||
         reach[(k + n - n / 4) % n] <= STRICT; // N_(k-n/4) x v = N_k . v
}

// ---- One solution

static void take_forces(const rh_motion_search *s, double *p)
{
  const rh_motion_programme *x = &s->now;
  memset(p, 0, (size_t)s->rows * sizeof *p);
  for (int i = 0; i < s->q->n; i++) {
    for (int c = x->of[i]; c < x->of[i + 1]; c++) {
      for (int k = 0; k < 3; k++) {
        p[3 * i + k] += x->x[c] * x->push[3 * c + k];
      }
    }
    if (p[3 * i + 2] <= POSSIBLE) { // it is rounding
      memset(p + 3 * (size_t)i, 0, 3 * sizeof *p);
    }
  }
}

// Part of force r that a column is
static void force_row(const rh_motion_search *s, int r, double *row)
{
  const rh_motion_programme *x = &s->now;
  memset(row, 0, (size_t)x->n * sizeof *row);
  for (int c = x->of[r / 3]; c < x->of[r / 3 + 1]; c++) {
    row[c] = x->push[3 * c + r % 3];
  }
}

static bool is_wide(const double range[2], double same)
{
  return !(range[1] - range[0] <= same * (1 + fabs(range[0])));
}

// Are accelerations not determined? Forces up to LARGE times those of the present point count: larger
// ones, which contacts can put on each other at will, make accelerations out of rounding in W.
static bool is_continuum(rh_motion_search *s)
{
  rh_motion_programme *x = &s->now;
  double sum = 1;
  bool lost = false;
  bool wide = false;
  rh_lp_point(&s->lp, x->x);
  for (int c = 0; c < x->n; c++) {
    sum += x->push[3 * c + 2] * x->x[c];
  }
  for (int c = 0; c < x->n - 1; c++) { // the row x = 1: x becomes what is left of the bound
    x->E[c] = x->push[3 * c + 2] / (LARGE * sum);
  }
  bool open = rh_lp_open(&s->lp, x->m, x->n, x->E, x->e, POSSIBLE, s->scratch, &lost);
  memset(x->E, 0, (size_t)(x->n - 1) * sizeof *x->E);
  for (int r = 0; r < s->rows && open && !wide; r++) {
    double range[2];
    rh_motion_row(s, r, x->x);
    value_range(&s->lp, x->x, range);
    wide = is_wide(range, MOVED);
  }
  return wide;
}

// Ranges of the forces
static void find_ranges(rh_motion_search *s, rh_contact_motion *f)
{
  double *c = s->now.x;
  f->determinate = true;
  f->spread = 0;
  for (int r = 0; r < s->rows; r++) {
    double range[2];
    force_row(s, r, c);
    value_range(&s->lp, c, range);
    f->lo[r] = range[0];
    f->hi[r] = range[1];
    f->determinate = f->determinate && !is_wide(range, SAME);
    f->spread += is_wide(range, SAME) ? fmin(range[1] - range[0], 1e300) : 0;
  }
}

// H = E'E + DELTA L'L, L x = p
static void fill_norm(const rh_motion_search *s, double *H)
{
  const rh_motion_programme *x = &s->now;
  size_t n = (size_t)x->n;
  memset(H, 0, n * n * sizeof *H);
  for (size_t r = 0; r < (size_t)x->m; r++) {
    const double *row = x->E + r * n;
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n && row[i] != 0; j++) {
        H[i * n + j] += row[i] * row[j];
      }
    }
  }
  for (int k = 0; k < s->q->n; k++) {
    for (int i = x->of[k]; i < x->of[k + 1]; i++) {
      for (int j = x->of[k]; j < x->of[k + 1]; j++) {
        H[(size_t)i * n + (size_t)j] += DELTA * rh_motion_dot(3, x->push + 3 * i, x->push + 3 * j);
      }
    }
  }
}

// Adds e - E x to `off` (m)
static void add_residual(const rh_motion_programme *x, double *off)
{
  for (int r = 0; r < x->m; r++) {
    off[r] += x->e[r] - rh_motion_dot(x->n, x->E + (size_t)r * (size_t)x->n, x->x);
  }
}

// x with E x = e from one that nearly is, by columns that are not zero
static void close_rows(rh_motion_programme *x, double *H, double *off, double *rest, double *y)
{
  int S[RH_MOTION_COLUMNS];
  int count = 0;
  for (int j = 0; j < x->n; j++) {
    S[count] = j;
    count += x->x[j] > 0;
  }
  for (int r = 0; r < x->m; r++) {
    for (int j = 0; j < count; j++) {
      H[r * count + j] = x->E[(size_t)r * (size_t)x->n + (size_t)S[j]];
    }
  }
  memset(off, 0, (size_t)x->m * sizeof *off);
  add_residual(x, off);
  (void)rh_lstsq(x->m, count, H, off, 1e-11, rest, y, NULL);
  for (int j = 0; j < count; j++) {
    x->x[S[j]] = fmax(x->x[S[j]] + y[j], 0);
  }
}

// Least |p|^2 with E x = e, x >= 0: |E x - e'|^2 + DELTA |p|^2 is least, and e' moves on by what is left
// (multipliers), which converges with DELTA over the square of the least singular value of E.
static void find_least_norm(rh_motion_search *s)
{
  enum { ROUNDS = 4 };

  rh_motion_programme *x = &s->now;
  size_t n = (size_t)x->n;
  double *H = s->scratch;
  double *g = H + n * n;
  double *off = g + n;
  double *y = off + x->m;
  double *rest = y + n;
  const rh_qp qp = {.n = x->n, .H = H, .g = g};
  memset(off, 0, (size_t)x->m * sizeof *off);
  fill_norm(s, H);
  for (int k = 0; k < ROUNDS; k++) {
    for (size_t i = 0; i < n; i++) {
      g[i] = 0;
      for (size_t r = 0; r < (size_t)x->m; r++) {
        g[i] -= x->E[r * n + i] * (x->e[r] + off[r]);
      }
    }
    if (rh_active_set(&qp, 1e-12, rest, y) != RH_VERDICT_SOLVED) {
      break; // keeps the point before
    }
    memcpy(x->x, y, n * sizeof *y);
    add_residual(x, off);
  }
  close_rows(x, H, off, rest, y);
}

static rh_mode mode_of(const rh_motion_search *s, int i, const double *a)
{
  const double *axis = s->q->axis + 2 * (size_t)i;
  double along = axis[0] * a[0] + axis[1] * a[1];
  bool chooses = rh_motion_chooses(s->q, i);
  if (s->state[i] == RH_STATE_SEPARATE || s->state[i] == RH_STATE_STICK) {
    return s->state[i] == RH_STATE_STICK ? RH_MODE_STICK : RH_MODE_SEPARATE;
  }
  if (!chooses && s->q->slide != NULL) {
    const double *slide = s->q->slide + 2 * (size_t)i;
    bool slides = slide[0] != 0 || slide[1] != 0;
    along = slides ? axis[0] * slide[0] + axis[1] * slide[1] : along;
  }
  return fabs(along) <= SAME && !chooses && rh_hypot(a[0], a[1]) <= SAME ? RH_MODE_STICK
         : along >= 0                                                    ? RH_MODE_SLIP_PLUS
                                                                         : RH_MODE_SLIP_MINUS;
}

// The solution of the present combination, scaled
static void read_motion(rh_motion_search *s, rh_contact_motion *f, bool *continuum)
{
  find_ranges(s, f);
  *continuum = !f->determinate && is_continuum(s);
  rh_lp_point(&s->lp, s->now.x);
  if (!f->determinate) {
    find_least_norm(s);
  }
  take_forces(s, f->p);
  for (int r = 0; r < s->rows; r++) {
    f->a[r] = s->a0[r] + rh_motion_dot(s->rows, s->A + (size_t)r * (size_t)s->rows, f->p);
  }
  for (int i = 0; i < s->q->n; i++) {
    f->mode[i] = mode_of(s, i, f->a + 3 * (size_t)i);
  }
}

// ---- All of them

static int same_as(const rh_motion_search *s, const rh_contact_motion *f,
                   const rh_contact_motion *list, int count)
{
  for (int k = 0; k < count; k++) {
    double off = 0;
    double size = 1;
    for (int r = 0; r < s->rows; r++) {
      off = fmax(off, fabs(f->a[r] - list[k].a[r]));
      size = fmax(size, fabs(f->a[r]));
    }
    if (off <= SAME * size) {
      return k;
    }
  }
  return RH_NONE;
}

// Of combinations with the same accelerations the one with most freedom in its forces is kept, of
// equals the first; a continuum is kept by its point only.
static void keep_motion(rh_motion_search *s, rh_contact_motion *list, int capacity,
                        rh_motion_count *found)
{
  rh_contact_motion f;
  bool continuum = false;
  read_motion(s, &f, &continuum);
  found->continuum = found->continuum || continuum;
  int at = same_as(s, &f, list, found->count < capacity ? found->count : capacity);
  if (at != RH_NONE && (continuum || f.spread <= list[at].spread * (1 + 1e-6))) {
    return;
  }
  at = at == RH_NONE ? found->count++ : at;
  if (at < capacity) {
    list[at] = f;
  } else {
    s->tries = 0;
    s->complete = false;
  }
}

// The motion without contact forces comes first: contacts that touch without a load belong to it,
// whatever other combinations allow.
static void keep_free_motion(rh_motion_search *s, rh_contact_motion *list, rh_motion_count *found)
{
  for (int i = 0; i < s->q->n; i++) {
    if (s->a0[3 * i + 2] < -POSSIBLE) {
      return;
    }
  }
  memset(&list[0], 0, sizeof list[0]); // all modes are RH_MODE_SEPARATE
  memcpy(list[0].a, s->a0, (size_t)s->rows * sizeof *s->a0);
  list[0].determinate = true;
  found->count = 1;
}

// The next choice of a level: [0, n) which contacts separate, [n, 2n) how those that touch move.
// False: there is none. `*tested`: it restricts the programme.
static bool next_choice(rh_motion_search *s, int level, int *choice, bool *tested)
{
  int n = s->q->n;
  int i = level % n;
  int corners = rh_motion_corners(s->q, i);
  int at = ++*choice;
  *tested = true;
  if (level < n) {
    s->state[i] = at == 0 ? RH_STATE_SEPARATE : at == 1 ? RH_STATE_TOUCH : RH_STATE_OPEN;
    return at < 2;
  }
  if (s->state[i] == RH_STATE_SEPARATE || !rh_motion_chooses(s->q, i)) {
    *tested = false;
    return at < 1;
  }
  int last = s->q->flat[i] ? corners : 2 * corners;
  while (at > 0 && at <= last && is_beyond_reach(s, i, at)) {
    at = ++*choice;
  }
  bool more = at <= last;
  s->state[i] = !more           ? RH_STATE_TOUCH
                : at == 0       ? RH_STATE_STICK
                : at <= corners ? RH_STATE_CORNER
                                : RH_STATE_SIDE;
  s->which[i] = at <= corners ? at - 1 : at - 1 - corners;
  return more;
}

// A, a0 scaled; false: numbers that are not
static bool scale_problem(rh_motion_search *s)
{
  const rh_polyhedral *q = s->q;
  size_t rows = (size_t)s->rows;
  double diagonal = 0;
  s->rate = 0;
  for (size_t r = 0; r < rows; r++) {
    diagonal = fmax(diagonal, q->W[r * (rows + 1)]);
    s->rate = fmax(s->rate, fabs(q->b[r]));
  }
  diagonal = diagonal > 0 ? diagonal : 1;
  s->rate = s->rate > 0 ? s->rate : 1;
  s->force = s->rate / diagonal;
  for (size_t k = 0; k < rows * rows; k++) {
    s->A[k] = q->W[k] / diagonal;
  }
  for (size_t r = 0; r < rows; r++) {
    s->a0[r] = q->b[r] / s->rate;
  }
  return isfinite(s->force);
}

static void restore_units(const rh_motion_search *s, rh_contact_motion *f)
{
  for (int r = 0; r < s->rows; r++) {
    f->p[r] *= s->force;
    f->lo[r] *= s->force;
    f->hi[r] *= s->force;
    f->a[r] *= s->rate;
  }
}

static size_t column_capacity(int n, int facets)
{
  return (size_t)n * (size_t)(facets + 2) + 1;
}

size_t rh_polyhedral_scratch(int n, int facets)
{
  size_t rows = 3 * (size_t)n + 1;
  size_t columns = column_capacity(n, facets);
  size_t lp = rh_lp_room((int)rows, (int)columns);
  size_t solve = rh_active_set_room((int)columns);
  size_t correct = rh_lstsq_room((int)rows, (int)columns);
  size_t norm = columns * columns + 2 * columns + rows + (solve > correct ? solve : correct);
  return rows * rows + rows * columns + rows + 6 * columns + (lp > norm ? lp : norm);
}

rh_motion_count rh_polyhedral_find(const rh_polyhedral *problem, double *scratch,
                                   rh_contact_motion *list, int capacity)
{
  int n = problem->n;
  size_t columns = column_capacity(n, problem->facets);
  rh_motion_search s = {.q = problem, .rows = 3 * n, .tries = problem->tries, .complete = true};
  rh_motion_count found = {0, false, false};
  int choice[RH_MOTION_LEVELS] = {RH_NONE};
  s.A = scratch;
  s.now.E = s.A + (size_t)s.rows * (size_t)s.rows;
  s.now.e = s.now.E + (size_t)(s.rows + 1) * columns;
  s.now.x = s.now.e + s.rows + 1;
  s.now.push = s.now.x + 3 * columns; // find_reach has three rows
  s.scratch = s.now.push + 3 * columns;
  if (!scale_problem(&s)) {
    found.count = RH_NONE;
    return found;
  }
  keep_free_motion(&s, list, &found);
  int level = 0;
  while (level >= 0) {
    bool tested = true;
    if (!next_choice(&s, level, &choice[level], &tested)) {
      level--;
    } else if (tested && !open_programme(&s)) {
      continue;
    } else if (level + 1 < 2 * n) {
      choice[++level] = RH_NONE;
      int i = level % n;
      if (level >= n && s.state[i] == RH_STATE_TOUCH && rh_motion_chooses(problem, i)) {
        find_reach(&s, i);
      }
    } else {
      keep_motion(&s, list, capacity, &found);
    }
  }
  for (int k = 0; k < found.count && k < capacity; k++) {
    restore_units(&s, &list[k]);
  }
  found.complete = s.complete;
  return found;
}
