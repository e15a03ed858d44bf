// kind_impact.c: every row of the table of impact laws must keep what routh/kind.h promises: `over` and `end` speak of the
// same place, on one straight piece of the path and behind a corner; a passive law never creates energy.
#include "impacts.h"
#include "laws.h"

#define FOR_EACH_ROW                                                                               \
  int count = 0;                                                                                   \
  const rh_impact_law *const *table = rh_impact_law_table(&count);                                 \
  const rh_impact_law *law = table[_i];                                                            \
  ck_assert_int_lt(_i, count);                                                                     \
  rng r = {(uint64_t)(900 + _i)}

static rh_impact_at along(rh_impact_at at, double slope, double d)
{
  at.W += (at.C + 0.5 * slope * d) * d;
  at.C += slope * d;
  at.P += d;
  return at;
}

// The end of compression of an impact whose approach was not straight: Wc is not C0 Pc / 2.
static rh_impact_at turned(rng *r)
{
  rh_impact_at at = {.C0 = -pow(10, rng_in(r, -1, 1))};
  at.P = at.Pc = pow(10, rng_in(r, -1, 1));
  at.W = at.Wc = at.C0 * at.Pc * rng_in(r, 0.2, 0.8);
  return at;
}

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  (void)r;
  check_head(&law->row);
  ck_assert_ptr_eq(rh_impact_law_find(law->row.name), law);
  ck_assert(law->over != NULL && law->end != NULL);
  ck_assert_int_ge(law->row.nparam, 1);
  ck_assert_str_eq(law->row.param[0].name, "e");
  ck_assert_ptr_null(rh_impact_law_find("no-such-law"));
  for (int i = 0; i < _i; i++) {
    ck_assert_str_ne(table[i]->row.name, law->row.name);
  }
}

END_TEST

START_TEST(over_and_end_agree)
{
  FOR_EACH_ROW;
  for (int i = 0; i < 10000; i++) {
    double e = rng_in(&r, fmax(law->row.param[0].lo, 0), law->row.param[0].hi);
    rh_impact_at at = turned(&r);
    double slope = pow(10, rng_in(&r, -1, 1));
    double end = law->end(&at, slope, e);
    ck_assert(isfinite(end) && end >= at.P);
    if (i % 2 == 1) { // a corner on the way
      at = along(at, slope, rng_in(&r, 0, 1) * (end - at.P));
      slope = pow(10, rng_in(&r, -1, 1));
      end = law->end(&at, slope, e);
      ck_assert(isfinite(end) && end >= at.P);
    }
    double d = end - at.P;
    rh_impact_at before = along(at, slope, d * 0.99);
    rh_impact_at there = along(at, slope, d);
    rh_impact_at behind = along(at, slope, d * 1.01);
    double size = law->over(&behind, e) - law->over(&before, e);
    if (d > 1e-6 * at.P) {
      ck_assert(law->over(&before, e) < 0 && law->over(&behind, e) > 0);
      // `size` is a fiftieth of what is left, and the rounding is that of the whole work, velocity or impulse.
      double rounding = 1e-15 * (at.P - at.C0 - at.Wc);
      ck_assert_msg(fabs(law->over(&there, e)) <= 1e-12 * size + rounding, "%s: %g of %g",
                    law->row.name, law->over(&there, e), size);
    }
  }
}

END_TEST

// e = 0 ends with compression; without a corner, e = 1 gives the speed back.
START_TEST(ends_of_the_range)
{
  FOR_EACH_ROW;
  for (int i = 0; i < 1000; i++) {
    rh_impact_at at = turned(&r);
    near_rel(law->end(&at, pow(10, rng_in(&r, -1, 1)), 0), at.Pc, 1e-15);
    double slope = pow(10, rng_in(&r, -1, 1));
    double e = rng_in(&r, 0, 1);
    at.P = at.Pc = -at.C0 / slope;
    at.W = at.Wc = at.C0 * at.Pc / 2;
    near_rel(law->end(&at, slope, e), (1 + e) * at.Pc, 1e-14);
    near_rel(law->end(&at, slope, 1), 2 * at.Pc, 1e-14);
  }
}

END_TEST

START_TEST(passive_if_it_says_so)
{
  FOR_EACH_ROW;
  int gained = 0;
  for (int i = 0; i < 20000; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_out out;
    rh_planar_impact(law, &in, &out);
    gained += out.gained;
  }
  ck_assert_int_eq(gained == 0, law->passive);
}

END_TEST

Suite *rh_suite_kind_impact(void)
{
  int count = 0;
  (void)rh_impact_law_table(&count);
  Suite *suite = suite_create("kind_impact");
  TCase *tests = tcase_create("rows");
  tcase_add_loop_test(tests, head_is_complete, 0, count);
  tcase_add_loop_test(tests, over_and_end_agree, 0, count);
  tcase_add_loop_test(tests, ends_of_the_range, 0, count);
  tcase_add_loop_test(tests, passive_if_it_says_so, 0, count);
  suite_add_tcase(suite, tests);
  return suite;
}
