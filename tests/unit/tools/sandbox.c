// unit_sandbox.c: scenes that are put together while they run (src/viewer/sandbox.h, src/run/transfer_state.c): what stays goes on bit for bit, what
// is refused changes nothing, what is saved runs.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include "base/json.h"
#include "viewer/sandbox.h"

#include <math.h>

static rh_diag *diag;
static rh_sandbox *box;

static void setup(void)
{
  diag = rh_diag_create();
  ck_assert_int_eq(rh_sandbox_create(NULL, 0, diag, &box), RH_OK);
}

static void teardown(void)
{
  rh_sandbox_destroy(box);
  rh_diag_destroy(diag);
}

static bool say(const char *text)
{
  return rh_sandbox_say(box, text, strlen(text));
}

// The answer to /file: a member's text behind "key":
static char *state_of(void)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, false);
  rh_json_open_object(&json, NULL);
  rh_sandbox_put(box, &json);
  rh_json_end(&json);
  return rh_text_take(&text);
}

static bool says(const char *words)
{
  char *text = state_of();
  bool found = strstr(text, words) != NULL;
  rh_free(text);
  return found;
}

static rh_model *compiled(const char *text, size_t bytes)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_parse(text, bytes, "saved.yaml", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  rec_say(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_scene_destroy(scene);
  return model;
}

// The scene as it would be saved now
static rh_model *saved(void)
{
  rh_text text = {0};
  ck_assert(rh_sandbox_scene(box, &text));
  rh_model *model = compiled(text.data, text.size);
  rh_text_free(&text);
  return model;
}

static void run_for(double seconds)
{
  for (int i = 0; i < (int)lround(seconds / 0.01); i++) {
    rh_sandbox_go_on(box, 0.01);
  }
}

// Where a body of a scene begins, and how fast
static void begins(const rh_model *m, const char *name, double x[13])
{
  int body = rh_model_find(m, RH_OBJECT_BODY, name);
  ck_assert_int_ne(body, RH_NONE);
  memcpy(x, m->start.q0 + m->body[body].qadr, 7 * sizeof *x);
  memcpy(x + 7, m->start.v0 + m->body[body].vadr, 6 * sizeof *x);
}

static void now_of(const char *name, double x[13])
{
  rh_model *m = saved();
  begins(m, name, x);
  rh_model_destroy(m);
}

static void same_bits(const double *x, const double *y, int n)
{
  ck_assert_int_eq(memcmp(x, y, (size_t)n * sizeof *x), 0);
}

// ---- What stays

START_TEST(bodies_go_on_bit_for_bit)
{
  // Two sandboxes, one of which gets a ball that is far off and in the air all the while: the first ball must not notice.
  double alone[13];
  double before[13];
  double after[13];
  run_for(0.3);
  now_of("ball1", before);
  ck_assert(before[2] < 0.6 && before[9] < 0); // it has fallen for a while
  run_for(1.2);
  now_of("ball1", alone);
  teardown();
  setup();
  run_for(0.3);
  ck_assert(say("add box 30 0 45 1 0 0 0 0 0 5 1000 0.2 0.2 0.2"));
  now_of("ball1", after);
  same_bits(before, after, 13);
  run_for(1.2);
  now_of("ball1", after);
  same_bits(alone, after, 13);
}

END_TEST

START_TEST(removed_bodies_leave_the_others_alone)
{
  double before[13];
  double after[13];
  ck_assert(say("add ball 1 0 0.5 1 0 0 0 0.3 0 0 500 0.1"));
  ck_assert(say("add box 2 0 0.5 1 0 0 0 0 0 0 500 0.2 0.2 0.2"));
  run_for(0.4);
  now_of("box3", before);
  ck_assert(say("remove ball2"));
  now_of("box3", after);
  same_bits(before, after, 13);
  ck_assert_int_eq(rh_sandbox_things(box)->n, 2);
  ck_assert_int_eq(rh_sandbox_find(rh_sandbox_things(box), "ball2"), RH_NONE);
  ck_assert(say("undo"));
  ck_assert_int_eq(rh_sandbox_find(rh_sandbox_things(box), "box3"), RH_NONE);
  ck_assert_int_eq(rh_sandbox_things(box)->n, 1);
}

END_TEST

START_TEST(many_bodies_go_on)
{
  // From a few bodies to many the stepper is another one; bodies must not notice.
  double before[13];
  double after[13];
  for (int i = 0; i < 12; i++) {
    char line[100];
    (void)snprintf(line, sizeof line, "add box %g %g 0.1 1 0 0 0 0 0 0 1000 0.1 0.1 0.1",
                   0.2 * (i % 4) + 0.5, 0.2 * (i / 4));
    run_for(0.05);
    now_of("ball1", before);
    ck_assert(say(line));
    now_of("ball1", after);
    same_bits(before, after, 13);
  }
  run_for(0.5);
  now_of("box13", after);
  near_abs(after[2], 0.05,
           1e-3); // it lies on the ground, but for the slop of the stepper and the last bounce
  ck_assert(says("\"refused\":null"));
}

END_TEST

#define SLIDER                                                                                     \
  "  - {name: block, mass: 2}\n%s"                                                                 \
  "joints:\n"                                                                                      \
  "  - {kind: free, child: block, q: [0, 0, 0.0999, 1, 0, 0, 0], v: [0.4, 0, 0, 0, 0, 0]}\n%s"     \
  "shapes:\n"                                                                                      \
  "  - {name: ground, body: world, kind: plane}\n"                                                 \
  "  - {name: block, body: block, kind: box, size: [0.2, 0.2, 0.2]}\n%s"                           \
  "contacts:\n"                                                                                    \
  "  - {name: touch, body: all, against: all, law: hunt-crossley, k: 2e4, friction: bristle}\n"    \
  "run: {until: 1, integrator: rk4, dt: 0.5 ms, hand: yes}\nrecord: {every: 10 ms}\n"

static rh_sim *simulation(const char *body, const char *joint, const char *shape, rh_model **model)
{
  rh_text text = {0};
  rh_sim *sim = NULL;
  rh_text_addf(&text, "bodies:\n" SLIDER, body, joint, shape);
  *model = compiled(text.data, text.size);
  rh_text_free(&text);
  ck_assert_int_eq(rh_sim_create(*model, diag, &sim), RH_OK);
  return sim;
}

START_TEST(contacts_keep_their_memory_and_the_books_close)
{
  rh_model *model[2];
  rh_sim *from = simulation("", "", "", &model[0]);
  rh_sim *to =
      simulation("  - {name: ball, mass: 3}\n",
                 "  - {kind: free, child: ball, q: [1, 0, 2, 1, 0, 0, 0], v: [0, 4, 0, 0, 0, 0]}\n",
                 "  - {name: ball, body: ball, kind: sphere, radius: 0.1}\n", &model[1]);
  ck_assert_int_eq(rh_sim_run(from, 0.05), RH_OK);
  rh_ledger before = rh_sim_ledger(from);
  rh_sim_transfer(to, from);
  rh_ledger after = rh_sim_ledger(to);
  const rh_data *x = rh_sim_view(from);
  const rh_data *y = rh_sim_view(to);
  ck_assert_double_eq(*x->t, *y->t);
  ck_assert_int_eq(rh_slots_used(x), 4); // it slides on its front corners
  ck_assert_int_eq(rh_slots_used(y), 4);
  ck_assert(x->s[RH_SLOT_STATES] != 0); // whose bristles are bent
  same_bits(x->s, y->s, 4 * RH_SLOT_STATES);
  same_bits(x->q, y->q, 7);
  same_bits(x->v, y->v, 6);
  // What the ball has at its start was brought by the hand: m g z + m v^2 / 2.
  near_rel(after.hand - before.hand, 3 * 9.81 * 2 + 0.5 * 3 * 16, 1e-14); // rounding of sums
  near_abs(after.residue, before.residue, 1e-13 * after.hand);
  ck_assert_int_eq(rh_sim_run(to, 0.1), RH_OK);
  ck_assert_int_eq(rh_sim_run(from, 0.1), RH_OK);
  same_bits(rh_sim_view(from)->q, rh_sim_view(to)->q, 7); // and so on
  rh_sim_destroy(from);
  rh_sim_destroy(to);
  rh_model_destroy(model[0]);
  rh_model_destroy(model[1]);
}

END_TEST

// ---- What is refused

START_TEST(refused_edits_change_nothing)
{
  static const struct {
    const char *edit, *why;
  } wrong[] = {{"add ball 0 0 1 1 0 0 0 0 0 0 1000 7", "size"},
               {"add box 0 0 1 1 0 0 0 0 0 0 1000 0.1 0.1 0.0001", "size"},
               {"add ball 0 0 1 1 0 0 0 0 0 0 -5 0.1", "density"},
               {"add ball 0 0 1000 1 0 0 0 0 0 0 1000 0.1", "place"},
               {"add ball 0 0 1 1 0 0 0 0 900 0 1000 0.1", "velocity"},
               {"remove nobody", "no such body"},
               {"set e 1.5", "e must"},
               {"set mu -1", "mu must"}};

  run_for(0.1);
  rh_text before = {0};
  rh_text after = {0};
  ck_assert(rh_sandbox_scene(box, &before));
  for (int i = 0; i < RH_COUNT(wrong); i++) {
    ck_assert_msg(say(wrong[i].edit), "%s is malformed", wrong[i].edit);
    ck_assert_msg(says(wrong[i].why), "%s: no word of '%s'", wrong[i].edit, wrong[i].why);
    ck_assert(says("\"number\":0"));
  }
  ck_assert(says("\"refusals\":8"));
  ck_assert(rh_sandbox_scene(box, &after));
  ck_assert_str_eq(before.data, after.data);
  rh_text_free(&before);
  rh_text_free(&after);
}

END_TEST

START_TEST(bodies_are_bounded)
{
  for (int i = 1; i < RH_SANDBOX_MAX; i++) {
    char line[100];
    (void)snprintf(line, sizeof line, "add ball %d %d 0.5 1 0 0 0 0 0 0 1000 0.1", i % 8, i / 8);
    ck_assert(say(line));
  }
  ck_assert_int_eq(rh_sandbox_things(box)->n, RH_SANDBOX_MAX);
  ck_assert(say("add ball 20 0 1 1 0 0 0 0 0 0 1000 0.1"));
  ck_assert_int_eq(rh_sandbox_things(box)->n, RH_SANDBOX_MAX);
  ck_assert(says("the maximum"));
}

END_TEST

START_TEST(malformed_messages_are_refused)
{
  static const char *const wrong[] = {"",
                                      "add",
                                      "add ball",
                                      "add ball 0 0 1 1 0 0 0 0 0 0 1000",
                                      "add ball 0 0 1 1 0 0 0 0 0 0 1000 0.1 0.1",
                                      "add ball 0 0 nan 1 0 0 0 0 0 0 1000 0.1",
                                      "add ball 0 0 1 0 0 0 0 0 0 0 1000 0.1",
                                      "add cow 0 0 1 1 0 0 0 0 0 0 1000 0.1",
                                      "add ball 0 0 1 1 0 0 0 0 0 0 1000 0.1}",
                                      "law",
                                      "law nobody",
                                      "law newton ",
                                      "set",
                                      "set e",
                                      "set e 0.5 0.5",
                                      "set q 1",
                                      "set contacts.0. 1",
                                      "set contacts.1.e 1",
                                      "set contacts.0.law 1",
                                      "undo 1",
                                      "clear all",
                                      "reset\n",
                                      "remove",
                                      "drag 9 0 0 0 0 0 0"};
  char long_one[RH_VIEWER_SAY_MAX + 10];
  for (int i = 0; i < RH_COUNT(wrong); i++) {
    ck_assert_msg(!say(wrong[i]), "'%s' was taken", wrong[i]);
  }
  memset(long_one, 'x', sizeof long_one);
  ck_assert(!rh_sandbox_say(box, long_one, sizeof long_one));
  ck_assert(!rh_sandbox_say(box, "undo\0", 5));
  ck_assert_int_eq(rh_sandbox_things(box)->n, 1);
}

END_TEST

// ---- What is saved

START_TEST(saved_scenes_run)
{
  rh_sim *sim = NULL;
  double x[13];
  ck_assert(say("add box 0.05 0 0.9 0.8 0 0.6 0 0 0 0 700 0.2 0.15 0.1"));
  ck_assert(say("add capsule 0.5 0 0.5 1 0 0 0 0 1 0 700 0.06 0.2"));
  ck_assert(say("add cylinder -0.5 0 0.5 1 0 0 0 0 0 2 700 0.1 0.15"));
  run_for(0.5);
  rh_model *m = saved();
  begins(m, "cylinder4", x);
  // Thrown upwards with 2 m/s from 0.5 m, t ago (the first look tells the first frame). Order 4 is exact for a parabola but for rounding.
  double t = 0.49;
  near_abs(x[2], 0.5 + 2 * t - 0.5 * 9.81 * t * t, 1e-12);
  near_abs(x[9], 2 - 9.81 * t, 1e-12);
  ck_assert_int_eq(rh_sim_create(m, diag, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// The saved scene can be run with this changed.
static void takes(const char *set)
{
  rh_text text = {0};
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert(rh_sandbox_scene(box, &text));
  rh_status status = rh_scene_parse(text.data, text.size, "saved.yaml", &set, 1, diag, &scene);
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  rh_scene_destroy(scene);
  rh_model_destroy(model);
  rh_text_free(&text);
}

START_TEST(every_law_runs)
{
  const rh_sandbox_world *w = rh_sandbox_things(box);
  ck_assert(say("add box 0.4 0 0.2 1 0 0 0 0.3 0 0 700 0.2 0.15 0.1"));
  for (int i = 0; i < w->nlaw; i++) {
    char line[100];
    (void)snprintf(line, sizeof line, "law %s", w->law[i].row->name);
    ck_assert(say(line));
    ck_assert_msg(says("\"refused\":null"), "%s is refused", line);
    ck_assert_int_eq(w->chosen, i);
    ck_assert(say("set e 0.5"));
    ck_assert(say("set mu 0.3"));
    run_for(0.3);
    double x[13];
    now_of("box2", x);
    ck_assert_msg(x[2] > 0.04 && x[2] < 0.5, "%s: the box is at z = %g", line, x[2]);
    takes(w->law[i].normal == NULL ? "contact.e=0.9" : "contact.mu=0.8"); // as its head says
  }
}

END_TEST

// By the paths that /values gives: every value of every law, as it is and where it is refused
START_TEST(values_of_a_law_are_its_own)
{
  rh_text text = {0};
  ck_assert(say("law hunt-crossley"));
  ck_assert(say("set contacts.0.k 1234"));
  ck_assert(say("set contacts.0.tension kept"));
  ck_assert(say("set contacts.0.v_threshold 0.5"));
  ck_assert(say("set contacts.0.restitution 0.25"));
  ck_assert(say("set contacts.0.mu 0.125"));
  ck_assert(!say("set contacts.0.tension torn"));
  ck_assert(!say("set contacts.0.b 7")); // kelvin-voigt has one
  ck_assert(says("\"refused\":null"));
  ck_assert(say("set contacts.0.n 99"));
  ck_assert(says("n must"));
  ck_assert(say("law newton")); // and back
  ck_assert(say("law hunt-crossley"));
  ck_assert(rh_sandbox_scene(box, &text));
  ck_assert_ptr_nonnull(
      strstr(text.data, "law: hunt-crossley, k: 1234, tension: kept, restitution: 0.25"));
  ck_assert_ptr_nonnull(strstr(text.data, "friction: threshold, mu: 0.125, v_threshold: 0.5"));
  rh_text_free(&text);
}

END_TEST

START_TEST(reset_clear_and_begin_again)
{
  const rh_sandbox_world *w = rh_sandbox_things(box);
  run_for(1);
  ck_assert(say("add ball 0 0 0.6 1 0 0 0 0 0 0 1000 0.1")); // where the first was
  run_for(0.2);
  ck_assert(say("reset"));
  double x[2][13];
  now_of("ball1", x[0]);
  now_of("ball2", x[1]);
  near_abs(x[0][2], 0.6, 1e-15);
  ck_assert(x[1][2] - x[0][2] > 0.2); // above, not inside
  ck_assert(say("clear"));
  ck_assert_int_eq(w->n, 0);
  run_for(0.1); // nothing, but it runs
  rh_model_destroy(saved());
  ck_assert(say("undo"));
  ck_assert(says("no such body"));
  ck_assert(say("add capsule 0 0 0 1 0 0 0 0 0 0 1000 0.05 0.2")); // into the ground: it is lifted
  now_of("capsule3", x[0]);
  ck_assert(x[0][2] > 0.15);
}

END_TEST

// ---- One contact for everything

static uint64_t hash_of(const char *contacts)
{
  rh_text text = {0};
  rh_text_addf(&text,
               "bodies: [{name: a, mass: 1}, {name: b, mass: 2}]\n"
               "joints:\n"
               "  - {kind: free, child: a, q: [0, 0, 0.2, 1, 0, 0, 0]}\n"
               "  - {kind: free, child: b, q: [0.03, 0, 0.5, 1, 0, 0, 0]}\n"
               "shapes:\n"
               "  - {name: g, body: world, kind: plane}\n"
               "  - {name: a, body: a, kind: box, size: [0.2, 0.2, 0.2]}\n"
               "  - {name: b, body: b, kind: sphere, radius: 0.1}\n"
               "contacts:\n%s"
               "run: {until: 1, integrator: rk4, dt: 1 ms}\n",
               contacts);
  rh_model *m = compiled(text.data, text.size);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(m, diag, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  const rh_data *d = rh_sim_view(sim);
  uint64_t hash = 0;
  for (int i = 0; i < m->nq; i++) {
    uint64_t word;
    memcpy(&word, &d->q[i], sizeof word);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(m);
  rh_text_free(&text);
  return hash;
}

#define LAW "law: kelvin-voigt, friction: threshold}\n"

START_TEST(all_against_all_is_every_pair)
{
  uint64_t one = hash_of("  - {name: c, body: all, against: all, " LAW);
  uint64_t three = hash_of("  - {name: c, body: a, against: world, " LAW
                           "  - {name: d, body: b, against: world, " LAW
                           "  - {name: e, body: a, against: b, " LAW);
  uint64_t ground = hash_of("  - {name: c, body: world, against: all, " LAW);
  ck_assert_uint_eq(one, three);
  ck_assert_uint_ne(one, ground); // which leaves the two to pass through one another
}

END_TEST

Suite *rh_suite_unit_sandbox(void)
{
  Suite *suite = suite_create("unit_sandbox");
  TCase *tests = tcase_create("sandbox");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, bodies_go_on_bit_for_bit);
  tcase_add_test(tests, many_bodies_go_on);
  tcase_add_test(tests, removed_bodies_leave_the_others_alone);
  tcase_add_test(tests, contacts_keep_their_memory_and_the_books_close);
  tcase_add_test(tests, refused_edits_change_nothing);
  tcase_add_test(tests, bodies_are_bounded);
  tcase_add_test(tests, malformed_messages_are_refused);
  tcase_add_test(tests, saved_scenes_run);
  tcase_add_test(tests, every_law_runs);
  tcase_add_test(tests, values_of_a_law_are_its_own);
  tcase_add_test(tests, reset_clear_and_begin_again);
  tcase_add_test(tests, all_against_all_is_every_pair);
  suite_add_tcase(suite, tests);
  return suite;
}
