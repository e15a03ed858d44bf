// unit_moreau_sleep.c: islands that rest and sleep in the engine `stepping`: when, what stays as it is meanwhile, what wakes them, and that neither
// threads nor a cut in the run change a bit.
#include "moreau.h"

#include <stdlib.h>

#define RIGID "law: newton, e: 0, friction: dry, mu_s: 0.5, mu_k: 0.5"
#define RIGHT "1, 0, 0, 0"

// ---- Scenes

static void put_bodies(text *t, int n, const double *at)
{
  put(t, DOWN "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(t, "joints:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {name: j%d, kind: free, child: b%d, q: [%.17g, %.17g, %.17g, " RIGHT "]}\n", i, i,
        at[3 * i], at[3 * i + 1], at[3 * i + 2]);
  }
}

static void put_contacts(text *t, int n)
{
  put(t, "contacts:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  - {body: b%d, against: all, " RIGID "}\n", i);
  }
}

// Three boxes, let go a centimetre above one another, and a ball that comes down at the side of the uppermost; without air it is there at 0.95 s.
static const char *stack(double sleep)
{
  static text t;
  t.n = 0;
  put(&t,
      DOWN
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}, {name: c, mass: 1}, {name: ball, mass: "
      "0.5}]\n"
      "joints: [{kind: free, child: a, q: [0, 0, 0.1, " RIGHT "]},\n"
      "  {kind: free, child: b, q: [0.02, 0, 0.31, " RIGHT "]},\n"
      "  {kind: free, child: c, q: [0, 0.01, 0.52, " RIGHT "]},\n"
      "  {kind: free, child: ball, q: [-4, 0, 4.927, " RIGHT "], v: [4, 0, 0, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: a, kind: box, size: [0.2, 0.2, 0.2]},\n"
      "  {body: b, kind: box, size: [0.2, 0.2, 0.2]}, {body: c, kind: box, size: [0.2, 0.2, "
      "0.2]},\n"
      "  {body: ball, kind: sphere, radius: 0.1}]\n"
      "contacts: [{body: a, against: all, " RIGID "}, {body: b, against: all, " RIGID "},\n"
      "  {body: c, against: all, " RIGID "},\n"
      "  {body: ball, against: world, " RIGID "},\n"
      "  {body: ball, against: c, law: newton, e: 0.3, friction: dry, mu_s: 0.5, mu_k: 0.5}]\n"
      "run: {until: 2, engine: stepping, dt: 0.001, sleep: %g s}\nrecord: {every: 0.01, batch: "
      "10}\n",
      sleep);
  return t.s;
}

static const double HIT = 0.945; // [s] not yet

// ---- Falling asleep

// The first impact after the stack has come to rest
static rh_status keep_first_impact(void *user, const rh_sim *sim, const rh_event *event)
{
  rh_event *e = user;
  (void)sim;
  if (e->t == 0 && event->kind == RH_EVENT_IMPACT && event->t > 0.5) {
    *e = *event;
  }
  return RH_OK;
}

typedef struct seen {
  rh_sim *other; // the same scene in which nothing sleeps
  double slept;  // [s] first frame at which something did
  double weight; // [N] worst difference of what the floor carries while three sleep
  double residue;
  long most;
} seen;

static void look_at_stack(void *user, const rh_sim *sim)
{
  seen *s = user;
  const rh_data *d = rh_sim_view(sim);
  long asleep = rh_sim_statistics(sim).asleep;
  s->slept = asleep > 0 && s->slept == 0 ? *d->t : s->slept;
  s->most = asleep > s->most ? asleep : s->most;
  s->residue = fmax(s->residue, fabs(rh_sim_ledger(sim).residue));
  if (*d->t > HIT) {
    return;
  }
  if (asleep == 3) {
    rh_vec3 f = carried(d);
    s->weight = fmax(s->weight, rh_norm(rh_sub(f, rh_v3(0, 0, 3 * G))));
  }
  ck_assert_int_eq(rh_sim_run(s->other, *d->t), RH_OK);
  const rh_data *o = rh_sim_view(s->other);
  ck_assert_mem_eq(d->q, o->q, (size_t)d->model->nq * sizeof(double));
  ck_assert_mem_eq(d->v, o->v, (size_t)d->model->nv * sizeof(double));
}

// The stack rests before 0.15 s and sleeps 0.3 s later; until it is hit all places and velocities are those of the run in which nothing sleeps, bit
// for bit; the floor carries its weight (to what the solver leaves of the last step before: 1e-6 m/s of 3 kg over 1 ms is 3e-3 N, and what rests is
// solved to rounding: 1e-9). The books close as they do awake: what the drift pass lifts.
START_TEST(stack_sleeps_and_is_hit)
{
  rh_model *model = model_from(stack(0.3), NULL, 0);
  rh_model *plain = model_from(stack(0), NULL, 0);
  ck_assert_int_eq(model->layout.nrested, model->nbody);
  ck_assert_int_eq(plain->layout.nrested, 0);
  ck_assert_int_eq(model->layout.nstate, plain->layout.nstate + model->nbody);
  seen s = {.other = sim_of(plain)};
  rh_sim *sim = watch(model, look_at_stack, &s);
  ck_assert_double_gt(s.slept, 0.3);
  ck_assert_double_lt(s.slept, 0.46);
  ck_assert_int_eq(s.most, 3);
  ck_assert_double_lt(s.weight, 1e-9);
  ck_assert_double_lt(s.residue, 1e-3);
  rh_sim_destroy(s.other);
  rh_model_destroy(plain);
  finish(sim, model);
}

END_TEST

// Both are hit at the same time and as fast, bit for bit, and answer alike: 1e-6 of the impulse, the solver's tolerance.
START_TEST(the_blow_is_the_same)
{
  rh_event first[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    rh_model *model = model_from(stack(0.3 * i), NULL, 0);
    rh_sim *sim = sim_of(model);
    rh_observer observer = {.user = &first[i], .event = keep_first_impact};
    rh_sim_observe(sim, &observer);
    ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
    finish(sim, model);
  }
  near_abs(first[0].t, 0.95, 1e-3);
  ck_assert_double_eq(first[0].t, first[1].t);
  ck_assert_double_eq(first[0].before, first[1].before);
  for (int k = 0; k < 3; k++) { // the stack went a part of a step since it woke
    near_abs(first[1].point[k], first[0].point[k], 1e-15);
  }
  near_rel(first[1].impulse, first[0].impulse, 1e-6);
  near_rel(first[1].after, first[0].after, 1e-6);
}

END_TEST

static void count_frames(void *user, const rh_sim *sim)
{
  long *n = user;
  double t = *rh_sim_view(sim)->t;
  long asleep = rh_sim_statistics(sim).asleep;
  n[0] += t > 0.5 && t < HIT && asleep == 3;    // all such frames
  n[1] += t > 0.955 && t < 1.25 && asleep != 0; // none: it was hit, and has to rest first
}

START_TEST(sleeps_until_it_is_hit)
{
  long n[2] = {0, 0};
  watch_text(count_frames, n, stack(0.3));
  ck_assert_int_eq(n[0], 44); // 0.51 .. 0.94
  ck_assert_int_eq(n[1], 0);
}

END_TEST

// ---- Waking

// A box on a box that is held in the air until 1 s: then both fall, z = -g t^2/2 below where they were. 1e-12: rounding of 300 steps.
START_TEST(support_is_taken_away)
{
  static text t;
  static const double at[2][3] = {{0, 0, 1}, {0, 0, 1.2}};
  t.n = 0;
  put_bodies(&t, 2, at[0]);
  put(&t,
      "shapes: [{body: b0, kind: box, size: [0.4, 0.4, 0.2]}, {body: b1, kind: box, size: [0.2, "
      "0.2, 0.2]}]\n");
  put_contacts(&t, 2);
  put(&t, "events: [{name: off, time: 1, release: j0}]\n"
          "run: {until: 1.3, engine: stepping, dt: 0.001, sleep: 0.2}\nrecord: {every: 0.1}\n");
  static const char *const set[] = {"j0.held=true"};
  rh_model *model = model_from(t.s, set, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 0.95), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 2);
  ck_assert_int_eq(rh_sim_run(sim, 1.3), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 0);
  for (int i = 0; i < 2; i++) {
    near_abs(rh_sim_view(sim)->q[7 * i + 2], at[i][2] - 0.5 * G * 0.09, 1e-12);
    near_abs(rh_sim_view(sim)->v[6 * i + 2], -G * 0.3, 1e-12);
  }
  finish(sim, model);
}

END_TEST

// Two boxes far apart.
static const char *apart(const char *more)
{
  static text t;
  static const double at[2][3] = {{0, 0, 0.1}, {3, 0, 0.1}};
  t.n = 0;
  put_bodies(&t, 2, at[0]);
  put(&t, "shapes: [" FLOOR ", {body: b0, kind: box, size: [0.4, 0.4, 0.2]}, {body: b1, kind: box, "
          "size: [0.4, 0.4, 0.2]}]\n");
  put_contacts(&t, 2);
  put(&t, "%srun: {until: 1.5, engine: stepping, dt: 0.001, sleep: 0.2}\nrecord: {every: 0.1}\n",
      more);
  return t.s;
}

// A force on one of them from 1 s on, which friction cannot hold: v = (F/m - mu g) t, x = v t/2 but for the step in which it begins, which is of the
// first order: h v = h^2 (F/m - mu g) = 5e-6 m. The other one sleeps on.
START_TEST(force_wakes_its_island)
{
  rh_model *model =
      model_from(apart("forces: [{name: f, body: b0, force: [10, 0, 0], from: 1}]\n"), NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 2);
  ck_assert_int_eq(rh_sim_run(sim, 1.5), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 1);
  near_abs(rh_sim_view(sim)->q[0], 0.5 * (10 - 0.5 * G) * 0.25, 6e-6);
  near_abs(rh_sim_view(sim)->v[0], (10 - 0.5 * G) * 0.5, 1e-6);
  finish(sim, model);
}

END_TEST

// A program pushes: by fext, by tau, without telling anybody.
START_TEST(pushes_of_a_program_wake)
{
  for (int way = 0; way < 2; way++) {
    rh_model *model = model_from(apart(""), NULL, 0);
    rh_sim *sim = sim_of(model);
    ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
    rh_data *d = rh_sim_data(sim);
    if (way == 0) {
      d->fext[2].lin.y = 10;
    } else {
      d->tau[7] = 10;
    }
    ck_assert_int_eq(rh_sim_run(sim, 1.5), RH_OK);
    ck_assert_int_eq(rh_sim_statistics(sim).asleep, 1);
    near_abs(d->v[7], (10 - 0.5 * G) * 0.5, 1e-6);
    ck_assert_double_eq(d->v[1], 0);
    finish(sim, model);
  }
}

END_TEST

// Who writes the state says so, and all wake. One box is put a metre up: it falls.
START_TEST(written_state_wakes)
{
  rh_model *model = model_from(apart(""), NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  rh_data *d = rh_sim_data(sim);
  d->q[2] += 1;
  rh_sim_state_changed(sim);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 0);
  ck_assert_int_eq(rh_sim_run(sim, 1.3), RH_OK);
  near_abs(d->q[2], 1.1 - 0.5 * G * 0.09, 1e-12);
  finish(sim, model);
}

END_TEST

// Other values while it runs: gravity leans, and both boxes slide down it.
START_TEST(other_gravity_wakes)
{
  rh_model *model = model_from(apart(""), NULL, 0);
  static const char *const set[] = {"world.gravity=[8, 0, -9.81]"};
  rh_model *leaning = model_from(apart(""), set, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 2);
  ck_assert_int_eq(rh_sim_replace_model(&sim, leaning, NULL), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 0);
  ck_assert_int_eq(rh_sim_run(sim, 1.5), RH_OK);
  near_abs(rh_sim_view(sim)->v[0], (8 - 0.5 * G) * 0.5, 1e-6);
  near_abs(rh_sim_view(sim)->v[6], (8 - 0.5 * G) * 0.5, 1e-6);
  rh_sim_destroy(sim);
  rh_model_destroy(leaning);
  rh_model_destroy(model);
}

END_TEST

// ---- The hand

static rh_sim *held_scene(rh_model **model, const char *joint)
{
  static text t;
  t.n = 0;
  put(&t,
      DOWN
      "bodies: [{name: a, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}, {name: b, mass: 1}]\n"
      "joints: [{kind: %s, child: a}, {kind: free, child: b, q: [3, 0, 0.1, " RIGHT "]}]\n"
      "shapes: [" FLOOR ", {body: a, kind: box, size: [0.2, 0.2, 0.2]}, {body: b, kind: box, size: "
      "[0.2, 0.2, 0.2]}]\n"
      "contacts: [{body: a, against: world, " RIGID "}, {body: b, against: world, " RIGID "}]\n"
      "run: {until: 3, engine: stepping, dt: 1e-3, sleep: 0.2, hand: true}\nrecord: {every: "
      "0.1}\n",
      joint);
  *model = model_from(t.s, NULL, 0);
  rh_sim *sim = sim_of(*model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  return sim;
}

// The hand takes a box that sleeps and lifts it by 1 m: x = 1 - (1 + w t) exp(-w t), critically damped, w = 12/s; the force is that of the start of a
// step of 1 ms: 2 % late at most. After 2 s it is there, and the hand has done m g 1 m. A free body, and a tree (a slider), which never sleeps: the work on a tree that may touch something is
// taken by the velocity at the start of a step, which leaves (h f)^2/(2 m) = 0.02 J in each of the three steps that it is near the floor.
START_TEST(hand_lifts)
{
  static const char *const joint[] = {"free, q: [0, 0, 0.1, " RIGHT "]",
                                      "prismatic, axis: [0, 0, 1], q: 0.1"};
  for (int i = 0; i < 2; i++) {
    rh_model *model;
    rh_sim *sim = held_scene(&model, joint[i]);
    const double *z = &rh_sim_view(sim)->q[i == 0 ? 2 : 0];
    ck_assert_int_eq(rh_sim_statistics(sim).asleep, 2 - i);
    double from = *z;
    rh_vec3 target = {0, 0, from + 1};
    ck_assert_int_eq(rh_sim_drag(sim, 1, rh_v3(0, 0, 0), target), RH_OK);
    ck_assert_int_eq(rh_sim_run(sim, 1.1), RH_OK);
    near_abs(*z, from + 1 - (1 + 1.2) * exp(-1.2), 0.02);
    ck_assert_int_eq(rh_sim_run(sim, 3), RH_OK);
    near_abs(*z, from + 1, 1e-6); // (1 + 24) exp(-24)
    rh_ledger l = rh_sim_ledger(sim);
    near_abs(l.hand, 2 * G, i == 0 ? 1e-6 : 0.07);
    near_abs(l.external, 0, 1e-12);
    near_abs(l.residue, 0, i == 0 ? 1e-12 : 0.07);
    ck_assert_int_eq(rh_sim_statistics(sim).asleep, 1); // the other box
    rh_sim_drop(sim);
    ck_assert_int_eq(rh_sim_run(sim, 3.1), RH_OK);
    near_abs(*z, from + 1 - 0.5 * G * 0.01, 1e-3);
    finish(sim, model);
  }
}

END_TEST

// ---- The same bits

typedef struct kept {
  double *state;
  long index;
} kept;

static rh_status keep_frame(void *user, const rh_sim *sim, long index)
{
  const kept *k = user;
  const rh_data *d = rh_sim_view(sim);
  if (index == k->index) {
    memcpy(k->state, d->state, (size_t)d->model->layout.nstate * sizeof *k->state);
  }
  return RH_OK;
}

static void cut_run(const char *scene, double until, int n, const long *cut, long asleep)
{
  rh_model *model = model_from(scene, NULL, 0);
  for (int i = 0; i < n; i++) {
    kept k = {calloc((size_t)model->layout.nstate, sizeof(double)), cut[i]};
    rh_observer observer = {.user = &k, .frame = keep_frame};
    rh_sim *a = sim_of(model);
    rh_sim *b = sim_of(model);
    rh_sim_observe(a, &observer);
    ck_assert_int_eq(rh_sim_run(a, until), RH_OK);
    rh_sim_resume(b, cut[i], k.state);
    ck_assert_int_eq(rh_sim_run(b, until), RH_OK);
    ck_assert_uint_eq(rh_data_hash(rh_sim_view(a), 0), rh_data_hash(rh_sim_view(b), 0));
    ck_assert_int_eq(rh_sim_statistics(b).asleep, asleep);
    rh_sim_destroy(b);
    rh_sim_destroy(a);
    free(k.state);
  }
  rh_model_destroy(model);
}

// Cut while it rests but does not sleep yet, while it sleeps, just before it is hit, while it moves, and while it sleeps again.
START_TEST(resumed_run_has_the_same_bits)
{
  static const long cut[] = {30, 60, 90, 100, 390};
  cut_run(stack(0.3), 4, 5, cut, 3);
}

END_TEST

// Nothing sleeps: boxes that rest to the bit keep their contact points, until the ball comes; a world that begins there finds them.
START_TEST(resumed_awake)
{
  static const long cut[] = {10, 60, 94, 97, 120};
  cut_run(stack(0), 2, 5, cut, 0);
}

END_TEST

// The same where places are not kept to the bit: centres of mass off the origin, joints in frames of their own, a compliant contact; and every frame
// is the end of a batch. A second block falls on the first at 0.74 s, when that has slept.
START_TEST(resumed_askew)
{
  static const long cut[] = {20, 30, 45, 60, 72, 75, 90, 140};
  cut_run(
      DOWN
      "bodies: [{name: a, mass: 1, com: [0.02, 0.01, 0], inertia: [0.01, 0.02, 0.03, 0, 0, 0]},\n"
      "  {name: b, mass: 1, com: [0, 0.03, 0.01], inertia: [0.01, 0.02, 0.01, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: a, at: [0.3, 0.2, 0.1], rpy: [0, 0, 0.7], q: [0, 0, "
      "0.01, " RIGHT "]},\n"
      "  {kind: free, child: b, at: [0.31, 0.2, 3], rpy: [0, 0, 0.4], q: [0, 0, 0, " RIGHT "]}]\n"
      "shapes: [" FLOOR ", {body: a, kind: box, size: [0.3, 0.3, 0.2]}, {body: b, kind: box, "
      "size: [0.2, 0.2, 0.2]}]\n"
      "contacts: [{body: a, against: world, law: kelvin-voigt, k: 1e5, b: 300, friction: bristle, "
      "mu_s: "
      "0.4, mu_k: 0.4},\n"
      "  {body: b, against: all, " RIGID "}]\n"
      "run: {until: 2, engine: stepping, dt: 0.001, sleep: 0.1, sleep_speed: 1e-7}\nrecord: "
      "{every: "
      "0.01, batch: 1}\n",
      2, 8, cut, 2);
}

END_TEST

// Twelve stacks of four boxes, and balls that come down on every third: as many threads as one likes.
static void put_yard(text *t)
{
  double at[51][3];
  int n = 0;
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 4; k++) {
      at[n][0] = i;
      at[n][1] = 0.01 * k;
      at[n++][2] = 0.1 + 0.205 * k;
    }
  }
  for (int i = 0; i < 3; i++) {
    at[n][0] = 4 * i;
    at[n][1] = 0;
    at[n++][2] = 3 + i;
  }
  t->n = 0;
  put_bodies(t, n, at[0]);
  put(t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < n; i++) {
    put(t,
        i < 48 ? "  - {body: b%d, kind: box, size: [0.2, 0.2, 0.2]}\n"
               : "  - {body: b%d, kind: sphere, radius: 0.1}\n",
        i);
  }
  put_contacts(t, n);
  put(t, "run: {until: 0.9, engine: stepping, dt: 0.001, sleep: 0.2}\nrecord: {every: 0.1}\n");
}

START_TEST(threads_have_the_same_bits)
{
  static text t;
  static const char *const threads[] = {"run.threads=1", "run.threads=2", "run.threads=3"};
  uint64_t hash[3];
  put_yard(&t);
  for (int i = 0; i < 3; i++) {
    rh_model *model = model_from(t.s, &threads[i], 1);
    rh_sim *sim = watch(model, NULL, NULL);
    hash[i] = rh_data_hash(rh_sim_view(sim), 0);
    ck_assert_int_ge(rh_sim_statistics(sim).asleep, 36); // nine stacks that nothing hit
    ck_assert_int_lt(rh_sim_statistics(sim).asleep, 51);
    finish(sim, model);
  }
  ck_assert_uint_eq(hash[0], hash[1]);
  ck_assert_uint_eq(hash[0], hash[2]);
}

END_TEST

// ---- Compliant contacts, slow creep

typedef struct spring {
  double stored; // [J] while it sleeps
  double residue;
} spring;

static void look_at_spring(void *user, const rh_sim *sim)
{
  spring *s = user;
  rh_ledger l = rh_sim_ledger(sim);
  if (rh_sim_statistics(sim).asleep > 0) {
    s->stored = l.contact;
    near_abs(carried(rh_sim_view(sim)).z, 2 * G,
             1e-6); // it creeps by less than 1e-4 of the tolerance
    s->residue = s->residue == 0 ? l.residue : s->residue;
    near_abs(l.residue, s->residue,
             1e-12); // rounding: nothing is booked any more, a batch's end included
  }
}

// A ball of 2 kg on a spring of k = 1e4 N/m holds (m g)^2/(2 k); so it does asleep.
START_TEST(compliant_contact_keeps_its_energy)
{
  spring s = {0};
  watch_scene(
      look_at_spring, &s,
      DOWN "bodies: [{name: b, mass: 2}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, 0.1, " RIGHT "]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"
           "contacts: [{body: b, against: world, law: kelvin-voigt, k: 1e4, b: 200, friction: "
           "none}]\n"
           "run: {until: 3, engine: stepping, dt: 1e-3, sleep: 0.2}\nrecord: {every: 0.05, batch: "
           "7}\n");
  near_rel(s.stored, 0.5 * (2 * G) * (2 * G) / 1e4, 1e-6);
}

END_TEST

// A ball that rolls at 1 mm/s rests only for those who say so; its energy, 7/10 m v^2, is then in the books.
START_TEST(slow_bodies_rest_if_asked)
{
  static const char *const set[] = {"run.sleep_speed=0.01"};
  static const char *const scene = DOWN
      "bodies: [{name: b, mass: 1}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, 0.1, " RIGHT "], v: [1e-3, 0, 0, 0, 0.01, 0]}]\n"
      "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"
      "contacts: [{body: b, against: world, " RIGID "}]\n"
      "run: {until: 1, engine: stepping, dt: 1e-3, sleep: 0.2}\n";
  for (int i = 0; i < 2; i++) {
    rh_model *model = model_from(scene, set, i);
    rh_sim *sim = watch(model, NULL, NULL);
    rh_ledger l = rh_sim_ledger(sim);
    ck_assert_int_eq(rh_sim_statistics(sim).asleep, i);
    near_abs(rh_sim_view(sim)->v[0], i == 0 ? 1e-3 : 0, 1e-12);
    near_abs(l.event, i == 0 ? 0 : -0.7e-6, 1e-15);
    near_abs(l.residue, 0, 1e-15);
    finish(sim, model);
  }
}

END_TEST

// However short the rest that is asked for: what falls does not rest. It falls for 0.3 s and stays where it lands.
START_TEST(what_falls_does_not_rest)
{
  rh_model *model = model_from(
      DOWN "bodies: [{name: b, mass: 1}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, 0.54145, " RIGHT "]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: box, size: [0.2, 0.2, 0.2]}]\n"
           "contacts: [{body: b, against: world, " RIGID "}]\n"
           "run: {until: 1, engine: stepping, dt: 1e-3, sleep: 1e-9}\nrecord: {every: 0.1}\n",
      NULL, 0);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 0.29), RH_OK);
  near_abs(rh_sim_view(sim)->v[2], -0.29 * G, 1e-12);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  ck_assert_int_eq(rh_sim_statistics(sim).asleep, 1);
  near_abs(rh_sim_view(sim)->q[2], 0.1, 1e-9);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_moreau_sleep(void)
{
  Suite *suite = suite_create("unit_moreau_sleep");
  TCase *tc = tcase_create("sleep");
  tcase_add_test(tc, stack_sleeps_and_is_hit);
  tcase_add_test(tc, the_blow_is_the_same);
  tcase_add_test(tc, sleeps_until_it_is_hit);
  tcase_add_test(tc, support_is_taken_away);
  tcase_add_test(tc, force_wakes_its_island);
  tcase_add_test(tc, pushes_of_a_program_wake);
  tcase_add_test(tc, written_state_wakes);
  tcase_add_test(tc, other_gravity_wakes);
  tcase_add_test(tc, hand_lifts);
  tcase_add_test(tc, resumed_run_has_the_same_bits);
  tcase_add_test(tc, resumed_awake);
  tcase_add_test(tc, resumed_askew);
  tcase_add_test(tc, threads_have_the_same_bits);
  tcase_add_test(tc, compliant_contact_keeps_its_energy);
  tcase_add_test(tc, slow_bodies_rest_if_asked);
  tcase_add_test(tc, what_falls_does_not_rest);
  suite_add_tcase(suite, tc);
  return suite;
}
