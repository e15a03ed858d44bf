// unit_sliders.c: values that a page changes in a live run: what it is told of them, curves of laws against closed forms, what it
// may say, and a scene's text with values changed in place.
#include "recorded_inputs.h"

#include "base/json.h"
#include "scene_io/scene_read.h"
#include "viewer/viewer.h"

static rh_viewer_live *live;

static void live_setup(void)
{
  setup();
  live = NULL;
}

static void live_teardown(void)
{
  rh_viewer_live_destroy(live);
  teardown();
}

static const char two[] =
    "bodies: [{name: ball, mass: 2}, {name: box, mass: 4}]\n"
    "joints:\n"
    "  - {kind: free, child: ball, q: [0, 0, 0.1, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}\n"
    "  - {kind: free, child: box, q: [1, 0, 0.1, 1, 0, 0, 0]}\n"
    "shapes:\n"
    "  - {body: world, kind: plane}\n"
    "  - {body: ball, kind: sphere, radius: 0.1}\n"
    "  - {body: box, kind: box, size: [0.2, 0.2, 0.2]}\n"
    "contacts:\n"
    "  - {name: ground, body: ball, against: world, law: kelvin-voigt, k: 2e4, b: 0, friction: "
    "coulomb, mu: 0.3}\n"
    "  - {name: under, body: box, against: world, law: newton, e: 0.25, friction: dry, mu_s: 0.2, "
    "mu_k: 0.2}\n"
    "world: {gravity: [0, 0, 0]}\n"
    "run: {until: 1, hand: true}\nrecord: {every: 0.001, batch: 10}\n";

static void open_live(void)
{
  rh_status status = rh_viewer_live_create(two, "two.yaml", diag, &live);
  rec_say(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_viewer_live_go_on(live, 0.0005);
}

static bool said(const char *text)
{
  return rh_viewer_live_say(live, text, strlen(text));
}

static void told(char *out, size_t size) // at /now
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, false);
  rh_json_open_object(&json, NULL);
  rh_viewer_live_now(live, &json);
  rh_json_end(&json);
  ck_assert_uint_lt(text.size, size);
  (void)snprintf(out, size, "%s", text.data);
  rh_text_free(&text);
}

static void asked(const char *path, rh_text *text)
{
  rh_viewer *film = NULL;
  const char *type = NULL;
  ck_assert_int_eq(rh_viewer_open_live(live, "two.yaml", two, &film), RH_OK);
  rh_status status = rh_viewer_answer(&film, 1, path, diag, text, &type);
  rh_viewer_close(film);
  ck_assert_int_eq(status, RH_OK);
  ck_assert_str_eq(type, "application/json");
}

// Numbers of an array of the answer; how many.
static int array(const rh_text *text, const char *key, double *x, int most)
{
  char name[32];
  (void)snprintf(name, sizeof name, "\"%s\":[", key);
  const char *at = strstr(text->data, name);
  ck_assert_msg(at != NULL, "no %s in %s", key, text->data);
  at += strlen(name);
  int n = 0;
  while (n < most && *at != ']') {
    size_t length = rh_number_read(at, &x[n++]);
    ck_assert_uint_gt(length, 0);
    at += length + (at[length] == ',');
  }
  return n;
}

// A linear spring without damping: force k times depth on both ways, deepest v / w = 1 cm; pressed slowly the same.
static void check_spring(double k)
{
  double depth[200];
  double force[200];
  double slow[200];
  double deepest = 0;
  rh_text text = {0};
  asked("/law/0/0", &text);
  int n = array(&text, "depth", depth, 200);
  ck_assert_int_ge(n, 100);
  ck_assert_int_eq(array(&text, "force", force, 200), n);
  ck_assert_int_eq(array(&text, "slow", slow, 200), n);
  for (int i = 0; i < n; i++) {
    near_abs(force[i], k * depth[i],
             1e-9 * k); // impacts are integrated to about twelve digits of 1 cm
    near_abs(slow[i], force[i], 1e-9 * k);
    deepest = fmax(deepest, depth[i]);
  }
  near_rel(deepest, sqrt(2 / k), 1e-6); // one of the moments is that of the greatest depth
  ck_assert_ptr_nonnull(strstr(text.data, "\"mass\":2,"));
  ck_assert_ptr_nonnull(strstr(text.data, "\"radius\":0.1,"));
  rh_text_free(&text);
}

START_TEST(the_curve_of_a_spring_moves_with_its_slider)
{
  open_live();
  check_spring(2e4);
  ck_assert(said("set contacts.0.k 5e4"));
  check_spring(5e4);
}

END_TEST

// u_n goes from -1 to e, by 1/m a unit of impulse; friction takes mu of that from the slip of 1 m/s.
START_TEST(the_curve_of_a_blow_moves_with_its_slider)
{
  open_live();

  const struct {
    double e, mu;
  } want[] = {{0.25, 0.2}, {0.75, 0.2}, {0.75, 0.4}};

  for (int k = 0; k < RH_COUNT(want); k++) {
    double impulse[200];
    double normal[200];
    double slip[200];
    rh_text text = {0};
    ck_assert(k != 1 || said("set contacts.1.e 0.75"));
    ck_assert(k != 2 || (said("set contacts.1.mu_s 0.4") && said("set contacts.1.mu_k 0.4")));
    asked("/law/0/1", &text);
    int n = array(&text, "impulse", impulse, 200);
    ck_assert_int_eq(array(&text, "normal", normal, 200), n);
    ck_assert_int_eq(array(&text, "slip", slip, 200), n);
    near_abs(impulse[n - 1], 4 * (1 + want[k].e), 1e-9);
    for (int i = 0; i < n; i++) {
      near_abs(normal[i], -1 + impulse[i] / 4, 1e-9);
      near_abs(slip[i], 1 - want[k].mu * impulse[i] / 4, 1e-9);
    }
    rh_text_free(&text);
  }
}

END_TEST

START_TEST(values_have_unit_range_and_scale)
{
  rh_text text = {0};
  open_live();
  ck_assert(said("set contacts.0.k 5e4"));
  asked("/values/0", &text);
  static const char *const parts[] = {
      "\"name\":\"k\",\"path\":\"contacts.0.k\",\"of\":\"law\",\"doc\":\"stiffness\",\"scale\":"
      "\"log\",\"unit\":\"N/m\",\"value\":50000,\"default\":50000,\"from\":50,\"to\":50000000",
      "\"path\":\"contacts.0.tension\"",
      "\"choices\":\"kept|cut\"",
      "\"path\":\"contacts.0.mu\",\"of\":\"friction\"",
      "\"path\":\"contacts.1.e\"",
      "\"scale\":\"linear\",\"unit\":\"1\",\"value\":0.25",
  };
  for (int i = 0; i < RH_COUNT(parts); i++) {
    ck_assert_msg(strstr(text.data, parts[i]) != NULL, "%s in %s", parts[i], text.data);
  }
  rh_text_free(&text);
}

END_TEST

// A value that will not do changes nothing, and the next that does takes the message away; the state goes on.
START_TEST(a_page_hears_why_a_value_is_refused)
{
  char now[2000];
  open_live();
  rh_viewer_live_go_on(live, 0.003);
  long frames = rh_viewer_live_frames(live);
  ck_assert(said("set contacts.1.e 7"));
  told(now, sizeof now);
  ck_assert_msg(strstr(now, "under.e must lie in [0, 1], got 7") != NULL, "%s", now);
  ck_assert_ptr_nonnull(strstr(now, "\"inputs\":0,\"changes\":0"));
  ck_assert(said("set contacts.0.k soft"));
  told(now, sizeof now);
  ck_assert_ptr_null(strstr(now, "\"refused\":null"));
  ck_assert(said("set contacts.1.e 0.7"));
  told(now, sizeof now);
  ck_assert_msg(strstr(now, "\"inputs\":1,\"changes\":1,\"refused\":null") != NULL, "%s", now);
  ck_assert_int_eq(rh_viewer_live_frames(live), frames);
  rh_viewer_live_go_on(live, 0.002);
  ck_assert_int_gt(rh_viewer_live_frames(live), frames);
}

END_TEST

// Another law, of the other kind even: values of the old one that it has no use for are left aside.
START_TEST(a_law_is_switched_while_it_runs)
{
  char now[2000];
  rh_text text = {0};
  open_live();
  rh_viewer_live_go_on(live, 0.004);
  ck_assert(said("set contacts.0.law hunt-crossley"));
  ck_assert(said("set contacts.1.law stronge"));
  told(now, sizeof now);
  ck_assert_msg(strstr(now, "\"inputs\":2,\"changes\":2,\"refused\":null") != NULL, "%s", now);
  rh_viewer_live_go_on(live, 0.004);
  asked("/values/0", &text);
  ck_assert_ptr_nonnull(strstr(text.data, "\"path\":\"contacts.0.alpha\""));
  ck_assert_ptr_null(strstr(text.data, "\"path\":\"contacts.0.b\""));
  rh_text_free(&text);
}

END_TEST

START_TEST(only_live_runs_and_their_contacts_have_curves)
{
  static const char *const bad[] = {"/law/0",    "/law/0/2",  "/law/1/0",
                                    "/law/0/-1", "/values/1", "/values/0/0"};
  open_live();
  for (int i = 0; i < RH_COUNT(bad); i++) {
    rh_viewer *film = NULL;
    rh_text text = {0};
    const char *type = NULL;
    ck_assert_int_eq(rh_viewer_open_live(live, "two.yaml", two, &film), RH_OK);
    ck_assert_msg(rh_viewer_answer(&film, 1, bad[i], diag, &text, &type) == RH_INPUT_REFUSED, "%s",
                  bad[i]);
    rh_viewer_close(film);
    rh_text_free(&text);
  }
}

END_TEST

START_TEST(a_scene_is_changed_in_place)
{
  const struct {
    const char *before, *path, *value, *after;
  } c[] = {
      {"contacts: [{law: newton, e: 0.5}] # so\n", "contacts.0.e", "0.25",
       "contacts: [{law: newton, e: 0.25}] # so\n"},
      {"contacts:\n  - law: newton # a law\n    e: \"0.5\"\n", "contacts.0.e", "1",
       "contacts:\n  - law: newton # a law\n    e: 1\n"},
      {"contacts:\n  - {law: newton,\n     mu_s: [1]}\n", "contacts.0.e", "1",
       "contacts:\n  - {law: newton, e: 1,\n     mu_s: [1]}\n"},
      {"contacts:\n  - law: newton # a law\nrun: {until: 1}", "contacts.0.e", "1",
       "contacts:\n  - law: newton # a law\n    e: 1\nrun: {until: 1}"},
      {"a: [\xc3\xa9\xc3\xa8, {b: \xe2\x82\xac, c: 1}]", "a.1.c", "2",
       "a: [\xc3\xa9\xc3\xa8, {b: \xe2\x82\xac, c: 2}]"},
      {"contacts: [{e: 1}, {e: 1}]", "contacts.1.e", "2", "contacts: [{e: 1}, {e: 2}]"},
      {"contacts: [{e: 1}]", "contacts.1.e", "2", NULL},
      {"contacts: [{e: 1}]", "contacts.x.e", "2", NULL},
      {"contacts: [{e: [1, 2]}]", "contacts.0.e", "2", NULL},
      {"contacts: {}", "contacts.e", "2", NULL},
      {"contacts: [", "contacts.0.e", "2", NULL},
      {"", "contacts.0.e", "2", NULL},
      {"contacts: [{e: 1}]", "contacts..e", "2", NULL},
      {"contacts: [{e: 1}]", "", "2", NULL},
  };

  for (int i = 0; i < RH_COUNT(c); i++) {
    char *text = rh_scene_patch(c[i].before, c[i].path, c[i].value);
    if (c[i].after == NULL) {
      ck_assert_msg(text == NULL, "%s: %s", c[i].before, text);
    } else {
      ck_assert_ptr_nonnull(text);
      ck_assert_str_eq(text, c[i].after);
    }
    rh_free(text);
  }
}

END_TEST

Suite *rh_suite_unit_sliders(void)
{
  Suite *suite = suite_create("unit_sliders");
  TCase *tc = tcase_create("sliders");
  tcase_add_checked_fixture(tc, live_setup, live_teardown);
  tcase_add_test(tc, the_curve_of_a_spring_moves_with_its_slider);
  tcase_add_test(tc, the_curve_of_a_blow_moves_with_its_slider);
  tcase_add_test(tc, values_have_unit_range_and_scale);
  tcase_add_test(tc, a_page_hears_why_a_value_is_refused);
  tcase_add_test(tc, a_law_is_switched_while_it_runs);
  tcase_add_test(tc, only_live_runs_and_their_contacts_have_curves);
  tcase_add_test(tc, a_scene_is_changed_in_place);
  suite_add_tcase(suite, tc);
  return suite;
}
