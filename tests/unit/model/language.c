// unit_language.c: the shorter forms of scenes: parameters, repeat, include of scenes with a prefix and a
// pose; what is refused and where; bounds. Scenes as they are converted read back to the same scene.
#include "program.h"
#include "scene_text.h"

static void write_file(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

// ---- Parameters and repeats

START_TEST(repeats_are_entries)
{
  static const char with[] =
      "parameters: {n: 2, r: 0.1, law: hertz, step: \"${2*r}\"}\n"
      "bodies:\n"
      "  - {name: first, mass: 1}\n"
      "  - {repeat: \"${n}\", name: \"a${i}\", mass: \"${1 + i/2} kg\"}\n"
      "  - repeat: {row: [1, 2], column: 2}\n"
      "    name: b${row}-${column}\n"
      "    mass: ${row + 10*column}\n"
      "  - {repeat: 0, name: none, mass: 1}\n"
      "  - {name: last, mass: 2}\n"
      "points:\n"
      "  - {repeat: 2, name: \"p${i}\", body: first, at: [\"${i*step}\", 0, \"-${r}\"]}\n"
      "contacts:\n"
      "  - {repeat: 2, name: \"c${i}\", body: \"a${i}\", against: first, law: \"${law}\", K: "
      "1e5}\n";
  static const char without[] = "bodies:\n"
                                "  - {name: first, mass: 1}\n"
                                "  - {name: a0, mass: 1}\n"
                                "  - {name: a1, mass: 1.5}\n"
                                "  - {name: b1-0, mass: 1}\n"
                                "  - {name: b1-1, mass: 11}\n"
                                "  - {name: b2-0, mass: 2}\n"
                                "  - {name: b2-1, mass: 12}\n"
                                "  - {name: last, mass: 2}\n"
                                "points:\n"
                                "  - {name: p0, body: first, at: [0, 0, -0.1]}\n"
                                "  - {name: p1, body: first, at: [0.2, 0, -0.1]}\n"
                                "contacts:\n"
                                "  - {name: c0, body: a0, against: first, law: hertz, K: 1e5}\n"
                                "  - {name: c1, body: a1, against: first, law: hertz, K: 1e5}\n";
  check_same_scene(with, without, NULL, 0);
}

END_TEST

// Repeats within repeats, templates whose expressions are of the place where they are copied, $${.
START_TEST(repeats_nest)
{
  static const char with[] = "templates:\n"
                             "  ball: &ball {mass: \"${0.5 + i}\", com: [\"${i}\", 0, 0]}\n"
                             "bodies:\n"
                             "  - {repeat: {i: [1, 2]}, <<: *ball, name: \"x${i}\"}\n"
                             "meshes:\n"
                             "  - {name: m, vertices: [{repeat: 1}]}\n";
  static const refusal wrong = {
      "bodies: [{name: \"$${i}\", mass: 1}]", NULL, 1, 17,
      "${i}.name must be made of letters, digits, '_' and '-', got '${i}'"};
  static const char without[] = "bodies:\n"
                                "  - {mass: 1.5, com: [1, 0, 0], name: x1}\n"
                                "  - {mass: 2.5, com: [2, 0, 0], name: x2}\n"
                                "meshes:\n"
                                "  - {name: m, vertices: [{}]}\n";
  rh_diag *diag[2] = {rh_diag_create(), rh_diag_create()};
  ck_assert_ptr_null(parse_scene(with, NULL, 0, diag[0])); // a map is no vertex, in both
  ck_assert_ptr_null(parse_scene(without, NULL, 0, diag[1]));
  ck_assert_str_eq(rh_diag_get(diag[0], 0).text, rh_diag_get(diag[1], 0).text);
  rh_diag_destroy(diag[0]);
  rh_diag_destroy(diag[1]);
  check_refusal(&wrong);
}

END_TEST

// -s changes a parameter before it is used, and an entry after it was repeated.
START_TEST(overrides_of_both_sorts)
{
  static const char with[] = "parameters: {n: 2}\n"
                             "bodies: [{repeat: \"${n}\", name: \"a${i}\", mass: 1}]\n";
  static const char without[] =
      "bodies: [{name: a0, mass: 1}, {name: a1, mass: 7}, {name: a2, mass: 1}]\n";
  const char *const set[] = {"a1.mass=7", "parameters.n=3"};
  check_same_scene(with, without, set, 2);
}

END_TEST

START_TEST(wrong_repeats_are_refused)
{
  static const refusal cases[] = {
      {"bodies:\n  - {repeat: 2, name: \"a${j}\", mass: 1}", NULL, 2, 27,
       "nothing is called 'j' here"},
      {"bodies:\n  - {repeat: 2.5, name: a, mass: 1}", NULL, 2, 14,
       "repeat needs whole numbers up to a million"},
      {"bodies:\n  - {repeat: [1], name: a, mass: 1}", NULL, 2, 14, "repeat needs whole numbers"},
      {"bodies:\n  - {repeat: {i: 1e7}, name: a, mass: 1}", NULL, 2, 18,
       "repeat needs whole numbers"},
      {"bodies:\n  - {repeat: {}, name: a, mass: 1}", NULL, 2, 14, "repeat takes 1 to 4 indexes"},
      {"bodies:\n  - {repeat: {a b: 2}, name: a, mass: 1}", NULL, 2, 15,
       "must be a word of letters, digits and _"},
      {"run: {until: \"${1 +}\"}", NULL, 1, 20, "the expression ends"},
      {"run:\n  until: ${1/0}", NULL, 2, 13, "the result is no finite number"},
      {"run: {until: \"${1\"}", NULL, 1, 15, "this '${' has no '}'"},
      {"run: {until: ${1}}", NULL, 1, 15,
       "did not find expected ',' or '}'; an expression within braces"},
      {"parameters: {a: b, c: \"${a + 1}\"}", NULL, 1, 26, "is a text"},
      {"parameters: {a: [1]}", NULL, 1, 17, "a parameter must be a number or a text"},
      {"parameters: 3", NULL, 1, 13, "parameters must be a map"},
      {"parameters: {a: \"${b}\", b: 1}", NULL, 1, 20, "nothing is called 'b' here"},
      {"run: {until: 1}", "parameters.until=\"${x}\"", 1, 21, "nothing is called 'x' here"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

// 1000 x 1000 x 1000 entries, and lists of them within each other: refused, and soon.
START_TEST(repeats_are_bounded)
{
  static const refusal cases[] = {
      {"bodies:\n  - {repeat: {i: 1000, j: 1000, k: 1000}, name: \"a${i}-${j}-${k}\", mass: 1}",
       NULL, 2, 5, "the repeats make the scene too big"},
      {"parameters: {t: x123456789012345678901234567890123456789012345678901234567890123456789}\n"
       "bodies:\n  - {repeat: 900000, name: \"${t}${t}${t}${t}${t}${t}${t}\"}",
       NULL, 3, 5, "the repeats make the scene too big"},
      {"templates:\n  - x\nmeshes:\n  - {repeat: 1000, vertices: [{repeat: 1000, x: [{repeat: "
       "1000, y: 1}]}]}",
       NULL, 4, 50, "the repeats make the scene too big"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

// ---- Included scenes

static const char leg[] =
    "parameters: {length: 0.4}\n"
    "world: {gravity: [0, 0, -1]}\n"
    "bodies:\n"
    "  - {name: upper, mass: 1, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.01, 0, 0, 0]}\n"
    "  - {name: lower, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.005, 0, 0, 0]}\n"
    "  - {name: ball, mass: 0.3, inertia: [0.001, 0.001, 0.001, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: hip, kind: revolute, child: upper, at: [10 cm, 0, 1], rpy: [0, 20 deg, 0], axis: "
    "[0, 1, 0], q: 0.3}\n"
    "  - {name: knee, kind: revolute, parent: upper, child: lower, at: [0, 0, \"${-length}\"], "
    "axis: "
    "[0, 1, 0.5], v: 1}\n"
    "  - {kind: free, child: ball, q: [0.5, 0.1, 0.2, 1, 0, 0, 0], v: [0, 0, 0, 1, 0.5, 0]}\n"
    "shapes:\n"
    "  - {name: floor, body: world, kind: box, size: [4, 4, 0.2], at: [0, 0, -0.6]}\n"
    "  - {name: foot, body: lower, kind: sphere, radius: 0.05, at: [0, 0, -0.4]}\n"
    "  - {name: skin, body: ball, kind: sphere, radius: 0.1}\n"
    "points:\n"
    "  - {name: toe, body: lower, at: [0, 0, -0.4]}\n"
    "tendons:\n"
    "  - {name: cord, spring: 50, rest: 0.1}\n"
    "tendon_parts:\n"
    "  - {tendon: cord, kind: point, body: lower, at: [0, 0, -0.1]}\n"
    "  - {tendon: cord, kind: point, body: world, at: [0.3, 0, 0.5]}\n"
    "contacts:\n"
    "  - {body: ball, against: world, law: hunt-crossley, k: 1e5, n: 1.5, alpha: 0.3, friction: "
    "coulomb, mu: 0.4, shape: skin, against_shape: floor}\n"
    "forces:\n"
    "  - {name: push, body: ball, force: [0.2, 0, -2]}\n"
    "actuators:\n"
    "  - {name: motor, joint: knee, kp: 10, target: 0.2}\n";

static rh_scene *load_good(const char *path, const char *const *set, int nset)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  if (rh_scene_load(path, set, nset, diag, &scene) != RH_OK) {
    char line[2048];
    rh_message m = rh_diag_get(diag, 0);
    (void)rh_message_format(&m, line, sizeof line);
    ck_abort_msg("%s", line);
  }
  rh_diag_destroy(diag);
  return scene;
}

static rh_model *compile_good(rh_scene *scene)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_status status = rh_scene_compile(scene, diag, &model);
  ck_assert_msg(status == RH_OK, "%s", rh_diag_get(diag, 0).text);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

// Names: of entries and of what they refer to, with the prefixes of all scenes on the way.
START_TEST(names_get_their_prefix)
{
  rh_folder_enter();
  ck_assert_int_eq(mkdir("parts", 0777), 0);
  write_file("parts/leg.yaml", leg);
  write_file("parts/two.yaml",
             "include:\n"
             "  - {repeat: 2, scene: leg.yaml, prefix: \"leg${i}_\", at: [0, \"${i}\", 0]}\n"
             "bodies: [{name: trunk, mass: 3}]\n"
             "joints: [{kind: free, child: trunk}]\n");
  write_file("all.yaml", "include: {scene: parts/two.yaml, prefix: a_, at: [0, 0, 2]}\n"
                         "run: {until: 0.1}\n");
  rh_scene *scene = load_good("all.yaml", NULL, 0);
  static const char *const bodies[] = {"a_trunk",     "a_leg0_upper", "a_leg0_lower",
                                       "a_leg0_ball", "a_leg1_upper", "a_leg1_lower",
                                       "a_leg1_ball"};
  ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_BODIES), RH_COUNT(bodies));
  for (int i = 0; i < RH_COUNT(bodies); i++) {
    const rh_body_def *b = rh_scene_item(scene, RH_SECTION_BODIES, i);
    ck_assert_str_eq(b->name.text, bodies[i]);
  }
  const rh_contact_def *c = rh_scene_item(scene, RH_SECTION_CONTACTS, 1);
  ck_assert_str_eq(c->body.text, "a_leg1_ball");
  ck_assert_str_eq(c->against.text, "world");
  ck_assert_str_eq(c->shape.text, "a_leg1_skin");
  ck_assert_str_eq(c->law.text, "hunt-crossley");
  ck_assert_str_eq(c->friction.text, "coulomb");
  const rh_actuator_def *m = rh_scene_item(scene, RH_SECTION_ACTUATORS, 1);
  ck_assert_str_eq(m->joint.text, "a_leg1_knee");
  const rh_shape_def *floor = rh_scene_item(scene, RH_SECTION_SHAPES, 3);
  near_array(floor->at, ((double[]){0, 1, 1.4}), 3, 1e-15, 0); // 2 - 0.6
  const rh_joint_def *hip = rh_scene_item(scene, RH_SECTION_JOINTS, 4);
  ck_assert_str_eq(hip->name.text, "a_leg1_hip");
  near_array(hip->at, ((double[]){0.1, 1, 3}), 3, 0, 0);
  ck_assert_double_eq(hip->rpy[1],
                      20 * 3.14159265358979323846 / 180); // not turned: as it is written
  const rh_joint_def *knee = rh_scene_item(scene, RH_SECTION_JOINTS, 5);
  near_array(knee->at, ((double[]){0, 0, -0.4}), 3, 0, 0);
  const rh_world_def *world = rh_scene_item(scene, RH_SECTION_WORLD, 0);
  ck_assert(world->gravity[2] == -9.81); // that of the including scene
  rh_origin const *origin = rh_scene_origin(scene, RH_SECTION_BODIES, 4);
  ck_assert_str_eq(origin->whole.file, "parts/leg.yaml");
  ck_assert_int_eq(origin->whole.line, 4);
  rh_scene_destroy(scene);
  ck_assert_int_eq(remove("parts/leg.yaml") | remove("parts/two.yaml"), 0);
  ck_assert_int_eq(rmdir("parts"), 0);
  rh_folder_leave();
}

END_TEST

// -s include.* acts before the files are read.
START_TEST(overrides_of_includes)
{
  rh_folder_enter();
  write_file("leg.yaml", leg);
  write_file("one.yaml", "include: {scene: leg.yaml, prefix: a_}\n");
  write_file("two.yaml",
             "include: [{scene: leg.yaml, prefix: a_}, {scene: leg.yaml, prefix: b_}]\n");
  write_file("none.yaml", "run: {until: 1}\n");
  const char *const one[] = {"include.prefix=z_", "include.parameters={length: 0.7}",
                             "z_upper.mass=9"};
  rh_scene *scene = load_good("one.yaml", one, 3);
  const rh_body_def *upper = rh_scene_item(scene, RH_SECTION_BODIES, 0);
  const rh_joint_def *knee = rh_scene_item(scene, RH_SECTION_JOINTS, 1);
  ck_assert_str_eq(upper->name.text, "z_upper");
  ck_assert(upper->mass == 9);
  ck_assert(knee->at[2] == -0.7);
  rh_scene_destroy(scene);
  const char *const two[] = {"include.1.at=[0, 0, 5]"};
  scene = load_good("two.yaml", two, 1);
  const rh_joint_def *hip = rh_scene_item(scene, RH_SECTION_JOINTS, 3);
  near_array(hip->at, ((double[]){0.1, 0, 6}), 3, 0, 0);
  rh_scene_destroy(scene);
  const char *const added[] = {"include.scene=leg.yaml"};
  scene = load_good("none.yaml", added, 1);
  ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_BODIES), 3);
  rh_scene_destroy(scene);
  rh_folder_leave();
}

END_TEST

// A placed scene moves as the scene itself does, seen from its own world: gravity is turned with it.
START_TEST(placed_scenes_move_alike)
{
  static const double rpy[3] = {0.4, -0.7, 1.1};
  static const double at[3] = {3, -2, 0.5};
  rh_folder_enter();
  write_file("leg.yaml", leg);
  rh_mat3 R = rh_rpy_matrix(rpy[0], rpy[1], rpy[2]);
  rh_vec3 g = rh_rotate(&R, rh_v3(0, 0, -1));
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "world: {gravity: [%.17g, %.17g, %.17g]}\n"
                 "include: {scene: leg.yaml, at: [%g, %g, %g], rpy: [%g, %g, %g]}\n",
                 g.x, g.y, g.z, at[0], at[1], at[2], rpy[0], rpy[1], rpy[2]);
  write_file("placed.yaml", text);
  const char *const set[] = {"run.until=0.5"};
  rh_model *model[2] = {compile_good(load_good("leg.yaml", set, 1)),
                        compile_good(load_good("placed.yaml", set, 1))};
  ck_assert_int_eq(model[0]->nv, 8);
  ck_assert_int_eq(model[1]->nv, 8);
  rh_sim *sim[2];
  rh_data *data[2];
  for (int k = 0; k < 2; k++) {
    ck_assert_int_eq(rh_sim_create(model[k], NULL, &sim[k]), RH_OK);
    ck_assert_int_eq(rh_sim_run(sim[k], 0.5), RH_OK);
    data[k] = rh_sim_data(sim[k]);
    rh_kinematics(data[k]);
  }
  // Both take other steps: the bound is that of the integrator's tolerance over 0.5 s.
  near_array(data[1]->q, data[0]->q, model[0]->nq, 1e-6, 0);
  near_array(data[1]->v, data[0]->v, model[0]->nv, 1e-5, 0);
  for (int body = 1; body < model[0]->nbody; body++) {
    rh_vec3 x = rh_point_position(data[0], body, rh_v3(0.1, 0.2, 0.3));
    rh_vec3 y = rh_point_position(data[1], body, rh_v3(0.1, 0.2, 0.3));
    x = rh_add(rh_v3(at[0], at[1], at[2]), rh_rotate(&R, x));
    near_array(&y.x, &x.x, 3, 1e-6, 0);
  }
  for (int k = 0; k < 2; k++) {
    rh_sim_destroy(sim[k]);
    rh_model_destroy(model[k]);
  }
  rh_folder_leave();
}

END_TEST

typedef struct wrong_file {
  const char *main, *part; // main.yaml and part.yaml
  const char *file;        // of the message
  int line, column;
  const char *message; // a part of it
} wrong_file;

START_TEST(wrong_includes_are_refused)
{
  static const wrong_file cases[] = {
      {"include: {scene: part.yaml}\n", "bodies:\n  - {name: a, mass: -1}\n", "part.yaml", 2, 21,
       "a.mass must be"},
      {"include: {scene: part.yaml}\n", "bodies:\n  - {name: a, mas: 1}\n", "part.yaml", 2, 15,
       "did you mean 'mass'"},
      {"include: {scene: part.yaml}\n", "bodys: []\n", "part.yaml", 1, 1,
       "unknown section 'bodys'"},
      {"include: {scene: part.yaml}\n", "bodies: 3\n", "part.yaml", 1, 9, "bodies must be a list"},
      {"include: {scene: part.yaml}\n", "- 3\n", "part.yaml", 1, 1, "a scene is a map of sections"},
      {"include: {scene: part.yaml}\n", "bodies: [\n", "part.yaml", 2, 1, "did not find"},
      {"include: {scene: part.yaml}\n", "haptic: {tool: a}\n", "part.yaml", 1, 1,
       "the including scene has the section haptic"},
      {"include: {scene: part.yaml}\n", "include: {scene: part.yaml}\n", "part.yaml", 1, 18,
       "would include itself"},
      {"include: {scene: part.yaml}\n", "include: {scene: main.yaml}\n", "part.yaml", 1, 18,
       "would include itself"},
      {"include: {scene: part.yaml}\n", "<robot/>\n", "main.yaml", 1, 18, "is XML"},
      {"include: {scene: part.yaml, parameters: {n: 1}}\n", "parameters: {m: 1}\n", "main.yaml", 1,
       42, "the scene has no parameter 'n'"},
      {"include: {scene: part.yaml, parameters: 3}\n", "parameters: {m: 1}\n", "main.yaml", 1, 41,
       "parameters must be a map"},
      {"include: {scene: part.yaml, at: [1, 2]}\n", "run: {until: 1}\n", "main.yaml", 1, 33,
       "at must be a list of 3 numbers"},
      {"include: {scene: part.yaml, rpy: [1 kg, 2, 3]}\n", "run: {until: 1}\n", "main.yaml", 1, 34,
       "rpy must be a list of 3 angles"},
      {"include: {scene: part.yaml, fixed: yes}\n", "run: {until: 1}\n", "main.yaml", 1, 36,
       "fixed is for urdf"},
      {"include: {scene: part.yaml, urdf: a.urdf}\n", "run: {until: 1}\n", "main.yaml", 1, 18,
       "entries of a list"},
      {"include: [{scene: part.yaml}, {scene: part.yaml}]\n", "bodies: [{name: a, mass: 1}]\n",
       "part.yaml", 1, 17, "a"},
      {"include: {scene: part.yaml, q: {knee: 1}}\n", "bodies: [{name: a, mass: 1}]\n", "main.yaml",
       1, 33, "has no joint 'knee'"},
  };
  rh_folder_enter();
  for (int i = 0; i < RH_COUNT(cases); i++) {
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    write_file("main.yaml", cases[i].main);
    write_file("part.yaml", cases[i].part);
    rh_status status = rh_scene_load("main.yaml", NULL, 0, diag, &scene);
    status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
    ck_assert_msg(status == RH_INPUT_REFUSED, "taken: %s%s", cases[i].main, cases[i].part);
    rh_message m = rh_diag_get(diag, 0);
    ck_assert_msg(strstr(m.text, cases[i].message), "%d: '%s'", i, m.text);
    ck_assert_msg(strcmp(m.place.file, cases[i].file) == 0 && m.place.line == cases[i].line &&
                      m.place.column == cases[i].column,
                  "%d: '%s' at %s:%d:%d", i, m.text, m.place.file, m.place.line, m.place.column);
    rh_model_destroy(model);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
  rh_folder_leave();
}

END_TEST

// Each of 12 files includes the next one eight times: 8^12 files. And a chain that is too long.
START_TEST(includes_are_bounded)
{
  char name[32];
  char text[256];
  rh_folder_enter();
  for (int chain = 0; chain < 2; chain++) {
    int last = chain ? 20 : 12;
    for (int i = 0; i < last; i++) {
      (void)snprintf(name, sizeof name, "%d.yaml", i);
      (void)snprintf(text, sizeof text, "include: [{repeat: %d, scene: %d.yaml}]\n", chain ? 1 : 8,
                     i + 1);
      write_file(name, text);
    }
    (void)snprintf(name, sizeof name, "%d.yaml", last);
    write_file(name, "templates: {a: 1}\n");
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    ck_assert_int_eq(rh_scene_load("0.yaml", NULL, 0, diag, &scene), RH_INPUT_REFUSED);
    ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text,
                                 chain ? "16 levels are allowed" : "10000 files are allowed"));
    rh_diag_destroy(diag);
  }
  rh_folder_leave();
}

END_TEST

// ---- Scenes as they are converted

static int check_brief(const char *path)
{
  rh_scene *scene = NULL;
  if (rh_scene_load(path, NULL, 0, NULL, &scene) != RH_OK) {
    return 0; // a part of a figure, or a problem file
  }
  char *brief = rh_scene_write_brief(scene);
  char *whole = rh_scene_write(scene, false);
  ck_assert_ptr_nonnull(brief);
  ck_assert_uint_le(strlen(brief), strlen(whole));
  rh_scene *again = parse_good_scene(brief, NULL, 0);
  char *same = rh_scene_write(again, false);
  ck_assert_msg(strcmp(whole, same) == 0, "%s", path);
  rh_scene_destroy(again);
  rh_scene_destroy(scene);
  rh_free(same);
  rh_free(whole);
  rh_free(brief);
  return 1;
}

START_TEST(brief_scenes_are_the_same)
{
  DIR *dir = opendir(ROUTH_SOURCE_DIR "/scenes");
  ck_assert_ptr_nonnull(dir);
  int count = check_brief(ROUTH_SOURCE_DIR "/models/atlas.urdf");
  for (struct dirent *entry = NULL; (entry = readdir(dir)) != NULL;) {
    size_t length = strlen(entry->d_name);
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/scenes/%s", ROUTH_SOURCE_DIR, entry->d_name);
    if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
      count += check_brief(path);
    }
  }
  (void)closedir(dir);
  ck_assert_int_ge(count, 20);
}

END_TEST

Suite *rh_suite_unit_language(void)
{
  Suite *suite = suite_create("unit_language");
  TCase *tcase = tcase_create("language");
  tcase_add_test(tcase, repeats_are_entries);
  tcase_add_test(tcase, repeats_nest);
  tcase_add_test(tcase, overrides_of_both_sorts);
  tcase_add_test(tcase, wrong_repeats_are_refused);
  tcase_add_test(tcase, repeats_are_bounded);
  tcase_add_test(tcase, names_get_their_prefix);
  tcase_add_test(tcase, overrides_of_includes);
  tcase_add_test(tcase, placed_scenes_move_alike);
  tcase_add_test(tcase, wrong_includes_are_refused);
  tcase_add_test(tcase, includes_are_bounded);
  tcase_add_test(tcase, brief_scenes_are_the_same);
  suite_add_tcase(suite, tcase);
  return suite;
}
