// ref_planar_lcp.c: complementarity problems of mechanisms, all modes of friction, Painleve's rod: the independent reference
// numbers (tests/data/planar_lcp.yaml), each posed as a problem and compared value by value, words and nulls too, within
// the tolerance that stands beside it.
#include "expected.h"
#include "solved.h"

START_TEST(all_entries)
{
  int entries = 15 + 19 + 4 + 4 + 2 + 2; // by kind
  ck_assert_int_gt(compare_file("tests/data/planar_lcp.yaml", entries, NULL), 1000);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *problem, *words;
  } bad[] = {
      {"kind: lcp, inputs: {b: [1]}", "input 'A' is missing"},
      {"kind: lcp, inputs: {A: [[1, 2], [3]], b: [1, 2]}", "A[1] must have 2 numbers, got 1"},
      {"kind: lcp, inputs: {A: [[1, 2]], b: [1, 2]}", "A must have 2 entries, got 1"},
      {"kind: lcp, inputs: {A: 3, b: [1]}", "A must be a list"},
      {"kind: lcp, inputs: {A: [[1]], b: []}", "b must have 1 to 200 entries, got 0"},
      {"kind: lcp, inputs: {A: [[1e999]], b: [1]}", "A[0]"},
      {"kind: lcp, inputs: {A: [[1e31]], b: [1]}", "A[0][0] must lie in [-1e30, 1e30], got 1e+31"},
      {"kind: lcp, inputs: {A: [[1]], b: [1], solver: lemkee}", "did you mean 'lemke'?"},
      {"kind: lcp, inputs: {A: [[1]], b: [1], solver: active-set}", "not solved by 'active-set'"},
      {"kind: cone, inputs: {W: [[1]], b: [1], mu: 1}",
       "b must have three numbers per contact, got 1"},
      {"kind: cone, inputs: {W: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], b: [1, 2, 3], mu: -1}",
       "mu[0] must be 0 to 1e6"},
      {"kind: cone, inputs: {W: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], b: [1, 2, 3], mu: 1, slide: "
       "[[1, 1]]}",
       "slide[0] must have length 1"},
      {"kind: lcp_frictionless, inputs: {M: [[1, 2], [3, 4]], G: [[1], [1]], b: [1, 1]}",
       "M must be symmetric"},
      {"kind: lcp_frictionless, inputs: {M: [[1, 2], [2, 1]], G: [[1], [1]], b: [1, 1]}",
       "M must be positive definite"},
      {"kind: lcp_frictionless, inputs: {M: [[1]], G: [[1], [1]], b: [1]}",
       "G must have 1 entry, got 2"},
      {"kind: multi_impact_frictionless, inputs: {M: [[1]], G: [[1]], v0: [1]}",
       "input 'e' is missing"},
      {"kind: multi_impact_frictionless, inputs: {M: [[1]], G: [[1]], v0: [1], e: 2}",
       "e must lie in [0, 1]"},
      {"kind: friction_modes, inputs: {M: [[1]], b: [1], Jn: [[1]], Jt: [[0]], mu_s: 1, slip: "
       "[0.5]}",
       "slip[0] must be -1, 0 or 1"},
      {"kind: friction_modes, inputs: {M: [[1]], b: [1], Jn: [[1]], Jt: [[0]], mu_s: 1, mu_k: 2}",
       "mu_k must be at most mu_s"},
      {"kind: friction_modes, inputs: {M: [[1]], b: [1], Jn: [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
       "1]], Jt: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], mu_s: 1}",
       "Jn must have 1 to 12 columns, got 13"},
      {"kind: friction_modes, inputs: {M: [[1]], b: [1], Jn: [[1]], Jt: [[0]], Jt2: [[0]], mu_s: "
       "1, "
       "facets: 6}",
       "facets must be a multiple of 4"},
      {"kind: painleve_rod, inputs: {m: 1, l: 1, theta: 1}", "input 'mu' is missing"},
      {"kind: painleve_rod, inputs: {m: 0, l: 1, theta: 1, mu: 1}", "m must be > 0 kg"},
      {"kind: painleve_rod, inputs: {m: 1, l: 1, theta: 1, mu: 1, slip_sign: 0}",
       "slip_sign must be -1 or 1"},
      {"kind: painleve_grid, inputs: {m: 1, l: 1, theta: [1], mu: [-1], omega: [0]}",
       "mu[0] must be >= 0"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    check_refused(bad[i].problem, bad[i].words);
  }
}

END_TEST

Suite *rh_suite_ref_planar_lcp(void)
{
  Suite *suite = suite_create("ref_planar_lcp");
  TCase *tests = tcase_create("planar");
  tcase_add_test(tests, all_entries);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
