// ref_speeds.c: restitution that depends on the speed of impact, friction that depends on the speed of
// slip, friction of impacts alone, surfaces that move: whole runs against independent numbers in
// closed form, which hold to 1e-9, the promise for the time of an event.
#include "rigid.h"

static const double PART = 1e-9;

// A ball falls on the ground and bounces ten times.
typedef struct bounce {
  double t, before, after;
} bounce;

static const struct {
  double height;
  const char *law;
  bounce bounce[10];
} bouncing[] = {
    {1.0,
     "e: 1, e_speed: 0.5",
     {{0.4515236409857309, 4.4294469180700204, 2.56746556322869},
      {0.974962084049684, 2.56746556322869, 1.7055755887605846},
      {1.3226839166206492, 1.7055755887605846, 1.2550057907554246},
      {1.578546463155904, 1.2550057907554246, 0.9970726380051372},
      {1.781823249701294, 0.9970726380051372, 0.839049532708407},
      {1.9528832971443943, 0.839049532708407, 0.7371963919294757},
      {2.1031781782717083, 0.7371963919294757, 0.6690058290877243},
      {2.2395708039776663, 0.6690058290877243, 0.6220351513239775},
      {2.366387348590098, 0.6220351513239775, 0.5889842705808168},
      {2.4864656912161567, 0.5889842705808168, 0.5653537452999744}}},
    {0.02,
     "e: 1, e_speed: 0.45",
     {{0.06385508568141009, 0.626418390534633, 0.5767020603060846},
      {0.18142940990283407, 0.5767020603060846, 0.542021801925959},
      {0.29193334505593477, 0.542021801925959, 0.5173872178575731},
      {0.39741493891068974, 0.5173872178575731, 0.49964885882263715},
      {0.49928014967983086, 0.49964885882263715, 0.4867453410715778},
      {0.598514673853445, 0.4867453410715778, 0.47728686307481505},
      {0.6958208640827651, 0.47728686307481505, 0.4703138185128776},
      {0.7917054346256556, 0.4703138185128776, 0.4651509719870356},
      {0.8865374370694956, 0.4651509719870356, 0.4613160641305569},
      {0.9805876030492218, 0.4613160641305569, 0.45846064596048586}}},
    {2.0,
     "e: 0, e_table: [0.1, 0.95, 0.5, 0.9, 1.0, 0.8, 3.0, 0.65, 6.0, 0.5]",
     {{0.638550856814101, 6.26418390534633, 3.132091952673165},
      {1.277101713628202, 3.132091952673165, 2.015173562138532},
      {1.6879423990794826, 2.015173562138532, 1.4587075304555581},
      {1.9853343522814313, 1.4587075304555581, 1.1167820146930318},
      {2.2130167202106934, 1.1167820146930318, 0.8836441077307658},
      {2.3931684241313387, 0.8836441077307658, 0.7274787259053056},
      {2.541482129718557, 0.7274787259053056, 0.6216336665763442},
      {2.6682168221907983, 0.6216336665763442, 0.5443479834921143},
      {2.779195004350251, 0.5443479834921143, 0.48508503806572806},
      {2.8780910365756798, 0.48508503806572806, 0.43748091236885966}}},
};

static void drop(double height, const char *law, const char *run)
{
  play(DOWN "bodies: [{name: b, mass: 0.1, inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0]}]\n"
            "joints: [{name: free, kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0]}]\n"
            "shapes: [{body: b, kind: sphere, radius: 0.01}, " FLAT_FLOOR "]\n"
            "contacts: [{body: b, against: world, law: newton, %s, friction: none}]\n"
            "run: {%s}\nrecord: {every: 0.1}\n",
       height + 0.01, law, run);
}

START_TEST(restitution_by_speed)
{
  for (int i = 0; i < RH_COUNT(bouncing); i++) {
    char run[100];
    (void)snprintf(run, sizeof run, "until: %.17g, " FINE, bouncing[i].bounce[9].t + 1e-3);
    drop(bouncing[i].height, bouncing[i].law, run);
    for (int k = 0; k < 10; k++) {
      const moment *m = nth(RH_EVENT_IMPACT, k);
      near_abs(m->e.t, bouncing[i].bounce[k].t, LOCATED);
      near_abs(fabs(m->e.before), bouncing[i].bounce[k].before, 10 * PART);
      near_abs(fabs(m->e.after), bouncing[i].bounce[k].after, 10 * PART);
    }
  }
}

END_TEST

// Under time stepping the speed of impact is that of the step's start: the height after three bounces
// is off by less than a part of dt, here of 1e-4 s, g dt over the slowest of the speeds, 0.6 m/s.
START_TEST(restitution_by_speed_in_steps)
{
  for (int i = 0; i < RH_COUNT(bouncing); i++) {
    char run[100];
    const bounce *b = bouncing[i].bounce;
    double top = 0.5 * (b[2].t + b[3].t);
    (void)snprintf(run, sizeof run, "engine: stepping, dt: 1e-4, until: %.17g", top);
    drop(bouncing[i].height, bouncing[i].law, run);
    double height = 0.5 * b[2].after * b[2].after / G;
    near_rel(told.q[2] - 0.01, height, 1e-2);
  }
}

END_TEST

// ---- Blocks on belts

typedef struct ride {
  double m, mu, belt, v[2];
  double slope; // [rad] up along x
  double drop;  // [m]
  double until;
  const char *more; // of the contact
} ride;

static const char *const EVENT = "rtol: 1e-10, atol: 1e-12";
// A step is exact under constant forces, but for that in which slip ends or a plastic impact happens:
// there the speed is off by less than 2 mu g H within the step.
static const double H = 1e-3;
static const char *const STEPS = "engine: stepping, dt: 1e-3";

static void ride_in(const ride *r, const char *engine)
{
  play("world: {gravity: [%.17g, 0, %.17g]}\n"
       "bodies: [{name: b, mass: %.17g, inertia: [0.03, 0.03, 0.06, 0, 0, 0]}]\n"
       "joints: [{name: free, kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%.17g, "
       "%.17g, 0, 0, "
       "0, 0]}]\n"
       "shapes: [{body: b, kind: box, size: [0.4, 0.4, 0.002]}, {body: world, kind: plane, "
       "surface_velocity: [%.17g, 0, 0]}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %.17g, mu_k: "
       "%.17g%s}]\n"
       "run: {until: %.17g, %s}\nrecord: {every: 0.01}\n",
       -G * sin(r->slope), -G * cos(r->slope), r->m, 0.001 + r->drop, r->v[0], r->v[1], r->belt,
       r->mu, r->mu, r->more ? r->more : "", r->until, engine);
}

static void ride_belt(const ride *r)
{
  ride_in(r, EVENT);
}

START_TEST(belts)
{
  static const struct {
    ride r;
    double t, x, y, after; // when it has slid, how far by then, speed after the impact
  } row[] = {
      {{2.0, 0.3, 1.5, {0, 0}, 0, 0, 0, NULL}, 0.509683995922528, 0.382262996941896, 0, 0},
      {{2.0, 0.3, 1.5, {0, 0.8}, 0, 0, 0, NULL},
       0.5776418620455317,
       0.4332313965341488,
       0.2310567448182127,
       0},
      {{1.0, 0.4, 1.0, {3, 0}, 0, 0, 0, NULL}, 0.509683995922528, 1.019367991845056, 0, 0},
      {{1.0, 0.4, 1.0, {-2, 0}, 0, 0, 0, NULL}, 0.7645259938837919, -0.3822629969418959, 0, 0},
      {{2.0, 0.3, 1.5, {0, 0}, 0, 0.1, 0, NULL},
       0.36689968362982156,
       0.352262996941896,
       0,
       0.42021423107743505},
      {{2.0, 0.8, 0.5, {0, 0}, 0, 0.1, 0, NULL}, 0, 0, 0, 0.5},
      {{2.0, 0.6, 1.0, {0, 0}, 0.3, 0, 0, NULL}, 0.3670994668538487, 0.18354973342692435, 0, 0},
  };

  for (int i = 0; i < RH_COUNT(row); i++) {
    ride r = row[i].r;
    double fall = sqrt(2 * r.drop / G);
    r.until = fall + row[i].t + 0.5;
    ride_belt(&r);
    near_abs(told.v[0], r.belt, PART);
    near_abs(told.v[1], 0, PART);
    near_abs(told.q[0], row[i].x + 0.5 * r.belt, 10 * PART);
    near_abs(told.q[1], row[i].y, 10 * PART);
    near_abs(told.residue, 0, 1e-8);
    if (row[i].t > 0) {
      near_abs(nth(RH_EVENT_STICK, 0)->e.t, fall + row[i].t, 10 * LOCATED);
    }
    if (r.drop > 0) {
      r.until = fall + 1e-6;
      ride_belt(&r);
      near_abs(told.v[0], row[i].after, 1e-5); // and a microsecond of friction
    }
    r.until = fall + row[i].t + 0.5;
    ride_in(&r, STEPS);
    double drift = 2 * r.mu * G * H * (row[i].t + H) + fabs(r.belt) * H;
    near_abs(told.v[0], r.belt, 1e-12);
    near_abs(told.q[0], row[i].x + r.belt * (told.t - fall - row[i].t), drift);
    near_abs(told.q[1], row[i].y, drift);
    near_abs(told.residue, 0, r.drop > 0 ? 1e-3 : 1e-8); // an impact within a step ends at its end
  }
  ride steep = {2.0, 0.3, 1.0, {0, 0}, 0.4, 0, 0.3, NULL};
  ride_belt(&steep);
  near_abs(told.v[0], -1.1095114326973707 * 0.3, PART);
  ride_in(&steep, STEPS);
  near_abs(told.v[0], -1.1095114326973707 * told.t, PART);
}

END_TEST

// The drive's work is that of heat and kinetic energy: 4.5 J of the first belt.
static rh_ledger account;

static rh_status keep_account(void *user, const rh_sim *sim, long index)
{
  (void)user;
  (void)index;
  account = rh_sim_ledger(sim);
  return RH_OK;
}

START_TEST(work_of_the_drive)
{
  static const char *const scene =
      DOWN "bodies: [{name: b, mass: 2, inertia: [0.03, 0.03, 0.06, 0, 0, 0]}]\n"
           "joints: [{name: free, kind: free, child: b, q: [0, 0, 0.001, 1, 0, 0, 0]}]\n"
           "shapes: [{body: b, kind: box, size: [0.4, 0.4, 0.002]}, {body: world, kind: plane, "
           "surface_velocity: [1.5, 0, 0]}]\n"
           "contacts: [{body: b, against: world, %s}]\n"
           "run: {until: 1%s}\nrecord: {every: 0.1}\n";
  static const char *const law[] = {
      "law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: 0.3",
      "law: hunt-crossley, k: 1e6, alpha: 2, friction: coulomb, mu: 0.3, v_slip: 1e-4"};
  for (int k = 0; k < 4; k++) {
    int i = k % 2;
    char text[2000];
    (void)snprintf(text, sizeof text, scene, law[i], k < 2 ? "" : ", engine: stepping, dt: 1e-3");
    rh_diag *diag = rh_diag_create();
    rh_scene *parsed = NULL;
    ck_assert_int_eq(rh_scene_parse(text, strlen(text), "scene", NULL, 0, diag, &parsed), RH_OK);
    rh_diag_destroy(diag);
    rh_model *model = model_of(parsed);
    rh_sim *sim = sim_of(model);
    rh_observer observer = {NULL, keep_account, NULL, NULL};
    rh_sim_observe(sim, &observer);
    ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
    // The compliant floor lets the block settle, by 1e-5 m; smoothed friction holds to v_slip.
    // Steps: slip ends within one.
    double tolerance = k == 0 ? 1e-8 : 1e-3;
    near_abs(account.actuator, 4.5, tolerance);
    near_abs(account.sliding, 2.25, tolerance);
    near_abs(account.residue, 0, k < 3 ? 1e-7 : 1e-4);
    rh_sim_destroy(sim);
    rh_model_destroy(model);
  }
}

END_TEST

// ---- Friction

// Impacts without friction, contacts with it: a plastic drop leaves the speed along the floor as it was.
START_TEST(friction_of_impacts)
{
  ride r = {2.0, 0.3, 0, {1, 0}, 0, 0.1, 0, ", mu_impact: [0]"};
  r.until = sqrt(0.2 / G) + 0.1;
  ride_belt(&r);
  near_abs(told.v[0], 1 - 0.3 * G * 0.1, 1e-8);
  r.more = ", mu_impact: [0.1]";
  ride_belt(&r);
  near_abs(told.v[0], 1 - 0.1 * sqrt(0.2 * G) - 0.3 * G * 0.1, 1e-8);
  ride_in(&r, STEPS);
  near_abs(told.v[0], 1 - 0.1 * sqrt(0.2 * G) - 0.3 * G * 0.1, 2 * 0.3 * G * H);
}

END_TEST

// A ball that slips through its impacts at v_n = 1, 2 and 4 m/s loses mu(v_n) (1 + e) v_n along the
// floor: mu (v_n / 0.5)^-p, mu below 0.5 m/s, or a table. bistiff slips at once where mu is so small
// that its spring does not hold. Time stepping: impacts of one point follow the same path.
START_TEST(friction_of_impacts_by_speed)
{
  static const struct {
    const char *key;
    double mu[4];
  } form[] = {
      {"mu_impact: [0.08], mu_impact_speed: 0.5, mu_impact_power: 0.467",
       {0.08, 0.05787739543482103, 0.04187241127898303, 0.030293326317539514}},
      {"mu_impact_speed: 0.5", {0.1, 0.07071067811865475, 0.05, 0.03535533905932738}}, // of mu_k
      {"mu_impact_table: [0.5, 0.1, 1, 0.08, 3, 0.02]", {0.1, 0.08, 0.05, 0.02}},
  };

  static const char *const law[] = {"newton", "poisson", "stronge", "bistiff"};
  static const double speed[] = {0.25, 1, 2, 4};
  for (int i = 0; i < 3 * 4 * 4 * 2; i++) {
    int k = i % 3;
    int j = i / 3 % 4;
    int n = i / 12 % 4;
    bool steps = i / 48 == 1;
    if (steps && n == 3) {
      continue; // bistiff is not for time stepping
    }
    play("world: {gravity: [0, 0, 0]}\n"
         "bodies: [{name: b, mass: 0.1, inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0]}]\n"
         "joints: [{name: free, kind: free, child: b, q: [0, 0, 0.0105, 1, 0, 0, 0], v: [5, 0, %g, "
         "0, 0, 0]}]\n"
         "shapes: [{body: b, kind: sphere, radius: 0.01}, " FLAT_FLOOR "]\n"
         "contacts: [{body: b, against: world, law: %s, e: 0.5, friction: dry, mu_s: 0.1, mu_k: "
         "0.1, %s}]\n"
         "run: {until: 0.005%s}\nrecord: {every: 0.001}\n",
         -speed[j], law[n], form[k].key, steps ? ", engine: stepping" : "");
    near_abs(told.v[2], 0.5 * speed[j], 1e-9);
    near_abs(told.v[0], 5 - form[k].mu[j] * 1.5 * speed[j], 1e-9);
  }
}

END_TEST

// A ball with spin bounces on a belt; a ball whose own surface moves rolls and spins: both engines.
START_TEST(belts_in_two_engines)
{
  static const struct {
    const char *scene;
    int n;
    double within;
  } row[] = {
      {"bodies: [{name: b, mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.3, 1, 0, 0, 0], v: [0.2, 0.5, 0, 3, 0, 8]}]\n"
       "shapes: [{body: b, kind: sphere, radius: 0.1}, {body: world, kind: plane, "
       "surface_velocity: [1, 0, 0]}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0.6, friction: dry, mu_s: 0.2, mu_k: "
       "0.2}]\n",
       7, 1e-3},
      {"bodies: [{name: b, mass: 1, inertia: [0.02, 0.02, 0.02, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.05, 1, 0, 0, 0], v: [0, 0, 0, 0, 0, 4]}]\n"
       "shapes: [{body: b, kind: sphere, radius: 0.05, surface_velocity: [1, 0, 0]}, {body: world, "
       "kind: plane}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: "
       "0.3}]\n",
       7, 5e-3},
  };

  for (int i = 0; i < RH_COUNT(row); i++) {
    double q[TALE_Q];
    play(DOWN "%srun: {until: 0.8, %s}\nrecord: {every: 0.1}\n", row[i].scene, EVENT);
    memcpy(q, told.q, sizeof q);
    play(DOWN "%srun: {until: 0.8, %s}\nrecord: {every: 0.1}\n", row[i].scene, STEPS);
    near_array(told.q, q, row[i].n, row[i].within, 0);
    near_abs(told.residue, 0, 1e-4);
  }
}

END_TEST

// m v' = -mu(v) m g with Stribeck's mu: the speed after a time, by Runge and Kutta's method here; the
// event engine to its tolerance, steps of time to the first order of the step.
START_TEST(friction_by_slip_speed)
{
  double v = 0.5;
  const double h = 1e-5;
  for (int i = 0; i < 10000; i++) {
    double k = 0;
    double sum = 0;
    for (int j = 0; j < 4; j++) {
      double at = v + k * (j == 0 ? 0 : j == 3 ? h : 0.5 * h);
      k = -G * (0.2 + 0.3 * exp(-at * at / 0.04));
      sum += k * (j == 0 || j == 3 ? 1 : 2);
    }
    v += h * sum / 6;
  }
  for (int i = 0; i < 2; i++) {
    play(DOWN
         "bodies: [{name: b, mass: 2, inertia: [0.03, 0.03, 0.06, 0, 0, 0]}]\n"
         "joints: [{name: free, kind: free, child: b, q: [0, 0, 0.001, 1, 0, 0, 0], v: [0.5, 0, 0, "
         "0, "
         "0, 0]}]\n"
         "shapes: [{body: b, kind: box, size: [0.4, 0.4, 0.002]}, " FLAT_FLOOR "]\n"
         "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: "
         "0.2, v_stribeck: 0.2}]\n"
         "run: {%s, until: 0.1}\nrecord: {every: 0.1}\n",
         i == 0 ? "rtol: 1e-10, atol: 1e-12" : "engine: stepping, dt: 1e-4");
    near_abs(told.v[0], v, i == 0 ? 1e-8 : 1e-3);
  }
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *contact, *run, *words;
  } bad[] = {
      {"law: newton, e: 0, e_table: [1, 0.5, 0.5, 0.6]", "until: 1", "speeds rising"},
      {"law: newton, e: 0, e_table: [1, 0.5, 2]", "until: 1", "must be pairs"},
      {"law: newton, e: 0, e_table: [1, 1.5]", "until: 1", "at most 1"},
      {"law: hertz, e_speed: 1", "until: 1", "needs a rigid law"},
      {"law: newton, e: 0, mu_impact: [0.1]", "until: 1, engine: haptic", "take event"},
      {"law: newton, e: 0, mu_impact_speed: 1", "until: 1, engine: haptic", "take event"},
      {"law: newton, e: 0, mu_impact_table: [1, 0.5, 1, 0.6]", "until: 1", "speeds rising"},
      {"law: newton, e: 0, mu_impact_table: [1, 0.5, 2]", "until: 1", "must be pairs"},
      {"law: hertz, mu_impact_speed: 1", "until: 1", "needs a rigid law"},
      {"law: hertz, mu_impact_table: [1, 0.5]", "until: 1", "needs a rigid law"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    char text[1000];
    int n = snprintf(text, sizeof text,
                     "bodies: [{name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                     "joints: [{name: free, kind: free, child: b}]\n"
                     "shapes: [{body: b, kind: sphere, radius: 0.1}, {body: world, kind: plane}]\n"
                     "contacts: [{body: b, against: world, friction: none, %s}]\n"
                     "run: {%s}\nrecord: {every: 0.1}\n",
                     bad[i].contact, bad[i].run);
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    ck_assert_int_eq(rh_scene_parse(text, (size_t)n, "scene", NULL, 0, diag, &scene), RH_OK);
    ck_assert_int_ne(rh_scene_compile(scene, diag, &model), RH_OK);
    bool found = false;
    for (int k = 0; k < rh_diag_kept(diag); k++) {
      found = found || strstr(rh_diag_get(diag, k).text, bad[i].words) != NULL;
    }
    ck_assert_msg(found, "%s", rh_diag_get(diag, 0).text);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_ref_speeds(void)
{
  Suite *suite = suite_create("ref_speeds");
  TCase *tests = tcase_create("speeds");
  tcase_add_test(tests, restitution_by_speed);
  tcase_add_test(tests, restitution_by_speed_in_steps);
  tcase_add_test(tests, belts);
  tcase_add_test(tests, belts_in_two_engines);
  tcase_add_test(tests, work_of_the_drive);
  tcase_add_test(tests, friction_of_impacts);
  tcase_add_test(tests, friction_of_impacts_by_speed);
  tcase_add_test(tests, friction_by_slip_speed);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
