// kind_normal.c: every row of the table of normal laws must keep what routh/kind.h promises, and what is said of each
// law in closed form must hold. A new row is tested by being in the table.
#include "laws.h"
#include "laws/free_impact.h"

#define STATES 1000

#define FOR_EACH_ROW                                                                               \
  int count = 0;                                                                                   \
  const rh_normal_law *const *table = rh_normal_law_table(&count);                                 \
  const rh_normal_law *law = table[_i];                                                            \
  ck_assert_int_lt(_i, count);                                                                     \
  rng r = {(uint64_t)(700 + _i)}

// Random parameters. Of a law with exponents p and n of its own they are less than one half apart:
// otherwise damper and spring differ by many decades, and the impact is too stiff to be integrated.
static void draw_par(rng *r, const rh_normal_law *law, double *par)
{
  random_par(r, &law->row, par);
  if (has_par(&law->row, "p")) {
    double n = rng_in(r, 0.5, 2);
    *par_at(&law->row, par, "n") = n;
    *par_at(&law->row, par, "p") = n + rng_in(r, -0.4, 0.4);
  }
}

static rh_normal_out at(const rh_normal_law *law, const double *par, double depth, double rate)
{
  rh_normal_in in = {.depth = depth, .rate = rate, .radius = 0.0165, .par = par};
  rh_normal_out out = {.spring = -1, .damper = -1, .stored = -1};
  law->force(&in, &out);
  return out;
}

static double force_of(const rh_normal_law *law, const double *par, double depth, double rate)
{
  rh_normal_out f = at(law, par, depth, rate);
  return f.spring + f.damper;
}

static rh_impact1_out impact(const rh_normal_law *law, const double *par, double mass, double speed)
{
  rh_impact1_in in = {.law = law, .par = par, .mass = mass, .speed = speed, .radius = 0.0165};
  rh_impact1_out out;
  rh_status status = rh_impact1(&in, &out);
  ck_assert_msg(status == RH_OK, "%s: %s", law->row.name, rh_status_message(status));
  return out;
}

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  (void)r;
  check_head(&law->row);
  ck_assert_ptr_eq(rh_normal_law_find(law->row.name), law);
  ck_assert(law->force != NULL);
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  ck_assert(law->check == NULL || law->check(par) == NULL);
  ck_assert_ptr_null(rh_normal_law_find("no-such-law"));
  for (int i = 0; i < _i; i++) {
    ck_assert_str_ne(table[i]->row.name, law->row.name);
  }
}

END_TEST

// The force never pulls unless the law says so, and with tension cut not even then.
START_TEST(pulls_only_if_it_says_so)
{
  FOR_EACH_ROW;
  int pulled = 0;
  for (int i = 0; i < STATES; i++) {
    double par[RH_PAR_MAX];
    draw_par(&r, law, par);
    bool cut = !law->pulls || (!law->hold && *par_at(&law->row, par, "tension") == 1);
    double f = force_of(law, par, pow(10, rng_in(&r, -7, -1)), rng_in(&r, -10, 10));
    ck_assert(isfinite(f));
    ck_assert_msg(!cut || f >= 0, "%s pulls with %g N", law->row.name, -f);
    pulled += f < 0;
  }
  ck_assert_int_eq(pulled > 0, law->pulls);
}

END_TEST

START_TEST(touchdown)
{
  FOR_EACH_ROW;
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    draw_par(&r, law, par);
    // The slowest beginning is the fourth root of tsuji: ten decades of force for forty of depth.
    double ratio = force_of(law, par, 1e-44, 1) / force_of(law, par, 1e-4, 1);
    ck_assert_int_eq(fabs(ratio) < 1e-9, law->continuous);
    if (law->hold) { // adhesion has done work
      ck_assert(at(law, par, 0, 1).stored < 0 && law->hold(par, 0.0165) > 0);
    } else {
      near_abs(at(law, par, 0, 1).stored, 0, 0);
    }
  }
}

END_TEST

// The spring is the slope of the energy it stores, whatever the rate; the damper takes energy and never gives any.
START_TEST(power_balance)
{
  FOR_EACH_ROW;
  for (int i = 0; i < STATES; i++) {
    double par[RH_PAR_MAX];
    draw_par(&r, law, par);
    double z = pow(10, rng_in(&r, -6, -1));
    double rate = rng_in(&r, -5, 5);
    rh_normal_out f = at(law, par, z, rate);
    // Five points at 1e-3 z: the error of the rule is 1e-12 / 30 times a fifth derivative of order one.
    double h = 1e-3 * z;
    double slope = (at(law, par, z - 2 * h, rate).stored - 8 * at(law, par, z - h, rate).stored +
                    8 * at(law, par, z + h, rate).stored - at(law, par, z + 2 * h, rate).stored) /
                   (12 * h);
    near_abs(slope, f.spring, 1e-10 * (fabs(f.spring) + (law->hold ? fabs(f.stored) / z : 0)));
    near_rel(at(law, par, z, 0).spring, f.spring, 0);
    near_rel(at(law, par, z, 0).stored, f.stored, 0);
    ck_assert(f.damper * rate >= 0 && (law->hold || (f.spring > 0 && f.stored > 0)));
    near_abs(at(law, par, z, 0).damper, 0, 0);
  }
}

END_TEST

// What the body has lost is what the damper has taken: another route to the same number.
START_TEST(loss_is_what_the_damper_took)
{
  FOR_EACH_ROW;
  for (int i = 0; i < 50 && !law->hold; i++) { // free impacts end at depth 0
    double par[RH_PAR_MAX];
    draw_par(&r, law, par);
    double mass = pow(10, rng_in(&r, -3, 3));
    double speed = pow(10, rng_in(&r, -2, 1));
    rh_impact1_out out = impact(law, par, mass, speed);
    double energy = 0.5 * mass * speed * speed;
    ck_assert(out.e >= 0 && out.e <= 1 + 1e-12);
    near_abs(out.energy_loss / energy, 1 - out.e * out.e, 1e-11);
    ck_assert(!out.leaves || (out.time_of_max_penetration <= out.contact_time &&
                              out.contact_time <= out.time_of_return));
    ck_assert(law->pulls || out.penetration_left >= 0);
  }
}

END_TEST

START_TEST(fit_delivers)
{
  FOR_EACH_ROW;
  static const double wanted[] = {1, 0.999999, 0.99, 0.9, 0.75, 0.5, 0.2, 0.05};
  for (int i = 0; i < 3 * RH_COUNT(wanted) && law->fit != NULL; i++) {
    double par[RH_PAR_MAX];
    draw_par(&r, law, par);
    double e = wanted[i % RH_COUNT(wanted)];
    double mass = pow(10, rng_in(&r, -3, 3));
    double speed = pow(10, rng_in(&r, -2, 1));
    ck_assert(law->fit(par, mass, speed, 0.0165, e));
    near_rel(impact(law, par, mass, speed).e, e, 1e-10); // the integration is good to 1e-11
    ck_assert(!law->fit(par, mass, speed, 0.0165, 0));
    ck_assert(!law->fit(par, mass, speed, 0.0165, 1.01));
    ck_assert(!law->fit(par, mass, speed, 0.0165, (double)NAN));
  }
}

END_TEST

// ---- What is known of single laws

START_TEST(kelvin_voigt_in_closed_form)
{
  const rh_normal_law *law = rh_normal_law_find("kelvin-voigt");
  const double pi = 3.14159265358979323846;
  rng r = {1};
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    random_par(&r, &law->row, par);
    double mass = rng_in(&r, 2, 20);
    double zeta = par[1] / (2 * sqrt(mass * par[0]));
    double omega = sqrt(par[0] / mass);
    bool cut = par[2] == 1;
    ck_assert(zeta < 1);
    double root = sqrt(1 - zeta * zeta);
    double time = (cut ? 2 * acos(zeta) : pi) / (omega * root);
    rh_impact1_out out = impact(law, par, mass, 0.7);
    near_rel(out.contact_time, time, 1e-11);
    near_rel(out.e, exp(-zeta * omega * time), 1e-11); // eq. 4 where tension is kept
    near_rel(out.time_of_max_penetration, acos(zeta) / (omega * root), 1e-11);
    near_rel(out.max_penetration, 0.7 / omega * exp(-zeta * acos(zeta) / root), 1e-11);
  }
}

END_TEST

// s = 3/2 alpha v: s - ln(1 + s) over s^2 on the way in is the same function of -s_r e on the way out, times e^2.
START_TEST(hunt_crossley_with_other_damping_in_restitution)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  rng r = {2};
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    random_par(&r, &law->row, par);
    double *alpha_r = par_at(&law->row, par, "alpha_r");
    double speed = rng_in(&r, 0.2, 3);
    *alpha_r = rng_in(&r, 0.1, 1);
    rh_impact1_out out = impact(law, par, rng_in(&r, 0.1, 10), speed);
    double s = 1.5 * *par_at(&law->row, par, "alpha") * speed;
    double back = -1.5 * *alpha_r * speed * out.e;
    double in_depth = (s - log1p(s)) / (s * s);
    double out_depth = (back - log1p(back)) / (back * back) * out.e * out.e;
    near_rel(out_depth, in_depth, 1e-10);
    ck_assert(law->fit(par, 1, speed, 1, 0.2)); // below the limit speed 2 / (3 alpha_r)
    near_rel(impact(law, par, 3, speed).e, 0.2, 1e-10);
  }
  // With alpha_r there is a rebound that no alpha gives: undamped compression is the most that can come back.
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  *par_at(&law->row, par, "alpha_r") = 1;
  ck_assert(!law->fit(par, 1, 1, 1, 0.99));
  *par_at(&law->row, par, "alpha_r") = -0.5;
  ck_assert_ptr_nonnull(law->check(par));
}

END_TEST

// e depends on alpha v alone: over twelve decades of mass and stiffness, any exponent and size.
START_TEST(hunt_crossley_at_any_scale)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  rng r = {3};
  for (int i = 0; i < 200; i++) {
    double par[RH_PAR_MAX];
    rh_row_defaults(&law->row, par);
    double speed = pow(10, rng_in(&r, -4, 4));
    *par_at(&law->row, par, "k") = pow(10, rng_in(&r, 0, 12));
    *par_at(&law->row, par, "n") = rng_in(&r, 0.5, 4);
    *par_at(&law->row, par, "alpha") = 0.5 / speed;
    rh_impact1_out out = impact(law, par, pow(10, rng_in(&r, -6, 6)), speed);
    near_rel(out.e, 0.6629622000015, 1e-11); // reference value at alpha v = 0.5
  }
}

END_TEST

// Tension exactly for a rate below -2 / (3 alpha), [MO] eq. 22.
START_TEST(hunt_crossley_pulls_beyond_its_limit)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  *par_at(&law->row, par, "tension") = 0;
  double limit = -2 / (3 * *par_at(&law->row, par, "alpha"));
  ck_assert(force_of(law, par, 0.01, limit * (1 + 1e-12)) < 0);
  ck_assert(force_of(law, par, 0.01, limit * (1 - 1e-12)) > 0);
  *par_at(&law->row, par, "tension") = 1;
  near_abs(force_of(law, par, 0.01, 10 * limit), 0, 0);
}

END_TEST

START_TEST(materials)
{
  const double steel = 200e9;
  const double cork = 20e6;
  const double modulus = 1 / ((1 - 0.09) / steel + 1 / cork); // [AF] eq. 9
  const double K = 4.0 / 3 * modulus * sqrt(0.0165);          // [AF] eq. 10
  static const char *const name[] = {"hertz", "azad-featherstone"};
  for (int i = 0; i < RH_COUNT(name); i++) {
    const rh_normal_law *law = rh_normal_law_find(name[i]);
    double par[RH_PAR_MAX];
    rh_row_defaults(&law->row, par);
    *par_at(&law->row, par, "E") = steel;
    *par_at(&law->row, par, "E2") = cork;
    *par_at(&law->row, par, "nu2") = 0;
    near_rel(at(law, par, 1e-4, 0).spring, K * 1e-6, 1e-14);
    near_rel(at(law, par, 1e-4, 0).stored, 0.4 * K * 1e-10, 1e-14);
    rh_normal_in flat = {.depth = 1e-4, .radius = HUGE_VAL, .par = par};
    rh_normal_out f;
    law->force(&flat, &f);
    ck_assert(!isfinite(f.spring)); // and so refused, not wrong
  }
  const rh_normal_law *law = rh_normal_law_find("azad-featherstone");
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  *par_at(&law->row, par, "E") = steel;
  *par_at(&law->row, par, "alpha") = 1000;
  near_rel(at(law, par, 1e-4, 0.1).damper, 4 * 3.14159265358979323846 * 0.0165, 1e-14); // eq. 12
  ck_assert(law->fit(par, 0.154, 1, 0.0165, 0.7));
  near_rel(impact(law, par, 0.154, 1).e, 0.7, 1e-10);
}

END_TEST

// Damping so strong that the body comes out at the limit speed: the force ends with the depth and not before.
START_TEST(strong_damping)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  *par_at(&law->row, par, "alpha") = 1e4;
  rh_impact1_out out = impact(law, par, 1, 1);
  near_rel(out.rebound_speed, 2 / (3 * 1e4),
           1e-8); // [MO] sec. 4.1; the error beside the speed of impact is 1e-13
  near_rel(out.contact_time, out.time_of_return, 0);
  // Beyond what can be integrated it is refused, never answered with digits that are not there.
  *par_at(&law->row, par, "alpha") = 1e12;
  rh_impact1_in in = {.law = law, .par = par, .mass = 1, .speed = 1e6, .radius = 1};
  ck_assert_int_eq(rh_impact1(&in, &out), RH_TOLERANCE_NOT_REACHED);
  law = rh_normal_law_find("kelvin-voigt");
  rh_row_defaults(&law->row, par);
  *par_at(&law->row, par, "b") = 1e18;
  in.law = law;
  ck_assert_int_eq(rh_impact1(&in, &out), RH_TOLERANCE_NOT_REACHED);
}

END_TEST

// With gravity a slow body does not come back. It ends where the spring carries it, and the energy account says so.
START_TEST(caught_by_gravity)
{
  const double mass = 0.154;
  const double g = 9.81;
  const rh_normal_law *law = rh_normal_law_find("azad-featherstone");
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  rh_impact1_in in = {
      .law = law, .par = par, .mass = mass, .speed = 0.01, .gravity = g, .radius = 1};
  rh_impact1_out out;
  ck_assert_int_eq(rh_impact1(&in, &out), RH_OK);
  ck_assert(!out.leaves && out.e == 0 && out.rebound_speed == 0 && isinf(out.contact_time));
  double depth = pow(mass * g / 8.5e6, 2.0 / 3);
  near_rel(out.penetration_left, depth, 1e-12);
  double loss = 0.5 * mass * 1e-4 + mass * g * depth - 0.4 * 8.5e6 * pow(depth, 2.5);
  near_rel(out.energy_loss, loss, 1e-12);
  law = rh_normal_law_find("hertz"); // without a damper it always comes back
  rh_row_defaults(&law->row, par);
  in.law = law;
  ck_assert_int_eq(rh_impact1(&in, &out), RH_OK);
  near_abs(out.e, 1, 1e-9); // the weight stores a thousand times the energy of the impact
  in.speed = 1e-9;
  ck_assert_int_eq(rh_impact1(&in, &out), RH_TOLERANCE_NOT_REACHED);
}

END_TEST

Suite *rh_suite_kind_normal(void)
{
  int count = 0;
  (void)rh_normal_law_table(&count);
  Suite *suite = suite_create("kind_normal");
  TCase *rows = tcase_create("every row");
  tcase_add_loop_test(rows, head_is_complete, 0, count);
  tcase_add_loop_test(rows, pulls_only_if_it_says_so, 0, count);
  tcase_add_loop_test(rows, touchdown, 0, count);
  tcase_add_loop_test(rows, power_balance, 0, count);
  tcase_add_loop_test(rows, loss_is_what_the_damper_took, 0, count);
  tcase_add_loop_test(rows, fit_delivers, 0, count);
  suite_add_tcase(suite, rows);
  TCase *laws = tcase_create("single laws");
  tcase_add_test(laws, kelvin_voigt_in_closed_form);
  tcase_add_test(laws, hunt_crossley_with_other_damping_in_restitution);
  tcase_add_test(laws, hunt_crossley_at_any_scale);
  tcase_add_test(laws, hunt_crossley_pulls_beyond_its_limit);
  tcase_add_test(laws, materials);
  tcase_add_test(laws, strong_damping);
  tcase_add_test(laws, caught_by_gravity);
  suite_add_tcase(suite, laws);
  return suite;
}
