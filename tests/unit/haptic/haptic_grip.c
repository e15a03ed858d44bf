// unit_haptic_grip.c: a device that is no twin of its tool: what it feels of a linkage, where it is put, energies.
#include "haptic.h"

static rh_vec3 grip_gap(const felt *f, const char *device, const char *tool, rh_vec3 at)
{
  int a = rh_model_find(f->m, RH_OBJECT_BODY, device);
  int b = rh_model_find(f->m, RH_OBJECT_BODY, tool);
  rh_kinematics(f->d);
  return rh_sub(rh_point_position(f->d, a, rh_v3(0, 0, 0)), rh_point_position(f->d, b, at));
}

// A rod on a hinge is pressed by F = k depth at the distance a from the hinge; the device holds it at L. Least f^2 + (m/r)^2 with
// L f + m = a F: f = a F L/(L^2 + r^2), m = a F r^2/(L^2 + r^2). The device: 2 kg, 0.03 kg m^2 about each axis: r^2 = 0.015 m^2.
START_TEST(wrench_on_a_lever)
{
  felt f =
      felt_text("world: {gravity: [0, 0, 0]}\n"
                "bodies:\n"
                "  - {name: rod, mass: 1, com: [0.3, 0, 0], inertia: [0.02, 0.02, 0.02, 0, 0, 0]}\n"
                "  - {name: handle, mass: 2, inertia: [0.03, 0.03, 0.03, 0, 0, 0]}\n"
                "joints:\n"
                "  - {kind: revolute, child: rod, axis: [0, 0, 1]}\n"
                "  - {kind: free, child: handle, q: [0.6, 0, 0, 1, 0, 0, 0]}\n"
                "shapes:\n"
                "  - {body: rod, kind: sphere, radius: 0.02, at: [0.25, 0, 0]}\n"
                "  - {name: floor, body: world, kind: plane, at: [0, -0.019, 0], rpy: "
                "[-1.5707963267948966, 0, 0]}\n"
                "contacts:\n"
                "  - {name: touch, body: rod, against: world, law: kelvin-voigt, k: 3000, b: 10}\n"
                "haptic: {tool: rod, device: handle}\n"
                "run: {until: 1 s, engine: haptic, dt: 0.001}\n"
                "record: {every: 0.001}\n");
  rh_haptic_out out;
  rh_haptic_tick(f.h, f.d, NULL, &out);
  double a = 0.25, L = 0.6, r2 = 0.015, F = 3000 * 0.001;
  const double expected[6] = {0, a * F * L / (L * L + r2), 0, 0, 0, a * F * r2 / (L * L + r2)};
  for (int i = 0; i < 6; i++) {
    near_abs(out.env[i], expected[i], 1e-12); // rounding of a depth of 1 mm at 3000 N/m
  }
  felt_end(&f);
}

END_TEST

static const char *const twins =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies:\n"
    "  - {name: t1, mass: 0.8, com: [0.075, 0, 0], inertia: [0.0015, 0.0015, 0.0015, 0, 0, 0]}\n"
    "  - {name: t2, mass: 0.8, com: [0.075, 0, 0], inertia: [0.0015, 0.0015, 0.0015, 0, 0, 0]}\n"
    "  - {name: t3, mass: 0.6, com: [0.05, 0, 0], inertia: [0.0005, 0.0005, 0.0005, 0, 0, 0]}\n"
    "  - {name: d1, mass: 0.8, com: [0.075, 0, 0], inertia: [0.0015, 0.0015, 0.0015, 0, 0, 0]}\n"
    "  - {name: d2, mass: 0.8, com: [0.075, 0, 0], inertia: [0.0015, 0.0015, 0.0015, 0, 0, 0]}\n"
    "  - {name: d3, mass: 0.6, com: [0.05, 0, 0], inertia: [0.0005, 0.0005, 0.0005, 0, 0, 0]}\n"
    "joints:\n"
    "  - {kind: revolute, child: t1, axis: [0, 0, 1], q: [0.6]}\n"
    "  - {kind: revolute, parent: t1, child: t2, axis: [0, 0, 1], at: [0.15, 0, 0], q: [1.2]}\n"
    "  - {kind: revolute, parent: t2, child: t3, axis: [0, 0, 1], at: [0.15, 0, 0], q: [0.9]}\n"
    "  - {kind: revolute, child: d1, axis: [0, 0, 1], q: [0.6]}\n"
    "  - {kind: revolute, parent: d1, child: d2, axis: [0, 0, 1], at: [0.15, 0, 0], q: [1.2]}\n"
    "  - {kind: revolute, parent: d2, child: d3, axis: [0, 0, 1], at: [0.15, 0, 0], q: [0.9]}\n"
    "shapes:\n"
    "  - {body: t1, kind: sphere, radius: 0.01, at: [0.15, 0, 0]}\n"
    "  - {body: t2, kind: sphere, radius: 0.01, at: [0.15, 0, 0]}\n"
    "  - {body: t3, kind: sphere, radius: 0.01, at: [0.1, 0, 0]}\n"
    "  - {name: right, body: world, kind: plane, at: [0.15, 0, 0], rpy: [0, -1.5707963267948966, "
    "0]}\n"
    "  - {name: top, body: world, kind: plane, at: [0, 0.3, 0], rpy: [1.5707963267948966, 0, 0]}\n"
    "contacts:\n"
    "  - {name: touch, body: world, against: all, law: kelvin-voigt, k: 3000, b: 10}\n"
    "haptic: {tool: t3, device: d3, four_channel: [400, 15, 0.5, 0.05], push: [1, 0.6, 0]%s}\n"
    "run: {until: 1 s, engine: haptic, dt: %s}\n"
    "record: {every: 0.001}\n";

static felt twin_linkages(const char *more, const char *tick)
{
  char text[4096];
  (void)snprintf(text, sizeof text, twins, more, tick);
  return felt_text(text);
}

// Largest difference of the joints of two linkages that are one another's device and tool, in 1.5 s
static double linkages_apart(const char *tick)
{
  felt f = twin_linkages("", tick);
  rh_haptic_out out;
  int contacts = 0;
  double apart = 0;
  for (long k = 0; k < lround(1.5 / rh_haptic_dt(f.h)); k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    contacts += out.ncontact > 0;
    for (int i = 0; i < 3; i++) {
      apart = fmax(apart, fabs(f.d->q[i] - f.d->q[3 + i]));
    }
  }
  ck_assert(contacts > 300 && f.d->haptic->collisions > 1);
  felt_end(&f);
  return apart;
}

// A device that is the same linkage as the tool moves as the tool does through all collisions, also those of the first two rods: the
// grip of three freedoms determines the joints, so that J'w is the generalised force of the contacts. The tool takes an impulse at the
// start of a tick, the device as a force over it: their Coriolis terms differ, by the first order of the tick.
START_TEST(twin_linkage_follows)
{
  double coarse = linkages_apart("0.001");
  double fine = linkages_apart("0.0000625");
  ck_assert_msg(fine < coarse / 8 && fine < 2e-4, "%g and %g rad", coarse, fine);
}

END_TEST

// ---- Ticks that the coupling does not bear

// Free bodies of unequal masses with the coupling K, B along and Kt, Bt about: in each direction the tick may be as long as
// (dt^2 K + 2 dt B)(1/m_t + 1/m_d) < 4, dt = 4/w / (B + sqrt(B^2 + 4 K/w)) with w = 1/m_t + 1/m_d; of a measured device w = 1/m_t.
static double longest_of(double K, double B, double w)
{
  return 4 / w / (B + sqrt(B * B + 4 * K / w));
}

START_TEST(longest_tick)
{
  static const double gain[][4] = {
      {100, 5, 1e-3, 1e-4}, {400, 0, 1, 0}, {0, 8, 0, 1}, {50, 3, 8, 0.4}};
  for (int i = 0; i < RH_COUNT(gain); i++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "bodies:\n"
                   "  - {name: tool, mass: 0.7, inertia: [0.02, 0.03, 0.04, 0, 0, 0]}\n"
                   "  - {name: device, mass: 1.9, inertia: [0.04, 0.03, 0.05, 0, 0, 0]}\n"
                   "joints:\n"
                   "  - {kind: free, child: tool}\n"
                   "  - {kind: free, child: device}\n"
                   "haptic: {tool: tool, device: device, four_channel: [%g, %g, %g, %g]}\n"
                   "run: {until: 1 s, engine: haptic, dt: 0.9}\n"
                   "record: {every: 1}\n",
                   gain[i][0], gain[i][1], gain[i][2], gain[i][3]);
    felt f = felt_text(text);
    const double along[2] = {1 / 0.7 + 1 / 1.9, 1 / 0.7};
    const double about[2] = {1 / 0.02 + 1 / 0.04, 1 / 0.02}; // of the axis that yields most
    for (int measured = 0; measured < 2; measured++) {
      double expected = fmin(longest_of(gain[i][0], gain[i][1], along[measured]),
                             longest_of(gain[i][2], gain[i][3], about[measured]));
      double found = rh_haptic_longest_tick(f.h, f.d, measured);
      // the bound has 1e-9 of room
      ck_assert_msg(expected > 0.9 ? isinf(found) : fabs(found - expected) < 1e-9 * expected,
                    "%d, %d: %.12g of %.12g s", i, measured, found, expected);
    }
    felt_end(&f);
  }
}

END_TEST

// Largest relative speed of device and tool in the last of 4000 ticks, over that of their start. Their centres of mass are off the
// grip, so that forces turn them. The tool is free, or a rod on a hinge; the device is free.
static double speed_kept(const char *joint, double tick, double *longest)
{
  char text[1024];
  (void)snprintf(
      text, sizeof text,
      "world: {gravity: [0, 0, 0]}\n"
      "bodies:\n"
      "  - {name: tool, mass: 0.7, com: [0.1, 0.02, -0.05], inertia: [0.02, 0.03, 0.04, 0, 0, 0]}\n"
      "  - {name: device, mass: 1.9, com: [0, 0.03, 0.02], inertia: [0.04, 0.03, 0.05, 0, 0, 0]}\n"
      "joints:\n"
      "  - {%s, child: tool}\n"
      "  - {kind: free, child: device}\n"
      "haptic: {tool: tool, device: device, four_channel: [100, 5, 2, 0.1]}\n"
      "run: {until: 1 s, engine: haptic, dt: %.17g}\n"
      "record: {every: 1}\n",
      joint, tick);
  felt f = felt_text(text);
  rh_haptic_out out;
  double start = 0;
  double last = 0;
  *longest = rh_haptic_longest_tick(f.h, f.d, false);
  for (int i = 0; i < 6; i++) {
    f.d->v[f.m->nv - 6 + i] = 1e-7 * (i % 2 == 0 ? 1 : -0.6);
  }
  for (int k = 0; k <= 4000; k++) {
    rh_kinematics(f.d);
    rh_vec3 v = rh_sub(f.d->kin[2].v.lin, f.d->kin[1].v.lin);
    rh_vec3 w = rh_sub(f.d->kin[2].v.ang, f.d->kin[1].v.ang);
    double speed = rh_norm(v) + rh_norm(w);
    start = k == 0 ? speed : start;
    last = k > 3950 ? fmax(last, speed) : 0;
    rh_haptic_tick(f.h, f.d, NULL, &out);
  }
  felt_end(&f);
  return last / start;
}

// Just within the longest tick a small motion dies away, just beyond it grows: the loop itself is run.
START_TEST(grows_beyond_longest_tick)
{
  static const char *const joint[] = {"kind: free",
                                      "kind: revolute, axis: [0.2, 0.3, 0.9], at: [0.3, 0, 0]"};
  for (int i = 0; i < RH_COUNT(joint); i++) {
    double longest;
    double none;
    (void)speed_kept(joint[i], 0.9, &longest);
    double within = speed_kept(joint[i], 0.995 * longest, &none);
    ck_assert(isinf(none));
    double beyond = speed_kept(joint[i], 1.005 * longest, &none);
    ck_assert(fabs(none - longest) < 1e-9 * longest);
    ck_assert_msg(within < 1 && beyond > 100, "%s: %g and %g of the speed, at %g s", joint[i],
                  within, beyond, longest);
  }
}

END_TEST

// A measured device of a linkage is put where it was measured, if the linkage reaches there, with its velocity; the tool follows by the
// coupling. Beyond its reach (0.4 m) it stays at the nearest place.
START_TEST(measured_device)
{
  felt f = twin_linkages(", hand: live", "0.001");
  rh_haptic_out out;
  rh_hand_in in = {.live = true, .has_pose = true};
  int tip = rh_model_find(f.m, RH_OBJECT_BODY, "d3");
  rh_kinematics(f.d);
  rh_vec3 home = f.d->kin[tip].p;
  double angle = 2.7;
  for (int k = 0; k < 400; k++) {
    double t = 0.001 * k;
    double pose[7] = {
        home.x + 0.05 * sin(2 * t),  home.y - 0.1 * t, 0, cos(0.5 * (angle + 0.2 * t)), 0, 0,
        sin(0.5 * (angle + 0.2 * t))};
    double twist[6] = {0.1 * cos(2 * t), -0.1, 0, 0, 0, 0.2};
    memcpy(in.pose, pose, sizeof pose);
    memcpy(in.twist, twist, sizeof twist);
    rh_data *copy = f.d;
    rh_haptic_tick(f.h, copy, &in, &out);
    // a tick later it has moved on by its velocity
    rh_kinematics(f.d);
    near_abs(f.d->kin[tip].p.x, pose[0] + 0.001 * twist[0], 1e-6); // the tick's curvature
    near_abs(f.d->kin[tip].p.y, pose[1] + 0.001 * twist[1], 1e-6);
  }
  rh_vec3 gap = grip_gap(&f, "d3", "t3", rh_v3(0, 0, 0));
  ck_assert(rh_norm(gap) < 5e-3); // inertia over damping: a lag of v m/B
  in.pose[0] = 1;
  in.pose[1] = 0;
  memset(in.twist, 0, sizeof in.twist);
  for (int k = 0; k < 20; k++) {
    rh_haptic_tick(f.h, f.d, &in, &out);
  }
  for (int i = 0; i < f.m->nv; i++) {
    ck_assert(isfinite(f.d->v[i]) && isfinite(f.d->q[i]));
  }
  felt_end(&f);
}

END_TEST

// cb-uc: without contact the tool is at the device, exactly; in contact it stays out while the device goes in.
START_TEST(unilateral_coupler)
{
  felt f = felt_scene("haptic-linkage-device.yaml",
                      (const char *const[]){"haptic.method=cb-uc", "haptic.hand=force",
                                            "haptic.push=[0,-4,0]", "haptic.twist=[0,0,0]"},
                      4);
  rh_haptic_out out;
  int open = 0;
  int closed = 0;
  double before = 0;
  for (int k = 0; k < 800; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    double apart = rh_norm(grip_gap(&f, "handle", "rod3", rh_v3(0.1, 0, 0)));
    open += f.d->haptic->active == 0;
    closed += f.d->haptic->active != 0;
    if (f.d->haptic->active == 0) { // else it may have left the reach of the linkage, or touched
      near_abs(before, 0, 1e-6);    // nearer is within reach (grip.c)
    }
    before = f.d->haptic->active == 0 ? apart : 0;
  }
  ck_assert(open > 50 && closed > 20);
  ck_assert(f.d->haptic->returned <= 0);
  felt_end(&f);
}

END_TEST

// A device of 1 kg at 1 m/s with a tool of 4 kg that stops at a wall: the whole impulse, 4 N s, would throw it back at 3 m/s; that which
// gives it no energy is 2 N s: it goes back at 1 m/s. The coupling of the tick is zero: both are at one place with one velocity.
START_TEST(passive_impulse)
{
  static const char *const text =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies:\n"
      "  - {name: tool, mass: 4, inertia: [1, 1, 1, 0, 0, 0]}\n"
      "  - {name: hand, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
      "joints:\n"
      "  - {kind: planar, child: tool, normal: [0, 0, 1], q: [-0.0001, 0, 0], v: [-1, 0, 0]}\n"
      "  - {kind: planar, child: hand, normal: [0, 0, 1], q: [-0.0001, 0, 0], v: [-1, 0, 0]}\n"
      "shapes:\n"
      "  - {body: tool, kind: sphere, radius: 0.1, at: [0.1, 0, 0]}\n"
      "  - {name: wall, body: world, kind: plane, rpy: [0, 1.5707963267948966, 0]}\n"
      "contacts:\n"
      "  - {name: touch, body: tool, against: world, law: kelvin-voigt, k: 1000, b: 10}\n"
      "haptic: {tool: tool, device: hand, passive: %s}\n"
      "run: {until: 1 s, engine: haptic, dt: 0.001}\n"
      "record: {every: 0.001}\n";
  for (int i = 0; i < 2; i++) {
    char full[2048];
    (void)snprintf(full, sizeof full, text, i == 0 ? "no" : "yes");
    felt f = felt_text(full);
    rh_haptic_out out;
    ck_assert_int_eq(f.warnings, i == 0 ? 1 : 0);
    rh_haptic_tick(f.h, f.d, NULL, &out);
    near_abs(f.d->v[3], i == 0 ? 3 : 1, 1e-12);
    near_abs(f.d->v[0], 0, 1e-12);
    felt_end(&f);
  }
}

END_TEST

// Random pushing at two rates: the hand gets back no more than it put in, device and tool stay together, the ledger's residue is bounded
// by the run. A minute.
START_TEST(random_pushing)
{
  static const char *const rate[] = {"run.dt=0.001953125", "run.dt=0.001"};
  static const char *const seed[] = {"haptic.seed=1", "haptic.seed=2", "haptic.seed=3"};
  const char *const set[] = {rate[_i % 2], seed[_i / 2], "record.every=0.01"};
  felt f = felt_scene("haptic-linkage-device.yaml", set, 3);
  rh_haptic_out out;
  double apart = 0;
  double speed = 0;
  int hand = rh_model_find(f.m, RH_OBJECT_BODY, "handle");
  long ticks = lround((RH_TEST_SLOW ? 4 : 60) / rh_haptic_dt(f.h));
  for (long k = 0; k < ticks; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    if (k % 4 == 0) {
      speed = fmax(speed, rh_norm(f.d->kin[hand].v.lin));
      apart = fmax(apart, rh_norm(grip_gap(&f, "handle", "rod3", rh_v3(0.1, 0, 0))));
    }
  }
  ck_assert(f.d->haptic->collisions > 2 && out.hand_work > 0.1);
  ck_assert_msg(out.returned <= 0, "%g J came back", out.returned);
  // 2 kg at its greatest speed, stopped by 400 N/m, with less than 3 N on each side
  double bound = speed * sqrt(2.0 / 400) + 6.0 / 400;
  ck_assert_msg(apart < bound, "device and tool were %g m apart, %g allowed", apart, bound);
  felt_end(&f);
}

END_TEST

START_TEST(refused_devices)
{
  static const char *const bad[][2] = {
      {"haptic.device=rod1", "another tree"},
      {"haptic.device=rod3", "another body"},
      {"haptic.change=0", "change"},
  };
  for (int i = 0; i < RH_COUNT(bad); i++) {
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *m = NULL;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/scenes/haptic-linkage-device.yaml", ROUTH_SOURCE_DIR);
    rh_status status = rh_scene_load(path, bad[i], 1, diag, &scene);
    status = status == RH_OK ? rh_scene_compile(scene, diag, &m) : status;
    ck_assert_int_eq(status, RH_INPUT_REFUSED);
    ck_assert_msg(strstr(rh_diag_get(diag, 0).text, bad[i][1]), "%s", rh_diag_get(diag, 0).text);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_unit_haptic_grip(void)
{
  Suite *s = suite_create("unit_haptic_grip");
  TCase *t = tcase_create("grip");
  tcase_add_test(t, wrench_on_a_lever);
  tcase_add_test(t, twin_linkage_follows);
  tcase_add_test(t, longest_tick);
  tcase_add_test(t, grows_beyond_longest_tick);
  tcase_add_test(t, measured_device);
  tcase_add_test(t, unilateral_coupler);
  tcase_add_test(t, passive_impulse);
  tcase_add_loop_test(t, random_pushing, 0, 6);
  tcase_add_test(t, refused_devices);
  suite_add_tcase(s, t);
  return s;
}
