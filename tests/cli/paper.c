// `routh paper`, seen from outside: every figure within its tolerances, from
// scenes that are those of the source tree; what the papers claim to be
// independent is; a wrong value is found out.
#include "program.h"
#include "reproduce/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scenes[] = {
#define RH_PAPER(paper)
#define RH_PAPER_SCENE(paper, name) #paper "/" #name ".yaml",
#define RH_PAPER_PROBLEMS(paper, name)
#define RH_PAPER_BOOK(paper, name)
#include "reproduce/scenes.def"
#undef RH_PAPER_BOOK
#undef RH_PAPER_PROBLEMS
#undef RH_PAPER_SCENE
#undef RH_PAPER
};

static const char *const problems[] = {
#define RH_PAPER(paper)
#define RH_PAPER_SCENE(paper, name)
#define RH_PAPER_PROBLEMS(paper, name) #paper "/" #name ".yaml",
#define RH_PAPER_BOOK(paper, name)
#include "reproduce/scenes.def"
#undef RH_PAPER_BOOK
#undef RH_PAPER_PROBLEMS
#undef RH_PAPER_SCENE
#undef RH_PAPER
};

enum {
  NSCENE = sizeof scenes / sizeof scenes[0],
  NPROBLEMS = sizeof problems / sizeof problems[0]
};

// "mo_12" -> "mo", "12"; "wk_s2_1_3" -> "wk", "s2.1.3"
static void split(const char *figure, char paper[8], char number[8])
{
  const char *bar = strchr(figure, '_');
  (void)snprintf(paper, 8, "%.*s", (int)(bar - figure), figure);
  (void)snprintf(number, 8, "%s", bar + 1);
  for (char *c = strchr(number, '_'); c != NULL; c = strchr(c, '_')) {
    *c = '.';
  }
}

START_TEST(figures_are_redone)
{
  char paper[8];
  char number[8];
  split(rh_figure_get(_i)->name, paper, number);
  // Sanitizers are slow: one figure of each kind is enough there. csc sVI.3 draws 10 000 groups of contacts, as unit_collide does; ch 5.2
  // walks, as unit_walk does.
  bool needed = rh_test_long() ||
                (!RH_TEST_SLOW && strcmp(rh_figure_get(_i)->name, "csc_sVI_3") != 0 &&
                 strcmp(rh_figure_get(_i)->name, "ch_5_2") != 0) ||
                strcmp(rh_figure_get(_i)->name, "mo_4") == 0 ||
                strcmp(rh_figure_get(_i)->name, "af_14") == 0 ||
                strcmp(rh_figure_get(_i)->name, "wk_2_1") == 0 ||
                strcmp(rh_figure_get(_i)->name, "wk_s2_1_3") == 0 ||
                strcmp(rh_figure_get(_i)->name, "ch_3_11") == 0 ||
                strcmp(rh_figure_get(_i)->name, "ch_s5") == 0 ||
                strcmp(rh_figure_get(_i)->name, "csc_3") == 0 ||
                strcmp(rh_figure_get(_i)->name, "csc_sVI_2") == 0;
  if (!needed) {
    return;
  }
  rh_folder_enter();
  rh_output output = routh("paper", paper, "--figure", number, "--no-picture", "--json");
  ck_assert_msg(output.exit_code == 0, "%s: exit status %d\n%.2000s%.1000s",
                rh_figure_get(_i)->name, output.exit_code, output.out, output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%.2000s", output.out);
  ck_assert_ptr_null(strstr(output.out, "\"within\": false"));
  ck_assert_ptr_nonnull(strstr(output.out, "\"got\": "));
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(scenes_are_sound)
{
  char path[512];
  (void)snprintf(path, sizeof path, "%s/scenes/papers/%s", ROUTH_SOURCE_DIR, scenes[_i]);
  rh_folder_enter();
  rh_output output = routh("check", path);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Every problem of the file has a solution, and one of two says what is expected.
START_TEST(problems_are_sound)
{
  char path[512];
  (void)snprintf(path, sizeof path, "%s/scenes/papers/%s", ROUTH_SOURCE_DIR, problems[_i]);
  char *text = rh_file_text(path, NULL);
  ck_assert_ptr_nonnull(text);
  ck_contains(text, "expected:");
  free(text);
  rh_folder_enter();
  rh_output output = routh("solve", path);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_ptr_null(strstr(output.out, "\"error\""));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// What [WK] claims and what holds stands beside the numbers; the order of events too.
START_TEST(claims_and_events_are_told)
{
  rh_folder_enter();
  rh_output output = routh("paper", "wk", "--figure", "s3.2", "--no-picture");
  ck_assert_msg(output.exit_code == 0, "%.2000s%.1000s", output.out, output.err);
  ck_contains(output.out, "wk sec. 3.2: ");
  ck_contains(output.out, "Poisson's never creates energy");
  ck_contains(output.out, "20000 random ones, energy created");
  rh_output_free(&output);
  output = routh("paper", "wk", "--figure", "2.1", "--no-picture");
  ck_assert_msg(output.exit_code == 0, "%.2000s%.1000s", output.out, output.err);
  const char *word[] = {"touch ", "impact ", "part ",  "more impacts",
                        "stick ", "slip ",   "stick ", "part "};
  const char *at = output.out;
  for (int i = 0; i < (int)(sizeof word / sizeof word[0]); i++) {
    const char *found = strstr(at, word[i]);
    ck_assert_msg(found != NULL, "no %s where it should be in:\n%s", word[i], output.out);
    at = found + 1;
  }
  rh_output_free(&output);
  // another friction: it rolls from another time on
  output = routh("paper", "wk", "--figure", "2.1", "--no-picture", "-s", "ground.mu_k=0.09");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "OUTSIDE");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// All 156 reference cases of [Ch] are in its files, those of computed torque twice (at one time, and along a run), and so within tolerance if the figures are; and those of [CSC] that are redone there: 6 arms,
// 14 runs of the peg and 8 rows of its metrics, 4 of limits, 3 of the linkage, 11 collisions; and 3 maps of stability. What is not (chains, damped, random groups, bookkeeping, single forces) is in
// ref_haptic, ref_haptic_map, unit_haptic and unit_track.
START_TEST(all_cases_are_there)
{
  static const struct {
    const char *folder;
    int cases;
  } papers[] = {{"ch/", 158}, {"csc/", 49}};

  static const char *const book[] = {
#define RH_PAPER(paper)
#define RH_PAPER_SCENE(paper, name)
#define RH_PAPER_PROBLEMS(paper, name) #paper "/" #name ".yaml",
#define RH_PAPER_BOOK(paper, name)     #paper "/" #name ".yaml",
#include "reproduce/scenes.def"
#undef RH_PAPER_BOOK
#undef RH_PAPER_PROBLEMS
#undef RH_PAPER_SCENE
#undef RH_PAPER
  };
  for (int p = 0; p < (int)(sizeof papers / sizeof papers[0]); p++) {
    const char *name = papers[p].folder;
    int cases = 0;
    for (int i = 0; i < (int)(sizeof book / sizeof book[0]); i++) {
      char path[512];
      (void)snprintf(path, sizeof path, "%s/scenes/papers/%s", ROUTH_SOURCE_DIR, book[i]);
      char *text = strncmp(book[i], name, strlen(name)) == 0 ? rh_file_text(path, NULL) : NULL;
      for (const char *at = text; at != NULL && (at = strstr(at, "- id: ")) != NULL; at++) {
        cases++;
      }
      free(text);
    }
    ck_assert_int_eq(cases, papers[p].cases);
  }
}

END_TEST

START_TEST(claims_of_ch)
{
  static const char *const told_of[][3] = {
      {"3.11", "Not on a rigid body", "far edge, without impact, after"},
      {"s3.2", "not in general", "rate kept, 16 points"},
      {"s5", "rank of J_c: 6 for one foot", "rank of J_c, 16 points on two feet, 48 rows"},
      {"s2.3", "infinitely many", "zeno_time"},
  };
  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof told_of / sizeof told_of[0]); i++) {
    rh_output output = routh("paper", "ch", "--figure", told_of[i][0], "--no-picture");
    ck_assert_msg(output.exit_code == 0, "%.2000s%.1000s", output.out, output.err);
    ck_contains(output.out, "  claim  ");
    ck_contains(output.out, told_of[i][2]);
    rh_output_free(&output);
    output =
        routh("paper", "ch", "--figure", told_of[i][0], "--no-picture", "--json"); // not wrapped
    ck_contains(output.out, told_of[i][1]);
    rh_output_free(&output);
  }
  // another friction: it does not clatter so
  rh_output output =
      routh("paper", "ch", "--figure", "3.10", "--no-picture", "-s", "ground.mu_k=0.3");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "OUTSIDE");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// [CSC]: claims that hold and such that do not are told; another wall is found out.
START_TEST(claims_of_csc)
{
  static const char *const told_of[][3] = {
      {"3", "a factor 1/2 is missing", "energy left by eq. 18 as printed"},
      {"sV", "four at most", "momentum after, eq. 13, 14, e = 1"},
      {"7", "not against the unilateral one", "closest to the unilateral ideal"},
      {"12", "unstable is meant", "bounces less, settles faster than PB"},
      {"sVI.2", "only with equal inertia", "the coupler gives no energy to the hand"},
  };
  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof told_of / sizeof told_of[0]) && !RH_TEST_SLOW; i++) {
    rh_output output = routh("paper", "csc", "--figure", told_of[i][0], "--no-picture", "--json");
    ck_assert_msg(output.exit_code == 0, "%.2000s%.1000s", output.out, output.err);
    ck_contains(output.out, told_of[i][1]);
    ck_contains(output.out, told_of[i][2]);
    rh_output_free(&output);
  }
  rh_output output = routh("paper", "csc", "--figure", "12", "--no-picture", "-s", "wall.k=1100");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "OUTSIDE");
  rh_output_free(&output);
  output = routh("paper", "csc", "--figure", "12", "--no-picture", "-s", "wall.none=1");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "'none'");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(pictures_of_csc)
{
  static const char *const figure[][2] = {
      {"3", "eq. 18 as printed"},       {"sV", "split law (13, 14)"}, {"7", "CB_uc"},
      {"8", "torque on the hand"},      {"9", "IAPB, saturated"},     {"11", "IAPB, spread"},
      {"sVI.1", "deepest penetration"}, {"sVI.2", "evaluated anew"},  {"sVII", "e = 0, split law"},
  };
  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof figure / sizeof figure[0]) && !RH_TEST_SLOW;
       i += rh_test_long() ? 1 : 3) {
    char file[32];
    rh_output output = routh("paper", "csc", "--figure", figure[i][0]);
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_assert_ptr_null(strstr(output.err, "line ")); // gnuplot does not complain
    (void)snprintf(file, sizeof file, "csc-%s.svg", figure[i][0]);
    char *picture = rh_file_text(file, NULL);
    ck_assert_ptr_nonnull(picture);
    ck_contains(picture, figure[i][1]);
    free(picture);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

START_TEST(pictures_of_ch)
{
  static const char *const figure[][2] = {
      {"2.2", "impact1-17: slips, and reverses"},
      {"2.5", "reference"},
      {"s2.3", "handed over to springs"},
      {"s2.5", "sign of Z repaired"},
      {"s2.7", "critical-07"},
      {"3.2", "16 points"},
      {"3.4", "m4"},
      {"3.5", "8 points, impact 1"},
      {"3.8", "9 points"},
      {"3.11", "8 points, impact 3"},
      {"3.14", "4 points, impact 6"},
      {"s3", "difference / allowed"},
      {"s3.2", "fixed-split"},
      {"4.1", "shoulder"},
      {"4.3", "eq. 4.1 as printed"},
      {"s4.3", "dls_ik-05"},
      {"s5", "34 degrees of freedom"},
  };
  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof figure / sizeof figure[0]) && !RH_TEST_SLOW;
       i += rh_test_long() ? 1 : 3) {
    char file[32];
    rh_output output = routh("paper", "ch", "--figure", figure[i][0]);
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_assert_ptr_null(strstr(output.err, "line ")); // gnuplot does not complain
    (void)snprintf(file, sizeof file, "ch-%s.svg", figure[i][0]);
    char *picture = rh_file_text(file, NULL);
    ck_assert_ptr_nonnull(picture);
    ck_contains(picture, figure[i][1]);
    free(picture);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

START_TEST(pictures_of_problems)
{
  static const char *const figure[][3] = {
      {"s2.1.2", "wk-s2.1.2.svg", "nine supports"},
      {"s2.1.3", "wk-s2.1.3.svg", "several"},
      {"3.1", "wk-3.1.svg", "two_a"},
      {"t3.1", "wk-t3.1.svg", "(d) sticks, restitution"},
      {"3.2", "wk-3.2.svg", "limiting friction F"},
      {"3.3", "wk-3.3.svg", "S, tangential"},
      {"s3.2", "wk-s3.2.svg", "two_d_gain"},
      {"4.1", "wk-4.1.svg", "Hertz"},
      {"s4.2", "wk-s4.2.svg", "Cattaneo"},
      {"s1.3", "wk-s1.3.svg", "k = 1e8 N/m"},
  };

  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof figure / sizeof figure[0]) && !RH_TEST_SLOW;
       i += rh_test_long() ? 1 : 3) {
    rh_output output = routh("paper", "wk", "--figure", figure[i][0]);
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_assert_ptr_null(strstr(output.err, "gnuplot")); // no complaint
    ck_assert_ptr_null(strstr(output.err, "line "));
    char *picture = rh_file_text(figure[i][1], NULL);
    ck_assert_ptr_nonnull(picture);
    ck_contains(picture, "<svg");
    ck_contains(picture, figure[i][2]);
    free(picture);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

START_TEST(the_program_carries_the_scenes_of_the_tree)
{
  rh_folder_enter();
  rh_output output = routh("paper", "af", "--figure", "13", "--print-scene");
  char *text = rh_file_text(ROUTH_SOURCE_DIR "/scenes/papers/af/fig13.yaml", NULL);
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_ptr_nonnull(text);
  ck_assert_str_eq(output.out, text);
  free(text);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// [MO] sec. 4.2: e depends on neither mass, stiffness nor exponent. The
// tolerances of the figure stay.
START_TEST(restitution_is_independent_of_mass_stiffness_and_exponent)
{
  rh_folder_enter();
  rh_output output = routh("paper", "mo", "--figure", "3", "--no-picture", "-s", "block.mass=7",
                           "-s", "ground.k=1e6", "-s", "ground.n=1.5");
  ck_assert_msg(output.exit_code == 0, "%.2000s%.1000s", output.out, output.err);
  ck_contains(output.out, "all within tolerance");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(what_is_outside_is_said)
{
  rh_folder_enter();
  rh_output output = routh("paper", "mo", "--figure", "4", "--no-picture", "-s", "ground.k=10001");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "OUTSIDE");
  ck_contains(output.out, "ok"); // e is still right
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(pictures)
{
  rh_folder_enter();
  rh_output output = routh("paper", "mo", "--figure", "4");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  char *picture = rh_file_text("mo-4.svg", NULL);
  ck_assert_ptr_nonnull(picture);
  ck_contains(picture, "<svg");
  ck_contains(picture, "penetration [mm]");
  ck_contains(picture, "force [N]");
  ck_contains(picture, "alpha 0.6 s/m");
  free(picture);
  rh_output_free(&output);
  output = routh("paper", "af", "--figure", "7", "--png", "-o", ".");
  ck_assert_int_eq(output.exit_code, 0);
  picture = rh_file_text("af-7.png", NULL);
  ck_assert_ptr_nonnull(picture);
  ck_assert_int_eq(strncmp(picture + 1, "PNG", 3), 0);
  free(picture);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(the_list)
{
  rh_folder_enter();
  rh_output output = routh("paper");
  ck_assert_int_eq(output.exit_code, 0);
  for (int i = 0; i < rh_figure_count(); i++) {
    char paper[8];
    char number[8];
    char line[32];
    split(rh_figure_get(i)->name, paper, number);
    (void)snprintf(line, sizeof line, "\n%s %s ", paper, number);
    ck_contains(output.out, line);
  }
  rh_output_free(&output);
  output = routh("list", "papers");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "\nmo ");
  ck_contains(output.out, "Azad & Featherstone: contact");
  for (int i = 0; i < rh_figure_count(); i++) {
    char paper[8];
    char number[8];
    char command[32];
    split(rh_figure_get(i)->name, paper, number);
    (void)snprintf(command, sizeof command, "%s --figure %s ", paper, number);
    ck_contains(output.out, rh_figure_get(i)->name);
    ck_contains(output.out, command);
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"paper", "om"}, 2, "there is no paper 'om'"},
    {{"paper", "mo", "--figure", "99"}, 2, "there is no figure of mo '99'; there are 2, 3"},
    {{"paper", "mo", "--figure", "x"}, 2, "there is no figure of mo 'x'"},
    {{"paper", "--figure", "2"}, 2, "needs the name of a paper"},
    {{"paper", "mo", "--print-scene"}, 2, "needs --figure"},
    {{"paper", "mo", "--figure", "4", "-o", "none"}, 5, "'none' is not a folder"},
    {{"paper", "mo", "--figure", "4", "-s", "ground.q=1"}, 3, "'q'"},
    {{"paper", "wk", "--figure", "3.4"}, 2, "there is no figure of wk '3.4'"},
    {{"paper", "wk", "--figure", "3.2", "-s", "ground.k=1"}, 2, "-s cannot be used"},
};

START_TEST(wrong_usage_is_said)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

Suite *rh_suite_cli_paper(void)
{
  Suite *suite = suite_create("cli_paper");
  TCase *tcase = tcase_create("paper");
  tcase_add_loop_test(tcase, figures_are_redone, 0, rh_figure_count());
  tcase_add_loop_test(tcase, scenes_are_sound, 0, NSCENE);
  tcase_add_loop_test(tcase, problems_are_sound, 0, NPROBLEMS);
  tcase_add_test(tcase, claims_and_events_are_told);
  tcase_add_test(tcase, pictures_of_problems);
  tcase_add_test(tcase, all_cases_are_there);
  tcase_add_test(tcase, claims_of_ch);
  tcase_add_test(tcase, pictures_of_ch);
  tcase_add_test(tcase, claims_of_csc);
  tcase_add_test(tcase, pictures_of_csc);
  tcase_add_test(tcase, the_program_carries_the_scenes_of_the_tree);
  tcase_add_test(tcase, restitution_is_independent_of_mass_stiffness_and_exponent);
  tcase_add_test(tcase, what_is_outside_is_said);
  tcase_add_test(tcase, pictures);
  tcase_add_test(tcase, the_list);
  tcase_add_loop_test(tcase, wrong_usage_is_said, 0, (int)(sizeof refusals / sizeof refusals[0]));
  suite_add_tcase(suite, tcase);
  return suite;
}
