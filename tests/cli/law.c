// The verb law: a contact law by itself, seen from outside. Closed forms for the numbers, a second route for the loops,
// and what is said when something is wrong.
#include "program.h"

#include <math.h>
#include <routh/routh.h>

#define LOOP 241 // points of a loop
#define SLIP 501 // points of a curve of friction
#define PI   3.14159265358979323846

// rh_impact1 promises about twelve digits; results are quotients of its numbers.
static const double EXACT = 1e-10;

static void pick_array(const char *text, const char *name, double *x, int n)
{
  char key[64];
  (void)snprintf(key, sizeof key, "\"%s\": [", name);
  const char *at = strstr(text, key);
  ck_assert_msg(at != NULL, "no \"%s\" in:\n%s", name, text);
  at += strlen(key);
  for (int i = 0; i < n; i++) {
    char *end = NULL;
    x[i] = strtod(at, &end);
    ck_assert_msg(end != at, "\"%s\" has %d numbers, want %d", name, i, n);
    at = end + strspn(end, ", \n");
  }
  ck_assert_int_eq(*at, ']');
}

// The part of the JSON text from the impact number `index` on.
static const char *impact_at(const char *text, int index)
{
  const char *at = strstr(text, "\"impacts\": [");
  ck_assert_ptr_nonnull(at);
  for (int i = 0; i <= index; i++) {
    at = strstr(at + 1, "\"speed\":");
    ck_assert_ptr_nonnull(at);
  }
  return at;
}

static rh_output good(const char *const *words)
{
  rh_output output = rh_program_run(NULL, words);
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  return output;
}

#define law(...)      good((const char *const[]){"law", __VA_ARGS__, NULL})
#define law_json(...) law(__VA_ARGS__, "--json")

// ---- Closed forms

// m z'' = -k z^n (1 + c z'), c = 3/2 alpha, has the integral k z^(n+1) / (n+1) = m (v/c - ln(1 + c v) / c^2) at its
// greatest depth [MO] eq. 12; e = [1 + W0(-(1+s) exp(-(1+s)))]/s at s = c v is 0.66296220000150 for alpha v = 0.5.
START_TEST(hunt_crossley_numbers)
{
  rh_folder_enter();
  const double m = 2;
  const double k = 1e4;
  const double v = 0.5;
  const double c = 1.5;
  rh_output output = law_json("hunt-crossley", "--set", "k=1e4", "-s", "n=1", "-s", "alpha=1",
                              "--mass", "2", "--speed", "0.5");
  ck_assert(rh_json_valid(output.out));
  ck_assert_str_eq(output.err, "");
  const char *impact = impact_at(output.out, 0);
  near_abs(rh_json_number_at(impact, "e"), 0.6629622000015, EXACT);
  near_rel(rh_json_number_at(impact, "rebound_speed"), v * 0.6629622000015, EXACT);
  near_rel(rh_json_number_at(impact, "max_penetration"),
           sqrt(2 / k * m * (v / c - log1p(c * v) / (c * c))), EXACT);
  near_rel(rh_json_number_at(impact, "energy_loss"),
           0.5 * m * v * v * (1 - pow(0.6629622000015, 2)), EXACT);
  rh_output_free(&output);
  output = law("hunt-crossley", "-s", "alpha=1", "--speed", "0.5");
  ck_contains(output.out, "0.662962");  // the same for people
  ck_contains(output.out, "-s       "); // and who gave alpha
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// The damped sine: e = exp(-pi zeta / sqrt(1 - zeta^2)) [MO] eq. 4 and half a period of it, at every speed.
START_TEST(kelvin_voigt_numbers)
{
  rh_folder_enter();
  const double m = 4;
  const double k = 1e4;
  const double b = 40;
  const double zeta = b / (2 * sqrt(m * k));
  const double root = sqrt(1 - zeta * zeta);
  rh_output output = law_json("kelvin-voigt", "-s", "k=10 kN/m", "-s", "b=40", "-s", "tension=kept",
                              "--mass", "4000 g", "--speed", "0.01:10:7");
  for (int i = 0; i < 7; i++) {
    const char *impact = impact_at(output.out, i);
    near_rel(rh_json_number_at(impact, "speed"), pow(10, -2 + 0.5 * i),
             1e-14); // equal ratios, one power each
    near_abs(rh_json_number_at(impact, "e"), exp(-PI * zeta / root), EXACT);
    near_rel(rh_json_number_at(impact, "contact_time"), PI / (root * sqrt(k / m)), EXACT);
  }
  ck_contains(output.out, "\"value\": \"kept\"");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Beyond critical damping a mass held by tension never comes back: all is lost, and no time ends the contact.
START_TEST(what_stays_is_said_to_stay)
{
  rh_folder_enter();
  rh_output output = law_json("kelvin-voigt", "-s", "k=1e4", "-s", "b=260", "--speed", "2");
  const char *impact = impact_at(output.out, 0);
  ck_contains(impact, "\"leaves\": false");
  ck_contains(impact, "\"contact_time\": null");
  near_rel(rh_json_number_at(impact, "energy_loss"), 2, EXACT);
  rh_output_free(&output);
  output = law("kelvin-voigt", "-s", "k=1e4", "-s", "b=260", "--speed", "2", "-o", "-");
  ck_contains(output.out, "<svg");
  rh_output_free(&output);
  output = law("kelvin-voigt", "-s", "k=1e4", "-s", "b=260", "--speed", "2");
  ck_contains(output.out, "  stays  ");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Two routes to the energy lost: the account of the impact and the area of its loop.
START_TEST(the_loop_has_the_area_of_the_loss)
{
  double depth[LOOP];
  double force[LOOP];
  double time[LOOP];
  rh_folder_enter();
  rh_output output = law_json("hunt-crossley", "-s", "alpha=0.4", "--speed", "1");
  const char *impact = impact_at(output.out, 0);
  pick_array(impact, "time", time, LOOP);
  pick_array(impact, "depth", depth, LOOP);
  pick_array(impact, "force", force, LOOP);
  double area = 0;
  for (int i = 1; i < LOOP; i++) {
    area += 0.5 * (force[i] + force[i - 1]) * (depth[i] - depth[i - 1]);
    ck_assert(time[i] > time[i - 1]);
  }
  near_abs(depth[0], 0, 0);
  near_rel(area, rh_json_number_at(impact, "energy_loss"),
           1e-3); // trapezoids: (pi/240)^2 of the loop, and a margin
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Every row

static const rh_normal_law *normal(int index)
{
  int count = 0;
  const rh_normal_law *const *table = rh_normal_law_table(&count);
  return index < count ? table[index] : NULL;
}

START_TEST(every_law_tells_itself)
{
  const rh_normal_law *row = NULL;
  rh_folder_enter();
  rh_output list = good((const char *const[]){"law", NULL});
  for (int i = 0; (row = normal(i)) != NULL; i++) {
    ck_contains(list.out, row->row.name);
    if (row->hold != NULL) { // a free impact does not end at depth 0
      rh_output refusal = routh("law", row->row.name);
      ck_assert_int_eq(refusal.exit_code, 2);
      ck_contains(refusal.err, "jkr_impact");
      rh_output_free(&refusal);
      continue;
    }
    rh_output output = law(row->row.name);
    ck_contains(output.out, row->row.doc);
    for (int k = 0; k < row->row.nparam; k++) {
      char line[64];
      (void)snprintf(line, sizeof line, "\n  %s ", row->row.param[k].name);
      ck_contains(output.out, line);
    }
    rh_output_free(&output);
    output = law_json(row->row.name);
    ck_assert_msg(rh_json_valid(output.out), "%s: not JSON", row->row.name);
    for (int k = 0; k < 7; k++) { // the table without --speed
      double e = rh_json_number_at(impact_at(output.out, k), "e");
      ck_assert_msg(e > 0 && e <= 1 + EXACT, "%s: e = %g", row->row.name, e);
    }
    rh_output_free(&output);
  }
  rh_output_free(&list);
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_folder_leave();
}

END_TEST

START_TEST(every_fit_gives_what_is_wanted)
{
  const rh_normal_law *row = NULL;
  rh_folder_enter();
  for (int i = 0; (row = normal(i)) != NULL; i++) {
    if (row->hold != NULL) {
      continue; // refused above
    }
    if (row->fit == NULL) {
      rh_output output = routh("law", row->row.name, "--e", "0.8");
      ck_assert_int_eq(output.exit_code, 3);
      ck_contains(output.err, "no damping to fit");
      rh_output_free(&output);
      continue;
    }
    rh_output output = law_json(row->row.name, "--e", "0.8", "--speed", "0.7", "--mass", "0.3");
    near_abs(rh_json_number_at(impact_at(output.out, 0), "e"), 0.8,
             1e-9); // found to the last digits, then seen again
    ck_contains(output.out, "\"from\": \"--e\"");
    near_abs(rh_json_number_at(strstr(output.out, "\"fit\":"), "speed"), 0.7, 0);
    rh_output_free(&output);
    output = law(row->row.name, "--e", "0.6@2", "--speed", "1:2:2");
    ck_contains(output.out, "fitted for e = 0.6 at 2 m/s: ");
    ck_contains(output.out, " (was ");
    ck_contains(output.out, "  0.600000  ");
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

START_TEST(every_friction_goes_to_and_fro)
{
  int count = 0;
  const rh_friction_law *const *table = rh_friction_law_table(&count);
  double x[SLIP];
  double f[SLIP];
  rh_folder_enter();
  for (int i = 0; i < count; i++) {
    if (!table[i]->force) {
      continue; // of rigid bodies
    }
    rh_output output = law_json("hunt-crossley", "--friction", table[i]->row.name, "--mass", "2");
    ck_assert_msg(rh_json_valid(output.out), "%s: not JSON", table[i]->row.name);
    const char *friction = strstr(output.out, "\"friction\": {");
    ck_assert_ptr_nonnull(friction);
    near_rel(rh_json_number_at(friction, "normal_force"), 2 * 9.81, 1e-15); // one rounding
    pick_array(friction, "displacement", x, SLIP);
    pick_array(friction, "force", f, SLIP);
    ck_assert(rh_json_number_at(friction, "energy_loss_a_turn") >= 0);
    near_abs(x[0], 0, 0);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

// Bristles of stiffness k that yield at f: to and fro by A is a parallelogram of area 4 (A - f / k) f.
START_TEST(friction_loop_of_bristles)
{
  rh_folder_enter();
  rh_output output = law_json("hunt-crossley", "--friction", "bristle", "--mu", "0.3", "--mass",
                              "2", "-s", "sigma0=1e5");
  const char *friction = strstr(output.out, "\"friction\": {");
  ck_assert_ptr_nonnull(friction);
  double f = 0.3 * 2 * 9.81;
  double amplitude = rh_json_number_at(friction, "amplitude");
  ck_contains(output.out, "\"from\": \"--mu\"");
  near_rel(rh_json_number_at(friction, "peak_friction"), f,
           1e-6); // the tolerance of the stepper, and a margin
  near_rel(rh_json_number_at(friction, "breakaway"), f / 1e5,
           0.15); // steps of 2 %, and a damper of up to 10 %
  near_rel(rh_json_number_at(friction, "energy_loss_a_turn"), 4 * (amplitude - f / 1e5) * f,
           5e-3); // corners cut by trapezoids: 1/500 of a turn each
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// No memory: mu N v / hypot(v, v_slip), greatest in the middle at 0.01 m/s, and mu N lost along 4 A but for the turns.
START_TEST(friction_loop_of_coulomb)
{
  rh_folder_enter();
  rh_output output =
      law_json("hertz", "--friction", "coulomb", "--mu", "0.3", "-s", "v_slip=1 mm/s");
  const char *friction = strstr(output.out, "\"friction\": {");
  ck_assert_ptr_nonnull(friction);
  double f = 0.3 * 9.81;
  double limit = 4 * rh_json_number_at(friction, "amplitude") * f;
  double lost = rh_json_number_at(friction, "energy_loss_a_turn");
  near_rel(rh_json_number_at(friction, "peak_friction"), f * 0.01 / hypot(0.01, 1e-3),
           1e-12); // a few roundings
  ck_assert_msg(lost < limit && lost > 0.95 * limit, "%g J lost, the limit is %g", lost, limit);
  ck_contains(friction, "\"breakaway\": null");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Pictures

static void ck_svg(const char *text)
{
  ck_contains(text, "<svg");
  ck_contains(text, "restitution");
  ck_contains(text, "impact speed [m/s]");
  ck_contains(text, "</svg>");
}

START_TEST(pictures)
{
  size_t bytes = 0;
  rh_folder_enter();
  rh_output output = law("kelvin-voigt", "--svg", "a b'c.svg");
  ck_contains(output.err, "wrote a b'c.svg");
  ck_contains(output.out, "peak force [N]"); // the table is there too
  rh_output_free(&output);
  output = law("hunt-crossley", "--friction", "coulomb", "-o", "b.png", "-q");
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  output = law_json("hunt-crossley", "-o", "c.svg");
  ck_assert(rh_json_valid(output.out));
  ck_contains(output.out, "\"output\": \"c.svg\"");
  rh_output_free(&output);
  ck_assert_int_eq(rh_folder_count(), 3); // and nothing half done
  char *svg = rh_file_text("a b'c.svg", &bytes);
  ck_svg(svg);
  free(svg);
  char *png = rh_file_text("b.png", &bytes);
  ck_assert_mem_eq(png, "\x89PNG\r\n", 6);
  ck_assert_int_gt((int)bytes, 10000);
  free(png);
  output = law("hunt-crossley", "--speed", "2", "-o", "-");
  ck_svg(output.out);
  ck_assert_int_eq(strncmp(output.out, "<?xml", 5), 0); // the picture alone
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Lists and refusals

START_TEST(lists)
{
  rh_folder_enter();
  rh_output output = routh("list", "laws");
  ck_contains(output.out, "hunt-crossley");
  ck_contains(output.out, "k, b, tension");
  rh_output_free(&output);
  output = routh("list", "frictions", "--json");
  ck_assert(rh_json_valid(output.out));
  ck_contains(output.out, "\"coulomb\"");
  rh_output_free(&output);
  output = routh("list", "laws", "kelvin-voigt");
  ck_contains(output.out, "kept|cut");
  rh_output_free(&output);
  output = law("--json");
  ck_assert(rh_json_valid(output.out));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"law", "hunt-crosley"}, 2, "there is no law 'hunt-crosley'; did you mean 'hunt-crossley'?"},
    {{"law", "xyzzyx"}, 2, "there is no law 'xyzzyx'; there are kelvin-voigt, hunt-crossley"},
    {{"law", "coulomb"}, 2, "--friction coulomb"},
    {{"law", "hertz", "--friction", "colomb"}, 2, "did you mean 'coulomb'?"},
    {{"law", "hertz", "--mu", "0.3"}, 2, "--mu needs a friction law"},
    {{"law", "hertz", "-s", "k"}, 2, "needs NAME=VALUE"},
    {{"law", "hertz", "--speed", "1:2"}, 2, "V or FROM:TO:N"},
    {{"law", "hertz", "--speed", "2:1:5"}, 2, "FROM < TO"},
    {{"law", "hertz", "--speed", "1:2:1"}, 2, "N from 2 to"},
    {{"law", "hertz", "--speed", "1:2:x"}, 2, "--speed"},
    {{"law", "hertz", "--speed", "-1"}, 2, "--speed must be > 0 m/s, got -1"},
    {{"law", "hertz", "--speed", "1 kg"}, 2, "--speed"},
    {{"law", "hertz", "--mass", "0"}, 2, "--mass must be > 0 kg"},
    {{"law", "kelvin-voigt", "--e", "1.2"}, 2, "at most 1"},
    {{"law", "kelvin-voigt", "--e", "0.5@0"}, 2, "must be > 0 m/s"},
    {{"law", "hertz", "-o", "x.doc"}, 2, "neither in .svg nor in .png"},
    {{"law", "hertz", "--svg", "x.png"}, 2, "does not end in .svg"},
    {{"law", "hertz", "--json", "-o", "-"}, 2, "cannot both go"},
    {{"law", "kelvin-voigt", "-s", "tensoin=cut"}, 3, "did you mean 'tension'?"},
    {{"law", "kelvin-voigt", "-s", "zzzzzzz=1"}, 3, "it has: k, b, tension"},
    {{"law", "kelvin-voigt", "-s", "tension=lost"}, 3, "is one of kept|cut, got 'lost'"},
    {{"law", "kelvin-voigt", "-s", "k=-4"}, 3, "-s k=-4: error: kelvin-voigt.k must be > 0 N/m"},
    {{"law", "kelvin-voigt", "-s", "k=4 kg"}, 3, "kelvin-voigt.k"},
    {{"law", "kelvin-voigt", "-s", "k=inf"}, 3, "must be finite"},
    {{"law", "kelvin-voigt", "-s", "k=0", "-s", "b=-1"}, 3, "2 errors; nothing was computed"},
    {{"law", "kelvin-voigt", "--svg", "none/x.svg"}, 5, "routh: none/x.svg: No such file"},
};

START_TEST(refused)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

Suite *rh_suite_cli_law(void)
{
  Suite *suite = suite_create("cli_law");
  TCase *tcase = tcase_create("law");
  tcase_add_test(tcase, hunt_crossley_numbers);
  tcase_add_test(tcase, kelvin_voigt_numbers);
  tcase_add_test(tcase, what_stays_is_said_to_stay);
  tcase_add_test(tcase, the_loop_has_the_area_of_the_loss);
  tcase_add_test(tcase, every_law_tells_itself);
  tcase_add_test(tcase, every_fit_gives_what_is_wanted);
  tcase_add_test(tcase, every_friction_goes_to_and_fro);
  tcase_add_test(tcase, friction_loop_of_bristles);
  tcase_add_test(tcase, friction_loop_of_coulomb);
  tcase_add_test(tcase, pictures);
  tcase_add_test(tcase, lists);
  tcase_add_loop_test(tcase, refused, 0, (int)(sizeof refusals / sizeof refusals[0]));
  suite_add_tcase(suite, tcase);
  return suite;
}
