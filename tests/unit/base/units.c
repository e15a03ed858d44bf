// unit_units.c: numbers with units are the doubles nearest to what they say.
#include "base/text.h"
#include "test.h"

#include <math.h>
#include <routh/base.h>
#include <stdio.h>

// A number with a prefix is the double nearest to what it says: that which is read where the power
// of ten stands in the number.
START_TEST(prefixes)
{
  static const struct {
    const char *unit, *si;
    int ten;
  } cases[] = {
      {"km", "m", 3},
      {"dm", "m", -1},
      {"cm", "m", -2},
      {"mm", "m", -3},
      {"um", "m", -6},
      {"nm", "m", -9},
      {"g", "kg", -3},
      {"mg", "kg", -6},
      {"t", "kg", 3},
      {"ms", "s", -3},
      {"us", "s", -6},
      {"ns", "s", -9},
      {"kHz", "1/s", 3},
      {"mN", "N", -3},
      {"kN", "N", 3},
      {"MN", "N", 6},
      {"mJ", "J", -3},
      {"kJ", "J", 3},
      {"MJ", "J", 6},
      {"kW", "W", 3},
      {"MW", "W", 6},
      {"kPa", "Pa", 3},
      {"MPa", "Pa", 6},
      {"GPa", "Pa", 9},
      {"mrad", "rad", -3},
      {"mm^3", "m^3", -9},
      {"g/cm^3", "kg/m^3", 3},
      {"N/mm", "N/m", 3},
      {"mN m s/mrad", "N m s/rad", 0},
  };

  unsigned state = 1;
  for (int i = 0; i < RH_COUNT(cases); i++) {
    for (int k = 0; k < 500; k++) {
      char text[80];
      char why[RH_WHY_MAX] = "";
      double got = NAN;
      double want = NAN;
      state = state * 1664525U + 1013904223U;
      unsigned whole = (state >> 8) % 1000;
      state = state * 1664525U + 1013904223U;
      (void)snprintf(text, sizeof text, "%u.%.*u %s", whole, 1 + k % 9, state >> 8, cases[i].unit);
      ck_assert_msg(rh_unit_parse(text, cases[i].si, &got, why), "%s: %s", text, why);
      (void)snprintf(text, sizeof text, "%u.%.*ue%d", whole, 1 + k % 9, state >> 8, cases[i].ten);
      ck_assert_uint_gt(rh_number_read(text, &want), 0);
      ck_assert_msg(got == want, "%s %s: %.17g", text, cases[i].unit, got);
    }
  }
}

END_TEST

Suite *rh_suite_unit_units(void)
{
  Suite *suite = suite_create("unit_units");
  TCase *tests = tcase_create("units");
  tcase_add_test(tests, prefixes);
  suite_add_tcase(suite, tests);
  return suite;
}
