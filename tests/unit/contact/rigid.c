// unit_rigid.c: rigid contact in the loop against closed forms: sliding, rolling and spinning bodies, contacts that end, bodies on
// joints that strike, stick-slip.
#include "rigid.h"

// ---- Rolling

// A solid ball on a slope of angle a: 5/7 g sin(a).
START_TEST(ball_on_a_slope)
{
  double a = 0.3;
  play("world: {gravity: [%.17g, 0, %.17g]}\n"
       "bodies: [{name: b, mass: 3}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: 0.2}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: "
       "0.2}]\n"
       "run: {until: 2, " FINE "}\n",
       G * sin(a), -G * cos(a));
  double accel = 5.0 / 7 * G * sin(a);
  near_rel(told.q[0], accel * 2, 1e-11);
  near_rel(told.v[0], accel * 2, 1e-11);
  near_rel(told.v[4], accel * 2 / 0.2, 1e-11);
  near_abs(told.q[2], 0.2, 1e-12);
  ck_assert_int_eq(told.sticks, 1);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// A coin that leans by `lean` and rolls round in a circle: with its centre at distance rho from the axis, steady precession
//   W^2 = g tan(lean) / (3/2 rho + r sin(lean) / 4)
// and spin -W (rho + r sin(lean)) / r about its axis on top. The rim that touches is in the plane of the centre of mass.
START_TEST(coin)
{
  double lean = 0.4;
  double rho = 0.5;
  double r = 0.1;
  double W = sqrt(G * tan(lean) / (1.5 * rho + r * sin(lean) / 4));
  double spin = -W * (rho + r * sin(lean)) / r;
  double half = (acos(-1) / 2 - lean) / 2;
  double turn = 2 * acos(-1) / W;
  play(DOWN
       "bodies: [{name: b, mass: 0.4, inertia: [0.001, 0.001, 0.002, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: b, q: [%.17g, 0, %.17g, %.17g, 0, %.17g, 0], v: [0, %.17g, 0, "
       "%.17g, 0, %.17g]}]\n"
       "shapes: [" FLAT_FLOOR
       ", {body: b, kind: cylinder, radius: 0.1, length: 0.01, at: [0, 0, 0.005]}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 1, mu_k: 1}]\n"
       "run: {until: %.17g, " FINE "}\n",
       rho, r * cos(lean), cos(half), sin(half), W * rho, spin * cos(lean), W + spin * sin(lean),
       turn);
  count_is(RH_EVENT_SLIP, 0);
  count_is(RH_EVENT_SEPARATE, 0);
  near_abs(
      told.q[0], rho,
      1e-8); // after one turn; the motion is stable, errors of 1e-12 grow by what a turn is long
  near_abs(told.q[1], 0, 1e-8);
  near_abs(told.q[2], r * cos(lean), 1e-9);
  near_abs(told.v[1], W * rho, 1e-8);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// ---- Rods

// Without friction the centre of a rod that falls over goes straight down: w^2 (1/3 + cos^2) l = 2 g (sin a0 - sin a).
START_TEST(rod_on_ice)
{
  double a0 = 1.2;
  double l = 0.5;
  play(DOWN "bodies: [{name: rod, mass: 2, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
            "joints: [{kind: planar, normal: [0, -1, 0], child: rod, q: [0.3, %.17g, %.17g]}]\n"
            "meshes: [{name: needle, vertices: [0.5, 0, 0, -0.5, 0, 0, 0, 1e-5, 0, 0, -1e-5, 0, 0, "
            "0, 1e-5, 0, 0, -1e-5]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: rod, kind: hull, mesh: needle}]\n"
            "contacts: [{body: rod, against: world, law: newton, e: 0, friction: none}]\n"
            "run: {until: 0.4, " FINE "}\n",
       2 * l * l / 3, 2 * l * l / 3, 2 * l * l / 3, l * sin(a0), a0);
  double a = told.q[2];
  double c = cos(a);
  near_abs(told.q[0], 0.3, 1e-12);
  near_abs(told.q[1], l * sin(a), 1e-11);
  near_rel(told.v[2], -sqrt(2 * G * (sin(a0) - sin(a)) / (l * (1.0 / 3 + c * c))), 1e-10);
  ck_assert_double_lt(a, a0 - 0.3);
  ck_assert_int_eq(told.slides, 1);
}

END_TEST

// ---- Leaving a ball

enum { ICE, ROUGH };

static void play_off(int kind, double kappa, double mu, double from, double until)
{
  double r = 0.05;
  double D = 0.45;
  double I = kappa * r * r;
  double v = sqrt(2 * G * D * (1 - cos(from)) / (1 + (kind == ROUGH ? kappa : 0)));
  play(DOWN
       "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: b, q: [%.17g, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, %.17g, 0, "
       "%.17g, 0]}]\n"
       "shapes: [{body: world, kind: sphere, radius: 0.4}, {body: b, kind: sphere, radius: 0.05}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %g, mu_k: "
       "%g}]\n"
       "run: {until: %g, " FINE "}\n",
       I, I, I, D * sin(from), D * cos(from), v * cos(from), -v * sin(from),
       kind == ROUGH ? v / r : 0.0, mu, mu, until);
}

// Down from the top the speed is that of free fall, less what goes into the spin: the time from angle a to b is
//   sqrt((1 + kappa) D / g) ln(tan(b/4) / tan(a/4)).
START_TEST(leaves_a_ball)
{
  double from = 0.1;
  play_off(ICE, 0.4, 0, from, 0.6);
  double b = acos(2.0 / 3);
  near_abs(nth(RH_EVENT_SEPARATE, 0)->e.t, sqrt(0.45 / G) * log(tan(b / 4) / tan(from / 4)),
           LOCATED);
  // Rolling ends where mu N = F: mu ((3 + k) cos - 2) = k sin, k = 2/5
  play_off(ROUGH, 0.4, 0.7, from, 0.7);
  double lo = from;
  double hi = 1;
  for (int i = 0; i < 60; i++) {
    double x = (lo + hi) / 2;
    bool slips = 0.7 * (3.4 * cos(x) - 2) < 0.4 * sin(x);
    lo = slips ? lo : x;
    hi = slips ? x : hi;
  }
  near_abs(nth(RH_EVENT_SLIP, 0)->e.t, sqrt(1.4 * 0.45 / G) * log(tan(lo / 4) / tan(from / 4)),
           LOCATED);
  ck_assert_double_gt(nth(RH_EVENT_SEPARATE, 0)->e.t, nth(RH_EVENT_SLIP, 0)->e.t);
  // With more and more friction the place comes to cos = 10/17.
  play_off(ROUGH, 0.4, 1e6, from, 0.7);
  const moment *m = nth(RH_EVENT_SEPARATE, 0);
  near_abs(m->q[2] / hypot(m->q[0], m->q[2]), 10.0 / 17, 1e-6);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// ---- On joints

// A pendulum swings from 60 degrees into a wall that it meets when it hangs: w+ = -e w-, up again to sin^2(b/2) = e^2 sin^2(a/2).
START_TEST(pendulum_strikes_a_wall)
{
  play(DOWN
       "bodies: [{name: b, mass: 1.3, com: [0, 0, -1], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
       "joints: [{name: h, kind: revolute, axis: [0, 1, 0], child: b, q: 1.0471975511965976}]\n"
       "shapes: [{body: b, kind: sphere, radius: 0.1, at: [0, 0, -1]},"
       " {body: world, kind: plane, rpy: [0, -1.5707963267948966, 0], at: [0.1, 0, 0]}]\n"
       "contacts: [{body: b, against: world, law: %s, e: 0.6, friction: none}]\n"
       "run: {until: 1, " FINE "}\n",
       (const char *[]){"newton", "poisson", "stronge"}[_i]);
  const moment *m = nth(RH_EVENT_IMPACT, 0);
  double w = sqrt(2 * 1.3 * G * 0.5 / (1.3 + 0.01));
  near_abs(m->q[0], 0, 1e-11);
  near_rel(-m->e.before, w, 1e-10);
  near_rel(fabs(m->v[0]), 0.6 * w, 1e-10);
  near_rel(m->e.impulse, 1.6 * w * 1.31, 1e-10);
  near_rel(m->e.Dn, 0.5 * 1.31 * w * w * (1 - 0.36), 1e-9);
  near_rel(told.energy + 1.3 * G, 0.36 * 1.3 * G * 0.5, 1e-8); // lowest place is -1.3 g
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// Two point masses on light rods of 1 m, angles t1 and t1 + t2 from the downward vertical, fall on the floor with the lower one:
//   v+ = v - H^-1 J' (1 + e) Jv / (J H^-1 J').
START_TEST(double_pendulum_strikes_the_floor)
{
  double m1 = 1.5;
  double m2 = 0.7;
  play(DOWN "bodies: [{name: a, mass: 1.5, com: [0, 0, -1], inertia: [0, 0, 0, 0, 0, 0]},"
            " {name: b, mass: 0.7, com: [0, 0, -1], inertia: [0, 0, 0, 0, 0, 0]}]\n"
            "joints: [{kind: revolute, axis: [0, -1, 0], child: a, q: 1.3, at: [0, 0, 1.7]},"
            " {kind: revolute, axis: [0, -1, 0], parent: a, child: b, q: 0.4, at: [0, 0, -1]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: 0.1, at: [0, 0, -1]}]\n"
            "contacts: [{body: b, against: world, law: newton, e: 0.5, friction: none}]\n"
            "events: [{name: before, time: %.17g}]\n"
            "run: {until: 0.8, " FINE "}\n",
       0.1);
  const moment *m = nth(RH_EVENT_IMPACT, 0);
  double a = m->q[0];
  double b = m->q[0] + m->q[1];
  // With A = t1', B = t1' + t2': T = (m1 + m2) A^2 / 2 + m2 cos(a - b) A B + m2 B^2 / 2; height of the tip -cos a - cos b
  double H[2][2] = {{m1 + m2, m2 * cos(a - b)}, {m2 * cos(a - b), m2}};
  double J[2] = {sin(a), sin(b)};
  double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
  double Y[2] = {(H[1][1] * J[0] - H[0][1] * J[1]) / det, (H[0][0] * J[1] - H[1][0] * J[0]) / det};
  double W = J[0] * Y[0] + J[1] * Y[1];
  double P = -1.5 * m->e.before / W;
  double after[2] = {m->v[0], m->v[0] + m->v[1]};
  double before[2] = {after[0] - Y[0] * P, after[1] - Y[1] * P};
  near_abs(1.6 - cos(a) - cos(b), 0, 1e-11); // it touches
  near_rel(m->e.impulse, P, 1e-10);
  near_rel(J[0] * before[0] + J[1] * before[1], m->e.before, 1e-10);
  near_rel(J[0] * after[0] + J[1] * after[1], -0.5 * m->e.before, 1e-10);
  near_rel(m->e.Dn, 0.375 * m->e.before * m->e.before / W, 1e-9);
  // Energy until then was that at the start.
  double E = H[0][0] * before[0] * before[0] / 2 + H[0][1] * before[0] * before[1] +
             m2 * before[1] * before[1] / 2 - G * ((m1 + m2) * cos(a) + m2 * cos(b));
  near_rel(E, -G * ((m1 + m2) * cos(1.3) + m2 * cos(1.7)), 1e-10);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// ---- Stick and slip

// A block is drawn by a spring whose end goes on with V. It sticks until the spring is stretched by us = mu_s m g / k, then
// swings about uk = mu_k m g / k; with A = us - uk and w^2 = k/m the period is 2 A / V + (2 pi - 2 atan(A w / V)) / w.
START_TEST(stick_slip)
{
  double V = 0.1;
  double k = 100;
  double m = 2;
  play(DOWN "bodies: [{name: cart, mass: 1e12}, {name: b, mass: 2}]\n"
            "joints: [{kind: prismatic, axis: [1, 0, 0], child: cart, v: [%.17g]},"
            " {kind: planar, normal: [0, -1, 0], parent: cart, child: b, q: [0, 0.1, 0], v: "
            "[%.17g, 0, 0], spring: [%g, 0, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: cart, kind: sphere, radius: 0.1, at: [0, 0, 5]}, "
            "{body: b, kind: box, size: [0.4, 0.2, 0.2]}]\n"
            "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "
            "mu_k: 0.3}]\n"
            "run: {until: 5, " FINE "}\n",
       V, -V, k);
  double w = sqrt(k / m);
  double A = (0.5 - 0.3) * m * G / k;
  double pi = acos(-1);
  double slip = (2 * pi - 2 * atan(A * w / V)) / w;
  double period = 2 * A / V + slip;
  near_abs(nth(RH_EVENT_SLIP, 0)->e.t, 0.5 * m * G / k / V, LOCATED);
  near_abs(nth(RH_EVENT_STICK, 0)->e.t - nth(RH_EVENT_SLIP, 0)->e.t, slip, 2 * LOCATED);
  int n = told.count[RH_EVENT_SLIP];
  ck_assert_int_ge(n, 12);
  for (int i = 4; i < n; i += 4) { // four corners, if they go together
    near_abs(nth(RH_EVENT_SLIP, i)->e.t - nth(RH_EVENT_SLIP, i - 4)->e.t, period, 2 * LOCATED);
  }
  no_verdicts();
}

END_TEST

// ---- Momentum and the books

// Two balls collide in the air, obliquely, with friction: momentum and spin are kept, and the books say where energy went.
START_TEST(collision_in_the_air)
{
  play("world: {gravity: [0, 0, 0]}\n"
       "bodies: [{name: a, mass: 1}, {name: b, mass: 3}]\n"
       "joints: [{kind: free, child: a, q: [-1, 0.05, 0.03, 1, 0, 0, 0], v: [2, 0.1, 0, 3, -5, 7]},"
       " {kind: free, child: b, q: [0, 0, 0, 1, 0, 0, 0], v: [-1, 0, 0.05, 1, 2, -4]}]\n"
       "shapes: [{body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, radius: 0.15}]\n"
       "contacts: [{body: a, against: b, law: %s, e: 0.7, friction: dry, mu_s: %g, mu_k: %g}]\n"
       "run: {until: 1, " FINE "}\n",
       (const char *[]){"newton", "poisson", "stronge"}[_i % 3], _i < 3 ? 0.05 : 2.0,
       _i < 3 ? 0.05 : 2.0);
  count_is(RH_EVENT_IMPACT, 1);
  const double *q = told.q;
  const double *v = told.v;
  const double x0[2][3] = {{-1, 0.05, 0.03}, {0, 0, 0}};
  const double v0[2][6] = {{2, 0.1, 0, 3, -5, 7}, {-1, 0, 0.05, 1, 2, -4}};
  const double mass[2] = {1, 3};
  const double moment_of[2] = {0.4 * 0.01, 0.4 * 3 * 0.15 * 0.15};
  for (int k = 0; k < 3; k++) {
    double p = 0;
    double L = 0;
    for (int b = 0; b < 2; b++) {
      int i = (k + 1) % 3;
      int j = (k + 2) % 3;
      const double *x = q + (ptrdiff_t)7 * b;
      const double *u = v + (ptrdiff_t)6 * b;
      p += mass[b] * (u[k] - v0[b][k]);
      L += mass[b] * (x[i] * u[j] - x[j] * u[i]) + moment_of[b] * u[3 + k];
      L -= mass[b] * (x0[b][i] * v0[b][j] - x0[b][j] * v0[b][i]) + moment_of[b] * v0[b][3 + k];
    }
    near_abs(p, 0, 1e-13);
    near_abs(L, 0, 1e-12);
  }
  const rh_event *e = &nth(RH_EVENT_IMPACT, 0)->e;
  double T = 0;
  for (int b = 0; b < 2; b++) {
    for (int k = 0; k < 3; k++) {
      T += 0.5 * (mass[b] * v0[b][k] * v0[b][k] + moment_of[b] * v0[b][3 + k] * v0[b][3 + k]);
    }
  }
  near_abs(T - told.energy, e->Dn + e->Dt, 1e-12);
  ck_assert_double_lt(told.residue, 1e-12);
}

END_TEST

// ---- Limits of joints and contacts at one instant

#define SLIDER                                                                                     \
  DOWN "bodies: [{name: a, mass: 3}, {name: b, mass: 1}]\n"                                        \
       "shapes: [" FLAT_FLOOR ", {body: a, kind: sphere, radius: 0.1}]\n"                          \
       "contacts: [{name: c, body: a, against: world, law: newton, e: 0}]\n"

// A falls with B standing on its lower limit. The floor stops A, the limit reverses B with e = 1/2 and pushes A down with
// u = m_b (1 + e) v / (m_a + m_b) = 3 v/8, the floor stops A again: B leaves with v/2 - 3 v/8, and A rests.
START_TEST(a_limit_strikes_after_the_floor)
{
  double v = sqrt(2 * G * 0.5);
  double top = 0.125 * v / G;
  play(SLIDER "joints: [{kind: prismatic, child: a, axis: [0, 0, 1], q: [0.6]},"
              " {kind: prismatic, parent: a, child: b, axis: [0, 0, 1], q: [0.2], limits: [0.2, 1],"
              " bounce: 0.5}]\n"
              "run: {until: %.17g, " FINE "}\n",
       v / G + top);
  near_abs(told.q[0], 0.1, 1e-10);
  near_abs(told.v[0], 0, 1e-10);
  near_abs(told.q[1], 0.2 + 0.5 * G * top * top, 1e-10);
  near_abs(told.v[1], 0, 1e-9);
  count_is(RH_EVENT_BOUNCE, 1);
  count_is(RH_EVENT_IMPACT, 2);
  no_verdicts();
}

END_TEST

// B flies to its upper limit while A rests on the floor, and lifts it: u = m_b (1 + e) v / (m_a + m_b). The floor does not
// hold A back.
START_TEST(a_limit_lifts_off_the_floor)
{
  double v = sqrt(6 * 6 - 2 * G * 0.7);
  double t = 0.05;
  play(SLIDER "joints: [{kind: prismatic, child: a, axis: [0, 0, 1], q: [0.1]},"
              " {kind: prismatic, parent: a, child: b, axis: [0, 0, 1], q: [0.3], v: [6], limits:"
              " [0.2, 1], bounce: 0.5}]\n"
              "run: {until: %.17g, " FINE "}\n",
       (6 - v) / G + t);
  near_abs(told.q[0], 0.1 + 0.375 * v * t - 0.5 * G * t * t, 1e-10);
  near_abs(told.v[0], 0.375 * v - G * t, 1e-9);
  near_abs(told.v[1], -0.5 * v, 1e-9);
  count_is(RH_EVENT_SEPARATE, 1);
  no_verdicts();
}

END_TEST

Suite *rh_suite_unit_rigid(void)
{
  Suite *suite = suite_create("unit_rigid");
  TCase *tests = tcase_create("closed forms");
  tcase_add_test(tests, ball_on_a_slope);
  tcase_add_test(tests, coin);
  tcase_add_test(tests, rod_on_ice);
  tcase_add_test(tests, leaves_a_ball);
  tcase_add_loop_test(tests, pendulum_strikes_a_wall, 0, 3);
  tcase_add_test(tests, double_pendulum_strikes_the_floor);
  tcase_add_test(tests, stick_slip);
  tcase_add_loop_test(tests, collision_in_the_air, 0, 6);
  tcase_add_test(tests, a_limit_strikes_after_the_floor);
  tcase_add_test(tests, a_limit_lifts_off_the_floor);
  suite_add_tcase(suite, tests);
  return suite;
}
