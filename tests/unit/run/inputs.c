// unit_inputs.c: what comes from outside while a scene runs: a hand against its closed form and in the books, values that change
// against closed forms before and after, what is refused.
#include "recorded_inputs.h"

static const char floating[] =
    "bodies: [{name: base, mass: 2}, {name: bob, mass: 1}]\n"
    "joints: [{kind: free, child: base, q: [1, 2, 3, 1, 0, 0, 0]},\n"
    "  {kind: fixed, parent: base, child: bob, at: [0.1, 0, 0]}]\n"
    "shapes: [{body: base, kind: sphere, radius: 0.1}, {body: bob, kind: sphere, radius: 0.1}]\n"
    "forces: [{name: wind, body: base, force: [0, 0, 29.43]}, {name: calm, body: base, force: [0, "
    "0, "
    "-29.43]}]\n"
    "run: {until: 2, rtol: 1e-10, hand: true}\nrecord: {every: 0.01, batch: 10}\n";

// Held at the centre of mass of all, 3 kg at [1/30, 0, 0] of the base: x = target - d (1 + w t) exp(-w t), no turning.
START_TEST(a_hand_is_a_damped_spring)
{
  double w = RH_HAND_RATE;
  open_play(floating);
  run_to(0);
  ck_assert_int_eq(give(RH_INPUT_DRAG, "base", "0.033333333333333333 0 0 1.5333333333333333 2 3.2"),
                   RH_OK);
  for (int i = 1; i <= 5; i++) {
    double t = 0.1 * i;
    run_to(t);
    double left = (1 + w * t) * exp(-w * t);
    double rate = w * w * t * exp(-w * t);
    near_abs(now()->q[0], 1.5 - 0.5 * left, 1e-8); // the integrator's 1e-10 over some hundred steps
    near_abs(now()->q[2], 3.2 - 0.2 * left, 1e-8);
    double kinetic = 0.5 * 3 * (0.25 + 0.04) * rate * rate;
    rh_ledger l = ledger();
    near_abs(l.hand, kinetic + 3 * G * 0.2 * (1 - left), 1e-7);
    near_abs(l.external, 0, 1e-9); // wind and calm cancel: forces from outside are apart
    near_abs(l.residue, 0, 1e-8);
  }
  ck_assert_int_eq(give(RH_INPUT_DROP, "", ""), RH_OK);
  double held = ledger().hand;
  double z = now()->q[2];
  double v = now()->v[2];
  run_to(1);
  near_abs(now()->q[2], z + 0.5 * v - 0.5 * G * 0.25, 1e-8);
  near_abs(ledger().hand, held, 0);
}

END_TEST

static const char springy[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: ground, body: ball, against: world, law: kelvin-voigt, k: 2e4, b: 0}]\n"
    "world: {gravity: [0, 0, 0]}\n"
    "run: {until: 1, rtol: 1e-10, hand: true}\nrecord: {every: 0.001, batch: 10}\n";

// A spring of k = 2e4 N/m halts 2 kg at 1 m/s after a quarter of 2 pi / 100 s. Half way there k becomes four times as much: the
// hand that did it put in half of 3 k d^2, and the ball leaves with that energy as well.
START_TEST(a_stiffer_spring_gives_more_back)
{
  open_play(springy);
  run_to(0.008);
  double d = 0.01 * sin(0.8); // v / w sin(w t), w = 100 / s
  near_abs(now()->q[2], 0.1 - d, 1e-9);
  ck_assert_int_eq(give(RH_INPUT_SET, "ground.k", "8e4"), RH_OK);
  double put = 0.5 * 6e4 * d * d;
  near_rel(ledger().hand, put, 1e-7);
  near_abs(ledger().residue, 0, 1e-8);
  near_rel(ledger().contact, 0.5 * 8e4 * d * d, 1e-7);
  run_to(0.1);
  near_rel(now()->v[2], sqrt(1 + put), 1e-7); // m = 2: v^2 = v0^2 + put
  near_abs(ledger().contact, 0, 1e-8);
  near_abs(ledger().residue, 0, 1e-8);
  ck_assert_int_eq(rh_sim_statistics(rh_replay_sim(play)).impact.impacts, 1); // counts go on
}

END_TEST

static const char bouncing[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 1.1, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: ground, body: ball, against: world, law: newton, e: 0.5, friction: dry, "
    "mu_s: 0.3, mu_k: 0.3}]\n"
    "run: {until: 3, hand: true}\nrecord: {every: 0.01, batch: 10}\n";

// From 1 m with e = 0.5 the second impact comes at 2 t0, t0 = sqrt(2 / g); with e = 1 from then on it leaves as fast as it came.
START_TEST(restitution_changes_from_one_bounce_to_the_next)
{
  double t0 = sqrt(2 / G);
  open_play(bouncing);
  run_to(0.5);
  near_abs(now()->v[2], 0.5 * G * t0 - G * (0.5 - t0), 1e-6);
  ck_assert_int_eq(give(RH_INPUT_SET, "contacts.0.e", "1"), RH_OK);
  near_abs(ledger().hand, 0, 0);
  run_to(1.2);
  near_abs(now()->v[2], 0.5 * G * t0 - G * (1.2 - 2 * t0), 1e-6);
  near_abs(ledger().event, -0.75 * 2 * G, 1e-6); // 3/4 of m g h at the first
}

END_TEST

static const char resting[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: ground, body: ball, against: world, LAW}]\n"
    "run: {until: 3, hand: true}\nrecord: {every: 0.01, batch: 10}\n";

static char *with_law(const char *law)
{
  const char *at = strstr(resting, "LAW");
  char *text = rh_alloc(sizeof resting + strlen(law));
  (void)snprintf(text, sizeof resting + strlen(law), "%.*s%s%s", (int)(at - resting), resting, law,
                 at + 3);
  return text;
}

// A ball that rests on a spring becomes a rigid one, and soft again: it comes up to the surface, then settles where the spring
// wants it.
START_TEST(a_law_of_the_other_kind_takes_over)
{
  char *soft = with_law("law: kelvin-voigt, k: 1e4, b: 200, friction: coulomb, mu: 0.5");
  char *rigid = with_law("law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: 0.3");
  open_play(soft);
  run_to(1);
  double rest = 0.1 - 2 * G / 1e4;
  near_abs(now()->q[2], rest, 1e-8);
  ck_assert_int_eq(give(RH_INPUT_SCENE, "", rigid), RH_OK);
  near_abs(ledger().residue, 0, 1e-8);
  run_to(
      2.5); // the overlap is taken back by 1 - exp(-3) or more: rigid contacts come back to the surface
  ck_assert_double_gt(now()->q[2], rest + 0.9 * (0.1 - rest));
  ck_assert_double_lt(now()->q[2], 0.1 + 1e-9);
  near_abs(ledger().residue, 0, 1e-8);
  ck_assert_int_eq(give(RH_INPUT_SCENE, "", soft), RH_OK);
  run_to(3.5);
  near_abs(now()->q[2], rest, 1e-8);
  near_abs(ledger().residue, 0, 1e-8);
  rh_free(soft);
  rh_free(rigid);
}

END_TEST

static const char sliding[] =
    "bodies: [{name: ball, mass: 2}, {name: box, mass: 1}]\n"
    "joints:\n"
    "  - {kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0], v: [0.5, 0, 0, 0, 0, 0]}\n"
    "  - {kind: free, child: box, q: [1, 0, 0.1, 1, 0, 0, 0]}\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1},\n"
    "  {body: box, kind: box, size: [0.2, 0.2, 0.2]}]\n"
    "contacts:\n"
    "  - {name: ground, body: ball, against: world, law: azad-featherstone, friction: "
    "azad-featherstone, mu: 0.3}\n"
    "  - {name: under, body: box, against: world, law: kelvin-voigt, k: 1e4, b: 100}\n"
    "run: {until: 3, hand: true}\nrecord: {every: 0.01, batch: 10}\n";

// What has nothing to do with a contact leaves every number of the state as it is, the deformation of its friction too; another friction
// law begins anew.
START_TEST(friction_keeps_its_memory)
{
  open_play(sliding);
  run_to(0.3);
  int n = rh_replay_model(play)->layout.nstate;
  double *before = rh_alloc((size_t)n * sizeof *before);
  memcpy(before, now()->state, (size_t)n * sizeof *before);
  int slot = 0;
  while (now()->slot[slot].contact != 0 || now()->slot[slot].used == 0) {
    slot++;
  }
  const double *s = now()->s + (size_t)slot * RH_SLOT_STATES;
  ck_assert_double_gt(hypot(s[0], s[1]), 1e-9); // the ground is strained
  ck_assert_int_eq(give(RH_INPUT_SET, "under.tension", "cut"), RH_OK);
  ck_assert_int_eq(memcmp(before, now()->state, (size_t)n * sizeof *before), 0);
  ck_assert_int_eq(give(RH_INPUT_SET, "ground.mu", "0.31"), RH_OK);
  s = now()->s + (size_t)slot * RH_SLOT_STATES;
  ck_assert_int_eq(
      memcmp(before + (now()->s - now()->state) + slot * RH_SLOT_STATES, s, 3 * sizeof *s), 0);
  ck_assert_int_eq(give(RH_INPUT_SET, "ground.friction", "coulomb"), RH_OK);
  s = now()->s + (size_t)slot * RH_SLOT_STATES;
  near_abs(hypot(s[0], s[1]), 0, 0);
  near_abs(ledger().residue, 0, 1e-8);
  rh_free(before);
}

END_TEST

static void refused(rh_input_kind kind, const char *name, const char *value, const char *word)
{
  char text[1024];
  uint64_t before = rh_data_hash(now(), 0);
  ck_assert_msg(give(kind, name, value) == RH_INPUT_REFUSED, "%s=%s", name, value);
  ck_assert_int_ge(rh_diag_kept(diag), 1);
  rh_message m = rh_diag_get(diag, 0);
  (void)rh_message_format(&m, text, sizeof text);
  ck_assert_msg(strstr(text, word) != NULL, "%s=%s: %s", name, value, text);
  ck_assert(rh_data_hash(now(), 0) == before);
}

START_TEST(what_cannot_be_changed_is_refused_and_nothing_is)
{
  open_play(bouncing);
  ck_assert_int_eq(give(RH_INPUT_DROP, "", ""), RH_WRONG_USAGE); // no frame yet
  run_to(0.2);
  const rh_sim *sim = rh_replay_sim(play);
  refused(RH_INPUT_SET, "ground.e", "3", "-s ground.e");
  refused(RH_INPUT_SET, "ground.e", "soft", "-s ground.e");
  refused(RH_INPUT_SET, "ground.k", "1", "k");
  refused(RH_INPUT_SET, "nobody.mass", "1", "nobody");
  refused(RH_INPUT_SET, "ground.against", "all", "cannot change");
  refused(RH_INPUT_SET, "record.every", "0.02", "cannot change");
  refused(RH_INPUT_SET, "run.contacts", "20", "cannot change");
  refused(RH_INPUT_SET, "bodies.0.name", "sphere", "sphere");
  refused(RH_INPUT_SET, "ground.e=1", "1", "=");
  refused(RH_INPUT_SCENE, "", springy, "cannot change");
  refused(RH_INPUT_SCENE, "", "bodies: [", "inputs.yaml");
  refused(RH_INPUT_DRAG, "ball", "1 2 3 4 5", "six");
  refused(RH_INPUT_DRAG, "ball", "1 2 3 4 5 nan", "six");
  refused(RH_INPUT_DRAG, "cube", "1 2 3 4 5 6", "no such body");
  refused(RH_INPUT_DRAG, "world", "1 2 3 4 5 6", "no such body");
  ck_assert_ptr_eq(rh_replay_sim(play), sim);
}

END_TEST

Suite *rh_suite_unit_inputs(void)
{
  Suite *suite = suite_create("unit_inputs");
  TCase *tc = tcase_create("inputs");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, a_hand_is_a_damped_spring);
  tcase_add_test(tc, a_stiffer_spring_gives_more_back);
  tcase_add_test(tc, restitution_changes_from_one_bounce_to_the_next);
  tcase_add_test(tc, a_law_of_the_other_kind_takes_over);
  tcase_add_test(tc, friction_keeps_its_memory);
  tcase_add_test(tc, what_cannot_be_changed_is_refused_and_nothing_is);
  suite_add_tcase(suite, tc);
  return suite;
}
