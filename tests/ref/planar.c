// ref_planar.c: the period of a pendulum at large swing, against its closed form and the reference number.
#include "test.h"

#include <math.h>
#include <routh/routh.h>

typedef struct crossings {
  int n;
  double t[8];
} crossings;

static rh_status keep(void *user, const rh_sim *sim, const rh_event *event)
{
  (void)sim;
  crossings *seen = user;
  if (event->kind == RH_EVENT_MARK && seen->n < RH_COUNT(seen->t)) {
    seen->t[seen->n++] = event->t;
  }
  return RH_OK;
}

// Times at which a point mass (m = 1) on a massless arm of length L, let go at angle theta0, passes the bottom.
static crossings swing(double L, double theta0, double g, double until)
{
  rh_scene *scene = rh_scene_create();
  rh_world_def world = rh_world_default();
  world.gravity[2] = -g;
  rh_scene_set_world(scene, &world);
  // A ball of inertia I0 about the hinge axis would change the period by I0 / (m L^2) / 2; 1e-16 is below rounding.
  rh_body_def bob = rh_body_default();
  bob.name = rh_name_of("bob");
  bob.mass = 1;
  bob.com[2] = -L;
  bob.inertia = (rh_list){6, {1e-16, 1e-16, 1e-16}};
  rh_scene_add_body(scene, &bob);
  rh_joint_def hinge = rh_joint_default("revolute");
  hinge.name = rh_name_of("hinge");
  hinge.child = rh_name_of("bob");
  hinge.par[0] = 0;
  hinge.par[1] = 1;
  hinge.par[2] = 0;
  hinge.q = (rh_list){1, {theta0}};
  rh_scene_add_joint(scene, &hinge);
  rh_event_def bottom = rh_event_default();
  bottom.name = rh_name_of("bottom");
  bottom.joint = rh_name_of("hinge");
  bottom.position = 0;
  rh_scene_add_event(scene, &bottom);
  rh_run_def run = rh_run_default("event", "cvode");
  const rh_row *row = rh_kind_find("integrators", "cvode");
  run.until = until;
  run.integrator_par[rh_row_offset(row, rh_row_find(row, "rtol"))] = 1e-12;
  run.integrator_par[rh_row_offset(row, rh_row_find(row, "atol"))] = 1e-12;
  rh_scene_set_run(scene, &run);

  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  rh_status status = rh_scene_compile(scene, diag, &model);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  ck_assert_int_eq(rh_sim_create(model, diag, &sim), RH_OK);
  crossings seen = {0};
  rh_observer observer = {.user = &seen, .event = keep};
  rh_sim_observe(sim, &observer);
  ck_assert_int_eq(rh_sim_run(sim, until), RH_OK);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return seen;
}

// T = 4 sqrt(L/g) K(sin(theta0/2)) = 2 pi sqrt(L/g) / agm(1, cos(theta0/2))
static double period(double L, double theta0, double g)
{
  const double pi = 3.14159265358979323846;
  double a = 1;
  double b = cos(theta0 / 2);
  for (int i = 0; i < 8; i++) { // quadratic convergence: 8 rounds are more than enough
    double next = (a + b) / 2;
    b = sqrt(a * b);
    a = next;
  }
  return 2 * pi * sqrt(L / g) / a;
}

START_TEST(reference_period)
{
  // The reference asks for 1e-8; the closed form shows that it is itself good to the last digits.
  const double reference = 2.203082587612504;
  near_rel(period(1.0, 1.2, 9.81), reference, 4e-15);
  crossings seen = swing(1.0, 1.2, 9.81, 4.5);
  ck_assert_int_eq(seen.n, 4); // at T/4, 3T/4, 5T/4, 7T/4
  for (int i = 0; i < 4; i++) {
    // Events must be located to 1e-9 s. The integrator takes some hundred steps a swing with local errors of 1e-12, of
    // which a tenth adds up; what is left for the location of the event is less than that.
    near_abs(seen.t[i], (2 * i + 1) * reference / 4, 1e-11);
  }
  near_rel(seen.t[2] - seen.t[0], reference, 1e-11);
}

END_TEST

START_TEST(other_periods)
{
  static const double theta0[] = {0.01, 0.5, 2.0, 3.0};
  static const double L[] = {0.2, 1.0, 2.0, 0.7};
  // An absolute tolerance of 1e-12 beside a swing of 0.01 rad is 1e-10 of it. A pendulum let go 0.14 rad from the top
  // lets errors grow by exp(T sqrt(g / L)) / 4, a thousandfold in the time it lingers there.
  static const double tol[] = {1e-10, 1e-10, 1e-10, 1e-8};
  for (int i = 0; i < RH_COUNT(L); i++) {
    double T = period(L[i], theta0[i], 9.81);
    crossings seen = swing(L[i], theta0[i], 9.81, 1.5 * T);
    ck_assert_int_eq(seen.n, 3);
    near_abs(seen.t[2] - seen.t[0], T, tol[i]);
  }
}

END_TEST

Suite *rh_suite_ref_planar(void)
{
  Suite *suite = suite_create("ref_planar");
  TCase *tests = tcase_create("pendulum");
  tcase_add_test(tests, reference_period);
  tcase_add_test(tests, other_periods);
  suite_add_tcase(suite, tests);
  return suite;
}
