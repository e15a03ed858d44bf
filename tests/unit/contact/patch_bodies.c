// unit_patch_bodies.c: two elastic bodies in cells: influence of all tractions, constants of the pair, profiles against Galin and
// Sneddon, friction against Spence, Mossakovskii, Mindlin, the spin torque, rolling against Carter and Kalker.
#include "halfspace/profiles.h"
#include "solved.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static solved pose_problem(const char *kind, const char *inputs)
{
  char text[2048];
  (void)snprintf(text, sizeof(text), "- {id: x, kind: %s, inputs: {\n%s}}\n", kind, inputs);
  solved s = solve(text);
  return s;
}

static solved solve_problem(const char *kind, const char *inputs)
{
  solved s = pose_problem(kind, inputs);
  ck_assert_msg(s.status == RH_OK, "%s: %s", inputs, s.json);
  return s;
}

// The number `key` of row `i` of the list `list`
static double row_number(const solved *s, const char *list, int i, const char *key)
{
  int node = rh_yaml_find(&s->tree, rh_yaml_find(&s->tree, s->root, "x"), list);
  ck_assert(node != RH_NONE);
  int child = s->tree.node[node].first;
  for (; i > 0; i--) {
    child = s->tree.node[child].next;
  }
  return strtod(rh_yaml_text(&s->tree, rh_yaml_find(&s->tree, child, key)), NULL);
}

// ---- Influence

typedef double (*point_influence)(double x, double y);

static double of_product(double x, double y)
{
  double r = hypot(x, y);
  return x * y / (r * r * r);
}

static double of_slope(double x, double y)
{
  return x / (x * x + y * y);
}

// Mean over a square of side 1 by the midpoint rule on m x m pieces
static double mean_over(point_influence f, double x, double y, int m)
{
  double sum = 0;
  for (int i = 0; i < m * m; i++) {
    sum += f(x + (i % m + 0.5) / m - 0.5, y + (i / m + 0.5) / m - 0.5);
  }
  return sum / m / m;
}

START_TEST(cross_influence_is_the_mean_over_a_cell)
{
  for (int i = 1; i < 5; i++) {
    for (int j = -2; j < 3; j++) {
      // Richardson's rule leaves (1/100)^4 times derivatives of order ten next to the cell.
      double fine = mean_over(of_slope, i, j, 200);
      double slope = fine + (fine - mean_over(of_slope, i, j, 100)) / 3;
      near_abs(PI * rh_influence_cell(RH_INFLUENCE_XN, i, j, 0), slope, 1e-7);
      near_abs(PI * rh_influence_cell(RH_INFLUENCE_YN, j, i, 0), slope, 1e-7);
      fine = mean_over(of_product, i, j, 200);
      double product = fine + (fine - mean_over(of_product, i, j, 100)) / 3;
      near_abs(PI * rh_influence_cell(RH_INFLUENCE_XY, i, j, 0.4), 0.4 * product, 1e-7);
    }
  }
  near_abs(rh_influence_cell(RH_INFLUENCE_XN, 0, 0, 0), 0, 1e-16);
  // Equal bodies: the tangential influence of the older function
  near_rel(rh_influence_cell(RH_INFLUENCE_XX, 1, 2, 0.3 / 0.7),
           rh_influence_tangential(1, 2, 1, 0.7, 0.3), 1e-13);
}

END_TEST

enum { NX = 7, NY = 5, CELLS = NX * NY };

// By transforms as by plain sums; what a force along i does along j is what one along j does along i.
START_TEST(convolution_is_the_sum)
{
  static const int part[3][3] = {{RH_INFLUENCE_XX, RH_INFLUENCE_XY, RH_INFLUENCE_XN},
                                 {RH_INFLUENCE_XY, RH_INFLUENCE_YY, RH_INFLUENCE_YN},
                                 {RH_INFLUENCE_XN, RH_INFLUENCE_YN, RH_INFLUENCE_NN}};
  const rh_elastic_pair pair = {1, 0.4, 0.3};
  rng r = {3};
  double f[3][CELLS];
  double u[3][CELLS];
  double *memory = calloc(rh_convolution_size(NX, NY), sizeof *memory);
  rh_convolution c;
  rh_convolution_open(&c, NX, NY, &pair, memory);
  for (int k = 0; k < 3 * CELLS; k++) {
    f[k / CELLS][k % CELLS] = rng_in(&r, -1, 1);
  }
  const double *const in[3] = {f[0], f[1], f[2]};
  double *const out[3] = {u[0], u[1], u[2]};
  rh_convolution_apply(&c, in, out);
  for (int k = 0; k < 3 * CELLS; k++) {
    int to = k % CELLS;
    double sum = 0;
    for (int m = 0; m < 3 * CELLS; m++) {
      int from = m % CELLS;
      int p = part[k / CELLS][m / CELLS];
      bool cross = p == RH_INFLUENCE_XN || p == RH_INFLUENCE_YN;
      double sign = !cross ? 1 : k / CELLS == RH_NORMAL ? 0.3 : -0.3;
      sum += sign * f[m / CELLS][from] *
             rh_influence_cell((rh_influence_part)p, to % NX - from % NX, to / NX - from / NX, 0.4);
    }
    near_abs(u[k / CELLS][to], sum, 1e-12);
  }
  free(memory);
}

END_TEST

START_TEST(constants_of_a_pair)
{
  rh_elastic_pair rigid = rh_elastic_pair_of((double[]){2e9, HUGE_VAL}, (double[]){0.3, 0});
  near_rel(rigid.Estar, 2e9 / 0.91, 1e-15);
  near_rel(rigid.beta, 0.4 / 1.4, 1e-15); // (1 - 2 nu) / (2 (1 - nu))
  near_rel(rigid.shear, 0.3 / 0.7, 1e-15);
  rh_elastic_pair equal = rh_elastic_pair_of((double[]){2e9, 2e9}, (double[]){0.3, 0.3});
  near_rel(equal.Estar, 1e9 / 0.91, 1e-15);
  near_abs(equal.beta, 0, 0);
  near_rel(equal.shear, 0.3 / 0.7, 1e-15);
  rh_elastic_pair one = rh_elastic_pair_of((double[]){1e9, 3e9}, (double[]){0.1, 0.4});
  rh_elastic_pair other = rh_elastic_pair_of((double[]){3e9, 1e9}, (double[]){0.4, 0.1});
  near_rel(one.beta, -other.beta, 1e-15);
  near_abs(rh_elastic_pair_of((double[]){1, HUGE_VAL}, (double[]){0.5, 0}).beta, 0, 0);
}

END_TEST

// ---- Profiles

#define GROUND "body1: {E: 1e9, nu: 0.3}, "
#define EQUAL  "body1: {E: 1e9, nu: 0.3}, body2: {E: 1e9, nu: 0.3}, "

START_TEST(two_spheres_as_hertz)
{
  solved s =
      solve_problem("patch_contact", "body1: {E: 210e9, nu: 0.3}, body2: {E: 70e9, nu: 0.33}, "
                                     "profile: {kind: sphere, R: 0.01}, P: 100, n: 32, levels: 7");
  double Estar = 1 / (0.91 / 210e9 + (1 - 0.33 * 0.33) / 70e9);
  double a = cbrt(0.75 * 100 * 0.01 / Estar);
  near_rel(number(&s, "x", "Estar"), Estar, 1e-14);
  near_rel(number(&s, "x", "a_theory"), a, 1e-12);
  near_rel(number(&s, "x", "delta_theory"), a * a / 0.01, 1e-12);
  near_rel(number(&s, "x", "F"), 100, 1e-10);
  near_rel(number(&s, "x", "delta"), a * a / 0.01, 1e-3);
  near_rel(number(&s, "x", "p_max"), 1.5 * 100 / (PI * a * a),
           5e-3); // mean over a cell of 0.04 a^2
  // The rim costs a whole cell at most, of a pressure that vanishes there like its square root: order 3/2, with the scatter
  // of cells that lie on the rim or not.
  ck_assert(number(&s, "x", "order") > 1 && number(&s, "x", "order") < 2.5);
  done(&s);
}

END_TEST

START_TEST(profiles_as_galin_and_sneddon)
{
  static const struct {
    const char *profile;
    double bar; // of the approach at 32 cells: h / a = 0.075; a sharp edge costs h / (4 a)
  } at[] = {{"{kind: cone, slope: 0.05}", 1e-3},
            {"{kind: power, scale: 1e4, exponent: 4}", 1e-3},
            {"{kind: power, scale: 50, exponent: 2}", 1e-3},
            {"{kind: flat, flat: 1e-3, R: 2e-3}", 5e-3}, // its edge lies in one cell
            {"{kind: flat, flat: 1e-3}", 0.02},
            {"{kind: socket, R: 0.01, R_socket: 0.0101}", 1e-3},
            {"{kind: table, r: [0, 1e-3, 2e-3, 9e-3], height: [0, 1e-5, 4e-5, 1e-3]}", 1e-3}};

  for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
    char inputs[512];
    (void)snprintf(inputs, sizeof(inputs), GROUND "profile: %s, P: 10, n: 32", at[i].profile);
    solved s = solve_problem("patch_contact", inputs);
    near_rel(number(&s, "x", "delta"), number(&s, "x", "delta_theory"), at[i].bar);
    near_rel(number(&s, "x", "a"), number(&s, "x", "a_theory"), 0.03);
    double load = number(&s, "x", "F_theory");
    near_rel(load, 10, 1e-9);
    done(&s);
  }
}

END_TEST

// Integrals over the profile against closed forms; a socket of nearly the ball's radius.
START_TEST(closed_forms_agree)
{
  const double a = 0.3;
  rh_profile cone = {.kind = RH_PROFILE_CONE, .slope = 0.2};
  rh_profile one = {.kind = RH_PROFILE_POWER, .scale = 0.2, .exponent = 1};
  rh_round_contact c = rh_round_contact_at(&cone, 5, a);
  rh_round_contact p = rh_round_contact_at(&one, 5, a);
  near_rel(c.approach, 0.5 * PI * 0.2 * a, 1e-12);
  near_rel(c.load, 5 * 0.5 * PI * 0.2 * a * a, 1e-6); // midpoint rule
  near_rel(p.approach, c.approach, 1e-12);
  near_rel(p.load, 5 * 0.5 * PI * 0.2 * a * a, 1e-12);
  rh_profile sphere = {.kind = RH_PROFILE_SPHERE, .R = 2};
  rh_profile two = {.kind = RH_PROFILE_POWER, .scale = 0.25, .exponent = 2};
  c = rh_round_contact_at(&sphere, 5, a);
  p = rh_round_contact_at(&two, 5, a);
  near_rel(p.approach, c.approach, 1e-12);
  near_rel(p.load, c.load, 1e-12);
  // Steuermann: the gap of the socket is 1/2 (1/R1 - 1/R2) r^2 + 1/8 (1/R1^3 - 1/R2^3) r^4 + ...; the sixth power is 1e-3 of
  // the second here.
  rh_profile socket = {.kind = RH_PROFILE_SOCKET, .R = 1, .R_socket = 1.1};
  two = (rh_profile){.kind = RH_PROFILE_POWER, .scale = 0.5 * (1 - 1 / 1.1), .exponent = 2};
  rh_profile four = {.kind = RH_PROFILE_POWER, .scale = (1 - 1 / 1.331) / 8, .exponent = 4};
  rh_round_contact s = rh_round_contact_at(&socket, 5, 0.2);
  c = rh_round_contact_at(&two, 5, 0.2);
  p = rh_round_contact_at(&four, 5, 0.2);
  near_rel(s.approach, c.approach + p.approach, 2e-3);
  near_rel(s.load, c.load + p.load, 2e-3);
  ck_assert(s.load > 1.01 * c.load); // Hertz is off
}

END_TEST

START_TEST(gaps_given_cell_by_cell)
{
  enum { N = 8 };

  char inputs[4096];
  int used = snprintf(inputs, sizeof(inputs),
                      GROUND "delta: 1e-5, n: 8, half_width: %.17g, profile: {kind: gap, height: [",
                      1.2 * sqrt(1e-7));
  for (int i = 0; i < N * N; i++) {
    double h = 2.4 * sqrt(1e-7) / N;
    double x = (i % N - 3.5) * h;
    double y = (i / N - 3.5) * h;
    used += snprintf(inputs + used, sizeof(inputs) - (size_t)used, "%s%.17g", i > 0 ? "," : "",
                     (x * x + y * y) / 0.02);
  }
  (void)snprintf(inputs + used, sizeof(inputs) - (size_t)used, "]}");
  char text[4200];
  (void)snprintf(text, sizeof(text), "- {id: x, kind: patch_contact, inputs: {\n%s}}\n", inputs);
  solved given = solve(text);
  ck_assert_int_eq(given.status, RH_OK);
  solved round =
      solve_problem("patch_contact", GROUND "delta: 1e-5, n: 8, profile: {kind: sphere, R: 0.01}");
  near_rel(number(&given, "x", "F"), number(&round, "x", "F"), 1e-9);
  done(&given);
  done(&round);
}

END_TEST

// ---- Friction

// A flat punch is loaded in one step. With tractions that do not lift the surface Spence's equation is exact: to a cell in the
// radius.
START_TEST(spence_stick_radius)
{
  static const char *const mu[] = {"0.1", "0.2", "0.35"};
  for (int i = 0; i < 3; i++) {
    char inputs[512];
    (void)snprintf(inputs, sizeof(inputs),
                   GROUND
                   "profile: {kind: flat, flat: 1}, coupling: one-way, delta: [1], steps: 1, "
                   "n: 48, mu: %s",
                   mu[i]);
    solved s = solve_problem("patch_friction", inputs);
    near_abs(row_number(&s, "rows", 0, "c_over_a"), number(&s, "x", "c_over_a_spence"), 0.05);
    done(&s);
  }
  near_abs(rh_spence_stick(0), 0, 0);
  near_abs(rh_spence_stick(HUGE_VAL), 1, 0);
}

END_TEST

// Under a sphere the stick radius is the same part of the contact at every load, that of the punch; incompressible ground does not
// slip at all.
START_TEST(spence_is_self_similar)
{
  solved s =
      solve_problem("patch_friction", GROUND "profile: {kind: sphere, R: 1}, coupling: one-way, "
                                             "delta: [0.005, 0.01], steps: 6, n: 32, mu: 0.2");
  double c = number(&s, "x", "c_over_a_spence");
  near_abs(row_number(&s, "rows", 0, "c_over_a"), c, 0.06); // a cell is 0.1 a, then 0.075 a
  near_abs(row_number(&s, "rows", 1, "c_over_a"), c, 0.05);
  done(&s);
  s = solve_problem("patch_friction", "body1: {E: 1e9, nu: 0.5}, profile: {kind: sphere, R: 1}, "
                                      "delta: [0.01], steps: 2, n: 16, mu: 0.01");
  near_abs(row_number(&s, "rows", 0, "c_over_a"), 1, 0);
  near_abs(number(&s, "x", "beta"), 0, 0);
  done(&s);
}

END_TEST

// A punch that sticks is stiffer by ln((1 + beta) / (1 - beta)) / (2 beta): 1.0986 at nu = 0. Both are too soft by a part of h / a,
// which cancels.
START_TEST(punch_that_sticks)
{
  const char *const base = "body1: {E: 1, nu: 0}, profile: {kind: flat, flat: 1}, delta: [1], "
                           "steps: 1, n: 32, ";
  char inputs[512];
  double P[2];
  for (int i = 0; i < 2; i++) {
    (void)snprintf(inputs, sizeof(inputs), "%smu: %s", base, i == 0 ? "0" : "1e5");
    solved s = solve_problem("patch_friction", inputs);
    P[i] = row_number(&s, "rows", 0, "P");
    done(&s);
  }
  near_rel(P[1] / P[0], rh_no_slip_stiffness(0.5), 4e-3);
  near_rel(rh_no_slip_stiffness(0.5), log(3.0), 1e-15);
}

END_TEST

// Cattaneo and Mindlin, nu = 0: exact but for the cells. Along x, along y, and backwards.
START_TEST(mindlin_shift)
{
  static const char *const shift[] = {"shift_x: [0, 2e-6]", "shift_y: [0, 2e-6]",
                                      "shift_x: [0, -2e-6]"};
  double Q[3];
  for (int i = 0; i < 3; i++) {
    char inputs[512];
    (void)snprintf(
        inputs, sizeof(inputs),
        "body1: {E: 1e9, nu: 0}, body2: {E: 1e9, nu: 0}, profile: {kind: sphere, R: 0.01}, "
        "mu: 0.4, delta: [1e-5, 1e-5], %s, n: 32, steps: 1",
        shift[i]);
    solved s = solve_problem("patch_friction", inputs);
    Q[i] = row_number(&s, "rows", 1, i == 1 ? "Qy" : "Qx");
    near_abs(row_number(&s, "rows", 1, "c_over_a"), row_number(&s, "rows", 1, "c_over_a_mindlin"),
             0.02);
    done(&s);
  }
  rh_hertz hertz = rh_hertz_sphere(0.01, 0.5e9, 1e-5);
  double full = rh_mindlin_full_slip(&hertz, 0.4, 0.5e9, 0);
  double limit = 0.4 * hertz.load;
  near_abs(Q[0], limit * (1 - pow(1 - 2e-6 / full, 1.5)),
           2e-3 * limit); // c^2 / a^2 = 1 - shift / full
  near_rel(Q[1], Q[0], 1e-7);
  near_rel(Q[2], -Q[0], 1e-7);
}

END_TEST

// Pushed forth and back, friction keeps a loop: the force at zero shift is not zero, and its work is lost.
START_TEST(shift_remembers)
{
  solved s = solve_problem("patch_friction", EQUAL
                           "profile: {kind: sphere, R: 0.01}, mu: 0.4, n: 16, steps: 4, delta: "
                           "[1e-5, 1e-5, 1e-5], shift_x: [0, 3e-6, 0]");
  ck_assert(row_number(&s, "rows", 1, "Qx") > 0);
  ck_assert(row_number(&s, "rows", 2, "Qx") < -0.05 * row_number(&s, "rows", 1, "Qx"));
  done(&s);
}

END_TEST

// Turned far, all slips: 3 pi / 16 mu P a. Turned a little and held: 8/3 G a^3 per radian for two equal bodies.
START_TEST(spin_torque)
{
  const char *const base = EQUAL "profile: {kind: sphere, R: 0.01}, delta: [1e-5, 1e-5], n: 32, "
                                 "steps: 1, ";
  char inputs[512];
  double a = sqrt(1e-7);
  (void)snprintf(inputs, sizeof(inputs), "%smu: 0.4, turn: [0, 1]", base);
  solved s = solve_problem("patch_friction", inputs);
  double P = row_number(&s, "rows", 1, "P");
  near_rel(row_number(&s, "rows", 1, "M"), 3 * PI / 16 * 0.4 * P * a, 2e-3);
  done(&s);
  (void)snprintf(inputs, sizeof(inputs), "%smu: 1e6, turn: [0, 1e-3]", base);
  s = solve_problem("patch_friction", inputs);
  double G = 1e9 / 2.6;
  near_rel(row_number(&s, "rows", 1, "M"), 8.0 / 3 * G * a * a * a * 1e-3, 0.02);
  done(&s);
}

END_TEST

// Oden and Pires: all slips at the same load, and a small radius is local friction.
START_TEST(friction_that_is_not_local)
{
  const char *const base = EQUAL "profile: {kind: sphere, R: 0.01}, mu: 0.4, delta: [1e-5, 1e-5], "
                                 "n: 24, steps: 1, half_width: 5e-4, ";
  static const char *const rho[] = {"rho: 0, shift_x: [0, 2e-6]", "rho: 1e-6, shift_x: [0, 2e-6]",
                                    "rho: 1.5e-4, shift_x: [0, 2e-6]",
                                    "rho: 1.5e-4, shift_x: [0, 1e-3]"};
  double Q[4];
  double P = 0;
  for (int i = 0; i < 4; i++) {
    char inputs[512];
    (void)snprintf(inputs, sizeof(inputs), "%s%s", base, rho[i]);
    solved s = solve_problem("patch_friction", inputs);
    Q[i] = row_number(&s, "rows", 1, "Qx");
    P = row_number(&s, "rows", 1, "P");
    done(&s);
  }
  near_rel(Q[1], Q[0], 1e-12);
  ck_assert(fabs(Q[2] / Q[0] - 1) > 1e-3);
  near_rel(Q[3], 0.4 * P, 1e-8); // the solver's tolerance is 1e-9 of the shift
}

END_TEST

// ---- Rolling

START_TEST(carter_cylinder)
{
  solved s =
      solve_problem("patch_rolling", EQUAL "shape: cylinder, R: 0.01, P: 1000, mu: 0.3, creep_x: "
                                           "2e-3, n: 48, levels: 4");
  near_abs(number(&s, "x", "Q_over_muP"), number(&s, "x", "theory"),
           0.01); // first order in h / a = 0.05
  double order = number(&s, "x", "order");
  ck_assert_msg(order > 0.5 && order < 1.5, "order %g", order);
  done(&s);
  near_rel(rh_carter_share(rh_carter_creep(0.3)), 0.3, 1e-14);
}

END_TEST

// Kalker's coefficients of a circle at nu = 0.25: 4.12 along the way, 3.67 across. The error is of first order in h / a = 0.25;
// that of the contact's area is taken out.
START_TEST(kalker_sphere)
{
  static const char *const creep[] = {"creep_x", "creep_y"};
  static const double right[] = {4.12, 3.67};
  for (int i = 0; i < 2; i++) {
    char inputs[512];
    (void)snprintf(inputs, sizeof(inputs),
                   "body1: {E: 1e9, nu: 0.25}, body2: {E: 1e9, nu: 0.25}, R: 0.01, P: 10, mu: 0.3, "
                   "%s: 1e-4, n: 10",
                   creep[i]);
    solved s = solve_problem("patch_rolling", inputs);
    double a = number(&s, "x", "a_cells");
    near_rel(number(&s, "x", "linear") / (0.4e9 * a * a * 1e-4), right[i], 0.04);
    done(&s);
  }
}

END_TEST

// ---- Refusals

static void expect_refusal(const char *kind, const char *inputs, const char *error)
{
  solved s = pose_problem(kind, inputs);
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert_str_eq(error_of(&s, "x"), error);
  done(&s);
}

START_TEST(what_is_refused)
{
  expect_refusal("patch_contact", "profile: {kind: sphere, R: 1}, delta: 1, n: 8",
                 "p.yaml:1:40: input 'body1' is missing");
  expect_refusal("patch_contact", GROUND "profile: {kind: ball, R: 1}, delta: 1, n: 8",
                 "p.yaml:2:43: kind must be one of sphere|power|cone|flat|socket|table|gap");
  expect_refusal("patch_contact", GROUND "profile: {kind: sphere, R: 1}, delta: 1, P: 1, n: 8",
                 "p.yaml:1:40: either delta or P must be given, and be > 0");
  expect_refusal(
      "patch_contact", GROUND "profile: {kind: sphere, slope: 1}, delta: 1, n: 8",
      "p.yaml:2:36: input 'R' is missing: radius of the sphere, of the ball, of the edge");
  expect_refusal("patch_contact",
                 GROUND "profile: {kind: socket, R: 1, R_socket: 1}, delta: 1, n: 8",
                 "p.yaml:2:67: R_socket must be larger than R, got 1");
  expect_refusal(
      "patch_contact", GROUND "profile: {kind: table, r: [0, 2, 1], height: [0, 1, 2]}, P: 1, n: 8",
      "p.yaml:2:53: r must begin with 0, rise, and have as many numbers as height, 2 or more");
  expect_refusal("patch_contact",
                 GROUND "profile: {kind: gap, file: g.csv}, P: 1, n: 8, half_width: 1",
                 "p.yaml:2:54: file: no files can be read here; give height instead");
  expect_refusal("patch_friction",
                 GROUND "profile: {kind: sphere, R: 1}, delta: [1, 2], shift_x: [0], mu: 1, n: 8",
                 "p.yaml:2:82: shift_x must have 2 numbers as the other lists, got 1");
}

END_TEST

Suite *rh_suite_unit_patch_bodies(void)
{
  Suite *suite = suite_create("unit_patch_bodies");
  TCase *tests = tcase_create("bodies");
  tcase_add_test(tests, cross_influence_is_the_mean_over_a_cell);
  tcase_add_test(tests, convolution_is_the_sum);
  tcase_add_test(tests, constants_of_a_pair);
  tcase_add_test(tests, two_spheres_as_hertz);
  tcase_add_test(tests, profiles_as_galin_and_sneddon);
  tcase_add_test(tests, closed_forms_agree);
  tcase_add_test(tests, gaps_given_cell_by_cell);
  tcase_add_test(tests, spence_stick_radius);
  tcase_add_test(tests, spence_is_self_similar);
  tcase_add_test(tests, punch_that_sticks);
  tcase_add_test(tests, mindlin_shift);
  tcase_add_test(tests, shift_remembers);
  tcase_add_test(tests, spin_torque);
  tcase_add_test(tests, friction_that_is_not_local);
  tcase_add_test(tests, carter_cylinder);
  tcase_add_test(tests, kalker_sphere);
  tcase_add_test(tests, what_is_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
