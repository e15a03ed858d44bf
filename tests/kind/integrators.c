// kind_integrators.c: every row of the table of integrators must keep what event/integrator.h promises, on small flows: accuracy, time,
// failure. Events are in kind_located.c; how good each row is at whole scenes is in unit_sim.c.
#include "test_flows.h"

// ---- The head

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  ck_assert_ptr_eq(rh_integrator_find(row->row.name), row);
  ck_assert(row->row.name[0] != '\0' && row->row.doc[0] != '\0' && row->row.cite != NULL);
  ck_assert(row->open && row->restart && row->advance && row->reason && row->stats && row->close);
  int numbers = 0;
  for (int k = 0; k < row->row.nparam; k++) {
    const rh_param *p = &row->row.param[k];
    char why[RH_WHY_MAX];
    ck_assert(p->name[0] != '\0' && p->doc[0] != '\0');
    ck_assert_msg(strcmp(p->unit, "1") == 0 || rh_unit_known(p->unit), "unit '%s' of %s", p->unit,
                  p->name);
    ck_assert_msg(p->type == RH_CHOICE || rh_param_check(p, p->def, why), "default of %s: %s",
                  p->name, why);
    ck_assert_int_eq(rh_row_offset(&row->row, k), numbers);
    numbers += rh_param_size(p);
  }
  ck_assert_int_le(numbers, RH_PAR_MAX);
  ck_assert_ptr_null(rh_integrator_find("no-such-integrator"));
}

END_TEST

// The defaults must work as they are.
START_TEST(defaults_work)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_pendulum, 0.5, 0);
  double par[RH_PAR_MAX] = {0};
  rh_row_defaults(&row->row, par);
  open_with(&s, par);
  reach(&s, 0.5);
  // Small oscillation, w = sqrt(g): any sane default is within a tenth of a radian of it.
  near_abs(s.y[0], 0.5 * cos(sqrt(9.81) * 0.5), 0.1);
  rh_step_stats stats = {0};
  row->stats(s.self, &stats);
  ck_assert_int_gt(stats.steps, 0);
  ck_assert_int_gt(stats.evaluations, 0);
  ck_assert_int_ge(stats.rejected, 0);
  close_flow(&s);
}

END_TEST

// ---- Accuracy. Reference: the same pendulum in long double by the classical Runge-Kutta rule with 20 000 steps, whose
// own error (h^4, h = 1e-4) is 1e-16.

static void pendulum_reference(double q0, double v0, double t, double out[2])
{
  const int n = 20000;
  long double h = (long double)t / n;
  long double q = (long double)q0;
  long double v = (long double)v0;
  for (int i = 0; i < n; i++) {
    long double a1 = -9.81L * sinl(q);
    long double v2 = v + h / 2 * a1;
    long double a2 = -9.81L * sinl(q + h / 2 * v);
    long double v3 = v + h / 2 * a2;
    long double a3 = -9.81L * sinl(q + h / 2 * v2);
    long double v4 = v + h * a3;
    long double a4 = -9.81L * sinl(q + h * v3);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  out[0] = (double)q;
  out[1] = (double)v;
}

static double pendulum_error(const rh_integrator *row, double accuracy)
{
  setup s;
  double want[2];
  set_flow(&s, row, pull_pendulum, 1.2, 0.4);
  open_flow(&s, accuracy);
  reach(&s, 2);
  close_flow(&s);
  pendulum_reference(1.2, 0.4, 2, want);
  return hypot(s.y[0] - want[0], s.y[1] - want[1]);
}

typedef struct known_order {
  const char *name;
  int order;
} known_order;

static const known_order orders[] = {{"euler", 1}, {"rk4", 4}};

// Halving the step divides the error by 2^order. Steps are in the middle of the asymptotic range, so 5 % is ample.
START_TEST(fixed_steps_have_their_order)
{
  const known_order *o = &orders[_i];
  const rh_integrator *row = rh_integrator_find(o->name);
  ck_assert_ptr_nonnull(row);
  double h = o->order == 1 ? 1e-3 : 1e-2;
  double e1 = pendulum_error(row, h);
  double e2 = pendulum_error(row, h / 2);
  double e4 = pendulum_error(row, h / 4);
  near_abs(log2(e1 / e2), o->order, 0.1);
  near_abs(log2(e2 / e4), o->order, 0.05);
}

END_TEST

// The error over 2 s stays within a hundred times the tolerance asked for, and falls with it.
START_TEST(tolerances_are_met)
{
  FOR_EACH_ROW;
  if (!has(row, "rtol")) {
    return;
  }
  for (int e = 5; e <= 12; e++) {
    double tol = pow(10, -e);
    double error = pendulum_error(row, tol);
    ck_assert_msg(error < 100 * tol + 1e-13, "%s: error %g at tolerance %g", row->row.name, error,
                  tol);
  }
}

END_TEST

static void check_choice(const rh_integrator *row, int index, int word)
{
  setup s;
  double want[2];
  set_flow(&s, row, pull_pendulum, 1.2, 0.4);
  rh_run_def run = run_of(row->row.name, 1, 1e-9);
  run.integrator_par[rh_row_offset(&row->row, index)] = word;
  open_with(&s, run.integrator_par);
  reach(&s, 2);
  pendulum_reference(1.2, 0.4, 2, want);
  near_array(s.y, want, 2, 1e-6, 0); // a thousand times the tolerance, for the laxest of methods
  close_flow(&s);
}

START_TEST(every_choice_works)
{
  FOR_EACH_ROW;
  for (int k = 0; k < row->row.nparam; k++) {
    const rh_param *p = &row->row.param[k];
    int words = 1;
    for (const char *c = p->choices != NULL ? p->choices : ""; *c != '\0'; c++) {
      words += *c == '|';
    }
    for (int w = 0; p->type == RH_CHOICE && w < words; w++) {
      check_choice(row, k, w);
    }
  }
}

END_TEST

// A decay of 1e4 per second: a stiff method needs few steps where an explicit one is held to 1e-4 s.
START_TEST(bdf_takes_stiff_flows)
{
  const rh_integrator *row = rh_integrator_find("cvode");
  ck_assert_ptr_nonnull(row);
  setup s;
  set_flow(&s, row, pull_stiff, 1, 0);
  rh_run_def run = run_of("cvode", 1, 1e-8);
  set_par(&row->row, run.integrator_par, "method", 1); // "adams|bdf"
  open_with(&s, run.integrator_par);
  reach(&s, 2);
  rh_step_stats stats = {0};
  row->stats(s.self, &stats);
  // Roots of x^2 + 1e4 x + 1e4: the slow one decides.
  double slow = -5000 + sqrt(25e6 - 1e4);
  double fast = -5000 - sqrt(25e6 - 1e4);
  double c = fast / (fast - slow); // q(0) = 1, v(0) = 0
  near_abs(s.y[0], c * exp(2 * slow), 1e-6);
  ck_assert_int_lt(stats.steps, 2000); // an explicit method would take over 10 000
  close_flow(&s);
}

END_TEST

// Order four: with a step that the tolerance does not bound (max_step) halving it divides the error by 16.
START_TEST(merson_has_order_four)
{
  const rh_integrator *row = rh_integrator_find("merson");
  double error[3];
  for (int i = 0; i < 3; i++) {
    setup s;
    double want[2];
    set_flow(&s, row, pull_pendulum, 1.2, 0.4);
    rh_run_def run = run_of("merson", 1, 1e-2);
    set_par(&row->row, run.integrator_par, "rtol", 1e-2);
    set_par(&row->row, run.integrator_par, "atol", 1);
    set_par(&row->row, run.integrator_par, "max_step", 0.02 / (1 << i));
    open_with(&s, run.integrator_par);
    reach(&s, 2);
    close_flow(&s);
    pendulum_reference(1.2, 0.4, 2, want);
    error[i] = hypot(s.y[0] - want[0], s.y[1] - want[1]);
  }
  near_abs(log2(error[0] / error[1]), 4, 0.25); // the first steps are shorter
  near_abs(log2(error[1] / error[2]), 4, 0.25);
}

END_TEST

// An explicit method: where the flow is stiff the steps are short, and the result is right.
START_TEST(merson_is_held_by_stiffness)
{
  const rh_integrator *row = rh_integrator_find("merson");
  setup s;
  set_flow(&s, row, pull_stiff, 1, 0);
  open_flow(&s, 1e-6);
  reach(&s, 0.5);
  rh_step_stats stats = {0};
  row->stats(s.self, &stats);
  double slow = -5000 + sqrt(25e6 - 1e4);
  double fast = -5000 - sqrt(25e6 - 1e4);
  near_abs(s.y[0], fast / (fast - slow) * exp(0.5 * slow), 1e-5);
  // Stable up to a product of about 3.5: at least 0.5 s * 1e4 / 3.5 steps, and not many more.
  ck_assert_int_ge(stats.steps, 1400);
  ck_assert_int_le(stats.steps, 5000);
  close_flow(&s);
}

END_TEST

// ---- Time

START_TEST(stops_exactly)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_pendulum, 0.3, 0);
  open_flow(&s, usual(row));
  reach(&s, 0); // nowhere to go
  ck_assert(s.y[0] == 0.3 && s.y[1] == 0);
  reach(&s, DBL_EPSILON);
  for (int k = 1; k <= 100; k++) {
    reach(&s, k * 0.013);
  }
  reach(&s, 1.3000000001);
  double want[2];
  pendulum_reference(0.3, 0, 1.3000000001, want);
  near_array(s.y, want, 2, strcmp(row->row.name, "euler") == 0 ? 3e-3 : 1e-8, 0);
  close_flow(&s);
}

END_TEST

// What a resume rests on: an integrator restarted at a state gives the same bits as a new one opened there.
START_TEST(restart_forgets)
{
  FOR_EACH_ROW;
  setup a;
  setup b;
  set_flow(&a, row, pull_pendulum, 1.2, 0.4);
  open_flow(&a, usual(row));
  reach(&a, 0.7);
  ck_assert_int_eq(row->restart(a.self), RH_OK);
  set_flow(&b, row, pull_pendulum, a.y[0], a.y[1]);
  b.t = a.t;
  open_flow(&b, usual(row));
  for (int k = 8; k < 15; k++) {
    reach(&a, 0.1 * k);
    reach(&b, 0.1 * k);
    ck_assert_msg(memcmp(a.y, b.y, sizeof a.y) == 0, "%s: bits differ at %g: %.17g %.17g",
                  row->row.name, a.t, a.y[0], b.y[0]);
  }
  rh_step_stats stats = {0};
  row->stats(a.self, &stats);
  ck_assert_int_ge(stats.restarts, 1);
  close_flow(&a);
  close_flow(&b);
}

END_TEST

// Nothing is evaluated behind the limit, and the first step after a restart keeps its bound.
START_TEST(limits_of_time_are_kept)
{
  FOR_EACH_ROW;
  setup s;
  rh_status status;
  set_flow(&s, row, pull_pendulum, 0.3, 0);
  add_level(&s, 9, 0);
  s.flow.first_step = 1e-5;
  open_flow(&s, has(row, "rtol") ? 1e-5 : 0.01);
  ck_assert_int_eq(try_advance(&s, 0.25, 0.26, &status), RH_ADVANCE_REACHED);
  ck_assert(s.t == 0.25);
  ck_assert_msg(s.user.latest <= 0.26 * (1 + 4 * DBL_EPSILON), "%s: evaluated at %.17g",
                row->row.name, s.user.latest);
  ck_assert_msg(s.user.guarded[1] <= 1e-5, "%s: first step to %g", row->row.name,
                s.user.guarded[1]);
  ck_assert_int_eq(try_advance(&s, 0.26, 0.26, &status), RH_ADVANCE_REACHED);
  ck_assert(s.t == 0.26);
  ck_assert(s.user.latest <= 0.26 * (1 + 4 * DBL_EPSILON));
  s.user.looks = 0;
  ck_assert_int_eq(row->restart(s.self), RH_OK);
  ck_assert_int_eq(try_advance(&s, 1, HUGE_VAL, &status),
                   RH_ADVANCE_REACHED); // the limit is lifted again
  ck_assert(s.t == 1);
  ck_assert_msg(s.user.guarded[1] <= 0.26 + 1.01e-5, "%s: first step to %g", row->row.name,
                s.user.guarded[1]);
  close_flow(&s);
}

END_TEST

// ---- Failure

START_TEST(failing_flow_is_reported)
{
  FOR_EACH_ROW;
  for (int failure = -1; failure <= 1; failure += 2) { // stop; try a smaller step, for ever
    mark_point();
    setup s;
    set_flow(&s, row, pull_pendulum, 0.3, 0);
    s.user.stop_at = 0.25;
    s.user.failure = failure;
    open_flow(&s, usual(row));
    rh_status status = RH_OK;
    rh_advance how = try_advance(&s, 1, HUGE_VAL, &status);
    ck_assert_msg(how == RH_ADVANCE_FAILED && status != RH_OK, "%s: failure %d was not reported",
                  row->row.name, failure);
    ck_assert_int_eq(rh_status_exit_code(status), 4);
    ck_assert(row->reason(s.self)[0] != '\0');
    ck_assert_int_lt(s.user.calls, 1000000);
    ck_assert(s.t <= 0.25 + 1e-9);
    close_flow(&s);
  }
}

END_TEST

static double pull_to_nan(double t, double q, double v)
{
  (void)q;
  (void)v;
  return t > 0.25 ? (double)NAN : 0;
}

START_TEST(not_a_number_is_reported)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_to_nan, 0.3, 0);
  open_flow(&s, usual(row));
  rh_status status = RH_OK;
  rh_advance how = try_advance(&s, 1, HUGE_VAL, &status);
  ck_assert_msg(how == RH_ADVANCE_FAILED && rh_status_exit_code(status) == 4,
                "%s: NaN went through: t = %g, y = %g", row->row.name, s.t, s.y[0]);
  close_flow(&s);
}

END_TEST

Suite *rh_suite_kind_integrators(void)
{
  Suite *suite = suite_create("kind_integrators");
  TCase *tc = tcase_create("rows");
  int n = 0;
  (void)rh_integrator_table(&n);
  tcase_add_loop_test(tc, head_is_complete, 0, n);
  tcase_add_loop_test(tc, defaults_work, 0, n);
  tcase_add_loop_test(tc, fixed_steps_have_their_order, 0, RH_COUNT(orders));
  tcase_add_loop_test(tc, tolerances_are_met, 0, n);
  tcase_add_loop_test(tc, every_choice_works, 0, n);
  tcase_add_test(tc, bdf_takes_stiff_flows);
  tcase_add_test(tc, merson_has_order_four);
  tcase_add_test(tc, merson_is_held_by_stiffness);
  tcase_add_loop_test(tc, stops_exactly, 0, n);
  tcase_add_loop_test(tc, restart_forgets, 0, n);
  tcase_add_loop_test(tc, limits_of_time_are_kept, 0, n);
  tcase_add_loop_test(tc, failing_flow_is_reported, 0, n);
  tcase_add_loop_test(tc, not_a_number_is_reported, 0, n);
  suite_add_tcase(suite, tc);
  return suite;
}
