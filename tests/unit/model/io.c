// unit_io.c: YAML into nodes, scenes from nodes, overrides.
#include "scene_text.h"

#include "scene_io/scene_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- Helpers

static const rh_body_def *body_at(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_BODIES, i);
}

static const rh_joint_def *joint_at(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_JOINTS, i);
}

static const rh_run_def *run_at(const rh_scene *scene)
{
  return rh_scene_item(scene, RH_SECTION_RUN, 0);
}

// ---- Nodes

START_TEST(test_nodes)
{
  static const char text[] = "a: [1, 'two', {b: 3}]\n\"c d\": ~\n# end\n";
  rh_yaml tree = {.file = {"n.yaml"}};
  int root = RH_NONE;
  ck_assert_int_eq(rh_yaml_read(&tree, text, strlen(text), (rh_yaml_start){0}, NULL, &root), RH_OK);
  ck_assert_int_eq(tree.node[root].kind, RH_NODE_MAP);
  ck_assert_int_eq(tree.node[root].count, 2);
  int list = rh_yaml_find(&tree, root, "a");
  ck_assert_int_eq(tree.node[list].kind, RH_NODE_LIST);
  ck_assert_int_eq(tree.node[list].count, 3);
  int one = tree.node[list].first;
  int two = tree.node[one].next;
  ck_assert_str_eq(rh_yaml_text(&tree, one), "1");
  ck_assert(!tree.node[one].quoted && tree.node[two].quoted);
  rh_place place = rh_yaml_place(&tree, two);
  ck_assert_str_eq(place.file, "n.yaml");
  ck_assert_int_eq(place.line, 1);
  ck_assert_int_eq(place.column, 8);
  ck_assert_int_eq(place.length, 5);
  int b = rh_yaml_find(&tree, tree.node[two].next, "b");
  ck_assert_str_eq(rh_yaml_text(&tree, b), "3");
  int c = rh_yaml_find(&tree, root, "c d");
  ck_assert(rh_yaml_is_null(&tree, c));
  ck_assert_str_eq(rh_yaml_what(&tree, c), "nothing");
  ck_assert_int_eq(rh_yaml_find(&tree, root, "x"), RH_NONE);
  ck_assert_int_eq(rh_yaml_find(&tree, c, "x"), RH_NONE);
  rh_yaml_free(&tree);
}

END_TEST

START_TEST(test_nodes_refused)
{
  static const refusal cases[] = {
      {"", NULL, 1, 1, "the file is empty"},
      {"# only\n", NULL, 1, 1, "the file is empty"},
      {"run: {until: 1, until: 2}", NULL, 1, 17, "key 'until' appears twice; the first is at 1:7"},
      {"run:\n  until: !!set 1", NULL, 2, 10, "tags ('!name') are not used here"},
      {"run: {}\n---\nrun: {}", NULL, 2, 1, "a second document begins here"},
      {"run: {[a]: 1}", NULL, 1, 7, "a key must be a plain word"},
      {"run: {until: 1\n", NULL, 2, 1, "did not find expected ',' or '}'"},
      {"run: \"a\\0\"", NULL, 1, 6, "holds a zero byte"},
      {"run:\n\tuntil: 1", NULL, 2, 1, "found character that cannot start any token"},
      {"run: {}\nx: \xff", NULL, 2, 4, "not a text in UTF-8"},
      {"just text", NULL, 1, 1, "a scene is a map of sections, got text"},
      {"[1, 2]", NULL, 1, 1, "a scene is a map of sections, got a list"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

START_TEST(test_many_keys)
{
  rh_yaml tree = {.file = {"n.yaml"}};
  rh_diag *diag = rh_diag_create();
  int root = RH_NONE;
  size_t size = 0;
  char *text = malloc(2000000);
  ck_assert_ptr_nonnull(text);
  for (int i = 0; i < 50000; i++) { // every key differs from the others, but for one
    size += (size_t)sprintf(text + size, "k%d: 1\n", i == 40000 ? 123 : i);
  }
  ck_assert_int_eq(rh_yaml_read(&tree, text, size, (rh_yaml_start){0}, diag, &root),
                   RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  ck_assert_int_eq(rh_diag_get(diag, 0).place.line, 40001);
  ck_assert_int_ne(root, RH_NONE);
  free(text);
  rh_yaml_free(&tree);
  rh_diag_destroy(diag);
}

END_TEST

// ---- Files

static void check_file_refused(const char *path, const char *message)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_load(path, NULL, 0, diag, &scene), RH_INPUT_REFUSED);
  ck_assert_ptr_null(scene);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  ck_assert_str_eq(rh_diag_get(diag, 0).place.file, path);
  ck_assert_str_eq(rh_diag_get(diag, 0).text, message);
  rh_diag_destroy(diag);
}

START_TEST(test_files)
{
  check_file_refused("/nowhere/at/all.yaml", "No such file or directory");
  check_file_refused("/tmp", "is a folder, not a file");
  check_file_refused("/dev/zero", "is not a regular file; use '-' to read standard input");
  char path[] = "/tmp/routh-test-XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  static const char text[] = "run: {until: 3}\n";
  ck_assert_int_eq((int)write(file, text, strlen(text)), (int)strlen(text));
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_load(path, NULL, 0, NULL, &scene), RH_OK);
  near_abs(run_at(scene)->until, 3, 0);
  ck_assert_str_eq(rh_scene_origin(scene, RH_SECTION_RUN, 0)->field[0].file, path);
  rh_scene_destroy(scene);
  ck_assert_int_eq(ftruncate(file, (off_t)(RH_FILE_MAX + 1)),
                   0); // a hole: takes no room on the disk
  check_file_refused(path, "is too big: a file may have 64 MiB");
  (void)close(file);
  (void)unlink(path);
}

END_TEST

// ---- Scenes

static const char pendulum[] =
    "bodies:\n"
    "  - {name: rod, mass: 1.5kg, com: [50 cm, 0, 0], inertia: [1, 2, 2, 0, 0, 0]}\n"
    "  - {mass: 250 g, name: bob}\n"
    "joints:\n"
    "  - {axis: [0, 1, 0], q: 30 deg, kind: revolute, child: rod, name: hinge, limits: [-inf, 1]}\n"
    "  - {kind: prismatic, parent: rod, child: bob, held: yes, spring: 2 kN/m}\n"
    "shapes: [{body: bob, kind: box, size: [10 mm, 0.2, 0.3]}]\n"
    "forces: [{name: wind, body: rod, force: [1, 2, 3], frame: body}]\n"
    "run: {rtol: 1e-7, until: 2 min, integrator: cvode, method: bdf}\n";

START_TEST(test_scene_values)
{
  rh_scene *scene = parse_good_scene(pendulum, NULL, 0);
  ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_BODIES), 2);
  ck_assert_str_eq(body_at(scene, 0)->name.text, "rod");
  near_abs(body_at(scene, 0)->mass, 1.5, 0);
  near_abs(body_at(scene, 0)->com[0], 0.5, 0);
  ck_assert_int_eq(body_at(scene, 0)->inertia.n, 6);
  near_abs(body_at(scene, 1)->mass, 0.25, 0);
  ck_assert_int_eq(body_at(scene, 1)->inertia.n, 0);
  const rh_joint_def *hinge = joint_at(scene, 0);
  ck_assert_int_eq(hinge->q.n, 1);
  near_abs(hinge->q.x[0], 0.5235987755982988, 1e-16); // pi/6, one rounding
  ck_assert_int_eq(hinge->limits.n, 2);
  ck_assert(hinge->limits.x[0] == -HUGE_VAL);
  near_abs(hinge->par[1], 1, 0); // the axis, although it stands before the kind
  ck_assert_str_eq(hinge->parent.text, "world");
  ck_assert(joint_at(scene, 1)->held);
  near_abs(joint_at(scene, 1)->spring.x[0], 2000, 0);
  const rh_shape_def *box = rh_scene_item(scene, RH_SECTION_SHAPES, 0);
  near_abs(box->par[0], 0.01, 0);
  const rh_force_def *wind = rh_scene_item(scene, RH_SECTION_FORCES, 0);
  ck_assert_int_eq(wind->frame, 1);
  ck_assert(wind->until == HUGE_VAL);
  near_abs(run_at(scene)->until, 120, 0);
  const rh_row *row = rh_kind_find("integrators", run_at(scene)->integrator.text);
  near_abs(run_at(scene)->integrator_par[rh_row_offset(row, rh_row_find(row, "method"))], 1, 0);
  near_abs(run_at(scene)->integrator_par[rh_row_offset(row, rh_row_find(row, "rtol"))], 1e-7, 0);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(test_json_is_yaml)
{
  rh_scene *scene =
      parse_good_scene("{\"bodies\": [{\"name\": \"a\", \"mass\": 1e0},\n"
                       " {\"name\": \"b\", \"mass\": \"20 g\"}], \"run\": {\"until\": 1}}",
                       NULL, 0);
  near_abs(body_at(scene, 1)->mass, 0.02, 0);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(test_places)
{
  static const char *const set[] = {"rod.mass=2", "run.until=3"};
  rh_scene *scene = parse_good_scene(pendulum, set, 2);
  const rh_origin *rod = rh_scene_origin(scene, RH_SECTION_BODIES, 0);
  const rh_origin *hinge = rh_scene_origin(scene, RH_SECTION_JOINTS, 0);
  ck_assert_str_eq(rod->field[0].file, "s.yaml");
  ck_assert_int_eq(rod->field[0].line, 2);
  ck_assert_int_eq(rod->field[0].column, 12);
  ck_assert_str_eq(rod->field[1].file, "-s");
  ck_assert_int_eq(rod->field[1].column, 10);
  ck_assert_int_eq(rod->whole.line, 2);
  ck_assert_int_eq(hinge->par[0][0].line, 5);
  ck_assert_ptr_null(rh_scene_origin(scene, RH_SECTION_BODIES, 1)->field[2].file);
  ck_assert_ptr_null(rh_scene_origin(scene, RH_SECTION_WORLD, 0)->field[0].file);
  ck_assert_int_eq(rh_scene_origin(scene, RH_SECTION_WORLD, 0)->whole.line, 1); // the scene itself
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(test_scene_refused)
{
  static const refusal cases[] = {
      {"bodis: []", NULL, 1, 1, "unknown section 'bodis'; did you mean 'bodies'?"},
      {"colours: []", NULL, 1, 1, "unknown section 'colours'; a scene has world, bodies, joints"},
      {"bodies: {name: a}", NULL, 1, 9, "bodies must be a list, each body after a '-', got a map"},
      {"bodies: [a]", NULL, 1, 10,
       "each entry of bodies must be a map of keys and values, got text"},
      {"run: 3", NULL, 1, 6, "run must be a map of keys and values, got text"},
      {"bodies: [{name: a}]", NULL, 1, 10, "a.mass is missing"},
      {"bodies: [{mass: 1}]", NULL, 1, 10, "bodies[0].name is missing"},
      {"bodies: [{name: a, mass: -1}]", NULL, 1, 26, "a.mass must be "},
      {"bodies: [{name: a, mass: 1 m}]", NULL, 1, 26,
       "a.mass: unit 'm' does not fit: it is measured in kg"},
      {"bodies: [{name: a, mass: x}]", NULL, 1, 26, "a.mass must be a number, got 'x'"},
      {"bodies: [{name: a, mass: }]", NULL, 1, 26, "a.mass must be a number, got nothing"},
      {"bodies: [{name: a, mass: inf}]", NULL, 1, 26, "a.mass must be finite"},
      {"bodies: [{name: a, mas: 1, mass: 1}]", NULL, 1, 20,
       "a: unknown key 'mas'; did you mean 'mass'?"},
      {"bodies: [{name: a, mass: 1, hue: 2}]", NULL, 1, 29,
       "a: unknown key 'hue'; a body takes name, mass, com"},
      {"bodies: [{name: a b, mass: 1}]", NULL, 1, 17,
       "a b.name must be made of letters, digits, '_' and '-'"},
      {"bodies: [{name: 7, mass: 1}]", NULL, 1, 17, "7.name must have a letter in it, got '7'"},
      {"world: {gravity: [0, 1]}", NULL, 1, 18, "world.gravity must be a list of 3 numbers, got 2"},
      {"world: {gravity: [0, 1, x]}", NULL, 1, 25, "world.gravity[2] must be a number, got 'x'"},
      {"world: {gravity: 9.81}", NULL, 1, 18,
       "world.gravity must be a list of 3 numbers, got text"},
      {"record: {batch: 1.5}", NULL, 1, 17, "record.batch must be a whole number, got 1.5"},
      {"record: {batch: 1e10}", NULL, 1, 17, "record.batch must be a smaller whole number"},
      {"run: {integrator: rk5}", NULL, 1, 19,
       "run.integrator: no integrator is called 'rk5'; did you mean 'rk4'? there are "},
      {"run: {method: bdff}", NULL, 1, 15,
       "run.method must be adams, bdf or auto, got 'bdff'; did you mean 'bdf'?"},
      {"run: {method: []}", NULL, 1, 15, "run.method must be adams, bdf or auto, got a list"},
      {"run: {integrator: rk4, rtol: 1}", NULL, 1, 24,
       "run: unknown key 'rtol'; a rk4 run takes until, engine, integrator"},
      {"joints: [{kind: fixed, child: a, held: 1}]", NULL, 1, 40,
       "joints[0].held must be yes or no"},
      {"joints: [{child: a, axis: [0, 0, 1]}]", NULL, 1, 10, "joints[0].kind is missing"},
      {"contacts: [{body: a, against: b, law: hunt-crossley, k: 5 N/m, n: 1.5}]", NULL, 1, 57,
       "contacts[0].k: unit 'N/m' does not fit: it is measured in N/m^1.5"},
      {"contacts: [{body: a, against: b, law: hertz, K: 5 N/m}]", NULL, 1, 49,
       "contacts[0].K: unit 'N/m' does not fit: it is measured in N/m^1.5"},
      {"run: {}", "run.until", 1, 1, "an override reads path=value"},
      {"run: {}", "=3", 1, 1, "an override reads path=value"},
      {"run: {}", "run..until=3", 1, 5, "the path is not section.entry.field"},
      {"run: {}", "run=3", 1, 1, "the path lacks a field after 'run'"},
      {"run: {}", "run.until=", 1, 11, "a value is missing after '='"},
      {"run: {}", "run.until=[1", 1, 11, "did not find expected ',' or ']'"},
      {"run: {}", "run.until=-1", 1, 11, "run.until must be "},
      {"run: {}", "run.untl=1", 1, 5, "run: unknown key 'untl'; did you mean 'until'?"},
      {"run: {}", "run.until.x=1", 1, 5, "there is no entry 'until'"},
      {"run: {}", "bodies.a.mass=1", 1, 1, "the scene has no section 'bodies'"},
      {pendulum, "bodies.rot.mass=1", 1, 8, "there is no entry 'rot'; did you mean 'rod'?"},
      {pendulum, "bodies.2.mass=1", 1, 8, "there is no entry '2'"},
      {pendulum, "rot.mass=1", 1, 1,
       "no section and no entry of the scene is called 'rot'; did you mean 'rod'?"},
      {"points: [{name: a, body: b}]\nforces: [{name: a, body: b}]", "a.body=c", 1, 1,
       "'a' is ambiguous; write points.a or forces.a"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

START_TEST(test_all_errors_at_once)
{
  rh_diag *diag = rh_diag_create();
  static const char *const set[] = {"x.y=1", "run.z=1"};
  rh_scene *scene = parse_scene(
      "bodies:\n  - {name: a, mass: x, mass: 2}\n  - {mass: -1, hue: 3}\njoints: 3\nfoo: 1\n", set,
      2, diag);
  ck_assert_ptr_null(scene);
  // duplicate key; override x; a.mass; mass of the second, its key, its name; joints; foo; override z
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 9);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(test_overrides)
{
  static const char *const set[] = {
      "bodies.rod.mass=2 kg",   "bodies.1.mass=3", "hinge.axis=[0,0,1]", "joints.hinge.q=-1",
      "joints.bob.damper=4",    "rod.com.1=7",     "run.integrator=rk4", "world.gravity=[0, 0, 0]",
      "joints.hinge.limits=[]", "run.until = 9",   "joints.0.name=knee",
  };
  rh_diag *diag = rh_diag_create();
  ck_assert_ptr_null(parse_scene(pendulum, set, RH_COUNT(set),
                                 diag)); // "until " is no key; bob's joint has no axis
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 2);
  ck_assert_int_eq(rh_diag_count(diag, RH_WARNING),
                   2); // rk4 takes no rtol and method: not used, and said so
  rh_diag_destroy(diag);
  static const char plain[] =
      "bodies:\n  - {name: rod, mass: 1.5kg, com: [1, 0, 0]}\n  - {mass: 250 g, name: bob}\n"
      "joints:\n  - {kind: revolute, child: rod, name: hinge, q: 3}\n"
      "  - {kind: prismatic, parent: rod, child: bob}\n";
  rh_scene *scene = parse_good_scene(plain, set, 9);
  near_abs(body_at(scene, 0)->mass, 2, 0);
  near_abs(body_at(scene, 1)->mass, 3, 0);
  near_abs(body_at(scene, 0)->com[1], 7, 0);
  near_abs(joint_at(scene, 0)->par[2], 1, 0);
  near_abs(joint_at(scene, 0)->q.x[0], -1, 0);
  ck_assert_int_eq(joint_at(scene, 0)->limits.n, 0);
  near_abs(joint_at(scene, 1)->damper.x[0], 4, 0);
  ck_assert_str_eq(run_at(scene)->integrator.text, "rk4");
  const rh_world_def *world = rh_scene_item(scene, RH_SECTION_WORLD, 0);
  near_abs(world->gravity[2], 0, 0);
  rh_scene_destroy(scene);
}

END_TEST

// One name in three sections: the field says which is meant. The joint goes by the name of its child.
static const char ball[] = "bodies: [{name: ball, mass: 1}]\n"
                           "joints: [{kind: prismatic, child: ball, axis: [0, 0, 1]}]\n"
                           "shapes: [{name: ball, body: ball, kind: sphere}]\n";

START_TEST(test_override_by_field)
{
  static const char *const set[] = {"ball.q=0.5", "ball.mass=3", "ball.radius=0.2"};
  rh_scene *scene = parse_good_scene(ball, set, RH_COUNT(set));
  near_abs(joint_at(scene, 0)->q.x[0], 0.5, 0);
  near_abs(body_at(scene, 0)->mass, 3, 0);
  const rh_shape_def *shape = rh_scene_item(scene, RH_SECTION_SHAPES, 0);
  near_abs(shape->par[0], 0.2, 0);
  rh_scene_destroy(scene);
  static const refusal cases[] = {
      {ball, "ball.kind=box", 1, 1, "'ball' is ambiguous; write joints.ball or shapes.ball"},
      {ball, "ball.name=x", 1, 1,
       "'ball' is ambiguous; write bodies.ball, joints.ball or shapes.ball"},
      {ball, "ball.hue=1", 1, 6, "ball: unknown key 'hue'; a body takes name"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

// The unit of a stiffness goes by the exponent, wherever in the entry that stands.
START_TEST(test_unit_of_a_power)
{
  static const char text[] =
      "contacts:\n"
      "  - {body: a, against: b, law: hunt-crossley, k: 5 kN/m}\n"
      "  - {body: a, against: b, law: hunt-crossley, k: 5 kN/m^1.5, n: 1.5}\n"
      "  - {body: a, against: b, law: hunt-crossley, n: 2, k: 5 N/mm^2}\n"
      "  - {body: a, against: b, law: azad-featherstone, Kn: 2 N/cm^1.5, Dn: 3 N s/m^1.5}\n";
  static const double want[] = {5e3, 5e3, 5e6, 2e3};
  rh_scene *scene = parse_good_scene(text, NULL, 0);
  for (int i = 0; i < RH_COUNT(want); i++) {
    const rh_contact_def *def = rh_scene_item(scene, RH_SECTION_CONTACTS, i);
    near_abs(def->par[0], want[i], 0); // 100^1.5 is 1000 to the last bit
  }
  rh_scene_destroy(scene);
}

END_TEST

// ---- Size and memory

static char *big_scene(int n, size_t *size)
{
  char *text = malloc((size_t)n * 400 + 100);
  ck_assert_ptr_nonnull(text);
  char *at = text + sprintf(text, "bodies:\n");
  for (int i = 0; i < n; i++) {
    at += sprintf(at, "  - {name: b%d, mass: 1.5 kg}\n", i);
  }
  at += sprintf(at, "joints:\n");
  for (int i = 0; i < n; i++) {
    at += sprintf(at,
                  "  - {name: j%d, kind: revolute, parent: %s%d, child: b%d, axis: [0, 1, 0], at: "
                  "[0, 0, 1]}\n",
                  i, i % 10 ? "b" : "w", i - 1, i);
  }
  at += sprintf(at, "shapes:\n");
  for (int i = 0; i < n; i++) {
    at += sprintf(at, "  - {body: b%d, kind: sphere, radius: 5 cm}\n", i);
  }
  *size = (size_t)(at - text);
  return text;
}

START_TEST(test_big_scene)
{
  size_t size = 0;
  char *text = big_scene(10000, &size);
  rh_scene *scene = NULL;
  clock_t start = clock();
  ck_assert_int_eq(rh_scene_parse(text, size, "big.yaml", NULL, 0, NULL, &scene), RH_OK);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  // Loading is to take 2 s in all, compiling included; reading is the smaller part, even on a slow machine.
  ck_assert_msg(RH_TEST_SLOW || seconds < 1, "reading 10 000 bodies took %g s", seconds);
  ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_SHAPES), 10000);
  rh_scene_destroy(scene);
  free(text);
}

END_TEST

typedef struct meter {
  long left;  // allocations that still succeed
  long alive; // blocks in use
} meter;

static void *metered(void *user, void *block, size_t bytes)
{
  meter *m = user;
  if (bytes == 0) {
    m->alive -= block != NULL;
    free(block);
    return NULL;
  }
  if (m->left-- <= 0) {
    return NULL;
  }
  m->alive += block == NULL;
  return realloc(block, bytes);
}

// Every allocation fails in turn: the status says so, and nothing is lost.
START_TEST(test_out_of_memory)
{
  static const char *const set[] = {"rod.mass=2", "record.batch=7"};
  bool done = false;
  for (long limit = 0; !done; limit++) {
    meter m = {limit, 0};
    rh_allocator allocator = {metered, &m};
    rh_hook_set_allocator(&allocator);
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_status status = rh_scene_parse(pendulum, strlen(pendulum), "s.yaml", set, 2, diag, &scene);
    char *text = status == RH_OK ? rh_scene_write(scene, true) : NULL;
    done = text != NULL;
    ck_assert_int_eq(status == RH_OK, scene != NULL);
    ck_assert_msg(status == RH_OK || status == RH_OUT_OF_MEMORY, "%s", rh_status_name(status));
    rh_free(text);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
    rh_hook_set_allocator(NULL);
    ck_assert_msg(m.alive == 0, "%ld blocks lost after %ld allocations", m.alive, limit);
    ck_assert_int_lt(limit, 10000);
  }
}

END_TEST

Suite *rh_suite_unit_io(void)
{
  Suite *suite = suite_create("unit_io");
  TCase *nodes = tcase_create("nodes");
  tcase_add_test(nodes, test_nodes);
  tcase_add_test(nodes, test_nodes_refused);
  tcase_add_test(nodes, test_many_keys);
  tcase_add_test(nodes, test_files);
  suite_add_tcase(suite, nodes);
  TCase *scenes = tcase_create("scenes");
  tcase_add_test(scenes, test_scene_values);
  tcase_add_test(scenes, test_json_is_yaml);
  tcase_add_test(scenes, test_places);
  tcase_add_test(scenes, test_scene_refused);
  tcase_add_test(scenes, test_all_errors_at_once);
  tcase_add_test(scenes, test_overrides);
  tcase_add_test(scenes, test_override_by_field);
  tcase_add_test(scenes, test_unit_of_a_power);
  suite_add_tcase(suite, scenes);
  TCase *limits = tcase_create("limits");
  tcase_add_test(limits, test_big_scene);
  tcase_add_test(limits, test_out_of_memory);
  suite_add_tcase(suite, limits);
  return suite;
}
