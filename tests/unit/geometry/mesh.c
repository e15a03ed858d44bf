// unit_mesh.c: STL and OBJ: one tetrahedron in every dress, messages with their places, and files that were cut, spoilt
// byte by byte or made to lie.
#include "scene_io/mesh.h"

#include "geometry/hull/hull.h"
#include "memory.h"
#include "world.h"

#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const double corner[4][3] = {{0, 0, 0}, {1.5, 0, 0}, {0, -2.5, 0}, {0, 0, 0.125}};
static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};

// ---- The tetrahedron as files

static size_t put_float(unsigned char *at, double value)
{
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  for (int k = 0; k < 4; k++) {
    at[k] = (unsigned char)(bits >> (8 * k));
  }
  return 4;
}

#define BINARY_SIZE (84 + 4 * 50)

static void binary_stl(unsigned char bytes[BINARY_SIZE], const char *head)
{
  memset(bytes, 0, BINARY_SIZE);
  for (size_t i = 0; head[i] != '\0'; i++) {
    bytes[i] = (unsigned char)head[i];
  }
  bytes[80] = 4;
  unsigned char *at = bytes + 84;
  for (int i = 0; i < 4; i++) {
    at += 12; // the normal
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) {
        at += put_float(at, corner[face[i][k]][c]);
      }
    }
    at += 2;
  }
}

static char *text_stl(void)
{
  static char text[4096];
  int n = snprintf(text, sizeof text, "solid tetra of a test\r\n");
  for (int i = 0; i < 4; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, "  FACET normal 0 0 -0.0\n    outer loop\n");
    for (int k = 0; k < 3; k++) {
      const double *x = corner[face[i][k]];
      n += snprintf(text + n, sizeof text - (size_t)n, "      vertex %.3f %+.4e\t%g\n", x[0], x[1],
                    x[2]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "    endloop\n  endfacet\n");
  }
  (void)snprintf(text + n, sizeof text - (size_t)n, "endsolid tetra\n");
  return text;
}

static const char text_obj[] = "# a tetrahedron\nmtllib a.mtl\no tetra\n"
                               "v 0 0 0\nv 1.5 0 0 1.0\nv 0 -2.5 0 0.5 0.5 0.5\n"
                               "v 0 0 \\\n  125e-3 # split\nvn 0 0 1\nvt 0 0\n"
                               "f 1 2 3\nf 1/1 4/1 2/1\r\nf -3//1 -1//1 -2//1\nf 3/1/1 4/1/1 1/1/1";

// ---- Reading

static rh_status parse(const void *bytes, size_t size, const char *name, rh_diag *diag,
                       rh_mesh *mesh)
{
  char *exact = malloc(size > 0 ? size : 1); // the sanitizer sees a reader that runs over the end
  ck_assert_ptr_nonnull(exact);
  memcpy(exact, bytes, size);
  rh_status status = rh_mesh_parse(exact, size, name, diag, mesh);
  free(exact);
  return status;
}

static void check_tetrahedron(const rh_mesh *mesh)
{
  ck_assert_int_eq(mesh->nvert, 4);
  ck_assert_int_eq(mesh->ntri, 4);
  int right = 0;
  for (int i = 0; i < 12; i++) { // all numbers are exact in binary
    rh_vec3 got = mesh->vert[mesh->tri[i / 3][i % 3]];
    const double *want = corner[face[i / 3][i % 3]];
    right += got.x == want[0] && got.y == want[1] && got.z == want[2];
  }
  ck_assert_int_eq(right, 12);
}

static void check_read(const void *bytes, size_t size, const char *name)
{
  rh_mesh mesh;
  rh_diag *diag = rh_diag_create();
  rh_status status = parse(bytes, size, name, diag, &mesh);
  ck_assert_msg(status == RH_OK, "%s: %s", name, rh_diag_get(diag, 0).text);
  check_tetrahedron(&mesh);
  rh_mesh_free(&mesh);
  rh_diag_destroy(diag);
}

START_TEST(every_dress)
{
  unsigned char binary[BINARY_SIZE];
  binary_stl(binary, "made by a test");
  check_read(binary, sizeof binary, "a.stl");
  binary_stl(binary, "solid, they say, but binary"); // as some programs write it
  check_read(binary, sizeof binary, "b/A.STL");
  check_read(text_stl(), strlen(text_stl()), "c.stl");
  check_read(text_obj, strlen(text_obj), "d.obj");
}

END_TEST

START_TEST(faces_and_points)
{
  static const char quads[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\nf 1 2 3 4 5";
  static const int want[5][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
  rh_mesh mesh;
  ck_assert_int_eq(parse(quads, strlen(quads), "q.obj", NULL, &mesh), RH_OK);
  ck_assert_int_eq(mesh.nvert, 5);
  ck_assert_int_eq(mesh.ntri, 5);
  ck_assert(memcmp(mesh.tri, want, sizeof want) == 0);
  ck_assert(!mesh.single);
  rh_mesh_free(&mesh);
  static const char cloud[] = "v 0 0 0\n\n\n   v 1 0 0\nv 1 1 0";
  ck_assert_int_eq(parse(cloud, strlen(cloud), "q.obj", NULL, &mesh), RH_OK);
  ck_assert_int_eq(mesh.nvert, 3);
  ck_assert_int_eq(mesh.ntri, 0);
  rh_mesh_free(&mesh);
  static const char twice[] =
      "solid a\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop "
      "endfacet\nendsolid a\nsolid\nfacet normal 0 0 0 outer loop vertex 0 0 -0 vertex 1 0 0 "
      "vertex 0 0 1 endloop endfacet endsolid";
  ck_assert_int_eq(parse(twice, strlen(twice), "q.stl", NULL, &mesh), RH_OK);
  ck_assert_int_eq(mesh.nvert, 4); // -0 is 0
  ck_assert_int_eq(mesh.ntri, 2);
  rh_mesh_free(&mesh);
}

END_TEST

// From the file to the hull: a sixth of the product of the three edges.
START_TEST(mesh_to_hull)
{
  unsigned char binary[BINARY_SIZE];
  rh_mesh mesh;
  rh_hull *h = NULL;
  binary_stl(binary, "");
  ck_assert_int_eq(parse(binary, sizeof binary, "a.stl", NULL, &mesh), RH_OK);
  ck_assert(mesh.single);
  ck_assert_int_eq(rh_hull_create(mesh.vert, mesh.nvert, RH_HULL_TOLERANCE_FLOAT, &h, NULL), RH_OK);
  near_rel(h->volume, 1.5 * 2.5 * 0.125 / 6, 1e-14); // a few roundings
  rh_free(h);
  rh_mesh_free(&mesh);
}

END_TEST

// ---- Refusals and their places

typedef struct wrong {
  const char *name, *text;
  int line, column; // of the first message
  const char *says;
} wrong;

static const wrong wrongs[] = {
    {"a.obj", "", 1, 1, "at least one vertex"},
    {"a.obj", "v 1 2\nv 1 2 3", 1, 6, "expected a number, got the end of the line"},
    {"a.obj", "v 1 2", 1, 6, "got the end of the file"},
    {"a.obj", "v 1 2 x3\n", 1, 7, "expected a number, got 'x3'"},
    {"a.obj", "v 1 2 nan\n", 1, 7, "expected a number"},
    {"a.obj", "v 1 inf 2\n", 1, 5, "expected a number"},
    {"a.obj", "v 1 0x10 2\n", 1, 5, "expected a number"},
    {"a.obj", "v 1 1,5 2\n", 1, 5, "expected a number"},
    {"a.obj", "v 1 1e400 2\n", 1, 5, "at most 1e9"},
    {"a.obj", "v 1 2 3 4 5 6 7 8 9\n", 1, 19, "end of the line"},
    {"a.obj", "v 0 0 0\nf 1 1 2\n", 2, 7, "one of the 1 vertices"},
    {"a.obj", "v 0 0 0\nf 1 0 1\n", 2, 5, "one of the 1 vertices"},
    {"a.obj", "v 0 0 0\nf 1 1 -2\n", 2, 7, "one of the 1 vertices"},
    {"a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", 2, 7, "expected a corner"},
    {"a.obj", "v 0 0 0\nf 1 1 1/2/3/4\n", 2, 7, "expected a corner"},
    {"a.obj", "v 0 0 0\nf 1 1 1x\n", 2, 7, "expected a corner"},
    {"a.obj", "v 0 0 0\nf 1 1\n", 2, 6, "three corners"},
    {"a.obj", "v 0 0 0\n\n  solid\n", 3, 3, "line of an OBJ file"},
    {"a.stl", "", 0, 0, "is no STL file"},
    {"a.stl", "hello", 0, 0, "is no STL file"},
    {"a.stl", "solid\n", 2, 1, "expected 'facet' or 'endsolid', got the end of the file"},
    {"a.stl", "solid x\nendsolid x\n", 3, 1, "at least one 'facet'"},
    {"a.stl", "solid x\n facet normal 0 0 nan\n", 2, 19, "expected a number, got 'nan'"},
    {"a.stl", "solid x\n facet norm 0 0 1\n", 2, 8, "expected 'normal', got 'norm'"},
    {"a.stl", "solid x\nfacet normal 0 0 1 outer loop\nvertex 1 2 inf\n", 3, 12, "a number"},
    {"a.stl", "solid x\nfacet normal 0 0 1 outer loop\nvertex 1 2 1e10\n", 3, 12, "at most 1e9"},
    {"a.ply", "ply", 0, 0, ".stl, .obj or .msh"},
    {"a", "v 0 0 0", 0, 0, ".stl, .obj or .msh"},
    {"a.msh", "v 0 0 0", 0, 0, "too short"},
};

START_TEST(places)
{
  for (int i = 0; i < RH_COUNT(wrongs); i++) {
    const wrong *w = &wrongs[i];
    rh_diag *diag = rh_diag_create();
    rh_mesh mesh;
    ck_assert_int_eq(parse(w->text, strlen(w->text), w->name, diag, &mesh), RH_INPUT_REFUSED);
    ck_assert(mesh.vert == NULL && mesh.tri == NULL && mesh.nvert == 0);
    ck_assert_int_gt(rh_diag_count(diag, RH_ERROR), 0);
    rh_message m = rh_diag_get(diag, 0);
    ck_assert_str_eq(m.place.file, w->name);
    ck_assert_msg(m.place.line == w->line && m.place.column == w->column, "%d: %d:%d %s", i,
                  m.place.line, m.place.column, m.text);
    ck_assert_msg(strstr(m.text, w->says) != NULL, "%d: %s", i, m.text);
    rh_diag_destroy(diag);
  }
}

END_TEST

// All errors of an OBJ file at once, but not a thousand of them.
START_TEST(all_at_once)
{
  static const char three[] = "v 1 2\nv 1 2 3\nw\nf 1 1 7\n";
  rh_diag *diag = rh_diag_create();
  rh_mesh mesh;
  ck_assert_int_eq(parse(three, strlen(three), "a.obj", diag, &mesh), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 3);
  ck_assert_int_eq(rh_diag_get(diag, 2).place.line, 4);
  rh_diag_clear(diag);
  char *junk = malloc(20000);
  ck_assert_ptr_nonnull(junk);
  for (int i = 0; i < 10000; i++) {
    junk[2 * i] = 'x';
    junk[2 * i + 1] = '\n';
  }
  ck_assert_int_eq(parse(junk, 20000, "a.obj", diag, &mesh), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 20);
  free(junk);
  rh_diag_destroy(diag);
}

END_TEST

static void check_binary(const unsigned char *bytes, size_t size, const char *says)
{
  rh_diag *diag = rh_diag_create();
  rh_mesh mesh;
  ck_assert_int_ne(parse(bytes, size, "a.stl", diag, &mesh), RH_OK);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  rh_message m = rh_diag_get(diag, 0);
  ck_assert_int_eq(m.place.line, 0);
  ck_assert_msg(strstr(m.text, says) != NULL, "%s", m.text);
  rh_diag_destroy(diag);
}

START_TEST(binary_lies)
{
  unsigned char b[BINARY_SIZE + 1];
  binary_stl(b, "");
  check_binary(b, BINARY_SIZE - 1, "must have 284 bytes, got 283");
  check_binary(b, BINARY_SIZE + 1, "must have 284 bytes, got 285");
  put_float(b + 84 + 50 + 12 + 12 + 4, (double)NAN); // second triangle, second corner, y
  check_binary(b, BINARY_SIZE, "at byte 162");
  binary_stl(b, "");
  put_float(b + 84, (double)INFINITY); // a normal
  check_binary(b, BINARY_SIZE, "at byte 84");
  binary_stl(b, "");
  memset(b + 80, 0xff, 4); // four thousand million triangles in 284 bytes
  memory_watch(0);
  rh_mesh mesh;
  ck_assert_int_eq(rh_mesh_parse((char *)b, BINARY_SIZE, "a.stl", NULL, &mesh), RH_INPUT_REFUSED);
  ck_assert_int_eq(the_memory.calls, 0); // nothing is taken on the word of a file
  rh_hook_set_allocator(NULL);
  check_binary(b, BINARY_SIZE, "announces 4294967295 triangles");
  memset(b, 0, 84);
  check_binary(b, 84, "at least one triangle");
}

END_TEST

// What can be read is a mesh; what cannot is refused with a message.
static void check_survives(const void *bytes, size_t size, const char *name)
{
  rh_diag *diag = rh_diag_create();
  rh_mesh mesh;
  rh_status status = parse(bytes, size, name, diag, &mesh);
  if (status == RH_OK) {
    bool good = mesh.nvert > 0;
    for (int i = 0; i < mesh.nvert; i++) {
      good = good && fabs(mesh.vert[i].x) <= 1e9 && fabs(mesh.vert[i].y) <= 1e9 &&
             fabs(mesh.vert[i].z) <= 1e9;
    }
    for (int i = 0; i < 3 * mesh.ntri; i++) {
      good = good && mesh.tri[i / 3][i % 3] >= 0 && mesh.tri[i / 3][i % 3] < mesh.nvert;
    }
    if (!good) {
      ck_abort_msg("%s: a damaged mesh came through", name);
    }
  } else if (rh_diag_count(diag, RH_ERROR) == 0) {
    ck_abort_msg("%s: refused without a message", name);
  }
  rh_mesh_free(&mesh);
  rh_diag_destroy(diag);
}

static void damage(const void *bytes, size_t size, const char *name)
{
  unsigned char *copy = malloc(size);
  ck_assert_ptr_nonnull(copy);
  for (size_t cut = 0; cut < size; cut++) {
    check_survives(bytes, cut, name);
  }
  static const unsigned char bad[] = {0, 0xff, ' ', '\n', '-', '9', '\\', '/', 'e', 0x80};
  for (size_t at = 0; at < size; at++) {
    for (int k = 0; k < RH_COUNT(bad); k++) {
      memcpy(copy, bytes, size);
      copy[at] = bad[k];
      check_survives(copy, size, name);
    }
  }
  free(copy);
}

START_TEST(damaged)
{
  unsigned char binary[BINARY_SIZE];
  binary_stl(binary, "solid");
  damage(binary, sizeof binary, "a.stl");
  damage(text_stl(), strlen(text_stl()), "a.stl");
  damage(text_obj, strlen(text_obj), "a.obj");
}

END_TEST

START_TEST(out_of_memory)
{
  unsigned char binary[BINARY_SIZE];
  binary_stl(binary, "");

  const struct {
    const char *name;
    const void *bytes;
    size_t size;
  } file[] = {{"a.stl", binary, sizeof binary},
              {"b.stl", text_stl(), strlen(text_stl())},
              {"c.obj", text_obj, strlen(text_obj)}};

  for (int i = 0; i < RH_COUNT(file); i++) {
    rh_mesh mesh;
    long fail = 1;
    for (;; fail++) {
      memory_watch(fail);
      rh_status status = rh_mesh_parse(file[i].bytes, file[i].size, file[i].name, NULL, &mesh);
      if (status == RH_OK) {
        break;
      }
      ck_assert_int_eq(status, RH_OUT_OF_MEMORY);
      ck_assert_int_eq(the_memory.out, 0);
    }
    ck_assert_int_gt(fail, 2);
    rh_mesh_free(&mesh);
    ck_assert_int_eq(the_memory.out, 0);
  }
  rh_hook_set_allocator(NULL);
}

END_TEST

START_TEST(files_and_locale)
{
  (void)setlocale(LC_ALL, "de_DE.UTF-8"); // a comma as decimal sign, where this locale is installed
  char path[] = "/tmp/routh-mesh-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(path));
  char name[64];
  (void)snprintf(name, sizeof name, "%s/t.obj", path);
  rh_diag *diag = rh_diag_create();
  rh_mesh mesh;
  ck_assert_int_eq(rh_mesh_read(name, diag, &mesh), RH_INPUT_REFUSED); // not there
  ck_assert_int_eq(rh_mesh_read(path, diag, &mesh), RH_INPUT_REFUSED); // a folder
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 2);
  FILE *file = fopen(name, "wb");
  ck_assert_ptr_nonnull(file);
  (void)fputs(text_obj, file);
  ck_assert_int_eq(fclose(file), 0);
  ck_assert_int_eq(rh_mesh_read(name, diag, &mesh), RH_OK);
  check_tetrahedron(&mesh);
  rh_mesh_free(&mesh);
  file = fopen(name, "wb");
  ck_assert_ptr_nonnull(file);
  (void)fputs("v 0 0 0\nv 0 zero 0\n", file);
  ck_assert_int_eq(fclose(file), 0);
  rh_diag_clear(diag);
  ck_assert_int_eq(rh_mesh_read(name, diag, &mesh), RH_INPUT_REFUSED);
  char line[512];
  rh_message m = rh_diag_get(diag, 0);
  (void)rh_message_format(&m, line, sizeof line);
  ck_assert_msg(strstr(line, "t.obj:2:5: error: expected a number, got 'zero'") != NULL, "%s",
                line);
  rh_diag_destroy(diag);
  (void)unlink(name);
  (void)rmdir(path);
}

END_TEST

Suite *rh_suite_unit_mesh(void)
{
  Suite *suite = suite_create("unit_mesh");
  TCase *tcase = tcase_create("mesh");
  tcase_add_test(tcase, every_dress);
  tcase_add_test(tcase, faces_and_points);
  tcase_add_test(tcase, mesh_to_hull);
  tcase_add_test(tcase, places);
  tcase_add_test(tcase, all_at_once);
  tcase_add_test(tcase, binary_lies);
  tcase_add_test(tcase, damaged);
  tcase_add_test(tcase, out_of_memory);
  tcase_add_test(tcase, files_and_locale);
  suite_add_tcase(suite, tcase);
  return suite;
}
