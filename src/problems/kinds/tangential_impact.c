// A planar impact with a normal spring, a tangential spring and a slider, in the limit of infinite
// stiffness: impact/tangential. By its inertia W and velocity u0 (rows t, n), or by bodies as in the
// kind planar_impact.
#include "problems/problem_matrix.h"
#include "problems/problem_planar.h"
#include "problems/problem_tangential.h"

#include <string.h>

static const rh_param input[] = {
    {.name = "W",
     .unit = "1/kg",
     .type = RH_TEXT,
     .doc = "2 rows of 2 numbers, symmetric; with u0, or else the bodies"},
    {.name = "u0", .unit = "m/s", .type = RH_LIST, .doc = "velocity before (2): t, n"},
    RH_PLANAR_BODIES,
    RH_TANGENTIAL_INPUTS,
};

static const rh_output output[] = {
    RH_TANGENTIAL_OUTPUTS("2",
                          "{mode: stick or slip, dir: of the slip, tau0, tau1} in their order"),
    {"W", "1/kg", "2 x 2", "inertia of the contact (of bodies)"},
    {"u0", "m/s", "2", "velocity of the contact before (of bodies)"},
    {"v", "m/s, rad/s", "n", "vx, vy, w of body 1, then of body 2, after (of bodies)"},
};

static bool answer_bodies(const rh_planar_posed *bodies, const rh_tangential_in *posed,
                          const rh_tangential_out *out, rh_answer *answer)
{
  double *W = rh_answer_add(answer, "W", 2, 2, 2, 1);
  double *u0 = rh_answer_add(answer, "u0", 1, 2, 1, 1);
  double *v = rh_answer_add(answer, "v", 1, bodies->n, 1, 1);
  if (W == NULL || u0 == NULL || v == NULL) {
    return false;
  }
  memcpy(W, posed->W, 4 * sizeof *W);
  memcpy(u0, posed->u, 2 * sizeof *u0);
  for (int i = 0; i < bodies->n; i++) {
    v[i] = bodies->v[i] + bodies->Ut[i] * out->p[0] + bodies->Un[i] * out->p[1];
  }
  return true;
}

static rh_status solve_by_bodies(const rh_inputs *in, rh_tangential_in *posed, bool good,
                                 rh_answer *answer)
{
  rh_planar_posed bodies = {0};
  rh_tangential_out out;
  rh_status status = rh_planar_pose_pair(in, &bodies);
  if (status == RH_OK && !(rh_planar_prepare(in, &bodies) && good)) {
    status = RH_INPUT_REFUSED;
  }
  if (status == RH_OK) {
    const rh_planar_in *p = &bodies.in;
    const double W[4] = {p->Ktt, p->Ktn, p->Ktn, p->Knn};
    memcpy(posed->W, W, sizeof W);
    posed->u[0] = p->S0;
    posed->u[1] = p->C0;
    status = rh_tangential_answer(in, posed, &out, answer);
  }
  if (status == RH_OK && !answer_bodies(&bodies, posed, &out, answer)) {
    status = RH_OUT_OF_MEMORY;
  }
  rh_planar_close(&bodies);
  return status;
}

static rh_status solve_tangential_impact(const rh_inputs *in, rh_answer *answer)
{
  rh_tangential_in posed = {.dim = 2};
  rh_tangential_out out;
  bool good = rh_tangential_read(in, &posed);
  bool by_matrix = rh_input_given(in, "W") || rh_input_given(in, "u0");
  bool by_bodies = rh_input_given(in, "body1") || rh_input_given(in, "body2");
  if (by_matrix && by_bodies) {
    (void)rh_input_refuse(in, in->map, "give either W and u0, or body1, body2, point and normal");
    return RH_INPUT_REFUSED;
  }
  if (!by_matrix) {
    return solve_by_bodies(in, &posed, good, answer);
  }
  good = rh_tangential_read_point(in, &posed) && good;
  return good ? rh_tangential_answer(in, &posed, &out, answer) : RH_INPUT_REFUSED;
}

const rh_problem rh_problem_tangential_impact = {
    .row = {"tangential_impact", "Maw et al. 1976, Stronge 2000",
            "a planar impact with a tangential spring", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_tangential_impact,
};
