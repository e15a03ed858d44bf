// Collisions with a coefficient of restitution for each contact, by three rules. Setting v_n+ = -E
// v_n- (naive) creates energy in many groups; with -s E v_n-, s such that the remaining energy is
// at most e_max^2 of the initial one (clamped), or with -W^1/2 E W^-1/2 v_n- (sqrt), none is
// created.
#include "problems/problem_group.h"

#include <math.h>

static const rh_param input[] = {
    RH_GROUP_INPUTS,
    {.name = "e",
     .unit = "1",
     .type = RH_LIST,
     .doc = "coefficient of restitution of each contact, -1 to 1 (n)"},
};

static const rh_output output[] = {
    {"v_n0", "m/s", "n", "velocities of the contacts before"},
    {"ke0", "J", "", "kinetic energy before"},
    {"naive", "1", "map", "qd, ke1: velocities and energy after"},
    {"clamped", "1", "map", "qd, ke1, and the factor s"},
    {"sqrt", "1", "map", "qd, ke1"},
};

static bool read_e(const rh_inputs *in, rh_group *group)
{
  rh_block_free(&group->e);
  bool good = rh_input_list(in, "e", group->J.rows, RH_GROUP_CONTACTS, &group->e);
  for (int i = 0; good && i < group->e.rows; i++) {
    good = fabs(group->e.x[i]) <= 1 ||
           rh_input_refuse(in, rh_input_find(in, "e"), "e[%d] must lie in [-1, 1], got %g", i,
                           group->e.x[i]);
  }
  return good;
}

static rh_status answer_rule(const rh_inputs *in, rh_group *group, rh_collide_rule rule,
                             rh_answer *answer)
{
  static const char *const name[] = {
      [RH_COLLIDE_CLAMPED] = "clamped", [RH_COLLIDE_NAIVE] = "naive", [RH_COLLIDE_SQRT] = "sqrt"};
  rh_collide_out out;
  rh_collide_in how = {.select = RH_COLLIDE_ALL, .rule = rule};
  rh_status status = rh_group_collide(in, group, how, &out);
  rh_text *part = status == RH_OK ? rh_answer_add_part(answer, name[rule]) : NULL;
  if (part == NULL) {
    return status == RH_OK ? RH_OUT_OF_MEMORY : status;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_object(&json, NULL);
  rh_json_numbers(&json, "qd", group->qd.x, group->qd.rows);
  rh_json_number(&json, "ke1", rh_group_energy(group, group->qd.x));
  if (rule == RH_COLLIDE_CLAMPED) {
    rh_json_number(&json, "s", out.scale);
  }
  rh_json_close(&json);
  return part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

static rh_status answer_all(const rh_inputs *in, rh_group *group, rh_answer *answer)
{
  static const rh_collide_rule rule[] = {RH_COLLIDE_NAIVE, RH_COLLIDE_CLAMPED, RH_COLLIDE_SQRT};
  double *v_n0 = rh_answer_add(answer, "v_n0", 1, group->u.rows, 1, 1);
  if (v_n0 == NULL || !rh_answer_number(answer, "ke0", rh_group_energy(group, group->v.x))) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < group->u.rows; i++) {
    v_n0[i] = group->u.x[i];
  }
  rh_status status = RH_OK;
  for (int i = 0; i < RH_COUNT(rule) && status == RH_OK; i++) {
    status = answer_rule(in, group, rule[i], answer);
  }
  return status;
}

static rh_status solve_per_contact_e(const rh_inputs *in, rh_answer *answer)
{
  rh_group group = {0};
  rh_status status = RH_INPUT_REFUSED;
  if (rh_group_read(in, &group)) {
    status = rh_group_make(&group) ? RH_OK : RH_OUT_OF_MEMORY;
    status = status == RH_OK && !read_e(in, &group) ? RH_INPUT_REFUSED : status;
    status = status == RH_OK ? answer_all(in, &group, answer) : status;
  }
  rh_group_free(&group);
  return status;
}

const rh_problem rh_problem_per_contact_e = {
    .row = {"per_contact_e", "[CSC] VIII",
            "collisions with a coefficient of restitution for each contact", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_per_contact_e,
};
