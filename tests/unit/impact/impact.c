// unit_impact.c: planar impacts: the walk along Routh's path against the formulas of [WK] ch. 3 as docs/errata.md corrects
// them, against an integration along the impulse, and against what must hold for any impact.
#include "impacts.h"

#include <float.h>

enum { NEWTON, POISSON, STRONGE, LAWS };

static const rh_impact_law *law_of(int i)
{
  static const char *const name[LAWS] = {"newton", "poisson", "stronge"};
  const rh_impact_law *law = rh_impact_law_find(name[i]);
  ck_assert_ptr_nonnull(law);
  return law;
}

static rh_planar_out impact(int law, const rh_planar_in *in)
{
  rh_planar_out out;
  rh_planar_impact(law_of(law), in, &out);
  return out;
}

#define SAID(in, law)                                                                              \
  "%s: K %.17g %.17g %.17g, S0 %.17g, C0 %.17g, mu %.17g %.17g, e %.17g", law_of(law)->row.name,   \
      (in)->Ktt, (in)->Knn, (in)->Ktn, (in)->S0, (in)->C0, (in)->mu_s, (in)->mu_k, (in)->e

static bool close_to(double got, double want, double allowed)
{
  return fabs(got - want) <= allowed;
}

// ---- Formulas of the cases

typedef struct
    masses { // reciprocals of [WK]'s effective masses: C = C0 - P/m_y, S = S0 - j mu P/m_x
  double j, mu;
  double y_slide;         // 1/m_y^+
  double y_after;         // 1/m_y^- in (a), (b); 1/m_y^sigma in (c), (d)
  double x_slide, x_back; // 1/m_x^+, 1/m_x^-
} masses;

static masses masses_of(const rh_planar_in *in, bool sticks)
{
  double j = in->S0 > 0 ? 1 : -1;
  double mu = in->mu_k;
  return (masses){.j = j,
                  .mu = mu,
                  .y_slide = -(in->Knn - j * mu * in->Ktn),
                  .y_after = sticks ? -(in->Knn - in->Ktn * in->Ktn / in->Ktt)
                                    : -(in->Knn + j * mu * in->Ktn),
                  .x_slide = in->Ktt - j * in->Ktn / mu,
                  .x_back = in->Ktt + j * in->Ktn / mu};
}

typedef struct formulas {
  double Ps, Pc, PT, Sf, Cf, Dn, Dt;
} formulas;

// [WK] 3.13-3.19 corrected: the total impulse.
static double total_of(int law, const rh_planar_in *in, const masses *m, double Ps, double Pc,
                       rh_planar_case kind)
{
  double e = in->e;
  double C0 = in->C0;
  double a = C0 - Ps * m->y_slide; // C where slip stops
  bool early = kind == RH_CASE_A || kind == RH_CASE_C;
  if (law == POISSON) {
    return (1 + e) * Pc; // 3.16b
  }
  if (kind == RH_CASE_E) {
    double cm = C0 / m->y_slide;
    return law == NEWTON
               ? (1 + e) * cm // 3.15
               : 0.5 *
                     (cm + Pc + sqrt((cm + Pc) * (cm + Pc) - 4 * (1 - e * e) * cm * Pc)); // 3.19b*
  }
  if (law == NEWTON) {
    return (1 + e) * C0 / m->y_after - m->y_slide / m->y_after * Ps + Ps; // 3.13, 3.14
  }
  if (early) {
    return Pc + e * sqrt((Pc - Ps) * (C0 * Ps + C0 * Pc - Ps * Pc * m->y_slide) / a); // 3.17b
  }
  double am = a / m->y_after;
  return Ps + am + sqrt(am * am + (a * (Ps - Pc) + e * e * C0 * Pc) / m->y_after); // 3.18b*
}

// [WK] 3.5-3.11 corrected.
static formulas formulas_of(int law, const rh_planar_in *in, rh_planar_case kind)
{
  bool sticks = kind == RH_CASE_C || kind == RH_CASE_D;
  bool early = kind == RH_CASE_A || kind == RH_CASE_C;
  masses m = masses_of(in, sticks);
  formulas f = {.Ps = in->S0 / (m.j * m.mu * m.x_slide)}; // F meets S
  f.Pc = early ? f.Ps + (in->C0 - f.Ps * m.y_slide) / m.y_after : in->C0 / m.y_slide;
  f.PT = total_of(law, in, &m, f.Ps, f.Pc, kind);
  double s = kind == RH_CASE_E ? f.PT : f.Ps;
  double rest = f.PT - s;
  double a = in->C0 - s * m.y_slide;
  double slid = 0.5 * in->S0 * m.j * m.mu * f.Ps;
  f.Cf = a - rest * m.y_after;                                              // 3.5b
  f.Sf = sticks ? 0 : m.j * m.mu * rest * m.x_back;                         // 3.5a*
  f.Dt = sticks ? slid : slid - 0.5 * m.mu * m.mu * m.x_back * rest * rest; // 3.7b*, 3.9b
  if (early) {
    f.Dn =
        -0.5 * (in->C0 + a) * f.Ps - 0.5 * a * (f.Pc - f.Ps) - 0.5 * f.Cf * (f.PT - f.Pc); // 3.7a
  } else {
    f.Dn = -0.5 * in->C0 * f.Pc - 0.5 * a * (s - f.Pc) - 0.5 * (a + f.Cf) * rest; // 3.8a, 3.11a
  }
  if (kind == RH_CASE_E) {
    f.Sf = in->S0 - m.j * m.mu * f.PT * m.x_slide;    // 3.4a
    f.Dt = 0.5 * (in->S0 + f.Sf) * m.j * m.mu * f.PT; // 3.11b*
  }
  return f;
}

// Slopes near zero make impulses large, and the formulas subtract them: the size of the terms is the measure.
START_TEST(formulas_of_the_cases)
{
  rng r = {11};
  int seen[LAWS][RH_CASE_COUNT] = {{0}};
  for (int i = 0; i < 20000 * LAWS; i++) {
    int law = i % LAWS;
    rh_planar_in in = random_impact(&r);
    rh_planar_out out = impact(law, &in);
    seen[law][out.kind]++;
    if (out.kind < RH_CASE_A || out.kind > RH_CASE_E || in.mu_k == 0) {
      continue;
    }
    formulas f = formulas_of(law, &in, out.kind);
    double speed =
        fabs(in.S0) + fabs(in.C0) + (in.Knn + fabs(in.Ktn)) * out.Pn + in.Ktt * fabs(out.Pt);
    double work = speed * (out.Pn + fabs(out.Pt));
    bool good = close_to(out.Pn, f.PT, 1e-9 * out.Pn) && close_to(out.Pc, f.Pc, 1e-9 * out.Pn) &&
                close_to(out.Sf, f.Sf, 1e-9 * speed) && close_to(out.Cf, f.Cf, 1e-9 * speed) &&
                close_to(out.Dn, f.Dn, 1e-9 * work) && close_to(out.Dt, f.Dt, 1e-9 * work) &&
                (isnan(out.Ps) || close_to(out.Ps, f.Ps, 1e-9 * out.Pn));
    ck_assert_msg(good, SAID(&in, law));
  }
  for (int k = RH_CASE_A; k <= RH_CASE_TANGENTIAL_STICK; k++) { // all cases were met
    ck_assert_msg(seen[NEWTON][k] > 50, "case %s: %d", rh_planar_case_word(k), seen[NEWTON][k]);
  }
  ck_assert_int_eq(seen[NEWTON][RH_CASE_TANGENTIAL_REVERSE], 0); // a jam always ends in sticking
}

END_TEST

// ---- Two routes

START_TEST(integration_agrees)
{
  rng r = {12};
  int n = rh_trials(100000);
  for (int i = 0; i < n; i++) {
    rh_planar_in in = random_impact(&r);
    for (int law = 0; law < LAWS; law++) {
      rh_planar_out got = impact(law, &in);
      rh_planar_out want;
      ck_assert_msg(rh_planar_ode(law_of(law), &in, NULL, NULL, &want), SAID(&in, law));
      // 1e-9 of the terms that are summed; the steps are exact on straight pieces, so what is left is rounding.
      double speed =
          fabs(in.S0) + fabs(in.C0) + (in.Knn + fabs(in.Ktn)) * want.Pn + in.Ktt * fabs(want.Pt);
      double impulse = want.Pn + fabs(want.Pt);
      bool good =
          close_to(got.Sf, want.Sf, 1e-9 * speed) && close_to(got.Cf, want.Cf, 1e-9 * speed) &&
          close_to(got.Pn, want.Pn, 1e-9 * impulse) && close_to(got.Pt, want.Pt, 1e-9 * impulse) &&
          close_to(got.Pc, want.Pc, 1e-9 * impulse) &&
          close_to(got.Dn, want.Dn, 1e-9 * speed * impulse) &&
          close_to(got.Dt, want.Dt, 1e-9 * speed * impulse) && got.jam == want.jam;
      ck_assert_msg(good, SAID(&in, law));
    }
  }
}

END_TEST

typedef struct seen {
  int n;
  double last[6];
  bool rising;
} seen;

// NOLINTNEXTLINE(readability-function-size): an rh_planar_sample
static void keep(void *user, double Pn, double Pt, double S, double C, double Wn, double Wt)
{
  seen *k = user;
  const double now[6] = {Pn, Pt, S, C, Wn, Wt};
  k->rising = k->rising && (k->n == 0 || Pn >= k->last[0]);
  memcpy(k->last, now, sizeof(now));
  k->n++;
}

START_TEST(samples_lead_from_start_to_end)
{
  rng r = {13};
  for (int i = 0; i < 200; i++) {
    rh_planar_in in = random_impact(&r);
    seen k = {.rising = true};
    rh_planar_out out;
    ck_assert(rh_planar_ode(law_of(i % LAWS), &in, keep, &k, &out));
    ck_assert(k.rising && k.n >= 1);
    ck_assert_msg(out.kind == RH_CASE_NONE || k.n > 10, SAID(&in, i % LAWS));
    const double want[6] = {out.Pn, out.Pt, out.Sf, out.Cf, -out.Dn, -out.Dt};
    near_array(k.last, want, 6, 0, 0);
  }
}

END_TEST

// ---- What must hold

// u+ = u- + K p, |P_t| <= mu P_n, C_f >= 0, and the works are the change of energy.
START_TEST(balances)
{
  rng r = {14};
  for (int i = 0; i < 60000; i++) {
    int law = i % LAWS;
    rh_planar_in in = random_impact(&r);
    rh_planar_out out = impact(law, &in);
    double speed =
        fabs(in.S0) + fabs(in.C0) + (in.Knn + fabs(in.Ktn)) * out.Pn + in.Ktt * fabs(out.Pt);
    double T0 = contact_energy(&in, in.S0, in.C0);
    double T1 = contact_energy(&in, out.Sf, out.Cf);
    double S = in.S0 + in.Ktt * out.Pt + in.Ktn * out.Pn;
    double C = in.C0 + in.Ktn * out.Pt + in.Knn * out.Pn;
    // det K is down to 0.02 of its terms: 1e-12 leaves two digits above rounding for that.
    bool good = close_to(out.Sf, S, 1e-13 * speed) && close_to(out.Cf, C, 1e-13 * speed) &&
                close_to(T1 - T0, -(out.Dn + out.Dt), 1e-12 * (T0 + T1 + speed * out.Pn)) &&
                fabs(out.Pt) <= in.mu_s * out.Pn * (1 + 1e-14) && out.Cf >= 0 && out.Dt >= 0 &&
                out.corner[0][0] == 0 && out.corner[0][1] == 0 &&
                out.corner[out.ncorner - 1][0] == out.Pt &&
                out.corner[out.ncorner - 1][1] == out.Pn;
    ck_assert_msg(good, SAID(&in, law));
  }
}

END_TEST

// Stronge and Poisson never create energy; Newton's gains are flagged, and where it ends in sticking they are those of
// 2 S0 C0 Ktn > Knn S0^2 + (1 - e^2) Ktt C0^2.
START_TEST(energy_gained)
{
  rng r = {15};
  int gains = 0;
  int releases = 0;
  int n = rh_trials(100000);
  for (int i = 0; i < n; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_out newton = impact(NEWTON, &in);
    rh_planar_out poisson = impact(POISSON, &in);
    rh_planar_out stronge = impact(STRONGE, &in);
    double change = contact_energy(&in, newton.Sf, newton.Cf) - contact_energy(&in, in.S0, in.C0);
    double edge =
        1e-10 * contact_energy(&in, fabs(in.S0) + fabs(newton.Sf), fabs(in.C0) + newton.Cf);
    ck_assert_msg(!poisson.gained && !stronge.gained && !stronge.normal_gained, SAID(&in, POISSON));
    ck_assert_msg(fabs(change) <= edge || newton.gained == (change > 0), SAID(&in, NEWTON));
    if (ends_stuck(newton.kind)) {
      double more = 2 * in.S0 * in.C0 * in.Ktn;
      double limit = in.Knn * in.S0 * in.S0 + (1 - in.e * in.e) * in.Ktt * in.C0 * in.C0;
      ck_assert_msg(fabs(more - limit) <= 1e-10 * (fabs(more) + limit) ||
                        newton.gained == (more > limit),
                    SAID(&in, NEWTON));
    }
    gains += newton.gained;
    releases += poisson.normal_gained;
  }
  ck_assert(gains > n / 200 && releases > n / 200); // both were put to the test
}

END_TEST

// Seen from behind, t -> -t, an impact is the same to the last bit.
START_TEST(reflection)
{
  rng r = {16};
  for (int i = 0; i < 3000; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_in mirror = in;
    mirror.S0 = -in.S0;
    mirror.Ktn = -in.Ktn;
    rh_planar_out a = impact(i % LAWS, &in);
    rh_planar_out b = impact(i % LAWS, &mirror);
    ck_assert_int_eq(a.kind, b.kind);
    ck_assert_msg(a.Sf == -b.Sf && a.Cf == b.Cf && a.Pt == -b.Pt && a.Pn == b.Pn && a.Dn == b.Dn &&
                      a.Dt == b.Dt && a.jam == b.jam,
                  SAID(&in, i % LAWS));
  }
}

END_TEST

// Heavier bodies and other speeds: a power of two changes exponents only, however large.
START_TEST(scales)
{
  rng r = {17};
  for (int i = 0; i < 3000; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_in big = in;
    double mass = ldexp(1, rng_int(&r, 400) - 200);
    double speed = ldexp(1, rng_int(&r, 100) - 50);
    big.Ktt /= mass;
    big.Knn /= mass;
    big.Ktn /= mass;
    big.S0 *= speed;
    big.C0 *= speed;
    rh_planar_out a = impact(i % LAWS, &in);
    rh_planar_out b = impact(i % LAWS, &big);
    ck_assert_int_eq(a.kind, b.kind);
    ck_assert_msg(b.Sf == a.Sf * speed && b.Cf == a.Cf * speed && b.Pn == a.Pn * speed * mass &&
                      b.Dn == a.Dn * speed * speed * mass && a.gained == b.gained,
                  SAID(&in, i % LAWS));
  }
}

END_TEST

// Where the path has no corner in restitution the three laws agree; so they do without friction, and for e = 0.
START_TEST(laws_agree)
{
  rng r = {18};
  for (int i = 0; i < 3000; i++) {
    rh_planar_in in = random_impact(&r);
    if (i % 3 == 0) {
      in.e = 0;
    } else if (i % 3 == 1) {
      in.mu_s = in.mu_k = 0;
    }
    rh_planar_out a = impact(NEWTON, &in);
    bool straight =
        a.kind == RH_CASE_E || a.kind == RH_CASE_DIRECT_STICK || a.kind == RH_CASE_DIRECT_SLIDE;
    for (int law = POISSON; law < LAWS && (straight || i % 3 < 2); law++) {
      rh_planar_out b = impact(law, &in);
      double speed =
          fabs(in.S0) + fabs(in.C0) + in.Ktt * fabs(a.Pt) + (in.Knn + fabs(in.Ktn)) * a.Pn;
      ck_assert_msg(close_to(a.Cf, b.Cf, 1e-12 * speed) && close_to(a.Sf, b.Sf, 1e-12 * speed),
                    SAID(&in, law));
    }
  }
}

END_TEST

// Bodies that slide on each other and jam: the limit of ever slower approach. Others just go on sliding.
START_TEST(tangential_is_a_limit)
{
  rng r = {19};
  int jams = 0;
  for (int i = 0; i < 3000; i++) {
    int law = i % LAWS;
    rh_planar_in in = random_impact(&r);
    in.mu_k = in.mu_s = rng_in(&r, 0, 10);
    in.S0 = in.S0 == 0 ? 1 : in.S0;
    in.C0 = 0;
    bool jam = in.Knn - (in.S0 > 0 ? 1 : -1) * in.mu_k * in.Ktn < 0;
    rh_planar_out at = impact(law, &in);
    ck_assert_int_eq(at.kind, jam ? RH_CASE_TANGENTIAL_STICK : RH_CASE_NONE);
    ck_assert(jam || (at.Pn == 0 && at.Sf == in.S0 && isnan(at.Ps)));
    if (jam) {
      in.C0 = -1e-12 * fabs(in.S0);
      rh_planar_out near = impact(law, &in);
      ck_assert_int_eq(near.kind, RH_CASE_C);
      ck_assert_msg(close_to(at.Pn, near.Pn, 1e-9 * at.Pn) && at.Sf == 0 &&
                        close_to(at.Pt, near.Pt, 1e-9 * at.Pn),
                    SAID(&in, law));
      jams++;
    }
  }
  ck_assert_int_gt(jams, 300);
}

END_TEST

START_TEST(separating_bodies_are_left_alone)
{
  rh_planar_in in = {
      .Ktt = 2, .Knn = 1, .Ktn = 0.5, .S0 = 1, .C0 = 0.25, .mu_s = 9, .mu_k = 9, .e = 0.5};
  for (int law = 0; law < LAWS; law++) {
    rh_planar_out out = impact(law, &in);
    ck_assert_str_eq(rh_planar_case_word(out.kind), "none");
    ck_assert(out.Sf == 1 && out.Cf == 0.25 && out.Pn == 0 && out.Pt == 0 && out.ncorner == 1 &&
              !out.jam);
    ck_assert(rh_planar_ode(law_of(law), &in, NULL, NULL, &out));
    ck_assert(out.kind == RH_CASE_NONE && out.Sf == 1 && out.Cf == 0.25);
  }
}

END_TEST

Suite *rh_suite_unit_impact(void)
{
  Suite *suite = suite_create("unit_impact");
  TCase *tests = tcase_create("planar");
  tcase_add_test(tests, formulas_of_the_cases);
  tcase_add_test(tests, integration_agrees);
  tcase_add_test(tests, samples_lead_from_start_to_end);
  tcase_add_test(tests, balances);
  tcase_add_test(tests, energy_gained);
  tcase_add_test(tests, reflection);
  tcase_add_test(tests, scales);
  tcase_add_test(tests, laws_agree);
  tcase_add_test(tests, tangential_is_a_limit);
  tcase_add_test(tests, separating_bodies_are_left_alone);
  suite_add_tcase(suite, tests);
  return suite;
}
