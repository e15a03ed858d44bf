// kind_friction.c: every row of the table of friction laws must keep what routh/kind.h promises: inside the cone, the
// same in every direction, an account of its power that closes, passive if it says so. A new row is tested by being in
// the table. Then what is known of single laws, among it that [AF]'s friction is not passive.
#include "data/compliant.h"
#include "laws.h"
#include "laws/free_impact.h"

#define STATES 1000

#define FOR_EACH_ROW                                                                               \
  int count = 0;                                                                                   \
  const rh_friction_law *const *table = rh_friction_law_table(&count);                             \
  const rh_friction_law *law = table[_i];                                                          \
  ck_assert_int_lt(_i, count);                                                                     \
  rng r = {(uint64_t)(800 + _i)};                                                                  \
  if (!law->force) { /* of rigid bodies: see unit_rigid */                                         \
    return;                                                                                        \
  }

static state random_contact(rng *r, const rh_friction_law *law)
{
  state x = {.law = law};
  random_par(r, &law->row, x.par);
  if (has_par(&law->row, "Cv") && rng_int(r, 2)) {
    *par_at(&law->row, x.par, "Cv") = pow(10, rng_in(r, -2, 2));
  }
  if (has_par(&law->row, "sigma2") && rng_int(r, 2)) {
    *par_at(&law->row, x.par, "sigma2") = pow(10, rng_in(r, -2, 1));
  }
  if (has_par(&law->row, "mu_k")) {
    *par_at(&law->row, x.par, "mu_k") = *par_at(&law->row, x.par, "mu_s") * rng_in(r, 0, 1);
  }
  if (has_par(&law->row, "Gstar")) {
    *par_at(&law->row, x.par, "Gstar") = pow(10, rng_in(r, 5, 11));
  }
  if (has_par(&law->row, "Estar")) {
    *par_at(&law->row, x.par, "Estar") = pow(10, rng_in(r, 5, 11));
  }
  x.in.radius = pow(10, rng_in(r, -3, 0));
  x.in.depth = pow(10, rng_in(r, -7, -3));
  x.in.rate = rng_in(r, -1, 1);
  x.in.normal = rng_int(r, 10) == 0 ? 0 : pow(10, rng_in(r, -2, 3));
  double size = pow(10, rng_in(r, -6, 0.5));
  x.in.slip[0] = rng_in(r, -size, size);
  x.in.slip[1] = rng_in(r, -size, size);
  for (int i = 0; i < law->nstate; i++) {
    x.s[i] = rng_in(r, -1, 1) * pow(10, rng_in(r, -7, -4));
  }
  return x;
}

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  (void)r;
  check_head(&law->row);
  ck_assert_ptr_eq(rh_friction_law_find(law->row.name), law);
  ck_assert(law->force != NULL);
  ck_assert(law->nstate >= 0 && law->nstate <= RH_FRICTION_STATES && law->nstate % 2 == 0);
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  ck_assert(law->check == NULL || law->check(par) == NULL);
  ck_assert_ptr_null(rh_friction_law_find("no-such-law"));
}

END_TEST

START_TEST(power_balance)
{
  FOR_EACH_ROW;
  for (int i = 0; i < STATES; i++) {
    state x = random_contact(&r, law);
    rh_friction_out out = ask(&x);
    double in = -(out.force[0] * x.in.slip[0] + out.force[1] * x.in.slip[1]);
    double scale = fabs(out.p_spring) + fabs(out.p_damper) + fabs(out.p_slide) + fabs(in);
    // A dozen roundings, of terms that cancel to a hundredth now and then.
    near_abs(in - out.p_spring - out.p_damper - out.p_slide, 0, 1e-12 * scale);
    ck_assert(out.p_damper >= 0 && out.p_slide >= -1e-15 * scale && out.stored >= 0);
    ck_assert(out.margin == out.margin && out.margin != 0);
    for (int k = 0; k < law->nstate; k++) {
      ck_assert(isfinite(out.ds[k]));
    }
    ck_assert_msg(out.margin < 0 || out.p_slide == 0, "%s slides while it sticks", law->row.name);
  }
}

END_TEST

// The coefficient of friction that a row is given by, and what its viscous part may add at most.
static double cone(state *x)
{
  const rh_row *row = &x->law->row;
  if (row->nparam == 0) {
    return 0;
  }
  double drag = 0;
  if (has_par(row, "Cv")) {
    drag = *par_at(row, x->par, "Cv");
  } else if (has_par(row, "sigma2")) {
    drag = *par_at(row, x->par, "sigma2") * x->in.normal;
  }
  rh_friction_out out = ask(x);
  double sliding[2] = {x->in.slip[0] - out.ds[0], x->in.slip[1] - out.ds[1]};
  double mu = *par_at(row, x->par, has_par(row, "mu") ? "mu" : "mu_s");
  return mu * x->in.normal + (drag > 0 ? drag * size_of(sliding) : 0);
}

START_TEST(inside_the_cone)
{
  FOR_EACH_ROW;
  for (int i = 0; i < STATES; i++) {
    state x = random_contact(&r, law);
    x.in.rate = -fabs(x.in.rate); // the passive law's ds holds more than the deformation otherwise
    double force = size_of(ask(&x).force);
    ck_assert_msg(force <= cone(&x) * (1 + 1e-12), "%s: %g beyond %g N", law->row.name, force,
                  cone(&x));
  }
}

END_TEST

static void turn(double *v, double c, double s)
{
  double x = c * v[0] - s * v[1];
  v[1] = s * v[0] + c * v[1];
  v[0] = x;
}

START_TEST(same_in_every_direction)
{
  FOR_EACH_ROW;
  for (int i = 0; i < STATES; i++) {
    state x = random_contact(&r, law);
    rh_friction_out before = ask(&x);
    double angle = rng_in(&r, 0, 6.28);
    double c = cos(angle);
    double s = sin(angle);
    turn(x.in.slip, c, s);
    turn(before.force, c, s);
    for (int k = 0; k < law->nstate; k += 2) {
      turn(x.s + k, c, s);
      turn(before.ds + k, c, s);
    }
    rh_friction_out after = ask(&x);
    // Where spring and damper nearly cancel, what is left has the rounding of the two.
    double parts = 1 + size_of(x.in.slip) + 1e5 * size_of(x.s);
    near_array(after.force, before.force, 2, 1e-14 * (size_of(before.force) + 1e3 * parts), 0);
    near_array(after.ds, before.ds, law->nstate, 1e-12 * parts + 1e-13 * size_of(before.ds), 0);
    near_abs(after.stored, before.stored, 1e-14 * before.stored);
  }
}

END_TEST

// The force has no jump where the law changes from stick to slip, nor where contact begins.
START_TEST(continuous)
{
  FOR_EACH_ROW;
  for (int i = 0; i < 200 && law->nstate > 0; i++) {
    state x = random_contact(&r, law);
    state y = x;
    double lo = 0; // the slip at which it yields, as a part of a large one
    double hi = 1e3;
    for (int k = 0; k < 200; k++) {
      double mid = 0.5 * (lo + hi);
      y.in.slip[0] = mid * x.in.slip[0];
      y.in.slip[1] = mid * x.in.slip[1];
      *(ask(&y).margin > 0 ? &lo : &hi) = mid;
    }
    rh_friction_out out[2];
    for (int k = 0; k < 2; k++) {
      double part = k == 0 ? lo : hi;
      y.in.slip[0] = part * x.in.slip[0];
      y.in.slip[1] = part * x.in.slip[1];
      out[k] = ask(&y);
    }
    if (lo > 0 && hi < 1e3) {
      near_array(out[0].force, out[1].force, 2, 1e-9 * x.in.normal, 0);
      near_array(out[0].ds, out[1].ds, law->nstate, 1e-9 * (1 + 1e5 * size_of(x.s)), 1e-9);
    }
    // At touchdown nothing is strained, and depth and normal force begin.
    memset(x.s, 0, sizeof(x.s));
    x.in.depth = 1e-24;
    x.in.normal = 1e-12;
    ck_assert(size_of(ask(&x).force) < 1e-6);
    x.in.depth = 0;
    x.in.normal = 0;
    ck_assert(size_of(ask(&x).force) == 0 && isfinite(ask(&x).ds[0]));
  }
}

END_TEST

// ---- Passivity

// d(stored)/dt less the power put in, which must not be positive: the storage along the state's own motion.
static double surplus(state *x)
{
  rh_friction_out out = ask(x);
  double h = 1e-6 * fmin(1, x->in.depth / fmax(fabs(x->in.rate), 1e-12));
  for (int k = 0; k < x->law->nstate; k++) {
    h = fmin(h, 1e-6 * (fabs(x->s[k]) + 1e-9) / fmax(fabs(out.ds[k]), 1e-12));
  }
  double stored[2];
  for (int side = 0; side < 2; side++) {
    state y = *x;
    double dt = side == 0 ? -h : h;
    y.in.depth += dt * x->in.rate;
    for (int k = 0; k < x->law->nstate; k++) {
      y.s[k] += dt * out.ds[k];
    }
    stored[side] = ask(&y).stored;
  }
  double in = -(out.force[0] * x->in.slip[0] + out.force[1] * x->in.slip[1]);
  double scale = fabs(in) + fabs(out.p_spring) + out.stored / h * 1e-8;
  return ((stored[1] - stored[0]) / (2 * h) - in) / fmax(scale, 1e-300);
}

START_TEST(storage_never_outruns_the_power)
{
  FOR_EACH_ROW;
  int broken = 0;
  for (int i = 0; i < STATES; i++) {
    state x = random_contact(&r, law);
    broken += surplus(&x) > 1e-6; // the difference is good to about 1e-8
  }
  ck_assert_msg(!law->passive || broken == 0, "%s: %d states give more than they take",
                law->row.name, broken);
  ck_assert_msg(law->passive || broken > 0, "%s may as well call itself passive", law->row.name);
}

END_TEST

typedef struct path { // a random way of the contact point, in depth and along the ground
  double depth, wave[3], speed[2][3], phase[3][3];
} path;

static void follow(const path *p, double t, state *x)
{
  double z = 0;
  double dz = 0;
  x->in.slip[0] = 0;
  x->in.slip[1] = 0;
  for (int i = 0; i < 3; i++) {
    z += sin(p->wave[i] * t + p->phase[2][i]) / 4;
    dz += p->wave[i] * cos(p->wave[i] * t + p->phase[2][i]) / 4;
    for (int k = 0; k < 2; k++) {
      x->in.slip[k] += p->speed[k][i] * sin(p->wave[2 - i] * t + p->phase[k][i]);
    }
  }
  x->in.depth = p->depth * (1 + z);
  x->in.rate = p->depth * dz;
  x->in.normal = 8.5e6 * pow(x->in.depth, 1.5);
}

static path random_path(rng *r)
{
  path p = {.depth = pow(10, rng_in(r, -5, -3.5))};
  for (int i = 0; i < 3; i++) {
    p.wave[i] = rng_in(r, 100, 3000);
    for (int k = 0; k < 3; k++) {
      p.phase[k][i] = rng_in(r, 0, 6.28);
    }
    p.speed[0][i] = rng_in(r, -0.1, 0.1);
    p.speed[1][i] = rng_in(r, -0.1, 0.1);
  }
  return p;
}

static double power_in(const rh_friction_out *out, const state *x)
{
  return -(out->force[0] * x->in.slip[0] + out->force[1] * x->in.slip[1]);
}

// Along a random way, from rest: what the friction has taken is never less than nothing, and never less than it stores.
START_TEST(passive_along_random_ways)
{
  FOR_EACH_ROW;

  enum { WAYS = 20, STEPS = 4000 };

  const double h = 2.5e-6; // the bristles' relaxation, 1e3 per second times ten, is well resolved
  for (int i = 0; i < WAYS && law->passive; i++) {
    path p = random_path(&r);
    state x = random_contact(&r, law);
    memset(x.s, 0, sizeof(x.s));
    double taken = 0;
    double most = 0;
    for (int n = 0; n < STEPS; n++) { // midpoint rule
      state y = x;
      follow(&p, n * h, &y);
      rh_friction_out out = ask(&y);
      for (int k = 0; k < law->nstate; k++) {
        y.s[k] += 0.5 * h * out.ds[k];
      }
      follow(&p, (n + 0.5) * h, &y);
      out = ask(&y);
      for (int k = 0; k < law->nstate; k++) {
        x.s[k] += h * out.ds[k];
      }
      taken += h * power_in(&out, &y);
      follow(&p, (n + 1) * h, &y);
      memcpy(y.s, x.s, sizeof(y.s));
      double stored = ask(&y).stored;
      most = fmax(most, fabs(taken));
      // The midpoint rule errs by some (h wave)^2 of what has passed.
      ck_assert_msg(taken >= stored - 1e-3 * most, "%s gives %g J", law->row.name, stored - taken);
    }
  }
}

END_TEST

// ---- One impact of [AF]'s sphere along the ground: depth and rate, slip of the contact point, deformation, account.

enum { Z, RATE, SLIP, DEFORMATION, EQ33, DAMPER, CLUTCH, NY };

static void sphere_rate(state *x, const double *par, const double *y, double *dy)
{
  rh_normal_in in = {.depth = fmax(y[Z], 0), .rate = y[RATE], .radius = 0.0165, .par = par};
  rh_normal_out f;
  rh_normal_law_find("azad-featherstone")->force(&in, &f);
  x->in.depth = in.depth;
  x->in.rate = y[RATE];
  x->in.normal = f.spring + f.damper;
  x->in.slip[0] = y[SLIP];
  x->s[0] = y[DEFORMATION];
  rh_friction_out out = ask(x);
  dy[Z] = y[RATE];
  dy[RATE] = 9.81 - x->in.normal / AF_MASS;
  dy[SLIP] = 3.5 * out.force[0] / AF_MASS; // 1/m + r^2/I of a solid sphere
  dy[DEFORMATION] = out.ds[0];
  dy[EQ33] = out.p_spring;
  dy[DAMPER] = out.p_damper;
  dy[CLUTCH] = out.p_slide;
}

static void sphere_impact(state *x, const double *par, double *y)
{
  const double h = 5e-8; // [s]; the deformation relaxes with Kt / Dt = 4e6 per second at most
  while (y[Z] >= 0) {
    double k[4][NY];
    double at[NY];
    for (int stage = 0; stage < 4; stage++) {
      double part = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
      for (int i = 0; i < NY; i++) {
        at[i] = y[i] + (stage > 0 ? part * k[stage - 1][i] : 0);
      }
      sphere_rate(x, par, at, k[stage]);
    }
    for (int i = 0; i < NY; i++) {
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
  }
}

START_TEST(known_case_that_is_not_passive)
{
  static const char *const name[] = {"azad-featherstone", "azad-featherstone-passive"};
  const double *c = af_not_passive[_i];
  double par[RH_PAR_MAX];
  rh_row_defaults(&rh_normal_law_find("azad-featherstone")->row, par);
  for (int i = 0; i < RH_COUNT(name); i++) {
    state x = {.law = rh_friction_law_find(name[i])};
    rh_row_defaults(&x.law->row, x.par);
    *par_at(&x.law->row, x.par, "Dt") = c[0];
    *par_at(&x.law->row, x.par, "mu") = c[1];
    double y[NY] = {0, sqrt(2 * 9.81 * 0.0835), 0.5};
    sphere_impact(&x, par, y);
    double ratio = fabs(y[SLIP]) / 0.5;
    // The tangential energy that an impact can change is that of the slip, 1/2 (m / 3.5) slip^2.
    double before = 0.5 * AF_MASS / 3.5 * 0.25;
    double account = before * ratio * ratio + y[EQ33] + y[DAMPER] + y[CLUTCH];
    near_rel(account, before, 1e-5);
    if (i == 0) {
      near_abs(ratio, c[2], 1e-5);
      near_abs(ratio * ratio, c[3], 2e-5);
      near_abs(y[EQ33], c[4], 1e-7);
      near_abs(y[DAMPER], c[5], 1e-7);
      near_abs(y[CLUTCH], c[6], 1e-7);
    } else {
      ck_assert_msg(ratio < 1, "the passive law makes %g of the slip", ratio);
      ck_assert(y[EQ33] > -1e-9);
    }
  }
}

END_TEST

// ---- What is known of single laws

// The closed form keeps eqs 22, 27, 30 and 31 as they are printed, put into each other.
START_TEST(clutch_keeps_the_printed_equations)
{
  const rh_friction_law *law = rh_friction_law_find("azad-featherstone");
  rng r = {5};
  int slipped = 0;
  for (int i = 0; i < STATES; i++) {
    state x = random_contact(&r, law);
    double *par = x.par;
    bool gated = *par_at(&law->row, par, "viscous") == 1 && x.in.normal == 0;
    double root = sqrt(x.in.depth);
    double Kt = *par_at(&law->row, par, "Kt") * root;
    double Dt = *par_at(&law->row, par, "Dt") * root;
    double Cv = gated ? 0 : *par_at(&law->row, par, "Cv");
    rh_friction_out out = ask(&x);
    double stick[2];
    double want[2];
    for (int k = 0; k < 2; k++) {
      stick[k] = -Kt * x.s[k] - Dt * x.in.slip[k]; // eq. 22
    }
    bool slips = size_of(stick) > *par_at(&law->row, par, "mu") * x.in.normal;
    slipped += slips;
    for (int k = 0; k < 2; k++) {
      double limit = *par_at(&law->row, par, "mu") * x.in.normal / size_of(stick);
      want[k] = slips ? stick[k] * limit - Cv * (x.in.slip[k] - out.ds[k]) : stick[k];
      // eq. 31
      near_abs(out.ds[k] * Dt, -(out.force[k] + Kt * x.s[k]), 1e-13 * (size_of(stick) + Kt * 1e-4));
    }
    near_array(out.force, want, 2, 1e-12 * (size_of(stick) + size_of(want)), 0); // eqs 26-27
    ck_assert(!gated || size_of(out.force) == 0);
    ck_assert_int_eq(out.margin < 0, slips);
  }
  ck_assert(slipped > STATES / 10 && slipped < STATES * 9 / 10);
}

END_TEST

// A block of 1 kg held at 90 % of the cone for 100 s by a constant pull: it settles, and then does not move at all.
START_TEST(bristles_do_not_creep)
{
  state x = {.law = rh_friction_law_find("bristle")};
  rh_row_defaults(&x.law->row, x.par);
  x.in.normal = 9.81;
  const double pull = 0.9 * 0.6 * 9.81;
  const double h = 2e-4;
  const double force = pull / 1e6; // the deformation that carries it
  double where = force;
  x.s[0] = force;
  double speed = 0;
  double far = 0;
  for (long n = 0; n < 500000; n++) { // semi-implicit Euler, 100 s
    x.in.slip[0] = speed;
    rh_friction_out out = ask(&x);
    ck_assert(out.margin > 0);
    speed += h * (pull + out.force[0]);
    x.in.slip[0] = speed;
    x.s[0] += h * ask(&x).ds[0];
    where += h * speed;
    far = fmax(far, fabs(where - force));
  }
  ck_assert_msg(far < 1e-9, "it moved by %g m", far);
}

END_TEST

START_TEST(bristles_slide_at_their_level)
{
  state x = {.law = rh_friction_law_find("bristle")};
  rh_row_defaults(&x.law->row, x.par);
  *par_at(&x.law->row, x.par, "sigma2") = 0.3;
  x.in.normal = 10;
  x.in.slip[0] = 0.005;
  double level = 0.5 + 0.1 * exp(-0.25);
  // Steady sliding: the bristles no longer move, so that the whole slip is sliding.
  x.s[0] = 10 * (level + 0.3 * 0.005) / 1e6;
  rh_friction_out out = ask(&x);
  near_rel(-out.force[0], 10 * (level + 0.3 * 0.005), 1e-12);
  near_abs(out.ds[0], 0, 1e-15);
  *par_at(&x.law->row, x.par, "mu_k") = 0.7;
  ck_assert_ptr_nonnull(x.law->check(x.par));
}

END_TEST

START_TEST(coulomb_far_from_rest)
{
  state x = {.law = rh_friction_law_find("coulomb")};
  rh_row_defaults(&x.law->row, x.par);
  x.in.normal = 10;
  x.in.slip[0] = 3;
  x.in.slip[1] = -4;
  rh_friction_out out = ask(&x);
  near_rel(out.force[0], -3, 1e-7); // v_slip / slip = 2e-4, and half its square is missing
  near_rel(out.force[1], 4, 1e-7);
  near_rel(out.p_slide, 25, 1e-7);
}

END_TEST

Suite *rh_suite_kind_friction(void)
{
  int count = 0;
  (void)rh_friction_law_table(&count);
  Suite *suite = suite_create("kind_friction");
  TCase *rows = tcase_create("every row");
  tcase_add_loop_test(rows, head_is_complete, 0, count);
  tcase_add_loop_test(rows, power_balance, 0, count);
  tcase_add_loop_test(rows, inside_the_cone, 0, count);
  tcase_add_loop_test(rows, same_in_every_direction, 0, count);
  tcase_add_loop_test(rows, continuous, 0, count);
  tcase_add_loop_test(rows, storage_never_outruns_the_power, 0, count);
  tcase_add_loop_test(rows, passive_along_random_ways, 0, count);
  suite_add_tcase(suite, rows);
  TCase *laws = tcase_create("single laws");
  tcase_add_loop_test(laws, known_case_that_is_not_passive, 0, RH_COUNT(af_not_passive));
  tcase_add_test(laws, clutch_keeps_the_printed_equations);
  tcase_add_test(laws, bristles_do_not_creep);
  tcase_add_test(laws, bristles_slide_at_their_level);
  tcase_add_test(laws, coulomb_far_from_rest);
  suite_add_tcase(suite, laws);
  return suite;
}
