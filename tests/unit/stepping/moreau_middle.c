// unit_moreau_middle.c: trees solved at the middle of their steps with contacts that last (run.midpoint). The error falls by four
// where steps are halved; the ledger of robots that walk closes at the default step; an impact has the inertia of its moment;
// forces from outside do the work of force times way.
#include "moreau.h"

// ---- Order

typedef struct motion {
  const char *name, *scene, *midpoint;
  double h;      // [s] longest step
  double within; // of 4: the ratio of successive errors; 0: 0.2
} motion;

// The tip starts 0.02 m above the floor, to rounding: sin 0.35 0.5 + sin(0.35 + elbow) 0.4 = 0.48. It slides without an event.
#define ARM                                                                                        \
  DOWN "bodies:\n"                                                                                 \
       "  - {name: up, mass: 1, com: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02, 0, 0, 0]}\n"       \
       "  - {name: fore, mass: 0.5, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01, 0, 0, 0]}\n"    \
       "joints:\n"                                                                                 \
       "  - {name: s, kind: revolute, child: up, axis: [0, 1, 0], at: [0, 0, 0.5], q: 0.35}\n"     \
       "  - {name: e, kind: revolute, parent: up, child: fore, axis: [0, 1, 0], at: [0.5, 0, 0], " \
       "q: "                                                                                       \
       "0.53100329381346878}\n"                                                                    \
       "shapes: [" FLOOR ", {body: fore, kind: sphere, radius: 0.02, at: [0.4, 0, 0]}]\n"          \
       "contacts: [{name: floor, body: fore, against: world, law: newton, e: 0, friction: dry, "   \
       "mu_s: "                                                                                    \
       "0.2, mu_k: 0.2}]\n"

static const motion motions[] = {
    {"an arm with a servo whose tip slides",
     ARM "actuators: [{name: s, joint: s, effort: 1}, {name: e, joint: e, kp: 4, kd: 0.3, target: "
         "0.4}]\n"
         "run: {until: 0.3}\n",
     "usual", 5e-4, 0},
    {"an arm without actuators whose tip slides", ARM "run: {until: 0.3}\n", "all", 5e-4, 0},
    {"a biped that settles on two feet, which roll",
     DOWN
     "bodies:\n"
     "  - {name: trunk, mass: 4, inertia: [0.05, 0.05, 0.05, 0, 0, 0]}\n"
     "  - {name: lt, mass: 0.6, com: [0, 0, -0.1], inertia: [0.003, 0.003, 0.001, 0, 0, 0]}\n"
     "  - {name: ls, mass: 0.4, com: [0, 0, -0.1], inertia: [0.002, 0.002, 0.001, 0, 0, 0]}\n"
     "  - {name: rt, mass: 0.6, com: [0, 0, -0.1], inertia: [0.003, 0.003, 0.001, 0, 0, 0]}\n"
     "  - {name: rs, mass: 0.4, com: [0, 0, -0.1], inertia: [0.002, 0.002, 0.001, 0, 0, 0]}\n"
     "joints:\n"
     "  - {name: base, kind: planar, child: trunk, normal: [0, -1, 0], at: [0, 0, "
     "0.3884243976011541]}\n" // 0.4 cos 0.4 + 0.02
     "  - {name: lh, kind: revolute, parent: trunk, child: lt, axis: [0, 1, 0], at: [0.15, 0, 0], "
     "q: 0.4}\n"
     "  - {name: lk, kind: revolute, parent: lt, child: ls, axis: [0, 1, 0], at: [0, 0, -0.2], q: "
     "-0.8}\n"
     "  - {name: rh, kind: revolute, parent: trunk, child: rt, axis: [0, 1, 0], at: [-0.15, 0, 0], "
     "q: 0.4}\n"
     "  - {name: rk, kind: revolute, parent: rt, child: rs, axis: [0, 1, 0], at: [0, 0, -0.2], q: "
     "-0.8}\n"
     "shapes: [" FLOOR ", {body: ls, kind: sphere, radius: 0.02, at: [0, 0, -0.2]}, {body: rs, "
     "kind: sphere, radius: 0.02, at: [0, 0, -0.2]}]\n"
     "contacts: [{name: floor, body: world, against: all, law: newton, e: 0, friction: dry, mu_s: "
     "0.9, mu_k: 0.9}]\n"
     "actuators:\n"
     "  - {name: lh, joint: lh, kp: 60, kd: 1, target: 0.4}\n"
     "  - {name: lk, joint: lk, kp: 60, kd: 1, target: -0.8}\n"
     "  - {name: rh, joint: rh, kp: 60, kd: 1, target: 0.4}\n"
     "  - {name: rk, joint: rk, kp: 60, kd: 1, target: -0.8}\n"
     "run: {until: 0.3}\n",
     "usual", 2e-3, 0},
    {"a pendulum with a servo pushes a ball, which rolls and slips",
     DOWN "bodies:\n"
          "  - {name: bar, mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001, 0, 0, 0]}\n"
          "  - {name: ball, mass: 0.3}\n"
          "joints:\n"
          "  - {name: pivot, kind: revolute, child: bar, axis: [0, -1, 0], at: [0, 0, 0.54]}\n"
          "  - {kind: free, child: ball, q: [0.08, 0, 0.06, 1, 0, 0, 0]}\n"
          "shapes: [" FLOOR ", {body: bar, kind: capsule, radius: 0.02, length: 0.5, at: [0, 0, "
          "-0.25]}, {body: ball, kind: sphere, radius: 0.06}]\n"
          "contacts: [{name: floor, body: ball, against: all, law: newton, e: 0, friction: dry, "
          "mu_s: 0.3, mu_k: 0.3}]\n"
          "actuators: [{name: pivot, joint: pivot, kp: 4, kd: 0.3, target: 0.5}]\n"
          "run: {until: 0.15}\n",
     "usual", 1e-3, 0},
    // A triangle of 1, 0.8 and 0.7 m closes at these angles, to rounding. The servo starts with a jump of its
    // effort: terms of the third order are larger (3.97, 3.67, 3.75, 3.85 from 4 ms on).
    {"a linkage of four bars that a servo drives",
     DOWN
     "bodies:\n"
     "  - {name: crank, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
     "  - {name: coupler, mass: 2, com: [0.5, 0, 0], inertia: [0.02, 0.2, 0.2, 0, 0, 0]}\n"
     "  - {name: rocker, mass: 1.5, com: [0.4, 0, 0], inertia: [0.02, 0.1, 0.1, 0, 0, 0]}\n"
     "joints:\n"
     "  - {name: drive, kind: revolute, child: crank, axis: [0, -1, 0]}\n"
     "  - {name: knee, kind: revolute, parent: crank, child: coupler, at: [0.4, 0, 0], axis: "
     "[0, -1, 0], q: 0.9183364294768194}\n"
     "  - {name: bearing, kind: revolute, child: rocker, at: [1.1, 0, 0], axis: [0, -1, 0], q: "
     "1.6871299784680978}\n"
     "loops: [{name: pin, kind: hinge, body: rocker, to: coupler, axis: [0, 1, 0], at: [0.8, 0, "
     "0], to_at: [1, 0, 0]}]\n"
     "actuators: [{name: motor, joint: drive, kp: 20, kd: 2, target: 0, rate: 3}]\n"
     "run: {until: 0.3}\n",
     "usual", 1e-3, 0.4},
    {"a sleigh on a blade behind its centre of mass",
     "world: {gravity: [0, 0, 0]}\n"
     "bodies: [{name: sleigh, mass: 2, com: [0.25, 0, 0], inertia: [0.3, 0.3, 0.3, 0, 0, 0]}]\n"
     "joints: [{name: sleigh, kind: planar, normal: [0, 0, 1], child: sleigh, v: [-0.6, 0, 0.2]}]\n"
     "constraints: [{name: blade, kind: knife-edge, body: sleigh, along: [1, 0, 0]}]\n"
     "run: {until: 1}\n",
     "usual", 2e-3, 0},
};

enum { NUMBERS = 32 };

// Coordinates and velocities at the end; h 0: of the engine that locates events
static int end_state(const motion *m, double h, double x[NUMBERS])
{
  char step[64];
  char midpoint[64];
  snprintf(step, sizeof step, "run.dt=%.17g", h);
  snprintf(midpoint, sizeof midpoint, "run.midpoint=%s", m->midpoint);
  const char *const steps[] = {"run.engine=stepping", step, midpoint};
  const char *const located[] = {"run.integrator=cvode", "run.rtol=1e-11", "run.atol=1e-13"};
  rh_model *model = model_from(m->scene, h > 0 ? steps : located, 3);
  rh_sim *sim = watch(model, NULL, NULL);
  int n = model->nq + model->nv;
  ck_assert_int_le(n, NUMBERS);
  memcpy(x, rh_sim_view(sim)->q, (size_t)model->nq * sizeof *x);
  memcpy(x + model->nq, rh_sim_view(sim)->v, (size_t)model->nv * sizeof *x);
  finish(sim, model);
  return n;
}

// Ratios are 4 (1 + O(h))
START_TEST(errors_fall_by_four)
{
  const motion *m = &motions[_i];
  double exact[NUMBERS];
  double before = 0;
  int n = end_state(m, 0, exact);
  for (int k = 0; k < 3; k++) {
    double x[NUMBERS];
    double sum = 0;
    end_state(m, ldexp(m->h, -k), x);
    for (int i = 0; i < n; i++) {
      sum += (x[i] - exact[i]) * (x[i] - exact[i]);
    }
    double error = sqrt(sum);
    double within = m->within > 0 ? m->within : 0.2;
    ck_assert_msg(k == 0 || fabs(before / error - 4) < within, "%s: %g, then %g", m->name, before,
                  error);
    before = error;
  }
}

END_TEST

// ---- The ledger

typedef struct walk {
  const char *scene, *set[4];
  double until;
} walk;

static const walk walks[] = {
    {"hexapod", {"gait.cycles=2", "record.every=0.02"}, 5},
    {"quadruped", {"gait.cycles=1", "gait.cycle=1.5"}, 5},
    {"quadruped", {"gait.gait=trot", "gait.cycle=0.5", "gait.cycles=2"}, 3},
    {"quadruped", {"gait.gait=trot", "gait.cycle=0.5", "gait.turn=0.3"}, 3},
    {"atlas-walk", {"record.every=0.02"}, 1.5},
    {"rimless-wheel", {"record.every=0.02"}, 2},
    {"part-feeder", {"record.every=0.02"}, 1},
    {"grasp-two-fingers", {"record.every=0.02"}, 1.2},
    {"grasp-three-fingers", {"record.every=0.02"}, 1},
    {"peg-in-hole", {"record.every=0.02"}, 0.1},
    {"four-bar", {"record.every=0.02"}, 1},
    {"sleigh", {"record.every=0.02"}, 1},
};

static rh_sim *walk_by_steps(const walk *c, const char *more, rh_model **model)
{
  char path[512];
  const char *set[8] = {"run.engine=stepping", "run.dt=0.001", more};
  int n = 3;
  for (int i = 0; i < 4 && c->set[i]; i++) {
    set[n++] = c->set[i];
  }
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", c->scene);
  rh_status status = rh_scene_load(path, set, n, diag, &scene);
  ck_assert_msg(status == RH_OK, "%s: %s", c->scene,
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "not read");
  rh_diag_destroy(diag);
  *model = model_of(scene);
  rh_sim *sim = sim_of(*model);
  ck_assert_int_eq(rh_sim_run(sim, c->until), RH_OK);
  return sim;
}

// At the default step of 1 ms, by the usual bound of the residue: no verdict
START_TEST(robots_keep_the_ledger)
{
  rh_model *model;
  rh_sim *sim = walk_by_steps(&walks[_i], "run.residue=0", &model);
  rh_residue_stats seen = rh_sim_statistics(sim).residue;
  ck_assert_double_eq(seen.bound, 1e-3);
  ck_assert_msg(seen.worst <= 1e-3, "%s: %g", walks[_i].scene, seen.worst);
  finish(sim, model);
}

END_TEST

// At order one the same robot is over the bound: the advice is the other setting.
START_TEST(advice)
{
  rh_model *model;
  char told[RH_ADVICE_MAX];
  rh_sim *sim = walk_by_steps(&walks[2], "run.midpoint=never", &model);
  ck_assert(rh_sim_residue_advice(sim, told));
  ck_assert_ptr_nonnull(strstr(told, "midpoint all"));
  finish(sim, model);
  sim = walk_by_steps(&walks[2], "run.residue=1e-6", &model);
  ck_assert(rh_sim_residue_advice(sim, told));
  ck_assert_ptr_null(strstr(told, "midpoint"));
  finish(sim, model);
}

END_TEST

// A block on a rail, by friction 0.1 (g 10): 3 N push it along by (3 - 1) t^2/2 m in 1 s, at any step, with the middle or without.
// The ledger has F x and mu m g x.
START_TEST(forces_from_outside)
{
  static const char *const midpoint[] = {"run.midpoint=never", "run.midpoint=all"};
  const char *set[] = {"run.engine=stepping", "run.dt=0.01", midpoint[_i]};
  rh_model *model = model_from(
      "world: {gravity: [0, 0, -10]}\n"
      "bodies: [{name: rail, mass: 1}, {name: block, mass: 1}]\n"
      "joints: [{kind: prismatic, child: rail, axis: [0, 0, 1]}, {kind: prismatic, parent: rail, "
      "child: block, axis: [1, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: block, kind: sphere, radius: 0.1, at: [0, 0, 0.1]}]\n"
      "forces: [{name: push, body: block, force: [3, 0, 0]}]\n"
      "contacts: [{body: block, against: world, law: newton, e: 0, friction: dry, mu_s: 0.05, "
      "mu_k: 0.05}]\n"
      "run: {until: 1}\n",
      set, 3);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_ledger l = rh_sim_ledger(sim);
  double x = rh_sim_view(sim)->q[1];
  // 1 m; order one moves along the velocity at the end, half a step more: 0.01 m
  near_abs(x, 1, _i == 0 ? 0.02 : 1e-9);
  near_abs(l.external, 3, 1e-9); // force times way of the mean velocity
  near_abs(l.sliding, 1, 1e-9);
  near_abs(l.kinetic, 2, 1e-9);
  near_abs(l.residue, 0, 1e-9);
  finish(sim, model);
}

END_TEST

// ---- Impacts

typedef struct struck {
  double impulse;
  int n;
} struck;

static rh_status note_impact(void *user, const rh_sim *sim, const rh_event *event)
{
  struck *s = user;
  (void)sim;
  if (event->kind == RH_EVENT_IMPACT) {
    s->impulse += event->impulse;
    s->n++;
  }
  return RH_OK;
}

// A slider of 2 kg with a damper and a servo meets a free ball of 1 kg with e = 0.5: springs and dampers have no time to act, and the
// impulse is (1 + e) m1 m2/(m1 + m2) u, however long the step is. u is that of the slider alone, which its step moves exactly in
// time for no force: the servo asks for its own velocity, the damper is relative to it.
START_TEST(impacts_have_the_inertia_of_a_moment)
{
  static const char *const midpoint[] = {"run.midpoint=never", "run.midpoint=all"};
  for (int k = 0; k < 3; k++) {
    char step[64];
    snprintf(step, sizeof step, "run.dt=%g", ldexp(0.004, -k));
    const char *set[] = {"run.engine=stepping", step, midpoint[_i]};
    rh_model *model = model_from(
        "world: {gravity: [0, 0, 0]}\n"
        "bodies: [{name: slider, mass: 2}, {name: ball, mass: 1}]\n"
        "joints: [{name: rail, kind: prismatic, child: slider, axis: [1, 0, 0], v: 1}, {kind: "
        "free, child: ball, q: [0.3, 0, 0, 1, 0, 0, 0]}]\n"
        "shapes: [{body: slider, kind: sphere, radius: 0.1}, {body: ball, kind: sphere, radius: "
        "0.1}]\n"
        "contacts: [{body: slider, against: ball, law: newton, e: 0.5}]\n"
        "actuators: [{name: servo, joint: rail, kp: 4000, kd: 100, target: 0, rate: 1}]\n"
        "run: {until: 0.11}\n",
        set, 3);
    rh_sim *sim = sim_of(model);
    struck seen = {0};
    rh_sim_observe(sim, &(rh_observer){.user = &seen, .event = note_impact});
    ck_assert_int_eq(rh_sim_run(sim, 0.11), RH_OK);
    ck_assert_int_eq(seen.n, 1);
    near_abs(seen.impulse, 1.0, 1e-9); // 1.5 * 2/3
    near_abs(rh_sim_view(sim)->v[1], 1.0, 1e-9);
    finish(sim, model);
  }
}

END_TEST

// ---- Others are not concerned

// No bit of worlds without trees depends on it, and no bit of a robot on the number of threads.
START_TEST(bits)
{
  static const char *const scene =
      DOWN "bodies: [{name: b, mass: 1, inertia: [1e-2, 2e-2, 2.5e-2, 0, 0, 0]}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, 0.3, 0.5, 0.5, 0.5, 0.5], v: [1, 0, 0, 1, 2, "
           "0]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: box, size: [0.2, 0.15, 0.1]}]\n"
           "contacts: [{body: b, against: world, law: newton, e: 0.3, friction: dry, mu_s: 0.3, "
           "mu_k: 0.3}]\n"
           "run: {until: 1}\n";
  static const char *const set[2][2] = {{"run.engine=stepping", "run.midpoint=never"},
                                        {"run.engine=stepping", "run.midpoint=all"}};
  double q[2][7];
  for (int i = 0; i < 2; i++) {
    rh_model *model = model_from(scene, set[i], 2);
    rh_sim *sim = watch(model, NULL, NULL);
    memcpy(q[i], rh_sim_view(sim)->q, sizeof q[i]);
    finish(sim, model);
  }
  ck_assert(memcmp(q[0], q[1], sizeof q[0]) == 0);
  const walk *c = &walks[2];
  rh_model *model[2];
  rh_sim *one = walk_by_steps(c, "run.threads=1", &model[0]);
  rh_sim *three = walk_by_steps(c, "run.threads=3", &model[1]);
  ck_assert(memcmp(rh_sim_view(one)->q, rh_sim_view(three)->q,
                   (size_t)model[0]->nq * sizeof(double)) == 0);
  finish(one, model[0]);
  finish(three, model[1]);
}

END_TEST

Suite *rh_suite_unit_moreau_middle(void);

Suite *rh_suite_unit_moreau_middle(void)
{
  Suite *s = suite_create("unit_moreau_middle");
  TCase *t = tcase_create("middle");
  tcase_add_loop_test(t, errors_fall_by_four, 0, RH_COUNT(motions));
  tcase_add_loop_test(t, robots_keep_the_ledger, 0, RH_COUNT(walks));
  tcase_add_test(t, advice);
  tcase_add_loop_test(t, forces_from_outside, 0, 2);
  tcase_add_loop_test(t, impacts_have_the_inertia_of_a_moment, 0, 2);
  tcase_add_test(t, bits);
  suite_add_tcase(s, t);
  return s;
}
