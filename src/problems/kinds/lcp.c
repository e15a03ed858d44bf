// A linear complementarity problem as given: z >= 0, w = A z + b >= 0, z'w = 0.
#include "problems/problem_solver.h"

enum { MOST = 200 };

static const rh_param input[] = {
    {.name = "A", .unit = "1", .type = RH_TEXT, .doc = "n rows of n numbers"},
    {.name = "b", .unit = "1", .type = RH_LIST, .doc = "n numbers"},
    RH_SOLVER_INPUT,
};

static const rh_output output[] = {
    {"verdict", "1", "word",
     "solved; none: proved to have no solution; failed: z is the best that was found"},
    {"z", "1", "n", "the solution; omitted where the verdict is none"},
    {"w", "1", "n", "A z + b"},
    {"residual", "1", "", "worst violation, relative to the largest b"},
};

static rh_status answer_all(const rh_solver *solver, const rh_block *A, const rh_block *b,
                            double *room, rh_answer *answer)
{
  double par[RH_PAR_MAX];
  int n = b->rows;
  const rh_lcp lcp = {.n = n, .A = A->x, .b = b->x};
  rh_block z;
  if (!rh_block_make(&z, n, 1)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_row_defaults(&solver->row, par);
  rh_verdict verdict = solver->lcp(&lcp, par, room, z.x);
  bool good = rh_answer_word(answer, "verdict", rh_verdict_name[verdict]);
  if (good && verdict != RH_VERDICT_NONE) {
    double *out = rh_answer_add(answer, "z", 1, n, 1, 1);
    double *w = rh_answer_add(answer, "w", 1, n, 1, 1);
    good = out != NULL && w != NULL;
    if (good) {
      rh_block_right(A, z.x, w);
      for (int i = 0; i < n; i++) {
        out[i] = z.x[i];
        w[i] += b->x[i];
      }
      good = rh_answer_number(answer, "residual", rh_lcp_residual(&lcp, z.x));
    }
  }
  rh_block_free(&z);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_lcp(const rh_inputs *in, rh_answer *answer)
{
  rh_block A = {0};
  rh_block b = {0};
  rh_block room = {0};
  rh_status status = RH_INPUT_REFUSED;
  const rh_solver *solver = rh_input_solver(in, RH_SORT_LCP, "lemke");
  bool good = rh_input_list(in, "b", RH_NONE, MOST, &b);
  int n = good ? b.rows : RH_NONE;
  good = rh_input_matrix(in, "A", n, n, MOST, &A) && good;
  if (good && solver != NULL) {
    bool made = rh_block_make(&room, (int)solver->room(n), 1);
    status = made ? answer_all(solver, &A, &b, room.x, answer) : RH_OUT_OF_MEMORY;
  }
  rh_block_free(&A);
  rh_block_free(&b);
  rh_block_free(&room);
  return status;
}

const rh_problem rh_problem_lcp = {
    .row = {"lcp", "", "a linear complementarity problem", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_lcp,
};
