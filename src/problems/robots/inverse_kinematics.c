// Inverse kinematics of points, attitudes and the centre of mass: positions by damped least squares,
// velocities and accelerations by the pseudo-inverse, at the position found.
#include "problems/problem.h"

#include <routh/robot.h>

#include <string.h>

enum { TASKS_MAX = 100, PASSES_MAX = 10000, SHOWN = 24 };

enum { DAMPING, TOLERANCE, PASSES, NUMBERS };

#define NUMBER_INPUTS                                                                              \
  {.name = "damping", .unit = "1", .def = 0.01, .lo = 0, .hi = 1e6, .doc = "lam; default: 0.01"},  \
      {.name = "tolerance",                                                                        \
       .unit = "1",                                                                                \
       .def = 1e-10,                                                                               \
       .lo = 0,                                                                                    \
       .hi = 1e6,                                                                                  \
       .doc = "error at which it ends; default: 1e-10"},                                           \
  {                                                                                                \
    .name = "passes", .unit = "1", .def = 100, .lo = 0, .hi = PASSES_MAX, .type = RH_INTEGER,      \
    .doc = "maximum number of passes; default: 100"                                                \
  }

static const rh_param number[] = {NUMBER_INPUTS};

static const rh_param input[] = {
    RH_POSED_INPUTS,
    {.name = "tasks",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "list of {body, at, position}, {body, rpy or R}, {com: yes, position}; each may have "
            "velocity, acceleration, weight"},
    NUMBER_INPUTS,
    {.name = "fixed",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "list of joints that do not move; default: none"},
};

static const rh_output output[] = {
    {"joints", "1", "names", "joints in the order of the coordinates"},
    {"q", "m, rad, 1", "nq", "coordinates found"},
    {"solved", "1", "flag", "the error is within the tolerance"},
    {"iterations", "1", "", "passes made"},
    {"error_norms", "m, rad", "k", "error before the first pass and after each, the first 25"},
    {"q_passes", "m, rad, 1", "k x nq", "coordinates after each of these"},
    {"v", "m/s, rad/s", "nv", "velocities of least norm that give the tasks theirs"},
    {"a", "m/s^2, rad/s^2", "nv", "accelerations likewise"},
    {"Jdot_v", "m/s^2, rad/s^2", "tasks x 3", "acceleration of each task while a = 0"},
    {"rank", "1", "", "independent rows of the tasks"},
};

typedef struct posed {
  rh_posed world;
  rh_task *task;
  int ntask;
  bool *still;
  double *scratch, *start;
  double par[NUMBERS];
} posed;

// ---- Inputs

static bool read_vector(const rh_inputs *in, int map, const char *key, const char *unit, rh_vec3 *x)
{
  double value[3];
  int node = rh_yaml_find(in->tree, map, key);
  if (node == RH_NONE) {
    return true;
  }
  bool good = rh_input_vector(in, node, key, unit, value, 3);
  *x = good ? rh_v3(value[0], value[1], value[2]) : *x;
  return good;
}

static bool read_rotation(const rh_inputs *in, int node, rh_mat3 *R)
{
  const rh_node *list = &in->tree->node[node];
  if (list->kind != RH_NODE_LIST || list->count != 3) {
    return rh_input_refuse(in, node, "R must be three rows of three numbers");
  }
  int row = list->first;
  for (int i = 0; i < 3; i++, row = in->tree->node[row].next) {
    if (!rh_input_vector(in, row, "row of R", "1", R->m + (ptrdiff_t)3 * i, 3)) {
      return false;
    }
  }
  rh_mat3 back = rh_mat3_transpose(R);
  rh_mat3 one = rh_mat3_mul(R, &back);
  double off = 0;
  for (int i = 0; i < 9; i++) {
    off = fmax(off, fabs(one.m[i] - (i % 4 == 0 ? 1 : 0)));
  }
  return off <= 1e-6 ||
         rh_input_refuse(in, node, "R must be a rotation: R R' differs from 1 by %g", off);
}

static bool read_attitude(const rh_inputs *in, int map, rh_task *task)
{
  int R = rh_yaml_find(in->tree, map, "R");
  int rpy = rh_yaml_find(in->tree, map, "rpy");
  double angle[3];
  task->kind = RH_TASK_TURN;
  if (R != RH_NONE) {
    return read_rotation(in, R, &task->R);
  }
  bool good = rh_input_vector(in, rpy, "rpy", "rad", angle, 3);
  task->R = good ? rh_rpy_matrix(angle[0], angle[1], angle[2]) : task->R;
  return good;
}

static bool read_task(const rh_inputs *in, int map, const rh_model *model, rh_task *task)
{
  static const char *const known[] = {"body", "at",       "position",     "rpy",   "R",
                                      "com",  "velocity", "acceleration", "weight"};
  *task = (rh_task){.kind = RH_TASK_POINT, .weight = 1, .R = rh_mat3_identity()};
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return rh_input_refuse(
        in, map, "a task must be a map: {body, at, position}, {body, rpy} or {com: yes, position}");
  }
  bool good = rh_input_keys(in, map, "key of a task", known, RH_COUNT(known));
  int body = rh_yaml_find(in->tree, map, "body");
  int com = rh_yaml_find(in->tree, map, "com");
  int weight = rh_yaml_find(in->tree, map, "weight");
  bool of_mass = false;
  bool turns =
      rh_yaml_find(in->tree, map, "rpy") != RH_NONE || rh_yaml_find(in->tree, map, "R") != RH_NONE;
  good &= com == RH_NONE || rh_input_flag(in, com, "com", &of_mass);
  if (of_mass == (body != RH_NONE) || (of_mass && turns)) {
    return rh_input_refuse(in, map, "a task needs a body, or com: yes with a position");
  }
  task->kind = of_mass ? RH_TASK_COM : task->kind;
  good &= of_mass || rh_input_object(in, body, model, RH_OBJECT_BODY, &task->body);
  if (turns) {
    good &= read_attitude(in, map, task);
  } else if (rh_yaml_find(in->tree, map, "position") == RH_NONE) {
    good = rh_input_refuse(in, map, "a task needs a position, rpy or R");
  }
  good &= read_vector(in, map, "position", "m", &task->p);
  good &= read_vector(in, map, "at", "m", &task->at);
  good &= read_vector(in, map, "velocity", turns ? "rad/s" : "m/s", &task->v);
  good &= read_vector(in, map, "acceleration", turns ? "rad/s^2" : "m/s^2", &task->a);
  good &= weight == RH_NONE || rh_input_number(in, weight, "weight", "1", &task->weight);
  return good && ((task->weight > 0 && task->weight <= 1e9) ||
                  rh_input_refuse(in, weight, "weight must be > 0 and at most 1e9"));
}

static rh_status read_tasks(const rh_inputs *in, posed *q)
{
  int node = rh_input_find(in, "tasks");
  int count = node != RH_NONE ? in->tree->node[node].count : 0;
  if (node == RH_NONE || in->tree->node[node].kind != RH_NODE_LIST || count < 1 ||
      count > TASKS_MAX) {
    (void)rh_input_refuse(in, node != RH_NONE ? node : in->map,
                          "tasks must be a list of 1 to %d maps", TASKS_MAX);
    return RH_INPUT_REFUSED;
  }
  q->task = rh_alloc((size_t)count * sizeof *q->task);
  if (q->task == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  int bad = 0;
  for (int k = in->tree->node[node].first; k != RH_NONE && bad < RH_COMPLAINTS;
       k = in->tree->node[k].next) {
    bad += !read_task(in, k, q->world.model, &q->task[q->ntask++]);
  }
  return bad == 0 ? RH_OK : RH_INPUT_REFUSED;
}

static bool read_fixed(const rh_inputs *in, posed *q)
{
  const rh_model *m = q->world.model;
  int node = rh_input_find(in, "fixed");
  if (node == RH_NONE) {
    return true;
  }
  if (in->tree->node[node].kind != RH_NODE_LIST) {
    return rh_input_refuse(in, node, "fixed must be a list of joints");
  }
  int bad = 0;
  for (int k = in->tree->node[node].first; k != RH_NONE && bad < RH_COMPLAINTS;
       k = in->tree->node[k].next) {
    int body = 0;
    bool found = rh_input_object(in, k, m, RH_OBJECT_JOINT, &body);
    bad += !found;
    for (int i = 0; found && i < m->body[body].nv; i++) {
      q->still[m->body[body].vadr + i] = true;
    }
  }
  return bad == 0;
}

static rh_status open_problem(const rh_inputs *in, posed *q)
{
  RH_TRY(rh_posed_open(in, NULL, RH_POSED_V, &q->world));
  const rh_model *m = q->world.model;
  q->still = rh_alloc((size_t)(m->nv + 1) * sizeof *q->still);
  RH_TRY(read_tasks(in, q));
  q->scratch = rh_alloc(rh_ik_scratch(m, q->ntask) * sizeof(double));
  q->start = rh_alloc((size_t)(m->nq + 1) * sizeof(double));
  if (q->still == NULL || q->scratch == NULL || q->start == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  bool good = read_fixed(in, q);
  for (int i = 0; i < NUMBERS; i++) {
    int node = rh_input_find(in, number[i].name);
    q->par[i] = number[i].def;
    good = (node == RH_NONE || rh_input_value(in, &number[i], node, &q->par[i])) && good;
  }
  return good ? RH_OK : RH_INPUT_REFUSED;
}

// ---- Answer

static bool answer_passes(posed *q, rh_answer *answer)
{
  rh_data *d = q->world.data;
  size_t bytes = (size_t)d->model->nq * sizeof(double);
  rh_ik ik = {q->par[DAMPING], q->par[TOLERANCE], (int)q->par[PASSES], q->still};
  memcpy(q->start, d->q, bytes);
  rh_ik_answer all = rh_ik_solve(d, q->task, q->ntask, &ik, q->scratch);
  int shown = all.iterations < SHOWN ? all.iterations : SHOWN;
  double *coordinates = rh_answer_add(answer, "q", 1, d->model->nq, 1, 1);
  double *error = rh_answer_add(answer, "error_norms", 1, shown + 1, 1, 1);
  double *pass = rh_answer_add(answer, "q_passes", 2, shown + 1, d->model->nq, 1);
  if (coordinates == NULL || error == NULL || pass == NULL) {
    return false;
  }
  memcpy(coordinates, d->q, bytes);
  for (int i = 0; i <= shown; i++) {
    memcpy(d->q, q->start, bytes);
    ik.passes = i;
    error[i] = rh_ik_solve(d, q->task, q->ntask, &ik, q->scratch).error;
    memcpy(pass + (size_t)i * (size_t)d->model->nq, d->q, bytes);
  }
  memcpy(d->q, coordinates, bytes);
  return rh_answer_flag(answer, "solved", all.solved) &&
         rh_answer_number(answer, "iterations", all.iterations);
}

static bool answer_rates(posed *q, rh_answer *answer)
{
  rh_data *d = q->world.data;
  int nv = d->model->nv;
  double *v = rh_answer_add(answer, "v", 1, nv, 1, 1);
  double *a = rh_answer_add(answer, "a", 1, nv, 1, 1);
  double *bias = rh_answer_add(answer, "Jdot_v", 2, q->ntask, 3, 1);
  if (v == NULL || a == NULL || bias == NULL) {
    return false;
  }
  rh_kinematics(d);
  int rank = rh_ik_velocity(d, q->task, q->ntask, q->scratch, v);
  memcpy(d->v, v, (size_t)nv * sizeof(double));
  rh_kinematics(d);
  for (int i = 0; i < q->ntask; i++) {
    rh_vec3 b = rh_task_bias(d, &q->task[i]);
    memcpy(bias + (ptrdiff_t)3 * i, &b.x, 3 * sizeof(double));
  }
  (void)rh_ik_acceleration(d, q->task, q->ntask, q->scratch, a);
  return rh_answer_number(answer, "rank", rank);
}

static bool answer_names(const rh_model *m, rh_answer *answer)
{
  rh_name *joint = rh_answer_add_names(answer, "joints", m->nbody - 1);
  for (int body = 1; joint != NULL && body < m->nbody; body++) {
    joint[body - 1] = rh_name_of(rh_model_name(m, RH_OBJECT_JOINT, body));
  }
  return joint != NULL;
}

static rh_status solve_inverse_kinematics(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = open_problem(in, &q);
  if (status == RH_OK && !(answer_names(q.world.model, answer) && answer_passes(&q, answer) &&
                           answer_rates(&q, answer))) {
    status = RH_OUT_OF_MEMORY;
  }
  rh_free(q.task);
  rh_free(q.still);
  rh_free(q.scratch);
  rh_free(q.start);
  rh_posed_close(&q.world);
  return status;
}

const rh_problem rh_problem_inverse_kinematics = {
    .row = {"inverse_kinematics", "[Ch] 4.6-4.16*",
            "coordinates, velocities and accelerations of wanted places and attitudes", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_inverse_kinematics,
};
