// unit_haptic_device.c: pulses by materials, the observer of the hand's force, constraints through four channels, the map of stable loops.
#include "haptic.h"

#include <routh/kind.h>

// ---- Pulses

static const rh_haptic_pulse *pulse_named(const char *name)
{
  const rh_haptic_pulse *p = rh_haptic_pulse_find(name);
  ck_assert_ptr_nonnull(p);
  return p;
}

// Shares of every row sum to one, whatever the duration; a pulse within a tick is one share.
START_TEST(shares_of_pulses)
{
  int count;
  const rh_haptic_pulse *const *row = rh_haptic_pulse_table(&count);
  for (int i = 0; i < count; i++) {
    double par[RH_PAR_MAX] = {0};
    rh_row_defaults(&row[i]->row, par);
    rh_pulse_in in = {.par = par, .mass = 2, .speed = 0.3};
    ck_assert(row[i]->duration(&in) > 0);
    for (double T = 1e-4; T < 1; T *= 1.7) {
      double share[RH_PULSE_MAX];
      double sum = 0;
      int n = rh_haptic_pulse_shares(row[i], &in, T, 0.001, share);
      ck_assert(n >= 1 && n <= RH_PULSE_MAX);
      for (int k = 0; k < n; k++) {
        sum += share[k];
      }
      near_abs(sum, 1, 1e-12);
      ck_assert(T > 0.001 || n == 1);
    }
  }
}

END_TEST

// Half a sine over four ticks: (1 - cos 45)/2, (cos 45)/2. Hertz: 2.868 (m^2/(R E*^2 v))^(1/5), symmetric, the integral of sin^3/2 up to a
// quarter of the pulse by quadrature (0.08886 of 0.5564). Ring: exp(-bt) sin wt from zero to t in closed form.
START_TEST(courses_of_pulses)
{
  double share[RH_PULSE_MAX];
  double par[RH_PAR_MAX] = {0};
  rh_pulse_in in = {.par = par, .mass = 0.5, .speed = 0.4};
  ck_assert_int_eq(rh_haptic_pulse_shares(pulse_named("half-sine"), &in, 0.004, 0.001, share), 4);
  near_abs(share[0], 0.5 * (1 - sqrt(0.5)), 1e-12);
  near_abs(share[1], 0.5 * sqrt(0.5), 1e-12);
  par[0] = 1e6;
  par[1] = 0.03;
  double T = pulse_named("hertz")->duration(&in);
  near_rel(T, 2.868 * pow(0.25 / (0.03 * 1e12 * 0.4), 0.2), 3e-4); // four digits of 2.868
  ck_assert_int_eq(rh_haptic_pulse_shares(pulse_named("hertz"), &in, 0.004, 0.001, share), 4);
  near_abs(share[0], share[3], 1e-4); // Simpson at the ends, where sin^3/2 is not smooth
  double exact = 0;
  double whole = 0;
  for (int i = 0; i < 40000; i++) {
    double f = pow(sin(3.14159265358979323846 * (i + 0.5) / 40000), 1.5) / 40000;
    whole += f;
    exact += i < 10000 ? f : 0;
  }
  near_abs(share[0], exact / whole, 1e-4);
  par[0] = 100;
  par[1] = 90;
  int n = rh_haptic_pulse_shares(pulse_named("ring"), &in, pulse_named("ring")->duration(&in),
                                 0.001, share);
  ck_assert_int_eq(n, RH_PULSE_MAX);
  double w = 2 * 3.14159265358979323846 * 100;
  double c1 =
      w - exp(-0.09) * (90 * sin(0.1 * 6.283185307179586) + w * cos(0.1 * 6.283185307179586));
  double cn =
      w - exp(-1.44) * (90 * sin(1.6 * 6.283185307179586) + w * cos(1.6 * 6.283185307179586));
  near_rel(share[0], c1 / cn, 1e-12);
  ck_assert(share[5] < 0); // it swings back
}

END_TEST

// The device of a ball that hits a table gets the impulse of the collision, by the course of the contact's material: stiff in a tick,
// soft over T; its velocity at the end is the same.
START_TEST(materials_of_contacts)
{
  static const char *const modulus[] = {"table.modulus=1e11", "table.modulus=2e5"};
  double peak[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const char *const set[] = {"table.pulse=hertz", modulus[i], "table.tip=0.03",
                               "haptic.four_channel=[0,0,0,0]", "haptic.collide=map"};
    felt f = felt_scene("haptic-spin.yaml", set, 5);
    rh_haptic_out out;
    double sum = 0;
    for (int k = 0; k < 100; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      peak[i] = fmax(peak[i], out.wrench[2]);
      sum += 0.001 * out.wrench[2];
    }
    near_abs(sum, 1.5 * 0.5 * 0.5, 1e-12);
    near_abs(f.d->v[8], 0.25, 1e-12);
    felt_end(&f);
  }
  near_rel(peak[0], 375, 1e-12); // 0.375 N s in a tick of 1 ms
  ck_assert(peak[1] < 375.0 / 4);
}

END_TEST

// ---- Observer

// A constant force F on a device: the observer has F (1 - exp(-w t)) after the time t, and the tool gets it. A twin; and a device in the
// plane that holds a linkage.
START_TEST(observed_force)
{
  const char *const peg[] = {"haptic.observer=60", "tool.q=[0.5,-0.5,0]", "device.q=[0.5,-0.5,0]"};
  const char *const arm[] = {"haptic.observer=60", "haptic.hand=force", "haptic.push=[0.1,-0.2,0]",
                             "haptic.twist=[0,0,0.01]"};
  felt f = _i == 0 ? felt_scene("haptic-peg-corner.yaml", peg, 3)
                   : felt_scene("haptic-linkage-device.yaml", arm, 4);
  rh_haptic_out out;
  const double *F = f.m->haptic.hand_force;
  for (int k = 0; k < 60; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    for (int i = 0; i < 6; i++) {
      bool blocked = i >= 2 && i <= 4; // out of the plane of the device
      double want = blocked ? 0 : F[i] * (1 - exp(-60 * k * rh_haptic_dt(f.h)));
      near_abs(f.d->haptic->observed[i], want,
               1e-10); // rounding of a velocity over a tick: 1e-16 / 2e-3 times some kg
    }
  }
  felt_end(&f);
}

END_TEST

// With a fast observer the peg comes to rest as with a sensor.
START_TEST(observed_run)
{
  felt f = felt_scene("haptic-peg-corner.yaml", (const char *const[]){"haptic.observer=200"}, 1);
  felt g = felt_scene("haptic-peg-corner.yaml", NULL, 0);
  rh_haptic_out out;
  for (int k = 0; k < 1536; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    rh_haptic_tick(g.h, g.d, NULL, &out);
  }
  for (int i = 0; i < 2; i++) {
    near_abs(f.d->q[i], g.d->q[i], 1e-4); // both flush: penalties carry the same force
  }
  ck_assert(f.d->haptic->returned <= 0);
  felt_end(&f);
  felt_end(&g);
}

END_TEST

// ---- Constraints through four channels

// A device with the inertia of the tool gets the same forces as the tool: it moves as under the weld but for the displacement that takes
// out overlap, 11 um at these steps.
START_TEST(ideal_through_four_channels)
{
  const char *const weld[] = {"haptic.method=ideal-glue", "run.dt=0.0001220703125"};
  const char *const four[] = {"haptic.method=ideal-glue", "run.dt=0.0001220703125",
                              "haptic.coupling=four-channel"};
  felt f = felt_scene("haptic-peg-corner.yaml", weld, 2);
  felt g = felt_scene("haptic-peg-corner.yaml", four, 3);
  rh_haptic_out out;
  double apart = 0;
  for (int k = 0; k < 12288; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    rh_haptic_tick(g.h, g.d, NULL, &out);
    for (int i = 0; i < 2; i++) {
      apart = fmax(apart, fabs(f.d->q[3 + i] - g.d->q[3 + i]));
    }
  }
  ck_assert(g.d->haptic->collisions > 1);
  ck_assert_msg(apart < 5e-5, "%g m apart", apart);
  felt_end(&f);
  felt_end(&g);
}

END_TEST

// ---- Convex parts of a concave object

// A ball comes to rest on the floor of its socket and the ten parts around it in every engine. They are tangent to a sphere with 0.2 mm
// more, at 40 degrees: k d + 10 k (d cos 40 - g) cos 40 = m g, g = 0.2 mm (1 - cos 40).
START_TEST(ball_at_rest_in_socket)
{
  static const char *const engine[] = {"run.engine=haptic", "run.engine=event",
                                       "run.engine=stepping"};
  const char *const set[] = {engine[_i], "haptic.hand=force", "haptic.push=[0,0,0]",
                             "haptic.twist=[0,0,0]",
                             "socket.mu=0"}; // with friction other places are equilibria too
  char path[512];
  rh_scene *scene = NULL;
  rh_model *m = NULL;
  rh_sim *sim = NULL;
  (void)snprintf(path, sizeof path, "%s/scenes/haptic-socket.yaml", ROUTH_SOURCE_DIR);
  ck_assert_int_eq(rh_scene_load(path, set, 5, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &m), RH_OK);
  ck_assert_int_eq(rh_sim_create(m, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  const double *q = rh_sim_data(sim)->q;
  double c = cos(40 * 3.14159265358979323846 / 180);
  double depth = (0.3 * 9.81 / 4000 + 10 * c * 0.0002 * (1 - c)) / (1 + 10 * c * c);
  near_abs(q[2], -0.0002 - depth, 1e-6); // settled within exp(-40)
  near_abs(q[0], 0, 1e-6);
  near_abs(q[1], 0, 1e-6);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
  rh_scene_destroy(scene);
}

END_TEST

static double collisions_in_socket(const char *const *set, int n, int *resting)
{
  felt f = felt_scene("haptic-socket.yaml", set, n);
  rh_haptic_out out;
  *resting = 0;
  for (int k = 0; k < 2000; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    double away = sqrt(f.d->q[0] * f.d->q[0] + f.d->q[1] * f.d->q[1] + f.d->q[2] * f.d->q[2]);
    ck_assert_msg(away < 0.009, "%g m from the middle", away); // its rim is 9 mm above
    ck_assert(n > 0 || f.d->haptic->depth < 1e-3);
    *resting += out.state == RH_STATE_RESTING;
  }
  double count = f.d->haptic->collisions;
  felt_end(&f);
  return count;
}

// Rolled about at random it stays within, and rests most of the time: parts that change do not make new contacts, while without clusters
// and coherence they do ([CSC] III).
START_TEST(ball_rolls_in_socket)
{
  int resting;
  int apart;
  const char *const set[] = {"haptic.d_cluster=0", "haptic.d_coh=1e-9"};
  double together = collisions_in_socket(NULL, 0, &resting);
  double each = collisions_in_socket(set, 2, &apart);
  ck_assert_msg(resting > 1500 && each > 2 * together, "%d, %d ticks at rest, %g, %g collisions",
                resting, apart, together, each);
}

END_TEST

Suite *rh_suite_unit_haptic_device(void)
{
  Suite *s = suite_create("unit_haptic_device");
  TCase *t = tcase_create("device");
  tcase_add_test(t, shares_of_pulses);
  tcase_add_test(t, courses_of_pulses);
  tcase_add_test(t, materials_of_contacts);
  tcase_add_loop_test(t, observed_force, 0, 2);
  tcase_add_test(t, observed_run);
  tcase_add_test(t, ideal_through_four_channels);
  tcase_add_loop_test(t, ball_at_rest_in_socket, 0, 3);
  tcase_add_test(t, ball_rolls_in_socket);
  suite_add_tcase(s, t);
  return s;
}
