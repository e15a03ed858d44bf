// unit_batch.c: many worlds at once: the bits of single worlds for any number of threads; rows, resets, other models,
// rollouts; what a program writes between runs; decisions of a program.
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const engines[] = {"integrator: cvode", "engine: stepping, dt: 1e-3"};

static rh_model *bouncing_ball(const char *engine, const char *set)
{
  char text[768];
  (void)snprintf(
      text, sizeof text,
      "bodies: [{name: ball, mass: 0.2}, {name: slide, mass: 1}]\n"
      "joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0]},\n"
      "  {name: rail, kind: prismatic, child: slide, axis: [1, 0, 0], at: [0, 2, 1]}]\n"
      "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
      "contacts: [{name: floor, body: ball, against: world, law: hunt-crossley, k: 1e5,\n"
      "  friction: coulomb, mu: 0.3}]\n"
      "actuators: [{name: motor, joint: rail, limits: [-5, 5]}]\n"
      "controllers: [{name: mind, kind: program, rate: 50}]\n"
      "run: {%s, until: 1}\nrecord: {every: 0.01}\n",
      engine);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "ball", &set, set != NULL, NULL, &scene),
                   RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  rh_scene_destroy(scene);
  return model;
}

static uint64_t hash_of(rh_sim *sim)
{
  return rh_data_hash(rh_sim_view(sim), 0);
}

// Worlds that start at different heights, against single ones that a program starts there.
START_TEST(same_bits)
{
  enum { WORLDS = 5 };

  rh_model *model = bouncing_ball(engines[_i], NULL);
  uint64_t want[WORLDS];
  for (int i = 0; i < WORLDS; i++) {
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    rh_sim_data(sim)->q[2] = 0.2 + 0.05 * i;
    rh_sim_state_changed(sim);
    for (int k = 0; k < 40; k++) {
      ck_assert_int_eq(rh_sim_step(sim), RH_OK);
    }
    want[i] = hash_of(sim);
    rh_sim_destroy(sim);
  }
  for (int threads = 1; threads <= 3; threads++) {
    rh_batch *batch = NULL;
    ck_assert_int_eq(rh_batch_create(model, WORLDS, threads, NULL, &batch), RH_OK);
    for (int round = 0; round < 2; round++) { // the second after a reset
      ck_assert_int_eq(rh_batch_reset(batch, NULL, NULL), RH_OK);
      for (int i = 0; i < WORLDS; i++) {
        rh_sim_data(rh_batch_sim(batch, i))->q[2] = 0.2 + 0.05 * i;
      }
      ck_assert_int_eq(rh_batch_step(batch, 15), 0);
      ck_assert_int_eq(rh_batch_set_threads(batch, 4 - threads, false), RH_OK);
      ck_assert_int_eq(rh_batch_step(batch, 25), 0);
      for (int i = 0; i < WORLDS; i++) {
        ck_assert_uint_eq(hash_of(rh_batch_sim(batch, i)), want[i]);
        const double *row = rh_batch_rows(batch) + (size_t)i * rh_batch_stride(batch);
        ck_assert_ptr_eq(row, rh_sim_view(rh_batch_sim(batch, i))->state);
      }
    }
    rh_batch_destroy(batch);
  }
  rh_model_destroy(model);
}

END_TEST

// A rollout is steps with efforts between them; another model keeps its row and gives the bits of rh_sim_replace_model.
START_TEST(rollout_and_models)
{
  enum { WORLDS = 3, HORIZON = 6, STEPS = 4 };

  rh_model *model = bouncing_ball(engines[_i], NULL);
  rh_model *other = bouncing_ball(engines[_i], "world.gravity=[0, 0, -5]");
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, WORLDS, 2, NULL, &batch), RH_OK);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  double *copy = rh_alloc(rh_sim_changes_size(model) * sizeof *copy);
  double control[WORLDS * HORIZON];
  double state[WORLDS * HORIZON * 15];
  double z[WORLDS * HORIZON];
  for (int i = 0; i < WORLDS * HORIZON; i++) {
    control[i] = 0.5 * (i % HORIZON) - 1;
  }
  ck_assert_int_eq(rh_batch_step(batch, 1), 0);
  ck_assert_int_eq(rh_sim_step(sim), RH_OK);
  ck_assert_int_eq(rh_batch_set_model(batch, 1, other, NULL), RH_OK);
  ck_assert_int_eq(rh_sim_replace_model(&sim, other, NULL), RH_OK);
  ck_assert_ptr_eq(rh_batch_rows(batch) + rh_batch_stride(batch),
                   rh_sim_view(rh_batch_sim(batch, 1))->state);
  rh_channels *channels = rh_channels_create(model);
  int height = rh_channel_find(channels, "ball.z");
  // In two parts, whose arrays are those of the whole.
  rh_rollout r = {1, STEPS, control, state, channels, &height, 1, z, HORIZON};
  ck_assert_int_eq(rh_batch_rollout(batch, &r), 0);
  r = (rh_rollout){HORIZON - 1, STEPS, control + 1, state + 15, channels,
                   &height,     1,     z + 1,       HORIZON};
  ck_assert_int_eq(rh_batch_rollout(batch, &r), 0);
  rh_sim_keep_changes(sim, copy);
  for (int k = 0; k < HORIZON; k++) {
    rh_sim_data(sim)->command[0].effort = control[k];
    ck_assert_int_eq(rh_sim_take_changes(sim, copy, NULL), RH_OK);
    for (int j = 0; j < STEPS; j++) {
      ck_assert_int_eq(rh_sim_step(sim), RH_OK);
    }
    rh_sim_keep_changes(sim, copy);
    size_t at = (size_t)(HORIZON + k);
    ck_assert_int_eq(memcmp(state + 15 * at, rh_sim_view(sim)->q, 15 * sizeof *state), 0);
    ck_assert_double_eq(z[at], rh_sim_view(sim)->q[2]);
  }
  ck_assert_uint_eq(hash_of(sim), hash_of(rh_batch_sim(batch, 1)));
  ck_assert_uint_ne(hash_of(sim), hash_of(rh_batch_sim(batch, 0)));
  rh_free(copy);
  rh_channels_destroy(channels);
  rh_sim_destroy(sim);
  rh_batch_destroy(batch);
  rh_model_destroy(other);
  rh_model_destroy(model);
}

END_TEST

// What a program writes after the run has begun: m g dz of the ball and m v^2 / 2 of the slide are the ledger's `event`.
START_TEST(energy_of_writes)
{
  rh_model *model = bouncing_ball(engines[_i], NULL);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  double *copy = rh_alloc(rh_sim_changes_size(model) * sizeof *copy);
  rh_data *d = rh_sim_data(sim);
  double put_in = 0;
  for (int k = 0; k < 4; k++) {
    rh_sim_keep_changes(sim, copy);
    d->q[2] += 0.125;
    d->v[6] += 0.5;
    ck_assert_int_eq(rh_sim_take_changes(sim, copy, NULL), RH_OK);
    double slide = d->v[6] * d->v[6] - (d->v[6] - 0.5) * (d->v[6] - 0.5);
    put_in += k > 0 ? 0.2 * 9.81 * 0.125 + 0.5 * slide : 0; // the first are the start of the run
    ck_assert_double_eq_tol(rh_sim_ledger(sim).event, put_in, 1e-12);
    ck_assert_int_eq(rh_sim_step(sim), RH_OK);
  }
  ck_assert_double_eq_tol(rh_sim_ledger(sim).event, put_in, 1e-12);
  ck_assert_double_eq_tol(rh_sim_ledger(sim).residue, 0, 1e-9);
  rh_free(copy);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

END_TEST

// Numbers that are not finite stop their world only, until they are mended; sizes out of range are refused.
START_TEST(refused_writes)
{
  rh_model *model = bouncing_ball(engines[1], NULL);
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, 0, 1, NULL, &batch), RH_WRONG_USAGE);
  ck_assert_int_eq(rh_batch_create(model, RH_BATCH_MAX + 1, 1, NULL, &batch), RH_WRONG_USAGE);
  ck_assert_int_eq(rh_batch_create(model, 1, 100000, NULL, &batch), RH_WRONG_USAGE);
  ck_assert_ptr_null(batch);
  ck_assert_int_eq(rh_batch_create(model, 3, 2, NULL, &batch), RH_OK);
  double *q = rh_sim_data(rh_batch_sim(batch, 1))->q;
  q[2] = (double)NAN;
  ck_assert_int_eq(rh_batch_step(batch, 2), 1);
  ck_assert_int_eq(rh_batch_status(batch, 1), RH_INPUT_REFUSED);
  ck_assert(rh_batch_reason(batch, 1)[0] != '\0');
  ck_assert_int_eq(rh_batch_status(batch, 0), RH_OK);
  q[2] = 1;
  ck_assert_int_eq(rh_batch_step(batch, 1), 0);
  memset(q + 3, 0, 4 * sizeof *q); // no attitude
  ck_assert_int_eq(rh_batch_step(batch, 1), 1);
  q[3] = 2; // gets unit length
  ck_assert_int_eq(rh_batch_step(batch, 1), 0);
  ck_assert(fabs(q[3] - 1) < 1e-6);
  rh_batch_destroy(batch);
  rh_model_destroy(model);
}

END_TEST

// What a program writes before the first run stays when a value changes: the bits of writes after the change. A joint that
// was not written begins as the other model does.
START_TEST(writes_before_the_run)
{
  rh_model *model = bouncing_ball(engines[_i], NULL);
  rh_model *other = bouncing_ball(engines[_i], "joints.0.q=[0, 0, 0.2, 1, 0, 0, 0]");
  rh_sim *sim[2];
  for (int late = 0; late < 2; late++) {
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim[late]), RH_OK);
    for (int turn = 0; turn < 2; turn++) {
      if (turn == late) {
        rh_data *d = rh_sim_data(sim[late]);
        d->q[7] = 0.1;
        d->v[1] = 0.3;
        d->tau[6] = 2;
        d->fext[1].lin.x = 0.2;
        d->command[0].effort = 1.5;
        rh_sim_state_changed(sim[late]);
      } else {
        ck_assert_int_eq(rh_sim_replace_model(&sim[late], other, NULL), RH_OK);
      }
    }
    ck_assert_double_eq(rh_sim_view(sim[late])->q[2], 0.2);
    ck_assert_double_eq(rh_sim_view(sim[late])->q[7], 0.1);
    ck_assert_int_eq(rh_sim_run(sim[late], 0.1), RH_OK);
  }
  ck_assert_uint_eq(hash_of(sim[0]), hash_of(sim[1]));
  // 2 N and 1.5 N on 1 kg
  ck_assert(fabs(rh_sim_view(sim[0])->v[6] - 0.35) < 1e-9);
  rh_sim_destroy(sim[0]);
  rh_sim_destroy(sim[1]);
  rh_batch *batch = NULL;
  ck_assert_int_eq(rh_batch_create(model, 1, 1, NULL, &batch), RH_OK);
  rh_sim_data(rh_batch_sim(batch, 0))->tau[6] = (double)INFINITY;
  ck_assert_int_eq(rh_batch_set_model(batch, 0, other, NULL), RH_INPUT_REFUSED);
  rh_batch_destroy(batch);
  rh_model_destroy(other);
  rh_model_destroy(model);
}

END_TEST

static void push_by_count(void *user, rh_data *data, int controller, double *effort)
{
  int *calls = user;
  ck_assert_int_eq(controller, 0);
  (*calls)++;
  effort[0] = *data->t < 0.1 ? 2 : 0;
}

// 2 N on 1 kg over the first 0.1 s, decided 50 times a second: v = 0.2 m/s.
START_TEST(program_decides)
{
  rh_model *model = bouncing_ball(engines[_i], NULL);
  rh_sim *sim = NULL;
  int calls = 0;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  rh_sim_control(sim, push_by_count, &calls);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  ck_assert_msg(calls >= 25 && calls <= 26, "%d decisions", calls);
  // steps end at or after a decision: one step of 1 ms late at most
  double v = rh_sim_view(sim)->v[6];
  ck_assert_msg(fabs(v - 0.2) <= (_i == 0 ? 1e-9 : 2e-3 + 1e-9), "v = %.12g", v);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

END_TEST

Suite *rh_suite_unit_batch(void)
{
  Suite *s = suite_create("unit_batch");
  TCase *t = tcase_create("batch");
  tcase_add_loop_test(t, same_bits, 0, 2);
  tcase_add_loop_test(t, rollout_and_models, 0, 2);
  tcase_add_test(t, refused_writes);
  tcase_add_loop_test(t, writes_before_the_run, 0, 2);
  tcase_add_loop_test(t, energy_of_writes, 0, 2);
  tcase_add_loop_test(t, program_decides, 0, 2);
  suite_add_tcase(s, t);
  return s;
}
