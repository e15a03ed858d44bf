// unit_moreau_order.c: the order of time steps in free spin and in rolling. The final state of an
// asymmetric body in space, of a tippe top, of a rattleback and of a ball that rolls over another,
// at steps h, h/2, h/4, against the engine that locates events at a tolerance far below their
// errors: the error falls by four. The ledger closes to 1e-3 at the default step, Euler's disk too.
#include "moreau.h"

typedef struct motion {
  const char *name, *scene;
  double h;        // [s] longest step
  double falls[2]; // [1] bounds of the ratio of errors
} motion;

// Ratios are 4 (1 + O(h^2)); a slip at the start, or a stage of friction at a step's own time, leaves
// a tenth.
static const motion motions[] = {
    {"free spin",
     "world: {gravity: [0, 0, 0]}\n"
     "bodies: [{name: b, mass: 1, inertia: [1e-2, 2e-2, 2.5e-2, 0, 0, 0]}]\n"
     "joints: [{kind: free, child: b, q: [0, 0, 1, 1, 0, 0, 0], v: [0, 0, 0, 0.1, 10, 0.1]}]\n"
     "run: {until: 2}\n",
     4e-3,
     {3.9, 4.1}},
    {"tippe top",
     DOWN
     "bodies: [{name: b, mass: 15 g, com: [0, 0, -3 mm], inertia: [2.2e-6, 2.2e-6, 2.4e-6, 0, "
     "0, 0]}]\n"
     "joints: [{kind: free, child: b, q: [0, 0, 0.02, 0.99875, 0.04998, 0, 0], v: [0, 0, 0, 0, "
     "0, 150]}]\n"
     "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 20 mm}]\n"
     "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: "
     "0.3}]\n"
     "run: {until: 0.5}\n",
     5e-4,
     {3.8, 4.2}},
    {"rattleback",
     DOWN "bodies: [{name: b, mass: 1, inertia: [2e-3, 1e-2, 1.05e-2, 1.2e-3, 0, 0]}]\n"
          "joints: [{kind: free, child: b, q: [0, 0, 0.0200119952028777, 0.999949998749938, 0.01, "
          "0, 0], v: [0, 0, 0, 0, 0, -5]}]\n"
          "shapes: [" FLOOR ", {body: b, kind: ellipsoid, semi: [0.15, 0.04, 0.02]}]\n"
          "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 1, mu_k: "
          "1}]\n"
          "run: {until: 2}\n",
     5e-4,
     {3.3, 4.5}},
    {"ball on a ball",
     DOWN "bodies: [{name: b, mass: 1}]\n"
          "joints: [{kind: free, child: b, q: [0.03, 0, 1.0995908329919817, 1, 0, 0, "
          "0]}]\n"
          "shapes: [{body: world, kind: sphere, radius: 1}, {body: b, kind: sphere, radius: 0.1}]\n"
          "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 1, mu_k: "
          "1}]\n"
          "run: {until: 0.8}\n",
     4e-3,
     {3.3, 4.5}},
};

static rh_sim *run_motion(const char *scene, double h, rh_model **model)
{
  char step[64];
  snprintf(step, sizeof step, "run.dt=%.17g", h);
  const char *const steps[] = {"run.engine=stepping", step};
  const char *const located[] = {"run.integrator=cvode", "run.rtol=1e-11", "run.atol=1e-12"};
  *model = h > 0 ? model_from(scene, steps, 2) : model_from(scene, located, 3);
  return watch(*model, NULL, NULL);
}

// Position, attitude and spin at the end
static void end_state(const char *scene, double h, double x[10])
{
  rh_model *model;
  rh_sim *sim = run_motion(scene, h, &model);
  const rh_data *d = rh_sim_view(sim);
  double sign = d->q[3] < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) {
    x[i] = d->q[i];
    x[7 + i] = d->v[3 + i];
  }
  for (int i = 3; i < 7; i++) {
    x[i] = sign * d->q[i];
  }
  finish(sim, model);
}

START_TEST(errors_fall_by_four)
{
  const motion *m = &motions[_i];
  double exact[10];
  double before = 0;
  end_state(m->scene, 0, exact);
  for (int k = 0; k < 3; k++) {
    double x[10];
    double sum = 0;
    end_state(m->scene, ldexp(m->h, -k), x);
    for (int i = 0; i < 10; i++) {
      sum += (x[i] - exact[i]) * (x[i] - exact[i]);
    }
    double error = sqrt(sum);
    double ratio = before / error;
    ck_assert_msg(k == 0 || (ratio > m->falls[0] && ratio < m->falls[1]), "%s: %g, then %g: %g",
                  m->name, before, error, ratio);
    before = error;
  }
}

END_TEST

static const char *const disk = DOWN
    "bodies: [{name: b, mass: 0.4}]\n"
    "joints: [{kind: free, child: b, q: [0, 0, 0.0376, 0.809016994374947, 0.587785252292473, 0, "
    "0], v: [0, 0, 0, 0, 0, 20]}]\n"
    "shapes: [" FLOOR ", {body: b, kind: cylinder, radius: 37.5 mm, length: 12 mm}]\n"
    "contacts: [{body: b, against: world, law: newton, e: 0.3, friction: dry, mu_s: 0.3, mu_k: "
    "0.3}]\n"
    "run: {until: 3}\n";

// The default step is 1 ms. A gain of overlap that is lifted, of gyroscopic moments and of contacts
// that turn would each be percents here.
START_TEST(ledger_closes)
{
  const char *const scenes[] = {motions[1].scene, motions[2].scene, motions[3].scene, disk};
  rh_model *model;
  rh_sim *sim = run_motion(scenes[_i], 1e-3, &model);
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_double_lt(fabs(l.residue), 1e-5 * l.initial);
  ck_assert_int_le(rh_sim_statistics(sim).impact.impacts,
                   4); // the disk falls at first, and rolls then
  finish(sim, model);
}

END_TEST

// Impacts with e = 0 and friction, of one point and of a second one while the first lasts: slip stops
// and turns on their path. The falls of two capsules at 1 ms and 0.25 ms; without the
// path they differ from those of the engine that locates events by millimetres at any step. 1e-5 m:
// the end of a slide is rounded to a step, and what a step of 0.25 ms leaves of first order.
static const char *const falls[] = {
    DOWN "bodies: [{name: b, mass: 1.886}]\n"
         "joints: [{kind: free, child: b, q: [0, 0, 0.23120473369, -0.857801958154, "
         "0.0949864858832, -0.39398409339, -0.316116912302], v: [-0.190373766174, -0.218653542348, "
         "-0.301627594629, 0.191868551221, -3.34578329853, -0.164447815524]}]\n"
         "shapes: [" FLOOR ", {body: b, kind: capsule, radius: 0.03, length: 0.06}]\n"
         "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.04498, "
         "mu_k: 0.04498}]\n"
         "run: {until: 0.6}\n",
    DOWN "bodies: [{name: b, mass: 1.085}]\n"
         "joints: [{kind: free, child: b, q: [0.3, 0, 0.293490631882, 0.312630944076, "
         "-0.124061434376, 0.875261012995, 0.34754684927], v: [0.577922535296, 0.413233838576, "
         "-0.0175751732688, 4.43945949331, 3.92935642484, -9.50306772454]}]\n"
         "shapes: [" FLOOR ", {body: b, kind: capsule, radius: 0.03, length: 0.06}]\n"
         "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3841, "
         "mu_k: 0.3841}]\n"
         "run: {until: 0.6}\n",
};

START_TEST(plastic_impacts_converge)
{
  double exact[10];
  end_state(falls[_i], 0, exact);
  for (int k = 0; k < 2; k++) {
    double x[10];
    double error = 0;
    end_state(falls[_i], k == 0 ? 1e-3 : 2.5e-4, x);
    for (int i = 0; i < 3; i++) {
      error = fmax(error, fabs(x[i] - exact[i]));
    }
    ck_assert_msg(error < (k == 0 ? 1e-4 : 1e-5), "fall %d: %g m", _i, error);
  }
}

END_TEST

// Three links swing, the middle joint rests on its upper limit all the time, which a catch at the
// start and no other event of the located run shows. The error falls by four, 4 (1 + O(h)): the
// limit lasts, so that no event is rounded to a step. The joint itself does not move.
static const char *const held =
    "bodies:\n"
    "  - {name: a, mass: 1, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.001, 0, 0, 0]}\n"
    "  - {name: b, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0]}\n"
    "  - {name: c, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0]}\n"
    "joints:\n"
    "  - {kind: revolute, child: a, axis: [0, 1, 0], q: [1.2]}\n"
    "  - {kind: revolute, parent: a, child: b, axis: [0, 1, 0], at: [0, 0, -0.4], limits: [-2, "
    "0]}\n"
    "  - {kind: revolute, parent: b, child: c, axis: [0, 1, 0], at: [0, 0, -0.4], q: [%g]}\n"
    "run: {until: 0.3}\n";

START_TEST(joints_held_by_limits)
{
  static const double bent[] = {0.5, -0.5, 1.2}; // [rad] of the last joint
  char scene[1024];
  double x[4][6];
  double error[3];
  snprintf(scene, sizeof scene, held, bent[_i]);
  for (int k = 0; k < 4; k++) { // the located run first
    rh_model *model;
    rh_sim *sim = run_motion(scene, k == 0 ? 0 : ldexp(4e-3, 1 - k), &model);
    ck_assert(k > 0 || rh_sim_statistics(sim).events == 1);
    memcpy(x[k], rh_sim_view(sim)->q, 3 * sizeof(double));
    memcpy(x[k] + 3, rh_sim_view(sim)->v, 3 * sizeof(double));
    finish(sim, model);
    near_abs(x[k][1], 0, 1e-12);
  }
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < 6; i++) {
      sum += (x[k + 1][i] - x[0][i]) * (x[k + 1][i] - x[0][i]);
    }
    error[k] = sqrt(sum);
    double ratio = k > 0 ? error[k - 1] / error[k] : 4;
    ck_assert_msg(ratio > 3.8 && ratio < 4.2, "%g: %g, ratio %g", bent[_i], error[k], ratio);
  }
}

END_TEST

// The same with a wheel on the last link that turns by 0.15 to 0.6 rad in a step: its parts keep the
// order. At the first order the residue is 0.017 J per millisecond of step; the midpoint rule leaves
// 5e-6 J at the catch and 1e-6 J at 4 ms; the bar is ten times their sum.
START_TEST(a_wheel_on_a_held_joint)
{
  static const char scene[] =
      "bodies:\n"
      "  - {name: a, mass: 1, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.001, 0, 0, 0]}\n"
      "  - {name: b, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0]}\n"
      "  - {name: c, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0]}\n"
      "  - {name: d, mass: 0.2, inertia: [1.5e-4, 1e-4, 2.5e-4, 0, 0, 0]}\n"
      "joints:\n"
      "  - {kind: revolute, child: a, axis: [0, 1, 0], q: [1.2]}\n"
      "  - {kind: revolute, parent: a, child: b, axis: [0, 1, 0], at: [0, 0, -0.4], limits: [-2, "
      "0]}\n"
      "  - {kind: revolute, parent: b, child: c, axis: [0, 1, 0], at: [0, 0, -0.4], q: [0.5]}\n"
      "  - {kind: revolute, parent: c, child: d, axis: [0, 0, 1], at: [0, 0, -0.2], v: [150]}\n"
      "run: {until: 0.3}\n";
  for (int k = 0; k < 3; k++) {
    rh_model *model;
    rh_sim *sim = run_motion(scene, ldexp(4e-3, -k), &model);
    double residue = rh_sim_ledger(sim).residue;
    ck_assert_msg(fabs(residue) < 6e-5, "%g s: %g J", ldexp(4e-3, -k), residue);
    finish(sim, model);
  }
}

END_TEST

Suite *rh_suite_unit_moreau_order(void)
{
  Suite *s = suite_create("unit_moreau_order");
  TCase *t = tcase_create("order");
  tcase_add_loop_test(t, errors_fall_by_four, 0, 4);
  tcase_add_loop_test(t, ledger_closes, 0, 4);
  tcase_add_loop_test(t, plastic_impacts_converge, 0, 2);
  tcase_add_loop_test(t, joints_held_by_limits, 0, 3);
  tcase_add_test(t, a_wheel_on_a_held_joint);
  suite_add_tcase(s, t);
  return s;
}
