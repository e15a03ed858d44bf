// unit_apps.c: the applications that [WK] names, as scenes/: assembly, grasping, fixturing, part feeding, walking; and what must
// stand still. Each is held against its closed form: limits of friction are bracketed, forces are those of statics.
#include "world.h"

#include <math.h>

#define G 9.81

static run_log story; // of the run at hand; each test is its own process

typedef struct app {
  rh_model *model;
  rh_sim *sim;
  rh_channels *channels;
} app;

static app open_app(const char *name, const char *const *set, int nset)
{
  char path[1024];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  (void)snprintf(path, sizeof path, "%s/scenes/%s.yaml", ROUTH_SOURCE_DIR, name);
  rh_status status = rh_scene_load(path, set, nset, diag, &scene);
  say_messages(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  app a = {.model = model_of(scene)};
  a.sim = sim_of(a.model);
  a.channels = rh_channels_create(a.model);
  log_attach(&story, a.sim);
  return a;
}

static void close_app(app *a)
{
  rh_channels_destroy(a->channels);
  finish(a->sim, a->model);
}

static double value(const app *a, const char *name)
{
  int index = rh_channel_find(a->channels, name);
  double x;
  ck_assert_msg(index != RH_NONE, "no channel '%s'", name);
  rh_channels_read(a->channels, rh_sim_data(a->sim), &index, 1, &x);
  return x;
}

// Sum of the normal forces of a contact.
static double carried(const app *a, const char *contact)
{
  double sum = 0;
  (void)value(a, "t"); // forces are up to date
  const rh_data *d = rh_sim_view(a->sim);
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    bool mine = c->on && strcmp(rh_model_name(a->model, RH_OBJECT_CONTACT, c->rule), contact) == 0;
    sum += mine ? c->normal : 0;
  }
  return sum;
}

// Solves A x = b by elimination, A row by row with b behind it, n x (n + 1).
static void eliminate(int n, double *A, double *x)
{
  int w = n + 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = fabs(A[i * w + k]) > fabs(A[best * w + k]) ? i : best;
    }
    for (int j = 0; j < w; j++) {
      double keep = A[k * w + j];
      A[k * w + j] = A[best * w + j];
      A[best * w + j] = keep;
    }
    for (int i = 0; i < n; i++) {
      double factor = i == k ? 0 : A[i * w + k] / A[k * w + k];
      for (int j = k; j < w; j++) {
        A[i * w + j] -= factor * A[k * w + j];
      }
    }
  }
  for (int k = 0; k < n; k++) {
    x[k] = A[k * w + n] / A[k * w + k];
  }
}

// ---- Assembly

#define PEG_A  0.01   // [m] half the peg's width
#define PEG_B  0.04   // [m] half its length
#define HOLE   0.0102 // [m] half the hole's width
#define PEG_MU 0.3

typedef struct vec2 {
  double x, z;
} vec2;

static double cross(vec2 at, vec2 f)
{
  return at.x * f.z - at.z * f.x;
}

// The peg at two points, leaning to the right by asin(s): its lower left corner is on the left wall, its right side on the edge of
// the hole. Its middle, and the ratio Fx / Fz of a force at its top under which both points are about to slide down.
static double peg_limit(double s, double mu, vec2 *middle)
{
  double c = sqrt(1 - s * s);
  double x = -HOLE + PEG_A * c + PEG_B * s;
  double z = (PEG_A - (HOLE - x) * c) / s;
  vec2 corner = {-HOLE, z + PEG_A * s - PEG_B * c};
  vec2 edge = {HOLE, 0};
  vec2 top = {x + PEG_B * s, z + PEG_B * c};
  vec2 f1 = {1, mu};
  vec2 f2 = {-c + mu * s, s + mu * c};
  vec2 right = {1, 0};
  vec2 down = {0, -1};
  double A[12] = {f1.x,
                  f2.x,
                  1,
                  0,
                  f1.z,
                  f2.z,
                  0,
                  1,
                  cross(corner, f1),
                  cross(edge, f2),
                  cross(top, right),
                  -cross(top, down)};
  double answer[3];
  eliminate(3, A, answer);
  *middle = (vec2){x, z};
  return answer[2];
}

// How far the tip goes down in 10 ms, from rest at two points.
static double peg_travel(double ratio, double mu)
{
  const double s = 0.025;
  vec2 m;
  char text[4][80];
  (void)peg_limit(s, mu, &m);
  (void)snprintf(text[0], sizeof text[0], "peg.q=[%.17g, %.17g, %.17g]", m.x, m.z - 0.025,
                 -asin(s));
  (void)snprintf(text[1], sizeof text[1], "push.force=[%.17g, 0, -20]", 20 * ratio);
  (void)snprintf(text[2], sizeof text[2], "wall.mu_s=%.17g", mu);
  (void)snprintf(text[3], sizeof text[3], "wall.mu_k=%.17g", mu);
  const char *const set[] = {text[0], text[1], text[2], text[3]};
  app a = open_app("peg-in-hole", set, 4);
  double before = value(&a, "tip.z");
  run_to(a.sim, 0.01);
  double travel = before - value(&a, "tip.z");
  close_app(&a);
  return travel;
}

// A push is 1 % to either side of the limit; beyond it the peg does not move at all.
START_TEST(a_peg_jams_beyond_its_limit)
{
  vec2 m;
  double limit = peg_limit(0.025, PEG_MU, &m);
  near_abs(
      limit, 0.345,
      0.02); // l / (mu (2 h - mu d - l)) = 0.379 for l = 15.7 mm, less the arm that the lean gives Fz
  near_abs(peg_travel(1.01 * limit, PEG_MU), 0, 1e-12);
  ck_assert_double_gt(peg_travel(0.99 * limit, PEG_MU), 1e-5);
  ck_assert_double_gt(peg_travel(1.01 * limit, PEG_MU / 2), 1e-3); // less friction frees it
}

END_TEST

START_TEST(a_peg_goes_in)
{
  app a = open_app("peg-in-hole", NULL, 0);
  run_to(a.sim, 0.0045);
  near_abs(carried(&a, "wall") > 0, 1, 0);
  ck_assert_int_eq(log_count(&story, RH_EVENT_TOUCH),
                   2); // an edge of the hole: one point, seen from the side
  run_to(a.sim, 0.02);
  ck_assert_int_eq(log_count(&story, RH_EVENT_TOUCH), 4); // and a corner of the peg
  ck_assert_int_eq(log_count(&story, RH_EVENT_SEPARATE), 0);
  run_to(a.sim, 0.1);
  double lean = -value(&a, "peg.angle"); // it still leans: its lower right corner is on the bottom
  ck_assert_double_gt(lean, 0.005);
  near_abs(value(&a, "tip.z") - PEG_A * sin(lean), -0.05, 1e-9);
  close_app(&a);
}

END_TEST

// ---- Grasping

typedef struct grip {
  const char *scene, *lifted;
  const char *const *finger;
  int n;
  double mass, force, below; // [kg], [N], [m] height of what is lifted, at the start
  double slide;              // [s] how long it slides as if its contacts stayed where they are
} grip;

static const char *const two[] = {"left", "right"};
static const char *const three[] = {"tip_a", "tip_b", "tip_c"};
static const grip grips[] = {{"grasp-two-fingers", "block.pz", two, 2, 0.5, 12, 0.05, 0.2},
                             {"grasp-three-fingers", "ball.pz", three, 3, 0.6, 6, 0.04, 2e-3}};

#define LIFT 0.5 // [m/s^2]

static app open_grip(const grip *g, double mu)
{
  char text[6][40];
  const char *set[6];
  for (int i = 0; i < 2 * g->n; i++) {
    (void)snprintf(text[i], sizeof text[i], "%s.mu_%s=%.17g", g->finger[i / 2], i % 2 ? "k" : "s",
                   mu);
    set[i] = text[i];
  }
  return open_app(g->scene, set, 2 * g->n);
}

// Fingers that press with F hold a mass m that they lift with a if n mu F > m (g + a): 3 % to either side of it, for the
// finger that is driven to a place has not quite come to rest when the lift begins.
START_TEST(a_grip_holds)
{
  const grip *g = &grips[_i];
  app a = open_grip(g, 1.03 * g->mass * (G + LIFT) / (g->n * g->force));
  run_to(a.sim, 0.6);
  near_abs(value(&a, "hand.q"), 0.5 * LIFT * 0.16, 1e-8); // the tolerance, over 0.4 s
  near_abs(value(&a, g->lifted) - g->below, value(&a, "hand.q"), 1e-9);
  ck_assert_int_eq(log_count(&story, RH_EVENT_SLIP), 0);
  for (int i = 0; i < g->n; i++) {
    near_rel(carried(&a, g->finger[i]), g->force, 1e-6);
  }
  close_app(&a);
}

END_TEST

START_TEST(a_weak_grip_slips)
{
  const grip *g = &grips[_i];
  double mu = 0.97 * g->mass * (G + LIFT) / (g->n * g->force);
  app a = open_grip(g, mu);
  run_to(a.sim, 0.2 + g->slide);
  double lift = g->n * mu * g->force / g->mass - G; // what friction gives
  near_rel(value(&a, g->lifted) - g->below, 0.5 * lift * g->slide * g->slide,
           0.01); // the driven finger's last motion
  ck_assert_int_gt(log_count(&story, RH_EVENT_SLIP), 0);
  run_to(a.sim, 0.4);
  ck_assert_double_gt(value(&a, "hand.q"), value(&a, g->lifted) - g->below + 1e-3);
  close_app(&a);
}

END_TEST

// ---- Fixturing

typedef struct push {
  rh_vec3 at, f;
} push;

// Force and moment of a push into column `column` of the rows of A.
static void put_column(double *A, int column, push p)
{
  rh_vec3 m = rh_cross(p.at, p.f);
  const double x[6] = {p.f.x, p.f.y, p.f.z, m.x, m.y, m.z};
  for (int i = 0; i < 6; i++) {
    A[i * 7 + column] += x[i];
  }
}

static const push locator[6] = {
    {{-0.07, -0.03, -0.025}, {0, 0, 1}}, {{0.07, -0.03, -0.025}, {0, 0, 1}},
    {{0.01, 0.04, -0.025}, {0, 0, 1}},   {{-0.06, 0.05, 0}, {0, -1, 0}},
    {{0.08, 0.05, 0}, {0, -1, 0}},       {{0.1, 0, 0}, {-1, 0, 0}}};

static void fixture_statics(bool cutting, double N[6])
{
  double A[42] = {0};
  const push load[5] = {{{0, 0, 0}, {0, 0, -4 * G}},
                        {{0.01, 0.005, 0.025}, {0, 0, -300 - 0.2 * G}}, // the clamp's own weight
                        {{0.01, -0.05, 0.002}, {0, 200, 0}},
                        {{-0.1, 0.01, 0.004}, {150, 0, 0}},
                        {{0.05, 0.03, 0.025}, {-40, 30, 60}}};
  for (int i = 0; i < 6; i++) {
    put_column(A, i, locator[i]);
  }
  for (int i = 0; i < (cutting ? 5 : 4); i++) {
    put_column(A, 6, (push){load[i].at, rh_scale(-1, load[i].f)});
  }
  eliminate(6, A, N);
}

// The force at the contact nearest to a point of the block.
static double force_at(const rh_data *d, rh_vec3 at)
{
  double least = 1e-6;
  double found = 0;
  for (int k = 0; k < d->ncontact; k++) {
    double off = rh_norm(rh_sub(d->contact[k].point, at));
    if (d->contact[k].on && off < least) {
      least = off;
      found = d->contact[k].normal;
    }
  }
  return found;
}

START_TEST(six_locators_carry_what_statics_says)
{
  app a = open_app("fixture-321", NULL, 0);
  for (int cutting = 0; cutting < 2; cutting++) {
    double N[6];
    run_to(a.sim, cutting ? 0.2 : 0.05);
    (void)value(&a, "t");
    fixture_statics(cutting, N);
    for (int i = 0; i < 6; i++) {
      ck_assert_double_gt(N[i], 1);
      near_rel(force_at(rh_sim_view(a.sim), locator[i].at), N[i], 1e-9);
    }
  }
  near_abs(value(&a, "block.px"), 0, 1e-12); // it does not move
  ck_assert_int_eq(log_count(&story, RH_EVENT_SEPARATE), 0);
  close_app(&a);
}

END_TEST

// ---- Part feeding

// A part on a tray that swings, 1 mm and 80 rad/s, along a line `angle` above its slope: how far it has come, up the slope.
// Friction integrates in closed form while the slip has one sense, for the normal force is m (g + the tray's acceleration).
static double fed(double angle, double slope, double mu, double until)
{
  const double A = 1e-3;
  const double w = 80;
  const double gx = -G * sin(slope);
  const double gz = G * cos(slope);
  const int n = 400000;
  double h = until / n;
  double x = 0;
  double v = 0;
  for (int i = 0; i < n; i++) {
    double t = i * h;
    double swing = -A * w * sin(w * (t + h));
    double press = gz * h + (swing + A * w * sin(w * t)) * sin(angle); // impulse over h, for 1 kg
    double wanted = swing * cos(angle) - (v + gx * h);
    double given = fmax(-mu * press, fmin(mu * press, wanted)); // sticks if it can
    x += (v + 0.5 * (gx * h + given)) * h;
    v += gx * h + given;
  }
  return x;
}

START_TEST(a_tray_feeds_uphill)
{
  const double pi = acos(-1);
  app a = open_app("part-feeder", NULL, 0);
  run_to(a.sim, 1);
  double up = value(&a, "part.x");
  ck_assert_double_gt(up, 1e-3);
  near_abs(up, fed(pi / 6, pi / 60, 0.5, 1),
           1e-6); // 26 changes between stick and slip, each found to a step of 2.5 us
  ck_assert_int_gt(log_count(&story, RH_EVENT_STICK), 40);
  close_app(&a);
}

END_TEST

START_TEST(a_tray_that_swings_along_lets_down)
{
  const double pi = acos(-1);
  const char *const set[] = {"joints.tray.axis=[1,0,0]", "tray.rest=8.0221135e-05",
                             "part.q=[0,0.02,0]"};
  app a = open_app("part-feeder", set, 3);
  run_to(a.sim, 1);
  double down = value(&a, "part.x");
  ck_assert_double_lt(down, -1e-3);
  near_abs(down, fed(0, pi / 60, 0.5, 1), 1e-5);
  close_app(&a);
}

END_TEST

// ---- Walking

// From landing to landing: w'^2 = r^2 w^2 + 2 D / J, which tends to a speed of its own.
START_TEST(a_rimless_wheel_finds_its_speed)
{
  const double pi = acos(-1);
  const double l = 0.5;
  const double J = 0.2 + l * l;
  const double r = (0.2 + l * l * cos(pi / 4)) / J;
  const double D = 2 * G * l * sin(pi / 8) * sin(8 * pi / 180);
  const double reach = 2 * l * sin(pi / 8); // from foot to foot
  app a = open_app("rimless-wheel", NULL, 0);
  run_to(a.sim, 8);
  int landings = log_count(&story, RH_EVENT_IMPACT) / 2; // a foot is an edge with two corners
  double w = 0;
  ck_assert_int_gt(landings, 20);
  for (int i = 0; i < landings; i++) {
    double next = -log_find(&story, RH_EVENT_IMPACT, 2 * i)->before / reach;
    if (i > 0) {
      near_rel(next * next, r * r * w * w + 2 * D / J,
               1e-8); // the tolerance of the run, 1e-10, over a step
    }
    w = next;
  }
  near_rel(w, sqrt(2 * D / (J * (1 - r * r))), pow(r, 2 * landings)); // what is left of the start
  ck_assert_int_eq(log_count(&story, RH_EVENT_SLIP), 0);
  close_app(&a);
}

END_TEST

// ---- Falling

START_TEST(a_ladder_leaves_the_wall_at_two_thirds)
{
  const double c = cos(20 * acos(-1) / 180);
  app a = open_app("falling-ladder", NULL, 0);
  run_to(a.sim, 2);
  const rh_event *part = log_find(&story, RH_EVENT_SEPARATE, 0);
  ck_assert_ptr_nonnull(part);
  double t = part->t;
  near_rel(value(&a, "ladder.vx"), sqrt(G * 4 * c * c * c) / 3, 1e-8);
  near_abs(value(&a, "ladder.pz"), 0.02, 1e-9); // and lies flat in the end
  close_app(&a);
  a = open_app("falling-ladder", NULL, 0);
  run_to(a.sim, t);
  near_rel(value(&a, "ladder.pz") - 0.02, 2 * c * 2 / 3, 1e-6);
  close_app(&a);
}

END_TEST

// ---- Standing

START_TEST(a_stack_stands)
{
  app a = open_app("stack", NULL, 0);
  run_to(a.sim, RH_TEST_SLOW ? 1 : 4); // of 60 s, all alike: those take some 10 s
  for (int i = 1; i <= 10; i++) {
    char name[3][16];
    for (int k = 0; k < 3; k++) {
      (void)snprintf(name[k], sizeof name[k], "box%d.p%c", i, "xyz"[k]);
    }
    near_abs(value(&a, name[0]), 0, 1e-9);
    near_abs(value(&a, name[1]), 0, 1e-9);
    near_abs(value(&a, name[2]), 0.1 * i - 0.05, 1e-9);
  }
  near_rel(carried(&a, "floor"), 10 * G, 1e-9);
  near_rel(carried(&a, "on9"), G, 1e-9);
  ck_assert_int_eq(log_count(&story, RH_EVENT_TOUCH), 40); // four corners each, and they stay
  ck_assert_int_eq(log_count(&story, RH_EVENT_SEPARATE) + log_count(&story, RH_EVENT_SLIP), 0);
  close_app(&a);
}

END_TEST

START_TEST(a_light_block_carries_a_heavy_one)
{
  app a = open_app("heavy-on-light", NULL, 0);
  run_to(a.sim, RH_TEST_SLOW ? 1 : 10);
  near_abs(value(&a, "light.pz"), 0.05, 1e-9);
  near_abs(value(&a, "heavy.pz"), 0.3, 1e-9);
  near_abs(value(&a, "light.px"), 0, 1e-9);
  near_rel(carried(&a, "floor"), 1000001 * G, 1e-9);
  near_rel(carried(&a, "load"), 1e6 * G, 1e-9);
  ck_assert_int_eq(log_count(&story, RH_EVENT_SEPARATE) + log_count(&story, RH_EVENT_SLIP), 0);
  close_app(&a);
}

END_TEST

// The house with one friction everywhere
static app open_house(double mu)
{
  enum { CARDS = 15, CHANGES = 2 * CARDS };

  static char text[CHANGES][64];
  static const char *set[CHANGES];
  for (int i = 0; i < CHANGES; i++) {
    (void)snprintf(text[i], sizeof text[i], "contacts.%d.mu_%s=%.17g", i / 2, i % 2 ? "k" : "s",
                   mu);
    set[i] = text[i];
  }
  return open_app("card-house", set, CHANGES);
}

static double weight_on_ground(const app *a)
{
  double sum = 0;
  (void)value(a, "t"); // forces are up to date
  const rh_data *d = rh_sim_view(a->sim);
  for (int k = 0; k < d->ncontact; k++) {
    sum += d->contact[k].on && (d->contact[k].a == 0 || d->contact[k].b == 0) ? d->contact[k].normal
                                                                              : 0;
  }
  return sum;
}

// The least friction for which the statics of the fifteen cards has forces within the cones, by bisection over linear programmes
// with the two edges of each of the 24 cones.
#define CARDS_NEED 0.39985

START_TEST(a_house_of_cards_stands)
{
  app a = open_house(1.01 * CARDS_NEED);
  run_to(a.sim, RH_TEST_SLOW ? 0.1 : 1);          // of 10 s, all alike
  double card = 0.088 * cos(25 * acos(-1) / 180); // upright part of its middle line
  near_abs(value(&a, "l31.pz"), 2 * (0.004 + card) + 0.001 + card / 2, 1e-9);
  near_abs(value(&a, "r13.px"), 0.0902 + 0.001 + 0.044 * sin(25 * acos(-1) / 180), 1e-9);
  near_rel(weight_on_ground(&a), 15 * 0.002 * G, 1e-9);
  ck_assert_int_eq(log_count(&story, RH_EVENT_TOUCH), 24);
  ck_assert_int_eq(log_count(&story, RH_EVENT_SEPARATE) + log_count(&story, RH_EVENT_SLIP), 0);
  close_app(&a);
}

END_TEST

START_TEST(a_house_of_cards_comes_down)
{
  app a = open_house(0.99 * CARDS_NEED);
  double before = value(&a, "l31.pz");
  run_to(a.sim, 0.02);
  ck_assert_double_lt(value(&a, "l31.pz"), before - 1e-6); // with 1 % of g at the most: 2e-5
  close_app(&a);
}

END_TEST

Suite *rh_suite_unit_apps(void)
{
  Suite *suite = suite_create("unit_apps");
  TCase *apps = tcase_create("apps");
  tcase_add_test(apps, a_peg_jams_beyond_its_limit);
  tcase_add_test(apps, a_peg_goes_in);
  tcase_add_loop_test(apps, a_grip_holds, 0, RH_COUNT(grips));
  tcase_add_loop_test(apps, a_weak_grip_slips, 0, RH_COUNT(grips));
  tcase_add_test(apps, six_locators_carry_what_statics_says);
  tcase_add_test(apps, a_tray_feeds_uphill);
  tcase_add_test(apps, a_tray_that_swings_along_lets_down);
  tcase_add_test(apps, a_rimless_wheel_finds_its_speed);
  tcase_add_test(apps, a_ladder_leaves_the_wall_at_two_thirds);
  tcase_add_test(apps, a_stack_stands);
  tcase_add_test(apps, a_light_block_carries_a_heavy_one);
  tcase_add_test(apps, a_house_of_cards_comes_down);
  tcase_add_test(apps, a_house_of_cards_stands);
  suite_add_tcase(suite, apps);
  return suite;
}
