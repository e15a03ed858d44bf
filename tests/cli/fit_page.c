// routh fit -o FILE.html: the page is one file that loads nothing, every picture says in words what it shows, profiles are drawn where they
// are, and names from files are text.
#include "program.h"

#include <math.h>
#include <routh/routh.h>
#include <string.h>

static const char fall[] = "bodies: [{name: b, mass: 1}]\n"
                           "joints: [{name: j, kind: prismatic, child: b, axis: [0, 0, 1]}]\n"
                           "world: {gravity: [0, 0, -9]}\nrun: {until: 1}\n";

// The place of a body that falls by 9.81 m/s^2, with an error that changes its sign
static void write_fall(const char *name, const char *trial)
{
  FILE *to = fopen(name, "w");
  ck_assert_ptr_nonnull(to);
  (void)fprintf(to, "trial,t,j.q [m]\n");
  for (int i = 1; i <= 20; i++) {
    double t = 0.03 * i;
    (void)fprintf(to, "%s,%.17g,%.17g\n", trial, t, -4.905 * t * t + (i % 2 ? 1e-3 : -1e-3));
  }
  ck_assert_int_eq(fclose(to), 0);
}

static char *read_page(const char *name)
{
  FILE *from = fopen(name, "r");
  ck_assert_ptr_nonnull(from);
  char *text = calloc(1, 1 << 20);
  ck_assert_ptr_nonnull(text);
  size_t size = fread(text, 1, (1 << 20) - 1, from);
  ck_assert_int_eq(fclose(from), 0);
  ck_assert_msg(size > 1000 && strcmp(text + size - 8, "</html>\n") == 0, "it is not complete");
  return text;
}

static int count_of(const char *text, const char *word)
{
  int n = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
    n++;
  }
  return n;
}

static void make_page(const char *data, const char *page, const char *quick)
{
  rh_output output = routh("fit", "fall.yaml", "--data", data, "--free", "world.gravity[2]",
                           "--noise", "j.q=1e-3", "-o", page, quick, "-q");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

START_TEST(loads_nothing_and_says_what_it_shows)
{
  rh_folder_enter();
  rh_file_put("fall.yaml", fall);
  write_fall("a.csv", "1");
  make_page("a.csv", "a.html", "--json");
  char *page = read_page("a.html");
  static const char *const outside[] = {"http:",   "https:", "src=",    "href=", "<script",
                                        "@import", "url(h",  "<iframe", "<link"};
  for (int i = 0; i < RH_COUNT(outside); i++) {
    ck_assert_msg(strstr(page, outside[i]) == NULL, "%s", outside[i]);
  }
  static const char *const bad[] = {"nan", "inf,", "inf\"", " -inf"};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    ck_assert_msg(strstr(page, bad[i]) == NULL, "%s", bad[i]);
  }
  int pictures = count_of(page, "<svg ");
  ck_assert_int_eq(pictures, 1 + 1 + 2); // a profile, the phases, a series and its difference
  ck_assert_int_eq(count_of(page, "role=\"img\""), pictures);
  ck_assert_int_eq(count_of(page, "<title id="), pictures);
  ck_assert_int_eq(count_of(page, "<desc id="), pictures);
  ck_assert_int_eq(count_of(page, "</svg>"), pictures);
  ck_contains(page, "<html lang=\"en\">");
  for (const char *at = strstr(page, "id=\""); at != NULL; at = strstr(at + 4, "id=\"")) {
    char id[40];
    (void)snprintf(id, sizeof id, "%.*s\"", (int)strcspn(at + 4, "\"") + 4, at);
    ck_assert_msg(count_of(page, id) == 1, "%s is there twice", id);
  }
  free(page);
  make_page("a.csv", "b.html", "--quick");
  page = read_page("b.html");
  ck_assert_ptr_null(strstr(page, "<h2>Profiles"));
  free(page);
  rh_folder_leave();
}

END_TEST

// The rise of a value that is linear in the data is a parabola: points that were evaluated, and the curve between them. The picture is
// drawn to 0.01 of 160 pixels, and 3.8415 of 1.9 x 3.8415 is at 160 (1 - 1/1.9).
START_TEST(profile_is_where_it_is)
{
  rh_folder_enter();
  rh_file_put("fall.yaml", fall);
  write_fall("a.csv", "1");
  make_page("a.csv", "a.html", "--json");
  char *page = read_page("a.html");
  const char *at = strstr(page, "<h2>Profiles");
  ck_assert_ptr_nonnull(at);
  at = strstr(at, "<polyline class=\"m\" points=\"");
  ck_assert_ptr_nonnull(at);
  double x = 0;
  double y = 0;
  double best = 0;
  double most = -1;
  int used = 0;
  const char *points = strchr(at + strlen("<polyline class=\"m\""), '"') + 1;
  for (const char *p = points; sscanf(p, "%lf,%lf %n", &x, &y, &used) == 2; p += used) {
    best = y > most ? x : best;
    most = fmax(most, y);
  }
  near_abs(most, 160, 0.011);
  // The ends: dashed lines down from the level
  const char *edge = strstr(page, "<rect class=\"i\" x=\"");
  double left = 0;
  double width = 0;
  ck_assert_int_eq(sscanf(edge, "<rect class=\"i\" x=\"%lf\" width=\"%lf\"", &left, &width), 2);
  near_abs(left + 0.5 * width, best, 0.03 * width); // ends are found to 2 %
  for (const char *p = points; sscanf(p, "%lf,%lf %n", &x, &y, &used) == 2; p += used) {
    double off = (x - best) / (0.5 * width);
    near_abs((160 - y) / 160 * 1.9, off * off, 0.05 * (1 + off * off));
  }
  free(page);
  rh_folder_leave();
}

END_TEST

static void same_file(const char *a, const char *b)
{
  char *one = read_page(a);
  char *two = read_page(b);
  ck_assert_str_eq(one, two);
  free(one);
  free(two);
}

// A page that is asked for of a fit that is done, with parts of the trials left out: the same bytes.
START_TEST(page_of_a_journal)
{
#define FIT                                                                                        \
  "fit", "fall.yaml", "--data", "a.csv,b.csv,c.csv", "--free", "world.gravity[2]", "--noise",      \
      "j.q=1e-3", "--folds", "3", "--json"
  rh_folder_enter();
  rh_file_put("fall.yaml", fall);
  write_fall("a.csv", "1");
  write_fall("b.csv", "2");
  write_fall("c.csv", "3");
  rh_output output[] = {routh(FIT, "-o", "a.html"), routh(FIT, "--resume", "j"),
                        routh(FIT, "--resume", "j", "-o", "b.html"),
                        routh(FIT, "--resume", "j", "-o", "c.html")};
  for (int i = 0; i < RH_COUNT(output); i++) {
    ck_assert_msg(output[i].exit_code == 0, "%s", output[i].err);
    rh_output_free(&output[i]);
  }
  same_file("a.html", "b.html");
  same_file("a.html", "c.html");
  rh_folder_leave();
}

END_TEST

static double number_after(const char *text, const char *key)
{
  const char *at = strstr(text, key);
  ck_assert_msg(at != NULL, "no %s", key);
  return strtod(at + strlen(key), NULL);
}

// Whole throws with several impacts have many valleys. What the profile meets below the end of the search is searched from; where there is
// lower ground even then, the fit does not say that it has converged. Lower is more than 2 % of the rise at the ends of an interval.
START_TEST(lower_valleys)
{
#define DROP                                                                                       \
  "fit", ROUTH_SOURCE_DIR "/tests/data/fit/drop.yaml", "--data",                                   \
      ROUTH_SOURCE_DIR "/tests/data/fit/drop.csv", "--start", "data", "--noise", "j.*=1e-4",       \
      "--json", "--free", "floor.e=0.1:1"
  rh_output quick = routh(DROP, "--quick");
  rh_output output = routh(DROP);
  ck_assert_msg(quick.exit_code == 0 && output.exit_code == 0, "%s", output.err);
  ck_assert(number_after(output.out, "\"sum\": ") < number_after(quick.out, "\"sum\": "));
  double least = HUGE_VAL;
  const char *at = strstr(output.out, "\"rise\": [");
  ck_assert_ptr_nonnull(at);
  for (const char *p = at + 9; *p != ']'; p += strcspn(p + 1, ",]") + 1) {
    least = fmin(least, strtod(p + 1, NULL));
  }
  bool converged = strstr(output.out, "\"converged\": true") != NULL;
  ck_assert_msg(converged == (least > -0.02), "converged %d, but a rise of %g", converged, least);
  rh_output_free(&quick);
  rh_output_free(&output);
}

END_TEST

START_TEST(names_are_text)
{
  rh_folder_enter();
  rh_file_put("fall.yaml", fall);
  write_fall("<i>.csv", "<script>alert(1)</script>&\"");
  make_page("<i>.csv", "a.html", "--json");
  char *page = read_page("a.html");
  ck_assert_ptr_null(strstr(page, "<script"));
  ck_contains(page, "&lt;script&gt;alert(1)");
  free(page);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_page(void)
{
  Suite *suite = suite_create("cli_fit_page");
  TCase *tests = tcase_create("fit_page");
  tcase_add_test(tests, loads_nothing_and_says_what_it_shows);
  tcase_add_test(tests, profile_is_where_it_is);
  tcase_add_test(tests, page_of_a_journal);
  tcase_add_test(tests, lower_valleys);
  tcase_add_test(tests, names_are_text);
  suite_add_tcase(suite, tests);
  return suite;
}
