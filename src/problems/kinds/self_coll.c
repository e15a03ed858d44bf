// Two moving bodies of a plane collide at one point, by both laws of [CSC]: the relative one (12)*,
// and the split one (13), (14)*, that reflects each body's own velocity at the contact. Both are
// passive; the split one preserves neither momentum nor the law in a moving frame.
#include "problems/problem_group.h"

#include <math.h>
#include <string.h>

static const rh_param input[] = {
    {.name = "mi",
     .unit = "kg",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "mass of body i"},
    {.name = "Ii",
     .unit = "kg m^2",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "its inertia about its centre"},
    {.name = "mj",
     .unit = "kg",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "mass of body j"},
    {.name = "Ij",
     .unit = "kg m^2",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "its inertia"},
    {.name = "ri",
     .unit = "m",
     .type = RH_LIST,
     .count = 2,
     .doc = "from the centre of i to the contact"},
    {.name = "rj",
     .unit = "m",
     .type = RH_LIST,
     .count = 2,
     .doc = "from the centre of j to the contact"},
    {.name = "vi",
     .unit = "m/s, rad/s",
     .type = RH_LIST,
     .count = 3,
     .doc = "velocity of i before: x, y, rotation"},
    {.name = "vj",
     .unit = "m/s, rad/s",
     .type = RH_LIST,
     .count = 3,
     .doc = "velocity of j before"},
    {.name = "n",
     .unit = "1",
     .type = RH_LIST,
     .count = 2,
     .doc = "normal that pushes body i, of length 1"},
    {.name = "e", .unit = "1", .type = RH_LIST, .doc = "coefficients of restitution, -1 to 1"},
    {.name = "note", .unit = "1", .type = RH_TEXT, .doc = "any text; default: none"},
};

static const rh_output output[] = {
    {"v_rel0", "m/s", "",
     "normal velocity of i relative to j before; nothing happens where it is not negative"},
    {"ke0", "J", "", "kinetic energy before"},
    {"momentum0", "kg m/s, kg m^2/s", "3", "momentum before, x, y, and about the contact"},
    {"per", "1", "list",
     "for each e and mode (relative_eq12, split_eq13_14): e, mode, qd (i, then j), p (along n on "
     "i; split: along n on "
     "each), ke1, v_rel1, momentum1"},
};

typedef struct pair {
  double m[2], I[2];
  rh_block r[2], v[2], n, e;
  rh_group group; // rows: the relative one; or n'J_i and -n'J_j
  double approach[2];
} pair;

static bool read_all(const rh_inputs *in, pair *q)
{
  bool good = rh_input_one(in, &input[0], true, &q->m[0]);
  good = rh_input_one(in, &input[1], true, &q->I[0]) && good;
  good = rh_input_one(in, &input[2], true, &q->m[1]) && good;
  good = rh_input_one(in, &input[3], true, &q->I[1]) && good;
  good = rh_input_list(in, "ri", 2, 2, &q->r[0]) && good;
  good = rh_input_list(in, "rj", 2, 2, &q->r[1]) && good;
  good = rh_input_list(in, "vi", 3, 3, &q->v[0]) && good;
  good = rh_input_list(in, "vj", 3, 3, &q->v[1]) && good;
  good = rh_input_list(in, "n", 2, 2, &q->n) && good;
  good = rh_input_restitutions(in, "e", &q->e) && good;
  if (good && !(fabs(rh_hypot(q->n.x[0], q->n.x[1]) - 1) <= 1e-9)) {
    good = rh_input_refuse(in, rh_input_find(in, "n"), "n must have length 1 (to 1e-9)");
  }
  return good;
}

// n'J of body b at its point: n and r x n
static void fill_normal_row(const pair *q, int b, double sign, double *J)
{
  const double *n = q->n.x;
  const double *r = q->r[b].x;
  J[3 * b] = sign * n[0];
  J[3 * b + 1] = sign * n[1];
  J[3 * b + 2] = sign * (r[0] * n[1] - r[1] * n[0]);
}

static bool make_pair_group(pair *q, bool split)
{
  rh_group *g = &q->group;
  rh_group_free(g);
  if (!rh_block_make(&g->D, 6, 6) || !rh_block_make(&g->L, 6, 6) ||
      !rh_block_make(&g->J, split ? 2 : 1, 6) || !rh_block_make(&g->v, 6, 1)) {
    return false;
  }
  for (int i = 0; i < 6; i++) {
    double inertia = i % 3 < 2 ? q->m[i / 3] : q->I[i / 3];
    g->D.x[7 * i] = inertia;
    g->L.x[7 * i] = sqrt(inertia);
    g->v.x[i] = q->v[i / 3].x[i % 3];
  }
  fill_normal_row(q, 0, 1, g->J.x);
  fill_normal_row(q, 1, -1, g->J.x + (split ? 6 : 0));
  if (!rh_group_make(g)) {
    return false;
  }
  q->approach[0] = g->u.x[0] + (split ? g->u.x[1] : 0);
  q->approach[1] = q->approach[0];
  return true;
}

// About the contact, which is the world's origin: the centres are at -r.
static void total_momentum(const pair *q, const double *v, double P[3])
{
  memset(P, 0, 3 * sizeof(double));
  for (int b = 0; b < 2; b++) {
    const double *r = q->r[b].x;
    const double *w = v + (ptrdiff_t)3 * b;
    P[0] += q->m[b] * w[0];
    P[1] += q->m[b] * w[1];
    P[2] += q->I[b] * w[2] - q->m[b] * (r[0] * w[1] - r[1] * w[0]);
  }
}

static rh_status answer_one(const rh_inputs *in, pair *q, double e, bool split, rh_json *json)
{
  rh_group *g = &q->group;
  rh_collide_out out;
  double P[3];
  double p[2];
  if (!make_pair_group(q, split)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_group_set_e(g, e);
  rh_status status = rh_group_collide(in, g, (rh_collide_in){.approach = q->approach}, &out);
  if (status != RH_OK) {
    return status;
  }
  p[0] = g->p.x[0];
  p[1] = split ? -g->p.x[1] : 0; // along n, as in the paper
  total_momentum(q, g->qd.x, P);
  rh_json_open_object(json, NULL);
  rh_json_number(json, "e", e);
  rh_json_string(json, "mode", split ? "split_eq13_14" : "relative_eq12");
  rh_json_numbers(json, "qd", g->qd.x, 6);
  rh_json_numbers(json, "p", p, split ? 2 : 1);
  rh_json_number(json, "ke1", rh_group_energy(g, g->qd.x));
  rh_json_number(json, "v_rel1", g->after.x[0] + (split ? g->after.x[1] : 0));
  rh_json_numbers(json, "momentum1", P, 3);
  rh_json_close(json);
  return RH_OK;
}

static rh_status answer_all(const rh_inputs *in, pair *q, rh_answer *answer)
{
  if (!make_pair_group(q, false)) {
    return RH_OUT_OF_MEMORY;
  }
  bool good = rh_answer_number(answer, "v_rel0", q->approach[0]) &&
              rh_answer_number(answer, "ke0", rh_group_energy(&q->group, q->group.v.x));
  double *P = good ? rh_answer_add(answer, "momentum0", 1, 3, 1, 1) : NULL;
  rh_text *part = P != NULL ? rh_answer_add_part(answer, "per") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  total_momentum(q, q->group.v.x, P);
  rh_status status = RH_OK;
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < 2 * q->e.rows && status == RH_OK; i++) {
    status = answer_one(in, q, q->e.x[i / 2], i % 2 == 1, &json);
  }
  rh_json_close(&json);
  return status == RH_OK && part->failed ? RH_OUT_OF_MEMORY : status;
}

static rh_status solve_self_coll(const rh_inputs *in, rh_answer *answer)
{
  pair q = {0};
  rh_status status = read_all(in, &q) ? answer_all(in, &q, answer) : RH_INPUT_REFUSED;
  rh_block *const all[] = {&q.r[0], &q.r[1], &q.v[0], &q.v[1], &q.n, &q.e};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  rh_group_free(&q.group);
  return status;
}

const rh_problem rh_problem_self_coll = {
    .row = {"self_coll", "[CSC] (12)-(14)*",
            "two moving bodies meet: the relative and the split law", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_self_coll,
};
