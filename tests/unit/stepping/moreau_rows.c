// unit_moreau_rows.c: impacts of time stepping where rows hold a body (a blade), and at several points of a body: each law of
// impact, with friction, against its path in closed form and against the engine event.
#include "rigid.h"

#define TURN 0.3 // [rad] heading; the blade is along it

static void play_hit(const char *shape, const char *law, bool blade, const char *run)
{
  play("world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 2, inertia: [0.02, 0.02, 0.03, 0, 0, "
       "0]}]\n"
       "joints: [{name: j, kind: planar, normal: [0, 0, 1], child: b, q: [0, 0, %.17g], v: [%.17g, "
       "%.17g, 0.5]}]\n"
       "shapes: [{body: b, %s}, {body: world, kind: plane, at: [0.6, 0, 0], rpy: [0, "
       "-1.5707963267948966, 0]}]\n%s"
       "contacts: [{name: c, body: b, against: world, law: %s, e: 0.5, friction: dry, mu_s: 0.3, "
       "mu_k: 0.3}]\nrun: {until: 0.3, %s}\n",
       TURN, 2 * cos(TURN), 2 * sin(TURN), shape,
       blade ? "constraints: [{name: blade, kind: knife-edge, body: b, along: [1, 0, 0]}]\n" : "",
       law, run);
}

#define CORNERS "kind: box, size: [0.4, 0.2, 0.1]"
#define BALL    "kind: sphere, radius: 0.05, at: [0.2, -0.1, 0]"
#define STEPS   "engine: stepping, dt: 2.5e-4"

// The ball's impact by Routh's path, in the forward speed s and the turn w: slip stops in compression, and sticks.
static void find_after(const char *law, double turn, double w0, double after[2])
{
  double c = cos(turn);
  double d = sin(turn);
  double r[2] = {0.2 * c + 0.1 * d + 0.05, 0.2 * d - 0.1 * c};
  double Jn[2] = {-c, r[1]};
  double Jt[2] = {d, r[0]};
  const double H[2] = {2, 0.03};
  const double v[2] = {2, w0};
  double W[3] = {0};
  double un = 0;
  double ut = 0;
  for (int k = 0; k < 2; k++) {
    W[0] += Jn[k] * Jn[k] / H[k];
    W[1] += Jn[k] * Jt[k] / H[k];
    W[2] += Jt[k] * Jt[k] / H[k];
    un += Jn[k] * v[k];
    ut += Jt[k] * v[k];
  }
  double slides = W[0] - 0.3 * W[1]; // of u_n by p_n
  double sticks = W[0] - W[1] * W[1] / W[2];
  double ps = ut / (0.3 * W[2] - W[1]);
  double us = un + slides * ps;
  ck_assert(ps > 0 && us < 0 && 0.3 * W[2] > fabs(W[1]));
  double pc = ps - us / sticks;
  double Wc = (un + us) / 2 * ps - us * us / (2 * sticks);
  double uf = strcmp(law, "newton") == 0    ? -0.5 * un
              : strcmp(law, "poisson") == 0 ? 0.5 * pc * sticks
                                            : sqrt(-2 * sticks * 0.25 * Wc);
  double pn = pc + uf / sticks;
  double pt = -0.3 * ps - W[1] / W[2] * (pn - ps);
  for (int k = 0; k < 2; k++) {
    after[k] = v[k] + (Jn[k] * pn + Jt[k] * pt) / H[k];
  }
}

static const char *const laws[] = {"newton", "poisson", "stronge"};

// A point of a skate hits a wall. Turn and heading at the impact are those of the event; after it speed and turn are constant.
// Rows of time stepping are of order one: 3e-5 of the speeds at this step, ten times that.
START_TEST(skate_hits_wall)
{
  double after[2];
  play_hit(BALL, laws[_i], true, FINE);
  const moment *hit = nth(RH_EVENT_IMPACT, 0);
  find_after(laws[_i], hit->q[2], 0.5, after);
  double s = told.v[0] * cos(told.q[2]) + told.v[1] * sin(told.q[2]);
  near_abs(s, after[0], 1e-8);
  near_abs(told.v[2], after[1], 1e-8);
  play_hit(BALL, laws[_i], true, STEPS);
  s = told.v[0] * cos(told.q[2]) + told.v[1] * sin(told.q[2]);
  near_abs(s, after[0], 3e-4);
  near_abs(told.v[2], after[1], 3e-4 * fabs(after[1]));
}

END_TEST

// Two corners at once: the formulation simultaneous by name, and that of scenes that name none, a course of its own within 1e-6.
// Without a blade the same to the bit but for the time of the impact.
START_TEST(corners_hit_wall)
{
  const char *law = laws[_i % 3];
  bool blade = _i >= 3;
  for (int i = 0; i < 2; i++) {
    play_hit(CORNERS, law, blade, i == 0 ? "multi_impact: simultaneous, " FINE : FINE);
    tale event = told;
    play_hit(CORNERS, law, blade, i == 0 ? STEPS ", multi_impact: simultaneous" : STEPS);
    for (int k = 0; k < 3; k++) {
      near_abs(told.v[k], event.v[k], blade ? 3e-4 * (1 + fabs(event.v[k])) : 1e-9);
    }
  }
}

END_TEST

Suite *rh_suite_unit_moreau_rows(void);

Suite *rh_suite_unit_moreau_rows(void)
{
  Suite *suite = suite_create("unit_moreau_rows");
  TCase *tests = tcase_create("rows");
  tcase_add_loop_test(tests, skate_hits_wall, 0, 3);
  tcase_add_loop_test(tests, corners_hit_wall, 0, 6);
  suite_add_tcase(suite, tests);
  return suite;
}
