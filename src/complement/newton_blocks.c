// newton_blocks.c: many contacts with exact Coulomb friction by a semi-smooth Newton method (Alart and Curnier 1991) on sparse
// blocks. Each contact is open, sticks or slides by y = p - u/d, d its unit. With e = y_t/|y_t|, q
// across e and f = mu y_n/|y_t| the equations for the next p and u are
//   open   y_n <= 0:         p = 0
//   stick  |y_t| <= mu y_n:  u = 0
//   slip   else:             u_n = 0, p_e = mu p_n, u_q + d (1 - f)/f p_q = 0
// held rows have u = 0, rows at their limit p = +-limit. p_e is eliminated, so that a sliding
// contact has two unknowns and an open one none. W + beta d is factorised in place of W: a tiny
// beta allows dependent contacts, with beta = c (residual / max |b|)^(3/2) steps are short far from
// the solution and Newton's near it; c falls where they are too short to change the residual and
// grows where it rises.
// If that fails, Gauss-Seidel sweeps give a better guess; then the proximal method: alpha d (p -
// centre) is added to u, repeatedly about the last solution, with falling alpha.
#include "newton_blocks.h"

#include "block_ldl.h"
#include "cone.h"
#include "contact_local.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { OPEN, STICK, SLIP, BOUND }; // states of a block

enum { PROXIMAL = 100, HALVINGS = 4, PATIENCE = 15 };

static const double TINY = 1e-10;  // beta of a plain Newton step
static const double SMALL = 1e-13; // pivots of the factors, in parts of their block
static const double RANK =
    1e-9; // and for the rank: W is known to 1e-15, sums over bodies lose some digits

static const double INERT = 1e-11; // of the largest diagonal entry: smaller is rounding of zero
static const double PART = 1e-5;   // of an impulse of about 1 without effect

// Attempts: c at their start. No choice is the best for all problems.
static const double caution[] = {1, 1e-3, 0, 1};

typedef struct newton {
  const rh_blocks *q;
  const rh_newton_limits *limits;
  rh_blocks_report *report;
  rh_block_own *own;    // (n) of the problem with its proximal term
  double alpha;         // [1] of the proximal term
  double caution, beta; // [1] of this attempt, of this step
  double size;          // [m/s] max |b|
  double *shift;        // (3n) alpha d centre; unused where alpha is 0
  double *p, *u;        // (3n) present point
  double *next, *nextu; // (3n) trial
  double *best;         // (3n)
  double *base, *baseu; // (3n) p with the known part of the step, and its u
  double *x;            // (3n) right-hand side, then the step
  double *frame;        // (n x 3) e and d (1 - f)/f of sliding contacts
  double *M;            // (entries x 9)
  int *state;           // (n)
  bool *skip;           // (n)
  rh_sparse f;
  double residual, least; // at p and at best
} newton;

static size_t doubles_for_bytes(size_t bytes)
{
  return (bytes + sizeof(double) - 1) / sizeof(double);
}

size_t rh_newton_blocks_room(int n, int entries)
{
  size_t N = (size_t)n;
  return N * RH_BLOCK_OWN + 11 * 3 * N + 3 * N + 9 * (size_t)entries +
         doubles_for_bytes(N * sizeof(int)) + doubles_for_bytes(N * sizeof(bool)) +
         rh_sparse_room(n, entries);
}

static double *carve_array(double **room, size_t count)
{
  double *part = *room;
  *room += count;
  return part;
}

// u at p with the proximal term, and the worst residual.
static double evaluate_residual(const newton *w, const double *p, double *u)
{
  double worst = 0;
  for (int i = 0; i < w->q->n; i++) {
    double *ui = u + (ptrdiff_t)3 * i;
    const double *pi = p + (ptrdiff_t)3 * i;
    rh_block_rows_of(w->q, i, p, ui);
    for (int a = 0; a < 3 && w->alpha > 0; a++) {
      ui[a] += w->own[i].more * pi[a] - w->shift[3 * i + a];
    }
    double now = rh_block_judge(w->q, i, w->own[i].d, pi, ui);
    worst = now > worst ? now : worst;
  }
  return worst;
}

// ---- One Newton step

// State of a contact; the frame of one that slides; `base` gets the known part of its next p.
static int classify_cone(newton *w, int i)
{
  const double *p = w->p + (ptrdiff_t)3 * i;
  const double *u = w->u + (ptrdiff_t)3 * i;
  double *base = w->base + (ptrdiff_t)3 * i;
  double *frame = w->frame + (ptrdiff_t)3 * i;
  double mu = w->q->limit[i];
  double d = w->own[i].d;
  const double y[3] = {p[0] - u[0] / d, p[1] - u[1] / d, p[2] - u[2] / d};
  double length = rh_flat_length(y[0], y[1]);
  if (y[2] <= 0) {
    base[0] = base[1] = base[2] = 0;
    return OPEN;
  }
  if (mu == 0) {
    frame[0] = frame[1] = 0; // no direction, no row across
    frame[2] = d;
    base[0] = base[1] = 0;
    return SLIP;
  }
  if (length <= mu * y[2]) {
    return STICK;
  }
  double f = mu * y[2] / length;
  frame[0] = y[0] / length;
  frame[1] = y[1] / length;
  frame[2] = d * (1 - f) / fmax(f, 1e-12);
  double along = mu * p[2] - (frame[0] * p[0] + frame[1] * p[1]);
  base[0] = p[0] + along * frame[0];
  base[1] = p[1] + along * frame[1];
  return SLIP;
}

static void classify_blocks(newton *w)
{
  memcpy(w->base, w->p, 3 * (size_t)w->q->n * sizeof(double));
  for (int i = 0; i < w->q->n; i++) {
    double y = w->p[3 * i] - w->u[3 * i] / w->own[i].d;
    double limit = w->q->limit[i];
    w->state[i] = STICK;
    if (w->q->kind[i] == RH_BLOCK_CONE) {
      w->state[i] = classify_cone(w, i);
    } else if (w->q->kind[i] == RH_BLOCK_LOW && y <= 0) {
      w->state[i] = OPEN;
      w->base[3 * i] = 0;
    } else if (w->q->kind[i] == RH_BLOCK_BOX && fabs(y) > limit) {
      w->state[i] = BOUND;
      w->base[3 * i] = y > 0 ? limit : -limit;
    }
    w->skip[i] = w->state[i] == OPEN || w->state[i] == BOUND;
  }
}

// Rows 0, q, n of a sliding contact in place of t1, t2, n.
static inline void turn_rows(const double *e, double *m)
{
  for (int j = 0; j < 3; j++) {
    m[3 + j] = e[0] * m[3 + j] - e[1] * m[j];
    m[j] = 0;
  }
}

// Columns 0, q, mu e + n.
static inline void turn_columns(const double *e, double mu, double *m)
{
  for (int i = 0; i < 3; i++) {
    double a = m[3 * i];
    double b = m[3 * i + 1];
    m[3 * i] = 0;
    m[3 * i + 1] = e[0] * b - e[1] * a;
    m[3 * i + 2] += mu * (e[0] * a + e[1] * b);
  }
}

static void assemble_row(newton *w, int i)
{
  const rh_blocks *q = w->q;
  const double *frame = w->frame + (ptrdiff_t)3 * i;
  for (int e = q->start[i]; e < q->start[i + 1]; e++) {
    int j = q->col[e];
    double *m = w->M + (ptrdiff_t)9 * e;
    if (w->skip[j]) {
      continue;
    }
    memcpy(m, q->W + (ptrdiff_t)9 * e, 9 * sizeof(double));
    double more = i == j ? w->own[i].more + w->beta * w->own[i].d : 0;
    m[0] += more;
    m[4] += more;
    m[8] += more;
    if (w->state[i] == SLIP) {
      turn_rows(frame, m);
    }
    if (w->state[j] == SLIP) {
      turn_columns(w->frame + (ptrdiff_t)3 * j, q->limit[j], m);
    }
    if (i == j && w->state[i] == SLIP) {
      m[0] = w->own[i].d;
      m[4] += frame[2];
    } else if (i == j && rh_block_rows(q->kind[i]) == 1) {
      m[4] = m[8] = w->own[i].d;
    }
  }
}

static void assemble_system(newton *w)
{
  for (int i = 0; i < w->q->n; i++) {
    const double *u = w->baseu + (ptrdiff_t)3 * i;
    const double *base = w->base + (ptrdiff_t)3 * i;
    const double *frame = w->frame + (ptrdiff_t)3 * i;
    double *x = w->x + (ptrdiff_t)3 * i;
    x[0] = -u[0];
    x[1] = -u[1];
    x[2] = -u[2];
    if (w->skip[i]) {
      x[0] = x[1] = x[2] = 0;
      continue;
    }
    if (w->state[i] == SLIP) {
      double uq = frame[0] * u[1] - frame[1] * u[0];
      double pq = frame[0] * base[1] - frame[1] * base[0];
      x[0] = 0;
      x[1] = -(uq + frame[2] * pq);
    }
    assemble_row(w, i);
  }
}

// to = base + t step
static void move_from_base(const newton *w, double t, double *to)
{
  for (int i = 0; i < w->q->n; i++) {
    const double *x = w->x + (ptrdiff_t)3 * i;
    const double *e = w->frame + (ptrdiff_t)3 * i;
    double step[3] = {x[0], x[1], x[2]};
    if (w->state[i] == SLIP) {
      double along = w->q->limit[i] * x[2];
      step[0] = along * e[0] - x[1] * e[1];
      step[1] = along * e[1] + x[1] * e[0];
    }
    for (int a = 0; a < 3; a++) {
      to[3 * i + a] = w->base[3 * i + a] + t * step[a];
    }
  }
}

static void newton_step(newton *w)
{
  const rh_sparse_matrix m = {w->q->start, w->q->col, w->M, w->skip, SMALL};
  double part = fmin(w->residual / w->size, 1);
  w->beta = fmax(TINY, w->caution * part * sqrt(part));
  classify_blocks(w);
  (void)evaluate_residual(w, w->base, w->baseu);
  assemble_system(w);
  (void)rh_sparse_factor(&w->f, &m);
  rh_sparse_solve(&w->f, w->skip, w->x);
  w->report->factors++;
  w->report->iterations++;
  // The whole step, unless it is much worse and a shorter one is not.
  double before = w->residual;
  double t = 1;
  w->residual = HUGE_VAL;
  for (int i = 0; i <= HALVINGS; i++) {
    move_from_base(w, t, w->next);
    double now = evaluate_residual(w, w->next, w->nextu);
    if (now < w->residual || i == 0) {
      double *p = w->p;
      double *u = w->u;
      w->residual = now;
      w->p = w->next;
      w->u = w->nextu;
      w->next = p;
      w->nextu = u;
    }
    if (w->residual < 2 * before) {
      break;
    }
    t *= 0.5;
  }
  if (w->residual > 1.5 * before) {
    w->caution = fmin(3 * w->caution, 1);
  } else if (w->residual > 0.8 * before) { // too cautious to move
    w->caution *= 0.3;
  }
}

// From p, until it is solved or stops improving.
static bool iterate_newton(newton *w)
{
  size_t bytes = 3 * (size_t)w->q->n * sizeof(double);
  double tolerance = w->limits->tolerance;
  if (w->alpha > 0) { // proximal rounds
    tolerance = fmax(tolerance, 0.1 * w->limits->enough);
  }
  w->residual = evaluate_residual(w, w->p, w->u);
  double start = w->residual;
  double seen = HUGE_VAL; // least of this attempt
  int waited = 0;
  for (int i = 0;; i++) {
    bool better = w->residual < 0.5 * seen;
    seen = fmin(seen, w->residual);
    waited = better ? 0 : waited + 1;
    if (w->residual < w->least) {
      w->least = w->residual;
      memcpy(w->best, w->p, bytes);
    }
    if (w->least <= tolerance || waited > PATIENCE || i >= w->limits->steps ||
        !(w->residual < 1e8 * (1 + start))) {
      return w->least <= tolerance;
    }
    newton_step(w);
  }
}

// ---- Ways to a better guess

static void set_alpha(newton *w, double alpha, const double *centre)
{
  w->alpha = alpha;
  for (int i = 0; i < w->q->n; i++) {
    rh_block_own_make(w->q, i, alpha, w->own + i);
    for (int a = 0; a < 3; a++) {
      w->shift[3 * i + a] = w->own[i].more * centre[3 * i + a];
    }
  }
}

// From best.
static void sweep_from_best(newton *w, int count)
{
  memcpy(w->p, w->best, 3 * (size_t)w->q->n * sizeof(double));
  double worst = HUGE_VAL;
  for (int i = 0; i < count && worst > 0.1 * w->limits->tolerance; i++) {
    const double *shift = w->alpha > 0 ? w->shift : NULL;
    worst = rh_blocks_sweep(w->q, w->own, shift, w->p);
    w->report->iterations++;
  }
}

static void go_near(newton *w, double *centre, double *answer)
{
  size_t bytes = 3 * (size_t)w->q->n * sizeof(double);
  double alpha = 0.1;
  double least = w->least;
  memcpy(answer, w->best, bytes);
  memcpy(centre, w->best, bytes);
  double enough = fmax(w->limits->tolerance, w->limits->enough);
  int rounds = w->limits->rounds > 0 ? w->limits->rounds : PROXIMAL;
  for (int i = 0; i < rounds && least > enough; i++) {
    set_alpha(w, alpha, centre);
    w->least = HUGE_VAL;
    memcpy(w->p, centre, bytes);
    bool found = iterate_newton(w);
    if (!found) {
      sweep_from_best(w, w->limits->sweeps);
      found = iterate_newton(w);
    }
    memcpy(centre, w->best, bytes);
    set_alpha(w, 0, centre);
    double now = evaluate_residual(w, centre, w->u);
    if (now < least) {
      least = now;
      memcpy(answer, centre, bytes);
    }
    alpha = found ? fmax(0.3 * alpha, 1e-10) : fmin(4 * alpha, 10);
  }
  w->least = least;
  memcpy(w->best, answer, bytes);
}

static bool open_room(newton *w, double *room)
{
  size_t n = (size_t)w->q->n;
  int entries = w->q->start[w->q->n];
  double **const part[] = {&w->shift, &w->p,    &w->u,     &w->next, &w->nextu,
                           &w->best,  &w->base, &w->baseu, &w->x};
  w->own = (rh_block_own *)carve_array(&room, n * RH_BLOCK_OWN);
  for (int i = 0; i < RH_COUNT(part); i++) {
    *part[i] = carve_array(&room, 3 * n);
  }
  w->frame = carve_array(&room, 3 * n);
  w->M = carve_array(&room, 9 * (size_t)entries);
  w->state = (int *)carve_array(&room, doubles_for_bytes(n * sizeof(int)));
  w->skip = (bool *)carve_array(&room, doubles_for_bytes(n * sizeof(bool)));
  return rh_sparse_analyse(&w->f, w->q->n, w->q->start, w->q->col, room);
}

// Attempts first .. end - 1, each after the first from a better guess
static bool attempt_newton(newton *w, int first, int end)
{
  bool found = false;
  for (int i = first; i < end && !found; i++) {
    if (i > 0) {
      sweep_from_best(w, w->limits->sweeps << 2 * (i - 1));
    }
    w->caution = caution[i];
    found = iterate_newton(w) || w->least <= w->limits->enough;
  }
  w->caution = 0;
  return found;
}

rh_verdict rh_newton_blocks(const rh_blocks *problem, const rh_newton_limits *limits, double *room,
                            double *p, rh_blocks_report *report)
{
  size_t bytes = 3 * (size_t)problem->n * sizeof(double);
  double *const centre = room;
  double *const answer = room + 3 * (size_t)problem->n;
  newton w = {.q = problem, .limits = limits, .report = report, .least = HUGE_VAL};
  w.size = rh_lcp_size(3 * problem->n, problem->b);
  bool fits = open_room(&w, room + 6 * (size_t)problem->n);
  rh_blocks_tidy(problem, p);
  if (!fits) {
    report->residual = rh_blocks_residual(problem, p);
    return RH_VERDICT_FAILED;
  }
  set_alpha(&w, 0, p);
  memcpy(w.p, p, bytes);
  memcpy(w.best, p, bytes);
  int before = limits->attempts > 0 ? limits->attempts : RH_COUNT(caution);
  bool found = attempt_newton(&w, 0, before);
  if (!found) {
    go_near(&w, centre, answer);
    found = w.least <= fmax(limits->tolerance, limits->enough);
  }
  if (!found) {
    (void)attempt_newton(&w, before, RH_COUNT(caution));
  }
  memcpy(p, w.best, bytes);
  report->residual = rh_blocks_residual(problem, p);
  return report->residual <= limits->tolerance ? RH_VERDICT_SOLVED : RH_VERDICT_FAILED;
}

// ---- Uniqueness

size_t rh_blocks_rank_room(int n, int entries)
{
  return rh_newton_blocks_room(n, entries);
}

// C'WC in place of Newton's matrix: C has the column mu e + n of a sliding contact, all three of one that sticks.
static void assemble_shares(newton *w)
{
  const rh_blocks *q = w->q;
  for (int i = 0; i < q->n; i++) {
    const double *e = w->frame + (ptrdiff_t)3 * i;
    for (int k = q->start[i]; k < q->start[i + 1]; k++) {
      int j = q->col[k];
      double *m = w->M + (ptrdiff_t)9 * k;
      memcpy(m, q->W + (ptrdiff_t)9 * k, 9 * sizeof(double));
      if (w->state[j] == SLIP) {
        turn_columns(w->frame + (ptrdiff_t)3 * j, q->limit[j], m);
        m[1] = m[4] = m[7] = 0;
      }
      for (int a = 0; a < 3 && w->state[i] == SLIP; a++) {
        m[6 + a] += q->limit[i] * (e[0] * m[a] + e[1] * m[3 + a]);
        m[a] = m[3 + a] = 0;
      }
      if (i == j && w->state[i] == SLIP) {
        m[0] = m[4] = w->own[i].d;
      } else if (i == j && rh_block_rows(q->kind[i]) == 1) {
        m[4] = m[8] = w->own[i].d;
      }
    }
  }
}

static void count_states(const newton *w, rh_blocks_rank *rank)
{
  for (int i = 0; i < w->q->n; i++) {
    rank->open += w->skip[i];
    rank->stick += w->state[i] == STICK;
    rank->slip += w->state[i] == SLIP;
    rank->rows += w->state[i] == SLIP ? 1 : w->state[i] == STICK ? rh_block_rows(w->q->kind[i]) : 0;
  }
}

// True if row a of block i is a row of C'WC with motion along it.
static bool row_moves(const newton *w, int i, int a, double *most)
{
  const rh_blocks *q = w->q;
  const double *D = NULL;
  for (int e = q->start[i]; e < q->start[i + 1]; e++) {
    D = q->col[e] == i ? w->M + (ptrdiff_t)9 * e : D;
  }
  bool row = !w->skip[i] && (w->state[i] == SLIP ? a == 2 : a < rh_block_rows(q->kind[i]));
  *most = fmax(*most, row ? D[4 * a] : 0);
  return row && D[4 * a] > INERT * *most;
}

static int count_inert(const newton *w, double *most)
{
  int n = 0;
  for (int pass = 0; pass < 2; pass++) { // the largest first
    n = 0;
    for (int i = 0; i < 3 * w->q->n; i++) {
      n += row_moves(w, i / 3, i % 3, most);
    }
  }
  return n;
}

// A pseudo-random number from 1/2 to 1 (splitmix64)
static double pseudo_random(int i)
{
  uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return 0.5 + 0x1p-54 * (double)((x ^ (x >> 31)) >> 11);
}

// An impulse y minus the solution of the factors for C'WC y has no effect. For a random y a block
// without a part in it is in no impulse without effect. [factors of the shares]
static void find_shared(newton *w, double most, bool *shared)
{
  const rh_blocks *q = w->q;
  double *y = w->base;
  for (int i = 0; i < 3 * q->n; i++) {
    y[i] = row_moves(w, i / 3, i % 3, &most) ? pseudo_random(i) : 0;
    w->x[i] = 0;
  }
  for (int i = 0; i < q->n; i++) {
    for (int e = q->start[i]; e < q->start[i + 1] && !w->skip[i]; e++) {
      const double *m = w->M + (ptrdiff_t)9 * e;
      const double *from = y + (ptrdiff_t)3 * q->col[e];
      for (int a = 0; a < 3; a++) {
        w->x[3 * i + a] += m[3 * a] * from[0] + m[3 * a + 1] * from[1] + m[3 * a + 2] * from[2];
      }
    }
  }
  rh_sparse_solve(&w->f, w->skip, w->x);
  for (int i = 0; i < q->n; i++) {
    shared[i] = false;
    for (int a = 0; a < 3 && !w->skip[i]; a++) {
      double off = fabs(y[3 * i + a] - w->x[3 * i + a]);
      shared[i] = shared[i] || (row_moves(w, i, a, &most) && off > PART);
    }
  }
}

bool rh_blocks_unique(const rh_blocks *problem, const double *p, double *room, rh_blocks_rank *rank,
                      bool *shared)
{
  newton w = {.q = problem};
  *rank = (rh_blocks_rank){0};
  if (!open_room(&w, room)) {
    return false;
  }
  const rh_sparse_matrix m = {problem->start, problem->col, w.M, w.skip, RANK};
  set_alpha(&w, 0, p);
  memcpy(w.p, p, 3 * (size_t)problem->n * sizeof(double));
  (void)evaluate_residual(&w, w.p, w.u);
  classify_blocks(&w);
  count_states(&w, rank);
  assemble_shares(&w);
  int missing = rh_sparse_factor(&w.f, &m);
  double most = 0;
  rank->rank = rank->rows - missing;
  rank->inert = rank->rows - count_inert(&w, &most);
  rank->impulses_unique = missing == 0;
  if (shared) {
    find_shared(&w, most, shared);
  }
  rank->velocities_unique = true; // sticking blocks have the same matrix again
  if (rank->slip > 0) {
    memcpy(w.baseu, w.u, 3 * (size_t)problem->n * sizeof(double));
    classify_blocks(&w); // `base` anew
    assemble_system(&w);
    rank->velocities_unique = rh_sparse_factor(&w.f, &m) <= missing;
  }
  return true;
}
