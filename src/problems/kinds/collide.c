// All collisions of a contact group at once by equalities, v_n+ = -e v_n-, independent or not:
// [CSC] (15) to (21), the energy by (24)*. The impulses have least norm; they may pull.
#include "problems/problem_group.h"
#include "scene_io/scene_entry.h"

static const rh_param input[] = {
    RH_GROUP_INPUTS,
    {.name = "e",
     .unit = "1",
     .type = RH_LIST,
     .doc = "coefficients of restitution, -1 to 1: one collision each"},
    {.name = "select",
     .unit = "1",
     .type = RH_CHOICE,
     .choices = "strict|closed|all",
     .doc = "rows that take part: all (default), strict (v_n < 0), closed (v_n <= 1e-9 m/s)"},
    {.name = "damping",
     .unit = "1/kg",
     .def = 0,
     .lo = 0,
     .hi = 1e15,
     .doc = "lambda of p = -(1 + e) (J D^-1 J' + lambda)^-1 J qd0; default: 0, the pseudo-inverse"},
};

enum { SELECT = 4, DAMPING = 5 };

static const rh_output output[] = {
    {"v_n0", "m/s", "n", "velocities of the contacts before"},
    {"ke0", "J", "", "kinetic energy before"},
    {"per_e", "1", "list",
     "for each e: e, qd (velocities after), p_min_norm (impulses), ke1 (energy after), "
     "n_negative_p (impulses that pull)"},
    {"rank", "1", "", "of the rows that take part"},
};

static bool read_select(const rh_inputs *in, rh_collide_select *select)
{
  int node = rh_input_find(in, input[SELECT].name);
  if (node == RH_NONE) {
    return true;
  }
  const char *word = rh_input_text(in, node, input[SELECT].name);
  int index = word != NULL ? rh_word_index(input[SELECT].choices, word) : RH_NONE;
  if (index == RH_NONE) {
    return rh_input_refuse(in, node, "select must be one of %s", input[SELECT].choices);
  }
  *select = (rh_collide_select)index; // the choices are in its order
  return true;
}

static rh_status answer_one(const rh_inputs *in, rh_group *group, double e, rh_collide_in how,
                            rh_json *json, rh_collide_out *out)
{
  rh_group_set_e(group, e);
  rh_status status = rh_group_collide(in, group, how, out);
  if (status == RH_OK) {
    rh_json_open_object(json, NULL);
    rh_json_number(json, "e", e);
    rh_json_numbers(json, "qd", group->qd.x, group->qd.rows);
    rh_json_numbers(json, "p_min_norm", group->p.x, group->p.rows);
    rh_json_number(json, "ke1", rh_group_energy(group, group->qd.x));
    rh_json_integer(json, "n_negative_p", out->negative);
    rh_json_close(json);
  }
  return status;
}

static rh_status answer_all(const rh_inputs *in, rh_group *group, const rh_block *e,
                            rh_collide_in how, rh_answer *answer)
{
  rh_status status = RH_OK;
  rh_collide_out out = {0};
  double *v_n0 = rh_answer_add(answer, "v_n0", 1, group->u.rows, 1, 1);
  bool good = v_n0 != NULL && rh_answer_number(answer, "ke0", rh_group_energy(group, group->v.x));
  rh_text *part = good ? rh_answer_add_part(answer, "per_e") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < e->rows && status == RH_OK; i++) {
    status = answer_one(in, group, e->x[i], how, &json, &out);
  }
  rh_json_close(&json);
  for (int i = 0; i < group->u.rows; i++) {
    v_n0[i] = group->u.x[i];
  }
  if (status != RH_OK) {
    return status;
  }
  return !part->failed && rh_answer_number(answer, "rank", out.rank) ? RH_OK : RH_OUT_OF_MEMORY;
}

static rh_status solve_collide(const rh_inputs *in, rh_answer *answer)
{
  rh_group group = {0};
  rh_block e = {0};
  rh_collide_in how = {.select = RH_COLLIDE_ALL, .closed = 1e-9};
  rh_status status = RH_INPUT_REFUSED;
  bool good = rh_group_read(in, &group);
  good = rh_input_restitutions(in, "e", &e) && good;
  good = read_select(in, &how.select) && good;
  good = rh_input_one(in, &input[DAMPING], false, &how.damping) && good;
  if (good) {
    status = rh_group_make(&group) ? answer_all(in, &group, &e, how, answer) : RH_OUT_OF_MEMORY;
  }
  rh_group_free(&group);
  rh_block_free(&e);
  return status;
}

const rh_problem rh_problem_collide = {
    .row = {"collide", "[CSC] (15)-(24)*",
            "all collisions of a contact group at once, by equalities", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_collide,
};
