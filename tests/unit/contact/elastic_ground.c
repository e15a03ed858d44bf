// unit_elastic_ground.c: the law elastic-patch in the loop. A box on its face sinks in, heaves and bounces as the flat punch of
// its contact points, a ball as Hertz's with the number of its cells; the account closes, also where points come and go.
#include "contact_scenes.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double LOVE = 3.5254943480781717; // 4 ln(1 + sqrt 2)
static const double GRAVITY = 9.81;
static const double E = 2e6;
static const double NU = 0.3;

enum { POINTS = 16 };

static double modulus(void)
{
  return E / (1 - NU * NU);
}

// ---- A flat punch of 16 points: forces that sink all of them in by 1 m

static const rh_vec3 SIZE = {0.4, 0.25, 0.2};
static const double MASS = 3;

static double punch_stiffness(void)
{
  static const double weight[] = {0.125, 0.375, 0.375, 0.125}; // of Simpson's other rule
  double A[POINTS][POINTS + 1];
  for (int i = 0; i < POINTS; i++) {
    for (int j = 0; j < POINTS; j++) {
      double x = SIZE.x / 3 * (i % 4 - j % 4);
      double y = SIZE.y / 3 * (i / 4 - j / 4);
      double wi = weight[i % 4] * weight[i / 4];
      double wj = weight[j % 4] * weight[j / 4];
      double spread = SIZE.x * SIZE.y * (wi + wj) / 2 / (LOVE * LOVE);
      A[i][j] = 1 / (PI * modulus() * sqrt(x * x + y * y + spread));
    }
    A[i][POINTS] = 1;
  }
  double sum = 0;
  for (int i = 0; i < POINTS; i++) { // Gauss and Jordan; the matrix is positive definite
    for (int k = 0; k < POINTS; k++) {
      double factor = k == i ? 0 : A[k][i] / A[i][i];
      for (int j = i; j <= POINTS; j++) {
        A[k][j] -= factor * A[i][j];
      }
    }
  }
  for (int i = 0; i < POINTS; i++) {
    double f = A[i][POINTS] / A[i][i];
    ck_assert(f > 0); // all press, so that it is a linear spring
    sum += f;
  }
  return sum;
}

typedef struct setting {
  double alpha;
  const char *friction;
  bool per_area;
  double height, angle; // [m] of the lowest point, [rad] about y
  double until;
} setting;

static rh_model *box_model(const setting *s)
{
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  double x = SIZE.x * SIZE.x * MASS / 12;
  double y = SIZE.y * SIZE.y * MASS / 12;
  double z = SIZE.z * SIZE.z * MASS / 12;
  rh_body_def body = body_of("box", MASS, rh_v3(0, 0, 0), rh_v3(y + z, x + z, x + y));
  rh_joint_def joint = joint_of("free", "world", "box", rh_v3(0, 0, 0));
  double up = s->height + (SIZE.z * cos(s->angle) + SIZE.x * sin(s->angle)) / 2;
  joint.q = (rh_list){7, {0, 0, up, cos(s->angle / 2), 0, sin(s->angle / 2), 0}};
  add(scene, &body, &joint);
  put_box(scene, "box", SIZE, POINTS);
  rh_contact_def c = contact_of("box", "world", "elastic-patch", s->friction);
  c.stiffness_per = s->per_area;
  set_law(&c, "E", E);
  set_law(&c, "nu", NU);
  set_law(&c, "alpha", s->alpha);
  put_contact(scene, &c);
  set_tolerance(scene, s->until, 1e-11, 1e-13);
  set_frames(scene, 1e-3);
  return model_of(scene);
}

static double sunk(const rh_sim *sim)
{
  return SIZE.z / 2 - rh_sim_view(sim)->q[2];
}

// Damped to rest, it has sunk in by its weight over the stiffness of the punch; the rim carries more than the middle.
START_TEST(box_rests_as_a_flat_punch)
{
  setting s = {.alpha = 40, .friction = "coulomb", .per_area = _i == 1, .until = 0.4};
  rh_model *model = box_model(&s);
  rh_sim *sim = sim_of(model);
  run_to(sim, s.until);
  look(sim);
  double force = 0;
  double most = 0;
  double least = HUGE_VAL;
  int on = 0;
  for (int k = 0; k < model->nslot; k++) {
    const rh_contact *c = &rh_sim_view(sim)->contact[k];
    on += c->on;
    force += c->normal;
    most = c->on ? fmax(most, c->normal / c->area) : most;
    least = c->on ? fmin(least, c->normal / c->area) : least;
  }
  ck_assert_int_eq(on, POINTS);
  near_rel(force, MASS * GRAVITY, 1e-8);
  near_rel(sunk(sim), MASS * GRAVITY / punch_stiffness(), 1e-8);
  ck_assert_double_gt(most, 2 * least);
  rh_ledger l = rh_sim_ledger(sim);
  near_rel(l.contact, 0.5 * force * sunk(sim), 1e-7); // 1/2 f'Cf, point by point another number
  near_abs(l.residue, 0, 1e-8);
  finish(sim, model);
}

END_TEST

// Undamped from rest at the surface: m g / K (1 - cos w t)
START_TEST(box_heaves_on_a_linear_spring)
{
  setting s = {.friction = "none", .until = 1};
  rh_model *model = box_model(&s);
  rh_sim *sim = sim_of(model);
  double k = punch_stiffness();
  double omega = sqrt(k / MASS);
  for (int i = 1; i < 10; i++) { // within the first period it stays in the ground
    double t = 0.1 * i * 2 * PI / omega;
    run_to(sim, t);
    near_abs(sunk(sim), MASS * GRAVITY / k * (1 - cos(omega * t)), 1e-11);
    near_array(rh_sim_view(sim)->q, ((double[2]){0, 0}), 2, 1e-13, 0);
  }
  finish(sim, model);
}

END_TEST

// Dropped flat without damping it leaves as fast as it came, and nothing stays in the ground. z = A sin(w t) + m g / K (1 - cos w t),
// out again after 2 (pi - atan(K v / (m g w))) / w.
START_TEST(flat_drop_gives_everything_back)
{
  setting s = {.friction = "none", .height = 0.05, .until = 0.15};
  rh_model *model = box_model(&s);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, s.until);
  const rh_event *touch = log_find(log, RH_EVENT_TOUCH, 0);
  const rh_event *part = log_find(log, RH_EVENT_SEPARATE, 0);
  ck_assert(touch != NULL && part != NULL);
  ck_assert_int_eq(log_count(log, RH_EVENT_SEPARATE), POINTS);
  double k = punch_stiffness();
  double omega = sqrt(k / MASS);
  double v = sqrt(2 * GRAVITY * s.height);
  near_rel(-part->before, v, 1e-8);
  near_rel(part->t - touch->t, 2 * (PI - atan(k * v / (MASS * GRAVITY * omega))) / omega, 1e-7);
  near_abs(rh_sim_ledger(sim).contact, 0, 1e-8);
  near_abs(log->worst_residue, 0, 1e-8);
  free(log);
  finish(sim, model);
}

END_TEST

// Let go on one edge it rocks to rest on its face; whatever comes and goes, the account closes.
START_TEST(rocking_closes_the_account)
{
  setting s = {.alpha = 1, .friction = "coulomb", .angle = 0.1, .until = 1.5};
  rh_model *model = box_model(&s);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, s.until);
  ck_assert_int_gt(log_count(log, RH_EVENT_TOUCH), POINTS);
  ck_assert_msg(log->worst_residue < 1e-7, "residue %g J", log->worst_residue); // of 6 J
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_double_lt(l.kinetic, 1e-2);
  ck_assert_double_ge(l.contact_damper, 0);
  ck_assert_double_ge(l.sliding, 0);
  near_abs(rh_sim_view(sim)->q[5], 0, 1e-2); // it stands on its face again
  free(log);
  finish(sim, model);
}

END_TEST

// ---- A ball: m z'' = -c(n) E* sqrt(r) z^1.5

static const double RADIUS = 0.05;
static const double BALL = 0.5;
static const double SPEED = 0.8;

static double patch_coefficient(int n) // of tests/unit/contact/patch.c
{
  return n == 4 ? 1.36562341983194 : n == 16 ? 1.335540979265405 : 1.333531332478116;
}

// A free impact without gravity: z_max = (5 m v^2 / (4 K))^(2/5), duration 2 z_max / v times the integral over dx / sqrt(1 - x^2.5),
// which is sqrt(pi) Gamma(7/5) / Gamma(9/10).
START_TEST(ball_bounces_as_hertz)
{
  static const int cells[] = {4, 16, 32};
  double K = patch_coefficient(cells[_i]) * modulus() * sqrt(RADIUS);
  double deepest = pow(1.25 * BALL * SPEED * SPEED / K, 0.4);
  double lasts = 2 * deepest / SPEED * sqrt(PI) * tgamma(1.4) / tgamma(0.9);
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  put_floor(scene);
  start at = {.at = {0, 0, RADIUS + 1e-3}, .v = {0, 0, -SPEED}};
  put_ball(scene, "ball", BALL, RADIUS, &at);
  rh_contact_def c = contact_of("ball", "world", "elastic-patch", "none");
  set_law(&c, "E", E);
  set_law(&c, "nu", NU);
  set_law(&c, "n", cells[_i]);
  set_law(&c, "alpha", 0);
  put_contact(scene, &c);
  set_tolerance(scene, 1, 1e-12, 1e-14);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  double t = 1e-3 / SPEED;
  run_to(sim, t + lasts / 2);
  near_rel(RADIUS - rh_sim_view(sim)->q[2], deepest, 1e-8);
  near_rel(rh_sim_ledger(sim).contact, 0.5 * BALL * SPEED * SPEED, 1e-8);
  run_to(sim, t + lasts + 1e-3);
  const rh_event *touch = log_find(log, RH_EVENT_TOUCH, 0);
  const rh_event *part = log_find(log, RH_EVENT_SEPARATE, 0);
  ck_assert(touch != NULL && part != NULL);
  near_rel(part->t - touch->t, lasts, 1e-8);
  near_rel(-part->before, SPEED, 1e-9);
  free(log);
  finish(sim, model);
}

END_TEST

// A ball at rest on its ground but for its spin: all cells of the contact slip after a part of a turn, and the spin falls with the
// torque 3 pi/16 mu N a, to 1.5 % with 52 cells. Slip on one side is against that of the other: the ball stays where it is.
START_TEST(ball_spins_down)
{
  const double mu = 0.3;
  double N = BALL * 9.81;
  double Estar = E / (1 - NU * NU);
  double depth = pow(N / (4.0 / 3 * Estar * sqrt(RADIUS)), 2.0 / 3);
  double torque = 3 * PI / 16 * mu * N * sqrt(RADIUS * depth);
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  start at = {.at = {0, 0, RADIUS - depth}, .spin = {0, 0, 5}};
  put_ball(scene, "ball", BALL, RADIUS, &at);
  rh_contact_def c = contact_of("ball", "world", "hertz", "elastic-patch");
  set_law(&c, "E", E);
  set_law(&c, "nu", NU);
  set_friction(&c, "mu", mu);
  put_contact(scene, &c);
  set_tolerance(scene, 1, 1e-7, 1e-10);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 0.005);
  double before = rh_sim_view(sim)->v[5];
  run_to(sim, 0.025);
  double lost = before - rh_sim_view(sim)->v[5];
  near_rel(lost / 0.02 * 0.4 * BALL * RADIUS * RADIUS, torque, 0.015);
  near_abs(hypot(rh_sim_view(sim)->v[0], rh_sim_view(sim)->v[1]), 0, 1e-9);
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-6 * BALL);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_elastic_ground(void)
{
  Suite *suite = suite_create("unit_elastic_ground");
  TCase *tcase = tcase_create("ground");
  tcase_add_loop_test(tcase, box_rests_as_a_flat_punch, 0, 2);
  tcase_add_test(tcase, box_heaves_on_a_linear_spring);
  tcase_add_test(tcase, flat_drop_gives_everything_back);
  tcase_add_test(tcase, rocking_closes_the_account);
  tcase_add_loop_test(tcase, ball_bounces_as_hertz, 0, 3);
  tcase_add_test(tcase, ball_spins_down);
  suite_add_tcase(suite, tcase);
  return suite;
}
