// Painleve's rod over a grid of angles, frictions and spins, in this order, the last fastest.
#include "problems/problem_painleve.h"

#include <math.h>

enum { SIDE = 100, ROWS = 100000 };

static const rh_param input[] = {
    RH_ROD_INPUTS,
    RH_ROD_SLIDING,
    {.name = "theta", .unit = "rad", .type = RH_LIST, .doc = "angles of the rod to the ground"},
    {.name = "mu", .unit = "1", .type = RH_LIST, .doc = "frictions"},
    {.name = "omega", .unit = "rad/s", .type = RH_LIST, .doc = "spins"},
};

static const rh_output output[] = {
    {"rows", "1", "maps",
     "theta, mu, omega, p, b, cls, and N of the motion that slides (null: none does)"},
};

static void write_row(const rh_rod *rod, rh_json *json)
{
  rh_rod_answer a = rh_rod_solve(rod);
  rh_json_open_object(json, NULL);
  rh_json_number(json, "theta", rod->theta);
  rh_json_number(json, "mu", rod->mu);
  rh_json_number(json, "omega", rod->omega);
  rh_json_number(json, "p", a.p);
  rh_json_number(json, "b", a.b);
  rh_json_string(json, "cls", rh_rod_class_name[a.cls]);
  rh_json_number(json, "N", a.slides ? a.N : HUGE_VAL); // null
  rh_json_close(json);
}

static rh_status write_all(const rh_inputs *in, rh_rod *rod, const rh_block side[3],
                           rh_answer *answer)
{
  int count = side[0].rows * side[1].rows * side[2].rows;
  if (count > ROWS) {
    (void)rh_input_refuse(in, in->map, "the grid has %d points; at most %d are answered", count,
                          ROWS);
    return RH_INPUT_REFUSED;
  }
  rh_text *part = rh_answer_add_part(answer, "rows");
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < count; i++) {
    rod->theta = side[0].x[i / side[2].rows / side[1].rows];
    rod->mu = side[1].x[i / side[2].rows % side[1].rows];
    rod->omega = side[2].x[i % side[2].rows];
    write_row(rod, &json);
  }
  rh_json_close(&json);
  return part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

static rh_status solve_painleve_grid(const rh_inputs *in, rh_answer *answer)
{
  rh_rod rod;
  rh_block side[3] = {{0}};
  bool good = rh_rod_read(in, &rod);
  good = rh_input_list(in, "theta", RH_NONE, SIDE, &side[0]) && good;
  good = rh_input_list(in, "mu", RH_NONE, SIDE, &side[1]) && good;
  good = rh_input_list(in, "omega", RH_NONE, SIDE, &side[2]) && good;
  for (int i = 0; good && i < side[1].rows; i++) {
    if (side[1].x[i] < 0) {
      good = rh_input_refuse(in, rh_input_find(in, "mu"), "mu[%d] must be >= 0", i);
    }
  }
  rh_status status = good ? write_all(in, &rod, side, answer) : RH_INPUT_REFUSED;
  for (int i = 0; i < 3; i++) {
    rh_block_free(&side[i]);
  }
  return status;
}

const rh_problem rh_problem_painleve_grid = {
    .row = {"painleve_grid", "[WK] 2.4", "Painleve's rod over angles, frictions and spins", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_painleve_grid,
};
