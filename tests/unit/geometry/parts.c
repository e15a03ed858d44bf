// unit_parts.c: closed surfaces divided into convex parts: prisms that are cut exactly, a ring and a
// socket to a given depth, volumes that add up, the same bits again, and surfaces that are refused.
#include "rigid.h"

#include "geometry/hull/hull.h"
#include "geometry/parts/convex_parts.h"
#include "geometry/parts/solid_cut.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTS = 2000, TRIS = 4000 };

typedef struct body {
  double vert[3 * VERTS], face[3 * TRIS];
  int nvert, ntri;
} body;

static int add_vertex(body *b, double x, double y, double z)
{
  double *to = b->vert + 3 * b->nvert;
  to[0] = x;
  to[1] = y;
  to[2] = z;
  return b->nvert++;
}

static void add_face(body *b, int i, int j, int k)
{
  double *to = b->face + 3 * b->ntri++;
  to[0] = i;
  to[1] = j;
  to[2] = k;
}

static void add_quad(body *b, int i, int j, int k, int l)
{
  add_face(b, i, j, k);
  add_face(b, i, k, l);
}

static rh_surface surface_of(const body *b)
{
  return (rh_surface){b->vert, b->nvert, b->face, b->ntri};
}

// A prism of height h over an outline in triangles (its faces as numbers of the outline)
static void make_prism(body *b, const double (*p)[2], int n, const int (*tri)[3], int ntri,
                       double h)
{
  b->nvert = b->ntri = 0;
  for (int i = 0; i < 2 * n; i++) {
    (void)add_vertex(b, p[i % n][0], p[i % n][1], i < n ? 0 : h);
  }
  for (int i = 0; i < n; i++) {
    add_quad(b, i, (i + 1) % n, n + (i + 1) % n, n + i);
  }
  for (int i = 0; i < ntri; i++) {
    add_face(b, tri[i][0], tri[i][2], tri[i][1]);
    add_face(b, n + tri[i][0], n + tri[i][1], n + tri[i][2]);
  }
}

static double hull_volume(const rh_part *p)
{
  rh_vec3 *point = malloc((size_t)p->nvert * sizeof *point);
  rh_hull *hull = NULL;
  for (int i = 0; i < p->nvert; i++) {
    point[i] = rh_v3(p->vert[3 * i], p->vert[3 * i + 1], p->vert[3 * i + 2]);
  }
  ck_assert_int_eq(rh_hull_create(point, p->nvert, 1e-9, &hull, NULL), RH_OK);
  double volume = hull->volume;
  rh_free(hull);
  free(point);
  return volume;
}

typedef struct sums {
  int n;
  double solid, hulls, depth;
} sums;

static sums divide_body(const body *b, int most, double concavity)
{
  char why[RH_PARTS_WHY];
  rh_parts parts;
  rh_surface s = surface_of(b);
  rh_status status = rh_parts_make(&s, most, concavity, &parts, why);
  ck_assert_msg(status == RH_OK, "%s", why);
  sums x = {.n = parts.n, .depth = parts.depth};
  for (int i = 0; i < parts.n; i++) {
    double hull = hull_volume(&parts.part[i]);
    ck_assert(hull > parts.part[i].volume * (1 - 1e-6));
    x.solid += parts.part[i].volume;
    x.hulls += hull;
  }
  near_rel(x.solid, parts.volume, 1e-9); // cuts lose nothing but points within SLACK of a plane
  rh_parts_free(&parts);
  return x;
}

// L, U and +: two, three and three boxes (a bar and two arms), no more volume than the body has
START_TEST(prisms)
{
  static body b;
  const double L[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  const int l[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  make_prism(&b, L, 6, l, 4, 0.5);
  sums x = divide_body(&b, 16, 0.01);
  ck_assert_int_eq(x.n, 2);
  near_rel(x.hulls, 2, 1e-9);
  const double U[8][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  const int u[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
  make_prism(&b, U, 8, u, 6, 0.5);
  x = divide_body(&b, 16, 0.01);
  ck_assert_int_eq(x.n, 3);
  near_rel(x.hulls, 2.5, 1e-9);
  x = divide_body(&b, 2, 0.01); // fewer than it needs: what is filled is told
  ck_assert_int_eq(x.n, 2);
  ck_assert(x.hulls > 2.5 && x.depth > 0.1);
  sums again = divide_body(&b, 2, 0.01);
  ck_assert_int_eq(memcmp(&x, &again, sizeof x), 0); // the same bits
  x = divide_body(&b, 16, 1);                        // any hollow is allowed: its hull
  ck_assert_int_eq(x.n, 1);
  near_rel(x.hulls, 3, 1e-9);
}

END_TEST

// A ring of m sections of k corners
static void make_ring(body *b, int m, int k, double R, double r)
{
  const double turn = 2 * acos(-1);
  b->nvert = b->ntri = 0;
  for (int i = 0; i < m * k; i++) {
    double u = turn * (i / k) / m;
    double v = turn * (i % k) / k;
    (void)add_vertex(b, (R + r * cos(v)) * cos(u), (R + r * cos(v)) * sin(u), r * sin(v));
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < k; j++) {
      int next = (i + 1) % m;
      add_quad(b, i * k + j, next * k + j, next * k + (j + 1) % k, i * k + (j + 1) % k);
    }
  }
}

START_TEST(ring)
{
  static body b;
  make_ring(&b, 12, 6, 1, 0.3);
  sums x = divide_body(&b, 32, 0.02);
  (void)printf("ring: %d parts, hulls %.4g of its volume, hollows up to %.3g\n", x.n,
               x.hulls / x.solid, x.depth);
  ck_assert(x.depth <= 0.02 * 2.6 * (1 + 1e-9));
  ck_assert_int_lt(x.n, 32);
  ck_assert(x.hulls < 1.05 * x.solid);
}

END_TEST

// A plane through solids in any direction: two parts with the volume of the whole. A ring has holes in
// its sections.
START_TEST(cuts)
{
  static body b;
  rng r = {11};
  make_ring(&b, 12, 6, 1, 0.3);
  rh_soup soup = {0};
  for (int i = 0; i < b.ntri; i++) {
    rh_vec3 p[3];
    for (int k = 0; k < 3; k++) {
      const double *x = b.vert + 3 * (int)b.face[3 * i + k];
      p[k] = rh_v3(x[0], x[1], x[2]);
    }
    ck_assert(rh_soup_add(&soup, p[0], p[1], p[2]));
  }
  double whole = rh_soup_volume(&soup);
  for (int trial = 0; trial < 100; trial++) {
    rh_vec3 n = rh_v3(rng_in(&r, -1, 1), rng_in(&r, -1, 1), rng_in(&r, -1, 1));
    n = trial == 0 ? rh_v3(0, 0, 1) : trial == 1 ? rh_v3(1, 0, 0) : rh_scale(1 / rh_norm(n), n);
    rh_cut_plane plane = {n, trial < 2 ? 0 : rng_in(&r, -0.5, 0.5)};
    rh_soup side[2];
    ck_assert_int_eq(rh_soup_cut(&soup, plane, 1e-9, &side[0], &side[1]), RH_OK);
    // the sum is right whatever the section is; moved along the plane's normal it is not closed
    // unless the section is right
    double sum = rh_soup_volume(&side[0]) + rh_soup_volume(&side[1]);
    near_rel(sum, whole, 1e-9);
    for (int k = 0; k < 2; k++) {
      double before = rh_soup_volume(&side[k]);
      rh_vec3 far = rh_v3(3, -7, 5);
      for (int i = 0; i < 3 * side[k].n; i++) {
        side[k].tri[i / 3][i % 3] = rh_add(side[k].tri[i / 3][i % 3], far);
      }
      if (side[k].n > 0) { // about another point
        ck_assert(rh_soup_add(&side[k], rh_v3(0, 0, 0), rh_v3(0, 0, 0), rh_v3(0, 0, 0)));
        rh_vec3 *first = side[k].tri[0];
        rh_vec3 *last = side[k].tri[side[k].n - 1];
        for (int i = 0; i < 3; i++) {
          rh_vec3 swap = first[i];
          first[i] = last[i];
          last[i] = swap;
        }
        near_abs(rh_soup_volume(&side[k]), before, 1e-8);
      }
      rh_soup_free(&side[k]);
    }
  }
  rh_soup_free(&soup);
}

END_TEST

START_TEST(refused)
{
  static body b;
  char why[RH_PARTS_WHY];
  rh_parts parts;
  make_ring(&b, 8, 6, 1, 0.3);
  rh_surface s = surface_of(&b);
  s.ntri--; // a hole
  ck_assert_int_eq(rh_parts_make(&s, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  ck_assert_msg(strstr(why, "no closed surface") != NULL, "%s", why);
  s.ntri++;
  for (int i = 0; i < b.ntri; i++) {
    double swap = b.face[3 * i];
    b.face[3 * i] = b.face[3 * i + 1];
    b.face[3 * i + 1] = swap;
  }
  ck_assert_int_eq(rh_parts_make(&s, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  ck_assert_msg(strstr(why, "inside out") != NULL, "%s", why);
  b.face[5] = b.nvert;
  ck_assert_int_eq(rh_parts_make(&s, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  b.face[5] = 0.5;
  ck_assert_int_eq(rh_parts_make(&s, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  b.face[5] = NAN;
  ck_assert_int_eq(rh_parts_make(&s, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  // two triangles, back to back: closed, without volume
  const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const double faces[] = {0, 1, 2, 1, 3, 2, 0, 2, 1, 1, 2, 3};
  rh_surface sheet = {flat, 4, faces, 4};
  ck_assert_int_eq(rh_parts_make(&sheet, 8, 0.01, &parts, why), RH_INPUT_REFUSED);
  ck_assert_msg(strstr(why, "no volume") != NULL, "%s", why);
}

END_TEST

// The scene of a ball in a socket from one mesh: parts with the volume of the solid, and a ball that
// comes to rest on the floor between walls, where it would between planes.
START_TEST(socket_scene)
{
  static const char *const set[] = {
      "run.engine=stepping", "run.dt=0.001",      "run.until=0.5",
      "record.every=0.1",    "socket.law=newton", "ball.q=[0.00015, 0.00005, 0.0001, 1, 0, 0, 0]",
      "socket.friction=none"};
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = rh_scene_load(ROUTH_SOURCE_DIR "/scenes/haptic-socket-mesh.yaml", set,
                                   RH_COUNT(set), diag, &scene);
  ck_assert_int_eq(status, RH_OK);
  for (int i = 0; i < rh_diag_kept(diag); i++) { // no hollow is filled
    ck_assert(strstr(rh_diag_get(diag, i).text, "hollow") == NULL);
  }
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  const double R = 0.02;
  const double t = tan(acos(-1) / 8);
  double base = 8 * t * R * R * R; // of an octagon with apothem R, height R
  double volume = base * (2.25 * 1.7 - (0.3 + t) - (1 - t) / 3 * (1 + t + t * t));
  double sum = 0;
  for (int i = 0; i < model->meshes.n; i++) {
    sum += ((const rh_hull *)model->meshes.of[i])->volume;
  }
  (void)printf("socket: %d parts\n", model->meshes.n);
  near_rel(sum, volume,
           1e-6); // 12 digits of the vertices; parts that are convex to 1e-7 of the size
  tell(model);
  ck_assert_int_eq(told.status, RH_OK);
  near_abs(told.q[2], -0.0002, 1e-5); // 10 um: the overlap that position correction leaves
  ck_assert(hypot(told.q[0], told.q[1]) < 0.0003);
  rh_model_destroy(model);
}

END_TEST

static void refused_scene(const char *mesh, const char *words)
{
  char text[2000];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  (void)snprintf(
      text, sizeof text,
      "bodies: [{name: b, mass: 1}]\njoints: [{kind: free, child: b}]\nmeshes: [{name: m, "
      "%s}]\nshapes: [{name: s, body: b, kind: hull, mesh: m}]\ncontacts: [{name: c, body: "
      "b, against: world, shape: s, law: newton}]\n",
      mesh);
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene),
                   RH_INPUT_REFUSED);
  bool found = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    found = found || strstr(rh_diag_get(diag, i).text, words) != NULL;
  }
  ck_assert_msg(found, "%s: %s", words, rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "");
  rh_diag_destroy(diag);
}

#define TETRAHEDRON "vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
#define NOTCHED                                                                                    \
  "vertices: [[0, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 2, 0], [0, 2, 0], [0, 0, 1], [2, "   \
  "0, "                                                                                            \
  "1], [2, 1, 1], [1, 1, 1], [1, 2, 1], [0, 2, 1]], faces: [[0, 1, 7], [0, 7, 6], [1, 2, 8], [1, " \
  "8, 7], [2, 3, 9], [2, 9, 8], [3, 4, 10], [3, 10, 9], [4, 5, 11], [4, 11, 10], [5, 0, 6], [5, "  \
  "6, 11], [0, 2, 1], [0, 3, 2], [0, 5, 3], [3, 5, 4], [6, 7, 8], [6, 8, 9], [6, 9, 11], [9, 10, " \
  "11]]"

START_TEST(refused_scenes)
{
  refused_scene(TETRAHEDRON ", parts: 4", "needs triangles");
  refused_scene(TETRAHEDRON ", parts: 4, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2]]", "must be 4 to");
  refused_scene(TETRAHEDRON ", parts: 4, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [0, 2, 1]]",
                "no closed surface");
  refused_scene(TETRAHEDRON ", parts: 4, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 7]]",
                "numbers of vertices");
  refused_scene(TETRAHEDRON ", parts: 65, faces: [[0, 2, 1]]", "parts");
  refused_scene(TETRAHEDRON ", parts: 4, concavity: 0, faces: [[0, 2, 1]]", "concavity");
  refused_scene(NOTCHED ", parts: 4", "names a shape that is divided into parts");
}

END_TEST

Suite *rh_suite_unit_parts(void)
{
  Suite *suite = suite_create("unit_parts");
  TCase *tests = tcase_create("parts");
  tcase_add_test(tests, prisms);
  tcase_add_test(tests, ring);
  tcase_add_test(tests, cuts);
  tcase_add_test(tests, refused);
  tcase_add_test(tests, socket_scene);
  tcase_add_test(tests, refused_scenes);
  suite_add_tcase(suite, tests);
  return suite;
}
