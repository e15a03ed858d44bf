// unit_haptic_run.c: what must hold of any run of the haptic loop: books, restart, no memory taken, hands, no energy for the hand, many
// contacts, refusals.
#include "haptic.h"

// ---- Books

static rh_ledger ledger_at(const char *const *set, int n, double until)
{
  char path[512];
  rh_scene *scene = NULL;
  rh_model *m = NULL;
  rh_sim *sim = NULL;
  (void)snprintf(path, sizeof path, "%s/scenes/haptic-peg-corner.yaml", ROUTH_SOURCE_DIR);
  ck_assert_int_eq(rh_scene_load(path, set, n, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &m), RH_OK);
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_sim_create(m, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, until), RH_OK);
  rh_ledger l = rh_sim_ledger(sim);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
  return l;
}

// Without penalties (constraints only; two bodies of constant inertia) every joule is explained to rounding. With them what is left is
// the error of the springs' integration, of first order in the tick.
START_TEST(books_close)
{
  static const char *const exact[] = {"haptic.method=ideal-moreau", "haptic.method=ideal-glue",
                                      "haptic.method=cb-uc"};
  for (int i = 0; i < RH_COUNT(exact); i++) {
    rh_ledger l = ledger_at(&exact[i], 1, 1.5);
    ck_assert_msg(fabs(l.residue) < 1e-15 + 1e-12 * l.external, "%s: residue %g J", exact[i],
                  l.residue);
  }
  static const char *const sampled[] = {"haptic.method=iapb", "haptic.method=pb"};
  for (int i = 0; i < RH_COUNT(sampled); i++) {
    const char *const coarse[] = {sampled[i]};
    const char *const fine[] = {sampled[i], "run.dt=0.00006103515625"};
    double first = fabs(ledger_at(coarse, 1, 1.5).residue);
    double second = fabs(ledger_at(fine, 2, 1.5).residue);
    ck_assert_msg(second < first / 8, "%s: residues %g and %g J", sampled[i], first, second);
  }
}

END_TEST

// Contacts have the world's slots: their channels show what presses, from the state alone.
START_TEST(contacts_are_seen)
{
  felt f = felt_scene("haptic-peg-corner.yaml", (const char *const[]){"haptic.method=pb"}, 1);
  rh_channels *c = rh_channels_create(f.m);
  rh_haptic_out out;
  for (int k = 0; k < 1500; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
  }
  double seen = 0;
  for (int i = 0; i < 8; i++) {
    char name[32];
    double value[2];
    int index[2];
    (void)snprintf(name, sizeof name, "wall.%d.depth", i);
    index[0] = rh_channel_find(c, name);
    (void)snprintf(name, sizeof name, "wall.%d.normal", i);
    index[1] = rh_channel_find(c, name);
    ck_assert(index[0] != RH_NONE && index[1] != RH_NONE);
    rh_channels_read(c, f.d, index, 2, value);
    seen = fmax(seen, value[0]);
    ck_assert(value[0] <= 0 || fabs(value[1] - 1000 * value[0]) < 0.5); // nearly at rest
  }
  near_abs(seen, f.d->haptic->depth, 2e-5); // a tick later
  int index = rh_channel_find(c, "haptic.wrench_fx");
  double value;
  rh_channels_read(c, f.d, &index, 1, &value);
  near_abs(value, out.wrench[0], 0);
  rh_channels_destroy(c);
  felt_end(&f);
}

END_TEST

// ---- Restart: a run that is cut goes on with the same bits.
START_TEST(restart)
{
  static const char *const methods[] = {"haptic.method=iapb", "haptic.method=cb-uc",
                                        "haptic.method=pb"};
  for (int i = 0; i < RH_COUNT(methods); i++) {
    const char *const set[] = {methods[i], "haptic.limits=spread", "haptic.pulse_ticks=3"};
    felt f = felt_scene("haptic-peg-corner.yaml", set, 3);
    felt g = felt_scene("haptic-peg-corner.yaml", set, 3);
    rh_haptic_out out;
    for (int k = 0; k < 600; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      if (k % 50 == 23) { // in flight, in a collision, at rest
        memcpy(g.d->state, f.d->state, (size_t)f.m->layout.nstate * sizeof(double));
      } else {
        rh_haptic_tick(g.h, g.d, NULL, &out);
      }
      ck_assert(k < 24 || rh_data_hash(f.d, 0) == rh_data_hash(g.d, 0));
    }
    felt_end(&f);
    felt_end(&g);
  }
}

END_TEST

// ---- Memory

static void *no_memory(void *user, void *block, size_t bytes)
{
  (void)user;
  (void)block;
  ck_assert_msg(bytes == 0, "a tick allocates");
  return NULL;
}

START_TEST(no_allocation)
{
  static const char *const methods[] = {"haptic.method=iapb", "haptic.method=cb-uc",
                                        "haptic.method=ideal-glue"};
  for (int i = 0; i < RH_COUNT(methods); i++) {
    felt f = felt_scene("haptic-peg-corner.yaml", &methods[i], 1);
    rh_haptic_out out;
    rh_allocator none = {.resize = no_memory};
    rh_hook_set_allocator(&none);
    int most = 0;
    for (int k = 0; k < 600; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      most = out.ncontact > most ? out.ncontact : most;
    }
    rh_hook_set_allocator(NULL);
    ck_assert_int_gt(most, 1);
    felt_end(&f);
  }
}

END_TEST

// ---- Hands

// A recorded hand that holds the same force is the constant hand, bit for bit.
START_TEST(recorded_hand)
{
  static const char *const set[] = {"haptic.hand=trace",
                                    "haptic.trace=[0,-0.32,0.4,0,0,0,0, 1,-0.32,0.4,0,0,0,0]"};
  felt f = felt_scene("haptic-peg-corner.yaml", set, 2);
  felt g = felt_scene("haptic-peg-corner.yaml", NULL, 0);
  rh_haptic_out out;
  for (int k = 0; k < 700; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    rh_haptic_tick(g.h, g.d, NULL, &out);
  }
  ck_assert(rh_data_hash(f.d, 0) == rh_data_hash(g.d, 0));
  felt_end(&f);
  felt_end(&g);
}

END_TEST

// A hand from outside that gives the same force, likewise; and one that is a spring comes to rest where it wants to be.
START_TEST(live_hand)
{
  felt f = felt_scene("haptic-peg-corner.yaml", (const char *const[]){"haptic.hand=live"}, 1);
  felt g = felt_scene("haptic-peg-corner.yaml", NULL, 0);
  rh_haptic_out out;
  rh_hand_in in = {.live = true, .has_wrench = true, .wrench = {-0.32, 0.4}};
  for (int k = 0; k < 700; k++) {
    rh_haptic_tick(f.h, f.d, &in, &out);
    rh_haptic_tick(g.h, g.d, NULL, &out);
  }
  ck_assert(rh_data_hash(f.d, 0) == rh_data_hash(g.d, 0));
  felt_end(&f);
  felt_end(&g);
  static const char *const spring[] = {
      "haptic.hand=spring", "haptic.hand_spring=[200,40,1,0.2]", "haptic.push=[0,0,0]",
      "haptic.trace=[0,0.05,-0.05,0,1,0,0,0, 1,0.03,-0.02,0,1,0,0,0]"};
  f = felt_scene("haptic-peg-corner.yaml", spring, 4);
  for (int k = 0; k < 2000; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
  }
  const double want[3] = {0.03, -0.02, 0};
  near_array(f.d->q + 3, want, 3, 1e-4,
             0); // three time constants of 0.1 s behind the end of the trace, and more
  felt_end(&f);
}

END_TEST

// A device that was measured: its twin is where it says, and the tool follows it by the coupling.
START_TEST(measured_device)
{
  felt f = felt_scene("haptic-peg-corner.yaml", (const char *const[]){"haptic.hand=live"}, 1);
  rh_haptic_out out = {0};
  for (int k = 0; k < 3000; k++) {
    double x =
        0.03 -
        0.00001 * (k < 1500 ? k : 1500); // as far as 15 mm, 4.5 mm beyond where the peg touches
    rh_hand_in in = {.live = true, .has_pose = true, .pose = {x, -0.03, 0, 1, 0, 0, 0}};
    rh_haptic_tick(f.h, f.d, &in, &out);
    near_abs(f.d->q[3], x, 1e-12);
  }
  near_abs(f.d->q[0], 0.015, 1e-4);
  for (int k = 0; k < 3000; k++) {
    rh_hand_in in = {.live = true, .has_pose = true, .pose = {0.006, -0.03, 0, 1, 0, 0, 0}};
    rh_haptic_tick(f.h, f.d, &in, &out);
  }
  // The wall's springs (two corners) against the coupling's: 2000 d = 100 (4.5 mm - d)
  near_abs(f.d->q[0], 0.0105 - 0.0045 * 100 / 2100, 2e-6);
  ck_assert(out.wrench[0] > 0.4); // pushed back
  felt_end(&f);
}

END_TEST

// ---- A hand that pushes at random gets no energy

static double roll(uint64_t *state) // -1 to 1
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

// From rest, whatever the hand does, what it has put in so far stays positive: dampers take more than the sampling of springs makes.
START_TEST(passive)
{
  static const char *const set[][3] = {
      {"haptic.e=0", "haptic.limits=none", "haptic.method=iapb"},
      {"haptic.e=0.5", "haptic.limits=none", "haptic.method=iapb"},
      {"haptic.e=0", "haptic.limits=spread", "haptic.method=iapb"},
      {"haptic.e=1", "haptic.limits=scale", "haptic.method=iapb"},
      {"haptic.e=0", "haptic.limits=none", "haptic.method=cb-uc"},
      {"haptic.e=0", "haptic.limits=none", "haptic.method=pb"},
  };

  for (int i = 0; i < RH_COUNT(set); i++) {
    felt f = felt_scene("haptic-peg-corner.yaml", set[i], 3);
    uint64_t seed = 12345;
    rh_hand_in in = {.live = true, .has_wrench = true};
    rh_haptic_out out = {0};
    for (int k = 0; k < 512 * (RH_TEST_SLOW ? 2 : 20); k++) {
      if (k % 64 == 0) { // mostly into the corner
        in.wrench[0] = -0.3 + 0.6 * roll(&seed);
        in.wrench[1] = 0.3 + 0.6 * roll(&seed);
        in.wrench[5] = 0.01 * roll(&seed);
      }
      rh_haptic_tick(f.h, f.d, &in, &out);
    }
    ck_assert_msg(out.returned <= 1e-12, "%s, %s, %s: %g J of %g J", set[i][0], set[i][1],
                  set[i][2], out.returned, f.d->haptic->hand_work);
    ck_assert(isfinite(f.d->v[0]));
    felt_end(&f);
  }
}

END_TEST

// ---- Many contacts in space: a plate on a bed of knobs
START_TEST(clutter)
{
  felt f = felt_scene("haptic-clutter.yaml", NULL, 0);
  rh_haptic_out out = {0};
  int least = 1000;
  for (int k = 0; k < 2000; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    least = k >= 500 && out.ncontact < least ? out.ncontact : least;
  }
  ck_assert_int_ge(least, 60);
  // The hand's spring wants to be 20 mm below where the plate lies on the knobs: 400 N/m. The device moves no more, so that
  // what it feels is what the hand does.
  near_abs(out.wrench[2] + out.hand[2], 0, 0.3);
  ck_assert(out.hand[2] < -15);
  felt_end(&f);
}

END_TEST

// ---- Energy that the world had: weights are no fault of the loop

// The hand lets the plate down: it gets joules, and none beyond what sank.
START_TEST(weights)
{
  felt f = felt_scene("haptic-clutter.yaml", NULL, 0);
  rh_haptic_out out = {0};
  double least = 0;
  for (int k = 0; k < 2000; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    least = fmin(least, out.hand_work);
  }
  ck_assert(
      least <
      -0.05); // tool and device weigh 20 N and come down some millimetres before they meet the knobs
  near_abs(out.returned, 0, 0);
  felt_end(&f);
}

END_TEST

// A weight of 2 kg that a hand lets down, with half of its weight: after a second, by ticks, it is n (n + 1)/2 dt^2 g/2 lower. The same
// with a device that stands still by measurement: the device's own weight does not count.
START_TEST(let_down)
{
  static const char text[] =
      "world: {gravity: [0, 0, -10]}\n"
      "bodies: [{name: tool, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}, {name: device, mass: 2, "
      "inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: tool}, {kind: free, child: device}]\n"
      "haptic: {tool: tool, %s push: [0, 0, 10]}\n"
      "run: {engine: haptic, dt: 0.001953125}\n";
  char scene[1024];
  rh_haptic_out out = {0};
  (void)snprintf(scene, sizeof scene, text, "");
  felt f = felt_text(scene);
  for (int k = 0; k <= 512; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
  }
  // The look is at the start of a tick: 512 of them are behind. `device` falls freely here, twice as far as the tool.
  double way = 0.5 * 512 * 513 / (512.0 * 512.0) * 5;
  near_rel(out.given, 20 * way + 20 * 2 * way, 1e-12);
  ck_assert(out.hand_work < -20);
  near_abs(out.returned, 0, 0);
  felt_end(&f);
  (void)snprintf(scene, sizeof scene, text, "device: device, four_channel: [0, 0, 0, 0],");
  f = felt_text(scene);
  rh_hand_in in = {.live = true, .has_pose = true, .pose = {0, 0, 0, 1, 0, 0, 0}};
  for (int k = 0; k <= 512; k++) {
    rh_haptic_tick(f.h, f.d, &in, &out);
  }
  near_rel(out.given, 20 * 2 * way, 1e-12); // nobody holds the tool
  near_abs(out.hand_work, 0, 0);
  felt_end(&f);
}

END_TEST

// ---- Scenes

// The stretched arm: 1.3125 (1 - e^2) J of 2.3333 J. There the loss is stationary in time, so that the tick at which it is met matters in second order only; what is
// left is the error of the steps before, of first order: 3.5e-4 at 512 Hz (found; the bar is three times that), a sixteenth of it with a sixteenth of the tick.
START_TEST(arm)
{
  static const double e[] = {-0.5, 0, 0.25, 0.5, 1};
  for (int i = 0; i < 2 * RH_COUNT(e); i++) {
    char text[2][64];
    const char *const set[2] = {text[0], text[1]};
    bool fine = i >= RH_COUNT(e);
    double mine = e[i % RH_COUNT(e)];
    (void)snprintf(text[0], sizeof text[0], "haptic.e=%g", mine);
    (void)snprintf(text[1], sizeof text[1], "run.dt=%.17g", 1.0 / 512 / (fine ? 16 : 1));
    felt f = felt_scene("haptic-arm.yaml", set, 2);
    rh_haptic_out out = {0};
    rh_kinematics(f.d);
    near_abs(rh_kinetic_energy(f.d), 7.0 / 3, 1e-12);
    for (int k = 0; k < 16 * 256 && f.d->haptic->collisions == 0; k++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
    }
    near_abs(out.loss, 1.3125 * (1 - mine * mine), 1.3125 * 1e-3 / (fine ? 16 : 1));
    felt_end(&f);
  }
}

END_TEST

// A peg that two walls hold and that strikes the bottom: six contacts in one collision, and at rest.
START_TEST(hole)
{
  felt f = felt_scene("haptic-peg-hole.yaml", NULL, 0);
  rh_haptic_out out = {0};
  int struck = 0;
  for (int k = 0; k < 1000; k++) {
    int n;
    int now = 0;
    rh_haptic_tick(f.h, f.d, NULL, &out);
    const rh_haptic_contact *c = rh_haptic_contacts(f.h, &n);
    for (int i = 0; i < n; i++) {
      now += c[i].struck;
      near_abs(c[i].struck ? c[i].after : 0, 0, 1e-12); // e = 0, though of rank 3
    }
    struck = now > struck ? now : struck;
  }
  ck_assert_int_eq(struck, 6);
  ck_assert_int_eq(out.ncontact, 6);
  felt_end(&f);
}

END_TEST

// A contact's own restitution, impact_e: the peg comes straight down on one wall.
START_TEST(own_restitution)
{
  static const char *const set[] = {"tool.q=[0.03,-0.01,0]", "device.q=[0.03,-0.01,0]",
                                    "haptic.push=[0,0.4,0]", "haptic.e=0.25", "wall.impact_e=0.75"};
  for (int own = 0; own < 2; own++) {
    felt f = felt_scene("haptic-peg-corner.yaml", set, 4 + own);
    rh_haptic_out out = {0};
    double before = 0;
    for (int k = 0; k < 1000 && f.d->haptic->collisions == 0; k++) {
      before = f.d->v[1];
      rh_haptic_tick(f.h, f.d, NULL, &out);
    }
    int n;
    const rh_haptic_contact *c = rh_haptic_contacts(f.h, &n);
    ck_assert(n == 2 && before > 0.01);
    for (int i = 0; i < n; i++) {
      near_rel(c[i].after, (own ? 0.75 : 0.25) * before, 1e-12);
    }
    felt_end(&f);
  }
}

END_TEST

// More contacts than there is room for end a run, with the reason.
START_TEST(no_room)
{
  char path[512];
  rh_scene *scene = NULL;
  rh_model *m = NULL;
  rh_sim *sim = NULL;
  static const char *const set[] = {"run.contacts=20"};
  (void)snprintf(path, sizeof path, "%s/scenes/haptic-clutter.yaml", ROUTH_SOURCE_DIR);
  ck_assert_int_eq(rh_scene_load(path, set, 1, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &m), RH_OK);
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_sim_create(m, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_STOPPED);
  ck_assert_ptr_nonnull(strstr(rh_sim_reason(sim), "run.contacts"));
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// ---- Refusals

START_TEST(refused)
{
  static const char *const bad[][2] = {
      {"haptic.tool=pegs", "names no body"},
      {"haptic.device=tool", "another body"},
      {"haptic.four_channel=[1,2]", "4 numbers"},
      {"haptic.limit=[1]", "2 numbers"},
      {"haptic.method=magic", "method"},
      {"haptic.hand=trace", "trace"},
      {"haptic.trace=[0,1]", "is not used"},
      {"haptic.e=2", "must lie in"},
      {"wall.law=newton", "compliant"},
      {"record.every=0.0001", "tick"},
      {"haptic.trace_file=nowhere.csv", "cannot be found"},
      {"haptic.pulse_ticks=17", "pulse_ticks"},
      {"haptic.coupling=rope", "coupling"},
      {"haptic.hand=foot", "hand"},
      {"wall.impact_e=1.5", "must lie in"},
      {"wall.impact_law=newton", "section haptic"},
  };

  char path[512];
  (void)snprintf(path, sizeof path, "%s/scenes/haptic-peg-corner.yaml", ROUTH_SOURCE_DIR);
  for (int i = 0; i < RH_COUNT(bad); i++) {
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    const char *set[] = {bad[i][0], i == 3 ? "haptic.limits=scale" : "run.until=1"};
    rh_model *m = NULL;
    rh_status status = rh_scene_load(path, set, 2, diag, &scene);
    status = status == RH_OK ? rh_scene_compile(scene, diag, &m) : status;
    rh_scene_destroy(scene);
    ck_assert_msg(status == RH_INPUT_REFUSED, "%s was taken", bad[i][0]);
    bool said = false;
    for (int k = 0; k < (int)rh_diag_kept(diag); k++) {
      said = said || strstr(rh_diag_get(diag, k).text, bad[i][1]);
    }
    ck_assert_msg(said, "%s: %s", bad[i][0], rh_diag_get(diag, 0).text);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_unit_haptic_run(void)
{
  Suite *suite = suite_create("unit_haptic_run");
  TCase *runs = tcase_create("runs");
  tcase_add_test(runs, books_close);
  tcase_add_test(runs, contacts_are_seen);
  tcase_add_test(runs, restart);
  tcase_add_test(runs, no_allocation);
  tcase_add_test(runs, recorded_hand);
  tcase_add_test(runs, live_hand);
  tcase_add_test(runs, measured_device);
  tcase_add_test(runs, passive);
  tcase_add_test(runs, clutter);
  tcase_add_test(runs, weights);
  tcase_add_test(runs, let_down);
  tcase_add_test(runs, arm);
  tcase_add_test(runs, hole);
  tcase_add_test(runs, own_restitution);
  tcase_add_test(runs, no_room);
  tcase_add_test(runs, refused);
  suite_add_tcase(suite, runs);
  return suite;
}
