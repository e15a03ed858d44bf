// Inputs of the problems on two elastic bodies: body1 and body2 {E, nu}, and the profile, a map by
// its kind.
#include "patch_bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { E, NU };

static const rh_param body_param[] = {
    {.name = "E", .unit = "Pa", .lo = 0, .hi = 1e18, .doc = "modulus of elasticity", .open = true},
    {.name = "nu", .unit = "1", .def = 0.3, .lo = -0.99, .hi = 0.5, .doc = "Poisson's ratio"},
};

static const rh_problem body_inputs = {
    .row = {.name = "body", .param = body_param, .nparam = RH_COUNT(body_param)}};

enum { KIND, RADIUS, SOCKET, SCALE, EXPONENT, SLOPE, FLAT, TABLE_R, TABLE_HEIGHT, GAP_FILE };

#define PROFILE_LENGTH(word, text)                                                                 \
  {                                                                                                \
    .name = (word), .unit = "m", .def = -1, .lo = 0, .hi = 1e9, .doc = (text)                      \
  }

static const rh_param profile_param[] = {
    {.name = "kind",
     .unit = "1",
     .def = -1,
     .lo = RH_PROFILE_SPHERE,
     .hi = RH_PROFILE_GAP,
     .doc = "sphere, power, cone, flat, socket, table or gap",
     .type = RH_CHOICE,
     .choices = "sphere|power|cone|flat|socket|table|gap"},
    PROFILE_LENGTH("R", "radius of the sphere, of the ball, of the edge"),
    PROFILE_LENGTH("R_socket", "radius of the socket"),
    {.name = "scale", .unit = "1", .def = -1, .lo = 0, .hi = 1e18, .doc = "C of C r^exponent"},
    {.name = "exponent", .unit = "1", .def = -1, .lo = 1, .hi = 100, .doc = "of C r^exponent"},
    {.name = "slope", .unit = "1", .def = -1, .lo = 0, .hi = 1e6, .doc = "of a cone"},
    PROFILE_LENGTH("flat", "radius of the flat face"),
    {.name = "r", .unit = "m", .lo = 0, .hi = 1e9, .type = RH_LIST, .doc = "radii of a table"},
    {.name = "height",
     .unit = "m",
     .lo = -1e9,
     .hi = 1e9,
     .type = RH_LIST,
     .doc = "gaps at these radii, or of all cells"},
    {.name = "file",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "CSV file of the gaps of all cells [m], relative to the problem file"},
};

static const rh_problem profile_inputs = {
    .row = {.name = "profile", .param = profile_param, .nparam = RH_COUNT(profile_param)}};

// Which inputs a kind has, by bits
static const unsigned has[] = {
    [RH_PROFILE_SPHERE] = 1u << RADIUS,
    [RH_PROFILE_POWER] = 1u << SCALE | 1u << EXPONENT,
    [RH_PROFILE_CONE] = 1u << SLOPE,
    [RH_PROFILE_FLAT] = 1u << FLAT | 1u << RADIUS,
    [RH_PROFILE_SOCKET] = 1u << RADIUS | 1u << SOCKET,
    [RH_PROFILE_TABLE] = 1u << TABLE_R | 1u << TABLE_HEIGHT,
    [RH_PROFILE_GAP] = 1u << TABLE_HEIGHT | 1u << GAP_FILE,
};

// The inputs of a map that is an input; its keys are those of `problem`.
static bool open_map(const rh_inputs *in, const char *name, const rh_problem *problem,
                     rh_inputs *sub)
{
  const char *known[RH_PAR_MAX];
  *sub = *in;
  sub->problem = problem;
  sub->map = rh_input_find(in, name);
  if (sub->map == RH_NONE) {
    return rh_input_refuse(in, in->map, "input '%s' is missing", name);
  }
  if (in->tree->node[sub->map].kind != RH_NODE_MAP) {
    return rh_input_refuse(in, sub->map, "%s must be a map, got %s", name,
                           rh_yaml_what(in->tree, sub->map));
  }
  for (int i = 0; i < problem->row.nparam; i++) {
    known[i] = problem->row.param[i].name;
  }
  return rh_input_keys(in, sub->map, name, known, problem->row.nparam);
}

static bool read_body(const rh_inputs *in, const char *name, double *modulus, double *nu)
{
  rh_inputs sub;
  double value[RH_PAR_MAX];
  if (!open_map(in, name, &body_inputs, &sub) || !rh_plain_inputs(&sub, value)) {
    return false;
  }
  *modulus = value[E];
  *nu = value[NU];
  return true;
}

// Numbers that the kind has, and no others
static bool read_numbers(const rh_inputs *sub, unsigned wanted, double value[RH_PAR_MAX])
{
  bool good = true;
  for (int i = RADIUS; i < RH_COUNT(profile_param); i++) {
    const rh_param *param = &profile_param[i];
    bool wants = (wanted >> i & 1u) != 0;
    int node = rh_input_find(sub, param->name);
    value[i] = param->def;
    if (node == RH_NONE) {
      bool edge = i == RADIUS && (wanted >> FLAT & 1u) != 0; // a sharp one
      bool optional = !wants || edge || (wanted >> GAP_FILE & 1u) != 0;
      good = (optional || rh_input_refuse(sub, sub->map, "input '%s' is missing: %s", param->name,
                                          param->doc)) &&
             good;
      value[i] = 0;
    } else if (!wants) {
      good = rh_input_refuse(sub, node, "a profile of this kind has no '%s'", param->name);
    } else if (param->type != RH_LIST && param->type != RH_TEXT) {
      good = rh_input_value(sub, param, node, &value[i]) && good;
      bool zero = good && value[i] == 0 && !(i == RADIUS && (wanted >> FLAT & 1u) != 0);
      good = !zero ? good : rh_input_refuse(sub, node, "%s must be > 0, got 0", param->name);
    }
  }
  return good;
}

static bool read_table(const rh_inputs *sub, rh_profile *p)
{
  int n = 0;
  bool gap = p->kind == RH_PROFILE_GAP;
  int file = rh_input_find(sub, "file");
  if (gap && (file == RH_NONE) == (rh_input_find(sub, "height") == RH_NONE)) {
    return rh_input_refuse(sub, sub->map, "either height or file must be given");
  }
  if (gap && file != RH_NONE) {
    return rh_gap_file_read(sub, file, &p->height, &p->n);
  }
  p->height = rh_list_input(sub, TABLE_HEIGHT, RH_PATCH_MAX * RH_PATCH_MAX, &p->n);
  p->r = gap ? NULL : rh_list_input(sub, TABLE_R, RH_PATCH_MAX * RH_PATCH_MAX, &n);
  if (p->height == NULL || (!gap && p->r == NULL)) {
    return false;
  }
  int side = (int)(sqrt(p->n) + 0.5);
  if (gap) {
    return side * side == p->n ||
           rh_input_refuse(sub, rh_input_find(sub, "height"),
                           "height must have n x n numbers, row by row, got %d", p->n);
  }
  bool good = n == p->n && n >= 2 && p->r[0] == 0;
  for (int i = 1; good && i < n; i++) {
    good = p->r[i] > p->r[i - 1];
  }
  return good || rh_input_refuse(sub, rh_input_find(sub, "r"),
                                 "r must begin with 0, rise, and have as many numbers as height, "
                                 "2 or more");
}

static bool read_profile(const rh_inputs *in, rh_profile *p)
{
  rh_inputs sub;
  double value[RH_PAR_MAX] = {0};
  int node = RH_NONE;
  if (!open_map(in, "profile", &profile_inputs, &sub)) {
    return false;
  }
  node = rh_input_find(&sub, "kind");
  if (node == RH_NONE) {
    return rh_input_refuse(&sub, sub.map, "input 'kind' is missing: %s", profile_param[KIND].doc);
  }
  if (!rh_input_value(&sub, &profile_param[KIND], node, &value[KIND])) {
    return false;
  }
  *p = (rh_profile){.kind = (rh_profile_kind)value[KIND]};
  if (!read_numbers(&sub, has[p->kind], value)) {
    return false;
  }
  p->R = value[RADIUS];
  p->R_socket = value[SOCKET];
  p->scale = value[SCALE];
  p->exponent = value[EXPONENT];
  p->slope = value[SLOPE];
  p->flat = value[FLAT];
  if (p->kind == RH_PROFILE_SOCKET && !(p->R_socket > p->R)) {
    return rh_input_refuse(&sub, rh_input_find(&sub, "R_socket"),
                           "R_socket must be larger than R, got %g", p->R_socket);
  }
  return (p->kind != RH_PROFILE_TABLE && p->kind != RH_PROFILE_GAP) || read_table(&sub, p);
}

bool rh_patch_bodies_open(const rh_inputs *in, bool with_profile, rh_patch_bodies *b)
{
  double modulus[2] = {0, HUGE_VAL};
  double nu[2] = {0, 0};
  *b = (rh_patch_bodies){.round = false};
  bool good = read_body(in, "body1", &modulus[0], &nu[0]);
  if (rh_input_find(in, "body2") != RH_NONE) {
    good = read_body(in, "body2", &modulus[1], &nu[1]) && good;
  }
  if (with_profile) {
    good = read_profile(in, &b->profile) && good;
  }
  if (good) {
    b->pair = rh_elastic_pair_of(modulus, nu);
  }
  return good;
}

bool rh_patch_bodies_place(const rh_inputs *in, double approach, double load, rh_patch_bodies *b)
{
  b->round = rh_profile_is_convex(&b->profile);
  if (!b->round) {
    return true;
  }
  return rh_round_contact_find(&b->profile, b->pair.Estar, approach, load, &b->contact) ||
         rh_input_refuse(in, in->map,
                         "the profile ends before the bodies are pressed together so far");
}

void rh_patch_bodies_close(rh_patch_bodies *b)
{
  rh_free(b->profile.r);
  rh_free(b->profile.height);
  *b = (rh_patch_bodies){.round = false};
}

void rh_patch_bodies_gap(const rh_patch_bodies *b, int n, double h, double *gap)
{
  if (b->profile.kind == RH_PROFILE_GAP) {
    memcpy(gap, b->profile.height, (size_t)n * (size_t)n * sizeof *gap);
    return;
  }
  for (int i = 0; i < n * n; i++) {
    double x = (i % n - 0.5 * (n - 1)) * h;
    double y = (i / n - 0.5 * (n - 1)) * h;
    gap[i] = rh_profile_gap(&b->profile, rh_hypot(x, y));
  }
}

// ---- Levels

int rh_level_cells(int n, int levels, int k)
{
  int cells = (int)(n * rh_pow(0.5, 0.5 * (levels - 1 - k)) + 0.5);
  return cells > 2 ? cells : 2;
}

double rh_level_order(int levels, const double *h, const double *error)
{
  double n = 0;
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (int i = 0; i < levels; i++) {
    if (error[i] != 0 && isfinite(error[i])) {
      double x = rh_log(h[i]);
      double y = rh_log(fabs(error[i]));
      n++;
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
    }
  }
  return n >= 2 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : (double)NAN;
}
