// unit_moreau_faces.c: faces with samples of their own under the engine stepping: the table of pairs gives the same points
// to both engines, as many as asked for; a block of any number of points slides as in closed form, on a plane and on a
// heightfield; shapes that fall on a corner move as in the engine event.
#include "geometry/geometry.h"
#include "geometry/heightfield.h"
#include "geometry/hull/hull.h"

#include "memory.h"
#include "rigid.h"

// ---- Points

typedef struct face_case {
  const char *kind;
  double par[5];
  int samples; // of a face; 0: the usual number
} face_case;

static const face_case faces[] = {
    {"box", {0.4, 0.3, 0.2, 4, 0}, 0},
    {"box", {0.4, 0.3, 0.2, 8, 0}, 8},
    {"box", {0.4, 0.3, 0.2, 9, 0}, 9},
    {"box", {0.4, 0.3, 0.2, 37, 0}, 37},
    {"box", {0.4, 0.3, 0.2, 64, 0}, 64},
    {"box", {0.4, 0.3, 0.2, 25, 0.02}, 25},
    {"cylinder", {0.2, 0.2, 4}, 0},
    {"cylinder", {0.2, 0.2, 5}, 5},
    {"cylinder", {0.2, 0.2, 30}, 30},
    {"hull", {0, 3}, 0},
    {"hull", {0, 20}, 20},
    {"hull", {0.01, 12}, 12},
};

static rh_hull *block_hull(void)
{
  rh_vec3 x[8];
  rh_hull *h = NULL;
  const char *why = NULL;
  for (int i = 0; i < 8; i++) {
    x[i] = rh_v3(i & 1 ? 0.2 : -0.2, i & 2 ? 0.15 : -0.15, i & 4 ? 0.1 : -0.1);
  }
  ck_assert_int_eq(rh_hull_create(x, 8, RH_HULL_TOLERANCE, &h, &why), RH_OK);
  return h;
}

static rh_heightfield *level_field(void)
{
  double height[9] = {0};
  rh_heightfield *f = NULL;
  ck_assert_int_eq(rh_heightfield_create(3, 3, (double[]){4, 4}, height, &f, NULL), RH_OK);
  return f;
}

// On ground of two kinds, flat and tilted by 10 mrad: all points of the face, the same as with their surfaces, in order
START_TEST(points_of_faces)
{
  const face_case *c = &faces[_i];
  rh_hull *hull = block_hull();
  rh_heightfield *field = level_field();
  const rh_geom ground[2] = {
      {.kind = rh_shape_find("plane"), .R = rh_mat3_identity()},
      {.kind = rh_shape_find("heightfield"), .R = rh_mat3_identity(), .mesh = field}};
  for (int k = 0; k < 4; k++) {
    rh_geom a = {.kind = rh_shape_find(c->kind), .par = c->par, .p = {0.1, 0.07, 0.1}};
    a.mesh = strcmp(c->kind, "hull") == 0 ? hull : NULL;
    a.p.z += a.mesh != NULL ? c->par[0] : 0; // its `round`
    a.R = rh_axis_matrix(rh_v3(0.6, 0.8, 0), k % 2 * 0.01);
    rh_manifold m;
    rh_touch all[RH_TOUCH_MAX];
    int n = rh_collide(&a, &ground[k / 2], 0.01, NULL, &m);
    int count = rh_collide_surfaces(&a, &ground[k / 2], 0.01, all);
    ck_assert_int_eq(n, m.n);
    if (c->samples == 0) {
      ck_assert_int_le(n, RH_MANIFOLD_MAX);
      continue;
    }
    ck_assert_int_eq(n, c->samples);
    ck_assert_int_eq(n, count);
    for (int i = 0; i < n; i++) {
      near_abs(m.at[i].point.x, all[i].point.x, 1e-12);
      near_abs(m.at[i].point.y, all[i].point.y, 1e-12);
      near_abs(m.at[i].depth, all[i].depth, 1e-12);
      ck_assert(i == 0 || m.at[i].id > m.at[i - 1].id);
    }
  }
  rh_free(hull);
  rh_free(field);
}

END_TEST

// ---- Runs

#define BLOCK "kind: box, size: [0.4, 0.3, 0.2], "
#define CAN   "kind: cylinder, radius: 0.2, length: 0.2, "
#define ROCK  "kind: hull, mesh: m, "
#define MESHES                                                                                     \
  "meshes: [{name: m, vertices: [-0.2, -0.15, -0.1, 0.2, -0.15, -0.1, 0.2, 0.15, -0.1, -0.2, "     \
  "0.15, -0.1, -0.2, -0.15, 0.1, 0.2, -0.15, 0.1, 0.2, 0.15, 0.1, -0.2, 0.15, 0.1]}, "             \
  "{name: f, nx: 3, size: [4, 4], heights: [0, 0, 0, 0, 0, 0, 0, 0, 0]}]\n"
#define PLANE "kind: plane"
#define FIELD "kind: heightfield, mesh: f"

static void play_slide(const char *shape, const char *ground, double pull)
{
  play("world: {gravity: [%g, 0, -9]}\nbodies: [{name: b, mass: 2}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.1, 1, 0, 0, 0]}]\n" MESHES
       "shapes: [{body: world, %s}, {body: b, %s}]\n"
       "contacts: [{name: c, body: b, against: world, law: stronge, e: 0, friction: dry, mu_s: "
       "0.4, mu_k: 0.4}]\nrun: {engine: stepping, dt: 1e-3, until: 0.5}\n",
       pull, ground, shape);
}

// Along the ground gravity is `pull`, across it 9: at rest up to 3.6, beyond with pull - 3.6 along a parabola. The
// solver's residual, 1e-6 m/s.
START_TEST(faces_slide)
{
  static const char *const shape[] = {BLOCK "samples: 25", BLOCK "samples: 64", CAN "samples: 20",
                                      ROCK "samples: 12", BLOCK "round: 0.02, samples: 16"};
  const char *ground = _i % 2 == 0 ? PLANE : FIELD;
  play_slide(shape[_i / 2], ground, 2);
  near_abs(hypot(told.q[0], told.q[1]), 0, 1e-6);
  near_abs(told.q[2], 0.1, 1e-6);
  play_slide(shape[_i / 2], ground, 5);
  near_abs(told.v[0], 1.4 * 0.5, 2e-6);
  near_abs(told.q[0], 1.4 * 0.125, 2e-6);
  near_abs(told.q[1], 0, 1e-6);
  near_abs(told.q[2], 0.1, 1e-6);
}

END_TEST

static void play_fall(const char *shape, const char *run)
{
  play("bodies: [{name: b, mass: 2}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.3, 0.98, 0.1, 0.12, %.17g], v: [0.5, 0, 0, 0, "
       "0, 1]}]\n" MESHES "shapes: [{body: world, kind: plane}, {body: b, %s}]\n"
       "contacts: [{name: c, body: b, against: world, law: stronge, e: 0.3, friction: dry, mu_s: "
       "0.3, mu_k: 0.3}]\nrun: {until: 0.3, multi_impact: simultaneous, %s}\n",
       sqrt(1 - 0.98 * 0.98 - 0.1 * 0.1 - 0.12 * 0.12), shape, run);
}

// Ten impacts and more at corners and points of edges and faces: the distance from the engine event falls with the square of
// the step (tests/agreement), by 16 at a quarter of it. The quarter of that is allowed, as the error of single impacts scatters.
START_TEST(faces_fall)
{
  static const char *const shape[] = {BLOCK "samples: 8", BLOCK "samples: 37", ROCK "samples: 20"};
  static const char *const step[] = {"engine: stepping, dt: 1e-3", "engine: stepping, dt: 2.5e-4"};
  double error[2] = {0};
  play_fall(shape[_i], FINE);
  tale event = told;
  for (int i = 0; i < 2; i++) {
    play_fall(shape[_i], step[i]);
    ck_assert_int_gt(told.count[RH_EVENT_IMPACT], 5);
    for (int k = 0; k < 7; k++) {
      error[i] = fmax(error[i], fabs(told.q[k] - event.q[k]));
    }
  }
  ck_assert_double_lt(error[1], error[0] / 4);
}

END_TEST

Suite *rh_suite_unit_moreau_faces(void);

Suite *rh_suite_unit_moreau_faces(void)
{
  Suite *suite = suite_create("unit_moreau_faces");
  TCase *tests = tcase_create("faces");
  tcase_add_loop_test(tests, points_of_faces, 0, RH_COUNT(faces));
  tcase_add_loop_test(tests, faces_slide, 0, 10);
  tcase_add_loop_test(tests, faces_fall, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
