// ref_hertz_chain.c: impacts at many points at the usual formulation against elastic contacts: cradles and billiard breaks with F = K d^1.5
// between neighbours, integrated elsewhere (velocities over the incoming one). Symmetric problems stay symmetric; every formulation's
// distance to compliant contacts, as bench/impact_table prints it; what is not unique is reported.
#include "rigid.h"

#include "impact/impact.h"

#include <string.h>

typedef struct chain {
  int n;
  double first; // mass of the first ball, in parts of the others'
  double after[7];
} chain;

static const chain chains[] = {
    {3, 1, {-0.07095235364751347, 0.07640303907017698, 0.9945493145773361}},
    {4, 1, {-0.07108501611713086, -0.029626196488645107, 0.10973863988974238, 0.9909725727160336}},
    {5,
     1,
     {-0.07108501702936237, -0.030273764123037488, -0.01446362903734137, 0.12704498609697892,
      0.9887774240927628}},
    {7,
     1,
     {-0.07108501707943872, -0.030273789363961946, -0.01583339715960553, -0.00888527729341069,
      -0.002430247234003209, 0.14180267099999985, 0.9867050571304202}},
    {3, 2, {0.15543773246254625, 0.332162338467377, 1.35696219660753}},
    {5,
     2,
     {0.03360778540396682, 0.06966595592893443, 0.2318185340571005, 0.2640259538527359,
      1.3672739853532945}},
};

static void write_chain(const chain *c, char *text, size_t size)
{
  size_t at = (size_t)snprintf(text, size, "world: {gravity: [0, 0, 0]}\nbodies:\n");
  for (int i = 0; i < c->n; i++) {
    at += (size_t)snprintf(text + at, size - at, "  - {name: b%d, mass: %g}\n", i,
                           0.1 * (i == 0 ? c->first : 1));
  }
  at += (size_t)snprintf(text + at, size - at, "joints:\n");
  for (int i = 0; i < c->n; i++) {
    at += (size_t)snprintf(text + at, size - at,
                           "  - {kind: prismatic, child: b%d, axis: [1, 0, 0], q: %g, v: %d}\n", i,
                           0.02 * i - (i == 0 ? 0.002 : 0), i == 0);
  }
  at += (size_t)snprintf(text + at, size - at, "shapes:\n");
  for (int i = 0; i < c->n; i++) {
    at +=
        (size_t)snprintf(text + at, size - at, "  - {body: b%d, kind: sphere, radius: 0.01}\n", i);
  }
  (void)snprintf(text + at, size - at,
                 "contacts: [{body: all, against: all, law: stronge, e: 1}]\nrun: {until: 0.01}\n");
}

// At default tolerances. The path is followed to 1e-8 a step; 1e-6 after some hundred of them.
START_TEST(cradles)
{
  static char text[TEXT_MAX];
  const chain *c = &chains[_i];
  write_chain(c, text, sizeof text);
  play("%s", text);
  for (int i = 0; i < c->n; i++) {
    near_abs(told.v[i], c->after[i], 1e-6);
  }
  count_is(RH_EVENT_FORMULATION, 1); // they disagree
  ck_assert_double_lt(told.residue, 1e-12);
}

END_TEST

// ---- Billiards: scenes/billiard-break.yaml is the head-on break at 8 m/s, K = 5e8

static const double rack[16][2] = {{-0.11953365786413639, 0},
                                   {-0.12034620112602816, -0.10376459818634559},
                                   {-0.12034620112602816, 0.10376459818634559},
                                   {-0.10235960045761, -0.09951558708554849},
                                   {-0.011037171828481934, 0},
                                   {-0.10235960045761, 0.09951558708554849},
                                   {-0.017629299254335234, -0.13083143859166146},
                                   {0.024159210372586032, -0.006846856956255486},
                                   {0.024159210372586004, 0.006846856956255488},
                                   {-0.017629299254335234, 0.13083143859166146},
                                   {0.48721581450765195, -0.2807567144623545},
                                   {0.25174630520008007, -0.004690636339125448},
                                   {0.2608970582960208, 0},
                                   {0.25174630520008, 0.0046906363391254514},
                                   {0.48721581450765195, 0.2807567144623545},
                                   {-0.1758986870880925, 0}};

// Compressed contacts turn a little, rigid ones do not: 1 % of the speeds at this stiffness, 0.07 % at a thousand times. Symmetry to rounding.
START_TEST(billiard_break)
{
  static const int pairs[][2] = {{1, 2}, {3, 5}, {6, 9}, {7, 8}, {10, 14}, {11, 13}};
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  double apart = 0;
  double whole = 0;
  ck_assert_int_eq(
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/billiard-break.yaml", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 2e-3), RH_OK);
  const double *v = rh_sim_view(sim)->v;
  for (int i = 0; i < 16; i++) {
    for (int k = 0; k < 2; k++) {
      double d = v[3 * i + k] / 8 - rack[i][k];
      apart += d * d;
      whole += rack[i][k] * rack[i][k];
    }
  }
  ck_assert_double_lt(sqrt(apart / whole), 0.015);
  for (int i = 0; i < RH_COUNT(pairs); i++) {
    near_abs(v[3 * pairs[i][0]], v[3 * pairs[i][1]], 1e-12);
    near_abs(v[3 * pairs[i][0] + 1], -v[3 * pairs[i][1] + 1], 1e-12);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

// ---- e below 1: each contact returns e^2 of its work. Small e tends to the plastic impact, which is that of e = 0.

START_TEST(small_e_tends_to_plastic)
{
  const rh_formulation *row = rh_formulation_find("hertz");
  // a rod on two points that do not come down equally fast: W_nn = 1 + x^2/i^2
  double W[36] = {0};
  const double u[6] = {0, 0, -1, 0, 0, -0.6};
  const double x[2] = {0.5, -0.3};
  double mu[2] = {0};
  double par[RH_PAR_MAX];
  double p[6];
  double after[6];
  double lost[4];
  double plastic[6];
  rh_many_out out;
  double *room = malloc(row->room(2) * sizeof *room);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      W[(3 * i + 2) * 6 + 3 * k + 2] = 1 + x[i] * x[k] / 0.08;
    }
  }
  rh_row_defaults(&row->row, par);
  for (int step = 0; step < 4; step++) {
    static const double es[] = {0, 0.01, 0.1, 1};
    double e[2] = {es[step], es[step]};
    const rh_many_in in = {.n = 2,
                           .W = W,
                           .u = u,
                           .mu = mu,
                           .e = e,
                           .law = rh_impact_law_find("stronge"),
                           .lost = lost};
    ck_assert(row->strike(&in, par, room, p, after, &out));
    double change = 0;
    for (int i = 0; i < 6; i++) {
      change += 0.5 * p[i] * (u[i] + after[i]);
    }
    near_abs(change, -(lost[0] + lost[1] + lost[2] + lost[3]), 1e-14);
    if (step == 0) {
      memcpy(plastic, after, sizeof plastic);
    }
    for (int i = 0; i < 2; i++) { // restitution is of the order of e
      ck_assert_double_ge(after[3 * i + 2], -1e-12);
      ck_assert_double_le(fabs(after[3 * i + 2] - plastic[3 * i + 2]), 1.5 * e[0] + 1e-12);
    }
    if (step == 3) {
      near_abs(change, 0, 1e-7); // elastic: to the path's error
    }
  }
  free(room);
}

END_TEST

// The courses of a few contacts of which some hardly bear come to their end: of these two scenes, 15 and
// 20 impacts once were given up after 20000 steps each. Up to the first takeover.
START_TEST(courses_end)
{
  static const char *const file[] = {"domino3", "funnel"};
  static const double until[] = {0.43, 0.56};
  char path[512];
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/tests/data/storms/%s.yaml", file[_i]);
  ck_assert_int_eq(rh_scene_load(path, NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, until[_i]), RH_OK);
  ck_assert_int_gt(rh_sim_statistics(sim).impact.several, 10);
  ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_UNSOLVED, NULL), 0);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

// A box falls on an edge and slides: where a formulation has no path, friction of a contact seems to give energy, and a verdict
// says so; over all impacts the works are the energy lost. `hertz` has a path, and no such verdict.
START_TEST(works_without_a_path)
{
  static const char *const row[] = {"coulomb", "cone", "hertz"};
  play("bodies: [{name: b, mass: 1}]\n"
       "joints: [{name: j, kind: free, child: b, v: [0.2, 0.5, -1, -2, 0.3, 0.6],\n"
       "          q: [0, 0, 0.2, 0.98, 0.198997487421324, 0, 0]}]\n"
       "shapes: [{body: world, kind: plane}, {body: b, kind: box, size: [0.2, 0.3, 0.1]}]\n"
       "contacts: [{name: c, body: b, against: world, law: stronge, e: %g, friction: dry, mu_s: "
       "0.4, mu_k: 0.4}]\n"
       "run: {until: 0.2, multi_impact: %s}\n",
       _i < 2 ? 0 : 0.6, row[_i]);
  double least = 0;
  int given = 0;
  for (int i = 0; i < told.n && i < TALE_MAX; i++) {
    const rh_event *e = &told.at[i].e;
    least = e->kind == RH_EVENT_IMPACT ? fmin(least, e->Dt) : least;
    given += e->kind == RH_EVENT_FORMULATION && strstr(e->note, "friction here gives") != NULL;
  }
  ck_assert_int_eq(given > 0, least < -1e-6);
  ck_assert_int_eq(given > 0, _i < 2);
  near_abs(told.residue, 0, 1e-9); // of the ledger, which has the works of the events
}

END_TEST

// Balls of 7, 0.15, 0.014, 3 and 0.02 kg in a row: the impulse on the last is a hundredth of the largest, and its velocity and that of the
// second depend on the formulation by more than half of the approach.
START_TEST(light_among_heavy)
{
  play("world: {gravity: [0, 0, 0]}\n"
       "bodies: [{name: a, mass: 7}, {name: b, mass: 0.15}, {name: c, mass: 0.014}, {name: d, "
       "mass: 3},\n"
       "         {name: e, mass: 0.02}]\n"
       "joints: [{kind: prismatic, child: a, axis: [1, 0, 0], v: 1},\n"
       "         {kind: prismatic, child: b, axis: [1, 0, 0], q: 0.02},\n"
       "         {kind: prismatic, child: c, axis: [1, 0, 0], q: 0.04},\n"
       "         {kind: prismatic, child: d, axis: [1, 0, 0], q: 0.06},\n"
       "         {kind: prismatic, child: e, axis: [1, 0, 0], q: 0.08}]\n"
       "shapes: [{body: a, kind: sphere, radius: 0.01}, {body: b, kind: sphere, radius: 0.01},\n"
       "  {body: c, kind: sphere, radius: 0.01}, {body: d, kind: sphere, radius: 0.01},\n"
       "  {body: e, kind: sphere, radius: 0.01}]\n"
       "contacts: [{body: all, against: all, law: stronge, e: 1}]\n"
       "run: {until: 0.001}\n");
  count_is(RH_EVENT_FORMULATION, 1);
  ck_assert_double_gt(nth(RH_EVENT_FORMULATION, 0)->e.after, 0.5);
}

END_TEST

// ---- What is not unique

// A block at rest between two walls falls, or is held by walls that press at will.
START_TEST(block_in_a_slot)
{
  play("bodies: [{name: b, mass: 1}]\n"
       "joints: [{name: b, kind: planar, child: b, normal: [0, -1, 0]}]\n"
       "shapes:\n"
       "  - {body: b, kind: box, size: [0.1, 0.1, 0.1]}\n"
       "  - {body: world, kind: plane, at: [-0.05, 0, 0], rpy: [0, 1.5707963267948966, 0]}\n"
       "  - {body: world, kind: plane, at: [0.05, 0, 0], rpy: [0, -1.5707963267948966, 0]}\n"
       "contacts: [{name: w, body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %g, "
       "mu_k: %g}]\n"
       "run: {until: 0.1}\n",
       0.5 * _i, 0.5 * _i);
  count_is(RH_EVENT_NOT_UNIQUE, _i); // without friction it falls
  count_is(
      RH_EVENT_UNDETERMINED,
      1); // and the walls may press: without friction it changes nothing, with it they brake what slides
  near_rel(told.v[1], -G * 0.1, 1e-9);
}

END_TEST

// Four legs: one direction is free, also where the load of least norm leaves a leg out. On three edges of a triangle nothing is.
START_TEST(off_centre_table)
{
  static const double at[][2] = {{0.17, 0.10}, {0, 0}, {0.05, -0.02}, {-0.17, 0.1}};
  play("bodies: [{name: t, mass: 4, com: [%g, %g, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
       "joints: [{name: t, kind: free, child: t, q: [0, 0, 0.05, 1, 0, 0, 0]}]\n"
       "shapes: [{body: world, kind: plane}, {body: t, kind: box, size: [0.4, 0.3, 0.1]}]\n"
       "contacts: [{name: f, body: t, against: world, law: newton, e: 0}]\n"
       "run: {until: 0.05}\n",
       at[_i][0], at[_i][1]);
  count_is(RH_EVENT_UNDETERMINED, 1);
  near_abs(nth(RH_EVENT_UNDETERMINED, 0)->e.after, 1, 0);
  ck_assert_ptr_nonnull(strstr(nth(RH_EVENT_UNDETERMINED, 0)->e.note, "the motion is unique"));
}

END_TEST

// Three feet: all is determined, and no verdict says otherwise. With friction the feet can press against each other along the ground.
START_TEST(three_feet)
{
  play(
      "bodies: [{name: t, mass: 4, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
      "joints: [{name: t, kind: free, child: t, q: [0, 0, 0.1, 1, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: t, kind: sphere, radius: 0.1, at: [0.3, 0, "
      "0]},\n"
      "  {body: t, kind: sphere, radius: 0.1, at: [-0.2, 0.3, 0]}, {body: t, kind: sphere, radius: "
      "0.1, at: [-0.2, -0.3, 0]}]\n"
      "contacts: [{name: f, body: t, against: world, law: newton, e: 0, friction: dry, mu_s: %g, "
      "mu_k: %g}]\n"
      "run: {until: 0.05}\n",
      0.5 * _i, 0.5 * _i);
  count_is(RH_EVENT_UNDETERMINED, _i);
  count_is(RH_EVENT_NOT_UNIQUE, 0);
  if (_i > 0) {
    near_abs(nth(RH_EVENT_UNDETERMINED, 0)->e.after, 3, 0); // 9 forces, 6 equations
  }
}

END_TEST

Suite *rh_suite_ref_hertz_chain(void)
{
  Suite *suite = suite_create("ref_hertz_chain");
  TCase *tcase = tcase_create("chains");
  tcase_add_loop_test(tcase, cradles, 0, RH_COUNT(chains));
  tcase_add_test(tcase, billiard_break);
  tcase_add_test(tcase, small_e_tends_to_plastic);
  tcase_add_loop_test(tcase, courses_end, 0, 2);
  tcase_add_loop_test(tcase, works_without_a_path, 0, 3);
  tcase_add_test(tcase, light_among_heavy);
  tcase_add_loop_test(tcase, block_in_a_slot, 0, 2);
  tcase_add_loop_test(tcase, off_centre_table, 0, 4);
  tcase_add_loop_test(tcase, three_feet, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
