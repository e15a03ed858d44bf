// unit_factors.c: impacts whose points share the normal impulse by pair factors ([Ch] 2.13-2.20*), in any
// arrangement: against the closed form of two points, an integration of its own in fine steps, and what must not
// matter (frames, order); and e < 0, impacts that end in compression.
#include "free_body_impact.h"
#include "impact/impact.h"
#include "rigid.h"

#include <stdlib.h>

enum { POINTS = 8 };

typedef struct asked {
  double p[3 * POINTS], u[3 * POINTS], share[POINTS], lost[2 * POINTS];
  rh_many_out out;
} asked;

typedef struct hit { // a free body and its points
  striker b;
  double mu[POINTS], e[POINTS];
  rh_many_place place[POINTS];
} hit;

static bool solve_hit(const char *name, const hit *h, bool places, asked *a)
{
  const rh_formulation *row = rh_formulation_find(name);
  double par[RH_PAR_MAX] = {1e-9};
  const rh_many_in in = {.n = h->b.n,
                         .W = h->b.W,
                         .u = h->b.u,
                         .mu = h->mu,
                         .e = h->e,
                         .law = rh_impact_law_find("stronge"),
                         .place = places ? h->place : NULL,
                         .repeated = true,
                         .share = a->share,
                         .lost = a->lost};
  double *room = malloc(row->room(h->b.n) * sizeof(double));
  bool good = row->strike(&in, par, room, a->p, a->u, &a->out);
  free(room);
  return good;
}

// Points of a body of 2 kg, at the given heights; it comes down and slips.
static void make_hit(hit *h, int n, const double *height, uint64_t *state)
{
  static const double inertia[3] = {0.03, 0.04, 0.05};
  double at[3 * POINTS];
  rh_mat3 R = rh_mat3_identity();
  *h = (hit){.b = {.n = n}};
  h->b.v = rh_v3(within(state, 1, 2), within(state, -1, 1), within(state, -1.5, -1));
  h->b.w = rh_v3(within(state, -0.5, 0.5), within(state, -0.5, 0.5), within(state, -3, 3));
  for (int i = 0; i < n; i++) {
    double angle = 2 * 3.14159265358979 * (i + within(state, -0.3, 0.3)) / n;
    at[3 * i] = 0.2 * cos(angle);
    at[3 * i + 1] = 0.2 * sin(angle);
    at[3 * i + 2] = height[i] - 0.1;
  }
  striker_make(&h->b, 2, inertia, &R, at);
  for (int i = 0; i < n; i++) {
    h->mu[i] = within(state, 0.05, 0.3);
    h->e[i] = 0.4;
    h->place[i] = (rh_many_place){.at = {at[3 * i], at[3 * i + 1], at[3 * i + 2]},
                                  .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  .body = {1, RH_NONE}};
  }
}

static double energy_lost(const hit *h, const asked *a)
{
  double sum = 0;
  for (int i = 0; i < 3 * h->b.n; i++) {
    sum -= 0.5 * a->p[i] * (h->b.u[i] + a->u[i]);
  }
  return sum;
}

static double lost_of(const asked *a, int n)
{
  double sum = 0;
  for (int i = 0; i < 2 * n; i++) {
    sum += a->lost[i];
  }
  return sum;
}

// C_qr of [Ch] 2.18 with its sign repaired; what would pull has no factor, and that is reported.
START_TEST(two_points_share_by_their_factor)
{
  uint64_t state = 77;
  int positive = 0;
  for (int trial = 0; trial < 200; trial++) {
    const double height[2] = {0, within(&state, -0.1, 0.1)};
    hit h;
    asked a;
    make_hit(&h, 2, height, &state);
    const double *u = h.b.u;
    rh_pair pair = {
        .mu_q = h.mu[0], .mu_r = h.mu[1], .phi_q = atan2(u[1], u[0]), .phi_r = atan2(u[4], u[3])};
    memcpy(pair.P_q, h.place[0].at, sizeof pair.P_q);
    memcpy(pair.P_r, h.place[1].at, sizeof pair.P_r);
    double C = rh_pair_factor(&pair, false);
    bool both = u[2] < 0 && u[5] < 0;
    ck_assert(solve_hit("thesis", &h, true, &a));
    if (both && C > 0) {
      near_rel(a.share[0] / a.share[1], C, 1e-9); // rounding of the directions
      positive++;
    } else if (both) {
      ck_assert(a.out.unfactored);
      near_abs(a.share[0], 0.5, 1e-15);
    }
    near_abs(lost_of(&a, 2), energy_lost(&h, &a), 1e-12);
    ck_assert_double_ge(a.out.Dt, 0);
    ck_assert_double_ge(fmin(a.u[2], a.u[5]), -1e-6);
  }
  ck_assert_int_gt(positive, 50);
}

END_TEST

// In fine steps of the normal impulse, the factors of each instant by their equation; e.g. Wn = (1 - e^2) Wc at the end.
static bool integrate_hit(const hit *h, double *u)
{
  enum { STEPS = 40000 };

  const double dp = 10.0 / STEPS;
  double W = 0;
  double Wc = -1;
  memcpy(u, h->b.u, 6 * sizeof *u);
  for (int k = 0; k < STEPS; k++) {
    double mid[6];
    double power = 0;
    memcpy(mid, u, sizeof mid);
    for (int half = 0; half < 2; half++) { // the midpoint rule
      double f[6] = {0};
      double along[2];
      double d[3];
      for (int c = 0; c < 3; c++) {
        d[c] = h->place[1].at[c] - h->place[0].at[c];
      }
      for (int i = 0; i < 2; i++) {
        double s = hypot(mid[3 * i], mid[3 * i + 1]);
        if (s < 1e-3) {
          return false; // sticks: another regime
        }
        f[3 * i] = -h->mu[i] * mid[3 * i] / s;
        f[3 * i + 1] = -h->mu[i] * mid[3 * i + 1] / s;
        f[3 * i + 2] = 1;
        along[i] = f[3 * i] * d[0] + f[3 * i + 1] * d[1] + f[3 * i + 2] * d[2];
      }
      double C = along[1] / along[0]; // dp_q = C dp_r
      if (!(C > 0.02 && C < 50)) {
        return false;
      }
      double lam[2] = {C / (1 + C), 1 / (1 + C)};
      power = lam[0] * mid[2] + lam[1] * mid[5];
      for (int i = 0; i < 6; i++) {
        f[i] *= lam[i / 3];
      }
      double next[6];
      for (int i = 0; i < 6; i++) {
        next[i] = u[i];
        for (int j = 0; j < 6; j++) {
          next[i] += (half ? 1 : 0.5) * dp * h->b.W[6 * i + j] * f[j];
        }
      }
      memcpy(half ? u : mid, next, sizeof next);
    }
    Wc = power < 0 ? W + dp * power : Wc;
    W += dp * power;
    if (power > 0 && W >= (1 - h->e[0] * h->e[0]) * Wc) {
      return u[2] > 0 && u[5] > 0;
    }
  }
  return false;
}

START_TEST(path_is_that_of_fine_steps)
{
  uint64_t state = 5;
  int compared = 0;
  for (int trial = 0; trial < 60; trial++) {
    const double height[2] = {0, within(&state, -0.1, 0.1)};
    hit h;
    asked a;
    double u[6];
    make_hit(&h, 2, height, &state);
    if (h.b.u[2] < 0 && h.b.u[5] < 0 && integrate_hit(&h, u)) {
      ck_assert(solve_hit("thesis", &h, true, &a));
      near_array(a.u, u, 6, 2e-3, 0); // a step of the impulse, 2.5e-4 N s, times W of some 8 1/kg
      compared++;
    }
  }
  ck_assert_int_gt(compared, 5);
}

END_TEST

// Turned as a whole, and with the points in another order, the impact is the same.
START_TEST(frames_and_order_do_not_matter)
{
  uint64_t state = 9;
  for (int trial = 0; trial < 40; trial++) {
    const double height[4] = {0, 0.03, -0.02, 0.05};
    hit h;
    hit other;
    asked a;
    asked b;
    make_hit(&h, 4, height, &state);
    rh_quat q = rh_quat_unit((rh_quat){within(&state, -1, 1), within(&state, -1, 1),
                                       within(&state, -1, 1), within(&state, -1, 1)});
    rh_mat3 R = rh_quat_matrix(q);
    other = h;
    for (int i = 0; i < 4; i++) {
      int to = (i + 1) % 4;
      for (int k = 0; k < 3; k++) {
        rh_vec3 axis = rh_rotate(&R, vector_of(h.place[i].axis + (ptrdiff_t)3 * k));
        memcpy(other.place[to].axis + (ptrdiff_t)3 * k, &axis, 3 * sizeof(double));
      }
      rh_vec3 at = rh_add(rh_v3(1, 2, 3), rh_rotate(&R, vector_of(h.place[i].at)));
      memcpy(other.place[to].at, &at, 3 * sizeof(double));
      other.mu[to] = h.mu[i];
      for (int k = 0; k < 3; k++) {
        other.b.u[3 * to + k] = h.b.u[3 * i + k];
        for (int j = 0; j < 12; j++) {
          other.b.W[(3 * to + k) * 12 + (j + 3) % 12] = h.b.W[(3 * i + k) * 12 + j];
        }
      }
    }
    ck_assert(solve_hit("thesis", &h, true, &a) && solve_hit("thesis", &other, true, &b));
    for (int i = 0; i < 4; i++) {
      near_abs(a.share[i], b.share[(i + 1) % 4], 1e-11);
      near_array(a.u + (ptrdiff_t)3 * i, b.u + 3 * ((i + 1) % 4), 3, 1e-6, 0); // of the steps
    }
    ck_assert(a.out.unfactored == b.out.unfactored);
  }
}

END_TEST

// In one plane it is slip over mu, as where no places are known, to the bit; of two bodies each has its half.
START_TEST(coplanar_points_share_by_slip)
{
  uint64_t state = 3;
  const double height[4] = {0, 0, 0, 0};
  hit h;
  asked a;
  asked b;
  make_hit(&h, 4, height, &state);
  h.b.u[2] = h.b.u[5] = h.b.u[8] = h.b.u[11] = -1;
  ck_assert(solve_hit("thesis", &h, true, &a) && solve_hit("thesis", &h, false, &b));
  near_array(a.p, b.p, 12, 0, 0);
  h.place[2].body[0] = h.place[3].body[0] = 2;
  ck_assert(solve_hit("thesis", &h, true, &a));
  near_abs(a.share[0] + a.share[1], 0.5, 1e-15);
  double s[4];
  for (int i = 0; i < 4; i++) {
    s[i] = hypot(h.b.u[3 * i], h.b.u[3 * i + 1]) / h.mu[i];
  }
  near_rel(a.share[0] / a.share[1], s[0] / s[1], 1e-13);
  near_rel(a.share[2] / a.share[3], s[2] / s[3], 1e-13);
}

END_TEST

// Given factors hold from the first to the last, also where points stick, and between bodies.
START_TEST(given_factors_hold)
{
  static const char *const form[] = {"thesis", "fixed-split"};
  uint64_t state = 21;
  const double height[2] = {0, 0.05};
  for (int trial = 0; trial < 40; trial++) {
    hit h;
    asked a;
    make_hit(&h, 2, height, &state);
    h.b.u[2] = h.b.u[5] = -1;
    h.place[0].factor = within(&state, 0.8, 1.2);
    h.place[1].body[0] = trial % 2 + 1;
    h.mu[0] = h.mu[1] = trial < 20 ? 5 : 0.2;
    ck_assert(solve_hit(form[trial / 2 % 2], &h, true, &a) && !a.out.unfactored);
    near_rel(a.share[0] / a.share[1], h.place[0].factor, 1e-14);
    if (a.out.impacts == 1) {
      near_rel(a.p[2] / a.p[5], h.place[0].factor, 1e-9);
    }
    near_abs(lost_of(&a, 2), energy_lost(&h, &a), 1e-12);
  }
}

END_TEST

// Points anywhere, of several bodies, some without friction, some given: no energy is made, none approaches, the
// losses add up.
START_TEST(any_arrangement_is_solved)
{
  uint64_t state = 4242;
  int trials = rh_trials(400);
  int ended = 0;
  for (int trial = 0; trial < trials; trial++) {
    double height[POINTS];
    hit h;
    asked a;
    int n = 2 + (int)within(&state, 0, POINTS - 1.001);
    for (int i = 0; i < n; i++) {
      height[i] = chance(&state) < 0.3 ? 0 : within(&state, -0.15, 0.15);
    }
    make_hit(&h, n, height, &state);
    for (int i = 0; i < n; i++) {
      h.mu[i] = chance(&state) < 0.2 ? 0 : within(&state, 0.05, 1);
      h.e[i] = trial % 5 == 0 ? -0.4 : within(&state, 0, 1);
      h.place[i].body[0] = 1 + (int)within(&state, 0, 2.5);
      h.place[i].body[1] = chance(&state) < 0.3 ? 4 : RH_NONE;
      h.place[i].factor = trial % 3 == 0 && chance(&state) < 0.4 ? within(&state, 0.2, 5) : 0;
    }
    for (int i = 0; i < n && trial % 5 == 0; i++) {
      h.e[i] = -0.4;
    }
    double sum = 0;
    double speed = 0;
    ck_assert_msg(solve_hit("thesis", &h, true, &a), "trial %d", trial);
    for (int i = 0; i < n; i++) {
      sum += a.share[i];
      speed = fmax(speed, fabs(h.b.u[3 * i + 2]));
      ck_assert_double_ge(a.p[3 * i + 2], 0);
      ck_assert_double_ge(a.lost[2 * i + 1], -1e-12);
      ck_assert_double_le(hypot(a.p[3 * i], a.p[3 * i + 1]), h.mu[i] * a.p[3 * i + 2] + 1e-6);
    }
    for (int i = 0; i < n; i++) {
      ck_assert_msg(a.u[3 * i + 2] >= -2e-5 * speed, "trial %d: %g", trial, a.u[3 * i + 2]);
    }
    bool any = false;
    for (int i = 0; i < n; i++) {
      any = any || h.b.u[3 * i + 2] < 0;
    }
    near_abs(sum, any, 1e-13);
    near_abs(lost_of(&a, n), energy_lost(&h, &a), 1e-11);
    ck_assert_double_ge(energy_lost(&h, &a), -1e-12);
    ended += a.out.unfactored;
  }
  ck_assert_int_gt(ended, 0);
}

END_TEST

// ---- e < 0

// Events that end in compression follow each other until nothing approaches; no energy comes of it.
START_TEST(early_ends_add_up)
{
  static const char *const form[] = {"thesis", "fixed-split", "winkler-global"};
  uint64_t state = 13;
  for (int trial = 0; trial < 30; trial++) {
    const double height[3] = {0, 0.02, -0.02};
    hit h;
    asked a;
    make_hit(&h, 3, height, &state);
    for (int i = 0; i < 3; i++) {
      h.e[i] = -0.5;
    }
    ck_assert(solve_hit(form[trial % 3], &h, true, &a));
    ck_assert_int_gt(a.out.impacts, 2);
    for (int i = 0; i < 3; i++) {
      ck_assert_double_ge(a.u[3 * i + 2], -1e-5);
      ck_assert_double_ge(a.p[3 * i + 2], 0);
    }
    near_abs(lost_of(&a, 3), energy_lost(&h, &a), 1e-12);
    ck_assert_double_ge(energy_lost(&h, &a), 0);
  }
}

END_TEST

// Of a single point they are one compression: e = 0.
START_TEST(early_ends_of_a_point_are_plastic)
{
  uint64_t state = 31;
  const double height[1] = {0};
  for (int trial = 0; trial < 30; trial++) {
    hit h;
    double p[2][3];
    double u[2][3];
    rh_many_out out[2];
    make_hit(&h, 1, height, &state);
    for (int k = 0; k < 2; k++) {
      double e = k == 0 ? 0 : -within(&state, 0.1, 0.9);
      const rh_many_in in = {.n = 1,
                             .W = h.b.W,
                             .u = h.b.u,
                             .mu = h.mu,
                             .e = &e,
                             .law = rh_impact_law_find("stronge"),
                             .repeated = true};
      ck_assert(rh_impact_solve_one(&in, h.mu[0], p[k], u[k], &out[k]));
    }
    near_array(p[1], p[0], 3, 1e-9, 0); // some hundred paths, each to 1e-12
    near_array(u[1], u[0], 3, 1e-8, 0);
    near_abs(out[1].Dn + out[1].Dt, out[0].Dn + out[0].Dt, 1e-8);
    ck_assert_int_gt(out[1].impacts, 1);
  }
}

END_TEST

// Two bars on a staircase: slip along x all the time, so that the factors of each bar stay 1/3; by hand in the scene.
START_TEST(staircase_shares_by_factors)
{
  rh_scene *scene = NULL;
  ck_assert_int_eq(
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/pair-factors.yaml", NULL, 0, NULL, &scene), RH_OK);
  rh_model *model = model_of(scene);
  tell(model);
  rh_model_destroy(model);
  ck_assert_int_eq(told.status, RH_OK);
  const rh_event *e[4];
  for (int i = 0; i < 4; i++) {
    e[i] = &nth(RH_EVENT_IMPACT, i)->e;
    ck_assert_ptr_nonnull(
        strstr(e[i]->note, i % 2 == 0 ? "share 0.125 of the" : "share 0.375 of the"));
    near_abs(e[i]->work, -(e[i]->Dn + e[i]->Dt), 1e-15);
  }
  near_rel(e[0]->impulse, e[1]->impulse / 3, 1e-9);
  near_rel(e[2]->impulse, e[3]->impulse / 3, 1e-9);
  near_rel(e[0]->impulse, e[2]->impulse, 1e-9); // the bodies take part with two points each
  near_rel(e[1]->friction, 0.2 * e[1]->impulse, 1e-9);
  ck_assert_double_le(told.residue, 1e-8);
}

END_TEST

#define FALL                                                                                       \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                    \
  "joints: [{name: j, kind: prismatic, axis: [0, 0, 1], child: a, q: [1]}]\n"                      \
  "shapes: [{body: world, kind: plane}, {body: a, kind: sphere, radius: 0.1}]\n"

// A rigid ball stops where it lands; a ball on a spring goes on with -e of its speed, and the spring takes over:
// m v^2 e^2/2 is what it has to give, k x^2/2 at its deepest.
START_TEST(ball_lands_with_negative_e)
{
  double v = sqrt(2 * 9.81 * 0.9);
  play(FALL "contacts: [{name: c, body: a, against: world, law: stronge, e: -0.5}]\n"
            "run: {until: 1, rtol: 1e-11}\n");
  count_is(RH_EVENT_IMPACT, 1);
  count_is(RH_EVENT_EARLY, 1);
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.before, -v, 1e-8);
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.after, 0, 1e-12);
  near_abs(told.residue, 0, 1e-8);
  near_abs(told.q[0], 0.1, 1e-9);
  play(FALL "contacts: [{name: c, body: a, against: world, law: kelvin-voigt, k: 1e4, b: 0, "
            "impact_law: stronge, impact_e: -0.5}]\nrun: {until: 0.5, rtol: 1e-11}\n");
  count_is(RH_EVENT_IMPACT, 1);
  count_is(RH_EVENT_EARLY, 1);
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.after, -0.5 * v, 1e-8);
  near_abs(nth(RH_EVENT_SEPARATE, 0)->e.t - nth(RH_EVENT_IMPACT, 0)->e.t,
           2 * (3.14159265358979323846 - atan(0.5 * v * 100 / 9.81)) / 100, 1e-8);
  near_abs(told.residue, 0, 1e-7);
}

END_TEST

Suite *rh_suite_unit_factors(void)
{
  Suite *suite = suite_create("unit_factors");
  TCase *tcase = tcase_create("factors");
  tcase_add_test(tcase, two_points_share_by_their_factor);
  tcase_add_test(tcase, path_is_that_of_fine_steps);
  tcase_add_test(tcase, frames_and_order_do_not_matter);
  tcase_add_test(tcase, coplanar_points_share_by_slip);
  tcase_add_test(tcase, given_factors_hold);
  tcase_add_test(tcase, any_arrangement_is_solved);
  tcase_add_test(tcase, early_ends_add_up);
  tcase_add_test(tcase, early_ends_of_a_point_are_plastic);
  tcase_add_test(tcase, staircase_shares_by_factors);
  tcase_add_test(tcase, ball_lands_with_negative_e);
  suite_add_tcase(suite, tcase);
  return suite;
}
