// ref_compliant_solve.c: the kind of problem `law_impact`: the reference impacts through problem files, and what is
// refused with which words. Numbers as in ref_compliant.c.
#include "answers.h"
#include "data/compliant.h"
#include "solved.h"

#define CLOSE 2e-9
#define FLAT  1e-6

static solved impact(const char *inputs)
{
  char text[2048];
  (void)snprintf(text, sizeof(text), "- {id: x, kind: law_impact, inputs: {\n%s}}\n", inputs);
  return solve(text);
}

static void check_case(const char *inputs, const char *const *names, const double *want, int n)
{
  solved s = impact(inputs);
  ck_assert_msg(s.status == RH_OK, "%s", s.json);
  for (int i = 0; i < n; i++) {
    bool flat = strcmp(names[i], "time_of_peak_force") == 0;
    near_number_(names[i], number(&s, "x", names[i]), want[i], 1e-9, flat ? FLAT : CLOSE);
  }
  done(&s);
}

START_TEST(hunt_crossley_cases)
{
  static const char *const names[] = {
      "e",          "rebound_speed",      "max_penetration", "time_of_max_penetration",
      "peak_force", "time_of_peak_force", "contact_time",    "energy_loss"};
  for (int i = 0; i < (int)(sizeof(hc_cases) / sizeof(hc_cases[0])); i++) {
    const hc_case *c = &hc_cases[i];
    char text[512];
    const double want[] = {c->e,    c->e * c->speed, c->depth,        c->depth_time,
                           c->peak, c->peak_time,    c->contact_time, c->loss};
    if (c->nominal_e >= 0) {
      (void)snprintf(text, sizeof(text),
                     "law: lankarani-nikravesh, set: {K: %.17g, n: %.17g, e: %.17g, v: %.17g}, "
                     "mass: %.17g, speed: %.17g, gravity: 0",
                     c->k, c->n, c->nominal_e, c->speed, c->mass, c->speed);
    } else {
      (void)snprintf(text, sizeof(text),
                     "law: hunt-crossley, set: {k: %.17g, n: %.17g, alpha: %.17g}, mass: %.17g, "
                     "speed: %.17g, gravity: 0",
                     c->k, c->n, c->alpha, c->mass, c->speed);
    }
    check_case(text, names, want, 8);
  }
}

END_TEST

START_TEST(kelvin_voigt_cases)
{
  static const char *const names[] = {
      "max_penetration", "time_of_max_penetration", "peak_force", "time_of_peak_force", "e",
      "contact_time"};
  static const char *const tension[] = {"kept", "cut"};
  for (int i = 0; i < 2 * (int)(sizeof(kv_cases) / sizeof(kv_cases[0])); i++) {
    const kv_case *c = &kv_cases[i / 2];
    bool cut = i % 2 == 1;
    bool stays = !cut && c->e_kept < 0;
    char text[512];
    const double want[] = {c->depth,
                           c->depth_time,
                           c->peak,
                           c->peak_time,
                           cut     ? c->e_cut
                           : stays ? 0
                                   : c->e_kept,
                           cut ? c->time_cut : c->time_kept};
    (void)snprintf(text, sizeof(text),
                   "law: kelvin-voigt, set: {k: %.17g, b: %.17g, tension: %s}, mass: %.17g, "
                   "speed: %.17g",
                   c->k, c->b, tension[cut], c->mass, c->speed);
    check_case(text, names, want, stays ? 5 : 6); // a time that never comes is left out
  }
}

END_TEST

START_TEST(azad_featherstone_cases)
{
  static const char *const names[] = {"e", "max_penetration", "peak_force", "contact_time",
                                      "energy_loss"};
  for (int i = 0; i < 24; i++) {
    const double *row = af_tables[i / 8].row[i % 8];
    const double want[] = {row[1], row[2], row[3], row[4], row[6]};
    char text[512];
    // The parameters of the friction are taken, and play no part.
    (void)snprintf(text, sizeof(text),
                   "law: azad-featherstone, set: {Kn: 8.5e6, Dn: %.17g, Kt: 12.75e6, Dt: 3100, "
                   "mu: 0.2, Cv: 0.1}, mass: 0.154, speed: %.17g, gravity: 0",
                   af_tables[i / 8].Dn, row[0]);
    check_case(text, names, want, 5);
  }
}

END_TEST

// What is not given is as the row says; units are taken.
START_TEST(defaults_and_units)
{
  solved s = impact("law: hunt-crossley, set: {k: 10 kN/m, alpha: 0.2}, speed: 100 cm/s");
  near_rel(number(&s, "x", "e"), 0.8328697922656, CLOSE);
  near_rel(number(&s, "x", "max_penetration"), 0.009145215571544, CLOSE);
  done(&s);
  s = impact("law: hertz, speed: 1, set: {E: 200 GPa}, radius: 1 cm");
  near_abs(number(&s, "x", "e"), 1, 1e-11);
  done(&s);
  s = impact("law: azad-featherstone, mass: 0.154, speed: 0.01, gravity: 9.81");
  near_abs(number(&s, "x", "e"), 0, 0); // it does not come back
  int entry = rh_yaml_find(&s.tree, s.root, "x");
  ck_assert_int_eq(rh_yaml_find(&s.tree, entry, "contact_time"), RH_NONE);
  done(&s);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *inputs, *words;
  } bad[] = {
      {"speed: 1", "p.yaml:1:37: input 'law' is missing"},
      {"law: hertz", "input 'speed' is missing"},
      {"law: hunt-crosley, speed: 1",
       "p.yaml:2:6: unknown law 'hunt-crosley'; did you mean 'hunt-crossley'?"},
      {"law: hunt-crossley, speed: 1, set: {alpa: 1}",
       "p.yaml:2:37: unknown parameter 'alpa'; did you mean 'alpha'?"},
      {"law: hunt-crossley, speed: 1, set: {mu: 1}", "unknown parameter 'mu'"},
      {"law: azad-featherstone, speed: 1, set: {mu: -1}", "mu must be"},
      {"law: hunt-crossley, speed: 1, set: {k: 0}", "k must be > 0 N/m, got 0"},
      {"law: hunt-crossley, speed: 1, set: {alpha_r: -0.5}", "alpha_r must be >= 0, or -1"},
      {"law: hunt-crossley, speed: 1, set: {alpha: 3 m/s}", "unit 'm/s' does not fit"},
      {"law: hunt-crossley, speed: 1, set: [1, 2]", "set must be a map of parameters, got a list"},
      {"law: kelvin-voigt, speed: 1, set: {tension: loose}", "tension must be one of kept|cut"},
      {"law: kelvin-voigt, speed: -1", "speed must be > 0 m/s, got -1"},
      {"law: kelvin-voigt, speed: 1, mass: 0", "mass must be > 0 kg, got 0"},
      {"law: hertz, speed: 1, set: {E: 1e9}", "input 'radius' is missing"},
      {"law: [], speed: 1", "law must be text"},
      {"law: hunt-crossley, speed: 1, set: {alpha: 1e9}, gravity: 1", "too strongly damped"},
  };

  for (int i = 0; i < (int)(sizeof(bad) / sizeof(bad[0])); i++) {
    solved s = impact(bad[i].inputs);
    ck_assert_int_ne(s.status, RH_OK);
    ck_assert_msg(strstr(error_of(&s, "x"), bad[i].words) != NULL, "'%s' gives '%s'", bad[i].inputs,
                  error_of(&s, "x"));
    done(&s);
  }
}

END_TEST

Suite *rh_suite_ref_compliant_solve(void)
{
  Suite *suite = suite_create("ref_compliant_solve");
  TCase *tests = tcase_create("law_impact");
  tcase_add_test(tests, hunt_crossley_cases);
  tcase_add_test(tests, kelvin_voigt_cases);
  tcase_add_test(tests, azad_featherstone_cases);
  tcase_add_test(tests, defaults_and_units);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
