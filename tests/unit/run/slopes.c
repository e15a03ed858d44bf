// Slopes of runs (event/slopes) against differences of runs: two routes to dy/dw. Scenes are integrated to a relative
// tolerance of 1e-12, so that differences over h and h/2, extrapolated (Richardson), are good to 1e-8 of the largest slope:
// noise 1e-12 of a run over h of 1e-3, and h^4 left out.
#include "scene_text.h"

#include "event/slopes/slopes.h"

#include <math.h>
#include <stdlib.h>

// Of the largest slope of the same coordinate by any value of the scene, and at least of a tenth of the largest at all
#define BAR 1e-6

enum { PATHS = 7, ROWS = 10, STATES = 32 };

typedef struct course {
  const char *name, *text;
  double end;              // [s]
  const char *path[PATHS]; // overrides with a place for a number; NULL after the last
  double value[PATHS];
  bool rigid; // a run hardly evaluates: it follows parabolas
} course;

static const course all[] = {
    {"oscillator",
     "bodies:\n  - {name: b, mass: 2}\n"
     "joints:\n  - {name: s, kind: prismatic, child: b, axis: [1, 0, 0], q: 0.1, spring: [50], "
     "damper: [0.8]}\n"
     "run: {until: 2, rtol: 1e-12, atol: 1e-14}\n",
     2,
     {"s.spring=[%.17g]", "s.damper=[%.17g]", "b.mass=%.17g", "s.q=[%.17g]"},
     {50, 0.8, 2, 0.1},
     false},
    {"pendulum with stop",
     "bodies:\n  - {name: rod, mass: 1, com: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.0001, 0, 0, "
     "0]}\n"
     "joints:\n  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], q: 45 deg, damper: "
     "0.1, limits: [0.2, 3], bounce: 0.6}\n"
     "run: {until: 1.3, rtol: 1e-12, atol: 1e-14}\n",
     1.3,
     {"rod.com=[0, 0, -%.17g]", "rod.mass=%.17g", "hinge.damper=%.17g", "hinge.bounce=%.17g",
      "hinge.limits=[%.17g, 3]", "world.gravity=[0, 0, -%.17g]", "hinge.q=[%.17g]"},
     {0.5, 1, 0.1, 0.6, 0.2, 9.81, 0.7},
     false},
    {"hunt-crossley",
     "bodies:\n  - {name: ball, mass: 45.9 g}\n"
     "joints:\n  - {name: j, kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0]}\n"
     "shapes:\n  - {body: world, kind: plane}\n"
     "  - {name: round, body: ball, kind: sphere, radius: 21.35 mm}\n"
     "contacts:\n  - {name: floor, body: ball, against: world, law: hunt-crossley, k: 2e4, n: 1.5, "
     "restitution: 0.83, speed: 3.13}\n"
     "run: {until: 0.3, rtol: 1e-12, atol: 1e-14}\n",
     0.3,
     {"floor.k=%.17g", "floor.restitution=%.17g", "ball.mass=%.17g", "round.radius=%.17g",
      "j.q=[0, 0, %.17g, 1, 0, 0, 0]"},
     {2e4, 0.83, 0.0459, 0.02135, 0.1},
     false},
    {"kelvin-voigt with spin",
     "bodies:\n  - {name: ball, mass: 0.154}\n"
     "joints:\n  - {name: j, kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0], v: [0.5, 0, 0, "
     "0, 20, 3]}\n"
     "shapes:\n  - {body: world, kind: plane}\n"
     "  - {name: round, body: ball, kind: sphere, radius: 16.5 mm}\n"
     "contacts:\n  - {name: floor, body: ball, against: world, law: kelvin-voigt, k: 2e4, b: 20, "
     "friction: coulomb, mu: 0.2, v_slip: 0.1}\n"
     "run: {until: 0.5, rtol: 1e-12, atol: 1e-14}\n",
     0.5,
     {"floor.k=%.17g", "floor.b=%.17g", "floor.mu=%.17g", "j.v=[%.17g, 0, 0, 0, 20, 3]"},
     {2e4, 20, 0.2, 0.5},
     false},
    {"rigid bounces with spin",
     "bodies:\n  - {name: ball, mass: 45.9 g}\n"
     "joints:\n  - {name: j, kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0], v: [0.5, 0.1, "
     "-1, "
     "0, 20, 3]}\n"
     "shapes:\n  - {body: world, kind: plane}\n"
     "  - {name: round, body: ball, kind: sphere, radius: 21.35 mm}\n"
     "contacts:\n  - {name: floor, body: ball, against: world, law: newton, e: 0.8, friction: dry, "
     "mu_s: 0.3, mu_k: 0.2}\n"
     "run: {until: 1.5, rtol: 1e-12, atol: 1e-14}\n",
     1.5,
     {"floor.e=%.17g", "floor.mu_k=%.17g", "round.radius=%.17g", "world.gravity=[0, 0.1, -%.17g]",
      "j.v=[0.5, 0.1, -%.17g, 0, 20, 3]"},
     {0.8, 0.2, 0.02135, 9.81, 1},
     false},
    {"block slides and stops",
     "bodies:\n  - {name: block, mass: 2}\n"
     "joints:\n  - {name: j, kind: free, child: block, q: [0, 0, 0.05, 1, 0, 0, 0], v: [1, 0, 0, "
     "0, "
     "0, 0]}\n"
     "shapes:\n  - {body: world, kind: plane}\n"
     "  - {body: block, kind: box, size: [0.2, 0.1, 0.1]}\n"
     "contacts:\n  - {name: floor, body: block, against: world, law: newton, e: 0, friction: dry, "
     "mu_s: 0.3, mu_k: 0.2}\n"
     "run: {until: 1, rtol: 1e-12, atol: 1e-14}\n",
     1,
     {"floor.mu_k=%.17g", "world.gravity=[0, 0, -%.17g]", "j.v=[%.17g, 0, 0, 0, 0, 0]"},
     {0.2, 9.81, 1},
     true},
    {"two links with a motor",
     "bodies:\n  - {name: upper, mass: 1, com: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.0001, 0, "
     "0, "
     "0]}\n"
     "  - {name: lower, mass: 1, com: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.0001, 0, 0, 0]}\n"
     "joints:\n  - {name: a, kind: revolute, child: upper, axis: [0, 1, 0], q: 60 deg, limits: "
     "[-0.6, 2.0], bounce: 0.5}\n"
     "  - {name: b, kind: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0, 0, -1], "
     "q: 20 deg, damper: 0.02}\n"
     "actuators:\n  - {name: motor, joint: b, kp: 30, kd: 2, target: 0.5}\n"
     "events:\n  - {name: back, joint: a, position: 0.4, direction: falling, actuator: motor, "
     "effort: 1}\n"
     "run: {until: 1, rtol: 1e-12, atol: 1e-14}\n",
     1,
     {"motor.kp=%.17g", "motor.kd=%.17g", "motor.target=%.17g", "lower.mass=%.17g",
      "a.bounce=%.17g", "back.position=%.17g", "upper.com=[%.17g, 0, -0.5]"},
     {30, 2, 0.5, 1, 0.5, 0.4, 0.01},
     false},
    {"box toss",
     "bodies:\n  - {name: box, mass: 0.37, com: [0, 0, 0.005], inertia: [6.2e-4, 6.1e-4, 6e-4, 0, "
     "0, 0]}\n"
     "joints:\n  - {name: j, kind: free, child: box, q: [0, 0, 0.15, 0.8, 0.2, 0.4, 0.4], v: [0.5, "
     "0.1, 0, 3, 4, 2]}\n"
     "shapes:\n  - {body: world, kind: plane}\n"
     "  - {name: cube, body: box, kind: box, size: [0.1, 0.1, 0.1]}\n"
     "contacts:\n  - {name: floor, body: box, against: world, law: kelvin-voigt, k: 1e4, b: 8, "
     "friction: coulomb, mu: 0.18, v_slip: 0.05}\n"
     "run: {until: 0.3, rtol: 1e-12, atol: 1e-14}\n",
     0.3,
     {"floor.k=%.17g", "floor.b=%.17g", "floor.mu=%.17g", "box.com=[0, 0, %.17g]"},
     {1e4, 8, 0.18, 0.005},
     false},
};

// `usual`: with the usual tolerances
static rh_model *model_of(const course *c, int i, double factor, bool usual)
{
  char text[PATHS][200];
  const char *set[PATHS + 2];
  int n = 0;
  for (; n < PATHS && c->path[n] != NULL; n++) {
    (void)snprintf(text[n], sizeof text[n], c->path[n], c->value[n] * (n == i ? factor : 1));
    set[n] = text[n];
  }
  if (usual) {
    set[n++] = "run.rtol=1e-8";
    set[n++] = "run.atol=1e-10";
  }
  rh_scene *scene = parse_good_scene(c->text, set, n);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

static rh_model *model_with(const course *c, int i, double factor)
{
  return model_of(c, i, factor, false);
}

static rh_sim *sim_of(const rh_model *model)
{
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  return sim;
}

static int state_of(const rh_sim *sim, double *y)
{
  const rh_data *d = rh_sim_view(sim);
  memcpy(y, d->q, (size_t)d->model->nq * sizeof *y);
  memcpy(y + d->model->nq, d->v, (size_t)d->model->nv * sizeof *y);
  return d->model->nq + d->model->nv;
}

static int run_states(const course *c, int i, double factor, double y[ROWS][STATES])
{
  rh_model *model = model_with(c, i, factor);
  rh_sim *sim = sim_of(model);
  int n = 0;
  for (int k = 0; k < ROWS; k++) {
    ck_assert_int_eq(rh_sim_run(sim, c->end * (k + 1) / ROWS), RH_OK);
    n = state_of(sim, y[k]);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  return n;
}

static int run_differences(const course *c, int i, double h, double y[ROWS][STATES])
{
  double low[ROWS][STATES];
  int n = run_states(c, i, 1 + h, y);
  (void)run_states(c, i, 1 - h, low);
  for (int k = 0; k < ROWS; k++) {
    for (int j = 0; j < n; j++) {
      y[k][j] = (y[k][j] - low[k][j]) / (2 * h);
    }
  }
  return n;
}

static int take_differences(const course *c, int i, double S[ROWS][STATES])
{
  static const double STEP = 5e-4;
  double half[ROWS][STATES];
  int n = run_differences(c, i, STEP, S);
  (void)run_differences(c, i, 0.5 * STEP, half);
  for (int k = 0; k < ROWS; k++) {
    for (int j = 0; j < n; j++) {
      S[k][j] = (4 * half[k][j] - S[k][j]) / 3;
    }
  }
  return n;
}

typedef struct worlds {
  int n;
  rh_model *model[2 * PATHS + 1]; // 0: that of the run
  rh_sim *sim[2 * PATHS + 2];     // base, twin, moved
  double step[PATHS];
  rh_slopes *slopes;
} worlds;

static void open_worlds(const course *c, bool usual, worlds *w)
{
  static const double STEP = 3e-8; // of a value: rounding of states over it is 1e-8
  *w = (worlds){0};
  for (; w->n < PATHS && c->path[w->n] != NULL; w->n++) {
    w->model[1 + 2 * w->n] = model_of(c, w->n, 1 + STEP, usual);
    w->model[2 + 2 * w->n] = model_of(c, w->n, 1 - STEP, usual);
    w->step[w->n] = STEP;
  }
  w->model[0] = model_of(c, 0, 1, usual);
  w->sim[0] = sim_of(w->model[0]);
  for (int i = 0; i <= 2 * w->n; i++) {
    w->sim[1 + i] = sim_of(w->model[i]);
  }
  for (int i = 0; i < 2 * w->n + 2; i++) {
    ck_assert_int_eq(rh_sim_run(w->sim[i], 0), RH_OK);
  }
  rh_slopes_job job = {w->sim[0], w->sim[1], w->sim + 2, w->step, w->n};
  ck_assert_int_eq(rh_slopes_open(&job, &w->slopes), RH_OK);
}

static void close_worlds(worlds *w)
{
  rh_slopes_close(w->slopes);
  for (int i = 0; i < 2 * w->n + 2; i++) {
    rh_sim_destroy(w->sim[i]);
  }
  for (int i = 0; i < 2 * w->n + 1; i++) {
    rh_model_destroy(w->model[i]);
  }
}

// Slopes of value i at row k
static void read_slopes(const worlds *w, int i, double *S)
{
  double low[STATES];
  int n = state_of(w->sim[2 + 2 * i], S);
  (void)state_of(w->sim[3 + 2 * i], low);
  for (int j = 0; j < n; j++) {
    S[j] = (S[j] - low[j]) / (2 * w->step[i]);
  }
}

static void find_slopes(const course *c, worlds *w, double S[PATHS][ROWS][STATES])
{
  for (int k = 0; k < ROWS; k++) {
    ck_assert_int_eq(rh_sim_run(w->sim[0], c->end * (k + 1) / ROWS), RH_OK);
    ck_assert_msg(rh_slopes_at(w->slopes), "%s: %s", c->name,
                  rh_slopes_word(rh_slopes_reason(w->slopes)));
    for (int i = 0; i < w->n; i++) {
      read_slopes(w, i, S[i][k]);
    }
  }
}

static double largest_slope(double D[PATHS][ROWS][STATES], int n, int first, int end)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < ROWS; k++) {
      for (int j = first; j < end; j++) {
        most = fmax(most, fabs(D[i][k][j]));
      }
    }
  }
  return most;
}

static void compare_course(const course *c)
{
  static double S[PATHS][ROWS][STATES];
  static double D[PATHS][ROWS][STATES];
  worlds w;
  int n = 0;
  open_worlds(c, false, &w);
  find_slopes(c, &w, S);
  for (int i = 0; i < w.n; i++) {
    n = take_differences(c, i, D[i]);
  }
  double all_most = largest_slope(D, w.n, 0, n);
  for (int j = 0; j < n; j++) {
    double scale = fmax(largest_slope(D, w.n, j, j + 1), 0.1 * all_most);
    for (int i = 0; i < w.n; i++) {
      for (int k = 0; k < ROWS; k++) {
        ck_assert_msg(fabs(S[i][k][j] - D[i][k][j]) <= BAR * scale,
                      "%s, %s, state %d, row %d: slope %.12g, by differences %.12g, of %.3g",
                      c->name, c->path[i], j, k, S[i][k][j], D[i][k][j], scale);
      }
    }
  }
  close_worlds(&w);
}

START_TEST(equal_differences_of_runs)
{
  compare_course(&all[_i]);
}

END_TEST

// Slopes by k values cost less than k runs: a count of evaluations of the right-hand side, to which a run adds those of its
// event functions, one in each step at least, with the same stages.
START_TEST(cost_less_than_runs)
{
  static double S[PATHS][ROWS][STATES];
  const course *c = &all[_i];
  worlds w;
  open_worlds(c, true, &w);
  find_slopes(c, &w, S);
  rh_step_stats stats = rh_sim_statistics(w.sim[0]).step;
  long run = stats.evaluations + stats.steps;
  long all_slopes = rh_slopes_evaluations(w.slopes);
  ck_assert_msg(c->rigid || all_slopes < run * w.n,
                "%s: %ld evaluations for %d values, a run has %ld", c->name, all_slopes, w.n, run);
  close_worlds(&w);
}

END_TEST

// Slopes do not touch the run: its bits are those of a run without them.
START_TEST(leave_the_run_as_it_is)
{
  static double S[PATHS][ROWS][STATES];
  static double y[ROWS][STATES];
  const course *c = &all[_i];
  double end[STATES];
  worlds w;
  open_worlds(c, false, &w);
  find_slopes(c, &w, S);
  int n = run_states(c, 0, 1, y);
  (void)state_of(w.sim[0], end);
  ck_assert_mem_eq(end, y[ROWS - 1], (size_t)n * sizeof *end);
  close_worlds(&w);
}

END_TEST

// A ball that bounces until it rests has endless events; two balls that meet the floor at one instant do so in an order that
// depends on the height of one; time stepping has no events that are located.
START_TEST(say_why_they_do_not_exist)
{
  static const char text[] =
      "bodies:\n  - {name: a, mass: 1}\n  - {name: b, mass: 1}\n"
      "joints:\n  - {name: ja, kind: free, child: a, q: [0, 0, 0.3, 1, 0, 0, 0]}\n"
      "  - {name: jb, kind: prismatic, child: b, axis: [0, 0, 1], q: 0.3, limits: [0.1, 1], "
      "bounce: "
      "0.5}\n"
      "shapes:\n  - {body: world, kind: plane}\n  - {body: a, kind: sphere, radius: 0.1}\n"
      "contacts:\n  - {name: floor, body: a, against: world, law: newton, e: 0.5}\n"
      "run: {until: 1}\n";
  static const char bouncing[] =
      "bodies: [{name: b, mass: 1}]\n"
      "joints: [{name: jb, kind: prismatic, child: b, axis: [0, 0, 1], q: 0.3, limits: [0.1, 1], "
      "bounce: 0.5}]\n"
      "run: {until: 1}\n";
  static const course both = {"two at once", text, 0.25, {"jb.q=[%.17g]"}, {0.3}, true};
  static const course last = {"to rest", bouncing, 1, {"jb.q=[%.17g]"}, {0.3}, true};

  static const struct {
    const course *c;
    rh_slopes_why why;
  } row[] = {{&both, RH_SLOPES_ORDER}, {&last, RH_SLOPES_GRAZING}};

  for (int i = 0; i < RH_COUNT(row); i++) {
    worlds w;
    open_worlds(row[i].c, true, &w);
    ck_assert_int_eq(rh_sim_run(w.sim[0], row[i].c->end), RH_OK);
    ck_assert(!rh_slopes_at(w.slopes));
    ck_assert_int_eq(rh_slopes_reason(w.slopes), row[i].why);
    ck_assert_str_ne(rh_slopes_word(row[i].why), "");
    close_worlds(&w);
  }
  rh_scene *scene = parse_good_scene(all[0].text, &(const char *){"run.engine=stepping"}, 1);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  ck_assert(!rh_slopes_suit(model));
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_unit_slopes(void);

Suite *rh_suite_unit_slopes(void)
{
  Suite *suite = suite_create("unit_slopes");
  TCase *test = tcase_create("slopes");
  tcase_add_loop_test(test, equal_differences_of_runs, 0, RH_COUNT(all));
  tcase_add_loop_test(test, cost_less_than_runs, 0, RH_COUNT(all));
  tcase_add_loop_test(test, leave_the_run_as_it_is, 0, RH_COUNT(all));
  tcase_add_test(test, say_why_they_do_not_exist);
  suite_add_tcase(suite, test);
  return suite;
}
