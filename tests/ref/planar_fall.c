// ref_planar_fall.c: the planar events of the reference with bodies that fall over, as scenes through the loop: a ladder, rods, a
// block that rocks, a wheel of spokes. Tolerances are those of the reference, and 1e-9 s for times that it has to that.
//
// A rod is a needle, a hull that ends in points and is hardly thicker in the middle; planar joints keep it in its plane.
#include "rigid.h"

#define REF(got, want) near_number_(#got, (got), (want), 1e-7, 1e-6)

// ---- Rods

#define ROD_BODY                                                                                   \
  "bodies: [{name: rod, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"                      \
  "joints: [{kind: planar, normal: [0, -1, 0], child: rod, q: [%.17g, %.17g, %.17g], v: [%.17g, "  \
  "0, %.17g]}]\n"                                                                                  \
  "meshes: [{name: needle, vertices: [%.17g, 0, 0, %.17g, 0, 0, 0, 1e-5, 0, 0, -1e-5, 0, 0, 0, "   \
  "1e-5, 0, 0, -1e-5]}]\n"

typedef struct rod { // half its length, and how it starts; angle from the ground
  double l, x, y, angle, vx, w;
} rod;

static void play_rod(const rod *r, const char *wall, const char *law, const char *friction,
                     double until)
{
  double I = r->l * r->l / 3;
  play(DOWN ROD_BODY "shapes: [" FLAT_FLOOR "%s, {body: rod, kind: hull, mesh: needle}]\n"
                     "contacts: [{body: rod, against: world, law: %s, friction: %s}]\n"
                     "run: {until: %g, " FINE "}\n",
       I, I, I, r->x, r->y, r->angle, r->vx, r->w, r->l, -r->l, wall, law, friction, until);
}

START_TEST(ladder)
{
  double theta = 1.2217304763960306;
  rod r = {.l = 1.5, .x = 1.5 * cos(theta), .y = 1.5 * sin(theta), .angle = -theta};
  play_rod(&r, ", {body: world, kind: plane, rpy: [0, 1.5707963267948966, 0]}", "newton, e: 0",
           "none", 0.9);
  count_is(RH_EVENT_SEPARATE, 1);
  const moment *m = nth(RH_EVENT_SEPARATE, 0);
  REF(-m->q[2], 0.6770054748534889);
  REF(-m->v[2], -1.7529389236279518);
  near_abs(m->e.t, 0.7318191159995416, LOCATED); // of the reference, an integral to 1e-12
  REF(3 * sin(-m->q[2]) / (3 * sin(theta)), 2.0 / 3);
  REF(m->v[0] + 1.5 * sin(-m->q[2]) * m->v[2], 3.294447542443158);
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

START_TEST(topple)
{
  static const struct {
    const char *mu;
    double sense, theta, t, omega, N, F;
  } want[] = {
      {"dry, mu_s: 0.25, mu_k: 0.25", -1, 0.3427766114935152, 0.6818734118383334,
       1.2943370492903292, 8.189932314086501, 2.047483078521625},
      {"dry, mu_s: 0.8, mu_k: 0.8", 1, 0.9318143940933393, 0.9479640988534692, 3.441191595523817,
       1.538225058733845, -1.2305800469870758},
  };

  double angle = acos(-1) / 2 - 0.05;
  rod r = {.l = 0.5, .x = 0.5 * cos(angle), .y = 0.5 * sin(angle), .angle = angle};
  play_rod(&r, "", "newton, e: 0", want[_i].mu, 1.0);
  const moment *m = nth(RH_EVENT_SLIP, 0);
  REF(acos(-1) / 2 - m->q[2], want[_i].theta);
  near_abs(m->e.t, want[_i].t, LOCATED); // of the reference, an integral to 1e-12
  REF(-m->v[2], want[_i].omega);
  REF(m->normal, want[_i].N);
  REF(m->friction, fabs(want[_i].F));
  // The foot goes back, against the fall, or forward with it.
  ck_assert_double_gt(want[_i].sense * (told.q[0] - 0.5 * cos(told.q[2])), 0);
}

END_TEST

typedef struct blow {
  double t, end, theta, x, y, vx, vy, w, Pn, Pt, E;
} blow;

static void check_blows(const blow *want, int n)
{
  for (int k = 0; k < n; k++) {
    const moment *m = nth(RH_EVENT_IMPACT, k);
    const blow *b = &want[k];
    near_abs(m->e.t, b->t, 2 * LOCATED); // the reference has its own root finder
    REF(m->q[2], b->theta);
    REF(m->q[0], b->x);
    REF(m->q[1], b->y);
    REF(m->v[0], b->vx);
    REF(m->v[1], b->vy);
    REF(m->v[2], b->w);
    REF(m->e.impulse, b->Pn);
    REF(m->e.friction, fabs(b->Pt));
    REF(0.5 * (m->v[0] * m->v[0] + m->v[1] * m->v[1]) + m->v[2] * m->v[2] / 24 + G * m->q[1], b->E);
    REF(m->e.point[0], b->x + b->end * 0.5 * cos(b->theta)); // which end
  }
}

START_TEST(rod_drop)
{
  static const blow stronge[] = {
      {0.3192754284070505, -1, 0.5235987755982988, 0.0, 0.25, 0.49276195217676816,
       -1.489552112083938, -7.056601515539575, 1.6425398405892273, 0.49276195217676816,
       5.7581076242765326},
      {0.4127686057951174, 1, -0.13614532165094462, 0.046069880604952734, 0.06786256161630497,
       -0.2018683224650975, -0.09128593345465541, 6.141776520949022, 2.315434248806219,
       -0.6946302746418657, 2.2619994848067595},
      {0.45325183284950626, -1, 0.11249361176394893, 0.03789759947150961, 0.05612824879061235,
       0.07296864101519812, 0.8699964114770908, -1.7721294881386358, 1.3584228023353007,
       0.2748369634802956, 1.0625789983603218},
      {0.603185697439858, 1, -0.1532086109471986, 0.04883806981282431, 0.07630496974446559,
       -0.051348106273148106, -0.025484507683595004, 1.52582283997456, 0.5753702924706645,
       -0.12431674728834623, 0.8472004363925656},
      {0.716811632198133, -1, 0.02016443552043684, 0.04300359323947061, 0.010081534528324387,
       0.027776061025417034, -0.4249199675610862, -2.7551421807245005, 0.715234960101188,
       0.07912416729856514, 0.5058477827556032},
  };
  static const blow poisson[] = {
      {0.281778904593233, -1, 0.8053776801915318, 0.1408894522966165, 0.3605461829831958,
       1.1665359022624973, -0.41568848936663505, -5.879249912637957, 2.348562564692981,
       0.6665359022624971, 5.743992001430357},
      {0.46211697886340297, 1, -0.25487492720666216, 0.3512602904776504, 0.12606218915516418,
       0.25118397124512604, 0.10357482958642583, 6.022774935521922, 2.288379827543428,
       -0.9153519310173712, 2.784989722143954},
      {0.5394710232903535, -1, 0.21101107272922465, 0.37069038654868375, 0.10472432675644786,
       0.15419357764747235, 0.7552499483423968, -2.3745071116796597, 1.4105182945843555,
       -0.09699039359765368, 1.5593632183859336},
      {0.7073575782239956, 1, -0.18763674591610646, 0.3965774150928109, 0.0932688221161411,
       -0.14468772077555872, -0.008818944015402286, 2.495385716059187, 0.8828982115412304,
       -0.29888129842303107, 1.1849295447807398},
  };
  double angle = 0.5235987755982988;
  rod r = {.l = 0.5, .y = 0.5 + 0.5 * sin(angle), .angle = angle};
  play_rod(&r, "", "stronge, e: 0.5", "dry, mu_s: 0.3, mu_k: 0.3", 0.72);
  check_blows(stronge, 5);
  r.vx = 0.5;
  r.w = 1;
  play_rod(&r, "", "poisson, e: 0.6", "dry, mu_s: 0.4, mu_k: 0.4", 0.72);
  check_blows(poisson, 4);
}

END_TEST

// ---- A block that rocks, a wheel of spokes

typedef struct step {
  double t, before, after, amplitude, t_peak;
} step;

START_TEST(rocking)
{
  static const step want[] = {
      {0.5365989328368717, 0.6725823296782557, 0.6132368300007626, 0.11234224613010763,
       0.9470867801927405},
      {1.3575746275486094, 0.6132368300007645, 0.5591276979418734, 0.08772932196854552,
       1.6973903596010405},
      {2.0372060916534718, 0.5591276979418759, 0.5097929010646516, 0.0698638159954697,
       2.327961982622788},
      {2.6187178735921046, 0.5097929010646525, 0.4648111745001243, 0.056283346577690824,
       2.8720935865027983},
  };
  double b = 0.2;
  double h = 0.8;
  double s = sin(0.15);
  double c = cos(0.15);
  double I = (b * b + h * h) / 3;
  play(DOWN
       "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
       "joints: [{name: j, kind: planar, normal: [0, -1, 0], child: b, q: [%.17g, %.17g, -0.15]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, kind: box, size: [0.4, 0.3, 1.6]}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 10, mu_k: "
       "10}]\n"
       "run: {until: 2.9, " FINE "}\n",
       I, I, I, -b * c + h * s, b * s + h * c);
  count_is(RH_EVENT_IMPACT, 8); // two corners each time
  double R = hypot(b, h);
  double alpha = atan2(b, h);
  for (int k = 0; k < 4; k++) {
    const moment *m = nth(RH_EVENT_IMPACT, 2 * k);
    double after = fabs(m->v[2]);
    REF(m->e.t, want[k].t);
    REF(-m->e.before / (2 * b), want[k].before);
    REF(after, want[k].after);
    // Up to the next peak energy is kept: the angle there follows from the rate.
    double E = after * after * (I + R * R) / 2 + G * h;
    REF(alpha - acos(E / (G * R)), want[k].amplitude);
    near_abs(after / (-m->e.before / (2 * b)), 0.9117647058823529, 1e-9);
  }
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.t, want[0].t, LOCATED);
  no_verdicts();
  ck_assert_double_lt(told.residue, 1e-9);
}

END_TEST

// The hub is a mass point in the reference; here it has 3e-7 kg m^2, which changes eta by 1e-7.
START_TEST(rimless)
{
  static const step want[] = {
      {0.8419190360641927, 1.624819630927971, 1.148920979234192, 0, 0},
      {1.7625910189201992, 1.5874691334238165, 1.1225101891683131, 0, 0},
      {2.734136072162058, 1.5684603781529167, 1.1090689694143443, 0, 0},
      {3.735343784041308, 1.5588690810862547, 1.1022868982181329, 0, 0},
      {4.752710408729961, 1.5540512343652833, 1.0988801661310166, 0, 0},
      {5.778533075477384, 1.551636701217472, 1.0971728333687998, 0, 0},
  };
  char tips[1024] = "";
  double pi = acos(-1);
  double a = pi / 8;
  int n = 0;
  for (int k = 0; k < 8; k++) {
    n += snprintf(tips + n, sizeof tips - (size_t)n, "%s%.17g, 0.01, %.17g, %.17g, -0.01, %.17g",
                  k ? ", " : "", cos(2 * a * k), sin(2 * a * k), cos(2 * a * k), sin(2 * a * k));
  }
  double I = 3e-7;
  play("world: {gravity: [%.17g, 0, %.17g]}\n"
       "bodies: [{name: b, mass: 1, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"
       "joints: [{kind: planar, normal: [0, -1, 0], child: b, q: [%.17g, %.17g, %.17g], v: [%.17g, "
       "%.17g, -1.2]}]\n"
       "meshes: [{name: wheel, vertices: [%s]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, kind: hull, mesh: wheel}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 10, mu_k: "
       "10}]\n"
       "run: {until: 5.9, " FINE "}\n",
       G * sin(0.08), -G * cos(0.08), I, I, I, -sin(a), cos(a), a - pi / 2, 1.2 * cos(a),
       1.2 * sin(a), tips);
  for (int k = 0; k < 6; k++) {
    const moment *m = nth(RH_EVENT_IMPACT, 2 * k);
    REF(m->e.t, want[k].t);
    REF(-m->e.before / (2 * sin(a)), want[k].before);
    REF(-m->v[2], want[k].after);
  }
  no_verdicts();
}

END_TEST

Suite *rh_suite_ref_planar_fall(void)
{
  Suite *suite = suite_create("ref_planar_fall");
  TCase *tests = tcase_create("falls");
  tcase_add_test(tests, ladder);
  tcase_add_loop_test(tests, topple, 0, 2);
  tcase_add_test(tests, rod_drop);
  tcase_add_test(tests, rocking);
  tcase_add_test(tests, rimless);
  suite_add_tcase(suite, tests);
  return suite;
}
