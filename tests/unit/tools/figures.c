// unit_figures.c: figures of papers from YAML: what is read, and what is refused, each with its place.
#include "test.h"

#include "reproduce/figure.h"

#include <stdio.h>
#include <string.h>

#define HEAD  "paper: mo\ncite: '[MO]'\ndoc: text\nfigures:\n"
#define PLAIN HEAD "- {figure: '1', title: a, scene: fig2}\n"
#define RUNS                                                                                       \
  HEAD "- figure: '1'\n  title: a\n  scene: fig2\n  reference: a book\n  runs:\n"                  \
       "  - {label: slow, set: [fall.v=1]}\n  - {label: fast, set: [fall.v=2]}\n"

typedef struct read_text {
  rh_diag *diag;
  rh_figures figures;
  rh_status status;
} read_text;

static read_text read_figures(const char *text)
{
  const unsigned long bytes = strlen(text);
  const rh_scene_text from = {"f.yaml", text, &bytes};
  read_text r = {.diag = rh_diag_create()};
  ck_assert_ptr_nonnull(r.diag);
  r.status = rh_figures_read(&from, r.diag, &r.figures);
  return r;
}

static void end_reading(read_text *r)
{
  rh_figures_free(&r->figures);
  rh_diag_destroy(r->diag);
}

START_TEST(values_are_read)
{
  read_text r = read_figures(
      RUNS "  sweep: {set: fall.v, from: 1, to: 8, n: 4, log: yes, measure: restitution}\n"
           "  panels:\n  - {x: v, x_unit: m/s, y: e, y_range: [0, auto], log_x: yes}\n"
           "  traces:\n  - {panel: 1, axis: right}\n"
           "  numbers:\n  - {run: fast, name: e, at: 2, expect: 0.5, relative: 1e-6}\n"
           "  - {name: slope, curve: slope, expect: -1, absolute: 1e-3}\n"
           "  claim: it holds\n  claim_holds: partly\n"
           "- {figure: s2.1, title: b, scene: fig3, problems: book, fixed: yes,\n"
           "   series: [a.q, b.q], reference: r, measure: ch_ranks, picture: {draw: ch_ranks, "
           "height: 400},\n"
           "   expected: [{curve: a, name: b, expect: 2, absolute: 1e-3},\n"
           "     {curve: a, name: c, holds: yes}]}\n");
  ck_assert_msg(r.status == RH_OK, "%s", rh_diag_get(r.diag, 0).text);
  ck_assert_int_eq(r.figures.n, 2);
  ck_assert_str_eq(r.figures.cite, "[MO]");
  const rh_figure *f = &r.figures.figure[0];
  ck_assert_str_eq(f->name, "mo_1");
  ck_assert_str_eq(f->scene.path, "scenes/papers/mo/fig2.yaml");
  ck_assert_int_eq(f->claim_holds, RH_CLAIM_PARTLY);
  ck_assert_str_eq(f->run[1].set[0], "fall.v=2");
  ck_assert_ptr_null(f->run[2].label);
  ck_assert(f->sweep.log && f->sweep.n == 4 && f->sweep.value == rh_measure_restitution);
  ck_assert(f->panel[0].y_lo == 0 && f->panel[0].y_hi == HUGE_VAL);
  ck_assert_str_eq(f->panel[0].y_unit, "");
  ck_assert(f->ntrace == 1 && f->trace[0].run == RH_NONE && f->trace[0].axis == 1);
  ck_assert(f->nnumber == 2 && f->number[0].run == 1 && f->number[0].want == 0.5);
  ck_assert(f->number[1].of_sweep == rh_sweep_slope && f->number[1].run == 0);
  f = &r.figures.figure[1];
  ck_assert_str_eq(f->name, "mo_s2_1");
  ck_assert(f->problems == RH_PROBLEMS_BOOK && f->fixed && f->nseries == 2 && f->height == 400);
  ck_assert(f->more == rh_find_ch_ranks && f->program == rh_draw_ch_ranks);
  ck_assert(f->nexpected == 2 && f->expected[0].want == 2 && f->expected[0].absolute == 1e-3);
  ck_assert(isnan(f->expected[1].want) && f->expected[1].holds);
  end_reading(&r);
}

END_TEST

static const struct {
  const char *text;
  int line, column;
  const char *error;
} bad[] = {
    {"- a\n", 1, 1, "a paper must be a map, got a list"},
    {"paper: mo\ncite: x\nfigures: []\n", 1, 1, "a paper: doc is missing"},
    {"paper: mo\ncite: x\ndoc: y\nfigures: []\n", 4, 10, "figures must be a list of figures"},
    {HEAD "- 3\n- {figure: a}\n", 5, 3, "a figure must be a map, got text"},
    {HEAD "- {figure: '1', titel: a, scene: fig2}\n", 5, 17,
     "unknown key of a figure 'titel'; did you mean 'title'?"},
    {HEAD "- {figure: '1', scene: fig2}\n", 5, 3, "a figure: title is missing"},
    {HEAD "- {figure: '1', title: a, scene: fig99}\n", 5, 34,
     "scenes/papers/mo/fig99.yaml is not in scenes.def"},
    {PLAIN "- {figure: '1', title: b, scene: fig2}\n", 6, 3, "there is another figure '1'"},
    {HEAD "- {figure: '1', title: a, scene: fig2, claim: b}\n", 5, 3,
     "claim and claim_holds go together"},
    {HEAD "- {figure: '1', title: a, scene: fig2, reference: b}\n", 5, 3,
     "expected numbers and their reference, where they are from, go together"},
    {HEAD
     "- {figure: '1', title: a, scene: fig2, measure: ch_ranks, expected: [{curve: a, name: b, "
     "expect: 1}]}\n",
     5, 3, "expected numbers and their reference, where they are from, go together"},
    {HEAD "- {figure: '1', title: a, scene: fig2, fixed: perhaps}\n", 5, 47,
     "fixed must be yes or no"},
    {HEAD "- {figure: '1', title: a, scene: fig2, problems: sovle}\n", 5, 50,
     "unknown problems 'sovle'; did you mean 'solve'?"},
    {HEAD "- {figure: '1', title: a, scene: fig2, measure: ch_rank}\n", 5, 49,
     "unknown measure of a figure 'ch_rank'; did you mean 'ch_ranks'?"},
    {HEAD "- {figure: '1', title: a, scene: fig2, picture: {draw: ch_ranks}}\n", 5, 49,
     "a picture: height is missing"},
    {RUNS "  - {label: fast}\n", 12, 5, "there is another run 'fast'"},
    {RUNS "  - {label: x, set: fall.v=1}\n", 12, 21, "set must be a list of at most 6 texts"},
    {RUNS "  panels:\n  - {x: a, y: b, y_range: [1, 0]}\n", 13, 27, "y_range must rise"},
    {RUNS "  panels:\n  - {x: a, y: b}\n  traces:\n  - {panel: 2, x: t, y: a.q}\n", 15, 5,
     "there is no panel 2"},
    {RUNS "  panels:\n  - {x: a, y: b}\n  traces:\n  - {x: t}\n", 15, 5,
     "a trace has x and y, and none of them in a sweep"},
    {RUNS "  sweep: {set: a.q, from: 0, to: 1, n: 1000, measure: peak}\n", 12, 10,
     "n must be from 2 to 64, and from > 0 with log"},
    {RUNS "  numbers:\n  - {run: fats, name: e, measure: peak, expect: 1}\n", 13, 11,
     "unknown run 'fats'; did you mean 'fast'?"},
    {RUNS "  numbers:\n  - {name: e, measure: restituton, expect: 1}\n", 13, 24,
     "unknown measure 'restituton'; did you mean 'restitution'?"},
    {RUNS "  numbers:\n  - {name: e, measure: peak, expect: 1}\n", 13, 5,
     "a number: of is missing"},
    {RUNS "  numbers:\n  - {name: e, measure: falling, of: a.q, expect: 1}\n", 13, 5,
     "a number: by is missing"},
    {RUNS "  numbers:\n  - {name: e, measure: event, event: inpact, expect: 1}\n", 13, 38,
     "unknown event 'inpact'; did you mean 'impact'?"},
    {RUNS "  numbers:\n  - {name: e, expect: 1}\n", 13, 5, "a number: measure is missing"},
    {RUNS "  numbers:\n  - {name: e, measure: touches, expect: many}\n", 13, 41,
     "expect must be a number, got 'many'"},
    {RUNS "  numbers:\n  - {name: e, measure: touches, which: 0, expect: 1}\n", 13, 40,
     "which must be a whole number from 1 on"},
    {RUNS "  numbers:\n  - {name: e, curve: slope, measure: touches, expect: 1}\n", 13, 5,
     "curve is for a sweep"},
    {HEAD "- {figure: '1', title: a, scene: fig2, reference: r,\n   expected: [{curve: a, name: b, "
          "expect: 1}]}\n",
     5, 3, "expected is of numbers that a measure finds: measure is missing"},
    {HEAD "- {figure: '1', title: a, scene: fig2, measure: ch_ranks,\n"
          "   expected: [{curve: a, name: b}]}\n",
     6, 15, "expect (a number) or holds (a claim), one of them"},
    {HEAD "- {figure: '1', title: a, scene: fig2, measure: ch_ranks,\n"
          "   expected: [{curve: a, name: b, expect: 1, holds: yes}]}\n",
     6, 15, "expect (a number) or holds (a claim), one of them"},
    {HEAD "- {figure: '1', title: a, scene: fig2, measure: ch_ranks, expected:\n"
          "   [{curve: a, name: b, expect: 1}, {curve: a, name: b, holds: no}]}\n",
     6, 37, "'a', 'b' is expected twice"},
};

// A number that nobody expects, a claim in place of a number, and a row that nothing meets.
START_TEST(numbers_meet_their_rows)
{
  rh_expected row[] = {{.curve = "a", .name = "b", .want = 2, .absolute = 0.1, .relative = 0.1},
                       {.curve = "a", .name = "c", .want = (double)NAN, .holds = true}};
  rh_figure figure = {.paper = "mo", .label = "1", .expected = row, .nexpected = 2};
  rh_redone redone = {.figure = &figure, .within = true};
  ck_assert_int_eq(rh_redone_number(&redone, "a", "x", 2), RH_STOPPED);
  ck_assert_int_eq(rh_redone_number(&redone, "a", "c", 1), RH_STOPPED);
  ck_assert_int_eq(rh_redone_claim(&redone, "a", "b", true), RH_STOPPED);
  ck_assert_int_eq(rh_redone_number(&redone, "a", "b", 2.29), RH_OK);
  ck_assert(redone.within);
  ck_assert_int_eq(rh_redone_complete(&redone), RH_STOPPED);
  ck_assert_int_eq(rh_redone_claim(&redone, "a", "c", false), RH_OK);
  ck_assert(!redone.within);
  ck_assert_int_eq(rh_redone_complete(&redone), RH_OK);
  rh_redone_free(&redone);
}

END_TEST

START_TEST(errors_have_places)
{
  read_text r = read_figures(bad[_i].text);
  ck_assert_int_eq(r.status, RH_INPUT_REFUSED);
  ck_assert_int_ge(rh_diag_count(r.diag, RH_ERROR), 1);
  rh_message m = rh_diag_get(r.diag, 0);
  ck_assert_str_eq(m.text, bad[_i].error);
  ck_assert_str_eq(m.place.file, "f.yaml");
  ck_assert_int_eq(m.place.line, bad[_i].line);
  ck_assert_int_eq(m.place.column, bad[_i].column);
  end_reading(&r);
}

END_TEST

// All errors of a file at once.
START_TEST(errors_are_all_reported)
{
  read_text r =
      read_figures(HEAD "- {figure: '1', scene: fig99}\n- {figure: '2', title: 3, scene: fig2, "
                        "a: 1, runs: 3}\n");
  ck_assert_int_eq(r.status, RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(r.diag, RH_ERROR), 4);
  end_reading(&r);
}

END_TEST

START_TEST(papers_of_the_program)
{
  ck_assert_int_eq(rh_papers_load(), RH_OK);
  ck_assert_int_eq(rh_paper_count(), 5);
  ck_assert_int_ge(rh_figure_count(), 72);
  for (int i = 0; i < rh_figure_count(); i++) {
    const rh_figure *f = rh_figure_get(i);
    bool numbers = f->nnumber > 0 || f->problems != RH_PROBLEMS_NONE || f->more != NULL;
    bool drawn = f->program != NULL || f->ntrace > 0;
    ck_assert_msg(numbers && drawn, "%s has no numbers or no picture", f->name);
  }
  rh_papers_free();
}

END_TEST

Suite *rh_suite_unit_figures(void)
{
  Suite *suite = suite_create("unit_figures");
  TCase *tcase = tcase_create("figures");
  tcase_add_test(tcase, values_are_read);
  tcase_add_loop_test(tcase, errors_have_places, 0, (int)(sizeof bad / sizeof bad[0]));
  tcase_add_test(tcase, errors_are_all_reported);
  tcase_add_test(tcase, numbers_meet_their_rows);
  tcase_add_test(tcase, papers_of_the_program);
  suite_add_tcase(suite, tcase);
  return suite;
}
