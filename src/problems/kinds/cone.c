// Contact with Coulomb friction in cones, in the simulator's form: u = W p + b, rows t1, t2, n of
// each contact; p_n >= 0, u_n >= 0, p_n u_n = 0, |p_t| <= mu p_n, and p_t against u_t unless that
// is zero (or along a given slide).
#include "problems/problem_solver.h"

#include <math.h>
#include <string.h>

enum { MOST = 100 }; // contacts

static const rh_param input[] = {
    {.name = "W",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "3n rows of 3n numbers: rows t1, t2, n of each contact"},
    {.name = "b", .unit = "1", .type = RH_LIST, .doc = "3n numbers"},
    {.name = "mu", .unit = "1", .type = RH_LIST, .doc = "friction: one number, or n"},
    {.name = "slide",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "n rows of 2: unit direction of each contact that slides already, [0, 0] for the "
            "others; default: none does"},
    {.name = "p", .unit = "1", .type = RH_LIST, .doc = "3n numbers to start from; default: 0"},
    RH_SOLVER_INPUT,
};

static const rh_output output[] = {
    {"verdict", "1", "word",
     "solved; none: proved to have no solution; failed: p is the best that was found"},
    {"p", "1", "3n", "forces or impulses; omitted where the verdict is none"},
    {"u", "1", "3n", "W p + b"},
    {"residual", "1", "", "worst violation, relative to the largest b"},
};

typedef struct posed {
  rh_block W, b, mu, slide, p, room;
} posed;

static bool check_values(const rh_inputs *in, const posed *q)
{
  bool good = true;
  for (int i = 0; i < q->mu.rows; i++) {
    if (!(q->mu.x[i] >= 0 && q->mu.x[i] <= 1e6)) {
      good = rh_input_refuse(in, rh_input_find(in, "mu"), "mu[%d] must be 0 to 1e6", i);
    }
  }
  for (int i = 0; i < q->slide.rows; i++) {
    const double *s = q->slide.x + (ptrdiff_t)2 * i;
    double length = sqrt(s[0] * s[0] + s[1] * s[1]);
    if (length != 0 && !(fabs(length - 1) <= 1e-6)) {
      good = rh_input_refuse(in, rh_input_find(in, "slide"),
                             "slide[%d] must have length 1, or be [0, 0]", i);
    }
  }
  return good;
}

static bool one_number(const rh_inputs *in, const char *name)
{
  int node = rh_input_find(in, name);
  return node != RH_NONE && in->tree->node[node].kind == RH_NODE_SCALAR;
}

static bool read_all(const rh_inputs *in, posed *q)
{
  bool good = rh_input_list(in, "b", RH_NONE, 3 * MOST, &q->b);
  if (good && q->b.rows % 3 != 0) {
    return rh_input_refuse(in, rh_input_find(in, "b"),
                           "b must have three numbers per contact, got %d", q->b.rows);
  }
  int rows = good ? q->b.rows : RH_NONE;
  int n = good ? rows / 3 : RH_NONE;
  good = rh_input_matrix(in, "W", rows, rows, 3 * MOST, &q->W) && good;
  good =
      rh_input_list(in, "mu", n == RH_NONE && one_number(in, "mu") ? 1 : n, MOST, &q->mu) && good;
  if (rh_input_given(in, "slide")) {
    good = rh_input_matrix(in, "slide", n, 2, MOST, &q->slide) && good;
  }
  if (rh_input_given(in, "p")) {
    good = rh_input_list(in, "p", rows, 3 * MOST, &q->p) && good;
  } else if (good && !rh_block_make(&q->p, rows, 1)) {
    good = rh_input_refuse(in, in->map, "out of memory");
  }
  return good && check_values(in, q);
}

static bool answer_all(const rh_solver *solver, posed *q, rh_answer *answer)
{
  double par[RH_PAR_MAX];
  int rows = q->b.rows;
  const rh_cone cone = {
      .n = rows / 3, .W = q->W.x, .b = q->b.x, .mu = q->mu.x, .slide = q->slide.x};
  rh_row_defaults(&solver->row, par);
  rh_verdict verdict = solver->cone(&cone, par, q->room.x, q->p.x);
  if (!rh_answer_word(answer, "verdict", rh_verdict_name[verdict])) {
    return false;
  }
  if (verdict == RH_VERDICT_NONE) {
    return true;
  }
  double *p = rh_answer_add(answer, "p", 1, rows, 1, 1);
  double *u = rh_answer_add(answer, "u", 1, rows, 1, 1);
  if (p == NULL || u == NULL) {
    return false;
  }
  memcpy(p, q->p.x, (size_t)rows * sizeof(double));
  rh_block_right(&q->W, p, u);
  for (int i = 0; i < rows; i++) {
    u[i] += q->b.x[i];
  }
  return rh_answer_number(answer, "residual", rh_cone_residual(&cone, p));
}

static rh_status solve_cone(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  const rh_solver *solver = rh_input_solver(in, RH_SORT_CONE, "alart-curnier");
  if (read_all(in, &q) && solver != NULL) {
    bool made = rh_block_make(&q.room, (int)solver->room(q.b.rows / 3), 1);
    status = made && answer_all(solver, &q, answer) ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.W, &q.b, &q.mu, &q.slide, &q.p, &q.room};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  return status;
}

const rh_problem rh_problem_cone = {
    .row = {"cone", "", "contacts with friction in cones", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_cone,
};
