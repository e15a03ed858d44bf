// unit_haptic.c: the parts of the haptic loop: groups and states, limits, penalties and friction, accelerations of a group, collisions spread
// over ticks, device and tool of unequal inertia ([CSC]; numbers of reference/haptic.json).
#include "haptic.h"

#include "collision/contact_clusters.h"

// ---- Groups and states

// machine-1: contacts a b x y depth v_n of each step; body 0 does not move, bodies 3 and 4 are a linkage.
START_TEST(machine)
{
  static const struct {
    int n;
    double c[3][6];
    int group[5];
    int state[5]; // of bodies 1 to 4
  } steps[] = {
      {0, {{0}}, {-1, 1, 2, 3, 3}, {0, 0, 0, 0, 0}},
      {1, {{1, 0, 0, 0, 1e-4, -0.1}}, {-1, 1, 2, 3, 3}, {0, 1, 0, 0, 0}},
      {1, {{1, 0, 0.0005, 0, 2e-4, -0.01}}, {-1, 1, 2, 3, 3}, {0, 2, 0, 0, 0}},
      {2,
       {{1, 0, 0.001, 0, 2e-4, 0}, {2, 1, 0.05, 0.02, 1e-4, -0.2}},
       {-1, 1, 1, 3, 3},
       {0, 1, 1, 0, 0}},
      {3,
       {{1, 0, 0.0012, 0, 2e-4, -0.05}, {2, 1, 0.051, 0.02, 3e-4, 0.1}, {3, 0, 0.2, 0, 1e-4, 0.05}},
       {-1, 1, 1, 3, 3},
       {0, 2, 2, 2, 2}},
      {2,
       {{1, 0, 0.005, 0, 2e-4, -0.05}, {3, 0, 0.2, 0, 1e-4, -0.05}},
       {-1, 1, 2, 3, 3},
       {0, 1, 0, 2, 2}},
      {2,
       {{3, 2, 0.21, 0.03, 1e-4, -0.01}, {1, 0, 0.0052, 0, 1e-4, -0.02}},
       {-1, 1, 2, 2, 2},
       {0, 2, 1, 1, 1}},
      {1, {{2, 1, 0.05, 0.02, 1e-4, 0}}, {-1, 1, 1, 3, 3}, {0, 2, 2, 0, 0}},
  };

  static const int node[5] = {0, 1, 2, 3, 3};
  rh_track *t;
  rh_track_opt opt = {0.001, 0.9, 0.002, 8, 8};
  rh_slot slot[8] = {0};
  rh_track_memory memory[8] = {0};
  double next = 0;
  const rh_track_array array = {slot, memory, &next};
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_OK);
  for (int k = 0; k < RH_COUNT(steps); k++) {
    rh_contact p[3];
    rh_haptic_pair pair[3];
    rh_track_result r;
    int group[5];
    rh_haptic_state state[5];
    for (int i = 0; i < steps[k].n; i++) {
      const double *c = steps[k].c[i];
      p[i] = (rh_contact){.shape = {(int)c[0], (int)c[1]},
                          .point = {c[2], c[3], 0},
                          .n = {0, 1, 0},
                          .depth = c[4],
                          .id = RH_NONE};
    }
    ck_assert_int_eq(rh_track_update(t, &array, p, steps[k].n, &r), RH_OK);
    memset(slot, 0, sizeof slot);
    for (int i = 0; i < r.count; i++) {
      const rh_contact *c = &r.contact[i];
      slot[r.slot[i]] = (rh_slot){.used = 1, .a = c->shape[0], .b = c->shape[1], .id = c->id};
    }
    for (int i = 0; i < steps[k].n; i++) {
      bool fresh = r.fresh[r.owner[i]];
      pair[i] =
          (rh_haptic_pair){node[p[i].shape[0]], node[p[i].shape[1]], fresh && steps[k].c[i][5] < 0};
    }
    (void)rh_haptic_groups(5, pair, steps[k].n, group, state);
    for (int b = 1; b < 5; b++) {
      ck_assert_msg(group[node[b]] == steps[k].group[b], "step %d, body %d: group %d", k, b,
                    group[node[b]]);
      ck_assert_msg((int)state[node[b]] == steps[k].state[b], "step %d, body %d: state %d", k, b,
                    (int)state[node[b]]);
    }
  }
  rh_track_destroy(t);
}

END_TEST

// ---- Limits

// limits-paper, limits-elastic
START_TEST(limits)
{
  static const double limit[6] = {15, 15, HUGE_VAL, HUGE_VAL, HUGE_VAL, 1};

  static const struct {
    double e, F[3], saturated[3], alpha, scaled[3], e_eff;
  } row[] = {
      {0,
       {0, -104.9, -1.007},
       {0, -15, -1},
       0.14299332697807435,
       {0, -15, -0.14399428026692085},
       -0.8570066730219257},
      {0,
       {96.2, -1.7, -0.396},
       {15, -1.7, -0.396},
       0.15592515592515593,
       {15, -0.26507276507276506, -0.06174636174636175},
       -0.844074844074844},
      {0,
       {4.07, -7.84, 1.87},
       {4.07, -7.84, 1},
       0.53475935828877,
       {2.176470588235294, -4.192513368983956, 1},
       -0.46524064171123003},
      {0, {10, 5, 0.1}, {10, 5, 0.1}, 1, {10, 5, 0.1}, 0},
      {1, {20, 0, 0}, {15, 0, 0}, 0.75, {15, 0, 0}, 0.5},
      {1, {0, 60, -0.5}, {0, 15, -0.5}, 0.25, {0, 15, -0.125}, -0.5},
  };

  for (int i = 0; i < RH_COUNT(row); i++) {
    const double F[6] = {row[i].F[0], row[i].F[1], 0, 0, 0, row[i].F[2]};
    rh_limited s = rh_haptic_limit(RH_LIMITS_SATURATE, limit, row[i].e, F);
    const double device[3] = {s.device[0], s.device[1], s.device[5]};
    near_array(s.tool, F, 6, 0, 0);
    near_array(device, row[i].saturated, 3, 1e-12, 1e-12);
    for (int mode = RH_LIMITS_SCALE; mode <= (int)RH_LIMITS_SPREAD; mode++) {
      rh_limited x = rh_haptic_limit((rh_haptic_limits)mode, limit, row[i].e, F);
      const double tool[3] = {x.tool[0], x.tool[1], x.tool[5]};
      near_rel(x.alpha, row[i].alpha, 1e-12);
      near_abs(x.e_eff, row[i].e_eff, 1e-12);
      near_array(tool, row[i].scaled, 3, 1e-12, 1e-12);
      ck_assert_int_eq(x.scaled, row[i].alpha < 1); // spread: it goes on colliding
    }
  }
}

END_TEST

// ---- One body and a wall

static const char wall_text[] =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies: [{name: block, mass: 2}]\n"
    "joints: [{kind: prismatic, child: block, axis: [1, 0, 0], q: [%g], v: [%g]}]\n"
    "shapes:\n"
    "  - {body: block, kind: sphere, radius: 0.1}\n"
    "  - {body: world, kind: plane, rpy: [0, 1.5707963267948966, 0]}\n"
    "contacts: [{name: wall, body: block, against: world, law: kelvin-voigt, k: %g, b: %g}]\n"
    "haptic: {tool: block, %s}\n"
    "run: {engine: haptic, dt: 0.001953125}\n";

static felt wall_of(double depth, double v, double k, double b, const char *haptic)
{
  char text[1024];
  (void)snprintf(text, sizeof text, wall_text, 0.1 - depth, v, k, b, haptic);
  return felt_text(text);
}

// penalty-paper: the force is v's change over a tick
START_TEST(penalty)
{
  static const double row[][3] = {{-0.001, 0, 1},        {-0.001, -0.1, 6}, {-0.001, 0.01, 0.5},
                                  {-0.001, 0.05, 0},     {0, -0.1, 0},      {0.002, -0.1, 0},
                                  {-0.0002, -0.002, 0.3}};
  for (int i = 0; i < RH_COUNT(row); i++) {
    felt f = wall_of(-row[i][0], row[i][1], 1000, 50, "method: pb");
    rh_haptic_out out;
    rh_haptic_tick(f.h, f.d, NULL, &out);
    near_abs(out.env[0], row[i][2],
             1e-11); // depth is 0.1 m less a place: rounded at 1e-17 m, times k
    near_abs(2 * (f.d->v[0] - row[i][1]) * 512, row[i][2], 1e-11);
    felt_end(&f);
  }
}

END_TEST

// friction-paper: the row of the friction table
START_TEST(friction)
{
  static const double row[][5] = {
      {10, 0.02, 0, -3, 0}, {10, 0.005, 0, -1.5, 0},        {10, -0.005, 0, 1.5, 0},
      {10, 0, 0, 0, 0},     {10, 0.003, -0.004, -0.9, 1.2}, {4, 0.06, 0.08, -0.72, -0.96},
      {0, 1, 0, 0, 0}};
  const rh_friction_law *law = rh_friction_law_find("threshold");
  const double par[] = {0.3, 0.01};
  for (int i = 0; i < RH_COUNT(row); i++) {
    rh_friction_in in = {1e-3, 0, row[i][0], {row[i][1], row[i][2]}, par, NULL, 1};
    rh_friction_out out = {0};
    law->force(&in, &out);
    near_array(out.force, row[i] + 3, 2, 1e-12, 1e-12);
  }
}

END_TEST

// spread1d: velocities tick by tick, no other force. carry: the first tick's target is kept.
START_TEST(spread)
{
  static const struct {
    double e;
    bool carry;
    int steps;
    double last;
  } row[] = {{0, false, 7, 0},
             {0, true, 7, 0},
             {0.5, false, 7, 0.0025390624999999944},
             {0.5, true, 11, 0.05},
             {1, false, 7, 0.0025390624999999927},
             {1, true, 14, 0.1}};

  for (int i = 0; i < RH_COUNT(row); i++) {
    char haptic[160];
    (void)snprintf(haptic, sizeof haptic, "e: %g, carry: %s, limits: spread, limit: [15, 1]",
                   row[i].e, row[i].carry ? "yes" : "no");
    felt f = wall_of(1e-3, -0.1, 1e-12, 0, haptic);
    rh_haptic_out out = {0};
    double v = -0.1;
    for (int k = 0; k < row[i].steps; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      ck_assert_int_eq(out.state, RH_STATE_COLLIDING);
      v = k + 1 < row[i].steps ? v + 15.0 / 2 / 512 : row[i].last;
      near_abs(f.d->v[0], v, 1e-12);
      bool scaled =
          k + 1 < row[i].steps || (!row[i].carry && row[i].e > 0); // asked anew: 18 N at last
      ck_assert_int_eq(out.e_eff < row[i].e - 1e-12, scaled);
    }
    rh_haptic_tick(f.h, f.d, NULL, &out);
    ck_assert_int_eq(out.state, RH_STATE_RESTING);
    near_abs(f.d->v[0], row[i].last, 1e-12);
    felt_end(&f);
  }
}

END_TEST

static const char twin_text[] =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies:\n"
    "  - {name: tool, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
    "  - {name: device, mass: %g, inertia: [%g, %g, %g, 0, 0, 0]}\n"
    "joints:\n"
    "  - {kind: planar, child: tool, normal: [0, 0, 1], q: [0.0999, 0, 0], v: [-0.1, 0, 0]}\n"
    "  - {kind: planar, child: device, normal: [0, 0, 1], q: [0.0999, 0, 0], v: [-0.1, 0, 0]}\n"
    "shapes:\n"
    "  - {body: tool, kind: sphere, radius: 0.1}\n"
    "  - {body: world, kind: plane, rpy: [0, 1.5707963267948966, 0]}\n"
    "contacts: [{name: wall, body: tool, against: world, law: kelvin-voigt, k: 1000, b: 50}]\n"
    "haptic: {tool: tool, device: device, e: %g%s}\n"
    "run: {engine: haptic, dt: 0.001953125}\n";

static felt twins(double ratio, double e, const char *more)
{
  char text[1400];
  double I = 0.01 * ratio;
  (void)snprintf(text, sizeof text, twin_text, 2 * ratio, I, I, I, e, more);
  return felt_text(text);
}

// device-ratio: the device gets the tool's impulse; its energy grows if it is lighter than (1 + e)/2 of the tool, which is warned of.
START_TEST(device_ratio)
{
  static const double ratio[] = {0.25, 0.5, 0.75, 1, 2};
  for (int i = 0; i < RH_COUNT(ratio); i++) {
    for (double e = 0; e <= 1; e += 0.5) {
      felt f = twins(ratio[i], e, "");
      rh_haptic_out out;
      rh_haptic_tick(f.h, f.d, NULL, &out);
      double want = -0.1 + (1 + e) * 0.1 / ratio[i];
      near_abs(f.d->v[0], e * 0.1, 1e-14);
      near_abs(f.d->v[3], want, 1e-14);
      ck_assert_int_eq(f.warnings, ratio[i] < (1 + e) / 2);
      ck_assert_int_eq(f.warnings, want * want > 0.01 * (1 + 1e-12));
      felt_end(&f);
    }
  }
}

END_TEST

// A pulse of any shape gives the device the whole impulse, and so the same speed, over its ticks.
START_TEST(pulses)
{
  static const char *const shape[] = {"flat", "half-sine", "triangle"};
  for (int i = 0; i < RH_COUNT(shape); i++) {
    char more[128];
    (void)snprintf(more, sizeof more, ", pulse: %s, pulse_ticks: 8, four_channel: [0, 0, 0, 0]",
                   shape[i]);
    felt f = twins(1, 0.5, more);
    rh_haptic_out out;
    double most = 0;
    double sum = 0;
    for (int k = 0; k < 8; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      most = fmax(most, out.wrench[0]);
      sum += out.wrench[0] / 512;
      ck_assert(k > 0 || i == 0 || out.wrench[0] < 0.3 / 8 * 512); // it begins gently
    }
    near_abs(sum, 0.3, 1e-14);
    near_abs(f.d->v[3], 0.05, 1e-14);
    ck_assert(i == 0 ? fabs(most - 0.3 / 8 * 512) < 1e-9 : most > 0.3 / 8 * 512);
    rh_haptic_tick(f.h, f.d, NULL, &out);
    near_abs(out.wrench[0], 0, 0);
    felt_end(&f);
  }
}

END_TEST

// Whatever the environment asks for, the device never gets more than the clamps.
START_TEST(clamps)
{
  felt f = twins(1, 1, ", clamp: [4, 0.5]");
  rh_haptic_out out;
  rh_haptic_tick(f.h, f.d, NULL, &out);
  near_rel(out.env[0], 2 * 2 * 0.1 * 512, 1e-12);
  near_rel(out.wrench[0], 4, 1e-14);
  felt_end(&f);
}

END_TEST

// ---- Accelerations of a group (7): group-accel
START_TEST(accelerations)
{
  static const double q[9] = {0.2, 1.1, 0.6, -0.12, 0.02, 0, 0.15, -0.1, 0};
  static const double v[9] = {1.5, 1.0, -0.5, 0.3, 0.1, 2.0, -0.35, 0.25, 0};
  static const double want[9] = {-88.05498106668566,
                                 133.52274276307028,
                                 -158.96795178773033,
                                 6.0,
                                 -8.21,
                                 106.66666666666667,
                                 0.0,
                                 -9.81,
                                 0.0};
  static const char *const set[] = {"world.gravity=[0,-9.81,0]", "haptic.push=[0.5,-0.3,0]"};
  felt f = felt_scene("haptic-linkage.yaml", set, 2);
  int rod2 = rh_model_find(f.m, RH_OBJECT_BODY, "rod2");
  int disc1 = rh_model_find(f.m, RH_OBJECT_BODY, "disc1");
  memcpy(f.d->q, q, sizeof q);
  memcpy(f.d->v, v, sizeof v);
  rh_kinematics(f.d);
  rh_vec3 on_rod = {-1, 2, 0};
  rh_vec3 on_disc = {1.5, 0.4, 0};
  rh_vec3 r = rh_rotate(&f.d->kin[rod2].R, rh_v3(0.05, 0, 0));
  f.d->fext[rod2] = (rh_force){rh_cross(r, on_rod), on_rod};
  f.d->fext[disc1] = (rh_force){rh_cross(rh_v3(0.03, 0, 0), on_disc), on_disc};
  rh_haptic_out out;
  rh_haptic_tick(f.h, f.d, NULL, &out);
  ck_assert_int_eq(out.ncontact, 0);
  double a[9];
  for (int i = 0; i < 9; i++) {
    a[i] = (f.d->v[i] - v[i]) * 512;
  }
  near_array(a, want, 9, 1e-9, 1e-9);
  // D where it was before the tick; between bodies it is zero
  static const double inertia[9] = {
      0.014049558642961693,  0.006231714480075257, 0.0009838595631579902,
      0.006231714480075257,  0.004747203650522154, 0.00108693515859441,
      0.0009838595631579902, 0.00108693515859441,  0.000426666666666667};
  static const double disc[6] = {0.25, 0.25, 0.0001125, 0.15, 0.15, 4.6875e-05};
  double D[81] = {0};
  memcpy(f.d->q, q, sizeof q);
  rh_kinematics(f.d);
  rh_mass_matrix(f.d);
  rh_mass_dense(f.d, D);
  for (int i = 0; i < 81; i++) {
    int row = i / 9;
    int c = i % 9;
    near_abs(D[i], row < 3 && c < 3 ? inertia[3 * row + c] : row == c ? disc[row - 3] : 0, 1e-15);
  }
  felt_end(&f);
}

END_TEST

Suite *rh_suite_unit_haptic(void)
{
  Suite *suite = suite_create("unit_haptic");
  TCase *parts = tcase_create("parts");
  tcase_add_test(parts, machine);
  tcase_add_test(parts, limits);
  tcase_add_test(parts, penalty);
  tcase_add_test(parts, friction);
  tcase_add_test(parts, spread);
  tcase_add_test(parts, device_ratio);
  tcase_add_test(parts, pulses);
  tcase_add_test(parts, clamps);
  tcase_add_test(parts, accelerations);
  suite_add_tcase(suite, parts);
  return suite;
}
