// unit_batch_gpu.c: worlds that a GPU would step have the bits of worlds one by one. There is no GPU: the threads of its teams take
// turns on the processor, in orders in which a thread that does not wait for the others reads something else. Flight, impacts,
// sliding and rest, dampers, armatures, a fixed joint, axes in any direction, two planes, a model on the world, memory for few
// contacts, worlds that a program changes, a GPU that fails.
#include "test.h"

#include "gpu/team_turns.h"
#include "run/batch_side.h"

#include <routh/routh.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 5 };

typedef struct scene_text {
  char bodies[4096], joints[6144], shapes[2048], contacts[6144];
} scene_text;

static void add_text(char *to, size_t size, const char *format, ...)
{
  size_t n = strlen(to);
  va_list list;
  va_start(list, format);
  int added = vsnprintf(to + n, size - n, format, list);
  va_end(list);
  ck_assert_uint_lt((size_t)added, size - n);
}

// A trunk with three legs of two hinges, one of them carried by a fixed joint; number w of its world. `base`: its joint
static void add_walker(scene_text *x, int w, const char *base, const char *law)
{
  add_text(x->bodies, sizeof x->bodies,
           "  - {name: trunk%d, mass: 4, com: [0.01, 0, 0.02], inertia: [0.05, 0.08, 0.1, 0, 0.01, "
           "0]}\n  - {name: hip%d, mass: 0.3, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n",
           w, w);
  add_text(x->joints, sizeof x->joints,
           "  - {child: trunk%d, %s}\n  - {kind: fixed, parent: trunk%d, child: hip%d, at: [0.2, "
           "0.1, 0], rpy: [0.2, 0, 0.1]}\n",
           w, base, w, w);
  add_text(x->shapes, sizeof x->shapes, "  - {body: trunk%d, kind: sphere, radius: 0.08}\n", w);
  add_text(x->contacts, sizeof x->contacts, "  - {body: trunk%d, against: world, %s}\n", w, law);
  for (int i = 0; i < 3; i++) {
    const char *part[] = {"thigh", "shin"};
    add_text(x->joints, sizeof x->joints,
             "  - {kind: revolute, parent: %s%d, child: thigh%d%d, at: [%g, %g, 0], axis: [%d, 1, "
             "0.2], spring: 8, damper: 0.2, armature: 0.01}\n"
             "  - {kind: revolute, parent: thigh%d%d, child: shin%d%d, at: [0, 0, -0.2], axis: [0, "
             "1, 0], spring: 6, damper: 0.1}\n",
             i == 0 ? "hip" : "trunk", w, i, w, i == 0 ? 0 : -0.2, 0.1 * (i - 1), i % 2, i, w, i,
             w);
    for (int k = 0; k < 2; k++) {
      add_text(x->bodies, sizeof x->bodies,
               "  - {name: %s%d%d, mass: %g, com: [0, 0, -0.1], inertia: [8e-3, 8e-3, 1e-3, 0, 0, "
               "0]}\n",
               part[k], i, w, 0.6 - 0.2 * k);
      add_text(x->shapes, sizeof x->shapes,
               "  - {body: %s%d%d, kind: sphere, at: [0, 0, -0.2], radius: %g}\n", part[k], i, w,
               0.035 - 0.005 * k);
      add_text(x->contacts, sizeof x->contacts, "  - {body: %s%d%d, against: world, %s}\n", part[k],
               i, w, law);
    }
  }
}

// A world of `n` walkers that touch only its two planes; a law of each body's own, or one for all
static rh_model *make_walkers(int n, const char *base, const char *law, bool one_law)
{
  static scene_text x;
  static char whole[20480];
  memset(&x, 0, sizeof x);
  for (int w = 0; w < n; w++) {
    add_walker(&x, w, base, law);
  }
  if (one_law) {
    x.contacts[0] = '\0';
    add_text(x.contacts, sizeof x.contacts, "  - {body: world, against: all, %s}\n", law);
  }
  (void)snprintf(
      whole, sizeof whole,
      "world: {gravity: [0, 0.3, -9.7]}\nbodies:\n%sjoints:\n%s"
      "shapes:\n  - {body: world, kind: plane}\n%s"
      "  - {body: world, kind: plane, at: [0.7, 0, 0], rpy: [0, -1.2, 0.1]}\n"
      "contacts:\n%srun: {engine: stepping, dt: 2 ms, until: 9, midpoint: never}\nrecord: {every: "
      "0.25}\n",
      x.bodies, x.joints, x.shapes, x.contacts);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(whole, strlen(whole), "walkers", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  rh_scene_destroy(scene);
  return model;
}

static const char free_base[] = "kind: free, q: [0, 0, 0.5, 1, 0, 0, 0]";
static const char fixed_base[] =
    "kind: revolute, at: [0, 0, 0.35], axis: [0.3, 1, 0], spring: 5, damper: 0.3";
static const char sticky[] = "law: newton, e: 0, friction: dry, mu_s: 0.7, mu_k: 0.6";

static uint64_t hash_of(rh_batch *batch, int i)
{
  return rh_data_hash(rh_sim_view(rh_batch_sim(batch, i)), 0);
}

// Other velocities in each world
static void throw_worlds(rh_batch *batch, const rh_model *model, double speed)
{
  for (int i = 0; i < WORLDS; i++) {
    double *v = rh_batch_rows(batch) + (size_t)i * rh_batch_stride(batch) + 1 + model->nq;
    for (int k = 0; k < model->nv; k++) {
      v[k] = speed * ((i * 7 + k * 5) % 11 - 5);
    }
  }
}

static rh_batch *make_worlds(const rh_model *model, int threads)
{
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, WORLDS, threads, NULL, &batch), RH_OK);
  return batch;
}

typedef struct gpu_case {
  int walkers;
  const char *base, *law;
  int steps, call, threads;
  uint64_t order;
  int contacts;
  double share; // of the steps that the GPU takes, at least
} gpu_case;

static void check_case(const gpu_case *c)
{
  rh_model *model = make_walkers(c->walkers, c->base, c->law, c->walkers == 1);
  rh_batch *one = make_worlds(model, 1);
  rh_batch *many = make_worlds(model, c->threads);
  gpu_turns_now = (gpu_turns){c->order, c->contacts, 0, false};
  rh_lanes_kind kind = gpu_turns_kind(many->side.kind);
  ck_assert_int_eq(rh_batch_set_lanes(one, 0), RH_OK);
  ck_assert_int_eq(rh_batch_set_lanes(many, 1), RH_OK);
  many->side.kind = &kind;
  ck_assert_int_eq(rh_batch_set_gpu(many, true), RH_OK);
  throw_worlds(one, model, 0.1);
  throw_worlds(many, model, 0.1);
  for (int done = 0; done < c->steps; done += c->call) {
    if (done == 4 * c->call) { // a program changes velocities
      throw_worlds(one, model, 0.07);
      throw_worlds(many, model, 0.07);
    }
    ck_assert_int_eq(rh_batch_step(one, c->call), RH_OK);
    ck_assert_int_eq(rh_batch_step(many, c->call), RH_OK);
    for (int i = 0; i < WORLDS; i++) {
      ck_assert_uint_eq(hash_of(one, i), hash_of(many, i));
    }
  }
  ck_assert_double_ge(rh_batch_lane_steps(many), c->share * WORLDS * c->steps);
  rh_batch_destroy(many);
  rh_batch_destroy(one);
  rh_model_destroy(model);
}

START_TEST(walkers_in_turns)
{
  static const char bouncing[] = "law: newton, e: 0.4, friction: dry, mu_s: 0.3, mu_k: 0.3";
  static const gpu_case cases[] = {
      {1, free_base, sticky, 240, 40, 1, 0, 12, 0.5},
      {1, free_base, sticky, 250, 50, 2, 1, 12, 0.5},
      {1, fixed_base, sticky, 200, 37, 1, 88172645463325252, 12, 0.5},
      {1, free_base, bouncing, 200, 100, 1, 7, 12, 0.4},
      {1, free_base, "law: newton, e: 0", 200, 64, 1, 9, 12, 0.4},
      {3, free_base, sticky, 120, 20, 1, 11, 12, 0.4},
      {2, fixed_base, sticky, 100, 20, 1, 1, 12, 0.4},
  };
  check_case(&cases[_i]);
}

END_TEST

// Worlds with more contacts than memory take such steps by themselves; if there are many, all get more memory.
START_TEST(few_contacts)
{
  const gpu_case c = {1, free_base, sticky, 200, 40, 1, 3, 1, 0.3};
  check_case(&c);
  ck_assert_int_gt(gpu_turns_now.full, 0);
}

END_TEST

// All worlds go on from where the processor knows them.
START_TEST(gpu_fails)
{
  rh_model *model = make_walkers(2, free_base, sticky, false);
  rh_batch *one = make_worlds(model, 1);
  rh_batch *many = make_worlds(model, 1);
  gpu_turns_now = (gpu_turns){0, 12, 0, false};
  rh_lanes_kind kind = gpu_turns_kind(many->side.kind);
  many->side.kind = &kind;
  ck_assert_int_eq(rh_batch_set_gpu(many, true), RH_OK);
  for (int k = 0; k < 3; k++) {
    gpu_turns_now.fails = k == 1;
    ck_assert_int_eq(rh_batch_step(one, 80), RH_OK);
    ck_assert_int_eq(rh_batch_step(many, 80), RH_OK);
    for (int i = 0; i < WORLDS; i++) {
      ck_assert_uint_eq(hash_of(one, i), hash_of(many, i));
    }
  }
  rh_batch_destroy(many);
  rh_batch_destroy(one);
  rh_model_destroy(model);
}

END_TEST

// Worlds of several trees in lanes, at every width; trees that share a law are stepped one by one.
START_TEST(several_trees)
{
  static const int widths[] = {1, 4, 8};
  rh_model *model = make_walkers(2 + _i, free_base, sticky, false);
  rh_batch *one = make_worlds(model, 1);
  rh_batch *many = make_worlds(model, 1);
  ck_assert_int_eq(rh_batch_set_lanes(one, 0), RH_OK);
  ck_assert_int_eq(rh_batch_set_lanes(many, widths[_i]), RH_OK);
  throw_worlds(one, model, 0.1);
  throw_worlds(many, model, 0.1);
  for (int k = 0; k < 10; k++) {
    ck_assert_int_eq(rh_batch_step(one, 35), RH_OK);
    ck_assert_int_eq(rh_batch_step(many, 35), RH_OK);
    for (int i = 0; i < WORLDS; i++) {
      ck_assert_uint_eq(hash_of(one, i), hash_of(many, i));
    }
  }
  if (rh_batch_lanes(many) > 0) {
    ck_assert_double_ge(rh_batch_lane_steps(many), 0.4 * WORLDS * 350);
  }
  rh_batch_destroy(many);
  rh_batch_destroy(one);
  rh_model_destroy(model);
  model = make_walkers(2, free_base, sticky, true);
  many = make_worlds(model, 1);
  ck_assert_int_eq(rh_batch_lanes(many), 0);
  rh_batch_destroy(many);
  rh_model_destroy(model);
}

END_TEST

Suite *rh_suite_unit_batch_gpu(void);

Suite *rh_suite_unit_batch_gpu(void)
{
  Suite *suite = suite_create("unit_batch_gpu");
  TCase *tests = tcase_create("turns");
  tcase_add_loop_test(tests, walkers_in_turns, 0, 7);
  tcase_add_test(tests, few_contacts);
  tcase_add_loop_test(tests, several_trees, 0, 3);
  tcase_add_test(tests, gpu_fails);
  suite_add_tcase(suite, tests);
  return suite;
}
