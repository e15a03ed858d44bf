// unit_energy_check.c: the energy ledger against run.residue, single impacts against their e, and the numbers of the summary.
#include "moreau.h"

#include "contacts/simulation.h"

#include <math.h>

// Two spinning balls meet: m = 1 kg, r = 0.1 m, 1 m/s, slip 4 m/s at the contact.
#define SPIN                                                                                       \
  "world: {gravity: [0, 0, 0]}\nbodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"                \
  "joints:\n"                                                                                      \
  "  - {kind: free, child: a, q: [-0.15, 0.01, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 20]}\n"          \
  "  - {kind: free, child: b, q: [0.15, 0, 0, 1, 0, 0, 0], v: [0, 0, 0, 0, 5, 20]}\n"              \
  "shapes: [{body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, radius: 0.1}]\n"         \
  "contacts: [{name: balls, body: a, against: b, law: hunt-crossley, k: %s, alpha: 0.1, "          \
  "friction: coulomb, mu: 0.3}]\n"                                                                 \
  "run: {until: 0.3, %s}\nrecord: {every: 10 ms}\n"

typedef struct spun {
  rh_ledger ledger;
  rh_residue_stats residue;
  double v[12];
  long count[RH_EVENT_COUNT];
  rh_event first; // verdict on the residue
} spun;

static spun spin_of(const char *k, const char *run)
{
  char scene[1024];
  spun x;
  snprintf(scene, sizeof scene, SPIN, k, run);
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  x.ledger = rh_sim_ledger(sim);
  x.residue = rh_sim_statistics(sim).residue;
  memcpy(x.v, rh_sim_view(sim)->v, sizeof x.v);
  for (int i = 0; i < RH_EVENT_COUNT; i++) {
    x.count[i] = rh_sim_verdicts(sim, (rh_event_kind)i, i == RH_EVENT_RESIDUE ? &x.first : NULL);
  }
  finish(sim, model);
  return x;
}

// Steps of 1 ms at k from 1e6 to 1e9 N/m: by default the motion is that of the event-driven run, and the ledger closes. The speeds are those of
// steps with X <= 0.1 (stepping; friction there is Coulomb's own, and this slip does not end) or 18 in a period (rk4): 1 % of the 1 m/s.
START_TEST(divided_steps_close_the_ledger)
{
  static const char *const k[] = {"1e6", "1e7", "1e9"};
  static const char *const run[] = {"engine: stepping", "integrator: rk4, residue: 1e-3",
                                    "integrator: gbs, dt: 1e-3, residue: 1e-3"};
  for (int i = 0; i < 9; i++) {
    spun exact = spin_of(k[i / 3], "rtol: 1e-10");
    spun x = spin_of(k[i / 3], run[i % 3]);
    ck_assert_int_eq(exact.count[RH_EVENT_RESIDUE], 0);
    ck_assert_msg(x.count[RH_EVENT_RESIDUE] == 0, "k %s, %s: %s", k[i / 3], run[i % 3],
                  x.first.note);
    ck_assert_int_eq(x.count[RH_EVENT_UNRESOLVED], 0);
    for (int c = 0; c < 3; c++) {
      near_abs(x.v[c], exact.v[c], 0.01);
      near_abs(x.v[6 + c], exact.v[6 + c], 0.01);
    }
  }
}

END_TEST

// Taken as they are, they are not silent: the verdicts name contact and bodies, and the interval in which the balls met, at 0.1 s.
START_TEST(long_steps_are_not_silent)
{
  static const char *const run[] = {"engine: stepping, unresolved: accept",
                                    "integrator: rk4, unresolved: accept",
                                    "integrator: euler, unresolved: accept"};
  for (int i = 0; i < 3; i++) {
    spun x = spin_of("1e8", run[i]);
    ck_assert_int_gt((int)x.count[RH_EVENT_UNRESOLVED], 0);
    ck_assert_int_gt((int)x.count[RH_EVENT_RESIDUE], 0);
    ck_assert_str_eq(x.first.name, "balls");
    ck_assert(x.first.body[0] == 1 && x.first.body[1] == 2);
    near_abs(x.first.t, 0.1, 0.0101); // a frame
    ck_assert_double_gt(x.residue.worst, x.residue.bound);
    ck_assert_ptr_nonnull(strstr(x.first.note, "take "));
  }
}

END_TEST

// ---- A ball on a compliant floor, 0.1 m above it, 2 m/s downwards

static rh_model *model_of_fall(const char *law, const char *run, bool jointed)
{
  char scene[1024];
  const char *joint =
      jointed ? "kind: prismatic, child: b, axis: [0, 0, 1], q: 0.2, v: -2"
              : "kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0], v: [0, 0, -2, 0, 0, 0]";
  snprintf(scene, sizeof scene,
           "bodies: [{name: b, mass: 1}]\njoints: [{%s}]\n"
           "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.1}]\n"
           "contacts: [{name: floor, body: b, against: world, law: %s}]\nrun: {until: 0.1, %s}\n",
           joint, law, run);
  return model_from(scene, NULL, 0);
}

// A step that is too long is divided: a bounce off any stiffness, free or on a joint, with and without damping, is that of the event-driven run.
// A divided step has X <= 0.1, one that is not divided X <= 0.8: the phase of a spring is right to (w h)^2/24 = 3 % of a swing, and so is the loss
// by a damper, a third of the energy here: 1 % of the speed. Nothing else is lost.
START_TEST(steps_are_divided)
{
  static const char *const law[] = {"kelvin-voigt, k: %g, b: 0, tension: cut",
                                    "hunt-crossley, k: %g, n: 1.5, alpha: 0.2", "hertz, K: %g"};
  for (int i = 0; i < 24; i++) {
    char full[160];
    double v[2];
    double residue = 0;
    (void)snprintf(full, sizeof full, law[i % 3], pow(10, 6 + i / 6));
    for (int k = 0; k < 2; k++) {
      bool jointed = i / 3 % 2 != 0;
      rh_model *model = model_of_fall(full, k == 0 ? "rtol: 1e-10" : "engine: stepping", jointed);
      rh_sim *sim = watch(model, NULL, NULL);
      v[k] = rh_sim_view(sim)->v[jointed ? 0 : 2];
      residue = rh_sim_ledger(sim).residue;
      finish(sim, model);
    }
    near_abs(v[1], v[0], 0.01 * 2.4);
    near_abs(residue, 0, 1e-9 * 4);
  }
}

END_TEST

// What run.unresolved may be: the run ends, or goes on with a verdict.
START_TEST(steps_are_refused)
{
  static const char *const engine[] = {"engine: stepping", "integrator: rk4", "integrator: euler"};
  double met = (sqrt(4 + 2 * 9.81 * 0.1) - 2) / 9.81; // [s] it meets the floor
  for (int i = 0; i < 6; i++) {
    char run[128];
    bool refuse = i < 3;
    (void)snprintf(run, sizeof run, "%s, unresolved: %s", engine[i % 3],
                   refuse ? "refuse" : "accept");
    rh_model *model = model_of_fall("kelvin-voigt, k: 1e8, b: 0, tension: cut", run, false);
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    ck_assert_int_eq(rh_sim_run(sim, 0.1), refuse ? RH_STOPPED : RH_OK);
    rh_event first;
    long count = rh_sim_verdicts(sim, RH_EVENT_UNRESOLVED, &first);
    ck_assert(refuse ? count == 0 : count > 0);
    ck_assert_msg(!refuse || strstr(rh_sim_reason(sim), "b on world") != NULL, "%s",
                  rh_sim_reason(sim));
    near_abs(refuse ? *rh_sim_view(sim)->t : first.t, met, 1.1e-3); // a step
    ck_assert(refuse || rh_sim_verdicts(sim, RH_EVENT_RESIDUE, NULL) > 0);
    finish(sim, model);
  }
}

END_TEST

// The bound: infinite, there is no verdict; a strict run ends at the first one.
START_TEST(bound_and_strict)
{
  spun x = spin_of("1e8", "engine: stepping, unresolved: accept, residue: inf");
  ck_assert_int_eq(x.count[RH_EVENT_RESIDUE], 0);
  char scene[1024];
  snprintf(scene, sizeof scene, SPIN, "1e6", "integrator: euler, residue: 1e-9, strict: true");
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 0.3), RH_STOPPED);
  ck_assert_msg(strstr(rh_sim_reason(sim), "a on b") != NULL, "%s", rh_sim_reason(sim));
  ck_assert_double_lt(*rh_sim_view(sim)->t, 0.12);
  finish(sim, model);
}

END_TEST

// The scale: a falling ball has moved m g h, wherever zero is; its weight over a hundredth of its size at rest.
START_TEST(scale_of_the_residue)
{
  static const double at[] = {0, 1000, -50};
  for (int i = 0; i < 3; i++) {
    char scene[512];
    snprintf(scene, sizeof scene,
             "bodies: [{name: b, mass: 2}]\n"
             "joints: [{kind: free, child: b, q: [0, 0, %g, 1, 0, 0, 0]}]\n"
             "shapes: [{body: b, kind: sphere, radius: 0.1}]\nrun: {until: 1}\n",
             at[i]);
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    near_abs(rh_sim_statistics(sim).residue.scale, 2 * 9.81 * 0.1 * 0.01, 1e-12);
    ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
    rh_residue_stats x = rh_sim_statistics(sim).residue;
    near_abs(x.scale, 2 * 9.81 * 0.5 * 9.81, 1e-6 * 96); // the bound itself
    ck_assert_double_le(x.worst, 1e-6);
    finish(sim, model);
  }
}

END_TEST

// Springs return what they took: steps that are too long leave energy in contacts that have ended, which is no energy of the world.
START_TEST(springs_return_what_they_took)
{
  rh_model *model = model_from("bodies: [{name: b, mass: 1}]\n"
                               "joints: [{kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0]}]\n"
                               "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, "
                               "radius: 0.1}]\n"
                               "contacts: [{name: floor, body: b, against: world, law: "
                               "kelvin-voigt, k: 1e6, b: 0}]\n"
                               "run: {until: 0.5, integrator: euler, dt: 0.01, unresolved: accept, "
                               "residue: 0.1}\n",
                               NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  rh_ledger l = rh_sim_ledger(sim);
  rh_event first;
  ck_assert_int_gt((int)rh_sim_verdicts(sim, RH_EVENT_RESIDUE, &first), 0);
  ck_assert_double_gt(fabs(l.contact), 0.1); // the ledger's entry, with no contact closed
  finish(sim, model);
}

END_TEST

static const char ball_on_floor[] =
    "bodies: [{name: b, mass: 1}]\njoints: [{kind: free, child: b, q: [0, 0, 1, 1, 0, 0, "
    "0]}]\nshapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: floor, body: b, against: world, law: %s}]\n";

// A single impact may leave with the e of its law at its speed; with friction that is Newton's claim only. At 16 m/s
// e_speed 1 halves e: 16^(-1/4); the table is linear: 0.6 in the middle.
START_TEST(restitution_of_single_impacts)
{
  static const struct {
    const char *law;
    double before, after;
    int count;
  } cases[] = {{"newton, e: 0.5", -2, 1.0, 0},
               {"newton, e: 0.5", -2, 1.01, 1},
               {"newton, e: 0.5, e_speed: 1", -16, 4.0, 0},
               {"newton, e: 0.5, e_speed: 1", -16, 4.01, 1},
               {"newton, e: 0.5, e_speed: 1", -16, 8.0, 1}, // e at low speeds
               {"newton, e_table: [1, 0.8, 3, 0.4]", -2, 1.2, 0},
               {"newton, e_table: [1, 0.8, 3, 0.4]", -2, 1.21, 1},
               {"stronge, e: 0.5", -2, 1.01, 1},
               {"stronge, e: 0.5, friction: dry, mu_s: 0.3, mu_k: 0.3", -2, 1.01, 0}};

  for (int i = 0; i < RH_COUNT(cases); i++) {
    char scene[512];
    snprintf(scene, sizeof scene, ball_on_floor, cases[i].law);
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    rh_event e = rh_sim_event(sim, RH_EVENT_IMPACT, "floor", RH_NONE);
    e.before = cases[i].before;
    e.after = cases[i].after;
    rh_restitution_check(sim, &e, 0, 1e-6);
    ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_RESTITUTION, NULL), cases[i].count);
    finish(sim, model);
  }
}

END_TEST

// The same at both limits of a joint: velocities are of the joint, and change their sign.
START_TEST(restitution_at_limits)
{
  static const struct {
    double before, after;
    int count;
  } cases[] = {{-2, 0.8, 0}, {-2, 0.81, 1}, {2, -0.8, 0}, {2, -0.81, 1}, {2, 0.5, 0}};

  for (int i = 0; i < RH_COUNT(cases); i++) {
    rh_model *model = model_from("bodies: [{name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                                 "joints: [{name: j, kind: revolute, child: b, axis: [0, 1, 0], "
                                 "limits: [-1, 1], bounce: 0.4}]\n",
                                 NULL, 0);
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    rh_event e = rh_sim_event(sim, RH_EVENT_BOUNCE, "j", 0);
    e.before = cases[i].before;
    e.after = cases[i].after;
    rh_limit_restitution_check(sim, &e, 1e-6);
    ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_RESTITUTION, NULL), cases[i].count);
    finish(sim, model);
  }
}

END_TEST

// Connected impacts give no kinetic energy: 1 J of 2 J fires, rounding does not.
START_TEST(energy_of_connected_impacts)
{
  static const struct {
    double gain;
    int count;
  } cases[] = {{1, 1}, {2e-5, 1}, {2e-12, 0}, {0, 0}, {-1, 0}};

  for (int i = 0; i < RH_COUNT(cases); i++) {
    char scene[512];
    snprintf(scene, sizeof scene, ball_on_floor, "newton");
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    rh_event e = rh_sim_event(sim, RH_EVENT_IMPACT, "floor", RH_NONE);
    rh_impact_energy_check(sim, &e, cases[i].gain, 2);
    ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_RESTITUTION, NULL), cases[i].count);
    finish(sim, model);
  }
}

END_TEST

// Runs of both engines in which the closed form of each rebound is the bound itself: e by speed, a limit, Newton's and
// Poisson's laws with friction at several contacts. None has a verdict.
START_TEST(right_rebounds_have_no_verdict)
{
  static const char *const scenes[] = {
      "bodies: [{name: b, mass: 1}]\njoints: [{kind: free, child: b, q: [0, 0, 1, 1, 0, 0, 0], v: "
      "[0, 0, -9, 0, 0, 0]}]\nshapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: "
      "0.1}]\ncontacts: [{name: floor, body: b, against: world, law: newton, e: 0.9, e_speed: "
      "1}]\n",
      "bodies: [{name: b, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\njoints: "
      "[{name: "
      "j, "
      "kind: revolute, child: b, axis: [0, 1, 0], limits: [-1, 1], bounce: 0.8, v: [5]}]\n",
      "bodies: [{name: b, mass: 1}]\njoints: [{kind: free, child: b, q: [0, 0, 0.5, 0.9, 0.3, 0.3, "
      "0.1], v: [1, 0, -2, 3, 1, 0]}]\nshapes: [{body: world, kind: plane}, {body: b, kind: box, "
      "size: "
      "[0.2, 0.3, 0.1]}]\ncontacts: [{name: floor, body: b, against: world, law: newton, e: 0.6, "
      "friction: dry, mu_s: 0.4, mu_k: 0.4}]\n"};
  static const char *const runs[] = {"run: {until: 0.6}\n",
                                     "run: {until: 0.6, engine: stepping, dt: 0.004}\n"};
  for (int i = 0; i < RH_COUNT(scenes); i++) {
    for (int k = 0; k < RH_COUNT(runs); k++) {
      char scene[1024];
      snprintf(scene, sizeof scene, "%s%s", scenes[i], runs[k]);
      rh_model *model = model_from(scene, NULL, 0);
      rh_sim *sim = watch(model, NULL, NULL);
      ck_assert_int_gt((int)rh_sim_statistics(sim).events, 0);
      ck_assert_int_eq(rh_sim_verdicts(sim, RH_EVENT_RESTITUTION, NULL), 0);
      finish(sim, model);
    }
  }
}

END_TEST

// The summary counts bounces: a ball that is pressed down by a force and lifted by another one later has none, though it touched with a speed.
START_TEST(presses_are_no_bounces)
{
  static const char format[] =
      "world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 1}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, 0.101, 1, 0, 0, 0], v: [0, 0, -0.1, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.1}]\n"
      "contacts: [{name: floor, body: b, against: world, law: kelvin-voigt, k: 1e5, b: %s, "
      "tension: cut}]\n"
      "%srun: {until: 1}\n";
  static const char presses[] =
      "forces:\n  - {name: down, body: b, force: [0, 0, -50], until: 0.5}\n"
      "  - {name: up, body: b, force: [0, 0, 50], from: 0.5}\n";
  for (int i = 0; i < 2; i++) {
    char scene[1024];
    snprintf(scene, sizeof scene, format, i == 0 ? "0" : "1000", i == 0 ? "" : presses);
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    rh_impact_stats s = rh_sim_statistics(sim).impact;
    if (i == 0) {
      ck_assert_int_eq(s.impacts, 1);
      near_abs(s.time_hi, 3.14159265 * sqrt(1 / 1e5), 1e-7); // half a swing
    } else {
      ck_assert_int_eq(s.impacts, 0);
      ck_assert_double_eq(s.time_hi, 0);
      ck_assert_double_gt(s.deepest, 50 / 1e5 * 0.99);
    }
    finish(sim, model);
  }
}

END_TEST

// A bounce counts under every compliant law, whatever the slope of its damper where it touches. Those that hold on may stick.
START_TEST(bounces_of_every_law)
{
  int n = 0;
  const rh_normal_law *const *law = rh_normal_law_table(&n);
  for (int i = 0; i < n; i++) {
    char scene[512];
    snprintf(
        scene, sizeof scene,
        "world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 1}]\n"
        "joints: [{kind: free, child: b, q: [0, 0, 0.11, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}]\n"
        "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.1}]\n"
        "contacts: [{body: b, against: world, law: %s}]\nrun: {until: 0.2}\n",
        law[i]->row.name);
    if (!law[i]->hold) {
      rh_model *model = model_from(scene, NULL, 0);
      rh_sim *sim = watch(model, NULL, NULL);
      ck_assert_msg(rh_sim_statistics(sim).impact.impacts == 1, "%s", law[i]->row.name);
      finish(sim, model);
    }
  }
}

END_TEST

// The advice is below the present step or tolerance, and is no other name of the present method, however near to its bound the residue is.
START_TEST(advice_differs)
{
  static const double near_bound[] = {0.999, 0.9, 0.5, 1e-3, 1e-12};
  static const double present[] = {9.6e-4, 1e-3, 1.04e-3, 2e-3};
  for (int i = 0; i < 20; i++) {
    double dt = present[i / 5];
    char run[128];
    snprintf(run, sizeof run, "integrator: rk4, unresolved: accept, dt: %.9g", dt);
    double worst = spin_of("1e8", run).residue.worst;
    snprintf(run, sizeof run, "integrator: rk4, unresolved: accept, dt: %.9g, residue: %.9g", dt,
             near_bound[i % 5] * worst);
    spun x = spin_of("1e8", run);
    const char *take = strstr(x.first.note, "take ");
    ck_assert_ptr_nonnull(take);
    const char *step = strstr(take, "dt ");
    ck_assert_msg(step == NULL || strtod(step + 3, NULL) <= 0.5 * dt, "dt %g: %s", dt, take);
    ck_assert_ptr_null(strstr(take, "rk4"));
  }
  spun x = spin_of("1e8", "integrator: cvode, rtol: 1e-12, residue: 1e-30");
  if (x.count[RH_EVENT_RESIDUE] > 0) { // there is no lower tolerance
    ck_assert_ptr_null(strstr(x.first.note, "rtol"));
    ck_assert_ptr_nonnull(strstr(x.first.note, "take integrator gbs"));
  }
}

END_TEST

// A dumbbell lands on both balls at once: each takes part in the other's rebound, the ratio of its
// speeds is no restitution, and none is reported. On one ball after the other each has its own.
// Rigid in both engines, and with springs.
START_TEST(restitution_of_single_contacts)
{
  static const char *const engine[] = {"event", "stepping", "event"};
  static const char *const law[] = {"newton, e: 0.6", "newton, e: 0.6",
                                    "hunt-crossley, k: 1e8, n: 1.5, alpha: 0.3"};
  for (int tilted = 0; tilted < 2; tilted++) {
    char scene[1024];
    snprintf(scene, sizeof scene,
             "world: {gravity: [0, 0, 0]}\nbodies: [{name: b, mass: 1, inertia: [0.01, 0.01, 0.01, "
             "0, 0, 0]}]\n"
             "joints: [{kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}]"
             "\n"
             "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.05, at: [0.2, "
             "0, %g]}, {body: b, kind: sphere, radius: 0.05, at: [-0.2, 0, 0]}]\n"
             "contacts: [{body: b, against: world, law: %s}]\nrun: {until: 0.4, engine: %s}\n",
             -0.02 * tilted, law[_i], engine[_i]);
    rh_model *model = model_from(scene, NULL, 0);
    rh_sim *sim = watch(model, NULL, NULL);
    rh_impact_stats s = rh_sim_statistics(sim).impact;
    ck_assert_int_gt(s.impacts, 1);
    ck_assert_int_eq(s.single, tilted * s.impacts);
    ck_assert_double_lt(s.e_hi, tilted ? 0.95 : 1e-300);
    if (_i < 2 && tilted) {
      near_abs(s.e_lo, 0.6, 1e-9);
      near_abs(s.e_hi, 0.6, 1e-9);
    }
    finish(sim, model);
  }
}

END_TEST

Suite *rh_suite_unit_energy_check(void)
{
  Suite *suite = suite_create("unit_energy_check");
  TCase *checks = tcase_create("checks");
  tcase_add_loop_test(checks, restitution_of_single_contacts, 0, 3);
  tcase_add_test(checks, divided_steps_close_the_ledger);
  tcase_add_test(checks, long_steps_are_not_silent);
  tcase_add_test(checks, steps_are_divided);
  tcase_add_test(checks, steps_are_refused);
  tcase_add_test(checks, bound_and_strict);
  tcase_add_test(checks, scale_of_the_residue);
  tcase_add_test(checks, springs_return_what_they_took);
  tcase_add_test(checks, restitution_of_single_impacts);
  tcase_add_test(checks, restitution_at_limits);
  tcase_add_test(checks, energy_of_connected_impacts);
  tcase_add_test(checks, right_rebounds_have_no_verdict);
  tcase_add_test(checks, presses_are_no_bounces);
  tcase_add_test(checks, bounces_of_every_law);
  tcase_add_test(checks, advice_differs);
  suite_add_tcase(suite, checks);
  return suite;
}
