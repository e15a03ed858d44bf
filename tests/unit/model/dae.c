// unit_dae.c: COLLADA files as surfaces: areas and volumes of what nodes place against closed forms, colours, all sorts of
// primitives, what is refused and where, damaged files.
#include "test.h"

#include "scene_io/visual/dae.h"

#include <routh/routh.h>
#include <stdlib.h>
#include <string.h>

#define DAE(inside) "<?xml version='1.0'?>\n<COLLADA version='1.4.1'>\n" inside "</COLLADA>\n"
#define COLOR(name, rgba)                                                                          \
  "<effect id='" name "-fx'><profile_COMMON><technique><phong><diffuse><color>" rgba               \
  "</color></diffuse></phong></technique></profile_COMMON></effect>"
#define MATERIAL(name) "<material id='" name "'><instance_effect url='#" name "-fx'/></material>"
#define SOURCE                                                                                     \
  "<source id='pos'><float_array id='arr' count='24'>0 0 0 1 0 0 1 2 0 0 2 0 0 0 3 1 0 3 1 2 3 0 " \
  "2 3</float_array><technique_common><accessor source='#arr' count='8' stride='3'/>"              \
  "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#pos'/>"        \
  "</vertices>"
#define VERTEX "<input semantic='VERTEX' source='#v' offset='0'/>"
#define TWO    VERTEX "<input semantic='NORMAL' source='#n' offset='1'/>"
#define BOX                                                                                        \
  "<polylist material='m' count='6'>" VERTEX                                                       \
  "<vcount>4 4 4 4 4 4</vcount><p>0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7</p></polylist>"
#define GEOMETRY(inside)                                                                           \
  "<library_geometries><geometry id='g'><mesh>" SOURCE inside                                      \
  "</mesh></geometry></library_geometries>\n"
#define SCENE(inside)                                                                              \
  "<library_visual_scenes><visual_scene id='s'>\n" inside                                          \
  "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>\n"
#define PLACE "<instance_geometry url='#g'/>"

static rh_diag *diag;

static void open_diag(void)
{
  diag = rh_diag_create();
}

static void close_diag(void)
{
  rh_diag_destroy(diag);
}

static rh_look *accept_text(const char *text)
{
  rh_look *look = NULL;
  rh_status status = rh_dae_parse(text, strlen(text), "m.dae", diag, &look);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  return look;
}

static rh_vec3 vertex_at(const rh_look *look, int i)
{
  return rh_v3(look->vert[3 * i], look->vert[3 * i + 1], look->vert[3 * i + 2]);
}

// Of a closed surface, by the divergence theorem; its centre goes to `centre`.
static double volume_of(const rh_look *look, rh_vec3 *centre)
{
  double volume = 0;
  *centre = rh_v3(0, 0, 0);
  for (int i = 0; i < look->ntri; i++) {
    rh_vec3 a = vertex_at(look, look->tri[i][0]);
    rh_vec3 b = vertex_at(look, look->tri[i][1]);
    rh_vec3 c = vertex_at(look, look->tri[i][2]);
    double six = rh_dot(a, rh_cross(b, c));
    volume += six / 6;
    *centre = rh_addscaled(*centre, six / 24, rh_add(a, rh_add(b, c)));
  }
  *centre = rh_scale(1 / volume, *centre);
  return volume;
}

static void check_box(const char *text, double volume, rh_vec3 centre)
{
  rh_vec3 at;
  rh_look *look = accept_text(text);
  double found = volume_of(look, &at);
  ck_assert_msg(fabs(found - volume) < 1e-12 * volume, "volume %.17g, not %.17g", found, volume);
  ck_assert_msg(rh_norm(rh_sub(at, centre)) < 1e-12, "centre %.17g %.17g %.17g", at.x, at.y, at.z);
  rh_free(look);
}

// A box of 1 x 2 x 3 as nodes place it: its volume changes with scales, its centre with everything.
START_TEST(nodes)
{
  check_box(DAE(GEOMETRY(BOX)), 6, rh_v3(0.5, 1, 1.5)); // without a scene
  check_box(DAE(GEOMETRY(BOX) SCENE("<node>" PLACE "</node>")), 6, rh_v3(0.5, 1, 1.5));
  check_box(DAE("<asset><unit meter='0.1'/><up_axis>Y_UP</up_axis></asset>" GEOMETRY(BOX)
                    SCENE("<node>" PLACE "</node>")),
            6e-3, rh_v3(0.05, 0.1, 0.15));
  check_box(DAE(GEOMETRY(BOX) SCENE("<node><translate>1 2 3</translate><rotate>0 0 2 90</rotate>"
                                    "<scale>2 1 1</scale>" PLACE "</node>")),
            12, rh_v3(1 - 1, 2 + 1, 3 + 1.5));
  check_box(DAE(GEOMETRY(BOX) SCENE("<node><matrix>0 -1 0 5 1 0 0 0 0 0 2 0 0 0 0 1</matrix>" PLACE
                                    "</node>")),
            12, rh_v3(5 - 1, 0.5, 3));
  // A mirror: the outside stays outside, so that the volume is above 0
  check_box(DAE(GEOMETRY(BOX) SCENE("<node><scale>-1 1 1</scale>" PLACE "</node>")), 6,
            rh_v3(-0.5, 1, 1.5));
  // Nodes within nodes, and one that stands for another
  check_box(DAE(GEOMETRY(BOX) "<library_nodes><node id='n'><translate>0 0 1</translate>" PLACE
                              "</node></library_nodes>" SCENE(
                                  "<node><translate>1 0 0</translate><node><scale>3 3 3</scale>"
                                  "<instance_node url='#n'/></node></node>")),
            27 * 6, rh_v3(1 + 1.5, 3, 3 * 2.5));
}

END_TEST

// The same bottom of the box as all sorts of primitives.
START_TEST(primitives)
{
  static const struct {
    const char *text;
    int triangles;
  } rows[] = {
      {DAE(GEOMETRY("<triangles count='2'>" VERTEX "<p>0 3 2 0 2 1</p></triangles>")), 2},
      {DAE(GEOMETRY("<triangles count='2'>" TWO "<p>0 9 3 9 2 9 0 9 2 9 1 9</p></triangles>")), 2},
      {DAE(GEOMETRY("<polygons count='1'>" VERTEX "<p>0 3 2 1</p></polygons>")), 2},
      {DAE(GEOMETRY("<trifans count='1'>" VERTEX "<p>0 3 2 1</p></trifans>")), 2},
      {DAE(GEOMETRY("<tristrips count='1'>" VERTEX "<p>0 3 1 2</p></tristrips>")), 2},
      {DAE(GEOMETRY("<lines count='1'>" VERTEX "<p>0 3</p></lines>")), 0},
      {DAE(GEOMETRY("<polylist count='2'>" VERTEX
                    "<vcount>3 3</vcount><p>0 3 2 0 0 2</p></polylist>")),
       1},
  };

  for (int r = 0; r < RH_COUNT(rows); r++) {
    rh_look *look = accept_text(rows[r].text);
    rh_vec3 sum = rh_v3(0, 0, 0);
    ck_assert_int_eq(look->ntri, rows[r].triangles);
    for (int i = 0; i < look->ntri; i++) {
      rh_vec3 a = vertex_at(look, look->tri[i][0]);
      rh_vec3 n = rh_cross(rh_sub(vertex_at(look, look->tri[i][1]), a),
                           rh_sub(vertex_at(look, look->tri[i][2]), a));
      ck_assert_double_lt(n.z, 0); // all look down
      sum = rh_addscaled(sum, 0.5, n);
    }
    ck_assert_double_eq_tol(sum.z, -1.0 * rows[r].triangles, 1e-14);
    rh_free(look);
  }
}

END_TEST

// A material by the symbol that an instance binds, by its own name, without one, with a texture.
START_TEST(colors)
{
  static const char text[] =
      DAE("<library_effects>" COLOR("red", "1 0.2 0 1") COLOR(
          "m",
          "0 0 1 1") "<effect id='pic-fx'><profile_COMMON><technique><lambert><diffuse>"
                     "<texture texture='t'/></diffuse></lambert></technique></profile_COMMON>"
                     "</effect></library_effects><library_materials>" MATERIAL("red") MATERIAL("m")
                         MATERIAL("pic") "</library_materials>" GEOMETRY(
                             "<triangles material='m'>" VERTEX "<p>0 3 2</p></triangles>"
                             "<triangles material='pic'>" VERTEX "<p>0 2 1</p></triangles>"
                             "<triangles>" VERTEX "<p>4 5 6</p></triangles>")
                             SCENE(
                                 "<node><instance_geometry "
                                 "url='#g'><bind_material><technique_common>"
                                 "<instance_material symbol='m' target='#red'/></technique_common>"
                                 "</bind_material></instance_geometry>" PLACE "</node>"));
  rh_look *look = accept_text(text);
  ck_assert_int_eq(look->ntri, 6);
  ck_assert_int_eq(look->npart, 4); // red, none, blue, none
  static const int first[] = {0, 1, 3, 4};
  static const unsigned char want[][4] = {
      {255, 51, 0, 255}, {0, 0, 0, 0}, {0, 0, 255, 255}, {0, 0, 0, 0}};
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(look->part[i].first, first[i]);
    ck_assert(memcmp(look->part[i].rgba, want[i], 4) == 0);
  }
  rh_free(look);
}

END_TEST

// ---- What is refused

static const struct {
  const char *text, *why;
  int line;
} wrong[] = {
    {"<mujoco/>", "begins with <COLLADA>", 1},
    {"<!DOCTYPE x><COLLADA/>", "document type", 1},
    {"<COLLADA><asset></COLLADA>", "not XML", 1},
    {DAE("<asset><unit meter='-1'/></asset>"), "meter of <unit>", 3},
    {DAE(GEOMETRY("<triangles>" VERTEX "<p>0 1 8</p></triangles>")), "from 0 to 7, got 8", 3},
    {DAE(GEOMETRY("<triangles>" VERTEX "<p>0 1 0.5</p></triangles>")), "got 0.5", 3},
    {DAE(GEOMETRY("<triangles>" VERTEX "<p>0 1 x</p></triangles>")), "finite numbers", 3},
    {DAE(GEOMETRY("<triangles>" TWO "<p>0 1 2</p></triangles>")), "2 numbers for each corner", 3},
    {DAE(GEOMETRY("<triangles><p>0 1 2</p></triangles>")), "needs an <input>", 3},
    {DAE(GEOMETRY("<triangles><input semantic='VERTEX' source='#no'/><p>0 1 2</p></triangles>")),
     "have no positions", 3},
    {DAE(GEOMETRY("<polylist>" VERTEX "<vcount>4</vcount><p>0 1 2</p></polylist>")), "<vcount>", 3},
    {DAE(GEOMETRY(BOX) SCENE("<node>\n<instance_geometry url='#h'/></node>")),
     "must name a geometry", 6},
    {DAE(GEOMETRY(BOX) SCENE("<node><matrix>1 2 3</matrix></node>")), "16 numbers, got 3", 5},
    {DAE(SCENE("<node id='a'><instance_node url='#a'/></node>")), "nested too deeply", 4},
    {DAE("<library_nodes><node id='a'><instance_node url='#b'/><instance_node url='#b'/></node>"
         "<node id='b'><instance_node url='#c'/><instance_node url='#c'/></node>"
         "<node id='c'><instance_node url='#a'/></node></library_nodes>" SCENE(
             "<node><instance_node url='#a'/></node>")),
     "nested too deeply", 3},
};

START_TEST(refused)
{
  rh_look *look = NULL;
  const char *text = wrong[_i].text;
  ck_assert_int_eq(rh_dae_parse(text, strlen(text), "m.dae", diag, &look), RH_INPUT_REFUSED);
  ck_assert_ptr_null(look);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  rh_message m = rh_diag_get(diag, 0);
  ck_assert_msg(strstr(m.text, wrong[_i].why) != NULL, "'%s' has no '%s'", m.text, wrong[_i].why);
  ck_assert_int_eq(m.place.line, wrong[_i].line);
}

END_TEST

// Nodes that double at each of thirty levels end at the limit of nodes, not at two to the thirtieth.
START_TEST(doubling)
{
  rh_text text = {0};
  rh_look *look = NULL;
  rh_text_add(&text, "<COLLADA><library_nodes>");
  for (int i = 0; i < 30; i++) {
    rh_text_addf(&text,
                 "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", i,
                 i + 1, i + 1);
  }
  rh_text_add(&text,
              "<node id='n30'/></library_nodes>" SCENE("<node><instance_node url='#n0'/></node>"));
  rh_text_add(&text, "</COLLADA>");
  ck_assert_int_eq(rh_dae_parse(text.data, text.size, "m.dae", diag, &look), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "too many nodes"));
  rh_text_free(&text);
}

END_TEST

// 1000 files: cut, with bytes changed or parts removed. None crashes; what is refused says why, what is not is whole.
START_TEST(damaged)
{
  static const char good[] = DAE("<asset><unit meter='0.1'/></asset><library_effects>" COLOR(
      "m",
      "1 0 0 1") "</library_effects><library_materials>" MATERIAL("m") "</"
                                                                       "library_"
                                                                       "materials>" GEOMETRY(BOX)
                                                                           SCENE("<node><translate>"
                                                                                 "1 2 "
                                                                                 "3</"
                                                                                 "translate><"
                                                                                 "rotate>0 0 1 "
                                                                                 "90</rotate><node>"
                                                                                 "<scale>1 2 "
                                                                                 "1</scale>" PLACE
                                                                                 "</node>" PLACE
                                                                                 "</node>"));
  uint32_t seed = 20261119;
  int taken = 0;
  for (int i = 0; i < 1000; i++) {
    size_t size = sizeof good - 1;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    memcpy(text, good, size);
    seed = seed * 1664525U + 1013904223U;
    size_t at = (seed >> 8) % size;
    size_t cut = 1 + (seed >> 20) % 40;
    if (i % 3 == 0) {
      size = at;
    } else if (i % 3 == 1) {
      text[at] = (char)(text[at] ^ (char)(1 + (seed >> 3) % 31));
    } else if (at + cut < size) {
      memmove(text + at, text + at + cut, size - at - cut);
      size -= cut;
    }
    char *exact = realloc(text, size > 0 ? size : 1);
    rh_look *look = NULL;
    rh_diag_clear(diag);
    rh_status status = rh_dae_parse(exact, size, "m.dae", diag, &look);
    ck_assert_int_eq(status == RH_OK, look != NULL);
    ck_assert_int_eq(status != RH_OK, rh_diag_count(diag, RH_ERROR) > 0);
    for (int k = 0; look && k < 3 * look->ntri; k++) {
      int v = look->tri[k / 3][k % 3];
      ck_assert(v >= 0 && v < look->nvert && isfinite(look->vert[3 * v]));
    }
    taken += status == RH_OK;
    rh_free(look);
    free(exact);
  }
  ck_assert_int_gt(taken, 20); // some damage is to names and numbers alone
  ck_assert_int_lt(taken, 700);
}

END_TEST

Suite *rh_suite_unit_dae(void)
{
  Suite *suite = suite_create("unit_dae");
  TCase *tests = tcase_create("dae");
  tcase_add_checked_fixture(tests, open_diag, close_diag);
  tcase_add_test(tests, nodes);
  tcase_add_test(tests, primitives);
  tcase_add_test(tests, colors);
  tcase_add_loop_test(tests, refused, 0, RH_COUNT(wrong));
  tcase_add_test(tests, doubling);
  tcase_add_test(tests, damaged);
  suite_add_tcase(suite, tests);
  return suite;
}
