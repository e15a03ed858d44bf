// unit_expressions.c: arithmetic within scenes: values, what is refused and where, bounds.
#include "test.h"

#include "scene_io/language/expression.h"

#include <math.h>
#include <string.h>

static rh_scope three_names(void)
{
  rh_scope scope = {.count = 3};
  scope.list[0] = (rh_variable){rh_name_of("i"), 3, RH_NONE};
  scope.list[1] = (rh_variable){rh_name_of("length"), 0.5, RH_NONE};
  scope.list[2] = (rh_variable){rh_name_of("i"), 4, RH_NONE}; // the last counts
  return scope;
}

START_TEST(values_of_expressions)
{
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1", 1},
      {" 1.5e3 ", 1500},
      {"i", 4},
      {"2*i + 1", 9},
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"16/4/2", 2},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"2^-1", 0.5},
      {"--3", 3},
      {"+3", 3},
      {"7 % 4", 3},
      {"-1 % 4", 3},
      {"i - 2*length", 3},
      {"i == 4", 1},
      {"i != 4", 0},
      {"1 + 1 < 3", 1},
      {"3 <= 2", 0},
      {"if(i > 3, 10, 20)", 10},
      {"if(0, 1, 2)", 2},
      {"min(3, 1, 2) + max(3, 1, 2)", 4},
      {"sqrt(16) + abs(-2) + floor(2.5) + ceil(2.5) + round(2.5)", 14},
      {"cos(0) + sin(0) + exp(0) + log(1)", 2},
      {"atan2(0, -1) - pi", 0},
      {"max(1, (2 + 3)*2)", 10},
      {"0 * -1", 0},
  };

  rh_scope scope = three_names();
  for (int i = 0; i < RH_COUNT(cases); i++) {
    rh_wrong wrong;
    double value = NAN;
    bool good = rh_expression_read(cases[i].text, strlen(cases[i].text), &scope, &value, &wrong);
    ck_assert_msg(good, "%s: %s", cases[i].text, wrong.why);
    ck_assert_msg(value == cases[i].value && !(value == 0 && signbit(value)), "%s is %g, not %g",
                  cases[i].text, value, cases[i].value);
  }
}

END_TEST

START_TEST(wrong_expressions)
{
  static const struct {
    const char *text;
    size_t at;
    const char *why;
  } cases[] = {
      {"", 0, "the expression ends where a number is expected"},
      {"1 +", 3, "the expression ends"},
      {"1 2", 2, "an operator is expected"},
      {"* 2", 0, "a number, a name"},
      {"(1 + 2", 0, "this '(' is not closed"},
      {"1 + 2)", 5, "there is no '(' for this ')'"},
      {"1, 2", 1, "',' belongs in the arguments"},
      {"(1, 2)", 2, "',' belongs in the arguments"},
      {"lenght", 0, "nothing is called 'lenght' here; did you mean 'length'?"},
      {"size(3)", 0, "no such function"},
      {"sin(1, 2)", 0, "sin takes 1 argument, got 2"},
      {"if(1, 2)", 0, "if takes 3 arguments, got 2"},
      {"sin()", 4, "a number, a name"},
      {"2 / (i - 4)", 2, "the result is no finite number"},
      {"sqrt(-1)", 0, "the result is no finite number"},
      {"1e999", 0, "is no number"},
      {"1 = 1", 2, "an operator is expected"},
      {"nan", 0, "nothing is called"},
  };

  rh_scope scope = three_names();
  for (int i = 0; i < RH_COUNT(cases); i++) {
    rh_wrong wrong;
    double value = NAN;
    ck_assert_msg(!rh_expression_read(cases[i].text, strlen(cases[i].text), &scope, &value, &wrong),
                  "taken: %s", cases[i].text);
    ck_assert_msg(strncmp(wrong.why, cases[i].why, strlen(cases[i].why)) == 0, "%s: %s",
                  cases[i].text, wrong.why);
    ck_assert_msg(wrong.at == cases[i].at, "%s: at %zu", cases[i].text, wrong.at);
  }
}

END_TEST

START_TEST(deep_expressions_are_bounded)
{
  static char text[2002];
  rh_scope scope = three_names();
  for (int k = 0; k < 2; k++) {
    rh_wrong wrong;
    double value = 0;
    memset(text, k == 0 ? '(' : '-', 2000);
    text[2000] = '1';
    ck_assert(!rh_expression_read(text, 2001, &scope, &value, &wrong));
    ck_assert_str_eq(wrong.why, "the expression is nested too deep");
  }
}

END_TEST

Suite *rh_suite_unit_expressions(void)
{
  Suite *suite = suite_create("unit_expressions");
  TCase *tcase = tcase_create("expressions");
  tcase_add_test(tcase, values_of_expressions);
  tcase_add_test(tcase, wrong_expressions);
  tcase_add_test(tcase, deep_expressions_are_bounded);
  suite_add_tcase(suite, tcase);
  return suite;
}
