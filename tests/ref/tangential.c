// ref_tangential.c: impacts with a tangential spring: 69 reference impacts of the kinds tangential_impact and
// tangential_impact3, each number within its own tolerance; the regimes without coupling; oblique impacts of a ball against a
// published curve; with ROUTH_DATA set, measured planar impacts.
#include "impact/tangential/tangential.h"
#include "answers.h"
#include "solved.h"
#include "world.h"

typedef struct limits {
  double abs, rel;
} limits;

static double number_at(const rh_yaml *tree, int map, const char *key)
{
  double x = (double)NAN;
  int node = rh_yaml_find(tree, map, key);
  ck_assert_int_eq(tree_numbers(tree, node, &x, 1), 1);
  return x;
}

// The tolerance of a key: its own, or that of the entry.
static limits limits_of(const answers *a, int entry, const char *key)
{
  int tol = rh_yaml_find(&a->posed, entry, "tol");
  int own = rh_yaml_find(&a->posed, rh_yaml_find(&a->posed, tol, "keys"), key);
  int at = own != RH_NONE ? own : tol;
  return (limits){number_at(&a->posed, at, "abs"), number_at(&a->posed, at, "rel")};
}

static int check_numbers(const answers *a, int index, int want, int got, const char *key)
{
  double x[9];
  double y[9];
  int n = tree_numbers(&a->posed, want, x, 9);
  limits l = limits_of(a, answers_entry(a, index), key);
  ck_assert_msg(tree_numbers(&a->answered, got, y, 9) == n, "%s: %s", answers_id(a, index), key);
  for (int i = 0; i < n; i++) {
    ck_assert_msg(fabs(y[i] - x[i]) <= l.abs + l.rel * fabs(x[i]), "%s: %s is %.12g, not %.12g",
                  answers_id(a, index), key, y[i], x[i]);
  }
  return n;
}

static bool is_word(const answers *a, int node)
{
  const char *text =
      a->posed.node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(&a->posed, node) : "";
  return strcmp(text, "stick") == 0 || strcmp(text, "slip") == 0 || strcmp(text, "null") == 0;
}

static int check_value(const answers *a, int index, int want, int got, const char *key)
{
  ck_assert_msg(got != RH_NONE, "%s has no %s", answers_id(a, index), key);
  if (!is_word(a, want)) {
    return check_numbers(a, index, want, got, key);
  }
  ck_assert_msg(strcmp(rh_yaml_text(&a->posed, want), rh_yaml_text(&a->answered, got)) == 0,
                "%s: %s is %s", answers_id(a, index), key, rh_yaml_text(&a->answered, got));
  return 1;
}

static int check_modes(const answers *a, int index, int want, int got)
{
  int compared = 0;
  int mine = a->answered.node[got].first;
  for (int phase = a->posed.node[want].first; phase != RH_NONE; phase = a->posed.node[phase].next) {
    ck_assert_msg(mine != RH_NONE, "%s has too few modes", answers_id(a, index));
    for (int node = a->posed.node[phase].first; node != RH_NONE; node = a->posed.node[node].next) {
      const char *key = rh_yaml_text(&a->posed, a->posed.node[node].key);
      compared += check_value(a, index, node, rh_yaml_find(&a->answered, mine, key), key);
    }
    mine = a->answered.node[mine].next;
  }
  ck_assert_msg(mine == RH_NONE, "%s has too many modes", answers_id(a, index));
  return compared;
}

START_TEST(reference)
{
  answers *a = answers_open("tests/data/tangential_impacts.yaml");
  int compared = 0;
  ck_assert_int_eq(answers_count(a), 69);
  for (int i = 0; i < answers_count(a); i++) {
    int expected = rh_yaml_find(&a->posed, answers_entry(a, i), "expected");
    int answer = rh_yaml_find(&a->answered, a->map, answers_id(a, i));
    for (int node = a->posed.node[expected].first; node != RH_NONE;
         node = a->posed.node[node].next) {
      const char *key = rh_yaml_text(&a->posed, a->posed.node[node].key);
      int got = rh_yaml_find(&a->answered, answer, key);
      compared += strcmp(key, "modes") == 0 ? check_modes(a, i, node, got)
                                            : check_value(a, i, node, got, key);
    }
  }
  ck_assert_int_gt(compared, 1000);
  answers_close(a);
}

END_TEST

// ---- Regimes without coupling: sticks at first below psi_stick, slips throughout from psi_gross on

typedef struct regime {
  double ratio, mu, e, eta2;
  double stick, gross; // psi = |u_t| / |u_n|
} regime;

static const regime regimes[] = {
    {3.5, 0.3, 1.0, 1.2142857142857144, 0.3642857142857143, 1.7357142857142855},
    {3.5, 0.3, 0.7, 1.141025641025641, 0.34230769230769226, 1.2959890109890109},
    {3.0, 0.2, 0.4, 1.5, 0.3, 0.6},
    {3.5, 0.25, 0.0, 1.2, 0.3, 0.875},
};

typedef struct seen_phases {
  int n;
  bool first_slips;
} seen_phases;

static void note_phase(void *user, const rh_tangential_phase *phase)
{
  seen_phases *s = user;
  s->first_slips = s->n == 0 ? phase->slips : s->first_slips;
  s->n++;
}

static seen_phases phases_at(const regime *r, double psi, rh_tangential_out *out)
{
  seen_phases s = {0};
  const rh_tangential_in in = {
      .dim = 2, .W = {r->ratio, 0, 0, 1}, .u = {psi, -1}, .mu = r->mu, .e = r->e, .eta2 = r->eta2};
  const rh_tangential_watch watch = {.phase = note_phase, .user = &s};
  ck_assert(rh_tangential_impact(&in, &watch, out));
  return s;
}

// The phase that is missing just beside a limit lasts as long as the distance to it, to a power: 1e-5 is seen.
START_TEST(regimes_without_coupling)
{
  const regime *r = &regimes[_i];
  rh_tangential_out out;
  ck_assert(!phases_at(r, r->stick * (1 - 1e-5), &out).first_slips);
  ck_assert(phases_at(r, r->stick * (1 + 1e-5), &out).first_slips);
  seen_phases after = phases_at(r, r->gross * (1 + 1e-5), &out);
  ck_assert(after.first_slips && after.n == 1);
  near_abs(out.p[0], -r->mu * out.p[1], 1e-14);
  near_abs(out.u[1], r->e, 1e-14);
  ck_assert_int_gt(phases_at(r, r->gross * (1 - 1e-5), &out).n, 1);
}

END_TEST

// ---- A ball on a plate: test 4 of Chung and Ooi 2011, values of the curve as digitised, error about 1.5 %

enum { RESTITUTION, SPIN, ANGLE };

typedef struct oblique {
  double angle, value; // [deg] of incidence, from the normal
} oblique;

static const oblique restitution[] = {
    {5.17, 0.9481},  {10.16, 0.687},  {14.99, 0.6244}, {20.06, 0.6161}, {25.05, 0.6343},
    {30.12, 0.6837}, {35.03, 0.7372}, {40.02, 0.7809}, {50.0, 0.8451},  {59.98, 0.8929},
    {69.96, 0.9316}, {80.02, 0.9662}, {85.01, 0.9827}};
static const oblique spin[] = {{14.97, -377.8}, {19.94, -510.6}, {24.91, -599.4}, {29.96, -616.5},
                               {34.93, -582.3}, {39.98, -544.8}, {50.0, -457.0},  {60.02, -357.5},
                               {69.96, -246.2}, {85.03, -63.1}};
static const oblique rebound[] = {{4.9, 3.76},    {9.96, -1.56},  {14.93, -5.54}, {19.99, -7.54},
                                  {24.96, -7.54}, {29.92, -3.55}, {34.96, 3.43},  {39.92, 11.57},
                                  {49.83, 29.35}, {59.99, 47.79}, {69.74, 64.58}, {79.82, 78.7},
                                  {84.78, 84.52}};

#define DEGREE (3.14159265358979323846 / 180)

static double oblique_value(int what, double degrees, double eta2)
{
  const double R = 0.0025;
  const double speed = 3.9;
  const double mass = 4000 * 4.0 / 3 * 180 * DEGREE * R * R * R;
  const double v[2] = {speed * sin(degrees * DEGREE), -speed * cos(degrees * DEGREE)};
  const rh_tangential_in in = {.dim = 2,
                               .W = {3.5 / mass, 0, 0, 1 / mass},
                               .u = {v[0], v[1]},
                               .mu = 0.092,
                               .e = 0.98,
                               .eta2 = eta2};
  rh_tangential_out out;
  ck_assert(rh_tangential_impact(&in, NULL, &out));
  return what == RESTITUTION ? (v[0] + out.p[0] / mass) / v[0]
         : what == SPIN      ? out.p[0] / (0.4 * mass * R)
                             : atan2(out.u[0], out.u[1]) / DEGREE;
}

static int rows_met(int what, const oblique *row, int n, double eta2)
{
  int met = 0;
  for (int i = 0; i < n; i++) {
    double limit = what == RESTITUTION ? 0.02 * row[i].value
                   : what == SPIN      ? 0.025 * row[i].value
                                       : 1.5;
    met += fabs(oblique_value(what, row[i].angle, eta2) - row[i].value) <= fabs(limit);
  }
  return met;
}

// With k_n / k_t = 0.98 all rows are met within their tolerances but one: at 5.17 degrees the tangential restitution is 0.903, not
// 0.948. The ratio is that of one constant pair of springs to the springs of Hertz and Mindlin, both of which grow with the
// depth; with the ratio of these at equal depth, (2 - nu) / (2 (1 - nu)) = 1.149 at nu = 0.23, nine, seven and twelve rows
// are met: all from 25 degrees on.
START_TEST(oblique_impacts)
{
  ck_assert_int_eq(rows_met(RESTITUTION, restitution, RH_COUNT(restitution), 0.98), 12);
  near_abs(oblique_value(RESTITUTION, 5.17, 0.98), 0.9029, 1e-4);
  ck_assert_int_eq(rows_met(SPIN, spin, RH_COUNT(spin), 0.98), RH_COUNT(spin));
  ck_assert_int_eq(rows_met(ANGLE, rebound, RH_COUNT(rebound), 0.98), RH_COUNT(rebound));
  double nu = 0.23;
  double spheres = (2 - nu) / (2 * (1 - nu));
  ck_assert_int_eq(rows_met(RESTITUTION, restitution + 4, RH_COUNT(restitution) - 4, spheres), 9);
  ck_assert_int_eq(rows_met(SPIN, spin + 3, RH_COUNT(spin) - 3, spheres), 7);
  ck_assert_int_eq(rows_met(ANGLE, rebound + 1, RH_COUNT(rebound) - 1, spheres), 12);
}

END_TEST

// ---- Measured planar impacts, with ROUTH_DATA set to a folder that holds planar_impacts (MCube Lab, see its README): flat bodies
// dropped on a floor; velocities before and after. The error of an impact is |v - v_measured| / |v_measured| after it, in the
// norm of kinetic energy, vx^2 + vy^2 + k^2 w^2; that of a law is the mean over all impacts of a body, of which all have the
// same parameters. Contact points and radii of gyration k as calibrated there.

enum { MEASURED_MAX = 2000, COLUMNS_MAX = 20 };

typedef struct measured {
  int n;
  double row[MEASURED_MAX][10]; // vx, vy, w before; after; r (as drawn), r (calibrated)
  double x[MEASURED_MAX];       // [m] of the body's centre, along the floor (ellipse)
} measured;

// `first`: the column of vx. False: there is no such file.
static bool load_measured(const char *folder, const char *name, int first, measured *m)
{
  char text[1200];
  char line[1024];
  m->n = 0;
  (void)snprintf(text, sizeof text, "gzip -dc '%s/planar_impacts/%s' 2>/dev/null", folder, name);
  FILE *from = popen(text, "r");
  ck_assert_ptr_nonnull(from);
  bool head = fgets(line, sizeof line, from) != NULL;
  while (head && fgets(line, sizeof line, from) != NULL && m->n < MEASURED_MAX) {
    double x[COLUMNS_MAX] = {0};
    int count = 0;
    char *rest = line;
    while (count < COLUMNS_MAX && *rest != '\0' && *rest != '\n') {
      x[count++] = strtod(rest, &rest);
      rest += *rest == ',';
    }
    ck_assert_int_eq(count, first + 10);
    m->x[m->n] = x[1];
    memcpy(m->row[m->n++], x + first, sizeof m->row[0]);
  }
  (void)pclose(from);
  return m->n > 0;
}

typedef struct fitted {
  double k;         // [m] radius of gyration
  const char *laws; // of the contact, as in a scene
} fitted;

// Velocities after the impact of a flat body, mass 1, in the plane y = 0: a run of the scene that has
// the impact a moment after its start. x, y, w of the data are vx, vz and -wy here.
static void run_impact(const double *row, const fitted *f, double after[3])
{
  static const double GAP = 1e-9; // [m]
  char text[1600];
  const double *v = row;
  const double r[2] = {row[8], row[9]};
  double close = -(v[1] + r[0] * v[2]);
  double k2 = f->k * f->k;
  int n = snprintf(
      text, sizeof text,
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, %.17g, "
      "0, %.17g, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 1e-6, at: "
      "[%.17g, 0, %.17g]}]\n"
      "contacts: [{body: b, against: world, %s}]\nrun: {until: %.17g}\n",
      k2, k2, k2, GAP - r[1], v[0], v[1], -v[2], r[0], r[1] + 1e-6, f->laws, 2 * GAP / close);
  ck_assert_int_lt(n, (int)sizeof text);
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, (size_t)n, "impact", NULL, 0, diag, &scene), RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 2 * GAP / close), RH_OK);
  const double *end = rh_sim_view(sim)->v;
  after[0] = end[0];
  after[1] = end[2];
  after[2] = -end[4];
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

static double row_error(const double *row, const fitted *f)
{
  const double *after = row + 3;
  const double k2 = f->k * f->k;
  double v[3];
  run_impact(row, f, v);
  const double d[3] = {v[0] - after[0], v[1] - after[1], v[2] - after[2]};
  double off = d[0] * d[0] + d[1] * d[1] + k2 * d[2] * d[2];
  double size = after[0] * after[0] + after[1] * after[1] + k2 * after[2] * after[2];
  return sqrt(off / size);
}

static double mean_error(const measured *m, const fitted *f)
{
  double sum = 0;
  for (int i = 0; i < m->n; i++) {
    sum += row_error(m->row[i], f);
  }
  return sum / m->n;
}

// Rows of which every `step`-th, from the first on, was fitted: the mean error of the others. `e`: NULL, or the restitutions of pieces
// of the floor, which end at `end` (from low x on, the last one does not).
static double held_out_error(const measured *m, const fitted *f, int step, const double *end,
                             const double *e)
{
  double sum = 0;
  int n = 0;
  for (int i = 0; i < m->n; i++) {
    char laws[300];
    int piece = 0;
    double x = m->x[i] + m->row[i][8];
    while (e != NULL && isfinite(end[piece]) && x > end[piece]) {
      piece++;
    }
    if (e != NULL) {
      (void)snprintf(laws, sizeof laws, "%s, e: %.17g", f->laws, e[piece]);
    } else {
      (void)snprintf(laws, sizeof laws, "%s", f->laws);
    }
    if (i % step != 0) {
      sum += row_error(m->row[i], &(fitted){f->k, laws});
      n++;
    }
  }
  return sum / n;
}

// Bars 0.145 (ellipse) and 0.12 (square); Stronge's law without a spring has 0.150 and 0.153. The ellipse, whose impacts are all
// at 2.2 to 3 m/s, has 0.143 with constant coefficients. The square has 0.126 with them: its impacts are of many speeds, and its
// friction falls with the speed of approach; with that, as a power law or as a table of a scene, it has 0.104. Every impact is a
// run of a scene.
START_TEST(measured_planar_impacts)
{
  const char *folder = getenv("ROUTH_DATA");
  static measured m;
  if (folder == NULL || !load_measured(folder, "ellipse_train.csv.gz", 4, &m)) {
    (void)fprintf(stderr,
                  "ref_tangential: ROUTH_DATA is not set, or has no planar_impacts: measured "
                  "impacts are not checked\n");
    return;
  }
  ck_assert_int_eq(m.n, 1030);
  double ellipse = mean_error(
      &m, &(fitted){0.01962, "law: bistiff, e: 0.590, eta2: 0.0786, friction: dry, mu_s: 0.186, "
                             "mu_k: 0.186"});
  ck_assert(load_measured(folder, "square_impacts_train.csv.gz", 8, &m));
  ck_assert_int_eq(m.n, 284);
  double square = mean_error(
      &m,
      &(fitted){0.0207, "law: bistiff, e: 0.4585, eta2: 0.353, friction: dry, mu_s: 0.2, mu_k: "
                        "0.2, mu_impact: [0.203], mu_impact_speed: 0.5, mu_impact_power: 0.467"});
  double table = mean_error(
      &m,
      &(fitted){0.0207, "law: bistiff, e: 0.4585, eta2: 0.353, friction: dry, mu_s: 0.2, mu_k: "
                        "0.2, mu_impact_table: [0.6, 0.186, 1, 0.147, 1.6, 0.118, 2.8, 0.091]"});
  double constant = mean_error(
      &m, &(fitted){0.0207, "law: bistiff, e: 0.4566, eta2: 0.412, friction: dry, mu_s: 0.1244, "
                            "mu_k: 0.1244"});
  double rigid = mean_error(
      &m, &(fitted){0.0207, "law: stronge, e: 0.445, friction: dry, mu_s: 0.105, mu_k: 0.105"});
  (void)fprintf(stderr,
                "ref_tangential: ellipse %.4f, square %.4f (table: %.4f, one mu: %.4f, stronge: "
                "%.4f)\n",
                ellipse, square, table, constant, rigid);
  ck_assert(ellipse <= 0.145);
  ck_assert(square <= 0.12 && table <= 0.12);
  ck_assert(constant <= 0.127 && rigid > 0.15);
}

END_TEST

// Impacts that were not fitted, with the values that `routh fit` found on others (docs/fit.md has the commands): the square on every
// second row; the ellipse on every tenth, on a floor in pieces, since `routh fit` says of all of them that restitution changes with the
// place (53 % of its variance). Bars 0.135 and 0.115.
START_TEST(measured_impacts_not_fitted)
{
  static const double end[] = {-0.45, -0.4, -0.3, -0.25, HUGE_VAL};
  static const double e[] = {0.5226, 0.5533, 0.64, 0.69, 0.4064};
  const char *folder = getenv("ROUTH_DATA");
  static measured m;
  if (folder == NULL || !load_measured(folder, "ellipse_train.csv.gz", 4, &m)) {
    return; // measured_planar_impacts says so
  }
  double ellipse = held_out_error(
      &m,
      &(fitted){0.01962, "law: bistiff, eta2: 0.295, friction: dry, mu_s: 0.1929, mu_k: 0.1929"},
      10, end, e);
  ck_assert(load_measured(folder, "square_impacts_train.csv.gz", 8, &m));
  double square = held_out_error(
      &m,
      &(fitted){0.0207, "law: bistiff, e: 0.4544, eta2: 0.2826, friction: dry, mu_s: 0.2, mu_k: "
                        "0.2, mu_impact: [0.1948], mu_impact_speed: 0.5, mu_impact_power: 0.4386"},
      2, NULL, NULL);
  (void)fprintf(stderr, "ref_tangential: not fitted: ellipse %.4f, square %.4f\n", ellipse, square);
  ck_assert(ellipse <= 0.135);
  ck_assert(square <= 0.115);
}

END_TEST

Suite *rh_suite_ref_tangential(void)
{
  Suite *suite = suite_create("ref_tangential");
  TCase *tests = tcase_create("impacts");
  tcase_add_test(tests, reference);
  tcase_add_loop_test(tests, regimes_without_coupling, 0, RH_COUNT(regimes));
  tcase_add_test(tests, oblique_impacts);
  tcase_add_test(tests, measured_planar_impacts);
  tcase_add_test(tests, measured_impacts_not_fitted);
  suite_add_tcase(suite, tests);
  return suite;
}
