// unit_lanes_random.c: trees by lot (revolute, prismatic and fixed joints with springs, dampers, armatures, limits, dry friction,
// motors and servos or none, on a free joint or not, spheres, boxes, capsules and cylinders on planes, under each choice of run.midpoint) whose worlds differ in state and commands: side by
// side in lanes they have the bits of worlds one by one, also where a program writes commands and torques, and where events act.
#include "random.h"
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 9, PARTS = 4, TEXT = 16384 };

typedef struct scene_text {
  char at[TEXT];
  size_t n;
} scene_text;

__attribute__((format(printf, 2, 3))) static void add_text(scene_text *to, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  to->n += (size_t)vsnprintf(to->at + to->n, TEXT - to->n, format, list);
  va_end(list);
  ck_assert_uint_lt(to->n, TEXT);
}

typedef struct tree_text {
  uint64_t seed;
  scene_text bodies, joints, shapes, actuators;
  int n;              // bodies
  bool loose, driven; // on a free joint; with actuators
} tree_text;

static bool toss(tree_text *t, double share)
{
  return 0.5 * (lot(&t->seed) + 1) < share;
}

static double between(tree_text *t, double lo, double hi)
{
  return lo + 0.5 * (lot(&t->seed) + 1) * (hi - lo);
}

static int pick(tree_text *t, int n)
{
  int i = (int)between(t, 0, n);
  return i < n ? i : n - 1;
}

static void add_body(tree_text *t)
{
  double m = between(t, 0.3, 3);
  double x = between(t, -0.03, 0.03);
  double y = between(t, -0.03, 0.03);
  double z = between(t, -0.1, 0);
  double s = x * x + y * y + z * z;
  double a = m * between(t, 0.002, 0.02);
  add_text(
      &t->bodies,
      "  - {name: b%d, mass: %.12g, com: [%.12g, %.12g, %.12g], inertia: [%.12g, %.12g, %.12g, "
      "%.12g, %.12g, %.12g]}\n",
      t->n, m, x, y, z, a + m * (s - x * x), 1.1 * a + m * (s - y * y), 1.2 * a + m * (s - z * z),
      -m * x * y, -m * x * z, -m * y * z);
}

// On the body, within 0.3 m of its joint
static void add_shapes(tree_text *t)
{
  for (int k = pick(t, 3); k > 0; k--) {
    add_text(&t->shapes, "  - {body: b%d, at: [%.9g, %.9g, %.9g], ", t->n, between(t, -0.1, 0.1),
             between(t, -0.1, 0.1), between(t, -0.2, 0));
    if (toss(t, 0.5)) {
      add_text(&t->shapes, "rpy: [%.9g, %.9g, 0.3], ", between(t, -1, 1), between(t, -1, 1));
    }
    switch (pick(t, 5)) {
    case 0:
      add_text(&t->shapes, "kind: box, size: [%.9g, %.9g, %.9g]}\n", between(t, 0.03, 0.15),
               between(t, 0.03, 0.1), between(t, 0.02, 0.06));
      break;
    case 1:
      add_text(&t->shapes, "kind: capsule, radius: %.9g, length: %.9g}\n", between(t, 0.02, 0.05),
               between(t, 0.03, 0.15));
      break;
    case 2:
      add_text(&t->shapes, "kind: cylinder, radius: %.9g, length: %.9g}\n", between(t, 0.02, 0.08),
               between(t, 0.02, 0.1));
      break;
    default:
      add_text(&t->shapes, "kind: sphere, radius: %.9g}\n", between(t, 0.02, 0.06));
    }
  }
}

static void add_actuator(tree_text *t)
{
  static const char *const rest[] = {
      "kp: 40, kd: 1.5, target: 0.2, rate: 0.3, accel: -0.1",
      "effort: 0.5",
      "kp: 300, kd: 6, limits: [-8, 8]",
      "effort: 0.3, gear: 2, gain: [3, 0.2, -0.1], bias: [0.1, -2, -0.2], control_range: [-1, 1]",
      "kp: 25, kd: 1, stall: 4, no_load_speed: 9",
      "kp: 4000, kd: 90", // stiff
  };
  if (t->driven && toss(t, 0.7)) {
    int k = toss(t, 0.04) ? 5 : pick(t, 5);
    add_text(&t->actuators, "  - {name: a%d, joint: j%d, %s}\n", t->n, t->n, rest[k]);
  }
}

static void add_joint(tree_text *t, const char *parent)
{
  const char *kind = toss(t, 0.1) ? "fixed" : toss(t, 0.25) ? "prismatic" : "revolute";
  bool fixed = strcmp(kind, "fixed") == 0;
  add_text(&t->joints, "  - {name: j%d, kind: %s, parent: %s, child: b%d, at: [%.9g, %.9g, %.9g]",
           t->n, kind, parent, t->n, between(t, -0.15, 0.15), between(t, -0.15, 0.15),
           between(t, -0.25, -0.05));
  if (toss(t, 0.3)) {
    add_text(&t->joints, ", rpy: [%.9g, %.9g, 0.1]", between(t, -1, 1), between(t, -1, 1));
  }
  if (!fixed) {
    static const char *const axis[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[0.3, 1, -0.2]"};
    add_text(&t->joints, ", axis: %s", axis[pick(t, 4)]);
    if (toss(t, 0.5)) {
      add_text(&t->joints, ", spring: %.9g, rest: %.9g", between(t, 1, 60), between(t, -0.1, 0.1));
    }
    if (toss(t, 0.5)) {
      add_text(&t->joints, ", damper: %.9g", between(t, 0.05, 2));
    }
    if (toss(t, 0.4)) {
      add_text(&t->joints, ", armature: %.9g", between(t, 0.005, 0.05));
    }
    if (toss(t, 0.5)) {
      add_text(&t->joints, ", limits: [%.9g, %s]%s", between(t, -0.4, -0.05),
               toss(t, 0.2) ? "inf" : "0.3", toss(t, 0.2) ? ", bounce: 0.4" : "");
    }
    if (toss(t, 0.3)) {
      add_text(&t->joints, ", friction: %.9g%s", between(t, 0.05, 0.6),
               toss(t, 0.5) ? ", stiction: 0.7" : "");
    }
    if (toss(t, 0.3)) {
      add_text(&t->joints, ", v: %.9g", between(t, -3, 3));
    }
  }
  add_text(&t->joints, "}\n");
  if (!fixed) {
    add_actuator(t);
  }
}

static void grow_tree(tree_text *t, uint64_t seed)
{
  t->seed = seed * 7919 + 17;
  (void)lot(&t->seed);
  (void)lot(&t->seed);
  t->loose = toss(t, 0.6);
  t->driven = toss(t, 0.6);
  int all = 2 + pick(t, 9);
  for (t->n = 0; t->n < all; t->n++) {
    char parent[16] = "world";
    add_body(t);
    add_shapes(t);
    if (t->n > 0) {
      (void)snprintf(parent, sizeof parent, "b%d", toss(t, 0.6) ? t->n - 1 : pick(t, t->n));
      add_joint(t, parent);
    } else if (t->loose) {
      add_text(&t->joints,
               "  - {name: base, kind: free, child: b0, q: [0, 0, %.9g, 0.96, 0.28, 0, 0]}\n",
               between(t, 0.3, 0.9));
    } else {
      add_text(&t->joints,
               "  - {name: base, kind: revolute, child: b0, at: [0, 0, %.9g], axis: [0, 1, 0.1], "
               "damper: 0.1}\n",
               between(t, 0.2, 0.6));
    }
  }
}

static rh_model *compile_tree(tree_text *t)
{
  static const char *const law[] = {
      "law: newton, e: 0, friction: dry, mu_s: 0.7, mu_k: 0.7",
      "law: newton, e: 0.4, friction: dry, mu_s: 0.5, mu_k: 0.3",
      "law: poisson, e: 0, friction: dry, mu_s: 0.8, mu_k: 0.4",
      "law: newton, e: 0, friction: none",
  };
  static const char *const midpoint[] = {"usual", "usual", "usual", "never", "all"};
  static scene_text whole;
  whole.n = 0;
  add_text(&whole,
           "bodies:\n%sjoints:\n%sshapes:\n  - {name: ground, body: world, kind: plane}\n%s%s%s%s"
           "contacts:\n  - {name: floor, body: world, against: all, %s}\n"
           "run: {engine: stepping, dt: %s, until: 9, midpoint: %s}\nrecord: {every: 0.2}\n",
           t->bodies.at, t->joints.at, t->shapes.at,
           toss(t, 0.3) ? "  - {body: world, kind: plane, at: [0.3, 0, 0], rpy: [0, -1.2, 0.1]}\n"
                        : "",
           t->actuators.n > 0 ? "actuators:\n" : "", t->actuators.at, law[pick(t, 4)],
           toss(t, 0.3) ? "1 ms" : "2 ms", midpoint[pick(t, 5)]);
  if (t->actuators.n > 0 && toss(t, 0.3)) {
    int first = (int)(strstr(t->actuators.at, "name: a") - t->actuators.at) + 6;
    int len = (int)strcspn(t->actuators.at + first, ",");
    add_text(&whole, "events:\n  - {name: kick, time: 0.123, actuator: %.*s, effort: 1.5}\n", len,
             t->actuators.at + first);
  }
  if (t->actuators.n > 0 && toss(t, 0.3)) {
    add_text(&whole, "controllers:\n  - {name: mind, kind: pd, rate: %d, kp: 5, kd: 0.3}\n",
             toss(t, 0.1) ? 0 : 60);
  }
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_scene_parse(whole.at, whole.n, "tree", NULL, 0, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  for (int i = 0; status != RH_OK && i < rh_diag_kept(diag); i++) {
    char line[512];
    rh_message m = rh_diag_get(diag, i);
    rh_message_format(&m, line, sizeof line);
    fprintf(stderr, "%s\n", line);
  }
  ck_assert_msg(status == RH_OK, "%s", whole.at);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

// Other velocities, positions of joints and commands in each world
static void vary_worlds(rh_batch *batch, const rh_model *model)
{
  for (int i = 0; i < WORLDS; i++) {
    rh_data *d = rh_sim_data(rh_batch_sim(batch, i));
    for (int k = 0; k < model->nv; k++) {
      d->v[k] += sin(1.7 * i + 2.3 * k) * (k < 6 ? 1 : 0.7);
    }
    for (int k = 0; k < model->nactuator; k++) {
      d->command[k].effort += 0.3 * sin(i + k);
      d->command[k].target += 0.1 * sin(2.0 * i + k);
    }
  }
}

static void write_torques(rh_batch *batch, const rh_model *model, int part)
{
  for (int i = 0; i < WORLDS; i += 2) {
    rh_data *d = rh_sim_data(rh_batch_sim(batch, i));
    d->tau[model->nv - 1] = 0.2 * sin(part + i);
    if (model->nactuator > 0) {
      d->command[part % model->nactuator].effort = 0.4 * cos(part + i);
    }
  }
}

static rh_batch *new_batch(const rh_model *model, int widest)
{
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, WORLDS, 1, NULL, &batch), RH_OK);
  ck_assert_int_eq(rh_batch_set_lanes(batch, widest), RH_OK);
  vary_worlds(batch, model);
  return batch;
}

static void compare_worlds(rh_batch *a, rh_batch *b, uint64_t seed, int part)
{
  for (int i = 0; i < WORLDS; i++) {
    const rh_sim *x = rh_batch_sim(a, i);
    const rh_sim *y = rh_batch_sim(b, i);
    uint64_t hash[2] = {rh_data_hash(rh_sim_view(x), 0), rh_data_hash(rh_sim_view(y), 0)};
    ck_assert_msg(hash[0] == hash[1], "seed %d, part %d, world %d", (int)seed, part, i);
    rh_sim_stats s = rh_sim_statistics(x);
    rh_sim_stats t = rh_sim_statistics(y);
    ck_assert_msg(s.step.evaluations == t.step.evaluations && s.step.steps == t.step.steps &&
                      s.events == t.events && s.impact.deepest == t.impact.deepest &&
                      s.impact.peak == t.impact.peak,
                  "counts: seed %d, part %d, world %d: sweeps %ld %ld, events %ld %ld, deepest %g "
                  "%g, peak %g %g",
                  (int)seed, part, i, (long)s.step.evaluations, (long)t.step.evaluations,
                  (long)s.events, (long)t.events, s.impact.deepest, t.impact.deepest, s.impact.peak,
                  t.impact.peak);
  }
}

typedef struct tally {
  double lanes, all, alone[RH_LANE_CAUSES];
  int models, inside, gpus, failed; // models: by a GPU; worlds that end
} tally;

static void run_seed(uint64_t seed, tally *sum)
{
  static const int steps[PARTS] = {1, 40, 90, 69};
  static tree_text text;
  text = (tree_text){0};
  grow_tree(&text, seed);
  rh_model *model = compile_tree(&text);
  const int widest = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 4 : 8;
  rh_batch *single = new_batch(model, 0);
  rh_batch *side = new_batch(model, widest);
  if (seed % 4 == 3 && rh_batch_set_gpu(side, true) == RH_OK) { // where there is one
    sum->gpus++;
  }
  for (int k = 0; k < PARTS; k++) {
    int failed = rh_batch_step(single, steps[k]);
    ck_assert_int_eq(rh_batch_step(side, steps[k]), failed);
    compare_worlds(single, side, seed, k);
    sum->failed += failed;
    write_torques(single, model, k);
    write_torques(side, model, k);
    sum->all += rh_batch_lanes(side) > 0 ? (double)steps[k] * WORLDS : 0;
  }
  sum->models++;
  sum->inside += rh_batch_lanes(side) > 0;
  sum->lanes += rh_batch_lane_steps(side);
  for (int c = 0; c < RH_LANE_CAUSES; c++) {
    sum->alone[c] += rh_batch_alone_steps(side, (rh_lane_cause)c);
  }
  ck_assert_int_eq(rh_batch_lanes_reason(side)[0] == '\0', rh_batch_lanes(side) > 0);
  rh_batch_destroy(single);
  rh_batch_destroy(side);
  rh_model_destroy(model);
}

START_TEST(random_trees)
{
  tally sum = {0};
  double alone = 0;
  for (int seed = 0; seed < rh_trials(160); seed++) {
    run_seed((uint64_t)seed, &sum);
  }
  printf("unit_lanes_random: %d of %d models in lanes, which took %.1f %% of their steps, %d by a "
         "GPU; "
         "alone:",
         sum.inside, sum.models, 100 * sum.lanes / sum.all, sum.gpus);
  for (int c = 0; c < RH_LANE_CAUSES; c++) {
    printf(" %s %.0f", rh_lane_cause_name((rh_lane_cause)c), sum.alone[c]);
    alone += sum.alone[c];
  }
  printf("\n");
  ck_assert_double_le(sum.lanes + alone, sum.all); // each step is counted once
  ck_assert(sum.failed > 0 || sum.lanes + alone == sum.all);
  ck_assert_double_gt(sum.lanes, 0.8 * sum.all);
  ck_assert_int_gt(10 * sum.inside, 8 * sum.models);
}

END_TEST

Suite *rh_suite_unit_lanes_random(void);

Suite *rh_suite_unit_lanes_random(void)
{
  Suite *suite = suite_create("unit_lanes_random");
  TCase *tests = tcase_create("lanes");
  tcase_add_test(tests, random_trees);
  suite_add_tcase(suite, tests);
  return suite;
}
