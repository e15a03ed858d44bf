// Impact of a scene's bodies at given points on fixed ground, normal z, and the impacts that follow
// at once, until no point approaches.
#include "problems/problem_matrix.h"

#include <routh/kind.h>
#include <routh/robot.h>

#include <string.h>

enum { POINTS_MAX = 64 };

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "mu",
     .unit = "1",
     .type = RH_LIST,
     .doc = "friction: one number, or one per point; default: 0"},
    {.name = "e", .unit = "1", .type = RH_LIST, .doc = "restitution likewise, 0 to 1; default: 0"},
    {.name = "weights",
     .unit = "1",
     .type = RH_LIST,
     .doc = "stiffness of the points in any unit; default: equal"},
    {.name = "formulation",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "row of `routh list formulations`; default: that of the scene"},
    {.name = "law",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "row of `routh list impacts`; default: stronge"},
};

static const rh_output output[] = {
    {"v", "m/s, rad/s", "nv", "velocities after"},
    {"kinetic_energy", "J", "", "after"},
    {"kinetic_energy_before", "J", "", "before"},
    {"velocity_before", "m/s", "n x 3", "of the points, rows x y z"},
    {"velocity", "m/s", "n x 3", "after"},
    {"speed_max", "m/s", "", "largest of these in size"},
    {"impulse", "N s", "n x 3", "on the points"},
    {"total_impulse", "N s", "3", "their sum"},
    {"free", "1", "", "directions in which the impulses are not determined"},
    {"events", "1", "", "number of impacts in sequence"},
    {"W_n", "J", "events", "work of the normal impulses in each, at most eight"},
    {"D_n", "J", "", "energy dissipated by the normal impulses"},
    {"D_t", "J", "", "energy dissipated by friction"},
    {"solved", "1", "flag", "the formulation found its impulses"},
};

typedef struct posed {
  rh_posed world;
  rh_block mu, e, weight;
  double *scratch;
  rh_impact_points in;
} posed;

static bool read_list(const rh_inputs *in, const char *name, int n, double most, rh_block *block)
{
  int node = rh_input_find(in, name);
  if (node == RH_NONE) {
    return rh_block_make(block, n, 1);
  }
  bool good = rh_input_list(in, name, n, POINTS_MAX, block);
  for (int i = 0; good && i < n; i++) {
    good = (block->x[i] >= 0 && block->x[i] <= most) ||
           rh_input_refuse(in, node, "%s[%d] must be 0 to %g", name, i, most);
  }
  return good;
}

// A row of a kind by its name; NULL if it was not given or does not exist (`*good`).
static const char *read_row(const rh_inputs *in, const char *name, const char *kind, bool *good)
{
  int node = rh_input_find(in, name);
  const char *word = node != RH_NONE ? rh_input_text(in, node, name) : NULL;
  if (word != NULL && rh_kind_find(kind, word) == NULL) {
    *good =
        rh_input_refuse(in, node, "there is no %s '%.60s'; see routh list %s", name, word, kind);
  }
  *good = *good && (node == RH_NONE || word != NULL);
  return word;
}

static rh_status open_problem(const rh_inputs *in, posed *q)
{
  RH_TRY(rh_posed_open(in, NULL, RH_POSED_V, &q->world));
  int n = q->world.npoint;
  if (n < 1 || n > POINTS_MAX) {
    (void)rh_input_refuse(in, n < 1 ? in->map : rh_input_find(in, "points"),
                          "points must be a list of 1 to %d points that touch", POINTS_MAX);
    return RH_INPUT_REFUSED;
  }
  bool good = read_list(in, "mu", n, 1e6, &q->mu);
  good = read_list(in, "e", n, 1, &q->e) && good;
  if (rh_input_given(in, "weights")) {
    good = read_list(in, "weights", n, 1e30, &q->weight) && good;
  }
  q->in = (rh_impact_points){
      .n = n, .point = q->world.point, .mu = q->mu.x, .e = q->e.x, .weight = q->weight.x};
  q->in.formulation = read_row(in, "formulation", "formulations", &good);
  q->in.law = read_row(in, "law", "impacts", &good);
  q->scratch = rh_alloc(rh_impact_points_scratch(q->world.model, n) * sizeof(double));
  return !good ? RH_INPUT_REFUSED : q->scratch == NULL ? RH_OUT_OF_MEMORY : RH_OK;
}

static bool answer_numbers(posed *q, const rh_impact_sequence *out, rh_answer *answer)
{
  rh_data *d = q->world.data;
  int n = q->in.n;
  int shown = out->impacts < RH_IMPACT_WORKS ? out->impacts : RH_IMPACT_WORKS;
  double *total = rh_answer_add(answer, "total_impulse", 1, 3, 1, 1);
  double *Wn = rh_answer_add(answer, "W_n", 1, shown, 1, 1);
  if (total == NULL || Wn == NULL) {
    return false;
  }
  double fastest = 0;
  for (int i = 0; i < 3 * n; i++) {
    total[i % 3] += out->p[i];
    fastest = fmax(fastest, fabs(out->u[i]));
  }
  memcpy(Wn, out->Wn, (size_t)shown * sizeof(double));
  bool good = rh_answer_number(answer, "kinetic_energy_before", rh_kinetic_energy(d));
  memcpy(d->v, out->v, (size_t)d->model->nv * sizeof(double));
  rh_kinematics(d);
  return good && rh_answer_number(answer, "kinetic_energy", rh_kinetic_energy(d)) &&
         rh_answer_number(answer, "speed_max", fastest) &&
         rh_answer_number(answer, "free", out->free) &&
         rh_answer_number(answer, "events", out->impacts) &&
         rh_answer_number(answer, "D_n", out->Dn) && rh_answer_number(answer, "D_t", out->Dt) &&
         rh_answer_flag(answer, "solved", out->solved);
}

static rh_status answer_all(posed *q, rh_answer *answer)
{
  int n = q->in.n;
  rh_impact_sequence out = {.v = rh_answer_add(answer, "v", 1, q->world.model->nv, 1, 1),
                            .u = rh_answer_add(answer, "velocity", 2, n, 3, 1),
                            .p = rh_answer_add(answer, "impulse", 2, n, 3, 1)};
  double *before = rh_answer_add(answer, "velocity_before", 2, n, 3, 1);
  if (out.v == NULL || out.u == NULL || out.p == NULL || before == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    rh_vec3 u = rh_point_velocity(q->world.data, q->in.point[i].body, q->in.point[i].at);
    memcpy(before + (ptrdiff_t)3 * i, &u.x, 3 * sizeof(double));
  }
  RH_TRY(rh_impact_points_solve(q->world.data, &q->in, q->scratch, &out));
  return answer_numbers(q, &out, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_impact_sequence(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = open_problem(in, &q);
  if (status == RH_OK) {
    status = answer_all(&q, answer);
  }
  rh_block_free(&q.mu);
  rh_block_free(&q.e);
  rh_block_free(&q.weight);
  rh_free(q.scratch);
  rh_posed_close(&q.world);
  return status;
}

const rh_problem rh_problem_impact_sequence = {
    .row = {"impact_sequence", "[Ch] 2.5, app. B*",
            "impact of a scene's bodies at points on the ground, until none approaches", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_impact_sequence,
};
