// unit_scene_mesh_file.c: meshes of scenes from files: one mesh whatever it is read from, what is written and recorded is the
// whole, and what is refused, with its place.
#include "contact_scenes.h"
#include "rec_run.h"
#include "solved.h"

#include "geometry/hull/hull.h"
#include "model/schema.h"

#include <string.h>

#define DATA ROUTH_SOURCE_DIR "/tests/data/"

// In the order of the files.
#define CUBE                                                                                       \
  "[[-0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [0.1, 0.1, -0.1], [0.1, -0.1, -0.1], "                  \
  "[-0.1, -0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0.1, 0.1], [-0.1, 0.1, 0.1]]"

static const double cube[] = {-0.1, -0.1, -0.1, -0.1, 0.1,  -0.1, 0.1, 0.1, -0.1, 0.1,  -0.1, -0.1,
                              -0.1, -0.1, 0.1,  0.1,  -0.1, 0.1,  0.1, 0.1, 0.1,  -0.1, 0.1,  0.1};

// ---- Files

static const char text_of[] =
    "bodies: [{name: die, mass: 2}]\n"
    "joints: [{kind: free, child: die, q: [0, 0, 0.3, 0.7, 0.5, 0.5, 0.1]}]\n"
    "meshes: [{name: rock, %s}]\n"
    "shapes: [{body: world, kind: plane}, {body: die, kind: hull, mesh: rock}]\n"
    "contacts: [{body: die, against: world, law: hunt-crossley, friction: coulomb}]\n"
    "run: {until: 0.5}\n";

static rh_scene *parse(const char *mesh, const char *name)
{
  char text[4096];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  (void)snprintf(text, sizeof text, text_of, mesh);
  rh_status status = rh_scene_parse(text, strlen(text), name, NULL, 0, diag, &scene);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return scene;
}

static uint64_t end_of(rh_scene *scene)
{
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  uint64_t hash = rh_data_hash(rh_sim_view(sim), 0);
  finish(sim, model);
  return hash;
}

START_TEST(one_mesh_from_three_sources)
{
  uint64_t want = end_of(parse("vertices: " CUBE, DATA "x.yaml"));
  ck_assert_uint_eq(end_of(parse("file: cube.stl", DATA "x.yaml")), want);
  ck_assert_uint_eq(end_of(parse("file: cube.obj", DATA "x.yaml")), want);
  ck_assert_uint_eq(end_of(parse("file: " DATA "cube.obj", "elsewhere/x.yaml")), want);
  // A hundred times a millimetre, in lists however deep: the very same numbers.
  ck_assert_uint_eq(
      end_of(
          parse("scale: 1e2, tolerance: 1e-9, vertices: [-1 mm, -1 mm, -1 mm, -1 mm, 1 mm, -1 mm, "
                "1 mm, 1 mm, -1 mm, 1 mm, -1 mm, -1 mm, [-1 mm, -1 mm, 1 mm], [1 mm, -1 mm, 1 mm], "
                "[[1 mm, 1 mm, 1 mm], [-1 mm, 1 mm, 1 mm]]]",
                "x.yaml")),
      want);
}

END_TEST

static void put_bytes(FILE *f, const void *x, size_t bytes)
{
  ck_assert_uint_eq(fwrite(x, 1, bytes, f), bytes);
}

// A binary STL file has floats: what is flat there is so to seven digits, and a cube has six faces all the same.
START_TEST(binary_file)
{
  static const int tri[12][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {0, 3, 5}, {0, 5, 4},
                                 {1, 7, 6}, {1, 6, 2}, {0, 4, 7}, {0, 7, 1}, {3, 2, 6}, {3, 6, 5}};
  FILE *f = fopen(rec_at("cube.stl"), "wb");
  ck_assert_ptr_nonnull(f);
  char head[80] = "cube";
  uint32_t count = 12;
  put_bytes(f, head, sizeof head);
  put_bytes(f, &count, 4);
  rh_mat3 R = rh_axis_matrix(rh_v3(0.6, 0, 0.8), 1); // so that no face is flat to the last bit
  for (int t = 0; t < 12; t++) {
    float x[12] = {0};
    for (int k = 0; k < 3; k++) {
      const double *v = cube + 3 * tri[t][k];
      rh_vec3 p = rh_rotate(&R, rh_v3(v[0], v[1], v[2]));
      x[3 + 3 * k] = (float)p.x;
      x[4 + 3 * k] = (float)p.y;
      x[5 + 3 * k] = (float)p.z;
    }
    uint16_t none = 0;
    put_bytes(f, x, sizeof x);
    put_bytes(f, &none, 2);
  }
  ck_assert_int_eq(fclose(f), 0);
  rh_scene *scene = parse("file: cube.stl", rec_at("x.yaml"));
  const rh_mesh_def *def = rh_scene_item(scene, RH_SECTION_MESHES, 0);
  ck_assert_int_eq(def->vertices.n, 24);
  near_abs(def->tolerance, 1e-6, 0);
  rh_model *model = model_of(scene);
  const rh_hull *hull = model->shape[1].mesh;
  ck_assert_int_eq(hull->nvert, 8);
  ck_assert_int_eq(hull->nface, 6);
  rh_model_destroy(model);
}

END_TEST

// What was read needs no file any more: written out it is the whole, and reads back to the same bits.
START_TEST(written_and_read)
{
  rh_scene *scene = parse("file: cube.obj, scale: 0.7", DATA "x.yaml");
  char *text = rh_scene_write(scene, false);
  char *places = rh_scene_write(scene, true);
  ck_assert_ptr_nonnull(strstr(text, "file: \"\"\n"));
  ck_assert_ptr_null(strstr(text, "cube"));
  ck_assert_ptr_nonnull(strstr(places, "x.yaml:3"));
  for (int i = 0; i < 2; i++) {
    rh_scene *again = NULL;
    const char *from = i ? places : text;
    ck_assert_int_eq(rh_scene_parse(from, strlen(from), "nowhere/y.yaml", NULL, 0, NULL, &again),
                     RH_OK);
    char *twice = rh_scene_write(again, false);
    ck_assert_str_eq(twice, text);
    rh_free(twice);
    rh_scene_destroy(again);
  }
  rh_free(text);
  rh_free(places);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(recording_is_whole)
{
  rh_scene *scene = parse("file: cube.stl", DATA "x.yaml");
  world w = {.diag = rh_diag_create(), .text = rh_scene_write(scene, false)};
  w.model = model_of(scene);
  w.sim = sim_of(w.model);
  run *r = run_recorded(&w, rec_at("a.rhr"), 0.3);
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  rec_compare(recording, r);
  ck_assert_int_eq(rec_verify(recording), r->frames);
  const rh_model *model = rh_recording_model(recording);
  ck_assert_int_eq(model->meshes.n, 1);
  ck_assert_int_eq(((const rh_hull *)model->shape[1].mesh)->nvert, 8);
  rh_recording_close(recording);
  run_close(r);
  world_close(&w);
}

END_TEST

// ---- What is refused

typedef struct bad {
  const char *mesh, *shape;
  const char *place; // how the message begins
  const char *words;
} bad;

#define ROCK "mesh: rock, kind: hull"

static const bad bads[] = {
    {"file: none.stl", ROCK, "x.yaml:3:29: ", "tried " DATA "none.stl"},
    {"file: cube.txt", ROCK, "x.yaml:3:29: ", "cannot be found"},
    {"file: broken.obj", ROCK, "broken.obj:4:", "9"},
    {"file: cube.h", ROCK, "x.yaml:3:29: ", "cannot be found"},
    {"file: compliant.h", ROCK, "compliant.h: ", ".stl, .obj or .msh"},
    {"file: [1]", ROCK, "x.yaml:3:29: ", "must be the name of a file"},
    {"file: cube.obj, vertices: " CUBE, ROCK, "x.yaml:3:10: ", "needs one of"},
    {"scale: 2", ROCK, "x.yaml:3:10: ", "needs one of"},
    {"scale: -1, vertices: " CUBE, ROCK, "x.yaml:3:30: ", "must be"},
    {"vertices: 3", ROCK, "x.yaml:3:33: ", "must be a list of numbers"},
    {"vertices: [1, 2, kg]", ROCK, "x.yaml:3:40: ", "vertices[2]"},
    {"vertices: [1, [2, {a: 1}]]", ROCK, "x.yaml:3:41: ", "vertices[2]"},
    {"vertices: [1, 2, .inf]", ROCK, "x.yaml:3:40: ", "finite"},
    {"vertices: [1, 2, 3, 4]", ROCK, "x.yaml:3:33: ", "three numbers"},
    {"vertices: [1, 2, 3]", ROCK, "x.yaml:3:33: ", "make no hull"},
    {"vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", ROCK,
     "x.yaml:3:33: ", "make no hull"},
    {"vertices: " CUBE ", nx: 2", ROCK, "x.yaml:3:", "needs heights"},
    {"heights: [0, 0, 0, 0], size: [1, 1]", "mesh: rock, kind: heightfield", "x.yaml:3:10: ", "nx"},
    {"heights: [0, 0, 0, 0], nx: 2", "mesh: rock, kind: heightfield", "x.yaml:3:10: ", "size"},
    {"heights: [0, 0, 0], nx: 2, size: [1, 1]", "mesh: rock, kind: heightfield",
     "x.yaml:3:32: ", "full rows"},
    {"heights: [0, 0, 0, 0], nx: 2, size: [1, 0]", "mesh: rock, kind: heightfield",
     "x.yaml:3:32: ", "no heightfield"},
    {"heights: [0, 0, 0, 0], nx: 2, size: [1, 1]", ROCK, "x.yaml:4:", "must have vertices"},
    {"vertices: " CUBE, "mesh: rock, kind: heightfield", "x.yaml:4:", "must have heights"},
    {"vertices: " CUBE, "mesh: rick, kind: hull", "x.yaml:4:", "did you mean 'rock'"},
    {"vertices: " CUBE, "kind: hull", "x.yaml:4:", "mesh is missing"},
    {"vertices: " CUBE, "mesh: rock, kind: sphere, radius: 1", "x.yaml:4:", "not used by a sphere"},
};

START_TEST(bad_meshes)
{
  const bad *b = &bads[_i];
  char text[4096];
  char line[2048];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  (void)snprintf(text, sizeof text,
                 "bodies: [{name: die, mass: 2}]\n"
                 "joints: [{kind: free, child: die}]\n"
                 "meshes: [{name: rock, %s}]\n"
                 "shapes: [{body: die, %s}]\n",
                 b->mesh, b->shape);
  rh_status status = rh_scene_parse(text, strlen(text), DATA "x.yaml", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  ck_assert_int_eq(status, RH_INPUT_REFUSED);
  ck_assert_ptr_null(model);
  bool said = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, line, sizeof line);
    said = said || (strncmp(line, DATA, strlen(DATA)) == 0 &&
                    strncmp(line + strlen(DATA), b->place, strlen(b->place)) == 0 &&
                    strstr(line, b->words));
  }
  if (!said) {
    say_messages(diag);
  }
  ck_assert_msg(said, "no message at %s says '%s'", b->place, b->words);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(a_program_names_no_file)
{
  rh_scene *scene = rh_scene_create();
  rh_mesh_def mesh = rh_mesh_default();
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  mesh.name = rh_name_of("rock");
  mesh.file = rh_path_of(DATA "cube.stl");
  ck_assert_int_eq(rh_scene_add_mesh(scene, &mesh), 0);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "rock.file"));
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(no_number_is_poisoned)
{
  static const double poison[] = {(double)NAN, (double)INFINITY, 1e10};
  for (int i = 0; i < 2 * RH_COUNT(poison); i++) {
    double x[24];
    memcpy(x, cube, sizeof x);
    x[17] = poison[i / 2];
    rh_scene *scene = rh_scene_create();
    rh_diag *diag = rh_diag_create();
    rh_model *model = NULL;
    rh_mesh_def mesh = rh_mesh_default();
    mesh.name = rh_name_of("rock");
    *(i % 2 ? &mesh.heights : &mesh.vertices) = (rh_numbers){24, x};
    mesh.nx = i % 2 ? 6 : 0;
    mesh.size = i % 2 ? list_of(2, 1, 1) : mesh.size;
    ck_assert_int_eq(rh_scene_add_mesh(scene, &mesh), 0);
    ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
    ck_assert_ptr_nonnull(
        strstr(rh_diag_get(diag, 0).text, i % 2 ? "rock.heights" : "rock.vertices"));
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

// A text that may not name scenes may not name meshes either.
START_TEST(no_files_in_a_problem)
{
  solved s = solve("- {id: a, kind: forward_dynamics, inputs: {scene: {bodies: [{name: b, mass: "
                   "1}], joints: [{kind: "
                   "free, child: b}], meshes: [{name: rock, file: " DATA "cube.stl}]}}}\n");
  ck_assert_ptr_nonnull(strstr(error_of(&s, "a"), "rock.file: no files can be read here"));
  done(&s);
}

END_TEST

Suite *rh_suite_unit_scene_mesh_file(void)
{
  Suite *suite = suite_create("unit_scene_mesh_file");
  TCase *tests = tcase_create("files");
  tcase_add_checked_fixture(tests, rec_setup, rec_teardown);
  tcase_add_test(tests, one_mesh_from_three_sources);
  tcase_add_test(tests, binary_file);
  tcase_add_test(tests, written_and_read);
  tcase_add_test(tests, recording_is_whole);
  tcase_add_loop_test(tests, bad_meshes, 0, RH_COUNT(bads));
  tcase_add_test(tests, a_program_names_no_file);
  tcase_add_test(tests, no_number_is_poisoned);
  tcase_add_test(tests, no_files_in_a_problem);
  suite_add_tcase(suite, tests);
  return suite;
}
