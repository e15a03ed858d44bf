// unit_point.c: impacts at one point in space. Textbook closed forms, energy, the friction cone, no favoured direction in the
// tangent plane, another way of integration, and inputs at the edge. The reference numbers are in ref_point.c.
#include "free_body_impact.h"
#include "impact/impact.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define MANY rh_trials(100000)

static const char *const law_name[] = {"newton", "poisson", "stronge"};

static rh_point_out strike(const char *law, const rh_point_in *in)
{
  rh_point_out out;
  ck_assert(rh_point_impact(rh_impact_law_find(law), in, &out));
  return out;
}

static rh_point_in input_of(const double *W, const double *u, double mu, double e)
{
  rh_point_in in = {.mu_s = mu, .mu_k = mu, .e = e};
  memcpy(in.W, W, sizeof in.W);
  memcpy(in.u, u, sizeof in.u);
  return in;
}

// ---- Closed forms

// A ball in the plane of its motion: the three laws are one, and slip stops if mu (1 + e) |u_n| (1/m + r^2/I) m >= |u_t|.
START_TEST(central)
{
  const double k = 3.5; // a solid ball of mass 1: 1 + 5/2
  const double W[9] = {k, 0, 0, 0, k, 0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 40; j++) {
      double mu = 0.01 * j;
      const double u[3] = {1.2, -0.9, -2};
      rh_point_in in = input_of(W, u, mu, 0.6);
      rh_point_out out = strike(law_name[i], &in);
      double pn = 1.6 * 2;
      bool sticks = mu * pn * k >= 1.5;
      double pt = sticks ? 1.5 / k : mu * pn;
      const double p[3] = {-0.8 * pt, 0.6 * pt, pn};
      near_array(out.p, p, 3, 1e-14, 1e-14);
      near_abs(out.u[2], 1.2, 1e-14);
      near_abs(out.e, 0.6, 1e-14);
      near_abs(out.Dn, 0.5 * (1 - 0.36) * 4, 1e-13);
      ck_assert_int_eq(out.stuck, sticks);
      ck_assert(!out.gained && out.shifts == 0);
    }
  }
}

END_TEST

// [WK] Table 3.1 (a), a rod in a plane: slip that stops in compression and then sticks, by hand along the two lines; the
// plane is turned about the normal, so that both tangential rows take part.
START_TEST(plane)
{
  const double Ktt = 1.6;
  const double Knn = 2.5;
  const double Ktn = 1.1; // critical mu: 0.6875
  const double mu = 0.8;
  const double S0 = -0.4;
  const double C0 = -1;
  double stop = -S0 / (Ktn + mu * Ktt); // dS = (Ktn + mu Ktt) dPn, friction along +t
  double C1 = C0 + (Knn + mu * Ktn) * stop;
  double slope = Knn - Ktn * Ktn / Ktt;
  ck_assert(C1 < 0);
  double Pc = stop - C1 / slope;
  double Wc = 0.5 * (C0 + C1) * stop + 0.5 * C1 * (Pc - stop);
  const double e = 0.7;
  const double Pf[3] = {Pc - e * C0 / slope, (1 + e) * Pc, Pc + sqrt(-2 * e * e * Wc / slope)};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 16; j++) {
      double c = cos(0.4 * j);
      double s = sin(0.4 * j);
      const double W[9] = {Ktt * c * c + 3 * s * s,
                           (Ktt - 3) * c * s,
                           Ktn * c,
                           (Ktt - 3) * c * s,
                           Ktt * s * s + 3 * c * c,
                           Ktn * s,
                           Ktn * c,
                           Ktn * s,
                           Knn};
      const double u[3] = {S0 * c, S0 * s, C0};
      rh_point_in in = input_of(W, u, mu, e);
      rh_point_out out = strike(law_name[i], &in);
      double pt = mu * stop - Ktn / Ktt * (Pf[i] - stop);
      const double want[5] = {pt * c, pt * s, Pf[i], Pc, Wc};
      const double got[5] = {out.p[0], out.p[1], out.p[2], out.Pc, out.Wc};
      near_array(got, want, 5, 1e-14, 1e-14);
      near_abs(out.u[2], slope * (Pf[i] - Pc), 1e-14);
      ck_assert(out.stuck && out.u[0] == 0 && out.u[1] == 0);
    }
  }
}

END_TEST

// A mechanism that lives in a plane, and a slider along the normal: rows of W are zero, in axes turned by any angle zero
// but for rounding.
START_TEST(singular)
{
  for (int j = 0; j < 16; j++) {
    double c = cos(0.4 * j);
    double s = sin(0.4 * j);
    const double W[9] = {1.6 * c * c, 1.6 * c * s, 1.1 * c, 1.6 * c * s, 1.6 * s * s,
                         1.1 * s,     1.1 * c,     1.1 * s, 2.5};
    const double u[3] = {-0.4 * c, -0.4 * s, -1};
    rh_point_in in = input_of(W, u, 0.8, 0);
    rh_point_out out = strike("stronge", &in);
    double stop = 0.4 / (1.1 + 0.8 * 1.6); // as in `plane`
    double Pc = stop - (-1 + (2.5 + 0.8 * 1.1) * stop) / (2.5 - 1.1 * 1.1 / 1.6);
    double pt = 0.8 * stop - 1.1 / 1.6 * (Pc - stop);
    const double want[3] = {pt * c, pt * s, Pc};
    near_array(out.p, want, 3, 1e-14, 1e-14);
    ck_assert(out.stuck);
  }
  const double slider[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0.5};
  const double u[3] = {0.3, 0.4, -1};
  rh_point_in in = input_of(slider, u, 0.8, 0.5);
  rh_point_out out = strike("newton", &in);
  const double want[3] = {-0.6 * 0.8 * 3, -0.8 * 0.8 * 3, 3};
  near_array(out.p, want, 3, 1e-14, 1e-14);
  near_abs(out.u[0], 0.3, 0);
  in.u[0] = in.u[1] = 0;
  out = strike("newton", &in);
  near_abs(out.p[0], 0, 0);
  near_abs(out.p[2], 3, 1e-14);
}

END_TEST

// A tangential impact: nothing approaches, but friction jams the point. Slip stops at Ps, compression is what the jam did.
START_TEST(jam)
{
  const double W[9] = {1.5, 0,   1.2, 0,  2,
                       0,   1.2, 0,   1.1}; // Wnn - mu Wtn < 0 above mu = 0.917; critical 0.8
  const double u[3] = {0.5, 0, 0};
  const double mu = 1.2;
  double Ps = 0.5 / (mu * 1.5 - 1.2);
  double slope = 1.1 - 1.2 * 1.2 / 1.5;
  double C1 = (1.1 - mu * 1.2) * Ps;
  double Pc = Ps - C1 / slope;
  rh_point_in in = input_of(W, u, mu, 0.5);
  rh_point_out out = strike("poisson", &in);
  near_rel(out.Pc, Pc, 1e-14);
  near_rel(out.p[2], 1.5 * Pc, 1e-14);
  near_rel(out.u[2], 0.5 * Pc * slope, 1e-13);
  ck_assert(isnan(out.e) && out.stuck && !out.gained);
  out = strike("newton", &in); // C0 = 0: no rebound
  near_rel(out.p[2], Pc, 1e-14);
  in.mu_s = in.mu_k = 0.9; // no jam
  out = strike("poisson", &in);
  ck_assert(out.p[0] == 0 && out.p[2] == 0 && out.u[0] == 0.5);
}

END_TEST

START_TEST(no_impact)
{
  const double W[9] = {2, 0.3, 0.9, 0.3, 1.2, -0.6, 0.9, -0.6, 1.5};
  const double speed[3] = {0.1, 0, 1e-300};
  for (int i = 0; i < 3; i++) {
    const double u[3] = {0.3, -0.2, speed[i]};
    rh_point_in in = input_of(W, u, 0.5, 0.5);
    rh_point_out out = strike("stronge", &in);
    ck_assert(out.p[0] == 0 && out.p[1] == 0 && out.p[2] == 0 && out.Dn == 0 && out.Dt == 0);
    near_array(out.u, u, 3, 0, 0);
  }
}

END_TEST

// Static friction above kinetic: stick is held up to mu_s, slip that begins obeys mu_k.
START_TEST(two_coefficients)
{
  const double W[9] = {2, 0, 1, 0, 2, 0, 1, 0, 2}; // critical 0.5
  const double u[3] = {0, 0, -1};
  rh_point_in in = input_of(W, u, 0.3, 0);
  in.mu_s = 0.6;
  rh_point_out out = strike("newton", &in);
  ck_assert(out.stuck);
  near_rel(out.p[2], 1 / (2 - 0.5), 1e-15);
  near_rel(out.p[0], -0.5 / (2 - 0.5), 1e-15);
  in.mu_s = 0.4;
  out = strike("newton", &in);
  ck_assert(!out.stuck);
  near_rel(out.p[2], 1 / (2 - 0.3), 1e-15); // dC = Wnn - mu_k Wtn
  near_rel(out.u[0], (1 - 0.3 * 2) / (2 - 0.3), 1e-14);
}

END_TEST

// ---- Invariants over impacts by chance

// W = Q diag Q' with a random turn Q.
static void random_inertia(uint64_t *state, const double eigen[3], double W[9])
{
  rh_quat turn = {within(state, -1, 1), within(state, -1, 1), within(state, -1, 1),
                  within(state, -1, 1)};
  rh_mat3 Q = rh_quat_matrix(turn);
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) {
        sum += Q.m[3 * i + k] * Q.m[3 * j + k] * eigen[k];
      }
      W[3 * i + j] = sum;
      W[3 * j + i] = sum;
    }
  }
}

static rh_point_in random_input(uint64_t *state, double decades)
{
  rh_point_in in;
  double eigen[3];
  for (int i = 0; i < 3; i++) {
    eigen[i] = 4 * pow(10, -decades * chance(state));
  }
  random_inertia(state, eigen, in.W);
  in.u[0] = within(state, -2, 2);
  in.u[1] = within(state, -2, 2);
  in.u[2] = -chance(state);
  in.mu_k = within(state, 0, 1.5);
  in.mu_s = in.mu_k;
  in.e = chance(state);
  return in;
}

static void at_the_edge(uint64_t *state, int i, rh_point_in *in)
{
  double scale = pow(10, within(state, -6, 4));
  in->u[0] *= scale;
  in->u[1] *= scale;
  in->mu_k = pow(10, within(state, -2, 2));
  in->mu_s = in->mu_k * within(state, 1, 2);
  if (i % 7 == 0) {
    in->u[0] = in->u[1] = 0;
  }
  in->u[2] = i % 11 == 0 ? 0 : in->u[2];
  in->e = i % 13 == 0 ? 1 : i % 17 == 0 ? 0 : in->e;
  in->mu_k = i % 19 == 0 ? 0 : in->mu_k;
}

// What an impact of any law must satisfy. `loss` relates to rounding: W nearly singular makes impulses of any size, and
// the works are differences of products p W p.
static void sound(const rh_point_in *in, const rh_point_out *out, bool passive, double loss)
{
  double work = 0;
  double size = 0;
  double worst = 0;
  for (int i = 0; i < 3; i++) {
    double change = in->u[i] - out->u[i];
    double terms = fabs(in->u[i]) + fabs(out->u[i]);
    for (int j = 0; j < 3; j++) {
      change += in->W[3 * i + j] * out->p[j];
      terms += fabs(in->W[3 * i + j] * out->p[j]);
      size += fabs(out->p[i] * in->W[3 * i + j] * out->p[j]);
    }
    work += 0.5 * out->p[i] * (in->u[i] + out->u[i]);
    size += fabs(out->p[i] * in->u[i]);
    worst = fmax(worst, fabs(change) / fmax(terms, 1e-300));
  }
  ck_assert_msg(worst <= loss, "u+ - u- - W p: %g of its terms", worst);
  ck_assert_msg(fabs(work + out->Dn + out->Dt) <= 1e-12 * size, "work %g, lost %g + %g", work,
                out->Dn, out->Dt);
  ck_assert(sqrt(out->p[0] * out->p[0] + out->p[1] * out->p[1]) <=
            in->mu_s * out->p[2] * (1 + 1e-12));
  ck_assert(out->p[2] >= 0 && out->u[2] >= -1e-12 * fabs(in->u[2]) && out->Dt >= -1e-12 * size);
  ck_assert(!passive || (out->Dn >= -1e-12 * size && !out->gained));
  ck_assert_int_eq(out->gained, out->Dn + out->Dt < 0 && out->gained);
}

START_TEST(invariants)
{
  uint64_t state = 88172645463325252ULL;
  int gained[3] = {0, 0, 0};
  int stuck = 0;
  int shifts = 0;
  for (int i = 0; i < MANY; i++) {
    rh_point_in in = random_input(&state, 2);
    rh_point_out out = strike(law_name[i % 3], &in);
    sound(&in, &out, i % 3 == 2, 1e-12);
    if (i % 3 == 0) {
      near_abs(out.e, in.e, 1e-12);
    } else if (i % 3 == 1) {
      near_rel(out.p[2], (1 + in.e) * out.Pc, 1e-12);
    } else {
      near_rel(-out.Dn, (1 - in.e * in.e) * out.Wc, 1e-9 + 1e-12 / (1 - in.e));
    }
    gained[i % 3] += out.gained;
    stuck += out.stuck;
    shifts += out.shifts;
  }
  // Every sort of path was met; Newton's law did create energy and was found out.
  ck_assert_int_gt(gained[0], MANY / 1000);
  ck_assert_int_eq(gained[2], 0);
  ck_assert_int_gt(stuck, MANY / 100);
  ck_assert_int_gt(shifts, 0);
}

END_TEST

// Condition numbers up to 1e12, slip from a millionth to ten thousand times the approach, mu from 0 to 200, e = 0 and 1.
// The slope of u_n while the point sticks is a Schur complement, of which a condition of 1e12 leaves few digits: 1e-7.
START_TEST(edges)
{
  uint64_t state = 1234567890123456789ULL;
  for (int i = 0; i < MANY / 4; i++) {
    rh_point_in in = random_input(&state, 12);
    at_the_edge(&state, i, &in);
    rh_point_out out = strike(law_name[i % 3], &in);
    sound(&in, &out, i % 3 == 2, 1e-7);
  }
}

END_TEST

START_TEST(refused)
{
  const double W[9] = {2, 0.3, 0.9, 0.3, 1.2, -0.6, 0.9, -0.6, 1.5};
  const double u[3] = {0.4, -0.7, -1};
  rh_point_in in = input_of(W, u, 0.3, 0.5);
  rh_point_out out;
  const rh_impact_law *law = rh_impact_law_find("poisson");
  in.u[1] = (double)NAN;
  ck_assert(!rh_point_impact(law, &in, &out) && out.p[2] == 0);
  in.u[1] = 0;
  in.W[8] = 0;
  ck_assert(!rh_point_impact(law, &in, &out) && out.p[2] == 0);
  in.W[8] = (double)INFINITY;
  ck_assert(!rh_point_impact(law, &in, &out));
}

END_TEST

// Tangential axes are a matter of choice: turned about the normal, and mirrored.
START_TEST(axes)
{
  uint64_t state = 42424242424242ULL;
  for (int i = 0; i < MANY / 10; i++) {
    rh_point_in in = random_input(&state, 2);
    double angle = within(&state, -4, 4);
    double flip = i % 2 == 0 ? 1 : -1;
    rh_mat3 Q = {{cos(angle), -flip * sin(angle), 0, sin(angle), flip * cos(angle), 0, 0, 0, 1}};
    rh_mat3 T = rh_mat3_transpose(&Q);
    rh_mat3 W;
    memcpy(W.m, in.W, sizeof in.W);
    rh_mat3 QW = rh_mat3_mul(&Q, &W);
    rh_mat3 turned = rh_mat3_mul(&QW, &T);
    rh_vec3 u = rh_rotate(&Q, vector_of(in.u));
    rh_point_in other = in;
    memcpy(other.W, turned.m, sizeof other.W);
    memcpy(other.u, &u, sizeof other.u);
    rh_point_out a = strike(law_name[i % 3], &in);
    rh_point_out b = strike(law_name[i % 3], &other);
    rh_vec3 p = rh_rotate(&Q, vector_of(a.p));
    near_array(b.p, &p.x, 3, 1e-10 * (1 + rh_norm(p)), 0);
  }
}

END_TEST

// ---- Another way: the fourth-order Runge-Kutta rule in the direction of slip and the logarithm of its speed

enum { PHI, LOG_S, P_N, U_N, POLAR };

static void polar_rate(const rh_point_in *in, const double y[POLAR], double dy[POLAR])
{
  const double *W = in->W;
  double c = cos(y[PHI]);
  double s = sin(y[PHI]);
  double speed = exp(y[LOG_S]);
  double r1 = W[2] - in->mu_k * (W[0] * c + W[1] * s);
  double r2 = W[5] - in->mu_k * (W[3] * c + W[4] * s);
  dy[PHI] = c * r2 - s * r1;
  dy[LOG_S] = c * r1 + s * r2;
  dy[P_N] = speed;
  dy[U_N] = speed * (W[8] - in->mu_k * (W[6] * c + W[7] * s));
}

static void polar_step(const rh_point_in *in, double h, double y[POLAR])
{
  double k[4][POLAR];
  double at[POLAR];
  polar_rate(in, y, k[0]);
  for (int stage = 1; stage < 4; stage++) {
    for (int i = 0; i < POLAR; i++) {
      at[i] = y[i] + (stage == 3 ? h : 0.5 * h) * k[stage - 1][i];
    }
    polar_rate(in, at, k[stage]);
  }
  for (int i = 0; i < POLAR; i++) {
    y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

// Steps of 1/1000 of the rate leave 1e-12; what the path says at 20 places of it must be that.
START_TEST(two_routes)
{
  uint64_t state = 777777777777ULL;

  enum { SAMPLES = 20, STEP = 50 };

  for (int i = 0; i < 60; i++) {
    rh_point_in in = random_input(&state, 2);
    double y[POLAR] = {atan2(in.u[1], in.u[0]), 0.5 * log(in.u[0] * in.u[0] + in.u[1] * in.u[1]), 0,
                       in.u[2]};
    double pn[SAMPLES];
    double want[SAMPLES][3];
    rh_point_at at[SAMPLES];
    rh_point_out out;
    double h = 1e-3 / (fabs(in.W[2]) + fabs(in.W[5]) + in.mu_k * (in.W[0] + in.W[4]));
    for (int k = 0; k < SAMPLES; k++) {
      for (int n = 0; n < STEP; n++) {
        polar_step(&in, h, y);
      }
      pn[k] = y[P_N];
      want[k][0] = exp(y[LOG_S]) * cos(y[PHI]);
      want[k][1] = exp(y[LOG_S]) * sin(y[PHI]);
      want[k][2] = y[U_N];
    }
    const rh_point_want wanted = {.n = SAMPLES, .pn = pn, .at = at};
    ck_assert(rh_point_trace(rh_impact_law_find("stronge"), &in, &wanted, &out));
    for (int k = 0; k < SAMPLES && pn[k] < out.p[2]; k++) {
      near_array(at[k].u, want[k], 3, 1e-11, 1e-11);
    }
  }
}

END_TEST

Suite *rh_suite_unit_point(void)
{
  Suite *suite = suite_create("unit_point");
  TCase *forms = tcase_create("closed_forms");
  tcase_add_test(forms, central);
  tcase_add_test(forms, plane);
  tcase_add_test(forms, singular);
  tcase_add_test(forms, jam);
  tcase_add_test(forms, no_impact);
  tcase_add_test(forms, two_coefficients);
  suite_add_tcase(suite, forms);
  TCase *chances = tcase_create("invariants");
  tcase_add_test(chances, invariants);
  tcase_add_test(chances, edges);
  tcase_add_test(chances, refused);
  tcase_add_test(chances, axes);
  tcase_add_test(chances, two_routes);
  suite_add_tcase(suite, chances);
  return suite;
}
