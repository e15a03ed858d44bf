// kind_damaged.c: damaged scenes. Each is made from one good scene, by a row of a table that says what to put where,
// by cutting the text, or by a generator. Every one must be refused, with a message that has file, line and column.
#include "test.h"

#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833, 0, 0, 0]}\n"
    "  - {name: bob, mass: 0.2}\n"
    "joints:\n"
    "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], at: [0, 0, 1], q: 30 deg,\n"
    "     damper: 0.05, limits: [-0.5, 1.2], bounce: 0.6}\n"
    "  - {name: slide, kind: prismatic, parent: rod, child: bob, axis: [1, 0, 0], held: true}\n"
    "shapes:\n"
    "  - {name: ball, body: bob, kind: sphere, radius: 0.05}\n"
    "points:\n"
    "  - {name: tip, body: rod, at: [1, 0, 0]}\n"
    "actuators:\n"
    "  - {name: motor, joint: hinge, effort: 0.5, limits: [-2, 2]}\n"
    "forces:\n"
    "  - {name: wind, body: rod, at: [1, 0, 0], force: [0.1, 0, 0], from: 1, until: 2}\n"
    "events:\n"
    "  - {name: flip, joint: hinge, position: 0.3, direction: rising, actuator: motor, effort: "
    "-1}\n"
    "  - {name: drop, time: 0.5, release: slide}\n"
    "run: {until: 5, integrator: cvode, rtol: 1e-10}\n"
    "record: {every: 0.01, batch: 100}\n";

typedef struct mutation {
  const char *find; // the first place where this stands
  const char *put;  // gets this instead
} mutation;

static const mutation mutations[] = {
    // wrong types
    {"mass: 1,", "mass: heavy,"},
    {"mass: 1,", "mass: [1],"},
    {"mass: 1,", "mass: {kg: 1},"},
    {"mass: 1,", "mass: ,"},
    {"mass: 1,", "mass: ~,"},
    {"mass: 1,", "mass: true,"},
    {"mass: 1,", "mass: \"\","},
    {"name: rod", "name: [rod]"},
    {"name: rod", "name: {rod: 1}"},
    {"name: rod", "name: "},
    {"name: rod", "name: null"},
    {"name: rod", "name: \"\""},
    {"com: [0.5, 0, 0]", "com: 0.5"},
    {"com: [0.5, 0, 0]", "com: {x: 0.5}"},
    {"com: [0.5, 0, 0]", "com: [[0.5, 0, 0]]"},
    {"com: [0.5, 0, 0]", "com: [0.5, zero, 0]"},
    {"com: [0.5, 0, 0]", "com: [0.5, , 0]"},
    {"com: [0.5, 0, 0]", "com: centre"},
    {"held: true", "held: maybe"},
    {"held: true", "held: 2"},
    {"held: true", "held: [true]"},
    {"held: true", "held: "},
    {"direction: rising", "direction: up"},
    {"direction: rising", "direction: 1"},
    {"direction: rising", "direction: [rising]"},
    {"batch: 100", "batch: 1.5"},
    {"batch: 100", "batch: many"},
    {"batch: 100", "batch: []"},
    {"limits: [-0.5, 1.2]", "limits: wide"},
    {"limits: [-0.5, 1.2]", "limits: {lower: -0.5}"},
    {"kind: revolute", "kind: 3"},
    {"kind: revolute", "kind: [revolute]"},
    {"integrator: cvode", "integrator: []"},
    {"world: {gravity: [0, 0, -9.81]}", "world: 9.81"},
    {"world: {gravity: [0, 0, -9.81]}", "world: [0, 0, -9.81]"},
    {"world: {gravity: [0, 0, -9.81]}", "world:"},
    {"run: {until: 5, integrator: cvode, rtol: 1e-10}", "run: 5"},
    {"run: {until: 5, integrator: cvode, rtol: 1e-10}", "run: []"},
    {"  - {name: bob, mass: 0.2}", "  - bob"},
    {"  - {name: bob, mass: 0.2}", "  - [bob, 0.2]"},
    {"  - {name: bob, mass: 0.2}", "  -"},
    {"points:\n  -", "points:\n "},
    {"points:\n  - {name: tip, body: rod, at: [1, 0, 0]}", "points: none"},
    {"points:\n  - {name: tip, body: rod, at: [1, 0, 0]}", "points:"},
    // numbers that are none, or no finite ones
    {"mass: 1,", "mass: .nan,"},
    {"mass: 1,", "mass: nan,"},
    {"mass: 1,", "mass: .inf,"},
    {"mass: 1,", "mass: -.inf,"},
    {"mass: 1,", "mass: infinity,"},
    {"mass: 1,", "mass: 1e400,"},
    {"mass: 1,", "mass: 0x10,"},
    {"mass: 1,", "mass: 1_000,"},
    {"mass: 1,", "mass: 1:30,"},
    {"mass: 1,", "mass: 1.2.3,"},
    {"mass: 1,", "mass: 1e,"},
    {"mass: 1,", "mass: --1,"},
    {"mass: 1,", "mass: 1 2,"},
    {"mass: 1,", "mass: \"1;\","},
    {"gravity: [0, 0, -9.81]", "gravity: [0, 0, .nan]"},
    {"gravity: [0, 0, -9.81]", "gravity: [0, 0, -.inf]"},
    {"inertia: [0.001,", "inertia: [.nan,"},
    {"q: 30 deg", "q: .inf"},
    {"q: 30 deg", "q: .nan"},
    {"limits: [-0.5, 1.2]", "limits: [.nan, 1.2]"},
    {"axis: [0, 1, 0]", "axis: [0, .inf, 0]"},
    {"radius: 0.05", "radius: .inf"},
    {"until: 5", "until: .inf"},
    {"every: 0.01", "every: .nan"},
    {"position: 0.3", "position: .nan"},
    {"time: 0.5", "time: .inf"},
    {"effort: 0.5", "effort: .inf"},
    // out of range
    {"mass: 1,", "mass: -1,"},
    {"mass: 1,", "mass: -0.0001,"},
    {"mass: 1,", "mass: 1e300,"},
    {"com: [0.5, 0, 0]", "com: [1e200, 0, 0]"},
    {"damper: 0.05", "damper: -0.05"},
    {"damper: 0.05", "spring: -1"},
    {"damper: 0.05", "armature: -1"},
    {"bounce: 0.6", "bounce: 1.01"},
    {"bounce: 0.6", "bounce: -0.1"},
    {"radius: 0.05", "radius: 0"},
    {"radius: 0.05", "radius: -0.05"},
    {"batch: 100", "batch: 0"},
    {"batch: 100", "batch: -5"},
    {"batch: 100", "batch: 99999999999999999999"},
    {"every: 0.01", "every: 0"},
    {"every: 0.01", "every: -1"},
    {"until: 5", "until: -5"},
    {"until: 5", "until: 1e99"},
    {"rtol: 1e-10", "rtol: -1e-10"},
    {"rtol: 1e-10", "rtol: 1e10"},
    {"from: 1", "from: -1"},
    {"time: 0.5", "time: -0.5"},
    {"effort: 0.5, ", "effort: 0.5, dof: 9, "},
    {"effort: 0.5, ", "effort: 0.5, dof: -1, "},
    // inertia that no body has
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[0.001, 0.0833, 0.1, 0, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[-0.001, 0.0833, 0.0833, 0, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1, 3, 0, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1, 1, 5, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1, 1, 0, -2, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[0, 0, 1, 0, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1, 1, 0, 0]"},
    {"[0.001, 0.0833, 0.0833, 0, 0, 0]", "[1, 1, 1, 0, 0, 0, 0]"},
    {"{name: bob, mass: 0.2}", "{name: bob, mass: 0}"},
    // list lengths
    {"gravity: [0, 0, -9.81]", "gravity: [-9.81]"},
    {"gravity: [0, 0, -9.81]", "gravity: [0, 0, -9.81, 0]"},
    {"gravity: [0, 0, -9.81]", "gravity: []"},
    {"axis: [0, 1, 0]", "axis: [0, 1]"},
    {"axis: [0, 1, 0]", "axis: 1"},
    {"axis: [0, 1, 0]", "axis: [0, 0, 0]"},
    {"at: [0, 0, 1]", "at: [0, 0, 1, 0]"},
    {"q: 30 deg", "q: [0.1, 0.2]"},
    {"q: 30 deg", "v: [0.1, 0.2, 0.3]"},
    {"q: 30 deg", "q: [1, 2, 3, 4, 5, 6, 7, 8]"},
    {"damper: 0.05", "damper: [0.1, 0.2]"},
    {"limits: [-0.5, 1.2]", "limits: [-0.5]"},
    {"limits: [-0.5, 1.2]", "limits: [-0.5, 0, 1.2]"},
    {"limits: [-0.5, 1.2]", "limits: [1.2, -0.5]"},
    {"limits: [-2, 2]", "limits: [2, -2]"},
    {"limits: [-2, 2]", "limits: [-2, 0, 2]"},
    {"force: [0.1, 0, 0]", "force: 0.1"},
    // units
    {"mass: 1,", "mass: 1 m,"},
    {"mass: 1,", "mass: 1 kgg,"},
    {"mass: 1,", "mass: 1 kg kg,"},
    {"mass: 1,", "mass: 1 kg2,"},
    {"mass: 1,", "mass: 1 kg^,"},
    {"mass: 1,", "mass: 1 kg^99,"},
    {"mass: 1,", "mass: 1 /kg,"},
    {"mass: 1,", "mass: kg,"},
    {"q: 30 deg", "q: 30 s"},
    {"q: 30 deg", "q: 30 deg/s"},
    {"damper: 0.05", "damper: 0.05 N/m"},
    {"bounce: 0.6", "bounce: 0.6 m"},
    {"until: 5", "until: 5 Hz"},
    {"radius: 0.05", "radius: 5 cmm"},
    {"batch: 100", "batch: 100 s"},
    // unknown names
    {"world:", "wold:"},
    {"bodies:", "bodys:"},
    {"run:", "rum:"},
    {"mass: 1,", "weight: 1,"},
    {"mass: 1,", "Mass: 1,"},
    {"mass: 1,", "mass: 1, colour: red,"},
    {"gravity:", "g:"},
    {"radius: 0.05", "radius: 0.05, size: [1, 1, 1]"},
    {"kind: sphere", "kind: box"},
    {"kind: sphere", "kind: spere"},
    {"kind: revolute", "kind: hinge"},
    {"kind: revolute", "kind: spherical"},
    {"integrator: cvode", "integrator: rk5"},
    {"integrator: cvode", "integrator: euler"},
    {"rtol: 1e-10", "rtl: 1e-10"},
    {"rtol: 1e-10", "dt: 1e-3"},
    {"rtol: 1e-10", "method: gear"},
    {"record: {", "record: {format: csv, "},
    // missing
    {"mass: 1, ", ""},
    {"{name: rod, ", "{"},
    {"kind: revolute, ", ""},
    {"child: rod, ", ""},
    {"kind: sphere, ", ""},
    {"body: bob, ", ""},
    {"body: rod, at: [1, 0, 0]}", "at: [1, 0, 0]}"},
    {"joint: hinge, effort", "effort"},
    {"name: wind, ", ""},
    {"name: flip, ", ""},
    // names
    {"name: rod", "name: bob"},
    {"name: slide", "name: hinge"},
    {"name: rod", "name: world"},
    {"name: rod", "name: \"r d\""},
    {"name: rod", "name: r.d"},
    {"name: rod", "name: 12"},
    {"name: rod", "name: rød"},
    {"name: rod", "name: \"rod\\n\""},
    {"name: rod", "name: \"rod\\0\""},
    {"name: rod", "name: a123456789012345678901234567890123456789012345678901234567890123456789"},
    {"parent: rod", "parent: rodd"},
    {"child: bob", "child: bobb"},
    {"body: bob", "body: bib"},
    {"body: rod, at", "body: tip, at"},
    {"joint: hinge, effort", "joint: hinge2, effort"},
    {"joint: hinge, position", "joint: motor, position"},
    {"actuator: motor", "actuator: engine"},
    {"release: slide", "release: hinge2"},
    {"release: slide", "hold: nothing"},
    // the tree
    {"child: rod, ", "parent: bob, child: rod, "},
    {"child: rod, ", "parent: rod, child: rod, "},
    {"child: bob", "child: rod"},
    {"child: rod, ", "child: world, "},
    {"  - {name: bob, mass: 0.2}\n", "  - {name: bob, mass: 0.2}\n  - {name: lost, mass: 1}\n"},
    {"parent: rod, child: bob", "parent: bob, child: bob"},
    // what YAML has and a scene has not
    {"name: rod", "name: *a"},
    {"name: rod", "name: *a"},
    {"name: rod", "name: !!binary rod"},
    {"name: rod", "name: !rod rod"},
    {"mass: 1,", "<<: *base, mass: 1,"},
    {"mass: 1,", "mass: 1, mass: 2,"},
    {"mass: 1,", "[mass]: 1,"},
    {"mass: 1,", "{mass: 1}: 1,"},
    {"mass: 1,", "? mass,"},
    {"points:", "bodies:"},
    {"points:", "---\npoints:"},
    {"points:", "...\npoints:"},
    {"points:", "\tpoints:"},
    {"points:", " points:"},
    {"points:", "points"},
    {"points:", "@points:"},
    {"points:", "`points`:"},
    {"points:", "%points:"},
    {"world:", "%YAML 3.0\n---\nworld:"},
    {"  - {name: bob", "\t- {name: bob"},
    {"mass: 0.2}", "mass: 0.2]"},
    {"mass: 0.2}", "mass: 0.2}}"},
    {"mass: 0.2}", "mass: 0.2"},
    {"[0, 0, -9.81]", "[0, 0, -9.81"},
    {"mass: 0.2}", "mass: \"0.2}"},
    {"mass: 0.2}", "mass: '0.2}"},
    {"mass: 0.2}", "mass: \"\\q\"}"},
    {"mass: 0.2}", "mass: |}"},
    {"mass: 0.2}", "mass: 0.2} bob"},
    // bytes
    {"rod", "\xff\xfe"},
    {"rod", "r\x01"},
    {"rod", "r\x1b[31m"},
    {"rod", "\xc0\xaf"},
    {"rod", "\xed\xa0\x80"},
    {"rod", "\xf4\x90\x80\x80"},
    {"world", "\xff\xfew\x01o"},
    // events that say nothing or too much
    {"time: 0.5, ", ""},
    {"time: 0.5, ", "time: [1, 2], "},
    {"time: 0.5, ", "time: 0.5, joint: hinge, "},
    {"joint: hinge, position: 0.3", "joint: hinge, dof: 1, position: 0.3"},
    {"from: 1, until: 2", "from: 2, until: 1"},
};

// ---- The judge

typedef struct tally {
  int count;
  int failed;
} tally;

// Was it refused, and does a message say where?
static bool refused_with_place(const char *text, size_t bytes, const char **why)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_parse(text, bytes, "damaged.yaml", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  bool placed = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    char line[4096];
    rh_message m = rh_diag_get(diag, i);
    bool error = m.severity == RH_ERROR && m.place.file && m.place.line > 0 && m.place.column > 0;
    placed = placed || (error && strcmp(m.place.file, "damaged.yaml") == 0);
    (void)rh_message_format(&m, line, sizeof line);
    for (const char *c = line; *c; c++) { // nothing may reach a terminal that moves its cursor
      placed = placed && ((unsigned char)*c >= 0x20 || *c == '\n') && *c != 0x7f;
    }
  }
  *why = status == RH_OK              ? "accepted"
         : status != RH_INPUT_REFUSED ? "another status"
                                      : "without a place";
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return status == RH_INPUT_REFUSED && placed;
}

static void judge(tally *t, const char *text, size_t bytes, const char *what)
{
  const char *why = "";
  t->count++;
  if (!refused_with_place(text, bytes, &why)) {
    t->failed++;
    (void)fprintf(stderr, "damaged scene %s: %s\n", why, what);
  }
}

static char *with_mutation(const mutation *m)
{
  const char *at = strstr(good, m->find);
  ck_assert_msg(at != NULL, "the good scene does not hold '%s'", m->find);
  size_t before = (size_t)(at - good);
  size_t put = strlen(m->put);
  const char *rest = at + strlen(m->find);
  char *text = malloc(before + put + strlen(rest) + 1);
  ck_assert_ptr_nonnull(text);
  memcpy(text, good, before);
  memcpy(text + before, m->put, put);
  memcpy(text + before + put, rest, strlen(rest) + 1);
  return text;
}

// ---- The cases

START_TEST(test_good_scene_is_taken)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(good, strlen(good), "good.yaml", NULL, 0, diag, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 0);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_mutations)
{
  tally t = {0, 0};
  for (int i = 0; i < RH_COUNT(mutations); i++) {
    char what[160];
    char *text = with_mutation(&mutations[i]);
    (void)snprintf(what, sizeof what, "'%s' for '%s'", mutations[i].put, mutations[i].find);
    judge(&t, text, strlen(text), what);
    free(text);
  }
  ck_assert_int_ge(t.count, 200);
  ck_assert_msg(t.failed == 0, "%d of %d damaged scenes were not refused properly", t.failed,
                t.count);
}

END_TEST

// A text that ends inside braces is never a scene, wherever it ends.
START_TEST(test_truncated)
{
  tally t = {0, 0};
  int depth = 0;
  for (size_t n = 0; n < strlen(good); n++) {
    if (depth > 0) {
      char what[64];
      (void)snprintf(what, sizeof what, "cut at byte %zu", n);
      judge(&t, good, n, what);
    }
    depth += (good[n] == '{') - (good[n] == '}');
  }
  judge(&t, good, 0, "empty");
  judge(&t, "# nothing\n", 10, "only a comment");
  judge(&t, "---\n", 4, "an empty document");
  ck_assert_int_ge(t.count, 200);
  ck_assert_msg(t.failed == 0, "%d of %d cut scenes were not refused properly", t.failed, t.count);
}

END_TEST

// `count` times `part`, between `head` and `tail`.
static void judge_repeated(tally *t, const char *const frame[3], int count, const char *what)
{
  size_t part = strlen(frame[1]);
  size_t bytes = strlen(frame[0]) + part * (size_t)count + strlen(frame[2]);
  char *text = malloc(bytes + 1);
  ck_assert_ptr_nonnull(text);
  char *at = text + sprintf(text, "%s", frame[0]);
  for (int i = 0; i < count; i++, at += part) {
    memcpy(at, frame[1], part);
  }
  memcpy(at, frame[2], strlen(frame[2]) + 1);
  judge(t, text, bytes, what);
  free(text);
}

START_TEST(test_absurd)
{
  static const struct {
    const char *frame[3];
    int count;
  } cases[] = {
      {{"", "[", ""}, 40},
      {{"", "[", ""}, 200000},
      {{"bodies: ", "[", ""}, 31},
      {{"bodies: ", "- ", "x"}, 5000},
      {{"", "{a: ", ""}, 100000},
      {{"", "? ", ""}, 5000},
      {{"bodies: [", "{}, ", "{}]"}, 50000},
      {{"bodies: [", "1, ", "1]"}, 300000},
      {{"world: {gravity: [", "0, ", "0]}"}, 300000},
      {{"bodies: [{name: ", "a", ", mass: 1}]"}, 70000},
      {{"bodies: [{name: b, mass: ", "1", "}]"}, 5000},
      {{"bodies: [{name: b, mass: 0.", "0", "1}]"}, 5000},
      {{"bodies: [{name: b, mass: 1 ", "kg ", "}]"}, 1000},
      {{"bodies: [{name: b, mass: 1e", "9", "}]"}, 300},
      {{"", "a: 1\n", ""}, 50000},
      {{"a: &x [1]\nb: [", "*x, ", "*x]"}, 1000},
      {{"a: &a [x]\nb: &b [*a, *a]\nc: [", "*b, ", "*b]"}, 9},
      {{"", "---\n", "a: 1"}, 1000},
      {{"", "\n", ""}, 100000},
      {{"", "{", ""}, 100000},
      {{"", "}", ""}, 1000},
      {{"bodies:\n", "  - {name: b, mass: 1}\n", ""}, 20000},
      {{"x: \"", "\\u0000", "\""}, 100},
      {{"", "\xef\xbb\xbf", ""}, 10},
      {{"", "\x80", ""}, 1000},
      {{"#", "#", ""}, 100000},
      {{"run: {until: ", "-", "1}"}, 1000},
      {{"run: {", "until: 1, ", "until: 1}"}, 3000},
      {{"joints: [{kind: ", "free", "}]"}, 30},
      {{"!", "!", " a"}, 100},
  };

  tally t = {0, 0};
  for (int i = 0; i < RH_COUNT(cases); i++) {
    char what[64];
    (void)snprintf(what, sizeof what, "%d times '%.20s'", cases[i].count, cases[i].frame[1]);
    judge_repeated(&t, cases[i].frame, cases[i].count, what);
  }
  ck_assert_msg(t.failed == 0, "%d of %d absurd scenes were not refused properly", t.failed,
                t.count);
}

END_TEST

// Any byte of the good scene changed to any other: nothing may crash, and what is refused has a place.
START_TEST(test_changed_bytes)
{
  static const char bytes[] = {'\0', '\t', '\n', ' ', '"', '-', ',',
                               ':',  '[',  '}',  '#', '&', '9', '\x80'};
  size_t size = strlen(good);
  char *text = malloc(size + 1);
  ck_assert_ptr_nonnull(text);
  int step = RH_TEST_SLOW ? 5 : 1;
  for (size_t i = (size_t)_i; i < size; i += (size_t)(4 * step)) {
    for (int b = 0; b < RH_COUNT(bytes); b++) {
      const char *why = "";
      memcpy(text, good, size + 1);
      text[i] = bytes[b];
      if (!refused_with_place(text, size, &why)) {
        ck_assert_msg(strcmp(why, "accepted") == 0, "byte %zu as %d: %s", i, bytes[b], why);
      }
    }
  }
  free(text);
}

END_TEST

Suite *rh_suite_kind_damaged(void)
{
  Suite *suite = suite_create("kind_damaged");
  TCase *scenes = tcase_create("scenes");
  tcase_add_test(scenes, test_good_scene_is_taken);
  tcase_add_test(scenes, test_mutations);
  tcase_add_test(scenes, test_truncated);
  tcase_add_test(scenes, test_absurd);
  tcase_add_loop_test(scenes, test_changed_bytes, 0, 4);
  suite_add_tcase(suite, scenes);
  return suite;
}
