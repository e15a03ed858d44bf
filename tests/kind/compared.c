// kind_compared.c: closed forms of the laws that [MO] and [AF] compare with: moore-wilhelms,
// mills-nguyen, power-law; and laws with a state.
#include "laws.h"
#include "laws/free_impact.h"

static rh_impact1_out free_impact(const rh_normal_law *law, const double *par, double mass,
                                  double speed)
{
  rh_impact1_in in = {.law = law, .par = par, .mass = mass, .speed = speed, .radius = 0.0165};
  rh_impact1_out out;
  rh_status status = rh_impact1(&in, &out);
  ck_assert_msg(status == RH_OK, "%s: %s", law->row.name, rh_status_message(status));
  return out;
}

// The softer spring takes over as tanh(w / v_s), w the speed out: with c = 1 - e, a = 2 - e the energy
// gives w^2 = e v^2 + 4 c v_s^2 D, D = integral of x E / (e + a E), E = exp(-2 x), over 0 .. w / v_s;
// beyond x = 30 nothing is added. Simpson's rule with 6000 parts is exact to 1e-12.
static double start_integral(double e)
{
  const int n = 6000;
  const double h = 30.0 / n;
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    double E = exp(-2 * h * i);
    double weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * h * i * E / (e + (2 - e) * E);
  }
  return sum * h / 3;
}

START_TEST(moore_wilhelms_in_closed_form)
{
  const rh_normal_law *law = rh_normal_law_find("moore-wilhelms");
  rng r = {11};
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    rh_row_defaults(&law->row, par);
    double e = rng_in(&r, 0.05, 0.95);
    double v = pow(10, rng_in(&r, -2, 1));
    double v_s = v * pow(10, rng_in(&r, -5, -2.5)); // so that w > 30 v_s
    par[0] = pow(10, rng_in(&r, 2, 7));
    par[1] = e;
    par[2] = v_s;
    double w2 = e * v * v + 4 * (1 - e) * v_s * v_s * start_integral(e);
    double mass = pow(10, rng_in(&r, -2, 2));
    rh_impact1_out out = free_impact(law, par, mass, v);
    near_rel(out.rebound_speed, sqrt(w2), 1e-11);
    near_rel(out.max_penetration, v * sqrt(mass / par[0]), 1e-11);
    near_abs(out.e, sqrt(e), v_s / v); // [MO] calls e Poisson's; it is the ratio of works
  }
}

END_TEST

// F = k_s (z - s) with b_c s' = F - k_c s, m z'' = -F: a linear system of third order; its force is
// zero first at t. Independent: Taylor series of the system, step by step in long double.
static void step_series(const double *par, double mass, long double h, long double y[3])
{
  long double term[3] = {y[0], y[1], y[2]};
  for (int n = 1; n < 30; n++) {
    long double force = par[0] * (term[0] - term[2]);
    long double next[3] = {term[1], -force / mass, (force - par[1] * term[2]) / par[2]};
    for (int i = 0; i < 3; i++) {
      term[i] = next[i] * h / n;
      y[i] += term[i];
    }
  }
}

START_TEST(mills_nguyen_by_series)
{
  const rh_normal_law *law = rh_normal_law_find("mills-nguyen");
  rng r = {12};
  for (int i = 0; i < 50; i++) {
    double par[RH_PAR_MAX];
    random_par(&r, &law->row, par);
    double mass = pow(10, rng_in(&r, -1, 2));
    double v = pow(10, rng_in(&r, -2, 1));
    long double fast = sqrtl(par[0] / mass) + (par[0] + par[1]) / par[2];
    long double h = 0.2L / fast;
    long double y[3] = {0, v, 0};
    long double t = 0;
    while (!(t > 0 && y[0] <= y[2])) {
      step_series(par, mass, h, y);
      t += h;
      if (y[0] <= y[2] && h > 1e-15L * t) { // back, and shorter
        step_series(par, mass, -h, y);
        t -= h;
        h /= 8;
      }
      if (h <= 1e-15L * t) {
        break;
      }
    }
    rh_impact1_out out = free_impact(law, par, mass, v);
    near_rel(out.rebound_speed, (double)-y[1], 1e-10);
    near_rel(out.contact_time, (double)t, 1e-9);
    near_abs(out.penetration_left / out.max_penetration, (double)y[0] / out.max_penetration, 1e-9);
    near_rel(out.energy_loss, 0.5 * mass * (v * v - out.rebound_speed * out.rebound_speed), 1e-9);
  }
}

END_TEST

// With a damper that does not yield it is the surface's spring, with a weak one both in series.
START_TEST(mills_nguyen_in_its_limits)
{
  const rh_normal_law *law = rh_normal_law_find("mills-nguyen");
  const double pi = 3.14159265358979323846;
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  par[2] = 1e9;
  near_rel(free_impact(law, par, 2, 1).contact_time, pi * sqrt(2 / par[0]), 1e-6);
  near_abs(free_impact(law, par, 2, 1).e, 1, 1e-6);
  par[2] = 1;
  double both = par[0] * par[1] / (par[0] + par[1]);
  near_rel(free_impact(law, par, 2, 1).contact_time, pi * sqrt(2 / both), 1e-2);
  near_abs(free_impact(law, par, 2, 1).e, 1, 1e-2);
}

END_TEST

// d(stored)/dt = spring rate - lost along the motion of depth and state, and nothing is gained.
START_TEST(states_balance_power)
{
  int count = 0;
  const rh_normal_law *const *table = rh_normal_law_table(&count);
  rng r = {13};
  int found = 0;
  for (int k = 0; k < count; k++) {
    const rh_normal_law *law = table[k];
    for (int i = 0; i < 1000 && law->nstate > 0; i++) {
      double par[RH_PAR_MAX];
      random_par(&r, &law->row, par);
      double z = pow(10, rng_in(&r, -5, -2));
      double s = z * rng_in(&r, 0, 2);
      double rate = rng_in(&r, -3, 3);
      rh_normal_out out = {0};
      rh_normal_out after = {0};
      rh_normal_in in = {.depth = z, .rate = rate, .radius = 1, .par = par, .s = &s};
      law->force(&in, &out);
      double dt = 1e-6 * z / (fabs(rate) + fabs(out.ds));
      double s1 = s + dt * out.ds;
      rh_normal_in next = {.depth = z + dt * rate, .rate = rate, .radius = 1, .par = par, .s = &s1};
      law->force(&next, &after);
      double power = out.spring * rate - out.lost;
      // The difference quotient is of first order: 1e-6 of the powers that are summed.
      double scale = fabs(out.spring * rate) + out.lost + out.stored / z * fabs(rate);
      near_abs((after.stored - out.stored) / dt, power, 1e-4 * scale);
      ck_assert(out.lost >= 0 && out.spring >= 0 && out.damper == 0);
      found++;
    }
  }
  ck_assert_int_gt(found, 0);
}

END_TEST

static void set_power_law(double *par, double k, double n, double lambda, double p, double q)
{
  rh_row_defaults(&rh_normal_law_find("power-law")->row, par);
  par[0] = k;
  par[1] = n;
  par[2] = lambda;
  par[3] = p;
  par[4] = q;
}

// p = n, q = 2: the phase plane separates, and e = 1 / sqrt(1 + lambda v^2 / k) for any mass and n.
START_TEST(power_law_with_quadratic_damping)
{
  const rh_normal_law *law = rh_normal_law_find("power-law");
  rng r = {14};
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    double k = pow(10, rng_in(&r, 2, 8));
    double n = rng_in(&r, 0.5, 4);
    double v = pow(10, rng_in(&r, -2, 1));
    double loss = pow(10, rng_in(&r, -3, 1));
    set_power_law(par, k, n, loss * k / (v * v), n, 2);
    near_rel(free_impact(law, par, pow(10, rng_in(&r, -2, 2)), v).e, 1 / sqrt(1 + loss), 1e-10);
  }
}

END_TEST

// To first order in lambda the loss is 2 lambda v^q d^(p+1) / (n+1) B((p+1)/(n+1), q/2 + 1), d the
// depth without damping; the next order is of the square of the loss.
START_TEST(power_law_with_little_damping)
{
  const rh_normal_law *law = rh_normal_law_find("power-law");
  rng r = {15};
  for (int i = 0; i < 100; i++) {
    double par[RH_PAR_MAX];
    double n = rng_in(&r, 0.5, 3);
    double p = rng_in(&r, 0, 3);
    double q = rng_in(&r, 1, 3);
    double mass = pow(10, rng_in(&r, -2, 2));
    double v = pow(10, rng_in(&r, -2, 1));
    double d = pow(0.5 * (n + 1) * mass * v * v / 1e5, 1 / (n + 1));
    double a = (p + 1) / (n + 1);
    double b = 0.5 * q + 1;
    double beta = exp(lgamma(a) + lgamma(b) - lgamma(a + b));
    double share = 1e-4; // of the energy
    double lambda = share * 0.5 * mass * v * v * (n + 1) / (2 * pow(v, q) * pow(d, p + 1) * beta);
    set_power_law(par, 1e5, n, lambda, p, q);
    par[5] = 0; // tension kept: where it is cut the next order is another
    rh_impact1_out out = free_impact(law, par, mass, v);
    near_rel(1 - out.e * out.e, share, 10 * share);
    near_rel(out.max_penetration, d, 10 * share);
  }
}

END_TEST

typedef struct member { // a law of the family
  const char *name;
  double k, n, lambda, p;
} member;

START_TEST(power_law_has_its_members)
{
  const rh_normal_law *law = rh_normal_law_find("power-law");
  static const member members[] = {
      {"kelvin-voigt", 5e4, 1, 100, 0},
      {"hunt-crossley", 5e4, 1, 1.5 * 0.5 * 5e4, 1},
      {"azad-featherstone", 8.5e6, 1.5, 3.1e3, 0.5},
  };
  for (int i = 0; i < RH_COUNT(members); i++) {
    const member *m = &members[i];
    const rh_normal_law *same = rh_normal_law_find(m->name);
    double other[RH_PAR_MAX];
    double par[RH_PAR_MAX];
    rh_row_defaults(&same->row, other);
    set_power_law(par, m->k, m->n, m->lambda, m->p, 1);
    if (has_par(&same->row, "tension")) {
      *par_at(&same->row, other, "tension") = 1;
    }
    for (double v = 0.01; v < 20; v *= 3) {
      near_rel(free_impact(law, par, 0.154, v).e, free_impact(same, other, 0.154, v).e, 1e-11);
    }
  }
}

END_TEST

// Units follow the exponents: lambda of q = 1, p = 1/2 is in N s/m^0.5/m.
START_TEST(units_follow_exponents)
{
  const rh_row *row = &rh_normal_law_find("power-law")->row;
  double par[RH_PAR_MAX];
  char text[RH_UNIT_MAX];
  set_power_law(par, 1, 1.5, 1, 0.5, 1);
  int lambda = rh_row_find(row, "lambda");
  ck_assert(rh_param_is_late(&row->param[lambda]));
  ck_assert_str_eq(rh_param_unit(row, 0, par, text), "N/m^1.5");
  ck_assert_str_eq(rh_param_unit(row, lambda, par, text), "N s/m^0.5/m");
  set_power_law(par, 1, 1, 1, 0, 2);
  ck_assert_str_eq(rh_param_unit(row, 0, par, text), "N/m");
  ck_assert_str_eq(rh_param_unit(row, lambda, par, text), "N s^2/m^2");
  double value = 0;
  char why[RH_WHY_MAX];
  ck_assert(rh_unit_parse("3 N s^2/m^2", text, &value, why) && value == 3);
  ck_assert(!rh_unit_parse("3 N s/m", text, &value, why));
}

END_TEST

Suite *rh_suite_kind_compared(void)
{
  Suite *suite = suite_create("kind_compared");
  TCase *tests = tcase_create("closed forms");
  tcase_add_test(tests, moore_wilhelms_in_closed_form);
  tcase_add_test(tests, mills_nguyen_by_series);
  tcase_add_test(tests, mills_nguyen_in_its_limits);
  tcase_add_test(tests, states_balance_power);
  tcase_add_test(tests, power_law_with_quadratic_damping);
  tcase_add_test(tests, power_law_with_little_damping);
  tcase_add_test(tests, power_law_has_its_members);
  tcase_add_test(tests, units_follow_exponents);
  suite_add_tcase(suite, tests);
  return suite;
}
