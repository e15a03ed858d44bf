// Gait: where the feet and the body are at given times. Two feet step in turn as in [Ch]; with
// `gait` or `phases` any number of legs follow a table of phases.
#include "problems/problem_matrix.h"

#include <routh/robot.h>

#include <string.h>

enum { TIMES_MAX = 20000, STEPS_MAX = 100000 };

enum { STRIDE, HEIGHT, TURN, DURATION, STEPS, CYCLES, DUTY, LEGS, NUMBERS };

static const rh_param input[] = {
    {.name = "stride",
     .unit = "m",
     .def = 0.2,
     .lo = -100,
     .hi = 100,
     .doc = "of a foot; default: 0.2"},
    {.name = "height",
     .unit = "m",
     .def = 0.05,
     .lo = 0,
     .hi = 100,
     .doc = "of a swinging foot; default: 0.05"},
    {.name = "turn",
     .unit = "rad",
     .def = 0,
     .lo = -3,
     .hi = 3,
     .doc = "change of heading per step, or per cycle; default: 0"},
    {.name = "duration",
     .unit = "s",
     .def = 1,
     .lo = 0,
     .hi = 1e6,
     .open = true,
     .doc = "of a step, or of a cycle; default: 1"},
    {.name = "steps",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = STEPS_MAX,
     .type = RH_INTEGER,
     .doc = "of two feet, the last brings them together; default: 0, no end"},
    {.name = "cycles",
     .unit = "1",
     .def = 4,
     .lo = 0,
     .hi = STEPS_MAX,
     .type = RH_INTEGER,
     .doc = "strides of a gait; default: 4"},
    {.name = "duty",
     .unit = "1",
     .def = 0,
     .lo = 0,
     .hi = 0.99,
     .doc = "part of a cycle for which a leg stands; default: that of the gait, or 0.75"},
    {.name = "legs",
     .unit = "1",
     .def = 4,
     .lo = 1,
     .hi = RH_LEGS_MAX,
     .type = RH_INTEGER,
     .doc = "of a gait by its name; default: 4"},
    {.name = "gait", .unit = "1", .type = RH_TEXT, .doc = "walk, trot, pace, bound or tripod"},
    {.name = "phases",
     .unit = "1",
     .type = RH_LIST,
     .doc = "part of the cycle at which each leg leaves the ground, 0 to 1"},
    {.name = "times", .unit = "s", .type = RH_LIST, .doc = "times; required"},
};

static const rh_output output[] = {
    {"x", "m", "n x legs",
     "displacement of each foot ahead, axes of the start; two feet: left, right"},
    {"xd", "m/s", "n x legs", "its velocity"},
    {"xdd", "m/s^2", "n x legs", "and acceleration"},
    {"y", "m", "n x legs", "to the left"},
    {"z", "m", "n x legs", "height"},
    {"zd", "m/s", "n x legs", "its velocity"},
    {"zdd", "m/s^2", "n x legs", "and acceleration"},
    {"heading", "rad", "n x legs", "of each foot"},
    {"swings", "1", "n x legs", "1: the foot is in the air"},
    {"com_x", "m", "n", "centre of mass, or body"},
    {"com_xd", "m/s", "n", "its velocity"},
    {"com_y", "m", "n", "to the left (gaits)"},
    {"com_heading", "rad", "n", "heading of the body (gaits)"},
    {"end", "s", "", "when the last foot is put down (gaits)"},
};

typedef struct posed {
  double par[NUMBERS];
  bool by_phase;
  rh_gait gait;
  rh_block t;
} posed;

static bool read_phases(const rh_inputs *in, rh_gait *gait)
{
  rh_block phase = {0};
  int node = rh_input_find(in, "phases");
  bool good = rh_input_list(in, "phases", RH_NONE, RH_LEGS_MAX, &phase);
  for (int i = 0; good && i < phase.rows; i++) {
    good = (phase.x[i] >= 0 && phase.x[i] <= 1) ||
           rh_input_refuse(in, node, "phases[%d] must be 0 to 1", i);
  }
  if (good) {
    gait->legs = phase.rows;
    memcpy(gait->phase, phase.x, (size_t)phase.rows * sizeof(double));
  }
  rh_block_free(&phase);
  return good;
}

static bool read_gait(const rh_inputs *in, posed *q)
{
  int node = rh_input_find(in, "gait");
  rh_gait *g = &q->gait;
  *g = (rh_gait){.cycle = q->par[DURATION],
                 .duty = 0.75,
                 .stride = q->par[STRIDE],
                 .turn = q->par[TURN],
                 .height = q->par[HEIGHT],
                 .cycles = (int)q->par[CYCLES]};
  bool good = true;
  if (node != RH_NONE) {
    const char *name = rh_input_text(in, node, "gait");
    g->legs = (int)q->par[LEGS];
    good = name != NULL && (rh_gait_phases(name, g->legs, g->phase, &g->duty) ||
                            rh_input_refuse(in, node,
                                            "there is no gait '%.40s' of %d legs; there are walk "
                                            "(2, 4, 6), trot, pace, bound (4), tripod (6)",
                                            name, g->legs));
  }
  if (rh_input_find(in, "phases") != RH_NONE) {
    good = read_phases(in, g) && good;
  }
  g->duty = q->par[DUTY] > 0 ? q->par[DUTY] : g->duty;
  return good;
}

static bool read_all(const rh_inputs *in, posed *q)
{
  bool good = true;
  for (int i = 0; i < NUMBERS; i++) {
    q->par[i] = input[i].def;
    good = rh_input_one(in, &input[i], false, &q->par[i]) && good;
  }
  q->by_phase = rh_input_find(in, "gait") != RH_NONE || rh_input_find(in, "phases") != RH_NONE;
  good = rh_input_list(in, "times", RH_NONE, TIMES_MAX, &q->t) && good;
  return good && (!q->by_phase || read_gait(in, q));
}

// Of one foot at one time: x, y, z, heading, whether it swings
typedef struct foot_at {
  rh_way x, y, z, heading;
  bool swings;
} foot_at;

static foot_at leg_foot(const rh_gait *g, const rh_leg_at *leg)
{
  double T = (1 - g->duty) * g->cycle;
  foot_at f = {.x = {leg->from.x, 0, 0},
               .y = {leg->from.y, 0, 0},
               .heading = {leg->from.turn, 0, 0},
               .swings = leg->swings};
  if (leg->swings) {
    f.x = rh_cubic(leg->into, T, leg->from.x, leg->to.x);
    f.y = rh_cubic(leg->into, T, leg->from.y, leg->to.y);
    f.heading = rh_cubic(leg->into, T, leg->from.turn, leg->to.turn);
    f.z = rh_swing_arc(leg->into, T, g->height);
  }
  return f;
}

// The feet, and x, y, heading of the body
static void feet_at(const posed *q, double t, foot_at *foot, rh_way body[3])
{
  if (q->by_phase) {
    rh_gait_at at;
    rh_gait_plan(&q->gait, t, &at);
    memcpy(body, at.body, sizeof at.body);
    for (int i = 0; i < q->gait.legs; i++) {
      foot[i] = leg_foot(&q->gait, &at.leg[i]);
    }
    return;
  }
  const rh_walk walk = {q->par[DURATION], q->par[STRIDE], q->par[HEIGHT], (int)q->par[STEPS],
                        q->par[TURN]};
  rh_walk_at at;
  rh_walk_plan(&walk, t, &at);
  body[0] = at.com;
  for (int i = 0; i < 2; i++) {
    foot[i] = (foot_at){at.foot[i][0], at.side[i], at.foot[i][1], at.heading[i], at.swinging == i};
  }
  body[1].x = 0.5 * (at.side[0].x + at.side[1].x);
  body[2].x = 0.5 * (at.heading[0].x + at.heading[1].x);
}

static bool answer_all(const posed *q, rh_answer *answer)
{
  enum { MATRICES = 9, LISTS = 4 };

  int n = q->t.rows;
  int legs = q->by_phase ? q->gait.legs : 2;
  double *matrix[MATRICES];
  double *list[LISTS];
  for (int i = 0; i < MATRICES + LISTS; i++) {
    double *x =
        rh_answer_add(answer, output[i].name, i < MATRICES ? 2 : 1, n, i < MATRICES ? legs : 1, 1);
    if (x == NULL) {
      return false;
    }
    *(i < MATRICES ? &matrix[i] : &list[i - MATRICES]) = x;
  }
  for (int k = 0; k < n; k++) {
    foot_at foot[RH_LEGS_MAX];
    rh_way body[3] = {{0}};
    feet_at(q, q->t.x[k], foot, body);
    for (int i = 0; i < legs; i++) {
      const foot_at *f = &foot[i];
      const double value[MATRICES] = {f->x.x, f->x.v, f->x.a,       f->y.x,   f->z.x,
                                      f->z.v, f->z.a, f->heading.x, f->swings};
      for (int j = 0; j < MATRICES; j++) {
        matrix[j][k * legs + i] = value[j];
      }
    }
    const double value[LISTS] = {body[0].x, body[0].v, body[1].x, body[2].x};
    for (int j = 0; j < LISTS; j++) {
      list[j][k] = value[j];
    }
  }
  return q->by_phase ? rh_answer_number(answer, "end", rh_gait_end(&q->gait))
                     : rh_answer_null(answer, "end");
}

static rh_status solve_gait(const rh_inputs *in, rh_answer *answer)
{
  posed q = {0};
  rh_status status = !read_all(in, &q)        ? RH_INPUT_REFUSED
                     : answer_all(&q, answer) ? RH_OK
                                              : RH_OUT_OF_MEMORY;
  rh_block_free(&q.t);
  return status;
}

const rh_problem rh_problem_gait = {
    .row = {"gait", "[Ch] 4.1-4.5*", "feet and body of a walk: two feet, or legs by their phases",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_gait,
};
