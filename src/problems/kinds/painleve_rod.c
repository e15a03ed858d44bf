// Painleve's rod: existence and uniqueness of its motion.
#include "problems/problem_painleve.h"

static const rh_param input[] = {
    RH_ROD_INPUTS,
    RH_ROD_SLIDING,
    {.name = "theta",
     .unit = "rad",
     .lo = -1e3,
     .hi = 1e3,
     .doc = "angle of the rod to the ground; required"},
    {.name = "mu", .unit = "1", .lo = 0, .hi = 1e6, .doc = "friction; required"},
    {.name = "omega", .unit = "rad/s", .lo = -1e9, .hi = 1e9, .doc = "spin; default: 0"},
};

enum { FIRST = 5 }; // theta

static const rh_output output[] = {
    {"p", "1/kg", "", "the tip accelerates with a_n = b + p N"},
    {"b", "m/s^2", "", ""},
    {"cls", "1", "word", "none, unique, multiple"},
    {"solutions", "1", "maps", "mode (separate, slide), N [N], a_n [m/s^2]"},
};

static void write_one(rh_json *json, const char *mode, double N, double a_n)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "mode", mode);
  rh_json_number(json, "N", N);
  rh_json_number(json, "a_n", a_n);
  rh_json_close(json);
}

static rh_status solve_painleve_rod(const rh_inputs *in, rh_answer *answer)
{
  rh_rod rod;
  bool read = rh_rod_read(in, &rod);
  read = rh_input_one(in, &input[FIRST], true, &rod.theta) && read;
  read = rh_input_one(in, &input[FIRST + 1], true, &rod.mu) && read;
  read = rh_input_one(in, &input[FIRST + 2], false, &rod.omega) && read;
  if (!read) {
    return RH_INPUT_REFUSED;
  }
  rh_rod_answer a = rh_rod_solve(&rod);
  bool good = rh_answer_number(answer, "p", a.p) && rh_answer_number(answer, "b", a.b) &&
              rh_answer_word(answer, "cls", rh_rod_class_name[a.cls]);
  rh_text *part = good ? rh_answer_add_part(answer, "solutions") : NULL;
  if (part == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json json = rh_json_start(part, false);
  rh_json_open_array(&json, NULL);
  if (a.separates) {
    write_one(&json, "separate", 0, a.b);
  }
  if (a.slides) {
    write_one(&json, "slide", a.N, 0);
  }
  rh_json_close(&json);
  return part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

const rh_problem rh_problem_painleve_rod = {
    .row = {"painleve_rod", "[WK] 2.4", "a rod that slides on its tip: no motion, one, or two",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_painleve_rod,
};
