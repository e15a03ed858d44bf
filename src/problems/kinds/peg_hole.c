// A planar peg in a hole, touching at several points at once: its collision under each rule for the
// selection of contacts. In a straight hole contacts on the left and the right at one height have
// opposite velocities, so that at most four of six collide under [CSC]'s own assumption (v_n < 0).
#include "problems/problem_group.h"

#include <math.h>
#include <string.h>

static const rh_param input[] = {
    {.name = "m",
     .unit = "kg",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "mass of the peg"},
    {.name = "I",
     .unit = "kg m^2",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "its inertia about its centre"},
    {.name = "half_width",
     .unit = "m",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "half its extent along its x; contacts must lie on it; default: not checked"},
    {.name = "half_height",
     .unit = "m",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .open = true,
     .doc = "the same along its y"},
    {.name = "pose",
     .unit = "m, rad",
     .type = RH_LIST,
     .count = 3,
     .doc = "x, y, angle of the peg; default: 0, 0, 0"},
    {.name = "contacts",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "list of {r, n}: the point from the centre in the peg's axes [m], the normal that "
            "pushes the peg, in the "
            "world's"},
    {.name = "qd0",
     .unit = "m/s, rad/s",
     .type = RH_LIST,
     .count = 3,
     .doc = "velocity before: x, y, rotation"},
    {.name = "e", .unit = "1", .type = RH_LIST, .doc = "coefficients of restitution, -1 to 1"},
    {.name = "sel",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "text that names the rules wanted: strict (v_n < 0), closed (v_n <= 1e-9 m/s), all; "
            "default: each"},
};

enum { M, I, HALF };

static const rh_output output[] = {
    {"v_n0", "m/s", "n", "velocities of the contacts before"},
    {"rank_all", "1", "", "of all contacts"},
    {"per", "1", "list",
     "for each e and rule: e, sel, idx (contacts that take part), rank, qd, p (theirs), v_n_all "
     "(velocities of all "
     "contacts after), ke1"},
};

static const char *const rule[] = {"strict", "closed", "all"}; // as rh_collide_select

typedef struct peg {
  double m, I, half[2];
  rh_block pose, e;
  rh_group group;
  bool wanted[3];
} peg;

static bool read_sel(const rh_inputs *in, peg *q)
{
  int node = rh_input_find(in, "sel");
  const char *text = node != RH_NONE ? rh_input_text(in, node, "sel") : "strict closed all";
  bool any = false;
  if (text == NULL) {
    return false;
  }
  for (int i = 0; i < RH_COUNT(rule); i++) {
    q->wanted[i] = strstr(text, rule[i]) != NULL;
    any = any || q->wanted[i];
  }
  return any || rh_input_refuse(in, node, "sel must name one of strict, closed, all");
}

static bool read_pose(const rh_inputs *in, peg *q)
{
  return rh_input_given(in, "pose") ? rh_input_list(in, "pose", 3, 3, &q->pose)
                                    : rh_block_make(&q->pose, 3, 1);
}

static bool read_contact(const rh_inputs *in, const peg *q, int node, double *J)
{
  static const char *const key[] = {"r", "n"};
  double x[2][2];
  if (in->tree->node[node].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, node, "a contact must be a map {r, n}");
  }
  bool good = rh_input_keys(in, node, "key of a contact", key, 2);
  for (int i = 0; i < 2; i++) {
    int at = rh_yaml_find(in->tree, node, key[i]);
    if (at == RH_NONE) {
      return rh_input_refuse(in, node, "a contact needs '%s'", key[i]);
    }
    good = rh_input_vector(in, at, key[i], i == 0 ? "m" : "1", x[i], 2) && good;
  }
  if (!good) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    if (!(fabs(x[0][i]) <= q->half[i] * (1 + 1e-9))) {
      return rh_input_refuse(in, node, "r[%d] = %g lies off the peg", i, x[0][i]);
    }
  }
  if (!(fabs(rh_hypot(x[1][0], x[1][1]) - 1) <= 1e-9)) {
    return rh_input_refuse(in, node, "n must have length 1 (to 1e-9)");
  }
  double c = rh_cos(q->pose.x[2]);
  double s = rh_sin(q->pose.x[2]);
  double r[2] = {c * x[0][0] - s * x[0][1], s * x[0][0] + c * x[0][1]};
  J[0] = x[1][0];
  J[1] = x[1][1];
  J[2] = r[0] * x[1][1] - r[1] * x[1][0];
  return true;
}

static bool read_contacts(const rh_inputs *in, peg *q)
{
  int list = rh_input_find(in, "contacts");
  if (list == RH_NONE) {
    return rh_input_refuse(in, in->map, "input 'contacts' is missing: a list of {r, n}");
  }
  const rh_node *node = &in->tree->node[list];
  if (node->kind != RH_NODE_LIST || node->count < 1 || node->count > RH_GROUP_CONTACTS) {
    return rh_input_refuse(in, list, "contacts must be a list of 1 to %d maps {r, n}",
                           RH_GROUP_CONTACTS);
  }
  if (!rh_block_make(&q->group.J, node->count, 3)) {
    return rh_input_refuse(in, list, "out of memory");
  }
  int bad = 0;
  int at = node->first;
  for (int i = 0; at != RH_NONE && bad < RH_COMPLAINTS; at = in->tree->node[at].next, i++) {
    bad += !read_contact(in, q, at, q->group.J.x + (ptrdiff_t)3 * i);
  }
  return bad == 0;
}

static bool read_all(const rh_inputs *in, peg *q)
{
  bool good = rh_input_one(in, &input[M], true, &q->m);
  good = rh_input_one(in, &input[I], true, &q->I) && good;
  for (int i = 0; i < 2; i++) {
    q->half[i] = HUGE_VAL;
    good = rh_input_one(in, &input[HALF + i], false, &q->half[i]) && good;
  }
  good = read_sel(in, q) && good;
  good = rh_input_list(in, "qd0", 3, 3, &q->group.v) && good;
  good = rh_input_restitutions(in, "e", &q->e) && good;
  return read_pose(in, q) && read_contacts(in, q) && good;
}

static bool make_peg_group(peg *q)
{
  rh_group *g = &q->group;
  if (!rh_block_make(&g->D, 3, 3) || !rh_block_make(&g->L, 3, 3)) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    double inertia = i < 2 ? q->m : q->I;
    g->D.x[4 * i] = inertia;
    g->L.x[4 * i] = sqrt(inertia);
  }
  return rh_group_make(g);
}

static rh_status answer_one(const rh_inputs *in, peg *q, double e, int select, rh_json *json)
{
  rh_group *g = &q->group;
  rh_collide_out out;
  rh_collide_in how = {.select = (rh_collide_select)select, .closed = 1e-9, .u = g->u.x};
  rh_group_set_e(g, e);
  rh_status status = rh_group_collide(in, g, how, &out);
  if (status != RH_OK) {
    return status;
  }
  rh_json_open_object(json, NULL);
  rh_json_number(json, "e", e);
  rh_json_string(json, "sel", rule[select]);
  rh_json_open_array(json, "idx");
  for (int i = 0; i < g->u.rows; i++) {
    if (rh_collide_takes(&how, i)) {
      rh_json_integer(json, NULL, i);
    }
  }
  rh_json_close(json);
  rh_json_integer(json, "rank", out.rank);
  rh_json_numbers(json, "qd", g->qd.x, 3);
  rh_json_open_array(json, "p");
  for (int i = 0; i < g->u.rows; i++) {
    if (rh_collide_takes(&how, i)) {
      rh_json_number(json, NULL, g->p.x[i]);
    }
  }
  rh_json_close(json);
  rh_json_numbers(json, "v_n_all", g->after.x, g->after.rows);
  rh_json_number(json, "ke1", rh_group_energy(g, g->qd.x));
  rh_json_close(json);
  return RH_OK;
}

static rh_status answer_all(const rh_inputs *in, peg *q, rh_answer *answer)
{
  rh_collide_out all;
  rh_status status =
      rh_group_collide(in, &q->group, (rh_collide_in){.select = RH_COLLIDE_ALL}, &all);
  if (status != RH_OK) {
    return status;
  }
  double *v_n0 = rh_answer_add(answer, "v_n0", 1, q->group.u.rows, 1, 1);
  bool good = v_n0 != NULL && rh_answer_number(answer, "rank_all", all.rank);
  rh_text *part = good ? rh_answer_add_part(answer, "per") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  memcpy(v_n0, q->group.u.x, (size_t)q->group.u.rows * sizeof(double));
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < RH_COUNT(rule) * q->e.rows && status == RH_OK; i++) {
    if (q->wanted[i % RH_COUNT(rule)]) {
      status = answer_one(in, q, q->e.x[i / RH_COUNT(rule)], i % RH_COUNT(rule), &json);
    }
  }
  rh_json_close(&json);
  return status == RH_OK && part->failed ? RH_OUT_OF_MEMORY : status;
}

static rh_status solve_peg_hole(const rh_inputs *in, rh_answer *answer)
{
  peg q = {0};
  rh_status status = RH_INPUT_REFUSED;
  if (read_all(in, &q)) {
    status = make_peg_group(&q) ? answer_all(in, &q, answer) : RH_OUT_OF_MEMORY;
  }
  rh_block_free(&q.pose);
  rh_block_free(&q.e);
  rh_group_free(&q.group);
  return status;
}

const rh_problem rh_problem_peg_hole = {
    .row = {"peg_hole", "[CSC] VII",
            "a planar peg in a hole: the contacts that take part in a collision", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_peg_hole,
};
