// problem.h: input functions for kinds of problems. Every error has the place of its value. A
// reading function returns false after an error; the kind then returns RH_INPUT_REFUSED.
#ifndef ROUTH_PROBLEMS_PROBLEM_H
#define ROUTH_PROBLEMS_PROBLEM_H

#include "scene_io/yaml_doc.h"
#include "problem_runner.h"
#include "problem_answer.h"

#include <routh/data.h>

#define RH_COMPLAINTS                                                                              \
  20 // per list or map; a file of a million errors is not read to its end

typedef struct rh_inputs {
  const rh_problem *problem;
  rh_yaml *tree;
  int map;            // node of the inputs
  const char *folder; // folder of scenes named by a path; NULL: no files at all
  rh_scene_source *source; // of these scenes; NULL likewise
  rh_diag *diag;
} rh_inputs;

// ---- Values. `what` names the value in messages; a node is an index in in->tree.

int rh_input_find(const rh_inputs *in,
                  const char *name); // the input's node, RH_NONE if it was not given
bool rh_input_refuse(const rh_inputs *in, int node, const char *format, ...)
    RH_PRINTF(3, 4); // always false
bool rh_input_number(const rh_inputs *in, int node, const char *what, const char *unit, double *x);
// The number, or the index of the word, of a parameter; in its range.
bool rh_input_value(const rh_inputs *in, const rh_param *param, int node, double *value);
bool rh_input_vector(const rh_inputs *in, int node, const char *what, const char *unit, double *x,
                     int n);
bool rh_input_flag(const rh_inputs *in, int node, const char *what, bool *yes);
const char *rh_input_text(const rh_inputs *in, int node,
                          const char *what); // NULL after an error
// Refuses keys of a map that are not in `known`, with a "did you mean".
bool rh_input_keys(const rh_inputs *in, int map, const char *what, const char *const *known,
                   int nknown);
// Index of the object that a node names.
bool rh_input_object(const rh_inputs *in, int node, const rh_model *model, rh_object object,
                     int *index);

// ---- The world of a problem: inputs scene, q, v, points, joint_forces (problem_world.c).

typedef struct rh_posed { // all zero: closed
  rh_model *model;
  rh_data *data;         // kinematics and H are up to date, H is factored
  rh_model_point *point; // the requested points
  int npoint;
  double *given;         // tau or a: input of the problem (nv)
  double *load;          // springs, dampers and actuators (nv); zero unless joint_forces is set
  bool joint_forces;
} rh_posed;

typedef enum rh_quantity { RH_POSED_Q, RH_POSED_V, RH_POSED_A, RH_POSED_TAU } rh_quantity;

// Opens the world and reads its state, the points, and the input `name` (NULL: none) into `given`: for each, a
// list in the model's order or a map from joints to numbers. Close it in any case. Reports all
// errors, and then returns RH_INPUT_REFUSED.
rh_status rh_posed_open(const rh_inputs *in, const char *name, rh_quantity quantity,
                        rh_posed *posed) RH_CHECK_RESULT;
void rh_posed_close(rh_posed *posed);
// One input of that shape: absent numbers, or all, keep their values in `x`.
bool rh_posed_read(const rh_inputs *in, const rh_model *model, const char *name,
                   rh_quantity quantity, double *x);
// The outputs of every problem of a world's dynamics, before and after its own; false: out of
// memory.
bool rh_posed_answer_first(const rh_posed *posed, rh_answer *answer);
bool rh_posed_answer_last(const rh_posed *posed, rh_answer *answer);

// Inputs and outputs of these, for the rows of the kinds.
#define RH_POSED_INPUTS                                                                            \
  {.name = "scene",                                                                                \
   .unit = "1",                                                                                    \
   .type = RH_TEXT,                                                                                \
   .doc = "path of a scene, relative to the problem file, or a scene"},                            \
      {.name = "q",                                                                                \
       .unit = "m, rad, 1",                                                                        \
       .type = RH_LIST,                                                                            \
       .doc = "coordinates; default: the scene's"},                                                \
      {.name = "v",                                                                                \
       .unit = "m/s, rad/s",                                                                       \
       .type = RH_LIST,                                                                            \
       .doc = "velocities; default: the scene's"},                                                 \
      {.name = "points",                                                                           \
       .unit = "1",                                                                                \
       .type = RH_TEXT,                                                                            \
       .doc = "list of points: names, or {body, at}; default: none"},                              \
      {.name = "joint_forces",                                                                     \
       .unit = "1",                                                                                \
       .type = RH_FLAG,                                                                            \
       .doc = "springs, dampers and actuators of the scene act too; default: no"},                 \
  {                                                                                                \
    .name = "ctrl", .unit = "N, N m, 1", .type = RH_LIST,                                          \
    .doc = "command of each actuator: its effort, or the control of a servo; default: the scene's" \
  }

#define RH_POSED_FIRST                                                                             \
  {"joints", "1", "names", "joints in the order of the coordinates"},                              \
      {"H", "kg, kg m, kg m^2", "nv x nv", "joint-space inertia, armature included"},              \
      {"bias", "N, N m", "nv", "Coriolis, centrifugal and gravity terms: tau = H a + bias"},       \
  {                                                                                                \
    "load", "N, N m", "nv", "forces of springs, dampers and actuators (only with joint_forces)"    \
  }

#define RH_POSED_LAST                                                                              \
  {"position", "m", "n x 3", "positions of the points"},                                           \
      {"velocity", "m/s", "n x 3", "velocities of the points"},                                    \
      {"J", "1, m", "n x 3 x nv", "Jacobians: velocity = J v, rows x y z of the world"},           \
      {"Jdot_v", "m/s^2", "n x 3", "acceleration of the points while a = 0"},                      \
      {"W", "1/kg", "3n x 3n", "J H^-1 J': response of all points to a force at one"},             \
      {"kinetic_energy", "J", "", "armature included"},                                            \
      {"potential_energy", "J", "", "of gravity; zero with all mass at the origin"},               \
      {"com", "m", "3", "centre of mass"},                                                         \
  {                                                                                                \
    "momentum", "N m s, N s", "6", "about the origin: angular, linear"                             \
  }

#endif
