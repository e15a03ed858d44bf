// The page of `routh paper`, seen from outside: whole, in itself closed, safe; every figure, scene and erratum is on it; what is
// outside or was not done is said.
#include "program.h"
#include "reproduce/figure.h"

#include <ctype.h>

// Pages are too long to be printed.
#define on_page(page, part) ck_assert_msg(strstr(page, part) != NULL, "not on the page: %s", part)

static int count(const char *text, const char *part)
{
  int n = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
    n++;
  }
  return n;
}

// "wk_s2_1_3" -> "wk-s2.1.3", as it is called on the page
static void name_of(const char *figure, char name[32])
{
  (void)snprintf(name, 32, "%s", figure);
  *strchr(name, '_') = '-';
  for (char *c = strchr(name, '_'); c != NULL; c = strchr(c, '_')) {
    *c = '.';
  }
}

static char *read_page(const char *path)
{
  char *page = rh_file_text(path, NULL);
  ck_assert_msg(page != NULL, "there is no %s", path);
  return page;
}

static void check_entities(const char *page)
{
  for (const char *at = page; (at = strchr(at, '&')) != NULL; at++) {
    size_t name = 1;
    while (isalnum((unsigned char)at[name]) || at[name] == '#') {
      name++;
    }
    ck_assert_msg(name > 1 && at[name] == ';', "a bare '&': %.40s", at);
  }
}

static void check_pairs(const char *page)
{
  static const char *const name[] = {"article", "section", "details", "summary", "table", "thead",
                                     "tbody",   "tr",      "td",      "th",      "ul",    "li",
                                     "h3",      "svg",     "div",     "p",       "code",  "em"};
  for (int i = 0; i < (int)(sizeof name / sizeof name[0]); i++) {
    char open[16];
    char open_more[16];
    char close[16];
    (void)snprintf(open, sizeof open, "<%s>", name[i]);
    (void)snprintf(open_more, sizeof open_more, "<%s ", name[i]);
    (void)snprintf(close, sizeof close, "</%s>", name[i]);
    ck_assert_msg(count(page, open) + count(page, open_more) == count(page, close),
                  "<%s>: not as many ends as beginnings", name[i]);
  }
}

// Every link leads to exactly one place of the page.
static void check_links(const char *page)
{
  ck_assert_int_eq(count(page, "href=\""), count(page, "href=\"#"));
  for (const char *at = page; (at = strstr(at, "href=\"#")) != NULL; at++) {
    char id[80];
    (void)snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
    ck_assert_msg(count(page, id) == 1, "%s: %d times", id, count(page, id));
  }
}

static void check_page(const char *page)
{
  ck_assert_int_eq(strncmp(page, "<!DOCTYPE html>\n", 16), 0);
  ck_assert_str_eq(page + strlen(page) - 8, "</html>\n");
  on_page(page, "<meta charset=\"utf-8\">");
  on_page(page, "width=device-width");
  on_page(page, "prefers-color-scheme: dark");
  ck_assert_ptr_null(strstr(page, "<script"));
  ck_assert_ptr_null(strstr(page, "<link"));
  ck_assert_ptr_null(strstr(page, " src="));
  ck_assert_ptr_null(strstr(page, "url(http"));
  ck_assert_int_eq(count(page, "http"), 2 * count(page, "<svg")); // names of SVG, nothing to fetch
  check_entities(page);
  check_pairs(page);
  check_links(page);
}

// One paper, or under sanitizers one figure.
START_TEST(a_paper_is_one_page)
{
  rh_folder_enter();
  rh_output output = RH_TEST_SLOW ? routh("paper", "mo", "--figure", "4", "-o", "mo.html")
                                  : routh("paper", "mo", "-o", "mo.html");
  ck_assert_msg(output.exit_code == 0, "%.2000s", output.err);
  ck_contains(output.err, "wrote mo.html");
  ck_assert_int_eq(rh_folder_count(), 1); // no picture beside it
  char *page = read_page("mo.html");
  check_page(page);
  int n = 0;
  for (int i = 0; i < rh_figure_count(); i++) {
    char name[32];
    char id[64];
    name_of(rh_figure_get(i)->name, name);
    (void)snprintf(id, sizeof id, "<section class=\"figure\" id=\"%s\">", name);
    bool here = RH_TEST_SLOW ? strcmp(name, "mo-4") == 0 : strncmp(name, "mo-", 3) == 0;
    ck_assert_msg(count(page, id) == (here ? 1 : 0), "%s", id);
    n += here;
  }
  ck_assert_int_eq(count(page, "<svg"), n);
  ck_assert_int_eq(count(page, " id='gpDot'"), 0); // names of pictures do not clash
  on_page(page, " id='mo-4-gpDot'");
  ck_assert_ptr_null(strstr(page, "<title>gnuplot"));
  on_page(page, "penetration [mm]");
  on_page(page, "routh paper mo --figure 4");
  on_page(page, "<details id=\"scene-mo-fig4-yaml\">");
  on_page(page, "law: hunt-crossley");
  on_page(page, "all within tolerance");
  ck_assert_ptr_null(strstr(page, "OUTSIDE"));
  free(page);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Every figure refuses a value that no scene has: the page is there at once, with everything but numbers.
START_TEST(all_papers_are_one_page)
{
  rh_folder_enter();
  rh_output output =
      routh("paper", "all", "--no-picture", "--progress", "json", "-s", "<b>.'&\"=\x01\xff");
  ck_assert_msg(output.exit_code != 0 && output.exit_code != 5, "exit code %d", output.exit_code);
  ck_contains(output.err, "{\"done\": 0, \"of\": ");
  ck_assert_int_eq(rh_folder_count(), 1);
  char *page = read_page("papers.html");
  check_page(page);
  ck_assert_ptr_null(strstr(page, "<b>.")); // what was typed is text
  on_page(page, " -s &#39;&lt;b&gt;.&#39;\\&#39;&#39;&amp;&quot;=\xEF\xBF\xBD\xEF\xBF\xBD&#39;");
  for (int i = 0; i < rh_figure_count(); i++) {
    char name[32];
    char id[64];
    name_of(rh_figure_get(i)->name, name);
    (void)snprintf(id, sizeof id, "<section class=\"figure\" id=\"%s\">", name);
    ck_assert_msg(count(page, id) == 1, "%s", id);
  }
  ck_assert_int_eq(count(page, "NOT DONE: "), rh_figure_count());
  char *errata = rh_file_text(ROUTH_SOURCE_DIR "/docs/errata.md", NULL);
  ck_assert_ptr_nonnull(errata);
  ck_assert_int_eq(count(page, "<tr><td>"), count(errata, "\n| ") - 1); // less the head
  on_page(page, "<ul class=\"points not\">\n<li><em>&quot;");
  on_page(page, "Does not hold as printed.");
  on_page(page, "Holds in part.");
  free(errata);
  free(page);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(what_is_outside_is_said)
{
  rh_folder_enter();
  rh_output output = routh("paper", "mo", "--figure", "4", "-s", "ground.k=2e4", "-o", "a.html");
  ck_assert_int_eq(output.exit_code, 1);
  char *page = read_page("a.html");
  check_page(page);
  on_page(page, "of 56 numbers OUTSIDE tolerance");
  on_page(page, "<td>OUTSIDE</td></tr>");
  on_page(page, "<details open>");
  rh_output_free(&output);
  output = routh("paper", "mo", "--figure", "4", "-s", "ground.k=2e4", "-o", "b.html");
  char *again = read_page("b.html");
  ck_assert(strcmp(page, again) == 0); // equal figures, equal bytes
  free(again);
  free(page);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Events in their order, a claim that holds in part, words that are compared.
START_TEST(stories_and_claims)
{
  rh_folder_enter();
  rh_output output = routh("paper", "wk", "--figure", "2.1", "--no-picture", "-o", "wk.html");
  ck_assert_msg(output.exit_code == 0, "%.2000s", output.err);
  char *page = read_page("wk.html");
  check_page(page);
  on_page(page, "Events in their order");
  on_page(page, "velocity criterion: sliding ends");
  free(page);
  rh_output_free(&output);
  output = routh("paper", "wk", "--figure", "s2.1.3", "--no-picture", "--json", "-o", "wk.html");
  ck_assert_msg(output.exit_code == 0, "%.2000s", output.err);
  ck_assert(rh_json_valid(output.out));
  page = read_page("wk.html");
  check_page(page);
  free(page);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"paper", "all", "--figure", "4"}, 2, "needs the name of a paper"},
    {{"paper", "all", "--png"}, 2, "are SVG"},
    {{"paper", "mo", "--png", "-o", "x.html"}, 2, "are SVG"},
    {{"paper", "mo", "-o", "none/x.html"}, 5, "none/x.html: "},
    {{"paper", "all", "-o", "none"}, 5, "'none' is not a folder"},
    {{"paper", "ch", "--figure", "3.11", "-s", "ground.e=0"}, 2, "takes no -s"},
};

START_TEST(wrong_usage_is_said)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

Suite *rh_suite_cli_report(void)
{
  Suite *suite = suite_create("cli_report");
  TCase *tcase = tcase_create("report");
  tcase_add_test(tcase, a_paper_is_one_page);
  tcase_add_test(tcase, all_papers_are_one_page);
  tcase_add_test(tcase, what_is_outside_is_said);
  tcase_add_test(tcase, stories_and_claims);
  tcase_add_loop_test(tcase, wrong_usage_is_said, 0, (int)(sizeof refusals / sizeof refusals[0]));
  suite_add_tcase(suite, tcase);
  return suite;
}
