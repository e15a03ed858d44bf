// ref_planar_impact.c: the kinds of problem planar_impact and generalized_impact: 162 reference impacts, the balances of
// momentum of two bodies, other frames, and what is refused with which words.
#include "answers.h"
#include "solved.h"
#include "world.h"

#define ABSOLUTE 1e-11 // as the reference numbers are given
#define RELATIVE 1e-9

// Numbers within their tolerance; words, flags and null exactly.
static void check_value(const answers *a, int index, int want, int got, const char *key)
{
  const char *id = answers_id(a, index);
  ck_assert_msg(got != RH_NONE, "%s has no %s", id, key);
  bool text = strcmp(key, "case") == 0;
  const char *word =
      a->posed.node[want].kind == RH_NODE_SCALAR ? rh_yaml_text(&a->posed, want) : "";
  text =
      text || strcmp(word, "true") == 0 || strcmp(word, "false") == 0 || strcmp(word, "null") == 0;
  if (text) {
    const char *answer = rh_yaml_text(&a->answered, got);
    ck_assert_msg(strcmp(word, answer) == 0, "%s %s is %s, not %s", id, key, answer, word);
    return;
  }
  double x[6];
  double y[6];
  char why[RH_TEST_WHY_MAX];
  const double tolerance[2] = {ABSOLUTE, RELATIVE};
  int n = tree_numbers(&a->posed, want, x, 6);
  ck_assert_int_eq(tree_numbers(&a->answered, got, y, 6), n);
  ck_assert_msg(rh_test_near(key, y, x, n, tolerance, why), "%s: %s", id, why);
}

START_TEST(reference)
{
  answers *a = answers_open("tests/data/planar_impacts.yaml");
  int compared = 0;
  ck_assert_int_eq(answers_count(a), 162);
  for (int i = 0; i < answers_count(a); i++) {
    int expected = rh_yaml_find(&a->posed, answers_entry(a, i), "expected");
    int answer = rh_yaml_find(&a->answered, a->map, answers_id(a, i));
    for (int node = a->posed.node[expected].first; node != RH_NONE;
         node = a->posed.node[node].next) {
      const char *key = rh_yaml_text(&a->posed, a->posed.node[node].key);
      check_value(a, i, node, rh_yaml_find(&a->answered, answer, key), key);
      compared++;
    }
  }
  ck_assert_int_eq(compared, 162 * 20);
  answers_close(a);
}

END_TEST

// ---- Two bodies

typedef struct pair {
  double body[2][7]; // m, I, x, y, vx, vy, w
  double point[2], normal[2];
  double mu, e;
  int law;
} pair;

static pair random_pair(rng *r)
{
  pair p = {.mu = rng_in(r, 0, 1.5), .e = rng_in(r, 0, 1), .law = rng_int(r, 3)};
  double angle = rng_in(r, -3.1, 3.1);
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < 7; i++) {
      p.body[b][i] = i < 2 ? rng_in(r, 0.1, 3) : rng_in(r, -2, 2);
    }
  }
  p.normal[0] = -sin(angle);
  p.normal[1] = cos(angle);
  p.point[0] = rng_in(r, -1, 1);
  p.point[1] = rng_in(r, -1, 1);
  return p;
}

static int put_pair(char *text, size_t size, const char *id, const pair *p, const int order[2])
{
  static const char *const law[] = {"newton", "poisson", "stronge"};
  int used = snprintf(text, size, "- {id: %s, kind: planar_impact, inputs: {", id);
  for (int k = 0; k < 2; k++) {
    const double *b = p->body[order[k]];
    used += snprintf(
        text + used, size - (size_t)used,
        "body%d: {m: %.17g, I: %.17g, x: %.17g, y: %.17g, vx: %.17g, vy: %.17g, w: %.17g},\n",
        k + 1, b[0], b[1], b[2], b[3], b[4], b[5], b[6]);
  }
  double sign = order[0] == 0 ? 1 : -1;
  used += snprintf(
      text + used, size - (size_t)used,
      "point: [%.17g, %.17g], normal: [%.17g, %.17g], mu_k: %.17g, e: %.17g, law: %s}}\n",
      p->point[0], p->point[1], sign * p->normal[0], sign * p->normal[1], p->mu, p->e, law[p->law]);
  return used;
}

// Linear momentum, and angular momentum about the origin: that of the centres counts.
static void momentum(const pair *p, const double *v, double total[3])
{
  memset(total, 0, 3 * sizeof(*total));
  for (int b = 0; b < 2; b++) {
    const double *q = p->body[b];
    const double *u = v + 3 * b;
    total[0] += q[0] * u[0];
    total[1] += q[0] * u[1];
    total[2] += q[1] * u[2] + q[0] * (q[2] * u[1] - q[3] * u[0]);
  }
}

static double energy(const pair *p, const double *v)
{
  double T = 0;
  for (int b = 0; b < 2; b++) {
    const double *q = p->body[b];
    const double *u = v + 3 * b;
    T += 0.5 * (q[0] * (u[0] * u[0] + u[1] * u[1]) + q[1] * u[2] * u[2]);
  }
  return T;
}

// What one body gets the other gives; who is called body 1 does not matter; T0 and T1 are those of the bodies.
START_TEST(two_bodies)
{
  rng r = {21};
  int hits = 0;
  for (int i = 0; i < 500; i++) {
    static const int as_is[2] = {0, 1};
    static const int swapped[2] = {1, 0};
    char text[4096];
    pair p = random_pair(&r);
    int used = put_pair(text, sizeof(text), "x", &p, as_is);
    (void)put_pair(text + used, sizeof(text) - (size_t)used, "y", &p, swapped);
    solved s = solve(text);
    ck_assert_msg(s.status == RH_OK, "%s", s.json);
    double v0[6];
    double v[6];
    double other[6];
    double before[3];
    double after[3];
    ck_assert_int_eq(output(&s, "x", "v", v, 6), 6);
    ck_assert_int_eq(output(&s, "y", "v", other, 6), 6);
    memcpy(v0, p.body[0] + 4, 3 * sizeof(double));
    memcpy(v0 + 3, p.body[1] + 4, 3 * sizeof(double));
    momentum(&p, v0, before);
    momentum(&p, v, after);
    near_array(after, before, 3, 1e-10,
               0); // momenta are of order ten; impulses of some hundred at most
    near_array(other, v + 3, 3, 1e-9, 1e-9);
    near_array(other + 3, v, 3, 1e-9, 1e-9);
    near_abs(number(&s, "x", "T0"), energy(&p, v0), 1e-12);
    near_number_("T1", number(&s, "x", "T1"), energy(&p, v), 1e-10, 1e-10);
    hits += number(&s, "x", "P_n") > 0;
    done(&s);
  }
  ck_assert_int_gt(hits, 150);
}

END_TEST

// ---- Reading

#define BODY  "body1: {m: 1, I: 0.1, x: 0.3, y: 0.4, vy: -1}"
#define REST  ", point: [0, 0], mu_k: 0.3, e: 0.5, law: newton"
#define MECH  "M: [[2, 0.1], [0.1, 1]], Jt: [1, 0.2], Jn: [0.1, 1], v0: [0, -1]"
#define REST2 ", mu_k: 0.3, e: 0.5, law: newton"

static solved ask(const char *kind, const char *inputs)
{
  char text[2048];
  (void)snprintf(text, sizeof(text), "- {id: x, kind: %s, inputs: {\n%s}}\n", kind, inputs);
  return solve(text);
}

START_TEST(defaults_and_units)
{
  solved a = ask("planar_impact", BODY REST);
  solved b =
      ask("planar_impact",
          "body1: {m: 1000 g, I: 0.1, x: 30 cm, y: 0.4 m, vx: 0, vy: -100 cm/s, w: 0}, body2: ~, "
          "normal: [0, 7], point: [0, 0], mu_k: 0.3, mu_s: 0.3, e: 0.5, law: newton");
  ck_assert_int_eq(a.status, RH_OK);
  ck_assert_msg(b.status == RH_OK, "%s", b.json);
  near_rel(number(&b, "x", "P_n"), number(&a, "x", "P_n"), 1e-15);
  done(&a);
  done(&b);
  // A mechanism of one body is that body.
  a = ask("planar_impact", BODY REST);
  b = ask("generalized_impact", "M: [[1, 0, 0], [0, 1, 0], [0, 0, 0.1]], Jt: [1, 0, 0.4], Jn: [0, "
                                "1, -0.3], v0: [0, -1, 0]" REST2);
  ck_assert_int_eq(b.status, RH_OK);
  static const char *const same[] = {"P_t", "P_n", "P_c", "S_f", "C_f", "D_n", "D_t", "T0", "T1"};
  for (int i = 0; i < (int)(sizeof(same) / sizeof(same[0])); i++) {
    near_number_(same[i], number(&b, "x", same[i]), number(&a, "x", same[i]), 1e-14, 1e-13);
  }
  done(&a);
  done(&b);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *kind, *inputs, *words;
  } bad[] = {
      {"planar_impact", "point: [0, 0], mu_k: 0.3, e: 0.5, law: newton", "'body1' is missing"},
      {"planar_impact", "body1: ~" REST, "'body1' is missing"},
      {"planar_impact", "body1: [1]" REST,
       "body1 must be a map {m, I, x, y, vx, vy, w}, got a list"},
      {"planar_impact", "body1: {m: 1, I: 1, x: 0}" REST, "'y' is missing"},
      {"planar_impact", "body1: {m: 0, I: 1, x: 0, y: 0}" REST, "m must be > 0 kg, got 0"},
      {"planar_impact", "body1: {m: 1, I: -1, x: 0, y: 0}" REST, "I must be > 0"},
      {"planar_impact", "body1: {m: 1, I: 1, x: 0, y: 0, wz: 1}" REST,
       "unknown key of a body 'wz'; did you mean 'w'?"},
      {"planar_impact", BODY ", mu_k: 0.3, e: 0.5, law: newton", "'point' is missing"},
      {"planar_impact", BODY ", normal: [0, 0]" REST, "normal must have a direction"},
      {"planar_impact", BODY ", normal: [0, 1, 2]" REST, "normal must have 2 numbers, got 3"},
      {"planar_impact", BODY ", mu_s: 0.2" REST, "mu_s must be at least mu_k = 0.3, got 0.2"},
      {"planar_impact", BODY ", point: [0, 0], mu_k: -1, e: 0.5, law: newton", "mu_k must be"},
      {"planar_impact", BODY ", point: [0, 0], mu_k: 1, e: 1.5, law: newton",
       "e must lie in [0, 1], got 1.5"},
      {"planar_impact", BODY ", point: [0, 0], mu_k: 1, e: 1, law: newtn",
       "unknown impact law 'newtn'; did you mean 'newton'?"},
      {"planar_impact", BODY ", point: [0, 0], mu_k: 1, e: 1", "'law' is missing"},
      {"planar_impact", BODY ", point: [0, 0], e: 1, law: newton", "'mu_k' is missing"},
      {"planar_impact", "body1: {m: 1e-300, I: 1e-300, x: 1e12, y: 1e12}" REST, "too large"},
      {"generalized_impact", MECH, "'law' is missing"},
      {"generalized_impact", "M: 3, Jt: [1], Jn: [1], v0: [1]" REST2,
       "M must be a list of 1 to 200"},
      {"generalized_impact", "M: [], Jt: [1], Jn: [1], v0: [1]" REST2,
       "M must be a list of 1 to 200"},
      {"generalized_impact", "M: [[1]], Jt: [1], Jn: [1], v0: [1]" REST2,
       "its inertia J M^-1 J' is singular"},
      {"generalized_impact", "M: [[1, 0], [0, 1]], Jt: [1, 0], Jn: [1], v0: [1, 1]" REST2,
       "Jn must have 2 numbers"},
      {"generalized_impact", "M: [[1, 0], [0]], Jt: [1, 0], Jn: [1, 1], v0: [1, 1]" REST2,
       "M[1] must have 2 numbers"},
      {"generalized_impact", "M: [[1, 0], [1, 3]], Jt: [1, 0], Jn: [1, 1], v0: [1, 1]" REST2,
       "M must be symmetric"},
      {"generalized_impact", "M: [[1, 2], [2, 1]], Jt: [1, 0], Jn: [1, 1], v0: [1, 1]" REST2,
       "M must be positive definite"},
      {"generalized_impact", "M: [[1, 0], [0, 1]], Jt: [1, 0], Jn: [2, 0], v0: [1, 1]" REST2,
       "singular"},
      {"generalized_impact", "M: [[1, 0], [0, 1]], Jt: [1, 0], Jn: [0, 0], v0: [1, 1]" REST2,
       "singular"},
  };

  for (int i = 0; i < (int)(sizeof(bad) / sizeof(bad[0])); i++) {
    solved s = ask(bad[i].kind, bad[i].inputs);
    ck_assert_int_ne(s.status, RH_OK);
    ck_assert_msg(strstr(error_of(&s, "x"), bad[i].words) != NULL, "'%s' gives '%s'", bad[i].inputs,
                  error_of(&s, "x"));
    done(&s);
  }
}

END_TEST

Suite *rh_suite_ref_planar_impact(void)
{
  Suite *suite = suite_create("ref_planar_impact");
  TCase *tests = tcase_create("problems");
  tcase_add_test(tests, reference);
  tcase_add_test(tests, two_bodies);
  tcase_add_test(tests, defaults_and_units);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
