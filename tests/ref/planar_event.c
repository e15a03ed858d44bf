// ref_planar_event.c: the planar events of the reference, each as a scene through the loop: bouncing, sliding and rolling,
// rolling off, a shaken table (what falls over: ref_planar_fall.c). Reference numbers are met within the tolerance stated
// there (1e-6 relative, 1e-7 absolute), and event times to 1e-9 s where they have a closed form.
//
// A disc is a sphere with a disc's inertia; a rod is a needle, a hull that ends in points and is hardly thicker in the middle;
// planar joints keep what has no width in its plane.
#include "rigid.h"

#define REF(got, want) near_number_(#got, (got), (want), 1e-7, 1e-6)

// ---- A bouncing ball

typedef struct bounces {
  double h, e, v0;
  int n;
  double t_inf; // reference; HUGE_VAL: none
  double t[10], speed[10], apex[10];
} bounces;

static const bounces bouncing[] = {
    {1.0,
     0.7,
     0,
     10,
     2.558633965585808,
     {0.4515236409857309, 1.083656738365754, 1.5261499065317703, 1.8358951242479815,
      2.0527167766493295, 2.204491933330273, 2.3107345430069337, 2.385104369780596,
      2.4371632485221597, 2.473604463641254},
     {4.4294469180700204, 3.100612842649014, 2.17042898985431, 1.5193002928980166,
      1.0635102050286116, 0.7444571435200281, 0.5211200004640196, 0.36478400032481373,
      0.2553488002273696, 0.1787441601591587},
     {0.48999999999999994, 0.24009999999999998, 0.11764899999999993, 0.05764800999999997,
      0.028247524899999984, 0.013841287200999992, 0.006782230728489995, 0.003323293056960097,
      0.0016284135979104473, 0.0007979226629761194}},
    {0.5,
     0.5,
     3.0,
     6,
     1.6321252869847975,
     {0.747915360697277, 1.1900203238410372, 1.4110728054129174, 1.5215990461988573,
      1.5768621665918274, 1.6044937267883124},
     {4.337049688440288, 2.168524844220144, 1.084262422110072, 0.542131211055036, 0.271065605527518,
      0.135532802763759},
     {0.2396788990825688, 0.0599197247706422, 0.01497993119266055, 0.0037449827981651377,
      0.0009362456995412844, 0.0002340614248853211}},
    {1.0,
     1.0,
     0,
     5,
     HUGE_VAL,
     {0.4515236409857309, 1.3545709229571927, 2.2576182049286544, 3.160665486900116,
      4.063712768871578},
     {4.4294469180700204, 4.4294469180700204, 4.4294469180700204, 4.4294469180700204,
      4.4294469180700204},
     {1, 1, 1, 1, 1}},
};

static const char ball_scene[] = DOWN
    "bodies: [{name: b, mass: 1.5}]\n"
    "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [0, 0, %.17g, 0, 0, 0]}]\n"
    "shapes: [" FLAT_FLOOR ", %s]\n"
    "contacts: [{body: b, against: world, law: %s, e: %g, friction: %s}]\n"
    "run: {until: %g, rtol: %g}\n";

#define SPHERE "{body: b, kind: sphere, radius: 0.1}"
#define BOX    "{body: b, kind: box, size: [0.3, 0.2, 0.2]}"

// All impacts that are told, against the closed form: t1 = (v0 + u) / g, u^2 = v0^2 + 2 g h, then flights 2 e^k u / g.
static void check_bounces(const bounces *b, int points)
{
  double u = sqrt(b->v0 * b->v0 + 2 * G * b->h);
  double t = (b->v0 + u) / G;
  int n = told.count[RH_EVENT_IMPACT] / points;
  for (int k = 0; k < n; k++) {
    const rh_event *e = &nth(RH_EVENT_IMPACT, k * points)->e;
    near_abs(e->t, t, LOCATED);
    near_abs(-e->before, u, 1e-9);
    if (k < b->n) {
      REF(e->t, b->t[k]);
      REF(-e->before, b->speed[k]);
      REF(e->after * e->after / (2 * G), b->apex[k]);
    }
    u *= b->e;
    t += 2 * u / G;
  }
  ck_assert_int_ge(n, b->n);
}

START_TEST(bounce)
{
  const bounces *b = &bouncing[_i % 3];
  bool box = _i / 3 % 2 == 1;
  const char *law = (const char *[]){"newton", "poisson", "stronge"}[_i / 6 % 3];
  play(ball_scene, b->h + 0.1, b->v0, box ? BOX : SPHERE, law, b->e, "none", 4.1, 1e-8);
  check_bounces(b, box ? 4 : 1);
  no_verdicts();
  if (b->e < 1) { // at rest, and the last bounce that could be told from it was at t_inf
    double last = nth(RH_EVENT_IMPACT, told.count[RH_EVENT_IMPACT] - 1)->e.t;
    near_abs(last, b->t_inf, 1e-5);
    near_abs(told.q[2], 0.1, 1e-12);
    near_abs(told.v[2], 0, 1e-11);              // what is left of a gap of 1e-12 m closes at 10/s
    ck_assert_int_eq(told.slides, box ? 4 : 1); // nothing to stick with
  }
  ck_assert_double_lt(told.residue, 1e-9); // a gap of 1e-11 m below 15 N that closes at rest
}

END_TEST

// With e = 1 a thousand bounces are as high as the first, at any tolerance and for one point or four.
START_TEST(thousand)
{
  bool box = _i % 2 == 1;
  double until = (2 * 1000 + 1.5) * sqrt(2 / G);
  play(ball_scene, 1.1, 0.0, box ? BOX : SPHERE, "newton", 1.0, _i / 2 % 2 ? "none" : "dry", until,
       _i < 4 ? 1e-4 : 1e-10);
  ck_assert_int_ge(told.count[RH_EVENT_IMPACT], 1000 * (box ? 4 : 1));
  near_abs(told.q[2] + told.v[2] * told.v[2] / (2 * G), 1.1, 1e-9);
}

END_TEST

// ---- Sliding becomes rolling

static const char disc_scene[] =
    "world: {gravity: [%.17g, 0, %.17g]}\n"
    "bodies: [{name: b, mass: %g, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
    "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, %.17g, "
    "0]}]\n"
    "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: %.17g}]\n"
    "contacts: [{body: b, against: world, law: %s, e: %g, friction: dry, mu_s: %g, mu_k: %g}]\n"
    "run: {until: %g, " FINE "}\n";

typedef struct disc {
  double v0, w0, mu, r, kappa;
  double t, v, x; // reference
} disc;

static void play_disc(const disc *c, double until)
{
  double I = 2 * c->kappa * c->r * c->r;
  play(disc_scene, 0.0, -G, 2.0, I, I, I, c->r, c->v0, -c->w0, c->r, "newton", 0.0, c->mu, c->mu,
       until);
}

START_TEST(slide_to_roll)
{
  static const disc discs[] = {
      {3, 0, 0.25, 0.1, 0.5, 0.40774719673802245, 1.9999999999999998, 1.0193679918450562},
      {3, 0, 0.25, 0.1, 0.4, 0.34949759720401924, 2.142857142857143, 0.8987081070960494},
      {1, 60, 0.3, 0.1, 0.4, 0.6795786612300374, -1.0, 0.0},
  };
  const disc *c = &discs[_i];
  play_disc(c, 1.0);
  count_is(RH_EVENT_STICK, 1);
  const moment *m = nth(RH_EVENT_STICK, 0);
  double slip = c->v0 + c->w0 * c->r;
  double t = slip / ((1 + 1 / c->kappa) * c->mu * G);
  double v = c->v0 - c->mu * G * t;
  near_abs(m->e.t, t, LOCATED);
  near_abs(m->v[0], v, 1e-9);
  near_abs(m->q[0], (c->v0 + v) / 2 * t, 1e-9);
  REF(m->e.t, c->t);
  REF(m->v[0], c->v);
  REF(m->q[0], c->x);
  near_abs(told.v[0], v, 1e-10); // rolls on without loss
  near_abs(told.v[4] * c->r, v, 1e-10);
}

END_TEST

// ---- A spinning disc that bounces

typedef struct spun {
  double t, x, vx, vy, w, T;
} spun;

START_TEST(bounce_and_spin)
{
  static const spun want[] = {
      {0.4515236409857309, 0.4515236409857309, 0.16666666666666663, 3.543557534456016,
       -3.3333333333333286, 1.2598466666666668},
      {1.1739614665629003, 0.5719299452485924, 0.16666666666666657, 2.8348460275648124,
       -3.3333333333333313, 0.8078018666666664},
      {1.7519117270246358, 0.6682549886588816, 0.16666666666666657, 2.267876822051851,
       -3.3333333333333313, 0.5184931946666669},
      {2.2142719353940246, 0.745315023387113, 0.16666666666666657, 1.8143014576414807,
       -3.3333333333333313, 0.3333356445866668},
  };
  double I = 0.5 * 0.2 * 0.05 * 0.05;
  play(disc_scene, 0.0, -G, 0.2, I, I, I, 1.05, 1.0, -30.0, 0.05, "stronge", 0.8, 0.2, 0.2, 2.3);
  count_is(RH_EVENT_IMPACT, 4);
  for (int k = 0; k < 4; k++) {
    const moment *m = nth(RH_EVENT_IMPACT, k);
    near_abs(m->e.t, want[k].t, LOCATED);
    REF(m->q[0], want[k].x);
    REF(m->v[0], want[k].vx);
    REF(m->v[2], want[k].vy);
    REF(-m->v[4], want[k].w);
    REF(0.1 * (m->v[0] * m->v[0] + m->v[2] * m->v[2]) + 0.5 * I * m->v[4] * m->v[4], want[k].T);
  }
}

END_TEST

// ---- Rolling off a cylinder

// Begins at `from` with the energy of one that set out from rest at the top.
static void play_off(double kappa, double mu, bool rolls)
{
  double r = 0.05;
  double D = 0.45;
  double from = 0.1;
  double I = kappa * r * r;
  double v = sqrt(2 * G * D * (1 - cos(from)) / (1 + (rolls ? kappa : 0)));
  play(DOWN
       "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: b, q: [%.17g, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, %.17g, 0, "
       "%.17g, 0]}]\n"
       "shapes: [{body: world, kind: sphere, radius: 0.4}, {body: b, kind: sphere, radius: %g}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %g, mu_k: "
       "%g}]\n"
       "run: {until: 0.7, " FINE "}\n",
       I, I, I, D * sin(from), D * cos(from), v * cos(from), -v * sin(from), rolls ? v / r : 0.0, r,
       mu, mu);
}

static double phi_of(const moment *m)
{
  return atan2(m->q[0], m->q[2]);
}

static double rate_of(const moment *m)
{
  return hypot(m->v[0], m->v[2]) / 0.45;
}

START_TEST(roll_off)
{
  play_off(0.5, 1e6,
           true); // never to slip would take infinitely much; it slips 1e-7 s before it leaves
  REF(phi_of(nth(RH_EVENT_SEPARATE, 0)), 0.9625507478846869);
  play_off(0.4, 1e6, true);
  REF(phi_of(nth(RH_EVENT_SEPARATE, 0)), 0.941921401299845);
  play_off(0.5, 0.5, true);
  REF(phi_of(nth(RH_EVENT_SLIP, 0)), 0.7108001086238479);
  REF(phi_of(nth(RH_EVENT_SEPARATE, 0)), 0.9328590076409214);
  REF(rate_of(nth(RH_EVENT_SEPARATE, 0)), 3.603160495896934);
  play_off(0.5, 0, false);
  near_abs(phi_of(nth(RH_EVENT_SEPARATE, 0)), acos(2.0 / 3), LOCATED * 4); // 4 rad/s
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// ---- Over the edge of a table

static void play_edge(double v, double mu, double until)
{
  double I = 0.5 * 0.01;
  play(DOWN "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
            "joints: [{kind: free, child: b, q: [-0.2, 0, 0.9, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, "
            "%.17g, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: 0.1},"
            " {body: world, kind: box, size: [2, 2, 0.2], at: [-1, 0, 0.7]}]\n"
            "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %g, "
            "mu_k: %g}]\n"
            "run: {until: %g, " FINE "}\n",
       I, I, I, v, v / 0.1, mu, mu, until);
}

START_TEST(table_edge)
{
  play_edge(2, 100, 0.51);
  const moment *part = nth(RH_EVENT_SEPARATE, 0);
  const moment *land = nth(RH_EVENT_TOUCH, 1);
  near_abs(part->e.t, 0.1, LOCATED);
  near_abs(land->e.t - 0.1, sqrt(2 * 0.8 / G), LOCATED);
  REF(land->e.t - part->e.t, 0.4038550218769218);
  REF(land->q[0], 0.8077100437538436);
  REF(land->v[2], -3.961817764612603);
  play_edge(0.5, 1e6, 0.6);
  part = nth(RH_EVENT_SEPARATE, 0);
  REF(atan2(part->q[0], part->q[2] - 0.8), 0.822151498238692);
  REF(hypot(part->v[0], part->v[2]) / 0.1, 8.171378621225953);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// ---- A block that slides

#define BLOCK                                                                                      \
  "bodies: [{name: b, mass: 2}]\n"                                                                 \
  "joints: [{kind: free, child: b, q: [0, 0, 0.05, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, 0, 0]}]\n"     \
  "shapes: [" FLAT_FLOOR ", {body: b, kind: box, size: [0.4, 0.2, 0.1]}]\n"                        \
  "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %.17g, mu_k: "     \
  "%.17g}]\n"

START_TEST(block)
{
  static const struct {
    double mu, alpha, t, distance;
    bool sticks;
  } want[] = {
      {0.3, 0, 0.6795786612300374, 0.6795786612300374, true},
      {0.5, 0.3490658503988659, 0.25111716026102715, 0.25111716026102715, true},
      {0.2, 0.5235987755982988, 0.3028402550672897, 0.3028402550672897, false},
  };

  double mu = want[_i].mu;
  double alpha = want[_i].alpha;
  play("world: {gravity: [%.17g, 0, %.17g]}\n" BLOCK
       "events: [{name: top, time: %.17g}, {name: back, time: 0.7375002272499818}]\n"
       "run: {until: 1, " FINE "}\n",
       -G * sin(alpha), -G * cos(alpha), 2.0, mu, mu, want[_i].t);
  const moment *top = nth(RH_EVENT_MARK, 0);
  near_abs(top->q[0], want[_i].distance, 1e-9);
  near_abs(top->v[0], 0, 1e-8); // 1e-9 s after a slip that ends with 10 m/s^2
  if (want[_i].sticks) {
    near_abs(nth(RH_EVENT_STICK, 0)->e.t, 2 / (G * (sin(alpha) + mu * cos(alpha))), LOCATED);
    REF(nth(RH_EVENT_STICK, 0)->e.t, want[_i].t);
    REF(told.q[0], want[_i].distance);
    near_abs(told.v[0], 0, 1e-15);
    ck_assert_int_eq(told.sticks, 4);
  } else {
    count_is(RH_EVENT_STICK, 0);
    const moment *back = nth(RH_EVENT_MARK, 1);
    near_abs(back->q[0], 0, 1.4 * LOCATED); // back at the start then
    REF(back->v[0], -1.3934582176801078);
  }
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// The table is 1e9 times as heavy as the block, so that its swing on a spring is A sin(w t) to 1e-9.
START_TEST(feeder)
{
  static const struct {
    double t, x;
    bool slip;
  } want[] = {
      {0.02326392460421213, 0, true}, {0.14689681478545277, 0.010141863525306154, false},
      {0.14892763074780385, 0, true}, {0.2725605209290445, 0.0, false},
      {0.2745913368913956, 0, true},  {0.3982242270726362, 0.010141863525306148, false},
      {0.40025504303498727, 0, true}, {0.523887933216228, 0.0, false},
  };

  play(DOWN "bodies: [{name: t, mass: 1e9}, {name: b, mass: 1}]\n"
            "joints: [{kind: prismatic, axis: [1, 0, 0], child: t, v: [0.25], spring: [6.25e11]},"
            " {kind: planar, normal: [0, -1, 0], child: b, q: [0, 0.05, 0], v: [0.25, 0, 0]}]\n"
            "shapes: [{body: t, kind: box, size: [2, 2, 0.2], at: [0, 0, -0.1]}, {body: b, kind: "
            "box, size: [0.4, 0.2, 0.1]}]\n"
            "contacts: [{body: b, against: t, law: newton, e: 0, friction: dry, mu_s: 0.35, mu_k: "
            "0.35}]\n"
            "run: {until: 0.525, " FINE "}\n");
  for (int k = 0; k < 8; k++) {
    const moment *m =
        nth(want[k].slip ? RH_EVENT_SLIP : RH_EVENT_STICK, 4 * (k / 2)); // of four corners
    near_abs(m->e.t, want[k].t, 2e-9); // 1e-9 of A w^2, over its rate of change
    if (!want[k].slip) {
      REF(m->q[1] - m->q[0], want[k].x);
    }
  }
  count_is(RH_EVENT_SLIP, 16);
  count_is(RH_EVENT_STICK, 16);
}

END_TEST

// ---- A pendulum, without contact

START_TEST(pendulum)
{
  play(DOWN "bodies: [{name: b, mass: 1, com: [0, 0, -1], inertia: [0, 0, 0, 0, 0, 0]}]\n"
            "joints: [{name: h, kind: revolute, axis: [0, 1, 0], child: b, q: 1.2}]\n"
            "events: [{name: p, joint: h, position: 0, direction: falling}]\n"
            "run: {until: 23, " FINE "}\n");
  for (int k = 1; k < 10; k++) {
    near_rel((nth(RH_EVENT_MARK, k)->e.t - nth(RH_EVENT_MARK, 0)->e.t) / k, 2.203082587612504,
             1e-8);
  }
  near_abs(nth(RH_EVENT_MARK, 9)->e.t, 9.25 * 2.203082587612504, LOCATED);
}

END_TEST

Suite *rh_suite_ref_planar_event(void)
{
  Suite *suite = suite_create("ref_planar_event");
  TCase *tests = tcase_create("events");
  tcase_add_loop_test(tests, bounce, 0, 18);
  tcase_add_loop_test(tests, thousand, 0, 8);
  tcase_add_loop_test(tests, slide_to_roll, 0, 3);
  tcase_add_test(tests, bounce_and_spin);
  tcase_add_test(tests, roll_off);
  tcase_add_test(tests, table_edge);
  tcase_add_loop_test(tests, block, 0, 3);
  tcase_add_test(tests, feeder);
  tcase_add_test(tests, pendulum);
  suite_add_tcase(suite, tests);
  return suite;
}
