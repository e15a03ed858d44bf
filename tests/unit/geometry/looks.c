// unit_looks.c: surfaces that only show: packed and unpacked, damaged, simplified. A sphere of many triangles has
// closed forms: its vertices stay within half a diagonal of a cell of it, its area falls little.
#include "test.h"

#include "geometry/looks/look.h"

#include <routh/routh.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 60, SIDES = 120 };

static const double PI = 3.14159265358979323846;

// A ball of radius r about c: rings of vertices, two triangles for each field; the fields at the poles have one.
static rh_look *make_ball(double r, rh_vec3 c, int rings, int sides)
{
  rh_look *look = rh_look_create((rings + 1) * sides, 2 * (rings - 1) * sides, 2);
  ck_assert_ptr_nonnull(look);
  int n = 0;
  for (int i = 0; i <= rings; i++) {
    for (int j = 0; j < sides; j++) {
      double a = PI * i / rings;
      double b = 2 * PI * j / sides;
      double *x = look->vert + 3 * (i * sides + j);
      x[0] = c.x + r * sin(a) * cos(b);
      x[1] = c.y + r * sin(a) * sin(b);
      x[2] = c.z + r * cos(a);
    }
  }
  for (int i = 0; i < rings; i++) {
    for (int j = 0; j < sides; j++) {
      int k = (j + 1) % sides;
      const int quad[4] = {i * sides + j, (i + 1) * sides + j, (i + 1) * sides + k, i * sides + k};
      if (i < rings - 1) {
        memcpy(look->tri[n++], (const int[3]){quad[0], quad[1], quad[2]}, sizeof(int[3]));
      }
      if (i > 0) {
        memcpy(look->tri[n++], (const int[3]){quad[0], quad[2], quad[3]}, sizeof(int[3]));
      }
    }
  }
  ck_assert_int_eq(n, look->ntri);
  look->part[1] = (rh_look_part){n / 3, {200, 100, 50, 255}};
  rh_look_measure(look);
  return look;
}

static rh_vec3 vertex_at(const rh_look *look, int i)
{
  return rh_v3(look->vert[3 * i], look->vert[3 * i + 1], look->vert[3 * i + 2]);
}

static double area_of(const rh_look *look)
{
  double sum = 0;
  for (int i = 0; i < look->ntri; i++) {
    rh_vec3 a = vertex_at(look, look->tri[i][0]);
    sum += 0.5 * rh_norm(rh_cross(rh_sub(vertex_at(look, look->tri[i][1]), a),
                                  rh_sub(vertex_at(look, look->tri[i][2]), a)));
  }
  return sum;
}

static rh_look *unpack_text(const rh_text *text)
{
  rh_look *look = NULL;
  const char *why = "";
  rh_status status = rh_look_unpack(text->data, text->size, &look, &why);
  ck_assert_msg(status == RH_OK, "%s", why);
  return look;
}

// The places of a ball far and near, large and small, to 1/32768 of its size; the same text when packed again.
START_TEST(packed)
{
  static const double far[] = {0, 1, -3e4, 1e-9};
  static const double radius[] = {1, 1e-3, 400};
  for (int f = 0; f < RH_COUNT(far); f++) {
    for (int s = 0; s < RH_COUNT(radius); s++) {
      double r = radius[s];
      rh_look *ball = make_ball(r, rh_v3(far[f], 0, -far[f]), RINGS, SIDES);
      rh_text text = {0};
      rh_text again = {0};
      ck_assert_int_eq(rh_look_pack(ball, &text), RH_OK);
      rh_look *back = unpack_text(&text);
      ck_assert_int_eq(back->ntri, ball->ntri);
      ck_assert_int_eq(back->nvert, (RINGS - 1) * SIDES + 2); // those of a pole are one
      ck_assert_int_eq(back->npart, 2);
      ck_assert_int_eq(back->part[1].first, ball->part[1].first);
      ck_assert(memcmp(back->part[1].rgba, ball->part[1].rgba, 4) == 0);
      // Half a step of the grid along each axis, and the rounding of numbers far away.
      double bound = 0.5 * sqrt(3) * 2 * r / 32767 + 1e-15 * fabs(far[f]);
      for (int i = 0; i < ball->ntri; i++) {
        for (int k = 0; k < 3; k++) {
          rh_vec3 d = rh_sub(vertex_at(back, back->tri[i][k]), vertex_at(ball, ball->tri[i][k]));
          ck_assert_double_le(rh_norm(d), bound);
        }
      }
      ck_assert_int_eq(rh_look_pack(back, &again), RH_OK);
      ck_assert_uint_eq(again.size, text.size);
      ck_assert(memcmp(again.data, text.data, text.size) == 0);
      // A scene is to stay small: 8 bits in 6, about 3 bytes for a vertex and 4 for a triangle.
      ck_assert_uint_lt(text.size, (size_t)(10 * ball->ntri));
      rh_free(back);
      rh_free(ball);
      rh_text_free(&text);
      rh_text_free(&again);
    }
  }
}

END_TEST

// One triangle, and one whose corners fall together on the grid.
START_TEST(small)
{
  rh_look *look = rh_look_create(4, 2, 1);
  const double vert[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1e-9, 0};
  memcpy(look->vert, vert, sizeof vert);
  memcpy(look->tri[0], (const int[3]){0, 1, 2}, sizeof(int[3]));
  memcpy(look->tri[1], (const int[3]){0, 1, 3}, sizeof(int[3]));
  rh_text text = {0};
  ck_assert_int_eq(rh_look_pack(look, &text), RH_OK);
  rh_look *back = unpack_text(&text);
  ck_assert_int_eq(back->ntri, 1);
  ck_assert_int_eq(back->nvert, 3);
  for (int i = 0; i < 9; i++) {
    ck_assert_double_eq(back->vert[i], vert[i]);
  }
  rh_free(back);
  rh_free(look);
  rh_text_free(&text);
}

END_TEST

// 3000 damaged texts: each is refused with a reason or is a surface whose triangles name its vertices.
START_TEST(damaged)
{
  rh_look *ball = make_ball(1, rh_v3(0, 0, 0), 8, 12);
  rh_text text = {0};
  ck_assert_int_eq(rh_look_pack(ball, &text), RH_OK);
  uint32_t seed = 4711;
  int refused = 0;
  for (int i = 0; i < 3000; i++) {
    size_t size = text.size;
    char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, text.data, size);
    seed = seed * 1664525U + 1013904223U;
    size_t at = (seed >> 8) % size;
    if (i % 2 == 0) {
      bytes[at] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/!"[seed % 65];
    } else {
      size = at;
    }
    char *exact = realloc(bytes, size > 0 ? size : 1); // a reader that runs over the end is seen
    rh_look *look = NULL;
    const char *why = NULL;
    rh_status status = rh_look_unpack(exact, size, &look, &why);
    ck_assert_int_eq(status == RH_OK, look != NULL);
    ck_assert(status == RH_OK || (status == RH_INPUT_REFUSED && why));
    refused += status != RH_OK;
    for (int k = 0; look && k < 3 * look->ntri; k++) {
      int v = look->tri[k / 3][k % 3];
      ck_assert(v >= 0 && v < look->nvert && isfinite(look->vert[3 * v]));
    }
    rh_free(look);
    free(exact);
  }
  ck_assert_int_gt(refused, 1500); // every one that was cut
  rh_free(ball);
  rh_text_free(&text);
}

END_TEST

// A vertex of a level is the mean of vertices in one cell: within a diagonal of a cell of the sphere, and inside of it.
START_TEST(levels)
{
  rh_look *ball = make_ball(1, rh_v3(0.3, -0.2, 5), 2 * RINGS, 2 * SIDES);
  int n = rh_look_levels(ball);
  int before = 2 * ball->ntri;
  double area = area_of(ball);
  ck_assert_int_ge(n, 4);
  for (int level = 0; level < n; level++) {
    rh_look *look = rh_look_level(ball, level);
    rh_look *same = rh_look_level(ball, level);
    double cell = rh_look_cell(ball, level);
    ck_assert_int_lt(look->ntri, before);
    ck_assert_int_gt(look->ntri, 8);
    before = level == 0 ? look->ntri : (3 * look->ntri) / 4; // about a quarter each
    for (int i = 0; i < look->nvert; i++) {
      double r = rh_norm(rh_sub(vertex_at(look, i), rh_v3(0.3, -0.2, 5)));
      ck_assert_double_le(r, 1 + 1e-12);
      ck_assert_double_ge(r, 1 - sqrt(3) * cell - 1e-12);
    }
    for (int i = 0; i < look->ntri; i++) {
      const int *t = look->tri[i];
      ck_assert(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    }
    // What lies within a diagonal of a cell of a convex surface has about its area.
    ck_assert_double_le(fabs(area_of(look) - area), area * (2 * sqrt(3) * cell + 1e-12));
    ck_assert_int_eq(look->npart, 2);
    ck_assert_int_le(look->part[1].first, look->ntri);
    ck_assert_int_eq(look->ntri, same->ntri);
    ck_assert(memcmp(look->vert, same->vert, 3 * (size_t)look->nvert * sizeof(double)) == 0);
    ck_assert(memcmp(look->tri, same->tri, (size_t)look->ntri * sizeof *look->tri) == 0);
    rh_free(look);
    rh_free(same);
  }
  rh_free(ball);
}

END_TEST

Suite *rh_suite_unit_looks(void)
{
  Suite *suite = suite_create("unit_looks");
  TCase *tests = tcase_create("looks");
  tcase_add_test(tests, packed);
  tcase_add_test(tests, small);
  tcase_add_test(tests, damaged);
  tcase_add_test(tests, levels);
  suite_add_tcase(suite, tests);
  return suite;
}
