// unit_base.c: messages, parameters, units, numbers as text, JSON.
#include "test.h"

#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <routh/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- Messages

static const char *formatted(const rh_diag *diag, int index)
{
  static char buffer[4096];
  rh_message m = rh_diag_get(diag, index);
  int length = rh_message_format(&m, buffer, sizeof buffer);
  ck_assert_int_eq(length, (int)strlen(buffer));
  return buffer;
}

START_TEST(test_message_form)
{
  static const char text[] = "bodies:\n  - {name: rod, mass: -2}\n";
  rh_diag *diag = rh_diag_create();
  rh_diag_add_source(diag, "a.yaml", text, strlen(text));
  rh_diag_add(diag, RH_ERROR, (rh_place){"a.yaml", 2, 23, 2}, "rod.mass must be > %d kg", 0);
  rh_diag_add(diag, RH_WARNING, (rh_place){"b.yaml", 3, 4, 0}, "no source");
  rh_diag_add(diag, RH_NOTE, (rh_place){"b.yaml", 0, 0, 0}, "no line");
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "no place");
  ck_assert_str_eq(formatted(diag, 0), "a.yaml:2:23: error: rod.mass must be > 0 kg\n"
                                       "    2 |   - {name: rod, mass: -2}\n"
                                       "      |                       ^~");
  ck_assert_str_eq(formatted(diag, 1), "b.yaml:3:4: warning: no source");
  ck_assert_str_eq(formatted(diag, 2), "b.yaml: note: no line");
  ck_assert_str_eq(formatted(diag, 3), "error: no place");
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 2);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 1);
  ck_assert_int_eq(rh_diag_kept(diag), 4);
  rh_diag_clear(diag);
  ck_assert_int_eq(rh_diag_kept(diag) + rh_diag_count(diag, RH_ERROR), 0);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_message_of_override)
{
  rh_diag *diag = rh_diag_create();
  rh_diag_add_source(diag, "-s", "run.until=3\nrod.mass=-2\n", 24);
  rh_diag_add(diag, RH_ERROR, (rh_place){"-s", 2, 10, 2}, "rod.mass must be > 0 kg");
  ck_assert_str_eq(formatted(diag, 0), "-s rod.mass=-2: error: rod.mass must be > 0 kg");
  rh_diag_destroy(diag);
}

END_TEST

// Lines in any order, a line without end, a line that is too long to show: each finds its own source.
START_TEST(test_message_lines)
{
  rh_diag *diag = rh_diag_create();
  rh_text text = {0};
  for (int i = 1; i <= 999; i++) {
    rh_text_addf(&text, "line %d\n", i);
  }
  for (int i = 0; i < 100; i++) {
    rh_text_add(&text, "0123456789");
  }
  rh_diag_add_source(diag, "f", text.data, text.size);
  static const int order[] = {5, 999, 1, 500, 499, 998, 2, 250};
  for (int i = 0; i < RH_COUNT(order); i++) {
    char want[32];
    rh_diag_add(diag, RH_ERROR, (rh_place){"f", order[i], 1, 0}, "x");
    (void)snprintf(want, sizeof want, "line %d", order[i]);
    ck_assert_str_eq(rh_diag_get(diag, i).source, want);
  }
  rh_diag_add(diag, RH_ERROR, (rh_place){"f", 1000, 501, 3}, "x");
  const char *shown = formatted(diag, RH_COUNT(order));
  const char *caret = strchr(shown, '^');
  ck_assert_ptr_nonnull(caret);
  ck_assert_uint_lt(strlen(shown), 300);
  const char *row = strchr(shown, '\n') + 1;
  const char *mark = strchr(row, '\n') + 1;
  ck_assert_int_eq(row[caret - mark], '0'); // the 501st character of the line
  rh_diag_add(diag, RH_ERROR, (rh_place){"f", 1001, 1, 0}, "behind the end");
  ck_assert_ptr_null(rh_diag_get(diag, RH_COUNT(order) + 1).source);
  rh_text_free(&text);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_message_is_harmless)
{
  rh_diag *diag = rh_diag_create();
  static const char text[] = "\tname: \x1b[31m\xc2\x9b\xff\xc3\xa9\r\n";
  rh_diag_add_source(diag, "f\n", text, strlen(text));
  rh_diag_add(diag, RH_ERROR, (rh_place){"f\n", 1, 2, 0}, "bad \x1b]0;x\x07");
  ck_assert_str_eq(formatted(diag, 0), "f?:1:2: error: bad ?]0;x?\n"
                                       "    1 |  name: ?[31m??\xc3\xa9\n"
                                       "      |  ^");
  char small[8];
  rh_message m = rh_diag_get(diag, 0);
  ck_assert_int_gt(rh_message_format(&m, small, sizeof small), 20);
  ck_assert_str_eq(small, "f?:1:2:");
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_messages_are_limited)
{
  rh_diag *diag = rh_diag_create();
  rh_diag_add(NULL, RH_ERROR, RH_NOWHERE, "dropped");
  for (int i = 0; i < 1500; i++) {
    rh_diag_add(diag, RH_ERROR, (rh_place){"f", i, 1, 0}, "%*d", 5000, i);
  }
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1500);
  ck_assert_int_eq(rh_diag_kept(diag), 1000);
  ck_assert_uint_lt(strlen(rh_diag_get(diag, 0).text), 2000);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_nearest_name)
{
  static const char *const names[] = {"mass", "com", "inertia", "name", NULL, "revolute"};

  static const struct {
    const char *typed, *want;
  } cases[] = {
      {"mas", "mass"},
      {"masss", "mass"},
      {"amss", "mass"},
      {"Mass", "mass"},
      {"inertai", "inertia"},
      {"nmae", "name"},
      {"revolut", "revolute"},
      {"cmo", "com"},
      {"radius", NULL},
      {"x", NULL},
      {"", NULL},
      {"interia", "inertia"},
      {"names", "name"},
      {"quaternion", NULL},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    const char *got = rh_nearest_name(cases[i].typed, names, RH_COUNT(names));
    ck_assert_pstr_eq(got, cases[i].want);
  }
}

END_TEST

// ---- Parameters

static const rh_param row_params[] = {
    {"a", "kg", 1, 0, HUGE_VAL, "", RH_NUMBER, 0, NULL, true},
    {"b", "m", 2, -1, 1, "", RH_VECTOR, 3, NULL, false},
    {"c", "1", 1, 0, 0, "", RH_CHOICE, 0, "x|y", false},
    {"d", "s", 5, -HUGE_VAL, 10, "", RH_NUMBER, 0, NULL, false},
};
static const rh_row row = {"row", "", "", row_params, RH_COUNT(row_params)};

START_TEST(test_row_layout)
{
  double par[RH_PAR_MAX];
  const double want[RH_PAR_MAX] = {1, 2, 2, 2, 1, 5};
  rh_row_defaults(&row, par);
  ck_assert_mem_eq(par, want, sizeof par);
  ck_assert_int_eq(rh_row_find(&row, "c"), 2);
  ck_assert_int_eq(rh_row_find(&row, "e"), RH_NONE);
  ck_assert_int_eq(rh_row_offset(&row, 3), 5);
  ck_assert_int_eq(rh_param_size(&row_params[1]), 3);
}

END_TEST

START_TEST(test_param_ranges)
{
  static const struct {
    int param;
    double value;
    const char *why; // NULL: allowed
  } cases[] = {
      {0, 1e-300, NULL},
      {0, 0, "must be > 0 kg, got 0"},
      {0, -2, "must be > 0 kg, got -2"},
      {0, NAN, "must be finite"},
      {0, HUGE_VAL, NULL},
      {0, -HUGE_VAL, "must be finite"},
      {1, 1, NULL},
      {1, -1, NULL},
      {1, 1.5, "must lie in [-1, 1] m, got 1.5"},
      {1, HUGE_VAL, "must be finite"},
      {3, 11, "must be <= 10 s, got 11"},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    char why[RH_WHY_MAX] = "";
    bool good = rh_param_check(&row_params[cases[i].param], cases[i].value, why);
    ck_assert_int_eq(good, cases[i].why == NULL);
    ck_assert_str_eq(why, cases[i].why ? cases[i].why : "");
  }
}

END_TEST

START_TEST(test_names)
{
  char longest[100];
  memset(longest, 'a', sizeof longest);
  longest[63] = '\0';
  ck_assert_str_eq(rh_name_of(longest).text, longest);
  longest[63] = 'a';
  longest[99] = '\0';
  rh_name cut = rh_name_of(longest);
  ck_assert_uint_eq(strlen(cut.text), 63);
  ck_assert_int_eq(cut.text[62], '~');
  ck_assert_str_eq(rh_name_of("").text, "");
  ck_assert_str_eq(rh_name_of(NULL).text, "");
}

END_TEST

// ---- Units. Compared bit for bit: a unit is a factor and a divisor, so 3 mm is what 0.003 is.

START_TEST(test_units)
{
  static const struct {
    const char *text, *unit;
    double want;
  } cases[] = {
      {"2", "kg", 2},
      {"2kg", "kg", 2},
      {" 2 kg ", "kg", 2},
      {"+2.5e1 kg", "kg", 25},
      {".5", "m", 0.5},
      {"5.", "m", 5},
      {"-0", "m", -0.0},
      {"3 mm", "m", 0.003},
      {"7 cm", "m", 0.07},
      {"250 g", "kg", 0.25},
      {"45.9 g", "kg", 0.0459},
      {"7.85 g/cm^3", "kg/m^3", 7850},
      {"1.23 min", "s", 73.8},
      {"1.1 h", "s", 3960},
      {"0.3 kN/mm", "N/m", 3e5},
      {"2 t", "kg", 2000},
      {"180 deg", "rad", PI},
      {"30 deg", "rad", 30 * PI / 180},
      {"1 rev", "rad", 2 * PI},
      {"60 rpm", "rad/s", 60 * (2 * PI) / 60},
      {"90 deg/s", "rad/s", 90 * PI / 180},
      {"2 h", "s", 7200},
      {"1.5 min", "s", 90},
      {"3 us", "s", 3e-6},
      {"1e3 N/m", "N/m", 1000},
      {"2 kN/mm", "N/m", 2e6},
      {"2 N*m", "N m", 2},
      {"2 N m", "N m", 2},
      {"2 J", "N m", 2},
      {"2 kg m^2/s^2", "N m", 2},
      {"2 kg*m^2*s^-2", "J", 2},
      {"3 g cm^2", "kg m^2", 3e-7},
      {"5 1/s", "Hz", 5},
      {"5 GPa", "Pa", 5e9},
      {"5 N/mm^2", "Pa", 5e6},
      {"5 N/m^1.5", "N/m^1.5", 5},
      {"5 kN s/m^2.5", "N s/m^2.5", 5e3},
      {"5 kg m^-0.5/s^2", "N/m^1.5", 5},
      {"5 N/m^1.3", "kg m^-0.3 s^-2", 5},
      {"2 N/cm^1.5", "N/m^1.5", 2e3},
      {"36 km/h", "m/s", 10},
      {"30 deg", "joint", 30 * PI / 180},
      {"3 cm", "joint", 0.03},
      {"3 cm/s", "joint/s", 0.03},
      {"3 N/m", "N/m, N m/rad", 3},
      {"3 N m/rad", "N/m, N m/rad", 3},
      {"3", "1", 3},
      {"3", NULL, 3},
      {"0.1", "m", 0.1},
      {"123456789.123456789", "m", 123456789.123456789},
      {"1.7976931348623157e308", "1", 1.7976931348623157e308},
      {"5e-324", "1", 5e-324},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    char why[RH_WHY_MAX] = "";
    double got = NAN;
    ck_assert_msg(rh_unit_parse(cases[i].text, cases[i].unit, &got, why), "%s: %s", cases[i].text,
                  why);
    ck_assert_msg(got == cases[i].want, "%s: got %.17g, want %.17g", cases[i].text, got,
                  cases[i].want);
  }
}

END_TEST

START_TEST(test_units_refused)
{
  static const struct {
    const char *text, *unit, *why;
  } cases[] = {
      {"", "kg", "must be a number, got nothing"},
      {"x", "kg", "must be a number, got 'x'"},
      {"nan", "kg", "must be finite"},
      {"-.inf", "kg", "must be finite"},
      {"Infinity", "kg", "must be finite"},
      {"1e999", "kg", "is too large: a number must be below 1.8e308"},
      {"1e308 km", "m", "is too large: a number must be below 1.8e308"},
      {"0x10", "m", "unknown unit 'x'"},
      {"1,5", "m", "must be a number, got '1,5'"},
      {"1 2", "m", "must be a number, got '1 2'"},
      {"1e", "m", "unknown unit 'e'"},
      {"--1", "m", "must be a number, got '--1'"},
      {"1 m", "kg", "unit 'm' does not fit: it is measured in kg"},
      {"1 kg", "1", "unit 'kg' does not fit: it is a number without unit"},
      {"1 s", "joint", "unit 's' does not fit: it is measured in rad or m"},
      {"1 Hz", "rad/s", "unit 'Hz' does not fit: it is measured in rad/s"},
      {"1 dgg", "rad", "unknown unit 'dgg'; did you mean 'deg'?"},
      {"1 m^", "m", "a power of a unit is a number up to 10, with or without '-'"},
      {"1 m^0", "m", "a power of a unit is a number up to 10, with or without '-'"},
      {"1 m^11", "m", "a power of a unit is a number up to 10, with or without '-'"},
      {"1 N/m", "N/m^1.5", "unit 'N/m' does not fit: it is measured in N/m^1.5"},
      {"1 N/m^n", "N/m^n", "a power of a unit is a number up to 10, with or without '-'"},
      {"1 m2", "m^2", "unexpected '2' in the unit; powers are written m^2"},
      {"1 m//s", "m/s", "unknown unit '/'"},
      {"1 m/", "m/s", "unknown unit ''"},
      {"1 kg;", "kg", "unexpected ';' in the unit; powers are written m^2"},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    char why[RH_WHY_MAX] = "";
    double got = 7;
    ck_assert_msg(!rh_unit_parse(cases[i].text, cases[i].unit, &got, why), "%s was taken",
                  cases[i].text);
    ck_assert_str_eq(why, cases[i].why);
    ck_assert_msg(got == 7, "the value was changed");
  }
}

END_TEST

START_TEST(test_units_known)
{
  static const char *const known[] = {"1",     "kg",      "m/s^2",      "N s/m, N m s/rad",
                                      "joint", "joint/s", "kg, kg m^2", "N s/m^1.5",
                                      "N/m^n"};
  static const char *const unknown[] = {"mm", "furlong", "kg,", "m^", "N/m, mm"};
  for (int i = 0; i < RH_COUNT(known); i++) {
    ck_assert_msg(rh_unit_known(known[i]), "%s", known[i]);
  }
  for (int i = 0; i < RH_COUNT(unknown); i++) {
    ck_assert_msg(!rh_unit_known(unknown[i]), "%s", unknown[i]);
  }
}

END_TEST

// ---- Numbers as text

static uint64_t next_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void check_round_trip(double value)
{
  char text[RH_NUMBER_MAX];
  double back = 0;
  int length = rh_number_write(value, text);
  ck_assert_int_eq(length, (int)strlen(text));
  ck_assert_int_lt(length, RH_NUMBER_MAX);
  ck_assert_uint_eq(rh_number_read(text, &back), (size_t)length);
  ck_assert_msg(back == value && signbit(back) == signbit(value),
                "%.17g came back as %.17g by '%s'", value, back, text);
  if (!setlocale(LC_NUMERIC, NULL) || strcmp(setlocale(LC_NUMERIC, NULL), "C") == 0) {
    ck_assert_msg(back == strtod(text, NULL), "'%s' is read otherwise by the C library", text);
  }
}

static void check_many_numbers(void)
{
  uint64_t state = 1;
  for (int i = 0; i < 50000; i++) {
    uint64_t bits = next_random(&state);
    double any = 0;
    memcpy(&any, &bits, sizeof any);
    if (isfinite(any)) {
      check_round_trip(any);
    }
    check_round_trip((double)(int64_t)(bits >> 20) / 1e6); // as people write them
  }
  check_round_trip(0.0);
  check_round_trip(-0.0);
  check_round_trip(5e-324);
  check_round_trip(2.2250738585072011e-308);
  check_round_trip(1.7976931348623157e308);
  check_round_trip(9007199254740993.0);
}

START_TEST(test_number_round_trip)
{
  check_many_numbers();
  char text[RH_NUMBER_MAX];
  rh_number_write(0.1, text);
  ck_assert_str_eq(text, "0.1");
  rh_number_write(1e22, text);
  ck_assert_str_eq(text, "1e+22");
}

END_TEST

// Where the decimal sign is a comma nothing changes. Machines without such a locale have nothing to test here.
START_TEST(test_number_locale)
{
  static const char *const comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8",
                                      "cs_CZ.UTF-8"};
  bool found = false;
  for (int i = 0; i < RH_COUNT(comma) && !found; i++) {
    found = setlocale(LC_NUMERIC, comma[i]) != NULL;
  }
  double value = 0;
  char text[RH_NUMBER_MAX];
  ck_assert_uint_eq(rh_number_read("1.5", &value), 3);
  near_abs(value, 1.5, 0);
  ck_assert_uint_eq(rh_number_read("3.14159265358979323846", &value), 22);
  near_abs(value, PI, 0);
  rh_number_write(0.25, text);
  ck_assert_str_eq(text, "0.25");
  if (found) {
    check_many_numbers();
  }
  setlocale(LC_NUMERIC, "C");
}

END_TEST

START_TEST(test_number_syntax)
{
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {
      {"1", 1},   {"1x", 1},  {"1.5e3m", 5}, {"1e", 1},     {"1e+", 1}, {"-.5", 3},
      {".", 0},   {"-", 0},   {"+", 0},      {"", 0},       {"e5", 0},  {" 1", 0},
      {"nan", 0}, {"inf", 0}, {"0x1p3", 1},  {"1e5000", 6},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    double value = 0;
    ck_assert_uint_eq(rh_number_read(cases[i].text, &value), cases[i].length);
  }
}

END_TEST

// ---- JSON

START_TEST(test_json_forms)
{
  const double x[] = {1, 0.1, NAN, HUGE_VAL, -2e300, 3};
  rh_text out = {0};
  rh_json json = rh_json_start(&out, false);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "s", "a\"b\\c\n\t\x01\xff\xc3\xa9");
  rh_json_numbers(&json, "x", x, 5);
  rh_json_matrix(&json, "m", x, 2, 1);
  rh_json_integer(&json, "i", -3);
  rh_json_bool(&json, "b", true);
  rh_json_null(&json, "n");
  rh_json_string(&json, "none", NULL);
  rh_json_open_array(&json, "empty");
  rh_json_close(&json);
  rh_json_end(&json);
  ck_assert_str_eq(
      out.data,
      "{\"s\":\"a\\\"b\\\\c\\n\\t\\u0001\\ufffd\xc3\xa9\",\"x\":[1,0.1,null,null,-2e+300],"
      "\"m\":[[1],[0.1]],\"i\":-3,\"b\":true,\"n\":null,\"none\":null,\"empty\":[]}\n");
  rh_text_free(&out);
  json = rh_json_start(&out, true);
  rh_json_open_object(&json, NULL);
  rh_json_open_array(&json, "a");
  rh_json_number(&json, NULL, 1);
  rh_json_numbers(&json, NULL, x, 2);
  rh_json_end(&json);
  ck_assert_str_eq(out.data, "{\n  \"a\": [\n    1,\n    [1, 0.1]\n  ]\n}\n");
  rh_text_free(&out);
}

END_TEST

static void *no_memory(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
  }
  return NULL;
}

START_TEST(test_text_without_memory)
{
  rh_allocator none = {no_memory, NULL};
  rh_text out = {0};
  rh_hook_set_allocator(&none);
  rh_text_add(&out, "x");
  rh_text_addf(&out, "%d", 3);
  rh_text_pad(&out, 0, 10);
  ck_assert(out.failed);
  ck_assert_ptr_null(rh_text_take(&out));
  ck_assert_ptr_null(rh_diag_create());
  rh_hook_set_allocator(NULL);
  rh_text_free(&out);
}

END_TEST

START_TEST(test_utf8)
{
  static const struct {
    const char *text;
    size_t length;
    unsigned code;
  } cases[] = {
      {"a", 1, 'a'},
      {"\xc3\xa9", 2, 0xe9},
      {"\xe2\x82\xac", 3, 0x20ac},
      {"\xf0\x9f\x99\x82", 4, 0x1f642},
      {"\x80", 0, 0},
      {"\xc0\xaf", 0, 0}, // too long for what it says
      {"\xe0\x80\xaf", 0, 0},
      {"\xed\xa0\x80", 0, 0},     // half of a pair of UTF-16
      {"\xf4\x90\x80\x80", 0, 0}, // behind the last
      {"\xc3", 0, 0},             // cut
      {"\xe2\x82", 0, 0},
      {"\xff", 0, 0},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    unsigned code = 0;
    ck_assert_uint_eq(rh_utf8_next(cases[i].text, strlen(cases[i].text), &code), cases[i].length);
    ck_assert(cases[i].length == 0 || code == cases[i].code);
  }
}

END_TEST

Suite *rh_suite_unit_base(void)
{
  Suite *suite = suite_create("unit_base");
  TCase *messages = tcase_create("messages");
  tcase_add_test(messages, test_message_form);
  tcase_add_test(messages, test_message_of_override);
  tcase_add_test(messages, test_message_lines);
  tcase_add_test(messages, test_message_is_harmless);
  tcase_add_test(messages, test_messages_are_limited);
  tcase_add_test(messages, test_nearest_name);
  suite_add_tcase(suite, messages);
  TCase *values = tcase_create("values");
  tcase_add_test(values, test_row_layout);
  tcase_add_test(values, test_param_ranges);
  tcase_add_test(values, test_names);
  tcase_add_test(values, test_units);
  tcase_add_test(values, test_units_refused);
  tcase_add_test(values, test_units_known);
  suite_add_tcase(suite, values);
  TCase *text = tcase_create("text");
  tcase_add_test(text, test_number_round_trip);
  tcase_add_test(text, test_number_locale);
  tcase_add_test(text, test_number_syntax);
  tcase_add_test(text, test_json_forms);
  tcase_add_test(text, test_text_without_memory);
  tcase_add_test(text, test_utf8);
  suite_add_tcase(suite, text);
  return suite;
}
