// unit_batch_lanes.c: worlds side by side in lanes have the bits of worlds one by one, at every width: flight, impacts,
// sliding and rest, springs, dampers, armatures, a fixed joint, axes in any direction, two planes, restitution; with forces
// that a program writes, several models, worlds that fail, other numbers of threads. What a program reads is the same too.
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 13 }; // no multiple of a width

// A body with four legs of two hinges, one of them carried by a fixed joint. `base`: its joint; `floor`: laws.
static rh_model *walker(const char *base, const char *law, const char *run)
{
  char text[4096];
  int n = snprintf(
      text, sizeof text,
      "world: {gravity: [0, 0.3, -9.7]}\n"
      "bodies:\n  - {name: trunk, mass: 4, com: [0.01, 0, 0.02], inertia: [0.05, 0.08, 0.1, 0, "
      "0.01, 0]}\n"
      "  - {name: hip, mass: 0.3, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\njoints:\n  - {%s}\n"
      "  - {name: mount, kind: fixed, parent: trunk, child: hip, at: [0.2, 0.1, 0], rpy: [0.2, 0, "
      "0.1]}\n",
      base);
  const char *const at[4] = {"hip", "trunk", "trunk", "trunk"};
  const char *const place[4] = {"[0, 0, 0]", "[0.2, -0.1, 0]", "[-0.2, 0.1, 0]", "[-0.2, -0.1, 0]"};
  char bodies[2048];
  char shapes[2048];
  int b = 0;
  int s = 0;
  for (int i = 0; i < 4; i++) {
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  - {name: thigh%d, kind: revolute, parent: %s, child: thigh%d, at: %s, axis: [%d, 1, "
        "0.2], "
        "spring: 8, damper: 0.2, armature: 0.01}\n"
        "  - {name: shin%d, kind: revolute, parent: thigh%d, child: shin%d, at: [0, 0, -0.2], "
        "axis: [0, 1, 0], spring: 6, damper: 0.1}\n",
        i, at[i], i, place[i], i % 2, i, i, i);
    b += snprintf(
        bodies + b, sizeof bodies - (size_t)b,
        "  - {name: thigh%d, mass: 0.6, com: [0, 0, -0.1], inertia: [8e-3, 8e-3, 1e-3, 0, 0, 0]}\n"
        "  - {name: shin%d, mass: 0.4, com: [0, 0, -0.1], inertia: [6e-3, 6e-3, 1e-3, 0, 0, 0]}\n",
        i, i);
    s += snprintf(shapes + s, sizeof shapes - (size_t)s,
                  "  - {body: shin%d, kind: sphere, at: [0, 0, -0.2], radius: 0.03}\n"
                  "  - {body: thigh%d, kind: sphere, at: [0, 0, -0.2], radius: 0.035}\n",
                  i, i);
  }
  char whole[8192];
  const char *rest = strstr(text, "joints:");
  (void)snprintf(
      whole, sizeof whole,
      "%.*s%s%sshapes:\n  - {name: ground, body: world, kind: plane}\n"
      "  - {body: trunk, kind: sphere, radius: 0.08}\n%s"
      "  - {name: wall, body: world, kind: plane, at: [0.7, 0, 0], rpy: [0, -1.2, 0.1]}\n"
      "contacts:\n  - {name: floor, body: world, against: all, %s}\n"
      "run: {engine: stepping, dt: 2 ms, until: 9, %s}\nrecord: {every: 0.25}\n",
      (int)(rest - text), text, bodies, rest, shapes, law, run);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(whole, strlen(whole), "walker", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  rh_scene_destroy(scene);
  return model;
}

static const char free_base[] = "name: base, kind: free, child: trunk, q: [0, 0, 0.5, 1, 0, 0, 0]";
static const char sticky[] = "law: newton, e: 0, friction: dry, mu_s: 0.7, mu_k: 0.7";

static uint64_t hash_of(rh_batch *batch, int i)
{
  return rh_data_hash(rh_sim_view(rh_batch_sim(batch, i)), 0);
}

// Other velocities in each world
static void throw_worlds(rh_batch *batch, const rh_model *model)
{
  for (int i = 0; i < WORLDS; i++) {
    double *v = rh_batch_rows(batch) + (size_t)i * rh_batch_stride(batch) + 1 + model->nq;
    for (int k = 0; k < model->nv; k++) {
      v[k] += sin(1.7 * i + 2.3 * k) * (k < 6 ? 1 : 0.5);
    }
  }
}

static rh_batch *new_batch(const rh_model *model, int widest)
{
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, WORLDS, 1, NULL, &batch), RH_OK);
  ck_assert_int_eq(rh_batch_set_lanes(batch, widest), RH_OK);
  ck_assert_int_le(rh_batch_lanes(batch), widest);
  throw_worlds(batch, model);
  return batch;
}

typedef struct lane_case {
  const char *base, *law, *run;
} lane_case;

static const lane_case cases[] = {
    {free_base, sticky, "midpoint: usual"},
    {free_base, "law: newton, e: 0.3, friction: dry, mu_s: 0.4, mu_k: 0.4", "slop: 1e-9"},
    {free_base, "law: poisson, e: 0, friction: dry, mu_s: 0.8, mu_k: 0.3", "tolerance: 1e-8"},
    {free_base, "law: newton, e: 0, friction: none", "iterations: 30"},
    {free_base, sticky, "midpoint: all"},
    {"name: base, kind: revolute, child: trunk, at: [0, 0, 0.4], axis: [0.1, 1, 0], spring: 3",
     sticky, "check_solution: never"},
};

static void compare_results(rh_batch *a, rh_batch *b, const rh_model *model)
{
  for (int i = 0; i < WORLDS; i++) {
    const rh_sim *x = rh_batch_sim(a, i);
    const rh_sim *y = rh_batch_sim(b, i);
    ck_assert_uint_eq(hash_of(a, i), hash_of(b, i));
    rh_sim_stats s = rh_sim_statistics(x);
    rh_sim_stats t = rh_sim_statistics(y);
    ck_assert_int_eq(s.step.steps, t.step.steps);
    ck_assert_int_eq(s.step.evaluations, t.step.evaluations);
    ck_assert_int_eq(s.events, t.events);
    ck_assert_double_eq(s.impact.deepest, t.impact.deepest);
    ck_assert_double_eq(s.impact.peak, t.impact.peak);
    ck_assert_double_eq(s.impact.impulse, t.impact.impulse);
    const rh_data *d = rh_sim_view(x);
    const rh_data *e = rh_sim_view(y);
    ck_assert_int_eq(d->ncontact, e->ncontact);
    for (int k = 0; k < d->ncontact; k++) {
      ck_assert_double_eq(d->contact[k].normal, e->contact[k].normal);
      ck_assert_double_eq(d->contact[k].depth, e->contact[k].depth);
    }
    for (int k = 1; k < model->nbody; k++) {
      ck_assert_double_eq(d->kin[k].p.z, e->kin[k].p.z);
      ck_assert_double_eq(d->kin[k].v.lin.x, e->kin[k].v.lin.x);
    }
  }
}

// All widths against worlds one by one, over 1.2 s
START_TEST(same_bits)
{
  static const int part[] = {1, 90, 33, 200, 276};
  const lane_case *c = &cases[_i];
  rh_model *model = walker(c->base, c->law, c->run);
  rh_batch *single = new_batch(model, 0);
  ck_assert_int_eq(rh_batch_lanes(single), 0);
  rh_batch *side[3];
  const int widest[3] = {1, 4, 8};
  for (int w = 0; w < 3; w++) {
    side[w] = new_batch(model, widest[w]);
  }
  ck_assert_int_eq(rh_batch_lanes(side[0]), 1);
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    ck_assert_int_eq(rh_batch_step(single, part[k]), 0);
    for (int w = 0; w < 3; w++) {
      ck_assert_int_eq(rh_batch_set_threads(side[w], 1 + (int)k % 3, false), RH_OK);
      ck_assert_int_eq(rh_batch_step(side[w], part[k]), 0);
      if (k % 2 == 0) {
        compare_results(single, side[w], model);
      }
    }
  }
  for (int w = 0; w < 3; w++) { // lanes take most steps
    if (rh_batch_lanes(side[w]) > 0) {
      ck_assert_double_gt(rh_batch_lane_steps(side[w]), 0.6 * 600 * WORLDS);
    }
    rh_batch_destroy(side[w]);
  }
  rh_batch_destroy(single);
  rh_model_destroy(model);
}

END_TEST

// By a GPU, where there is one and Routh is built for it
START_TEST(same_bits_on_gpu)
{
  const lane_case *c = &cases[_i];
  rh_model *model = walker(c->base, c->law, c->run);
  rh_batch *gpu = new_batch(model, 8);
  if (rh_batch_set_gpu(gpu, true) == RH_OK) {
    rh_batch *single = new_batch(model, 0);
    ck_assert(rh_batch_gpu(gpu));
    for (int k = 0; k < 3; k++) {
      ck_assert_int_eq(rh_batch_step(single, 100 * k + 1), 0);
      ck_assert_int_eq(rh_batch_step(gpu, 100 * k + 1), 0);
      compare_results(single, gpu, model);
    }
    ck_assert_double_gt(rh_batch_lane_steps(gpu), 0.3 * 303 * WORLDS);
    rh_batch_destroy(single);
  } else {
    ck_assert(!rh_batch_gpu(gpu));
    printf("unit_batch_lanes: no GPU, or built without ROUTH_CUDA: same_bits_on_gpu is skipped\n");
  }
  rh_batch_destroy(gpu);
  rh_model_destroy(model);
}

END_TEST

// Torques before every step, a force on a body for a while, another model for one world, a reset, a number that is not finite,
// lanes on and off
START_TEST(what_a_program_writes)
{
  rh_model *model = walker(free_base, sticky, "midpoint: usual");
  rh_model *other = walker(free_base, "law: newton, e: 0, friction: dry, mu_s: 0.2, mu_k: 0.2", "");
  rh_batch *batch[2] = {new_batch(model, 0), new_batch(model, 1)};
  for (int k = 0; k < 300; k++) {
    for (int j = 0; j < 2; j++) {
      for (int i = 0; i < WORLDS; i++) {
        double *row = rh_batch_rows(batch[j]) + (size_t)i * rh_batch_stride(batch[j]);
        double *tau = row + model->layout.nstate;
        tau[6 + i % 8] = sin(0.05 * k + i);
        tau[model->nv + 6 + 5] =
            i == 3 && k > 100 && k < 120 ? 20 : 0; // fext of the first body, along z
        row[1 + model->nq] = i == 5 && k == 200 ? (double)NAN : row[1 + model->nq];
      }
      if (k == 150) {
        ck_assert_int_eq(rh_batch_set_model(batch[j], 2, other, NULL), RH_OK);
      }
      if (k == 220) {
        unsigned char which[WORLDS] = {0};
        which[5] = which[7] = 1;
        ck_assert_int_eq(rh_batch_reset(batch[j], which, NULL), RH_OK);
      }
      if (j == 1 && k % 70 == 69) {
        ck_assert_int_eq(rh_batch_set_lanes(batch[j], k % 140 == 69 ? 0 : 8), RH_OK);
      }
      ck_assert_int_eq(rh_batch_step(batch[j], 1), k >= 200 && k < 220);
    }
    if (k % 50 == 49) {
      for (int i = 0; i < WORLDS; i++) {
        ck_assert_int_eq(rh_batch_status(batch[0], i), rh_batch_status(batch[1], i));
        if (i != 5 || k < 200 || k >= 220) {
          ck_assert_uint_eq(hash_of(batch[0], i), hash_of(batch[1], i));
        }
      }
    }
  }
  rh_batch_destroy(batch[0]);
  rh_batch_destroy(batch[1]);
  rh_model_destroy(other);
  rh_model_destroy(model);
}

END_TEST

START_TEST(rollouts)
{
  enum { HORIZON = 5, STEPS = 30 };

  rh_model *model = walker(free_base, sticky, "midpoint: usual");
  size_t each = (size_t)model->nq + (size_t)model->nv;
  size_t bytes = WORLDS * HORIZON * each * sizeof(double);
  double *state[2] = {rh_alloc(bytes), rh_alloc(bytes)};
  double z[2][WORLDS * HORIZON];
  rh_channels *channels = rh_channels_create(model);
  int height = rh_channel_find(channels, "shin2.z");
  for (int j = 0; j < 2; j++) {
    rh_batch *batch = new_batch(model, j * 8);
    rh_rollout r = {HORIZON, STEPS, NULL, state[j], channels, &height, 1, z[j], 0};
    ck_assert_int_eq(rh_batch_rollout(batch, &r), 0);
    rh_batch_destroy(batch);
  }
  ck_assert_int_eq(memcmp(state[0], state[1], bytes), 0);
  ck_assert_int_eq(memcmp(z[0], z[1], sizeof z[0]), 0);
  rh_free(state[0]);
  rh_free(state[1]);
  rh_channels_destroy(channels);
  rh_model_destroy(model);
}

END_TEST

// Models with more than lanes know are stepped one by one.
START_TEST(other_models)
{
  rh_model *sleepy = walker(free_base, sticky, "sleep: 1");
  rh_model *checked = walker(free_base, sticky, "check_solution: steps");
  rh_model *soft = walker(free_base, "law: hunt-crossley, k: 1e5, friction: coulomb, mu: 0.3", "");
  const rh_model *const model[] = {sleepy, checked, soft};
  static const char *const why[] = {"run.sleep", "check_solution: steps",
                                    "compliant contacts, or friction or restitution by speed"};
  for (int i = 0; i < 3; i++) {
    rh_batch *batch = NULL;
    ck_assert_int_eq(rh_batch_create(model[i], 2, 1, NULL, &batch), RH_OK);
    ck_assert_int_eq(rh_batch_lanes(batch), 0);
    ck_assert_str_eq(rh_batch_lanes_reason(batch), why[i]);
    ck_assert_int_eq(rh_batch_set_lanes(batch, -1), RH_WRONG_USAGE);
    ck_assert_int_eq(rh_batch_step(batch, 2), 0);
    ck_assert_double_eq(rh_batch_lane_steps(batch), 0);
    rh_batch_destroy(batch);
  }
  rh_model_destroy(sleepy);
  rh_model_destroy(checked);
  rh_model_destroy(soft);
}

END_TEST

Suite *rh_suite_unit_batch_lanes(void);

Suite *rh_suite_unit_batch_lanes(void)
{
  Suite *suite = suite_create("unit_batch_lanes");
  TCase *tests = tcase_create("lanes");
  tcase_add_loop_test(tests, same_bits, 0, (int)(sizeof cases / sizeof *cases));
  tcase_add_loop_test(tests, same_bits_on_gpu, 0, (int)(sizeof cases / sizeof *cases));
  tcase_add_test(tests, what_a_program_writes);
  tcase_add_test(tests, rollouts);
  tcase_add_test(tests, other_models);
  suite_add_tcase(suite, tests);
  return suite;
}
