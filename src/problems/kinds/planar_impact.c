// An impact of two bodies in a plane, or of one on the ground: [WK] ch. 3. Spin is positive counter-clockwise; the
// normal points from body 2 into body 1, and t = (n_y, -n_x).
#include "problems/problem_planar.h"

#include <math.h>

static const rh_param input[] = {
    RH_PLANAR_BODIES,
    RH_PLANAR_INPUTS,
};

enum { BODY1, BODY2, POINT, NORMAL };

static const rh_output output[] = {RH_PLANAR_OUTPUTS};

#define FARTHEST 1e12 // [m], [m/s]

static const rh_param body_param[] = {
    {.name = "m", .unit = "kg", .def = 1, .lo = 0, .hi = 1e15, .doc = "mass", .open = true},
    {.name = "I",
     .unit = "kg m^2",
     .def = 1,
     .lo = 0,
     .hi = 1e27,
     .doc = "inertia about the centre of mass",
     .open = true},
    {.name = "x", .unit = "m", .lo = -FARTHEST, .hi = FARTHEST, .doc = "centre of mass"},
    {.name = "y", .unit = "m", .lo = -FARTHEST, .hi = FARTHEST, .doc = "centre of mass"},
    {.name = "vx", .unit = "m/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "its velocity"},
    {.name = "vy", .unit = "m/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "its velocity"},
    {.name = "w", .unit = "rad/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "spin"},
};

enum { M, I, X, Y, VX, VY, W, NBODY };

static bool read_body(const rh_inputs *in, int which, double body[NBODY], bool *given)
{
  int map = rh_input_find(in, input[which].name);
  *given = map != RH_NONE && !rh_yaml_is_null(in->tree, map);
  if (!*given) {
    return which == BODY2 ||
           rh_input_refuse(in, in->map, "'body1' is missing: %s", input[BODY1].doc);
  }
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, map, "%s must be a map {m, I, x, y, vx, vy, w}, got %s",
                           input[which].name, rh_yaml_what(in->tree, map));
  }
  const char *known[NBODY];
  bool good = true;
  for (int i = 0; i < NBODY; i++) {
    known[i] = body_param[i].name;
    good = rh_planar_number(in, map, &body_param[i], i <= Y, &body[i]) && good;
  }
  return rh_input_keys(in, map, "key of a body", known, NBODY) && good;
}

static bool read_place(const rh_inputs *in, double point[2], double normal[2])
{
  int at = rh_input_find(in, input[POINT].name);
  int along = rh_input_find(in, input[NORMAL].name);
  bool good = at != RH_NONE
                  ? rh_input_vector(in, at, "point", "m", point, 2)
                  : rh_input_refuse(in, in->map, "'point' is missing: %s", input[POINT].doc);
  normal[0] = 0;
  normal[1] = 1;
  if (along == RH_NONE) {
    return good;
  }
  if (!rh_input_vector(in, along, "normal", "1", normal, 2)) {
    return false;
  }
  double length = rh_hypot(normal[0], normal[1]);
  if (!(length > 0 && isfinite(length))) {
    return rh_input_refuse(in, along, "normal must have a direction");
  }
  normal[0] /= length;
  normal[1] /= length;
  return good;
}

// The rows of one body; `sign` is -1 for body 2. With r from its centre to the point, v_point = (vx - w r_y, vy + w r_x):
// [WK] eq. 3.1-3.2 with spin counter-clockwise.
static void put_body(rh_planar_posed *posed, int first, double sign, const double body[NBODY],
                     const double place[4])
{
  const double *point = place;
  const double *n = place + 2;
  double r[2] = {point[0] - body[X], point[1] - body[Y]};
  const double t[2] = {n[1], -n[0]};
  const double Jt[3] = {t[0], t[1], r[0] * t[1] - r[1] * t[0]};
  const double Jn[3] = {n[0], n[1], r[0] * n[1] - r[1] * n[0]};
  for (int i = 0; i < 3; i++) {
    double mass = i < 2 ? body[M] : body[I];
    posed->Jt[first + i] = sign * Jt[i];
    posed->Jn[first + i] = sign * Jn[i];
    posed->Ut[first + i] = sign * Jt[i] / mass;
    posed->Un[first + i] = sign * Jn[i] / mass;
    posed->v[first + i] = body[VX + i];
    posed->Mv[first + i] = mass * body[VX + i];
  }
}

rh_status rh_planar_pose_pair(const rh_inputs *in, rh_planar_posed *posed)
{
  double body[2][NBODY] = {{0}};
  double place[4] = {0}; // point, normal
  bool given[2];
  bool good = read_body(in, BODY1, body[0], &given[0]);
  good = read_body(in, BODY2, body[1], &given[1]) && good;
  good = read_place(in, place, place + 2) && good;
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  if (!rh_planar_open(posed, given[1] ? 6 : 3)) {
    return RH_OUT_OF_MEMORY;
  }
  put_body(posed, 0, 1, body[0], place);
  if (given[1]) {
    put_body(posed, 3, -1, body[1], place);
  }
  return RH_OK;
}

rh_status rh_planar_pose_bodies(const rh_inputs *in, rh_planar_posed *posed)
{
  rh_status status = rh_planar_pose_pair(in, posed);
  bool good = rh_planar_read(in, posed);
  RH_TRY(status);
  return good && rh_planar_prepare(in, posed) ? RH_OK : RH_INPUT_REFUSED;
}

static rh_status solve_planar_impact(const rh_inputs *in, rh_answer *answer)
{
  rh_planar_posed posed = {0};
  rh_status status = rh_planar_pose_bodies(in, &posed);
  if (status == RH_OK) {
    status = rh_planar_answer(&posed, answer);
  }
  rh_planar_close(&posed);
  return status;
}

const rh_problem rh_problem_planar_impact = {
    .row = {"planar_impact", "[WK] ch. 3", "two bodies meet in a plane, or one the ground", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_planar_impact,
};
