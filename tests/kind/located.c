// kind_located.c: every row of the table of integrators must find the zeros of guards, on small flows.
#include "test_flows.h"

#define LOCATED 1e-9 // [s] what the project promises

// Uniform motion is exact for every method: q = -1/3 + t.
START_TEST(passage_is_located)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_none, -1.0 / 3, 1);
  add_level(&s, 0, 1);
  open_flow(&s, has(row, "rtol") ? 1e-10 : 0.1); // a wide step: location must not depend on it
  rh_advance how = advance(&s, 1);
  ck_assert_int_eq(how, RH_ADVANCE_EVENT);
  near_abs(s.t, 1.0 / 3, LOCATED);
  near_abs(s.y[0], 0, LOCATED);
  ck_assert_msg(s.y[0] >= 0, "%s: stands before the event (%g), not behind it", row->row.name,
                s.y[0]);
  ck_assert_int_eq(s.hit[0], 1);
  // Going on without a restart and with one: the same passage is not met again.
  if (_i % 2 == 0) {
    ck_assert_int_eq(row->restart(s.self), RH_OK);
  }
  reach(&s, 1);
  near_abs(s.y[0], 2.0 / 3, 1e-9);
  close_flow(&s);
}

END_TEST

START_TEST(passage_is_not_met_again)
{
  FOR_EACH_ROW;
  for (int restart = 0; restart < 2; restart++) {
    setup s;
    set_flow(&s, row, pull_none, -1.0 / 3, 1);
    add_level(&s, 0, 0);
    add_level(&s, 0.25, 0);
    open_flow(&s, has(row, "rtol") ? 1e-10 : 0.1);
    ck_assert_int_eq(advance(&s, 1), RH_ADVANCE_EVENT);
    ck_assert_int_eq(s.hit[0], 1);
    ck_assert_int_eq(s.hit[1], 0);
    if (restart) {
      ck_assert_int_eq(row->restart(s.self), RH_OK);
    }
    ck_assert_int_eq(advance(&s, 1), RH_ADVANCE_EVENT);
    near_abs(s.t, 1.0 / 3 + 0.25, LOCATED);
    ck_assert_int_eq(s.hit[0], 0);
    ck_assert_int_eq(s.hit[1], 1);
    if (restart) {
      ck_assert_int_eq(row->restart(s.self), RH_OK);
    }
    reach(&s, 1);
    close_flow(&s);
  }
}

END_TEST

// Oscillation: guards see only the direction they ask for. q = sin t passes 0.5 at pi/6 rising and at 5 pi/6 falling.
START_TEST(direction_is_kept)
{
  FOR_EACH_ROW;
  const double pi = acos(-1.0);
  const double found[3] = {pi / 6, pi / 6, 5 * pi / 6};
  const int wanted[3] = {0, 1, -1};
  // A fixed-step method integrates the oscillation with its own error: euler 1e-4 per step makes 1e-3 in all, rk4 1e-12.
  bool adaptive = has(row, "rtol");
  double tol = adaptive ? 1e-8 : strcmp(row->row.name, "euler") == 0 ? 1e-3 : 1e-8;
  for (int k = 0; k < 3; k++) {
    setup s;
    set_flow(&s, row, pull_spring, 0, 1);
    add_level(&s, 0.5, wanted[k]);
    open_flow(&s, adaptive ? 1e-11 : 1e-3);
    ck_assert_int_eq(advance(&s, 3), RH_ADVANCE_EVENT);
    near_abs(s.t, found[k], tol);
    ck_assert_int_eq(s.hit[0], k == 2 ? -1 : 1);
    close_flow(&s);
  }
}

END_TEST

// Two guards at the same place are both reported, at one time; a guard just behind is not lost.
START_TEST(events_at_once)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_none, -0.5, 1);
  add_level(&s, 0.2, 1);
  add_level(&s, 0.2, 0);
  add_level(&s, 0.2, -1);
  add_level(&s, 0.2 + 1e-6, 1);
  open_flow(&s, has(row, "rtol") ? 1e-10 : 0.1);
  ck_assert_int_eq(advance(&s, 2), RH_ADVANCE_EVENT);
  near_abs(s.t, 0.7, LOCATED);
  ck_assert_int_eq(s.hit[0], 1);
  ck_assert_int_eq(s.hit[1], 1);
  ck_assert_int_eq(s.hit[2], 0);
  ck_assert_int_eq(s.hit[3], 0);
  ck_assert_int_eq(row->restart(s.self), RH_OK);
  ck_assert_int_eq(advance(&s, 2), RH_ADVANCE_EVENT);
  near_abs(s.t, 0.7 + 1e-6, LOCATED);
  ck_assert_int_eq(s.hit[3], 1);
  reach(&s, 2);
  close_flow(&s);
}

END_TEST

// A throw from the level itself: the guard is zero at the start and must not fire there, but on the way back.
START_TEST(start_on_the_guard)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_constant, 0, 2);
  add_level(&s, 0, -1);
  open_flow(&s, has(row, "rtol") ? 1e-11 : 1e-3);
  ck_assert_int_eq(advance(&s, 2), RH_ADVANCE_EVENT);
  // t = 2 v / g; a semi-implicit method's parabola is off by up to a step of time.
  double tol = strcmp(row->row.name, "euler") == 0 ? 1e-3 : LOCATED;
  near_abs(s.t, 2 * 2 / 9.81, tol);
  ck_assert_int_eq(s.hit[0], -1);
  ck_assert(s.y[0] <= 0);
  // Bounce by hand, four times: each flight is as long as the first.
  double flight = s.t;
  for (int k = 2; k < 6; k++) {
    s.y[0] = 0;
    s.y[1] = 2;
    ck_assert_int_eq(row->restart(s.self), RH_OK);
    ck_assert_int_eq(advance(&s, 4), RH_ADVANCE_EVENT);
    near_abs(s.t, k * flight, k * tol);
  }
  close_flow(&s);
}

END_TEST

// Free fall is a parabola, which every method of order two and more integrates exactly: t = sqrt(2 h / g).
START_TEST(fall_is_located)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_constant, 1, 0);
  add_level(&s, 0, -1);
  open_flow(&s, has(row, "rtol") ? 1e-11 : 1e-4);
  ck_assert_int_eq(advance(&s, 2), RH_ADVANCE_EVENT);
  near_abs(s.t, sqrt(2 / 9.81), strcmp(row->row.name, "euler") == 0 ? 1e-4 : LOCATED);
  close_flow(&s);
}

END_TEST

// An event exactly where the advance is to stop is an event or is met just behind; it must not be lost.
START_TEST(event_at_the_stop)
{
  FOR_EACH_ROW;
  setup s;
  set_flow(&s, row, pull_none, -0.5, 1);
  add_level(&s, 0, 1);
  open_flow(&s, has(row, "rtol") ? 1e-10 : 0.125);
  rh_advance how = advance(&s, 0.5);
  if (how == RH_ADVANCE_REACHED) {
    how = advance(&s, 1);
  }
  ck_assert_int_eq(how, RH_ADVANCE_EVENT);
  near_abs(s.t, 0.5, LOCATED);
  reach(&s, 1);
  close_flow(&s);
}

END_TEST

Suite *rh_suite_kind_located(void)
{
  Suite *suite = suite_create("kind_located");
  TCase *tc = tcase_create("rows");
  int n = 0;
  (void)rh_integrator_table(&n);
  tcase_add_loop_test(tc, passage_is_located, 0, n);
  tcase_add_loop_test(tc, passage_is_not_met_again, 0, n);
  tcase_add_loop_test(tc, direction_is_kept, 0, n);
  tcase_add_loop_test(tc, events_at_once, 0, n);
  tcase_add_loop_test(tc, start_on_the_guard, 0, n);
  tcase_add_loop_test(tc, fall_is_located, 0, n);
  tcase_add_loop_test(tc, event_at_the_stop, 0, n);
  suite_add_tcase(suite, tc);
  return suite;
}
