// unit_scene_mesh.c: hulls and heightfields in scenes: a cube of vertices is the box, flat heights are the plane, inclined
// ones the inclined plane. Where they come from: unit_scene_mesh_file.c.
#include "contact_scenes.h"

#include <string.h>

static const double cube[] = {-0.1, -0.1, -0.1, -0.1, 0.1,  -0.1, 0.1, 0.1, -0.1, 0.1,  -0.1, -0.1,
                              -0.1, -0.1, 0.1,  0.1,  -0.1, 0.1,  0.1, 0.1, 0.1,  -0.1, 0.1,  0.1};

static void put_mesh(rh_scene *scene, const char *name, const double *x, int n)
{
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of(name);
  mesh.vertices = (rh_numbers){n, x};
  ck_assert_int_ge(rh_scene_add_mesh(scene, &mesh), 0);
}

static void put_hull(rh_scene *scene, const char *body, const char *mesh, rh_vec3 at)
{
  rh_shape_def s = shape_of(body, "hull", 0, NULL);
  s.mesh = rh_name_of(mesh);
  set3(s.at, at);
  ck_assert_int_ge(rh_scene_add_shape(scene, &s), 0);
}

// ---- A cube is a box

static rh_body_def unweighed(const char *name, double mass) // its inertia is that of its shapes
{
  rh_body_def body = rh_body_default();
  body.name = rh_name_of(name);
  body.mass = mass;
  return body;
}

typedef enum block {
  BOX,
  HULL,
  HULL_ELSEWHERE
} block; // the last: a mesh whose origin is far from its middle

static void put_cube(rh_scene *scene, const char *body, block kind)
{
  if (kind == BOX) {
    put_box(scene, body, rh_v3(0.2, 0.2, 0.2), 4);
    return;
  }
  double x[24];
  rh_vec3 away = kind == HULL ? rh_v3(0, 0, 0) : rh_v3(0.5, -0.25, 1);
  for (int i = 0; i < 8; i++) {
    set3(x + 3 * i, rh_add(rh_v3(cube[3 * i], cube[3 * i + 1], cube[3 * i + 2]), away));
  }
  put_mesh(scene, "cube", x, 24);
  put_hull(scene, body, "cube", rh_neg(away));
}

static rh_model *dropped(block kind, const start *s, const char *friction)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def body = unweighed("die", 2);
  put_floor(scene);
  put_free(scene, &body, s);
  put_cube(scene, "die", kind);
  rh_contact_def c = contact_of("die", "world", "kelvin-voigt", friction);
  set_law(&c, "k", 1e4);
  set_law(&c, "b", 10);
  put_contact(scene, &c);
  set_tolerance(scene, 0.5, 1e-11, 1e-13);
  return model_of(scene);
}

START_TEST(cube_weighs_as_a_box)
{
  start s = {.at = {0, 0, 1}};
  rh_model *box = dropped(BOX, &s, "none");
  for (int kind = HULL; kind <= HULL_ELSEWHERE; kind++) {
    rh_model *hull = dropped((block)kind, &s, "none");
    const rh_inertia *want = &box->body[1].inertia;
    const rh_inertia *got = &hull->body[1].inertia;
    near_abs(got->mass, want->mass, 0);
    near_array(&got->h.x, &want->h.x, 3, 1e-14, 0); // rounding of sums over a dozen tetrahedra
    near_array(&got->I.xx, &want->I.xx, 6, 1e-14, 1e-12);
    near_abs(hull->shape[1].width, box->shape[1].width, 1e-15);
    rh_model_destroy(hull);
  }
  rh_model_destroy(box);
}

END_TEST

// Flat, so that it comes to rest with closed form k z = m g / 4, and thrown, so that corners hit one after another.
START_TEST(cube_bounces_as_a_box)
{
  static const start starts[] = {{.at = {0, 0, 0.15}},
                                 {.at = {0, 0, 0.2}, .v = {0.3, 0.1, 0}, .spin = {2, 3, 1}}};
  for (int i = 0; i < RH_COUNT(starts); i++) {
    rh_model *box = dropped(BOX, &starts[i], i ? "coulomb" : "none");
    rh_sim *want = sim_of(box);
    run_to(want, box->run.until);
    for (int kind = HULL; kind <= HULL_ELSEWHERE; kind++) {
      rh_model *hull = dropped((block)kind, &starts[i], i ? "coulomb" : "none");
      rh_sim *got = sim_of(hull);
      run_to(got, hull->run.until);
      // Roundings of 1e-16 grow through some impacts, and tolerances of 1e-11 with them.
      near_array(rh_sim_view(got)->q, rh_sim_view(want)->q, 7, 1e-6, 0);
      finish(got, hull);
    }
    finish(want, box);
  }
}

END_TEST

START_TEST(cube_rests_as_a_box)
{
  double z = 2 * 9.81 / (4 * 1e4); // k z = m g / 4
  for (int kind = BOX; kind <= HULL_ELSEWHERE; kind++) {
    start s = {.at = {0, 0, 0.1 - z}};
    rh_model *model = dropped((block)kind, &s, "none");
    rh_sim *sim = sim_of(model);
    run_to(sim, 0.2);
    near_abs(rh_sim_view(sim)->q[2], 0.1 - z, 1e-12);
    look(sim);
    int touching = 0;
    for (int k = 0; k < model->nslot; k++) {
      const rh_contact *c = &rh_sim_data(sim)->contact[k];
      touching += c->on && c->normal > 0;
      near_abs(c->on && c->normal > 0 ? c->area : 0.01, 0.01, 1e-15); // a quarter of the face
    }
    ck_assert_int_eq(touching, 4);
    finish(sim, model);
  }
}

END_TEST

// On another block, hulls meet face to face: the same rest as on the ground.
START_TEST(cube_on_a_cube)
{
  double z = 2 * 9.81 / (4 * 1e4);
  for (int below = BOX; below <= HULL; below++) {
    rh_scene *scene = rh_scene_create();
    rh_body_def body = unweighed("die", 2);
    start s = {.at = {0.02, 0.01, 0.2 - z}};
    put_free(scene, &body, &s);
    put_cube(scene, "die", HULL);
    if (below == BOX) {
      put_box(scene, "world", rh_v3(0.2, 0.2, 0.2), 4);
    } else {
      put_hull(scene, "world", "cube", rh_v3(0, 0, 0));
    }
    rh_contact_def c = contact_of("die", "world", "kelvin-voigt", "bristle");
    set_law(&c, "k", 1e4);
    put_contact(scene, &c);
    set_tolerance(scene, 0.3, 1e-9, 1e-12);
    rh_model *model = model_of(scene);
    rh_sim *sim = sim_of(model);
    run_to(sim, model->run.until);
    // The four points lie where both faces are: not about the middle of the die, so that it leans by a hair.
    near_abs(rh_sim_view(sim)->q[2], 0.2 - z, 0.2 * z);
    near_abs(rh_sim_view(sim)->q[0], 0.02, 1e-4);
    finish(sim, model);
  }
}

END_TEST

// A face with more corners than a pair has places for is stood for by some of them, all round it.
START_TEST(many_sided_prism_stands)
{
  enum { SIDES = 40 };

  double x[6 * SIDES];
  for (int i = 0; i < SIDES; i++) {
    double a = 2 * 3.14159265358979323846 * i / SIDES;
    set3(x + 6 * i, rh_v3(0.1 * cos(a), 0.1 * sin(a), -0.15));
    set3(x + 6 * i + 3, rh_v3(0.1 * cos(a), 0.1 * sin(a), 0.15));
  }
  rh_scene *scene = rh_scene_create();
  rh_body_def body = unweighed("post", 2);
  start s = {.at = {0, 0, 0.15}};
  put_floor(scene);
  put_free(scene, &body, &s);
  put_mesh(scene, "prism", x, 6 * SIDES);
  put_hull(scene, "post", "prism", rh_v3(0, 0, 0));
  rh_contact_def c = contact_of("post", "world", "kelvin-voigt", "bristle");
  c.stiffness_per = 1;
  set_law(&c, "k", 1e6);
  set_law(&c, "b", 1e4);
  put_contact(scene, &c);
  set_tolerance(scene, 3, 1e-9, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  look(sim);
  double face = 0.5 * SIDES * 0.01 * sin(2 * 3.14159265358979323846 / SIDES);
  double area = 0;
  for (int k = 0; k < model->nslot; k++) {
    area += rh_sim_data(sim)->contact[k].on ? rh_sim_data(sim)->contact[k].area : 0;
  }
  near_abs(area, face, 1e-9); // as nearly as it stands upright
  near_abs(rh_sim_view(sim)->q[2], 0.15 - 2 * 9.81 / (1e6 * face),
           1e-6); // what is left of a swing after 3 s
  near_abs(rh_sim_view(sim)->q[3], 1, 1e-6);
  finish(sim, model);
}

END_TEST

// ---- Heightfields

// z = slope x over 8 m x 8 m
static void put_ground(rh_scene *scene, int n, double slope)
{
  double z[400];
  ck_assert_int_le(n * n, RH_COUNT(z));
  for (int i = 0; i < n * n; i++) {
    z[i] = slope * (-4 + 8.0 * (i % n) / (n - 1));
  }
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of("ground");
  mesh.heights = (rh_numbers){n * n, z};
  mesh.nx = n;
  mesh.size = list_of(2, 8, 8);
  ck_assert_int_ge(rh_scene_add_mesh(scene, &mesh), 0);
  rh_shape_def s = shape_of("world", "heightfield", 0, NULL);
  s.mesh = rh_name_of("ground");
  ck_assert_int_ge(rh_scene_add_shape(scene, &s), 0);
}

static void put_incline(rh_scene *scene, double slope)
{
  rh_shape_def plane = shape_of("world", "plane", 0, NULL);
  plane.rpy[1] = -atan(slope);
  ck_assert_int_ge(rh_scene_add_shape(scene, &plane), 0);
}

static rh_model *thrown(const char *kind, int n, double slope, double v_slip, const start *s)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def body = unweighed("ball", 1);
  if (n > 0) {
    put_ground(scene, n, slope);
  } else {
    put_incline(scene, slope);
  }
  put_free(scene, &body, s);
  const double par[4] = {0.1, 0.1, 0.1, 4};
  rh_shape_def shape =
      shape_of("ball", kind, 4, par); // what a kind has not so many of is not looked at
  ck_assert_int_ge(rh_scene_add_shape(scene, &shape), 0);
  rh_contact_def c = contact_of("ball", "world", "hunt-crossley", "coulomb");
  set_friction(&c, "v_slip", v_slip);
  put_contact(scene, &c);
  set_tolerance(scene, 1.0, 1e-11, 1e-14);
  return model_of(scene);
}

// Friction that is gentle, so that sticking does not rule the steps: it is about the ground here.
#define V_SLIP 0.02 // [m/s]

static void run_both(const char *kind, double slope, const start *s, double tolerance)
{
  rh_model *plane = thrown(kind, 0, slope, V_SLIP, s);
  rh_sim *want = sim_of(plane);
  run_to(want, plane->run.until);
  for (int n = 2; n <= 20; n += 9) { // one cell, a hundred, and some hundred more
    rh_model *field = thrown(kind, n, slope, V_SLIP, s);
    rh_sim *got = sim_of(field);
    run_to(got, field->run.until);
    near_array(rh_sim_view(got)->q, rh_sim_view(want)->q, 7, tolerance, 0);
    finish(got, field);
  }
  finish(want, plane);
}

// A ball that bounces along over the seams of the cells: the same places to the last digits but few.
START_TEST(flat_field_is_a_plane)
{
  start s = {.at = {-0.3, 0.05, 0.3}, .v = {1.3, 0.7, 0}, .spin = {1, 2, 3}};
  run_both("sphere", 0, &s, 1e-9);
  start flat = {.at = {0.01, 0.02, 0.1}, .v = {0.5, 0.1, 0}};
  run_both("box", 0, &flat,
           1e-7); // four corners that come down together: the order of their events is by rounding
  start lying = {.at = {0.01, 0.02, 0.2}, .v = {0.5, 0.1, 0}, .spin = {0.1, 0, 0}};
  run_both("capsule", 0, &lying, 1e-7);
  run_both("ellipsoid", 0, &lying, 1e-7);
}

END_TEST

// Down an incline of 1 in 4, sticking: a = 5/7 g sin, whatever the cells; and as on the inclined plane.
START_TEST(rolls_down_a_field)
{
  double slope = 0.25;
  double length = sqrt(1 + slope * slope);
  rh_vec3 n = {-slope / length, 0, 1 / length};
  rh_vec3 up = {1 / length, 0, slope / length};
  double rest = 1e-4;
  start s = {.at = rh_addscaled(rh_scale(3, up), 0.1 - rest, n)};
  run_both("sphere", slope, &s, 1e-6); // both to the tolerance of the run, some hundred steps
  rh_model *model = thrown("sphere", 20, slope, 1e-3, &s);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  const double *q = rh_sim_view(sim)->q;
  double way = 3 - rh_dot(up, rh_v3(q[0], q[1], q[2]));
  // Coulomb's law here creeps and the ground gives way: a percent.
  near_rel(way, 0.5 * 5 / 7 * 9.81 * slope / length, 0.01);
  ck_assert(way > 0.5);
  finish(sim, model);
}

END_TEST

// In a groove of 45 degrees a ball rests on both sides: 2 F cos 45 = m g, each k z = F.
START_TEST(rests_in_a_valley)
{
  static const double z[] = {1, 0, 1, 1, 0, 1};
  rh_scene *scene = rh_scene_create();
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of("groove");
  mesh.heights = (rh_numbers){RH_COUNT(z), z};
  mesh.nx = 3;
  mesh.size = list_of(2, 2, 2);
  ck_assert_int_ge(rh_scene_add_mesh(scene, &mesh), 0);
  rh_shape_def shape = shape_of("world", "heightfield", 0, NULL);
  shape.mesh = rh_name_of("groove");
  ck_assert_int_ge(rh_scene_add_shape(scene, &shape), 0);
  start s = {.at = {0.01, 0, 0.1 * sqrt(2)}};
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", 1e4);
  set_law(&c, "b", 100);
  put_contact(scene, &c);
  set_tolerance(scene, 2, 1e-10, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  double depth = 9.81 / sqrt(2) / 1e4;
  near_abs(rh_sim_view(sim)->q[0], 0, 1e-9); // after two seconds of 50 1/s damping
  near_abs(rh_sim_view(sim)->q[2], (0.1 - depth) * sqrt(2), 1e-9);
  finish(sim, model);
}

END_TEST

// A ball without friction slides over a crease of 1 in 100 that lies inside it: with Hertz the energy is all there afterwards. Integrated
// to 1e-10 a step over some thousand steps; the energy is about 1 J. Were both faces to bear all while their feet are on them, 4e-4 J would be lost.
START_TEST(slides_over_a_crease)
{
  static const double z[] = {0.01, 0, 0.01, 0.01, 0, 0.01};
  rh_scene *scene = rh_scene_create();
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of("crease");
  mesh.heights = (rh_numbers){RH_COUNT(z), z};
  mesh.nx = 3;
  mesh.size = list_of(2, 2, 2);
  ck_assert_int_ge(rh_scene_add_mesh(scene, &mesh), 0);
  rh_shape_def shape = shape_of("world", "heightfield", 0, NULL);
  shape.mesh = rh_name_of("crease");
  ck_assert_int_ge(rh_scene_add_shape(scene, &shape), 0);
  start s = {.at = {-0.1, 0.01, 0.1008}, .v = {0.5, 0, 0}};
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "hertz", "none");
  set_law(&c, "K", 1e7);
  put_contact(scene, &c);
  set_tolerance(scene, 0.4, 1e-10, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  double depth = 0.1 - 0.0998 / sqrt(1.0001); // on the left side, 1 mm high there
  double before = 0.5 * 0.25 + 9.81 * 0.1008 + 0.4 * 1e7 * pow(depth, 2.5);
  run_to(sim, model->run.until);
  rh_ledger l = rh_sim_ledger(sim);
  const rh_data *d = rh_sim_view(sim);
  ck_assert_double_gt(d->q[0], 0.05);
  double stored = 0;
  for (int k = 0; k < model->nslot; k++) {
    stored += d->contact[k].stored;
  }
  near_abs(l.kinetic + l.potential + stored, before, 1e-8);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_scene_mesh(void)
{
  Suite *suite = suite_create("unit_scene_mesh");
  TCase *tests = tcase_create("meshes");
  tcase_add_test(tests, cube_weighs_as_a_box);
  tcase_add_test(tests, cube_bounces_as_a_box);
  tcase_add_test(tests, cube_rests_as_a_box);
  tcase_add_test(tests, cube_on_a_cube);
  tcase_add_test(tests, many_sided_prism_stands);
  tcase_add_test(tests, flat_field_is_a_plane);
  tcase_add_test(tests, rolls_down_a_field);
  tcase_add_test(tests, rests_in_a_valley);
  tcase_add_test(tests, slides_over_a_crease);
  suite_add_tcase(suite, tests);
  return suite;
}
