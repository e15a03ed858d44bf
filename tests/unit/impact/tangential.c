// unit_tangential.c: impacts with a tangential spring (impact/tangential): against the springs themselves, integrated in small
// steps; against the closed form of gross slip and Stronge's law in their limits; and what must hold for any impact: energy,
// the plane of incidence, other axes, extreme numbers.
#include "impact/tangential/tangential.h"
#include "world.h"

#include <float.h>

static double kinetic_loss(const rh_tangential_in *in, const rh_tangential_out *out)
{
  double sum = 0;
  for (int i = 0; i < in->dim; i++) {
    sum -= 0.5 * out->p[i] * (in->u[i] + out->u[i]);
  }
  return sum;
}

static double speed_of(const double *u, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += u[i] * u[i];
  }
  return sqrt(sum);
}

// W = J M^-1 J' of three random directions of a body: positive definite, coupled.
static void random_inertia(rng *r, int n, double W[9])
{
  double J[3][4];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      J[i][k] = rng_in(r, -1, 1);
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      W[i * n + j] = i == j ? 0.2 : 0;
      for (int k = 0; k < 4; k++) {
        W[i * n + j] += J[i][k] * J[j][k];
      }
    }
  }
}

static rh_tangential_in random_spring_impact(rng *r, int n)
{
  rh_tangential_in in = {.dim = n};
  random_inertia(r, n, in.W);
  for (int i = 0; i < n - 1; i++) {
    in.u[i] = rng_in(r, -2, 2);
  }
  in.u[n - 1] = -rng_in(r, 0.2, 2);
  in.mu = rng_in(r, 0, 1.2);
  in.e = rng_in(r, 0.2, 1);
  in.eta2 = pow(10, rng_in(r, -0.7, 0.5));
  return in;
}

// The numbers of an impact, for messages
static const char *describe_impact(const rh_tangential_in *in)
{
  static char text[800];
  int used = snprintf(text, sizeof text, "dim %d, mu %.17g, e %.17g, eta2 %.17g, W, u", in->dim,
                      in->mu, in->e, in->eta2);
  for (int i = 0; i < 12; i++) {
    used += snprintf(text + used, sizeof text - (size_t)used, " %.17g",
                     i < 9 ? in->W[i] : in->u[i - 9]);
  }
  return text;
}

// ---- The springs themselves: k_n = 1 / W_nn, steps of h by the midpoint rule, then the force back to the cone

static void spring_rate(const rh_tangential_in *in, const double *u, const double *f, double *du,
                        double *df)
{
  int n = in->dim;
  double Wnn = in->W[n * n - 1];
  for (int i = 0; i < n; i++) {
    du[i] = 0;
    for (int k = 0; k < n; k++) {
      du[i] += in->W[i * n + k] * f[k];
    }
    df[i] = i < n - 1 ? -u[i] / (in->eta2 * Wnn) : -u[i] / Wnn / (u[n - 1] > 0 ? in->e * in->e : 1);
  }
}

static void return_to_cone(const rh_tangential_in *in, double *f)
{
  int n = in->dim;
  double size = speed_of(f, n - 1);
  double limit = in->mu * fmax(f[n - 1], 0);
  for (int i = 0; i < n - 1 && size > limit; i++) {
    f[i] *= limit / size;
  }
}

static void follow_springs(const rh_tangential_in *in, double h, double u[3])
{
  int n = in->dim;
  double f[3] = {0};
  memcpy(u, in->u, 3 * sizeof *u);
  for (int step = 0; step < 100000000 && (f[n - 1] > 0 || u[n - 1] < 0); step++) {
    double du[3];
    double df[3];
    double v[3];
    double g[3];
    spring_rate(in, u, f, du, df);
    for (int i = 0; i < n; i++) {
      v[i] = u[i] + 0.5 * h * du[i];
      g[i] = f[i] + 0.5 * h * df[i];
    }
    return_to_cone(in, g);
    spring_rate(in, v, g, du, df);
    for (int i = 0; i < n; i++) {
      u[i] += h * du[i];
      f[i] += h * df[i];
    }
    return_to_cone(in, f);
  }
}

// The return is of first order in the step: h = 1e-4 of the shortest time leaves some 1e-4 of the velocities (measured: at most
// 4e-4 of 200). The extrapolation from h and h / 2 would miss where a phase appears between the two.
static void check_against_springs(int n, uint64_t seed)
{
  rng r = {seed};
  int trials = rh_trials(200);
  for (int i = 0; i < trials; i++) {
    rh_tangential_in in = random_spring_impact(&r, n);
    rh_tangential_out out;
    double u[3];
    double fastest = 0;
    for (int k = 0; k < n; k++) {
      fastest += in.W[k * n + k] / in.W[n * n - 1] / (k < n - 1 ? in.eta2 : in.e * in.e);
    }
    ck_assert_msg(rh_tangential_impact(&in, NULL, &out), "%s", describe_impact(&in));
    follow_springs(&in, 2e-4 / sqrt(fastest), u);
    for (int k = 0; k < n; k++) {
      ck_assert_msg(fabs(out.u[k] - u[k]) <= 2e-3 * speed_of(in.u, n),
                    "u[%d] %.9g, springs %.9g: %s", k, out.u[k], u[k], describe_impact(&in));
    }
  }
}

START_TEST(as_the_springs_do)
{
  check_against_springs(2, 17);
}

END_TEST

START_TEST(as_the_springs_do_in_space)
{
  check_against_springs(3, 18);
}

END_TEST

// ---- Limits

// eta2 -> 0 is Stronge's law: exact in gross slip, else an error of O(sqrt(eta2)). Impacts whose path without a spring nearly
// changes its case are left out: there the limit is not uniform.
START_TEST(stiff_spring_is_stronge)
{
  const rh_impact_law *stronge = rh_impact_law_find("stronge");
  rng r = {5};
  for (int i = 0; i < rh_trials(400); i++) {
    rh_tangential_in in = random_spring_impact(&r, 2);
    const rh_planar_in rigid = {.Ktt = in.W[0],
                                .Knn = in.W[3],
                                .Ktn = in.W[1],
                                .S0 = in.u[0],
                                .C0 = in.u[1],
                                .mu_s = in.mu,
                                .mu_k = in.mu,
                                .e = in.e};
    rh_planar_out want;
    rh_tangential_out out;
    rh_planar_impact(stronge, &rigid, &want);
    double hold = fabs(in.mu * in.W[0] - fabs(in.W[1])) / in.W[0];
    if (hold < 0.05) {
      continue;
    }
    in.eta2 = 1e-6;
    ck_assert_msg(rh_tangential_impact(&in, NULL, &out), "%s", describe_impact(&in));
    // sqrt(1e-6) times a factor that grows towards the critical friction: measured at most 12
    double limit = want.kind == RH_CASE_E ? 1e-12 : 0.03;
    ck_assert_msg(hypot(out.u[0] - want.Sf, out.u[1] - want.Cf) <= limit * speed_of(in.u, 2),
                  "%s: %.9g %.9g, not %.9g %.9g: %s", rh_planar_case_word(want.kind), out.u[0],
                  out.u[1], want.Sf, want.Cf, describe_impact(&in));
  }
}

END_TEST

// The tangential spring without effect: eta2 large, little tangential impulse. Then as without friction, to mu or 1 / eta2.
START_TEST(soft_spring_is_no_friction)
{
  const rh_tangential_in in = {
      .dim = 2, .W = {2, 0.5, 0.5, 1}, .u = {0.3, -1}, .mu = 0.5, .e = 0.7, .eta2 = 1e8};
  rh_tangential_out out;
  ck_assert(rh_tangential_impact(&in, NULL, &out));
  near_abs(out.u[1], 0.7, 1e-7);
  near_abs(out.p[0], 0, 1e-7);
}

END_TEST

// ---- What must hold

// Energy: D_n and D_t are not negative and sum up to the loss. Any numbers, also at the edges.
static void check_any(const rh_tangential_in *in)
{
  rh_tangential_out out;
  bool ended = rh_tangential_impact(in, NULL, &out);
  double size = speed_of(in->u, in->dim) * speed_of(in->u, in->dim) / in->W[in->dim * in->dim - 1];
  double loss = kinetic_loss(in, &out);
  ck_assert_msg(ended, "%s", describe_impact(in));
  ck_assert_msg(isfinite(loss) && isfinite(out.tau_f), "%s", describe_impact(in));
  ck_assert_msg(fabs(out.Dn + out.Dt - loss) <= 1e-12 * (size + fabs(loss)), "%s",
                describe_impact(in));
  // rounding, and in space the tolerance of the integration
  double rounding = (in->dim == 2 ? 1e-10 : 1e-8) * (size + fabs(loss));
  ck_assert_msg(out.Dn >= -rounding && out.Dt >= -rounding, "D %g %g: %s", out.Dn, out.Dt,
                describe_impact(in));
  ck_assert_msg(out.u[in->dim - 1] >= -1e-9 * speed_of(in->u, in->dim), "u_n %g: %s",
                out.u[in->dim - 1], describe_impact(in));
  ck_assert_msg(speed_of(out.p, in->dim - 1) <= (1 + 1e-9) * in->mu * out.p[in->dim - 1] + 1e-300,
                "%s", describe_impact(in));
}

static void put_edge(rng *r, rh_tangential_in *in)
{
  static const double e[] = {0, 1, 1e-3, 1e-6, 1e-12, 0.5};
  static const double mu[] = {0, 1e-6, 0.3, 1, 10, 1e3, 1e6};
  static const double eta2[] = {1e-4, 1e-2, 0.3, 1, 4, 1e3, 1e8};
  int n = in->dim;
  in->e = e[rng_int(r, RH_COUNT(e))];
  in->mu = mu[rng_int(r, RH_COUNT(mu))];
  in->eta2 = eta2[rng_int(r, RH_COUNT(eta2))];
  switch (rng_int(r, 6)) {
  case 0:
    in->u[0] = in->u[1] = 0; // direct
    in->u[n - 1] = -1;
    break;
  case 1:
    in->u[0] = in->mu * in->eta2 * in->u[n - 1]; // between stick and slip at first
    break;
  case 2: // a slider: no tangential motion
    for (int i = 0; i < n; i++) {
      in->W[i] = in->W[i * n] = 0;
    }
    break;
  case 3:
    in->u[n - 1] *= 1e-6; // grazing
    break;
  default:
    break;
  }
}

START_TEST(any_impact)
{
  rng r = {(uint64_t)(40 + _i)};
  for (int i = 0; i < rh_trials(_i == 2 ? 8000 : 800); i++) {
    rh_tangential_in in = random_spring_impact(&r, _i);
    if (i % 2 == 1) {
      put_edge(&r, &in);
    }
    check_any(&in);
  }
}

END_TEST

// Axes in the plane of contact do not matter, and an impact in a plane stays in it: in space to the tolerance of its integration.
START_TEST(other_axes)
{
  rng r = {6};
  for (int i = 0; i < rh_trials(200); i++) {
    rh_tangential_in in = random_spring_impact(&r, 3);
    rh_tangential_in turned = in;
    rh_tangential_out out;
    rh_tangential_out other;
    double angle = rng_in(&r, 0, 6);
    double R[9] = {cos(angle), sin(angle), 0, -sin(angle), cos(angle), 0, 0, 0, 1};
    for (int a = 0; a < 3; a++) {
      turned.u[a] = R[3 * a] * in.u[0] + R[3 * a + 1] * in.u[1] + R[3 * a + 2] * in.u[2];
      for (int b = 0; b < 3; b++) {
        turned.W[3 * a + b] = 0;
        for (int k = 0; k < 9; k++) {
          turned.W[3 * a + b] += R[3 * a + k / 3] * in.W[k] * R[3 * b + k % 3];
        }
      }
    }
    ck_assert(rh_tangential_impact(&in, NULL, &out));
    ck_assert(rh_tangential_impact(&turned, NULL, &other));
    double x = R[0] * out.u[0] + R[1] * out.u[1];
    double y = R[3] * out.u[0] + R[4] * out.u[1];
    double allowed = 1e-7 * speed_of(in.u, 3);
    ck_assert_msg(fabs(x - other.u[0]) <= allowed && fabs(y - other.u[1]) <= allowed &&
                      fabs(out.u[2] - other.u[2]) <= allowed,
                  "%s", describe_impact(&in));
  }
}

END_TEST

// A planar impact posed in space, and nearly so: with a coupling of 1e-9 out of the plane the phases of slip are integrated.
START_TEST(planar_in_space)
{
  rng r = {7};
  for (int i = 0; i < rh_trials(400); i++) {
    rh_tangential_in in = random_spring_impact(&r, 2);
    const double *W = in.W;
    rh_tangential_in space = {.dim = 3,
                              .W = {W[0], 0, W[1], 0, 1.3, 0, W[2], 0, W[3]},
                              .u = {in.u[0], 0, in.u[1]},
                              .mu = in.mu,
                              .e = in.e,
                              .eta2 = in.eta2};
    rh_tangential_out out;
    rh_tangential_out flat;
    ck_assert(rh_tangential_impact(&in, NULL, &flat));
    for (int k = 0; k < 2; k++) {
      space.W[1] = space.W[3] = k * 1e-9;
      ck_assert_msg(rh_tangential_impact(&space, NULL, &out), "%s", describe_impact(&space));
      double allowed = (k == 0 ? 1e-13 : 1e-7) * speed_of(in.u, 2);
      ck_assert_msg(fabs(out.u[0] - flat.u[0]) <= allowed &&
                        fabs(out.u[2] - flat.u[1]) <= allowed && fabs(out.u[1]) <= 1e-7,
                    "%g %g %g, not %g %g: %s", out.u[0], out.u[1], out.u[2], flat.u[0], flat.u[1],
                    describe_impact(&in));
    }
  }
}

END_TEST

// Through impact.h: a jam without approach ends it, and leaves the limit of slow approaches.
START_TEST(jam_without_approach)
{
  const rh_impact_law *law = rh_impact_law_find("bistiff");
  rh_planar_in in = {
      .Ktt = 3.4, .Knn = 1.6, .Ktn = -1.2, .S0 = -2, .mu_s = 1.8, .mu_k = 1.8, .e = 0.6, .eta2 = 1};
  rh_planar_out at_rest;
  rh_planar_out slow;
  rh_planar_impact(law, &in, &at_rest);
  in.C0 = -1e-6;
  rh_planar_impact(law, &in, &slow);
  ck_assert(at_rest.jam && at_rest.Pn > 0 && at_rest.Cf > 0);
  near_abs(at_rest.Sf, slow.Sf, 1e-5);
  near_abs(at_rest.Cf, slow.Cf, 1e-5);
  in.mu_s = in.mu_k = 0.3; // no jam: nothing happens
  in.C0 = 0;
  rh_planar_impact(law, &in, &at_rest);
  ck_assert(at_rest.kind == RH_CASE_NONE && at_rest.Pn == 0);
}

END_TEST

// Next to no friction: the slip follows the normal impulse, u_t = u_t0 + W_tn p, and friction takes mu int |u_t| dp, here
// with and without a reversal. The spring's stretch is of the order of mu, which bounds the error.
START_TEST(little_friction)
{
  static const double start[] = {0, -2};
  for (int i = 0; i < 2; i++) {
    rh_tangential_in in = {.dim = 2, .W = {61, 2.2, 2.2, 0.24}, .u = {start[i], -1}};
    in.e = 0.5;
    in.eta2 = 6.7;
    rh_tangential_out out;
    double p = 1.5 / 0.24;
    double last = start[i] + 2.2 * p;
    double rubbed = (start[i] * start[i] + last * last) / (2 * 2.2);
    for (in.mu = 1e-5; in.mu > 1e-13; in.mu *= 0.01) {
      ck_assert(rh_tangential_impact(&in, NULL, &out));
      ck_assert_double_eq_tol(out.p[1], p, 1e4 * in.mu + 1e-12);
      ck_assert_msg(out.p[0] < 0, "mu %g: friction along the slip", in.mu);
      ck_assert_double_eq_tol(kinetic_loss(&in, &out) - out.Dn, in.mu * rubbed,
                              (1e4 * in.mu + 1e-3) * in.mu * rubbed + 1e-14);
    }
  }
}

END_TEST

// e -> 0 where friction jams: the normal force rises again in restitution, and the limit is not e = 0, which ends at the end of
// the first compression. It is reached linearly, and the springs that are stiff beyond reason cost nothing.
START_TEST(small_restitution_in_a_jam)
{
  rh_tangential_in in = {.dim = 2, .W = {1.08, 1.03, 1.03, 1}, .u = {0, -1}};
  in.mu = 10;
  in.eta2 = 1;
  in.e = 1e-5;
  rh_tangential_out limit;
  ck_assert(rh_tangential_impact(&in, NULL, &limit));
  ck_assert_int_gt(limit.compressions, 1);
  for (in.e = 1e-6; in.e > 2e-9; in.e *= 0.1) {
    rh_tangential_out out;
    ck_assert(rh_tangential_impact(&in, NULL, &out));
    ck_assert_double_eq_tol(out.u[0], limit.u[0], 2e-5);
    ck_assert_double_eq_tol(out.u[1], limit.u[1], 2e-5);
  }
}

END_TEST

Suite *rh_suite_unit_tangential(void)
{
  Suite *suite = suite_create("unit_tangential");
  TCase *tests = tcase_create("impacts");
  tcase_add_test(tests, as_the_springs_do);
  tcase_add_test(tests, as_the_springs_do_in_space);
  tcase_add_test(tests, stiff_spring_is_stronge);
  tcase_add_test(tests, soft_spring_is_no_friction);
  tcase_add_loop_test(tests, any_impact, 2, 4);
  tcase_add_test(tests, other_axes);
  tcase_add_test(tests, planar_in_space);
  tcase_add_test(tests, jam_without_approach);
  tcase_add_test(tests, little_friction);
  tcase_add_test(tests, small_restitution_in_a_jam);
  suite_add_tcase(suite, tests);
  return suite;
}
