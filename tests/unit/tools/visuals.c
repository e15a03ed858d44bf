// unit_visuals.c: what bodies look like, from scenes, URDF, MJCF and SDF, through recordings to the page: places, sizes, colours,
// levels of detail; that no motion depends on it; what is missing or wrong. And what the page draws of tendons and sensors.
#include "rec_run.h"

#include "geometry/looks/look.h"
#include "model/schema.h"
#include "multibody/multibody.h"
#include "viewer/viewer.h"

#include <math.h>

#define FALL                                                                                       \
  "bodies: [{name: ball, mass: 2}, {name: arm, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"           \
  "joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 1]}, "        \
  "{kind: revolute, child: arm, at: [3, 0, 1], axis: [0, 1, 0]}]\n"                                \
  "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"                \
  "contacts: [{body: ball, against: world, law: newton, e: 0.5, friction: dry, mu_s: 0.4, mu_k: "  \
  "0.4}]\nrun: {until: 0.5}\n"
#define TETRAHEDRON                                                                                \
  "vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces: [[0, 2, 1], [0, 1, 3], [0, 3, "  \
  "2], [1, 2, 3]]"

static const char visuals[] = FALL
    "visuals:\n"
    "  - {body: ball, kind: box, size: [1, 2, 3], at: [0.1, 0.2, 0.3], color: [1, 0.5, 0]}\n"
    "  - {body: world, kind: capsule, radius: 0.2, length: 0.7, color: [0, 0, 1, 0.5]}\n"
    "  - {body: arm, kind: ellipsoid, semi: [0.1, 0.2, 0.3], rpy: [0, 0, 1.5707963267948966]}\n"
    "  - {body: arm, kind: mesh, mesh: peak, scale: [-1, 2, 1]}\n"
    "visual_meshes: [{name: peak, " TETRAHEDRON "}]\n";

typedef struct look_world {
  rh_scene *scene;
  rh_model *model;
  rh_diag *diag;
  rh_status status;
} look_world;

static look_world read_as(const char *text, const char *name)
{
  look_world w = {.diag = rh_diag_create()};
  w.status = rh_scene_parse(text, strlen(text), name, NULL, 0, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  return w;
}

static look_world accept_as(const char *text, const char *name)
{
  look_world w = read_as(text, name);
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  return w;
}

static void drop_world(look_world *w)
{
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

static void write_file(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static bool has_message(const look_world *w, rh_severity severity, const char *words, int line)
{
  for (int i = 0; i < rh_diag_kept(w->diag); i++) {
    rh_message m = rh_diag_get(w->diag, i);
    if (m.severity == severity && strstr(m.text, words) && m.place.line == line) {
      return true;
    }
  }
  return false;
}

static void check_numbers(const double *x, const double *want, int n)
{
  for (int i = 0; i < n; i++) {
    ck_assert_msg(fabs(x[i] - want[i]) < 1e-14, "number %d is %.17g, not %.17g", i, x[i], want[i]);
  }
}

// ---- Scenes

START_TEST(from_a_scene)
{
  look_world w = accept_as(visuals, "a.yaml");
  const rh_model_visuals *v = &w.model->meshes.visuals;
  ck_assert_int_eq(v->n, 4);
  ck_assert_int_eq(v->nmesh, 1);
  ck_assert_int_eq(v->of[0].body, rh_model_find(w.model, RH_OBJECT_BODY, "ball"));
  check_numbers(v->of[0].size, (const double[]){1, 2, 3}, 3);
  check_numbers(&v->of[0].place.p.x, (const double[]){0.1, 0.2, 0.3}, 3);
  check_numbers(v->of[0].color, (const double[]){1, 0.5, 0, 1}, 4);
  ck_assert_int_eq(v->of[1].body, 0);
  check_numbers(v->of[1].size, (const double[]){0.2, 0.7}, 2);
  check_numbers(v->of[1].color, (const double[]){0, 0, 1, 0.5}, 4);
  check_numbers(v->of[2].place.R.m, (const double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9);
  ck_assert_double_lt(v->of[2].color[3], 0); // none of its own
  ck_assert_int_eq(v->of[3].mesh, 0);
  ck_assert_int_eq(((const rh_look *)v->mesh[0])->ntri, 4);
  drop_world(&w);
}

END_TEST

static uint64_t end_of(const char *text, const char *engine)
{
  const char *const set[] = {engine};
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "a.yaml", set, 1, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, model->run.until), RH_OK);
  uint64_t hash = rh_data_hash(rh_sim_view(sim), 0);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return hash;
}

// The same bits with and without; a state of the one is a state of the other.
START_TEST(no_motion_depends_on_it)
{
  static const char *const engine[] = {"run.engine=event", "run.engine=stepping"};
  for (int i = 0; i < RH_COUNT(engine); i++) {
    ck_assert_uint_eq(end_of(visuals, engine[i]), end_of(FALL, engine[i]));
  }
  look_world w[2] = {accept_as(visuals, "a.yaml"), accept_as(FALL, "a.yaml")};
  ck_assert(rh_model_same_layout(w[0].model, w[1].model));
  drop_world(&w[0]);
  drop_world(&w[1]);
}

END_TEST

static const struct {
  const char *visual, *why;
} wrong[] = {
    {"visuals: [{body: cat, kind: sphere, radius: 1}]", "body"},
    {"visuals: [{body: ball, kind: sphere}]", "radius must be above 0"},
    {"visuals: [{body: ball, kind: cylinder, radius: 1}]", "length must be above 0"},
    {"visuals: [{body: ball, kind: box, size: [1, 0, 1]}]", "three numbers above 0"},
    {"visuals: [{body: ball, kind: mesh}]", "mesh"},
    {"visuals: [{body: ball, kind: mesh, mesh: no}]", "mesh"},
    {"visuals: [{body: ball, kind: sphere, radius: 1, mesh: no}]", "needs `kind: mesh`"},
    {"visuals: [{body: ball, kind: sphere, radius: 1, color: [1, 2, 0]}]", "color"},
    {"visuals: [{body: ball, kind: sphere, radius: 1, color: [1]}]", "takes 3 or 4 numbers"},
    {"visuals: [{body: ball, kind: cone, radius: 1}]", "kind"},
    {"visual_meshes: [{name: a}]", "needs one of file"},
    {"visual_meshes: [{name: a, vertices: [0, 0, 0, 1], faces: [0, 1, 2]}]", "three numbers"},
    {"visual_meshes: [{name: a, vertices: [0, 0, 0], faces: [0, 0, 1]}]", "numbers of vertices"},
    {"visual_meshes: [{name: a, data: TDEx}]", "no packed surface"},
    {"visual_meshes: [{name: a, data: '***'}]", "base64"},
    {"visual_meshes: [{name: a, file: nothere.dae}]", "nothere.dae"},
    {"visual_meshes: [{name: a, file: nothere.xyz}]", "nothere.xyz"},
};

START_TEST(wrong_scenes)
{
  char text[4096];
  (void)snprintf(text, sizeof text, "%s%s\n", FALL, wrong[_i].visual);
  look_world w = read_as(text, "a.yaml");
  bool found = false;
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  for (int i = 0; i < rh_diag_kept(w.diag); i++) {
    rh_message m = rh_diag_get(w.diag, i);
    char line[1024];
    (void)rh_message_format(&m, line, sizeof line);
    found = found || (m.severity == RH_ERROR && strstr(line, wrong[_i].why));
  }
  ck_assert_msg(found, "no error with '%s'", wrong[_i].why);
  drop_world(&w);
}

END_TEST

static const char tower[] =
    "<COLLADA><asset><unit meter='0.5'/></asset><library_effects><effect id='e'><profile_COMMON>"
    "<technique><phong><diffuse><color>0 1 0 1</color></diffuse></phong></technique>"
    "</profile_COMMON></effect></library_effects><library_materials><material id='m'>"
    "<instance_effect url='#e'/></material></library_materials><library_geometries>"
    "<geometry id='g'><mesh><source id='p'><float_array>0 0 0 2 0 0 0 2 0 0 0 2</float_array>"
    "</source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles material='m'><input semantic='VERTEX' source='#v' offset='0'/>"
    "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries></COLLADA>";

// From a file, written, and read again without the file: the same surface. Its colour is that of the file.
START_TEST(from_a_file)
{
  char text[4096];
  write_file(rec_at("tower.dae"), tower);
  (void)snprintf(text, sizeof text,
                 "%svisuals: [{body: ball, kind: mesh, mesh: t}]\n"
                 "visual_meshes: [{name: t, file: '%s'}]\n",
                 FALL, rec_at("tower.dae"));
  look_world w = accept_as(text, "a.yaml");
  char *written = rh_scene_write_brief(w.scene);
  ck_assert_ptr_nonnull(written);
  ck_assert_int_eq(unlink(rec_at("tower.dae")), 0);
  look_world again = accept_as(written, "b.yaml");
  const rh_look *look[2] = {w.model->meshes.visuals.mesh[0], again.model->meshes.visuals.mesh[0]};
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(look[i]->ntri, 4);
    ck_assert_int_eq(look[i]->nvert, 4);
    ck_assert(memcmp(look[i]->part[0].rgba, (const unsigned char[]){0, 255, 0, 255}, 4) == 0);
    ck_assert(memcmp(look[i]->vert, look[0]->vert, 12 * sizeof(double)) == 0);
  }
  double most = 0;
  for (int i = 0; i < 12; i++) {
    most = fmax(most, look[0]->vert[i]);
  }
  ck_assert_double_eq(most, 1); // two halves of a metre, which the grid has exactly
  rh_free(written);
  drop_world(&again);
  drop_world(&w);
}

END_TEST

// Triangles of an OBJ file before the first material, of one with a colour, of one that is not in the file of materials; a
// file of materials elsewhere is not read.
START_TEST(materials_of_obj)
{
  static const char shape[] =
      "%s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nusemtl red\nf 1 2 4\n"
      "usemtl none\nusemtl other\nf 1 4 3\nusemtl red\nf 2 3 4\n";
  static const char *const books[] = {"mtllib a.mtl", "mtllib nothere.mtl", "mtllib ../a.mtl"};
  write_file(rec_at("a.mtl"), "# colours\nnewmtl blue\nKd 0 0 1\nnewmtl red\nNs 3\nKd 1 0.2 0\n"
                              "newmtl bad\nKd 1 x 0\n");
  for (int i = 0; i < RH_COUNT(books); i++) {
    char text[4096];
    (void)snprintf(text, sizeof text, shape, books[i]);
    write_file(rec_at("a.obj"), text);
    (void)snprintf(text, sizeof text, "%svisual_meshes: [{name: t, file: '%s'}]\n", FALL,
                   rec_at("a.obj"));
    look_world w = accept_as(text, "a.yaml");
    const rh_look *look = w.model->meshes.visuals.mesh[0];
    ck_assert_int_eq(look->npart, 4);
    for (int k = 0; k < 4; k++) {
      const unsigned char none[4] = {0};
      const unsigned char red[4] = {255, 51, 0, 255};
      ck_assert_int_eq(look->part[k].first, k);
      ck_assert(memcmp(look->part[k].rgba, i == 0 && k % 2 == 1 ? red : none, 4) == 0);
    }
    drop_world(&w);
  }
}

END_TEST

// ---- Robots

#define LUMP                                                                                       \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "                   \
  "iyz='0'/></inertial>"

static const char urdf[] =
    "<robot name='r'><link name='a'>" LUMP "\n"
    "<visual><origin xyz='0.1 0 0.2' rpy='0 0 1.5707963267948966'/><geometry><box size='1 2 3'/>"
    "</geometry><material name='late'/></visual>\n"
    "<visual><geometry><cylinder radius='0.1' length='0.4'/></geometry><material name='own'>"
    "<color rgba='0.1 0.2 0.3 1'/></material></visual>\n"
    "<visual><geometry><sphere radius='0.2'/></geometry><material name='own'/></visual>\n"
    "<visual><geometry><mesh filename='tower.dae' scale='1 1 -2'/></geometry></visual>\n"
    "<visual><geometry><mesh filename='tower.dae'/></geometry></visual>\n"
    "<visual><geometry><mesh filename='gone.dae'/></geometry></visual>\n"
    "<visual><geometry><mesh filename='broken.dae'/></geometry></visual>\n"
    "<visual><geometry><sphere radius='x'/></geometry></visual>\n"
    "<visual><geometry><box size='1 0 1'/></geometry></visual>\n"
    "<visual/>\n"
    "<visual><geometry><mesh filename='a.fbx'/></geometry></visual>\n"
    "</link><material name='late'><color rgba='1 0 0 0.5'/></material></robot>\n";

START_TEST(from_urdf)
{
  write_file(rec_at("tower.dae"), tower);
  write_file(rec_at("broken.dae"), "<COLLADA>\n<asset></COLLADA>");
  look_world w = accept_as(urdf, rec_at("r.urdf"));
  const rh_model_visual *v = w.model->meshes.visuals.of;
  ck_assert_int_eq(w.model->meshes.visuals.n, 5);
  ck_assert_int_eq(w.model->meshes.visuals.nmesh, 1); // one for both
  check_numbers(v[0].size, (const double[]){1, 2, 3}, 3);
  check_numbers(v[0].place.R.m, (const double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9);
  check_numbers(v[0].color, (const double[]){1, 0, 0, 0.5}, 4);
  check_numbers(v[1].color, (const double[]){0.1, 0.2, 0.3, 1}, 4);
  check_numbers(v[2].color, v[1].color, 4);
  check_numbers(v[3].size, (const double[]){1, 1, -2}, 3);
  check_numbers(v[4].size, (const double[]){1, 1, 1}, 3);
  ck_assert_double_lt(v[4].color[3], 0);
  ck_assert(has_message(&w, RH_WARNING, "'gone.dae' cannot be found", 7));
  ck_assert(has_message(&w, RH_WARNING, "'broken.dae' line 2", 8));
  ck_assert(has_message(&w, RH_WARNING, "this visual is not shown", 9));
  ck_assert(has_message(&w, RH_WARNING, "a visual without size", 10));
  ck_assert(has_message(&w, RH_WARNING, "a visual without geometry", 11));
  ck_assert(has_message(&w, RH_WARNING, "STL, OBJ, MSH and COLLADA", 12));
  ck_assert_int_eq(rh_diag_count(w.diag, RH_ERROR), 0);
  drop_world(&w);
}

END_TEST

static const char sdf[] =
    "<sdf version='1.9'><model name='m'><link name='a'><pose>0 0 1 0 0 0</pose>\n"
    "<visual name='v'><pose>0.1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
    "<material><diffuse>0.5 0.25 0 "
    "1</diffuse></material><transparency>0.5</transparency></visual>\n"
    "<visual name='w'><geometry><mesh><uri>tower.dae</uri><scale>2 2 2</scale></mesh></geometry>"
    "</visual>\n"
    "<visual name='x'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual>\n"
    "<visual name='y'><geometry><mesh><uri>gone.stl</uri></mesh></geometry></visual>\n"
    "<visual name='z'><geometry><sphere><radius>-1</radius></sphere></geometry></visual>\n"
    "<visual name='q'><geometry><mesh><uri>tower.dae</uri><submesh><name>g</name></submesh></mesh>"
    "</geometry></visual>\n"
    "</link></model><model name='n'><static>true</static><link name='b'><pose>5 0 0 0 0 0</pose>"
    "<visual name='v'><geometry><capsule><radius>0.1</radius><length>1</length></capsule>"
    "</geometry></visual></link></model></sdf>\n";

START_TEST(from_sdf)
{
  write_file(rec_at("tower.dae"), tower);
  look_world w = accept_as(sdf, rec_at("m.sdf"));
  const rh_model_visual *v = w.model->meshes.visuals.of;
  ck_assert_int_eq(w.model->meshes.visuals.n, 4);
  check_numbers(v[0].size, (const double[]){1, 2, 3}, 3);
  check_numbers(&v[0].place.p.x, (const double[]){0.1, 0, 0}, 3);
  check_numbers(v[0].color, (const double[]){0.5, 0.25, 0, 0.5}, 4);
  check_numbers(v[1].size, (const double[]){2, 2, 2}, 3);
  check_numbers(v[2].size, (const double[]){1, 2, 3}, 3);
  ck_assert_int_eq(v[3].body, 0);
  check_numbers(&v[3].place.p.x, (const double[]){5, 0, 0}, 3);
  ck_assert(has_message(&w, RH_WARNING, "'gone.stl' cannot be found", 5));
  ck_assert(has_message(&w, RH_WARNING, "a visual without size", 6));
  ck_assert(has_message(&w, RH_WARNING, "<submesh>", 7));
  drop_world(&w);
}

END_TEST

static const char mjcf[] =
    "<mujoco><asset><material name='red' rgba='1 0 0 1'/><material name='plain'/>\n"
    "<mesh name='peak' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'"
    " scale='2 1 1' refpos='1 0 0'/><mesh name='gone' file='gone.obj'/></asset>\n"
    "<default><geom density='100'/></default><worldbody>\n"
    "<geom type='plane' size='1 1 1'/>"
    "<body name='plain'><freejoint/><geom size='0.1'/><geom type='box' size='.1 .1 .1'/></body>\n"
    "<body name='shown' pos='3 0 1'><freejoint/><geom size='0.1' rgba='0 1 0 .5'/>"
    "<geom type='capsule' size='.1 .2' material='red'/>"
    "<geom type='mesh' mesh='peak' pos='0 0 1' contype='0' conaffinity='0' group='2' mass='0'/>"
    "<geom type='mesh' mesh='gone' contype='0' conaffinity='0' mass='0'/>"
    "<geom size='0.3' group='3'/><geom size='0.2' material='plain' "
    "rgba=''/></body></worldbody></mujoco>\n";

START_TEST(from_mjcf)
{
  look_world w = accept_as(mjcf, rec_at("m.xml"));
  const rh_model_visual *v = w.model->meshes.visuals.of;
  int body = rh_model_find(w.model, RH_OBJECT_BODY, "shown");
  ck_assert_int_eq(w.model->meshes.visuals.n, 4);
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(v[i].body, body); // the other one is what its shapes are
  }
  check_numbers(v[0].color, (const double[]){0, 1, 0, 0.5}, 4);
  check_numbers(v[1].size, (const double[]){0.1, 0.4}, 2);
  check_numbers(v[1].color, (const double[]){1, 0, 0, 1}, 4);
  check_numbers(&v[2].place.p.x, (const double[]){0, 0, 1}, 3);
  const rh_look *look = w.model->meshes.visuals.mesh[0];
  double least = 0;
  for (int i = 0; i < look->nvert; i++) {
    least = fmin(least, look->vert[3 * i]);
  }
  ck_assert_double_eq(least, -2); // (0 - 1) 2
  ck_assert_double_lt(v[3].color[3], 0);
  ck_assert(has_message(&w, RH_WARNING, "'gone.obj'", 2));
  drop_world(&w);
}

END_TEST

// ---- The page

static uint32_t word_at(const char *bytes, int i)
{
  uint32_t word;
  memcpy(&word, bytes + 4 * i, sizeof word);
  return word;
}

static void show_recording(const char *text, rh_viewer **film)
{
  look_world w = accept_as(text, "a.yaml");
  world of = {.diag = w.diag, .model = w.model, .text = rh_scene_write(w.scene, false)};
  ck_assert_int_eq(rh_sim_create(w.model, w.diag, &of.sim), RH_OK);
  run_close(run_recorded(&of, rec_at("a.rhr"), w.model->run.until));
  rh_scene_destroy(w.scene);
  world_close(&of);
  ck_assert_int_eq(rh_viewer_open(rec_at("a.rhr"), NULL, film), RH_OK);
}

static rh_status request_path(rh_viewer *film, const char *path, rh_text *out)
{
  const char *type = NULL;
  return rh_viewer_answer(&film, 1, path, NULL, out, &type);
}

START_TEST(asked_for_by_the_page)
{
  rh_viewer *film = NULL;
  rh_text text = {0};
  show_recording(visuals, &film);
  ck_assert_int_eq(request_path(film, "/look/0/0/0", &text), RH_OK);
  ck_assert_uint_eq(text.size, 32 + 12 * 4 + 12 * 4 + 8);
  ck_assert_uint_eq(word_at(text.data, 1), RH_VIEWER_LOOK);
  ck_assert_uint_eq(word_at(text.data, 5), 4);
  ck_assert_uint_eq(word_at(text.data, 6), 4);
  ck_assert_uint_eq(word_at(text.data, 7), 1);
  rh_text_free(&text);
  const char *const bad[] = {"/look/0/1/0", "/look/0/0/1", "/look/0/0", "/look/0/0/0/0"};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    ck_assert_msg(request_path(film, bad[i], &text) != RH_OK, "%s", bad[i]);
    rh_text_free(&text);
  }
  ck_assert_int_eq(request_path(film, "/head/0", &text), RH_OK);
  ck_assert_ptr_nonnull(strstr(text.data, "\"visuals\""));
  rh_text_free(&text);
  rh_viewer_close(film);
}

END_TEST

// Levels are raised where they bring most, until the sum of the triangles is small enough.
START_TEST(budget)
{
  rh_look *look[3];
  for (int i = 0; i < 3; i++) { // only counts and the mean edge matter
    look[i] = rh_look_create(3, 1, 1);
    look[i]->edge = 1;
    look[i]->ntri = i == 0 ? 100000 : i == 1 ? 8000 : 200;
  }
  const rh_model model = {.meshes.visuals = {.nmesh = 3, .mesh = (void *const *)look}};

  static const struct {
    double budget;
    int level[3];
  } rows[] = {{200000, {0, 0, 0}},
              {50000, {1, 0, 0}},
              {15000, {2, 0, 0}},
              {5000, {3, 1, 0}},
              {0, {5, 3, 0}}};

  for (int r = 0; r < RH_COUNT(rows); r++) {
    int level[3] = {0, 0, 0};
    rh_viewer_look_budget(&model, rows[r].budget, level);
    for (int i = 0; i < 3; i++) {
      ck_assert_msg(level[i] == rows[r].level[i], "budget %g: mesh %d has level %d", rows[r].budget,
                    i, level[i]);
    }
  }
  for (int i = 0; i < 3; i++) {
    rh_free(look[i]);
  }
}

END_TEST

static const char devices[] = FALL
    "tendons: [{name: cord}]\n"
    "tendon_parts:\n"
    "  - {tendon: cord, body: world, at: [2, 0, 1.2]}\n"
    "  - {tendon: cord, kind: cylinder, body: world, at: [3, 0, 1], rpy: [1.5708, 0, 0], radius: "
    "0.3, side: [3, 0, 2]}\n"
    "  - {tendon: cord, body: arm, at: [1, 0.4, 0]}\n"
    "  - {tendon: cord, kind: pulley, divisor: 2}\n"
    "  - {tendon: cord, body: arm, at: [1, 0, 0]}\n"
    "  - {tendon: cord, kind: sphere, body: arm, at: [0.5, 0, 0], radius: 0.2}\n"
    "  - {tendon: cord, body: world, at: [3, 0.1, 1]}\n"
    "sensors: [{name: eye, kind: range, body: world, at: [0, 0, 1], rpy: [3.14159265358979, 0, "
    "0]}, "
    "{name: feel, kind: touch, body: ball}]\n";

// The sum of the pieces is the length but for arcs, whose chords are shorter by (angle/22)^2/6 of themselves. At other
// postures the path is straight, or lies the longer way round.
START_TEST(paths_of_tendons)
{
  look_world w = accept_as(devices, "a.yaml");
  rh_data *d = rh_data_create(w.model);
  int piece[8];
  rh_vec3 point[64];
  ck_assert_int_eq(rh_tendon_pieces(w.model, 0, piece), 2);
  ck_assert_int_eq(piece[0], 2 + RH_TENDON_ARC);
  ck_assert_int_eq(piece[1], 2 + RH_TENDON_ARC);
  ck_assert_int_eq(rh_tendon_path_size(w.model, 0), piece[0] + piece[1]);
  for (int k = 0; k < 60; k++) {
    d->q[7] = -3 + 0.1 * k;
    rh_kinematics(d);
    rh_tendon_path(d, 0, point);
    double sum = 0;
    int n = 0;
    for (int p = 0; p < 2; p++) {
      for (int i = 0; i < piece[p]; i++, n++) {
        sum += i > 0 ? rh_norm(rh_sub(point[n], point[n - 1])) / (p + 1) : 0;
      }
    }
    double arcs = 2 * 3.15 * (0.3 + 0.2 / 2); // at most once round each
    double short_by = arcs * pow(6.3 / 22, 2) / 6;
    double length = rh_tendon_length(d, 0);
    ck_assert_msg(sum <= length + 1e-9 && sum >= length - short_by, "q = %g: %g, not %g", d->q[7],
                  sum, length);
  }
  rh_data_destroy(d);
  drop_world(&w);
}

END_TEST

START_TEST(devices_of_the_page)
{
  rh_viewer *film = NULL;
  rh_text text = {0};
  show_recording(devices, &film);
  ck_assert_int_eq(request_path(film, "/frames/0/0/3/1", &text), RH_OK);
  uint32_t n3 = word_at(text.data, 7);
  ck_assert_uint_eq(n3, 3 * 2 * (2 + RH_TENDON_ARC) + 2);
  float last[2]; // of the third frame
  memcpy(last, text.data + text.size - sizeof last, sizeof last);
  float first[3];
  memcpy(first, text.data + text.size - 4 * (size_t)n3, sizeof first);
  ck_assert(first[0] == 2 && first[1] == 0 && first[2] == 1.2f);
  // The ball falls, and has moved by 0.02 m to the side; floats
  double top = 0.3 - 0.5 * 9.81 * 4e-4 + sqrt(0.01 - 4e-4);
  ck_assert_double_eq_tol((double)last[0], 1 - top, 1e-6);
  ck_assert(last[1] == 0);
  rh_text_free(&text);
  rh_viewer_close(film);
}

END_TEST

Suite *rh_suite_unit_visuals(void)
{
  Suite *suite = suite_create("unit_visuals");
  TCase *tests = tcase_create("visuals");
  tcase_add_checked_fixture(tests, rec_setup, rec_teardown);
  tcase_add_test(tests, from_a_scene);
  tcase_add_test(tests, no_motion_depends_on_it);
  tcase_add_loop_test(tests, wrong_scenes, 0, RH_COUNT(wrong));
  tcase_add_test(tests, from_a_file);
  tcase_add_test(tests, materials_of_obj);
  tcase_add_test(tests, from_urdf);
  tcase_add_test(tests, from_sdf);
  tcase_add_test(tests, from_mjcf);
  tcase_add_test(tests, asked_for_by_the_page);
  tcase_add_test(tests, budget);
  tcase_add_test(tests, paths_of_tendons);
  tcase_add_test(tests, devices_of_the_page);
  suite_add_tcase(suite, tests);
  return suite;
}
