// unit_rounded_run.c: motion of rounded boxes: rocking on an edge in closed form, rolling on a corner as a ball with a
// shifted centre of mass does, hulls as boxes, both engines, and what is refused.
#include "rigid.h"

#define ROUGH                                                                                      \
  "contacts: [{body: b, against: world, law: newton, e: 0, friction: coulomb, mu: 20}]\n"

// A box of 0.2 m and 1 kg, r = 0.05: on its edge along y, the centre of mass at the angle phi from above the edge's axis,
// d = 0.05 sqrt 2 from it. Rolling has the energy 1/2 (I + m (r^2 + d^2 + 2 r d cos phi)) w^2 + m g d cos phi.
static void compare_rocking(const char *shape, const char *run)
{
  const double phi = 0.1;
  const double r = 0.05;
  const double d = 0.05 * sqrt(2.0);
  double turn = atan(1.0) + phi;
  double w = 1.5;
  // about y; the core's edge is below: the contact is at x = 0, z = 0, its velocity zero
  double x = d * sin(phi);
  double z = r + d * cos(phi);
  play(DOWN "bodies: [{name: b, mass: 1, inertia: [0.006, 0.006, 0.006, 0, 0, 0]}]\n"
            "joints: [{kind: free, child: b, q: [%.17g, 0, %.17g, %.17g, 0, %.17g, 0], "
            "v: [%.17g, 0, %.17g, 0, %.17g, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, %s}]\n" ROUGH "run: {%s}\n",
       x, z, cos(turn / 2), sin(turn / 2), w * z, -w * x, w, shape, run);
  ck_assert_int_eq(told.status, RH_OK);
}

static double energy_at(double phi, double w)
{
  const double r = 0.05;
  const double d = 0.05 * sqrt(2.0);
  double inertia = 0.006 + r * r + d * d + 2 * r * d * cos(phi);
  return 0.5 * inertia * w * w + G * d * cos(phi);
}

#define BOX_SHAPE "kind: box, size: [0.2, 0.2, 0.2], round: 0.05"

START_TEST(rocks_on_an_edge)
{
  compare_rocking(BOX_SHAPE, "until: 0.15, " FINE);
  double phi = 2 * atan2(told.q[5], told.q[3]) - atan(1.0);
  ck_assert(phi > 0.3 && phi < 0.78);                                           // still on the edge
  near_rel(energy_at(phi, told.v[4]), energy_at(0.1, 1.5), 1e-10);              // rtol 1e-12
  near_abs(told.q[0], 0.05 * (phi - 0.1) + 0.05 * sqrt(2.0) * sin(phi), 1e-10); // no slip
  near_abs(told.q[2], 0.05 + 0.05 * sqrt(2.0) * cos(phi), 1e-10);
  ck_assert_double_lt(told.residue, 1e-10);
  double exact = phi;
  compare_rocking(BOX_SHAPE, "until: 0.15, engine: stepping, dt: 1e-4");
  phi = 2 * atan2(told.q[5], told.q[3]) - atan(1.0);
  near_abs(phi, exact, 2e-4); // second order in rolling, at most first in the contacts: dt w
}

END_TEST

// On a corner, spinning and rolling: the same motion as the ball about the corner of the core.
static void spin_on_corner(const char *shape, const char *contact, const char *run, double *q)
{
  // The diagonal from the corner (1, 1, -1) to the centre is turned upright but for 0.1 rad.
  rh_vec3 diagonal = rh_scale(1 / sqrt(3.0), rh_v3(-1, -1, 1));
  rh_vec3 up = {sin(0.1), 0, cos(0.1)};
  rh_vec3 axis = rh_cross(diagonal, up);
  rh_mat3 R = rh_axis_matrix(rh_scale(1 / rh_norm(axis), axis), asin(rh_norm(axis)));
  rh_quat turn = rh_quat_unit(rh_quat_of_matrix(&R));
  rh_vec3 p = rh_addscaled(rh_v3(0, 0, 0.05), 0.05 * sqrt(3.0), up);
  rh_vec3 w = {0.3, 0.8, 2};
  rh_vec3 v = rh_cross(w, p); // the contact is at the origin
  play(DOWN "bodies: [{name: b, mass: 1, inertia: [0.006, 0.006, 0.006, 0, 0, 0]}]\n"
            "joints: [{kind: free, child: b, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], "
            "v: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, %s}]\n%srun: {until: 0.2, %s}\n",
       p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z, v.x, v.y, v.z, w.x, w.y, w.z, shape, contact,
       run);
  ck_assert_int_eq(told.status, RH_OK);
  memcpy(q, told.q, 7 * sizeof *q);
}

#define BALL_SHAPE "kind: sphere, radius: 0.05, at: [0.05, 0.05, -0.05]"

START_TEST(rolls_on_a_corner)
{
  static const char *const engine[] = {FINE, "engine: stepping, dt: 1e-4"};
  double ball[7];
  double box[7];
  for (int k = 0; k < 2; k++) {
    spin_on_corner(BALL_SHAPE, ROUGH, engine[k], ball);
    double before = told.energy;
    spin_on_corner(BOX_SHAPE, ROUGH, engine[k], box);
    for (int i = 0; i < 7; i++) {
      near_abs(box[i], ball[i], 1e-10); // rtol 1e-12, and rounding of the same steps
    }
    near_rel(told.energy, before, 1e-9);
    ck_assert(k == 1 || told.residue < 1e-10);
  }
}

END_TEST

// The radius of contact of a corner is r: by Hertz's law it presses as a ball does.
START_TEST(presses_as_a_ball)
{
  static const char *const hertz = "contacts: [{body: b, against: world, law: hertz, E: 1e7, "
                                   "friction: coulomb, mu: 0.5}]\n";
  double ball[7];
  double box[7];
  spin_on_corner(BALL_SHAPE, hertz, "rtol: 1e-10", ball);
  spin_on_corner(BOX_SHAPE, hertz, "rtol: 1e-10", box);
  for (int i = 0; i < 7; i++) {
    near_abs(box[i], ball[i], 1e-8); // rtol 1e-10
  }
}

END_TEST

// A box falls on the rounded edge of a fixed one: both engines.
START_TEST(box_on_box_in_both_engines)
{
  static const char *const scene = DOWN
      "bodies: [{name: b, mass: 1}]\n"
      "joints: [{kind: free, child: b, q: [0.13, 0.02, 0.42, 0.8, 0.2, 0.4, 0.4], "
      "v: [0, 0, 0, 1, 2, 3]}]\n"
      "shapes: [{body: b, " BOX_SHAPE "}, {body: world, kind: box, size: [0.3, 0.4, 0.3], "
      "round: 0.04}]\n"
      "contacts: [{body: b, against: world, law: stronge, e: 0.5, friction: coulomb, mu: 0.3}]\n"
      "run: {until: 0.2, %s}\n";
  double q[7];
  play(scene, FINE);
  ck_assert_int_eq(told.status, RH_OK);
  ck_assert_int_eq(told.count[RH_EVENT_IMPACT], 1);
  ck_assert_double_lt(told.residue, 1e-9);
  memcpy(q, told.q, sizeof q);
  play(scene, "engine: stepping, dt: 1e-4");
  ck_assert_int_eq(told.status, RH_OK);
  for (int i = 0; i < 7; i++) {
    near_abs(told.q[i], q[i], 3e-4); // one step at the speed of 2 m/s, and 1 rad/s^2 on 0.1 s
  }
}

END_TEST

// A tool in the hand: round all about it is a ball.
START_TEST(haptic_tool)
{
  static const char *const scene =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: tool, mass: 2, inertia: [0.005, 0.005, 0.005, 0, 0, 0]}, "
      "{name: device, mass: 2, inertia: [0.005, 0.005, 0.005, 0, 0, 0]}]\n"
      "joints: [{kind: planar, child: tool, normal: [0, 0, 1], q: [0.040, -0.035, 0.15]}, "
      "{kind: planar, child: device, normal: [0, 0, 1], q: [0.040, -0.035, 0.15]}]\n"
      "shapes: [{body: tool, %s}, {body: world, kind: box, size: [0.04, 0.2, 0.2], at: [-0.02, 0, "
      "0], round: 0.01}]\n"
      "contacts: [{body: tool, against: world, law: kelvin-voigt, k: 1000, b: 50}]\n"
      "haptic: {tool: tool, device: device, push: [-0.32, 0.1, 0], limit: [15, 1]}\n"
      "run: {until: 1, engine: haptic, dt: 0.001953125}\n";
  double q[6];
  play(scene, "kind: sphere, radius: 0.01");
  ck_assert_int_eq(told.status, RH_OK);
  ck_assert(told.q[0] < 0.011); // it has reached the wall
  memcpy(q, told.q, sizeof q);
  play(scene, "kind: box, size: [0.02, 0.02, 0.02], round: 0.01");
  for (int i = 0; i < 6; i++) {
    near_abs(told.q[i], q[i], 1e-12); // the same pair of shapes
  }
}

END_TEST

#define CORNERS                                                                                    \
  "meshes: [{name: cube, vertices: [-0.05, -0.05, -0.05, 0.05, -0.05, -0.05, -0.05, 0.05, -0.05, " \
  "0.05, 0.05, -0.05, -0.05, -0.05, 0.05, 0.05, -0.05, 0.05, -0.05, 0.05, 0.05, 0.05, 0.05, "      \
  "0.05]}]\n"

// The same body as a hull, and its inertia from either shape.
START_TEST(hull_as_box)
{
  static const char *const scene =
      DOWN CORNERS "bodies: [{name: b, mass: 1}]\n"
                   "joints: [{kind: free, child: b, q: [0, 0, 0.3, 0.8, 0.2, 0.4, 0.4], "
                   "v: [0.4, 0, 0, 1, 2, 3]}]\n"
                   "shapes: [" FLAT_FLOOR ", {body: b, %s}]\n"
                   "contacts: [{body: b, against: world, law: newton, e: 0.4, friction: coulomb, "
                   "mu: 0.4}]\n"
                   "run: {until: 0.35, " FINE "}\n";
  double q[7];
  play(scene, BOX_SHAPE);
  ck_assert_int_eq(told.status, RH_OK);
  ck_assert_int_gt(told.count[RH_EVENT_IMPACT], 0);
  memcpy(q, told.q, sizeof q);
  play(scene, "kind: hull, mesh: cube, round: 0.05");
  for (int i = 0; i < 7; i++) {
    near_abs(told.q[i], q[i], 1e-9); // rtol 1e-12, impacts in between
  }
}

END_TEST

// Of a shape, by Hertz's law on `ground`
static void check_refused(const char *shape, const char *ground, const char *wanted)
{
  char text[TEXT_MAX];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  int n = snprintf(text, sizeof text,
                   "bodies: [{name: b, mass: 1}]\n"
                   "shapes: [{body: b, %s}, {body: world, kind: %s}]\n"
                   "contacts: [{body: b, against: world, law: hertz, E: 1e7}]\n",
                   shape, ground);
  rh_status status = rh_scene_parse(text, (size_t)n, "scene", NULL, 0, diag, &scene);
  rh_model *model = NULL;
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
    rh_scene_destroy(scene);
  }
  ck_assert_int_ne(status, RH_OK);
  ck_assert_msg(strstr(rh_diag_get(diag, 0).text, wanted) != NULL, "%s", rh_diag_get(diag, 0).text);
  rh_diag_destroy(diag);
}

START_TEST(refused)
{
  check_refused("kind: box, size: [0.2, 0.1, 0.3], round: 0.0501", "plane",
                "half the shortest side");
  check_refused("kind: box, size: [0.2, 0.1, 0.3], round: -0.01", "plane", "round");
  check_refused("kind: box, size: [0.2, 0.1, 0.3], round: .nan", "plane", "round");
  check_refused("kind: cylinder, radius: 0.1, length: 0.1, round: 0.01", "plane", "round");
  // A curvature is needed at every point: there is none in a face, nor at a sharp corner.
  check_refused(BOX_SHAPE ", samples: 9", "plane", "flat meets flat");
  check_refused(BOX_SHAPE, "box, size: [1, 1, 1]", "flat meets flat");
}

END_TEST

Suite *rh_suite_unit_rounded_run(void)
{
  Suite *suite = suite_create("unit_rounded_run");
  TCase *tcase = tcase_create("rounded_run");
  tcase_add_test(tcase, rocks_on_an_edge);
  tcase_add_test(tcase, rolls_on_a_corner);
  tcase_add_test(tcase, presses_as_a_ball);
  tcase_add_test(tcase, box_on_box_in_both_engines);
  tcase_add_test(tcase, haptic_tool);
  tcase_add_test(tcase, hull_as_box);
  tcase_add_test(tcase, refused);
  suite_add_tcase(suite, tcase);
  return suite;
}
