// unit_extreme.c: contact far from everyday: mass ratios, sizes, stiffnesses, speeds, long rest. Each run is either right
// against its closed form, or says that it is not: never silently wrong.
#include "contact_scenes.h"

#include <stdlib.h>

static rh_status run_quietly(rh_sim *sim, double until)
{
  return rh_sim_run(sim, until);
}

// ---- Mass ratios: an elastic blow between two balls

START_TEST(mass_ratios)
{
  static const double ratio[] = {1e-6, 1e-3, 1, 1e3, 1e6};
  double m = ratio[_i];
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  start a = {.at = {0, 0, 0}, .v = {1, 0, 0}};
  start b = {.at = {0.25, 0, 0}, .v = {-0.5, 0, 0}};
  put_ball(scene, "a", 1, 0.1, &a);
  put_ball(scene, "b", m, 0.1, &b);
  rh_contact_def c = contact_of("a", "b", "kelvin-voigt", "none");
  set_law(&c, "k", 1e6 * fmin(1, m));
  set_law(&c, "b", 0);
  put_contact(scene, &c);
  set_tolerance(scene, 0.1, 1e-11, 1e-14);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  // Of the light one's speed, 3 m/s at most, 1e-11 a step; of the heavy one's change the same part.
  near_abs(rh_sim_view(sim)->v[0], ((1 - m) * 1 + 2 * m * -0.5) / (1 + m),
           1e-9 * fmin(1, m) + 1e-14);
  near_abs(rh_sim_view(sim)->v[6], ((m - 1) * -0.5 + 2 * 1.0) / (1 + m),
           1e-9 * fmin(1, 1 / m) + 1e-14);
  finish(sim, model);
}

END_TEST

// ---- Stiffness over twelve decades: half a period of a damped spring, [MO] eq. 4

typedef struct blow {
  double mass, radius, speed, k, zeta;
} blow;

// The rebound over the speed; negative: the run said that it failed.
static double rebound(const blow *x, double rtol, double atol)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  double omega = sqrt(x->k / x->mass);
  double flight = 3 / omega; // of the same order as the blow, so that frames see both
  start s = {.at = {0, 0, x->radius + x->speed * flight}, .v = {0, 0, -x->speed}};
  put_floor(scene);
  put_ball(scene, "ball", x->mass, x->radius, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", x->k);
  set_law(&c, "b", 2 * x->zeta * sqrt(x->k * x->mass));
  put_contact(scene, &c);
  set_tolerance(scene, flight + 7 / omega, rtol, atol);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  rh_status status = run_quietly(sim, model->run.until);
  double e = status == RH_OK ? rh_sim_view(sim)->v[2] / x->speed : -1;
  finish(sim, model);
  return e;
}

static double eq4(double zeta)
{
  return exp(-3.14159265358979323846 * zeta / sqrt(1 - zeta * zeta));
}

// A contact is given up where it is 1e-12 m open, so that rounding cannot make and lose it in turn: of an impact that is
// `depth` deep this changes e by about that part.
static double slack(const blow *x)
{
  double depth = x->speed * sqrt(x->mass / x->k);
  return 1e-12 / depth;
}

START_TEST(stiffnesses)
{
  for (int decade = 0; decade <= 12; decade++) {
    blow x = {.mass = 1, .radius = 0.1, .speed = 1, .k = pow(10, decade), .zeta = 0.1};
    // The depth is 1e-6 m at 1e12 N/m: 1e-15 is 1e-9 of it.
    near_rel(rebound(&x, 1e-11, 1e-15), eq4(0.1), 1e-8 + slack(&x));
    // With the tolerances a scene has by default, 1e-10 is 1e-4 of that depth; it may be off by as much, not more.
    near_rel(rebound(&x, 1e-8, 1e-10), eq4(0.1), 1e-4);
  }
}

END_TEST

START_TEST(sizes)
{
  for (int decade = -4; decade <= 3; decade++) {
    double r = pow(10, decade);
    double mass =
        fmin(4188.79 * r * r * r, 1e9); // of water, up to what the range of an inertia allows
    blow x = {.mass = mass, .radius = r, .speed = 1, .zeta = 0.1};
    x.k = mass * pow(1 / (0.01 * r), 2); // pressed in by a hundredth of the radius
    near_rel(rebound(&x, 1e-11, fmax(1e-12 * r, 1e-16)), eq4(0.1),
             1e-8 + slack(&x)); // 1e-10 of the depth
    near_rel(rebound(&x, 1e-8, 1e-10), eq4(0.1),
             1e-4); // default: 1e-4 of the smallest depth, 1e-6 m
    x.speed =
        1e-3; // the smallest is then a nanometre deep, of which the default tolerance is a tenth
    near_rel(rebound(&x, 1e-11, fmax(1e-15 * r, 1e-16)), eq4(0.1), 1e-6 + slack(&x));
    near_rel(rebound(&x, 1e-8, 1e-10), eq4(0.1), r < 1e-3 ? 0.1 : 1e-2);
  }
}

END_TEST

// What no range allows is refused, not run.
START_TEST(too_large)
{
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 1e4}};
  put_floor(scene);
  put_ball(scene, "moon", 1e14, 1e4, &s);
  rh_contact_def c = contact_of("moon", "world", "hertz", "none");
  put_contact(scene, &c);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

// ---- Shots: a small ball at a plate a millimetre thick

typedef struct shot {
  const char *stepper;
  double accuracy; // tolerance or step
  double radius, speed, k;
  bool other_side;
} shot;

static const shot shots[] = {
    {"cvode", 1e-8, 5e-3, 1000, 5e4, false}, {"cvode", 1e-8, 5e-3, 1000, 1e12, false},
    {"cvode", 1e-4, 5e-3, 1000, 5e4, false}, {"cvode", 1e-2, 1e-4, 1000, 1e9, false},
    {"cvode", 1e-8, 5e-3, 10, 5e4, true},    {"cvode", 1e-8, 0.1, 1000, 1e10, true},
    {"rk4", 1e-3, 5e-3, 1000, 5e4, false},   {"rk4", 1e-3, 5e-3, 1000, 1e10, true},
    {"euler", 1e-4, 5e-3, 1000, 5e4, false}, {"gbs", 1e-2, 5e-3, 1000, 5e4, false},
    {"cvode", 1e-8, 5e-3, 1e5, 1e12, false},
};

START_TEST(shot_at_a_plate)
{
  const shot *x = &shots[_i];
  double side = x->other_side ? -1 : 1;
  rh_scene *scene = rh_scene_create();
  double mass = 8000 * 4.1887902 * x->radius * x->radius * x->radius;
  start s = {.at = {0.01, 0.02, side * 5.0}, .v = {0, 0, -side * x->speed}};
  put_box(scene, "world", rh_v3(2, 2, 1e-3), 4);
  put_ball(scene, "bullet", mass, x->radius, &s);
  rh_contact_def c = contact_of("bullet", "world", "kelvin-voigt", "none");
  set_law(&c, "k", x->k);
  set_law(&c, "b", 0.1 * sqrt(x->k * mass));
  put_contact(scene, &c);
  set_run(scene, x->stepper, 10 / x->speed, x->accuracy);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  rh_status status = run_quietly(sim, model->run.until);
  double z = side * rh_sim_view(sim)->q[2];
  ck_assert_msg(status != RH_OK || z > 0, "it came through: %s %g, z = %g, %d touches", x->stepper,
                x->accuracy, z, log_count(log, RH_EVENT_TOUCH));
  ck_assert_msg(status == RH_OK || rh_sim_reason(sim)[0] != 0, "it stopped and did not say why");
  ck_assert_msg(log_count(log, RH_EVENT_TOUCH) > 0 || status != RH_OK, "it never touched");
  free(log);
  finish(sim, model);
}

END_TEST

// The plate may fly at the ball as well, and both may turn.
START_TEST(plate_at_a_ball)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  start ball = {.at = {0, 0, 0}, .v = {0, 0, 300}, .spin = {100, 0, 0}};
  start plate = {.at = {0.1, 0, 5}, .v = {0, 0, -700}, .spin = {0, 0, 50}};
  put_ball(scene, "ball", 0.004, 5e-3, &ball);
  put_block(scene, "plate", 1, rh_v3(1, 1, 1e-3), &plate);
  put_box(scene, "plate", rh_v3(1, 1, 1e-3), 4);
  rh_contact_def c = contact_of("ball", "plate", "kelvin-voigt", "none");
  put_contact(scene, &c);
  set_tolerance(scene, 0.02, 1e-8, 1e-10);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  rh_status status = run_quietly(sim, model->run.until);
  ck_assert(status != RH_OK || rh_sim_view(sim)->q[2] < rh_sim_view(sim)->q[9]);
  finish(sim, model);
}

END_TEST

// ---- Rest on a slope inside the cone, for 100 s

typedef struct rest {
  double moved; // [m] from 1 s on
  double early; // [m] in the first half of that
} rest;

static const double SLOPE = 0.25; // tangent of the slope; mu is 0.5

static rest held(const char *friction)
{
  rh_scene *scene = rh_scene_create();
  double cosine = 1 / sqrt(1 + SLOPE * SLOPE);
  set_gravity(scene, rh_v3(9.81 * SLOPE * cosine, 0, -9.81 * cosine));
  start s = {.at = {0, 0, 0.05}};
  put_floor(scene);
  put_block(scene, "block", 1, rh_v3(0.2, 0.2, 0.1), &s);
  put_box(scene, "block", rh_v3(0.2, 0.2, 0.1), 4);
  rh_contact_def c = contact_of("block", "world", "kelvin-voigt", friction);
  set_law(&c, "k", 1e5);
  set_law(&c, "b", 300);
  if (rh_row_find(&rh_friction_law_find(friction)->row, "mu") != RH_NONE) {
    set_friction(&c, "mu", 0.5);
  }
  put_contact(scene, &c);
  set_stiff(scene, 101, 1e-9, 1e-13);
  set_frames(scene, 1);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 1); // the fall of a hair onto the springs has died down: rates of 100 1/s and more
  double x = rh_sim_view(sim)->q[0];
  run_to(sim, 51);
  double half = rh_sim_view(sim)->q[0];
  run_to(sim, 101);
  rest r = {rh_sim_view(sim)->q[0] - x, half - x};
  finish(sim, model);
  return r;
}

START_TEST(held_by_bristles)
{
  rest r = held("bristle");
  ck_assert_msg(fabs(r.moved) < 1e-9, "moved by %g m", r.moved);
}

END_TEST

// The springs of the others do not creep either where the depth is constant; the one without a state does, as said.
START_TEST(held_by_others)
{
  rest r = held("azad-featherstone");
  ck_assert_msg(fabs(r.moved) < 1e-9, "azad-featherstone moved by %g m", r.moved);
  r = held("azad-featherstone-passive");
  ck_assert_msg(fabs(r.moved) < 1e-9, "azad-featherstone-passive moved by %g m", r.moved);
  r = held("coulomb");
  double part = SLOPE / 0.5; // of the cone: v / hypot(v, v_slip)
  double creep = 1e-3 * part / sqrt(1 - part * part);
  near_rel(r.moved, 100 * creep, 1e-5); // steady: 1e-9 a step
  near_rel(r.early, 50 * creep, 1e-5);
}

END_TEST

// Over the edge of the cone it must go: m a = m g (sin - mu cos).
START_TEST(not_held)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(6, 0, -9.81));
  start s = {.at = {0, 0, 0.05 - 9.81 / 4e5}};
  put_floor(scene);
  put_block(scene, "block", 1, rh_v3(0.2, 0.2, 0.1), &s);
  put_box(scene, "block", rh_v3(0.2, 0.2, 0.1), 4);
  rh_contact_def c = contact_of("block", "world", "kelvin-voigt", "bristle");
  set_law(&c, "k", 1e5);
  set_law(&c, "b", 300);
  set_friction(&c, "mu_s", 0.5);
  set_friction(&c, "mu_k", 0.5);
  put_contact(scene, &c);
  set_tolerance(scene, 1.5, 1e-9, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 0.5); // bristles bent, and the nod it gave when it started is over
  double v = rh_sim_view(sim)->v[0];
  run_to(sim, 1.5);
  near_rel(rh_sim_view(sim)->v[0] - v, 6 - 0.5 * 9.81, 1e-6);
  finish(sim, model);
}

END_TEST

// ---- Hops at a coarse tolerance

// A hop lasts 2 v / g, and as many flights end as begin. The first step of a flight, of order one, may take half of the
// time to its top: it is then v^2 / 8 g too low, within such a tolerance, and the hop shorter by (1 - sqrt(3/4)) / 2.
START_TEST(hops)
{
  static const double g = 9.81;
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.051 + 0.001 * _i}};
  put_floor(scene);
  put_ball(scene, "ball", 0.37, 0.05, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", 2e5);
  set_law(&c, "b", 60);
  set_law(&c, "tension", 1); // cut
  put_contact(scene, &c);
  set_tolerance(scene, 0.4, 1e-3, 1e-10);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  int n = log_count(log, RH_EVENT_SEPARATE);
  ck_assert_int_ge(n, 4);
  ck_assert_int_le(
      n, 20); // each hop has at most 0.72 of the speed before: 20 lead from 0.5 m/s to 1 mm/s
  for (int i = 0; i < n; i++) {
    const rh_event *part = log_find(log, RH_EVENT_SEPARATE, i);
    const rh_event *touch = log_find(log, RH_EVENT_TOUCH, i + 1);
    double lasts = touch ? (touch->t - part->t) * g / (-2 * part->before) : 1;
    ck_assert_msg(lasts > (1 + sqrt(0.75)) / 2 - 1e-3 && lasts < 1 + 1e-3,
                  "hop %d at %.9g s lasts %g of 2 v / g", i, part->t, lasts);
  }
  free(log);
  finish(sim, model);
}

END_TEST

// ---- Rest on a stiff contact

// Nothing moves there, but explicit steps are bound to the swing of the spring, 1 / sqrt(k / m) = 1.4 ms: some 7000 in ten
// seconds. Two looks of 250 steps show that accuracy does not ask for them; implicit steps need few. Every hundredth frame
// begins anew, so that frames are rare here.
START_TEST(rests_in_few_steps)
{
  static const double g = 9.81, mass = 0.37, k = 2e5;
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.0501}};
  put_floor(scene);
  put_ball(scene, "ball", mass, 0.05, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", k);
  set_law(&c, "b", 60);
  put_contact(scene, &c);
  set_tolerance(scene, 11, 1e-8, 1e-10);
  rh_record_def record = rh_record_default();
  record.every = 1;
  rh_scene_set_record(scene, &record);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 1);
  long before = rh_sim_statistics(sim).step.steps;
  run_to(sim, 11);
  ck_assert_int_le((int)(rh_sim_statistics(sim).step.steps - before), 1000);
  near_abs(rh_sim_view(sim)->q[2], 0.05 - mass * g / k, 1e-10); // its tolerance
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_extreme(void)
{
  Suite *suite = suite_create("unit_extreme");
  TCase *tests = tcase_create("extreme");
  tcase_add_loop_test(tests, mass_ratios, 0, 5);
  tcase_add_test(tests, stiffnesses);
  tcase_add_test(tests, sizes);
  tcase_add_test(tests, too_large);
  tcase_add_loop_test(tests, shot_at_a_plate, 0, RH_COUNT(shots));
  tcase_add_test(tests, plate_at_a_ball);
  tcase_add_test(tests, held_by_bristles);
  tcase_add_test(tests, held_by_others);
  tcase_add_test(tests, not_held);
  tcase_add_loop_test(tests, hops, 0, 12);
  tcase_add_test(tests, rests_in_few_steps);
  suite_add_tcase(suite, tests);
  return suite;
}
