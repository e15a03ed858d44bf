// Two elastic spheres, or one and a half-space, meet obliquely: Hertz's normal force with the
// damping of Tsuji, Mindlin's tangential stiffness with friction that remembers. In a plane: x along
// the surface, y the normal; spin is positive counter-clockwise.
#include "laws/material.h"
#include "laws/spheres/mindlin.h"
#include "problems/problem_planar.h"

static const rh_param input[] = {
    {.name = "body1",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "map of the upper sphere: R, m, E, nu, velocities vx, vy, w before"},
    {.name = "body2",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "the lower one; {E, nu} only: a half-space; default, or null: a rigid half-space"},
    {.name = "mu", .unit = "1", .lo = 0, .hi = 1e6, .doc = "coefficient of friction; required"},
    {.name = "e",
     .unit = "1",
     .def = 1,
     .lo = 0,
     .hi = 1,
     .doc = "restitution along the normal, the same at every speed; required",
     .open = true},
    {.name = "history",
     .unit = "1",
     .type = RH_CHOICE,
     .choices = "spring|force|rescale",
     .doc = "friction as the stiffness changes: F = -k xi; dF/dt = -k u; the same, rescaled in "
            "unloading; default: spring"},
};

enum { BODY1, BODY2, MU, E, HISTORY };

static const rh_output output[] = {
    {"v", "m/s, rad/s", "3 or 6", "vx, vy, w of body 1, then of body 2, after"},
    {"u", "m/s", "2", "velocity of the contact (t, n) after"},
    {"p", "N s", "2", "impulse on body 1 (t, n)"},
    {"contact_time", "s", "", "until the depth is zero again"},
    {"max_depth", "m", "", "greatest depth"},
    {"max_force", "N", "", "greatest normal force"},
    {"D_n", "J", "", "dissipated along the normal"},
    {"D_t", "J", "", "dissipated along the surface: by sliding, and by changes of stiffness"},
    {"modes", "1", "list",
     "{mode, dir, s0, s1}: phases of stick and slip in parts of contact_time"},
};

#define FARTHEST 1e12 // [m/s]

static const rh_param body_param[] = {
    {.name = "E", .unit = "Pa", .lo = 0, .hi = 1e18, .doc = "modulus of elasticity", .open = true},
    {.name = "nu", .unit = "1", .lo = -0.99, .hi = 0.5, .doc = "Poisson's ratio"},
    {.name = "R", .unit = "m", .lo = 0, .hi = 1e12, .doc = "radius", .open = true},
    {.name = "m", .unit = "kg", .lo = 0, .hi = 1e15, .doc = "mass", .open = true},
    {.name = "vx", .unit = "m/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "velocity"},
    {.name = "vy", .unit = "m/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "velocity"},
    {.name = "w", .unit = "rad/s", .lo = -FARTHEST, .hi = FARTHEST, .doc = "spin"},
};

enum { MODULUS, NU, R, M, VX, VY, W, NBODY };

typedef struct two_spheres {
  double body[2][NBODY];
  bool moves; // body 2 is a sphere
} two_spheres;

static bool read_sphere(const rh_inputs *in, int which, two_spheres *s)
{
  int map = rh_input_find(in, input[which].name);
  double *body = s->body[which];
  if (map == RH_NONE || rh_yaml_is_null(in->tree, map)) {
    body[MODULUS] = HUGE_VAL; // rigid
    return which == BODY2 ||
           rh_input_refuse(in, in->map, "'body1' is missing: %s", input[BODY1].doc);
  }
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, map, "%s must be a map {R, m, E, nu, vx, vy, w}, got %s",
                           input[which].name, rh_yaml_what(in->tree, map));
  }
  const char *known[NBODY];
  bool good = true;
  bool sphere = which == BODY1 || rh_yaml_find(in->tree, map, "R") != RH_NONE ||
                rh_yaml_find(in->tree, map, "m") != RH_NONE;
  for (int i = 0; i < NBODY; i++) {
    known[i] = body_param[i].name;
    if (i < R || sphere) {
      good = rh_planar_number(in, map, &body_param[i], i <= M, &body[i]) && good;
    }
  }
  s->moves = which == BODY2 && sphere;
  return rh_input_keys(in, map, "key of a body", known, sphere ? NBODY : R) && good;
}

static bool read_all(const rh_inputs *in, two_spheres *s, rh_mindlin_in *impact)
{
  double history;
  bool good = read_sphere(in, BODY1, s);
  good = read_sphere(in, BODY2, s) && good;
  good = rh_planar_number(in, in->map, &input[MU], true, &impact->mu) && good;
  good = rh_planar_number(in, in->map, &input[E], true, &impact->e) && good;
  good = rh_planar_number(in, in->map, &input[HISTORY], false, &history) && good;
  if (!good) {
    return false;
  }
  const double *a = s->body[0];
  const double *b = s->body[1];
  double light = 1 / a[M] + (s->moves ? 1 / b[M] : 0);
  impact->modulus = rh_effective_modulus(a[MODULUS], a[NU], b[MODULUS], b[NU]);
  impact->shear = rh_effective_shear(a[MODULUS], a[NU], b[MODULUS], b[NU]);
  impact->radius = 1 / (1 / a[R] + (s->moves ? 1 / b[R] : 0));
  impact->mass = 1 / light;
  impact->Wtt = 3.5 * light; // inertia 2/5 m R^2
  impact->speed = b[VY] - a[VY];
  impact->slip = a[VX] + a[R] * a[W] - (b[VX] - b[R] * b[W]);
  impact->history = (rh_history)(int)history;
  return impact->speed > 0 ||
         rh_input_refuse(in, in->map,
                         "the bodies do not approach: vy of body1 less that of body2 "
                         "must be < 0, got %g m/s",
                         -impact->speed);
}

static bool write_modes(const rh_mindlin_out *out, rh_answer *answer)
{
  rh_text *text = rh_answer_add_part(answer, "modes");
  if (text == NULL) {
    return false;
  }
  rh_json json = rh_json_start(text, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < out->nmode; i++) {
    double end = i + 1 < out->nmode ? out->from[i + 1] : out->time;
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "mode", out->dir[i] == 0 ? "stick" : "slip");
    rh_json_number(&json, "dir", out->dir[i]);
    rh_json_number(&json, "s0", out->from[i] / out->time);
    rh_json_number(&json, "s1", end / out->time);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  return !text->failed;
}

static bool answer_all(const two_spheres *s, const rh_mindlin_in *in, const rh_mindlin_out *out,
                       rh_answer *answer)
{
  double *v = rh_answer_add(answer, "v", 1, s->moves ? 6 : 3, 1, 1);
  double *u = rh_answer_add(answer, "u", 1, 2, 1, 1);
  double *p = rh_answer_add(answer, "p", 1, 2, 1, 1);
  if (v == NULL || u == NULL || p == NULL) {
    return false;
  }
  for (int i = 0; i < (s->moves ? 2 : 1); i++) {
    const double *b = s->body[i];
    double sign = i == 0 ? 1 : -1;
    v[3 * i] = b[VX] + sign * out->pt / b[M];
    v[3 * i + 1] = b[VY] + sign * out->pn / b[M];
    v[3 * i + 2] = b[W] + 2.5 * out->pt / (b[M] * b[R]);
  }
  u[0] = out->slip;
  u[1] = in->e * in->speed;
  p[0] = out->pt;
  p[1] = out->pn;
  double lost = 0.5 * in->mass * in->speed * in->speed * (1 - in->e * in->e);
  double slid = 0.5 * (in->slip * in->slip - out->slip * out->slip) / in->Wtt;
  return rh_answer_number(answer, "contact_time", out->time) &&
         rh_answer_number(answer, "max_depth", out->depth) &&
         rh_answer_number(answer, "max_force", out->force) &&
         rh_answer_number(answer, "D_n", lost) && rh_answer_number(answer, "D_t", slid) &&
         write_modes(out, answer);
}

static rh_status solve_hertz_mindlin_impact(const rh_inputs *in, rh_answer *answer)
{
  two_spheres spheres = {{{0}}, false};
  rh_mindlin_in impact;
  rh_mindlin_out out;
  if (!read_all(in, &spheres, &impact)) {
    return RH_INPUT_REFUSED;
  }
  if (!rh_mindlin_impact(&impact, &out)) {
    (void)rh_input_refuse(in, in->map, "the impact has more than %d phases of stick and slip",
                          RH_MINDLIN_MODES);
    return RH_STOPPED;
  }
  return answer_all(&spheres, &impact, &out, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_hertz_mindlin_impact = {
    .row = {"hertz_mindlin_impact", "Mindlin and Deresiewicz 1953; Tsuji et al. 1992",
            "elastic spheres meet obliquely, with friction that remembers", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_hertz_mindlin_impact,
};
