// A single free impact under a normal law: depth, force, duration and restitution.
#include "laws/free_impact.h"
#include "laws/material.h"
#include "problems/problem.h"
#include "scene_io/scene_entry.h"

#include <math.h>
#include <stdio.h>

static const rh_param input[] = {
    {.name = "law", .unit = "1", .type = RH_TEXT, .doc = "normal law: see `routh list laws`"},
    {.name = "set",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "map of its parameters by name; those of the friction law of the same name are allowed "
            "and ignored; default: the defaults of the law"},
    {.name = "mass",
     .unit = "kg",
     .def = 1,
     .lo = 0,
     .hi = 1e15,
     .doc = "mass of the body; default: 1",
     .open = true},
    {.name = "speed",
     .unit = "m/s",
     .def = 1,
     .lo = 0,
     .hi = 1e12,
     .doc = "speed at touchdown; required",
     .open = true},
    {.name = "gravity",
     .unit = "m/s^2",
     .def = 0,
     .lo = 0,
     .hi = 1e12,
     .doc = "acceleration into the ground during the impact; default: 0"},
    {.name = "radius",
     .unit = "m",
     .def = 1,
     .lo = 0,
     .hi = 1e12,
     .doc = "radius of curvature, for a law made from material constants; default: flat",
     .open = true},
};

enum { LAW, SET, MASS, SPEED, GRAVITY, RADIUS };

static const rh_output output[] = {
    {"e", "1", "", "rebound speed over impact speed; 0 if the body stays"},
    {"rebound_speed", "m/s", "", "where the surface was before (z = 0)"},
    {"max_penetration", "m", "", "greatest depth"},
    {"time_of_max_penetration", "s", "", "after touchdown (omitted if it is only approached)"},
    {"peak_force", "N", "", "greatest force"},
    {"time_of_peak_force", "s", "", "after touchdown (omitted if it is only approached)"},
    {"contact_time", "s", "",
     "until the force is zero for good, or z = 0 where the law pulls (omitted if it stays)"},
    {"energy_loss", "J", "", "energy lost by body and spring"},
};

// ---- Inputs

static const rh_normal_law *read_law(const rh_inputs *in)
{
  int node = rh_input_find(in, input[LAW].name);
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "input 'law' is missing: the name of a normal law");
    return NULL;
  }
  const char *name = rh_input_text(in, node, "law");
  const rh_normal_law *law = name != NULL ? rh_normal_law_find(name) : NULL;
  if (name != NULL && law == NULL) {
    const char *names[64];
    int count = 0;
    const rh_normal_law *const *table = rh_normal_law_table(&count);
    count = count < RH_COUNT(names) ? count : RH_COUNT(names);
    for (int i = 0; i < count; i++) {
      names[i] = table[i]->row.name;
    }
    const char *near = rh_nearest_name(name, names, count);
    (void)rh_input_refuse(in, node, "unknown law '%.60s'%s%s%s", name, RH_DID_YOU_MEAN(near));
  }
  return law;
}

// The parameters of a row that the map has; those whose unit depends on another one last.
static bool read_row(const rh_inputs *in, const rh_row *row, int map, double par[RH_PAR_MAX])
{
  bool good = true;
  for (int i = 0; i < 2 * row->nparam; i++) {
    char unit[RH_UNIT_MAX];
    int index = i % row->nparam;
    rh_param param = row->param[index];
    int node = rh_yaml_find(in->tree, map, param.name);
    if (node != RH_NONE && rh_param_is_late(&param) == (i >= row->nparam)) {
      param.unit = rh_param_unit(row, index, par, unit);
      good = rh_input_value(in, &param, node, &par[rh_row_offset(row, index)]) && good;
    }
  }
  return good;
}

// The parameters of both rows, of the law and of the friction law of its name, are allowed; those
// of the law are kept.
static bool read_set(const rh_inputs *in, const rh_normal_law *law, double par[RH_PAR_MAX])
{
  const rh_friction_law *friction = rh_friction_law_find(law->row.name);
  const rh_row *row[2] = {&law->row, friction != NULL ? &friction->row : NULL};
  const char *known[2 * RH_PAR_MAX];
  int nknown = 0;
  bool good = true;
  int map = rh_input_find(in, input[SET].name);
  rh_row_defaults(&law->row, par);
  if (map == RH_NONE) {
    return true;
  }
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, map, "set must be a map of parameters, got %s",
                           rh_yaml_what(in->tree, map));
  }
  for (int r = 0; r < 2 && row[r] != NULL; r++) {
    double unused[RH_PAR_MAX];
    rh_row_defaults(row[r], unused);
    for (int i = 0; i < row[r]->nparam; i++) {
      known[nknown++] = row[r]->param[i].name;
    }
    good = read_row(in, row[r], map, r == 0 ? par : unused) && good;
  }
  good = rh_input_keys(in, map, "parameter", known, nknown) && good;
  const char *why = good && law->check != NULL ? law->check(par) : NULL;
  return why != NULL ? rh_input_refuse(in, map, "%s: %s", law->row.name, why) : good;
}

static bool read_numbers(const rh_inputs *in, rh_impact1_in *impact)
{
  double *to[] = {NULL, NULL, &impact->mass, &impact->speed, &impact->gravity, &impact->radius};
  bool good = true;
  for (int i = MASS; i <= RADIUS; i++) {
    int node = rh_input_find(in, input[i].name);
    *to[i] = i == RADIUS ? HUGE_VAL : input[i].def;
    if (node != RH_NONE) {
      good = rh_input_value(in, &input[i], node, to[i]) && good;
    } else if (i == SPEED) {
      good = rh_input_refuse(in, in->map, "input 'speed' is missing: the speed at touchdown");
    }
  }
  return good;
}

// ---- Answer

// For a flat contact material constants give no stiffness.
static bool needs_radius(const rh_impact1_in *impact)
{
  return isinf(impact->radius) && rh_normal_law_wants_radius(impact->law, impact->par);
}

static bool answer_all(const rh_impact1_out *o, rh_answer *answer)
{
  const double value[] = {
      o->e,          o->rebound_speed,      o->max_penetration, o->time_of_max_penetration,
      o->peak_force, o->time_of_peak_force, o->contact_time,    o->energy_loss};
  bool good = true;
  for (int i = 0; i < RH_COUNT(output); i++) {
    if (!isinf(value[i])) { // a time that never comes
      good = rh_answer_number(answer, output[i].name, value[i]) && good;
    }
  }
  return good;
}

static rh_status solve_law_impact(const rh_inputs *in, rh_answer *answer)
{
  double par[RH_PAR_MAX];
  rh_impact1_in impact = {.law = read_law(in), .par = par};
  rh_impact1_out result;
  bool good = impact.law != NULL && read_set(in, impact.law, par);
  good = read_numbers(in, &impact) && good;
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  if (impact.law->hold) {
    (void)rh_input_refuse(in, in->map, "a contact under %s holds on across a gap; see jkr_impact",
                          impact.law->row.name);
    return RH_INPUT_REFUSED;
  }
  if (needs_radius(&impact)) {
    (void)rh_input_refuse(in, in->map,
                          "input 'radius' is missing: stiffness from material constants needs it");
    return RH_INPUT_REFUSED;
  }
  rh_status status = rh_impact1(&impact, &result);
  if (status != RH_OK) {
    (void)rh_input_refuse(in, in->map, "%s",
                          status == RH_NOT_FINITE
                              ? "the impact has no finite depth or force"
                              : "the impact is too strongly damped, or too slow relative to "
                                "gravity, to be integrated to its tolerance");
    return status;
  }
  return answer_all(&result, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_law_impact = {
    .row = {"law_impact", "[MO] sec. 3-4, [AF] sec. 2", "a free impact under a normal law", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_law_impact,
};
